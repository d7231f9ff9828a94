"""Two demos on one machine at one time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long("two demos of ten processes")
@pytest.mark.processes
def test_two_seeded_demos_keep_their_bots_apart(tmp_path: Path) -> None:
    """A25: both tables are called "Demo"; each got some of the other's bots, and both hung. And nothing but the demo's
    own lines is on its output."""
    demos = [
        subprocess.Popen(
            [sys.executable, "-m", "goat_client", "demo", "--seed=7", "--level=easy",
             "--json", f"--save={tmp_path / n}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for n in "ab"
    ]  # fmt: skip
    said = [demo.communicate(timeout=100) for demo in demos]
    assert [demo.returncode for demo in demos] == [0, 0], said
    deals = [[json.loads(line) for line in out.splitlines()] for out, _ in said]
    assert [len(lines) for lines in deals] == [2, 2]
    assert deals[0][0]["plays"] == deals[1][0]["plays"]
    assert [err for _, err in said] == ["", ""]
