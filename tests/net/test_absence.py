"""Who leaves, stalls, pauses and votes, in the log (RULES.md R24-R26; PROTOCOL.md, Those who leave): both auditors."""

import random

import pytest

from goat_engine.actions import Refusal
from goat_engine.bots import choose
from goat_engine.rules import SEATS
from goat_net.log.absence import AbsenceFold
from goat_net.log.absence_table import CHANGES, CHARGE, LET_GO, NO_ANSWER, WAIT, State, Where
from goat_net.log.chain import ChainError, make_record
from goat_net.log.deal import DealStage
from goat_net.log.faults import FormError
from goat_net.log.fold import MatchStage
from goat_net.log.records import (
    HOST,
    Away,
    Carried,
    CloseVote,
    Commit,
    End,
    EndPause,
    Leave,
    Open,
    PauseClock,
    Refuse,
    Unheard,
    Verdict,
    Vote,
    YieldPlay,
)
from goat_net.log.refusals import OVERDUE, Witness
from tests.net.absences import (
    GRACE,
    asked,
    at_the_end,
    gone,
    heard_nothing,
    losing,
    opponents,
    owing,
    real_result,
    silent,
)
from tests.net.mini import Mini, finished, playing

# Away and back


def test_only_what_it_owes_ends_an_absence() -> None:
    """N3: an away seat's pause ended its absence and the votes about it."""
    mini = owing()
    seat = gone(mini)
    assert mini.both(mini.made(seat, PauseClock(True))) == "NOT_NOW"
    assert mini.both(mini.made(seat, Vote(opponents(seat)[0], LET_GO))) == "NOT_NOW"
    voter = opponents(seat)[0]
    assert mini.say(voter, Vote(seat, CHARGE)) == "good"
    assert mini.submit(mini.made(seat, PauseClock(True))) == "NOT_NOW"
    assert seat in mini.fold.away
    assert mini.fold.votes == {seat: {voter: CHARGE}}
    mini.silent = set()
    mini.players[seat]._signed = 0
    mini.catch_up(seat)
    mini.play(lambda fold: seat not in fold.away)
    assert not mini.fold.votes
    assert not mini.fold.lost


def test_a_host_says_away_once_of_who_owes_and_no_earlier() -> None:
    mini = owing()
    seat = silent(mini)
    for body in (Away(seat, GRACE - 1), Away(opponents(seat)[0], GRACE), CloseVote(seat), EndPause()):
        with pytest.raises(ChainError):
            mini.host(body)
    mini.host(Away(seat, GRACE))
    for body in (Away(seat, GRACE), CloseVote(opponents(seat)[0])):
        with pytest.raises(ChainError):
            mini.host(body)
    mini.agree()


# Before the cards are out, and where both teams miss somebody


@pytest.mark.parametrize("stage", [DealStage.SHUFFLE, DealStage.CUT, DealStage.LOCK])
@pytest.mark.parametrize("goodbye", [True, False])
def test_nobody_pays_before_the_cards_are_out(stage: DealStage, goodbye: bool) -> None:
    mini = Mini(7)
    mini.play(lambda fold: fold.deal is not None and fold.deal.stage is stage)
    (seat,) = mini.fold.waits_for()
    mini.silent = {seat}
    if goodbye:
        mini.say(seat, Leave())
    else:
        mini.host(Away(seat, GRACE))
    assert mini.agree()["lost"] == {seat: False}
    assert mini.fold.deal is not None
    assert mini.fold.deal.stage is DealStage.OPEN
    mini.play(finished(1))
    done = mini.fold.finished[0]
    assert (done.outcome.result, done.charged) == (None, None)


def test_before_the_commitments_the_deal_does_not_begin() -> None:
    mini = Mini(8)
    mini.play(finished(1))
    deal = mini.fold.deal
    assert deal is not None
    mini.say(2, Leave())
    assert mini.agree()["lost"] == {2: False}
    assert not deal.stopped
    mini.play(lambda fold: False)
    assert mini.fold.deal is deal
    assert deal.commitments.keys() <= {0, 1, 3}
    mini.host(End(1))
    mini.agree()


