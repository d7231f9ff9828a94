"""asyncio and TLS around the machine of `goat_net.wire.peer` (PROTOCOL.md, Stream).

A `Connection` has one reader, one writer and one clock, all tasks of its own `Connection.run`, which ends when the
connection does and leaves nothing behind: no task, no socket, no line on the terminal.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from goat_net.language import _
from goat_net.wire.address import Address, is_numeric, race, resolve
from goat_net.wire.link import Closed, Event, GotStatus, MisuseError, Peer
from goat_net.wire.messages import TOO_SLOW, Status
from goat_net.wire.notices import NOTHING, Notice, Saying, notice
from goat_net.wire.peer import Prober
from goat_net.wire.tls import SERVER_NAME, ServerContext, certificate_hash, client_context

QUEUE_MAX: Final = 256 * 1024  # bytes to one peer that wait: some hundred entries; a reader that is behind more is gone
STALL: Final = 10.0  # s in which a chunk of 16 KiB must go out: slower than 1.6 kB/s is slower than play
CHUNK: Final = 16 * 1024
# Bytes of one TLS record at most: what is in it can be read only when it has come whole, and a line of 3 kB/s must not
# look silent meanwhile. Each costs 22 bytes more.
RECORD: Final = 1024
READ: Final = 4096  # bytes taken at a time: 800 of the smallest frames, some 5 ms of work before others have their turn
READ_LIMIT: Final = 32 * 1024  # asyncio stops reading at twice this
# bytes in the kernel for one peer: enough for any local network, little enough that a dead reader is noticed soon
SEND_BUFFER: Final = 128 * 1024
HANDSHAKE: Final = 5.0  # s for TLS; it counts into the 5 s for the hello
CONNECT_WITHIN: Final = 10.0  # s for TCP (a SYN is sent again after 1, 3 and 7 s) and TLS
# s for TLS once TCP is there: two round trips, either lost once. Who has typed the address of something else is told
# within five seconds.
ANSWER_WITHIN: Final = 4.0
FLUSH: Final = 0.5  # s in which last words go out
SHUT: Final = 1.0  # s for TLS to say its goodbye


class NoTableError(ConnectionError):
    """Something answers at this address, and it is no table. The text says what it does instead."""


class Connection:
    """A peer on a stream. ``remote``, ``local``: the numeric addresses of both ends, without scope. ``certificate``:
    the hash that the hello binds to, where somebody else has made the TLS session (a gateway for pages); without it
    that of the stream's own session."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: Peer,
        *,
        since: float | None = None,
        certificate: bytes = b"",
        queue_max: int = QUEUE_MAX,
        stall: float = STALL,
    ) -> None:
        self.peer: Final = peer
        self._reader, self._writer = reader, writer
        self._queue_max, self._stall = queue_max, stall
        self._loop = asyncio.get_running_loop()
        self._queue = bytearray()
        self._flying = 0
        self._deaf = False  # the peer does not read: last words would wait for nothing
        self._wake, self._poke, self._over = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._armed = float("inf")
        self._on_event: Callable[[Event], None] | None = None
        name = writer.get_extra_info("peername")
        self.remote: str = str(name[0]).partition("%")[0] if isinstance(name, tuple) else ""
        name = writer.get_extra_info("sockname")
        self.local: str = str(name[0]).partition("%")[0] if isinstance(name, tuple) else ""
        # ssl: the one attribute of the transport that tells the session.
        seen = certificate or certificate_hash(writer.get_extra_info("ssl_object"))
        peer.start(seen, self._loop.time() if since is None else since)
        writer.transport.set_write_buffer_limits(high=CHUNK)

    @property
    def queued(self) -> int:
        """Bytes that wait to be written."""
        return len(self._queue) + self._flying

    def send(self, message: Any) -> bool:
        """Queue a message; False when the connection is over. Raises MisuseError before it is open.

        A peer that lets more than 256 KiB wait is dropped.
        """
        if self.peer.closed:
            return False
        self.peer.send(message, self._loop.time())
        self._pump()
        return not self.peer.closed

    def close(self, reason: int, told: Notice = NOTHING) -> None:
        """Say goodbye and end; `run` returns when that is done. Nothing happens when the connection is over."""
        self.peer.close(reason, told, self._loop.time())
        self._pump()

    def cut(self, text: str = "") -> None:
        """Give the connection up without a word; `run` ends with LOST. For whoever would rather dial anew than wait
        for a peer that is silent. Nothing happens when the connection is over."""
        if not self.peer.closed:
            self._lost(text)

    def abort(self) -> None:
        """Cut the stream at once: for a connection that will not be run."""
        self._writer.transport.abort()

    async def run(self, on_event: Callable[[Event], None]) -> Closed:
        """Read, write and watch the clock until the end, and say how it came.

        ``on_event`` is called in the loop for each event, `Closed` last and once; it may call `send`, `close` and the
        peer, and is never called from within those. What it raises ends the connection and comes out of here.
        """
        if self._on_event is not None:
            raise MisuseError("a connection runs once")
        self._on_event = on_event
        clean = False
        try:
            async with asyncio.TaskGroup() as group:
                writing = group.create_task(self._write())
                others = (group.create_task(self._read()), group.create_task(self._time()))
                self._pump()
                await self._over.wait()
                for task in others:
                    task.cancel()
                assert self.peer.end is not None
                on_event(self.peer.end)
                self._pump()
                if not self._deaf:
                    await asyncio.wait([writing], timeout=FLUSH)
                writing.cancel()
            clean = not self._deaf
        finally:
            if not clean:
                self._writer.transport.abort()
        await self._shut()
        return self.peer.end

    def _handle(self, events: Sequence[Event]) -> None:
        assert self._on_event is not None
        ended = self.peer.closed
        for event in events:
            # `run` tells the end; once a handler has closed, what else has come is not wanted any more.
            if not isinstance(event, Closed) and self.peer.closed is ended:
                self._on_event(event)
        self._pump()

    def _pump(self) -> None:
        """Take what the machine wants sent; notice the end and an earlier deadline."""
        self._queue += self.peer.take()
        if self.queued > self._queue_max:
            self._drop(notice(Saying.NOT_READING))
        if self._queue:
            self._wake.set()
        if self.peer.closed:
            self._over.set()
            self._wake.set()
        deadline = self.peer.deadline
        if deadline is not None and deadline < self._armed:
            self._poke.set()

    def _drop(self, told: Notice) -> None:
        """The peer does not read: end without last words."""
        self.peer.close(TOO_SLOW, told, self._loop.time())
        self.peer.take()
        self._queue.clear()
        self._deaf = True

    def _lost(self, text: str = "") -> None:
        self.peer.lost(text)
        self._queue.clear()
        self._deaf = True
        self._pump()

    async def _read(self) -> None:
        while not self.peer.closed:
            try:
                data = await self._reader.read(READ)
            except OSError as error:
                self._lost(_lost_by(error))
                return
            if not data:
                self._lost()
                return
            self._handle(self.peer.receive(data, self._loop.time()))
            await asyncio.sleep(0)  # a full buffer is read without waiting: let others have their turn

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                chunk = bytes(self._queue[:CHUNK])
                del self._queue[:CHUNK]
                self._flying = len(chunk)
                try:
                    for at in range(0, len(chunk), RECORD):
                        self._writer.write(chunk[at : at + RECORD])
                    async with asyncio.timeout(self._stall):
                        await self._writer.drain()
                except TimeoutError:
                    self._drop(notice(Saying.STALLED, round(self._stall)))
                    self._pump()
                except OSError as error:
                    self._lost(_lost_by(error))
                self._flying = 0
            if self.peer.closed:
                return

    async def _time(self) -> None:
        while (deadline := self.peer.deadline) is not None:
            self._armed = deadline
            self._poke.clear()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._poke.wait()
            except TimeoutError:
                self._handle(self.peer.tick(self._loop.time()))

    async def _shut(self) -> None:
        """Close the stream, waiting for TLS's goodbye no longer than a second."""
        self._writer.close()
        try:
            async with asyncio.timeout(SHUT):
                await self._writer.wait_closed()
        except OSError:  # TimeoutError is one
            self._writer.transport.abort()


