"""Slow lines, lines that were cut, and processes that slept: what is nobody's silence, and how long one waits."""

import asyncio
import socket
import time
from types import SimpleNamespace
from typing import Any

import pytest
from goat_host import server as server_module
from goat_host.table import Table

from goat_net.log.chain import parse_record
from goat_net.log.records import Away
from goat_net.seat.chair import Chair
from goat_net.seat.clocks import Waiting
from goat_net.seat.dials import REACHES
from goat_net.seat.direct import HAND_AGAIN
from goat_net.seat.reach import make_reach
from goat_net.seat.session import COMES_BACK, TableSession
from goat_net.seat.staying import TRY_MOST, SeatSetup, dial_first
from goat_net.seat.store import LogStore
from goat_net.wire.address import Address
from goat_net.wire.framing import frame
from goat_net.wire.identity import Identity
from goat_net.wire.link import DEAD_AFTER, SILENT_AFTER, Closed, Event, Opened, Proven, Received, Silent
from goat_net.wire.messages import LEFT, MESSAGES, Joined, NewEntry, Read, Say, Submit
from goat_net.wire.peer import Host, Joiner
from goat_net.wire.stream import RECORD, Connection, accept
from goat_net.wire.tls import client_context, server_context
from tests.host.test_server import FakeEffects, FakeTable  # type: ignore[import-not-found]
from tests.wire.kit import HERE, OWNER, SEATED, TABLE, WITHIN, direct_line, join, serving
from tests.world.world import World


def open_pair() -> tuple[Host, Joiner]:
    """Both ends of an open connection."""
    host, joiner = Host(TABLE, "goat 0.2"), Joiner(OWNER, "Anna", program="goat 0.1")
    for peer in (host, joiner):
        peer.start(bytes(32), 0.0)
    host.receive(joiner.take(), 0.0)
    joiner.receive(host.take(), 0.0)
    assert any(isinstance(event, Proven) for event in host.receive(joiner.take(), 0.0))
    host.accept(Joined(b"", b"", 0), 0.0)
    assert any(isinstance(event, Opened) for event in joiner.receive(host.take(), 0.0))
    return host, joiner


def test_bytes_of_a_frame_on_its_way_are_a_sign_of_life() -> None:
    """W7: a line of 3 kB a second was cut every six seconds, because no frame was whole by then."""
    host, _ = open_pair()
    data = frame(MESSAGES.encode(Say("x" * 300)))
    now = 0.0
    for byte in data[:-1]:
        now += SILENT_AFTER - 0.5
        assert host.receive(bytes([byte]), now) == []
        assert not any(isinstance(event, Silent) for event in host.tick(now))
        host.take()
    assert not host.closed
    assert host.heard == now
    ends = [event for second in range(1, int(DEAD_AFTER) + 1) for event in host.tick(now + second)]
    assert [type(event) for event in ends] == [Silent, Closed]


async def test_no_tls_record_is_longer_than_a_slow_line_can_bring_in_a_second() -> None:
    """W7: what is in a record is read only when it has come whole; 16 KiB take a line of 3 kB a second 5.5 s."""
    near, far = socket.socketpair()
    seen, inside = socket.socketpair()
    for sock in (near, far, seen, inside):
        sock.setblocking(False)
    loop = asyncio.get_running_loop()
    passed = bytearray()

    async def carry(source: socket.socket, sink: socket.socket, note: bytearray | None) -> None:
        while data := await loop.sock_recv(source, 65536):
            if note is not None:
                note += data
            await loop.sock_sendall(sink, data)
        sink.shutdown(socket.SHUT_WR)

    async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as group:
        # guest -- near | far -- carry -- seen | inside -- host
        group.create_task(carry(far, seen, None))
        group.create_task(carry(seen, far, passed))
        opening = group.create_task(
            asyncio.open_connection(sock=near, ssl=client_context(), server_hostname="goat", ssl_shutdown_timeout=1)
        )
        peer = Host(TABLE, "goat 0.2")
        host = await accept(inside, server_context(), peer, loop.time())
        guest = Connection(*await opening, Joiner(OWNER, "Anna", program="goat 0.1"))

        def on_host(event: Event) -> None:
            if isinstance(event, Proven):
                peer.accept(Joined(b"", b"", 0), loop.time())
                for _ in range(25):
                    host.send(Submit(bytes(8000)))

        count = 0

        def on_guest(event: Event) -> None:
            nonlocal count
            count += not isinstance(event, Opened)
            if count == 25:
                guest.close(LEFT)

        await asyncio.gather(host.run(on_host), guest.run(on_guest))
    for sock in (far, seen):
        sock.close()
    lengths = []
    at = 0
    while at + 5 <= len(passed):
        length = int.from_bytes(passed[at + 3 : at + 5], "big")
        lengths.append(length)
        at += 5 + length
    assert len(lengths) > 190
    assert max(lengths[4:]) <= RECORD + 17  # its type and tag (RFC 8446, 5.2); the handshake's own come before


