"""Leaving, stalling, pausing, voting, coming back: whoever tries to gain by it, or to make an honest seat pay.

Every row is played with both auditors folding along (`tests.net.mini`): they agree on each record and on the end.
"""

from collections.abc import Callable
from typing import Any

from goat_engine.bots import choose
from goat_engine.rules import SEATS, team_of
from goat_net.log.absence_table import CHARGE, LET_GO, NO_ANSWER, WAIT
from goat_net.log.chain import ChainError, parse_record
from goat_net.log.deal import DealStage
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.records import (
    Away,
    Carried,
    CloseVote,
    DiscardPlay,
    EndPause,
    Keys,
    Leave,
    Lock,
    Open,
    PauseClock,
    Unheard,
    Verdict,
    Vote,
    YieldPlay,
)
from tests.cheats.catalogue import CHEAT, NOBODY, ONCE, OPERATOR, R24, REFUSED, STOP, Changed, Seen, row, seat_cheat
from tests.cheats.catalogue import HOST as HOST_NAMED
from tests.cheats.kit import Cast, Schemer
from tests.net.absences import GRACE, asked, at_the_end, gone, heard_nothing, losing, opponents, owing, real_result
from tests.net.mini import Mini, finished

DOUBLED = (Carried(bytes(32), bytes(range(32)), (0, 0), 1, 2, 1, True, 6),)


def tried(name: str, at: Callable[[int], Mini], who: Callable[[Mini], int], *bodies: Any, say: str = "NOT_NOW") -> None:
    """A row in which a seat signs what its state, or the place, does not allow. ``bodies``: records, or functions of
    the table that make one; all of them are turned away and nothing has changed."""

    def play(seed: int) -> Seen:
        mini = at(seed)
        seat = who(mini)
        part = mini.fold.absence
        before = (dict(part.away), set(part.left), dict(part.lost), part.votes, part.paused)
        for body in bodies:
            assert mini.both(mini.made(seat, body(mini) if callable(body) else body)) == say, body
        assert before == (dict(part.away), set(part.left), dict(part.lost), part.votes, part.paused)
        mini.agree()
        return Seen(REFUSED, NOBODY, "")

    row(name, REFUSED, NOBODY)(play)


def refused_host(name: str, at: Callable[[int], Mini], body: Callable[[Mini], Any]) -> None:
    """A row in which the host enters what may not stand: that is its own fault, and seen at once."""

    def play(seed: int) -> Seen:
        mini = at(seed)
        try:
            mini.host(body(mini))
        except ChainError as error:
            return Seen(ONCE, HOST_NAMED, error.text)
        raise AssertionError("it stands")

    row(name, ONCE, HOST_NAMED)(play)


def paid(mini: Mini) -> tuple[int, int]:
    """The defeat points of the match."""
    assert mini.fold.match is not None
    mini.agree()
    return mini.fold.match.defeat


def is_away(seed: int, **how: Any) -> Mini:
    mini = owing(seed=seed % 1000, **how)
    gone(mini)
    return mini


def has_left(seed: int) -> Mini:
    mini = owing(seed=seed % 1000)
    mini.say(one(mini), Leave())
    return mini


def is_lost(seed: int) -> Mini:
    mini = has_left(seed)
    mini.say(opponents(one(mini))[0], Vote(one(mini), LET_GO))
    assert one(mini) in mini.fold.lost
    return mini


def is_caught(seed: int) -> Mini:
    mini = owing(seed=seed % 1000)
    assert mini.say(one(mini), Open(bytes(32))) == "EARLY_OPEN"
    return mini


def is_paused(seed: int) -> Mini:
    mini = owing(seed=seed % 1000)
    mini.say(opponents(one(mini))[0], PauseClock(True))
    return mini


def one(mini: Mini) -> int:
    (seat,) = mini.silent
    return seat


def voter(mini: Mini) -> int:
    return opponents(one(mini))[0]


def other_voter(mini: Mini) -> int:
    return opponents(one(mini))[1]


