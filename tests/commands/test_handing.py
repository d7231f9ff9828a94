"""A host who leaves hands the table over, with real programs: nobody types an address, nobody's match is lost (U6)."""

import asyncio
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from goat_net.folders import HOME_VARIABLE
from tests.commands.test_evening import said
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.processes,
    pytest.mark.long("two programs, two tables and their bots"),
    pytest.mark.skipif(sys.platform == "win32", reason="a program is ended by the end of its input"),
]


class Person:
    """A program in lines, in a folder of its own; ``answer`` says what is typed after the newest line, or nothing."""

    def __init__(self, home: Path, name: str, answer: Callable[["Person"], str | None]) -> None:
        self.home, self.answer, self.lines = home, answer, list[str]()
        (home / "config").mkdir(parents=True)
        (home / "config" / "goat.toml").write_text(f'name = "{name}"\n')
        self.code: int | None = None

    async def play(self, *words: str) -> None:
        """From its first line to its end."""
        env = {**os.environ, HOME_VARIABLE: str(self.home), "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        env["PYTHONPATH"] = os.pathsep.join(sys.path)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "goat_client", *words, "--plain", env=env,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                self.lines.append(line.decode().rstrip("\n"))
                typed = self.answer(self)
                if typed is not None:
                    process.stdin.write(f"{typed}\n".encode())
            self.code = await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            process.stdin.close()

    @property
    def text(self) -> str:
        """All that was said."""
        return "\n".join(self.lines)


async def test_the_match_goes_on_at_a_guests_table(tmp_path: Path) -> None:
    """U6: Vera hosts and offers the table, Anna takes it; after a deal the next one begins at hers, Vera's program has
    ended with 0, and so has, at last, Anna's with its table."""
    where: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def vera(one: Person) -> str | None:
        line = one.lines[-1]
        found = re.search(r"joins by address: (\S+)", line)
        if found and not where.done():
            where.set_result(found[1])
        if line.startswith("Anna is ready"):
            return "start"
        if line.startswith("Your turn") and not any("You offer the table" in text for text in one.lines):
            return "give Anna"
        if line.startswith("You offer the table"):
            return "h"
        if "empty line" in line.lower() and "Table" in one.lines[0] and not any("Deal 1" in x for x in one.lines):
            return None  # the match is begun by a word of its own
        return said(one.lines)

    def anna(one: Person) -> str | None:
        line = one.lines[-1]
        if "hands you the table" in line:
            return "take"
        if line.startswith("Deal ") and "You have the table now." in one.lines:
            return "q"  # the match has gone on
        if "Leave in the middle of the match?" in line:
            return "yes"
        return said(one.lines)

    host, guest = Person(tmp_path / "vera", "Vera", vera), Person(tmp_path / "anna", "Anna", anna)
    here = ("--interface", "127.0.0.1", "--no-discovery")
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        group.create_task(host.play("host", "--bots", "easy,easy", "--pace", "0", "--target", "30", *here))
        address = await where
        group.create_task(guest.play("join", address))
    assert "Anna has the table next" in host.text, host.text
    assert "Anna has the table now" in host.text, host.text
    assert host.code == 0, host.text
    assert "You have the table now." in guest.text, guest.text
    deals = [int(number) for number in re.findall(r"^Deal (\d+)\. ", guest.text, re.MULTILINE)]
    assert deals == list(range(1, deals[-1] + 1)), guest.text  # none was dealt for nothing
    assert re.search(r"^Deal ", guest.text.partition("You have the table now.")[2], re.MULTILINE), guest.text
    assert guest.code == 0, guest.text
    assert not re.search("given up|accepts it", guest.text)
