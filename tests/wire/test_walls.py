"""C10: whatever one connection, direct line, probe, line to a table or bot raises ends that one; the rest goes on."""

import argparse
import asyncio
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from goat_host import bots as bots_module
from goat_host.bots import BotHall
from goat_host.ports import Advertise, Send, StartBot, StopBot

from goat_net.discovery import mdns
from goat_net.discovery import watch as watch_module
from goat_net.discovery.advert import TableAdvert
from goat_net.discovery.candidates import Lobby, answer_of
from goat_net.discovery.instances import Instances
from goat_net.discovery.interfaces import Interface, local_interfaces
from goat_net.discovery.watch import Answer, find
from goat_net.seat.session import TableSession
from goat_net.seat.staying import FAULTS_MOST, SeatSetup
from goat_net.wire.address import Address
from goat_net.wire.link import LOST, Closed, Event, Opened, Received
from goat_net.wire.messages import MALFORMED, PROTOCOL, Said, Say, Sit
from goat_net.wire.stream import ask_status
from goat_net.wire.wall import PLACES_MAX, STRICT_VARIABLE, faults, wall
from tests.wire.kit import (
    HERE,
    OWNER,
    SEATED,
    STRANGER,
    WITHIN,
    NoEffects,
    direct_line,
    is_let_in,
    join,
    new_table,
    serving,
)


class Ours(Exception):  # noqa: N818 - a mistake of this program
    """What a test lets go wrong."""