def partner(mini: Mini) -> int:
    return (one(mini) + 2) % 4


def about(choice: int) -> Callable[[Mini], Vote]:
    return lambda mini: Vote(one(mini), choice)


def body_of(mini: Mini) -> Any:
    """A play that would be good if its author were there."""
    seat = one(mini)
    player, deal = mini.players[seat], mini.fold.deal
    mini.catch_up(seat)
    assert player.view is not None
    assert deal is not None
    return player._play_body(deal, choose(player.view, mini.rng, "easy"))


def its_play(mini: Mini) -> Any:
    """What the silent seat owes."""
    player = mini.players[one(mini)]
    mini.catch_up(one(mini))
    out = [player.unconfirmed] if player.unconfirmed else player.due(0)
    if not out and player.view is not None:
        player.act(choose(player.view, mini.rng, "easy"))
        out = player.due(0)
    raw = out[0]
    assert raw is not None
    return parse_record(raw).body


# States: away, left, lost, caught

tried("away: pauses the table", is_away, one, PauseClock(True))
tried("away: votes about itself", is_away, one, about(LET_GO), about(WAIT), about(CHARGE))
tried("away: bears witness against somebody", is_away, one, lambda m: Unheard(voter(m), 900))
tried("left: plays what it owed", has_left, one, lambda m: body_of(m))
tried("left: pauses the table", has_left, one, PauseClock(True))
tried("left: votes about itself", has_left, one, about(LET_GO))
tried("left: says goodbye again", has_left, one, Leave(), say="ALREADY_DONE")
tried("lost: plays on", is_lost, one, DiscardPlay(bytes(32)), YieldPlay())
tried("lost: pauses the table", is_lost, one, PauseClock(True))
tried("lost: votes", is_lost, one, about(LET_GO))
tried("lost: signs a verdict", is_lost, one, lambda m: Verdict((60, 60), (3, 4), (0, 0), 5, 0))
tried("caught: pauses, leaves and votes", is_caught, one, PauseClock(True), Leave(), lambda m: Vote(voter(m), 1))
tried("caught: commits to the next deal and shuffles", is_caught, one, lambda m: Keys(b"", b""), YieldPlay())


@row("away: commits an offence to be back; it is lost and pays", ONCE, CHEAT)
def _(seed: int) -> Seen:
    mini = is_away(seed)
    seat = one(mini)
    assert mini.say(seat, Open(bytes(32))) == "EARLY_OPEN"
    assert seat in mini.fold.lost
    mini.play(finished(1))
    done = mini.fold.finished[0]
    assert done.outcome.blame is not None
    assert (done.outcome.blame.seat, done.charged) == (seat, team_of(seat))
    mini.agree()
    return Seen(ONCE, CHEAT, done.outcome.blame.fault.value)


@row("caught: offence after offence, under every used number and on a foreign head", ONCE, CHEAT)
def _(seed: int) -> Seen:
    """M1, M2: its grace began anew each time, and 2,000 offences were entered in five seconds."""
    mini = is_caught(seed)
    seat = one(mini)
    for counter in range(mini.fold.counters[seat]):
        for body in (PauseClock(True), Open(bytes([counter + 1]) * 32), Leave()):
            back = counter - mini.fold.counters[seat]
            assert mini.both(mini.made(seat, body, counter=back)) in ("NOT_NOW", "COUNTER")
    assert mini.fold.deal is not None
    (offence,) = mini.fold.deal.offences
    mini.host(Away(seat, GRACE))
    assert seat in mini.fold.lost, "nobody waits for it twice"
    mini.play(finished(1))
    assert paid(mini)[team_of(seat)] == 6
    return Seen(ONCE, CHEAT, offence.fault.value)


