"""How long seats keep the others waiting, and the turn clock (RULES.md R24)."""

import random
from collections.abc import Iterator

import pytest
from goat_host.ports import Send
from goat_host.table import Table, TableSetup

from goat_engine.actions import Refusal
from goat_engine.bots import choose
from goat_engine.rules import Rules
from goat_net.log.records import Settings
from goat_net.seat.chair import Chair
from goat_net.seat.present import absences, turn_clock
from goat_net.wire.identity import Identity
from goat_net.wire.messages import PROTOCOL, ROLE_PLAYER, Hello, Joined, Kick, Lobby, Pause, Ready, SetBot, Sit, Start
from tests.world.storm import Saved, SavedLog

BASE, RESERVE = 30, 60


class Four:
    """Four people at a table with a turn clock who do nothing by themselves; their clients do what clients do."""

    def __init__(self, seed: int, *, clock: tuple[int, int] = (BASE, RESERVE)) -> None:
        rng = random.Random(seed)
        setup = TableSetup("T", "test", Rules(yield_time=0), Settings(600, *clock, True, True, b""))
        self.table = Table(Identity.from_seed(rng.randbytes(32)), setup, rng.randbytes)
        self.now = 0.0
        self.chairs = []
        for seat in range(4):
            master = rng.randbytes(32)
            chair = Chair(
                Identity.from_seed(rng.randbytes(32)),
                lambda log_id, master=master: Saved(SavedLog(master)),  # type: ignore[misc]
                table_key=self.table.identity.public,
            )
            self.chairs.append(chair)
            hello = Hello(PROTOCOL, "test", ROLE_PLAYER, chair.identity.public, bytes(32), f"P{seat}", "", b"")
            self.table.joined(seat, hello, b"", 0.0)
            chair.opened(self.table.identity.public, Joined(b"", b"", 0), 0.0)
            chair.out += [Sit(seat), Ready(True)]
        self.settle()

    def settle(self) -> None:
        """Deliver until nothing is under way."""
        for _ in range(5000):
            outbox, self.table.outbox = self.table.outbox, []
            for out in outbox:
                if isinstance(out, Send):
                    self.chairs[out.conn].message(out.message, self.now)
            for conn, chair in enumerate(self.chairs):
                chair.work(self.now)
                messages, chair.out = chair.out, []
                for message in messages:
                    self.table.message(conn, message, self.now)
            if not self.table.outbox:
                return
        raise AssertionError("it never settles")

    @property
    def turn(self) -> int:
        fold = self.table.fold
        assert fold is not None
        assert fold.deal is not None
        assert fold.deal.state is not None
        assert fold.deal.state.turn is not None
        return fold.deal.state.turn

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.settle()

    def left(self) -> Iterator[float]:
        for chair in self.chairs:
            clock = turn_clock(chair, self.now)
            assert clock is not None
            yield clock.left


def test_the_clock_runs_for_the_seat_whose_turn_it_is_and_everybody_sees_the_same(seed: int) -> None:
    four = Four(seed)
    four.pass_time(12.0)
    assert set(four.left()) == {BASE + RESERVE - 12.0}
    clock = turn_clock(four.chairs[0], four.now)
    assert clock is not None
    assert (clock.seat, clock.reserve, clock.stands) == (four.turn, RESERVE, False)


def test_at_its_end_the_client_plays_for_its_player(seed: int) -> None:
    four = Four(seed)
    seat, fold = four.turn, four.table.fold
    assert fold is not None
    assert fold.deal is not None
    assert four.chairs[seat].deadline == four.now + BASE + RESERVE
    four.pass_time(BASE + RESERVE - 0.5)
    assert not fold.deal.steps
    four.pass_time(0.5)
    assert fold.deal.steps
    assert fold.deal.steps[0].seat == seat
    assert not fold.offences


