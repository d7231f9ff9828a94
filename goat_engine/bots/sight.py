"""What a bot sees: one seat's knowledge of a deal, as numbers, relative to that seat.

A ``Sight`` is a plain value. Others' hands, the order of the stock and other people's face-down cards are not
in it and can't be reached from it, so no bot can cheat by accident. It is made from a ``goat_engine.view``
seat view in real play (``goat_engine.bots.table``) and from a ``State`` in bots' own games (``of_state``);
a test holds the two equal.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from goat_engine.bots.fast import (
    ANSWERING,
    ASKING,
    BEAT,
    CLAIM,
    DECLINES,
    FULL,
    LEADING,
    MOLODKAS,
    YIELD,
    State,
    beats,
    discards,
    leads,
    points,
)


class Sight(NamedTuple):
    """Sets of cards are 36-bit masks. "Us" is the seat and its partner."""

    #: LEADING, ANSWERING or ASKING.
    phase: int
    #: The suit of trumps.
    trump: int
    #: Own hand.
    hand: int
    #: Cards whose place the seat does not know: in another hand, in the stock, or discarded by someone else.
    unseen: int
    #: The indicator if it is unseen, else 0.
    indicator: int
    #: Cards to play in this trick (0: not led yet); the top set; its seat: 0 none, 1 left, 2 partner, 3 right.
    size: int
    top: int
    top_by: int
    #: Seats that play after this one in this trick.
    after: int
    #: Points on the table that the seat knows of, and cards there that it does not know.
    table_points: int
    table_hidden: int
    #: Cards in the stock; cards in a full hand in this trick.
    stock: int
    held: int
    #: Known points, unknown cards and tricks of both teams, closed tricks only.
    us_points: int
    them_points: int
    us_hidden: int
    them_hidden: int
    us_tricks: int
    them_tricks: int
    #: 1 if the seat may claim a molodka now.
    may_claim: int
    #: What the left opponent, the partner and the right opponent declined to beat lately: for each kind (see
    #: ``fast.DECLINES``) three bits, 0 for never, else 1 + the cards that seat has played and drawn since.
    left_declined: int
    partner_declined: int
    right_declined: int


CLAIMABLE: Final = 4


def declines(stamps: Sequence[int], seat: int, clock: int) -> int:
    """One seat's declines in the packed form of a sight; what is four cards ago tells nothing any more."""
    packed = 0
    for kind in range(DECLINES):
        age = max(0, clock - stamps[DECLINES * seat + kind])
        if age < 4:
            packed |= (age + 1) << 3 * kind
    return packed


def of_state(state: State) -> Sight:
    """What the seat whose turn it is sees of a state."""
    seat = state.turn
    us = seat & 1
    hand = state.hands[seat]
    shown, mine = state.shown, state.discarded[seat]
    table = state.table
    laid = table[0] | table[1] | table[2] | table[3]
    hidden_now = state.hidden
    known_now = laid & ~hidden_now | table[seat]
    # Face-up cards that a claim sent back and that their owner then discarded are known to all.
    secret = ~(shown | mine)
    won_us, won_them = state.won[us], state.won[1 - us]
    phase = state.phase
    size = state.size
    after = 3 if phase == LEADING else (state.opener - seat - 1) & 3 if phase == ANSWERING else 0
    may_claim = hand in MOLODKAS and (
        phase == ASKING or (phase == ANSWERING and size < CLAIMABLE and not state.claimed)
    )
    unseen = FULL & ~(shown | hand | mine)
    held = hand.bit_count() if phase in (LEADING, ANSWERING) else 4
    return Sight(
        phase=phase,
        trump=state.trump,
        hand=hand,
        unseen=unseen,
        indicator=unseen & 1 << state.indicator,
        size=size,
        top=state.top,
        top_by=(state.taker - seat) & 3 if size else 0,
        after=after,
        table_points=points(known_now | laid & shown),
        table_hidden=(laid & hidden_now & secret).bit_count(),
        stock=20 - state.position,
        held=held,
        us_points=points(won_us & ~secret),
        them_points=points(won_them & ~secret),
        us_hidden=(won_us & secret).bit_count(),
        them_hidden=(won_them & secret).bit_count(),
        us_tricks=state.tricks[us],
        them_tricks=state.tricks[1 - us],
        may_claim=int(may_claim),
        left_declined=declines(state.declined, (seat + 1) & 3, state.clock) if size < 4 else 0,
        partner_declined=declines(state.declined, (seat + 2) & 3, state.clock) if size < 4 else 0,
        right_declined=declines(state.declined, (seat + 3) & 3, state.clock) if size < 4 else 0,
    )


def moves(sight: Sight) -> tuple[int, ...]:
    """The seat's legal moves, in the same order as ``State.legal``."""
    hand, size = sight.hand, sight.size
    if sight.phase == LEADING:
        return leads(hand)
    if sight.phase == ASKING:
        return (hand | CLAIM, YIELD) if sight.may_claim else (YIELD,)
    thrown = discards(hand, size)
    able = tuple(move & FULL | BEAT for move in thrown if beats(move & FULL, sight.top, sight.trump))
    if sight.may_claim:
        return (*able, *thrown, hand | CLAIM)
    return able + thrown
