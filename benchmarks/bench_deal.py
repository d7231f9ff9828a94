"""CPU of whole deals: all work of four players with every check and signature, by phase; audits; bytes by kind; and
the wall time of a locked deck with four processes on loopback.

    python benchmarks/bench_deal.py [--deals 40] [--seed 1] [--processes 3]

CPU is process time of this process alone; the choices of the bots are not counted.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from goat_net.log import fold as fold_module
from goat_net.log.chain import entry_bytes, parse_record, read_file
from goat_net.log.deal import DealStage
from goat_net.log.fold import Fold
from tests.world.world import World

PHASES = {
    DealStage.COMMIT: "deck", DealStage.SHUFFLE: "deck", DealStage.CUT: "deck", DealStage.LOCK: "deck",
    DealStage.KEYS: "keys", DealStage.PLAY: "play", DealStage.OPEN: "audit", DealStage.DONE: "audit",
}  # fmt: skip


class Meter:
    """Adds up process time by who and phase; what is measured inside something measured is not counted twice."""

    def __init__(self) -> None:
        self.spent: dict[tuple[str, str], float] = defaultdict(float)
        self.audits: list[float] = []
        self._inside = 0

    def wrap(self, owner: object, name: str, who: str, phase_of) -> None:
        plain = getattr(owner, name)

        def measured(*args, **kwargs):
            if self._inside:
                return plain(*args, **kwargs)
            phase = phase_of(owner)
            self._inside += 1
            begun = time.process_time()
            try:
                return plain(*args, **kwargs)
            finally:
                self.spent[who, phase] += time.process_time() - begun
                self._inside -= 1

        setattr(owner, name, measured)


def measure(deals: int, seed: int) -> tuple[Meter, int, Counter[str], list[int]]:
    """Play deals in one process; CPU, how many deals, bytes by kind, bytes of each deal."""
    meter = Meter()
    settle = fold_module.settle

    def timed(*args, **kwargs):
        begun = time.process_time()
        try:
            return settle(*args, **kwargs)
        finally:
            meter.audits.append(time.process_time() - begun)

    fold_module.settle = timed
    played, kinds, sizes = 0, Counter(), []
    try:
        while played < deals:
            world = World(seed)
            seed += 1

            def phase(owner) -> str:
                fold = owner.fold  # everybody's own: the last opening brings the audit before the next deal
                return "lobby" if fold is None or fold.deal is None else PHASES[fold.deal.stage]

            meter.wrap(world.table, "message", "host", phase)
            for seated in world.seated:
                new_player = seated.new_player

                def fresh(make=new_player):
                    player = make()
                    meter.wrap(player, "take", "players", phase)
                    meter.wrap(player, "due", "players", phase)
                    return player

                seated.new_player = fresh
                seated.player = fresh()
            world.run()
            fold = world.table.fold
            assert fold is not None
            by_deal: Counter[int] = Counter()
            for entry in fold.chain.entries:
                record = parse_record(entry.record)
                size = len(entry_bytes(entry))
                kinds[type(record.body).__name__] += size
                by_deal[record.deal] += size
            sizes += [by_deal[f.deal.number] for f in fold.finished]
            played += len(fold.finished)
    finally:
        fold_module.settle = settle
    return meter, played, kinds, sizes


def offline(seed: int) -> tuple[float, int]:
    """CPU of `goat verify`'s fold of a whole match, for each deal."""
    world = World(seed)
    world.run()
    assert world.table.fold is not None
    data = world.journal[world.table.fold.chain.log_id]
    begun = time.process_time()
    fold = Fold()
    for entry in read_file(data):
        fold.take(entry)
    return time.process_time() - begun, len(fold.finished)


def processes(times: int) -> list[float]:
    """Seconds to a locked deck, as a fifth process sees it, with four bots' processes over TCP on loopback."""
    seconds = []
    for _ in range(times):
        out = subprocess.run(
            [sys.executable, "-m", "goat_client", "demo", "--deals", "4", "--json"],
            capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
        ).stdout  # fmt: skip
        seconds += [json.loads(line)["seconds"]["deck"] for line in out.splitlines() if '"seconds"' in line]
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2, help="demo runs for the wall time; 0 leaves it out")
    options = parser.parse_args()
    meter, played, kinds, sizes = measure(options.deals, options.seed)
    print(f"{played} deals, seeds from {options.seed}; CPU ms a deal")
    for who in ("players", "host"):
        parts = {p: 1000 * s / played for (w, p), s in sorted(meter.spent.items()) if w == who}
        shown = "  ".join(f"{phase} {ms:.1f}" for phase, ms in parts.items())
        print(f"  {who:8} {sum(parts.values()):6.1f}   {shown}")
    print(f"  one audit (plays and deck): median {1000 * statistics.median(meter.audits):.1f}")
    spent, count = offline(options.seed)
    print(f"  a reader of the file (every signature, every deck, the audit): {1000 * spent / count:.1f}")
    print(f"bytes a deal: median {statistics.median(sizes):.0f}, most {max(sizes)}")
    for kind, size in kinds.most_common():
        print(f"  {kind:12} {size / played:8.0f}")
    if options.processes:
        seconds = processes(options.processes)
        middle, best = 1000 * statistics.median(seconds), 1000 * min(seconds)
        print(f"locked deck at four processes: median {middle:.0f} ms of {len(seconds)} deals, best {best:.0f} ms")


if __name__ == "__main__":
    main()
