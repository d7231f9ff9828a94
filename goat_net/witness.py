"""What a client can show of a host that refuses or withholds good records (PROTOCOL.md, Refusals).

A host can't forge a record, but he could refuse a good one or let it lie. Whoever has the author's exact bytes can
tell: a refusal is held against the fold before it; a record that lies is known to several clients, in the log of none.
"""

from dataclasses import dataclass
from typing import Final

from goat_net.codec import WireError
from goat_net.fold import Fold
from goat_net.log import ChainError, Record, parse_record
from goat_net.records import HOST, Refuse

OVERDUE: Final = 10.0  # s a record may be known to a client before it is in the log: many times any delay of a network


def false_refusal(before: Fold, refusal: Refuse, raw: bytes) -> str | None:
    """Why this refusal is the host's own offence, or None when it is right, or when these bytes are not the record that
    was refused. ``before``: the fold of the log up to the refusal; ``raw``: the refused record's exact bytes."""
    record = _good(before, raw)
    if record is None or record.digest != refusal.record:
        return None
    judged = before.judge(record)
    if judged.form is None:
        return "the host refused a record that was good"
    if int(judged.form) != refusal.reason:
        return f"the host refused a record for a reason that is not so ({judged.form.name} is)"
    return None


def shown_refusal(whole: Fold, number: int, raw: bytes) -> str | None:
    """`false_refusal` for the refusal at entry ``number`` of a log that has gone on since. Raises ChainError when that
    entry is no refusal."""
    before = Fold(whole.table_key)
    for entry in whole.chain.entries[:number]:
        before.take(entry)
    entries = whole.chain.entries[number : number + 1]
    body = parse_record(entries[0].record).body if entries else None
    if not isinstance(body, Refuse):
        raise ChainError(number, "this entry refuses nothing")
    return false_refusal(before, body, raw)


def _good(fold: Fold, raw: bytes) -> Record | None:
    """The record of a seat, if it is one and signed by that seat."""
    try:
        record = parse_record(raw)
    except WireError:
        return None
    if record.author == HOST or not fold.seats or not record.signed_by(fold.seats[record.author].key):
        return None
    return record


@dataclass(frozen=True, slots=True)
class _Known:
    record: Record
    since: float


class Witness:
    """Records this client knows of and the log does not show: its own that are on their way, and those that their
    authors passed on to it. One a seat, the next one by its counter: that bounds it. No I/O, ``now`` in seconds."""

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}

    def note(self, fold: Fold, raw: bytes, now: float) -> bool:
        """Remember a record that a seat has signed; False when it is none that could be entered now."""
        record = _good(fold, raw)
        if record is None or fold.judge(record).form is not None:
            return False
        known = self._known.get(record.author)
        if known is None or known.record.digest != record.digest:
            self._known[record.author] = _Known(record, now)
        return True

    def overdue(self, fold: Fold, now: float) -> tuple[Record, ...]:
        """Records that lie too long: still good, neither entered nor refused. That is the host's offence if he is there
        at all (other entries or his heartbeat come)."""
        for seat, known in list(self._known.items()):
            if not fold.open or fold.judge(known.record).form is not None:
                del self._known[seat]  # entered, refused, or no longer fitting
        return tuple(k.record for _, k in sorted(self._known.items()) if now - k.since >= OVERDUE)
