"""The table's process: server, journal, advertising, bots. ``python -m goat_host`` is ``goat host --headless``.

It prints one line of JSON when it is ready, and ends by itself at end of input when it is somebody's child.
"""

import argparse
import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import IO, Final

from goat_engine.rules import Rules
from goat_host.bots import read_lines
from goat_host.listen import ListenError
from goat_host.ports import StatusInfo
from goat_host.server import JournalError, Server
from goat_host.table import Table, TableSetup
from goat_net import seeded
from goat_net.folders import FolderError, data_dir, private_folder
from goat_net.messages import PROTOCOL
from goat_net.records import Settings
from goat_net.text import clean_name
from goat_net.version import program_version

log = logging.getLogger(__name__)

GRACE: Final = 180  # s (R24)
STOP_BOTS: Final = 2.0  # s bots may take to go


class Bots:
    """The bots' process of this table; started with the first bot, or before it is needed (`warm`)."""

    def __init__(self, options: argparse.Namespace, where: str, table_key: bytes) -> None:
        self._arguments = [sys.executable, "-m", "goat_host.bots", "--at", where, "--table", table_key.hex()]
        self._arguments += ["--pace", str(options.pace)]
        if options.operator:
            self._arguments += ["--operator", options.operator]
        if options.seed:
            self._arguments += ["--seed", options.seed]
        self._process: subprocess.Popen[str] | None = None

    def warm(self) -> None:
        """Have the process there before a bot is wanted."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(self._arguments, stdin=subprocess.PIPE, text=True)

    def order(self, line: str) -> None:
        """Tell the process one line."""
        self.warm()
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


class Journals:
    """The host's own log files, one for each log, in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path: Path | None = None
        self._file: IO[bytes] | None = None
        self._log_id = b""

    def write(self, log_id: bytes, data: bytes, sync: bool) -> None:
        """Append to the log's file. Raises OSError."""
        if log_id != self._log_id or self._file is None:
            self.close()
            private_folder(self.folder)
            self.path = self.folder / f"{time.strftime('%Y-%m-%d-%H%M')}-{log_id.hex()[:16]}.goat"
            self._file = self.path.open("ab", buffering=0)
            self._log_id = log_id
        self._file.write(data)
        if sync:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the open file."""
        if self._file is not None:
            self._file.close()
            self._file = None


class Outside:
    """What the table wants done outside of its connections (`server.Effects`)."""

    def __init__(self, bots: Bots, journals: Journals) -> None:
        self.bots, self.journals = bots, journals
        self.on_status: Callable[[StatusInfo], None] = lambda status: None

    def start_bot(self, seat: int, level: str) -> None:
        """Have a bot sit down."""
        self.bots.order(f"sit {seat} {level}")

    def stop_bot(self, seat: int) -> None:
        """Have a bot go."""
        self.bots.order(f"stop {seat}")

    def journal(self, log_id: bytes, data: bytes, sync: bool) -> None:
        """Write down before anything is sent."""
        self.journals.write(log_id, data, sync)

    def advertise(self, status: StatusInfo) -> None:
        """Tell the network."""
        self.on_status(status)


def parser() -> argparse.ArgumentParser:
    """Arguments of the table's process."""
    out = argparse.ArgumentParser(prog="goat host --headless", description="A table without a seat of one's own.")
    out.add_argument("--name", default="Goat table", help="what the others see")
    out.add_argument("--port", type=int, default=0, help="TCP port; a free one when left out")
    out.add_argument("--interface", action="append", default=[], help="address to listen on and advertise at")
    out.add_argument("--no-discovery", action="store_true", help="do not advertise the table")
    out.add_argument("--bots", default="hard", metavar="LEVEL[,...]", help="levels of bots on free seats")
    out.add_argument("--no-watch", action="store_true", help="let nobody watch")
    out.add_argument("--grace", type=int, default=GRACE, help="seconds until the others decide about an absent seat")
    out.add_argument("--pace", type=float, default=1.0, help="how long bots think; 0 for not at all")
    out.add_argument("--target", type=int, default=12, help="defeat points that make a goat")
    out.add_argument("--yield-time", type=int, default=3000, help="milliseconds an asked seat takes (R17)")
    out.add_argument("--seed", default="", help="for tests and demos only")
    out.add_argument("--journals", default="", metavar="DIR", help="where the table's log is written")
    out.add_argument("--log-file", default="", metavar="FILE", help="where to write what goes on")
    out.add_argument("--owner", default="", metavar="HEX", help=argparse.SUPPRESS)
    out.add_argument("--operator", default="", metavar="FILE", help=argparse.SUPPRESS)
    out.add_argument("--code-stdin", action="store_true", help="read the table's code from the first line of input")
    out.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    out.add_argument("--fill", action="store_true", help="fill free seats with bots at once")
    return out


