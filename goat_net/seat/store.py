"""What a seat keeps on disk: the log, the secret of the match, the record that is on its way (PROTOCOL.md, The file).

Everything is written before it is sent. When the disk is full or read-only the match goes on in memory and
``problem`` says so in one sentence; nothing is raised for that.
"""

import errno
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from goat_net.files import FileError, read_given, shown
from goat_net.folders import HOME_VARIABLE, FolderError, private_folder
from goat_net.log.chain import FILE_HEADER, ChainError, entry_bytes, intact_length, parse_record, read_file
from goat_net.log.records import End
from goat_net.seat.endings import LostSecretError
from goat_net.seat.pending import TAIL, Pending
from goat_net.wire.codec import WireError
from goat_net.wire.identity import replace_file
from goat_net.wire.messages import NewEntry

SUFFIX: Final = ".goat"
UNSYNCED: Final = 256  # entries that a log which is only read (a watcher's) keeps in memory until it is synced
SECRET: Final = 32  # bytes of a match's secret
_LIMIT: Final = 64 << 20  # no match comes near; a larger file is not read into memory


class LogStore:
    """One log of one seat, whose public key is ``key``: two seats that save into one folder share no file. ``path`` is
    None in memory. ``entries``: what is saved already."""

    def __init__(self, folder: Path | None, log_id: bytes, key: bytes, entropy: Callable[[int], bytes]) -> None:
        self.problem = ""
        self.log_id, self.key = log_id, key
        self.path: Path | None = None
        self.entries: list[NewEntry] = []
        self._pending = b""
        self._beside: Pending | None = None
        self._unsettled = False
        self._unsynced: list[bytes] = []  # entries, as bytes, that were written and may not be on the disk yet
        self._size = 0
        self._saved = b""
        self._is_closed = False  # nothing is signed in this log any more, so it has no secret
        if folder is not None:
            with self._guard():
                self._find(private_folder(folder))
        self._master = self._saved or entropy(32)
        if not self._saved and not self._is_closed:
            self._keep_master()

    def _keep_master(self) -> None:
        if self.path is not None:
            with self._guard():
                replace_file(self.path.with_suffix(".secret"), self._master)

    def _find(self, folder: Path) -> None:
        name = f"{self.log_id.hex()[:16]}-{self.key.hex()[:16]}"
        known = next(iter(sorted(folder.glob(f"*-{name}{SUFFIX}"))), None)
        if known is None:
            self.path = folder / f"{time.strftime('%Y-%m-%d-%H%M')}-{name}{SUFFIX}"
            self._beside = Pending(self.path.with_suffix(".pending"))
            return
        self.path = known
        self.entries, self._size = read_intact(known)
        secret = known.with_suffix(".secret")
        if not secret.exists():
            self._is_closed = bool(self.entries) and _is_end(self.entries[-1])
            if self.entries and not self._is_closed:
                raise LostSecretError(f"{known.name} has no secret beside it: this seat cannot be played on from here")
            return
        self._saved = read_given(secret, SECRET)
        self._beside = Pending(known.with_suffix(".pending"))
        self._pending = self._beside.record
        for entry in intact(FILE_HEADER + self._beside.tail)[0]:
            if entry.number == len(self.entries):  # the log has lost its end, and this is it
                self.append(entry)
                self.entries.append(entry)

    @property
    def master(self) -> bytes:
        """The 32 secret bytes of this seat in this match."""
        return self._master

    @property
    def pending(self) -> bytes:
        """The record that was written down last, before it was sent; may be in the log already."""
        return self._pending

    def set_pending(self, record: bytes, *, sync: bool = True) -> None:
        """Write down a record before it is sent, and the log that it follows on: neither may outlive the other.
        ``sync``: on the disk when this returns; else `settle` follows when the record is on its way."""
        self._pending = record
        if self._beside is not None and not self.problem:
            with self._guard():
                tail = b"".join(self._unsynced)
                if len(tail) > TAIL:
                    self._sync()
                    tail = b""
                self._beside.write(record, tail)
                self._unsettled = True
        if sync:
            self.settle()

    def settle(self) -> None:
        """See that the record written down last is on the disk."""
        if self._beside is not None and not self.problem and self._unsettled:
            self._unsettled = False
            with self._guard():
                self._beside.sync()

    def _sync(self) -> None:
        if self._size and self.path is not None:
            with self.path.open("rb") as file:
                os.fsync(file.fileno())
        self._unsynced.clear()

    def append(self, entry: NewEntry) -> None:
        """Write down the next entry."""
        if self.path is None or self.problem:
            return
        own = entry_bytes(entry)
        data = own if self._size else FILE_HEADER + own
        with self._guard():
            with self.path.open("r+b" if self._size else "wb") as file:
                file.seek(self._size)
                file.write(data)
                file.truncate()
            self._size += len(data)
            self._unsynced.append(own)
            if len(self._unsynced) > UNSYNCED:
                self._sync()

    def cut(self, count: int) -> None:
        """What is saved after so many entries is damaged: the next one is written in its place."""
        del self.entries[count:]
        self._unsynced.clear()
        self._size = len(FILE_HEADER) + sum(len(entry_bytes(e)) for e in self.entries) if count else 0

    def finish(self) -> None:
        """The log is closed: what was to be signed is signed, and its secret is of no use any more."""
        if self._beside is not None and self.path is not None and not self.problem:
            with self._guard():
                self._sync()  # the secret goes when all of the log is on the disk, up to its last entry
                self._beside.remove()
                self.path.with_suffix(".secret").unlink(missing_ok=True)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except (OSError, FileError, FolderError) as error:
            self.problem = self.problem or _unsaved(error)


