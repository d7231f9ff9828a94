"""Points of P-256 by their x-coordinate alone, and the one exception for bad card data.

Source: PROTOCOL.md, "The deck", Elements. An element is the 32-byte big-endian x-coordinate of a point. Which of the
two points with that x is meant never matters: x(kP) = x(-kP), so every multiple of either has the same x-coordinate.
The group has prime order, so every point of the curve has full order and no multiple by 1..n-1 is at infinity.
"""

import enum
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec

ORDER: Final = 0xFFFFFFFF_00000000_FFFFFFFF_FFFFFFFF_BCE6FAAD_A7179E84_F3B9CAC2_FC632551
"""The order n of the group, a prime."""

ELEMENT_BYTES: Final = 32

# A deal sends 372 elements and has 36 card points. One deal fits whole, so that a deck which was checked on arrival
# is not lifted again when it is locked, opened or audited; the rest is room for a second table.
_LIFTED: Final = 1024

_CURVE: Final = ec.SECP256R1()
_ECDH: Final = ec.ECDH()


class DeckReason(enum.Enum):
    """Why card data of a peer is refused. The list is closed."""

    LENGTH = "length"
    """Another number of elements or bytes than the round has."""
    REPEATED = "repeated"
    """The same element twice in one message."""
    CARD_POINT = "card point"
    """An element is one of the 36 card points: a card without a lock."""
    UNCHANGED = "unchanged"
    """An element equals one that was sent before."""
    NOT_ON_CURVE = "not on the curve"
    """No point has this x-coordinate."""
    KEY_RANGE = "key range"
    """A key is not a number from 2 to n - 2."""


_TEXTS: Final = {
    DeckReason.LENGTH: "has the wrong length",
    DeckReason.REPEATED: "is there twice",
    DeckReason.CARD_POINT: "is a card without a lock",
    DeckReason.UNCHANGED: "was not changed since an earlier deck",
    DeckReason.NOT_ON_CURVE: "is not a point of the curve",
    DeckReason.KEY_RANGE: "is a key out of range",
}


class DeckFault(Exception):  # noqa: N818 - a fault of the peer, not an error of ours
    """Card data from a peer that no honest client sends: the sender's offence, never our mistake.

    `reason` is from the closed list; `index` is the position of the first bad element in the message, or None if the
    message as a whole is at fault. Mistakes of our own code are ValueError.
    """

    def __init__(self, reason: DeckReason, index: int | None = None) -> None:
        self.reason = reason
        self.index = index
        where = "This deck or key" if index is None else f"Element {index} of this deck"
        super().__init__(f"{where} {_TEXTS[reason]}; whoever signed it broke the protocol of the deal.")


@lru_cache(maxsize=_LIFTED)
def lift(x: bytes) -> ec.EllipticCurvePublicKey:
    """The point with x-coordinate `x` (32 bytes) and an even y. DeckFault if there is none.

    Lifting is also the cheapest test of being on the curve: the library takes 15 us for it, Euler's criterion by
    Python's pow 80 us, a Jacobi symbol in Python 18 us.
    """
    if len(x) != ELEMENT_BYTES:
        raise DeckFault(DeckReason.LENGTH)
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, b"\x02" + x)
    except ValueError:
        raise DeckFault(DeckReason.NOT_ON_CURVE) from None


class Multiplier:
    """One scalar, prepared once, for many points. `scalar` is taken mod n and must not be 0 there (ValueError)."""

    __slots__ = ("_key",)

    def __init__(self, scalar: int) -> None:
        self._key = ec.derive_private_key(scalar % ORDER, _CURVE)

    def __call__(self, x: bytes) -> bytes:
        """The x-coordinate of scalar times the point of `x`. DeckFault if `x` is no element."""
        return self._key.exchange(_ECDH, lift(x))


def inverse(scalar: int) -> int:
    """The inverse of `scalar` mod n: the scalar that takes a lock off again. ValueError for 0."""
    return pow(scalar, -1, ORDER)


def multiply_each(scalar: int, elements: Iterable[bytes]) -> tuple[bytes, ...]:
    """scalar times each element, in the same order, with one prepared key. DeckFault for what is no element."""
    times = Multiplier(scalar)
    return tuple(times(x) for x in elements)
