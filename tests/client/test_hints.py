"""Tables without hints: said before the start, H refused in words, the look back at a finished deal free."""

import argparse
import random
from dataclasses import replace

import pytest
from goat_client.commands.host import add_arguments, table_options
from goat_client.commands.play import add_arguments as add_play_arguments
from goat_client.commands.practice import practice_session
from goat_client.game.moment import Page
from goat_client.game.moves import NO_HINTS
from goat_client.lines.plain import Plain
from goat_client.machine.settings import Settings
from goat_client.views.seats import HINTS_OFF

from goat_net.seat.present import table_view
from goat_net.seat.tableview import Stage, TableView
from tests.client.kit import Desk
from tests.client.test_review import rigged
from tests.world.world import World


def without(desk: Desk) -> Desk:
    """The same desk at a table without hints."""
    desk.session._show(hints=False)
    return desk


def test_everybody_is_told_before_the_start() -> None:
    desk = Desk(1)
    assert HINTS_OFF not in desk.text()
    for size in ((80, 24), (60, 20)):
        assert HINTS_OFF in without(desk).text(*size)
    for hints in (False, True):
        out: list[str] = []
        desk.session.view = replace(desk.session.view, hints=hints)
        Plain(desk.session, Settings(), out.append).take(desk.session.view, 1.0)
        assert (HINTS_OFF in out) is not hints


def test_what_the_table_agreed_on_counts_and_before_that_what_the_host_says() -> None:
    world = World(1, hints=False)
    told = world.table.lobby()
    assert not told.house.hints
    with_hints = replace(told, house=replace(told.house, hints=True))
    for lobby in (told, with_hints):
        view = table_view(None, lobby, base=TableView(), known={}, me=None)
        assert (view.stage, view.hints) == (Stage.LOBBY, lobby.house.hints)
    world.run(deals=1)
    for s in world.seated:
        assert not table_view(s.player, with_hints, base=TableView(), known={}, me=s.seat).hints
    watcher = table_view(world.seated[0].player, None, base=TableView(), known={}, me=None)
    assert not watcher.hints


@pytest.mark.parametrize("key", ["h", "р"])
def test_the_key_is_refused_in_words(key: str) -> None:
    desk = without(Desk(3))
    desk.begin()
    assert desk.model.on_turn
    assert "H hint" not in desk.text()
    desk.press(key)
    assert desk.model.notice == NO_HINTS
    assert "This table plays without" in desk.text()
    assert not desk.model.hint
    assert not desk.model.chosen


def test_it_is_refused_in_lines_too() -> None:
    desk = without(Desk(3))
    desk.begin()
    out: list[str] = []
    plain = Plain(desk.session, Settings(name="Vera", ascii="no"), out.append)
    plain.take(desk.session.view, 0.0)
    for word in ("h", "hint"):
        plain.line(word, 10.0)
        assert out[-1] == NO_HINTS
    plain.model.view = replace(desk.session.view, hints=True)
    plain.line("h", 20.0)
    assert out[-1].startswith("Hint: ")


def test_a_finished_deal_may_be_gone_through(seed: int) -> None:
    desk = without(Desk(seed, settings=Settings(name="Vera", remind=False, reveal=0.0)))
    desk.begin()
    desk.deal()
    assert desk.model.report_due
    assert "H review" in desk.text()
    desk.press("h")
    assert desk.model.page is Page.REVIEW


def test_practice_can_be_without_them(seed: int) -> None:
    deal = rigged(random.Random(seed), {})
    assert practice_session(deal, Settings()).view.hints
    session = practice_session(deal, Settings(), hints=False)
    while session.view.stage is not Stage.PLAY:
        assert session.advance()
        assert not session.view.hints


@pytest.mark.parametrize(("words", "hints"), [([], True), (["--hints"], True), (["--no-hints"], False)])
def test_the_option_reaches_the_table(words: list[str], hints: bool) -> None:
    host, play = argparse.ArgumentParser(), argparse.ArgumentParser()
    add_arguments(host)
    add_play_arguments(play)
    assert play.parse_args(words).hints is hints
    assert table_options(host.parse_args(words), "X", True, 0).hints is hints
