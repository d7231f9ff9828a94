"""Folders and profiles: each running client has one of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from goat_net import folders
from goat_net.folders import FolderError, config_dir, data_dir, profile


def test_goat_home_puts_both_below_itself(goat_home: Path) -> None:
    assert data_dir() == goat_home / "data"
    assert data_dir().is_dir()
    assert config_dir() == goat_home / "config"
    assert not config_dir().exists()
    if sys.platform != "win32":
        assert data_dir().stat().st_mode & 0o077 == 0


def test_without_it_the_system_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GOAT_HOME")
    monkeypatch.setattr("platformdirs.user_data_path", lambda name, appauthor: tmp_path / "d" / name)
    monkeypatch.setattr("platformdirs.user_config_path", lambda name, appauthor: tmp_path / "c" / name)
    assert data_dir() == tmp_path / "d" / "goat"
    assert config_dir() == tmp_path / "c" / "goat"


def test_each_client_has_a_profile_and_the_lowest_free_one_is_taken_again() -> None:
    with profile() as first:
        with profile() as second:
            assert (first.number, second.number) == (1, 2)
            assert first.path != second.path
            (second.path / "identity").write_text("kept")
        with profile() as again:
            assert (again.path / "identity").read_text() == "kept"
    with profile() as once_more:
        assert once_more.path == first.path == data_dir() / "profile-1"


def test_profiles_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "PROFILES", 1)
    with profile(tmp_path):
        with pytest.raises(FolderError, match="running"), profile(tmp_path):
            pass
        assert sorted(p.name for p in tmp_path.iterdir()) == ["profile-1"]


@pytest.mark.processes
def test_a_profile_of_a_killed_client_is_free_again(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom goat_net.folders import profile\n"
        "with profile(Path(sys.argv[1])) as mine:\n    print(mine.number, flush=True)\n    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "1\n"
        with profile(tmp_path) as mine:
            assert mine.number == 2
        other.kill()
        other.wait()
    with profile(tmp_path) as mine:
        assert mine.number == 1


def test_folders_that_cannot_be_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("GOAT_HOME", str(tmp_path / "file"))
    with pytest.raises(FolderError, match="GOAT_HOME"):
        data_dir()
    with pytest.raises(FolderError, match="a file is there"), profile(tmp_path / "file"):
        pass


def test_a_disk_without_locks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(_: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(folders, "_lock", no_locks)
    with pytest.raises(FolderError, match="cannot be locked"), profile(tmp_path):
        pass
