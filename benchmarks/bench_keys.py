"""From a key to the screen while a deal is on, and from a command to the first cards: the real client in a
pseudo-terminal, at a real table with three bots.

    python benchmarks/bench_keys.py [--keys 200] [--starts 5] [--json]

A key is answered when the card it chooses is drawn lifted (or laid back): bytes that a bot's play causes at the same
time are not taken for it. A key without a move is one whose choice a new turn took back before it was drawn. Beside
that stands the time to the first byte of any output. The terminal is 80x24 in 256 colours; hints play the deals on,
so that keys come in the person's turns and in the bots' alike. Needs a POSIX system.
"""

import argparse
import json
import os
import random
import re
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pexpect
import pyte

WIDTH, HEIGHT = 80, 24
START_MOST = 60.0  # s until a client that draws nothing is given up
KEY_MOST = 5.0  # s until a key that shows nothing is counted as lost
CARD = "─1─"  # the lower edge of the first card of the hand, with its number


@dataclass
class Console:
    """The client on a terminal, and what its screen shows."""

    home: str
    arguments: list[str]
    begun: float = 0.0
    screen: pyte.Screen = field(default_factory=lambda: pyte.Screen(WIDTH, HEIGHT))

    def __enter__(self) -> "Console":
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORTERM")}
        env |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "GOAT_HOME": self.home}
        env["PYTHONPATH"] = os.pathsep.join(sys.path)
        self.stream = pyte.ByteStream(self.screen)
        self.begun = time.perf_counter()
        self.child = pexpect.spawn(
            sys.executable, ["-m", "goat_client", *self.arguments], env=env, dimensions=(HEIGHT, WIDTH)
        )
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the table in good order, so that its process and the bots' end too; else by force."""
        until = time.perf_counter() + 10
        for keys in (b"\x1b", b"q", b"\r", b"q"):
            if self.child.isalive():
                os.write(self.child.child_fd, keys)
                self.read(1.0)
        while self.child.isalive() and time.perf_counter() < until:
            self.read(0.2)
        self.child.close(force=True)

    def read(self, seconds: float) -> float | None:
        """Take what comes next within a time; gives when it came, or None. Parsing it is not part of that."""
        ready, _, _ = select.select([self.child.child_fd], [], [], max(0.0, seconds))
        if not ready:
            return None
        try:
            data = os.read(self.child.child_fd, 65536)
        except OSError:  # the other end of the terminal is closed
            data = b""
        now = time.perf_counter()
        if not data:
            time.sleep(0.01)
            return None
        self.stream.feed(data)
        return now

    def text(self) -> str:
        """The screen."""
        return "\n".join(self.screen.display)

    def until(self, what: Callable[[str], bool], seconds: float) -> float | None:
        """When the screen first was so, or None."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            at = self.read(end - time.perf_counter())
            if at is not None and what(self.text()):
                return at
        return None

    def press(self, key: bytes) -> float:
        """Write a key; gives when."""
        now = time.perf_counter()
        os.write(self.child.child_fd, key)
        return now

    def pass_time(self, seconds: float) -> None:
        """Take what comes within a time, and then whatever else is under way."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.read(left)
        self.quiet()

    def quiet(self) -> None:
        """Take what is there until nothing has come for a moment."""
        while self.read(0.03) is not None:
            pass


def lifted(screen: str) -> int | None:
    """The row of the first card's lower edge: one higher when the card is chosen."""
    return next((y for y, line in enumerate(screen.splitlines()) if CARD in line), None)


def play_on(c: Console) -> None:
    """Play what the hint says, or go on with whatever is asked."""
    screen = c.text()
    if "H hint" not in screen:
        c.press(b"\r" if "Enter" in screen.splitlines()[-1] or "any key" in screen else b"")
        c.quiet()
        return
    c.press(b"h")
    c.until(lambda s: "Hint:" in s, KEY_MOST)
    said = re.sub(r"[│\s]+", " ", " ".join(line[28:53] for line in c.text().splitlines()))
    key = b"d" if "discard " in said.partition("Hint:")[2][:12] else b"\r"
    key = b"m" if "your molodka" in said else b"y" if "let it stand" in said else key
    c.press(key)
    c.quiet()


