"""After a resume: what the seats' programs still have to say of the log, before the table signs on (PROTOCOL.md).

Pure. A table whose machine has lost power may have signed what its journal lacks. If it signed on at once there would
be two logs under one head, so it listens first.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from goat_engine.rules import SEATS, Seat

# s after a resume in which every seat's program has come back and said what it has of the log: it tries once a second
HEAR_WITHIN: Final = 20.0
HELD_EACH: Final = 4  # of a seat's records wait for that: its own, and those that it passes on for the three others


class Hearing:
    """``on``: whether the table listens, and so enters nothing of its own. A new table does not."""

    def __init__(self) -> None:
        self._silent: set[Seat] = set()  # have not said yet how much of the log they have
        self._until: float | None = None
        self._held_back: dict[Seat, deque[bytes]] = {}  # by the seat that sent them

    def listen(self) -> None:
        """Listen to all four seats. The time runs from the first guest on, or from the first look at the clock."""
        self._silent = set(SEATS)

    @property
    def on(self) -> bool:
        """Whether a seat's word is missing."""
        return bool(self._silent)

    @property
    def deadline(self) -> float | None:
        """Until when the table waits, once that runs."""
        return self._until

    def start(self, now: float) -> bool:
        """Let the time run; whether it did not before."""
        if not self.on or self._until is not None:
            return False
        self._until = now + HEAR_WITHIN
        return True

    def is_late(self, now: float) -> bool:
        """Whether nobody is waited for any more."""
        return self.on and self._until is not None and now >= self._until

    def slept(self, seconds: float) -> None:
        """This process has stood still for so long: what it did not hear is nobody's silence."""
        if self._until is not None:
            self._until += seconds

    def hold_back(self, seat: Seat | None, record: bytes) -> None:
        """Keep what a seat has sent. Who has no seat could only push out what seats have sent: theirs is not kept."""
        if seat is not None:
            self._held_back.setdefault(seat, deque(maxlen=HELD_EACH)).append(record)

    def heard(self, seats: Iterable[Seat] = SEATS) -> dict[Seat, list[bytes]] | None:
        """These seats have said what they have, or none is waited for any more. When this was the last word: what was
        held back, by seat, to be judged now; else None."""
        was_on = self.on
        self._silent.difference_update(seats)
        if self.on or not was_on:
            return None
        self._until = None
        held, self._held_back = self._held_back, {}
        return {seat: list(records) for seat, records in held.items()}
