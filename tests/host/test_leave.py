"""A player leaves while the table is gone: no goodbye is signed then, and one that was on its way counts (R24)."""

import asyncio
import random
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from goat_host import hearing
from goat_host.table import Table

from goat_engine.bots import choose
from goat_net.log.absence_table import CHARGE, LET_GO
from goat_net.log.chain import parse_record
from goat_net.log.fold import Fold
from goat_net.log.records import Away, Leave, Vote
from goat_net.seat.session import TableSession
from goat_net.seat.tableview import Stage
from goat_net.wire.address import Address
from goat_net.wire.identity import Identity
from goat_net.wire.messages import LEFT
from tests.host.room import room
from tests.host.test_resume import person, table_process, until
from tests.patience import PATIENCE


@pytest.mark.parametrize("under", ["dialled", "looked for"])
async def test_who_leaves_while_the_table_is_sought_does_not_wait(
    seed: int, monkeypatch: pytest.MonkeyPatch, under: str
) -> None:
    """Whatever is under way then ends with it; nothing is told of a table that does not answer."""
    under_way = asyncio.Event()

    async def without_end(*_: Any) -> Any:
        under_way.set()
        await asyncio.Event().wait()

    async with room(seed) as r:
        people = await r.begin(0, 1)
        goes = people[1]
        await r.until(lambda: goes.view.stage is Stage.PLAY)
        with socket.create_server(("127.0.0.1", 0)) as mute:  # its machine takes the connection, nobody says a word
            if under == "dialled":
                monkeypatch.setattr("goat_net.seat.staying.REDIAL_WITHIN", 1000.0)
                goes.addresses = (Address("127.0.0.1", mute.getsockname()[1]),)
                mute.setblocking(False)
                asyncio.get_running_loop().add_reader(mute, under_way.set)
            else:
                monkeypatch.setattr("goat_net.seat.staying.LOOK_AFTER", 0.0)
                goes._refresh = without_end
            assert goes._connection is not None
            goes._connection.abort()
            await under_way.wait()
            asyncio.get_running_loop().remove_reader(mute)
            async with asyncio.timeout(PATIENCE):
                await goes.leave()
                end = await r.tasks[goes]
            assert (end.reason, end.text, goes.view.trouble) == (LEFT, "", "")


def fold_of(session: TableSession) -> Fold:
    assert session.player is not None
    return session.player.fold


def said(session: TableSession, *kinds: type) -> list[tuple[int, Any]]:
    """Author and body of all records of these kinds."""
    records = (parse_record(e.record) for e in fold_of(session).chain.entries)
    return [(r.author, r.body) for r in records if isinstance(r.body, kinds)]


def pending(session: TableSession) -> Any:
    """What the seat has written down last, to be sent again when the table is back."""
    assert session.chair.store is not None
    raw = session.chair.store.pending
    return parse_record(raw).body if raw else None


async def leave(session: TableSession, running: "asyncio.Task[Any]") -> None:
    """They go, and their program ends, whatever has become of the table."""
    async with asyncio.timeout(PATIENCE):
        await session.leave()
        await running


