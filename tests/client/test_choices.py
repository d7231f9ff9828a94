"""What is chosen stays or is said; what is said is true as long as it stands; what is forced is one key."""

from dataclasses import replace

import pytest
from goat_client.game.choice import fitted, forced, laid_back, only_way
from goat_client.game.model import HOLD_LEAST
from goat_client.game.moment import Page
from goat_client.machine.glyphs import UNICODE
from goat_client.machine.settings import Settings
from goat_client.views.table import prompt_parts

from goat_engine.actions import Action, Beat, Discard, Lead, Refusal
from goat_engine.cards import suit_of
from goat_engine.rules import Rules
from goat_engine.state import Phase
from goat_net.seat.tableview import Stage
from tests.client.kit import Desk
from tests.client.test_table import to_own_turn


def two_suits(desk: Desk) -> tuple[int, int]:
    """Places of two cards of different suits."""
    cards = [c for _, c in desk.model.hand]
    return next((a, b) for a in range(4) for b in range(4) if suit_of(cards[a]) != suit_of(cards[b]))


def test_a_card_of_another_suit_lays_the_first_back_and_says_so() -> None:
    """U8: the first choice was dropped without a word."""
    desk = Desk(3)
    to_own_turn(desk, Phase.LEAD)
    a, b = two_suits(desk)
    desk.press(str(a + 1), str(b + 1))
    assert desk.model.chosen == [desk.model.slots[b]]
    assert desk.model.notice == f"{UNICODE.card(desk.model.hand[a][1])} laid back: a lead is of one suit."


def test_what_is_chosen_before_ones_turn_stays(seed: int) -> None:
    """U8: it was dropped when somebody else played."""
    desk = Desk(seed)
    desk.begin()
    for _ in range(60):
        desk.look()
        view = desk.model.seat_view
        assert view is not None
        if view.actions():
            desk.play()
            desk.session.advance()
            desk.look()
        now = desk.model.view.deal
        if now is not None and now.turn not in (None, 0) and len(desk.model.hand) >= 2 and not desk.model.chosen:
            desk.press("2")
            chosen = list(desk.model.chosen)
            if not chosen:
                desk.session.advance()
                continue
            before = desk.session.view.deal
            desk.session.advance()
            desk.look()
            if desk.session.view.deal is before or desk.model.slots.count(chosen[0]) == 0:
                continue
            assert desk.model.chosen == chosen
            return
        desk.session.advance()
    raise AssertionError("nobody else ever played")


def test_what_cannot_be_asked_is_laid_back_with_a_word() -> None:
    """U8: more cards chosen than the answer takes; two suits for a lead."""
    cards = {1: 3, 2: 4, 3: 12, 4: 30}
    assert fitted([1, 3, 4], cards, leads=False, needed=0) == ([1, 3, 4], [])
    assert fitted([1, 3, 4], cards, leads=False, needed=2) == ([3, 4], [1])
    assert fitted([1, 2, 3], cards, leads=True, needed=0) == ([3], [1, 2])
    assert fitted([1, 9], cards, leads=True, needed=0) == ([1], [])
    assert laid_back([1], cards, UNICODE, needed=1) == "9♠ laid back: 1 card can be answered with."
    assert laid_back([], cards, UNICODE, needed=1) == ""


def asked(desk: Desk) -> str:
    """What the person is asked, in words."""
    return " ".join(text for text, _ in prompt_parts(desk.model))


def held(desk: Desk) -> None:
    """Play until a closed trick is on view."""
    to_own_turn(desk, Phase.ANSWER)
    for _ in range(20):
        desk.play()
        desk.go(until=lambda: desk.model.held is not None or desk.session.view.stage is not Stage.PLAY)
        if desk.model.held is not None:
            return
        desk.go()
        desk.look()
    raise AssertionError("no trick was ever closed")


def test_a_digit_ends_the_sight_of_a_trick_and_chooses(seed: int) -> None:
    """U8: it was swallowed by "any key"."""
    desk = Desk(seed)
    held(desk)
    desk.press("1")  # at once: chosen, and the trick is still to be seen
    assert desk.model.chosen == [desk.model.slots[0]]
    assert desk.model.held is not None
    desk.wait(HOLD_LEAST * 1.5)
    desk.press("2")
    assert desk.model.held is None
    assert desk.model.slots[1] in desk.model.chosen


@pytest.mark.parametrize(("key", "page"), [("k", Page.HELP), ("g", Page.LOG), ("?", Page.RULES)])
def test_keys_of_pages_are_not_swallowed_either(seed: int, key: str, page: Page) -> None:
    """U8, its kind"""
    desk = Desk(seed)
    held(desk)
    desk.wait(HOLD_LEAST * 1.5)
    desk.press(key)
    assert desk.model.held is None
    assert desk.model.page is page


def test_enter_does_not_play_under_a_trick_on_view(seed: int) -> None:
    desk = Desk(seed)
    held(desk)
    desk.wait(HOLD_LEAST * 1.5)
    desk.press("1")
    before = desk.session.view
    desk.press("enter")
    assert desk.session.view is before


