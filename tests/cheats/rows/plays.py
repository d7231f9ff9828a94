"""Cheats with plays: another's slot, a slot played before, false keys, discards made of nothing."""

from typing import Any

from goat_engine.state import Phase
from goat_net.deck.seeds import discard_commitment, discard_nonce, format_key
from goat_net.log.deal import DealFold
from goat_net.log.records import BeatPlay, DiscardPlay, LeadPlay
from tests.cheats.catalogue import AUDIT, NOBODY, ONCE, REFUSED, Changed, beside, on, seat_cheat
from tests.cheats.kit import Schemer
from tests.cheats.rows.deck import deal_of, els, run

FACE_UP = (LeadPlay, BeatPlay)


def seat_of(c: Schemer) -> int:
    """The cheat's seat."""
    assert c.seat is not None
    return c.seat


def again(c: Schemer, body: Any, slots: tuple[int, ...]) -> Any:
    """The same play with other slots."""
    return type(body)(slots, c._run(slots))


def commit(c: Schemer, position: int, slot: int, *, counter: int | None = None) -> bytes:
    """A well-made commitment to a slot."""
    deal, seat = deal_of(c), seat_of(c)
    at = c.fold.counters[seat] if counter is None else counter
    return discard_commitment(deal.tag, seat, at, position, slot, discard_nonce(c._seed(deal), deal.tag, at, position))


def shown_by(deal: DealFold, seat: int) -> list[int]:
    """Slots that a seat has played face up in closed tricks."""
    assert deal.state is not None
    plays = (p for t in deal.state.tricks for p in t.plays if p.seat == seat)
    return [s for p in plays for s in p.slots if s is not None]


# Face up


def _another(c: Schemer, body: Any) -> Any:
    deal = deal_of(c)
    assert deal.state is not None
    return again(c, body, (deal.state.hands[(seat_of(c) + 1) % 4][0], *body.slots[1:]))


on(LeadPlay, when=ONCE, name="lead: another's slot (turn 0)", turn=0)(_another)
on(LeadPlay, when=ONCE, name="lead: another's slot (turn 2)", turn=2)(_another)
on(BeatPlay, when=ONCE, name="beat: another's slot (turn 1)", turn=1)(_another)
on(BeatPlay, when=ONCE, name="beat: another's slot (turn 3)", turn=3)(_another)


