"""Logs that a seat has saved before, found by the match or the log they are of."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from goat_net.log.chain import ChainError, LogFileError, parse_record
from goat_net.log.first_entry import match_id_of
from goat_net.log.fold import Fold
from goat_net.log.records import Nonce, Table
from goat_net.seat.store import SUFFIX, intact, read_intact
from goat_net.wire.codec import WireError
from goat_net.wire.messages import NewEntry

LOOKED_AT: Final = 2000  # newest saved logs that are looked through: years of evenings
_HEAD_BYTES: Final = 24 * 1024  # of a file: the table's record and the nonces are in the first 10 kB, refusals included
_OPENING: Final = 64  # entries in which the four nonces come: eight records of seats, a few refusals and absences


@dataclass(frozen=True, slots=True)
class _Head:
    """The beginning of a saved log: its ids, and the match whose score it carries on (or empty)."""

    path: Path
    log_id: bytes
    match_id: bytes
    carries: bytes


class SavedLogs:
    """The logs in a folder; read when they are asked for, which is once in a match that goes on."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def of_match(self, match_id: bytes) -> Fold | None:
        """The log of a match, the longest there is."""
        return self._longest(head.path for head in self._heads() if head.match_id == match_id)

    def of_log(self, log_id: bytes) -> Fold | None:
        """The log with this id."""
        return self._longest(self._files(f"*-{log_id.hex()[:16]}*{SUFFIX}"))

    def heirs(self, match_id: bytes) -> frozenset[bytes]:
        """Ids of the logs that carry this match's score on and in which a match has begun."""
        return frozenset(head.log_id for head in self._heads() if head.carries == match_id and head.match_id)

    def _files(self, pattern: str) -> list[Path]:
        if self.folder is None or not self.folder.is_dir():
            return []
        return sorted(self.folder.glob(pattern), key=lambda path: path.name, reverse=True)[:LOOKED_AT]

    def _heads(self) -> Iterator[_Head]:
        for path in self._files(f"*{SUFFIX}"):
            try:
                with path.open("rb") as file:
                    entries, _ = intact(file.read(_HEAD_BYTES))
                head = _head(path, entries)
            except (OSError, WireError):
                continue
            if head is not None:
                yield head

    def _longest(self, paths: Iterator[Path] | list[Path]) -> Fold | None:
        folds = [fold for path in paths if (fold := _folded(path)) is not None]
        return max(folds, key=lambda fold: len(fold.chain), default=None)


def _head(path: Path, entries: list[NewEntry]) -> _Head | None:
    """Raises WireError."""
    if not entries:
        return None
    first = parse_record(entries[0].record)
    if not isinstance(first.body, Table):
        return None
    nonces: dict[int, bytes] = {}
    for entry in entries[1:_OPENING]:
        record = parse_record(entry.record)
        if isinstance(record.body, Nonce):
            nonces[record.author] = record.body.nonce
    whole = len(nonces) == len(first.body.seats)
    match_id = match_id_of(entries[0].record, [nonces[s] for s in sorted(nonces)]) if whole else b""
    carries = first.body.carried[0].match_id if first.body.carried else b""
    return _Head(path, first.match_id, match_id, carries)


def _folded(path: Path) -> Fold | None:
    """The fold of a saved log up to where it is good; None when there is nothing."""
    fold = Fold()
    try:
        for entry in read_intact(path)[0]:
            fold.take(entry)
    except (OSError, LogFileError, ChainError):
        pass  # what came before the damage is good
    return fold if fold.table is not None else None
