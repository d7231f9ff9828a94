"""Bad weather: a sample of the schedules of `tests.world.storm`. The long form is run by name:
``python -m tests.world.storm --schedules 1000`` and ``--matches 100``."""

import pytest
from goat_host.table import Table

from goat_net.seat.endings import HostFault
from goat_net.seat.player import Player
from tests.world.storm import Storm, run_seed

SAMPLE = 24  # schedules in every run of the tests: some ten seconds


@pytest.mark.parametrize("number", range(SAMPLE))
@pytest.mark.sample(3, "deals under weather")
def test_a_deal_survives_its_weather(number: int, seed: int) -> None:
    run_seed(seed)


@pytest.mark.long("three deals under weather")
def test_a_match_survives_its_weather(seed: int) -> None:
    storm = run_seed(seed, deals=3)
    assert storm.host.table is not None
    assert storm.host.table.fold is not None


@pytest.mark.parametrize(("number", "deals"), [(50710, 1), (60062, None)])
@pytest.mark.sample(1, "a whole match")
def test_schedules_that_once_ended_wrongly(number: int, deals: int | None) -> None:
    """A goodbye that was refused and said again for ever; a deal in which nobody owed anything, and nothing moved."""
    run_seed(number, deals=deals, pauses=False)


@pytest.mark.parametrize("part", range(4))
@pytest.mark.sample(1, "deals under weather")
def test_people_pause_in_bad_weather(part: int, seed: int) -> None:
    """A deal ends though people pause it, forget that they did, are cut off in a pause, and hosts die in one."""
    for number in range(40):
        storm = Storm(seed + 100 * part + number)
        if storm.pauses:
            storm.run()
            if any(storm.paused.values()):
                return
    raise AssertionError("nobody has paused in forty deals")


def test_a_schedule_is_replayed_exactly(seed: int) -> None:
    one, two = Storm(seed, faults=6), Storm(seed, faults=6)
    one.run()
    two.run()
    assert (one.steps, one.now, one.told) == (two.steps, two.now, two.told)
    assert one.host.journals == two.host.journals


def weather(only: str) -> None:
    for seed in range(40):
        Storm(seed, faults=8, only=only).run()


def test_what_is_lost_with_the_power_and_said_again_is_no_offence() -> None:
    """Here a commitment was on its way when its player lost power. They said it again on a log that had gone on, then
    another passed the first one on."""
    Storm(2439450458, faults=8, only="kill").run()


@pytest.mark.parametrize("only", ["kill", "host power"])
def test_one_kind_of_fault_again_and_again(only: str, seed: int) -> None:
    Storm(seed, faults=8, only=only).run()


@pytest.mark.long("forty deals under weather")
def test_the_storm_sees_a_player_who_forgets_what_it_had_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Player, "restore", lambda self, raw: None)
    with pytest.raises((AssertionError, HostFault)):
        Storm(21, faults=40, only="kill").run()  # here a record was on its way


@pytest.mark.long("forty deals under weather")
def test_the_storm_sees_a_table_that_forgets_what_it_had_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "_adopt", lambda self, guest, entry: None)
    with pytest.raises((AssertionError, HostFault)):
        weather("host power")
