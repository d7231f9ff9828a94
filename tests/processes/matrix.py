"""The kill matrix: real processes over TCP on loopback, one of them killed at a chosen message of a deal.

``python -m tests.processes.matrix [--points N] [--roles ...] [--seed S] [--only ROLE/KIND/N] [--table FILE]``

A table's process, its bots' process, seats in processes of their own and a watcher play seeded deals. At each kind
of message of join, deal, trick, claim, open and verdict one of the five roles (the host, the seat that has the turn,
another seat, the watcher, the bots' process) gets SIGKILL and is started again with the same key and folder. Then the
match has to go on: same seat, same hand, same score, four equal verdicts, nobody blamed or charged, all logs equal
byte for byte, no process left behind; what is played has to be what the rehearsal without a kill has played. A table
of role and point says how it ended and after how many seconds the log went on; any wrong outcome makes the exit
code 1. Kill-9 of a process loses nothing that it wrote; power cuts are played in `tests.world`.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tests.processes.points import GONE, GONE_POINTS, POINTS, ROLES, STAGES, WIRE, bots_at, sample, stage_of
from tests.processes.rehearsal import rehearse
from tests.processes.run import Result, Run, arguments_of

SEEDS: Final = ("m56", "m0", "m23", "m54")  # the first of these that fits; else another is looked for
LOOK_FOR: Final = 400  # seeds tried then: one deal in sixty has a claim about which three seats are asked
PER_RUN: Final = 4  # points of one table: enough to save starting processes, few enough to tell them apart
TRIES: Final = 3  # tables a point gets: with another match id (a secret that was never on disk) other cards come


def has_all(seed: str, role: str) -> bool:
    """Whether every point comes in the first deal of this seed, at the tables of this role."""
    rehearsed = rehearse(seed, arguments_of(seed, role), 1, bots_at(role))
    first = {*rehearsed.records[0], *rehearsed.records[1]}
    return all(point in first for point in POINTS if point.partition("/")[0] not in WIRE)


@cache
def seed_for(given: str, role: str) -> str:
    """The given seed, or one whose first deal has every point."""
    if given:
        return given
    tried = (*SEEDS, *(f"m{n}" for n in range(LOOK_FOR)))
    found = next((seed for seed in tried if has_all(seed, role)), None)
    if found is None:
        raise LookupError(f"no deal of {LOOK_FOR} has every point")
    return found


def groups(role: str, points: Sequence[str]) -> Iterator[list[str]]:
    """The points table by table: at most one of the join, and of the rest some that lie far apart."""
    if role == GONE:  # each costs its deal
        yield from ([point] for point in points)
        return
    joins = [p for p in points if stage_of(p) == "join"]
    rest = [p for p in points if stage_of(p) != "join"]
    count = max(len(joins), -(-len(rest) // PER_RUN))
    for n in range(count):
        yield [*joins[n : n + 1], *rest[n::count]]


def play_role(role: str, points: Sequence[str], given: str, folder: Path, keep: bool) -> Iterator[Result]:
    """All points of a role, on as many tables as it takes."""
    seed = seed_for(given, role)
    todo, table = list(points), 0
    for attempt in range(TRIES):
        left: list[str] = []
        # What has passed by while somebody else came back, or had other cards, gets a table for itself.
        for group in groups(role, todo) if not attempt else [[point] for point in todo]:
            table += 1
            shutil.rmtree(folder / f"{role}{table}", ignore_errors=True)
            run = Run(role, group, seed, folder / f"{role}{table}")
            run.play()
            yield from run.results
            left += run.wanted
            if not keep and all(r.good for r in run.results):
                shutil.rmtree(run.folder)
        todo = left
    yield from (Result(role, point, False, "did not come") for point in todo)


def report(results: Sequence[Result], roles: Sequence[str], points: Sequence[str]) -> str:
    """The table of role and point, with seconds, as Markdown."""
    by = {(r.role, r.point): r for r in results}
    lines = ["| | point | " + " | ".join(roles) + " |", "|---|---|" + "---|" * len(roles)]
    for stage, names in STAGES.items():
        for point in (p for p in names if p in points):
            cells = [by.get((role, point)) for role in roles]
            words = [("" if c is None else f"{c.seconds:.1f}" if c.good else "**wrong**") for c in cells]
            lines.append(f"| {stage} | {point} | " + " | ".join(words) + " |")
    return "\n".join(lines)


def summary(results: Sequence[Result], roles: Sequence[str]) -> str:
    """Of each role: points, wrong ones, seconds."""
    lines = ["| role | points | wrong | median s | longest s |", "|---|---|---|---|---|"]
    for role in roles:
        mine = [r for r in results if r.role == role]
        times = sorted(r.seconds for r in mine if r.good)
        if times:
            wrong = sum(not r.good for r in mine)
            lines.append(f"| {role} | {len(mine)} | {wrong} | {times[len(times) // 2]:.1f} | {times[-1]:.1f} |")
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    out = argparse.ArgumentParser(prog="python -m tests.processes.matrix", description="The kill matrix.")
    out.add_argument("--points", type=int, default=len(POINTS), help="how many points, spread over all (%(default)s)")
    out.add_argument("--roles", default=",".join((*ROLES, GONE)), help="whom to kill (%(default)s)")
    out.add_argument("--seed", default="", help="of keys, secrets and cards; one whose first deal has all is found")
    out.add_argument("--only", default="", metavar="ROLE/KIND/N", help="this one alone, its files are kept")
    out.add_argument("--folder", default="", help="where its files go; a new one that is removed when left out")
    out.add_argument("--table", default="", metavar="FILE", help="where the table is written")
    return out


def main(argv: list[str] | None = None) -> int:
    """Kill and count; 1 when anything came out wrong."""
    options = parser().parse_args(argv)
    roles, points = options.roles.split(","), sample(options.points)
    if options.only:
        role, _, point = options.only.partition("/")
        roles, points = [role], (point,)
    unknown = [*(r for r in roles if r not in (*ROLES, GONE)), *(p for p in points if p not in POINTS)]
    if unknown:
        print(f"not a role or point: {', '.join(unknown)}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # whatever it has started goes with it
    keep = bool(options.folder or options.only)
    folder = Path(options.folder or tempfile.mkdtemp(prefix="goat-kill-"))
    began, results = time.monotonic(), []
    for role in roles:
        chosen = points
        if role == GONE and not options.only:
            chosen = tuple(p for p in points if p in GONE_POINTS)
        for result in play_role(role, chosen, options.seed, folder, keep):
            results.append(result)
            word = f"{result.seconds:5.1f} s  goes on" if result.good else f"WRONG: {result.text}"
            print(f"{role}/{result.point:15} {word}", flush=True)
    wrong = [r for r in results if not r.good]
    text = f"{summary(results, roles)}\n\n{report(results, roles, points)}\n"
    print(f"\n{text}\n{len(results)} kills, {len(wrong)} wrong, {time.monotonic() - began:.0f} s")
    if options.table:
        Path(options.table).write_text(text, encoding="utf-8")
    if keep or wrong:
        print(f"files: {folder}")
    else:
        shutil.rmtree(folder)
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    sys.exit(main())
