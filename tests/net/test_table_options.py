"""A table's options: one value, its JSON form, and the choices of the house with their bounds."""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import pytest
from goat_host.keep import ResumeError, Started, _started
from goat_host.launch import options_of, options_of_old, parser
from goat_host.serve import setup_of

from goat_engine.rules import Rules
from goat_net.log.records import BODIES, Settings, Table
from goat_net.table_options import (
    BY_KEY,
    HOUSE_RULES,
    OptionsError,
    TableOptions,
    add_house_rules,
    clock_seconds,
    dumped,
    house_of,
)

RULES = Path(__file__).parents[2] / "goat_engine" / "RULES.md"


def test_the_defaults_are_those_of_the_rules() -> None:
    """V10: one declaration; what it says by default is what RULES.md says."""
    setup = setup_of(TableOptions(), None)
    assert setup.rules == Rules()
    assert setup.settings == Settings(180, 0, 0, True, True, b"")
    text = RULES.read_text(encoding="utf-8")
    assert all(f"**{rule.rule}**" in text for rule in HOUSE_RULES if rule.rule)


@pytest.mark.parametrize("rule", HOUSE_RULES, ids=lambda rule: rule.key)
def test_a_choice_is_declared_once_and_reaches_the_match(rule: object) -> None:
    """V10: each value that a form offers is typed, shown, given on a command line, kept, and stands in the record."""
    assert rule in HOUSE_RULES
    rule = next(r for r in HOUSE_RULES if r is rule)
    assert rule.default in rule.choices
    assert getattr(TableOptions(), rule.key) == rule.default
    seen = set()
    for value in rule.choices:
        rule.check(value)
        seen.add(rule.shown(value))
        typed = {True: "yes", False: "no", "": "off"}.get(value, str(value))
        assert rule.parse(typed) == value
        options = replace(TableOptions(), **{rule.key: value})
        assert TableOptions.from_json(json.loads(json.dumps(options.to_json()))) == options
        setup = setup_of(options, None)
        numbers = (setup.rules.target, setup.rules.eggs_double, setup.settings)
        assert (numbers == (12, False, Settings(180, 0, 0, True, True, b""))) is (value == rule.default)
    assert len(seen) == len(rule.choices)


def test_bounds_are_those_of_the_log() -> None:
    """What may be chosen may stand in a table's record, and nothing beyond it is taken."""
    for key, low, high in (("target", 1, 99), ("grace", 0, 3600)):
        rule = BY_KEY[key]
        assert (rule.low, rule.high) == (low, high)
        for bad in (str(low - 1), str(high + 1), "x", "", "9" * 5000, "1.5"):
            with pytest.raises(OptionsError, match=rule.label):
                rule.parse(bad)
    for bad in ("4+0", "3601", "10+3601", "a+b", "+", "10+", "5" * 5000):
        if bad == "10+":
            assert clock_seconds(bad) == (10, 0)
            continue
        with pytest.raises(OptionsError):
            clock_seconds(bad)
    for field, bad_value in (("target", 0), ("target", True), ("eggs_double", 1), ("port", 70_000), ("bots", ()),
                             ("clock", "1+1"), ("grace", "180"), ("yield_time", -1), ("name", "x" * 65)):  # fmt: skip
        with pytest.raises(OptionsError):
            TableOptions(**{field: bad_value})
    assert any(struct.cls is Table for _, struct in BODIES)


def test_a_command_line_has_every_choice() -> None:
    """V10: double eggs had no option, the target a hidden one."""
    words = argparse.ArgumentParser()
    add_house_rules(words)
    args = words.parse_args(["--target=20", "--eggs-double", "--clock=30+60", "--grace=60", "--no-hints"])
    assert house_of(args) == {"target": 20, "eggs_double": True, "clock": "30+60", "grace": 60, "hints": False}
    assert TableOptions(**house_of(words.parse_args([]))) == TableOptions()
    with pytest.raises(OptionsError, match="turn clock"):
        house_of(words.parse_args(["--clock=1"]))


def test_options_of_another_version_are_read() -> None:
    """What this version does not know is passed over, what is missing has its default, nonsense is a sentence."""
    assert TableOptions.from_json({"name": "X", "of a later version": [1], "pace": 2}) == TableOptions("X", pace=2.0)
    for bad in (None, [], {"name": 3}, {"interface": "eth0"}, {"target": 1000}, {"grace": 1.5}, {"watch": "yes"}):
        with pytest.raises(OptionsError):
            TableOptions.from_json(bad)
    assert json.loads(dumped(TableOptions(), "banan"))["code"] == "banan"


def test_a_table_that_was_kept_as_arguments_goes_on(tmp_path: Path) -> None:
    """What 0.1 has written beside a journal is read for ever; an option that is no more breaks no resume."""
    kept = ["--name=Old", "--bots=easy,hard", "--grace=60", "--clock=0+0", "--pace=0.5", "--target=20",
            "--yield-time=50", "--no-discovery", "--no-watch", "--no-hints", "--fill", "--owner=ab", "--operator=/k",
            "--interface=127.0.0.1", "--renamed-since=3"]  # fmt: skip
    path = tmp_path / "x.table"
    path.write_text(json.dumps({"arguments": kept, "port": 4321, "code": "banan"}))
    options = TableOptions(
        name="Old", bots=("easy", "hard"), grace=60, pace=0.5, target=20, yield_time=50, discovery=False, watch=False,
        hints=False, fill=True, owner="ab", operator="/k", interface=("127.0.0.1",),
    )  # fmt: skip
    assert _started(path) == Started(options, 4321, "banan")
    assert options_of(parser().parse_args(kept[:-1])) == options_of_old(kept) == options
    for damaged in ({"arguments": ["--target=many"], "port": 1, "code": None}, {"options": 3, "port": 1, "code": None}):
        path.write_text(json.dumps(damaged))
        with pytest.raises(ResumeError, match="damaged"):
            _started(path)
