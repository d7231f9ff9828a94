"""Connections over real streams: TLS on a socket pair, TCP on loopback (PROTOCOL.md, Stream)."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from goat_net.wire import link, stream
from goat_net.wire.address import Address
from goat_net.wire.hello import TableFacts
from goat_net.wire.identity import Identity
from goat_net.wire.link import (
    LOST,
    Back,
    Closed,
    Event,
    MisuseError,
    Opened,
    Probed,
    Proven,
    Received,
    Silent,
)
from goat_net.wire.messages import (
    BAD_SIGNATURE,
    HOST_LEFT,
    KICKED,
    LEFT,
    MALFORMED,
    PROTOCOL,
    TOO_SLOW,
    Joined,
    Ping,
    Say,
)
from goat_net.wire.notices import Saying, notice
from goat_net.wire.peer import Host, Joiner
from goat_net.wire.stream import CHUNK, Connection, accept, ask_status, connect, connect_first, probe
from goat_net.wire.tls import SERVER_NAME, ServerContext, client_context, server_context
from tests.patience import PATIENCE

TABLE, ANNA = Identity.from_seed(b"\x09" * 32), Identity.from_seed(b"\x01" * 32)
LEFT_TEXT = "the other side has left"
FACTS = TableFacts("Kitchen", 2, True, False, 1)


class End:
    """One end with what it heard, and a way to wait for it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.heard: list[Event] = []
        self._news = asyncio.Event()

    def on_event(self, event: Event) -> None:
        self.heard.append(event)
        if isinstance(event, Proven):
            peer = self.connection.peer
            assert isinstance(peer, Host)
            peer.accept(Joined(b"", b"", 0), asyncio.get_running_loop().time())
        if isinstance(event, Probed):
            peer = self.connection.peer
            assert isinstance(peer, Host)
            peer.answer(FACTS, asyncio.get_running_loop().time())
        self._news.set()

    async def run(self) -> Closed:
        return await self.connection.run(self.on_event)

    def messages(self) -> list[Any]:
        return [event.message for event in self.heard if isinstance(event, Received)]

    async def until(self, kind: type[Event], count: int = 1) -> None:
        """Wait until so many events of a kind have come."""
        async with asyncio.timeout(PATIENCE):
            while sum(isinstance(event, kind) for event in self.heard) < count:
                self._news.clear()
                await self._news.wait()


async def client_of(sock: socket.socket, peer: Joiner) -> Connection:
    reader, writer = await asyncio.open_connection(
        sock=sock, ssl=client_context(), server_hostname=SERVER_NAME, ssl_shutdown_timeout=1.0, limit=stream.READ_LIMIT
    )
    return Connection(reader, writer, peer)


@asynccontextmanager
async def pair(**host_settings: Any) -> AsyncIterator[tuple[End, End, asyncio.TaskGroup]]:
    """A host's and a joiner's end on a socket pair, not running yet."""
    near, far = socket.socketpair()
    near.setblocking(False)
    far.setblocking(False)
    now = asyncio.get_running_loop().time()
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        opening = group.create_task(client_of(near, Joiner(ANNA, "Anna", program="goat 0.1")))
        host = await accept(far, server_context(), Host(TABLE, "goat 0.2"), now, **host_settings)
        yield End(host), End(await opening), group


@asynccontextmanager
async def joined(**host_settings: Any) -> AsyncIterator[tuple[End, End]]:
    """Two ends that run and are open; the joiner leaves when the block ends."""
    async with pair(**host_settings) as (host, guest, group):
        group.create_task(host.run())
        group.create_task(guest.run())
        await guest.until(Opened)
        yield host, guest
        guest.connection.close(LEFT)


