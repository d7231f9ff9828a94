"""A table that dies comes back, with a bound; what is started again is not started for ever."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from goat_host.keeper import REVIVALS, Keeper, kept

from goat_net.restarts import Restarts

WITHIN = 60.0


def test_restarts_are_counted_by_age() -> None:
    """W9: what ends once a day is started for years, what ends at once is given up."""
    restarts = Restarts(3, 10.0)
    assert [restarts.allows(t) for t in (0.0, 1.0, 2.0, 3.0, 9.9)] == [True, True, True, False, False]
    assert [restarts.allows(t) for t in (10.0, 10.5, 11.0)] == [True, False, True]
    daily = Restarts(3, 10.0)
    assert all(daily.allows(86_400.0 * day) for day in range(1000))


def test_what_a_table_is_told_again() -> None:
    """C10: where its journal is, and where it writes what goes on; all else is in the journal."""
    given = ["--name=X", "--journals", "/j", "--log-file=/l", "--fill", "--port", "1"]
    assert kept(given) == ["--journals=/j", "--log-file=/l"]


FAKE = """
import json, pathlib, sys
lives = pathlib.Path(sys.argv[1])
with lives.open("a") as file:
    file.write(" ".join(sys.argv[2:]) + chr(10))
print(json.dumps({"ready": True, "table": "ab" * 32, "code": "secret"}), flush=True)
sys.exit(int(sys.argv[1][-1]))
"""


@pytest.mark.processes
@pytest.mark.parametrize(("ends", "lives"), [(9, REVIVALS + 1), (2, 1), (0, 1)])
def test_a_table_that_dies_again_and_again_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ends: int, lives: int
) -> None:
    """C10: a crash loop has a bound; what cannot be used, or has ended in good order, is not started again. And the
    table's code is told to nobody."""
    monkeypatch.setattr("goat_host.keeper._PAUSE", 0.0)
    log = tmp_path / f"lives-{ends}"
    assert Keeper((sys.executable, "-c", FAKE, str(log)), ["--name=X"]).run() == ends
    said = log.read_text().splitlines()
    assert len(said) == lives
    assert said[0] == "--child --name=X"
    assert all("--resume=" in line for line in said[1:])
    assert "secret" not in capsys.readouterr().out


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
async def test_a_headless_table_that_is_killed_comes_back(tmp_path: Path) -> None:
    """C10: nobody started it again."""
    keeper = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "goat_client", "host", "--headless", "--interface", "127.0.0.1", "--no-discovery",
        "--journals", str(tmp_path / "j"), "--name", "Kept",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "GOAT_HOME": str(tmp_path)},
    )  # fmt: skip
    assert keeper.stdout is not None

    async def ready() -> dict[str, Any]:
        assert keeper.stdout is not None
        async with asyncio.timeout(WITHIN):
            told: dict[str, Any] = json.loads(await keeper.stdout.readline())
        return told

    try:
        first = await ready()
        children = Path(f"/proc/{keeper.pid}/task/{keeper.pid}/children")
        if not children.exists():
            pytest.skip("this system does not tell a process's children")
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
        second = await ready()
        assert (second["resumed"], second["table"], second["name"]) == (True, first["table"], "Kept")
        assert second["port"] == first["port"]
        keeper.terminate()
        async with asyncio.timeout(WITHIN):
            assert await keeper.wait() == 0
    finally:
        if keeper.returncode is None:
            keeper.kill()
            await keeper.wait()
        keeper._transport.close()  # type: ignore[attr-defined]
