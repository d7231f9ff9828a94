"""A table that goes on: from its own journal, and from a player's saved log on another machine (PROTOCOL.md, R25)."""

import asyncio
import json
import os
import random
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from goat_client.saved.matches import played_in
from goat_host import launch
from goat_host.keep import Journals, ResumeError, Started, find_broken, newest_broken
from goat_host.serve import go_on_elsewhere, make_plan, setup_of
from goat_host.table import Table, TableSetup

from goat_engine.bots import choose
from goat_engine.rules import Rules
from goat_net.discovery.looking import ask
from goat_net.log.chain import file_bytes
from goat_net.log.fold import MatchStage
from goat_net.log.records import Settings
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.store import read_intact
from goat_net.seat.tableview import Stage
from goat_net.table_options import TableOptions
from goat_net.wire.address import Address
from goat_net.wire.identity import Identity
from goat_net.wire.link import Closed
from goat_net.wire.messages import HOST_LEFT
from tests.patience import PATIENCE
from tests.world.world import World


@asynccontextmanager
async def table_process(
    *arguments: str, home: Path, code: str = ""
) -> AsyncIterator[tuple[Any, dict[str, Any]]]:
    """A table's process and its ready line; it is killed at the end of the block if it is still there."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "goat_host", "--child", "--interface", "127.0.0.1", "--no-discovery", "--pace", "0",
        "--yield-time", "50", *(["--code-stdin"] if code else []), *arguments,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "GOAT_HOME": str(home)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    if code:
        process.stdin.write(code.encode() + b"\n")
    try:
        yield process, json.loads(await process.stdout.readline())
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]


def person(number: int, port: int, folder: Path) -> TableSession:
    identity = Identity.from_seed(bytes([number + 1]) * 32)
    rng = random.Random(number)
    setup = SeatSetup(
        f"P{number}", "test", seat=4, folder=folder, eager=True, brain=lambda v: choose(v, rng, "medium")
    )
    return TableSession(identity, setup, (Address("127.0.0.1", port),), retry_for=PATIENCE)


async def until(what: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        while not what():
            await asyncio.sleep(0.01)


@pytest.mark.processes
@pytest.mark.long("a table in a process of its own is killed twice")
async def test_a_killed_table_goes_on_and_a_player_hosts_on_with_its_score(tmp_path: Path) -> None:
    journals = ("--journals", str(tmp_path / "j"))
    owner = Identity.from_seed(bytes([1]) * 32).public.hex()
    folders = [tmp_path / f"m{i}" for i in range(2)]
    async with asyncio.TaskGroup() as group:
        async with table_process(*journals, "--owner", owner, home=tmp_path) as (first, ready):
            people = [person(i, ready["port"], folders[i]) for i in range(2)]
            tasks = [group.create_task(s.run()) for s in people]
            await until(lambda: all(s.view.me is not None for s in people))
            people[0].start()
            await until(lambda: people[0].view.stage is Stage.PLAY and people[0].player.fold.finished)  # type: ignore[union-attr]
            first.kill()
            await first.wait()
        score = people[0].player.fold.match.defeat  # type: ignore[union-attr]
        seats = [s.player.seat for s in people]  # type: ignore[union-attr]
        async with table_process(*journals, "--resume", "-", home=tmp_path) as (second, again):
            assert (again["resumed"], again["port"], again["table"]) == (True, ready["port"], ready["table"])
            await until(lambda: all(len(s.player.fold.finished) >= 2 for s in people))  # type: ignore[union-attr]
            log = people[0].player.fold  # type: ignore[union-attr]
            assert log.finished[1].before.defeat == score
            await until(lambda: people[0].view.stage is Stage.PLAY)
            second.stdin.write(b"close\n")
            assert await second.wait() == 0
        ends: list[Closed] = [await t for t in tasks]
        assert [e.reason for e in ends] == [HOST_LEFT, HOST_LEFT]
        path = Path(people[1].view.log_path)
        saved = people[1].player.fold  # type: ignore[union-attr]
        assert saved.match is not None
        # The host's machine is gone; the other player hosts on from what they have saved.
        elsewhere = ("--journals", str(tmp_path / "other"), "--owner", Identity.from_seed(bytes([2]) * 32).public.hex())
        async with table_process(*elsewhere, "--resume", str(path), home=tmp_path / "h2") as (_, third):
            assert (third["resumed"], third["carried"]) == (False, True)
            assert third["table"] != ready["table"]
            answer = await ask(Address("127.0.0.1", third["port"]))
            own = [played_in(f, answer.match, s.identity.public) for f, s in zip(folders, people, strict=True)]
            assert own == [True, True]  # so their lobbies say where it goes on
            assert not played_in(folders[0], answer.match, Identity.from_seed(bytes([9]) * 32).public)
            guests = [person(i, third["port"], folders[i]) for i in (1, 0)]
            running = [group.create_task(s.run()) for s in guests]
            await until(lambda: all(s.view.me is not None for s in guests))
            assert [s.view.me for s in guests] == [seats[1], seats[0]]
            guests[0].start()
            await until(lambda: all(s.player is not None and s.player.fold.match is not None for s in guests))
            fold = guests[0].player.fold  # type: ignore[union-attr]
            assert fold.table is not None
            assert fold.table.carried[0].defeat == saved.match.defeat
            assert fold.table.carried[0].match_id == saved.id
            await until(lambda: fold.finished)
            assert fold.finished[0].outcome.result is not None
            for s in guests:
                s.hang_up()
            for t in running:
                await t


SETUP = TableSetup("World", "test", Rules(yield_time=0), Settings(180, 0, 0, True, True, b""))


def broken_table(seed: int, deals: int = 1) -> tuple[World, bytes]:
    world = World(seed)
    world.run(deals=deals)
    assert world.table.fold is not None
    return world, file_bytes(world.table.fold.chain.entries)


def test_a_table_without_hints_stays_one_when_it_goes_on(tmp_path: Path) -> None:
    options = launch.options_of(launch.parser().parse_args(["--no-hints"]))
    assert not setup_of(options, None).settings.hints
    assert not TableOptions.from_json(options.to_json()).hints  # before the first match these are all there is
    world = World(1, hints=False)
    world.run(deals=1)
    assert world.table.fold is not None
    table = Table.from_journal(world.table.identity, SETUP, random.randbytes, world.table.fold.chain.entries)
    assert not table.setup.settings.hints
    for hints in (True, False):  # a player's file, hosted on by another
        world = World(2, hints=hints)
        world.run(deals=1)
        assert world.table.fold is not None
        path = tmp_path / f"{hints}.goat"
        path.write_bytes(file_bytes(world.table.fold.chain.entries))
        for words in ([], ["--no-hints"]):
            args = launch.parser().parse_args([*words, "--resume", str(path), "--journals", str(tmp_path / "none")])
            made = make_plan(launch.launch_of(args, str)).table
            assert made.carried
            assert made.lobby().house.hints is (hints and not words)


def kept(folder: Path, world: World, data: bytes) -> Path:
    """A journal with its table's key beside it, as a table's process leaves them."""
    journals = Journals(folder)
    journals.keep(world.table.identity, Started(TableOptions(name="X"), 4321, "banan delon"), key=True)
    assert world.table.fold is not None
    journals.write(world.table.fold.chain.log_id, data, True)
    journals.close()
    assert journals.path is not None
    return journals.path


def test_a_torn_journal_is_gone_on_with_from_its_last_whole_entry(tmp_path: Path) -> None:
    world, data = broken_table(1)
    path = kept(tmp_path, world, data[:-5])
    found = newest_broken(tmp_path)
    found.close()
    named = find_broken(path, tmp_path)
    named.close()
    assert (named.path, named.size, named.entries) == (found.path, found.size, found.entries)
    assert found.identity is not None
    assert found.started == Started(TableOptions(name="X"), 4321, "banan delon")
    table = Table.from_journal(found.identity, SETUP, random.randbytes, found.entries)
    assert table.fold is not None
    assert world.table.fold is not None
    assert len(table.fold.chain) == len(world.table.fold.chain) - 1
    assert table.fold.chain.head == world.table.fold.chain.heads[-2]
    journals = Journals(tmp_path)
    journals.go_on(found)
    journals.write(found.log_id, data[found.size :], True)
    journals.close()
    assert path.read_bytes() == data


@pytest.mark.skipif(sys.platform == "win32", reason="rights are kept otherwise there")
def test_what_a_table_keeps_is_its_owners_alone_and_goes_with_its_end(tmp_path: Path) -> None:
    world, data = broken_table(2)
    path = kept(tmp_path / "j", world, data)
    for file in (tmp_path / "j").iterdir():
        if file != path:
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    Journals(tmp_path / "j").forget(world.table.identity)
    assert list((tmp_path / "j").iterdir()) == [path]


def test_another_tables_log_is_no_journal_of_ours(tmp_path: Path) -> None:
    _, data = broken_table(3)
    path = tmp_path / "2026-01-01-0000-abc.goat"
    path.write_bytes(data)
    found = find_broken(path, tmp_path)
    assert (found.identity, found.started, len(found.entries)) == (None, None, len(read_intact(path)[0]))


@pytest.mark.parametrize("what", ["nothing", "text", "empty"])
def test_what_is_no_match_is_refused_in_a_sentence(tmp_path: Path, what: str) -> None:
    path = tmp_path / "x.goat"
    if what != "nothing":
        path.write_bytes(b"" if what == "empty" else b"hello")
    with pytest.raises(ResumeError, match=r"x\.goat"):
        find_broken(path, tmp_path)
    with pytest.raises(ResumeError, match="No table was broken off"):
        newest_broken(tmp_path)


def test_a_match_that_is_over_is_not_gone_on_with() -> None:
    world = World(7)
    world.run()
    assert world.table.fold is not None
    assert world.table.fold.stage is MatchStage.ENDED
    with pytest.raises(LookupError, match="is over"):
        Table.from_journal(world.table.identity, SETUP, random.randbytes, world.table.fold.chain.entries)


@pytest.mark.processes
async def test_a_table_that_runs_is_not_opened_a_second_time(tmp_path: Path) -> None:
    """S1: both had one key and appended to one journal, which was then damaged for good. The system lets go of a table
    whose process is killed."""
    journals = ("--journals", str(tmp_path / "j"))

    async def refused(*arguments: str) -> str:
        second = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "goat_host", "--child", "--no-discovery", *journals, *arguments,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "GOAT_HOME": str(tmp_path)},
        )  # fmt: skip
        out, errors = await second.communicate()
        assert (second.returncode, out) == (2, b"")
        return errors.decode()

    async with table_process(*journals, home=tmp_path) as (first, ready):
        name = next((tmp_path / "j").glob("*.table")).stem
        for arguments in (("--resume", "-"), ("--resume", name)):
            text = await refused(*arguments)
            assert "open already" in text
            assert str(ready["port"]) in text
        first.kill()
        await first.wait()
    async with table_process(*journals, "--resume", "-", home=tmp_path) as (_, again):
        assert (again["resumed"], again["table"]) == (True, ready["table"])
        assert "open already" in await refused("--resume", "-")


def test_a_journal_has_one_writer(tmp_path: Path) -> None:
    """S1: what is read to go on with is held first, so nobody writes on meanwhile; a new table is held too."""
    world, data = broken_table(4)
    path = kept(tmp_path, world, data)
    found = find_broken(path, tmp_path)
    for again in (lambda: find_broken(path, tmp_path), lambda: newest_broken(tmp_path)):
        with pytest.raises(ResumeError, match="open already on port 4321"):
            again()
    journals = Journals(tmp_path, found.lock)
    journals.go_on(found)
    with pytest.raises(ResumeError, match="open already"):
        find_broken(path, tmp_path)
    journals.close()
    newest_broken(tmp_path).close()
    fresh = Journals(tmp_path)
    fresh.keep(world.table.identity, Started(TableOptions(), 1, None), key=True)
    with pytest.raises(ResumeError, match="open already"):
        Journals(tmp_path).keep(world.table.identity, Started(TableOptions(), 2, None), key=True)
    fresh.forget(world.table.identity)
    fresh.close()
    assert not list(tmp_path.glob("*.lock"))


def test_a_match_that_goes_on_elsewhere_keeps_what_was_agreed(tmp_path: Path) -> None:
    """N2: target, options and times of a carried match are those of the match before, whatever the new host's are."""
    world = World(5, rules=Rules(20, True, 1234), grace=77)
    world.run(deals=1)
    path = tmp_path / "saved.goat"
    path.write_bytes(next(iter(world.journal.values())))
    plan = go_on_elsewhere(find_broken(path, tmp_path), TableOptions(), None, tmp_path)
    fold = world.table.fold
    assert fold is not None
    assert fold.table is not None
    rules, settings = plan.table.setup.rules, plan.table.setup.settings
    assert (rules.target, rules.eggs_double, settings.grace) == (20, True, 77)
    assert replace(settings, watch=True) == replace(fold.table.settings, watch=True)
