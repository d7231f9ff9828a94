"""The line of a seat in a page: a WebSocket to the gateway, which passes whole frames on to the table untouched."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from goat_net.wire.address import Address
from goat_net.wire.peer import Joiner
from goat_net.wire.stream import CHUNK, READ_LIMIT, Connection

LOOK: Final = 0.05  # s between two looks at what the browser has not sent yet


class Socket(Protocol):
    """A WebSocket, as the worker gives it. Nothing goes out before what was held is on disk."""

    def send(self, data: str) -> None:
        """Send bytes, given as hexadecimal text."""

    def waiting(self) -> int:
        """Bytes that the browser has not sent yet."""

    def close(self) -> None:
        """Close it once everything is sent."""

    def abort(self) -> None:
        """Close it at once."""


Open = Callable[[Callable[[str], None], Callable[[Any], None], Callable[[str], None]], Socket]
"""Opens a socket: called with what takes the first text, what takes bytes, and what takes the end."""


class _Transport:
    """What a `Connection` asks of a transport."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """The browser buffers by itself."""

    def abort(self) -> None:
        """Drop the line."""
        self._socket.abort()


class Writer:
    """What a `Connection` asks of an `asyncio.StreamWriter`."""

    def __init__(self, socket: Socket) -> None:
        self._socket, self.transport = socket, _Transport(socket)

    def get_extra_info(self, name: str) -> None:
        """The TLS session is the gateway's: nothing is known here."""

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._socket.send(data.hex())

    async def drain(self) -> None:
        """Wait while the browser holds more than one piece back."""
        while self._socket.waiting() > CHUNK:  # noqa: ASYNC110 - the browser has no event for it
            await asyncio.sleep(LOOK)

    def close(self) -> None:
        """Close once everything is sent."""
        self._socket.close()

    async def wait_closed(self) -> None:
        """The browser closes by itself."""


def dialler(open_socket: Open) -> Callable[[Sequence[Address], Joiner, float], Any]:
    """A `goat_net.seat.staying.Dial` through this page's gateway; addresses are the gateway's business."""

    async def dial(addresses: Sequence[Address], joiner: Joiner, within: float) -> tuple[None, Connection]:
        reader = asyncio.StreamReader(limit=READ_LIMIT)
        first: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        def on_first(text: str) -> None:
            if not first.done():
                first.set_result(bytes.fromhex(json.loads(text)["certificate"]))

        def on_end(text: str) -> None:
            if not first.done():
                first.set_exception(ConnectionError(text))
            reader.feed_eof()

        socket = open_socket(on_first, lambda data: reader.feed_data(data.to_bytes()), on_end)
        try:
            async with asyncio.timeout(within):
                certificate = await first
        except BaseException:
            socket.abort()
            raise
        return None, Connection(reader, Writer(socket), joiner, certificate=certificate)  # type: ignore[arg-type]

    return dial
