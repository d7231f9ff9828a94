"""What a bot keeps has one writer, and the bots' process ends whenever its input does."""

import argparse
import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from goat_host import bots as bots_module
from goat_host.bots import BotHall, take_orders

from goat_net.folders import hold, private_folder
from goat_net.wire.address import Address
from goat_net.wire.link import LOST, Closed
from goat_net.wire.messages import LEFT
from tests.patience import PATIENCE


class Session:
    """A bot at a table that never answers."""

    playing: ClassVar[list[int]] = []

    def __init__(self, seat: int, level: str) -> None:
        self.seat = seat
        self.setup = argparse.Namespace(level=level)
        self.end: Closed | None = None
        self._over = asyncio.Event()

    async def run(self) -> Closed:
        self.playing.append(self.seat)
        await self._over.wait()
        self.end = Closed(LEFT, "")
        return self.end

    def hang_up(self) -> None:
        self._over.set()


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BotHall:
    monkeypatch.setattr(BotHall, "session", lambda self, seat, level, secret: Session(seat, level))
    monkeypatch.setattr(Session, "playing", [])
    made = BotHall(Address("127.0.0.1", 1), None, None, argparse.Namespace(seed="", pace=0, save=""))
    made.keep = private_folder(tmp_path / "bots")
    return made


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)


async def test_a_bot_waits_until_the_one_before_it_has_let_go_of_its_folder(hall: BotHall) -> None:
    """S1's kind: two processes with one bot's key and log, while the first was still ending."""
    assert hall.keep is not None
    other = hold(private_folder(hall.keep / "seat-2") / "lock")
    assert other is not None
    async with asyncio.TaskGroup() as group:
        group.create_task(hall.sit(2, "easy"))
        group.create_task(hall.sit(1, "easy"))
        await until(lambda: Session.playing == [1])
        assert hall.sits(2, "easy")
        other.close()
        await until(lambda: Session.playing == [1, 2])
        assert hold(hall.keep / "seat-2" / "lock") is None
        await hall.close()
    free = hold(hall.keep / "seat-2" / "lock")
    assert free is not None
    free.close()


async def test_a_bot_that_another_process_plays_stays_away(
    hall: BotHall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bots_module, "HELD_WITHIN", 0.0)
    assert hall.keep is not None
    with hold(private_folder(hall.keep / "seat-2") / "lock") or pytest.fail("it is free"):
        await hall.sit(2, "easy")
    assert Session.playing == []
    assert [end.reason for end in hall.ends] == [LOST]
    assert "another process plays it" in caplog.text


@pytest.mark.parametrize("order", ["stop", "the end of the input"])
async def test_who_waits_for_a_folder_goes_when_told(hall: BotHall, order: str) -> None:
    assert hall.keep is not None
    with hold(private_folder(hall.keep / "seat-2") / "lock") or pytest.fail("it is free"):
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            group.create_task(hall.sit(2, "easy"))
            await until(lambda: bool(hall.coming))
            await (hall.stop(2) if order == "stop" else hall.close())
    assert Session.playing == []


async def test_orders_that_come_with_the_end_of_the_input_leave_no_bot_behind(
    hall: BotHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process hung: a bot that had not begun when the input ended was stopped by nobody."""
    orders = [json.dumps({"order": "sit", "seat": seat, "level": "easy", "secret": ""}) for seat in range(4)]

    def at_once(put: Callable[[Any], None]) -> None:
        for line in (*orders, None):
            put(line)

    monkeypatch.setattr(bots_module, "read_lines", at_once)
    async with asyncio.timeout(PATIENCE):
        await take_orders(hall)
    assert hall.sessions == {}
