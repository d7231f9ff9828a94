"""The commands that the papers name are there, and the quick ones stay quick."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import dev

ROOT = Path(__file__).parents[2]
CLI = ROOT / "client/goat_client/cli.py"
PAPERS = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")

# What costs start-up time and no quick answer needs: a module of each, and the room it belongs to in words.
HEAVY = ("prompt_toolkit", "zeroconf", "cryptography", "msgpack", "asyncio", "ssl", "numpy", "numba")

needs_cli = pytest.mark.skipif(not CLI.exists(), reason="goat_client.cli is not written yet")


def named_commands() -> set[str]:
    """Every word that a paper puts after goat or dev.py in code."""
    found = set()
    for paper in PAPERS:
        text = (ROOT / paper).read_text("utf-8")
        code = re.findall(r"```.*?\n(.*?)```", text, re.DOTALL) + re.findall(r"`([^`\n]+)`", text)
        for piece in code:
            found |= set(re.findall(r"(?:\bgoat|dev\.py) ([a-z]+)\b", piece))
    return found


def goat(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "goat_client", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@needs_cli
@pytest.mark.parametrize("command", sorted(named_commands() - set(dev.EXTRAS) - {"goat"}))
def test_a_command_that_a_paper_names_exists(command: str) -> None:
    result = goat(command, "--help")
    assert result.returncode == 0, result.stderr
    assert command in result.stdout


@needs_cli
def test_unknown_command_is_one_sentence() -> None:
    result = goat("nonsense")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


@needs_cli
@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_quick_answers_import_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys, atexit\n"
        f"atexit.register(lambda: print(*(m for m in {HEAVY!r} if m in sys.modules), file=sys.stderr))\n"
        f"sys.argv = ['goat', *{arguments!r}]\n"
        "from goat_client.cli import main\n"
        "sys.exit(main())\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
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
