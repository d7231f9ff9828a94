"""Every cheat of PROTOCOL.md as data: what it is, when it is seen, who is named; and how it is played.

`python -m tests.cheats.catalogue [SEED] [WORD...]` plays them all, or those with a word in their name, and prints the
table; the tests play the same ones.

once: every honest client sees it at that very message. stop: the deal stops and the audit names the cheat.
audit: at the end of the deal. refused: the record is turned away and nobody is blamed, because it could come from a
race. R24: the people decide.
"""

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from goat_engine.rules import SEATS, team_of
from goat_net.log.absence_table import CHARGE, LET_GO
from goat_net.log.chain import parse_record
from goat_net.log.fold import Finished, Fold, MatchStage
from goat_net.log.records import Refuse
from tests.cheats.kit import Cast, CheatWorld, Scheme, Schemer, Wanted

ONCE, STOP, AUDIT, REFUSED, R24 = "once", "stop", "audit", "refused", "R24"
EITHER: Final = (STOP, AUDIT)
CHEAT, HOST, NOBODY, OPERATOR = "the cheat", "the host", "nobody", "the cheat; the operator's team pays"
TRIES: Final = 40  # worlds in which the occasion for a cheat is looked for

Change: TypeAlias = Callable[[Schemer, Any], Any]


@dataclass(frozen=True)
class Seen:
    """When a cheat was seen, whom everybody named, and in which words."""

    when: str
    who: str
    words: str


@dataclass(frozen=True)
class Cheat:
    """One row of the table. ``play`` takes a seed; it raises when the honest disagree or the match can't go on."""

    name: str
    when: tuple[str, ...]
    who: str
    play: Callable[[int], Seen]

    def __str__(self) -> str:
        return self.name


CATALOGUE: Final[list[Cheat]] = []


def _times(when: str | tuple[str, ...]) -> tuple[str, ...]:
    return (when,) if isinstance(when, str) else when


def row(name: str, when: str | tuple[str, ...], who: str) -> Callable[[Callable[[int], Seen]], Callable[[int], Seen]]:
    """Decorator: this function plays a cheat of its own making."""

    def add(play: Callable[[int], Seen]) -> Callable[[int], Seen]:
        assert all(c.name != name for c in CATALOGUE), name
        CATALOGUE.append(Cheat(name, _times(when), who, play))
        return play

    return add


class Changed(Scheme):
    """Changes the first record of a kind for which ``change`` gives another body (``...``: not this one)."""

    def __init__(self, on: tuple[type, ...], change: Change) -> None:
        super().__init__()
        self.on, self.change = on, change

    def body(self, c: Schemer, body: Any) -> Any:
        """The changed body."""
        other = self.change(c, body) if isinstance(body, self.on) else ...
        return body if other is ... else other


class Beside(Scheme):
    """Sends a record that is not owed, once ``make`` gives one."""

    def __init__(self, make: Callable[[Schemer], Any]) -> None:
        super().__init__()
        self.make = make

    def idle(self, c: Schemer) -> Any:
        """The body that is not owed."""
        return self.make(c)


Stage: TypeAlias = Callable[["CheatWorld"], None]


def seat_cheat(
    name: str,
    when: str | tuple[str, ...],
    scheme: Callable[[], Scheme],
    *,
    who: str = CHEAT,
    turn: int = 0,
    seat: int | None = None,
    wanted: Wanted | None = None,
    cast: Cast | None = None,
    deal: int = 1,
    staged: Stage | None = None,
    until: int = 0,
    occasion: Callable[[CheatWorld], bool] | None = None,
) -> None:
    """Add a row in which a seat cheats. ``staged`` prepares the world before it begins; ``until``: the deal that it
    takes to see it, when that is a later one; ``occasion``: whether it came about as the row says, else another world
    is tried."""

    def play(seed: int) -> Seen:
        for attempt in range(TRIES):
            world = CheatWorld(
                seed + 7919 * attempt, scheme(), turn=turn, seat=seat, cast=cast, wanted=wanted, deal=deal
            )
            if staged is not None:
                staged(world)
            world.run_until(lambda w=world: w.settled(max(w.deal, until)), wait=True)  # type: ignore[misc]
            assert world.scheme is not None
            if world.scheme.done and (occasion is None or occasion(world)):
                return judge_seat(world)
        raise AssertionError(f"{name}: no occasion in {TRIES} worlds")

    row(name, when, who)(play)