def test_the_reserve_is_for_the_whole_deal(seed: int) -> None:
    four = Four(seed)
    first = four.turn
    four.pass_time(BASE + RESERVE)
    for _ in range(40):
        if four.table.fold is None or four.table.fold.deal is None or four.table.fold.deal.state is None:
            break
        if four.turn == first:
            assert set(four.left()) == {float(BASE)}
            return
        four.pass_time(BASE + RESERVE)
    raise AssertionError("the first seat never had a second turn")


def test_a_pause_stops_it_for_all(seed: int) -> None:
    four = Four(seed)
    four.pass_time(10.0)
    player = four.chairs[2].player
    assert player is not None
    player.pause(True)
    four.settle()
    four.pass_time(500.0)
    assert set(four.left()) == {BASE + RESERVE - 10.0}
    clock = turn_clock(four.chairs[1], four.now)
    assert clock is not None
    assert clock.stands
    player.pause(False)
    four.settle()
    four.pass_time(5.0)
    assert set(four.left()) == {BASE + RESERVE - 15.0}


def test_a_client_that_is_cut_off_does_not_play_for_its_player(seed: int) -> None:
    four = Four(seed)
    seat = four.turn
    four.chairs[seat].link = False
    four.settle()
    four.pass_time(1000.0)
    assert four.table.fold is not None
    assert four.table.fold.deal is not None
    assert not four.table.fold.deal.steps


def test_without_a_clock_nobody_is_hurried(seed: int) -> None:
    four = Four(seed, clock=(0, 0))
    four.pass_time(500.0)
    assert turn_clock(four.chairs[0], four.now) is None
    assert four.table.fold is not None
    assert four.table.fold.deal is not None
    assert not four.table.fold.deal.steps


def test_who_keeps_the_others_waiting_is_shown_with_the_grace_time_that_is_left(seed: int) -> None:
    four = Four(seed, clock=(0, 0))
    assert absences(four.chairs[0], four.now) == ()
    four.pass_time(100.0)
    for chair in four.chairs:
        (shown,) = absences(chair, four.now)
        assert (shown.seat, shown.seconds, shown.grace, shown.open) == (four.turn, 100.0, 500.0, False)
    four.now += 500.0
    four.table.tick(four.now)
    four.settle()
    for seat, chair in enumerate(four.chairs):
        (shown,) = absences(chair, four.now)
        assert (shown.open, shown.may_vote, shown.grace) == (True, seat % 2 != four.turn % 2, 0.0)
        assert 59 < shown.within <= 60


def test_a_silent_line_is_away_for_all_until_it_is_heard_again(seed: int) -> None:
    four = Four(seed)
    four.table.silent(1, True, four.now)
    four.settle()
    lobby = four.chairs[3].lobby
    assert isinstance(lobby, Lobby)
    assert [s.away for s in lobby.seats] == [0, 5, 0, 0]
    four.table.silent(1, False, four.now)
    four.settle()
    assert four.chairs[3].lobby is not None
    assert not any(s.away for s in four.chairs[3].lobby.seats)


def test_while_paused_nobody_plays_and_the_screen_says_who_paused(seed: int) -> None:
    four = Four(seed)
    chair = four.chairs[four.turn]
    player = chair.player
    assert player is not None
    assert player.owes_action
    other = four.chairs[(four.turn + 1) % 4].player
    assert other is not None
    other.pause(True)
    four.settle()
    assert not player.owes_action
    assert player.view is not None
    assert player.act(choose(player.view, random.Random(seed), "easy")) is Refusal.WRONG_ACTION
    assert player.fold.paused == other.seat
    player.pause(False)  # one of each team ends it, or who asked for it
    four.settle()
    assert not player.owes_action
    partner = four.chairs[(four.turn + 3) % 4].player
    assert partner is not None
    partner.pause(False)
    four.settle()
    assert player.owes_action


