"""The page for everybody: a tool for accessibility finds nothing on any screen, a deal is played by keys alone, and
what a listener hears of it is the whole deal."""

import re
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

from tests.web.people import DESK, PHONE, Guest, Seen, browser, guest, needed, table

pytestmark = [
    *needed,
    pytest.mark.skipif(find_spec("axe_playwright_python") is None, reason="the extra `browser` is not installed"),
]
SHEETS = ("Rules", "Plays of this deal", "Last trick", "Talk", "Table words", "Who is here")


async def violations(one: Guest) -> list[str]:
    """What axe-core finds on this screen."""
    from axe_playwright_python.async_playwright import Axe

    results = await Axe().run(one.page)
    return [f"{v['id']}: {[n['html'][:160] for n in v['nodes']][:3]}" for v in results.response["violations"]]


@pytest.mark.parametrize(("scheme", "size"), [("light", PHONE), ("dark", DESK)])
async def test_a_tool_for_accessibility_finds_nothing(goat_home: Path, scheme: str, size: tuple[int, int]) -> None:
    found: dict[str, list[str]] = {}

    async def check(one: Guest, where: str) -> None:
        if bad := await violations(one):
            found[where] = bad

    async with table(goat_home, "--target=2") as at, browser() as chrome:
        nina = await guest(chrome, at.url, "Nina", size, color_scheme=scheme)
        await nina.open(at.url)
        await check(nina, "the start")
        await nina.sit(at.url)
        await nina.see(lambda seen: seen["stage"] == "lobby" and seen["buttons"])
        await check(nina, "the seats")
        await nina.until(lambda seen: "Your turn" in seen["news"] and not seen["sheet"])
        await check(nina, "own turn")
        await nina.until(lambda seen: seen["hint"])
        await check(nina, "a hint")
        await nina.page.click('[data-name="menu"]')
        await check(nina, "the menu")
        await nina.tap("[data-name=close]")
        for word in SHEETS:
            await nina.page.click('[data-name="menu"]')
            await nina.page.click(f'.menu >> text="{word}"')
            await nina.see(lambda seen: seen["sheet"] not in ("", "Menu"))
            await check(nina, word)
            await nina.page.click('[data-name="close"]')
            await nina.see(lambda seen: not seen["sheet"])
        other = Guest(await nina.page.context.new_page(), "Nina", nina.elsewhere)
        await other.page.goto(at.url)
        await other.page.wait_for_selector("text=open in another tab")
        await check(other, "another tab")
        await other.page.close()
        await nina.until(lambda seen: seen["stage"] == "report" and "all good" in seen["text"])
        await check(nina, "the end of a deal")
        await nina.until(lambda seen: "are the goat" in seen["text"])
        await check(nina, "the end of a match")
        at.gateway.kill()
        await nina.see(lambda seen: "being made again" in seen["news"])
        await check(nina, "no connection")
        assert found == {}
        assert nina.elsewhere == []


class Typist(Guest):
    """A person without a pointer: Tab and Shift+Tab to what they want, then Enter. Nothing is clicked."""

    async def tap(self, at: str) -> bool:
        name = (re.findall(r'data-name="?([^"\]]+)', at) or [""])[0]
        there = "document.activeElement?.dataset?.name ?? ''"
        for _ in range(40):
            if await self.page.evaluate(there) == name:
                await self.page.keyboard.press("Enter")
                return True
            if await self.page.query_selector(at) is None:
                return False
            await self.page.keyboard.press("Tab")
        raise AssertionError(f"{name} is not to be reached by Tab")


async def test_a_deal_by_keys_alone_and_by_ear(goat_home: Path) -> None:
    async with table(goat_home) as at, browser() as chrome:
        nina = await guest(chrome, at.url, "Nina", DESK, Typist)
        await nina.open(at.url)
        await nina.page.keyboard.type("Nina")
        await nina.page.keyboard.press("Enter")
        await nina.at_table()
        seen = await nina.until(lambda seen: seen["stage"] == "report" and "all good" in seen["text"])
        assert nina.faults == []
        assert nina.elsewhere == []
        by_ear(seen)


def by_ear(seen: Seen) -> None:
    """What was said of one deal: whole sentences, cards in words, nothing twice, every trick, points that add up."""
    heard: list[str] = seen["heard"]
    begin = next(n for n, line in enumerate(heard) if line.startswith("Deal 1."))
    told = heard[begin:]
    for line in told:
        assert re.fullmatch(r"[A-Z0-9].*[.!?]", line), line
        assert not re.search(r"[♠♣♦♥{}]|undefined|null|None|\[object", line), line
    plays = [line for line in told if re.search(r"\b(leads?|beats?|discards?)\b", line) and "dealt" not in line]
    taken = [line for line in told if re.search(r"\btakes? the (last )?trick", line)]
    assert len(plays) >= 4 * len(taken) >= 16, told
    points = [int(n) for line in told for n in re.findall(r": (\d+) points", line)]
    assert sum(points) == 120, told
    again = [one for one, other in pairwise(told) if one == other and "takes the trick" not in one]
    assert again == [], told
