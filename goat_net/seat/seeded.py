"""Chance for tests and demos: everything that is random elsewhere follows from one seed (PROTOCOL.md, Seeds).

Never for a real match: the seed stands in the match id and marks the match as not fair.
"""

import hashlib
import hmac
import os
from collections.abc import Callable

from goat_net.wire.identity import Identity


def entropy(seed: bytes, label: str) -> Callable[[int], bytes]:
    """Random bytes: of the system without a seed, else a stream of HMAC-SHA-256(seed, label | count)."""
    if not seed:
        return os.urandom
    drawn = 0

    def draw(size: int) -> bytes:
        nonlocal drawn
        out = b""
        while len(out) < size:
            out += hmac.digest(seed, f"{label}/{drawn}".encode(), "sha256")
            drawn += 1
        return out[:size]

    return draw


def identity(seed: bytes, label: str) -> Identity:
    """A new key, or the one that the seed gives under this label."""
    return Identity.from_seed(hmac.digest(seed, label.encode(), "sha256")) if seed else Identity.new()


def seed_bytes(text: str) -> bytes:
    """A seed as it is typed, as up to 32 bytes; empty when there is none."""
    return hashlib.sha256(text.encode()).digest()[:16] if text else b""
