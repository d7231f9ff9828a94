"""What runs in the table's process: server, journal, advertising, bots. It prints one line of JSON when it is ready."""

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from goat_engine.rules import Rules, Seat
from goat_host.bot_process import BotsProcess, read_lines
from goat_host.keep import Broken, Journals, ResumeError, Started, find_broken, newest_broken
from goat_host.launch import Launch
from goat_host.listen import ListenError
from goat_host.ports import StatusInfo
from goat_host.room import TableSetup
from goat_host.server import Server
from goat_host.sweep import sweep
from goat_host.table import Table
from goat_net.discovery.interfaces import addresses_of, local_interfaces
from goat_net.discovery.own_tables import known_here
from goat_net.files import shown
from goat_net.folders import FolderError, data_dir, private_folder
from goat_net.log.chain import ChainError
from goat_net.log.fold import Fold
from goat_net.log.records import Settings
from goat_net.logs import log_to
from goat_net.seat import seeded
from goat_net.table_options import TableOptions
from goat_net.version import program_version
from goat_net.wire.address import USUAL_PORT
from goat_net.wire.identity import Identity, IdentityError, table_id
from goat_net.wire.messages import PROTOCOL
from goat_net.wire.notices import Saying, notice
from goat_net.wire.text import clean_name

log = logging.getLogger(__name__)

NEWEST: Final = "-"  # --resume without a file: the table that was broken off last
CLOSED: Final = notice(Saying.HOST_CLOSED)


class BotKeys:
    """The keys of this machine's own bots, one a seat: in ``keep``, where its bots find them, or in memory when the
    disk fails. With ``seed`` they follow from it."""

    def __init__(self, keep: Path, seed: bytes) -> None:
        self._keep, self._seed = keep, seed
        self._unsaved: dict[Seat, bytes] = {}

    def secret(self, seat: Seat) -> bytes:
        """The bytes of a key that no file holds, else empty."""
        return self._unsaved.get(seat, b"")

    def public(self, seat: Seat) -> bytes:
        """The public key of a seat's bot; it is made when there is none."""
        if self._seed and seat not in self._unsaved:
            return seeded.identity(self._seed, f"bot/{seat}").public
        if seat not in self._unsaved:
            try:
                return Identity.load_or_create(private_folder(self._keep / f"seat-{seat}") / "bot.key").public
            except (FolderError, IdentityError) as error:
                log.warning("bot on seat %d: %s", seat, error)
                self._unsaved[seat] = os.urandom(32)
        return Identity.from_seed(self._unsaved[seat]).public

    def renew(self, seat: Seat) -> None:
        """Another key, in memory: the one that there is was caught twice in this match, so no log has it on a seat."""
        self._unsaved[seat] = os.urandom(32)

    def known(self, seat: Seat) -> bytes:
        """`public`, or empty when this machine has run no bot on this seat."""
        there = self._seed or seat in self._unsaved or (self._keep / f"seat-{seat}" / "bot.key").exists()
        return self.public(seat) if there else b""


class Outside:
    """What the table wants done outside of its connections (`server.Effects`)."""

    def __init__(self, bots: BotsProcess, keys: BotKeys, journals: Journals, table: Table) -> None:
        self.bots, self.keys, self.journals, self.table = bots, keys, journals, table
        self._told = False
        self.on_status: Callable[[StatusInfo], None] = lambda status: None

    def start_bot(self, seat: int, level: str) -> None:
        """Have a bot sit down. The table knows its key before: no other bot has that seat."""
        if self.table.is_out(self.keys.public(seat)):
            self.keys.renew(seat)
        self.table.expect_bot(seat, self.keys.public(seat))
        self.bots.sit(seat, level, self.keys.secret(seat))

    def stop_bot(self, seat: int) -> None:
        """Have a bot go."""
        self.bots.stop(seat)

    def journal(self, log_id: bytes, data: bytes, sync: bool) -> None:
        """Write down before anything is sent; when that fails everybody is told, once, and the match goes on."""
        self.journals.write(log_id, data, sync)
        if self.journals.problem and not self._told:
            self._told = True
            self.table.people.tell(Saying.NOT_WRITTEN)

    def advertise(self, status: StatusInfo) -> None:
        """Tell the network."""
        self.on_status(status)


