"""People alone: guests, names and talk, without seats, a log or a table around them (PROTOCOL.md, The table)."""

import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from goat_host.people import MAX_WATCHERS, TALK_DROP, TALK_LIMIT, TALK_WINDOW, People
from goat_host.ports import Drop, Out, Send

from goat_net.seat.reach import make_reach
from goat_net.wire.hello import OPERATOR_PURPOSE
from goat_net.wire.identity import Identity
from goat_net.wire.messages import (
    BAD_SIGNATURE,
    ELSEWHERE,
    FLOOD,
    NAME_TAKEN,
    NO_WATCHERS,
    PROTOCOL,
    ROLE_BOT,
    ROLE_PLAYER,
    ROLE_WATCHER,
    TABLE_FULL,
    TOO_MANY,
    Hello,
    Said,
    Told,
)
from goat_net.wire.notices import Saying, notice

TABLE = Identity.from_seed(bytes(32))


@dataclass
class Hall:
    """People and what they have put out; ``held``: who holds a seat, by key."""

    seed: int
    watch: bool = True
    held: dict[bytes, str] = field(default_factory=dict)
    out: list[Out] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.people = People(TABLE.public, "Kitchen", lambda: self.held, self.out.append, watch=self.watch)
        self.conns = 0

    def who(self, name: str) -> Identity:
        return Identity.from_seed(random.Random(f"{self.seed}/{name}").randbytes(32))

    def hello(self, name: str, role: int = ROLE_PLAYER, *, who: str = "", operator: bytes = b"") -> Hello:
        return Hello(PROTOCOL, "test", role, self.who(who or name).public, bytes(32), name, "", operator)

    def come(self, name: str, role: int = ROLE_PLAYER, **more: Any) -> int:
        self.conns += 1
        self.people.enter(self.conns, self.hello(name, role, **more), b"")
        return self.conns

    def refusal(self, name: str, role: int = ROLE_PLAYER, *, full: bool = False, who: str = "") -> int | None:
        refused = self.people.refuses(self.hello(name, role, who=who), full=full)
        return None if refused is None else refused[0]

    def heard(self, conn: int) -> list[Any]:
        """What was sent to this connection since it was asked last."""
        heard = [o.message for o in self.out if isinstance(o, Send) and o.conn == conn]
        self.out[:] = [o for o in self.out if not (isinstance(o, Send) and o.conn == conn)]
        return heard

    def dropped(self) -> list[tuple[int, int]]:
        return [(o.conn, o.reason) for o in self.out if isinstance(o, Drop)]


@pytest.fixture
def hall(seed: int) -> Hall:
    return Hall(seed)


def test_what_one_says_all_hear_with_name_and_seat(hall: Hall) -> None:
    anna, boris = hall.come("Anna"), hall.come("Boris")
    guest = hall.people.guests[anna]
    hall.people.say(guest, "hello", 0.0)
    guest.seat = 2
    hall.people.say(guest, "again", 1.0)
    said = [Said(4, "Anna", guest.key, "hello"), Said(2, "Anna", guest.key, "again")]
    assert hall.heard(anna) == hall.heard(boris) == said


def test_who_talks_too_much_is_not_heard_and_at_last_dropped(hall: Hall) -> None:
    anna = hall.come("Anna")
    guest = hall.people.guests[anna]
    for _ in range(TALK_LIMIT + TALK_DROP):
        hall.people.say(guest, "x", 0.0)
    assert len(hall.heard(anna)) == TALK_LIMIT
    assert hall.dropped() == []
    hall.people.say(guest, "x", 0.0)
    assert hall.dropped() == [(anna, FLOOD)]
    hall.people.say(guest, "later", TALK_WINDOW)
    assert len(hall.heard(anna)) == 1


def test_who_comes_again_ends_their_connection_before(hall: Hall) -> None:
    first, second = hall.come("Anna"), hall.come("Anna")
    assert list(hall.people.guests) == [second]
    assert hall.dropped() == [(first, ELSEWHERE)]


