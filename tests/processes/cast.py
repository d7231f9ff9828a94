"""The processes of one table, each with its folder; the host's journal as it grows; a proxy before one joiner.

Everything is driven by one loop that looks at files: no threads, and whoever is killed is killed by whoever looks.
"""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from goat_net.log.chain import FILE_HEADER, Record, parse_record
from goat_net.log.fold import Fold
from goat_net.seat import seeded
from goat_net.wire.framing import MAX_CONTENT
from goat_net.wire.messages import MESSAGES, NewEntry
from tests.patience import PATIENCE
from tests.processes.points import Counts, Name
from tests.processes.seat import WATCHER

ROOT: Final = Path(__file__).parents[2]
LOOK: Final = 0.002  # s between looks at the journal: a record of a deal takes longer
LOOP_SOCKETS: Final = 2  # an asyncio loop wakes itself through a pair of them


class WrongError(AssertionError):
    """The outcome is wrong, as the text says."""


@dataclass(slots=True)
class Life:
    """One process from its start to its end."""

    command: list[str]
    folder: Path
    name: str
    process: subprocess.Popen[bytes] = field(init=False)
    read: int = 0
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
        env = {**os.environ, "GOAT_HOME": str(self.folder / "home"), "PYTHONPATH": path}
        with self.out.open("wb") as out, self.err.open("ab") as err:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=out, stderr=err, cwd=ROOT, env=env, start_new_session=True
            )

    @property
    def out(self) -> Path:
        """Its standard output."""
        return self.folder / f"{self.name}.out"

    @property
    def err(self) -> Path:
        """Its standard error, of all its lives."""
        return self.folder / f"{self.name.partition('.')[0]}.err"

    def lines(self) -> list[dict[str, Any]]:
        """New lines of its output."""
        with self.out.open("rb") as file:
            file.seek(self.read)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self.read += len(whole)
        return [json.loads(line) for line in whole.splitlines()]

    def kill(self) -> None:
        """SIGKILL, and wait for it."""
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        self.wait(PATIENCE)

    def wait(self, seconds: float) -> bool:
        """Whether it has ended in this time. Its pipe is closed then."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
            assert self.process.stdin is not None
            with suppress(OSError):
                self.process.stdin.close()
            return True
        return False

    def say(self, line: str) -> None:
        """A line on its standard input."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()


@dataclass(slots=True)
class LogFile:
    """A log on disk that grows: whole frames are read, a torn end is left for later."""

    path: Path
    offset: int = 0
    data: bytes = b""

    def grow(self) -> list[NewEntry]:
        """New entries."""
        with suppress(FileNotFoundError):
            with self.path.open("rb") as file:
                file.seek(self.offset)
                more = file.read()
            return list(self._entries(more))
        return []

    def _entries(self, data: bytes) -> Any:
        position = 0
        while position + 3 <= len(data):
            size = int.from_bytes(data[position + 1 : position + 3], "big")
            assert size <= MAX_CONTENT, f"{self.path} is no log"
            whole = data[position : position + 3 + size]
            if len(whole) < 3 + size:
                break
            position += len(whole)
            self.offset += len(whole)
            self.data += whole
            if whole != FILE_HEADER:
                message = MESSAGES.decode(whole[3:])
                assert isinstance(message, NewEntry)
                yield message


@dataclass(frozen=True, slots=True)
class Seen:
    """A record that has come into a journal: in which log, what it is."""

    log: int
    entry: NewEntry
    record: Record
    name: Name


@dataclass(slots=True)
class Journal:
    """All logs that the host has begun, in order, folded as they grow."""

    folder: Path
    files: list[LogFile] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)
    counts: list[Counts] = field(default_factory=list)

    def poll(self) -> list[Seen]:
        """What is new."""
        known = {file.path for file in self.files}
        for path in sorted(self.folder.glob("*.goat"), key=lambda p: p.stat().st_mtime_ns):
            if path not in known:
                self.files.append(LogFile(path))
                self.folds.append(Fold())
                self.counts.append(Counts())
        found = []
        for index, file in enumerate(self.files):
            for entry in file.grow():
                record = parse_record(entry.record)
                found.append(Seen(index, entry, record, self.counts[index].of(record)))
        return found

    @property
    def fold(self) -> Fold:
        """The fold of the newest log."""
        return self.folds[-1] if self.folds else Fold()


