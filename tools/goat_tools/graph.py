"""The house as a graph: which module imports which, drawn from the imports alone.

    python3 dev.py python -m goat_tools.graph            packages, modules, lines, arrows, circles
    python3 dev.py python -m goat_tools.graph --write    the diagram of ARCHITECTURE.md
    python3 dev.py python -m goat_tools.graph --svg OUT  the same as a picture, with modules and lines

An *arrow* is one module that imports another, wherever in the file. A *chapter* is a package, two names deep at most
(``goat_net.wire``); modules that lie beside the chapters count to the room (``goat_net``).
"""

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from goat_tools import ROOT

ROOMS: Final = {
    "goat_engine": ROOT / "goat_engine",
    "goat_net": ROOT / "goat_net",
    "goat_host": ROOT / "host" / "goat_host",
    "goat_client": ROOT / "client" / "goat_client",
    "goat_rl": ROOT / "rl" / "goat_rl",
    "goat_web": ROOT / "client" / "goat_web",
}
DOCUMENT: Final = ROOT / "ARCHITECTURE.md"
BEGIN: Final = "<!-- diagram: made by `python3 dev.py make` -->\n"
END: Final = "<!-- end of the diagram -->\n"


@dataclass(frozen=True)
class Graph:
    """``lines``: module -> lines of its file. ``arrows``: (module, what it imports), each once."""

    lines: Mapping[str, int]
    arrows: frozenset[tuple[str, str]]
    packages: frozenset[str]

    def chapter(self, module: str) -> str:
        """The chapter or room that a module lies in."""
        parts = module.split(".")[:2]
        return ".".join(parts) if ".".join(parts) in self.packages else parts[0]

    def chapters(self) -> list[str]:
        """All chapters and rooms that hold a module, by name."""
        return sorted({self.chapter(module) for module in self.lines})

    def between(self) -> Counter[tuple[str, str]]:
        """(chapter, another) -> how many arrows lead from the one to the other."""
        pairs = ((self.chapter(a), self.chapter(b)) for a, b in self.arrows)
        return Counter(pair for pair in pairs if pair[0] != pair[1])


def read(rooms: Mapping[str, Path] = ROOMS) -> Graph:
    """The graph of the packages in these folders. Raises SyntaxError for a file that is no Python."""
    files: dict[str, Path] = {}
    packages = set()
    for room, folder in rooms.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [room, *path.relative_to(folder).with_suffix("").parts]
            if parts[-1] == "__init__":
                parts.pop()
                packages.add(".".join(parts))
            files[".".join(parts)] = path
    texts = {module: path.read_text("utf-8") for module, path in files.items()}
    arrows = {
        (module, other)
        for module, text in texts.items()
        for other in _imported(ast.parse(text), files)
        if other != module
    }
    return Graph({m: text.count("\n") for m, text in texts.items()}, frozenset(arrows), frozenset(packages))


def _imported(tree: ast.AST, known: Iterable[str]) -> Iterator[str]:
    """The modules of ours that a file imports: `from a import b` is a.b where that is one, else a."""
    modules = set(known)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                name = whole if whole in modules else node.module
                if name in modules:
                    yield name


