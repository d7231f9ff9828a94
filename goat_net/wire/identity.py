"""Who somebody is: Ed25519 keys, what is signed with them, and the keys that are remembered by name.

What is signed is ``purpose | 0x00 | data``, so that no signature can be shown for another purpose
(PROTOCOL.md, Identity).
"""

import hashlib
import logging
import os
import secrets
import sys
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final, Protocol

from goat_net import primitives
from goat_net.exits import PersonError
from goat_net.files import FileError, MissingFileError, TooLongError, read_given, shown
from goat_net.wire.edwards import ORDER, D, P, is_of_prime_order, square_root
from goat_net.wire.text import is_name

log = logging.getLogger(__name__)

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
KNOWN_MAX: Final = 1000  # names: more than anyone meets on one network; the file stays below 150 kB
_HEAD: Final = "goat-identity-1"
_KEY_FILE: Final = 1 << 16  # bytes; it has 146, and a damaged one is named as such
_KNOWN_BYTES: Final = 1 << 20  # read of a file that may be damaged

ID_HEX = 32
"""Hex characters of a table id: 128 bits of the table key's hash, so that nobody finds a second key for it."""


class IdentityError(PersonError):
    """The file with one's own key cannot be used. The text says why and what to do."""


class Signer(Protocol):
    """Whoever can sign with a key: an Identity, or something that asks another process."""

    @property
    def public(self) -> bytes:
        """The public key, 32 bytes."""

    def sign(self, purpose: bytes, data: bytes) -> bytes:
        """The signature, 64 bytes, of ``data`` for this purpose."""


class Identity:
    """A private Ed25519 key. Neither ``repr`` nor an error shows it."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self.public: Final[bytes] = primitives.public_key(seed)

    def __repr__(self) -> str:
        return f"Identity({self.public.hex()[:8]})"

    @classmethod
    def from_seed(cls, seed: bytes) -> "Identity":
        """The identity of 32 secret bytes (RFC 8032, 5.1.5). Raises ValueError on another length."""
        return cls(seed)

    @classmethod
    def new(cls) -> "Identity":
        """A new identity from the system's own chance."""
        return cls(secrets.token_bytes(KEY_BYTES))

    def sign(self, purpose: bytes, data: bytes) -> bytes:
        """The signature, 64 bytes, of ``purpose | 0x00 | data``. Raises ValueError on a purpose that holds a 0x00."""
        return primitives.sign(self._seed, signed_bytes(purpose, data))

    @classmethod
    def load(cls, path: Path) -> "Identity":
        """The identity in a file. Raises FileNotFoundError when there is none, IdentityError when it is of no use."""
        try:
            text = read_given(path, _KEY_FILE).decode("ascii", "replace")
        except MissingFileError as error:
            raise FileNotFoundError(str(path)) from error
        except TooLongError:
            text = ""  # no key of ours
        except FileError as error:
            raise IdentityError(f"Your key cannot be read: {error}") from error
        parts = text.split()
        try:
            head, seed, public = parts
            found = cls.from_seed(bytes.fromhex(seed))
            good = head == _HEAD and bytes.fromhex(public) == found.public
        except ValueError:
            good = False
        if not good:
            raise IdentityError(
                f"{shown(path)} is damaged or no key of goat. Put back a copy of it; without one, move the file away: "
                f"you get a new key, and the others are told that it is another than before"
            )
        _tighten(path)
        return found

    @classmethod
    def load_or_create(cls, path: Path) -> "Identity":
        """The identity in this file, made in one step when there is none. Raises IdentityError."""
        try:
            return cls.load(path)
        except FileNotFoundError:
            pass
        made = cls.new()
        try:
            if create_once(path, made._text()):
                return made
            return cls.load(path)  # another client was quicker
        except OSError as error:
            raise IdentityError(
                f"Your key cannot be saved as {shown(path)} ({error.strerror}). "
                f"Make room, or choose another folder with GOAT_HOME"
            ) from error

    def _text(self) -> bytes:
        return f"{_HEAD} {self._seed.hex()} {self.public.hex()}\n".encode()

    def save(self, path: Path) -> None:
        """Write the identity into a file, for its owner alone. Raises OSError."""
        replace_file(path, self._text())


def table_id(public_key: bytes) -> str:
    """Fingerprint of a table's 32-byte Ed25519 public key: the first 32 hex characters of its SHA-256."""
    return hashlib.sha256(public_key).hexdigest()[:ID_HEX]


def signed_bytes(purpose: bytes, data: bytes) -> bytes:
    """What a signature is made over. Raises ValueError on an empty purpose or one that holds a 0x00: our mistake."""
    if not purpose or 0 in purpose:
        raise ValueError("a purpose is a text without 0x00")
    return purpose + b"\0" + data


def verify(public: bytes, signature: bytes, purpose: bytes, data: bytes) -> bool:
    """Whether this key signed ``data`` for this purpose. False for a key that `is_good_key` refuses."""
    return is_signature(public, signature, signed_bytes(purpose, data))


