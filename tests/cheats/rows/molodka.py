"""Cheats with a molodka: false claims, cards that came back, overtaken plays, yields and claims replaced."""

from typing import Any

from goat_engine.state import Phase
from goat_net.deck.seeds import format_key
from goat_net.log.chain import parse_record
from goat_net.log.deal import DealFold, DealStage
from goat_net.log.records import BeatPlay, ClaimPlay, DiscardPlay, LeadPlay, ShowPlay, YieldPlay
from tests.cheats.catalogue import AUDIT, NOBODY, ONCE, R24, REFUSED, Changed, seat_cheat
from tests.cheats.kit import Cards, CheatWorld, Scheme, Schemer, Wanted, hands_of, has_molodka
from tests.cheats.rows.deck import deal_of, run
from tests.cheats.rows.openings import PEOPLE, _Twice
from tests.cheats.rows.plays import commit, seat_of


def molodka_of(turn: int) -> Wanted:
    """A deck in which the seat at this place of the order is dealt four of a suit, and no other seat is."""

    def wanted(cards: Cards, deal: DealFold) -> bool:
        hands = hands_of(cards, deal)
        return all(has_molodka(hands[s]) == (place == turn) for place, s in enumerate(deal.order))

    return wanted


def claims(*turns: int, late: int = 0) -> Any:
    """Stage: these seats claim as soon as they may; ``late``: their claims wait for so many plays on the table."""

    def staged(world: CheatWorld) -> None:
        def hold(w: CheatWorld) -> set[int]:
            fold = w.table.fold
            deal = None if fold is None else fold.deal
            if deal is None:
                return set()
            w.claims = {deal.order[t] for t in turns}
            first = deal.number == 1 and deal.may_play and deal.state is not None and not deal.state.tricks
            waits = first and deal.state is not None and len(deal.state.plays) < late and deal.state.claimant is None
            return set(w.claims) if waits else set()

        world.hold = hold

    return staged


def overtaken(turn: int, claimant: int) -> Any:
    """Stage: the play of the seat at ``turn`` is held back until the claim is in the log."""

    def staged(world: CheatWorld) -> None:
        def hold(w: CheatWorld) -> set[int]:
            fold = w.table.fold
            deal = None if fold is None else fold.deal
            if deal is None or deal.state is None or not deal.may_play or deal.number != 1 or deal.state.tricks:
                return set()
            before = deal.state.claimant is None and deal.state.phase in (Phase.LEAD, Phase.ANSWER)
            seat = deal.order[turn]
            ready = deal.state.turn == seat and any(True for _ in w.seated[seat].up)
            w.claims = {deal.order[claimant]} if ready else set()
            if ready:
                w.seated[deal.order[claimant]].act()
            return {seat} if before else set()

        world.hold = hold

    return staged


# False claims


class FalseClaim(Scheme):
    """Claims a molodka without one; what it then shows is made by ``show`` (None: nothing)."""

    once = False

    def __init__(self, show: Any) -> None:
        super().__init__()
        self.show = show

    def idle(self, c: Schemer) -> Any:
        """The claim, on an empty table that another seat is to lead on."""
        deal = c.fold.deal
        if self.done or deal is None or deal.state is None or not deal.may_play or c.own is None:
            return None
        state, seat = deal.state, seat_of(c)
        free = state.phase is Phase.LEAD and state.entitled != seat and state.hand_size(seat) == 4
        view = c.view
        return ClaimPlay(len(state.tricks)) if free and view is not None and not view.molodka else None

    def body(self, c: Schemer, body: Any) -> Any:
        """What is shown."""
        if not isinstance(body, ShowPlay) or not self.done:
            return body
        other = self.show(c)
        if other is not None:
            self.mark(c)
        return other


def _hand(c: Schemer) -> tuple[int, ...]:
    view = c.view
    assert view is not None
    return tuple(s for s, _ in view.hand)


for turn in (1, 2, 3):
    seat_cheat(
        f"claim: without a molodka; its own four cards shown (turn {turn})",
        ONCE,
        lambda: FalseClaim(lambda c: ShowPlay(_hand(c), c._run(_hand(c)))),
        turn=turn,
    )


def _partners(c: Schemer) -> Any:
    deal = deal_of(c)
    assert deal.state is not None
    slots = (*_hand(c)[:3], deal.state.hands[(seat_of(c) + 2) % 4][0])
    return ShowPlay(slots, c._run(slots))


