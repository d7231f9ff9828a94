"""A line to a table that is made again whenever it breaks, until its player goes (PROTOCOL.md, The connection).

What comes over it is the business of `goat_net.seat.session`.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from goat_engine.actions import Action
from goat_engine.view import SeatView
from goat_net.wire.address import Address
from goat_net.wire.identity import Identity, table_id
from goat_net.wire.link import LOST, Closed, Event
from goat_net.wire.messages import LEFT, MALFORMED, ROLE_PLAYER, TOO_SLOW
from goat_net.wire.peer import Joiner
from goat_net.wire.stream import CONNECT_WITHIN, Connection, NoTableError, connect_first
from goat_net.wire.wall import wall

RETRY_FIRST: Final = 0.25  # s until the first try to come back; a cable that was put in again answers at once
RETRY_MOST: Final = 0.5  # s between later tries: the seat is back within 2 s of the network
# s for a dial of a table that was lost: TCP asks again after 1 s and then after 2 more, when a new dial is quicker. If
# that does not do for a minute, the line may be slow, and dials are given more time.
REDIAL_WITHIN: Final = 1.5
PATIENT_AFTER: Final = 40  # dials
LOOK_AFTER: Final = 3.0  # s a table is missed at its old address before it is looked for elsewhere
ADDRESSES: Final = 8  # tried at a time
# s that a try to come back counts at most, of those after which a table is given up. A dial, a search and a pause take
# less. When one took longer this machine has slept, or was stopped: that is no time that the table did not answer in.
TRY_MOST: Final = 30.0
FAULTS_MOST: Final = 5  # lines of one stay that a fault of ours may end: the same message would end each new one
_AGAIN: Final = frozenset({LOST, TOO_SLOW})
_NO_WELCOME: Final = frozenset({LOST, TOO_SLOW, MALFORMED})  # how a line ends that has no table at its other end


@dataclass(frozen=True, slots=True)
class SeatSetup:
    """Who joins and how. ``seat`` 0..3, 4 for any, None to sit nowhere yet. ``folder``: where matches are saved, None
    for nowhere. ``table_key``, or its ``fingerprint``: the table that was chosen; any when neither is given.
    ``brain`` chooses for a bot; ``pace``: seconds it takes, drawn for each move. ``listen``: numeric address at which
    other seats can dial this one; empty for the one that the table is reached from, None for none. ``page``: name of
    the player whose gateway serves the page that this seat is in, else empty."""

    name: str
    program: str
    role: int = ROLE_PLAYER
    seat: int | None = 4
    code: str | None = None
    level: str = ""
    operator: Identity | None = None
    table_key: bytes | None = None
    fingerprint: str = ""
    folder: Path | None = None
    eager: bool = False
    brain: Callable[[SeatView], Action] | None = None
    pace: Callable[[], float] | None = None
    listen: str | None = ""
    page: str = ""


Dial: TypeAlias = Callable[[Sequence[Address], Joiner, float], Awaitable[tuple[Address | None, Connection]]]
"""Makes a connection to a table within so many seconds; says which address has answered. Raises OSError, ValueError."""


async def dial_first(addresses: Sequence[Address], joiner: Joiner, within: float) -> tuple[Address | None, Connection]:
    """`Dial` over TCP and TLS: whichever address answers first."""
    return await connect_first(addresses, joiner, within=within)


class Staying(ABC):
    """See the module; `run` is to be a task of the caller's group. ``refresh``: finds the addresses of the table with
    this fingerprint again, when it does not come back where it was. ``retry_for``: s after which a table that does not
    come back is given up. ``dial``: how the table is reached."""

    def __init__(
        self,
        identity: Identity,
        setup: SeatSetup,
        addresses: Sequence[Address],
        retry_for: float,
        refresh: Callable[[str], Awaitable[Sequence[Address]]] | None,
        dial: Dial = dial_first,
    ) -> None:
        self._dial = dial
        self.identity, self.setup, self.addresses = identity, setup, tuple(addresses)
        self.address: Address | None = None  # where the table has answered
        self.was_in = False
        self._given, self._refresh, self._retry_for = self.addresses, refresh, retry_for
        self._connection: Connection | None = None
        self._stopping = False
        self._dials = 0
        self._faults, self._failure = 0, ""
        self._heard_at = 0.0  # when something came last over the line before
        self._wake = asyncio.Event()
        self._dialling: asyncio.Timeout | None = None  # around what must not keep a player who goes

    @property
    @abstractmethod
    def _table_key(self) -> bytes | None:
        """The key of the table, once it is known."""

    @property
    @abstractmethod
    def _link(self) -> bool:
        """Whether the line was there until now."""

    @property
    def _patience(self) -> float:
        """Seconds after which a table that does not come back is given up."""
        return self._retry_for

    @abstractmethod
    def _on_event(self, event: Event) -> None:
        """Something has come over the line."""

    @abstractmethod
    def _cut_off(self) -> None:
        """The line has broken and is made again."""

    @abstractmethod
    def _ended(self, end: Closed) -> Closed:
        """It is over."""

    def _moves(self, end: Closed) -> bool:
        """Whether the table has been handed over, and is to be found at other addresses from now on."""
        return False

    async def run(self) -> Closed:
        """Be at the table until it ends; says how. A connection that breaks is made again by itself."""
        loop = asyncio.get_running_loop()
        missed: float | None = None  # s that the table was tried for since it was lost
        wait = RETRY_FIRST
        while True:
            begun = loop.time()
            end = await self._once() if not self._stopping else Closed(LEFT, "")
            if not self._stopping and self._moves(end):
                missed, wait = 0.0, RETRY_FIRST
                self._cut_off()
                continue
            if end.reason not in _AGAIN or self._stopping or not self.was_in:
                return self._ended(end)
            if self._link:
                missed, wait, begun = 0.0, RETRY_FIRST, loop.time()
            if missed is None or missed >= self._patience:
                return self._ended(end)
            self._cut_off()
            await self._pause(wait)
            await self._look_again(missed)
            missed += min(loop.time() - begun, TRY_MOST)
            wait = min(RETRY_MOST, wait * 2)

    async def _look_again(self, gone_for: float) -> None:
        """The table may have moved to another address or port: after some tries it is looked for by its key."""
        if self._refresh is None or self._stopping or gone_for < LOOK_AFTER or self._table_key is None:
            return
        found: Sequence[Address] = ()
        with suppress(TimeoutError):
            async with self._while_staying():
                found = await self._refresh(table_id(self._table_key))
        self.addresses = tuple(dict.fromkeys((*found, *self._given)))[:ADDRESSES]

    @asynccontextmanager
    async def _while_staying(self) -> AsyncIterator[None]:
        """What is under way in the block ends with TimeoutError when the player goes."""
        async with asyncio.timeout(0 if self._stopping else None) as self._dialling:
            try:
                yield
            finally:
                self._dialling = None

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _once(self) -> Closed:
        """One line, from its dial to its end. A fault of ours in what came over it ends the line; it is made again."""
        before, end = self._faults, Closed(LOST, "")
        with wall("the line to the table") as fall:
            end = await self._line()
        if fall.error is not None:
            self._failed(fall.error)
        if self._faults == before:
            return end
        why = f"a fault of this program has ended the line to the table ({self._failure})"
        again = self._faults < FAULTS_MOST
        return Closed(LOST, why) if again else Closed(MALFORMED, f"{why}, again and again: --log-file says more")

    def _failed(self, error: Exception) -> None:
        """A fault of ours: the line is given up, and made again."""
        self._faults += 1
        self._failure = type(error).__name__
        if self._connection is not None:
            self._connection.cut()

    async def _line(self) -> Closed:
        setup = self.setup
        joiner = Joiner(
            self.identity,
            setup.name,
            setup.role,
            program=setup.program,
            code=setup.code,
            level=setup.level,
            operator=setup.operator,
            table_key=self._table_key,
            page=setup.page,
        )
        try:
            self._dials += 1
            within = REDIAL_WITHIN if self.was_in and self._dials < PATIENT_AFTER else CONNECT_WITHIN
            async with self._while_staying():
                self.address, connection = await self._dial(self.addresses, joiner, within)
        except (OSError, ValueError) as error:  # a TimeoutError is an OSError
            if self._stopping:
                return Closed(LEFT, "")
            if isinstance(error, NoTableError):
                return Closed(LOST, self._no_table(str(error)))
            return Closed(LOST, f"no table answers at {self._where} ({str(error) or type(error).__name__})")
        self._connection = connection
        if self._stopping:  # the player went in the moment that the dial was answered
            connection.close(LEFT)
        try:
            end = await connection.run(self._on_event)
        finally:
            self._connection = None
            self._heard_at = connection.peer.heard
        if joiner.table_key or end.by_peer or end.reason not in _NO_WELCOME:
            return end
        silent = end.reason == TOO_SLOW
        return Closed(LOST, self._no_table(f"something else answers there{', and says nothing' if silent else ''}"))

    @property
    def _where(self) -> str:
        """The addresses that were tried, for a person."""
        return ", ".join(str(a) for a in self.addresses[:3])

    def _no_table(self, why: str) -> str:
        return f"there is no goat table at {self._where}: {why}. goat find lists the tables on this network"

    def hang_up(self) -> None:
        """Go without leaving the match: the seat stays one's own."""
        self._stopping = True
        if self._connection is not None:
            self._connection.close(LEFT)
        self._wake.set()
        if self._dialling is not None:
            self._dialling.reschedule(asyncio.get_running_loop().time())
