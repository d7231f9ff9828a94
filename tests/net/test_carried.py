"""A client holds a score that the host carries on against the match before (PROTOCOL.md, Carried scores)."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from goat_net.log.chain import (
    ChainError,
    entry_bytes,
    file_bytes,
    genesis,
    log_id_of,
    make_record,
    read_file,
    sign_entry,
)
from goat_net.log.fold import Fold
from goat_net.log.proof import CarryProof, ProofError, carry_proof, check_file, read_proof
from goat_net.log.records import HOST, Carried, End, Table
from goat_net.log.succession import Altered, Flaw, score_of, succession
from goat_net.seat.carried import CarriedScore
from goat_net.seat.chair import Chair
from goat_net.seat.endings import HostFault
from goat_net.seat.fresh import FreshBytes
from goat_net.seat.past import SavedLogs
from goat_net.seat.player import memory_masters
from goat_net.seat.terms import FETCH_WITHIN, Nothing
from goat_net.wire.identity import Identity
from goat_net.wire.messages import NewEntry, PastEntry, Read, Submit
from tests.net.mini import Mini, finished, playing

ELSEWHERE = Identity.from_seed(bytes(range(32)))
FRESH = tuple(bytes([7, seat]) * 16 for seat in range(4))


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


def first_entry(
    mini: Mini, carried: tuple[Carried, ...], salt: bytes = bytes(32), key: Identity | None = None, **changes: object
) -> NewEntry:
    """Entry 0 of a new log, at the same table or at another one's."""
    assert mini.fold.table is not None
    key = key or mini.table
    log_id = log_id_of(key.public, salt, FRESH)
    body = replace(mini.fold.table, table_key=key.public, salt=salt, carried=carried, fresh=FRESH, **changes)  # type: ignore[arg-type]
    raw = make_record(key, log_id, 0, HOST, 0, 0, genesis(log_id), body)
    return sign_entry(key, log_id, 0, genesis(log_id), raw)


def score(fold: Fold) -> Carried:
    carried = score_of(fold)
    assert carried is not None
    return carried


@pytest.fixture(scope="module")
def mini() -> Mini:
    """Two deals, and a third that nobody has shuffled for, when the log ends."""
    one = Mini(31)
    one.play(finished(2))
    one.play(lambda fold: len(fold.finished) == 2 and not any(map(fold.owes_verdict, range(4))))
    assert not one.fold.deal_is_on
    one.host(End(1))
    return one


class Given(FreshBytes):
    """A client whose bytes are those of `FRESH`: what they are is not what is tested here."""

    def __init__(self, seat: int) -> None:
        super().__init__(None, lambda n: FRESH[seat])


def chair(mini: Mini, entries: int | None = None, *, folder: Path | None = None, eager: bool = False) -> Chair:
    """The client of seat 1 that has read so much of the match (all of it)."""
    masters = memory_masters(mini.seats[1].public)
    made = Chair(
        mini.seats[1], lambda log_id: Memory(masters(log_id)), table_key=None, fresh=Given(1), eager=eager,
        past=SavedLogs(folder),
    )  # fmt: skip
    made.table_key = mini.table.public
    for entry in list(read_file(mini.data))[:entries]:
        made.message(entry, 0)
    return made


def signs(one: Chair, entry: NewEntry, now: float = 0.0) -> bool:
    """Whether the client signs in the log that begins so."""
    table = Fold()
    table.take(entry)
    assert table.table is not None
    one.table_key = table.table.table_key
    one.fresh.give(one.table_key)
    one.out.clear()
    one.message(entry, now)
    one.work(now)
    return any(isinstance(m, Submit) for m in one.out)


def what_changed(one: Chair) -> list[Altered]:
    assert one.player is not None
    assert one.player.terms is not None
    return [change.what for change in one.player.terms.changes]


def test_the_right_score_is_taken_and_agreed_to(mini: Mini) -> None:
    assert signs(chair(mini), first_entry(mini, (score(mini.fold),)))


FALSE: dict[str, Callable[[Carried], Carried]] = {
    "P1a: 11:0 under a head that is in no log": lambda c: replace(c, defeat=(11, 0), head=bytes(32)),
    "P1d: a false score at the right head": lambda c: replace(c, defeat=(11, 0)),
    "eggs": lambda c: replace(c, eggs=c.eggs + 1),
    "dealer": lambda c: replace(c, dealer=(c.dealer + 1) % 4),
    "leader": lambda c: replace(c, leader=(c.leader + 1) % 4),
    "doubled": lambda c: replace(c, doubled=not c.doubled),
    "deals": lambda c: replace(c, deals=c.deals + 1),
    "the right score under another head": lambda c: replace(c, head=bytes(range(32))),
}


