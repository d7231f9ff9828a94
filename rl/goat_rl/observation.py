"""What a seat sees as a row of numbers, and its actions as numbers. Made from its `SeatView` and nothing else.

Seats are counted from the seat that looks: 0 itself, 1 its left, 2 its partner, 3 its right.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Show, Slot, Yield
from goat_engine.cards import DECK_SIZE
from goat_engine.rules import HAND_SIZE, SEATS, distance
from goat_engine.state import DealState, Phase, Play, PlayKind
from goat_engine.view import SeatView

SETS: Final = (1 << HAND_SIZE) - 1
"""Sets of cards in a hand of four, by the places of the cards: bit 0 is the first card of the sorted hand."""
OPEN: Final = 0
DISCARD: Final = OPEN + SETS
CLAIM: Final = DISCARD + SETS
YIELD: Final = CLAIM + 1
ACTIONS: Final = YIELD + 1
"""Actions: 0-14 the cards of set 1-15 face up (lead, beat or show), 15-29 face down, 30 claim, 31 yield."""

_PHASES: Final = (Phase.LEAD, Phase.ANSWER, Phase.SHOW, Phase.ASK)
_MOST_TRICKS: Final = 9

PARTS: Final = (
    ("hand", HAND_SIZE * DECK_SIZE),  # place by place, which card lies there
    ("trump", 4),
    ("indicator", DECK_SIZE),
    ("phase", len(_PHASES)),
    ("dealer", len(SEATS)),
    ("entitled", len(SEATS)),
    ("claimant", len(SEATS)),  # all 0 while nobody has claimed
    ("open", len(SEATS) * DECK_SIZE),  # what lies face up in this trick, seat by seat
    ("covered", len(SEATS)),  # cards that lie face down in this trick, of 4
    ("gone", DECK_SIZE),  # cards of closed tricks that this seat has seen, its own discards among them
    ("sizes", len(SEATS)),  # cards in hand, of 4
    ("stock", 1),  # cards left in it, of 20
    ("tricks", 2),  # taken by the own team and the other, of 9
)
SIZE: Final = sum(size for _, size in PARTS)


def observe(view: SeatView) -> list[float]:
    """The row of numbers, each 0 to 1, `SIZE` of them in the order of `PARTS`."""
    deal, me = view.deal, view.seat
    row: list[float] = []
    for name, size in PARTS:
        part = [0.0] * size
        for place, value in _values(name, deal, view, me):
            part[place] = value
        row += part
    return row


def _values(name: str, deal: DealState, view: SeatView, me: int) -> Iterator[tuple[int, float]]:
    """The numbers of one part that are not 0: place -> value."""
    match name:
        case "hand":
            yield from ((place * DECK_SIZE + card, 1.0) for place, (_, card) in enumerate(view.hand))
        case "trump":
            yield deal.trump, 1.0
        case "indicator":
            yield deal.indicator, 1.0
        case "phase":
            yield from ((place, 1.0) for place, phase in enumerate(_PHASES) if phase is deal.phase)
        case "dealer":
            yield distance(deal.dealer, me), 1.0
        case "entitled":
            yield distance(deal.entitled, me), 1.0
        case "claimant":
            yield from () if deal.claimant is None else ((distance(deal.claimant, me), 1.0),)
        case "open":
            faces = (p for p in deal.plays if p.kind is not PlayKind.DISCARD)
            yield from ((distance(p.seat, me) * DECK_SIZE + c, 1.0) for p in faces for c in _known(deal, p))
        case "covered":
            down = (p for p in deal.plays if p.kind is PlayKind.DISCARD)
            yield from ((distance(p.seat, me), len(p.slots) / HAND_SIZE) for p in down)
        case "gone":
            yield from ((card, 1.0) for trick in deal.tricks for play in trick.plays for card in _known(deal, play))
        case "sizes":
            yield from ((distance(seat, me), deal.hand_size(seat) / HAND_SIZE) for seat in SEATS)
        case "stock":
            yield 0, deal.stock / (DECK_SIZE - len(SEATS) * HAND_SIZE)
        case "tricks":
            yield from ((place, deal.taken((me + place) % 2) / _MOST_TRICKS) for place in (0, 1))
        case _:
            raise AssertionError(name)


def _known(deal: DealState, play: Play) -> Iterator[int]:
    return (deal.known[slot] for slot in play.slots if slot is not None and slot in deal.known)


def number_of(view: SeatView, action: Action) -> int:
    """The number of an action of this seat. Raises ValueError when it names a card that is not in the hand."""
    match action:
        case Claim():
            return CLAIM
        case Yield():
            return YIELD
        case Discard(slots=slots):
            return DISCARD + _set_of(view, slots) - 1
        case Lead(slots=slots) | Beat(slots=slots) | Show(slots=slots):
            return OPEN + _set_of(view, slots) - 1


def _set_of(view: SeatView, slots: Iterable[Slot | None]) -> int:
    places = [slot for slot, _ in view.hand]
    return sum(1 << places.index(slot) for slot in slots if slot is not None)


def legal(view: SeatView) -> dict[int, Action]:
    """Every legal action of the seat whose turn it is, by its number."""
    return {number_of(view, action): action for action in view.actions()}
