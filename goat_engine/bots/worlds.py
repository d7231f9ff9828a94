"""Deals that a seat cannot tell from the real one: everything hidden is dealt again.

For search, and for the tests that a bot's move does not depend on what it must not know. All deals consistent
with a view are equally likely here, as if others chose their discards blindly (R6, R11).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from goat_engine.actions import Slot
from goat_engine.cards import DECK
from goat_engine.rules import HAND_SIZE, SEATS, Seat
from goat_engine.state import FIRST_STOCK_SLOT, DealState, Play, PlayKind
from goat_engine.view import SeatView


@dataclass(frozen=True, slots=True)
class World:
    """``order``: a card for each slot. ``discards``: by trick (the one on the table last) and seat, the slots
    a seat discarded; empty where it discarded none."""

    order: tuple[int, ...]
    discards: tuple[tuple[tuple[Slot, ...], ...], ...]


def _tricks(deal: DealState) -> Iterator[tuple[tuple[Play, ...], int]]:
    """The plays of every trick, the one on the table last, and the top of the stock when it was led."""
    top = FIRST_STOCK_SLOT
    for trick in deal.tricks:
        yield trick.plays, top
        top = min(top + 4 * len(trick.plays[0].slots), len(DECK))
    yield deal.plays, top


def _choose_discards(view: SeatView, rng: Random) -> tuple[tuple[tuple[Slot, ...], ...], ...]:
    """Slots for the discards whose slots the seat does not know.

    A slot that was later seen in the hand or on the table cannot have gone; one that a claim sent back (R16)
    can only have gone in the four-card trick that followed.
    """
    deal = view.deal
    gone: set[Slot] = set()
    chosen: list[tuple[tuple[Slot, ...], ...]] = []
    for plays, top in _tricks(deal):
        by_seat: list[tuple[Slot, ...]] = [(), (), (), ()]
        for play in plays:
            if play.kind is not PlayKind.DISCARD:
                continue
            named = tuple(slot for slot in play.slots if slot is not None)
            if len(named) < len(play.slots):
                able = [slot for slot in deal.hands[play.seat] if slot < top and slot not in gone]
                if len(play.slots) < HAND_SIZE:
                    able = [slot for slot in able if slot not in deal.shown]
                named = tuple(sorted(rng.sample(able, len(play.slots))))
                gone.update(named)
            by_seat[play.seat] = named
        chosen.append(tuple(by_seat))
    return tuple(chosen)


def sample(view: SeatView, rng: Random) -> World:
    """A deal consistent with everything the seat of the view knows."""
    deal = view.deal
    order: list[int | None] = [deal.known.get(slot) for slot in range(len(DECK))]
    unseen = sorted(set(DECK) - set(deal.known.values()))
    rng.shuffle(unseen)
    free = [slot for slot, card in enumerate(order) if card is None]
    if deal.indicator in unseen:
        # It was in the stock when it was shown, so in nobody's first four cards (R6).
        place = rng.choice([slot for slot in free if slot >= FIRST_STOCK_SLOT])
        order[place] = deal.indicator
        free.remove(place)
        unseen.remove(deal.indicator)
    for slot, card in zip(free, unseen, strict=True):
        order[slot] = card
    return World(tuple(card for card in order if card is not None), _choose_discards(view, rng))


def hands(view: SeatView, world: World) -> dict[Seat, tuple[int, ...]]:
    """The cards in each hand in a world, ascending."""
    gone = {slot for trick in world.discards for slots in trick for slot in slots}
    return {
        seat: tuple(sorted(world.order[slot] for slot in view.deal.hands[seat] if slot not in gone)) for seat in SEATS
    }
