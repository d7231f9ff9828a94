"""Tunes the heuristic's weights by the cross-entropy method.

Each generation draws candidates around a mean, plays them in duplicate pairs on the same deals against two
opponents, the weights set by hand and the mean of some generations ago, and moves the mean to the best ones.
Two opponents, because beating one alone teaches that one's mistakes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from goat_engine.bots import heuristic, weights
from goat_tools.training import compiled
from goat_tools.training.compiled import Doubles

#: An arrangement of no net, where a match wants one.
NO_NET = tuple(np.zeros(shape, np.float32) for shape in ((256, 1), 1, (1, 1), 1, 2))


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how widely to search; ``pairs`` of deals for each candidate and opponent to begin with, three
    times as many in the end, when candidates differ by less. ``further``: go on from the tuned weights, near them.
    """

    generations: int = 150
    candidates: int = 48
    elite: int = 12
    pairs: int = 1500
    renew: int = 15
    further: bool = False
    seed: int = 1


def fitness(results: Doubles) -> float:
    """A win counts most; defeat points and margin tell more from fewer deals."""
    wins, margin, defeat = results.mean(axis=0) / 2
    return float(2 * (wins - 0.5) + 0.25 * defeat + 0.01 * margin)


def play(a: Doubles, b: Doubles, pairs: int, seed: int) -> Doubles:
    """Duplicate pairs of two heuristics; see ``compiled.match``."""
    compiled.seed(seed)
    return compiled.match(pairs, (0, 0), a, b, NO_NET, NO_NET)  # type: ignore[arg-type]


def tune(plan: Plan, say: Callable[[str], None]) -> tuple[float, ...]:
    """The weights found; the same plan gives the same weights on the same machine."""
    rng = np.random.default_rng(plan.seed)
    by_hand = np.array(heuristic.BY_HAND)
    mean = np.array(weights.TUNED) if plan.further else by_hand.copy()
    spread = 0.1 * np.abs(mean) + 0.06 if plan.further else 0.4 * np.abs(mean) + 0.15
    rival = mean.copy()
    start = time.monotonic()
    for generation in range(plan.generations):
        if generation and generation % plan.renew == 0:
            rival = mean.copy()
        drawn = mean + spread * rng.standard_normal((plan.candidates, mean.size))
        drawn[0] = mean
        drawn[:, : len(heuristic.PARAMETERS)] = np.clip(drawn[:, : len(heuristic.PARAMETERS)], 0.0, 1.5)
        deals = plan.seed * 1_000_003 + generation
        pairs = plan.pairs + 2 * plan.pairs * generation // plan.generations
        scores = np.array(
            [fitness(play(w, by_hand, pairs, deals)) + 2 * fitness(play(w, rival, pairs, deals)) for w in drawn]
        )
        elite = drawn[np.argsort(scores)[-plan.elite :]]
        mean = 0.4 * mean + 0.6 * elite.mean(axis=0)
        spread = 0.4 * spread + 0.6 * (elite.std(axis=0) + 0.001)
        if generation % 5 == 0 or generation == plan.generations - 1:
            won = play(mean, by_hand, 4000, 77).mean(axis=0)[0] / 2
            say(
                f"{time.monotonic() - start:6.0f} s  generation {generation:3d}  spread {spread.mean():.3f}  "
                f"best {scores.max():.3f}  mean against by hand {100 * won:.2f} %"
            )
    return tuple(round(float(w), 4) for w in mean)