def _unsaved(error: OSError | FileError | FolderError) -> str:
    """That a match is not saved, why, and what helps."""
    cause = error if isinstance(error, OSError) else error.__cause__
    number = cause.errno if isinstance(cause, OSError) else None
    if number in (errno.ENOSPC, errno.EDQUOT):
        why, help_ = "there is no space left", "Free some space for the next one."
    elif number in (errno.EROFS, errno.EACCES, errno.EPERM):
        why = "the disk is read-only" if number == errno.EROFS else "you may not write to its folder"
        help_ = f"For the next one, make it writable or set {HOME_VARIABLE} to another folder."
    elif isinstance(error, FileError):
        why, help_ = "its file cannot be used", str(error)
    elif isinstance(error, FolderError):
        why, help_ = "its folder cannot be used", f"{error}."
    else:
        why, help_ = error.strerror or type(error).__name__, f"Another folder may help: {HOME_VARIABLE} names one."
    return f"The match cannot be saved: {why}. It goes on without. {help_}"


def _is_end(entry: NewEntry) -> bool:
    try:
        return isinstance(parse_record(entry.record).body, End)
    except WireError:
        return False


def keep_proof(log: Path, number: int, proof: bytes) -> str:
    """Save the proof of a host's fault at an entry beside the log; gives the end of a sentence that says where."""
    path = log.with_name(f"{log.stem}-entry-{number}.proof")
    try:
        replace_file(path, proof)
    except OSError as problem:
        return f". The proof cannot be saved as {shown(path)} ({problem.strerror})"
    return f". The proof is saved: goat verify {shown(path)}"


def read_intact(path: Path) -> tuple[list[NewEntry], int]:
    """Entries of a log file up to where it is whole, and how many bytes they take; a torn end is left out. Raises
    FileError."""
    return intact(read_given(path, _LIMIT))


def read_ends(path: Path) -> tuple[NewEntry, NewEntry] | None:
    """The first and the last whole entry of a log file; the others are passed over unread. None for a file without
    any, or whose first or last one is damaged. Raises FileError."""
    data = read_given(path, _LIMIT)
    if not data.startswith(FILE_HEADER):
        return None
    first = last = start = len(FILE_HEADER)
    while start + 3 <= len(data):
        end = start + 3 + int.from_bytes(data[start + 1 : start + 3], "big")
        if end > len(data):
            break
        last, start = start, end
    first_end = first + 3 + int.from_bytes(data[first + 1 : first + 3], "big")
    try:
        (one,) = read_file(FILE_HEADER + data[first:first_end])
        (other,) = read_file(FILE_HEADER + data[last:start])
    except (ChainError, ValueError):
        return None
    return one, other


def read_first(path: Path) -> NewEntry | None:
    """The first entry of a log file, from its first bytes alone; None when it has none or is damaged. Raises
    FileError."""
    data = read_given(path, _LIMIT, begin=len(FILE_HEADER) + 3 + 0xFFFF)
    end = len(FILE_HEADER) + 3 + int.from_bytes(data[len(FILE_HEADER) + 1 : len(FILE_HEADER) + 3], "big")
    if not data.startswith(FILE_HEADER) or len(data) < end:
        return None
    try:
        (one,) = read_file(data[:end])
    except (ChainError, ValueError):
        return None
    return one


def intact(data: bytes) -> tuple[list[NewEntry], int]:
    """`read_intact` of a file's bytes."""
    if not data.startswith(FILE_HEADER):
        return [], 0
    data = data[: intact_length(data)]
    entries: list[NewEntry] = []
    size = len(FILE_HEADER)
    try:
        for entry in read_file(data):
            entries.append(entry)
            size += len(entry_bytes(entry))
    except ChainError:
        pass  # what came before the damage is good, the rest is read again from the table
    return entries, size if entries else 0
