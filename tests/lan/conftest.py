"""Fixtures of the test bench: a network of the test's own, and Avahi as a foreign witness."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from lan import Lan, Port, missing, sweep
from witness import TOOLS, Avahi

REASON = missing()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and REASON:
            item.add_marker(pytest.mark.skip(reason=f"no LAN bench: {REASON}"))


@pytest.fixture(scope="session", autouse=True)
def _swept() -> None:
    if not REASON:
        sweep()


Make = Callable[..., Lan]


@pytest.fixture
def make_lan(seed: int) -> Iterator[Make]:
    """Make networks that are gone with the test: make_lan(nodes, wire="hub")."""
    made: list[Lan] = []

    def make(nodes: dict[str, Sequence[Port]], wire: str = "hub") -> Lan:
        made.append(Lan(nodes, seed, wire))
        return made[-1]

    yield make
    for lan in made:
        lan.close()


@pytest.fixture
def avahi(tmp_path: Path) -> Callable[[Lan, str], Avahi]:
    """Start Avahi in a node: avahi(lan, node). Skips where it isn't installed."""
    reason = missing(*TOOLS)
    if reason:
        pytest.skip(f"no foreign witness: {reason}")

    def start(lan: Lan, node: str) -> Avahi:
        folder = tmp_path / node
        folder.mkdir()
        return Avahi(lan, node, folder)

    return start
