"""The workshop's own tools: what is made again, what is measured, what is changed on purpose."""

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest
from goat_tools import ROOT, make, measure, mutants

import dev

# Made files


@pytest.mark.parametrize("name", make.MAKERS)
def test_every_maker_is_a_module_that_is_there(name: str) -> None:
    assert find_spec(make.MAKERS[name][0]) is not None


def test_what_is_not_made_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert make.main(["no such thing"]) == 2
    assert "man page and completions" in capsys.readouterr().err


def test_a_maker_that_fails_is_named(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(make, "MAKERS", {"good": ("this",), "bad": ("tests.no_such_module",)})
    assert make.main([]) == 1
    assert "failed: bad" in capfd.readouterr().err
    assert make.main(["good"]) == 0


@pytest.mark.parametrize("command", dev.MODULES)
def test_every_command_of_dev_has_its_extras(command: str) -> None:
    assert command in dev.EXTRAS
    assert f"dev.py {command}" in dev.__doc__


# Coverage


def summary(lines: int, run: int, branches: int, taken: int) -> dict[str, object]:
    figures = {"num_statements": lines, "covered_lines": run, "num_branches": branches, "covered_branches": taken}
    missing = list(range(1, lines - run + 1))
    return {"summary": figures, "missing_lines": missing, "missing_branches": [] if branches == taken else [[1, 2]]}


REPORT = {
    "files": {
        "goat_net/wire/codec.py": summary(100, 100, 20, 20),
        "goat_net/wire/text.py": summary(100, 97, 20, 18),
        "goat_net/version.py": summary(10, 10, 0, 0),
        "client/goat_client/views/table.py": summary(50, 50, 10, 9),
    }
}


def test_figures_are_counted_by_chapter() -> None:
    figures = measure.counted(REPORT)
    assert list(figures) == ["goat_client.views", "goat_net", "goat_net.wire"]
    assert figures["goat_net.wire"].percent() == (98.5, 95.0)
    assert figures["goat_net"].percent() == (100.0, 100.0)


def test_what_is_below_its_floor_is_said() -> None:
    figures = measure.counted(REPORT)
    floors = {"goat_net.wire": (98.0, 96.0), "goat_client.views": (99.0, 90.0)}
    said = measure.below(figures, floors)
    assert len(said) == 2
    assert "goat_net has no floor" in said[0]
    assert "95.0 % of branches" in said[1]


def test_holes_are_listed_by_line() -> None:
    assert measure.holes(REPORT) == [
        "goat_net/wire/text.py: 1, 2, 3", "client/goat_client/views/table.py: branches alone",
    ]  # fmt: skip


# Mutants

SOURCE = '''
"""A docstring is no part of the code."""
LIMIT: int = 3

def f(a: int, b: int = 1) -> bool:
    """Nor is this one."""
    if not a:
        return False
    return a + b < LIMIT and a != b
'''


def test_each_mutant_is_another_program_with_one_change() -> None:
    found = list(mutants.mutants("x.py", SOURCE))
    whats = [m.what for m in found]
    assert len(set(whats)) == len(whats) == 8
    assert "LIMIT: int = 3 => LIMIT: int = 4" in whats
    assert "return False => return True" in whats
    assert "return a + b < LIMIT and a != b => return a + b <= LIMIT and a != b" in whats
    assert "return a + b < LIMIT and a != b => return a + b < LIMIT or a != b" in whats
    assert "if not a: => if +bool(a):" in whats
    plain = ast.unparse(ast.parse(SOURCE))
    for mutant in found:
        assert mutant.text != plain
        compile(mutant.text, "x.py", "exec")
        assert SOURCE.splitlines()[mutant.line - 1].strip()


def test_every_target_and_its_tests_are_there() -> None:
    for file, tests in mutants.TARGETS.items():
        assert (ROOT / file).is_file()
        assert all((ROOT / path).exists() for path in tests)
    for file, _ in mutants.ARGUED:
        assert file in mutants.TARGETS


def test_a_reason_is_for_a_mutant_that_there_is() -> None:
    for file in {file for file, _ in mutants.ARGUED}:
        whats = {m.what for m in mutants.mutants(file, (ROOT / file).read_text("utf-8"))}
        assert {what for name, what in mutants.ARGUED if name == file} <= whats


@pytest.mark.long("runs the tests of the rules twice")
def test_a_mutant_of_the_rules_is_killed_and_the_rules_themselves_live() -> None:
    file = "goat_engine/rules.py"
    mutants.baseline(file, ("tests/engine/test_rules.py",))
    text = (ROOT / file).read_text("utf-8").replace("VOID_PENALTY: Final = 6", "VOID_PENALTY: Final = 7")
    mutant = mutants.Mutant(file, 1, "", text)
    assert mutants.killed_by(mutant, ("tests/engine/test_rules.py",)) == "killed"
    assert Path(ROOT / file).read_text("utf-8") != text
