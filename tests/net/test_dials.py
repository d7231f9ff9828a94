"""Whom to dial, how the dials ended, and who may be called silent (`goat_net.seat.dials`): keys and times alone."""

import pytest

from goat_net.seat.dials import DIAL_AGAIN, DIALLED_LATELY, HEARD_WITHIN, REACHES, Dials
from goat_net.wire.messages import Reach

MATCH, VERA, BORIS = b"m" * 32, b"v" * 32, b"b" * 32


def reach(key: bytes, serial: int = 1) -> Reach:
    return Reach(key, serial, ("127.0.0.1:1",), bytes(64))


def knowing(*keys: bytes) -> Dials:
    dials = Dials()
    for key in keys:
        dials.take(reach(key), lambda key: True)
    return dials


def test_only_what_is_newer_takes_the_place_of_an_address() -> None:
    dials = knowing(VERA)
    for serial, kept in ((1, 1), (5, 5), (3, 5)):
        dials.take(reach(VERA, serial), lambda key: True)
        assert dials.reaches[VERA].serial == kept


def test_of_too_many_addresses_those_without_a_seat_go_first() -> None:
    dials = knowing(VERA, BORIS)
    for n in range(REACHES):
        dials.take(reach(n.to_bytes(32, "big")), lambda key: key == BORIS)
    assert len(dials.reaches) == REACHES
    assert VERA not in dials.reaches
    assert BORIS in dials.reaches


def test_a_seat_is_dialled_once_in_a_while_and_only_where_it_said_it_is() -> None:
    dials = knowing(VERA)
    assert dials.due([BORIS, VERA], 100.0) == [reach(VERA)]
    assert dials.due([VERA], 100.0 + DIAL_AGAIN - 0.1) == []
    assert dials.due([VERA], 100.0 + DIAL_AGAIN) == [reach(VERA)]


def test_each_is_tried_once_a_match() -> None:
    dials = knowing(VERA, BORIS)
    assert [dials.untried(MATCH, [VERA, BORIS]) for _ in range(3)] == [VERA, BORIS, None]
    assert dials.untried(b"another", [VERA]) == VERA


@pytest.mark.parametrize("answered", [True, False])
def test_who_was_dialled_in_vain(answered: bool) -> None:
    dials = knowing(VERA)
    assert not dials.in_vain(VERA, 0.0)
    dials.ended(VERA, answered, 10.0, match_id=MATCH)
    assert dials.in_vain(VERA, 10.0) is not answered
    assert not dials.in_vain(VERA, 10.0 + DIALLED_LATELY)


def test_silent_is_only_who_could_once_be_reached() -> None:
    """R24: a line of one's own has worked in this match, and now the seat does not answer."""
    dials = knowing(VERA, BORIS)
    dials.untried(MATCH, [VERA])
    dials.ended(VERA, True, 10.0, match_id=MATCH)
    for key in (VERA, BORIS):
        dials.ended(key, False, 50.0, match_id=MATCH)
    assert dials.has_worked(VERA)
    assert dials.silent(VERA, 51.0)
    assert not dials.silent(BORIS, 51.0)
    assert not dials.silent(VERA, 50.0 + DIALLED_LATELY)  # too long ago to say anything


def test_who_answers_has_time_to_hand_over_what_it_has_signed() -> None:
    dials = knowing(VERA)
    dials.untried(MATCH, [VERA])
    dials.ended(VERA, True, 10.0, match_id=MATCH)
    assert not dials.silent(VERA, 10.0 + HEARD_WITHIN - 0.1)
    assert dials.silent(VERA, 10.0 + HEARD_WITHIN)


def test_a_line_that_the_seat_itself_made_says_nothing_of_our_way_to_it() -> None:
    dials = knowing(VERA)
    dials.untried(MATCH, [VERA])
    dials.ended(VERA, True, 10.0, match_id=MATCH, by_us=False)
    assert not dials.has_worked(VERA)
    assert not dials.silent(VERA, 20.0)


def test_a_line_of_another_match_does_not_count() -> None:
    dials = knowing(VERA)
    dials.untried(MATCH, [VERA])
    dials.ended(VERA, True, 10.0, match_id=b"before")
    assert not dials.has_worked(VERA)
    dials.ended(VERA, True, 11.0, match_id=MATCH)
    dials.untried(b"next", [])
    assert not dials.has_worked(VERA)


def test_what_is_kept_of_dials_is_bounded() -> None:
    dials = Dials()
    dials.untried(MATCH, [])
    for n in range(3 * REACHES):
        dials.ended(n.to_bytes(32, "big"), True, float(n), match_id=MATCH)
    assert len(dials._ends) == len(dials._talking) == REACHES
