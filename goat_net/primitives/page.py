"""The primitives in a page: one call to its JavaScript for each batch. See the package for what they promise.

The page registers a module ``goat_primitives`` (client/goat_web/page/primitives.mjs). Bytes cross as hexadecimal text:
strings cross the border between the two engines cheapest.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast


class _Page(Protocol):
    """What the page's module can do; all arguments and results are hexadecimal."""

    def firstOff(self, xs: str) -> int: ...  # noqa: N802 - the page's own names
    def multiply(self, scalar: str, xs: str, secret: bool) -> str: ...
    def multiplyPairs(self, scalars: str, xs: str, secret: bool) -> str: ...  # noqa: N802
    def publicKey(self, seed: str) -> str: ...  # noqa: N802
    def sign(self, data: str, seed: str) -> str: ...
    def verify(self, signature: str, data: str, public: str) -> bool: ...
    def scrypt(self, secret: str, salt: str, n: int, r: int, p: int, size: int) -> str: ...


_page = cast(_Page, import_module("goat_primitives"))


class Prepared:
    """Scalars for `multiply_pairs`, as they cross."""

    __slots__ = ("scalars",)

    def __init__(self, scalars: Sequence[int]) -> None:
        self.scalars = "".join(f"{k:064x}" for k in scalars)


def first_off_curve(xs: Sequence[bytes]) -> int | None:
    """The place of the first x that no point of the curve has, or None."""
    at = int(_page.firstOff(b"".join(xs).hex()))
    return None if at < 0 else at


def multiply(scalar: int, xs: Sequence[bytes], *, secret: bool = True) -> tuple[bytes, ...]:
    """The x-coordinates of ``scalar`` times each point."""
    return _cut(_page.multiply(f"{scalar:064x}", b"".join(xs).hex(), secret))


def multiply_pairs(prepared: Prepared, xs: Sequence[bytes], *, secret: bool = True) -> tuple[bytes, ...]:
    """The x-coordinate of each point times its own scalar."""
    return _cut(_page.multiplyPairs(prepared.scalars, b"".join(xs).hex(), secret))


def _cut(text: str) -> tuple[bytes, ...]:
    data = bytes.fromhex(text)
    return tuple(data[at : at + 32] for at in range(0, len(data), 32))


def public_key(seed: bytes) -> bytes:
    """The Ed25519 public key, 32 bytes, of 32 secret bytes (RFC 8032, 5.1.5)."""
    return bytes.fromhex(_page.publicKey(seed.hex()))


def sign(seed: bytes, data: bytes) -> bytes:
    """The Ed25519 signature, 64 bytes, of ``data``."""
    return bytes.fromhex(_page.sign(data.hex(), seed.hex()))


def verify(public: bytes, signature: bytes, data: bytes) -> bool:
    """Whether this key made this signature of ``data``: 32 and 64 bytes."""
    return bool(_page.verify(signature.hex(), data.hex(), public.hex()))


def scrypt(secret: bytes, salt: bytes, n: int, r: int, p: int, size: int) -> bytes:
    """``size`` bytes made of a secret by scrypt (RFC 7914)."""
    return bytes.fromhex(_page.scrypt(secret.hex(), salt.hex(), n, r, p, size))
