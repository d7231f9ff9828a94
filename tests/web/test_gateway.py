"""The gateway of a page on loopback: what it serves, whom it lets in, and that it passes whole frames and no more."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

aiohttp = pytest.importorskip("aiohttp", reason="the extra `web` is not installed")

from goat_web import gateway as module  # noqa: E402 - only where the extra is
from goat_web.assets import HOW, NoAssetsError, Site, load  # noqa: E402
from goat_web.gateway import CODES, PAGES, Gateway  # noqa: E402

from goat_net.seat.session import TableSession  # noqa: E402
from goat_net.seat.staying import SeatSetup  # noqa: E402
from goat_net.wire.address import Address  # noqa: E402
from goat_net.wire.framing import FrameReader, frame  # noqa: E402
from goat_net.wire.messages import MESSAGES, PROTOCOL, WRONG_CODE, House, Refused, Status  # noqa: E402  # noqa: E402
from goat_net.wire.notices import NOTHING  # noqa: E402
from goat_net.wire.peer import Joiner  # noqa: E402
from goat_net.wire.stream import Connection  # noqa: E402
from goat_net.wire.tls import server_context  # noqa: E402
from tests.host.room import Room, room  # noqa: E402
from tests.patience import PATIENCE  # noqa: E402


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A page of three files."""
    files = {"index.html": b"<!doctype html><p>{version}", "page.mjs": b"let a = 1;\n" * 50, "a/b.wasm": b"\0asm"}
    listed = {}
    for name, data in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        packed = name == "page.mjs"
        if packed:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(data))
        kind = {"l": "text/html", "s": "text/javascript", "m": "application/wasm"}[name[-1]]
        listed[name] = {"type": kind, "gzip": packed}
    (tmp_path / "files.json").write_text(json.dumps({"version": "v1", "files": listed}), "utf-8")
    return load(tmp_path)


@asynccontextmanager
async def served(site: Site, at: Sequence[Address] = (), **more: Any) -> AsyncIterator[tuple[str, Gateway]]:
    async def where() -> Sequence[Address]:
        return at

    async def status() -> Status | None:
        return Status(PROTOCOL, "test", bytes(32), "Kitchen", 2, True, True, 0, b"", House(), bytes(64))

    made = Gateway(site, where, status, "Anna", **more)
    port = await made.start(["127.0.0.1"], 0)
    try:
        yield f"http://127.0.0.1:{port}", made
    finally:
        await made.stop()


async def test_files_come_by_a_fixed_table_with_their_headers(site: Site) -> None:
    async with served(site) as (url, _), aiohttp.ClientSession() as client:
        async with client.get(f"{url}/") as answer:
            assert (answer.status, await answer.text()) == (200, "<!doctype html><p>v1")
            assert answer.headers["Cache-Control"] == "no-cache"
            policy = answer.headers["Content-Security-Policy"]
            assert "script-src 'self' 'wasm-unsafe-eval'" in policy
            assert "unsafe-inline" not in policy
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        async with client.get(f"{url}/v1/page.mjs") as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
            assert answer.headers["Content-Type"] == "text/javascript"
            assert "immutable" in answer.headers["Cache-Control"]
            assert (await answer.text()).startswith("let a")
        async with client.get(f"{url}/v1/page.mjs", headers={"Accept-Encoding": "identity"}) as answer:
            assert "Content-Encoding" not in answer.headers
            assert (await answer.text()).startswith("let a")
        wrong = "/v1/none.mjs /v0/page.mjs /page.mjs /v1/../files.json /v1/%2e%2e/files.json /etc/passwd"
        for path in wrong.split():
            async with client.get(aiohttp.client.URL(url + path, encoded=True)) as answer:
                assert answer.status == 404, path
        async with client.post(f"{url}/") as answer:
            assert answer.status == 405


