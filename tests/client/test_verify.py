"""`goat verify`: what it says of good, cheated, damaged, forked and carried-on logs, and its exit codes."""

import argparse
import hashlib
import io
import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from goat_client.saved import verify

from goat_net.log.chain import (
    FILE_HEADER,
    entry_bytes,
    file_bytes,
    genesis,
    log_id_of,
    make_record,
    next_head,
    parse_record,
    read_file,
    sign_entry,
)
from goat_net.log.proof import PROOF_HEADER, check_file, find_fork, read_fork, refusal_proof
from goat_net.log.records import (
    HOST,
    Away,
    Carried,
    End,
    Leave,
    Nonce,
    NonceCommit,
    Open,
    PauseClock,
    Refuse,
    YieldPlay,
)
from goat_net.wire.identity import Identity
from goat_net.wire.messages import PROTOCOL, NewEntry
from tests.net.auditor import refused_falsely
from tests.net.cheaters import CHEATS, cheated_log, journal
from tests.net.mini import Mini, playing
from tests.world.world import World

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command on files with these bytes (or on paths); exit code and what it wrote."""

    def go(*parts: bytes | Path, more: tuple[str, ...] = ()) -> tuple[int, str]:
        names = []
        for number, part in enumerate(parts):
            path = part
            if isinstance(part, bytes):
                path = tmp_path / f"{'abcdef'[number]}.goat"
                path.write_bytes(part)
            names.append(str(path))
        parser = argparse.ArgumentParser()
        verify.add_arguments(parser)
        code = verify.run(parser.parse_args([*names, *more]))
        return code, capsys.readouterr().out

    return go


@pytest.fixture(scope="module")
def world() -> World:
    played = World(3)
    played.run(deals=1)
    return played


@pytest.fixture(scope="module")
def log(world: World) -> bytes:
    return journal(world)


def host_key(world: World) -> Identity:
    return world.table.identity


def resigned(world: World, entries: list[NewEntry], raw: bytes) -> NewEntry:
    """The host's own entry for a record, after these entries."""
    checked = check_file(file_bytes(entries))
    fold = checked.fold
    return sign_entry(host_key(world), fold.id, len(entries), fold.chain.head, raw)


def host_record(world: World, entries: list[NewEntry], body: object) -> bytes:
    fold = check_file(file_bytes(entries)).fold
    number = fold.deal.number if fold.deal else 0
    return make_record(
        host_key(world), fold.id, number, HOST, fold.counters[HOST], len(entries), fold.chain.head, body
    )


# Good logs


def test_a_whole_match_is_good_and_every_deal_is_told(run: Run) -> None:
    world = World(7)
    world.run()
    code, text = run(journal(world))
    fold = world.table.fold
    assert fold is not None
    assert fold.match is not None
    assert fold.match.goat is not None
    assert code == 0
    assert text.count("verdicts signed by P0, P1, P2, P3") == len(fold.finished)
    assert text.count("run again from the opened seeds") == len(fold.finished)
    goat = "P0 and P2" if fold.match.goat == 0 else "P1 and P3"
    assert f"the goat{' with eggs' if fold.match.with_eggs else ''}: {goat}" in text
    assert "a goat\n" in text
    for done in fold.finished:
        assert done.outcome.result is not None
        assert f"P0 and P2 {done.outcome.result.points[0]} points in {done.outcome.result.tricks[0]} trick" in text


def test_json_has_an_object_for_each_deal_and_a_summary(run: Run, log: bytes, world: World) -> None:
    code, text = run(log, more=("--json",))
    objects = [json.loads(line) for line in text.splitlines()]
    assert code == 0
    assert [o["kind"] for o in objects][-2:] == ["file", "summary"]
    deal = objects[0]
    fold = world.table.fold
    assert fold is not None
    result = fold.finished[0].outcome.result
    assert result is not None
    assert deal["points"] == list(result.points)
    assert deal["defeat"] == list(result.defeat)
    assert deal["verdicts"] == [0, 1, 2, 3]
    assert deal["checked"]["deck_messages"] == 12
    assert deal["checked"]["in_full"] is True
    assert objects[-1] == {"kind": "summary", "code": 0, "good": True}


