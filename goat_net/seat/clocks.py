"""How long each seat has kept the others waiting, as one client sees it, and the turn clock (RULES.md R24). No I/O.

Only for screens and for one's own clock: what counts is the host's `Away` entry and the votes in the log.
"""

from dataclasses import dataclass, field

from goat_engine.rules import SEATS, Seat
from goat_net.log.absence_table import MISSED_NOTHING, SILENT_AFTER
from goat_net.log.chain import Record
from goat_net.log.deal import DealStage
from goat_net.log.fold import Fold, MatchStage


@dataclass(slots=True)
class Waiting:
    """Since when each seat owes something, and what each has used of its reserve in this deal. Times in seconds of any
    one clock. While the table is paused, or ``stopped`` (we are cut off), all of them stand still."""

    since: dict[Seat, float] = field(default_factory=dict)
    used: dict[Seat, float] = field(default_factory=dict)
    _stood_at: float | None = None
    _deal: tuple[bytes, int] = (b"", 0)

    def update(self, fold: Fold, now: float, *, stopped: bool = False) -> None:
        """The log or the time has changed."""
        if self._stood_at is not None:
            stood = now - self._stood_at
            self.since = {s: t + stood for s, t in self.since.items()}
            self._stood_at = None
        if stopped or fold.paused is not None:
            self._stood_at = now
        deal = (fold.id, fold.deal.number if fold.deal else 0)
        if deal != self._deal:
            self._deal, self.used, self.since = deal, {}, {}
        playing = fold.stage in (MatchStage.COMMITS, MatchStage.NONCES, MatchStage.DEALS)
        owing = fold.waits_for() if playing else frozenset()
        self.since = {s: self.since.get(s, now) for s in SEATS if s in owing}

    def acted(self, fold: Fold, record: Record, now: float) -> None:
        """A seat's record has come: what it owes from now on it owes anew, and its reserve has paid for the time."""
        if isinstance(record.body, MISSED_NOTHING):
            return
        since = self.since.pop(record.author, None)
        if since is not None and fold.table is not None:
            over = now - since - fold.table.settings.clock_base
            self.used[record.author] = self.used.get(record.author, 0.0) + max(0.0, over)

    def waited(self, seat: Seat, now: float) -> float:
        """Seconds that a seat has owed what it owes."""
        since = self.since.get(seat)
        return 0.0 if since is None else max(0.0, min(now, self._stood_at or now) - since)

    def left(self, fold: Fold, seat: Seat, now: float) -> float | None:
        """Seconds on a seat's turn clock, its reserve included; None without a clock or when it isn't its turn."""
        if fold.table is None or fold.deal is None or seat not in self.since:
            return None
        settings = fold.table.settings
        if not settings.clock_base or fold.deal.stage is not DealStage.PLAY or fold.deal.owed:
            return None
        total = settings.clock_base + settings.clock_more - self.used.get(seat, 0.0)
        return max(0.0, total - self.waited(seat, now))


@dataclass(slots=True)
class Asked:
    """Since when this client's player has been asked about a seat, by its own clock (R24). While the table is paused
    that time stands still. ``mine``: those about whom they may still say something."""

    since: dict[Seat, float] = field(default_factory=dict)
    mine: frozenset[Seat] = frozenset()
    _spoken: set[Seat] = field(default_factory=set)
    _stood_at: float | None = None

    def update(self, fold: Fold, seat: Seat | None, now: float) -> None:
        """The log or the time has changed; ``seat`` is this client's."""
        if self._stood_at is not None:
            self.since = {s: t + now - self._stood_at for s, t in self.since.items()}
            self._stood_at = None
        if fold.paused is not None:
            self._stood_at = now
        self.since = {s: self.since.get(s, now) for s in SEATS if fold.vote_open(s)}
        self._spoken &= self.since.keys()
        said = {s for s, votes in fold.votes.items() if seat in votes} | self._spoken
        self.mine = frozenset(s for s in self.since if seat in fold.voters(s) and s not in said)

    def asked_for(self, seat: Seat, now: float) -> float:
        """Seconds that the question has been open; 0 when it is not."""
        since = self.since.get(seat)
        return 0.0 if since is None else max(0.0, min(now, self._stood_at or now) - since)

    def unanswered(self, now: float) -> list[Seat]:
        """Seats about which the player has not answered in time; each is named once."""
        if self._stood_at is not None:
            return []
        late = [s for s in sorted(self.mine) if now >= self.since[s] + SILENT_AFTER]
        self._spoken.update(late)
        return late

    @property
    def deadline(self) -> float | None:
        """When the next silence is to be signed."""
        times = [self.since[s] + SILENT_AFTER for s in self.mine - self._spoken]
        return None if self._stood_at is not None else min(times, default=None)
