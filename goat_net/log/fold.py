"""The fold of a whole log: the table's agreement, nonces, deals, scores, votes (PROTOCOL.md, The log, The match).

Everybody has one of these and feeds it entries: the host's table, each player, a watcher, `goat verify`. It holds
nothing secret. `Fold.judge` says what a record would be here; `Fold.take` checks an entry whole and folds it.

It is one machine, and so one long module: what a record is here, what becomes of it, and what score follows stand on
the same state. What can be said without that state stands elsewhere: the first entry, a deal, who is absent, the end
of a deal, what the log before says.
"""

import hashlib
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

from goat_engine.match import MatchState, after_deal, after_void, begin
from goat_engine.rules import SEATS, Rules, Seat, Team, team_of
from goat_net.log.absence_table import AbsencePart, Cast, Decision, Loss, Scene, Where
from goat_net.log.chain import Chain, ChainError, Record, entry_signed, parse_record
from goat_net.log.deal import DEAL_KINDS, DealFold, DealStage
from goat_net.log.faults import FORM_TEXTS, GOOD, UNANSWERED, Fault, FormError, Judged, Offence, form, offence
from goat_net.log.first_entry import begun, first_dealer, match_id_of, nonce_commitment
from goat_net.log.records import (
    HOST,
    Away,
    Back,
    CloseVote,
    End,
    EndPause,
    Leave,
    Nonce,
    NonceCommit,
    OldVote,
    Open,
    PauseClock,
    Refuse,
    SeatEntry,
    Table,
    Unheard,
    Verdict,
    Vote,
)
from goat_net.log.settle import Outcome, settle
from goat_net.log.statutes import NEWEST
from goat_net.log.unopened import unopened
from goat_net.wire.codec import WireError, pack
from goat_net.wire.messages import NewEntry

MAX_REFUSALS: Final = 200  # of one seat in a log; an honest client has a few, from races
END_OVER, END_SEATS, END_CLOSED = 0, 1, 2


class MatchStage(IntEnum):
    """What the log waits for."""

    NEW = 0
    COMMITS = 1
    NONCES = 2
    DEALS = 3
    OVER = 4
    ENDED = 5


@dataclass(slots=True)
class Finished:
    """A deal that is over: its fold, its outcome, the verdicts so far, the match before it. ``right``: the verdict that
    the audit gives; it stays so when somebody's false verdict makes the deal void."""

    deal: DealFold
    outcome: Outcome
    before: MatchState
    right: Verdict
    charged: Team | None = None
    cost: int = 0  # defeat points that are charged
    verdicts: dict[Seat, Verdict] = field(default_factory=dict)


