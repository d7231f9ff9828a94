"""A deal seen again with open cards: every offence listed (`audit`), and step by step (`Replay`).

A peer accepts what is legal as far as the public can tell; discards are face down, so a seat can cheat with them
until the deal is opened (RULES.md R11, R23). The audit follows the public game, since that is what was played,
and beside it keeps which slots each seat really still held.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Refusal, Show, Slot, Yield
from goat_engine.cards import DECK, Card, suit_of
from goat_engine.match import DealResult, score
from goat_engine.record import Deal, Record, Step
from goat_engine.rules import HAND_SIZE, SEATS, Rules, Seat
from goat_engine.state import Applied, DealState, Drawn, Phase, Play, apply, start
from goat_engine.view import SeatView


class Eye(StrEnum):
    """Who looks, when it is not a seat."""

    PUBLIC = "public"
    OPEN = "open"


Watcher: TypeAlias = Seat | Eye


def opening(deal: Deal, watcher: Watcher) -> DealState:
    """The deal just dealt, with the faces that this watcher knows: none, its own four, or all."""
    state = start(deal.rules, deal.dealer, deal.leader, deal.indicator)
    if watcher is Eye.OPEN:
        return state.learn(dict(enumerate(deal.cards)))
    if watcher is Eye.PUBLIC:
        return state
    return state.learn({s: deal.cards[s] for s in state.hands[watcher]})


def as_seen(watcher: Watcher, seat: Seat, action: Action) -> Action:
    """An action of ``seat`` as this watcher sees it: of another's discard only how many cards (R11)."""
    if isinstance(action, Discard) and watcher is not Eye.OPEN and watcher != seat:
        return Discard((None,) * len(action.slots))
    return action


def follow(
    state: DealState, watcher: Watcher, seat: Seat, action: Action, cards: Mapping[Slot, Card]
) -> Applied | Refusal:
    """One action as this watcher folds it: cards laid face up are learned, others' discards stay unknown slots,
    own draws are learned. ``cards`` gives the faces that the action opens and the watcher draws."""
    seen = as_seen(watcher, seat, action)
    if isinstance(action, Lead | Beat | Show):
        new = {s: cards[s] for s in action.slots if s in cards and s not in state.known}
        state = state.learn(new) if new else state
    done = apply(state, seat, seen)
    if isinstance(done, Applied) and done.drawn is not None and not isinstance(watcher, Eye):
        own = {s: cards[s] for s in done.drawn.slots[watcher] if s in cards}
        done = replace(done, state=done.state.learn(own))
    return done


# --- audit --------------------------------------------------------------------------------------------------


class Reason(StrEnum):
    """What a seat did wrong. A closed list.

    REFUSED is what every peer could refuse at once; a host that let it into the log is to blame as well, which is
    for the protocol to say. The others are found only with open cards.
    """

    REFUSED = "the rules refuse this action, as everybody could see"
    NOT_OWN_SLOT = "a card that this seat had not received"
    ALREADY_PLAYED = "a card that this seat had already played face up"
    ALREADY_DISCARDED = "a card that this seat had already discarded"
    NAMED_TWICE = "one card counted twice in the same play"
    FALSE_CLAIM = "a molodka claimed without four cards of one suit"


