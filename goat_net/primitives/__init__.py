"""The one door to curve, signatures and scrypt: what this program computes with and does not implement itself.

Behind it stands `native` (OpenSSL, by `cryptography`), or in a page `page` (what the page's own engine brings). Points
are 32-byte x-coordinates of P-256 (PROTOCOL.md, "The deck", Elements), scalars are numbers from 1 to n - 1, and calls
take many of them at once: in a page every call crosses from Python to JavaScript. Callers check lengths and ranges;
whatever else is wrong is a ValueError, our own mistake.

``secret`` says whether a scalar is still a secret. For those the time must not depend on the scalar. In the audit all
of them are public, and a page may take a quicker way.
"""

import sys

if sys.platform == "emscripten":
    from goat_net.primitives.page import (
        Prepared,
        first_off_curve,
        multiply,
        multiply_pairs,
        public_key,
        scrypt,
        sign,
        verify,
    )
else:
    from goat_net.primitives.native import (
        Prepared,
        first_off_curve,
        multiply,
        multiply_pairs,
        public_key,
        scrypt,
        sign,
        verify,
    )

__all__ = [
    "Prepared",
    "first_off_curve",
    "multiply",
    "multiply_pairs",
    "public_key",
    "scrypt",
    "sign",
    "verify",
]
