"""The record that is on its way, on disk before it is sent, and the entries it follows on (PROTOCOL.md, The file).

A record that went out must go out again as the same bytes after a power cut, and neither it nor the log it names may
outlive the other. A new file for each record and a log that is synced each time cost the disk three writes of its own
journal; one write in a file that keeps its place and length costs it none. So the entries since the log was synced
last stand beside the record. Two places take turns: a torn write leaves the one before whole.
"""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from struct import Struct
from typing import Final

from goat_net.files import read_given
from goat_net.wire.codec import MAX_MESSAGE
from goat_net.wire.identity import replace_file

TAIL: Final = 24 * 1024  # bytes of entries beside the record: half a deal; with more, the log itself is synced
_HEAD: Final = Struct(">IHH32s")  # which write this was, bytes of the record, bytes of the entries, hash of all that
_PLACE: Final = -(-(_HEAD.size + MAX_MESSAGE + TAIL) // 4096) * 4096  # whole pages, so that no write touches both
_data_sync: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)  # macOS and Windows have no fdatasync


def _digest(count: int, record: int, held: bytes) -> bytes:
    return sha256(count.to_bytes(4, "big") + record.to_bytes(2, "big") + held).digest()


class Pending:
    """The file beside a log. ``record`` is what was written last, ``tail`` the entries beside it (bytes as in a log);
    both empty when nothing was written whole. Raises OSError, FileError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record = self.tail = b""
        self._count = 0
        data = read_given(path, 2 * _PLACE) if path.exists() else b""
        self._made = len(data) == 2 * _PLACE
        for place in (data[:_PLACE], data[_PLACE:]):
            self._read(place)

    def _read(self, place: bytes) -> None:
        if len(place) < _HEAD.size:
            return
        count, record, tail, digest = _HEAD.unpack_from(place)
        start = _HEAD.size
        held = place[start : start + record + tail]
        if count > self._count and _digest(count, record, held) == digest:
            self._count, self.record, self.tail = count, held[:record], held[record:]

    def write(self, record: bytes, tail: bytes) -> None:
        """Write a record (up to a frame) and the entries beside it (up to `TAIL`): safe from a kill when this returns,
        from a power cut after `sync`."""
        if not self._made:
            replace_file(self.path, bytes(2 * _PLACE))
            self._made = True
        count = self._count + 1
        with self.path.open("r+b") as file:
            file.seek(count % 2 * _PLACE)
            held = record + tail
            file.write(_HEAD.pack(count, len(record), len(tail), _digest(count, len(record), held)) + held)
        self._count, self.record, self.tail = count, record, tail

    def sync(self) -> None:
        """See that what was written is on the disk when this returns."""
        with self.path.open("r+b") as file:
            _data_sync(file.fileno())

    def remove(self) -> None:
        """Take the file away: the log is closed."""
        self.path.unlink(missing_ok=True)
        self._made = False
