"""A table and its players in one process, without sockets or a clock: a seeded scheduler delivers one message at a
time, in any order that the connections allow."""

import random
from collections import deque
from typing import Any

from goat_host.ports import Drop, Journal, Out, Send
from goat_host.table import Table, TableSetup

from goat_engine.bots import choose
from goat_engine.rules import Rules
from goat_net.log.fold import MatchStage, digest
from goat_net.log.records import Settings
from goat_net.seat.player import Player, memory_masters
from goat_net.wire.identity import Identity
from goat_net.wire.messages import (
    MESSAGES,
    PROTOCOL,
    ROLE_BOT,
    ROLE_PLAYER,
    Fresh,
    Hello,
    Lobby,
    NewEntry,
    Read,
    Ready,
    Sit,
    Submit,
)

FAST = Rules(yield_time=0)


class Seated:
    """One player of the world: their machine, a bot that chooses for them, and the wires to and from the table."""

    def __init__(self, world: "World", seat: int, identity: Identity) -> None:
        self.world, self.seat, self.identity = world, seat, identity
        self.rng = random.Random(f"{world.seed}/{seat}")
        self.player = self.new_player()
        self.up: deque[Any] = deque()
        self.down: deque[Any] = deque()
        self.lobby: Lobby | None = None
        self.conn = -1
        self.given = 0  # bytes for logs that are to begin
        self.views: list[Any] = []

    def new_player(self) -> Player:
        """A player with this seat's secrets and nothing read yet."""
        secret = f"{self.world.seed}/secret/{self.seat}".encode()
        return Player(self.identity, memory_masters(secret), table_key=self.world.table.identity.public, eager=True)

    def give(self) -> None:
        """Give bytes for the next log."""
        self.given += 1
        label = f"{self.world.seed}/fresh/{self.identity.public.hex()}/{self.given}"
        self.up.append(Fresh(random.Random(label).randbytes(32)))

    def hello(self) -> Hello:
        """What this player says at the door."""
        role, level = (ROLE_PLAYER, "") if self.world.people else (ROLE_BOT, "hard")
        return Hello(PROTOCOL, "test", role, self.identity.public, bytes(32), f"P{self.seat}", level, b"")

    def receive(self, message: Any) -> None:
        """A message from the table has come."""
        if isinstance(message, NewEntry):
            if message.number == 0:
                self.player = self.new_player()
            self.player.take(message, self.world.now)
            if message.number == 0:
                self.give()
        elif isinstance(message, Lobby):
            self.lobby = message
        self.act()

    def act(self) -> None:
        """Do what is owed: a choice by the bot, and what follows by itself."""
        if self.player.owes_action:
            view = self.player.view
            assert view is not None
            refusal = self.player.act(choose(view, self.rng, "medium"))
            assert refusal is None, refusal
        for raw in self.player.due(self.world.now):
            self.up.append(Submit(raw))


class World:
    """Four seats at one table. `run` plays until the match is over or ``deals`` deals are scored. ``people``: on the
    seats are persons, whose teams answer for them (R23); else bots, for which the table answers itself."""

    def __init__(
        self, seed: int, *, rules: Rules = FAST, grace: int = 180, hints: bool = True, people: bool = False
    ) -> None:
        self.seed, self.people = seed, people
        self.rng = random.Random(seed)
        self.now = 0.0
        setup = TableSetup("World", "test", rules, Settings(grace, 0, 0, True, hints, b""))
        self.table = Table(Identity.from_seed(self.bytes("table")), setup, lambda n: self.rng.randbytes(n))
        self.seated = [Seated(self, s, Identity.from_seed(self.bytes(f"id{s}"))) for s in range(4)]
        self.journal: dict[bytes, bytes] = {}
        self.steps = 0
        for s in self.seated:
            self.connect(s)

    def bytes(self, label: str) -> bytes:
        """32 bytes for a label."""
        return random.Random(f"{self.seed}/{label}").randbytes(32)

    def connect(self, s: Seated) -> None:
        """Let a player in and have them sit down on their seat."""
        s.conn = self.steps * 4 + s.seat
        self.table.joined(s.conn, s.hello(), b"", self.now)
        s.give()
        s.up.append(Sit(s.seat))
        if self.people:
            s.up.append(Ready(True))
        if self.table.fold is not None:
            s.up.append(Read(self.table.fold.chain.log_id, len(s.player.fold.chain)))
        self.drain()

    def drain(self) -> None:
        """Carry out what the table wants."""
        by_conn = {s.conn: s for s in self.seated}
        while self.table.outbox:
            out: Out = self.table.outbox.pop(0)
            match out:
                case Send(conn=conn, message=message):
                    assert MESSAGES.decode(MESSAGES.encode(message)) == message
                    by_conn[conn].down.append(message)
                case Journal(log_id=log_id, data=data):
                    self.journal[log_id] = self.journal.get(log_id, b"") + data
                case Drop():
                    raise AssertionError(out)
                case _:
                    pass

    def step(self) -> bool:
        """Deliver one message, chosen by the scheduler; False when nothing is under way."""
        wires: list[tuple[Seated, bool]] = [(s, True) for s in self.seated if s.up]
        wires += [(s, False) for s in self.seated if s.down]
        if not wires:
            return False
        s, up = self.rng.choice(wires)
        self.steps += 1
        self.now += 0.001
        if up:
            message = s.up.popleft()
            self.table.message(s.conn, MESSAGES.decode(MESSAGES.encode(message)), self.now)
            self.drain()
        else:
            s.receive(s.down.popleft())
        self.check()
        return True

    def check(self) -> None:
        """Whoever has folded as much as the table has the same state."""
        fold = self.table.fold
        if fold is None:
            return
        want = digest(fold)
        for s in self.seated:
            if len(s.player.fold.chain) == len(fold.chain) and s.player.fold.chain.log_id == fold.chain.log_id:
                assert digest(s.player.fold) == want

    def run(self, *, deals: int | None = None, steps: int = 200_000) -> None:
        """Deliver until the match is over, ``deals`` deals are scored, or nothing moves (an error)."""
        for _ in range(steps):
            fold = self.table.fold
            if fold is not None:
                if fold.stage is MatchStage.ENDED:
                    return
                if deals is not None and len(fold.finished) >= deals and not any(map(fold.owes_verdict, range(4))):
                    return
            if not self.step():
                raise AssertionError(f"seed {self.seed}: nothing moves after {self.steps} steps: {self.where()}")
        raise AssertionError(f"seed {self.seed}: no end after {steps} steps")

    def where(self) -> str:
        """Where the table stands, for error texts."""
        fold = self.table.fold
        if fold is None:
            return "lobby"
        stage = fold.deal.stage.name if fold.deal else ""
        return f"{fold.stage.name} {stage} waits for {sorted(fold.waits_for())}"
