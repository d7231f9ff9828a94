"""Random deals with people who fall silent, leave, come back, pause, vote, do not open or cheat, both auditors folding
along: nobody honest is blamed or pays, every deal ends, and both come to the same.

`python -m tests.cheats.leavers DEALS [SEED]` plays as many deals as are asked for and prints the figures.
"""

import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from goat_engine.rules import SEATS, Seat, team_of
from goat_net.log.absence_table import CHARGE, LET_GO, NO_ANSWER, WAIT, How, Where
from goat_net.log.faults import FormError
from goat_net.log.fold import MatchStage
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
from goat_net.log.succession import score_of
from tests.cheats.shared import shared
from tests.net.absences import GRACE, real_result
from tests.net.mini import Mini, odd_body

STEPS: Final = 4_000  # records of one deal at most; an honest one has a hundred
CASTS: Final = ((), (), (1,), (3,), (1, 3), (0, 2, 3))


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
    deal; ``silences``: seats that say nothing for now; ``mute``: seats that do not open, whatever else they do."""

    def __init__(self, seed: int, figures: Figures) -> None:
        self.rng, self.figures = random.Random(seed), figures
        self.seed = seed
        self.bots = self.rng.choice(CASTS)
        people = [s for s in SEATS if s not in self.bots]
        self.host_seat = self.rng.choice((4, *people))
        self.answers = self.rng.choice((HOST, *people))
        self.hostile = self.rng.random() < 0.3  # the host says "away" of whoever owes, and closes votes early
        self.count = 0
        self.mini = self.begin(())
        self.cheats: dict[int, set[Seat]] = {}
        self.really: dict[int, set[Seat]] = {}  # by deal: seats that were silent or had left when they were charged
        self.points: tuple[int, int] | None = None

    def begin(self, carried: tuple[Carried, ...]) -> Mini:
        """The next log."""
        self.count += 1
        mini = Mini(
            self.seed * 1000 + self.count, bots=self.bots, carried=carried, answers=self.answers, host=self.host_seat
        )
        self.mute: set[Seat] = set()
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
        elif what < 0.82 and free:
            self.cheat(seat)
        elif what < 0.90 and free:
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
        """An offence, most of the time."""
        body = self.rng.choice((Open(bytes(32)), Verdict((1, 119), (3, 4), (4, 0), 5, 0), Open(bytes(32))))
        mini = self.mini
        deal = mini.fold.finished[-1].deal.number if isinstance(body, Verdict) and mini.fold.finished else None
        raw = mini.made(seat, body, deal=deal)
        if mini.both(raw).isupper() and mini.fold.refusals[seat] < 100:
            self.cheats.setdefault(self.number if deal is None else deal, set()).add(seat)
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
            between = fold.stage is MatchStage.DEALS and fold.scene.where is Where.COMMIT
            if between and fold.lost and not any(fold.owes_verdict(s) for s in SEATS):
                self.mini.host(End(1))
            if fold.stage is MatchStage.ENDED:
                self.look()
                self.mini.agree()
                score = score_of(fold)
                self.figures.told["logs"] += 1
                self.mini = self.begin(() if score is None else (score,))
        self.mini.agree()


def leavers(deals: int, seed: int) -> Figures:
    """So many deals; AssertionError at the first wrong verdict."""
    figures, world = Figures(), seed
    with shared():
        while figures.deals < deals:
            Evening(world, figures).play(min(12, deals - figures.deals))
            world += 1
    return figures


def main() -> int:
    """Run and print."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32)
    begun, cpu = time.monotonic(), time.process_time()
    print(f"seed {seed}", flush=True)
    print("\n".join(leavers(deals, seed).lines()))
    print(f"{time.process_time() - cpu:.0f} s of CPU, {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
