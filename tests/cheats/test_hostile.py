"""Hostile hosts and guests: whatever they send, a fold raises nothing but ChainError and is then as it was; the table
raises nothing at all, and what it has entered is good for everybody."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from goat_engine.rules import Rules
from goat_net.log.chain import ChainError, make_record, next_head, parse_record, read_file, sign_entry
from goat_net.log.fold import MAX_REFUSALS, Fold, MatchStage, digest
from goat_net.log.records import BODIES, HOST, Leave, ShowPlay
from goat_net.log.statutes import NEWEST
from goat_net.seat.player import Player
from goat_net.wire.identity import Identity
from goat_net.wire.messages import MESSAGES, PROTOCOL, ROLE_BOT, ROLE_PLAYER, ROLE_WATCHER, Hello, NewEntry, Submit
from tests.cheats.anything import Likely, anything, known_bytes, value
from tests.cheats.kit import Cast, CheatWorld, Scheme, Schemer
from tests.cheats.shared import shared


@pytest.fixture(autouse=True)
def _shared() -> Iterator[None]:
    with shared():
        yield


def played(seed: int, people: int) -> CheatWorld:
    """A world with two deals behind it and in the middle of the third, or with a match that has just ended."""
    world = CheatWorld(seed, cast=Cast(people=frozenset(range(people)), owner=0 if people else None))
    world.run_until(lambda: world.settled(2))
    world.run_until(lambda: bool(world.table.fold and world.table.fold.deal and len(world.table.fold.deal.steps) > 8))
    return world


def forged(rng: random.Random, world: CheatWorld, fold: Fold, likely: Likely) -> NewEntry:
    """An entry that a hostile host might send as the next one: mostly well signed, often well placed."""
    author = rng.choice((0, 1, 2, 3, HOST))
    table = world.table.identity
    signer = table if author == HOST else world.seated[author].identity
    if rng.random() < 0.05:
        signer = rng.choice([table, *(s.identity for s in world.seated)])
    body: Any = likely.body(fold, author) if rng.random() < 0.5 else None
    if body is None:
        body = anything(rng, BODIES, known_bytes(fold))
    number = fold.deal.number if fold.deal else 0
    if author != HOST and fold.owes_verdict(author) and rng.random() < 0.9:
        number = fold.finished[-1].deal.number
    odd = lambda right, *wrong: right if rng.random() < 0.96 else rng.choice(wrong)  # noqa: E731
    chain = fold.chain
    raw = make_record(
        signer,
        odd(fold.id, chain.log_id, bytes(32)),
        odd(number, 0, number + 1, 9999),
        author,
        odd(fold.counters[author], 0, max(0, fold.counters[author] - 1), fold.counters[author] + 1),
        odd(len(chain), 0, 5, 100_000),
        odd(chain.head, bytes(32), chain.heads[0]),
        body,
    )
    if rng.random() < 0.03:
        place = rng.randrange(len(raw))
        raw = raw[:place] + bytes([raw[place] ^ 1 << rng.randrange(8)]) + raw[place + 1 :]
    return sign_entry(
        odd(table, world.seated[0].identity), fold.id, odd(len(chain), 0, len(chain) + 1), chain.head, raw
    )


@pytest.mark.parametrize("people", [0, 4, 2])
@pytest.mark.sample(1, "thousands of records")
def test_a_fold_raises_chain_errors_alone_and_is_then_as_it_was(people: int, seed: int) -> None:
    rng = random.Random(seed)
    world = played(seed, people)
    fold = world.table.fold
    assert fold is not None
    entries = fold.chain.entries
    taken = refused = 0
    kinds: set[str] = set()
    for _ in range(25):
        copy, likely = Fold(), Likely(rng)
        for entry in entries[: rng.randrange(1, len(entries))]:
            copy.take(entry)
        for _ in range(60):
            entry = forged(rng, world, copy, likely)
            before = digest(copy), len(copy.chain), list(copy.counters), copy.offences[:]
            try:
                record, judged = copy.take(entry)
            except ChainError:
                refused += 1
                assert before == (digest(copy), len(copy.chain), list(copy.counters), copy.offences)
            else:
                taken += 1
                kinds.add(type(record.body).__name__ + ("!" if judged.fault else ""))
    assert taken > 100
    assert refused > 300
    assert len(kinds) >= 12


def test_a_new_fold_takes_no_first_entry_but_a_good_one(seed: int) -> None:
    rng = random.Random(seed)
    world = played(seed, 0)
    assert world.table.fold is not None
    first = world.table.fold.chain.entries[0]
    for _ in range(400):
        fold = Fold()
        raw = bytearray(first.record)
        for _ in range(rng.randrange(1, 3)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        if bytes(raw) == first.record:
            continue
        entry = NewEntry(0, bytes(raw), first.signature)
        if rng.random() < 0.5:
            entry = sign_entry(world.table.identity, fold.chain.log_id or bytes(32), 0, fold.chain.head, bytes(raw))
        with pytest.raises(ChainError):
            fold.take(entry)
        assert fold.stage is MatchStage.NEW
        assert not len(fold.chain)


def random_tables(rng: random.Random, world: CheatWorld) -> NewEntry:
    """A well-signed first entry with a table of random contents."""
    from goat_net.log.chain import genesis, log_id_of
    from goat_net.log.records import Table

    spec = {s.cls: s for _, s in BODIES}[Table]
    key = world.table.identity
    seats = world.table.fold.table.seats  # type: ignore[union-attr]
    fields = {name: value(rng, one, []) for name, one in spec.specs}
    fields |= {"table_key": key.public, "seats": seats, "protocol": PROTOCOL, "fresh": world.table.fold.table.fresh}
    body = Table(**fields)
    log_id = log_id_of(key.public, body.salt, body.fresh)
    raw = make_record(key, log_id, 0, HOST, 0, 0, genesis(log_id), body)
    return sign_entry(key, log_id, 0, genesis(log_id), raw)


def test_a_table_of_any_contents_is_refused_or_can_be_played_at(seed: int) -> None:
    rng = random.Random(seed)
    world = played(seed, 0)
    good = 0
    for _ in range(60):
        fold, likely = Fold(), Likely(rng)
        try:
            fold.take(random_tables(rng, world))
        except ChainError:
            continue
        good += 1
        for _ in range(60):
            try:
                fold.take(forged(rng, world, fold, likely))
            except ChainError:
                continue
    assert good > 10


class Hostile:
    """Connections to a table that send anything."""

    def __init__(self, rng: random.Random, world: CheatWorld) -> None:
        self.rng, self.world, self.likely = rng, world, Likely(rng)
        self.conns: list[int] = []

    def join(self) -> None:
        """One more stranger, if the table lets them in."""
        conn = 1000 + self.world.steps
        key = Identity.from_seed(self.rng.randbytes(32)).public
        if self.rng.random() < 0.3:
            key = self.rng.choice(self.world.seated).identity.public  # somebody stole it, or has come back
        role = self.rng.choice((ROLE_PLAYER, ROLE_WATCHER, ROLE_BOT))
        hello = Hello(PROTOCOL, "x", role, key, bytes(32), self.rng.choice(("Ada", "Bo", "Eve", "P9")), "easy", b"")
        if conn not in self.conns and self.world.table.admits(hello) is None:
            self.world.table.joined(conn, hello, b"", self.world.now)
            self.conns.append(conn)

    def record(self) -> bytes:
        """A record, mostly of the seat that is hostile (3), well signed."""
        rng, world, fold = self.rng, self.world, self.world.table.fold
        if fold is None or not fold.seats:
            return rng.randbytes(rng.randrange(1, 200))
        author = 3 if rng.random() < 0.9 else rng.randrange(5)
        player = world.seated[3]
        if rng.random() < 0.1 and fold.chain.entries:
            return rng.choice(fold.chain.entries).record
        body = self.likely.body(fold, 3) if rng.random() < 0.3 else None
        body = body or anything(rng, BODIES, known_bytes(fold))
        number = fold.deal.number if fold.deal else 0
        if fold.owes_verdict(3):
            number = fold.finished[-1].deal.number
        return make_record(
            player.identity,
            fold.id if rng.random() < 0.95 else bytes(32),
            number,
            author,
            fold.counters[min(author, 4)] if rng.random() < 0.9 else rng.randrange(50),
            len(fold.chain),
            fold.chain.head,
            body,
        )

    def act(self) -> None:
        """Something."""
        rng, world = self.rng, self.world
        self.conns = [c for c in self.conns if c in world.table.people.guests]
        what = rng.random()
        if what < 0.05:
            self.join()
        elif what < 0.08 and self.conns:
            world.table.gone(self.conns.pop(rng.randrange(len(self.conns))), world.now)
        elif what < 0.085:
            world.now += rng.choice((0.1, 5, 200, 90_000))
            world.table.tick(world.now)
        elif self.conns or world.seated[3].conn >= 0:
            conn = rng.choice([*self.conns, world.seated[3].conn])
            message = Submit(self.record()) if rng.random() < 0.6 else anything(rng, MESSAGES, [])
            world.table.message(conn, message, world.now)
        world.drain()


class Restless(Scheme):
    """Plays on as it should, and now and then sends a record of any kind instead."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.rng = rng

    def body(self, c: Schemer, body: Any) -> Any:
        """What it has to show after a false claim: anything."""
        if isinstance(body, ShowPlay) and not body.slots:
            return ShowPlay((0, 1, 2, 3), bytes(128))
        return body

    def raw(self, c: Schemer) -> list[bytes]:
        """Anything, well signed."""
        full = c.seat is None or c.fold.refusals[c.seat] > 190  # one more and the host closes the connection
        if c.unconfirmed is not None or c.fold.deal is None or full or self.rng.random() > 0.1:
            return []
        body = anything(self.rng, BODIES, known_bytes(c.fold))
        if isinstance(body, Leave) or type(body) not in NEWEST.kinds:  # of an older protocol: that closes its line
            return []
        number = c.fold.deal.number if c.fold.deal else 0
        if c.seat is not None and c.fold.owes_verdict(c.seat):
            number = c.fold.finished[-1].deal.number
        c.unconfirmed = c.sign(body, deal=number)
        return [c.unconfirmed]