def on(*kinds: type, when: str | tuple[str, ...], name: str, **how: Any) -> Callable[[Change], Change]:
    """Decorator: a cheat that changes one record."""

    def add(change: Change) -> Change:
        seat_cheat(name, when, lambda: Changed(kinds, change), **how)
        return change

    return add


def beside(when: str | tuple[str, ...], name: str, **how: Any) -> Callable[[Callable[[Schemer], Any]], None]:
    """Decorator: a cheat that sends a record which is not owed."""

    def add(make: Callable[[Schemer], Any]) -> None:
        seat_cheat(name, when, lambda: Beside(make), **how)

    return add


# Judging


def judge_seat(world: CheatWorld) -> Seen:
    """What everybody says of the cheat. That they agree, that R23 was applied, that the match goes on."""
    fold = world.judged
    if not fold.finished and not fold.offences:
        return _without_it(world)
    if not fold.finished:
        return _before_the_deals(world)
    for guest in world.honest:
        assert guest.fault is None, guest.fault
        if guest.late:
            continue
        player = guest.player_of(fold)
        assert player is not None
        theirs = player.fold
        assert [d.outcome.blame for d in theirs.finished] == [d.outcome.blame for d in fold.finished]
        assert theirs.match == fold.match
    again = world.journal_fold()
    assert [d.outcome.blame for d in again.finished] == [d.outcome.blame for d in fold.finished]
    assert again.match == fold.match
    done = next((d for d in fold.finished if d.outcome.result is None), fold.finished[-1])
    seen = _seen(world, done)
    goes_on(world, done)
    return seen


def _seen(world: CheatWorld, done: Finished) -> Seen:
    scheme, fold, blame = world.scheme, world.judged, done.outcome.blame
    assert scheme is not None
    if blame is None:
        if scheme.seat in fold.lost and done.outcome.result is not None and scheme.seat in done.deal.gone:
            assert done.outcome.result.defeat[team_of(scheme.seat)] > 0
            return Seen(R24, CHEAT, "the deal is lost without its opening")
        if scheme.seat in fold.lost and done.outcome.result is not None:
            assert scheme.seat is not None
            assert fold.deal is not None
            assert not fold.deal.tag
            return Seen(R24, NOBODY, "the next deal does not begin with it")
        if scheme.seat in fold.lost:
            charged = fold.lost[scheme.seat] == CHARGE
            assert done.charged == (team_of(scheme.seat) if charged else None)
            return Seen(R24, CHEAT if charged else NOBODY, "charged by the people" if charged else "excused")
        assert done.outcome.result is not None, "a deal came to nothing and nobody is named"
        return Seen(REFUSED, NOBODY, "")
    assert parse_record(fold.chain.entries[blame.entry].record).author == blame.seat
    live = [o for o in (*done.deal.offences, *fold.offences) if o.seat == blame.seat]
    if live:
        when = ONCE
        counters = [parse_record(fold.chain.entries[o.entry].record).counter for o in live]
        late = scheme.counter is None or "late" in scheme.notes or _was_refused(fold, scheme)
        assert late or blame.seat != scheme.seat or scheme.counter in counters, "seen at another record than the cheat"
    else:
        when = STOP if done.deal.stopped else AUDIT
    who = CHEAT if blame.seat == scheme.seat else f"seat {blame.seat} instead of seat {scheme.seat}"
    operator = world.cast.operators.get(blame.seat)
    assert done.outcome.result is None
    own = operator is None and fold.seats[blame.seat].bot  # the table's own bot: nobody pays for it
    assert done.charged == (None if own else team_of(blame.seat if operator is None else operator))
    if operator is not None:
        who += "; the operator's team pays"
    return Seen(when, who, blame.fault.value)


