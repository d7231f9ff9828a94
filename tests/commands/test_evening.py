"""`goat play` as somebody plays it: a whole match at a real table by keys, or by lines, and then another one."""

import os
import re
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pexpect
import pyte
import pytest

from goat_net.folders import HOME_VARIABLE, config_dir
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.processes,
    pytest.mark.long("plays two whole matches on a terminal"),
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX"),
]
ROWS, COLUMNS = 30, 100


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Folders of the test's own."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)
    config_dir().mkdir(parents=True, exist_ok=True)
    return {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONPATH": os.pathsep.join(sys.path)}


def by_hint(text: str) -> str:
    """The key that does what a hint says."""
    word = text.rsplit("Hint: ", 1)[-1].split()[0]
    return {"discard": "d", "claim": "m", "let": "y"}.get(word, "\r")


def test_a_whole_match_by_keys_and_another(seed: int, env: dict[str, str]) -> None:
    (config_dir() / "goat.toml").write_text("hold = 0\nreveal = 0\n")  # quick: any key would go on too
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    arguments = ["-m", "goat_client", "play", "--bots", "easy", "--pace", "0", "--seed", str(seed)]
    child = pexpect.spawn(sys.executable, arguments, env={**env, "TERM": "xterm-256color"},
                          dimensions=(ROWS, COLUMNS), encoding="utf-8", codec_errors="replace")  # fmt: skip
    child.delaybeforesend = None  # type: ignore[assignment]
    end = time.monotonic() + PATIENCE
    reports: set[str] = set()
    hinted = seen = ""
    told = 0.0

    def look() -> str:
        with suppress(pexpect.TIMEOUT):
            stream.feed(re.sub(r"\x1b\[2[23];\d?t", "", child.read_nonblocking(65536, timeout=0.05)))
        return "\n".join(screen.display)

    try:
        while "Enter: play again" not in seen:
            assert time.monotonic() < end, f"the match has no end:\n{seen}"
            seen = look()
            asked = " ".join(" ".join(row[26:66].split()) for row in screen.display)  # beside the cards
            if "Enter: next deal" in seen or "who is the goat" in seen:
                reports.add(screen.display[0])
                child.send("\r")
            elif "Hint: " in asked:
                if asked != hinted or time.monotonic() - told > 0.4:  # again when it was read while it was drawn
                    child.send(by_hint(asked))
                    told = time.monotonic()
                hinted = asked
            elif "Your turn" in asked:
                child.send("h")
        assert "The match is over" in seen
        child.send("\r")
        while not re.search(r"deal 1 · trump", seen):
            assert time.monotonic() < end, f"no other match has begun:\n{seen}"
            seen = look()
        assert re.search(r"You, \w+ +0 ", seen)
        child.send("\x03\x03")
        child.expect(pexpect.EOF, timeout=PATIENCE)
        child.wait()
        assert child.exitstatus == 0
    finally:
        child.close(force=True)
    assert reports


def test_a_whole_match_by_lines_and_another(seed: int, env: dict[str, str]) -> None:
    words = ["play", "--plain", "--bots", "easy", "--pace", "0", "--seed", str(seed)]
    process = subprocess.Popen(
        [sys.executable, "-m", "goat_client", *words], env={**env, "TERM": "dumb"}, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    watch = threading.Timer(PATIENCE, process.kill)
    watch.start()
    lines: list[str] = []
    try:
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            answer = said(lines)
            if answer is not None:
                process.stdin.write(f"{answer}\n")
                process.stdin.flush()
        assert process.wait(timeout=PATIENCE) == 0, "\n".join(lines)
    finally:
        watch.cancel()
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
    text = "\n".join(lines)
    assert text.count("The match is over: ") == 1, text
    assert "\nDeal 1. " in text.partition("The match is over: ")[2], text
    # U9: what to type next about the match that was played; a line about the one that was left may follow.
    assert "goat replay steps through it, goat stats counts all your matches." in lines[-2:], text
    assert "\x1b" not in text


def said(lines: list[str]) -> str | None:
    """What is typed after the newest line: hints are asked for and followed; the second match is left."""
    line = lines[-1]
    over = any(text.startswith("The match is over") for text in lines)
    if over and line.startswith("Your cards"):
        return "q"
    if line.startswith("Your turn"):
        return "h"
    if line.startswith("Hint: "):
        what, _, cards = line.removeprefix("Hint: ").partition(". ")[0].replace(" with", "").partition(" ")
        return {"discard": f"d {cards}", "claim": "m", "let": "y"}.get(what, cards)
    return "" if "empty line" in line.lower() else None
