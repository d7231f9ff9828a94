"""The log's keeper: the one that appends to the log that is on, writes it down and sends it (PROTOCOL.md, The log).

Pure. It enters what it is given: what may be entered, and when, is decided elsewhere. An entry is put out for the
journal before it is put out for anybody else, and what a fault of ours leaves half-way can be made again from there.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from goat_host.people import Guest
from goat_host.ports import Journal, Out, Send
from goat_net.log.chain import (
    FILE_HEADER,
    ChainError,
    Record,
    entry_bytes,
    genesis,
    log_id_of,
    make_record,
    sign_entry,
)
from goat_net.log.faults import Judged
from goat_net.log.fold import Fold
from goat_net.log.records import HOST, Nonce, Open, Table
from goat_net.wire.identity import Identity
from goat_net.wire.messages import NewEntry

_SYNCED: Final = (Nonce, Open)  # what a match cannot do without after a power cut is written through to the disk


class LogKeeper:
    """``fold``: the log that is on, or None before the first; ``guests``: who is here, of whom those with a
    ``read_from`` are sent entries; ``witnessed``: whether somebody sees the log who could miss an entry that a power
    cut takes away; ``put``: takes what is to be done."""

    def __init__(
        self, identity: Identity, guests: Callable[[], Iterable[Guest]], witnessed: Callable[[], bool],
        put: Callable[[Out], None],
    ) -> None:  # fmt: skip
        self._identity, self._guests, self._witnessed, self._put = identity, guests, witnessed, put
        self.fold: Fold | None = None
        self._written = 0  # entries that are in the journal
        self._half_done = False  # one more is on its way there

    def resume(self, fold: Fold) -> None:
        """Go on with a log that is in the journal."""
        self.fold, self._written = fold, len(fold.chain)

    def new_log(self, body: Table) -> Fold:
        """A log with this first record, which is not the one that is on before `begin`. Raises ChainError when the fold
        refuses it."""
        log_id = log_id_of(self._identity.public, body.salt, body.fresh)
        fold, head = Fold(self._identity.public), genesis(log_id)
        raw = make_record(self._identity, log_id, 0, HOST, 0, 0, head, body)
        fold.take(sign_entry(self._identity, log_id, 0, head, raw))
        return fold

    def begin(self, fold: Fold) -> None:
        """Go on in this new log: everybody reads it from its first entry on, which `send_missed` sends."""
        guests, (entry,) = list(self._guests()), fold.chain.entries
        self._put(Journal(fold.chain.log_id, FILE_HEADER + entry_bytes(entry), True))
        self.fold, self._written = fold, 1
        for guest in guests:
            guest.read_from = 0

    def write(self, body: Any) -> None:
        """Enter a record of the host's own."""
        fold = self._log()
        number = fold.deal.number if fold.deal else 0
        chain = fold.chain
        raw = make_record(self._identity, fold.id, number, HOST, fold.counters[HOST], len(chain), chain.head, body)
        entry = sign_entry(self._identity, fold.id, len(chain), chain.head, raw)
        self._half_done = True
        fold.take(entry)
        self._publish(entry, sync=True)
        self._half_done = False

    def enter(self, record: Record, judged: Judged) -> None:
        """Enter a seat's record, which the log has judged to stand."""
        fold = self._log()
        entry = sign_entry(self._identity, fold.id, len(fold.chain), fold.chain.head, record.raw)
        self._half_done = True
        fold.enter(entry, record, judged)
        self._publish(entry, sync=isinstance(record.body, _SYNCED))
        self._half_done = False

    def adopt(self, entry: NewEntry) -> None:
        """Enter what this table had signed and lost, and somebody still has. Raises ChainError, and changes nothing,
        when it is no next entry of this log."""
        self._half_done = True
        try:
            self._log().take(entry)
        except ChainError:
            self._half_done = False  # it leaves the fold as it was
            raise
        self._publish(entry, sync=True)
        self._half_done = False

    def _log(self) -> Fold:
        assert self.fold is not None
        return self.fold

    def _publish(self, entry: NewEntry, *, sync: bool) -> None:
        fold = self._log()
        sync = sync or self._witnessed()
        self._put(Journal(fold.chain.log_id, entry_bytes(entry), sync))
        self._written = entry.number + 1
        # Whom the table waits for now hears first: on one machine the others' checks would take its processor.
        waited = fold.waits_for()
        for guest in sorted(self._guests(), key=lambda g: g.seat not in waited):
            if guest.read_from is not None:
                self._put(Send(guest.conn, entry))
                guest.read_from = entry.number + 1

    def send_missed(self) -> None:
        """Send the entries that are written to whoever reads along and has not been sent them."""
        fold = self._log()
        for guest in self._guests():
            while guest.read_from is not None and guest.read_from < self._written:
                self._put(Send(guest.conn, fold.chain.entries[guest.read_from]))
                guest.read_from += 1

    def recover(self) -> None:
        """After a fault of this program in the middle of something: the log is what is written, and everybody gets
        that."""
        if self.fold is None:
            return
        if self._half_done or len(self.fold.chain) != self._written:
            again = Fold(self._identity.public)
            for entry in self.fold.chain.entries[: self._written]:
                again.take(entry)
            self.fold, self._half_done = again, False
        self.send_missed()
