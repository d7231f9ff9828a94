"""The server with a small table behind it, over TCP and TLS on loopback (PROTOCOL.md, Bounds)."""

import asyncio
import errno
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import pairwise
from typing import Any

import pytest
from goat_host import server as module
from goat_host.ports import Advertise, Drop, Journal, Out, Send, StartBot, StatusInfo, StopBot
from goat_host.ports import Closed as TableClosed
from goat_host.server import JOINING_MAX, WAITING_MAX, JournalError, Server

from goat_net.wire import hello as proofs
from goat_net.wire import link, stream
from goat_net.wire.address import Address
from goat_net.wire.framing import frame
from goat_net.wire.identity import Identity
from goat_net.wire.link import LOST, Closed, Event, Opened, Received
from goat_net.wire.messages import (
    BAD_SIGNATURE,
    ELSEWHERE,
    FLOOD,
    HOST_LEFT,
    LEFT,
    MALFORMED,
    MESSAGES,
    NAME_TAKEN,
    ROLE_BOT,
    TOO_MANY,
    TOO_SLOW,
    WRONG_CODE,
    Hello,
    Said,
    Say,
    Sit,
)
from goat_net.wire.notices import NOTHING, Notice, Saying, notice
from goat_net.wire.peer import Joiner
from goat_net.wire.sentences import sentence
from goat_net.wire.stream import Connection, open_stream, probe
from tests.patience import PATIENCE

TABLE = Identity.from_seed(b"\x09" * 32)
CODE = "banan delon fares tovis"


class FakeTable:
    """Says everything on to everybody, and notes what it is told."""

    def __init__(self) -> None:
        self.outbox: list[Out] = []
        self.deadline: float | None = None
        self.told: list[tuple[Any, ...]] = []
        self.guests: dict[int, Hello] = {}
        self.refusal: tuple[int, Notice] | None = None
        self.on_message: Callable[[int, Any], None] = self.say_on
        self.news = asyncio.Event()

    def tell(self, *what: Any) -> None:
        self.told.append(what)
        self.news.set()

    async def until(self, what: str, count: int = 1) -> None:
        """Wait until it was told this so many times."""
        async with asyncio.timeout(PATIENCE):
            while sum(told[0] == what for told in self.told) < count:
                self.news.clear()
                await self.news.wait()

    def status(self) -> StatusInfo:
        return StatusInfo("Kitchen", len(self.guests), True, False, 1, b"\x05" * 32, 17)

    def admits(self, hello: Hello) -> tuple[int, Notice] | None:
        return self.refusal

    def joined(self, conn: int, hello: Hello, operator_signature: bytes, now: float) -> None:
        self.guests[conn] = hello
        self.tell("joined", conn, hello.name, operator_signature)

    def has_seat(self, conn: int) -> bool:
        return False

    def message(self, conn: int, message: Any, now: float) -> None:
        self.tell("message", conn, message)
        self.on_message(conn, message)

    def say_on(self, conn: int, message: Any) -> None:
        if isinstance(message, Say):
            said = Said(4, self.guests[conn].name, bytes(32), message.text)
            self.outbox += [Send(other, said) for other in self.guests]

    def gone(self, conn: int, now: float) -> None:
        self.guests.pop(conn, None)
        self.tell("gone", conn)

    def tick(self, now: float) -> None:
        self.tell("tick", now)

    def recover(self) -> None:
        self.tell("recover")

    def slept(self, seconds: float) -> None:
        self.tell("slept", seconds)


def _said(text: str) -> Said:
    return Said(4, "Zoe", bytes(32), text)


class FakeEffects:
    """Notes what is to be done; ``journal_error``: what writing raises."""

    def __init__(self) -> None:
        self.done: list[tuple[Any, ...]] = []
        self.journal_error: OSError | None = None

    def start_bot(self, seat: int, level: str) -> None:
        self.done.append(("start", seat, level))

    def stop_bot(self, seat: int) -> None:
        self.done.append(("stop", seat))

    def journal(self, log_id: bytes, data: bytes, sync: bool) -> None:
        if self.journal_error is not None:
            raise self.journal_error
        self.done.append(("journal", log_id, data, sync))

    def advertise(self, status: StatusInfo) -> None:
        self.done.append(("advertise", status.taken))


