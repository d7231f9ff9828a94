"""A client whose record is refused falsely, or who has another's that is, keeps the proof and says where."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from goat_client.saved import verify
from goat_client.saved.verify_log import CHEAT

from goat_net.log.chain import parse_record, sign_entry
from goat_net.log.faults import UNANSWERED
from goat_net.log.proof import ProofError, RefusalProof, read_proof, refusal_proof
from goat_net.log.records import HOST, End, PauseClock, Refuse
from goat_net.seat.chair import Chair
from goat_net.seat.endings import HostFault
from goat_net.seat.player import memory_masters
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.store import LogStore
from goat_net.seat.tableview import Stage
from goat_net.wire.link import Opened, Received
from goat_net.wire.messages import Joined, NewEntry, Submit
from tests.net.auditor import refused_falsely
from tests.net.mini import Mini, odd_body, playing

NOT_YOUR_TURN = 1


def match(seed: int, seat: int) -> tuple[Mini, bytes, NewEntry]:
    """A match in the middle of a deal, a good record of a seat, and the host's refusal of it, which nobody has yet."""
    mini = Mini(seed % 1000)
    mini.play(playing)
    raw = mini.made(seat, PauseClock(True))
    record = parse_record(raw)
    return mini, raw, refusal_of(mini, Refuse(seat, record.counter, record.digest, NOT_YOUR_TURN))


def refusal_of(mini: Mini, body: object) -> NewEntry:
    fold = mini.fold
    return sign_entry(mini.table, fold.id, len(fold.chain), fold.chain.head, mini.made(HOST, body))


def chair_of(mini: Mini, seat: int, folder: Path | None) -> Chair:
    """A seat's client that has read all there is, with the secrets that the match was played with."""
    secrets = secrets_of(mini, seat)
    one = mini.seats[seat]
    chair = Chair(one, lambda log_id: LogStore(folder, log_id, one.public, secrets), table_key=mini.table.public)
    for entry in mini.fold.chain.entries:
        chair.message(entry, 0.0)
    return chair


def secrets_of(mini: Mini, seat: int) -> Callable[[int], bytes]:
    master = memory_masters(mini.seats[seat].public)(mini.fold.chain.log_id)
    return lambda size: master


def test_its_author_has_the_proof(seed: int, tmp_path: Path) -> None:
    mini, raw, refusal = match(seed, 2)
    chair = chair_of(mini, 2, tmp_path)
    assert chair.player is not None
    chair.player.unconfirmed = raw
    with pytest.raises(HostFault, match="refused a record of yours falsely") as caught:
        chair.message(refusal, 0.0)
    assert refused_falsely(caught.value.proof) == (refusal.number, 2, ("good", ""))
    assert len(chair.player.fold.chain) == refusal.number, "nothing has changed"


def test_its_author_has_the_proof_after_a_restart(seed: int, tmp_path: Path) -> None:
    """The record was written down before it was sent: a client that was killed in between knows it still."""
    mini, raw, refusal = match(seed, 2)
    chair = chair_of(mini, 2, tmp_path)
    assert chair.player is not None
    chair.player.restore(raw)
    with pytest.raises(HostFault) as caught:
        chair.message(refusal, 0.0)
    assert refused_falsely(caught.value.proof) == (refusal.number, 2, ("good", ""))


def test_whoever_it_was_passed_on_to_has_the_proof(seed: int, tmp_path: Path) -> None:
    mini, raw, refusal = match(seed, 2)
    chair = chair_of(mini, 1, tmp_path)
    assert chair.direct.line_message(Submit(raw), 0.0) == []
    assert chair.out[-1] == Submit(raw)
    with pytest.raises(HostFault, match="refused a record of P2 falsely") as caught:
        chair.message(refusal, 0.0)
    assert refused_falsely(caught.value.proof) == (refusal.number, 2, ("good", ""))


