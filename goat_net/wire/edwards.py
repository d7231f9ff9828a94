"""The curve of Ed25519, -x² + y² = 1 + d x² y² mod p, as far as it takes to know which keys may be (PROTOCOL.md,
Identity). In Python's integers and not in constant time: only public keys come here."""

from functools import lru_cache
from typing import Final

P: Final = 2**255 - 19
ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""L, the prime order of the points that honest keys are."""
D: Final = -121665 * pow(121666, -1, P) % P

_Point = tuple[int, int, int, int]  # x, y, z and t = x y / z in extended coordinates
_ZERO: Final[_Point] = (0, 1, 1, 0)
_KEYS: Final = 256  # points looked at lately: four seats, operators, table, watchers; and whoever knocks


def square_root(square: int) -> int | None:
    """A square root modulo p (RFC 8032, 5.1.3), or None."""
    square %= P
    root = pow(square, (P + 3) // 8, P)
    for candidate in (root, root * pow(2, (P - 1) // 4, P) % P):
        if candidate * candidate % P == square:
            return candidate
    return None


def decode(data: bytes) -> tuple[int, int] | None:
    """The point of 32 bytes, or None when they are none or not its one encoding."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number % 2**255
    if len(data) != 32 or y >= P:
        return None
    x = square_root((y * y - 1) * pow(D * y * y + 1, -1, P))
    if x is None or (x == 0 and sign):
        return None
    return (P - x if x % 2 != sign else x), y


def encode(x: int, y: int) -> bytes:
    """The 32 bytes of a point."""
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _add(one: _Point, other: _Point) -> _Point:
    """The sum of two points (RFC 8032, 5.1.4); complete, so it doubles too."""
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * D * t1 * t2 % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar: int, x: int, y: int) -> tuple[int, int]:
    """scalar · (x, y)."""
    out, step = _ZERO, (x, y, 1, x * y % P)
    while scalar:
        if scalar & 1:
            out = _add(out, step)
        step = _add(step, step)
        scalar >>= 1
    undo = pow(out[2], -1, P)
    return out[0] * undo % P, out[1] * undo % P


@lru_cache(maxsize=_KEYS)
def is_of_prime_order(data: bytes) -> bool:
    """Whether these bytes are the one encoding of a point of order L: neither of small order nor mixed with one that
    is. Takes some milliseconds for a key that was not asked about lately."""
    point = decode(data)
    return point is not None and point != (0, 1) and multiply(ORDER, *point) == (0, 1)
