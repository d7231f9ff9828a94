"""Secrets and fresh bytes: no two seats and no two logs share anything (PROTOCOL.md, The player)."""

import os
import random
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest

from goat_net.log.chain import ChainError, genesis, log_id_of, make_record, parse_record, sign_entry
from goat_net.log.fold import Fold
from goat_net.log.records import HOST, SeatEntry, Settings, Table
from goat_net.seat.chair import Chair
from goat_net.seat.fresh import TABLES_KEPT, FreshBytes
from goat_net.seat.player import Player
from goat_net.wire.identity import Identity
from goat_net.wire.messages import PROTOCOL, Fresh, Joined, NewEntry, Submit
from tests.net.auditor import Auditor, BadEntryError
from tests.net.mini import Mini, playing
from tests.world.world import World


def test_seats_that_share_a_secret_file_share_no_secret() -> None:
    """E26: two bots of one machine with one folder took one secret file, and all their cards followed from it."""
    mini = Mini(41)
    mini.play(playing)
    master = bytes(range(32))
    seats = [Player(one, lambda _: master, table_key=mini.table.public) for one in mini.seats]
    for player in seats:
        for entry in mini.fold.chain.entries:
            player.take(entry, 0)
    deal = mini.fold.deal
    assert deal is not None
    assert len({p._seed(deal) for p in seats}) == 4
    assert len({p._nonce for p in seats}) == 4
    assert len({p._seed(deal) for p in (seats[0], Player(Identity.new(), lambda _: master, table_key=None))}) == 2


class Memory:
    """A store that keeps nothing but the secret of the log."""

    problem, pending = "", b""

    def __init__(self, master: bytes) -> None:
        self.master = master
        self.entries: list[NewEntry] = []

    def append(self, entry: NewEntry) -> None:
        self.entries.append(entry)

    def cut(self, count: int) -> None: ...

    def set_pending(self, record: bytes, *, sync: bool = True) -> None: ...

    def settle(self) -> None: ...

    def finish(self) -> None: ...


class Door:
    """A host who begins what logs they like, and one seat's client at it."""

    def __init__(self, seed: int, fresh: FreshBytes | None = None) -> None:
        rng = random.Random(seed)
        self.table = Identity.from_seed(rng.randbytes(32))
        self.seats = [Identity.from_seed(rng.randbytes(32)) for _ in range(4)]
        self.others = tuple(rng.randbytes(32) for _ in range(3))
        self.disk: dict[bytes, Memory] = {}
        self.fresh = fresh or FreshBytes(None, rng.randbytes)
        self.rng = rng
        self.chair = self.client()

    def client(self) -> Chair:
        """The client of seat 0, started anew."""
        chair = Chair(self.seats[0], self.store, table_key=self.table.public, fresh=self.fresh)
        chair.opened(self.table.public, Joined(b"", b"", 0), 0.0)
        return chair

    def store(self, log_id: bytes) -> Memory:
        return self.disk.setdefault(log_id, Memory(self.rng.randbytes(32)))

    @property
    def given(self) -> bytes:
        """What the client has given last."""
        return [m.value for m in self.chair.out if isinstance(m, Fresh)][-1]

    def first(self, mine: bytes, salt: bytes = bytes(32), key: Identity | None = None) -> NewEntry:
        """Entry 0 of a log with these bytes for the client's seat."""
        key = key or self.table
        entries = tuple(SeatEntry(s.public, f"P{i}", False, "", b"", b"") for i, s in enumerate(self.seats))
        fresh = (mine, *self.others)
        settings = Settings(60, 0, 0, True, True, b"")
        body = Table(PROTOCOL, "t", salt, key.public, "D", 4, 12, False, 0, settings, entries, (), fresh)
        log_id = log_id_of(key.public, salt, fresh)
        raw = make_record(key, log_id, 0, HOST, 0, 0, genesis(log_id), body)
        return sign_entry(key, log_id, 0, genesis(log_id), raw)

    def signs_in(self, entry: NewEntry) -> bool:
        """Whether the client signs anything in the log that begins so."""
        self.chair.out = [m for m in self.chair.out if isinstance(m, Fresh)]
        self.chair.message(entry, 0.0)
        self.chair.work(0.0)
        return any(isinstance(m, Submit) for m in self.chair.out)


def test_a_client_signs_in_a_log_that_was_begun_with_its_own_bytes() -> None:
    door = Door(1)
    assert door.signs_in(door.first(door.given))
    assert door.given not in door.disk


