"""Mutation testing of what must not be wrong: the rules, the match, the deck. A small change of the code, a *mutant*,
has to make a test fail; one that lives shows what no test holds.

    python3 dev.py mutants                     all mutants of all targets: hours
    python3 dev.py mutants --sample 100        a hundred of them, by chance
    python3 dev.py mutants match --jobs 2      all of the targets whose name has this word, two at a time

Exit code 0: all were killed, or live with a reason given here. 1: some live without one; they are listed.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from goat_tools import ROOT

ENGINE: Final = ("tests/engine",)
DECK: Final = ("tests/net/test_deck.py", "tests/net/test_deck_document.py")
TARGETS: Final = {
    "goat_engine/cards.py": ENGINE,
    "goat_engine/rules.py": ENGINE,
    "goat_engine/match.py": ENGINE,
    "goat_engine/state.py": ENGINE,
    "goat_engine/view.py": ENGINE,
    "goat_engine/audit.py": ENGINE,
    "goat_net/deck/curve.py": DECK,
    "goat_net/deck/seeds.py": DECK,
    "goat_net/deck/rounds.py": DECK,
    "goat_net/deck/deck_audit.py": DECK,
}
"""File -> the tests that have to see a mutant of it, the quick ones first."""

TIME: Final = 300.0
"""Seconds for the tests of one mutant: one that makes the tests run for ever is killed by that."""

ARGUED: Final[dict[tuple[str, str], str]] = {}
"""(file, what was changed as it is printed without its line) -> why no test can or need see it."""

COMPARES: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
SUMS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One changed file. ``what``: the statement before and after, for people; ``line``: where it stands."""

    file: str
    line: int
    what: str
    text: str


def mutants(file: str, text: str) -> Iterator[Mutant]:
    """Every mutant of a file: comparisons turned, sums turned, numbers one more, and/or, not left out."""
    tree = ast.parse(text)
    places = [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]
    kept = _statements(tree)
    for number, node in enumerate(places):
        for change in range(_changes(node)):
            other = copy.deepcopy(tree)
            _change(_nth(other, number), change)
            if id(node) not in kept:
                continue
            before, new = kept[id(node)], _statements(other)[id(_nth(other, number))]
            yield Mutant(file, before.lineno, f"{_short(before)} => {_short(new)}", ast.unparse(other))


def _nth(tree: ast.AST, number: int) -> ast.AST:
    return [node for node in ast.walk(tree) if not isinstance(node, ast.expr_context)][number]


def _statements(tree: ast.AST) -> dict[int, ast.stmt]:
    """For each expression the smallest statement that it is part of. Docstrings and annotations are no part of any."""
    found: dict[int, ast.stmt] = {}

    def walk(node: ast.AST, statement: ast.stmt | None) -> None:
        if isinstance(node, ast.stmt):
            statement = node
        if statement is not None:
            found[id(node)] = statement
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    walk(child, statement)

    walk(tree, None)
    return found


def _changes(node: ast.AST) -> int:
    """How many mutants this node gives."""
    match node:
        case ast.Compare(ops=[op]):
            return int(type(op) in COMPARES)
        case ast.BinOp(op=op) | ast.AugAssign(op=op):
            return int(type(op) in SUMS)
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return 1
        case ast.Constant(value=bool()):
            return 1
        case ast.Constant(value=int()):
            return 1
        case ast.IfExp():
            return 1
    return 0


def _change(node: ast.AST, change: int) -> None:
    """Make the mutant, in place."""
    assert change == 0
    match node:
        case ast.Compare(ops=[op]):
            node.ops = [COMPARES[type(op)]()]
        case ast.BinOp(op=op) | ast.AugAssign(op=op):
            node.op = SUMS[type(op)]()
        case ast.BoolOp(op=op):
            node.op = ast.Or() if isinstance(op, ast.And) else ast.And()
        case ast.UnaryOp(op=ast.Not()):
            node.op = ast.UAdd()
            node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
            ast.fix_missing_locations(node)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.IfExp():
            node.body, node.orelse = node.orelse, node.body


def _short(statement: ast.stmt) -> str:
    """The first line of a statement; of a compound one its head."""
    return ast.unparse(statement).partition("\n")[0][:160]


def killed_by(mutant: Mutant, tests: Sequence[str]) -> str:
    """How the tests take a mutant: ``killed``, ``lives``, or ``time`` when they did not end (which kills it)."""
    package = mutant.file.partition("/")[0]
    with tempfile.TemporaryDirectory(prefix="goat-mutant-") as folder:
        shutil.copytree(ROOT / package, Path(folder) / package, ignore=shutil.ignore_patterns("__pycache__"))
        (Path(folder) / mutant.file).write_text(mutant.text, "utf-8")
        # -P: the checkout is not first in the path, so this copy of the package is the one that is imported.
        command = [sys.executable, "-P", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1", "GOAT_TEST_SEED": "1"}
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIME,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "time"
    return "lives" if done.returncode == 0 else "killed"


def baseline(file: str, tests: Sequence[str]) -> None:
    """Raises SystemExit when the tests fail without a change, or do not look at the copy at all."""
    text = (ROOT / file).read_text("utf-8")
    if killed_by(Mutant(file, 0, "nothing", text), tests) != "lives":
        raise SystemExit(f"{' '.join(tests)} fail without a change; mend that first")
    if killed_by(Mutant(file, 0, "all", "raise AssertionError\n"), tests) != "killed":
        raise SystemExit(f"{' '.join(tests)} do not import {file}")


def main(words: Sequence[str] | None = None) -> int:
    """Run the mutants that were asked for and list those that live."""
    parser = argparse.ArgumentParser(prog="dev.py mutants", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="WORD", help="targets with this word in their name (default: all)")
    parser.add_argument("--sample", type=int, metavar="N", help="so many mutants by chance")
    parser.add_argument("--seed", type=int, default=1, help="which by chance (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time (%(default)s)")
    options = parser.parse_args(words)
    files = [file for file in TARGETS if not options.names or any(word in file for word in options.names)]
    if not files:
        parser.error("no target has such a word; there are: " + ", ".join(TARGETS))
    chosen = [mutant for file in files for mutant in mutants(file, (ROOT / file).read_text("utf-8"))]
    if options.sample is not None and options.sample < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    for file in {mutant.file for mutant in chosen}:
        baseline(file, TARGETS[file])
    begun, counts, living = time.monotonic(), dict.fromkeys(("killed", "time", "lives"), 0), []
    with ThreadPoolExecutor(options.jobs) as pool:
        for mutant, end in zip(chosen, pool.map(lambda m: killed_by(m, TARGETS[m.file]), chosen), strict=True):
            counts[end] += 1
            if end == "lives":
                why = ARGUED.get((mutant.file, mutant.what))
                living += [] if why else [mutant]
                print(f"{mutant.file}:{mutant.line}: {mutant.what}" + (f"   ({why})" if why else ""), flush=True)
    spent, killed = time.monotonic() - begun, counts["killed"] + counts["time"]
    print(f"{len(chosen)} mutants: {killed} killed ({counts['time']} by time), {counts['lives']} live, "
          f"{len(living)} of them without a reason; {spent:.0f} s")  # fmt: skip
    return 1 if living else 0


if __name__ == "__main__":
    sys.exit(main())
