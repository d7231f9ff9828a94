"""Cards, suits, ranks and points (RULES.md R1-R3).

A card is an int 0..35: ``suit * 9 + rank``. Suits 0..3 are spades, clubs, diamonds, hearts; ranks 0..8 are
6 7 8 9 J Q K 10 A, low to high. Ints keep states small and hashable; text is made at the edge.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

Card: TypeAlias = int
Suit: TypeAlias = int
Rank: TypeAlias = int

SUITS: Final = "SCDH"
SUIT_SYMBOLS: Final = "♠♣♦♥"
RANKS: Final = ("6", "7", "8", "9", "J", "Q", "K", "10", "A")
RANK_POINTS: Final = (0, 0, 0, 0, 2, 3, 4, 10, 11)
DECK_SIZE: Final = 36
DECK: Final = tuple(range(DECK_SIZE))
DECK_POINTS: Final = 120


def card(suit: Suit, rank: Rank) -> Card:
    """The card of a suit (0..3) and a rank (0..8)."""
    return suit * 9 + rank


def suit_of(c: Card) -> Suit:
    """Suit 0..3 of a card."""
    return c // 9


def rank_of(c: Card) -> Rank:
    """Rank 0..8 of a card, low to high (R1)."""
    return c % 9


def points_of(cards: Iterable[Card]) -> int:
    """Points of some cards together (R2)."""
    return sum(RANK_POINTS[c % 9] for c in cards)


def beats(c: Card, other: Card, trump: Suit) -> bool:
    """Whether ``c`` beats ``other``: higher in its suit, or a trump over a card that is none (R3)."""
    if c // 9 == other // 9:
        return c > other
    return c // 9 == trump


def set_beats(cards: Iterable[Card], top: Iterable[Card], trump: Suit) -> bool:
    """Whether some one-to-one pairing of ``cards`` with ``top`` lets every card beat its partner (R10).

    Cards that are no trump can only beat their own suit, so they are paired first, each with the highest card
    of its suit that it beats; what is left over of ``top`` must be beaten by trumps, lowest against lowest.
    """
    mine, theirs = sorted(cards), sorted(top)
    if len(mine) != len(theirs):
        return False
    left = list(theirs)
    for c in sorted((c for c in mine if c // 9 != trump), reverse=True):
        target = max((t for t in left if t // 9 == c // 9 and t < c), default=None)
        if target is None:
            return False
        left.remove(target)
    trumps = [c for c in mine if c // 9 == trump]
    plain = sum(1 for t in left if t // 9 != trump)
    against = [t for t in left if t // 9 == trump]
    return all(c > t for c, t in zip(trumps[plain:], against, strict=True))


def name(c: Card) -> str:
    """Rank and suit letter, as in ``10S``."""
    return RANKS[c % 9] + SUITS[c // 9]


def parse(text: str) -> Card:
    """The card named by rank and suit letter (or symbol), in any case.

    Raises ValueError with the text when there is no such card.
    """
    rank, suit = text[:-1].upper(), text[-1:].upper()
    suit = SUITS[SUIT_SYMBOLS.index(suit)] if suit and suit in SUIT_SYMBOLS else suit
    if rank not in RANKS or not suit or suit not in SUITS:
        raise ValueError(f"{text!r} is no card: write rank and suit, as in 10S or AH")
    return card(SUITS.index(suit), RANKS.index(rank))


def parse_all(text: str) -> tuple[Card, ...]:
    """Cards named in a text, parted by blanks."""
    return tuple(parse(word) for word in text.split())
