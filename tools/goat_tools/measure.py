"""``python3 dev.py coverage``: the tests, measured: which lines and branches of the packages they go through.

    python3 dev.py coverage           what a newcomer runs
    python3 dev.py coverage --all     the long tests as well: the figures that the floors are for
    python3 dev.py coverage ARGS      ARGS go to pytest

Prints lines and branches of each room and chapter, and the holes with ``--holes``. Exit code 1: a test failed, or after
``--all`` a chapter is below its floor.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from goat_tools import ROOT

FOLDER: Final = ROOT / "build" / "coverage"

FLOORS: Final[dict[str, tuple[float, float]]] = {}
"""Chapter -> per cent of lines and of branches, below which something has lost its tests."""


@dataclass
class Counted:
    """Lines and branches of one chapter: how many there are, how many were run."""

    lines: int = 0
    run: int = 0
    branches: int = 0
    taken: int = 0

    def percent(self) -> tuple[float, float]:
        """Lines and branches, in per cent; 100 where there are none."""
        return (100 * self.run / (self.lines or 1) if self.lines else 100.0,
                100 * self.taken / self.branches if self.branches else 100.0)  # fmt: skip


def chapter_of(file: str) -> str:
    """The room or chapter of a file, as `goat_tools.graph` counts them: ``client/goat_client/views/table.py`` is of
    ``goat_client.views``."""
    parts = file.replace("\\", "/").split("/")
    begin = next(n for n, part in enumerate(parts) if part.startswith("goat_"))
    return ".".join(parts[begin:-1][:2])


def counted(report: dict[str, Any]) -> dict[str, Counted]:
    """The figures of coverage's JSON by chapter."""
    found: dict[str, Counted] = {}
    for file, one in report["files"].items():
        of = found.setdefault(chapter_of(file), Counted())
        summary = one["summary"]
        of.lines += summary["num_statements"]
        of.run += summary["covered_lines"]
        of.branches += summary["num_branches"]
        of.taken += summary["covered_branches"]
    return dict(sorted(found.items()))


def below(figures: dict[str, Counted], floors: dict[str, tuple[float, float]] = FLOORS) -> list[str]:
    """One sentence for each chapter that is below its floor or has none."""
    said = []
    for chapter, one in figures.items():
        lines, branches = one.percent()
        floor = floors.get(chapter)
        if floor is None:
            said.append(f"{chapter} has no floor in goat_tools/measure.py")
        elif lines < floor[0] or branches < floor[1]:
            said.append(f"{chapter}: {lines:.1f} % of lines and {branches:.1f} % of branches are less than {floor}")
    return said


def holes(report: dict[str, Any]) -> list[str]:
    """Each file that is not run whole, with its lines."""
    return [
        f"{file}: {', '.join(map(str, one['missing_lines'])) or 'branches alone'}"
        for file, one in report["files"].items()
        if one["missing_lines"] or one["missing_branches"]
    ]


def main(words: Sequence[str]) -> int:
    """Run, combine, print, compare."""
    import dev  # the same words mean the same tests

    rest = [word for word in words if word != "--holes"]
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    coverage = [sys.executable, "-m", "coverage"]
    code = subprocess.run([*coverage, "run", "-m", "pytest", *dev.tests(rest)], cwd=ROOT, check=False).returncode
    subprocess.run([*coverage, "combine", "--quiet"], cwd=ROOT, check=True)
    path = FOLDER / "report.json"
    subprocess.run([*coverage, "json", "--quiet", "-o", str(path)], cwd=ROOT, check=True)
    report = json.loads(path.read_text("utf-8"))
    figures = counted(report)
    print(f"\n{'chapter':24}  lines        branches")
    for chapter, one in figures.items():
        lines, branches = one.percent()
        print(f"{chapter:24} {one.lines:5} {lines:6.1f} % {one.branches:5} {branches:6.1f} %")
    if "--holes" in words:
        print("\n" + "\n".join(holes(report)))
    said = below(figures) if "--all" in rest else []
    for sentence in said:
        print(sentence)
    return 1 if code or said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
