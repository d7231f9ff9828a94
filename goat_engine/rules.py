"""House choices and scoring (RULES.md R4-R7, R19-R25). The rules object is part of what a table agrees on."""

from dataclasses import dataclass
from typing import Final, TypeAlias

Seat: TypeAlias = int
Team: TypeAlias = int

SEATS: Final = (0, 1, 2, 3)
HAND_SIZE: Final = 4
VOID_PENALTY: Final = 6


@dataclass(frozen=True, slots=True)
class Rules:
    """House choices; the defaults are those of RULES.md.

    ``target``: defeat points that make a goat (R22). ``eggs_double``: the deal after eggs counts double (R21,
    off). ``yield_time``: milliseconds after which an asked seat's answer leaves (R17, the constant T).
    """

    target: int = 12
    eggs_double: bool = False
    yield_time: int = 3000


def team_of(seat: Seat) -> Team:
    """Team 0 is seats 0 and 2, team 1 is seats 1 and 3."""
    return seat % 2


def partner_of(seat: Seat) -> Seat:
    """The seat opposite."""
    return (seat + 2) % 4


def distance(seat: Seat, origin: Seat) -> int:
    """Clockwise steps from ``origin`` to ``seat`` (R17)."""
    return (seat - origin) % 4


def seats_from(origin: Seat) -> tuple[Seat, ...]:
    """All four seats clockwise, ``origin`` first."""
    return tuple((origin + i) % 4 for i in range(4))


def defeat_points(points: int, tricks: int) -> int:
    """Defeat points of a team with this many points and tricks (R20); 0 for 60 and more (R19, R21)."""
    if tricks == 0:
        return 6
    if points <= 30:
        return 4
    return 2 if points < 60 else 0
