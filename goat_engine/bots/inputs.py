"""What the net is shown: a sight and a move as a short list of inputs that are on.

Written with ints alone, so that training can compile it: there is one encoding, not two.
Suits are renamed before anything is read from them, trump first, then the suit on the table, then the others
by what is held in them, so that the net need not learn every position once a suit.
"""

from collections.abc import MutableSequence, Sequence
from typing import Final

from goat_engine.bots.fast import BEAT, CLAIM, DISCARD, FULL, LEAD, SUIT, YIELD
from goat_engine.bots.sight import Sight

KEPT: Final = 0
OPEN: Final = 36
THROWN: Final = 72
UNSEEN: Final = 108
TOP: Final = 144
KIND: Final = 180
SIZE: Final = 184
AFTER: Final = 189
TOP_BY: Final = 193
STOCK: Final = 197
HELD: Final = 202
TRICKS: Final = 207
SCORES: Final = 209
HIDDEN: Final = 223
TABLE: Final = 231
TABLE_HIDDEN: Final = 237
INDICATOR: Final = 240
TAKE: Final = 249
DECLINED: Final = 256
INPUTS: Final = 316
#: Room for every input that can be on at once.
MOST_ON: Final = 100

SCORE_STEPS: Final = (8, 16, 24, 32, 40, 50, 61)
HIDDEN_STEPS: Final = (1, 3, 6, 10)
TABLE_STEPS: Final = (2, 5, 10, 14, 20, 30)
TABLE_HIDDEN_STEPS: Final = (1, 2, 4)
TAKE_STEPS: Final = (0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.999)
#: How surely the partner plays along; fixed, since the net was trained with them (see ``heuristic.PARAMETERS``).
RESCUE: Final = 0.5
PARTNER_TAKES: Final = 0.6


def suit_order(sight: Sight) -> tuple[int, int, int, int]:
    """The suits in the order in which the net sees them."""
    trump = sight.trump
    keys = [0, 0, 0, 0]
    for suit in range(4):
        held = sight.hand >> 9 * suit & SUIT
        if suit == trump:
            key = 1 << 40
        else:
            key = 1 << 30 if sight.top >> 9 * suit & SUIT else 0
            key += (held.bit_count() << 20) + (held << 9) + (sight.unseen >> 9 * suit & SUIT)
        keys[suit] = key
    order = [0, 1, 2, 3]
    for i in range(1, 4):
        j = i
        while j > 0 and keys[order[j]] > keys[order[j - 1]]:
            order[j], order[j - 1] = order[j - 1], order[j]
            j -= 1
    return order[0], order[1], order[2], order[3]


def renamed(mask: int, order: tuple[int, int, int, int]) -> int:
    """A set of cards with its suits in this order."""
    return (
        (mask >> 9 * order[0] & SUIT)
        | (mask >> 9 * order[1] & SUIT) << 9
        | (mask >> 9 * order[2] & SUIT) << 18
        | (mask >> 9 * order[3] & SUIT) << 27
    )


def put(mask: int, base: int, out: MutableSequence[int], count: int) -> int:
    """Switches on one input for each card of a set."""
    while mask:
        low = mask & -mask
        mask ^= low
        out[count] = base + (low - 1).bit_count()
        count += 1
    return count


def steps(number: int, limits: Sequence[int], base: int, out: MutableSequence[int], count: int) -> int:
    """Switches on one input for each limit that is reached."""
    for limit in limits:
        if number < limit:
            break
        out[count] = base
        base += 1
        count += 1
    return count


def declined(packed: int, base: int, order: tuple[int, int, int, int], out: MutableSequence[int], count: int) -> int:
    """Switches on what one seat declined to beat, by renamed suit and by how long ago."""
    if packed:
        for place in range(5):
            kind = order[place] if place < 4 else 4
            age = packed >> 3 * kind & 7
            if age:
                out[count] = base + 4 * place + age - 1
                count += 1
    return count


def of_sight(sight: Sight, order: tuple[int, int, int, int], out: MutableSequence[int]) -> int:
    """Fills ``out`` with the inputs that all moves of a sight share; their number."""
    count = put(renamed(sight.unseen, order), UNSEEN, out, 0)
    count = put(renamed(sight.top, order), TOP, out, count)
    out[count] = TOP_BY + sight.top_by
    out[count + 1] = STOCK + (sight.stock >> 2)
    out[count + 2] = HELD + sight.held
    count += 3
    if sight.us_tricks:
        out[count] = TRICKS
        count += 1
    if sight.them_tricks:
        out[count] = TRICKS + 1
        count += 1
    count = steps(sight.us_points, SCORE_STEPS, SCORES, out, count)
    count = steps(sight.them_points, SCORE_STEPS, SCORES + 7, out, count)
    count = steps(sight.us_hidden, HIDDEN_STEPS, HIDDEN, out, count)
    count = steps(sight.them_hidden, HIDDEN_STEPS, HIDDEN + 4, out, count)
    count = steps(sight.table_points, TABLE_STEPS, TABLE, out, count)
    count = steps(sight.table_hidden, TABLE_HIDDEN_STEPS, TABLE_HIDDEN, out, count)
    if sight.indicator:
        out[count] = INDICATOR + (sight.indicator - 1).bit_count() % 9
        count += 1
    count = declined(sight.left_declined, DECLINED, order, out, count)
    count = declined(sight.partner_declined, DECLINED + 20, order, out, count)
    return declined(sight.right_declined, DECLINED + 40, order, out, count)


def of_move(
    sight: Sight,
    move: int,
    take: float,
    order: tuple[int, int, int, int],
    out: MutableSequence[int],
    count: int,
) -> int:
    """Adds the inputs of one move, ``take`` being its chance to take the trick; the new number of inputs."""
    kind, mask = move & ~FULL, move & FULL
    if kind == YIELD:
        mask = sight.hand
    count = put(renamed(sight.hand & ~mask, order), KEPT, out, count)
    base = THROWN if kind in (DISCARD, YIELD) else OPEN
    count = put(renamed(mask, order), base, out, count)
    if kind in (LEAD, CLAIM):
        out[count] = KIND
        out[count + 1] = AFTER + 3
    else:
        out[count] = KIND + 1 if kind == BEAT else KIND + 2
        out[count + 1] = AFTER + sight.after
    out[count + 2] = SIZE + mask.bit_count()
    count += 3
    if kind >= CLAIM:
        out[count] = KIND + 3
        count += 1
    base = TAKE
    for limit in TAKE_STEPS:
        if take < limit:
            break
        out[count] = base
        base += 1
        count += 1
    return count