def test_a_refusal_that_became_right_meanwhile_is_no_fault(seed: int, tmp_path: Path) -> None:
    """Passed on while it was good; then another was quicker, and the host is right to refuse it."""
    mini, raw, _ = match(seed, 2)
    chair = chair_of(mini, 1, tmp_path)
    chair.direct.line_message(Submit(raw), 0.0)
    mini.enter(mini.made(3, PauseClock(True)))
    chair.message(mini.fold.chain.entries[-1], 0.0)
    assert mini.submit(raw) == "NOT_NOW"
    chair.message(mini.fold.chain.entries[-1], 0.0)
    assert chair.player is not None
    assert len(chair.player.fold.chain) == len(mini.fold.chain)


def test_a_refusal_that_the_host_has_not_signed_proves_nothing(seed: int, tmp_path: Path) -> None:
    mini, raw, refusal = match(seed, 2)
    for seat in (1, 2):
        chair = chair_of(mini, seat, tmp_path / str(seat))
        chair.direct.line_message(Submit(raw), 0.0)
        assert chair.player is not None
        chair.player.unconfirmed = raw if seat == 2 else None
        with pytest.raises(HostFault, match="signature is not good") as caught:
            chair.message(NewEntry(refusal.number, refusal.record, bytes(64)), 0.0)
        assert caught.value.proof == b""


def test_what_was_never_signed_is_seen_though_nothing_is_on_its_way(seed: int, tmp_path: Path) -> None:
    """N4: nobody else can see it, so the client goes on, blames the host in words, and signs under the next counter."""
    mini, _, _ = match(seed, 2)
    chair = chair_of(mini, 2, tmp_path)
    player = chair.player
    assert player is not None
    counter = mini.fold.counters[2]
    player._signed = counter - 1
    assert chair.direct.host_blame(0.0) == ""
    mini.enter(mini.made(HOST, Refuse(2, counter, bytes(32), NOT_YOUR_TURN)))
    refusal = mini.fold.chain.entries[-1]
    assert chair.message(refusal, 0.0)
    assert player.foreign_refusals == 1
    assert len(player.fold.chain) == refusal.number + 1, "it is in the log, and the match goes on"
    chair.link = True
    assert "never signed" in chair.direct.host_blame(0.0)
    player.barred = ""  # the log was begun before this chair gave its fresh bytes; here that is no matter
    player.pause(True)
    (raw,) = player.due(0.0)
    assert parse_record(raw).counter == counter + 1
    assert mini.submit(raw) == "good"
    chair.message(mini.fold.chain.entries[-1], 0.0)
    assert player.unconfirmed is None
    assert player.foreign_refusals == 1


@pytest.mark.parametrize("part", range(4))
def test_both_auditors_say_the_same_of_any_refusal(part: int, seed: int) -> None:
    """Odd records at an odd place, refused for the right reason, a wrong one, or as another seat's."""
    rng, mini = random.Random(seed), Mini(seed % 1000)
    upto = rng.randint(0, 60)
    mini.play(lambda fold: len(fold.chain) > upto or len(fold.finished) > 0)
    before, fold, said = list(mini.fold.chain.entries), mini.fold, set()
    for _ in range(30):
        author = rng.randrange(4)
        raw = mini.made(author, odd_body(rng, mini), counter=rng.choice((0, 0, 0, -1, 1)), back=rng.choice((0, 0, 3)))
        record = parse_record(raw)
        judged = fold.judge(record)
        right = int(judged.form) if judged.form is not None and judged.form not in UNANSWERED else 1
        reason = rng.choice((right, right, rng.choice((1, 2, 9, 12, 13))))
        seat = rng.choice((author, author, author, (author + 1) % 4))
        refusal = refusal_of(mini, Refuse(seat, fold.counters[seat], record.digest, reason))
        proof = refusal_proof(before, refusal, raw)
        told = refused_falsely(proof)
        fair = seat == author and judged.form is not None and int(judged.form) == reason
        assert (told is None) == fair
        if told is None:
            with pytest.raises(ProofError, match="rightly"):
                read_proof(proof)
            said.add("right")
            continue
        shown = read_proof(proof)
        assert isinstance(shown, RefusalProof)
        one = shown.shown.judged
        name = one.form.name if one.form else one.fault.name if one.fault else ""
        assert told[:2] == (len(before), author)
        assert told[2][1] == name
        said.add(told[2][0])
    assert {"right", "form"} <= said


