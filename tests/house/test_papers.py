"""The papers and the code say the same, and the tree holds nothing that belongs to one machine."""

import ast
import io
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAPERS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
BYTES = "tests/fuzz/crashes/"  # input that once did harm: no text, though some of it holds no zero byte
RULES = (ROOT / "goat_engine/RULES.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@cache
def tracked() -> tuple[str, ...]:
    """The names of all files under version control."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return tuple(name for name in listing.decode().split("\0") if name and (ROOT / name).is_file())


def texts() -> Iterator[tuple[str, str]]:
    """Name and text of every tracked file that is text."""
    for name in tracked():
        data = (ROOT / name).read_bytes()
        if b"\0" not in data and not name.startswith(BYTES):
            yield name, data.decode("utf-8")


def spoken(source: str) -> str:
    """Comments and strings of a Python file."""
    kinds = (tokenize.COMMENT, tokenize.STRING)
    return "\n".join(t.string for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type in kinds)


def rule_numbers() -> set[str]:
    return set(re.findall(r"^\*\*(R\d+a?)\*\*", RULES, re.MULTILINE))


def situation_numbers() -> set[str]:
    return set(re.findall(r"^\*\*(S\d+)\*\*", RULES, re.MULTILINE))


def test_every_rule_is_there_once_and_in_order() -> None:
    numbers = re.findall(r"^\*\*(R\d+a?)\*\*", RULES, re.MULTILINE)
    assert numbers == [f"R{n}{a}" for n in range(1, 27) for a in ("", "a") if a == "" or n == 17]


def test_cited_rules_exist() -> None:
    unknown = [
        f"{name}: {number}"
        for name, text in texts()
        if name.endswith((".py", ".md"))
        for number in re.findall(r"\bR\d{1,2}a?\b", spoken(text) if name.endswith(".py") else text)
        if number not in rule_numbers()
    ]
    assert unknown == []


def test_every_worked_situation_is_a_test_and_the_other_way_round() -> None:
    tree = ast.parse((ROOT / "tests/engine/test_situations.py").read_text("utf-8"))
    names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    tested = {match[1].upper() for name in names if (match := re.match(r"test_(s\d+)", name))}
    assert tested == situation_numbers()


def test_cited_situations_exist() -> None:
    cited = {number for _, text in texts() for number in re.findall(r"\bS[0-3]\d\b", text)}
    assert cited <= situation_numbers()


def protocol_headings() -> set[str]:
    """Numbers and names of all headings of the protocol's documents, in lower case."""
    found = set()
    for path in (ROOT / "goat_net").glob("PROTOCOL*.md"):
        for number, name in re.findall(r"^#+ (?:(\d+)\.? )?(.+)$", path.read_text("utf-8"), re.MULTILINE):
            found |= {number, name.lower()}
    return found


def cited_sections(text: str) -> Iterator[str]:
    """The sections named behind a document of the protocol: "(PROTOCOL.md, The log, Faults)" names two."""
    for tail in re.findall(r"\bPROTOCOL[a-z-]*\.md,\s+([^();:.]+)", re.sub(r"\s+(#\s)?", " ", text)):
        for name in tail.split(", "):
            plain = name.strip().strip('"').removeprefix("section ").removeprefix("sections ")
            if re.match(r"[A-Z0-9]", plain) and not re.match(r"[RS]\d", plain):
                yield plain.lower()


@pytest.mark.skipif(not (ROOT / "goat_net/PROTOCOL.md").exists(), reason="goat_net/PROTOCOL.md is not written yet")
def test_cited_documents_and_sections_of_the_protocol_exist() -> None:
    headings = protocol_headings()
    here = Path(__file__).name
    wrong = [
        f"{name}: {cited}"
        for name, text in texts()
        if name.endswith(".py") and not name.endswith(here)
        for cited in [
            *(d for d in re.findall(r"\bPROTOCOL[a-z-]*\.md", text) if not (ROOT / "goat_net" / d).exists()),
            *(section for section in cited_sections(spoken(text)) if section not in headings),
        ]
    ]
    assert wrong == []


def test_house_choices_match_the_rules_object() -> None:
    from goat_engine.rules import VOID_PENALTY, Rules

    rules = Rules()
    assert f"| defeat points that make a goat (R22) | {rules.target} |" in RULES
    assert f"| the deal after eggs counts double (R21) | {'yes' if rules.eggs_double else 'no'} |" in RULES
    assert f"answer goes out (R17) | {rules.yield_time // 1000} s |" in RULES
    assert f"| a proven cheat (R23) | deal void, {VOID_PENALTY} defeat points |" in RULES


def test_nothing_of_one_machine() -> None:
    here = "/tests/house/test_papers.py"
    strange = re.compile(r"(?<![\w.])/(?:work|root|tmp)/\w|\.\./shared|[A-Z]:\\Users|pypi\W?\.org|pythonhosted")
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts()
        if not here.endswith(name)
        for number, line in enumerate(text.splitlines(), 1)
        if strange.search(line)
    ]
    assert found == []


def test_no_lock_file_and_nothing_made() -> None:
    made = re.compile(r"(^|/)(uv\.lock|__pycache__|\.venv|dist|build|\.hypothesis)(/|$)|\.pyc$")
    assert [name for name in tracked() if made.search(name)] == []


def test_the_wheel_holds_only_names_of_goat() -> None:
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert all(Path(package).name.startswith("goat_") for package in packages)
    roots = sorted(str(path.parent.relative_to(ROOT)) for path in ROOT.glob("*/__init__.py"))
    roots += sorted(str(path.parent.relative_to(ROOT)) for path in ROOT.glob("[chr]*/goat_*/__init__.py"))
    assert sorted(packages) == sorted(set(roots))
    for package in packages:
        assert (ROOT / package / "py.typed").exists()


def test_the_newest_entry_of_the_changelog_is_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    assert newest is not None
    assert newest[1] == PROJECT["project"]["version"]


DECISIONS = ROOT / "docs/decisions"
HEADINGS = ["Chosen", "Why", "Cost", "Weighed", "Wrong if"]


def test_every_decision_has_its_page_its_headings_and_its_line() -> None:
    pages = {path.stem: path.read_text("utf-8") for path in DECISIONS.glob("*.md") if path.stem != "README"}
    table = (DECISIONS / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| \[([a-z0-9-]+)\]\(\1\.md\) \|", table, re.MULTILINE)
    assert sorted(listed) == sorted(pages)
    assert len(pages) >= 7
    for name, text in pages.items():
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS, name


@pytest.mark.parametrize("paper", PAPERS)
def test_files_that_a_paper_names_are_there(paper: str) -> None:
    text = (ROOT / paper).read_text("utf-8")
    named = re.findall(r"\]\(([^)#:]+)\)", text)
    named += re.findall(r"`(\w[\w./-]+(?:/|\.md|\.py|\.toml))`", text)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_ten_lines_of_the_readme_play_a_deal(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len([line for line in code.splitlines() if line]) == 10
    exec(compile(code, "README.md", "exec"), {})
    said = capsys.readouterr().out
    points = re.fullmatch(r"DealResult\(points=\((\d+), (\d+)\), .*\)\n", said)
    assert points is not None
    assert int(points[1]) + int(points[2]) == 120
