"""Files and folders whose names somebody has typed: what is odd about them is one sentence, and nothing hangs."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from goat_client.cli import main
from goat_host import run as table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, devices and rights as POSIX has them")
ESCAPES = "\x1b]0;owned\x07\x1b[31m\u202eevil\x9b2J"
Goat = Callable[..., "Said"]


@dataclass(frozen=True)
class Said:
    """What a command has answered."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run_goat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Goat:
    """Run a command in this process; ``host --headless`` as the program that it becomes."""

    def run(*arguments: str, environment: dict[str, str] | None = None) -> Said:
        for name, value in (environment or {}).items():
            monkeypatch.setenv(name, value)
        headless = arguments[:2] == ("host", "--headless")
        code = table.main(list(arguments[2:])) if headless else main(arguments)
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return run


def one_sentence(text: str) -> str:
    """The sentence that standard error holds, and nothing else."""
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) == 1, text
    return lines[0]


# L1, L2, L3: files


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "{}"],
        ["replay", "{}"],
        ["host", "--headless", "--resume", "{}"],
        ["{}"],
        ["verify", "x", "--{}"],
        ["find", "--interface", "{}", "--wait", "0.1"],
        ["host", "--headless", "--log-file", "/dev/null/{}"],
        ["join", "--plain", "{}:x"],
        ["play", "--plain", "--bots", "{}"],
        ["bot", "--wait", "0.1", "--interface", "lo", "{}"],
        ["verify", "--log-file", "/dev/null/{}", "x"],
    ],
)
def test_escape_characters_of_a_name_do_not_reach_the_terminal(run_goat: Goat, arguments: list[str]) -> None:
    """L1: a file name with escape characters reached the terminal as it was."""
    result = run_goat(*(a.format(ESCAPES) for a in arguments))
    for text in (result.stdout, result.stderr):
        assert not any(sign in text for sign in "\x1b\x07\x9b\u202e"), text
    assert "evil" in result.stdout + result.stderr  # the name is still told
    assert result.returncode in (1, 2)


