"""The compiled game is the game, the compiled players are the players, and training moves the right way.

Needs the extra ``train``; without it these tests are skipped, and playing is not concerned.
"""

import random
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("numba")

from goat_tools.training import __main__ as command  # noqa: E402
from goat_tools.training import compiled, export, train, tune  # noqa: E402

from goat_engine.bots import fast, heuristic, inputs, net, players, sight, weights  # noqa: E402

pytestmark = pytest.mark.long("compiles the game and the players first")


def test_compiled_game_and_players_equal_the_pure_ones() -> None:
    rng = random.Random(3)
    tuned = np.array(weights.TUNED)
    state_array, moves = np.zeros(compiled.WIDTH, np.int64), np.zeros(64, np.int64)
    terms, on = np.zeros(compiled.TERM_COUNT), np.zeros(inputs.MOST_ON, np.int16)
    most = 0
    kinds = set()
    for number in range(250):
        order = list(range(36))
        rng.shuffle(order)
        if number % 3 == 0:  # two molodkas, so that claims and questions are met
            flushes = [[0, 1, 2, 3], [9, 10, 11, 12]]
            rest = [card for card in order if all(card not in hand for hand in flushes)]
            hands = [rest[:4], *flushes, rest[4:8]]
            order = [hands[slot % 4][slot // 4] for slot in range(16)] + rest[8:]
        indicator, dealer, leader = rng.choice(order[16:]), rng.randrange(4), rng.randrange(4)
        state = fast.State(order, indicator, dealer, leader)
        slots = np.array(order)
        compiled.deal(slots, indicator, dealer, leader, state_array)
        while state.phase != fast.OVER:
            count = compiled.legal(state_array, moves)
            choices = state.legal()
            assert sorted(choices) == sorted(moves[:count].tolist())
            seen, seen_array = sight.of_state(state), compiled.see(state_array)
            assert tuple(seen) == tuple(seen_array)
            best = heuristic.best(seen, choices, weights.TUNED)
            other = int(compiled.best_by_heuristic(seen_array, moves, count, tuned, terms))
            value, other_value = (heuristic.score(seen, move, weights.TUNED) for move in (best, other))
            assert value == pytest.approx(other_value, abs=1e-9)  # equal but for ties
            move = rng.choice(choices)
            encoded = on[: compiled.encode(seen_array, move, on)].tolist()
            assert encoded == pure_inputs(seen, move)
            assert len(set(encoded)) == len(encoded)
            assert max(encoded) < inputs.INPUTS
            most = max(most, len(encoded))
            kinds.add(move >> 36)
            state.apply(move)
            compiled.apply(state_array, slots, move)
        assert state.won == state_array[compiled.WON : compiled.WON + 2].tolist()
        assert state_array[compiled.PHASE] == fast.OVER
    assert kinds == set(range(5))
    assert 55 < most <= train.ROOM


def pure_inputs(seen: sight.Sight, move: int) -> list[int]:
    kind, mask = move & ~fast.FULL, move & fast.FULL
    order, on = inputs.suit_order(seen), [0] * inputs.MOST_ON
    shared = inputs.of_sight(seen, order, on)
    mask = seen.hand if kind == fast.YIELD else mask
    take = heuristic.take_chance(seen, kind, mask, inputs.RESCUE, inputs.PARTNER_TAKES)
    return on[: inputs.of_move(seen, move, take, order, on, shared)]


def test_whole_numbers_choose_as_the_trained_net_does() -> None:
    trained = train.fresh(64, 32, 1)
    data = export.pack(trained)
    packed = net.parse(data)
    again = export.unpack(data)
    room, values = compiled.scratch(again), np.zeros(64)
    rng, same, total = random.Random(1), 0, 0
    hidden, second, on = np.zeros(64, np.float32), np.zeros(32, np.float32), np.zeros(inputs.MOST_ON, np.int16)
    for _ in range(60):
        state = fast.State.random(rng)
        while state.phase != fast.OVER:
            choices = state.legal()
            seen = sight.of_state(state)
            if len(choices) > 1:
                exact = []
                for move in choices:
                    count = compiled.encode(seen, move, on)
                    first = trained[1].copy()
                    compiled.add_rows(first, trained[0], on, 0, count)
                    exact.append(compiled.layers(first, trained[2], trained[3], trained[4], hidden, second))
                mine = net.values(packed, seen, choices, inputs.suit_order(seen))
                whole = compiled.values_by_net(seen, np.array(choices), len(choices), again, room, values)
                assert values[: len(choices)] * packed.unit == pytest.approx(mine, abs=packed.unit * 1e-4)
                assert mine[whole] >= max(mine) - packed.unit * 2e-4
                same += exact.index(max(exact)) == mine.index(max(mine))
                assert mine[0] / packed.unit == pytest.approx(exact[0], abs=0.2)
                total += 1
            state.apply(rng.choice(choices))
    assert same / total > 0.95


def test_training_learns_and_repeats_itself(tmp_path: Path) -> None:
    plan = train.Plan(rounds=10, deals=200, hidden=16, second=8, check_every=1000)
    log: list[str] = []
    nets = [train.train(plan, tmp_path / f"{i}.npz", log.append) for i in (1, 2)]
    for one, other in zip(*nets, strict=True):
        assert np.array_equal(one, other)
    before = train.against_hard(train.fresh(16, 8, 1), 300, 9)[0]
    assert train.against_hard(nets[0], 300, 9)[0] > before + 0.05
    assert len(log) == 2
    for one, other in zip(train.load(tmp_path / "1.npz"), nets[0], strict=True):
        assert np.array_equal(one, other)


def test_tuning_finds_better_weights() -> None:
    plan = tune.Plan(generations=7, candidates=20, elite=5, pairs=150, seed=5)
    found = np.array(tune.tune(plan, lambda line: None))
    results = tune.play(found, np.array(heuristic.BY_HAND), 3000, 99)
    assert results[:, 0].mean() / 2 > 0.52


def test_compiled_match_agrees_with_the_arena() -> None:
    """Level hard against the weights set by hand: the same strength by both ways of playing."""
    from goat_engine.bots import duel

    hard, by_hand = np.array(weights.TUNED), np.array(heuristic.BY_HAND)
    fast_share = tune.play(hard, by_hand, 20_000, 4)[:, 0].mean() / 2
    slow = duel.pairs(0, 500, 4, ("hard", "hard"), ("byhand", "byhand"), lambda: 0.0)
    mean, half = duel.interval(slow.wins)
    assert abs(fast_share - mean) < 2 * half


def test_tuned_weights_are_written_as_a_module() -> None:
    text = command.module_text(weights.TUNED, "a command")
    space: dict[str, object] = {}
    exec(compile(text, "weights", "exec"), space)
    assert space["TUNED"] == pytest.approx(weights.TUNED, rel=1e-3)
    assert "a command" in text


def test_levels_are_what_the_training_calls_them() -> None:
    assert players.LEVELS == ("easy", "medium", "hard", "expert")
