"""People: who is connected, what they are called, and what they say to each other (PROTOCOL.md, The table).

Pure. Who plays is the affair of the seats: here everybody is a guest. Bots are guests too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from goat_engine.rules import Seat
from goat_host.ports import Drop, Out, Send
from goat_net.seat.reach import is_good_reach
from goat_net.wire.hello import is_operator
from goat_net.wire.lookalike import is_reserved, like_any, look_alike, mixes_scripts
from goat_net.wire.messages import (
    BAD_SIGNATURE,
    ELSEWHERE,
    FLOOD,
    NAME_TAKEN,
    NO_WATCHERS,
    ROLE_BOT,
    ROLE_WATCHER,
    TABLE_FULL,
    TOO_MANY,
    Hello,
    Reach,
    Said,
    Told,
)
from goat_net.wire.notices import Notice, Saying, notice
from goat_net.wire.text import fit

MAX_WATCHERS: Final = 16  # a room of people; more would only cost the players' bandwidth
TALK_LIMIT: Final = 5  # lines in TALK_WINDOW seconds: fast typing, no flood
TALK_WINDOW: Final = 10.0
TALK_DROP: Final = 50  # lines over the limit before the talker is dropped
NOBODY: Final = 4  # in a message: no seat


@dataclass(slots=True)
class Guest:
    """A connection that is in. ``read_from``: entries of the log it has been sent, None before it asked."""

    conn: int
    hello: Hello
    operator_signature: bytes
    seat: Seat | None = None
    read_from: int | None = None
    reach: Reach | None = None
    fresh: bytes = b""  # what their client gave for the next log (PROTOCOL.md, Fresh logs)
    comes_back: bool = False  # they want the seat again that a bot plays for them
    asked: int | None = None  # how many entries the table had when it asked this guest for more
    talked: tuple[float, ...] = ()
    over_limit: int = 0
    wished: tuple[float, ...] = ()  # when they asked to swap seats, or for a seat that is free

    @property
    def key(self) -> bytes:
        """Their public key."""
        return self.hello.key

    @property
    def is_bot(self) -> bool:
        """Whether they have come as a bot."""
        return self.hello.role == ROLE_BOT


class People:
    """Guests by the number of their connection. ``key``, ``name``, ``watch``: of the table, and whether it may be
    watched; ``seated``: names of those who hold a seat, connected or not, by key; ``put``: takes what is to be sent.

    ``names``: what the players of the match that is on, or is carried on, are called: they keep that name, and nobody
    else has one that could be taken for it."""

    def __init__(
        self,
        key: bytes,
        name: str,
        seated: Callable[[], Mapping[bytes, str]],
        put: Callable[[Out], None],
        *,
        watch: bool,
    ) -> None:
        self._key, self._name, self._watch = key, name, watch
        self._seated, self._put = seated, put
        self.guests: dict[int, Guest] = {}
        self.names: dict[bytes, str] = {}

    # Who is here

    def watching(self) -> list[Guest]:
        """Guests without a seat."""
        return [g for g in self.guests.values() if g.seat is None]

    def of(self, conn: int | None) -> Guest | None:
        """The guest on this connection, if there is one."""
        return None if conn is None else self.guests.get(conn)

    def refuses(self, hello: Hello, *, full: bool) -> tuple[int, Notice] | None:
        """Why somebody who has no seat here cannot come in, or None. ``full``: there is no seat."""
        crowded = len(self.watching()) >= MAX_WATCHERS
        wrong = None if hello.role == ROLE_BOT else self._name_wrong(hello)  # a bot is given another name
        if hello.role == ROLE_WATCHER:
            if not self._watch:
                return NO_WATCHERS, notice(Saying.NOT_WATCHED)
            if crowded:
                return TOO_MANY, notice(Saying.WATCHERS_FULL)
            return (NAME_TAKEN, wrong) if wrong else None
        if wrong:
            return NAME_TAKEN, wrong
        if full and not self._watch:
            return TABLE_FULL, notice(Saying.SEATS_TAKEN)
        return (TOO_MANY, notice(Saying.GUESTS_FULL)) if crowded else None

    def enter(self, conn: int, hello: Hello, operator_signature: bytes) -> Guest | None:
        """Somebody comes in, under their name of the match; their connection before this one ends. None for a bot whose
        operator has not signed for it (PROTOCOL.md, Hello): it is sent away."""
        signed = hello.role == ROLE_BOT and is_operator(hello.operator, operator_signature, hello.key, self._key)
        if hello.operator and not signed:
            self._put(Drop(conn, BAD_SIGNATURE, notice(Saying.OPERATOR)))
            return None
        name = self._free_name(hello.name, hello.key) if hello.role == ROLE_BOT else hello.name
        for old in [g for g in self.guests.values() if g.key == hello.key]:
            self.send_away(old.conn, ELSEWHERE, notice(Saying.ELSEWHERE))
        guest = Guest(conn, replace(hello, name=self.names.get(hello.key, name)), operator_signature)
        self.guests[conn] = guest
        for other in self.guests.values():
            if other.reach is not None:
                self._put(Send(conn, other.reach))
        return guest

    def send_away(self, conn: int, reason: int, why: Notice) -> None:
        """End a connection, saying why."""
        self.guests.pop(conn, None)
        self._put(Drop(conn, reason, why))

    # Names

    def _name_wrong(self, hello: Hello) -> Notice | None:
        """Why nobody may come under this name, with what to do; None when it is good. A page's is looked at too."""
        name = self.names.get(hello.key, hello.name)
        if is_reserved(name) or look_alike(name, self._name):
            return notice(Saying.NAME_OF_TABLE, name)
        for one in (name, hello.page):
            if mixes_scripts(one):
                return notice(Saying.NAME_MIXED, one)
        if like_any(name, self._names_beside(hello.key)):
            same = any(name.casefold() == n.casefold() for n in self._names_beside(hello.key))
            saying = Saying.NAME_TAKEN if same else Saying.NAME_ALIKE
            return notice(saying, name, self._free_name(name, hello.key))
        return None

    def _names_beside(self, key: bytes) -> list[str]:
        """Names that are in use by others than the holder of this key."""
        names = dict(self._seated())
        names |= {g.key: g.hello.name for g in self.guests.values()} | self.names
        names.pop(key, None)  # their own line may be dead
        return list(names.values())

    def _free_name(self, name: str, key: bytes) -> str:
        """This name, or the first one with a number behind it, that nobody else has. There is one: fewer than a
        hundred are at a table."""
        others = self._names_beside(key)
        numbered = (f"{fit(name, 13)} {i}" for i in range(2, 100))
        return next(n for n in (name, *numbered) if not like_any(n, others))

    # What is said

    def send_all(self, message: Any) -> None:
        """A message to everybody who is here."""
        for conn in self.guests:
            self._put(Send(conn, message))

    def tell(self, saying: Saying) -> None:
        """The table's own word to everybody."""
        self.send_all(Told(notice(saying)))

    def tell_one(self, guest: Guest, saying: Saying, *values: str) -> None:
        """The table's own word to one guest."""
        self._put(Send(guest.conn, Told(notice(saying, *values))))

    def say(self, guest: Guest, text: str, now: float) -> None:
        """A guest says something: everybody hears it, unless that guest has said too much lately."""
        recent = tuple(t for t in guest.talked if now - t < TALK_WINDOW)
        if len(recent) >= TALK_LIMIT:
            guest.over_limit += 1
            if guest.over_limit > TALK_DROP:
                self._put(Drop(guest.conn, FLOOD, notice(Saying.TALKS_TOO_MUCH)))
            return
        guest.talked = (*recent, now)
        self.send_all(Said(NOBODY if guest.seat is None else guest.seat, guest.hello.name, guest.key, text))

    def reach(self, guest: Guest, reach: Reach) -> None:
        """Where a guest can be dialled by the others: passed on to all."""
        if reach.key != guest.key or not is_good_reach(reach, self._key):
            self._put(Drop(guest.conn, BAD_SIGNATURE, notice(Saying.REACH_SIGNATURE)))
            return
        if guest.reach is None or reach.serial > guest.reach.serial:
            guest.reach = reach
            for conn in self.guests:
                if conn != guest.conn:
                    self._put(Send(conn, reach))