def test_a_deal_does_not_begin_with_the_commitment_of_who_has_left() -> None:
    """A seat committed, left and was lost; the others committed too, the deal began, and waited for ever for it."""
    mini = Mini(8)
    mini.play(lambda fold: len(fold.finished) == 1 and fold.deal is not None and len(fold.deal.commitments) == 1)
    deal = mini.fold.deal
    assert deal is not None
    (seat,) = deal.commitments
    mini.say(seat, Leave())
    assert mini.agree()["lost"] == {seat: False}
    for other in sorted({0, 1, 2, 3} - {seat}):
        if not mini.fold.owes_verdict(other):
            assert mini.both(mini.made(other, Commit(bytes(32)))) == "NOT_NOW"
    mini.play(lambda fold: False)
    assert (mini.fold.deal, len(deal.commitments), mini.fold.waits_for()) == (deal, 1, set())
    with pytest.raises(ChainError):
        mini.host(Away((seat + 1) % 4, GRACE))
    mini.host(End(1))
    mini.agree()


def test_nobody_pays_while_both_teams_miss_somebody() -> None:
    mini = owing()
    seat = gone(mini)
    heard_nothing(mini, seat, *(s for s in range(1, 4) if s != seat))
    other = opponents(seat)[0]
    mini.say(other, Leave())
    assert mini.agree()["lost"] == {seat: False, other: False}
    mini.play(finished(1))
    assert mini.fold.finished[0].charged is None


# What the people say


CHOICES = [
    ((CHARGE, CHARGE), "charged"),
    ((CHARGE, LET_GO), "let go"),
    ((LET_GO, None), "let go"),
    ((CHARGE, None), None),
    ((CHARGE, NO_ANSWER), "unanswered"),
    ((NO_ANSWER, None), "unanswered"),
    ((WAIT, None), None),
    ((WAIT, CHARGE), "waited"),
    ((WAIT, WAIT), "waited"),
    ((WAIT, LET_GO), "let go"),
]


@pytest.mark.parametrize(("said", "how"), CHOICES)
def test_the_people_of_the_other_team_decide(said: tuple[int | None, ...], how: str | None) -> None:
    mini = owing()
    seat = gone(mini)
    partner = (seat + 2) % 4
    assert mini.both(mini.made(partner, Vote(seat, LET_GO))) == "NOT_NOW"
    assert mini.both(mini.made(seat, Vote(seat, LET_GO))) == "NOT_NOW"
    heard_nothing(mini, seat, next(s for s in opponents(seat) if s != 0))
    for voter, choice in zip(opponents(seat), said, strict=True):
        if choice is not None:
            assert mini.say(voter, Vote(seat, choice)) == "good"
            if mini.fold.vote_open(seat):
                assert mini.both(mini.made(voter, Vote(seat, CHARGE))) == "ALREADY_DONE"
    told = mini.agree()
    if how in (None, "waited"):
        assert told["lost"] == {}
        assert (seat in mini.fold.away) == (how is None)
        assert [d.how.value for d in mini.fold.decisions] == ([] if how is None else ["waited"])
        return
    assert told["lost"] == {seat: how == "charged"}
    (decision,) = mini.fold.decisions
    assert (decision.seat, decision.how.value) == (seat, how)
    assert decision.votes == {v: c for v, c in zip(opponents(seat), said, strict=True) if c is not None}
    mini.play(finished(1))
    done = mini.fold.finished[0]
    assert (done.outcome.result, done.charged) == (None, seat % 2 if how == "charged" else None)
    assert mini.fold.match is not None
    assert sum(mini.fold.match.defeat) == (6 if how == "charged" else 0)


def test_who_does_not_answer_does_not_hold_the_table_up() -> None:
    """P5: a partner abstained, two voted charge without a proof: never decided, and the table hung."""
    mini = owing()
    seat = gone(mini)
    one, other = opponents(seat)
    mini.say(one, Vote(seat, CHARGE))
    assert not mini.fold.lost
    mini.say(other, Vote(seat, CHARGE))
    assert not mini.fold.lost  # nobody has borne witness yet
    mini.host(CloseVote(seat))
    assert mini.agree()["lost"] == {seat: False}


def test_evidence_that_comes_after_the_votes_counts() -> None:
    mini = owing()
    seat = gone(mini)
    for voter in opponents(seat):
        mini.say(voter, Vote(seat, CHARGE))
    heard_nothing(mini, seat, next(s for s in range(1, 4) if s != seat))
    assert mini.agree()["lost"] == {seat: True}


