"""A year of evenings: what thousands of saved matches cost, and what of them goes."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from goat_client.saved import matches, results
from goat_client.saved.matches import saved_matches
from goat_client.saved.results import gather
from goat_client.saved.results_cache import MANY, NAME, ResultsCache
from goat_host import keep
from goat_host.keep import Journals, Started, find_broken
from goat_host.sweep import ABANDONED, CLOSED, sweep

from goat_net.files import read_given
from goat_net.log.chain import FILE_HEADER, entry_bytes, file_bytes, parse_record
from goat_net.seat import store
from goat_net.seat.endings import LostSecretError
from goat_net.seat.store import LogStore, read_ends, read_first
from goat_net.table_options import TableOptions
from goat_net.wire.identity import Identity
from goat_net.wire.messages import NewEntry
from tests.world.world import World


@pytest.fixture(scope="module")
def world() -> World:
    world = World(7)
    world.run()
    return world


@pytest.fixture(scope="module")
def log(world: World) -> list[NewEntry]:
    assert world.table.fold is not None
    return list(world.table.fold.chain.entries)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files whose entries are all parsed while the test runs."""
    seen: list[Path] = []

    def noted(real: Callable[[Path], object]) -> Callable[[Path], object]:
        def read(path: Path) -> object:
            seen.append(path)
            return real(path)

        return read

    for module in (results, keep):
        monkeypatch.setattr(module, "read_intact", noted(module.read_intact))
    return seen


# The list of the lobby


def test_first_and_last_are_found_without_the_rest(log: list[NewEntry], tmp_path: Path) -> None:
    """W5: a lobby with 200 saved matches read them whole, every entry of each."""
    path = tmp_path / "a.goat"
    path.write_bytes(file_bytes(log))
    assert read_ends(path) == (log[0], log[-1])
    assert read_first(path) == log[0]
    path.write_bytes(file_bytes(log)[:-1])  # torn by a power cut
    assert read_ends(path) == (log[0], log[-2])
    path.write_bytes(file_bytes(log[:1]))
    assert read_ends(path) == (log[0], log[0])


@pytest.mark.parametrize("data", [b"", FILE_HEADER, FILE_HEADER + b"\xc5", FILE_HEADER + b"\xc5\xff\xff", b"no log",
                                  FILE_HEADER + b"\xc5\x00\x01\x90", FILE_HEADER + bytes(500)])  # fmt: skip
