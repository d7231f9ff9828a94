"""The levels of bots that a table offers: one row each, and everything that names a level reads them here.

Light: the command line, forms and help need the names before any bot is loaded. How a mind thinks stands in
`goat_engine.bots.players`.
"""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Mind: TypeAlias = Literal["by hand", "tuned", "net"]


@dataclass(frozen=True, slots=True)
class BotLevel:
    """``mind``: the heuristic as set by hand or as tuned by play, or the net. ``noise``: share of moves that are any
    harmless move instead of the best."""

    name: str
    mind: Mind
    noise: float = 0.0


BOT_LEVELS: Final = (
    BotLevel("easy", "by hand", noise=0.6),
    BotLevel("medium", "by hand", noise=0.08),
    BotLevel("hard", "tuned"),
    BotLevel("expert", "net"),
)
"""Weakest first."""

LEVELS: Final = tuple(level.name for level in BOT_LEVELS)
EXPERT: Final = LEVELS[-1]
"""The strongest: it gives hints, and is the partner of who plays alone."""
