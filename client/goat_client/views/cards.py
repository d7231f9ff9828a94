"""Cards as they are drawn: in the hand, on the table, and as chips in one line."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from goat_client.views.canvas import Canvas, Part
from goat_engine.cards import RANKS, Card


class Size(NamedTuple):
    """Of a card, in cells, its frame included. At least five by three."""

    width: int
    height: int


HAND_CARD: Final = Size(5, 4)
LARGE_CARD: Final = Size(8, 6)
SMALL: Final = Size(5, 3)  # on the table
BIG: Final = Size(7, 5)


def suit_style(card: Card, base: str) -> str:
    """A style class with the card's suit in it: ``card.0`` to ``card.3``."""
    return f"{base}.{card // 9}"


def hand_card(
    canvas: Canvas, x: int, y: int, card: Card | None, number: str, size: Size = HAND_CARD, *,
    lifted: bool, dimmed: bool, marked: bool, what: str,
) -> None:
    """One card of the hand with its number in the lower edge; ``marked`` is where the arrow keys stand."""
    base = "chosen" if lifted else "dim" if dimmed else "card"
    edge = f"{base}.edge"
    ink = edge if card is None else suit_style(card, base)
    rows = _inside(canvas, card, size)
    _frame(canvas, x, y, size, rows, edge, ink, what)
    at = x + size.width // 2
    canvas.put(at, y + size.height - 1, number, "cursor" if marked else edge, what)


def table_card(canvas: Canvas, x: int, y: int, card: Card | None, size: Size, *, top: bool, down: bool = False) -> int:
    """A card on the table; None is a face-down one, ``down`` one that lies so and is known here. Gives the column
    after it."""
    base = "back" if card is None else "dim" if down else "card"
    edge = "top.edge" if top else f"{base}.edge"
    ink = "back" if card is None else suit_style(card, base)
    rows = _inside(canvas, card, size)
    if size.height == SMALL.height and card is not None:
        rows = [f"{canvas.glyphs.card(card):^{size.width - 2}}"]
    _frame(canvas, x, y, size, rows, edge, ink, "")
    return x + size.width


def _inside(canvas: Canvas, card: Card | None, size: Size) -> list[str]:
    """The rows within a card's frame: its rank above, its suit below, or a back."""
    wide, high = size.width - 2, size.height - 2
    if card is None:
        return [canvas.glyphs.back * wide] * high
    rank, suit = RANKS[card % 9], canvas.glyphs.suits[card // 9]
    rows = [" " * wide] * high
    rows[0] = f"{rank:<{wide}}"
    rows[-1] = f"{suit:>{wide}}" if high > 1 else f"{canvas.glyphs.card(card):^{wide}}"
    return rows


def _frame(
    canvas: Canvas, x: int, y: int, size: Size, rows: Sequence[str], edge: str, ink: str, what: str
) -> None:
    tl, tr, bl, br, h, v = tuple(canvas.glyphs.card_frame)
    wide = size.width - 2
    canvas.put(x, y, tl + h * wide + tr, edge, what)
    for row, text in enumerate(rows, y + 1):
        canvas.put(x, row, v, edge, what)
        canvas.put(x + 1, row, text, ink, what)
        canvas.put(x + size.width - 1, row, v, edge, what)
    canvas.put(x, y + size.height - 1, bl + h * wide + br, edge, what)


def chips(canvas: Canvas, cards: Sequence[Card | None]) -> list[Part]:
    """Cards in one line, a blank between them; None is a face-down one."""
    out: list[Part] = []
    for card in cards:
        if out:
            out.append(" ")
        if card is None:
            out.append((canvas.glyphs.back * 2, "back"))
        else:
            out.append((canvas.glyphs.card(card), suit_style(card, "ink")))
    return out
