"""``python3 dev.py python -m goat_tools.training tune`` and ``… train``: makes the weights the levels play with.

``… beliefs`` measures what was not worth its time.
"""

import argparse
import sys
import time
from pathlib import Path

from goat_engine.bots import heuristic, net, weights

HERE = Path(weights.__file__).parent


def say(text: str) -> None:
    """A line of the log."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def module_text(found: tuple[float, ...], command: str) -> str:
    """The module ``weights`` with these weights."""
    lines = []
    for begin in range(0, len(found), 9):
        lines.append("    " + " ".join(f"{weight:.4g}," for weight in found[begin : begin + 9]))
    return "\n".join(
        (
            '"""The heuristic\'s weights for level hard: data, found by the tuner.',
            "",
            f"Made by ``{command}``.",
            "In the order of ``heuristic.PARAMETERS`` and ``heuristic.TERMS``.",
            '"""',
            "",
            "from typing import Final",
            "",
            "# fmt: off",
            "TUNED: Final[tuple[float, ...]] = (",
            *lines,
            ")",
            "# fmt: on",
            "",
        )
    )


def run_tune(args: argparse.Namespace) -> int:
    """Finds weights, shows what they are worth on fresh deals, and writes them if asked to."""
    import numpy as np

    from goat_tools.training import tune

    plan = tune.Plan(
        generations=args.generations, candidates=args.candidates, pairs=args.pairs, seed=args.seed, further=args.further
    )
    found = tune.tune(plan, say)
    for name, rival in (("by hand", heuristic.BY_HAND), ("the weights so far", weights.TUNED)):
        wins = tune.play(np.array(found), np.array(rival), args.check, args.seed + 1_000_000_007)[:, 0] / 2
        half = 1.96 * wins.std() / args.check**0.5
        say(f"against {name}: {100 * wins.mean():.2f} ± {100 * half:.2f} % of {args.check} fresh pairs")
    command = (
        f"python -m goat_tools.training tune --generations {args.generations} "
        f"--candidates {args.candidates} --pairs {args.pairs} --seed {args.seed}{' --further' if args.further else ''}"
    )
    text = module_text(found, command)
    if args.write:
        (HERE / "weights.py").write_text(text, encoding="utf-8")
        say(f"written to {HERE / 'weights.py'}")
    else:
        say(text)
    return 0


def run_train(args: argparse.Namespace) -> int:
    """Trains a net, measures it on fresh deals, and writes the file that is shipped if asked to."""
    from goat_tools.training import export, train

    plan = train.Plan(
        rounds=args.rounds,
        hidden=args.hidden,
        explore=tuple(args.explore),
        rate=tuple(args.rate),
        hard=args.hard,
        blind=args.blind,
        seed=args.seed,
    )
    start = train.load(args.start_from) if args.start_from else None
    begin = time.monotonic()
    trained = train.train(plan, args.out, say, start)
    won, half, defeat = train.against_hard(trained, args.check, args.seed + 1_000_000_007)
    say(
        f"{time.monotonic() - begin:.0f} s; against hard: {100 * won:.2f} ± {100 * half:.2f} % of {args.check} "
        f"fresh pairs, defeat points {defeat:+.3f} a deal"
    )
    data = export.pack(trained)
    net.parse(data)
    if args.write:
        (HERE / net.FILE).write_bytes(data)
        say(f"{len(data)} bytes written to {HERE / net.FILE}")
    return 0


def run_critic(args: argparse.Namespace) -> int:
    """Trains the critic that ``beliefs`` needs."""
    from goat_tools.training import critic, export

    player = export.unpack((HERE / net.FILE).read_bytes())
    critic.train(critic.Plan(rounds=args.rounds, seed=args.seed), args.out, say, player)
    return 0


def run_beliefs(args: argparse.Namespace) -> int:
    """Measures what beliefs from the whole history add to the shipped net."""
    from goat_tools.training import beliefs, export, train

    player, critic = export.unpack((HERE / net.FILE).read_bytes()), train.load(args.critic)
    begin = time.monotonic()
    found = beliefs.measure(beliefs.Plan(args.pairs, args.worlds, args.prior, args.blind, args.seed), player, critic)
    say(
        f"{time.monotonic() - begin:.0f} s; against the net alone: {100 * found.won[0]:.2f} ± "
        f"{100 * found.won[1]:.2f} % of {args.pairs} pairs, "
        f"defeat points {found.defeat[0]:+.3f} ± {found.defeat[1]:.3f} a deal\n"
        f"worlds' weights worth {found.effective:.0f} equal ones, {100 * found.changed:.1f} % of close moves changed, "
        f"nats an unseen card {found.nats[0]:.4f} without the worlds and {found.nats[1]:.4f} with them"
    )
    return 0


