"""A table on loopback with its server, and sessions at it, all in the test's own loop."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from goat_host.ports import StatusInfo
from goat_host.server import Server
from goat_host.table import Table, TableSetup

from goat_engine.bots import choose
from goat_engine.rules import Rules
from goat_net.log.records import Settings
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.wire.address import Address
from goat_net.wire.identity import Identity
from goat_net.wire.messages import ROLE_BOT, ROLE_PLAYER, ROLE_WATCHER
from tests.patience import PATIENCE


class Room:
    """See the module. Bots that the table asks for sit down as sessions of the room. ``target``: so high that no match
    ends before a test has seen what it is about, whatever the cards."""

    def __init__(
        self, group: asyncio.TaskGroup, seed: int, *, grace: int = 180, table: type[Table] = Table, target: int = 99
    ) -> None:
        self.group, self.seed = group, seed
        self.folder: Path | None = None
        self.identities = [Identity.from_seed(random.Random(f"{seed}/{i}").randbytes(32)) for i in range(8)]
        setup = TableSetup(
            "Room", "test", Rules(target, yield_time=50), Settings(grace, 0, 0, True, True, b""),
            owner=self.identities[0].public, bot_levels=("medium",),
        )  # fmt: skip
        self.table = table(Identity.from_seed(random.Random(f"{seed}/t").randbytes(32)), setup, random.randbytes)
        self.sessions: list[TableSession] = []
        self.tasks: dict[TableSession, asyncio.Task[Any]] = {}
        self.server = self.new_server(0)
        self.serving = group.create_task(self.server.run())

    def new_server(self, port: int) -> Server:
        return Server(self.table, self.table.identity, self, program="test", addresses=["127.0.0.1"], port=port)

    # What the table wants done (`goat_host.server.Effects`)

    def start_bot(self, seat: int, level: str) -> None:
        setup = SeatSetup(f"Bot {seat}", "test", ROLE_BOT, seat, level=level, eager=True, brain=self.brain())
        identity = Identity.new()
        self.table.expect_bot(seat, identity.public)
        self.add(identity, setup)

    def stop_bot(self, seat: int) -> None:
        """Its connection is closed by the table."""

    def journal(self, log_id: bytes, data: bytes, sync: bool) -> None:
        """Kept nowhere: the tests of `--resume` run processes."""

    def advertise(self, status: StatusInfo) -> None:
        """Nobody looks for it."""

    # Sessions

    def brain(self) -> Callable[[Any], Any]:
        rng = random.Random(f"{self.seed}/{len(self.sessions)}")
        return lambda view: choose(view, rng, "medium")

    def add(self, identity: Identity, setup: SeatSetup) -> TableSession:
        session = TableSession(identity, setup, (Address("127.0.0.1", self.server.port),), retry_for=PATIENCE)
        self.sessions.append(session)
        self.tasks[session] = self.group.create_task(session.run())
        return session

    def sit(
        self, seat: int, name: str = "", *, plays: bool = True, role: int = ROLE_PLAYER, who: int = -1
    ) -> TableSession:
        """A person on this seat, who plays at once and is always ready; or one who does nothing."""
        setup = SeatSetup(
            name or f"P{seat}", "test", role, None if role == ROLE_WATCHER else seat, eager=plays,
            brain=self.brain() if plays else None, folder=self.folder and self.folder / f"seat-{seat}",
        )  # fmt: skip
        return self.add(self.identities[seat if who < 0 else who], setup)

    async def until(self, what: Callable[[], Any]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(PATIENCE):
            while not what():
                await asyncio.sleep(0.005)

    async def late(self, seat: int) -> None:
        """Wait until this seat owes something, and let its grace time be over now: honest seats are not hurried.

        The clocks of all move in one step, once all have read as much of the log as the table, and nothing of the
        seat's is on its way any more: on a busy machine a clock that moved before the last record came in would begin
        anew with it, and no vote would ever open.
        """
        await self.until(lambda: seat in self.table.debts.owed_since and not self.on_its_way(seat)
                         and all(self.waits(s, seat) for s in self.sessions))  # fmt: skip
        past = self.table.setup.settings.grace + 1
        self.table.debts.owed_since[seat] -= past
        for session in self.sessions:  # their own clocks say so too
            if session.chair.waiting.since.get(seat) is not None:
                session.chair.waiting.since[seat] -= past
        self.server._carry()  # the clock looks again

    def waits(self, session: TableSession, seat: int) -> bool:
        """Whether this session knows that the table waits for a seat, in the log as it is now; or it has no part in
        that: it is gone, does not play yet, or has the seat itself."""
        player, log = session.player, self.table.fold
        if self.tasks[session].done() or player is None or player.seat == seat or log is None:
            return True
        read_all = player.fold.id == log.id and len(player.fold.chain) == len(log.chain)
        return read_all and seat in session.chair.waiting.since and not session.chair.direct.holds(seat)

    def on_its_way(self, seat: int) -> bool:
        """Whether something of a player who has hung up may still come in by the line that they had."""
        gone = {s.player.fold.seats[seat].key for s in self.sessions
                if self.tasks[s].done() and s.player is not None and s.player.seat == seat}  # fmt: skip
        return any(guest.hello.key in gone for guest in self.table.people.guests.values())

    async def proven(self, session: TableSession, seat: int) -> None:
        """Wait until a line of this session to a seat has worked."""
        await self.until(lambda: session.chair.direct.dials.has_worked(self.identities[seat].public))

    async def begin(self, *seats: int, silent: tuple[int, ...] = ()) -> list[TableSession]:
        """People on these seats, bots on the others; the match has begun."""
        people = [self.sit(seat, plays=seat not in silent) for seat in seats]
        await self.until(lambda: all(s.view.me is not None for s in people))
        people[0].start()
        await self.until(lambda: all(s.player is not None and s.player.fold.match is not None for s in people))
        return people

    async def end(self) -> None:
        for session in self.sessions:
            session.hang_up()
        self.server.stop()
        await self.serving


@asynccontextmanager
async def room(
    seed: int, *, grace: int = 180, table: type[Table] = Table, target: int = 99
) -> AsyncIterator[Room]:
    # A goodbye comes into the log here however long that takes: a busy machine would lose it.
    with patch("goat_net.seat.session.LEAVE_WITHIN", PATIENCE):
        async with asyncio.TaskGroup() as group:
            made = Room(group, seed, grace=grace, table=table, target=target)
            try:
                yield made
            finally:
                await made.end()
