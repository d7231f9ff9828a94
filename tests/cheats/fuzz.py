"""Random cheats: a random deal, cheat, cheater and place, many times over; above all no verdict against an honest seat.

`python -m tests.cheats.fuzz DEALS [SEED]` runs as many deals as are asked for and prints the figures.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from goat_engine.cards import DECK_POINTS
from goat_engine.rules import SEATS, Rules
from goat_engine.state import Phase
from goat_net.deck.curve import ORDER, multiply_each
from goat_net.deck.seeds import card_points
from goat_net.log import chain as log
from goat_net.log.deal import DealFold, DealStage, split
from goat_net.log.fold import Finished, Fold
from goat_net.log.records import (
    Away,
    BeatPlay,
    ClaimPlay,
    CloseVote,
    Commit,
    Complain,
    Cut,
    DiscardPlay,
    End,
    EndPause,
    Keys,
    LeadPlay,
    Leave,
    Lock,
    Open,
    PauseClock,
    Refuse,
    ShowPlay,
    Shuffle,
    Verdict,
    YieldPlay,
)
from goat_net.seat.player import Player
from tests.cheats.kit import Cast, CheatWorld, Scheme, Schemer, cards_of, hands_of, has_molodka
from tests.cheats.rows.plays import commit
from tests.cheats.shared import shared

LONG: Final = Rules(target=99, yield_time=0)  # so that one world has many deals
FACES = (LeadPlay, BeatPlay, ShowPlay)


@dataclass
class Figures:
    """What came of it. ``seen``: by kind of record and time; ``quiet``: deals whose cheat was turned away or had no
    occasion."""

    deals: int = 0
    cheats: int = 0
    quiet: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """For people."""
        out = [f"{self.deals} deals, {self.cheats} with a cheat that was entered, all named; {self.quiet} without"]
        out += [f"  {n:6}  {what}" for what, n in self.seen.most_common()]
        return out + [f"  {n:6}  {what}" for what, n in self.faults.most_common()]


# Random changes


def _elements(rng: random.Random, c: Schemer, run: bytes) -> bytes:
    """A run of elements, spoilt in one way."""
    x = list(split(run) or ())
    i, j = rng.sample(range(len(x)), 2)
    deal = c.fold.deal
    assert deal is not None
    match rng.randrange(11):
        case 0:
            x[i] = x[j]
        case 1:
            x[i], x[j] = x[j], x[i]
        case 2:
            x[i] = multiply_each(rng.randrange(2, ORDER - 1), [x[i]])[0]
        case 3:
            x[i] = multiply_each(rng.randrange(2, ORDER - 1), [x[j]])[0]
        case 4:
            x = list(multiply_each(rng.randrange(2, ORDER - 1), x))
        case 5:
            x[i] = rng.randbytes(32)
        case 6:
            x[i] = card_points(rng.randbytes(32))[0]
        case 7:
            x[i] = card_points(deal.tag)[j]
        case 8:
            x.pop(i)
        case 9:
            x.append(rng.randbytes(32))
        case _:
            earlier = [e for deck in deal.shuffles for e in deck] or list(card_points(deal.tag))
            x[i] = multiply_each(rng.randrange(2, ORDER - 1), [rng.choice(earlier)])[0]
    return b"".join(x)


def _bytes(rng: random.Random, run: bytes) -> bytes:
    """A run of keys or hashes, spoilt in one way."""
    x = list(split(run) or ())
    match rng.randrange(4):
        case 0 if x:
            x[rng.randrange(len(x))] = rng.randbytes(32)
        case 1 if len(x) > 1:
            i, j = rng.sample(range(len(x)), 2)
            x[i], x[j] = x[j], x[i]
        case 2 if x:
            x.pop()
        case _:
            x.append(rng.randbytes(32))
    return b"".join(x)


def _deck(rng: random.Random, c: Schemer, body: Any) -> Any:
    match body:
        case Shuffle():
            return Shuffle(_elements(rng, c, body.deck))
        case Cut():
            how = rng.randrange(4)
            if how == 0:
                scalar = rng.randrange(2, ORDER - 1)
                return Cut(multiply_each(scalar, [body.indicator])[0], body.stock, body.key_hash)
            if how == 1:
                return Cut(body.indicator, body.stock, rng.randbytes(32))
            return Cut(body.indicator, _elements(rng, c, body.stock), body.key_hash)
    if rng.random() < 0.3:
        return Lock(body.deck, _bytes(rng, body.hashes))
    return Lock(_elements(rng, c, body.deck), body.hashes)


def _keys(rng: random.Random, c: Schemer, body: Keys) -> Any:
    if body.indicator and rng.random() < 0.3:
        return Keys(body.keys, rng.choice((b"", rng.randbytes(32))))
    return Keys(_bytes(rng, body.keys), body.indicator)


def _face_up(rng: random.Random, c: Schemer, body: Any) -> Any:
    state = c.fold.deal.state if c.fold.deal else None
    assert state is not None
    assert c.seat is not None
    if rng.random() < 0.4:
        return type(body)(body.slots, _bytes(rng, body.keys))
    foreign = [s for s in range(36) if s not in state.hands[c.seat]]
    slot = rng.choice(foreign)
    return type(body)((slot, *body.slots[1:]), c._run((slot, *body.slots[1:])))


def _discard(rng: random.Random, c: Schemer, body: DiscardPlay) -> Any:
    assert c.seat is not None
    assert c.own is not None
    count = len(body.commitments) // 32
    place = rng.randrange(count)
    parts = list(split(body.commitments) or ())
    match rng.randrange(4):
        case 0:
            parts[place] = rng.randbytes(32)
        case 1 if count > 1:
            own = c.own.hands[c.seat][0]
            parts[0], parts[1] = commit(c, 0, own), commit(c, 1, own)
        case 2 if count > 1:
            parts[0], parts[1] = parts[1], parts[0]
        case _:
            mine = set(c.own.hands[c.seat])
            slot = rng.choice([s for s in range(36) if s not in mine])
            parts[place] = commit(c, place, slot)
    return DiscardPlay(b"".join(parts))


def _verdict(rng: random.Random, c: Schemer, body: Verdict) -> Any:
    if rng.random() < 0.5:
        others = [s for s in (*SEATS, 5) if s != body.blamed]
        return Verdict(body.points, body.tricks, body.defeat, rng.choice(others), rng.randrange(200))
    return Verdict((body.points[1], 120 - body.points[1]), body.tricks, (6, 1), body.blamed, body.entry)


CHANGES: Final[dict[type, Callable[[random.Random, Schemer, Any], Any]]] = {
    Commit: lambda rng, c, body: Commit(rng.choice([rng.randbytes(32), *_commitments(c)])),
    Shuffle: _deck,
    Cut: _deck,
    Lock: _deck,
    Keys: _keys,
    LeadPlay: _face_up,
    BeatPlay: _face_up,
    DiscardPlay: _discard,
    Open: lambda rng, c, body: Open(rng.randbytes(32)),
    Verdict: _verdict,
}


def _commitments(c: Schemer) -> list[bytes]:
    return list(c.fold.deal.commitments.values()) if c.fold.deal else []


class RandomCheat(Scheme):
    """One random cheat of one deal: the n-th record of a kind changed, or one sent that is not owed."""

    KINDS: Final = (*CHANGES, "open", "complain", "claim", "reuse", "head", "turn")

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.rng, self.kind = rng, rng.choice(self.KINDS)
        self.skip = rng.randrange(5) if self.kind in (Keys, BeatPlay, LeadPlay, DiscardPlay) else 0
        self.stage = DealStage(rng.randrange(6))
        self.once = False

    @property
    def name(self) -> str:
        """The kind in words."""
        return self.kind if isinstance(self.kind, str) else self.kind.__name__

    def body(self, c: Schemer, body: Any) -> Any:
        """The record that is owed, perhaps changed."""
        if isinstance(body, ShowPlay) and self.done and not body.slots:
            assert c.seat is not None
            assert c.own is not None
            slots = c.own.hands[c.seat][:4]
            return ShowPlay(slots, c._run(slots))
        if self.done or type(body) is not self.kind:
            return body
        if self.skip:
            self.skip -= 1
            return body
        return CHANGES[type(body)](self.rng, c, body)

    def idle(self, c: Schemer) -> Any:
        """A record that is not owed."""
        deal = c.fold.deal
        if self.done or deal is None or c.seat is None:
            return None
        match self.kind:
            case "open" if deal.stage is self.stage and deal.stage is not DealStage.OPEN:
                return Open(c._seed(deal))
            case "complain" if deal.may_play and c.own is not None and self.rng.random() < 0.1:
                slot = self.rng.choice([*c.own.hands[c.seat], self.rng.randrange(36)])
                return Complain((slot,), self.rng.choice((c._run((slot,)), self.rng.randbytes(32))))
            case "claim" if deal.may_play and deal.state is not None and c.view is not None and not c.view.molodka:
                state = deal.state
                fits = state.phase in (Phase.LEAD, Phase.ANSWER) and state.entitled != c.seat and not state.molodka
                laid = any(p.seat == c.seat for p in state.plays)
                full = state.hand_size(c.seat) == 4
                return ClaimPlay(len(state.tricks)) if fits and full and not laid and self.rng.random() < 0.3 else None
            case "turn" if deal.may_play and deal.state is not None and deal.state.turn != c.seat:
                return self.rng.choice((YieldPlay(), DiscardPlay(bytes(32)), LeadPlay((0,), bytes(32))))
        return None

    def raw(self, c: Schemer) -> list[bytes]:
        """Records under a used counter or on a foreign head."""
        deal, seat = c.fold.deal, c.seat
        ready = not self.done and deal is not None and seat is not None and deal.stage is self.stage
        if not ready or c.unconfirmed is not None or seat is None or self.kind not in ("reuse", "head"):
            return []
        victim = self.rng.choice([s for s in range(4) if s != seat])
        refuse = Refuse(victim, c.fold.counters[victim], bytes(32), 64)
        host_words = (refuse, Away(victim, 999), CloseVote(victim), EndPause(), End(2))
        own_words = (PauseClock(True), Open(self.rng.randbytes(32)), Leave(), ClaimPlay(0))
        other = self.rng.choice((*own_words, self.rng.choice(host_words)))
        # A kind that the log's protocol does not have closes the line, and no record comes of it (test_hostile.py).
        assert type(other) in c.fold.statutes.kinds
        chain = c.fold.chain
        if self.kind == "reuse":
            # Under a counter that was charged before it is nothing new, so another is taken.
            own = {n: chain.entries[at].record for (s, n), at in c.fold.entered.items() if s == seat}
            used = [n for n in own if (seat, n) not in c.fold.reused and log.parse_record(own[n]).body != other]
            self.mark(c)
            self.counter = self.rng.choice(used)
            return [c.sign(other, counter=self.counter)]
        self.mark(c)
        seen = self.rng.randrange(len(chain))
        raw = c.sign(other, seen=seen, seen_head=self.rng.randbytes(32))
        c.unconfirmed = raw
        return [raw]


class FuzzWorld(CheatWorld):
    """A world where each deal has its own cheat, sometimes two, sometimes none."""

    def __init__(self, seed: int) -> None:
        self.plans: dict[int, dict[int, RandomCheat]] = {}
        self.records: list[log.Record] = []  # of the log, as far as it was looked at
        super().__init__(seed, cast=Cast(), rules=LONG)
        self.claims = set(SEATS)
        self.witnesses = False

    def plan(self, number: int) -> dict[int, RandomCheat]:
        """Who cheats in a deal, and how."""
        if number not in self.plans:
            rng = random.Random(f"{self.seed}/cheat/{number}")
            count = rng.choices((0, 1, 2), (1, 8, 1))[0]
            self.plans[number] = {s: RandomCheat(rng) for s in rng.sample(SEATS, count)}
        return self.plans[number]

    def scheme_of(self, player: Player) -> Scheme | None:
        """This player's cheat in the deal that they are busy with."""
        fold, seat = player.fold, player.seat
        if fold.deal is None or seat is None:
            return None
        return self.plan(fold.deal.number - fold.owes_verdict(seat)).get(seat)

    def check(self) -> None:
        """Compare everybody's state now and then."""
        if self.steps % 8 == 0:
            super().check()

    def deal_seed(self, seat: int, deal: DealFold) -> bytes:
        """In every third deal somebody has a molodka."""
        key = (deal.match_id, deal.number)
        if key not in self.seeds:
            wish = random.Random(f"{self.seed}/wish/{deal.number}").random() < 0.33

            def fits(seeds: tuple[bytes, ...]) -> bool:
                return not wish or any(has_molodka(hand) for hand in hands_of(cards_of(deal, seeds), deal))

            self.seeds[key] = next(s for s in self._tries(deal) if fits(s))
        return self.seeds[key][seat]


