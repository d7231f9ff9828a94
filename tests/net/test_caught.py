"""Who is caught twice in a match is out of it, also when it goes on in another log (RULES.md R23; PROTOCOL.md, Carried
scores)."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from goat_client.game import prompts
from goat_client.game.carried import terms_words

from goat_net.log.chain import ChainError, genesis, log_id_of, make_record, sign_entry
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.records import HOST, Carried, Caught, End, Leave, Open, PauseClock, Table, Verdict
from goat_net.log.succession import Flaw, score_of, succession
from goat_net.seat.terms import Agreement
from goat_net.wire.identity import Identity
from tests.net.auditor import Auditor, BadEntryError, carried_by
from tests.net.mini import Mini, finished, playing


def cheats(mini: Mini, seat: int) -> None:
    """A seat opens its seed in the middle of the deal that is on, and the deal ends."""
    count = len(mini.fold.finished)
    mini.play(lambda fold: playing(fold) and len(fold.finished) == count)
    mini.say(seat, Open(bytes(32)))
    mini.play(finished(count + 1))


def goes_on(mini: Mini) -> Carried:
    """The score of a match whose seats change after this deal: someone leaves, all say what the deal came to."""
    mini.play(lambda fold: not any(map(fold.owes_verdict, range(4))))
    mini.say(0, Leave())
    mini.host(End(1))
    score = score_of(mini.fold)
    assert score is not None
    assert carried_by(mini.second) == told(score)
    return score


def told(score: Carried) -> list[object]:
    rows = [[one.key, one.deals] for one in score.caught]
    whose = [score.eggs, score.dealer, score.leader, score.doubled, score.deals]
    return [score.match_id, score.head, list(score.defeat), *whose, rows]


def test_who_is_caught_once_in_each_of_two_logs_is_out() -> None:
    """P9: caught in one log, then in the log that goes on with the match: that makes two deals."""
    before = Mini(61)
    cheats(before, 2)
    score = goes_on(before)
    assert score.caught == (Caught(before.seats[2].public, 1),)
    after = Mini(62, carried=(score,), seats={1: before.seats[2]})
    cheats(after, 1)
    assert after.fold.lost == {1: 1}
    after.agree()
    assert goes_on(after).caught == (Caught(before.seats[2].public, 2),)


def test_who_was_not_there_for_a_log_has_not_lost_their_count() -> None:
    before = Mini(63)
    cheats(before, 3)
    between = Mini(64, carried=(goes_on(before),))
    cheats(between, 0)
    counts = {before.seats[3].public: 1, between.seats[0].public: 1}
    assert {one.key: one.deals for one in goes_on(between).caught} == counts


def test_a_bot_that_the_table_answers_for_is_not_counted() -> None:
    """It costs nobody anything: the host could fill the list with its own."""
    mini = Mini(65, bots=(2,), answers=HOST)
    cheats(mini, 2)
    assert goes_on(mini).caught == ()


def mini_table(mini: Mini, score: Carried) -> Table:
    assert mini.fold.table is not None
    return replace(mini.fold.table, carried=(score,))


def begun(mini: Mini, score: Carried) -> Fold:
    """The fold of a log of the same seats that begins with a score; the second auditor says the same of it."""
    body = mini_table(mini, score)
    log_id = log_id_of(body.table_key, body.salt, body.fresh)
    raw = make_record(mini.table, log_id, 0, HOST, 0, 0, genesis(log_id), body)
    entry = sign_entry(mini.table, log_id, 0, genesis(log_id), raw)
    fold, second = Fold(), Auditor()
    try:
        fold.take(entry)
    except ChainError:
        with pytest.raises(BadEntryError):
            second.take(0, entry.record, entry.signature)
        raise
    second.take(0, entry.record, entry.signature)
    return fold


KEYS = tuple(sorted(Identity.from_seed(bytes([n]) * 32).public for n in range(64)))
WRONG: dict[str, Callable[[Mini], tuple[Caught, ...]]] = {
    "who is out has a seat": lambda mini: (Caught(mini.seats[1].public, 2),),
    "not in the order of keys": lambda mini: (Caught(KEYS[1], 1), Caught(KEYS[0], 1)),
    "a key twice": lambda mini: (Caught(KEYS[0], 1), Caught(KEYS[0], 2)),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_log_that_begins_with_a_wrong_list_is_none(what: str) -> None:
    mini = Mini(66)
    score = Carried(bytes(32), bytes(range(32)), (0, 0), 0, 1, 2, False, 3, WRONG[what](mini))
    with pytest.raises(ChainError, match="caught twice"):
        begun(mini, score)


def test_a_log_may_begin_with_the_longest_list() -> None:
    mini = Mini(67)
    score = Carried(bytes(32), bytes(range(32)), (0, 0), 0, 1, 2, False, 3, tuple(Caught(key, 2) for key in KEYS))
    assert begun(mini, score).table is not None


def test_a_host_who_forgets_who_was_caught_is_at_fault() -> None:
    """P9: the same for who was never caught: the list is part of the score, and whoever has the log checks it."""
    mini = Mini(68)
    cheats(mini, 2)
    score = goes_on(mini)
    for wrong in ((), (Caught(mini.seats[2].public, 2),), (*score.caught, Caught(KEYS[0], 1))):
        link = succession(mini.fold, mini_table(mini, replace(score, caught=wrong)))
        assert link is not None
        assert link.flaw is Flaw.SCORE


def test_who_is_caught_when_the_match_is_over_enters_nothing_more() -> None:
    """P9: no 2,000 offence entries: an offence in OVER that leaves the goat what it was catches until the log ends."""
    score = Carried(bytes(32), bytes(range(32)), (10, 10), 0, 1, 2, False, 3)
    mini = Mini(69, carried=(score,))
    mini.play(lambda fold: fold.stage is MatchStage.OVER and not any(map(fold.owes_verdict, range(4))))
    assert mini.fold.match is not None
    (goat,) = (team for team in (0, 1) if mini.fold.match.defeat[team] >= 12)
    for what in ("FOREIGN_HEAD", "NOT_NOW", "NOT_NOW"):
        fold = mini.fold
        raw = make_record(mini.seats[goat], fold.id, 4, goat, fold.counters[goat], 5, bytes(32), PauseClock(True))
        assert mini.submit(raw) == what
    assert mini.fold.stage is MatchStage.OVER
    assert sum(o.fault.name == "FOREIGN_HEAD" for o in mini.fold.offences) == 1
    mini.agree()


def test_a_false_verdict_on_a_second_deal_puts_out_before_the_next_one() -> None:
    """P9: a false verdict counts for the deal that it is about, so nobody waits for the end of the next one."""
    seat = Mini(70).seats[2]
    mini = Mini(70, carried=(Carried(bytes(32), bytes(32), (0, 0), 0, 1, 2, False, 3, (Caught(seat.public, 1),)),))
    mini.play(finished(1))
    assert mini.fold.lost == {}
    assert mini.fold.finished[0].outcome.blame is None
    false = Verdict((0, 0), (0, 0), (0, 0), 5, 0)
    assert mini.submit(mini.made(2, false, deal=mini.fold.finished[-1].deal.number)) == "FALSE_VERDICT"
    assert mini.fold.lost == {2: 1}
    mini.agree()


def test_a_person_is_told_who_was_caught_before() -> None:
    """P1b: what no client here can check is shown to every person."""
    mini = Mini(71)
    score = Carried(bytes(32), bytes(range(32)), (0, 6), 0, 1, 2, False, 3, (Caught(mini.seats[3].public, 1),))
    terms = Agreement(begun(mini, score).chain.entries[0], mini_table(mini, score), None).terms
    assert terms is not None
    assert terms.caught == ("P3",)
    assert [line for line in terms_words(terms, prompts.KEYS) if "P3 was caught cheating" in line]


@pytest.mark.parametrize(("team", "over"), [(0, True), (1, False)])
def test_a_false_verdict_on_the_last_deal_counts_for_it_whether_the_match_goes_on_or_not(team: int, over: bool) -> None:
    """D13: after the deal that made a goat somebody's verdict is false: that deal is void and theirs, also where the
    match is not over any more by it."""
    for seed in range(72, 92):
        score = Carried(bytes(32), bytes(range(32)), (11, 0), 0, 1, 2, False, 3)
        mini = Mini(seed, carried=(score,))
        mini.play(lambda fold: len(fold.finished) == 1)
        if mini.fold.stage is MatchStage.OVER:
            break
    assert mini.fold.stage is MatchStage.OVER
    before, seat = mini.fold.finished[0].before, team
    assert mini.submit(mini.made(seat, Verdict((0, 0), (0, 0), (0, 0), 5, 0), deal=4)) == "FALSE_VERDICT"
    assert mini.fold.match is not None
    assert mini.fold.match.defeat == ((17, 0) if team == 0 else (11, 6))
    assert (mini.fold.stage is MatchStage.OVER) is over
    assert mini.fold.absence.times_caught(seat) == 1
    if not over:
        assert mini.fold.deal is not None
        assert mini.fold.deal.number == 5
        assert (mini.fold.deal.dealer, mini.fold.deal.leader) == (before.dealer, before.leader)
        cheats(mini, seat)
        assert mini.fold.stage is MatchStage.OVER or mini.fold.lost == {seat: 1}  # in two deals: 4 and 5
    mini.agree()