@dataclass(frozen=True, slots=True)
class Plan:
    """A table to run: with which options, where, and the log it goes on with."""

    table: Table
    options: TableOptions
    port: int
    code: str | None
    journals: Path
    broken: Broken | None = None

    @property
    def own(self) -> bool:
        """Whether it goes on with its own journal."""
        return self.broken is not None and self.broken.started is not None

    @property
    def seed(self) -> bytes:
        """The seed of a test or demo, or empty."""
        return seeded.seed_bytes(self.options.seed)


def setup_of(options: TableOptions, code: str | None) -> TableSetup:
    """What a table is made with, as the options say."""
    seed = seeded.seed_bytes(options.seed)
    settings = Settings(options.grace, *options.clock_seconds, options.watch, options.hints, seed)
    rules = Rules(options.target, options.eggs_double, options.yield_time)
    name, owner = clean_name(options.name, "Goat table"), bytes.fromhex(options.owner)
    return TableSetup(name, program_version(), rules, settings, code is not None, owner, options.bots)


def make_table(options: TableOptions, code: str | None) -> Table:
    """A new table as the options say."""
    seed = seeded.seed_bytes(options.seed)
    return Table(seeded.identity(seed, "table"), setup_of(options, code), seeded.entropy(seed, "table entropy"))


def make_plan(launch: Launch) -> Plan:
    """The table as it was launched. Raises ResumeError."""
    options, code = launch.options, launch.code
    journals = Path(launch.journals) if launch.journals else data_dir() / "journals"
    if not launch.resume:
        return Plan(make_table(options, code), options, options.port, code, journals)
    broken = newest_broken(journals) if launch.resume == NEWEST else find_broken(Path(launch.resume), journals)
    try:
        if broken.started is not None:
            return go_on(broken, broken.started)
        return go_on_elsewhere(broken, options, code, journals)
    except (ChainError, LookupError) as error:
        raise ResumeError(f"{shown(broken.path.name)} cannot be gone on with: {error}") from error


def go_on(broken: Broken, started: Started) -> Plan:
    """This machine's own table again: same key, same log, same port if it is free."""
    options, setup = started.options, setup_of(started.options, started.code)
    seed = seeded.seed_bytes(options.seed)
    identity = broken.identity or seeded.identity(seed, "table")
    if broken.entries:
        entropy = seeded.entropy(seed, f"table entropy {len(broken.entries)}")
        table = Table.from_journal(identity, setup, entropy, broken.entries)
    else:  # it had not begun a match
        table = Table(identity, setup, seeded.entropy(seed, "table entropy"))
    return Plan(table, options, started.port, started.code, broken.path.parent, broken)


def go_on_elsewhere(broken: Broken, options: TableOptions, code: str | None, journals: Path) -> Plan:
    """Another table's match with its score, from a player's saved log: a new key, a new log, the deal void (R25)."""
    fold = Fold()
    for entry in broken.entries:
        fold.take(entry)
    record = fold.table
    assert record is not None
    if fold.match is not None and fold.match.goat is not None:
        raise LookupError("this match is over; there is nothing to go on with")
    setup = setup_of(options, code)
    alone = all(seat.bot for seat in record.seats)  # bots alone had no need of the time (R17)
    rules = Rules(record.target, record.eggs_double, setup.rules.yield_time if alone else record.yield_time)
    seed = seeded.seed_bytes(options.seed)
    entropy = seeded.entropy(seed, "table entropy")
    # As it was agreed, or everybody is asked; a table without hints stays one. Who may watch is the new host's affair.
    watch, hints = setup.settings.watch, setup.settings.hints and record.settings.hints
    settings = replace(record.settings, watch=watch, hints=hints, seed=setup.settings.seed)
    setup = replace(setup, name=record.name, rules=rules, settings=settings)
    table = Table(seeded.identity(seed, "table"), setup, entropy)
    table.carry_on(fold)
    return Plan(table, options, options.port, code, journals, broken)


def listening_on(options: TableOptions) -> tuple[str, ...]:
    """Numeric addresses to listen on; () for all. Raises InterfaceError."""
    return addresses_of(options.interface, local_interfaces()) if options.interface else ()


def open_server(plan: Plan, outside: "Outside") -> Server:
    """The server; a table that goes on takes its old port if that is free. Raises ListenError."""
    table = plan.table

    def at(port: int) -> Server:
        return Server(
            table,
            table.identity,
            outside,
            program=table.setup.program,
            code=plan.code,
            addresses=listening_on(plan.options),
            port=port,
        )

    # A table of one interface, or one that is not announced, is somebody's own affair: any port will do.
    usual = not plan.port and not plan.options.interface and plan.options.discovery
    try:
        return at(USUAL_PORT if usual else plan.port)
    except ListenError:
        if not usual and (not plan.own or not plan.port):
            raise
        return at(0)


