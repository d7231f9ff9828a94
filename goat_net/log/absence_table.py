"""The rules of absence as data, and the door to the part of the fold that applies them (PROTOCOL.md, Those who leave).

`MISSING` and `MAY_ENTER` are read by the machine (`goat_net.log.absence`); from them, `CLOCKS` and `CHANGES` the tables
and the diagram of the page are made. `AbsencePart` is what a fold asks of that machine, whatever protocol its log has.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Final, Protocol

from goat_engine.rules import Seat, Team
from goat_net.log.faults import Fault, Judged
from goat_net.log.records import Leave, Open, PauseClock, Unheard, Verdict, Vote

WAIT, LET_GO, CHARGE, NO_ANSWER = 0, 1, 2, 3
MAX_WAITS: Final = 2  # times a deal that the others wait on for one seat: with the grace before, ten minutes or so
PAUSES: Final = 2  # of one seat in a deal: for the door and for the telephone; more of them would be a way to stall
VOTE_TIME: Final = 60.0  # s in which the people say what is to be done: time to read the question and to answer it
SILENT_AFTER: Final = 55.0  # s after which a client signs that its player does not answer: before the host may close
PAUSE_TIME: Final = 600.0  # s after which a pause is over: a pot boils over sooner
OUT_AFTER: Final = 2  # deals of a match in which a player was caught: once may be a broken machine
MISSED_NOTHING: Final = (PauseClock, Leave, Vote, Unheard)  # records that nobody owes: they end no absence


class Where(Enum):
    """Where a log is, as far as absence goes. The value is the page's word for it."""

    BEFORE = "COMMITS, NONCES"
    COMMIT = "COMMIT"
    DECK = "SHUFFLE, CUT, LOCK"
    PLAY = "KEYS, PLAY"
    OPEN = "OPEN after the last trick"
    STOPPED = "OPEN of a deal that stopped"
    OVER = "OVER"
    ENDED = "ENDED"


class State(StrEnum):
    """What a seat is. Of two that fit, the one further down counts."""

    HERE = "here"
    AWAY = "away"
    LEFT = "left"
    CAUGHT = "caught"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Missing:
    """What becomes of a seat that is missing at a place. ``asked``: whether the people of the other team decide, else
    it is lost at once. ``deal``: what the deal does without it. ``pays``: what its team may have to pay."""

    asked: bool
    stops: bool
    deal: str
    pays: str


MISSING: Final[Mapping[Where, Missing]] = {
    Where.COMMIT: Missing(False, False, "does not begin", "nothing"),
    Where.DECK: Missing(False, True, "stops, void", "nothing"),
    Where.PLAY: Missing(True, True, "stops, void", "by the vote"),
    Where.OPEN: Missing(True, False, "is counted without it (Those who do not open)", "the deal, or by the vote"),
    Where.STOPPED: Missing(False, False, "is void already", "nothing"),
}
"""In the other places nobody is lost: before the match the host ends the log, and in OVER the score stands."""

MAY_ENTER: Final[Mapping[State, frozenset[type[Any]] | None]] = {
    State.HERE: None,
    State.AWAY: None,
    State.LEFT: frozenset({Open, Verdict}),
    State.CAUGHT: frozenset({Open}),
    State.LOST: frozenset({Open}),
}
"""In DEALS and OVER, the kinds that a seat may enter at all; None: whatever is good at its place."""


@dataclass(frozen=True, slots=True)
class Timing:
    """A time that somebody counts, none of it by the log. ``by``: who; ``ends``: what follows; ``stands``: when it does
    not run."""

    name: str
    seconds: str
    by: str
    ends: str
    stands: str


CLOCKS: Final = (
    Timing("absence", "`grace`", "the host, for each seat, from when it owes", "`Away`", "in a pause"),
    Timing(
        "evidence", "`grace`", "each client, for each seat, from when it owes", "`Unheard`, if it was dialled",
        "in a pause; while the client has no line to the host",
    ),
    Timing(
        "silence", f"{SILENT_AFTER:g}", "each voter's client, from when the vote is open", "`Vote` 3", "in a pause",
    ),
    Timing("vote", f"{VOTE_TIME:g}", "the host, from when the vote is open", "`CloseVote`", "in a pause"),
    Timing(
        "answer (R17)", "`yield_time`", "the asked seat's client, from the question", "its answer",
        "in a pause, and begins anew after it",
    ),
    Timing("pause", f"{PAUSE_TIME:g}", "the host, from the pause", "`EndPause`", "never"),
)  # fmt: skip


CHANGES: Final = (
    (State.HERE, "`Away`", State.AWAY),
    (State.AWAY, "a record that it owes; or the people wait", State.HERE),
    (State.HERE, "`Leave`", State.LEFT),
    (State.AWAY, "`Leave`", State.LEFT),
    (State.HERE, "an offence", State.CAUGHT),
    (State.AWAY, "an offence", State.CAUGHT),
    (State.LEFT, "an offence", State.CAUGHT),
    (State.CAUGHT, "the deal is over", State.HERE),
    (State.AWAY, "let go, charged, or nobody is asked", State.LOST),
    (State.LEFT, "let go, charged, or nobody is asked", State.LOST),
    (State.CAUGHT, "away or left; or caught in a second deal", State.LOST),
    (State.HERE, "two blames that only audits found", State.LOST),
)
"""How a seat gets from one state to another."""


