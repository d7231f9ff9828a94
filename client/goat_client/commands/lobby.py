"""``goat``: the lobby, and whatever is chosen there, until the person quits."""

import argparse
import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from goat_client.commands.finding import typed_address
from goat_client.commands.host import host
from goat_client.commands.interfaces import add_interface
from goat_client.commands.play import levels_of, play_with_bots
from goat_client.commands.resume import resume
from goat_client.commands.sitting import Person, person, say, settings_path, sit_down
from goat_client.errors import CommandError
from goat_client.game.control import End, Outcome
from goat_client.game.lobby_model import Choice, Saved, TableRow, Wish
from goat_client.machine.child import Launch
from goat_client.machine.settings import PACES
from goat_client.machine.terminal_mode import Mode
from goat_client.saved.matches import match_files, played_in, saved_matches
from goat_client.saved.table_of import table_of
from goat_net.discovery.looking import ask
from goat_net.discovery.own_tables import is_own_table
from goat_net.discovery.remembered import Tables, note_table, read_tables
from goat_net.discovery.watch import LobbyWatch, Row, watch_lobby
from goat_net.log.records import Table
from goat_net.table_options import TableOptions, clock_text
from goat_net.wire.messages import PROTOCOL, ROLE_PLAYER, ROLE_WATCHER
from goat_net.wire.words import new_code, normal_code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    add_interface(parser, "network to look on (all when left out)")
    parser.add_argument("--no-discovery", action="store_true", help="do not look for tables")


OWN_KEPT = 128  # matches that have been looked for among the saved ones: twice as many as a list has tables


class Door:
    """The live list of `goat_net.discovery.watch` as the lobby's screen takes it."""

    def __init__(self, is_own: Callable[[bytes], bool] = lambda match: False) -> None:
        self.watch: LobbyWatch | None = None
        self._is_own = lru_cache(OWN_KEPT)(is_own)
        self._callback: Callable[[], None] | None = None

    def changed(self) -> None:
        """Rows or hints may have changed."""
        if self._callback is not None:
            self._callback()

    def found(self) -> dict[str, Row]:
        """Rows by id."""
        return {} if self.watch is None else {r.id: r for r in self.watch.rows()}

    def rows(self) -> Sequence[TableRow]:
        """Tables to show now."""
        return [
            TableRow(
                r.id,
                r.advert.name or "Table",
                r.advert.seats_taken,
                "" if r.address is None else str(r.address),
                r.round_trip,
                r.compatible,
                f"protocol {r.advert.protocol}, goat {r.advert.program}",
                r.advert.code,
                r.advert.watch,
                r.advert.state,
                bool(r.match) and self._is_own(r.match),
            )
            for r in self.found().values()
            if r.address is not None
        ]

    def hints(self) -> Sequence[str]:
        """What discovery lacks, why nothing is found."""
        return () if self.watch is None else self.watch.hints()

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call back whenever rows or hints may have changed."""
        self._callback = callback


@asynccontextmanager
async def looking(
    args: argparse.Namespace, remembered: Tables = (), is_own: Callable[[bytes], bool] = lambda match: False
) -> AsyncIterator[Door]:
    """A live list inside the block; tables of earlier evenings are asked as well. ``is_own``: whether a match is one of
    this player's, by the id of its first log."""
    door = Door(is_own)
    async with watch_lobby(
        ask,
        PROTOCOL,
        interfaces=list(args.interface) or None,
        discover=not getattr(args, "no_discovery", False),
        remembered=remembered,
        on_change=door.changed,
        is_own=is_own_table,
    ) as watch:
        door.watch = watch
        yield door


async def choose(who: Person, args: argparse.Namespace, message: str) -> tuple[Choice, Row | None]:
    """Show the lobby until something is chosen."""
    def is_own(match: bytes) -> bool:
        return played_in(who.matches, match, who.identity.public)

    async with looking(args, read_tables(known_tables(who)), is_own) as door:
        saved = list_saved(who)

        def make_code() -> str:
            return new_code(os.urandom(8))

        if who.mode is Mode.PLAIN:
            from goat_client.lines.plain_lobby import run_plain_lobby

            again = who.has_typed
            choice, settings = await run_plain_lobby(
                door, who.settings, lines=who.lines(), write=say, saved=saved, message=message, make_code=make_code,
                save=who.save, again=again,
            )  # fmt: skip
        else:
            from goat_client.screen.lobby_screen import run_lobby

            choice, settings = await run_lobby(
                door,
                who.settings,
                saved=saved,
                message=message,
                make_code=make_code,
                save=who.save,
                first=first_name(who),
            )
        who.settings = settings
        return choice, door.found().get(choice.table.key) if choice.table is not None else None


def first_name(who: Person) -> str:
    """The name to offer to somebody who has never chosen one and never played here; "" for everybody else."""
    return "" if who.settings.name or settings_path().exists() or match_files(who.folder.parent) else who.name


