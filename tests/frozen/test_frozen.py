"""Matches that older programs have played are judged as on the day they were played, for ever."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from goat_client.game.review import reviewed
from goat_client.saved.matchfile import open_match
from goat_client.saved.results import of_fold
from goat_host.room import TableSetup
from goat_host.table import Table

from goat_engine.rules import SEATS, Rules
from goat_net.log.chain import ChainError, parse_record, read_file
from goat_net.log.fold import Fold
from goat_net.log.proof import check_file
from goat_net.log.records import ClaimPlay, Complain, Refuse, Settings, ShowPlay, YieldPlay
from goat_net.log.statutes import STATUTES
from goat_net.log.succession import score_of
from goat_net.wire.identity import Identity
from goat_net.wire.messages import PROTOCOL
from tests.frozen.make import EXPECTED, HERE, told
from tests.net.auditor import audit, carried_falsely
from tests.net.mini import told_by_the_project, told_of

FOLDERS = sorted(path for path in HERE.iterdir() if path.name.isdigit())
CASES = [(f, c) for f in FOLDERS for c in json.loads((f / EXPECTED).read_text("utf-8"))]
LOGS = [path for folder in FOLDERS for path in sorted(folder.glob("*.goat"))]


def _id(value: object) -> str:
    return value.name if isinstance(value, Path) else "+".join(value["files"]) if isinstance(value, dict) else ""


@pytest.mark.parametrize(("folder", "case"), CASES, ids=_id)
def test_verify_says_what_it_said_then(folder: Path, case: dict[str, Any]) -> None:
    """D: old saved matches still verify."""
    assert told(folder, tuple(case["files"])) == {"code": case["code"], "objects": case["objects"]}


def test_every_protocol_but_the_newest_has_frozen_matches() -> None:
    assert {f.name for f in FOLDERS} >= {str(number) for number in STATUTES if number < PROTOCOL}
    assert len(CASES) >= 9


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_log_is_of_the_protocol_of_its_folder(path: Path) -> None:
    fold = check_file(path.read_bytes()).fold
    assert fold.table is not None
    assert fold.statutes.protocol == fold.table.protocol == int(path.parent.name)


def _expected(path: Path) -> list[dict[str, Any]]:
    """The deals of one file as they were told then."""
    cases = json.loads((path.parent / EXPECTED).read_text("utf-8"))
    case = next(c for c in cases if c["files"] == [path.name])
    return [one for one in case["objects"] if one["kind"] == "deal" and one.get("finished", True)]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_statistics_count_its_deals(path: Path) -> None:
    counted = of_fold(read_file(path.read_bytes()))
    assert [None if d.void else list(d.points) for d in counted] == [d["points"] for d in _expected(path)]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_replay_and_review_go_through_it(path: Path) -> None:
    told_then = [d for d in _expected(path) if d["checked"]["in_full"]]
    if not told_then:
        return
    match = open_match(str(path))
    assert [None if d.result is None else list(d.result.points) for d in match.deals] == [
        d["points"] for d in told_then
    ]
    counted = next((d for d in match.deals if d.result is not None), None)
    assert counted is None or reviewed(counted.record, SEATS).rows


OLD = [path for path in LOGS if int(path.parent.name) < PROTOCOL]


@pytest.mark.parametrize("path", OLD, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_table_is_played_at_by_an_older_protocol(path: Path) -> None:
    """A host who begins a log of an older protocol would play by fewer rules."""
    first = next(read_file(path.read_bytes()))
    Fold().take(first)
    with pytest.raises(ChainError, match="a table plays by"):
        Fold(live=True).take(first)


@pytest.mark.parametrize(("name", "key"), [("clean", "11/table"), ("excused", 21)])
def test_a_table_goes_on_with_the_score_of_an_older_log(name: str, key: str | int) -> None:
    path, identity = HERE / "1" / f"{name}.goat", Identity.from_seed(random.Random(key).randbytes(32))
    entries = list(read_file(path.read_bytes()))[:60]
    fold = Fold()
    for entry in entries:
        fold.take(entry)
    assert fold.table is not None
    setup = TableSetup("Old", "test", Rules(), Settings(60, 0, 0, True, True, b""))
    table = Table.from_journal(identity, setup, bytes, entries)
    assert table.fold is None
    assert table.carried == (score_of(fold),)


JUDGED_TWICE = [path for path in LOGS if path.parent.name != "1" or path.stem not in ("charged", "excused")]


@pytest.mark.parametrize("path", JUDGED_TWICE, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_second_auditor_says_the_same_of_it(path: Path) -> None:
    """Of protocol 1 it does not know who leaves and votes."""
    data = path.read_bytes()
    auditor, fault = audit(data)
    assert told_of(auditor, fault) == told_by_the_project(check_file(data))


SCORES = sorted(HERE.glob("*/score.proof"))


@pytest.mark.parametrize("path", SCORES, ids=lambda path: path.parent.name)
def test_a_false_score_is_shown_by_both_auditors(path: Path) -> None:
    assert carried_falsely(path.read_bytes()) == "score"


def test_the_matches_of_protocol_2_have_all_of_its_kinds() -> None:
    """Whoever changes what one of them means must see it here."""
    logs = [read_file(path.read_bytes()) for path in LOGS if path.parent.name == "2"]
    bodies = {type(parse_record(entry.record).body) for log in logs for entry in log}
    assert bodies >= STATUTES[2].kinds - {Complain, ClaimPlay, ShowPlay, YieldPlay, Refuse}
