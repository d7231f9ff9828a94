"""Crowds of strangers: what they may take, and that others get through (PROTOCOL.md, Bounds)."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from goat_net.seat.direct_lines import LINES_EACH, STRANGERS
from goat_net.wire.fairness import Bucket, Buckets
from goat_net.wire.link import Event, Opened
from goat_net.wire.messages import TOO_MANY
from tests.wire.kit import HERE, SEATED, STRANGER, WITHIN, direct_line, is_let_in, join, throw


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
        known.chair.knows = lambda key: key != STRANGER.public  # type: ignore[method-assign]
        async with silent(known.port, 3 * STRANGERS), silent(known.port, STRANGERS, "127.0.0.2"):
            for seat in (1, 2, 3):
                assert await is_let_in(known.port, SEATED[seat])


async def test_sockets_of_half_a_hello_on_a_direct_line_make_room_for_another_machine() -> None:
    """M10: also those that have begun TLS; first those of whoever has most."""
    async with direct_line() as known:
        known.chair.knows = lambda key: True  # type: ignore[method-assign]
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
        known.chair.knows = lambda key: True  # type: ignore[method-assign]
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
            connection.close(13, "")


async def test_the_door_of_a_direct_line_goes_on_after_many_strangers(seed: int) -> None:
    async with direct_line() as known:
        known.chair.knows = lambda key: key == SEATED[1].public  # type: ignore[method-assign]
        for _ in range(2 * STRANGERS):
            heard = await throw(known.port, b"\xc5\x00\x00")
            assert heard.end is not None
        assert await is_let_in(known.port, SEATED[1])


