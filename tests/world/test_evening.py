"""Evenings at one table (`tests.world.evening`): who sits where, and that there is always a way on."""

import pytest

from tests.world.evening import Evening


@pytest.mark.parametrize("part", range(5))
@pytest.mark.sample(1, "a whole evening")
def test_an_evening(part: int, seed: int) -> None:
    Evening(seed + part).play()


@pytest.mark.long("a whole evening")
def test_the_evening_sees_a_player_who_does_not_get_his_seat_again(seed: int) -> None:
    """At the end of the last match somebody is there who waited for a seat, and has not got it."""
    evening = Evening(seed)
    evening.play()
    table = evening.table
    assert table.fold is not None
    sits = next(g for g in table.people.guests.values() if g.seat is not None)
    evening.waited = table.fold.chain.log_id, {(sits.seat + 1) % 4: sits.hello.key}
    with pytest.raises(AssertionError, match="is not its player's"):
        evening.check_heirs()