async def test_join_and_talk_on_a_socket_pair() -> None:
    async with joined() as (host, guest):
        for number in range(20):
            assert guest.connection.send(Say(f"up {number}"))
            assert host.connection.send(Say(f"down {number}"))
        await host.until(Received, 20)
        await guest.until(Received, 20)
    assert host.messages() == [Say(f"up {number}") for number in range(20)]
    assert guest.messages() == [Say(f"down {number}") for number in range(20)]
    assert host.heard[-1] == Closed(LEFT, LEFT_TEXT, True, PROTOCOL, "goat 0.1")
    assert guest.heard[-1] == Closed(LEFT, LEFT_TEXT, False, PROTOCOL, "goat 0.2")
    assert [type(event) for event in guest.heard].count(Closed) == 1
    assert not guest.connection.send(Ping())


async def test_a_thousand_sends_from_three_tasks_keep_their_order() -> None:
    async with joined() as (host, guest):

        async def talk(who: str, count: int) -> None:
            for number in range(count):
                assert guest.connection.send(Say(f"{who} {number}"))
                if number % 7 == 0:
                    await asyncio.sleep(0)

        async with asyncio.TaskGroup() as group:
            for who, count in (("a", 334), ("b", 333), ("c", 333)):
                group.create_task(talk(who, count))
        await host.until(Received, 1000)
    texts = [message.text for message in host.messages()]
    assert len(texts) == 1000
    for who, count in (("a", 334), ("b", 333), ("c", 333)):
        assert [text for text in texts if text.startswith(who)] == [f"{who} {number}" for number in range(count)]


async def test_last_words_sent_before_the_goodbye_arrive() -> None:
    async with joined() as (host, guest):
        for number in range(100):
            host.connection.send(Say(f"{number} " + "x" * 250))
        host.connection.close(HOST_LEFT, notice(Saying.HOST_LEFT))
        await guest.until(Closed)
    assert len(guest.messages()) == 100
    assert guest.heard[-1] == Closed(HOST_LEFT, "the host has left", True, PROTOCOL, "goat 0.2")


@asynccontextmanager
async def deaf(**host_settings: Any) -> AsyncIterator[tuple[End, Connection]]:
    """A running host's end, and a joiner who is in and then reads nothing."""
    async with pair(**host_settings) as (host, guest, group):
        group.create_task(host.run())
        reading = group.create_task(guest.run())
        await guest.until(Opened)
        guest.connection._writer.transport.pause_reading()  # type: ignore[attr-defined]
        yield host, guest.connection
        await host.until(Closed)
        guest.connection._writer.transport.abort()
        await reading


async def test_a_peer_that_does_not_read_is_dropped_at_the_bound_of_the_queue() -> None:
    async with deaf() as (host, _):
        sent = most = 0
        while host.connection.send(Say("x" * 300)):
            sent += 1
            most = max(most, host.connection.queued)
            if sent % 50 == 0:
                await asyncio.sleep(0)
            assert sent < 20_000
        assert not host.connection.send(Say("x"))
        assert most <= stream.QUEUE_MAX
        assert host.connection.queued <= CHUNK
    end = host.heard[-1]
    assert isinstance(end, Closed)
    assert (end.reason, end.by_peer) == (TOO_SLOW, False)


async def test_a_peer_that_does_not_read_is_dropped_when_nothing_goes_out_for_long() -> None:
    async with deaf(stall=0.1, queue_max=1 << 30) as (host, _):
        for _ in range(4000):
            if not host.connection.send(Say("x" * 300)):
                break
        await host.until(Closed)
    end = host.heard[-1]
    assert isinstance(end, Closed)
    assert end.reason == TOO_SLOW
    assert "nothing could be sent" in end.text


async def test_a_stream_that_breaks_is_lost_at_both_ends() -> None:
    async with pair() as (host, guest, group):
        ends = [group.create_task(host.run()), group.create_task(guest.run())]
        await guest.until(Opened)
        guest.connection._writer.transport.abort()
        for task in ends:
            assert (await task).reason == LOST
    assert isinstance(host.heard[-1], Closed)


async def test_a_silent_peer_can_be_given_up_at_once() -> None:
    async with pair() as (host, guest, group):
        ends = [group.create_task(host.run()), group.create_task(guest.run())]
        await guest.until(Opened)
        guest.connection.cut("silent for too long")
        guest.connection.cut("twice")
        assert [(await task).reason for task in ends] == [LOST, LOST]
    assert guest.heard[-1] == Closed(LOST, "silent for too long", False, PROTOCOL, "goat 0.2")