seat_cheat(
    "claim: without a molodka; a card of the partner shown with it (turn 1)",
    ONCE,
    lambda: FalseClaim(_partners),
    turn=1,
)
seat_cheat(
    "claim: without a molodka; false keys shown (turn 2)",
    ONCE,
    lambda: FalseClaim(lambda c: ShowPlay(_hand(c), run(format_key(c.secrets.k[s] ^ 1) for s in _hand(c)))),
    turn=2,
)
seat_cheat(
    "claim: without a molodka; nothing shown; charged by all (turn 3)",
    R24,
    lambda: FalseClaim(lambda c: None),
    turn=3,
    cast=PEOPLE,
)


class TakesOver(FalseClaim):
    """When it is asked, takes the lead over without a molodka, where it should let the other's stand."""

    def idle(self, c: Schemer) -> Any:
        """Nothing by itself."""
        return None

    def body(self, c: Schemer, body: Any) -> Any:
        """The claim in place of the yield, and what is shown."""
        if isinstance(body, YieldPlay) and not self.done:
            self.mark(c)
            return ClaimPlay(len(deal_of(c).state.tricks))  # type: ignore[union-attr]
        return super().body(c, body)


def _claimed(world: CheatWorld) -> bool:
    """Whether the false claim is in the log: one of a hand that all can see is none is refused like any other."""
    assert world.scheme is not None
    records = [parse_record(e.record) for e in world.judged.chain.entries]
    return any(isinstance(r.body, ClaimPlay) and r.author == world.scheme.seat for r in records)


for turn in (1, 2):
    seat_cheat(
        f"claim: when asked, without a molodka; its own four cards shown (turn {turn})",
        ONCE,
        lambda: TakesOver(lambda c: ShowPlay(_hand(c), c._run(_hand(c)))),
        turn=turn,
        wanted=molodka_of(3),
        staged=claims(3),
        occasion=_claimed,
    )
seat_cheat(
    "claim: when asked, without a molodka; nothing shown; charged by all (turn 1)",
    R24,
    lambda: TakesOver(lambda c: None),
    turn=1,
    wanted=molodka_of(3),
    staged=claims(3),
    cast=PEOPLE,
    occasion=_claimed,
)


class ClaimsDiscarded(Scheme):
    """Dealt four of a suit, discards one of them face down, and later shows it among the four of a claim."""

    once = False

    def body(self, c: Schemer, body: Any) -> Any:
        """The discard, then what is shown."""
        deal = deal_of(c) if c.fold.deal is not None else None
        if deal is None or deal.state is None:
            return body
        first = not deal.state.tricks and deal.state.phase is Phase.ANSWER and "four" not in self.notes
        if isinstance(body, DiscardPlay | BeatPlay | ClaimPlay) and first:
            self.notes["four"] = _hand(c)
            laid = _hand(c)[: len(deal.state.plays[0].slots)]
            return DiscardPlay(run(commit(c, i, s) for i, s in enumerate(laid)))
        if isinstance(body, ShowPlay) and "claimed" in self.notes:
            self.mark(c)
            return ShowPlay(self.notes["four"], c._run(self.notes["four"]))
        return body

    def idle(self, c: Schemer) -> Any:
        """The claim, before it plays another of the four."""
        deal, four = c.fold.deal, self.notes.get("four")
        if four is None or "claimed" in self.notes or deal is None or deal.state is None or not deal.may_play:
            return None
        state = deal.state
        if len(state.tricks) != 1 or state.phase is not Phase.LEAD or state.entitled == c.seat:
            return None
        self.notes["claimed"] = True
        return ClaimPlay(1)

    def mark(self, c: Schemer) -> None:
        """What is shown is the cheat."""
        if "claimed" in self.notes and deal_of(c).state.phase is Phase.SHOW:  # type: ignore[union-attr]
            super().mark(c)


seat_cheat(
    "claim: a card that it had discarded face down shown among the four (turn 1)",
    AUDIT,
    ClaimsDiscarded,
    turn=1,
    wanted=molodka_of(1),
)


class LateClaim(Scheme):
    """Claims over a molodka that lies on the table."""

    def idle(self, c: Schemer) -> Any:
        """The claim."""
        deal = c.fold.deal
        if (
            deal is None
            or deal.state is None
            or not deal.may_play
            or not deal.state.molodka
            or deal.state.turn == c.seat
        ):
            return None
        return ClaimPlay(len(deal.state.tricks)) if deal.state.phase is Phase.ANSWER else None


