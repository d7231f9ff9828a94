"""Seats in a real browser at a real table: a whole match by taps, reloads, lines that are cut, two tabs, a page closed
for good; and no request to anywhere else."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="the extra `web` is not installed")

from goat_client.commands.web import TableAt
from goat_web import gateway as module
from goat_web.assets import load
from goat_web.gateway import Gateway

from goat_net.log.chain import parse_record
from goat_net.wire.address import Address, parse_address
from goat_net.wire.framing import FrameReader
from goat_net.wire.messages import MESSAGES, Submit
from tests.patience import PATIENCE
from tests.web.people import DESK, Guest, Program, Table, Thrower, browser, guest, needed, table

pytestmark = needed


def answer(line: str) -> str | None:
    """What the host at a terminal types after a line: hints are asked for and followed."""
    if line.startswith("Your turn"):
        return "h"
    if line.startswith("Hint: "):
        what, _, cards = line.removeprefix("Hint: ").partition(". ")[0].replace(" with", "").partition(" ")
        return {"discard": f"d {cards}", "claim": "m", "let": "y"}.get(what, cards)
    return "" if "empty line" in line.lower() else None


async def test_a_terminal_two_pages_and_a_bot_play_a_whole_match(goat_home: Path) -> None:
    home = Program(goat_home)
    lines: list[str] = []
    async with browser() as chrome:
        try:
            host, line = await home.start(
                "goat_client", "host", "--plain", "--web", "--interface=127.0.0.1", "--no-discovery", "--name=Kitchen",
                "--bots=easy", "--pace=0", "--target=2", f"--journals={goat_home / 'journals'}",
                until="Guests with a browser open",
            )  # fmt: skip
            url = re.findall(r"http://\S+/", line)[0]
            assert host.stdin is not None
            assert host.stdout is not None

            async def at_the_terminal() -> None:
                """The host plays by lines once both guests are ready; ends with the match."""
                async for raw in host.stdout:  # type: ignore[union-attr]
                    lines.append(raw.decode().rstrip("\n"))
                    begun = any(said.startswith("Deal 1.") for said in lines)
                    if not begun and {"Nina is ready.", "Olga is ready."} <= set(lines) and "start" not in lines:
                        host.stdin.write(b"start\n")  # type: ignore[union-attr]
                        lines.append("start")
                    elif begun and (typed := answer(lines[-1])) is not None:
                        host.stdin.write(f"{typed}\n".encode())  # type: ignore[union-attr]
                    if lines[-1].startswith("The match is over"):
                        return

            nina = await guest(chrome, url, "Nina")
            olga = await guest(chrome, url, "Olga", DESK, Thrower)
            host.stdin.write(b"ready\n")
            async with asyncio.TaskGroup() as group, asyncio.timeout(PATIENCE):
                group.create_task(at_the_terminal())
                for one in (nina, olga):
                    await one.sit(url)
                for one in (nina, olga):
                    group.create_task(one.until(lambda seen: "are the goat" in seen["text"]))
            (path,) = (goat_home / "journals").glob("*.goat")
            for one in (nina, olga):
                await same(one, path.read_bytes)
                assert one.faults == []
                assert one.elsewhere == []
            code, said = await home.done("goat_client", "verify", str(path))
            assert code == 0, said
        finally:
            await home.end()


async def same(one: Guest, journal: Callable[[], bytes]) -> None:
    """The page's log becomes the table's, byte for byte."""
    async with asyncio.timeout(PATIENCE):
        while (await one.log()) != journal():
            await asyncio.sleep(0.05)


# A seat is never lost ---------------------------------------------------------------------------------------------


async def test_a_reload_in_mid_trick_has_the_same_hand_and_a_killed_gateway_costs_nothing(goat_home: Path) -> None:
    async with table(goat_home) as at, browser() as chrome:
        nina = await guest(chrome, at.url, "Nina")
        await nina.sit(at.url)
        await nina.until(lambda seen: "Your turn" in seen["news"] and not seen["sheet"])
        hand = await nina.cards()
        assert hand
        await nina.page.reload()
        await nina.at_table()
        await nina.see(lambda seen: "Your turn" in seen["news"])
        assert await nina.cards() == hand, "the same hand, without a question"
        at.gateway.kill()
        await at.gateway.wait()
        await nina.see(lambda seen: "being made again" in seen["news"])
        await at.serve()
        await nina.until(lambda seen: seen["stage"] == "report" and "all good" in seen["text"])
        assert nina.faults == []
        assert nina.elsewhere == []


class Cutter:
    """A gateway in the test's own loop that dies when a record of a kind goes up from a page, before it is passed on:
    every line breaks at once, and nobody listens any more until it is served again."""

    def __init__(self, at: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at, self.kind, self.cut = at, "", asyncio.Event()
        self._open = module.open_stream
        self._writers: list[asyncio.StreamWriter] = []
        self.refuses, self.refused = False, 0
        monkeypatch.setattr(module, "open_stream", self.open)

    async def open(self, address: Address, within: float) -> tuple[asyncio.StreamReader, Any]:
        if self.refuses:
            self.refused += 1
            raise ConnectionError("cut by the test")
        reader, writer = await self._open(address, within=within)
        self._writers.append(writer)
        return reader, Tap(writer, self.sees)

    def sees(self, data: bytes) -> None:
        """Look at what goes up; break every line at the record that is waited for."""
        for one in FrameReader().feed(data):
            message = MESSAGES.decode(one)
            if isinstance(message, Submit) and type(parse_record(message.record).body).__name__ == self.kind:
                self.kind = ""
                self.now()
                raise ConnectionError("cut by the test")

    def now(self) -> None:
        """Break every line, and let no new one come."""
        self.refuses = True
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()
        self.cut.set()

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[str]:
        """Serve the page of this table."""
        table_at = TableAt((parse_address(self.at.address, 1),))
        gateway = Gateway(load(), table_at, table_at.status, "Anna")
        port = await gateway.start(["127.0.0.1"], self.at.port)
        self.at.port = port
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            await gateway.stop()


class Tap:
    """A writer whose bytes are looked at first."""

    def __init__(self, writer: asyncio.StreamWriter, sees: Callable[[bytes], None]) -> None:
        self._writer, self._sees = writer, sees

    def write(self, data: bytes) -> None:
        self._sees(data)
        self._writer.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


@pytest.mark.parametrize("kind", ["Lock", "Keys"])
async def test_a_line_cut_in_the_middle_of_the_lock_loses_nothing(
    goat_home: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The record is signed and kept, and has not reached the table: it goes up again on a new line, though the page has
    knocked in vain some times before."""
    async with table(goat_home, serve=False) as at, browser() as chrome:
        cutter = Cutter(at, monkeypatch)
        async with cutter.serve() as url:
            cutter.kind = kind
            nina = await guest(chrome, url, "Nina")
            await nina.sit(url)
            async with asyncio.TaskGroup() as group:
                playing = group.create_task(nina.until(lambda seen: "being made again" in seen["news"]))
                async with asyncio.timeout(PATIENCE):
                    await cutter.cut.wait()
                await playing
            async with asyncio.timeout(PATIENCE):
                while cutter.refused < 3:
                    await asyncio.sleep(0.02)
            cutter.refuses = False
            await nina.until(lambda seen: seen["stage"] == "report" and "all good" in seen["text"])
            await same(nina, at.journal)
            assert nina.faults == []