def test_the_last_card_is_led_or_laid_by_one_key(seed: int) -> None:
    """U8: it needed 1 and Enter though there was nothing to choose."""
    desk = Desk(seed, rules=Rules(yield_time=0))
    desk.begin()
    plays = 0
    for _ in range(200):
        desk.look()
        if desk.model.view.stage in (Stage.BETWEEN, Stage.OVER):
            break
        view = desk.model.seat_view
        assert view is not None
        if view.actions():
            only = forced(view)
            if only is None:
                desk.play()
            else:
                assert f"Enter {'discards' if isinstance(only, Discard) else 'plays'}." in asked(desk)
                desk.press("enter")
                assert desk.session.view.pending == only
                plays += 1
        desk.go()
    assert plays


def test_the_key_of_a_discard_discards_all_there_is(seed: int) -> None:
    """U8, its kind"""
    desk = Desk(seed)
    for _ in range(20):
        to_own_turn(desk, Phase.ANSWER)
        view = desk.model.seat_view
        assert view is not None
        if forced(view, Discard) is not None:
            desk.press("d")
            assert desk.session.view.pending == forced(view, Discard)
            return
        desk.play()
        desk.go()
    pytest.skip("with these cards an answer never took the whole hand")


def test_there_is_no_choice_only_where_there_is_none() -> None:
    desk = Desk(3)
    to_own_turn(desk, Phase.LEAD)
    view = desk.model.seat_view
    assert view is not None
    assert (forced(view) is None) == (len(view.hand) > 1)
    for _ in range(400):
        if len(desk.model.hand) == 1 and desk.model.on_turn:
            break
        if desk.model.seat_view is not None and desk.model.seat_view.actions():
            desk.play()
        desk.go()
        desk.look()
        if desk.model.view.stage in (Stage.BETWEEN, Stage.OVER):
            desk.press("enter", "enter")
    view = desk.model.seat_view
    assert view is not None
    assert isinstance(forced(view), (Lead, Beat, Discard))


@pytest.mark.parametrize("alone", [True, False])
def test_what_cannot_be_chosen_is_played_by_itself_where_one_wants_that(seed: int, alone: bool) -> None:
    """U8, its kind: what is left of a deal when nothing can change it asks for no key; nothing that could be chosen is
    played, and nothing at all where the setting is off."""
    desk = Desk(seed, rules=Rules(yield_time=0), settings=Settings(name="Vera", forced=alone))
    made: list[Action] = []
    act = desk.session.act

    def noted(action: Action) -> Refusal | None:
        made.append(action)
        view = desk.session.view.seat_view
        assert view is not None
        assert tuple(view.actions()) == (action,)
        return act(action)

    desk.begin()
    for _ in range(300):
        if desk.model.view.stage is Stage.OVER or (made and desk.model.view.stage is Stage.BETWEEN):
            break
        view = desk.model.seat_view
        if view is not None and view.actions() and desk.session.view.pending is None:
            if alone and desk.model.on_turn:
                assert only_way(view) is None
            desk.session.act = act  # type: ignore[method-assign]
            desk.play()
        desk.session.act = noted  # type: ignore[method-assign]
        desk.go()
        desk.look()
        if desk.model.view.stage is Stage.BETWEEN:
            desk.press("enter", "enter")
    assert bool(made) is alone


def test_not_your_turn_goes_when_it_is(seed: int) -> None:
    """U13: the sentence stood above "Your turn"."""
    desk = Desk(seed)
    to_own_turn(desk, Phase.LEAD)
    desk.press("1", "enter")
    desk.press("enter")
    desk.session.advance()
    desk.look()
    if desk.model.on_turn:
        pytest.skip("a molodka came first")
    desk.press("1", "enter")
    assert "Not your turn" in desk.model.notice
    desk.go(until=lambda: desk.model.on_turn or desk.model.held is not None)
    assert "Not your turn" not in desk.model.notice


def test_a_pause_that_is_over_is_not_spoken_of(seed: int) -> None:
    """U13, its kind"""
    desk = Desk(seed)
    to_own_turn(desk, Phase.LEAD)
    desk.press("p", "1", "enter")
    assert "Paused by" in desk.model.notice
    desk.press("p")
    assert "Paused" not in desk.model.notice


def test_the_drawn_cards_are_there_and_nobody_is_told_to_wait(seed: int) -> None:
    """U13, its kind"""
    desk = Desk(seed)
    to_own_turn(desk, Phase.LEAD)
    desk.session.view = replace(desk.session.view, may_act=False)
    desk.control.take(desk.session.view, desk.now)
    desk.press("1", "enter")
    assert "Wait" in desk.model.notice
    desk.session.view = replace(desk.session.view, may_act=True)
    desk.control.take(desk.session.view, desk.now)
    assert "Wait" not in desk.model.notice
