"""The tables of PROTOCOL.md that follow from the code.

``python3 dev.py python -m goat_tools.tables`` prints them; ``--write`` puts them into the document, between lines
``<!-- table: NAME -->`` and ``<!-- end -->``. A test holds the two equal.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from goat_net.log import absence_table, faults, records
from goat_net.log.chain import _Unsigned
from goat_net.log.deal import _ALLOWED, DealStage
from goat_net.log.faults import Fault
from goat_net.log.proof import PROOFS
from goat_net.wire import link, messages, notices, sentences
from goat_net.wire.codec import Bytes, Flag, Int, Many, Name, Registry, SignedText, Spec, Struct, Text
from goat_tools import ROOT, stories

DOCUMENT: Final = ROOT / "goat_net" / "PROTOCOL.md"
_BLOCK: Final = re.compile(r"(?<=^<!-- table: )([a-z ]+)( -->\n)(.*?)(?=^<!-- end -->$)", re.MULTILINE | re.DOTALL)

AT_ONCE: Final = "at once"
AT_AUDIT: Final = "audit"
_WHEN: Final = {
    Fault.WRONG_SHUFFLE: AT_AUDIT,
    Fault.WRONG_CUT: AT_AUDIT,
    Fault.WRONG_LOCK: AT_AUDIT,
    Fault.EMPTY_DISCARD: AT_AUDIT,
    Fault.FOREIGN_DISCARD: AT_AUDIT,
    Fault.PLAYED_DISCARD: AT_AUDIT,
    Fault.WRONG_PLAY: AT_AUDIT,
    Fault.SPOILT_DECK: AT_AUDIT,
    Fault.EMPTY_CLAIM: "at once; a claim that was never shown: audit",
}

_BOUNDS: Final = (
    ("wire.codec", "MAX_MESSAGE MAX_ARRAY MAX_DEPTH"),
    ("wire.text", "NAME_CELLS TALK_CHARS"),
    ("log.chain", "MAX_ENTRIES"),
    ("log.fold", "MAX_REFUSALS"),
    ("log.first_entry", "MAX_CARRIED"),
    ("log.absence_table", "MAX_WAITS PAUSES OUT_AFTER"),
    ("log.proof", "MAX_FILE"),
    ("log.refusals", "OVERDUE"),
    ("wire.words", "TABLE_WORDS CODE_WORDS"),
)


def spec_text(spec: Spec) -> str:
    """The bounds of a field in words."""
    match spec:
        case Int(low=low, high=high):
            return f"int {low}–{high}"
        case Flag():
            return "bool"
        case Bytes(low=low, high=high):
            return f"bytes {low}" if high in (-1, low) else f"bytes {low}–{high}"
        case Text(limit=limit, blank=blank):
            return f"text {0 if blank else 1}–{limit}"
        case SignedText(limit=limit, blank=blank):
            return f"string {0 if blank else 1}–{limit}"
        case Name(blank=blank):
            return "name or empty" if blank else "name"
        case Many(item=item, low=low, high=high):
            count = f"{low}" if low == high else f"{low}–{high}"
            return f"list {count} of {spec_text(item)}"
        case Struct():
            return f"[{spec.cls.__name__}]"
    raise TypeError(f"no words for {spec!r}")


def _fields(struct: Struct) -> str:
    return "; ".join(f"`{name}` {spec_text(spec)}" for name, spec in struct.specs) or "–"


def _first_sentence(text: str) -> str:
    flat = " ".join(text.split()).replace("``", "`")
    return re.split(r"(?<=[.:?]) (?=[A-Z`0-9(])", flat, maxsplit=1)[0].rstrip(":.") if flat else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _registry(registry: Registry) -> str:
    rows = [(n, f"`{s.cls.__name__}`", _fields(s), _first_sentence(s.cls.__doc__ or "")) for n, s in registry]
    return _table(("kind", "name", "fields", "what"), rows)


def _structs(classes: Iterable[type[Any]]) -> str:
    rows = []
    for cls in classes:
        rows.append((f"`{cls.__name__.lstrip('_')}`", _fields(Struct(cls)), _first_sentence(cls.__doc__ or "")))
    return _table(("structure", "fields", "what"), rows)


def _notices() -> str:
    rows = []
    for saying in notices.Saying:
        texts, numbers = notices.VALUES.get(saying, ((), ()))
        told = sentences.meaning(saying)
        rows.append((int(saying), f"`{saying.name}`", ", ".join(texts) or "–", ", ".join(numbers) or "–", told))
    return _table(("number", "saying", "texts", "numbers", "for example, in English"), rows)


def _forms() -> str:
    unanswered = faults.UNANSWERED
    rows = [(int(f), f"`{f.name}`", text, "no" if f in unanswered else "yes") for f, text in faults.FORM_TEXTS.items()]
    return _table(("number", "form error", "when", "refused by an entry"), rows)


def _faults() -> str:
    rows = [(f"`{f.name}`", f"seat … {f.value}", _WHEN.get(f, AT_ONCE)) for f in Fault]
    return _table(("offence", "in words", "known"), rows)


def _deal_stages() -> str:
    stages = [s for s in DealStage if s is not DealStage.DONE]
    rows = [
        (f"`{kind.__name__}`", *("yes" if s in allowed else "–" for s in stages)) for kind, allowed in _ALLOWED.items()
    ]
    rows.append(("`Open`", *("offence" if s is not DealStage.OPEN else "yes" for s in stages)))
    return _table(("record", *(s.name for s in stages)), rows)


def _seat_states() -> str:
    """What a seat may enter in each state. `Leave`, `PauseClock`, `Vote` and `Unheard` have their own conditions."""
    rows = []
    for state, kinds in absence_table.MAY_ENTER.items():
        few = ", ".join(sorted(f"`{k.__name__}`" for k in kinds or ()))
        names = "all that may stand at its place" if kinds is None else few
        asked = "yes" if state is absence_table.State.HERE else "no"
        rows.append((state.value, _STATE_WORDS[state], names, asked))
    return _table(("state", "when", "may enter", "pauses, is asked, bears witness"), rows)


_STATE_WORDS: Final = {
    absence_table.State.HERE: "else",
    absence_table.State.AWAY: "from an `Away` until it enters what it owes, or the people wait",
    absence_table.State.LEFT: "from its `Leave` on",
    absence_table.State.CAUGHT: "from an offence until the deal is over",
    absence_table.State.LOST: "when the log goes on without it",
}


def _missing_seats() -> str:
    rows = []
    for where in absence_table.Where:
        place = absence_table.MISSING.get(where)
        if place is None:
            rows.append((where.value, "–", "–", "–"))
        else:
            asked = "the people of the other team" if place.asked else "nobody: lost at once"
            rows.append((where.value, asked, place.deal, place.pays))
    return _table(("stage", "who is asked", "the deal then", "its team may pay"), rows)


def _clocks() -> str:
    rows = [(c.name, c.seconds, c.by, c.ends, c.stands) for c in absence_table.CLOCKS]
    return _table(("clock", "seconds", "who counts, for whom", "what follows", "stands still"), rows)


def _absence_diagram() -> str:
    lines = [f"    {a.value} --> {b.value}: {why.replace('`', '')}" for a, why, b in absence_table.CHANGES]
    return "\n".join(("```mermaid", "stateDiagram-v2", "    [*] --> here", *lines, "```")) + "\n"


def _states() -> str:
    open_kinds = {kind for kind in link.TRANSITIONS[link.State.OPEN] if kind not in (messages.Bye, messages.Refused)}
    rows = []
    for state, following in link.TRANSITIONS.items():
        if state is link.State.OPEN:
            names = ", ".join(sorted(f"`{kind.__name__}`" for kind in open_kinds))
            rows.append((state.name, names, "OPEN"))
        for kind, after in following.items():
            if state is not link.State.OPEN or kind not in open_kinds:
                rows.append((state.name, f"`{kind.__name__}`", after.name))
    return _table(("state", "message that may come", "then"), rows)


def _value(value: object) -> str:
    if isinstance(value, int) and value >= 1 << 20 and value % (1 << 20) == 0:
        return f"{value >> 20} MiB"
    if isinstance(value, int) and value >= 1 << 14 and value % 1024 == 0:
        return f"{value >> 10} KiB"
    return f"{value:g}" if isinstance(value, float) else f"{value}"


def _bounds() -> str:
    rows = []
    for name, constants in _BOUNDS:
        module = import_module(f"goat_net.{name}")
        lines = Path(str(module.__file__)).read_text("utf-8").splitlines()
        for constant in constants.split():
            rows.append((f"`{constant}`", _value(getattr(module, constant)), _comment(lines, constant)))
    return _table(("bound", "value", "reason"), rows)


def _stories() -> str:
    head = ("bots; owner", "entries", "then")
    return _table(head, stories.rows())


def _comment(lines: Sequence[str], constant: str) -> str:
    at = next(i for i, line in enumerate(lines) if line.startswith(f"{constant}: Final ="))
    above: list[str] = []
    while lines[at - 1 - len(above)].startswith("# "):
        above.insert(0, lines[at - 1 - len(above)][2:])
    _, _, behind = lines[at].partition("  # ")
    return " ".join([*above, behind]).strip() or "–"


def tables() -> dict[str, str]:
    """Every table by its name, as Markdown."""
    signed = (records.SeatEntry, records.Carried, records.Caught, records.Settings)
    structs = (*signed, messages.LobbySeat, messages.Watching, messages.House, notices.Notice)
    return {
        "messages": _registry(messages.MESSAGES),
        "states": _states(),
        "record": _structs([_Unsigned]).replace("`Unsigned`", "record"),
        "bodies": _registry(records.BODIES),
        "structures": _structs(structs),
        "deal stages": _deal_stages(),
        "seat states": _seat_states(),
        "missing seats": _missing_seats(),
        "absence diagram": _absence_diagram(),
        "clocks": _clocks(),
        "stories": _stories(),
        "form errors": _forms(),
        "offences": _faults(),
        "proof": _registry(PROOFS),
        "notices": _notices(),
        "bounds": _bounds(),
    }


def replaced(text: str) -> str:
    """The document with every table as the code has it. Raises KeyError for a table that there is not."""
    made = tables()
    return _BLOCK.sub(lambda m: f"{m[1]}{m[2]}{made[m[1]]}", text)


def names(text: str) -> list[str]:
    """Tables that a document has."""
    return [m[1] for m in _BLOCK.finditer(text)]


def main(argv: Sequence[str]) -> int:
    """Print the tables, or write them into the document."""
    if argv == ["--write"]:
        DOCUMENT.write_text(replaced(DOCUMENT.read_text("utf-8")), "utf-8")
    else:
        for name, table in tables().items():
            sys.stdout.write(f"{name}\n\n{table}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