class Guest:
    """A joiner's end with what it heard."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.heard: list[Event] = []
        self.news = asyncio.Event()
        self.end: Closed | None = None

    async def run(self) -> None:
        self.end = await self.connection.run(self.on_event)

    def on_event(self, event: Event) -> None:
        self.heard.append(event)
        self.news.set()

    def texts(self) -> list[str]:
        return [e.message.text for e in self.heard if isinstance(e, Received) and isinstance(e.message, Said)]

    async def until(self, kind: type[Event], count: int = 1) -> None:
        async with asyncio.timeout(PATIENCE):
            while sum(isinstance(event, kind) for event in self.heard) < count:
                self.news.clear()
                await self.news.wait()

    async def ended(self) -> Closed:
        await self.until(Closed)
        end = self.heard[-1]
        assert isinstance(end, Closed)
        return end


class House:
    """A running server with its table, and guests that come to it."""

    def __init__(self, group: asyncio.TaskGroup, server: Server, table: FakeTable, effects: FakeEffects) -> None:
        self.group, self.server, self.table, self.effects = group, server, table, effects
        self.running: asyncio.Task[str] | None = None
        self.numbers = 0

    async def dial(self, address: str = "", **settings: Any) -> Guest:
        """A guest whose hello is under way; from this local address."""
        self.numbers += 1
        identity = settings.pop("identity", None) or Identity.from_seed(self.numbers.to_bytes(32, "big"))
        peer = Joiner(identity, settings.pop("name", f"Guest {self.numbers}"), program="goat 0.1", **settings)
        if address:
            sock = await connected(self.server.port, address)
            reader, writer = await asyncio.open_connection(
                sock=sock, ssl=stream._client(), server_hostname="goat", ssl_shutdown_timeout=1
            )
        else:
            reader, writer = await open_stream(Address("127.0.0.1", self.server.port))
        guest = Guest(Connection(reader, writer, peer))
        self.group.create_task(guest.run())
        return guest

    async def join(self, **settings: Any) -> Guest:
        """A guest who is in."""
        guest = await self.dial(**settings)
        await guest.until(Opened)
        return guest

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait, turn by turn of the loop, until the server has come to something that sends no event."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await asyncio.sleep(0.001)


@asynccontextmanager
async def house(**settings: Any) -> AsyncIterator[House]:
    table, effects = FakeTable(), FakeEffects()
    server = Server(table, TABLE, effects, program="goat 0.2", addresses=["127.0.0.1"], **settings)
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        at = House(group, server, table, effects)
        at.running = group.create_task(server.run())
        yield at
        server.stop(notice(Saying.HOST_CLOSED))
        assert await at.running == notice(Saying.HOST_CLOSED)


async def connected(port: int, address: str = "127.0.0.1") -> socket.socket:
    """A plain socket to the server, which is not known to be accepted yet."""
    sock = socket.socket()
    sock.setblocking(False)
    sock.bind((address, 0))
    await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port))
    return sock


async def hung_up(sock: socket.socket) -> bool:
    """Wait until the server has closed this socket."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(PATIENCE):
        try:
            while await loop.sock_recv(sock, 4096):
                pass
        except ConnectionError:
            pass
    return True


@asynccontextmanager
async def idle(port: int, count: int, address: str = "127.0.0.1") -> AsyncIterator[list[socket.socket]]:
    """Sockets that say nothing."""
    async with AsyncExitStack() as stack:
        yield [stack.enter_context(await connected(port, address)) for _ in range(count)]


# Guests ------------------------------------------------------------------------------------------------------


