"""The commands that the papers name are there, and the quick ones stay quick."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dev
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
PAPERS = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")

# What costs start-up time and no quick answer needs: a module of each, and the room it belongs to in words.
HEAVY = ("prompt_toolkit", "zeroconf", "cryptography", "msgpack", "asyncio", "ssl", "numpy", "numba")


def code_of_papers() -> Iterator[str]:
    """Every line that a paper shows as code."""
    for paper in PAPERS:
        text = (ROOT / paper).read_text("utf-8")
        for block in re.findall(r"```.*?\n(.*?)```", text, re.DOTALL):
            yield from block.splitlines()
        yield from re.findall(r"`([^`\n]+)`", text)
        yield from (row.replace("`", "") for row in re.findall(r"^\| (`goat .*) \|$", text, re.MULTILINE))


def named_commands() -> dict[str, set[str]]:
    """Every word that a paper puts after goat or dev.py in code, with the options that follow it there."""
    found: dict[str, set[str]] = {}
    for line in code_of_papers():
        for command, rest in re.findall(r"(?:\bgoat|dev\.py) ([a-z]+)\b(.*)", line):
            found.setdefault(command, set()).update(re.findall(r" (--?[a-z][a-z-]*)\b", rest))
    return found


NAMED = named_commands()


def goat(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "goat_client", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("command", sorted(NAMED.keys() - dev.EXTRAS.keys() - {"goat"}))
def test_a_command_that_a_paper_names_exists_with_its_options(command: str) -> None:
    result = goat(command, "--help")
    assert result.returncode == 0, result.stderr
    assert f"goat {command}" in result.stdout
    assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", result.stdout)) >= NAMED[command]


def test_unknown_command_is_one_sentence() -> None:
    result = goat("nonsense")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_quick_answers_import_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys, atexit\n"
        f"atexit.register(lambda: print(*(m for m in {HEAVY!r} if m in sys.modules), file=sys.stderr))\n"
        f"sys.argv = ['goat', *{arguments!r}]\n"
        "from goat_client.cli import main\n"
        "sys.exit(main())\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()
    assert result.stderr.strip() == ""


def test_the_two_commands_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    for command in ("python3 dev.py play", "python3 dev.py test", "uv run goat play", "uv run pytest"):
        assert command in readme


def test_contributing_begins_with_the_one_command() -> None:
    lines = (ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()
    first_code = next(line for line in lines if "dev.py" in line)
    assert "python3 dev.py check" in first_code
    assert lines.index(first_code) < 8
