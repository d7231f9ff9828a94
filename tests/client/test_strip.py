"""What every page shows: the strip of events, and the keys that do something; the words to be read aloud."""

from dataclasses import replace

import pytest
from goat_client.game.events import EVENTS_KEPT, Events, news
from goat_client.game.local import LocalSession
from goat_client.game.moment import Page
from goat_client.machine.text import cells
from goat_client.views.footer import fitted

from goat_net.seat.tableview import Absence, DealReport, Decided, NextHost, SeatInfo, Stage, TableView, Talk
from tests.client.kit import SIZES, Desk
from tests.client.test_lobby import KITCHEN, Lobby
from tests.client.test_people import ANNA, BORIS, DORA, LOBBY, ME, SEATS, at, saying, show

WORDS = ("banon", "delis", "forin", "lemon", "rabes", "vidon")
PAGES = ("?", "g", "l", "k", "o", "q", "v", "r")


def told(old: TableView, view: TableView) -> list[str]:
    return [event.text for event in news(old, view)]


def seats(*changed: SeatInfo) -> tuple[SeatInfo, ...]:
    by_seat = {info.seat: info for info in changed}
    return tuple(by_seat.get(info.seat, info) for info in SEATS)


@pytest.mark.parametrize(
    ("view", "said"),
    [
        (replace(LOBBY, seats=seats(SeatInfo(1))), ["Anna has left."]),
        (replace(LOBBY, seats=seats(replace(SEATS[3], seat=1))), ["Anna has left. Igor (bot) has the seat."]),
        (replace(LOBBY, seats=seats(SeatInfo(1)), watchers=("Anna",), watcher_keys=(ANNA,)),
         ["Anna watches now.", "Dora, who watched, has gone.", "Dora, who watched, has gone."]),
        (replace(LOBBY, seats=seats(replace(SEATS[1], away=True))), ["Anna is away."]),
        (replace(LOBBY, seats=seats(replace(SEATS[1], seat=2), replace(SEATS[2], seat=1))),
         ["Boris and Anna have swapped seats."]),
        (replace(LOBBY, seats=seats(SeatInfo(3, "Dora", True, key=DORA)), watchers=("Dora",),
                 watcher_keys=(LOBBY.watcher_keys[1],)), ["Dora sits down on seat 4."]),
        (replace(LOBBY, seats=seats(replace(SEATS[3], next_name="Dora"))),
         ["Dora has seat 4 from the next deal on."]),
        (replace(LOBBY, paused_by="Anna"), ["Anna has paused the table."]),
        (replace(LOBBY, next_host=NextHost(1, "Anna", agreed=False)), ["You offer the table to Anna."]),
        (replace(LOBBY, next_host=NextHost(0, "Vera", agreed=False)), ["Vera offers you the table."]),
        (replace(LOBBY, next_host=NextHost(1, "Anna", agreed=True)),
         ["Anna has the table next: the match goes on there after this deal."]),
        (replace(LOBBY, link=False), ["The connection to the table is gone; it is being made again."]),
        (saying(LOBBY, Talk("Anna", "hello", 1, ANNA)), ["Anna: hello"]),
        (replace(LOBBY, absences=(Absence(1, left=True),)), ["Anna has left the match."]),
        (replace(LOBBY, absences=(Absence(1, open=True, votes={2: 2}, voters=(0, 2)),)),
         ["The other team decides about Anna's seat.", "Boris: charge Anna (1 of 2 have spoken)."]),
        (replace(LOBBY, reports=(DealReport(3, None, None, True, frozenset(), charged=1, cost=6),)),
         ["Deal 3 is void: Anna and Igor are charged 6 points."]),
        (replace(LOBBY, decided=(Decided(1, "Anna", 3, "charged", {0: 2, 2: 2}, 1, 6),)), ["Anna: charged (2:0)."]),
        (replace(LOBBY, decided=(Decided(1, "Anna", 3, "unanswered", {0: 3, 2: 3}),)),
         ["Anna: let go, nobody has said anything else."]),
        (replace(LOBBY, reports=(DealReport(3, None, None, True, frozenset()),)),
         ["Deal 3 is void: nobody is charged."]),
    ],
)  # fmt: skip
def test_what_happens_at_a_table_is_told(view: TableView, said: list[str]) -> None:
    """U7: a vote came out without a word; the next deal simply began."""
    assert told(LOBBY, view) == said


