"""C10: an exception at every point of every handler, and the rest goes on: the table, direct lines, probes, the lobby,
the session of a seat. A point is the beginning of any function of this project that a handler comes to."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_GENERATOR
from types import FrameType
from typing import Any

import pytest

from goat_net.discovery.candidates import answer_of
from goat_net.discovery.watch import find
from goat_net.log.chain import read_file
from goat_net.log.fold import Fold, digest
from goat_net.seat.chair import Chair
from goat_net.seat.reach import make_reach
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.store import LogStore
from goat_net.wire.address import Address
from goat_net.wire.framing import frame
from goat_net.wire.identity import Identity
from goat_net.wire.link import Event, Opened
from goat_net.wire.messages import (
    LEFT,
    MESSAGES,
    PROTOCOL,
    Kick,
    Lobby,
    Reach,
    Read,
    Ready,
    Said,
    Say,
    SetBot,
    Sit,
    Start,
    Submit,
    Swap,
    Told,
)
from goat_net.wire.notices import Saying
from goat_net.wire.stream import ask_status
from goat_net.wire.wall import STRICT_VARIABLE, faults
from tests.wire.kit import (
    HERE,
    OWNER,
    SEATED,
    TABLE,
    WITHIN,
    direct_line,
    is_let_in,
    join,
    new_table,
    serving,
    unlimited,
)
from tests.world.world import World


class Ours(Exception):  # noqa: N818 - a mistake of this program
    """What goes wrong at a point."""


class Point:
    """Raises at the ``at``-th call of a function of this project inside its block; ``hit``: whether it came so far."""

    def __init__(self, at: int) -> None:
        self.left, self.hit = at, False

    def _call(self, code: FrameType, event: str, _: Any) -> None:
        # A generator is called once more when it is thrown away, where nothing that it raises goes anywhere.
        plain = not code.f_code.co_flags & CO_GENERATOR
        if event == "call" and plain and "/goat_" in code.f_code.co_filename:
            self.left -= 1
            if self.left == 0:
                sys.setprofile(None)
                self.hit = True
                raise Ours(f"{code.f_code.co_filename}:{code.f_lineno}")

    @contextmanager
    def armed(self) -> Iterator[None]:
        sys.setprofile(self._call)
        try:
            yield
        finally:
            sys.setprofile(None)


@pytest.fixture
def walls(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Walls stand, and what fell behind them is counted."""
    monkeypatch.delenv(STRICT_VARIABLE)
    faults.clear()
    yield faults
    faults.clear()


@pytest.fixture(params=["some", pytest.param("all", marks=pytest.mark.slow)])
def points(request: pytest.FixtureRequest, seed: int) -> Iterator[int]:
    """Every point of a short handler and every third after the fortieth; or some of them, by lot."""
    every = (*range(1, 41), *range(41, 400, 3))
    return iter(every if request.param == "all" else sorted({1, 2, *every[seed % 5 :: 5]}))


# The log: a table and its seats without sockets -------------------------------------------------------------------


class FaultyWorld(World):
    """A world whose table has a fault at some point of every sixth message that it gets. Whoever has sent it loses the
    line, as the server does it, and comes back as clients do."""

    faults = 0

    def step(self) -> bool:
        up = [s for s in self.seated if s.up]
        if not up or self.rng.random() < 5 / 6:
            return super().step()
        s = self.rng.choice(up)
        self.steps += 1
        point, message = Point(self.rng.randrange(1, 120)), s.up.popleft()
        try:
            with point.armed():
                self.table.message(s.conn, message, self.now)
        except Ours:
            type(self).faults += 1
            self.table.recover()
            self.drain()
            self.table.gone(s.conn, self.now)
            self.drain()
            s.up.clear()
            s.down.clear()
            self.connect(s)
            if s.player.unconfirmed is not None:
                s.up.append(Submit(s.player.unconfirmed))
        self.drain()
        self.check()
        return True


