"""Fuzzing that is led by coverage: an input that reaches new code is kept, and changed further (atheris, libFuzzer).

``guide`` runs one target in a process of its own, since libFuzzer ends the process that it runs in. That process is
this module too: ``python -m tests.fuzz.guided TARGET REPORT CPU libFuzzer's arguments``. It needs the extra ``fuzz``.
"""

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
CRASHES_VARIABLE: Final = "GOAT_FUZZ_CRASHES"  # a test of the fuzz itself keeps its crash elsewhere
CRASHES: Path = Path(os.environ.get(CRASHES_VARIABLE) or Path(__file__).parent / "crashes")
KNOWN_FAULT: Final = "known-fault"
CORPUS: Final = Path(__file__).parent / "corpus"
KEPT_MOST: Final = 10  # places of faults of a target in one run: whoever reads them mends them before there are more
CORPUS_BYTES: Final = 48 * 1024  # of a target in the tree: read by every run of the tests, and seen in every difference
UNIT_BYTES: Final = 4096  # of an input: the largest message of a table has under 3 kB
LOG_BYTES: Final = 16_384  # of an input that is a file: entry 0 with the first shuffle of a match
LONGEST: Final = 20  # s for one input until it counts as a hang: some thousand times what the slowest takes
MEMORY_MB: Final = 1024  # of the process
LOOK_EVERY: Final = 256  # inputs between two looks at the processor time
PACKAGES: Final = ["goat_net", "goat_engine", "goat_client", "tomllib", "tests.fuzz.known_fault"]


@dataclass(frozen=True, slots=True)
class Guided:
    """What a run came to. ``cpu``: seconds of processor time. ``covered``, ``features``: libFuzzer's counters at its
    end: places in the code, and places with how often they were come to. ``corpus``: inputs that each reach something
    of their own. ``broken``: places in the code where a promise was broken; ``hard``: the process ended or hung."""

    target: str
    executions: int
    cpu: float
    covered: int
    features: int
    corpus: int
    broken: int
    hard: bool

    def __str__(self) -> str:
        hard = ", and THE PROCESS ENDED" if self.hard else ""
        return (
            f"{self.target:10} {self.executions:>12,} inputs in {self.cpu:7.1f} s of CPU, {self.covered:>5} places and "
            f"{self.features:>5} features, {self.corpus:>4} in the corpus, {self.broken} broke a promise{hard}"
        )


def kept(target: str) -> list[bytes]:
    """Inputs of this target that are kept in the tree, one a line."""
    path = CORPUS / f"{target}.txt"
    return [base64.b64decode(line) for line in path.read_text("ascii").split()] if path.exists() else []


def keep(target: str, units: list[bytes]) -> None:
    """Put these inputs into the tree instead, the short ones first, up to a bound."""
    lines: list[str] = []
    for unit in sorted(set(units), key=lambda unit: (len(unit), unit)):
        line = base64.b64encode(unit).decode()
        if sum(map(len, lines)) + len(line) > CORPUS_BYTES:
            break
        lines.append(line)
    CORPUS.mkdir(exist_ok=True)
    (CORPUS / f"{target}.txt").write_text("".join(f"{line}\n" for line in lines), "ascii")


def keep_crash(target: str, data: bytes) -> Path:
    """From now on these bytes are a test."""
    path = CRASHES / f"{target}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path


