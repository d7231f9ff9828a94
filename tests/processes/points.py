"""The moments at which somebody is killed: by kind of message and which one of its kind in a deal."""

from dataclasses import dataclass, field
from typing import Final

from goat_net.log.chain import Record, parse_record
from goat_net.log.records import BeatPlay, ClaimPlay, DiscardPlay, Keys, LeadPlay, ShowPlay, YieldPlay
from goat_net.wire.messages import NewEntry

KINDS: Final = {LeadPlay: "Lead", BeatPlay: "Beat", DiscardPlay: "Discard", ClaimPlay: "Claim", ShowPlay: "Show",
                YieldPlay: "Yield"}  # fmt: skip
DECK_KEYS: Final = 4  # keys of the deal, one of each seat; those after them are of draws


@dataclass(frozen=True, slots=True)
class Name:
    """A record of a log: its deal (0 before the first), its kind, and which of its kind there."""

    deal: int
    kind: str
    count: int

    def __str__(self) -> str:
        return f"{self.kind}/{self.count}"


@dataclass(slots=True)
class Counts:
    """Names the records of a log in order."""

    seen: dict[tuple[int, str], int] = field(default_factory=dict)

    def name(self, entry: NewEntry) -> Name:
        """The next record's name."""
        return self.of(parse_record(entry.record))

    def of(self, record: Record) -> Name:
        """The name of the next record, already parsed."""
        kind = KINDS.get(type(record.body), type(record.body).__name__)
        if isinstance(record.body, Keys) and self.seen.get((record.deal, "Keys"), 0) == DECK_KEYS:
            kind = "Draw"
        count = self.seen.get((record.deal, kind), 0) + 1
        self.seen[record.deal, kind] = count
        return Name(record.deal, kind, count)


def many(kind: str, *counts: int) -> tuple[str, ...]:
    """Points of one kind."""
    return tuple(f"{kind}/{n}" for n in counts)


#: On the wire, before there is a log: what the joiner and the host say in turn, seen by a proxy as flights of TLS.
WIRE: Final = ("Hello", "Welcome", "Prove", "Joined", "Sit", "Lobby")
STAGES: Final[dict[str, tuple[str, ...]]] = {
    "join": (*(f"{kind}/1" for kind in WIRE), "Table/1", *many("NonceCommit", 1, 2, 3, 4), *many("Nonce", 1, 2, 3, 4)),
    "deal": (
        *many("Commit", 1, 2, 3, 4),
        *many("Shuffle", 1, 2, 3, 4),
        *many("Cut", 1, 2, 3, 4),
        *many("Lock", 1, 2, 3, 4),
        *many("Keys", 1, 2, 3, 4),
    ),
    "trick": (
        *many("Lead", 1, 2, 4),
        *many("Beat", 1, 2),
        *many("Discard", 1, 2, 3, 7),
        *many("Draw", 1, 2, 3, 4, 9),
    ),
    "claim": ("Claim/1", "Show/1", *many("Yield", 1, 2, 3)),
    "open": many("Open", 1, 2, 3, 4),
    "verdict": many("Verdict", 1, 2, 3, 4),
}
POINTS: Final = tuple(point for points in STAGES.values() for point in points)
ROLES: Final = ("host", "turn", "other", "watcher", "bots")
#: Beside the five: a seat that is killed and comes back only when the others have voted and a bot has its seat (R24).
GONE: Final = "gone"
#: Where that is tried: a vote each time takes its while, and a deal that is void all the same.
GONE_POINTS: Final = ("Commit/2", "Shuffle/1", "Lock/3", "Keys/4", "Lead/1", "Discard/2", "Draw/1", "Yield/1", "Open/2",
                      "Verdict/3")  # fmt: skip


def stage_of(point: str) -> str:
    """Which part of a match a point lies in."""
    return next(stage for stage, points in STAGES.items() if point in points)


def bots_at(role: str) -> int:
    """How many bots of the host's own sit at the tables where this role is killed."""
    return 1 if role in ("host", "bots") else 0


def sample(most: int) -> tuple[str, ...]:
    """At most so many points, spread over all of them."""
    step = max(1.0, len(POINTS) / max(1, most))
    return tuple(POINTS[int(i * step)] for i in range(min(most, len(POINTS))))
