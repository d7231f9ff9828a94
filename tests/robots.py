"""Evenings by robots: four clients on pseudo-terminals, keys only, reading the screen only.

Each robot does what people do – sits, talks, swaps, plays, pauses, opens pages, pastes, resizes, leaves, is killed and
comes back – at random from one seed, and knows what has to be true on every screen. To run some::

    python3 dev.py python -m tests.robots --evenings 5 --seed 1

Exit code 0: nothing was found; 1: what was found stands in the output, with the screen and the last keys.
"""

import argparse
import os
import random
import re
import signal
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pexpect
import pyte

SIZES: Final = ((80, 24), (60, 20), (120, 40), (100, 30), (200, 60))
NAMES: Final = ("Vera", "Anna", "Boris", "Ольга", "Zoé", "你好", "Root", "Igor")
LINES: Final = ("hello", "2 minutes please", "a  b", "who deals?", "ок", "q", "\u200b", "1", "👩\u200d👧 hi", "x" * 90)
PAGES: Final = "kglv?or"
SILLY: Final = re.compile(r"Traceback|\{[a-z_]+\}|\bNone\b(?! yet)|object at 0x| \.(?: |$)|\bnan\b")
"""What no sentence for people holds."""
QUIET: Final = 0.08  # s without output after which a screen is read
PATIENCE: Final = 60.0  # s in which a listed key has to change something, on a machine that is busy
MACHINES: Final = re.compile(r"being set up by all four|all four lock the deck")
FOOTER: Final = re.compile(r"^ K keys")
FIELD: Final = re.compile(r"^ [A-Z][^·]*: ?")


class Found(Exception):  # noqa: N818 - a finding
    """Something that must not be; the text says what, where and after which keys."""


