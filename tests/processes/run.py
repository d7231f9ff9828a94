"""One table of the kill matrix: who is killed when, how the match goes on, what is checked."""

import os
import random
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from goat_client.commands.demo import record_of

from goat_engine.record import plays_hash
from goat_net.log.absence_table import LET_GO
from goat_net.log.chain import parse_record
from goat_net.log.deal import DealStage
from goat_net.log.fold import Finished, Fold, MatchStage
from goat_net.seat import seeded
from goat_net.seat.player import Player
from goat_net.seat.store import intact
from tests.patience import PATIENCE
from tests.processes.cast import Cast, Seen, WrongError
from tests.processes.points import GONE, WIRE, bots_at, stage_of
from tests.processes.rehearsal import host_arguments, rehearse, scores_of
from tests.processes.seat import WATCHER, key_of

DEALS: Final = 3  # deals of a table in which its points have to come
JOINER: Final = 2  # the seat behind the proxy
GRACE: Final = 3  # s at tables where a seat stays away; a slow machine must not make an honest seat late
HOST, BOTS = 5, 6  # beside the seats and the watcher
BOT_SEAT: Final = 3


@dataclass(frozen=True, slots=True)
class Result:
    """How one kill ended. ``seconds``: from the kill until the log went on."""

    role: str
    point: str
    good: bool
    text: str
    seconds: float = 0.0


def arguments_of(seed: str, role: str) -> tuple[str, ...]:
    """What the host is started with where this role is killed."""
    return host_arguments(seed, grace=GRACE if role == GONE else 180, bots=bots_at(role))