@row("caught: opens a wrong seed; that is one more offence and the last", ONCE, CHEAT)
def _(seed: int) -> Seen:
    mini = is_caught(seed)
    seat = one(mini)
    assert mini.submit(mini.made(seat, Open(bytes([7]) * 32))) == "WRONG_SEED"
    for body in (Open(bytes([8]) * 32), PauseClock(True)):
        assert mini.both(mini.made(seat, body)) in ("ALREADY_DONE", "NOT_NOW")
    mini.play(finished(1))
    assert paid(mini)[team_of(seat)] == 6
    blame = mini.fold.finished[0].outcome.blame
    assert blame is not None
    return Seen(ONCE, CHEAT, blame.fault.value)


@row("left: opens its seed before the end, to show its partner what it held", ONCE, CHEAT)
def _(seed: int) -> Seen:
    mini = has_left(seed)
    seat, deal = one(mini), mini.fold.deal
    assert deal is not None
    assert mini.say(seat, Open(mini.players[seat]._seed(deal))) == "EARLY_OPEN"
    mini.play(finished(1))
    assert paid(mini)[team_of(seat)] == 6
    return Seen(ONCE, CHEAT, "opened its seed before the end of the deal")


# Votes

tried("vote: about a partner", is_away, partner, about(LET_GO), about(CHARGE), about(NO_ANSWER))
tried("vote: about a seat that is not away", lambda s: owing(seed=s % 1000), voter, about(CHARGE))
tried("vote: to wait for one that has said goodbye", has_left, voter, about(WAIT))
tried("vote: after it was decided", is_lost, voter, about(CHARGE))
tried("witness: before its time", is_away, lambda m: max(opponents(one(m))), lambda m: Unheard(one(m), GRACE - 1))
tried("witness: against one that has said goodbye", has_left, lambda m: max(opponents(one(m))),
      lambda m: Unheard(one(m), GRACE))  # fmt: skip
tried("witness: against itself", is_away, one, lambda m: Unheard(one(m), GRACE))
tried("witness: against one that is not away", lambda s: owing(seed=s % 1000), voter, lambda m: Unheard(one(m), 900))


def _by_owner(seed: int) -> Mini:
    return is_away(seed, seat=1)


tried("witness: the host's own machine", _by_owner, lambda m: 0, lambda m: Unheard(1, 900))


def _with_bots(seed: int) -> Mini:
    return is_away(seed, seat=0, bots=(1,), answers=3)


tried("vote: a bot of the other team", _with_bots, lambda m: 1, about(LET_GO), about(CHARGE))
tried("witness: a bot", _with_bots, lambda m: 1, lambda m: Unheard(0, 900))
tried("pause: a bot", _with_bots, lambda m: 1, PauseClock(True))


def _voted(seed: int) -> Mini:
    mini = is_away(seed)
    mini.say(voter(mini), Vote(one(mini), CHARGE))
    return mini


tried("vote: twice", _voted, voter, about(LET_GO), about(CHARGE), about(NO_ANSWER), say="ALREADY_DONE")


def _waited_twice(seed: int) -> Mini:
    mini = owing(seed=seed % 1000)
    for _ in range(2):
        gone(mini)
        for seat in opponents(one(mini)):
            mini.say(seat, Vote(one(mini), WAIT))
    gone(mini)
    return mini


tried("vote: to wait a third time", _waited_twice, voter, about(WAIT))


def not_charged(name: str, at: Callable[[int], Mini], *says: Callable[[Mini], None]) -> None:
    """A row in which others try to make an honest seat pay; it is let go in the end, and nobody pays."""

    def play(seed: int) -> Seen:
        mini = at(seed)
        seat = one(mini)
        for say in says:
            say(mini)
        if seat not in mini.fold.lost and seat in mini.fold.away:
            mini.host(CloseVote(seat))
        mini.play(finished(1))
        assert all(done.charged is None for done in mini.fold.finished)
        assert sum(paid(mini)) == 0
        return Seen(R24, NOBODY, "let go")

    row(name, R24, NOBODY)(play)


def _all_charge(mini: Mini) -> None:
    for seat in opponents(one(mini)):
        mini.say(seat, Vote(one(mini), CHARGE))


def _one_charges(mini: Mini) -> None:
    mini.say(voter(mini), Vote(one(mini), CHARGE))