def check_deal(world: FuzzWorld, fold: Fold, done: Finished, figures: Figures) -> None:
    """No wrong verdict: who is named has cheated, what was entered is named, a deal without a blame is scored right."""
    number, blame = done.deal.number, done.outcome.blame
    plan = world.plan(number)
    where = f"seed {world.seed} deal {number}: {[(s, p.name) for s, p in plan.items()]}"
    records = world.records
    records += [log.parse_record(e.record) for e in fold.chain.entries[len(records) :]]
    entered = {s: p for s, p in plan.items() if p.done and _entered(fold, records, s, p)}
    figures.deals += 1
    if blame is None:
        assert not [p for s, p in entered.items() if p.name not in ("turn", "claim")], f"{where}: not seen"
        assert done.outcome.result is not None, where
        assert sum(done.outcome.result.points) == DECK_POINTS, where
        assert done.outcome.cards == cards_of(done.deal, world.seeds[done.deal.match_id, number]), where
        figures.quiet += 1
        return
    assert blame.seat in plan, f"{where}: the honest seat {blame.seat} is named: {blame}"
    assert plan[blame.seat].done, where
    assert records[blame.entry].author == blame.seat, where
    assert done.charged is None, where  # all are bots of the table, who cost nobody
    live = [o for o in (*done.deal.offences, *fold.offences) if o.entry == blame.entry]
    when = "once" if live else "stop" if done.deal.stopped else "audit"
    figures.cheats += 1
    figures.seen[f"{plan[blame.seat].name}: {when}"] += 1
    figures.faults[blame.fault.value] += 1


