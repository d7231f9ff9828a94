"""The sentences that say what to do, for a page: buttons are tapped, there are no keys."""

from typing import Final

from goat_client.game.prompts import Prompts

PAGE: Final = Prompts(
    go_on="The button below",
    sit="The button below",
    take_over="Take the lead over with your molodka, or let theirs stand.",
    choose_lead="Tap the cards to lead first.",
    choose_beat="Tap the cards to beat with, or {count} to discard, first.",
    discards="You can discard instead.",
    paused="Paused by {name}.",
    breaks_by_lead="You hold a molodka! You could lead all four. The same once more breaks it up.",
    breaks_by_discard="You hold a molodka! You could lead all four. The same once more breaks it up.",
    confirm_lead="{cards}: once more plays them.",
    confirm_molodka="{cards}: once more leads them.",
    confirm_discard="{cards}: once more discards them face down.",
    hints_off="Hints are off in your settings.",
    hint_claim="Hint: claim your molodka. {why}",
    hint_yield="Hint: let it stand. {why}",
    vote="Wait on, let go (no score), or charge ({cost} points)?",
    last_vote="Let go (no score), or charge ({cost} points)?",
    charge="Charge {name}'s team {cost} points? Once more does it.",
    host_starts="The host starts. Say that you are ready.",
    swap_whom="Tap another's seat to ask for it.",
    forced_play="The button below plays it.",
    forced_discard="The button below discards.",
    beat="Beat",
    discard="Discard",
    molodka="Molodka",
    stand="Let it stand",
    hint_rule="Hint asks the bots' engine.",
    take_over_table="{name} leaves and would hand over the table. A page can't open one: another player can.",
    accept="Accept these terms, or leave.",
)
