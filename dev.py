#!/usr/bin/env python3
"""Play, test and check goat from a checkout, with nothing but Python on the machine.

    python3 dev.py play              any goat command: play, host, find, join, demo, verify, ...
    python3 dev.py goat [ARGS]       the same, for goat without a command (the lobby) or goat --help
    python3 dev.py test              the tests, all but the long ones, on all cores: about four minutes on two
    python3 dev.py test --all        the long ones as well
    python3 dev.py test ARGS         ARGS go to pytest; files and folders that they name are run whole
    python3 dev.py lint              ruff, mypy, import-linter; whether every sentence can be translated
    python3 dev.py check [ARGS]      lint, then the tests; names what failed
    python3 dev.py make [WORD]       made files again: tables, diagram, man page, screens, pictures; or what has WORD
    python3 dev.py coverage [ARGS]   the tests again, measured: lines and branches of each package, and the floors
    python3 dev.py mutants [ARGS]    small changes of the rules and the deck, and whether a test sees each
    python3 dev.py fuzz [ARGS]       bytes by chance to all that reads bytes; --guided: led by coverage
    python3 dev.py audit             whether something is known against the packages that goat uses; with the network
    python3 dev.py docs              pages of all packages' docstrings, into build/api
    python3 dev.py languages         what there is to translate; compiles each language that is whole
    python3 dev.py web-assets        what a browser loads for goat host --web; once, with the network
    python3 dev.py python [ARGS]     Python with goat and its tools, as for benchmarks/bench_deck.py

The first run makes the folder .venv beside this file and installs goat into it; so does the first run
after pyproject.toml has changed. Every other run starts at once.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever starts this with an old Python shall read why it fails
    sys.exit(
        "goat needs Python 3.11 or newer; this is Python %d.%d (%s).\n"  # noqa: UP031 - must parse on old ones
        "Install a newer one and start dev.py with it, for example: python3.12 dev.py play"
        % (sys.version_info[0], sys.version_info[1], sys.executable)
    )

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

WINDOWS = sys.platform == "win32"
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if WINDOWS else "bin")
PYTHON = BIN / ("python.exe" if WINDOWS else "python")
GOAT = BIN / ("goat.exe" if WINDOWS else "goat")
STAMP = VENV / "goat-dev.json"
LOCK = VENV / "goat-dev.lock"
LOG = VENV / "goat-dev.log"

# What each command of ours needs beyond goat itself: extras of pyproject.toml. Everything else is goat's.
EXTRAS = {
    "test": ("test", "web"),
    "lint": ("test", "lint"),  # mypy reads the tests too
    "make": ("test",),  # screens and worked examples are made by what the tests compare them with
    "coverage": ("test", "coverage"),
    "mutants": ("test",),
    "fuzz": ("test", "fuzz"),
    "audit": ("audit",),
    "docs": ("docs",),
    "check": ("test", "lint", "web"),
    "python": ("test", "lint", "bench"),
    "languages": ("languages",),
    "web-assets": ("web",),  # node and npm too where the machine has none, see `extras_here`
}

BROWSERS = ("chromium", "chromium-browser", "google-chrome")  # as tests/client/browser.py looks for them

# Commands that are modules of tools/, or of a library: what follows `python -m`, before the person's own words.
MODULES: dict[str, tuple[str, ...]] = {
    "make": ("goat_tools.make",),
    "coverage": ("goat_tools.measure",),
    "mutants": ("goat_tools.mutants",),
    "fuzz": ("tests.fuzz",),
    "audit": ("goat_tools.audit",),
    "languages": ("goat_tools.languages",),
    "web-assets": ("goat_tools.web_assets",),
    # goat_rl.environment needs the extra rl, and is said in goat_rl.
    "docs": ("pdoc", "-o", "build/api", "goat_engine", "goat_net", "goat_client", "goat_host", "goat_rl",
             "!goat_rl.environment"),
}

# ruff format is no part of this: the tree is laid out by hand where a table reads better so.
LINTERS: dict[str, tuple[str, ...]] = {
    "ruff": ("-m", "ruff", "check", "."),
    "mypy": ("-m", "mypy"),
    "languages": ("-m", "goat_tools.languages", "--check"),  # Babel is not needed while there is no language to read
    "import-linter": ("-c", "from importlinter.cli import lint_imports_command as main; main()"),
}


def main(argv: Sequence[str]) -> int:
    """Run one command line; returns the exit code unless the process was replaced by what it started."""
    if not argv or argv[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if argv else sys.stderr)
        return 0 if argv else 2
    command, rest = argv[0], list(argv[1:])
    prepare((*EXTRAS.get(command, ()), *extras_here(command, rest)))
    if command == "python":
        return hand_over([str(PYTHON), *rest])
    if command not in EXTRAS:
        rest = rest if command == "goat" else list(argv)
        return hand_over([str(GOAT), *rest] if WINDOWS else [str(PYTHON), str(GOAT), *rest])
    os.chdir(ROOT)
    if command == "test":
        return hand_over([str(PYTHON), "-m", "pytest", *tests(rest)])
    if command in MODULES:
        return hand_over([str(PYTHON), "-m", *MODULES[command], *rest])
    failed = lint()
    if command == "check":
        print("\n== pytest ==", flush=True)
        failed += [] if run([str(PYTHON), "-m", "pytest", *tests(rest)]) == 0 else ["pytest"]
        if failed:  # the last line of a good run is pytest's own
            print("\nfailed: " + ", ".join(failed), flush=True)
    return 1 if failed else 0


def tests(words: Sequence[str]) -> list[str]:
    """The arguments of pytest for those of ``dev.py test``.

    pyproject.toml leaves the long tests out. Whoever asks for all, or names a file, gets them. Without a file the
    tests go over all cores, file by file; PYTEST_XDIST_AUTO_NUM_WORKERS or ``-n`` says how many processes.
    """
    rest = [word for word in words if word != "--all"]
    named = any(not word.startswith("-") and (ROOT / word.partition("::")[0]).exists() for word in rest)
    whole = ["-m", "not slow"] if (named or len(rest) < len(words)) and "-m" not in rest else []
    spread = [] if named else ["-n", "auto", "--dist", "loadfile"]
    return [*spread, *whole, *rest]


def extras_here(command: str, words: Sequence[str]) -> tuple[str, ...]:
    """What a command needs on this machine alone: Node.js from an extra to make the page's files, unless there is one;
    and what drives a browser for the tests of the page, where there is a browser and they are asked for."""
    import shutil

    if command == "web-assets":
        return () if shutil.which("node") and shutil.which("npm") else ("web-assets",)
    asked = "--all" in words or any(word.startswith("tests/web") for word in words)
    return ("browser",) if command in ("test", "check") and asked and any(map(shutil.which, BROWSERS)) else ()


def lint() -> list[str]:
    """Run every linter, also after one has failed; returns the names of those that failed."""
    failed = []
    for name, arguments in LINTERS.items():
        print(f"\n== {name} ==", flush=True)
        if run([str(PYTHON), *arguments]) != 0:
            failed.append(name)
    print("\nlint: " + ("failed: " + ", ".join(failed) if failed else "all good"), flush=True)
    return failed


# Running -----------------------------------------------------------------------------------------------


def hand_over(command: list[str]) -> int:
    """Become `command` where the system can, so that signals and the terminal reach it and nothing else."""
    if not WINDOWS:  # there, exec starts a second process and lets the shell go on at once
        sys.stdout.flush()
        os.execv(command[0], command)
    return run(command)


def run(command: list[str]) -> int:
    """Run `command` to its end and return its exit code; Ctrl-C is for the command, which sees it as well."""
    import subprocess

    with subprocess.Popen(command) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


# Preparing .venv -----------------------------------------------------------------------------------------

# What the stamp in .venv says: state (installing, failed, ready), project (hash of pyproject.toml), base
# (Python and checkout), made ("dev.py" or "elsewhere"), extras (names with spaces between).
Stamp = dict[str, str]


def prepare(extras: Sequence[str]) -> None:
    """See to it that .venv holds goat as pyproject.toml has it now, with at least these extras.

    The stamp reads "installing" while that is under way: an installation that was killed half-way is
    thrown away and made again, one that failed is tried again. A .venv that someone else made (uv, or a
    person) is used, and never thrown away.
    """
    key = wanted_key()
    if is_ready(read_stamp(), key, extras):
        return
    check_tools()
    VENV.mkdir(exist_ok=True)
    with locked(LOCK):
        stamp = read_stamp()
        if is_ready(stamp, key, extras):  # another dev.py has done it while this one waited
            return
        ours = stamp.get("made") == "dev.py" or not (VENV / "pyvenv.cfg").exists()
        if ours and (stamp.get("state") == "installing" or stamp.get("base") != key["base"]):
            clear_venv()
        all_extras = " ".join(sorted({*extras, *stamp.get("extras", "").split()}))
        record = {**key, "extras": all_extras, "made": "dev.py" if ours else "elsewhere"}
        say(f"Installing goat into {VENV}: once, and again when pyproject.toml changes; about half a minute ...")
        started = time.monotonic()
        write_stamp({**record, "state": "installing"})
        try:
            make_venv()
            install(all_extras)
        except InstallError as error:
            write_stamp({**record, "state": "failed"})
            raise SystemExit(f"dev.py: {error}") from None
        write_stamp({**record, "state": "ready"})
        say(f"Done in {time.monotonic() - started:.0f} s.")


class InstallError(Exception):
    """The installation failed; the text says what to do."""


def wanted_key() -> Stamp:
    """What an installation depends on: the project's own file, the Python, and where the checkout lies."""
    import hashlib

    project = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    return {"project": project, "base": f"{sys.implementation.cache_tag} {ROOT}"}