def _lost_by(error: OSError) -> str:
    return _("the connection was lost ({why})").format(why=error.strerror or type(error).__name__)


@cache
def _client() -> ssl.SSLContext:
    return client_context()


async def open_stream(
    address: Address, *, within: float = CONNECT_WITHIN
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """TCP and TLS to an address. Raises OSError when nobody answers (TimeoutError is such), NoTableError when whoever
    does speaks no TLS 1.3, or says nothing for `ANSWER_WITHIN`."""
    loop = asyncio.get_running_loop()
    end = loop.time() + within
    try:
        async with asyncio.timeout_at(end):
            sock = await _dial(address)
    except TimeoutError:
        raise TimeoutError("nothing answers there") from None
    try:
        async with asyncio.timeout_at(min(end, loop.time() + ANSWER_WITHIN)):
            return await asyncio.open_connection(
                sock=sock,
                ssl=_client(),
                server_hostname=SERVER_NAME,
                ssl_handshake_timeout=within,
                ssl_shutdown_timeout=SHUT,
                limit=READ_LIMIT,
            )
    except OSError as error:
        raise NoTableError(_stranger(error)) from error


def _stranger(error: OSError) -> str:
    """What somebody who has no TLS with us did instead, for a person."""
    if isinstance(error, TimeoutError):
        return "something else answers there, and says nothing"
    if isinstance(error, ssl.SSLError):
        return "something else answers there"
    return "whoever answers there hangs up at once"


async def _dial(address: Address) -> socket.socket:
    """A TCP connection. Raises OSError."""
    loop = asyncio.get_running_loop()
    numeric = (address,) if is_numeric(address.host) else await resolve(address)
    error = OSError(f"{address.host} has no address")
    for host, port, scope in numeric:
        v6 = ":" in host
        sock = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.setblocking(False)
            await loop.sock_connect(sock, (host, port, 0, scope) if v6 else (host, port))
        except OSError as problem:
            sock.close()
            error = problem
        except BaseException:
            sock.close()
            raise
        else:
            return sock
    raise error


async def connect(host: str, port: int, peer: Peer, *, scope: int = 0, within: float = CONNECT_WITHIN) -> Connection:
    """A connection to a host and port; the peer has started. ``scope``: interface index of a link-local address.

    Raises OSError when nobody answers or not as TLS 1.3 does.
    """
    return _connection(*await open_stream(Address(host, port, scope), within=within), peer)


async def connect_first(
    addresses: Sequence[Address], peer: Peer, *, within: float = CONNECT_WITHIN
) -> tuple[Address, Connection]:
    """A connection to whichever address answers first (`address.race`). Raises OSError, ValueError if none."""

    async def attempt(address: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await open_stream(address, within=within)

    address, (reader, writer) = await race(addresses, attempt, discard=lambda pair: pair[1].transport.abort())
    return address, _connection(reader, writer, peer)


def _connection(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Peer, **settings: Any
) -> Connection:
    """The connection of an open stream, which is cut when none can be made of it."""
    try:
        return Connection(reader, writer, peer, **settings)
    except BaseException:
        writer.transport.abort()
        raise


async def accept(
    sock: socket.socket,
    context: ServerContext,
    peer: Peer,
    since: float,
    *,
    queue_max: int = QUEUE_MAX,
    stall: float = STALL,
) -> Connection:
    """The table's end of an accepted socket, which is taken over. ``since``: when it was accepted, in loop time.

    Raises OSError when TLS does not come about in 5 s.
    """
    loop = asyncio.get_running_loop()
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        reader = asyncio.StreamReader(limit=READ_LIMIT, loop=loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    except OSError:
        sock.close()
        raise
    transport, _ = await loop.connect_accepted_socket(
        lambda: protocol, sock, ssl=context, ssl_handshake_timeout=HANDSHAKE, ssl_shutdown_timeout=SHUT
    )
    writer = asyncio.StreamWriter(transport, protocol, reader, loop)
    return _connection(reader, writer, peer, since=since, queue_max=queue_max, stall=stall)


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """A table's signed status, and the seconds from asking to it, without connecting."""

    status: Status
    round_trip: float


async def ask_status(address: Address, program: str, *, within: float = CONNECT_WITHIN) -> ProbeAnswer:
    """Ask the table at an address. Raises OSError when nobody answers there, or not as a table does."""
    found: list[ProbeAnswer] = []
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(within):
        connection = _connection(*await open_stream(address, within=within), Prober(program))
        asked = loop.time()

        def on_event(event: Event) -> None:
            if isinstance(event, GotStatus):
                found.append(ProbeAnswer(event.status, loop.time() - asked))

        end = await connection.run(on_event)
    if not found:
        raise ConnectionError(end.text)
    return found[0]


async def probe(address: Address, program: str, *, within: float = CONNECT_WITHIN) -> ProbeAnswer | None:
    """As `ask_status`, but None when no table answers there."""
    try:
        return await ask_status(address, program, within=within)
    except OSError:
        return None