@pytest.mark.parametrize("what", ["never given", "used before", "given to another table"])
def test_nothing_is_signed_in_a_log_that_is_not_fresh(what: str) -> None:
    """P7: a host who begins a log again, by a salt that it has used."""
    door = Door(2)
    given = door.given
    if what == "never given":
        assert not door.signs_in(door.first(bytes(range(32))))
    elif what == "used before":
        assert door.signs_in(door.first(given))
        assert not door.signs_in(door.first(given, salt=bytes(31) + b"\1"))
    else:
        other = Identity.from_seed(bytes(32))
        door.chair.opened(other.public, Joined(b"", b"", 0), 0.0)
        value = door.given
        door.chair.opened(door.table.public, Joined(b"", b"", 0), 0.0)
        assert not door.signs_in(door.first(value))
    assert door.chair.player is not None
    assert "signs nothing" in door.chair.player.barred


def test_a_log_begun_twice_is_not_signed_twice_by_a_seat_without_a_disk() -> None:
    """P7: the same salt, so the same log id; the seat's program has forgotten its secret, not what it gave."""
    door = Door(3)
    first = door.first(door.given)
    assert door.signs_in(first)
    door.disk.clear()
    door.chair = door.client()
    assert not door.signs_in(first)


def test_a_log_goes_on_with_the_disk_on_which_it_began() -> None:
    door = Door(4)
    first = door.first(door.given)
    assert door.signs_in(first)
    door.chair = door.client()
    assert door.chair.opened(door.table.public, Joined(b"", parse_record(first.record).match_id, 1), 0.0)
    door.chair.work(0.0)
    assert any(isinstance(m, Submit) for m in door.chair.out)


def test_a_use_is_on_the_disk_before_anything_is_signed(tmp_path: Path) -> None:
    """P7: each value is used for one log and noted on disk before the first signature."""
    path = tmp_path / "seat.fresh"
    door = Door(5, FreshBytes(path, random.Random(5).randbytes))
    first = door.first(door.given)
    kept = FreshBytes(path, random.Random(6).randbytes)
    assert kept.give(door.table.public) == door.given
    seen: list[bool] = []
    make, door.chair._open_store = door.chair._open_store, door.store

    def noted(raw: bytes, *, sync: bool = True) -> None:
        seen.append(FreshBytes(path, os.urandom).use(door.table.public, parse_record(first.record).body.fresh[0]))

    store = make(parse_record(first.record).match_id)
    store.set_pending = noted  # type: ignore[method-assign, assignment]
    assert door.signs_in(first)
    assert seen == [False]


def test_damaged_notes_of_fresh_bytes_cost_no_more_than_the_bytes(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path = tmp_path / "seat.fresh"
    for damage in (b"", b"\xff" * 100, b"zz zz\n", rng.randbytes(300), b"00 " * 500):
        path.write_bytes(damage)
        fresh = FreshBytes(path, rng.randbytes)
        value = fresh.give(bytes(32))
        assert FreshBytes(path, rng.randbytes).use(bytes(32), value)
    for number in range(TABLES_KEPT + 20):
        fresh.give(number.to_bytes(32, "big"))
    assert path.stat().st_size <= TABLES_KEPT * 130


def test_a_table_waits_for_the_bytes_of_every_seat() -> None:
    """P7: who sends none isn't ready, and no two seats give the same."""
    world = World(6)
    late = world.seated[2]
    late.up = deque(m for m in late.up if not isinstance(m, Fresh))
    while world.step():
        pass
    assert world.table.fold is None
    assert not world.table.lobby().seats[2].ready
    late.up.append(Fresh(world.table.people.guests[world.seated[1].conn].fresh))  # a copy
    while world.step():
        pass
    assert world.table.fold is None
    late.give()
    world.run(deals=1)
    fold = world.table.fold
    assert fold is not None
    assert fold.table is not None
    assert len(set(fold.table.fresh)) == 4


@pytest.mark.parametrize("wrong", ["three", "none", "two alike"])
def test_no_log_begins_without_four_different_values(wrong: str) -> None:
    door = Door(7)
    change = {"three": 3, "none": 0, "two alike": 4}[wrong]
    fresh = (door.given, *door.others)[:change]
    fresh = (*fresh[:3], fresh[0]) if wrong == "two alike" else fresh
    body = replace(parse_record(door.first(door.given).record).body, fresh=fresh)
    log_id = log_id_of(door.table.public, body.salt, fresh)
    raw = make_record(door.table, log_id, 0, HOST, 0, 0, genesis(log_id), body)
    entry = sign_entry(door.table, log_id, 0, genesis(log_id), raw)
    with pytest.raises(ChainError, match="fresh bytes"):
        Fold().take(entry)
    with pytest.raises(BadEntryError):
        Auditor().take(0, entry.record, entry.signature)
