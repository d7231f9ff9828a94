"""Who comes to which seat: sitting down, swapping by consent, and seats that somebody else has from the next deal on.

Part of the table, no I/O (PROTOCOL.md, The table; RULES.md R24).
"""

from collections.abc import Callable
from typing import Final

from goat_engine.rules import SEATS, Seat
from goat_host.people import Guest
from goat_host.room import Held, Prospects, Room, TableSetup
from goat_net.log.fold import MatchStage
from goat_net.wire.identity import Identity
from goat_net.wire.notices import Notice, Saying, notice

WISH_LIMIT: Final = 5  # in WISH_WINDOW seconds: each is told to everybody
WISH_WINDOW: Final = 10.0
ANY: Final = 4  # in a message: any seat, or none


class Seating(Room):
    """See the module. ``vacated``: seats whose player was lost or taken off in this match, and that somebody else
    plays; ``takers``: who has a seat from the next deal on, by key, the first who asked."""

    def __init__(self, identity: Identity, setup: TableSetup, entropy: Callable[[int], bytes]) -> None:
        super().__init__(identity, setup, entropy)
        self.vacated: set[Seat] = set()
        self.takers: dict[Seat, bytes] = {}
        self.taken_off: set[bytes] = set()  # they don't come back to a seat by watching; as many as the host has named
        self._told_free: tuple[bool, ...] = (False,) * len(SEATS)

    def prospects(self, seat: Seat) -> Prospects:
        """What is to become of a seat."""
        held = self.seats[seat]
        asked = None if held is None or not self._may_swap else held.asks
        asks = next((s for s in SEATS if asked is not None and self.seats[s] is asked), ANY)
        kept = next((key for key, s in self.places.items() if s == seat and self.playing), b"")
        kept = b"" if held is not None and held.key == kept else kept
        back = self._returning(seat)
        taker = back if back is not None else self._taker(seat)
        free = (taker is None and self._may_take(seat)) or self._makes_room(seat)
        return Prospects(asks, free, taker.key if taker is not None else b"", kept)

    def gone(self, conn: int, now: float) -> None:
        """A connection has ended: what its guest had asked for lapses."""
        guest = self.people.of(conn)
        if guest is not None:
            self._forget_taker(guest.key)
        super().gone(conn, now)

    def _seat(self, guest: Guest, seat: Seat, *, ready: bool) -> None:
        self._forget_taker(guest.key)
        if self.places.get(guest.key) == seat:
            self.vacated.discard(seat)
        super()._seat(guest, seat, ready=ready)

    # Sitting down

    def _sit(self, guest: Guest, seat: int) -> None:
        bot = guest.is_bot
        if self.is_out(guest.key):
            self.people.tell_one(guest, Saying.CAUGHT_TWICE)
            return
        if self._holds_seats and not bot:
            self._sit_later(guest, seat)
            return
        if self.playing:
            return
        free = [s for s in SEATS if self.seats[s] is None and self.bots.allows(s, guest.key, bot=bot)]
        room = [] if bot or guest.seat is not None else [s for s in SEATS if self._makes_room(s)]
        if seat == ANY and guest.seat is None and free + room:
            kept = self.places.get(guest.key)
            others = [s for s in free if s not in self.places.values()]
            seat = kept if kept in free and kept is not None else (others + free + room)[0]
        if seat not in free + room:
            return
        if bot and seat not in self.bots.wanted and not self._has_operator(guest.hello.operator):
            self.people.tell_one(guest, Saying.BOT_AFTER_PLAYER)
            return
        if seat in room:
            self._free(seat, notice(Saying.MAKES_ROOM))
        if guest.seat is not None:
            self.seats[guest.seat] = None
        self.bots.sat_down(seat)
        self._seat(guest, seat, ready=bot)
        self._lobby()

    # From the next deal on

    def _sit_later(self, guest: Guest, seat: int) -> None:
        """During a match: a player wants their own seat again, or somebody who watches one that is free."""
        key = guest.key
        if guest.seat is not None:
            return
        if key in self.places:  # another plays for them: from the next deal on they do
            guest.comes_back = True
            self._forget_taker(key)
            self._lobby()
            return
        if seat == ANY:
            if key in self.takers.values():
                self._forget_taker(key)
                self._lobby()
            return
        if self._taker(seat) is not None or not self._may_take(seat) or not self._may_wish(guest):
            return
        if key in self.taken_off:
            self.people.tell_one(guest, Saying.WATCH_ONLY)
        else:
            self._forget_taker(key)
            self.takers[seat] = key
            self._lobby()

    def _may_take(self, seat: Seat) -> bool:
        """Whether this seat is free from the next deal on, or may be: its player is lost, has left, or is away for
        longer than the grace time; or a bot plays for somebody who was."""
        held, fold = self.seats[seat], self.fold
        if not self.playing or held is None or fold is None or self._returning(seat) is not None:
            return False
        going = seat in fold.lost or seat in fold.left or seat in fold.away or seat in self.kicks
        return going or (seat in self.vacated and held.bot)

    def _taker(self, seat: Seat) -> Guest | None:
        """Who has this seat from the next deal on, if they are still here to take it."""
        key = self.takers.get(seat)
        return next((g for g in self.people.guests.values() if key == g.key and g.seat is None), None)

    def _returning(self, seat: Seat) -> Guest | None:
        """The player of this seat who is back and wants it again from the one who plays for them."""
        held = self.seats[seat]
        if held is not None and not held.bot and seat not in self.vacated:
            return None
        return next((g for g in self.people.guests.values() if g.comes_back and self.places.get(g.key) == seat), None)

    def _forget_taker(self, key: bytes) -> None:
        self.takers = {s: k for s, k in self.takers.items() if k != key}

    def _tell_free(self) -> None:
        """Tell everybody when a seat has become free for the next deal, or is not any more."""
        free = tuple(self._may_take(s) for s in SEATS)
        over = self.fold is not None and self.fold.stage is MatchStage.OVER  # who has asked gets their seat after it
        if free == self._told_free or (self.starting and self.carried) or over:
            return
        self._told_free = free
        self.takers = {s: k for s, k in self.takers.items() if free[s]}
        self._lobby()

    def _takes_seat(self, seat: Seat) -> bool:
        """Seat whoever has asked for this seat, which is nobody's now; False when nobody has."""
        taker = self._taker(seat)
        if taker is None:
            return False
        self._seat(taker, seat, ready=True)
        return True

    def _heirs(self) -> dict[Seat, Guest]:
        """Who has a seat when a match is over that another has played on for a while: its player, who is back, or who
        has asked for it and finds it still nobody's."""
        heirs = {}
        for seat in SEATS:
            held = self.seats[seat]
            nobodys = held is None or held.conn is None or seat in self.kicks or (held.bot and seat in self.vacated)
            heir = self._returning(seat) or (self._taker(seat) if nobodys else None)
            if heir is not None:
                heirs[seat] = heir
        return heirs

    def _unseat(self, seat: Seat, why: Notice) -> None:
        """Whoever plays on this seat for another makes room: a bot goes, somebody who watched before watches again."""
        held = self.seats[seat]
        guest = None if held is None or held.bot else self.people.of(held.conn)
        if guest is not None and held is not None:
            guest.seat, held.conn = None, None
        self._free(seat, why)

    # Swapping

    @property
    def _may_swap(self) -> bool:
        return not (self.playing or self.starting)

    def _may_wish(self, guest: Guest) -> bool:
        recent = tuple(t for t in guest.wished if self._now - t < WISH_WINDOW)
        if len(recent) >= WISH_LIMIT:
            return False
        guest.wished = (*recent, self._now)
        return True

    def _swap(self, guest: Guest, seat: int) -> None:
        """A player asks another to swap seats; bots agree at once, and so does whoever has asked them the same."""
        held = None if guest.seat is None else self.seats[guest.seat]
        if held is None or held.bot or guest.seat is None or not self._may_swap or seat == guest.seat:
            return
        if seat == ANY:
            if held.asks is not None:
                held.asks = None
                self._lobby()
            return
        other = self.seats[seat]
        if other is None:
            self._sit(guest, seat)
        elif self.carried:
            self.people.tell_one(guest, Saying.SCORE_KEEPS_SEATS)
        elif held.asks is other or not self._may_wish(guest):
            return
        elif other.bot or other.asks is held:
            self._exchange(guest.seat, seat)
        else:
            held.asks = other
            self._lobby()

    def _answer(self, guest: Guest, seat: Seat, key: bytes, on: bool) -> None:
        """Whether they swap seats with the player who asks them."""
        held, other = None if guest.seat is None else self.seats[guest.seat], self.seats[seat]
        if held is None or other is None or guest.seat is None or not self._may_swap:
            return
        if other.key != key or other.asks is not held:
            return  # has moved, or does not ask any more
        if on:
            self._exchange(seat, guest.seat)
            return
        other.asks = None
        asker = self.people.of(other.conn)
        if asker is not None:
            self.people.tell_one(asker, Saying.NO_SWAP, held.name)
        self._lobby()

    def _exchange(self, first: Seat, second: Seat) -> None:
        """Swap the players of two seats; ``first`` is a person's. Nobody of them is ready any more, and what they were
        asked, or had asked, lapses."""
        one, two = self.seats[first], self.seats[second]
        assert one is not None
        assert two is not None
        if two.bot and second in self.bots.seated:  # bots of this machine are kept by their seats: one comes anew
            self._free(second, notice(Saying.SEAT_SWAPPED))
            self.seats[first] = None
            self._want_bot(first, two.level)
        else:
            self.seats[first] = two
            self._moved(two, first)
        self.seats[second] = one
        self._moved(one, second)
        for held in self.seats:
            if held is not None and (held.asks is one or held.asks is two):
                held.asks = None
        self._lobby()

    def _moved(self, held: Held, seat: Seat) -> None:
        held.ready, held.asks = held.bot, None
        guest = self.people.of(held.conn)
        if guest is not None:
            guest.seat = seat
