"""What saved matches came to, kept beside them: a file that has not changed is not read again.

The file is safe to lose, and believed only as far as it can be understood: one line of JSON for each saved match, by
its path, size and time. It is this account's own, written whole in one step, by whoever holds its lock.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from goat_client.saved.results import Deal, Log, Void, read_with_first
from goat_net.files import FileError, MissingFileError, read_given
from goat_net.folders import FolderError, hold
from goat_net.log.chain import parse_record
from goat_net.log.records import Table
from goat_net.wire.codec import WireError
from goat_net.wire.identity import replace_file

NAME: Final = "results.cache"
VERSION: Final = 2  # of what stands in a line and of how matches are counted: another one is counted anew
SIZE_MOST: Final = 64 << 20  # bytes: 10,000 matches of some kilobytes each
MANY: Final = 50  # files to be read that are worth a word to who waits

Stamp = tuple[int, int]


class ResultsCache:
    """Logs of saved matches by file, for one set of own keys."""

    def __init__(self, data: Path, own: frozenset[bytes]) -> None:
        self._path, self._own = data / NAME, own
        self._keys = sorted(key.hex() for key in own)
        self._known: dict[str, tuple[Stamp, dict[str, Any]]] = {}
        self._fresh = False
        self._load()

    def _load(self) -> None:
        try:
            lines = read_given(self._path, SIZE_MOST, own=True).decode("utf-8").splitlines()
            head = json.loads(lines[0])
            if head != {"version": VERSION, "keys": self._keys}:
                return
            for line in lines[1:]:
                one = json.loads(line)
                self._known[str(one["path"])] = ((int(one["size"]), int(one["time"])), one)
        except MissingFileError:
            return
        except (FileError, ValueError, LookupError, TypeError, RecursionError):
            self._known = {}

    def read_all(self, files: Iterable[Path], notify: Callable[[str], None]) -> Callable[[Path], Log]:
        """How these files are to be read, as `goat_client.saved.results.gather` takes it. ``notify`` hears how many
        are to be read whole, if that will take a while."""
        stamps: dict[Path, Stamp] = {}
        for path in files:
            try:
                found = path.stat()
            except OSError:
                continue
            stamps[path] = (found.st_size, found.st_mtime_ns)
        new = sum(self._known.get(str(path), (None,))[0] != stamp for path, stamp in stamps.items())
        self._known = {str(p): self._known[str(p)] for p in stamps if str(p) in self._known}  # others are gone
        if new > MANY:
            notify(f"Reading {new} of {len(stamps)} saved matches; the next time only new ones are read.")

        def read(path: Path) -> Log:
            stamp = stamps.get(path)
            known = self._known.get(str(path))
            if stamp is not None and known is not None and known[0] == stamp:
                log = _restored(known[1])
                if log is not None:
                    return log
            log, first = read_with_first(path, self._own)
            if stamp is not None:
                self._known[str(path)] = (stamp, _stored(path, stamp, log, first))
                self._fresh = True
            return log

        return read

    def save(self) -> None:
        """Keep what was read anew. Where that can't be done, or another command is doing it, it is read again then."""
        if not self._fresh:
            return
        lines = [json.dumps({"version": VERSION, "keys": self._keys})]
        lines += [json.dumps(one) for _, one in self._known.values()]
        try:
            held = hold(self._path.with_suffix(".lock"))
        except FolderError:
            return
        if held is None:
            return
        with held:
            try:
                replace_file(self._path, "\n".join(lines).encode())
            except OSError:
                return


def _stored(path: Path, stamp: Stamp, log: Log, first: bytes) -> dict[str, Any]:
    deals = [[deal.points, deal.defeat, deal.void, deal.payer, sorted(deal.gone)] for deal in log.deals]
    return {
        "path": str(path),
        "size": stamp[0],
        "time": stamp[1],
        "table": base64.b64encode(first).decode(),
        "match": log.match_id.hex(),
        "seat": log.seat,
        "deals": deals,
        "left": log.left,
    }


def _restored(one: dict[str, Any]) -> Log | None:
    """The log of a line, or None when it can't be understood."""
    try:
        table = parse_record(base64.b64decode(one["table"], validate=True)).body
        seat = one["seat"]
        if not isinstance(table, Table) or seat not in (None, 0, 1, 2, 3):
            return None
        deals = tuple(
            Deal(_pair(points), _pair(defeat), None if void is None else Void(void), payer, frozenset(map(int, gone)))
            for points, defeat, void, payer, gone in one["deals"]
        )
        return Log(table, bytes.fromhex(one["match"]), seat, deals, bool(one["left"]))
    except (WireError, ValueError, LookupError, TypeError, binascii.Error):
        return None


def _pair(values: Any) -> tuple[int, int]:
    one, other = values
    return int(one), int(other)