@pytest.mark.sample(1, "each plays two deals")
@pytest.mark.parametrize("number", range(3))
def test_a_match_goes_on_over_a_fault_at_any_point_of_the_table(number: int, seed: int) -> None:
    """C10: half an entry would be a gap in everybody's log, for which they would blame the host."""
    FaultyWorld.faults = 0
    world = FaultyWorld(seed + number)
    world.run(deals=2)
    fold = world.table.fold
    assert fold is not None
    assert len(fold.finished) >= 2
    assert FaultyWorld.faults > 20
    again = Fold()
    for entry in read_file(world.journal[fold.chain.log_id]):
        again.take(entry)
    assert digest(again) == digest(fold)


# The server -------------------------------------------------------------------------------------------------------


SERVER_CASES: dict[str, bytes | None] = {
    "a join": None,
    **{
        f"{type(message).__name__} {number}": frame(MESSAGES.encode(message))
        for number, message in enumerate(
            (
                Sit(1),
                Sit(4),
                Ready(True),
                Swap(0),
                Say("hi"),
                Start(),
                SetBot(2, "easy"),
                Kick(0, "go"),
                Read(bytes(32), 0),
                Submit(b"x"),
                Said(0, "x", bytes(32), "x"),
                make_reach(SEATED[1], TABLE.public, 1, ("127.0.0.1:1",)),
            )
        )
    },
    "garbage": b"\xc5\x00\x02\x91\x90",
    "a goodbye": b"",
}