class Proxy:
    """Passes one joiner's connections on and tells of each flight: bytes of the other direction have come."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.port: int = self.listener.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.other: dict[socket.socket, socket.socket] = {}
        self.up: set[socket.socket] = set()
        self.flights = 0
        self.last_up: bool | None = None
        self.on_flight: Callable[[int], None] | None = None

    def pump(self, seconds: float) -> None:
        """Carry what there is, waiting at most so long for it."""
        for key, _ in self.selector.select(seconds):
            if key.fileobj is self.listener:
                self._accept()
            else:
                assert isinstance(key.fileobj, socket.socket)
                self._carry(key.fileobj)

    def _accept(self) -> None:
        near, _ = self.listener.accept()
        try:
            far = socket.create_connection(self.target, 2.0)
        except OSError:
            near.close()
            return
        self.other |= {near: far, far: near}
        self.up.add(near)
        for sock in (near, far):
            sock.settimeout(2.0)
            self.selector.register(sock, selectors.EVENT_READ)

    def _carry(self, sock: socket.socket) -> None:
        if sock not in self.other:
            return
        try:
            data = sock.recv(65536)
        except OSError:
            data = b""
        if data and (sock in self.up) != self.last_up:
            self.last_up = sock in self.up
            self.flights += 1
            if self.on_flight is not None:
                self.on_flight(self.flights)
        try:
            if not data:
                raise ConnectionError
            self.other[sock].sendall(data)
        except OSError:
            self._drop(sock)

    def _drop(self, sock: socket.socket) -> None:
        for end in (sock, self.other[sock]):
            self.selector.unregister(end)
            self.other.pop(end)
            self.up.discard(end)
            end.close()

    def close(self) -> None:
        """End."""
        for sock in list(self.other):
            if sock in self.other:
                self._drop(sock)
        self.selector.close()
        self.listener.close()


class Cast:
    """The processes of one table. ``bots``: how many seats the host's own bots have, from seat 3 down."""

    def __init__(self, folder: Path, seed: str, arguments: tuple[str, ...], bots: int, *, proxied: int | None = None):
        self.folder, self.seed, self.arguments, self.bots = folder, seed, arguments, bots
        self.journals = folder / "journals"
        self.journal = Journal(self.journals)
        self.seat_arguments: tuple[str, ...] = ()  # beside what every seat is started with
        self.wrappers: dict[int | str, tuple[str, ...]] = {}  # commands that start a process in other surroundings
        self.lives: dict[int | str, Life] = {}
        self.counts: dict[int | str, int] = {}
        self.backs: dict[int, list[dict[str, Any]]] = {}
        self.ends: dict[int, list[dict[str, Any]]] = {}
        self.told: dict[int, list[str]] = {}  # what each seat's person was told
        self.ready: dict[str, Any] | None = None
        self.port = self.taken = 0
        self.bot_pids: set[int] = set()
        self.table_key = seeded.identity(seeded.seed_bytes(seed), "table").public.hex()
        self.proxied, self.proxy = proxied, None if proxied is None else Proxy(("127.0.0.1", 0))

    @property
    def seats(self) -> tuple[int, ...]:
        """Seats with a process of their own."""
        return tuple(range(4 - self.bots))

    # Starting

    def start_host(self, resume: Path | None = None) -> None:
        """The table, for the first time, or again from its journal."""
        command = [sys.executable, "-m", "goat_host", "--child", "--journals", str(self.journals)]
        more = ("--resume", str(resume)) if resume else (*self.arguments, "--port", str(self.port))
        self.ready = None
        self._start("host", [*command, *more])

    def start_seat(self, seat: int) -> None:
        """A seat, or the watcher (`WATCHER`)."""
        proxied = self.proxy is not None and seat == self.proxied
        port = self.proxy.port if proxied and self.proxy is not None else self.port
        command = [sys.executable, "-m", "tests.processes.seat", "--at", f"127.0.0.1:{port}"]
        command += ["--table", self.table_key, "--seed", self.seed, "--save", str(self.folder / f"seat{seat}")]
        command += ["--life", str(self.counts.get(seat, 0)), *self.seat_arguments]
        self._start(seat, [*command, *(["--watch"] if seat == WATCHER else ["--seat", str(seat)])])

    def _start(self, who: int | str, command: list[str]) -> None:
        number = self.counts.get(who, 0)
        self.counts[who] = number + 1
        name = f"{'seat' if isinstance(who, int) else ''}{who}.{number}"
        self.lives[who] = Life([*self.wrappers.get(who, ()), *command], self.folder, name)

    def begin(self) -> None:
        """Everything up to where the lobby is full, but for the joiner behind the proxy."""
        self.start_host()
        self.until(lambda: self.ready is not None, "the table is ready")
        if self.proxy is not None:
            self.proxy.target = ("127.0.0.1", self.port)
        self.start_seat(WATCHER)
        for seat in self.seats:
            if seat != self.proxied:
                self.start_seat(seat)

    # Looking

    def look(self) -> list[Seen]:
        """One look at everything that may have changed."""
        if self.proxy is not None:
            self.proxy.pump(LOOK)
        else:
            time.sleep(LOOK)
        for who, life in list(self.lives.items()):
            for line in life.lines():
                if who == "host":
                    self.ready = line
                    self.port = int(line["port"])
                elif "taken" in line:
                    self.taken = int(line["taken"])
                elif "told" in line:
                    assert isinstance(who, int)
                    self.told.setdefault(who, []).append(str(line["told"]))
                elif isinstance(who, int):
                    (self.backs if "back" in line else self.ends).setdefault(who, []).append(line)
        return self.journal.poll()

    def take(self, seen: list[Seen]) -> None:
        """Fold what was seen; kept apart, for whoever kills first looks only at names."""
        for one in seen:
            self.journal.folds[one.log].take(one.entry)

    def until(self, true: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
        """Look until something is so. Raises WrongError when it takes too long."""
        end = time.monotonic() + patience
        while not true():
            self.take(self.look())
            if time.monotonic() > end:
                raise WrongError(f"not within {patience:.0f} s: {what}; {self.where()}")

    def where(self) -> str:
        """Where the match stands, for error texts."""
        fold = self.journal.fold
        stage = fold.deal.stage.name if fold.deal else ""
        gone = [f"{who} ({life.process.returncode})" for who, life in self.lives.items() if life.process.poll()]
        words = [line["text"] for lines in self.ends.values() for line in lines[-1:]]
        words += [life.err.read_text()[-300:].strip() for life in self.lives.values() if life.process.poll()]
        return (
            f"{len(fold.chain)} entries, {fold.stage.name} {stage}, waits for {sorted(fold.waits_for())}"
            + (f"; ended: {', '.join(gone)} {' '.join(words)}" if gone or words else "")
        )

    def bots_pid(self) -> int:
        """The bots' process of the host now alive."""
        host = self.lives["host"].process.pid
        for task in Path(f"/proc/{host}/task").iterdir():
            children: list[str] = []
            with suppress(OSError):  # a thread that has just ended
                children = (task / "children").read_text().split()
            for child in children:
                with suppress(OSError):
                    if b"goat_host.bots" in Path(f"/proc/{child}/cmdline").read_bytes():
                        self.bot_pids.add(int(child))
                        return int(child)
        return 0

    def bots_at_table(self, killed: int) -> bool:
        """Whether another bots' process than the killed one has a connection, beside the two sockets of its loop: what
        the killed one had sent is in the journal then."""
        pid, sockets = self.bots_pid(), 0
        with suppress(OSError):
            for name in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    sockets += str(name.readlink()).startswith("socket:")
        return pid not in (0, killed) and sockets > LOOP_SOCKETS

    def log_of(self, who: int, log: int) -> bytes:
        """What a seat or the watcher has saved of a log."""
        name = self.journal.files[log].path.stem.split("-")[4]  # year, month, day, time, then the id of the log
        found = sorted((self.folder / f"seat{who}").glob(f"*-{name}*.goat"))
        return found[0].read_bytes() if found else b""

    # Ending

    def finish(self) -> None:
        """Close the table as its host does; everybody goes unasked. Raises WrongError if not."""
        self.lives["host"].say("close")
        end = time.monotonic() + PATIENCE
        while any(life.process.poll() is None for life in self.lives.values()) and time.monotonic() < end:
            self.take(self.look())
        slow = [str(who) for who, life in self.lives.items() if not life.wait(0.0)]
        self.take(self.look())
        if slow:
            raise WrongError(f"did not end with the table: {', '.join(slow)}")
        if self.remaining():
            raise WrongError(f"left behind: {self.remaining()}")

    def remaining(self) -> list[str]:
        """Processes of this table that are still there: they name its folder, or were seen as its bots'."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes()
                state = (process / "stat").read_text().rpartition(")")[2].split()[0]
                bots = int(process.name) in self.bot_pids and b"goat_host.bots" in words
                if state != "Z" and (bots or str(self.folder).encode() in words):
                    found.append(words.replace(b"\0", b" ").decode(errors="replace"))
        return found

    def abandon(self) -> None:
        """Whatever is left goes, after a wrong outcome too."""
        with suppress(OSError, KeyError):
            self.bots_pid()
        for life in self.lives.values():
            life.kill()
        for pid in self.bot_pids:
            with suppress(OSError):
                if b"goat_host.bots" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)
        if self.proxy is not None:
            self.proxy.close()

