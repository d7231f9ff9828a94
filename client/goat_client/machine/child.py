"""The table as a child process of the program that hosts it: it never shares a process with a screen or a bot."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from goat_client.errors import CommandError
from goat_net.exits import FAULT, GOOD, UNUSABLE
from goat_net.folders import data_dir, private_folder
from goat_net.restarts import Restarts
from goat_net.table_options import TableOptions, dumped
from goat_net.wire.address import Address, parse_address
from goat_net.wire.identity import table_id

READY_WITHIN: Final = 20.0  # s; a machine under full load needs some
REVIVALS: Final = 5  # times in ten minutes that a table that ended unasked is started again
STOP_WITHIN: Final = 4.0  # s the table may take to say goodbye: on the network and to its guests


@dataclass(frozen=True, slots=True)
class Launch:
    """A table to start. ``resume``: the file or table that it goes on with. ``journals``: where its log is written;
    each empty for the usual."""

    options: TableOptions
    code: str | None = None
    journals: str = ""
    resume: str = ""

    @property
    def words(self) -> list[str]:
        """The arguments of its process; a value of its own that begins with a hyphen is none."""
        out = ["--options-stdin"]
        out += [f"--journals={self.journals}"] if self.journals else []
        return out + ([f"--resume={self.resume}"] if self.resume else [])

    @property
    def given(self) -> str:
        """The first line of its input."""
        return dumped(self.options, self.code)


@dataclass(slots=True)
class TableProcess:
    """A running table. ``address``: where this machine reaches it. ``resumed``: it goes on with its own journal;
    ``code``: the code it has from then, which is told to its parent alone. ``listens``: the numeric addresses it
    listens on."""

    process: asyncio.subprocess.Process
    address: Address
    table_key: bytes
    name: str
    resumed: bool = False
    code: str | None = None
    listens: tuple[str, ...] = ()
    died: bool = False  # it ended unasked and could not be started again

    @classmethod
    async def start(cls, launch: Launch, meanwhile: Callable[[], None] | None = None) -> "TableProcess":
        """Start ``python -m goat_host`` and wait for its ready line; ``meanwhile`` is called while it comes up.

        Raises CommandError with the table's own words.
        """
        errors = private_folder(data_dir() / "logs") / "table.log"
        command = [sys.executable, "-m", "goat_host", "--child", *launch.words]
        # A group of its own: Ctrl-C at the terminal is for the screen, which then tells the table.
        with errors.open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=sys.platform != "win32",
            )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(launch.given.encode() + b"\n")
        if meanwhile is not None:
            meanwhile()
        try:
            async with asyncio.timeout(READY_WITHIN):
                line = await process.stdout.readline()
        except TimeoutError:
            line = b""
        if not line:
            await ended(process)
            # The table's own fault stays one; what else keeps it from coming up is something to mend here.
            raise CommandError(_last_words(errors), FAULT if process.returncode == FAULT else UNUSABLE)
        ready: dict[str, Any] = json.loads(line)
        return cls(
            process, parse_address(ready["address"], 0), bytes.fromhex(ready["table"]), ready["name"],
            ready["resumed"], ready.get("code"), tuple(ready["listens"]),
        )  # fmt: skip

    async def guard(self, launch: Launch) -> None:
        """Until cancelled: when the table dies, start it again with its journal; its guests find it by themselves."""
        again_as = replace(launch, code=None, resume=table_id(self.table_key))
        restarts, loop = Restarts(REVIVALS), asyncio.get_running_loop()
        while True:
            await self.process.wait()
            self.process._transport.close()  # type: ignore[attr-defined]  # its pipes are closed by nobody else
            if self.process.returncode == GOOD:
                return  # it has closed by itself: another player has it now, or a signal said so
            if not restarts.allows(loop.time()):
                break
            try:
                again = await TableProcess.start(again_as)
            except CommandError:
                break
            self.process = again.process
        self.died = True

    async def stop(self) -> None:
        """End the table in good order: it says goodbye to everybody."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(b"close\n")
            self.process.stdin.close()
        await ended(self.process)


@asynccontextmanager
async def guarded(table: TableProcess, launch: Launch) -> AsyncIterator[None]:
    """Inside the block a table that ends unasked is started again; after it the table is stopped in good order."""
    async with asyncio.TaskGroup() as group:
        guard = group.create_task(table.guard(launch))
        try:
            yield
        finally:
            guard.cancel()
            with suppress(asyncio.CancelledError):
                await guard
            await table.stop()


def become(command: list[str], given: str | None = None) -> int:
    """Go on as another of our programs, so that signals and the terminal are its own; the exit code elsewhere.
    ``given``: the only line of its input, for what no argument may hold."""
    if os.name == "posix":
        if given is not None:
            reads, writes = os.pipe()
            os.write(writes, given.encode() + b"\n")  # far less than a pipe holds
            os.close(writes)
            os.dup2(reads, 0)
            os.close(reads)
        os.execv(command[0], command)  # noqa: S606 - our own program
    return subprocess.run(command, check=False, input=given, text=True).returncode


async def ended(process: asyncio.subprocess.Process) -> None:
    """Wait until a program that was told to go is gone; one that does not go in `STOP_WITHIN` seconds is killed."""
    try:
        async with asyncio.timeout(STOP_WITHIN):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    transport = process._transport  # type: ignore[attr-defined]  # its pipes are closed by nobody else
    transport.close()


def _last_words(errors: Path) -> str:
    """Why the table did not come up, in its own words."""
    with suppress(OSError):
        lines = [x for x in errors.read_text(errors="replace").splitlines() if x.strip()]
        if lines:
            return lines[-1]
    return f"The table did not start; {errors} may say why"
