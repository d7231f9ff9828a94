"""The keeper of a headless table: it runs the table's process and starts it again when that dies (C10).

``python -m goat_host.keeper`` takes the arguments of the table's process and prints what that prints. A table that has
ended unasked goes on with its journal; its guests find it by themselves. One that cannot start, or that dies again and
again, ends the keeper with its exit code.
"""

import json
import logging
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType
from typing import Final

from goat_net.exits import FAULT, GOOD, UNUSABLE, ended
from goat_net.restarts import Restarts

log = logging.getLogger(__name__)

REVIVALS: Final = 5  # in ten minutes
_PAUSE: Final = 1.0  # s before a table that died is started again: its port and its lock are free then
_KEPT: Final = ("--journals", "--log-file")  # what a table that goes on cannot know from its journal


class Keeper:
    """See the module. ``command``: starts the table's process, without arguments. ``given``: the first line of
    its input, for what no argument may hold."""

    def __init__(self, command: Sequence[str], arguments: Sequence[str], given: str = "") -> None:
        self._command, self._arguments, self._given = list(command), list(arguments), given
        self._process: subprocess.Popen[str] | None = None
        self._stopping = False
        self._restarts = Restarts(REVIVALS)

    def stop(self, number: int = 0, frame: FrameType | None = None) -> None:
        """End the table in good order; `run` returns soon. The parameters are those of a signal."""
        self._stopping = True
        if self._process is not None and self._process.stdin is not None:
            try:
                self._process.stdin.write("close\n")
                self._process.stdin.flush()
            except (OSError, ValueError):
                pass  # it has ended by itself

    def run(self) -> int:
        """Keep the table until it ends in good order; the exit code."""
        arguments, given = self._arguments, self._given
        while True:
            table, ending = self._once(arguments, given)
            if self._stopping or ending in (GOOD, UNUSABLE):
                return ending
            if not table or not self._restarts.allows(time.monotonic()):
                log.error("the table has died (%d) and is not started again", ending)
                return ending if ending > 0 else FAULT
            log.warning("the table has died (%d); it goes on with its journal", ending)
            time.sleep(_PAUSE)
            arguments, given = [*kept(self._arguments), f"--resume={table}"], ""

    def _once(self, arguments: Sequence[str], given: str) -> tuple[str, int]:
        """One life of the table: its fingerprint, empty when it did not come up, and its exit code."""
        table = ""
        process = subprocess.Popen(
            [*self._command, "--child", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            if given:
                process.stdin.write(given)
                process.stdin.flush()
            for line in process.stdout:
                table = self._pass_on(line) or table
        return table, process.returncode

    def _pass_on(self, line: str) -> str:
        """Print a line of the table, without its code; the table's fingerprint when it was the ready line."""
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict) or "table" not in said:
            print(line, end="", flush=True)  # noqa: T201 - what the table says
            return ""
        said.pop("code", None)
        print(json.dumps(said, ensure_ascii=False), flush=True)  # noqa: T201 - the machine-readable ready line
        from goat_net.wire.identity import table_id

        return table_id(bytes.fromhex(said["table"]))


def kept(arguments: Sequence[str]) -> list[str]:
    """Arguments that a table is given again when it goes on."""
    out: list[str] = []
    for i, argument in enumerate(arguments):
        name, equals, _ = argument.partition("=")
        if name in _KEPT:
            out.append(argument if equals else f"{name}={''.join(arguments[i + 1 : i + 2])}")
    return out


def _run(argv: Sequence[str]) -> int:
    given = sys.stdin.readline() if {"--code-stdin", "--options-stdin"} & set(argv) else ""
    keeper = Keeper((sys.executable, "-m", "goat_host"), argv, given)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), keeper.stop)
    return keeper.run()


def main(argv: Sequence[str] | None = None) -> int:
    """Keep a table; returns the exit code."""
    return ended(lambda: _run(sys.argv[1:] if argv is None else argv))


if __name__ == "__main__":
    sys.exit(main())
