"""Plain mode: a whole match by lines, every feature, and not one escape byte."""

import asyncio
import io
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
from goat_client.game.control import End, Outcome
from goat_client.game.local import LocalSession
from goat_client.lines.plain import Plain, run_plain
from goat_client.lines.stdin import stdin_lines
from goat_client.lines.vocabulary import help_lines
from goat_client.machine.settings import Settings
from goat_client.machine.terminal_mode import Mode, choose

from goat_engine.actions import Beat, Claim, Discard, Lead, Yield
from goat_engine.cards import name
from goat_engine.state import Phase
from goat_net.seat.tableview import Stage, TableView
from tests.client.kit import HARD_NAMES, Desk

SETTINGS = Settings(name="Vera", ascii="no")


async def played(
    seed: int, answer: Callable[[LocalSession], str | None], **settings: object
) -> tuple[list[str], Outcome]:
    """A game in which ``answer`` types a line each time the table waits for one; None ends the input."""
    session, out = LocalSession(seed), []

    async def lines() -> AsyncIterator[str]:
        for _ in range(3000):
            await quiet(session)
            text = answer(session)
            if text is None:
                return
            yield text
        raise AssertionError("the game has no end")

    async with asyncio.TaskGroup() as group:
        bots = group.create_task(session.run(0.0))
        outcome = await run_plain(session, Settings(name="Vera", ascii="no", **settings), lines=lines(),  # type: ignore[arg-type]
                                  write=out.append, at_once=True)  # fmt: skip
        bots.cancel()
    return out, outcome


async def quiet(session: LocalSession) -> None:
    """Until the table waits for its person."""
    for _ in range(2000):
        await asyncio.sleep(0)
        if not session.wake.is_set() and session.view.pending is None:
            return
    raise AssertionError("the table never comes to rest")


def random_line(session: LocalSession, rng: random.Random) -> str:
    """A legal play as a line, by number or by name."""
    view = session.view.seat_view
    if view is None or session.view.stage is not Stage.PLAY or not view.actions():
        return ""
    action = rng.choice(view.actions())
    cards = dict(view.hand)
    match action:
        case Claim():
            return "m"
        case Yield():
            return "y"
        case Lead(slots=some) | Beat(slots=some) | Discard(slots=some):
            named = " ".join(name(cards[s]) for s in some if s is not None)
            return f"d {named}" if isinstance(action, Discard) else named
        case _:
            return ""


async def test_a_whole_match_by_lines(seed: int) -> None:
    rng = random.Random(seed)
    ends: list[TableView] = []

    def answer(session: LocalSession) -> str | None:
        if session.view.stage is Stage.OVER:
            ends.append(session.view)
            return "q"
        return random_line(session, rng)

    out, outcome = await played(seed, answer)
    text = "\n".join(out)
    assert outcome == Outcome(End.LEFT)
    match = ends[0].match
    assert match is not None
    assert "The match is over: " in text
    assert text.count("End of deal") == len(match.deals)
    assert "Checked here card by card: all good." in text
    assert "\x1b" not in text
    assert not any(line for line in out if any(not ch.isprintable() for ch in line))


async def test_every_command_answers(seed: int) -> None:
    script = ["", "", "c", "w", "s", "l", "g", "h", "?", "rules", "k", "t hello there", "set", "set hold 2",
              "set hold no", "set nonsense 1", "1 1", "XX", "10S 10H", "d", "d 1 2 3 4", "p", "p", "y", "m",
              "bot 2 hard", "й"]  # fmt: skip
    out, outcome = await played(seed, lambda _: script.pop(0) if script else None)
    text = "\n".join(out)
    assert "hello there" in text
    assert "hold = 2.0" in text
    assert "setting hold can't be 'no'" in text
    assert "unknown setting 'nonsense'" in text
    assert "is no card" in text
    assert all(line in out for line in help_lines(Stage.PLAY))
    assert "Hint: " in text
    assert outcome == Outcome(End.LEFT)


async def test_the_end_of_the_input_ends_the_table() -> None:
    _, outcome = await played(1, lambda _: None)
    assert outcome.end is End.QUIT


