"""Deals for tests: hands named by cards, and a table that plays them as every watcher at once.

`Table` folds each action as seen with open cards, by the public and by each seat. So whatever a test plays is
also a test that all six agree: same public state, the actor's own view refuses what the open state refuses and
for the same reason, and the public never refuses what is legal.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Refusal, Show, Yield
from goat_engine.audit import Eye, Watcher, follow, opening
from goat_engine.cards import DECK, name, parse_all, points_of, suit_of
from goat_engine.record import Deal, Record, Step
from goat_engine.rules import HAND_SIZE, SEATS, Rules, Seat
from goat_engine.state import FIRST_STOCK_SLOT, Applied, DealState, Play
from goat_engine.view import SeatView

WATCHERS: tuple[Watcher, ...] = (Eye.OPEN, Eye.PUBLIC, *SEATS)


def named_deal(
    hands: Mapping[Seat, str],
    stock: str = "",
    *,
    trump: str = "H",
    dealer: Seat = 3,
    leader: Seat = 0,
    indicator: str = "",
    rules: Rules | None = None,
) -> Deal:
    """A deal in which seats hold the named cards and the stock begins as named.

    What is not named is filled from the lowest cards left, suits in turn, so that no filled hand is a molodka.
    The indicator, when not named, is the highest trump that is not named in a hand.
    """
    held = {s: list(parse_all(hands.get(s, ""))) for s in SEATS}
    top = list(parse_all(stock))
    named = [c for h in held.values() for c in h]
    trumps = (c for c in DECK if name(c)[-1] == trump and c not in named)
    shown = parse_all(indicator)[0] if indicator else max(trumps)
    assert len(set(named + top)) == len(named + top), "a card is named twice"
    rest = [c for c in DECK if c not in named and c not in top and c != shown]
    rest.sort(key=lambda c: (c % 9, c // 9))
    for s in SEATS:
        while len(held[s]) < HAND_SIZE:
            held[s].append(rest.pop(0))
    stock_cards = top + rest + ([] if shown in top else [shown])
    cards = [0] * FIRST_STOCK_SLOT
    for s in SEATS:
        cards[(s - dealer - 1) % 4 :: 4] = held[s]
    return Deal(dealer, leader, shown, (*cards, *stock_cards), rules or Rules())


def random_deal(rng: random.Random, *, suited: float = 0.0) -> Deal:
    """A random deal; with the chance ``suited`` two or three hands and the next draws are of one suit each."""
    cards = list(DECK)
    rng.shuffle(cards)
    dealer, leader = rng.randrange(4), rng.randrange(4)
    if rng.random() < suited:
        for first in rng.sample(range(4), rng.choice((2, 3))):
            suit = rng.randrange(4)
            slots = [*range(first, FIRST_STOCK_SLOT, 4), *rng.sample(range(16, 36), 3)]
            for slot in slots:
                if suit_of(cards[slot]) == suit:
                    continue
                taken = [s for s in range(36) if suit_of(cards[s]) == suit and s % 4 != first and s not in slots]
                if taken:
                    other = rng.choice(taken)
                    cards[slot], cards[other] = cards[other], cards[slot]
    return Deal(dealer, leader, rng.choice(cards[FIRST_STOCK_SLOT:]), tuple(cards))


class Table:
    """A deal in play, as all see it. Actions name cards; ``✗`` of the worked situations is `refuses`."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.place = {c: s for s, c in enumerate(deal.cards)}
        self.cards = dict(enumerate(deal.cards))
        self.states: dict[Watcher, DealState] = {w: opening(deal, w) for w in WATCHERS}
        self.steps: list[Step] = []
        self.last: Applied | None = None
        self._agree()

    @property
    def state(self) -> DealState:
        """The deal with open cards."""
        return self.states[Eye.OPEN]

    @property
    def record(self) -> Record:
        return Record(self.deal, tuple(self.steps))

    def view(self, seat: Seat) -> SeatView:
        return SeatView(seat, self.states[seat])

    def slots(self, cards: str) -> tuple[int, ...]:
        return tuple(self.place[c] for c in parse_all(cards))

    def hand(self, seat: Seat) -> set[str]:
        return {name(self.deal.cards[s]) for s in self.state.hands[seat]}

    def do(self, seat: Seat, action: Action) -> Applied:
        """An action that is legal, done for all watchers."""
        done = {w: follow(s, w, seat, action, self.cards) for w, s in self.states.items()}
        opened = done[Eye.OPEN]
        assert isinstance(opened, Applied), f"{seat} {action}: {opened}"
        for watcher, d in done.items():
            assert isinstance(d, Applied), f"legal with open cards, refused by {watcher}: {d}"
            self.states[watcher] = d.state
            assert d.drawn == opened.drawn
            assert (d.closed is None) == (opened.closed is None)
        self.steps.append((seat, action))
        self.last = opened
        self._agree()
        return opened

    def refuses(self, seat: Seat, action: Action, reason: Refusal, *, unseen: bool = False) -> None:
        """The action is refused for this reason, by the open state and by the seat's own; nothing changes.

        The public refuses it too, unless what is wrong is hidden from it: ``unseen``, and faces of a hand.
        """
        for watcher in (Eye.OPEN, seat):
            state = self.states[watcher]
            before = replace(state, known=dict(state.known))
            assert follow(state, watcher, seat, action, self.cards) is reason, f"as {watcher} folds it"
            assert self.states[watcher] is state
            assert state == before
        assert self.view(seat).refusal(action) is reason
        public = follow(self.states[Eye.PUBLIC], Eye.PUBLIC, seat, action, self.cards)
        if unseen:
            assert isinstance(public, Applied)
        elif reason is not Refusal.NO_MOLODKA:
            assert public is reason

    def _agree(self) -> None:
        keys = {w: s.public_key() for w, s in self.states.items()}
        assert all(k == keys[Eye.OPEN] for k in keys.values())
        for seat in SEATS:
            mine, known = self.states[seat], self.states[seat].known
            assert mine.hands[seat] == self.state.hands[seat]
            received = set(mine.hands[seat]) | _own_played(mine, seat)
            assert known.keys() == received | mine.shown, "a seat knows its own cards and what all have seen"
            assert all(self.deal.cards[s] == c for s, c in known.items())
        public = self.states[Eye.PUBLIC]
        assert public.known.keys() == public.shown

    # The words of the worked situations.

    def lead(self, seat: Seat, cards: str) -> Applied:
        return self.do(seat, Lead(self.slots(cards)))

    def beat(self, seat: Seat, cards: str) -> Applied:
        return self.do(seat, Beat(self.slots(cards)))

    def discard(self, seat: Seat, cards: str) -> Applied:
        return self.do(seat, Discard(self.slots(cards)))

    def claim(self, seat: Seat, cards: str) -> Applied:
        """A claim and the showing of its four cards."""
        self.do(seat, Claim())
        return self.do(seat, Show(self.slots(cards)))

    def yields(self, *seats: Seat) -> None:
        for seat in seats:
            self.do(seat, Yield())

    def no_claim(self, seat: Seat, reason: Refusal) -> None:
        self.refuses(seat, Claim(), reason)

    def rest_discards(self) -> Applied:
        """Answers that are not listed: discards of the seat's lowest cards (by rank, then suit)."""
        tricks = len(self.state.tricks)
        while len(self.state.tricks) == tricks:
            assert self.state.turn is not None
            self.rest_one(self.state.turn)
        assert self.last is not None
        return self.last

    def rest_one(self, seat: Seat) -> Applied:
        """The seat discards its lowest cards."""
        count = len(self.state.plays[0].slots)
        lowest = sorted(self.state.hands[seat], key=lambda s: (self.cards[s] % 9, self.cards[s]))[:count]
        return self.do(seat, Discard(tuple(lowest)))

    def points(self) -> int:
        """Points of the last closed trick, with open cards."""
        return points_of(self.cards[s] for p in self.state.tricks[-1].plays for s in p.slots if s is not None)

    @property
    def taker(self) -> Seat:
        """Who took the last closed trick."""
        return self.state.tricks[-1].taker


