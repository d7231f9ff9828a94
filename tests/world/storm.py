"""A table and its players in bad weather, in one process, without sockets or a clock.

A seed decides everything: who is a bot, in which order messages come, when connections break, when a program is killed
or a machine loses power, the host's included, when it is started again, and when somebody pauses the table and for how
long. After every step everybody's state is compared. `python -m tests.world.storm --schedules 1000` runs many; a seed
that fails is printed, and `python -m tests.world.storm --seed N --trace` plays it again.
"""

import argparse
import random
import sys
import time
import traceback
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, Final

from goat_host.ports import Drop, Journal, Send, StartBot, StopBot
from goat_host.table import Table, TableSetup

from goat_engine.bots import choose
from goat_engine.rules import SEATS, Rules
from goat_net.log.absence_table import CHARGE, LET_GO
from goat_net.log.chain import parse_record
from goat_net.log.fold import MatchStage, digest
from goat_net.log.records import PauseClock, Settings
from goat_net.seat.chair import Chair
from goat_net.seat.fresh import FreshBytes
from goat_net.seat.reach import make_reach
from goat_net.seat.store import intact
from goat_net.wire.identity import Identity
from goat_net.wire.messages import (
    ELSEWHERE,
    KICKED,
    MESSAGES,
    PROTOCOL,
    ROLE_BOT,
    ROLE_PLAYER,
    ROLE_WATCHER,
    Hello,
    Joined,
    Lobby,
    NewEntry,
    Ready,
    Sit,
    Submit,
)
from goat_net.wire.sentences import sentence

GRACE: Final = 180
STEPS: Final = 40_000  # of one deal; a calm one takes about 500
DEAL_STEPS: Final = 520  # about; faults are spread over so many for each deal
LOOK: Final = 3.0  # s between two looks at who is to be dialled
IDLE: Final = 2000  # times that time passes and nothing is delivered: more than an hour
SLOW_DISK: Final = 0.5  # s a disk may take to write what goes out without waiting for it
SHORT: Final = 4.0  # s: the longest short absence, below what anybody would be asked about


@dataclass
class SavedLog:
    """What a disk holds of one log. ``synced``: how much of it a power loss leaves for certain."""

    master: bytes
    entries: list[NewEntry] = field(default_factory=list)
    pending: bytes = b""
    synced: int = 0
    problem: str = ""
    written: tuple[bytes, int] = (b"", 0)  # the record written down last and the entries it follows on
    settled: tuple[bytes, int] = (b"", 0)  # the same of the last one that outlives a power cut

    def set_pending(self, record: bytes, *, sync: bool = True) -> None:
        self.pending = record
        self.written = record, len(self.entries)
        if sync:
            self.settle()

    def settle(self) -> None:
        self.settled = self.written
        self.synced = max(self.synced, self.written[1])

    def lose(self, rng: random.Random) -> None:
        """The power is cut."""
        if rng.random() < 0.5:
            self.settle()
        self.pending = self.settled[0]
        self.written = self.settled
        del self.entries[rng.randint(self.synced, len(self.entries)) :]

    def append(self, entry: NewEntry) -> None:
        self.entries.append(entry)

    def finish(self) -> None:
        pass


class Saved:
    """A store that is opened anew: what is on the disk now is what it begins with (`goat_net.seat.chair.Store`)."""

    def __init__(self, log: SavedLog) -> None:
        self.log, self.problem = log, ""
        self.entries = tuple(log.entries)
        self.master, self.pending = log.master, log.pending
        self.set_pending, self.settle = log.set_pending, log.settle
        self.append, self.finish = log.append, log.finish

    def cut(self, count: int) -> None:
        raise AssertionError("what a disk kept is whole here")


