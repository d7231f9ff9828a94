"""What runs in the table's process: server, journal, advertising, bots. It prints one line of JSON when it is ready."""

import argparse
import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import IO

from goat_engine.rules import Rules
from goat_host.listen import ListenError
from goat_host.orders import BotsProcess, read_lines
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

    def __init__(self, bots: BotsProcess, journals: Journals) -> None:
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


async def serve(options: argparse.Namespace, code: str | None, bots: BotsProcess) -> int:
    """Run the table until it is told to go; the exit code."""
    table, setup = make_table(options, code)
    loop = asyncio.get_running_loop()
    journals = Journals(Path(options.journals) if options.journals else data_dir() / "journals")
    outside = Outside(bots, journals)
    server = Server(
        table, table.identity, outside, program=setup.program, code=code, addresses=options.interface, port=options.port
    )
    near = options.interface[0] if options.interface else "127.0.0.1"
    where = f"[{near}]:{server.port}" if ":" in near else f"{near}:{server.port}"
    bots.at(where, table.identity.public)
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
            if options.fill:
                table.fill()
            await server.run()
    finally:
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


def run(options: argparse.Namespace, code: str | None, bots: BotsProcess) -> int:
    """Run the table; returns the exit code."""
    logging.basicConfig(level=logging.INFO, **({"filename": options.log_file} if options.log_file else {}))
    try:
        return asyncio.run(serve(options, code, bots))
    except (ListenError, JournalError, FolderError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's word to its person
        return 2