class RestlessWorld(CheatWorld):
    """One of the seats is restless all the time."""

    def scheme_of(self, player: Player) -> Scheme | None:
        """Seat 3's."""
        return self.scheme if player.seat == 3 else None

    def pass_time(self) -> bool:
        """Nothing is under way, as when the table has closed a line that a seat owes a play on: its clocks run on.
        False when it waits for no time either: then it hangs."""
        due = self.table.deadline
        if due is None:
            return False
        self.now = max(self.now, due)
        self.table.tick(self.now)
        self.drain()
        for guest in self.seated:
            guest.act()
        return True


@pytest.mark.parametrize("part", range(4))
@pytest.mark.sample(1, "thousands of records")
def test_whatever_a_seat_sends_the_others_stay_blameless_and_the_match_goes_on(part: int, seed: int) -> None:
    rng = random.Random(seed + part)
    world = RestlessWorld(seed + part, Restless(rng), rules=Rules(target=60, yield_time=0))
    logs: dict[bytes, Fold] = {}  # of one match: it goes on in another when the restless one is out
    for _ in range(20_000):
        fold = world.table.fold
        if fold is not None:
            logs[fold.chain.log_id] = fold
        if sum(len(one.finished) for one in logs.values()) >= 12:
            break
        assert world.step() or world.pass_time(), world.where()
    deals = sum(len(one.finished) for one in logs.values())
    assert deals >= 12, world.where()
    assert all(g.fault is None for g in world.seated)
    overtaken = sum(sum(one.refusals[:3]) for one in logs.values())
    assert overtaken <= 4 * deals  # a play that the restless one came before, now and then
    for log_id, one in logs.items():
        assert one.refusals[3] <= MAX_REFUSALS
        assert one.absence.lost.keys() <= {3}
        assert {d.outcome.blame.seat for d in one.finished if d.outcome.blame} <= {3}
        again = Fold()
        for entry in read_file(world.journal[log_id]):
            again.take(entry)
        assert digest(again) == digest(one)


