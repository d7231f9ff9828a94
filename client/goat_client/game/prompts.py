"""Sentences that say what to do, in the words of the mode in which they are read: keys on the full screen, words in
plain mode. Each is whole, with named places for what differs; no mode names what another understands.
"""

from dataclasses import dataclass
from typing import Final

from goat_net.language import _, later


@dataclass(frozen=True, slots=True)
class Prompts:
    """One way to play. ``go_on`` and ``sit`` begin or end a sentence of `goat_client.game.people`. Each is said in the
    players' language, whenever it is read."""

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

    def __getattribute__(self, name: str) -> str:
        sentence: str = object.__getattribute__(self, name)
        return sentence if name.startswith("__") else _(sentence)


KEYS: Final = Prompts(
    go_on=later("Enter"),
    sit=later("S"),
    take_over=later("M takes the lead over with your molodka, Y lets theirs stand."),
    choose_lead=later("Choose the cards to lead first (1-4)."),
    choose_beat=later("Choose the cards to beat with, or {count} to discard with D, first (1-4)."),
    discards=later("D discards."),
    paused=later("Paused by {name}. P goes on."),
    breaks_by_lead=later("You hold a molodka! M leads all four. Enter once more breaks it up."),
    breaks_by_discard=later("You hold a molodka! M leads all four. D once more breaks it up."),
    confirm_lead=later("{cards}: press again to play them."),
    confirm_molodka=later("{cards}: press again to lead them."),
    confirm_discard=later("{cards}: press again to discard them face down."),
    hints_off=later("Hints are off in your settings (O)."),
    hint_claim=later("Hint: claim your molodka (M). {why}"),
    hint_yield=later("Hint: let it stand (Y). {why}"),
    accept=later("Y accepts it, Q leaves."),
    vote=later("W waits on, E lets go (no score), C charges ({cost} points)."),
    last_vote=later("E lets go (no score), C charges ({cost} points)."),
    charge=later("Charge {name}'s team {cost} points? C once more does it."),
    host_starts=later("The host starts; press Enter when you are ready."),
    swap_whom=later("Mark another's seat (1-4, arrows): W asks to swap with it."),
    forced_play=later("Enter plays."),
    forced_discard=later("Enter discards."),
    beat=later("Enter"),
    discard=later("D"),
    molodka=later("M"),
    stand=later("Y"),
    hint_rule=later("H gives a hint."),
    take_over_table=later("{name} leaves and hands you the table. A takes it, N does not."),
)
"""For the full screen."""

LINES: Final = Prompts(
    go_on=later("An empty line"),
    sit=later("sit"),
    take_over=later("m takes the lead over with your molodka, y lets theirs stand."),
    choose_lead=later("Name the cards to lead, as in: 1 2"),
    choose_beat=later("Name the cards to beat with, or put d before {count} to discard."),
    discards=later("Put d before them to discard."),
    paused=later("Paused by {name}. p goes on."),
    breaks_by_lead=later("You hold a molodka! m leads all four. The same once more breaks it up."),
    breaks_by_discard=later("You hold a molodka! m leads all four. The same once more breaks it up."),
    confirm_lead=later("{cards}: the same once more plays them."),
    confirm_molodka=later("{cards}: the same once more leads them."),
    confirm_discard=later("{cards}: the same once more discards them face down."),
    hints_off=later("Hints are off in your settings: set hints yes"),
    hint_claim=later("Hint: claim your molodka (m). {why}"),
    hint_yield=later("Hint: let it stand (y). {why}"),
    accept=later("yes accepts it, q leaves."),
    vote=later("Say what is to be done: wait, excuse (no score) or charge ({cost} points)."),
    last_vote=later("Say what is to be done: excuse (no score) or charge ({cost} points)."),
    charge=later("Charge the team of {name} {cost} points? yes or no."),
    host_starts=later("The host starts. An empty line says that you are ready."),
    swap_whom=later("swap needs another's name or seat, as in: swap 2"),
    forced_play=later("An empty line plays it."),
    forced_discard=later("An empty line discards."),
    beat=later("name the cards"),
    discard=later("d before them"),
    molodka=later("m"),
    stand=later("y"),
    hint_rule=later("h gives a hint."),
    take_over_table=later("{name} leaves and hands you the table. take takes it, no does not."),
)
"""For plain mode."""
