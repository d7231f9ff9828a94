"""What a person can set: read from and written to a TOML file in the config folder."""

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from goat_client.machine.glyphs import ASCII, SUIT_SETS, UNICODE, Glyphs
from goat_engine.levels import LEVELS
from goat_net.exits import PersonError
from goat_net.files import FileError, MissingFileError, read_given, shown
from goat_net.language import offered
from goat_net.wire.text import clean_name

Value: TypeAlias = bool | int | float | str

WARNINGS: Final = 5  # said about one file
SHOWN: Final = 40  # signs of a value in a warning
FILE_LIMIT: Final = 65536  # a hand-written page of settings; more is not ours


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults. Times are in seconds."""

    name: str = ""
    level: str = "medium"
    hold: float = 1.2
    confirm: bool = False
    remind: bool = True
    hints: bool = True
    bell: bool = True
    title: bool = True
    mouse: bool = False
    four_colours: bool = False
    colour: str = "auto"
    ascii: str = "auto"
    suits: str = "auto"
    reveal: float = 0.6
    watch: bool = True
    port: int = 0
    pace: str = "normal"
    forced: bool = False
    lang: str = "auto"


@dataclass(frozen=True, slots=True)
class Option:
    """One setting as the settings screen shows it: ``about`` is at most 26 cells, the room there is in the narrowest
    window; ``values`` are what a key press steps through; empty means free text. ``low``..``high`` bound a number read
    from a file."""

    key: str
    label: str
    about: str
    values: tuple[Value, ...] = ()
    low: float = 0
    high: float = 0


PACES: Final = {"instant": 0.0, "quick": 0.5, "normal": 1.0, "slow": 2.5}
"""How long bots think, by setting: 1 is 0.6 to 1.2 seconds. What they did stays to be seen as long as any trick."""

LANGUAGE: Final = Option("lang", "Language", "auto asks the locale", ("auto", *offered()))
OPTIONS: Final = (
    Option("name", "Your name", "at most 16 cells wide"),
    Option("level", "Bots' level", "for tables of your own", LEVELS),
    Option("hold", "A trick stays for", "seconds, or until a key", (0.6, 1.2, 2.0, 3.0, 5.0), 0, 30),
    Option("reveal", "Deal is opened at", "seconds each; 0: at once", (0.0, 0.3, 0.6, 1.0), 0, 10),
    Option("pace", "Bots play", "at tables of your own", tuple(PACES)),
    Option("confirm", "Confirm plays", "Enter or D twice a play", (False, True)),
    Option("forced", "Plays by itself", "what is the only play", (False, True)),
    Option("remind", "Molodka reminder", "before you break one up", (True, False)),
    Option("hints", "Hints", "H asks the bots' engine", (True, False)),
    Option("bell", "Bell at my turn", "", (True, False)),
    Option("title", "Window title", "a mark at your turn", (True, False)),
    Option("mouse", "Mouse", "Shift selects text then", (False, True)),
    Option("four_colours", "Four colours", "clubs green, diamonds blue", (False, True)),
    Option("colour", "Colours", "NO_COLOR turns them off", ("auto", "none", "16", "256", "true")),
    Option("ascii", "ASCII only", "auto asks the locale", ("auto", "yes", "no")),
    Option("suits", "Suits as", "auto: words in plain mode", ("auto", "symbols", "letters", "russian", "words")),
    Option("watch", "Watchers allowed", "at tables you host", (True, False)),
    Option("port", "Port to host on", "0 takes any free one", (), 0, 65535),
    *((LANGUAGE,) if len(offered()) > 1 else ()),  # a choice of one is none
)
BY_KEY: Final = {o.key: o for o in (*OPTIONS, LANGUAGE)}


class SettingsError(PersonError):
    """The settings file can't be read or written; the text says which file and what to do."""


def load(path: Path) -> tuple[Settings, tuple[str, ...]]:
    """Settings of a TOML file and warnings about what in it was not understood; defaults if there is no file.

    Raises SettingsError when the file is there but is no readable TOML.
    """
    try:
        text = read_given(path, FILE_LIMIT, own=True)
    except MissingFileError:
        return Settings(), ()
    except FileError as error:
        raise SettingsError(f"The settings can't be read: {error}") from error
    try:
        data = tomllib.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, tables in tables in tables
        why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise SettingsError(f"The settings in {shown(path)} can't be read ({why}); mend or delete the file") from error
    return from_mapping(data)