@pytest.mark.parametrize("name", FALSE)
@pytest.mark.parametrize("kept", ["in memory", "on disk"])
def test_a_false_score_is_the_hosts_fault_unsigned(mini: Mini, name: str, kept: str, tmp_path: Path) -> None:
    """P1a, P1d: also after the client was started again, or with another log opened in between."""
    (tmp_path / f"2026-01-01-0000-{mini.fold.chain.log_id.hex()[:16]}-x.goat").write_bytes(mini.data)
    entry = first_entry(mini, (FALSE[name](score(mini.fold)),))
    one = chair(mini) if kept == "in memory" else chair(mini, 0, folder=tmp_path)
    with pytest.raises(HostFault, match="carries on a score that") as fault:
        signs(one, entry)
    assert not any(isinstance(m, Submit) for m in one.out)
    proof = read_proof(fault.value.proof)
    assert isinstance(proof, CarryProof)
    assert proof.flaw in (Flaw.SCORE, Flaw.MADE_UP)


def test_a_false_score_is_seen_with_another_log_in_between(mini: Mini) -> None:
    """P1d"""
    one = chair(mini)
    assert signs(one, first_entry(mini, (), bytes([9]) * 32))
    with pytest.raises(HostFault):
        signs(one, first_entry(mini, (replace(score(mini.fold), defeat=(11, 0)),)))


def test_deals_cannot_vanish_at_the_same_table(mini: Mini) -> None:
    """P1c: carried from an earlier entry of the real log, so that a finished deal with all verdicts is gone."""
    at = next(n for n in range(len(mini.fold.chain)) if len(_first(mini, n).finished) == 1)
    carried = score(_first(mini, at))
    with pytest.raises(HostFault, match="leaves out") as fault:
        signs(chair(mini), first_entry(mini, (carried,)))
    assert isinstance(read_proof(fault.value.proof), CarryProof)


def test_a_new_host_with_a_shorter_log_is_shown_not_blamed(mini: Mini) -> None:
    """P1c at another table: who goes on with it may never have had the last entries."""
    at = next(n for n in range(len(mini.fold.chain)) if len(_first(mini, n).finished) == 1)
    one = chair(mini)
    assert not signs(one, first_entry(mini, (score(_first(mini, at)),), key=ELSEWHERE))
    assert Altered.LEFT_OUT in what_changed(one)
    assert one.player is not None
    assert one.player.asked
    one.player.accept()
    one.work(0)
    assert any(isinstance(m, Submit) for m in one.out)


def test_a_match_that_nobody_here_has_is_shown(mini: Mini) -> None:
    """P1b"""
    one = chair(mini, 0)
    assert not signs(one, first_entry(mini, (replace(score(mini.fold), match_id=bytes(32)),)))
    assert what_changed(one) == [Altered.UNCHECKED]
    assert one.player is not None
    assert not one.player.terms.checked  # type: ignore[union-attr]


def _first(mini: Mini, count: int) -> Fold:
    fold = Fold()
    for entry in mini.fold.chain.entries[:count]:
        fold.take(entry)
    return fold


@pytest.fixture(scope="module")
def broken() -> Mini:
    """A deal is under way when the host closes the table."""
    one = Mini(32)
    one.play(finished(1))
    one.play(lambda fold: len(fold.finished) == 1 and playing(fold))
    return one


def test_a_log_goes_on_under_other_seats_between_two_deals_only(broken: Mini) -> None:
    """N1: the host enters `End` 1 with cards on the table."""
    assert broken.fold.deal_is_on
    with pytest.raises(ChainError, match="cannot stand here"):
        broken.fold.take(
            sign_entry(
                broken.table, broken.fold.id, len(broken.fold.chain), broken.fold.chain.head, broken.made(HOST, End(1))
            )
        )
    assert _ends(broken, 0) is not None
    for count in range(9, len(broken.fold.chain)):
        fold = _first(broken, count)
        assert (_ends(broken, 1, fold) is None) is not fold.deal_is_on


