"""A local network inside one machine, for tests: namespaces, a wire with faults, and processes in them.

Nothing leaves the namespaces. Names begin with ``goat`` and the number of the process that made them; whatever a
killed test left is removed when the next one starts. Linux and root only: `missing` says what there isn't.
"""

import contextlib
import functools
import hashlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
_NUMBERS = itertools.count()
_MAKING = threading.Lock()
FIREWALL = ("iptables", "ip6tables")
OURS = re.compile(r"^goat(\d+)-")
WITHIN = 300.0
"""Seconds after which something that must come is missed: a net, far above what a busy machine needs. How long things
take is measured by benchmarks/bench_discovery.py; no test here depends on it."""

os.environ["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


class Port(NamedTuple):
    """One interface of a node. address: with prefix length, or "" for none yet."""

    name: str = "eth0"
    segment: str = "lan"
    address: str = ""


def missing(*tools: str) -> str | None:
    """Why the bench can't run here, or None."""
    if sys.platform != "linux":
        return "network namespaces are Linux's"
    if os.geteuid() != 0:
        return "network namespaces need root"
    for tool in ("ip", "sysctl", *tools):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "there is no /dev/net/tun"
    name = f"goat{os.getpid()}-try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if made.returncode:
        return f"namespaces can't be made here ({made.stderr.strip()})"
    try:
        for tool in sorted({*tools} & {*FIREWALL}):  # it may be installed, and the kernel lack what it needs
            tried = subprocess.run(["ip", "netns", "exec", name, tool, "-nL"], capture_output=True, text=True)
            if tried.returncode:
                return f"{tool} does not work here ({tried.stderr.strip()})"
    finally:
        ip("netns", "del", name)
    return None


def ip(*words: str) -> str:
    """Run ip(8); its output."""
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


def sweep(gone: int = 0) -> None:
    """Remove the namespaces of benches whose process is gone, with everything that still runs in them.

    gone: number of a process that is known to have ended, though the system may not have said so yet.
    """
    for line in ip("netns", "list").splitlines():
        name = line.split()[0]
        owner = OURS.match(name)
        if owner and (int(owner[1]) == gone or not Path(f"/proc/{owner[1]}").exists()):
            remove(name)


@contextlib.contextmanager
def swept() -> Iterator[None]:
    """Inside the block benches may be made: what earlier ones left is removed before, and what these leave after,
    by a process that outlives this one if it is killed."""
    sweep()
    words = [sys.executable, str(HERE / "lan.py"), str(os.getpid())]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as broom:
        assert broom.stdin is not None
        assert broom.stdout is not None
        broom.stdout.readline()  # it is there, under its own name
        yield
        broom.stdin.close()


def remove(namespace: str) -> None:
    """End every process in one of our namespaces, by number, and delete it."""
    assert OURS.match(namespace)
    for pid in ip("netns", "pids", namespace).split():
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            continue
    ip("netns", "del", namespace)


class Process:
    """A process in a namespace that prints JSON lines: they are kept in `lines` and can be waited for."""

    def __init__(self, words: Sequence[str], env: dict[str, str] | None = None) -> None:
        self.lines: list[dict[str, Any]] = []
        self.text: list[str] = []
        self.errors: list[str] = []
        self._news = threading.Condition()
        self._ended = 0
        self.popen = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        )
        self._readers = [threading.Thread(target=self._read, args=(error,)) for error in (False, True)]
        for reader in self._readers:
            reader.start()

    def _read(self, error: bool) -> None:
        stream = self.popen.stderr if error else self.popen.stdout
        assert stream is not None
        for line in stream:
            with self._news:
                if error:
                    self.errors.append(line)
                else:
                    self.text.append(line)
                    if line.startswith("{") and line.endswith("}\n"):
                        self.lines.append(json.loads(line))
                self._news.notify_all()
        with self._news:
            self._ended += 1
            self._news.notify_all()

    def wait_for(
        self, wanted: Callable[[dict[str, Any]], bool], since: int = 0, within: float = WITHIN
    ) -> dict[str, Any]:
        """The first JSON line from number `since` on that is wanted. AssertionError when none comes."""
        end = time.monotonic() + within
        with self._news:
            while True:
                for line in self.lines[since:]:
                    if wanted(line):
                        return line
                since = len(self.lines)
                left = end - time.monotonic()
                if left <= 0 or self._ended == 2:
                    told = "".join(self.text[-15:]) + "".join(self.errors[-15:])
                    raise AssertionError(f"{self.popen.args} did not say what was awaited within {within} s:\n{told}")
                self._news.wait(left)

    def saw(self, part: str, error: bool = False, within: float = WITHIN) -> bool:
        """Wait until it has printed a line with this part; False when it ends, or the time does, without."""
        end = time.monotonic() + within
        with self._news:
            while not any(part in line for line in (self.errors if error else self.text)):
                left = end - time.monotonic()
                if left <= 0 or self._ended == 2:
                    return False
                self._news.wait(left)
        return True

    def send(self, order: object) -> None:
        """Write one JSON line to its stdin."""
        assert self.popen.stdin is not None
        self.popen.stdin.write(json.dumps(order) + "\n")
        self.popen.stdin.flush()

    def ask(self, order: object) -> dict[str, Any]:
        """Write one JSON line and wait for the next line of answer."""
        since = len(self.lines)
        self.send(order)
        return self.wait_for(lambda line: True, since)

    def kill(self, number: int = signal.SIGKILL) -> float:
        """Send a signal; the moment at which it was sent, on the clock that all processes here share."""
        now = time.monotonic()
        self.popen.send_signal(number)
        return now

    def end(self, within: float = WITHIN) -> None:
        """Wait for its good end. AssertionError with what it said when it ends otherwise."""
        code = self.popen.wait(within)
        for reader in self._readers:
            reader.join()
        assert code == 0, f"{self.popen.args} ended with {code}:\n" + "".join(self.text[-15:] + self.errors[-15:])

    def close(self) -> None:
        """End it whatever it does."""
        assert self.popen.stdin is not None
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()
        with contextlib.suppress(BrokenPipeError):
            self.popen.stdin.close()
        for reader in self._readers:
            reader.join()
        for stream in (self.popen.stdout, self.popen.stderr):
            assert stream is not None
            stream.close()


