"""One word for one thing: the glossary of ARCHITECTURE.md against the code, and top-level names that stand once."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from goat_tools.graph import ROOMS

ROOT = Path(__file__).parents[2]
PAPER = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
ROWS = re.findall(
    r"^\| ([a-z ]+) \| (.+) \| `([\w.]+)` \|$",
    PAPER.partition("<!-- glossary -->")[2].partition("<!-- end of the glossary -->")[0],
    re.MULTILINE,
)

TWICE = {
    "Answer": "a message to one's swap, and what a probe has heard",
    "Back": "a record (a seat is there again) and an event (a connection is)",
    "Choice": "of the lobby's list, and of network interfaces",
    "Closed": "an event of a connection, and what a table wants done",
    "Deal": "as text, and as counted for results",
    "Door": "to a table, of the lobby's commands and of the page in a browser",
    "End": "a record, and how the table's screen is left",
    "Launch": "a table's options as its parent gives them, and as the child reads them",
    "Level": "of bots, and of what the doctor has found",
    "Lobby": "a message, and the list of tables found",
    "Log": "as counted for results, and as told by goat verify",
    "Offence": "against the rules with open cards, and against the protocol",
    "Outcome": "of a deal, of a duel of bots, of a key",
    "Page": "of the table's screen, and the browser's own",
    "Prepared": "of the two sets of primitives, one of which is loaded",
    "Record": "a deal as text, and what an author signed",
    "Settings": "of a table, signed, and of a person, in a file",
    "State": "of the bots' fast game, and of a connection",
    "Step": "of a deal's log, and of the lesson",
    "Table": "the first record of a log, and the machine that keeps it",
    "Verdict": "of a seat after a deal, and of a limit on a caller",
}
"""Class names that stand in more than one module, and what they are there. May become fewer."""


def definitions() -> Iterator[tuple[str, str, bool]]:
    """(module, top-level name, whether a class) of the whole house."""
    for room, folder in ROOMS.items():
        for path in folder.rglob("*.py"):
            parts = [room, *path.relative_to(folder).with_suffix("").parts]
            module = ".".join(part for part in parts if part != "__init__")
            for node in ast.parse(path.read_text("utf-8")).body:
                match node:
                    case ast.ClassDef(name=name):
                        yield module, name, True
                    case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                        yield module, name, False
                    case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                        yield module, name, False


DEFINED = list(definitions())


def test_there_is_a_glossary_and_no_word_stands_twice_in_it() -> None:
    words = [word for word, _, _ in ROWS]
    assert len(words) >= 25
    assert len(set(words)) == len(words)
    assert len({where for _, _, where in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("word", "where"), [(word, where) for word, _, where in ROWS])
def test_a_word_of_the_glossary_is_defined_where_it_says(word: str, where: str) -> None:
    module, _, name = where.rpartition(".")
    assert (module, name) in {(m, n) for m, n, _ in DEFINED}, f"{word}: there is no {name} in {module}"


def test_no_two_classes_have_one_name_but_for_those_that_are_listed() -> None:
    classes: dict[str, list[str]] = {}
    for module, name, is_class in DEFINED:
        if is_class and not name.startswith("_"):
            classes.setdefault(name, []).append(module)
    twice = {name: modules for name, modules in classes.items() if len(modules) > 1}
    assert {name: modules for name, modules in twice.items() if name not in TWICE} == {}
    assert set(TWICE) <= set(twice), "these stand once now: take them out of the list"
