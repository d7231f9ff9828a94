"""Expert's net in whole numbers and plain Python.

The first layer's row of an input is one big int, a lane of 16 bits for each unit, so that one addition adds
them all; the second layer's column of a unit is one of 32-bit lanes. Whole numbers also make the net's choice
the same on every machine.

The file: magic, version, sizes (three little-endian uint16), then int8 ``w1`` by input, int16 ``b1``,
int8 ``w2`` by first-layer unit, int32 ``b2``, int32 ``w3``, its constant and what stands for
a utility of 1 as int64. ReLU after both layers.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import permutations
from operator import add, mul
from typing import Final, TypeAlias

from goat_engine.bots import inputs
from goat_engine.bots.fast import FULL, YIELD
from goat_engine.bots.heuristic import take_chance
from goat_engine.bots.sight import Sight

MAGIC: Final = b"goatnet2"
FILE: Final = "expert.net"
#: The largest file that is read; the shipped one is far smaller.
MOST_BYTES: Final = 65_536
Order: TypeAlias = tuple[int, int, int, int]
#: Moves within a twentieth of a utility of 1 of the best are close; the order the net was trained on counts as
#: much as ten others. Found by trying a few of each.
CLOSE: Final = 20
FIRST_ORDER: Final = 10
_HALF16: Final = 1 << 15
_HALF32: Final = 1 << 31


class NetError(ValueError):
    """The net's file is not one that this version reads."""


@dataclass(frozen=True, slots=True)
class Net:
    """``rows``: by input; ``start``: the first layer's constants, every lane lifted by half its range, so that
    no lane ever borrows from the next; ``columns`` and ``middle`` likewise for the second layer. ``unit``: the
    number that stands for a utility of 1; a deal won by a little is about 1.6, one lost -1.6.
    """

    first: int
    second: int
    rows: tuple[int, ...]
    start: int
    columns: tuple[int, ...]
    middle: int
    last: tuple[int, ...]
    constant: int
    unit: int


def _packed(numbers: Sequence[int], bits: int) -> int:
    return sum(number << bits * lane for lane, number in enumerate(numbers))


def parse(data: bytes) -> Net:
    """The net in a file's bytes.

    Raises NetError when they are something else, or when a sum could leave its lane.
    """
    head = struct.Struct("<8s3H")
    if len(data) < head.size or len(data) > MOST_BYTES:
        raise NetError(f"a net has {head.size} to {MOST_BYTES} bytes, this has {len(data)}")
    magic, count, first, second = head.unpack_from(data)
    body = struct.Struct(f"<{count * first}b{first}h{first * second}b{second}i{second}i2q")
    if magic != MAGIC or count != inputs.INPUTS or len(data) != head.size + body.size:
        raise NetError("this is not a net of this version: make it again with goat_tools.training")
    numbers = body.unpack_from(data, head.size)
    w1, numbers = numbers[: count * first], numbers[count * first :]
    b1, numbers = numbers[:first], numbers[first:]
    w2, numbers = numbers[: first * second], numbers[first * second :]
    b2, last, (constant, unit) = numbers[:second], numbers[second : 2 * second], numbers[2 * second :]
    reach = 127 * inputs.MOST_ON + max(map(abs, b1))
    if reach >= _HALF16 or reach * 127 * first + max(map(abs, b2)) >= _HALF32:
        raise NetError("the net's numbers are too large for its lanes")
    return Net(
        first,
        second,
        tuple(_packed(w1[i * first : (i + 1) * first], 16) for i in range(count)),
        _packed([b + _HALF16 for b in b1], 16),
        tuple(_packed(w2[i * second : (i + 1) * second], 32) for i in range(first)),
        _packed([b + _HALF32 for b in b2], 32),
        last,
        constant,
        unit,
    )


@cache
def shipped() -> Net:
    """The net in this package; read when first asked for.

    Raises FileNotFoundError in a package that was built without it.
    """
    return parse(files("goat_engine.bots").joinpath(FILE).read_bytes())


def values(net: Net, sight: Sight, moves: Sequence[int], order: Order) -> list[int]:
    """What the net expects of each move, shown the suits in this order."""
    rows, columns, last = net.rows, net.columns, net.last
    on = [0] * inputs.MOST_ON
    shared = inputs.of_sight(sight, order, on)
    common = net.start + sum([rows[i] for i in on[:shared]])
    lanes1, lanes2 = struct.Struct(f"<{net.first}H"), struct.Struct(f"<{net.second}I")
    found = []
    for move in moves:
        kind = move & ~FULL
        mask = sight.hand if kind == YIELD else move & FULL
        take = take_chance(sight, kind, mask, inputs.RESCUE, inputs.PARTNER_TAKES)
        end = inputs.of_move(sight, move, take, order, on, shared)
        total = common + sum([rows[i] for i in on[shared:end]])
        units = lanes1.unpack(total.to_bytes(lanes1.size, "little"))
        lifted = [unit - _HALF16 if unit > _HALF16 else 0 for unit in units]
        total = net.middle + sum(map(mul, lifted, columns))
        units = lanes2.unpack(total.to_bytes(lanes2.size, "little"))
        found.append(net.constant + sum(map(mul, [unit - _HALF32 if unit > _HALF32 else 0 for unit in units], last)))
    return found


def judged(net: Net, sight: Sight, moves: Sequence[int]) -> list[int]:
    """What is to be expected of each move; comparable only among the moves of one sight.

    Where the best moves are close, they are looked at again with the plain suits in their five other orders.
    The net has hardly met those, so they count little; but its mistakes there are others, and some cancel.
    """
    order = inputs.suit_order(sight)
    found = values(net, sight, moves, order)
    best = max(found)
    close = [i for i, value in enumerate(found) if value >= best - net.unit // CLOSE]
    if len(close) == 1:
        return found
    again = [moves[i] for i in close]
    sums = [FIRST_ORDER * found[i] for i in close]
    trump, *plain = order
    for a, b, c in tuple(permutations(plain))[1:]:
        sums = list(map(add, sums, values(net, sight, again, (trump, a, b, c))))
    weight = FIRST_ORDER + 5
    top = max(sums)
    for i, total in zip(close, sums, strict=True):
        found[i] = best - (top - total) // weight
    return found


def best(net: Net, sight: Sight, moves: Sequence[int]) -> int:
    """The move of which most is to be expected; the first of equals."""
    if len(moves) == 1:
        return moves[0]
    expected = judged(net, sight, moves)
    return moves[expected.index(max(expected))]
