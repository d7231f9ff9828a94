"""goat_net.discovery.interfaces: which interfaces discovery runs on, and which addresses are believed."""

import socket

import ifaddr
import pytest

from goat_net.discovery import interfaces
from goat_net.discovery.interfaces import (
    Interface,
    advertised,
    choose,
    local_interfaces,
    may_dial,
    multicast_problem,
    nearness,
    with_scopes,
)
from goat_net.wire.address import Address, in_order

LO = Interface("lo", 1, (("127.0.0.1", 8),), (("::1", 128),))
WIFI = Interface("wlan0", 3, (("192.168.1.20", 24),), (("2001:db8::20", 64), ("fe80::20", 64)))
DOCKER = Interface("docker0", 4, (("172.17.0.1", 16),))
VPN = Interface("tun0", 5, (("10.8.0.2", 24),))
BOX = Interface("VirtualBox Host-Only Network", 12, (("192.168.56.1", 24),), (("fe80::56", 64),))


def test_all_but_loopback_are_used_and_loopback_when_there_is_nothing_else() -> None:
    assert choose([LO, WIFI, DOCKER]).sources == ("192.168.1.20", 3, "172.17.0.1")
    assert choose([LO]).sources == ("127.0.0.1",)
    assert choose([]).sources == ()


def test_interfaces_are_chosen_by_name_or_address() -> None:
    known = [LO, WIFI, DOCKER]
    assert choose(known, ["wlan0"]).sources == ("192.168.1.20", 3)
    assert choose(known, ["127.0.0.1"]).sources == ("127.0.0.1",)
    assert choose(known, ["fe80::20%wlan0"]).sources == choose(known, ["2001:db8::20"]).sources == (3,)
    assert advertised(choose(known, ["fe80::20%wlan0"]).interfaces) == ("fe80::20",)
    wrong = choose(known, ["eth7", "docker0"])
    assert wrong.sources == ("172.17.0.1",)
    assert wrong.skipped == (("eth7", "there is no such interface or address here"),)


def test_an_adapter_that_refuses_costs_only_itself() -> None:
    """WinError 10049 (address not available) and 10042 (no such option) of disconnected and virtual adapters."""

    class Stubborn(socket.socket):
        def bind(self, address: object) -> None:
            if isinstance(address, tuple) and address[0] == "192.168.56.1":
                raise OSError(10049, "The requested address is not valid in its context")

        def setsockopt(self, *arguments: object) -> None:  # type: ignore[override]
            if b"8\x01" in repr(arguments).encode() or (len(arguments) == 3 and arguments[0] == socket.IPPROTO_IPV6):
                raise OSError(10042, "An unknown, invalid, or unsupported option was specified")

    def check(interface: Interface, source: str | int) -> str | None:
        return multicast_problem(interface, source, make=Stubborn)

    choice = choose([LO, WIFI, BOX], check=check)
    assert choice.sources == ("192.168.1.20",)
    assert choice.interfaces == (WIFI,)
    assert choice.skipped == (
        ("wlan0", "An unknown, invalid, or unsupported option was specified"),
        ("VirtualBox Host-Only Network", "The requested address is not valid in its context"),
        ("VirtualBox Host-Only Network", "An unknown, invalid, or unsupported option was specified"),
    )


def test_loopback_can_be_joined_and_a_strange_address_cannot() -> None:
    assert multicast_problem(LO, "127.0.0.1") is None
    assert multicast_problem(LO, "192.0.2.77")


def test_a_system_that_will_not_say_has_no_interfaces(monkeypatch: pytest.MonkeyPatch) -> None:
    assert any(interface.loopback for interface in local_interfaces())

    def refuse() -> None:
        raise OSError(10042, "no")

    monkeypatch.setattr(ifaddr, "get_adapters", refuse)
    assert local_interfaces() == ()


def test_no_more_interfaces_than_discovery_can_carry() -> None:
    many = [Interface(f"eth{n}", n, ((f"10.0.{n}.1", 24),)) for n in range(1, 200)]
    assert len(choose(many).sources) == interfaces.INTERFACES_MAX


def test_real_interfaces_are_announced_first() -> None:
    assert advertised([DOCKER, WIFI]) == ("192.168.1.20", "fe80::20", "2001:db8::20", "172.17.0.1")


def test_addresses_on_our_own_network_are_tried_first() -> None:
    near = nearness([WIFI, DOCKER, VPN])
    hosts = ["172.17.0.1", "203.0.113.5", "10.8.0.7", "fe80::9", "192.168.1.99", "not an address"]
    ordered = in_order([Address(host, 1) for host in hosts], near)
    expected = ["192.168.1.99", "fe80::9", "10.8.0.7", "203.0.113.5", "not an address", "172.17.0.1"]
    assert [address.host for address in ordered] == expected


def test_a_link_local_address_is_tried_on_each_interface_that_has_one() -> None:
    found = with_scopes([("fe80::9", 5), ("10.0.0.1", 5)], [LO, WIFI, BOX])
    assert found == (Address("fe80::9", 5, 3), Address("fe80::9", 5, 12), Address("10.0.0.1", 5))
    assert with_scopes([("fe80::9", 5)], [LO, DOCKER]) == ()


OTHERS = ["192.168.1.7", "fe80::1", "2001:db8::9"]


@pytest.mark.parametrize("host", OTHERS)
def test_other_machines_of_our_own_networks_may_be_dialled(host: str) -> None:
    assert may_dial(host, [WIFI])


STRANGE = ["8.8.8.8", "2606:4700::1", "224.0.0.1", "0.0.0.0", "0.0.0.1", "::", "127.0.0.1", "127.1.2.3", "::1", "x", "",
           "192.168.7.7", "10.1.1.1", "fd00::1", "169.254.3.3", "100.64.1.1", "255.255.255.255", "192.168.1.0",
           "192.168.1.255", "::ffff:127.0.0.1", "::ffff:192.168.1.7", "::127.0.0.1", "64:ff9b::7f00:1", "ff02::1",
           "192.168.1.7%eth0", "0x7f000001", "2130706433", "127.1"]  # fmt: skip


@pytest.mark.parametrize("host", STRANGE)
def test_nothing_else_may(host: str) -> None:
    """M7: an announcement made every lobby knock at any private address, at 0.0.0.1, at ::ffff:127.0.0.1."""
    assert not may_dial(host, [WIFI])


@pytest.mark.parametrize("host", ["192.168.1.20", "fe80::20", "2001:db8::20"])
def test_our_own_addresses_may_for_our_own_tables_alone(host: str) -> None:
    """M7: a lobby knocked at its own machine's ports because somebody on the network said so."""
    assert not may_dial(host, [WIFI])
    assert may_dial(host, [WIFI], own=True)


def test_loopback_may_when_it_is_what_we_run_on() -> None:
    assert may_dial("127.0.0.1", [LO])
