"""Who leaves, stalls, pauses and votes (RULES.md R24, R25; PROTOCOL.md, Those who leave).

A part of the fold, by the newest protocol; `goat_net.log.absence_1` is the same part by protocol 1. It is told of each
entry, says what a record about absence is, and gives the counts that take effect, one after the other. It holds nothing
secret and knows no clock: all time in a log is somebody's word. The rules are data, in `goat_net.log.absence_table`.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from goat_engine.rules import SEATS, Seat, Team, team_of
from goat_net.log.absence_table import (
    CHARGE,
    LET_GO,
    MAX_WAITS,
    MAY_ENTER,
    MISSED_NOTHING,
    MISSING,
    NO_ANSWER,
    OUT_AFTER,
    PAUSES,
    WAIT,
    Cast,
    Decision,
    How,
    Loss,
    Scene,
    State,
    Where,
)
from goat_net.log.faults import GOOD, Fault, FormError, Judged, form
from goat_net.log.records import Away, CloseVote, Commit, EndPause, Leave, PauseClock, Unheard, Vote, YieldPlay

_NOT_NOW: Final = form(FormError.NOT_NOW)
_DONE: Final = form(FormError.ALREADY_DONE)
_DEALS: Final = frozenset({Where.COMMIT, Where.DECK, Where.PLAY, Where.OPEN, Where.STOPPED})
_EXPLAINED: Final = frozenset({Fault.REUSED_COUNTER, Fault.FOREIGN_HEAD})  # a fork or a copied folder may explain them


@dataclass(slots=True)
class _Asked:
    """What is said about one seat while the people are asked. ``unheard``: whose machines heard nothing of it."""

    votes: dict[Seat, int] = field(default_factory=dict)
    unheard: set[Seat] = field(default_factory=set)
    closed: bool = False


class AbsenceFold:
    """See the module; its door is `AbsencePart`. ``away``: by seat, the seconds that the host has said."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.away: dict[Seat, int] = {}
        self.left: set[Seat] = set()
        self.lost: dict[Seat, int] = {}
        self.paused: Seat | None = None
        self.decisions: list[Decision] = []
        self._asked: dict[Seat, _Asked] = {}
        self._waits = [0, 0, 0, 0]  # of this deal
        self._pauses = [0, 0, 0, 0]  # of this deal
        self._paused_at = 0  # entries when the pause was in the log
        self._resume: set[Seat] = set()  # who has said in this pause that it may end
        self._caught: set[Seat] = set()  # in the deal that is on
        self._caught_in: dict[Seat, set[int]] = {s: set() for s in SEATS}
        self._gone: set[Seat] = set()  # lost in the deal that is on before they had opened
        self._payers: dict[int, Team | None] = {}
        self._spared: set[int] = set()
        self._unheard: set[int] = set()

    # Asking

    @property
    def votes(self) -> dict[Seat, dict[Seat, int]]:
        """What the people have said, by seat that they are asked about."""
        return {s: dict(a.votes) for s, a in self._asked.items() if a.votes}

    def state(self, seat: Seat) -> State:
        """What a seat is now."""
        if seat in self.lost:
            return State.LOST
        if seat in self._caught:
            return State.CAUGHT
        if seat in self.left:
            return State.LEFT
        return State.AWAY if seat in self.away else State.HERE

    def owes_nothing(self, seat: Seat) -> bool:
        """Lost and caught seats owe nothing but their `Open`."""
        return self.state(seat) in (State.LOST, State.CAUGHT)

    def is_missing(self, seat: Seat, scene: Scene) -> bool:
        """Whether the present deal lacks something that this seat will not bring, as far as can be seen."""
        if scene.where in (Where.OPEN, Where.STOPPED) and seat in scene.opened:
            return False
        return seat in self.away or seat in self.left or seat in self._gone

    def _both(self, scene: Scene) -> bool:
        """Whether seats that both teams answer for are missing: then nobody pays."""
        return {self.cast.pays[s] for s in SEATS if self.is_missing(s, scene)} >= {0, 1}

    def vote_open(self, target: Seat, scene: Scene) -> bool:
        """Whether the people are asked about a seat."""
        place = MISSING.get(scene.where)
        open_now = place is not None and place.asked and target not in self.lost
        return open_now and self.is_missing(target, scene) and bool(self.voters(target, scene))

    def voters(self, target: Seat, scene: Scene) -> tuple[Seat, ...]:
        """The people of the other team who are here."""
        payer = self.cast.pays[target]
        if payer is None:
            return ()
        return tuple(s for s in self.cast.people if team_of(s) != payer and self.state(s) is State.HERE)

    def choices(self, target: Seat) -> tuple[int, ...]:
        """What may be said about a seat now: no more than twice to wait, and never for one that has said goodbye."""
        waits = target not in self.left and self._waits[target] < MAX_WAITS
        return (WAIT, LET_GO, CHARGE) if waits else (LET_GO, CHARGE)

    def witnesses(self, target: Seat, scene: Scene) -> tuple[Seat, ...]:
        """Seats whose machines may say that they heard nothing of a seat: people who are here, not the host's."""
        if target in self.left or not self.vote_open(target, scene):
            return ()
        return tuple(
            s for s in self.cast.people if s not in (target, self.cast.owner) and self.state(s) is State.HERE
        )

    def unheard_by(self, target: Seat) -> frozenset[Seat]:
        """Whose machines have said so."""
        asked = self._asked.get(target)
        return frozenset(asked.unheard) if asked is not None else frozenset()

    def has_proof(self, target: Seat) -> bool:
        """Whether a charge may be counted: by the seat's own goodbye, or by enough machines that are not the host's."""
        needed = 1 if self.cast.owner in SEATS else 2
        return target in self.left or len(self.unheard_by(target)) >= needed

    # Judging

    def is_caught(self, seat: Seat) -> bool:
        """Whether a seat was caught in the deal that is on."""
        return seat in self._caught

    @property
    def holds_deal(self) -> bool:
        """Whether no deal begins: a seat is lost, and without it none could end."""
        return bool(self.lost)

    def times_caught(self, seat: Seat) -> int:
        """In how many deals of the match a seat was caught, those before this log included."""
        return self.cast.caught[seat] + len(self._caught_in[seat])

    def may_enter(self, seat: Seat, body: Any, seen: int, scene: Scene) -> bool:
        """By `MAY_ENTER`; no commitment while a seat is lost, and no answer of R17 that knew of the pause."""
        allowed = MAY_ENTER[self.state(seat)]
        if isinstance(body, Commit) and self.holds_deal:
            return False
        if allowed is not None and type(body) not in allowed:
            return False
        return not (isinstance(body, YieldPlay) and self.paused is not None and seen >= self._paused_at)

    def judge_seat(self, seat: Seat, body: Any, scene: Scene) -> Judged:
        """What a seat's `Leave`, `PauseClock`, `Vote` or `Unheard` is here."""
        if isinstance(body, Leave):
            return _DONE if seat in self.left else _NOT_NOW if seat in self.lost else GOOD
        if scene.where not in _DEALS or seat not in self.cast.people or self.state(seat) is not State.HERE:
            return _NOT_NOW
        if isinstance(body, PauseClock):
            return self._judge_pause(seat, body.on)
        if not self.vote_open(body.seat, scene):
            return _NOT_NOW
        asked = self._asked.get(body.seat, _Asked())
        if isinstance(body, Unheard):
            right = seat in self.witnesses(body.seat, scene) and body.waited >= self.cast.grace
            return _NOT_NOW if not right else _DONE if seat in asked.unheard else GOOD
        if seat not in self.voters(body.seat, scene) or body.choice not in (*self.choices(body.seat), NO_ANSWER):
            return _NOT_NOW
        return _DONE if seat in asked.votes else GOOD

    def _judge_pause(self, seat: Seat, on: bool) -> Judged:
        if on:
            return GOOD if self.paused is None and self._pauses[seat] < PAUSES else _NOT_NOW
        if self.paused is None:
            return _NOT_NOW
        return _DONE if seat in self._resume else GOOD

    def judge_host(self, body: Any, scene: Scene) -> Judged:
        """What `Away`, `CloseVote` or `EndPause` is here."""
        if isinstance(body, EndPause):
            return GOOD if self.paused is not None else _NOT_NOW
        if self.paused is not None and scene.where in _DEALS:
            return _NOT_NOW  # time stands still
        if isinstance(body, CloseVote):
            return GOOD if self.vote_open(body.seat, scene) else _NOT_NOW
        late = isinstance(body, Away) and body.seconds >= self.cast.grace
        return GOOD if late and body.seat in scene.owing and body.seat not in self.away else _NOT_NOW

    # Folding

    def entered(self, seat: Seat, body: Any, fault: Fault | None, before: Scene) -> None:
        """Only what a seat owes ends its absence."""
        if fault is None and seat in before.owing and not isinstance(body, MISSED_NOTHING):
            self.away.pop(seat, None)
            if seat not in self.left:
                self._asked.pop(seat, None)

    def apply_seat(self, seat: Seat, body: Any, scene: Scene) -> None:
        """Fold a seat's record about absence."""
        match body:
            case Leave():
                self.left.add(seat)
                if self.paused == seat:
                    self._end_pause()
            case PauseClock(on=True):
                self.paused, self._paused_at = seat, scene.entry + 1
                self._pauses[seat] += 1
            case PauseClock():
                self._resume.add(seat)
                if seat == self.paused or self._agreed():
                    self._end_pause()
            case Vote(seat=target, choice=choice):
                self._asked.setdefault(target, _Asked()).votes[seat] = choice
            case Unheard(seat=target):
                self._asked.setdefault(target, _Asked()).unheard.add(seat)

    def _agreed(self) -> bool:
        """Whether of each team that has people somebody has said that the pause may end."""
        teams = {team_of(s) for s in self.cast.people if self.state(s) is State.HERE}
        return teams <= {team_of(s) for s in self._resume}

    def _end_pause(self) -> None:
        self.paused = None
        self._resume.clear()

    def apply_host(self, body: Any, scene: Scene) -> None:
        """Fold a host's record about absence."""
        match body:
            case Away(seat=seat, seconds=seconds):
                self.away[seat] = seconds
            case CloseVote(seat=seat):
                self._asked.setdefault(seat, _Asked()).closed = True
            case EndPause():
                self._end_pause()

    # Counting

    @property
    def may_count(self) -> bool:
        """Only of who is away or has left anything is decided."""
        return bool(self.away or self.left)

    def next_loss(self, scene: Scene) -> Loss | None:
        """The lowest seat about which a count takes effect now."""
        for seat in SEATS:
            how = self._count(seat, scene)
            if how is How.WAITED:
                self._decided(seat, how, scene)
                self._waits[seat] += 1
                self.away.pop(seat, None)
                self._asked.pop(seat, None)
                return self.next_loss(scene)  # the lowest again: who is waited for is asked again
            if how is not None:
                return self._lose(seat, how, scene)
        return None

    def _count(self, seat: Seat, scene: Scene) -> How | None:
        """What the votes about a seat come to; None while they come to nothing."""
        place = MISSING.get(scene.where)
        if place is None or seat in self.lost or not (seat in self.away or seat in self.left):
            return None
        voters = self.voters(seat, scene)
        if not place.asked or not self.is_missing(seat, scene) or self._both(scene) or not voters:
            return How.AT_ONCE
        asked = self._asked.get(seat, _Asked())
        said = [asked.votes[s] for s in voters if s in asked.votes]
        if LET_GO in said:
            return How.LET_GO
        if NO_ANSWER in said or asked.closed:
            return How.UNANSWERED
        if len(said) < len(voters):
            return None
        if WAIT in said:
            return How.WAITED
        return How.CHARGED if self.has_proof(seat) else None  # a charge waits for whoever may still bear it out

    def _lose(self, seat: Seat, how: How, scene: Scene) -> Loss:
        place = MISSING[scene.where]
        unopened = scene.where is not Where.COMMIT and seat not in scene.opened
        self._decided(seat, how, scene)
        if unopened:
            self._gone.add(seat)
        if scene.where is Where.OPEN and unopened:
            if self.has_proof(seat):
                self._unheard.add(scene.deal)
            if how is How.LET_GO:
                self._spared.add(scene.deal)
        if how is How.CHARGED and self._payers.get(scene.deal) is None:
            self._payers[scene.deal] = self.cast.pays[seat]
        self.lost[seat] = CHARGE if how is How.CHARGED else LET_GO
        self._asked.pop(seat, None)
        if self.paused == seat:
            self._end_pause()
        return Loss(seat, unopened, unopened and place.stops)

    def _decided(self, seat: Seat, how: How, scene: Scene) -> None:
        votes = dict(self._asked[seat].votes) if seat in self._asked else {}
        payer = self.cast.pays[seat] if how is How.CHARGED else None
        self.decisions.append(Decision(seat, scene.deal, how, votes, payer, scene.entry))

    # Cheats and deals

    def caught(self, seat: Seat, fault: Fault, deal: int, *, now: bool) -> None:
        """A seat was caught in a deal; ``now``: in the one that is on. A second deal of such is one too many."""
        if now:
            self._caught.add(seat)
            if self.paused == seat:
                self._end_pause()
        if fault not in _EXPLAINED:
            self._caught_in[seat].add(deal)

    def deal_over(self, over: bool) -> None:
        """What holds for one deal begins anew, and who is away still owes what it owed."""
        self._caught.clear()
        self._gone.clear()
        self._asked.clear()
        self._waits, self._pauses = [0, 0, 0, 0], [0, 0, 0, 0]
        if over:
            self._end_pause()
        else:
            self.put_out()

    def put_out(self) -> None:
        """Who was caught in two deals of the match is out of it."""
        for seat in SEATS:
            if self.times_caught(seat) >= OUT_AFTER:
                self.lost.setdefault(seat, LET_GO)
        if self.paused in self.lost:
            self._end_pause()

    def payer(self, deal: int) -> Team | None:
        """The team that pays for an absence in this deal."""
        return self._payers.get(deal)

    def is_spared(self, deal: int) -> bool:
        """Whether somebody of the other team let a seat go that did not open in this deal."""
        return deal in self._spared

    def is_unheard(self, deal: int) -> bool:
        """Whether there was enough evidence against a seat that did not open in this deal."""
        return deal in self._unheard
