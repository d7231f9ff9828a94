"""``goat demo``: a table, four bots and a watcher, all processes of their own, over TCP on loopback.

The watcher is this process: it reads the log as anybody may, audits every deal and prints what happened.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from goat_client.commands.play import levels_of
from goat_client.errors import CommandError
from goat_client.machine.child import Launch, TableProcess, ended
from goat_engine.cards import SUIT_SYMBOLS
from goat_engine.record import Deal, Record, plays_hash
from goat_net.folders import private_folder, temporary_path
from goat_net.log.chain import entry_bytes, parse_record
from goat_net.log.deal import DealStage
from goat_net.log.fold import Finished, MatchStage
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.table_options import TableOptions
from goat_net.version import program_version
from goat_net.wire.identity import Identity
from goat_net.wire.messages import ROLE_WATCHER

DEAL_WITHIN: Final = 120.0  # s for one deal of four bots that do not wait; on an idle machine it takes less than one
LOOPBACK: Final = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--deals", type=int, default=1, metavar="N", help="deals to play (%(default)s)")
    parser.add_argument("--match", action="store_true", help="play until a team is the goat")
    parser.add_argument("--seed", default="", help="everything follows from it: the same deals again, not fair")
    parser.add_argument("--level", default="hard", help="how the bots play (%(default)s)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--save", default="", metavar="DIR", help="where the logs are kept (a new temporary folder)")


@dataclass(slots=True)
class Clock:
    """When what happened in the deals, as the watcher saw it."""

    begun: dict[int, float] = field(default_factory=dict)
    dealt: dict[int, float] = field(default_factory=dict)
    played: dict[int, float] = field(default_factory=dict)

    def note(self, session: TableSession, now: float) -> None:
        """Look where the deal stands."""
        deal = session.player.fold.deal if session.player is not None else None
        if deal is None:
            return
        if deal.commitments:
            self.begun.setdefault(deal.number, now)
        if deal.stage >= DealStage.PLAY:
            self.dealt.setdefault(deal.number, now)
        if deal.stage >= DealStage.OPEN:
            self.played.setdefault(deal.number, now)


def record_of(done: Finished) -> Record:
    """A finished deal with all cards open, in the engine's own form."""
    outcome, deal = done.outcome, done.deal
    if outcome.cards is None or deal.state is None:
        raise CommandError("The deal was broken off", 1)
    made = Deal(deal.dealer, deal.leader, deal.state.indicator, outcome.cards, deal.rules)
    return Record(made, outcome.plays)


