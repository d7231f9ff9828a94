"""The room around a table: who is here, who sits where, bots, talk, who is taken off. No I/O (PROTOCOL.md, The table).

Nothing here counts for the score: that is in the log (`goat_host.table`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from goat_engine.rules import SEATS, Rules, Seat
from goat_host.log_keeper import LogKeeper
from goat_host.own_bots import OwnBots
from goat_host.people import MAX_WATCHERS, Guest, People
from goat_host.ports import Advertise, Out, StatusInfo, StopBot
from goat_net.log.absence_table import OUT_AFTER
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.records import Carried, Settings
from goat_net.log.succession import caught_so_far
from goat_net.wire.hello import operator_signature
from goat_net.wire.identity import Identity, is_whole_key
from goat_net.wire.link import SILENT_AFTER
from goat_net.wire.messages import (
    BAD_KEY,
    KICKED,
    ROLE_BOT,
    ROLE_WATCHER,
    Hello,
    House,
    Lobby,
    LobbySeat,
    Watching,
)
from goat_net.wire.notices import Notice, Saying, notice

LOBBY_STATE, PLAYING_STATE, OVER_STATE = 0, 1, 2


@dataclass(slots=True)
class Held:
    """A seat that somebody holds, connected or not."""

    key: bytes
    name: str
    bot: bool
    level: str
    operator: bytes
    operator_signature: bytes
    ready: bool
    conn: int | None
    away_since: float | None = None
    fresh: bytes = b""  # what its client gave for the next log; without it the seat isn't ready
    page: str = ""  # whose page they sit in, or empty
    asks: "Held | None" = field(default=None, repr=False, compare=False)  # whom they ask to swap seats


@dataclass(frozen=True, slots=True)
class Prospects:
    """What is to become of a seat, as the lobby tells it (`goat_net.wire.messages.LobbySeat`)."""

    asks: int = 4
    free: bool = False
    next_key: bytes = b""
    kept_key: bytes = b""


@dataclass(frozen=True, slots=True)
class TableSetup:
    """What a table is made with. ``owner``: key of the player whose machine hosts, or empty. ``bot_levels``: for free
    seats, in order; the last one goes on."""

    name: str
    program: str
    rules: Rules
    settings: Settings
    code: bool = False
    owner: bytes = b""
    bot_levels: tuple[str, ...] = ("hard",)


def taken_off(words: str) -> Notice:
    """What somebody is told whom the host takes off the table, with the host's own words if there are any."""
    return notice(Saying.TAKEN_OFF_SAYING, words) if words else notice(Saying.TAKEN_OFF)


