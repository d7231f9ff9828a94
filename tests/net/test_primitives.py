"""The door to curve, signatures and scrypt: published vectors, and what every implementation behind it promises.

The page's implementation is held to the same vectors where it runs (tests/web).
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goat_net import primitives
from goat_net.deck.curve import ORDER

# NIST CAVP, "KAS ECC CDH Primitive", P-256, COUNT = 0: the peer's x, its shared x, our scalar.
CDH_X = bytes.fromhex("700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287")
CDH_K = 0x7D7DC5F71EB29DDAF80D6214632EEAE03D9058AF1FB6D22ED80BADB62BC1A534
CDH_Z = bytes.fromhex("46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b")
OFF = bytes.fromhex("ff" * 32)


def test_a_published_exchange() -> None:
    assert primitives.multiply(CDH_K, (CDH_X,)) == (CDH_Z,)
    assert primitives.multiply(CDH_K, (CDH_X,), secret=False) == (CDH_Z,)
    assert primitives.multiply_pairs(primitives.Prepared([CDH_K]), (CDH_X,)) == (CDH_Z,)


def test_a_published_signature() -> None:
    """RFC 8032, 7.1, TEST 2."""
    seed = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    public = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    signature = bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert primitives.public_key(seed) == public
    assert primitives.sign(seed, b"\x72") == signature
    assert primitives.verify(public, signature, b"\x72")
    assert not primitives.verify(public, signature, b"\x73")


def test_a_published_stretching() -> None:
    """RFC 7914, 12, the second vector."""
    assert primitives.scrypt(b"password", b"NaCl", 1024, 8, 16, 64).hex() == (
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    )


def test_the_first_place_off_the_curve() -> None:
    assert primitives.first_off_curve(()) is None
    assert primitives.first_off_curve((CDH_X, CDH_Z)) is None
    assert primitives.first_off_curve((CDH_X, OFF, OFF)) == 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, ORDER - 1), min_size=1, max_size=5))
def test_pairs_are_single_multiplications(scalars: list[int]) -> None:
    xs = primitives.multiply(scalars[0], (CDH_X,) * len(scalars))
    each = tuple(primitives.multiply(k, (x,))[0] for k, x in zip(scalars, xs, strict=True))
    assert primitives.multiply_pairs(primitives.Prepared(scalars), xs) == each


def test_another_number_of_points_than_scalars_is_our_mistake() -> None:
    with pytest.raises(ValueError, match=r"shorter|longer"):
        primitives.multiply_pairs(primitives.Prepared([2]), (CDH_X, CDH_X))
