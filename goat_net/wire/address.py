"""Where a table can be reached: addresses, their order, and trying them at once (PROTOCOL.md, Discovery)."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

T = TypeVar("T")

STAGGER = 0.25
"""Seconds before the next address is tried beside the ones before it (RFC 8305 calls 250 ms the default)."""

USUAL_PORT = 28436
"""A table takes this port when it is free, so that an address alone is enough to join by and a firewall's rule stays
good; nothing depends on it. Below 32768: Linux gives the ports above to outgoing connections."""

ADDRESSES_MAX = 16
"""Addresses kept for one table: more than a machine with VPNs and containers has, few enough to try them all."""


class Address(NamedTuple):
    """One TCP address. host: IPv4, IPv6 (no ``%scope``) or a name. port: 1..65535.

    scope: index of the local interface that an IPv6 link-local address is meant on; 0 everywhere else.
    """

    host: str
    port: int
    scope: int = 0

    def __str__(self) -> str:
        """As one types it: ``10.0.0.2:5000``, ``[fe80::1%3]:5000``."""
        if ":" in self.host:
            scope = f"%{self.scope}" if self.scope else ""
            return f"[{self.host}{scope}]:{self.port}"
        return f"{self.host}:{self.port}"

    @property
    def dial(self) -> str:
        """The host as the resolver wants it, with the scope."""
        return f"{self.host}%{self.scope}" if self.scope else self.host


class AddressError(ValueError):
    """What a person typed is no address; the text says what one looks like."""


def parse_address(text: str, default_port: int) -> Address:
    """Read ``HOST``, ``HOST:PORT``, ``[V6]:PORT``, ``V6`` or ``fe80::1%eth0`` as a person types it.

    Raises AddressError with one sentence for the person.
    """
    text = text.strip()
    example = default_port or 4321
    bare = text.count(":") > 1 and not text.startswith("[")
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise AddressError(f"{text!r} is no address: write [fe80::1%eth0]:{example}")
        port = rest[1:]
    elif bare:
        host, port = text, ""
    else:
        host, _, port = text.partition(":")
    if not host or any(c.isspace() or not c.isprintable() for c in host) or not _may_be_host(host):
        raise AddressError(f"{text!r} is no address: write a name or 192.168.1.20:{example}")
    if port and not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535):
        raise AddressError(f"{port!r} is no port: a port is a number from 1 to 65535")
    host, _, zone = host.partition("%")
    return Address(host, int(port) if port else default_port, _scope(zone) if zone else 0)


def _may_be_host(host: str) -> bool:
    """Whether the resolver would take it: at most 253 characters, no part of a name empty or over 63 bytes."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return len(host) <= 253


def _scope(zone: str) -> int:
    """Interface index of a typed zone, a name or a number. Raises AddressError."""
    if zone.isascii() and zone.isdigit() and len(zone) < 10:
        return int(zone)
    try:
        return socket.if_nametoindex(zone)
    except OSError:
        raise AddressError(f"there is no network interface called {zone!r} here") from None


def is_numeric(host: str) -> bool:
    """Whether a host is an IP address, and no name that somebody would have to be asked for."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_link_local(host: str) -> bool:
    """Whether the host is an IPv6 address that means something on one interface only."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    return ip.version == 6 and ip.is_link_local


def may_dial_seat(host: str, local: str) -> bool:
    """Whether an address that another seat names for itself may be dialled. local: the address of ours at which the
    table's network reaches this machine.

    A seat's word must not make us knock at this machine's own doors or at servers of the world: loopback counts only
    when all of the table is on this machine, a public address only from a public one.
    """
    try:
        ip, own = ipaddress.ip_address(host.partition("%")[0]), ipaddress.ip_address(local.partition("%")[0])
    except ValueError:
        return False
    if ip.is_loopback:
        return own.is_loopback
    if isinstance(ip, ipaddress.IPv6Address) and (ip.ipv4_mapped is not None or ip.sixtofour or ip.teredo):
        return False
    if ip.is_multicast or ip.is_unspecified or ip.is_reserved or ip in _NO_ADDRESSES:
        return False
    return not ip.is_global or own.is_global


