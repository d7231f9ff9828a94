"""What a table keeps on disk, so that it can go on after anything: journals, its key, how it was started.

All in one folder, for its owner alone: ``DATE-ID.goat`` is the journal of one log (the same bytes as a player's saved
match), ``TABLE.key`` the table's key, ``TABLE.table`` how it was started, ``TABLE-bots`` the keys and logs of its bots.
TABLE is the table's fingerprint. ``TABLE.lock`` is held by the process that runs the table: all of this has one writer.
When the match is over, all but the journals is taken away.
"""

import json
import logging
import os
import re
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final

from goat_host.launch import options_of_old
from goat_net.exits import PersonError
from goat_net.files import FileError, read_given, shown
from goat_net.folders import FolderError, data_path, hold, private_folder
from goat_net.log.chain import parse_record
from goat_net.log.records import Table as TableRecord
from goat_net.seat.store import SUFFIX, read_first, read_intact
from goat_net.table_options import OptionsError, TableOptions
from goat_net.wire.codec import WireError
from goat_net.wire.identity import Identity, IdentityError, replace_file, table_id
from goat_net.wire.messages import NewEntry

log = logging.getLogger(__name__)

_FINGERPRINT: Final = re.compile("[0-9a-f]{32}")
SAVED_MOST: Final = 64 * 1024  # bytes of a file that says how a table was started: some hundred in fact


class ResumeError(PersonError):
    """A file does not let a table go on. One sentence for the person, with what to do."""


class TableOpenError(ResumeError):
    """The table runs already, in another process of this machine."""


@dataclass(frozen=True, slots=True)
class Started:
    """How a table was started: its options, the port it had, its code or None."""

    options: TableOptions
    port: int
    code: str | None


@dataclass(frozen=True, slots=True)
class Broken:
    """A log to go on with. ``size``: bytes of the file up to its last whole entry. ``identity`` and ``started``: when
    it is this machine's own table; None and None for a match that was played at somebody else's. ``lock``: held since
    before the log was read, for whoever goes on with it."""

    path: Path
    entries: tuple[NewEntry, ...]
    size: int
    log_id: bytes
    identity: Identity | None
    started: Started | None
    lock: IO[bytes] | None = None

    def close(self) -> None:
        """Let go of the table: nobody here goes on with it."""
        if self.lock is not None:
            self.lock.close()


def first_record(entries: list[NewEntry], path: Path) -> tuple[TableRecord, bytes]:
    """The table's record of a log and the log's id. Raises ResumeError."""
    try:
        record = parse_record(entries[0].record) if entries else None
    except WireError:
        record = None
    if record is None or not isinstance(record.body, TableRecord):
        raise ResumeError(f"{shown(path.name)} is not a match that could go on: name a saved match (DATE-ID{SUFFIX})")
    return record.body, record.match_id


def find_broken(path: Path, journals: Path) -> Broken:
    """The log that a table is to go on with. For this machine's own table it is the newest one of that table, whichever
    of its files was named. A table's key and how it was started are taken from ``journals`` and from this program's own
    folder, and never from beside a file that somebody has sent. ``path`` may be the table's fingerprint too, or its
    ``.table`` file. Raises ResumeError."""
    name = path.name.removesuffix(".table")
    for folder in dict.fromkeys((journals, *([path.parent] if _is_ours(path.parent) else []))):
        if _FINGERPRINT.fullmatch(name) and (folder / f"{name}.table").exists():
            return _own(folder, name)
    entries, size = _read(path)
    record, log_id = first_record(entries, path)
    name = table_id(record.table_key)
    for folder in dict.fromkeys((journals, *([path.parent] if _is_ours(path.parent) else []))):
        if (folder / f"{name}.table").exists():
            return _own(folder, name)
    return Broken(path, tuple(entries), size, log_id, None, None)


def _is_ours(folder: Path) -> bool:
    """Whether a folder lies in the program's own: each profile has journals there."""
    try:
        return folder.resolve().is_relative_to(data_path().resolve())
    except (OSError, RuntimeError, FolderError):  # a circle of links, a home that isn't there
        return False


def _read(path: Path) -> tuple[list[NewEntry], int]:
    try:
        return read_intact(path)
    except FileError as error:
        raise ResumeError(f"The match can't be gone on with: {error}") from error


def hold_table(folder: Path, name: str) -> IO[bytes]:
    """Be the one process that runs this table. Raises TableOpenError and FolderError."""
    lock = hold(folder / f"{name}.lock")
    if lock is not None:
        return lock
    try:
        where = f" on port {_started(folder / f'{name}.table').port} of this machine"
    except ResumeError:
        where = ""
    raise TableOpenError(f"This table is open already{where}: sit down there with goat join, or close it first")


def _own(folder: Path, name: str) -> Broken:
    """The newest journal of this machine's own table, or none if it had not begun a match. The table is held before
    anything is read: whoever runs it could write on. Raises ResumeError."""
    try:
        lock = hold_table(folder, name)
    except FolderError as error:
        raise ResumeError(str(error)) from error
    try:
        return replace(_newest_journal(folder, name), lock=lock)
    except ResumeError:
        lock.close()
        raise


