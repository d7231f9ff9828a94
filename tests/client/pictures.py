"""The README's pictures: the real application, drawn into a terminal's buffer, and the buffer as SVG.

To draw them anew: ``python3 dev.py make pictures``.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
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
MARGIN, BASELINE = 10, 14
BACK: Final = "▒"
LINES: Final = {"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "├": "udr", "┤": "udl",
                "╭": "(rd", "╮": "(ld", "╰": "(ru", "╯": "(lu"}  # fmt: skip
"""Signs that are drawn as lines, by the arms they have."""
GROUND, INK = "#1b1d1e", "#d8d8d0"
SETTINGS: Final = Settings(name="Vera", colour="true", ascii="no", bell=False, title=False, hold=0.0, reveal=0.0)
NAMES: Final = ("Vera", "Anna", "Boris", "Igor")


@dataclass(frozen=True)
class Picture:
    """One picture: its SVG, and the signs that stand in each row, a string for each cell."""

    text: str
    cells: list[list[str]]


def picture(glass: Glass, title: str) -> Picture:
    """What this terminal shows now."""
    columns = range(glass.screen.columns)
    rows = [[glass.screen.buffer[y][x].data for x in columns] for y in range(glass.screen.lines)]
    return Picture(svg(glass, title), rows)


def svg(glass: Glass, title: str) -> str:
    """A terminal's buffer as a picture that looks the same in every browser and with every font.

    Each sign has a column of its own, so neither dropped blanks nor a font's own widths move anything; frames and the
    backs of cards are drawn as shapes, so that they close. The ground is part of it: a page may be light or dark.
    """
    width, height = glass.screen.columns * CELL_W + 2 * MARGIN, glass.screen.lines * CELL_H + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>',
        f'<g transform="translate({MARGIN} {MARGIN})" font-size="{FONT}" '
        'font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace">',
    ]
    for y in range(glass.screen.lines):
        row = glass.screen.buffer[y]
        x = 0
        while x < glass.screen.columns:
            first, start = row[x], x
            while x < glass.screen.columns and row[x][1:] == first[1:]:
                x += 1
            looks = (colour(first.fg, INK), colour(first.bg, ""), first.bold, first.reverse)
            out += run([row[n].data for n in range(start, x)], start, y, *looks)
    return "\n".join([*out, "</g>", "</svg>", ""])


def colour(name: str, default: str) -> str:
    """A colour of the buffer as SVG writes it."""
    return default if name == "default" else f"#{name}"


def run(signs: list[str], x: int, y: int, ink: str, ground: str, bold: bool, reverse: bool) -> list[str]:
    """One run of cells of equal looks: a ground, a path for what is drawn, a text with a column for each sign."""
    if reverse:
        ink, ground = ground or GROUND, ink
    out = []
    px, py = x * CELL_W, y * CELL_H
    if ground:
        out.append(f'<rect x="{px}" y="{py}" width="{len(signs) * CELL_W}" height="{CELL_H}" fill="{ground}"/>')
    lines = "".join(shape(LINES[sign], px + n * CELL_W, py) for n, sign in enumerate(signs) if sign in LINES)
    if lines:
        out.append(f'<path d="{lines}" stroke="{ink}" fill="none"/>')
    at = (px + n * CELL_W for n, sign in enumerate(signs) if sign == BACK)
    backs = "".join(f"M{left} {py + 3}h{CELL_W}v{CELL_H - 6}h-{CELL_W}z" for left in at)
    if backs:
        out.append(f'<path d="{backs}" fill="{ink}" fill-opacity=".45"/>')
    single = [(n, s) for n, s in enumerate(signs) if s.strip() and s not in LINES and s != BACK]
    if single:
        weight = ' font-weight="bold"' if bold else ""
        columns = " ".join(str(px + n * CELL_W) for n, s in single for _ in s)  # a mark stands where its letter does
        text = escape("".join(s for _, s in single))
        out.append(f'<text x="{columns}" y="{py + BASELINE}" fill="{ink}"{weight}>{text}</text>')
    return out


def shape(line: str, px: int, py: int) -> str:
    """A sign of a frame as a path; in ``line`` each letter is an arm: up, down, left, right, or an arc between two."""
    mx, my = px + CELL_W / 2, py + CELL_H / 2
    ends = {"u": (mx, py), "d": (mx, py + CELL_H), "l": (px, my), "r": (px + CELL_W, my)}
    if line[0] == "(":
        (ax, ay), (bx, by) = ends[line[1]], ends[line[2]]
        return f"M{ax:g} {ay:g}Q{mx:g} {my:g} {bx:g} {by:g}"
    return "".join(f"M{mx:g} {my:g}L{ends[arm][0]:g} {ends[arm][1]:g}" for arm in line)


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


async def pictures() -> dict[str, Picture]:
    """Every picture by its name."""
    out = {}
    glass = Glass(80, 24)
    with create_pipe_input() as keys:
        async with asyncio.TaskGroup() as group:
            task: asyncio.Task[tuple[Choice, Settings]] = group.create_task(
                run_lobby(Tables(), SETTINGS, input=keys, output=glass.output())
            )
            await drawn(glass, "Kitchen table", "Quit")
            out["lobby"] = picture(glass, "The lobby: tables on this network")
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
        out["table"] = picture(glass, "The table: it is my turn to beat or to discard")
    session = begun(3)
    advance(session, lambda s: s.view.stage is Stage.BETWEEN)
    async with table(session) as (glass, press):
        await drawn(glass, "next deal", "Checked here")
        out["deal"] = picture(glass, "The end of a deal: every card open, checked by everyone")
    lesson = lesson_session()
    while lesson.advance():
        pass
    async with table(lesson, LessonControl) as (glass, press):
        await drawn(glass, "Lesson", "press Enter")
        out["lesson"] = picture(glass, "The lesson")
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
    for name, one in asyncio.run(pictures()).items():
        (FOLDER / f"{name}.svg").write_text(one.text, encoding="utf-8")
        sys.stdout.write(f"{name}.svg {len(one.text)} bytes\n")