@pytest.mark.sample(2, "each opens some dozens of connections")
@pytest.mark.parametrize("case", SERVER_CASES)
async def test_a_fault_at_any_point_of_the_server_ends_that_connection_alone(
    case: str, points: Iterator[int], walls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C10: the handlers of a joining, of each kind of message, of nonsense and of an end."""
    table = new_table()
    async with serving(table) as server, asyncio.TaskGroup() as group:
        unlimited(server)
        anna, _ = await join(server.port, SEATED[0])
        inside = asyncio.Event()
        running = group.create_task(anna.run(lambda event: inside.set() if isinstance(event, Opened) else None))
        await inside.wait()
        right = server._handle
        point = Point(0)
        armed = False

        def handle(caller: Any, peer: Any, event: Event, now: float) -> None:
            if not armed:
                right(caller, peer, event, now)
                return
            with point.armed():
                right(caller, peer, event, now)

        monkeypatch.setattr(server, "_handle", handle)
        hits = 0
        for at in points:
            point, armed = Point(at), SERVER_CASES[case] is None
            connection, _ = await join(server.port, SEATED[1], "Boris")

            def on_event(event: Event, connection: Any = connection) -> None:
                nonlocal armed
                if isinstance(event, Opened):
                    armed = True
                    connection._writer.write(SERVER_CASES[case] or b"")
                    connection.close(LEFT)

            await connection.run(on_event)
            async with asyncio.timeout(WITHIN):
                while sum(server.counts) > 1 or len(table.people.guests) > 1:
                    await asyncio.sleep(0)
            armed = False
            assert not running.done()
            hits += point.hit
            if not point.hit:
                break
        assert hits
        assert await is_let_in(server.port, OWNER, "Vera")
        anna.close(LEFT)
    assert sum(walls.values()) >= hits


# Direct lines -----------------------------------------------------------------------------------------------------


def seated_chair() -> tuple[Chair, World]:
    """The chair of a seat in the middle of a match."""
    world = World(4)
    world.run(deals=1)
    chair = Chair(world.seated[0].identity, lambda log_id: LogStore(None, log_id, lambda n: bytes(n)))
    chair.player = world.seated[0].player
    fold = world.table.fold
    assert fold is not None
    chair.log_id = fold.chain.log_id
    return chair, world


@pytest.mark.sample(1, "each plays a deal and opens some dozens of connections")
@pytest.mark.parametrize("case", ["Read", "NewEntry", "Submit", "Say"])
async def test_a_fault_at_any_point_of_a_direct_line_ends_that_line_alone(
    case: str, points: Iterator[int], walls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C10: what seats say to each other without the host."""
    chair, world = seated_chair()
    fold = world.table.fold
    assert fold is not None
    last = fold.chain.entries[-1]
    message = {
        "Read": Read(chair.log_id, 0),
        "NewEntry": last,
        "Submit": Submit(last.record),
        "Say": Say("hi"),
    }[case]
    right = chair.direct.line_message
    point = Point(0)

    def line_message(message: Any, now: float) -> Any:
        with point.armed():
            return right(message, now)

    monkeypatch.setattr(chair.direct, "line_message", line_message)
    async with direct_line(chair) as known:
        hits = 0
        for at in points:
            point = Point(at)
            connection, _ = await join(known.port, world.seated[1].identity)

            def on_event(event: Event, connection: Any = connection) -> None:
                if isinstance(event, Opened):
                    connection.send(message)
                    connection.close(LEFT)

            async with asyncio.timeout(WITHIN):
                await connection.run(on_event)
                while known.lines._busy:
                    await asyncio.sleep(0)
            hits += point.hit
            if not point.hit:
                break
        assert hits or case == "Say"
        assert await is_let_in(known.port, world.seated[2].identity)
    assert sum(walls.values()) >= hits


# Probes and the lobby ---------------------------------------------------------------------------------------------


async def test_a_fault_at_any_point_of_a_probe_is_a_table_that_does_not_answer(
    walls: Any, points: Iterator[int]
) -> None:
    """C10: the lobby shows the other table all the same."""
    async with serving() as server, serving() as other:
        unlimited(server)
        unlimited(other)
        bad, good = Address(HERE, server.port), Address(HERE, other.port)
        hits = 0
        for at in points:
            point, answered = Point(at), asyncio.Event()

            async def ask(address: Address, point: Point = point, answered: asyncio.Event = answered) -> Any:
                answer = await ask_status(address, "goat 0.1")
                if address != bad:
                    return answer_of(answer.status)
                try:
                    with point.armed():
                        return answer_of(answer.status)
                finally:
                    answered.set()

            def enough(rows: Any) -> bool:
                return any(row.address in (good, bad) for row in rows)

            async with asyncio.timeout(WITHIN):
                rows, _ = await find(
                    ask, PROTOCOL, WITHIN, interfaces=[HERE], remembered=[(None, [bad]), (None, [good])], enough=enough
                )
            assert enough(rows)
            hits += point.hit
            if not point.hit:
                break
    assert hits


# The session of a seat --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Opened, Lobby, Told, Reach])
async def test_a_fault_at_any_point_of_a_session_costs_a_line_and_no_seat(
    kind: type[Any], walls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C10: a client that is at a table comes back to it."""
    hits = 0
    async with serving() as server, asyncio.TaskGroup() as group:
        unlimited(server)
        anna, _ = await join(server.port, OWNER, "Vera")

        def in_turn(event: Event) -> None:
            if isinstance(event, Opened):
                anna.send(make_reach(OWNER, TABLE.public, 1, ("127.0.0.1:1",)))

        talking = group.create_task(anna.run(in_turn))
        # The first point of the first word is before the seat is anybody's: that join has failed, and says so.
        for at in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233):
            point = Point(at)
            setup = SeatSetup("Anna", "goat 0.1", listen=None)
            session = TableSession(Identity.new(), setup, [Address(HERE, server.port)], retry_for=WITHIN)
            monkeypatch.setattr(session, "_handle", handled(session._handle, kind, point))
            running = group.create_task(session.run())
            async with asyncio.timeout(WITHIN):
                while session.view.me is None and not running.done():
                    await asyncio.sleep(0.005)
                if running.done():
                    assert (kind, at) == (Opened, 1)
                    assert "a fault of this program" in (await running).text
                    hits += point.hit
                    continue
                if kind is Told:
                    server._table.people.tell(Saying.CANNOT_BEGIN)
                    server._carry()
                    while not session.view.talk and not point.hit:
                        await asyncio.sleep(0.005)
                while not session.view.link or session.view.me is None:
                    await asyncio.sleep(0.005)
            session.hang_up()
            await running
            hits += point.hit
            if not point.hit:
                break
        anna.close(LEFT)
        await talking
    assert hits >= 1
    assert sum(walls.values()) >= hits


def handled(right: Callable[[Event], None], kind: type[Any], point: Point) -> Callable[[Event], None]:
    def handle(event: Event) -> None:
        if isinstance(event, kind) or isinstance(getattr(event, "message", None), kind):
            with point.armed():
                right(event)
        else:
            right(event)

    return handle