def from_mapping(data: Mapping[str, object]) -> tuple[Settings, tuple[str, ...]]:
    """Settings from plain values and a warning for each that is unknown or does not fit."""
    settings, warnings = Settings(), []
    known = {f.name for f in fields(Settings)}
    for key, value in data.items():
        if key not in known:
            warnings.append(f"unknown setting {_brief(key)} is ignored")
        elif not _fits(key, value):
            warnings.append(f"setting {key} can't be {_brief(value)}; {getattr(settings, key)!r} is used")
        else:
            kind = type(getattr(settings, key))
            settings = replace(settings, **{key: kind(value)})
    if settings.name:  # the file is written by hand, and a name is shown wherever this one is
        settings = replace(settings, name=clean_name(settings.name, ""))
    if len(warnings) > WARNINGS:
        warnings[WARNINGS:] = [f"and {len(warnings) - WARNINGS} more like that"]
    return settings, tuple(warnings)


def _brief(value: object) -> str:
    """A value of the file in a sentence: tables and lists by their kind, the rest cut."""
    if isinstance(value, (dict, list)):
        return "a table" if isinstance(value, dict) else "a list"
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**SHOWN else "so large a number"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _fits(key: str, value: object) -> bool:
    option, default = BY_KEY[key], getattr(Settings(), key)
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, (int, float)):
        whole = not isinstance(default, int) or isinstance(value, int)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return whole and number and isinstance(value, (int, float)) and option.low <= value <= option.high
    if not isinstance(value, str) or len(value) > 200:
        return False
    if option is LANGUAGE:
        return value in ("auto", *offered())
    return not option.values or value in option.values


def dump(settings: Settings) -> str:
    """The settings as TOML, each with what it means; those at their defaults are commented out."""
    out = ["# Settings of goat. Delete a line to get the default back."]
    for option in OPTIONS:
        value, default = getattr(settings, option.key), getattr(Settings(), option.key)
        shown = _toml(value)
        about = f"{option.label}: {option.about}" if option.about else option.label
        out.append("")
        out.append(f"# {about}")
        out.append(f"{option.key} = {shown}" if value != default else f"# {option.key} = {shown}")
    return "\n".join(out) + "\n"


def _toml(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(ch if ch.isprintable() else f"\\u{ord(ch):04x}" for ch in escaped) + '"'
    return repr(value)


def save(settings: Settings, path: Path) -> None:
    """Write the settings, whole or not at all. Raises SettingsError when the folder can't be written."""
    new = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(dump(settings), encoding="utf-8")
        new.replace(path)
    except OSError as error:
        raise SettingsError(f"The settings can't be saved to {shown(path)}: {error.strerror}") from error


def step(settings: Settings, key: str, by: int = 1) -> Settings:
    """The settings with one option moved to its next (or previous) value; unchanged for free text."""
    values = BY_KEY[key].values
    if not values:
        return settings
    now = getattr(settings, key)
    at = values.index(now) if now in values else 0
    changes: dict[str, Any] = {key: values[(at + by) % len(values)]}
    return replace(settings, **changes)


def with_setting(settings: Settings, key: str, text: str) -> tuple[Settings, str]:
    """The settings with one of them as typed, and a sentence about it; unchanged when it can't be so."""
    default = getattr(Settings(), key, "")
    value: object = text
    if isinstance(default, bool):
        value = {"yes": True, "no": False, "true": True, "false": False}.get(text.lower(), text)
    elif isinstance(default, (int, float)) and text.replace(".", "", 1).isdecimal():
        value = float(text) if "." in text else int(text)
    elif key == "name":
        value = clean_name(text)
    probe, warnings = from_mapping({key: value})
    if warnings:
        return settings, warnings[0]
    changes: dict[str, Any] = {key: getattr(probe, key)}
    return replace(settings, **changes), f"{key} = {yes_or_no(getattr(probe, key))}"


def yes_or_no(value: Value) -> str:
    """A value as a person reads and types it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def glyphs_for(settings: Settings, encoding: str | None = None) -> Glyphs:
    """The signs to draw with: ASCII if asked for, or when the output's encoding can't write the others."""
    plain = not _can_write(encoding) or (encoding is None and _posix_locale(os.environ))
    ascii_only = settings.ascii == "yes" or (settings.ascii == "auto" and plain)
    if ascii_only:
        return ASCII
    return replace(UNICODE, suits=SUIT_SETS[settings.suits])


def _posix_locale(environ: Mapping[str, str]) -> bool:
    """Whether somebody has asked for the C locale, which has only ASCII. Python writes UTF-8 there all the same."""
    named = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := environ.get(name))), "")
    return named in ("C", "POSIX")


def _can_write(encoding: str | None) -> bool:
    name = encoding or getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        "♠●▒╭…✓".encode(name)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def no_colour(settings: Settings, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether colours are off, by setting or by NO_COLOR."""
    return settings.colour == "none" or bool(environ.get("NO_COLOR"))
