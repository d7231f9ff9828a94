"""The sentences that say what to do, for a page: buttons are tapped, there are no keys."""

from typing import Final

from goat_client.game.prompts import Prompts

from goat_net.language import later

PAGE: Final = Prompts(
    go_on=later("The button below"),
    sit=later("The button below"),
    take_over=later("Take the lead over with your molodka, or let theirs stand."),
    choose_lead=later("Tap the cards to lead first."),
    choose_beat=later("Tap the cards to beat with, or {count} to discard, first."),
    discards=later("You can discard instead."),
    paused=later("Paused by {name}."),
    breaks_by_lead=later("You hold a molodka! You could lead all four. The same once more breaks it up."),
    breaks_by_discard=later("You hold a molodka! You could lead all four. The same once more breaks it up."),
    confirm_lead=later("{cards}: once more plays them."),
    confirm_molodka=later("{cards}: once more leads them."),
    confirm_discard=later("{cards}: once more discards them face down."),
    hints_off=later("Hints are off in your settings."),
    hint_claim=later("Hint: claim your molodka. {why}"),
    hint_yield=later("Hint: let it stand. {why}"),
    vote=later("Wait on, let go (no score), or charge ({cost} points)?"),
    last_vote=later("Let go (no score), or charge ({cost} points)?"),
    charge=later("Charge {name}'s team {cost} points? Once more does it."),
    host_starts=later("The host starts. Say that you are ready."),
    swap_whom=later("Tap another's seat to ask for it."),
    forced_play=later("The button below plays it."),
    forced_discard=later("The button below discards."),
    beat=later("Beat"),
    discard=later("Discard"),
    molodka=later("Molodka"),
    stand=later("Let it stand"),
    hint_rule=later("Hint asks the bots' engine."),
    take_over_table=later("{name} leaves and would hand over the table. A page can't open one: another player can."),
    accept=later("Accept these terms, or leave."),
)