async def test_garbage_after_the_join_ends_it_with_a_reason() -> None:
    async with pair() as (host, guest, group):
        ends = [group.create_task(host.run()), group.create_task(guest.run())]
        await guest.until(Opened)
        guest.connection._writer.write(b"GET / HTTP/1.1\r\n")
        assert [(await task).reason for task in ends] == [MALFORMED, MALFORMED]


async def test_a_handler_may_close_and_hears_no_more_but_the_end() -> None:
    async with pair() as (host, guest, group):
        closing = []

        def strict(event: Event) -> None:
            host.on_event(event)
            if isinstance(event, Received):
                closing.append(event.message)
                host.connection.close(KICKED, notice(Saying.TAKEN_OFF_SAYING, "enough"))

        group.create_task(host.connection.run(strict))
        group.create_task(guest.run())
        await guest.until(Opened)
        for text in ("one", "two", "three"):
            guest.connection.send(Say(text))
        await guest.until(Closed)
        await host.until(Closed)
    assert closing == [Say("one")]
    end = guest.heard[-1]
    assert isinstance(end, Closed)
    assert (end.reason, end.text, end.by_peer) == (KICKED, "the host has taken you off the table: enough", True)


async def test_what_a_handler_raises_comes_out_and_the_stream_is_cut() -> None:
    class OwnMistakeError(Exception):
        pass

    async with pair() as (host, guest, group):

        def wrong(event: Event) -> None:
            raise OwnMistakeError

        async def run() -> None:
            with pytest.raises(ExceptionGroup) as caught:
                await host.connection.run(wrong)
            assert caught.group_contains(OwnMistakeError)

        group.create_task(run())
        assert (await guest.run()).reason == LOST


async def test_a_connection_runs_once() -> None:
    async with joined() as (host, _):
        with pytest.raises(MisuseError, match="once"):
            await host.run()


async def test_cancelling_leaves_nothing_and_prints_nothing(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "asyncio")
    async with pair() as (host, guest, group):
        running = group.create_task(host.run())
        other = group.create_task(guest.run())
        await guest.until(Opened)
        host.connection.send(Say("never heard, perhaps"))
        running.cancel()
        assert (await other).reason == LOST
    await asyncio.sleep(0)
    assert running.cancelled()
    assert capfd.readouterr() == ("", "")
    assert [record.message for record in caplog.records if record.levelno >= logging.INFO] == []


async def test_a_connection_closed_before_it_runs_says_its_goodbye() -> None:
    async with pair() as (host, guest, group):
        host.connection.close(KICKED, notice(Saying.TAKEN_OFF_SAYING, "not today"))
        group.create_task(host.run())
        end = await guest.run()
    assert (end.reason, end.text, end.by_peer) == (KICKED, "the host has taken you off the table: not today", True)


async def test_pings_keep_a_connection_and_silence_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "PING_AFTER", 0.02)
    monkeypatch.setattr(link, "SILENT_AFTER", 0.3)
    monkeypatch.setattr(link, "DEAD_AFTER", 0.9)
    async with pair() as (host, guest, group):
        running = [group.create_task(host.run()), group.create_task(guest.run())]
        await guest.until(Opened)
        transport: Any = guest.connection._writer.transport
        transport.pause_reading()  # the cable is out, one way
        await guest.until(Silent)
        transport.resume_reading()
        await guest.until(Back)
        transport.pause_reading()
        assert (await running[1]).reason == LOST
        await running[0]


async def test_a_host_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "WELCOME_WITHIN", 0.1)
    async with pair() as (host, guest, _):
        assert (await guest.run()).reason == TOO_SLOW
        host.connection.abort()


# TCP on loopback -----------------------------------------------------------------------------------------------


