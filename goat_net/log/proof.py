"""Saved matches checked without the table, and proofs of a cheat or a fork as small files (PROTOCOL.md, Saved matches
and proofs).

A cheat is proven by the log up to the entries that show it, so its proof is a log file like any other. A fork is two
entries that the host signed for one number, together with what ties its key to the match. A false refusal is a log up
to the refusal, together with the record that was refused.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final

from goat_engine.rules import SEATS
from goat_net.log.chain import (
    FILE_HEADER,
    ChainError,
    LogFileError,
    Record,
    entry_signed,
    file_bytes,
    log_id_of,
    next_head,
    parse_record,
    read_file,
)
from goat_net.log.faults import Fault, Offence
from goat_net.log.first_entry import match_id_of
from goat_net.log.fold import Finished, Fold, MatchStage, author_name
from goat_net.log.records import BODIES, HOST, Table, Verdict
from goat_net.log.refusals import FalseRefusal, UnprovenError, examine
from goat_net.log.statutes import STATUTES
from goat_net.log.succession import Flaw, succession
from goat_net.wire.codec import Bytes, Int, Many, Registry, WireError, pack, unpack
from goat_net.wire.framing import FrameError, FrameReader, frame
from goat_net.wire.messages import Hash, NewEntry, Signature

MAX_FILE: Final = 64 << 20  # bytes of a file that are read: a match of 40 deals has 2 MB
PROOF_HEADER: Final = frame(pack([0, "goat proof", 1]))

PROOFS: Final = Registry("proof")


@PROOFS.kind(1)
@dataclass(frozen=True, slots=True)
class Fork:
    """First frame of a fork's proof: the table's record, the four nonces by seat (none when the entries came before
    there was a match id), and the number that two entries have."""

    table_record: Annotated[bytes, Bytes(1, 8192)]
    nonces: Annotated[tuple[bytes, ...], Many(Bytes(32), 0, 4)]
    number: Annotated[int, Int(0, 1_000_000)]


@PROOFS.kind(2)
@dataclass(frozen=True, slots=True)
class Branch:
    """Second and third frame: one of the two entries. ``before``: the head that it stands on."""

    before: Hash
    record: Annotated[bytes, Bytes(1, 8192)]
    signature: Signature

    @property
    def head(self) -> bytes:
        """The head that the host signed."""
        return next_head(self.before, self.record)


@PROOFS.kind(3)
@dataclass(frozen=True, slots=True)
class RefusedRecord:
    """First frame of a false refusal's proof: the refused record's exact bytes. The entries of the log follow, from
    entry 0 to the refusal, as in a saved match"""

    record: Annotated[bytes, Bytes(1, 8192)]


@PROOFS.kind(4)
@dataclass(frozen=True, slots=True)
class CarriedBy:
    """First frame of a false score's proof: entry 0 of the log that carries the score on. The entries of the log before
    follow, from entry 0 on, as in a saved match"""

    record: Annotated[bytes, Bytes(1, 8192)]
    signature: Signature


class ProofError(Exception):
    """A proof that proves nothing: damaged, or made up."""


@dataclass(frozen=True, slots=True)
class ForkProof:
    """Two entries that the host of a match signed for one number."""

    fork: Fork
    branches: tuple[Branch, Branch]

    @property
    def table(self) -> Table:
        """The table's record. Raises ProofError when it is none."""
        try:
            record = parse_record(self.fork.table_record)
        except WireError as error:
            raise ProofError(f"the table's record cannot be read: {error}") from error
        table = record.body
        if record.author != HOST or not isinstance(table, Table) or not record.signed_by(table.table_key):
            raise ProofError("the table's record is not signed by the table's key")
        return table

    @property
    def id(self) -> bytes:
        """The id that both entries were signed under: the match id, or the log's before there was one."""
        table = self.table
        if self.fork.nonces:
            return match_id_of(self.fork.table_record, list(self.fork.nonces))
        return log_id_of(table.table_key, table.salt, table.fresh)

    def check(self) -> None:
        """ProofError when this does not prove a fork."""
        if len(self.fork.nonces) not in (0, 4):
            raise ProofError("a match id has four nonces")
        one, other = self.branches
        if one.head == other.head:
            raise ProofError("both entries are the same")
        key, match_id = self.table.table_key, self.id
        for branch in self.branches:
            entry = NewEntry(self.fork.number, branch.record, branch.signature)
            if not entry_signed(entry, key, match_id, branch.head):
                raise ProofError("the table's key has not signed both entries")

    def to_bytes(self) -> bytes:
        """The file."""
        return PROOF_HEADER + b"".join(frame(PROOFS.encode(part)) for part in (self.fork, *self.branches))


@dataclass(frozen=True, slots=True)
class RefusalProof:
    """A false refusal, and the log before it."""

    fold: Fold
    shown: FalseRefusal


@dataclass(frozen=True, slots=True)
class CarryProof:
    """A score that a host carries on falsely: the log before, the table's record of the log after it, the flaw."""

    before: Fold
    table: Table
    flaw: Flaw


