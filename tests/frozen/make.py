"""Plays the matches that stand here for ever: ``python -m tests.frozen.make`` writes tests/frozen/N for the protocol N
that is spoken now, once. A folder that is there is never written again: what it holds was played by programs of then.
(How those of protocol 1 were played is in the history of this file.) While a protocol is not shipped, a change of its
rules may make its folder anew: it is removed, and written by this command.
"""

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from goat_client.saved.verify import verify

from goat_engine.rules import SEATS, Rules
from goat_net.log.absence_table import CHARGE, LET_GO, NO_ANSWER, WAIT
from goat_net.log.chain import genesis, log_id_of, make_record, parse_record, sign_entry
from goat_net.log.deal import DealStage
from goat_net.log.proof import carry_proof, fork_proof, refusal_proof
from goat_net.log.records import (
    HOST,
    Away,
    CloseVote,
    End,
    EndPause,
    Leave,
    Open,
    PauseClock,
    Refuse,
    Unheard,
    Vote,
    YieldPlay,
)
from goat_net.log.succession import score_of
from goat_net.wire.messages import PROTOCOL
from tests.net.absences import GRACE, at_the_end, losing, opponents, owing
from tests.net.cheaters import cheated_log, journal
from tests.net.mini import Mini, finished, playing
from tests.world.world import World

HERE: Final = Path(__file__).parent
EXPECTED: Final = "expected.json"
CASES: Final = (
    ("clean.goat",),
    ("excused.goat",),
    ("carried.goat",),
    ("excused.goat", "carried.goat"),
    ("charged.goat",),
    ("unopened.goat",),
    ("unanswered.goat",),
    ("score.proof",),
    ("offence.goat",),
    ("verdict.goat",),
    ("refusal.proof",),
    ("fork.proof",),
)
# What is held of each object that `goat verify --json` gives. Words may change, these may not.
HELD: Final = frozenset({
    "kind", "file", "readable", "entries", "deal", "dealer", "leader", "trump", "indicator", "checked", "verdicts",
    "points", "tricks", "defeat", "eggs", "blame", "charged", "finished", "match", "words", "fair", "goat", "closed",
    "damaged", "host_cheated", "offences", "before", "good", "code", "number", "seat", "reason", "table_key", "heads",
    "record",
})  # fmt: skip
_OFFENCE: Final = ("deal", "seat", "entry", "fault", "charged")


def told(folder: Path, names: tuple[str, ...]) -> dict[str, Any]:
    """What `goat verify` says of some files in a folder: its exit code, and of each object what is held for ever."""
    with contextlib.chdir(folder):
        report = verify([Path(name) for name in names])
    return {"code": report.code, "objects": [_held(one) for one in report.objects]}


def _held(one: dict[str, Any]) -> dict[str, Any]:
    out = {key: value for key, value in one.items() if key in HELD}
    if out.get("blame"):
        out["blame"] = {key: out["blame"][key] for key in _OFFENCE}
    if "offences" in out:
        out["offences"] = [{key: offence[key] for key in _OFFENCE} for offence in out["offences"]]
    return out


def clean() -> bytes:
    """A whole short match of four bots."""
    world = World(11, rules=Rules(target=4, yield_time=0))
    world.run()
    return journal(world)


def excused() -> Mini:
    """A deal with a cheat, a second one with a pause that the host ends and a seat that leaves and is let go by one of
    the other team; and the end of that log."""
    mini = Mini(21, target=24)
    mini.play(playing)
    mini.say(0, Open(bytes(32)))
    mini.play(finished(1))
    mini.play(lambda fold: len(fold.finished) == 1 and playing(fold))
    mini.say(1, PauseClock(True))
    mini.host(EndPause())
    mini.say(3, Leave())
    mini.say(0, Vote(3, CHARGE))
    mini.say(2, Vote(3, LET_GO))
    mini.play(lambda fold: fold.deal is not None and fold.deal.number == 3 and not any(map(fold.owes_verdict, SEATS)))
    mini.host(End(1))
    return mini


def charged() -> bytes:
    """A pause that both teams end, a seat that is away and comes back, is waited for, and stays away
    and is charged, with evidence."""
    mini = owing(1, seed=25)
    mini.say(2, PauseClock(True))
    mini.say(0, PauseClock(False))
    mini.say(3, PauseClock(False))
    mini.host(Away(1, GRACE))
    mini.silent = set()
    mini.play(lambda fold: not fold.away)
    mini.play(lambda fold: fold.waits_for() == {1} and fold.deal is not None and fold.deal.stage is DealStage.PLAY)
    mini.silent = {1}
    mini.host(Away(1, GRACE))
    for voter in (0, 2):
        mini.say(voter, Vote(1, WAIT))
    mini.host(Away(1, GRACE))
    mini.say(2, Unheard(1, GRACE))
    for voter in (0, 2):
        mini.say(voter, Vote(1, CHARGE))
    mini.play(lambda fold: len(fold.finished) == 1 and len(fold.finished[0].verdicts) == 3)
    mini.host(End(1))
    return mini.data


