"""Direct lines between seats, beside the host (PROTOCOL.md, The second path).

Each client listens on a port of its own and signs where that is. A seat that is silent at the host is dialled by the
others; both ends of a line say what they have of the log and show the record that is on its way. Few lines, short
ones, to known keys only.
"""

import asyncio
import logging
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from goat_net.seat.direct import Direct
from goat_net.seat.endings import HostFault
from goat_net.seat.reach import make_reach
from goat_net.wire.address import Address, AddressError, is_numeric, may_dial_seat, parse_address
from goat_net.wire.door import begins_tls, next_caller
from goat_net.wire.fairness import one_to_drop, origin
from goat_net.wire.identity import Identity
from goat_net.wire.link import Closed, Event, Greeted, Opened, Proven, Received
from goat_net.wire.messages import LEFT, MALFORMED, ROLE_PLAYER, TOO_MANY, Joined, Reach, Read
from goat_net.wire.notices import Saying, notice
from goat_net.wire.peer import Host, Joiner
from goat_net.wire.stream import Connection, accept, connect_first
from goat_net.wire.tls import ServerContext, server_context
from goat_net.wire.wall import wall

log = logging.getLogger(__name__)

LINES: Final = 8  # direct lines at a time, dialled or proven: three other seats, and some that are just dying
LINES_EACH: Final = 2  # of them accepted from one seat: a new one while the old one dies, and never all
STRANGERS: Final = 8  # accepted and not proven yet: three seats at once, and somebody who is only at the door
FIRST_BYTE_WITHIN: Final = 5.0  # s; it counts into the time for the hello
LINE_FOR: Final = 20.0  # s a line stays open; who is still silent is dialled again
DIAL_WITHIN: Final = 5.0  # s for TCP and TLS to a seat
LOOK: Final = 1.0  # s between two looks at who is to be dialled
READ_GAP: Final = 0.1  # s between two answers to who asks for entries: 96 KiB each, so 1 MB/s, and a match in 2 s
ACCEPT_PAUSE: Final = 1.0  # s without accepting after the system refused


@dataclass(slots=True, eq=False)
class _Caller:
    """Somebody who has dialled us. ``where``: its origin; ``begun``: it speaks TLS; ``connection``: once TLS is there;
    ``proven``: it has a seat of this match."""

    where: str
    sock: socket.socket
    since: float
    begun: bool = False
    connection: Connection | None = None
    proven: bool = False