def test_a_bot_on_the_way_to_a_seat_is_no_watcher_who_came_and_went() -> None:
    """V4: "Angora watches. Angora, who watched, has gone.\""""
    arriving = replace(LOBBY, watchers=(*LOBBY.watchers, "Angora"), watcher_keys=(*LOBBY.watcher_keys, b"n" * 32))
    sits = replace(LOBBY, seats=seats(SeatInfo(3, "Angora", True, bot=True, level="hard", key=b"n" * 32)))
    events = Events()
    for old, view in ((LOBBY, arriving), (arriving, sits)):
        events.take(old, view)
    assert [e.text for e in events.lines] == []


def test_who_has_left_for_good_is_not_back() -> None:
    """V4: when their seat was given to somebody else."""
    away = replace(LOBBY, seats=seats(replace(SEATS[1], away=True)))
    for gone in (
        replace(LOBBY, absences=(Absence(1, left=True),)),
        replace(LOBBY, decided=(Decided(1, "Anna", 1, "let go", {}),)),
    ):
        assert not any("back" in line for line in told(away, gone))
    assert told(away, LOBBY) == ["Anna is back."]


def test_nothing_is_told_when_one_comes_or_when_nothing_happens() -> None:
    assert told(TableView(), LOBBY) == []
    assert told(LOBBY, LOBBY) == []
    assert told(replace(LOBBY, paused_by="Anna"), LOBBY) == ["The table goes on."]
    assert told(LOBBY, replace(LOBBY, seats=seats(replace(SEATS[0], away=True)))) == []  # oneself


def test_bots_that_come_to_sit_down_are_no_watchers() -> None:
    """Seen at a table of one's own: "Angora, who watched, has gone"."""
    events = Events()
    empty = replace(LOBBY, seats=seats(SeatInfo(3)), watchers=(), watcher_keys=())
    came = replace(empty, watchers=("Igor",), watcher_keys=(SEATS[3].key,))
    sat = replace(empty, seats=SEATS)
    for old, view in ((empty, came), (came, sat)):
        events.take(old, view)
    assert events.lines == []


def test_events_are_bounded_and_the_muted_are_not_heard() -> None:
    events = Events()
    view = LOBBY
    for n in range(EVENTS_KEPT + 20):
        new = saying(replace(view, talk=view.talk[-10:]), Talk("Anna", str(n), 1, ANNA))
        events.take(view, new)
        view = new
    assert len(events.lines) == EVENTS_KEPT
    assert events.lines[-1].text == f"Anna: {EVENTS_KEPT + 19}"
    assert events.heard({ANNA: "Anna"}) == []


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_talk_is_on_every_page(seed: int, width: int, height: int) -> None:
    """U10: at the end of a deal it was not shown, nor on any page."""
    desk = Desk(seed)
    desk.begin()
    desk.session.remark("Anna", "who deals?", 1)
    assert "Anna: who deals?" in desk.text(width, height).splitlines()[-2]
    for key in PAGES:
        desk.press(key)
        assert desk.model.page, key
        assert "Anna: who deals?" in desk.text(width, height).splitlines()[-2], key
        desk.press("escape")
    desk.deal()
    desk.look()
    assert "Anna: who deals?" in desk.text(width, height).splitlines()[-2]


def test_the_newest_event_stands_first_and_older_ones_beside_it(seed: int) -> None:
    desk, _ = at(seed, LOBBY)
    show(desk, saying(LOBBY, Talk("Anna", "one", 1, ANNA)))
    show(desk, saying(desk.session.view, Talk("Boris", "two", 2, BORIS)))
    row = desk.text(120, 40).splitlines()[-2]
    assert row.index("Boris: two") < row.index("Anna: one")
    assert "2 new (V)" in row
    long = Talk("Anna", "x" * 200, 1, ANNA)
    show(desk, saying(desk.session.view, long))
    assert cells(desk.text(60, 20).splitlines()[-2]) <= 60


# The keys below


