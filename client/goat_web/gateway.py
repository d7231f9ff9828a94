"""The gateway of a page: serves fixed files, and passes whole frames between a WebSocket and a table (SECURITY.md).

It dials one table, which is chosen where it is started: nothing that a page sends chooses an address. It ends TLS and
sees what any host's server sees, no more: keys and cards are in the page. What it tells a page first is the hash of the
certificate that the table showed; the page's hello binds to it, so a gateway that lies about it reaches no table.
"""

import asyncio
import ipaddress
import json
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from goat_net.wire.address import Address
from goat_net.wire.codec import WireError
from goat_net.wire.framing import FrameError, FrameReader, frame
from goat_net.wire.messages import MESSAGES, WRONG_CODE, Refused, Status
from goat_net.wire.stream import open_stream
from goat_net.wire.tls import certificate_hash
from goat_net.wire.wall import wall
from goat_web.assets import Site

log = logging.getLogger(__name__)

PAGES: Final = 8  # open at a time: twice a table's seats, some of them watching or coming back
READ: Final = 16 * 1024  # bytes read from the table at a time: all that waits for a page beside what the socket holds
STALL: Final = 10.0  # s in which a page takes what is sent to it; one that does not is dropped and dials again
HELLO_WITHIN: Final = 10.0  # s until a page has said its hello
MESSAGE: Final = 1 << 16  # bytes of one WebSocket message: some frames at once, each within its own bound
DIAL_WITHIN: Final = 5.0  # s for the table to answer
CODES: Final = 5  # wrong codes of one address, and then a pause: the table sees one address for all pages
CODE_PAUSE: Final = 60.0  # s
ADDRESSES: Final = 256  # whose wrong codes are remembered
STATUS_FOR: Final = 5.0  # s for which the table's own word is served again
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

Where = Callable[[], Awaitable[Sequence[Address]]]
"""Says where the table is now, the likeliest address first."""


@dataclass(slots=True)
class _Guesses:
    """Wrong codes from one address."""

    count: int = 0
    until: float = 0.0


