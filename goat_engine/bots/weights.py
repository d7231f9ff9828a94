"""The heuristic's weights for level hard: data, found by the tuner.

Made by ``python3 -m goat_engine.bots.training tune --generations 120 --pairs 1500 --seed 1`` (8 minutes on a
shared core). In the order of ``heuristic.PARAMETERS`` and ``heuristic.TERMS``.
"""

from typing import Final

# fmt: off
TUNED: Final[tuple[float, ...]] = (
    0.717, 0.6446, 0.6696,
    1.7695, 0.0205, 0.5087, -0.0411, -0.063, 0.2762, 0.4493, 0.0, 0.0, -0.1156, 0.0678,
    -0.1884, -0.1393, -0.1432, -0.1141, -0.1077, -0.09, -0.1034, 0.0133, 0.0812,
    0.2339, 0.2065, 0.2886, 0.3579, 0.3913, 0.5383, 0.6981, 1.0315, 1.3812,
    -0.2105, -0.2884, -0.1619, -0.0311, -0.1287, -0.1999, -0.2324, -0.0553, 0.1685,
    0.0287, 0.0943, 0.2257, 0.1799, 0.3162, 0.4354, 0.4702, 0.6472, 0.7217,
    0.1902, 0.6098, 0.0208, 0.0484, 0.5433, 3.4922, 0.2671, -0.3682,
)
# fmt: on
