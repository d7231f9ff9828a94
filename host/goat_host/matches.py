"""From log to log: a match begins, goes on under other seats, or is over.

Part of the table, no I/O (PROTOCOL.md, The table; RULES.md R24, R25).
"""

import logging
from dataclasses import replace

from goat_engine.rules import SEATS, Seat
from goat_host.people import Guest
from goat_host.ports import Drop, Send
from goat_host.room import taken_off
from goat_host.seating import Seating
from goat_net.log.chain import (
    ChainError,
    batch,
)
from goat_net.log.fold import END_OVER, END_SEATS, Fold, MatchStage
from goat_net.log.records import Carried, End, SeatEntry
from goat_net.log.records import Table as TableRecord
from goat_net.log.succession import score_of
from goat_net.wire.messages import MALFORMED, PROTOCOL, Hello, NewEntry, PastEntry, Read
from goat_net.wire.notices import Saying, notice

log = logging.getLogger(__name__)


class Matches(Seating):
    """See the module. ``fold`` is the log that is on; after its end ``carried`` is what the next one goes on with."""

    def carry_on(self, fold: Fold) -> None:
        """Begin with the score of a log that was broken off (the deal under way is void), and keep its seats for those
        who sat there. The match before has ended if its last entry says so; else its table is gone (R24)."""
        self.carried, self.before = carried_from(fold), fold
        self.first_log = fold.chain.log_id
        self.places = {e.key: s for s, e in enumerate(fold.seats) if not e.bot and not self.is_out(e.key)}
        self.people.names = {entry.key: entry.name for entry in fold.seats if not entry.bot}

    def _is_done_with(self, seat: Seat) -> bool:
        """Whether nobody waits any more for what a seat owes after the last deal."""
        return False

    def _has_begun(self) -> None:
        """A log has begun: what was counted for the one before is over."""

    # The log before

    def joined(self, conn: int, hello: Hello, operator_signature: bytes, now: float) -> None:
        """A joiner is in, who may have more of the match that goes on here."""
        super().joined(conn, hello, operator_signature, now)
        if conn in self.people.guests:
            self._ask_past(conn)

    def _ask_past(self, conn: int) -> None:
        """A guest has come to a table that goes on with a match: they may have more of it than this table."""
        if self.before is not None and self.carried and not self.playing and self.before.open:
            self.outbox.append(Send(conn, Read(self.before.chain.log_id, len(self.before.chain))))

    def _read_past(self, guest: Guest, start: int) -> None:
        """A guest says how much they have of the log before. They get the rest, and are asked for what lacks here."""
        assert self.before is not None
        chain = self.before.chain
        entries = batch(chain, start) if start < len(chain) else ()
        self.outbox.extend(Send(guest.conn, PastEntry(chain.log_id, e.number, e.record, e.signature)) for e in entries)
        if start + len(entries) < len(chain):
            self.outbox.append(Send(guest.conn, Read(chain.log_id, len(chain))))
        elif start > len(chain):
            self._ask_past(guest.conn)

    def _adopt_past(self, guest: Guest, past: PastEntry) -> None:
        """An entry of the log before that this table lacked: the score that goes on is the one after it."""
        before = self.before
        if before is None or self.playing or not self.carried or past.log_id != before.chain.log_id:
            return
        if past.number != len(before.chain) or not before.open:
            return
        try:
            before.take(NewEntry(past.number, past.record, past.signature))
        except ChainError as error:
            log.info("%s sent no entry of the match before: %s", guest.hello.name, error)
            self.outbox.append(Drop(guest.conn, MALFORMED, notice(Saying.NO_PAST_ENTRY)))
            return
        over = before.match is not None and before.match.goat is not None
        self.carried = () if over else carried_from(before)

    # Beginning and going on

    def _close_log(self) -> None:
        """End the log when the match is over or its seats change. The one after it may begin at once: whoever comes
        back to their seat says nothing more that could begin it."""
        fold = self.fold
        if fold is None:
            return
        if fold.stage is MatchStage.OVER:
            if any(seat not in fold.away and not self._is_done_with(seat) for seat in fold.waits_for()):
                return
            self.keeper.write(End(END_OVER))
            self._after_match()
        elif fold.stage is MatchStage.DEALS and fold.deal is not None and self._seats_change(fold):
            between = fold.deal.stage == 0 and (bool(fold.finished) or bool(fold.lost))
            if between and not any(fold.owes_verdict(s) for s in SEATS):
                self._reseat()

    def _seats_change(self, fold: Fold) -> bool:
        waits = any(self._returning(s) is not None or (s in self.vacated and self._taker(s) is not None) for s in SEATS)
        return bool(fold.lost or self.kicks) or waits

    def _begin(self) -> None:
        """Begin a log. One that the fold itself refuses is not begun: everybody is told, and the table stays."""
        self.starting = False
        salt = self.entropy(32)
        fresh = tuple(held.fresh for held in self.seats if held is not None)
        try:
            fold = self.keeper.new_log(self._table_record(salt, fresh))
        except ChainError as error:
            self._cannot_begin(error)
            return
        self._use_fresh()
        for held in self.seats:
            assert held is not None
            held.ready, held.asks = held.bot, None
        kept = {key: name for key, name in self.people.names.items() if key in self.places}
        self.people.names = kept | {h.key: h.name for h in self.seats if h is not None and not h.bot}
        if not self.carried:
            self.first_log = fold.chain.log_id
        self.carried = ()
        self.keeper.begin(fold)
        self._has_begun()
        self.keeper.send_missed()
        self._lobby()

    def recover(self) -> None:
        """After a fault of this program in the middle of something: the state is what follows from the log, as far as
        that is written, and everybody gets what is written."""
        for seat, held in enumerate(self.seats):
            if held is not None and held.conn is not None and held.conn not in self.people.guests:
                held.conn, held.away_since = None, self._now
                if not self._holds_seats:
                    self.seats[seat] = None
        self._lobby()
        self.keeper.recover()

    def _table_record(self, salt: bytes, fresh: tuple[bytes, ...]) -> TableRecord:
        setup, entries = self.setup, []
        for held in self.seats:
            assert held is not None
            entries.append(SeatEntry(held.key, held.name, held.bot, held.level, *self._operator_of(held)))
        owner, rules = self.owner_seat, setup.rules
        if all(e.bot for e in entries):
            rules = replace(rules, yield_time=0)  # bots alone need no cover (R17)
        return TableRecord(
            PROTOCOL, setup.program, salt, self.identity.public, setup.name, 4 if owner is None else owner,
            rules.target, rules.eggs_double, rules.yield_time, setup.settings, tuple(entries), self.carried, fresh,
        )  # fmt: skip

    def _use_fresh(self) -> None:
        """What the seats' clients gave is used up by the log that has begun: each gives another for the next one."""
        for held in self.seats:
            assert held is not None
            held.fresh = b""
            guest = self.people.of(held.conn)
            if guest is not None:
                guest.fresh = b""

    def _cannot_begin(self, error: ChainError) -> None:
        log.error("a match cannot begin: %s", error)
        for held in self.seats:
            if held is not None:
                held.ready = False
        self.people.tell(Saying.CANNOT_BEGIN)
        self._lobby()

    def _after_match(self) -> None:
        """Back to the lobby. Who was to have a seat from the next deal on has it for the next match."""
        heirs = self._heirs()
        for seat in SEATS:
            held = self.seats[seat]
            if held is not None and (held.conn is None or seat in self.kicks):
                self._free(seat, taken_off(self.kicks.get(seat, "")))
        for seat, guest in heirs.items():
            self._unseat(seat, notice(Saying.PLAYER_BACK))
            self._seat(guest, seat, ready=False)
        self.kicks.clear()
        self.kick_votes.clear()
        self.places.clear()
        self.people.names.clear()
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
        # Who is not here and has given no bytes for the next log could keep it from beginning.
        lost |= {s for s in SEATS if (h := self.seats[s]) and h.conn is None and not h.fresh} - returning.keys()
        self.keeper.write(End(END_SEATS))
        self.carried, self.before = carried_from(fold), fold
        self.starting = True
        for seat, guest in returning.items():
            self._unseat(seat, notice(Saying.PLAYER_BACK))
            self._seat(guest, seat, ready=True)
        for seat in lost:
            self._replace(seat)
        for seat in self.vacated - lost:
            if self._taker(seat) is not None:
                self._unseat(seat, notice(Saying.SEAT_TAKEN_OVER))
                self._takes_seat(seat)
        self.kicks.clear()
        self.kick_votes.clear()
        self._lobby()

    def _replace(self, seat: Seat) -> None:
        """Somebody who watches and has asked for it takes the seat, or a bot; unless its player was taken off the
        table, they get it back when they are there (R24)."""
        held = self.seats[seat]
        guest = None if held is None else self.people.of(held.conn)
        if held is not None and seat in self.kicks:
            self.taken_off.add(held.key)
        elif held is not None and not held.bot:
            if seat not in self.vacated and not self.is_out(held.key):
                self.places[held.key] = seat
            if guest is not None:  # here, and does nothing: stays, and says when to play again
                guest.seat, held.conn = None, None
        self._free(seat, taken_off(self.kicks.get(seat, "")))
        self.vacated.add(seat)
        if not self._takes_seat(seat):
            self._want_bot(seat, self.setup.bot_levels[-1])

    def _give_up(self, seat: Seat) -> None:
        """There is no match without this seat's nonce: back to the lobby, or on with a bot in a match carried on."""
        fold = self.fold
        assert fold is not None
        assert fold.table is not None
        carried = fold.table.carried
        self.keeper.write(End(END_SEATS))
        self.carried = carried
        if carried:
            self.starting = True
            self._replace(seat)
        else:
            self._free(seat, notice(Saying.AWAY_TOO_LONG))
        self._lobby()


def carried_from(fold: Fold) -> tuple[Carried, ...]:
    """What a match of the same people on a new log begins with."""
    score = score_of(fold)
    if score is not None:
        return (score,)
    return fold.table.carried if fold.match is None and fold.table is not None else ()
