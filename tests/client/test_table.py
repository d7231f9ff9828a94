"""The table's model and commands, played by keys with a clock of the test's own."""

import random
from dataclasses import replace

import pytest
from goat_client.game.control import End
from goat_client.game.model import HOLD_LEAST
from goat_client.game.moment import Page

from goat_engine.actions import Action, Discard, Lead, Yield
from goat_engine.state import Phase
from goat_engine.view import SeatView
from goat_net.seat.tableview import Stage
from tests.client.kit import Desk, keys_for


def test_a_whole_match_is_played_by_keys(seed: int) -> None:
    desk = Desk(seed)
    desk.begin()
    for deal in range(1, 80):
        desk.deal()
        assert desk.model.view.deal_number == deal
        report = desk.model.report
        assert report is not None
        assert report.result is not None
        assert sum(report.result.points) == 120
        desk.look()
        if not desk.model.report_done(desk.now):
            desk.press("enter")  # opens everything at once
        assert f"Deal {deal}" in desk.text()
        for size in ((80, 24), (60, 20)):
            assert "{} : {}".format(*report.result.points) in desk.text(*size)
        if desk.model.view.stage is Stage.OVER:
            break
        desk.press("enter")
        desk.go()
    match = desk.model.view.match
    assert match is not None
    assert match.goat is not None
    desk.press("enter")
    assert "the goat" in desk.text()
    desk.press("q")
    assert desk.control.outcome is not None
    assert desk.control.outcome.end is End.LEFT


def single(view: SeatView, rng: random.Random) -> Action:
    """One card at a time, never a higher one: the most tricks a deal can have."""
    actions = view.actions()
    alone = [a for a in actions if isinstance(a, Lead) and len(a.slots) == 1]
    return (alone or [a for a in actions if isinstance(a, Discard | Yield)] or actions)[0]


def longest_deal(seed: int) -> Desk:
    """A table after a deal of nine tricks: 36 cards, four a trick."""
    for more in range(100):  # a molodka, which bots claim at once, makes nearly every second deal shorter
        desk = Desk(seed + more, choosers=dict.fromkeys((1, 2, 3), single))
        desk.begin()
        for _ in range(200):
            if desk.model.report is not None:
                break
            view = desk.model.seat_view
            assert view is not None
            if view.actions():
                desk.play(single(view, desk.rng))
            desk.go()
            desk.look()
        report = desk.model.report
        if report is not None and report.opened is not None and len(report.opened.tricks) == 9:
            return desk
    raise AssertionError("no deal of nine tricks")


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
@pytest.mark.parametrize("points", [None, (60, 60)], ids=["as played", "eggs"])
def test_the_longest_deal_shows_its_points_and_its_audit(
    seed: int, size: tuple[int, int], points: tuple[int, int] | None
) -> None:
    """The sum of points had no row left; with eggs in a small window, the audit had none."""
    desk = longest_deal(seed)
    report = desk.model.report
    assert report is not None
    assert report.result is not None
    if points is not None:
        even = replace(report, result=replace(report.result, points=points, defeat=(0, 0)))
        desk.session.view = replace(desk.session.view, reports=(*desk.session.view.reports[:-1], even))
        desk.control.take(desk.session.view, desk.now)
    desk.look()
    if not desk.model.report_done(desk.now):
        desk.press("enter")
    text = desk.text(*size)
    mine, theirs = report.result.points
    assert f"points {mine} : {theirs}" in text
    for worth in points or (mine, theirs):
        assert f"{worth:>3} points, " in text
    assert ("Eggs!" in text) == (points is not None or mine == theirs)
    assert "Checked here card by card." in text
    assert "Enter: next deal." in text


