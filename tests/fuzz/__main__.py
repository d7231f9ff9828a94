"""``python -m tests.fuzz [TARGET ...] [--seconds S] [--seed N]``: fuzz for as long as one likes.

Prints how many inputs each target was given. What breaks a promise is kept in ``tests/fuzz/crashes`` and from then on
is a test.
"""

import argparse
import hashlib
import random
import sys
import time
import traceback
from pathlib import Path

from tests.fuzz.targets import TARGETS, mutated

CRASHES = Path(__file__).parent / "crashes"
KEPT_MOST = 10  # crashes of a target in one run: more are the same


def fuzz(name: str, seconds: float, seed: int) -> tuple[int, int]:
    """Inputs given to a target, and how many broke its promise."""
    target, rng = TARGETS[name], random.Random(f"{name}/{seed}")
    seeds, runs, broken = target.seeds(), 0, 0
    end = time.process_time() + seconds
    while time.process_time() < end and broken < KEPT_MOST:
        data = mutated(rng, seeds)
        runs += 1
        try:
            target.run(data)
        except Exception:  # noqa: BLE001 - that any can come is what is looked for
            broken += 1
            path = CRASHES / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}"
            path.write_bytes(data)
            sys.stderr.write(f"{name}: {path}\n{traceback.format_exc()}\n")
    return runs, broken


def main(argv: list[str] | None = None) -> int:
    """0: no promise was broken; 1: some were."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], help="all when left out")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time for each target (%(default)s)")
    parser.add_argument("--seed", type=int, default=None, help="the same inputs again")
    args = parser.parse_args(argv)
    seed = random.SystemRandom().randrange(2**32) if args.seed is None else args.seed
    print(f"seed {seed}", flush=True)
    failed = 0
    for name in args.targets or TARGETS:
        runs, broken = fuzz(name, args.seconds, seed)
        print(f"{name:10} {runs:>12,} inputs, {broken} broke a promise", flush=True)
        failed += broken
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