class Party:
    """A player, a bot or a watcher: the program (when it runs) and what its machine keeps."""

    def __init__(self, storm: "Storm", name: str, seat: int | None, role: int) -> None:
        self.storm, self.name, self.seat, self.role = storm, name, seat, role
        self.takes = role == ROLE_WATCHER and random.Random(f"{storm.seed}/takes").random() < 0.7
        self.took: int | None = None  # the seat that a watcher has got
        self.identity = Identity.from_seed(storm.bytes(f"id {name}"))
        self.disk: dict[bytes, SavedLog] = {}
        self.fresh = FreshBytes(None, random.Random(f"{storm.seed}/fresh/{name}").randbytes)  # on its disk
        self.lives = 0
        self.chair: Chair | None = None
        self.conn: int | None = None
        self.up: deque[Any] = deque()
        self.down: deque[Any] = deque()
        self.back_at: float | None = 0.0  # when it connects (and starts, if it must)
        self.presses_at: float | None = None  # when its person presses the key for the next deal
        self.votes_at: dict[int, float] = {}  # when its person votes about a seat
        self.resumes_at: float | None = None  # when its person says that the pause may end
        self.withheld_until = 0.0  # until then the host loses every record that comes on its connection
        self.settles_at = 0.0  # when its disk has written what went out last without waiting
        self.reach_serial = 0
        self.came_at = 0.0
        self.offline_until = 0.0  # its network is down
        self.frozen_until = 0.0  # until then nothing is delivered to or from it

    @property
    def starts_as_bot(self) -> bool:
        """Whether it is one of the first four at the table, and a bot that the host's machine runs."""
        return self.role == ROLE_BOT and self.name.startswith("P")

    @property
    def person(self) -> bool:
        return self.role == ROLE_PLAYER or self.took is not None

    def open_store(self, log_id: bytes) -> Saved:
        if log_id not in self.disk:
            self.disk[log_id] = SavedLog(self.storm.bytes(f"master {self.name} {log_id.hex()}"))
        return Saved(self.disk[log_id])

    def start(self) -> None:
        """Start the program; its choices are others than in the life before."""
        self.lives += 1
        rng = random.Random(f"{self.storm.seed}/{self.name}/{self.lives}")
        pace = (lambda: rng.choice((0.0, 0.05, 1.0))) if self.person else (lambda: 0.0)
        self.chair = Chair(
            self.identity,
            self.open_store,
            table_key=self.storm.host.identity.public,
            eager=not self.person,
            brain=lambda view: choose(view, rng, "medium"),
            pace=pace,
            fresh=self.fresh,
        )

    def kill(self, *, power: bool) -> None:
        """End the program in the midst of things; without power, what was not written through may be lost."""
        self.chair = None
        self.votes_at.clear()
        if power:
            for log in self.disk.values():
                if self.storm.now >= self.settles_at:
                    log.settle()
                log.lose(self.storm.rng)

    def hello(self) -> Hello:
        return Hello(PROTOCOL, "test", self.role, self.identity.public, bytes(32), self.name, "medium", b"")

    def receive(self, message: Any) -> None:
        chair = self.chair
        assert chair is not None
        chair.message(message, self.storm.now)
        if isinstance(message, Lobby):
            self.in_lobby()
        self.work()

    def in_lobby(self) -> None:
        """What its person does in the lobby: sit down, be ready."""
        chair = self.chair
        assert chair is not None
        lobby = chair.lobby
        assert lobby is not None
        if self.takes and lobby.state == 1:
            self.take_seat(lobby)
        seat = self.took if self.seat is None else self.seat
        if lobby.state == 1 or seat is None:
            return
        mine = lobby.seats[seat]
        if not mine.taken:
            chair.out.append(Sit(seat))
        elif mine.key == self.identity.public and not mine.ready and self.person:
            chair.out.append(Ready(True))

    def take_seat(self, lobby: Lobby) -> None:
        """What somebody who watches does: ask for a seat that is free from the next deal on."""
        chair = self.chair
        assert chair is not None
        key = self.identity.public
        mine = next((s for s in SEATS if lobby.seats[s].key == key), None)
        if mine != self.took:
            self.took = mine
            chair.eager = not self.person
            self.storm.note("taken" if mine is not None else "given back", self.name)
        if mine is None and not any(s.next_key == key for s in lobby.seats):
            chair.out += [Sit(s) for s in SEATS if lobby.seats[s].free]

    def work(self) -> None:
        """Let the machine do what is due, and its person press the key after a look."""
        chair, now = self.chair, self.storm.now
        if chair is None:
            return
        player = chair.player
        waits = player is not None and player.seat is not None and player.fold.deal is not None and not player.ready
        if player is not None and waits:
            if self.presses_at is None:
                self.presses_at = now + self.storm.rng.choice((0.0, 0.5, 20.0))
            elif now >= self.presses_at:
                player.go_on()
        if player is None or not waits or player.ready:
            self.presses_at = None
        if self.person and player is not None and player.seat is not None:
            self.vote(player)
            if self.resumes_at is not None and now >= self.resumes_at:
                self.resumes_at = None
                player.pause(False)
        if now >= self.settles_at:
            chair.settle()
        chair.work(now)
        if chair.unsettled:
            self.settles_at = now + SLOW_DISK
        if self.conn is None:
            chair.out.clear()
            return
        self.up.extend(chair.out)
        chair.out.clear()

    def vote(self, player: Any) -> None:
        """Say what is to be done about those who are away, after a moment's thought, and truly whether they answer."""
        fold, rng = player.fold, self.storm.rng
        open_now = {t for t in SEATS if fold.vote_open(t) and t not in fold.lost and player.seat in fold.voters(t)}
        self.votes_at = {t: at for t, at in self.votes_at.items() if t in open_now}
        for target in sorted(open_now):
            if player.seat in fold.votes.get(target, {}):
                self.votes_at.pop(target, None)
                continue
            at = self.votes_at.setdefault(target, self.storm.now + rng.choice((0.0, 1.0, 20.0)))
            if at != -1.0 and self.storm.now >= at:
                self.votes_at[target] = -1.0
                player.vote(target, rng.choice((0, 1, 2, 2)))

    @property
    def wakes_at(self) -> float | None:
        times = [] if self.chair is None else [self.chair.deadline, self.presses_at, self.resumes_at]
        times += [at for at in self.votes_at.values() if at != -1.0]
        return min((t for t in (*times, self.back_at) if t is not None), default=None)


