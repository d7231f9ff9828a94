"""An evening at one table, in one process: people come, sit down, swap, start, leave and come back, over several short
matches. Nothing of a deal goes wrong here (that is `tests.world.storm`); what is tried is who sits where and that there
is always a way on. A seed decides everything; `python -m tests.world.evening --evenings 100` plays many.
"""

import argparse
import random
import sys
import traceback
from collections import Counter, deque
from typing import Any, Final

from goat_host.ports import Drop, Send, StartBot
from goat_host.table import Table, TableSetup

from goat_engine.bots import choose
from goat_engine.rules import SEATS, Rules
from goat_net.log.fold import MatchStage
from goat_net.log.records import Settings
from goat_net.seat.chair import Chair
from goat_net.seat.fresh import FreshBytes
from goat_net.seat.store import LogStore
from goat_net.wire.codec import MAX_MESSAGE
from goat_net.wire.identity import Identity
from goat_net.wire.messages import (
    MESSAGES,
    PROTOCOL,
    ROLE_BOT,
    ROLE_PLAYER,
    ROLE_WATCHER,
    Answer,
    Hello,
    Joined,
    Kick,
    Lobby,
    Ready,
    SetBot,
    Sit,
    Start,
    Swap,
)

GRACE: Final = 60
PEOPLE: Final = 6
EVENTS: Final = 60  # of an evening
BETWEEN: Final = 400  # messages at most between two of them: a short match has about 300
SETTLING: Final = 60_000  # messages in which a match of whoever is left must begin and end


class One:
    """Somebody with a client, or a bot: their identity, their chair, their line to the table when there is one."""

    def __init__(self, evening: "Evening", name: str, role: int) -> None:
        self.evening, self.name, self.role = evening, name, role
        self.identity = Identity.from_seed(evening.rng.randbytes(32))
        rng = random.Random(f"{evening.seed}/{name}")
        self.chair = Chair(
            self.identity, lambda log_id: LogStore(None, log_id, self.identity.public, rng.randbytes),
            table_key=evening.table.identity.public, eager=True, brain=lambda view: choose(view, rng, "easy"),
            fresh=FreshBytes(None, random.Random(f"{evening.seed}/fresh/{name}").randbytes),
        )  # fmt: skip
        self.conn: int | None = None
        self.up: deque[Any] = deque()
        self.down: deque[Any] = deque()

    def work(self) -> None:
        self.chair.work(self.evening.now)
        self.chair.settle()
        if self.conn is not None:
            self.up.extend(self.chair.out)
        self.chair.out.clear()

    def receive(self, message: Any) -> None:
        self.chair.message(message, self.evening.now)
        self.work()


