"""Bots of this machine alone: without seats, processes or a table around them."""

import pytest
from goat_host.own_bots import BOT_LIVES, BOT_WITHIN, OwnBots
from goat_host.ports import Out, StartBot, StopBot

KEYS = [bytes([n]) * 32 for n in range(4)]


class Yard:
    """Own bots, and what they have put out."""

    def __init__(self) -> None:
        self.out: list[Out] = []
        self.bots = OwnBots(self.out.append)

    def put(self) -> list[Out]:
        out, self.out[:] = list(self.out), []
        return out

    def sits(self, seat: int) -> None:
        self.bots.want(seat, "easy", 0.0)
        self.bots.sat_down(seat)
        self.put()


@pytest.fixture
def yard() -> Yard:
    return Yard()


def test_a_bot_that_does_not_come_is_asked_for_again(yard: Yard) -> None:
    assert yard.bots.deadline is None
    yard.bots.want(1, "easy", 100.0)
    assert yard.put() == [StartBot(1, "easy")]
    assert yard.bots.deadline == 100 + BOT_WITHIN
    yard.bots.tick(100 + BOT_WITHIN - 1)
    assert yard.put() == []
    yard.bots.tick(100 + BOT_WITHIN)
    assert yard.put() == [StartBot(1, "easy")]
    assert yard.bots.deadline == 100 + 2 * BOT_WITHIN
    yard.bots.sat_down(1)
    assert yard.bots.deadline is None
    assert yard.bots.seated == {1}


def test_a_person_who_sits_down_is_no_bot_of_this_machine(yard: Yard) -> None:
    yard.bots.sat_down(2)
    assert yard.bots.seated == set()


def test_a_bot_that_is_not_wanted_any_more_stops_once(yard: Yard) -> None:
    yard.bots.want(1, "easy", 0.0)
    yard.put()
    yard.bots.unwant(1)
    yard.bots.unwant(1)
    assert yard.put() == [StopBot(1)]
    assert yard.bots.deadline is None


def test_a_seat_for_which_a_bot_is_wanted_is_for_that_bot_alone(yard: Yard) -> None:
    yard.bots.want(1, "easy", 0.0)
    yard.bots.expect(1, KEYS[1])
    assert yard.bots.allows(1, KEYS[1], bot=True)
    assert not yard.bots.allows(2, KEYS[1], bot=True)  # it was not started for that one
    assert not yard.bots.allows(1, KEYS[2], bot=True)
    assert not yard.bots.allows(1, KEYS[2], bot=False)
    assert yard.bots.allows(2, KEYS[2], bot=True)  # somebody else's bot
    assert yard.bots.allows(2, KEYS[2], bot=False)
    yard.bots.sat_down(1)
    assert not yard.bots.allows(1, KEYS[1], bot=True)  # is not wanted there any more


@pytest.mark.parametrize("empty", [True, False])
def test_a_bot_that_is_gone_comes_back_but_not_for_ever(yard: Yard, empty: bool) -> None:
    yard.sits(3)
    for n in range(BOT_LIVES + 5):
        yard.bots.gone(3, "hard", float(n), empty=empty)
        called = n < BOT_LIVES
        assert yard.put() == ([StartBot(3, "hard")] if called else [])
        assert (3 in yard.bots.wanted) is (called and empty)
        yard.bots.sat_down(3)
        assert not yard.bots.wanted


def test_whoever_else_is_gone_is_not_called(yard: Yard) -> None:
    yard.bots.gone(3, "hard", 0.0, empty=True)
    assert yard.put() == []


def test_after_a_resume_the_bots_are_called_back_to_their_seats(yard: Yard) -> None:
    yard.bots.call_back(2, "medium")
    assert yard.put() == [StartBot(2, "medium")]
    assert yard.bots.seated == {2}
    assert yard.bots.deadline is None  # it has that seat: it isn't empty