class Demo:
    """One run of the command."""

    def __init__(self, args: argparse.Namespace, folder: Path) -> None:
        self.args, self.folder = args, folder
        self.clock = Clock()
        self.told = 0
        self.done = asyncio.Event()
        self.session: TableSession | None = None

    def changed(self) -> None:
        """The watcher has something new."""
        session = self.session
        if session is None or session.player is None:
            return
        now = asyncio.get_running_loop().time()
        self.clock.note(session, now)
        fold = session.player.fold
        while self.told < len(fold.finished) and len(fold.finished[self.told].verdicts) == 4 and not self.done.is_set():
            self.tell_deal(fold.finished[self.told], now)
            self.told += 1
            if not self.args.match and self.told >= self.args.deals:
                self.done.set()
        if fold.stage in (MatchStage.OVER, MatchStage.ENDED) and (self.told == len(fold.finished)):
            self.done.set()

    def tell_deal(self, done: Finished, now: float) -> None:
        """Print one deal."""
        assert self.session is not None
        assert self.session.player is not None
        result, deal = done.outcome.result, done.deal
        if result is None or deal.state is None:
            raise CommandError(f"Deal {deal.number} did not count: {done.outcome.blame}", 1)
        number, chain = deal.number, self.session.player.fold.chain
        own = [e for e in chain.entries if parse_record(e.record).deal == number]
        dealt = self.clock.dealt.get(number, now)
        played = self.clock.played.get(number, now)
        data: dict[str, Any] = {
            "deal": number,
            "trump": "SCDH"[deal.state.trump],
            "points": list(result.points),
            "tricks": list(result.tricks),
            "defeat": list(result.defeat),
            "verdicts": len(done.verdicts),
            "plays": plays_hash(record_of(done)),
            "entries": len(own),
            "bytes": sum(len(entry_bytes(e)) for e in own),
            "seconds": {
                "deck": round(dealt - self.clock.begun.get(number, dealt), 4),
                "play": round(played - dealt, 4),
                "audit": round(now - played, 4),
            },
        }
        if self.args.json:
            emit(json.dumps(data))
            return
        a, b = result.points
        emit(
            f"Deal {number}: trump {SUIT_SYMBOLS[deal.state.trump]}, points {a}:{b}, tricks {result.tricks[0]}:"
            f"{result.tricks[1]}, defeat points {result.defeat[0]}:{result.defeat[1]}; audited, 4 equal verdicts"
        )

    def tell_end(self) -> None:
        """Print the last line: the match and where its log is."""
        assert self.session is not None
        assert self.session.player is not None
        fold = self.session.player.fold
        assert fold.match is not None
        path = self.session.view.log_path
        data = {
            "match": fold.id.hex(),
            "defeat": list(fold.match.defeat),
            "goat": fold.match.goat,
            "fair": fold.fair,
            "log": path,
        }
        if self.args.json:
            emit(json.dumps(data))
        else:
            goat = "" if fold.match.goat is None else f" Team {fold.match.goat} is the goat."
            emit(f"Defeat points {fold.match.defeat[0]}:{fold.match.defeat[1]}.{goat} The log: {path}")

    async def run(self) -> int:
        """Start everything, watch, and end everything."""
        seed = [f"--seed={self.args.seed}"] if self.args.seed else []
        name = f"Demo {Identity.new().public.hex()[:6]}" if not seed else "Demo"
        options = TableOptions(name=name, interface=(LOOPBACK,), pace=0.0, seed=self.args.seed)
        table = await TableProcess.start(Launch(options, journals=str(self.folder / "host")))
        bots: list[asyncio.subprocess.Process] = []
        try:
            setup = SeatSetup("Watcher", program_version(), ROLE_WATCHER, None, folder=self.folder / "watcher")
            self.session = TableSession(Identity.new(), setup, (table.address,))
            self.session.on_change(lambda view: self.changed())
            async with asyncio.TaskGroup() as group:
                watching = group.create_task(self.session.run())
                await self.session.entered()
                if not self.session.was_in:
                    raise CommandError(f"The demo cannot watch its own table: {self.session.view.trouble}", 2)
                for seat in range(4):
                    bots.append(await self.start_bot(seat, table, seed))
                await self.watch(watching)
                await self.session.leave()
        finally:
            await table.stop()
            for bot in bots:
                await ended(bot)  # by itself when the table is gone
        self.tell_end()
        return 0

    async def watch(self, watching: "asyncio.Task[Any]") -> None:
        """Wait for the end, as long as there is a deal now and then."""
        while not self.done.is_set():
            told = self.told
            try:
                async with asyncio.timeout(DEAL_WITHIN):
                    await self.done.wait()
            except TimeoutError:
                if self.told == told or watching.done():
                    raise CommandError("The bots do not play on; goat doctor may say why", 1) from None

    async def start_bot(self, seat: int, table: TableProcess, seed: list[str]) -> asyncio.subprocess.Process:
        """A bot as anybody would start it. By the table's address and key: another demo on this machine may have the
        same name, and its table is not ours."""
        command = [sys.executable, "-m", "goat_client", "bot", f"--seat={seat + 1}", f"--level={self.args.level}"]
        command += ["--pace=0", f"--interface={LOOPBACK}", f"--save={self.folder / f'seat{seat}'}"]
        command += [f"--table-key={table.table_key.hex()}", str(table.address)]
        # What it says is for who started it: here that would stand among the demo's own lines.
        with (self.folder / f"seat{seat}.log").open("wb") as log:
            return await asyncio.create_subprocess_exec(*command, *seed, stdout=log, stderr=log)


def emit(line: str) -> None:
    """A line of the command's data."""
    print(line, flush=True)  # noqa: T201 - data of the command


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    levels_of(args.level)
    if not 1 <= args.deals <= 1000:
        raise CommandError("--deals takes a number from 1 to 1000", 2)
    made = args.save or tempfile.mkdtemp(prefix="goat-demo-", dir=temporary_path())
    folder = private_folder(Path(made))
    return asyncio.run(Demo(args, folder).run())