def read_proof(data: bytes) -> ForkProof | RefusalProof | CarryProof:
    """The proof in a file that begins with PROOF_HEADER, checked. Raises ProofError."""
    start = len(PROOF_HEADER)
    size = int.from_bytes(data[start + 1 : start + 3], "big") + 3
    try:
        first = [PROOFS.decode(content) for content in FrameReader().feed(data[start : start + size])]
    except (FrameError, WireError) as error:
        raise ProofError(f"it cannot be read: {error}") from error
    if first and isinstance(first[0], RefusedRecord):
        return _read_refusal(first[0].record, FILE_HEADER + data[start + size :])
    if first and isinstance(first[0], CarriedBy):
        return _read_carry(first[0], FILE_HEADER + data[start + size :])
    return read_fork(data)


def _read_refusal(raw: bytes, log: bytes) -> RefusalProof:
    try:
        entries = list(read_file(log))
        fold = Fold()
        for entry in entries[:-1]:
            fold.take(entry)
        if fold.table is None:
            raise ProofError("it is cut off")
        return RefusalProof(fold, examine(fold, entries[-1], raw))
    except ChainError as error:
        raise ProofError(f"the log in it is not good: {error}") from error
    except UnprovenError as error:
        raise ProofError(str(error)) from error


def _read_carry(by: CarriedBy, log: bytes) -> CarryProof:
    before, after = Fold(), Fold()
    try:
        after.take(NewEntry(0, by.record, by.signature))
        for entry in read_file(log):
            before.take(entry)
    except ChainError as error:
        raise ProofError(f"a log in it is not good: {error}") from error
    assert after.table is not None
    shown = succession(before, after.table)
    if shown is None:
        raise ProofError("the log in it is not the match whose score is carried on")
    if shown.flaw is None:
        raise ProofError("the score is carried on rightly, as far as that log goes")
    return CarryProof(before, after.table, shown.flaw)


def carry_proof(before: Sequence[NewEntry], first: NewEntry) -> bytes:
    """The file for a score that is carried on falsely: entry 0 of the log that does so, and the log before it."""
    log = file_bytes(before)[len(FILE_HEADER) :]
    return PROOF_HEADER + frame(PROOFS.encode(CarriedBy(first.record, first.signature))) + log


def refusal_proof(entries: Sequence[NewEntry], refusal: NewEntry, raw: bytes) -> bytes:
    """The file for a false refusal: all entries before it, the refusal, and the refused record's bytes."""
    log = file_bytes([*entries, refusal])[len(FILE_HEADER) :]
    return PROOF_HEADER + frame(PROOFS.encode(RefusedRecord(raw))) + log


def entry_proof(fold: Fold, entry: NewEntry) -> bytes:
    """The file for an entry that cannot stand as the next one: the log and that entry; empty when the host has not
    signed it, and so nothing is shown."""
    return file_bytes([*fold.chain.entries, entry]) if _signed_here(fold, entry) else b""


def fork_proof(fold: Fold, entry: NewEntry) -> bytes:
    """The file for another entry under a number that is taken; empty when the host has not signed both."""
    number = entry.number
    if not 0 <= number < len(fold.chain):
        return b""
    own = fold.chain.entries[number]
    before = fold.chain.heads[number]
    branches = Branch(before, own.record, own.signature), Branch(before, entry.record, entry.signature)
    whole = tuple(fold.nonces[s] for s in sorted(fold.nonces))
    for nonces in {whole if len(whole) == len(SEATS) else (), ()}:  # the id is another once all nonces are there
        proof = ForkProof(Fork(fold.chain.entries[0].record, nonces, number), branches)
        try:
            proof.check()
        except ProofError:
            continue
        return proof.to_bytes()
    return b""


def read_fork(data: bytes) -> ForkProof:
    """The proof of a fork, checked. Raises ProofError."""
    try:
        parts = [PROOFS.decode(content) for content in FrameReader().feed(data[len(PROOF_HEADER) :])]
    except (FrameError, WireError) as error:
        raise ProofError(f"it cannot be read: {error}") from error
    if [type(part) for part in parts] != [Fork, Branch, Branch]:
        raise ProofError("it is cut off")
    proof = ForkProof(parts[0], (parts[1], parts[2]))
    if proof.to_bytes() != data:
        raise ProofError("there is more in it than a proof")
    proof.check()
    return proof


