"""Random matches with people who fall silent, leave, come back, pause, vote, do not open or cheat, clients and hosts
that are stopped and go on, logs that are carried on rightly and falsely, at the same table and at others, both auditors
folding along: nobody honest is blamed or pays, no honest host is at fault, every deal ends, and both come to the same.

`python -m tests.cheats.leavers DEALS [SEED]` plays as many deals as are asked for and prints the figures. Every fourth
evening is a whole match of honest people, who only fall silent, leave, come back, pause, vote and restart;
`python -m tests.cheats.leavers MATCHES SEED honest` plays as many of those.
"""

import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from goat_engine.rules import SEATS, Seat, team_of
from goat_net.log.absence_table import CHARGE, LET_GO, NO_ANSWER, OUT_AFTER, WAIT, How, Where
from goat_net.log.chain import make_record, parse_record
from goat_net.log.faults import Fault, FormError
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.records import (
    HOST,
    Away,
    Carried,
    CloseVote,
    End,
    EndPause,
    Leave,
    Open,
    PauseClock,
    Refuse,
    Unheard,
    Verdict,
    Vote,
)
from goat_net.log.succession import score_of, succession
from goat_net.wire.identity import Identity
from tests.cheats.fuzz_carried import trial
from tests.cheats.shared import shared
from tests.net import auditor
from tests.net.absences import GRACE, real_result
from tests.net.mini import Mini, odd_body

STEPS: Final = 4_000  # records of one deal at most; an honest one has a hundred
LOGS: Final = 60  # of one honest match at most
CASTS: Final = ((), (), (1,), (3,), (1, 3), (0, 2, 3))
# A pool: what an auditor finds out about a key (its order) is not found out anew for every log.
KEYS: Final = tuple(Identity.from_seed(bytes([n]) * 32) for n in range(100, 124))
TABLES: Final = tuple(Identity.from_seed(bytes([n]) * 32) for n in range(124, 130))


@dataclass
class Figures:
    """What came of it."""

    deals: int = 0
    told: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """For people."""
        return [f"{self.deals} deals, no wrong verdict", *(f"  {n:6}  {what}" for what, n in self.told.most_common())]


