"""Worlds weighed by what others did: each agrees with the seat's view and nothing else goes into it.

Needs the extra ``train``; without it these tests are skipped, and playing is not concerned.
"""

import random
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("numba")

from goat_tools.training import beliefs, compiled, critic, train  # noqa: E402

from goat_engine.bots import fast, inputs, sight  # noqa: E402

pytestmark = pytest.mark.long("compiles the game and the players first")


def positions(deals: int, seed: int) -> list[tuple[fast.State, Any, Any, list[tuple[int, int, int]]]]:
    """States with a choice in random deals, the same as the compiled game keeps them, the cards by slot, the log."""
    rng, found = random.Random(seed), []
    for number in range(deals):
        order = list(range(36))
        rng.shuffle(order)
        if number % 3 == 0:  # a molodka, so that claims are met
            flush = [9 * (number % 4) + rank for rank in (0, 2, 5, 8)]
            rest = [card for card in order if card not in flush]
            hands = [rest[:4], rest[4:8], flush, rest[8:12]]
            order = [hands[slot % 4][slot // 4] for slot in range(16)] + rest[12:]
        indicator = rng.choice(order[16:])
        state, array, slots = fast.State(order, indicator, 3, 0), np.zeros(compiled.WIDTH, np.int64), np.array(order)
        compiled.deal(slots, indicator, 3, 0, array)
        log: list[tuple[int, int, int]] = []
        trick = 0
        while state.phase != fast.OVER:
            choices = state.legal()
            if len(choices) > 1:
                found.append((state.copy(), array.copy(), slots, log[:]))
            move = rng.choice(choices)
            if move & ~fast.FULL == fast.CLAIM:
                log[trick:] = [(seat, done, 1) for seat, done, _ in log[trick:]]
            log.append((state.turn, move, 0))
            tricks = sum(state.tricks)
            state.apply(move)
            compiled.apply(array, slots, move)
            if sum(state.tricks) != tricks:
                trick = len(log)
    return found


def test_critic_is_shown_all_hands_and_who_could_beat() -> None:
    on = np.zeros(inputs.MOST_ON, np.int16)
    flags = set()
    for state, array, slots, _ in positions(40, 5):
        seen, order = compiled.see(array), inputs.suit_order(sight.of_state(state))
        move = state.legal()[0]
        shared = critic.open_shared(array, slots, seen, order, on)
        shown = on[: critic.open_move(array, seen, order, move, on, shared)].tolist()
        assert len(set(shown)) == len(shown)
        hands = [0, 0, 0]
        for number in shown:
            if critic.HANDS_SEEN <= number < critic.ABLE:
                step, card = divmod(number - critic.HANDS_SEEN, 36)
                hands[step] |= 1 << card
        others = [state.hands[(state.turn + step) & 3] for step in (1, 2, 3)]
        assert hands == [inputs.renamed(hand, order) for hand in others]
        kind = move & ~fast.FULL
        top = move & fast.FULL if kind in (fast.LEAD, fast.BEAT, fast.CLAIM) else state.top
        after = 3 if kind in (fast.LEAD, fast.CLAIM) else seen.after
        able = {
            critic.ABLE + 2 * step + (step < after)
            for step, hand in enumerate(others)
            if any(fast.beats(part & fast.FULL, top, state.trump) for part in fast.discards(hand, top.bit_count()))
        }
        assert able == {number for number in shown if number >= critic.ABLE}
        flags |= able
        stock = {number - inputs.UNSEEN for number in shown if inputs.UNSEEN <= number < inputs.TOP}
        assert stock == set(fast.cards_of(inputs.renamed(sum(state.stock[state.position :]), order)))
    assert len(flags) == 6


def test_worlds_agree_with_the_view_and_come_from_nothing_else() -> None:
    net = train.fresh(16, 8, 3)
    room, new, possible, kinds = compiled.scratch(net), np.zeros(36, np.int64), 0, set()
    rng = random.Random(8)
    for number, (state, array, slots, log) in enumerate(positions(60, 6)):
        seen, me = compiled.see(array), state.turn
        places = [slot for slot in range(36) if seen.unseen >> int(slots[slot]) & 1]
        mixed, cards = slots.copy(), [int(slots[slot]) for slot in places]
        rng.shuffle(cards)
        mixed[places] = cards
        # The log as this seat can know it: of others' discards, only how many cards.
        told = [
            (seat, (1 << move.bit_count() - 1) - 1 | fast.DISCARD, back)
            if move & ~fast.FULL == fast.DISCARD and seat != me
            else (seat, move, back)
            for seat, move, back in log
        ]
        kinds |= {move >> 36 for _, move, _ in log}
        found = []
        for order, lines in ((slots, log), (mixed, told)):
            compiled.seed(number)
            beliefs.redeal(seen.unseen, order, state.indicator, new)
            assert sorted(new) == list(range(36))
            imagined = np.zeros(compiled.WIDTH, np.int64)
            compiled.deal(new, state.indicator, 3, 0, imagined)
            table = np.array(lines, dtype=np.int64).reshape(-1, 3)
            weight = beliefs.replay(me, seen, state.shown, new, table, len(lines), net, room, imagined)
            found.append((weight, imagined.tolist(), new.tolist()))
            if weight > beliefs.IMPOSSIBLE:
                assert tuple(compiled.see(imagined)) == tuple(seen)
                possible += 1
        assert found[0] == found[1]
    assert possible > 0.9 * 2 * number
    assert kinds == set(range(5)) - {fast.YIELD >> 36}


def test_critic_and_measure_repeat_themselves(tmp_path: Path) -> None:
    net = train.fresh(16, 8, 1)
    log: list[str] = []
    plan = critic.Plan(rounds=8, deals=200, hidden=24, second=8)
    one, other = (critic.train(plan, tmp_path / f"{i}.npz", log.append, net) for i in (1, 2))
    for mine, same in zip(one, other, strict=True):
        assert np.array_equal(mine, same)
    found = [
        beliefs.measure(beliefs.Plan(pairs=10, worlds=30, seed=4, blind=blind), net, one)
        for blind in (False, False, True)
    ]
    assert found[0] == found[1]
    assert 1 < found[0].effective < found[2].effective <= 30
    assert found[0].nats[0] > 0
    assert 0 < found[0].changed < 1
    assert log
