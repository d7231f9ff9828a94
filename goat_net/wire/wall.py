"""Walls: what is raised while one peer is served ends the service of that peer, and nobody else notices.

A peer's own mistake is an exception of its kind and never comes this far. What comes here is a mistake of this
program that some peer has found. Without a wall it would end every connection of the process: one task of a group
fails, and all others with it. So there is a wall around each connection of a table, each direct line, each probe, the
line to the table, each bot, and around what stands beside them in one group: a table's clock and its announcing, the
lobby's own round and its search; and nowhere else.

A fault is counted, and logged once: a line that says what has ended, and the traceback at level debug. Tests set
GOAT_TEST_STRICT: then a wall counts and raises again, so that our own mistakes still fail tests. A test that wants the
wall to stand takes the variable away.
"""

import logging
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

log = logging.getLogger(__name__)

STRICT_VARIABLE: Final = "GOAT_TEST_STRICT"
PLACES_MAX: Final = 64  # places in the program that are told apart: who finds more of them fills no memory and no disk


ELSEWHERE: Final = ("something", "elsewhere")


@dataclass(slots=True)
class Fall:
    """What has happened behind a wall. ``error``: what was raised, or None."""

    error: Exception | None = None


faults: Counter[tuple[str, str]] = Counter()
"""How often what was ended by what: the wall's name, and the exception with its place in the program."""


@contextmanager
def wall(what: str) -> Iterator[Fall]:
    """Whatever exception the block raises ends the block and goes no further. ``what``: what the block serves, for the
    log. The block's result says by ``error`` whether it came to its end."""
    fall = Fall()
    try:
        yield fall
    except Exception as error:  # the one place for that
        fall.error = error
        note(what, error)
        if os.environ.get(STRICT_VARIABLE):
            raise


def note(what: str, error: Exception) -> None:
    """Count a fault, and log it when it is the first one of its place."""
    first = _innermost(error)
    place = (what, f"{type(first).__name__} at {_place(first)}")
    if place not in faults and len(faults) >= PLACES_MAX:
        place = ELSEWHERE
    faults[place] += 1
    if faults[place] == 1:
        log.warning("A fault of this program has ended %s (%s); everything else goes on", *place)
        log.debug("The fault that has ended %s", what, exc_info=error)


def _innermost(error: Exception) -> Exception:
    """What was raised first: task groups wrap it."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _place(error: Exception) -> str:
    """File and line where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "?"
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"  # noqa: PTH119 - no file is meant