def run_export(args: argparse.Namespace) -> int:
    """Writes the file that is shipped from a net saved in training."""
    from goat_tools.training import export, train

    data = export.pack(train.load(args.net))
    net.parse(data)
    args.out.write_bytes(data)
    say(f"{len(data)} bytes written to {args.out}")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python3 dev.py python -m goat_tools.training", description=__doc__)
    commands = parser.add_subparsers(required=True)
    tune = commands.add_parser("tune", help="the heuristic's weights (level hard), by the cross-entropy method")
    tune.add_argument("--generations", type=int, default=120)
    tune.add_argument("--candidates", type=int, default=48)
    tune.add_argument("--pairs", type=int, default=1500, help="of deals for each candidate and opponent")
    tune.add_argument(
        "--further", action="store_true", help="go on from the weights in use instead of those set by hand"
    )
    tune.add_argument("--check", type=int, default=50_000, help="fresh pairs for the last measurement")
    tune.add_argument("--write", action="store_true", help="write goat_engine/bots/weights.py")
    tune.add_argument("--seed", type=int, default=1)
    tune.set_defaults(run=run_tune)
    train = commands.add_parser("train", help="the net (level expert), by playing against itself")
    train.add_argument("--rounds", type=int, default=6000, help="of 2000 deals each (%(default)s)")
    train.add_argument("--hidden", type=int, default=128, help="units of the first layer (%(default)s)")
    train.add_argument("--hard", type=float, default=0.3, help="share of deals with a team of level hard")
    train.add_argument("--explore", type=float, nargs=2, default=(0.12, 0.03), metavar="P", help="first and last")
    train.add_argument(
        "--rate", type=float, nargs=2, default=(1e-3, 2e-5), metavar="R", help="of learning, first and last"
    )
    train.add_argument(
        "--blind", action="store_true", help="without what others declined to beat, to measure its worth"
    )
    train.add_argument("--start-from", type=Path, metavar="NET.npz", help="go on with a net that was saved")
    train.add_argument("--out", type=Path, default=Path("expert.npz"), help="where it is saved on the way")
    train.add_argument("--check", type=int, default=10_000, help="fresh pairs for the last measurement")
    train.add_argument("--write", action="store_true", help="write goat_engine/bots/expert.net")
    train.add_argument("--seed", type=int, default=1)
    train.set_defaults(run=run_train)
    critic = commands.add_parser("critic", help="a net that sees all hands when expert plays; it judges for beliefs")
    critic.add_argument("--rounds", type=int, default=1500, help="of 2000 deals each (%(default)s)")
    critic.add_argument("--out", type=Path, default=Path("critic.npz"), help="where it is saved on the way")
    critic.add_argument("--seed", type=int, default=1)
    critic.set_defaults(run=run_critic)
    beliefs = commands.add_parser("beliefs", help="measures what beliefs from the whole history add to expert's net")
    beliefs.add_argument("critic", type=Path, help="as the command critic saved it")
    beliefs.add_argument("--pairs", type=int, default=20_000)
    beliefs.add_argument("--worlds", type=int, default=200, help="dealt at each close decision (%(default)s)")
    beliefs.add_argument("--prior", type=float, default=50.0, help="worlds the net counts as much as (%(default)s)")
    beliefs.add_argument("--blind", action="store_true", help="all worlds weigh the same, to measure what weights add")
    beliefs.add_argument("--seed", type=int, default=1)
    beliefs.set_defaults(run=run_beliefs)
    export = commands.add_parser("export", help="the shipped file from a net saved in training")
    export.add_argument("net", type=Path)
    export.add_argument("--out", type=Path, default=HERE / net.FILE)
    export.set_defaults(run=run_export)
    args = parser.parse_args(arguments)
    run = args.run
    return int(run(args))


if __name__ == "__main__":
    raise SystemExit(main())
