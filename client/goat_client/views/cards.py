"""Cards as they are drawn: in the hand, on the table, and as chips in one line."""

from collections.abc import Sequence

from goat_client.views.canvas import Canvas, Part
from goat_engine.cards import RANKS, Card

CARD_W, CARD_H = 5, 4
MINI_H = 3


def suit_style(card: Card, base: str) -> str:
    """A style class with the card's suit in it: ``card.0`` to ``card.3``."""
    return f"{base}.{card // 9}"


def hand_card(
    canvas: Canvas, x: int, y: int, card: Card | None, number: str, *,
    lifted: bool, dimmed: bool, marked: bool, what: str,
) -> None:
    """One card of the hand with its number in the lower edge; ``marked`` is where the arrow keys stand."""
    tl, tr, bl, br, h, v = tuple(canvas.glyphs.card_frame)
    base = "chosen" if lifted else "dim" if dimmed else "card"
    edge = f"{base}.edge"
    ink = edge if card is None else suit_style(card, base)
    rank = canvas.glyphs.back * 3 if card is None else f"{RANKS[card % 9]:<3}"
    suit = canvas.glyphs.back * 3 if card is None else f"  {canvas.glyphs.suits[card // 9]}"
    canvas.put(x, y, tl + h * 3 + tr, edge, what)
    for row, text in ((y + 1, rank), (y + 2, suit)):
        canvas.put(x, row, v, edge, what)
        canvas.put(x + 1, row, text, ink, what)
        canvas.put(x + 4, row, v, edge, what)
    canvas.put(x, y + 3, bl + h + number + h + br, edge, what)
    if marked:
        canvas.put(x + 2, y + 3, number, "cursor", what)


def mini_card(canvas: Canvas, x: int, y: int, card: Card | None, *, top: bool, down: bool = False) -> int:
    """A card on the table, three rows high; None is a face-down one, ``down`` one that lies so and is known here.
    Gives the column after it."""
    tl, tr, bl, br, h, v = tuple(canvas.glyphs.card_frame)
    base = "back" if card is None else "dim" if down else "card"
    edge = "top.edge" if top else f"{base}.edge"
    canvas.put(x, y, tl + h * 3 + tr, edge)
    canvas.put(x, y + 1, v, edge)
    if card is None:
        canvas.put(x + 1, y + 1, canvas.glyphs.back * 3, "back")
    else:
        canvas.put(x + 1, y + 1, f"{canvas.glyphs.card(card):^3}", suit_style(card, base))
    canvas.put(x + 4, y + 1, v, edge)
    canvas.put(x, y + 2, bl + h * 3 + br, edge)
    return x + 5


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
