"""Identities, signatures, keys that must not be, and known players (PROTOCOL.md, Identity)."""

import os
import re
import stat
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from goat_net.primitives import native
from goat_net.wire import edwards
from goat_net.wire import identity as module
from goat_net.wire.identity import (
    KNOWN_MAX,
    Identity,
    IdentityError,
    Known,
    Meeting,
    create_once,
    is_good_key,
    is_signature,
    is_whole_key,
    replace_file,
    signed_bytes,
    small_order_keys,
    verify,
)
from tests.net import auditor

ANNA, BORIS, VERA = (Identity.from_seed(bytes([n]) * 32) for n in (1, 2, 3))

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


# Signatures --------------------------------------------------------------------------------------------------


def test_the_key_pair_of_rfc_8032_7_1_test_3() -> None:
    seed = bytes.fromhex("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7")
    assert Identity.from_seed(seed).public.hex() == "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"


def test_a_signature_is_good_for_its_key_purpose_and_data_only() -> None:
    signature = ANNA.sign(b"goat test v1", b"data")
    Ed25519PublicKey.from_public_bytes(ANNA.public).verify(signature, b"goat test v1\0data")
    assert len(signature) == 64
    assert verify(ANNA.public, signature, b"goat test v1", b"data")
    assert not verify(BORIS.public, signature, b"goat test v1", b"data")
    assert not verify(ANNA.public, signature, b"goat test v2", b"data")
    assert not verify(ANNA.public, signature, b"goat test v1", b"date")
    assert not verify(ANNA.public, signature[:63], b"goat test v1", b"data")
    assert not verify(ANNA.public, b"", b"goat test v1", b"data")
    assert not verify(ANNA.public, bytes([signature[0] ^ 1]) + signature[1:], b"goat test v1", b"data")
    assert not verify(ANNA.public[:31], signature, b"goat test v1", b"data")


@pytest.mark.parametrize("purpose", [b"", b"goat\0test"])
def test_a_purpose_has_no_zero_so_that_it_ends_where_it_ends(purpose: bytes) -> None:
    with pytest.raises(ValueError, match="purpose"):
        signed_bytes(purpose, b"x")
    with pytest.raises(ValueError, match="purpose"):
        ANNA.sign(purpose, b"x")


def test_nothing_shows_the_private_key() -> None:
    assert (b"\x01" * 32).hex() not in repr(ANNA) + str(ANNA.__dict__)


def test_loaded_keys_are_bounded() -> None:
    for number in range(200):
        other = Identity.from_seed(number.to_bytes(32, "big"))
        assert verify(other.public, other.sign(b"p", b"d"), b"p", b"d")
    assert native._loaded.cache_info().currsize <= 64


# Keys of small order -----------------------------------------------------------------------------------------


