"""What is told over the wire is a code with values; the sentence is made where it is read (PROTOCOL.md, Notices)."""

import ast
from pathlib import Path

import pytest
from goat_host.room import Room, TableSetup

from goat_engine.rules import Rules
from goat_net.log.records import Settings
from goat_net.table_options import HOUSE_RULES, TableOptions
from goat_net.wire import messages
from goat_net.wire.codec import Text
from goat_net.wire.identity import Identity
from goat_net.wire.messages import (
    MESSAGES,
    ROLE_BOT,
    ROLE_PLAYER,
    ROLE_WATCHER,
    Bye,
    Hello,
    House,
    Kick,
    Refused,
    Say,
    Told,
)
from goat_net.wire.notices import NOTHING, VALUES, Notice, Saying, notice
from goat_net.wire.sentences import by_reason, meaning, sentence, word_of_table

NEWER = Notice(60_000, ("somebody",), (7,))


def filled(saying: Saying) -> Notice:
    """A notice of this saying with values."""
    texts, numbers = VALUES.get(saying, ((), ()))
    return notice(saying, *(f"T{i}" for i in range(len(texts))), *(40 + i for i in range(len(numbers))))


@pytest.mark.parametrize("saying", list(Saying))
def test_each_saying_has_a_sentence_with_all_its_values(saying: Saying) -> None:
    one = filled(saying)
    told = sentence(messages.MALFORMED, one)
    assert told
    assert "{" not in told
    for value in (*one.texts, *one.numbers):
        assert str(value) in told
    assert word_of_table(one) == meaning(saying).format(**one.values)


@pytest.mark.parametrize("reason", [*range(1, 16), 0, 16, 255])
def test_what_a_newer_program_says_is_a_sentence_too(reason: int) -> None:
    told = sentence(reason, NEWER)
    assert told == by_reason(reason)
    assert " " in told
    assert "{" not in told
    assert "does not know" in word_of_table(NEWER)


@pytest.mark.parametrize(
    "one",
    [Notice(28, ("Anna",)), Notice(60, ("x",)), Notice(6, (), (1, 2))],
    ids=["a text too few", "a text too many", "a number too many"],
)
def test_values_that_do_not_fit_their_saying_are_read_as_one_that_is_not_known(one: Notice) -> None:
    assert MESSAGES.decode(MESSAGES.encode(Bye(13, one))) == Bye(13, one)
    assert sentence(messages.HOST_LEFT, one) == by_reason(messages.HOST_LEFT)


def test_a_text_with_braces_is_shown_as_it_is() -> None:
    assert "{name}" in sentence(messages.NAME_TAKEN, notice(Saying.NAME_TAKEN, "{name}", "{other}"))


def test_only_what_a_person_has_written_or_named_is_text_on_the_wire() -> None:
    """No sentence of ours travels: free text is talk, the host's own words to whom they take off, or a value."""
    free = {
        (struct.cls, name)
        for _, struct in MESSAGES
        for name, spec in struct.specs
        if isinstance(spec, Text) and spec.limit >= 100
    }
    assert free == {(Kick, "text"), (Say, "text"), (messages.Said, "text")}
    assert MESSAGES.encode(Refused(1, NOTHING, 2, "x")) == MESSAGES.encode(Refused(1, Notice(0), 2, "x"))


def test_the_host_has_no_sentence_for_its_guests() -> None:
    """Every notice that the table sends is made from a saying."""
    for path in Path("host/goat_host").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Notice", "Said"):
                assert not any(isinstance(a, ast.Constant) and isinstance(a.value, str) and " " in a.value
                               for a in node.args), path  # fmt: skip


# What the lobby tells


def room(options: TableOptions) -> Room:
    """A table as its options say."""
    settings = Settings(options.grace, *options.clock_seconds, options.watch, options.hints, options.seed.encode())
    rules = Rules(options.target, options.eggs_double, options.yield_time)
    return Room(Identity.new(), TableSetup("Kitchen", "goat 0.2", rules, settings), lambda size: bytes(size))


def test_the_house_of_the_wire_has_the_defaults_of_the_options() -> None:
    plain = TableOptions()
    assert room(plain).lobby().house == House()
    told = {"target", "eggs_double", "grace", "hints"}
    assert told < {rule.key for rule in HOUSE_RULES}
    assert all(getattr(House(), key) == getattr(plain, key) for key in told)


def test_house_rules_are_told_before_one_sits_down() -> None:
    """V9, V10: target, eggs, clock and grace of this very table, in the lobby and to whoever asks for its status."""
    odd = TableOptions(target=20, eggs_double=True, clock="30+60", grace=60, hints=False, watch=False, seed="x")
    house = House(20, True, 3000, 30, 60, 60, False, False, True)
    assert room(odd).lobby().house == house
    assert room(odd).status().house == house
    assert all(getattr(house, key) != getattr(House(), key) for key in House.__slots__ if key != "yield_time")


def come(table: Room, conn: int, name: str, role: int = ROLE_PLAYER, page: str = "") -> Hello:
    """Somebody has come in."""
    hello = Hello(2, "goat 0.2", role, Identity.new().public, bytes(32), name, "", b"", page)
    table.joined(conn, hello, b"", 0.0)
    return hello


def test_whose_page_somebody_sits_in_is_told_of_seats_and_of_watchers() -> None:
    table = room(TableOptions())
    vera, boris = come(table, 1, "Vera", page="Boris"), come(table, 2, "Boris")
    table._seat(table.people.guests[1], 2, ready=False)
    assert [s.page for s in table.lobby().seats] == ["", "", "Boris", ""]
    table._seat(table.people.guests[2], 0, ready=False)
    come(table, 3, "Dora", ROLE_WATCHER, "Boris")
    assert [(w.name, w.page) for w in table.lobby().watchers] == [("Dora", "Boris")]
    assert vera.page == boris.name


def test_the_name_of_a_page_is_looked_at_like_a_name() -> None:
    table = room(TableOptions())
    mixed = Hello(2, "goat 0.2", ROLE_PLAYER, Identity.new().public, bytes(32), "Vera", "", b"", "B\u043eris")
    refused = table.admits(mixed)
    assert refused is not None
    assert refused[1] == notice(Saying.NAME_MIXED, "B\u043eris")


def test_a_bot_without_a_seat_is_told_as_a_bot() -> None:
    table = room(TableOptions())
    come(table, 1, "Rover", ROLE_BOT)
    come(table, 2, "Dora", ROLE_WATCHER)
    assert [(w.name, w.bot) for w in table.lobby().watchers] == [("Rover", True), ("Dora", False)]


def test_told_has_its_bounds() -> None:
    with pytest.raises(ValueError, match="not the values"):
        Notice(int(Saying.NAME_TAKEN), ("a", "b", "c")).values  # noqa: B018
    assert MESSAGES.decode(MESSAGES.encode(Told(NEWER))) == Told(NEWER)