def test_a_close_that_is_early_can_only_excuse() -> None:
    mini = owing()
    seat = gone(mini)
    heard_nothing(mini, seat, *(s for s in range(1, 4) if s != seat))
    mini.say(opponents(seat)[0], Vote(seat, CHARGE))
    mini.host(CloseVote(seat))
    assert mini.agree()["lost"] == {seat: False}


def test_the_people_wait_twice_and_no_more() -> None:
    mini = owing()
    seat = silent(mini)
    for wait in range(3):
        mini.host(Away(seat, GRACE))
        for voter in opponents(seat):
            assert mini.both(mini.made(voter, Vote(seat, WAIT))) == ("good" if wait < 2 else "NOT_NOW")
            if wait < 2:
                mini.say(voter, Vote(seat, WAIT))
        assert (seat in mini.fold.away) == (wait == 2)
    mini.agree()


def test_nobody_waits_for_who_has_said_goodbye() -> None:
    mini = owing()
    seat = silent(mini)
    mini.say(seat, Leave())
    assert mini.both(mini.made(seat, Leave())) == "ALREADY_DONE"
    one, other = opponents(seat)
    assert mini.both(mini.made(one, Vote(seat, WAIT))) == "NOT_NOW"
    assert mini.both(mini.made(one, Unheard(seat, GRACE))) == "NOT_NOW"
    for voter in (one, other):
        mini.say(voter, Vote(seat, CHARGE))
    assert mini.agree()["lost"] == {seat: True}


def test_who_has_left_plays_nothing_more() -> None:
    mini = owing()
    seat = silent(mini)
    player = mini.players[seat]
    mini.catch_up(seat)
    raw = player.due(0)
    if not raw and player.view is not None:
        player.act(choose(player.view, mini.rng, "medium"))
        raw = player.due(0)
    assert mini.both(raw[0]) == "good"
    mini.say(seat, Leave())
    again = mini.made(seat, YieldPlay())
    assert mini.both(again) == "NOT_NOW"
    mini.agree()


def test_a_bots_operators_team_pays_and_the_other_team_decides() -> None:
    """Seat 1 is a bot of seat 0's machine: the people of team 1 are asked, its own team."""
    mini = owing(1, seed=4, bots=(1,), host=4)
    mini.host(Away(1, GRACE))
    assert mini.fold.voters(1) == (3,)
    for seat in (0, 2):
        assert mini.both(mini.made(seat, Vote(1, CHARGE))) == "NOT_NOW"
    heard_nothing(mini, 1, 2, 3)
    mini.say(3, Vote(1, CHARGE))
    assert mini.agree()["lost"] == {1: True}
    mini.play(finished(1))
    assert mini.fold.finished[0].charged == 0


def test_where_the_other_team_has_no_person_it_is_excused_at_once() -> None:
    mini = owing(0, seed=5, bots=(1, 3))
    mini.host(Away(0, GRACE))  # the bots' operator is seat 0 itself
    assert mini.agree()["lost"] == {0: False}


# Evidence


def test_the_word_of_the_hosts_machine_and_of_bots_is_none() -> None:
    """P8: evidence and votes of host-run keys."""
    mini = owing(1)
    mini.host(Away(1, GRACE))
    assert mini.both(mini.made(0, Unheard(1, GRACE))) == "NOT_NOW"
    assert mini.both(mini.made(1, Unheard(1, GRACE))) == "NOT_NOW"
    assert mini.both(mini.made(2, Unheard(1, GRACE - 1))) == "NOT_NOW"
    heard_nothing(mini, 1, 2)
    assert mini.both(mini.made(2, Unheard(1, GRACE))) == "ALREADY_DONE"
    for voter in (0, 2):
        mini.say(voter, Vote(1, CHARGE))
    assert mini.agree()["lost"] == {1: True}


def test_a_host_without_a_seat_needs_two_machines() -> None:
    """P8: two bots and owner 4; the host withholds the records of one person, and the other key is the host's too."""
    mini = owing(1, bots=(2, 3), host=4)
    mini.host(Away(1, GRACE))
    heard_nothing(mini, 1, 0)
    mini.say(0, Vote(1, CHARGE))
    assert not mini.fold.lost
    mini.host(CloseVote(1))
    assert mini.agree()["lost"] == {1: False}
    mini.play(finished(1))
    assert mini.fold.finished[0].charged is None


# Who does not open