async def test_guests_join_talk_and_leave() -> None:
    async with house() as at:
        anna, boris = await at.join(name="Anna"), await at.join(name="Boris")
        opened = anna.heard[0]
        assert isinstance(opened, Opened)
        assert (opened.table_key, opened.joined.log_id, opened.joined.entries) == (TABLE.public, b"\x05" * 32, 17)
        anna.connection.send(Say("hi"))
        await boris.until(Received)
        await anna.until(Received)
        assert anna.texts() == boris.texts() == ["hi"]
        assert at.server.counts == (0, 0, 2)
        anna.connection.close(LEFT)
        await at.table.until("gone")
        (first, second) = (told[1] for told in at.table.told if told[0] == "joined")
        assert first != second
        assert ("message", first, Say("hi")) in at.table.told
        assert at.table.told[-1] == ("gone", first)
        assert at.server.counts == (0, 0, 1)
    assert at.table.told[-1] == ("gone", second)
    end = await boris.ended()
    assert (end.reason, end.text, end.by_peer) == (HOST_LEFT, sentence(HOST_LEFT, notice(Saying.HOST_CLOSED)), True)


@pytest.mark.parametrize("asked", [True, False])
async def test_a_parent_that_says_close_and_is_gone_at_once_does_not_cut_the_goodbyes(asked: bool) -> None:
    """The end of the parent's pipe follows on its "close" so closely that both are read in one turn of the loop.
    Without that word before it, the guests are cut off, so that they come back."""
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        server = Server(FakeTable(), TABLE, FakeEffects(), program="goat 0.2", addresses=["127.0.0.1"])
        at = House(group, server, FakeTable(), FakeEffects())
        running = group.create_task(server.run())
        guest = await at.join()
        if asked:
            server.stop(notice(Saying.HOST_CLOSED))
        server.cut()
        end = await guest.ended()
        assert (end.reason, end.by_peer) == ((HOST_LEFT, True) if asked else (LOST, False))
        await running


async def test_a_thousand_messages_from_three_guests_keep_each_ones_order() -> None:
    async with house() as at:
        guests = [await at.join(name=name) for name in ("Anna", "Boris", "Vera")]
        for number in range(334):
            for guest in guests:
                guest.connection.send(Say(str(number)))
            if number % 5 == 0:
                await asyncio.sleep(0)
        for guest in guests:
            await guest.until(Received, 3 * 334)
        for guest in guests:
            assert guest.texts() == guests[0].texts()  # one order for all
        said = [(e.message.name, e.message.text) for e in guests[0].heard if isinstance(e, Received)]
        for name in ("Anna", "Boris", "Vera"):
            assert [text for who, text in said if who == name] == [str(number) for number in range(334)]


async def test_the_operator_of_a_bot_is_told_to_the_table() -> None:
    operator, bot = Identity.from_seed(b"\x31" * 32), Identity.from_seed(b"\x32" * 32)
    async with house() as at:
        await at.join(name="Bot", role=ROLE_BOT, identity=bot, operator=operator)
        (told,) = at.table.told
        assert proofs.is_operator(operator.public, told[3], bot.public, TABLE.public)


async def test_the_table_may_refuse_and_is_then_told_nothing() -> None:
    async with house() as at:
        at.table.refusal = NAME_TAKEN, notice(Saying.NAME_TAKEN, "Anna", "Anna 2")
        guest = await at.dial(name="Anna")
        end = await guest.ended()
        told = "somebody at the table is called Anna already; come as Anna 2"
        assert (end.reason, end.text, end.by_peer) == (NAME_TAKEN, told, True)
        assert at.table.told == []


async def test_the_table_may_drop_and_is_told_that_he_is_gone() -> None:
    async with house() as at:
        guest = await at.join()
        drop = notice(Saying.ELSEWHERE)
        at.table.on_message = lambda conn, message: at.table.outbox.append(Drop(conn, ELSEWHERE, drop))
        guest.connection.send(Sit(0))
        end = await guest.ended()
        assert (end.reason, end.text) == (ELSEWHERE, "you have come back on another connection")
        await at.table.until("gone")


async def test_messages_to_somebody_who_has_gone_are_dropped() -> None:
    async with house() as at:
        guest = await at.join()
        at.table.on_message = lambda conn, message: at.table.outbox.extend(
            [Send(99, _said("x")), Drop(99, LEFT, NOTHING), Drop(conn, LEFT, NOTHING), Send(conn, _said("late"))]
        )
        guest.connection.send(Sit(0))
        await guest.ended()
        assert guest.texts() == []


