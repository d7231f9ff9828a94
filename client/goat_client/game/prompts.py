"""Sentences that say what to do, in the words of the mode in which they are read: keys on the full screen, words in
plain mode. Each is whole, with named places for what differs; no mode names what another understands.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Prompts:
    """One way to play. ``go_on`` and ``sit`` begin or end a sentence of `goat_client.game.people`."""

    go_on: str
    sit: str
    take_over: str
    choose_lead: str
    choose_beat: str  # {count}: as in "2 cards"
    discards: str
    paused: str  # {name}
    breaks_by_lead: str
    breaks_by_discard: str
    confirm_lead: str  # {cards}
    confirm_molodka: str
    confirm_discard: str
    hints_off: str
    hint_claim: str  # {why}
    hint_yield: str
    accept: str
    vote: str  # {cost}
    last_vote: str  # {cost}: when nobody may wait any longer
    charge: str  # {name}, {cost}
    host_starts: str
    swap_whom: str
    forced_play: str
    forced_discard: str
    beat: str  # these five stand in the rules, for what is done
    discard: str
    molodka: str
    stand: str
    hint_rule: str
    take_over_table: str  # {name}


KEYS: Final = Prompts(
    go_on="Enter",
    sit="S",
    take_over="M takes the lead over with your molodka, Y lets theirs stand.",
    choose_lead="Choose the cards to lead first (1-4).",
    choose_beat="Choose the cards to beat with, or {count} to discard with D, first (1-4).",
    discards="D discards.",
    paused="Paused by {name}. P goes on.",
    breaks_by_lead="You hold a molodka! M leads all four. Enter once more breaks it up.",
    breaks_by_discard="You hold a molodka! M leads all four. D once more breaks it up.",
    confirm_lead="{cards}: press again to play them.",
    confirm_molodka="{cards}: press again to lead them.",
    confirm_discard="{cards}: press again to discard them face down.",
    hints_off="Hints are off in your settings (O).",
    hint_claim="Hint: claim your molodka (M). {why}",
    hint_yield="Hint: let it stand (Y). {why}",
    accept="Y accepts it, Q leaves.",
    vote="W waits on, E lets go (no score), C charges ({cost} points).",
    last_vote="E lets go (no score), C charges ({cost} points).",
    charge="Charge {name}'s team {cost} points? C once more does it.",
    host_starts="The host starts; press Enter when you are ready.",
    swap_whom="Mark another's seat (1-4, arrows): W asks to swap with it.",
    forced_play="Enter plays.",
    forced_discard="Enter discards.",
    beat="Enter",
    discard="D",
    molodka="M",
    stand="Y",
    hint_rule="H gives a hint.",
    take_over_table="{name} leaves and hands you the table. A takes it, N does not.",
)
"""For the full screen."""

LINES: Final = Prompts(
    go_on="An empty line",
    sit="sit",
    take_over="m takes the lead over with your molodka, y lets theirs stand.",
    choose_lead="Name the cards to lead, as in: 1 2",
    choose_beat="Name the cards to beat with, or put d before {count} to discard.",
    discards="Put d before them to discard.",
    paused="Paused by {name}. p goes on.",
    breaks_by_lead="You hold a molodka! m leads all four. The same once more breaks it up.",
    breaks_by_discard="You hold a molodka! m leads all four. The same once more breaks it up.",
    confirm_lead="{cards}: the same once more plays them.",
    confirm_molodka="{cards}: the same once more leads them.",
    confirm_discard="{cards}: the same once more discards them face down.",
    hints_off="Hints are off in your settings: set hints yes",
    hint_claim="Hint: claim your molodka (m). {why}",
    hint_yield="Hint: let it stand (y). {why}",
    accept="yes accepts it, q leaves.",
    vote="Say what is to be done: wait, excuse (no score) or charge ({cost} points).",
    last_vote="Say what is to be done: excuse (no score) or charge ({cost} points).",
    charge="Charge the team of {name} {cost} points? yes or no.",
    host_starts="The host starts. An empty line says that you are ready.",
    swap_whom="swap needs another's name or seat, as in: swap 2",
    forced_play="An empty line plays it.",
    forced_discard="An empty line discards.",
    beat="name the cards",
    discard="d before them",
    molodka="m",
    stand="y",
    hint_rule="h gives a hint.",
    take_over_table="{name} leaves and hands you the table. take takes it, no does not.",
)
"""For plain mode."""
