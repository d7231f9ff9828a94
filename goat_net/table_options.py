"""What a table is opened with: its options, one frozen value with a JSON form, and the choices of the house.

`HOUSE_RULES` declares each choice of the house once (RULES.md, House rules): name, range, default, words, number of
the rule. The command line, the form, the lobby, the help and the views are made from it. Light: it is imported before
anything else is.
"""

import argparse
import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Value: TypeAlias = int | bool | str

CLOCK_LEAST: Final = 5  # s for a move: less than that is a network's delay
CLOCK_MOST: Final = 3600  # s, of either part of the clock (PROTOCOL.md, Bodies)
NAME_MOST: Final = 64  # characters of a name before it is cleaned


class OptionsError(Exception):
    """A value cannot be. The text is a sentence for the person."""


@dataclass(frozen=True, slots=True)
class HouseRule:
    """One choice of the house. ``key``: the field of `TableOptions`. ``rule``: its number in RULES.md, empty for what
    is no rule of the game. ``label``: in a form. ``help``: what the value means. ``choices``: what a form steps
    through, with the default among them. ``low`` and ``high``: bounds of a number. ``unit`` stands behind a number."""

    key: str
    rule: str
    label: str
    help: str
    default: Value
    choices: tuple[Value, ...]
    low: int = 0
    high: int = 1
    unit: str = ""
    metavar: str = "N"

    def parse(self, text: str) -> Value:
        """A value as it is typed. Raises OptionsError."""
        text = text.strip()
        if isinstance(self.default, bool):
            if text.casefold() in ("yes", "no"):
                return text.casefold() == "yes"
            raise OptionsError(f"{self.label}: write yes or no")
        if isinstance(self.default, str):
            return clock_text(*clock_seconds(text)) if text not in ("", "off") else ""
        if not text.isdecimal() or len(text) > 9 or not self.low <= int(text) <= self.high:
            raise OptionsError(f"{self.label}: a number from {self.low} to {self.high}")
        return int(text)

    def check(self, value: object) -> None:
        """Whether a value is one of this rule. Raises OptionsError."""
        if type(value) is not type(self.default):
            raise OptionsError(f"{self.label}: {value!r} is no value for it")
        self.parse({True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value))

    def shown(self, value: Value) -> str:
        """A value in words, as a form and a list show it."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            base, more = clock_seconds(value) if value else (0, 0)
            return f"{base} s for a move, {more} s more for a deal" if value else "off"
        return f"{value} {self.unit}".strip()


HOUSE_RULES: Final[tuple[HouseRule, ...]] = (
    HouseRule(
        "target", "R22", "Defeat points to lose", "defeat points that make a goat",
        12, (6, 12, 20, 30), low=1, high=99,
    ),
    HouseRule(
        "eggs_double", "R21", "Double after eggs", "the deal after eggs (60:60) counts double",
        False, (False, True),
    ),
    HouseRule(
        "clock", "", "Turn clock", "turn clock: seconds for each move, and a reserve for each deal; off when left out",
        "", ("", "15+30", "30+60", "60+120"), metavar="S+S",
    ),
    HouseRule(
        "grace", "R24", "Grace for who is away", "seconds until the others decide about an absent seat",
        180, (60, 180, 600, 3600), low=0, high=3600, unit="s", metavar="S",
    ),
    HouseRule(
        "hints", "", "Hints during a deal", "let players ask for hints during a deal",
        True, (True, False),
    ),
)  # fmt: skip
"""In the order of a form."""

BY_KEY: Final[Mapping[str, HouseRule]] = {rule.key: rule for rule in HOUSE_RULES}


def clock_seconds(text: str) -> tuple[int, int]:
    """The two parts of a turn clock as it is typed, such as 30+60. Raises OptionsError."""
    base, _, more = text.partition("+")
    digits = base.isdecimal() and (more or "0").isdecimal() and len(text) < 12
    if not (digits and CLOCK_LEAST <= int(base) <= CLOCK_MOST and int(more or 0) <= CLOCK_MOST):
        raise OptionsError(f"{text} is no turn clock: write seconds for a move and a reserve, as in 30+60")
    return int(base), int(more or 0)


def clock_text(base: int, more: int) -> str:
    """`clock_seconds` the other way round; empty for no clock."""
    return f"{base}+{more}" if base else ""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """See the module. ``bots``: levels of bots on free seats, the last one goes on. ``fill``: they sit at once.
    ``pace``: how long they think, 1 is 0.6 to 1.2 s. ``owner``: public key of the player whose machine hosts, in hex,
    ``operator``: the file of that key. ``yield_time``: ms (R17). ``seed``: for tests and demos only."""

    name: str = "Goat table"
    port: int = 0
    interface: tuple[str, ...] = ()
    discovery: bool = True
    watch: bool = True
    bots: tuple[str, ...] = ("hard",)
    fill: bool = False
    pace: float = 1.0
    target: int = 12
    eggs_double: bool = False
    clock: str = ""
    grace: int = 180
    hints: bool = True
    yield_time: int = 3000
    seed: str = ""
    owner: str = ""
    operator: str = ""

    def __post_init__(self) -> None:
        """Raises OptionsError when a value cannot be."""
        for rule in HOUSE_RULES:
            rule.check(getattr(self, rule.key))
        if not 0 <= self.port <= 65535:
            raise OptionsError("A port is a number from 1 to 65535; leave it out to get a free one")
        if not 0 <= self.yield_time <= 60_000 or not 0 <= self.pace <= 60:
            raise OptionsError("A time of the table is out of its bounds: --yield-time up to 60000, --pace up to 60")
        if not self.bots or len(self.name) > NAME_MOST:
            raise OptionsError("A table has a level for its bots, and a name of at most 64 characters")

    @property
    def clock_seconds(self) -> tuple[int, int]:
        """Seconds for a move and in reserve; (0, 0) without a clock."""
        return clock_seconds(self.clock) if self.clock else (0, 0)

    def to_json(self) -> dict[str, Any]:
        """As it is given to a table's process and kept beside its journal."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: object) -> "TableOptions":
        """`to_json` of this or another version: what this one does not know is passed over, what is not there has its
        default. Raises OptionsError."""
        if not isinstance(data, dict):
            raise OptionsError("the options of a table are a JSON object")
        plain = cls()
        given: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            if field.name in data:
                given[field.name] = _as(data[field.name], getattr(plain, field.name), field.name)
        return cls(**given)


