"""The signs a screen is drawn with: suits, frames, backs, dots; in Unicode or for a terminal that has only ASCII."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from goat_engine.cards import RANKS, Card, Suit


@dataclass(frozen=True, slots=True)
class Glyphs:
    """``frame``: corners and edges in the order ``┌ ┐ └ ┘ ─ │ ├ ┤``. All but ``goat`` are one cell each."""

    suits: str
    frame: str
    card_frame: str
    back: str
    full: str
    empty: str
    check: str
    cross: str
    pointer: str
    dot: str
    dash: str
    ellipsis: str
    times: str
    left: str
    right: str
    warning: str
    ascii: bool = False
    words: bool = False

    def card(self, card: Card) -> str:
        """Rank and suit, two or three cells, as in ``10♠``; in words for lines that are read aloud."""
        if self.words:
            return spoken(card)
        return RANKS[card % 9] + self.suits[card // 9]

    def cards(self, cards: Iterable[Card]) -> str:
        """Some cards, parted by blanks (by commas in words)."""
        return (", " if self.words else " ").join(self.card(c) for c in cards)

    def suit(self, suit: Suit) -> str:
        """The sign of a suit, one cell; in words for lines that are read aloud."""
        return SUIT_WORDS[suit] if self.words else self.suits[suit]

    def say(self, text: str) -> str:
        """A text of our own with signs an ASCII terminal lacks replaced."""
        return text.translate(_TO_ASCII) if self.ascii else text


_TO_ASCII: Final = str.maketrans(
    {"·": "-", "…": "...", "–": "-", "—": "-", "’": "'", "“": '"', "”": '"', "×": "x", "→": "->", "←": "<-",
     "↑": "^", "↓": "v", "♠": "S", "♣": "C", "♦": "D", "♥": "H", "●": "*", "✓": "+", "−": "-", "▸": ">", "▒": "#"}
)  # fmt: skip

UNICODE: Final = Glyphs(
    suits="♠♣♦♥", frame="┌┐└┘─│├┤", card_frame="╭╮╰╯─│", back="▒", full="●", empty="·", check="✓", cross="×",
    pointer="▸", dot="·", dash="–", ellipsis="…", times="×", left="←", right="→", warning="!",
)  # fmt: skip

ASCII: Final = Glyphs(
    suits="SCDH", frame="++++-|++", card_frame="++++-|", back="#", full="*", empty=".", check="+", cross="x",
    pointer=">", dot="-", dash="-", ellipsis="...", times="x", left="<-", right="->", warning="!", ascii=True,
)  # fmt: skip

SUIT_SETS: Final = {"auto": "♠♣♦♥", "symbols": "♠♣♦♥", "letters": "SCDH", "russian": "ПТБЧ", "words": "♠♣♦♥"}
"""Suit signs by setting. Russian letters: пики, трефы, бубны, черви. Words are for plain mode alone."""
SUIT_WORDS: Final = ("spades", "clubs", "diamonds", "hearts")
RANK_WORDS: Final = ("six", "seven", "eight", "nine", "jack", "queen", "king", "ten", "ace")


def spoken(card: Card) -> str:
    """A card in words, for a screen reader: ``ten of spades``."""
    return f"{RANK_WORDS[card % 9]} of {SUIT_WORDS[card // 9]}"