def add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Edwards addition in affine coordinates (RFC 8032, 5.1.4), for this test alone."""
    (x1, y1), (x2, y2) = a, b
    k = D * x1 * x2 * y1 * y2 % P
    return (x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P


def decode(key: bytes) -> tuple[int, int]:
    """The point of an encoding, taking y modulo p and x = 0 with either sign, as lenient libraries do."""
    number = int.from_bytes(key, "little")
    y, sign = number % 2**255 % P, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert x * x % P == square
    return (P - x if x % 2 != sign and x else x), y


def order(point: tuple[int, int]) -> int:
    total, count = point, 1
    while total != (0, 1) and count < 9:
        total, count = add(total, point), count + 1
    return count


def test_the_14_keys_of_small_order() -> None:
    keys = small_order_keys()
    assert len(keys) == 14
    points = {decode(key) for key in keys}
    assert sorted(map(order, points)) == [1, 2, 4, 4, 8, 8, 8, 8]
    # Every encoding of these points that fits: y and, where there is room, y + p, with either sign where x is 0.
    for x, y in points:
        for fits in (y, y + P):
            for sign in (0, 1):
                if fits < 2**255 and (x == 0 or x % 2 == sign):
                    assert (fits | sign << 255).to_bytes(32, "little") in keys


@pytest.mark.parametrize("key", sorted(small_order_keys()), ids=bytes.hex)
def test_small_order_keys_are_refused(key: bytes) -> None:
    assert not is_good_key(key)
    # R = identity, S = 0 satisfies the equation for the identity key whatever the message: the library says yes.
    assert not verify(key, bytes([1]) + bytes(63), b"goat test v1", b"anything")


def test_the_library_does_not_refuse_them_itself() -> None:
    Ed25519PublicKey.from_public_bytes(bytes([1]) + bytes(31)).verify(bytes([1]) + bytes(63), b"anything")


def test_other_keys_that_must_not_be() -> None:
    assert is_good_key(ANNA.public)
    assert not is_good_key(b"")
    assert not is_good_key(ANNA.public + b"\0")
    for y in range(P, 2**255):  # two encodings of one point would be two players with one key
        assert not is_good_key(y.to_bytes(32, "little"))
        assert not is_good_key((y | 1 << 255).to_bytes(32, "little"))


PAGE = (Path(__file__).parents[2] / "goat_net" / "PROTOCOL.md").read_text(encoding="utf-8")


def signatures() -> list[tuple[bytes, bytes, bool]]:
    """The rows of the page: key, signature of `goat`, whether it is good."""
    (block,) = re.findall(r"^```signatures\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^([0-9a-f]{64})\n  ([0-9a-f]{112})\n  ([0-9a-f]{16}) (good|bad)$", block, re.MULTILINE)
    return [(bytes.fromhex(key), bytes.fromhex(one + two), word == "good") for key, one, two, word in rows]


def test_the_signatures_of_the_page_are_judged_as_it_says() -> None:
    """D6: Ed25519 pinned: S below the order, no cofactor, no key of mixed order."""
    rows = signatures()
    assert [good for _, _, good in rows] == [True, False, False, False]
    for key, signature, good in rows:
        assert (is_whole_key(key) and is_signature(key, signature, b"goat")) is good
        assert (auditor.good_key(key) and auditor.is_signature(key, signature, b"goat")) is good
    assert [is_whole_key(key) for key, _, _ in rows] == [True, True, False, True]
    assert f"\nL = {edwards.ORDER:064x}\n" in PAGE
    assert int.from_bytes(rows[1][1][32:], "little") - int.from_bytes(rows[0][1][32:], "little") == edwards.ORDER


def test_a_key_of_mixed_order_sits_nowhere() -> None:
    """D6, C2: keys of full order are demanded at the door and in the log."""
    key, small = edwards.decode(ANNA.public), edwards.decode(min(k for k in small_order_keys() if edwards.decode(k)))
    assert key is not None
    assert small is not None
    for times in range(1, 8):
        x, y = edwards.multiply(times, *small)
        if (x, y) == (0, 1):
            continue
        mixed = edwards.encode(*added(key, (x, y)))
        assert is_good_key(mixed)
        assert not is_whole_key(mixed)
        assert not auditor.good_key(mixed)


def added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """The sum of two points, by the curve's own formula."""
    (a, b), (c, e), d = one, other, -121665 * pow(121666, -1, P)
    cross = d * a * b * c * e
    return (a * e + b * c) * pow(1 + cross, -1, P) % P, (b * e + a * c) * pow(1 - cross, -1, P) % P


# The file ----------------------------------------------------------------------------------------------------


def test_identity_is_made_once_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "a" / "identity"
    made = Identity.load_or_create(path)
    assert Identity.load_or_create(path).public == made.public == Identity.load(path).public
    assert [p.name for p in path.parent.iterdir()] == ["identity"]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps rights in the folder")
