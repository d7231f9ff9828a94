"""The game, the heuristic and the net, compiled: some hundred times as many deals a second.

The heuristic and the encoding are the very functions that play, compiled here as they are; the course of a
deal and the net's arithmetic are written anew for arrays. ``tests/bots/test_training.py`` holds both equal to
``State`` and to the players.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final, TypeAlias, TypeVar

import numba  # type: ignore[import-untyped]
import numpy as np
from numba.core import types  # type: ignore[import-untyped]
from numba.extending import intrinsic, overload_method  # type: ignore[import-untyped]

from goat_engine.bots import fast, heuristic, inputs, sight
from goat_engine.bots.fast import (
    ANSWERING,
    ASKING,
    BEAT,
    BEATERS,
    CLAIM,
    DECLINES,
    DISCARD,
    FULL,
    HIGH_STAKE,
    LEAD,
    LEADING,
    NEVER,
    OVER,
    SUITS,
    YIELD,
)
from goat_engine.bots.sight import Sight

F = TypeVar("F", bound=Callable[..., Any])
Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
Shorts: TypeAlias = np.ndarray[Any, np.dtype[np.int16]]
Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Doubles: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
#: What a net works in: sums shared by all moves, sums, outputs of both layers, inputs.
Room: TypeAlias = tuple[Floats, Floats, Floats, Floats, Shorts]


@intrinsic  # type: ignore[untyped-decorator]
def _popcount(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@overload_method(types.Integer, "bit_count")  # type: ignore[untyped-decorator]
def _bit_count(number):  # type: ignore[no-untyped-def]  # numba compares the names and annotations
    return lambda number: _popcount(np.int64(number))


def jit(function: F) -> F:
    """The function, compiled."""
    return numba.njit(nogil=True)(function)  # type: ignore[no-any-return]


def port(function: F, **names: object) -> F:
    """A function of the pure part, compiled, with some of the names it uses replaced."""
    copy = FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__)
    return jit(copy)  # type: ignore[return-value]


_beaters = np.array(BEATERS, dtype=np.int64)
_suits = np.array(SUITS, dtype=np.int64)
_value = port(heuristic.value, SUIT_POINTS=np.array(fast.SUIT_POINTS, dtype=np.int64))
_chance_beaten = port(heuristic.chance_beaten, BEATERS=_beaters, SUITS=_suits, TAILS=np.array(heuristic.TAILS))
_take_chance = port(heuristic.take_chance, chance_beaten=_chance_beaten)
_terms = port(
    heuristic.terms,
    BEATERS=_beaters,
    SUITS=_suits,
    chance_beaten=_chance_beaten,
    take_chance=_take_chance,
    value=_value,
)
_suit_order = port(inputs.suit_order)
_renamed = port(inputs.renamed)
_put = port(inputs.put)
_steps = port(inputs.steps)
_declined = port(inputs.declined)
_of_sight = port(inputs.of_sight, put=_put, steps=_steps, renamed=_renamed, declined=_declined)
_declines = port(sight.declines)
_of_move = port(inputs.of_move, put=_put, renamed=_renamed)

TERM_COUNT: Final = len(heuristic.TERMS)
PARAMETER_COUNT: Final = len(heuristic.PARAMETERS)
RESCUE: Final = inputs.RESCUE
PARTNER_TAKES: Final = inputs.PARTNER_TAKES
MOST_ON: Final = inputs.MOST_ON

#: Who plays a seat.
BY_HEURISTIC: Final = 0
BY_NET: Final = 1
BY_CHANCE: Final = 2

#: Places in the array that holds a deal: four each of hands, table, discarded; then single numbers.
HANDS, LAID, GONE, WON, TRICKS = 0, 4, 8, 12, 14
(TRUMP, INDICATOR, POSITION, LEADER, OPENER, TURN, PHASE, SIZE, TOP, TAKER, HIDDEN, CLAIMED, ASKED, SHOWN, CLOCK) = (
    range(16, 31)
)
DECLINED: Final = 31
WIDTH: Final = 51


@jit
def set_beats(mask: int, top: int, trump: int) -> bool:
    """See ``fast.beats``."""
    need = top.bit_count()
    rest = top & ~_suits[trump]
    for _ in range(2):
        while rest:
            low = rest & -rest
            rest ^= low
            if (mask & _beaters[trump, (low - 1).bit_count()]).bit_count() < need:
                return False
            need -= 1
        rest = top & _suits[trump]
    return True


@jit
def is_molodka(hand: int) -> bool:
    """Four cards of one suit."""
    if hand.bit_count() != 4:
        return False
    suit = ((hand & -hand) - 1).bit_count() // 9
    return bool(hand & _suits[suit] == hand)


@jit
def deal(order: Ints, indicator: int, dealer: int, leader: int, s: Ints) -> None:
    """Lays out a deal in the array ``s``."""
    s[:] = 0
    for place in range(16):
        s[HANDS + ((dealer + 1 + place) & 3)] |= 1 << order[place]
    s[DECLINED:] = NEVER
    s[TRUMP] = indicator // 9
    s[INDICATOR] = indicator
    s[LEADER] = s[OPENER] = s[TURN] = s[TAKER] = leader
    s[PHASE] = LEADING


@jit
def legal(s: Ints, out: Ints) -> int:
    """Fills ``out`` with the legal moves; their number."""
    hand = s[HANDS + s[TURN]]
    count = 0
    if s[PHASE] == ASKING:
        out[0], out[1] = hand | CLAIM, YIELD
        return 2
    if s[PHASE] == LEADING:
        part = hand
        while part:
            for suit in range(4):
                if part & _suits[suit] == part:
                    out[count] = part | LEAD
                    count += 1
            part = (part - 1) & hand
        return count
    size, top, trump = s[SIZE], s[TOP], s[TRUMP]
    part = hand
    while part:
        if part.bit_count() == size:
            if set_beats(part, top, trump):
                out[count] = part | BEAT
                count += 1
            out[count] = part | DISCARD
            count += 1
        part = (part - 1) & hand
    if size < 4 and s[CLAIMED] == 0 and is_molodka(hand):
        out[count] = hand | CLAIM
        count += 1
    return count


@jit
def ask_next(s: Ints) -> None:
    """The next closer seat that holds a molodka is asked (R17), or the answers begin."""
    while s[ASKED] > 0:
        distance = (s[OPENER] - s[LEADER]) & 3
        seat = (s[LEADER] + distance - s[ASKED]) & 3
        s[ASKED] -= 1
        if is_molodka(s[HANDS + seat]):
            s[PHASE] = ASKING
            s[TURN] = seat
            return
    s[PHASE] = ANSWERING
    s[TURN] = (s[OPENER] + 1) & 3


@jit
def close(s: Ints, order: Ints) -> None:
    """The end of a trick (R12, R13)."""
    taker = s[TAKER]
    team = taker & 1
    s[WON + team] |= s[LAID] | s[LAID + 1] | s[LAID + 2] | s[LAID + 3]
    s[TRICKS + team] += 1
    s[CLOCK] += s[SIZE]
    position = s[POSITION]
    if position < 20:
        end = min(20, position + 4 * s[SIZE])
        for place in range(position, end):
            s[HANDS + ((taker + place - position) & 3)] |= 1 << order[16 + place]
        s[POSITION] = end
        s[PHASE] = LEADING
    else:
        s[PHASE] = LEADING if s[HANDS + taker] else OVER
    for seat in range(4):
        s[LAID + seat] = 0
    s[SIZE] = s[HIDDEN] = s[TOP] = s[CLAIMED] = 0
    s[TURN] = s[LEADER] = s[OPENER] = taker


@jit
def decline(s: Ints, seat: int) -> None:
    """See ``fast.State``."""
    suit = (s[TOP] - 1).bit_count() // 9
    if suit == s[TRUMP]:
        return
    base = DECLINED + DECLINES * seat
    s[base + suit] = s[base + s[TRUMP]] = s[CLOCK] + 1
    laid = s[LAID] | s[LAID + 1] | s[LAID + 2] | s[LAID + 3]
    if _value(laid & ~s[HIDDEN]) >= HIGH_STAKE:
        s[base + 4] = s[CLOCK] + 1


@jit
def apply(s: Ints, order: Ints, move: int) -> None:
    """Plays a move."""
    kind, mask, seat = move & ~FULL, move & FULL, s[TURN]
    if kind == YIELD:
        ask_next(s)
        return
    if kind == CLAIM:
        for other in range(4):
            laid = s[LAID + other]
            s[HANDS + other] |= laid
            s[GONE + other] &= ~(laid & s[HIDDEN])
            s[LAID + other] = 0
        s[HIDDEN] = 0
        s[DECLINED:] = NEVER
        s[ASKED] = 0 if s[CLAIMED] else (seat - s[LEADER]) & 3
        s[CLAIMED] = 1
        s[HANDS + seat] = 0
        s[LAID + seat] = s[TOP] = mask
        s[SHOWN] |= mask
        s[OPENER] = s[TAKER] = seat
        s[SIZE] = 4
        ask_next(s)
        return
    s[HANDS + seat] ^= mask
    s[LAID + seat] = mask
    if kind == DISCARD:
        s[HIDDEN] |= mask
        s[GONE + seat] |= mask
        if s[SIZE] == 1 and (s[TAKER] ^ seat) & 1:
            decline(s, seat)
    else:
        s[TOP] = mask
        s[SHOWN] |= mask
        s[TAKER] = seat
        if kind == LEAD:
            s[OPENER] = seat
            s[SIZE] = mask.bit_count()
            s[PHASE] = ANSWERING
    s[TURN] = (seat + 1) & 3
    if s[TURN] == s[OPENER]:
        close(s, order)


@jit
def see(s: Ints) -> Sight:
    """See ``sight.of_state``."""
    seat = s[TURN]
    us = seat & 1
    hand, shown, mine = s[HANDS + seat], s[SHOWN], s[GONE + seat]
    laid = s[LAID] | s[LAID + 1] | s[LAID + 2] | s[LAID + 3]
    secret = ~(shown | mine)
    phase, size = s[PHASE], s[SIZE]
    after = 3 if phase == LEADING else (s[OPENER] - seat - 1) & 3 if phase == ANSWERING else 0
    may_claim = is_molodka(hand) and (phase == ASKING or (phase == ANSWERING and size < 4 and s[CLAIMED] == 0))
    unseen = FULL & ~(shown | hand | mine)
    return Sight(
        phase,
        s[TRUMP],
        hand,
        unseen,
        unseen & (1 << s[INDICATOR]),
        size,
        s[TOP],
        (s[TAKER] - seat) & 3 if size else 0,
        after,
        _value(laid & ~s[HIDDEN] | s[LAID + seat] | laid & shown),
        (laid & s[HIDDEN] & secret).bit_count(),
        20 - s[POSITION],
        4 if phase == ASKING else hand.bit_count(),
        _value(s[WON + us] & ~secret),
        _value(s[WON + 1 - us] & ~secret),
        (s[WON + us] & secret).bit_count(),
        (s[WON + 1 - us] & secret).bit_count(),
        s[TRICKS + us],
        s[TRICKS + 1 - us],
        1 if may_claim else 0,
        _declines(s[DECLINED:], (seat + 1) & 3, s[CLOCK]) if size < 4 else 0,
        _declines(s[DECLINED:], (seat + 2) & 3, s[CLOCK]) if size < 4 else 0,
        _declines(s[DECLINED:], (seat + 3) & 3, s[CLOCK]) if size < 4 else 0,
    )


@jit
def best_by_heuristic(seen: Sight, moves: Ints, count: int, weights: Doubles, terms: Doubles) -> int:
    """The move the heuristic likes best."""
    best, chosen = -1e30, 0
    for i in range(count):
        terms[:] = 0.0
        _terms(seen, moves[i], weights, terms)
        total = 0.0
        for j in range(TERM_COUNT):
            total += terms[j] * weights[PARAMETER_COUNT + j]
        if total > best:
            best, chosen = total, moves[i]
    return chosen


fast_math = numba.njit(nogil=True, fastmath=True)


@fast_math  # type: ignore[untyped-decorator]
def layers(first: Floats, w2: Floats, b2: Floats, w3: Floats, hidden: Floats, second: Floats) -> float:
    """The net above its first sums; leaves both layers' outputs in ``hidden`` and ``second``."""
    for i in range(hidden.shape[0]):
        hidden[i] = max(first[i], np.float32(0.0))
    total = w3[w3.shape[0] - 1]
    for j in range(second.shape[0]):
        row = w2[j]
        x = np.float32(0.0)
        for i in range(hidden.shape[0]):
            x += row[i] * hidden[i]
        x += b2[j]
        second[j] = max(x, np.float32(0.0))
        total += w3[j] * second[j]
    return total


