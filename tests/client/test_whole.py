"""A program that is upgraded or removed while a deal is on plays on."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from goat_client.commands.whole import modules
from goat_client.game.local import random_deal
from goat_client.machine.terminal_mode import Mode

from goat_engine.record import encode_deal
from goat_engine.rules import Rules

ROOT = Path(__file__).parents[2]
ROOMS = (ROOT / "goat_net", ROOT / "goat_engine", ROOT / "client" / "goat_client")
# Commands that no session comes to, tools, and what depends on the system or on an extra.
NOT_ASKED = ("commands/arena.py", "commands/web.py", "goat_client/cli.py", "primitives/__init__.py", "bots/training/")
ELSEWHERE = ("msvcrt", "fcntl", "termios", "tty", "winreg", "goat_web", "prompt_toolkit.output.win32")


def late_imports() -> Iterator[tuple[Path, str]]:
    """Every module that a function imports when it is called, with the file where that stands."""
    for room in ROOMS:
        for path in room.rglob("*.py"):
            if any(part in path.as_posix() for part in NOT_ASKED):
                continue
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    continue
                for inner in ast.walk(node):
                    if isinstance(inner, ast.ImportFrom) and inner.module and not inner.level:
                        yield path, inner.module
                    elif isinstance(inner, ast.Import):
                        yield from ((path, name.name) for name in inner.names)


@pytest.mark.parametrize("mode", [Mode.FULL, Mode.PLAIN])
def test_what_a_session_may_import_later_is_loaded_with_it(mode: Mode) -> None:
    """S8: a hint after the program was removed ended the client: its module was imported at the key press."""
    program = (
        "import sys, asyncio\n"
        "from goat_client.machine.terminal_mode import Mode\n"
        "from goat_client.commands import sitting, whole, lobby\n"
        "whole.PAUSE = 0\n"
        f"asyncio.run(whole.load_rest(Mode({mode.value!r})))\n"
        "print(*sys.modules)\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(result.stdout.split())
    other = "goat_client/lines/" if mode is Mode.FULL else "goat_client/screen/"
    names = {"goat_client.lines"} if mode is Mode.FULL else {"goat_client.screen", "prompt_toolkit"}
    missing = {
        f"{module} (in {path.name})"
        for path, module in late_imports()
        if module not in loaded
        and other not in path.as_posix()
        and not module.startswith((*ELSEWHERE, *names))
        and module.partition(".")[0] not in sys.stdlib_module_names
    }
    assert missing == set()
    assert set(modules(mode)) <= loaded


def test_a_deal_is_played_on_when_the_program_is_gone() -> None:
    """S8: from the moment on when all is loaded no module and no file of the program can be had any more."""
    deal = encode_deal(random_deal(Random(3), 0, 1, Rules()))
    program = (
        "import sys, asyncio, importlib.resources\n"
        "from goat_client.machine.terminal_mode import Mode\n"
        "from goat_client import cli\n"
        "import goat_net.logs, goat_net.version, goat_client.commands.practice\n"
        "from goat_client.commands import sitting, whole\n"
        "whole.PAUSE = 0\n"
        "asyncio.run(whole.load_rest(Mode.PLAIN))\n"
        "class Gone:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] not in sys.stdlib_module_names:\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "def gone(*a):\n    raise FileNotFoundError\n"
        "importlib.resources.files = gone\n"
        "sys.meta_path.insert(0, Gone())\n"
        "from goat_client.cli import main\n"
        f"sys.exit(main(['play', '--plain', '--pace', '0', '--deal', {deal!r}]))\n"
    )
    words = "hint\nrules\nhelp\nhand\ntable\nscore\n" + "1\nhint\n" * 12 + "q\nyes\n"
    result = subprocess.run(
        [sys.executable, "-c", program], input=words, capture_output=True, text=True, timeout=100, check=False
    )
    assert "fault of goat" not in result.stderr, result.stderr
    assert "Traceback" not in result.stderr, result.stderr
    assert result.returncode in (0, 1), result
    assert "Hint" in result.stdout or "hint" in result.stdout, result.stdout