class Evening:
    """One evening. ``told``: how often what has happened."""

    def __init__(self, seed: int) -> None:
        self.seed, self.rng, self.now = seed, random.Random(seed), 0.0
        rng = self.rng
        table_identity = Identity.from_seed(rng.randbytes(32))
        owner = Identity.from_seed(rng.randbytes(32))
        self.owned = rng.random() < 0.7
        setup = TableSetup(
            "Evening", "test", Rules(rng.choice((1, 4, 8)), yield_time=0), Settings(GRACE, 0, 0, True, True, b""),
            owner=owner.public if self.owned else b"", bot_levels=("easy",),
        )  # fmt: skip
        self.table = Table(table_identity, setup, rng.randbytes)
        self.conns = 0
        self.by_conn: dict[int, One] = {}
        self.bots: list[One] = []
        self.people = [One(self, f"P{n}", ROLE_PLAYER if n < 4 else ROLE_WATCHER) for n in range(PEOPLE)]
        self.people[0].identity = self.people[0].chair.identity = owner  # type: ignore[assignment]
        self.told: Counter[str] = Counter()
        self.waited: tuple[bytes, dict[int, bytes]] = (b"", {})  # in this log: who was to have which seat again

    # The line

    def come(self, one: One, level: str = "") -> None:
        if one.conn is not None:
            return
        hello = Hello(PROTOCOL, "test", one.role, one.identity.public, bytes(32), one.name, level, b"")
        if self.table.admits(hello) is not None:
            self.told["refused"] += 1
            return
        self.conns += 1
        one.conn = self.conns
        self.by_conn[one.conn] = one
        status = self.table.status()
        self.table.joined(one.conn, hello, b"", self.now)
        one.chair.opened(self.table.identity.public, Joined(b"", status.log_id, status.entries), self.now)
        one.work()
        self.carry()

    def go(self, one: One) -> None:
        if one.conn is None:
            return
        conn, one.conn = one.conn, None
        del self.by_conn[conn]
        one.up.clear()
        one.down.clear()
        one.chair.link = False
        self.table.gone(conn, self.now)
        self.carry()

    def say(self, one: One, message: Any) -> None:
        if one.conn is not None:
            self.table.message(one.conn, MESSAGES.decode(MESSAGES.encode(message)), self.now)
            self.carry()

    def carry(self) -> None:
        """Carry out what the table wants."""
        while self.table.outbox:
            match self.table.outbox.pop(0):
                case Send(conn=conn, message=message):
                    assert len(MESSAGES.encode(message)) <= MAX_MESSAGE
                    if conn in self.by_conn:
                        self.by_conn[conn].down.append(message)
                case Drop(conn=conn):
                    if conn in self.by_conn:
                        one = self.by_conn.pop(conn)
                        one.conn = None
                        one.chair.link = False
                        self.told["dropped"] += 1
                        self.table.gone(conn, self.now)
                case StartBot(seat=seat, level=level):
                    bot = One(self, f"Bot {len(self.bots)}", ROLE_BOT)
                    self.bots.append(bot)
                    self.table.expect_bot(seat, bot.identity.public)
                    self.come(bot, level)
                    self.say(bot, Sit(seat))
                case _:
                    pass  # a bot that is stopped is dropped too; journal and advertisement go nowhere here
        self.check()

    def step(self) -> bool:
        """Deliver one message, or let time pass; False when nothing is on its way and nothing is due."""
        waiting = [o for o in self.by_conn.values() if o.up or o.down]
        if waiting:
            one = self.rng.choice(waiting)
            if one.up and (not one.down or self.rng.random() < 0.5):
                self.say(one, one.up.popleft())
            elif one.down:
                one.receive(one.down.popleft())
            return True
        times = [o.chair.deadline for o in self.by_conn.values()] + [self.table.deadline]
        coming = [t for t in times if t is not None]
        if not coming:
            return False
        self.now = max(self.now, min(coming)) + 0.001
        for one in list(self.by_conn.values()):
            one.work()
        if self.table.deadline is not None and self.table.deadline <= self.now:
            self.table.tick(self.now)
            self.carry()
        return True

    # What must be so

    def check(self) -> None:
        """Nobody sits twice, everybody knows their own seat, names at the table differ, free seats can be had."""
        table = self.table
        keys = [h.key for h in table.seats if h is not None]
        assert len(keys) == len(set(keys)), "somebody sits twice"
        names = [h.name.casefold() for h in table.seats if h is not None and not h.bot]
        assert len(names) == len(set(names)), names
        for seat in SEATS:
            held = table.seats[seat]
            if held is not None and held.conn is not None:
                assert table.people.guests[held.conn].seat == seat
                assert table.people.guests[held.conn].hello.key == held.key
            assert seat not in table.bots.seated or held is None or held.bot
        for guest in table.people.guests.values():
            if guest.seat is not None:
                sits = table.seats[guest.seat]
                assert sits is not None
                assert sits.key == guest.hello.key
        self.check_heirs()
        lobby: Lobby = table.lobby()
        assert all(s.free is False or s.bot or table.playing for s in lobby.seats)

    def check_heirs(self) -> None:
        """Who waits for their own seat when a match ends has it then."""
        table, fold = self.table, self.table.fold
        if fold is None:
            return
        log_id, waited = self.waited
        here = {g.hello.key for g in table.people.guests.values()}
        if fold.stage is MatchStage.ENDED and log_id == fold.chain.log_id and not table.starting:
            for seat, key in waited.items():
                held = table.seats[seat]
                assert key not in here or (held is not None and held.key == key), f"seat {seat} is not its player's"
                self.told["has their seat again"] += key in here
            self.waited = (b"", {})
        elif fold.stage is not MatchStage.ENDED:
            kept = {g.hello.key: s for s in SEATS if (g := table._returning(s)) is not None}
            self.waited = fold.chain.log_id, {s: key for key, s in kept.items()}

    # What happens

    def event(self) -> None:
        """Something that people do."""
        rng = self.rng
        here = [p for p in self.people if p.conn is not None]
        one = rng.choice(here if here and rng.random() < 0.7 else self.people)
        what = rng.choice(("come", "come", "go", "leave", "sit", "sit", "swap", "answer", "ready", "ready", "start",
                           "vote", "kick", "bot", "late", "out and back", "out and back"))  # fmt: skip
        self.told[what] += 1
        match what:
            case "come":
                self.come(one)
            case "go":
                self.go(one)
            case "leave":
                self.leave(one)
            case "out and back":
                self.leave(one)
                self.vote(rng.choice((1, 1, 2)))
                self.run(rng.randrange(300))
                self.come(one)
            case "sit":
                self.say(one, Sit(rng.randrange(5)))
            case "swap":
                self.say(one, Swap(rng.randrange(5)))
            case "answer":
                held = self.table.seats[rng.randrange(4)]
                if held is not None:
                    seat = self.table.seats.index(held)
                    self.say(one, Answer(seat, held.key, rng.random() < 0.7))
            case "ready":
                self.say(one, Ready(rng.random() < 0.9))
            case "start":
                self.say(one, Start())
            case "vote":
                self.vote(rng.choice((0, 1, 2)))
            case "kick":
                if rng.random() < 0.3:
                    self.say(one, Kick(rng.randrange(4), "x"))
            case "bot":
                self.say(one, SetBot(rng.randrange(4), rng.choice(("easy", ""))))
            case "late":
                self.now += GRACE / 3

    def leave(self, one: One) -> None:
        """They say goodbye, in a match with their signature."""
        player = one.chair.player
        if player is not None and one.conn is not None and player.seat is not None:
            if player.fold.stage is MatchStage.DEALS:
                player.leave()
                one.work()
                self.run(30)
            self.go(one)

    def vote(self, choice: int) -> None:
        """Whoever may decide about somebody who is gone does."""
        for one in list(self.by_conn.values()):
            player = one.chair.player
            if one.role == ROLE_BOT or player is None or player.seat is None:
                continue
            for target in SEATS:
                fold = player.fold
                if fold.vote_open(target) and target not in fold.lost and player.seat in fold.voters(target):
                    player.vote(target, choice)
                    one.work()

    def run(self, most: int) -> None:
        for _ in range(most):
            if not self.step():
                return

    def play(self) -> None:
        """The evening, and then a match of whoever is there: it must begin and end."""
        self.come(self.people[0])
        self.say(self.people[0], Sit(4))
        for _ in range(EVENTS):
            self.event()
            self.run(self.rng.randrange(BETWEEN))
        self.settle()

    def settle(self) -> None:
        """Everybody who can comes and wants to play; the match that is on ends, and another."""
        for one in self.people[:3]:
            self.come(one)
        ends, seen = 0, None
        for _ in range(SETTLING):
            fold = self.table.fold
            over = fold is not None and fold.stage is MatchStage.ENDED and fold is not seen
            if over and fold is not None and fold.match is not None and fold.match.goat is not None:
                ends, seen = ends + 1, fold
            if ends >= 2:
                self.told["matches at the end"] += ends
                return
            if not self.step() or self.rng.random() < 0.01:
                self.vote(1)
                for one in self.people[:3]:
                    self.come(one)
                    if all(h is None or h.key != one.identity.public for h in self.table.seats):
                        self.say(one, Sit(4))
                for one in self.people:
                    self.say(one, Ready(True))
                for one in self.people[:3]:
                    self.say(one, Start())
                self.now += 1.0
        raise AssertionError(f"no match goes on: {self.where()}")

    def where(self) -> str:
        """The table in a line."""
        table, fold = self.table, self.table.fold
        stage = None if fold is None else (fold.stage.name, sorted(fold.waits_for()), fold.away, fold.lost)
        seats = [h and (h.name, h.conn, h.ready) for h in table.seats]
        return f"seed {self.seed}: {stage} {seats} wanted {table.bots.wanted} starting {table.starting} {table.kicks}"


def main() -> int:
    """The command; see the module."""
    parser = argparse.ArgumentParser(prog="python -m tests.world.evening")
    parser.add_argument("--evenings", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    told: Counter[str] = Counter()
    failed = []
    for seed in range(options.first, options.first + options.evenings):
        evening = Evening(seed)
        try:
            evening.play()
        except Exception:  # noqa: BLE001 - whatever it is, it is told with its seed
            failed.append(seed)
            traceback.print_exc()
        told += evening.told
    print(f"{options.evenings} evenings, {len(failed)} failed {failed}")
    print(", ".join(f"{what} {count}" for what, count in sorted(told.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