async def test_garbage_of_a_guest_ends_him_alone() -> None:
    async with house() as at:
        bad, good = await at.join(), await at.join()
        bad.connection._writer.write(b"\xc5\xff\xff")
        end = await bad.ended()
        assert (end.reason, end.by_peer) == (MALFORMED, True)
        await at.table.until("gone")
        good.connection.send(Say("still here"))
        await good.until(Received)


async def test_a_flood_of_a_guest_ends_him_alone() -> None:
    async with house() as at:
        bad, good = await at.join(), await at.join()
        bad.connection._writer.write(frame(MESSAGES.encode(Sit(0))) * (link.FRAMES_BURST * 2))
        assert (await bad.ended()).reason in (FLOOD, LOST)
        await at.table.until("gone")
        good.connection.send(Say("still here"))
        await good.until(Received)


async def test_a_guest_who_does_not_read_is_dropped_and_the_others_never_wait() -> None:
    async with house() as at:
        deaf, good = await at.join(), await at.join()
        transport: Any = deaf.connection._writer.transport
        transport.pause_reading()
        text = "x" * 300
        sent = 0
        while not any(told[0] == "gone" for told in at.table.told):
            good.connection.send(Say(text))
            sent += 1
            await good.until(Received, sent)  # each line comes back while the other reads nothing
            assert sent < 30_000
            # Play is slower than this; the limit of frames is not what is tested here.
            for caller in at.server._callers.guests.values():
                assert caller.connection is not None
                caller.connection.peer._frames_left = 1000.0
        assert good.texts() == [text] * sent
        assert sum(told[0] == "gone" for told in at.table.told) == 1
        transport.abort()
        assert (await deaf.ended()).reason == LOST


async def test_probes_are_answered_also_by_a_table_with_a_code() -> None:
    async with house(code=CODE) as at:
        for _ in range(3):
            answer = await probe(Address("127.0.0.1", at.server.port), "goat 0.1")
            assert answer is not None
            assert (answer.status.name, answer.status.code, answer.status.state) == ("Kitchen", True, 1)
        assert at.table.told == []


async def test_no_more_guests_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GUESTS_MAX", 1)
    async with house() as at:
        await at.join()
        assert (await (await at.dial()).ended()).reason == TOO_MANY


# Codes -------------------------------------------------------------------------------------------------------


async def test_wrong_codes_are_slowed_for_their_address_only() -> None:
    async with house(code=CODE) as at:
        await at.join(code=CODE)
        for _ in range(3):
            assert (await (await at.dial(code="banan delon fares tovin")).ended()).reason == WRONG_CODE
        end = await (await at.dial(code=CODE)).ended()  # even the right one has to wait now
        assert (end.reason, end.by_peer) == (TOO_MANY, True)
        assert "try again in" in end.text
        elsewhere = await at.dial("127.0.0.2", code=CODE)
        await elsewhere.until(Opened)
        assert sum(told[0] == "joined" for told in at.table.told) == 2


async def test_codes_are_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with house(code=CODE) as at:
        await at.join(code=CODE)
        assert (await (await at.dial(code="wrong words")).ended()).reason == WRONG_CODE
    for word in [*CODE.split(), "wrong words"]:
        assert word not in caplog.text


# Strangers ---------------------------------------------------------------------------------------------------


async def test_a_guest_joins_while_fifty_sockets_say_nothing() -> None:
    async with house() as at, idle(at.server.port, 50) as sockets:
        guest = await at.join()
        guest.connection.send(Say("hi"))
        await guest.until(Received)
        await at.until(lambda: at.server.counts[0] <= WAITING_MAX)
        for sock in sockets[: 50 - WAITING_MAX]:  # the oldest made room
            assert await hung_up(sock)
        assert at.server.counts == (WAITING_MAX - 1, 0, 1)  # and one more for the guest


async def test_idle_sockets_do_not_push_out_who_has_begun() -> None:
    async with house() as at, idle(at.server.port, 1) as (slow,):
        slow.send(b"\x16\x03\x01\x02\x00")  # the first bytes of a guest on a bad line
        await at.until(lambda: any(caller.begun for caller in at.server._callers.waiting.values()))
        async with idle(at.server.port, 60):
            await at.until(lambda: at.server._numbers == 61)
            assert [c.begun for c in at.server._callers.waiting.values()] == [True] + [False] * (WAITING_MAX - 1)


