"""A host under load over TLS on loopback: python benchmarks/bench_stream.py [--moves N] [--sockets N] [--seconds S].

The server has a process of its own with a table that sends each line back; strangers have one, too; the guest who
measures is here. Per kind of strangers: round trips of a line (p50, p99, in ms), the time a new guest takes to be in,
how often it was dropped at the door before, how many connections the server took a second, and the lines it logged.
Strangers open their sockets again 0.2 s after they are hung up on, for so many seconds.
"""

import argparse
import asyncio
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from goat_host.ports import Out, Send, StatusInfo
from goat_host.server import Server

from goat_net.wire.address import Address
from goat_net.wire.identity import Identity
from goat_net.wire.link import Closed, Event, Opened, Received
from goat_net.wire.messages import LEFT, Hello, Said, Say
from goat_net.wire.notices import Notice
from goat_net.wire.peer import Joiner
from goat_net.wire.stream import Connection, connect, open_stream

HOST = "127.0.0.1"
REOPEN = 0.2
TARGET_P99 = 50.0
TARGET_JOIN = 3.0
TARGET_LINES = 10


# The server's process ------------------------------------------------------------------------------------------


class Echo:
    """A table that sends each line back to whoever said it."""

    def __init__(self) -> None:
        self.outbox: list[Out] = []
        self.deadline: float | None = None

    def status(self) -> StatusInfo:
        return StatusInfo("Echo", 0, True, False, 0, b"", 0)

    def admits(self, hello: Hello) -> tuple[int, Notice] | None:
        return None

    def joined(self, conn: int, hello: Hello, operator_signature: bytes, now: float) -> None:
        pass

    def message(self, conn: int, message: Any, now: float) -> None:
        self.outbox.append(Send(conn, Said(4, "Echo", bytes(32), message.text)))

    def gone(self, conn: int, now: float) -> None:
        pass

    def has_seat(self, conn: int) -> bool:
        return True

    def recover(self) -> None:
        pass

    def slept(self, seconds: float) -> None:
        pass

    def tick(self, now: float) -> None:
        pass


class Nothing:
    """No bots, no journal, no network."""

    def start_bot(self, seat: int, level: str) -> None:
        pass

    def stop_bot(self, seat: int) -> None:
        pass

    def journal(self, log_id: bytes, data: bytes, sync: bool) -> None:
        pass

    def advertise(self, status: StatusInfo) -> None:
        pass


