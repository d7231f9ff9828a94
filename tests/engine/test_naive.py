"""The engine against the plain second implementation, over whole random deals.

GOAT_NAIVE_DEALS and GOAT_NAIVE_TRICKS say how many deals and random tricks; GOAT_NAIVE_SEED where they begin.
"""

import os
import random
from collections import Counter
from itertools import permutations

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Show, Yield
from goat_engine.cards import DECK, SUITS, beats, name, set_beats
from goat_engine.match import score
from goat_engine.record import WORDS
from goat_engine.rules import SEATS
from goat_engine.state import Applied, Phase, apply
from tests.engine.deals import Table, random_deal
from tests.engine.naive import Move, NaiveDeal, card_beats, cards_beat

DEALS = int(os.environ.get("GOAT_NAIVE_DEALS", "300"))
TRICKS = int(os.environ.get("GOAT_NAIVE_TRICKS", "20000"))
SEED = int(os.environ.get("GOAT_NAIVE_SEED", "1"))
KINDS: dict[str, type[Lead | Beat | Discard | Show]] = {"lead": Lead, "beat": Beat, "discard": Discard, "show": Show}


def build(table: Table, word: str, cards: list[str]) -> Action:
    if word in KINDS:
        return KINDS[word](table.slots(" ".join(cards)))
    return Claim() if word == "claim" else Yield()


def as_move(table: Table, action: Action) -> Move:
    slots = () if isinstance(action, Claim | Yield) else action.slots
    return WORDS[type(action)], frozenset(name(table.deal.cards[s]) for s in slots if s is not None)


def compare(table: Table, naive: NaiveDeal) -> None:
    state = table.state
    assert state.phase.value == naive.waiting
    assert state.turn == (None if naive.waiting == "over" else naive.turn)
    assert state.entitled == naive.entitled
    assert [name(c) for c in table.deal.cards[state.next_slot :]] == naive.stock
    for seat in SEATS:
        assert table.hand(seat) == set(naive.hands[seat])
        moves = table.view(seat).actions()
        assert {as_move(table, a) for a in moves} == naive.legal(seat)
        assert len({as_move(table, a) for a in moves}) == len(moves), "each set of cards once"
    laid = [(p.seat, p.kind.value, [name(table.deal.cards[s]) for s in p.slots if s is not None]) for p in state.plays]
    assert laid == naive.table
    if state.plays:
        assert state.top is not None
        assert [name(table.deal.cards[s]) for s in state.top.slots if s is not None] == naive.top()


def try_anything(table: Table, naive: NaiveDeal, rng: random.Random) -> bool:
    """One random attempt of any seat with any cards, refused by both or by neither; whether it was refused."""
    seat = rng.choice(SEATS)
    word = rng.choice(["lead", "beat", "discard", "show", "claim", "yield"])
    hand = list(naive.hands[seat]) or [name(rng.choice(DECK))]
    cards = [rng.choice(hand) if rng.random() < 0.9 else name(rng.choice(DECK)) for _ in range(rng.randrange(6))]
    legal = naive.may(seat, word, [] if word in ("claim", "yield") else cards)
    before = table.state
    done = apply(before, seat, build(table, word, cards))
    assert isinstance(done, Applied) == legal, (seat, word, cards, done)
    assert table.state is before
    return not legal


def one_deal(seed: int, seen: Counter[str]) -> None:
    rng = random.Random(seed)
    deal = random_deal(rng, suited=0.6)
    table = Table(deal)
    naive = NaiveDeal(deal.dealer, deal.leader, SUITS[table.state.trump], [name(c) for c in deal.cards])
    claims = 0
    while naive.waiting != "over":
        compare(table, naive)
        for _ in range(3):
            seen["refused"] += try_anything(table, naive, rng)
        options = [(s, *m) for s in SEATS for m in naive.legal(s)]
        claimed = [o for o in options if o[1] == "claim"]
        beaten = [o for o in options if o[1] == "beat"]
        pool = next((p for p in (claimed, beaten) if p and rng.random() < 0.5), None)
        pool = pool or [o for o in options if o[1] != "claim"] or options
        seat, word, cards = rng.choice(sorted(pool, key=lambda o: (o[0], o[1], sorted(o[2]))))
        named = rng.sample(sorted(cards), len(cards))
        seen[word] += 1
        seen["takeover"] += word == "claim" and naive.waiting == "ask"
        seen["out of turn"] += word == "claim" and naive.waiting != "ask" and seat != naive.turn
        claims += word == "claim"
        naive.do(seat, word, named)
        table.do(seat, build(table, word, named))
    compare(table, naive)
    result = score(table.state)
    assert list(result.tricks) == naive.tricks
    assert result.defeat == tuple(naive.defeat())
    assert result.taker == naive.last_taker
    assert table.state.phase is Phase.OVER
    taken = [set(naive.taken[t]) for t in (0, 1)]
    for team in (0, 1):
        tricks = [t for t in table.state.tricks if t.taker % 2 == team]
        mine = {name(deal.cards[s]) for t in tricks for p in t.plays for s in p.slots if s is not None}
        assert mine == taken[team]
    seen["deals with a claim"] += claims > 0


def test_whole_deals_agree() -> None:
    seen: Counter[str] = Counter()
    print(f"seeds {SEED} to {SEED + DEALS - 1}")
    for seed in range(SEED, SEED + DEALS):
        try:
            one_deal(seed, seen)
        except AssertionError as e:
            e.add_note(f"in the deal of seed {seed}")
            raise
    print(dict(seen))
    for what in ("lead", "beat", "discard", "claim", "show", "yield", "takeover", "out of turn", "refused"):
        assert seen[what] >= min(10, DEALS // 30), f"the deals hold too little of: {what}"


def test_every_pair_of_cards() -> None:
    for trump in range(4):
        for a, b in permutations(DECK, 2):
            expected = card_beats(name(a), name(b), SUITS[trump])
            assert beats(a, b, trump) == expected
            assert set_beats([a], [b], trump) == expected


def test_random_tricks_by_all_pairings() -> None:
    rng = random.Random(SEED)
    outcome: Counter[bool] = Counter()
    for _ in range(TRICKS):
        trump, n, m = rng.randrange(4), rng.randint(2, 4), rng.random()
        # Cards of two suits only in half of the tricks, else nearly nothing beats anything.
        suits = rng.sample(range(4), 2) if m < 0.5 else range(4)
        cards = rng.sample([c for c in DECK if c // 9 in suits], 2 * n)
        if m > 0.25:
            cards.sort(key=lambda c: (c // 9 == trump, c % 9 + rng.random() * 4), reverse=True)
        mine, top = cards[:n], cards[n:]
        expected = cards_beat([name(c) for c in mine], [name(c) for c in top], SUITS[trump])
        assert set_beats(mine, top, trump) == expected, (mine, top, trump)
        outcome[expected] += 1
    print(dict(outcome))
    assert min(outcome[True], outcome[False]) > TRICKS // 10
    assert not set_beats([1, 2], [0], 0)