def test_nobody_has_a_name_that_could_be_taken_for_anothers(hall: Hall) -> None:
    hall.come("Anna")
    hall.held[hall.who("Vera").public] = "Vera"  # holds a seat, and is not connected
    hall.people.names[hall.who("Boris").public] = "Boris"  # played in the match that goes on
    for name in ("Anna", "ANNA", "Vera", "Boris", "Kitchen"):
        assert hall.refusal(name, who="other") == NAME_TAKEN, name
        assert hall.refusal(name, ROLE_WATCHER, who="other") == NAME_TAKEN, name
    assert hall.refusal("Dora", who="other") is None
    for name in ("Anna", "Vera", "Boris"):
        assert hall.refusal(name) is None, "their own"


def test_a_player_of_the_match_keeps_their_name(hall: Hall) -> None:
    hall.people.names[hall.who("Anna").public] = "Anna"
    conn = hall.come("Somebody else", who="Anna")
    assert hall.people.guests[conn].hello.name == "Anna"


def test_a_bot_is_given_a_name_that_is_free(hall: Hall) -> None:
    hall.come("Bot")
    assert hall.refusal("Bot", ROLE_BOT, who="bot") is None
    conn = hall.come("Bot", ROLE_BOT, who="bot")
    assert hall.people.guests[conn].hello.name == "Bot 2"


def test_only_a_bot_has_an_operator_who_has_signed_for_it(hall: Hall) -> None:
    anna, bot = hall.who("Anna"), hall.who("Bot")
    good = anna.sign(OPERATOR_PURPOSE, bot.public + TABLE.public)
    hello = hall.hello("Bot", ROLE_BOT, operator=anna.public)
    assert hall.people.enter(1, hello, good) is not None
    assert hall.people.enter(2, hello, bytes(64)) is None
    assert hall.people.enter(3, hall.hello("Bot", ROLE_PLAYER, operator=anna.public), good) is None
    assert hall.dropped() == [(2, BAD_SIGNATURE), (3, BAD_SIGNATURE)]
    assert list(hall.people.guests) == [1], "who is turned away costs nobody their line"


def test_how_many_may_watch(hall: Hall) -> None:
    for n in range(MAX_WATCHERS):
        assert hall.refusal(f"W{n}", ROLE_WATCHER) is None
        hall.come(f"Watcher number {n}", ROLE_WATCHER)
    assert hall.refusal("Dora", ROLE_WATCHER) == TOO_MANY
    assert hall.refusal("Dora") == TOO_MANY
    hall.people.guests[1].seat = 0  # who plays does not watch
    assert hall.refusal("Dora") is None
    assert len(hall.people.watching()) == MAX_WATCHERS - 1


def test_a_table_that_is_not_watched_takes_nobody_without_a_seat(seed: int) -> None:
    hall = Hall(seed, watch=False)
    assert hall.refusal("Dora", ROLE_WATCHER) == NO_WATCHERS
    assert hall.refusal("Dora", full=True) == TABLE_FULL
    assert hall.refusal("Dora") is None


def test_where_a_guest_is_dialled_goes_to_the_others_also_to_who_comes_later(hall: Hall) -> None:
    anna, boris = hall.come("Anna"), hall.come("Boris")
    guest = hall.people.guests[anna]
    old, new = (make_reach(hall.who("Anna"), TABLE.public, serial, ["10.0.0.1:4000"]) for serial in (1, 2))
    hall.people.reach(guest, new)
    hall.people.reach(guest, old)  # overtaken by the newer one
    assert hall.heard(boris) == [new]
    assert hall.heard(anna) == []
    assert hall.heard(hall.come("Vera")) == [new]


def test_addresses_that_are_not_signed_by_the_guest_are_passed_on_to_nobody(hall: Hall) -> None:
    anna, boris = hall.come("Anna"), hall.come("Boris")
    reach = make_reach(hall.who("Boris"), TABLE.public, 1, ["10.0.0.1:4000"])
    hall.people.reach(hall.people.guests[anna], reach)
    assert hall.dropped() == [(anna, BAD_SIGNATURE)]
    assert hall.heard(boris) == []


def test_the_tables_own_word(hall: Hall) -> None:
    anna, boris = hall.come("Anna"), hall.come("Boris")
    hall.people.tell(Saying.CANNOT_BEGIN)
    hall.people.tell_one(hall.people.guests[boris], Saying.NO_SWAP, "Anna")
    to_all, to_one = Told(notice(Saying.CANNOT_BEGIN)), Told(notice(Saying.NO_SWAP, "Anna"))
    assert hall.heard(anna) == [to_all]
    assert hall.heard(boris) == [to_all, to_one]