def circles(arrows: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The groups of nodes each of which can be reached from every other, by size and name; best is none."""
    following: dict[str, set[str]] = {}
    for one, other in arrows:
        following.setdefault(one, set()).add(other)
        following.setdefault(other, set())
    reached = {node: _reach(node, following) for node in following}
    groups = {
        tuple(sorted(other for other in reached[node] if node in reached[other])) for node in following
        if node in reached[node]
    }  # fmt: skip
    return sorted((list(group) for group in groups), key=lambda group: (len(group), group))


def _reach(start: str, following: Mapping[str, set[str]]) -> set[str]:
    """What can be reached from a node by one arrow or more."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        fresh = following[ahead.pop()] - found
        found |= fresh
        ahead += fresh
    return found


def floors(nodes: Iterable[str], arrows: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The floor of each node: 0 for what imports nothing, else one above the highest that it imports. Nodes of one
    circle are on the floor that the way to them gives first."""
    following: dict[str, set[str]] = {node: set() for node in nodes}
    for one, other in arrows:
        following[one].add(other)
    found: dict[str, int] = {}

    def floor(node: str, way: tuple[str, ...]) -> int:
        if node not in found:
            below = [floor(other, (*way, node)) for other in sorted(following[node]) if other not in (*way, node)]
            found[node] = 1 + max(below, default=-1)
        return found[node]

    for node in sorted(following):
        floor(node, ())
    return found


def needed(arrows: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """The arrows without those that a longer way stands for: a drawing of these alone says the same."""
    pairs = set(arrows)
    following: dict[str, set[str]] = {}
    for one, other in pairs:
        following.setdefault(one, set()).add(other)
        following.setdefault(other, set())
    reached = {node: _reach(node, following) for node in following}
    return {
        (one, other) for one, other in pairs
        if not any(other in reached[third] and third not in reached[other] for third in following[one] - {other})
    }  # fmt: skip


def mermaid(graph: Graph) -> str:
    """Chapters and their arrows as a Mermaid diagram, without what changes from day to day (lines, counts). An arrow
    that a longer way stands for is left out."""
    lines = ["```mermaid", "flowchart TD"]
    names = {chapter: chapter.replace(".", "_") for chapter in graph.chapters()}
    lines += [f'    {name}["{chapter}"]' for chapter, name in names.items()]
    lines += [f"    {names[a]} --> {names[b]}" for a, b in sorted(needed(graph.between()))]
    return "\n".join([*lines, "```", ""])


def table(graph: Graph) -> str:
    """Chapters with modules, lines and arrows, as text."""
    out, into = Counter[str](), Counter[str]()
    for (one, other), count in graph.between().items():
        out[one] += count
        into[other] += count
    rows = [f"{'chapter':24} modules  lines  arrows: within    out     in"]
    for chapter in graph.chapters():
        modules = [module for module in graph.lines if graph.chapter(module) == chapter]
        lines = sum(graph.lines[module] for module in modules)
        within = sum(graph.chapter(a) == graph.chapter(b) == chapter for a, b in graph.arrows)
        rows.append(f"{chapter:24} {len(modules):7} {lines:6} {within:15} {out[chapter]:6} {into[chapter]:6}")
    total = sum(graph.lines.values())
    rows.append(f"{'all':24} {len(graph.lines):7} {total:6}  {len(graph.arrows)} arrows, "
                f"{1 + max(floors(graph.lines, graph.arrows).values())} floors of modules")  # fmt: skip
    for group in circles(graph.arrows):
        rows.append("circle of modules: " + " - ".join(group))
    for group in circles(graph.between()):
        rows.append("circle of chapters: " + " - ".join(group))
    return "\n".join(rows) + "\n"


def svg(graph: Graph) -> str:
    """The diagram as a picture: a floor is a row, an arrow is as wide as there are imports behind it."""
    arrows = graph.between()
    floor = floors(graph.chapters(), arrows)
    rows = [[c for c in graph.chapters() if floor[c] == n] for n in range(max(floor.values()), -1, -1)]
    width, high, gap, box = 1200, 120, 110, (170, 46)
    at = {
        chapter: ((place + 0.5) * width / len(row), gap / 2 + n * high)
        for n, row in enumerate(rows)
        for place, chapter in enumerate(row)
    }
    parts = []
    for (one, other), count in sorted(arrows.items()):
        (x1, y1), (x2, y2) = at[one], at[other]
        y1, y2 = y1 + box[1] / 2, y2 - box[1] / 2
        bend = f"M{x1:.0f} {y1:.0f} C{x1:.0f} {y1 + 40:.0f} {x2:.0f} {y2 - 40:.0f} {x2:.0f} {y2:.0f}"
        title = f"<title>{one} imports {other}: {count}</title>"
        parts.append(f'<path d="{bend}" stroke-width="{1 + count / 12:.1f}">{title}</path>')
    for chapter, (x, y) in at.items():
        modules = [m for m in graph.lines if graph.chapter(m) == chapter]
        what = f"{len(modules)} modules, {sum(graph.lines[m] for m in modules)} lines"
        corner = f'x="{x - box[0] / 2:.0f}" y="{y - box[1] / 2:.0f}"'
        parts.append(f'<rect {corner} width="{box[0]}" height="{box[1]}" rx="6"/>')
        parts.append(f'<text x="{x:.0f}" y="{y - 4:.0f}" font-weight="bold">{escape(chapter)}</text>')
        parts.append(f'<text x="{x:.0f}" y="{y + 14:.0f}" font-size="11">{what}</text>')
    lines = "path{fill:none;stroke:#8a5a2b;opacity:.55}rect{fill:#fff8ec;stroke:#5b3a17}"
    text = "text{font:14px sans-serif;text-anchor:middle}"
    height = gap + (len(rows) - 1) * high
    ground = f'<rect x="0" y="0" width="{width}" height="{height}" style="fill:white;stroke:none"/>'
    begin = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"><style>{lines}{text}</style>'
    return "\n".join([begin, ground, *parts, "</svg>", ""])


def replaced(text: str, graph: Graph) -> str:
    """A document with the diagram as the imports have it. Raises ValueError where its marks are missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{DOCUMENT.name} lacks the lines {BEGIN.strip()} and {END.strip()}")
    return before + begin + mermaid(graph) + end + after


def main(words: list[str] | None = None) -> int:
    """Print the table, write the diagram or draw the picture."""
    parser = argparse.ArgumentParser(prog="goat_tools.graph", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the diagram into ARCHITECTURE.md")
    parser.add_argument("--svg", type=Path, metavar="OUT", help="draw the picture into this file")
    options = parser.parse_args(words)
    graph = read()
    if options.write:
        DOCUMENT.write_text(replaced(DOCUMENT.read_text("utf-8"), graph), "utf-8")
    if options.svg:
        options.svg.write_text(svg(graph), "utf-8")
    if not options.write and not options.svg:
        sys.stdout.write(table(graph))
    return 0


if __name__ == "__main__":
    sys.exit(main())
