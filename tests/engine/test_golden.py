"""Recorded whole deals, replayed: every watcher's state after every action is what it was when recorded."""

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from goat_engine.actions import Action, Claim, Discard, Lead, Show
from goat_engine.audit import Eye, Replay, audit_record
from goat_engine.match import DealResult
from goat_engine.record import Record, dump, load, plays_hash
from goat_engine.state import Phase, PlayKind
from tests.engine.golden_deals import FOLDER, NAMES, annotated, digest, whole

FILES = sorted(FOLDER.glob("*.txt"))

# Of each deal's canonical text: the hash that `goat demo --json` prints is a promise to whoever compares two runs.
HASHES = {
    "before_the_lead": "2f8f29316928102f8a97d70039b7b68815c4726d51bec76a5a103288c714aec1",
    "contested": "cfe8c69873a519b679678e920e6a966ba7e05ee96b1286a700d6df21c85ce967",
    "eggs": "8a4defe0bd88ee59813257d929c560b8da12d5782dd0783c3b1607e4aa0c625c",
    "random_1": "08a0a2169cbdbcf38572f6643bb99bdfbc25bcef46ba340462bb6ed19c738d93",
    "random_2": "6e8c0eceb795e7ef7b738a6911ec48a1db16b064cdf644c3e8aa78459ec7f9eb",
    "random_3": "872f7b195501fb7a54e5db31713fd011ae11046ea349474ed07a6dc73cfefcf9",
    "three_tricks": "f7c78d0cc8a8691d1c785f5225bfeaf83e163bdf3aa040a99a64609887c53695",
}


def read(path: Path) -> tuple[str, Record]:
    text = path.read_text(encoding="ascii")
    return text, load(text)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_replayed_as_recorded(path: Path) -> None:
    text, record = read(path)
    # Line by line, so that a difference names the action after which it began.
    assert annotated(record).splitlines() == text.splitlines()
    assert "\n".join(line for line in text.splitlines() if line[0] != "#") + "\n" == dump(record)
    found = audit_record(record)
    assert found.clean
    assert found.state.phase is Phase.OVER


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_hash_of_plays(path: Path) -> None:
    assert plays_hash(read(path)[1]) == HASHES[path.stem]


def test_every_kind_of_event_is_recorded() -> None:
    seen: Counter[str] = Counter()
    for path in FILES:
        record = read(path)[1]
        replay = Replay(record)
        for _, action in record.steps:
            before = replay.state()
            replay.forth()
            moment = replay.moment()
            seen[type(action).__name__] += 1
            if isinstance(action, Lead):
                seen[f"lead of {len(action.slots)}"] += 1
            if isinstance(action, Claim):
                seen["takeover"] += before.phase is Phase.ASK
                seen["claim before the lead"] += before.phase is Phase.LEAD
                seen["claim between plays"] += before.phase is Phase.ANSWER
            seen["a discard came back"] += any(p.kind is PlayKind.DISCARD for p in moment.returned)
            seen["a molodka came back"] += isinstance(action, Show) and before.molodka
            seen["a beat molodka"] += moment.closed and is_beaten_molodka(replay)
        result = replay.result()
        assert isinstance(result, DealResult)
        seen["eggs"] += result.eggs
        for points in result.defeat:
            seen[f"defeat {points}"] += 1
    print(dict(seen))
    wanted = {kind.__name__ for kind in get_args(Action)}
    assert wanted == {"Lead", "Beat", "Discard", "Claim", "Show", "Yield"}
    wanted |= {f"lead of {n}" for n in (1, 2, 3, 4)} | {f"defeat {n}" for n in (0, 2, 4, 6)}
    wanted |= {"takeover", "claim before the lead", "claim between plays", "a discard came back", "eggs"}
    wanted |= {"a molodka came back"}
    assert {w for w in wanted if not seen[w]} == set(), "no recording of these"


def is_beaten_molodka(replay: Replay) -> bool:
    trick = replay.state().tricks[-1]
    return trick.molodka and trick.taker != trick.plays[0].seat


def test_another_card_in_a_discard_shows_in_the_digests() -> None:
    """Of those who know the card, and of nobody else."""
    record = read(FOLDER / "random_1.txt")[1]
    index, (seat, action) = next((i, step) for i, step in enumerate(record.steps) if isinstance(step[1], Discard))
    assert isinstance(action, Discard)
    replay = Replay(record)
    replay.seek(index)
    other = min(set(replay.state(Eye.OPEN).hands[seat]) - set(action.slots))
    twin = Replay(Record(record.deal, (*record.steps[:index], (seat, Discard((other,))))))
    replay.seek(index + 1)
    twin.seek(index + 1)
    changed = {w for w in NAMES if digest(whole(twin.state(w))) != digest(whole(replay.state(w)))}
    assert changed == {Eye.OPEN, seat}
