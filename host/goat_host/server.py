"""The server of a table: accepts, lets in who has proven key and code, and carries between table and connections.

All tasks live in the one TaskGroup of `Server.run`. Strangers cost little: at most 16 sockets that have not said a
valid hello and 16 that have not proven it yet, ten lines of log a minute, and a pause after wrong codes
(PROTOCOL.md, Bounds).
"""

import asyncio
import contextlib
import errno
import logging
import socket
from collections.abc import Iterator, Sequence
from typing import Final

from goat_host.callers import Caller, Callers, crowd
from goat_host.limits import CodeTries, Handshakes, LogLimit, Verdict
from goat_host.listen import listen
from goat_host.outgoing import Outgoing
from goat_host.ports import (
    Advertise,
    Closed,
    Drop,
    Effects,
    HearsSilence,
    Journal,
    KnowsKeys,
    Out,
    Send,
    StartBot,
    StopBot,
    TablePort,
)
from goat_net.exits import PersonError
from goat_net.wire import link
from goat_net.wire.door import begins_tls, next_caller
from goat_net.wire.fairness import one_to_drop, origin
from goat_net.wire.hello import TableFacts, code_key
from goat_net.wire.identity import Signer
from goat_net.wire.link import LATE, Back, Event, Greeted, Probed, Proven, Received, Silent
from goat_net.wire.messages import FLOOD, HOST_LEFT, LEFT, TOO_MANY, Joined, NewEntry
from goat_net.wire.notices import Notice, Saying, notice
from goat_net.wire.peer import Host
from goat_net.wire.stream import QUEUE_MAX, STALL, Connection, accept
from goat_net.wire.tls import server_context
from goat_net.wire.wall import wall

log = logging.getLogger(__name__)

WAITING_MAX: Final = 16  # sockets without a valid hello: four players, their bots and a lobby's probes at once
JOINING_MAX: Final = 16  # with a hello, not proven yet
GUESTS_MAX: Final = 64  # connections that are in; the table itself allows fewer
FIRST_BYTE_WITHIN: Final = 5.0  # s; it counts into the time for the hello
ACCEPT_PAUSE: Final = 1.0  # s without accepting when the system has no more descriptors
LOOK: Final = 1.0  # s between two looks at the clock: so a process that has stood still finds that out
FAULT_PAUSE: Final = 1.0  # s until the table's clock is tried again after a fault of ours in it
HOST_GOES: Final = notice(Saying.HOST_LEFT)
TICK_GAP: Final = 0.01  # s between two ticks of the table at least, whatever deadline it names
_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class JournalError(PersonError):
    """The journal cannot be written, so the table has stopped: nothing is sent that is not written. For the person."""