@dataclass(slots=True)
class Checked:
    """A saved match after its check. ``records``: of the entries that are good; ``deals``: in which deal each stands,
    whatever its author says; ``ids``: the id each was signed under.
    ``fault``: where the file is no longer good; ``bad``: the entry there, if it could be read; ``by_host``: whether
    the host signed it at this very place, so that the fault is the host's and no damage."""

    fold: Fold = field(default_factory=Fold)
    records: list[Record] = field(default_factory=list)
    deals: list[int] = field(default_factory=list)
    ids: list[bytes] = field(default_factory=list)
    fault: ChainError | None = None
    bad: NewEntry | None = None
    by_host: bool = False

    @property
    def signed(self) -> list[NewEntry]:
        """Entries that the host signed, a wrong last one included."""
        bad = [self.bad] if self.bad is not None and self.by_host else []
        return [*self.fold.chain.entries, *bad]

    @property
    def offences(self) -> list[tuple[int, Offence]]:
        """Proven offences with the number of their deal (0: before the first), lowest entry first."""
        found = {(done.deal.number, o) for done in self.fold.finished for o in _of(done)}
        found |= {(self.deals[o.entry], o) for o in self.fold.offences}
        if self.fold.deal is not None:
            found |= {(self.fold.deal.number, o) for o in self.fold.deal.offences}
        once = {(o.entry, o.seat): (deal, o) for deal, o in sorted(found, key=lambda x: x[0], reverse=True)}
        return [once[key] for key in sorted(once)]

    @property
    def cheated(self) -> bool:
        """Whether the file proves a cheat, a seat's or the host's."""
        return self.by_host or bool(self.offences)

    @property
    def closed(self) -> bool:
        """Whether the log has its closing entry."""
        return self.fold.stage is MatchStage.ENDED

    def entries_of(self, deal: int) -> list[int]:
        """Numbers of the entries of a deal, its verdicts included."""
        return [number for number, stands_in in enumerate(self.deals) if stands_in == deal]


def _of(done: Finished) -> Iterator[Offence]:
    yield from done.deal.offences
    if done.outcome.blame is not None:
        yield done.outcome.blame


def check_file(data: bytes) -> Checked:
    """Fold a saved match from its bytes. Raises LogFileError when it is none; damage and a host's fault are in what is
    returned, with everything that was good before."""
    checked = Checked()
    try:
        for entry in read_file(data):
            _take(checked, entry)
            if checked.fault is not None:
                break
    except ChainError as error:
        checked.fault = error
    if not checked.records and checked.fault is None:
        raise LogFileError("this saved match is empty: it was closed before the first entry was written")
    return checked


def _take(checked: Checked, entry: NewEntry) -> None:
    fold = checked.fold
    id_before, number = fold.id, fold.deal.number if fold.deal else 0
    try:
        record, judged = fold.take(entry)
    except ChainError as error:
        _check_version(entry)
        checked.fault, checked.bad = error, entry
        checked.by_host = _signed_here(fold, entry)
        return
    checked.records.append(record)
    about = isinstance(record.body, Verdict) and judged.fault in (None, Fault.FALSE_VERDICT)
    checked.deals.append(record.deal if about else number)
    checked.ids.append(id_before or fold.id)


def _check_version(entry: NewEntry) -> None:
    """LogFileError when a log's first entry names another protocol."""
    if entry.number != 0:
        return
    try:
        value = unpack(entry.record)
    except WireError:
        return
    body = value[6] if isinstance(value, list) and len(value) == 8 else None
    if not isinstance(body, list) or len(body) < 2 or body[0] != BODIES.number(Table) or type(body[1]) is not int:
        return
    if body[1] not in STATUTES:
        known = ", ".join(map(str, STATUTES))
        raise LogFileError(f"this match was played with protocol {body[1]}, and this program reads {known}")


def _signed_here(fold: Fold, entry: NewEntry) -> bool:
    """Whether the host signed this entry as the next one of this very log."""
    if entry.number != len(fold.chain):
        return False
    if fold.table is not None:
        return entry_signed(entry, fold.table.table_key, fold.id, next_head(fold.chain.head, entry.record))
    return False  # without a good table's record nothing says whose log this is


def cheat_proof(checked: Checked) -> bytes | None:
    """The log up to and including what proves the first cheat in it, as a file; None when there is none. A deal that
    is over is kept whole, with its openings and verdicts."""
    if checked.offences:
        deal, first = checked.offences[0]
        end = max([first.entry, *checked.entries_of(deal)]) + 1
        return file_bytes(checked.fold.chain.entries[:end])
    return file_bytes(checked.signed) if checked.by_host else None


def find_fork(one: Checked, other: Checked) -> ForkProof | None:
    """The fork between two copies of one log, or None when one goes on where the other ends."""
    if one.fold.chain.log_id != other.fold.chain.log_id:
        return None
    for number, (a, b) in enumerate(zip(one.signed, other.signed, strict=False)):
        if a.record != b.record:
            return _fork_at(one, number, a, b)
    return None


def _fork_at(one: Checked, number: int, a: NewEntry, b: NewEntry) -> ForkProof:
    fold = one.fold
    at = one.ids[number] if number < len(one.ids) else fold.id
    nonces = tuple(fold.nonces[s] for s in range(4)) if at != fold.chain.log_id else ()
    before = fold.chain.heads[number]
    fork = Fork(fold.chain.entries[0].record, nonces, number)
    return ForkProof(fork, (Branch(before, a.record, a.signature), Branch(before, b.record, b.signature)))


def culprit(author: int, names: Sequence[str]) -> str:
    """An author in words, with the name where there is one."""
    return f"seat {author} ({names[author]})" if author < len(names) else author_name(author)

