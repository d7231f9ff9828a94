"""The lobby in lines of text: the same choices as the full screen, and the same `Choice` out."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from goat_client.game import rulebook
from goat_client.game.keys import SAME_KEY
from goat_client.game.lobby_model import (
    CODE_LIMIT,
    FORM_BOTS,
    OWN,
    Choice,
    HostOptions,
    Saved,
    TableRow,
    TablesDoor,
    Wish,
)
from goat_client.game.prompts import LINES
from goat_client.lines.plain import LINE_LIMIT
from goat_client.machine.settings import OPTIONS, Settings, SettingsError, glyphs_for, with_setting, yes_or_no
from goat_client.machine.text import ascii_fold, safe
from goat_net.seat.tableview import TableView
from goat_net.wire.text import clean_name

WORDS: Final = {
    "p": "bots", "play": "bots", "bots": "bots", "h": "host", "host": "host", "a": "address", "address": "address",
    "join": "address", "l": "learn", "learn": "learn", "c": "resume", "resume": "resume", "continue": "resume",
    "r": "replays", "replays": "replays", "replay": "replays", "?": "rules", "rules": "rules", "o": "settings",
    "set": "settings", "settings": "settings", "q": "quit", "quit": "quit", "exit": "quit", "w": "watch",
    "watch": "watch", "help": "help", "k": "help", "keys": "help", "tables": "tables", "list": "tables",
}  # fmt: skip
"""What a word of the lobby means."""
HELP: Final = (
    "A number sits down at that table, w 1 watches it. An empty line lists the tables.",
    "play: a table with bots. host NAME: a table of yours; after commas: bots medium, code, no watchers, no hints.",
    "address 10.0.0.5 joins by address. learn: a lesson. rules: all of them. set lists the settings. q quits.",
    "resume lists matches to go on with; resume 1 goes to its table, resume 1 here opens it at yours.",
    "replays lists saved matches; replays 1 steps through one.",
)
"""The words of the lobby."""


class PlainLobby:
    """Turns the list into sentences and lines into a choice; no I/O but ``write``."""

    def __init__(
        self,
        door: TablesDoor,
        settings: Settings,
        write: Callable[[str], None],
        *,
        saved: Sequence[Saved] = (),
        make_code: Callable[[], str] | None = None,
        save: Callable[[Settings], None] | None = None,
    ) -> None:
        self.door, self.settings, self._write = door, settings, write
        self.saved, self._save, self._make_code = saved, save, make_code
        self.rows: tuple[TableRow, ...] = ()
        self.choice: Choice | None = None
        self._told: dict[str, str] = {}
        self._hints: tuple[str, ...] = ()
        self._wanted: tuple[Wish, TableRow] | None = None

    def say(self, text: str) -> None:
        """One line that holds no control character."""
        glyphs = glyphs_for(self.settings)
        shown = safe(glyphs.say(text))
        self._write(ascii_fold(shown) if glyphs.ascii else shown)

    def welcome(self, *, again: bool = False) -> None:
        """Where one is, and the tables. ``again``: the person has been here before in this run."""
        self.say("The lobby." if again else "Goat. A number sits down at that table, play is a table with bots.")
        if not again:
            self.say("help lists the words.")
        self.changed()
        if not self.rows:
            self.say("No table here yet.")

    def changed(self) -> None:
        """Say what is new in the list; numbers of tables that stay do not change."""
        rows = {r.key: r for r in self.door.rows()}
        kept = [rows.pop(r.key) for r in self.rows if r.key in rows]
        gone = [r for r in self.rows if r.key not in {k.key for k in kept}]
        self.rows = (*kept, *rows.values())
        for row in gone:
            self.say(f"{row.name} is gone.")
        for n, row in enumerate(self.rows, 1):
            line = self._row_line(n, row)
            if self._told.get(row.key) != line:
                self._told[row.key] = line
                self.say(line)
        hints = tuple(self.door.hints())
        for hint in hints:
            if hint not in self._hints:
                self.say(hint)
        self._hints = hints

    def _row_line(self, n: int, row: TableRow) -> str:
        state = OWN if row.own and row.version_ok else {"lobby": "open"}.get(row.state, row.state)
        notes = [f"{row.seats_taken} of 4 seats taken", state, row.address]
        notes += ["needs a code word"] if row.code_needed else []
        notes += [f"another version ({row.version})"] if not row.version_ok else []
        return f"{n}: {row.name}, {', '.join(notes)}."

    def line(self, text: str) -> None:
        """Carry out one line."""
        words = safe(text[:LINE_LIMIT]).split()
        if self._wanted is not None:
            wish, row = self._wanted
            self._wanted = None
            if words:
                self.choice = Choice(wish, table=row, address=row.address, code=" ".join(words))
            return
        if not words:
            self._list()
            return
        word, rest = words[0].lower(), words[1:]
        word = "".join(SAME_KEY.get(ch, ch) for ch in word)
        if word.isdecimal():
            self._table(word, Wish.JOIN)
            return
        self._do(WORDS.get(word, ""), rest)

    def _list(self) -> None:
        """All tables, also those that were told before."""
        self._told.clear()
        self.changed()
        if not self.rows:
            self.say("No table here yet.")

    def _do(self, command: str, rest: list[str]) -> None:
        match command:
            case "help":
                for line in HELP:
                    self.say(line)
            case "tables":
                self._list()
            case "bots":
                self.choice = Choice(Wish.BOTS)
            case "learn":
                self.choice = Choice(Wish.LEARN)
            case "quit":
                self.choice = Choice(Wish.QUIT)
            case "watch":
                self._table(rest[0] if rest else "", Wish.WATCH)
            case "host":
                self._host(" ".join(rest))
            case "address" if rest:
                self.choice = Choice(Wish.JOIN, address=rest[0], code=" ".join(rest[1:]))
            case "resume" | "replays":
                self._saved(command, rest)
            case "rules":
                usual = TableView()
                for section in rulebook.SECTIONS:
                    for line in (section.title, *rulebook.lines_of(section, usual, LINES)):
                        self.say(line)
                self.say("A table can choose otherwise; usual is:")
                for line in rulebook.house(usual, LINES):
                    self.say(line)
            case "address":
                self.say("address needs one, as in: address 10.0.0.5")
            case "settings":
                self._set(rest)
            case _:
                self.say("That is no word of the lobby. help lists them.")

    def _table(self, number: str, wish: Wish) -> None:
        row = self.rows[int(number) - 1] if number.isdecimal() and 1 <= int(number) <= len(self.rows) else None
        if row is None:
            self.say("There is no table of that number. An empty line lists them.")
        elif not row.version_ok:
            self.say(f"{row.name} speaks another version ({row.version}): one of you must update goat.")
        elif wish is Wish.JOIN and not row.joinable:
            self.say(f"{row.name} has no free seat now. w {number} watches." if row.watch else f"{row.name} is closed.")
        elif wish is Wish.WATCH and not row.watch:
            self.say(f"{row.name} lets nobody watch.")
        elif row.code_needed and not (row.own and wish is Wish.JOIN):  # a seat's key is enough
            self._wanted = (wish, row)
            self.say(f"The code word of {row.name}? (An empty line goes back.)")
        else:
            self.choice = Choice(wish, table=row, address=row.address)

    def _host(self, text: str) -> None:
        """Open a table: its name, and after commas what is to be otherwise than usual."""
        first, *rest = (part.strip() for part in text.split(","))
        owner = f"{self.settings.name}'s table" if self.settings.name else "Goat table"
        options = HostOptions(clean_name(first or owner), watch=self.settings.watch, port=self.settings.port)
        for part in rest:
            match part.lower().split():
                case []:
                    pass
                case ["bots", level] if level in FORM_BOTS:
                    options = replace(options, bots=level)
                case ["code"] if self._make_code is not None:
                    options = replace(options, code=self._make_code())
                case ["code", _, *_]:
                    options = replace(options, code=" ".join(part.split()[1:])[:CODE_LIMIT])
                case [*no, "watchers"] if no in ([], ["no"]):
                    options = replace(options, watch=not no)
                case [*no, "hints"] if no in ([], ["no"]):
                    options = replace(options, hints=not no)
                case _:
                    self.say(f"{part} can't be asked of a table: bots LEVEL ({', '.join(FORM_BOTS[1:])}), code, code "
                             "WORDS, no watchers, no hints, each after a comma.")  # fmt: skip
                    return
        self.choice = Choice(Wish.HOST, host=options)

    def _saved(self, command: str, rest: list[str]) -> None:
        some = [s for s in self.saved if s.open] if command == "resume" else list(self.saved)
        if rest and rest[0].isdecimal() and 1 <= int(rest[0]) <= len(some):
            wish = Wish.RESUME if command == "resume" else Wish.REPLAY
            wish = Wish.REOPEN if wish is Wish.RESUME and rest[1:] == ["here"] else wish
            self.choice = Choice(wish, path=some[int(rest[0]) - 1].path)
            return
        for line in self._saved_lines(some):
            self.say(line)

    def _saved_lines(self, some: Sequence[Saved]) -> Iterator[str]:
        if not some:
            yield "None yet: every match you play is saved."
        yield from (f"{n}: {one.about}" for n, one in enumerate(some[:20], 1))

    def _set(self, rest: list[str]) -> None:
        if len(rest) < 2:
            for option in OPTIONS:
                self.say(f"{option.key} = {yes_or_no(getattr(self.settings, option.key))}")
            return
        changed, said = with_setting(self.settings, rest[0], " ".join(rest[1:]))
        self.say(said)
        if changed != self.settings:
            self.settings = changed
            try:
                if self._save is not None:
                    self._save(changed)
            except SettingsError as error:
                self.say(str(error))


async def run_plain_lobby(
    tables: TablesDoor,
    settings: Settings,
    *,
    lines: AsyncIterator[str],
    write: Callable[[str], None],
    saved: Sequence[Saved] = (),
    message: str = "",
    again: bool = False,
    make_code: Callable[[], str] | None = None,
    save: Callable[[Settings], None] | None = None,
) -> tuple[Choice, Settings]:
    """Show the lobby by lines until something is chosen; the end of the input is a wish to quit. ``again``: it has been
    shown before in this run, so it is short."""
    lobby = PlainLobby(tables, settings, write, saved=saved, make_code=make_code, save=save)
    if message:
        lobby.say(message)
    lobby.welcome(again=again)
    tables.on_change(lobby.changed)
    while lobby.choice is None:
        try:
            lobby.line(await anext(lines))
        except StopAsyncIteration:
            return Choice(Wish.QUIT), lobby.settings
        await asyncio.sleep(0)
    return lobby.choice, lobby.settings