def test_k_comes_first_and_is_never_dropped(seed: int) -> None:
    """U11: at 80 columns the footer dropped K, at 60 T and H too."""
    desk = Desk(seed)
    desk.begin()
    for width in range(60, 121):
        footer = desk.text(width, 24).splitlines()[-1]
        assert footer.startswith(" K keys"), (width, footer)
        assert cells(footer) <= width
        assert all(f"· {key}" in footer for key in ("H", "T", "Q")), (width, footer)
    for key in PAGES:
        desk.press(key)
        assert desk.text(60, 20).splitlines()[-1].startswith(" K keys"), key
        desk.press("escape")


def test_words_go_before_keys_do() -> None:
    """U11"""
    items = [("K", "keys", ""), ("Enter", "beat", ""), ("T", "talk", ""), ("Q", "leave", "")]
    assert fitted(items, 80) == items
    assert fitted(items, 32) == [*items[:3], ("Q", "", "")]
    assert fitted(items, 18) == [items[0], ("Enter", "", ""), ("T", "", "")]
    assert fitted(items, 2) == items[:1]


def test_one_key_explains_where_one_is(seed: int) -> None:
    """First run: on any first page K says where one is, and what the keys do."""
    one = Lobby(KITCHEN)
    assert " K keys" in one.text()
    one.press("k")
    assert "This is the lobby." in one.text()
    assert "sit down at that table" in one.text()
    one.press("k", "h", "k")
    assert "This is the lobby." in one.text()
    desk, _ = at(seed, LOBBY)
    desk.press("k")
    assert "before the match" in desk.text()
    assert "It begins when" in desk.text()


def test_what_a_footer_says_is_so(seed: int) -> None:
    """V5: "Q close" in the dialog of leaving, where Q leaves; "arrows scroll" where nothing scrolls."""
    desk = Desk(seed)
    desk.begin()
    desk.press("q")
    footer = desk.text().splitlines()[-1]
    assert "Q leave" in footer
    assert "scroll" not in footer
    desk.wait(0.1)
    desk.press("q")
    assert desk.control.outcome is not None
    desk = Desk(seed)
    desk.begin()
    desk.press("g")
    assert "scroll" not in desk.text().splitlines()[-1]
    desk.press("escape", "?")
    assert "arrows scroll" in desk.text().splitlines()[-1]


# The table words


def begun(view: TableView, seed: int) -> Desk:
    """A match with people that has just begun."""
    desk, _ = at(seed, view)
    session = LocalSession(seed)
    session.ready()
    session.start()
    while session.view.deal is None:
        session.advance()
    deal = session.view
    show(desk, replace(deal, seats=view.seats, words=WORDS, own_key=ME))
    return desk


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_words_are_to_be_read_aloud_as_the_match_begins(seed: int, width: int, height: int) -> None:
    """U3: they stood on no screen once they existed."""
    desk = begun(LOBBY, seed)
    assert desk.model.page is Page.WORDS
    text = desk.text(width, height)
    assert all(word.upper() in text for word in WORDS)
    desk.press("enter")
    assert not desk.model.page
    desk.look()
    show(desk, replace(desk.session.view, paused_by="Anna"))
    assert not desk.model.page  # once
    desk.press("r")
    assert all(word.upper() in desk.text(width, height) for word in WORDS)


def test_alone_with_bots_nothing_is_to_be_read(seed: int) -> None:
    alone = replace(LOBBY, seats=tuple(replace(s, bot=s.seat > 0) for s in SEATS))
    desk = begun(alone, seed)
    assert not desk.model.page


def test_who_types_is_not_interrupted_and_a_later_match_has_words_of_its_own(seed: int) -> None:
    desk, _ = at(seed, LOBBY)
    desk.press("t")
    show(desk, replace(LOBBY, stage=Stage.DEALING, words=WORDS))
    assert not desk.model.page
    desk.press("escape")
    show(desk, replace(LOBBY, stage=Stage.DEALING, words=WORDS[::-1]))
    assert desk.model.page is Page.WORDS


def test_votes_that_are_over_are_not_listed(seed: int) -> None:
    """Nothing is listed that does not work: after two minutes of waiting W is no answer any more."""
    gone = Absence(1, 190.0, 0.0, open=True, may_vote=True, voters=(0, 2), choices=(1, 2), cost=6)
    desk, _ = at(seed, replace(LOBBY, stage=Stage.PLAY, absences=(gone,)))
    footer = desk.text().splitlines()[-1]
    assert "E let go" in footer
    assert "wait on" not in footer