@fast_math  # type: ignore[untyped-decorator]
def add_rows(total: Floats, w1: Floats, on: Shorts, start: int, end: int) -> None:
    """Adds the first layer's rows of the inputs that are on."""
    for k in range(start, end):
        row = w1[on[k]]
        for i in range(total.shape[0]):
            total[i] += row[i]


@jit
def utility(s: Ints, taste: Doubles) -> float:
    """What the end of a deal is worth to team 0: a win, its defeat points, its margin, weighed by ``taste``."""
    points = _value(s[WON])
    margin = 2 * points - 120
    sign = 1.0 if margin > 0 else -1.0 if margin < 0 else 0.0
    low, tricks = (120 - points, s[TRICKS + 1]) if margin > 0 else (points, s[TRICKS])
    defeat = 0.0 if margin == 0 else 6.0 if tricks == 0 else 4.0 if low <= 30 else 2.0
    return taste[0] * sign + taste[1] * sign * defeat + taste[2] * margin


@jit
def shuffle(order: Ints) -> None:
    """A random order of the 36 cards."""
    for i in range(36):
        order[i] = i
    for i in range(35, 0, -1):
        j = np.random.randint(0, i + 1)
        order[i], order[j] = order[j], order[i]


@jit
def seed(number: int) -> None:
    """Sets the source of chance of everything compiled."""
    np.random.seed(number)


