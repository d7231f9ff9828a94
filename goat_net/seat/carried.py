"""A score that a log carries on, held against the match before as far as it is here (PROTOCOL.md, Carried scores).

A chair has one, without I/O. What is missing of the match before is asked of the table; what the table lacks of one
that was played here is handed in.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final, TypeAlias

from goat_net.log.chain import ChainError, batch
from goat_net.log.fold import Fold
from goat_net.seat.endings import HostFault
from goat_net.seat.terms import FETCH_WITHIN, Agreement, Past, Terms
from goat_net.wire.messages import NewEntry, PastEntry, Read

PLAYED: Final = 4  # logs of one table that are kept in memory after they have ended: a score goes on from the last
PastMessage: TypeAlias = Read | PastEntry
"""What is said of the match before: how much is here, and what the other side lacks."""


def carried_by(fold: Fold) -> tuple[bytes, ...]:
    """The match whose score a log carries on, or nothing."""
    return tuple(one.match_id for one in fold.table.carried) if fold.table else ()


class CarriedScore:
    """See the module. ``terms``: what the seat is asked to agree to, None while no score goes on; ``decide_at``: before
    this nothing is agreed to, for what is missing may still come."""

    def __init__(self, saved: Past) -> None:
        self._saved = saved
        self._played: deque[Fold] = deque(maxlen=PLAYED)
        self._agreement: Agreement | None = None
        self.terms: Terms | None = None
        self.decide_at = 0.0

    def next_log(self, before: Fold | None) -> None:
        """Another log is opened; ``before`` is the one that was open until now."""
        if before is not None and before.match is not None:
            self._played.append(before)
        self._agreement, self.terms, self.decide_at = None, None, 0.0

    def begin(self, fold: Fold, now: float) -> Sequence[PastMessage]:
        """The first record of a log is here: hold its score against the match before. Returns what to ask the table.
        Raises HostFault when the score is not that of the match before."""
        table = fold.table
        if table is None or not table.carried:
            return []
        match_id = table.carried[0].match_id
        before = next((one for one in reversed(self._played) if one.id == match_id), None)
        before = before or self._saved.of_match(match_id)
        heirs = set(self._saved.heirs(match_id))
        heirs |= {f.chain.log_id for f in self._played if match_id in carried_by(f)}
        forked = bool(heirs - {fold.chain.log_id})
        self._agreement = Agreement(fold.chain.entries[0], table, before, forked)
        lacks = self._agreement.lacks
        self._decide(self._agreement, now if lacks is None else now + FETCH_WITHIN)
        return [] if lacks is None else [Read(*lacks)]

    def _decide(self, agreement: Agreement, at: float) -> None:
        if agreement.flaw is not None:
            raise HostFault(
                f"The host carries on a score that {agreement.flaw}, so the match cannot go on; nothing was signed",
                agreement.proof,
            )
        self.terms, self.decide_at = agreement.terms, at

    def take(self, past: PastEntry, now: float) -> None:
        """An entry of the match before that was missing here. One that does not follow is the host's own affair: then
        the score stays what cannot be checked. Raises HostFault when the score turns out to be another."""
        agreement = self._agreement
        lacks = None if agreement is None else agreement.lacks
        if agreement is None or agreement.before is None or lacks != (past.log_id, past.number):
            return
        try:
            agreement.before.take(NewEntry(past.number, past.record, past.signature))
        except ChainError:
            return
        if agreement.lacks is None:
            self._decide(agreement, now)

    def read(self, log_id: bytes, start: int) -> Sequence[PastMessage]:
        """The table says how much it has of a match that is to go on there, or that went on here: what to answer."""
        lacks = None if self._agreement is None else self._agreement.lacks
        if lacks is not None and lacks[0] == log_id:
            return [Read(*lacks)] if start > lacks[1] else []
        here = [fold for fold in self._played if fold.chain.log_id == log_id]
        fold = here[-1] if here else self._saved.of_log(log_id)
        if fold is None or start >= len(fold.chain):
            return []
        return [PastEntry(log_id, e.number, e.record, e.signature) for e in batch(fold.chain, start)]
