"""People at pages in a real browser, and a table in a process of its own, for the tests in a browser.

A person looks at what the screen shows and taps what it offers. They wait for what they see, never for a time.
"""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest
from goat_web.assets import HOW, SITE

from goat_net.log.chain import FILE_HEADER
from tests.client.browser import CHROMIUM, QUIET
from tests.patience import PATIENCE

PHONE: Final = (360, 640)
LYING: Final = (640, 360)
DESK: Final = (1280, 800)
MS: Final = PATIENCE * 1000
LOOK: Final = 0.03  # s between two looks of a person at their screen

needed = [
    pytest.mark.browser,
    pytest.mark.long("a browser, Python in it, and deals to their end"),
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine (Debian's package chromium)"),
    pytest.mark.skipif(find_spec("aiohttp") is None, reason="the extra `web` is not installed"),
    pytest.mark.skipif(find_spec("playwright") is None, reason="the extra `browser` is not installed"),
    pytest.mark.skipif(not (SITE / "files.json").exists(), reason=HOW),
]
"""Marks of every module of tests in a browser."""

_LOOK: Final = """() => {
  const all = (at, get) => [...document.querySelectorAll(at)].map(get);
  return {
    stage: document.getElementById("screen").dataset.stage ?? "",
    news: document.querySelector(".news")?.innerText ?? "",
    hint: document.querySelector(".hint")?.innerText ?? "", text: document.getElementById("screen").innerText,
    sheet: document.querySelector("dialog[open] #sheet-title")?.textContent ?? "", title: document.title,
    buttons: all(".actions button[data-name]", b => b.dataset.name),
    hand: all(".card.own", b => [b.getAttribute("aria-label"), b.getAttribute("aria-pressed")]),
    heard: all("#heard p", p => p.textContent),
  };
}"""
_KEPT: Final = """async () => {
  const asked = r => new Promise((good, bad) => { r.onsuccess = () => good(r.result); r.onerror = bad; });
  const db = await asked(indexedDB.open("goat seat", 1));
  const kept = db.transaction("kept").objectStore("kept");
  const [keys, values] = await Promise.all([asked(kept.getAllKeys()), asked(kept.getAll())]);
  db.close();
  const hex = bytes => Array.from(bytes, b => b.toString(16).padStart(2, "0")).join("");
  return keys.map((k, i) => [k, hex(values[i])]).filter(([k]) => k.includes("/entry/")).sort();
}"""

Seen = dict[str, Any]


@dataclass
class Program:
    """Programs of ours in processes of their own, ended at the end. ``home``: their GOAT_HOME."""

    home: Path
    processes: list[asyncio.subprocess.Process] = field(default_factory=list)

    @property
    def env(self) -> dict[str, str]:
        return {**os.environ, "GOAT_HOME": str(self.home), "LC_ALL": "C.UTF-8", "TERM": "dumb"}

    async def start(self, *words: str, until: str) -> tuple[asyncio.subprocess.Process, str]:
        """A program, and its first line of output that matches."""
        made = await asyncio.create_subprocess_exec(
            sys.executable, "-m", *words, env=self.env, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        self.processes.append(made)
        assert made.stdout is not None
        said = []
        async with asyncio.timeout(PATIENCE):
            while line := (await made.stdout.readline()).decode():
                said.append(line)
                if re.search(until, line):
                    return made, line
        raise AssertionError(f"{words} ended: {''.join(said)}")

    async def done(self, *words: str) -> tuple[int, str]:
        """A program to its end: its exit code and what it said."""
        made = await asyncio.create_subprocess_exec(
            sys.executable, "-m", *words, env=self.env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        said, _ = await made.communicate()
        return made.returncode or 0, said.decode()

    async def end(self) -> None:
        for process in self.processes:
            if process.returncode is None:
                process.send_signal(signal.SIGINT)
        for process in self.processes:
            await process.communicate()


@dataclass
class Table(Program):
    """A table without a person at its machine, and a gateway for it in another process. ``words``: its options."""

    address: str = ""
    url: str = ""
    port: int = 0

    @property
    def journals(self) -> Path:
        return self.home / "journals"

    async def open(self, *words: str) -> None:
        self.journals.mkdir(parents=True)
        _, line = await self.start(
            "goat_host", "--interface=127.0.0.1", "--no-discovery", "--pace=0", "--fill", "--bots=easy",
            f"--journals={self.journals}", "--yield-time=200", *words, until="ready",
        )  # fmt: skip
        self.address = json.loads(line)["address"]

    async def serve(self, *words: str) -> str:
        """A gateway, at the port of the one before if there was one; gives what it says."""
        self.gateway, line = await self.start(
            "goat_client", "web", self.address, "--interface=127.0.0.1", f"--web-port={self.port}", *words,
            until="Guests open",
        )  # fmt: skip
        self.url = re.findall(r"https?://\S+/", line)[0]
        self.port = int(self.url.rstrip("/").rpartition(":")[2])
        return line

    def journal(self) -> bytes:
        """The log of the match that is on, or was the last."""
        paths = sorted(self.journals.glob("*.goat"), key=lambda path: path.stat().st_mtime)
        return paths[-1].read_bytes() if paths else b""


class Guest:
    """A person at a page. ``elsewhere``: requests of their browser to any other place. ``faults``: what went wrong."""

    def __init__(self, page: Any, name: str, elsewhere: list[str]) -> None:
        self.page, self.name, self.elsewhere = page, name, elsewhere
        self.faults: list[str] = []
        self._tapped = ""
        page.set_default_timeout(MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))

    async def open(self, url: str) -> None:
        """The page's first screen."""
        await self.page.goto(url)
        await self.page.wait_for_selector("#name")

    async def sit(self, url: str) -> None:
        """Open the page, say a name, sit down."""
        await self.open(url)
        await self.page.fill("#name", self.name)
        await self.page.click("text=Sit down")
        await self.at_table()

    async def at_table(self) -> None:
        """Until the table is on the screen."""
        await self.page.wait_for_selector("#screen[data-stage]")

    async def look(self) -> Seen:
        """What the screen shows: its stage, what is asked, the buttons, the hand, what was said aloud."""
        found: Seen = await self.page.evaluate(_LOOK)
        return found

    async def tap(self, at: str) -> bool:
        """Tap something, unless it has gone meanwhile."""
        found = await self.page.query_selector(at)
        if found is None:
            return False
        try:
            await found.click(timeout=2000)
        except type(self).gone():
            return False
        return True

    @staticmethod
    def gone() -> type[Exception]:
        """What a driver raises when an element is not there any more, or covered."""
        from playwright.async_api import Error

        return Error

    async def press(self, command: str) -> bool:
        """Tap one of the buttons below the hand."""
        return await self.tap(f'.actions button[data-name="{command}"]')

    async def act(self) -> Seen:
        """Look, and do the next thing that the screen asks for."""
        await self.do(seen := await self.look())
        return seen

    async def do(self, seen: Seen) -> None:
        """The next thing that the screen asks for."""
        if seen["sheet"]:
            await self.tap("[data-name=close]")
        elif seen["stage"] in ("lobby", "report") and seen["buttons"]:
            waits = "You are ready" in seen["news"] or "Being checked" in seen["text"]
            if seen["text"] != self._tapped and not waits:  # once for what is shown
                self._tapped = seen["text"]
                await self.press("start" if "start" in seen["buttons"] else seen["buttons"][0])
            else:
                await asyncio.sleep(LOOK)
        elif "Your turn" in seen["news"]:
            await self.play(seen)
        else:
            await asyncio.sleep(LOOK)

    async def play(self, seen: Seen) -> None:
        """One play: what the hint says, tapped."""
        hint = seen["hint"]
        if not hint:
            await self.press("hint")
            return
        for word, command in (("discard", "discard"), ("let it stand", "yield"), ("claim", "molodka")):
            if hint.startswith(f"Hint: {word}"):
                await self.press(command)
                return
        await self.press("enter")

    async def until(self, what: Callable[[Seen], Any]) -> Seen:
        """Play on until the screen shows something; what is shown then is not answered."""
        return await self._until(what, self.do)

    async def see(self, what: Callable[[Seen], Any]) -> Seen:
        """Only look until the screen shows something."""
        return await self._until(what, lambda seen: asyncio.sleep(LOOK))

    async def _until(self, what: Callable[[Seen], Any], step: Callable[[Seen], Awaitable[None]]) -> Seen:
        seen: Seen = {}
        try:
            async with asyncio.timeout(PATIENCE):
                while not what(seen := await self.look()):
                    await step(seen)
        except TimeoutError:
            raise AssertionError(f"{self.name} still sees {seen}; faults: {self.faults}") from None
        return seen

    async def cards(self) -> list[str]:
        """The hand, by the cards' names."""
        return [label.partition(".")[0] for label, _ in (await self.look())["hand"]]

    async def log(self) -> bytes:
        """The entries that this page has kept, as a file."""
        return FILE_HEADER + b"".join(bytes.fromhex(value) for _, value in await self.page.evaluate(_KEPT))


class Thrower(Guest):
    """A person who asks for no hints: leads their first card, discards as many as were led, taps the cards."""

    async def play(self, seen: Seen) -> None:
        wanted = re.search(r"discard (\d)", seen["news"])
        if any(command in seen["buttons"] for command in ("yield", "molodka")):
            await self.press("yield" if "yield" in seen["buttons"] else "molodka")
            return
        for place in range(int(wanted[1]) if wanted else 1):
            if seen["hand"][place][1] == "false":
                await self.tap(f'.hand [data-name="card {place + 1}"]')
        await self.press("discard" if wanted else "enter")


@asynccontextmanager
async def browser(**more: Any) -> AsyncIterator[Any]:
    """A headless Chromium, with a driver."""
    from playwright.async_api import async_playwright

    async with async_playwright() as driver:
        made = await driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=list(QUIET[1:]), **more)
        try:
            yield made
        finally:
            await made.close()


@asynccontextmanager
async def table(home: Path, *words: str, serve: bool = True) -> AsyncIterator[Table]:
    """A table of bots and its gateway."""
    made = Table(home)
    try:
        await made.open("--target=99", *words)
        if serve:
            await made.serve()
        yield made
    finally:
        await made.end()


async def guest(
    chrome: Any, url: str, name: str, size: Sequence[int] = PHONE, kind: type[Guest] = Guest, **more: Any
) -> Guest:
    """A person with a browser of their own: phone-sized ones have a touch screen."""
    touch = tuple(size) != DESK
    context = await chrome.new_context(
        viewport={"width": size[0], "height": size[1]}, has_touch=touch, is_mobile=touch, **more
    )
    elsewhere: list[str] = []

    def note(request: Any) -> None:
        if not request.url.startswith((url, "data:")):
            elsewhere.append(request.url)

    def note_line(line: Any) -> None:
        if line.url.partition("://")[2].partition("/")[0] != url.partition("://")[2].partition("/")[0]:
            elsewhere.append(line.url)

    context.on("request", note)
    page = await context.new_page()
    page.on("websocket", note_line)
    return kind(page, name, elsewhere)
