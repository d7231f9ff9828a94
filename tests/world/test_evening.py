"""Evenings at one table (`tests.world.evening`): who sits where, and that there is always a way on."""

import pytest
from goat_host.table import Table

from tests.world.evening import Evening


@pytest.mark.parametrize("part", range(5))
@pytest.mark.sample(1, "a whole evening")
def test_an_evening(part: int, seed: int) -> None:
    Evening(seed + part).play()


@pytest.mark.long("two whole evenings")
def test_the_evening_sees_a_player_who_does_not_get_his_seat_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this one somebody waits for his seat when the match ends."""
    Evening(101).play()
    monkeypatch.setattr(Table, "_heirs", lambda self: {})
    with pytest.raises(AssertionError, match="is not its player's"):
        Evening(101).play()
