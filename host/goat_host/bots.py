"""Bots at a table: ordinary players, all in one process of their own, never in the relay's or the screen's.

``python -m goat_host.bots`` is started by the table and told on its standard input where the table is and whom to
seat (one JSON object a line, `take_orders`); the end of its input ends it. With ``--sit SEAT:LEVEL``
it seats bots by itself and stays until the table is gone: that is what ``goat bot`` runs on another machine.
"""

import argparse
import asyncio
import json
import logging
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from goat_engine.actions import Action
from goat_engine.bots import LEVELS, choose
from goat_engine.rules import SEATS
from goat_engine.view import SeatView
from goat_host.bot_news import news
from goat_host.bot_process import read_lines
from goat_net.discovery.looking import Refresh, looking_again
from goat_net.exits import PersonError, ended, tell
from goat_net.files import shown
from goat_net.folders import FolderError, hold, private_folder
from goat_net.logs import log_to
from goat_net.seat import seeded
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.tableview import TableView
from goat_net.version import program_version
from goat_net.wire.address import Address, parse_address
from goat_net.wire.identity import Identity, IdentityError
from goat_net.wire.link import LOST, Closed
from goat_net.wire.messages import LEFT, ROLE_BOT
from goat_net.wire.text import clean
from goat_net.wire.wall import wall

log = logging.getLogger(__name__)

PACE: Final = (0.6, 1.2)  # s a bot takes for any move, forced ones too: its pace must tell nothing of its cards
BREEDS: Final = ("Saanen", "Alpine", "Nubian", "Angora", "Boer", "Pygmy", "Toggen", "LaMancha")  # of goats
MAX_BOTS: Final = 4
LINE_MOST: Final = 400  # characters of a line that is printed: what peers say of themselves is shorter
# s that a bot waits for its folder: the process before this one lets go when its input ends, at once or killed
# (`bot_process.STOP_BOTS`), and a bot that is put on its seat anew waits for itself to go.
HELD_WITHIN: Final = 10.0
HELD_LOOK: Final = 0.1  # s between two looks
RETRY_FOR: Final = 300.0  # s a bot tries to come back to a table that went: a host that is started again finds it


def bot_name(seat: int) -> str:
    """A name for a bot, by its seat."""
    return BREEDS[seat % len(BREEDS)]


def brain_of(level: str, rng: random.Random) -> Callable[[SeatView], Action]:
    """What chooses for a bot of this level."""
    return lambda view: choose(view, rng, level)


@dataclass(frozen=True, eq=False)
class Coming:
    """A bot that waits for its folder."""

    level: str


class HeldError(Exception):
    """Another process plays this bot; the text says so."""


