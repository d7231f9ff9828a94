"""``python3 dev.py languages``: what there is to translate, and the words of each language that is whole.

    goat_net/language/goat.pot   every sentence of the program, found in its code
    goat_net/language/xx.po      a language, by a translator; new sentences are added to it here, without words
    goat_net/language/xx.mo      what the program reads: made when nothing is missing, so half a language is not offered

``--check`` (in `dev.py lint`) makes nothing and says what is wrong: a template that is out of date, a sentence that
is put together in code, names in braces that a translation lacks or invents, plural forms that are missing. Babel reads
and compiles the languages; without any, and for the template, it is not needed.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from goat_net.language import FOLDER
from goat_tools import ROOT

ROOMS: Final = ("goat_net", "client/goat_client", "client/goat_web", "host/goat_host")
DOORS: Final = {"_": 1, "later": 1, "ngettext": 2}  # calls of `goat_net.language`, with how many sentences each takes
TEMPLATE: Final = FOLDER / "goat.pot"
HEAD: Final = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
_NAMES: Final = re.compile(r"\{(\w*)[^{}]*\}")

Sentence: TypeAlias = tuple[str, ...]  # one, or singular and plural


def found(path: Path, root: Path = ROOT) -> Iterator[tuple[Sentence, str]]:
    """Sentences of a module with an empty text, and mistakes: a call of a door with something else than what is written
    there. `_` of a name alone says what `later` has written down."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or name not in DOORS:
            continue
        said = [a.value for a in node.args[: DOORS[name]] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if len(said) == DOORS[name]:
            yield tuple(said), ""
        elif name != "_" or not all(isinstance(argument, ast.Name) for argument in node.args):
            yield (), f"{path.relative_to(root)}:{node.lineno}: {name} takes a sentence as it is written, whole"


def extracted() -> tuple[dict[Sentence, list[str]], list[str]]:
    """Every sentence of the program with the files that it stands in, and what is wrong in these."""
    sentences: dict[Sentence, list[str]] = {}
    wrong = []
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            for sentence, mistake in found(path):
                if mistake:
                    wrong.append(mistake)
                else:
                    where = sentences.setdefault(sentence, [])
                    where += [] if path.relative_to(ROOT).as_posix() in where else [path.relative_to(ROOT).as_posix()]
    return sentences, wrong


def quoted(text: str) -> str:
    """A text as it stands in such a file."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def template(sentences: Mapping[Sentence, Sequence[str]]) -> str:
    """The template as text. It has neither date nor line numbers: it changes only when a sentence does."""
    out = [HEAD]
    for sentence, where in sentences.items():
        lines = [f"#: {' '.join(where)}", *(["#, python-brace-format"] if names(sentence[0]) else [])]
        lines.append(f"msgid {quoted(sentence[0])}")
        lines += [f"msgid_plural {quoted(more)}" for more in sentence[1:]]
        lines += ['msgstr[0] ""', 'msgstr[1] ""'] if sentence[1:] else ['msgstr ""']
        out.append("\n".join(lines) + "\n")
    return "\n".join(out)


def names(sentence: str) -> set[str]:
    """Names in braces."""
    return set(_NAMES.findall(sentence))


def faults(sentences: Mapping[Sentence, Sequence[str]], said: Any) -> Iterator[str]:
    """What keeps a language from being offered. ``said``: its `babel.messages.Catalog`."""
    for sentence in sentences:
        message = said.get(sentence[0])
        told = () if message is None else (message.string,) if isinstance(message.string, str) else message.string
        if not told or not all(told) or message.fuzzy:
            yield f"not translated: {sentence[0]}"
            continue
        if sentence[1:] and len(told) != said.num_plurals:
            yield f"{len(told)} forms of {said.num_plurals}: {sentence[0]}"
        allowed = set().union(*(names(one) for one in sentence))
        for form in told:  # the form for one thing may leave its number out
            if not names(form) <= allowed or (not sentence[1:] and names(form) != allowed):
                yield f"names in braces differ: {sentence[0]}"


def read(path: Path) -> Any:
    """A translation, as Babel reads it."""
    from babel.messages.pofile import read_po

    with path.open("rb") as file:
        return read_po(file, locale=path.stem)


def check(folder: Path = FOLDER) -> list[str]:
    """What is wrong. A sentence that is not translated is no mistake: its language is not offered."""
    sentences, wrong = extracted()
    if not TEMPLATE.exists() or TEMPLATE.read_text("utf-8") != template(sentences):
        wrong.append("goat.pot is out of date: python3 dev.py languages")
    for path in sorted(folder.glob("*.po")):
        wrong += [f"{path.name}: {f}" for f in faults(sentences, read(path)) if not f.startswith("not translated")]
    return wrong


def make(folder: Path = FOLDER) -> list[str]:
    """Write the template, add what is new to each language, compile those that are whole; says what became of each."""
    sentences, wrong = extracted()
    (folder / TEMPLATE.name).write_text(template(sentences), "utf-8")
    for path in sorted(folder.glob("*.po")):
        from babel.messages.mofile import write_mo
        from babel.messages.pofile import read_po, write_po

        with (folder / TEMPLATE.name).open("rb") as file:
            plain = read_po(file)
        said = read(path)
        said.update(plain, no_fuzzy_matching=True)
        with path.open("wb") as file:
            write_po(file, said, width=120, include_lineno=False, ignore_obsolete=True)
        missing = list(faults(sentences, said))
        compiled = path.with_suffix(".mo")
        compiled.unlink(missing_ok=True)
        if not missing:
            with compiled.open("wb") as file:
                write_mo(file, said)
        print(f"{path.stem}: " + (f"{len(missing)} sentences to do, so it is not offered" if missing else "whole"))
    return wrong


def main(argv: Sequence[str]) -> int:
    """Make, or with ``--check`` say what is wrong. Returns 1 when something is."""
    wrong = check() if "--check" in argv else make()
    print("\n".join(wrong) if wrong else "languages: all good")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
