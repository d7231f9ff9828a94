"""Cards as they are typed and as they are numbered: a card keeps its number as long as it is in the hand."""

import re
from collections.abc import Sequence
from typing import Final

from goat_client.machine.glyphs import RANK_WORDS, SUIT_WORDS
from goat_engine.actions import Slot
from goat_engine.cards import RANKS, Card, card, parse
from goat_engine.rules import HAND_SIZE

_FILLERS: Final = frozenset({"of", "and", "the", "with", "cards", "card"})
_SUITS: Final = {
    **{word: n for n, word in enumerate(SUIT_WORDS)},
    **{word.removesuffix("s"): n for n, word in enumerate(SUIT_WORDS)},
    **dict(zip("scdh", range(4), strict=True)),
    **dict(zip("♠♣♦♥", range(4), strict=True)),
}
_RANKS: Final = {
    **{word: n for n, word in enumerate(RANK_WORDS)},
    **{rank.lower(): n for n, rank in enumerate(RANKS)},
}


class NoCardError(ValueError):
    """A word that names no card; the text says which."""


class Places:
    """The numbers of the cards in one's hand, from 1. A card that is drawn takes the number of one that has gone."""

    def __init__(self) -> None:
        self._at: list[Slot | None] = [None] * HAND_SIZE

    def update(self, hand: Sequence[tuple[Slot, Card]]) -> tuple[Slot, ...]:
        """Take the hand as it is now; gives the slots that are new in it, in order of their numbers."""
        held = [slot for slot, _ in hand]
        kept = [slot if slot in held else None for slot in self._at]
        new = [slot for slot in held if slot not in kept]
        if not any(slot is not None for slot in kept):
            kept = [None] * HAND_SIZE
        for slot in new:
            kept[kept.index(None)] = slot
        self._at = kept
        return tuple(slot for slot in kept if slot in new and slot is not None)

    def number(self, slot: Slot) -> int:
        """The number of a card that is in the hand."""
        return self._at.index(slot) + 1

    def slot(self, number: int) -> Slot | None:
        """The card with a number, if there is one."""
        return self._at[number - 1] if 1 <= number <= len(self._at) else None

    def ordered(self, hand: Sequence[tuple[Slot, Card]]) -> list[tuple[int, Slot, Card]]:
        """The hand by its numbers."""
        return sorted((self.number(slot), slot, c) for slot, c in hand)


def typed(words: Sequence[str], places: Places, hand: Sequence[tuple[Slot, Card]]) -> list[Slot]:
    """The slots that are meant: numbers (``1 3``, ``1,3``), names (``10S``, ``10♠``), or words (``ten of spades``,
    ``10 hearts``). Raises NoCardError."""
    tokens = [t for t in re.split(r"[\s,;]+", " ".join(words).lower()) if t and t not in _FILLERS]
    by_card = {c: slot for slot, c in hand}
    found: list[Slot] = []
    while tokens:
        token = tokens.pop(0)
        if token in _RANKS and tokens and tokens[0] in _SUITS:
            slot, shown = by_card.get(card(_SUITS[tokens[0]], _RANKS[token])), f"the {token} of {tokens[0]}"
            tokens.pop(0)
        elif token.isdecimal() and len(token) == 1:
            slot, shown = places.slot(int(token)), f"a card {token}"
        else:
            slot, shown = by_card.get(_named(token)), token
        if slot is None:
            raise NoCardError(f"You don't hold {shown}.")
        found.append(slot)
    return found


def _named(token: str) -> Card:
    try:
        return parse(token)
    except ValueError:
        raise NoCardError(
            f"{token} is no card and no word here. Cards: a number of your hand, 10S, ten of spades. help lists words."
        ) from None