@jit
def values_by_net(
    seen: Sight,
    moves: Ints,
    count: int,
    net: tuple[Floats, Floats, Floats, Floats, Floats],
    room: Room,
    values: Doubles,
) -> int:
    """What a net expects of each move, left in ``values``; the place of the best."""
    common, first, hidden, second, on = room
    order = _suit_order(seen)
    shared = _of_sight(seen, order, on)
    common[:] = net[1]
    add_rows(common, net[0], on, 0, shared)
    best = 0
    for i in range(count):
        end = _of_move(seen, moves[i], chance_to_take(seen, moves[i]), order, on, shared)
        first[:] = common
        add_rows(first, net[0], on, shared, end)
        values[i] = layers(first, net[2], net[3], net[4], hidden, second)
        if values[i] > values[best]:
            best = i
    return best


@jit
def chance_to_take(seen: Sight, move: int) -> float:
    """The chance that the encoding is given with a move."""
    return _take_chance(seen, move & ~FULL, move & FULL if move < YIELD else seen.hand, RESCUE, PARTNER_TAKES)


@jit
def scratch(net: tuple[Floats, Floats, Floats, Floats, Floats]) -> Room:
    """Room for a net to work in."""
    first, second = net[1].shape[0], net[3].shape[0]
    return (
        np.zeros(first, np.float32),
        np.zeros(first, np.float32),
        np.zeros(first, np.float32),
        np.zeros(second, np.float32),
        np.zeros(MOST_ON, np.int16),
    )