def _witnessed(mini: Mini) -> None:
    heard_nothing(mini, one(mini), max(s for s in SEATS if s not in (0, one(mini))))


not_charged("charge: by all, without a word of any machine", is_away, _all_charge)
not_charged("charge: by one, the other does not answer", is_away, _witnessed, _one_charges,
            lambda m: m.say(other_voter(m), Vote(one(m), NO_ANSWER)) and None)  # fmt: skip
not_charged("charge: by one, the other lets go", is_away, _witnessed, _one_charges,
            lambda m: m.say(other_voter(m), Vote(one(m), LET_GO)) and None)  # fmt: skip
not_charged("charge: the host closes the vote before the other has spoken", is_away, _witnessed, _one_charges)
not_charged("charge: with the word of one machine, where the host has no seat",
            lambda s: is_away(s, host=4), _witnessed, _all_charge)  # fmt: skip
not_charged("charge: while one of the other team has left too", is_away, _witnessed,
            lambda m: m.say(voter(m), Leave()) and None)  # fmt: skip


def _old_words(mini: Mini) -> None:
    """Evidence and votes of the vote before."""
    _witnessed(mini)
    mini.say(voter(mini), Vote(one(mini), CHARGE))
    mini.say(other_voter(mini), Vote(one(mini), WAIT))
    gone(mini)
    _all_charge(mini)
    assert one(mini) not in mini.fold.lost


not_charged("charge: with evidence from before the people waited", is_away, _old_words)


def _before_cards(stage: DealStage) -> Callable[[int], Mini]:
    def at(seed: int) -> Mini:
        mini = Mini(seed % 1000)
        mini.play(lambda fold: fold.deal is not None and fold.deal.stage is stage)
        mini.silent = {min(mini.fold.waits_for())}
        gone(mini)
        return mini

    return at


for _stage in (DealStage.SHUFFLE, DealStage.CUT, DealStage.LOCK):
    not_charged(f"charge: of a seat that is silent in the stage {_stage.name}", _before_cards(_stage))


# To gain by going


@row("leaving: right after it has seen its hand, in the stage KEYS", R24, CHEAT)
def _(seed: int) -> Seen:
    """From the lock on the others' keys show a seat its hand before it gives its own."""
    mini = Mini(seed % 1000)
    mini.play(lambda fold: fold.deal is not None and fold.deal.stage is DealStage.KEYS)
    seat = next(s for s in (1, 2, 3))
    mini.silent = {seat}
    mini.play(lambda fold: fold.deal is not None and fold.deal.waits_for() == {seat})
    gone(mini)
    _witnessed(mini)
    _all_charge(mini)
    mini.play(finished(1))
    assert paid(mini)[team_of(seat)] == 6
    return Seen(R24, CHEAT, "charged by the people")


@row("leaving: with a goodbye, in mid-deal", R24, CHEAT)
def _(seed: int) -> Seen:
    mini = has_left(seed)
    _all_charge(mini)
    mini.play(finished(1))
    assert paid(mini)[team_of(one(mini))] == 6
    return Seen(R24, CHEAT, "charged by the people")


@row("leaving: a doubled deal that goes badly costs 12", R24, CHEAT)
def _(seed: int) -> Seen:
    mini = owing(seed=seed % 1000, carried=DOUBLED)
    mini.say(one(mini), Leave())
    _all_charge(mini)
    mini.play(finished(1))
    assert paid(mini)[team_of(one(mini))] == 12
    return Seen(R24, CHEAT, "charged by the people")


@row("verdict: a false one on a doubled deal that was lost costs 12", ONCE, CHEAT)
def _(seed: int) -> Seen:
    """P9: it cost 6, and the deal was played again."""
    mini = Mini(seed % 1000, carried=DOUBLED)
    mini.play(finished(1))
    seat = next(s for s in SEATS if s not in mini.fold.finished[0].verdicts)
    false = Verdict((1, 119), (3, 4), (4, 0), 5, 0)
    assert mini.submit(mini.made(seat, false, deal=7)) == "FALSE_VERDICT"
    assert paid(mini)[team_of(seat)] == 12
    return Seen(ONCE, CHEAT, "signed a verdict that is not what the deal shows")


