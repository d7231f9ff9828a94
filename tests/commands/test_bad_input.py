"""Bad input on every command ends in one clear sentence and the right exit code, never in a traceback."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from goat_net.wire.messages import PROTOCOL
from tests.patience import PATIENCE

pytestmark = pytest.mark.processes
LOOPBACK = ("--interface", "127.0.0.1")


def goat(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "goat_client", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, **environment},
    )


def last_line(result: subprocess.CompletedProcess[str]) -> str:
    assert "Traceback" not in result.stderr, result.stderr
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert lines, result
    return lines[-1]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nonsense"], 2, "no command 'nonsense'"),
        (["--nonsense"], 2, "unrecognized arguments"),
        (["play"], 2, "needs a terminal"),
        (["host"], 2, "needs a terminal"),
        (["join", "Kitchen"], 2, "needs a terminal"),
        ([], 2, "needs a terminal"),
        (["play", "--plain", "--bots", "nonsense"], 2, "no level 'nonsense'"),
        (["bot", "--level", "nonsense"], 2, "no level 'nonsense'"),
        (["demo", "--level", "nonsense"], 2, "no level 'nonsense'"),
        (["host", "--headless", "--bots", "nonsense"], 2, "no level 'nonsense'"),
        (["demo", "--deals", "0"], 2, "from 1 to 1000"),
        (["host", "--headless", "--port", "99999"], 2, "from 1 to 65535"),
        (["host", "--headless", "--interface", "192.0.2.1"], 2, "no address 192.0.2.1"),
        (["join", "--plain", "127.0.0.1:99999"], 2, "no port"),
        (["join", "--plain", "[fe80::1"], 2, "is no address"),
        (["join", "--plain", "--seat", "7", "Kitchen"], 2, "invalid choice"),
        (["join", "--plain", "Nowhere", "--wait", "0.5", *LOOPBACK], 1, "No table called 'Nowhere'"),
        (["find", "--wait", "-1"], 2, "takes seconds"),
        (["find", "--wait", "much"], 2, "invalid float"),
        (["find", "--wait", "0.5", "--interface", "192.0.2.1"], 1, "No table was found"),
        (["verify"], 2, "required: FILE"),
        (["arena", "nobody", "hard"], 2, "invalid choice"),
        (["replay"], 2, ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.sample(4, "a program each")
def test_is_one_sentence_and_an_exit_code(arguments: list[str], code: int, words: str) -> None:
    result = goat(*arguments)
    assert result.returncode == code, result
    assert words in last_line(result) or words in result.stderr


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_file_that_is_none_is_named(command: str, tmp_path: Path) -> None:
    missing, wrong = tmp_path / "missing.goat", tmp_path / "wrong.goat"
    wrong.write_bytes(b"no log at all")
    for file in (missing, wrong):
        result = goat(command, str(file))
        assert result.returncode == 2, result
        assert "Traceback" not in result.stderr
        assert file.stem in result.stdout + result.stderr  # what `verify` finds is its data, on standard output


def test_nobody_at_an_address_is_said_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: whoever calls is refused
        result = goat("join", "--plain", f"127.0.0.1:{taken.getsockname()[1]}")
    assert result.returncode == 1
    assert "No table answers" in last_line(result)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = goat("host", "--headless", "--port", port, *LOOPBACK)
    assert result.returncode == 2
    assert f"Port {port} is taken" in last_line(result)


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = goat("play", "--plain", GOAT_HOME=str(tmp_path / "file" / "home"))
    assert result.returncode == 2
    assert "file" in last_line(result)


@pytest.mark.parametrize("theirs", [PROTOCOL - 1, PROTOCOL + 1])
@pytest.mark.sample(1, "a program each")
def test_another_version_is_named_with_both_numbers(theirs: int, goat_home: Path) -> None:
    code = (
        "import goat_net.log.statutes\n"  # the table's own logs are folded as ever
        "import goat_net.wire.messages as m\n"
        f"m.PROTOCOL = {theirs}\n"
        "from goat_host.run import main\n"
        "main(['--child', '--interface', '127.0.0.1', '--no-discovery'])\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as table:
        assert table.stdout is not None
        assert table.stdin is not None
        import json

        address = json.loads(table.stdout.readline())["address"]
        result = goat("join", "--plain", address)
        table.stdin.close()
        assert table.wait(20) == 0
    assert result.returncode == 1
    assert f"protocol {PROTOCOL}" in result.stderr
    assert f"protocol {theirs}" in result.stderr
    last_line(result)