@dataclass(frozen=True, slots=True)
class Offence:
    """One thing that one seat did wrong. ``index``: which action, from 0. ``slot``: the card concerned, if one is.
    ``refusal``: why the rules refuse, with `Reason.REFUSED`."""

    seat: Seat
    index: int
    reason: Reason
    slot: Slot | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found. ``offences`` in order of index; the first is the one that R23 charges.

    ``state``: the deal with all given cards known, up to its end or to just before the first offence.
    ``public``: the same deal as everybody could follow it, to the last action that the rules allowed.
    ``result``: the score, when the deal was played out, all cards are known and nobody cheated; or None.
    """

    offences: tuple[Offence, ...]
    state: DealState
    public: DealState
    result: DealResult | None

    @property
    def clean(self) -> bool:
        """Whether no offence was found."""
        return not self.offences


class _Holdings:
    """Which slots each seat really holds, whatever the public believes. Only a slot in the seat's own hand ever
    leaves it: a discard that names another's slot takes nothing from anybody."""

    def __init__(self, state: DealState) -> None:
        self.held: list[set[Slot]] = [set(h) for h in state.hands]
        self.received: list[set[Slot]] = [set(h) for h in state.hands]
        self.gone: dict[Slot, Reason] = {}
        self.laid: list[tuple[Seat, Slot]] = []

    def take(self, seat: Seat, action: Lead | Beat | Discard | Show) -> list[tuple[Reason, Slot]]:
        """Move the cards of a play to the table; what is wrong with them."""
        wrong: list[tuple[Reason, Slot]] = []
        now: set[Slot] = set()
        down = isinstance(action, Discard)
        for slot in action.slots:
            if slot is None:
                continue  # not opened by its seat: nothing to judge, and nothing known to have left
            if slot in now:
                wrong.append((Reason.NAMED_TWICE, slot))
            elif slot not in self.received[seat]:
                wrong.append((Reason.NOT_OWN_SLOT, slot))
            elif slot not in self.held[seat]:
                wrong.append((self.gone[slot], slot))
            else:
                self.held[seat].discard(slot)
                self.gone[slot] = Reason.ALREADY_DISCARDED if down else Reason.ALREADY_PLAYED
                self.laid.append((seat, slot))
            now.add(slot)
        return wrong

    def give_back(self) -> None:
        """All that really lay on the table is in its owner's hand again (R16)."""
        for seat, slot in self.laid:
            self.held[seat].add(slot)
            del self.gone[slot]
        self.laid = []

    def after(self, done: Applied) -> None:
        if done.closed is not None:
            self.laid = []
        if done.drawn is not None:
            for seat in SEATS:
                self.held[seat].update(done.drawn.slots[seat])
                self.received[seat].update(done.drawn.slots[seat])

    def has_molodka(self, seat: Seat, cards: Mapping[Slot, Card]) -> bool:
        """Whether four held cards can be of one suit; cards that nobody opened count for any."""
        faces = [cards.get(s) for s in self.held[seat]]
        unknown = faces.count(None)
        suits = [suit_of(c) for c in faces if c is not None]
        return any(suits.count(suit) + unknown >= HAND_SIZE for suit in range(4))


def audit(
    rules: Rules, dealer: Seat, leader: Seat, indicator: Card, cards: Mapping[Slot, Card], steps: Iterable[Step]
) -> Audit:
    """Play a deal again with open cards and list every offence in it.

    ``cards``: the face of each slot, all 36 or, of a deal that was broken off, those that are known. ``steps``:
    the actions in order with the true slots of discards; a slot that was never opened is None and not judged.
    Raises ValueError when ``cards`` names a card twice or a thing that is no slot or card.
    """
    if len(set(cards.values())) != len(cards) or not set(cards.values()) <= set(DECK) or not cards.keys() <= set(DECK):
        raise ValueError("the cards of an audit are different cards in slots 0 to 35")
    public = start(rules, dealer, leader, indicator)
    state = public.learn(cards)
    hold = _Holdings(public)
    offences: list[Offence] = []
    for index, (seat, action) in enumerate(steps):
        done = follow(public, Eye.PUBLIC, seat, action, cards)
        if isinstance(done, Refusal):
            offences.append(Offence(seat, index, Reason.REFUSED, refusal=done))
            continue
        public = done.state
        if isinstance(action, Claim) and not hold.has_molodka(seat, cards):
            offences.append(Offence(seat, index, Reason.FALSE_CLAIM))
        if isinstance(action, Show):
            hold.give_back()
        if not isinstance(action, Claim | Yield):
            offences.extend(Offence(seat, index, why, slot) for why, slot in hold.take(seat, action))
        hold.after(done)
        if not offences:
            opened = apply(state, seat, action)
            assert isinstance(opened, Applied), f"an open deal refuses what the audit found good: {opened}"
            state = opened.state
    whole = not offences and state.phase is Phase.OVER and len(cards) == len(DECK)
    whole = whole and all(s is not None for t in state.tricks for p in t.plays for s in p.slots)
    return Audit(tuple(offences), state, public, score(state) if whole else None)


