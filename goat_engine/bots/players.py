"""The levels: how each of them picks a move from what a seat sees."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from goat_engine.bots import heuristic, net
from goat_engine.bots.fast import BEAT, CLAIM, DISCARD, FULL, YIELD, points
from goat_engine.bots.sight import Sight, moves
from goat_engine.bots.weights import TUNED
from goat_engine.levels import BOT_LEVELS, Mind

#: What the arena knows beside them: any legal move, and the heuristic as set by hand, without noise.
BASELINES: Final = ("random", "byhand")


@dataclass(frozen=True, slots=True)
class Level:
    """``weights`` of the heuristic, or None: then the net plays, or chance. ``noise``: share of moves that are
    any harmless move instead of the best."""

    weights: tuple[float, ...] | None
    noise: float = 0.0
    net: bool = False


_WEIGHTS: Final[dict[Mind, tuple[float, ...] | None]] = {"by hand": heuristic.BY_HAND, "tuned": TUNED, "net": None}
_LEVELS: Final = {
    "random": Level(None),
    "byhand": Level(heuristic.BY_HAND),
    **{row.name: Level(_WEIGHTS[row.mind], row.noise, net=row.mind == "net") for row in BOT_LEVELS},
}


def harmless(sight: Sight, choices: Sequence[int]) -> list[int]:
    """The moves that do not insult a partner: their winning cards are not beaten, no ten or ace is thrown on
    the opponents' trick while another card will do, a molodka is not let pass."""
    left = [move for move in choices if move & ~FULL == CLAIM]
    if left:
        return left
    partner_wins = sight.top_by == 2
    for move in choices:
        kind = move & ~FULL
        if kind == BEAT and partner_wins:
            continue
        if kind == DISCARD and not partner_wins and points(move & FULL) >= 10:
            continue
        if kind != YIELD:
            left.append(move)
    return left or list(choices)


def decide(name: str, sight: Sight, rng: Random) -> int:
    """The move of a level or baseline.

    Raises KeyError for a name that is neither. Draws from ``rng`` only when there is something to choose.
    """
    level = _LEVELS[name]
    choices = moves(sight)
    if len(choices) == 1:
        return choices[0]
    if level.net:
        return net.best(net.shipped(), sight, choices)
    if level.weights is None:
        return choices[int(rng.random() * len(choices))]
    if level.noise and rng.random() < level.noise:
        choices_left = harmless(sight, choices)
        return choices_left[int(rng.random() * len(choices_left))]
    return heuristic.best(sight, choices, level.weights)