def test_missing_last_entries_are_said_and_are_no_cheat(run: Run, log: bytes) -> None:
    entries = list(read_file(log))
    for count in (1, 5, 9, 12, 30, len(entries) - 2):
        code, text = run(file_bytes(entries[:count]))
        assert code == 0
        assert "not closed" in text
        assert "last entries are missing" in text


# Damage


def protocol_byte(log: bytes) -> int:
    """Where the table's record says its protocol: kind 1, protocol, at the beginning of an array of 14."""
    return log.index(bytes([0x9E, 1, PROTOCOL])) + 2


PARTS = 16


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.sample(1, "a check of the whole log for each byte")
def test_every_byte_counts(run: Run, log: bytes, part: int, seed: int) -> None:
    rng = random.Random(seed)
    entries = list(read_file(log))
    short = file_bytes(entries[:14])
    assert run(short)[0] == 0
    version = protocol_byte(short)
    for at in [*range(2000), *range(2000, 3000, 4)][part::PARTS]:
        code, text = run(short[:at] + bytes([short[at] ^ rng.randrange(1, 256)]) + short[at + 1 :])
        if at == version:
            assert code in (1, 2)
            continue
        assert code == (2 if at < len(FILE_HEADER) else 1), (at, text)
        assert at < len(FILE_HEADER) or "entry " in text
    for at in rng.sample(range(3000, len(log)), 300 // PARTS):
        code, text = run(log[:at] + bytes([log[at] ^ rng.randrange(1, 256)]) + log[at + 1 :])
        assert code == 1, (at, text)
        assert "is damaged or was changed" in text


def test_entries_left_out_doubled_or_exchanged_are_damage(run: Run, log: bytes) -> None:
    entries = list(read_file(log))
    for at in (1, 10, 40):
        for changed in (
            entries[:at] + entries[at + 1 :],
            [*entries[:at], entries[at], *entries[at:]],
            [*entries[:at], entries[at + 1], entries[at], *entries[at + 2 :]],
        ):
            code, text = run(file_bytes(changed))
            assert code == 1
            assert "is damaged or was changed" in text


def test_a_torn_last_entry_is_named(run: Run, log: bytes) -> None:
    code, text = run(log[:-1])
    assert code == 1
    assert "torn off in the middle" in text


# What cannot be read


def test_unreadable_files_get_one_sentence_each(run: Run, log: bytes, tmp_path: Path) -> None:
    newer = FILE_HEADER[:-1] + b"\x02" + log[len(FILE_HEADER) :]
    for data, words in (
        (b"", "this file is empty"),
        (FILE_HEADER, "this saved match is empty"),
        (b"# a text\n", "not a saved match of goat"),
        (newer, "file version 2"),
        (FILE_HEADER[:-2], "not a saved match of goat"),
    ):
        code, text = run(data)
        assert code == 2
        assert words in text
        assert len(text.splitlines()) == 2
    code, text = run(tmp_path / "nowhere.goat")
    assert code == 2
    assert "nowhere.goat: it is not there" in text
    code, text = run(tmp_path)
    assert code == 2


def test_a_log_of_another_protocol_is_told_apart(run: Run, log: bytes) -> None:
    at = protocol_byte(log)
    code, text = run(log[:at] + b"\x07" + log[at + 1 :])
    assert code == 2
    assert "played with protocol 7" in text


def test_good_files_beside_unreadable_ones_are_still_checked(run: Run, log: bytes) -> None:
    code, text = run(b"nothing", log)
    assert code == 2
    assert "verdicts signed by P0, P1, P2, P3" in text


# Cheats


@pytest.mark.parametrize("name", CHEATS)
@pytest.mark.sample(3, "every cheat is a deal")
def test_a_log_with_a_cheat_names_seat_deal_entry_and_charge(run: Run, tmp_path: Path, name: str) -> None:
    seat = sorted(CHEATS).index(name) % 4
    data, world = cheated_log(name, seat, people=True)
    fold = world.table.fold
    assert fold is not None
    done = next(d for d in fold.finished if d.outcome.blame is not None)
    blame = done.outcome.blame
    assert blame is not None
    assert blame.fault.name in CHEATS[name][1]
    code, text = run(data)
    assert code == 1
    said = f"seat {seat} (P{seat}) cheated in deal {done.deal.number}: {blame.fault.value}, entry {blame.entry}"
    assert said in text
    team = "P0 and P2" if seat % 2 == 0 else "P1 and P3"
    assert f"void: 6 defeat points for {team} (R23)" in text
    assert done.charged == seat % 2
    assert "the table itself answers" not in text
    assert not any(f"seat {s} (P{s}) cheated" in text for s in range(4) if s != seat)

    out = tmp_path / "proof"
    code, text = run(data, more=("--proof", str(out)))
    assert code == 1
    assert len(out.read_bytes()) <= len(data)
    code, text = run(out)
    assert code == 1
    assert said in text


def test_for_a_bot_of_the_table_nobody_pays(run: Run) -> None:
    """R23: a bot that the table itself runs costs nobody; that it cheated is said all the same."""
    data, world = cheated_log("element twice", 1)
    fold = world.table.fold
    assert fold is not None
    assert fold.match is not None
    assert fold.match.defeat == (0, 0)
    code, text = run(data)
    assert code == 1
    assert "seat 1 (P1) cheated in deal 1: " in text
    assert "    void, nobody is charged\n" in text
    assert "the table itself answers for that bot: nobody pays (R23)" in text
    assert "(R23)" not in text.replace("nobody pays (R23)", "")
    assert "defeat points: P0 and P2 0, P1 and P3 0" in text


def test_a_cheat_in_a_deal_that_counts_double_costs_twelve(run: Run) -> None:
    """R23: 12 defeat points if the deal counts double, so that no cheat is cheaper than losing (R21)."""
    doubled = Carried(bytes(32), bytes(32), (0, 0), 1, 0, 1, doubled=True, deals=1)
    mini = Mini(4, carried=(doubled,))
    mini.play(playing)
    mini.say(1, Open(bytes(32)))
    mini.play(lambda fold: bool(fold.finished))
    code, text = run(mini.data)
    assert code == 1
    assert "void: 12 defeat points for P1 and P3 (R23)" in text


def test_the_proof_leaves_out_what_came_later(run: Run, tmp_path: Path) -> None:
    data, world = cheated_log("element twice", 2)
    world.run(deals=2)
    data = journal(world)
    run(data, more=("--proof", str(tmp_path / "p")))
    assert len((tmp_path / "p").read_bytes()) < len(data)


def test_the_team_of_the_bots_operator_pays(run: Run) -> None:
    """R23: seat 1 is a bot that seat 0's machine runs."""
    mini = Mini(4, bots=(1,))
    mini.play(playing)
    mini.say(1, Open(bytes(32)))
    code, text = run(mini.data)
    assert code == 1
    assert "deal 1: " in text
    assert "over, but not all seeds are opened" in text
    assert "seat 1: P1, key " in text
    assert "a bot (hard) run by P0" in text
    assert "seat 1 (P1) cheated in deal 1: opened its seed before the end of the deal" in text
    assert "the bot was run by a player of P0 and P2, who answer for it (R23)" in text


def test_a_foreign_head_is_a_fork_if_the_host_signed_it(run: Run) -> None:
    """A seat that the host has shown another log names a head of that log; both logs together name the host."""
    mini = Mini(8)
    mini.play(playing)
    entries = list(read_file(mini.data))
    other = sign_entry(
        mini.table, mini.fold.id, len(entries), mini.fold.chain.head, mini.made(HOST, End(2))
    )
    shown = file_bytes([*entries, other])
    head = check_file(shown).fold.chain.head
    mini.catch_up(2)
    mini.host(Away(min(mini.fold.waits_for()), 60))
    fold = mini.fold
    assert fold.deal is not None
    mini.submit(
        make_record(
            mini.seats[2], fold.id, fold.deal.number, 2, fold.counters[2], len(entries) + 1, head, PauseClock(True)
        )
    )
    code, text = run(mini.data)
    assert code == 1
    assert "seat 2 (P2) cheated in deal 1: named a head of the log that the host never signed for it" in text
    assert "a fork, and the host's cheat, if the host has signed that head" in text
    code, text = run(mini.data, shown)
    assert code == 1
    assert "a fork. The host cheated" in text


# The host


def test_what_the_host_signs_and_cannot_stand_is_his_cheat(run: Run, log: bytes, world: World, tmp_path: Path) -> None:
    entries = list(read_file(log))
    fold = check_file(file_bytes(entries[:20])).fold
    assert fold.deal is not None
    key = world.seated[0].identity
    out_of_turn = make_record(
        key, fold.id, fold.deal.number, 0, fold.counters[0], len(entries[:20]), fold.chain.head, YieldPlay()
    )
    forged = make_record(
        host_key(world), fold.id, fold.deal.number, 0, fold.counters[0], 20, fold.chain.head, YieldPlay()
    )
    twice = entries[19].record
    false_refusal = host_record(world, entries[:20], Refuse(0, 77, bytes(32), 1))
    for raw, words in (
        (out_of_turn, "cannot stand here"),
        (forged, "the signature of seat 0 is not good"),
        (twice, "cannot stand here"),
        (false_refusal, "cannot stand here"),
        (b"\xc0", "not a record"),
    ):
        bad = file_bytes([*entries[:20], resigned(world, entries[:20], raw)])
        code, text = run(bad)
        assert code == 1
        assert "the host cheated: it signed what cannot stand as entry 20" in text
        assert words in text
        out = tmp_path / "proof"
        out.unlink(missing_ok=True)
        run(bad, more=("--proof", str(out)))
        code, text = run(out)
        assert code == 1
        assert "the host cheated" in text


def forked(world: World, log: bytes, at: int) -> tuple[bytes, bytes]:
    entries = list(read_file(log))[:at]
    other = resigned(world, entries, host_record(world, entries, End(2)))
    return file_bytes(list(read_file(log))[: at + 3]), file_bytes([*entries, other])


@pytest.mark.parametrize("at", [3, 30])
def test_a_fork_between_two_copies_is_printed_and_proven_alone(
    run: Run, log: bytes, world: World, tmp_path: Path, at: int
) -> None:
    one, other = forked(world, log, at)
    assert run(one)[0] == run(other)[0] == 0
    out = tmp_path / "fork"
    code, text = run(one, other, more=("--proof", str(out)))
    assert code == 1
    key = host_key(world).public.hex()
    assert f"the host's key signed two different entries number {at}" in text
    assert key in text
    code, text = run(out)
    assert code == 1
    assert f"the host's key signed two different entries number {at}" in text
    assert "End of the host" in text
    assert out.read_bytes().startswith(PROOF_HEADER)
    assert len(out.read_bytes()) < 8000


def test_a_made_up_or_damaged_proof_proves_nothing(run: Run, log: bytes, world: World, seed: int) -> None:
    one, other = map(check_file, forked(world, log, 30))
    fork = find_fork(one, other)
    assert fork is not None
    data = fork.to_bytes()
    read_fork(data)
    rng = random.Random(seed)
    for at in range(len(PROOF_HEADER), len(data)):
        code, text = run(data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :])
        assert code == 1, at
        assert "proves nothing" in text
    for wrong in (data[:-1], data + b"\0", data + data[len(PROOF_HEADER) :]):
        assert "proves nothing" in run(wrong)[1]


