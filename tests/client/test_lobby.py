"""The lobby: few keys to a seat, a list that moves, forms; by keys and by lines."""

import types
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from goat_client.commands.lobby import alone_with_bots
from goat_client.game.lobby_model import (
    FORM,
    MENU,
    STILL,
    Choice,
    HostOptions,
    LobbyModel,
    Place,
    Saved,
    TableRow,
    Wish,
)
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.lines.plain_lobby import HELP, WORDS, PlainLobby, run_plain_lobby
from goat_client.machine.settings import Settings
from goat_client.screen.lobby_screen import LobbyScreen
from goat_client.views import lobby

from goat_net.log.records import SeatEntry, Table
from goat_net.table_options import HOUSE_RULES, TableOptions

KITCHEN = TableRow("k", "Kitchen", 2, "10.0.0.2:5000", 0.001)
FULL = TableRow("f", "Full", 4, "10.0.0.3:5000", 0.002, state="playing")
LOCKED = TableRow("l", "Locked", 1, "10.0.0.4:5000", code_needed=True)
OLD = TableRow("o", "Old", 1, "10.0.0.5:5000", version_ok=False, version="protocol 1")
SHUT = TableRow("s", "Shut", 4, "10.0.0.6:5000", watch=False, state="playing")


class Door:
    def __init__(self, *rows: TableRow) -> None:
        self.list: Sequence[TableRow] = rows
        self.said: Sequence[str] = ()
        self.callback: Callable[[], None] | None = None

    def rows(self) -> Sequence[TableRow]:
        return self.list

    def hints(self) -> Sequence[str]:
        return self.said

    def on_change(self, callback: Callable[[], None]) -> None:
        self.callback = callback


class Lobby:
    def __init__(self, *rows: TableRow, saved: Sequence[Saved] = ()) -> None:
        self.door = Door(*rows)
        inner = Model(settings=Settings(name="Vera"))
        self.model = LobbyModel(inner, self.door, saved=saved, make_code=lambda: "a-b-c")
        self.screen = LobbyScreen(self.model)
        self.now = 0.0
        self.screen.tick(0.0)
        self.now = 10.0

    def press(self, *keys: str) -> Choice | None:
        self.screen.drawn(self.now)
        for key in keys:
            self.screen.key(key, self.now)
            self.screen.tick(self.now)
        return self.model.choice

    def text(self, width: int = 80, height: int = 24) -> str:
        return lobby.draw(self.model, width, height, self.now).text()


def test_one_key_to_a_table_that_is_there() -> None:
    for keys in (["enter"], ["1"]):
        choice = Lobby(KITCHEN, FULL).press(*keys)
        assert choice == Choice(Wish.JOIN, KITCHEN, KITCHEN.address)


def test_one_key_to_bots_when_there_is_no_table() -> None:
    assert Lobby().press("enter") == Choice(Wish.BOTS)


@pytest.mark.parametrize(("key", "wish"), [("p", Wish.BOTS), ("з", Wish.BOTS), ("l", Wish.LEARN), ("q", Wish.QUIT),
                                           ("c-c", Wish.QUIT), ("Й", Wish.QUIT)])  # fmt: skip
def test_what_one_key_chooses(key: str, wish: Wish) -> None:
    choice = Lobby(KITCHEN).press(key)
    assert choice is not None
    assert choice.wish is wish


def test_every_entry_of_the_menu_can_be_reached_by_arrows() -> None:
    for n, (command, _, words) in enumerate(MENU):
        one = Lobby()
        one.press(*["down"] * n)
        assert one.model.at == command
        assert words in one.text()
        one.press("enter")
        assert one.model.choice or one.model.place is not Place.MAIN or one.model.inner.edit or one.model.inner.page


def test_a_list_that_has_just_moved_takes_no_key() -> None:
    one = Lobby(FULL)
    one.door.list = (KITCHEN, FULL)
    one.screen.tick(one.now)
    assert one.press("1") is None
    assert "just changed" in one.text()
    one.now += STILL
    assert one.press("1") == Choice(Wish.JOIN, KITCHEN, KITCHEN.address)


def test_the_mark_stays_on_its_table_when_others_come_and_go() -> None:
    one = Lobby(KITCHEN, LOCKED)
    one.press("down")
    assert one.model.at == "l"
    one.door.list = (FULL, KITCHEN, OLD, LOCKED)
    one.screen.tick(one.now)
    assert one.model.at == "l"
    one.door.list = (KITCHEN,)
    one.screen.tick(one.now)
    assert one.model.at == "k"


