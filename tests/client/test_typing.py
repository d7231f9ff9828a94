"""Whatever is typed or pasted, in whatever field: it is taken, folded or refused with a sentence."""

import asyncio
import itertools
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from goat_client.commands.finding import typed_address
from goat_client.errors import CommandError
from goat_client.game.control import End
from goat_client.game.lobby_model import LobbyModel, NoTables, TableRow
from goat_client.game.local import LocalSession
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.game.people import PHRASES
from goat_client.machine.settings import Settings, load, save
from goat_client.screen.bursts import PASTE_GOES_ON, PASTE_KEYS, Bursts
from goat_client.screen.lobby_screen import LobbyScreen
from goat_client.views import lobby

from goat_net.seat.tableview import Absence, Stage
from goat_net.wire.messages import MESSAGES, Say
from goat_net.wire.text import TALK_CHARS, is_clean, is_name
from goat_net.wire.words import normal_code
from tests.client.kit import Desk
from tests.client.test_application import table, until

NASTY = (
    " ", "  ", "\u00a0", "\u2003", "\u3000", "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066",
    "\u0301", "a\u0301\u0302\u0303\u0304", "\u3164", "\u115f", "\u2800", "\ufe0f", "\u2764\ufe0f", "\U000e0101",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U0001f1f3\U0001f1f4", "\u0660", "\u00b2", "\u0131", "\ufb01",
    "\u1e9e", "\u0344", "\u2126", "\uac00", "\u1100\u1161", "\u0e33", "\u0f71\u0f80", "\u4f60\u597d", "..", "a..b",
    "%", "::1%", "-h", "--", "'", '"', "\\", "<b>", "&", "\U0001f3fd", "\u2028", "x" * 70, "\ud800", "\ue000", "\u0378",
)  # fmt: skip


def text_of(rng: random.Random) -> str:
    """Some text that nobody would type on purpose."""
    points = (range(0x20, 0x250), range(0x3000))
    some = (rng.choice(NASTY) if rng.random() < 0.7 else chr(rng.choice(rng.choice(points))) for _ in range(8))
    return "".join(itertools.islice(some, rng.randint(1, 8)))


def typed(press: Callable[[str], None], paste: Callable[[str], None], rng: random.Random, text: str) -> None:
    """Type or paste a text, with the names that a terminal gives to keys."""
    if rng.random() < 0.3:
        paste(text)
        return
    for ch in text:
        if ch == " ":
            press("space")
        elif ch.isprintable():
            press(ch)


def paste_is_over(seconds: float) -> Callable[[], bool]:
    """A condition that is true once a paste has ended for sure."""
    end = asyncio.get_running_loop().time() + seconds
    return lambda: asyncio.get_running_loop().time() > end