class HostBox:
    """The host's machine: the table's program when it runs, and the journal."""

    def __init__(self, storm: "Storm", setup: TableSetup) -> None:
        self.storm, self.setup = storm, setup
        self.identity = Identity.from_seed(storm.bytes("table"))
        self.rng = random.Random(f"{storm.seed}/host")
        self.journals: dict[bytes, bytearray] = {}
        self.synced: dict[bytes, int] = {}
        self.table: Table | None = Table(self.identity, setup, self.rng.randbytes)
        self.back_at: float | None = None

    def write(self, line: Journal, *, torn: bool = False) -> None:
        journal = self.journals.setdefault(line.log_id, bytearray())
        data = line.data[: self.storm.rng.randrange(len(line.data))] if torn else line.data
        journal.extend(data)
        if line.sync and not torn:
            self.synced[line.log_id] = len(journal)

    def kill(self, *, power: bool) -> None:
        self.table = None
        if power:
            for log_id, journal in self.journals.items():
                del journal[self.storm.rng.randint(self.synced.get(log_id, 0), len(journal)) :]

    def start(self) -> None:
        """``goat host --resume``: on from the newest journal, its torn end cut off."""
        for log_id in reversed(list(self.journals)):
            entries, size = intact(bytes(self.journals[log_id]))
            if not entries:
                del self.journals[log_id]
                continue
            del self.journals[log_id][size:]
            self.synced[log_id] = size
            self.table = Table.from_journal(self.identity, self.setup, self.rng.randbytes, entries)
            return
        self.table = Table(self.identity, self.setup, self.rng.randbytes)


