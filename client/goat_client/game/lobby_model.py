"""The lobby's model: tables on this network, what one can do, and forms. No widget, no clock, no network.

Tables come in through `TablesDoor`; what the person wants goes out as a `Choice`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from goat_client.game import whereabouts
from goat_client.game.keys import LOBBY_HELP
from goat_client.game.line_edit import LineEdit, Purpose
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.game.page_keys import NO_NAME, change_setting, scroll_page, setting_typed
from goat_client.machine.settings import Settings
from goat_engine.levels import LEVELS
from goat_net.table_options import BY_KEY, HOUSE_RULES, Value
from goat_net.wire.text import clean_name
from goat_net.wire.words import code_problem

STILL: Final = 0.3
"""Seconds for which the list must have stood still before a key joins a table in it: a row that slips under the
finger is not what was meant."""
CODE_LIMIT: Final = 64
SAVED_SHOWN: Final = 200  # saved matches offered; older ones are opened by `goat replay FILE`


@dataclass(frozen=True, slots=True)
class TableRow:
    """One table as the lobby shows it. ``key`` names it whatever its place in the list. ``round_trip``: seconds, or
    None. ``state``: ``lobby``, ``playing`` and so on, in the table's own word. ``version``: its protocol in words.
    ``own``: a match of this player's is on there, or goes on: their seat is theirs again."""

    key: str
    name: str
    seats_taken: int
    address: str
    round_trip: float | None = None
    version_ok: bool = True
    version: str = ""
    code_needed: bool = False
    watch: bool = True
    state: str = "lobby"
    own: bool = False

    @property
    def joinable(self) -> bool:
        """Whether a seat may be had there now."""
        return self.version_ok and (self.own or (self.state == "lobby" and self.seats_taken < 4))


OWN: Final = "your match goes on here"
"""What is said of a table whose match is one's own, instead of its state."""


class TablesDoor(Protocol):
    """Where the live list comes from."""

    def rows(self) -> Sequence[TableRow]:
        """Tables to show now, best first."""

    def hints(self) -> Sequence[str]:
        """Lines for the person: what discovery lacks, why nothing is found."""

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call back in the event loop whenever rows or hints may have changed; only one callback is kept."""


class NoTables:
    """A door without discovery."""

    def rows(self) -> Sequence[TableRow]:
        """None."""
        return ()

    def hints(self) -> Sequence[str]:
        """What to do instead."""
        return ("Looking for tables is off. A joins by address.",)

    def on_change(self, callback: Callable[[], None]) -> None:
        """Nothing changes."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved match: ``about`` is one line (date, players, result); ``open`` if it can be played on."""

    path: Path
    about: str
    open: bool = False