class Run:
    """One table and the kills at it, in the order in which their points come. What came out is in ``results``,
    points that did not come stay in ``wanted``."""

    def __init__(self, role: str, points: Sequence[str], seed: str, folder: Path) -> None:
        self.role, self.points, self.seed, self.folder = role, tuple(points), seed, folder
        self.results: list[Result] = []
        self.bots = bots_at(role)
        self.arguments = arguments_of(seed, role)
        self.first = next((p for p in points if p.partition("/")[0] in WIRE), "")
        self.cast = Cast(folder, seed, self.arguments, self.bots, proxied=JOINER if self.first else None)
        self.rng = random.Random(f"{seed}/{role}/{points}")
        self.wanted = list(points)
        self.at = ""
        self._killed_bots = 0
        self.gone: dict[int, int] = {}  # log -> seat that was killed in it and voted out
        self._shadows: dict[tuple[int, int], Player] = {}

    # A table from beginning to end

    def play(self) -> None:
        """Play; a wrong outcome ends it."""
        try:
            self._begin()
            self._follow()
            self._quiet()
            self.cast.finish()
            self._check_logs(final=True)
            self._check_deals()
        except WrongError as error:
            self._wrong(str(error))
        finally:
            self.cast.abandon()

    def _wrong(self, text: str) -> None:
        """The last kill is to blame; without one, the first that was to come."""
        point = self.at or (self.wanted.pop(0) if self.wanted else "")
        self.results = [r for r in self.results if r.point != point]
        self.results.append(Result(self.role, point, False, text))

    def _begin(self) -> None:
        cast = self.cast
        cast.begin()
        sitting = len([s for s in cast.seats if s != cast.proxied]) + self.bots
        cast.until(lambda: WATCHER in cast.backs, "the watcher is there")
        if not self.first:
            return
        cast.until(lambda: cast.taken == sitting, "all but one sit")
        assert cast.proxy is not None
        flight = 3 + WIRE.index(self.first.partition("/")[0])
        struck: list[float] = []

        def on_flight(number: int) -> None:
            if number == flight:
                struck.append(time.monotonic())
                self._kill(self._wire_target())

        cast.proxy.on_flight = on_flight
        cast.start_seat(JOINER)
        cast.until(lambda: bool(struck), f"the joiner gets as far as {self.first}")
        cast.proxy.on_flight = None
        self.at = self.first
        self.wanted.remove(self.first)
        self._recover(self._wire_target(), struck[0])

    def _wire_target(self) -> int:
        return {"host": HOST, "turn": JOINER, "other": 0, "watcher": WATCHER, "bots": BOTS}[self.role]

    def _follow(self) -> None:
        """Look for the points in the journal and strike at once."""
        cast = self.cast
        last = time.monotonic()
        while self.wanted:
            seen = cast.look()
            if seen:
                last = time.monotonic()
            strike = next((s for s in seen if self._is_wanted(str(s.name))), None)
            if strike is not None and self.role != "host":
                cast.take(seen)
                self._strike(strike)
            elif strike is not None:  # the host goes first, what it has written is folded later
                self._strike(strike, seen)
            else:
                cast.take(seen)
            if time.monotonic() - last > PATIENCE:
                raise WrongError(f"nothing moves: {cast.where()}")
            fold = cast.journal.fold
            if len(fold.finished) >= DEALS:
                return

    def _is_wanted(self, point: str) -> bool:
        """Whether to strike here. A claim is sure to come in the first deal alone: nobody is killed before it."""
        if point not in self.wanted:
            return False
        claims = any(stage_of(p) == "claim" for p in self.wanted) and not self.cast.journal.fold.finished
        return not claims or stage_of(point) in ("claim", "join")

    def _strike(self, seen: Seen, unfolded: Sequence[Seen] = ()) -> None:
        point = str(seen.name)
        self.wanted.remove(point)
        self.at = point
        target = self._target()
        began = time.monotonic()
        self._kill(target)
        self.cast.take(list(unfolded))
        self._recover(target, began)

    def _target(self) -> int:
        """Whom the role means now."""
        if self.role in ("host", "watcher", "bots"):
            return {"host": HOST, "watcher": WATCHER, "bots": BOTS}[self.role]
        waits = self.cast.journal.fold.waits_for()
        turn = sorted(waits) or list(self.cast.seats)
        first = self.rng.choice(turn)
        if self.role in ("turn", GONE):
            return first
        others = [s for s in self.cast.seats if s not in waits] or [s for s in self.cast.seats if s != first]
        return self.rng.choice(others)

    def _kill(self, target: int) -> None:
        cast = self.cast
        if target == BOTS:
            pid = cast.bots_pid()
            if not pid:
                raise WrongError("the host has no bots' process")
            os.kill(pid, signal.SIGKILL)
            self._killed_bots = pid
        else:
            cast.lives["host" if target == HOST else target].kill()

    def _recover(self, target: int, began: float) -> None:
        """Start the killed one again and see that the match goes on."""
        cast = self.cast
        log, count = len(cast.journal.files) - 1, [len(f.chain) for f in cast.journal.folds]
        if self.role == GONE:
            self._lose(target)
        elif target == HOST:
            self._start_host(log)
            cast.until(lambda: self._grown(count), "the log goes on with the host that was started again")
        elif target == BOTS:
            killed = self._killed_bots
            cast.until(lambda: cast.bots_at_table(killed), "the host's bots are at the table again")
            since = [len(f.chain) for f in cast.journal.folds]
            cast.until(lambda: self._wrote(BOT_SEAT, since), "the bot plays on")
        else:
            before = len(cast.backs.get(target, []))
            cast.start_seat(target)
            cast.until(lambda: len(cast.backs.get(target, [])) > before, f"seat {target} is back")
            back = cast.backs[target][-1]
            if target == WATCHER:
                written = sum(count)
                cast.until(lambda: self._saved(WATCHER) >= written, "the watcher has read everything")
            else:
                here = self._counts_at(back)
                cast.until(lambda: self._wrote(target, here), f"seat {target} plays on")
                self._check_hand(back)
        seconds = time.monotonic() - began
        self._check_logs(final=False)
        self._check_peace()
        self.results.append(Result(self.role, self.at, True, "goes on", seconds))

    def _lose(self, seat: int) -> None:
        """Nobody starts it again: the others vote, a bot plays on, and then its player comes back for the next deal."""
        cast = self.cast
        log = len(cast.journal.files) - 1
        self.gone[log] = seat

        def on(index: int, bot: bool) -> bool:
            if len(cast.journal.files) <= index or cast.journal.folds[index].table is None:
                return False
            table = cast.journal.folds[index].seats
            return table[seat].bot == bot and self._wrote(seat, [len(f.chain) for f in cast.journal.folds[:index]])

        cast.until(lambda: on(log + 1, True), f"a bot plays for seat {seat}")
        carried = cast.journal.folds[log + 1].table
        assert carried is not None
        before = cast.journal.folds[log].match
        if before is None or [c.defeat for c in carried.carried] != [before.defeat]:
            raise WrongError(f"the score carried on is {carried.carried}, not that of {before}")
        cast.start_seat(seat)
        cast.until(lambda: on(log + 2, False), f"the player of seat {seat} has it again")

    def _start_host(self, log: int) -> None:
        cast = self.cast
        cast.start_host(cast.journal.files[log].path if log >= 0 else None)
        cast.until(lambda: cast.ready is not None, "the host is there again")

    # What has come since

    def _grown(self, count: list[int]) -> bool:
        now = [len(f.chain) for f in self.cast.journal.folds]
        return sum(now) > sum(count)

    def _counts_at(self, back: dict[str, Any]) -> list[int]:
        """How far each log was when a seat was back."""
        folds = self.cast.journal.folds
        return [int(back["entries"]) if f.chain.log_id.hex() == back["match"] else len(f.chain) for f in folds]

    def _wrote(self, seat: int, since: list[int]) -> bool:
        """Whether this seat has a record behind these places."""
        for index, fold in enumerate(self.cast.journal.folds):
            start = since[index] if index < len(since) else 0
            if any(parse_record(e.record).author == seat for e in fold.chain.entries[start:]):
                return True
        return False

    def _saved(self, who: int) -> int:
        logs = range(len(self.cast.journal.files))
        return sum(len(intact(self.cast.log_of(who, log))[0]) for log in logs)

    # Checks

    def _check_hand(self, back: dict[str, Any]) -> None:
        """The hand and score of the new life are those of a player who has never been killed."""
        cast, seat = self.cast, int(back["seat"])
        log = next((i for i, f in enumerate(cast.journal.folds) if f.chain.log_id.hex() == back["match"]), None)
        if log is None:
            return  # in the lobby
        entries = cast.journal.folds[log].chain.entries[: int(back["entries"])]
        player = self._shadows.get((log, seat))
        if player is None:
            secret = next((cast.folder / f"seat{seat}").glob(f"*{str(back['match'])[:16]}*.secret"))
            master = secret.read_bytes()
            key = key_of(seeded.seed_bytes(self.seed), seat)
            player = self._shadows[log, seat] = Player(key, lambda _: master, table_key=None)
        for entry in entries[len(player.fold.chain) :]:
            player.take(entry, 0.0)
        hand = [[slot, card] for slot, card in player.view.hand] if player.view is not None else []
        score = list(player.fold.match.defeat) if player.fold.match else []
        if player.seat != seat or hand != back["hand"] or score != back["score"]:
            raise WrongError(f"seat {seat} came back with {back['hand']} at {back['score']}, not {hand} at {score}")

    def _check_logs(self, *, final: bool) -> None:
        """Every log on disk begins as the host's; in the end all are equal."""
        cast = self.cast
        for index, file in enumerate(cast.journal.files):
            for who in (*cast.seats, WATCHER):
                data, want = cast.log_of(who, index), file.path.read_bytes()
                final_here = final and self.gone.get(index, self.gone.get(index - 1)) != who
                equal = data == want if final_here else want.startswith(data) or data.startswith(want)
                if not equal:
                    name = "the watcher" if who == WATCHER else f"seat {who}"
                    raise WrongError(f"log {index} of {name} has {len(data)} bytes, the host's has {len(want)}")

    def _check_peace(self) -> None:
        """Nobody is blamed or charged, and nobody's seat is lost who has not stayed away."""
        for log, fold in enumerate(self.cast.journal.folds):
            if fold.offences or any(d.outcome.blame is not None or d.charged is not None for d in fold.finished):
                raise WrongError(f"somebody is blamed: {fold.offences} {[d.outcome.blame for d in fold.finished]}")
            if fold.deal is not None and fold.deal.offences:
                raise WrongError(f"somebody is blamed: {fold.deal.offences}")
            lost = {s: c for s, c in fold.lost.items() if not (self.gone.get(log) == s and c == LET_GO)}
            if lost:
                raise WrongError(f"seats were lost: {lost}")

    def _quiet(self) -> None:
        """No new deal is begun; wait until the last one is over and everybody has the whole log."""
        cast = self.cast
        (cast.folder / "hold").touch()

        def quiet() -> bool:
            fold = cast.journal.fold
            between = fold.deal is not None and fold.deal.stage is DealStage.COMMIT and bool(fold.finished)
            if not between or any(map(fold.owes_verdict, range(4))):
                return fold.stage is MatchStage.OVER
            last = len(cast.journal.files) - 1
            size = cast.journal.files[last].path.stat().st_size
            return all(len(cast.log_of(who, last)) == size for who in (*cast.seats, WATCHER))

        cast.until(quiet, "the deal comes to its end and everybody has its log")

    def _check_deals(self) -> None:
        """All deals are audited, with equal verdicts, and are those of the rehearsal."""
        self._check_peace()
        for fold in self.cast.journal.folds:
            for done in fold.finished:
                self._check_deal(fold, done)
        if self.role == GONE:
            return  # other seats, other cards
        fold = self.cast.journal.fold
        rehearsed = rehearse(self.seed, self.arguments, min(DEALS, len(fold.finished)), self.bots)
        if fold.id != rehearsed.match_id:
            if stage_of(self.points[0]) != "join":
                raise WrongError("the match id is not that of the rehearsal")
            return  # a seat was killed before its secret was on disk: it drew another one, and nothing was lost
        plays = {d.deal.number: plays_hash(record_of(d)) for d in fold.finished}
        for number, score in scores_of(fold).items():
            if number <= DEALS and (plays[number], score) != (rehearsed.plays[number], rehearsed.scores[number]):
                raise WrongError(f"deal {number} was played as never without the kill")

    def _check_deal(self, fold: Fold, done: Finished) -> None:
        """Four equal verdicts, and a result. Of a seat that was voted out none is owed, and what it left is void."""
        signed = {seat for seat in range(4) if seat not in fold.lost}
        equal = signed <= done.verdicts.keys() and set(done.verdicts.values()) == {done.right}
        void = bool(fold.lost) and done is fold.finished[-1]
        if not equal or (done.outcome.result is None and not void):
            raise WrongError(f"deal {done.deal.number} ended with verdicts {done.verdicts}")