class Storm:
    """One schedule. ``deals``: how many are to be scored, None for a whole match. ``only``: one kind of fault, "kill"
    or "host power", instead of all. ``pauses``: whether people pause the table (by a lot of its own)."""

    def __init__(
        self, seed: int, *, deals: int | None = 1, faults: int | None = None, trace: bool = False, only: str = "",
        pauses: bool = True,
    ) -> None:
        self.seed, self.deals, self.trace, self.only = seed, deals, trace, only
        self.rng = random.Random(seed)
        self.now = 0.0
        self.steps = 0
        self.conns = 0
        self.told: Counter[str] = Counter()
        rng = self.rng
        bots_only = rng.random() < 0.2 or only == "host power"
        roles = [ROLE_BOT if bots_only or rng.random() < 0.4 else ROLE_PLAYER for _ in SEATS]
        self.parties = [Party(self, f"P{s}", s, role) for s, role in zip(SEATS, roles, strict=True)]
        if rng.random() < 0.3:
            self.parties.append(Party(self, "W", None, ROLE_WATCHER))
        people = [p for p in self.parties if p.role == ROLE_PLAYER]
        owner = rng.choice(people).identity.public if people else b""
        yield_time = rng.choice((0, 3000))
        setup = TableSetup(
            "Storm", "test", Rules(yield_time=yield_time), Settings(GRACE, 0, 0, True, True, b""), owner=owner,
            bot_levels=("medium",),
        )  # fmt: skip
        self.host = HostBox(self, setup)
        self.leavers = rng.choice((0.0, 0.2, 0.6))
        self.ledger: dict[tuple[bytes, int], str] = {}
        self.scores: dict[bytes, tuple[int, ...]] = {}
        self.hands: dict[tuple[bytes, int, int], dict[int, int]] = {}
        self.lost_seats: set[tuple[bytes, int]] = set()
        self.carried_logs: set[bytes] = set()
        self.looked: dict[bytes, int] = {}  # entries of each log that were looked at for pauses
        self.paused: Counter[bytes] = Counter()
        self.look_at = LOOK
        self.idle = 0
        self.gone_long: set[bytes] = set()  # keys of those who were away past the grace time, or left
        self.passed_on: list[tuple[float, Submit]] = []
        self.stale: list[tuple[float, int]] = []  # connections whose end the table has not noticed yet
        count = (rng.choice((0, 1, 2, 3, 5, 8)) if deals == 1 else rng.randint(2, 20)) if faults is None else faults
        span = DEAL_STEPS * (deals or 8)
        self.faults = sorted(rng.randrange(span) for _ in range(count))
        self.planned = count
        self.whim = random.Random(f"{seed}/pauses")
        often = self.whim.choice((0, 0, 1, 2, 4)) if pauses and not only else 0
        self.pauses = sorted(self.whim.randrange(span) for _ in range(often * (deals or 8)))

    def bytes(self, label: str) -> bytes:
        return random.Random(f"{self.seed}/{label}").randbytes(32)

    def note(self, what: str, text: str = "") -> None:
        self.told[what] += 1
        if self.trace:
            print(f"{self.steps:6d} {self.now:9.3f} {what} {text}", flush=True)

    # Connections

    def connect(self, p: Party) -> None:
        """Start it if it must be, and let it in if the table is there."""
        table = self.host.table
        if p.chair is None:
            p.start()
        assert p.chair is not None
        if table is None:
            p.back_at = self.now + 1.0
            return
        p.back_at = None
        refusal = table.admits(p.hello())
        assert refusal is None, refusal
        self.conns += 1
        p.conn = self.conns
        p.up.clear()
        p.down.clear()
        status = table.status()
        joined = Joined(b"", status.log_id, status.entries)
        p.came_at = self.now
        self.note("connect", p.name)
        if p.starts_as_bot and not table.playing and not table.carried and table.seats[p.seat or 0] is None:
            table.bots.wanted[p.seat or 0] = "medium"
            table.expect_bot(p.seat or 0, p.identity.public)
        table.joined(p.conn, p.hello(), b"", self.now)
        self.carry()
        p.chair.opened(self.host.identity.public, joined, self.now)
        if p.seat is not None or p.takes:
            p.reach_serial += 1
            address = f"10.0.0.{self.parties.index(p) % 200 + 1}:4000"
            p.chair.out.append(make_reach(p.identity, self.host.identity.public, p.reach_serial, (address,)))
        p.work()

    def cut(self, p: Party, back_in: float, *, ends: bool) -> None:
        """Break its connection: of what is under way a part still arrives. ``ends``: the program does too."""
        conn = p.conn
        p.back_at = self.now + back_in
        if not ends:
            p.offline_until = p.back_at
        if conn is None:
            return
        for _ in range(self.rng.randint(0, len(p.up))):
            self.to_table(p)
        self.passed_on += [
            (self.now + self.rng.choice((0.01, 1.0, 5.0)), m) for m in p.up if isinstance(m, Submit)
        ]  # it was shown to others, and they pass it on
        if not ends:
            for _ in range(self.rng.randint(0, len(p.down))):
                p.receive(p.down.popleft())
        if p.conn != conn:
            return  # the table went down meanwhile
        p.conn = None
        if p.chair is not None:
            p.chair.link = False
        p.up.clear()
        p.down.clear()
        self.stale.append((self.now + self.rng.choice((0.0, 0.5, 6.0)), conn))

    def to_table(self, p: Party) -> None:
        message = p.up.popleft()
        table = self.host.table
        if isinstance(message, Submit) and self.now < p.withheld_until:
            self.note("withheld", p.name)
        elif table is not None and p.conn is not None:
            table.message(p.conn, MESSAGES.decode(MESSAGES.encode(message)), self.now)
            self.carry()

    def carry(self, most: int | None = None) -> None:
        """Carry out what the table wants, or only the first ``most`` things of it: then it is killed."""
        table = self.host.table
        assert table is not None
        by_conn = {p.conn: p for p in self.parties if p.conn is not None}
        done = 0
        while table.outbox and done != most:
            done += 1
            match table.outbox.pop(0):
                case Send(conn=conn, message=message):
                    assert MESSAGES.decode(MESSAGES.encode(message)) == message
                    if conn in by_conn:
                        by_conn[conn].down.append(message)
                case Journal() as line:
                    self.host.write(line)
                case Drop(conn=conn, reason=reason, notice=told):
                    self.dropped(by_conn.get(conn), reason, sentence(reason, told))
                case StartBot(seat=seat) if self.comes_by_itself(seat):
                    pass
                case StartBot(seat=seat):
                    bot = Party(self, f"B{seat}.{self.steps}", seat, ROLE_BOT)
                    self.parties.append(bot)
                    assert self.host.table is not None
                    self.host.table.expect_bot(seat, bot.identity.public)
                case StopBot(seat=seat):
                    self.parties = [p for p in self.parties if not (p.seat == seat and p.name.startswith("B"))]
                case _:
                    pass
        if table.outbox and isinstance(table.outbox[0], Journal):
            self.host.write(table.outbox[0], torn=True)

    def comes_by_itself(self, seat: int) -> bool:
        """Whether the bot that is asked for is one of the first four, which is on its way back to its seat."""
        table = self.host.table
        assert table is not None
        held = table.seats[seat]
        own = next((p for p in self.parties if p.seat == seat and p.starts_as_bot), None)
        return own is not None and (table.fold is None or (held is not None and held.key == own.identity.public))

    def dropped(self, p: Party | None, reason: int, text: str) -> None:
        if p is None or reason == ELSEWHERE:
            return
        if reason == KICKED and p.name.startswith("B"):
            return  # the bot that stood in for somebody
        if reason == KICKED and (p.starts_as_bot or p.identity.public in self.gone_long):
            p.conn, p.back_at = None, self.now + 1.0
            p.up.clear()
            p.down.clear()
            return
        raise AssertionError(f"{p.name} was dropped: {text}")

    # Faults

    def fault(self) -> None:
        """Something happens to somebody."""
        rng = self.rng
        gap = rng.choice((0.3, 1.0, SHORT, 30.0))
        power = rng.random() < 0.3
        if self.only == "host power" or (not self.only and rng.random() < 0.3):
            self.host_dies(rng.choice((0.5, SHORT, 60.0)), power=power or bool(self.only))
            return
        p = rng.choice([q for q in self.parties if any(isinstance(m, Submit) for m in q.up)] or self.parties)
        if self.only == "kill":
            self.note("kill", p.name)
            self.cut(p, SHORT, ends=True)
            p.kill(power=power)
            return
        long = rng.random() < self.leavers
        if long:
            gap = rng.choice((GRACE + 20.0, 400.0, 1000.0))
            self.gone_long.add(p.identity.public)
            if rng.random() < 0.3 and p.chair is not None and p.chair.player is not None and p.person:
                self.note("leave", p.name)
                p.chair.player.leave()
                p.work()
                for _ in range(len(p.up)):
                    self.to_table(p)
        if long or rng.random() < 0.5:
            self.note("cut", f"{p.name} for {gap}")
            self.cut(p, gap, ends=False)
        elif rng.random() < 0.3:
            p.withheld_until = self.now + rng.choice((1.0, SHORT, 30.0, 90.0))
        elif rng.random() < 0.3:
            self.note("freeze", f"{p.name} for {gap}")
            p.frozen_until = self.now + gap
        else:
            self.note("power" if power else "kill", f"{p.name} for {gap}")
            self.cut(p, gap, ends=True)
            p.kill(power=power)

    def host_dies(self, gap: float, *, power: bool) -> None:
        """The host is killed while it carries out a message; its guests notice when their streams end."""
        table = self.host.table
        if table is None:
            return
        lossy = power and not any(p.person for p in self.parties)
        self.note("host power" if power else "host kill", f"for {gap}")
        full = [p for p in self.parties if p.up and p.conn is not None]
        if full:
            p = self.rng.choice(full)
            assert p.conn is not None
            table.message(p.conn, p.up.popleft(), self.now)
            self.carry(self.rng.randint(0, len(table.outbox)))
        self.host.kill(power=power)
        self.host.back_at = self.now + gap
        self.stale.clear()
        for p in self.parties:
            if p.conn is None:
                if lossy and p.back_at is not None:
                    p.back_at = min(p.back_at, self.now + gap + 1.0)
                continue
            for _ in range(self.rng.randint(0, len(p.down))):
                p.receive(p.down.popleft())
            p.conn = None
            p.up.clear()
            p.down.clear()
            p.back_at = self.now + self.rng.choice((0.1, 1.0, SHORT))

    def pause(self) -> None:
        """Some person stops the clocks, for as long as they like or as the table lets them; perhaps another one says
        that it may go on."""
        people = [p for p in self.parties if p.person and p.chair is not None and p.chair.player is not None]
        people = [p for p in people if p.chair is not None and p.chair.player and p.chair.player.seat is not None]
        if not people:
            return
        p = self.whim.choice(people)
        assert p.chair is not None
        assert p.chair.player is not None
        self.note("pause", p.name)
        p.chair.player.pause(True)
        for one in {p, self.whim.choice(people)}:
            one.resumes_at = self.now + self.whim.choice((1.0, 30.0, 300.0, 2000.0))
        p.work()

    # Running

    def step(self) -> None:
        """Deliver one message, or let time pass until something happens."""
        self.steps += 1
        while self.faults and self.faults[0] <= self.steps:
            under_way = any(isinstance(m, Submit) for p in self.parties for m in p.up)
            if not under_way and self.faults[0] % 2 and self.steps < self.faults[0] + 50:
                break  # every other fault waits for a record that is on its way
            self.faults.pop(0)
            self.fault()
        while self.pauses and self.pauses[0] <= self.steps:
            self.pauses.pop(0)
            self.pause()
        self.now += 0.001
        self.due()
        wires = [(p, True) for p in self.parties if p.up and p.frozen_until <= self.now]
        wires += [(p, False) for p in self.parties if p.down and p.frozen_until <= self.now]
        if not wires:
            self.pass_time()
            return
        p, up = self.rng.choice(wires)
        self.idle = 0
        if up:
            self.to_table(p)
        else:
            p.receive(p.down.popleft())
        self.check()

    def due(self) -> None:
        """What time has made due."""
        host = self.host
        if host.back_at is not None and host.back_at <= self.now:
            host.back_at = None
            host.start()
            self.note("host back")
        if self.now >= self.look_at:
            self.look_at = self.now + LOOK
            self.look()
        for at, conn in [x for x in self.stale if x[0] <= self.now]:
            self.stale.remove((at, conn))
            if host.table is not None:
                host.table.gone(conn, self.now)
                self.carry()
        for at, message in [x for x in self.passed_on if x[0] <= self.now]:
            self.passed_on.remove((at, message))
            others = [p.conn for p in self.parties if p.conn is not None]
            if host.table is not None and others:
                self.note("passed on")
                host.table.message(self.rng.choice(others), message, self.now)
                self.carry()
        for p in list(self.parties):
            if p.back_at is not None and p.back_at <= self.now:
                self.connect(p)
            elif p.wakes_at is not None and p.wakes_at <= self.now:
                p.work()
        table = host.table
        if table is not None and table.deadline is not None and table.deadline <= self.now:
            table.tick(self.now)
            self.carry()

    def look(self) -> None:
        """Whoever has to dials the others, without the host."""
        for p in list(self.parties):
            if p.chair is None or not self.network(p):
                continue  # its program or its network is down
            for reach in p.chair.direct.to_dial(self.now):
                other = next((q for q in self.parties if q.identity.public == reach.key), None)
                answers = other is not None and other.chair is not None and self.network(other)
                p.chair.direct.dialled(reach.key, answers, self.now)
                if other is not None and answers:
                    self.line(p, other)

    def network(self, p: Party) -> bool:
        return self.now >= p.offline_until

    def line(self, p: Party, q: Party) -> None:
        """Two seats talk until they have nothing more to say."""
        self.note("line", f"{p.name} {q.name}")
        assert p.chair is not None
        assert q.chair is not None
        talk = [(q, m) for m in p.chair.direct.line_opened()] + [(p, m) for m in q.chair.direct.line_opened()]
        for _ in range(2000):
            if not talk:
                break
            to, message = talk.pop(0)
            assert to.chair is not None
            answer = to.chair.direct.line_message(MESSAGES.decode(MESSAGES.encode(message)), self.now)
            assert answer is not None
            talk += [(p if to is q else q, m) for m in answer]
        p.work()
        q.work()

    def pass_time(self) -> None:
        times = [p.wakes_at for p in self.parties] + [self.host.back_at] + [at for at, _ in self.stale]
        times += [at for at, _ in self.passed_on]
        times += [p.frozen_until for p in self.parties if (p.up or p.down) and p.frozen_until > self.now]
        times += [self.look_at]
        times += [self.host.table.deadline if self.host.table is not None else None]
        coming = [t for t in times if t is not None]
        self.idle += 1
        if self.idle > IDLE:
            raise AssertionError(f"nothing moves: {self.where()}")
        self.now = max(self.now, min(coming))

    def run(self) -> None:
        """Play until the deals are scored and everybody has said so."""
        for _ in range(STEPS * (self.deals or 12)):
            if self.over():
                self.check_end()
                return
            self.step()
        raise AssertionError(f"no end after {self.steps} steps: {self.where()}")

    def over(self) -> bool:
        table = self.host.table
        fold = table.fold if table is not None else None
        if fold is None or self.host.back_at is not None:
            return False
        if fold.stage is MatchStage.ENDED and fold.match is not None and fold.match.goat is not None:
            return True
        if self.deals is None or len(self.ledger) < self.deals or (not fold.finished and fold.table.carried):
            return False
        return not any(map(fold.owes_verdict, SEATS))

    # What must hold

    def folds(self) -> list[tuple[str, Any]]:
        found = [(p.name, p.chair.player.fold) for p in self.parties if p.chair is not None and p.chair.player]
        if self.host.table is not None and self.host.table.fold is not None:
            found.append(("host", self.host.table.fold))
        return found

    def check(self) -> None:
        """Everybody's log is a piece of one log; equal pieces are equal states; nobody is named; no score is lost."""
        longest: dict[bytes, Any] = {}
        for _, fold in self.folds():
            known = longest.get(fold.chain.log_id)
            if known is None or len(fold.chain) > len(known.chain):
                longest[fold.chain.log_id] = fold
        digests: dict[tuple[bytes, int], bytes] = {}
        for name, fold in self.folds():
            heads, n = longest[fold.chain.log_id].chain.heads, len(fold.chain)
            assert heads[n] == fold.chain.head, f"{name} has another log at {n}"
            if n:
                mine = digests.setdefault((fold.chain.log_id, n), digest(fold))
                assert mine == digest(fold), f"{name} has another state at {n}"
            assert not fold.offences, f"{name}: {fold.offences}"
            assert not (fold.deal and fold.deal.offences), f"{name}: {fold.deal.offences}"
        for log_id, fold in longest.items():
            self.check_score(fold)
            bodies = (parse_record(e.record).body for e in fold.chain.entries[self.looked.get(log_id, 0) :])
            self.paused[log_id] += sum(isinstance(body, PauseClock) and body.on for body in bodies)
            self.looked[log_id] = len(fold.chain)
        for p in self.parties:
            if p.chair is not None and p.chair.player is not None and p.chair.player.seat is not None:
                assert p.chair.player.seat == p.seat or p.takes, f"{p.name} sits on {p.chair.player.seat}"
                self.check_hand(p, p.chair.player)

    def check_hand(self, p: Party, player: Any) -> None:
        """Whoever comes back holds the cards that were dealt to them."""
        if player.own is not None:
            known = self.hands.setdefault((player.fold.id, player.fold.deal.number, player.seat), {})
            for slot in player.own.hands[player.seat]:
                if slot in player.own.known:
                    assert known.setdefault(slot, player.own.known[slot]) == player.own.known[slot]

    def check_score(self, fold: Any) -> None:
        for done in fold.finished:
            what = repr((done.outcome.result, done.outcome.blame, done.charged))
            assert self.ledger.setdefault((fold.id, done.deal.number), what) == what
            assert done.outcome.blame is None
        for seat, choice in fold.lost.items():
            assert fold.seats[seat].key in self.gone_long, f"seat {seat} was there, and the match went on without it"
            assert choice in (LET_GO, CHARGE)
            if (fold.id, seat) not in self.lost_seats:
                self.lost_seats.add((fold.id, seat))
                self.note("charged" if choice == CHARGE else "excused", f"seat {seat}")
        charged = [done.charged for done in fold.finished if done.charged is not None]
        assert len(charged) <= sum(choice == CHARGE for choice in fold.lost.values())
        if fold.match is not None and fold.stage is MatchStage.ENDED:
            self.scores[fold.id] = tuple(fold.match.defeat)
        for old in fold.table.carried if fold.table is not None else ():
            if fold.chain.log_id not in self.carried_logs:
                self.carried_logs.add(fold.chain.log_id)
                self.note("reseated", " ".join(s.name for s in fold.seats))
            assert self.scores.get(old.match_id, old.defeat) == tuple(old.defeat), "another score was carried on"

    def check_end(self) -> None:
        """At the end everybody who is there has come to the same result, and every deal that was scored is in it."""
        table = self.host.table
        assert table is not None
        assert table.fold is not None
        fold = table.fold
        total = [0, 0]
        for done in fold.finished:
            if done.outcome.result is not None:
                total = [a + b for a, b in zip(total, done.outcome.result.defeat, strict=True)]
            elif done.charged is not None:
                total[done.charged] += done.cost
        carried = fold.table.carried[0].defeat if fold.table is not None and fold.table.carried else (0, 0)
        assert fold.match is not None
        assert tuple(fold.match.defeat) == (total[0] + carried[0], total[1] + carried[1])
        written, _ = intact(bytes(self.host.journals[fold.chain.log_id]))
        assert [e.record for e in written] == [e.record for e in fold.chain.entries]

    def where(self) -> str:
        table = self.host.table
        if table is None or table.fold is None:
            return "lobby" if table else "no host"
        fold = table.fold
        stage = fold.deal.stage.name if fold.deal else ""
        here = [p.name for p in self.parties if p.conn is not None]
        return f"{fold.stage.name} {stage} waits for {sorted(fold.waits_for())}, here {here}, seed {self.seed}"


