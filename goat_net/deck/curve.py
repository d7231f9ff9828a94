"""Points of P-256 by their x-coordinate alone, and the one exception for bad card data.

Source: PROTOCOL.md, "The deck", Elements. An element is the 32-byte big-endian x-coordinate of a point. Which of the
two points with that x is meant never matters: x(kP) = x(-kP), so every multiple of either has the same x-coordinate.
The group has prime order, so every point of the curve has full order and no multiple by 1..n-1 is at infinity.
"""

import enum
from collections.abc import Iterable, Sequence
from typing import Final

from goat_net import primitives

ORDER: Final = 0xFFFFFFFF_00000000_FFFFFFFF_FFFFFFFF_BCE6FAAD_A7179E84_F3B9CAC2_FC632551
"""The order n of the group, a prime."""

ELEMENT_BYTES: Final = 32


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


def lift(x: bytes) -> None:
    """DeckFault if `x` is no element: 32 bytes that are the x-coordinate of a point."""
    lift_each((x,))


def lift_each(xs: Sequence[bytes]) -> None:
    """`lift` of each, in one call. DeckFault names the first one that is no element."""
    for index, x in enumerate(xs):
        if len(x) != ELEMENT_BYTES:
            raise DeckFault(DeckReason.LENGTH, index)
    off = primitives.first_off_curve(xs)
    if off is not None:
        raise DeckFault(DeckReason.NOT_ON_CURVE, off)


def _scalar(number: int) -> int:
    """A scalar mod n. ValueError for 0."""
    if not number % ORDER:
        raise ValueError("a scalar is not 0")
    return number % ORDER


class Multipliers:
    """A scalar for each of many points, prepared once. Scalars are taken mod n and must not be 0 there (ValueError).

    ``secret``: whether any of them is still a secret.
    """

    __slots__ = ("_prepared", "_secret")

    def __init__(self, scalars: Iterable[int], *, secret: bool = True) -> None:
        self._prepared = primitives.Prepared([_scalar(k) for k in scalars])
        self._secret = secret

    def __call__(self, elements: Sequence[bytes]) -> tuple[bytes, ...]:
        """Each element times its own scalar. DeckFault for what is no element."""
        lift_each(elements)
        return primitives.multiply_pairs(self._prepared, elements, secret=self._secret)


def inverse(scalar: int) -> int:
    """The inverse of `scalar` mod n: the scalar that takes a lock off again. ValueError for 0."""
    return pow(scalar, -1, ORDER)


def multiply(scalar: int, element: bytes, *, secret: bool = True) -> bytes:
    """scalar times one element. DeckFault if it is none; ValueError for a scalar that is 0 mod n."""
    return multiply_each(scalar, (element,), secret=secret)[0]


def multiply_each(scalar: int, elements: Iterable[bytes], *, secret: bool = True) -> tuple[bytes, ...]:
    """scalar times each element, in the same order, in one call. DeckFault for what is no element."""
    xs = tuple(elements)
    lift_each(xs)
    return primitives.multiply(_scalar(scalar), xs, secret=secret)
