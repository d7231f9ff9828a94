"""The game as a PettingZoo environment: PettingZoo's own tests, and that nothing hidden is seen."""

import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from goat_rl.observation import ACTIONS, PARTS, SIZE, legal, number_of, observe

from goat_engine.bots import choose
from goat_engine.bots.rehearsal import Rehearsal
from goat_engine.rules import SEATS
from goat_engine.state import FIRST_STOCK_SLOT


def deals(seed: int, count: int) -> Iterator[tuple[Rehearsal, random.Random]]:
    """Deals that are to be played, each with its chance."""
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        deck = list(range(36))
        rng.shuffle(deck)
        dealer = rng.choice(SEATS)
        yield Rehearsal(deck, rng.choice(deck[FIRST_STOCK_SLOT:]), dealer, (dealer + 1) % 4), rng


def test_an_observation_has_its_size_and_every_action_a_number_of_its_own(seed: int) -> None:
    for game, rng in deals(seed, 20):
        while (seat := game.whole.turn) is not None:
            view = game.view(seat)
            assert len(legal(view)) == len(view.actions()) > 0
            assert all(0 <= number < ACTIONS for number in legal(view))
            for other in SEATS:
                row = observe(game.view(other))
                assert len(row) == SIZE
                assert all(0.0 <= value <= 1.0 for value in row)
            action = choose(view, rng, "medium")
            assert legal(view)[number_of(view, action)] == action
            game.act(seat, action)


def test_what_is_hidden_makes_no_difference(seed: int) -> None:
    """Other cards where the seat cannot see them, dealt and after the whole course of a deal: the same row."""
    for game, rng in deals(seed, 5):
        dealer = game.whole.dealer
        for looking in SEATS:
            hidden = [slot for slot in range(36) if slot not in game.seats[looking].known]
            cards = [game.order[slot] for slot in hidden]
            rng.shuffle(cards)
            known = {**dict(enumerate(game.order)), **dict(zip(hidden, cards, strict=True))}
            other = Rehearsal([known[slot] for slot in range(36)], game.whole.indicator, dealer, (dealer + 1) % 4)
            assert other.order != game.order
            assert observe(other.view(looking)) == observe(game.view(looking))
            assert any(observe(other.view(seat)) != observe(game.view(seat)) for seat in SEATS)


def test_the_package_alone_loads_nothing_heavy() -> None:
    code = "import sys, goat_rl; sys.exit(any(m in sys.modules for m in ('numpy', 'pettingzoo', 'gymnasium')))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_who_lacks_the_extra_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import goat_rl

    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "goat_rl.environment", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'goat-cards\[rl\]'"):
        goat_rl.env()


# With the extra


@pytest.fixture
def rl() -> Any:
    pytest.importorskip("pettingzoo", reason="the extra rl is not installed")
    return pytest.importorskip("goat_rl.environment")


@pytest.mark.filterwarnings("ignore")  # PettingZoo's tests warn of what they find usual elsewhere
def test_pettingzoos_own_tests(rl: Any) -> None:
    from pettingzoo.test import api_test, seed_test

    api_test(rl.env(), num_cycles=400)
    seed_test(rl.env, num_cycles=200)


def test_a_deal_pays_the_two_teams_what_it_costs_the_other(rl: Any, seed: int) -> None:
    env, rng = rl.env(), random.Random(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter(2000):
        seen, _, termination, _, _ = env.last()
        choices = seen["action_mask"].nonzero()[0]
        env.step(None if termination else int(rng.choice(choices)))
        if not termination and all(env.terminations.values()):
            paid = [env.rewards[a] for a in env.possible_agents]
            assert paid[0] == paid[2] == -paid[1] == -paid[3]
            assert abs(paid[0]) in (0, 2, 4, 6)
        assert agent in env.possible_agents
    assert not env.agents


def test_what_an_agent_observes_does_not_come_from_the_open_cards(rl: Any, seed: int) -> None:
    env, rng = rl.raw_env(), random.Random(seed)
    env.reset(seed=seed)
    while not any(env.terminations.values()):
        for agent in env.agents:
            whole, known = env.game.whole, env.game.seats[env.agents.index(agent)].known
            hidden = [slot for slot in range(36) if slot not in known]
            seen = env.observe(agent)
            env.game.whole = whole.learn(dict(zip(hidden, [whole.known[slot] for slot in hidden[::-1]], strict=True)))
            assert (env.observe(agent)["observation"] == seen["observation"]).all()
            assert (env.observe(agent)["action_mask"] == seen["action_mask"]).all()
            env.game.whole = whole
        env.step(int(rng.choice(env.observe(env.agent_selection)["action_mask"].nonzero()[0])))


def test_an_illegal_move_ends_the_deal_for_who_makes_it(rl: Any, seed: int) -> None:
    env = rl.env()
    env.reset(seed=seed)
    seen, *_ = env.last()
    env.step(int((seen["action_mask"] == 0).nonzero()[0][0]))
    assert all(env.terminations.values())
    raw = rl.raw_env(render_mode="ansi")
    raw.reset(seed=seed)
    assert raw.render().endswith("20 in stock")
    with pytest.raises(ValueError, match="action_mask"):
        raw.step(ACTIONS)


def test_the_parts_of_an_observation_are_where_they_are_said_to_be(seed: int) -> None:
    game, _ = next(deals(seed, 1))
    view = game.view(0)
    row, at = observe(view), {}
    start = 0
    for name, size in PARTS:
        at[name] = row[start : start + size]
        start += size
    assert [place % 36 for place, value in enumerate(at["hand"]) if value] == [card for _, card in view.hand]
    assert at["trump"].index(1.0) == view.deal.trump
    assert at["indicator"].index(1.0) == view.deal.indicator
    assert at["stock"] == [1.0]
    assert at["sizes"] == [1.0] * 4
    assert not any(at["gone"] + at["open"] + at["covered"] + at["claimant"])
