"""Bytes that a seat gives for a log that is still to begin (PROTOCOL.md, Fresh logs).

The id of a log hashes 32 bytes of each seat's own client, and each client gives them for one log only. So no host can
begin the same log twice and have a seat, whose client has forgotten the first one, sign its numbers again.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from goat_net.wire.identity import replace_file

FRESH_BYTES: Final = 32
TABLES_KEPT: Final = 64  # tables for which a value is out; beyond this the oldest are forgotten
_LINE_BYTES: Final = 130  # two keys in hex, a blank, a line feed
SUFFIX: Final = ".fresh"


class FreshBytes:
    """The values of one seat's key that are out and not used yet, one for each table. ``path``: where they outlive
    this program, None for nowhere: then a log that begins after it has ended is none of its next life's. A disk that
    fails costs the same."""

    def __init__(self, path: Path | None, entropy: Callable[[int], bytes]) -> None:
        self._path, self._entropy = path, entropy
        self._given: dict[bytes, bytes] = {}
        try:
            data = path.read_bytes()[: TABLES_KEPT * _LINE_BYTES] if path is not None and path.exists() else b""
            self._given = dict(_pair(line) for line in data.splitlines())
        except (OSError, ValueError):
            self._given = {}

    def give(self, table_key: bytes) -> bytes:
        """The value for the next log of this table: the same one until it is used."""
        if table_key not in self._given:
            while len(self._given) >= TABLES_KEPT:
                del self._given[next(iter(self._given))]
            self._given[table_key] = self._entropy(FRESH_BYTES)
            self._save()
        return self._given[table_key]

    def use(self, table_key: bytes, value: bytes) -> bool:
        """Use up a value: whether it was given to this table and not used before. When this returns it is noted that
        it was used, on the disk too."""
        if self._given.get(table_key) != value:
            return False
        del self._given[table_key]
        self._save()
        return True

    def _save(self) -> None:
        if self._path is None:
            return
        lines = (f"{key.hex()} {value.hex()}\n" for key, value in self._given.items())
        try:
            replace_file(self._path, "".join(lines).encode())
        except OSError:
            self._path = None  # the log's own store says that the disk fails; here the values live on in memory


def fresh_path(folder: Path | None, key: bytes) -> Path | None:
    """Where the seat with this key notes its values; nowhere without a folder."""
    return None if folder is None else folder / f"{key.hex()[:16]}{SUFFIX}"


def _pair(line: bytes) -> tuple[bytes, bytes]:
    """Table key and value of a line. Raises ValueError."""
    key, value = (bytes.fromhex(part.decode("ascii")) for part in line.split())
    if len(key) != FRESH_BYTES or len(value) != FRESH_BYTES:
        raise ValueError("another length")
    return key, value
