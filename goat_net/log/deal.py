"""One deal as everybody can follow it: rounds of the deck, keys, plays, openings (PROTOCOL.md, The deal).

The same machine runs in the host, in every client, in a watcher and in `goat verify`: it holds nothing secret.
`DealFold.judge` says what a record is at this place, `DealFold.apply` folds it. Both are told nothing but the log.
A machine of many small steps, one method a kind of record: that is why this module is long.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Refusal, Show, Slot, Yield
from goat_engine.cards import Card
from goat_engine.rules import SEATS, Rules, Seat
from goat_engine.state import Applied, DealState, Hands, Phase, apply, check, start
from goat_net.deck.curve import DeckFault
from goat_net.deck.deck_audit import CutStep, DeckTranscript, LockStep, Round
from goat_net.deck.rounds import before_cut, before_lock, check_cut, check_lock, check_shuffle, open_element, turn_order
from goat_net.deck.seeds import (
    CARDS,
    HANDS,
    card_of,
    card_points,
    deal_tag,
    indicator_key_hash,
    key_hash,
    parse_key,
    seed_commitment,
)
from goat_net.log.chain import Record
from goat_net.log.faults import GOOD, REFUSALS, Fault, FormError, Judged, Offence, form, offence
from goat_net.log.records import (
    BeatPlay,
    ClaimPlay,
    Commit,
    Complain,
    Cut,
    DiscardPlay,
    Keys,
    LeadPlay,
    Lock,
    Open,
    ShowPlay,
    Shuffle,
    YieldPlay,
)


class DealStage(IntEnum):
    """What the deal waits for."""

    COMMIT = 0
    SHUFFLE = 1
    CUT = 2
    LOCK = 3
    KEYS = 4
    PLAY = 5
    OPEN = 6
    DONE = 7


@dataclass(frozen=True, slots=True)
class Step:
    """A play as it stands in the log: the public action, the faces it opened, its commitments if it was a discard.
    ``void``: a claim had overtaken it (R17a), it changed nothing."""

    entry: int
    seat: Seat
    counter: int
    action: Action
    cards: Mapping[Slot, Card] = field(default_factory=dict)
    commitments: tuple[bytes, ...] = ()
    void: bool = False


_ALLOWED: Final[Mapping[type, frozenset[DealStage]]] = {
    Commit: frozenset({DealStage.COMMIT}),
    Shuffle: frozenset({DealStage.SHUFFLE}),
    Cut: frozenset({DealStage.CUT}),
    Lock: frozenset({DealStage.LOCK}),
    Keys: frozenset({DealStage.KEYS, DealStage.PLAY}),
    Complain: frozenset({DealStage.PLAY}),
    LeadPlay: frozenset({DealStage.PLAY}),
    BeatPlay: frozenset({DealStage.PLAY}),
    DiscardPlay: frozenset({DealStage.PLAY}),
    ClaimPlay: frozenset({DealStage.PLAY}),
    ShowPlay: frozenset({DealStage.PLAY}),
    YieldPlay: frozenset({DealStage.PLAY}),
}
"""In which stages a kind of record can be good; `Open` has its own test, since too early is an offence."""

DEAL_KINDS: Final = (*_ALLOWED, Open)


def split(run: bytes) -> tuple[bytes, ...] | None:
    """A run of bytes as elements of 32, or None when its length is no multiple."""
    if len(run) % 32:
        return None
    return tuple(run[i : i + 32] for i in range(0, len(run), 32))


class DealFold:
    """See the module. ``number`` counts from 1, void deals included. ``state`` is the public state once the keys of
    the hands are there. ``owed``: seats whose keys of the last draw are still missing (the barrier)."""

    def __init__(self, match_id: bytes, number: int, rules: Rules, dealer: Seat, leader: Seat) -> None:
        self.match_id, self.number, self.rules = match_id, number, rules
        self.dealer, self.leader = dealer, leader
        self.stage = DealStage.COMMIT
        self.commitments: dict[Seat, bytes] = {}
        self.tag = b""
        self.shuffles: list[tuple[bytes, ...]] = []
        self.cuts: list[CutStep] = []
        self.locks: list[LockStep] = []
        self.deck_entries: dict[tuple[Round, int], int] = {}
        self.hashes: dict[Seat, tuple[bytes, ...]] = {}
        self.indicator_hashes: dict[Seat, bytes] = {}
        self.keys: dict[tuple[Seat, Slot], int] = {}
        self.indicator_keys: dict[Seat, int] = {}
        self.drawn: Hands = ()
        self.owed: set[Seat] = set()
        self.state: DealState | None = None
        self.steps: list[Step] = []
        self.fresh = 0  # entries a play must have seen: up to the last action or the end of the draw
        self.trick_start = 0  # entries a claim must have seen
        self.before_claim: tuple[DealState, int, int] | None = None  # state, the claim's entry, `fresh` then
        self.voided: set[Seat] = set()
        self.offences: list[Offence] = []
        self.stopped = False
        self.spoilt = False  # something that was opened is no card, or a card twice
        self.seeds: dict[Seat, bytes | None] = {}  # None: opened, but not what was committed to
        self.gone: set[Seat] = set()  # seats that a vote went on without (R24); they need not open

    # What is expected of whom

    @property
    def order(self) -> tuple[Seat, ...]:
        """Seats in the order of every round of the deck."""
        return turn_order(self.dealer)

    @property
    def deck_turn(self) -> Seat | None:
        """The seat whose shuffle, cut or lock is to come."""
        rounds: dict[DealStage, int] = {
            DealStage.SHUFFLE: len(self.shuffles),
            DealStage.CUT: len(self.cuts),
            DealStage.LOCK: len(self.locks),
        }
        done = rounds.get(self.stage)
        return None if done is None else self.order[done]

    @property
    def may_play(self) -> bool:
        """Whether leads, answers and claims can go out: play is on and no key of the draw is missing."""
        return self.stage is DealStage.PLAY and not self.owed

    def waits_for(self) -> frozenset[Seat]:
        """Seats that owe a record now."""
        if self.stage is DealStage.COMMIT:
            return frozenset(s for s in SEATS if s not in self.commitments)
        if self.stage is DealStage.OPEN:
            return frozenset(s for s in SEATS if s not in self.seeds and s not in self.gone)
        if self.owed:
            return frozenset(self.owed)
        turn = self.deck_turn if self.state is None else self.state.turn
        return frozenset() if turn is None or self.stage is DealStage.DONE else frozenset({turn})

    def slots_owed(self, seat: Seat) -> tuple[Slot, ...]:
        """Slots of the last draw that went to other seats, in order: whose keys this seat sends."""
        return tuple(sorted(slot for s in SEATS if s != seat for slot in self.drawn[s]))

    def deck_before(self) -> tuple[bytes, ...]:
        """The deck that the next shuffle or lock starts from (36 elements)."""
        if self.stage is DealStage.SHUFFLE:
            return self.shuffles[-1] if self.shuffles else card_points(self.tag)
        return self.locks[-1].deck if self.locks else before_lock(self.shuffles[-1], self.cuts[-1].stock)

    def cut_before(self) -> tuple[bytes, tuple[bytes, ...]]:
        """The indicator copy and the stock that the next cut starts from."""
        return (self.cuts[-1].indicator, self.cuts[-1].stock) if self.cuts else before_cut(self.shuffles[-1])

    def transcript(self) -> DeckTranscript:
        """The rounds of the deck as they were sent."""
        return DeckTranscript(self.dealer, tuple(self.shuffles), tuple(self.cuts), tuple(self.locks))

    def slot_opens_to(self, slot: Slot, extra: Mapping[Seat, int]) -> Card | None:
        """The card of a slot from the keys in the log and ``extra`` ones by seat; None when it is no card.
        KeyError when a key is missing."""
        keys = [extra[s] if s in extra else self.keys[s, slot] for s in SEATS]
        return card_of(self.tag, open_element(self.locks[-1].deck[slot], keys))

    # Judging

    def judge(self, record: Record) -> Judged:
        """What this record of a seat is, here and now."""
        body, seat = record.body, record.author
        if isinstance(body, Open):
            return self._judge_open(seat, body)
        if self.stage not in _ALLOWED[type(body)]:
            return form(FormError.NOT_NOW)
        match body:
            case Commit():
                if seat in self.commitments:
                    return form(FormError.ALREADY_DONE)
                # The host chooses the order, so who copied whom shows when both are opened: the seat is in the hash
                return Judged(stops=body.commitment in self.commitments.values())
            case Shuffle() | Cut() | Lock():
                return self._judge_deck(seat, body) if seat == self.deck_turn else form(FormError.NOT_YOUR_TURN)
            case Keys():
                return self._judge_keys(seat, body)
            case Complain():
                return self._judge_complaint(seat, body)
        return self._judge_play(record)

    def _judge_open(self, seat: Seat, body: Open) -> Judged:
        if self.stage is DealStage.DONE or seat in self.seeds:
            return form(FormError.ALREADY_DONE)
        if self.stage is not DealStage.OPEN:
            return offence(Fault.EARLY_OPEN)
        if seat not in self.commitments:
            return GOOD  # the deal stopped before this seat had committed: it opens whatever it likes
        right = seed_commitment(self.match_id, self.number, seat, body.seed) == self.commitments[seat]
        return GOOD if right else offence(Fault.WRONG_SEED)

    def _judge_deck(self, seat: Seat, body: Shuffle | Cut | Lock) -> Judged:
        fault = {Shuffle: Fault.BAD_SHUFFLE, Cut: Fault.BAD_CUT, Lock: Fault.BAD_LOCK}[type(body)]
        elements = split(body.stock if isinstance(body, Cut) else body.deck)
        if elements is None:
            return offence(fault)
        try:
            match body:
                case Shuffle():
                    check_shuffle(elements, self.deck_before(), self.tag)
                case Cut():
                    earlier = [x for deck in self.shuffles for x in deck]
                    earlier += [x for c in self.cuts for x in (c.indicator, *c.stock)]
                    check_cut(body.indicator, elements, *self.cut_before(), earlier, self.tag)
                case Lock():
                    check_lock(elements, self.deck_before(), self.tag)
                    hashes = split(body.hashes)
                    if hashes is None or len(hashes) != CARDS:
                        return offence(fault)
        except DeckFault:
            return offence(fault)
        return GOOD

    def _judge_keys(self, seat: Seat, body: Keys) -> Judged:
        if seat not in self.owed:
            return form(FormError.ALREADY_DONE)
        slots = self.slots_owed(seat)
        if not self._keys_fit(seat, slots, body.keys):
            return offence(Fault.FALSE_KEY)
        if self.stage is not DealStage.KEYS:
            return form(FormError.WRONG_COUNT) if body.indicator else GOOD
        try:
            parse_key(body.indicator)
            right = indicator_key_hash(self.tag, seat, body.indicator) == self.indicator_hashes[seat]
        except (DeckFault, ValueError):
            right = False
        return GOOD if right else offence(Fault.FALSE_INDICATOR_KEY)

    def _keys_fit(self, seat: Seat, slots: tuple[Slot, ...], run: bytes) -> bool:
        keys = split(run)
        if keys is None or len(keys) != len(slots):
            return False
        try:
            for slot, key in zip(slots, keys, strict=True):
                parse_key(key)
                if key_hash(self.tag, seat, slot, key) != self.hashes[seat][slot]:
                    return False
        except DeckFault:
            return False
        return True

    def _open(self, seat: Seat, slots: tuple[Slot, ...], run: bytes) -> dict[Slot, Card | None]:
        keys = split(run)
        assert keys is not None
        return {slot: self.slot_opens_to(slot, {seat: parse_key(key)}) for slot, key in zip(slots, keys, strict=True)}

    def _spoilt(self, opened: Mapping[Slot, Card | None]) -> bool:
        """Whether a slot opens to no card, two slots to one card, or a hand's slot to the indicator (section 3)."""
        assert self.state is not None
        faces = {**{s: self.state.known[s] for s in self.state.shown}, **opened}
        cards = list(faces.values())
        dealt = any(s < HANDS and c == self.state.indicator for s, c in opened.items())
        return None in cards or len(set(cards)) != len(cards) or dealt

    def _judge_complaint(self, seat: Seat, body: Complain) -> Judged:
        assert self.state is not None
        if self.owed or len(set(body.slots)) != len(body.slots):
            return form(FormError.NOT_NOW)
        if any(slot not in self.state.hands[seat] for slot in body.slots):
            return offence(Fault.FOREIGN_SLOT)
        if not self._keys_fit(seat, body.slots, body.keys):
            return offence(Fault.FALSE_KEY)
        spoilt = self._spoilt(self._open(seat, body.slots, body.keys))
        return Judged(stops=True) if spoilt else offence(Fault.FALSE_COMPLAINT)

    # Plays

    def _judge_play(self, record: Record) -> Judged:
        assert self.state is not None
        seat, body = record.author, record.body
        if isinstance(body, ClaimPlay):
            if self.owed:
                return form(FormError.KEYS_MISSING)
            if record.seen < self.trick_start or body.trick != len(self.state.tricks):
                return form(FormError.STALE)
            refusal = check(self.state, seat, Claim())
            return GOOD if refusal is None else form(REFUSALS[refusal])
        if self.owed:
            return form(FormError.KEYS_MISSING)
        if self._overtaken(record):
            assert self.before_claim is not None
            judged = self._judge_cards(self.before_claim[0], seat, body)
            return judged if not judged.good else Judged(void=True, stops=judged.stops, cards=judged.cards)
        if record.seen < self.fresh:
            return form(FormError.STALE)
        return self._judge_cards(self.state, seat, body)

    def _overtaken(self, record: Record) -> bool:
        """Whether this play's author had the turn and could not know of the claim that stands now (R17a)."""
        if self.before_claim is None or not isinstance(record.body, LeadPlay | BeatPlay | DiscardPlay):
            return False
        state, claimed_at, fresh = self.before_claim
        seat = record.author
        return fresh <= record.seen <= claimed_at and seat == state.turn and seat not in self.voided

    def _judge_cards(self, state: DealState, seat: Seat, body: Any) -> Judged:
        if isinstance(body, YieldPlay):
            refusal = check(state, seat, Yield())
            return GOOD if refusal is None else form(REFUSALS[refusal])
        if isinstance(body, DiscardPlay):
            parts = split(body.commitments)
            if parts is None or not parts:
                return form(FormError.WRONG_COUNT)
            refusal = check(state, seat, Discard((None,) * len(parts)))
            return GOOD if refusal is None else form(REFUSALS[refusal])
        action = as_action(body)
        refusal = check(state, seat, action)
        if refusal in (Refusal.NOT_YOUR_TURN, Refusal.WRONG_ACTION, Refusal.WRONG_COUNT, Refusal.REPEATED_SLOT):
            return form(REFUSALS[refusal])
        for slot in body.slots:
            if slot not in state.hands[seat]:
                own = any(p.seat == seat and slot in p.slots for t in state.tricks for p in t.plays)
                return offence(Fault.PLAYED_SLOT if own else Fault.FOREIGN_SLOT)
        if not self._keys_fit(seat, body.slots, body.keys):
            return offence(Fault.FALSE_KEY)
        opened = self._open(seat, body.slots, body.keys)
        if self._spoilt(opened):
            return Judged(stops=True)
        cards = {slot: c for slot, c in opened.items() if c is not None}
        refusal = check(state.learn(cards), seat, action)
        if refusal is not None:
            return offence(Fault.EMPTY_CLAIM) if isinstance(body, ShowPlay) else form(REFUSALS[refusal])
        return Judged(cards=cards)

    # Folding

    def apply(self, record: Record, number: int, judged: Judged) -> None:
        """Fold a record that was judged no form error; ``number`` is its entry's."""
        body, seat = record.body, record.author
        if judged.fault is not None:
            self.offences.append(Offence(number, seat, judged.fault))
            if isinstance(body, Open) and self.stage is DealStage.OPEN:
                self.seeds[seat] = None
            self.stop()
            return
        match body:
            case Open():
                self.seeds[seat] = body.seed if seat in self.commitments else None
            case Commit():
                self._apply_commit(seat, body)
                if judged.stops:
                    self.stop()
            case Shuffle() | Cut() | Lock():
                self._apply_deck(seat, body, number)
            case Keys():
                self._apply_keys(seat, body, number, judged)
            case Complain():
                self.spoilt = True
                self.stop()
            case _:
                self._apply_play(record, number, judged)

    def stop(self) -> None:
        """The deal goes no further; everybody opens."""
        self.stopped = True
        if self.stage is not DealStage.DONE:
            self.stage = DealStage.OPEN

    def _apply_commit(self, seat: Seat, body: Commit) -> None:
        self.commitments[seat] = body.commitment
        if len(self.commitments) == len(SEATS):
            self.tag = deal_tag(self.match_id, self.number, [self.commitments[s] for s in SEATS])
            self.stage = DealStage.SHUFFLE

    def _apply_deck(self, seat: Seat, body: Shuffle | Cut | Lock, number: int) -> None:
        match body:
            case Shuffle():
                done, kind = len(self.shuffles), Round.SHUFFLE
                self.shuffles.append(split(body.deck) or ())
            case Cut():
                done, kind = len(self.cuts), Round.CUT
                self.cuts.append(CutStep(body.indicator, split(body.stock) or (), body.key_hash))
                self.indicator_hashes[seat] = body.key_hash
            case Lock():
                done, kind = len(self.locks), Round.LOCK
                hashes = split(body.hashes) or ()
                self.locks.append(LockStep(split(body.deck) or (), hashes))
                self.hashes[seat] = hashes
        self.deck_entries[kind, done] = number
        if done == len(SEATS) - 1:
            self.stage = DealStage(self.stage + 1)
            if self.stage is DealStage.KEYS:
                first = self.order[0]
                self.drawn = tuple(tuple(i for i in range(HANDS) if (first + i) % 4 == s) for s in SEATS)
                self.owed = set(SEATS)

    def _apply_keys(self, seat: Seat, body: Keys, number: int, judged: Judged) -> None:
        for slot, key in zip(self.slots_owed(seat), split(body.keys) or (), strict=True):
            self.keys[seat, slot] = parse_key(key)
        if self.stage is DealStage.KEYS:
            self.indicator_keys[seat] = parse_key(body.indicator)
        self.owed.discard(seat)
        if self.owed:
            return
        self.fresh = self.trick_start = number + 1
        if self.stage is DealStage.KEYS:
            self.stage = DealStage.PLAY
            element = self.cuts[-1].indicator
            indicator = card_of(self.tag, open_element(element, list(self.indicator_keys.values())))
            if indicator is None:
                self.spoilt = True
                self.stop()
            else:
                self.state = start(self.rules, self.dealer, self.leader, indicator)

    def _apply_play(self, record: Record, number: int, judged: Judged) -> None:
        assert self.state is not None
        seat, action = record.author, as_action(record.body)
        commitments = split(record.body.commitments) or () if isinstance(record.body, DiscardPlay) else ()
        if judged.stops:
            self.spoilt = True
            self.stop()
            return
        self.steps.append(Step(number, seat, record.counter, action, judged.cards, commitments, judged.void))
        if judged.void:
            self.voided.add(seat)
            self.state = self.state.learn(judged.cards, public=True)
            return
        if isinstance(action, Claim) and self.state.phase is not Phase.ASK:
            self.before_claim = (self.state, number, self.fresh)
        done = apply(self.state.learn(judged.cards), seat, action)
        assert isinstance(done, Applied), done
        self.state = done.state
        self.fresh = number + 1
        if done.closed:
            self.trick_start = number + 1
            self.before_claim = None
            self.voided.clear()
        if done.drawn:
            self.drawn = done.drawn.slots
            self.owed = set(SEATS)
        if self.state.phase is Phase.OVER:
            self.stage = DealStage.OPEN


def as_action(body: Any) -> Action:
    """The engine's action of a play, as the public sees it."""
    match body:
        case LeadPlay():
            return Lead(body.slots)
        case BeatPlay():
            return Beat(body.slots)
        case DiscardPlay():
            return Discard((None,) * (len(body.commitments) // 32))
        case ClaimPlay():
            return Claim()
        case ShowPlay():
            return Show(body.slots)
        case YieldPlay():
            return Yield()
    raise TypeError(f"{type(body).__name__} is no play")