def _leading(fold: Fold) -> int:
    """A seat of the team that has more tricks: the other one is seldom far ahead."""
    return 1 - (losing(fold) or 0)


def _closed(seed: int, *, want: Callable[[Mini], bool], closed: Callable[[Fold], int | None] = losing) -> Mini:
    """A table after the last trick at which only the seat ``closed`` has not opened, and that is as is wanted: the
    first of a row of deals, long enough that every seed has one."""
    for attempt in range(200):
        mini = at_the_end((seed + 31 * attempt) % 100_000, closed)
        if want(mini):
            return mini
    raise AssertionError("no such deal")


def _is_behind(mini: Mini) -> bool:
    return real_result(mini)[team_of(one(mini))] < 40


def _is_ahead(mini: Mini) -> bool:
    return real_result(mini)[team_of(one(mini))] > 85


@row("opening: not of a deal that is lost, while answering every call; it counts", R24, CHEAT)
def _(seed: int) -> Seen:
    """P4: it was excused, void, and cost nothing."""
    mini = _closed(seed, want=_is_behind)
    seat = one(mini)
    gone(mini)
    mini.host(CloseVote(seat))
    done = mini.fold.finished[0]
    assert done.outcome.result is not None
    assert done.outcome.result.defeat[team_of(seat)] > 0
    mini.agree()
    return Seen(R24, CHEAT, "the deal is lost without its opening")


@row("opening: not of a deal that is lost, after a goodbye", R24, CHEAT)
def _(seed: int) -> Seen:
    mini = _closed(seed, want=_is_behind)
    seat = one(mini)
    mini.say(seat, Leave())
    mini.host(CloseVote(seat))
    assert paid(mini)[team_of(seat)] > 0
    return Seen(R24, CHEAT, "the deal is lost without its opening")


@row("opening: by neither of two partners who have lost", R24, CHEAT)
def _(seed: int) -> Seen:
    mini = _closed(seed, want=_is_behind)
    first = one(mini)
    for attempt in range(200):
        mini = Mini((seed + attempt) % 100_000)
        mini.play(lambda fold: fold.deal is not None and fold.deal.stage is DealStage.OPEN and not fold.deal.stopped)
        first = losing(mini.fold) or 0
        both = {first, (first + 2) % 4}
        deal = mini.fold.deal
        if deal is None or both & deal.seeds.keys() or real_result(mini)[team_of(first)] >= 40:
            continue
        mini.silent = both
        mini.play(lambda fold, both=both: fold.deal is not None and fold.deal.waits_for() == both)  # type: ignore[misc]
        for seat in sorted(both):
            mini.host(Away(seat, GRACE))
            mini.host(CloseVote(seat))
        assert mini.fold.finished[0].outcome.result is not None
        assert paid(mini)[team_of(first)] > 0
        return Seen(R24, CHEAT, "the deal is lost without their opening")
    raise AssertionError("no such deal")


@row("host: withholds the opening of a seat whose team is ahead; it does not lose", R24, NOBODY)
def _(seed: int) -> Seen:
    """P8: so a host without a second machine can make nobody pay."""
    mini = _closed(seed, want=_is_ahead, closed=_leading)
    gone(mini)
    mini.host(CloseVote(one(mini)))
    done = mini.fold.finished[0]
    assert done.outcome.result is None
    assert sum(paid(mini)) == 0
    return Seen(R24, NOBODY, "let go")


@row("opening: an opponent's machine keeps the bot of a team from opening; nobody pays", R24, NOBODY)
def _(seed: int) -> Seen:
    """Seat 2, of team 0, is a bot of seat 1's machine."""
    for attempt in range(80):
        mini = at_the_end((seed + attempt) % 100_000, lambda fold: 2, bots=(2,), answers=1)
        if real_result(mini)[0] < 50:
            gone(mini)
            mini.host(CloseVote(2))
            assert mini.fold.finished[0].outcome.result is None
            assert sum(paid(mini)) == 0
            return Seen(R24, NOBODY, "let go")
    raise AssertionError("no such deal")


