"""Phrases, muting, swapping seats, taking a free one: by keys and by lines."""

import re
from dataclasses import replace
from typing import Any

import pytest
from goat_client.commands.sitting import missed
from goat_client.game.keys import SAME_KEY
from goat_client.game.local import LocalSession
from goat_client.game.moment import Page
from goat_client.game.people import PHRASES, heard, named, others
from goat_client.lines.plain import Plain
from goat_client.lines.vocabulary import help_lines
from goat_client.machine.settings import Settings

from goat_engine.cards import RANKS, SUITS
from goat_net.seat.tableview import SeatInfo, Stage, TableView, Talk
from tests.client.kit import SIZES, Desk

ANNA, BORIS, DORA, DOUBLE, ME = (bytes([n]) * 32 for n in range(1, 6))
SEATS = (
    SeatInfo(0, "Vera", True, ready=True, host=True, key=ME),
    SeatInfo(1, "Anna", True, key=ANNA),
    SeatInfo(2, "Boris", True, key=BORIS),
    SeatInfo(3, "Igor", True, bot=True, level="hard", ready=True, key=bytes(32)),
)
LOBBY = TableView(
    stage=Stage.LOBBY, table_name="Kitchen", seats=SEATS, me=0, own_key=ME,
    watchers=("Dora", "Dora"), watcher_keys=(DORA, DOUBLE),
)  # fmt: skip


