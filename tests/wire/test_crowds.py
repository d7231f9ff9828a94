"""Crowds of strangers: what they may take, and that others get through (PROTOCOL.md, Bounds)."""

import asyncio
import random
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from goat_client.commands.sitting import tried_names
from goat_host.callers import Caller, crowd
from goat_host.limits import (
    CONTROL_BURST,
    GUESSES_BURST,
    GUESSES_PER_SECOND,
    ORIGINS_MAX,
    PASSED_OVER_MAX,
    REACH_BURST,
    TLS_BURST_ALL,
    CodeTries,
    Handshakes,
)
from goat_host.outgoing import SPARE
from goat_host.people import MAX_WATCHERS
from goat_host.ports import Send
from goat_host.table import Table

from goat_net.log.chain import parse_record
from goat_net.log.records import HOST
from goat_net.seat.direct_lines import LINES_EACH, STRANGERS
from goat_net.seat.reach import make_reach
from goat_net.wire.address import Address
from goat_net.wire.fairness import Bucket, Buckets
from goat_net.wire.framing import frame
from goat_net.wire.identity import Identity
from goat_net.wire.link import LOST, Closed, Event, Opened, Received
from goat_net.wire.messages import (
    FLOOD,
    LEFT,
    MESSAGES,
    PROTOCOL,
    ROLE_WATCHER,
    TOO_MANY,
    Hello,
    Lobby,
    Reach,
    Read,
    Ready,
    Said,
    Say,
    Sit,
    Submit,
)
from goat_net.wire.peer import Joiner
from goat_net.wire.stream import Connection, probe
from goat_net.wire.text import is_name
from goat_net.wire.tls import client_context
from goat_net.wire.words import code_problem, new_code
from tests.wire.kit import (
    HERE,
    SEATED,
    STRANGER,
    TABLE,
    WITHIN,
    direct_line,
    is_let_in,
    join,
    new_table,
    serving,
    throw,
)
from tests.world.world import World


async def dialled(port: int, address: str = HERE) -> socket.socket:
    """A plain socket to this port, from this local address."""
    sock = socket.socket()
    sock.setblocking(False)
    sock.bind((address, 0))
    await asyncio.get_running_loop().sock_connect(sock, (HERE, port))
    return sock


@asynccontextmanager
async def silent(port: int, count: int, address: str = HERE) -> AsyncIterator[list[socket.socket]]:
    """Sockets that say nothing."""
    async with AsyncExitStack() as stack:
        yield [stack.enter_context(await dialled(port, address)) for _ in range(count)]


# Buckets ----------------------------------------------------------------------------------------------------------


def test_a_bucket_lets_its_burst_through_and_then_its_rate() -> None:
    bucket = Bucket(3, 2)
    assert [bucket.take(0.0) for _ in range(5)] == [True] * 3 + [False] * 2
    assert bucket.wait(0.0) == 0.5
    assert [bucket.take(0.5), bucket.take(0.5)] == [True, False]
    assert not bucket.is_full(1.0)
    assert bucket.is_full(100.0)
    assert [bucket.take(100.0) for _ in range(4)] == [True] * 3 + [False]
    assert bucket.take(99.0) is False  # a clock that goes back gives nothing


def test_buckets_of_many_origins_are_bounded_and_full_ones_go_first() -> None:
    buckets = Buckets(1, 1, 3)
    assert [buckets.take(w, 0.0) for w in "aab"] == [True, False, True]
    assert buckets.take("c", 0.5)
    assert buckets.take("d", 1.0)  # a and b are as they were at the beginning
    assert len(buckets) == 2
    for number in range(100):
        buckets.take(str(number), 1.0)
    assert len(buckets) == 3


# Direct lines -----------------------------------------------------------------------------------------------------


async def test_silent_sockets_on_a_direct_line_keep_nobody_away() -> None:
    """M10: nine of them kept every seat from getting through for 5 s, again and again."""
    async with direct_line() as known:
        known.chair.direct.knows = lambda key: key != STRANGER.public  # type: ignore[method-assign]
        async with silent(known.port, 3 * STRANGERS), silent(known.port, STRANGERS, "127.0.0.2"):
            for seat in (1, 2, 3):
                assert await is_let_in(known.port, SEATED[seat])


async def test_sockets_of_half_a_hello_on_a_direct_line_make_room_for_another_machine() -> None:
    """M10: also those that have begun TLS; first those of whoever has most."""
    async with direct_line() as known:
        known.chair.direct.knows = lambda key: True  # type: ignore[method-assign]
        async with silent(known.port, STRANGERS, "127.0.0.2") as crowd:
            for sock in crowd:
                await asyncio.get_running_loop().sock_sendall(sock, b"\x16\x03\x01")
            assert await is_let_in(known.port, SEATED[1])


