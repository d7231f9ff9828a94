"""What a seat in a page keeps: a `goat_net.seat.chair.Store` over the browser's IndexedDB.

Everything that was kept is read before the seat begins. Puts go out in order and are on disk a few milliseconds later;
`Disk.hold` makes the line wait until all puts so far are there, so that nothing is sent before it is written down
(PROTOCOL.md, The player).
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from goat_net.log.chain import FILE_HEADER, entry_bytes
from goat_net.seat.endings import LostSecretError
from goat_net.seat.store import intact
from goat_net.wire.messages import NewEntry


class Disk(Protocol):
    """The page's IndexedDB, as the worker gives it."""

    def put(self, key: str, value: bytes | None) -> None:
        """Keep these bytes under this key, or nothing any more."""

    def hold(self) -> None:
        """Let the line wait until all that was put is on disk."""

    def problem(self) -> str:
        """Why the last put failed, or empty."""


class PageStore:
    """One log of one seat. ``kept``: what was on the disk at the start, by key."""

    def __init__(
        self, disk: Disk, kept: Mapping[str, bytes], log_id: bytes, key: bytes, entropy: Callable[[int], bytes]
    ) -> None:
        self._disk = disk
        self._name = f"{log_id.hex()[:16]}-{key.hex()[:16]}"
        mine = {k.removeprefix(f"{self._name}/"): v for k, v in kept.items() if k.startswith(f"{self._name}/")}
        self.entries: list[NewEntry] = []
        for one in (mine[k] for k in sorted(mine) if k.startswith("entry/")):
            whole = intact(FILE_HEADER + one)[0]
            if len(whole) != 1:
                break  # damaged: the table sends again what comes from here on
            self.entries.append(whole[0])
        self.pending = mine.get("pending", b"")
        self._count = len(self.entries)
        master = mine.get("master", b"")
        if self.entries and not master:
            raise LostSecretError("The secret of this match is not kept in this browser: it was cleared meanwhile")
        self.master = master or entropy(32)
        if not master:
            self._put("master", self.master)
            disk.hold()

    @property
    def path(self) -> Path | None:
        """A page has no files."""
        return None

    @property
    def problem(self) -> str:
        """Why something could not be kept, as a sentence, or empty."""
        found = self._disk.problem()
        return f"This browser cannot keep the match ({found}). Do not reload the page" if found else ""

    def set_pending(self, record: bytes, *, sync: bool = True) -> None:
        """Keep a record before it is sent; with ``sync`` nothing goes out before it is on disk."""
        self.pending = record
        self._put("pending", record)
        if sync:
            self._disk.hold()

    def settle(self) -> None:
        """It is on its way to the disk already."""

    def append(self, entry: NewEntry) -> None:
        """Keep the next entry."""
        self._put(f"entry/{self._count:06d}", entry_bytes(entry))
        self._count += 1

    def cut(self, count: int) -> None:
        """What is kept after so many entries is damaged."""
        for number in range(count, self._count):
            self._put(f"entry/{number:06d}", None)
        del self.entries[count:]
        self._count = count

    def finish(self) -> None:
        """The log is closed: no record is on its way any more."""
        self.pending = b""
        self._put("pending", None)

    def _put(self, what: str, value: bytes | None) -> None:
        self._disk.put(f"{self._name}/{what}", value)
