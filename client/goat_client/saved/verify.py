"""``goat verify FILE...``: saved matches and proofs checked without the table (goat_net/PROTOCOL.md, Saved matches and
proofs). Reads files, prints what was checked and who cheated, and can save the proof of it."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

from goat_client.saved.verify_log import CHEAT, GOOD, UNREADABLE, Log, Report, say_log
from goat_engine.cards import SUIT_SYMBOLS, SUITS
from goat_net.files import FileError, read_given, shown
from goat_net.log.chain import LogFileError, parse_record
from goat_net.log.faults import FORM_TEXTS, FormError
from goat_net.log.proof import (
    MAX_FILE,
    PROOF_HEADER,
    CarryProof,
    ForkProof,
    ProofError,
    RefusalProof,
    cheat_proof,
    check_file,
    culprit,
    find_fork,
    read_proof,
)
from goat_net.log.records import HOST
from goat_net.log.succession import Altered, succession
from goat_net.wire.codec import WireError
from goat_net.wire.words import table_words

_SUMMARY: Final = {
    GOOD: "All that is there is good.",
    CHEAT: "Not everything is good: see above.",
    UNREADABLE: "Something could not be read or written: see above.",
}
_LETTERS: Final[dict[str, int | str | None]] = {**dict(zip(SUIT_SYMBOLS, SUITS, strict=True)), "×": "x"}
MAX_FILES: Final = 64  # of one evening; each pair of them may have to be compared


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="saved matches, or proofs that were saved by --proof")
    parser.add_argument("--proof", type=Path, metavar="OUT", help="save the proof of a cheat or fork, if there is any")
    parser.add_argument("--json", action="store_true", help="JSON, an object a line: each deal, each file, a summary")


def run(args: argparse.Namespace) -> int:
    """0: all good; 1: a cheat or damage; 2: something could not be read or written."""
    report = verify([Path(name) for name in args.files], args.proof)
    out: TextIO = sys.stdout
    report.say(_SUMMARY[report.code])
    if args.json:
        report.objects.append({"kind": "summary", "code": report.code, "good": report.code == GOOD})
        text = "\n".join(json.dumps(one, ensure_ascii=True) for one in report.objects)
    else:
        text = "\n".join(report.lines)
    out.write(_writable(text, out.encoding or "ascii", ascii_only=getattr(args, "ascii", False)) + "\n")
    return report.code


def _writable(text: str, encoding: str, *, ascii_only: bool) -> str:
    """The text as this output can take it: suits as letters where symbols can't be shown, names escaped."""
    try:
        "".join(_LETTERS).encode(encoding)
    except UnicodeEncodeError:
        ascii_only = True
    plain = text.translate(str.maketrans(_LETTERS)) if ascii_only else text
    return plain.encode(encoding, "backslashreplace").decode(encoding)


def verify(files: Sequence[Path], proof: Path | None = None) -> Report:
    """Check files, compare those that belong together, save the proof that was asked for."""
    report = Report()
    logs: list[Log] = []
    proven: list[bytes] = []
    if len(files) > MAX_FILES:
        report.say(f"That are {len(files)} files; at most {MAX_FILES} are checked at once.", UNREADABLE)
        return report
    for path in files:
        name = shown(path)
        data = _read(path, name, report)
        if data is None:
            continue
        if data.startswith(PROOF_HEADER):
            if _say_proof(name, data, report):
                proven.append(data)
            continue
        try:
            log = Log(name, check_file(data))
        except LogFileError as error:
            _say_unreadable(name, f"{error}.", report)
            continue
        logs.append(log)
    logs = in_order(logs)
    for log in logs:
        say_log(log, report)
    proven += _forks(logs, report)
    _links(logs, report)
    proven += [data for log in logs if (data := cheat_proof(log.checked)) is not None]
    if proof is not None:
        _save(proof, proven, report)
    return report


def _read(path: Path, name: str, report: Report) -> bytes | None:
    try:
        return read_given(path, MAX_FILE)
    except FileError as error:
        _say_unreadable(name, f"it {error.why}.", report)
        return None


def _say_unreadable(name: str, why: str, report: Report) -> None:
    report.say(f"{name}: {why}", UNREADABLE)
    report.objects.append({"kind": "file", "file": name, "readable": False, "text": why})


