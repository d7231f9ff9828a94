"""Finding and losing tables over the test bench's wire: python benchmarks/bench_discovery.py [--runs N] [--only NAME].

Needs what tests/lan needs: root, Linux, /dev/net/tun. A real `goat host --headless` in one namespace, a lobby in
another; times from the lobby's start, or from the signal, to the row shown or gone, all on one clock. The lobby
is opened in a running process, so imports (0.1 s, once) are not in it.
"""

import argparse
import json
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lan"))

from lan import Lan, Port, Process, Props, answers, goat, host, missing, plain, ready, started, swept  # noqa: E402 - the bench is no package

WITHIN = 15.0


@contextmanager
def network(nodes: dict[str, Any]) -> Iterator[Lan]:
    with tempfile.TemporaryDirectory() as home, Props(Path(home), 1) as props:
        yield props.lan(nodes)


def lobby(lan: Lan, node: str) -> Process:
    guest = lan.python(node, "seeker.py")
    guest.wait_for(lambda line: "ready" in line)
    return guest


def open_once(guest: Process, within: float = WITHIN) -> tuple[float, float]:
    """Open the lobby, wait for a row and for its answer, close; seconds to each (inf when it did not come)."""
    since = len(guest.lines)
    guest.send({"open": {"real": True}})
    opened = guest.wait_for(lambda line: "opened" in line, since)["t"]
    times = []
    for wanted in (lambda line: bool(line.get("rows")), answers):
        try:
            times.append(guest.wait_for(wanted, since, within)["t"] - opened)
        except AssertionError:
            times.append(float("inf"))
    guest.send({"close": True})
    guest.wait_for(lambda line: "closed" in line, since)
    return times[0], times[1]


def found(runs: int, title: str, **faults: float) -> None:
    """Cold starts of a lobby against one table."""
    with network(plain("host", "guest")) as lan:
        host(lan, "host")
        guest = lobby(lan, "guest")
        for _ in range(20):  # the table is announced; an empty run or two before that don't count
            if open_once(guest, 2.0)[0] < 2.0:
                break
        everywhere = faults.pop("everywhere", 0)
        lan.faults(*([] if everywhere else ["guest"]), **faults)
        chance = random.Random(1)
        shown, answered = [], []
        for _ in range(runs):
            # Past the second in which a responder won't repeat itself, and not in step with anything.
            time.sleep(1.2 + chance.random())
            row, answer = open_once(guest)
            shown.append(row)
            answered.append(answer)
    report(f"found, {title}", shown)
    report(f"  … and answered over TCP, {title}", answered)


def goodbye(runs: int) -> None:
    """Ways out of a real host, a lobby watching."""
    with network(plain("host", "guest")) as lan:
        guest = lobby(lan, "guest")
        guest.send({"open": {"real": True}})
        gone = []
        for run in range(runs):
            table = host(lan, "host")
            guest.wait_for(lambda line, table=table: answers(line, ready(table)["id"]))
            since = len(guest.lines)
            sent = table.kill((signal.SIGTERM, signal.SIGHUP, signal.SIGINT)[run % 3])
            gone.append(guest.wait_for(lambda line: line.get("rows") == [], since)["t"] - sent)
            table.end()
    report("goodbye seen (SIGTERM, SIGHUP, SIGINT in turn)", gone)


def killed(runs: int) -> None:
    """A host that is killed, and one whose cable is cut."""
    for title, cut in (("killed (SIGKILL)", False), ("cable cut", True)):
        gone = []
        with network(plain("host", "guest")) as lan:
            guest = lobby(lan, "guest")
            guest.send({"open": {"real": True}})
            for _ in range(runs):
                table = host(lan, "host")
                guest.wait_for(lambda line, table=table: answers(line, ready(table)["id"]))
                time.sleep(random.random() * 3)
                since = len(guest.lines)
                sent = time.monotonic()
                if cut:
                    lan.faults("host", cut=True)
                else:
                    sent = table.kill(signal.SIGKILL)
                gone.append(guest.wait_for(lambda line: line.get("rows") == [], since)["t"] - sent)
                table.close()
                lan.faults("host", cut=False)
        report(f"gone after {title}", gone)


def homed(runs: int) -> None:
    """Reaching a host whose first address leads nowhere."""
    both = [Port("eth0", "far", "10.78.0.1/24"), Port("eth1", "near", "10.77.0.1/24")]
    with network({"host": both, "guest": [Port("eth0", "near", "10.77.0.2/24")]}) as lan:
        lan.run("host", "iptables", "-A", "INPUT", "-i", "eth1", "-d", "10.78.0.1", "-j", "DROP")
        lan.ip("guest", "route", "add", "default", "via", "10.77.0.1")
        table = host(lan, "host")
        guest = lobby(lan, "guest")
        guest.send({"open": {"real": True}})
        guest.wait_for(lambda line: answers(line, ready(table)["id"]))
        took = []
        for _ in range(runs):
            since = len(guest.lines)
            guest.send({"join": ready(table)["id"], "real": True, "first": "10.78.0.1"})
            took.append(guest.wait_for(lambda line: "joined" in line, since)["took"])
    report("reached, the unreachable address first", took)


