"""Floods and slowness while a match runs, over TLS on loopback: python benchmarks/bench_flood.py [--seconds S] [KIND]

The table has a process of its own; four bots play at it from here as fast as they can; whoever floods has a third
process. For each kind: how long the seated wait from sending a record until it is in the log (p50, p99, in ms), how
many records a second there were, who of the seated was dropped, how long a new guest took to be in, and the memory
(MB), descriptors and processor time of the table's process. The first line is the undisturbed match.

Kinds: silent (2,000 sockets that say nothing), churn (connections as fast as they come), handshakes (TLS as fast as it
comes), deaf (16 guests who never read while everybody talks), control-1 and control-16 (so many guests with 800
messages a second of every kind that a guest may send), lobbies (16 that ask this table how it is, each anew as soon
as it has its answer, where a real one waits for seconds).
"""

import argparse
import asyncio
import json
import os
import random
import socket
import ssl
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from goat_host.ports import StatusInfo
from goat_host.room import TableSetup
from goat_host.server import Server
from goat_host.table import Table

from goat_engine.bots import choose
from goat_engine.rules import Rules
from goat_net.log.records import Settings
from goat_net.seat.reach import make_reach
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.wire.address import Address
from goat_net.wire.identity import Identity
from goat_net.wire.link import Opened
from goat_net.wire.messages import LEFT, ROLE_BOT, ROLE_WATCHER, Fresh, NewEntry, Ready, Say, Sit, Submit, Swap
from goat_net.wire.peer import Joiner
from goat_net.wire.stream import Connection, ask_status, connect
from goat_net.wire.tls import client_context

HERE = "127.0.0.1"
KINDS = ("none", "silent", "churn", "handshakes", "deaf", "control-1", "control-16", "lobbies")
RATE = 800  # control messages a second of one guest
TABLE = Identity.from_seed(b"\x51" * 32)


# The table's process ---------------------------------------------------------------------------------------------


class Nothing:
    """A table without disk, network and bots of its own."""

    def start_bot(self, seat: int, level: str) -> None:
        """Bots come from outside here."""

    def stop_bot(self, seat: int) -> None:
        """None is there."""

    def journal(self, log_id: bytes, data: bytes, sync: bool) -> None:
        """Kept nowhere."""

    def advertise(self, status: StatusInfo) -> None:
        """Nobody looks for it."""