async def test_what_a_page_asks_first(site: Site) -> None:
    async with served(site) as (url, _), aiohttp.ClientSession() as client, client.get(f"{url}/table.json") as answer:
        assert await answer.json() == {"by": "Anna", "table": "Kitchen", "code": True}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.2", "[::1]", "0.0.0.0", "127.0.0.1.evil.example"]
)
async def test_another_name_than_its_own_is_misdirected(site: Site, host: str) -> None:
    """DNS rebinding: a name that somebody else controls and that leads here."""
    async with served(site) as (url, _), aiohttp.ClientSession() as client:
        for path in ("/", "/table.json", "/v1/page.mjs"):
            async with client.get(url + path, headers={"Host": host}) as answer:
                assert answer.status == 421, path


async def test_a_name_of_this_machine_is_its_own(site: Site) -> None:
    async with served(site, names=frozenset({"kitchen.local"})) as (url, _), aiohttp.ClientSession() as client:
        for host in ("kitchen.local", "localhost", "KITCHEN.local:8000"):
            async with client.get(url, headers={"Host": host}) as answer:
                assert answer.status == 200, host


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1"])
async def test_a_line_is_for_the_gateways_own_page(site: Site, origin: str | None) -> None:
    async with served(site) as (url, _), aiohttp.ClientSession() as client:
        headers = {} if origin is None else {"Origin": origin.replace("{port}", url.rpartition(":")[2])}
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await client.ws_connect(f"{url}/line", headers=headers)
        assert caught.value.status == 403


async def test_without_a_table_a_line_says_so(site: Site) -> None:
    async with served(site, [Address("127.0.0.1", 1)]) as (url, _), aiohttp.ClientSession() as client:
        async with client.ws_connect(f"{url}/line", origin=url) as line:
            end = await line.receive()
            assert end.type is aiohttp.WSMsgType.CLOSE
            assert "no table answers" in end.extra


# A seat over the gateway -------------------------------------------------------------------------------------


class Writer:
    """What a `Connection` asks of a writer, over a client's WebSocket."""

    def __init__(self, line: Any, tasks: asyncio.TaskGroup) -> None:
        self._line, self._tasks, self.transport = line, tasks, self
        self._waiting: asyncio.Queue[bytes | None] = asyncio.Queue()
        tasks.create_task(self._send())

    async def _send(self) -> None:
        while (data := await self._waiting.get()) is not None:
            await self._line.send_bytes(data)
        await self._line.close()

    def get_extra_info(self, name: str) -> None:
        """The TLS session is the gateway's."""

    def set_write_buffer_limits(self, high: int) -> None:
        """Nothing to set."""

    def write(self, data: bytes) -> None:
        self._waiting.put_nowait(data)

    async def drain(self) -> None:
        """Never full here."""

    def abort(self) -> None:
        self._waiting.put_nowait(None)

    close = abort

    async def wait_closed(self) -> None:
        """The client waits."""


async def guest(hosted: Room, client: Any, url: str, seat: int, lies: bool = False) -> TableSession:
    """A seat whose line goes over the gateway, as a page's does. ``lies``: it binds to another certificate."""

    async def dial(addresses: Sequence[Address], joiner: Joiner, within: float) -> tuple[None, Connection]:
        line = await client.ws_connect(f"{url}/line", origin=url)
        shown = bytes.fromhex(json.loads((await line.receive()).data)["certificate"])
        reader = asyncio.StreamReader()

        async def read() -> None:
            async for message in line:
                reader.feed_data(message.data)
            reader.feed_eof()

        hosted.group.create_task(read())
        writer: Any = Writer(line, hosted.group)
        return None, Connection(reader, writer, joiner, certificate=bytes(32) if lies else shown)

    setup = SeatSetup(f"Page {seat}", "test", seat=seat, eager=True, brain=hosted.brain())
    tries = 0.0 if lies else PATIENCE
    made = TableSession(hosted.identities[seat], setup, (), retry_for=tries, dial=dial, direct=False)
    hosted.sessions.append(made)
    hosted.tasks[made] = hosted.group.create_task(made.run())
    return made


