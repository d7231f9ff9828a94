"""`goat host --web`: the ready line of a table without a seat names its page, and the page is about that table."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

aiohttp = pytest.importorskip("aiohttp", reason="the extra `web` is not installed")

from goat_web.assets import HOW, SITE  # noqa: E402 - only where the extra is

from tests.patience import PATIENCE  # noqa: E402

COMMAND = (
    "-m", "goat_client", "host", "--headless", "--web", "--interface", "127.0.0.1", "--no-discovery",
    "--name", "Kitchen",
)  # fmt: skip

pytestmark = [pytest.mark.processes, pytest.mark.long("processes of their own")]


async def started(home: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, *COMMAND, "--journals", str(home / "j"), env={**os.environ, "GOAT_HOME": str(home)},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.skipif(not (SITE / "files.json").exists(), reason=HOW)
async def test_the_ready_line_names_the_page(goat_home: Path) -> None:
    table = await started(goat_home)
    assert table.stdout is not None
    async with asyncio.timeout(PATIENCE):
        ready = json.loads(await table.stdout.readline())
        assert ready["name"] == "Kitchen"
        async with aiohttp.ClientSession() as client, client.get(f"{ready['web']}table.json") as answer:
            assert await answer.json() == {"by": "Kitchen", "table": "Kitchen", "code": False}
        table.send_signal(signal.SIGTERM)
        await table.communicate()


@pytest.mark.skipif((SITE / "files.json").exists(), reason="the page's files are here")
async def test_without_its_files_one_sentence_says_what_to_run(goat_home: Path) -> None:
    table = await started(goat_home)
    async with asyncio.timeout(PATIENCE):
        out, errors = await table.communicate()
    assert table.returncode == 2
    assert out == b""
    assert HOW in errors.decode()
