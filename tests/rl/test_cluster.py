"""`goat arena --on`: a Dask cluster plays the same deals with the same figures as one process.

The cluster runs in a process of its own: Dask keeps its threads for as long as its process lives.
"""

import json
import subprocess
import sys

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install goat-cards[cluster]")

ARENA = ("medium", "easy", "--deals", "60", "--seed", "5", "--json")
SCRIPT = """
import logging, sys
from distributed import LocalCluster
from goat_client.cli import main
if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                      host="127.0.0.1", protocol="tcp") as cluster:
        code = main(["arena", *sys.argv[1:], "--on", cluster.scheduler_address])
    sys.exit(code)
"""


def ran(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=300, check=False)


def figures(done: subprocess.CompletedProcess[str]) -> dict[str, object]:
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    del found["ms_a_move"]  # times, not figures
    return found


def test_two_local_workers_give_the_figures_of_one_machine() -> None:
    alone = figures(ran("-m", "goat_client", "arena", *ARENA))
    assert alone["deals"] == 60
    assert figures(ran("-c", SCRIPT, *ARENA)) == alone


def test_no_scheduler_is_a_sentence() -> None:
    done = ran("-m", "goat_client", "arena", *ARENA, "--on", "tcp://127.0.0.1:1")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "No Dask scheduler answers at tcp://127.0.0.1:1" in done.stderr
    assert "Traceback" not in done.stderr