def used() -> dict[str, float]:
    """Memory, descriptors and processor time of this process (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "mb": round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1),
        "fds": len(os.listdir("/proc/self/fd")),  # noqa: PTH208
        "cpu": round(time.process_time(), 2),
    }


async def table_process() -> None:
    """Serve a table until the input ends; each line of it asks what is used."""
    setup = TableSetup("Bench", "bench", Rules(99, yield_time=0), Settings(180, 0, 0, True, True, b""))
    server = Server(Table(TABLE, setup, os.urandom), TABLE, Nothing(), program="bench", addresses=[HERE])
    loop = asyncio.get_running_loop()
    print(server.port, flush=True)

    def asked() -> None:
        if not sys.stdin.readline():
            server.stop()
        else:
            print(json.dumps(used()), flush=True)

    loop.add_reader(sys.stdin, asked)
    await server.run()


# Whoever floods --------------------------------------------------------------------------------------------------


async def dialled(port: int, address: str) -> socket.socket:
    """A plain socket from a local address."""
    sock = socket.socket()
    sock.setblocking(False)
    sock.bind((address, 0))
    await asyncio.get_running_loop().sock_connect(sock, (HERE, port))
    return sock


async def silent(port: int, number: int) -> None:
    """A socket that says nothing, opened again when it is hung up on."""
    while True:
        with suppress(OSError), await dialled(port, f"127.0.1.{number % 200 + 1}") as sock:
            await asyncio.get_running_loop().sock_recv(sock, 1)
        await asyncio.sleep(0.5)


async def churn(port: int, number: int) -> None:
    """Connections that are closed as soon as they are open."""
    while True:
        with suppress(OSError):
            (await dialled(port, f"127.0.2.{number + 1}")).close()
        await asyncio.sleep(0)


async def handshakes(port: int, number: int) -> None:
    """TLS, and nothing more."""
    while True:
        with suppress(OSError, ssl.SSLError):
            sock = await dialled(port, f"127.0.3.{number + 1}")
            _, writer = await asyncio.open_connection(sock=sock, ssl=client_context(), server_hostname="goat")
            writer.transport.abort()
        await asyncio.sleep(0)


async def guest(port: int, number: int, what: str) -> None:
    """Somebody who is in, and deaf or loud; they come again when they are dropped."""
    identity = Identity.from_seed(number.to_bytes(32, "big"))
    while True:
        with suppress(OSError, ssl.SSLError):
            peer = Joiner(identity, f"Loud {number}", ROLE_WATCHER, program="bench")
            sock = await dialled(port, "127.0.4.1")  # one machine, and not the newcomer's
            streams = await asyncio.open_connection(sock=sock, ssl=client_context(), server_hostname="goat")
            connection = Connection(*streams, peer)
            opened = asyncio.Event()
            async with asyncio.TaskGroup() as group:
                running = group.create_task(
                    connection.run(lambda event, opened=opened: opened.set() if isinstance(event, Opened) else None)  # type: ignore[misc]
                )
                doing = group.create_task(loud(connection, identity, opened, what))
                await running
                doing.cancel()
        await asyncio.sleep(0.5)


async def loud(connection: Connection, identity: Identity, opened: asyncio.Event, what: str) -> None:
    await opened.wait()
    if what == "deaf":
        transport: Any = connection._writer.transport
        transport.pause_reading()
    serial = 0
    while connection.peer.is_open:
        serial += 1
        if what == "deaf":
            connection.send(Say(f"line {serial}"))
            await asyncio.sleep(1.0)
            continue
        reach = make_reach(identity, TABLE.public, serial, ("127.0.0.1:9",))
        for message in (Ready(serial % 2 == 0), Sit(4), Swap(0), Fresh(bytes(32)), reach, Say("x"), Submit(b"x" * 50)):
            connection.send(message)
        await asyncio.sleep(7 / RATE)


async def lobby(port: int, number: int) -> None:
    """A lobby that asks again and again."""
    while True:
        with suppress(OSError):
            await ask_status(Address(HERE, port), f"lobby {number}")
        await asyncio.sleep(0.05)


async def flood(kind: str, port: int) -> None:
    """Flood until killed."""
    jobs = {
        "silent": [silent(port, n) for n in range(2000)] if kind == "silent" else [],
        "churn": [churn(port, n) for n in range(64)] if kind == "churn" else [],
        "handshakes": [handshakes(port, n) for n in range(32)] if kind == "handshakes" else [],
        "deaf": [guest(port, n, "deaf") for n in range(16)] if kind == "deaf" else [],
        "control-1": [guest(port, 0, "control")] if kind == "control-1" else [],
        "lobbies": [lobby(port, n) for n in range(16)] if kind == "lobbies" else [],
        "control-16": [guest(port, n, "control") for n in range(16)] if kind == "control-16" else [],
    }
    async with asyncio.TaskGroup() as group:
        for job in jobs[kind]:
            group.create_task(job)


# The seated, and what they see -----------------------------------------------------------------------------------


class Seated(TableSession):
    """A bot's session that notes how long its records take into the log, and how often its line broke."""

    def __init__(self, seat: int, port: int) -> None:
        rng = random.Random(seat)
        setup = SeatSetup(
            f"Bot {seat}", "bench", ROLE_BOT, seat, level="easy", eager=True, listen=None,
            brain=lambda view: choose(view, rng, "easy"),
        )  # fmt: skip
        super().__init__(Identity.new(), setup, (Address(HERE, port),), retry_for=60.0)
        self.sent: dict[bytes, float] = {}
        self.took: list[float] = []
        self.cuts = 0

    def _send(self, message: Any) -> None:
        if isinstance(message, Submit):
            self.sent[message.record] = time.monotonic()
        super()._send(message)

    def _message(self, message: Any) -> None:
        if isinstance(message, NewEntry) and message.record in self.sent:
            self.took.append(time.monotonic() - self.sent.pop(message.record))
        super()._message(message)

    def _cut_off(self) -> None:
        self.cuts += 1
        super()._cut_off()