def _ends(mini: Mini, reason: int, fold: Fold | None = None) -> str | None:
    """Why an `End` cannot be the next entry, or None when it can."""
    fold = fold or mini.fold
    number = fold.deal.number if fold.deal else 0
    chain = fold.chain
    raw = make_record(mini.table, fold.id, number, HOST, fold.counters[HOST], len(chain), chain.head, End(reason))
    try:
        fold.check(sign_entry(mini.table, fold.id, len(chain), chain.head, raw))
    except ChainError as error:
        return error.text
    return None


@pytest.mark.parametrize("end", [True, False])
def test_a_deal_under_way_cannot_be_given_up_at_the_same_table(broken: Mini, end: bool) -> None:
    """N1: nor by closing the table, or by not closing its log, and opening it with the score."""
    fold = _first(broken, len(broken.fold.chain))
    data = broken.data
    if end:
        raw = make_record(
            broken.table, fold.id, fold.deal.number, HOST, fold.counters[HOST], len(fold.chain), fold.chain.head, End(2)  # type: ignore[union-attr]
        )
        entry = sign_entry(broken.table, fold.id, len(fold.chain), fold.chain.head, raw)
        fold.take(entry)
        data += entry_bytes(entry)
    first = first_entry(broken, (score(fold),))
    one = chair(broken)
    for entry in list(read_file(data))[len(broken.fold.chain) :]:
        one.message(entry, 0)
    with pytest.raises(HostFault, match="gives up a deal") as fault:
        signs(one, first)
    assert isinstance(read_proof(fault.value.proof), CarryProof)
    elsewhere = chair(broken)
    assert not signs(elsewhere, first_entry(broken, (score(broken.fold),), key=ELSEWHERE))
    assert what_changed(elsewhere) == [Altered.DEALT]


def test_a_log_that_is_still_open_is_not_gone_on_with_at_its_own_table(mini: Mini) -> None:
    fold = _first(mini, len(mini.fold.chain) - 1)
    with pytest.raises(HostFault, match="still open"):
        signs(chair(mini, len(fold.chain)), first_entry(mini, (score(fold),)))


CHANGES: dict[str, tuple[dict[str, object], Altered]] = {
    "target": ({"target": 99}, Altered.TARGET),
    "eggs": ({"eggs_double": False}, Altered.EGGS),
    "yield time": ({"yield_time": 60_000}, Altered.YIELD_TIME),
}


@pytest.mark.parametrize("name", [*CHANGES, "grace", "clock", "hints", "seed", "teams"])
def test_what_is_changed_is_shown_and_not_signed_unasked(mini: Mini, name: str) -> None:
    """N2: the right score, and target, options, hints, a known seed, or seats turned so that the teams swap scores."""
    table = mini.fold.table
    assert table is not None
    settings = {
        "grace": ({"grace": 0}, Altered.GRACE),
        "clock": ({"clock_base": 5}, Altered.CLOCK),
        "hints": ({"hints": False}, Altered.HINTS),
        "seed": ({"seed": b"known"}, Altered.SEED),
    }
    if name in CHANGES:
        changes, what = CHANGES[name]
    elif name == "teams":
        changes, what = {"seats": (*table.seats[1:], table.seats[0])}, Altered.TEAM
    else:
        values, what = settings[name]
        changes = {"settings": replace(table.settings, **values)}
    one = chair(mini)
    if name == "teams":  # the client's own seat is another one now
        one.fresh = Given(0)
    assert not signs(one, first_entry(mini, (score(mini.fold),), **changes))
    assert set(what_changed(one)) == {what}
    assert one.player is not None
    assert one.player.asked
    one.player.accept()
    one.work(0)
    assert any(isinstance(m, Submit) for m in one.out)


def test_partners_may_change_places(mini: Mini) -> None:
    table = mini.fold.table
    assert table is not None
    a, b, c, d = table.seats
    assert signs(chair(mini), first_entry(mini, (score(mini.fold),), seats=(c, b, a, d)))


def test_what_is_missing_of_the_match_before_is_fetched_first(mini: Mini) -> None:
    """P1, D5: who was away when the log ended does not know the carried head; the table gives what lacks."""
    whole = list(read_file(mini.data))
    for carried, good in ((score(mini.fold), True), (replace(score(mini.fold), defeat=(11, 0)), False)):
        one = chair(mini, len(whole) - 5, eager=good)
        entry = first_entry(mini, (carried,))
        assert not signs(one, entry, 10.0)
        log_id = mini.fold.chain.log_id
        assert Read(log_id, len(whole) - 5) in one.out
        past = [PastEntry(log_id, e.number, e.record, e.signature) for e in whole[-5:]]
        if good:
            for message in past:
                one.message(message, 10.1)
            one.work(10.1)
            assert any(isinstance(m, Submit) for m in one.out)
            assert what_changed(one) == []
        else:
            for message in past[:-1]:
                one.message(message, 10.1)
            with pytest.raises(HostFault):
                one.message(past[-1], 10.1)


