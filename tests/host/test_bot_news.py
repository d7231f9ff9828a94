"""``goat bot`` says where its bot sits and what becomes of it."""

import argparse
import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest
from goat_host import bots
from goat_host.bot_news import news
from goat_host.bots import BotHall, stay

from goat_net.seat.tableview import SeatInfo, Stage, TableView
from goat_net.wire.address import Address
from tests.wire.kit import HERE, WITHIN, serving

SEATS = tuple(SeatInfo(s, "Nubian", True, True, "hard") if s == 2 else SeatInfo(s) for s in range(4))
OUTSIDE = TableView(table_name="Kitchen")
LOBBY = replace(OUTSIDE, stage=Stage.LOBBY, seats=SEATS, me=2)


def told(*views: TableView) -> list[str]:
    """What is said of these views, one after the other."""
    return [line for old, view in pairwise(views) for line in news(old, view, "Nubian", "hard")]


def test_where_a_bot_sits_is_said_once() -> None:
    """U14: printed nothing ever."""
    assert told(OUTSIDE, LOBBY, LOBBY) == ["Nubian (hard) sits on seat 3 at Kitchen. Ctrl-C takes it away."]


def test_that_there_is_no_seat_is_said() -> None:
    """U14: a bot that found no seat said nothing either."""
    no_seat = replace(LOBBY, me=None, seats=tuple(replace(s, taken=True) for s in SEATS))
    assert told(OUTSIDE, no_seat, no_seat) == ["Nubian (hard) has no seat at Kitchen: it waits for a free one."]


def test_a_seat_that_is_lost_is_said() -> None:
    """U14: the host has taken the bot away."""
    assert told(LOBBY, replace(LOBBY, me=None)) == ["Nubian (hard) has lost its seat at Kitchen."]


def test_a_broken_line_is_said_and_that_it_is_there_again() -> None:
    """U14: whoever runs a bot hears whether it plays."""
    cut = replace(LOBBY, link=False)
    assert told(LOBBY, cut, cut, LOBBY) == [
        "The line to Kitchen is broken. Nubian (hard) tries to come back.",
        "The line to Kitchen is there again.",
    ]


async def test_the_command_prints_it(seed: int, capfd: pytest.CaptureFixture[str]) -> None:
    """U14: at a real table, to its end."""
    options = argparse.Namespace(seed=str(seed), pace=0.0, save="")
    async with serving() as server:
        async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as group:
            running = group.create_task(stay(BotHall(Address(HERE, server.port), None, None, options), [(1, "easy")]))
            out = ""
            while "sits on seat" not in out:
                await asyncio.sleep(0)
                out += capfd.readouterr().out
            server.stop()
        assert running.result() == 0
    out += capfd.readouterr().out
    name = bots.bot_name(1)
    assert out.splitlines() == [f"{name} (easy) sits on seat 2 at Kitchen. Ctrl-C takes it away.", "the host has left"]
