"""A client holds a score that the host carries on against the match it has played (PROTOCOL.md, Carried scores)."""

from dataclasses import replace

import pytest

from goat_net.log.chain import genesis, log_id_of, make_record, read_file, sign_entry
from goat_net.log.fold import Fold
from goat_net.log.proof import check_link
from goat_net.log.records import HOST, Carried, End
from goat_net.seat.chair import Chair, HostFault
from goat_net.seat.player import memory_masters
from goat_net.wire.messages import NewEntry
from tests.net.mini import Mini, finished, playing


class Memory:
    """A store that keeps nothing but the secret of the match."""

    problem = ""
    entries: tuple[NewEntry, ...] = ()
    pending = b""

    def __init__(self, master: bytes) -> None:
        self.master = master

    def cut(self, count: int) -> None: ...

    def set_pending(self, record: bytes, *, sync: bool = True) -> None: ...

    def settle(self) -> None: ...

    def append(self, entry: NewEntry) -> None: ...

    def finish(self) -> None: ...


def score(fold: Fold) -> Carried:
    match, deal = fold.match, fold.deal
    assert match is not None
    assert deal is not None
    begun = deal.number if deal.tag else deal.number - 1
    return Carried(
        fold.id, fold.chain.head, match.defeat, match.eggs, match.dealer, match.leader, match.doubled, begun
    )


def first_entry(mini: Mini, carried: tuple[Carried, ...], salt: bytes) -> NewEntry:
    """Entry 0 of a new log at the same table."""
    assert mini.fold.table is not None
    log_id = log_id_of(mini.table.public, salt, mini.fold.table.fresh)
    body = replace(mini.fold.table, salt=salt, carried=carried)
    raw = make_record(mini.table, log_id, 0, HOST, 0, 0, genesis(log_id), body)
    return sign_entry(mini.table, log_id, 0, genesis(log_id), raw)


@pytest.fixture(scope="module")
def mini() -> Mini:
    one = Mini(31)
    one.play(finished(1))
    one.play(lambda fold: len(fold.finished) == 1 and playing(fold))
    one.host(End(1))
    return one


def chair(mini: Mini) -> Chair:
    """A client that has read the whole match."""
    masters = memory_masters(mini.seats[1].public)
    made = Chair(mini.seats[1], lambda log_id: Memory(masters(log_id)), table_key=mini.table.public)
    for entry in read_file(mini.data):
        made.message(entry, 0)
    return made


def test_the_right_score_is_taken_and_agreed_to(mini: Mini) -> None:
    one = chair(mini)
    one.message(first_entry(mini, (score(mini.fold),), bytes(32)), 0)
    one.work(0)
    assert one.out


def test_a_deal_under_way_counts_as_dealt(mini: Mini) -> None:
    carried = score(mini.fold)
    assert carried.deals == 2
    assert check_link(mini.fold, carried).good
    assert not check_link(mini.fold, replace(carried, deals=1)).good


@pytest.mark.parametrize(
    "change",
    [
        {"defeat": (11, 0)},
        {"eggs": 5},
        {"dealer": 3},
        {"leader": 3},
        {"doubled": True},
        {"deals": 77},
    ],
)
def test_a_false_score_is_the_hosts_fault_before_anything_is_signed(mini: Mini, change: dict[str, object]) -> None:
    right = score(mini.fold)
    change = {name: (value if value != getattr(right, name) else 2) for name, value in change.items()}
    one = chair(mini)
    one.out.clear()
    with pytest.raises(HostFault, match="carries on another score"):
        one.message(first_entry(mini, (replace(right, **change),), bytes(32)), 0)  # type: ignore[arg-type]


def test_the_score_at_an_earlier_entry_is_good_if_it_was_so_then(mini: Mini) -> None:
    """A new host may not have had the last entries."""
    fold = Fold()
    for entry in list(read_file(mini.data))[: len(mini.fold.chain) - 4]:
        fold.take(entry)
    chair(mini).message(first_entry(mini, (score(fold),), bytes(32)), 0)
    link = check_link(mini.fold, score(fold))
    assert (link.good, link.rest) == (True, 4)


def test_a_match_that_never_began_hands_its_score_on_unchanged(mini: Mini) -> None:
    right = score(mini.fold)
    one = chair(mini)
    one.message(first_entry(mini, (right,), bytes(32)), 0)
    one.message(first_entry(mini, (right,), bytes([1]) * 32), 0)
    with pytest.raises(HostFault):
        one.message(first_entry(mini, (replace(right, eggs=9),), bytes([2]) * 32), 0)


def test_a_match_that_nobody_here_has_seen_cannot_be_judged(mini: Mini) -> None:
    chair(mini).message(first_entry(mini, (replace(score(mini.fold), match_id=bytes(32)),), bytes(32)), 0)
