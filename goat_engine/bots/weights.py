"""The weights the levels play with: data, and the commands that made it."""

from typing import Final

from goat_engine.bots.heuristic import BY_HAND

#: Weights of the heuristic for level hard.
TUNED: Final[tuple[float, ...]] = BY_HAND
