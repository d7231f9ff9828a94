"""The table: the order of the log, time limits, what is said after a resume. No I/O (PROTOCOL.md, The table).

The host decides nothing about cards: it holds the same public fold as everybody, orders records, and refuses what
cannot stand. What the lobby says is a convenience; what counts is signed in the log.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from goat_engine.rules import SEATS, Rules, Seat
from goat_host.debts import Debts
from goat_host.handing import Offer
from goat_host.hearing import Hearing
from goat_host.matches import Matches
from goat_host.people import Guest
from goat_host.ports import Closed, Drop, Send
from goat_host.room import Held, TableSetup
from goat_net.log.absence_table import MISSED_NOTHING
from goat_net.log.chain import MAX_ENTRIES, ChainError, batch, parse_record
from goat_net.log.faults import UNANSWERED
from goat_net.log.fold import END_CLOSED, MAX_REFUSALS, Fold, MatchStage
from goat_net.log.records import HOST, Away, End, Refuse
from goat_net.log.statutes import NEWEST
from goat_net.wire.codec import WireError
from goat_net.wire.identity import Identity
from goat_net.wire.messages import (
    BAD_SIGNATURE,
    FLOOD,
    MALFORMED,
    Answer,
    Fresh,
    HandOver,
    Hello,
    Kick,
    NewEntry,
    PastEntry,
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
from goat_net.wire.notices import Notice, Saying, notice

log = logging.getLogger(__name__)

ENTRIES_KEPT: Final = 16  # room at the end of a log for the host's own last words
HOST_GOES: Final = notice(Saying.HOST_LEFT)


class Table(Matches):
    """See the module; the door is `goat_host.ports.TablePort`."""

    def __init__(self, identity: Identity, setup: TableSetup, entropy: Callable[[int], bytes]) -> None:
        super().__init__(identity, setup, entropy)
        self.debts = Debts(setup.settings.grace, self._is_waited_for)
        self.offer = Offer(identity.public)
        self._hearing = Hearing()

    @classmethod
    def from_journal(
        cls, identity: Identity, setup: TableSetup, entropy: Callable[[int], bytes], entries: Iterable[NewEntry]
    ) -> "Table":
        """The table of a log that was broken off: same seats, same log. It enters nothing before every seat has said
        what it has beyond the journal, or has had the time to (`goat_host.hearing`). Raises ChainError when the log is
        damaged, LookupError when it is over."""
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
        if fold.stage is MatchStage.ENDED or fold.statutes is not NEWEST:
            table.carry_on(fold)  # a log of an older protocol ends where it stands: its score goes on in a new one
            return table
        table.keeper.resume(fold)
        table.first_log = fold.chain.log_id
        table.people.names = {entry.key: entry.name for entry in record.seats if not entry.bot}
        for seat, sits in enumerate(record.seats):
            signature = sits.operator_signature
            table.seats[seat] = Held(
                sits.key, sits.name, sits.bot, sits.level, sits.operator, signature, sits.bot, None
            )
        if record.carried:  # for whom a bot plays is not in the log: that seat is anybody's who asks
            table.vacated = {seat for seat, sits in enumerate(record.seats) if sits.bot}
        table._hearing.listen()
        return table

    def message(self, conn: int, message: Any, now: float) -> None:
        """A message of somebody who is in. What they may not do is passed over: the lobby they get shows it."""
        self._now = now
        guest = self.people.of(conn)
        if guest is None:
            return
        self._listen(now)
        match message:
            case Submit(record=raw):
                self._submit(guest, raw)
            case Read(log_id=log_id, start=start):
                self._read(guest, log_id, start)
            case NewEntry():
                self._adopt(guest, message)
            case PastEntry():
                self._adopt_past(guest, message)
            case Sit(seat=seat):
                self._sit(guest, seat)
            case Ready(on=on):
                self._ready(guest, on)
            case Fresh(value=value):
                self._fresh(guest, value)
            case Swap(seat=seat):
                self._swap(guest, seat)
            case Answer(seat=seat, key=key, on=on):
                self._answer(guest, seat, key, on)
            case Say(text=text):
                self.people.say(guest, text, now)
            case Reach():
                self.people.reach(guest, message)
            case Start():
                self._start(guest)
            case SetBot(seat=seat, level=level):
                self._set_bot(guest, seat, level)
            case Kick(seat=seat, text=text):
                self._kick(guest, seat, text)
            case HandOver():
                self._hand_over(guest, message)
            case Pause():
                pass  # a match is paused by a record
            case _:
                self.outbox.append(Drop(conn, MALFORMED, notice(Saying.NOT_FOR_HOST)))
        self._work()

    # The log

    def _read(self, guest: Guest, log_id: bytes, start: int) -> None:
        """A guest says how many entries they have. They get the rest, a batch at a time; what this table lacks (its
        machine lost power) is asked of them."""
        if self.before is not None and self.before is not self.fold and log_id == self.before.chain.log_id:
            self._read_past(guest, start)
            return
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
            self.keeper.adopt(entry)
        except ChainError as error:
            log.info("%s sent no entry of this table: %s", guest.hello.name, error)
            self.outbox.append(Drop(guest.conn, MALFORMED, notice(Saying.NO_ENTRY)))

    def _heard_from(self, seats: Iterable[Seat]) -> None:
        """These seats have told what they have of the log; after the last one the table signs on."""
        held = self._hearing.heard(seats)
        if held is None:
            return
        self.debts.log_resumed(self.fold)
        for guest in [g for g in self.people.guests.values() if g.seat in held]:
            assert guest.seat is not None
            for raw in held[guest.seat]:
                self._submit(guest, raw)

    def _submit(self, guest: Guest, raw: bytes) -> None:
        if self._hearing.on:
            self._hearing.hold_back(guest.seat, raw)
            return
        fold = self.fold
        if fold is None or not fold.open:
            return
        try:
            record = parse_record(raw)
        except WireError:
            self.outbox.append(Drop(guest.conn, MALFORMED, notice(Saying.RECORD_UNREADABLE)))
            return
        seat = record.author
        if not fold.knows(record):
            self.outbox.append(Drop(guest.conn, MALFORMED, notice(Saying.RECORD_UNKNOWN)))
            return
        if record.match_id not in (fold.id, fold.chain.log_id):
            return  # of the log before, under way when this one began: somebody else may have that seat now
        if seat == HOST or not record.signed_by(fold.seats[seat].key):
            self.outbox.append(Drop(guest.conn, BAD_SIGNATURE, notice(Saying.RECORD_SIGNATURE)))
            return
        judged = fold.judge(record)
        if judged.form is None and self.offer.is_due(fold, record):
            self.close(notice(Saying.HANDED_OVER))
            return
        if judged.form is None:
            self.keeper.enter(record, judged)
            if not isinstance(record.body, MISSED_NOTHING):
                self.debts.paid(record.author)
            if len(fold.chain) >= MAX_ENTRIES - ENTRIES_KEPT and fold.open:
                self.keeper.write(End(END_CLOSED))
            return
        if record.counter != fold.counters[seat] or judged.form in UNANSWERED:
            return  # a copy: anybody could send it, so it costs its author nothing
        if fold.refusals[seat] < MAX_REFUSALS:
            self.keeper.write(Refuse(seat, record.counter, record.digest, int(judged.form)))
        elif guest.seat == seat:
            self.outbox.append(Drop(guest.conn, FLOOD, notice(Saying.RECORDS_REFUSED)))

    # Handing the table over (`goat_host.handing`)

    @property
    def _owner_conn(self) -> int | None:
        return next((conn for conn, guest in self.people.guests.items() if self._is_owner(guest)), None)

    @property
    def _followers(self) -> list[int]:
        """Connections of all who may go on at another table: not those of this machine's bots."""
        return [conn for conn, g in self.people.guests.items() if g.seat is None or g.seat not in self.bots.seated]

    def joined(self, conn: int, hello: Hello, operator_signature: bytes, now: float) -> None:
        """A joiner is in; who was away when the table was taken over hears of it."""
        super().joined(conn, hello, operator_signature, now)
        if self.offer.taken is not None and conn in self._followers:
            self.outbox.append(Send(conn, self.offer.taken))

    def _hand_over(self, guest: Guest, said: HandOver) -> None:
        if self._is_owner(guest):
            self.outbox += self.offer.make(said, guest.conn, self.seats, self.fold)
        else:
            owner, all_ = self._owner_conn, self._followers
            self.outbox += self.offer.answer(said, guest.key, guest.seat, owner, all_)

    # What follows

    def _work(self) -> None:
        """What follows from the state the table is in now."""
        if self._hearing.on:
            return
        self._close_log()
        self.outbox += self.offer.follow(self.fold, self._followers)
        if not self._holds_seats:
            self._send_orphans_away()
            self._undo_start()
        if self.fold is None or self.fold.stage is MatchStage.ENDED:  # no log begins before the old one's end
            held = [h for h in self.seats if h is not None]
            everybody = len(held) == 4 and not self.bots.wanted and all(h.fresh for h in held)
            played = self.fold is not None and self.fold.match is not None
            people = any(not h.bot for h in held) or not played  # bots alone play one match, not for ever
            if everybody and (self.starting or (people and all(h.ready for h in held))):
                self._begin()
        if self.fold is not None:
            self.debts.watch(self.fold, self._now)
            self._tell_free()

    def _undo_start(self) -> None:
        """A start rests on every seat being held or on its way: whatever empties one undoes it."""
        if self.starting and any(self.seats[s] is None and s not in self.bots.wanted for s in SEATS):
            self.starting = False
            self._lobby()

    def gone(self, conn: int, now: float) -> None:
        """A connection has ended."""
        key = guest.key if (guest := self.people.of(conn)) is not None else b""
        super().gone(conn, now)
        self.outbox += self.offer.gone(key, self._owner_conn, self._followers)
        self._work()

    # Time

    def call_bots_back(self, seats: Iterable[Seat]) -> None:
        """After a resume: have the bots that this machine runs sit down again."""
        for seat in seats:
            held = self.seats[seat]
            if held is not None:
                self.bots.call_back(seat, held.level)

    @property
    def is_finished(self) -> bool:
        """Whether there is nothing that a resumed table could go on with."""
        fold = self.fold
        if fold is None:
            return not self.carried
        if self.offer.taken is not None:
            return True  # it goes on elsewhere
        return fold.stage is MatchStage.ENDED and fold.match is not None and fold.match.goat is not None

    def waking(self, now: float) -> None:
        """After a resume the time to hear from the others runs from the first guest on."""
        self._listen(now)

    def _listen(self, now: float) -> None:
        """Let the time run in which a resumed table listens; who has not come back is away from now on."""
        if self._hearing.start(now):
            for held in self.seats:
                if held is not None and held.conn is None:
                    held.away_since = now

    def _has_begun(self) -> None:
        self.debts.log_begun()

    def _is_done_with(self, seat: Seat) -> bool:
        return self.fold is not None and self.debts.is_done_with(self.fold, seat, self._now)

    def _is_waited_for(self, seat: Seat) -> bool:
        """Whether this seat keeps somebody waiting: other people who decide about it, or, when its player is gone,
        whoever else is here. A person alone with bots takes all the time they like."""
        held = self.seats[seat]
        fold = self.fold
        if held is None or held.bot or fold is None:
            return True
        if any(s != seat and s not in (*fold.left, *fold.away, *fold.lost) for s in fold.people):
            return True
        return held.away_since is not None and any(not g.is_bot for g in self.people.guests.values())

    def slept(self, seconds: float) -> None:
        """This process has stood still for so long (Ctrl-Z, a lid): what it did not hear is nobody's silence."""
        self.debts.slept(self.fold, seconds)
        self._hearing.slept(seconds)

    def tick(self, now: float) -> None:
        """Time has passed: seats that owe an action past the grace time are put to the vote."""
        self._now = now
        self._listen(now)
        if self._hearing.on:
            if not self._hearing.is_late(now):
                return
            self._heard_from(SEATS)
        self.bots.tick(now)
        fold = self.fold
        if fold is None or not fold.open:
            return
        for body in self.debts.due(fold, now):
            self.keeper.write(body)
            if isinstance(body, Away) and fold.stage in (MatchStage.COMMITS, MatchStage.NONCES):
                self._give_up(body.seat)
                break
        if not self.debts.stands(fold):
            self._work()

    @property
    def deadline(self) -> float | None:
        """When `tick` wants to be called: see `Debts.deadline`; before that when a bot or a seat's word is missing."""
        if self._hearing.on:
            return self._hearing.deadline
        if self.bots.deadline is not None:
            return self.bots.deadline
        return None if self.fold is None else self.debts.deadline(self.fold)

    def close(self, why: Notice) -> None:
        """The table ends for good, for it has been handed over: everybody is told. One that is only closed leaves its
        log open, to go on with."""
        if self.playing and self.fold is not None and not self.fold.deal_is_on:
            # Else the deal stays open: it goes on where it stands when the table does.
            self.keeper.write(End(END_CLOSED))
        self.outbox.append(Closed(why))
