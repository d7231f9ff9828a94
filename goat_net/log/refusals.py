"""What a client can show of a host that refuses or withholds good records (PROTOCOL.md, Refusals).

A host can't forge a record, but it could refuse a good one or let it lie. Whoever has the author's exact bytes can
tell: a refusal is held against the fold before it; a record that lies is known to several clients, in the log of none.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

from goat_net.log.chain import ChainError, Record, parse_record
from goat_net.log.faults import FORM_TEXTS, UNANSWERED, FormError, Judged
from goat_net.log.fold import MAX_REFUSALS, Fold
from goat_net.log.records import HOST, Refuse
from goat_net.wire.codec import WireError
from goat_net.wire.messages import NewEntry

OVERDUE: Final = 10.0  # s a record may be known to a client before it is in the log: many times any delay of a network


class UnprovenError(Exception):
    """A refusal that is right, or bytes that are not the record which was refused: nothing is shown."""


class FalselyRefused(ChainError):  # noqa: N818 - what the host did
    """The host has refused a record falsely. ``raw``: its exact bytes, which together with the log show it;
    ``seat``: whose it is."""

    def __init__(self, number: int, text: str, seat: int, raw: bytes) -> None:
        super().__init__(number, text)
        self.seat, self.raw = seat, raw


@dataclass(frozen=True, slots=True)
class FalseRefusal:
    """A refusal that is the host's own offence: the entry it stands in, the record, the reason that the host gave (a
    number of `FormError`), and what the record was in truth: good, an offence, or a form error of another kind."""

    number: int
    refusal: Refuse
    record: Record
    judged: Judged

    @property
    def text(self) -> str:
        """What the host did, as a clause that ends with "refused ..."."""
        if self.record.author != self.refusal.seat:
            return f"the host refused a record of seat {self.record.author} as one of seat {self.refusal.seat}"
        if self.judged.form is not None:
            return f"the host refused a record for a reason that is not so ({self.judged.form.name} is)"
        if self.judged.fault is not None:
            return f"the host refused a record that was to be entered (it {self.judged.fault.value})"
        return "the host refused a record that was good"


def refused_in(entry: NewEntry) -> Refuse | None:
    """The refusal that an entry is said to be; unchecked."""
    try:
        record = parse_record(entry.record)
    except WireError:
        return None
    return record.body if record.author == HOST and isinstance(record.body, Refuse) else None


def examine(before: Fold, entry: NewEntry, raw: bytes) -> FalseRefusal:
    """The false refusal that this next entry of a log is, by the refused record's bytes. Raises UnprovenError with the
    reason in words, and ChainError when the entry cannot be the next one at all: that the log shows alone."""
    record, _ = before.check(entry)
    if record.author != HOST or not isinstance(record.body, Refuse):
        raise UnprovenError(f"entry {entry.number} refuses nothing")
    return _false(before, entry.number, record.body, raw)


def _false(before: Fold, number: int, refusal: Refuse, raw: bytes) -> FalseRefusal:
    if hashlib.sha256(raw).digest() != refusal.record:
        raise UnprovenError(f"the record in it is not the one that entry {number} refuses: its hash is another")
    try:
        record = parse_record(raw)
    except WireError as error:
        raise UnprovenError(f"what was refused is no record ({error}): nothing of a seat's was") from error
    if not before.knows(record):
        raise UnprovenError("what was refused is no record of this protocol: nothing of a seat's was")
    if not _signed(before, record):
        raise UnprovenError("the refused record is not signed by its seat: nothing of a seat's was refused")
    judged = before.judge(record)
    if record.author == refusal.seat and judged.form is not None and int(judged.form) == refusal.reason:
        why = FORM_TEXTS[FormError(refusal.reason)]
        raise UnprovenError(f"entry {number} refuses that record rightly: {why}")
    return FalseRefusal(number, refusal, record, judged)


def false_refusal(before: Fold, refusal: Refuse, raw: bytes) -> str | None:
    """Why this refusal is the host's own offence, or None when it is right, or when these bytes are not the record that
    was refused. ``before``: the fold of the log up to the refusal; ``raw``: the refused record's exact bytes."""
    try:
        return _false(before, len(before.chain), refusal, raw).text
    except UnprovenError:
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


def _signed(fold: Fold, record: Record) -> bool:
    """Whether a seat has signed this record."""
    return record.author != HOST and bool(fold.seats) and record.signed_by(fold.seats[record.author].key)


def _good(fold: Fold, raw: bytes) -> Record | None:
    """The record of a seat, if it is one and signed by that seat."""
    try:
        record = parse_record(raw)
    except WireError:
        return None
    return record if fold.knows(record) and _signed(fold, record) else None


def is_answered(fold: Fold, record: Record) -> bool:
    """Whether the host is to enter this record of a seat now, or to refuse it: also what fits no more, since its author
    signs nothing else before. Not what is of another log or counter, and no refusal beyond the last that may stand."""
    if not fold.open:
        return False
    seat, reason = record.author, fold.judge(record).form
    if reason is None:
        return True
    next_one = record.match_id == fold.id and record.counter == fold.counters[seat] and reason not in UNANSWERED
    return next_one and fold.refusals[seat] < MAX_REFUSALS


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
        """Remember a record that a seat has signed; False when it is none that the host would answer now."""
        record = _good(fold, raw)
        if record is None or not is_answered(fold, record):
            return False
        known = self._known.get(record.author)
        if known is None or known.record.digest != record.digest:
            self._known[record.author] = _Known(record, now)
        return True

    def held(self, fold: Fold) -> tuple[bytes, ...]:
        """The records known here that the host has still to answer: whoever is asked for them hands them on."""
        return tuple(k.record.raw for k in self._known.values() if is_answered(fold, k.record))

    def holds(self, fold: Fold, seat: int) -> bool:
        """Whether a record of this seat is known here that the host has still to answer."""
        known = self._known.get(seat)
        return known is not None and is_answered(fold, known.record)

    def refused(self, fold: Fold, entry: NewEntry) -> None:
        """Hold a refusal, the next entry of the log, against what is known here. Raises FalselyRefused; ChainError for
        an entry that cannot stand."""
        refusal = refused_in(entry) if self._known else None
        digest = refusal.record if refusal is not None else b""
        known = next((k for k in self._known.values() if k.record.digest == digest), None)
        if known is None:
            return
        try:
            shown = examine(fold, entry, known.record.raw)
        except UnprovenError:
            return
        raise FalselyRefused(entry.number, shown.text, shown.record.author, known.record.raw)

    def overdue(self, fold: Fold, now: float) -> tuple[Record, ...]:
        """Records that lie too long, neither entered nor refused. That is the host's offence if it is there at all
        (other entries or its heartbeat come)."""
        for seat, known in list(self._known.items()):
            if not is_answered(fold, known.record):
                del self._known[seat]  # entered or refused
        return tuple(k.record for _, k in sorted(self._known.items()) if now - k.since >= OVERDUE)
