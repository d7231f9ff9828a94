"""The bots' engine against the rules: the same moves, the same results, and the same knowledge."""

import random
from collections import Counter

import pytest

from goat_engine.actions import Claim, Yield
from goat_engine.bots import fast, sight, table
from goat_engine.bots.rehearsal import Rehearsal
from goat_engine.match import score
from goat_engine.rules import defeat_points
from goat_engine.state import Phase, check


def shuffled(rng: random.Random, flushes: bool) -> list[int]:
    """A deck by slot; with ``flushes`` two or three hands are dealt four cards of one suit."""
    deck = list(range(36))
    rng.shuffle(deck)
    if not flushes:
        return deck
    hands: list[list[int]] = []
    for suit in rng.sample(range(4), rng.choice((2, 3))):
        hands.append(rng.sample(range(9 * suit, 9 * suit + 9), 4))
    taken = {card for hand in hands for card in hand}
    rest = [card for card in deck if card not in taken]
    while len(hands) < 4:
        hands.append([rest.pop() for _ in range(4)])
    rng.shuffle(hands)
    return [hands[slot % 4][slot // 4] for slot in range(16)] + rest


def play_both(rng: random.Random, seen: Counter[str], flushes: bool) -> None:
    """One deal of random moves in both engines, out-of-turn claims included, compared at every step."""
    order = shuffled(rng, flushes)
    indicator, dealer, leader = rng.choice(order[16:]), rng.randrange(4), rng.randrange(4)
    state = fast.State(order, indicator, dealer, leader)
    real = Rehearsal(order, indicator, dealer, leader)
    while state.phase != fast.OVER:
        seat = real.whole.turn
        assert seat is not None
        view = real.view(seat)
        if real.whole.phase is Phase.ASK and not view.molodka:
            assert view.actions() == (Yield(),)
            seen["forced yield"] += 1
            real.act(seat, Yield())
            continue
        assert state.turn == seat
        seeing = table.see(view)
        assert seeing == sight.of_state(state)
        choices = state.legal()
        assert sight.moves(seeing) == choices
        assert sorted(table.move_of(view, action) for action in view.actions()) == sorted(choices)
        if real.whole.phase is not Phase.ASK:
            able = [other for other in range(4) if real.view(other).molodka]
            assert state.claimants() == [o for o in able if check(real.whole, o, Claim()) is None]
            out_of_turn = [other for other in state.claimants() if other != seat]
            if out_of_turn and rng.random() < 0.3:
                claimant = rng.choice(out_of_turn)
                seen["claim out of turn"] += 1
                real.act(claimant, Claim())
                real.act(claimant, real.view(claimant).actions()[-1])
                state.claim(claimant)
                continue
        move = rng.choice(choices)
        seen[fast.KIND_NAMES[move >> 36]] += 1
        action = table.action_of(view, move)
        assert table.move_of(view, action) == move
        real.act(seat, action)
        state.apply(move)
        if isinstance(action, Claim):
            real.act(seat, real.view(seat).actions()[-1])
    assert real.whole.phase is Phase.OVER
    result = score(real.whole)
    assert result.points == state.result()
    assert list(result.tricks) == state.tricks
    for team in (0, 1):
        expected = fast.defeat_points(state.result()[team], state.tricks[team])
        assert result.defeat[team] == expected == defeat_points(state.result()[team], state.tricks[team])
    assert state.won[0] | state.won[1] == fast.FULL


def compare(deals: int, seed: int) -> Counter[str]:
    print(f"seed {seed}")
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for deal in range(deals):
        play_both(rng, seen, flushes=deal % 5 == 0)
    return seen


KINDS = {"lead", "beat", "discard", "claim", "yield", "claim out of turn", "forced yield"}


def test_same_game_as_the_rules() -> None:
    seen = compare(400, 6)
    assert set(seen) == KINDS


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_same_game_as_the_rules_over_20_000_deals() -> None:
    seen = compare(20_000, 2026)
    assert set(seen) == KINDS
    print(seen)


def test_a_copy_is_a_state_of_its_own() -> None:
    rng = random.Random(3)
    for _ in range(50):
        state = fast.State.random(rng)
        for _ in range(rng.randrange(12)):
            if state.phase != fast.OVER:
                state.apply(rng.choice(state.legal()))
        slots = [name for name in fast.State.__slots__ if name != "stock"]
        before = {name: repr(getattr(state, name)) for name in slots}
        twin = state.copy()
        while twin.phase != fast.OVER:
            twin.apply(rng.choice(twin.legal()))
        assert before == {name: repr(getattr(state, name)) for name in slots}


def test_beating_sets_agrees_with_the_cards_module() -> None:
    from goat_engine.cards import set_beats

    rng = random.Random(4)
    for _ in range(4000):
        trump, suit = rng.randrange(4), rng.randrange(4)
        size = rng.randrange(1, 5)
        pool = sorted({*range(9 * suit, 9 * suit + 9), *range(9 * trump, 9 * trump + 9)})
        top = rng.sample(pool, size)
        mine = rng.sample([card for card in range(36) if card not in top], size)
        assert fast.beats(fast.mask_of(mine), fast.mask_of(top), trump) == set_beats(mine, top, trump)


def test_what_is_noted_of_hands_is_bounded(seed: int) -> None:
    """W8: a bots' process grew with every hand that it had ever met, to 75 MB; what is forgotten comes out the same."""
    rng = random.Random(seed)
    hands = [fast.mask_of(rng.sample(range(36), rng.randint(1, 4))) for _ in range(3 * fast.KEPT)]
    first = [(fast.leads(hand), fast.discards(hand, hand.bit_count())) for hand in hands[:50]]
    for hand in hands:
        fast.leads(hand)
        fast.discards(hand, 1)
        fast.walls(hand & fast.SUITS[0] | 1, 0)
    noted = [fast._leads, *fast._discards, fast._single_beats, *fast._walls]
    assert max(map(len, noted)) <= fast.KEPT
    assert first == [(fast.leads(hand), fast.discards(hand, hand.bit_count())) for hand in hands[:50]]
