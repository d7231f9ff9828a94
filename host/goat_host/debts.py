"""Debts: since when seats owe something, and what the table has to enter because of it (RULES.md R24).

Pure, and no part of it appends: what is due is handed out, and the table enters it (PROTOCOL.md, The table).
"""

from collections.abc import Callable, Iterator, Mapping, Set
from typing import Final, Protocol

from goat_engine.rules import SEATS, Seat
from goat_net.log.absence_table import PAUSE_TIME, VOTE_TIME
from goat_net.log.fold import MatchStage
from goat_net.log.records import Away, CloseVote, EndPause

VERDICT_WITHIN: Final = 20.0  # s a seat's program may take for its last verdict: its line may have to be made again
LONGEST_AWAY: Final = 86_400  # s, the most that a record of absence can say


class Owing(Protocol):
    """What debts read of a log (`goat_net.log.fold.Fold`)."""

    @property
    def stage(self) -> MatchStage:
        """How far the match is."""

    @property
    def open(self) -> bool:
        """Whether anything can still be entered."""

    @property
    def paused(self) -> Seat | None:
        """The seat that has stopped the clocks."""

    @property
    def away(self) -> Mapping[Seat, int]:
        """Seats that are away."""

    def waits_for(self) -> Set[Seat]:
        """Seats that owe a record now."""

    def vote_open(self, target: Seat) -> bool:
        """Whether the people are asked about this seat."""


class Debts:
    """The clocks of one table. ``grace``: seconds that a seat may owe something; ``keeps_waiting``: whether somebody is
    kept waiting by a seat, or nobody minds. Times are those of ``now``, in seconds."""

    def __init__(self, grace: int, keeps_waiting: Callable[[Seat], bool]) -> None:
        self._grace, self._keeps_waiting = grace, keeps_waiting
        self.owed_since: dict[Seat, float] = {}
        self._warned: set[Seat] = set()  # their absence is in the log
        self._asked_since: dict[Seat, float] = {}  # since when the people are asked about a seat
        self._paused_since: float | None = None

    # What has happened

    def log_begun(self) -> None:
        """A log has begun: what was counted for the one before is over."""
        self.owed_since.clear()
        self._warned.clear()
        self._asked_since.clear()
        self._paused_since = None

    def log_resumed(self, log: Owing | None) -> None:
        """A table goes on with a log: whose absence stands there is not entered again."""
        self._warned = set(log.away) if log is not None else set()

    def paid(self, seat: Seat) -> None:
        """A seat has entered something: what it owes from now on it owes anew."""
        self.owed_since.pop(seat, None)

    def slept(self, log: Owing | None, seconds: float) -> None:
        """This process has stood still for so long: what it did not hear is nobody's silence."""
        if log is None or not self.stands(log):  # the time of a pause is taken off when it ends
            self.owed_since = {seat: since + seconds for seat, since in self.owed_since.items()}

    # What follows

    @staticmethod
    def stands(log: Owing) -> bool:
        """Whether the clocks stand still; after the last deal they run, the verdicts are all that is missing."""
        return log.paused is not None and log.stage is not MatchStage.OVER

    def watch(self, log: Owing | None, now: float) -> None:
        """Look at the log: who owes something from now on, and who does not any more."""
        if log is None or not log.open:
            self.owed_since.clear()
            return
        self._watch_pause(log, now)
        owing = log.waits_for()
        for seat in self._warned - log.away.keys():  # the people wait on (R24): the grace time begins again
            self._warned.discard(seat)
            self.owed_since.pop(seat, None)
        self.owed_since = {s: self.owed_since.get(s, now) for s in owing}
        self._warned &= owing
        self._asked_since = {s: self._asked_since.get(s, now) for s in SEATS if log.vote_open(s)}

    def _watch_pause(self, log: Owing, now: float) -> None:
        """The time of a pause is nobody's: when it ends, all times move by it."""
        if self.stands(log):
            self._paused_since = now if self._paused_since is None else self._paused_since
        elif self._paused_since is not None:
            stood, self._paused_since = now - self._paused_since, None
            self.owed_since = {s: t + stood for s, t in self.owed_since.items()}
            self._asked_since = {s: t + stood for s, t in self._asked_since.items()}

    def due(self, log: Owing, now: float) -> Iterator[Away | CloseVote | EndPause]:
        """What is to be entered by now. Each has to be in the log before the next is asked for: what follows from it
        may be that nothing more is due."""
        self.watch(log, now)
        if self.stands(log) and self._paused_since is not None and now >= self._paused_since + PAUSE_TIME:
            yield EndPause()  # a pause that nobody ends
            self.watch(log, now)
        if self.stands(log) or not log.open:
            return
        for seat, asked in sorted(self._asked_since.items()):
            if now >= asked + VOTE_TIME and log.vote_open(seat):  # the count before may have ended the deal
                yield CloseVote(seat)  # who has not said by now what is to be done says nothing any more
        self.watch(log, now)
        for seat, since in sorted(self.owed_since.items()):
            # The absence before may have ended the deal; when the match is over the log ends without a verdict.
            if self._is_late(log, seat, now) and log.stage is not MatchStage.OVER and seat in log.waits_for():
                self._warned.add(seat)
                seconds = max(self._grace, int(now - since))  # a difference may round to just below it
                yield Away(seat, min(LONGEST_AWAY, seconds))

    def _is_late(self, log: Owing, seat: Seat, now: float) -> bool:
        """Whether a seat has owed something for too long, and that is not in the log yet."""
        # The same sum as in `deadline`: a difference may round to just below the grace, and time would stand still.
        late = now >= self.owed_since[seat] + self._patience(log)
        return late and seat not in self._warned and self._keeps_waiting(seat)

    def _patience(self, log: Owing) -> float:
        """Seconds that a seat may owe something. When a match is over only verdicts are missing, which a client gives
        by itself: the next match does not wait for the grace time of one who has gone."""
        return min(self._grace, VERDICT_WITHIN) if log.stage is MatchStage.OVER else self._grace

    def is_done_with(self, log: Owing, seat: Seat, now: float) -> bool:
        """Whether nobody waits any more for what a seat owes after the last deal."""
        since = self.owed_since.get(seat)
        return since is not None and now >= since + self._patience(log)

    def deadline(self, log: Owing) -> float | None:
        """When the next seat's grace time, the next vote or the pause is over."""
        if not log.open:
            return None
        if self.stands(log):
            return None if self._paused_since is None else self._paused_since + PAUSE_TIME
        late = [s for s in self.owed_since if s not in self._warned and self._keeps_waiting(s)]
        times = [self.owed_since[s] + self._patience(log) for s in late]
        times += [since + VOTE_TIME for since in self._asked_since.values()]
        return min(times, default=None)
