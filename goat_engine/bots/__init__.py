"""Bots: they see a seat's view and nothing else.

``choose`` is all that a table needs; ``hint`` says what expert would do and why. README.md beside this file
says how the levels are made and how strong they are.
"""

from random import Random

from goat_engine.actions import Action, Show
from goat_engine.bots.players import decide
from goat_engine.bots.reasons import Hint, hint
from goat_engine.bots.table import action_of, see
from goat_engine.levels import LEVELS
from goat_engine.state import Phase
from goat_engine.view import SeatView

__all__ = ["LEVELS", "Hint", "choose", "hint"]


def choose(view: SeatView, rng: Random, level: str = "hard") -> Action:
    """The action of a bot of this level for a seat that owes one: a legal one, in the slots of the view.

    A bot claims a molodka at its own turn or when it is asked, never out of turn. The same view and the same
    state of ``rng`` give the same action. Raises ValueError when the seat owes nothing or there is no such
    level (see ``LEVELS``).
    """
    if level not in LEVELS:
        raise ValueError(f"there is no level {level!r}; the levels are {', '.join(LEVELS)}")
    if view.deal.phase is Phase.SHOW and view.owes:
        return Show(view.molodka)
    return action_of(view, decide(level, see(view), rng))
