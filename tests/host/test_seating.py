"""Who comes to which seat: swaps by consent before a match, seats that a watcher has from the next deal on."""

import random
from dataclasses import replace
from typing import Any

import pytest
from goat_host.ports import Drop, Send, StartBot, StopBot
from goat_host.seating import WISH_LIMIT, WISH_WINDOW
from goat_host.table import Table, TableSetup

from goat_engine.rules import Rules
from goat_net.log.absence_table import CHARGE, LET_GO
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.records import Carried, Caught, Settings
from goat_net.seat import dials, direct
from goat_net.seat.session import TableSession
from goat_net.seat.tableview import Stage
from goat_net.wire.hello import operator_signature
from goat_net.wire.identity import Identity
from goat_net.wire.link import Closed
from goat_net.wire.messages import (
    KICKED,
    PROTOCOL,
    ROLE_BOT,
    ROLE_PLAYER,
    ROLE_WATCHER,
    Answer,
    Fresh,
    Hello,
    House,
    Lobby,
    LobbySeat,
    Ready,
    Said,
    Say,
    Sit,
    Start,
    Swap,
    Told,
)
from goat_net.wire.sentences import word_of_table
from tests.host.room import Room, room


class Hall:
    """A table before its match, and people at it by name. The first one's machine hosts."""

    def __init__(self, seed: int, *names: str) -> None:
        self.rng, self.now = random.Random(seed), 0.0
        self.people: dict[str, Identity] = {}
        owner = self.key("Anna")
        setup = TableSetup("Hall", "test", Rules(), Settings(180, 0, 0, True, True, b""), owner=owner)
        self.table = Table(Identity.from_seed(self.rng.randbytes(32)), setup, self.rng.randbytes)
        self.conns: dict[str, int] = {}
        self.sent: list[Any] = []
        for name in names:
            self.come(name)
            self.say(name, Sit(4))

    def who(self, name: str) -> Identity:
        return self.people.setdefault(name, Identity.from_seed(self.rng.randbytes(32)))

    def key(self, name: str) -> bytes:
        return self.who(name).public

    def come(self, name: str, role: int = ROLE_PLAYER, called: str = "", operator: str = "") -> None:
        self.conns[name] = len(self.conns)
        level, by = "easy" if role == ROLE_BOT else "", self.key(operator) if operator else b""
        hello = Hello(PROTOCOL, "test", role, self.key(name), bytes(32), called or name, level, by)
        assert self.table.admits(hello) is None
        table_key = self.table.identity.public
        proof = operator_signature(self.who(operator), hello.key, table_key) if operator else b""
        self.table.joined(self.conns[name], hello, proof, self.now)
        self.table.message(self.conns[name], Fresh(self.rng.randbytes(32)), self.now)
        self.drain()

    def bot(self, name: str, seat: int) -> None:
        """A bot of this machine comes and sits down where it is wanted."""
        self.table.expect_bot(seat, self.key(name))
        self.come(name, ROLE_BOT)
        self.say(name, Sit(seat))

    def say(self, name: str, message: Any) -> None:
        guest = self.table.people.guests.get(self.conns[name])
        if guest is not None and not guest.fresh:
            self.table.message(self.conns[name], Fresh(self.rng.randbytes(32)), self.now)
        self.table.message(self.conns[name], message, self.now)
        self.drain()

    def drain(self) -> None:
        self.sent += self.table.outbox
        self.table.outbox.clear()

    @property
    def lobby(self) -> Lobby:
        told = [s.message for s in self.sent if isinstance(s, Send) and isinstance(s.message, Lobby)]
        assert told[-1] == self.table.lobby()
        return told[-1]

    @property
    def sits(self) -> list[str]:
        return [s.name for s in self.lobby.seats]

    @property
    def asks(self) -> list[int]:
        return [s.asks for s in self.lobby.seats]

    def said_to(self, name: str) -> list[str]:
        mine = [s.message for s in self.sent if isinstance(s, Send) and s.conn == self.conns[name]]
        return [word_of_table(m.notice) for m in mine if isinstance(m, Told)]


