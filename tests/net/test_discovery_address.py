"""goat_net.wire.address: what people type, and trying several addresses at once."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goat_net.wire.address import (
    Address,
    AddressError,
    in_order,
    is_link_local,
    parse_address,
    race,
    race_connect,
    resolve,
)

A, B, C = Address("10.0.0.1", 1), Address("10.0.0.2", 2), Address("10.0.0.3", 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("192.168.1.20", Address("192.168.1.20", 4100)),
        (" kitchen-pc.local:5000 ", Address("kitchen-pc.local", 5000)),
        ("fe80::1%7", Address("fe80::1", 4100, 7)),
        ("[fe80::1%7]:5000", Address("fe80::1", 5000, 7)),
        ("[::1]", Address("::1", 4100)),
        ("2001:db8::5", Address("2001:db8::5", 4100)),
    ],
)
def test_addresses_as_people_type_them(text: str, expected: Address) -> None:
    assert parse_address(text, 4100) == expected
    assert parse_address(str(expected), 1) == expected


WRONG = ["", ":5000", "host:0", "host:65536", "host:x", "host:-1", "a b", "[::1", "[::1]5000", "::1%no-such-if", "a\nb"]
WRONG += ["x" * 64 + ".local", "a..b", "x." * 127, "\ud800"]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_address_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(AddressError, match=r"is no address|is no port|no network interface"):
        parse_address(text, 4100)


@given(st.text())
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        address = parse_address(text, 4100)
    except AddressError:
        return
    assert 1 <= address.port <= 65535


def test_link_local() -> None:
    assert is_link_local("fe80::1")
    assert not any(is_link_local(host) for host in ("::1", "10.0.0.1", "169.254.1.1", "name", ""))


def test_order_keeps_what_answered_first() -> None:
    assert in_order([A, B, C, A], near=lambda a: -a.port) == (C, B, A)
    assert in_order([A, B, C], near=lambda a: -a.port, first=A) == (A, C, B)
    assert in_order([A], near=lambda a: 0, first=B) == (A,)


class Peers:
    """Addresses that answer, refuse or stay silent; notes who was tried and who was given up."""

    def __init__(self, **how: object) -> None:
        self.how = how
        self.tried: list[str] = []
        self.given_up: list[str] = []

    async def attempt(self, address: Address) -> str:
        self.tried.append(address.host)
        how = self.how[f"p{address.port}"]
        if isinstance(how, BaseException):
            raise how
        try:
            while how is None:
                await asyncio.sleep(3600)
        except asyncio.CancelledError:
            self.given_up.append(address.host)
            raise
        return str(how)


async def test_the_first_that_answers_wins_and_the_rest_are_given_up() -> None:
    peers = Peers(p1=None, p2=ConnectionRefusedError(), p3="here")
    assert await race([A, B, C], peers.attempt, stagger=0.01) == (C, "here")
    assert peers.tried == [A.host, B.host, C.host]
    assert peers.given_up == [A.host]


async def test_a_failure_starts_the_next_at_once() -> None:
    peers = Peers(p1=ConnectionRefusedError(), p2="here", p3="never asked")
    assert await race([A, B, C], peers.attempt, stagger=3600) == (B, "here")
    assert peers.tried == [A.host, B.host]


async def test_when_none_answers_the_error_says_why() -> None:
    with pytest.raises(ConnectionRefusedError):
        await race([A, B], Peers(p1=ConnectionRefusedError(1, "x"), p2=ConnectionRefusedError(2, "y")).attempt)
    with pytest.raises(OSError, match=r"far; .*odd"):
        await race([A, B], Peers(p1=OSError("far"), p2=OSError("odd")).attempt)
    with pytest.raises(ValueError, match="no address"):
        await race([], Peers().attempt)


async def test_a_mistake_of_ours_is_not_taken_for_a_failure() -> None:
    with pytest.raises(ExceptionGroup) as caught:
        await race([A], Peers(p1=ZeroDivisionError()).attempt)
    assert caught.group_contains(ZeroDivisionError)


async def test_results_that_come_together_are_closed_but_one() -> None:
    closed: list[str] = []
    both = asyncio.Event()

    async def attempt(address: Address) -> str:
        if address == B:
            both.set()
        await both.wait()
        return address.host

    winner, _ = await race([A, B], attempt, stagger=0.01, discard=closed.append)
    assert {winner.host, *closed} == {A.host, B.host}


async def test_being_cancelled_gives_all_up() -> None:
    peers = Peers(p1=None, p2=None)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await race([A, B], peers.attempt, stagger=0.01)
    assert sorted(peers.given_up) == [A.host, B.host]


async def test_streams() -> None:
    async with await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        (address,) = await resolve(Address("127.0.0.1", port))
        # Port 1 of loopback refuses: nothing listens there on any test machine.
        reader, writer, winner = await race_connect([Address("127.0.0.1", 1), address])
        assert winner == address
        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()


async def test_a_name_that_can_be_none_is_an_os_error() -> None:
    for host in ("x" * 64 + ".local", "a..b"):
        with pytest.raises(OSError, match="is no host name"):
            await resolve(Address(host, 1))
