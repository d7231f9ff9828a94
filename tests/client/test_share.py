"""The man page and the completions that the wheel carries are those that the program makes."""

from pathlib import Path

import pytest
from goat_tools.manual import files

SHARE = Path(__file__).parents[2] / "share"


@pytest.mark.parametrize("name", sorted(files()))
def test_is_what_the_program_makes(name: str) -> None:
    again = "python3 dev.py make makes them again"
    assert (SHARE / name).read_text(encoding="utf-8") == files()[name], again


def test_nothing_else_is_there() -> None:
    assert {str(p.relative_to(SHARE)) for p in SHARE.rglob("*") if p.is_file()} == set(files())