def _was_refused(fold: Fold, scheme: Scheme) -> bool:
    """Whether the false record came at a bad moment, so that the machine has said it again under its next number."""
    refusals = [r.body for e in fold.chain.entries if isinstance((r := parse_record(e.record)).body, Refuse)]
    return any((refusal.seat, refusal.counter) == (scheme.seat, scheme.counter) for refusal in refusals)


def goes_on(world: CheatWorld, done: Finished) -> None:
    """R23 and R25: 6 for the team that is charged; the next deal is of the same dealer and leader, and is played."""
    fold = world.judged
    before, at = done.before, fold.finished.index(done)
    after = fold.finished[at + 1].before if at + 1 < len(fold.finished) else fold.match
    assert after is not None
    if done.outcome.result is None:
        want = tuple(before.defeat[t] + (6 if done.charged == t else 0) for t in (0, 1))
        assert (after.defeat, after.dealer, after.leader) == (want, before.dealer, before.leader)
    if after.goat is not None:
        return

    def on() -> bool:
        now = world.table.fold
        assert now is not None
        results = now.finished[at + 1 if now is fold else 0 :]
        return any(d.outcome.result is not None for d in results)

    assert world.run_until(on, wait=True), f"the match does not go on: {world.where()}"


def _without_it(world: CheatWorld) -> Seen:
    """The first deal did not begin with a seat, and the match goes on without it."""
    fold, scheme = world.judged, world.scheme
    assert scheme is not None
    assert fold.lost == {scheme.seat: LET_GO}
    assert world.run_until(lambda: world.table.fold is not None and bool(world.table.fold.finished), wait=True)
    assert world.journal_fold().lost == fold.lost
    return Seen(R24, NOBODY, "the deal does not begin with it")


def _before_the_deals(world: CheatWorld) -> Seen:
    fold, scheme = world.judged, world.scheme
    assert scheme is not None
    assert fold.stage is MatchStage.ENDED
    for guest in world.honest:
        player = guest.player_of(fold)
        assert player is not None
        assert player.fold.offences == fold.offences
        assert player.fold.stage is MatchStage.ENDED
    assert world.journal_fold().offences == fold.offences
    (only,) = fold.offences
    record = parse_record(fold.chain.entries[only.entry].record)
    assert (record.author, record.counter) == (scheme.seat, scheme.counter)
    return Seen(ONCE, CHEAT if only.seat == scheme.seat else f"seat {only.seat}", only.fault.value)


# The table


def played(cheats: Iterable[Cheat], seed: int) -> Iterable[tuple[Cheat, Seen, int]]:
    """Each cheat with what was seen of it, and how many logs of it the second auditor has judged alike."""
    from tests.cheats.twice import played_twice

    for cheat in cheats:
        try:
            yield cheat, *played_twice(cheat, seed)
        except AssertionError as error:
            yield cheat, Seen("never", "", str(error)), 0


def main() -> int:
    """Play everything and print the table; 1 when something was not seen as it is said here."""
    from tests.cheats import catalogue, rows  # noqa: F401 - the rows register themselves

    numbers = [a for a in sys.argv[1:] if a.isdigit()]
    words = [a for a in sys.argv[1:] if not a.isdigit()]
    seed = int(numbers[0]) if numbers else 1
    chosen = [c for c in catalogue.CATALOGUE if not words or any(w in c.name for w in words)]
    wrong = logs = 0
    begun = time.process_time()
    print(f"{'cheat':<74} {'when':<12} {'who':<38} seen")
    for cheat, seen, count in played(chosen, seed):
        logs += count
        good = seen.when in cheat.when and seen.who == cheat.who
        wrong += not good
        print(
            f"{cheat.name:<74} {' or '.join(cheat.when):<12} {cheat.who:<38} {'' if good else 'NOT SO: '}{seen.when}"
            f"{', ' + seen.words if seen.words else ''}{'' if good else ' (' + seen.who + ')'}",
            flush=True,
        )
    print(f"{logs} logs judged by both auditors; {time.process_time() - begun:.0f} s of CPU")
    print(f"{len(chosen)} cheats, {wrong} not seen as they should be (seed {seed})")
    return 1 if wrong else 0


__all__ = ["CATALOGUE", "SEATS", "Cheat", "Seen"]

if __name__ == "__main__":
    sys.exit(main())