# Cut lines --------------------------------------------------------------------------------------------------------


def test_time_stands_from_the_last_sign_of_life_on() -> None:
    """E8: a turn clock of 10 s, 3 s thought, the line cut for 7 s: 2 s were left, since 5 s of them went unnoticed."""
    world = World(3)
    world.run(deals=1)
    fold = world.table.fold
    assert fold is not None
    waiting = Waiting()
    chair = Chair(SEATED[0], lambda log_id: LogStore(None, log_id, lambda n: bytes(n)))
    chair.waiting, chair.link = waiting, True
    chair.player = SimpleNamespace(fold=fold)  # type: ignore[assignment]
    waiting.update(fold, 100.0)
    seat = min(waiting.since)  # it is on this seat
    chair.cut_off(103.0)  # noticed at 108
    assert waiting.waited(seat, 108.0) == 3.0
    waiting.update(fold, 110.0)  # the line is there again
    assert waiting.waited(seat, 110.0) == 3.0


@pytest.mark.parametrize(
    ("grace", "given", "waits"), [(3600, 600.0, 3720.0), (180, 600.0, 600.0), (3600, 300.0, 3720.0)]
)
def test_the_grace_of_the_table_decides_how_long_it_is_looked_for(grace: int, given: float, waits: float) -> None:
    """E9: a person's client gave up after 600 s and a bot after 300, with a grace of up to 3,600."""
    session = TableSession(OWNER, SeatSetup("Anna", "goat 0.1"), [Address(HERE, 1)], retry_for=given)
    assert session._patience == given  # without a match nothing is lost
    table = SimpleNamespace(settings=SimpleNamespace(grace=grace))
    session.chair.player = SimpleNamespace(fold=SimpleNamespace(open=True, table=table))  # type: ignore[assignment]
    assert session._patience == waits
    assert waits in (given, grace + COMES_BACK)
    session.chair.player = SimpleNamespace(fold=SimpleNamespace(open=False, table=table))  # type: ignore[assignment]
    assert session._patience == given


# Own sleep --------------------------------------------------------------------------------------------------------


def table_of(world: World) -> Table:
    return world.table


def test_a_table_that_slept_reproaches_nobody_with_it() -> None:
    """C9: the host's processes stood still for 60 s with a grace of 30, and on waking a vote was opened."""
    for sleeps in (True, False):
        world = World(5, grace=30)
        world.run(deals=1)
        table = table_of(world)
        fold = table.fold
        assert fold is not None
        table.debts.watch(fold, world.now)
        assert table.debts.owed_since
        now = max(table.debts.owed_since.values())
        if sleeps:
            table.slept(60.0)
        table.tick(now + 60.0)
        aways = [e for e in fold.chain.entries if isinstance(parse_record(e.record).body, Away)]
        assert bool(aways) is not sleeps


async def test_a_server_that_stood_still_tells_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """C9: Ctrl-Z, or a lid that was closed."""
    monkeypatch.setattr(server_module, "LOOK", 0.02)
    monkeypatch.setattr(server_module, "LATE", 0.2)
    table = FakeTable()
    async with serving(table, FakeEffects()):
        for _ in range(20):
            await asyncio.sleep(0)
        time.sleep(0.5)  # the whole process: nothing is waited for
        await table.until("slept")
    (seconds,) = [told[1] for told in table.told if told[0] == "slept"][:1]
    assert seconds > 0.2


# What grows with time ---------------------------------------------------------------------------------------------


def chair_of(knows: set[bytes]) -> Chair:
    chair = Chair(SEATED[0], lambda log_id: LogStore(None, log_id, lambda n: bytes(n)), table_key=TABLE.public)
    chair.direct.knows = lambda key: key in knows  # type: ignore[method-assign]
    return chair


def test_addresses_of_a_table_that_is_open_for_weeks_are_bounded_by_age() -> None:
    """W9: the sixty-fifth who came was never known, though the first had gone weeks before."""
    chair = chair_of({SEATED[1].public})
    chair.direct.take_reach(make_reach(SEATED[1], TABLE.public, 1, ("127.0.0.1:1",)))
    people = [Identity.from_seed(n.to_bytes(32, "big")) for n in range(1, 3 * REACHES)]
    for person in people:
        chair.direct.take_reach(make_reach(person, TABLE.public, 1, ("127.0.0.1:1",)))
        assert person.public in chair.direct.dials.reaches
    assert len(chair.direct.dials.reaches) == REACHES
    assert SEATED[1].public in chair.direct.dials.reaches  # a seat is never pushed out
    assert people[0].public not in chair.direct.dials.reaches
    for person in people:
        chair.direct.dialled(person.public, False, 0.0)
    assert len(chair.direct.dials._ends) == REACHES


