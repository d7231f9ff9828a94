"""A sample of the robots' evenings; more of them by ``python3 dev.py python -m tests.robots``."""

import sys

import pytest

from tests.robots import evening

pytestmark = [
    pytest.mark.processes,
    pytest.mark.long("plays an evening with four clients on terminals"),
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX"),
]


def test_an_evening_of_four_has_no_hitch(seed: int) -> None:
    done = evening(seed, 150)
    assert done.get("hosted") or done.get("played")
