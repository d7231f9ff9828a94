"""A real pseudo-terminal: what the shell gets back, whatever ended the game."""

import os
import re
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest

from tests.patience import PATIENCE

pytestmark = [pytest.mark.processes, pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")]
ALONE = str(Path(__file__).with_name("alone.py"))
MODES = ("1049", "1000", "1003", "1006", "1015", "2004")


class Console:
    """A child on a pseudo-terminal, everything it wrote, and how the terminal was set before."""

    def __init__(self, child: "pexpect.spawn[str]") -> None:
        self.child = child
        self.before = termios.tcgetattr(child.child_fd)
        self.raw = ""

    def expect(self, pattern: str) -> None:
        self.child.expect(pattern, timeout=PATIENCE)
        self.raw += str(self.child.before) + str(self.child.after)

    def send(self, text: str) -> None:
        self.child.send(text)

    def end(self) -> int:
        """Wait for the end; gives the exit code."""
        self.child.expect(pexpect.EOF, timeout=PATIENCE)
        self.raw += str(self.child.before)
        self.child.wait()
        return self.child.exitstatus if self.child.exitstatus is not None else -(self.child.signalstatus or 0)

    def assert_left_as_it_was(self) -> None:
        for mode in MODES:
            on, off = self.raw.rfind(f"\x1b[?{mode}h"), self.raw.rfind(f"\x1b[?{mode}l")
            assert on <= off, f"mode {mode} was left on"
        assert self.raw.rfind("\x1b[?25h") > self.raw.rfind("\x1b[?25l"), "the cursor is hidden"
        assert termios.tcgetattr(self.child.child_fd) == self.before


def environment(**more: str) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORTERM")}
    return {**env, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONPATH": os.pathsep.join(sys.path), **more}


@contextmanager
def console(*arguments: str, command: str = sys.executable, **env: str) -> Iterator[Console]:
    child = pexpect.spawn(command, list(arguments), env=environment(**env), dimensions=(24, 80), encoding="utf-8",
                          codec_errors="replace")  # fmt: skip
    child.delaybeforesend = None  # type: ignore[assignment]
    try:
        yield Console(child)
    finally:
        child.close(force=True)


def after_seats(c: Console) -> None:
    c.expect("Partners sit opposite")
    c.expect("keys")


def test_q_leaves_the_terminal_as_it_was() -> None:
    with console(ALONE, "mouse") as c:
        after_seats(c)
        c.send("q")
        c.expect("Leave the table")
        c.send("\r")
        assert c.end() == 0
        assert "\x1b[?1000h" in c.raw
        c.assert_left_as_it_was()
        assert "left: left 0" in c.raw


@pytest.mark.long("a program on a terminal")
def test_ctrl_c_asks_and_then_leaves() -> None:
    with console(ALONE) as c:
        after_seats(c)
        c.send("\x03")
        c.expect("Leave the table")
        c.send("\x03")
        assert c.end() == 0
        assert "\x1b[?1000h" not in c.raw
        assert "left: quit 0" in c.raw
        c.assert_left_as_it_was()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.sample(1, "a program on a terminal")
def test_a_signal_leaves_the_terminal_as_it_was(number: signal.Signals) -> None:
    with console(ALONE, "mouse") as c:
        after_seats(c)
        c.child.kill(number)
        assert c.end() == 128 + number
        assert f"left: quit {int(number)}" in c.raw
        c.assert_left_as_it_was()


@pytest.mark.long("a program on a terminal")
def test_a_fault_of_ours_is_told_after_the_terminal_is_put_back() -> None:
    with console(ALONE, "broken") as c:
        after_seats(c)
        c.send("p")
        assert c.end() == 1
        c.assert_left_as_it_was()
        assert c.raw.find("a fault of ours") > c.raw.rfind("\x1b[?1049l") > 0
        assert "Press ENTER" not in c.raw


@pytest.mark.skipif(sys.platform != "linux", reason="finds the child by /proc")
@pytest.mark.long("a shell on a terminal")
def test_ctrl_z_gives_the_shell_back_and_fg_the_table() -> None:
    with console("--norc", "--noprofile", "-i", command="bash", PS1="$ ") as c:
        c.expect(r"\$ ")
        c.before = termios.tcgetattr(c.child.child_fd)
        c.send(f"{sys.executable} {ALONE}\n")
        after_seats(c)
        c.send("\x1a")
        c.expect("Stopped")
        c.expect(r"\$ ")
        c.raw = c.raw.replace("\x1b[?2004h\x1b", "\x1b")
        c.send("echo o''k\n")
        c.expect("ok")
        c.expect(r"\$ ")
        c.send("fg\n")
        after_seats(c)
        pid = next(int(p) for p in Path(f"/proc/{c.child.pid}/task/{c.child.pid}/children").read_text().split())
        os.kill(pid, signal.SIGTSTP)  # by another process this time
        c.expect("Stopped")
        c.expect(r"\$ ")
        c.send("echo o''k\n")
        c.expect("ok")
        c.expect(r"\$ ")
        c.send("fg\n")
        after_seats(c)
        c.send("\x03\x03")
        c.expect("left: quit 0")
        c.expect(r"\$ ")
        assert c.raw.rfind("\x1b[?1049l") > c.raw.rfind("\x1b[?1049h")
        c.send("exit\n")
        c.end()


@pytest.mark.long("a whole deal on a terminal")
def test_a_deal_is_played_by_keys_and_stands_on_the_screen_as_it_should() -> None:
    screen = pyte.Screen(80, 24)
    stream = pyte.Stream(screen)
    with console(ALONE, "play") as c:
        fed = 0

        def look() -> str:
            nonlocal fed
            with suppress(pexpect.TIMEOUT):
                c.raw += c.child.read_nonblocking(65536, timeout=0.05)
            stream.feed(without_title(c.raw[fed:]))
            fed = len(c.raw)
            return "\n".join(screen.display)

        for _ in range(600):
            text = look()
            if "next deal" in text:
                break
            # Whatever is asked: choose from the left as many as are wanted, and discard, or lead the first card.
            prompt = " ".join(" ".join(row[28:52].split()) for row in screen.display[16:21])
            wanted = re.search(r"discard (\d)", prompt)
            if "Your turn: lead" in prompt:
                c.send("\x7f1\r\r")
            elif "Your turn" in prompt and wanted:
                c.send("\x7f" + "1234"[: int(wanted[1])] + "dd")
            elif "let theirs" in prompt:
                c.send("y")
        else:
            raise AssertionError("the deal has no end:\n" + look())
        assert "all cards open" in look()
        border = {row[0] for row in screen.display[1:22]}
        assert border <= {"┌", "│", "└"}
        c.send("\x03\x03")
        assert c.end() == 0
        c.assert_left_as_it_was()


def without_title(raw: str) -> str:
    """pyte takes the window-title stack for something else."""
    return re.sub(r"\x1b\[2[23];\d?t", "", raw)


def test_no_terminal_is_told_in_a_sentence() -> None:
    import subprocess

    done = subprocess.run([sys.executable, "-m", "goat_client", "learn"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, env=environment(), timeout=PATIENCE, check=False)  # fmt: skip
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


DUMB = {"TERM": "dumb"}
C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize("env", [DUMB, {**DUMB, **C_LOCALE}])
@pytest.mark.sample(1, "a program on a terminal")
def test_a_dumb_terminal_gets_lines_without_an_escape(env: dict[str, Any]) -> None:
    with console("-m", "goat_client", "learn", "--pace", "0", **env) as c:
        # A card keeps its number while it is in the hand: what is drawn takes the numbers that are free.
        steps = (("1 2", "Now lead six of diamonds"), ("3", "Discard ten of diamonds"),
                 ("d 4", "Beat with six of hearts"), ("2", "Type m"))  # fmt: skip
        c.expect("Lead ten of spades and ace of spades")
        for line, answer in steps:
            while True:  # a line sent in the very moment of the question is not taken
                c.send(line + "\n")
                c.expect(f"{answer}|once more")
                if "once more" not in str(c.child.after):
                    break
        c.send("q\n")
        assert c.end() == 0
        assert "\x1b" not in c.raw
        assert "You lead ten of spades, ace of spades." in c.raw
        if "PYTHONUTF8" in env:
            assert c.raw.isascii()
