"""The state of one deal as one peer knows it, and the only way it changes (RULES.md R5-R18).

The same value serves the public, a seat and the audit: they differ only in ``known`` (slot -> card) and in
whether the slots of discards are known. Nothing here draws by chance; cards come in from outside by ``learn``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Refusal, Show, Slot, Yield
from goat_engine.cards import DECK_SIZE, Card, Suit, set_beats, suit_of
from goat_engine.rules import HAND_SIZE, SEATS, Rules, Seat, distance, seats_from

FIRST_STOCK_SLOT: Final = 16
Quad: TypeAlias = tuple[int, int, int, int]
Hands: TypeAlias = tuple[tuple[Slot, ...], ...]
NOTHING_KNOWN: Final[Mapping[Slot, Card]] = MappingProxyType({})


class Phase(StrEnum):
    """What the deal waits for."""

    LEAD = "lead"
    ANSWER = "answer"
    SHOW = "show"
    ASK = "ask"
    OVER = "over"


class PlayKind(StrEnum):
    """How cards lie on the table."""

    LEAD = "lead"
    BEAT = "beat"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True)
class Play:
    """One seat's cards in a trick; a slot is None for whoever does not know it."""

    seat: Seat
    kind: PlayKind
    slots: tuple[Slot | None, ...]


@dataclass(frozen=True, slots=True)
class Trick:
    """A closed trick. ``entitled`` was to lead it, ``plays[0]`` is the lead that stood (R16), in order."""

    entitled: Seat
    plays: tuple[Play, ...]
    taker: Seat
    molodka: bool


@dataclass(frozen=True, slots=True)
class Drawn:
    """Slots each seat draws after a trick (R13), by seat."""

    slots: Hands


@dataclass(frozen=True, slots=True)
class DealState:
    """One deal as one peer knows it; see the module. Made by `start`, changed by `apply` and `learn` alone.

    ``hands``: per seat the slots received and not seen to leave. ``hidden``: how many of those are gone face
    down, for whoever does not know which; so a hand holds ``len(hands[s]) - hidden[s]`` cards.
    ``next_slot``: top of the stock, 16..36. ``shown``: slots whose face is public. ``entitled``: the seat that
    was to lead this trick, origin of distances (R17). ``turn``: the seat that owes an action.
    ``claimant``: the seat whose molodka leads or is to be shown. ``asked``: seats still to be asked, in order.
    """

    rules: Rules
    dealer: Seat
    trump: Suit
    indicator: Card
    entitled: Seat
    hands: Hands
    known: Mapping[Slot, Card] = field(default_factory=lambda: NOTHING_KNOWN)
    shown: frozenset[Slot] = frozenset()
    hidden: Quad = (0, 0, 0, 0)
    next_slot: int = FIRST_STOCK_SLOT
    tricks: tuple[Trick, ...] = ()
    phase: Phase = Phase.LEAD
    turn: Seat | None = None
    plays: tuple[Play, ...] = ()
    claimant: Seat | None = None
    asked: tuple[Seat, ...] = ()

    @property
    def stock(self) -> int:
        """Cards left in the stock, 0..20."""
        return DECK_SIZE - self.next_slot

    @property
    def leader(self) -> Seat | None:
        """The seat whose lead lies on the table."""
        return self.plays[0].seat if self.plays else None

    @property
    def top(self) -> Play | None:
        """The top set: the last beat of the trick, or else the lead."""
        up = [p for p in self.plays if p.kind is not PlayKind.DISCARD]
        return up[-1] if up else None

    @property
    def molodka(self) -> bool:
        """Whether the lead on the table is a molodka; four cards led by the entitled seat are one too (R18)."""
        return bool(self.plays) and len(self.plays[0].slots) == HAND_SIZE

    def hand_size(self, seat: Seat) -> int:
        """Cards in a seat's hand, 0..4 (between tricks); public."""
        return len(self.hands[seat]) - self.hidden[seat]

    def taken(self, team: int) -> int:
        """Tricks a team has taken."""
        return sum(1 for t in self.tricks if t.taker % 2 == team)

    def learn(self, cards: Mapping[Slot, Card], *, public: bool = False) -> "DealState":
        """The same state with more faces known; ``public`` for faces that everyone has seen."""
        known = MappingProxyType({**self.known, **cards})
        return replace(self, known=known, shown=self.shown | cards.keys() if public else self.shown)

    def public_key(self) -> tuple[object, ...]:
        """All that is public, as one hashable value: equal on every peer that has folded the same log."""
        tricks = tuple(
            (t.entitled, t.taker, t.molodka, tuple(self._public_play(p) for p in t.plays)) for t in self.tricks
        )
        return (
            self.dealer, self.indicator, self.entitled, self.next_slot, self.phase.value, self.turn,
            tuple(self.hand_size(s) for s in SEATS), tuple(self._public_play(p) for p in self.plays),
            self.claimant, self.asked, tuple(sorted((s, self.known[s]) for s in self.shown)), tricks,
        )  # fmt: skip

    def _public_play(self, play: Play) -> tuple[object, ...]:
        if play.kind is PlayKind.DISCARD:
            return (play.seat, play.kind.value, len(play.slots))
        return (play.seat, play.kind.value, play.slots)