def audit_record(record: Record) -> Audit:
    """The audit of a recorded deal."""
    deal = record.deal
    cards = dict(enumerate(deal.cards))
    return audit(deal.rules, deal.dealer, deal.leader, deal.indicator, cards, record.steps)


# --- replay -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moment:
    """One step of a replay as one watcher sees it: who did what and what came of it. The first moment of a deal
    has neither seat nor action. ``action`` of others' discards has slots None unless cards are open."""

    index: int
    state: DealState
    seat: Seat | None = None
    action: Action | None = None
    returned: tuple[Play, ...] = ()
    closed: bool = False
    drawn: Drawn | None = None


class Replay:
    """A recorded deal to step through, forth and back, with all cards open or as one seat or the public saw it.

    ``position`` is the number of actions done, 0..len(replay). Raises ValueError for a record with an action
    that the rules refuse: what came after a refused action was never played.
    """

    def __init__(self, record: Record) -> None:
        self.record: Final = record
        self.position = 0
        self._told: dict[Watcher, tuple[Moment, ...]] = {}
        self._moments(Eye.OPEN)

    def __len__(self) -> int:
        return len(self.record.steps)

    def forth(self, count: int = 1) -> bool:
        """Go ``count`` actions on, as far as there are any; whether the position changed."""
        return self.seek(self.position + count)

    def back(self, count: int = 1) -> bool:
        """Go ``count`` actions back, as far as there are any; whether the position changed."""
        return self.seek(self.position - count)

    def seek(self, position: int) -> bool:
        """Go to a position; beyond either end is the end. Whether the position changed."""
        before = self.position
        self.position = max(0, min(position, len(self)))
        return self.position != before

    def seek_trick(self, number: int) -> bool:
        """Go to where trick ``number`` (from 0) begins, or to the end when there are not so many."""
        starts = [m.index for m in self._moments(Eye.OPEN) if m.closed]
        return self.seek(([0, *starts, len(self)])[min(max(number, 0), len(starts) + 1)])

    def moment(self, watcher: Watcher = Eye.OPEN) -> Moment:
        """The step that led to the present position, as this watcher sees it."""
        return self._moments(watcher)[self.position]

    def state(self, watcher: Watcher = Eye.OPEN) -> DealState:
        """The deal at the present position, as this watcher knows it."""
        return self.moment(watcher).state

    def view(self, seat: Seat, defeat: tuple[int, int] = (0, 0)) -> SeatView:
        """What this seat saw at the present position; ``defeat`` as in `SeatView`."""
        return SeatView(seat, self.state(seat), defeat)

    def result(self) -> DealResult | None:
        """The score of the deal, or None when it was not played out."""
        last = self._moments(Eye.OPEN)[-1].state
        return score(last) if last.phase is Phase.OVER else None

    def _moments(self, watcher: Watcher) -> tuple[Moment, ...]:
        if watcher in self._told:
            return self._told[watcher]
        deal = self.record.deal
        cards = dict(enumerate(deal.cards))
        told = [Moment(0, opening(deal, watcher))]
        for index, (seat, action) in enumerate(self.record.steps, 1):
            done = follow(told[-1].state, watcher, seat, action, cards)
            if isinstance(done, Refusal):
                raise ValueError(f"action {index} of the record, by seat {seat}, is against the rules: {done}")
            seen = as_seen(watcher, seat, action)
            closed = done.closed is not None
            told.append(Moment(index, done.state, seat, seen, done.returned, closed, done.drawn))
        self._told[watcher] = tuple(told)
        return self._told[watcher]