seat_cheat(
    "claim: over a molodka that lies (turn 1)",
    REFUSED,
    LateClaim,
    turn=1,
    wanted=molodka_of(3),
    staged=claims(3),
    who=NOBODY,
)



class _While(Scheme):
    """Sends one record when ``now`` says so, though the machine owes nothing."""

    def __init__(self, now: Any, make: Any) -> None:
        super().__init__()
        self.now, self.make = now, make

    def raw(self, c: Schemer) -> list[bytes]:
        """That record."""
        deal = c.fold.deal
        if self.done or deal is None or deal.state is None or c.unconfirmed is not None or not self.now(c, deal):
            return []
        self.mark(c)
        c.unconfirmed = c.sign(self.make(c))
        return [c.unconfirmed]


def _keys_missing(c: Schemer, deal: DealFold) -> bool:
    """Whether this seat has given its keys of a draw and another one has not yet."""
    return deal.stage is DealStage.PLAY and bool(deal.owed) and c.seat not in deal.owed


def _first(c: Schemer) -> LeadPlay:
    slot = deal_of(c).state.hands[seat_of(c)][0]  # type: ignore[union-attr]
    return LeadPlay((slot,), c._run((slot,)))


seat_cheat(
    "claim: before all keys of the draw are there (turn 2)",
    REFUSED,
    lambda: _While(_keys_missing, lambda c: ClaimPlay(len(deal_of(c).state.tricks))),  # type: ignore[union-attr]
    turn=2,
    who=NOBODY,
)
seat_cheat(
    "lead: before all keys of the draw are there (turn 1)",
    REFUSED,
    lambda: _While(lambda c, d: _keys_missing(c, d) and d.state.turn == c.seat, _first),
    turn=1,
    who=NOBODY,
)
seat_cheat(
    "yield: by a seat that is not asked (turn 3)",
    REFUSED,
    lambda: _While(lambda c, d: d.state.phase is Phase.ANSWER and d.state.turn != c.seat, lambda c: YieldPlay()),
    turn=3,
    who=NOBODY,
)
seat_cheat(
    "show: four cards without a claim (turn 2)",
    REFUSED,
    lambda: _While(
        lambda c, d: d.state.phase is Phase.ANSWER and d.state.hand_size(c.seat) == 4 and c.own is not None,
        lambda c: ShowPlay(_hand(c), c._run(_hand(c))),
    ),
    turn=2,
    who=NOBODY,
)

# Cards that came back


class CameBack(Changed):
    """Discards before a claim; when its cards have come back, uses what it had discarded in a way that is none."""

    def __init__(self, how: str) -> None:
        super().__init__((DiscardPlay, BeatPlay, LeadPlay), self._change)
        self.how = how

    def _change(self, c: Schemer, body: Any) -> Any:
        deal = deal_of(c)
        assert deal.state is not None
        if isinstance(body, LeadPlay):
            return ...
        if "first" not in self.notes:
            if deal.state.claimant is not None:
                return ...
            slot = _hand(c)[0]
            count = len(deal.state.plays[0].slots)
            slots = _hand(c)[:count]
            made = DiscardPlay(run(commit(c, i, s) for i, s in enumerate(slots)))
            self.notes["first"] = (slot, made.commitments)
            return made
        slot, old = self.notes["first"]
        if deal.state.claimant is None:
            return ...
        self.mark(c)
        if self.how == "twice":
            others = [s for s in _hand(c) if s != slot][:2]
            return DiscardPlay(run(commit(c, i, s) for i, s in enumerate((slot, slot, *others))))
        right = [commit(c, i, s) for i, s in enumerate(_hand(c))]
        return DiscardPlay(run([old[:32], *right[1:]]))

    def mark(self, c: Schemer) -> None:
        """Only the second discard is the cheat."""
        if "first" in self.notes and deal_of(c).state.claimant is not None:  # type: ignore[union-attr]
            super().mark(c)


for how, turn in (("twice", 1), ("twice", 2), ("old commitment", 1)):
    seat_cheat(
        f"discard that a molodka sent back: {how} (turn {turn})",
        AUDIT,
        lambda how=how: CameBack(how),  # type: ignore[misc]
        turn=turn,
        wanted=molodka_of(3),
        staged=claims(3, late=turn + 1),
    )

# Overtaken plays (R17a)


def was_overtaken(world: CheatWorld) -> bool:
    """Whether the cheat's play was made before the claim was seen and entered after it."""
    fold, scheme = world.judged, world.scheme
    assert scheme is not None
    records = [parse_record(e.record) for e in fold.chain.entries]
    mine = next(n for n, r in enumerate(records) if (r.author, r.counter) == (scheme.seat, scheme.counter))
    claim = next((n for n, r in enumerate(records) if isinstance(r.body, ClaimPlay)), None)
    return claim is not None and records[mine].seen <= claim < mine


