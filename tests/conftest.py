"""What every test lives under: a printed seed, folders of its own, and a guard against whatever it leaves behind."""

import asyncio.runners
import gc
import multiprocessing.resource_tracker
import os
import random
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pytest

BASE_SEED = pytest.StashKey[int]()
BEFORE = pytest.StashKey[frozenset[str]]()
KEPT = pytest.StashKey[frozenset[str]]()
LOST_TASKS = pytest.StashKey[list[str]]()

# Threads and processes may need a moment to end after they were told to; a test that leaves nothing pays nothing.
GRACE = 60.0

# No deadlines: machines differ, and no test asserts a time. In CI the same examples every time.
hypothesis.settings.register_profile("goat", deadline=None, print_blob=True, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("goat")


def pytest_configure(config: pytest.Config) -> None:
    given = getattr(config, "workerinput", os.environ).get("GOAT_TEST_SEED")
    config.stash[BASE_SEED] = int(given or random.SystemRandom().randrange(2**32))
    config.stash[KEPT] = frozenset()
    config.stash[LOST_TASKS] = []
    os.environ["GOAT_TEST_STRICT"] = "1"  # a fault that a wall would hold back fails the test (`goat_net.wire.wall`)
    watch_tasks(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Each process of pytest-xdist gets the one seed that is printed."""
    node.workerinput["GOAT_TEST_SEED"] = str(node.config.stash[BASE_SEED])


def pytest_report_header(config: pytest.Config) -> str:
    return f"seed: GOAT_TEST_SEED={config.stash[BASE_SEED]}"


# Long tests ----------------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Of a test with the mark ``sample(N, REASON)`` N of its cases are for every run, others in each, chosen by the
    printed seed; the rest are long. A long test says why."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sample"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        for mark in item.iter_markers("long"):
            if len(mark.args) != 1 or not isinstance(mark.args[0], str):
                raise pytest.UsageError(f"{item.nodeid}: the mark long wants one argument, the reason")
    for name, found in cases.items():
        count, reason = next(found[0].iter_markers("sample")).args
        chance = random.Random(f"{config.stash[BASE_SEED]} {name}")
        chosen = set(chance.sample(range(len(found)), min(count, len(found))))
        for number, item in enumerate(found):
            if number not in chosen:
                item.add_marker(pytest.mark.long(reason))


# Seeds ---------------------------------------------------------------------------------------------------


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A number for this test's random choices: another for each test, the same again under GOAT_TEST_SEED."""
    return zlib.crc32(f"{request.config.stash[BASE_SEED]} {request.node.nodeid}".encode())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and "seed" in getattr(item, "fixturenames", ()):
        report.sections.append(("seed", f"GOAT_TEST_SEED={item.config.stash[BASE_SEED]} repeats this test"))
    return report


# Folders -------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def goat_home(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The folder GOAT_HOME names in this test and its child processes: not there yet, and nobody else's."""
    home = tmp_path_factory.getbasetemp() / f"goat-home-{zlib.crc32(request.node.nodeid.encode()):08x}"
    for name in list(os.environ):
        if name.startswith("GOAT_") and not name.startswith("GOAT_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GOAT_HOME", str(home))
    return home


# Leaks ---------------------------------------------------------------------------------------------------


def watch_tasks(config: pytest.Config) -> None:
    """Note the tasks that an event loop still has to cancel when it is closed.

    asyncio.run and pytest-asyncio both close their loops by asyncio.Runner, which cancels what is left
    without a word. There is no public door to see it happen.
    """
    cancel = asyncio.runners._cancel_all_tasks  # type: ignore[attr-defined]

    def note_and_cancel(loop: asyncio.AbstractEventLoop) -> None:
        config.stash[LOST_TASKS] += [f"task {task.get_coro()}" for task in asyncio.all_tasks(loop)]
        cancel(loop)

    asyncio.runners._cancel_all_tasks = note_and_cancel  # type: ignore[attr-defined]
    config.add_cleanup(lambda: setattr(asyncio.runners, "_cancel_all_tasks", cancel))


def belongings() -> frozenset[str]:
    """The threads, open sockets and child processes of this process (the latter two where /proc tells)."""
    found = {f"thread {thread.name} ({thread.ident})" for thread in threading.enumerate()}
    if sys.platform == "linux":
        found |= {f"open {link}" for link in links("/proc/self/fd") if link.startswith("socket:")}
        found |= {f"child process {pid} {command(pid)}" for pid in children()}
    return frozenset(found)


def links(folder: str) -> Iterator[str]:
    """Where the links of a folder of /proc lead."""
    for name in os.listdir(folder):  # noqa: PTH208 - twice for every test: no objects for what is text
        try:
            yield os.readlink(f"{folder}/{name}")  # noqa: PTH115
        except FileNotFoundError:  # the descriptor that listed the folder
            continue


def children() -> Iterator[str]:
    """Process numbers of the children, ended ones that nobody has waited for included."""
    helper = str(getattr(multiprocessing.resource_tracker._resource_tracker, "_pid", None))  # lives as long as we
    for thread in Path("/proc/self/task").iterdir():
        try:
            pids = (thread / "children").read_text("ascii").split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield from (pid for pid in pids if pid != helper)


def command(pid: str) -> str:
    """What the child process was started as."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """What a module's or the session's fixture opens may outlive the test that happened to need it first."""
    if fixturedef.scope == "function":
        return (yield)
    before = belongings()
    result = yield
    request.config.stash[KEPT] = request.config.stash[KEPT].union(belongings() - before)
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    item.stash[BEFORE] = belongings()
    item.config.stash[LOST_TASKS].clear()
    yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    yield
    before, kept = item.stash[BEFORE], item.config.stash[KEPT]
    end = time.monotonic() + GRACE
    while (left := belongings() - before - kept) and time.monotonic() < end:
        time.sleep(0.01)
    tasks = item.config.stash[LOST_TASKS]
    if left or tasks:
        with warnings.catch_warnings():  # said here already; not once more, of a test that runs later
            warnings.simplefilter("ignore")
            gc.collect()
        pytest.fail("the test left behind:\n  " + "\n  ".join(sorted({*left, *tasks})), pytrace=False)
