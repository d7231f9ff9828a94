"""The network interfaces of this machine: which there are, which to use for discovery, and what changed.

The only module that asks the system. Everything that decides is a function of `Interface` values.
"""

import ipaddress
import re
import socket
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from goat_net.exits import PersonError
from goat_net.wire.address import Address, is_link_local

MDNS_V4 = "224.0.0.251"
MDNS_V6 = "ff02::fb"
MDNS_PORT = 5353

INTERFACES_MAX = 16
"""Interfaces used for discovery: a container host may have hundreds, and each costs a socket and a packet."""

# Bridges of containers, virtual machines and tunnels: used, but tried after the real ones, because most
# machines have the same addresses on them.
_VIRTUAL = re.compile(
    r"docker|br-|veth|virbr|vmnet|vbox|vmware|virtualbox|hyper-v|vethernet|tun|tap|wg|utun|zt|tailscale|lxc|cni|flannel",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Interface:
    """One network interface. name: as a person knows it. index: the system's number, which scopes IPv6.

    v4: (address, prefix length) pairs. v6: the same for IPv6, addresses without ``%scope``.
    """

    name: str
    index: int
    v4: tuple[tuple[str, int], ...] = ()
    v6: tuple[tuple[str, int], ...] = ()

    @property
    def loopback(self) -> bool:
        """Whether it leads to this machine alone."""
        every = [ip for ip, _ in self.v4 + self.v6]
        return bool(every) and all(ipaddress.ip_address(ip).is_loopback for ip in every)

    @property
    def virtual(self) -> bool:
        """Whether its name is one that containers, virtual machines and tunnels have."""
        return bool(_VIRTUAL.match(self.name))


class InterfaceError(PersonError):
    """What a person typed is no interface and no address of this machine. The text says which there are."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What discovery runs on. sources: one IPv4 address, or one interface index (for IPv6), per socket.

    skipped: (interface name, reason) of those that were wanted and can't be used.
    interfaces: those that are used.
    """

    sources: tuple[str | int, ...]
    interfaces: tuple[Interface, ...]
    skipped: tuple[tuple[str, str], ...] = ()


def local_interfaces() -> tuple[Interface, ...]:
    """Interfaces that have an address, in the system's order; () when the system won't say."""
    import ifaddr

    try:
        adapters = list(ifaddr.get_adapters())
    except OSError:
        return ()
    found = []
    for adapter in adapters:
        v4 = tuple((str(ip.ip), ip.network_prefix) for ip in adapter.ips if ip.is_IPv4)
        v6 = tuple((str(ip.ip[0]), ip.network_prefix) for ip in adapter.ips if ip.is_IPv6)
        if v4 or v6:
            found.append(Interface(str(adapter.nice_name), adapter.index or 0, v4, v6))
    return tuple(found)


def choose(
    interfaces: Iterable[Interface],
    wanted: Sequence[str] | None = None,
    *,
    check: Callable[[Interface, str | int], str | None] | None = None,
) -> Choice:
    """Choose what discovery runs on.

    wanted: interface names or addresses of this machine; None for all but loopback, or loopback when there is
    nothing else (tables on one machine still find each other).
    check: says why a source can't be used, or None (see `multicast_problem`). One bad adapter costs only itself.
    """
    known = list(interfaces)
    skipped: list[tuple[str, str]] = []
    if wanted is None:
        usable = [i for i in known if not i.loopback] or known
        pairs = [(i, source) for i in usable for source in _sources(i)]
    else:
        pairs = []
        for name in wanted:
            matching = [(i, s) for k in known for i in _named(k, name) for s in _sources(i)]
            if not matching:
                skipped.append((name, "there is no such interface or address here"))
            pairs += matching
    sources: list[str | int] = []
    used: list[Interface] = []
    for interface, source in dict.fromkeys(pairs):
        problem = check(interface, source) if check else None
        if problem:
            skipped.append((interface.name, problem))
        elif len(used) < INTERFACES_MAX or interface in used:
            sources.append(source)
            if interface not in used:
                used.append(interface)
    return Choice(tuple(sources), tuple(used), tuple(dict.fromkeys(skipped)))


def _sources(interface: Interface) -> list[str | int]:
    """One source per address family: the first IPv4 address; the index when there is an IPv6 address.

    Only the first IPv4 address: a second one on the same wire would only say everything twice.
    """
    sources: list[str | int] = [ip for ip, _ in interface.v4[:1]]
    if interface.index and any(not ipaddress.ip_address(ip).is_loopback for ip, _ in interface.v6):
        sources.append(interface.index)
    return sources


def _named(interface: Interface, name: str) -> list[Interface]:
    """The interface if a person meant it by `name`; with an address of it, that address alone is used."""
    if name == interface.name:
        return [interface]
    host = name.partition("%")[0]
    v4 = tuple(pair for pair in interface.v4 if pair[0] == host)
    v6 = tuple(pair for pair in interface.v6 if pair[0] == host)
    return [replace(interface, v4=v4, v6=v6)] if v4 or v6 else []


def addresses_of(wanted: Iterable[str], interfaces: Sequence[Interface]) -> tuple[str, ...]:
    """Numeric addresses that a person means by names of interfaces or addresses, as one binds a socket to them.

    An address that no interface has here is kept: whoever binds to it says what is wrong. Raises InterfaceError for a
    name that no interface has.
    """
    found: list[str] = []
    for name in wanted:
        meant = [i for known in interfaces for i in _named(known, name)]
        if meant and not _is_numeric(name):
            for interface in meant:
                found += [ip for ip, _ in interface.v4]
                found += sorted((_scoped(ip, interface) for ip, _ in interface.v6), key=is_link_local)
        elif meant:
            found += [_scoped(ip, i) for i in meant for ip, _ in i.v4 + i.v6]
        elif _is_numeric(name):
            found.append(name)
        else:
            there = ", ".join(f"{i.name} ({(i.v4 + i.v6)[0][0]})" for i in interfaces[:INTERFACES_MAX])
            raise InterfaceError(f"There is no interface or address {name!r} here; there is {there or 'none at all'}")
    return tuple(dict.fromkeys(found))


def _is_numeric(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _scoped(host: str, interface: Interface) -> str:
    return f"{host}%{interface.index}" if is_link_local(host) and interface.index else host


def multicast_problem(
    interface: Interface, source: str | int, *, make: Callable[..., socket.socket] = socket.socket
) -> str | None:
    """Try to join the mDNS group from a socket of its own; the reason if that fails, else None.

    A disconnected or virtual adapter refuses this (WinError 10049 or 10042, EADDRNOTAVAIL, ENODEV), and so
    does an IPv6 address that is still being checked for doubles; it becomes usable later.
    """
    try:
        if isinstance(source, str):
            with make(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.bind((source, 0))
                group = socket.inet_aton(MDNS_V4) + socket.inet_aton(source)
                probe.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
        else:
            local = next((ip for ip, _ in interface.v6 if is_link_local(ip)), interface.v6[0][0])
            with make(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
                probe.bind((local, 0, 0, source))
                group = socket.inet_pton(socket.AF_INET6, MDNS_V6) + struct.pack("@I", source)
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, group)
    except OSError as problem:
        return problem.strerror or str(problem)
    return None


def advertised(interfaces: Iterable[Interface]) -> tuple[str, ...]:
    """Addresses of these interfaces to announce, real interfaces first, at most 8.

    Temporary IPv6 addresses come and go; the link-local and the first other one are enough to be reached.
    """
    addresses: list[str] = []
    for interface in sorted(interfaces, key=lambda i: (i.loopback, i.virtual)):
        addresses += [ip for ip, _ in interface.v4]
        local = [ip for ip, _ in interface.v6 if is_link_local(ip)]
        wide = [ip for ip, _ in interface.v6 if not is_link_local(ip)]
        addresses += local[:1] + wide[:1]
    return tuple(dict.fromkeys(addresses))[:8]


def nearness(interfaces: Sequence[Interface]) -> Callable[[Address], int]:
    """How likely an address is to answer from here: 0 on a real interface's network … 4 don't know.

    An address that is also our own on a virtual interface (every machine's 172.17.0.1) comes last.
    """

    def near(address: Address) -> int:
        try:
            ip = ipaddress.ip_address(address.host)
        except ValueError:
            return 4
        if is_link_local(address.host):
            # Works wherever the scope is right, but global and IPv4 addresses tell more to a person.
            return 2
        ranks = []
        for interface in interfaces:
            for own, prefix in interface.v4 + interface.v6:
                if ip in ipaddress.ip_network(f"{own}/{prefix}", strict=False):
                    ours = own == address.host
                    ranks.append(5 if ours and interface.virtual else 3 if interface.virtual else 0)
        return min(ranks, default=4)

    return near


def may_dial(host: str, interfaces: Sequence[Interface], *, own: bool = False) -> bool:
    """Whether a lobby that listens on these interfaces may knock at an address that the network has told it: one of
    another machine on one of these networks. ``own``: this machine's addresses as well.

    What is announced is anybody's word, and every lobby hears it. A stranger must not make them all knock at a third
    one's door, at a server far away, or each at itself.
    """
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    if ip.is_multicast or ip.is_unspecified or (isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None):
        return False
    if ip.is_loopback:  # heard on loopback, it was this machine that said so
        return any(interface.loopback for interface in interfaces)
    links = [(ipaddress.ip_interface(f"{a}/{prefix}")) for i in interfaces for a, prefix in i.v4 + i.v6]
    if any(ip == link.ip for link in links):
        return own
    if is_link_local(host) and any(is_link_local(str(link.ip)) for link in links):
        return True
    return any(ip in link.network and not _names_all(ip, link.network) for link in links)


def _names_all(ip: object, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    """Whether it is the network's own address or means everybody on it."""
    return isinstance(network, ipaddress.IPv4Network) and network.prefixlen < 31 and ip in (
        network.network_address, network.broadcast_address
    )  # fmt: skip


def with_scopes(hosts: Iterable[tuple[str, int]], interfaces: Sequence[Interface]) -> tuple[Address, ...]:
    """(host, port) pairs as addresses one can dial: a link-local one once for each interface that it may be on.

    An mDNS answer that came over IPv4 doesn't say which interface an fe80 address belongs to, and the scope
    that comes with one heard on several may be the wrong one. Trying each is safe: the table proves who it is.
    """
    scopes = [i.index for i in interfaces if i.index and any(is_link_local(ip) for ip, _ in i.v6)]
    addresses: list[Address] = []
    for host, port in hosts:
        if is_link_local(host):
            addresses += [Address(host, port, scope) for scope in scopes]
        else:
            addresses.append(Address(host, port))
    return tuple(dict.fromkeys(addresses))