def run_seed(seed: int, *, deals: int | None = 1, trace: bool = False, pauses: bool = True) -> Storm:
    """Run one schedule; whatever goes wrong names its seed."""
    storm = Storm(seed, deals=deals, trace=trace, pauses=pauses)
    try:
        storm.run()
    except Exception as error:
        kind = "" if deals == 1 else " --match" if deals is None else f" --deals {deals}"
        error.add_note(f"python -m tests.world.storm --seed {seed}{kind} --trace  plays this again")
        raise
    return storm


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedules", type=int, default=0, help="how many single deals")
    parser.add_argument("--matches", type=int, default=0, help="how many whole matches")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, default=None, help="only this one")
    parser.add_argument("--deals", type=int, default=1)
    parser.add_argument("--match", action="store_true", help="a whole match")
    parser.add_argument("--trace", action="store_true")
    args = parser.parse_args()
    if args.seed is not None:
        run_seed(args.seed, deals=None if args.match else args.deals, trace=args.trace)
        return 0
    work = [(args.first + i, 1) for i in range(args.schedules)] + [(args.first + i, None) for i in range(args.matches)]
    told: Counter[str] = Counter()
    failed, steps, begun = [], 0, time.monotonic()
    for seed, deals in work:
        try:
            storm = run_seed(seed, deals=deals)
        except Exception:  # noqa: BLE001 - it is shown, counted, and the next schedule runs
            traceback.print_exc()
            failed.append((seed, deals))
            continue
        told += storm.told
        told["paused in the log"] += sum(storm.paused.values())
        steps += storm.steps
    spent = time.monotonic() - begun
    print(f"{len(work)} schedules, {len(failed)} failed {failed[:20]}; {steps} steps in {spent:.0f} s")
    print(", ".join(f"{what} {count}" for what, count in sorted(told.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
