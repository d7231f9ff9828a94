"""A whole match between processes: found by zeroconf on loopback, four bots, four equal logs, nothing left behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from goat_net.log.chain import read_file
from goat_net.log.fold import Fold, MatchStage
from tests.patience import PATIENCE

pytestmark = [pytest.mark.processes, pytest.mark.long("plays whole deals between four processes")]


def run(*arguments: str) -> list[dict[str, object]]:
    result = subprocess.run(
        [sys.executable, "-m", "goat_client", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def ours(folder: Path) -> list[str]:
    """Processes that were started for this folder and are still there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if str(folder) in words and int(process.name) != os.getpid():
            found.append(words.replace("\0", " "))
    return found


def test_a_match_of_four_processes_ends_with_equal_verdicts_and_equal_logs(tmp_path: Path) -> None:
    lines = run("demo", "--match", "--json", "--level", "medium", "--save", str(tmp_path))
    *deals, last = lines
    for number, deal in enumerate(deals, 1):
        assert deal["deal"] == number
        assert deal["verdicts"] == 4
        assert sum(deal["points"]) == 120  # type: ignore[call-overload]
    assert max(last["defeat"]) >= 12  # type: ignore[call-overload]
    logs = {name: next((tmp_path / name).glob("*.goat")).read_bytes() for name in ("seat0", "seat1", "seat2", "seat3")}
    assert len(set(logs.values())) == 1
    fold = Fold()
    for entry in read_file(logs["seat0"]):
        fold.take(entry)
    assert fold.stage is MatchStage.ENDED
    assert [len(f.verdicts) for f in fold.finished] == [4] * len(deals)
    assert Path(str(last["log"])).read_bytes() == logs["seat0"]
    assert next((tmp_path / "host").glob("*.goat")).read_bytes() == logs["seat0"]
    if sys.platform == "linux":
        assert ours(tmp_path) == []


def test_the_same_seed_plays_the_same_deals(tmp_path: Path) -> None:
    first = run("demo", "--deals", "1", "--json", "--seed", "7", "--save", str(tmp_path / "a"))
    second = run("demo", "--deals", "1", "--json", "--seed", "7", "--save", str(tmp_path / "b"))
    other = run("demo", "--deals", "1", "--json", "--seed", "8", "--save", str(tmp_path / "c"))
    assert first[0]["plays"] == second[0]["plays"]
    assert first[1]["match"] == second[1]["match"]
    assert first[1]["fair"] is False
    assert other[0]["plays"] != first[0]["plays"]