def _save(path: Path, proven: Sequence[bytes], report: Report) -> None:
    if not proven:
        report.say(f"There is no cheat and no fork to prove: {shown(path)} was not written.")
        return
    try:
        with path.open("xb") as file:
            file.write(proven[0])
    except OSError as error:
        report.say(f"The proof cannot be saved as {shown(path)} ({error.strerror}). Name another file.", 2)
        return
    report.say(f"The proof is saved as {shown(path)} ({len(proven[0])} bytes): goat verify reads it alone.")


# Files together


def _forks(logs: Sequence[Log], report: Report) -> list[bytes]:
    """Compare copies of one log."""
    found = []
    for index, one in enumerate(logs):
        for other in logs[index + 1 :]:
            if one.checked.fold.chain.log_id != other.checked.fold.chain.log_id or one.checked.fold.table is None:
                continue
            fork = find_fork(one.checked, other.checked)
            if fork is None:
                short = min(len(one.checked.signed), len(other.checked.signed))
                report.say(f"{one.name} and {other.name} are the same match and agree in their first {short} entries")
                continue
            _say_fork(f"{one.name} and {other.name}", fork, report)
            found.append(fork.to_bytes())
    return found


def _say_fork(name: str, fork: ForkProof, report: Report) -> None:
    table, number = fork.table, fork.fork.number
    names = tuple(s.name for s in table.seats)
    report.say(f"{name}: a fork. The host cheated: the host's key signed two different entries number {number}", CHEAT)
    report.say(f"  table {table.name}, key of the host {table.table_key.hex()}")
    if fork.fork.nonces:
        report.say(f"  table words: {' '.join(table_words(fork.id))}")
    branches = [_branch(branch.record, names) for branch in fork.branches]
    for text, branch in zip(branches, fork.branches, strict=True):
        report.say(f"  head {branch.head.hex()[:16]}: {text}")
    report.objects.append(
        {
            "kind": "fork",
            "file": name,
            "match": fork.id.hex(),
            "table_key": table.table_key.hex(),
            "number": number,
            "heads": [branch.head.hex() for branch in fork.branches],
            "entries": branches,
        }
    )


def _branch(raw: bytes, names: Sequence[str]) -> str:
    try:
        record = parse_record(raw)
    except WireError:
        return "something that is no record"
    who = "the host" if record.author == HOST else culprit(record.author, names)
    return f"{type(record.body).__name__} of {who} in deal {record.deal}"


def _say_proof(name: str, data: bytes, report: Report) -> bool:
    """Say what a proof shows; False when it shows nothing."""
    try:
        proof = read_proof(data)
        if isinstance(proof, ForkProof):
            _say_fork(name, proof, report)
        elif isinstance(proof, CarryProof):
            _say_carry(name, proof, report)
        else:
            _say_refusal(name, proof, report)
    except ProofError as error:
        report.say(f"{name}: this proof proves nothing: {error}", CHEAT)
        report.objects.append({"kind": "file", "file": name, "readable": True, "text": str(error)})
        return False
    return True


def _say_carry(name: str, proof: CarryProof, report: Report) -> None:
    """A score that is carried on falsely: whose, from which match, why."""
    table, before = proof.table, proof.before
    text = f"the host carries on a score that {proof.flaw}"
    report.say(f"{name}: a false score. The host cheated: {text}", CHEAT)
    report.say(f"  table {table.name}, key of the host {table.table_key.hex()}")
    report.say(f"  table words of the match before: {' '.join(table_words(before.id))}")
    report.say(f"  the {len(before.chain)} entries of that match in it: numbers, chain and all signatures are good")
    report.objects.append(
        {
            "kind": "carried",
            "file": name,
            "match": before.id.hex(),
            "table_key": table.table_key.hex(),
            "flaw": proof.flaw.name,
            "text": text,
        }
    )


