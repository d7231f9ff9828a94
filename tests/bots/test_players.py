"""The door, the levels and what they promise."""

import json
import random
import subprocess
import sys

import pytest
from goat_tools.selftest import play_fast, run

from goat_engine import bots
from goat_engine.actions import Claim, Discard, Show
from goat_engine.bots import fast, heuristic, net, players, sight, weights
from goat_engine.bots.rehearsal import Rehearsal
from goat_engine.cards import parse_all


def rehearsal(hands: dict[int, str], indicator: str) -> Rehearsal:
    """A deal in which seat 0 leads; what is not given is dealt from what is left, lowest first."""
    given = {seat: list(parse_all(text)) for seat, text in hands.items()}
    shown = parse_all(indicator)[0]
    rest = [card for card in range(36) if card != shown and all(card not in hand for hand in given.values())]
    order = [0] * 16
    for seat in range(4):
        hand = given.get(seat) or [rest.pop() for _ in range(4)]
        order[seat::4] = hand
    return Rehearsal([*order, *rest, shown], shown, 3, 0)


def test_unknown_level_is_named() -> None:
    game = rehearsal({0: "6S 7C 8C 9D"}, "7H")
    with pytest.raises(ValueError, match="easy, medium, hard, expert"):
        bots.choose(game.view(0), random.Random(1), "god")


def test_a_seat_that_owes_nothing_is_refused() -> None:
    game = rehearsal({0: "6S 7C 8C 9D"}, "7H")
    with pytest.raises(ValueError, match="no move to choose"):
        bots.choose(game.view(1), random.Random(1))
    with pytest.raises(ValueError, match="no move to choose"):
        bots.hint(game.view(1))


@pytest.mark.parametrize("level", bots.LEVELS)
def test_a_molodka_is_claimed_and_shown(level: str) -> None:
    game = rehearsal({0: "JS 6D 7D 8D", 1: "6C 7C 8C 9C"}, "7H")
    game.act(0, bots.choose(game.view(0), random.Random(4), "hard"))
    for seed in range(20):
        assert bots.choose(game.view(1), random.Random(seed), level) == Claim()
    game.act(1, Claim())
    assert bots.choose(game.view(1), random.Random(0), level) == Show(game.view(1).molodka)
    assert "claimed" in bots.hint(game.view(1)).reason


@pytest.mark.parametrize("level", bots.LEVELS)
def test_same_view_and_seed_same_move(level: str) -> None:
    game = rehearsal({}, "7H")
    view = game.view(0)
    assert all(
        bots.choose(view, random.Random(s), level) == bots.choose(view, random.Random(s), level) for s in range(10)
    )


def test_noise_is_harmless() -> None:
    """Over many deals of easy bots: no winning card of the partner is beaten by chance, no ten thrown away."""
    rng, checked = random.Random(2), 0
    for _ in range(150):
        state = fast.State.random(rng)
        while state.phase != fast.OVER:
            seen, choices = sight.of_state(state), state.legal()
            left = players.harmless(seen, choices)
            assert left
            assert set(left) <= set(choices)
            worth = [fast.points(move & fast.FULL) for move in choices if move & ~fast.FULL == fast.DISCARD]
            if seen.phase == fast.ANSWERING and seen.top_by == 2 and not seen.may_claim:
                assert all(move & ~fast.FULL == fast.DISCARD for move in left)
                checked += 1
            elif seen.phase == fast.ANSWERING and min(worth) < 10:
                thrown = [fast.points(m & fast.FULL) for m in left if m & ~fast.FULL == fast.DISCARD]
                assert all(points < 10 for points in thrown)
            state.apply(rng.choice(choices))
    assert checked > 200


def test_weights_fit_the_terms() -> None:
    assert len(weights.TUNED) == len(heuristic.BY_HAND) == heuristic.COUNT
    assert len(set(heuristic.TERMS)) == len(heuristic.TERMS)


def test_terms_stay_within_their_names() -> None:
    rng = random.Random(5)
    used = [False] * len(heuristic.TERMS)
    for _ in range(300):
        state = fast.State.random(rng)
        while state.phase != fast.OVER:
            seen = sight.of_state(state)
            for move in state.legal():
                out = [0.0] * len(heuristic.TERMS)
                heuristic.terms(seen, move, weights.TUNED, out)
                used = [was or bool(term) for was, term in zip(used, out, strict=True)]
                assert 0.0 <= heuristic.take_chance(seen, move & ~fast.FULL, move & fast.FULL, 0.5, 0.5) <= 1.0
            state.apply(rng.choice(state.legal()))
    assert [name for name, was in zip(heuristic.TERMS, used, strict=True) if not was] == []


def test_the_net_is_small_and_reads_back() -> None:
    loaded = net.shipped()
    assert loaded.second == 32
    with pytest.raises(net.NetError):
        net.parse(b"goatnet2")
    with pytest.raises(net.NetError):
        net.parse(b"x" * 70_000)
    data = (players.__file__ and net.files("goat_engine.bots").joinpath(net.FILE)).read_bytes()
    assert len(data) <= net.MOST_BYTES
    with pytest.raises(net.NetError):
        net.parse(data[:-1])
    with pytest.raises(net.NetError):
        net.parse(b"goatnet1" + data[8:])


def test_playing_imports_no_numpy() -> None:
    code = (
        "import sys, random, json\n"
        "from goat_engine import bots\n"
        "from goat_engine.bots import fast, players, sight\n"
        "state = fast.State.random(random.Random(1))\n"
        "for level in bots.LEVELS: players.decide(level, sight.of_state(state), random.Random(1))\n"
        "print(json.dumps([name for name in ('numpy', 'numba') if name in sys.modules]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_self_test_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    seen = run(deals=150, real=10, seed=3)
    assert seen["deals"] == 150
    assert seen["real deals"] == 10


def test_self_test_catches_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: an engine that loses a card does not pass."""
    whole = fast.State._close

    def lossy(state: fast.State) -> None:
        state.table[0] = 0
        whole(state)

    monkeypatch.setattr(fast.State, "_close", lossy)
    from collections import Counter

    from goat_tools.selftest import FaultError

    with pytest.raises(FaultError, match="lost"):
        play_fast(1, 1, Counter())


def test_discards_need_not_be_beats() -> None:
    """What a bot could beat with may be discarded (R9): both stand among its moves."""
    game = rehearsal({0: "JS 6D 7D 8D", 1: "AS 7C 8C 9H"}, "7H")
    game.act(0, next(a for a in game.view(0).actions() if len(getattr(a, "slots", ())) == 1))
    assert any(isinstance(a, Discard) for a in game.view(1).actions())
