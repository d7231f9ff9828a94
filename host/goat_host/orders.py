"""The bots' process as its table sees it, and lines of orders. Light: it is imported before anything else is."""

import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

STOP_BOTS: Final = 2.0  # s bots may take to go


class BotsProcess:
    """The bots' process of a table. It can be started before the table listens, so that both come up together."""

    def __init__(self, pace: float, operator: str, seed: str) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._where = ""
        self.play_as(pace, operator, seed)

    def play_as(self, pace: float, operator: str, seed: str) -> None:
        """How bots play that are not there yet: a table that goes on has them as it had them before."""
        self._arguments = [sys.executable, "-m", "goat_host.bots", "--pace", str(pace)]
        if operator:
            self._arguments += ["--operator", operator]
        if seed:
            self._arguments += ["--seed", seed]

    def warm(self) -> None:
        """Have the process there before a bot is wanted."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(self._arguments, stdin=subprocess.PIPE, text=True)
            if self._where:
                self._write(self._where)

    def at(self, where: str, table_key: bytes, keep: Path) -> None:
        """Say where the table is, and in which folder the bots keep what they need to come back."""
        self._where = f"at {where} {table_key.hex()} {keep}"
        if self._process is not None:
            self._write(self._where)

    def order(self, line: str) -> None:
        """Tell the process one line."""
        self.warm()
        self._write(line)

    def _write(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:
            log.warning("the bots' process is gone")

    def close(self) -> None:
        """End the process: its input closes, and if that is not enough it is told to go."""
        if self._process is None:
            return
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
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
