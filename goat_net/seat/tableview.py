"""What a screen is given: one frozen value of everything this peer knows about its table.

Built by `goat_net.seat.player` from the fold of the log and from what the host says of the lobby. Cards that this peer
must not know are absent (RULES.md R11). A screen or a bot never needs more than this and the `Session` door.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from goat_engine.actions import Action, Refusal
from goat_engine.match import DealResult, MatchState
from goat_engine.rules import Rules, Seat
from goat_engine.state import DealState, Play
from goat_engine.view import SeatView
from goat_net.seat.terms import Terms
from goat_net.wire.messages import House


class Stage(StrEnum):
    """Where the table is."""

    JOINING = "joining"  # connected, the lobby not yet seen
    LOBBY = "lobby"
    STARTING = "starting"  # nonces of the match
    DEALING = "dealing"  # the deck is locked
    PLAY = "play"
    OPENING = "opening"  # the last trick is over: seeds and verdicts
    BETWEEN = "between"  # scored; the next deal begins when every player is ready
    OVER = "over"  # the match has its goat
    CLOSED = "closed"  # the table is gone; `TableView.trouble` says why


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """Who sits where. ``operator``: name of the player whose machine runs this bot. ``remembered``: the key is the
    one seen under this name before (trust on first use); ``changed_key``: the name is known under another key.
    ``asks``: the seat its player asks to swap with. ``free``: somebody who watches may have it from the next deal on,
    or at once when no match is on; ``next_name``: who has it then, or empty. ``page``: name of the player whose
    gateway serves the page that this one sits in, or empty: whoever serves a page could serve another one."""

    seat: Seat
    name: str = ""
    taken: bool = False
    bot: bool = False
    level: str = ""
    operator: str = ""
    ready: bool = False
    away: bool = False
    away_for: float = 0.0
    host: bool = False
    remembered: bool = False
    changed_key: bool = False
    key: bytes = b""
    asks: Seat | None = None
    free: bool = False
    next_name: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Absence:
    """A seat that keeps the others waiting or has said that it leaves (R24). ``seconds``: how long it has owed what it
    owes; ``grace``: seconds until the others may decide, 0 when they may now. ``open``: votes are taken, for ``within``
    seconds more; ``may_vote``: also ours, one of ``choices``, which is ``mine`` once it is in the log (0 wait on, 1 let
    go, 2 charge, 3 no answer). ``votes``: by seat, so far, of ``voters``. ``proven``: whether a charge would count, by
    its goodbye or by ``unheard``, the seats whose machines have heard nothing of it. ``cost``: defeat points of a
    charge. ``held``: this client holds a record of that seat that the host does not enter. ``unreached``: this client
    has dialled the seat itself, and nobody answered."""

    seat: Seat
    seconds: float = 0.0
    grace: float = 0.0
    left: bool = False
    open: bool = False
    may_vote: bool = False
    mine: int | None = None
    votes: Mapping[Seat, int] = field(default_factory=dict)
    voters: tuple[Seat, ...] = ()
    unreached: bool = False
    within: float = 0.0
    choices: tuple[int, ...] = ()
    proven: bool = False
    unheard: frozenset[Seat] = frozenset()
    cost: int = 0
    held: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a seat that was missing (R24), with the count. ``how``: ``"waited"``, ``"let go"``,
    ``"unanswered"``, ``"charged"``, or ``"at once"`` when nobody was to be asked. ``votes``: what each voter had said;
    ``team``: the team that pays ``cost`` defeat points, or None. ``name``: of who had the seat, since somebody else may
    have it by now. ``counts``: the deal was not opened by that seat and counts all the same."""

    seat: Seat
    name: str
    deal: int
    how: str
    votes: Mapping[Seat, int]
    team: int | None = None
    cost: int = 0
    counts: bool = False


@dataclass(frozen=True, slots=True)
class TurnClock:
    """The turn clock of the seat whose turn it is: ``left`` seconds in all, of which the last ``reserve`` are of the
    deal's reserve. It stands while the table is paused or we are cut off; then ``stands`` is True."""

    seat: Seat
    left: float
    reserve: float
    stands: bool = False


@dataclass(frozen=True, slots=True)
class Talk:
    """A line of talk; ``seat`` is None for a watcher. The text is cleaned already. ``key``: of who says it, since
    names may be alike; with an empty name it is the table itself."""

    name: str
    text: str
    seat: Seat | None = None
    key: bytes = b""


@dataclass(frozen=True, slots=True)
class Returned:
    """Cards that a molodka sent back (R16) or that lay too late (R17a), in order of the log."""

    trick: int
    plays: tuple[Play, ...]


@dataclass(frozen=True, slots=True)
class Blame:
    """A proven cheat: who, in which deal, at which entry, and what in words (R23). ``seat`` 4 is the host."""

    seat: int
    deal: int
    entry: int
    reason: str


@dataclass(frozen=True, slots=True)
class DealReport:
    """A finished deal with all cards open: ``opened`` knows every slot, discards included. ``audited``: this
    peer re-ran the whole deal and found it good. ``opened`` is None and there is a ``result`` when the team that had
    lost did not open (R24). ``cost``: defeat points of ``charged``. ``verdicts``: seats whose signed verdict is in the
    log."""

    number: int
    opened: DealState | None
    result: DealResult | None
    audited: bool
    verdicts: frozenset[Seat]
    blame: Blame | None = None
    charged: int | None = None
    cost: int = 0


@dataclass(frozen=True, slots=True)
class NextHost:
    """Who has the table next: the player of ``seat``, called ``name``. ``agreed``: they have opened theirs, and it goes
    over between two deals; else they are asked."""

    seat: Seat
    name: str
    agreed: bool


