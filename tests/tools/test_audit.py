"""`dev.py audit`: what was not looked at is never called good."""

import json
import subprocess
from typing import Any

import pytest
from goat_tools import audit

GOOD = {"name": "msgpack", "version": "1.1.0", "vulns": []}
BAD = {"name": "zeroconf", "version": "0.1", "vulns": [{"id": "PYSEC-1"}, {"id": "PYSEC-2"}]}
UNSEEN = {"name": "wcwidth", "skip_reason": "Dependency not found"}
OURS = {"name": "goat-cards", "skip_reason": "distribution marked as editable"}


@pytest.mark.parametrize(
    ("packages", "code", "says"),
    [
        ([GOOD, OURS], 0, "1 packages were looked at; something is known against 0"),
        ([GOOD, BAD], 1, "zeroconf 0.1: PYSEC-1, PYSEC-2"),
        ([GOOD, UNSEEN], 2, "1 could not be looked at. The first: wcwidth (Dependency not found)"),
        ([UNSEEN, BAD], 1, "zeroconf 0.1"),
        ([UNSEEN, OURS], 2, "this says nothing"),
        ([], 2, "this says nothing"),
    ],
)
def test_an_audit_says_what_it_has_looked_at(
    packages: list[Any], code: int, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json.dumps({"dependencies": packages})
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0, report, ""))
    assert audit.main() == code
    assert says in capsys.readouterr().out


def test_an_audit_that_fails_is_no_good_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = subprocess.CompletedProcess((), 1, "", "Traceback ...\nConnectionError: no network\n")
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ended)
    assert audit.main() == 2
    assert "Nothing was looked at, pip-audit has failed: ConnectionError: no network" in capsys.readouterr().out