@row("opening: late, after it was lost for; it changes nothing", REFUSED, NOBODY)
def _(seed: int) -> Seen:
    mini = _closed(seed, want=_is_behind)
    seat, deal = one(mini), mini.fold.deal
    assert deal is not None
    seed_bytes = mini.players[seat]._seed(deal)
    gone(mini)
    mini.host(CloseVote(seat))
    before = paid(mini)
    late = mini.made(seat, Open(seed_bytes), deal=deal.number)
    assert mini.both(late) in ("NOT_NOW", "OTHER_MATCH", "ALREADY_DONE")
    assert paid(mini) == before
    return Seen(REFUSED, NOBODY, "")


class _Marks(Changed):
    """Marks a card in its lock and does not open when it shows."""

    once = False

    def __init__(self) -> None:
        super().__init__((Lock,), _marked)

    def body(self, c: Schemer, body: Any) -> Any:
        """The marked lock, and no opening."""
        if self.done:
            return None if isinstance(body, Open) else body
        return super().body(c, body)


def _marked(c: Schemer, body: Any) -> Any:
    deck = [body.deck[i : i + 32] for i in range(0, len(body.deck), 32)]
    from goat_net.deck.curve import multiply_each

    deck[20] = multiply_each(12345, [deck[21]])[0]
    return Lock(b"".join(deck), body.hashes)


seat_cheat(
    "opening: not of a deck that it has spoilt itself; nobody else can have done it (turn 1)",
    (STOP, "audit"),
    _Marks,
    turn=1,
    cast=Cast(people=frozenset(SEATS)),
)


@row("leaving: a bot's operator takes both seats away at once; its own team pays", R24, OPERATOR)
def _(seed: int) -> Seen:
    """Seat 2 is a bot of seat 1's machine: team 0 would lose a player of its own."""
    mini = owing(2, seed=seed % 1000, bots=(2,), answers=1, host=4)
    gone(mini)
    heard_nothing(mini, 2, 0, 3)
    mini.say(0, Vote(2, CHARGE))
    mini.play(finished(1))
    assert paid(mini) == (0, 6)
    return Seen(R24, OPERATOR, "charged by the people")


# Pauses

tried("pause: on top of a pause", is_paused, lambda m: partner(m), PauseClock(True))
tried("pause: ended by a seat that is away", lambda s: _paused_by(s), one, PauseClock(False))


def _paused_by(seed: int) -> Mini:
    mini = is_away(seed)
    mini.say(voter(mini), PauseClock(True))
    return mini


def _two_pauses(seed: int) -> Mini:
    mini = owing(seed=seed % 1000)
    for _ in range(2):
        mini.say(voter(mini), PauseClock(True))
        mini.say(voter(mini), PauseClock(False))
    return mini


tried("pause: a third one in a deal", _two_pauses, voter, PauseClock(True))
tried("pause: none to be ended", lambda s: owing(seed=s % 1000), voter, PauseClock(False))


@row("pause: only one team wants it to end; it lasts until the host ends it", REFUSED, NOBODY)
def _(seed: int) -> Seen:
    mini = is_paused(seed)
    author = voter(mini)
    for seat in (one(mini), partner(mini)):
        mini.catch_up(seat)
        assert mini.submit(mini.made(seat, PauseClock(False))) == "good"
    assert mini.fold.paused == author
    mini.host(EndPause())
    assert mini.fold.paused is None
    mini.agree()
    return Seen(REFUSED, NOBODY, "")


