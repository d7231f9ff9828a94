"""Tables at which somebody is away, has left or does not open, for tests; both auditors fold along."""

from collections.abc import Callable
from copy import copy
from typing import Any

from goat_engine.rules import SEATS
from goat_net.log.deal import DealStage
from goat_net.log.fold import Fold
from goat_net.log.records import Away, Unheard
from goat_net.log.settle import settle
from tests.net.mini import Mini, playing

GRACE = 60  # of these tables


def owing(seat: int | None = None, seed: int = 1, **how: Any) -> Mini:
    """A table in the midst of a deal at which a seat, or any, owes a play and is silent."""
    for attempt in range(200):
        mini = Mini(seed + 1000 * attempt, **how)
        mini.play(playing)
        for _ in range(40):
            for s in SEATS:
                mini.catch_up(s)
            deal = mini.fold.deal
            assert deal is not None
            if deal.stage is DealStage.PLAY and not deal.owed and seat in (None, *deal.waits_for()):
                mini.silent = set(deal.waits_for())
                return mini
            mini.step()
    raise AssertionError("no such table")


def silent(mini: Mini) -> int:
    (seat,) = mini.silent
    return seat


def opponents(seat: int) -> tuple[int, int]:
    return (seat + 1) % 4, (seat + 3) % 4


def gone(mini: Mini) -> int:
    """The silent seat is away."""
    seat = silent(mini)
    mini.host(Away(seat, GRACE))
    return seat


def heard_nothing(mini: Mini, target: int, *witnesses: int) -> None:
    for seat in witnesses:
        assert mini.say(seat, Unheard(target, GRACE)) == "good"


def at_the_end(seed: int, closed: Callable[[Fold], int | None], **how: Any) -> Mini:
    """A table after the last trick at which all but one seat have opened. ``closed``: which seat that is to be."""
    mini = Mini(seed, **how)
    mini.play(lambda fold: fold.deal is not None and fold.deal.stage is DealStage.OPEN)
    seat = closed(mini.fold)
    assert seat is not None
    mini.silent = {seat}
    mini.play(lambda fold: fold.deal is not None and fold.deal.waits_for() == {seat})
    return mini


def losing(fold: Fold) -> int | None:
    """A seat of the team that has fewer points so far as is shown, and that has discarded."""
    deal = fold.deal
    assert deal is not None
    assert deal.state is not None
    taken = [sum(1 for t in deal.state.tricks if t.taker % 2 == team) for team in (0, 1)]
    return 0 if taken[0] < taken[1] else 1


def real_result(mini: Mini) -> tuple[int, int]:
    """What the deal would have come to, by the players' own seeds."""
    deal = copy(mini.fold.deal)
    assert deal is not None
    deal.seeds = {seat: mini.players[seat]._seed(deal) for seat in SEATS}
    result = settle(deal, double=False, fuller=True).result
    assert result is not None
    return result.points


def asked(fold: Fold) -> int | None:
    """The seat that is asked under R17."""
    deal = fold.deal
    if deal is None or deal.state is None or deal.stage is not DealStage.PLAY or deal.owed:
        return None
    return deal.state.turn if deal.state.phase.value == "ask" else None
