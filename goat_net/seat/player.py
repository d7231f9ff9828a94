"""A seat at a table: the fold of the log, this player's secrets, and what they owe (PROTOCOL.md, The player).

People's clients, bots and (without a seat) watchers use the same machine. No I/O: entries come in by `take`, records
go out by `due`, time is an argument. All secrets of a match come from one random 32-byte ``master`` that the caller
keeps on disk before anything is sent, so a client that is started again derives the same bytes.
"""

import hashlib
import hmac
from collections.abc import Callable
from typing import Any, Final

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Refusal, Slot, Yield
from goat_engine.cards import Card
from goat_engine.rules import Seat
from goat_engine.state import Applied, DealState, Phase, apply, check
from goat_engine.view import SeatView
from goat_net.deck.curve import Multipliers
from goat_net.deck.rounds import cut, lock_with, lockers, shuffle
from goat_net.deck.seeds import (
    SeatSecrets,
    card_points,
    derive,
    discard_commitment,
    discard_nonce,
    format_key,
    indicator_key_hash,
    key_hash,
    seed_commitment,
)
from goat_net.log.chain import MAX_ENTRIES, Record, make_record, parse_record
from goat_net.log.deal import DealFold, DealStage
from goat_net.log.faults import FormError
from goat_net.log.first_entry import nonce_commitment
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.records import (
    HOST,
    BeatPlay,
    ClaimPlay,
    Commit,
    Complain,
    Cut,
    DiscardPlay,
    Keys,
    LeadPlay,
    Leave,
    Lock,
    Nonce,
    NonceCommit,
    Open,
    PauseClock,
    Refuse,
    ShowPlay,
    Shuffle,
    Unheard,
    Verdict,
    Vote,
    YieldPlay,
)
from goat_net.log.refusals import FalselyRefused, UnprovenError, examine, refused_in
from goat_net.log.settle import find_slots
from goat_net.seat.tableview import Returned
from goat_net.seat.terms import Terms
from goat_net.wire.identity import Signer
from goat_net.wire.messages import NewEntry

_SAID: Final = (Leave, PauseClock, Vote, Unheard)  # what its person, or its machine, had to say beside the deal
AGAIN_MOST: Final = 20  # refused records of one log that are said again; a race or two is what there is in fact