async def test_whoever_does_not_begin_with_tls_is_hung_up_on_at_once() -> None:
    async with direct_line() as known:
        loop = asyncio.get_running_loop()
        sock = await dialled(known.port)
        with sock:
            await loop.sock_sendall(sock, b"GET / HTTP/1.1\r\n\r\n")
            async with asyncio.timeout(WITHIN):
                with suppress(ConnectionError):
                    assert await loop.sock_recv(sock, 10) == b""


async def test_one_seat_takes_no_more_than_two_lines() -> None:
    """M10: a seat of the match could take all of them."""
    async with direct_line() as known, AsyncExitStack() as stack:
        known.chair.direct.knows = lambda key: True  # type: ignore[method-assign]
        group = await stack.enter_async_context(asyncio.TaskGroup())
        open_ones: list[Any] = []
        ends = []
        for number in range(LINES_EACH + 2):
            connection, _ = await join(known.port, SEATED[1])
            news = asyncio.Event()

            def on_event(event: Event, connection: Any = connection, news: asyncio.Event = news) -> None:
                if isinstance(event, Opened):
                    open_ones.append(connection)
                news.set()

            running = group.create_task(connection.run(on_event))
            await news.wait()
            if number >= LINES_EACH:
                ends.append((await running).reason)
        assert len(open_ones) == LINES_EACH
        assert ends == [TOO_MANY, TOO_MANY]
        assert await is_let_in(known.port, SEATED[2])
        for connection in open_ones:
            connection.close(13)


async def test_the_door_of_a_direct_line_goes_on_after_many_strangers(seed: int) -> None:
    async with direct_line() as known:
        known.chair.direct.knows = lambda key: key == SEATED[1].public  # type: ignore[method-assign]
        for _ in range(2 * STRANGERS):
            heard = await throw(known.port, b"\xc5\x00\x00")
            assert heard.end is not None
        assert await is_let_in(known.port, SEATED[1])


# A table ----------------------------------------------------------------------------------------------------------


class Guest:
    """A guest's connection, with what it heard; from this local address."""

    def __init__(self, group: asyncio.TaskGroup, connection: Connection) -> None:
        self.connection, self.heard, self.news = connection, list[Event](), asyncio.Event()
        self.running = group.create_task(connection.run(self.on_event))

    def on_event(self, event: Event) -> None:
        self.heard.append(event)
        self.news.set()

    async def until(self, good: Any) -> Any:
        async with asyncio.timeout(WITHIN):
            while True:
                for event in self.heard:
                    if found := good(event):
                        return found
                self.news.clear()
                await self.news.wait()

    def messages(self, kind: type[Any]) -> list[Any]:
        return [e.message for e in self.heard if isinstance(e, Received) and isinstance(e.message, kind)]

    async def hears(self, text: str) -> None:
        await self.until(lambda e: isinstance(e, Received) and isinstance(e.message, Said) and e.message.text == text)

    def leave(self) -> None:
        self.connection.close(LEFT)


async def guest(
    group: asyncio.TaskGroup, port: int, name: str, *, address: str = HERE, number: int = 0, **settings: Any
) -> Guest:
    """Somebody whose hello is under way."""
    identity = Identity.from_seed(sha256(f"{name}/{number}".encode()).digest())
    reader, writer = await asyncio.open_connection(
        sock=await dialled(port, address), ssl=client_context(), server_hostname="goat", ssl_shutdown_timeout=1
    )
    return Guest(group, Connection(reader, writer, Joiner(identity, name, program="goat 0.1", **settings)))


def opened(event: Event) -> bool:
    return isinstance(event, Opened)


def ended(event: Event) -> Any:
    return event if isinstance(event, Closed) else None


async def test_a_burst_of_one_guest_costs_the_others_one_lobby_and_drops_nobody_else() -> None:
    """H1: 4,092 bytes of "ready", "not ready" in one read made 682 broadcasts, and everybody fell."""
    table = new_table()
    async with serving(table) as server, asyncio.TaskGroup() as group:
        others = [await guest(group, server.port, f"Guest {n}") for n in range(6)]
        bad = await guest(group, server.port, "Boris")
        for one in (*others, bad):
            await one.until(opened)
        bad.connection.send(Sit(1))
        await bad.until(lambda e: isinstance(e, Received) and isinstance(e.message, Lobby) and e.message.seats[1].taken)
        before = [len(one.messages(Lobby)) for one in others]
        burst = b"".join(frame(MESSAGES.encode(Ready(bool(n % 2)))) for n in range(682))
        bad.connection._writer.write(burst)
        end = await bad.until(ended)
        assert end.reason in (FLOOD, LOST)
        others[0].connection.send(Say("still here"))
        for one in others:
            await one.hears("still here")
        told = [len(one.messages(Lobby)) - count for one, count in zip(others, before, strict=True)]
        assert max(told) <= CONTROL_BURST
        for one in others:
            assert not one.running.done()
            one.leave()


