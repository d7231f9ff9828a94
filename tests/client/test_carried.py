"""A score that goes on with something to know of first: on the screen and in lines (PROTOCOL.md, Carried scores)."""

from dataclasses import replace

import pytest
from goat_client.game.carried import change_words, terms_words
from goat_client.game.control import End
from goat_client.game.moment import Page
from goat_client.game.narration import people
from goat_client.game.prompts import KEYS, LINES

from goat_net.log.succession import Altered, Change
from goat_net.seat.tableview import Stage
from goat_net.seat.terms import Terms
from tests.client.kit import SIZES, Desk

TERMS = Terms((11, 0), 1, False, 7, (Change(Altered.UNCHECKED), Change(Altered.TARGET, "12", "99")))


def asking(seed: int) -> tuple[Desk, list[str]]:
    """A desk whose table asks, and what it was told."""
    desk = Desk(seed)
    desk.begin()
    said: list[str] = []
    desk.session.accept = lambda: said.append("accepted")  # type: ignore[method-assign]
    view = replace(desk.session.view, stage=Stage.STARTING, deal=None, may_act=False, terms=TERMS)
    desk.control.take(view, desk.now)
    desk.look()
    return desk, said


@pytest.mark.parametrize("size", SIZES)
def test_the_screen_shows_the_score_and_what_has_changed(seed: int, size: tuple[int, int]) -> None:
    """P1b, N2: every person is shown the score and accepts it or leaves."""
    desk, said = asking(seed)
    text = " ".join(desk.text(*size).replace("│", " ").split())
    assert "goes on here at 11:0 after 7 deals" in text
    assert "Y accepts it, Q leaves." in text
    assert said == []
    desk.press("y")
    assert said == ["accepted"]


def test_who_does_not_accept_leaves(seed: int) -> None:
    desk, said = asking(seed)
    desk.press("q")
    desk.look()
    desk.press("enter")
    assert desk.control.outcome is not None
    assert desk.control.outcome.end is End.LEFT
    assert said == []


def test_lines_say_it_once_and_name_their_own_words(seed: int) -> None:
    desk, _ = asking(seed)
    before = replace(desk.model.view, terms=None)
    told = list(people(desk.model, before, desk.model.view))
    assert "You do not have the match before, so this cannot be checked here." in told
    assert list(people(desk.model, desk.model.view, desk.model.view)) == []
    assert list(terms_words(TERMS, LINES))[-1] == "yes accepts it, q leaves."
    assert list(terms_words(None, KEYS)) == []


@pytest.mark.parametrize("what", list(Altered))
def test_every_change_has_its_sentence(what: Altered) -> None:
    text = change_words(Change(what, "4", "9", "Anna"))
    assert text.endswith(".")
    assert "{" not in text


def test_the_question_about_a_score_is_not_covered_and_its_key_is_listed() -> None:
    desk = Desk(1)
    seats = tuple(replace(s, bot=False) for s in desk.session.view.seats)
    view = replace(desk.session.view, stage=Stage.STARTING, deal=None, terms=TERMS, seats=seats, words=("a", "b"))
    desk.session.view = view
    desk.control.take(view, desk.now)
    assert not desk.model.page
    assert "Y accept" in desk.text(60, 20).splitlines()[-1]
    desk.control.take(replace(view, terms=None), desk.now)
    assert desk.model.page is Page.WORDS
