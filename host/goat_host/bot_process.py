"""The bots' process as its table sees it, and lines of orders. Light: it is imported before anything else is."""

import json
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from goat_net.restarts import Restarts

log = logging.getLogger(__name__)

STOP_BOTS: Final = 2.0  # s bots may take to go
REVIVALS: Final = 20  # times in ten minutes that the process is started again


class BotsProcess:
    """The bots' process of a table. It can be started before the table listens, so that both come up together."""

    def __init__(self, pace: float, operator: str, seed: str) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._where = ""
        self._sitting: dict[int, str] = {}  # seat -> the order that put a bot there
        self._on_end: Callable[[], object] | None = None
        self._restarts = Restarts(REVIVALS)
        self.play_as(pace, operator, seed)

    def play_as(self, pace: float, operator: str, seed: str) -> None:
        """How bots play that are not there yet: a table that goes on has them as it had them before."""
        self._arguments = [sys.executable, "-m", "goat_host.bots", f"--pace={pace}"]
        if operator:
            self._arguments += [f"--operator={operator}"]
        if seed:
            self._arguments += [f"--seed={seed}"]

    def warm(self) -> None:
        """Have the process there before a bot is wanted. A new one is told all that the one before it was told."""
        if self._process is None or self._process.poll() is not None:
            self._close_input()
            self._process = subprocess.Popen(self._arguments, stdin=subprocess.PIPE, text=True)
            for line in ([self._where] if self._where else []) + list(self._sitting.values()):
                self._write(line)
            self._watch()

    def when_it_ends(self, tell: Callable[[], object]) -> None:
        """Call this, in a thread, when the process has ended without being told to: then `revive` is due. The table
        may hear that a bot's connection broke before the process is gone, when an order would still go to it."""
        self._on_end = tell
        self._watch()

    def _watch(self) -> None:
        process, tell = self._process, self._on_end
        if process is None or tell is None:
            return

        def wait() -> None:
            process.wait()
            with suppress(RuntimeError):  # the loop is closed: the table is ending
                tell()

        threading.Thread(target=wait, name="bots", daemon=True).start()

    def revive(self) -> None:
        """Start the process again if it is gone and bots are to sit."""
        if self._on_end is None or not self._sitting:
            return
        gone = self._process is None or self._process.poll() is not None
        if gone and self._restarts.allows(time.monotonic()):
            log.warning("the bots' process has ended; it is started again")
            self.warm()

    def at(self, where: str, table_key: bytes, keep: Path, code: str | None) -> None:
        """Say where the table is, with its code if it has one, and in which folder the bots keep what they need to
        come back. All of it goes through a pipe: arguments of a process are seen by others."""
        order = {"order": "at", "where": where, "table": table_key.hex(), "keep": str(keep), "code": code}
        self._where = json.dumps(order)
        if self._process is not None:
            self._write(self._where)

    def sit(self, seat: int, level: str, secret: bytes = b"") -> None:
        """Have a bot of this level on this seat. ``secret``: the 32 bytes of its key when no file holds it."""
        self.warm()
        self._sitting[seat] = json.dumps({"order": "sit", "seat": seat, "level": level, "secret": secret.hex()})
        self._write(self._sitting[seat])

    def stop(self, seat: int) -> None:
        """Have the bot of this seat go."""
        self._sitting.pop(seat, None)
        if self._process is not None:
            self._write(json.dumps({"order": "stop", "seat": seat}))

    def _write(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:
            log.warning("the bots' process is gone")

    def _close_input(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def close(self) -> None:
        """End the process: its input closes, and if that is not enough it is told to go."""
        self._on_end = None
        if self._process is None:
            return
        self._close_input()
        try:
            self._process.wait(STOP_BOTS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def read_lines(put: Callable[[str | None], None]) -> None:
    """Hand every line of standard input to ``put``, then None. In a thread: a pipe on Windows cannot be awaited."""

    def read() -> None:
        try:
            for line in sys.stdin:
                put(line)
            put(None)
        except (RuntimeError, ValueError):
            return  # the loop is closed: the program is ending

    threading.Thread(target=read, name="orders", daemon=True).start()
