"""Speed of the bots' engine and of each level: python benchmarks/bench_bots.py [--seconds S] [--deals N].

One core, process time. Random deals a second in the fast engine, beside trick games of OpenSpiel (C++, driven
from Python in the same way) if the package is installed; then milliseconds a move by level, for moves that have
a choice.
"""

import argparse
import importlib.util
import random
import time
from collections.abc import Callable

from goat_engine.bots import duel, fast, players

TARGET_DEALS = 10_000
TARGET_EXPERT_MS = 2.0
OTHERS = ("hearts", "euchre", "skat", "spades", "oh_hell")


def rate(play: Callable[[random.Random], int], seconds: float) -> tuple[float, float]:
    """Deals and moves a second of a function that plays one deal and returns its moves; best of three."""
    rng = random.Random(1)
    best = (0.0, 0.0)
    for _ in range(3):
        deals = moves = 0
        start = time.process_time()
        while (spent := time.process_time() - start) < seconds / 3:
            for _ in range(20):
                moves += play(rng)
            deals += 20
        best = max(best, (deals / spent, moves / spent))
    return best


def goat_deal(rng: random.Random) -> int:
    return fast.random_deals(1, rng)


def foreign_deal(name: str) -> Callable[[random.Random], int]:
    import pyspiel

    game = pyspiel.load_game(name)

    def play(rng: random.Random) -> int:
        state, moves = game.new_initial_state(), 0
        draw = rng.random
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(draw() * len(actions))])
            moves += 1
        return moves

    return play


def engines(seconds: float) -> None:
    fast.random_deals(5000, random.Random(0))  # fills the tables of subsets
    rows = [("goat, fast engine", goat_deal)]
    if importlib.util.find_spec("pyspiel"):
        rows += [(f"OpenSpiel {name}", foreign_deal(name)) for name in OTHERS]
    else:
        print("OpenSpiel is not installed: nothing to compare with (pip install open_spiel)")
    print(f"{'random play':24} {'deals/s':>9} {'moves/s':>9}")
    for name, play in rows:
        deals, moves = rate(play, seconds)
        note = f"   target {TARGET_DEALS}" if name.startswith("goat") else ""
        print(f"{name:24} {deals:9.0f} {moves:9.0f}{note}")


def levels(deals: int) -> None:
    print(f"\n{'level':24} {'ms a move':>9} {'longest':>9}")
    for level in players.LEVELS:
        pace = duel.pairs(0, deals, 1, (level, level), ("random", "random"), time.process_time).paces[0]
        note = f"   target {TARGET_EXPERT_MS}" if level == "expert" else ""
        print(f"{level:24} {1000 * pace.mean:9.3f} {1000 * pace.longest:9.2f}{note}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6.0, help="for each engine")
    parser.add_argument("--deals", type=int, default=300, help="for each level")
    args = parser.parse_args()
    engines(args.seconds)
    levels(args.deals)


if __name__ == "__main__":
    main()
