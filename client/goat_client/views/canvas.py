"""A grid of cells that views write on. Everything is clipped, so no window size can break a line.

A cell is ``(text, style, what)``: one character with its marks, a style class of `goat_client.screen.style`, and the
command a click on it stands for ("" for none). A wide character is followed by a cell whose text is "".
"""

from collections.abc import Sequence
from typing import TypeAlias

from goat_client.machine.glyphs import Glyphs
from goat_client.machine.text import ascii_fold, cells, char_cells, cut, safe

Cell: TypeAlias = tuple[str, str, str]
Span: TypeAlias = tuple[str, str, str]
Part: TypeAlias = str | tuple[str, str] | tuple[str, str, str]
BLANK: Cell = (" ", "", "")


class Canvas:
    """A view of a rectangle of a shared grid; positions outside it are ignored."""

    def __init__(self, width: int, height: int, glyphs: Glyphs) -> None:
        self.width, self.height, self.glyphs = max(0, width), max(0, height), glyphs
        self._grid: list[list[Cell]] = [[BLANK] * self.width for _ in range(self.height)]
        self._x = self._y = 0
        self.cursor: list[tuple[int, int]] = []

    def sub(self, x: int, y: int, width: int, height: int) -> "Canvas":
        """The rectangle at x, y of this one, clipped to it."""
        part = Canvas(0, 0, self.glyphs)
        x0, y0 = max(0, x), max(0, y)
        part.width = max(0, min(width - (x0 - x), self.width - x0))
        part.height = max(0, min(height - (y0 - y), self.height - y0))
        part._grid, part._x, part._y, part.cursor = self._grid, self._x + x0, self._y + y0, self.cursor
        return part

    def fit(self, text: str) -> str:
        """A text as this terminal can show it."""
        return ascii_fold(safe(text)) if self.glyphs.ascii else safe(text)

    def put(self, x: int, y: int, text: str, style: str = "", what: str = "") -> int:
        """Write a text; gives the column after it. Text is made safe first, whatever its origin."""
        text = self.fit(text)
        if not 0 <= y < self.height:
            return x + cells(text)
        row = self._grid[self._y + y]
        for ch in text:
            width = char_cells(ch)
            if width == 0:
                self._mark(row, x, ch)
                continue
            if x >= 0 and x + width <= self.width:
                at = self._x + x
                self._free(row, at)
                row[at] = (ch, style, what)
                if width == 2:
                    self._free(row, at + 1)
                    row[at + 1] = ("", style, what)
            x += width
        return x

    def _mark(self, row: list[Cell], x: int, mark: str) -> None:
        """A combining mark joins the character before it."""
        at = self._x + x - 1
        if not 0 < x <= self.width:
            return
        if row[at][0] == "" and x > 1:
            at -= 1
        text, style, what = row[at]
        if text:
            row[at] = (text + mark, style, what)

    def _free(self, row: list[Cell], at: int) -> None:
        """Half of a wide character that is written over leaves a blank in its other half."""
        if row[at][0] == "" and at > 0 and row[at - 1][0] and char_cells(row[at - 1][0][0]) == 2:
            row[at - 1] = BLANK
        if row[at][0] and char_cells(row[at][0][0]) == 2 and at + 1 < len(row) and row[at + 1][0] == "":
            row[at + 1] = BLANK

    def line(self, x: int, y: int, parts: Sequence[Part], width: int | None = None) -> int:
        """Write parts one after the other, cut at ``width`` cells; gives the column after them."""
        end = x + width if width is not None else self.width
        for part in parts:
            text, style, what = (part, "", "") if isinstance(part, str) else (*part, "")[:3]
            short = cut(self.fit(text), end - x, self.glyphs.ellipsis)
            x = self.put(x, y, short, style, what)
        return x

    def centre(self, y: int, parts: Sequence[Part]) -> None:
        """Write parts in the middle of a row."""
        total = sum(cells(self.fit(p if isinstance(p, str) else p[0])) for p in parts)
        self.line(max(0, (self.width - total) // 2), y, parts)

    def right(self, y: int, parts: Sequence[Part], margin: int = 0) -> int:
        """Write parts against the right edge; gives the column they begin at."""
        total = sum(cells(self.fit(p if isinstance(p, str) else p[0])) for p in parts)
        x = max(0, self.width - margin - total)
        self.line(x, y, parts)
        return x

    def fill(self, style: str, text: str = " ") -> None:
        """Every cell of the rectangle."""
        for y in range(self.height):
            for x in range(self.width):
                self.put(x, y, text, style)

    def box(self, title: str = "", style: str = "frame", title_style: str = "title") -> "Canvas":
        """Draw a frame around the rectangle with a title in its top edge; gives the inside."""
        tl, tr, bl, br, h, v, *_ = tuple(self.glyphs.frame)
        w, bottom = self.width, self.height - 1
        if w < 2 or bottom < 1:
            return self.sub(0, 0, 0, 0)
        self.put(0, 0, tl + h * (w - 2) + tr, style)
        for y in range(1, bottom):
            self.put(0, y, v, style)
            self.put(w - 1, y, v, style)
        self.put(0, bottom, bl + h * (w - 2) + br, style)
        if title:
            text = f" {cut(self.fit(title), w - 6, self.glyphs.ellipsis)} "
            self.put(2, 0, text, title_style)
        return self.sub(1, 1, w - 2, bottom - 1)

    def rule(self, y: int, title: str = "", style: str = "frame") -> None:
        """A line across a boxed rectangle's inside, joined to the frame on both sides, with a title."""
        left, right, h = self.glyphs.frame[6], self.glyphs.frame[7], self.glyphs.frame[4]
        outer = Canvas(0, 0, self.glyphs)
        outer._grid, outer._x, outer._y = self._grid, self._x - 1, self._y
        outer.width, outer.height = self.width + 2, self.height
        outer.put(0, y, left + h * self.width + right, style)
        if title:
            outer.put(2, y, f" {cut(self.fit(title), self.width - 4, self.glyphs.ellipsis)} ", "title")

    def set_cursor(self, x: int, y: int) -> None:
        """Where the terminal's own cursor is to stand (text fields)."""
        self.cursor[:] = [(self._x + min(x, max(0, self.width - 1)), self._y + y)]

    def what(self, x: int, y: int) -> str:
        """The command that stands at a place, or ""."""
        return self._grid[self._y + y][self._x + x][2] if 0 <= x < self.width and 0 <= y < self.height else ""

    def lines(self) -> list[list[Span]]:
        """Rows as runs of equal style and meaning."""
        out: list[list[Span]] = []
        for row in self._grid[self._y : self._y + self.height]:
            spans: list[Span] = []
            for text, style, what in row[self._x : self._x + self.width]:
                if spans and spans[-1][0] == style and spans[-1][2] == what:
                    spans[-1] = (style, spans[-1][1] + text, what)
                else:
                    spans.append((style, text, what))
            out.append(spans)
        return out

    def text(self) -> str:
        """The plain text, rows without blanks at their ends."""
        return "\n".join("".join(s[1] for s in spans).rstrip() for spans in self.lines())
