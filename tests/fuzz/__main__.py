"""``python3 dev.py fuzz [TARGET ...] [--guided] [--executions N] [--seconds S] [--seed N]``: as long as one likes.

Prints how many inputs each target was given. What breaks a promise is kept in ``tests/fuzz/crashes`` and from then on
is a test. ``--guided``: led by coverage, which finds more than chance does; ``--grow`` keeps in the tree what it found.
"""

import argparse
import json
import random
import sys
import time
import traceback
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz.guided import KEPT_MOST, Guided, as_json, guide, keep_crash
from tests.fuzz.targets import TARGETS, mutated

SECONDS = 60.0  # of processor time for a target, where nothing else is said


def fuzz(name: str, executions: int, seconds: float, seed: int) -> tuple[int, int]:
    """Inputs given to a target, and how many broke its promise. 0: no such bound."""
    target, rng = TARGETS[name], random.Random(f"{name}/{seed}")
    seeds, runs, broken = target.seeds(), 0, 0
    end = time.process_time() + (seconds or float("inf"))
    while time.process_time() < end and broken < KEPT_MOST and runs < (executions or runs + 1):
        data = mutated(rng, seeds)
        runs += 1
        try:
            target.run(data)
        except Exception:  # noqa: BLE001 - that any can come is what is looked for
            broken += 1
            sys.stderr.write(f"{name}: {keep_crash(name, data)}\n{traceback.format_exc()}\n")
    return runs, broken


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python3 dev.py fuzz")
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], help="all when left out")
    parser.add_argument("--guided", action="store_true", help="led by coverage (Linux and macOS)")
    parser.add_argument("--executions", type=int, default=0, help="inputs for each target")
    parser.add_argument("--seconds", type=float, default=0.0,
                        help=f"processor time for each target ({SECONDS:.0f} without --executions)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=None, help="the same inputs again")
    parser.add_argument("--grow", action="store_true", help="keep in the tree what --guided has found")
    parser.add_argument("--figures", type=Path, default=None, help="add what --guided came to to this JSON file")
    return parser


def led(name: str, args: argparse.Namespace, seconds: float, seed: int) -> Guided:
    """Fuzz one target with coverage as the guide."""
    done = guide(name, args.executions, seconds, seed, grow=args.grow)
    print(done, flush=True)
    if args.figures is not None:
        before = json.loads(args.figures.read_text("utf-8")) if args.figures.exists() else []
        args.figures.write_text(json.dumps([*before, *as_json([done])], indent=1), "utf-8")
    return done


def main(argv: list[str] | None = None) -> int:
    """0: no promise was broken; 1: some were."""
    args = arguments().parse_args(argv)
    if args.guided and find_spec("atheris") is None:
        sys.stderr.write("--guided needs atheris, which is there for Linux and macOS, and not for each new Python\n")
        return 2
    seed = random.SystemRandom().randrange(2**32) if args.seed is None else args.seed
    seconds = args.seconds or (0.0 if args.executions else SECONDS)
    print(f"seed {seed}", flush=True)
    failed = 0
    for name in args.targets or TARGETS:
        if args.guided:
            done = led(name, args, seconds, seed)
            failed += done.broken + done.hard
            continue
        runs, broken = fuzz(name, args.executions, seconds, seed)
        print(f"{name:10} {runs:>12,} inputs, {broken} broke a promise", flush=True)
        failed += broken
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