def test_rights_that_are_too_wide_are_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "identity"
    Identity.load_or_create(path)
    path.chmod(0o644)
    Identity.load(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps rights in the folder")
def test_rights_that_cannot_be_taken_back_are_said_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "identity"
    made = Identity.load_or_create(path)
    path.chmod(0o644)

    def not_mine(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", not_mine)
    assert Identity.load(path).public == made.public
    assert "cannot be set to 0600" in caplog.text


@pytest.mark.parametrize("damage", ["empty", "cut", "bit", "text", "binary", "long"])
def test_a_damaged_identity_is_never_replaced(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "identity"
    Identity.load_or_create(path)
    good = path.read_bytes()
    digit = b"1" if good[20:21] == b"0" else b"0"
    bad = {
        "empty": b"", "cut": good[:-9], "bit": good[:20] + digit + good[21:], "text": b"hello\n",
        "binary": bytes(range(256)), "long": good * 1000,
    }[damage]  # fmt: skip
    path.write_bytes(bad)
    with pytest.raises(IdentityError, match="damaged or no key"):
        Identity.load_or_create(path)
    assert path.read_bytes() == bad


def test_an_identity_that_cannot_be_read_or_saved_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IdentityError, match="cannot be read"):
        Identity.load_or_create(tmp_path / "folder")
    (tmp_path / "file").write_text("x")
    with pytest.raises(IdentityError, match=r"cannot be (read|saved)"):
        Identity.load_or_create(tmp_path / "file" / "identity")


def test_two_that_make_it_at_once_get_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "identity"
    other = Identity.load_or_create(tmp_path / "other")

    def late(where: Path, data: bytes) -> bool:
        create_once(where, (tmp_path / "other").read_bytes())  # another client, a moment before
        return create_once(where, data)

    monkeypatch.setattr(module, "create_once", late)
    assert Identity.load_or_create(path).public == other.public


@pytest.mark.skipif(sys.platform == "win32", reason="no links are tried there")
def test_a_file_system_without_links_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", no_links)
    assert create_once(tmp_path / "x", b"one")
    assert not create_once(tmp_path / "x", b"two")
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").read_bytes() == b"one"


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_file(tmp_path / "x", b"one")

    def no_room(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(OSError, match="No space"):
        replace_file(tmp_path / "x", b"two")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("x", b"one")]


# Known players -----------------------------------------------------------------------------------------------


def test_keys_are_remembered_by_name(tmp_path: Path) -> None:
    known = Known(tmp_path / "known")
    assert known.remember("Anna", ANNA.public) is Meeting.NEW
    assert known.remember("Boris", BORIS.public) is Meeting.NEW
    again = Known(tmp_path / "known")
    assert again.remember("Anna", ANNA.public) is Meeting.SAME
    assert again.remember("ANNA", VERA.public) is Meeting.CHANGED
    assert again.key_of("anna") == ANNA.public
    again.replace("Anna", VERA.public)
    assert Known(tmp_path / "known").remember("Anna", VERA.public) is Meeting.SAME
    assert Known(tmp_path / "known").remember("Anna", ANNA.public) is Meeting.CHANGED


def test_names_with_blanks_and_marks_come_back(tmp_path: Path) -> None:
    for name in ("Тётя Маша", "a b", "# x", "é", "你好"):
        Known(tmp_path / "known").remember(name, ANNA.public)
        assert Known(tmp_path / "known").key_of(name) == ANNA.public


@pytest.mark.parametrize(
    ("name", "key"), [("", ANNA.public), ("a\nb", ANNA.public), ("Anna", b"x"), ("Anna", bytes(32))]
)
def test_what_is_no_name_or_key_is_our_mistake(tmp_path: Path, name: str, key: bytes) -> None:
    with pytest.raises(ValueError, match="a name and a key"):
        Known(tmp_path / "known").remember(name, key)
    assert not (tmp_path / "known").exists()


def test_known_players_survive_damage(tmp_path: Path) -> None:
    path = tmp_path / "known"
    Known(path).remember("Anna", ANNA.public)
    good = path.read_bytes()
    small = bytes(32).hex().encode()
    path.write_bytes(b"\xff\xfe\n" + good[:40] + b"\n\n" + small + b" Eve\nxyz Eve\n" + good + b"\0\0")
    known = Known(path)
    assert len(known) == 1
    assert known.remember("Anna", ANNA.public) is Meeting.SAME


def test_known_players_are_bounded_and_the_one_not_met_longest_goes(tmp_path: Path) -> None:
    path = tmp_path / "known"
    path.write_text("".join(f"{ANNA.public.hex()} n{i}\n" for i in range(KNOWN_MAX)))
    known = Known(path)
    assert known.remember("n0", ANNA.public) is Meeting.SAME
    assert known.remember("new", BORIS.public) is Meeting.NEW
    assert len(known) == KNOWN_MAX
    assert known.key_of("n1") is None
    assert known.key_of("n0") == ANNA.public
    path.write_bytes(b"x" * 3_000_000)
    assert len(Known(path)) == 0


def test_a_disk_that_fails_costs_a_line_in_the_log_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "known").mkdir()
    known = Known(tmp_path / "known")
    assert known.remember("Anna", ANNA.public) is Meeting.NEW
    assert known.remember("Anna", BORIS.public) is Meeting.CHANGED
    assert "cannot be read" in caplog.text
    assert "cannot be saved" in caplog.text