@pytest.mark.parametrize("proven", [False, True])
@pytest.mark.parametrize("seed", range(40, 46))
@pytest.mark.sample(4, "each a deal judged twice")
def test_who_does_not_open_a_lost_deal_has_lost_it(seed: int, proven: bool) -> None:
    """P4: a losing seat did not open, but answered everything else: excused, void, 0 points; losing was free."""
    mini = at_the_end(seed, losing)
    seat = silent(mini)
    real = real_result(mini)
    mini.host(Away(seat, GRACE))
    if proven:
        heard_nothing(mini, seat, *(s for s in range(1, 4) if s != seat))
    mini.host(CloseVote(seat))
    told = mini.agree()
    assert told["lost"] == {seat: False}
    done = mini.fold.finished[0]
    team = seat % 2
    if done.outcome.result is None:
        assert done.charged is None
        assert proven or real[team] >= 60 or mini.fold.match is not None
        return
    counted = done.outcome.result.points
    assert sum(counted) == 120
    assert counted[team] < 60
    if proven:
        assert counted[team] <= real[team]
    else:
        assert counted[team] >= real[team], "without evidence nobody pays more than they have lost"
        assert real[team] < 60
    for other in SEATS:
        if other != seat:
            mini.play(lambda fold, s=other: s in fold.finished[0].verdicts)  # type: ignore[misc]
    assert done.verdicts.keys() == set(SEATS) - {seat}


def counts_unopened(seed: int) -> bool:
    """Whether a deal counts that a seat which is behind does not open."""
    mini = at_the_end(seed, losing)
    mini.host(Away(silent(mini), GRACE))
    mini.host(CloseVote(silent(mini)))
    return mini.fold.finished[0].outcome.result is not None


def test_some_deals_that_are_not_opened_do_count() -> None:
    assert any(counts_unopened(seed) for seed in range(60, 80))


@pytest.mark.long("twenty deals")
def test_near_half_of_the_deals_that_are_not_opened_do_count() -> None:
    assert sum(counts_unopened(seed) for seed in range(60, 80)) >= 8


@pytest.mark.parametrize("number", range(40, 60))
@pytest.mark.sample(2, "each a deal judged twice")
def test_the_other_team_may_let_go_who_does_not_open(number: int) -> None:
    mini = at_the_end(number, losing)
    seat = silent(mini)
    mini.host(Away(seat, GRACE))
    mini.say(opponents(seat)[0], Vote(seat, LET_GO))
    done = mini.fold.finished[0]
    assert (done.outcome.result, done.charged) == (None, None)
    mini.agree()


def charged_unopened(seed: int) -> bool:
    """Whether a seat is charged that is not behind, does not open, and about which all say: charge."""
    mini = at_the_end(seed, lambda fold: 1 - (losing(fold) or 0))
    seat = silent(mini)
    mini.host(Away(seat, GRACE))
    heard_nothing(mini, seat, *(s for s in range(1, 4) if s != seat))
    for voter in opponents(seat):
        mini.say(voter, Vote(seat, CHARGE))
    done = mini.fold.finished[0]
    assert (done.outcome.result is None) == (done.charged == seat % 2)
    mini.agree()
    return done.charged is not None


def test_a_seat_that_is_not_behind_and_does_not_open_may_be_charged() -> None:
    assert any(charged_unopened(seed) for seed in range(40, 70))


@pytest.mark.long("thirty deals judged twice")
def test_seats_that_are_not_behind_and_do_not_open_are_charged_now_and_then() -> None:
    assert sum(charged_unopened(seed) for seed in range(40, 70)) >= 5


def test_two_people_two_bots_one_loses_the_line_and_the_other_opens_and_leaves() -> None:
    """P2, D2: the host and one auditor said all is good, the other auditor blamed the host, a third two seats."""
    mini = at_the_end(9, lambda fold: 0, bots=(1, 3))
    mini.say(2, Leave())
    assert 2 in mini.fold.lost
    mini.host(Away(0, GRACE))
    told = mini.agree()
    assert told["lost"].keys() == {0, 2}
    assert not told["outside"]
    assert told["deals"][0]["blame"] is None


