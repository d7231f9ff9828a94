"""Own results: counted from saved matches, by partner and opponent."""

import json
from pathlib import Path

import pytest
from goat_client.cli import main
from goat_client.stats import MatchResult, Tally, gather, read_match, told

from goat_engine.match import DealResult
from goat_net.records import Table, Verdict
from tests.world.world import World


@pytest.fixture(scope="module")
def world() -> World:
    world = World(7)
    world.run()
    return world


@pytest.fixture
def saved(world: World, tmp_path: Path) -> Path:
    path = tmp_path / "2026-01-01-0000-x.goat"
    path.write_bytes(next(iter(world.journal.values())))
    return path


def keys(world: World) -> list[bytes]:
    assert world.table.fold is not None
    return [s.key for s in world.table.fold.seats]


def results(world: World) -> list[DealResult]:
    assert world.table.fold is not None
    assert world.table.fold.match is not None
    return [d for d in world.table.fold.match.deals if isinstance(d, DealResult)]


@pytest.mark.parametrize("seat", range(4))
def test_a_match_counts_as_the_fold_of_its_log_says(world: World, saved: Path, seat: int) -> None:
    match = read_match(saved, frozenset({keys(world)[seat]}))
    assert match is not None
    assert match.seat == seat
    tally, mine, deals = match.tally(), seat % 2, results(world)
    assert tally.deals == len(deals)
    assert tally.points == sum(d.points[mine] for d in deals)
    assert tally.deals_won == sum(d.points[mine] > 60 for d in deals)
    assert tally.eggs == sum(d.eggs for d in deals)
    assert tally.defeat_against == sum(d.defeat[mine] for d in deals)
    assert tally.defeat_for == sum(d.defeat[1 - mine] for d in deals)
    assert world.table.fold is not None
    assert world.table.fold.match is not None
    goat = world.table.fold.match.goat
    assert (tally.goats, tally.won, tally.unfinished) == (int(goat == mine), int(goat != mine), 0)


def test_partner_and_opponents_are_named(world: World, saved: Path) -> None:
    assert world.table.fold is not None
    seats = world.table.fold.seats
    stats = gather([saved, saved], frozenset({seats[1].key}))
    assert stats.total.matches == 1  # the same match saved twice is one match
    names = [f"bot ({s.level or 'bot'})" if s.bot else s.name for s in seats]
    assert set(stats.partners) == {names[3]}
    assert set(stats.opponents) == {names[0], names[2]}
    lines = list(told(stats))
    assert any(names[3] in line for line in lines)
    assert lines[0].startswith("Matches  1: ")


def test_other_peoples_matches_and_damage_are_left_out(world: World, saved: Path, tmp_path: Path) -> None:
    broken = tmp_path / "b.goat"
    broken.write_bytes(b"no match at all")
    stats = gather([saved, broken], frozenset({bytes(32)}))
    assert stats.total == Tally()
    assert stats.unreadable == 1
    assert list(told(stats))[-1].startswith("1 files could not be read")


def test_void_deals_and_cheats_count_as_the_rules_say(world: World, saved: Path) -> None:
    match = read_match(saved, frozenset({keys(world)[0]}))
    assert match is not None
    cheat = Verdict((0, 0), (0, 0), (0, 0), 1, 17)
    off = Verdict((0, 0), (0, 0), (0, 0), 5, 0)
    eggs = Verdict((60, 60), (4, 4), (0, 0), 5, 0)
    assert isinstance(match.table, Table)
    tally = MatchResult(match.table, 0, (cheat, off, eggs, cheat)).tally()
    assert (tally.deals, tally.eggs, tally.deals_won) == (1, 1, 0)
    assert tally.won == 1  # twice six defeat points for the cheat's team
    assert MatchResult(match.table, 1, (cheat, off, eggs, cheat)).tally().with_eggs == 1


def test_the_command(goat_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats"]) == 1
    assert "No saved match" in capsys.readouterr().out
    assert main(["stats", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["total"]["matches"] == 0
    assert goat_home