@row("pause: an asked seat's answer is signed in it", REFUSED, NOBODY)
def _(seed: int) -> Seen:
    """P3: the right to take the lead over was gone when the pause was over."""
    for attempt in range(400):
        mini = Mini((seed + attempt) % 100_000)
        mini.play(lambda fold: bool(fold.finished) or asked(fold) is not None)
        seat = asked(mini.fold)
        if seat is not None:
            mini.say(next(s for s in SEATS if s != seat), PauseClock(True))
            assert mini.both(mini.made(seat, YieldPlay())) == "NOT_NOW"
            mini.catch_up(seat)
            assert not mini.players[seat].due(10_000.0)
            mini.agree()
            return Seen(REFUSED, NOBODY, "")
    raise AssertionError("nobody was asked")


# The host

refused_host("host: says that a silent seat is away one second early", lambda s: owing(seed=s % 1000),
             lambda m: Away(one(m), GRACE - 1))  # fmt: skip
refused_host("host: says twice that a seat is away", is_away, lambda m: Away(one(m), GRACE))
refused_host("host: says that a seat is away while it waits itself", is_away, lambda m: Away(voter(m), 900))
refused_host("host: says that a seat is away in a pause", is_paused, lambda m: Away(one(m), 900))
refused_host("host: closes a vote in a pause", lambda s: _paused_by(s), lambda m: CloseVote(one(m)))
refused_host("host: closes a vote that is over", is_lost, lambda m: CloseVote(one(m)))
refused_host("host: closes the vote about another seat", is_away, lambda m: CloseVote(voter(m)))
refused_host("host: ends a pause while somebody is away", is_away, lambda m: EndPause())


@row("host: says away and closes the vote at once, to save its own side; nobody pays", R24, NOBODY)
def _(seed: int) -> Seen:
    mini = is_away(seed)
    mini.host(CloseVote(one(mini)))
    mini.play(finished(1))
    assert sum(paid(mini)) == 0
    return Seen(R24, NOBODY, "let go")


# Coming back


@row("coming back: says again what it had signed before it was cut off; it counts once", REFUSED, NOBODY)
def _(seed: int) -> Seen:
    mini = owing(seed=seed % 1000)
    seat = one(mini)
    its_play(mini)
    raw = mini.players[seat].unconfirmed
    assert raw is not None
    mini.host(Away(seat, GRACE))
    assert mini.submit(raw) == "good"
    assert seat not in mini.fold.away
    assert mini.both(raw) == "COUNTER"
    mini.silent = set()
    mini.play(finished(1))
    assert sum(1 for r in mini.seen if r == raw) == 1
    return Seen(REFUSED, NOBODY, "")


@row("coming back: with another play under the number of the one that it had signed", ONCE, CHEAT)
def _(seed: int) -> Seen:
    mini = owing(seed=seed % 1000)
    seat = one(mini)
    its_play(mini)
    raw = mini.players[seat].unconfirmed
    assert raw is not None
    assert mini.submit(raw) == "good"
    assert mini.submit(mini.made(seat, Open(bytes(32)), counter=-1)) == "REUSED_COUNTER"
    mini.silent = set()
    mini.play(finished(1))
    assert paid(mini)[team_of(seat)] == 6
    return Seen(ONCE, CHEAT, "signed two records under one number")


@row("coming back: just after it was let go; the seat is somebody else's by then", REFUSED, NOBODY)
def _(seed: int) -> Seen:
    mini = is_away(seed)
    seat = one(mini)
    body = its_play(mini)
    mini.say(voter(mini), Vote(seat, LET_GO))
    assert mini.both(mini.made(seat, body)) == "NOT_NOW"
    mini.play(finished(1))
    assert mini.fold.stage is MatchStage.DEALS
    assert mini.agree()["lost"] == {seat: False}
    return Seen(REFUSED, NOBODY, "")


@row("coming back: while the people vote; it plays on and nobody pays", REFUSED, NOBODY)
def _(seed: int) -> Seen:
    mini = _voted(seed)
    seat = one(mini)
    its_play(mini)
    raw = mini.players[seat].unconfirmed
    assert raw is not None
    assert mini.submit(raw) == "good"
    assert mini.fold.votes == {}
    mini.silent = set()
    mini.play(finished(1))
    assert mini.fold.finished[0].outcome.result is not None
    return Seen(REFUSED, NOBODY, "")
