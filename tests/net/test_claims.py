"""The chapter "What is claimed, and why" of PROTOCOL.md: each claim has its argument and tests that there are."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "goat_net" / "PROTOCOL.md").read_text(encoding="utf-8")
CHAPTER = TEXT.split("\n# What is claimed, and why\n")[1].split("\n# ")[0]


def rows(table: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    block = CHAPTER.split(f"<!-- {table} -->\n")[1].split("<!-- end -->")[0]
    lines = [line.strip("| ").split(" | ") for line in block.splitlines()[2:]]
    return [[cell.strip() for cell in line] for line in lines]


CELLS = [cell for _, *cells in rows("claims") for cell in cells]
ARGUMENTS = {claim.split()[0]: (claim, why, tests) for claim, why, tests in rows("arguments")}
YES = dict(re.findall(r"^\* \*\*yes ([a-z])\*\*:.*?`(tests/[^`]+)`$", CHAPTER, re.MULTILINE | re.DOTALL))
TRIED = {name for _, _, tests in ARGUMENTS.values() for name in re.findall(r"`([^`]+)`", tests)}
NAMED = sorted(TRIED | set(YES.values()))


def test_every_party_has_a_cell_for_every_property() -> None:
    who = rows("claims")
    assert [row[0] for row in who][:4] == ["a seat", "two partners", "two opponents", "three seats"]
    assert len(who) == 10
    assert all(len(row) == 10 for row in who)


def test_every_cell_is_a_claim_with_an_argument_or_an_honest_yes() -> None:
    letters = set(re.findall(r"^\* \*\*yes ([a-z])\*\*:", CHAPTER, re.MULTILINE))
    used: set[str] = set()
    for cell in CELLS:
        for part in cell.split(", "):
            used.add(part)
            known = part in ARGUMENTS or part == "–" or (part.startswith("yes ") and part[4:] in letters)
            assert known, cell
    assert {part for part in used if part.isdecimal()} == set(ARGUMENTS)
    assert {part[4:] for part in used if part.startswith("yes ")} == letters
    assert all(len(why) > 40 for _, why, _ in ARGUMENTS.values())


def test_every_argument_names_a_test() -> None:
    assert all(re.findall(r"`tests/[^`]+`", tests) for _, _, tests in ARGUMENTS.values())


def test_every_yes_names_a_test_that_tries_it() -> None:
    """The table is honest in both directions: what cheats can do is done, and comes out as it is said."""
    letters = re.findall(r"^\* \*\*yes ([a-z])\*\*:", CHAPTER, re.MULTILINE)
    assert list(YES) == letters
    assert len(set(YES.values())) == len(letters)
    for letter, name in YES.items():
        path, _, function = name.partition("::")
        if path.endswith("test_can.py"):
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            told = {n.name: ast.get_docstring(n) or "" for n in tree.body if isinstance(n, ast.FunctionDef)}
            assert told[function].startswith(f"yes {letter}"), name


@pytest.mark.parametrize("name", NAMED)
def test_the_test_that_stands_for_a_claim_is_there(name: str) -> None:
    path, _, function = name.partition("::")
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    found = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert function in found