async def test_many_changes_in_one_moment_are_told_once_and_the_last_one_is() -> None:
    """H1: how the table is goes out once in a tenth of a second, and always as it is at last."""
    table = new_table()
    async with serving(table) as server, asyncio.TaskGroup() as group:
        anna = await guest(group, server.port, "Anna")
        await anna.until(lambda e: isinstance(e, Received) and isinstance(e.message, Lobby))
        count = len(anna.messages(Lobby))
        for number in range(500):
            table.setup = replace(table.setup, name=f"Kitchen {number}")
            table._lobby()
            server._carry()
        await anna.until(
            lambda e: isinstance(e, Received) and isinstance(e.message, Lobby) and e.message.table_name == "Kitchen 499"
        )
        assert len(anna.messages(Lobby)) - count <= 4
        anna.leave()


async def test_who_does_not_read_is_not_dropped_for_what_others_tell_and_change() -> None:
    """H1: a reader is dropped for the entries of the log alone, which nobody else can make many of."""
    table = new_table()
    async with serving(table, queue_max=2 * SPARE) as server, asyncio.TaskGroup() as group:
        anna, boris = await guest(group, server.port, "Anna"), await guest(group, server.port, "Boris")
        for one in (anna, boris):
            await one.until(opened)
        transport: Any = anna.connection._writer.transport
        transport.pause_reading()
        conn = next(n for n, g in table.people.guests.items() if g.hello.name == "Anna")
        line = server._line(conn)
        assert line is not None
        said = Said(4, "Boris", bytes(32), "x" * 300)
        while line.queued <= SPARE:
            table.outbox.append(Send(conn, said))
            server._carry()
            await asyncio.sleep(0)
        for _ in range(2000):
            table.outbox.append(Send(conn, said))
            table._lobby()
            server._carry()
        assert line.queued < 2 * SPARE
        transport.resume_reading()
        boris.connection.send(Say("still here"))
        async with asyncio.timeout(WITHIN):
            while line.queued > SPARE:
                await asyncio.sleep(0.01)
        assert not anna.running.done()
        for one in (anna, boris):
            one.leave()


async def test_addresses_are_passed_on_a_few_at_a_time_and_their_flood_ends_its_sender() -> None:
    """M3: fourteen watchers with 823 of them a second made a match of 3.8 entries a second one of 0.6."""
    async with serving() as server, asyncio.TaskGroup() as group:
        anna = await guest(group, server.port, "Anna")
        await anna.until(opened)
        connection = (bad := await guest(group, server.port, "Boris", role=ROLE_WATCHER)).connection
        await bad.until(opened)
        identity = Identity.from_seed(sha256(b"Boris/0").digest())
        for serial in range(1, PASSED_OVER_MAX + REACH_BURST + 10):
            connection.send(make_reach(identity, TABLE.public, serial, ("127.0.0.1:4000",)))
        end = await bad.until(ended)
        assert end.reason in (FLOOD, LOST)
        anna.connection.send(Say("still here"))
        await anna.hears("still here")
        assert len(anna.messages(Reach)) == REACH_BURST
        anna.leave()


async def test_a_crowd_from_one_address_makes_room_for_somebody_from_elsewhere() -> None:
    """M4: sixteen watchers from one address, and no new player could come."""
    async with serving() as server, asyncio.TaskGroup() as group:
        crowd = []
        for number in range(MAX_WATCHERS):
            crowd.append(await guest(group, server.port, f"W{number}", address="127.0.0.2", role=ROLE_WATCHER))
            await crowd[-1].until(opened)
        one_more = await guest(group, server.port, "One more", address="127.0.0.2", role=ROLE_WATCHER)
        assert (await one_more.until(ended)).reason == TOO_MANY
        anna = await guest(group, server.port, "Anna")
        await anna.until(opened)
        assert (await crowd[-1].until(ended)).reason == TOO_MANY
        vera = await guest(group, server.port, "Vera", address="127.0.0.3", role=ROLE_WATCHER)
        await vera.until(opened)
        for one in (*crowd[:-2], anna, vera):
            assert not one.running.done()
            one.leave()


