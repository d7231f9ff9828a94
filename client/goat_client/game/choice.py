"""Which of the chosen cards can stay chosen under what is asked now. Pure; the model keeps the choice."""

from collections.abc import Mapping, Sequence

from goat_client.game.advice import count_words
from goat_client.machine.glyphs import Glyphs
from goat_engine.actions import Action, Beat, Discard, Lead, Slot
from goat_engine.cards import Card, suit_of
from goat_engine.state import Phase
from goat_engine.view import SeatView


def fitted(
    chosen: Sequence[Slot], cards: Mapping[Slot, Card], *, leads: bool, needed: int
) -> tuple[list[Slot], list[Slot]]:
    """The chosen slots that can stay, in their order, and those that are laid back; the cards chosen last stay.

    ``leads``: a lead is asked, which is of one suit (R8). ``needed``: how many cards an answer takes (R9), 0 while
    nobody knows: then any of them may stay. Slots that are no longer in the hand are in neither list.
    """
    held = [s for s in chosen if s in cards]
    kept = held
    if leads:
        kept = [s for s in held if suit_of(cards[s]) == suit_of(cards[held[-1]])]
    elif needed:
        kept = held[-needed:]
    return kept, [s for s in held if s not in kept]


def laid_back(slots: Sequence[Slot], cards: Mapping[Slot, Card], glyphs: Glyphs, *, needed: int) -> str:
    """A sentence about cards that were laid back by themselves; "" for none."""
    if not slots:
        return ""
    named = glyphs.cards(sorted(cards[s] for s in slots))
    why = f"{count_words(needed)} can be answered with" if needed else "a lead is of one suit"
    return f"{named} laid back: {why}."


def forced(view: SeatView, kind: type[Action] | None = None) -> Action | None:
    """The play of all cards in the hand when no other number of them can be played: the last lead, or an answer that
    takes the whole hand. A beat rather than a discard, unless ``kind`` says which. None when there is a choice."""
    deal, slots = view.deal, tuple(s for s, _ in view.hand)
    if not slots or not view.owes or len(slots) != deal.hand_size(view.seat):
        return None
    if deal.phase is Phase.LEAD:
        return Lead(slots) if len(slots) == 1 and kind in (None, Lead) else None
    if deal.phase is not Phase.ANSWER or len(deal.plays[0].slots) != len(slots):
        return None
    ways = [way for way in (Beat(slots), Discard(slots)) if kind in (None, type(way))]
    return next((way for way in ways if view.refusal(way) is None), None)


def only_way(view: SeatView) -> Action | None:
    """The play when nothing else at all can be done, not even a discard instead of a beat or a claim; else None."""
    if not view.owes or view.deal.phase not in (Phase.LEAD, Phase.ANSWER):
        return None
    ways = view.actions()
    return ways[0] if len(ways) == 1 and isinstance(ways[0], (Lead, Beat, Discard)) else None
