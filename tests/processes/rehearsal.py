"""The same match without processes and without anybody being killed: what every disturbed one has to come to.

Table and chairs with the keys and secrets that the processes of `tests.processes.cast` have under the same seed, in
one process and without sockets. It tells which deal a claim comes in, and what is played when nothing happens.
"""

import random
from collections import deque
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from goat_client.commands.demo import record_of
from goat_host.bots import bot_name, brain_of
from goat_host.launch import options_of, parser
from goat_host.ports import Send
from goat_host.serve import make_table

from goat_engine.record import plays_hash
from goat_net.log.fold import Fold
from goat_net.seat import seeded
from goat_net.seat.chair import Chair
from goat_net.seat.fresh import FreshBytes
from goat_net.seat.store import LogStore
from goat_net.wire.messages import PROTOCOL, ROLE_BOT, ROLE_PLAYER, Hello, Joined, Lobby, Ready, Sit
from tests.processes.points import Counts
from tests.processes.seat import brain, key_of, life_label, name_of

BOT_LEVEL: Final = "hard"  # plays without chance: a bot that comes back plays as if it had never been away
STEPS: Final = 20_000  # messages of a few deals, with room


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Of a seed: the match id, the names of all records of each deal (`points.Counts`), the plays and the score after
    each deal."""

    match_id: bytes
    records: dict[int, tuple[str, ...]]
    plays: dict[int, str]
    scores: dict[int, tuple[int, int]]


@cache
def rehearse(seed: str, arguments: tuple[str, ...], deals: int, bots: int) -> Rehearsal:
    """Play ``deals`` deals of a table with these arguments; seats of `tests.processes.seat`, then ``bots`` bots."""
    table = make_table(options_of(parser().parse_args(list(arguments))), None)
    people = range(4 - bots)
    chairs = [(new_chair if s in people else bot_chair)(seed, s, table.identity.public) for s in range(4)]
    now, up = 0.0, deque[tuple[int, Any]]()

    def drain() -> None:
        outbox, table.outbox = table.outbox, []
        for out in outbox:
            if not isinstance(out, Send):
                continue
            chair = chairs[out.conn]
            chair.message(out.message, now)
            if isinstance(out.message, Lobby) and chair.player is None:
                seat = out.message.seats[out.conn]
                if seat.taken and not seat.ready:
                    up.append((out.conn, Ready(True)))
            if chair.player is not None:
                chair.player.go_on()
            give(out.conn)

    def give(conn: int) -> None:
        chairs[conn].work(now)
        up.extend((conn, message) for message in chairs[conn].out)
        chairs[conn].out.clear()

    for seat, chair in enumerate(chairs):
        who = (ROLE_PLAYER, name_of(seat), "") if seat in people else (ROLE_BOT, bot_name(seat), BOT_LEVEL)
        hello = Hello(PROTOCOL, "test", who[0], chair.identity.public, bytes(32), who[1], who[2], b"")
        table.joined(seat, hello, b"", now)
        chair.opened(table.identity.public, Joined(b"", b"", 0), now)
        up.append((seat, Sit(seat)))
        drain()
    for _ in range(STEPS):
        fold = table.fold
        if fold is not None and len(fold.finished) >= deals and not any(map(fold.owes_verdict, range(4))):
            return told(fold)
        if up:
            conn, message = up.popleft()
            table.message(conn, message, now)
        else:
            now = min(t for c in chairs if (t := c.deadline) is not None) + 0.001
            for conn in range(4):
                give(conn)
        drain()
    raise AssertionError(f"seed {seed}: nothing moves in the rehearsal")


def new_chair(seed: str, seat: int, table_key: bytes) -> Chair:
    """A chair with what the seat's process has in its first life."""
    data = seeded.seed_bytes(seed)
    entropy = seeded.entropy(data, life_label(seat, 0))
    key = key_of(data, seat)
    return Chair(
        key, lambda log_id: LogStore(None, log_id, key.public, entropy), table_key=table_key, brain=brain,
        fresh=FreshBytes(None, entropy),
    )  # fmt: skip


def bot_chair(seed: str, seat: int, table_key: bytes) -> Chair:
    """A chair with what a bot of the host's own has."""
    data = seeded.seed_bytes(seed)
    entropy = seeded.entropy(data, f"bot entropy/{seat}")
    chooses = brain_of(BOT_LEVEL, random.Random(f"{data.hex()}/{seat}"))
    key = seeded.identity(data, f"bot/{seat}")
    return Chair(
        key, lambda log_id: LogStore(None, log_id, key.public, entropy), table_key=table_key, eager=True, brain=chooses,
        fresh=FreshBytes(None, entropy),
    )  # fmt: skip


def told(fold: Fold) -> Rehearsal:
    """What a fold tells."""
    counts = Counts()
    records: dict[int, list[str]] = {}
    for entry in fold.chain.entries:
        name = counts.name(entry)
        records.setdefault(name.deal, []).append(str(name))
    plays = {d.deal.number: plays_hash(record_of(d)) for d in fold.finished}
    return Rehearsal(fold.id, {n: tuple(r) for n, r in records.items()}, plays, scores_of(fold))


def scores_of(fold: Fold) -> dict[int, tuple[int, int]]:
    """The score after each finished deal."""
    assert fold.match is not None
    after = [done.before.defeat for done in fold.finished[1:]] + [fold.match.defeat]
    return {done.deal.number: score for done, score in zip(fold.finished, after, strict=True)}


def host_arguments(seed: str, *, grace: int = 180, bots: int = 0) -> tuple[str, ...]:
    """What the table is started with, beside port and folders."""
    fixed = ("--name", "Kill matrix", "--interface", "127.0.0.1", "--no-discovery", "--pace", "0")
    more = ("--target", "99", "--yield-time", "60", "--grace", str(grace), "--seed", seed)
    return (*fixed, *more, "--bots", ",".join([BOT_LEVEL] * max(1, bots)), *(("--fill",) if bots else ()))

