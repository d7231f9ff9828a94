"""A table in this process: the engine, bots, and a `Session` for one person. No network.

Used for lessons, for practice from a deal code, and by tests. The person's view is built as a seat's own fold, from
the slots that seat may know, so a screen can't see more here than at a real table.
"""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from goat_engine import match as matches
from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Refusal, Show, Slot, Yield
from goat_engine.audit import Eye, Watcher, follow, opening
from goat_engine.cards import DECK, Card
from goat_engine.record import Deal, Step
from goat_engine.rules import SEATS, Rules, Seat
from goat_engine.state import Applied, DealState, Phase, Play
from goat_engine.view import SeatView
from goat_net.seat.tableview import DealReport, Returned, SeatInfo, Stage, TableView, Talk
from goat_net.wire.text import TALK_CHARS, clean

Chooser: TypeAlias = Callable[[SeatView, random.Random], Action]

TALK_KEPT = 200  # lines


def random_deal(rng: random.Random, dealer: Seat, leader: Seat, rules: Rules) -> Deal:
    """A shuffled deck with a random card of its stock shown (R6)."""
    deck = list(DECK)
    rng.shuffle(deck)
    return Deal(dealer, leader, rng.choice(deck[16:]), tuple(deck), rules)


def simple_bot(view: SeatView, rng: random.Random) -> Action:
    """A legal and half sensible action: claims a molodka, beats opponents cheaply, feeds a partner who wins."""
    actions = view.actions()
    claims = [a for a in actions if isinstance(a, (Claim, Show))]
    if claims:
        return claims[0]
    deal, known = view.deal, view.deal.known
    if view.molodka and deal.phase is Phase.LEAD:
        return Lead(view.molodka)

    def cost(a: Action) -> int:
        slots = a.slots if isinstance(a, (Lead, Beat, Discard)) else ()
        return sum(known[s] % 9 + (9 if known[s] // 9 == deal.trump else 0) for s in slots if s is not None)

    beats = sorted((a for a in actions if isinstance(a, Beat)), key=cost)
    if beats and deal.top is not None and deal.top.seat % 2 != view.seat % 2:
        return beats[0]
    discards = sorted((a for a in actions if isinstance(a, Discard)), key=cost)
    if discards:
        feeding = deal.top is not None and deal.top.seat % 2 == view.seat % 2 and len(deal.plays) == 3
        return discards[-1] if feeding else discards[0]
    leads = [a for a in actions if isinstance(a, Lead) and len(a.slots) <= 2]
    return rng.choice(leads or list(actions))


class LocalSession:
    """See the module. Time does not pass by itself: `advance` makes the next thing happen, `run` does so at a pace.

    ``deals``: what is dealt, to be played in order; when they are used up, random ones follow.
    ``begun``: what has been done already in the first of them.
    ``choosers``: by seat. ``hold``: while it says so no bot acts.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        me: Seat | None = 0,
        names: Sequence[str] = ("You", "Anna", "Boris", "Igor"),
        choosers: Mapping[Seat, Chooser] | None = None,
        deals: Sequence[Deal] = (),
        rules: Rules | None = None,
        table_name: str = "Practice",
        levels: str = "easy",
        seated: bool = True,
        hold: Callable[["LocalSession"], bool] | None = None,
        begun: Sequence[Step] = (),
    ) -> None:
        self._rng = random.Random(seed)
        self._choosers = dict(choosers or {})
        self._deals = list(deals)
        self._hold = hold
        self._begun = tuple(begun)
        self._callback: Callable[[TableView], None] | None = None
        self._folds: dict[Watcher, DealState] = {}
        self._cards: dict[Slot, Card] = {}
        self._returned: list[Returned] = []
        self.wake = asyncio.Event()
        rules = rules or Rules(yield_time=0)
        seats = tuple(
            SeatInfo(s) if s == me and not seated else
            SeatInfo(s, names[s], taken=True, bot=s != me, level="" if s == me else levels, ready=s != me,
                     host=s == me, operator="" if s == me or me is None else names[me])
            for s in SEATS
        )  # fmt: skip
        self.view = TableView(
            stage=Stage.LOBBY, table_name=table_name, rules=rules, seats=seats, is_host=me is not None, fair=True,
            me=me if seated else None,
        )  # fmt: skip
        self._name = names[me] if me is not None else "Watcher"

    # -- Session

    def on_change(self, callback: Callable[[TableView], None]) -> None:
        """See `goat_net.seat.tableview.Session`."""
        self._callback = callback

    def act(self, action: Action) -> Refusal | None:
        """Judge at once; the action reaches the table with the next `advance`."""
        sv = self.view.seat_view
        if sv is None or self.view.pending is not None or self.view.stage is not Stage.PLAY:
            return Refusal.NOT_YOUR_TURN
        reason = sv.refusal(action)
        if reason is None:
            self._show(pending=action)
        return reason

    def sit(self, seat: int) -> None:
        """Take a free seat; a bot of one's own moves over."""
        old = self.view.seats
        if seat not in SEATS or self.view.stage is not Stage.LOBBY or (old[seat].taken and not old[seat].bot):
            return
        seats = [replace(s, ready=False) if s.seat == self.view.me else s for s in old]
        if self.view.me is not None:
            seats[self.view.me] = replace(old[seat], seat=self.view.me)
        seats[seat] = SeatInfo(seat, self._name, taken=True, host=True)
        self._show(seats=tuple(seats), me=seat)

    def swap(self, seat: int) -> None:
        """Bots agree at once."""
        if seat in SEATS and self.view.me is not None:
            self.sit(seat)

    def answer(self, seat: Seat, on: bool) -> None:
        """Nobody asks."""

    def ready(self) -> None:
        """Ready; bots always are."""
        if self.view.me is None:
            return
        if self.view.stage is Stage.LOBBY:
            seats = tuple(replace(s, ready=True) if s.seat == self.view.me else s for s in self.view.seats)
            self._show(seats=seats)
        elif self.view.stage in (Stage.BETWEEN, Stage.OVER):
            self._show(ready=frozenset(SEATS))

    def start(self) -> None:
        """Begin the match; free seats get bots."""
        if self.view.stage is not Stage.LOBBY:
            return
        names = ("Anna", "Boris", "Igor", "Vera")
        seats = tuple(s if s.taken else SeatInfo(s.seat, names[s.seat], True, True, "easy") for s in self.view.seats)
        dealer = self._deals[0].dealer if self._deals else self._rng.randrange(4)
        match = matches.begin(self.view.rules, dealer)
        self._show(seats=seats, match=match, stage=Stage.STARTING, words=())

    def set_bot(self, seat: Seat, level: str) -> None:
        """Put a bot on a seat, change its level, or take it away."""
        names = ("Olga", "Anna", "Boris", "Igor")
        info = SeatInfo(seat, names[seat], True, True, level, ready=True) if level else SeatInfo(seat)
        self._show(seats=tuple(info if s.seat == seat else s for s in self.view.seats))

    def kick(self, seat: Seat, reason: str) -> None:
        """There is nobody else to send away."""

    def say(self, text: str) -> None:
        """Talk to oneself."""
        line = Talk(self._name, clean(text, TALK_CHARS), self.view.me)
        if line.text:
            self._show(talk=(*self.view.talk, line)[-TALK_KEPT:])

    def vote(self, seat: Seat, choice: int) -> None:
        """Nobody is ever away here."""

    def accept(self) -> None:
        """No score is carried on here."""

    def offer(self, seat: int) -> None:
        """There is nobody to have this table."""

    def take_over(self, on: bool) -> None:
        """Nobody offers a table."""

    def pause(self, on: bool) -> None:
        """Nothing moves while paused."""
        self._show(paused_by=self._name if on else "")

    async def leave(self) -> None:
        """The table is gone."""
        self._show(stage=Stage.CLOSED)

    # -- what happens

    def remark(self, name: str, text: str, seat: Seat | None = None) -> None:
        """A line of talk by someone else (lessons)."""
        self._show(talk=(*self.view.talk, Talk(name, text, seat))[-TALK_KEPT:])

    async def run(self, pace: float = 0.7) -> None:
        """Let the table go on by itself, a step every ``pace`` seconds, until it is closed."""
        while self.view.stage is not Stage.CLOSED:
            if self.advance():
                await asyncio.sleep(pace if self.view.stage is Stage.PLAY else pace / 2)
            else:
                self.wake.clear()
                await self.wake.wait()

    def advance(self) -> bool:
        """Make the next thing happen; False when the table waits for the person."""
        view = self.view
        if view.paused_by:
            return False
        match view.stage:
            case Stage.LOBBY | Stage.JOINING | Stage.CLOSED:
                return False
            case Stage.STARTING:
                self._show(stage=Stage.DEALING, deal_number=1)
            case Stage.DEALING:
                self._deal()
            case Stage.PLAY:
                return self._step()
            case Stage.OPENING:
                self._score()
            case Stage.BETWEEN | Stage.OVER:
                return self._next_deal()
        return True

    def _deal(self) -> None:
        match, rules = self.view.match, self.view.rules
        assert match is not None
        if self._deals:
            given = self._deals.pop(0)
            deal = Deal(given.dealer, given.leader, given.indicator, given.cards, rules)
        else:
            deal = random_deal(self._rng, match.dealer, match.leader, rules)
        self._cards = dict(enumerate(deal.cards))
        self._folds = {who: opening(deal, who) for who in (*SEATS, Eye.PUBLIC, Eye.OPEN)}
        self._returned = []
        self._show(stage=Stage.PLAY, deal=self._mine, may_act=True, returned=())
        begun, self._begun = self._begun, ()
        for seat, action in begun:
            self._apply(seat, action)

    @property
    def _mine(self) -> DealState:
        return self._folds[Eye.PUBLIC if self.view.me is None else self.view.me]

    def _step(self) -> bool:
        truth, view = self._folds[Eye.OPEN], self.view
        if view.pending is not None and view.me is not None:
            self._apply(view.me, view.pending)
            return True
        if self._hold is not None and self._hold(self):
            return False
        for seat in SEATS:  # out of turn: a bot that holds a molodka claims it (R15)
            if seat != view.me and truth.phase in (Phase.LEAD, Phase.ANSWER) and self.seat_view(seat).may_claim:
                self._apply(seat, self._choose(seat, claim=True))
                return True
        turn = truth.turn
        if turn is None:
            return False
        if turn == view.me:
            if truth.phase is Phase.ASK and not self.seat_view(turn).may_claim:
                self._apply(turn, Yield())
                return True
            return False
        self._apply(turn, self._choose(turn))
        return True

    def _choose(self, seat: Seat, *, claim: bool = False) -> Action:
        if claim:
            return Claim()
        return self._choosers.get(seat, simple_bot)(self.seat_view(seat), self._rng)

    def seat_view(self, seat: Seat) -> SeatView:
        """What a seat knows: its own fold."""
        return SeatView(seat, self._folds[seat], self.view.match.defeat if self.view.match else (0, 0))

    def _apply(self, seat: Seat, action: Action) -> None:
        before = self._mine
        returned: tuple[Play, ...] = ()
        for who, state in self._folds.items():
            done = follow(state, who, seat, action, self._cards)
            assert isinstance(done, Applied), f"a bot of ours tried {action}: {done}"
            self._folds[who] = done.state
            if state is before:
                returned = done.returned
        if returned:
            self._returned.append(Returned(len(before.tricks), returned))
        mine = self._mine
        stage = Stage.OPENING if mine.phase is Phase.OVER else Stage.PLAY
        self._show(deal=mine, pending=None, stage=stage, returned=tuple(self._returned))

    def _score(self) -> None:
        truth, match = self._folds[Eye.OPEN], self.view.match
        assert match is not None
        result = matches.score(truth, double=match.doubled)
        after = matches.after_deal(match, result)
        report = DealReport(self.view.deal_number, truth, result, True, frozenset(SEATS))
        stage = Stage.BETWEEN if after.goat is None else Stage.OVER
        ready = frozenset(s.seat for s in self.view.seats if s.bot)
        self._show(match=after, stage=stage, reports=(*self.view.reports, report), ready=ready)

    def _next_deal(self) -> bool:
        if self.view.me is not None and self.view.me not in self.view.ready:
            return False
        if self.view.stage is Stage.OVER:
            match = matches.begin(self.view.rules, self._rng.randrange(4))
            self._show(stage=Stage.DEALING, match=match, reports=(), deal_number=1, deal=None, ready=frozenset())
        else:
            number = self.view.deal_number + 1
            self._show(stage=Stage.DEALING, deal_number=number, deal=None, ready=frozenset())
        return True

    def _show(self, **changes: object) -> None:
        self.view = replace(self.view, **changes)  # type: ignore[arg-type]
        self.wake.set()
        if self._callback is not None:
            self._callback(self.view)
