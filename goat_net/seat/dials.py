"""Where other seats can be dialled, how the dials ended, and who may be called silent (PROTOCOL.md, The second path).

Part of `goat_net.seat.direct`, without I/O: seats are keys here, ``now`` is in seconds of any one clock.
"""

from collections.abc import Callable, Iterable
from typing import Final

from goat_net.wire.messages import Reach

DIAL_AGAIN: Final = 25.0  # s between two dials of the same seat: a line stays open for 20
DIALLED_LATELY: Final = 60.0  # s for which a dial says something about a seat
HEARD_WITHIN: Final = 2.0  # s in which a seat that answers a dial has handed over what it has signed
REACHES: Final = 64  # keys whose addresses are kept: four seats, their bots and watchers of a long evening
_NEVER: Final = (None, float("-inf"))


class Dials:
    """See the module. What is kept of a key goes when there are more than `REACHES`."""

    def __init__(self) -> None:
        self.reaches: dict[bytes, Reach] = {}  # where each seat says it can be dialled, by key
        self._ends: dict[bytes, tuple[bool | None, float]] = {}  # whom we dialled when, and whether they answered
        self._match = b""  # the match to which the next two belong
        self._worked: set[bytes] = set()  # to whom a line of ours has worked in it
        self._tried: set[bytes] = set()  # whom we have dialled in it only to see whether it works
        self._talking: dict[bytes, float] = {}  # since when the line to a seat is there; none that did not answer last

    def take(self, reach: Reach, sits: Callable[[bytes], bool]) -> None:
        """Keep a good `Reach`, unless a newer one of its key is here. Who does not ``sits`` goes first."""
        old = self.reaches.get(reach.key)
        if old is not None and reach.serial <= old.serial:
            return
        self.reaches.pop(reach.key, None)
        self.reaches[reach.key] = reach
        while len(self.reaches) > REACHES:  # a table open for weeks: whoever has no seat and said so first is forgotten
            del self.reaches[next((k for k in self.reaches if not sits(k)), next(iter(self.reaches)))]

    def due(self, wanted: Iterable[bytes], now: float) -> list[Reach]:
        """Whom of those to dial now: each at most once in `DIAL_AGAIN` seconds. They count as being dialled then."""
        out = []
        for key in wanted:
            reach = self.reaches.get(key)
            _, at = self._ends.get(key, _NEVER)
            if reach is not None and now - at >= DIAL_AGAIN:
                self._ends[key] = (None, now)
                out.append(reach)
        return out

    def untried(self, match_id: bytes, keys: Iterable[bytes]) -> bytes | None:
        """The first of those that can be dialled and has not been named here in this match."""
        if self._match != match_id:
            self._match = match_id
            self._worked.clear()
            self._tried.clear()
        for key in keys:
            if key in self.reaches and key not in self._tried:
                self._tried.add(key)
                return key
        return None

    def ended(self, key: bytes, answered: bool, now: float, *, match_id: bytes, by_us: bool = True) -> None:
        """How a dial ended; or (not ``by_us``) the seat itself has dialled us, which says nothing of our way to it."""
        self._ends.pop(key, None)
        self._ends[key] = (answered, now)
        while len(self._ends) > REACHES:
            oldest = next(iter(self._ends))
            del self._ends[oldest]
            self._talking.pop(oldest, None)
        if answered:
            self._talking[key] = now if by_us else self._talking.get(key, now)
        else:
            self._talking.pop(key, None)
        if answered and by_us and match_id and self._match == match_id:
            self._worked.add(key)

    def has_worked(self, key: bytes) -> bool:
        """Whether a line of ours to this seat has worked in this match."""
        return key in self._worked

    def in_vain(self, key: bytes, now: float) -> bool:
        """Whether this seat was dialled just now without an answer."""
        answered, at = self._ends.get(key, _NEVER)
        return answered is False and now - at < DIALLED_LATELY

    def silent(self, key: bytes, now: float) -> bool:
        """Whether this seat was tried just now over a way that has worked in this match, and has had time to hand over
        what it has signed, if it answered at all."""
        answered, at = self._ends.get(key, _NEVER)
        tried = answered is not None and now - at < DIALLED_LATELY
        return key in self._worked and tried and (not answered or now - self._talking[key] >= HEARD_WITHIN)