def is_signature(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature is good (RFC 8032, 5.1.7, without the cofactor). False for a key that `is_good_key` refuses,
    for S not below the order, and for R in another than its one encoding: libraries differ in these."""
    if len(signature) != SIGNATURE_BYTES or not is_good_key(public):
        return False
    r, s = signature[:KEY_BYTES], int.from_bytes(signature[KEY_BYTES:], "little")
    if s >= ORDER or int.from_bytes(r, "little") % 2**255 >= P:
        return False
    return primitives.verify(public, signature, message)


def is_good_key(public: bytes) -> bool:
    """Whether a peer may have this key: 32 bytes, the one encoding of its point, and not of small order.

    For a key of small order one signature fits many messages, and the library does not refuse them.
    """
    return (
        len(public) == KEY_BYTES
        and int.from_bytes(public, "little") % 2**255 < P
        and public not in small_order_keys()
    )


def is_whole_key(public: bytes) -> bool:
    """Whether a key may sit at a table: good, and a point of the prime order. With any other, whether a signature is
    good depends on the library that asks, and two auditors would not agree."""
    return is_good_key(public) and is_of_prime_order(public)


@cache
def small_order_keys() -> frozenset[bytes]:
    """The 14 encodings of the 8 points of small order of Ed25519, computed from its curve -x² + y² = 1 + d x² y².

    y = 1 and y = -1 are the points of order 1 and 2, y = 0 those of order 4. A point of order 8 doubles to y = 0, so
    x² = -y² and d y⁴ + 2 y² - 1 = 0. Each y with either sign bit, and 0 and 1 once more as p and p + 1, which still fit
    into 255 bits.
    """
    root = square_root(1 + D)
    assert root is not None
    eights = {square_root((sign * root - 1) * pow(D, -1, P)) for sign in (1, -1)} - {None}
    ys = {0, 1, P - 1, P, P + 1}
    for y in eights:
        assert y is not None
        ys |= {y, P - y}
    return frozenset((y | sign << 255).to_bytes(32, "little") for y in ys for sign in (0, 1))


class Meeting(Enum):
    """What a name's key is to us."""

    NEW = "new"  # never met; remembered from now on
    SAME = "same"
    CHANGED = "changed"  # known under another key, which stays remembered until `Known.replace`


class Known:
    """Keys by name, trusted on first use, in a small text file: a line ``key name`` each, the last met last.

    Names differ whatever their case. At most 1000 names; the one not met for longest goes. Lines that make no sense are
    left out, and a file that cannot be read or written costs a warning in the log, never the game.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys: dict[str, tuple[str, bytes]] = {}
        for line in _read_lines(path):
            key, name = _parse_known(line)
            if key:
                self._put(name, key)

    def __len__(self) -> int:
        return len(self._keys)

    def key_of(self, name: str) -> bytes | None:
        """The key remembered for a name, or None."""
        found = self._keys.get(name.casefold())
        return found[1] if found else None

    def meet(self, name: str, key: bytes) -> Meeting:
        """What this key is to this name; nothing is remembered."""
        known = self.key_of(name)
        return Meeting.NEW if known is None else Meeting.SAME if known == key else Meeting.CHANGED

    def remember(self, name: str, key: bytes) -> Meeting:
        """What this key is to this name; a new name is remembered. Raises ValueError on what is no name or key."""
        known = self.key_of(name)
        if known is not None and known != key:
            return Meeting.CHANGED
        if known is None or next(reversed(self._keys)) != name.casefold():
            self.replace(name, key)
        return Meeting.NEW if known is None else Meeting.SAME

    def replace(self, name: str, key: bytes) -> None:
        """Remember this key for this name from now on: the person has said that it is right."""
        if not is_name(name) or not is_good_key(key):
            raise ValueError("a name and a key were expected")
        self._put(name, key)
        text = "".join(f"{key.hex()} {name}\n" for name, key in self._keys.values())
        try:
            replace_file(self._path, text.encode())
        except OSError as error:
            log.warning("The keys of known players cannot be saved as %s: %s", self._path, error.strerror)

    def _put(self, name: str, key: bytes) -> None:
        self._keys.pop(name.casefold(), None)
        self._keys[name.casefold()] = (name, key)
        while len(self._keys) > KNOWN_MAX:
            del self._keys[next(iter(self._keys))]


def _read_lines(path: Path) -> list[str]:
    try:
        return read_given(path, _KNOWN_BYTES).decode("utf-8", "replace").split("\n")
    except MissingFileError:
        return []
    except FileError as error:
        log.warning("The keys of known players cannot be read: %s", error)
        return []


def _parse_known(line: str) -> tuple[bytes, str]:
    """Key and name of a line; an empty key when it is damaged."""
    digits, _, name = line.partition(" ")
    try:
        key = bytes.fromhex(digits)
    except ValueError:
        return b"", ""
    return (key, name) if is_good_key(key) and is_name(name) else (b"", "")


def create_once(path: Path, data: bytes) -> bool:
    """Make a file for its owner alone, whole or not at all; False when one is there already. Raises OSError."""
    fresh = _write_beside(path, data)
    try:
        if sys.platform == "win32":
            fresh.rename(path)  # refuses to replace a file there
        else:
            try:
                os.link(fresh, path)
            except FileExistsError:
                raise
            except OSError:  # a file system without links
                if path.exists():
                    return False
                fresh.rename(path)
    except FileExistsError:
        return False
    finally:
        fresh.unlink(missing_ok=True)
    return True


def replace_file(path: Path, data: bytes) -> None:
    """Put these bytes in the place of a file, for its owner alone: a reader sees the old ones or the new ones."""
    fresh = _write_beside(path, data)
    try:
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _write_beside(path: Path, data: bytes) -> Path:
    """A new file beside ``path`` with these bytes, on the disk, mode 0600."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}-{secrets.token_hex(6)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    return fresh


def _tighten(path: Path) -> None:
    """Take the rights of others to a private file away; Windows keeps them in the folder's own list."""
    if sys.platform == "win32":
        return
    try:
        if path.stat().st_mode & 0o077:
            log.warning("%s could be read by others; its rights are set to 0600", path)
            path.chmod(0o600)
    except OSError as error:  # a disk that has no rights, or a file of somebody else's: it has been read all the same
        log.warning("The rights of %s cannot be set to 0600: %s", path, error.strerror)