class Fold:
    """See the module. ``table_key``: the key the log must be signed with, or None to take the one it names (a file).
    ``live``: the log of a table that is played at, so of the newest protocol: an older one, with fewer rules, would be
    a host's way around the new ones. ``statutes``: the rules of the log's protocol. ``id``: the id that records carry
    now (the log's id, then the match id)."""

    def __init__(self, table_key: bytes | None = None, *, live: bool = False) -> None:
        self.table_key, self.live = table_key, live
        self.statutes = NEWEST
        self.stage = MatchStage.NEW
        self.table: Table | None = None
        self.rules = Rules()
        self.chain = Chain(b"")
        self.id = b""
        self.counters = [0, 0, 0, 0, 0]
        self.entered: dict[tuple[int, int], int] = {}  # by author and counter: the entry of the record
        self.reused: set[tuple[int, int]] = set()  # counters whose second record is in the log: once is enough
        self.seen = [0, 0, 0, 0, 0]  # how much of the log each author has said that it had seen
        self.refusals = [0, 0, 0, 0]
        self.nonce_commits: dict[Seat, bytes] = {}
        self.nonces: dict[Seat, bytes] = {}
        self.match: MatchState | None = None
        self.deal: DealFold | None = None
        self.finished: list[Finished] = []
        self.offences: list[Offence] = []
        self.absence: AbsencePart = self.statutes.absence(Cast((), (None,) * 4, HOST, 0))

    # Asking

    @property
    def seats(self) -> tuple[SeatEntry, ...]:
        """Who sits where, by the table's record."""
        return self.table.seats if self.table else ()

    @property
    def fair(self) -> bool:
        """Whether nobody's secrets come from a seed known to all."""
        return self.table is None or not self.table.settings.seed

    @property
    def people(self) -> tuple[Seat, ...]:
        """Seats held by people."""
        return tuple(s for s in SEATS if self.table and not self.table.seats[s].bot)

    # Who is absent: asked of the part of that name

    @property
    def away(self) -> dict[Seat, int]:
        """Seats that are away, with the seconds that the host has said."""
        return self.absence.away

    @property
    def left(self) -> set[Seat]:
        """Seats that have said goodbye."""
        return self.absence.left

    @property
    def lost(self) -> dict[Seat, int]:
        """Seats that the log goes on without, with 2 where one was charged for and 1 where not."""
        return self.absence.lost

    @property
    def votes(self) -> dict[Seat, dict[Seat, int]]:
        """What the people have said, by seat that they are asked about."""
        return self.absence.votes

    @property
    def paused(self) -> Seat | None:
        """The seat that has stopped the clocks."""
        return self.absence.paused

    @property
    def decisions(self) -> list[Decision]:
        """What was decided about seats that were missing, in order."""
        return self.absence.decisions

    def vote_open(self, target: Seat) -> bool:
        """Whether the people are asked about this seat (R24)."""
        return self.absence.vote_open(target, self.scene)

    def voters(self, target: Seat) -> tuple[Seat, ...]:
        """People who are asked about a seat, or would be."""
        return self.absence.voters(target, self.scene)

    @property
    def scene(self) -> Scene:
        """Where the log is, as far as absence goes."""
        deal, entries = self.deal, len(self.chain)
        if self.stage is not MatchStage.DEALS or deal is None:
            return Scene(_WHERE[self.stage], owing=self.waits_for(), entry=entries)
        if deal.stage is DealStage.OPEN:
            where = Where.STOPPED if deal.stopped else Where.OPEN
        else:
            where = _WHERE_IN_DEAL[deal.stage]
        return Scene(where, deal.number, self.waits_for(), frozenset(deal.seeds), entries)

    def waits_for(self) -> frozenset[Seat]:
        """Seats that owe a record now."""
        if self.stage is MatchStage.COMMITS:
            return frozenset(s for s in SEATS if s not in self.nonce_commits)
        if self.stage is MatchStage.NONCES:
            return frozenset(s for s in SEATS if s not in self.nonces)
        unsaid = {s for s in SEATS if self.owes_verdict(s)}
        if self.stage is MatchStage.DEALS and self.deal is not None:
            held = self.deal.stage is DealStage.COMMIT and self.absence.holds_deal
            return frozenset(unsaid) if held else (self.deal.waits_for() - self.lost.keys()) | unsaid
        return frozenset(unsaid) if self.stage is MatchStage.OVER else frozenset()

    @property
    def open(self) -> bool:
        """Whether anything can still be entered."""
        return self.stage not in (MatchStage.NEW, MatchStage.ENDED)

    @property
    def _deal_is_open(self) -> bool:
        """Whether no seed has to be opened any more: a seat that the match goes on without owes nothing, also in the
        deal after the one in which it was lost."""
        deal = self.deal
        return deal is not None and deal.stage is DealStage.OPEN and not deal.waits_for() - self.lost.keys()

    def owes_verdict(self, seat: Seat) -> bool:
        """Whether this seat's verdict on the last finished deal is missing."""
        free = self.absence.owes_nothing(seat)
        return bool(self.finished) and seat not in self.finished[-1].verdicts and not free

    def charged_team(self, seat: Seat) -> Team | None:
        """The team that pays for a seat's offence: for a bot, that of the player whose machine runs it (R23); nobody's
        for a bot that the table answers for."""
        entry = self.seats[seat]
        if self.statutes.answered_for and self.table is not None and entry.operator == self.table.table_key:
            return None
        owners = [s for s in SEATS if entry.operator and self.seats[s].key == entry.operator]
        return team_of(owners[0] if owners else seat)

    def may_sign(self, seat: Seat, body: Any) -> bool:
        """Whether this seat's state lets it sign such a body now; an honest client signs no other."""
        deals = self.stage is MatchStage.DEALS and isinstance(body, (*DEAL_KINDS, Verdict))
        free = not deals or self.absence.may_enter(seat, body, len(self.chain), self.scene)
        return free and (isinstance(body, Open) or not self.absence.is_caught(seat))

    # Judging

    def judge(self, record: Record) -> Judged:
        """What a seat's record, whose signature is good, would be as the next entry."""
        assert record.author != HOST
        seat = record.author
        if record.match_id not in (self.id, self.chain.log_id):  # before the match id records carry the log's
            return form(FormError.OTHER_MATCH)
        caught = self.absence.is_caught(seat)  # then nothing stands but its opening, and no second offence
        if caught and not isinstance(record.body, Open):
            return _NOT_NOW
        number = self.entered.get((seat, record.counter))
        used = number is not None and (seat, record.counter) not in self.reused and self.open
        if used and not caught and number is not None and not self._says_the_same(number, record):
            return offence(Fault.REUSED_COUNTER)
        if record.match_id != self.id:
            return form(FormError.OTHER_MATCH)
        if record.counter != self.counters[seat]:
            return form(FormError.COUNTER)
        if record.seen >= len(self.chain.heads):
            return form(FormError.UNKNOWN_HEAD)
        if self.chain.heads[record.seen] != record.seen_head and self.open:
            if caught:
                return _NOT_NOW
            return offence(Fault.FOREIGN_HEAD)  # two heads for one number: it shows the host's signature, or it lied
        return form(FormError.STALE) if record.seen < self.seen[seat] else self._judge_body(record)

    def _says_the_same(self, number: int, record: Record) -> bool:
        """Whether the record of this entry and another under its counter differ at most in the head they name. A seat
        that lost its last record in a power cut says the same again, on a log that may have gone on meanwhile."""
        raw = self.chain.entries[number].record
        if raw == record.raw:
            return True
        one = parse_record(raw)
        return (one.match_id, one.deal, one.body) == (record.match_id, record.deal, record.body)

    def _judge_body(self, record: Record) -> Judged:
        seat, body = record.author, record.body
        number = self.deal.number if self.deal else 0
        if self.stage is MatchStage.ENDED:
            return _NOT_NOW
        if isinstance(body, Verdict):
            return self._judge_verdict(record)
        if record.deal != number:
            return form(FormError.OTHER_MATCH)
        match body:
            case NonceCommit():
                if self.stage is not MatchStage.COMMITS:
                    return form(FormError.NOT_NOW)
                return form(FormError.ALREADY_DONE) if seat in self.nonce_commits else GOOD
            case Nonce():
                if self.stage is not MatchStage.NONCES:
                    return form(FormError.NOT_NOW)
                if seat in self.nonces:
                    return form(FormError.ALREADY_DONE)
                right = nonce_commitment(self.chain.log_id, seat, body.nonce) == self.nonce_commits[seat]
                return GOOD if right else offence(Fault.FALSE_NONCE)
        if isinstance(body, _ABSENCE_SAID):
            return self.absence.judge_seat(seat, body, self.scene)
        if not isinstance(body, DEAL_KINDS) or self.deal is None or self.stage is not MatchStage.DEALS:
            return _NOT_NOW
        if self.owes_verdict(seat):
            return form(FormError.NO_VERDICT)
        if not self.absence.may_enter(seat, body, record.seen, self.scene):
            return _NOT_NOW  # the match goes on under other seats; what it has committed to it may still open (R25)
        return self.deal.judge(record)

    def _judge_verdict(self, record: Record) -> Judged:
        if not self.finished or record.deal != self.finished[-1].deal.number:
            return _NOT_NOW
        last = self.finished[-1]
        if record.author in last.verdicts:
            return form(FormError.ALREADY_DONE)
        if record.author in self.lost:
            return _NOT_NOW  # it owes none; a false one could come when the next deal is under way
        return GOOD if record.body == last.right else offence(Fault.FALSE_VERDICT)

    # Folding

    def take(self, entry: NewEntry) -> tuple[Record, Judged]:
        """Check an entry whole and fold it. ChainError: the host's doing (or damage of a file), named by its entry;
        nothing has changed then."""
        if self.stage is MatchStage.NEW:
            record = self._parsed(entry)
            self._begin(entry, record)
            return record, GOOD
        record, judged = self.check(entry)
        self._enter(entry, record, judged)
        return record, judged

    def check(self, entry: NewEntry) -> tuple[Record, Judged]:
        """What `take` checks of an entry after the first one; nothing changes. Raises ChainError."""
        record = self._parsed(entry)
        head = self.chain.expect(entry)
        assert self.table is not None
        if not entry_signed(entry, self.table.table_key, self.id, head):
            raise ChainError(entry.number, "the host's signature is not good")
        key = self.table.table_key if record.author == HOST else self.seats[record.author].key
        if not record.signed_by(key):
            raise ChainError(entry.number, f"the signature of {author_name(record.author)} is not good")
        judged = self._judge_host(record) if record.author == HOST else self.judge(record)
        if judged.form is not None:
            who = author_name(record.author)
            raise ChainError(entry.number, f"{who}'s record cannot stand here: {FORM_TEXTS[judged.form]}")
        return record, judged

    def knows(self, record: Record) -> bool:
        """Whether the log's protocol has records of this kind; a record of any other kind is none."""
        return type(record.body) in self.statutes.kinds

    def _parsed(self, entry: NewEntry) -> Record:
        try:
            record = parse_record(entry.record)
        except WireError as error:
            raise ChainError(entry.number, f"not a record: {error}") from error
        if not self.knows(record):
            kind, protocol = type(record.body).__name__, self.statutes.protocol
            raise ChainError(entry.number, f"not a record: protocol {protocol} has no {kind}")
        return record

    def enter(self, entry: NewEntry, record: Record, judged: Judged) -> None:
        """Host's side of `take`: fold an entry made from a record that was just judged to be good or an offence."""
        self._enter(entry, record, judged)

    def _enter(self, entry: NewEntry, record: Record, judged: Judged) -> None:
        before = self.scene
        self.chain.add(entry)
        if judged.fault is Fault.REUSED_COUNTER:
            self.reused.add((record.author, record.counter))
        else:
            self.entered[record.author, record.counter] = entry.number
            self.counters[record.author] = record.counter + 1
            last = 0 if not self.statutes.seen_grows else self.seen[record.author]
            self.seen[record.author] = max(last, record.seen)
        if record.author != HOST:
            self.absence.entered(record.author, record.body, judged.fault, before)
        self._apply(record, entry.number, judged, before)
        while self.absence.may_count and (loss := self.absence.next_loss(self.scene)) is not None:
            self._lose(loss)

    def _begin(self, entry: NewEntry, record: Record) -> None:
        chain, table, statutes = begun(entry, record, self.table_key, live=self.live)
        self.chain, self.table, self.id, self.statutes = chain, table, chain.log_id, statutes
        self.rules = Rules(table.target, table.eggs_double, table.yield_time)
        pays = tuple(self.charged_team(s) for s in SEATS)
        before = {one.key: one.deals for old in table.carried for one in old.caught}
        caught = tuple(before.get(seat.key, 0) for seat in table.seats)
        self.absence = statutes.absence(Cast(self.people, pays, table.owner, table.settings.grace, caught))
        self.entered[HOST, 0] = entry.number
        self.counters[HOST] = 1
        self.stage = MatchStage.COMMITS

    def _judge_host(self, record: Record) -> Judged:
        body = record.body
        wrong_id = record.match_id != self.id or record.deal != (self.deal.number if self.deal else 0)
        seen_all = record.seen == len(self.chain) and record.seen_head == self.chain.head
        if wrong_id or record.counter != self.counters[HOST] or not seen_all:
            return form(FormError.COUNTER)
        if self.stage is MatchStage.ENDED:
            return _NOT_NOW
        match body:
            case Refuse():
                good = body.counter == self.counters[body.seat] and self.refusals[body.seat] < MAX_REFUSALS
                return GOOD if good and body.reason in _REASONS else form(FormError.COUNTER)
            case End():
                return self._judge_end(body)
            case Away() | Back() | CloseVote() | EndPause():
                return self.absence.judge_host(body, self.scene)
        return _NOT_NOW

    def _judge_end(self, end: End) -> Judged:
        """0: when the match is over. 1, to go on under other seats: only before a deal's first shuffle, or a deal that
        goes badly could be given up for nothing. 2: always, for a table may close at any time; a score is not carried
        on from a deal that it gave up (`goat_net.log.succession`)."""
        if end.reason == END_OVER:
            return GOOD if self.stage is MatchStage.OVER else _NOT_NOW
        if end.reason == END_CLOSED or not self.statutes.end_before_shuffle:
            return GOOD
        return GOOD if self.stage is not MatchStage.OVER and not self.deal_is_on else _NOT_NOW

    @property
    def deal_is_on(self) -> bool:
        """Whether a deal is under way: somebody has shuffled for it, or it was stopped, and it is not over. Of a log
        that has ended: whether one was."""
        deal = self.deal
        if deal is None or deal.stage in (DealStage.COMMIT, DealStage.DONE):
            return False
        return bool(deal.shuffles) or deal.stopped

    def _apply(self, record: Record, number: int, judged: Judged, before: Scene) -> None:
        if judged.fault is not None and not self._in_deal(record, judged.fault):
            self._offence(Offence(number, record.author, judged.fault), record)  # nothing else comes of what it says
            return
        match record.body:
            case Refuse() as refused:
                self.counters[refused.seat] += 1
                self.refusals[refused.seat] += 1
            case Away() | Back() | CloseVote() | EndPause():
                self.absence.apply_host(record.body, before)
            case End():
                self.stage = MatchStage.ENDED
            case _:
                self._apply_seat(record, number, judged, before)

    def _in_deal(self, record: Record, fault: Fault) -> bool:
        """Whether an offence is one of the deal's own records."""
        on = self.stage is MatchStage.DEALS and isinstance(record.body, DEAL_KINDS)
        return on and fault not in (Fault.REUSED_COUNTER, Fault.FOREIGN_HEAD)

    def _apply_seat(self, record: Record, number: int, judged: Judged, before: Scene) -> None:
        seat = record.author
        match record.body:
            case NonceCommit(commitment=commitment):
                self.nonce_commits[seat] = commitment
                if len(self.nonce_commits) == len(SEATS):
                    self.stage = MatchStage.NONCES
            case Nonce(nonce=nonce):
                self.nonces[seat] = nonce
                if len(self.nonces) == len(SEATS):
                    self._begin_match()
            case Verdict() as verdict:
                self.finished[-1].verdicts[seat] = verdict
            case PauseClock() | Leave() | OldVote() | Vote() | Unheard():
                self.absence.apply_seat(seat, record.body, before)
            case _:
                assert self.deal is not None
                self.deal.apply(record, number, judged)
                if judged.fault is not None:
                    self.absence.caught(seat, judged.fault, self.deal.number, now=True)
                if self._deal_is_open:
                    self._finish()

    def _offence(self, proven: Offence, record: Record) -> None:
        """An offence outside the plays of the deal: it stops the deal that is on, or undoes the one just scored."""
        self.offences.append(proven)
        caught = self.absence.caught
        if proven.fault is Fault.FALSE_VERDICT or self.stage is MatchStage.OVER:
            last = self.finished[-1]
            if isinstance(record.body, Verdict) and proven.fault is Fault.FALSE_VERDICT:
                last.verdicts[proven.seat] = record.body
            over = self.stage is MatchStage.OVER
            caught(proven.seat, proven.fault, last.deal.number, now=over)
            self._undo(proven)
            if self.stage is MatchStage.DEALS:
                self.absence.put_out()
            if over and self.stage is MatchStage.OVER:  # scored anew, and over all the same: caught until the log ends
                caught(proven.seat, proven.fault, last.deal.number, now=True)
        elif self.deal is not None and self.stage is MatchStage.DEALS:
            caught(proven.seat, proven.fault, self.deal.number, now=True)
            self.deal.offences.append(proven)
            self.deal.stop()
            if self._deal_is_open:
                self._finish()
        elif self.stage in (MatchStage.COMMITS, MatchStage.NONCES):
            self.stage = MatchStage.ENDED  # without its nonce there is no match

    def _undo(self, proven: Offence) -> None:
        """The deal that was just scored is void after all (R23); a blame that it has already stands before."""
        last = self.finished[-1]
        if last.outcome.blame is None:
            old = last.outcome
            last.outcome = Outcome(None, proven, old.full, old.cards, old.plays)
            self._score(last)

    def _begin_match(self) -> None:
        assert self.table is not None
        raw = self.chain.entries[0].record
        self.id = match_id_of(raw, [self.nonces[s] for s in SEATS])
        self.match = begin(self.rules, first_dealer(self.id))
        number = 1
        for old in self.table.carried:
            defeat = (old.defeat[0], old.defeat[1])
            self.match = MatchState(self.rules, old.dealer, old.leader, defeat, old.eggs, (), old.doubled)
            number = old.deals + 1
        self.stage = MatchStage.DEALS
        self.deal = DealFold(self.id, number, self.rules, self.match.dealer, self.match.leader)

    def _finish(self) -> None:
        assert self.deal is not None
        assert self.match is not None
        deal, absence = self.deal, self.absence
        outcome = settle(deal, double=self.match.doubled, fuller=self.statutes.counts_unopened)
        own = all(self.charged_team(s) == team_of(s) for s in unopened(deal))  # not a bot that an opponent runs
        if outcome.needs_count and own and not absence.is_spared(deal.number):
            outcome = outcome.counted(deal, double=self.match.doubled, worst=absence.is_unheard(deal.number))
        if outcome.blame is not None:
            absence.caught(outcome.blame.seat, outcome.blame.fault, deal.number, now=False)
        deal.stage = DealStage.DONE
        done = Finished(deal, outcome, self.match, outcome.verdict())
        self.finished.append(done)
        self._score(done)

    def _score(self, done: Finished) -> None:
        """The match after a finished deal, and the next deal; again when a false verdict undoes the deal."""
        assert self.deal is not None
        if done.outcome.blame is None and done.outcome.result is not None:
            self.match = after_deal(done.before, done.outcome.result)
        else:
            blame = done.outcome.blame
            done.charged = self.absence.payer(done.deal.number) if blame is None else self.charged_team(blame.seat)
            done.cost = self.statutes.penalty(done.before.doubled)
            self.match = after_void(done.before, done.charged, done.cost)
        if self.match.goat is not None:
            self.stage = MatchStage.OVER
            self.absence.deal_over(over=True)
            return
        self.stage = MatchStage.DEALS
        if self.deal is done.deal:
            self.absence.deal_over(over=False)
            self.deal = DealFold(self.id, done.deal.number + 1, self.rules, self.match.dealer, self.match.leader)
        else:  # nobody has shuffled yet: that takes the commitment of the seat whose verdict was false
            self.deal.dealer, self.deal.leader = self.match.dealer, self.match.leader

    def _lose(self, loss: Loss) -> None:
        """The log goes on without a seat (R24): what that does to the deal, whole, before the next count."""
        assert self.deal is not None
        if loss.unopened:
            self.deal.gone.add(loss.seat)
        if loss.stops:
            self.deal.stop()
        if self._deal_is_open:
            self._finish()


