"""What a seat keeps on disk: names of files, torn and damaged ends, what a failing disk does."""

import errno
import os
import random
from functools import cache
from pathlib import Path

import pytest

from goat_net.log.chain import FILE_HEADER, entry_bytes, file_bytes
from goat_net.seat import store
from goat_net.seat.chair import Chair
from goat_net.seat.endings import LostSecretError
from goat_net.seat.store import LogStore
from goat_net.wire.codec import MAX_MESSAGE
from goat_net.wire.messages import Joined, NewEntry
from tests.world.world import World

LOG = bytes(range(32))
KEY = bytes(range(64, 96))


def log_of_a_deal() -> list[NewEntry]:
    """The entries of one deal, played once for all tests that only read it."""
    return list(_one_deal())


@cache
def _one_deal() -> tuple[NewEntry, ...]:
    return tuple(entries()[1])


def entries() -> tuple[World, list[NewEntry]]:
    world = World(5)
    world.run(deals=1)
    assert world.table.fold is not None
    return world, list(world.table.fold.chain.entries)


def test_files_are_named_by_date_and_id_whatever_the_table_is_called(tmp_path: Path) -> None:
    made = LogStore(tmp_path, LOG, KEY, os.urandom)
    log = log_of_a_deal()
    made.append(log[0])
    assert made.path is not None
    assert made.path.parent == tmp_path
    assert made.path.name.endswith(f"-{LOG.hex()[:16]}-{KEY.hex()[:16]}.goat")
    assert {p.suffix for p in tmp_path.iterdir()} == {".goat", ".secret"}


def test_what_was_saved_is_there_again_with_the_same_secret(tmp_path: Path) -> None:
    log = log_of_a_deal()
    one = LogStore(tmp_path, LOG, KEY, random.Random(1).randbytes)
    for entry in log[:9]:
        one.append(entry)
    one.set_pending(b"record")
    two = LogStore(tmp_path, LOG, KEY, random.Random(2).randbytes)
    assert (two.entries, two.master, two.pending) == (log[:9], one.master, b"record")
    two.append(log[9])
    assert LogStore(tmp_path, LOG, KEY, os.urandom).entries == log[:10]


@pytest.mark.parametrize("torn", [1, 40, 90])
def test_a_torn_end_is_written_over(tmp_path: Path, torn: int) -> None:
    log = log_of_a_deal()
    one = LogStore(tmp_path, LOG, KEY, os.urandom)
    for entry in log[:5]:
        one.append(entry)
    assert one.path is not None
    whole = one.path.read_bytes()
    one.path.write_bytes(whole[:-torn])
    two = LogStore(tmp_path, LOG, KEY, os.urandom)
    assert two.entries == log[:4]
    two.append(log[4])
    assert one.path.read_bytes() == whole


def test_a_log_without_its_secret_is_not_played_on(tmp_path: Path) -> None:
    log = log_of_a_deal()
    one = LogStore(tmp_path, LOG, KEY, os.urandom)
    one.append(log[0])
    assert one.path is not None
    one.path.with_suffix(".secret").unlink()
    with pytest.raises(LostSecretError, match="has no secret beside it"):
        LogStore(tmp_path, LOG, KEY, os.urandom)


def test_seats_that_save_into_one_folder_share_no_file(tmp_path: Path) -> None:
    """E26: `goat bot ADDR --seat 0 --save D` and `--seat 1 --save D`."""
    one, two = (LogStore(tmp_path, LOG, key, os.urandom) for key in (KEY, KEY[::-1]))
    assert one.path != two.path
    assert one.master != two.master
    one.set_pending(b"mine")
    assert LogStore(tmp_path, LOG, KEY[::-1], os.urandom).pending == b""
    assert len(list(tmp_path.glob("*.secret"))) == 2


WRITABLE = "For the next one, make it writable or set GOAT_HOME to another folder."


@pytest.mark.parametrize("fails", ["write", "pending"])
@pytest.mark.parametrize(
    ("number", "why", "what_helps"),
    [
        (errno.ENOSPC, "there is no space left", "Free some space for the next one."),
        (errno.EDQUOT, "there is no space left", "Free some space for the next one."),
        (errno.EROFS, "the disk is read-only", WRITABLE),
        (errno.EACCES, "you may not write to its folder", WRITABLE),
        (errno.EPERM, "you may not write to its folder", WRITABLE),
        (errno.EIO, os.strerror(errno.EIO), "Another folder may help: GOAT_HOME names one."),
    ],
)
def test_a_disk_that_fails_is_told_once_in_words_that_fit_and_the_match_goes_on_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str, number: int, why: str, what_helps: str
) -> None:
    log = log_of_a_deal()
    made = LogStore(tmp_path, LOG, KEY, os.urandom)
    made.append(log[0])

    def full(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    if fails == "write":
        monkeypatch.setattr(Path, "open", full)
        made.append(log[1])
    else:
        monkeypatch.setattr(store.Pending, "write", full)
        made.set_pending(b"record")
    assert made.problem == (told := f"The match cannot be saved: {why}. It goes on without. {what_helps}")
    made.append(log[2])
    made.set_pending(b"more")
    made.finish()
    assert (made.pending, made.problem) == (b"more", told)


def test_a_file_in_place_of_the_folder_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "matches").write_bytes(b"")
    made = LogStore(tmp_path / "matches", LOG, KEY, os.urandom)
    assert made.problem.startswith("The match cannot be saved: its folder cannot be used. It goes on without. ")
    assert made.problem.endswith("a file is there. Move it away, or set GOAT_HOME.")


