"""A sample of the kill matrix; the whole is a command: ``python -m tests.processes.matrix``."""

import sys
from pathlib import Path

import pytest

from tests.processes.matrix import seed_for
from tests.processes.points import GONE, POINTS, ROLES, STAGES, stage_of
from tests.processes.run import Run

pytestmark = [
    pytest.mark.processes,
    pytest.mark.long("starts tables of processes and kills them"),
    pytest.mark.skipif(sys.platform != "linux", reason="who is a child of whom is read in /proc"),
]

#: Of each role a table of its own; together they touch every part of a match.
SAMPLE = {
    "host": ("Lead/2", "Open/2"),
    "turn": ("Claim/1", "Discard/3"),
    "other": ("Lock/2", "Verdict/4"),
    "watcher": ("Joined/1", "Keys/3"),
    "bots": ("Hello/1", "Draw/3"),
    GONE: ("Lead/1",),
}


def test_there_are_points_of_every_part_of_a_match() -> None:
    assert len(set(POINTS)) == len(POINTS) >= 60
    assert {stage_of(p) for points in SAMPLE.values() for p in points} == set(STAGES)
    assert set(SAMPLE) == {*ROLES, GONE}


@pytest.mark.parametrize("role", SAMPLE)
def test_a_match_goes_on_after_a_kill(role: str, tmp_path: Path) -> None:
    run = Run(role, SAMPLE[role], seed_for("", role), tmp_path / "table")
    run.play()
    assert [r for r in run.results if not r.good] == []
    assert {r.point for r in run.results} == set(SAMPLE[role])
