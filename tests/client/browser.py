"""A page or a picture as a browser draws it: headless Chromium, which a machine may have or not; and its PNG read."""

import os
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM: Final = next(filter(None, map(shutil.which, NAMES)), "")
"""Its path, or "" where there is none."""
QUIET: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip
LIMIT: Final = 120  # seconds after which a browser that hangs is ended


def screenshot(html: str, folder: Path, width: int, height: int) -> Path:
    """Draw a page of this size into a PNG in the folder. The browser gets a new empty profile there."""
    page, png = folder / "page.html", folder / "page.png"
    page.write_text(html, encoding="utf-8")
    subprocess.run(
        [CHROMIUM, *QUIET, f"--user-data-dir={folder / 'profile'}", f"--window-size={width},{height}",
         f"--screenshot={png}", page.as_uri()],
        check=True, capture_output=True, timeout=LIMIT, env={**os.environ, "HOME": str(folder)},
    )  # fmt: skip
    return png


def pixels(png: Path) -> list[list[tuple[int, int, int]]]:
    """The rows of a PNG as Chromium writes it: eight bits a channel, RGB or RGBA, not interlaced."""
    data = png.read_bytes()
    at, packed, width, height, size = 8, b"", 0, 0, 3
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
            assert body[8] == 8
            assert body[12] == 0
            size = {2: 3, 6: 4}[body[9]]
        elif kind == b"IDAT":
            packed += body
        at += length + 12
    raw, stride = zlib.decompress(packed), width * size
    above, rows = bytearray(stride), []
    for y in range(height):
        start = y * (stride + 1)
        above = _unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + stride]), above, size)
        rows.append([(above[x], above[x + 1], above[x + 2]) for x in range(0, stride, size)])
    return rows


def _unfiltered(kind: int, line: bytearray, above: bytearray, size: int) -> bytearray:
    """One row by the filter it was written with (PNG, section 9)."""
    if kind == 0:
        return line
    for x in range(len(line)):
        left = line[x - size] if x >= size else 0
        up, corner = above[x], above[x - size] if x >= size else 0
        if kind == 4:
            guess = left + up - corner
            near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        else:
            near = {1: left, 2: up, 3: (left + up) // 2}[kind]
        line[x] = (line[x] + near) & 255
    return line
