"""Fair shares among those who come from the network: who stands for whom, who makes room, how often. No I/O."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar


def origin(address: str) -> str:
    """Whom an address stands for: itself, in one spelling. Not its /64, which all of a local network share."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ip)


@dataclass(slots=True)
class Bucket:
    """Lets ``burst`` through at once and ``rate`` a second after that. It is full at the beginning."""

    burst: float
    rate: float
    _used: float = field(default=0.0, init=False)
    _at: float = field(default=float("-inf"), init=False)

    def take(self, now: float, cost: float = 1.0) -> bool:
        """Whether this one is let through; what is not costs nothing."""
        if self._used:
            self._used = max(0.0, self._used - max(0.0, now - self._at) * self.rate)
        self._at = max(self._at, now)
        if self._used + cost > self.burst:
            return False
        self._used += cost
        return True

    def wait(self, now: float, cost: float = 1.0) -> float:
        """Seconds until so much is let through; 0 when it is now. ``cost`` is at most ``burst``."""
        used = max(0.0, self._used - max(0.0, now - self._at) * self.rate)
        return max(0.0, used + cost - self.burst) / self.rate

    def is_full(self, now: float) -> bool:
        """Whether it is as it was at the beginning: then it need not be kept."""
        return self._used <= max(0.0, now - self._at) * self.rate


@dataclass(slots=True)
class Buckets:
    """A bucket for each origin, at most ``most`` of them: those that are full again are forgotten first, then the one
    that was used first."""

    burst: float
    rate: float
    most: int
    _by_origin: dict[str, Bucket] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self._by_origin)

    def take(self, where: str, now: float) -> bool:
        """Whether one more from there is let through."""
        bucket = self._by_origin.get(where)
        if bucket is None:
            if len(self._by_origin) >= self.most:
                self._forget(now)
            bucket = self._by_origin[where] = Bucket(self.burst, self.rate)
        return bucket.take(now)

    def _forget(self, now: float) -> None:
        for where in [w for w, b in self._by_origin.items() if b.is_full(now)]:
            del self._by_origin[where]
        while len(self._by_origin) >= self.most:
            del self._by_origin[next(iter(self._by_origin))]


class Placed(Protocol):
    """Something that has a place and came from somewhere."""

    @property
    def where(self) -> str:
        """Its origin."""

    @property
    def begun(self) -> bool:
        """Whether it has said anything."""


P = TypeVar("P", bound=Placed)


def one_to_drop(placed: Iterable[P], where: str) -> P:
    """Which of these (oldest first, at least one) makes room for one from there: one of the same origin if there is
    one, so that a crowd from one machine shuts out nobody else; of them one that has said nothing yet, so that idle
    sockets don't push out a guest who is about to join; of them the oldest."""
    candidates = list(placed)
    candidates = [one for one in candidates if one.where == where] or candidates
    return next((one for one in candidates if not one.begun), candidates[0])