async def test_a_crowd_from_one_address_drops_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    async with house() as at, idle(at.server.port, 1, "127.0.0.2") as (quiet,):
        await at.until(lambda: at.server.counts[0] == 1)
        async with idle(at.server.port, 60):
            await at.until(lambda: len(at.server._callers.waiting) == WAITING_MAX and at.server._numbers == 61)
            assert [c.where for c in at.server._callers.waiting.values()].count("127.0.0.2") == 1
            quiet.send(b"not TLS at all, so the server hangs up")
            assert await hung_up(quiet)


async def test_sockets_that_say_nothing_or_not_enough_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "HANDSHAKE", 0.1)
    monkeypatch.setattr(module, "FIRST_BYTE_WITHIN", 0.1)
    async with house() as at, idle(at.server.port, 3) as sockets:
        sockets[0].send(b"\x16\x03\x01")
        for sock in sockets:
            assert await hung_up(sock)
        await at.until(lambda: at.server.counts == (0, 0, 0))


async def test_tls_without_a_hello_is_closed_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "HELLO_WITHIN", 0.3)
    async with house() as at:
        reader, writer = await open_stream(Address("127.0.0.1", at.server.port))
        said = MESSAGES.decode((await reader.read())[3:])
        assert said.reason == TOO_SLOW
        writer.close()
        await writer.wait_closed()


async def test_hellos_without_a_proof_are_bounded_and_make_room_for_a_guest() -> None:
    hello = Joiner(Identity.new(), "Eve", program="goat 0.1").hello
    async with house() as at:
        writers = []
        for _ in range(JOINING_MAX + 5):
            reader, writer = await open_stream(Address("127.0.0.1", at.server.port))
            writer.write(frame(MESSAGES.encode(hello)))
            await reader.readexactly(3)  # the welcome
            writers.append(writer)
        assert at.server.counts == (0, JOINING_MAX, 0)
        await at.join()
        for writer in writers:
            writer.transport.abort()
        await at.until(lambda: at.server.counts == (0, 0, 1))


BABBLE = {
    "http": b"GET / HTTP/1.1\r\n\r\n",
    "frames": b"\xc5\x00\x02\x91\x08" * 20,
    "zeros": bytes(1000),
    "half a TLS hello": b"\x16\x03\x01\x02\x00\x01\x00",
}


@pytest.mark.parametrize("babble", BABBLE.values(), ids=BABBLE)
async def test_babblers_cost_a_guest_nothing(
    babble: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stream, "HANDSHAKE", 0.5)
    async with house() as at, idle(at.server.port, 40) as sockets:
        for sock in sockets:
            try:
                sock.send(babble)
            except OSError:  # it has made room already
                continue
        await at.join()
        for sock in sockets:
            assert await hung_up(sock)
    lines = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(lines) <= 10, [line.getMessage() for line in lines]
    assert capfd.readouterr().err == ""


async def test_a_replayed_hello_in_the_place_of_a_guest() -> None:
    """What was recorded of Anna's join does not let anybody in as Anna."""
    anna = Identity.from_seed(b"\x01" * 32)
    recorded: list[bytes] = []

    class Recording(Joiner):
        def take(self) -> bytes:
            data = super().take()
            recorded.append(data)
            return data

    async with house() as at:
        peer = Recording(anna, "Anna", program="goat 0.1")
        guest = Guest(Connection(*await open_stream(Address("127.0.0.1", at.server.port)), peer))
        at.group.create_task(guest.run())
        await guest.until(Opened)
        reader, writer = await open_stream(Address("127.0.0.1", at.server.port))
        writer.write(b"".join(recorded))
        data = await reader.read()
        length = int.from_bytes(data[1:3], "big")
        assert MESSAGES.decode(data[3 + length + 3 :]).reason == BAD_SIGNATURE
        writer.close()
        await writer.wait_closed()
        assert sum(told[0] == "joined" for told in at.table.told) == 1


# Out of descriptors, accept that fails ---------------------------------------------------------------------------


