"""How bots sit at a table with people: names, faces, pace, and whose partner plays at its best."""

from collections.abc import Collection, Iterable
from random import Random
from typing import Final

from goat_engine.levels import LEVELS
from goat_engine.rules import Seat, partner_of

#: Names and faces, in ASCII so that every terminal shows them; what goats like to eat.
NAMES: Final = (
    ("Clover", "(o_o)"),
    ("Thistle", "(>_<)"),
    ("Bramble", "(-_o)"),
    ("Nettle", "(^_^)"),
    ("Willow", "(u_u)"),
    ("Juniper", "(O_o)"),
    ("Barley", "(._.)"),
    ("Hazel", "(*_*)"),
    ("Fennel", "(=_=)"),
    ("Rowan", "(~_~)"),
    ("Sorrel", "(o_O)"),
    ("Mallow", "(n_n)"),
)

#: Seconds a bot takes for a move at a table with people.
PACE: Final = (0.6, 1.2)


def names(count: int, taken: Iterable[str], rng: Random) -> list[tuple[str, str]]:
    """Names and faces for ``count`` bots, 0 to 4, none of them in ``taken`` (whatever the case)."""
    avoid = {name.casefold() for name in taken}
    free = [pair for pair in NAMES if pair[0].casefold() not in avoid]
    return rng.sample(free, count)


def pause(rng: Random, pace: tuple[float, float] = PACE) -> float:
    """Seconds to wait before a move: drawn without a look at the cards, for forced moves and yields too, so
    that a bot's time tells nothing."""
    return rng.uniform(*pace)


def level_at(seat: Seat, asked: str, people: Collection[Seat], *, best_partner: bool = True) -> str:
    """The level of the bot on a seat: the one asked for, but a person's partner plays at its best.

    ``people``: the seats of persons. ``best_partner=False`` leaves the partner at the level asked for.
    """
    return LEVELS[-1] if best_partner and partner_of(seat) in people else asked
