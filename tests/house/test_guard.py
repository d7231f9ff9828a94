"""The guard of tests/conftest.py, tested on tests that leave things behind."""

import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"

TIDY = """
    import asyncio, os, socket, subprocess, sys, threading
    from pathlib import Path
    import pytest

    @pytest.fixture(scope="module")
    def server():
        with socket.create_server(("127.0.0.1", 0)) as server:
            yield server

    def test_module_fixture_may_stay(server):
        pass

    def test_closed_socket():
        socket.socket().close()

    def test_joined_thread():
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()

    def test_waited_child():
        subprocess.run([sys.executable, "-c", ""], check=True)

    async def test_task_group(server):
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(0))

    async def test_closed_server():
        async with await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0):
            pass

    async def test_thread_pool():
        await asyncio.to_thread(int)

    def test_home(goat_home):
        assert Path(os.environ["GOAT_HOME"]) == goat_home
        assert not goat_home.exists()
        goat_home.mkdir()
        assert "GOAT_LANG" not in os.environ

    def test_other_home(goat_home):
        assert not goat_home.exists()
"""

UNTIDY = """
    import asyncio, gc, socket, subprocess, sys, threading
    import pytest

    KEEP = []

    def test_socket_held():
        KEEP.append(socket.socket())

    async def test_task():
        KEEP.append(asyncio.ensure_future(asyncio.sleep(3600)))

    def test_task_of_run():
        async def main():
            KEEP.append(asyncio.ensure_future(asyncio.sleep(3600)))
        asyncio.run(main())

    def test_thread():
        event = threading.Event()
        KEEP.append(event)
        threading.Thread(target=event.wait, daemon=True, name="waits").start()

    def test_child():
        KEEP.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))

    def test_child_not_waited_for():
        child = subprocess.Popen([sys.executable, "-c", ""])
        KEEP.append(child)

    def test_good():
        pass

    def test_end():
        KEEP[3].set()
        for child in KEEP[4:]:
            child.communicate()
"""

FAILING = """
    import random

    def test_draws(seed):
        assert not random.Random(seed).random()

    def test_other(seed):
        assert not seed
"""

INI = """
    [pytest]
    asyncio_mode = auto
    asyncio_default_fixture_loop_scope = function
    filterwarnings = error
"""


def run(pytester: pytest.Pytester, text: str, *arguments: str, grace: str = "60.0") -> pytest.RunResult:
    text_of_guard = CONFTEST.read_text("utf-8")
    assert "\nGRACE = 60.0\n" in text_of_guard
    pytester.makeconftest(text_of_guard.replace("\nGRACE = 60.0\n", f"\nGRACE = {grace}\n"))
    pytester.makeini(INI)
    pytester.makepyfile(text)
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-v", *arguments)


def test_tidy_tests_pass(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOAT_LANG", "ru")
    run(pytester, TIDY).assert_outcomes(passed=9)


@pytest.mark.skipif(sys.platform != "linux", reason="sockets and child processes are seen through /proc")
def test_what_is_left_behind_fails_the_test_that_left_it(pytester: pytest.Pytester) -> None:
    result = run(pytester, UNTIDY, grace="0.2")  # what stays, stays
    result.assert_outcomes(passed=8, errors=6)
    for name in ("socket_held", "task", "task_of_run", "thread", "child", "child_not_waited_for"):
        result.stdout.re_match_lines_random([rf".*ERROR at teardown of test_{name} _.*"])
    result.stdout.re_match_lines(
        [
            r".*open socket:.*",
            r".*task <coroutine.*sleep.*",
            r".*task <coroutine.*",
            r".*thread waits .*",
            r".*child process .*input.*",
            r".*child process .*",
        ]
    )


def test_a_failing_test_shows_the_seed_that_repeats_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOAT_TEST_SEED", raising=False)
    first = run(pytester, FAILING, "-q")
    first.assert_outcomes(failed=2)
    base = next(line.split()[0] for line in first.outlines if line.startswith("GOAT_TEST_SEED="))
    monkeypatch.setenv("GOAT_TEST_SEED", base.partition("=")[2])
    second = run(pytester, FAILING)
    second.stdout.fnmatch_lines([f"seed: {base}", f"{base} repeats this test"])
    seeds = [[line for line in result.outlines if line.startswith("seed = ")] for result in (first, second)]
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 2


@pytest.mark.long("three runs of pytest in processes")
def test_all_processes_of_a_run_have_the_seed_that_is_printed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOAT_TEST_SEED", raising=False)
    pytester.makepyfile(test_another=FAILING)
    result = run(pytester, FAILING, "-n", "2", "--dist", "loadfile")
    result.assert_outcomes(failed=4)
    base = next(line.partition(": ")[2] for line in result.outlines if line.startswith("seed: "))
    assert [line for line in result.outlines if line.endswith("repeats this test")] == [f"{base} repeats this test"] * 4