def _newest_journal(folder: Path, name: str) -> Broken:
    started = _started(folder / f"{name}.table")
    try:
        identity = Identity.load(folder / f"{name}.key") if (folder / f"{name}.key").exists() else None
    except IdentityError as error:
        raise ResumeError(str(error)) from error
    for path in sorted(folder.glob(f"*{SUFFIX}"), key=lambda p: p.stat().st_mtime_ns, reverse=True):
        try:
            first = read_first(path)  # of others nothing more is read: there may be thousands
            record, log_id = first_record([first] if first is not None else [], path)
        except (FileError, ResumeError):
            continue
        if table_id(record.table_key) == name:
            entries, size = _read(path)
            return Broken(path, tuple(entries), size, log_id, identity, started)
    return Broken(folder / f"{name}.table", (), 0, b"", identity, started)


def _started(path: Path) -> Started:
    try:
        data = json.loads(read_given(path, SAVED_MOST, own=True))
        code = data["code"]
        port = int(data["port"])
        if "options" in data:
            options = TableOptions.from_json(data["options"])
        else:  # kept by 0.1 before it had options as a value
            options = options_of_old([str(a) for a in data["arguments"]])
        return Started(options, port, None if code is None else str(code))
    except FileError as error:
        raise ResumeError(f"{error} Name a player's saved match instead") from error
    except (ValueError, KeyError, TypeError, RecursionError, OptionsError) as error:
        raise ResumeError(f"{shown(path)} is damaged ({error}); name a player's saved match instead") from error


def newest_broken(journals: Path) -> Broken:
    """The newest table in a folder that was not ended. Raises ResumeError."""
    tables = sorted(journals.glob("*.table"), key=lambda p: p.stat().st_mtime_ns, reverse=True)
    for table in tables:
        try:
            return _own(journals, table.stem)
        except TableOpenError:
            raise  # an older one is not what is meant
        except ResumeError:
            continue
    raise ResumeError(f"No table was broken off here ({shown(journals)}); name a saved match with --resume FILE")


class Journals:
    """The host's own log files, one for each log, in ``folder``. When the disk fails the match goes on in memory:
    ``problem`` says so in one sentence, once and for good. ``lock``: held already, by `Broken`."""

    def __init__(self, folder: Path, lock: IO[bytes] | None = None) -> None:
        self.folder = folder
        self._lock = lock
        self.path: Path | None = None
        self.problem = ""
        self._file: IO[bytes] | None = None
        self._log_id = b""

    def keep(self, identity: Identity, started: Started, *, key: bool) -> None:
        """Write down how this table was started, and its key unless it follows from a seed. Raises TableOpenError when
        another process runs this table (two of one seed)."""
        name = table_id(identity.public)
        try:
            private_folder(self.folder)
            if self._lock is None:
                self._lock = hold_table(self.folder, name)
            if key:
                identity.save(self.folder / f"{name}.key")
            data = {"options": started.options.to_json(), "port": started.port, "code": started.code}
            replace_file(self.folder / f"{name}.table", json.dumps(data).encode())
        except (OSError, FolderError) as error:
            self._failed(error)

    def forget(self, identity: Identity) -> None:
        """The table has ended for good: only its journals stay."""
        name = table_id(identity.public)
        try:
            for suffix in (".table", ".key"):
                (self.folder / f"{name}{suffix}").unlink(missing_ok=True)
            shutil.rmtree(self.bots_folder(identity), ignore_errors=True)
            self._let_go()
            (self.folder / f"{name}.lock").unlink(missing_ok=True)
        except OSError as error:
            log.warning("%s cannot be taken away: %s", name, error)

    def bots_folder(self, identity: Identity) -> Path:
        """Where this table's bots keep what they need to come back."""
        return self.folder / f"{table_id(identity.public)}-bots"

    def go_on(self, broken: Broken) -> None:
        """Append to this journal from the end of its last whole entry on."""
        try:
            with broken.path.open("r+b") as file:
                file.truncate(broken.size)
            self.path, self._log_id = broken.path, broken.log_id
            self._file = broken.path.open("ab", buffering=0)
        except OSError as error:
            self._failed(error)

    def write(self, log_id: bytes, data: bytes, sync: bool) -> None:
        """Append to the log's file."""
        if self.problem:
            return
        try:
            if log_id != self._log_id or self._file is None:
                self._close_file()
                private_folder(self.folder)
                self.path = self.folder / f"{time.strftime('%Y-%m-%d-%H%M')}-{log_id.hex()[:16]}{SUFFIX}"
                self._file = self.path.open("ab", buffering=0)
                self._log_id = log_id
            self._file.write(data)
            if sync:
                os.fsync(self._file.fileno())
        except (OSError, FolderError) as error:
            self._failed(error)

    def _failed(self, error: OSError | FolderError) -> None:
        why = error.strerror or type(error).__name__ if isinstance(error, OSError) else str(error)
        self.problem = self.problem or (
            f"The table's log cannot be written ({why}); the match goes on without, but the table cannot be resumed"
        )
        log.warning("%s", self.problem)
        self._close_file()

    def _let_go(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def close(self) -> None:
        """Nothing more is written: close the file, and let go of the table."""
        self._close_file()
        self._let_go()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
