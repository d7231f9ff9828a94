"""What is asked of a seat and which of its cards can answer it, in words for the person (RULES.md R8-R17)."""

from collections.abc import Sequence
from itertools import combinations, permutations

from goat_client.game.prompts import Prompts
from goat_client.machine.glyphs import Glyphs
from goat_engine.actions import Refusal, Slot
from goat_engine.cards import Card, beats, set_beats, suit_of
from goat_engine.rules import HAND_SIZE, Seat
from goat_engine.state import DealState, Phase, Play, PlayKind
from goat_engine.view import SeatView
from goat_net.log.absence_table import WAIT
from goat_net.seat.tableview import Absence, Stage, TurnClock


def faces(deal: DealState, slots: Sequence[Slot | None]) -> tuple[Card, ...]:
    """The cards of some slots as far as they are known, low to high."""
    return tuple(sorted(deal.known[s] for s in slots if s is not None and s in deal.known))


def laid(plays: Sequence[Play], deal: DealState) -> dict[Seat, tuple[Card, ...]]:
    """The known cards of the plays of one trick by seat: a lead low to high, each beat in the order of the cards that
    it beats (R10), so that the one stands under the other."""
    out: dict[Seat, tuple[Card, ...]] = {}
    top: tuple[Card, ...] = ()
    for play in plays:
        cards = faces(deal, play.slots)
        if play.kind is PlayKind.BEAT and len(cards) == len(top):
            ways = (w for w in permutations(cards) if all(map(lambda c, t: beats(c, t, deal.trump), w, top)))
            cards = next(ways, cards)
        if play.kind is not PlayKind.DISCARD:
            top = cards
        out[play.seat] = cards
    return out


def top_cards(deal: DealState) -> tuple[Card, ...]:
    """The cards that are to be beaten, or none."""
    return faces(deal, deal.top.slots) if deal.top is not None else ()


def reasons(view: SeatView, glyphs: Glyphs) -> dict[Slot, str]:
    """For each card of the hand: why it can take no part in a beat of the top set, or "" when it can.

    Empty when there is nothing to beat for this seat (it leads, or has answered already).
    """
    deal = view.deal
    if not deal.plays or any(p.seat == view.seat for p in deal.plays) or deal.phase is Phase.OVER:
        return {}
    top, hand = top_cards(deal), view.hand
    able: set[Slot] = set()
    for some in combinations(hand, len(top)):
        if set_beats([c for _, c in some], top, deal.trump):
            able.update(s for s, _ in some)
    return {s: "" if s in able else _why_not(c, top, deal, glyphs) for s, c in hand}


def _why_not(card: Card, top: Sequence[Card], deal: DealState, glyphs: Glyphs) -> str:
    name, trump = glyphs.card(card), glyphs.suit(deal.trump)
    beaten = [t for t in top if beats(card, t, deal.trump)]
    if beaten:
        rest = list(top)
        rest.remove(beaten[-1])
        return f"{name} beats {glyphs.card(beaten[-1])}, but nothing of yours beats {glyphs.cards(rest)} with it"
    same = [t for t in top if suit_of(t) == suit_of(card)]
    if same:
        return f"{name} is lower than {glyphs.card(same[0])}"
    if suit_of(card) == deal.trump:  # a trump is only stopped by higher trumps, and those are of its suit
        return f"{name} is too low"
    if all(suit_of(t) == deal.trump for t in top):
        return f"{name} is no trump"
    suits = "/".join(glyphs.suit(s) for s in sorted({suit_of(t) for t in top}))
    return f"{name} is neither {suits} nor a trump {trump}"


def count_words(n: int) -> str:
    """``1 card``, ``2 cards``."""
    return "1 card" if n == 1 else f"{n} cards"


def asked(view: SeatView, glyphs: Glyphs, *, can_beat: bool) -> str:
    """What this seat is to do now, in words; for its own turn only."""
    deal = view.deal
    if deal.phase is Phase.LEAD:
        most = deal.hand_size(view.seat)
        return "lead your last card" if most == 1 else f"lead 1 to {most} cards of one suit"
    if deal.phase is Phase.ANSWER:
        n, top = len(deal.plays[0].slots), glyphs.cards(top_cards(deal))
        if can_beat:
            return f"beat {top} with {count_words(n)}, or discard {n}"
        return f"discard {count_words(n)} (nothing of yours beats {top})"
    if deal.phase is Phase.ASK:
        return "take the lead over with your own molodka, or let theirs stand"
    if deal.phase is Phase.SHOW:
        return "your molodka is on its way to the table"
    return ""


def verb(name: str, word: str) -> str:
    """A name with a verb in the third person: ``Anna takes``, but ``You take``."""
    return f"{name} {word.removesuffix('s') if name == 'You' else word}"


def told(play: Play, deal: DealState, glyphs: Glyphs, name: str, *, molodka: bool = False) -> str:
    """A play as a sentence; face-down cards are only counted (R11)."""
    n = len(play.slots)
    if play.kind is PlayKind.DISCARD:
        return f"{verb(name, 'discards')} {count_words(n)}"
    cards = glyphs.cards(faces(deal, play.slots))
    if play.kind is PlayKind.LEAD:
        return f"{verb(name, 'leads')} {cards}" + (" (molodka)" if molodka or n == 4 else "")
    return f"{verb(name, 'beats')} with {cards}"