@contextmanager
def no_descriptors_left(spare: int) -> Any:
    """All descriptors but a few are taken while the block lasts."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, hard), hard))
    try:
        while True:
            try:
                taken.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:
                break
        for _ in range(spare):
            os.close(taken.pop())
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_without_descriptors_players_play_on_and_the_log_stays_short(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "ACCEPT_PAUSE", 0.02)
    async with house() as at:
        anna, boris = await at.join(), await at.join()
        callers = [socket.socket() for _ in range(60)]
        for sock in callers:
            sock.setblocking(False)
        with no_descriptors_left(spare=5):
            for sock in callers:
                await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", at.server.port))
            await at.until(lambda: "No more connections can be opened" in caplog.text)
            for number in range(200):
                anna.connection.send(Say(str(number)))
                await boris.until(Received, number + 1)
        for sock in callers:
            sock.close()
        await at.join()
        assert boris.texts() == [str(number) for number in range(200)]
    assert 1 <= len([r for r in caplog.records if r.levelno >= logging.WARNING]) <= 10


@pytest.mark.parametrize(
    "error",
    [
        ConnectionResetError(errno.ECONNRESET, "reset"), ConnectionAbortedError(errno.ECONNABORTED, "aborted"),
        OSError(22, "The specified network name is no longer available"), OSError(errno.EMFILE, "Too many open files"),
        OSError(errno.ENOBUFS, "No buffer space available"),
    ],
)  # fmt: skip
async def test_an_accept_that_fails_does_not_stop_the_table(
    error: OSError, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "ACCEPT_PAUSE", 0.0)
    monkeypatch.setattr(module, "TICK_GAP", 0.0)
    real, left = module.next_caller, [100]

    async def failing(listener: socket.socket) -> tuple[socket.socket, Any]:
        if left[0]:
            left[0] -= 1
            raise error
        return await real(listener)

    monkeypatch.setattr(module, "next_caller", failing)
    async with house() as at:
        await at.join()
    assert left == [0]
    assert 1 <= len([r for r in caplog.records if r.levelno >= logging.WARNING]) <= 10


# The table's wishes ------------------------------------------------------------------------------------------


async def test_what_the_table_puts_out_is_done_in_its_order() -> None:
    async with house() as at:
        guest = await at.join()

        def start(conn: int, message: Any) -> None:
            at.table.outbox += [
                Journal(b"\x01" * 32, b"one", True), Send(conn, _said("one")), Advertise(),
                StartBot(2, "hard"), Journal(b"\x01" * 32, b"two", False), Send(conn, _said("two")), StopBot(2),
            ]  # fmt: skip

        at.table.on_message = start
        guest.connection.send(Sit(0))
        await guest.until(Received, 2)
        assert guest.texts() == ["one", "two"]
        assert at.effects.done == [
            ("journal", b"\x01" * 32, b"one", True), ("advertise", 1), ("start", 2, "hard"),
            ("journal", b"\x01" * 32, b"two", False), ("stop", 2),
        ]  # fmt: skip


async def test_what_cannot_be_written_is_not_sent_and_the_table_stops_with_a_word() -> None:
    table, effects = FakeTable(), FakeEffects()
    server = Server(table, TABLE, effects, program="goat 0.2", addresses=["127.0.0.1"])
    effects.journal_error = OSError(errno.ENOSPC, "No space left on device")
    table.on_message = lambda conn, message: table.outbox.extend(
        [Send(conn, _said("before")), Journal(bytes(32), b"x", True), Send(conn, _said("after"))]
    )
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        at = House(group, server, table, effects)

        async def run() -> None:
            with pytest.raises(JournalError, match=r"No space left on device.*--resume"):
                await server.run()

        group.create_task(run())
        guest = await at.join()
        guest.connection.send(Sit(0))
        assert (await guest.ended()).reason == HOST_LEFT
    assert guest.texts() == ["before"]


async def test_a_table_that_closes_ends_the_server_with_its_reason() -> None:
    table = FakeTable()
    server = Server(table, TABLE, FakeEffects(), program="goat 0.2", addresses=["127.0.0.1"])
    table.on_message = lambda conn, message: table.outbox.append(TableClosed(notice(Saying.HANDED_OVER)))
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        at = House(group, server, table, FakeEffects())
        running = group.create_task(server.run())
        guest = await at.join()
        guest.connection.send(Sit(0))
        end = await guest.ended()
        assert (end.reason, end.text) == (HOST_LEFT, "the match goes on at another player's table")
        assert await running == notice(Saying.HANDED_OVER)
    assert table.told[-1][0] == "gone"


async def test_the_table_is_woken_at_its_deadline_and_not_in_a_circle() -> None:
    async with house() as at:
        guest = await at.join()
        loop = asyncio.get_running_loop()
        at.table.on_message = lambda conn, message: setattr(at.table, "deadline", loop.time() + 0.05)
        guest.connection.send(Sit(0))
        await at.table.until("tick")  # and its deadline stays in the past, as a mistake might have it
        due = at.table.deadline
        assert due is not None
        await at.table.until("tick", 4)
        times = [told[1] for told in at.table.told if told[0] == "tick"]
        assert times[0] >= due
        assert all(later - before >= module.TICK_GAP * 0.9 for before, later in pairwise(times))
        at.table.deadline = None


async def test_a_mistake_of_the_table_is_not_swallowed() -> None:
    class OwnMistakeError(Exception):
        pass

    def wrong(conn: int, message: Any) -> None:
        raise OwnMistakeError

    table = FakeTable()
    table.on_message = wrong
    server = Server(table, TABLE, FakeEffects(), program="goat 0.2", addresses=["127.0.0.1"])
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        at = House(group, server, table, FakeEffects())

        async def run() -> None:
            with pytest.raises(ExceptionGroup) as caught:
                await server.run()
            assert caught.group_contains(OwnMistakeError)

        group.create_task(run())
        guest = await at.join()
        guest.connection.send(Sit(0))
        assert (await guest.ended()).reason == LOST


async def test_a_table_that_wants_to_is_told_of_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    class Listening(FakeTable):
        def silent(self, conn: int, on: bool, now: float) -> None:
            self.tell("silent", on)

    table = Listening()
    server = Server(table, TABLE, FakeEffects(), program="goat 0.2", addresses=["127.0.0.1"])
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        at = House(group, server, table, FakeEffects())
        group.create_task(server.run())
        guest = await at.join()
        (caller,) = server._callers.guests.values()
        assert caller.connection is not None
        monkeypatch.setattr(link, "SILENT_AFTER", 0.05)
        caller.connection._poke.set()
        await table.until("silent")
        monkeypatch.setattr(link, "SILENT_AFTER", 50.0)
        guest.connection.send(Sit(0))
        await table.until("silent", 2)
        assert [told for told in table.told if told[0] == "silent"] == [("silent", True), ("silent", False)]
        server.stop()


# The end -----------------------------------------------------------------------------------------------------


async def test_stopping_with_guests_idle_sockets_and_half_joins_prints_nothing(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with AsyncExitStack() as stack:
        async with house() as at:
            guests = [await at.join() for _ in range(3)]
            await stack.enter_async_context(idle(at.server.port, 5))
            _, writer = await open_stream(Address("127.0.0.1", at.server.port))
            await at.until(lambda: at.server.counts == (6, 0, 3))
        for guest in guests:
            assert (await guest.ended()).reason == HOST_LEFT
        writer.transport.abort()
    assert capfd.readouterr() == ("", "")
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING or r.name == "asyncio"] == []


async def test_cancelling_cuts_everything_and_prints_nothing(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    table = FakeTable()
    server = Server(table, TABLE, FakeEffects(), program="goat 0.2", addresses=["127.0.0.1"])
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        at = House(group, server, table, FakeEffects())
        running = group.create_task(server.run())
        guests = [await at.join() for _ in range(3)]
        async with idle(server.port, 5):
            await at.until(lambda: server.counts == (5, 0, 3))
            running.cancel()
            for guest in guests:
                assert (await guest.ended()).reason == LOST
        await asyncio.wait([running])
        assert running.cancelled()
    assert capfd.readouterr() == ("", "")
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING] == []


async def test_a_server_that_never_runs_is_closed() -> None:
    server = Server(FakeTable(), TABLE, FakeEffects(), program="goat 0.2", addresses=["127.0.0.1"])
    assert server.addresses == ("127.0.0.1",)
    server.close()
