"""A player is *they*: papers, docstrings, comments and messages say "he", "his", "him" of nobody."""

import re
from typing import Final

from tests.house.test_papers import ROOT, tracked

HE: Final = re.compile(r"\b(?:he|his|him|himself|he's|he'll)\b", re.IGNORECASE)
EXCEPTIONS: Final = {
    "tests/house/test_they.py": "names the words that it looks for",
}
"""File -> why it may hold such a word."""


def test_a_player_is_they() -> None:
    found = []
    for name in tracked():
        if name in EXCEPTIONS or not name.endswith((".md", ".py", ".toml", ".1")):
            continue
        lines = enumerate((ROOT / name).read_text("utf-8").splitlines(), 1)
        found += [f"{name}:{number}: {line.strip()}" for number, line in lines if HE.search(line)]
    assert not found, "say they, or name who is meant:\n" + "\n".join(found)


def test_exceptions_are_needed() -> None:
    for name in EXCEPTIONS:
        assert HE.search((ROOT / name).read_text(encoding="utf-8")), name