class Heard(LocalSession):
    """Notes what the screen asks of the table."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.calls: list[tuple[Any, ...]] = []

    def sit(self, seat: int) -> None:
        self.calls.append(("sit", seat))

    def swap(self, seat: int) -> None:
        self.calls.append(("swap", seat))

    def answer(self, seat: int, on: bool) -> None:
        self.calls.append(("answer", seat, on))

    def ready(self) -> None:
        self.calls.append(("ready",))

    def start(self) -> None:
        self.calls.append(("start",))

    def say(self, text: str) -> None:
        self.calls.append(("say", text))


def at(seed: int, view: TableView) -> tuple[Desk, Heard]:
    """The full screen at this table."""
    desk = Desk(seed)
    session = Heard(seed)
    desk.session = desk.control.session = session
    session.on_change(desk._changed)
    show(desk, view)
    return desk, session


def show(desk: Desk, view: TableView) -> None:
    desk.session.view = view
    desk.control.take(view, desk.now)


def in_lines(seed: int, view: TableView, muted: dict[bytes, str] | None = None) -> tuple[Plain, Heard, list[str]]:
    """Plain mode at this table, with what it has said since."""
    session, out = Heard(seed), []
    plain = Plain(session, Settings(name="Vera", ascii="no"), out.append, muted=muted)
    session.view = view
    plain.take(view, 1.0)
    out.clear()
    return plain, session, out


def saying(view: TableView, *talk: Talk) -> TableView:
    return replace(view, talk=(*view.talk, *talk))


# Ready phrases


@pytest.mark.parametrize("number", range(1, len(PHRASES) + 1))
def test_its_number_alone_says_a_phrase(seed: int, number: int) -> None:
    desk, session = at(seed, LOBBY)
    desk.press("t", str(number), "enter")
    assert session.calls == [("say", PHRASES[number - 1])]
    assert desk.model.edit is None


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_phrases_are_on_the_screen_while_an_empty_line_is_open(seed: int, width: int, height: int) -> None:
    desk = Desk(seed)
    desk.begin()
    assert not any(p in desk.text(width, height) for p in PHRASES)
    desk.press("t")
    assert all(f"{n + 1} {p}" in desk.text(width, height) for n, p in enumerate(PHRASES))
    desk.press("x")
    assert not any(p in desk.text(width, height) for p in PHRASES)
    desk.press("backspace", "escape")
    desk.press("v", "t")
    assert all(p in desk.text(width, height) for p in PHRASES)


def test_a_digit_in_a_line_that_is_begun_is_text(seed: int) -> None:
    desk, session = at(seed, LOBBY)
    for keys in (["a", "1"], ["space", "2"], ["9"]):
        desk.press("t", *keys, "enter")
        desk.wait(0.0)
    assert session.calls == [("say", "a1"), ("say", "2"), ("say", "9")]


def test_no_phrase_speaks_of_cards() -> None:
    words = {w.strip(".,!?").lower() for phrase in PHRASES for w in phrase.split()}
    cards = {"trump", "trumps", "molodka", "spades", "clubs", "diamonds", "hearts", "suit", "lead", "beat", "discard",
             "ace", "ten", "king", "queen", "jack", "high", "low", "card", "cards", "hand", "yes", "no"}  # fmt: skip
    assert not words & cards
    assert not words & {*(r.lower() for r in RANKS), *SUITS.lower()}
    assert not any(ch.isdigit() for phrase in PHRASES for ch in phrase)
    assert all(0 < len(phrase) <= 40 for phrase in PHRASES)


def test_phrases_in_lines(seed: int) -> None:
    plain, session, out = in_lines(seed, LOBBY)
    plain.line("say 3", 1.0)
    plain.line("t 3", 1.0)  # what is typed after t is what is said
    plain.line("say 30 minutes", 1.0)
    assert session.calls == [("say", PHRASES[2]), ("say", "3"), ("say", "30 minutes")]
    plain.line("say", 1.0)
    assert out == [f"say {n + 1}: {p}" for n, p in enumerate(PHRASES)]
    assert any("say 1" in line for line in help_lines(Stage.PLAY))


# Muting


def test_who_is_muted_is_not_heard_and_the_talk_page_says_so(seed: int) -> None:
    desk, _ = at(seed, LOBBY)
    desk.press("v", "x", "enter")
    assert desk.model.page is Page.MUTE
    assert desk.model.muted == {ANNA: "Anna"}
    assert re.search(r"▸ Anna \(seat 2\) +muted", desk.text())
    assert re.search(r"  Boris \(seat 3\) +heard", desk.text())
    desk.press("escape")
    desk.model.unread = 0
    show(desk, saying(LOBBY, Talk("Anna", "blah blah", 1, ANNA), Talk("Boris", "good evening", 2, BORIS)))
    assert desk.model.unread == 1
    for width, height in SIZES:
        assert "blah" not in desk.text(width, height)
        assert "good evening" in desk.text(width, height)
    desk.press("v")
    assert "Anna is muted." in desk.text()
    assert "blah" not in desk.text()
    desk.press("x", "enter", "escape", "v")
    assert "blah blah" in desk.text()
    assert "muted" not in desk.text()


def test_a_muted_player_rings_no_bell_and_neither_does_anybody_who_talks(seed: int) -> None:
    desk = Desk(seed)
    desk.begin()
    desk.screen.take_bell()
    view = desk.session.view
    show(desk, saying(view, Talk("Anna", "\a blah", 1, ANNA), Talk("Boris", "hurry", 2, BORIS)))
    desk.wait(1.0)
    assert not desk.screen.take_bell()


def test_of_two_with_one_name_one_is_muted(seed: int) -> None:
    desk, _ = at(seed, LOBBY)
    desk.press("v", "x", "down", "down", "down", "enter", "escape")
    assert desk.model.muted == {DOUBLE: "Dora"}
    show(desk, saying(LOBBY, Talk("Dora", "the one", None, DORA), Talk("Dora", "the other", None, DOUBLE)))
    assert "the one" in desk.text(120, 40)
    assert "the other" not in desk.text(120, 40)
    # on another seat, under another name: a key is a key
    assert heard((Talk("Zoe", "hi", 3, DOUBLE),), desk.model.muted) == ()


def test_oneself_and_bots_are_not_in_the_list_and_who_went_can_be_heard_again() -> None:
    assert [o.key for o in others(LOBBY, {})] == [ANNA, BORIS, DORA, DOUBLE]
    gone = replace(LOBBY, watchers=(), watcher_keys=())
    assert [(o.key, o.here) for o in others(gone, {DORA: "Dora"})] == [(ANNA, True), (BORIS, True), (DORA, False)]
    watcher = replace(LOBBY, me=None, own_key=DOUBLE)
    assert [o.key for o in others(watcher, {})] == [ME, ANNA, BORIS, DORA]
    assert [o.key for o in named(others(LOBBY, {}), "dora")] == [DORA, DOUBLE]
    assert [o.key for o in named(others(LOBBY, {}), "4")] == [DOUBLE]


def test_muting_in_lines(seed: int) -> None:
    plain, _, out = in_lines(seed, LOBBY)
    plain.line("mute anna", 1.0)
    plain.line("mute Anna", 1.0)
    plain.line("mute Dora", 1.0)
    assert out[:3] == ["Anna is muted.", "Anna is muted already.",
                       "2 people here are called Dora: say which by the number."]  # fmt: skip
    assert out[3:] == ["1: Anna (seat 2), muted", "2: Boris (seat 3)", "3: Dora (watching)", "4: Dora (watching)"]
    plain.line("mute 4", 1.0)
    out.clear()
    lines = (Talk("Anna", "blah", 1, ANNA), Talk("Dora", "hello", None, DORA), Talk("Dora", "blah", None, DOUBLE))
    plain.take(saying(LOBBY, *lines), 2.0)
    assert out == ["Dora (watching) says: hello"]
    out.clear()
    plain.line("unmute Anna", 2.0)
    plain.line("unmute 2", 2.0)
    plain.line("mute Nobody", 2.0)
    assert out[:3] == ["You hear Anna again.", "Boris is not muted.", "There is nobody called Nobody."]


def test_who_is_muted_stays_so_at_the_next_table_of_the_evening(seed: int) -> None:
    muted: dict[bytes, str] = {}
    plain, _, _ = in_lines(seed, LOBBY, muted)
    plain.line("mute Boris", 1.0)
    again, _, out = in_lines(seed, replace(LOBBY, table_name="Attic"), muted)
    again.take(saying(again.session.view, Talk("Boris", "blah", 3, BORIS)), 2.0)
    assert out == []


def test_the_word_of_the_table_is_shown_as_its_own(seed: int) -> None:
    plain, _, out = in_lines(seed, LOBBY, {b"": "nobody"})
    plain.take(saying(LOBBY, Talk("", "Anna does not swap seats.")), 2.0)
    assert out == ["The table says: Anna does not swap seats."]
    desk, _ = at(seed, saying(LOBBY, Talk("", "Anna does not swap seats.")))
    assert "The table: Anna does not" in desk.text(120, 40)


# Swapping seats


def asked_by(view: TableView, seat: int, whom: int | None) -> TableView:
    return replace(view, seats=tuple(replace(s, asks=whom) if s.seat == seat else s for s in view.seats))


def test_a_key_asks_the_marked_player_to_swap_and_takes_that_back(seed: int) -> None:
    desk, session = at(seed, LOBBY)
    desk.press("w")
    assert "Mark another's seat" in desk.text()
    desk.press("3")
    assert "W asks Boris to swap seats with you." in desk.text()
    desk.press("w")
    show(desk, asked_by(LOBBY, 0, 2))
    assert "You ask Boris to swap seats. W takes that back." in desk.text()
    desk.press("w")
    assert session.calls == [("swap", 2), ("swap", 4)]


@pytest.mark.parametrize(("key", "on"), [("y", True), ("n", False)])
@pytest.mark.parametrize("cyrillic", [False, True])
def test_who_is_asked_agrees_or_not_by_a_key(seed: int, key: str, on: bool, cyrillic: bool) -> None:
    desk, session = at(seed, asked_by(LOBBY, 1, 0))
    for width, height in SIZES:
        text = desk.text(width, height)
        assert "Anna asks you to swap seats: Y swaps, N doesn't." in " ".join(text.replace("│", " ").split())
        assert "asks you to swap" in text
        assert "Y swap" in text
    key = next(k for k, latin in SAME_KEY.items() if latin == key) if cyrillic else key
    desk.press(key)
    assert session.calls == [("answer", 1, on)]


def test_of_two_who_ask_the_marked_one_is_answered(seed: int) -> None:
    desk, session = at(seed, asked_by(asked_by(LOBBY, 1, 0), 2, 0))
    desk.press("y")
    desk.press("right", "right", "y")
    assert session.calls == [("answer", 1, True), ("answer", 2, True)]


def test_everybody_sees_who_asks_whom(seed: int) -> None:
    desk, session = at(seed, replace(asked_by(LOBBY, 1, 2), me=0))
    assert "Anna  not ready yet  asks Boris to" in desk.text()
    desk.press("y", "n")  # nobody has asked this one
    assert session.calls == []


def test_swapping_in_lines(seed: int) -> None:
    plain, session, out = in_lines(seed, LOBBY)
    plain.line("swap boris", 1.0)
    plain.line("swap 2", 1.0)
    plain.line("swap", 1.0)
    plain.line("swap Nobody", 1.0)
    assert session.calls == [("swap", 2), ("swap", 1)]
    assert out == ["swap needs a name or a seat: swap 2", "Nobody who sits here is called Nobody. swap 2 names a seat."]
    plain.take(asked_by(LOBBY, 0, 2), 2.0)
    plain.line("swap", 2.0)
    assert session.calls[-1] == ("swap", 4)
    out.clear()
    plain.take(asked_by(asked_by(LOBBY, 1, 0), 2, 3), 3.0)
    assert out == ["Your request to swap seats has ended.", "Anna asks you to swap seats: yes or no.",
                   "Boris asks Igor to swap seats."]  # fmt: skip
    plain.line("yes", 3.0)
    plain.line("n 2", 3.0)
    assert session.calls[-2:] == [("answer", 1, True), ("answer", 1, False)]
    plain.take(LOBBY, 4.0)
    out.clear()
    plain.line("yes", 4.0)
    assert out == ["Nobody asks you to swap seats."]


def test_a_number_of_a_taken_seat_marks_it_and_says_nothing_to_the_table(seed: int) -> None:
    desk, session = at(seed, LOBBY)
    desk.press("2")
    assert (desk.model.seat_cursor, session.calls) == (1, [])


# A seat that is free from the next deal on


def watching(desk: Desk, **seat: Any) -> TableView:
    """The table of a desk as a watcher sees it; what seat 2 has."""
    view = desk.session.view
    seats = tuple(replace(s, key=bytes([s.seat + 9]) * 32, **(seat if s.seat == 2 else {})) for s in view.seats)
    return replace(view, me=None, seats=seats, own_key=DORA, watchers=("Dora",), watcher_keys=(DORA,))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_watcher_is_offered_a_free_seat_and_takes_it_by_a_key(seed: int, width: int, height: int) -> None:
    first = Desk(seed, me=None)
    first.session.start()
    first.go(until=lambda: first.session.view.stage is Stage.PLAY)

    def words(desk: Desk) -> str:
        return " ".join(desk.text(width, height).replace("│", " ").split())

    desk, session = at(seed, watching(first, free=True))
    assert "Seat 3 is free from the next deal on: S sits down there." in words(desk)
    desk.press("s")
    assert session.calls == [("sit", 2)]
    show(desk, replace(watching(first, free=False, next_name="Dora"), takes=2))
    assert "You have seat 3 from the next deal on, if it is free then. S takes that back." in words(desk)
    desk.press("s")
    assert session.calls[-1] == ("sit", 4)
    show(desk, watching(first, free=True, bot=False, name="Anna"))
    assert "Anna's seat may be free from the next deal on: S sits down there then." in words(desk)
    show(desk, watching(first, next_name="Zoe"))
    assert "Zoe has seat 3 from the next deal on." in words(desk)
    desk.press("s")
    assert session.calls[-1] == ("sit", 4)  # nothing new: no seat is free


def test_taking_a_seat_in_lines(seed: int) -> None:
    first = Desk(seed, me=None)
    first.session.start()
    first.go(until=lambda: first.session.view.stage is Stage.PLAY)
    plain, session, out = in_lines(seed, watching(first))
    plain.line("sit", 1.0)
    plain.line("sit 3", 1.0)
    assert out == ["No seat is free.", "That seat is not free at the next deal."]
    out.clear()
    plain.take(watching(first, free=True), 2.0)
    assert out == ["Seat 3 is free from the next deal on: sit sits down there."]
    plain.line("sit 3", 2.0)
    out.clear()
    plain.take(replace(watching(first, next_name="Dora"), takes=2), 3.0)
    assert out == ["You have seat 3 from the next deal on, if it is free then. sit takes that back."]
    plain.line("sit", 3.0)
    assert session.calls == [("sit", 2), ("sit", 4)]
    out.clear()
    plain.take(replace(watching(first), stands_in=2), 4.0)
    assert out == ["A bot plays for you on seat 3. An empty line sits down again, at the next deal."]
    plain.line("", 4.0)
    assert session.calls[-1] == ("sit", 2)
    out.clear()
    plain.take(replace(watching(first, bot=False, name="Zoe"), stands_in=2), 5.0)
    assert out == ["Zoe plays for you on seat 3. An empty line sits down again, at the next deal."]
    out.clear()
    plain.take(replace(watching(first), stands_in=2, takes=2), 6.0)
    assert out == ["You have seat 3 again from the next deal on."]


# A table without a host who plays; bots that make room


def unwrapped(desk: Desk) -> str:
    """The panel of the seats as one line."""
    return " ".join(" ".join(row[:53] for row in desk.text().splitlines()).replace("│", " ").split())


def nobody_hosts(**changes: Any) -> TableView:
    return replace(LOBBY, seats=(replace(SEATS[0], host=False, **changes), *SEATS[1:]))


def test_at_a_table_without_a_host_any_player_starts_when_all_are_ready(seed: int) -> None:
    desk, session = at(seed, nobody_hosts())
    assert "You are ready. Waiting for Anna, Boris." in unwrapped(desk)
    desk.press("s")
    assert "Not ready yet: Anna, Boris." in desk.model.notice
    ready = nobody_hosts()
    show(desk, replace(ready, seats=tuple(replace(s, ready=True) for s in ready.seats)))
    assert "All are ready. S starts; bots fill the free seats." in unwrapped(desk)
    assert "S start" in desk.text()
    desk.press("s")
    assert ("start",) in session.calls
    plain, session, out = in_lines(seed, nobody_hosts())
    plain.line("start", 2.0)
    assert (session.calls, out) == ([], ["Not ready yet: Anna, Boris."])


def test_where_a_host_plays_only_he_starts(seed: int) -> None:
    desk, session = at(seed, LOBBY)
    desk.press("s")
    assert "The host starts; press Enter when you are ready." in desk.model.notice
    assert session.calls == []


def with_room(stage: Stage) -> TableView:
    seats = (SEATS[1], replace(SEATS[2], bot=True, key=bytes(32)), SEATS[3])
    return replace(
        LOBBY, stage=stage, me=None,
        seats=(replace(SEATS[0], name="Zoe", key=DORA), *(replace(s, free=s.bot) for s in seats)),
    )  # fmt: skip


def test_bots_make_room_before_a_match(seed: int) -> None:
    desk, session = at(seed, with_room(Stage.LOBBY))
    assert "Bots make room for you: Enter sits down, 1-4 takes that one's seat." in unwrapped(desk)
    assert "S sit down" in desk.text()
    for key in ("enter", "4", "s"):
        desk.press(key)
    assert session.calls == [("sit", 2), ("sit", 3), ("sit", 3)]
    plain, session, _ = in_lines(seed, with_room(Stage.LOBBY))
    plain.line("sit", 2.0)
    plain.line("sit 4", 3.0)
    assert session.calls == [("sit", 4), ("sit", 3)]


def test_after_a_match_who_watched_sits_down_and_is_told_so(seed: int) -> None:
    desk, session = at(seed, with_room(Stage.OVER))
    assert "S sit down" in desk.text()
    desk.press("s")
    assert session.calls == [("sit", 2)]
    show(desk, replace(with_room(Stage.OVER), takes=2))
    assert "S sit down" not in desk.text()
    desk.press("s")
    assert desk.model.notice == "You have seat 3 for the next match."
    assert session.calls == [("sit", 2)]


def test_a_seat_that_is_taken_is_said() -> None:
    """U15: `goat join --seat` on a taken seat made one a watcher without a word."""
    watching = replace(LOBBY, me=None, own_key=DORA)
    assert missed(1, watching) == "Seat 2 is Anna's: you watch. Choose another seat, or wait for one that is free."
    assert missed(1, LOBBY) == ""
    assert missed(1, replace(watching, seats=(SEATS[0], SeatInfo(1), *SEATS[2:]))) == ""  # it comes in a moment
    assert missed(4, watching) == missed(None, watching) == ""
