"""Any bytes, to any door: host, client, direct line, probe, lobby. Nothing but that connection ends."""

import asyncio

from goat_net.discovery.looking import ask
from goat_net.discovery.watch import find
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.wire.address import Address
from goat_net.wire.codec import pack
from goat_net.wire.hello import spoken_version
from goat_net.wire.link import LOST
from goat_net.wire.messages import MALFORMED, MESSAGES, PROTOCOL, Hello, Refused
from goat_net.wire.stream import probe
from tests.wire.kit import (
    FIVE_BYTES,
    OWNER,
    STRANGER,
    WITHIN,
    direct_line,
    is_let_in,
    odd_host,
    saying,
    serving,
    throw,
)


def malformed(heard_end: object) -> bool:
    return isinstance(heard_end, Refused) and heard_end.reason == MALFORMED


def test_no_first_message_of_any_shape_is_more_than_a_version() -> None:
    """C1: the kind may be an array, which is no key of a mapping; true is no 1."""
    for kind in ([], [3], "x", b"\x03", True, False, -1, 2**63):
        assert spoken_version(pack([kind, 1, "goat 9", 2, "goat 9"])) is None
    assert spoken_version(pack([MESSAGES.number(Hello), 1, "goat 9"])) == (1, "goat 9")


async def test_five_bytes_end_no_table() -> None:
    """C1: a stranger's C5 00 02 91 90 before the hello."""
    async with serving() as server:
        for _ in range(3):
            assert malformed((await throw(server.port, FIVE_BYTES)).end)
        assert await is_let_in(server.port)


async def test_five_bytes_end_no_client_by_its_direct_line() -> None:
    """C1: the same at the port that a client opens for other seats."""
    async with direct_line() as known:
        for _ in range(3):
            assert malformed((await throw(known.port, FIVE_BYTES)).end)
        assert not await is_let_in(known.port, STRANGER)  # answered, and refused: no seat of this match


async def test_five_bytes_end_no_probe() -> None:
    """C1: as the answer to a probe."""
    async with odd_host(saying(FIVE_BYTES)) as address:
        assert await probe(address, "goat 0.1") is None


async def test_five_bytes_end_no_lobby() -> None:
    """C1: of two tables that a lobby knows one answers its probe with them; the other is shown."""
    async with odd_host(saying(FIVE_BYTES)) as odd, serving() as server:
        good = Address("127.0.0.1", server.port)
        async with asyncio.timeout(WITHIN):
            rows, _ = await find(
                ask, PROTOCOL, WITHIN, interfaces=["127.0.0.1"], remembered=[(None, [odd]), (None, [good])],
                enough=lambda rows: any(row.address == good for row in rows),
            )  # fmt: skip
        assert [row.address for row in rows if row.address is not None] == [good]


async def test_five_bytes_end_a_clients_join_in_good_order() -> None:
    """C1: a host that says them instead of its hello."""
    async with asyncio.timeout(WITHIN), odd_host(saying(FIVE_BYTES)) as odd:
        session = TableSession(OWNER, SeatSetup("Anna", "goat 0.1"), [odd], retry_for=5)
        end = await session.run()
    assert end.reason == LOST
    assert "no goat table" in end.text
