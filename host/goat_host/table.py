"""The table: who sits where, the order of the log, time limits, leavers. No I/O (PROTOCOL.md, The table).

The host decides nothing about cards: it holds the same public fold as everybody, orders records, and refuses what
cannot stand. What the lobby says is a convenience; what counts is signed in the log.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from goat_engine.rules import SEATS, Rules, Seat
from goat_host.ports import Advertise, Closed, Drop, Journal, Out, Send, StartBot, StatusInfo, StopBot
from goat_net.chair import batch
from goat_net.codec import WireError
from goat_net.faults import UNANSWERED, Judged
from goat_net.fold import MAX_REFUSALS, Fold, MatchStage
from goat_net.identity import Identity
from goat_net.link import SILENT_AFTER
from goat_net.log import (
    FILE_HEADER,
    MAX_ENTRIES,
    ChainError,
    Record,
    entry_bytes,
    genesis,
    make_record,
    parse_record,
    sign_entry,
    table_id,
)
from goat_net.messages import (
    BAD_SIGNATURE,
    ELSEWHERE,
    FLOOD,
    KICKED,
    MALFORMED,
    NAME_TAKEN,
    NO_WATCHERS,
    PROTOCOL,
    ROLE_BOT,
    ROLE_WATCHER,
    TABLE_FULL,
    TOO_MANY,
    Hello,
    Kick,
    Lobby,
    LobbySeat,
    NewEntry,
    Pause,
    Reach,
    Read,
    Ready,
    Said,
    Say,
    SetBot,
    Sit,
    Start,
    Submit,
)
from goat_net.reach import is_good_reach
from goat_net.records import HOST, Away, Carried, End, Nonce, Open, Refuse, SeatEntry, Settings
from goat_net.records import Table as TableRecord

MAX_WATCHERS: Final = 16  # a room of people; more would only cost the players' bandwidth
TALK_LIMIT: Final = 5  # lines in TALK_WINDOW seconds: fast typing, no flood
TALK_WINDOW: Final = 10.0
ENTRIES_KEPT: Final = 16  # room at the end of a log for the host's own last words
# s after a resume in which every seat's program has come back and said what it has of the log: it tries once a second
HEAR_WITHIN: Final = 20.0
BOT_WITHIN: Final = 15.0  # s a bot may take to sit down before it is asked for again
BOT_LIVES: Final = 20  # times a seat's bot is called back in one log; a program that dies at once would die for ever
HELD_BACK: Final = 16  # records that wait for that: one of each seat, sent again when its connection was made again
TALK_DROP: Final = 50  # lines over the limit before the talker is dropped
LOBBY_STATE, PLAYING_STATE, OVER_STATE = 0, 1, 2


@dataclass(slots=True)
class Guest:
    """A connection that is in. ``read_from``: entries of the log it has been sent, None before it asked."""

    conn: int
    hello: Hello
    operator_signature: bytes
    seat: Seat | None = None
    read_from: int | None = None
    reach: Reach | None = None
    comes_back: bool = False  # he wants the seat again that a bot plays for him
    asked: int | None = None  # how many entries the table had when it asked this guest for more
    talked: tuple[float, ...] = ()
    over_limit: int = 0


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


class Table:
    """See the module; the door is `goat_host.ports.TablePort`."""

    def __init__(self, identity: Identity, setup: TableSetup, entropy: Callable[[int], bytes]) -> None:
        self.identity, self.setup, self.entropy = identity, setup, entropy
        self.outbox: list[Out] = []
        self.guests: dict[int, Guest] = {}
        self.seats: list[Held | None] = [None] * 4
        self.wanted: dict[Seat, str] = {}  # bots that were asked for and have not sat down yet
        self.fold: Fold | None = None
        self.starting = False
        self.own_bots: set[Seat] = set()  # seats held by bots that this machine runs
        self.bot_lives = [0, 0, 0, 0]
        self.carried: tuple[Carried, ...] = ()
        self.places: dict[bytes, Seat] = {}  # seats kept for those who sat there in the match that is carried on
        self.owed_since: dict[Seat, float] = {}
        self.warned: set[Seat] = set()
        self.paused_since: float | None = None
        self.kicks: dict[Seat, str] = {}
        self.kick_votes: dict[Seat, set[Seat]] = {}
        self.wanted_at = 0.0  # when bots were asked for last
        self._now = 0.0
        self._hearing: set[Seat] = set()  # after a resume: seats that have not said yet how much of the log they have
        self._hear_until: float | None = None
        self._held_back: deque[tuple[int, bytes]] = deque(maxlen=HELD_BACK)

    @classmethod
    def from_journal(
        cls, identity: Identity, setup: TableSetup, entropy: Callable[[int], bytes], entries: Iterable[NewEntry]
    ) -> "Table":
        """The table of a log that was broken off: same seats, same log. It enters nothing before every seat has said
        what it has beyond the journal, or `HEAR_WITHIN` has passed. Raises ChainError when the log is damaged,
        LookupError when it is over."""
        fold = Fold(identity.public)
        for entry in entries:
            fold.take(entry)
        record = fold.table
        over = fold.match is not None and fold.match.goat is not None and fold.stage is MatchStage.ENDED
        if record is None or over:
            raise LookupError("this match is over: there is nothing to go on with")
        rules = Rules(record.target, record.eggs_double, record.yield_time)
        owner = record.seats[record.owner].key if record.owner < len(SEATS) else b""
        setup = replace(setup, name=record.name, rules=rules, settings=record.settings, owner=owner)
        table = cls(identity, setup, entropy)
        if fold.stage is MatchStage.ENDED:
            table.carry_on(fold)
            return table
        table.fold = fold
        for seat, sits in enumerate(record.seats):
            signature = sits.operator_signature
            table.seats[seat] = Held(
                sits.key, sits.name, sits.bot, sits.level, sits.operator, signature, sits.bot, None
            )
        table._hearing = set(SEATS)
        return table

    def carry_on(self, fold: Fold) -> None:
        """Begin with the score of a log that was broken off (the deal under way is void), and keep its seats for those
        who sat there. The match before has ended if its last entry says so; else its table is gone (R24)."""
        self.carried = carried_from(fold)
        self.places = {entry.key: seat for seat, entry in enumerate(fold.seats) if not entry.bot}

    # What the server asks

    @property
    def playing(self) -> bool:
        """Whether a match is on."""
        return self.fold is not None and self.fold.stage not in (MatchStage.OVER, MatchStage.ENDED)

    @property
    def _holds_seats(self) -> bool:
        """Whether a seat stays its player's when his connection ends: in a match, and while it changes to a new log."""
        return self.playing or (self.starting and bool(self.carried))

    @property
    def owner_seat(self) -> Seat | None:
        """The seat of the player whose machine hosts."""
        return next((s for s in SEATS if (h := self.seats[s]) and h.key == self.setup.owner), None)

    def status(self) -> StatusInfo:
        """The table as it is now."""
        taken = sum(1 for h in self.seats if h is not None)
        state = PLAYING_STATE if self.playing else LOBBY_STATE
        log_id = self.fold.chain.log_id if self.fold else b""
        entries = len(self.fold.chain) if self.fold else 0
        return StatusInfo(self.setup.name, taken, self.setup.settings.watch, self.setup.code, state, log_id, entries)

    def admits(self, hello: Hello) -> tuple[int, str] | None:
        """Why this joiner cannot come in, or None."""
        if self._held_by(hello.key) is not None or (hello.key in self.places and hello.role != ROLE_WATCHER):
            return None
        watchers = [g for g in self.guests.values() if g.seat is None]
        if hello.role == ROLE_WATCHER:
            if not self.setup.settings.watch:
                return NO_WATCHERS, "this table is not to be watched"
            if len(watchers) >= MAX_WATCHERS:
                return TOO_MANY, "too many are watching already"
            return None
        if self._name_taken(hello):
            return (
                NAME_TAKEN,
                f"somebody at the table is called {hello.name} already; come as {self._other_name(hello)}",
            )
        full = self.playing or all(h is not None and not h.bot for h in self.seats)
        if full and not self.setup.settings.watch:
            return TABLE_FULL, "all four seats are taken"
        return (TOO_MANY, "too many are at the table already") if len(watchers) >= MAX_WATCHERS else None

    def _name_taken(self, hello: Hello) -> bool:
        fold = hello.name.casefold()
        names = [h.name for h in self.seats if h]
        names += [g.hello.name for g in self.guests.values() if g.hello.key != hello.key]  # his own line may be dead
        return hello.role != ROLE_BOT and any(n.casefold() == fold for n in names)

    def _other_name(self, hello: Hello) -> str:
        return next(
            n for i in range(2, 99) if not self._name_taken(replace(hello, name=(n := f"{hello.name[:13]} {i}")))
        )

    def joined(self, conn: int, hello: Hello, operator_signature: bytes, now: float) -> None:
        """A joiner is in; whoever holds a seat has it again."""
        self._now = now
        if self._hearing:
            self.start_hearing(now)
        guest = Guest(conn, hello, operator_signature)
        for old in [g for g in self.guests.values() if g.hello.key == hello.key]:
            del self.guests[old.conn]
            self.outbox.append(Drop(old.conn, ELSEWHERE, "you have come back on another connection"))
        seat = self._held_by(hello.key)
        if seat is not None:
            held = self.seats[seat]
            assert held is not None
            held.conn, held.away_since, guest.seat = conn, None, seat
        guest.comes_back = seat is None and hello.key in self.places and hello.role != ROLE_WATCHER
        self.guests[conn] = guest
        self.outbox.extend(Send(conn, g.reach) for g in self.guests.values() if g.reach is not None)
        self._lobby()

    def gone(self, conn: int, now: float) -> None:
        """A connection has ended: in the lobby the seat is free again, in a match it is held."""
        self._now = now
        guest = self.guests.pop(conn, None)
        if guest is None:
            return
        if guest.seat is not None:
            held = self.seats[guest.seat]
            if held is not None and held.conn == conn:
                held.conn = None
                held.away_since = now
                if not self._holds_seats:
                    self.seats[guest.seat] = None
                if guest.seat in self.own_bots and self.bot_lives[guest.seat] < BOT_LIVES:
                    self.bot_lives[guest.seat] += 1
                    self._call_again(guest.seat, held.level)
        self._lobby()

    def _call_again(self, seat: Seat, level: str) -> None:
        """A bot of this machine is gone: it comes back to its seat, in the lobby too."""
        if self.seats[seat] is None:
            self._want_bot(seat, level)
        else:
            self.outbox.append(StartBot(seat, level))

    def silent(self, conn: int, on: bool, now: float) -> None:
        """Nothing was heard of a connection for 5 s, or something again: everybody is told who is away."""
        self._now = now
        guest = self.guests.get(conn)
        held = None if guest is None or guest.seat is None else self.seats[guest.seat]
        if held is not None:
            held.away_since = now - SILENT_AFTER if on else None
            self._lobby()

    def message(self, conn: int, message: Any, now: float) -> None:
        """A message of somebody who is in. What he may not do is passed over: the lobby he gets shows how it is."""
        self._now = now
        guest = self.guests.get(conn)
        if guest is None:
            return
        if self._hearing:
            self.start_hearing(now)
        match message:
            case Submit(record=raw):
                self._submit(guest, raw)
            case Read(log_id=log_id, start=start):
                self._read(guest, log_id, start)
            case NewEntry():
                self._adopt(guest, message)
            case Sit(seat=seat):
                self._sit(guest, seat)
            case Ready(on=on):
                self._ready(guest, on)
            case Say(text=text):
                self._say(guest, text)
            case Reach():
                self._reach(guest, message)
            case Start():
                self._start(guest)
            case SetBot(seat=seat, level=level):
                self._set_bot(guest, seat, level)
            case Kick(seat=seat, text=text):
                self._kick(guest, seat, text)
            case Pause():
                pass  # a match is paused by a record
            case _:
                self.outbox.append(Drop(conn, MALFORMED, "this message is not for the host"))
        self._work()

    # The lobby

    def _held_by(self, key: bytes) -> Seat | None:
        return next((s for s in SEATS if (h := self.seats[s]) and h.key == key), None)

    def _lobby(self) -> None:
        """Tell everybody how the table is now."""
        message = self.lobby()
        self.outbox.extend(Send(g, message) for g in self.guests)
        self.outbox.append(Advertise())

    def lobby(self) -> Lobby:
        """The lobby as everybody is told."""
        names = {h.key: h.name for h in self.seats if h}
        names |= {g.hello.key: g.hello.name for g in self.guests.values()}
        seats = []
        for held in self.seats:
            if held is None:
                seats.append(LobbySeat(False, "", b"", False, "", "", False, 0))
                continue
            away = 0 if held.away_since is None else min(86_400, max(1, int(self._now - held.away_since)))
            operator = names.get(held.operator, "") if held.operator else ""
            seats.append(LobbySeat(True, held.name, held.key, held.bot, held.level, operator, held.ready, away))
        watchers = tuple(g.hello.name for g in self.guests.values() if g.seat is None)[:MAX_WATCHERS]
        owner = self.owner_seat
        paused = self.fold.paused if self.fold else None
        paused_by = "" if paused is None or self.fold is None else self.fold.seats[paused].name
        state = PLAYING_STATE if self.playing else LOBBY_STATE
        return Lobby(self.setup.name, tuple(seats), watchers, 4 if owner is None else owner, state, paused_by)

    def _sit(self, guest: Guest, seat: int) -> None:
        if guest.hello.role == ROLE_WATCHER:
            return
        if self.playing:  # a bot plays for him: from the next deal on he does himself
            guest.comes_back = guest.seat is None and guest.hello.key in self.places
            return
        bot = guest.hello.role == ROLE_BOT
        free = [s for s in SEATS if self.seats[s] is None and (s not in self.wanted or bot)]
        if seat == 4 and guest.seat is None and free:
            kept = self.places.get(guest.hello.key)
            others = [s for s in free if s not in self.places.values()]
            seat = kept if kept in free and kept is not None else (others or free)[0]
        if seat not in free:
            return
        ready = bot
        if guest.seat is not None:
            self.seats[guest.seat] = None
        if self.wanted.pop(seat, None) is not None:
            self.own_bots.add(seat)
        self._seat(guest, seat, ready=ready)
        self._lobby()

    def _ready(self, guest: Guest, on: bool) -> None:
        held = None if guest.seat is None else self.seats[guest.seat]
        if held is not None and not self.playing and held.ready != on:
            held.ready = on
            self._lobby()

    def _is_owner(self, guest: Guest) -> bool:
        return bool(self.setup.owner) and guest.hello.key == self.setup.owner

    def _start(self, guest: Guest) -> None:
        if not self._is_owner(guest) or self.playing or self.starting:
            return
        self.starting = True
        levels = self.setup.bot_levels
        free = [s for s in SEATS if self.seats[s] is None and s not in self.wanted]
        for i, seat in enumerate(free):
            self._want_bot(seat, levels[min(i, len(levels) - 1)])

    def fill(self) -> None:
        """Put bots on all free seats (a table without an owner)."""
        levels = self.setup.bot_levels
        free = [s for s in reversed(SEATS) if self.seats[s] is None and s not in self.wanted]
        for i, seat in enumerate(free[: len(levels)]):
            self._want_bot(seat, levels[i])

    def _want_bot(self, seat: Seat, level: str) -> None:
        self.wanted[seat] = level
        self.wanted_at = self._now
        self.outbox.append(StartBot(seat, level))

    def _set_bot(self, guest: Guest, seat: Seat, level: str) -> None:
        if not self._is_owner(guest) or self.playing:
            return
        held = self.seats[seat]
        if held is not None and held.bot:
            self._free(seat, "the host has changed this seat")
        if self.seats[seat] is None and level and seat not in self.wanted:
            self._want_bot(seat, level)
        self._lobby()

    def _free(self, seat: Seat, text: str) -> None:
        """Take whoever holds this seat off the table."""
        held = self.seats[seat]
        self.seats[seat] = None
        self.own_bots.discard(seat)
        if held is None:
            return
        if held.bot:
            self.outbox.append(StopBot(seat))
        if held.conn is not None:
            self.guests.pop(held.conn, None)
            self.outbox.append(Drop(held.conn, KICKED, text))

    def _kick(self, guest: Guest, seat: Seat, text: str) -> None:
        """Take a player off the table, during a match after the deal (R24). The owner does; when his own seat is away,
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
        self._free(seat, text or "the host has taken you off the table")
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

    def _say(self, guest: Guest, text: str) -> None:
        recent = tuple(t for t in guest.talked if self._now - t < TALK_WINDOW)
        if len(recent) >= TALK_LIMIT:
            guest.over_limit += 1
            if guest.over_limit > TALK_DROP:
                self.outbox.append(Drop(guest.conn, FLOOD, "too much talk at once"))
            return
        guest.talked = (*recent, self._now)
        said = Said(4 if guest.seat is None else guest.seat, guest.hello.name, text)
        self.outbox.extend(Send(g, said) for g in self.guests)

    def _reach(self, guest: Guest, reach: Reach) -> None:
        """Where he can be dialled by the others: passed on to all."""
        if reach.key != guest.hello.key or not is_good_reach(reach, self.identity.public):
            self.outbox.append(Drop(guest.conn, BAD_SIGNATURE, "these addresses are not signed by you"))
            return
        if guest.reach is None or reach.serial > guest.reach.serial:
            guest.reach = reach
            self.outbox.extend(Send(g, reach) for g in self.guests if g != guest.conn)

    # The log

    def _read(self, guest: Guest, log_id: bytes, start: int) -> None:
        """A guest says how many entries he has: he gets what he lacks, a batch at a time; what this table lacks (its
        machine lost power) is asked of him."""
        if self.fold is None or log_id != self.fold.chain.log_id:
            return
        chain = self.fold.chain
        if start > len(chain):
            if guest.asked != len(chain):
                guest.asked = len(chain)
                self.outbox.append(Send(guest.conn, Read(log_id, len(chain))))
                return
        else:
            entries = batch(chain, start)
            self.outbox.extend(Send(guest.conn, e) for e in entries)
            if start + len(entries) < len(chain):
                self.outbox.append(Send(guest.conn, Read(log_id, len(chain))))
                return
        guest.read_from = len(chain)
        if guest.seat is not None:
            self._heard_from({guest.seat})

    def _adopt(self, guest: Guest, entry: NewEntry) -> None:
        """An entry that this table had signed and lost: whoever still has it gives it back."""
        fold = self.fold
        if fold is None or entry.number != len(fold.chain):
            return
        try:
            fold.take(entry)
        except ChainError as error:
            self.outbox.append(Drop(guest.conn, MALFORMED, f"this is no entry of this table ({error.text})"))
            return
        self._publish(entry, sync=True)

    def _heard_from(self, seats: Iterable[Seat]) -> None:
        """These seats have told what they have of the log; after the last one the table signs on."""
        self._hearing.difference_update(seats)
        if self._hearing or self._hear_until is None:
            return
        self._hear_until = None
        self.warned = set(self.fold.away) if self.fold else set()
        while self._held_back:
            conn, raw = self._held_back.popleft()
            guest = self.guests.get(conn)
            if guest is not None:
                self._submit(guest, raw)

    def _submit(self, guest: Guest, raw: bytes) -> None:
        if self._hearing:
            self._held_back.append((guest.conn, raw))
            return
        fold = self.fold
        if fold is None or not fold.open:
            return
        try:
            record = parse_record(raw)
        except WireError:
            self.outbox.append(Drop(guest.conn, MALFORMED, "this record cannot be read"))
            return
        seat = record.author
        if seat == HOST or not record.signed_by(fold.seats[seat].key):
            self.outbox.append(Drop(guest.conn, BAD_SIGNATURE, "this record is not signed by whom it names"))
            return
        judged = fold.judge(record)
        if judged.form is None:
            self._enter(record, judged)
            if len(fold.chain) >= MAX_ENTRIES - ENTRIES_KEPT and fold.open:
                self._write(End(2))
            return
        ours = record.match_id in (fold.id, fold.chain.log_id) and record.counter == fold.counters[seat]
        if not ours or judged.form in UNANSWERED:
            return  # a copy, or of another match: anybody could send it, so it costs its author nothing
        if fold.refusals[seat] < MAX_REFUSALS:
            self._write(Refuse(seat, record.counter, record.digest, int(judged.form)))
        elif guest.seat == seat:
            self.outbox.append(Drop(guest.conn, FLOOD, "too many records that could not stand"))

    def _enter(self, record: Record, judged: Judged) -> None:
        fold = self.fold
        assert fold is not None
        entry = sign_entry(self.identity, fold.id, len(fold.chain), fold.chain.head, record.raw)
        self._publish(entry, sync=isinstance(record.body, _SYNCED))
        fold.enter(entry, record, judged)

    def _publish(self, entry: NewEntry, *, sync: bool) -> None:
        assert self.fold is not None
        sync = sync or any(h is not None and not h.bot for h in self.seats)
        self.outbox.append(Journal(self.fold.chain.log_id, entry_bytes(entry), sync))
        for guest in self.guests.values():
            if guest.read_from is not None:
                self.outbox.append(Send(guest.conn, entry))
                guest.read_from = entry.number + 1

    def _write(self, body: Any) -> None:
        """Enter a record of the host's own."""
        fold = self.fold
        assert fold is not None
        number = fold.deal.number if fold.deal else 0
        chain = fold.chain
        raw = make_record(self.identity, fold.id, number, HOST, fold.counters[HOST], len(chain), chain.head, body)
        entry = sign_entry(self.identity, fold.id, len(chain), chain.head, raw)
        self._publish(entry, sync=True)
        fold.take(entry)

    # Beginning and going on

    def _work(self) -> None:
        """What follows from the state the table is in now."""
        if self._hearing:
            return
        self._close_log()
        if not self.playing:
            held = [h for h in self.seats if h is not None]
            everybody = len(held) == 4 and not self.wanted
            played = self.fold is not None and self.fold.match is not None
            people = any(not h.bot for h in held) or not played  # bots alone play one match, not for ever
            if everybody and (self.starting or (people and all(h.ready for h in held))):
                self._begin()
        if self.fold is not None:
            self._watch_debts()

    def _close_log(self) -> None:
        """End the log when the match is over or its seats change. The one after it may begin at once: whoever comes
        back to his seat says nothing more that could begin it."""
        fold = self.fold
        if fold is None:
            return
        if fold.stage is MatchStage.OVER and not fold.waits_for() - fold.away.keys():
            self._write(End(0))
            self._after_match()
        elif fold.stage is MatchStage.DEALS and fold.deal is not None and self._seats_change(fold):
            between = fold.deal.stage == 0 and bool(fold.finished)
            if between and not any(fold.owes_verdict(s) for s in SEATS):
                self._reseat()

    def _seats_change(self, fold: Fold) -> bool:
        back = {self.places.get(g.hello.key) for g in self.guests.values() if g.comes_back}
        return bool(fold.lost or self.kicks) or any(s in back and (h := self.seats[s]) and h.bot for s in SEATS)

    def _begin(self) -> None:
        self.starting = False
        setup, salt = self.setup, self.entropy(32)
        entries = []
        for held in self.seats:
            assert held is not None
            entries.append(SeatEntry(held.key, held.name, held.bot, held.level, held.operator, held.operator_signature))
            held.ready = held.bot
        owner = self.owner_seat
        rules = setup.rules
        if all(e.bot for e in entries):
            rules = replace(rules, yield_time=0)  # bots alone need no cover (R17)
        body = TableRecord(
            PROTOCOL, setup.program, salt, self.identity.public, setup.name, 4 if owner is None else owner,
            rules.target, rules.eggs_double, rules.yield_time, setup.settings, tuple(entries), self.carried,
        )  # fmt: skip
        log_id = table_id(self.identity.public, salt)
        self.carried = ()
        fold = Fold(self.identity.public)
        chain_head = genesis(log_id)
        raw = make_record(self.identity, log_id, 0, HOST, 0, 0, chain_head, body)
        entry = sign_entry(self.identity, log_id, 0, chain_head, raw)
        fold.take(entry)
        self.fold = fold
        self.owed_since.clear()
        self.warned.clear()
        self.bot_lives = [0, 0, 0, 0]
        self.outbox.append(Journal(log_id, FILE_HEADER, False))
        self.outbox.append(Journal(log_id, entry_bytes(entry), True))
        for guest in self.guests.values():
            guest.read_from = 1
            self.outbox.append(Send(guest.conn, entry))
        self._lobby()

    def _after_match(self) -> None:
        for seat in SEATS:
            held = self.seats[seat]
            if held is not None and (held.conn is None or seat in self.kicks):
                self._free(seat, self.kicks.get(seat, ""))
        self.kicks.clear()
        self.kick_votes.clear()
        self.places.clear()
        self._lobby()

    def _reseat(self) -> None:
        """The match goes on under other seats: whoever was lost or taken off makes room for a bot (R24)."""
        fold = self.fold
        assert fold is not None
        assert fold.match is not None
        assert fold.deal is not None
        back = {g.hello.key: g for g in self.guests.values() if g.comes_back}
        stands_in = {s for s in SEATS if (h := self.seats[s]) is None or h.bot}
        returning = {seat: back[key] for key, seat in self.places.items() if key in back and seat in stands_in}
        lost = (set(fold.lost) | set(self.kicks)) - returning.keys()
        self._write(End(1))
        self.carried = carried_from(fold)
        self.starting = True
        for seat, guest in returning.items():
            self._free(seat, "its player is back")
            self._seat(guest, seat, ready=True)
        for seat in lost:
            self._replace(seat)
        self.kicks.clear()
        self.kick_votes.clear()
        self._lobby()

    def _replace(self, seat: Seat) -> None:
        """A bot takes the seat; unless its player was taken off the table, he gets it back when he is there (R24)."""
        held = self.seats[seat]
        guest = None if held is None or held.conn is None else self.guests.get(held.conn)
        if held is not None and not held.bot and seat not in self.kicks:
            self.places[held.key] = seat
            if guest is not None:  # he is here and does nothing: he stays, and says when he wants to play again
                guest.seat, held.conn = None, None
        self._free(seat, self.kicks.get(seat, "") or "the host has taken you off the table")
        self._want_bot(seat, self.setup.bot_levels[-1])

    def _seat(self, guest: Guest, seat: Seat, *, ready: bool) -> None:
        hello, bot = guest.hello, guest.hello.role == ROLE_BOT
        level, signature = hello.level if bot else "", guest.operator_signature
        self.seats[seat] = Held(hello.key, hello.name, bot, level, hello.operator, signature, ready, guest.conn)
        guest.seat, guest.comes_back = seat, False
        self.places.pop(hello.key, None)

    def _give_up(self, seat: Seat) -> None:
        """There is no match without this seat's nonce: back to the lobby, or on with a bot in a match carried on."""
        fold = self.fold
        assert fold is not None
        assert fold.table is not None
        carried = fold.table.carried
        self._write(End(1))
        self.carried = carried
        if carried:
            self.starting = True
            self._replace(seat)
        else:
            self._free(seat, "you were away too long; sit down again when you are back")
        self._lobby()

    # Time

    def call_bots_back(self, seats: Iterable[Seat]) -> None:
        """After a resume: have the bots that this machine runs sit down again."""
        for seat in seats:
            held = self.seats[seat]
            if held is not None:
                self.own_bots.add(seat)
                self.outbox.append(StartBot(seat, held.level))

    @property
    def is_finished(self) -> bool:
        """Whether there is nothing that a resumed table could go on with."""
        fold = self.fold
        if fold is None:
            return not self.carried
        return fold.stage is MatchStage.ENDED and fold.match is not None and fold.match.goat is not None

    def tell(self, text: str) -> None:
        """The table's own word to everybody."""
        self.outbox.extend(Send(g, Said(4, "", text)) for g in self.guests)

    def start_hearing(self, now: float) -> float:
        """After a resume: until when the table waits for what others have of its log."""
        if self._hear_until is None:
            self._hear_until = now + HEAR_WITHIN
            for held in self.seats:
                if held is not None and held.conn is None:
                    held.away_since = now
        return self._hear_until

    @property
    def _stands(self) -> bool:
        """Whether the clocks stand still; after the last deal they run, the verdicts are all that is missing."""
        return self.fold is not None and self.fold.paused is not None and self.fold.stage is not MatchStage.OVER

    def _watch_debts(self) -> None:
        """Since when each seat owes something; past the grace time the people are asked (R24)."""
        fold = self.fold
        if fold is None or not fold.open:
            self.owed_since.clear()
            return
        paused = self._stands
        if paused and self.paused_since is None:
            self.paused_since = self._now
        elif not paused and self.paused_since is not None:
            stood = self._now - self.paused_since
            self.owed_since = {s: t + stood for s, t in self.owed_since.items()}
            self.paused_since = None
        owing = fold.waits_for()
        for seat in self.warned - fold.away.keys():  # the people wait on (R24): the grace time begins again
            self.warned.discard(seat)
            self.owed_since.pop(seat, None)
        self.owed_since = {s: self.owed_since.get(s, self._now) for s in owing}
        self.warned &= owing

    def tick(self, now: float) -> None:
        """Time has passed: seats that owe an action past the grace time are put to the vote."""
        self._now = now
        if self._hearing:
            if now < self.start_hearing(now):
                return
            self._heard_from(tuple(self._hearing))
        if self.wanted and now - self.wanted_at >= BOT_WITHIN:
            self.wanted_at = now
            self.outbox.extend(StartBot(seat, level) for seat, level in self.wanted.items())
        self._watch_debts()
        fold = self.fold
        if fold is None or not fold.open or self._stands:
            return
        for seat, since in sorted(self.owed_since.items()):
            late = now - since >= self.setup.settings.grace and seat not in self.warned
            if late and seat in fold.waits_for():  # the absence before may have ended the deal
                self.warned.add(seat)
                self._write(Away(seat, min(86_400, int(now - since))))
                if fold.stage in (MatchStage.COMMITS, MatchStage.NONCES):
                    self._give_up(seat)
                    break
        self._work()

    @property
    def deadline(self) -> float | None:
        """When the next seat's grace time is over."""
        if self._hearing:
            return self._hear_until
        if self.wanted:
            return self.wanted_at + BOT_WITHIN
        if self.fold is None or not self.fold.open or self._stands:
            return None
        times = [t + self.setup.settings.grace for s, t in self.owed_since.items() if s not in self.warned]
        return min(times, default=None)

    def close(self, text: str) -> None:
        """The host goes: everybody is told."""
        if self.playing:
            self._write(End(2))
        self.outbox.append(Closed(text))


def carried_from(fold: Fold) -> tuple[Carried, ...]:
    """What a match of the same people on a new log begins with. A deal that had begun counts as dealt, and is void."""
    if fold.match is None or fold.deal is None:
        return fold.table.carried if fold.table else ()
    m, deal = fold.match, fold.deal
    begun = deal.number if deal.tag else deal.number - 1
    return (Carried(fold.id, fold.chain.head, m.defeat, m.eggs, m.dealer, m.leader, m.doubled, begun),)


_SYNCED: Final = (Nonce, Open)  # what a match cannot do without after a power cut is written through to the disk