def unopened() -> bytes:
    """A seat of the team that is behind does not open, and nobody answers in time: the deal counts without it."""
    mini = at_the_end(27, losing)
    (seat,) = mini.silent
    mini.host(Away(seat, GRACE))
    witness = next(s for s in SEATS if s not in (seat, 0))
    mini.say(witness, Unheard(seat, GRACE))
    one, _ = opponents(seat)
    mini.say(one, Vote(seat, NO_ANSWER))
    mini.play(lambda fold: bool(fold.finished) and len(fold.finished[0].verdicts) == 3)
    mini.host(End(1))
    return mini.data


def unanswered() -> bytes:
    """A seat is away, nobody votes, and the host closes the vote."""
    mini = owing(seed=28)
    (seat,) = mini.silent
    mini.host(Away(seat, GRACE))
    mini.host(CloseVote(seat))
    mini.play(lambda fold: bool(fold.finished) and len(fold.finished[0].verdicts) == 3)
    mini.host(End(2))
    return mini.data


def carried(before: Mini) -> bytes:
    """The match after it, by its score: somebody else on a seat, and who was caught before is caught again and out."""
    score = score_of(before.fold)
    assert score is not None
    same = {seat: before.seats[seat] for seat in (0, 1, 2)}
    mini = Mini(22, carried=(score,), seats=same, table=before.table, target=24)
    mini.play(playing)
    mini.say(0, Open(bytes(32)))
    mini.play(lambda fold: bool(fold.finished) and len(fold.finished[0].verdicts) == 4)
    assert mini.fold.lost == {0: LET_GO}
    mini.host(End(1))
    return mini.data


def false_score(before: Mini) -> bytes:
    """The host of that match goes on with it as if nobody had been caught."""
    score = score_of(before.fold)
    assert score is not None
    fresh = tuple(bytes([7, seat]) * 16 for seat in SEATS)
    table = before.fold.table
    assert table is not None
    body = replace(table, salt=bytes(32), carried=(replace(score, caught=()),), fresh=fresh)
    log_id = log_id_of(before.table.public, body.salt, fresh)
    raw = make_record(before.table, log_id, 0, HOST, 0, 0, genesis(log_id), body)
    return carry_proof(before.fold.chain.entries, sign_entry(before.table, log_id, 0, genesis(log_id), raw))


def refusal() -> bytes:
    """A good yield that the host refuses as untimely is none; a refusal for a wrong reason is the host's fault."""
    mini = Mini(23)
    mini.play(playing)
    raw = mini.made(1, YieldPlay())
    record = parse_record(raw)
    told = mini.fold.judge(record).form
    assert told is not None
    body = Refuse(1, record.counter, record.digest, 3 if int(told) != 3 else 4)
    fold = mini.fold
    made = sign_entry(mini.table, fold.id, len(fold.chain), fold.chain.head, mini.made(HOST, body))
    return refusal_proof(fold.chain.entries, made, raw)


def fork() -> bytes:
    """Two entries under one number, after the match had begun."""
    mini = Mini(24)
    mini.play(playing)
    fold = mini.fold
    number = len(fold.chain) - 1
    head = fold.chain.heads[number]
    other = make_record(mini.table, fold.id, 1, HOST, fold.counters[HOST], number, head, End(2))
    return fork_proof(fold, sign_entry(mini.table, fold.id, number, head, other))


def main() -> None:
    """See the module."""
    folder = HERE / str(PROTOCOL)
    folder.mkdir()
    pair = excused()
    files = {
        "clean.goat": clean(),
        "excused.goat": pair.data,
        "carried.goat": carried(pair),
        "charged.goat": charged(),
        "unopened.goat": unopened(),
        "unanswered.goat": unanswered(),
        "score.proof": false_score(pair),
        "verdict.goat": cheated_log("false verdict", 1, people=True)[0],
        "offence.goat": cheated_log("discarded and kept", 2, people=True)[0],
        "refusal.proof": refusal(),
        "fork.proof": fork(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    said = [{"files": list(names), **told(folder, names)} for names in CASES]
    (folder / EXPECTED).write_text(json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    main()
