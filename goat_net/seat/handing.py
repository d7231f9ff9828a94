"""A table that is handed over, as a seat's client sees it (PROTOCOL.md, Handing the table over). No I/O.

The host passes on where the match goes on, but cannot make it up: the player who takes the table signs it for the table
that they take over. What goes on there is checked as any carried score is.
"""

from collections.abc import Sequence
from typing import Final

from goat_engine.rules import SEATS, Seat
from goat_net.log.fold import Fold
from goat_net.seat.tableview import NextHost
from goat_net.wire.identity import Signer, is_whole_key, verify
from goat_net.wire.messages import MAX_REACH, HandOver

HAND_OVER_PURPOSE: Final = b"goat hand over v1"
NOBODY: Final = HandOver(len(SEATS), b"", (), b"")
"""Not any more, or not by me."""


def _data(table_key: bytes, next_key: bytes, addresses: Sequence[str]) -> bytes:
    return table_key + next_key + "\n".join(addresses).encode()


def hand_over(
    identity: Signer, seat: Seat, table_key: bytes, next_key: bytes, addresses: Sequence[str]
) -> HandOver:
    """Where this seat's player has opened a table that goes on with the match of another one, signed."""
    texts = tuple(addresses[:MAX_REACH])
    signature = identity.sign(HAND_OVER_PURPOSE, _data(table_key, next_key, texts))
    return HandOver(seat, next_key, texts, signature)


def is_good_hand_over(said: HandOver, key: bytes, table_key: bytes) -> bool:
    """Whether the holder of this key has signed it for this table."""
    if not is_whole_key(said.next_key) or said.next_key == table_key or not said.addresses:
        return False
    return verify(key, said.signature, HAND_OVER_PURPOSE, _data(table_key, said.next_key, said.addresses))


class Handing:
    """What a client knows of the handing over of its table. ``next_host``: for the screen. ``goes_on``: what they
    have signed, once they have agreed, or None."""

    def __init__(self) -> None:
        self.next_host: NextHost | None = None
        self.goes_on: HandOver | None = None
        self.is_ours = False  # it is this client's player who has taken the table

    def offered(self, seat: int, fold: Fold) -> None:
        """This client, the owner's, offers the table to the player of a seat; 4: to nobody any more."""
        if self.goes_on is None:
            self.next_host = NextHost(seat, fold.seats[seat].name, False) if seat < len(SEATS) else None

    def take(self, said: HandOver, fold: Fold, me: Seat | None, table_key: bytes) -> None:
        """What the host passes on; what is not signed by a person's seat of the match, or not for us, is none."""
        if said.seat == len(SEATS):
            self.next_host = self.goes_on = None
        elif fold.seats[said.seat].bot:
            return
        elif not said.next_key:
            if said.seat == me and self.goes_on is None:
                self.next_host = NextHost(me, fold.seats[me].name, False)
        elif is_good_hand_over(said, fold.seats[said.seat].key, table_key):
            self.next_host, self.goes_on = NextHost(said.seat, fold.seats[said.seat].name, True), said
            self.is_ours = said.seat == me