def test_two_swap_seats_when_both_want_it_and_are_not_ready_any_more(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris", "Vera")
    hall.say("Anna", Ready(True))
    hall.say("Boris", Ready(True))
    hall.say("Boris", Swap(0))
    assert hall.asks == [4, 0, 4, 4]
    assert hall.sits == ["Anna", "Boris", "Vera", ""]
    hall.say("Anna", Answer(1, hall.key("Boris"), True))
    assert hall.sits == ["Boris", "Anna", "Vera", ""]
    assert hall.asks == [4, 4, 4, 4]
    assert not any(s.ready for s in hall.lobby.seats)
    hall.say("Anna", Ready(True))  # each is on the seat that is shown
    assert [s.ready for s in hall.lobby.seats] == [False, True, False, False]


def test_who_is_asked_may_refuse_and_the_other_is_told(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris")
    hall.say("Boris", Swap(0))
    hall.say("Anna", Answer(1, hall.key("Boris"), False))
    assert (hall.sits[:2], hall.asks) == (["Anna", "Boris"], [4, 4, 4, 4])
    assert hall.said_to("Boris") == ["Anna does not swap seats."]
    assert hall.said_to("Anna") == []


def test_two_who_ask_each_other_agree(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris")
    hall.say("Anna", Swap(1))
    hall.say("Boris", Swap(0))
    assert hall.sits[:2] == ["Boris", "Anna"]
    assert hall.asks == [4, 4, 4, 4]


def test_nobody_answers_for_another_or_a_request_that_was_not_made(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris", "Vera")
    hall.come("Dora", ROLE_WATCHER)
    hall.say("Boris", Swap(0))
    for answer in (Answer(1, hall.key("Boris"), True), Answer(1, hall.key("Boris"), False)):
        hall.say("Vera", answer)
        hall.say("Boris", answer)
        hall.say("Dora", answer)
    hall.say("Anna", Answer(1, hall.key("Vera"), True))  # Boris sits there, not Vera
    hall.say("Anna", Answer(2, hall.key("Vera"), True))  # Vera has asked nothing
    hall.say("Anna", Answer(3, hall.key("Vera"), True))  # nobody sits there
    hall.say("Dora", Swap(0))
    assert hall.sits == ["Anna", "Boris", "Vera", ""]
    assert hall.asks == [4, 0, 4, 4]


def test_a_request_lapses_when_either_moves_leaves_or_takes_it_back(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris", "Vera")
    hall.say("Boris", Swap(0))
    hall.say("Boris", Sit(3))  # the asker moves
    assert hall.asks == [4, 4, 4, 4]
    hall.say("Anna", Answer(1, hall.key("Boris"), True))
    hall.say("Anna", Answer(3, hall.key("Boris"), True))
    assert hall.sits == ["Anna", "", "Vera", "Boris"]
    hall.say("Boris", Swap(0))
    hall.say("Anna", Sit(1))  # the asked one moves
    assert hall.asks == [4, 4, 4, 4]
    hall.say("Boris", Swap(1))
    hall.say("Boris", Swap(4))  # taken back
    assert hall.asks == [4, 4, 4, 4]
    hall.now += WISH_WINDOW
    hall.say("Boris", Swap(2))
    hall.say("Vera", Swap(1))
    hall.table.gone(hall.conns["Vera"], hall.now)  # who is asked, and asks, leaves
    hall.drain()
    assert hall.asks == [4, 4, 4, 4]
    hall.come("Zoe")
    hall.say("Zoe", Sit(2))
    assert hall.asks == [4, 4, 4, 4]


def test_a_swap_ends_what_others_had_asked_of_the_two(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris", "Vera")
    hall.say("Vera", Swap(0))
    hall.say("Boris", Swap(0))
    hall.say("Anna", Answer(1, hall.key("Boris"), True))
    assert hall.sits == ["Boris", "Anna", "Vera", ""]
    assert hall.asks == [4, 4, 4, 4]  # Vera had asked for the seat that Anna had


def test_a_player_has_one_request_at_a_time_and_few_in_a_while(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris", "Vera")
    hall.say("Boris", Swap(0))
    hall.say("Boris", Swap(2))
    assert hall.asks == [4, 2, 4, 4]
    hall.sent.clear()
    for turn in range(100):
        hall.say("Boris", Swap(turn % 2 * 2))
    told = [s for s in hall.sent if isinstance(s, Send)]
    assert len(told) == (WISH_LIMIT - 2) * len(hall.conns)
    hall.now += WISH_WINDOW
    hall.say("Boris", Swap(4))
    hall.say("Boris", Swap(0))
    assert hall.asks == [4, 0, 4, 4]


def test_an_empty_seat_is_simply_taken(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris")
    hall.say("Boris", Swap(3))
    assert hall.sits == ["Anna", "", "", "Boris"]


def test_a_bot_of_the_host_makes_room_at_once_and_comes_to_the_other_seat(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris")
    hall.table.setup = replace(hall.table.setup, bot_levels=("easy",))
    hall.say("Boris", Ready(True))
    hall.table.fill()
    hall.bot("Boer", 3)
    hall.say("Boris", Swap(3))
    assert hall.sits[3] == "Boris"
    assert not hall.lobby.seats[3].ready
    assert StopBot(3) in hall.sent
    assert StartBot(1, "easy") in hall.sent
    assert any(isinstance(s, Drop) and s.conn == hall.conns["Boer"] for s in hall.sent)


def test_a_bot_from_elsewhere_changes_its_seat_and_stays_ready(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris")
    hall.come("Boer", ROLE_BOT, operator="Anna")
    hall.say("Boer", Sit(2))
    hall.say("Boris", Swap(2))
    assert hall.sits == ["Anna", "Boer", "Boris", ""]
    assert hall.lobby.seats[1].ready
    assert not [s for s in hall.sent if isinstance(s, (Drop, StopBot, StartBot))]


def test_a_start_ends_all_requests(seed: int) -> None:
    hall = Hall(seed, "Anna", "Boris")
    hall.say("Boris", Swap(0))
    hall.say("Anna", Start())
    hall.say("Anna", Answer(1, hall.key("Boris"), True))
    assert (hall.sits[:2], hall.table.lobby().seats[1].asks) == (["Anna", "Boris"], 4)
    for seat in (2, 3):
        hall.bot(f"Bot {seat}", seat)
    assert hall.table.playing
    hall.say("Boris", Swap(0))
    assert hall.asks == [4, 4, 4, 4]
    assert hall.table.seats[1] is not None
    assert hall.table.seats[1].asks is None  # nor does it come back after the match


def test_who_watches_sits_down_before_a_match(seed: int) -> None:
    hall = Hall(seed, "Anna")
    hall.come("Dora", ROLE_WATCHER)
    hall.say("Dora", Sit(4))
    assert hall.sits == ["Anna", "Dora", "", ""]


def test_talk_carries_the_key_of_who_talks(seed: int) -> None:
    hall = Hall(seed, "Anna")
    hall.come("Dora", ROLE_WATCHER)
    hall.say("Dora", Say("hello"))
    said = [s.message for s in hall.sent if isinstance(s, Send) and isinstance(s.message, Said)]
    assert {(m.seat, m.name, m.key) for m in said} == {(4, "Dora", hall.key("Dora"))}


# A watcher has the seat of one who was lost


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds that a person takes are hundredths here."""
    monkeypatch.setattr(direct, "WAITED_AFTER", 0.1)
    monkeypatch.setattr(dials, "DIAL_AGAIN", 0.5)
    monkeypatch.setattr("goat_net.seat.direct_lines.LOOK", 0.02)


def fold_of(session: TableSession) -> Fold:
    assert session.player is not None
    return session.player.fold


async def watch(r: Room, who: int, name: str) -> TableSession:
    """Somebody who watches; a bot chooses for them once they have a seat."""
    watcher = r.sit(who, name, role=ROLE_WATCHER, who=who)
    watcher.chair.brain, watcher.chair.eager = r.brain(), True
    await r.until(lambda: watcher.player is not None and fold_of(watcher).match is not None)
    return watcher


async def leaves(r: Room, people: list[TableSession]) -> None:
    """The last of these goes, and it is seen that they are gone."""
    await r.until(lambda: people[0].view.stage is Stage.PLAY)
    await people[-1].leave()
    await r.until(lambda: all(any(a.open for a in s.view.absences) for s in people[:-1]))


def charge(people: list[TableSession], seat: int) -> None:
    for s in people:
        s.vote(seat, CHARGE)


def holds(session: TableSession, seat: int) -> bool:
    """Whether they have this seat, as the table tells it."""
    return session.lobby is not None and session.lobby.seats[seat].key == session.identity.public


async def next_log(r: Room, one: TableSession, old: bytes) -> None:
    await r.until(lambda: fold_of(one).chain.log_id != old and fold_of(one).match is not None)


async def test_the_first_who_asks_has_the_seat_of_one_who_was_charged(seed: int) -> None:
    async with room(seed) as r:
        people = await r.begin(0, 1, 2)
        dora, zoe = await watch(r, 4, "Dora"), await watch(r, 5, "Zoe")
        zoe.sit(2)  # its player is there: nobody's seat to take
        await leaves(r, people)
        await r.until(lambda: dora.view.seats[2].free and zoe.view.seats[2].free)
        assert dora.view.takes is None
        dora.sit(2)
        await r.until(lambda: dora.view.takes == 2 and zoe.view.seats[2].next_name == "Dora")
        assert not zoe.view.seats[2].free
        zoe.sit(2)
        old = fold_of(dora).chain.log_id
        charge(people[:2], 2)
        await next_log(r, dora, old)
        seats = fold_of(dora).seats
        assert (seats[2].name, seats[2].bot, seats[2].key) == ("Dora", False, dora.identity.public)
        assert fold_of(dora).table.carried[0].defeat == (6, 0)  # type: ignore[union-attr]
        await r.until(lambda: len(fold_of(dora).finished) >= 1)
        assert fold_of(dora).finished[0].outcome.result is not None
        assert not fold_of(dora).offences
        assert (dora.view.me, zoe.view.me, zoe.view.takes) == (2, None, None)
        (guest,) = [g for g in r.table.people.guests.values() if g.hello.name == "Dora"]
        assert guest.reach is not None


async def test_the_old_player_has_his_seat_again_and_the_watcher_watches(seed: int) -> None:
    async with room(seed) as r:
        people = await r.begin(0, 1, 2)
        dora = await watch(r, 4, "Dora")
        await leaves(r, people)
        dora.sit(2)
        await r.until(lambda: dora.view.takes == 2)
        first = fold_of(dora).chain.log_id
        charge(people[:2], 2)
        await next_log(r, dora, first)
        second = fold_of(dora).chain.log_id
        back = r.sit(2)
        await r.until(lambda: back.view.takes == 2 or (back.player is not None and back.player.seat == 2))
        await next_log(r, back, second)
        third = fold_of(back)
        assert (third.seats[2].key, third.seats[2].name) == (back.identity.public, "P2")
        assert len(third.table.carried) == 1  # type: ignore[union-attr]
        await r.until(lambda: len(fold_of(back).finished) >= 1 and dora.player is not None)
        await r.until(lambda: dora.view.me is None and dora.view.watchers == ("Dora",))
        assert dora.view.stands_in is None
        assert dora.end is None
        assert not any(s.free or s.next_name for s in dora.view.seats)
        assert not fold_of(back).offences


@pytest.mark.parametrize("who", ["its player", "a watcher"])
async def test_who_waits_for_his_seat_has_it_for_the_next_match_when_this_one_is_over_before(
    seed: int, who: str
) -> None:
    """One defeat point ends this match, so that it is over with the deal that the bot plays (but for a 60:60)."""
    async with room(seed, target=1) as r:
        people = await r.begin(0, 1, 2)
        await leaves(r, people)
        first = fold_of(people[0]).chain.log_id
        assert r.table.status().match == first
        for s in people[:2]:
            s.vote(2, LET_GO)
        await next_log(r, people[0], first)
        second = fold_of(people[0])
        assert r.table.status().match == first  # who has gone knows no later log
        assert second.seats[2].bot
        people[0].pause(True)
        await r.until(lambda: second.paused is not None)
        if who == "a watcher":
            new = await watch(r, 4, "Dora")
            new.sit(2)
        else:
            new = r.sit(2)
        await r.until(lambda: new.view.takes == 2)
        people[0].pause(False)
        await r.until(lambda: second.stage is MatchStage.ENDED and holds(new, 2))
        assert second.match is not None
        over = second.match.goat is not None
        assert r.table.status().match in (b"", first)
        if over:  # they see how it has ended, and that they are in the next one
            assert (new.view.stage, new.view.me, new.view.takes) == (Stage.OVER, None, 2)
        for s in (*people[:2], new):
            s.ready()
        await next_log(r, people[0], second.chain.log_id)
        await r.until(lambda: new.player is not None and new.player.seat == 2)
        third = fold_of(new)
        assert (third.seats[2].key, third.seats[2].bot) == (new.identity.public, False)
        assert third.table is not None
        assert bool(third.table.carried) is not over


async def test_after_a_match_everybody_wants_another_with_one_key(seed: int) -> None:
    """Who has gone on sees the seats while others still look at the end; the last one's key begins the match."""
    async with room(seed, target=1) as r:
        people = await r.begin(0, 1)
        await r.until(lambda: all(s.view.stage is Stage.OVER and not s.view.seats[0].ready for s in people))
        first = fold_of(people[0])
        await r.until(lambda: first.stage is MatchStage.ENDED)
        people[0].ready()
        assert people[0].view.stage is Stage.LOBBY
        assert (people[0].view.me, people[0].view.is_host, people[0].view.match) == (0, True, None)
        await r.until(lambda: people[0].view.seats[0].ready)
        assert not people[0].view.seats[1].ready
        assert people[1].view.stage is Stage.OVER
        seen = []
        people[1].on_change(lambda view: seen.append(view.stage))
        people[1].ready()
        await next_log(r, people[1], first.chain.log_id)
        assert Stage.LOBBY not in seen
        await r.until(lambda: people[0].view.stage is Stage.PLAY)


async def test_after_a_match_the_host_fills_the_seat_of_one_who_has_gone(seed: int) -> None:
    async with room(seed, target=1) as r:
        people = await r.begin(0, 1, 2)
        watcher = await watch(r, 4, "Dora")
        await r.until(lambda: all(s.view.stage is Stage.OVER for s in (*people, watcher)))
        first = fold_of(people[0])
        await r.until(lambda: first.stage is MatchStage.ENDED)
        people[2].hang_up()
        await r.until(lambda: people[0].lobby is not None and not people[0].lobby.seats[2].taken)
        people[0].ready()
        people[1].ready()
        watcher.ready()
        assert [s.view.stage for s in (*people[:2], watcher)] == [Stage.LOBBY] * 3
        assert watcher.view.me is None
        await r.until(lambda: people[0].view.seats[1].ready)
        people[0].start()
        await next_log(r, people[0], first.chain.log_id)
        assert fold_of(people[0]).seats[2].bot


def test_a_bot_of_the_table_makes_room_for_who_comes_before_a_match(seed: int) -> None:
    hall = Hall(seed, "Anna")
    hall.table.setup = replace(hall.table.setup, bot_levels=("easy",) * 3)
    hall.table.fill()
    for seat in (3, 2, 1):
        hall.bot(f"Bot {seat}", seat)
    assert [s.free for s in hall.lobby.seats] == [False, True, True, True]
    assert hall.table.status().taken == 1
    hall.come("Boris")
    hall.say("Boris", Sit(4))
    assert hall.sits == ["Anna", "Boris", "Bot 2", "Bot 3"]
    assert StopBot(1) in hall.sent
    hall.say("Boris", Sit(3))  # who has a seat swaps
    assert hall.sits == ["Anna", "Boris", "Bot 2", "Bot 3"]
    hall.come("Vera")
    hall.say("Vera", Sit(3))
    assert hall.sits == ["Anna", "Boris", "Bot 2", "Vera"]
    hall.come("Bot 5", ROLE_BOT)
    hall.say("Bot 5", Sit(2))
    assert hall.sits[2] == "Bot 2"


def test_at_a_table_without_an_owner_a_player_starts_when_all_who_sit_are_ready(seed: int) -> None:
    hall = Hall(seed, "Boris", "Vera")
    hall.table.setup = replace(hall.table.setup, owner=b"", bot_levels=("easy",))
    hall.come("Dora", ROLE_WATCHER)
    for name, ready in (("Boris", True), ("Dora", False)):
        hall.say(name, Ready(ready))
        hall.say(name, Start())
    assert not hall.table.starting  # Vera is not ready, Dora only watches
    hall.say("Vera", Ready(True))
    hall.say("Dora", Start())
    assert not hall.table.starting
    hall.say("Vera", Start())
    assert hall.table.starting
    assert [s for s in hall.sent if isinstance(s, StartBot)] == [StartBot(2, "easy"), StartBot(3, "easy")]


def test_a_bot_from_elsewhere_and_one_in_a_match_make_no_room(seed: int) -> None:
    hall = Hall(seed, "Anna")
    hall.come("Boer", ROLE_BOT, operator="Anna")
    hall.say("Boer", Sit(2))
    hall.come("Boris", ROLE_WATCHER)
    hall.say("Boris", Sit(2))
    assert hall.sits == ["Anna", "", "Boer", ""]
    assert not hall.lobby.seats[2].free
    hall.say("Anna", Start())
    hall.say("Boris", Sit(1))  # a bot is on its way there
    for seat in (1, 3):
        hall.bot(f"Bot {seat}", seat)
    assert hall.table.playing
    hall.say("Boris", Sit(1))
    assert hall.sits == ["Anna", "Bot 1", "Boer", "Bot 3"]
    assert not any(s.free for s in hall.lobby.seats)
    assert hall.table.status().taken == 4


async def test_a_seat_that_a_bot_plays_for_somebody_is_free_for_who_watches(seed: int) -> None:
    async with room(seed) as r:
        people = await r.begin(0, 1, 2)
        dora = await watch(r, 4, "Dora")
        await leaves(r, people)
        first = fold_of(dora).chain.log_id
        charge(people[:2], 2)
        await next_log(r, dora, first)
        assert fold_of(dora).seats[2].bot
        assert not fold_of(dora).seats[3].bot or not dora.view.seats[3].free  # a bot that plays for nobody stays
        second = fold_of(dora).chain.log_id
        entries = list(fold_of(dora).chain.entries)
        resumed = Table.from_journal(r.table.identity, r.table.setup, random.randbytes, entries)
        assert [resumed.prospects(s).free for s in range(4)] == [False, False, True, True]  # for whom is not in the log
        await r.until(lambda: dora.view.seats[2].free)
        dora.sit(2)
        await next_log(r, dora, second)
        assert fold_of(dora).seats[2].key == dora.identity.public
        await r.until(lambda: dora.view.me == 2 and len(fold_of(dora).finished) >= 1)


async def test_who_changes_his_mind_or_goes_does_not_get_the_seat(seed: int) -> None:
    async with room(seed) as r:
        people = await r.begin(0, 1, 2)
        dora, zoe = await watch(r, 4, "Dora"), await watch(r, 5, "Zoe")
        await leaves(r, people)
        dora.sit(2)
        await r.until(lambda: dora.view.takes == 2)
        dora.sit(4)
        await r.until(lambda: dora.view.takes is None and zoe.view.seats[2].free)
        zoe.sit(2)
        await r.until(lambda: zoe.view.takes == 2)
        zoe.hang_up()
        await r.until(lambda: dora.view.seats[2].free)
        old = fold_of(dora).chain.log_id
        charge(people[:2], 2)
        await next_log(r, dora, old)
        assert fold_of(dora).seats[2].bot


async def test_who_was_taken_off_the_table_does_not_come_back_by_watching(seed: int) -> None:
    async with room(seed) as r:
        people = await r.begin(0, 1, 2)
        await r.until(lambda: people[0].view.stage is Stage.PLAY)
        people[0].kick(2, "")
        end: Closed = await r.tasks[people[2]]
        assert end.reason == KICKED
        await r.until(lambda: fold_of(people[0]).seats[2].bot and fold_of(people[0]).match is not None)
        again = await watch(r, 2, "P2")
        await r.until(lambda: again.view.seats[2].free)
        again.sit(2)
        await r.until(lambda: again.view.talk)
        assert "taken you off the table" in again.view.talk[-1].text
        assert again.view.takes is None


def test_who_was_caught_in_two_deals_of_a_match_gets_no_seat_in_it() -> None:
    """P9: who is out watches; who was caught once plays."""
    setup = TableSetup("T", "test", Rules(), Settings(180, 0, 0, True, True, b""))
    table = Table(Identity.new(), setup, random.randbytes)
    out, once = Identity.new(), Identity.new()
    caught = tuple(sorted((Caught(out.public, 2), Caught(once.public, 1)), key=lambda one: one.key))
    table.carried = (Carried(bytes(32), bytes(32), (6, 0), 0, 1, 2, False, 4, caught),)
    for conn, one in enumerate((out, once)):
        table.joined(conn, Hello(PROTOCOL, "test", ROLE_PLAYER, one.public, bytes(32), f"P{conn}", "", b""), b"", 0.0)
        table.message(conn, Sit(conn), 0.0)
    assert table.seats[0] is None
    assert table.seats[1] is not None
    told = [o.message for o in table.outbox if isinstance(o, Send) and isinstance(o.message, Told)]
    said = [word_of_table(one.notice) for one in told]
    assert [text for text in said if "caught cheating in two deals" in text]


def test_the_lobby_fits_a_frame_when_it_is_fullest() -> None:
    from goat_net.wire.codec import MAX_MESSAGE
    from goat_net.wire.messages import MESSAGES, Watching

    name, key = "あ" * 8, bytes(32)
    seat = LobbySeat(True, name, key, True, "x" * 16, name, True, 86_400, 4, True, key, key, name)
    full = Lobby(name, (seat,) * 4, (Watching(name, key, True, name),) * 32, 4, 2, name, House())
    assert len(MESSAGES.encode(full)) < MAX_MESSAGE
    assert MESSAGES.decode(MESSAGES.encode(full)) == full