class Evening:
    """One log after another at one table. ``cheats``: seats that have signed something that no honest one would, by
    deal; ``liars``: keys that have done so in the match; ``mute``: seats that do not open, whatever else they do.
    ``honest``: nobody cheats, the host neither."""

    def __init__(self, seed: int, figures: Figures, *, honest: bool = False) -> None:
        self.rng, self.figures, self.honest = random.Random(seed), figures, honest
        self.seed = seed
        self.bots = self.rng.choice(CASTS)
        people = [s for s in SEATS if s not in self.bots]
        self.host_seat = self.rng.choice((4, *people))
        self.answers = self.rng.choice((HOST, *people))
        self.hostile = not honest and self.rng.random() < 0.3  # says "away" of whoever owes, closes votes early
        self.target = self.rng.choice((2, 4, 6, 12)) if honest else 12
        self.rogue = self.rng.choice(SEATS)  # cheats more than the others
        self.keys = list(self.rng.sample(KEYS, 4))
        self.table = self.rng.choice(TABLES)
        self.liars: set[bytes] = set()
        self.trials: Counter[str] = Counter()
        self.count = 0
        self.carried: tuple[Carried, ...] = ()
        self.mini = self.begin(())
        self.cheats: dict[int, set[Seat]] = {}
        self.really: dict[int, set[Seat]] = {}  # by deal: seats that were silent or had left when they were charged
        self.points: tuple[int, int] | None = None

    def begin(self, carried: tuple[Carried, ...]) -> Mini:
        """The next log."""
        self.count += 1
        if not carried:
            self.liars = set()
        mini = Mini(
            self.seed * 1000 + self.count, bots=self.bots, carried=carried, answers=self.answers, host=self.host_seat,
            seats=dict(enumerate(self.keys)), table=self.table, target=self.target,
        )  # fmt: skip
        self.mute: set[Seat] = set()
        self.unheard: set[tuple[int, Seat]] = set()  # by deal: about whom a machine has truly heard nothing
        self.looked = 0
        self.cheats, self.really = {}, {}
        self.decided = 0
        return mini

    @property
    def number(self) -> int:
        """The deal that is on."""
        return self.mini.fold.deal.number if self.mini.fold.deal else 0

    # Whims

    def whim(self) -> None:
        """Something that somebody does now and then."""
        rng, mini, fold = self.rng, self.mini, self.mini.fold
        if fold.match is None or fold.stage is not MatchStage.DEALS:
            return
        what, seat = rng.random(), rng.choice(SEATS)
        mini.catch_up(seat)
        free = mini.players[seat].unconfirmed is None
        if what < 0.30:
            mini.silent.add(seat)
        elif what < 0.55:
            mini.silent.discard(seat)
        elif what < 0.62:
            self.mute.add(seat)
        elif what < 0.72 and free:
            self.say(seat, PauseClock(fold.paused is None))
        elif what < 0.77 and free:
            self.say(seat, Leave())
        elif what < 0.80 and free:
            mini.restart(seat)
            self.figures.told["clients restarted"] += 1
        elif what < 0.81:
            mini.resume()
            self.figures.told["hosts restarted"] += 1
        elif self.honest:
            self.figures.told["whims of nobody"] += 1
        elif what < 0.89 and free:
            self.cheat(seat)
        elif what < 0.93 and free:
            self.odd(seat)
        elif what < 0.95 and self.hostile and fold.paused is None:
            owing = sorted(fold.waits_for() - fold.away.keys())
            if owing:
                mini.host(Away(rng.choice(owing), GRACE))
        elif self.hostile:
            open_now = [s for s in SEATS if fold.vote_open(s)]
            if open_now and fold.paused is None:
                mini.host(CloseVote(rng.choice(open_now)))
            else:
                mini.host(Refuse(seat, fold.counters[seat], rng.randbytes(32), int(FormError.NOT_NOW)))

    def say(self, seat: Seat, body: object) -> None:
        """A record of a seat, entered or refused as it comes."""
        if self.mini.fold.refusals[seat] < 100:
            self.mini.say(seat, body)

    def cheat(self, seat: Seat) -> None:
        """An offence, most of the time: untimely, false, odd, under a used number or on a foreign head."""
        rng, mini = self.rng, self.mini
        mini.catch_up(seat)
        if mini.players[seat].unconfirmed is not None or mini.fold.refusals[seat] >= 100:
            return
        false = Verdict((1, 119), (3, 4), (4, 0), 5, 0)
        body = rng.choice((Open(bytes(32)), false, Open(bytes(32)), odd_body(rng, mini)))
        deal = mini.fold.finished[-1].deal.number if isinstance(body, Verdict) and mini.fold.finished else None
        how = rng.random()
        if how < 0.1:
            raw = mini.made(seat, body, deal=deal, counter=-rng.randint(1, 9))
        elif how < 0.2:
            fold = mini.fold
            at, used = rng.randrange(len(fold.chain)), fold.counters[seat]
            raw = make_record(mini.seats[seat], fold.id, self.number, seat, used, at, rng.randbytes(32), body)
        else:
            raw = mini.made(seat, body, deal=deal)
        judged = mini.fold.judge(parse_record(raw))
        mini.both(raw)
        if judged.fault is not None:
            self.figures.told["offences"] += 1
            self.liars.add(mini.seats[seat].public)
            about = deal if judged.fault is Fault.FALSE_VERDICT and deal is not None else self.number  # where it stands
            self.cheats.setdefault(about, set()).add(seat)
            mini.submit(raw)
            mini.catch_up(seat)

    def odd(self, seat: Seat) -> None:
        """Anything at all, judged by both; entered only when it can be no cheat."""
        body = odd_body(self.rng, self.mini)
        what = self.mini.both(self.mini.made(seat, body))
        if what == "good" and isinstance(body, (Vote, PauseClock)) and seat not in self.bots:
            self.mini.say(seat, body)

    # What people and their machines say of who is missing

    def words(self) -> bool:
        """Votes and evidence; whether anything was said."""
        mini, fold, rng = self.mini, self.mini.fold, self.rng
        for target in SEATS:
            if not fold.vote_open(target):
                continue
            for seat in fold.absence.witnesses(target, fold.scene):
                honest = target in mini.silent or (target in self.mute and fold.scene.where is Where.OPEN)
                if honest and seat not in fold.absence.unheard_by(target) and rng.random() < 0.5:
                    self.unheard.add((self.number, target))
                    self.say(seat, Unheard(target, GRACE))
                    return True
            for seat in fold.voters(target):
                if seat not in fold.votes.get(target, {}) and rng.random() < 0.6:
                    any_of = (*fold.absence.choices(target), WAIT, NO_ANSWER, LET_GO)
                    choice = rng.choice((CHARGE, CHARGE, CHARGE, *any_of))
                    if choice in (*fold.absence.choices(target), NO_ANSWER):
                        self.say(seat, Vote(target, choice))
                        return True
        return False

    # Running

    def clock(self) -> bool:
        """Nothing moves: time passes at the host. False when there is nothing that it waits for."""
        mini, fold = self.mini, self.mini.fold
        if self.between(fold):
            mini.host(End(1))
            return True
        if fold.paused is not None and fold.stage is MatchStage.DEALS:
            mini.host(EndPause())
            return True
        for seat in SEATS:
            if fold.vote_open(seat):
                mini.host(CloseVote(seat))
                return True
        late = sorted(fold.waits_for() - fold.away.keys())
        if late:
            mini.host(Away(late[0], GRACE))
            return True
        return False

    def step(self) -> None:
        """One thing that happens."""
        mini, fold = self.mini, self.mini.fold
        if self.rng.random() < 0.02:
            self.whim()
        elif not self.honest and fold.match is not None and self.rng.random() < 0.006:
            self.cheat(self.rng.choice((self.rogue, self.rogue, *SEATS)))
        keep = set(mini.silent)
        if fold.scene.where is Where.OPEN:
            mini.silent |= self.mute
            if self.points is None:
                self.points = real_result(mini) if mini.fold.deal and mini.fold.deal.state else None
        said = self.words() if self.rng.random() < 0.3 else False
        moved = said or mini.step()
        if not moved and not self.words():
            assert self.clock(), f"seed {self.seed}: nothing moves"
        mini.silent -= mini.silent - keep
        self.look()

    def look(self) -> None:
        """What was decided, and what has ended, just now."""
        fold, mini = self.mini.fold, self.mini
        for decision in fold.decisions[self.decided :]:
            self.figures.told[f"decided: {decision.how.value}"] += 1
            if decision.how is How.CHARGED:
                true = decision.seat in mini.silent or decision.seat in fold.left or decision.seat in self.mute
                true = true or (decision.deal, decision.seat) in self.unheard  # it is back, and too late
                assert true, f"seed {self.seed}: seat {decision.seat} was there and is charged"
        self.decided = len(fold.decisions)
        while self.looked < len(fold.finished):
            self.check(self.looked)
            self.looked += 1
            self.points = None

    def check(self, index: int) -> None:
        """One deal that has ended."""
        done, where = self.mini.fold.finished[index], f"seed {self.seed} log {self.count}"
        number, blame, result = done.deal.number, done.outcome.blame, done.outcome.result
        self.figures.deals += 1
        if blame is not None:
            assert blame.seat in self.cheats.get(number, ()), f"{where}: honest seat {blame.seat} is blamed: {blame}"
            self.figures.told["blamed"] += 1
        elif result is None:
            self.figures.told["void" if done.charged is None else "charged"] += 1
        elif done.outcome.full is None:
            self.figures.told["counted though not opened"] += 1
            silent = next(s for s in SEATS if done.deal.seeds.get(s) is None)
            assert self.points is not None
            proven = self.mini.fold.absence.is_unheard(number)
            assert proven or self.points[team_of(silent)] <= result.points[team_of(silent)], f"{where}: too dear"
            assert proven or self.points[team_of(silent)] < 60, f"{where}: it had not lost"
        else:
            self.figures.told["played out"] += 1

    @staticmethod
    def between(fold: Fold) -> bool:
        """Whether somebody else is to have a seat now: no deal begins in this log any more."""
        held = fold.stage is MatchStage.DEALS and fold.scene.where is Where.COMMIT and bool(fold.lost)
        return held and not any(fold.owes_verdict(s) for s in SEATS)

    def play(self, deals: int) -> None:
        """So many deals more, over as many logs as it takes."""
        until, steps = self.figures.deals + deals, 0
        while self.figures.deals < until:
            before = self.figures.deals
            self.step()
            steps = 0 if self.figures.deals > before else steps + 1
            assert steps < STEPS, f"seed {self.seed}: a deal that does not end"
            fold = self.mini.fold
            if fold.stage is MatchStage.OVER and not fold.waits_for() - fold.away.keys():
                self.mini.host(End(0))
            if self.between(fold):
                self.mini.host(End(1))
            if fold.stage is MatchStage.ENDED or self.table_goes(fold):
                self.look()
                self.goes_on()
                if self.honest and not self.carried:
                    self.figures.told["honest matches"] += 1
                    return
                assert self.count < LOGS, f"seed {self.seed}: a match that does not end"
        self.mini.agree()

    # From log to log

    def table_goes(self, fold: Fold) -> bool:
        """Whether the table goes down for good in the midst of the match."""
        return fold.stage is MatchStage.DEALS and self.rng.random() < 0.0002

    def goes_on(self) -> None:
        """This log is over, or its table has gone: the next one, by the same host or by another with a shorter copy."""
        mini, fold, rng = self.mini, self.mini.fold, self.rng
        mini.agree()
        self.figures.told["logs"] += 1
        score = score_of(fold)
        if score is not None and (fold.stage is not MatchStage.ENDED or rng.random() < 0.1):
            self.table = rng.choice([one for one in TABLES if one.public != mini.table.public])
            score = score_of(self.shorter(fold))
            self.figures.told["went on at another table"] += 1
        caught = {one.key: one.deals for one in score.caught} if score else {}
        assert caught.keys() <= self.liars, f"seed {self.seed}: who was honest was caught"
        self.figures.told["players out of a match"] += sum(n == OUT_AFTER for n in caught.values())
        if score is not None and rng.random() < 0.3 and OUT_AFTER not in caught.values() and not self.bots:
            trial(rng, mini, self.trials)
        for seat in SEATS:
            if seat in fold.lost or caught.get(self.keys[seat].public) == OUT_AFTER or not score:
                spare = [one for one in KEYS if one not in self.keys and caught.get(one.public) != OUT_AFTER]
                self.keys[seat] = rng.choice(spare)
        self.carried = () if score is None else (score,)
        self.mini = self.begin(self.carried)
        if score is not None:
            self.held_against(fold)
            self.figures.told["carried on"] += 1

    def shorter(self, fold: Fold) -> Fold:
        """What somebody else has of a log: all, or not its end."""
        if self.rng.random() < 0.5:
            return fold
        part = Fold()
        for entry in fold.chain.entries[: self.rng.randrange(min(10, len(fold.chain) - 1), len(fold.chain))]:
            part.take(entry)
        return part

    def held_against(self, before: Fold) -> None:
        """An honest host's score is no fault, by both auditors."""
        table, entries = self.mini.fold.table, before.chain.entries
        assert table is not None
        link = succession(before, table)
        first = auditor.decode(self.mini.fold.chain.entries[0].record)
        other = auditor.succession([(e.number, e.record, e.signature) for e in entries], first[6][1:])
        assert link is not None
        assert other is not None
        assert (link.flaw, other[0]) == (None, ""), f"seed {self.seed} log {self.count}: an honest host is at fault"


def leavers(deals: int, seed: int) -> Figures:
    """So many deals; AssertionError at the first wrong verdict."""
    figures, world = Figures(), seed
    with shared():
        while figures.deals < deals:
            honest = world % 4 == 0
            Evening(world, figures, honest=honest).play(99 if honest else min(12, deals - figures.deals))
            world += 1
    return figures


def honest_matches(matches: int, seed: int) -> Figures:
    """So many whole matches of honest people, over as many logs as they take."""
    figures = Figures()
    with shared():
        for world in range(seed, seed + matches):
            Evening(world, figures, honest=True).play(STEPS)
    return figures


def main() -> int:
    """Run and print."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32)
    begun, cpu = time.monotonic(), time.process_time()
    print(f"seed {seed}", flush=True)
    figures = honest_matches(deals, seed) if "honest" in sys.argv else leavers(deals, seed)
    print("\n".join(figures.lines()))
    print(f"{time.process_time() - cpu:.0f} s of CPU, {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
