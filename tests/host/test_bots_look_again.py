"""Bots on other machines come back to a table as people's clients do."""

import pytest
from goat_host import bots
from goat_host.bots import BotHall, parser, stay

from goat_net.discovery.looking import Refresh
from goat_net.wire.address import Address


async def test_a_bot_of_another_machine_looks_for_its_table_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """S2: the host's address changed, people were back in 8 s, and `goat bot` dialled the old address for ever."""
    asked = []

    def looking_again(interfaces: tuple[str, ...]) -> Refresh:
        async def again(fingerprint: str) -> tuple[Address, ...]:
            asked.append((tuple(interfaces), fingerprint))
            return (Address("10.0.0.9", 4000),)

        return again

    monkeypatch.setattr(bots, "looking_again", looking_again)
    options = parser().parse_args(["--at=10.0.0.1:4000", "--sit=4:easy", "--interface=eth0"])
    hall = BotHall(Address("10.0.0.1", 4000), None, None, options)
    assert await stay(hall, [], options.interface) == 0
    session = hall.session(4, "easy")
    session.chair.table_key = bytes(32)
    await session._look_again(gone_for=60.0)
    assert session.addresses[0] == Address("10.0.0.9", 4000)
    assert [interfaces for interfaces, _ in asked] == [("eth0",)]