class Overtaken(Changed):
    """The first play of the deal, which a claim will overtake."""

    def __init__(self, change: Any) -> None:
        super().__init__((LeadPlay, BeatPlay, DiscardPlay), change)


seat_cheat(
    "overtaken lead: a false key (turn 0)",
    ONCE,
    lambda: Overtaken(lambda c, b: LeadPlay(b.slots, format_key(c.secrets.k[b.slots[0]] ^ 1) + b.keys[32:])),
    turn=0,
    wanted=molodka_of(2),
    staged=overtaken(0, 2),
    occasion=was_overtaken,
)
seat_cheat(
    "overtaken lead: another's slot (turn 0)",
    ONCE,
    lambda: Overtaken(lambda c, b: LeadPlay((c.own.hands[(seat_of(c) + 1) % 4][0],), c._run((0,)))),
    turn=0,
    wanted=molodka_of(1),
    staged=overtaken(0, 1),
    occasion=was_overtaken,
)


def _nothing(c: Schemer, body: Any) -> Any:
    state = deal_of(c).state
    assert state is not None
    return DiscardPlay(bytes(32) * len(state.plays[0].slots)) if state.plays else ...


def _partners_slot(c: Schemer, body: Any) -> Any:
    state = deal_of(c).state
    assert state is not None
    if not state.plays:
        return ...
    theirs = state.hands[(seat_of(c) + 2) % 4]
    return DiscardPlay(run(commit(c, i, theirs[i]) for i in range(len(state.plays[0].slots))))


seat_cheat(
    "overtaken discard: committed to nothing (turn 1)",
    AUDIT,
    lambda: Overtaken(_nothing),
    turn=1,
    wanted=molodka_of(3),
    staged=overtaken(1, 3),
    occasion=was_overtaken,
)
seat_cheat(
    "overtaken discard: another's slot (turn 1)",
    AUDIT,
    lambda: Overtaken(_partners_slot),
    turn=1,
    wanted=molodka_of(2),
    staged=overtaken(1, 2),
    occasion=was_overtaken,
)


class Backdated(Scheme):
    """After its answer to a claim, a play that pretends not to have seen the claim."""

    def raw(self, c: Schemer) -> list[bytes]:
        """The play, with an older head."""
        deal = c.fold.deal
        if self.done or deal is None or deal.before_claim is None or c.unconfirmed is not None or c.own is None:
            return []
        state, claimed_at, _ = deal.before_claim
        if c.fold.seen[seat_of(c)] <= claimed_at or state.turn != c.seat or deal.stage is not DealStage.PLAY:
            return []
        self.mark(c)
        slots = (c.own.hands[seat_of(c)][0],)
        raw = c.sign(LeadPlay(slots, c._run(slots)), seen=claimed_at, seen_head=c.fold.chain.heads[claimed_at])
        c.unconfirmed = raw
        return [raw]


seat_cheat(
    "overtaken lead: pretended, after the claim was answered (turn 0)",
    REFUSED,
    Backdated,
    turn=0,
    wanted=molodka_of(2),
    staged=claims(2),
    who=NOBODY,
)

# Answers replaced


def _claim(c: Schemer) -> Any:
    return ClaimPlay(0)


seat_cheat(
    "yield: replaced by a claim under the same counter (turn 1)",
    ONCE,
    lambda: _Twice(YieldPlay, _claim),
    turn=1,
    wanted=molodka_of(3),
    staged=claims(3),
)
seat_cheat(
    "yield: followed by a claim under the next counter (turn 1)",
    REFUSED,
    lambda: _Twice(YieldPlay, _claim, same=False),
    turn=1,
    wanted=molodka_of(3),
    staged=claims(3),
    who=NOBODY,
)
seat_cheat(
    "claim: replaced by a yield under the same counter (turn 2)",
    ONCE,
    lambda: _Twice(ClaimPlay, YieldPlay()),
    turn=2,
    wanted=molodka_of(2),
    staged=claims(2),
)
seat_cheat(
    "claim: replaced by a claim of another trick under the same counter (turn 3)",
    ONCE,
    lambda: _Twice(ClaimPlay, ClaimPlay(3)),
    turn=3,
    wanted=molodka_of(3),
    staged=claims(3),
)
