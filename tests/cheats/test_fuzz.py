"""Random cheats in random deals; the long form is `python -m tests.cheats.fuzz 20000`."""

import pytest

from tests.cheats.fuzz import Figures, fuzz

DEALS = 125  # of each part; eight parts, so that a failing one is short to repeat


@pytest.mark.parametrize("part", range(8))
def test_random_cheats_are_named_and_never_an_honest_seat(part: int, seed: int) -> None:
    figures = fuzz(DEALS, seed)
    assert isinstance(figures, Figures)
    assert figures.deals == DEALS
    assert figures.cheats > DEALS / 3, "too few cheats came to anything"