class Lines:
    """The listener and the lines of one seat; ``direct`` knows what goes over them. ``worked``: called after a line has
    brought something; ``failed``: when what it brought proves that the host is at fault."""

    def __init__(
        self,
        identity: Identity,
        name: str,
        program: str,
        direct: Direct,
        worked: Callable[[], None],
        failed: Callable[[HostFault], None],
    ) -> None:
        self._identity, self._name, self._program = identity, name, program
        self._direct, self._worked, self._failed = direct, worked, failed
        self._open: set[Connection] = set()
        self._taken: set[socket.socket] = set()
        self._strangers: list[_Caller] = []  # accepted, oldest first, and not proven yet
        self._keys: Counter[bytes] = Counter()  # how many lines are open to whom
        self._busy = 0
        self._listener: socket.socket | None = None
        self._host = ""
        self.local = ""  # our own address on the network of the table
        self._tls: ServerContext | None = None
        self._serial = 0
        self._group: asyncio.TaskGroup | None = None
        self._accepting: asyncio.Task[None] | None = None
        self._answered: dict[Connection, float] = {}  # when a line got entries that it had asked for
        self._asked: dict[Connection, Read] = {}  # what it has asked for since; the last question is the true one
        self._telling = False

    def listen(self, host: str) -> Reach | None:
        """Listen at this numeric address of ours; what to tell the table, or None when that is not possible."""
        if self._listener is None or host != self._host:
            self._stop_listening()
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            try:
                sock = socket.socket(family, socket.SOCK_STREAM)
                try:
                    sock.bind((host, 0))
                    sock.listen(LINES)
                    sock.setblocking(False)
                except OSError:
                    sock.close()
                    raise
            except OSError as error:
                log.info("no direct lines: %s", error)
                return None
            self._listener, self._host = sock, host
            self._start_accepting()
        assert self._listener is not None
        self._serial = max(self._serial + 1, int(time.time()))
        key = self._direct.table_key
        where = Address(host, self._listener.getsockname()[1])
        return None if key is None else make_reach(self._identity, key, self._serial, (str(where),))

    def _stop_listening(self) -> None:
        if self._accepting is not None:
            self._accepting.cancel()  # it closes its listener itself, unless it has not begun
            if self._listener is not None:
                self._taken.add(self._listener)
        elif self._listener is not None:
            self._listener.close()
        self._accepting = self._listener = None

    def _start_accepting(self) -> None:
        if self._group is not None and self._listener is not None:
            self._accepting = self._group.create_task(self._accept(self._listener, self._group))

    async def run(self) -> None:
        """Accept and dial until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                self._start_accepting()
                while True:
                    await asyncio.sleep(LOOK)
                    now = asyncio.get_running_loop().time()
                    if self._direct.own_is_late(now):
                        self.tell_all()
                    for reach in self._direct.to_dial(now):
                        if self._keys[reach.key]:
                            self._direct.dialled(reach.key, True, now, by_us=False)
                        elif self._busy < LINES:
                            group.create_task(self._call(reach))
        finally:
            self._group = self._accepting = None
            self._stop_listening()
            for sock in self._taken:  # accepted, and cancelled before its task began
                sock.close()

    # The end that is dialled

    async def _accept(self, listener: socket.socket, group: asyncio.TaskGroup) -> None:
        try:
            while True:
                try:
                    sock, address = await next_caller(listener)
                except OSError:
                    await asyncio.sleep(ACCEPT_PAUSE)  # no descriptors
                    continue
                self._taken.add(sock)
                caller = _Caller(origin(str(address[0])), sock, asyncio.get_running_loop().time())
                self._make_room(caller.where)
                self._strangers.append(caller)
                group.create_task(self._answer(caller))
        finally:
            listener.close()

    def _make_room(self, where: str) -> None:
        """Among those who have not proven yet: the oldest of the same origin goes first, of them one that has said
        nothing; so that silent sockets from one machine keep no seat of another away."""
        while len(self._strangers) >= STRANGERS:
            out = one_to_drop(self._strangers, where)
            self._strangers.remove(out)
            if out.connection is not None:
                out.connection.close(TOO_MANY, notice(Saying.DOOR_FULL))
            else:
                with suppress(OSError):  # it may have gone by itself
                    out.sock.shutdown(socket.SHUT_RDWR)  # whatever waits for it ends with this

    async def _answer(self, caller: "_Caller") -> None:
        try:
            with wall("a direct line that was accepted"):
                if await self._begins(caller):
                    await self._serve(caller)
        finally:
            self._forget(caller)

    def _forget(self, caller: "_Caller") -> None:
        if caller in self._strangers:
            self._strangers.remove(caller)

    async def _begins(self, caller: "_Caller") -> bool:
        """Whether the caller begins as TLS does, in time. The socket of one that does not is closed."""
        self._taken.discard(caller.sock)
        try:
            async with asyncio.timeout_at(caller.since + FIRST_BYTE_WITHIN):
                caller.begun = await begins_tls(caller.sock)
            if caller.begun:
                self._tls = self._tls or server_context()
        except OSError:  # TimeoutError is one; so is a disk that takes no certificate
            caller.begun = False
        finally:
            if not caller.begun:
                caller.sock.close()
        return caller.begun

    async def _serve(self, caller: "_Caller") -> None:
        assert self._tls is not None
        peer = Host(self._identity, self._program)
        try:
            caller.connection = connection = await accept(caller.sock, self._tls, peer, caller.since)
        except OSError:
            return  # no TLS, or it has gone again
        if caller not in self._strangers:  # somebody else has got its place while TLS was under way
            connection.close(TOO_MANY, notice(Saying.DOOR_FULL))
        try:
            await self._run(connection, lambda event: self._on_event(caller, peer, event))
        finally:
            if caller.proven and peer.hello is not None:
                self._busy -= 1
                self._keys[peer.hello.key] -= 1

    def _on_event(self, caller: "_Caller", peer: Host, event: Event) -> None:
        now = asyncio.get_running_loop().time()
        connection = caller.connection
        assert connection is not None
        if isinstance(event, Greeted) and not self._direct.knows(event.hello.key):
            connection.close(TOO_MANY, notice(Saying.SEATS_ONLY))
        elif isinstance(event, Proven):
            if peer.closed:
                return  # its goodbye came in the same breath; what it has said before that counts
            if self._busy >= LINES or self._keys[event.hello.key] >= LINES_EACH:
                connection.close(TOO_MANY, notice(Saying.LINES_ENOUGH))
                return
            self._forget(caller)
            caller.proven = True
            self._busy += 1
            self._keys[event.hello.key] += 1
            peer.accept(Joined(b"", b"", 0), now)
            self._direct.dialled(event.hello.key, True, now, by_us=False)
            self._say(connection)
        elif isinstance(event, Received):
            self._message(connection, event, now)

    # The end that dials

    async def _call(self, reach: Reach) -> None:
        with wall("a direct line that was dialled"):
            await self._dial(reach.key, dialled(reach.addresses, self.local))

    async def _dial(self, key: bytes, addresses: tuple[Address, ...]) -> None:
        self._busy += 1
        loop = asyncio.get_running_loop()
        answered = False

        def on_event(event: Event) -> None:
            nonlocal answered
            if isinstance(event, Opened):
                answered = True
                self._keys[key] += 1
                self._direct.dialled(key, True, loop.time())
                self._say(connection)
            elif isinstance(event, Received):
                self._message(connection, event, loop.time())

        try:
            joiner = Joiner(self._identity, self._name, ROLE_PLAYER, program=self._program, table_key=key)
            _, connection = await connect_first(addresses, joiner, within=DIAL_WITHIN)
            await self._run(connection, on_event)
        except (OSError, ValueError):
            pass
        finally:
            self._busy -= 1
            if answered:
                self._keys[key] -= 1
            else:
                self._direct.dialled(key, False, loop.time())
                self._worked()

    # Both

    async def _run(self, connection: Connection, on_event: Callable[[Event], None]) -> Closed | None:
        self._open.add(connection)
        loop = asyncio.get_running_loop()
        hang_up = loop.call_later(LINE_FOR, connection.close, LEFT)
        try:
            return await connection.run(on_event)
        finally:
            hang_up.cancel()
            self._open.discard(connection)
            self._answered.pop(connection, None)
            self._asked.pop(connection, None)

    def _say(self, connection: Connection) -> None:
        for message in self._direct.line_opened():
            connection.send(message)

    def _message(self, connection: Connection, event: Received, now: float) -> None:
        if isinstance(event.message, Read) and not self._may_read(connection, event.message, now):
            return
        before = self._direct.length
        try:
            answer = self._direct.line_message(event.message, now)
        except HostFault as error:
            self._failed(error)
            return
        if answer is None:
            connection.close(MALFORMED, notice(Saying.NOT_FOR_LINE))
            return
        for message in answer:
            connection.send(message)
        self._worked()
        if self._direct.length > before and not self._telling:
            self._telling = True  # once for all entries that have come together
            asyncio.get_running_loop().call_soon(self._tell_what_came)

    def _may_read(self, connection: Connection, message: Read, now: float) -> bool:
        """Whether entries are to be sent now. A line that asks too soon gets them a little later, as many as it then
        lacks: who only asks again and again has this machine do no more than who asks once."""
        if now - self._answered.get(connection, float("-inf")) >= READ_GAP:
            self._answered[connection] = now
            return True
        if connection not in self._asked:
            asyncio.get_running_loop().call_later(READ_GAP, self._read_later, connection)
        self._asked[connection] = message
        return False

    def _read_later(self, connection: Connection) -> None:
        """The clock's turn: no task stands around it, so it has its own wall."""
        message = self._asked.pop(connection, None)
        if message is None or not connection.peer.is_open:
            return
        with wall("a direct line that had asked for entries") as fall:
            self._message(connection, Received(message), asyncio.get_running_loop().time())
        if fall.error is not None:
            connection.cut()

    def _tell_what_came(self) -> None:
        self._telling = False
        with wall("what is said on direct lines"):
            self.tell_all()

    def tell_all(self) -> None:
        """Say on every line how much of the log is here, and what is on its way."""
        for connection in list(self._open):
            if connection.peer.is_open:
                self._say(connection)


def dialled(addresses: Sequence[str], local: str) -> tuple[Address, ...]:
    """Of the addresses that a seat has signed those that may be dialled from ``local``, our own address on the table's
    network: numeric ones with a port. Others are left out."""
    found = []
    for text in addresses:
        try:
            address = parse_address(text, 0)
        except AddressError:
            continue
        # A name could make us ask whoever answers for names.
        if address.port and is_numeric(address.host) and may_dial_seat(address.host, local):
            found.append(address)
    return tuple(found)