@dataclass
class Robot:
    """One person: a folder of their own, a client on a terminal, and what was pressed last."""

    name: str
    home: Path
    rng: random.Random
    arguments: list[str]
    size: tuple[int, int] = (80, 24)
    raw: str = ""
    pressed: list[str] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=dict)

    def start(self) -> None:
        """A client, as from a shell."""
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORTERM")}
        env |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "GOAT_HOME": str(self.home)}
        env["PYTHONPATH"] = os.pathsep.join(sys.path)
        columns, rows = self.size
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.Stream(self.screen)
        self.child = pexpect.spawn(
            sys.executable, ["-m", "goat_client", *self.arguments], env=env, dimensions=(rows, columns),
            encoding="utf-8", codec_errors="replace",
        )  # fmt: skip
        self.child.delaybeforesend = None  # type: ignore[assignment]

    def look(self) -> str:
        """Read what has come, until nothing comes for a moment; the screen as text."""
        while True:
            try:
                some = self.child.read_nonblocking(65536, timeout=QUIET)
            except pexpect.TIMEOUT:
                break
            except pexpect.EOF:
                break
            self.raw = (self.raw + some)[-20_000:]
            self.stream.feed(re.sub(r"\x1b\[2[23];\d?t", "", some))
        text = "\n".join(self.screen.display)
        self.check(text)
        self.waits(text)
        return text

    def check(self, text: str) -> None:
        """What has to be true on every screen."""
        said = "\n".join(line for line in text.splitlines() if not FIELD.match(line))
        if "Traceback" in self.raw or SILLY.search(said):
            raise Found(self.about("a sentence that is none, or a traceback", text))
        lines = text.splitlines()
        if not self.child.isalive():
            if self.child.exitstatus != 0:
                raise Found(self.about(f"ended with exit code {self.child.exitstatus}", text))
            return
        shown = [line for line in lines if line.strip()]
        if shown and "Goat" in shown[0] and not (FOOTER.match(lines[-1]) or FIELD.match(lines[-1])):
            raise Found(self.about("a screen without its keys", text))
        if "Partners sit opposite" in text and "Leave the table?" not in text and "Enter close" not in lines[-1]:
            seated = re.findall(r"^│ +▸? *[1-4]  (\S.*?)(?: \(you\))?(?:  .*)?│", text, re.MULTILINE)
            people = [name.strip() for name in seated if name.strip() != "free"]
            if len(people) != len(set(people)):
                raise Found(self.about(f"two of one name: {people}", text))

    def waits(self, text: str) -> None:
        """Note since when the machines are at work: that takes them a moment, whatever people do."""
        if MACHINES.search(text) and "Paused by" not in text:
            self.waiting_since = self.waiting_since or time.monotonic()
        else:
            self.waiting_since = 0.0

    waiting_since: float = 0.0

    def about(self, what: str, text: str) -> str:
        """A finding in full."""
        raw = self.raw[-1500:] if "trace" in what else ""
        return f"{self.name}: {what}\nlast keys: {self.pressed[-12:]}\n{text}\n{raw}"

    def press(self, keys: str) -> None:
        """Send keys as a terminal would."""
        self.pressed.append(keys)
        with suppress(OSError):
            self.child.send(keys)

    def changes(self, keys: str, before: str) -> str:
        """Press a key that is listed; the screen has to change in time."""
        self.press(keys)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            now = self.look()
            if now != before or not self.child.isalive():
                return now
        raise Found(self.about(f"the key {keys!r} is listed and does nothing", before))

    def count(self, what: str) -> None:
        """Note what was done, for the figures."""
        self.done[what] = self.done.get(what, 0) + 1

    # -- what people do

    def step(self) -> None:
        """Look, and do one thing that fits."""
        text = self.look()
        if not self.child.isalive():
            self.count("came back")
            self.start()
            return
        lines, roll = text.splitlines(), self.rng.random()
        footer = lines[-1]
        if FIELD.match(footer) and not FOOTER.match(footer):
            self.in_field(footer)
        elif "Leave the table?" in text:
            there = re.search(r"Or hand the table to:\D*(\d)", text)
            if there and roll < 0.6:
                self.count("offered the table")
                self.changes(there[1], text)
            else:
                self.changes("\r" if roll < 0.3 else "\x1b", text)
        elif "Make the window" in text:
            self.resize((80, 24))
        elif " saw it" in text or "all cards open" in footer or "0-4 eyes" in footer:
            self.press(self.rng.choice(("\x1b", "\x1b[C", "\x1b[D", "h")))
        elif "Esc close" in footer or "Enter close" in footer or "Esc back" in footer:
            self.changes("\r" if "look at it" in footer and roll < 0.5 else "\x1b", text)
        elif roll < 0.03:
            self.unusual(text)
        elif roll < 0.07:
            self.page(text)
        elif "What now?" in text:
            self.in_lobby(text)
        elif "Partners sit opposite" in text:
            self.at_seats(text)
        else:
            self.at_table(text, footer)

    def in_field(self, footer: str) -> None:
        """A text field is open: type something into it, or give up."""
        self.count("typed")
        if "Address" in footer or "name" in footer.lower():
            self.press("\x15")
            self.press(self.address if "Address" in footer else self.rng.choice(NAMES))
            self.look()  # a text and Enter in one go would be a paste
            self.press("\r")
        elif self.rng.random() < 0.3:
            self.press(f"\x1b[200~{self.rng.choice(LINES)}\nq\n\x1b[201~")
        else:
            self.press(self.rng.choice(LINES))
            self.look()
            self.press(self.rng.choice(("\r", "\r", "\x1b")))

    address: str = ""

    def in_lobby(self, text: str) -> None:
        """Go to the table of this evening, or open it."""
        if self.host:
            if "Host a table" in text:
                self.count("hosted")
                self.changes("h", text)
                self.look()
                self.press("\r")
        elif self.address:
            self.count("joined")
            self.changes("a", text)

    host: bool = False

    def at_seats(self, text: str) -> None:
        """Before the match."""
        found = re.search(r"127\.0\.0\.1(?::\d+)?", text)
        if self.host and found:
            self.address = found.group()
        roll = self.rng.random()
        if "asks you to swap" in text:
            self.press(self.rng.choice("yn"))
        elif roll < 0.1:
            self.press(self.rng.choice("1234"))
        elif roll < 0.15:
            self.press("w")
        elif roll < 0.25:
            self.press("t")
        elif "Enter when you are ready" in text or "Enter takes" in text or "Enter sits" in text:
            self.press("\r")
        elif self.host and roll < 0.5:
            self.press("s")

    def at_table(self, text: str, footer: str) -> None:
        """A match is on."""
        asked = " ".join(text.split())
        roll = self.rng.random()
        hint = re.search(r"Hint: (\w+)", text)
        if "Y accept" in footer:
            self.count("accepted")
            self.press("y")
        elif re.search("A take the table|· A · N ·", footer) and roll < 0.7:
            self.count("took the table" if roll < 0.5 else "declined the table")
            self.press("a" if roll < 0.5 else "n")
        elif "E let go" in footer or "C charge" in footer:
            self.press(self.rng.choice("wecy"))
        elif "Paused by" in asked:
            self.press("p")
        elif re.search("Enter (next deal|go on|play again)|any key", footer):
            self.count("deals" if "next deal" in footer else "matches" if "play again" in footer else "tricks")
            if "match report" in footer and roll < 0.3:
                self.changes("h", text)
            else:
                self.press("\r")
        elif roll < 0.005:
            self.count("paused")
            self.press("p")
        elif roll < 0.02:
            self.press("t")
        elif hint:
            self.count("played")
            self.press({"discard": "d", "claim": "m", "let": "y"}.get(hint[1], "\r"))
        elif "let it stand" in footer:
            self.press("y")
        elif "Your turn" in text or "choose" in footer:
            self.press("h" if roll < 0.8 else self.rng.choice(("1", "2", "12\r", "1d", "\r", "d", "m", "b")))
        elif "sit down" in footer:
            self.press("s")
        elif "closed" in asked.lower() or "is gone" in asked:
            self.press("\r")

    def page(self, text: str) -> None:
        """Open a page and close it again: both are listed or always there."""
        self.count("pages")
        listed = "k?o" if "What now?" in text else "kv?or" if "Partners sit opposite" in text else PAGES
        opened = self.changes(self.rng.choice(listed), text)
        footer = opened.splitlines()[-1]
        if "Esc" in footer and FOOTER.match(footer):
            self.changes("\x1b", opened)

    def unusual(self, text: str) -> None:
        """What people do once in an evening."""
        what = self.rng.choice(("resize", "resize", "paste", "paste", "leave", "kill", "name"))
        self.count(what)
        if what == "resize":
            self.resize(self.rng.choice((*SIZES, (50, 15))))
        elif what == "paste":
            self.press("hello\rq\rdd12\r" if self.rng.random() < 0.5 else "\x1b[200~hello\nq\n\x1b[201~")
        elif what == "leave" and "What now?" not in text:
            self.press("q")
        elif what == "kill" and not self.host:
            self.child.kill(signal.SIGKILL)
            self.child.wait()
            self.start()
        elif what == "name":
            self.press("o")
            self.look()
            self.press("\r")

    def resize(self, size: tuple[int, int]) -> None:
        """Another window."""
        self.size = size
        self.screen.resize(size[1], size[0])
        self.child.setwinsize(size[1], size[0])

    def end(self) -> None:
        """Ctrl-C twice leaves from everywhere, with exit code 0 and the terminal put back."""
        for _ in range(3):
            if not self.child.isalive():
                break
            self.press("\x03")
            self.look()
            self.press("\x03")
            with suppress(pexpect.TIMEOUT):
                self.child.expect(pexpect.EOF, timeout=10)
        code = self.child.wait() if not self.child.closed else self.child.exitstatus
        if "Traceback" in self.raw:
            raise Found(self.about("a traceback at the end", self.raw[-1500:]))
        gone = self.child.signalstatus == signal.SIGINT or code == 130  # the second one came when the screen was gone
        if code != 0 and not gone:
            raise Found(self.about(f"Ctrl-C ended with exit code {code}", "\n".join(self.screen.display)))