@pytest.mark.parametrize("part", range(4))
@pytest.mark.sample(1, "thousands of messages")
def test_a_table_raises_nothing_and_enters_nothing_that_is_not_good(part: int, seed: int) -> None:
    rng = random.Random(seed + part)
    world = CheatWorld(seed + part, cast=Cast(people=frozenset({0, 1, 3}), owner=0))
    hostile = Hostile(rng, world)
    world.run_until(lambda: bool(world.table.fold and world.table.fold.stage is MatchStage.DEALS))
    for _ in range(4000):
        if rng.random() < 0.8:
            if not world.step() and rng.random() < 0.1:
                for guest in world.seated:
                    guest.act()
        else:
            hostile.act()
        for guest in world.seated:
            assert guest.fault is None or guest.seat == 3, f"{guest.seat}: {guest.fault}"
            if guest.conn not in world.table.people.guests and rng.random() < 0.2:
                world.connect(guest)
    assert world.journal
    for log_id, data in world.journal.items():
        fold = Fold()
        for entry in read_file(data):
            fold.take(entry)
        assert fold.chain.log_id == log_id
    assert world.table.fold is not None
    assert fold.chain.head == world.table.fold.chain.head


def test_hundreds_of_form_errors_end_in_a_closed_connection_not_in_a_fallen_table(seed: int) -> None:
    from goat_net.log.records import ClaimPlay
    from goat_net.wire.messages import FLOOD

    world = CheatWorld(seed)
    world.run_until(lambda: bool(world.table.fold and world.table.fold.stage is MatchStage.DEALS))
    guest, fold = world.seated[2], world.table.fold
    assert fold is not None
    guest.silent = True
    for _ in range(300):
        raw = make_record(
            guest.identity,
            fold.id,
            fold.deal.number if fold.deal else 0,
            2,
            fold.counters[2],
            len(fold.chain),
            fold.chain.head,
            ClaimPlay(8),
        )
        world.table.message(guest.conn, Submit(raw), world.now)
        world.drain()
    assert fold.refusals[2] == MAX_REFUSALS
    assert guest.dropped is not None
    assert guest.dropped.reason == FLOOD
    again = Fold()
    for entry in read_file(world.journal[fold.chain.log_id]):
        again.take(entry)
    assert again.chain.head == fold.chain.head
    assert next_head(fold.chain.heads[-2], fold.chain.entries[-1].record) == parse_head(fold)


def parse_head(fold: Fold) -> bytes:
    """The last head, after a record that can be read."""
    parse_record(fold.chain.entries[-1].record)
    return fold.chain.head