@dataclass(frozen=True, slots=True)
class Applied:
    """What an action did: the new state, cards that went back to hands (R16), the trick that closed, the draw."""

    state: DealState
    returned: tuple[Play, ...] = ()
    closed: Trick | None = None
    drawn: Drawn | None = None


def start(rules: Rules, dealer: Seat, leader: Seat, indicator: Card) -> DealState:
    """A deal just dealt: slots 0-15 go round from the dealer's left, 20 are the stock (R5-R7)."""
    first = (dealer + 1) % 4
    hands = tuple(tuple(i for i in range(16) if (first + i) % 4 == s) for s in SEATS)
    return DealState(rules, dealer, suit_of(indicator), indicator, leader, hands, turn=leader)


WANTED: Final[Mapping[type, Phase]] = MappingProxyType(
    {Lead: Phase.LEAD, Beat: Phase.ANSWER, Discard: Phase.ANSWER, Show: Phase.SHOW}
)


def check(state: DealState, seat: Seat, action: Action) -> Refusal | None:
    """Why this action is refused now, or None when it is legal. Faces that are not known pass as far as the
    public can tell; what is hidden is judged by the audit."""
    if state.phase is Phase.OVER:
        return Refusal.DEAL_OVER
    match action:
        case Claim():
            return _check_claim(state, seat)
        case Yield():
            if state.phase is not Phase.ASK:
                return Refusal.WRONG_ACTION
            return None if seat == state.turn else Refusal.NOT_YOUR_TURN
        case Lead() | Beat() | Discard() | Show():
            if seat != state.turn:
                return Refusal.NOT_YOUR_TURN
            if state.phase is not WANTED[type(action)]:
                return Refusal.WRONG_ACTION
            return _check_cards(state, seat, action)