class Strict(LocalSession):
    """A table whose talk goes through the codec, as at a real one."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.said: list[str] = []

    def say(self, text: str) -> None:
        MESSAGES.encode(Say(text))
        self.said.append(text)


def test_any_line_of_talk_is_said_folded_or_refused_with_a_sentence(seed: int) -> None:
    """U1: two blanks, or a character that nobody sees, ended the client with a traceback in mid-hand."""
    rng = random.Random(seed)
    desk = Desk(seed)
    session = Strict(seed)
    desk.session = desk.control.session = session
    desk.session.on_change(desk._changed)
    desk.control.take(desk.session.view, desk.now)
    desk.begin()
    for text in ("hello  world", "a\u200bb", *NASTY, *(text_of(rng) for _ in range(300))):
        session.said.clear()
        desk.press("t")
        typed(lambda key: desk.press(key), lambda some: desk.screen.paste(some, desk.now), rng, text)
        written = desk.model.edit.text if desk.model.edit is not None else ""
        desk.press("enter")
        desk.look()
        assert desk.model.edit is None
        assert all(is_clean(line, TALK_CHARS) for line in session.said)
        assert session.said or not written or "nothing in that" in desk.model.notice
        desk.press("escape")


def test_two_blanks_are_folded(seed: int) -> None:
    """U1"""
    desk = Desk(seed)
    desk.begin()
    desk.press("t", *"hello", "space", "space", *"world", "enter")
    assert desk.session.view.talk[-1].text == "hello world"


async def test_the_door_of_a_real_table_folds_too() -> None:
    """U1: whoever talks through a session, by lines or by keys."""
    from goat_net.seat.session import TableSession

    sent: list[object] = []
    session = TableSession.__new__(TableSession)
    session._send = sent.append  # type: ignore[assignment, method-assign]
    for text in ("hello  world", "\u200b", "  ", "x" * 400):
        session.say(text)
    assert sent == [Say("hello world"), Say("x" * TALK_CHARS)]
    assert all(MESSAGES.encode(message) for message in sent)


def test_any_text_in_any_field_of_the_lobby(seed: int, tmp_path: Path) -> None:
    """U1: its kind – names, codes, addresses, table names, ports – through the screen, and what is made of it."""
    rng = random.Random(seed)
    file = tmp_path / "goat.toml"
    row = TableRow("a", "Kitchen", 1, "10.0.0.2:5000", code_needed=True)

    class One(NoTables):
        def rows(self) -> list[TableRow]:
            return [row]

    ways = {
        "name": ["o", "enter"], "port": ["o", "up", "enter"], "address": ["a"], "code": ["1"],
        "table": ["h", "down", "enter"], "own code": ["h", "down", "down", "down", "enter"],
    }  # fmt: skip
    for round_, text in enumerate((*NASTY, *(text_of(rng) for _ in range(120)))):
        for way, keys in ways.items():
            file.unlink(missing_ok=True)
            inner = Model(settings=Settings(name="Vera"))
            model = LobbyModel(inner, One(), save=lambda settings: save(settings, file))
            view = LobbyScreen(model)
            view.tick(0.0)
            for key in keys:
                view.key(key, 10.0)
            assert inner.edit is not None, way
            if round_ % 2:
                view.key("c-u", 10.0)
            typed(lambda key, view=view: view.key(key, 10.0), lambda some, view=view: view.paste(some, 10.0), rng, text)  # type: ignore[misc]
            lobby.draw(model, 60, 20, 10.0)
            view.key("enter", 10.0)
            view.drawn(10.0)
            lobby.draw(model, 80, 24, 10.0)
            choice = model.choice
            if way in ("name", "port") and file.exists():
                assert load(file) == (inner.settings, ())
                assert is_name(inner.settings.name)
                assert 0 <= inner.settings.port <= 65535
            elif way == "address" and choice is not None:
                with suppress(CommandError):  # a sentence; anything else is a fault
                    typed_address(choice.address)
            elif way == "code" and choice is not None:
                assert len(normal_code(choice.code)) <= 260
            elif way in ("table", "own code"):
                assert "\n" not in model.form["name"] + model.form["code"]
                assert is_name(model.form["name"]), repr(model.form["name"])
                assert model.form["code"] == "" or normal_code(model.form["code"])


def test_what_no_name_or_code_can_be_made_of_is_said() -> None:
    """U1: a refusal is a sentence, and what was there stays."""
    inner = Model(settings=Settings(name="Vera"))
    model = LobbyModel(inner, NoTables())
    view = LobbyScreen(model)
    for keys, kept in ((["o", "enter"], "name"), (["h", "down", "enter"], "table")):
        for key in (*keys, "c-u", "\u2800", "enter"):
            view.key(key, 10.0)
        view.drawn(10.0)
        assert "no name" in inner.notice, kept
        view.key("escape", 10.0)
    assert inner.settings.name == "Vera"
    for key in ("h", "down", "down", "down", "enter", "!", "?", "enter"):
        view.key(key, 10.0)
    assert "letters or digits" in inner.notice
    assert model.form["code"] == ""


def test_an_accent_typed_by_itself_joins_its_letter() -> None:
    """U1: a key of its own on some layouts."""
    desk = Desk(1)
    desk.begin()
    desk.press("t", *"Zoe", "\u0301", "enter")
    assert desk.session.view.talk[-1].text == "Zo\u00e9"


# A text field takes text


def test_a_digit_begins_a_text(seed: int) -> None:
    """U5: T, then "2 minutes please" said phrase 2, and the rest were commands."""
    desk = Desk(seed)
    desk.begin()
    desk.press("t", "2")
    assert "Enter says: Thanks!" in desk.text()
    desk.press("space", *"minutes", "space", *"please")
    assert "says:" not in desk.text()
    desk.press("enter")
    assert [t.text for t in desk.session.view.talk] == ["2 minutes please"]
    assert desk.control.outcome is None


def test_charging_asks_first(seed: int) -> None:
    """U5: C charged 6 points unasked."""
    desk = Desk(seed)
    desk.begin()
    votes: list[tuple[int, int]] = []
    desk.session.vote = lambda seat, choice: votes.append((seat, choice))  # type: ignore[method-assign]
    gone = Absence(1, 190.0, 0.0, open=True, may_vote=True, voters=(0, 2), unreached=True,
                   choices=(0, 1, 2), cost=6)  # fmt: skip
    desk.session.view = replace(desk.session.view, absences=(gone,))
    desk.control.take(desk.session.view, desk.now)
    desk.press("c", "c")  # the second before the question can have been seen
    assert votes == []
    assert "6 points" in desk.model.notice
    assert "Charge Anna" in desk.text()
    desk.wait(0.1)
    desk.press("w")
    assert votes == [(1, 0)]
    desk.press("c")
    desk.wait(0.1)
    desk.press("c")
    assert votes == [(1, 0), (1, 2)]


def test_a_question_takes_no_key_before_it_was_on_the_screen(seed: int) -> None:
    """U21: "q" and Enter in one read left the table."""
    desk = Desk(seed)
    desk.begin()
    desk.press("q", "enter")
    assert desk.control.outcome is None
    assert desk.model.page is Page.LEAVE
    desk.wait(0.1)
    desk.press("enter")
    assert desk.control.outcome is not None


# A paste that is not marked as one


def test_a_burst_is_told_from_typing() -> None:
    """U21"""
    bursts = Bursts()
    ahead = [*"ello", "enter", "q", "enter"]
    assert [bursts.take(key, ahead[n:], 0.0) for n, key in enumerate(["h", *ahead])] == [""] * 7 + ["hello\nq\n"]
    assert bursts.take("q", [], PASTE_GOES_ON / 2) == "q"  # the paste went on in another read
    assert bursts.take("q", [], 1.0) is None
    hand = ["1", "2", "3", "4", "enter", "enter"]
    assert len(hand) == PASTE_KEYS
    assert [bursts.take(key, hand[n + 1 :], 2.0) for n, key in enumerate(hand)] == [None] * 6
    assert [bursts.take("down", ["down"] * n, 3.0) for n in range(20, -1, -1)] == [None] * 21  # a key held down
    assert bursts.take("c-c", [*"a long text"], 4.0) is None


@pytest.mark.parametrize("field", [True, False])
async def test_a_paste_without_marks_is_text_or_nothing(field: bool) -> None:
    """U21: "hello⏎q⏎" said hello and left the table."""
    async with table(1) as t:
        await t.shows("seats")
        t.press("enter")
        await until(lambda: t.session.view.seats[0].ready)
        t.press("enter")
        await t.shows("Your turn")
        if field:
            t.press("t")
            await t.shows("Say:")
        t.keys.send_text("hello\rq\rdd1\r")
        await t.shows("Say: hello q dd1" if field else "Pasted text")
        assert not t.task.done()
        assert t.session.view.talk == ()
        assert t.session.view.pending is None
        assert t.session.view.stage is Stage.PLAY
        await until(paste_is_over(PASTE_GOES_ON))
        t.press("escape")
        await until(lambda: not any("Say:" in row for row in t.glass.rows()))
        t.press("c-c", "c-c")
        assert (await t.task).end is End.QUIT


def test_keys_right_after_the_end_of_a_text_are_nothing(seed: int) -> None:
    """U21: a short one, "hi⏎q⏎", is no longer than what somebody types ahead."""
    desk = Desk(seed)
    desk.begin()
    desk.press("t", *"hi", "enter", "q", "enter", "c")
    assert [t.text for t in desk.session.view.talk] == ["hi"]
    assert desk.model.page is Page.NONE
    desk.wait(0.1)
    desk.press("q")
    assert desk.model.page is Page.LEAVE


def test_phrases_are_still_two_keys_and_enter(seed: int) -> None:
    desk = Desk(seed)
    desk.begin()
    desk.press("t", "1", "enter")
    assert desk.session.view.talk[-1].text == PHRASES[0]
