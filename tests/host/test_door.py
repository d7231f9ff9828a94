"""Who comes in and sits down: nothing that the log would refuse, nobody under another's name, bots that were asked."""

import random
from typing import Any

import pytest
from goat_host.ports import Drop, Send, StartBot
from goat_host.table import Table, TableSetup

from goat_engine.rules import Rules
from goat_net.log.fold import MatchStage
from goat_net.log.records import Settings
from goat_net.wire.hello import operator_signature
from goat_net.wire.identity import Identity, small_order_keys
from goat_net.wire.messages import (
    BAD_KEY,
    BAD_SIGNATURE,
    NAME_TAKEN,
    PROTOCOL,
    ROLE_BOT,
    ROLE_PLAYER,
    ROLE_WATCHER,
    Fresh,
    Hello,
    Lobby,
    Ready,
    SetBot,
    Sit,
    Start,
    Told,
)
from goat_net.wire.notices import Notice
from goat_net.wire.sentences import sentence, word_of_table


class Door:
    """A table before its match. ``owner``: name of the player whose machine hosts, or empty."""

    def __init__(self, seed: int, owner: str = "Anna") -> None:
        self.rng = random.Random(seed)
        self.people: dict[str, Identity] = {}
        key = self.who(owner).public if owner else b""
        setup = TableSetup("Hall", "test", Rules(), Settings(180, 0, 0, True, True, b""), owner=key)
        self.table = Table(Identity.from_seed(self.rng.randbytes(32)), setup, self.rng.randbytes)
        self.conns: dict[str, int] = {}
        self.outs: list[Any] = []

    def who(self, name: str) -> Identity:
        return self.people.setdefault(name, Identity.from_seed(self.rng.randbytes(32)))

    def hello(self, name: str, role: int, called: str, operator: str) -> Hello:
        by = self.who(operator).public if operator else b""
        level = "easy" if role == ROLE_BOT else ""
        return Hello(PROTOCOL, "test", role, self.who(name).public, bytes(32), called or name, level, by)

    def come(
        self, name: str, role: int = ROLE_PLAYER, *, called: str = "", operator: str = "", signs: bool = True
    ) -> tuple[int, Notice] | None:
        """Come in; what the table says against it, or None."""
        hello = self.hello(name, role, called, operator)
        refusal = self.table.admits(hello)
        if refusal is not None:
            return refusal
        conn = self.conns[name] = len(self.conns) + 100 * len(self.outs)
        proof = b""
        if operator and signs:
            proof = operator_signature(self.who(operator), hello.key, self.table.identity.public)
        self.table.joined(conn, hello, proof, 0.0)
        self.table.message(conn, Fresh(self.rng.randbytes(32)), 0.0)
        self.drain()
        return None

    def say(self, name: str, message: Any) -> None:
        self.table.message(self.conns[name], message, 0.0)
        self.drain()

    def go(self, name: str) -> None:
        self.table.gone(self.conns.pop(name), 0.0)
        self.drain()

    def drain(self) -> None:
        self.outs += self.table.outbox
        self.table.outbox.clear()

    def called(self, seat: int, name: str) -> None:
        """The machine of the table has started the bot that was asked for on this seat."""
        self.table.expect_bot(seat, self.who(name).public)

    @property
    def lobby(self) -> Lobby:
        return self.table.lobby()

    @property
    def sits(self) -> list[str]:
        return [s.name for s in self.lobby.seats]

    def dropped(self, name: str) -> list[Drop]:
        return [o for o in self.outs if isinstance(o, Drop) and o.conn == self.conns[name]]

    def told(self, name: str) -> list[str]:
        sent = [o.message for o in self.outs if isinstance(o, Send) and o.conn == self.conns[name]]
        return [word_of_table(m.notice) for m in sent if isinstance(m, Told)]

    def full(self, *names: str) -> None:
        """These sit down, in this order."""
        for name in names:
            assert self.come(name) is None
            self.say(name, Sit(4))


# What the log demands of a seat


def test_a_bot_whose_operator_has_not_signed_never_sits(seed: int) -> None:
    """C2: the log refuses such a seat; the table showed "operator: Anna", and died of its own entry."""
    door = Door(seed)
    door.full("Anna", "Boris", "Vera")
    door.come("Bot", ROLE_BOT, operator="Anna", signs=False)
    assert [d.reason for d in door.dropped("Bot")] == [BAD_SIGNATURE]
    door.say("Bot", Sit(3))
    assert door.sits == ["Anna", "Boris", "Vera", ""]


def test_a_signature_for_another_bot_is_none(seed: int) -> None:
    """C2: the table looks itself, whatever server stands before it."""
    door = Door(seed)
    door.full("Anna")
    hello = door.hello("Bot", ROLE_BOT, "", "Anna")
    proof = operator_signature(door.who("Anna"), door.who("Another bot").public, door.table.identity.public)
    door.conns["Bot"] = 77
    door.table.joined(77, hello, proof, 0.0)
    door.drain()
    assert [d.reason for d in door.dropped("Bot")] == [BAD_SIGNATURE]


