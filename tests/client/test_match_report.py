"""After a match: what it was like, what cost most, and from there into the position, and on with it against bots."""

from dataclasses import replace

import pytest
from goat_client.commands.practice import practice_session
from goat_client.game.control import End
from goat_client.game.match_report import match_report
from goat_client.game.moment import Page
from goat_client.game.review import record_of
from goat_client.machine.settings import Settings

from goat_engine.bots.review import review
from goat_engine.cards import points_of
from goat_engine.record import Record
from goat_engine.rules import SEATS
from goat_net.seat.tableview import DealReport, Stage
from tests.client.kit import SIZES, Desk


@pytest.fixture(scope="module")
def over() -> Desk:
    """A match to its end, at the page of the goat."""
    d = Desk(11, names=("Vera", "Anna", "Boris", "Igor"))
    d.begin()
    for _ in range(60):
        d.deal()
        d.look()
        if d.model.view.stage is Stage.OVER:
            break
        d.press("enter", "enter")
        d.go()
    d.press("enter", "enter")
    assert d.model.finale
    return d


def test_the_report_is_what_the_deals_say(over: Desk) -> None:
    reports = over.session.view.reports
    report = match_report(reports)
    assert [gone.report for gone in report.deals] == list(reports)
    for seat in SEATS:
        rows = [(at, r) for at, gone in enumerate(reports) for r in rows_of(gone, seat)]
        assert report.choices[seat] == len(rows)
        assert report.agreed[seat] == sum(row.agreed for _, row in rows)
        worst = max((row.cost for _, row in rows), default=0.0)
        mine = [m for m in report.mistakes if m.seat == seat]
        assert [m.row.cost for m in mine] == ([worst] if worst >= 0.1 else [])
        assert all((m.at, m.row) in rows for m in mine)
    assert list(report.mistakes) == sorted(report.mistakes, key=lambda m: -m.row.cost)
    tricks = [points_of([r.opened.known[s] for p in t.plays for s in p.slots if s is not None])
              for r in reports if r.opened is not None for t in r.opened.tricks]  # fmt: skip
    assert report.best is not None
    assert report.best.points == max(tricks)


def rows_of(report: DealReport, seat: int) -> list[object]:
    """The bot's play beside this seat's, deal by deal."""
    record = record_of(report.opened) if report.opened is not None else None
    return [row for row in review(record, (seat,))] if record is not None else []  # type: ignore[return-value]  # noqa: C416


def test_a_void_deal_has_nothing_to_go_through(over: Desk) -> None:
    void = DealReport(1, None, None, True, frozenset(), charged=1)
    report = match_report([void])
    assert report.mistakes == ()
    assert report.best is None
    assert report.choices == (0, 0, 0, 0)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_key_of_hints_opens_it_and_enter_jumps_to_a_mistake(over: Desk, width: int, height: int) -> None:
    over.press("escape")
    over.press("h")
    assert over.model.page is Page.REPORT
    assert over.model.match_report is not None
    text = over.text(width, height)
    assert "deal by deal" in text
    assert "look at it" in text
    assert over.model.match_report.mistakes
    mistake = over.model.match_report.mistakes[0]
    over.press("enter")
    text = over.text(width, height)
    assert f"step {mistake.row.step}/" in text
    name = over.model.view.seats[mistake.seat].name
    assert f"as {name} saw it" in text
    over.press("h")
    assert "the bot would" in over.text(width, height)
    over.press("q")
    assert over.model.page is Page.REPORT
    over.press("right", "escape")
    assert not over.model.page
    assert over.control.outcome is None


def test_the_deal_is_played_on_from_there(over: Desk) -> None:
    over.press("h", "enter")
    over.text()
    over.press("p")
    outcome = over.control.outcome
    over.control.outcome = None
    assert outcome is not None
    assert outcome.end is End.LEFT
    assert outcome.again is not None
    again = outcome.again
    session = practice_session(again.record.deal, Settings(name="Vera"), seat=again.seat,
                               begun=again.record.steps[: again.steps])  # fmt: skip
    for _ in range(10):
        if session.view.deal is not None:
            break
        session.advance()
    view = session.seat_view(again.seat)
    assert view.owes
    action = again.record.steps[again.steps][1]
    assert view.refusal(action) is None
    same = Record(again.record.deal, again.record.steps[: again.steps])
    assert session.view.deal is not None
    assert len(session.view.deal.tricks) <= len(same.steps)
    assert replace(session.view, talk=()).me == again.seat