def test_a_record_that_a_seat_sends_again_and_again_is_handed_to_the_host_once_in_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """H1's kind: who floods a direct line would have the seat at its other end dropped by the host."""
    world = World(1)
    world.run(deals=1)
    fold = world.table.fold
    assert fold is not None
    raw = next(e.record for e in reversed(fold.chain.entries) if parse_record(e.record).author != 4)
    chair = chair_of(set())
    chair.player = SimpleNamespace(fold=fold)  # type: ignore[assignment]
    monkeypatch.setattr(chair.direct.witness, "note", lambda *_: True)
    for n in range(500):
        chair.direct.line_message(Submit(raw), n / 1000)
    assert len(chair.out) == 1
    chair.direct.line_message(Submit(raw), HAND_AGAIN)
    assert len(chair.out) == 2


# A client that has slept ------------------------------------------------------------------------------------------


async def test_a_client_that_slept_while_it_looked_for_its_table_goes_on_looking(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """C9's kind, the other end of the line: the time of Ctrl-Z or of a closed lid counted as time without an answer."""
    loop = asyncio.get_running_loop()
    right, ahead = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: right() + ahead)
    tries: list[str] = []

    async with serving() as server, asyncio.TaskGroup() as group:

        async def dial(addresses: Any, joiner: Joiner, within: float) -> Any:
            nonlocal ahead
            tries.append("a dial")
            if len(tries) == 2:
                ahead = TRY_MOST + 10.0
            if len(tries) in (2, 3):  # the network of a machine that wakes is not there at once
                raise ConnectionRefusedError
            return await dial_first(addresses, joiner, WITHIN)

        setup = SeatSetup("Anna", "goat 0.1", listen=None)
        session = TableSession(OWNER, setup, [Address(HERE, server.port)], retry_for=TRY_MOST + 5.0, dial=dial)
        running = group.create_task(session.run())
        async with asyncio.timeout(WITHIN + 2 * TRY_MOST):
            while session.view.me is None:
                await asyncio.sleep(0.01)
            assert session._connection is not None
            session._connection.cut()
            while len(tries) < 4 or not session.view.link:
                assert not running.done(), session.end
                await asyncio.sleep(0.01)
        session.hang_up()
        await running


async def test_who_goes_in_the_moment_that_a_dial_is_answered_goes() -> None:
    """A bots' process whose line breaks as its input ends: the line was there when nobody wanted it, and stayed."""
    async with serving() as server, asyncio.timeout(WITHIN):
        setup = SeatSetup("Anna", "goat 0.1", listen=None)

        async def dial(addresses: Any, joiner: Joiner, within: float) -> Any:
            answered = await dial_first(addresses, joiner, within)
            session.hang_up()
            return answered

        session = TableSession(OWNER, setup, [Address(HERE, server.port)], retry_for=WITHIN, dial=dial)
        end = await session.run()
        assert end.reason == LEFT


# Reading on over direct lines ---------------------------------------------------------------------------------------


async def test_who_asks_a_seat_for_entries_again_and_again_gets_few_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """96 KiB an answer, 500 questions a second: what one question of 40 bytes had a seat of the match send."""
    world = World(5)
    world.run(deals=1)
    chair = Chair(world.seated[0].identity, lambda log_id: LogStore(None, log_id, lambda n: bytes(n)))  # type: ignore[arg-type]
    chair.player = world.seated[0].player
    fold = world.table.fold
    assert fold is not None
    chair.log_id = fold.chain.log_id
    answers: list[int] = []
    right = chair.direct.line_message

    def counted(message: Any, now: float) -> Any:
        answer = right(message, now)
        if isinstance(message, Read):
            answers.append(message.start)
        return answer

    monkeypatch.setattr(chair.direct, "line_message", counted)
    got: set[int] = set()
    asked = 200
    async with direct_line(chair) as known:
        connection, _ = await join(known.port, world.seated[1].identity)

        def on_event(event: Event) -> None:
            if isinstance(event, Opened):
                for start in range(asked):
                    connection.send(Read(chair.log_id, start % 3))
            if isinstance(event, Received) and isinstance(event.message, NewEntry):
                got.add(event.message.number)
                if (asked - 1) % 3 in got and len(answers) > 1:
                    connection.close(LEFT)

        await connection.run(on_event)
    # The first at once, the last when it is due; what came between asked for nothing that these two don't say.
    assert answers[0] == 0
    assert answers[-1] == (asked - 1) % 3
    assert len(answers) < asked / 10
    assert got
