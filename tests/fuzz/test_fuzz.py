"""A short form of the fuzz in every run; every crash that was ever found, for ever."""

import random
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fuzz import guided
from tests.fuzz.guided import kept
from tests.fuzz.targets import TARGETS, mutated

RUNS = 1500  # of each target: some seconds in all; `python -m tests.fuzz` runs as long as one likes
CRASHES = sorted(path for path in (Path(__file__).parent / "crashes").iterdir() if path.name != ".gitkeep")


@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_give_a_value_or_the_documented_error(name: str, seed: int) -> None:
    target, rng = TARGETS[name], random.Random(f"{name}/{seed}")
    seeds = target.seeds()
    for good in seeds:
        target.run(good)
    for _ in range(RUNS if name not in ("log-files", "proofs") else RUNS // 15):
        data = mutated(rng, seeds)
        try:
            target.run(data)
        except Exception as error:
            raise AssertionError(f"{name} breaks its promise on {data!r}") from error


@pytest.mark.parametrize("path", CRASHES, ids=lambda path: path.name)
def test_what_has_broken_a_promise_once_breaks_none(path: Path) -> None:
    """A file is named after its target: ``text-0123456789ab``."""
    TARGETS[path.name.rpartition("-")[0]].run(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_what_coverage_has_led_to_breaks_no_promise(name: str) -> None:
    """The corpus of ``dev.py fuzz --guided``: each input reaches something that the others do not."""
    units = kept(name)
    assert units
    for data in units:
        TARGETS[name].run(data)


@pytest.mark.long("a process with instrumented code")
@pytest.mark.skipif(find_spec("atheris") is None, reason="the extra `fuzz` is not installed")
def test_guided_fuzz_finds_a_fault_behind_three_comparisons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What says that nothing was found has to be able to find something: 1 in 16 million by chance."""
    monkeypatch.setattr(guided, "CRASHES", tmp_path)
    monkeypatch.setenv(guided.CRASHES_VARIABLE, str(tmp_path))
    done = guided.guide(guided.KNOWN_FAULT, 2_000_000, 60.0, 1, grow=False)
    assert done.broken == 1
    (crash,) = tmp_path.iterdir()
    assert crash.read_bytes().startswith(b"\xc5GO")