def test_copies_that_agree_are_no_fork(run: Run, log: bytes) -> None:
    short = file_bytes(list(read_file(log))[:20])
    code, text = run(log, short)
    assert code == 0
    assert "agree in their first 20 entries" in text


def test_a_damaged_copy_is_damage_and_no_fork(run: Run, log: bytes) -> None:
    entries = list(read_file(log))
    raw = entries[20].record
    entries[20] = NewEntry(20, raw[:-1] + bytes([raw[-1] ^ 1]), entries[20].signature)
    code, text = run(log, file_bytes(entries))
    assert code == 1
    assert "fork" not in text
    assert "entry 20 is damaged or was changed" in text


# False refusals


def refused(seed: int, seat: int, body: object, reason: int, *, of: int | None = None) -> tuple[Mini, bytes, bytes]:
    """A match in which the host refuses a seat's record in the middle of a deal, rightly or not (``of``: as one of
    another seat); the proof, and the record's bytes."""
    mini = Mini(seed)
    mini.play(playing)
    raw = mini.made(seat, body)
    digest = parse_record(raw).digest
    as_of = seat if of is None else of
    mini.host(Refuse(as_of, mini.fold.counters[as_of], digest, reason))
    *before, refusal = mini.fold.chain.entries
    return mini, refusal_proof(before, refusal, raw), raw