async def test_names_and_talk_of_peers_bring_no_control_bytes() -> None:
    session, out = LocalSession(1, names=HARD_NAMES), []
    plain = Plain(session, SETTINGS, out.append)
    session.remark("\x1b]0;pwn\x07", "\x1b[2J\x9b31m\r\nhi\u202e", 1)
    plain.take(session.view, 0.0)
    assert any("hi" in line for line in out)
    assert all(line.isprintable() or "\u0301" in line for line in out)
    assert "\x1b" not in "".join(out)


async def test_cards_can_be_said_in_words(seed: int) -> None:
    script = ["", "", "c", "q"]
    out, _ = await played(seed, lambda _: script.pop(0), suits="words")
    assert any(" of " in line and "Your cards" in line for line in out)


async def test_ascii_needs_no_other_sign(seed: int) -> None:
    rng = random.Random(seed)
    count = iter(range(60))
    session, out = LocalSession(seed), []

    async def lines() -> AsyncIterator[str]:
        for _ in count:
            await quiet(session)
            yield random_line(session, rng)

    async with asyncio.TaskGroup() as group:
        bots = group.create_task(session.run(0.0))
        await run_plain(session, Settings(ascii="yes"), lines=lines(), write=out.append, at_once=True)
        bots.cancel()
    assert "?" not in "".join(out)
    assert "".join(out).isascii()


async def test_a_line_typed_ahead_is_no_play() -> None:
    session, out = LocalSession(3), []
    plain = Plain(session, SETTINGS, out.append)
    session.on_change(lambda view: plain.take(view, 0.0))
    plain.take(session.view, 0.0)
    plain.line("", 1.0)
    plain.line("", 1.0)
    while session.advance():
        pass
    view = session.view.seat_view
    assert view is not None
    assert view.owes
    line = "1" if view.deal.phase is Phase.LEAD else "d " + " ".join("1234"[: len(view.deal.plays[0].slots)])
    plain.line(line, 0.0)  # in the very moment in which the turn was said
    assert session.view.pending is None
    plain.line(line, 1.0)
    assert session.view.pending is not None


async def test_lines_of_a_stream_come_in_order() -> None:
    assert [line async for line in stdin_lines(io.StringIO("a\nb\r\n\nc"))] == ["a", "b", "", "c"]


class Fake(io.StringIO):
    def __init__(self, tty: bool) -> None:
        super().__init__()
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty


@pytest.mark.parametrize(
    ("term", "stdin", "stdout", "plain", "mode"),
    [
        ("xterm", True, True, False, Mode.FULL),
        ("dumb", True, True, False, Mode.PLAIN),
        ("", True, True, False, Mode.PLAIN),
        ("xterm", True, False, False, Mode.PLAIN),
        ("xterm", False, True, False, Mode.NONE),
        ("xterm", False, False, True, Mode.PLAIN),
    ],
)
def test_the_mode_fits_the_terminal(term: str, stdin: bool, stdout: bool, plain: bool, mode: Mode) -> None:
    assert choose(plain=plain, environ={"TERM": term}, stdin=Fake(stdin), stdout=Fake(stdout)) is mode


def at(desk: Desk) -> tuple[Plain, list[str]]:
    """Lines at the table of a desk, and what is said from now on."""
    out: list[str] = []
    plain = Plain(desk.session, SETTINGS, out.append)
    plain.take(desk.session.view, 100.0)
    out.clear()
    return plain, out


def test_after_a_deal_its_last_trick_can_still_be_asked_for() -> None:
    desk = Desk(5, settings=Settings(name="Vera", remind=False, reveal=0.0))
    desk.begin()
    desk.deal()
    plain, out = at(desk)
    plain.line("l", 200.0)
    assert out[-1].endswith(" took it.")
    assert len(out) == 5
    desk.press("l")
    assert "took it." in desk.text()


def test_who_has_left_is_told_nothing_more() -> None:
    desk = Desk(5)
    desk.begin()
    plain, out = at(desk)
    plain.line("q", 200.0)
    said = list(out)
    for stage in (Stage.OPENING, Stage.CLOSED):
        plain.take(replace(desk.session.view, stage=stage), 201.0)
    assert out == said