_NOT_NOW: Final = form(FormError.NOT_NOW)
_ABSENCE_SAID: Final = (PauseClock, Leave, OldVote, Vote, Unheard)
_WHERE: Final = {
    MatchStage.NEW: Where.BEFORE,
    MatchStage.COMMITS: Where.BEFORE,
    MatchStage.NONCES: Where.BEFORE,
    MatchStage.DEALS: Where.COMMIT,
    MatchStage.OVER: Where.OVER,
    MatchStage.ENDED: Where.ENDED,
}
_WHERE_IN_DEAL: Final = {
    DealStage.COMMIT: Where.COMMIT,
    DealStage.SHUFFLE: Where.DECK,
    DealStage.CUT: Where.DECK,
    DealStage.LOCK: Where.DECK,
    DealStage.KEYS: Where.PLAY,
    DealStage.PLAY: Where.PLAY,
    DealStage.DONE: Where.STOPPED,
}
_REASONS: Final = frozenset(int(f) for f in FormError if f not in UNANSWERED)


def author_name(author: int) -> str:
    """An author in words."""
    return "the host" if author == HOST else f"seat {author}"


def digest(fold: Fold) -> bytes:
    """Hash of all that is public in the state: equal on every peer that has folded the same log."""
    deal = fold.deal
    parts: list[object] = [fold.stage.value, list(fold.counters), sorted(fold.away), sorted(fold.lost)]
    if fold.match is not None:
        m = fold.match
        parts += [list(m.defeat), m.eggs, m.dealer, m.leader, len(m.deals)]
    if deal is not None:
        parts += [deal.number, deal.stage.value, repr(deal.state.public_key()) if deal.state else ""]
    return hashlib.sha256(fold.chain.head + pack(parts)).digest()
