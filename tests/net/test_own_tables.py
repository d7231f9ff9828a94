"""Which tables a lobby takes for this account's own on this machine (PROTOCOL.md, Discovery)."""

import os
from pathlib import Path

import pytest

from goat_net.discovery.own_tables import is_own_table, known_here
from goat_net.folders import data_dir

ID = "0123456789abcdef" * 2
OTHER = "f" * 32
NOW = 2e9


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOAT_HOME", str(tmp_path / "home"))


def test_a_table_is_known_wherever_its_journals_are_and_no_longer_than_it_is_open(tmp_path: Path) -> None:
    with known_here(ID, 4711, tmp_path / "elsewhere", NOW):
        assert is_own_table(ID, 4711)
        assert not is_own_table(ID, 4712)
        assert not is_own_table(OTHER, 4711)
    assert not is_own_table(ID, 4711)


def test_a_table_whose_journals_are_in_the_usual_folder_needs_no_note() -> None:
    journals = data_dir() / "journals"
    with known_here(ID, 4711, journals, NOW):
        assert not (data_dir() / "open").exists()
        journals.mkdir()
        (journals / f"{ID}.table").write_text('{"port": 4711}')
        assert is_own_table(ID, 4711)


def test_what_a_killed_table_left_is_gone_after_a_month(tmp_path: Path) -> None:
    folder = data_dir() / "open"
    folder.mkdir(mode=0o700)
    for name, age in ((OTHER, 31), ("e" * 32, 29), ("notes", 31)):
        (folder / name).write_text('{"port": 1}')
        os.utime(folder / name, (NOW - age * 86400, NOW - age * 86400))
    with known_here(ID, 4711, tmp_path, NOW):
        assert {path.name for path in folder.iterdir()} == {ID, "e" * 32, "notes"}


def test_a_table_opens_where_the_data_folder_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "home").write_text("a file")
    with known_here(ID, 4711, tmp_path, NOW):
        assert not is_own_table(ID, 4711)
    assert "will not find this table by its name" in caplog.text
