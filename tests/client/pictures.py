"""The README's pictures: the real application, drawn into a terminal's buffer, and the buffer as SVG.

To draw them anew: ``python3 dev.py make pictures``.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from goat_client.commands.learn import LessonControl, lesson_session
from goat_client.game.control import Control, Outcome
from goat_client.game.lobby_model import Choice, TableRow
from goat_client.game.local import LocalSession
from goat_client.machine.settings import Settings
from goat_client.screen.app import run_table
from goat_client.screen.lobby_screen import run_lobby
from prompt_toolkit.input import create_pipe_input

from goat_engine.actions import Beat
from goat_engine.bots import choose
from goat_net.seat.tableview import Stage
from tests.client.kit import Glass
from tests.patience import PATIENCE

FOLDER: Final = Path(__file__).parents[2] / "docs" / "pictures"
CELL_W, CELL_H, FONT = 9, 19, 15
GROUND, INK = "#1b1d1e", "#d8d8d0"
SETTINGS: Final = Settings(name="Vera", colour="true", ascii="no", bell=False, title=False, hold=0.0, reveal=0.0)
NAMES: Final = ("Vera", "Anna", "Boris", "Igor")


def svg(glass: Glass, title: str) -> str:
    """A terminal's buffer as a picture: a rectangle for each ground, a text for each run of equal looks."""
    width, height = glass.screen.columns * CELL_W, glass.screen.lines * CELL_H
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 20} {height + 20}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width + 20}" height="{height + 20}" rx="8" fill="{GROUND}"/>',
        f'<g transform="translate(10 10)" font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace" '
        f'font-size="{FONT}" xml:space="preserve">',
    ]
    for y in range(glass.screen.lines):
        row = glass.screen.buffer[y]
        x = 0
        while x < glass.screen.columns:
            first, start, text = row[x], x, ""
            while x < glass.screen.columns and row[x][1:] == first[1:]:
                text += row[x].data
                x += 1
            looks = (colour(first.fg, INK), colour(first.bg, ""), first.bold, first.reverse)
            out += run(text, start, y, x - start, *looks)
    return "\n".join([*out, "</g>", "</svg>", ""])


def colour(name: str, default: str) -> str:
    """A colour of the buffer as SVG writes it."""
    return default if name == "default" else f"#{name}"


def run(text: str, x: int, y: int, cells: int, ink: str, ground: str, bold: bool, reverse: bool) -> list[str]:
    """One run of cells."""
    if reverse:
        ink, ground = ground or GROUND, ink
    out = []
    px, py, width = x * CELL_W, y * CELL_H, cells * CELL_W
    if ground:
        out.append(f'<rect x="{px}" y="{py}" width="{width}" height="{CELL_H}" fill="{ground}"/>')
    if text.strip():
        weight = ' font-weight="bold"' if bold else ""
        grid = f'x="{px}" y="{py + 14}" textLength="{width}" lengthAdjust="spacingAndGlyphs"'
        out.append(f'<text {grid} fill="{ink}"{weight}>{escape(text)}</text>')
    return out


class Tables:
    """The lobby of the picture."""

    def rows(self) -> list[TableRow]:
        return [TableRow("a", "Kitchen table", 3, "192.168.1.12:4721", 0.001),
                TableRow("b", "Attic", 4, "192.168.1.30:4721", 0.004, state="playing"),
                TableRow("c", "Friday night", 1, "192.168.1.44:4721", 0.003, code_needed=True)]  # fmt: skip

    def hints(self) -> list[str]:
        return []

    def on_change(self, callback: Callable[[], None]) -> None:
        """These do not change."""


async def drawn(glass: Glass, *texts: str) -> None:
    """Wait until the terminal shows all of these."""
    async with asyncio.timeout(PATIENCE):
        while not all(any(t in row for row in glass.rows()) for t in texts):
            await asyncio.sleep(0)


@asynccontextmanager
async def table(
    session: LocalSession, control: type[Control] = Control
) -> AsyncIterator[tuple[Glass, Callable[[str], None]]]:
    """The application at this table; gives its terminal and a way to press keys."""
    glass = Glass(80, 24)
    with create_pipe_input() as keys:
        async with asyncio.TaskGroup() as group:
            task: asyncio.Task[Outcome] = group.create_task(
                run_table(session, SETTINGS, input=keys, output=glass.output(), control=control)
            )
            yield glass, keys.send_text
            keys.send_text("\x03\x03")
            await task


def advance(session: LocalSession, until: Callable[[LocalSession], bool]) -> None:
    """Let everyone play by the bots' advice until something is so."""
    import random

    rng = random.Random(4)
    for _ in range(500):
        if until(session):
            return
        view = session.view.seat_view
        if view is not None and view.owes and session.view.pending is None and session.view.stage is Stage.PLAY:
            session.act(choose(view, rng, "hard"))
        session.advance()
    raise AssertionError("the picture's moment never came")


def begun(seed: int) -> LocalSession:
    """A match against bots of the same names."""
    session = LocalSession(seed, names=NAMES, table_name="Kitchen table")
    session.ready()
    session.start()
    return session


def can_beat_two(session: LocalSession) -> bool:
    """The moment of the first picture: two cards lie there and can be beaten."""
    view = session.view.seat_view
    if view is None or not view.owes or not view.deal.plays or len(view.deal.plays[0].slots) != 2:
        return False
    late = len(view.deal.plays) == 3 and len(view.deal.tricks) >= 1
    return late and any(isinstance(a, Beat) for a in view.actions())


async def pictures() -> dict[str, str]:
    """Name -> SVG of every picture."""
    out = {}
    glass = Glass(80, 24)
    with create_pipe_input() as keys:
        async with asyncio.TaskGroup() as group:
            task: asyncio.Task[tuple[Choice, Settings]] = group.create_task(
                run_lobby(Tables(), SETTINGS, input=keys, output=glass.output())
            )
            await drawn(glass, "Kitchen table", "Quit")
            out["lobby"] = svg(glass, "The lobby: tables on this network")
            keys.send_text("q")
            await task
    session = begun(next(seed for seed in range(200) if moment(seed)))
    advance(session, can_beat_two)
    session.remark("Igor", "good one", 3)
    async with table(session) as (glass, press):
        await drawn(glass, "Your turn", "good one")
        press("34")
        async with asyncio.timeout(PATIENCE):
            while glass.rows()[17].count("╭") != 2:  # two cards are lifted
                await asyncio.sleep(0)
        out["table"] = svg(glass, "The table: it is my turn to beat or to discard")
    session = begun(3)
    advance(session, lambda s: s.view.stage is Stage.BETWEEN)
    async with table(session) as (glass, press):
        await drawn(glass, "next deal", "Checked here")
        out["deal"] = svg(glass, "The end of a deal: every card open, checked by everyone")
    lesson = lesson_session()
    while lesson.advance():
        pass
    async with table(lesson, LessonControl) as (glass, press):
        await drawn(glass, "Lesson", "press Enter")
        out["lesson"] = svg(glass, "The lesson")
    return out


def moment(seed: int) -> bool:
    """Whether a match of this seed comes to the first picture's moment in its first deal."""
    session = begun(seed)
    try:
        advance(session, lambda s: can_beat_two(s) or s.view.stage is Stage.BETWEEN)
    except AssertionError:
        return False
    return can_beat_two(session)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in asyncio.run(pictures()).items():
        (FOLDER / f"{name}.svg").write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}.svg {len(text)} bytes\n")
