"""Recorded whole deals: the text of `goat_engine.record` with digests of every watcher's state as comments.

``python -m tests.engine.golden_deals`` writes the files anew. Do so only when a rule was meant to change: the
digests are there to show a change that was not.
"""

import hashlib
import random
from pathlib import Path

from goat_engine.actions import Lead
from goat_engine.audit import Eye, Replay, Watcher
from goat_engine.record import Record, dump
from goat_engine.rules import SEATS
from goat_engine.state import DealState, Phase
from tests.engine.deals import Table, finished, named_deal, play_out, play_single, suit_each

FOLDER = Path(__file__).parent / "golden"
NAMES: dict[Watcher, str] = {Eye.PUBLIC: "public", Eye.OPEN: "open", **{s: f"seat{s}" for s in SEATS}}


def digest(value: object) -> str:
    """Twelve hex digits of a value made of tuples, numbers and short texts."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:12]


def whole(state: DealState) -> tuple[object, ...]:
    """All that a watcher knows, as one plain value."""
    return (state.public_key(), sorted(state.known.items()), state.hands, state.hidden)


def annotated(record: Record) -> str:
    """The record's text; after the start and after every action a comment with all digests; the score at the end."""
    replay = Replay(record)
    lines = dump(record).splitlines()
    first = len(lines) - len(record.steps) - 1
    out = lines[:first]
    for position in range(len(record.steps) + 1):
        replay.seek(position)
        if position:
            out.append(lines[first + position - 1])
        keys = {digest(replay.state(w).public_key()) for w in NAMES}
        assert len(keys) == 1
        marks = " ".join(f"{name}={digest(whole(replay.state(w)))[:6]}" for w, name in NAMES.items())
        out.append(f"# key={keys.pop()} {marks}")
    result = replay.result()
    assert result is not None
    out.append(f"# points={result.points} tricks={result.tricks} defeat={result.defeat} taker={result.taker}")
    return "\n".join([*out, "end", ""])


def contested() -> Table:
    """Seat 3 claims after two plays, the entitled seat yields, seat 1, whose discard came back, takes over."""
    table = Table(named_deal({0: "6D QC 7D 8D", 1: "6C 7C 8C 9C", 2: "KS QS KC AC", 3: "6S 7S 8S 9S"}))
    table.lead(0, "6D")
    table.discard(1, "9C")
    table.claim(3, "6S 7S 8S 9S")
    table.yields(0)
    table.claim(1, "6C 7C 8C 9C")
    play_out(table, random.Random(21))
    return table


def before_the_lead() -> Table:
    """A molodka claimed on an empty table; all three are asked."""
    table = Table(named_deal({3: "6H 7H 8H 9H"}, trump="D"))
    table.claim(3, "6H 7H 8H 9H")
    table.yields(0, 1, 2)
    play_out(table, random.Random(18))
    return table


def eggs() -> Table:
    order = {
        0: "JS QS KS 10S AS 6S 7S 8S 9S",
        1: "JC QC 10C AC 6C KC 7C 8C 9C",
        2: "6D 7D 8D 9D JD QD KD 10D AD",
        3: "6H 7H 8H 9H JH QH KH 10H AH",
    }
    table = Table(suit_each(order))
    play_single(table, order, 5)
    return table


def three_tricks() -> Table:
    """Leads of 4, 4 and 1; the other team takes no trick."""
    ranks = ("6", "7", "8", "9", "J", "Q", "K", "10", "A")
    table = Table(suit_each({s: " ".join(r + suit for r in ranks) for s, suit in enumerate("SCDH")}))
    for count in (4, 4, 1):
        table.do(0, Lead(table.state.hands[0][:count]))
        table.rest_discards()
    assert table.state.phase is Phase.OVER
    return table


def recordings() -> dict[str, Record]:
    """The deals by file name."""
    return {
        "contested": contested().record,
        "before_the_lead": before_the_lead().record,
        "eggs": eggs().record,
        "three_tricks": three_tricks().record,
        "random_1": finished(101).record,
        "random_2": finished(102, suited=1.0).record,
        "random_3": finished(104, suited=1.0).record,
    }


def main() -> None:
    for name, record in recordings().items():
        (FOLDER / f"{name}.txt").write_text(annotated(record), encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
