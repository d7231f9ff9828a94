"""C1, C10: any message that the codec lets pass, in any order, with values that mean something here, to whoever reads
it in the middle of a match: a table, and a client from its host and on a direct line. A host may sign whatever it
likes, and so may a seat. What it makes is refused, passed over, or the host's fault; never a mistake of this program.
"""

import random
from typing import Any

import pytest
from goat_host.people import Guest
from goat_host.table import Table

from goat_net.log.chain import make_record, sign_entry
from goat_net.log.records import BODIES
from goat_net.seat.chair import Chair, HostFault, LostSecretError
from goat_net.seat.store import LogStore
from goat_net.wire.codec import Bytes, EncodeError, Flag, Int, Many, Name, SignedText, Spec, Struct, Text, WireError
from goat_net.wire.identity import Identity
from goat_net.wire.messages import MESSAGES, ROLE_WATCHER, Hello, NewEntry, Submit
from tests.world.world import World

WORDS = 600  # of each kind of reader in every run
STRANGER = Identity.from_seed(b"\x55" * 32)


class Talker:
    """Makes values that the codec lets pass; ``known``: bytes that mean something here, of any length."""

    def __init__(self, rng: random.Random, known: list[bytes], numbers: list[int]) -> None:
        self.rng, self.known, self.numbers = rng, known, numbers

    def value(self, spec: Spec) -> object:
        """A value within the bounds of a field, as the encoding has it."""
        rng = self.rng
        match spec:
            case Int(low=low, high=high):
                near = [n for n in self.numbers if low <= n <= high]
                return rng.choice([low, high, min(high, low + 1), rng.randint(low, high), *near[:20]])
            case Flag():
                return rng.random() < 0.5
            case Bytes(low=low, high=high):
                fits = [b for b in self.known if low <= len(b) <= max(low, high)]
                some = rng.randbytes(rng.choice([low, max(low, high)]))
                return rng.choice(fits) if fits and rng.random() < 0.8 else some
            case Text() | Name() | SignedText():
                blank = getattr(spec, "blank", False)
                return rng.choice(["a", "The table", "Anna", "x" * 16, *([""] if blank else [])])
            case Many(item=item, low=low, high=high):
                return [self.value(item) for _ in range(rng.choice([low, high, rng.randint(low, high)]))]
            case Struct():
                return [self.value(inner) for _, inner in spec.specs]
        return 0  # a field of a shape of its own; the registry then says whether it may stand

    def of(self, registry: Any) -> Any:
        """One of a registry's messages or bodies."""
        while True:
            kind, struct = self.rng.choice(list(registry))
            try:
                made = registry.from_array([kind, *self.value(struct)])  # type: ignore[misc]
                registry.encode(made)
            except (WireError, EncodeError):
                continue
            return made

    def record(self, world: World, author: int) -> bytes:
        """A record that this author has signed, whatever it says."""
        fold, rng = world.table.fold, self.rng
        assert fold is not None
        signer: Any = world.table.identity if author == 4 else world.seated[author].identity
        deal = fold.deal.number if fold.deal is not None else 0
        right = fold.counters[author] if hasattr(fold, "counters") else rng.randrange(40)
        seen = rng.choice([len(fold.chain), 0, rng.randrange(len(fold.chain) + 1)])
        counter = rng.choice([right, right + 1, 0])
        return make_record(signer, fold.id, rng.choice([deal, deal, deal + 1, 0]), author, counter, seen,
                           fold.chain.heads[seen], self.of(BODIES))  # fmt: skip


def middle(seed: int, deals: int = 1) -> tuple[World, Talker]:
    """A world somewhere in the deal after so many, and who talks there."""
    world, rng = World(seed), random.Random(seed)
    if deals:
        world.run(deals=deals)
    while world.table.fold is None or not world.table.fold.chain.entries:
        world.step()
    for _ in range(rng.randrange(1, 300)):
        world.step()
    fold = world.table.fold
    assert fold is not None
    keys = [s.identity.public for s in world.seated]
    known = [fold.id, fold.chain.log_id, world.table.identity.public, *keys, *fold.chain.heads[-3:], b"",
             *(e.record for e in fold.chain.entries[-4:]), *(e.signature for e in fold.chain.entries[-4:])]  # fmt: skip
    return world, Talker(rng, known, [0, 1, 2, 3, 4, len(fold.chain), len(fold.chain) - 1, len(fold.chain) + 1])


@pytest.mark.parametrize("who", ["a seat", "a watcher"])
def test_no_words_of_a_guest_are_too_much_for_a_table(who: str, seed: int) -> None:
    world, talker = middle(seed)
    table: Table = world.table
    conn = 10**9
    hello = Hello(2, "x", ROLE_WATCHER, STRANGER.public, bytes(32), "Stranger", "", b"")
    for number in range(WORDS):
        now = world.now + number / 100
        if who == "a seat":
            s = world.seated[talker.rng.randrange(4)]
            if s.conn not in table.people.guests:
                world.connect(s)
            at = s.conn
        else:
            at = conn
            if conn not in table.people.guests:
                table.joined(conn, hello, b"", now)
        guest: Guest | None = table.people.guests.get(at)
        message: Any = talker.of(MESSAGES)
        if guest is not None and guest.seat is not None and talker.rng.random() < 0.4:
            message = Submit(talker.record(world, guest.seat))
        table.message(at, message, now)
        table.outbox.clear()
        if number % 20 == 0:
            table.tick(now)


@pytest.mark.parametrize("where", ["from the host", "on a direct line"])
def test_no_words_of_a_host_or_a_seat_are_too_much_for_a_client(where: str, seed: int) -> None:
    world, talker = middle(seed, deals=0)
    me = world.seated[0]
    assert world.table.fold is not None
    entries = world.table.fold.chain.entries
    chair: Chair | None = None
    faults = 0
    for number in range(WORDS // 3):
        if chair is None:  # a client ends when its host is at fault; this one has not seen that yet
            chair = Chair(me.identity, lambda log_id: LogStore(None, log_id, me.identity.public, lambda n: bytes(n)))
            chair.table_key = world.table.identity.public
            chair.player = me.new_player()
            for known in entries:
                chair.player.take(known, world.now)
            chair.log_id = world.table.fold.chain.log_id
            chair.link = True
        now = world.now + number / 100
        assert chair.player is not None
        mine = chair.player.fold
        message: Any = talker.of(MESSAGES)
        if talker.rng.random() < 0.5 and len(mine.chain):
            raw = talker.record(world, talker.rng.randrange(5))
            entry = sign_entry(world.table.identity, mine.id, len(mine.chain), mine.chain.heads[-1], raw)
            other = NewEntry(len(mine.chain) - 1, raw, entry.signature)
            message = talker.rng.choice([entry, entry, Submit(raw), other])
        try:
            if where == "from the host":
                chair.message(message, now)
            else:
                chair.direct.line_message(message, now)
            chair.work(now)
        except (HostFault, LostSecretError):
            chair, faults = None, faults + 1
            continue
        chair.out.clear()
    assert 0 < faults < WORDS // 3