async def test_a_whole_deal_over_the_gateway(site: Site, seed: int) -> None:
    async with room(seed) as hosted, aiohttp.ClientSession() as client:
        address = Address("127.0.0.1", hosted.server.port)
        async with served(site, [address]) as (url, _):
            owner = hosted.sit(0)
            await hosted.until(lambda: owner.view.me is not None)
            pages = [await guest(hosted, client, url, seat) for seat in (1, 2)]
            await hosted.until(lambda: all(page.view.me is not None for page in pages))
            owner.start()
            await hosted.until(lambda: all(page.view.reports for page in pages))
            assert all(page.view.reports[0].audited for page in pages)
            assert owner.player is not None
            for page in pages:
                assert page.player is not None
                both = zip(page.player.fold.chain.entries, owner.player.fold.chain.entries, strict=False)
                assert all(one == other for one, other in both), "the same bytes as at everybody's"
                page.hang_up()
            await asyncio.gather(*(hosted.tasks[page] for page in pages))


async def test_a_gateway_that_lies_about_the_certificate_reaches_no_table(site: Site, seed: int) -> None:
    async with room(seed) as hosted, aiohttp.ClientSession() as client:
        async with served(site, [Address("127.0.0.1", hosted.server.port)]) as (url, _):
            cheated = await guest(hosted, client, url, 1, lies=True)
            end = await hosted.tasks[cheated]
            assert cheated.view.me is None
            assert end.reason != 0


async def test_what_is_no_frame_ends_that_line_alone(site: Site, seed: int) -> None:
    async with room(seed) as hosted, aiohttp.ClientSession() as client:
        async with served(site, [Address("127.0.0.1", hosted.server.port)]) as (url, _):
            async with client.ws_connect(f"{url}/line", origin=url) as good:
                await good.receive()
                for junk in (b"GET / HTTP/1.1", b"\xc5\0\0", b"\xc5\xff\xff" + bytes(100)):
                    async with client.ws_connect(f"{url}/line", origin=url) as line:
                        await line.receive()
                        await line.send_bytes(junk)
                        while (message := await line.receive()).type is aiohttp.WSMsgType.BINARY:
                            pass
                        assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
                async with client.ws_connect(f"{url}/line", origin=url) as line:
                    await line.receive()
                    await line.send_str("text is no frame")
                    assert (await line.receive()).type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
                assert not good.closed


async def test_so_many_pages_and_no_more(site: Site, seed: int) -> None:
    async with room(seed) as hosted, aiohttp.ClientSession() as client:
        async with served(site, [Address("127.0.0.1", hosted.server.port)]) as (url, _):
            lines = [await client.ws_connect(f"{url}/line", origin=url) for _ in range(PAGES)]
            with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
                await client.ws_connect(f"{url}/line", origin=url)
            assert caught.value.status == 503
            for line in lines:
                await line.close()


async def test_who_says_no_hello_is_shown_out(
    site: Site, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HELLO_WITHIN", 0.05)
    async with room(seed) as hosted, aiohttp.ClientSession() as client:
        async with served(site, [Address("127.0.0.1", hosted.server.port)]) as (url, _):
            async with client.ws_connect(f"{url}/line", origin=url) as line:
                await line.receive()
                while (message := await line.receive()).type is aiohttp.WSMsgType.BINARY:
                    pass
                assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)


async def test_wrong_codes_are_counted_by_page(site: Site) -> None:
    refused = frame(MESSAGES.encode(Refused(WRONG_CODE, NOTHING, PROTOCOL, "test")))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        frames = FrameReader()
        while not frames.feed(await reader.read(100)):
            pass
        writer.write(refused)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=server_context())
    address = Address("127.0.0.1", server.sockets[0].getsockname()[1])
    async with server, served(site, [address]) as (url, _), aiohttp.ClientSession() as client:
        for _ in range(CODES):
            async with client.ws_connect(f"{url}/line", origin=url) as line:
                await line.receive()
                await line.send_bytes(frame(b"\x90"))
                assert (await line.receive()).data == refused
        async with client.ws_connect(f"{url}/line", origin=url) as line:
            end = await line.receive()
            assert end.type is aiohttp.WSMsgType.CLOSE
            assert "too many wrong codes" in end.extra


def test_a_checkout_without_the_pages_files_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(NoAssetsError, match=r"python3 dev\.py web-assets"):
        load(tmp_path)
    (tmp_path / "files.json").write_text("[]", "utf-8")
    with pytest.raises(NoAssetsError) as caught:
        load(tmp_path)
    assert str(caught.value) == HOW