def _as(value: object, like: object, name: str) -> object:
    """A value out of JSON in the type of the default. Raises OptionsError."""
    if isinstance(like, tuple):
        if isinstance(value, list | tuple) and all(isinstance(v, str) for v in value):
            return tuple(value)
    elif isinstance(like, float):
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif type(value) is type(like):
        return value
    raise OptionsError(f"{name} can't be {str(value)[:40]}")


def add_house_rules(parser: argparse.ArgumentParser) -> None:
    """One option of the command line for each choice of the house."""
    for rule in HOUSE_RULES:
        name, told = f"--{rule.key.replace('_', '-')}", f"{rule.help} ({rule.rule})" if rule.rule else rule.help
        if isinstance(rule.default, bool):
            parser.add_argument(name, action=argparse.BooleanOptionalAction, default=rule.default, help=told)
        else:
            kind = int if isinstance(rule.default, int) else str
            parser.add_argument(name, type=kind, default=rule.default, metavar=rule.metavar, help=told)


def house_of(options: argparse.Namespace) -> dict[str, Any]:
    """The choices of the house on a command line of `add_house_rules`, as fields of `TableOptions`, which checks them.
    Raises OptionsError."""
    found: dict[str, Any] = {rule.key: getattr(options, rule.key, rule.default) for rule in HOUSE_RULES}
    clock = str(found["clock"])
    return {**found, "clock": clock_text(*clock_seconds(clock)) if clock not in ("", "off", "0+0") else ""}


def dumped(options: TableOptions, code: str | None) -> str:
    """The first line of a table's input."""
    return json.dumps({"options": options.to_json(), "code": code})
