"""What a shell expects of every command: exit codes that mean something, pipes, closed streams, odd files and names."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.processes, pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell's ways")]
FAULT = 70
ESCAPES = "\x1b]0;owned\x07\x1b[31m\u202eevil\x9b2J"


def run_goat(*arguments: str, input_: str = "", **how: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "goat_client", *arguments],
        **{"input": input_, "capture_output": True, **how},  # type: ignore[call-overload]
        text=True, errors="replace", timeout=60, check=False,
    )  # fmt: skip


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of sh, in which $goat is the program."""
    return subprocess.run(
        ["sh", "-c", line.replace("$goat", f"'{sys.executable}' -m goat_client")],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


def one_sentence(text: str) -> str:
    """The sentence that standard error holds, and nothing else: no traceback, no complaint of the interpreter."""
    assert "Traceback" not in text, text
    assert "Exception ignored" not in text, text
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) == 1, text
    return lines[0]


@pytest.fixture
def wrong_file(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.goat"
    path.write_bytes(b"no log at all")
    return path


INTERRUPTED_AT = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

for name in [name for name in sys.modules if name.partition(".")[0] == {module!r}.partition(".")[0]]:
    del sys.modules[name]
sys.meta_path.insert(0, Interrupts())
sys.argv[1:] = ["--version"]
import goat_client.cli
sys.exit(goat_client.cli.main())
"""


@pytest.mark.parametrize("module", ["argparse", "difflib", "goat_net.exits", "goat_net.harmless", "goat_net.version"])
def test_an_interrupt_while_the_program_comes_up_leaves_no_traceback(module: str) -> None:
    """S7, its kind: Ctrl-C in the first tenth of a second showed the importer's stack."""
    program = INTERRUPTED_AT.format(module=module)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    assert done.returncode in (-signal.SIGINT, 130)


def test_an_interrupt_is_an_exception_again_once_the_program_is_there() -> None:
    """S7: what is imported for its functions leaves the handler as it was."""
    program = "import signal; was = signal.getsignal(2); import goat_client.cli; assert signal.getsignal(2) is was"
    subprocess.run([sys.executable, "-c", program], timeout=60, check=True)


# S6: output that can't be written


@pytest.mark.parametrize(
    "command", ["verify --json {file}", "verify {file}", "--help", "--version", "help", "stats --json"]
)
def test_a_full_disk_is_no_answer(command: str, wrong_file: Path) -> None:
    """S6: `goat verify --json F > /dev/full` ended with 0, or with 1, which means that somebody cheated."""
    result = shell(f"$goat {command.format(file=wrong_file)} > /dev/full")
    assert result.returncode == 2, result
    assert "The output cannot be written (No space left on device)" in one_sentence(result.stderr)


@pytest.mark.parametrize("command", ["verify --json {file}", "replay {file}", "--help", "find --wait 0.1"])
def test_closed_output_is_no_answer(command: str, wrong_file: Path) -> None:
    """S6: with standard output closed by the shell the exit code is 2, with a sentence."""
    result = shell(f"$goat {command.format(file=wrong_file)} >&-")
    assert result.returncode == 2, result
    assert "Standard output is closed" in one_sentence(result.stderr)


def test_closed_input_and_error_change_nothing(wrong_file: Path) -> None:
    """S6: a file that is opened never takes the number of a stream that the shell has closed."""
    plain = shell(f"$goat verify {wrong_file}")
    closed = shell(f"$goat verify {wrong_file} <&- 2>&-")
    assert (closed.returncode, closed.stdout) == (plain.returncode, plain.stdout)


@pytest.mark.parametrize(
    "code",
    [
        "raise TypeError('of no kind')",
        "raise ExceptionGroup('two', [ValueError('x'), OSError(5, 'y')])",
        "raise RecursionError",
        "raise MemoryError",
    ],
)
def test_a_fault_of_the_program_is_no_answer(code: str, wrong_file: Path) -> None:
    """S6: an error that nobody foresaw leaves with a code of its own and says that it is a fault."""
    program = (
        "import sys, goat_client.saved.verify as v\n"
        f"def broken(*a, **k):\n    {code}\n"
        "v.run = broken\n"
        "from goat_client.cli import main\n"
        f"sys.exit(main(['verify', {str(wrong_file)!r}]))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == FAULT, result
    assert result.stdout == ""
    assert "This is a fault of goat, not an answer" in result.stderr.splitlines()[-1]


def test_faults_of_the_table_and_the_bots_are_no_answers() -> None:
    """S6: the same wall stands around the two other programs."""
    for module, inner in (("goat_host.run", "parser"), ("goat_host.bots", "parser")):
        program = (
            f"import sys, {module} as m\n"
            f"def broken():\n    raise TypeError\nm.{inner} = broken\nsys.exit(m.main([]))\n"
        )
        result = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False)
        assert result.returncode == FAULT, result


# S7, U14: a reader that goes


@pytest.mark.parametrize("command", ["--help", "help", "--version", "play --help", "verify --help"])
def test_a_reader_that_is_gone_costs_no_word(command: str) -> None:
    """S7, U14: `goat ... | head -1` with a reader that is gone said "Exception ignored ... BrokenPipeError"."""
    reader, writer = os.pipe()
    os.close(reader)  # gone before anything is written: the worst case, and always the same
    try:
        result = run_goat(*command.split(), capture_output=False, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert result.stderr == ""
    assert result.returncode == 141  # as every program that is ended by SIGPIPE


@pytest.mark.parametrize("command", ["arena easy easy --deals 1", "doctor", "stats"])
def test_a_reader_that_is_gone_ends_commands_that_work(command: str) -> None:
    """S7: commands that print later are quiet too."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = run_goat(*command.split(), capture_output=False, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert "BrokenPipe" not in result.stderr
    assert "Traceback" not in result.stderr
    assert result.returncode == 141


# V6: values that look like options; S10: interfaces


@pytest.mark.parametrize("name", ["-h", "--x", "--resume=-", "-", "=", "--name"])
@pytest.mark.sample(1, "each starts a table and a game")
def test_a_name_that_looks_like_an_option_is_a_name(name: str) -> None:
    """V6: with a name like -h or --x, `goat play` and hosting failed until it was changed."""
    home = Path(os.environ["GOAT_HOME"])
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "goat.toml").write_text(f'name = "{name}"\n')
    result = run_goat("play", "--plain", "--pace", "0", input_="q\nyes\n")
    assert result.returncode in (0, 1), result
    assert "usage:" not in result.stderr + result.stdout
    table = subprocess.Popen(
        [sys.executable, "-m", "goat_client", "host", "--headless", f"--name={name}", "--interface=lo"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with table:
        assert table.stdout is not None
        line = table.stdout.readline()
        table.terminate()
        table.communicate()
    assert f'"name": "{name}"' in line


def test_an_interface_is_a_name_or_an_address_for_a_table_too() -> None:
    """S10: `goat host --interface eth0` said that this machine has no address eth0."""
    from goat_net.discovery.interfaces import local_interfaces

    loop = next(i for i in local_interfaces() if i.loopback)
    for words in (loop.name, loop.v4[0][0]):
        with subprocess.Popen(
            [sys.executable, "-m", "goat_client", "host", "--headless", "--no-discovery", "--interface", words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as table:  # fmt: skip
            assert table.stdout is not None
            line = table.stdout.readline()
            table.terminate()
            table.communicate()
        assert '"address": "127.0.0.1:' in line


@pytest.mark.parametrize("command", ["host --headless", "find", "join --plain", "bot", "--plain"])
def test_an_empty_interface_is_refused_everywhere(command: str) -> None:
    """S10: "" left a hole in the sentence."""
    result = run_goat(*command.split(), "--interface", "")
    assert result.returncode == 2, result
    assert "name of an interface" in result.stderr


def test_an_interface_that_is_not_there_is_named_with_those_that_are() -> None:
    """S10: one parser, one sentence."""
    result = run_goat("host", "--headless", "--interface", "ehh0")
    assert result.returncode == 2, result
    assert "no interface or address 'ehh0'" in one_sentence(result.stderr)
    assert "lo (127.0.0.1)" in result.stderr


def test_a_terminal_gets_no_escape_of_a_file_name(tmp_path: Path) -> None:
    """L1: the same on a real terminal, where standard error and output are one."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "goat_client", "replay", str(tmp_path / ESCAPES)],
        stdin=follower, stdout=follower, stderr=follower, close_fds=True,
    )  # fmt: skip
    os.close(follower)
    seen = b""
    end = time.monotonic() + 60
    while time.monotonic() < end and select.select([leader], [], [], 60)[0]:
        try:
            data = os.read(leader, 4096)
        except OSError:
            break
        if not data:
            break
        seen += data
    os.close(leader)
    assert process.wait(60) == 2
    assert b"\x1b" not in seen
    assert b"evil" in seen