async def test_two_tabs_of_one_browser_are_told_apart(goat_home: Path) -> None:
    async with table(goat_home) as at, browser() as chrome:
        nina = await guest(chrome, at.url, "Nina", DESK)
        await nina.sit(at.url)
        await nina.until(lambda seen: seen["hand"])
        other = Guest(await nina.page.context.new_page(), "Nina", nina.elsewhere)
        await other.page.goto(at.url)
        await other.page.wait_for_selector("text=open in another tab")
        assert (await nina.look())["hand"], "the first tab plays on"
        await other.page.click("text=Play here instead")
        await other.at_table()
        await other.until(lambda seen: seen["hand"])
        await nina.page.wait_for_selector("text=You play on in another tab")
        assert nina.faults == other.faults == []


async def test_a_page_that_is_closed_for_good_is_voted_about_like_anybody(goat_home: Path) -> None:
    """R24: the grace time over, the others vote; a bot has the seat in the next deal."""
    async with table(goat_home, "--grace=1") as at, browser() as chrome:
        olga = await guest(chrome, at.url, "Olga", DESK)
        await olga.sit(at.url)
        await olga.see(lambda seen: seen["stage"] == "lobby" and "Say when" in seen["news"])
        nina = await guest(chrome, at.url, "Nina")
        await nina.sit(at.url)
        async with asyncio.TaskGroup() as group:
            playing = group.create_task(nina.until(lambda seen: "Your turn" in seen["news"] and not seen["sheet"]))
            while not playing.done():
                await olga.act()
        await nina.page.context.close()

        async def let_go() -> None:
            seen = await olga.look()
            if any(command.startswith("vote") for command in seen["buttons"]):
                words = await olga.page.evaluate(
                    "[...document.querySelectorAll('.actions button')].map(b => [b.dataset.name, b.textContent])"
                )
                command = next(name for name, word in words if "let go" in word.lower())
                await olga.press(command)
            else:
                await olga.act()

        async with asyncio.timeout(PATIENCE):
            while not any("in place of Nina" in line for line in (await olga.look())["heard"]):
                await let_go()
        heard = (await olga.look())["heard"]
        assert any("Nina" in line and "let go" in line for line in heard), heard
        assert any("is void" in line for line in heard), heard
        await olga.until(lambda seen: seen["stage"] == "report" and "all good" in seen["text"])
        assert olga.faults == []
