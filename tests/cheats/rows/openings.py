"""Cheats before the deals, with openings and with verdicts; used counters and foreign heads; who refuses to go on."""

from collections.abc import Callable
from typing import Any

from goat_engine.rules import team_of
from goat_net.log.absence_table import LET_GO
from goat_net.log.chain import parse_record
from goat_net.log.deal import DealStage
from goat_net.log.records import (
    Away,
    ClaimPlay,
    CloseVote,
    Commit,
    DiscardPlay,
    End,
    EndPause,
    Keys,
    Leave,
    Nonce,
    NonceCommit,
    Open,
    PauseClock,
    Refuse,
    Shuffle,
    Verdict,
    YieldPlay,
)
from tests.cheats.catalogue import (
    AUDIT,
    CHEAT,
    NOBODY,
    ONCE,
    OPERATOR,
    R24,
    REFUSED,
    STOP,
    Changed,
    Seen,
    beside,
    on,
    row,
    seat_cheat,
)
from tests.cheats.kit import Cast, CheatWorld, Scheme, Schemer, stage_of
from tests.cheats.rows.deck import deal_of
from tests.cheats.rows.plays import seat_of
from tests.net.mini import Mini

PEOPLE = Cast(people=frozenset(range(4)))

# Before the deals


@on(Nonce, when=ONCE, name="nonce: another than the one committed to (seat 1)", seat=1)
def _(c: Schemer, body: Any) -> Any:
    return Nonce(bytes(32))


class _CopiedNonce(Changed):
    """Copies the commitment to a nonce, and then the nonce."""

    def __init__(self) -> None:
        super().__init__((NonceCommit, Nonce), self._change)
        self.once = False

    def _change(self, c: Schemer, body: Any) -> Any:
        fold = c.fold
        if isinstance(body, NonceCommit):
            return NonceCommit(next(iter(fold.nonce_commits.values()))) if fold.nonce_commits else None
        if not fold.nonces:
            return None
        victim = next(
            (s for s, h in fold.nonce_commits.items() if s != c.seat and h == fold.nonce_commits[c.seat or 0])
        )
        if victim not in fold.nonces:
            return None
        self.mark(c)
        return Nonce(fold.nonces[victim])


seat_cheat("nonce: another's commitment copied, then their nonce (seat 2)", ONCE, _CopiedNonce, seat=2)

# Opening

for stage, turn in (
    (DealStage.SHUFFLE, 0),
    (DealStage.CUT, 1),
    (DealStage.LOCK, 2),
    (DealStage.KEYS, 3),
    (DealStage.PLAY, 0),
):

    @beside(ONCE, f"opening: while the deal is at {stage.name} (turn {turn})", turn=turn)
    def _(c: Schemer, stage: DealStage = stage) -> Any:
        return Open(c._seed(deal_of(c))) if stage_of(c.fold) is stage else None