class Player:
    """See the module. ``master_for`` gives the 32 secret bytes of a log id (made and kept at the first call).
    ``eager``: go on to the next deal without being told (bots). ``seat`` is None until the table's record names
    this identity, and for a watcher for ever."""

    def __init__(
        self, identity: Signer, master_for: Callable[[bytes], bytes], *, table_key: bytes | None, eager: bool = False
    ) -> None:
        self.identity, self.eager = identity, eager
        self.fold = Fold(table_key, live=True)
        self.seat: Seat | None = None
        self.own: DealState | None = None
        self.unconfirmed: bytes | None = None  # the one record that is sent and not yet in the log
        self._signed = MAX_ENTRIES  # highest counter signed here; none yet: any may have been before a restart
        self._agains = 0
        self.terms: Terms | None = None  # of a score that is carried on
        self.decide_at = 0.0  # before this nothing is agreed to: what is missing of the match before may still come
        self._accepted = False
        self.barred = ""  # why nothing is signed in this log, in words; empty when nothing keeps it from that
        self.is_lost = False  # the secret of this match is not here: what it would sign would look like cheating
        self._kept: Record | None = None  # after a restart: the record that was written down last
        self.pending: Action | None = None
        self.returned: list[Returned] = []
        self.refused: FormError | None = None  # why the host refused the last record
        self.foreign_refusals = 0  # records refused as this seat's that it has never signed
        self._master_for = master_for
        self._master = b""
        self._deal: DealFold | None = None
        self._secrets: SeatSecrets | None = None
        self._lockers: Multipliers | None = None
        self._steps = 0
        self._opened: set[Slot] = set()
        self._spoilt: tuple[Slot, ...] = ()
        self._intent: Action | None = None
        self._extra: list[Any] = []  # votes, pause, leave
        self._asked_at: float | None = None
        self._asked_in = -1
        self._go_on = 1  # highest deal number this player is ready for

    # Secrets

    def _secret(self, label: bytes) -> bytes:
        """32 bytes for a label and this seat's key: seats that share a file of secrets still share no secret."""
        return hmac.digest(self._master, label + self.identity.public, "sha256")

    @property
    def _nonce(self) -> bytes:
        return self._secret(b"match nonce")

    def _seed(self, deal: DealFold) -> bytes:
        return self._secret(b"deal seed" + deal.match_id + deal.number.to_bytes(2, "big"))

    # In

    def take(self, entry: NewEntry, now: float) -> Record:
        """Fold the next entry. ChainError when the host (or the file) is at fault; nothing has changed then. A false
        refusal of this player's own record is seen here (`goat_net.log.refusals.FalselyRefused`)."""
        self._check_refusal(entry)
        record, _ = self.fold.take(entry)
        if entry.number == 0:
            seats = self.fold.seats
            self.seat = next((s for s in range(4) if seats[s].key == self.identity.public), None)
            if self.seat is not None:
                self._master = self._master_for(self.fold.chain.log_id)
        if record.author == self.seat and isinstance(record.body, NonceCommit):
            right = nonce_commitment(self.fold.chain.log_id, record.author, self._nonce)
            self.is_lost = record.body.commitment != right
        self._confirm(record)
        self._follow(now)
        return record

    def restore(self, unconfirmed: bytes) -> None:
        """After a restart: the record that was written down last. When its number comes, and it is not in the log yet,
        the same bytes go out again: others may have them, and two records under one number are an offence."""
        self._kept = parse_record(unconfirmed)

    def _kept_bytes(self) -> bytes | None:
        kept, fold, seat = self._kept, self.fold, self.seat
        if kept is None or seat is None or kept.author != seat:
            return None
        if kept.match_id not in (fold.id, fold.chain.log_id) or kept.counter < fold.counters[seat]:
            self._kept = None
            return None
        return kept.raw if kept.counter == fold.counters[seat] and kept.match_id == fold.id else None

    def _check_refusal(self, entry: NewEntry) -> None:
        """Hold a refusal against the record that is on its way, or was before a restart. A refusal of an earlier one is
        history: it was looked at when it came. One of a record that was never signed here nobody else can see to be
        false, so nothing is won by stopping: its counter is used up, and what is owed is signed under the next."""
        if self.seat is None or (self.unconfirmed is None and self._kept is None and self._signed == MAX_ENTRIES):
            return
        refusal = refused_in(entry)
        mine = self.unconfirmed is not None and hashlib.sha256(self.unconfirmed).digest()
        if refusal is None or (refusal.seat != self.seat and refusal.record != mine):
            return
        kept = self._kept.raw if self._kept is not None and self._kept.counter == refusal.counter else None
        raw = self.unconfirmed or kept
        if raw is None and refusal.counter <= self._signed:
            return
        if raw is None or (refusal.record != mine and refusal.record != hashlib.sha256(raw).digest()):
            self.foreign_refusals += 1
            return
        self.fold.check(entry)
        try:
            shown = examine(self.fold, entry, raw)
        except UnprovenError:
            return
        raise FalselyRefused(entry.number, shown.text, self.seat, raw)

    def _confirm(self, record: Record) -> None:
        if self.unconfirmed is None or self.seat is None:
            return
        mine = record.author == self.seat and record.raw == self.unconfirmed
        refusal = record.body if record.author == HOST and isinstance(record.body, Refuse) else None
        refusal = refusal if refusal is not None and refusal.seat == self.seat else None
        if refusal is not None and refusal.record != hashlib.sha256(self.unconfirmed).digest():
            self._over_again(parse_record(self.unconfirmed).body)
            return
        if refusal is not None:
            self._again(parse_record(self.unconfirmed).body)
        if mine or refusal is not None:
            self.unconfirmed, self.pending = None, None
            self.refused = None if refusal is None else FormError(refusal.reason)

    def _over_again(self, body: Any) -> None:
        """A refusal of a record that was never signed here has used up the counter of the one that is on its way: the
        same is said under the next."""
        self.unconfirmed, self._intent = None, self.pending
        if isinstance(body, _SAID):
            self._extra.insert(0, body)
        elif isinstance(body, Complain):
            self._spoilt = body.slots

    def _again(self, refused: Any) -> None:
        """What must not be lost when it came at a bad moment; not for ever, for no moment may be the right one."""
        self._agains += 1
        if self._agains > AGAIN_MOST:
            return
        match refused:
            case Complain(slots=slots):
                self._spoilt = slots
            case Leave() if self.seat not in self.fold.left:
                self._extra.append(refused)

    def _follow(self, now: float) -> None:
        """Bring this player's own state of the deal up to the public one."""
        deal = self.fold.deal
        if deal is not self._deal:
            self._deal, self._secrets, self._lockers, self.own, self._steps = deal, None, None, None, 0
            self._opened, self._spoilt, self._intent, self.returned = set(), (), None, []
        if deal is None:
            return
        if deal.tag and self._secrets is None and self.seat is not None:
            self._secrets = derive(self._seed(deal), deal.tag)
        if deal.state is None:
            return
        if self.own is None:
            self.own = deal.state
            self._steps = 0
        while self._steps < len(deal.steps):
            self._follow_step(deal, self._steps)
            self._steps += 1
        if not deal.owed and self.seat is not None and deal.stage is DealStage.PLAY:
            self._open_own(deal)
        self._watch_asking(deal, now)

    def _follow_step(self, deal: DealFold, index: int) -> None:
        assert self.own is not None
        step = deal.steps[index]
        action = step.action
        if step.seat == self.seat and isinstance(action, Discard):
            action = Discard(find_slots(deal, step, self._seed(deal)))
        if isinstance(action, Claim):
            self._intent = None  # what was meant for the trick before the claim
        if step.void:
            self.own = self.own.learn(step.cards, public=True)
            return
        trick = len(self.own.tricks)
        done = apply(self.own.learn(step.cards), step.seat, action)
        assert isinstance(done, Applied), done
        self.own = done.state
        if done.returned:
            self.returned.append(Returned(trick, done.returned))

    def _open_own(self, deal: DealFold) -> None:
        assert self.own is not None
        assert self._secrets is not None
        assert self.seat is not None
        cards: dict[Slot, Card] = {}
        for slot in self.own.hands[self.seat]:
            if slot in self.own.known or slot in self._opened:
                continue
            self._opened.add(slot)
            card = deal.slot_opens_to(slot, {self.seat: self._secrets.k[slot]})
            taken = {c: s for s, c in {**self.own.known, **cards}.items()}
            if card is None or (slot < 16 and card == self.own.indicator):
                self._spoilt = (slot,)
            elif card in taken:
                other = taken[card]
                self._spoilt = (slot,) if other in self.own.shown else (slot, other)  # the other is mine too
            else:
                cards[slot] = card
        if cards:
            self.own = self.own.learn(cards)

    def _watch_asking(self, deal: DealFold, now: float) -> None:
        assert deal.state is not None
        asked = deal.stage is DealStage.PLAY and deal.state.phase is Phase.ASK and deal.state.turn == self.seat
        asked = asked and self.fold.paused is None  # time stands still, and R17's begins anew after it
        if asked and self._asked_in != deal.fresh:
            self._asked_at, self._asked_in = now, deal.fresh
        elif not asked:
            self._asked_at, self._asked_in = None, -1

    # The person's or bot's side

    @property
    def view(self) -> SeatView | None:
        """What a bot sees, or None without a deal or a seat."""
        if self.own is None or self.seat is None:
            return None
        return SeatView(self.seat, self.own, self.fold.match.defeat if self.fold.match else (0, 0))

    @property
    def may_act(self) -> bool:
        """Whether an action can go out: play is on, no key of the draw is missing, none of ours is on its way, and we
        have neither left nor been lost."""
        deal, seat = self.fold.deal, self.seat
        free = self.unconfirmed is None and self._intent is None and not self._spoilt
        if seat in self.fold.left or seat in self.fold.lost:
            return False
        return deal is not None and deal.may_play and self.own is not None and free and self.fold.paused is None

    @property
    def owes_action(self) -> bool:
        """Whether the deal waits for a choice of this player (not for something that goes by itself)."""
        if not self.may_act or self.own is None or self.own.turn != self.seat:
            return False
        if self.own.phase is Phase.ASK:
            return self.view is not None and self.view.may_claim
        return self.own.phase in (Phase.LEAD, Phase.ANSWER)

    def act(self, action: Action) -> Refusal | None:
        """Take up an action of this seat; it goes out with the next `due`. Returns why it cannot be, or None."""
        if not self.may_act or self.own is None or self.seat is None:
            return Refusal.WRONG_ACTION
        refusal = check(self.own, self.seat, action)
        if refusal is None and isinstance(action, Claim) and self.view is not None and not self.view.molodka:
            refusal = Refusal.NO_MOLODKA
        if refusal is None:
            self._intent = self.pending = action
        return refusal

    def go_on(self) -> None:
        """Be ready for the next deal."""
        if self.fold.deal is not None:
            self._go_on = self.fold.deal.number

    @property
    def ready(self) -> bool:
        """Whether this player is ready for the deal that is to come. For the first of a log they said so by sitting:
        its number is not 1 when a match is carried on (R24)."""
        deal = self.fold.deal
        return self.eager or (deal is not None and (not self.fold.finished or self._go_on >= deal.number))

    def vote(self, seat: Seat, choice: int) -> None:
        """Say what is to be done about an absent seat (R24)."""
        if not any(isinstance(body, Vote) and body.seat == seat for body in self._extra):
            self._extra.append(Vote(seat, choice))

    def bear_witness(self, seat: Seat, waited: int) -> None:
        """Say that this machine has heard nothing of a seat for so many seconds of its own clock (R24)."""
        if not any(isinstance(body, Unheard) and body.seat == seat for body in self._extra):
            self._extra.append(Unheard(seat, waited))

    def pause(self, on: bool) -> None:
        """Stop or restart the clocks."""
        self._extra.append(PauseClock(on))

    def leave(self) -> None:
        """Leave the match of one's own will (R24)."""
        if not self.has_left and not any(isinstance(body, Leave) for body in self._extra):
            self._extra.append(Leave())

    @property
    def has_left(self) -> bool:
        """Whether our goodbye is in the log, or nothing more can be."""
        return self.seat is None or self.seat in self.fold.left or not self.fold.open

    @property
    def asked(self) -> bool:
        """Whether this player has to say whether the match goes on as it is carried on: see ``terms``."""
        changed = self.terms is not None and bool(self.terms.changes)
        waits = self.fold.stage is MatchStage.COMMITS and self.seat not in self.fold.nonce_commits
        return changed and waits and self.seat is not None and not self._accepted and not self.eager

    def accept(self) -> None:
        """Agree to the score that is carried on, and to what has changed."""
        self._accepted = True

    def agrees(self, now: float) -> bool:
        """Whether the first signature in this log can be given. A bot accepts what its client cannot show to be false,
        once what is missing has had its time to come."""
        if self.terms is None or not self.terms.changes:
            return True
        return self._accepted or (self.eager and now >= self.decide_at)

    # Out

    def due(self, now: float) -> list[bytes]:
        """Records to send now: none while one is on its way. The caller writes them down before it sends them."""
        if self.unconfirmed is not None or self.seat is None or not self.fold.open or self.is_lost or self.barred:
            return []
        kept = self._kept_bytes()
        if kept is not None:
            self.unconfirmed, self._kept, self._signed = kept, None, self.fold.counters[self.seat]
            return [kept]
        leaving = bool(self._extra) and isinstance(self._extra[-1], Leave)
        body = self._extra.pop() if leaving else self._owed(now)
        while body is None and self._extra:
            body = self._extra.pop(0)
            if self.fold.absence.judge_seat(self.seat, body, self.fold.scene).form is not None:
                body = None  # too late, or said by now: it would only be refused
        if body is None or not self.fold.may_sign(self.seat, body):
            return []
        fold, number = self.fold, self.fold.deal.number if self.fold.deal else 0
        if isinstance(body, Verdict):
            number = fold.finished[-1].deal.number
        chain = fold.chain
        raw = make_record(
            self.identity, fold.id, number, self.seat, fold.counters[self.seat], len(chain), chain.head, body
        )
        self.unconfirmed, self._signed = raw, fold.counters[self.seat]
        return [raw]

    def prepare(self) -> None:
        """While another seat has the deck, do ahead what this one's turn needs and the log has fixed already: the four
        turns of a round follow on each other, so what each takes less of the deal begins earlier."""
        deal, secrets = self.fold.deal, self._secrets
        if deal is None or secrets is None or self.unconfirmed is not None:
            return
        if deal.stage is DealStage.SHUFFLE:
            card_points(deal.tag)  # kept for the check of the first shuffle
        if self._lockers is None and (deal.stage is DealStage.CUT or deal.stage is DealStage.LOCK):
            self._lockers = lockers(secrets)

    @property
    def deadline(self) -> float | None:
        """When `due` will have something though nothing comes in: the answer of an asked seat (R17)."""
        if self.fold.stage is MatchStage.COMMITS and self.eager and self.terms is not None:
            signed = self.unconfirmed is not None or self.seat in self.fold.nonce_commits
            return None if signed or not self.terms.changes else self.decide_at
        view, wait = self.view, self.fold.rules.yield_time / 1000
        if self._asked_at is None or self.unconfirmed is not None or view is None:
            return None
        return self._asked_at + wait if wait or self._intent is not None or not view.may_claim else None

    def _owed(self, now: float) -> Any:
        fold, seat = self.fold, self.seat
        assert seat is not None
        if seat not in fold.waits_for():
            return self._choice(now)
        if fold.stage is MatchStage.COMMITS:
            if not self.agrees(now):
                return None
            return NonceCommit(nonce_commitment(fold.chain.log_id, seat, self._nonce))
        if fold.stage is MatchStage.NONCES:
            return Nonce(self._nonce)
        if fold.owes_verdict(seat):
            return fold.finished[-1].right
        deal = fold.deal
        assert deal is not None
        if deal.stage is DealStage.COMMIT:
            return Commit(seed_commitment(fold.id, deal.number, seat, self._seed(deal))) if self.ready else None
        if deal.stage is DealStage.OPEN:
            return Open(self._seed(deal))
        if deal.stage in (DealStage.SHUFFLE, DealStage.CUT, DealStage.LOCK):
            return self._deck_body(deal)
        if seat in deal.owed:
            return self._keys_body(deal)
        return self._choice(now)

    def _deck_body(self, deal: DealFold) -> Any:
        secrets, tag, seat = self._secrets, deal.tag, self.seat
        assert secrets is not None
        assert seat is not None
        if deal.stage is DealStage.SHUFFLE:
            return Shuffle(b"".join(shuffle(secrets, deal.deck_before())))
        if deal.stage is DealStage.CUT:
            indicator, stock = cut(secrets, *deal.cut_before())
            return Cut(indicator, b"".join(stock), indicator_key_hash(tag, seat, format_key(secrets.q)))
        hashes = [key_hash(tag, seat, slot, format_key(k)) for slot, k in enumerate(secrets.k)]
        return Lock(b"".join(lock_with(self._lockers or lockers(secrets), deal.deck_before())), b"".join(hashes))

    def _run(self, slots: tuple[Slot, ...]) -> bytes:
        assert self._secrets is not None
        return b"".join(format_key(self._secrets.k[s]) for s in slots)

    def _keys_body(self, deal: DealFold) -> Keys:
        assert self.seat is not None
        assert self._secrets is not None
        indicator = format_key(self._secrets.q) if deal.stage is DealStage.KEYS else b""
        return Keys(self._run(deal.slots_owed(self.seat)), indicator)

    def _choice(self, now: float) -> Any:
        """The record of a choice, or of what follows from one."""
        deal, own = self.fold.deal, self.own
        if deal is None or own is None or not deal.may_play or self.fold.stage is not MatchStage.DEALS:
            return None
        if self._spoilt:
            slots, self._spoilt = self._spoilt, ()
            return Complain(slots, self._run(slots))
        if own.turn == self.seat and own.phase is Phase.SHOW:
            view = self.view
            assert view is not None
            return ShowPlay(view.molodka, self._run(view.molodka))
        if own.turn == self.seat and own.phase is Phase.ASK:
            return self._answer(now)
        if self.fold.paused is not None:
            return None  # what was meant before the pause is done after it
        intent, self._intent = self._intent, None
        return None if intent is None else self._play_body(deal, intent)

    def _answer(self, now: float) -> Any:
        """An asked seat's answer leaves the constant time T after the question, whatever it is (R17). Without T
        (bots alone, tests) it leaves when it is given, and by itself only where there is nothing to choose."""
        view, wait = self.view, self.fold.rules.yield_time / 1000
        assert view is not None
        if self._asked_at is None:
            return None  # a pause
        chosen = self._intent is not None or not view.may_claim
        if now < self._asked_at + wait or not (chosen or wait):
            return None
        intent, self._intent = self._intent, None
        return ClaimPlay(len(view.deal.tricks)) if isinstance(intent, Claim) else YieldPlay()

    def _play_body(self, deal: DealFold, action: Action) -> Any:
        assert self.seat is not None
        assert self.own is not None
        if check(self.own, self.seat, action) is not None:
            self.pending = None
            return None  # a claim or a pause came between
        match action:
            case Lead(slots=slots):
                return LeadPlay(slots, self._run(slots))
            case Beat(slots=slots):
                return BeatPlay(slots, self._run(slots))
            case Claim():
                return ClaimPlay(len(self.own.tricks))
            case Yield():
                return YieldPlay()
            case Discard(slots=slots):
                return DiscardPlay(self._commitments(deal, tuple(s for s in slots if s is not None)))
        raise TypeError(f"{type(action).__name__} goes out by itself")

    def _commitments(self, deal: DealFold, slots: tuple[Slot, ...]) -> bytes:
        assert self.seat is not None
        counter, seed = self.fold.counters[self.seat], self._seed(deal)
        return b"".join(
            discard_commitment(deal.tag, self.seat, counter, i, slot, discard_nonce(seed, deal.tag, counter, i))
            for i, slot in enumerate(slots)
        )


def memory_masters(secret: bytes) -> Callable[[bytes], bytes]:
    """Masters derived from one secret, for players that live only in memory (bots) and for seeded tests."""

    def master_for(log_id: bytes) -> bytes:
        return hashlib.sha256(b"goat master v1\x00" + secret + log_id).digest()

    return master_for