def waits_for(session: TableSession) -> bool:
    """Whether the table waits for this player alone, and nothing of theirs is on its way."""
    player = session.player
    return player is not None and player.owes_action and player.unconfirmed is None


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be frozen there")
@pytest.mark.parametrize("host", ["killed", "frozen"])
@pytest.mark.long("a table in a process of its own is killed")
async def test_who_leaves_while_the_table_is_gone_can_come_back_to_it(tmp_path: Path, host: str) -> None:
    """With the table known to be gone nothing is signed: back in time, they play on. With a host that does not answer
    the goodbye is signed and lost with them: the same bytes go out when the player is back, and count."""
    # A charge of 6 and a deal of 6 would end a match to 12, and with it what is looked at here.
    journals = ("--journals", str(tmp_path / "j"), "--target", "99")
    owner = Identity.from_seed(bytes([1]) * 32).public.hex()
    folders = [tmp_path / f"m{i}" for i in range(3)]
    async with asyncio.TaskGroup() as group:
        async with table_process(*journals, "--owner", owner, home=tmp_path) as (first, ready):
            people = [person(i, ready["port"], folders[i]) for i in range(3)]
            goes = people[2]
            goes.chair.brain = None
            tasks = [group.create_task(s.run()) for s in people]
            await until(lambda: all(s.view.me is not None for s in people))
            people[0].start()
            await until(lambda: waits_for(goes))
            seat = fold_of(goes).seats.index(next(s for s in fold_of(goes).seats if s.name == "P2"))
            if host == "killed":
                first.kill()
                await first.wait()
                await until(lambda: not goes.view.link)
                await leave(goes, tasks[2])
                assert not isinstance(pending(goes), Leave)
            else:
                first.send_signal(signal.SIGSTOP)
                await leave(goes, tasks[2])
                assert isinstance(pending(goes), Leave)
                first.kill()
                await first.wait()
        assert said(people[0], Leave, Away) == []
        async with table_process(*journals, "--resume", "-", home=tmp_path) as (second, again):
            back = person(2, again["port"], folders[2])
            rng = random.Random(2)
            if host == "frozen":
                back.chair.brain = None  # as somebody who looks at the screen
            tasks[2] = group.create_task(back.run())
            if host == "killed":
                await until(lambda: fold_of(people[0]).finished)
                assert fold_of(people[0]).finished[0].outcome.result is not None
                assert said(people[0], Leave, Away, Vote) == []
            else:
                await until(lambda: all(any(a.open and a.left for a in s.view.absences) for s in people[:2]))
                assert said(people[0], Leave) == [(seat, Leave())]
                old = fold_of(people[0])
                for s in people[:2]:
                    s.vote(seat, CHARGE)
                await until(lambda: old.lost.get(seat) == CHARGE)
                await until(lambda: back.view.stands_in == seat)
                assert fold_of(back).seats[seat].bot
                assert fold_of(back).table.carried[0].defeat == ((6, 0) if seat % 2 == 0 else (0, 6))  # type: ignore[union-attr]
                back.chair.brain = lambda v: choose(v, rng, "medium")
                back.sit(seat)
                await until(lambda: not fold_of(back).seats[seat].bot and fold_of(back).finished)
                assert said(back, Leave) == []
            second.stdin.write(b"close\n")
            assert await second.wait() == 0
        for task in tasks:
            await task


async def test_who_left_a_table_that_was_gone_and_stays_away_is_away_and_no_leaver(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table that is back knows nothing of it: their seat is kept, and past the grace time the others decide."""
    monkeypatch.setattr(hearing, "HEAR_WITHIN", 0.2)  # nobody waits for who does not come
    async with room(seed) as r:
        people = await r.begin(0, 1, 2, silent=(2,))
        goes, others = people[2], people[:2]
        await r.until(lambda: waits_for(goes))
        r.server.cut()
        await r.serving
        assert r.table.fold is not None
        entries, port = r.table.fold.chain.entries, r.server.port
        await r.until(lambda: not goes.view.link)
        await leave(goes, r.tasks[goes])
        assert not isinstance(pending(goes), Leave)

        r.table = Table.from_journal(r.table.identity, r.table.setup, random.randbytes, entries)
        r.server = r.new_server(port)
        r.serving = r.group.create_task(r.server.run())
        await r.until(lambda: all(s.view.link and s.view.seats[2].away for s in others))
        assert said(others[0], Leave, Away) == []
        await r.late(2)
        await r.until(lambda: all(any(a.open and not a.left for a in s.view.absences) for s in others))
        old = fold_of(others[0])
        for s in others:
            s.vote(2, LET_GO)
        await r.until(lambda: old.lost)
        assert old.lost == {2: LET_GO}
        await r.until(
            lambda: fold_of(others[0]).match is not None and fold_of(others[0]).chain.log_id != old.chain.log_id
        )
        now = fold_of(others[0])
        assert now.table is not None
        assert now.seats[2].bot
        assert now.table.carried[0].defeat == (0, 0)
        back = r.sit(2)
        await r.until(lambda: back.player is not None and back.player.seat == 2)
        assert not fold_of(back).seats[2].bot