def told_short(play: Play, deal: DealState, glyphs: Glyphs, name: str, *, tight: bool = False) -> str:
    """A play for a narrow panel: ``Anna beats 10♠``; ``tight``: without blanks between cards."""
    if play.kind is PlayKind.DISCARD:
        return f"{verb(name, 'discards')} {len(play.slots)}"
    some = faces(deal, play.slots)
    cards = "".join(glyphs.card(c) for c in some) if tight else glyphs.cards(some)
    molodka = " (molodka)" if play.kind is PlayKind.LEAD and len(play.slots) == HAND_SIZE else ""
    return f"{verb(name, 'leads' if play.kind is PlayKind.LEAD else 'beats')} {cards}{molodka}"


VOTE_WORDS = ("wait on", "let go", "charge", "no answer")
OWN_GRACE = 60.0  # seconds of the grace time that are left when its own player is told of it
TOLD_AFTER = 20.0  # seconds somebody may think before it is spoken of


def absent(absence: Absence, name: str, names: Sequence[str], prompts: Prompts, stage: Stage = Stage.PLAY) -> str:
    """A seat that keeps the others waiting, and what can be done about it (R24); "" while it is too soon to say.
    ``names``: by seat. ``stage``: between two deals nobody owes a play."""
    said = [f"{names[s]}: {VOTE_WORDS[v]}" for s, v in sorted(absence.votes.items()) if v < len(VOTE_WORDS)]
    so_far = f" So far {', '.join(said)}." if said else ""
    owes = "has kept the next deal waiting" if stage is Stage.BETWEEN else "owes a play"
    why = f"{name} has left." if absence.left else f"{name} {owes} for {absence.seconds:.0f} s."
    if absence.may_vote:
        hint = "" if absence.proven else " A charge needs a machine that heard nothing too, not the host's."
        if absence.held:
            hint = " The host has not entered what they have signed: your program holds it."
        ask = prompts.vote.format(cost=absence.cost) if WAIT in absence.choices else prompts.last_vote.format(
            cost=absence.cost)  # fmt: skip
        return f"{why} {ask}{hint}{so_far} In {absence.within:.0f} s they are let go."
    if absence.open:
        return f"{why} The other team decides.{so_far}"
    if absence.left or absence.seconds < TOLD_AFTER:
        return why if absence.left else ""
    return f"{why} In {absence.grace:.0f} s the others may decide." if absence.voters else why


def own_absence(absence: Absence, stage: Stage = Stage.PLAY) -> str:
    """To the seat that keeps the others waiting itself; "" while there is time, and when only bots wait (R24)."""
    if absence.left or not absence.voters:
        return ""
    if absence.open:
        now = "Go on" if stage is Stage.BETWEEN else "Play"
        return f"The other team decides about your seat. {now} now and you play on."
    if absence.grace > OWN_GRACE:
        return ""
    return f"The others wait for you. In {absence.grace:.0f} s they may decide about your seat."


REFUSALS = {
    Refusal.DEAL_OVER: "The deal is over.",
    Refusal.NOT_YOUR_TURN: "It is not your turn.",
    Refusal.WRONG_ACTION: "That can't be done now.",
    Refusal.WRONG_COUNT: "The number of cards does not fit.",
    Refusal.REPEATED_SLOT: "A card was named twice.",
    Refusal.NOT_IN_HAND: "That card is not in your hand.",
    Refusal.UNKNOWN_CARD: "That card is not open yet; wait a moment.",
    Refusal.NOT_ONE_SUIT: "A lead is of one suit.",
    Refusal.DOES_NOT_BEAT: "These cards don't beat the table.",
    Refusal.NO_MOLODKA: "A molodka is four cards of one suit.",
    Refusal.TOO_LATE: "A molodka is claimed before your own play, and not over another one.",
}
"""Every refusal of the engine, for the person."""


def clock_text(clock: TurnClock) -> str:
    """The turn clock in a few words."""
    if clock.stands:
        return f"clock stands at {clock.left:.0f} s"
    reserve = ", of the reserve" if clock.left <= clock.reserve else ""
    return f"{clock.left:.0f} s left{reserve}"


def refused(
    reason: Refusal, view: SeatView | None, glyphs: Glyphs, prompts: Prompts, chosen: Sequence[Card] = ()
) -> str:
    """Why an action was not done, with the cards it is about and the rule's number."""
    if view is None:
        return REFUSALS[reason]
    deal = view.deal
    if reason is Refusal.DOES_NOT_BEAT and chosen:
        top = top_cards(deal)
        each = "every card must beat one of them" if len(top) > 1 else "higher of its suit, or a trump"
        verb = "doesn't" if len(chosen) == 1 else "don't"
        return f"{glyphs.cards(chosen)} {verb} beat {glyphs.cards(top)}: {each} (R10). {prompts.discards}"
    if reason is Refusal.WRONG_COUNT and deal.plays:
        return f"Answer with exactly {count_words(len(deal.plays[0].slots))} (R9)."
    if reason is Refusal.WRONG_COUNT:
        return "Choose 1 to 4 cards of one suit first (R8)."
    if reason is Refusal.NOT_ONE_SUIT:
        return "A lead is 1 to 4 cards of one suit (R8)."
    return REFUSALS[reason]