def to_own_turn(desk: Desk, phase: Phase) -> None:
    """Play until this phase is the person's."""
    desk.begin()
    for _ in range(300):
        view = desk.model.seat_view
        if view is not None and view.owes and view.deal.phase is phase and desk.model.view.stage is Stage.PLAY:
            return
        if desk.model.view.stage in (Stage.BETWEEN, Stage.OVER):
            desk.press("enter", "enter")
        elif view is not None and view.actions():
            desk.play()
        desk.go()
        desk.look()
    raise AssertionError("that never came")


def test_nothing_typed_ahead_is_a_play_of_another_turn(seed: int) -> None:
    desk = Desk(seed)
    to_own_turn(desk, Phase.ANSWER)
    view = desk.model.seat_view
    assert view is not None
    discard = view.actions()[-1]
    keys = keys_for(discard, desk.model)
    desk.press(*keys)
    assert desk.session.view.pending == discard
    sent = desk.session.view.pending
    desk.press(*keys, *keys)  # key repeat: one is sent, the rest is nothing
    assert desk.session.view.pending == sent
    desk.go()
    # The new turn is there but nobody has seen it yet: nothing plays in it.
    before = desk.session.view.deal
    desk.press("1", "enter", "d", "1", "d", "m", "y")
    assert desk.session.view.pending is None
    assert desk.session.view.deal is before


def test_a_closed_trick_stays_for_its_time_and_any_key_sends_it_away(seed: int) -> None:
    desk = Desk(seed)
    to_own_turn(desk, Phase.ANSWER)
    for _ in range(20):
        desk.play()
        desk.go(until=lambda: desk.model.held is not None or desk.session.view.stage is not Stage.PLAY)
        if desk.model.held is not None:
            break
        desk.go()
        desk.look()
    held = desk.model.held
    assert held is not None
    assert len(held.plays) == 4
    assert "the trick" in desk.text()
    desk.wait(HOLD_LEAST / 2)
    desk.press("z")
    assert desk.model.held is held  # a held-down key does not hide what just happened
    desk.wait(HOLD_LEAST)
    desk.press("z")
    assert desk.model.held is None


def test_a_trick_goes_by_itself_after_the_time_set(seed: int) -> None:
    desk = Desk(seed)
    to_own_turn(desk, Phase.ANSWER)
    for _ in range(30):
        desk.play()
        desk.go(until=lambda: desk.model.held is not None or desk.model.on_turn)
        if desk.model.held is not None:
            break
        desk.look()
    assert desk.model.held is not None
    wake = desk.model.tick(desk.now)
    assert wake == desk.model.held_since + 1.2
    desk.model.tick(wake)
    assert desk.model.held is None


def test_leaving_asks_first_and_can_be_taken_back(seed: int) -> None:
    desk = Desk(seed)
    desk.begin()
    desk.press("q")
    assert desk.model.page is Page.LEAVE
    desk.press("escape")
    assert desk.model.page is Page.NONE
    assert desk.control.outcome is None
    desk.press("c-c", "c-c")
    assert desk.control.outcome is not None
    assert desk.control.outcome.end is End.QUIT


def test_talk_is_text_and_never_a_command(seed: int) -> None:
    desk = Desk(seed)
    desk.begin()
    desk.press("t", *"ddq1?", "space", *"йцу", "enter")
    assert desk.session.view.talk[-1].text == "ddq1? йцу"
    assert desk.control.outcome is None
    assert "ddq1? йцу" in desk.text()


def test_a_cyrillic_layout_presses_the_same_keys(seed: int) -> None:
    desk = Desk(seed)
    desk.begin()
    desk.press("й")
    assert desk.model.page is Page.LEAVE
    desk.press("escape", "п")
    assert desk.model.page is Page.LOG
    desk.press("escape", "Л")
    assert desk.model.page is Page.HELP


def test_a_paste_is_never_a_play(seed: int) -> None:
    desk = Desk(seed)
    to_own_turn(desk, Phase.LEAD)
    desk.screen.paste("1\r1\r", desk.now)
    assert desk.session.view.pending is None