def evening(seed: int, steps: int) -> dict[str, int]:
    """Four robots at one table; gives how often what was done. Raises Found."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="goat-robots-") as folder:
        robots = []
        for n, name in enumerate(("Host", "Anna", "Boris", "Dora")):
            home = Path(folder) / name
            (home / "config").mkdir(parents=True)
            arguments = ["--interface", "127.0.0.1", "--no-discovery"]
            robots.append(Robot(name, home, random.Random(rng.random()), arguments, rng.choice(SIZES[:4])))
            robots[-1].host = n == 0
        try:
            for robot in robots:
                robot.start()
            for _ in range(steps):
                robot = rng.choice(robots)
                robot.step()
                stands = robot.waiting_since and time.monotonic() - robot.waiting_since > PATIENCE
                if stands and all(other.child.isalive() for other in robots):
                    raise Found(robot.about("the machines of four people who are there come to nothing", robot.look()))
                for other in robots[1:]:
                    other.address = robots[0].address
            for robot in reversed(robots):
                robot.end()
        finally:
            for robot in robots:
                robot.child.close(force=True)
        done: dict[str, int] = {}
        for robot in robots:
            for what, times in robot.done.items():
                done[what] = done.get(what, 0) + times
        return done


def main() -> int:
    """Some evenings, one after the other."""
    parser = argparse.ArgumentParser(description="Evenings by robots")
    parser.add_argument("--evenings", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=400, help="things done in an evening")
    args = parser.parse_args()
    found = 0
    for number in range(args.evenings):
        try:
            done = evening(args.seed + number, args.steps)
            sys.stdout.write(f"evening {args.seed + number}: {dict(sorted(done.items()))}\n")
        except Found as error:
            found += 1
            sys.stdout.write(f"evening {args.seed + number}: FOUND\n{error}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{args.evenings} evenings, {found} with findings\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
