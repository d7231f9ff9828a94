"""What a seat can do (RULES.md R8-R18). Cards are named by their slots: showing the slot is what opens a card."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Slot: TypeAlias = int
"""A place in the locked deck, 0..35: 0-15 the hands as dealt, 16-35 the stock from the top (R5, R6)."""


@dataclass(frozen=True, slots=True)
class Lead:
    """One to four cards of one suit, face up (R8)."""

    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Beat:
    """As many cards as the lead, face up, each beating its partner in the top set (R10)."""

    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Discard:
    """As many cards as the lead, face down (R11). A slot is None for whoever does not know it."""

    slots: tuple[Slot | None, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A molodka is claimed (R15); carries no cards, the claimant shows them next."""


@dataclass(frozen=True, slots=True)
class Show:
    """The four cards of one suit of a claim, face up; they become the lead (R16)."""

    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Yield:
    """An asked seat lets the claim stand (R17)."""


Action: TypeAlias = Lead | Beat | Discard | Claim | Show | Yield


class Refusal(StrEnum):
    """Why an action is refused; the state is unchanged. A closed list."""

    DEAL_OVER = "the deal is over"
    NOT_YOUR_TURN = "it is not this seat's turn"
    WRONG_ACTION = "this action is not possible now"
    WRONG_COUNT = "the number of cards does not fit"
    REPEATED_SLOT = "a card is named twice"
    NOT_IN_HAND = "this card is not in the seat's hand"
    UNKNOWN_CARD = "the face of this card is not known"
    NOT_ONE_SUIT = "the cards are not of one suit"
    DOES_NOT_BEAT = "the cards do not beat the top set"
    NO_MOLODKA = "the hand is not four cards of one suit"
    TOO_LATE = "a molodka can only be claimed before one's own play, and not over a molodka"
