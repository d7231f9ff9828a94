"""Does multicast work on this machine? Raw questions on port 5353, one interface at a time (PROTOCOL.md, Discovery).

For ``goat doctor``: the library would hide exactly what is to be found out.
"""

import errno
import os
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from select import select

from goat_net.discovery.interfaces import MDNS_PORT, MDNS_V4, MDNS_V6, Interface

LISTEN = 1.5
"""Seconds to listen for others: an mDNS answer is held back for half a second at most."""

PACKETS_MAX = 2000
"""Packets read in one test: a flood must not keep it busy."""

# One question, no answers: PTR, class IN, of the name under which every service type is listed.
_NAME = b"\x09_services\x07_dns-sd\x04_udp\x05local\0"
_QUESTION = struct.pack("!5H", 0, 1, 0, 0, 0) + _NAME + struct.pack("!HH", 12, 1)


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of a question on one interface. source: its IPv4 address, or its index for IPv6.

    sent: it left. own: we heard it ourselves. others: how many other machines spoke. error: why it failed, or "".
    """

    interface: str
    source: str | int
    sent: bool
    own: bool
    others: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class PortState:
    """Port 5353 here. free: nobody else has it. shared: we get it beside the others. holders: their names, if told."""

    free: bool
    shared: bool
    holders: tuple[str, ...] = ()
    error: str = ""


def hear(pairs: Iterable[tuple[Interface, str | int]], *, listen: float = LISTEN) -> list[Heard]:
    """Ask on each interface which services there are, and listen; takes `listen` seconds in all.

    pairs: interface and source as `goat_net.discovery.interfaces.Choice` has them.
    """
    results: list[Heard] = []
    open_: list[tuple[Interface, str | int, socket.socket, bytes]] = []
    with ExitStack() as stack:
        for interface, source in pairs:
            try:
                sock = stack.enter_context(_socket(interface, source))
                # The number tells our own question from those of other programs.
                packet = os.urandom(2) + _QUESTION
                group = MDNS_V4 if isinstance(source, str) else MDNS_V6
                sock.sendto(packet, (group, MDNS_PORT) if isinstance(source, str) else (group, MDNS_PORT, 0, source))
            except OSError as problem:
                why = problem.strerror or str(problem)
                results.append(Heard(interface.name, source, False, False, 0, why))
            else:
                open_.append((interface, source, sock, packet))
        own, others = _listen([(sock, packet) for _, _, sock, packet in open_], listen)
    ours = {ip for interface, *_ in open_ for ip, _ in interface.v4 + interface.v6}
    for interface, source, sock, _ in open_:
        speakers = others[sock] - ours
        results.append(Heard(interface.name, source, True, sock in own, len(speakers)))
    return results


def _listen(
    asked: list[tuple[socket.socket, bytes]], seconds: float
) -> tuple[set[socket.socket], dict[socket.socket, set[str]]]:
    """Which sockets heard their own packet, and the hosts that each heard."""
    own: set[socket.socket] = set()
    others: dict[socket.socket, set[str]] = {sock: set() for sock, _ in asked}
    packets = dict(asked)
    end = time.monotonic() + seconds
    for _ in range(PACKETS_MAX):
        left = end - time.monotonic()
        if left <= 0 or not packets:
            break
        for sock in select(list(packets), [], [], left)[0]:
            try:
                data, sender = sock.recvfrom(9000)
            except OSError:
                continue
            if data == packets[sock]:
                own.add(sock)
            else:
                others[sock].add(str(sender[0]).partition("%")[0])
    return own, others


def _socket(interface: Interface, source: str | int) -> socket.socket:
    """A socket that shares the port, sends and hears on this interface. Raises OSError."""
    v4 = isinstance(source, str)
    sock = socket.socket(socket.AF_INET if v4 else socket.AF_INET6, socket.SOCK_DGRAM)
    try:
        _share(sock)
        if isinstance(source, str):
            sock.bind(("", MDNS_PORT))
            local = socket.inet_aton(source)
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(MDNS_V4) + local)
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, local)
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
        else:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            sock.bind(("::", MDNS_PORT))
            index = struct.pack("@I", source)
            group = socket.inet_pton(socket.AF_INET6, MDNS_V6)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, group + index)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 1)
    except OSError:
        sock.close()
        raise
    return sock


def _share(sock: socket.socket) -> None:
    """Let other programs have the port as well, as every mDNS program does."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reuse_port = getattr(socket, "SO_REUSEPORT", None)
    if reuse_port is not None:
        sock.setsockopt(socket.SOL_SOCKET, reuse_port, 1)


def port_state(*, make: Callable[..., socket.socket] = socket.socket, proc: Path = Path("/proc")) -> PortState:
    """Try to get port 5353 alone, then beside others, and ask the system who has it (Linux tells)."""
    free = shared = False
    error = ""
    for alone in (True, False):
        with make(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            try:
                if not alone:
                    _share(sock)
                sock.bind(("", MDNS_PORT))
            except OSError as problem:
                error = "" if problem.errno == errno.EADDRINUSE else problem.strerror or str(problem)
            else:
                free, shared = free or alone, True
        if free:
            break
    return PortState(free, shared, () if free else holders(proc), error)


def holders(proc: Path = Path("/proc")) -> tuple[str, ...]:
    """Names of the programs that have port 5353, as far as Linux tells us; without rights only our own are named."""
    if not sys.platform.startswith("linux"):
        return ()
    inodes = set()
    for table in ("udp", "udp6"):
        try:
            lines = (proc / "net" / table).read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            words = line.split()
            if words[1].rpartition(":")[2] == f"{MDNS_PORT:04X}":
                inodes.add(f"socket:[{words[9]}]")
    names = set()
    for process in proc.glob("[0-9]*") if inodes else ():
        try:
            if any(str(link.readlink()) in inodes for link in (process / "fd").iterdir()):
                names.add((process / "comm").read_text("utf-8", "replace").strip())
        except OSError:  # another user's process, or one that has just ended
            continue
    return tuple(sorted(names))
