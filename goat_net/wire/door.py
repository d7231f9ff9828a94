"""The door: taking callers from a listening socket, and whether one begins as TLS does (PROTOCOL.md, Bounds)."""

import asyncio
import socket
import sys
from typing import Any, Final

_TLS_HANDSHAKE: Final = b"\x16"  # the type of the first record (RFC 8446, 5.1)


async def next_caller(listener: socket.socket) -> tuple[socket.socket, Any]:
    """The next accepted socket and its address. Raises OSError. A cancellation never loses a socket."""
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":  # its loop waits for completions and cannot say that a socket is readable
        return await loop.sock_accept(listener)
    while True:
        # First: whoever finds callers waiting would never wait, and there is no other task's turn in accept.
        await asyncio.sleep(0)
        try:
            sock, address = listener.accept()
        except BlockingIOError:
            await _readable(listener, loop)
        else:
            sock.setblocking(False)
            return sock, address


async def begins_tls(sock: socket.socket) -> bool:
    """Wait for the first byte of an accepted socket, which stays to be read; whether TLS could begin so.

    Raises OSError. Where the loop cannot wait for a socket to be readable, TLS finds out by itself.
    """
    if sys.platform == "win32":
        return True
    loop = asyncio.get_running_loop()
    while True:
        try:
            return sock.recv(1, socket.MSG_PEEK) == _TLS_HANDSHAKE
        except BlockingIOError:
            await _readable(sock, loop)


async def _readable(sock: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
    ready = asyncio.Event()
    loop.add_reader(sock, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sock)
