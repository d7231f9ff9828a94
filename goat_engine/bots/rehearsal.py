"""A deal among bots by the real rules, in one process: the whole deal and each seat's own fold of it.

For tests and the self-test. Each seat is told exactly what it would be told at a table: open cards, its own
cards, how many cards others discarded.
"""

from collections.abc import Sequence
from dataclasses import replace

from goat_engine.actions import Action, Beat, Discard, Lead, Show
from goat_engine.rules import SEATS, Rules, Seat
from goat_engine.state import Applied, DealState, apply, start
from goat_engine.view import SeatView


class Rehearsal:
    """``order``: the card in each slot. ``whole``: the deal with all cards open; ``seats``: what each
    knows; ``log``: what was done."""

    def __init__(self, order: Sequence[int], indicator: int, dealer: Seat, leader: Seat) -> None:
        self.order = tuple(order)
        self.log: list[tuple[Seat, Action]] = []
        dealt = start(Rules(), dealer, leader, indicator)
        self.whole: DealState = dealt.learn(dict(enumerate(order)))
        self.seats: list[DealState] = [dealt.learn({slot: order[slot] for slot in dealt.hands[seat]}) for seat in SEATS]

    def view(self, seat: Seat) -> SeatView:
        """What a seat is shown."""
        return SeatView(seat, self.seats[seat])

    def act(self, seat: Seat, action: Action) -> Applied:
        """A seat's action, told to all.

        Raises ValueError with the refusal when it is illegal by anyone's fold.
        """
        done = apply(self.whole, seat, action)
        if not isinstance(done, Applied):
            raise ValueError(f"seat {seat}: {done.value}")
        self.whole = done.state
        self.log.append((seat, action))
        opened = {}
        if isinstance(action, Lead | Beat | Show):
            opened = {slot: self.order[slot] for slot in action.slots}
        for other in SEATS:
            told = action
            if isinstance(action, Discard) and other != seat:
                told = replace(action, slots=(None,) * len(action.slots))
            step = apply(self.seats[other].learn(opened, public=True), seat, told)
            if not isinstance(step, Applied):
                raise ValueError(f"seat {seat}, as seat {other} sees it: {step.value}")
            state = step.state
            if step.drawn:
                state = state.learn({slot: self.order[slot] for slot in step.drawn.slots[other]})
            self.seats[other] = state
        return done