@pytest.mark.parametrize("away_for", [1.0, 5.0, 599.0, 601.0])
def test_who_comes_back_in_time_just_plays_on(seed: int, away_for: float) -> None:
    """The grace time is 600 s here; past it they play on too, as long as the others have not decided."""
    four = Four(seed, clock=(0, 0))
    seat = four.turn
    four.table.gone(seat, four.now)
    four.now += away_for
    four.table.tick(four.now)
    chair = four.chairs[seat]
    hello = Hello(PROTOCOL, "test", ROLE_PLAYER, chair.identity.public, bytes(32), f"P{seat}", "", b"")
    assert four.table.admits(hello) is None
    four.table.joined(seat, hello, b"", four.now)
    status = four.table.status()
    chair.opened(four.table.identity.public, Joined(b"", status.log_id, status.entries), four.now)
    four.settle()
    assert chair.player is not None
    fold = chair.player.fold
    assert fold.vote_open(seat) is (away_for > 600)
    assert chair.player.view is not None
    assert chair.player.act(choose(chair.player.view, random.Random(seed), "easy")) is None
    four.settle()
    assert fold.deal is not None
    assert fold.deal.steps[0].seat == seat
    assert not fold.away


def test_what_only_the_owner_may_do_is_passed_over_from_anybody_else(seed: int) -> None:
    four = Four(seed)
    before = [h.key if h is not None else b"" for h in four.table.seats]
    for message in (Start(), SetBot(1, "easy"), Kick(1, "go"), Pause(True)):
        four.table.message(2, message, four.now)
    four.settle()
    assert [h.key if h is not None else b"" for h in four.table.seats] == before
    assert not four.table.kicks
    assert len(four.table.people.guests) == 4


def asked_about(four: Four) -> int:
    """The seat whose turn it is has been away for its grace time, and the other team is asked."""
    seat = four.turn
    four.now += 601.0
    four.table.tick(four.now)
    four.settle()
    assert four.table.fold is not None
    assert four.table.fold.vote_open(seat)
    return seat


def test_a_client_signs_that_its_player_does_not_answer(seed: int) -> None:
    """P5: a partner abstained, and it was never decided."""
    four = Four(seed, clock=(0, 0))
    seat, fold = asked_about(four), four.table.fold
    assert fold is not None
    one = four.chairs[(seat + 1) % 4]
    assert one.deadline == four.now + 55.0
    four.pass_time(54.0)
    assert not fold.votes
    four.pass_time(1.5)
    (decision,) = fold.decisions
    assert (decision.seat, decision.how.value) == (seat, "unanswered")
    assert set(decision.votes.values()) == {3}
    assert fold.lost == {seat: 1}


def test_the_host_closes_a_vote_that_nobody_answers_for(seed: int) -> None:
    """P5: the voters' machines are cut off, so nobody signs that they are silent."""
    four = Four(seed, clock=(0, 0))
    seat, fold = asked_about(four), four.table.fold
    assert fold is not None
    for voter in fold.voters(seat):
        four.chairs[voter].link = False
    four.pass_time(59.0)
    four.table.tick(four.now)
    assert fold.vote_open(seat)
    assert four.table.deadline is not None
    four.now = four.table.deadline
    four.table.tick(four.now)
    four.settle()
    assert fold.lost == {seat: 1}
    assert not fold.decisions[0].votes


def test_a_pause_is_over_after_ten_minutes_and_stops_the_vote_meanwhile(seed: int) -> None:
    """D10: what a pause stops, and who ends it."""
    four = Four(seed, clock=(0, 0))
    seat, fold = asked_about(four), four.table.fold
    assert fold is not None
    four.pass_time(30.0)
    partner = four.chairs[(seat + 2) % 4].player
    assert partner is not None
    partner.pause(True)
    four.settle()
    four.table.tick(four.now)
    assert fold.paused == (seat + 2) % 4
    assert four.table.deadline == four.now + 600.0
    four.pass_time(599.0)
    four.table.tick(four.now)
    four.settle()
    assert fold.paused is not None
    assert fold.vote_open(seat)
    four.pass_time(1.0)
    four.table.tick(four.now)
    four.settle()
    assert fold.paused is None
    assert fold.vote_open(seat), "the vote has thirty seconds left"
    assert four.table.deadline == four.now + 30.0