@dataclass(slots=True)
class Gateway:
    """One gateway for one table. ``by``: name of the player whose machine serves the page. ``status`` asks the table
    how it is, or gives None. ``names``: host names, beside its addresses, under which it may be called."""

    site: Site
    where: Where
    status: Callable[[], Awaitable[Status | None]]
    by: str
    names: frozenset[str] = frozenset()
    tls: ssl.SSLContext | None = None
    _pages: set[web.WebSocketResponse] = field(default_factory=set)
    _guesses: dict[str, _Guesses] = field(default_factory=dict)
    _status: tuple[float, dict[str, Any]] | None = None
    _runner: web.AppRunner | None = None

    async def start(self, hosts: Sequence[str], port: int) -> int:
        """Listen at these numeric addresses on one port (0: a free one); gives the port. Raises OSError."""
        app = web.Application(client_max_size=1024)
        app.router.add_get("/line", self._line)
        app.router.add_get("/table.json", self._table)
        app.router.add_get("/{path:.*}", self._file)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
        await self._runner.setup()
        for host in hosts:
            site = web.TCPSite(self._runner, host, port, ssl_context=self.tls)
            await site.start()
            port = port or int(self._runner.addresses[0][1])
        self.names |= {"localhost", *hosts}
        return port

    async def stop(self) -> None:
        """Close all pages' lines and stop listening. Seats are not lost: pages dial again."""
        for page in tuple(self._pages):
            with suppress(OSError, RuntimeError):
                await page.close(code=WSCloseCode.GOING_AWAY, message=b"the page's gateway ends")
        if self._runner is not None:
            await self._runner.cleanup()

    # Files

    def _called(self, request: web.Request) -> bool:
        """Whether the request calls this gateway by one of its own names: another name is somebody's DNS trick."""
        name = request.host
        host = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
        if host.lower() in self.names:
            return True
        try:
            return str(ipaddress.ip_address(host)) == _local(request)
        except ValueError:
            return False

    def _own_origin(self, request: web.Request) -> bool:
        scheme, origin = "https" if self.tls is not None else "http", str(request.headers.get("Origin", ""))
        return origin == f"{scheme}://{request.host}"

    async def _file(self, request: web.Request) -> web.StreamResponse:
        if not self._called(request):
            raise web.HTTPMisdirectedRequest(text="This gateway goes by another name.", headers=HEADERS)
        path = request.match_info["path"]
        version, _, rest = path.partition("/")
        if path in ("", "index.html"):
            text = self.site.files["index.html"].path.read_text("utf-8").replace("{version}", self.site.version)
            return web.Response(text=text, content_type="text/html", headers={**HEADERS, "Cache-Control": "no-cache"})
        asset = self.site.files.get(rest) if version == self.site.version else None
        if asset is None:
            raise web.HTTPNotFound(text="There is nothing here.", headers=HEADERS)
        headers = {
            **HEADERS, "Content-Type": asset.type, "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
        }  # fmt: skip
        if asset.gzip and "gzip" in request.headers.get("Accept-Encoding", ""):
            packed = asset.path.with_name(asset.path.name + ".gz")
            return web.Response(body=packed.read_bytes(), headers={**headers, "Content-Encoding": "gzip"})
        return web.Response(body=asset.path.read_bytes(), headers=headers)

    async def _table(self, request: web.Request) -> web.StreamResponse:
        """What a page asks before its guest sits down: whose page, which table, whether a code is needed."""
        if not self._called(request):
            raise web.HTTPMisdirectedRequest(text="This gateway goes by another name.", headers=HEADERS)
        now = asyncio.get_running_loop().time()
        if self._status is None or now - self._status[0] > STATUS_FOR:
            status = await self.status()
            facts = {"by": self.by, "table": status.name if status else "", "code": bool(status and status.code)}
            self._status = (now, facts)
        return web.json_response(self._status[1], headers={**HEADERS, "Cache-Control": "no-store"})

    # Lines

    async def _line(self, request: web.Request) -> web.StreamResponse:
        if not self._called(request) or not self._own_origin(request):
            raise web.HTTPForbidden(text="Another page than this gateway's asks.", headers=HEADERS)
        if len(self._pages) >= PAGES:
            raise web.HTTPServiceUnavailable(text="Too many pages are open.", headers=HEADERS)
        page = web.WebSocketResponse(max_msg_size=MESSAGE, heartbeat=20.0, writer_limit=MESSAGE)
        self._pages.add(page)
        try:
            await page.prepare(request)
            with wall("a page's line"):
                await self._carry(page, request.remote or "")
        finally:
            self._pages.discard(page)
            with suppress(OSError, RuntimeError):
                await page.close()
        return page

    async def _carry(self, page: web.WebSocketResponse, remote: str) -> None:
        """Dial the table, say which certificate it showed, and pass frames until either end is over."""
        guesses = self._guesses.get(remote)
        if guesses is not None and guesses.until > asyncio.get_running_loop().time():
            await page.close(code=WSCloseCode.POLICY_VIOLATION, message=b"too many wrong codes; wait a minute")
            return
        try:
            reader, writer = await self._dial()
        except OSError as error:
            await page.close(code=WSCloseCode.TRY_AGAIN_LATER, message=f"no table answers ({error})"[:100].encode())
            return
        try:
            shown = certificate_hash(writer.get_extra_info("ssl_object"))
            await page.send_str(json.dumps({"certificate": shown.hex()}))
            async with asyncio.TaskGroup() as group:
                ways = {group.create_task(self._down(reader, page, remote)), group.create_task(self._up(page, writer))}
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
        finally:
            writer.close()

    async def _dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        last: OSError = ConnectionError("the table is not to be found")
        for address in await self.where():
            try:
                return await open_stream(address, within=DIAL_WITHIN)
            except OSError as error:
                last = error
        raise last

    async def _down(self, reader: asyncio.StreamReader, page: web.WebSocketResponse, remote: str) -> None:
        frames = FrameReader()
        with suppress(OSError, FrameError):
            while data := await reader.read(READ):
                whole = frames.feed(data)
                for one in whole:
                    self._count_code(one, remote)
                if whole:
                    async with asyncio.timeout(STALL):
                        await page.send_bytes(b"".join(map(frame, whole)))

    async def _up(self, page: web.WebSocketResponse, writer: asyncio.StreamWriter) -> None:
        frames = FrameReader()
        within: float | None = HELLO_WITHIN
        with suppress(OSError, FrameError):
            while True:
                async with asyncio.timeout(within):
                    message = await page.receive()
                if message.type is not WSMsgType.BINARY:
                    return
                whole = frames.feed(message.data)
                within = None if whole else within
                writer.write(b"".join(map(frame, whole)))
                await writer.drain()

    def _count_code(self, one: bytes, remote: str) -> None:
        """Who has guessed wrong too often from one address waits; the table can't tell pages apart."""
        try:
            message = MESSAGES.decode(one)
        except WireError:
            return
        if not isinstance(message, Refused) or message.reason != WRONG_CODE:
            return
        now = asyncio.get_running_loop().time()
        found = self._guesses.pop(remote, _Guesses())
        found.count += 1
        if found.count >= CODES:
            found.count, found.until = 0, now + CODE_PAUSE
        self._guesses[remote] = found
        while len(self._guesses) > ADDRESSES:
            del self._guesses[next(iter(self._guesses))]


def _local(request: web.Request) -> str:
    """The numeric address at which this request came in."""
    name = request.transport.get_extra_info("sockname") if request.transport is not None else None
    return str(name[0]).partition("%")[0] if isinstance(name, tuple) else ""


def host_names() -> frozenset[str]:
    """Names of this machine under which a page of it may be called."""
    own = socket.gethostname().lower()
    return frozenset({own, f"{own}.local"} - {"", ".local"})