class Lan:
    """Nodes on segments. Each node is a namespace with loopback and the ports that were asked for.

    nodes: node name → its ports. wire: ``hub`` (TAP devices, with faults) or ``bridge`` (veth pairs on a kernel
    bridge, without).
    """

    def __init__(
        self, nodes: dict[str, Sequence[Port]], seed: int = 1, wire: str = "hub", home: Path | None = None
    ) -> None:
        self.prefix = f"goat{os.getpid()}-{next(_NUMBERS)}"
        self.nodes = nodes
        self._home = home
        self.processes: list[Process] = []
        self.hub: Process | None = None
        self._made: list[str] = []
        try:
            for node in [*nodes, "wire"]:
                self._make(node)
            if wire == "hub":
                self._hub(seed)
            else:
                self._bridge()
        except BaseException:
            self.close()
            raise

    def _make(self, node: str) -> None:
        name = self.namespace(node)
        with _MAKING:  # two at once may both find the folder of namespaces missing
            ip("netns", "add", name)
        self._made.append(name)
        # The check for doubled IPv6 addresses takes two seconds of every test, and there are none.
        self.run(node, "sysctl", "-q", "-w", "net.ipv6.conf.default.accept_dad=0", "net.ipv6.conf.all.accept_dad=0")
        ip("-n", name, "link", "set", "lo", "up")

    def _hub(self, seed: int) -> None:
        ports = [
            ",".join([self.namespace(node), port.name, port.segment, *([port.address] if port.address else [])])
            for node, its in self.nodes.items()
            for port in its
        ]
        self.hub = self.start("wire", sys.executable, str(HERE / "hub.py"), str(seed), *ports)
        self.hub.wait_for(lambda line: bool(line.get("ready")))

    def _bridge(self) -> None:
        wire = self.namespace("wire")
        for number, segment in enumerate(sorted({port.segment for its in self.nodes.values() for port in its})):
            ip("-n", wire, "link", "add", f"br{number}", "type", "bridge")
            ip("-n", wire, "link", "set", f"br{number}", "up")
            for node, its in self.nodes.items():
                for port in its:
                    if port.segment == segment:
                        self._cable(node, port, f"br{number}")

    def _cable(self, node: str, port: Port, bridge: str) -> None:
        wire, inside = self.namespace("wire"), self.namespace(node)
        end = f"{node}{port.name}"[:15]
        ip("-n", wire, "link", "add", end, "type", "veth", "peer", "name", port.name, "netns", inside)
        ip("-n", wire, "link", "set", end, "master", bridge, "up")
        if port.address:
            ip("-n", inside, "addr", "add", port.address, "dev", port.name)
        ip("-n", inside, "link", "set", port.name, "up")

    def namespace(self, node: str) -> str:
        """Name of a node's namespace."""
        return f"{self.prefix}-{node}"

    def faults(self, *nodes: str, **faults: float) -> None:
        """Set faults (delay, jitter, loss, dup, cut) of the cables of these nodes (``node`` or ``node/port``)."""
        assert self.hub is not None
        names = [f"{self.prefix}-{node}" for node in nodes] or None
        assert self.hub.ask({"ports": names, **faults}) == {"ok": True}

    def counts(self) -> dict[str, int]:
        """Frames forwarded and dropped by the hub so far."""
        assert self.hub is not None
        return self.hub.ask({"counts": True})

    def home(self, node: str) -> str:
        """GOAT_HOME of a node: each is somebody's own computer."""
        assert self._home is not None, "this bench was made without a folder"
        return str(self._home / f"home-{node}")

    def run(self, node: str, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command in a node to its end."""
        command = ["ip", "netns", "exec", self.namespace(node), *words]
        return subprocess.run(command, check=check, capture_output=True, text=True, timeout=WITHIN)

    def ip(self, node: str, *words: str) -> None:
        """Run ip(8) on a node."""
        ip("-n", self.namespace(node), *words)

    def start(self, node: str, *words: str, **env: str) -> Process:
        """Start a process in a node; it is ended with the bench."""
        process = Process(["ip", "netns", "exec", self.namespace(node), *words], env)
        self.processes.append(process)
        return process

    def python(self, node: str, script: str, *words: str, **env: str) -> Process:
        """Start one of the bench's scripts in a node."""
        return self.start(node, sys.executable, "-X", "faulthandler", str(HERE / script), *words, **env)

    def close(self) -> None:
        """End all processes and delete all namespaces."""
        for process in reversed(self.processes):
            process.close()
        for name in reversed(self._made):
            remove(name)
        self._made.clear()


def plain(*names: str) -> dict[str, Sequence[Port]]:
    """Nodes with one port each, 10.77.0.1, .2, … in order."""
    return {name: [Port(address=f"10.77.0.{number}/24")] for number, name in enumerate(names, 1)}


def table(lan: Lan, node: str, **options: object) -> Process:
    """A table in a node, announced."""
    process = lan.python(node, "table.py", json.dumps(options))
    process.wait_for(lambda line: "announced" in line)
    return process


def goat(lan: Lan, node: str, *words: str) -> Process:
    """A goat command in a node, with a home of that node's own."""
    command = [sys.executable, "-X", "faulthandler", "-m", "goat_client", *words]
    return lan.start(node, *command, GOAT_HOME=lan.home(node))


def host(lan: Lan, node: str, *words: str) -> Process:
    """A real table in a node, listening; whoever looks for it waits until it is announced."""
    process = goat(lan, node, "host", "--headless", *words)
    started(process)
    return process


def started(process: Process) -> dict[str, Any]:
    """The ready line of a real table, with the id that it is known by on the network."""
    told = process.wait_for(lambda line: bool(line.get("ready")))
    told["id"] = hashlib.sha256(bytes.fromhex(told["table"])).hexdigest()[:32]
    return told


def seeker(lan: Lan, node: str, **options: object) -> Process:
    """An open lobby in a node."""
    process = lan.python(node, "seeker.py")
    process.wait_for(lambda line: "ready" in line)
    process.send({"open": options})
    return process


def ready(process: Process) -> dict[str, Any]:
    """The first line of a table: its id and port."""
    return process.wait_for(lambda line: "ready" in line)


def answers(line: dict[str, Any], id_: object = None) -> bool:
    """Whether a row (of that id) has answered over TCP."""
    rows = line.get("rows")
    return isinstance(rows, list) and any(r["rtt"] is not None and id_ in (None, r["id"]) for r in rows)


def goodbye(lobby: Process, id_: object, since: int) -> None:
    """Wait until the row of that table goes because it said so: one that is found dead goes without the word."""
    lobby.wait_for(lambda line: line.get("lost") == id_, since)
    gone = lobby.wait_for(lambda line: line.get("rows") == [], since)
    heard = next(number for number, line in enumerate(lobby.lines) if number >= since and line.get("lost") == id_)
    assert heard < lobby.lines.index(gone), "the row was gone before the goodbye came"


class Props:
    """What a scene may use. folder: a folder of its own. number: seeds the faults of its wires."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder = folder
        self.number = number
        self._made: list[Lan] = []

    def __enter__(self) -> "Props":
        return self

    def __exit__(self, *exc: object) -> None:
        for lan in self._made:
            lan.close()

    def lan(self, nodes: dict[str, Sequence[Port]], wire: str = "hub") -> Lan:
        """A network that is gone with the scene."""
        self._made.append(Lan(nodes, self.number, wire, self.folder))
        return self._made[-1]


def scene(play: Callable[[Props], None]) -> Callable[[Any], None]:
    """Make a test of a function that takes `Props`; see conftest.py for how scenes are played."""

    def test(outcome: Any) -> None:
        outcome.result()

    functools.update_wrapper(test, play, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    del test.__wrapped__  # pytest would ask for the arguments of the scene
    test.scene = play  # type: ignore[attr-defined]
    return test


def needs(*tools: str) -> Callable[[Callable[[Props], None]], Callable[[Props], None]]:
    """Name what a scene needs besides ip(8): without it the scene is not played, and its test is skipped."""

    def note(play: Callable[[Props], None]) -> Callable[[Props], None]:
        play.tools = tools  # type: ignore[attr-defined]
        return play

    return note


if __name__ == "__main__":
    # The broom of `swept`: its input ends with the process that may have left something.
    print("ready", flush=True)
    sys.stdin.read()
    sweep(gone=int(sys.argv[1]))