async def new_guest(port: int) -> float:
    """Seconds until a new guest is in."""
    begun = time.monotonic()
    while True:
        with suppress(OSError, ssl.SSLError):
            connection = await connect(HERE, port, Joiner(Identity.new(), "Newcomer", ROLE_WATCHER, program="bench"))
            inside: list[float] = []

            def on_event(event: Any, connection: Connection = connection, inside: list[float] = inside) -> None:
                if isinstance(event, Opened):
                    inside.append(time.monotonic() - begun)
                    connection.close(LEFT)

            await connection.run(on_event)
            if inside:
                return inside[0]
        if time.monotonic() - begun > 30:
            return float("inf")


async def measure(kind: str, seconds: float) -> None:
    """One kind of flood, and its line."""
    table = subprocess.Popen(  # noqa: ASYNC220 - before anything is measured
        [sys.executable, __file__, "--table"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert table.stdin is not None
    assert table.stdout is not None
    port = int(table.stdout.readline())

    def ask() -> dict[str, float]:
        assert table.stdin is not None
        assert table.stdout is not None
        table.stdin.write("\n")
        table.stdin.flush()
        found: dict[str, float] = json.loads(table.stdout.readline())
        return found

    seats = [Seated(seat, port) for seat in range(4)]
    flooder: subprocess.Popen[bytes] | None = None
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(seat.run()) for seat in seats]
        while not all(seat.took for seat in seats):  # noqa: ASYNC110 - sessions tell nobody of that
            await asyncio.sleep(0.05)
        if kind != "none":
            flooder = subprocess.Popen(  # noqa: ASYNC220 - as above
                [sys.executable, __file__, "--flood", kind, str(port)]
            )
            await asyncio.sleep(2.0)
        before, begun, cpu = [len(seat.took) for seat in seats], time.monotonic(), ask()["cpu"]
        join = 0.0
        while time.monotonic() - begun < seconds:
            await asyncio.sleep(seconds / 4)
            join = max(join, await new_guest(port))
        after, lasted = ask(), time.monotonic() - begun
        if flooder is not None:
            flooder.kill()
            flooder.wait()
        for seat in seats:
            seat.hang_up()
        for task in tasks:
            await task
    table.stdin.close()
    table.wait()
    took = sorted(t for seat, n in zip(seats, before, strict=True) for t in seat.took[n:])
    p99 = took[int(len(took) * 0.99)] if took else float("nan")
    print(
        f"{kind:11} p50 {statistics.median(took or [0]) * 1000:7.1f} ms  p99 {p99 * 1000:7.1f} ms  "
        f"{len(took) / lasted:6.1f} records/s  cuts {sum(seat.cuts for seat in seats)}  new guest {join:5.2f} s  "
        f"{after['mb']:6.1f} MB  {after['fds']:4.0f} descriptors  "
        f"{(after['cpu'] - cpu) / lasted * 100:4.0f} % processor",
        flush=True,
    )


def main() -> None:
    """Measure the kinds that are named, or all."""
    parser = argparse.ArgumentParser(description="Floods and slowness while a match runs.")
    parser.add_argument("kinds", nargs="*", default=[], metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--seconds", type=float, default=20.0, help="of each kind (%(default)s)")
    parser.add_argument("--table", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--flood", nargs=2, default=[], metavar=("KIND", "PORT"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.table:
        asyncio.run(table_process())
    elif args.flood:
        asyncio.run(flood(args.flood[0], int(args.flood[1])))
    else:
        for kind in args.kinds or KINDS:
            asyncio.run(measure(kind, args.seconds))


if __name__ == "__main__":
    main()