def latencies(home: str, count: int, deadline: float) -> tuple[list[float], list[float], int, int, float]:
    """Times to the card's move and to the first byte (s); keys lost; how many came in a turn of one's own; start."""
    moved: list[float] = []
    first: list[float] = []
    lost, own, rng = 0, 0, random.Random(1)
    with Console(home, ["play"]) as c:
        cards = c.until(lambda s: lifted(s) is not None, START_MOST)
        assert cards is not None, f"no cards:\n{c.text()}"
        in_turn = 0
        while len(moved) + lost < count and time.perf_counter() < deadline:
            c.pass_time(rng.uniform(0.05, 0.3))  # as fingers do; else all keys fall into one turn
            before = lifted(c.text())
            turn = "Your turn" in c.text() or "H hint" in c.text()
            if before is None or "any key" in c.text() or (turn and in_turn >= 6):
                in_turn = 0
                play_on(c)
                continue
            begun = c.press(b"1")
            seen = None
            while time.perf_counter() - begun < KEY_MOST:
                at = c.read(KEY_MOST - (time.perf_counter() - begun))
                if at is None:
                    continue
                seen = seen or at
                now = lifted(c.text())
                if now != before:
                    if now is not None and "any key" not in c.text():  # else the trick went away, not the card
                        moved.append(at - begun)
                        first.append(seen - begun)
                        own += turn
                    break
                if "any key" in c.text():
                    break
            else:
                lost += 1
            in_turn += turn
        return moved, first, lost, own, cards - c.begun


def starts(count: int) -> tuple[list[float], list[float], list[float]]:
    """Start to the first cards: of ``goat play``; of ``goat`` to its lobby; and from the key P there to the cards."""
    direct, lobby, key = [], [], []
    for _ in range(count):
        with tempfile.TemporaryDirectory() as home, Console(home, ["play"]) as c:
            at = c.until(lambda s: lifted(s) is not None, START_MOST)
            assert at is not None, f"no cards:\n{c.text()}"
            direct.append(at - c.begun)
        with tempfile.TemporaryDirectory() as home, Console(home, ["lobby", "--no-discovery"]) as c:
            at = c.until(lambda s: "Play with bots" in s, START_MOST)
            assert at is not None, f"no lobby:\n{c.text()}"
            lobby.append(at - c.begun)
            c.quiet()
            pressed = c.press(b"p")
            at = c.until(lambda s: lifted(s) is not None, START_MOST)
            assert at is not None, f"no cards:\n{c.text()}"
            key.append(at - pressed)
    return direct, lobby, key


def walls(arguments: list[str], count: int) -> list[float]:
    """Wall times of a command from start to end."""
    out = []
    for _ in range(count):
        begun = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, timeout=START_MOST)
        out.append(time.perf_counter() - begun)
    return out


def spread(values: list[float]) -> dict[str, float]:
    """Count, median, 95th percentile and worst, times in ms."""
    some = sorted(values)
    high = some[min(len(some) - 1, int(0.95 * len(some)))]
    return {"count": len(some), "median": round(1000 * statistics.median(some), 1), "p95": round(1000 * high, 1),
            "worst": round(1000 * some[-1], 1)}  # fmt: skip


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--keys", type=int, default=200, help="key presses measured (%(default)s)")
    parser.add_argument("--starts", type=int, default=5, help="starts of each kind (%(default)s)")
    parser.add_argument("--most", type=float, default=300.0, help="seconds after which no more keys are pressed")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the client is left in good order then too
    load = [os.getloadavg()]
    version = ["-c", "import sys; from goat_client.cli import main; sys.exit(main(['--version']))"]
    out: dict[str, object] = {
        "python -c pass": spread(walls(["-c", "pass"], 2 * args.starts)),
        "goat --version": spread(walls(version, 2 * args.starts)),
    }
    direct, lobby, key = starts(args.starts)
    out |= {"goat play to the first cards": spread(direct), "goat to the lobby": spread(lobby),
            "P in the lobby to the first cards": spread(key)}  # fmt: skip
    load.append(os.getloadavg())
    with tempfile.TemporaryDirectory() as home:
        moved, first, lost, own, _ = latencies(home, args.keys, time.perf_counter() + args.most)
    load.append(os.getloadavg())
    out |= {"key to the card's move": spread(moved), "key to the first byte": spread(first)}
    out |= {"keys without a move": lost, "keys in an own turn": own}
    out |= {"load (1 min)": [round(x[0], 2) for x in load], "cores": os.cpu_count()}
    if args.json:
        print(json.dumps(out))
        return 0
    for name, what in out.items():
        shown = what
        if isinstance(what, dict):
            shown = f"{what['median']} ms median, {what['p95']} ms p95, {what['worst']} ms worst of {what['count']}"
        print(f"{name:<34} {shown}")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.exit(main())
