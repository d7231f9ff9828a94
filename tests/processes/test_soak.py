"""W3, W9: many deals at one real host leave memory and descriptors as they were. `benchmarks/bench_soak.py` plays
10,000 of them; here it plays few, which shows that it runs, and that a match follows a match."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.processes,
    pytest.mark.long("a table and its bots as processes, a dozen deals"),
    pytest.mark.skipif(sys.platform != "linux", reason="memory and descriptors are read from /proc"),
]


def test_a_dozen_deals_at_a_real_host_leave_nothing_behind() -> None:
    command = [sys.executable, "benchmarks/bench_soak.py", "--deals", "12", "--every", "3", "--target", "2"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    lines = ended.stdout.splitlines()
    deals = [line.split() for line in lines if " deals " in line]
    assert [int(words[0]) for words in deals] == [3, 6, 9, 12]
    assert int(deals[-1][2]) > 1, "no second match has begun"
    assert lines[-1] == "Nothing has grown."
