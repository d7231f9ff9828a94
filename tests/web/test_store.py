"""What a seat in a page keeps, over a disk that is only pretended: everything is there again after a reload."""

import random

import pytest
from goat_web.inside.store import PageStore

from goat_net.seat.endings import LostSecretError
from goat_net.wire.messages import NewEntry
from tests.world.world import World

LOG, KEY, OTHER = bytes(range(32)), bytes(32), bytes(range(32, 64))


class Memory:
    """A disk: what was put, and after what the line was made to wait."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.held: list[str] = []
        self.last, self.trouble = "", ""

    def put(self, key: str, value: bytes | None) -> None:
        self.last = key
        if value is None:
            self.kept.pop(key, None)
        else:
            self.kept[key] = value

    def hold(self) -> None:
        self.held.append(self.last.rpartition("/")[2])

    def problem(self) -> str:
        return self.trouble


def store(disk: Memory, key: bytes = KEY, seed: int = 1) -> PageStore:
    return PageStore(disk, dict(disk.kept), LOG, key, random.Random(seed).randbytes)


@pytest.fixture(scope="module")
def log() -> list[NewEntry]:
    world = World(5)
    world.run(deals=1)
    assert world.table.fold is not None
    return list(world.table.fold.chain.entries)[:12]


def test_what_was_kept_is_there_again_with_the_same_secret(log: list[NewEntry]) -> None:
    disk = Memory()
    one = store(disk)
    for entry in log[:9]:
        one.append(entry)
    one.set_pending(b"record")
    two = store(disk, seed=2)
    assert (two.entries, two.master, two.pending) == (log[:9], one.master, b"record")
    two.append(log[9])
    assert store(disk).entries == log[:10]


def test_nothing_goes_out_before_the_secret_and_a_record_are_on_the_disk() -> None:
    disk = Memory()
    made = store(disk)
    assert disk.held == ["master"]
    made.set_pending(b"quick", sync=False)
    assert disk.held == ["master"]
    made.set_pending(b"record")
    assert disk.held == ["master", "pending"]


def test_two_seats_of_one_browser_share_nothing(log: list[NewEntry]) -> None:
    disk = Memory()
    one, two = store(disk, KEY, 1), store(disk, OTHER, 2)
    one.append(log[0])
    assert one.master != two.master
    assert store(disk, OTHER).entries == []


def test_a_log_without_its_secret_is_said_and_not_played_on(log: list[NewEntry]) -> None:
    disk = Memory()
    store(disk).append(log[0])
    disk.kept = {key: value for key, value in disk.kept.items() if not key.endswith("/master")}
    with pytest.raises(LostSecretError, match="this browser"):
        store(disk)


def test_what_is_damaged_is_cut_and_written_over(log: list[NewEntry]) -> None:
    disk = Memory()
    one = store(disk)
    for entry in log[:6]:
        one.append(entry)
    key = next(k for k in disk.kept if k.endswith("entry/000004"))
    disk.kept[key] = disk.kept[key][:-7]
    two = store(disk)
    assert two.entries == log[:4]
    one.cut(4)
    assert not any(k.endswith(("000004", "000005")) for k in disk.kept)
    one.append(log[4])
    assert store(disk).entries == log[:5]


def test_a_closed_log_has_no_record_on_its_way() -> None:
    disk = Memory()
    made = store(disk)
    made.set_pending(b"record")
    made.finish()
    assert store(disk).pending == b""


def test_a_disk_that_fails_is_one_sentence() -> None:
    disk = Memory()
    made = store(disk)
    assert made.problem == ""
    disk.trouble = "QuotaExceededError"
    assert made.problem == "This browser cannot keep the match (QuotaExceededError). Do not reload the page"
    assert made.path is None
