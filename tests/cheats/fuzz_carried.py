"""Random matches that are carried on, rightly and falsely, many times over: both auditors say the same, a lie is never
taken for the truth, and who tells the truth is never at fault.

`python -m tests.cheats.fuzz_carried MATCHES [SEED]` plays as many matches, tries `TRIALS` ways to go on with each, goes
on with it under other seats for one more deal, and prints the figures.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from goat_net.log.chain import genesis, log_id_of, make_record, sign_entry
from goat_net.log.fold import Fold
from goat_net.log.records import HOST, Carried, Caught, End, Table
from goat_net.log.succession import Altered, score_of, succession
from goat_net.wire.identity import Identity
from goat_net.wire.messages import NewEntry
from tests.cheats.rows.carried import CHANGES, FLAWS, STRANGER, table_body
from tests.cheats.shared import shared
from tests.net import auditor
from tests.net.mini import Mini, finished

TRIALS: Final = 12
LIES: Final[tuple[Callable[[random.Random, Carried], Carried], ...]] = (
    lambda rng, c: replace(c, defeat=((c.defeat[0] + 1 + rng.randrange(3)) % 12, c.defeat[1])),
    lambda rng, c: replace(c, defeat=(c.defeat[0], (c.defeat[1] + 1 + rng.randrange(3)) % 12)),
    lambda rng, c: replace(c, eggs=c.eggs + 1),
    lambda rng, c: replace(c, dealer=(c.dealer + 1 + rng.randrange(3)) % 4),
    lambda rng, c: replace(c, leader=(c.leader + 1 + rng.randrange(3)) % 4),
    lambda rng, c: replace(c, doubled=not c.doubled),
    lambda rng, c: replace(c, deals=c.deals + rng.choice((-1, 1, 5))),
    lambda rng, c: replace(c, caught=c.caught[1:] or (Caught(rng.randbytes(32), rng.choice((1, 2))),)),
)


def changes_of(rng: random.Random, table: Table) -> dict[str, Any]:
    """What a new table may say otherwise; mostly nothing."""
    settings = table.settings
    return rng.choice(
        (
            {}, {}, {}, {"target": table.target + 3}, {"eggs_double": not table.eggs_double}, {"yield_time": 77},
            {"settings": replace(settings, grace=settings.grace + 1)}, {"settings": replace(settings, clock_more=9)},
            {"settings": replace(settings, hints=not settings.hints)}, {"settings": replace(settings, seed=b"s")},
            {"seats": (*table.seats[1:], table.seats[0])}, {"seats": (*table.seats[2:], *table.seats[:2])},
        )
    )  # fmt: skip


def trial(rng: random.Random, mini: Mini, seen: Counter[str]) -> None:
    """One way to go on with a match, held against the match by both auditors."""
    table, chain = mini.fold.table, mini.fold.chain
    assert table is not None
    known = rng.choice((len(chain), len(chain), rng.randrange(9, len(chain))))  # entries that the reader has
    at = rng.choice((len(chain), len(chain), rng.randrange(9, len(chain))))
    score = score_of(_until(mini, at))
    if score is None:
        return
    lie = rng.choice((None, None, *LIES))
    carried = score if lie is None else lie(rng, score)
    carried = replace(carried, head=rng.randbytes(32)) if rng.random() < 0.1 else carried
    same, changes = rng.random() < 0.6, changes_of(rng, table)
    if max(carried.defeat) >= changes.get("target", table.target) or not 0 <= carried.deals < 9000:
        return
    entry = first(mini, mini.table if same else STRANGER, carried, changes)
    before, new = _until(mini, known), Fold()
    new.take(entry)
    assert new.table is not None
    shown = succession(before, new.table)
    other = auditor.succession([(e.number, e.record, e.signature) for e in chain.entries[:known]], table_body(entry))
    assert (shown is None) is (other is None)
    if shown is None or other is None:
        return
    assert FLAWS[other[0]] is shown.flaw, (shown, other)
    assert {CHANGES[name] for name in other[1]} == {change.what for change in shown.changes}, (shown, other)
    asked = {change.what for change in shown.changes} - {Altered.DEALT}
    false = carried != score
    if false and known >= at:
        assert shown.flaw is not None or Altered.UNKNOWN in asked, "a lie was taken for the truth"
    whole = at == len(chain) and not mini.fold.open
    if not false and same and whole and not mini.fold.deal_is_on:
        assert shown.flaw is None, f"an honest host is at fault: {shown}"
    if not false and not same:
        assert shown.flaw is None, f"an honest new host is at fault: {shown}"
    seen[f"{'lie' if false else 'truth'}: {shown.flaw.name if shown.flaw else 'asked' if asked else 'taken'}"] += 1


def first(mini: Mini, key: Identity, carried: Carried, changes: dict[str, Any]) -> NewEntry:
    """Entry 0 of a log that goes on."""
    fresh = tuple(bytes([9, seat]) * 16 for seat in range(4))
    assert mini.fold.table is not None
    body = replace(mini.fold.table, table_key=key.public, carried=(carried,), fresh=fresh, **changes)
    log_id = log_id_of(key.public, body.salt, fresh)
    raw = make_record(key, log_id, 0, HOST, 0, 0, genesis(log_id), body)
    return sign_entry(key, log_id, 0, genesis(log_id), raw)


def _until(mini: Mini, count: int) -> Fold:
    fold = Fold()
    for entry in mini.fold.chain.entries[:count]:
        fold.take(entry)
    return fold


def fuzz(matches: int, seed: int, *, says: Callable[[str], None] = lambda text: None) -> tuple[Counter[str], int]:
    """So many matches; what was seen, and how many deals that took. AssertionError at the first wrong word."""
    seen: Counter[str] = Counter()
    deals = 0
    with shared():
        for number in range(seed, seed + matches):
            rng = random.Random(number)
            mini = Mini(number)
            mini.play(finished(rng.randint(1, 2)))
            count = len(mini.fold.finished)
            if rng.random() < 0.5:  # somewhere in the next deal, or before anybody has shuffled for it
                goal = len(mini.fold.chain) + rng.randint(1, 40)
                mini.play(lambda fold, goal=goal: len(fold.chain) >= goal)  # type: ignore[misc]
            else:
                mini.play(lambda fold: not any(map(fold.owes_verdict, range(4))))
            if not mini.fold.deal_is_on and rng.random() < 0.7:
                mini.host(End(1))
            elif rng.random() < 0.3:
                mini.host(End(2))
            for _ in range(TRIALS):
                trial(rng, mini, seen)
            score = score_of(mini.fold)
            deals += count
            if score is not None:  # and the match goes on, with both auditors folding along
                after = Mini(number + 10**6, carried=(score,))
                after.play(finished(1))
                assert after.fold.finished[0].deal.number == score.deals + 1
                deals += 1
            says(f"{number - seed + 1} matches, {deals} deals, {sum(seen.values())} ways to go on")
    return seen, deals


def main() -> int:
    """Run and print."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**31)
    begun, cpu = time.monotonic(), time.process_time()
    print(f"seed {seed}", flush=True)
    seen, deals = fuzz(matches, seed, says=lambda text: print(text, flush=True) if "-v" in sys.argv else None)
    print(f"{matches} matches, {deals} deals, {sum(seen.values())} ways to go on, no wrong word")
    print("\n".join(f"  {n:6}  {what}" for what, n in seen.most_common()))
    print(f"{time.process_time() - cpu:.0f} s of CPU, {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
