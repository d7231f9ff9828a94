"""A full disk, a read-only disk, no folder: the player is told once, the match goes on, nobody crashes.

The disks are small tmpfs of a process's own mount namespace, which are gone with it. Nothing here depends on rights:
they do not bind root.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from goat_net.log.deal import DealStage
from tests.patience import PATIENCE
from tests.processes.cast import Cast, Journal
from tests.processes.rehearsal import host_arguments
from tests.processes.seat import WATCHER

pytestmark = [pytest.mark.processes, pytest.mark.long("starts tables of processes")]

GUEST = 1
FULL, READ_ONLY = "size=64k", "ro"  # 64 KiB hold two deals of a log
DEALS = 3


@cache
def can_mount() -> bool:
    """Whether a process may have mounts of its own here."""
    if sys.platform != "linux":
        return False
    try:
        return subprocess.run([*namespace(), "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def namespace() -> tuple[str, ...]:
    return ("unshare", "--map-root-user", "--mount")


def disk(folder: Path, options: str) -> tuple[str, ...]:
    """A command that gives the command after it a disk of its own in place of a folder."""
    folder.mkdir(parents=True)
    return (*namespace(), "sh", "-c", f'mount -t tmpfs -o {options} goat "$0" && exec "$@"', str(folder))


@pytest.fixture
def cast(tmp_path: Path) -> Iterator[Cast]:
    """A table of three seats and the host's bot, followed by the watcher's log: the host's may be out of sight."""
    cast = Cast(tmp_path, "disk", host_arguments("disk", bots=1), 1)
    cast.journal = Journal(tmp_path / f"seat{WATCHER}")
    yield cast
    cast.abandon()


def spoil(cast: Cast, who: int | str, folder: Path, how: str) -> None:
    if how == "a file":
        folder.write_bytes(b"")
        return
    if not can_mount():
        pytest.skip("this needs a mount namespace (Linux, user namespaces allowed)")
    cast.wrappers[who] = disk(folder, how)


def play(cast: Cast) -> None:
    """Play some deals to the end and close the table."""
    cast.begin()

    def played() -> bool:
        fold = cast.journal.fold
        if len(fold.finished) >= DEALS - 1:
            (cast.folder / "hold").touch()
        over = fold.deal is not None and fold.deal.stage is DealStage.COMMIT and len(fold.finished) >= DEALS - 1
        return over and not any(map(fold.owes_verdict, range(4)))

    cast.until(played, "the deals are played")
    cast.finish()
    fold = cast.journal.fold
    assert [len(done.verdicts) for done in fold.finished] == [4] * len(fold.finished)
    assert all(done.outcome.result is not None for done in fold.finished)
    assert [life.process.returncode for life in cast.lives.values()] == [0] * len(cast.lives)
    errors = [life.err.read_text() for life in cast.lives.values()]
    assert not any("Traceback" in text for text in errors), errors


@pytest.mark.parametrize("how", [FULL, READ_ONLY])
def test_a_guest_whose_disk_fails_is_told_once_and_plays_on(cast: Cast, how: str) -> None:
    spoil(cast, GUEST, cast.folder / f"seat{GUEST}", how)
    play(cast)
    troubles = [text for text in cast.told[GUEST] if "cannot be saved" in text]
    assert len(troubles) == 1
    assert "goes on" in troubles[0]
    for other in (0, 2, WATCHER):
        assert cast.log_of(other, 0) == cast.log_of(WATCHER, 0) != b""
        assert not [text for text in cast.told.get(other, []) if "cannot be saved" in text]


@pytest.mark.parametrize("how", [FULL, "a file"])
def test_a_host_whose_disk_fails_says_so_once_and_the_match_goes_on(cast: Cast, how: str) -> None:
    spoil(cast, "host", cast.journals, how)
    play(cast)
    for seat in cast.seats:
        assert cast.log_of(seat, 0) == cast.log_of(WATCHER, 0) != b""
        assert len([text for text in cast.told[seat] if "cannot be written" in text]) == 1


@pytest.mark.skipif(not can_mount(), reason="this needs a mount namespace (Linux, user namespaces allowed)")
@pytest.mark.parametrize("how", [READ_ONLY, "size=4k,nr_inodes=1"])
def test_somebody_whose_data_folder_cannot_be_written_plays_and_is_told(tmp_path: Path, how: str) -> None:
    home = tmp_path / "home"
    result = subprocess.run(
        [*disk(home, how), sys.executable, "-m", "goat_client", "play", "--plain"],
        input="\nq\ny\n", env={**os.environ, "GOAT_HOME": str(home)}, cwd=tmp_path,
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "a key of this run alone" in result.stderr
    assert "Traceback" not in result.stderr
    assert "The match begins." in result.stdout
    told = [line for line in result.stdout.splitlines() if line.startswith("The match cannot be saved")]
    assert len(told) == 1
