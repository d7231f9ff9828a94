"""Who leaves, pauses and votes, by protocol 1: for the saved matches of that time (PROTOCOL.md, Versions).

The same part as `goat_net.log.absence`, with its door; nothing here changes any more.
"""

from typing import Any, Final

from goat_engine.rules import SEATS, Seat, Team, team_of
from goat_net.log.absence_table import CHARGE, LET_GO, WAIT, Cast, Decision, How, Loss, Scene, Where
from goat_net.log.faults import GOOD, Fault, FormError, Judged, form
from goat_net.log.records import Away, Back, Leave, OldVote, Open, PauseClock

MAX_PAUSES: Final = 100  # of one seat in a log: more than people need, and far from filling the log
_DEALS: Final = frozenset({Where.COMMIT, Where.DECK, Where.PLAY, Where.OPEN, Where.STOPPED})
_NOT_NOW: Final = form(FormError.NOT_NOW)
_DONE: Final = form(FormError.ALREADY_DONE)


class FirstAbsence:
    """See the module. A seat is away by the host's word and back by any record; all other people vote about it."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.away: dict[Seat, int] = {}
        self.left: set[Seat] = set()
        self.lost: dict[Seat, int] = {}
        self.paused: Seat | None = None
        self.decisions: list[Decision] = []
        self._votes: dict[Seat, dict[Seat, OldVote]] = {}
        self._pauses = [0, 0, 0, 0]
        self._to_count: list[Seat] = []
        self._payers: dict[int, Team] = {}

    @property
    def votes(self) -> dict[Seat, dict[Seat, int]]:
        """What the people have said, by seat that they are asked about."""
        return {s: {v: vote.choice for v, vote in votes.items()} for s, votes in self._votes.items() if votes}

    def owes_nothing(self, seat: Seat) -> bool:
        """Lost seats owe nothing but their `Open`."""
        return seat in self.lost

    def vote_open(self, target: Seat, scene: Scene) -> bool:
        """Whether the people may decide about a seat: past the grace time, or it said that it leaves."""
        return target in self.left or self.away.get(target, -1) >= self.cast.grace

    def voters(self, target: Seat, scene: Scene) -> tuple[Seat, ...]:
        """All other people who are here."""
        return tuple(
            s for s in self.cast.people if s != target and s not in self.left and not self.vote_open(s, scene)
        )

    def choices(self, target: Seat) -> tuple[int, ...]:
        """What may be said."""
        return (WAIT, LET_GO, CHARGE)

    def has_proof(self, target: Seat) -> bool:
        """Evidence is part of a vote here."""
        return target in self.left

    def unheard_by(self, target: Seat) -> frozenset[Seat]:
        """Evidence is part of a vote here."""
        return frozenset()

    def witnesses(self, target: Seat, scene: Scene) -> tuple[Seat, ...]:
        """Evidence is part of a vote here."""
        return ()

    def is_caught(self, seat: Seat) -> bool:
        """Nothing is barred for a cheat."""
        return False

    @property
    def holds_deal(self) -> bool:
        """A deal begins without who is lost, and waits for them until it is ended."""
        return False

    def put_out(self) -> None:
        """Nobody is."""

    def times_caught(self, seat: Seat) -> int:
        """Nobody counts that here."""
        return 0

    def may_enter(self, seat: Seat, body: Any, seen: int, scene: Scene) -> bool:
        """Of a lost seat only its opening."""
        return seat not in self.lost or isinstance(body, Open)

    def judge_seat(self, seat: Seat, body: Any, scene: Scene) -> Judged:
        """What a seat's `Leave`, `PauseClock` or vote is here."""
        match body:
            case Leave():
                return _DONE if seat in self.left else GOOD
            case PauseClock(on=on):
                fits = scene.where in _DEALS and on != (self.paused is not None)
                return GOOD if fits and not (on and self._pauses[seat] >= MAX_PAUSES) else _NOT_NOW
            case OldVote(seat=target):
                asked = scene.where in _DEALS and seat in self.voters(target, scene)
                if not asked or not self.vote_open(target, scene):
                    return _NOT_NOW
                return _DONE if seat in self._votes.get(target, {}) else GOOD
        return _NOT_NOW

    def judge_host(self, body: Any, scene: Scene) -> Judged:
        """What `Away` or `Back` is here."""
        match body:
            case Away(seat=seat):
                return GOOD if seat in scene.owing else _NOT_NOW
            case Back(seat=seat):
                return GOOD if seat in self.away else _DONE
        return _NOT_NOW

    def entered(self, seat: Seat, body: Any, fault: Fault | None, before: Scene) -> None:
        """Any record of its own ends an absence."""
        if self.away.pop(seat, None) is not None and seat not in self.left:
            self._votes.pop(seat, None)

    def apply_seat(self, seat: Seat, body: Any, scene: Scene) -> None:
        """Fold a seat's record about absence."""
        match body:
            case Leave():
                self.left.add(seat)
                self._to_count = list(SEATS)
            case PauseClock(on=on):
                self.paused = seat if on else None
                self._pauses[seat] += on
            case OldVote(seat=target):
                self._votes.setdefault(target, {})[seat] = body
                self._to_count = [target]

    def apply_host(self, body: Any, scene: Scene) -> None:
        """Fold a host's record about absence."""
        match body:
            case Away(seat=seat, seconds=seconds):
                self.away[seat] = seconds
                self._to_count = list(SEATS)
            case Back(seat=seat):
                self.away.pop(seat, None)
                self._votes.pop(seat, None)

    @property
    def may_count(self) -> bool:
        """It is known where it is counted."""
        return True

    def next_loss(self, scene: Scene) -> Loss | None:
        """Count about every seat once, in order."""
        while self._to_count:
            loss = self._count(self._to_count.pop(0), scene)
            if loss is not None:
                return loss
        return None

    def _count(self, target: Seat, scene: Scene) -> Loss | None:
        if scene.where not in _DEALS or not self.vote_open(target, scene) or target in self.lost:
            return None
        voters = self.voters(target, scene)
        votes = {s: v for s, v in self._votes.get(target, {}).items() if s in voters}
        counts = [sum(1 for v in votes.values() if v.choice == c) for c in (WAIT, LET_GO, CHARGE)]
        proof = target in self.left or any(v.unreached and s != self.cast.owner for s, v in votes.items())
        settled = max(counts) * 2 > len(voters) and (proof or counts[CHARGE] * 2 <= len(voters))
        if len(votes) < len(voters) and not settled:
            return None
        self._votes.pop(target, None)
        if voters and counts[WAIT] * 2 > len(voters):
            self.away.pop(target, None)
            return None
        return self._lose(target, counts[CHARGE] * 2 > len(voters) and proof, votes, scene)

    def _lose(self, target: Seat, charged: bool, votes: dict[Seat, OldVote], scene: Scene) -> Loss:
        payer = team_of(target) if charged else None
        how = How.CHARGED if charged else How.LET_GO
        said = {s: v.choice for s, v in votes.items()}
        self.decisions.append(Decision(target, scene.deal, how, said, payer, scene.entry))
        self.lost[target] = CHARGE if charged else LET_GO
        unopened = target not in scene.opened or scene.where not in (Where.OPEN, Where.STOPPED)
        if unopened and payer is not None:
            self._payers.setdefault(scene.deal, payer)
        return Loss(target, unopened, unopened)

    def caught(self, seat: Seat, fault: Fault, deal: int, *, now: bool) -> None:
        """A cheat costs points and nothing else."""

    def deal_over(self, over: bool) -> None:
        """Absences, votes and pauses go on over deals."""

    def payer(self, deal: int) -> Team | None:
        """The team that pays for an absence in this deal."""
        return self._payers.get(deal)

    def is_spared(self, deal: int) -> bool:
        """A deal that somebody has not opened counts for nobody."""
        return True

    def is_unheard(self, deal: int) -> bool:
        """There is no such evidence."""
        return False
