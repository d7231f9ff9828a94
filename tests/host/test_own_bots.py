"""The bots of a table's own machine: they know its code, and the table knows their keys."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from goat_host.serve import BotKeys

from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.wire.address import Address
from goat_net.wire.identity import Identity
from tests.host.test_resume import table_process, until

CODE = "banan delon fares tovis"


@pytest.mark.processes
async def test_the_hosts_own_bots_come_to_a_table_with_a_code(tmp_path: Path) -> None:
    """U2: they did not know the code: free seats went dead. And a bot from elsewhere brings the code along."""
    journals = ("--journals", str(tmp_path / "j"))
    async with table_process(*journals, "--bots", "easy,easy", "--fill", home=tmp_path, code=CODE) as (process, ready):
        where = Address("127.0.0.1", ready["port"])
        setup = SeatSetup("Anna", "test", seat=0, code=CODE)
        anna = TableSession(Identity.new(), setup, (where,), retry_for=10.0)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(anna.run())
            await until(lambda: sum(s.taken for s in anna.view.seats) == 3)
            assert sorted(s.bot for s in anna.view.seats if s.taken) == [False, True, True]
            other = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "goat_client", "bot", str(where), "--code", "--level", "easy", "--pace", "0",
                stdin=subprocess.PIPE, env={**os.environ, "GOAT_HOME": str(tmp_path / "other")},
            )  # fmt: skip
            assert other.stdin is not None
            other.stdin.write(CODE.encode() + b"\n")
            other.stdin.close()
            await until(lambda: all(s.taken for s in anna.view.seats))
            anna.hang_up()
            await running
            process.stdin.write(b"close\n")
            assert await other.wait() == 0  # the table is closed: the bot from elsewhere goes by itself
            assert await process.wait() == 0


def test_keys_of_own_bots_stay_on_disk_or_in_memory(tmp_path: Path) -> None:
    """M5: the table knows the key before the bot sits, also when the disk fails."""
    keys = BotKeys(tmp_path / "keep", b"")
    assert keys.known(2) == b""
    key = keys.public(2)
    assert (keys.secret(2), BotKeys(tmp_path / "keep", b"").known(2)) == (b"", key)
    (tmp_path / "file").write_bytes(b"")
    failing = BotKeys(tmp_path / "file", b"")
    key = failing.public(1)
    assert Identity.from_seed(failing.secret(1)).public == key == failing.public(1)