def _entered(fold: Fold, records: list[Any], seat: int, cheat: RandomCheat) -> bool:
    """Whether the changed record stands in the log, and was not refused."""
    if cheat.name == "reuse":
        return (seat, cheat.counter) in fold.reused
    refused = any(
        isinstance(r.body, Refuse) and (r.body.seat, r.body.counter) == (seat, cheat.counter) for r in records
    )
    return not refused and (seat, cheat.counter) in fold.entered


def nothing(_: Any) -> None:
    """Say nothing, keep nothing."""


def has_deal(fold: Fold, number: int) -> bool:
    """Whether a log has so many deals, or gets no more."""
    return len(fold.finished) >= number or not fold.open


def fuzz(
    deals: int, seed: int, *, says: Callable[[str], None] = nothing, keep: Callable[[bytes], None] = nothing
) -> Figures:
    """So many deals; AssertionError at the first wrong verdict. ``says`` is told how far it has come, ``keep`` gets
    the log of each world."""
    figures, world_seed = Figures(), seed
    with shared():
        while figures.deals < deals:
            world = FuzzWorld(world_seed)
            world_seed += 1
            start = 0
            while figures.deals < deals:
                assert world.run_until(lambda w=world, n=start + 1: w.settled(n) and has_deal(w.folds[0], n))  # type: ignore[misc]
                fold = world.folds[0]
                if len(fold.finished) <= start:
                    break  # somebody was caught in two deals and is out: the match goes on in another log
                for guest in world.seated:
                    player = guest.player_of(fold)
                    if player is not None:
                        assert [d.outcome for d in player.fold.finished] == [d.outcome for d in fold.finished]
                check_deal(world, fold, fold.finished[start], figures)
                start += 1
                if fold.match is None or fold.match.goat is not None or not fold.open:
                    break
            keep(world.journal[world.folds[0].chain.log_id])
            says(f"{figures.deals} deals, {figures.cheats} cheats named (world {world_seed - 1})")
    return figures


def main() -> int:
    """Run and print."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32)
    begun, cpu = time.monotonic(), time.process_time()
    print(f"seed {seed}", flush=True)
    figures = fuzz(deals, seed, says=lambda text: print(text, flush=True) if "-v" in sys.argv else None)
    print("\n".join(figures.lines()))
    print(f"{time.process_time() - cpu:.0f} s of CPU, {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