class How(StrEnum):
    """How a count came out."""

    WAITED = "waited"
    AT_ONCE = "at once"  # nobody was to be asked
    LET_GO = "let go"  # by somebody's word
    UNANSWERED = "unanswered"  # by nobody's word
    CHARGED = "charged"


@dataclass(frozen=True, slots=True)
class Decision:
    """A count that took effect: about whom, in which deal, how, and what each voter had said. ``payer``: the team that
    is charged, or None. ``entry``: the number of the entry after which it was counted."""

    seat: Seat
    deal: int
    how: How
    votes: Mapping[Seat, int]
    payer: Team | None
    entry: int


@dataclass(frozen=True, slots=True)
class Scene:
    """What the part has to know of the log when it is asked. ``owing``: seats that owe a record; ``opened``: seats
    whose seeds of the present deal are open; ``entry``: entries so far."""

    where: Where
    deal: int = 0
    owing: frozenset[Seat] = frozenset()
    opened: frozenset[Seat] = frozenset()
    entry: int = 0


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays, by the table's record. ``people``: seats that are no bots; ``pays``: by seat, the team that answers
    for it, or None; ``owner``: the seat of the host's player, or 4; ``grace``: seconds (R24); ``caught``: by seat, in
    how many deals of this match, before this log, its player was caught."""

    people: tuple[Seat, ...]
    pays: tuple[Team | None, ...]
    owner: int
    grace: int
    caught: tuple[int, ...] = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Loss:
    """The log goes on without a seat. ``unopened``: it need not open in this deal; ``stops``: the deal stops."""

    seat: Seat
    unopened: bool
    stops: bool


class AbsencePart(Protocol):
    """The door to this part, for any protocol."""

    away: dict[Seat, int]
    left: set[Seat]
    lost: dict[Seat, int]
    paused: Seat | None
    decisions: list[Decision]

    @property
    def votes(self) -> dict[Seat, dict[Seat, int]]:
        """What the people have said, by seat that they are asked about."""

    def choices(self, target: Seat) -> tuple[int, ...]:
        """What may be said about a seat now."""

    def has_proof(self, target: Seat) -> bool:
        """Whether a charge may be counted."""

    def unheard_by(self, target: Seat) -> frozenset[Seat]:
        """Seats whose machines have said that they heard nothing of a seat."""

    def witnesses(self, target: Seat, scene: Scene) -> tuple[Seat, ...]:
        """Seats whose machines may say so."""

    def owes_nothing(self, seat: Seat) -> bool:
        """Whether a seat owes nothing any more but, perhaps, its `Open`."""

    def is_caught(self, seat: Seat) -> bool:
        """Whether a seat was caught in the deal that is on: it enters nothing but its `Open`, no offence either."""

    @property
    def holds_deal(self) -> bool:
        """Whether the deal that is to come does not begin in this log, so that nobody owes a commitment to it."""

    def times_caught(self, seat: Seat) -> int:
        """In how many deals of the match, also before this log, a seat was caught: with `OUT_AFTER` it is out."""

    def may_enter(self, seat: Seat, body: Any, seen: int, scene: Scene) -> bool:
        """Whether a seat's state lets it enter a body of the deal; asked once everything else is good."""

    def vote_open(self, target: Seat, scene: Scene) -> bool:
        """Whether the people are asked about a seat."""

    def voters(self, target: Seat, scene: Scene) -> tuple[Seat, ...]:
        """The people who are asked about a seat."""

    def judge_seat(self, seat: Seat, body: Any, scene: Scene) -> Judged:
        """What a seat's record about absence is here."""

    def judge_host(self, body: Any, scene: Scene) -> Judged:
        """What a host's record about absence is here."""

    def entered(self, seat: Seat, body: Any, fault: Fault | None, before: Scene) -> None:
        """A seat's record was entered; ``before``: as the log was."""

    def apply_seat(self, seat: Seat, body: Any, scene: Scene) -> None:
        """Fold a seat's record about absence."""

    def apply_host(self, body: Any, scene: Scene) -> None:
        """Fold a host's record about absence."""

    @property
    def may_count(self) -> bool:
        """Whether a count could take effect at all: `next_loss` is asked only then."""

    def next_loss(self, scene: Scene) -> Loss | None:
        """The next count that takes effect; asked again when its whole effect is there, until there is none."""

    def caught(self, seat: Seat, fault: Fault, deal: int, *, now: bool) -> None:
        """A seat was caught in a deal; ``now``: in the one that is on."""

    def deal_over(self, over: bool) -> None:
        """The next deal begins, or (``over``) the match has its goat."""

    def put_out(self) -> None:
        """Between two deals: who was caught in two deals of the match is lost."""

    def payer(self, deal: int) -> Team | None:
        """The team that pays for an absence in this deal."""

    def is_spared(self, deal: int) -> bool:
        """Whether somebody of the other team let a seat go that did not open in this deal."""

    def is_unheard(self, deal: int) -> bool:
        """Whether there was enough evidence against a seat that did not open in this deal."""