@pytest.fixture
def walls(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Walls stand, as they do for a player; what fell behind them is counted here."""
    monkeypatch.delenv(STRICT_VARIABLE)
    faults.clear()
    yield faults
    faults.clear()


def fail(*_: Any, **__: Any) -> Any:
    raise Ours("here")


# The wall itself --------------------------------------------------------------------------------------------------


def test_a_wall_raises_again_where_a_test_does_not_ask_for_it() -> None:
    with pytest.raises(Ours), wall("a test"):
        raise Ours
    faults.clear()


def test_a_fault_is_logged_once_with_its_traceback_and_counted(walls: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for _ in range(5):
        with wall("a test") as fall:
            fail()
        assert isinstance(fall.error, Ours)
    assert [(r.levelno, r.exc_info is not None) for r in caplog.records] == [
        (logging.WARNING, False),
        (logging.DEBUG, True),
    ]
    assert list(walls.values()) == [5]


def test_the_innermost_of_a_group_is_named(walls: Any) -> None:
    with wall("a test"):
        raise ExceptionGroup("group", [ExceptionGroup("inner", [ValueError("x")])])
    ((_, place),) = walls
    assert place == "ValueError at ?"


def test_no_wall_holds_back_an_end_that_is_meant(walls: Any) -> None:
    for error in (KeyboardInterrupt, asyncio.CancelledError, SystemExit):
        with pytest.raises(error), wall("a test"):
            raise error
    with pytest.raises(BaseExceptionGroup), wall("a test"):
        raise BaseExceptionGroup("group", [KeyboardInterrupt()])
    assert not walls


def test_faults_at_many_places_fill_no_memory(walls: Any) -> None:
    for number in range(3 * PLACES_MAX):
        with wall(f"a test {number}"):
            fail()
    assert len(walls) == PLACES_MAX + 1
    assert sum(walls.values()) == 3 * PLACES_MAX


# A table ----------------------------------------------------------------------------------------------------------


class Guest:
    """A guest who is in, with what it heard."""

    def __init__(self, group: asyncio.TaskGroup, connection: Any) -> None:
        self.connection, self.heard, self.news = connection, list[Event](), asyncio.Event()
        self.running = group.create_task(connection.run(self.on_event))

    def on_event(self, event: Event) -> None:
        self.heard.append(event)
        self.news.set()

    async def until(self, good: Callable[[Event], bool]) -> None:
        async with asyncio.timeout(WITHIN):
            while not any(good(event) for event in self.heard):
                self.news.clear()
                await self.news.wait()

    async def hears(self, text: str) -> None:
        await self.until(lambda e: isinstance(e, Received) and isinstance(e.message, Said) and e.message.text == text)


async def guest_of(group: asyncio.TaskGroup, port: int, number: int, **settings: Any) -> Guest:
    connection, _ = await join(port, SEATED[number], f"Guest {number}", **settings)
    guest = Guest(group, connection)
    await guest.until(lambda event: isinstance(event, Opened))
    return guest


HANDLERS = ("message", "joined", "admits", "status", "gone")


@pytest.mark.parametrize("handler", HANDLERS)
async def test_a_fault_in_what_one_guest_does_ends_that_guest_alone(
    handler: str, walls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C10: the table's handlers, each once."""
    table = new_table()
    async with serving(table) as server, asyncio.TaskGroup() as group:
        anna = await guest_of(group, server.port, 0)
        boris = await guest_of(group, server.port, 1)
        right = getattr(table, handler)
        monkeypatch.setattr(table, handler, fail)
        if handler == "message":
            boris.connection.send(Say("hi"))
            assert (await boris.running).reason == LOST
        elif handler == "gone":
            boris.connection.close(13)
            await boris.running
        else:
            assert not await is_let_in(server.port, STRANGER, "Vera")
        async with asyncio.timeout(WITHIN):
            while not walls:
                await asyncio.sleep(0)
        monkeypatch.setattr(table, handler, right)
        anna.connection.send(Say("still here"))
        await anna.hears("still here")
        assert await is_let_in(server.port, STRANGER, "Vera")
        assert not anna.running.done()
        anna.connection.close(13)
        if not boris.running.done():
            boris.connection.close(13)
    assert sum(walls.values()) >= 1


async def test_the_table_hears_that_a_guest_has_gone_whom_a_fault_has_ended(
    walls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = new_table()
    async with serving(table) as server, asyncio.TaskGroup() as group:
        anna, boris = await guest_of(group, server.port, 0), await guest_of(group, server.port, 1)
        boris.connection.send(Sit(2))
        await boris.until(lambda e: isinstance(e, Received) and getattr(e.message, "seats", [None] * 4)[2] is not None)
        monkeypatch.setattr(table, "message", fail)
        boris.connection.send(Say("hi"))
        await boris.running
        async with asyncio.timeout(WITHIN):
            while table.seats[2] is not None or len(table.people.guests) > 1:
                await asyncio.sleep(0)
        assert server.counts == (0, 0, 1)
        anna.connection.close(13)


async def test_a_fault_in_the_clock_ends_nothing(walls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = new_table()
    monkeypatch.setattr(type(table), "deadline", property(lambda self: 0.0))
    monkeypatch.setattr(table, "tick", fail)
    async with serving(table) as server, asyncio.TaskGroup() as group:
        anna = await guest_of(group, server.port, 0)
        async with asyncio.timeout(WITHIN):
            while not walls:
                await asyncio.sleep(0)
        anna.connection.send(Say("still here"))
        await anna.hears("still here")
        anna.connection.close(13)
    assert sum(walls.values()) < 5  # it pauses: a fault is no busy loop


class BrokenEffects(NoEffects):
    start_bot = stop_bot = advertise = fail


async def test_a_fault_in_what_the_table_wants_done_keeps_nothing_else_from_being_done(walls: Any) -> None:
    table = new_table()
    async with serving(table, BrokenEffects()) as server, asyncio.TaskGroup() as group:
        anna = await guest_of(group, server.port, 0)
        (conn,) = table.people.guests
        said = Said(4, "Zoe", bytes(32), "x")
        table.outbox += [StartBot(1, "easy"), StopBot(1), Advertise(), Send(conn, object()), Send(conn, said)]
        server._carry()
        await anna.hears("x")
        anna.connection.close(13)
    assert len(walls) >= 4


# Direct lines -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("handler", ["knows", "dialled", "line_opened", "line_message"])
async def test_a_fault_on_a_direct_line_ends_that_line_alone(
    handler: str, walls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C10: the handlers of the lines that others dial."""
    async with direct_line() as known:
        direct = known.chair.direct
        monkeypatch.setattr(direct, "knows", lambda key: True)
        assert await is_let_in(known.port, SEATED[1])
        right = getattr(direct, handler)
        monkeypatch.setattr(direct, handler, fail)
        connection, _ = await join(known.port, SEATED[1])

        def on_event(event: Event) -> None:
            if isinstance(event, Opened):
                connection.send(Say("hi"))

        assert (await connection.run(on_event)).reason == LOST
        monkeypatch.setattr(direct, handler, right)
        assert await is_let_in(known.port, SEATED[1])
    assert sum(walls.values()) >= 1


# Probes and the lobby ---------------------------------------------------------------------------------------------


async def test_a_fault_in_a_probe_is_a_table_that_does_not_answer(walls: Any) -> None:
    async with serving() as server:
        good, bad = Address(HERE, server.port), Address(HERE, 1)

        async def ask(address: Address) -> Answer:
            if address == bad:
                raise Ours
            return answer_of((await ask_status(address, "goat 0.1")).status)

        async with asyncio.timeout(WITHIN):
            rows, _ = await find(
                ask, PROTOCOL, WITHIN, interfaces=[HERE], remembered=[(None, [bad]), (None, [good])],
                enough=lambda rows: any(row.address == good for row in rows),
            )  # fmt: skip
    assert any(row.address == good for row in rows)
    assert sum(walls.values()) >= 1


@pytest.mark.parametrize("part", ["due", "rows", "hints", "deadline"])
async def test_a_fault_in_the_lobbys_own_round_ends_no_lobby(
    part: str, walls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C1, C10: the lobby's loop itself, and not a probe of it."""
    monkeypatch.setattr(watch_module, "FAULT_PAUSE", 0.01)
    failed: list[str] = []

    def once(self: Any, *args: Any) -> Any:
        if not failed:
            failed.append(part)
            raise Ours
        return right(self, *args)

    async def ask(address: Address) -> Answer:
        return answer_of((await ask_status(address, "goat 0.1")).status)

    async with serving() as server:
        there = Address(HERE, server.port)
        right = getattr(Lobby, part)
        async with watch_module.watch_lobby(
            ask, PROTOCOL, interfaces=[HERE], discover=False, remembered=[(None, [there])]
        ) as watch, asyncio.timeout(WITHIN):
            with monkeypatch.context() as patch:
                patch.setattr(Lobby, part, once)
                while not failed:
                    await asyncio.sleep(0)
            while not any(row.address == there for row in watch.rows()):
                await asyncio.sleep(0.01)
    assert sum(walls.values()) == 1


# mDNS -------------------------------------------------------------------------------------------------------------


def failing(fail_now: Callable[[], bool]) -> Callable[[], Sequence[Interface]]:
    """This machine's interfaces; asking for them goes wrong when it is told to."""

    def source() -> Sequence[Interface]:
        if fail_now():
            raise Ours
        return local_interfaces()

    return source


async def test_a_fault_in_announcing_ends_no_table_and_it_is_announced_again(
    walls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C10: announcing runs beside the table, in one group with it."""
    monkeypatch.setattr(mdns, "RETRY_EVERY", 0.01)
    asked = [True, True]
    advert = TableAdvert(1, "0.1.0", os.urandom(16).hex(), "Kitchen")
    source = failing(lambda: bool(asked and asked.pop()))
    async with mdns.advertising(advert, 4000, [HERE], source=source) as advertiser, asyncio.timeout(WITHIN):
        await advertiser.announced.wait()
        assert advertiser.problem is None
    assert sum(walls.values()) == 2


@pytest.mark.parametrize("where", ["the search", "_heard", "_take", "drop_stale"])
async def test_a_fault_in_searching_ends_no_search(where: str, walls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """C10: what strangers announce comes to the browser in a callback of the library."""
    monkeypatch.setattr(mdns, "RETRY_EVERY", 0.01)
    monkeypatch.setattr(mdns, "ASK_EVERY", 0.05)
    failed: list[str] = []

    def once(*args: Any, **more: Any) -> Any:
        if not failed:
            failed.append(where)
            raise Ours
        return right(*args, **more)

    of: Any = Instances if where == "drop_stale" else mdns.Browser
    right = getattr(of, where, None)
    if right is not None:
        monkeypatch.setattr(of, where, once)
    table = TableAdvert(1, "0.1.0", os.urandom(16).hex(), "Kitchen")
    source = failing(lambda: right is None and not failed and not failed.append(where))  # type: ignore[func-returns-value]
    browser = mdns.Browser(lambda change: None, [HERE], source=source)
    async with asyncio.TaskGroup() as group, asyncio.timeout(WITHIN):
        group.create_task(browser.run())
        async with mdns.advertising(replace(table, id=os.urandom(16).hex()), 4001, [HERE]):
            while not failed:
                await asyncio.sleep(0.01)
        async with mdns.advertising(table, 4000, [HERE]):
            while table.id not in browser.tables:
                await asyncio.sleep(0.01)
        browser.close()
    assert sum(walls.values()) == 1


# The line to a table ----------------------------------------------------------------------------------------------


def anna_at(port: int) -> TableSession:
    return TableSession(OWNER, SeatSetup("Anna", "goat 0.1", listen=None), [Address(HERE, port)], retry_for=WITHIN)


async def test_a_fault_in_a_message_of_the_host_ends_the_line_and_it_is_made_again(
    walls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = new_table()
    async with serving(table) as server, asyncio.TaskGroup() as group:
        session = anna_at(server.port)
        right = session.chair.message
        failed = False

        def once(message: Any, now: float) -> bool:
            nonlocal failed
            if not failed:
                failed = True
                raise Ours
            return right(message, now)

        monkeypatch.setattr(session.chair, "message", once)
        running = group.create_task(session.run())
        async with asyncio.timeout(WITHIN):
            while session.view.me is None:
                await asyncio.sleep(0.01)
        session.hang_up()
        await running
    assert failed
    assert list(walls.values()) == [1]


async def test_a_fault_that_comes_each_time_ends_the_stay_with_a_sentence(
    walls: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving() as server:
        session = anna_at(server.port)
        monkeypatch.setattr(session.chair, "message", fail)
        async with asyncio.timeout(WITHIN):
            end = await session.run()
    assert end.reason == MALFORMED
    assert "a fault of this program" in end.text
    assert sum(walls.values()) == FAULTS_MOST


async def test_a_fault_in_one_bot_ends_that_bot_alone(walls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Session:
        def __init__(self, seat: int) -> None:
            self.seat = seat

        def on_change(self, callback: Callable[[Any], None]) -> None:
            """Nothing changes."""

        async def run(self) -> Closed:
            await asyncio.sleep(0)
            if self.seat == 1:
                raise Ours
            return Closed(13, "")

    monkeypatch.setattr(BotHall, "session", lambda self, seat, level, secret: Session(seat))
    hall = BotHall(Address(HERE, 1), None, None, argparse.Namespace(seed="", pace=0, save=""))
    assert await bots_module.stay(hall, [(0, "easy"), (1, "easy"), (2, "easy")]) == 1
    assert sorted(end.reason for end in hall.ends) == [LOST, 13, 13]
    assert sum(walls.values()) == 1
