"""The last row of every screen: the keys that do something now, K first. Never longer than the window."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from goat_client.machine.text import cells
from goat_client.views.canvas import Canvas, Part

Item: TypeAlias = tuple[str, str, str]
"""(key, word, command of a click or "")."""
KEYS: Final[Item] = ("K", "keys", "keys")
GAP: Final = 3  # cells between two items


def fitted(items: Sequence[Item], width: int) -> list[Item]:
    """The items that fit, in their order: first the last ones lose their words, then they go. The first one stays."""
    some = list(items)
    bare = len(some)
    while _width(some) > width and bare > 1:
        bare -= 1
        key, _, what = some[bare]
        some[bare] = (key, "", what)
    while _width(some) > width and len(some) > 1:
        some.pop()
    for at in range(bare, len(some)):  # words come back where there is room after all
        key, word, what = items[at]
        wider = [*some[:at], (key, word, what), *some[at + 1 :]]
        if _width(wider) <= width:
            some = wider
    return some


def _width(items: Sequence[Item]) -> int:
    return sum(cells(key) + (1 + cells(word) if word else 0) for key, word, _ in items) + GAP * (len(items) - 1)


def draw(line: Canvas, items: Sequence[Item]) -> None:
    """Write the items into one row; K is put in front of them."""
    parts: list[Part] = []
    for key, word, what in fitted([KEYS, *items], line.width - 2):
        parts += [(f" {line.glyphs.dot} ", "faint")] if parts else []
        parts += [(key, "key", what), (f" {word}" if word else "", "", what)]
    line.line(1, 0, parts, line.width - 1)