@jit
def encode(seen: Sight, move: int, on: Shorts) -> int:
    """All inputs of a move; their number."""
    order = _suit_order(seen)
    shared = _of_sight(seen, order, on)
    return _of_move(seen, move, chance_to_take(seen, move), order, on, shared)


@jit
def match(
    deals: int, kinds: tuple[int, int], wa: Doubles, wb: Doubles,
    net_a: tuple[Floats, Floats, Floats, Floats, Floats], net_b: tuple[Floats, Floats, Floats, Floats, Floats],
) -> Doubles:  # fmt: skip
    """Duplicate pairs of A against B: for each pair A's wins (of 2), its margins and its defeat points won."""
    out = np.zeros((deals, 3))
    order, moves, s, terms = (
        np.zeros(36, np.int64),
        np.zeros(64, np.int64),
        np.zeros(WIDTH, np.int64),
        np.zeros(TERM_COUNT),
    )
    room_a, room_b, values = scratch(net_a), scratch(net_b), np.zeros(64)
    for pair in range(deals):
        shuffle(order)
        indicator = order[16 + np.random.randint(0, 20)]
        leader = np.random.randint(0, 4)
        for swap in range(2):
            deal(order, indicator, 3, leader, s)
            while s[PHASE] != OVER:
                count = legal(s, moves)
                if count == 1:
                    apply(s, order, moves[0])
                    continue
                side = (s[TURN] ^ swap) & 1
                kind = kinds[side]
                if kind == BY_CHANCE:
                    move = moves[np.random.randint(0, count)]
                elif kind == BY_HEURISTIC:
                    move = best_by_heuristic(see(s), moves, count, wa if side == 0 else wb, terms)
                else:
                    net, room = (net_a, room_a) if side == 0 else (net_b, room_b)
                    move = moves[values_by_net(see(s), moves, count, net, room, values)]
                apply(s, order, move)
            points = _value(s[WON + swap])
            margin = 2 * points - 120
            out[pair, 0] += 1.0 if margin > 0 else 0.5 if margin == 0 else 0.0
            out[pair, 1] += margin
            mine = 0.0 if points >= 60 else 6.0 if s[TRICKS + swap] == 0 else 4.0 if points <= 30 else 2.0
            theirs = 0.0 if points <= 60 else 6.0 if s[TRICKS + 1 - swap] == 0 else 4.0 if points >= 90 else 2.0
            out[pair, 2] += theirs - mine
    return out