def is_ready(stamp: Stamp, key: Stamp, extras: Sequence[str]) -> bool:
    """Whether the stamp stands for a finished installation of `key` with at least these extras."""
    return (
        stamp.get("state") == "ready"
        and stamp.get("project") == key["project"]
        # An environment made elsewhere keeps the Python it was made with.
        and (stamp.get("base") == key["base"] or stamp.get("made") == "elsewhere")
        and set(extras) <= set(stamp.get("extras", "").split())
        and PYTHON.exists()  # false as well for a link to a Python that has been removed
        and GOAT.exists()
    )


def read_stamp() -> Stamp:
    """The stamp, or an empty one where there is none or it is damaged."""
    import json

    try:
        stamp = json.loads(STAMP.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return {str(name): str(value) for name, value in stamp.items()} if isinstance(stamp, dict) else {}


def write_stamp(stamp: Stamp) -> None:
    """Put the stamp in its place in one step, so that no reader sees half of it."""
    import json

    fresh = STAMP.with_suffix(".new")
    fresh.write_text(json.dumps(stamp, indent=1), "utf-8")
    fresh.replace(STAMP)


def check_tools() -> None:
    """Stop with one sentence where this Python cannot make environments."""
    from importlib.util import find_spec

    if find_spec("venv") is None or find_spec("ensurepip") is None:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise SystemExit(
            f"dev.py: this Python ({sys.executable}) has no venv module with pip. On Debian and Ubuntu:\n"
            f"  sudo apt install python3-venv      (or python{version}-venv)"
        )


def clear_venv() -> None:
    """Empty .venv, all but the lock that this process holds and the log."""
    import shutil

    for path in VENV.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path not in (LOCK, LOG):
            path.unlink()


def make_venv() -> None:
    """Make the environment where there is none, and put pip into one that lacks it (uv leaves it out)."""
    import venv

    if not (VENV / "pyvenv.cfg").exists() or not PYTHON.exists():
        # A link keeps the environment small; Windows copies, as its own venv command does.
        venv.EnvBuilder(symlinks=not WINDOWS).create(VENV)
    elif installed_version() < (3, 11):
        raise InstallError(f"{VENV} was made with a Python older than 3.11; remove that folder and start again.")
    pip, ensurepip = ["-m", "pip", "--version"], ["-m", "ensurepip", "--default-pip"]
    if quiet([str(PYTHON), *pip]) != 0 and quiet([str(PYTHON), *ensurepip]) != 0:
        raise InstallError(f"pip could not be put into {VENV}; remove that folder and start again. See {LOG}")


def installed_version() -> tuple[int, ...]:
    """The Python of .venv, as its own configuration names it."""
    for line in (VENV / "pyvenv.cfg").read_text("utf-8").splitlines():
        name, _, value = line.partition("=")
        if name.strip() in ("version", "version_info"):
            return tuple(int(part) for part in value.strip().split(".")[:2])
    return (0, 0)


def install(extras: str) -> None:
    """Install the checkout, editable, with these extras (names with spaces between)."""
    target = f"{ROOT}[{extras.replace(' ', ',')}]" if extras else str(ROOT)
    options = ["--quiet", "--no-input", "--retries=2", "--disable-pip-version-check", "--no-warn-script-location"]
    if quiet([str(PYTHON), "-m", "pip", "install", *options, "--editable", target]) == 0:
        return
    text = LOG.read_text("utf-8", "replace")
    if any(sign in text for sign in ("NewConnectionError", "NameResolutionError", "ConnectTimeout", "ProxyError")):
        raise InstallError(
            "pip could not reach the package index. The first run, and the first after a change of\n"
            f"pyproject.toml, need the network: connect and start again. pip's own words are in {LOG}"
        )
    say("\n".join(text.splitlines()[-15:]))
    raise InstallError(f"pip could not install goat; all it said is in {LOG}")


def quiet(command: list[str]) -> int:
    """Run a command with all it says in the log file; returns its exit code."""
    import subprocess

    with LOG.open("wb") as log:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False
        ).returncode


def say(text: str) -> None:
    """Tell the person something; stdout is left to the command."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock; the system lets go of it when the process ends, however it ends."""
    with path.open("a+b") as file:
        if not try_lock(file.fileno()):
            say("Another dev.py is installing; waiting for it ...")
            while not try_lock(file.fileno()):
                time.sleep(0.2)
        yield


if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Take the lock if it is free."""
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Take the lock if it is free."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:  # a folder that cannot be written, a full disk
        sys.exit(f"dev.py: {error}")
