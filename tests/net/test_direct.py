"""What a seat says past the host (`goat_net.seat.direct`), at a chair that only notes what it is handed."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import cast

import pytest

from goat_engine.rules import SEATS
from goat_net.log.chain import parse_record, sign_entry
from goat_net.log.fold import Fold
from goat_net.log.records import PauseClock
from goat_net.seat.clocks import Waiting
from goat_net.seat.direct import HAND_AGAIN, OWN_AFTER, WAITED_AFTER, Direct
from goat_net.seat.player import Player
from goat_net.seat.reach import make_reach
from goat_net.wire.messages import Lobby, NewEntry, Read, Say, Submit
from tests.net.mini import Mini, playing


@dataclass
class Noted:
    """A `ChairDoor` of seat 1 that stands still."""

    player: Player | None
    log_id: bytes
    table_key: bytes | None
    lobby: Lobby | None = None
    link: bool = True
    waiting: Waiting = field(default_factory=Waiting)
    entries: list[NewEntry] = field(default_factory=list)
    forks: list[NewEntry] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)

    def take_entry(self, entry: NewEntry, now: float) -> None:
        self.entries.append(entry)

    def blame_fork(self, entry: NewEntry) -> None:
        self.forks.append(entry)

    def hand_in(self, record: bytes) -> None:
        self.records.append(record)


@pytest.fixture(scope="module")
def mini() -> Mini:
    """A match in the middle of a deal. No test changes it."""
    one = Mini(7)
    one.play(playing)
    return one


def direct_of(mini: Mini, entries: int | None = None) -> tuple[Direct, Noted]:
    """Seat 1, which has read so many entries (all)."""
    fold = mini.fold
    if entries is not None:
        fold = Fold(mini.table.public)
        for entry in mini.fold.chain.entries[:entries]:
            fold.take(entry)
    player = SimpleNamespace(fold=fold, seat=1, unconfirmed=None, foreign_refusals=0)
    chair = Noted(cast(Player, player), mini.fold.chain.log_id, mini.table.public)
    return Direct(chair), chair


def next_entry(mini: Mini) -> NewEntry:
    """The entry that the host would sign next."""
    fold = mini.fold
    return sign_entry(mini.table, fold.id, len(fold.chain), fold.chain.head, mini.made(2, PauseClock(True)))


def test_without_a_log_there_is_nothing_to_say() -> None:
    direct = Direct(Noted(None, b"", None))
    assert direct.line_opened() == []
    assert direct.line_message(Say("hi"), 0.0) == []
    assert direct.to_dial(0.0) == []
    assert direct.length == 0
    assert not direct.knows(b"anybody")


def test_a_line_begins_with_how_much_is_here_and_what_is_on_its_way(mini: Mini) -> None:
    direct, chair = direct_of(mini)
    assert direct.line_opened() == [Read(chair.log_id, len(mini.fold.chain))]
    assert chair.player is not None
    chair.player.unconfirmed = b"mine"
    raw = mini.made(2, PauseClock(True))
    direct.line_message(Submit(raw), 0.0)
    assert direct.line_opened() == [Read(chair.log_id, len(mini.fold.chain)), Submit(b"mine"), Submit(raw)]


def test_who_has_less_is_handed_the_rest_and_who_has_more_is_asked(mini: Mini) -> None:
    direct, chair = direct_of(mini, 10)
    (*sent,) = direct.line_message(Read(chair.log_id, 7), 0.0) or ()
    assert [entry.number for entry in sent if isinstance(entry, NewEntry)] == [7, 8, 9]
    assert direct.line_message(Read(chair.log_id, 12), 0.0) == [Read(chair.log_id, 10)]
    assert direct.line_message(Read(b"another log", 0), 0.0) == []


def test_what_is_not_for_a_direct_line_ends_it(mini: Mini) -> None:
    assert direct_of(mini)[0].line_message(Say("hi"), 0.0) is None


def test_an_entry_counts_as_from_the_host_when_the_host_has_signed_it(mini: Mini) -> None:
    direct, chair = direct_of(mini)
    entry = next_entry(mini)
    assert direct.line_message(entry, 0.0) == []
    assert chair.entries == [entry]
    assert direct.line_message(replace(entry, signature=bytes(64)), 0.0) is None
    assert direct.line_message(replace(entry, number=entry.number + 1), 0.0) == []
    assert chair.entries == [entry]


def test_another_entry_under_a_number_that_is_taken_is_a_fork(mini: Mini) -> None:
    direct, chair = direct_of(mini)
    number = len(mini.fold.chain) - 1
    right = mini.fold.chain.entries[number]
    assert direct.line_message(right, 0.0) == []
    raw = mini.made(3, PauseClock(True))
    other = sign_entry(mini.table, parse_record(right.record).match_id, number, mini.fold.chain.heads[number], raw)
    direct.line_message(other, 0.0)
    direct.line_message(replace(other, signature=bytes(64)), 0.0)  # a lie of the line
    assert chair.forks == [other]


def test_a_record_of_another_seat_is_handed_to_the_host_once_in_a_while(mini: Mini) -> None:
    direct, chair = direct_of(mini)
    raw = mini.made(2, PauseClock(True))
    for now in (0.0, 1.0, HAND_AGAIN):
        direct.line_message(Submit(raw), now)
    assert chair.records == [raw, raw]
    assert direct.holds(2)
    assert not direct.holds(3)


def test_a_host_that_lets_a_record_lie_is_blamed_while_it_is_there(mini: Mini) -> None:
    direct, chair = direct_of(mini)
    direct.line_message(Submit(mini.made(2, PauseClock(True))), 0.0)
    assert direct.host_blame(1.0) == ""
    assert "does not enter what P2 has signed" in direct.host_blame(60.0)
    chair.link = False
    assert direct.host_blame(60.0) == ""


def reach_all(mini: Mini, direct: Direct) -> None:
    for seat in SEATS:
        direct.take_reach(make_reach(mini.seats[seat], mini.table.public, 1, (f"127.0.0.1:{seat + 1}",)))


def test_a_reach_for_another_table_is_nothing(mini: Mini) -> None:
    direct, _ = direct_of(mini)
    direct.take_reach(make_reach(mini.seats[2], bytes(32), 1, ("127.0.0.1:1",)))
    assert direct.dials.reaches == {}


def test_who_keeps_the_others_waiting_is_dialled(mini: Mini) -> None:
    direct, chair = direct_of(mini)
    reach_all(mini, direct)
    direct.dials.untried(mini.fold.id, [s.public for s in mini.seats])  # names one a call: here all
    for _ in SEATS:
        direct.dials.untried(mini.fold.id, [s.public for s in mini.seats])
    assert direct.to_dial(0.0) == []
    chair.waiting.since = {2: 0.0, 1: 0.0}
    assert [reach.key for reach in direct.to_dial(WAITED_AFTER)] == [mini.seats[2].public]


def test_all_are_dialled_when_a_record_of_our_own_is_late(mini: Mini) -> None:
    direct, chair = direct_of(mini)
    reach_all(mini, direct)
    assert chair.player is not None
    direct.watch_own(0.0)
    assert not direct.own_is_late(OWN_AFTER)
    chair.player.unconfirmed = b"mine"
    direct.watch_own(10.0)
    direct.watch_own(11.0)
    assert not direct.own_is_late(10.0 + OWN_AFTER - 0.1)
    assert direct.own_is_late(10.0 + OWN_AFTER)
    assert {r.key for r in direct.to_dial(20.0)} == {mini.seats[s].public for s in (0, 2, 3)}
    chair.player.unconfirmed = None
    direct.watch_own(30.0)
    assert not direct.own_is_late(60.0)
