"""The log's keeper alone: it appends, writes down and sends; no seats, no clocks and no sockets around it."""

import random
from dataclasses import replace

import pytest
from goat_host.log_keeper import LogKeeper
from goat_host.people import Guest
from goat_host.ports import Journal, Out, Send

from goat_net.log.chain import ChainError, entry_bytes, file_bytes, make_record, parse_record
from goat_net.log.fold import END_SEATS, Fold, MatchStage, nonce_commitment
from goat_net.log.records import End, NonceCommit, SeatEntry, Settings, Table
from goat_net.wire.identity import Identity
from goat_net.wire.messages import PROTOCOL, ROLE_PLAYER, Hello, NewEntry


class Study:
    """A keeper, its guests on connections 0 to 3, and what it has put out."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.ids = [Identity.from_seed(rng.randbytes(32)) for _ in range(5)]
        self.guests = [
            Guest(n, Hello(PROTOCOL, "test", ROLE_PLAYER, self.ids[n].public, bytes(32), f"P{n}", "", b""), b"", n)
            for n in range(4)
        ]
        self.witnessed = False
        self.out: list[Out] = []
        self.keeper = LogKeeper(self.ids[4], lambda: self.guests, lambda: self.witnessed, self.out.append)
        seats = tuple(SeatEntry(self.ids[n].public, f"P{n}", False, "", b"", b"") for n in range(4))
        self.body = Table(
            PROTOCOL, "test", rng.randbytes(32), self.ids[4].public, "Study", 4, 12, True, 0,
            Settings(180, 0, 0, True, True, b""), seats, (), tuple(rng.randbytes(32) for _ in range(4)),
        )  # fmt: skip

    def begin(self) -> Fold:
        fold = self.keeper.new_log(self.body)
        self.keeper.begin(fold)
        self.keeper.send_missed()
        return fold

    def promise(self, seat: int) -> None:
        """A seat's first record is entered."""
        fold = self.keeper.fold
        assert fold is not None
        chain = fold.chain
        body = NonceCommit(nonce_commitment(chain.log_id, seat, bytes(32)))
        raw = make_record(self.ids[seat], fold.id, 0, seat, 0, len(chain), chain.head, body)
        record = parse_record(raw)
        self.keeper.enter(record, fold.judge(record))

    def journal(self) -> bytes:
        return b"".join(o.data for o in self.out if isinstance(o, Journal))

    def sent(self, conn: int) -> list[NewEntry]:
        return [o.message for o in self.out if isinstance(o, Send) and o.conn == conn]


@pytest.fixture
def study(seed: int) -> Study:
    return Study(seed)


def test_what_is_entered_is_in_the_log_in_the_journal_and_sent_to_all(study: Study) -> None:
    fold = study.begin()
    study.promise(2)
    study.keeper.write(End(END_SEATS))
    assert study.keeper.fold is fold
    assert len(fold.chain) == 3
    assert fold.stage is MatchStage.ENDED
    assert study.journal() == file_bytes(fold.chain.entries)
    for conn in range(4):
        assert study.sent(conn) == list(fold.chain.entries)


def test_an_entry_is_put_out_for_the_journal_before_anybody_is_sent_it(study: Study) -> None:
    study.begin()
    study.promise(0)
    for at, out in enumerate(study.out):
        if isinstance(out, Send):
            before = b"".join(o.data for o in study.out[:at] if isinstance(o, Journal))
            assert entry_bytes(out.message) in before


def test_whom_the_table_waits_for_is_sent_an_entry_first(study: Study) -> None:
    study.begin()
    study.promise(0)
    del study.out[:]
    study.promise(1)
    assert [o.conn for o in study.out if isinstance(o, Send)] == [2, 3, 0, 1]


def test_who_has_not_asked_for_the_log_is_sent_nothing(study: Study) -> None:
    study.begin()
    study.guests[3].read_from = None
    study.promise(0)
    assert len(study.sent(3)) == 1
    assert len(study.sent(2)) == 2


def test_what_somebody_could_miss_is_written_through_to_the_disk(study: Study) -> None:
    study.begin()
    study.promise(0)
    study.witnessed = True
    study.promise(1)
    study.witnessed = False
    study.keeper.write(End(END_SEATS))  # the host's own word always is
    assert [o.sync for o in study.out if isinstance(o, Journal)] == [True, False, True, True]


def test_a_log_that_the_fold_refuses_does_not_begin(study: Study) -> None:
    first = study.begin()
    seats = (study.body.seats[1], *study.body.seats[1:])  # one key on two seats
    del study.out[:]
    with pytest.raises(ChainError):
        study.keeper.new_log(replace(study.body, seats=seats))
    assert study.keeper.fold is first
    assert study.out == []


def test_an_entry_that_was_signed_and_lost_is_adopted_and_no_other(study: Study) -> None:
    fold = study.begin()
    study.promise(0)
    study.promise(1)
    entries = fold.chain.entries
    again = Study(0)
    again.keeper = LogKeeper(study.ids[4], lambda: again.guests, lambda: False, again.out.append)
    short = Fold(study.ids[4].public)
    short.take(entries[0])
    again.keeper.resume(short)
    with pytest.raises(ChainError):
        again.keeper.adopt(entries[2])
    assert again.out == []
    again.keeper.adopt(entries[1])
    again.keeper.adopt(entries[2])
    assert short.chain.head == fold.chain.head
    assert again.journal() == entry_bytes(entries[1]) + entry_bytes(entries[2])


class Broken(Exception):  # noqa: N818 - a mistake of this program
    """What goes wrong in a test."""


@pytest.mark.parametrize("at", range(5))
def test_after_a_fault_the_log_is_what_is_written_and_everybody_gets_it(seed: int, at: int) -> None:
    study = Study(seed)
    study.begin()
    left = at

    def put(out: Out) -> None:
        nonlocal left
        left -= 1
        if left == -1:
            raise Broken
        study.out.append(out)

    study.keeper._put = put
    try:
        study.promise(0)
    except Broken:
        study.keeper.recover()
    fold = study.keeper.fold
    assert fold is not None
    assert len(fold.chain) == (1 if at == 0 else 2)
    assert study.journal() == file_bytes(fold.chain.entries)
    for conn in range(4):
        assert study.sent(conn) == list(fold.chain.entries)
    study.promise(1)
    assert study.journal() == file_bytes(fold.chain.entries)