class Room:
    """See the module. ``fold`` is the log that is on, or None before the first."""

    def __init__(self, identity: Identity, setup: TableSetup, entropy: Callable[[int], bytes]) -> None:
        self.identity, self.setup, self.entropy = identity, setup, entropy
        self.outbox: list[Out] = []
        self.people = People(identity.public, setup.name, self._names, self._put, watch=setup.settings.watch)
        self.seats: list[Held | None] = [None] * 4
        self.bots = OwnBots(self._put)
        self.keeper = LogKeeper(identity, self.people.guests.values, self._is_witnessed, self._put)
        self.starting = False
        self.carried: tuple[Carried, ...] = ()
        self.before: Fold | None = None  # the log whose score is carried on
        self.first_log = b""  # of the match that is on or is carried on, as far as this table knows
        self.places: dict[bytes, Seat] = {}  # seats kept for those who sat there in the match that is carried on
        self.kicks: dict[Seat, str] = {}
        self.kick_votes: dict[Seat, set[Seat]] = {}
        self._now = 0.0

    def waking(self, now: float) -> None:
        """Somebody has come: for a table that has to do something about it."""

    @property
    def fold(self) -> Fold | None:
        """The log that is on, or None before the first."""
        return self.keeper.fold

    def _is_witnessed(self) -> bool:
        """Whether a person plays, or somebody watches: who watches is not asked after a resume, so what they have seen
        must not be lost either."""
        return any(h is not None and not h.bot for h in self.seats) or bool(self.people.watching())

    # What the server asks

    @property
    def playing(self) -> bool:
        """Whether a match is on."""
        return self.fold is not None and self.fold.stage not in (MatchStage.OVER, MatchStage.ENDED)

    @property
    def _holds_seats(self) -> bool:
        """Whether a seat stays its player's when the connection ends: in a match, and while it changes to a new log."""
        return self.playing or (self.starting and bool(self.carried))

    def is_out(self, key: bytes) -> bool:
        """Whether who has this key was caught twice in the match that is on or goes on here: a log with them on a seat
        would be none (R23)."""
        caught = caught_so_far(self.fold) if self.playing and self.fold is not None else ()
        caught += tuple(one for old in self.carried for one in old.caught)
        return any(one.key == key and one.deals >= OUT_AFTER for one in caught)

    @property
    def owner_seat(self) -> Seat | None:
        """The seat of the player whose machine hosts."""
        return next((s for s in SEATS if (h := self.seats[s]) and h.key == self.setup.owner), None)

    def status(self) -> StatusInfo:
        """The table as it is now."""
        taken = sum(1 for s in SEATS if self.seats[s] is not None and not self._makes_room(s))
        state = PLAYING_STATE if self.playing else LOBBY_STATE
        log_id = self.fold.chain.log_id if self.fold else b""
        entries = len(self.fold.chain) if self.fold else 0
        match = self.first_log if self.playing or self.carried else b""
        setup = self.setup
        watch = setup.settings.watch
        return StatusInfo(setup.name, taken, watch, setup.code, state, log_id, entries, match, self.house())

    def house(self) -> House:
        """What the table has agreed on, for who has not sat down yet."""
        rules, s = self.setup.rules, self.setup.settings
        clock = (s.clock_base, s.clock_more)
        return House(
            rules.target, rules.eggs_double, rules.yield_time, *clock, s.grace, s.watch, s.hints, bool(s.seed)
        )

    def knows(self, key: bytes) -> bool:
        """Whether this key has a seat in the match that is on, or one is kept for it: it needs no code."""
        return (self.playing and self._held_by(key) is not None) or key in self.places

    def admits(self, hello: Hello) -> tuple[int, Notice] | None:
        """Why this joiner cannot come in, or None."""
        if not is_whole_key(hello.key):
            return BAD_KEY, notice(Saying.KEY)
        if self._held_by(hello.key) is not None or (hello.key in self.places and hello.role != ROLE_WATCHER):
            return None
        full = self.playing or all(h is not None and not h.bot for h in self.seats)
        return self.people.refuses(hello, full=full)

    def has_seat(self, conn: int) -> bool:
        """Whether somebody who is in holds a seat, or has one kept for them."""
        return (guest := self.people.of(conn)) is not None and (guest.seat is not None or guest.comes_back)

    def _put(self, out: Out) -> None:
        self.outbox.append(out)

    def _names(self) -> dict[bytes, str]:
        return {h.key: h.name for h in self.seats if h}

    def joined(self, conn: int, hello: Hello, operator_signature: bytes, now: float) -> None:
        """A joiner is in; whoever holds a seat has it again."""
        self._now = now
        self.waking(now)
        guest = self.people.enter(conn, hello, operator_signature)
        if guest is None:
            return
        seat = self._held_by(guest.key)
        if seat is not None:
            held = self.seats[seat]
            assert held is not None
            held.conn, held.away_since, held.page, guest.seat = conn, None, hello.page, seat
            guest.hello = replace(guest.hello, name=held.name)
        guest.comes_back = seat is None and guest.key in self.places and hello.role != ROLE_WATCHER
        self._lobby()

    def gone(self, conn: int, now: float) -> None:
        """A connection has ended: in the lobby the seat is free again, in a match it is held."""
        self._now = now
        guest = self.people.guests.pop(conn, None)
        if guest is None:
            return
        if guest.seat is not None:
            held = self.seats[guest.seat]
            if held is not None and held.conn == conn:
                held.conn = None
                held.away_since = now
                if not self._holds_seats:
                    self.seats[guest.seat] = None
                self.bots.gone(guest.seat, held.level, now, empty=self.seats[guest.seat] is None)
        self._lobby()

    def silent(self, conn: int, on: bool, now: float) -> None:
        """Nothing was heard of a connection for 5 s, or something again: everybody is told who is away."""
        self._now = now
        guest = self.people.of(conn)
        held = None if guest is None or guest.seat is None else self.seats[guest.seat]
        if held is not None:
            held.away_since = now - SILENT_AFTER if on else None
            self._lobby()

    # Who answers for a bot (PROTOCOL.md, Hello)

    def _has_operator(self, operator: bytes) -> bool:
        """Whether the player who runs a bot sits here. Where nobody hosts from a seat the table answers for all."""
        return not self.setup.owner or self._is_seated_person(operator)

    def _is_seated_person(self, key: bytes) -> bool:
        return any(held is not None and not held.bot and held.key == key for held in self.seats)

    def _operator_of(self, held: Held) -> tuple[bytes, bytes]:
        """Key and signature of who answers for a bot in the log: its player if they sit here, else the table."""
        if not held.bot:
            return b"", b""
        if self._is_seated_person(held.operator):
            return held.operator, held.operator_signature
        return self.identity.public, operator_signature(self.identity, held.key, self.identity.public)

    def _send_orphans_away(self) -> None:
        """Before a match: a guest's bot goes when its player gets up."""
        for seat in SEATS:
            held = self.seats[seat]
            if held is not None and held.bot and seat not in self.bots.seated and not self._has_operator(held.operator):
                self._free(seat, notice(Saying.BOT_ALONE))
                self._lobby()

    def expect_bot(self, seat: Seat, key: bytes) -> None:
        """The bot that this machine has started for a seat has this key: no other sits there while it is wanted."""
        self.bots.expect(seat, key)

    def _seat(self, guest: Guest, seat: Seat, *, ready: bool) -> None:
        hello, bot = guest.hello, guest.hello.role == ROLE_BOT
        level, signature = hello.level if bot else "", guest.operator_signature
        self.seats[seat] = Held(
            hello.key, hello.name, bot, level, hello.operator, signature, ready, guest.conn, fresh=guest.fresh,
            page=hello.page,
        )  # fmt: skip
        guest.seat, guest.comes_back = seat, False
        self.places.pop(hello.key, None)

    def _makes_room(self, seat: Seat) -> bool:
        """Whether a bot of this table sits here only until a person comes: before a match, and between two."""
        held, ended = self.seats[seat], self.fold is None or self.fold.stage is MatchStage.ENDED
        idle = ended and not self.starting and not self.carried
        return idle and held is not None and held.bot and seat in self.bots.seated

    def prospects(self, seat: Seat) -> Prospects:
        """What is to become of a seat (`goat_host.seating`)."""
        return Prospects()

    # The lobby

    def _held_by(self, key: bytes) -> Seat | None:
        return next((s for s in SEATS if (h := self.seats[s]) and h.key == key), None)

    def _lobby(self) -> None:
        """Tell everybody how the table is now."""
        message = self.lobby()
        self.people.send_all(message)
        self.outbox.append(Advertise())

    def lobby(self) -> Lobby:
        """The lobby as everybody is told."""
        names = {h.key: h.name for h in self.seats if h}
        seats = []
        for seat in SEATS:
            held, then = self.seats[seat], self.prospects(seat)
            told = (then.asks, then.free, then.next_key, then.kept_key)
            if held is None:
                seats.append(LobbySeat(False, "", b"", False, "", "", False, 0, *told))
                continue
            away = 0 if held.away_since is None else min(86_400, max(1, int(self._now - held.away_since)))
            operator = names.get(held.operator, "") if held.operator else ""
            ready = held.ready and bool(held.fresh)
            seats.append(LobbySeat(
                True, held.name, held.key, held.bot, held.level, operator, ready, away, *told, page=held.page
            ))
        here = [g.hello for g in self.people.watching()]
        watchers = tuple(Watching(h.name, h.key, h.role == ROLE_BOT, h.page) for h in here[:MAX_WATCHERS])
        owner = self.owner_seat
        paused = self.fold.paused if self.fold else None
        paused_by = "" if paused is None or self.fold is None else self.fold.seats[paused].name
        state = PLAYING_STATE if self.playing else LOBBY_STATE
        owner = 4 if owner is None else owner
        return Lobby(self.setup.name, tuple(seats), watchers, owner, state, paused_by, self.house())

    def _fresh(self, guest: Guest, value: bytes) -> None:
        """Their client's bytes for the next log: of a seat the newest count, and no two seats have the same."""
        if any(g.fresh == value for g in self.people.guests.values() if g is not guest):
            return
        guest.fresh = value
        held = None if guest.seat is None else self.seats[guest.seat]
        if held is not None:
            was, held.fresh = bool(held.fresh), value
            if not was and held.ready and not self.playing:
                self._lobby()

    def _ready(self, guest: Guest, on: bool) -> None:
        held = None if guest.seat is None else self.seats[guest.seat]
        if held is not None and not self.playing and held.ready != on:
            held.ready = on
            self._lobby()

    def _is_owner(self, guest: Guest) -> bool:
        return bool(self.setup.owner) and guest.key == self.setup.owner

    def _may_start(self, guest: Guest) -> bool:
        """The owner may; at a table without one whoever sits there, once all who sit there are ready."""
        if self.setup.owner:
            return self._is_owner(guest)
        return guest.seat is not None and all(h.ready for h in self.seats if h is not None)

    def _start(self, guest: Guest) -> None:
        if not self._may_start(guest) or self.playing or self.starting:
            return
        self.starting = True
        levels = self.setup.bot_levels
        free = [s for s in SEATS if self.seats[s] is None and s not in self.bots.wanted]
        for i, seat in enumerate(free):
            self._want_bot(seat, levels[min(i, len(levels) - 1)])
        self._lobby()

    def fill(self) -> None:
        """Put bots on all free seats (a table without an owner)."""
        levels = self.setup.bot_levels
        free = [s for s in reversed(SEATS) if self.seats[s] is None and s not in self.bots.wanted]
        for i, seat in enumerate(free[: len(levels)]):
            self._want_bot(seat, levels[i])

    def _want_bot(self, seat: Seat, level: str) -> None:
        self.bots.want(seat, level, self._now)

    def _set_bot(self, guest: Guest, seat: Seat, level: str) -> None:
        if not self._is_owner(guest) or self.playing:
            return
        held = self.seats[seat]
        if held is not None and held.bot:
            self._free(seat, notice(Saying.BOT_CHANGED))
        elif held is None and not level:
            self.bots.unwant(seat)
        if self.seats[seat] is None and level and seat not in self.bots.wanted:
            self._want_bot(seat, level)
        self._lobby()

    def _free(self, seat: Seat, why: Notice) -> None:
        """Take whoever holds this seat off the table."""
        held = self.seats[seat]
        self.seats[seat] = None
        self.bots.seated.discard(seat)
        if held is None:
            return
        if held.bot:
            self.outbox.append(StopBot(seat))
        if held.conn is not None:
            self.people.send_away(held.conn, KICKED, why)

    def _kick(self, guest: Guest, seat: Seat, text: str) -> None:
        """Take a player off the table, during a match after the deal (R24). The owner does; when that seat is away,
        two of three other people, or all of fewer, do."""
        held = self.seats[seat]
        if seat == guest.seat or held is None or (guest.seat is None and not self._is_owner(guest)):
            return
        if not self._is_owner(guest) and not self._kick_voted(guest, seat):
            return
        self.places.pop(held.key, None)
        if self._holds_seats:
            self.kicks[seat] = text  # after the deal (R24)
            return
        self._free(seat, taken_off(text))
        self._lobby()

    def _kick_voted(self, guest: Guest, target: Seat) -> bool:
        owner = self.owner_seat
        away = owner is None or ((held := self.seats[owner]) is not None and held.away_since is not None)
        people = {s for s in SEATS if s not in (owner, target) and (h := self.seats[s]) and not h.bot}
        if not away or guest.seat not in people:
            return False
        voted = self.kick_votes.setdefault(target, set())
        voted.add(guest.seat)
        return len(voted & people) >= min(2, len(people))