def test_a_damaged_saved_match_is_read_again_from_the_table(tmp_path: Path) -> None:
    """A byte is wrong in the middle of a seat's file: noticed by the chain, and the rest comes from the table."""
    world, log = entries()
    seat = world.seated[1]
    assert world.table.fold is not None
    log_id = world.table.fold.chain.log_id
    secret = seat.new_player()._master_for(log_id)
    one = LogStore(tmp_path, log_id, KEY, lambda n: secret)
    for entry in log:
        one.append(entry)
    assert one.path is not None
    data = bytearray(one.path.read_bytes())
    at = len(FILE_HEADER) + sum(len(entry_bytes(e)) for e in log[:20])
    data[at + len(entry_bytes(log[20])) - 5] ^= 1  # in the host's signature of entry 20
    one.path.write_bytes(data)
    chair = Chair(seat.identity, lambda _: LogStore(tmp_path, log_id, KEY, os.urandom), eager=True)
    chair.opened(world.table.identity.public, Joined(b"", log_id, len(log)), 0.0)
    assert chair.player is not None
    assert len(chair.player.fold.chain) == 20
    assert not chair.caught_up
    chair.work(0.0)
    for entry in log[20:]:
        chair.message(entry, 0.0)
    assert chair.player.fold.chain.head == world.table.fold.chain.head
    assert LogStore(tmp_path, log_id, KEY, os.urandom).entries == log


def test_a_record_on_its_way_is_written_over_and_a_torn_one_leaves_the_one_before(tmp_path: Path) -> None:
    one = LogStore(tmp_path, LOG, KEY, os.urandom)
    assert one.path is not None
    log = log_of_a_deal()
    one.append(log[0])
    file = one.path.with_suffix(".pending")
    records = [b"a longer record", b"short", bytes(MAX_MESSAGE), b"the last but one", b"the last"]
    sizes = set()
    for record in records:
        one.set_pending(record)
        sizes.add(file.stat().st_size)
        assert LogStore(tmp_path, LOG, KEY, os.urandom).pending == record
    assert len(sizes) == 1  # it keeps its length: nothing but its bytes is written
    whole = file.read_bytes()
    start = whole.replace(b"the last but one", bytes(16)).index(b"the last")
    for place in (*range(start - 40, start), start, start + 7):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert LogStore(tmp_path, LOG, KEY, os.urandom).pending == b"the last but one"
    for size in (0, 10, 40):
        file.write_bytes(whole[:size])
        assert LogStore(tmp_path, LOG, KEY, os.urandom).pending == b""
        fresh = LogStore(tmp_path, LOG, KEY, os.urandom)
        fresh.set_pending(b"on")
        assert LogStore(tmp_path, LOG, KEY, os.urandom).pending == b"on"


@pytest.mark.parametrize("seed", range(12))
def test_a_power_cut_leaves_a_record_on_its_way_the_log_it_follows_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Whatever is synced survives, of the rest any beginning: the log is there up to the record's own place."""
    rng = random.Random(seed)
    log = log_of_a_deal()
    one = LogStore(tmp_path, LOG, KEY, os.urandom)
    assert one.path is not None
    safe = [0]
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        sync(descriptor)
        if one.path is not None and one.path.exists() and os.path.samestat(os.fstat(descriptor), one.path.stat()):
            safe[0] = one.path.stat().st_size

    monkeypatch.setattr(store.os, "fsync", fsync)
    said = 0
    for entry in log[: rng.randrange(20, len(log))]:
        one.append(entry)
        if rng.random() < 0.3:
            said = entry.number + 1
            one.set_pending(b"after %d" % entry.number)
    data = one.path.read_bytes()
    one.path.write_bytes(data[: rng.choice((safe[0], len(data), rng.randint(safe[0], len(data))))])
    again = LogStore(tmp_path, LOG, KEY, os.urandom)
    assert again.pending == (b"after %d" % (said - 1) if said else b"")
    assert len(again.entries) >= said
    assert again.entries == log[: len(again.entries)]
    assert one.path.read_bytes().startswith(file_bytes(again.entries) if again.entries else b"")
    again.append(log[len(again.entries)])
    assert LogStore(tmp_path, LOG, KEY, os.urandom).entries == log[: len(again.entries) + 1]