@pytest.mark.parametrize(("row", "said"), [(FULL, "W watches"), (OLD, "another version"), (SHUT, "lets nobody watch")])
def test_why_a_table_cannot_be_joined(row: TableRow, said: str) -> None:
    one = Lobby(row)
    one.press("1")
    assert one.model.choice is None
    assert said in " ".join(one.text().split())


def test_watching() -> None:
    assert Lobby(FULL).press("up", "down", "home", "w") == Choice(Wish.WATCH, FULL, FULL.address)


@pytest.mark.parametrize("plain", [False, True])
def test_who_has_a_seat_in_the_match_is_not_asked_for_the_code(plain: bool) -> None:
    """U25: the code was asked again of somebody whose match goes on there; who comes to watch is asked."""
    mine = replace(LOCKED, own=True, state="playing")
    if plain:
        lines = PlainLobby(Door(mine), Settings(), lambda line: None)
        lines.changed()
        lines.line("1")
        assert lines.choice == Choice(Wish.JOIN, mine, mine.address)
        return
    assert Lobby(mine).press("1") == Choice(Wish.JOIN, mine, mine.address)
    other = Lobby(mine)
    other.press("up", "down", "home", "w")
    assert other.model.inner.edit is not None


def test_an_address_may_be_followed_by_the_code() -> None:
    """U25, its kind: on the full screen nobody could join a table with a code by its address."""
    one = Lobby()
    one.press("a", *"10.0.0.9:4000", "space", "space", *"red", "space", *"fox")
    assert one.press("enter") == Choice(Wish.JOIN, address="10.0.0.9:4000", code="red fox")


def test_a_code_word_is_asked_for_and_never_shown() -> None:
    one = Lobby(LOCKED)
    one.press("1", *"secret")
    assert "secret" not in one.text()
    assert "******" in one.text()
    assert one.press("enter") == Choice(Wish.JOIN, LOCKED, LOCKED.address, code="secret")
    two = Lobby(LOCKED)
    two.press("1", "escape", "enter", "x", "escape")
    assert two.model.choice is None


def test_an_address_can_be_typed_or_pasted() -> None:
    one = Lobby()
    one.press("a", *"10.0.0.9")
    one.screen.paste(":4000\n", one.now)
    assert one.press("enter") == Choice(Wish.JOIN, address="10.0.0.9:4000")


def test_hosting_takes_two_keys_and_can_be_changed() -> None:
    choice = Lobby().press("h", "enter")
    assert choice is not None
    assert choice.host == HostOptions("Vera's table")
    one = Lobby()
    one.press("h", "down", "enter", "c-u", *"Attic", "enter")
    one.press("down", "right", "right", "down", "right", "down", "right", "down", "right")
    one.press("home", *["down"] * (len(FORM) - FORM.index("hints")))
    assert "Attic" in one.text()
    choice = one.press("enter")
    assert choice is not None
    assert choice.host == HostOptions("Attic", "medium", "a-b-c", watch=False, hints=False)


def test_a_table_where_ones_own_match_goes_on_has_the_mark_and_is_joined() -> None:
    own = replace(FULL, own=True)
    one = Lobby(KITCHEN, own)
    assert "your match goes on here" in one.text()
    assert one.press("enter") == Choice(Wish.JOIN, own, own.address)
    one = Lobby(KITCHEN)
    one.door.list = (KITCHEN, own)  # it comes a moment later
    one.screen.tick(one.now)
    assert one.model.at == own.key
    one = Lobby(replace(own, version_ok=False), KITCHEN)
    assert "other version" in one.text()
    assert one.press("enter") == Choice(Wish.JOIN, KITCHEN, KITCHEN.address)


async def test_ones_own_match_by_lines() -> None:
    own = replace(FULL, own=True)
    choice, out, _ = await by_lines(Door(own), "1")
    assert "1: Full, 4 of 4 seats taken, your match goes on here, 10.0.0.3:5000." in out
    assert choice == Choice(Wish.JOIN, own, own.address)