async def serve() -> None:
    """Serve until standard input ends; prints its port, and at the end how many came. The log is standard error."""
    server = Server(Echo(), Identity.new(), Nothing(), program="goat bench", addresses=[HOST])
    print(server.port, flush=True)
    async with asyncio.TaskGroup() as group:
        group.create_task(server.run())
        await asyncio.to_thread(sys.stdin.read)
        server.stop()
    print(server._numbers, flush=True)


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """This file as a child process, ended with the block."""
    command = [sys.executable, __file__, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as child:
        try:
            yield child
        finally:
            if child.poll() is None and child.stdin is not None:
                child.stdin.close()


# Strangers -----------------------------------------------------------------------------------------------------


async def strangers(kind: str, port: int, count: int, seconds: float) -> None:
    """So many sockets that are a nuisance in this way, until the end; says "ready" once they have begun."""
    end = time.monotonic() + seconds

    async def one() -> None:
        for _ in range(int(seconds / REOPEN)):
            if time.monotonic() > end:
                return
            with suppress(OSError):
                await nuisance(kind, port, end)
            await asyncio.sleep(REOPEN)

    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(one())
            await asyncio.sleep(0)
        await asyncio.sleep(min(1.0, seconds / 4))
        print("ready", flush=True)


async def nuisance(kind: str, port: int, end: float) -> None:
    """One socket until it is hung up on, or the end."""
    if kind == "tls":
        reader, writer = await open_stream(Address(HOST, port), within=5.0)
    else:
        reader, writer = await asyncio.open_connection(HOST, port)
    try:
        async with asyncio.timeout(max(0.0, end - time.monotonic())):
            if kind == "babble":
                while not writer.is_closing():
                    writer.write(b"\xc5\x00\x02\x91\x08" * 20)
                    await writer.drain()
                    await asyncio.sleep(0.05)
            await reader.read()
    except TimeoutError:
        pass
    finally:
        writer.transport.abort()


# The guest who measures ----------------------------------------------------------------------------------------


class Guest:
    """A connection and the answers that came on it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.inside = asyncio.Event()
        self.answers: asyncio.Queue[float] = asyncio.Queue()

    def on_event(self, event: Event) -> None:
        if isinstance(event, Opened):
            self.inside.set()
        elif isinstance(event, Received):
            self.answers.put_nowait(time.perf_counter())
        elif isinstance(event, Closed) and event.reason != LEFT and self.inside.is_set():
            raise SystemExit(f"the guest was thrown out: {event.text}")


async def join(port: int, group: asyncio.TaskGroup) -> tuple[Guest, float, int]:
    """A guest who is in, the seconds it took, and how often they were dropped at the door and had to try again."""
    start = time.perf_counter()
    for drops in range(100):
        try:
            guest = Guest(await connect(HOST, port, Joiner(Identity.new(), "Anna", program="goat bench")))
        except OSError:
            continue
        task = group.create_task(guest.connection.run(guest.on_event))
        inside = group.create_task(guest.inside.wait())
        await asyncio.wait([task, inside], return_when=asyncio.FIRST_COMPLETED)
        if guest.inside.is_set():
            return guest, time.perf_counter() - start, drops
        inside.cancel()
    raise SystemExit("no guest came in")


async def round_trips(guest: Guest, moves: int) -> list[float]:
    """Milliseconds of each of so many lines, one at a time."""
    times = []
    for number in range(moves):
        start = time.perf_counter()
        guest.connection.send(Say(str(number)))
        times.append((await guest.answers.get() - start) * 1000)
        await asyncio.sleep(0.002)  # a pace that the limit of frames allows, and that lets strangers in between
    return sorted(times)


async def plain_echo(moves: int) -> list[float]:
    """Milliseconds of as many bytes there and back over plain TCP in one process, for comparison."""
    listener = await asyncio.start_server(_echo, HOST, 0)
    async with listener:
        reader, writer = await asyncio.open_connection(HOST, listener.sockets[0].getsockname()[1])
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        times = []
        for _ in range(moves):
            start = time.perf_counter()
            writer.write(b"\xc5\x00\x05\x92\x13\xa2hi")
            await reader.readexactly(8)
            times.append((time.perf_counter() - start) * 1000)
        writer.close()
        await writer.wait_closed()
    return sorted(times)


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(4096):
        writer.write(data)
    writer.close()


async def measure(port: int, moves: int) -> tuple[float, float, float, int]:
    """p50 and p99 in ms, seconds of the slowest of ten joins, and how often one was dropped at the door."""
    async with asyncio.TaskGroup() as group:
        guest, slowest, dropped = await join(port, group)
        times = await round_trips(guest, moves)
        for _ in range(9):
            other, seconds, drops = await join(port, group)
            slowest, dropped = max(slowest, seconds), dropped + drops
            other.connection.close(LEFT)
        guest.connection.close(LEFT)
    return statistics.median(times), times[int(len(times) * 0.99) - 1], slowest, dropped


def run(kind: str, moves: int, sockets: int, seconds: float) -> None:
    """Measure with this kind of strangers and print a row."""
    with process("--serve") as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        start = time.monotonic()
        if kind == "none":
            p50, p99, joined, dropped = asyncio.run(measure(port, moves))
        else:
            with process("--strangers", kind, str(port), str(sockets), str(seconds)) as other:
                assert other.stdout is not None
                if other.stdout.readline() != "ready\n":
                    raise SystemExit("the strangers did not come")
                p50, p99, joined, dropped = asyncio.run(measure(port, moves))
                other.kill()
        rate = time.monotonic() - start
        came, errors = server.communicate()
    lines = errors.count("\n")
    good = p99 <= TARGET_P99 and joined <= TARGET_JOIN and lines <= TARGET_LINES
    row = f"{kind:8} {p50:8.2f} {p99:8.2f} {joined:8.3f} {dropped:6} {int(came) / rate:7.0f} {lines:6}"
    print(row, "  good" if good else "  too slow")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=500)
    parser.add_argument("--sockets", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--strangers", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
    elif options.strangers:
        kind, port, count, seconds = options.strangers
        asyncio.run(strangers(kind, int(port), int(count), float(seconds)))
    else:
        times = asyncio.run(plain_echo(options.moves))
        print(f"plain TCP echo in one process: p50 {statistics.median(times):.3f} ms")
        print(f"targets: p99 {TARGET_P99:.0f} ms, join {TARGET_JOIN:.0f} s, {TARGET_LINES} lines")
        print("strangers p50 ms   p99 ms   join s  drops  came/s  lines")
        for kind in ("none", "idle", "babble", "tls"):
            run(kind, options.moves, options.sockets, options.seconds)


if __name__ == "__main__":
    main()