@dataclass(frozen=True, slots=True)
class TableView:
    """Everything a screen shows. ``me``: own seat, None for a watcher. ``deal``: this peer's own fold.
    ``may_act``: all keys of the draw are there, so a lead or claim can go out (PROTOCOL.md, barriers).
    ``pending``: own action that is sent and not yet at the table. ``words``: the six table words.
    ``fair``: False under a seed known to others. ``trouble``: one sentence for the person, or empty.
    ``link``: False while the connection to the table is being made again. ``paused_by``: a name, or empty.
    ``invite``: lines that a host reads out to whoever does not see the table without help.
    ``absences``: who keeps the others waiting, votes about it included; ``decided``: what came of it, in this log
    and the one before, in order. ``clock``: the turn clock, or None. ``hints``: whether this table plays with
    hints. ``host_blame``: what the host does not do and should, in one sentence, or empty. ``stands_in``: the seat
    on which another plays for this player until they sit down again (`Session.sit`), or None. ``takes``: the seat
    that they have from the next deal on, or None. ``terms``: a score that goes on here with something that its player
    has to know of first: who accepts it or leaves (`Session.accept`). ``watchers``: people without a seat;
    ``watcher_keys``, and ``watcher_pages`` (`SeatInfo.page`), one for each of them; ``idle_bots``: programs that wait
    for a seat. ``own_key``: of this client, as others know it. ``house``: what is played by, as the lobby tells it, or
    None before it has. ``grace``: seconds until an absent seat is decided
    about
    (R24); ``turn_clock``: seconds a turn has and seconds of reserve a deal has, 0 when there is none.
    ``time_up``: how often this client has played for its person because their clock had run out. ``next_host``: who has
    the table next, for those who are to know, or None."""

    stage: Stage = Stage.JOINING
    table_name: str = ""
    rules: Rules = Rules()  # noqa: RUF009 - frozen
    seats: tuple[SeatInfo, ...] = tuple(SeatInfo(s) for s in range(4))
    watchers: tuple[str, ...] = ()
    me: Seat | None = None
    is_host: bool = False
    words: tuple[str, ...] = ()
    fair: bool = True
    match: MatchState | None = None
    deal_number: int = 0
    deal: DealState | None = None
    may_act: bool = False
    pending: Action | None = None
    returned: tuple[Returned, ...] = ()
    reports: tuple[DealReport, ...] = ()
    talk: tuple[Talk, ...] = ()
    ready: frozenset[Seat] = frozenset()
    trouble: str = ""
    link: bool = True
    paused_by: str = ""
    log_path: str = ""
    invite: tuple[str, ...] = ()
    absences: tuple[Absence, ...] = ()
    decided: tuple[Decided, ...] = ()
    clock: TurnClock | None = None
    host_blame: str = ""
    stands_in: Seat | None = None
    hints: bool = True
    takes: Seat | None = None
    terms: Terms | None = None
    watcher_keys: tuple[bytes, ...] = ()
    watcher_pages: tuple[str, ...] = ()
    idle_bots: tuple[str, ...] = ()
    house: House | None = None
    own_key: bytes = b""
    grace: int = 180
    turn_clock: tuple[int, int] = (0, 0)
    time_up: int = 0
    next_host: NextHost | None = None

    @property
    def seat_view(self) -> SeatView | None:
        """The view a bot or a hint gets, or None while there is no deal or no seat."""
        if self.deal is None or self.me is None:
            return None
        return SeatView(self.me, self.deal, self.match.defeat if self.match else (0, 0))


class Session(Protocol):
    """The door between a screen and its table. Calls return at once; what they change is seen in ``view``."""

    view: TableView

    def on_change(self, callback: Callable[[TableView], None]) -> None:
        """Call ``callback`` with every new view, in the event loop's thread; only one callback is kept."""

    def act(self, action: Action) -> Refusal | None:
        """Send an action of one's own seat (slots named). Returns why it cannot be, or None: then it is
        ``view.pending`` until it is at the table. A second call while one is pending is refused quietly."""

    def sit(self, seat: int) -> None:
        """Lobby: take this free seat. In a match, without a seat: have it from the next deal on, if it is one's own
        or free then; 4: not any more."""

    def swap(self, seat: int) -> None:
        """Lobby: ask the player of this seat to swap seats; 4: not any more."""

    def answer(self, seat: Seat, on: bool) -> None:
        """Lobby: swap seats with the player of this seat, who asks for it, or don't."""

    def ready(self) -> None:
        """Lobby: ready to start; between deals: go on with the next one; at the end: play again."""

    def start(self) -> None:
        """Lobby: fill free seats with bots and begin: the host, or anybody when no host plays and all are ready."""

    def set_bot(self, seat: Seat, level: str) -> None:
        """Lobby, host only: put a bot of this level on a free seat ("" takes it away)."""

    def kick(self, seat: Seat, reason: str) -> None:
        """Host only: take a seat's player off the table; during a deal this takes effect after it (R24)."""

    def say(self, text: str) -> None:
        """Talk to the table, at most 300 characters."""

    def pause(self, on: bool) -> None:
        """Stop or restart everybody's clocks."""

    def vote(self, seat: Seat, choice: int) -> None:
        """Say what is to be done about an absent seat: 0 wait on, 1 let go, 2 charge (R24)."""

    def accept(self) -> None:
        """Agree to ``view.terms``: the score that goes on here, and what has changed. Who does not agree leaves."""

    def offer(self, seat: int) -> None:
        """Host, in a match: offer the table to another player, who goes on with it; 4: not any more."""

    def take_over(self, on: bool) -> None:
        """Take the table that is offered (``view.next_host``), or don't."""

    async def leave(self) -> None:
        """Say goodbye and close the connection."""