def test_saved_matches() -> None:
    saved = [Saved(Path("new"), "2026-02-01 one"), Saved(Path("old"), "2026-01-01 two", open=True)]
    assert Lobby(saved=saved).press("r", "down", "enter") == Choice(Wish.REPLAY, path=Path("old"))
    assert Lobby(saved=saved).press("c", "enter") == Choice(Wish.RESUME, path=Path("old"))
    assert Lobby(saved=saved).press("c", "h") == Choice(Wish.REOPEN, path=Path("old"))
    assert Lobby(saved=saved).press("r", "h") is None
    one = Lobby(saved=saved)
    one.press("c")
    assert "H open it here" in one.text()
    assert Lobby().press("r", "enter", "escape", "c", "down", "enter", "escape") is None


def test_settings_are_changed_and_kept() -> None:
    kept: list[Settings] = []
    one = Lobby()
    one.model.save = kept.append
    one.press("o", "enter", "c-u", *"Ann", "enter")
    one.press("down", "right", "down", "left")
    assert one.model.inner.page is Page.SETTINGS
    assert kept[-1] == replace(Settings(name="Ann"), level="hard", hold=0.6)
    one.press("escape")
    assert "Ann" in one.text()


def test_small_windows_ask_for_room() -> None:
    one = Lobby(KITCHEN)
    for size in ((0, 0), (1, 1), (20, 5), (40, 10), (59, 20), (60, 19)):
        assert len(lobby.draw(one.model, *size, 0.0).lines()) == size[1]
    assert "Make the window at least 60x20" in one.text(59, 19)


async def by_lines(door: Door, *typed: str, saved: Sequence[Saved] = ()) -> tuple[Choice, list[str], Settings]:
    out: list[str] = []

    async def lines() -> AsyncGenerator[str, None]:
        for line in typed:
            yield line

    async with aclosing(lines()) as source:
        settings = Settings(name="Vera", ascii="no")
        choice, settings = await run_plain_lobby(
            door, settings, lines=source, write=out.append, saved=saved, make_code=lambda: "a-b-c"
        )
    assert all(line.isprintable() for line in out)
    return choice, out, settings


@pytest.mark.parametrize(("typed", "choice"), [
    (["1"], Choice(Wish.JOIN, KITCHEN, KITCHEN.address)),
    (["w 2"], Choice(Wish.WATCH, FULL, FULL.address)),
    (["3", "secret"], Choice(Wish.JOIN, LOCKED, LOCKED.address, code="secret")),
    (["3", "", "4", "9", "2", "p"], Choice(Wish.BOTS)),
    (["host Attic"], Choice(Wish.HOST, host=HostOptions("Attic"))),
    (["h"], Choice(Wish.HOST, host=HostOptions("Vera's table"))),
    (["host Attic, bots hard, code, no watchers, no hints"],
     Choice(Wish.HOST, host=HostOptions("Attic", "hard", "a-b-c", watch=False, hints=False))),
    (["h , code Red Fox, hints,", "q"], Choice(Wish.HOST, host=HostOptions("Vera's table", code="Red Fox"))),
    (["host Attic, bots genius", "host Attic, no bots", "q"], Choice(Wish.QUIT)),
    (["a 10.0.0.9:4000 word"], Choice(Wish.JOIN, address="10.0.0.9:4000", code="word")),
    (["r", "r 2"], Choice(Wish.REPLAY, path=Path("old"))),
    (["c", "c 1"], Choice(Wish.RESUME, path=Path("old"))),
    (["c 1 here"], Choice(Wish.REOPEN, path=Path("old"))),
    (["?", "nonsense", "set", "set hold 2", "l"], Choice(Wish.LEARN)),
    ([], Choice(Wish.QUIT)),
])  # fmt: skip
async def test_the_same_choices_by_lines(typed: list[str], choice: Choice) -> None:
    saved = [Saved(Path("new"), "2026-02-01 one"), Saved(Path("old"), "2026-01-01 two", open=True)]
    got, out, settings = await by_lines(Door(KITCHEN, FULL, LOCKED, OLD), *typed, saved=saved)
    assert got == choice
    assert "1: Kitchen, 2 of 4 seats taken, open, 10.0.0.2:5000." in out
    assert settings.hold == (2.0 if "set hold 2" in typed else 1.2)


@pytest.mark.parametrize("word", ["help", "k", "keys"])
async def test_the_lobby_of_lines_has_help_and_is_short(word: str) -> None:
    """V13: no help; all of it again after each error."""
    _, out, _ = await by_lines(Door(), word, "nonsense", "a", "w", "q")
    start = out.index("help lists the words.")
    assert start <= 2
    assert out[start + 2 : start + 2 + len(HELP)] == list(HELP)
    assert len(HELP) <= 5
    errors = out[start + 2 + len(HELP) :]
    assert errors == [
        "That is no word of the lobby. help lists them.",
        "address needs one, as in: address 10.0.0.5",
        "There is no table of that number. An empty line lists them.",
    ]