class BotHall:
    """The bots of one table in this process."""

    def __init__(self, where: Address, table_key: bytes | None, operator: Identity | None, options: argparse.Namespace):
        self.where, self.table_key, self.operator = where, table_key, operator
        self.seed: bytes = seeded.seed_bytes(options.seed)
        self.pace: float = options.pace
        self.folder = Path(options.save) if options.save else None
        self.code: str | None = None
        self.keep: Path | None = None  # where bots keep key and log, so that they come back after they were killed
        self.sessions: dict[int, TableSession] = {}
        self.coming: dict[int, Coming] = {}  # by seat: who waits for its folder
        self.closed = False  # nobody sits down any more
        self.ends: list[Closed] = []
        self.refresh: Refresh | None = None  # a bot of another machine looks for its table again, as people do
        self.tell: Callable[[str], None] | None = None  # where somebody reads what becomes of the bots

    def session(self, seat: int, level: str, secret: bytes = b"") -> TableSession:
        """A bot's seat at the table, not yet run."""
        rng = random.Random(f"{self.seed.hex()}/{seat}") if self.seed else random.Random()
        low, high = (self.pace * PACE[0], self.pace * PACE[1])
        folder, identity = (None, Identity.from_seed(secret)) if secret else self._kept(seat)
        setup = SeatSetup(
            bot_name(seat),
            program_version(),
            ROLE_BOT,
            seat,
            code=self.code,
            level=level,
            operator=self.operator,
            table_key=self.table_key,
            folder=folder,
            eager=True,
            brain=brain_of(level, rng),
            pace=(lambda: random.uniform(low, high)) if self.pace else None,
        )
        entropy = seeded.entropy(self.seed, f"bot entropy/{seat}")
        return TableSession(
            identity, setup, (self.where,), entropy=entropy, retry_for=RETRY_FOR, refresh=self.refresh
        )

    def _kept(self, seat: int) -> tuple[Path | None, Identity]:
        """Folder and key with which a bot comes back after it was killed. On a disk that fails it plays without."""
        if self.keep is not None:
            try:
                folder = private_folder(self.keep / f"seat-{seat}")
                if not self.seed:
                    return folder, Identity.load_or_create(folder / "bot.key")
                return folder, seeded.identity(self.seed, f"bot/{seat}")
            except (FolderError, IdentityError) as error:
                log.warning("bot on seat %d: %s", seat, error)
        return self.folder, seeded.identity(self.seed, f"bot/{seat}")

    async def sit(self, seat: int, level: str, secret: bytes = b"") -> None:
        """Play on this seat until the table or the seat is gone. What the bot keeps has one writer, and a lock."""
        mine = self.coming[seat] = Coming(level)
        lock = None
        try:
            if self.keep is not None and not secret:
                lock = await self._held(self.keep / f"seat-{seat}", seat, mine)
            wanted = not self.closed and self.coming.get(seat) is mine
        except HeldError as error:
            self.ends.append(Closed(LOST, str(error)))
            log.warning("%s", error)
            return
        finally:
            if self.coming.get(seat) is mine:
                del self.coming[seat]
        try:
            if wanted:
                await self._play(seat, level, secret)
        finally:
            if lock is not None:
                lock.close()

    async def _held(self, folder: Path, seat: int, mine: "Coming") -> IO[bytes] | None:
        """The lock of a bot's folder; None when the bot is not wanted any more, or where the disk has no lock: there it
        plays without. Raises HeldError when another process has it for long."""
        loop = asyncio.get_running_loop()
        until = loop.time() + HELD_WITHIN
        while not self.closed and self.coming.get(seat) is mine:
            try:
                lock = hold(private_folder(folder) / "lock")
            except FolderError as error:
                log.warning("bot on seat %d: %s", seat, error)
                return None
            if lock is not None:
                return lock
            if loop.time() >= until:
                raise HeldError(f"bot on seat {seat}: another process plays it from {shown(folder)}")
            await asyncio.sleep(HELD_LOOK)
        return None

    async def _play(self, seat: int, level: str, secret: bytes) -> None:
        session = self.session(seat, level, secret)
        self.sessions[seat] = session
        if self.tell is not None:
            self._report(session, self.tell)
        end = Closed(LOST, "a fault of this program has ended this bot")
        with wall(f"the bot on seat {seat}"):
            end = await session.run()
        self.ends.append(end)
        if self.sessions.get(seat) is session:
            del self.sessions[seat]
        if end.reason != LEFT:
            log.info("bot on seat %d is gone: %s", seat, end.text)

    def _report(self, session: TableSession, tell: Callable[[str], None]) -> None:
        """Tell of this bot from now on."""
        seen = TableView()

        def changed(view: TableView) -> None:
            nonlocal seen
            old, seen = seen, view
            name = session.setup.name if view.me is None else view.seats[view.me].name
            for line in news(old, view, name, session.setup.level):
                tell(line)

        session.on_change(changed)

    def sits(self, seat: int, level: str) -> bool:
        """Whether a bot of this level is on its seat, or on its way back to it."""
        coming, session = self.coming.get(seat), self.sessions.get(seat)
        if coming is not None:
            return coming.level == level
        return session is not None and session.setup.level == level and session.end is None

    async def stop(self, seat: int) -> None:
        """Take a bot off its seat. It signs no goodbye: the table may only be gone for a moment."""
        self.coming.pop(seat, None)
        session = self.sessions.pop(seat, None)
        if session is not None:
            session.hang_up()

    async def close(self) -> None:
        """Take all off, also those whose orders have just come."""
        self.closed = True
        for seat in list(self.sessions):
            await self.stop(seat)


def order_of(line: str) -> dict[str, Any]:
    """A line of orders, or an empty one when it makes no sense."""
    try:
        order = json.loads(line)
    except ValueError:
        return {}
    return order if isinstance(order, dict) else {}