@asynccontextmanager
async def table(address: str = "127.0.0.1", context: ServerContext | None = None) -> AsyncIterator[int]:
    """A host on a port of its own that serves one caller after another; gives the port."""
    loop = asyncio.get_running_loop()
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as listener:
        listener.bind((address, 0))
        listener.listen()
        listener.setblocking(False)

        async def serve() -> None:
            while True:
                sock, _ = await loop.sock_accept(listener)
                await End(await accept(sock, context or server_context(), Host(TABLE, "goat 0.2"), loop.time())).run()

        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            serving = group.create_task(serve())
            yield listener.getsockname()[1]
            serving.cancel()


async def test_join_over_tcp() -> None:
    async with table() as port:
        guest = End(await connect("127.0.0.1", port, Joiner(ANNA, "Anna", program="goat 0.1")))
        assert guest.connection.remote == "127.0.0.1"

        async with asyncio.TaskGroup() as group:
            running = group.create_task(guest.run())
            await guest.until(Opened)
            guest.connection.close(LEFT)
            assert (await running).reason == LEFT


async def test_probe_over_tcp() -> None:
    async with table() as port:
        answer = await ask_status(Address("127.0.0.1", port), "goat 0.1")
        assert answer.status.name == "Kitchen"
        assert answer.status.table_key == TABLE.public
        assert answer.round_trip > 0
        again = await probe(Address("127.0.0.1", port), "goat 0.1")
        assert again is not None


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6 loopback")
async def test_probe_over_ipv6_with_and_without_a_scope() -> None:
    loopback = socket.if_nametoindex("lo") if hasattr(socket, "if_nametoindex") else 0
    async with table("::1") as port:
        for scope in (0, loopback):
            answer = await probe(Address("::1", port, scope), "goat 0.1")
            assert answer is not None


async def test_the_first_address_that_answers_is_taken() -> None:
    async with table() as port:
        free = Address("127.0.0.1", unused_port())
        where, connection = await connect_first([free, Address("127.0.0.1", port)], Joiner(ANNA, "A", program="goat 0"))
        assert where.port == port
        connection.close(LEFT)
        assert (await connection.run(lambda _: None)).reason == LEFT


def unused_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


async def test_nobody_there() -> None:
    port = unused_port()
    with pytest.raises(ConnectionRefusedError):
        await connect("127.0.0.1", port, Joiner(ANNA, "Anna", program="goat 0.1"))
    assert await probe(Address("127.0.0.1", port), "goat 0.1") is None


@pytest.mark.parametrize("answer", [b"", b"220 mail ESMTP\r\n", b"\x00" * 100], ids=["silence", "mail", "zeros"])
async def test_somebody_else_there(answer: bytes) -> None:
    class Other(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            transport.write(answer)

    async with await asyncio.get_running_loop().create_server(Other, "127.0.0.1", 0) as server:
        address = Address("127.0.0.1", server.sockets[0].getsockname()[1])
        assert await probe(address, "goat 0.1", within=0.3) is None
        with pytest.raises(OSError):  # noqa: PT011 - of whatever kind
            await connect(address.host, address.port, Joiner(ANNA, "Anna", program="goat 0.1"), within=0.3)


async def test_somebody_who_takes_tls_apart_between_is_noticed() -> None:
    """Mallory ends both TLS sessions and passes every byte on."""
    async with table() as port:

        async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            far_reader, far_writer = await stream.open_stream(Address("127.0.0.1", port))
            far_writer.write(await reader.read(4096))  # Hello
            writer.write(await far_reader.read(4096))  # Welcome
            far_writer.write(await reader.read(4096))  # what the joiner says to that
            for end in (far_writer, writer):
                end.close()

        between = await asyncio.start_server(
            pass_on, "127.0.0.1", 0, ssl=server_context(), ssl_handshake_timeout=5, ssl_shutdown_timeout=1
        )
        async with between:
            guest = await connect(
                "127.0.0.1", between.sockets[0].getsockname()[1], Joiner(ANNA, "Anna", program="goat 0.1")
            )
            end = await guest.run(lambda _: None)
            assert (end.reason, end.by_peer) == (BAD_SIGNATURE, False)
