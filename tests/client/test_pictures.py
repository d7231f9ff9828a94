"""The pictures of the papers are what the screen looks like, and a browser draws them so."""

from pathlib import Path

import pytest

from tests.client.browser import CHROMIUM, pixels, screenshot
from tests.client.pictures import CELL_H, CELL_W, FOLDER, MARGIN, Picture, pictures

MIDDLE = (slice(3, CELL_H - 3), slice(2, CELL_W - 2))
"""The part of a cell into which the sign beside it may not reach, whatever the font."""


async def test_the_pictures_are_true() -> None:
    now = await pictures()
    for name, one in now.items():
        path = FOLDER / f"{name}.svg"
        again = f"{path.name}: python3 dev.py make draws it anew"
        assert path.read_text(encoding="utf-8") == one.text, again
    assert {p.stem for p in FOLDER.glob("*.svg")} == set(now)


def out_of_line(one: Picture, rows: list[list[tuple[int, int, int]]]) -> list[str]:
    """Cells that should hold a sign and hold none, or the other way round."""
    wrong = []
    for y, signs in enumerate(one.cells):
        for x, sign in enumerate(signs):
            top, left = MARGIN + y * CELL_H, MARGIN + x * CELL_W
            cell = [row[left : left + CELL_W] for row in rows[top : top + CELL_H]]
            whole = {colour for row in cell[1:-1] for colour in row}
            middle = {colour for row in cell[MIDDLE[0]] for colour in row[MIDDLE[1]]}
            if sign.strip() and len(whole) == 1 and sign != "▒":
                wrong.append(f"row {y + 1}, column {x + 1}: {sign} is not there")
            elif not sign.strip() and len(middle) > 1:
                wrong.append(f"row {y + 1}, column {x + 1}: something stands in a blank")
    return wrong


@pytest.mark.long("a browser draws all pictures")
@pytest.mark.processes
@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine to draw the pictures with")
@pytest.mark.parametrize("ground", ["#ffffff", "#0d1117"], ids=["light", "dark"])
async def test_a_browser_draws_every_sign_in_its_place(tmp_path: Path, ground: str) -> None:
    """U27: blanks at the ends of texts were dropped and the rest was stretched: words pulled apart, rows crooked."""
    for name, one in (await pictures()).items():
        width, height = len(one.cells[0]) * CELL_W + 2 * MARGIN, len(one.cells) * CELL_H + 2 * MARGIN
        folder = tmp_path / name
        folder.mkdir()
        body = f'<body style="margin:0;background:{ground}">'
        html = f'<!doctype html><meta charset="utf-8">{body}<img src="{name}.svg" width="{width}" height="{height}">'
        (folder / f"{name}.svg").write_text(one.text, encoding="utf-8")
        rows = pixels(screenshot(html, folder, width, height + 100))
        assert out_of_line(one, rows)[:5] == [], name
