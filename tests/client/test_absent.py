"""Who keeps the table waiting, the vote about it, the turn clock, the way back (RULES.md R24)."""

from dataclasses import replace

import pytest
from goat_client.game.advice import absent, clock_text, own_absence
from goat_client.game.prompts import KEYS
from goat_client.lines.plain import Plain
from goat_client.machine.settings import Settings
from goat_client.views.table import prompt_parts

from goat_net.seat.tableview import Absence, Stage, TableView, TurnClock
from tests.client.kit import Desk

LATE = "Anna owes a play for 190 s."
NAMES = ("You", "Anna", "Boris", "Igor")
OPEN = Absence(
    1, 190.0, 0.0, open=True, may_vote=True, votes={2: 2}, voters=(0, 2), within=50.0, choices=(0, 1, 2), proven=True,
    cost=6,
)  # fmt: skip
WAITED = replace(OPEN, votes={}, choices=(1, 2), proven=False, cost=12)


@pytest.mark.parametrize(
    ("absence", "said"),
    [
        (Absence(1, 5.0, 175.0), ""),
        (Absence(1, 60.0, 120.0), "Anna owes a play for 60 s."),
        (Absence(1, 60.0, 120.0, voters=(0, 2)), "Anna owes a play for 60 s. In 120 s the others may decide."),
        (OPEN, f"{LATE} W waits on, E lets go (no score), C charges (6 points). So far Boris: charge. In 50 s they are "
               "let go."),
        (WAITED, f"{LATE} E lets go (no score), C charges (12 points). A charge needs a machine that heard nothing "
                 "too, not the host's. In 50 s they are let go."),
        (replace(OPEN, may_vote=False, votes={0: 0}), f"{LATE} The other team decides. So far You: wait on."),
        (Absence(1, 0.0, 0.0, left=True), "Anna has left."),
    ],
)  # fmt: skip
def test_what_is_said_of_an_absent_seat(absence: Absence, said: str) -> None:
    assert absent(absence, NAMES[absence.seat], NAMES, KEYS) == said


@pytest.mark.parametrize(
    ("absence", "said"),
    [
        (Absence(0, 110.0, 70.0, voters=(1, 2)), ""),
        (Absence(0, 150.0, 30.0, voters=(1, 2)), "The others wait for you. In 30 s they may decide about your seat."),
        (Absence(0, 190.0, 0, open=True, voters=(1,)),
         "The other team decides about your seat. Play now and you play on."),
        (Absence(0, 900.0, 0.0), ""),
    ],
    ids=["time", "soon", "open", "bots"],
)
def test_who_keeps_the_others_waiting_is_told_in_time(absence: Absence, said: str) -> None:
    desk = Desk(1)
    desk.begin()
    assert own_absence(absence) == said
    show(desk, absences=(absence,))
    assert (said in [text for text, _ in prompt_parts(desk.model)]) is bool(said)
    lines: list[str] = []
    plain = Plain(desk.session, Settings(), write=lines.append)
    plain.take(desk.session.view, 0.0)
    assert (said in lines) is bool(said)


def show(desk: Desk, **changes: object) -> TableView:
    view = replace(desk.session.view, **changes)  # type: ignore[arg-type]
    desk.session.view = view
    desk.control.take(view, desk.now)
    return view


@pytest.mark.parametrize(("key", "choice"), [("w", 0), ("e", 1), ("c", 2), ("ц", 0), ("у", 1), ("с", 2)])
def test_three_keys_vote(key: str, choice: int) -> None:
    desk = Desk(1)
    desk.begin()
    votes: list[tuple[int, int]] = []
    desk.session.vote = lambda seat, choice: votes.append((seat, choice))  # type: ignore[method-assign]
    desk.press(key)
    assert not votes
    assert "nobody to decide" in desk.model.notice
    show(desk, absences=(OPEN,))
    assert "W wait on · E let go · C charge" in desk.text()
    desk.press(key)
    if choice == 2:  # costs points: asks first
        assert not votes
        desk.wait(0.1)
        desk.press(key)
    assert votes == [(1, choice)]


def test_it_is_said_at_the_end_of_a_deal_too() -> None:
    desk = Desk(1)
    desk.begin()
    desk.deal()
    desk.look()
    show(desk, absences=(OPEN,))
    assert "Anna has kept the next deal waiting for 190 s" in desk.text()


def test_the_turn_clock_is_shown_and_is_an_alarm_at_the_end() -> None:
    desk = Desk(1)
    desk.begin()
    show(desk, clock=TurnClock(0, 40.0, 20.0))
    assert ("40 s left.", "faint") in prompt_parts(desk.model)
    show(desk, clock=TurnClock(0, 9.6, 20.0))
    assert ("10 s left, of the reserve.", "alarm") in prompt_parts(desk.model)
    assert clock_text(TurnClock(0, 9.0, 20.0, stands=True)) == "clock stands at 9 s"


def test_the_seat_that_a_bot_holds_is_taken_back_by_enter() -> None:
    desk = Desk(1)
    desk.begin()
    sat: list[int] = []
    desk.session.sit = sat.append  # type: ignore[method-assign]
    show(desk, me=None, stands_in=2)
    assert "Enter sits down again" in " ".join(text for text, _ in prompt_parts(desk.model))
    desk.press("enter")
    assert sat == [2]


def test_the_hosts_fault_and_the_invitation_are_shown() -> None:
    desk = Desk(1)
    show(desk, invite=("Join by address: 10.0.0.2:4721",))
    assert "Join by address: 10.0.0.2:4721" in desk.text()
    desk.begin()
    show(desk, host_blame="The host holds back what Boris played.")
    assert ("The host holds back what Boris played.", "alarm") in prompt_parts(desk.model)


def test_in_lines_it_is_said_when_it_begins_to_matter_and_not_each_second() -> None:
    out: list[str] = []
    desk = Desk(1)
    desk.begin()
    votes: list[tuple[int, int]] = []
    desk.session.vote = lambda seat, choice: votes.append((seat, choice))  # type: ignore[method-assign]
    plain = Plain(desk.session, Settings(ascii="no"), out.append)
    base = desk.session.view
    for second in range(15, 40):
        plain.take(replace(base, absences=(Absence(1, float(second), 180.0 - second),)), 0.0)
    assert sum("owes a play" in line for line in out) == 1
    plain.take(replace(base, absences=(OPEN,)), 0.0)
    assert any("charge (6 points)" in line for line in out)
    plain.line("excuse", 1.0)
    assert votes == [(1, 1)]


def test_between_two_deals_nobody_owes_a_play() -> None:
    """V13, its kind: at the end of a deal it said "Anna owes a play", to who had only not pressed Enter."""
    late = Absence(1, 190.0, 20.0, voters=(0, 2))
    said = absent(late, "Anna", ("You", "Anna", "Boris", "Igor"), KEYS, Stage.BETWEEN)
    assert said == "Anna has kept the next deal waiting for 190 s. In 20 s the others may decide."
    mine = Absence(0, 190.0, open=True, voters=(1, 3))
    assert own_absence(mine, Stage.BETWEEN) == "The other team decides about your seat. Go on now and you play on."
    assert own_absence(mine, Stage.PLAY) == "The other team decides about your seat. Play now and you play on."
