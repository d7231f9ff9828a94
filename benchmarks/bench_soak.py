"""Many deals at one real host: python benchmarks/bench_soak.py [--deals N] [--every M]

Starts the table's process, as `goat host --headless` does, with three bots on loopback, in a data folder of its own,
and plays the fourth seat over a socket, match after match. A deal counts when its four commitments are in the log.
Every M deals a line says memory (MB) and descriptors of the table's process and of the bots', processor time, and the
size of the data folder (Linux). The last line compares: the most of the last quarter against the most of the second,
which should be the same if nothing grows.

Exit code 0: that many deals were played and nothing has grown beyond `MORE`; 1: something has; 2: the table has ended.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goat_engine.bots import choose
from goat_net.log.chain import parse_record
from goat_net.log.records import Commit
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.tableview import Stage, TableView
from goat_net.wire.address import Address, parse_address
from goat_net.wire.identity import Identity
from goat_net.wire.messages import ROLE_PLAYER, NewEntry

SEATS = 4
MORE = 0.15  # of memory, from the second quarter to the last: what Python's own allocator goes up and down by
FDS_MORE = 3  # descriptors: a connection and a log that are just being closed
TICKS = os.sysconf("SC_CLK_TCK")
READY_AFTER = 1.0  # s before this seat is ready for a match: a table passes over who asks more often than people do


@dataclass(frozen=True)
class Used:
    """What a process holds. ``mb``: resident memory; ``cpu``: seconds."""

    mb: float
    fds: int
    cpu: float

    def __str__(self) -> str:
        return f"{self.mb:6.1f} MB {self.fds:3} descriptors {self.cpu:7.1f} s CPU"


def used(pid: int) -> Used:
    """What this process holds now."""
    proc = Path(f"/proc/{pid}")
    pages = int((proc / "statm").read_text().split()[1])
    times = (proc / "stat").read_text().rpartition(")")[2].split()
    mb = round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)
    return Used(mb, len(list((proc / "fd").iterdir())), (int(times[11]) + int(times[12])) / TICKS)


def child_of(pid: int) -> int:
    """The bots' process of a table's process."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue  # it has just ended
        if int(rest.split()[1]) == pid:
            return int(name.split()[0])
    raise ProcessLookupError(f"process {pid} has no child")


def disk(folder: Path) -> tuple[int, float]:
    """Files in a folder, and their bytes in MB."""
    sizes = []
    for path in folder.rglob("*"):
        try:
            if path.is_file():
                sizes.append(path.stat().st_size)
        except OSError:
            continue  # it was cleaned away this moment
    return len(sizes), round(sum(sizes) / 2**20, 1)


@contextmanager
def host(home: Path, target: int) -> Iterator[tuple[int, str]]:
    """A real table with three bots: the process that serves it, and where it is."""
    command = [
        sys.executable, "-m", "goat_host", "--no-discovery", "--interface", "127.0.0.1", "--fill",
        "--bots", ",".join(["easy"] * 3),
        "--pace", "0", "--yield-time", "0", "--target", str(target), "--log-file", str(home / "log.txt"),
    ]  # fmt: skip
    with subprocess.Popen(command, env={**os.environ, "GOAT_HOME": str(home)}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True) as process:  # fmt: skip
        assert process.stdout is not None
        ready: dict[str, Any] = json.loads(process.stdout.readline())
        try:
            yield process.pid, str(ready["address"])
        finally:
            process.send_signal(signal.SIGTERM)


@dataclass
class Soak:
    """Counts deals, and notes what is held every so many."""

    deals: int
    every: int
    pids: tuple[int, int]
    home: Path
    begun: float = field(default_factory=time.monotonic)
    commits: int = 0
    logs: int = 0
    lines: list[tuple[Used, Used]] = field(default_factory=list)

    def entry(self, raw: bytes, number: int) -> bool:
        """Count an entry; whether it was the last that is wanted."""
        self.logs += number == 0
        if isinstance(parse_record(raw).body, Commit):
            self.commits += 1
            if self.commits % (SEATS * self.every) == 0:
                self.note()
        return self.commits >= SEATS * self.deals

    def note(self) -> None:
        """One line."""
        table, bots = (used(pid) for pid in self.pids)
        self.lines.append((table, bots))
        files, mb = disk(self.home)
        print(
            f"{self.commits // SEATS:>6} deals {self.logs:>4} logs {time.monotonic() - self.begun:7.0f} s   "
            f"table {table}   bots {bots}   disk {files:4} files {mb:6.1f} MB",
            flush=True,
        )

    def grown(self) -> list[str]:
        """What is more in the last quarter than it was in the second."""
        quarter = max(1, len(self.lines) // 4)
        found = []
        for index, name in enumerate(("the table", "the bots")):
            early = [line[index] for line in self.lines[quarter : 2 * quarter] or self.lines[:1]]
            late = [line[index] for line in self.lines[-quarter:]]
            before, after = max(u.mb for u in early), max(u.mb for u in late)
            fds_before, fds_after = max(u.fds for u in early), max(u.fds for u in late)
            print(f"{name}: second quarter {before} MB, {fds_before} descriptors; last {after} MB, {fds_after}")
            if after > before * (1 + MORE) or fds_after > fds_before + FDS_MORE:
                found.append(name)
        return found


class Fourth(TableSession):
    """The bot on seat 0. It belongs to this program, since bots alone do not begin another match; and counts."""

    def __init__(self, soak: "Soak", where: Address) -> None:
        rng = random.Random(0)
        setup = SeatSetup(
            "Fourth", "soak", ROLE_PLAYER, 0, eager=True, listen=None, brain=lambda view: choose(view, rng, "easy")
        )
        super().__init__(Identity.new(), setup, (where,), retry_for=60.0)
        self._soak = soak
        self.done = False
        self._asked = False  # a look at whether the table waits for this seat is on its way
        self.on_change(self._ready_again)

    def _ready_again(self, view: TableView) -> None:
        if self._waits(view) and not self._asked:
            self._asked = True
            asyncio.get_running_loop().call_later(READY_AFTER, self._ready_now)

    def _ready_now(self) -> None:
        self._asked = False
        if self._waits(self.view):
            self.ready()
            self._ready_again(self.view)  # until the table shows it

    def _waits(self, view: TableView) -> bool:
        mine = view.stage in (Stage.LOBBY, Stage.OVER) and view.me is not None and not view.seats[view.me].ready
        return mine and not self.done

    def _message(self, message: Any) -> None:
        super()._message(message)
        if isinstance(message, NewEntry) and not self.done and self._soak.entry(message.record, message.number):
            self.done = True
            self.hang_up()


async def play(soak: Soak, where: str) -> bool:
    """Play until the soak is over; whether it came to that."""
    fourth = Fourth(soak, parse_address(where, 0))
    end = await fourth.run()
    if not fourth.done:
        print(f"The line has ended: {end.text}")
    return fourth.done


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description="Many deals at one real host.")
    parser.add_argument("--deals", type=int, default=10_000)
    parser.add_argument("--every", type=int, default=500, help="deals between two lines")
    parser.add_argument("--target", type=int, default=12, help="defeat points of a match")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, host(Path(folder), args.target) as (pid, where):
        soak = Soak(args.deals, args.every, (pid, child_of(pid)), Path(folder))
        if not asyncio.run(play(soak, where)):
            print(f"The table has ended after {soak.commits // SEATS} deals.")
            return 2
        grown = soak.grown()
    print(f"Grown: {', '.join(grown)}" if grown else "Nothing has grown.")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