def test_a_lost_seat_never_has_to_open() -> None:
    """D2: lost in this or an earlier deal."""
    mini = at_the_end(10, lambda fold: 1)
    mini.say(2, Leave())
    mini.silent = set()
    mini.play(lambda fold: bool(fold.finished) and not fold.owes_verdict(1))
    assert mini.fold.finished[0].outcome.result is not None
    mini.catch_up(1)
    assert mini.submit(mini.made(1, Open(bytes(32)))) == "EARLY_OPEN"  # an offence in the next deal: it stops
    mini.players[1].unconfirmed = None
    mini.silent = {2}
    mini.play(finished(2))
    assert len(mini.fold.finished) == 2
    assert 2 not in mini.fold.finished[1].deal.seeds
    assert mini.agree()["lost"] == {2: False}


def test_each_count_takes_its_whole_effect_before_the_next() -> None:
    """D3: the first count ends the deal, the second is made in the deal after it."""
    mini = at_the_end(11, lambda fold: 3)
    mini.silent = {0, 3}
    mini.say(0, Leave())
    assert mini.agree()["lost"] == {0: False}  # it has opened
    before = mini.fold.deal
    mini.host(Away(3, GRACE))
    mini.say(2, Vote(3, CHARGE))
    assert mini.fold.deal is before
    mini.host(CloseVote(3))
    assert mini.fold.deal is not before
    mini.agree()


# Cheats


def test_a_caught_seat_enters_nothing_but_its_opening() -> None:
    """M1, M2: offence after offence stalled the table and filled the log: 2,000 records in five seconds."""
    mini = Mini(12)
    mini.play(playing)
    assert mini.say(1, Open(bytes(32))) == "EARLY_OPEN"
    for body in (Leave(), PauseClock(True), Verdict((0, 0), (0, 0), (0, 0), 5, 0), Vote(0, 1)):
        for counter in (0, -1, -9):
            assert mini.both(mini.made(1, body, counter=counter)) == "NOT_NOW"
    for counter in range(mini.fold.counters[1]):  # nor with an opening under a used number, or on a foreign head
        assert mini.both(mini.made(1, Open(bytes([1]) * 32), counter=counter - mini.fold.counters[1])) == "COUNTER"
    seen = len(mini.fold.chain) - 2
    strange = make_record(
        mini.seats[1], mini.fold.id, 1, 1, mini.fold.counters[1], seen, bytes(32), Open(bytes(32))
    )
    assert mini.both(strange) == "NOT_NOW"
    assert 1 in mini.fold.waits_for()
    mini.play(finished(1))
    assert [o.fault.name for o in mini.fold.finished[0].deal.offences] == ["EARLY_OPEN"]


def test_who_is_caught_and_does_not_open_is_lost_without_a_vote() -> None:
    mini = Mini(13)
    mini.play(playing)
    mini.say(1, Open(bytes(32)))
    mini.silent = {1}
    mini.play(lambda fold: fold.waits_for() == {1})
    mini.host(Away(1, GRACE))
    assert mini.agree()["lost"] == {1: False}
    assert mini.fold.finished[0].charged == 1


def test_who_is_caught_twice_is_out() -> None:
    mini = Mini(14)
    for deal in (1, 2):
        mini.play(lambda fold, n=deal: playing(fold) and fold.deal is not None and fold.deal.number == n)  # type: ignore[misc]
        mini.say(2, Open(bytes(32)))
        assert mini.fold.lost == {}
        mini.play(finished(deal))
        if mini.fold.stage is MatchStage.OVER:
            break
    assert mini.fold.stage is MatchStage.OVER or mini.fold.lost == {2: LET_GO}
    mini.agree()


def test_what_a_fork_or_a_copied_folder_explains_puts_nobody_out() -> None:
    carried = (Carried(bytes(32), bytes(range(32)), (0, 0), 0, 2, 1, False, 6),)
    mini = Mini(15, carried=carried)
    for deal in (7, 8):
        mini.play(lambda fold, n=deal: playing(fold) and fold.deal is not None and fold.deal.number == n)  # type: ignore[misc]
        counter = mini.fold.counters[3]
        mini.submit(mini.made(3, Open(bytes(32)), counter=deal - 7 - counter))
        mini.catch_up(3)
        assert mini.fold.deal is not None
        assert mini.fold.deal.offences[0].fault.name == "REUSED_COUNTER"
        mini.play(finished(deal - 6))
        if mini.fold.stage is MatchStage.OVER:
            break
    assert mini.fold.lost == {}
    mini.agree()


