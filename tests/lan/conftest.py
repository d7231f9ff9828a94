"""The test bench for pytest: scenes that mostly wait, played side by side, each on a network of its own.

A test here is written like any other, takes what `Props` has, and is marked by ``@scene``. When the first test of a
file is due, all scenes of the file that were chosen are played, four at a time; each test then shows its own outcome.
"""

import functools
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from lan import Props, missing, swept
from witness import TOOLS

REASON = missing()
SIDE_BY_SIDE = 4
"""Scenes at a time: they wait nearly all the time, but each starts a few Pythons."""


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here:
            item.add_marker(pytest.mark.lan)
            item.add_marker(pytest.mark.long("scenes in network namespaces, in real time"))
            item.add_marker(pytest.mark.timeout(1800))  # the first test of a file waits for its scenes
            reason = REASON or lacking(tools_of(item))
            if reason:
                item.add_marker(pytest.mark.skip(reason=f"no LAN bench: {reason}"))


def tools_of(item: pytest.Item) -> tuple[str, ...]:
    """What this test's scene needs besides ip(8)."""
    if item.path.name == "test_foreign.py":
        return TOOLS
    scene = getattr(getattr(item, "function", None), "scene", None)
    return getattr(scene, "tools", ())


@functools.cache
def lacking(tools: tuple[str, ...]) -> str | None:
    """Why what needs these tools can't run here, or None."""
    return missing(*tools) if tools else None


@pytest.fixture(scope="module")
def clean() -> Iterator[None]:
    """Whatever a killed bench left is gone, and nothing will be left, even if this process is killed."""
    with swept():
        yield


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, clean: None, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Future[None]]:
    """The outcome of every chosen scene of this file."""
    items = [item for item in request.session.items if item.path == request.path and isinstance(item, pytest.Function)]
    chosen = [item for item in items if not item.get_closest_marker("skip")]
    done: dict[str, Future[None]] = {}
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        for item in chosen:
            play: Callable[[Props], None] = item.function.scene
            # Faults come by this number; a loaded machine's timing is what a seed can't repeat.
            number = zlib.crc32(item.nodeid.encode())
            done[item.name] = pool.submit(play_one, play, tmp_path_factory.mktemp(item.name[:40]), number)
    return done


def play_one(play: Callable[[Props], None], folder: Path, number: int) -> None:
    """Play one scene and put everything away."""
    with Props(folder, number) as props:
        play(props)


@pytest.fixture
def outcome(request: pytest.FixtureRequest, outcomes: dict[str, Future[None]]) -> Future[None]:
    """The outcome of the test's own scene."""
    return outcomes[request.node.name]