def test_a_file_without_an_entry_has_no_ends(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.goat"
    path.write_bytes(data)
    assert read_ends(path) is None
    assert read_first(path) is None


def test_the_list_parses_two_entries_of_each_match(
    log: list[NewEntry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W5: counted, so that no clock decides."""
    folder = tmp_path / "profile-1" / "matches"
    folder.mkdir(parents=True)
    for number in range(20):
        (folder / f"2026-01-{number + 1:02}-0000-x.goat").write_bytes(file_bytes(log))
    parsed: list[bytes] = []

    def count(raw: bytes) -> object:
        parsed.append(raw)
        return parse_record(raw)

    monkeypatch.setattr(matches, "parse_record", count)
    listed = list(saved_matches(tmp_path))
    assert len(listed) == 20
    assert len(parsed) == 40
    assert {match.open for match in listed} == {False}
    assert listed[0].about.startswith("2026-01-20 00:00 World: P0 (hard), P1 (hard), ")  # U9: time, people, levels
    assert listed[0].about.endswith("; played to the end")


def test_the_list_says_how_a_match_has_ended(log: list[NewEntry], tmp_path: Path) -> None:
    """U9, S26: a list of names said nothing of what had become of a match."""
    folder = tmp_path / "profile-1" / "matches"
    folder.mkdir(parents=True)
    (folder / "2026-01-01-2359-x.goat").write_bytes(file_bytes(log[:-1]))
    (folder / "odd name.goat").write_bytes(file_bytes(log))
    found = {match.path.name: match for match in saved_matches(tmp_path)}
    broken = found["2026-01-01-2359-x.goat"]
    assert broken.about.startswith("2026-01-01 23:59 World: ")
    assert broken.about.endswith("; broken off")
    assert broken.open
    assert found["odd name.goat"].about.startswith("odd name.g World: ")


# Results


def save_many(log: list[NewEntry], data: Path, count: int) -> list[Path]:
    folder = data / "profile-1" / "matches"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / f"2026-01-01-{number:04}-x.goat").write_bytes(file_bytes(log[: len(log) - number % 3]))
    return sorted(folder.glob("*.goat"))


def test_results_are_read_once(world: World, log: list[NewEntry], tmp_path: Path, reads: list[Path]) -> None:
    """W4: `goat stats` with 2,000 matches took 23.6 s, silent, anew each time."""
    assert world.table.fold is not None
    own = frozenset({world.table.fold.seats[1].key})
    files = save_many(log, tmp_path, MANY + 5)
    said: list[str] = []
    plain = gather(files, own)
    reads.clear()
    first = ResultsCache(tmp_path, own)
    assert gather(files, own, read=first.read_all(files, said.append)) == plain
    first.save()
    assert len(reads) == len(files)
    assert len(said) == 1
    assert str(len(files)) in said[0]
    reads.clear()
    again = ResultsCache(tmp_path, own)
    assert gather(files, own, read=again.read_all(files, said.append)) == plain
    assert reads == []
    assert len(said) == 1
    files[3].write_bytes(file_bytes(log[:-20]))
    once_more = ResultsCache(tmp_path, own)
    assert gather(files, own, read=once_more.read_all(files, said.append)) == gather(files, own)
    assert reads.count(files[3]) == 2  # by each of the two
    assert reads.count(files[4]) == 1  # by the one without a cache


def test_the_cache_of_other_keys_is_not_used(world: World, log: list[NewEntry], tmp_path: Path) -> None:
    """W4: whose seat it was is part of what is kept."""
    assert world.table.fold is not None
    files = save_many(log, tmp_path, 2)
    for seat in (0, 1):
        own = frozenset({world.table.fold.seats[seat].key})
        cache = ResultsCache(tmp_path, own)
        assert gather(files, own, read=cache.read_all(files, print)) == gather(files, own)
        cache.save()


@pytest.mark.parametrize("damage", [b"", b"\xff", b"{}", b"[[[", b'{"version": 1, "keys": []}\n[1, 2]', b"null\nnull",
                                    b"[" * 100_000])  # fmt: skip
def test_a_damaged_cache_is_an_empty_one(damage: bytes, world: World, log: list[NewEntry], tmp_path: Path) -> None:
    """W4: safe to lose."""
    assert world.table.fold is not None
    own = frozenset({world.table.fold.seats[0].key})
    files = save_many(log, tmp_path, 2)
    (tmp_path / NAME).write_bytes(damage)
    cache = ResultsCache(tmp_path, own)
    assert gather(files, own, read=cache.read_all(files, print)) == gather(files, own)
    cache.save()


def test_a_line_of_the_cache_that_makes_no_sense_is_read_again(
    world: World, log: list[NewEntry], tmp_path: Path
) -> None:
    """W4: every field of a line replaced by something else."""
    assert world.table.fold is not None
    own = frozenset({world.table.fold.seats[0].key})
    files = save_many(log, tmp_path, 1)
    cache = ResultsCache(tmp_path, own)
    expected = gather(files, own, read=cache.read_all(files, print))
    cache.save()
    head, line = (tmp_path / NAME).read_text().splitlines()
    for key in ("table", "match", "seat", "deals"):
        for value in (None, 7, "x", [], [[1]], {}, "00"):
            if (key, value) in (("seat", None), ("deals", []), ("deals", {}), ("match", "00")):
                continue  # these are sense, only not true; nobody but this account writes here
            (tmp_path / NAME).write_text("\n".join([head, json.dumps({**json.loads(line), key: value})]))
            cache = ResultsCache(tmp_path, own)
            assert gather(files, own, read=cache.read_all(files, print)) == expected, (key, value)


# Going on


def test_a_resume_reads_one_journal_of_many(log: list[NewEntry], tmp_path: Path, reads: list[Path]) -> None:
    """W6: resume beside 2,000 journals read them all: 10.7 s, and beyond 3,700 it failed."""
    folder = tmp_path / "j"
    mine = Identity.from_seed(bytes([9]) * 32)
    journals = Journals(folder)
    journals.keep(mine, Started(TableOptions(), 1, None), key=True)
    journals.close()
    for number in range(30):
        (folder / f"2026-01-01-{number:04}-x.goat").write_bytes(file_bytes(log))
    theirs = folder / "2026-01-01-0007-x.goat"
    reads.clear()
    found = keep._newest_journal(folder, next(folder.glob("*.table")).stem)
    assert found.entries == ()
    assert reads == []
    assert read_given(theirs, 1 << 26) == file_bytes(log)


def test_key_and_settings_beside_a_strangers_file_are_not_taken(log: list[NewEntry], tmp_path: Path) -> None:
    """M9: `goat host --resume FILE` took key, code, owner and interface from files beside the one that was given."""
    usb, journals = tmp_path / "usb", tmp_path / "j"
    usb.mkdir()
    path = usb / "2026-01-01-0000-x.goat"
    path.write_bytes(file_bytes(log))
    record, _ = keep.first_record(log, path)
    name = keep.table_id(record.table_key)
    (usb / f"{name}.table").write_text(json.dumps({"arguments": ["--interface=0.0.0.0"], "port": 1, "code": "theirs"}))
    broken = find_broken(path, journals)
    assert (broken.identity, broken.started, broken.path) == (None, None, path)


def test_key_and_settings_of_goats_own_folders_are(
    log: list[NewEntry], goat_home: Path
) -> None:
    """M9: each profile has a folder of journals in the data folder."""
    folder = goat_home / "data" / "profile-1" / "journals"
    folder.mkdir(parents=True)
    path = folder / "2026-01-01-0000-x.goat"
    path.write_bytes(file_bytes(log))
    name = keep.table_id(keep.first_record(log, path)[0].table_key)
    (folder / f"{name}.table").write_text(json.dumps({"arguments": [], "port": 7, "code": None}))
    broken = find_broken(path, goat_home / "elsewhere")
    assert broken.started is not None
    assert broken.started.port == 7
    assert broken.lock is not None
    broken.lock.close()


# What goes


def test_the_secret_goes_when_the_match_is_closed(world: World, log: list[NewEntry], tmp_path: Path) -> None:
    """W3: every match's secret stayed for ever."""
    one = LogStore(tmp_path, bytes(32), bytes(32), os.urandom)
    for entry in log:
        one.append(entry)
    one.set_pending(b"record")
    assert {p.suffix for p in tmp_path.iterdir()} == {".goat", ".secret", ".pending"}
    one.finish()
    assert {p.suffix for p in tmp_path.iterdir()} == {".goat"}
    again = LogStore(tmp_path, bytes(32), bytes(32), os.urandom)  # who comes back to the table reads it
    assert again.entries == log
    assert {p.suffix for p in tmp_path.iterdir()} == {".goat"}
    assert again.problem == ""


def test_the_secret_stays_until_then(log: list[NewEntry], tmp_path: Path) -> None:
    """W3: without it nobody plays on."""
    one = LogStore(tmp_path, bytes(32), bytes(32), os.urandom)
    for entry in log[:-1]:
        one.append(entry)
    assert one.path is not None
    one.path.with_suffix(".secret").unlink()
    with pytest.raises(LostSecretError):
        LogStore(tmp_path, bytes(32), bytes(32), os.urandom)
    assert store._is_end(log[-1])
    assert not store._is_end(log[0])


def test_what_an_abandoned_table_left_is_taken_away_after_a_month(log: list[NewEntry], tmp_path: Path) -> None:
    """W3: the logs of every bot of an abandoned table stayed: 233 MB after twelve minutes of soak."""
    journals = Journals(tmp_path)
    mine = Identity.from_seed(bytes([9]) * 32)
    journals.keep(mine, Started(TableOptions(), 1, "code"), key=True)
    seat = journals.bots_folder(mine) / "seat-1"
    seat.mkdir(parents=True)
    (seat / "a.goat").write_bytes(FILE_HEADER + entry_bytes(log[0]))
    (seat / "bot.key").write_text("")
    match = tmp_path / "2026-01-01-0000-x.goat"
    match.write_bytes(file_bytes(log))
    changed = (seat / "a.goat").stat().st_mtime
    assert sweep(tmp_path, changed + ABANDONED * 2) == 0  # it is open
    journals.close()
    assert sweep(tmp_path, changed + CLOSED / 2) == 0
    assert sweep(tmp_path, changed + CLOSED * 2) == 1  # a closed log of a bot: the journal has the same
    assert not (seat / "a.goat").exists()
    assert (seat / "bot.key").exists()
    assert sweep(tmp_path, changed + ABANDONED * 2) >= 3
    assert [p.name for p in tmp_path.iterdir()] == [match.name]