def test_a_bot_sits_only_beside_its_operator(seed: int) -> None:
    """C2, N5: its offence costs its operator's team, so its operator has a seat; when they get up it does too."""
    door = Door(seed)
    door.full("Anna", "Boris")
    for operator in ("", "Vera"):  # nobody, and somebody who only watches
        if operator:
            door.come(operator, ROLE_WATCHER)
        door.come(f"No {operator}", ROLE_BOT, operator=operator)
        door.say(f"No {operator}", Sit(4))
        assert door.sits == ["Anna", "Boris", "", ""]
        assert "player" in door.told(f"No {operator}")[-1]
    door.come("Bot", ROLE_BOT, operator="Boris")
    door.say("Bot", Sit(3))
    assert door.sits == ["Anna", "Boris", "", "Bot"]
    assert door.lobby.seats[3].operator == "Boris"
    door.go("Boris")
    assert door.sits == ["Anna", "", "", ""]


def test_a_person_has_no_operator(seed: int) -> None:
    """C2, D4: an operator of a person stands in no log, whatever server stands before the table."""
    door = Door(seed)
    door.full("Anna")
    door.come("Boris", operator="Anna")
    assert [d.reason for d in door.dropped("Boris")] == [BAD_SIGNATURE]
    door.say("Boris", Sit(1))
    assert door.sits == ["Anna", "", "", ""]


def test_every_bot_of_a_match_has_an_operator_who_sits_or_is_the_table(seed: int) -> None:
    """C2, N5: the bots that the host's machine runs are the host's; without a host's seat they are the table's."""
    door = Door(seed, owner="")
    table_key = door.table.identity.public
    door.full("Boris")
    for seat, name in ((1, "One"), (2, "Two"), (3, "Three")):
        door.come(name, ROLE_BOT, operator="Somebody else" if seat == 3 else "")
        door.say(name, Sit(seat))
    door.say("Boris", Ready(True))
    assert door.table.fold is not None
    assert [s.operator for s in door.table.fold.seats] == [b"", table_key, table_key, table_key]


@pytest.mark.parametrize("key", sorted(small_order_keys())[:3])
def test_a_key_that_the_log_refuses_does_not_come_in(seed: int, key: bytes) -> None:
    """C2: for a key of small order one signature fits many messages."""
    door = Door(seed)
    refusal = door.table.admits(Hello(PROTOCOL, "test", ROLE_PLAYER, key, bytes(32), "Mallory", "", b""))
    assert refusal is not None
    assert refusal[0] == BAD_KEY