NOT_YOUR_TURN, NOT_NOW = 1, 2  # numbers of form errors
FALSE = {
    "good": (PauseClock(True), NOT_YOUR_TURN, None, "though it was valid"),
    "a goodbye": (Leave(), NOT_NOW, None, "though it was valid"),
    "an offence": (Open(bytes(32)), NOT_NOW, None, "though it was to be entered, as the proof that the seat opened"),
    "another reason": (PauseClock(False), 6, None, "for a reason that is not so: a claim of a hand"),
    "as another's": (PauseClock(False), NOT_NOW, 1, "as one of seat 1 (P1)"),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_false_refusal_is_proven_by_its_file_alone(run: Run, seed: int, name: str) -> None:
    body, reason, of, words = FALSE[name]
    mini, proof, _ = refused(seed % 1000, 2, body, reason, of=of)
    number = len(mini.fold.chain) - 1
    code, text = run(proof)
    assert code == 1
    assert f"The host cheated: the host refused seat 2's record {words}" in text
    assert f"(entry {number})" in text
    assert mini.table.public.hex() in text
    assert f"{type(body).__name__} of seat 2 (P2) in deal 1" in text
    assert proof.startswith(PROOF_HEADER)
    assert len(proof) < len(mini.data) + 400
    told = refused_falsely(proof)
    assert told is not None
    assert told[:2] == (number, 2)
    code, text = run(mini.data)
    assert code == 0, "the log alone does not show it"
    code, text = run(proof, more=("--json",))
    objects = [json.loads(line) for line in text.splitlines()]
    assert objects[0]["kind"] == "refusal"
    assert (objects[0]["seat"], objects[0]["number"]) == (2, number)
    assert objects[-1] == {"kind": "summary", "code": 1, "good": False}


def test_a_false_refusal_before_there_is_a_match_id(run: Run, seed: int) -> None:
    mini = Mini(seed % 1000)
    raw = mini.made(3, NonceCommit(bytes(32)))
    mini.host(Refuse(3, 0, parse_record(raw).digest, NOT_NOW))
    *before, refusal = mini.fold.chain.entries
    proof = refusal_proof(before, refusal, raw)
    code, text = run(proof)
    assert code == 1
    assert "the host refused seat 3's record though it was valid (entry 1)" in text
    assert refused_falsely(proof) == (1, 3, ("good", ""))


def no_proof(run: Run, proof: bytes, words: str) -> None:
    code, text = run(proof)
    assert code == 1
    assert "this proof proves nothing" in text
    assert words in text, text
    assert "The host cheated" not in text
    assert refused_falsely(proof) is None


def test_a_refusal_that_was_right_charges_nobody(run: Run, seed: int) -> None:
    for body, reason, why in (
        (PauseClock(False), NOT_NOW, "this kind has no place at this stage"),
        (NonceCommit(bytes(32)), NOT_NOW, "this kind has no place at this stage"),
        (Nonce(bytes(32)), NOT_NOW, "this kind has no place at this stage"),
    ):
        mini, proof, _ = refused(seed % 1000, 1, body, reason)
        no_proof(run, proof, f"entry {len(mini.fold.chain) - 1} refuses that record rightly: {why}")


def test_other_bytes_another_match_or_another_entry_charge_nobody(run: Run, seed: int) -> None:
    mini, proof, raw = refused(seed % 1000, 2, PauseClock(True), NOT_YOUR_TURN)
    other, _, foreign = refused(seed % 1000 + 1, 2, PauseClock(True), NOT_YOUR_TURN)
    *before, refusal = mini.fold.chain.entries
    last = len(before)
    no_proof(run, refusal_proof(before, refusal, foreign), "its hash is another")
    no_proof(run, refusal_proof(before, refusal, mini.made(2, PauseClock(True))), "its hash is another")
    no_proof(run, refusal_proof(before, refusal, b"\x90"), "its hash is another")
    no_proof(run, refusal_proof(other.fold.chain.entries[:last], refusal, raw), "the log in it is not good")
    no_proof(run, refusal_proof(before[:-1], before[-1], raw), f"entry {last - 1} refuses nothing")
    no_proof(run, refusal_proof(before[:-1], refusal, raw), "the log in it is not good")
    no_proof(run, refusal_proof([*before, refusal], refusal, raw), "the log in it is not good")
    unsigned = replace(refusal, signature=bytes(64))
    no_proof(run, refusal_proof(before, unsigned, raw), "the host's signature is not good")
    mini.host(Away(min(mini.fold.waits_for() - mini.fold.away.keys()), 60))
    no_proof(run, proof + entry_bytes(mini.fold.chain.entries[-1]), "refuses nothing")


def test_what_no_seat_has_signed_is_no_record_that_was_refused(run: Run, seed: int) -> None:
    for raw, words in ((b"rubbish", "is no record"), (None, "not signed by its seat")):
        mini = Mini(seed % 1000)
        mini.play(playing)
        made = bytearray(mini.made(2, PauseClock(True)))
        made[-1] ^= 1
        rubbish = raw or bytes(made)
        mini.host(Refuse(2, mini.fold.counters[2], hashlib.sha256(rubbish).digest(), NOT_NOW))
        *before, refusal = mini.fold.chain.entries
        no_proof(run, refusal_proof(before, refusal, rubbish), words)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.sample(1, "a check of the whole proof for each byte")
def test_every_byte_of_a_refusals_proof_counts(run: Run, part: int, seed: int) -> None:
    _, proof, raw = refused(seed % 1000, 2, PauseClock(True), NOT_YOUR_TURN)
    rng = random.Random(seed)
    first = len(PROOF_HEADER) + len(raw) + 10
    places = [*range(len(PROOF_HEADER), first), *rng.sample(range(first, len(proof)), 80), len(proof) - 1]
    for at in places[part::PARTS]:
        changed = proof[:at] + bytes([proof[at] ^ rng.randrange(1, 256)]) + proof[at + 1 :]
        no_proof(run, changed, "")
    for wrong in (proof[:-1], proof + b"\0", proof[:first], proof[: len(PROOF_HEADER)], proof + proof):
        no_proof(run, wrong, "")


def test_a_proof_is_saved_again_when_it_is_good(run: Run, seed: int, tmp_path: Path) -> None:
    _, proof, _ = refused(seed % 1000, 2, PauseClock(True), NOT_YOUR_TURN)
    run(proof, more=("--proof", str(tmp_path / "again")))
    assert (tmp_path / "again").read_bytes() == proof
    assert run(proof[:-1], more=("--proof", str(tmp_path / "bad")))[0] == 1
    assert not (tmp_path / "bad").exists()


# An evening


def carried_on(world: World, log: bytes, change: Callable[[Carried], Carried] = lambda c: c) -> tuple[bytes, bytes]:
    """The log closed by the host, and the first entry of a log that carries its score on."""
    entries = list(read_file(log))
    entries.append(resigned(world, entries, host_record(world, entries, End(1))))
    fold = check_file(file_bytes(entries)).fold
    match, deal, table = fold.match, fold.deal, fold.table
    assert match is not None
    assert deal is not None
    assert table is not None
    score = match.defeat, match.eggs, match.dealer, match.leader, match.doubled, deal.number - 1
    carried = change(Carried(fold.id, fold.chain.head, *score))
    salt = bytes(32)
    log_id = log_id_of(table.table_key, salt, table.fresh)
    body = replace(table, salt=salt, carried=(carried,))
    raw = make_record(host_key(world), log_id, 0, HOST, 0, 0, genesis(log_id), body)
    first = sign_entry(host_key(world), log_id, 0, genesis(log_id), raw)
    assert next_head(genesis(log_id), raw)
    return file_bytes(entries), file_bytes([first])


def test_a_match_carried_on_is_linked(run: Run, log: bytes, world: World) -> None:
    one, other = carried_on(world, log)
    code, text = run(one, other)
    assert code == 0
    assert "its last head and score are right" in text
    code, text = run(other)
    assert code == 0
    assert "not among these files" in text


def test_a_false_score_carried_on_is_the_hosts(run: Run, log: bytes, world: World) -> None:
    one, other = carried_on(world, log, lambda c: replace(c, defeat=(c.defeat[0] + 2, c.defeat[1])))
    code, text = run(one, other)
    assert code == 1
    assert "the host cheated, it carries on a score that is not what that match had come to there" in text
    one, other = carried_on(world, log, lambda c: replace(c, head=bytes(32)))
    code, text = run(one, other)
    assert code == 1
    made_up = "it carries on a score that stands on no entry of that match, which the same host has ended elsewhere"
    assert f"the host cheated, {made_up}" in text
    short = file_bytes(list(read_file(one))[:-1])
    code, text = run(short, other)
    assert code == 1
    assert "but from a head that is not in that log: one of them is not what it says" in text
    assert "the host cheated" not in text, "a copy that lacks its end may lack that head too"


# Saving


def test_nothing_to_prove_writes_nothing(run: Run, log: bytes, tmp_path: Path) -> None:
    out = tmp_path / "proof"
    code, text = run(log, more=("--proof", str(out)))
    assert code == 0
    assert "no cheat and no fork to prove" in text
    assert not out.exists()


def test_a_proof_never_replaces_a_file(run: Run, tmp_path: Path) -> None:
    data, _ = cheated_log("element twice", 1)
    out = tmp_path / "mine"
    out.write_bytes(b"keep me")
    code, text = run(data, more=("--proof", str(out)))
    assert code == 2
    assert "cannot be saved" in text
    assert out.read_bytes() == b"keep me"


def test_names_of_files_are_shown_without_what_could_move_the_cursor(run: Run, log: bytes, tmp_path: Path) -> None:
    path = tmp_path / "odd\x1b[2Jname\u202e.goat"
    path.write_bytes(log)
    code, text = run(path)
    assert code == 0
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "koi8-r", "utf-8"])
def test_any_output_can_take_it(log: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    path = tmp_path / "Козёл.goat"
    path.write_bytes(log)
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding=encoding, write_through=True))
    parser = argparse.ArgumentParser()
    verify.add_arguments(parser)
    assert verify.run(parser.parse_args([str(path)])) == 0
    text = raw.getvalue().decode(encoding)
    assert ("Козёл" in text) is (encoding in ("utf-8", "koi8-r"))
    assert (re.search("trump [SCDH] ", text) is None) is (encoding == "utf-8")


def test_an_away_seat_and_its_vote_are_told(run: Run, log: bytes, world: World) -> None:
    """R24: among bots nobody is left to vote, so the deal is excused; the seat's own debt to open is waived."""
    entries = list(read_file(log))
    fold = check_file(file_bytes(entries[:14])).fold
    seat = min(fold.waits_for())
    away = [*entries[:14], resigned(world, entries[:14], host_record(world, entries[:14], Away(seat, 180)))]
    code, text = run(file_bytes(away))
    assert code == 0
    assert f"seat {seat} (P{seat}) was gone; nobody was charged (R24)" in text