def guide(target: str, executions: int, seconds: float, seed: int, *, grow: bool) -> Guided:
    """Fuzz one target until so many executions or seconds of processor time, whichever comes first; 0: no such bound.
    ``grow``: what was found worth keeping goes into the tree."""
    from tests.fuzz.targets import TARGETS

    folder = ROOT / "build" / "fuzz" / target
    shutil.rmtree(folder, ignore_errors=True)
    units, hard = folder / "units", folder / "hard"
    units.mkdir(parents=True)
    hard.mkdir()
    report = folder / "report.json"
    longest = LOG_BYTES if target in ("log-files", "proofs", "frames") else UNIT_BYTES
    options = [f"-runs={executions or -1}", f"-seed={seed % 2**31}", f"-max_len={longest}", f"-timeout={LONGEST}",
               f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={hard}/", "-print_final_stats=1"]  # fmt: skip
    command = [sys.executable, "-m", "tests.fuzz.guided", target, str(report), str(seconds), *options, str(units)]
    ended = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=False)
    said = ended.stderr.decode("utf-8", "replace")
    (folder / "said.txt").write_text(said, "utf-8")
    for one in hard.iterdir():
        print(f"{target}: {keep_crash(target, one.read_bytes())}: the process ended or hung", file=sys.stderr)
    found = json.loads(report.read_text("utf-8")) if report.exists() else {"cpu": 0.0, "broken": 0, "executions": 0}
    if grow:
        given = {path.name for path in units.iterdir()} & {name_of(unit) for unit in TARGETS[target].seeds()}
        keep(target, [path.read_bytes() for path in units.iterdir() if path.name not in given])
    for text in found.get("said", []):
        print(text, file=sys.stderr)
    return Guided(
        target, found["executions"], found["cpu"], counter(said, "cov"), counter(said, "ft"), counter(said, "corp"),
        found["broken"], ended.returncode != 0,
    )  # fmt: skip


def name_of(unit: bytes) -> str:
    """The name under which libFuzzer, too, would write it."""
    return hashlib.sha1(unit, usedforsecurity=False).hexdigest()


def counter(said: str, name: str) -> int:
    """The last value of one of libFuzzer's counters."""
    values = re.findall(rf" {name}: (\d+)", said)
    return int(values[-1]) if values else 0


# The process that libFuzzer runs in ---------------------------------------------------------------------------------


class Watched:
    """A target whose broken promises are written down, and who stops when the processor time is over."""

    def __init__(self, name: str, report: Path, seconds: float) -> None:
        from tests.fuzz.known_fault import KNOWN
        from tests.fuzz.targets import TARGETS

        self.name, self.report, self.seconds = name, report, seconds
        self.target = KNOWN if name == KNOWN_FAULT else TARGETS[name]
        self.runs = 0
        self.places: dict[str, str] = {}

    def __call__(self, data: bytes) -> None:
        self.runs += 1
        try:
            self.target.run(data)
        except Exception as error:  # noqa: BLE001 - that any can come is what is looked for
            self.broke(data, error)
        if self.runs % LOOK_EVERY == 0:
            self.write()
            if self.seconds and time.process_time() > self.seconds:
                os.kill(os.getpid(), signal.SIGUSR1)  # libFuzzer says its counters and ends

    def broke(self, data: bytes, error: Exception) -> None:
        trace = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} at {Path(trace.filename).name}:{trace.lineno}"
        if place not in self.places and len(self.places) < KEPT_MOST:
            self.places[place] = f"{self.name}: {place}: {keep_crash(self.name, data)}\n{traceback.format_exc()}"
            self.write()

    def write(self) -> None:
        """What was found so far, whatever ends this process."""
        found = {"executions": self.runs, "cpu": time.process_time(), "broken": len(self.places)}
        new = self.report.with_suffix(".new")
        new.write_text(json.dumps({**found, "said": list(self.places.values())}), "utf-8")
        new.replace(self.report)


def main(name: str, report: Path, seconds: float, options: list[str]) -> None:
    """Be the process; libFuzzer does not come back from `Fuzz`."""
    import atexit

    import atheris

    with atheris.instrument_imports(include=PACKAGES):
        watched = Watched(name, report, seconds)
    seeds: list[bytes] = [*watched.target.seeds(), *kept(name)]
    for unit in seeds:
        (Path(options[-1]) / name_of(unit)).write_bytes(unit)
    atexit.register(watched.write)
    atheris.Setup([sys.argv[0], *options], watched)
    atheris.Fuzz()


def as_json(all_of_them: list[Guided]) -> list[dict[str, Any]]:
    """For a file of figures."""
    return [asdict(one) for one in all_of_them]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4:])
