"""The lobby over asyncio: `goat_net.discovery.candidates` run with a browser and a probe (PROTOCOL.md, Discovery)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress

from goat_net.discovery.candidates import Answer, Lobby, ProbeOrder, Row, answer_of
from goat_net.discovery.instances import Change
from goat_net.discovery.interfaces import local_interfaces
from goat_net.discovery.mdns import Browser, InterfaceSource, IsOwn
from goat_net.wire.address import Address, race
from goat_net.wire.wall import wall

__all__ = ["Answer", "Lobby", "LobbyWatch", "Probe", "Row", "answer_of", "find", "matching", "watch_lobby"]

PROBE_WITHIN = 4.0
"""Seconds that a probe may take; a lost SYN is sent again after 1 and 3 s."""

FAULT_PAUSE = 1.0
"""Seconds after a fault of ours: the same again at once would be all that this process does."""

Probe = Callable[[Address], Awaitable[Answer]]
"""Asks the table at an address. Raises OSError when nobody answers there, or not as a table does."""


class LobbyWatch:
    """A running lobby, see `watch_lobby`. lobby: its state. on_change: called in the loop after each change."""

    def __init__(self, lobby: Lobby, probe: Probe, on_change: Callable[[], None] | None) -> None:
        self.lobby = lobby
        self._probe = probe
        self._on_change = on_change
        self._wake = asyncio.Event()
        self._shown: tuple[tuple[Row, ...], tuple[str, ...]] = ((), ())

    def rows(self) -> tuple[Row, ...]:
        """The rows to show now."""
        return self.lobby.rows(asyncio.get_running_loop().time())

    def hints(self) -> tuple[str, ...]:
        """The hints to show now."""
        return self.lobby.hints(asyncio.get_running_loop().time())

    def remember(self, tables: Iterable[tuple[str | None, Sequence[Address]]]) -> None:
        """See `Lobby.remember`."""
        self.lobby.remember(tables, asyncio.get_running_loop().time())
        self._wake.set()

    def changed(self, change: Change) -> None:
        """Take a change from a browser."""
        self.lobby.changed(change, asyncio.get_running_loop().time())
        self._wake.set()

    def set_problem(self, problem: str | None) -> None:
        """Take what discovery says of itself."""
        self.lobby.problem = problem
        self._wake.set()

    async def run(self) -> None:
        """Probe what is due until cancelled. A fault of ours in that costs a pause, and no lobby."""
        async with asyncio.TaskGroup() as group:
            while True:
                with wall("the lobby's own round") as fall:
                    await self._round(group)
                if fall.error is not None:
                    await asyncio.sleep(FAULT_PAUSE)

    async def _round(self, group: asyncio.TaskGroup) -> None:
        """Begin what is due, show what is new, and wait for more."""
        now = asyncio.get_running_loop().time()
        self._wake.clear()
        for order in self.lobby.due(now):
            group.create_task(self._one(order), name=f"probe {order.number}")
        showing = (self.lobby.rows(now), self.lobby.hints(now))
        if showing != self._shown:
            self._shown = showing
            if self._on_change is not None:
                self._on_change()
        try:
            async with asyncio.timeout_at(self.lobby.deadline(now)):
                await self._wake.wait()
        except TimeoutError:
            pass

    async def _one(self, order: ProbeOrder) -> None:
        """Make one probe and hand in what came of it; a fault of ours in it is a table that does not answer."""
        with wall("a probe of the lobby") as fall:
            await self._ask(order)
        if fall.error is not None:
            with wall("a probe of the lobby that had failed"):
                self.lobby.probed(order, None, None, asyncio.get_running_loop().time(), refused=False)
            self._wake.set()

    async def _ask(self, order: ProbeOrder) -> None:
        loop = asyncio.get_running_loop()
        begun: dict[Address, float] = {}

        async def ask(address: Address) -> Answer:
            begun[address] = loop.time()
            answer = await self._probe(address)
            if order.id not in (None, answer.advert.id):
                self.lobby.met(order, answer.advert.id, address, loop.time())
                self._wake.set()
                raise ConnectionRefusedError(f"another table lives at {address}")
            return answer

        try:
            async with asyncio.timeout(PROBE_WITHIN):
                address, answer = await race(order.addresses, ask)
        except OSError as problem:
            refused = isinstance(problem, ConnectionRefusedError)
            self.lobby.probed(order, None, None, loop.time(), refused=refused)
        else:
            now = loop.time()
            round_trip = now - begun[address] if answer.round_trip is None else answer.round_trip
            self.lobby.probed(order, answer, address, now, round_trip=round_trip)
        self._wake.set()


@asynccontextmanager
async def watch_lobby(
    probe: Probe,
    protocol: int,
    *,
    interfaces: Sequence[str] | None = None,
    discover: bool = True,
    remembered: Iterable[tuple[str | None, Sequence[Address]]] = (),
    on_change: Callable[[], None] | None = None,
    on_heard: Callable[[Change], None] | None = None,
    source: InterfaceSource = local_interfaces,
    is_own: IsOwn = lambda id_, port: False,
) -> AsyncIterator[LobbyWatch]:
    """A live lobby inside the block.

    probe: see `Probe`. protocol: our own number. interfaces: as for `Browser`. discover: False leaves mDNS out
    (``--no-discovery``): remembered tables are still probed. on_heard: called with what mDNS alone says.
    is_own: as for `Browser`.
    """

    def heard(change: Change) -> None:
        watch.changed(change)
        if on_heard is not None:
            on_heard(change)

    watch = LobbyWatch(Lobby(protocol, asyncio.get_running_loop().time()), probe, on_change)
    watch.remember(remembered)
    browser = Browser(heard, interfaces, source=source, is_own=is_own)
    browser.on_problem = lambda: watch.set_problem(browser.problem)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(watch.run(), name="lobby")
        if discover:
            group.create_task(browser.run(), name="browser")
        try:
            yield watch
        finally:
            browser.close()
            running.cancel()


async def find(
    probe: Probe,
    protocol: int,
    wait: float,
    *,
    interfaces: Sequence[str] | None = None,
    remembered: Iterable[tuple[str | None, Sequence[Address]]] = (),
    enough: Callable[[tuple[Row, ...]], bool] = lambda rows: False,
    least: float = 0.0,
    source: InterfaceSource = local_interfaces,
    is_own: IsOwn = lambda id_, port: False,
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Rows and hints after `wait` seconds of looking, or as soon as `enough` says so of the rows, but not before
    `least` seconds: what is the only one of its name is known when the others have had their time."""
    changed = asyncio.Event()
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with watch_lobby(
        probe, protocol, interfaces=interfaces, remembered=remembered, on_change=changed.set, source=source,
        is_own=is_own,
    ) as watch:
        try:
            async with asyncio.timeout(wait):
                while not (good := enough(watch.rows())) or loop.time() < began + least:
                    changed.clear()
                    with suppress(TimeoutError):
                        async with asyncio.timeout_at(began + least if good else None):
                            await changed.wait()
        except TimeoutError:
            pass
        return watch.rows(), watch.hints()


def matching(rows: Iterable[Row], text: str) -> tuple[Row, ...]:
    """Rows that a person means by a name or by the first 4 or more characters of an id; exact names come
    alone, and before those that differ by their letters' case."""
    rows = tuple(rows)
    wanted = text.strip().casefold()
    exact = tuple(row for row in rows if row.advert.name == text.strip())
    folded = exact or tuple(row for row in rows if row.advert.name.casefold() == wanted)
    if folded or not wanted:
        return folded
    return tuple(
        row
        for row in rows
        if row.advert.name.casefold().startswith(wanted) or (len(wanted) >= 4 and row.id.startswith(wanted))
    )
