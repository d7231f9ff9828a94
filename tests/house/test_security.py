"""SECURITY.md says of every bound what the code says."""

import importlib
import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "SECURITY.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ((?:`[\w.]+`(?:, )?)+) \| ([^|]+) \|$", TEXT, re.MULTILINE)


def test_the_page_has_its_chapters_and_its_table() -> None:
    chapters = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    assert chapters == ["Who is there", "What is promised", "What is not promised", "Bounds", "Telling us"]
    assert len(ROWS) >= 20
    assert len(ROWS) == TEXT.split("## Bounds")[1].split("## ")[0].count("\n| ") - 1  # every row but the head is read


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: row[2].strip("`").rpartition(".")[2] if isinstance(row, tuple) else ""
)
def test_each_bound_is_that_of_the_code(row: tuple[str, str, str, str]) -> None:
    what, bound, where, why = row
    values = []
    for name in re.findall(r"`([\w.]+)`", where):
        module, _, constant = name.rpartition(".")
        values.append(float(getattr(importlib.import_module(module), constant)))
    assert [float(number) for number in re.findall(r"\d+(?:\.\d+)?", bound)] == values, what
    assert why.strip()