def _own_played(state: DealState, seat: Seat) -> set[int]:
    plays: list[Play] = [*state.plays, *(p for t in state.tricks for p in t.plays)]
    return {s for p in plays if p.seat == seat for s in p.slots if s is not None}


def play_out(table: Table, rng: random.Random, *, claims: float = 0.7) -> None:
    """Play random legal actions to the end; each possible claim is made with the chance ``claims``."""
    while (seat := table.state.turn) is not None:
        able = [s for s in SEATS if table.view(s).may_claim]
        if able and rng.random() < claims:
            table.do(rng.choice(able), Claim())
            continue
        choices: Sequence[Action] = [a for a in table.view(seat).actions() if not isinstance(a, Claim)]
        beats = [a for a in choices if isinstance(a, Beat)]
        table.do(seat, rng.choice(beats if beats and rng.random() < 0.5 else choices))


def finished(seed: int, *, suited: float = 0.0) -> Table:
    """A whole random deal, played out."""
    rng = random.Random(seed)
    table = Table(random_deal(rng, suited=suited))
    play_out(table, rng)
    return table


def suit_each(order: Mapping[Seat, str], *, leader: Seat = 0, trump: str = "H") -> Deal:
    """A deal in which each seat gets its nine cards in the named order, as long as ``leader`` takes the tricks
    until the stock is empty."""
    nine = {s: parse_all(order[s]) for s in SEATS}
    dealer = 3
    cards = [0] * 36
    for s in SEATS:
        cards[(s - dealer - 1) % 4 : FIRST_STOCK_SLOT : 4] = nine[s][:HAND_SIZE]
        cards[FIRST_STOCK_SLOT + (s - leader) % 4 :: 4] = nine[s][HAND_SIZE:]
    shown = next(c for c in cards[FIRST_STOCK_SLOT:] if name(c)[-1] == trump)
    return Deal(dealer, leader, shown, tuple(cards))


def play_single(table: Table, order: Mapping[Seat, str], first_beaten: int) -> None:
    """Nine tricks of one card in the named order; the leader takes them all until seat 3, which holds all
    trumps, beats in trick ``first_beaten`` (0..9) and then leads on."""
    nine = {s: order[s].split() for s in SEATS}
    for i in range(9):
        leader = table.state.turn
        assert leader is not None
        table.lead(leader, nine[leader][i])
        for step in (1, 2, 3):
            seat = (leader + step) % 4
            if seat == 3 and i == first_beaten:
                table.beat(seat, nine[seat][i])
            else:
                table.discard(seat, nine[seat][i])
