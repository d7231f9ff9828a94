"""The heuristic's weights for level hard: data, found by the tuner.

Made by ``python -m goat_tools.training tune --generations 40 --candidates 48 --pairs 1000 --seed 3 --further``.
In the order of ``heuristic.PARAMETERS`` and ``heuristic.TERMS``.
"""

from typing import Final

# fmt: off
TUNED: Final[tuple[float, ...]] = (
    0.7218, 0.6548, 0.8041, 1.853, 0.0015, 0.5337, -0.0644, 0.0028, 0.3165,
    0.5294, -0.0141, 0.0442, -0.0335, 0.0458, -0.1551, -0.1504, -0.1318, -0.1044,
    -0.094, -0.0767, -0.0735, 0.0358, 0.0896, 0.2545, 0.2067, 0.269, 0.3694,
    0.3947, 0.5333, 0.7813, 1.075, 1.608, -0.2255, -0.2571, -0.1476, -0.0597,
    -0.1463, -0.1874, -0.1902, -0.0343, 0.0926, 0.0437, 0.0453, 0.2502, 0.1705,
    0.3461, 0.4275, 0.5235, 0.6665, 0.731, 0.2335, 0.7057, 0.0459, 0.0248,
    0.6421, 3.524, 0.3208, -0.3419,
)
# fmt: on