@pytest.mark.parametrize("how", ["cheat", "leave", "verdict"])
def test_a_doubled_deal_costs_twice_as_much_to_escape_from(how: str) -> None:
    """P9: in a doubled deal 8 or 12 points were to lose, and a cheat or a false verdict cost 6."""
    carried = (Carried(bytes(32), bytes(range(32)), (0, 0), 1, 2, 1, True, 6),)
    mini = Mini(16, carried=carried)
    if how == "verdict":
        mini.play(finished(1))
        mini.submit(mini.made(1, Verdict((1, 119), (3, 4), (4, 0), 5, 0), deal=7))
    else:
        mini.play(playing)
        if how == "cheat":
            mini.say(1, Open(bytes(32)))
        else:
            mini.say(1, Leave())
            for voter in (0, 2):
                mini.say(voter, Vote(1, CHARGE))
        mini.play(finished(1))
    assert mini.fold.match is not None
    assert mini.fold.match.defeat == (0, 12)
    assert mini.fold.finished[0].cost == 12
    mini.agree()


# Pauses


def test_two_pauses_of_a_seat_in_a_deal_and_who_ends_them() -> None:
    """D10: what a pause stops, and who ends it."""
    mini = owing(seed=17)
    seat = silent(mini)
    author = opponents(seat)[0]
    partner, other = (author + 2) % 4, (seat + 2) % 4
    assert mini.say(author, PauseClock(True)) == "good"
    assert mini.fold.paused == author
    with pytest.raises(ChainError):
        mini.host(Away(seat, GRACE))
    assert mini.both(mini.made(other, PauseClock(True))) == "NOT_NOW"
    mini.say(other, PauseClock(False))
    assert mini.both(mini.made(other, PauseClock(False))) == "ALREADY_DONE"
    assert mini.fold.paused == author  # the author's team has not said so
    mini.say(partner, PauseClock(False))
    assert mini.fold.paused is None
    mini.say(author, PauseClock(True))
    mini.say(author, PauseClock(False))
    assert mini.fold.paused is None
    assert mini.both(mini.made(author, PauseClock(True))) == "NOT_NOW"  # two of a deal
    mini.say(other, PauseClock(True))
    mini.host(EndPause())
    assert mini.fold.paused is None
    mini.agree()


def test_bots_do_not_pause_and_a_pause_ends_with_its_author() -> None:
    mini = owing(seed=18, bots=(1,))
    assert mini.both(mini.made(1, PauseClock(True))) == "NOT_NOW"
    mini.say(2, PauseClock(True))
    mini.say(2, Leave())
    assert mini.fold.paused is None
    mini.agree()


def test_plays_stand_in_a_pause_but_no_answer_that_knew_of_it() -> None:
    """P3, D10: a claimant paused the table, and the asked seat's client yielded by itself."""
    for seed in range(400, 700):
        mini = Mini(seed)
        mini.play(lambda fold: bool(fold.finished) or asked(fold) is not None)
        seat = asked(mini.fold)
        if seat is None:
            continue
        on_its_way = mini.made(seat, YieldPlay())
        author = next(s for s in SEATS if s != seat)
        mini.say(author, PauseClock(True))
        assert mini.both(on_its_way) == "good"
        assert mini.both(mini.made(seat, YieldPlay())) == "NOT_NOW"
        player = mini.players[seat]
        mini.catch_up(seat)
        assert player._asked_at is None  # time stands still
        assert not player.due(10_000.0)
        mini.host(EndPause())
        assert mini.both(mini.made(seat, YieldPlay())) == "good"
        player.take(mini.fold.chain.entries[-1], 50.0)
        assert player._asked_at == 50.0  # R17's time begins anew
        return
    raise AssertionError("nobody was asked in 300 deals")


# A client and a host's strange refusal


def test_a_client_goes_on_after_a_refusal_of_what_it_never_signed() -> None:
    """N4: it ended the match without a proof, and was then reachable and handed in nothing."""
    mini = owing(seed=19)
    seat = silent(mini)
    player = mini.players[seat]
    mini.catch_up(seat)
    mini.silent = set()
    out = player.due(0)
    if not out and player.view is not None:
        player.act(choose(player.view, mini.rng, "medium"))
        out = player.due(0)
    assert out
    mini.host(Refuse(seat, mini.fold.counters[seat], bytes(32), int(FormError.NOT_NOW)))
    mini.catch_up(seat)
    assert player.foreign_refusals == 1
    (again,) = player.due(0)
    assert again != out[0]
    assert mini.both(again) == "good"
    mini.submit(again)
    mini.play(finished(1))
    assert mini.fold.finished[0].outcome.result is not None