def test_an_entry_that_the_tables_own_fold_refuses_ends_the_match_and_not_the_table(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C2: whatever is wrong with a match that begins, the table is there for the next one."""
    door = Door(seed)
    monkeypatch.setattr("goat_net.log.first_entry.keys_good", lambda *parts: False)
    door.full("Anna", "Boris", "Vera", "Zoe")
    for name in ("Anna", "Boris", "Vera", "Zoe"):
        door.say(name, Ready(True))
    assert door.table.fold is None
    assert "cannot begin" in door.told("Vera")[-1]
    assert not any(s.ready for s in door.lobby.seats)
    monkeypatch.undo()
    for name in ("Anna", "Boris", "Vera", "Zoe"):
        door.say(name, Ready(True))
    assert door.table.fold is not None
    assert door.table.fold.stage is MatchStage.COMMITS


# Starting


def test_who_leaves_before_the_bots_sit_undoes_the_start(seed: int) -> None:
    """E13: S, then a guest goes, then the bots come: the seat stayed free and S did nothing for ever."""
    door = Door(seed)
    door.full("Anna", "Boris")
    door.say("Anna", Start())
    asked = [o.seat for o in door.outs if isinstance(o, StartBot)]
    assert asked == [2, 3]
    door.go("Boris")
    for seat in asked:
        door.called(seat, f"Bot {seat}")
        door.come(f"Bot {seat}", ROLE_BOT)
        door.say(f"Bot {seat}", Sit(seat))
    assert door.table.fold is None
    assert not door.table.starting
    door.say("Anna", Start())
    assert [o.seat for o in door.outs if isinstance(o, StartBot)] == [2, 3, 1]
    door.called(1, "Bot 1")
    door.come("Bot 1", ROLE_BOT)
    door.say("Bot 1", Sit(1))
    assert door.table.fold is not None


def test_a_bot_that_is_sent_away_undoes_the_start(seed: int) -> None:
    """E13: the kind: whatever empties a seat, here the host who wants no bot there after all."""
    door = Door(seed)
    door.full("Anna", "Boris")
    door.say("Anna", Start())
    door.called(2, "Bot 2")
    door.come("Bot 2", ROLE_BOT)
    door.say("Bot 2", Sit(2))
    door.say("Anna", SetBot(2, ""))
    assert not door.table.starting
    door.say("Anna", Start())
    assert [o.seat for o in door.outs if isinstance(o, StartBot)] == [2, 3, 2]


def test_a_bot_that_was_asked_for_is_not_wanted_any_more(seed: int) -> None:
    """E13: an empty level takes back what was asked for, so nobody waits for it."""
    door = Door(seed)
    door.full("Anna", "Boris")
    door.say("Anna", SetBot(2, "easy"))
    door.say("Anna", SetBot(2, ""))
    door.called(2, "Bot 2")
    door.come("Bot 2", ROLE_BOT)
    door.say("Bot 2", Sit(2))
    assert door.sits == ["Anna", "Boris", "", ""]


# Bots that were asked for


def test_a_strangers_bot_does_not_take_the_seat_of_one_that_was_asked_for(seed: int) -> None:
    """M5: it took that seat and counted as the host's."""
    door = Door(seed)
    door.full("Anna", "Boris")
    door.say("Anna", SetBot(2, "easy"))
    door.called(2, "Own")
    door.come("Stranger", ROLE_BOT, operator="Boris")
    door.say("Stranger", Sit(2))
    assert door.sits == ["Anna", "Boris", "", ""]
    door.come("Own", ROLE_BOT, operator="Anna")
    door.say("Own", Sit(2))
    assert door.sits == ["Anna", "Boris", "Own", ""]
    assert door.lobby.seats[2].free  # the host's own makes room for a person
    door.say("Stranger", Sit(4))
    assert door.sits == ["Anna", "Boris", "Own", "Stranger"]
    assert not door.lobby.seats[3].free  # a guest's bot does not


def test_before_its_key_is_known_nobody_sits_on_a_seat_that_was_asked_for(seed: int) -> None:
    """M5: between the order and its start no bot at all may take the seat."""
    door = Door(seed)
    door.full("Anna", "Boris")
    door.say("Anna", SetBot(2, "easy"))
    door.come("Stranger", ROLE_BOT, operator="Boris")
    door.say("Stranger", Sit(2))
    assert door.sits == ["Anna", "Boris", "", ""]


# Names


@pytest.mark.parametrize(
    "called", ["The table", "the host", "Аnnа", "Ａｎｎａ", "Anna.", "Ann\u0338a", "ANNA", "Hall", "Bоb"]
)
@pytest.mark.parametrize("role", [ROLE_PLAYER, ROLE_WATCHER])
def test_nobody_comes_in_under_a_name_that_is_somebody_elses(seed: int, called: str, role: int) -> None:
    """M6: not as the table, not as the host or another player, nor in letters that only look like theirs."""
    door = Door(seed)
    door.full("Anna")
    refusal = door.come("Mallory", role, called=called)
    assert refusal is not None
    assert refusal[0] == NAME_TAKEN
    assert called in sentence(*refusal)


def test_the_refusal_names_a_way_in(seed: int) -> None:
    """M6: an honest second Anna is told under which name she can come."""
    door = Door(seed)
    door.full("Anna")
    refusal = door.come("Other", called="Anna")
    assert refusal is not None
    assert sentence(*refusal).endswith("come as Anna 2")
    assert door.come("Other", called="Anna 2") is None


def test_a_bot_of_a_taken_name_gets_another(seed: int) -> None:
    """M6: a bot does not care what it is called; a person called Saanen does."""
    door = Door(seed, owner="")
    door.full("Saanen")
    door.come("Bot", ROLE_BOT, called="Saanen")
    door.say("Bot", Sit(1))
    assert door.sits == ["Saanen", "Saanen 2", "", ""]


def test_a_name_stays_what_it_was_at_the_table(seed: int) -> None:
    """U4: "Root 2" came back as "Root", beside Root, and the others saw a red "key changed!"."""
    door = Door(seed)
    door.full("Anna", "Root")
    door.come("Second", called="Root 2")
    door.say("Second", Sit(2))
    door.full("Vera")
    for name in ("Anna", "Root", "Second", "Vera"):
        door.say(name, Ready(True))
    assert door.table.playing
    door.go("Second")
    assert door.come("Second", called="Root") is None
    assert door.sits == ["Anna", "Root", "Root 2", "Vera"]
    door.say("Second", Ready(True))
    guest = door.table.people.guests[door.conns["Second"]]
    assert (guest.seat, guest.hello.name) == (2, "Root 2")


def test_a_seat_of_the_match_that_is_on_is_known_by_its_key(seed: int) -> None:
    """U25: the code was asked again of somebody who has a seat in the running match; nobody else comes in without."""
    door = Door(seed)
    door.full("Anna", "Boris", "Vera", "Zoe")
    assert not door.table.knows(door.who("Boris").public)
    for name in ("Anna", "Boris", "Vera", "Zoe"):
        door.say(name, Ready(True))
    assert door.table.playing
    door.go("Boris")
    assert door.table.knows(door.who("Boris").public)
    assert not door.table.knows(door.who("Mallory").public)