@on(Commit, when=ONCE, name="opening: instead of a commitment (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    return Open(c._seed(deal_of(c)))


for turn in (0, 3):

    @on(Open, when=ONCE, name=f"opening: another seed (turn {turn})", turn=turn)
    def _(c: Schemer, body: Any) -> Any:
        return Open(bytes(32))


@on(Open, when=ONCE, name="opening: the seed of another deal (seat 1)", seat=1, deal=2)
def _(c: Schemer, body: Any) -> Any:
    return Open(c.fold.finished[-1].deal.seeds[1])  # type: ignore[arg-type]


@on(Open, when=ONCE, name="opening: the seed that another has opened (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    seeds = [s for s in deal_of(c).seeds.values() if s]
    return Open(seeds[0]) if seeds else None


class _Silent(Scheme):
    """Says nothing more from a kind of record on."""

    once = False

    def __init__(self, *kinds: type) -> None:
        super().__init__()
        self.kinds = kinds

    def body(self, c: Schemer, body: Any) -> Any:
        """Nothing, from that record on."""
        if isinstance(body, self.kinds) and not self.done:
            self.mark(c)
        return None if self.done else body

    def over(self, c: Schemer) -> bool:
        """Never again."""
        return False


def _excuse(world: CheatWorld) -> None:
    world.votes = dict.fromkeys(range(4), LET_GO)


def _reached(world: CheatWorld) -> None:
    world.unreached = dict.fromkeys(range(4), False)


seat_cheat("opening: refused; charged by all (turn 1)", R24, lambda: _Silent(Open), turn=1, cast=PEOPLE)
seat_cheat(
    "opening: refused; excused by all (turn 2)",
    R24,
    lambda: _Silent(Open),
    turn=2,
    cast=PEOPLE,
    who=NOBODY,
    staged=_excuse,
)
seat_cheat(
    "opening: refused, and no machine bears witness: who has lost for certain has lost (turn 0)",
    R24,
    lambda: _Silent(Open),
    turn=0,
    cast=PEOPLE,
    staged=_reached,
    occasion=lambda world: world.judged.finished[0].outcome.result is not None,
)
seat_cheat(
    "opening: refused, and no machine bears witness: otherwise nobody pays (turn 0)",
    R24,
    lambda: _Silent(Open),
    turn=0,
    cast=PEOPLE,
    who=NOBODY,
    staged=_reached,
    occasion=lambda world: world.judged.finished[0].outcome.result is None,
)
seat_cheat("commitment: refused (turn 3)", R24, lambda: _Silent(Commit), turn=3, cast=PEOPLE, who=NOBODY)

# Verdicts


def _blames(entry: int) -> Any:
    def change(c: Schemer, body: Any) -> Any:
        return Verdict((0, 0), (0, 0), (0, 0), (seat_of(c) + 1) % 4, entry)

    return change


for turn in range(4):
    on(Verdict, when=ONCE, name=f"verdict: blames an honest seat (turn {turn})", turn=turn)(_blames(20))


@on(Verdict, when=ONCE, name="verdict: other points (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    a, b = body.points
    return Verdict((b, a), body.tricks, body.defeat, body.blamed, body.entry) if a != b else ...


@on(Verdict, when=ONCE, name="verdict: other defeat points (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    return Verdict(body.points, body.tricks, (6, 6), body.blamed, body.entry)


@on(Verdict, when=ONCE, name="verdict: nobody's fault, of a deal that was good (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    return Verdict((0, 0), (0, 0), (0, 0), 5, 0)


@on(
    Verdict,
    when=ONCE,
    name="verdict: false, and the others' right ones come after it (turn 1)",
    turn=1,
    staged=lambda w: setattr(w, "hold", _others_verdicts),
)
def _(c: Schemer, body: Any) -> Any:
    return Verdict(body.points, body.tricks, (6, 0), body.blamed, body.entry)


def _others_verdicts(world: CheatWorld) -> set[int]:
    fold, scheme = world.table.fold, world.scheme
    if fold is None or scheme is None or not fold.finished or fold.finished[-1].deal.number != 1:
        return set()
    seat = world.cheat_seat(fold) if scheme.seat is None else scheme.seat
    if seat is None:
        seat = fold.finished[-1].deal.order[world.turn]
    return set() if seat in fold.finished[-1].verdicts else {0, 1, 2, 3} - {seat}


seat_cheat(
    "verdict: missing, and so the next commitment; nobody pays before cards are out (turn 2)",
    R24,
    lambda: _Silent(Verdict),
    turn=2,
    cast=PEOPLE,
    until=2,
    who=NOBODY,
)


class _Twice(Scheme):
    """Sends one record, and beside it another under the same counter, or under the next one."""

    def __init__(self, on_kind: type, other: Any, *, same: bool = True, later: bool = False) -> None:
        super().__init__()
        self.on_kind, self.other, self.same, self.later = on_kind, other, same, later

    def body(self, c: Schemer, body: Any) -> Any:
        """The first record goes out as it is."""
        if isinstance(body, self.on_kind) and "at" not in self.notes:
            self.notes["at"] = (c.fold.counters[seat_of(c)], deal_of(c).number if c.fold.deal else 0)
        return body

    def raw(self, c: Schemer) -> list[bytes]:
        """The second one, when the first is in the log."""
        at, number = self.notes.get("at", (None, 0))
        if at is None or self.done or c.fold.counters[seat_of(c)] <= at:
            return []
        if self.later and (c.fold.deal is None or c.fold.deal.number == number):
            return []
        if not self.same and c.unconfirmed is not None:
            return []
        counter = at if self.same else c.fold.counters[seat_of(c)]
        other = self.other(c) if callable(self.other) else self.other
        self.mark(c)
        self.counter = counter
        if not self.same:
            raw = c.sign(other)
            c.unconfirmed = raw  # the machine waits for the answer, as for every record
            return [raw]
        return [c.sign(other, counter=counter, deal=number)]


def _verdict(c: Schemer) -> Any:
    return Verdict((0, 0), (0, 0), (0, 0), (seat_of(c) + 1) % 4, 9)


seat_cheat(
    "verdict: two, the second under the same counter (seat 0)", ONCE, lambda: _Twice(Verdict, _verdict), seat=0, deal=2
)
seat_cheat(
    "verdict: two, the second under the next counter (seat 3)",
    REFUSED,
    lambda: _Twice(Verdict, _verdict, same=False),
    seat=3,
    deal=2,
    who=NOBODY,
)

# Used counters, heads

for kind, other, turn in (
    (Commit, Commit(bytes(32)), 0),
    (Open, Open(bytes(32)), 1),  # it stops the next deal when this one is over already
):
    seat_cheat(
        f"counter: other bytes for one used by {kind.__name__} (turn {turn})",
        ONCE,
        lambda kind=kind, other=other: _Twice(kind, other),
        turn=turn,
        until=2 if kind is Open else 1,
    )  # type: ignore[misc]
seat_cheat(
    "counter: other bytes for one used in the deal before (seat 2)",
    ONCE,
    lambda: _Twice(Open, Leave(), later=True),
    seat=2,
    deal=2,
    until=3,
)
seat_cheat(
    "counter: another record before the match id, under a used counter (seat 1)",
    ONCE,
    lambda: _Twice(NonceCommit, NonceCommit(bytes(32))),
    seat=1,
)


class _Raw(Scheme):
    """Sends one record of its own making when the deal is at a stage."""

    def __init__(self, stage: DealStage, make: Any) -> None:
        super().__init__()
        self.stage, self.make = stage, make

    def raw(self, c: Schemer) -> list[bytes]:
        """That record."""
        if self.done or stage_of(c.fold) is not self.stage or c.unconfirmed is not None:
            return []
        self.mark(c)
        raw: bytes = self.make(c)
        return [raw]


def _foreign(c: Schemer) -> bytes:
    raw = c.sign(PauseClock(True), seen=3, seen_head=bytes(32))
    c.unconfirmed = raw
    return raw


seat_cheat(
    "head: a foreign one, without the host's signature (turn 1)", ONCE, lambda: _Raw(DealStage.CUT, _foreign), turn=1
)
seat_cheat("head: a foreign one, during the play (turn 2)", ONCE, lambda: _Raw(DealStage.PLAY, _foreign), turn=2)


# What only the host may say, signed by a seat: as an offence it is entered, and nothing else comes of it


def _as_host(c: Schemer, kind: type) -> Any:
    other = (seat_of(c) + 1) % 4
    words: dict[type, tuple[Any, ...]] = {
        Refuse: (other, c.fold.counters[other], bytes(32), 64), Away: (other, 86_400), CloseVote: (other,),
        EndPause: (), End: (2,),
    }  # fmt: skip
    return kind(*words[kind])


def _as_host_with_head(kind: type) -> Callable[[Schemer], bytes]:
    def make(c: Schemer) -> bytes:
        raw = c.sign(_as_host(c, kind), seen=3, seen_head=bytes(32))
        c.unconfirmed = raw
        return raw

    return make


for number, kind in enumerate((Refuse, Away, CloseVote, End, EndPause)):
    seat_cheat(
        f"host's word: {kind.__name__} by a seat, on a foreign head (turn {number})",
        ONCE,
        lambda kind=kind: _Raw(DealStage.PLAY, _as_host_with_head(kind)),
        turn=number % 4,
    )  # type: ignore[misc]
    seat_cheat(
        f"host's word: {kind.__name__} by a seat, under a used counter (turn {number})",
        ONCE,
        lambda kind=kind: _Twice(Commit, lambda c: _as_host(c, kind)),
        turn=number % 4,
    )  # type: ignore[misc]


def _backward(c: Schemer) -> bytes:
    raw = c.sign(PauseClock(True), seen=1, seen_head=c.fold.chain.heads[1])
    c.unconfirmed = raw
    return raw


seat_cheat(
    "head: an older one than it had seen before (turn 3)",
    REFUSED,
    lambda: _Raw(DealStage.LOCK, _backward),
    turn=3,
    who=NOBODY,
)
seat_cheat(
    "head: one that is still to come; not answered (turn 0)",
    REFUSED,
    lambda: _Raw(DealStage.LOCK, lambda c: c.sign(PauseClock(True), seen=90_000, seen_head=bytes(32))),
    turn=0,
    who=NOBODY,
)
seat_cheat(
    "counter: one that is still to come; not answered (turn 1)",
    REFUSED,
    lambda: _Raw(DealStage.LOCK, lambda c: c.sign(PauseClock(True), counter=9_000)),
    turn=1,
    who=NOBODY,
)
seat_cheat(
    "record: of another match (turn 2)",
    REFUSED,
    lambda: _Raw(DealStage.PLAY, lambda c: c.sign(YieldPlay(), match_id=bytes(32))),
    turn=2,
    who=NOBODY,
)


def _other_deal(c: Schemer) -> bytes:
    raw = c.sign(ClaimPlay(0), deal=7)
    c.unconfirmed = raw
    return raw


seat_cheat("record: of another deal (turn 3)", REFUSED, lambda: _Raw(DealStage.PLAY, _other_deal), turn=3, who=NOBODY)

class _Again(Scheme):
    """Hands in once more, byte for byte, what is in the log already."""

    def raw(self, c: Schemer) -> list[bytes]:
        """The last record of its own in the log."""
        if self.done or stage_of(c.fold) is not DealStage.PLAY or c.unconfirmed is not None:
            return []
        entries = [e.record for e in c.fold.chain.entries]
        mine = [raw for raw in entries if parse_record(raw).author == c.seat]
        self.mark(c)
        return mine[-1:]


seat_cheat("record: the same bytes once more; not answered (turn 0)", REFUSED, _Again, turn=0, who=NOBODY)
seat_cheat(
    "commitment: a second one under the next counter (turn 1)",
    REFUSED,
    lambda: _Twice(Commit, Commit(bytes(32)), same=False),
    turn=1,
    who=NOBODY,
)
seat_cheat(
    "opening: a second one under the next counter, before the others have opened (turn 0)",
    REFUSED,
    lambda: _Twice(Open, lambda c: Open(bytes(32)), same=False),
    turn=0,
    who=NOBODY,
    occasion=lambda w: w.scheme is not None and w.scheme.deal == 1,
)
seat_cheat(
    "verdict: of a deal that is not over (turn 2)",
    REFUSED,
    lambda: _Raw(DealStage.PLAY, lambda c: _waited(c, c.sign(Verdict((60, 60), (1, 1), (0, 0), 5, 0)))),
    turn=2,
    who=NOBODY,
)


def _waited(c: Schemer, raw: bytes) -> bytes:
    c.unconfirmed = raw
    return raw


# Together


@row("verdict: three seats blame the fourth; each is named for it, the fourth is not", ONCE, CHEAT)
def _(seed: int) -> Seen:
    """Verdicts are testimony and no votes."""
    mini = Mini(seed)
    mini.play(lambda fold: fold.deal is not None and fold.deal.stage is DealStage.OPEN)
    mini.play(lambda fold: len(fold.finished) > 0)
    fold = mini.fold
    done = fold.finished[-1]
    assert not done.verdicts
    assert done.outcome.result is not None
    entry = next(n for n, e in enumerate(fold.chain.entries) if parse_record(e.record).author == 2 and n > 10)
    liars = [0, 1, 3]
    mini.rng.shuffle(liars)
    for seat in liars:
        raw = mini.made(seat, Verdict((0, 0), (0, 0), (0, 0), 2, entry), deal=done.deal.number)
        assert mini.submit(raw) == "FALSE_VERDICT"
    assert mini.submit(mini.made(2, done.right, deal=done.deal.number)) == "good"
    mini.agree()
    assert [o.seat for o in fold.offences] == liars
    blame = done.outcome.blame
    assert blame is not None
    assert blame.seat == liars[0]
    assert done.charged == team_of(liars[0])
    return Seen(ONCE, CHEAT, blame.fault.value)


# Bots


@on(
    Open,
    when=ONCE,
    who=OPERATOR,
    name="a bot cheats against its operator's opponents: another seed (seat 1 of seat 0)",
    seat=1,
    cast=Cast(people=frozenset({0}), operators={1: 0, 2: 0, 3: 0}),
)
def _(c: Schemer, body: Any) -> Any:
    return Open(bytes(32))


@on(
    Verdict,
    when=ONCE,
    who=OPERATOR,
    name="a bot blames its operator's opponent (seat 3 of seat 2)",
    seat=3,
    cast=Cast(people=frozenset({0, 1, 2}), operators={3: 2}),
)
def _(c: Schemer, body: Any) -> Any:
    return Verdict((0, 0), (0, 0), (0, 0), 1, 30)


@on(
    Keys,
    when=ONCE,
    who=OPERATOR,
    name="a bot cheats for its operator's opponents: false keys (seat 2 of seat 1)",
    seat=2,
    cast=Cast(people=frozenset({0, 1, 3}), operators={2: 1}),
)
def _(c: Schemer, body: Any) -> Any:
    return Keys(bytes([body.keys[0] ^ 1]) + body.keys[1:], body.indicator)


@on(
    Shuffle,
    when=(STOP, AUDIT),
    who=OPERATOR,
    name="a bot stacks the deck for its operator (seat 1 of seat 0)",
    seat=1,
    cast=Cast(people=frozenset({0, 3}), operators={1: 0, 2: 0}),
)
def _(c: Schemer, body: Any) -> Any:
    deck = [body.deck[i : i + 32] for i in range(0, len(body.deck), 32)]
    return Shuffle(b"".join([*deck[1:], deck[0]]))


@on(
    DiscardPlay,
    when=AUDIT,
    who=OPERATOR,
    name="a bot discards nothing (seat 3 of seat 0)",
    seat=3,
    cast=Cast(people=frozenset({0, 1}), operators={2: 1, 3: 0}),
)
def _(c: Schemer, body: Any) -> Any:
    return DiscardPlay(bytes(len(body.commitments)))
