"""A target with a fault in it: what is said to find nothing has to be able to find this."""

from typing import Final

from tests.fuzz.targets import Target


def run(data: bytes) -> None:
    """Breaks its promise behind three comparisons."""
    if len(data) > 4 and data[0] == 0xC5 and data[1] == ord("G"):
        assert data[2] != ord("O")


KNOWN: Final = Target(run, lambda: [b"\x00" * 8])