def test_a_bot_waits_for_what_is_missing_and_then_goes_on(mini: Mini) -> None:
    whole = list(read_file(mini.data))
    one = chair(mini, len(whole) - 5, eager=True)
    assert not signs(one, first_entry(mini, (score(mini.fold),)), 10.0)
    one.message(PastEntry(mini.fold.chain.log_id, len(whole) - 5, b"junk", bytes(64)), 10.1)
    assert one.deadline is not None
    one.work(one.deadline)
    assert any(isinstance(m, Submit) for m in one.out)


def test_a_client_hands_a_new_host_what_he_lacks(mini: Mini, tmp_path: Path) -> None:
    """P1: an honest new host may have a shorter log; what is missing is fetched first."""
    (tmp_path / f"2026-01-01-0000-{mini.fold.chain.log_id.hex()[:16]}-x.goat").write_bytes(mini.data)
    one = chair(mini, 0, folder=tmp_path)
    one.message(Read(mini.fold.chain.log_id, 20), 0)
    handed = [m for m in one.out if isinstance(m, PastEntry)]
    assert [m.number for m in handed] == list(range(20, 20 + len(handed)))
    assert handed
    one.out.clear()
    one.message(Read(bytes(32), 0), 0)
    assert not one.out


def test_two_heirs_of_one_match_are_shown(mini: Mini, tmp_path: Path) -> None:
    """P1: two successors of one head."""
    (tmp_path / f"2026-01-01-0000-{mini.fold.chain.log_id.hex()[:16]}-x.goat").write_bytes(mini.data)
    other = Mini(33, carried=(score(mini.fold),))
    other.play(lambda fold: fold.match is not None)
    (tmp_path / "2026-01-02-0000-other.goat").write_bytes(other.data)
    assert SavedLogs(tmp_path).heirs(mini.fold.id) == {other.fold.chain.log_id}
    one = chair(mini, 0, folder=tmp_path)
    assert not signs(one, first_entry(mini, (score(mini.fold),)))
    assert what_changed(one) == [Altered.FORKED]


def test_a_match_that_never_began_hands_its_score_on_unchanged(mini: Mini) -> None:
    right = score(mini.fold)
    one = chair(mini)
    assert signs(one, first_entry(mini, (right,), bytes(32)))
    assert signs(one, first_entry(mini, (right,), bytes([1]) * 32))
    with pytest.raises(HostFault):
        signs(one, first_entry(mini, (replace(right, eggs=9),), bytes([2]) * 32))


