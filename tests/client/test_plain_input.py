"""Plain mode reads every line when it comes, from a terminal and from a pipe alike; what costs points asks first."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import pytest
from goat_client.game.control import End, Outcome
from goat_client.lines.plain import Plain, run_plain
from goat_client.machine.settings import Settings

from goat_net.seat.tableview import Absence, SeatInfo, Stage, TableView
from tests.client.test_molodka import CLUBS, begun
from tests.client.test_people import Heard

SETTINGS = Settings(name="Vera", ascii="no", suits="symbols")
PEOPLE = (
    SeatInfo(0, "Anna", True, key=b"a" * 32),
    SeatInfo(1, "Boris", True, bot=True, level="hard"),
    SeatInfo(2, "Vera", True, host=True, key=b"v" * 32),
    SeatInfo(3, "Igor", True, bot=True, level="hard"),
)


class Votes(Heard):
    """Notes votes too."""

    def vote(self, seat: int, choice: int) -> None:
        self.calls.append(("vote", seat, choice))

    def pause(self, on: bool) -> None:
        self.calls.append(("pause", on))


def waiting(**more: object) -> TableView:
    """A deal in which Vera, on seat 2, waits for Anna on seat 0."""
    view = begun(2, ("KS QS JD QD", "10S AS KD AD", "6C 7C 8C 9D", "JS JC QC KC")).session.view
    assert view.deal is not None
    assert view.deal.turn == 0
    return replace(view, seats=PEOPLE, **more)  # type: ignore[arg-type]


async def run_lines(session: Heard, *typed: str, at_once: bool) -> tuple[Outcome, list[str]]:
    out: list[str] = []

    async def lines() -> AsyncGenerator[str, None]:
        for text in typed:
            yield text

    async with asyncio.timeout(30.0), aclosing(lines()) as source:
        outcome = await run_plain(session, SETTINGS, lines=source, write=out.append, at_once=at_once)
    return outcome, out


@pytest.mark.parametrize("at_once", [False, True])
async def test_talk_votes_pauses_and_questions_are_heard_while_another_is_waited_for(seed: int, at_once: bool) -> None:
    """S5: from a pipe everything but one's own play was deaf."""
    session = Votes(seed)
    gone = Absence(0, 200.0, open=True, may_vote=True, voters=(2,), choices=(0, 1, 2), cost=6)
    session.view = waiting(absences=(gone,))
    outcome, out = await run_lines(session, "t hello", "say 1", "excuse", "p", "s", at_once=at_once)
    assert session.calls == [("say", "hello"), ("say", "Well played!"), ("vote", 0, 1), ("pause", True)]
    assert any(line.startswith("Defeat points") for line in out)
    assert outcome == Outcome(End.QUIT, "The input has ended.")


@pytest.mark.parametrize("at_once", [False, True])
async def test_the_end_of_the_input_ends_though_nothing_is_asked(seed: int, at_once: bool) -> None:
    """S5: stayed after the end of the input."""
    session = Votes(seed)
    session.view = waiting()
    outcome, _ = await run_lines(session, at_once=at_once)
    assert outcome.end is End.QUIT


@pytest.mark.parametrize("at_once", [False, True])
async def test_leaving_counts_while_another_is_waited_for(seed: int, at_once: bool) -> None:
    """S5, V2: q from a pipe was deaf; at a table with people it asks."""
    session = Votes(seed)
    session.view = waiting()
    outcome, out = await run_lines(session, "q", "no", "q", "", "q", "yes", "c", at_once=at_once)
    assert outcome.end is End.LEFT
    assert sum("Leave in the middle of the match?" in line for line in out) == 3
    session = Votes(seed)
    bots = tuple(replace(s, bot=s.seat != 2) for s in PEOPLE)
    session.view = replace(waiting(), seats=bots)
    outcome, out = await run_lines(session, "q", "s", at_once=at_once)
    assert outcome.end is End.LEFT
    assert not any("Leave in" in line for line in out)


def at(view: TableView, seed: int) -> tuple[Plain, Votes, list[str]]:
    session, out = Votes(seed), []
    session.view = view
    plain = Plain(session, SETTINGS, out.append)
    plain.take(view, 1.0)
    out.clear()
    return plain, session, out


def test_another_line_takes_a_question_back_and_is_carried_out(seed: int) -> None:
    """V2: only a yes right after the question leaves."""
    plain, session, _ = at(waiting(), seed)
    plain.line("q", 2.0)
    plain.line("t wait a moment", 2.0)
    plain.line("yes", 2.0)
    assert plain.control.outcome is None
    assert session.calls == [("say", "wait a moment")]


@pytest.mark.parametrize("stage", [Stage.LOBBY, Stage.OVER, Stage.CLOSED])
def test_leaving_asks_nothing_where_it_costs_nothing(seed: int, stage: Stage) -> None:
    """V2: before and after a match, and once the table is gone."""
    plain, _, _ = at(replace(waiting(), stage=stage, deal=None), seed)
    plain.line("q", 2.0)
    assert plain.control.outcome is not None


def test_what_costs_a_team_points_asks_first(seed: int) -> None:
    """V2, U5: a vote to charge."""
    gone = Absence(0, 200.0, open=True, may_vote=True, voters=(2,), choices=(0, 1, 2), cost=6)
    plain, session, out = at(waiting(absences=(gone,)), seed)
    plain.line("charge", 2.0)
    assert session.calls == []
    assert out == ["Charge the team of Anna 6 points? yes or no."]
    plain.line("no", 2.0)
    plain.line("yes", 2.0)
    assert session.calls == []
    plain.line("charge", 2.0)
    plain.line("yes", 2.0)
    assert session.calls == [("vote", 0, 2)]


def test_who_holds_a_molodka_is_told_of_their_turn_when_it_comes() -> None:
    """T3: a turn that could not be played at once, since keys of drawn cards were missing, was never asked for."""
    desk = begun(0, (CLUBS, "KS QS JD QD", "10S AS KD AD", "JS JC QC KC"))
    view = desk.session.view
    plain, _, out = at(replace(view, may_act=False, deal_number=9), 1)
    plain.take(replace(view, may_act=False), 2.0)
    assert not any("Your turn" in line for line in out)
    plain.take(view, 3.0)
    assert sum(line.startswith("Your turn") for line in out) == 1


def test_news_that_an_answer_brings_at_once_is_told_after_its_cause() -> None:
    """T3: cards of a claim go out while its news is taken; what comes then is told in order, and is asked once."""
    desk = begun(2, ("KS QS JD QD", "10S AS KD AD", CLUBS, "JS JC QC KC"))
    out: list[str] = []
    plain = Plain(desk.session, SETTINGS, out.append)
    desk.session.on_change(lambda view: plain.take(view, 100.0))
    plain.take(desk.session.view, 100.0)
    out.clear()
    plain.line("m", 200.0)
    while desk.session.advance():
        pass
    named = [line for line in out if "molodka" in line]
    assert named[:2] == ["You claim a molodka.", "You lead 6♣ 7♣ 8♣ 9♣ (molodka)."]
