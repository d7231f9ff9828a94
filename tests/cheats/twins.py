"""Two worlds that differ in nothing but where some cards lie: same bytes, same order of messages, other faces.

Whoever may not know those cards must not be able to tell the worlds apart, by anything that they have before them.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from goat_engine.actions import Action, Discard, Lead
from goat_engine.state import DealState
from goat_engine.view import SeatView
from goat_net.deck.seeds import CARDS, HANDS
from goat_net.log.deal import DealFold, DealStage
from goat_net.log.fold import Fold
from tests.cheats.kit import Cards, CheatWorld, cards_of

Mix = Callable[[DealFold, list[int], random.Random], list[int]]

WHOLE: dict[bytes, Cards] = {}  # what the slots of a deal really open to, by its tag
OWNERS: dict[bytes, dict[int, int]] = {}  # slot -> seat that had it in hand in the first of two worlds, by the tag
SHOWN: dict[str, Cards] = {}  # under "": what the slots open to in the world that is on


def look(state: DealState | None) -> Any:
    """A state as a value."""
    return None if state is None else (state.public_key(), sorted(state.known.items()), state.hands, state.hidden)


class Watched(CheatWorld):
    """A world in which somebody may look at a seat's screen at the moment when it has to choose.

    Each message has its rank from the seed, its wire and its number on it. So one that is under way in one world only,
    and that nobody has got yet (a claim, say), changes nothing in which order the others arrive."""

    at_choice: Callable[[int], None] = staticmethod(lambda seat: None)

    def pick(self, wires: list[tuple[Any, bool]]) -> tuple[Any, bool]:
        """The message of the lowest rank."""
        gone = self.__dict__.setdefault("delivered", Counter())

        def rank(wire: tuple[Any, bool]) -> float:
            place = wire[0].seat, wire[1]
            return random.Random(f"{self.seed}/{place}/{gone[place]}").random()

        first = min(wires, key=rank)
        gone[first[0].seat, first[1]] += 1
        return first


class Twin(Watched):
    """A world whose seats choose by what they see and by nothing else."""

    def choice(self, view: SeatView, rng: random.Random) -> Any:
        """The same choice for the same view."""
        self.at_choice(view.seat)
        actions = view.actions()
        return random.Random(repr((view.hand, look(view.deal)))).choice(actions)


class Blind(Watched):
    """A world in which nobody but the leader plays by their cards: the others lay down any, face down. So a whole deal
    goes by in which most cards stay hidden."""

    def choice(self, view: SeatView, rng: random.Random) -> Action:
        """A lead of one or two cards; as an answer a discard, chosen by the numbers of the slots."""
        self.at_choice(view.seat)
        here = random.Random(repr((view.seat, view.deal.public_key())))
        actions = [a for a in view.actions() if isinstance(a, Lead) and len(a.slots) < 3]
        if actions:
            return here.choice(actions)
        laid = (a.slots for a in view.actions() if isinstance(a, Discard))
        rows = [tuple(sorted(s for s in slots if s is not None)) for slots in laid]
        return Discard(here.choice(sorted(rows)))


def steps(world: CheatWorld, *, learn: bool) -> Iterator[tuple[Fold, DealFold]]:
    """Every step of a first deal until the openings, the fold of the table and its deal. ``learn``: this is the first
    of two worlds, and what its slots open to is noted for the second."""
    while True:
        world.step()
        fold = world.table.fold
        deal = None if fold is None else fold.deal
        if fold is None or deal is None:
            continue
        if deal.stage in (DealStage.OPEN, DealStage.DONE) or deal.number > 1:
            return
        if learn and deal.tag:
            if deal.tag not in WHOLE:
                WHOLE[deal.tag] = SHOWN[""] = cards_of(deal, world.seeds[deal.match_id, 1])
            for seat, hand in enumerate(deal.state.hands if deal.state is not None else ()):
                OWNERS.setdefault(deal.tag, {}).update(dict.fromkeys(hand, seat))
        yield fold, deal


@contextmanager
def other_cards(mix: Mix, seed: int) -> Iterator[None]:
    """Within it slots open to other cards than they do, as after another shuffle, and all bytes stay the same.
    ``mix``: the slots whose cards change places among themselves."""
    real = DealFold.slot_opens_to
    places: dict[bytes, dict[int, int]] = {}

    def opens(deal: DealFold, slot: int, extra: Any) -> int | None:
        if deal.tag not in places:
            rng = random.Random(seed)
            slots = mix(deal, list(range(CARDS)), rng)
            turned = slots[1:] + slots[:1]
            rng.shuffle(turned)
            places[deal.tag] = dict(zip(slots, turned, strict=True))
            SHOWN[""] = tuple(WHOLE[deal.tag][places[deal.tag].get(s, s)] for s in range(CARDS))
        assert real(deal, slot, extra) == WHOLE[deal.tag][slot]
        return SHOWN[""][slot]

    with patch.object(DealFold, "slot_opens_to", opens):
        yield


def not_the_indicator(deal: DealFold, slots: Iterable[int]) -> list[int]:
    """Slots but for the one of the card that was shown: everybody knows that it lies in the stock."""
    assert deal.state is not None
    return [s for s in slots if WHOLE[deal.tag][s] != deal.state.indicator]


def stock_only(deal: DealFold, slots: list[int], rng: random.Random) -> list[int]:
    """The order of the stock, the indicator's place with it."""
    return [s for s in slots if s >= HANDS]


def all_but_seat_0(deal: DealFold, slots: list[int], rng: random.Random) -> list[int]:
    """Everything that seat 0 does not hold."""
    return not_the_indicator(deal, (s for s in slots if s >= HANDS or (deal.dealer + 1 + s) % 4 != 0))


def two_cards(deal: DealFold, slots: list[int], rng: random.Random) -> list[int]:
    """One card of seat 2's hand and one of the stock."""
    theirs = [s for s in slots if s < HANDS and (deal.dealer + 1 + s) % 4 == 2]
    return [rng.choice(theirs), rng.choice(not_the_indicator(deal, range(HANDS, CARDS)))]


def of_two_others(deal: DealFold, slots: list[int], rng: random.Random) -> list[int]:
    """All that whoever is neither seat 0 nor the leader has in hand in the whole of a `Blind` deal, drawn or dealt."""
    owner = OWNERS[deal.tag]
    return not_the_indicator(deal, (s for s in slots if owner.get(s) not in (0, deal.leader, None)))


def stock_of_two_others(deal: DealFold, slots: list[int], rng: random.Random) -> list[int]:
    """What the same seats draw in a `Blind` deal; the indicator's place too, if it is among it."""
    owner = OWNERS[deal.tag]
    return [s for s in slots if s >= HANDS and owner.get(s) not in (0, deal.leader, None)]