async def test_who_comes_back_to_the_lobby_of_lines_is_told_the_reason_and_the_tables() -> None:
    """V13: all 13 lines again after each error."""
    out: list[str] = []

    async def lines() -> AsyncGenerator[str, None]:
        yield "q"

    async with aclosing(lines()) as source:
        message = "Kitchen is full."
        await run_plain_lobby(Door(KITCHEN), Settings(), lines=source, write=out.append, message=message, again=True)
    assert out == ["Kitchen is full.", "The lobby.", "1: Kitchen, 2 of 4 seats taken, open, 10.0.0.2:5000."]


@pytest.mark.parametrize("word", sorted(WORDS))
async def test_every_word_of_the_lobby_of_lines_does_something(word: str) -> None:
    """V1, V13."""
    choice, out, _ = await by_lines(Door(KITCHEN), word)
    assert not any("no word of the lobby" in line for line in out)
    assert choice is not None


async def test_what_a_table_cannot_be_is_said_by_lines() -> None:
    _, out, _ = await by_lines(Door(), "host Attic, bots genius", "q")
    assert any(line.startswith("bots genius can't be asked of a table: bots LEVEL (easy, medium,") for line in out)


async def test_news_of_the_list_are_said_and_numbers_stay() -> None:
    door = Door(KITCHEN, LOCKED)
    out: list[str] = []

    async def lines() -> AsyncGenerator[str, None]:
        door.list = (FULL, LOCKED)
        door.said = ("Discovery is off.",)
        assert door.callback is not None
        door.callback()
        yield ""
        yield "q"

    async with aclosing(lines()) as source:
        await run_plain_lobby(door, Settings(), lines=source, write=out.append)
    assert "Kitchen is gone." in out
    assert "Discovery is off." in out
    assert any(line.startswith("1: Locked") for line in out)
    assert any(line.startswith("2: Full") for line in out)


def test_the_first_evening_begins_with_a_name_and_offers_the_lesson() -> None:
    """First run: asks a name, offers the lesson."""
    kept: list[Settings] = []
    one = Lobby()
    one.model.inner.settings = Settings()
    one.model.save = kept.append
    one.model.welcome("Root")
    text = one.text()
    assert "Your name, as others see it: Root" in text
    assert "L is a short lesson" in " ".join(text.replace("│", " ").split())
    one.press("c-u", *"Nina", "enter")
    assert kept[-1].name == "Nina"
    assert one.press("enter") == Choice(Wish.LEARN)


def test_every_choice_of_the_house_is_in_the_form() -> None:
    """V10: target, double eggs, clock and grace could not be chosen where a table is opened."""
    one = Lobby()
    one.press("h")
    for width, height in ((60, 20), (80, 24), (120, 40)):
        text = one.text(width, height)
        for rule in HOUSE_RULES:
            assert rule.label in text or rule.key == "hints", (rule.key, width)
    one.press(*["down"] * FORM.index("target"), "right", "down", "right", "down", "right", "down", "left")
    choice = one.press("h")
    assert choice is not None
    assert choice.host is not None
    chosen = dict(choice.host.house)
    assert chosen == {"target": 20, "eggs_double": True, "clock": "15+30", "grace": 60}
    assert TableOptions(**cast("dict[str, Any]", chosen)).target == 20


def test_a_match_with_bots_is_gone_on_with_by_enter() -> None:
    """U12: C and Enter on a match with bots said that it is not on this network."""
    me, other = b"m" * 32, b"o" * 32

    def entry(key: bytes, *, bot: bool) -> SeatEntry:
        return SeatEntry(key, "Vera", bot, "easy" if bot else "", me if bot else b"", b"")

    bots = [entry(bytes([n]) * 32, bot=True) for n in range(3)]
    owner, person = entry(me, bot=False), entry(other, bot=False)

    def table(*seats: SeatEntry, owner: int = 0) -> Table:
        return cast("Table", types.SimpleNamespace(seats=seats, owner=owner))

    assert alone_with_bots(table(owner, *bots), me)
    assert not alone_with_bots(table(owner, *bots), other)
    assert not alone_with_bots(table(owner, person, *bots[:2]), me)
    assert not alone_with_bots(table(*bots, person, owner=4), other)