@on(LeadPlay, when=ONCE, name="lead: the partner's slot (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    deal = deal_of(c)
    assert deal.state is not None
    return again(c, body, (deal.state.hands[(seat_of(c) + 2) % 4][0], *body.slots[1:]))


@on(*FACE_UP, when=ONCE, name="play face up: a slot of the stock that nobody has drawn (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return again(c, body, (35, *body.slots[1:])) if deal_of(c).state.next_slot < 36 else ...  # type: ignore[union-attr]


for turn in (0, 1):

    @on(*FACE_UP, when=ONCE, name=f"play face up: a slot that was played before (turn {turn})", turn=turn)
    def _(c: Schemer, body: Any) -> Any:
        before = shown_by(deal_of(c), seat_of(c))
        return again(c, body, (before[0], *body.slots[1:])) if before else ...


@on(LeadPlay, when=ONCE, name="lead: a false key for one's own slot (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    return LeadPlay(body.slots, format_key(c.secrets.k[body.slots[0]] ^ 1) + body.keys[32:])


@on(BeatPlay, when=ONCE, name="beat: the key of another slot (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    return BeatPlay(body.slots, format_key(c.secrets.k[(body.slots[0] + 1) % 36]) + body.keys[32:])


@on(*FACE_UP, when=ONCE, name="play face up: no keys (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    return type(body)(body.slots, b"")


class _Rules(Changed):
    """A play against the public rules: it is turned away, and the right one follows."""

    def __init__(self, kinds: tuple[type, ...], change: Any) -> None:
        super().__init__(kinds, change)


@on(BeatPlay, when=REFUSED, who=NOBODY, name="beat: with a card that does not beat (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    deal, view = deal_of(c), c.view
    assert view is not None
    assert deal.state is not None
    for slot, _card in view.hand:
        other = again(c, body, (slot,))
        if len(body.slots) == 1 and c.fold.deal is not None and deal._judge_cards(deal.state, seat_of(c), other).form:
            return other
    return ...


@on(LeadPlay, when=REFUSED, who=NOBODY, name="lead: cards of two suits (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    view = c.view
    assert view is not None
    two = [(a, b) for a, x in view.hand for b, y in view.hand if x // 9 != y // 9]
    return again(c, body, two[0]) if two else ...


@beside(REFUSED, "play: out of turn (turn 2)", who=NOBODY, turn=2)
def _(c: Schemer) -> Any:
    deal = c.fold.deal
    if deal is None or deal.state is None or not deal.may_play or deal.state.turn == c.seat:
        return None
    slots = (deal.state.hands[seat_of(c)][0],) if deal.state.phase is Phase.LEAD else ()
    return LeadPlay(slots, c._run(slots)) if slots else None


# Face down


@on(DiscardPlay, when=AUDIT, name="discard: committed to nothing (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return DiscardPlay(bytes(range(32)) + body.commitments[32:])


@on(DiscardPlay, when=AUDIT, name="discard: the last card committed to nothing (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    return DiscardPlay(body.commitments[:-32] + bytes(32))


@on(DiscardPlay, when=AUDIT, name="discard: a commitment for another counter (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    slot = c.own.hands[seat_of(c)][0]  # type: ignore[union-attr]
    return DiscardPlay(commit(c, 0, slot, counter=c.fold.counters[seat_of(c)] + 1) + body.commitments[32:])


@on(DiscardPlay, when=AUDIT, name="discard: the commitment that another seat has just made (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    steps = [s for s in deal_of(c).steps if s.commitments and s.seat != c.seat]
    return DiscardPlay(steps[-1].commitments[0] + body.commitments[32:]) if steps else ...


for turn in (1, 3):

    @on(DiscardPlay, when=AUDIT, name=f"discard: another's slot (turn {turn})", turn=turn)
    def _(c: Schemer, body: Any) -> Any:
        state = deal_of(c).state
        assert state is not None
        theirs = state.hands[(seat_of(c) + 1) % 4]
        return DiscardPlay(commit(c, 0, theirs[0]) + body.commitments[32:]) if theirs else ...


@on(DiscardPlay, when=AUDIT, name="discard: a slot of the stock that nobody has drawn (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    state = deal_of(c).state
    assert state is not None
    return DiscardPlay(commit(c, 0, 35) + body.commitments[32:]) if state.next_slot < 36 else ...


@on(DiscardPlay, when=AUDIT, name="discard: one card for two places of a play (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    if len(els(body.commitments)) < 2:
        return ...
    slot = c.own.hands[seat_of(c)][0]  # type: ignore[union-attr]
    return DiscardPlay(run([commit(c, 0, slot), commit(c, 1, slot)]) + body.commitments[64:])


class _Kept(Changed):
    """Discards a card and keeps it in mind: it is played once more, face up or face down."""

    def __init__(self, *, face_up: bool) -> None:
        super().__init__((DiscardPlay, *FACE_UP), self._change)
        self.face_up = face_up

    def _change(self, c: Schemer, body: Any) -> Any:
        mine = c.own.hands[seat_of(c)]  # type: ignore[union-attr]
        gone = self.notes["gone"] = [s for s in self.notes.get("gone", ()) if s not in mine]  # a molodka sends it back
        if isinstance(body, DiscardPlay):
            real = next((s for s in mine if commit(c, 0, s) == body.commitments[:32]), None)
            if gone and not self.face_up:
                return DiscardPlay(commit(c, 0, gone[0]) + body.commitments[32:])
            if real is not None:
                gone.append(real)
            return ...
        if gone and self.face_up and len(body.slots) == 1:
            other = again(c, body, (gone[0],))
            deal = deal_of(c)
            assert deal.state is not None
            return other if deal._judge_cards(deal.state, seat_of(c), other).good else ...
        return ...


for turn in range(4):
    seat_cheat(f"discard: later played face up (turn {turn})", AUDIT, lambda: _Kept(face_up=True), turn=turn)
    seat_cheat(f"discard: discarded once more (turn {turn})", AUDIT, lambda: _Kept(face_up=False), turn=turn)


@on(DiscardPlay, when=AUDIT, name="discard: a card that was played face up before (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    before = shown_by(deal_of(c), seat_of(c))
    return DiscardPlay(commit(c, 0, before[0]) + body.commitments[32:]) if before else ...


@on(DiscardPlay, when=REFUSED, who=NOBODY, name="discard: a card too many (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return DiscardPlay(body.commitments + bytes(32))