def test_a_damaged_or_strange_file_is_no_past(mini: Mini, tmp_path: Path) -> None:
    for number, data in enumerate((b"", b"junk" * 100, mini.data[:40], mini.data[: len(mini.data) // 2])):
        (tmp_path / f"2026-01-0{number + 1}-0000-x{number}.goat").write_bytes(data)
    fold = SavedLogs(tmp_path).of_match(mini.fold.id)
    assert fold is not None
    assert 9 < len(fold.chain) < len(mini.fold.chain)
    assert SavedLogs(tmp_path / "nowhere").of_match(mini.fold.id) is None
    assert SavedLogs(None).heirs(mini.fold.id) == frozenset()


# The proof, and two files together


def test_nobody_can_be_blamed_for_a_score_that_was_right(mini: Mini) -> None:
    entries = mini.fold.chain.entries
    right = first_entry(mini, (score(mini.fold),))
    for before in (entries, entries[:-1], entries[:20], entries[:5]):
        with pytest.raises(ProofError):
            read_proof(carry_proof(before, right))
    with pytest.raises(ProofError):
        read_proof(carry_proof(entries, first_entry(mini, ())))


@pytest.mark.long("every byte of many")
def test_a_changed_byte_of_a_false_scores_proof_is_seen(mini: Mini, seed: int) -> None:
    import random

    data = carry_proof(mini.fold.chain.entries, first_entry(mini, (replace(score(mini.fold), defeat=(11, 0)),)))
    assert isinstance(read_proof(data), CarryProof)
    rng = random.Random(seed)
    for _ in range(60):
        at = rng.randrange(20, len(data))
        with pytest.raises(ProofError):
            read_proof(data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :])


def test_verify_says_what_a_second_file_makes_of_the_first(mini: Mini, tmp_path: Path) -> None:
    """P1c, N2: `goat verify OLD NEW` with exit 1, in whatever order they are named."""
    from goat_client.saved.verify import verify

    at = next(n for n in range(len(mini.fold.chain)) if len(_first(mini, n).finished) == 1)
    right, earlier = score(mini.fold), score(_first(mini, at))
    cases = (
        (first_entry(mini, (right,)), 0, "are right"),
        (first_entry(mini, (earlier,)), 1, "leaves out what the same host has signed"),
        (first_entry(mini, (earlier,), key=ELSEWHERE), 1, "finished deals that are left out: 1"),
        (first_entry(mini, (replace(right, defeat=(11, 0)),)), 1, "is not what that match had come to"),
        (first_entry(mini, (replace(right, head=bytes(32)),)), 1, "stands on no entry of that match"),
        (first_entry(mini, (right,), target=99), 1, "12 before, 99 now"),
    )
    for number, (entry, code, words) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        old, new = folder / "z-old.goat", folder / "a-new.goat"
        old.write_bytes(mini.data)
        new.write_bytes(file_bytes([entry]))
        for files in ((old, new), (new, old)):
            report = verify(files)
            assert report.code == code, (words, report.lines)
            text = "\n".join(report.lines)
            assert words in text
            assert text.index("z-old.goat") < text.index("a-new.goat")


def test_an_older_log_is_held_to_the_rules_of_its_own_protocol(mini: Mini) -> None:
    path = Path(__file__).parents[1] / "frozen" / "1" / "excused.goat"
    before = check_file(path.read_bytes()).fold
    assert before.table is not None
    table: Table = replace(before.table, protocol=2, carried=(score(_first_of(before, 80)),))
    shown = succession(before, table)
    assert shown is not None
    assert shown.flaw is None
    assert shown.rest == len(before.chain) - 80


def _first_of(fold: Fold, count: int) -> Fold:
    again = Fold()
    for entry in fold.chain.entries[:count]:
        again.take(entry)
    return again


# The part alone: folds and messages


def folded(*entries: NewEntry) -> Fold:
    fold = Fold()
    for entry in entries:
        fold.take(entry)
    return fold


def test_of_a_match_that_is_not_here_nothing_is_asked_and_the_score_is_unchecked(mini: Mini) -> None:
    part = CarriedScore(Nothing())
    part.next_log(None)
    assert part.begin(folded(first_entry(mini, (score(mini.fold),))), 5.0) == []
    assert part.decide_at == 5.0
    assert part.terms is not None
    assert [change.what for change in part.terms.changes] == [Altered.UNCHECKED]
    part.next_log(None)
    assert part.terms is None


def test_what_is_missing_of_the_match_before_is_fetched_and_then_decided_on(mini: Mini) -> None:
    entries = list(read_file(mini.data))
    here = folded(*entries[:-3])
    part = CarriedScore(Nothing())
    part.next_log(here)
    log_id, count = here.chain.log_id, len(here.chain)
    assert part.begin(folded(first_entry(mini, (score(mini.fold),))), 5.0) == [Read(log_id, count)]
    assert part.decide_at == 5.0 + FETCH_WITHIN
    assert part.read(log_id, count) == []  # the table has no more than is here
    assert part.read(log_id, count + 3) == [Read(log_id, count)]
    for entry in entries[-3:]:
        part.take(PastEntry(log_id, entry.number, entry.record, entry.signature), 6.0)
    assert part.decide_at == 6.0
    assert part.terms is not None
    assert part.terms.checked


def test_what_the_table_lacks_of_a_match_that_was_played_here_is_handed_in(mini: Mini) -> None:
    part = CarriedScore(Nothing())
    part.next_log(mini.fold)
    chain = mini.fold.chain
    sent = part.read(chain.log_id, len(chain) - 2)
    assert [one.number for one in sent if isinstance(one, PastEntry)] == [len(chain) - 2, len(chain) - 1]
    assert part.read(chain.log_id, len(chain)) == []
    assert part.read(bytes(32), 0) == []