def own_bots(table: Table, keys: BotKeys) -> list[Seat]:
    """Seats of the log that this machine's own bots hold."""
    entries = table.fold.seats if table.fold is not None else ()
    return [seat for seat, entry in enumerate(entries) if entry.bot and entry.key == keys.known(seat)]


async def serve(plan: Plan, bots: BotsProcess, *, child: bool = False) -> int:
    """Run the table until it is told to go; the exit code."""
    table, options = plan.table, plan.options
    loop = asyncio.get_running_loop()
    journals = Journals(plan.journals, plan.broken.lock if plan.broken is not None else None)
    keep = journals.bots_folder(table.identity)
    keys = BotKeys(keep, plan.seed)
    outside = Outside(bots, keys, journals, table)
    server = open_server(plan, outside)
    sweep(journals.folder, time.time())
    near = next(iter(listening_on(options)), "127.0.0.1")
    where = f"[{near}]:{server.port}" if ":" in near else f"{near}:{server.port}"
    bots.play_as(options.pace, options.operator, options.seed)
    bots.at(where, table.identity.public, keep, plan.code)
    bots.when_it_ends(lambda: loop.call_soon_threadsafe(bots.revive))
    journals.keep(table.identity, Started(options, server.port, plan.code), key=not plan.seed)
    if plan.own and table.fold is not None:
        assert plan.broken is not None
        journals.go_on(plan.broken)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name) and sys.platform != "win32":
            loop.add_signal_handler(getattr(signal, name), server.stop, CLOSED)
    if child:
        _watch_parent(loop, server)
    try:
        async with AsyncExitStack() as stack:
            if options.discovery:
                id_ = table_id(table.identity.public)
                stack.enter_context(known_here(id_, server.port, journals.folder, time.time()))
                await _advertise(stack, table, outside, server.port, list(options.interface))
            _say_ready(plan, server, where, child=child)
            if options.fill and table.fold is None:
                table.fill()
            table.call_bots_back(own_bots(table, keys))
            await server.run()
    finally:
        if table.is_finished:
            journals.forget(table.identity)
        journals.close()
    return 0


def _watch_parent(loop: asyncio.AbstractEventLoop, server: Server) -> None:
    """End in good order when the program that started this one says so. When it is gone without a word, go as
    suddenly: the guests then wait for the table to be resumed, instead of being told that it is closed."""

    def line(text: str | None) -> None:
        if text is None:
            loop.call_soon_threadsafe(server.cut)
        elif text.strip() == "close":
            loop.call_soon_threadsafe(server.stop, CLOSED)

    read_lines(line)


async def _advertise(stack: AsyncExitStack, table: Table, outside: Outside, port: int, interfaces: list[str]) -> None:
    from goat_net.discovery.advert import STATES, TableAdvert, version_of
    from goat_net.discovery.mdns import advertising

    def advert(status: StatusInfo) -> TableAdvert:
        return TableAdvert(
            protocol=PROTOCOL,
            program=version_of(table.setup.program),
            id=table_id(table.identity.public),
            name=status.name,
            seats_taken=status.taken,
            watch=status.watch,
            code=status.code,
            state=STATES[status.state],
        )

    advertiser = await stack.enter_async_context(advertising(advert(table.status()), port, interfaces or None))
    outside.on_status = lambda status: advertiser.update(advert(status))


def _say_ready(plan: Plan, server: Server, where: str, *, child: bool) -> None:
    table = plan.table
    line = {
        "ready": True,
        "resumed": plan.own,
        "carried": bool(table.carried),
        "port": server.port,
        "address": where,
        "table": table.identity.public.hex(),
        "name": table.setup.name,
        "listens": list(server.addresses),
    }
    if plan.own and child:
        line["code"] = plan.code  # to the parent's pipe: its player must prove it like everybody
    print(json.dumps(line, ensure_ascii=False), flush=True)  # noqa: T201 - the machine-readable ready line


def run_table(launch: Launch, bots: BotsProcess) -> int:
    """Run the table; returns the exit code."""
    log_to(launch.log_file, logging.INFO)
    return asyncio.run(serve(make_plan(launch), bots, child=launch.child))
