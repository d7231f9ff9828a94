"""``goat arena A B``: bots against bots in duplicate deals, with the interval that says how sure it is."""

import argparse
import json
import multiprocessing
import signal
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Final, TextIO

from goat_client.errors import CommandError
from goat_engine.bots.duel import Outcome, Pace, Team, interval, pairs
from goat_engine.bots.players import BASELINES
from goat_engine.levels import LEVELS
from goat_net.version import program_version

#: Pairs that one task of a worker plays: a second or so, so that Ctrl-C loses little.
PART: Final = 25
#: More deals than any question about these bots needs, and some hours of work.
MOST_DEALS: Final = 1_000_000
MOST_JOBS: Final = 64
CONNECT_WITHIN: Final = 10  # s until a scheduler has answered


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    names = (*LEVELS, *BASELINES)
    parser.add_argument("a", metavar="A", choices=names, help=f"one side: {', '.join(names)}")
    parser.add_argument("b", metavar="B", choices=names, help="the other side; the same name twice is a control")
    parser.add_argument("--deals", type=int, default=1000, metavar="N", help="deals, each played twice (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="processes (%(default)s)")
    parser.add_argument("--on", default="", metavar="ADDRESS", help="a Dask cluster that plays (extra cluster)")
    parser.add_argument("--seed", type=int, default=1, help="of the deals and the bots (%(default)s)")
    parser.add_argument("--partner", choices=names, help="each side is A or B together with a bot of this level")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


@dataclass(frozen=True, slots=True)
class Task:
    """What the workers play."""

    a: Team
    b: Team
    deals: int
    seed: int


def _worker_start() -> None:
    """Ctrl-C is the parent's to answer: a worker goes on until it is told to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _part(task: Task, first: int) -> tuple[int, Outcome]:
    count = min(PART, task.deals - first)
    return first, pairs(first, count, task.seed, task.a, task.b, time.perf_counter)


class Progress:
    """One line on a terminal with the time left; nothing where there is no terminal."""

    def __init__(self, out: TextIO, total: int) -> None:
        self._out, self._total, self._begin, self._shown = out, total, time.monotonic(), out.isatty()

    def show(self, done: int) -> None:
        """``done`` deals have been played."""
        if not self._shown or not done:
            return
        left = (time.monotonic() - self._begin) / done * (self._total - done)
        minutes, seconds = divmod(round(left), 60)
        bar = "#" * (30 * done // self._total)
        self._out.write(f"\r[{bar:30}] {done} of {self._total} deals, {minutes}:{seconds:02} left ")
        self._out.flush()

    def clear(self) -> None:
        """Leaves an empty line."""
        if self._shown:
            self._out.write("\r" + " " * 78 + "\r")
            self._out.flush()


def _alone(task: Task, progress: Progress) -> tuple[Outcome, bool]:
    outcome = Outcome()
    try:
        for first in range(0, task.deals, PART):
            outcome.join(_part(task, first)[1])
            progress.show(len(outcome.wins))
    except KeyboardInterrupt:
        return outcome, False
    return outcome, True


def _together(task: Task, jobs: int, progress: Progress) -> tuple[Outcome, bool]:
    """Parts go out to processes a few at a time; whole parts that came back count when it is broken off."""
    found: dict[int, Outcome] = {}
    todo = iter(range(0, task.deals, PART))
    waiting: set[Future[tuple[int, Outcome]]] = set()
    done, whole = 0, True
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_worker_start) as pool:
        try:
            while True:
                while len(waiting) < 2 * jobs and (first := next(todo, None)) is not None:
                    waiting.add(pool.submit(_part, task, first))
                if not waiting:
                    break
                ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in ready:
                    first, part = future.result()
                    found[first] = part
                    done += len(part.wins)
                progress.show(done)
        except KeyboardInterrupt:
            whole = False
            pool.shutdown(wait=True, cancel_futures=True)
    return _in_order(found), whole


def _in_order(found: dict[int, Outcome]) -> Outcome:
    """Parts joined as they were numbered, whoever played them: sums of floats depend on their order."""
    outcome = Outcome()
    for first in sorted(found):
        outcome.join(found[first])
    return outcome


def _on_cluster(task: Task, address: str, progress: Progress) -> tuple[Outcome, bool]:
    """Parts go out to the workers of a Dask cluster, a few at a time. Raises CommandError when there is none, or when
    a worker has another goat: its figures would be those of other bots."""
    try:
        from distributed import Client, as_completed
    except ModuleNotFoundError as error:
        raise CommandError("goat arena --on needs Dask: install goat-cards[cluster]") from error
    try:
        client = Client(address, timeout=CONNECT_WITHIN, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CommandError(f"No Dask scheduler answers at {address}") from error
    found: dict[int, Outcome] = {}
    whole = True
    with client:
        versions = client.run(program_version)
        others = sorted({v for v in versions.values() if v != program_version()})
        if not versions or others:
            what = f"speak of goat {', '.join(others)}, this is {program_version()}" if others else "are none"
            raise CommandError(f"The workers at {address} {what}")
        todo = iter(range(0, task.deals, PART))
        begun = [client.submit(_part, task, n, pure=False) for n in islice(todo, 2 * len(versions))]
        parts = as_completed(begun, loop=client.loop, with_results=True)
        try:
            for _, (first, part) in parts:
                found[first] = part
                progress.show(sum(len(p.wins) for p in found.values()))
                if (following := next(todo, None)) is not None:
                    parts.add(client.submit(_part, task, following, pure=False))
        except KeyboardInterrupt:
            whole = False
    return _in_order(found), whole


def summary(outcome: Outcome, args: argparse.Namespace, whole: bool) -> dict[str, object]:
    """The figures, with 95 % intervals as half widths; times in milliseconds for moves that had a choice."""

    def both(numbers: list[float], digits: int) -> dict[str, float]:
        mean, half = interval(numbers)
        return {"mean": round(mean, digits), "half": round(half, digits)}

    def pace(measured: Pace) -> dict[str, float]:
        return {"mean": round(1000 * measured.mean, 4), "max": round(1000 * measured.longest, 3)}

    return {
        "a": args.a,
        "b": args.b,
        "partner": args.partner,
        "deals": len(outcome.wins),
        "asked": args.deals,
        "whole": whole,
        "seed": args.seed,
        "win_rate": both(outcome.wins, 5),
        "margin": both(outcome.margins, 3),
        "defeat_points": both(outcome.defeats, 4),
        "ms_a_move": {"a": pace(outcome.paces[0]), "b": pace(outcome.paces[1])},
    }


def table(outcome: Outcome, args: argparse.Namespace) -> str:
    """The figures for people."""
    with_whom = f" + {args.partner}" if args.partner else ""
    wins, margins, defeats = (interval(n) for n in (outcome.wins, outcome.margins, outcome.defeats))
    lines = [
        f"{args.a}{with_whom} against {args.b}{with_whom}",
        f"  deals          {len(outcome.wins)}, each played twice, seed {args.seed}",
        f"  deals won      {100 * wins[0]:6.2f} % ± {100 * wins[1]:.2f}   (60:60 counts half)",
        f"  margin         {margins[0]:+7.2f} ± {margins[1]:.2f} points a deal",
        f"  defeat points  {defeats[0]:+7.3f} ± {defeats[1]:.3f} a deal, given less taken",
    ]
    for name, pace in zip((args.a, args.b), outcome.paces, strict=True):
        lines.append(f"  {name:14} {1000 * pace.mean:7.3f} ms a move, at most {1000 * pace.longest:.1f}")
    lines.append("  ± is half the 95 % interval")
    return "\n".join(lines) + "\n"


def run(args: argparse.Namespace) -> int:
    """Plays, and writes the figures to stdout: 0 done, 2 usage, 130 broken off (what was played is told)."""
    if not 1 <= args.deals <= MOST_DEALS or not 1 <= args.jobs <= MOST_JOBS:
        sys.stderr.write(f"goat arena: --deals is 1 to {MOST_DEALS}, --jobs is 1 to {MOST_JOBS}\n")
        return 2
    task = Task((args.a, args.partner or args.a), (args.b, args.partner or args.b), args.deals, args.seed)
    progress = Progress(sys.stderr, args.deals)
    if args.on:
        outcome, whole = _on_cluster(task, args.on, progress)
    elif args.jobs == 1:
        outcome, whole = _alone(task, progress)
    else:
        outcome, whole = _together(task, args.jobs, progress)
    progress.clear()
    if not whole:
        sys.stderr.write(f"Broken off after {len(outcome.wins)} of {args.deals} deals.\n")
    if args.json:
        sys.stdout.write(json.dumps(summary(outcome, args, whole)) + "\n")
    elif outcome.wins:
        sys.stdout.write(table(outcome, args))
    return 0 if whole else 130