def _check_claim(state: DealState, seat: Seat) -> Refusal | None:
    if state.phase is Phase.SHOW:
        return Refusal.WRONG_ACTION
    if state.phase is Phase.ASK:
        if seat != state.turn:
            return Refusal.NOT_YOUR_TURN
    elif state.molodka or any(p.seat == seat for p in state.plays):
        return Refusal.TOO_LATE
    elif seat == state.entitled:
        return Refusal.WRONG_ACTION  # on an empty table it leads (R17); once it led it has played
    cards = [state.known.get(s) for s in state.hands[seat]]
    if state.hand_size(seat) != HAND_SIZE:
        return Refusal.NO_MOLODKA
    faces = {c // 9 for c in cards if c is not None}
    sure = not state.hidden[seat] and len(faces) > 1
    return Refusal.NO_MOLODKA if sure else None


def _check_cards(state: DealState, seat: Seat, action: Lead | Beat | Discard | Show) -> Refusal | None:
    slots = action.slots
    if isinstance(action, Lead):
        fits = 1 <= len(slots) <= min(HAND_SIZE, state.hand_size(seat))
    elif isinstance(action, Show):
        fits = len(slots) == HAND_SIZE
    else:
        fits = len(slots) == len(state.plays[0].slots)
    if not fits:
        return Refusal.WRONG_COUNT
    named = [s for s in slots if s is not None]
    if len(set(named)) != len(named):
        return Refusal.REPEATED_SLOT
    if any(s not in state.hands[seat] for s in named):
        return Refusal.NOT_IN_HAND
    if isinstance(action, Discard):
        return None
    if len(named) != len(slots) or any(s not in state.known for s in named):
        return Refusal.UNKNOWN_CARD
    cards = [state.known[s] for s in named]
    if isinstance(action, Beat):
        top = state.top
        assert top is not None
        goal = [state.known[s] for s in top.slots if s is not None]
        return None if set_beats(cards, goal, state.trump) else Refusal.DOES_NOT_BEAT
    if len({suit_of(c) for c in cards}) != 1:
        return Refusal.NO_MOLODKA if isinstance(action, Show) else Refusal.NOT_ONE_SUIT
    return None


def apply(state: DealState, seat: Seat, action: Action) -> Applied | Refusal:
    """The state after this action of this seat and what happened, or the reason why it is refused."""
    reason = check(state, seat, action)
    if reason is not None:
        return reason
    match action:
        case Claim():
            asked = () if state.phase is Phase.ASK else _to_be_asked(state, seat)
            return Applied(replace(state, phase=Phase.SHOW, turn=seat, claimant=seat, asked=asked))
        case Yield():
            return Applied(_ask_next(replace(state, asked=state.asked[1:])))
        case Show(slots=slots):
            back = state.plays
            restored = _take_back(state)
            lead = Play(seat, PlayKind.LEAD, slots)
            shown = restored.shown | set(slots)
            return Applied(_ask_next(replace(_lay(restored, lead), shown=shown)), returned=back)
        case Lead(slots=slots):
            return Applied(_answers(_open(state, Play(seat, PlayKind.LEAD, slots))))
        case Beat(slots=slots):
            return _after_answer(_open(state, Play(seat, PlayKind.BEAT, slots)))
        case Discard(slots=hidden):
            return _after_answer(_lay(state, Play(seat, PlayKind.DISCARD, hidden)))


def _to_be_asked(state: DealState, claimant: Seat) -> tuple[Seat, ...]:
    """Seats strictly closer to the entitled seat than the claimant, in order of distance (R17)."""
    return seats_from(state.entitled)[: distance(claimant, state.entitled)]


def _ask_next(state: DealState) -> DealState:
    """Ask the next closer seat, or go on to the answers. A takeover ends the asking: all closer seats were
    asked before the one that took over."""
    if state.asked:
        return replace(state, phase=Phase.ASK, turn=state.asked[0])
    return _answers(state)


def _answers(state: DealState) -> DealState:
    return replace(state, phase=Phase.ANSWER, turn=(state.plays[-1].seat + 1) % 4)


def _lay(state: DealState, play: Play) -> DealState:
    """Cards leave the hand for the table; unknown ones are only counted."""
    gone = {s for s in play.slots if s is not None}
    hands = _with(state.hands, play.seat, tuple(s for s in state.hands[play.seat] if s not in gone))
    hidden = list(state.hidden)
    hidden[play.seat] += len(play.slots) - len(gone)
    return replace(state, hands=hands, hidden=_quad(hidden), plays=(*state.plays, play))


def _open(state: DealState, play: Play) -> DealState:
    laid = _lay(state, play)
    return replace(laid, shown=laid.shown | {s for s in play.slots if s is not None})


def _take_back(state: DealState) -> DealState:
    """All cards on the table go back to their owners' hands; faces that were seen stay known (R16)."""
    hands, hidden = state.hands, list(state.hidden)
    for play in state.plays:
        back = tuple(s for s in play.slots if s is not None)
        hidden[play.seat] -= len(play.slots) - len(back)
        hands = _with(hands, play.seat, tuple(sorted((*hands[play.seat], *back))))
    return replace(state, hands=hands, hidden=_quad(hidden), plays=())


def _after_answer(state: DealState) -> Applied:
    if len(state.plays) < len(SEATS):
        return Applied(_answers(state))
    top = state.top
    assert top is not None
    trick = Trick(state.entitled, state.plays, top.seat, state.molodka)
    tricks = (*state.tricks, trick)
    closed = replace(state, tricks=tricks, plays=(), claimant=None, entitled=top.seat, turn=top.seat)
    after, drawn = _draw(closed, top.seat)
    over = all(after.hand_size(s) == 0 for s in SEATS)
    phase, turn = (Phase.OVER, None) if over else (Phase.LEAD, top.seat)
    return Applied(replace(after, phase=phase, turn=turn), closed=trick, drawn=drawn)


def _draw(state: DealState, taker: Seat) -> tuple[DealState, Drawn | None]:
    """One card at a time, clockwise from the taker, until hands are full or the stock is empty (R13)."""
    got: list[list[Slot]] = [[], [], [], []]
    slot = state.next_slot
    while slot < DECK_SIZE and state.hand_size(taker) + len(got[taker]) < HAND_SIZE:
        for seat in seats_from(taker):
            got[seat].append(slot)
            slot += 1
    if slot == state.next_slot:
        return state, None
    hands = tuple((*state.hands[s], *got[s]) for s in SEATS)
    return replace(state, hands=hands, next_slot=slot), Drawn(tuple(tuple(g) for g in got))


def _with(hands: Hands, seat: Seat, hand: tuple[Slot, ...]) -> Hands:
    return tuple(hand if s == seat else hands[s] for s in SEATS)


def _quad(values: list[int]) -> Quad:
    a, b, c, d = values
    return (a, b, c, d)
