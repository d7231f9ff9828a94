"""Who is connected to a table's server, from the moment a socket was accepted (PROTOCOL.md, Bounds)."""

import socket
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from goat_host.limits import Allowance
from goat_net.wire.stream import Connection


@dataclass(slots=True, eq=False)
class Caller:
    """A connection. ``where``: its origin (`goat_net.wire.fairness.origin`). ``begun``: something has come from it.
    ``connection``: once TLS is there. ``joined``: the table has been told of it. ``allowance``: what it may still ask
    of the table."""

    number: int
    where: str
    sock: socket.socket
    since: float
    begun: bool = False
    connection: Connection | None = None
    joined: bool = False
    allowance: Allowance = field(default_factory=Allowance)


@dataclass(slots=True)
class Callers:
    """Callers by number, oldest first, in the three rooms they go through."""

    waiting: dict[int, Caller] = field(default_factory=dict)
    joining: dict[int, Caller] = field(default_factory=dict)
    guests: dict[int, Caller] = field(default_factory=dict)

    def forget(self, number: int) -> None:
        """This one has gone, or goes into another room."""
        for room in (self.waiting, self.joining, self.guests):
            room.pop(number, None)

    def unproven(self) -> list[Caller]:
        """Those whom nobody knows yet."""
        return [*self.waiting.values(), *self.joining.values()]

    def is_guest_from(self, where: str) -> bool:
        """Whether somebody from there is in."""
        return any(guest.where == where for guest in self.guests.values())


def crowd(idle: Iterable[Caller], where: str) -> Caller | None:
    """Who makes room for a newcomer from there, among guests without a seat (oldest first), when no more of them may
    be in: the newest of the origin that has most of them, when it has at least two more than the newcomer's. So one
    machine, or a few, can fill no table; None when everybody has a fair share."""
    guests = list(idle)
    counts = Counter(guest.where for guest in guests)
    if not counts:
        return None
    most, count = counts.most_common(1)[0]
    if count < counts[where] + 2:
        return None
    return next(guest for guest in reversed(guests) if guest.where == most)