_NO_ADDRESSES = ipaddress.ip_network("0.0.0.0/8")  # "this network" (RFC 791): some systems dial themselves by it


async def resolve(address: Address) -> tuple[Address, ...]:
    """Every numeric address of a named host, at most 16. Raises OSError when the name is unknown."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(address.dial, address.port, type=socket.SOCK_STREAM)
    except UnicodeError:
        # The IDNA codec's way of saying that a part of the name is empty or longer than 63 bytes.
        raise OSError(f"{address.host!r} is no host name") from None
    numeric = []
    for family, _, _, _, sockaddr in found:
        scope = sockaddr[3] if family == socket.AF_INET6 and len(sockaddr) == 4 else 0
        numeric.append(Address(str(sockaddr[0]).partition("%")[0], address.port, scope))
    return tuple(dict.fromkeys(numeric))[:ADDRESSES_MAX]


async def race(
    addresses: Sequence[Address],
    attempt: Callable[[Address], Awaitable[T]],
    *,
    stagger: float = STAGGER,
    discard: Callable[[T], None] | None = None,
) -> tuple[Address, T]:
    """Try the addresses in order, the next one after `stagger` seconds or as soon as one fails; first success wins.

    attempt: raises OSError (TimeoutError is one) when this address doesn't do; any other exception is passed on.
    discard: called with a result that came in the same moment as the winner's, to close it.
    Raises OSError when none does (an ExceptionGroup's message would say nothing to a person), ValueError when
    there is none to try. There is no time limit: put one around it.
    """
    if not addresses:
        raise ValueError("no address to try")
    results: list[tuple[Address, T]] = []
    failures: list[OSError] = []
    failed = asyncio.Event()
    over = asyncio.Event()

    async def one(address: Address) -> None:
        try:
            results.append((address, await attempt(address)))
        except OSError as problem:
            failures.append(problem)
            failed.set()
            if len(failures) < len(addresses):
                return
        over.set()

    done = False
    try:
        async with asyncio.TaskGroup() as group:
            tasks = []
            for address in addresses:
                failed.clear()
                tasks.append(group.create_task(one(address)))
                await _first_of(stagger, failed, over)
                if over.is_set():
                    break
            await over.wait()
            for task in tasks:
                task.cancel()
        done = True
    finally:
        if not done and discard is not None:  # cancelled in the moment in which one had come
            for _, late in results:
                discard(late)
    if not results:
        texts = dict.fromkeys(str(failure) for failure in failures)
        if len(texts) == 1 or all(isinstance(failure, ConnectionRefusedError) for failure in failures):
            raise failures[0]
        raise OSError("; ".join(texts))
    for _, late in results[1:]:
        if discard is not None:
            discard(late)
    return results[0]


async def _first_of(seconds: float, *events: asyncio.Event) -> None:
    """Wait until one of the events is set, or for so many seconds."""
    async with asyncio.TaskGroup() as group:
        waiters = [group.create_task(event.wait()) for event in events]
        try:
            async with asyncio.timeout(seconds):
                await asyncio.wait(waiters, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            pass
        for waiter in waiters:
            waiter.cancel()


async def race_connect(
    addresses: Sequence[Address], *, stagger: float = STAGGER
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Address]:
    """Open a plain TCP stream to whichever address answers first. Raises as `race` does."""

    async def attempt(address: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(address.dial, address.port)

    address, (reader, writer) = await race(addresses, attempt, stagger=stagger, discard=lambda pair: pair[1].close())
    return reader, writer, address


def in_order(
    addresses: Iterable[Address], near: Callable[[Address], int], first: Address | None = None
) -> tuple[Address, ...]:
    """Addresses without doubles, at most 16, most likely first: `first`, then by `near` (smaller is nearer)."""
    ordered = sorted(dict.fromkeys(addresses), key=near)
    if first is not None and first in ordered:
        ordered.remove(first)
        ordered.insert(0, first)
    return tuple(ordered[:ADDRESSES_MAX])
