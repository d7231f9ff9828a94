"""Which addresses that a peer names may be dialled (PROTOCOL.md, The second path)."""

import pytest

from goat_net.seat.direct_lines import dialled
from goat_net.seat.reach import make_reach
from goat_net.wire.address import Address, may_dial_seat
from goat_net.wire.identity import Identity

ME = "192.168.1.20"


@pytest.mark.parametrize(
    "host", ["192.168.1.7", "10.4.4.4", "172.20.1.1", "fe80::7", "fd00::7", "169.254.1.1", "100.64.1.1"]
)
def test_seats_of_local_networks_are_dialled(host: str) -> None:
    assert may_dial_seat(host, ME)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "0.0.0.1",
                                  "0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255", "240.0.0.1", "8.8.8.8",
                                  "2606:4700::1", "2002:7f00:1::1", "2001:0:7f00:1::1", "x", ""])  # fmt: skip
def test_nothing_else_is(host: str) -> None:
    """M7: a seat's `Reach` could make three clients knock at their own machines, or at any server."""
    assert not may_dial_seat(host, ME)


def test_loopback_is_dialled_at_a_table_of_one_machine() -> None:
    assert may_dial_seat("127.0.0.1", "127.0.0.1")
    assert may_dial_seat("::1", "::1")


def test_a_public_table_has_public_seats() -> None:
    assert may_dial_seat("2606:4700::7", "2606:4700::1")


def test_what_a_seat_says_is_sifted() -> None:
    """M7: the same through the door that dials."""
    texts = ("127.0.0.1:22", "192.168.1.7:4100", "[::ffff:127.0.0.1]:80", "fileserver:445")
    reach = make_reach(Identity.from_seed(bytes(32)), bytes(32), 1, texts)
    assert dialled(reach.addresses, ME) == (Address("192.168.1.7", 4100),)
