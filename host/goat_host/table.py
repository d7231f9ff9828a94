"""The table: the order of the log, time limits, leavers, other seats. No I/O (PROTOCOL.md, The table).

The host decides nothing about cards: it holds the same public fold as everybody, orders records, and refuses what
cannot stand. What the lobby says is a convenience; what counts is signed in the log.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from goat_engine.rules import SEATS, Rules, Seat
from goat_host.ports import Closed, Drop, Journal, Send, StartBot
from goat_host.room import Guest, Held, TableSetup
from goat_host.seating import Seating
from goat_net.chair import batch
from goat_net.codec import WireError
from goat_net.faults import UNANSWERED, Judged
from goat_net.fold import MAX_REFUSALS, Fold, MatchStage
from goat_net.identity import Identity
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
    FLOOD,
    MALFORMED,
    PROTOCOL,
    Answer,
    Kick,
    NewEntry,
    Pause,
    Reach,
    Read,
    Ready,
    Say,
    SetBot,
    Sit,
    Start,
    Submit,
    Swap,
)
from goat_net.records import HOST, Away, Carried, End, Nonce, Open, Refuse, SeatEntry
from goat_net.records import Table as TableRecord
from goat_net.waiting import NO_DUTY

ENTRIES_KEPT: Final = 16  # room at the end of a log for the host's own last words
# s after a resume in which every seat's program has come back and said what it has of the log: it tries once a second
HEAR_WITHIN: Final = 20.0
HELD_BACK: Final = 16  # records that wait for that: one of each seat, sent again when its connection was made again
BOT_WITHIN: Final = 15.0  # s a bot may take to sit down before it is asked for again


class Table(Seating):
    """See the module; the door is `goat_host.ports.TablePort`."""

    def __init__(self, identity: Identity, setup: TableSetup, entropy: Callable[[int], bytes]) -> None:
        super().__init__(identity, setup, entropy)
        self.owed_since: dict[Seat, float] = {}
        self.warned: set[Seat] = set()
        self.paused_since: float | None = None
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
        if record.carried:  # for whom a bot plays is not in the log: that seat is anybody's who asks
            table.vacated = {seat for seat, sits in enumerate(record.seats) if sits.bot}
        table._hearing = set(SEATS)
        return table

    def carry_on(self, fold: Fold) -> None:
        """Begin with the score of a log that was broken off (the deal under way is void), and keep its seats for those
        who sat there. The match before has ended if its last entry says so; else its table is gone (R24)."""
        self.carried = carried_from(fold)
        self.places = {entry.key: seat for seat, entry in enumerate(fold.seats) if not entry.bot}

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
            case Swap(seat=seat):
                self._swap(guest, seat)
            case Answer(seat=seat, key=key, on=on):
                self._answer(guest, seat, key, on)
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
        if record.match_id not in (fold.id, fold.chain.log_id):
            return  # of the log before, under way when this one began: somebody else may have that seat now
        if seat == HOST or not record.signed_by(fold.seats[seat].key):
            self.outbox.append(Drop(guest.conn, BAD_SIGNATURE, "this record is not signed by whom it names"))
            return
        judged = fold.judge(record)
        if judged.form is None:
            self._enter(record, judged)
            if len(fold.chain) >= MAX_ENTRIES - ENTRIES_KEPT and fold.open:
                self._write(End(2))
            return
        if record.counter != fold.counters[seat] or judged.form in UNANSWERED:
            return  # a copy: anybody could send it, so it costs its author nothing
        if fold.refusals[seat] < MAX_REFUSALS:
            self._write(Refuse(seat, record.counter, record.digest, int(judged.form)))
        elif guest.seat == seat:
            self.outbox.append(Drop(guest.conn, FLOOD, "too many records that could not stand"))

    def _enter(self, record: Record, judged: Judged) -> None:
        fold = self.fold
        assert fold is not None
        entry = sign_entry(self.identity, fold.id, len(fold.chain), fold.chain.head, record.raw)
        fold.enter(entry, record, judged)
        self._publish(entry, sync=isinstance(record.body, _SYNCED))
        if not isinstance(record.body, NO_DUTY):
            self.owed_since.pop(record.author, None)  # what it owes from now on it owes anew

    def _publish(self, entry: NewEntry, *, sync: bool) -> None:
        assert self.fold is not None
        # Whoever watches is not asked after a resume, so what he has seen must not be lost either.
        people = any(h is not None and not h.bot for h in self.seats) or any(
            g.seat is None for g in self.guests.values()
        )
        sync = sync or people
        self.outbox.append(Journal(self.fold.chain.log_id, entry_bytes(entry), sync))
        # Whom the table waits for now hears first: on one machine the others' checks would take the processor from him.
        waited = self.fold.waits_for()
        for guest in sorted(self.guests.values(), key=lambda g: g.seat not in waited):
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
        fold.take(entry)
        self._publish(entry, sync=True)

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
            self._tell_free()

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
        waits = any(self._returning(s) is not None or (s in self.vacated and self._taker(s) is not None) for s in SEATS)
        return bool(fold.lost or self.kicks) or waits

    def _begin(self) -> None:
        self.starting = False
        setup, salt = self.setup, self.entropy(32)
        entries = []
        for held in self.seats:
            assert held is not None
            entries.append(SeatEntry(held.key, held.name, held.bot, held.level, held.operator, held.operator_signature))
            held.ready, held.asks = held.bot, None
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
        self.vacated.clear()
        self.takers.clear()
        self.taken_off.clear()
        self._lobby()

    def _reseat(self) -> None:
        """The match goes on under other seats: whoever was lost or taken off makes room for somebody who watches and
        has asked for the seat, or for a bot (R24)."""
        fold = self.fold
        assert fold is not None
        assert fold.match is not None
        assert fold.deal is not None
        returning = {s: g for s in SEATS if (g := self._returning(s)) is not None}
        lost = (set(fold.lost) | set(self.kicks)) - returning.keys()
        self._write(End(1))
        self.carried = carried_from(fold)
        self.starting = True
        for seat, guest in returning.items():
            self._unseat(seat, "its player is back")
            self._seat(guest, seat, ready=True)
        for seat in lost:
            self._replace(seat)
        for seat in self.vacated - lost:
            if self._taker(seat) is not None:
                self._unseat(seat, "somebody else takes this seat")
                self._takes_seat(seat)
        self.kicks.clear()
        self.kick_votes.clear()
        self._lobby()

    def _replace(self, seat: Seat) -> None:
        """Somebody who watches and has asked for it takes the seat, or a bot; unless its player was taken off the
        table, he gets it back when he is there (R24)."""
        held = self.seats[seat]
        guest = None if held is None or held.conn is None else self.guests.get(held.conn)
        if held is not None and seat in self.kicks:
            self.taken_off.add(held.key)
        elif held is not None and not held.bot:
            if seat not in self.vacated:
                self.places[held.key] = seat
            if guest is not None:  # he is here and does nothing: he stays, and says when he wants to play again
                guest.seat, held.conn = None, None
        self._free(seat, self.kicks.get(seat, "") or "the host has taken you off the table")
        self.vacated.add(seat)
        if not self._takes_seat(seat):
            self._want_bot(seat, self.setup.bot_levels[-1])

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

    def waking(self, now: float) -> None:
        """After a resume the time to hear from the others runs from the first guest on."""
        if self._hearing:
            self.start_hearing(now)

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
        if self.wanted and now >= self.wanted_at + BOT_WITHIN:
            self.wanted_at = now
            self.outbox.extend(StartBot(seat, level) for seat, level in self.wanted.items())
        self._watch_debts()
        fold = self.fold
        if fold is None or not fold.open or self._stands:
            return
        for seat, since in sorted(self.owed_since.items()):
            # The same sum as in `deadline`: a difference may round to just below the grace, and time would stand still.
            late = now >= since + self.setup.settings.grace and seat not in self.warned
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
