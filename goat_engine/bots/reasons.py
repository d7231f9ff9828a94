"""Hints: expert's move and the reason for it, in the words of the heuristic."""

from dataclasses import dataclass
from random import Random

from goat_engine import cards
from goat_engine.actions import Action, Show
from goat_engine.bots.fast import BEAT, BEATERS, CLAIM, DISCARD, FULL, LEAD, SUITS, YIELD, cards_of, points
from goat_engine.bots.heuristic import chance_beaten, take_chance
from goat_engine.bots.players import decide
from goat_engine.bots.sight import Sight, moves
from goat_engine.bots.table import action_of, see
from goat_engine.bots.weights import TUNED
from goat_engine.state import Phase
from goat_engine.view import SeatView

#: From here on a trick is spoken of as sure, likely, open.
SURE, LIKELY, OPEN, HOPE = 0.97, 0.7, 0.4, 0.15


@dataclass(frozen=True, slots=True)
class Hint:
    """``action``: what expert would do. ``reason``: why, in a sentence or two for the person who asked."""

    action: Action
    reason: str


def hint(view: SeatView) -> Hint:
    """Expert's action for a seat that owes one. Raises ValueError when it owes nothing."""
    if view.deal.phase is Phase.SHOW and view.owes:
        return Hint(Show(view.molodka), "You claimed a molodka: these are the cards to show.")
    sight = see(view)
    move = decide("expert", sight, Random(0))
    return Hint(action_of(view, move), reason(sight, move))


def names(mask: int) -> str:
    """Cards of a set in words, as ``7S 8S``."""
    return " ".join(cards.name(card) for card in cards_of(mask))


def reason(sight: Sight, move: int) -> str:
    """Why this move, in words; true of the move whether or not it is the best one."""
    kind, mask = move & ~FULL, move & FULL
    if len(moves(sight)) == 1:
        return "There is nothing else you can do." if kind != YIELD else "You hold no molodka to claim."
    if kind == CLAIM:
        return f"A molodka brings about half the points of a deal, and {_chance(sight, move)}."
    if kind == YIELD:
        return "The molodka on the table serves your side better than your own would."
    if kind == LEAD:
        said = _lead(sight, move)
    elif kind == BEAT:
        said = _beat(sight, move)
    else:
        said = _discard(sight, move)
    kept = _kept(sight, mask)
    return f"{said} {kept}".strip()


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _chance(sight: Sight, move: int) -> str:
    take = take_chance(sight, move & ~FULL, move & FULL, TUNED[0], TUNED[1])
    if take >= SURE:
        return "it is as good as sure to take"
    if take >= LIKELY:
        return f"it will likely take (about {round(100 * take)} in 100)"
    if take >= OPEN:
        return f"it may take (about {round(100 * take)} in 100)"
    return f"it will hardly take (about {round(100 * take)} in 100)"


def _lead(sight: Sight, move: int) -> str:
    mask = move & FULL
    size, worth = mask.bit_count(), points(mask)
    what = names(mask)
    beaten = chance_beaten(sight.unseen, sight.held, sight.trump, mask)
    if size == 4:
        return f"Four cards of one suit are a molodka: {_chance(sight, move)}."
    if size > 1:
        return f"Leading {size} cards together makes others find {size} that beat: {_chance(sight, move)}."
    if worth == 0 and 1 - beaten < LIKELY:
        return f"{what} costs nothing if it is beaten."
    if mask & SUITS[sight.trump]:
        return f"Trump {what} draws out cards: {_chance(sight, move)}."
    return f"{what}: {_chance(sight, move)}, with {_many(worth, 'point')} of its own."


def _beat(sight: Sight, move: int) -> str:
    mask = move & FULL
    stake = sight.table_points + points(mask)
    unknown = f" and {_many(sight.table_hidden, 'hidden card')}" if sight.table_hidden else ""
    what = f"Beating with {names(mask)}: {_many(stake, 'point')}{unknown} at stake, {_chance(sight, move)}."
    if sight.top_by == 2:
        if not sight.after:
            return f"The trick is your side's either way; taking it yourself gives you the lead. {what}"
        return f"Your partner's cards may yet be beaten; yours hold better. {what}"
    trumps = (mask & SUITS[sight.trump]).bit_count()
    if trumps and stake < 10 and not sight.table_hidden:
        return f"{what} It also gives you the lead."
    return what


def _discard(sight: Sight, move: int) -> str:
    mask = move & FULL
    worth = points(mask)
    able = any(other & ~FULL == BEAT for other in moves(sight))
    if sight.top_by == 2:
        take = take_chance(sight, DISCARD, mask, TUNED[0], TUNED[1])
        share = f"in about {round(100 * take)} of 100"
        if take < LIKELY:  # nothing is safe there, so nothing is a gift
            throw = f"this costs {_many(worth, 'point')}, which you can best spare" if worth else "this costs nothing"
            why = "beating would cost more than it brings" if able else "you can't help"
            return f"Your partner will keep this trick {'only ' if take < OPEN else ''}{share}, and {why}: {throw}."
        sure = "is taking" if take >= SURE else f"will take this trick {share}"
        gift = f"give it {_many(worth, 'point')}" if worth else "no need to spend anything"
        return f"Your partner {sure}: {gift}."
    if not able:
        lead = "You can't beat this"
    elif sight.table_points < 10:
        lead = f"Only {_many(sight.table_points, 'open point')} on the table"
    else:
        lead = "Beating would cost more than it brings"
    throw = (
        "give away what is worth nothing"
        if worth == 0
        else f"give away what you can best spare ({_many(worth, 'point')})"
    )
    hope = take_chance(sight, DISCARD, mask, TUNED[0], TUNED[1]) > HOPE
    after = " Your partner plays after you and may take it." if hope else ""
    return f"{lead}: {throw}.{after}"


def _kept(sight: Sight, mask: int) -> str:
    """What the move keeps in hand that matters later."""
    kept = sight.hand & ~mask
    trumps = (kept & SUITS[sight.trump]).bit_count()
    sure = [c for c in cards_of(kept) if not sight.unseen & BEATERS[sight.trump][c]]
    if sure:
        return f"You keep {names(sum(1 << c for c in sure))}, which nothing can beat any more."
    if trumps:
        return f"You keep {_many(trumps, 'trump')} for later."
    return ""