async def take_orders(hall: BotHall) -> None:
    """Seat and stop bots as the table says, until its end of the pipe closes. ``at`` says where the table is, ``sit``
    and ``stop`` name a seat (`goat_host.bot_process`)."""
    orders: asyncio.Queue[str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def put(line: str | None) -> None:
        loop.call_soon_threadsafe(orders.put_nowait, line)

    read_lines(put)
    async with asyncio.TaskGroup() as group:
        while (line := await orders.get()) is not None:
            match order_of(line):
                case {"order": "at", "where": str(where), "table": str(key), "keep": str(keep), "code": code}:
                    hall.where, hall.table_key, hall.keep = parse_address(where, 0), bytes.fromhex(key), Path(keep)
                    hall.code = None if code is None else str(code)
                case {"order": "sit", "seat": int(seat), "level": str(level), "secret": str(secret)} if (
                    level in LEVELS and seat in SEATS and len(hall.sessions) < MAX_BOTS
                ):
                    if hall.sits(seat, level):
                        continue  # its line broke; it comes back by itself
                    await hall.stop(seat)
                    group.create_task(hall.sit(seat, level, bytes.fromhex(secret)))
                case {"order": "stop", "seat": int(seat)} if seat in SEATS:
                    await hall.stop(seat)
                case _:
                    log.warning("not an order for bots: %.40r", line)  # it may hold a code
        await hall.close()


def print_line(text: str) -> None:
    """One line for the person who runs the command."""
    print(clean(text, LINE_MOST), flush=True)  # noqa: T201 - a command's word to its person


async def stay(hall: BotHall, wanted: list[tuple[int, str]], interfaces: Sequence[str] = ()) -> int:
    """Seat these bots and stay until the table is gone; the exit code. What becomes of them is printed."""
    hall.tell = print_line
    hall.refresh = looking_again(interfaces)
    async with asyncio.TaskGroup() as group:
        for seat, level in wanted:
            group.create_task(hall.sit(seat, level))
    for end in hall.ends:
        if end.reason != LEFT and end.by_peer:
            print_line(end.text or "The table is closed.")
    bad = [e for e in hall.ends if e.reason != LEFT and not e.by_peer]
    for end in bad:
        tell(end.text)
    return 1 if bad else 0


def parser() -> argparse.ArgumentParser:
    """Arguments of the bots' process."""
    out = argparse.ArgumentParser(prog="goat bot", description="Bots that sit down at a table.")
    out.add_argument("--at", default="", metavar="HOST:PORT", help="where the table is; else its input says so")
    out.add_argument("--table", default="", metavar="HEX", help="the table's key; another table is not joined")
    out.add_argument("--interface", action="append", default=[], help="where to look for a table that has moved")
    out.add_argument("--operator", default="", metavar="FILE", help="key file of the player who runs these bots")
    out.add_argument("--pace", type=float, default=1.0, help="how long they think: 1 is 0.6 to 1.2 s, 0 not at all")
    out.add_argument("--save", default="", metavar="DIR", help="where their matches are saved")
    out.add_argument("--seed", default="", help="for tests and demos only: makes keys and choices repeatable")
    out.add_argument("--code-stdin", action="store_true", help="read the table's code from the first line of input")
    out.add_argument("--sit", action="append", default=[], metavar="SEAT:LEVEL", help="seat this bot and stay")
    return out


def main(argv: list[str] | None = None) -> int:
    """Run bots; returns the exit code."""
    return ended(lambda: _run(argv))


def _run(argv: list[str] | None) -> int:
    options = parser().parse_args(argv)
    log_to("", logging.WARNING)
    try:
        where = parse_address(options.at, 0) if options.at else Address("", 0)
        operator = Identity.load(Path(options.operator)) if options.operator else None
        wanted = [(int(seat), level) for seat, _, level in (s.partition(":") for s in options.sit)]
        table_key = bytes.fromhex(options.table) or None
    except FileNotFoundError:
        raise PersonError(f"There is no key in {options.operator}: name another file with --operator") from None
    except ValueError as error:
        raise PersonError(str(error)) from error
    hall = BotHall(where, table_key, operator, options)
    if options.code_stdin:
        hall.code = sys.stdin.readline().strip()
    return asyncio.run(stay(hall, wanted, options.interface)) if wanted else asyncio.run(take_orders(hall)) or 0


if __name__ == "__main__":
    sys.exit(main())