def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    """L1: a name of bytes that are no UTF-8 is told, too."""
    result = subprocess.run(
        [sys.executable.encode(), b"-m", b"goat_client", b"verify", os.fsencode(tmp_path) + b"/\xff\xfe.goat"],
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert result.returncode == 2, result
    assert b"Traceback" not in result.stderr


def odd_file(kind: str, folder: Path) -> Path:
    path = folder / "odd"
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "huge":
            with path.open("wb") as file:
                file.truncate(1 << 40)
        case "loop":
            path.symlink_to(path)
        case _:
            path.symlink_to(kind)
    return path


ODD = ("/dev/zero", "/dev/random", "/dev/full", "fifo", "folder", "huge", "loop")


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("arguments", [["verify"], ["replay"], ["host", "--headless", "--no-discovery", "--resume"]])
def test_what_is_no_file_is_one_sentence(run_goat: Goat, kind: str, arguments: list[str], tmp_path: Path) -> None:
    """L2: /dev/zero, a pipe, a folder, /dev/random as a saved match: MemoryError, hangs, tracebacks."""
    path = odd_file(kind, tmp_path)
    result = run_goat(*arguments, str(path))
    assert result.returncode == 2, result
    assert "Traceback" not in result.stderr
    told = result.stdout if arguments == ["verify"] else one_sentence(result.stderr)
    assert "odd" in told


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("command", [["play", "--plain"], ["replay", "G1:x"], ["--plain", "--no-discovery"]])
def test_settings_that_are_no_file_are_one_sentence(
    run_goat: Goat, kind: str, command: list[str], tmp_path: Path
) -> None:
    """L2: the same as settings."""
    folder = tmp_path / "config"
    folder.mkdir()
    odd_file(kind, folder).rename(folder / "goat.toml")
    if kind == "loop":
        (folder / "goat.toml").unlink()
        (folder / "goat.toml").symlink_to(folder / "goat.toml")
    result = run_goat(*command, environment={"GOAT_HOME": str(tmp_path)})
    assert result.returncode == 2, result
    one_sentence(result.stderr)


@pytest.mark.parametrize(
    "content",
    [
        b"hold = " + b"9" * 5000,
        b"hold = -" + b"9" * 60000,
        b"a = " + b"[" * 30000,
        b"[" + b".".join([b"a"] * 30000) + b"]",
        b"a = " + b"{a=" * 9000,
        b"\xff\xfe\x00",
        b"name = \"\\u0000\\u001b]0;x\\u0007\"",
        b"hold = nan\nreveal = inf\nport = 1.5\nlevel = 1979-05-27T07:32:00Z",
        b"\n".join(b"k%d = 1" % n for n in range(5000)),
        b"name = '" + "\u202e".encode() * 3000 + b"'",
        b"name = \"\x1b[31m\"",
        b"\"\\u001b[2J\" = 1",
    ],
    ids=range(12),
)  # fmt: skip
def test_settings_of_any_content_are_a_sentence(run_goat: Goat, content: bytes, tmp_path: Path) -> None:
    """L3: deep TOML and a number of 5,000 digits were tracebacks."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "goat.toml").write_bytes(content)
    result = run_goat("play", "--plain", "--bots", "nonsense", environment={"GOAT_HOME": str(tmp_path)})
    assert result.returncode == 2, result
    assert "Traceback" not in result.stderr
    lines = [line for line in result.stderr.splitlines() if line]
    assert len(lines) <= 8
    assert max(map(len, lines)) < 500
    assert all(line.isprintable() for line in lines), lines


# S3, S4, L5: folders


def test_a_folder_that_others_may_write_to_is_closed(run_goat: Goat, tmp_path: Path) -> None:
    """L5: a data folder with 0777 was used as it was."""
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o777)
    run_goat("stats", environment={"GOAT_HOME": str(tmp_path)})
    assert stat.S_IMODE(data.stat().st_mode) & 0o022 == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize(
    "arguments", [["stats"], ["play", "--plain"], ["host", "--headless", "--no-discovery"], ["demo"]]
)
def test_the_folder_of_another_user_is_refused(run_goat: Goat, arguments: list[str], tmp_path: Path) -> None:
    """L5: another user's data folder was used: who owns it decides which key one has."""
    (tmp_path / "data").mkdir()
    os.chown(tmp_path / "data", 12345, 12345)
    result = run_goat(*arguments, environment={"GOAT_HOME": str(tmp_path)})
    assert result.returncode == 2, result
    assert "belongs to another user" in one_sentence(result.stderr)
    assert not list((tmp_path / "data").iterdir())


@pytest.mark.parametrize("arguments", [["stats"], ["play", "--plain"], ["host", "--headless", "--no-discovery"],
                                       ["bot", "127.0.0.1:9"], ["--plain", "--no-discovery"], ["find", "--wait", "0.1"],
                                       ["replay", "G1:x"]])  # fmt: skip
@pytest.mark.parametrize("home", ["~nobody-of-this-name/x", "/dev/null/x", "/proc/nowhere"])
def test_a_home_that_cannot_be_is_one_sentence(run_goat: Goat, arguments: list[str], home: str) -> None:
    """S4: a GOAT_HOME that can't be was a RuntimeError or FolderError with a traceback and exit code 1."""
    result = run_goat(*arguments, environment={"GOAT_HOME": home})
    if arguments[0] not in ("find", "replay"):
        assert result.returncode == 2, result
    assert result.returncode in (0, 1, 2)
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs an account without a home")
@pytest.mark.parametrize("arguments", [["stats"], ["play", "--plain"]])
def test_an_account_without_a_home_is_one_sentence(arguments: list[str]) -> None:
    """S4: no HOME and no entry in the list of accounts."""
    program = (
        "import os, sys\n"
        # The account that follows may not be able to read them.
        "import goat_client.cli, goat_client.saved.stats, goat_client.commands.play, platformdirs.unix\n"
        "for name in ('HOME', 'GOAT_HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME'):\n    os.environ.pop(name, None)\n"
        "os.setgroups([])\nos.setgid(54321)\nos.setuid(54321)\nos.chdir('/')\n"
        "from goat_client.cli import main\n"
        f"sys.exit(main({arguments!r}))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2, result
    assert "no home folder" in one_sentence(result.stderr)


def test_a_table_opens_where_only_the_data_folder_can_be_written(tmp_path: Path) -> None:
    """S3: without a folder for temporary files the table ended with a traceback, though GOAT_HOME could be written."""
    program = (
        "import os, sys, tempfile\n"
        "tempfile._candidate_tempdir_list = list\n"
        "from goat_host.run import main\n"
        "sys.exit(main(['--interface=127.0.0.1', '--no-discovery', '--child']))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        check=False, env={**os.environ, "GOAT_HOME": str(tmp_path)},
    )  # fmt: skip
    assert result.returncode == 0, result
    assert '"ready": true' in result.stdout