async def told_by_a_session(mini: Mini, seat: int, folder: Path, raw: bytes, *entries: NewEntry) -> TableSession:
    """A client's session that has read all there is and then gets these entries."""
    session = TableSession(
        mini.seats[seat], SeatSetup("P", "test", folder=folder), (), entropy=secrets_of(mini, seat)
    )
    log_id = mini.fold.chain.log_id
    session._on_event(Opened(mini.table.public, Joined(b"", log_id, len(mini.fold.chain))))
    for entry in mini.fold.chain.entries:
        session._on_event(Received(entry))
    assert session.player is not None
    assert len(session.player.fold.chain) == len(mini.fold.chain), session.view.trouble
    session.player.unconfirmed = raw
    for entry in entries:
        session._on_event(Received(entry))
    if session._timer is not None:
        session._timer.cancel()
    await asyncio.sleep(0)
    return session


def only_proof(folder: Path) -> Path:
    (found,) = folder.glob("*.proof")
    assert found.stat().st_mode & 0o077 == 0
    return found


async def test_the_client_saves_it_beside_the_match_and_says_where(seed: int, tmp_path: Path) -> None:
    mini, raw, refusal = match(seed, 2)
    session = await told_by_a_session(mini, 2, tmp_path, raw, refusal)
    path = only_proof(tmp_path)
    assert path.name.endswith(f"-entry-{refusal.number}.proof")
    assert path.with_name(path.name.replace(f"-entry-{refusal.number}.proof", ".goat")).exists()
    assert f"The proof is saved: goat verify {path}" in session.view.trouble
    assert "refused a record of yours falsely" in session.view.trouble
    report = verify.verify([path])
    assert report.code == CHEAT
    said = f"the host refused seat 2's record though it was valid (entry {refusal.number})"
    assert any(said in line for line in report.lines)
    assert session._stopping


async def test_a_fork_and_an_entry_that_cannot_stand_are_saved_too(seed: int, tmp_path: Path) -> None:
    mini, _, refusal = match(seed, 2)
    other = refusal_of(mini, End(2))
    fold = mini.fold
    wrong = sign_entry(mini.table, fold.id, len(fold.chain), fold.chain.head, fold.chain.entries[-1].record)
    for name, entries, words in (
        ("fork", (other, refusal), "signed two different entries number"),
        ("wrong", (wrong,), "it signed what cannot stand as entry"),
    ):
        session = await told_by_a_session(mini, 2, tmp_path / name, b"", *entries)
        path = only_proof(tmp_path / name)
        assert str(path) in session.view.trouble
        report = verify.verify([path])
        assert report.code == CHEAT
        assert any(words in line for line in report.lines), report.lines


async def test_without_room_the_match_says_that_no_proof_could_be_saved(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini, raw, refusal = match(seed, 2)

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("goat_net.seat.store.replace_file", full)
    session = await told_by_a_session(mini, 2, tmp_path, raw, refusal)
    assert "The proof cannot be saved as" in session.view.trouble
    assert "No space left on device" in session.view.trouble
    assert session.view.stage is not Stage.JOINING


async def test_where_nothing_is_saved_there_is_no_proof_and_no_word_of_one(seed: int) -> None:
    mini, raw, refusal = match(seed, 2)
    session = TableSession(mini.seats[2], SeatSetup("P", "test"), ())
    session.chair = chair_of(mini, 2, None)
    assert session.player is not None
    session.player.unconfirmed = raw
    session._on_event(Received(refusal))
    assert "falsely" in session.view.trouble
    assert "proof" not in session.view.trouble
