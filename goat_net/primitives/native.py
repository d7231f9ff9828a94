"""The primitives by `cryptography`. See the package for what the functions promise."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

# A deal sends 372 elements and has 36 card points. One deal fits whole, so that a deck which was checked on arrival
# is not lifted again when it is locked, opened or audited; the rest is room for a second table.
LIFTED: Final = 1024
# Keys loaded at a time: a table has four seats, their operators, 32 watchers and the table itself.
LOADED_KEYS: Final = 64
OWN_KEYS: Final = 8  # of this process: a table, its bots; to load one takes as long as to sign
_SCRYPT_MEMORY: Final = 64 << 20  # bytes: twice what the parameters of a code need

_CURVE: Final = ec.SECP256R1()
_ECDH: Final = ec.ECDH()


@lru_cache(maxsize=LIFTED)
def lift(x: bytes) -> ec.EllipticCurvePublicKey:
    """The point with x-coordinate ``x`` and an even y. Raises ValueError if there is none.

    Lifting is also the cheapest test of being on the curve: the library takes 15 us for it, Euler's criterion by
    Python's pow 80 us, a Jacobi symbol in Python 18 us.
    """
    return ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, b"\x02" + x)


class Prepared:
    """Scalars made ready for `multiply_pairs`: that takes a third of the time of the multiplication itself."""

    __slots__ = ("keys",)

    def __init__(self, scalars: Sequence[int]) -> None:
        self.keys = tuple(ec.derive_private_key(k, _CURVE) for k in scalars)


def first_off_curve(xs: Sequence[bytes]) -> int | None:
    """The place of the first x that no point of the curve has, or None."""
    for index, x in enumerate(xs):
        try:
            lift(x)
        except ValueError:
            return index
    return None


def multiply(scalar: int, xs: Sequence[bytes], *, secret: bool = True) -> tuple[bytes, ...]:
    """The x-coordinates of ``scalar`` times each point."""
    key = ec.derive_private_key(scalar, _CURVE)
    return tuple(key.exchange(_ECDH, lift(x)) for x in xs)


def multiply_pairs(prepared: Prepared, xs: Sequence[bytes], *, secret: bool = True) -> tuple[bytes, ...]:
    """The x-coordinate of each point times its own scalar."""
    return tuple(key.exchange(_ECDH, lift(x)) for key, x in zip(prepared.keys, xs, strict=True))


def public_key(seed: bytes) -> bytes:
    """The Ed25519 public key, 32 bytes, of 32 secret bytes (RFC 8032, 5.1.5)."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


@lru_cache(maxsize=OWN_KEYS)
def _own(seed: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(seed)


def sign(seed: bytes, data: bytes) -> bytes:
    """The Ed25519 signature, 64 bytes, of ``data``."""
    return _own(seed).sign(data)


@lru_cache(maxsize=LOADED_KEYS)
def _loaded(public: bytes) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(public)


def verify(public: bytes, signature: bytes, data: bytes) -> bool:
    """Whether this key made this signature of ``data``: 32 and 64 bytes."""
    try:
        _loaded(public).verify(signature, data)
    except InvalidSignature:
        return False
    return True


def scrypt(secret: bytes, salt: bytes, n: int, r: int, p: int, size: int) -> bytes:
    """``size`` bytes made of a secret by scrypt (RFC 7914)."""
    return hashlib.scrypt(secret, salt=salt, n=n, r=r, p=p, maxmem=_SCRYPT_MEMORY, dklen=size)