def _say_refusal(name: str, proof: RefusalProof, report: Report) -> None:
    """A false refusal: whose record, what it was, why it was not to be refused."""
    fold, shown = proof.fold, proof.shown
    table = fold.table
    assert table is not None
    record, number = shown.record, shown.number
    names = tuple(s.name for s in table.seats)
    said = FORM_TEXTS[FormError(shown.refusal.reason)]
    judged = shown.judged
    if record.author != shown.refusal.seat:
        why = f"as one of {culprit(shown.refusal.seat, names)}"
    elif judged.form is not None:
        why = f"for a reason that is not so: {said} (in truth: {FORM_TEXTS[judged.form]})"
    elif judged.fault is not None:
        why = f"though it was to be entered, as the proof that the seat {judged.fault.value}"
    else:
        why = "though it was valid"
    text = f"the host refused seat {record.author}'s record {why} (entry {number})"
    report.say(f"{name}: a false refusal. The host cheated: {text}", CHEAT)
    report.say(f"  table {table.name}, key of the host {table.table_key.hex()}")
    if fold.match is not None:
        report.say(f"  table words: {' '.join(table_words(fold.id))}")
    report.say(f"  the record: {_branch(record.raw, names)}, signed by key {table.seats[record.author].key.hex()[:16]}")
    report.say(f"  the host's reason: {said}")
    report.say(f"  the {number} entries before it: numbers, chain and all signatures are good")
    report.objects.append(
        {
            "kind": "refusal",
            "file": name,
            "match": fold.id.hex(),
            "table_key": table.table_key.hex(),
            "number": number,
            "seat": record.author,
            "deal": fold.deal.number if fold.deal else 0,
            "record": type(record.body).__name__,
            "reason": FormError(shown.refusal.reason).name,
            "text": text,
        }
    )


def in_order(logs: Sequence[Log]) -> list[Log]:
    """The logs so that a match stands before the one that carries its score on; else as they were named."""
    by_match = {log.checked.fold.id: log for log in logs if log.checked.fold.match is not None}
    out: list[Log] = []

    def put(log: Log, above: int) -> None:
        if any(log is one for one in out):
            return
        table = log.checked.fold.table
        for carried in table.carried if table else ():
            before = by_match.get(carried.match_id)
            if before is not None and before is not log and above:
                put(before, above - 1)
        out.append(log)

    for log in logs:
        put(log, len(logs))
    return out


def _links(logs: Sequence[Log], report: Report) -> None:
    """Matches that carry on the score of another one."""
    by_match = {log.checked.fold.id: log for log in logs if log.checked.fold.match is not None}
    for log in logs:
        table = log.checked.fold.table
        for carried in table.carried if table else ():
            before = by_match.get(carried.match_id)
            if before is None:
                report.say(f"{log.name} carries on the score of a match that is not among these files")
                continue
            _say_link(log, before, report)
    _say_forked(logs, report)


def _say_link(log: Log, before: Log, report: Report) -> None:
    """What one match makes of the score of the match before."""
    assert log.checked.fold.table is not None
    link = succession(before.checked.fold, log.checked.fold.table)
    assert link is not None
    said = f"{log.name} carries on {before.name}"
    unknown = link.entry is None and link.flaw is None
    serious = [c for c in link.changes if c.what is not Altered.DEALT]
    good = link.flaw is None and not serious
    if link.flaw is not None:
        report.say(f"{said}: the host cheated, it carries on a score that {link.flaw}", CHEAT)
    elif unknown:
        report.say(f"{said}, but from a head that is not in that log: one of them is not what it says", CHEAT)
    elif link.rest:
        report.say(f"{said} from entry {link.entry} on; that log has {link.rest} entries more", GOOD if good else CHEAT)
    else:
        report.say(f"{said}: its last head and score are right", GOOD if good else CHEAT)
    for change in link.changes:
        what = f"{change.what} ({change.name})" if change.name else str(change.what)
        values = f": {change.before}" if change.before else ""
        values += f" before, {change.now} now" if change.now else ""
        report.say(f"  changed: {what}{values}", GOOD if change.what is Altered.DEALT else CHEAT)
    report.objects.append(
        {
            "kind": "link",
            "file": log.name,
            "before": before.name,
            "good": good,
            "flaw": None if link.flaw is None else link.flaw.name,
            "changes": [c.what.name for c in link.changes],
        }
    )


def _say_forked(logs: Sequence[Log], report: Report) -> None:
    """Two matches that carry on one score: the match has gone on twice."""
    heirs: dict[bytes, Log] = {}
    for log in logs:
        table = log.checked.fold.table
        for carried in table.carried if table and log.checked.fold.match is not None else ():
            first = heirs.setdefault(carried.match_id, log)
            if first.checked.fold.chain.log_id != log.checked.fold.chain.log_id:
                report.say(f"{first.name} and {log.name} both carry on one match: it has gone on twice", CHEAT)
