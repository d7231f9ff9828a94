"""The hashes of a deal, and everything secret that a seat has in it, as functions of one 32-byte seed.

Source: PROTOCOL.md, "The deck", Secrets of a seat. Every hash begins with a purpose string of fixed width and goes on
with fields of fixed width, so that no two different inputs of one hash, nor of two, have the same bytes.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from goat_net.deck.curve import ORDER, DeckFault, DeckReason, inverse, lift

SEATS: Final = 4
CARDS: Final = 36
HANDS: Final = 16
"""Elements 0-15 of a deck are the hands."""
STOCK: Final = 20
"""Elements 16-35 of a deck are the stock."""
SEED_BYTES: Final = 32
HASH_BYTES: Final = 32

_PURPOSE_BYTES: Final = 24
_ATTEMPTS: Final = 256  # what one byte counts; to need them all has a chance below 2**-250


def _purpose(text: str) -> bytes:
    return text.encode("ascii").ljust(_PURPOSE_BYTES, b"\0")


_SEED: Final = _purpose("goat seed v1")
_DEAL: Final = _purpose("goat deal v1")
_CARD: Final = _purpose("goat card v1")
_SECRET: Final = _purpose("goat secret v1")
_KEY: Final = _purpose("goat key v1")
_INDICATOR_KEY: Final = _purpose("goat indicator key v1")
_NONCE: Final = _purpose("goat nonce v1")
_DISCARD: Final = _purpose("goat discard v1")


def _exact(value: bytes, length: int, name: str) -> bytes:
    if len(value) != length:
        raise ValueError(f"{name} has {len(value)} bytes and must have {length}")
    return value


def _number(value: int, bound: int, width: int, name: str) -> bytes:
    if not 0 <= value < bound:
        raise ValueError(f"{name} is {value} and must be from 0 to {bound - 1}")
    return value.to_bytes(width, "big")


def _tag(tag: bytes) -> bytes:
    return _exact(tag, HASH_BYTES, "tag")


def _seat(seat: int) -> bytes:
    return _number(seat, SEATS, 1, "seat")


def _slot(slot: int) -> bytes:
    return _number(slot, CARDS, 1, "slot")


def _count(value: int, name: str) -> bytes:
    return _number(value, 1 << 64, 8, name)


def _position(position: int) -> bytes:
    return _number(position, 4, 1, "position")


def seed_commitment(match_id: bytes, deal: int, seat: int, seed: bytes) -> bytes:
    """What `seat` sends before the deal so that it can open no other seed after it. 32 bytes.

    `match_id` and `seed` have 32 bytes, `deal` is from 0 to 2**64 - 1. The seat is part of it: another's commitment
    that is sent again can't be opened. ValueError for sizes out of these bounds.
    """
    return hashlib.sha256(
        _SEED
        + _exact(match_id, HASH_BYTES, "match id")
        + _count(deal, "deal")
        + _seat(seat)
        + _exact(seed, SEED_BYTES, "seed")
    ).digest()


def deal_tag(match_id: bytes, deal: int, commitments: Sequence[bytes]) -> bytes:
    """The name of one deal in all its hashes, 32 bytes: the four commitments in seat order, not in that of arrival."""
    if len(commitments) != SEATS:
        raise ValueError(f"a deal has {SEATS} commitments, not {len(commitments)}")
    parts = b"".join(_exact(one, HASH_BYTES, "commitment") for one in commitments)
    return hashlib.sha256(_DEAL + _exact(match_id, HASH_BYTES, "match id") + _count(deal, "deal") + parts).digest()


def _card_point(tag: bytes, card: int) -> bytes:
    prefix = _CARD + tag + bytes([card])
    for attempt in range(_ATTEMPTS):
        x = hashlib.sha256(prefix + bytes([attempt])).digest()
        try:
            lift(x)
        except DeckFault:
            continue
        return x
    raise AssertionError("256 hashes in a row are no x-coordinates")


# A process plays one deal, audits the one before and may hold a second table: a few tags, 36 points each.
@lru_cache(maxsize=8)
def card_points(tag: bytes) -> tuple[bytes, ...]:
    """The 36 points that stand for the cards in the deal with this tag, in card order, before anyone has shuffled.

    Hash to curve by trying, so nobody knows a relation between any two of them. The last few tags are kept.
    """
    _tag(tag)
    return tuple(_card_point(tag, card) for card in range(CARDS))


@lru_cache(maxsize=8)
def _cards_by_point(tag: bytes) -> dict[bytes, int]:
    return {x: card for card, x in enumerate(card_points(tag))}


def card_of(tag: bytes, x: bytes) -> int | None:
    """The card (0-35) whose point is `x` in this deal, or None: then somebody has cheated."""
    return _cards_by_point(tag).get(x)


def key_hash(tag: bytes, seat: int, slot: int, key: bytes) -> bytes:
    """What a seat sends with its lock about each key (32 bytes, big-endian), so that it can give no other later."""
    return hashlib.sha256(_KEY + _tag(tag) + _seat(seat) + _slot(slot) + _exact(key, 32, "key")).digest()


def indicator_key_hash(tag: bytes, seat: int, key: bytes) -> bytes:
    """What a seat sends with its cut about its key of the indicator (32 bytes, big-endian)."""
    return hashlib.sha256(_INDICATOR_KEY + _tag(tag) + _seat(seat) + _exact(key, 32, "key")).digest()


def parse_key(key: bytes) -> int:
    """A key as it travels, 32 bytes big-endian, as a number from 2 to n - 2. DeckFault LENGTH or KEY_RANGE.

    0, 1 and n - 1 would be locks that are none.
    """
    if len(key) != 32:
        raise DeckFault(DeckReason.LENGTH)
    value = int.from_bytes(key, "big")
    if not 2 <= value < ORDER - 1:
        raise DeckFault(DeckReason.KEY_RANGE)
    return value


def format_key(scalar: int) -> bytes:
    """A key as it travels: 32 bytes, big-endian."""
    return scalar.to_bytes(32, "big")


def discard_nonce(seed: bytes, tag: bytes, counter: int, position: int) -> bytes:
    """The 32 bytes that hide one face-down card: the record's counter and the place in the play make it unique.

    `counter` is from 0 to 2**64 - 1, `position` from 0 to 3.
    """
    message = _NONCE + _tag(tag) + _count(counter, "counter") + _position(position)
    return hmac.digest(_exact(seed, SEED_BYTES, "seed"), message, "sha512")[:32]


def discard_commitment(tag: bytes, seat: int, counter: int, position: int, slot: int, nonce: bytes) -> bytes:
    """What a face-down card sends instead of its slot. 32 bytes; bounds as in `discard_nonce`."""
    return hashlib.sha256(
        _DISCARD
        + _tag(tag)
        + _seat(seat)
        + _count(counter, "counter")
        + _position(position)
        + _slot(slot)
        + _exact(nonce, 32, "nonce")
    ).digest()


@dataclass(frozen=True, slots=True)
class SeatSecrets:
    """All that one seat keeps to itself in one deal. Nothing of it shows in repr, so nothing of it gets into a log.

    `e` the shuffle's scalar, `q` the indicator's, `f` the cut's, `k` one key per slot: all from 2 to n - 2, no two
    equal or opposite. `pi` a permutation of 0..35, `rho` one of 0..19: position -> position before.
    """

    e: int = field(repr=False)
    q: int = field(repr=False)
    f: int = field(repr=False)
    k: tuple[int, ...] = field(repr=False)
    pi: tuple[int, ...] = field(repr=False)
    rho: tuple[int, ...] = field(repr=False)


def _stream(seed: bytes, tag: bytes, label: bytes, index: int) -> Iterator[bytes]:
    """64 bytes per attempt, at most 256 times."""
    prefix = _SECRET + tag + label + bytes([index])
    for attempt in range(_ATTEMPTS):
        yield hmac.digest(seed, prefix + bytes([attempt]), "sha512")


def draw_scalar(stream: Iterable[bytes], refused: set[int]) -> int:
    """The first scalar of the stream that is not in `refused`, from 2 to n - 2; both signs of it are refused from now.

    64 bytes reduced mod n - 3 are 2**-256 away from even; adding 2 leaves out 0, 1 and n - 1, the weak scalars.
    """
    for block in stream:
        scalar = 2 + int.from_bytes(block, "big") % (ORDER - 3)
        if scalar not in refused:
            refused.update((scalar, ORDER - scalar))
            return scalar
    raise AssertionError("256 scalars in a row were refused")


def draw_permutation(stream: Iterable[bytes], size: int) -> tuple[int, ...]:
    """Fisher-Yates from the top down, `size` at most 256; bytes that would make some places likelier are skipped."""
    items = list(range(size))
    source = (byte for block in stream for byte in block)
    for last in range(size - 1, 0, -1):
        choices = last + 1
        fair = 256 - 256 % choices
        byte = next((byte for byte in source if byte < fair), None)
        if byte is None:
            raise AssertionError("the bytes for a permutation have run out")
        other = byte % choices
        items[last], items[other] = items[other], items[last]
    return tuple(items)


def derive(seed: bytes, tag: bytes) -> SeatSecrets:
    """The secrets of the seat with this seed (32 bytes) in the deal with this tag: always the same ones.

    Weak scalars can't come out. Neither can two that are equal or opposite, nor an f that undoes e, nor a key equal to
    e f: each would send some element as it was. So an auditor who derives them again has tested all that.
    """
    _exact(seed, SEED_BYTES, "seed")
    _tag(tag)
    refused: set[int] = set()
    e = draw_scalar(_stream(seed, tag, b"e", 0), refused)
    q = draw_scalar(_stream(seed, tag, b"q", 0), refused)
    undo = inverse(e)
    f = draw_scalar(_stream(seed, tag, b"f", 0), refused | {undo, ORDER - undo})
    both = e * f % ORDER
    refused.update((f, ORDER - f, both, ORDER - both))
    k = tuple(draw_scalar(_stream(seed, tag, b"k", slot), refused) for slot in range(CARDS))
    pi = draw_permutation(_stream(seed, tag, b"p", 0), CARDS)
    rho = draw_permutation(_stream(seed, tag, b"r", 0), STOCK)
    return SeatSecrets(e=e, q=q, f=f, k=k, pi=pi, rho=rho)