class Server:
    """Runs a table on the network. ``program`` as in messages; ``code``: the table's code or None; ``addresses``,
    ``port``: see `listen`. Made with `Server.open`, which raises ListenError, inside a running loop."""

    def __init__(
        self,
        table: TablePort,
        identity: Signer,
        effects: Effects,
        *,
        program: str,
        code: str | None = None,
        addresses: Sequence[str] = (),
        port: int = 0,
        queue_max: int = QUEUE_MAX,
        stall: float = STALL,
    ) -> None:
        self._table, self._identity, self._effects, self._program = table, identity, effects, program
        self._queue_max, self._stall = queue_max, stall
        self._code_key = None if code is None else code_key(code, identity.public)
        self._tls = server_context()
        self._callers = Callers()
        self._numbers = 0
        self._tries, self._handshakes, self._log_limit = CodeTries(), Handshakes(), LogLimit()
        self._outgoing = Outgoing()
        self._stop, self._poke = asyncio.Event(), asyncio.Event()
        self._reason = HOST_GOES
        self._failure: JournalError | None = None
        self._loop = asyncio.get_running_loop()
        self._listeners = listen(addresses, port)
        self.port: Final[int] = self._listeners[0].getsockname()[1]

    @property
    def addresses(self) -> tuple[str, ...]:
        """The numeric addresses it listens on."""
        return tuple(str(sock.getsockname()[0]) for sock in self._listeners)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Sockets without a valid hello, with one, and guests."""
        return len(self._callers.waiting), len(self._callers.joining), len(self._callers.guests)

    def stop(self, reason: Notice = HOST_GOES) -> None:
        """End: everybody is told, and `run` returns within two seconds."""
        if not self._stop.is_set():
            self._reason = reason
            self._stop.set()

    def cut(self) -> None:
        """End without a word to anybody, as if the process were killed: guests try to come back. Nothing happens when
        it is ending already: a parent says "close" and ends in the same breath, and the goodbyes must go out."""
        if self._stop.is_set():
            return
        for caller in [*self._callers.unproven(), *self._callers.guests.values()]:
            if caller.connection is not None:
                caller.connection.abort()
        self.stop()

    async def run(self) -> Notice:
        """Serve until `stop` or until the table closes; returns why. Raises JournalError.

        A server runs once. When the task is cancelled, the connections are cut.
        """
        try:
            async with asyncio.TaskGroup() as group:
                services = [group.create_task(self._accept(sock, group)) for sock in self._listeners]
                services.append(group.create_task(self._clock()))
                self._carry()
                await self._stop.wait()
                for service in services:
                    service.cancel()
                for caller in self._callers.unproven():
                    self._send_away(caller, HOST_LEFT, self._reason)
                for caller in list(self._callers.guests.values()):
                    self._send_away(caller, HOST_LEFT, self._reason)
        finally:
            self.close()
            for caller in self._callers.unproven():  # accepted, and cancelled before its task began
                caller.sock.close()
        if self._failure is not None:
            raise self._failure
        return self._reason

    def close(self) -> None:
        """Stop listening. `run` does it by itself; this is for a server that is never run."""
        for sock in self._listeners:
            sock.close()

    # Strangers -------------------------------------------------------------------------------------------------

    async def _accept(self, listener: socket.socket, group: asyncio.TaskGroup) -> None:
        while True:
            try:
                sock, address = await next_caller(listener)
            except OSError as error:
                await self._accept_failed(error)
                continue
            self._numbers += 1
            with wall("a connection that has just come") as fall:
                caller = Caller(self._numbers, origin(str(address[0])), sock, self._loop.time())
                self._admit(caller, self._callers.waiting, WAITING_MAX)
                group.create_task(self._serve(caller))
            if fall.error is not None:
                sock.close()

    async def _accept_failed(self, error: OSError) -> None:
        """A caller that went at once, or no more descriptors: then strangers make room, and there is a pause."""
        if error.errno in _EXHAUSTED:
            self._note("No more connections can be opened (%s): new guests wait a moment", error.strerror)
            for caller in self._callers.unproven():
                self._send_away(caller, TOO_MANY, notice(Saying.NO_ROOM))
        else:
            self._note("A connection failed before it began: %s", error)
        await asyncio.sleep(ACCEPT_PAUSE if error.errno in _EXHAUSTED else TICK_GAP)

    def _admit(self, caller: Caller, room: dict[int, Caller], most: int) -> None:
        """Into a room of the unproven, where the oldest of the same origin, or the oldest, makes place."""
        while len(room) >= most:
            out = one_to_drop(room.values(), caller.where)
            del room[out.number]
            self._send_away(out, TOO_MANY, notice(Saying.DOOR_FULL))
        room[caller.number] = caller

    def _send_away(self, caller: Caller, reason: int, told: Notice) -> None:
        self._callers.waiting.pop(caller.number, None)
        self._callers.joining.pop(caller.number, None)
        if caller.connection is not None:
            caller.connection.close(reason, told)
            return
        with contextlib.suppress(OSError):  # it may have gone by itself
            caller.sock.shutdown(socket.SHUT_RDWR)  # whatever waits for it, its first byte or TLS, ends with this

    def _note(self, text: str, *values: object) -> None:
        """A line in the log about strangers, unless there were many."""
        held_back = self._log_limit.allows(self._loop.time())
        if held_back is not None:
            log.warning(text + (f" ({held_back} lines like this were left out)" if held_back else ""), *values)

    async def _serve(self, caller: Caller) -> None:
        """One connection from its first byte on. What goes wrong in its service ends it and nothing else."""
        with wall("a connection to the table"):
            await self._converse(caller)
        if caller.joined:  # its service has ended in the middle: nobody has told the table yet
            with wall("the farewell of a guest"):
                self._left(caller)

    async def _converse(self, caller: Caller) -> None:
        try:
            if not await self._begins(caller):
                return
            now = self._loop.time()
            if not self._handshakes.take(caller.where, self._callers.is_guest_from(caller.where), now):
                caller.sock.close()
                self._note("%s was turned away: too many connections at once", caller.where)
                return
            try:
                knows = self._table.knows if isinstance(self._table, KnowsKeys) else lambda key: False
                barred = self._barred(caller)
                peer = Host(self._identity, self._program, code_key=self._code_key, barred=barred, knows=knows)
            except Exception:
                caller.sock.close()  # nobody has taken it over yet
                raise
            try:
                caller.connection = connection = await accept(
                    caller.sock, self._tls, peer, caller.since, queue_max=self._queue_max, stall=self._stall
                )
            except OSError:
                return  # no TLS after all, or somebody who went
            if self._stop.is_set():
                connection.close(HOST_LEFT, self._reason)
            elif not self._is_here(caller):  # somebody else has got its place while TLS was under way
                connection.close(TOO_MANY, notice(Saying.DOOR_FULL))
            await connection.run(lambda event: self._on_event(caller, peer, event))
        finally:
            self._callers.forget(caller.number)

    async def _begins(self, caller: Caller) -> bool:
        """Whether the caller begins as TLS does, in time. The socket of one that does not is closed."""
        try:
            async with asyncio.timeout_at(caller.since + FIRST_BYTE_WITHIN):
                caller.begun = await begins_tls(caller.sock)
        except OSError:  # TimeoutError is one
            pass
        finally:
            if not caller.begun:
                caller.sock.close()
        return caller.begun

    def _is_here(self, caller: Caller) -> bool:
        return caller.number in self._callers.waiting or caller.number in self._callers.joining

    def _barred(self, caller: Caller) -> Notice | None:
        pause = self._tries.pause(caller.where, self._loop.time()) if self._code_key is not None else 0.0
        return notice(Saying.CODES_WRONG, round(pause + 1)) if pause else None

    # Events of a connection --------------------------------------------------------------------------------------

    def _on_event(self, caller: Caller, peer: Host, event: Event) -> None:
        with self._table_works():
            self._handle(caller, peer, event, self._loop.time())

    @contextlib.contextmanager
    def _table_works(self) -> Iterator[None]:
        """Carry out what the table wants done after the block; after a fault in it also what it had put out before,
        since an entry that is signed must reach everybody, and what follows from making its state again."""
        try:
            yield
        except Exception:
            with wall("a table that made its state again"):
                self._table.recover()
            raise
        finally:
            self._carry()

    def _handle(self, caller: Caller, peer: Host, event: Event, now: float) -> None:
        if isinstance(event, link.Closed):
            self._closed(caller, event, now, has_guessed=peer.has_guessed)
        elif isinstance(event, Received):
            verdict = caller.allowance.judge(event.message, self._table.has_seat(caller.number), now)
            if verdict is Verdict.TAKE:
                self._table.message(caller.number, event.message, now)
            elif verdict is Verdict.DROP:
                self._send_away(caller, FLOOD, notice(Saying.FLOOD))
        elif isinstance(event, Silent | Back):
            if caller.joined and isinstance(self._table, HearsSilence):
                self._table.silent(caller.number, isinstance(event, Silent), now)
        elif peer.closed:
            return  # its goodbye came in the same breath
        elif isinstance(event, Probed):
            peer.answer(self._facts(), now)
        elif isinstance(event, Greeted):
            self._callers.waiting.pop(caller.number, None)
            self._admit(caller, self._callers.joining, JOINING_MAX)
        elif isinstance(event, Proven):
            self._proven(caller, peer, event, now)

    def _facts(self) -> TableFacts:
        status = self._table.status()
        code = self._code_key is not None
        return TableFacts(status.name, status.taken, status.watch, code, status.state, status.match, status.house)

    def _proven(self, caller: Caller, peer: Host, event: Proven, now: float) -> None:
        """Key and code are good: the table's word counts now."""
        if peer.proves_code:
            self._tries.right(caller.where)
        refusal = self._table.admits(event.hello)
        if refusal is not None and refusal[0] == TOO_MANY and self._makes_room(caller.where):
            refusal = self._table.admits(event.hello)
        if refusal is None and len(self._callers.guests) >= GUESTS_MAX:
            refusal = TOO_MANY, notice(Saying.CALLERS_FULL)
        connection = caller.connection
        assert connection is not None
        if refusal is not None:
            connection.close(*refusal)
            return
        status = self._table.status()
        peer.accept(Joined(b"", status.log_id, status.entries), now)
        self._callers.forget(caller.number)
        self._callers.guests[caller.number] = caller
        caller.joined = True
        self._table.joined(caller.number, event.hello, event.operator_signature, now)

    def _makes_room(self, where: str) -> bool:
        """Send away a guest without a seat whose origin has more than its share of them; whether there was one."""
        idle = [guest for guest in self._callers.guests.values() if not self._table.has_seat(guest.number)]
        out = crowd(idle, where)
        if out is not None:
            self._callers.forget(out.number)
            self._left(out)
            self._send_away(out, TOO_MANY, notice(Saying.CROWDED_OUT))
        return out is not None

    def _closed(self, caller: Caller, end: link.Closed, now: float, *, has_guessed: bool) -> None:
        self._callers.forget(caller.number)
        if has_guessed:
            self._tries.wrong(caller.where, now)
        if caller.joined:
            self._left(caller)
        elif not end.by_peer and end.reason not in (link.LOST, LEFT, HOST_LEFT):
            self._note("%s was turned away: %s", caller.where, end.text)

    def _left(self, caller: Caller) -> None:
        """Tell the table that a guest has gone."""
        with self._table_works():
            self._table.gone(caller.number, self._loop.time())
            caller.joined = False  # after a fault it is told once more

    # The table ---------------------------------------------------------------------------------------------------

    async def _clock(self) -> None:
        ticked = float("-inf")
        while True:
            self._poke.clear()
            deadlines = [t for t in (self._table.deadline, self._outgoing.deadline) if t is not None]
            due = max(min(deadlines), ticked + TICK_GAP) if deadlines else float("inf")
            look = min(due, self._loop.time() + LOOK)
            try:
                async with asyncio.timeout_at(look):
                    await self._poke.wait()
            except TimeoutError:
                now = self._loop.time()
                with wall("the table's clock") as fall, self._table_works():
                    if now - look > LATE:
                        self._table.slept(now - look)
                    if now >= due:
                        ticked = now
                        self._outgoing.flush(self._line, now)
                        self._table.tick(now)
                if fall.error is not None:
                    ticked = now + FAULT_PAUSE  # the same again at once would be all that this process does

    def _carry(self) -> None:
        """Do what the table has put out, in its order: a journal line before the messages that tell of it."""
        while self._table.outbox and self._failure is None:
            batch = list(self._table.outbox)
            self._table.outbox.clear()
            for out in batch:
                if self._failure is None:
                    self._do_alone(out)
        self._poke.set()

    def _do_alone(self, out: Out) -> None:
        """Do one thing; what goes wrong with it keeps nothing else from being done."""
        with wall(f"what the table wants done ({type(out).__name__})") as fall:
            self._do(out)
        if fall.error is None:
            return
        if isinstance(out, Journal):  # what is not written must not be sent
            self._fail(f"The match cannot be written down ({type(fall.error).__name__})", fall.error)
        elif isinstance(out, Send) and isinstance(out.message, NewEntry):
            line = self._line(out.conn)
            if line is not None:
                line.cut()  # with a gap in its log it would blame the table; it comes back and reads it

    def _do(self, out: Out) -> None:
        if isinstance(out, Journal):
            self._write_down(out)
        elif isinstance(out, Send):
            line = self._line(out.conn)
            if line is not None:
                self._outgoing.send(out.conn, line, out.message, self._loop.time())
        elif isinstance(out, Drop):
            guest = self._callers.guests.get(out.conn)
            if guest is not None:
                self._send_away(guest, out.reason, out.notice)
        elif isinstance(out, StartBot):
            self._effects.start_bot(out.seat, out.level)
        elif isinstance(out, StopBot):
            self._effects.stop_bot(out.seat)
        elif isinstance(out, Advertise):
            self._effects.advertise(self._table.status())
        elif isinstance(out, Closed):
            self.stop(out.notice)

    def _line(self, number: int) -> Connection | None:
        """The connection of a guest who is in."""
        guest = self._callers.guests.get(number)
        return None if guest is None else guest.connection

    def _write_down(self, line: Journal) -> None:
        try:
            self._effects.journal(line.log_id, line.data, line.sync)
        except OSError as error:
            self._fail(f"The match cannot be written down ({error.strerror or error})", error)

    def _fail(self, text: str, error: Exception) -> None:
        self._failure = JournalError(
            f"{text}, so the table has stopped. Make room on the disk, then go on with goat host --resume"
        )
        self._failure.__cause__ = error
        self.stop(notice(Saying.DISK_BROKEN))