def make_table(options: argparse.Namespace, code: str | None) -> tuple[Table, TableSetup]:
    """The table as the options say."""
    seed = seeded.seed_bytes(options.seed)
    identity = seeded.identity(seed, "table")
    settings = Settings(options.grace, 0, 0, not options.no_watch, seed)
    rules = Rules(target=options.target, yield_time=options.yield_time)
    levels = tuple(options.bots.split(","))
    name = clean_name(options.name, "Goat table")
    setup = TableSetup(name, program_version(), rules, settings, code is not None, bytes.fromhex(options.owner), levels)
    return Table(identity, setup, seeded.entropy(seed, "table entropy")), setup


async def serve(options: argparse.Namespace, code: str | None) -> int:
    """Run the table until it is told to go; the exit code."""
    table, setup = make_table(options, code)
    loop = asyncio.get_running_loop()
    journals = Journals(Path(options.journals) if options.journals else data_dir() / "journals")
    outside = Outside(Bots(options, "127.0.0.1:0", table.identity.public), journals)
    server = Server(
        table, table.identity, outside, program=setup.program, code=code, addresses=options.interface, port=options.port
    )
    near = options.interface[0] if options.interface else "127.0.0.1"
    where = f"[{near}]:{server.port}" if ":" in near else f"{near}:{server.port}"
    outside.bots = Bots(options, where, table.identity.public)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name) and sys.platform != "win32":
            loop.add_signal_handler(getattr(signal, name), server.stop, "the host has closed the table")
    if options.child:
        _watch_parent(loop, server)
    try:
        async with AsyncExitStack() as stack:
            if not options.no_discovery:
                await _advertise(stack, table, outside, server.port, options.interface)
            _say_ready(table, server, where)
            if options.fill or options.owner:
                outside.bots.warm()
            if options.fill:
                table.fill()
            await server.run()
    finally:
        outside.bots.close()
        journals.close()
    return 0


def _watch_parent(loop: asyncio.AbstractEventLoop, server: Server) -> None:
    """End when the program that started this one is gone."""

    def line(text: str | None) -> None:
        if text is None:
            loop.call_soon_threadsafe(server.stop, "the host has left")

    read_lines(line)


async def _advertise(stack: AsyncExitStack, table: Table, outside: Outside, port: int, interfaces: list[str]) -> None:
    from goat_net.advert import STATES, TableAdvert, table_id, version_of
    from goat_net.discovery import advertising

    def advert(status: StatusInfo) -> TableAdvert:
        return TableAdvert(
            protocol=PROTOCOL,
            program=version_of(table.setup.program),
            id=table_id(table.identity.public),
            name=status.name,
            seats_taken=status.taken,
            watch=status.watch,
            code=status.code,
            state=STATES[status.state],
        )

    advertiser = await stack.enter_async_context(advertising(advert(table.status()), port, interfaces or None))
    outside.on_status = lambda status: advertiser.update(advert(status))


def _say_ready(table: Table, server: Server, where: str) -> None:
    line = {
        "ready": True,
        "port": server.port,
        "address": where,
        "table": table.identity.public.hex(),
        "name": table.setup.name,
        "listens": list(server.addresses),
    }
    print(json.dumps(line, ensure_ascii=False), flush=True)  # noqa: T201 - the machine-readable ready line


def main(argv: list[str] | None = None) -> int:
    """Run a table; returns the exit code."""
    options = parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO, **({"filename": options.log_file} if options.log_file else {}))
    code = sys.stdin.readline().strip() if options.code_stdin else None
    try:
        return asyncio.run(serve(options, code))
    except (ListenError, JournalError, FolderError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's word to its person
        return 2
    except KeyboardInterrupt:
        return 130
