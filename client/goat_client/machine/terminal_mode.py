"""Which screen fits the terminal: the full one, lines of text, or none. No terminal library is imported here."""

import os
import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import IO, Final

DUMB: Final = frozenset({"", "dumb", "unknown", "emacs"})
NO_TERMINAL: Final = (
    "goat needs a terminal to draw its table. Run it in one, or play by lines of text with --plain (goat --help)."
)


class Mode(StrEnum):
    """How to talk to the person."""

    FULL = "full"
    PLAIN = "plain"
    NONE = "none"  # nobody could answer: `NO_TERMINAL` says what to do


def choose(
    *,
    plain: bool = False,
    environ: Mapping[str, str] | None = None,
    stdin: IO[str] | None = None,
    stdout: IO[str] | None = None,
) -> Mode:
    """The mode for these streams. Plain by request, for TERM=dumb, or when output is no terminal but input can be
    read; none when input is no terminal and plain mode was not asked for."""
    env = os.environ if environ is None else environ
    source, target = stdin or sys.stdin, stdout or sys.stdout
    if plain:
        return Mode.PLAIN
    if source is None or source.closed or not source.isatty():
        return Mode.NONE
    if target is None or not target.isatty():
        return Mode.PLAIN
    return Mode.PLAIN if sys.platform != "win32" and env.get("TERM", "") in DUMB else Mode.FULL