def twins(rounds: int) -> None:
    """Two tables of one name started within 50 ms: both shown, each reached as itself."""
    right = 0
    with network(plain("one", "two", "guest")) as lan:
        guest = lobby(lan, "guest")
        guest.send({"open": {"real": True}})
        for _ in range(rounds):
            since = len(guest.lines)
            starts = [goat(lan, node, "host", "--headless", "--name", "Table") for node in ("one", "two")]
            tables = [started(table) for table in starts]
            for told in tables:
                guest.wait_for(lambda line, id_=told["id"]: answers(line, id_), since)
                before = len(guest.lines)
                guest.send({"join": told["id"], "real": True})
                joined = guest.wait_for(lambda line: "joined" in line, before)
                right += joined["id"] == told["id"] and joined["joined"].endswith(f":{told['port']}")
            for table in starts:
                table.kill(signal.SIGTERM)
                table.end()
    print(f"{'two tables of one name: shown and reached':48} {right} of {2 * rounds}", flush=True)


def flood(seconds: float) -> None:
    """Round trips of a real host, and memory of host and lobby, while somebody multicasts 2,500 tables a second."""
    with network(plain("host", "guest", "liar")) as lan:
        table = host(lan, "host")
        guest = lobby(lan, "guest")
        guest.send({"open": {"real": True}})
        guest.wait_for(answers)
        asker = lan.python("guest", "seeker.py")
        asker.wait_for(lambda line: "ready" in line)
        before = [memory(table), memory(guest)]
        calm = trips(asker, ready(table), 3.0)
        liar = lan.python("liar", "liar.py", "flood", json.dumps({"seconds": seconds, "rate": 2500}))
        under = trips(asker, ready(table), seconds - 1)
        liar.end()
        after = [memory(table), memory(guest)]
        wire = lan.counts()
    sent = liar.lines[0]["sent"]
    report("status round trip, calm", calm, unit="ms")
    report(f"status round trip, flood of {sent} tables in {seconds:.0f} s", under, unit="ms")
    grown = ", ".join(f"{who} +{b - a:.0f} MiB" for who, a, b in zip(("host", "lobby"), before, after, strict=True))
    print(f"{'memory grown':48} {grown}; frames delivered {wire['forwarded']}, dropped {wire['dropped']}", flush=True)


def trips(asker: Process, told: dict[str, Any], seconds: float) -> list[float]:
    """Times of questions to the table, one after the other for so long."""
    since = len(asker.lines)
    asker.send({"ask": ["10.77.0.1", told["port"]], "seconds": seconds})
    found: list[float] = asker.wait_for(lambda line: "trips" in line, since, seconds + 30)["trips"]
    return found


def memory(process: Process) -> float:
    """Resident memory of a process and its children, MiB."""
    pids = [str(process.popen.pid)]
    for pid in pids:
        children = Path(f"/proc/{pid}/task/{pid}/children")
        pids += children.read_text("ascii").split() if children.exists() else []
    status = [Path(f"/proc/{pid}/status").read_text("ascii") for pid in pids]
    return sum(int(text.partition("VmRSS:")[2].split()[0]) for text in status if "VmRSS:" in text) / 1024


def report(title: str, times: list[float], unit: str = "s") -> None:
    """One line: how many, median, the 19th of 20, worst."""
    ordered = sorted(times)
    scale, digits = (1000, 1) if unit == "ms" else (1, 3)
    p95 = ordered[max(0, -(-len(ordered) * 19 // 20) - 1)]
    p99 = ordered[max(0, -(-len(ordered) * 99 // 100) - 1)]
    figures = {"median": statistics.median(ordered), "19 of 20": p95, "99 of 100": p99, "worst": ordered[-1]}
    line = "  ".join(f"{name} {value * scale:.{digits}f} {unit}" for name, value in figures.items())
    print(f"{title:48} n={len(ordered):<4} {line}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", default="", help="clean, loss, heavy, goodbye, killed, homed, twins or flood")
    options = parser.parse_args()
    reason = missing()
    if reason:
        sys.exit(f"the bench can't run here: {reason}")
    runs = options.runs
    parts: dict[str, Callable[[], None]] = {
        "clean": lambda: found(runs, "clean"),
        "loss": lambda: found(runs, "30 % of frames lost each way", loss=0.3),
        "heavy": lambda: found(runs, "30 % at each end, 51 % each way", loss=0.3, everywhere=1),
        "goodbye": lambda: goodbye(runs),
        "killed": lambda: killed(max(3, runs // 4)),
        "homed": lambda: homed(runs),
        "twins": lambda: twins(max(3, runs // 2)),
        "flood": lambda: flood(20.0),
    }
    with swept():
        for name, part in parts.items():
            if options.only in ("", name):
                part()


if __name__ == "__main__":
    main()