# The table of the page


@pytest.mark.long("twelve matches judged twice")
def test_every_change_of_state_is_one_of_the_diagram() -> None:
    """The diagram in the page is made from `CHANGES`: random matches show no other change."""
    allowed = {(a, b) for a, _, b in CHANGES}
    seen: set[tuple[State, State]] = set()
    for number in range(12):
        mini = Mini(900 + number, bots=(3,) if number % 3 == 0 else ())
        rng = random.Random(number)
        states = dict.fromkeys(SEATS, State.HERE)
        for _ in range(400):
            part = mini.fold.absence
            assert isinstance(part, AbsenceFold)
            now = {s: part.state(s) for s in SEATS}
            seen |= {(states[s], now[s]) for s in SEATS if states[s] is not now[s]}
            states = now
            if mini.fold.stage is MatchStage.ENDED or not mini.step():
                break
            fold, what = mini.fold, rng.random()
            for s in SEATS:
                mini.catch_up(s)
            free = [s for s in SEATS if mini.players[s].unconfirmed is None]
            late = sorted(fold.waits_for() - fold.away.keys())
            if fold.scene.where not in (Where.PLAY, Where.OPEN, Where.STOPPED):
                continue
            if what < 0.05 and late and fold.paused is None:
                mini.host(Away(rng.choice(late), GRACE))
            elif what < 0.07 and free:
                mini.say(rng.choice(free), rng.choice((Leave(), Open(bytes(32)))))
            elif what < 0.10 and fold.away:
                target = min(fold.away)
                for voter in (v for v in fold.voters(target) if v in free):
                    if fold.vote_open(target):
                        mini.say(voter, Vote(target, rng.choice((WAIT, LET_GO, CHARGE))))
        mini.agree()
    assert seen <= allowed, seen - allowed
    assert len(seen) >= 6


def test_the_author_of_a_host_record_is_never_a_seat() -> None:
    mini = owing(seed=20)
    seat = silent(mini)
    for body in (Away(seat, GRACE), CloseVote(seat), EndPause()):
        assert mini.both(mini.made((seat + 1) % 4, body)) == "NOT_NOW"
    assert HOST not in SEATS


def test_a_record_that_has_ceased_to_fit_is_handed_on_so_that_its_author_goes_on() -> None:
    """N4, P8: a host loses a seat's word that the pause may end until the pause is over. The seat signs nothing else
    before that is entered or refused, and nobody handed on what would be refused: so it was away, for a charge."""
    mini = Mini(71)
    mini.play(playing)
    one, other, witness = 1, 2, Witness()
    mini.say(one, PauseClock(True))
    lost = mini.made(other, PauseClock(False))
    mini.say(one, PauseClock(False))
    assert mini.both(lost) == "NOT_NOW"
    assert witness.note(mini.fold, lost, 0.0)
    assert witness.held(mini.fold) == (lost,)
    assert witness.holds(mini.fold, other)
    assert not witness.overdue(mini.fold, OVERDUE - 1)
    assert [r.raw for r in witness.overdue(mini.fold, OVERDUE)] == [lost]
    mini.submit(lost)
    assert witness.held(mini.fold) == ()
    assert not witness.overdue(mini.fold, OVERDUE)
    assert not witness.note(mini.fold, mini.made(other, PauseClock(False), counter=1), 0.0)
    assert not witness.note(mini.fold, lost, 0.0)


def test_who_has_left_is_asked_for_no_play() -> None:
    """Their client was to play for ever, by its clock or its brain, and nothing could go out."""
    mini = next(m for seed in range(1, 40) if (m := owing(seed=seed)) and _is_asked(m))
    seat = silent(mini)
    mini.say(seat, Leave())
    player = mini.players[seat]
    assert not player.owes_action
    assert player.view is not None
    assert player.act(choose(player.view, mini.rng, "medium")) is Refusal.WRONG_ACTION


def _is_asked(mini: Mini) -> bool:
    mini.catch_up(silent(mini))
    return mini.players[silent(mini)].owes_action