def test_a_crowd_is_who_has_two_more_than_the_newcomer() -> None:
    """M4: shares are fair, and nobody pushes out their equals."""
    here = socket.socket()
    with here:
        guests = [Caller(n, where, here, 0.0) for n, where in enumerate("aabbbc")]
        found = crowd(guests, "c")
        assert found is guests[4]
        assert crowd(guests, "d") is guests[4]
        assert crowd(guests[:2] + guests[5:], "c") is None
        assert crowd(guests, "b") is None
        assert crowd([], "a") is None


def test_names_that_somebody_squats_keep_nobody_out() -> None:
    """M4: four squatted names, "Ann" to "Ann 4", blocked every Ann."""
    names = tried_names("Ann")
    assert names[:3] == ("Ann", "Ann 2", "Ann 3")
    assert len(set(names)) == len(names) >= 6
    assert len({name for _ in range(20) for name in tried_names("Ann")}) > 20  # nobody can squat them all
    for name in ("Anastasia Gomel", "바둑이와고양이", "Ян"):
        assert all(is_name(tried) for tried in tried_names(name)), name


# Handshakes and guesses -------------------------------------------------------------------------------------------


async def test_handshakes_of_one_address_are_limited_and_another_gets_in() -> None:
    """M4: TLS costs a table more than anything that a stranger may ask of it."""
    async with serving() as server:
        server._handshakes._each.burst = 3
        server._handshakes._each.rate = 0.001
        for _ in range(3):
            assert await probe(Address(HERE, server.port), "goat 0.1") is not None
        assert await probe(Address(HERE, server.port), "goat 0.1") is None
        async with asyncio.TaskGroup() as group:
            other = await guest(group, server.port, "Vera", address="127.0.0.2")
            await other.until(opened)
            other.leave()


def test_handshakes_of_many_addresses_are_limited_but_for_who_is_in() -> None:
    limit = Handshakes()
    assert sum(limit.take(f"10.0.{n // 250}.{n % 250}", False, 0.0) for n in range(1000)) == TLS_BURST_ALL
    assert limit.take("10.9.9.9", True, 0.0)
    assert limit.take("10.8.8.8", False, 1.0)


def test_guesses_from_many_addresses_are_slowed_together_but_for_who_was_right() -> None:
    """M12: 252 a second from 300 addresses."""
    tries = CodeTries()
    tries.right("home")
    now, guesses = 0.0, 0
    while now < 60.0:
        for number in range(300):
            where = f"{number}/{guesses}"
            if not tries.pause(where, now):
                tries.wrong(where, now)
                guesses += 1
        assert not tries.pause("home", now)
        now += 0.25
    assert guesses <= GUESSES_BURST + 60 * GUESSES_PER_SECOND + 1
    assert 0 < tries.pause("new", now - 0.25) <= 1 / GUESSES_PER_SECOND
    assert len(tries._by_origin) <= ORIGINS_MAX


@pytest.mark.parametrize(("code", "good"), [("a", False), ("12 34", False), ("abc-def", True), ("банан", False)])
def test_a_code_has_a_least_length(code: str, good: bool) -> None:
    """M12: a typed code may have had one character."""
    assert (code_problem(code) == "") is good
    assert code_problem(new_code(bytes(8))) == ""


# After a resume ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("junk", [0, 1, 200])
def test_what_seats_send_while_a_table_listens_is_pushed_out_by_nobody(junk: int) -> None:
    """M11: sixteen records of a watcher did it, and a seat's own flood costs that seat alone."""
    world = World(1)
    world.run(deals=1)
    assert world.table.fold is not None
    entries = world.table.fold.chain.entries
    number = max(n for n, e in enumerate(entries) if parse_record(e.record).author != HOST)
    record = parse_record(entries[number].record)
    table = Table.from_journal(world.table.identity, world.table.setup, random.randbytes, entries[:number])
    assert table.fold is not None
    watcher = Hello(PROTOCOL, "x", ROLE_WATCHER, STRANGER.public, bytes(32), "Vera", "", b"")
    table.joined(9, watcher, b"", 0.0)
    for seat in range(4):
        table.joined(seat, world.seated[seat].hello(), b"", 0.0)
    table.message(record.author, Submit(record.raw), 0.1)
    other = (record.author + 1) % 4
    for n in range(junk):
        table.message(9, Submit(entries[n % number].record), 0.2)
        table.message(other, Submit(entries[n % number].record), 0.2)
    for seat in range(4):
        table.message(seat, Read(table.fold.chain.log_id, number), 0.3)
    assert len(table.fold.chain) > number
    assert table.fold.chain.entries[number].record == record.raw
