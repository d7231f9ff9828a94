"""The house as a graph: the diagram in ARCHITECTURE.md is true, and nothing goes in circles."""

from pathlib import Path

import pytest
from goat_tools import graph

HOUSE = graph.read()


def test_the_diagram_is_that_of_the_imports() -> None:
    text = graph.DOCUMENT.read_text("utf-8")
    assert graph.replaced(text, HOUSE) == text, "python3 dev.py make makes it again"


def test_no_module_and_no_chapter_stands_in_a_circle() -> None:
    assert graph.circles(HOUSE.arrows) == []
    assert graph.circles(HOUSE.between()) == []


def test_every_module_is_in_a_chapter_and_every_arrow_in_the_table() -> None:
    table = graph.table(HOUSE)
    assert all(chapter in table for chapter in HOUSE.chapters())
    assert f"{len(HOUSE.arrows)} arrows" in table
    picture = graph.svg(HOUSE)
    assert all(f">{chapter}</text>" in picture for chapter in HOUSE.chapters())


# On a small house


@pytest.fixture
def small(tmp_path: Path) -> graph.Graph:
    files = {
        "__init__": "", "wire/__init__": "", "log/__init__": "", "words": "import a.wire.codec\n",
        "wire/codec": "import os\nfrom a.wire import text\n", "wire/text": "",
        "log/fold": "def later():\n    from a.wire.codec import pack\n    return pack\n",
        "seat": "from a.log.fold import later\nfrom a.wire import codec\n",
    }  # fmt: skip
    for name, text in files.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return graph.read({"a": tmp_path})


def test_arrows_are_imports_wherever_they_stand(small: graph.Graph) -> None:
    assert small.arrows == {
        ("a.words", "a.wire.codec"), ("a.wire.codec", "a.wire.text"), ("a.log.fold", "a.wire.codec"),
        ("a.seat", "a.log.fold"), ("a.seat", "a.wire.codec"),
    }  # fmt: skip
    assert small.chapters() == ["a", "a.log", "a.wire"]
    assert small.between() == {("a", "a.wire"): 2, ("a", "a.log"): 1, ("a.log", "a.wire"): 1}
    assert small.lines["a.seat"] == 2


def test_an_arrow_that_a_longer_way_stands_for_is_not_drawn(small: graph.Graph) -> None:
    assert graph.needed(small.between()) == {("a", "a.log"), ("a.log", "a.wire")}
    assert graph.mermaid(small).count("-->") == 2


def test_floors_and_circles() -> None:
    chain = [("c", "b"), ("b", "a"), ("c", "a")]
    assert graph.floors("abc", chain) == {"a": 0, "b": 1, "c": 2}
    assert graph.circles(chain) == []
    assert graph.circles([*chain, ("a", "b")]) == [["a", "b"]]
    assert graph.needed([*chain, ("a", "b")]) >= {("a", "b"), ("b", "a")}


def test_a_document_without_the_marks_is_said() -> None:
    with pytest.raises(ValueError, match="lacks the lines"):
        graph.replaced("no marks", HOUSE)
