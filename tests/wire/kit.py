"""What stands at both ends of the tests of the wire: strangers who send any bytes, and the doors that bytes come to.

Everything is real: sockets on loopback, TLS, the server, the client's lines, its probes.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from goat_host.ports import StatusInfo
from goat_host.room import TableSetup
from goat_host.server import Server
from goat_host.table import Table

from goat_engine.rules import Rules
from goat_net.log.records import Settings
from goat_net.seat.chair import Chair
from goat_net.seat.direct_lines import Lines
from goat_net.seat.endings import HostFault
from goat_net.seat.store import LogStore
from goat_net.wire.address import Address
from goat_net.wire.codec import WireError
from goat_net.wire.framing import FrameReader
from goat_net.wire.identity import Identity
from goat_net.wire.link import Closed, Event, Opened
from goat_net.wire.messages import LEFT, MESSAGES, Bye, Refused
from goat_net.wire.peer import Joiner
from goat_net.wire.stream import Connection, open_stream
from goat_net.wire.tls import server_context
from tests.patience import PATIENCE

HERE = "127.0.0.1"
WITHIN = PATIENCE
FIVE_BYTES = bytes.fromhex("c500029190")  # a frame with [[]], before any hello

TABLE = Identity.from_seed(b"\x71" * 32)
OWNER = Identity.from_seed(b"\x72" * 32)
SEATED = tuple(Identity.from_seed(bytes([0x80 + seat]) * 32) for seat in range(4))
STRANGER = Identity.from_seed(b"\x73" * 32)


class NoEffects:
    """A table without disk, network and bots."""

    def start_bot(self, seat: int, level: str) -> None:
        """No bot comes."""

    def stop_bot(self, seat: int) -> None:
        """None is there."""

    def journal(self, log_id: bytes, data: bytes, sync: bool) -> None:
        """Kept nowhere."""

    def advertise(self, status: StatusInfo) -> None:
        """Nobody looks for it."""


def new_table(**settings: Any) -> Table:
    """A table without a match."""
    setup = TableSetup("Kitchen", "goat 0.2", Rules(), Settings(180, 0, 0, True, True, b""), **settings)
    return Table(TABLE, setup, lambda count: b"\x05" * count)


@asynccontextmanager
async def serving(table: Any = None, effects: Any = None, **settings: Any) -> AsyncIterator[Server]:
    """A table's server that runs inside the block, and has ended well after it."""
    table = table or new_table(code=settings.get("code") is not None)
    async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as group:
        server = Server(table, TABLE, effects or NoEffects(), program="goat 0.2", addresses=[HERE], **settings)
        running = group.create_task(server.run())
        try:
            yield server
        finally:
            server.stop()
        assert await running  # the reason of its end


def unlimited(server: Server) -> None:
    """Many connections from here are what is tested, not their number."""
    server._handshakes._each.burst = server._handshakes._all.burst = 1e9


@dataclass
class Known:
    """A chair's door for direct lines with all that is told through it."""

    chair: Chair
    lines: Any = None
    port: int = 0
    worked: int = 0
    failed: list[HostFault] = field(default_factory=list)

    def work(self) -> None:
        self.worked += 1


@asynccontextmanager
async def direct_line(chair: Chair | None = None) -> AsyncIterator[Known]:
    """A client's listener for other seats inside the block; it must still accept at the end of it."""
    chair = chair or Chair(SEATED[0], lambda log_id: LogStore(None, log_id, SEATED[0].public, lambda n: b"\x06" * n))
    chair.table_key = TABLE.public
    known = Known(chair)
    async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as group:
        known.lines = lines = Lines(chair.identity, "Anna", "goat 0.2", chair.direct, known.work, known.failed.append)
        reach = lines.listen(HERE)
        assert reach is not None
        known.port = int(reach.addresses[0].rpartition(":")[2])
        running = group.create_task(lines.run())
        try:
            yield known
            assert not running.done()
        finally:
            running.cancel()


@dataclass
class Heard:
    """What came back from a door until it closed: whole frames, and whether it ended in good order."""

    contents: list[bytes] = field(default_factory=list)

    @property
    def messages(self) -> list[Any]:
        """The messages among them."""
        found = []
        for content in self.contents:
            try:
                found.append(MESSAGES.decode(content))
            except WireError:
                found.append(content)
        return found

    @property
    def end(self) -> Bye | Refused | None:
        """The other end's last word, if it had one."""
        last = self.messages[-1] if self.contents else None
        return last if isinstance(last, Bye | Refused) else None


async def listen_out(reader: asyncio.StreamReader) -> Heard:
    """Everything until the other end closes."""
    cutter, heard = FrameReader(), Heard()
    try:
        while data := await reader.read(4096):
            heard.contents += cutter.feed(data)
    except (ConnectionError, ssl.SSLError):
        pass
    return heard


async def throw(port: int, data: bytes) -> Heard:
    """Dial as a stranger, over TLS, send these bytes, and hear what comes until the other end closes."""
    reader, writer = await open_stream(Address(HERE, port))
    try:
        writer.write(data)
        return await listen_out(reader)
    finally:
        writer.transport.abort()


Speaker = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def saying(data: bytes) -> Speaker:
    """A host that says these bytes to whoever comes, and waits until they have gone."""

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await listen_out(reader)

    return speak


@asynccontextmanager
async def odd_host(speak: Speaker, *, tls: bool = True) -> AsyncIterator[Address]:
    """Something at an address that is no table: ``speak`` talks to whoever comes."""
    connections: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            await speak(reader, writer)
        except (ConnectionError, ssl.SSLError, asyncio.CancelledError):
            pass
        finally:
            connections.discard(task)
            writer.transport.abort()

    server = await asyncio.start_server(serve, HERE, 0, ssl=server_context() if tls else None)
    try:
        yield Address(HERE, server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for task in list(connections):
            task.cancel()
        while connections:
            await asyncio.sleep(0)


async def join(port: int, identity: Identity = OWNER, name: str = "Anna", **settings: Any) -> tuple[Connection, Joiner]:
    """A guest's connection, not running yet."""
    peer = Joiner(identity, name, program="goat 0.1", **settings)
    return Connection(*await open_stream(Address(HERE, port)), peer), peer


async def is_let_in(port: int, identity: Identity = OWNER, name: str = "Anna", **settings: Any) -> bool:
    """Whether an honest guest gets in here now; they go again at once."""
    connection, _ = await join(port, identity, name, **settings)
    opened = False

    def on_event(event: Event) -> None:
        nonlocal opened
        if isinstance(event, Opened):
            opened = True
            connection.close(LEFT)

    end = await connection.run(on_event)
    assert isinstance(end, Closed)
    return opened
