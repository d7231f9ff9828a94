"""A table that is handed over: its owner offers it, a player opens a table of their own that goes on with the match.

Part of the table, no I/O (PROTOCOL.md, Handing the table over).
"""

from collections.abc import Iterable, Sequence

from goat_engine.rules import SEATS, Seat
from goat_host.ports import Out, Send
from goat_host.room import Held
from goat_net.log.chain import Record
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.records import Commit
from goat_net.seat.handing import NOBODY, is_good_hand_over
from goat_net.wire.messages import HandOver


class Offer:
    """``asked``: key of the player whom the owner has asked, or empty; ``taken``: what they have signed, once their
    table is open. Each call gives what is to be sent."""

    def __init__(self, table_key: bytes) -> None:
        self._table_key = table_key
        self.asked = b""
        self.taken: HandOver | None = None

    def make(self, said: HandOver, owner: int, seats: Sequence[Held | None], fold: Fold | None) -> list[Out]:
        """The owner, on this connection, offers the table to another, or to nobody any more. There is something to hand
        over while a match is on; who has taken it has it."""
        if self.taken is not None:
            return []
        before = next((h.conn for h in seats if h is not None and h.key == self.asked and h.conn is not None), None)
        out: list[Out] = [] if before is None else [Send(before, NOBODY)]
        held = seats[said.seat] if said.seat < len(SEATS) else None
        on = fold is not None and fold.stage is MatchStage.DEALS
        if not on or held is None or held.bot or held.conn in (None, owner):
            self.asked = b""
            return [*out, Send(owner, NOBODY)]
        assert held.conn is not None
        self.asked = held.key
        return [*out, Send(held.conn, HandOver(said.seat, b"", (), b""))]

    def answer(
        self, said: HandOver, key: bytes, seat: Seat | None, owner: int | None, all_: Iterable[int]
    ) -> list[Out]:
        """The player who was asked has opened their table, and says so to all; or doesn't take this one."""
        if key != self.asked or not key or self.taken is not None:
            return []
        if said.seat == len(SEATS):
            self.asked = b""
            return [] if owner is None else [Send(owner, NOBODY)]
        if said.seat != seat or not is_good_hand_over(said, key, self._table_key):
            return []
        self.taken = said
        return [Send(conn, said) for conn in all_]

    def gone(self, key: bytes, owner: int | None, all_: Iterable[int]) -> list[Out]:
        """Somebody's connection has ended. Whoever was asked is asked no more; whoever has taken the table says so
        again when they are back, if theirs is still open."""
        if key != self.asked or not key:
            return []
        if self.taken is not None:
            return self._nobody(all_)
        self.asked = b""
        return [] if owner is None else [Send(owner, NOBODY)]

    def follow(self, fold: Fold | None, all_: Iterable[int]) -> list[Out]:
        """When the match is over there is nothing to hand over any more."""
        match = fold.match if fold is not None else None
        if not self.asked or match is None or match.goat is None:
            return []
        self.asked = b""
        return self._nobody(all_)

    def _nobody(self, all_: Iterable[int]) -> list[Out]:
        self.taken = None
        return [Send(conn, NOBODY) for conn in all_]

    def is_due(self, fold: Fold, record: Record) -> bool:
        """Whether the table goes over now, instead of entering this record: between two deals, when the last of the
        four goes on to the next one. So no deal is lost by it, and everybody has seen the end of the one before."""
        deal = fold.deal
        if self.taken is None or deal is None or not isinstance(record.body, Commit):
            return False
        return len(deal.commitments) == len(SEATS) - 1 and record.author not in deal.commitments
