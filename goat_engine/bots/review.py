"""After a deal: what the bot would have played, beside what was played, trick by trick."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from goat_engine.actions import Action, Claim, Show
from goat_engine.bots import net
from goat_engine.bots.reasons import reason
from goat_engine.bots.rehearsal import Rehearsal
from goat_engine.bots.sight import moves
from goat_engine.bots.table import action_of, move_of, see
from goat_engine.record import Record
from goat_engine.rules import SEATS, Seat
from goat_engine.state import Phase


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One move that had a choice.

    ``trick`` counts from 1; ``step`` is its place in the record. ``rank``: 1 when expert thinks nothing better
    than what was played, 2 when one move is better, and so on, of ``choices`` legal moves. ``cost``: what
    that gives away by expert's estimate, 0 for nothing; winning instead of losing a deal is about 3. ``reason``: for
    the advised action. Judged from what the seat knew then, not from all the open cards.
    """

    trick: int
    step: int
    seat: Seat
    played: Action
    advised: Action
    rank: int
    choices: int
    cost: float
    reason: str

    @property
    def agreed(self) -> bool:
        """Whether expert would have played this, or something it thinks no better."""
        return self.rank == 1


def review(record: Record, seats: Collection[Seat] = SEATS) -> Iterator[Reviewed]:
    """Every move with a choice of these seats in the order they were made.

    Claims out of turn are passed over: a bot claims at its turn. Raises ValueError when the record holds an
    illegal action.
    """
    deal = record.deal
    game = Rehearsal(deal.cards, deal.indicator, deal.dealer, deal.leader)
    for number, (seat, action) in enumerate(record.steps):
        view = game.view(seat)
        in_turn = view.owes and not isinstance(action, Show) and view.deal.phase is not Phase.SHOW
        if seat in seats and in_turn and view.refusal(action) is None:
            seen = see(view)
            choices = moves(seen)
            played = move_of(view, action)
            if len(choices) > 1 and played in choices:
                judge = net.shipped()
                expected = net.judged(judge, seen, choices)
                mine = expected[choices.index(played)]
                rank = 1 + sum(value > mine for value in expected)
                best = played if rank == 1 else choices[expected.index(max(expected))]
                cost = (max(expected) - mine) / judge.unit
                advised = action if rank == 1 else action_of(view, best)
                yield Reviewed(
                    len(game.whole.tricks) + 1,
                    number,
                    seat,
                    action,
                    advised,
                    rank,
                    len(choices),
                    cost,
                    reason(seen, best),
                )
        elif isinstance(action, Claim) and not view.molodka:
            raise ValueError(f"step {number}: seat {seat} claims without a molodka")
        game.act(seat, action)
