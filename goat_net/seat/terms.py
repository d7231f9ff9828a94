"""What a seat agrees to by its first signature in a log that carries a score on (PROTOCOL.md, Carried scores).

A client that has the match before checks the score itself. What it cannot check, and what the log changes of what was
agreed on, its person is shown, who accepts it or leaves. Where the host is at fault nothing is signed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from goat_net.log.fold import Fold
from goat_net.log.proof import carry_proof
from goat_net.log.records import Table
from goat_net.log.succession import Altered, Change, Flaw, succession
from goat_net.wire.messages import NewEntry

FETCH_WITHIN: Final = 3.0  # s for what is missing of the match before; then it is shown as it is


@dataclass(frozen=True, slots=True)
class Terms:
    """The score that goes on: defeat points by team, eggs, whether the next deal counts double, deals so far.
    ``changes``: what the person has to know of; with any the seat signs nothing before the person has accepted.
    ``caught``: names of those at a seat who were caught cheating in it before (R23)."""

    defeat: tuple[int, int]
    eggs: int
    doubled: bool
    deals: int
    changes: tuple[Change, ...] = ()
    caught: tuple[str, ...] = ()

    @property
    def checked(self) -> bool:
        """Whether this client holds the match before and found the score in it."""
        return not any(c.what in (Altered.UNCHECKED, Altered.UNKNOWN) for c in self.changes)


class Past(Protocol):
    """Logs that were saved before, as far as they are still there (`goat_net.seat.past.SavedLogs`)."""

    def of_match(self, match_id: bytes) -> Fold | None:
        """The log of a match, the longest there is."""

    def of_log(self, log_id: bytes) -> Fold | None:
        """The log with this id."""

    def heirs(self, match_id: bytes) -> frozenset[bytes]:
        """Ids of the logs that carry this match's score on and in which a match has begun."""


class Nothing:
    """No saved logs: a seat that keeps nothing."""

    def of_match(self, match_id: bytes) -> Fold | None:
        """None: see the class."""

    def of_log(self, log_id: bytes) -> Fold | None:
        """None: see the class."""

    def heirs(self, match_id: bytes) -> frozenset[bytes]:
        """None: see the class."""
        return frozenset()


@dataclass(slots=True)
class Agreement:
    """The first record of a log held against the match before. ``before``: that match's log as far as it is known
    here, None when it isn't. ``forked``: whether another log carries on the same match."""

    first: NewEntry
    table: Table
    before: Fold | None
    forked: bool = False

    @property
    def flaw(self) -> Flaw | None:
        """Why the score is the host's fault, or None."""
        link = None if self.before is None else succession(self.before, self.table)
        return None if link is None else link.flaw

    @property
    def proof(self) -> bytes:
        """The file that shows the flaw to anybody."""
        entries: Sequence[NewEntry] = () if self.before is None else self.before.chain.entries
        return carry_proof(entries, self.first)

    @property
    def terms(self) -> Terms | None:
        """What the seat agrees to; None when no score is carried on."""
        if not self.table.carried:
            return None
        carried = self.table.carried[0]
        link = None if self.before is None else succession(self.before, self.table)
        changes = (Change(Altered.UNCHECKED),) if link is None else link.changes
        if self.forked:
            changes = (*changes, Change(Altered.FORKED))
        one, other = carried.defeat
        keys = {who.key for who in carried.caught}
        caught = tuple(seat.name for seat in self.table.seats if seat.key in keys)
        return Terms((one, other), carried.eggs, carried.doubled, carried.deals, changes, caught)

    @property
    def lacks(self) -> tuple[bytes, int] | None:
        """The log of the match before, and how many entries of it are here, when the score may stand further on."""
        if self.before is None or not self.table.carried or not self.before.open:
            return None
        if self.table.carried[0].head in self.before.chain.heads:
            return None
        return self.before.chain.log_id, len(self.before.chain)
