"""Plays the matches that stand here for ever: ``python -m tests.frozen.make`` writes tests/frozen/N for the protocol N
that is spoken now, once. A folder that is there is never written again: what it holds was played by programs of then.
"""

import contextlib
import json
from pathlib import Path
from typing import Any, Final

from goat_client.saved.verify import verify

from goat_engine.rules import Rules
from goat_net.log.chain import make_record, parse_record, sign_entry
from goat_net.log.proof import fork_proof, refusal_proof
from goat_net.log.records import HOST, Away, End, Leave, PauseClock, Refuse, Vote, YieldPlay
from goat_net.log.succession import score_of
from goat_net.wire.messages import PROTOCOL
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
    """A deal, a second one that seat 3 leaves and that the others excuse by vote, and the end of that log."""
    mini = Mini(21)
    mini.play(finished(1))
    mini.play(lambda fold: len(fold.finished) == 1 and playing(fold))
    mini.say(3, Leave())
    mini.say(0, Vote(3, 2, False))
    mini.say(1, Vote(3, 1, False))
    mini.say(2, Vote(3, 1, False))
    mini.silent.add(3)
    mini.play(lambda fold: fold.deal is not None and fold.deal.number == 3 and not fold.owes_verdict(0))
    for _ in range(20):
        mini.step()
    mini.host(End(1))
    return mini


def charged() -> bytes:
    """A pause, a seat that comes back, and one that stays away and is charged by vote (seat 1 is a bot)."""
    mini = Mini(25, bots=(1,))
    mini.play(playing)
    mini.say(2, PauseClock(True))
    mini.say(0, PauseClock(False))
    late = min(mini.fold.waits_for())
    mini.host(Away(late, 20))
    mini.play(lambda fold: late not in fold.away)
    mini.play(lambda fold: fold.waits_for() == {3} and fold.deal is not None and fold.deal.number == 1)
    mini.silent.add(3)
    mini.host(Away(3, 60))
    mini.say(0, Vote(3, 2, False))
    mini.say(2, Vote(3, 2, True))
    mini.play(lambda fold: len(fold.finished) == 1 and len(fold.finished[0].verdicts) == 3)
    mini.host(End(1))
    return mini.data


def carried(before: Mini) -> bytes:
    """The match after it, by its score: one deal more, of another four at another table."""
    score = score_of(before.fold)
    assert score is not None
    mini = Mini(22, bots=(3,), carried=(score,))
    mini.play(finished(1))
    for _ in range(40):
        mini.step()
    return mini.data


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
        "verdict.goat": cheated_log("false verdict", 1)[0],
        "offence.goat": cheated_log("discarded and kept", 2)[0],
        "refusal.proof": refusal(),
        "fork.proof": fork(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    said = [{"files": list(names), **told(folder, names)} for names in CASES]
    (folder / EXPECTED).write_text(json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    main()
