"""Debts alone: a log that is only what the clocks read of it, and no table around them (RULES.md R24)."""

from dataclasses import dataclass, field

import pytest
from goat_host.debts import VERDICT_WITHIN, Debts

from goat_net.log.absence_table import PAUSE_TIME, VOTE_TIME
from goat_net.log.fold import MatchStage
from goat_net.log.records import Away, CloseVote, EndPause

GRACE = 180


@dataclass
class Log:
    """What the clocks read of a log; a test writes it."""

    owing: set[int] = field(default_factory=set)
    away: dict[int, int] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)
    paused: int | None = None
    stage: MatchStage = MatchStage.DEALS

    @property
    def open(self) -> bool:
        return self.stage is not MatchStage.ENDED

    def waits_for(self) -> frozenset[int]:
        return frozenset(self.owing)

    def vote_open(self, target: int) -> bool:
        return target in self.asked

    def enter(self, body: Away | CloseVote | EndPause) -> None:
        """What such a record does to what is read here."""
        match body:
            case Away(seat=seat, seconds=seconds):
                self.away[seat] = seconds
                self.asked.add(seat)
            case CloseVote(seat=seat):
                self.asked.discard(seat)
            case EndPause():
                self.paused = None


class At:
    """Debts and their log, at a time."""

    def __init__(self, *owing: int, minded: bool = True) -> None:
        self.log, self.now = Log(set(owing)), 1000.0
        self.minded = minded
        self.debts = Debts(GRACE, lambda seat: self.minded)
        self.debts.watch(self.log, self.now)

    def after(self, seconds: float) -> list[Away | CloseVote | EndPause]:
        """What is entered when so much time has passed."""
        self.now += seconds
        entered = []
        for body in self.debts.due(self.log, self.now):
            self.log.enter(body)
            entered.append(body)
        return entered

    def when_due(self) -> float | None:
        """Seconds from now to the deadline."""
        due = self.debts.deadline(self.log)
        return None if due is None else due - self.now


def test_who_owes_something_for_the_grace_time_is_away_and_once() -> None:
    at = At(1, 2)
    assert at.when_due() == GRACE
    assert at.after(GRACE - 1) == []
    assert at.after(1) == [Away(1, GRACE), Away(2, GRACE)]
    assert at.after(10) == []


def test_who_has_paid_owes_the_next_thing_anew() -> None:
    at = At(1)
    at.after(GRACE - 1)
    at.debts.paid(1)
    assert at.after(1) == []
    assert at.when_due() == GRACE
    assert at.after(GRACE) == [Away(1, GRACE)]


def test_who_owes_nothing_any_more_is_forgotten() -> None:
    at = At(1)
    at.after(GRACE - 1)
    at.log.owing.clear()
    assert at.after(1) == []
    assert at.when_due() is None
    at.log.owing.add(1)
    assert at.after(1) == []
    assert at.when_due() == GRACE


def test_an_absence_that_ends_the_deal_keeps_the_next_from_being_entered() -> None:
    at = At(1, 2)
    bodies = at.debts.due(at.log, at.now + GRACE)
    assert next(bodies) == Away(1, GRACE)
    at.log.owing.clear()
    assert list(bodies) == []


def test_a_seat_that_keeps_nobody_waiting_has_all_the_time() -> None:
    at = At(1, minded=False)
    assert at.when_due() is None
    assert at.after(10 * GRACE) == []
    at.minded = True
    assert at.after(0) == [Away(1, 10 * GRACE)]


def test_the_people_have_their_time_for_a_vote_and_then_it_is_closed() -> None:
    at = At(1)
    at.after(GRACE)
    assert at.after(0) == []  # from now on they are asked
    assert at.when_due() == VOTE_TIME
    assert at.after(VOTE_TIME - 1) == []
    assert at.after(1) == [CloseVote(1)]
    assert at.after(VOTE_TIME) == []


def test_when_the_people_wait_on_the_grace_time_begins_again() -> None:
    at = At(1)
    at.after(GRACE)
    at.log.away.clear()  # they have said so
    at.log.asked.clear()
    assert at.after(1) == []
    assert at.when_due() == GRACE
    assert at.after(GRACE) == [Away(1, GRACE)]


def test_the_time_of_a_pause_is_nobodys() -> None:
    at = At(1)
    at.after(100)
    at.log.paused = 3
    assert at.after(0) == []
    assert at.when_due() == PAUSE_TIME
    assert at.after(PAUSE_TIME - 1) == []
    at.log.paused = None
    assert at.after(0) == []
    assert at.when_due() == GRACE - 100


def test_a_vote_stands_still_in_a_pause() -> None:
    at = At(1)
    at.after(GRACE)
    at.after(VOTE_TIME - 5)
    at.log.paused = 3
    at.after(0)
    at.after(300)
    at.log.paused = None
    assert at.after(0) == []
    assert at.after(VOTE_TIME - 1) == []
    assert at.after(1) == [CloseVote(1)]


def test_a_pause_that_nobody_ends_is_over_after_its_time() -> None:
    at = At(1)
    at.after(GRACE - 1)
    at.log.paused = 3
    at.after(0)
    assert at.after(PAUSE_TIME) == [EndPause()]
    assert at.when_due() == 1


def test_after_the_last_deal_the_clocks_run_in_a_pause_too_and_nobody_is_called_away() -> None:
    at = At(1)
    at.log.stage, at.log.paused = MatchStage.OVER, 3
    assert not at.debts.is_done_with(at.log, 1, at.now)
    assert at.when_due() == VERDICT_WITHIN
    assert at.after(VERDICT_WITHIN) == []
    assert at.debts.is_done_with(at.log, 1, at.now)
    assert not at.debts.is_done_with(at.log, 2, at.now)  # owes nothing


@pytest.mark.parametrize("paused", [None, 3])
def test_what_a_process_that_stood_still_did_not_hear_is_nobodys_silence(paused: int | None) -> None:
    """C9, and in a pause its time is not taken off twice."""
    at = At(1)
    at.log.paused = paused
    at.after(0)
    at.now += GRACE
    at.debts.slept(at.log, GRACE)
    at.log.paused = None
    assert at.after(0) == []
    assert at.when_due() == GRACE


def test_an_absence_that_stands_in_a_log_that_goes_on_is_not_entered_again() -> None:
    at = At(1)
    at.log.away[1] = GRACE
    at.debts.log_resumed(at.log)
    assert at.after(2 * GRACE) == []


def test_nothing_of_a_log_is_counted_in_the_next() -> None:
    at = At(1)
    at.after(GRACE)
    at.debts.log_begun()
    at.log = Log({1})
    assert at.after(0) == []
    assert at.when_due() == GRACE


def test_a_log_that_has_ended_is_owed_nothing() -> None:
    at = At(1)
    at.log.stage = MatchStage.ENDED
    assert at.after(GRACE) == []
    assert at.when_due() is None
    assert not at.debts.owed_since
