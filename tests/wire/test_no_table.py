"""C18, L4: whoever answers at an address and is no table, or a table that says nothing, is named in one sentence."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from goat_client.game.control import End
from goat_client.lines.plain import run_plain
from goat_client.machine.settings import Settings

from goat_net.seat import session
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.tableview import Stage
from goat_net.wire import link, stream
from goat_net.wire.address import Address
from goat_net.wire.link import LOST, Event, Proven
from goat_net.wire.messages import LEFT, Joined
from goat_net.wire.peer import Host
from goat_net.wire.stream import Connection
from tests.wire.kit import HERE, OWNER, TABLE, WITHIN, Speaker, odd_host, saying, serving

HTTP = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def hangs_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is silent is silent for a tenth of a second here, and nobody's seconds are counted."""
    assert stream.ANSWER_WITHIN < 5 > link.WELCOME_WITHIN
    monkeypatch.setattr(stream, "ANSWER_WITHIN", 0.1)
    monkeypatch.setattr(link, "WELCOME_WITHIN", 0.1)


async def joining(*addresses: Address) -> tuple[TableSession, link.Closed]:
    async with asyncio.timeout(WITHIN):
        s = TableSession(OWNER, SeatSetup("Anna", "goat 0.1"), addresses, retry_for=WITHIN)
        return s, await s.run()


CASES = [
    ("a web server", saying(HTTP), False, "something else answers there"),
    ("a web server over TLS", saying(HTTP), True, "something else answers there"),
    ("silent", silent, False, "something else answers there, and says nothing"),
    ("silent after TLS", silent, True, "something else answers there, and says nothing"),
    ("hangs up", hangs_up, False, "hangs up at once"),
    ("hangs up after TLS", hangs_up, True, "something else answers there"),
]


@pytest.mark.parametrize(("speak", "tls", "words"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
@pytest.mark.usefixtures("quick")
async def test_what_is_no_table_is_named_in_one_sentence(speak: Speaker, tls: bool, words: str) -> None:
    """C18: and the join is over with it."""
    async with odd_host(speak, tls=tls) as address:
        s, end = await joining(address)
    assert end.reason == LOST
    assert f"there is no goat table at {address}: " in end.text
    assert words in end.text
    assert "SSL" not in end.text
    assert s.view.trouble == end.text


@pytest.mark.usefixtures("quick")
async def test_two_things_that_are_no_table_are_both_named() -> None:
    async with odd_host(silent, tls=False) as one, odd_host(saying(HTTP), tls=False) as other:
        _, end = await joining(one, other)
    assert str(one) in end.text
    assert str(other) in end.text
    assert "()" not in end.text


async def test_a_table_that_is_gone_and_something_else_in_its_place_is_looked_for_on() -> None:
    """The line to a table that was lost is not given up because something else has its port."""
    async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as group:
        async with serving() as server:
            address = Address(HERE, server.port)
            s = TableSession(OWNER, SeatSetup("Anna", "goat 0.1", listen=None), [address], retry_for=WITHIN)
            running = group.create_task(s.run())
            await s.entered()
            server.cut()
        odd = await asyncio.start_server(lambda r, w: w.write(HTTP) or w.close(), HERE, address.port)  # type: ignore[func-returns-value]
        while s._dials < 3:
            await asyncio.sleep(0.01)
        assert not running.done()
        odd.close()
        async with serving(port=address.port):
            while not s.view.link:
                await asyncio.sleep(0.01)
            s.hang_up()
            assert (await running).reason == LEFT


async def only_pings(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A host that lets whoever comes in, and has nothing to say."""
    peer = Host(TABLE, "goat 0.2")
    connection = Connection(reader, writer, peer)

    def on_event(event: Event) -> None:
        if isinstance(event, Proven):
            peer.accept(Joined(b"", b"", 0), asyncio.get_running_loop().time())

    await connection.run(on_event)


@pytest.mark.parametrize("speak", [only_pings, silent])
async def test_who_waits_for_a_table_that_says_nothing_is_told_and_can_leave(
    speak: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L4: a host that lets one in and then only pings."""
    assert session.SLOW_AFTER <= 5
    monkeypatch.setattr(session, "SLOW_AFTER", 0.2)
    told: list[Any] = []
    async with asyncio.timeout(WITHIN), odd_host(speak) as address, asyncio.TaskGroup() as group:
        s = TableSession(OWNER, SeatSetup("Anna", "goat 0.1", listen=None), [address], retry_for=WITHIN)
        s.on_change(told.append)
        running = group.create_task(s.run())
        await s.entered()
        assert (s.view.stage, str(address) in s.view.trouble) == (Stage.JOINING, True)
        assert ("has let you in" in s.view.trouble) is (speak is only_pings)
        assert told[-1].trouble == s.view.trouble
        await s.leave()
        assert (await running).reason == LEFT


async def test_a_table_that_was_only_slow_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """L4: when the lobby comes, what was said is no longer true."""
    monkeypatch.setattr(session, "SLOW_AFTER", 0.0)
    async with asyncio.timeout(WITHIN), serving() as server, asyncio.TaskGroup() as group:
        address = Address(HERE, server.port)
        s = TableSession(OWNER, SeatSetup("Anna", "goat 0.1", listen=None), [address], retry_for=WITHIN)
        group.create_task(s.run())
        await s.entered()
        assert s.view.trouble
        while s.view.stage is not Stage.LOBBY:
            await asyncio.sleep(0.01)
        assert not s.view.trouble
        s.hang_up()


async def test_q_leaves_a_table_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """L4: in plain mode, also when its lines come through a pipe."""
    monkeypatch.setattr(session, "SLOW_AFTER", 0.1)
    said: list[str] = []

    async def lines() -> AsyncIterator[str]:
        yield "q"

    async with asyncio.timeout(WITHIN), odd_host(only_pings) as address, asyncio.TaskGroup() as group:
        s = TableSession(OWNER, SeatSetup("Anna", "goat 0.1", listen=None), [address], retry_for=WITHIN)
        group.create_task(s.run())
        await s.entered()
        outcome = await run_plain(s, Settings(), lines=lines(), write=said.append)
        assert outcome.end is End.LEFT
        await s.leave()
    assert any(str(address) in line for line in said)
