"""Listening sockets of a table: the same port on every address, and what to do when it is taken."""

import errno
import socket
import sys
from collections.abc import Sequence
from typing import Final

from goat_net.exits import PersonError

BACKLOG: Final = 128  # connections the system holds while the accept loop has its turn or pauses
_PAIR_TRIES: Final = 8  # free ports tried until one is free in IPv4 and IPv6 alike
_EVERYWHERE: Final = ("0.0.0.0", "::")  # noqa: S104 - a table is for the network; --interface narrows it
# No such family or address here: the other addresses do.
_ABSENT: Final = frozenset({errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT, errno.ENODEV})


class ListenError(PersonError):
    """The table cannot listen. One sentence for the person, with what to do."""


def listen(addresses: Sequence[str] = (), port: int = 0) -> list[socket.socket]:
    """Listening sockets on these numeric addresses (all of this machine's when there are none), all on one port.

    ``port`` 0 takes a free one. An address that this machine lacks is left out while another is there. Raises
    ListenError when the port is taken or no address is there.
    """
    hosts = tuple(addresses) or _EVERYWHERE
    for _ in range(_PAIR_TRIES):
        sockets: list[socket.socket] = []
        try:
            for host in hosts:
                found = _bind(host, sockets[0].getsockname()[1] if sockets else port)
                if found is not None:
                    sockets.append(found)
        except OSError as error:
            for sock in sockets:
                sock.close()
            # A free port of the first address may be taken on the second: another one is tried.
            if port == 0 and sockets and error.errno == errno.EADDRINUSE:
                continue
            raise ListenError(_explain(error, port)) from error
        if not sockets:
            raise ListenError(f"This machine has no address {' or '.join(hosts)}: name another interface, or none")
        return sockets
    raise ListenError("No port was free for IPv4 and IPv6 alike: try again, or name one with --port")


def _bind(host: str, port: int) -> socket.socket | None:
    """One listening socket, or None when this machine has no such address."""
    try:
        family, kind, proto, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST | socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, proto)
    except socket.gaierror:
        return None
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        raise
    try:
        if sys.platform == "win32":
            # There, SO_REUSEADDR would let two tables share a port.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a table may come back at once
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(where)
        sock.listen(BACKLOG)
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        if error.errno in _ABSENT:
            return None
        raise
    return sock


def _explain(error: OSError, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is taken by another program: leave --port out to get a free one, or name another"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"Port {port} may not be used by you: name one from 1024 to 65535, or leave --port out"
    return f"Port {port} cannot be used ({error.strerror}): leave --port out to get a free one, or name another"