class Wish(StrEnum):
    """What the person wants."""

    JOIN = "join"
    WATCH = "watch"
    HOST = "host"
    BOTS = "bots"
    LEARN = "learn"
    REPLAY = "replay"
    RESUME = "resume"
    REOPEN = "reopen"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class HostOptions:
    """The host form. ``bots``: a level that fills three seats at once, or "" for people. ``code``: a code word, ""
    for none. ``hints``: whether players may ask for hints. ``house``: the other choices of the house
    (`goat_net.table_options.HOUSE_RULES`) that differ from what is usual, by key."""

    name: str
    bots: str = ""
    code: str = ""
    watch: bool = True
    port: int = 0
    hints: bool = True
    house: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be done next. ``address`` is set for JOIN and WATCH, ``path`` for REPLAY, RESUME (at its table) and
    REOPEN (at a table of one's own). ``signal``: what ended the program, if anything did."""

    wish: Wish
    table: TableRow | None = None
    address: str = ""
    code: str = ""
    host: HostOptions | None = None
    path: Path | None = None
    signal: int = 0


MENU: Final = (
    ("bots", "P", "Play with bots"),
    ("host", "H", "Host a table"),
    ("address", "A", "Join by address"),
    ("learn", "L", "Learn the game"),
    ("resume", "C", "Continue a match"),
    ("replays", "R", "Replays"),
    ("rules", "?", "Rules"),
    ("settings", "O", "Settings"),
    ("quit", "Q", "Quit"),
)
"""(command, key, words) of what one can do besides joining a table."""
HOUSE: Final = tuple(rule for rule in HOUSE_RULES if rule.key != "hints")
FORM: Final = ("go", "name", "bots", "code", "watch", "hints", *(rule.key for rule in HOUSE))
FORM_BOTS: Final = ("", *LEVELS)


class Place(StrEnum):
    """Which part of the lobby is open."""

    MAIN = "main"
    HOST = "host"
    REPLAYS = "replays"
    RESUME = "resume"


@dataclass
class LobbyModel:
    """See the module. ``inner`` holds settings, pages, notices and the text field, as at a table. ``at``: the key of
    the marked table or the command of the marked menu entry."""

    inner: Model
    door: TablesDoor
    saved: Sequence[Saved] = ()
    make_code: Callable[[], str] | None = None
    save: Callable[[Settings], None] | None = None
    message: str = ""
    at: str = "bots"
    place: Place = Place.MAIN
    entry: str = "go"
    form: dict[str, str] = field(default_factory=dict)
    house: dict[str, Value] = field(default_factory=dict)
    line: int = 0
    choice: Choice | None = None
    rows: tuple[TableRow, ...] = ()
    rows_since: float = 0.0
    moved: bool = False
    wanted: tuple[Wish, TableRow] | None = None

    def __post_init__(self) -> None:
        self.inner.place, self.inner.help = whereabouts.LOBBY, LOBBY_HELP

    # -- what comes in

    def welcome(self, name: str) -> None:
        """The first evening: ask for a name, with that of the account put in, and mark the lesson."""
        self.inner.edit = LineEdit(Purpose.NAME, "Your name, as others see it", name, limit=64)
        self.message = "Welcome! L is a short lesson that you play; K says where you are, on every page."
        self.at, self.moved = "learn", True

    def refresh(self, now: float) -> None:
        """Take the list as it is now. Until a key was pressed, the mark stands on the first table there is."""
        rows = tuple(self.door.rows())
        if [r.key for r in rows] != [r.key for r in self.rows]:
            self.rows_since = now
        self.rows = rows
        keys = [r.key for r in rows]
        known = {*keys, *(m[0] for m in MENU)}
        free = [r.key for r in sorted(rows, key=lambda r: not r.own) if r.joinable]
        if self.at not in known:
            self.at = free[0] if free else "bots"
        elif not self.moved and free and (self.at == "bots" or any(r.own and r.key == free[0] for r in rows)):
            self.at = free[0]

    @property
    def order(self) -> list[str]:
        """Tables, then the menu: what up and down go through."""
        return [*(r.key for r in self.rows), *(m[0] for m in MENU)]

    def matches(self) -> Sequence[Saved]:
        """The saved matches of the open list."""
        some = [s for s in self.saved if s.open] if self.place is Place.RESUME else list(self.saved)
        return some[:SAVED_SHOWN]

    # -- commands

    def do(self, command: str, now: float) -> None:
        """Carry out a command by its name."""
        m = self.inner
        if m.page is not Page.NONE:
            self._page(command, now)
        elif command == "quit" and self.place is Place.MAIN:
            self.choice = Choice(Wish.QUIT)
        elif command in ("keys", "rules"):
            self._menu(command)
        elif self.place is Place.HOST:
            self._form(command, now)
        elif self.place in (Place.REPLAYS, Place.RESUME):
            self._list(command)
        else:
            self._main(command, now)

    def _page(self, command: str, now: float) -> None:
        m = self.inner
        if m.page is Page.SETTINGS and change_setting(m, command, self.save):
            return
        if command in ("escape", "quit", "enter", "keys", "rules", "settings"):
            m.page = Page.NONE
        else:
            scroll_page(m, command)

    def _main(self, command: str, now: float) -> None:
        order = self.order
        at = order.index(self.at) if self.at in order else 0
        match command.split():
            case ["up"]:
                self.at, self.moved = order[(at - 1) % len(order)], True
            case ["down"]:
                self.at, self.moved = order[(at + 1) % len(order)], True
            case ["home"]:
                self.at, self.moved = order[0], True
            case ["end"]:
                self.at, self.moved = order[-1], True
            case ["row", n]:
                if int(n) <= len(self.rows):
                    self._table(self.rows[int(n) - 1], Wish.JOIN, now)
            case ["watch"]:
                row = next((r for r in self.rows if r.key == self.at), None)
                if row is not None:
                    self._table(row, Wish.WATCH, now)
            case ["enter"]:
                row = next((r for r in self.rows if r.key == self.at), None)
                if row is not None:
                    self._table(row, Wish.JOIN, now)
                else:
                    self._menu(self.at)
            case _:
                self._menu(command)

    def _menu(self, command: str) -> None:
        m = self.inner
        match command:
            case "bots":
                self.choice = Choice(Wish.BOTS)
            case "learn":
                self.choice = Choice(Wish.LEARN)
            case "quit":
                self.choice = Choice(Wish.QUIT)
            case "host":
                self.place, self.entry = Place.HOST, "go"
                owner = m.settings.name or "My"
                name = clean_name(f"{owner}'s table") if m.settings.name else "Goat table"
                watch = "yes" if m.settings.watch else "no"
                self.house = {rule.key: rule.default for rule in HOUSE}
                self.form = {"name": name, "bots": "", "code": "", "watch": watch, "hints": "yes"}
            case "address":
                m.edit = LineEdit(Purpose.ADDRESS, "Address of the host (10.0.0.5:4321), and code", limit=260)
            case "replays" | "resume":
                self.place, self.line = Place(command), 0
            case "keys":
                m.page, m.scroll = Page.HELP, 0
            case "rules":
                m.page, m.scroll = Page.RULES, 0
            case "settings":
                m.page, m.option = Page.SETTINGS, 0
            case _:
                pass

    def _table(self, row: TableRow, wish: Wish, now: float) -> None:
        m = self.inner
        self.at, self.moved = row.key, True
        if now - self.rows_since < STILL:
            m.tell("The list has just changed; look again.", now)
        elif not row.version_ok:
            m.tell(f"{row.name} speaks another version ({row.version}): one of you must update goat.", now)
        elif wish is Wish.JOIN and not row.joinable and row.watch:
            why = "All seats are taken" if row.seats_taken >= 4 else "A match is under way"
            m.tell(f"{why} at {row.name}. W watches.", now)
        elif not row.joinable and not (wish is Wish.WATCH and row.watch):
            m.tell(f"{row.name} has no free seat and lets nobody watch.", now)
        elif row.code_needed and not (row.own and wish is Wish.JOIN):  # a seat's key is enough
            self.wanted = (wish, row)
            m.edit = LineEdit(Purpose.CODE, f"Code word of {row.name}", limit=CODE_LIMIT, secret=True)
        else:
            self.choice = Choice(wish, table=row, address=row.address)

    def _form(self, command: str, now: float) -> None:
        m, at = self.inner, FORM.index(self.entry)
        if command in ("escape", "quit"):
            self.place = Place.MAIN
        elif command in ("up", "down"):
            self.entry = FORM[(at + (1 if command == "down" else -1)) % len(FORM)]
        elif command in ("left", "right", "enter") or command.startswith("row "):
            self._change(self.entry, -1 if command == "left" else 1, enter=command == "enter")
        elif command == "host":
            self._change("go", 1, enter=True)
        elif command.startswith("entry "):  # a click: on the marked row it changes what stands there
            again, self.entry = self.entry == command[6:], command[6:]
            if again:
                self._change(self.entry, 1, enter=self.entry in ("go", "name", "code"))
        del m, now

    def _change(self, what: str, by: int, *, enter: bool) -> None:
        m, form = self.inner, self.form
        if what == "go" and enter:
            watch, hints = form["watch"] == "yes", form["hints"] == "yes"
            house = tuple((rule.key, self.house[rule.key]) for rule in HOUSE if self.house[rule.key] != rule.default)
            options = HostOptions(form["name"], form["bots"], form["code"], watch, m.settings.port, hints, house)
            self.choice = Choice(Wish.HOST, host=options)
        elif what == "name" and enter:
            m.edit = LineEdit(Purpose.TABLE, "Table's name", form["name"], limit=64)
        elif what == "bots":
            form["bots"] = FORM_BOTS[(FORM_BOTS.index(form["bots"]) + by) % len(FORM_BOTS)]
        elif what in self.house:
            choices = BY_KEY[what].choices
            self.house[what] = choices[(choices.index(self.house[what]) + by) % len(choices)]
        elif what in ("watch", "hints"):
            form[what] = "no" if form[what] == "yes" else "yes"
        elif what == "code" and enter:
            m.edit = LineEdit(Purpose.CODE, "Code word (empty for none)", form["code"], limit=CODE_LIMIT)
        elif what == "code":
            form["code"] = "" if form["code"] else (self.make_code() if self.make_code is not None else "")

    def _list(self, command: str) -> None:
        some = self.matches()
        if command.startswith("line "):
            again, self.line = self.line == int(command[5:]), min(int(command[5:]), max(0, len(some) - 1))
            command = "enter" if again else ""
        if command in ("escape", "quit"):
            self.place = Place.MAIN
        elif command in ("up", "down"):
            self.line = (self.line + (1 if command == "down" else -1)) % max(1, len(some))
        elif command in ("page up", "page down"):
            self.line = min(max(0, self.line + (10 if command == "page down" else -10)), max(0, len(some) - 1))
        elif command == "host" and some and self.place is Place.RESUME:
            self.choice = Choice(Wish.REOPEN, path=some[self.line].path)
        elif command == "enter" and some:
            wish = Wish.RESUME if self.place is Place.RESUME else Wish.REPLAY
            self.choice = Choice(wish, path=some[self.line].path)

    def typed(self, edit: LineEdit, now: float) -> None:
        """A text field was ended with Enter."""
        m, text = self.inner, edit.text.strip()
        m.edit = None
        if edit.purpose is Purpose.ADDRESS and text:
            where, _, code = text.partition(" ")
            self.choice = Choice(Wish.JOIN, address=where, code=code.strip())
        elif edit.purpose is Purpose.CODE and self.wanted is not None and self.place is Place.MAIN:
            wish, row = self.wanted
            self.wanted = None
            if text:
                self.choice = Choice(wish, table=row, address=row.address, code=text)
        elif edit.purpose is Purpose.CODE and text and (problem := code_problem(text)):
            m.tell(f"{problem}.", now)
        elif edit.purpose is Purpose.CODE:
            self.form["code"] = text
        elif edit.purpose is Purpose.TABLE and text:
            name = clean_name(text, "")
            if name:
                self.form["name"] = name
            else:
                m.tell(NO_NAME, now)
        elif edit.purpose in (Purpose.NAME, Purpose.PORT):
            said = setting_typed(m, edit, self.save)
            if said:
                m.tell(said, now)
