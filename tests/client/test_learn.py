"""The lesson: by keys, by lines, and what it refuses."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from goat_client.commands.learn import (
    BOTS,
    COUNTING,
    COUNTING_LINES,
    STEPS,
    LessonControl,
    lesson_deal,
    lesson_session,
    plain_lesson,
)
from goat_client.game.control import End, Outcome
from goat_client.game.model import Model
from goat_client.machine.settings import Settings
from goat_client.screen.app import TableScreen

from goat_engine.actions import Claim
from goat_engine.cards import parse_all
from goat_net.seat.tableview import DealReport, Stage
from tests.client.kit import SIZES
from tests.client.test_plain import quiet


def desk() -> tuple[LessonControl, list[float]]:
    session, now = lesson_session(), [0.0]
    control = LessonControl(session, Model(settings=Settings()))
    session.on_change(lambda view: control.take(view, now[0]))
    return control, now


def let_play(control: LessonControl, now: list[float]) -> None:
    """Everything that goes by itself, then the turn is looked at."""
    session = control.session
    while session.advance():  # type: ignore[attr-defined]
        pass
    for _ in range(3):
        now[0] += 2.0
        control.model.tick(now[0])
        control.model.seen(now[0])


def test_the_lesson_is_played_as_it_asks() -> None:
    control, now = desk()
    for step in STEPS:
        let_play(control, now)
        assert control.model.coach.splitlines()[-1] == f"→ {step.ask(control.model)}"
        if step.kind is Claim:
            control.do("molodka", now[0])
        else:
            by_card = {c: s for s, c in control.model.hand}
            control.model.chosen[:] = [by_card[c] for c in parse_all(step.cards)]
            control.do("discard" if step.kind.__name__ == "Discard" else "enter", now[0])
    let_play(control, now)
    view = control.model.view
    assert view.stage is Stage.BETWEEN
    assert control.model.coach == COUNTING
    result = view.reports[-1].result
    assert result is not None
    assert result.points == (117, 3)
    assert result.defeat == (0, 4)
    now[0] += 20
    control.model.tick(now[0])
    control.do("enter", now[0])
    control.do("enter", now[0])
    assert control.outcome is not None


def test_what_the_lesson_did_not_ask_for_is_not_played() -> None:
    control, now = desk()
    let_play(control, now)
    for command in (["card 3", "enter"], ["card 3", "card 4", "enter"], ["molodka"]):
        control.model.clear()
        for one in command:
            control.do(one, now[0])
        assert control.session.view.pending is None
        assert control.model.notice


def test_every_card_of_the_lesson_is_there_and_every_bot_has_its_lines() -> None:
    deal = lesson_deal()
    assert sorted(deal.cards) == list(range(36))
    for seat, lines in BOTS.items():
        played = [c for line in lines for c in parse_all(line.split(" ", 1)[1])]
        assert len(set(played)) >= 9, seat


async def test_the_lesson_by_lines() -> None:
    out: list[str] = []

    async def lines() -> AsyncIterator[str]:
        for line in ("1", "1 2", "6D", "d 10 of diamonds", "6H", "m", "?", ""):
            await quiet(session)
            yield line

    session = lesson_session()
    async with asyncio.TaskGroup() as group:
        bots = group.create_task(session.run(0.0))
        await plain_lesson(session, Settings(ascii="no"), lines(), at_once=True, write=out.append)
        bots.cancel()
    text = "\n".join(out)
    assert "But for now" in text
    assert "117 points" in text
    assert "4 defeat points" in text
    assert COUNTING_LINES.splitlines()[0] in text


# One voice, and on to a table


def desk_of_lesson() -> tuple[LessonControl, TableScreen]:
    """The lesson on a full screen, up to the first thing it asks."""
    session = lesson_session()
    control = LessonControl(session, Model(settings=Settings(hold=0, reveal=0)))
    screen = TableScreen(control)
    control.take(session.view, 0.0)
    session.on_change(lambda view: control.take(view, 0.0))
    while session.advance():
        pass
    screen.drawn(0.0)
    return control, screen


def test_a_hint_in_the_lesson_is_what_it_asks_for() -> None:
    """U16: H said the opposite of the lesson."""
    control, screen = desk_of_lesson()
    screen.key("h", 1.0)
    assert control.step is not None
    assert control.step.ask(control.model) in control.model.hint
    screen.key("enter", 1.0)
    assert control.session.view.pending is not None


def test_the_lesson_ends_with_one_sentence_about_enter_and_goes_on_with_bots() -> None:
    """U16: two sentences about Enter; it ended in an empty shell."""
    control, screen = desk_of_lesson()
    view = control.session.view
    report = DealReport(1, None, None, True, frozenset())
    over = replace(view, stage=Stage.BETWEEN, reports=(report,), deal=None)
    control.session.view = over
    control.take(over, 2.0)
    for width, height in SIZES:
        text = screen.draw(width, height, 3.0).text()
        words = " ".join(text.replace("│", " ").split())
        assert "P: play against easy bots" in words
        assert words.count("Enter ends the lesson") == 1
        assert "next deal" not in text
    screen.key("h", 3.0)
    assert not control.model.page
    screen.key("p", 3.0)
    assert control.outcome == Outcome(End.BOTS)