def known_tables(who: Person) -> Path:
    """The file of tables that this account has joined."""
    return who.folder.parent / "tables.json"


def list_saved(who: Person) -> list[Saved]:
    """Saved matches, newest first."""
    return [Saved(m.path, m.about, m.open) for m in saved_matches(who.folder.parent)]


async def carry_out(who: Person, choice: Choice, row: Row | None, args: argparse.Namespace) -> Outcome:
    """Do what was chosen."""
    match choice.wish:
        case Wish.JOIN | Wish.WATCH:
            watch = choice.wish is Wish.WATCH
            role, seat = (ROLE_WATCHER, None) if watch else (ROLE_PLAYER, 4)
            code = choice.code or None
            if row is not None:
                note_table(known_tables(who), row.id, row.addresses)
                return await sit_down(who, row.addresses, seat=seat, role=role, code=code, fingerprint=row.id)
            address = typed_address(choice.address)
            if address is None:
                raise CommandError(f"{choice.address} is no address: write it as in 10.0.0.5:4321", 2)
            return await sit_down(who, (address,), seat=seat, role=role, code=code)
        case Wish.HOST:
            assert choice.host is not None
            options = choice.host
            bots = [options.bots] * 3 if options.bots else []
            opened = TableOptions(
                name=options.name, port=options.port, watch=options.watch, hints=options.hints,
                interface=tuple(args.interface), discovery=not args.no_discovery, pace=PACES[who.settings.pace],
            )  # fmt: skip
            opened = replace(opened, **cast("dict[str, Any]", dict(options.house)))
            return await host(who, Launch(opened, normal_code(options.code) if options.code else None), bots)
        case Wish.REOPEN:
            assert choice.path is not None
            return await reopen(who, choice.path, args)
        case Wish.BOTS:
            return await play_with_bots(who, levels_of(who.settings.level), "expert")
        case Wish.LEARN:
            from goat_client.commands.learn import lesson

            lines = who.lines() if who.mode is Mode.PLAIN else None
            outcome = await lesson(who.settings, who.mode, lines=lines)
            return await play_with_bots(who, ["easy"], "easy") if outcome.end is End.BOTS else outcome
        case Wish.REPLAY:
            return left(await show_replay(who, choice.path))
        case Wish.RESUME:
            assert choice.path is not None
            if alone_with_bots(table_of(choice.path), who.identity.public):
                return await reopen(who, choice.path, args, alone=True)  # nobody else can have its table open
            return await resume(who, choice.path, args.interface)
    raise CommandError(f"{choice.wish} is not in this version", 2)


def alone_with_bots(table: Table, key: bytes) -> bool:
    """Whether this player hosted the match and nobody but bots sat there."""
    people = [seat for seat, entry in enumerate(table.seats) if not entry.bot]
    return people == [table.owner] and table.seats[table.owner].key == key


async def reopen(who: Person, path: Path, args: argparse.Namespace, *, alone: bool = False) -> Outcome:
    """Go on with a saved match at a table of one's own; ``alone``: on this machine only, as it was."""
    table = table_of(path)
    settings = table.settings
    opened = TableOptions(
        name=table.name, watch=settings.watch, hints=settings.hints, grace=settings.grace,
        clock=clock_text(settings.clock_base, settings.clock_more),
        interface=("127.0.0.1",) if alone else tuple(args.interface),
        discovery=not (alone or args.no_discovery), pace=PACES[who.settings.pace],
    )  # fmt: skip
    return await host(who, Launch(opened, resume=str(path)), [])


def left(code: int) -> Outcome:
    """A screen that was left, by its exit code."""
    return Outcome(End.LEFT, signal=code - 128 if code > 128 else 0)


async def show_replay(who: Person, path: Path | None) -> int:
    """Step through a saved match."""
    from goat_client.commands.replay import show, step_by_lines
    from goat_client.saved.matchfile import MatchFileError, open_match
    from goat_client.saved.replay import ReplayModel

    try:
        model = ReplayModel(open_match(str(path)), who.settings)
    except MatchFileError as error:
        raise CommandError(str(error), 2) from error
    if who.mode is Mode.PLAIN:
        await step_by_lines(model, who.lines())
        return 0
    return await show(model)


async def visit(who: Person, args: argparse.Namespace) -> int:
    """The lobby again and again until the person quits."""
    message = ""
    while True:
        choice, row = await choose(who, args, message)
        if choice.wish is Wish.QUIT:
            return 128 + choice.signal if choice.signal else 0
        try:
            outcome = await carry_out(who, choice, row, args)
        except CommandError as error:
            message = str(error)
            continue
        message = outcome.message
        if outcome.signal:
            return 128 + outcome.signal
        if outcome.end is End.QUIT:
            return 0


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    with person(args) as who:
        return asyncio.run(visit(who, args))
