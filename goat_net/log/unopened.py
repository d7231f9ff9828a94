"""A deal whose last trick is over and that a seat does not open (RULES.md R24; PROTOCOL.md, Those who do not open).

Who has opened shows the cards of their own slots: the missing seat gave its keys of them when they were drawn. So what
stays hidden is what it discarded face down: which cards these are follows, only not which lies in which trick.
"""

from collections.abc import Iterable
from typing import Final

from goat_engine.cards import Card, points_of
from goat_engine.match import DealResult
from goat_engine.rules import SEATS, Seat, defeat_points, team_of
from goat_engine.state import DealState, Phase
from goat_net.deck.curve import DeckFault
from goat_net.deck.seeds import CARDS, derive
from goat_net.log.deal import DealFold

_ALL: Final = frozenset(range(CARDS))


def unopened(deal: DealFold) -> tuple[Seat, ...]:
    """Seats whose seed is not here."""
    return tuple(s for s in SEATS if deal.seeds.get(s) is None)


def faces(deal: DealFold) -> dict[int, Card] | None:
    """The cards of all slots whose four keys are known, from the log and from the seeds that are open; None when they
    are not different cards, so that somebody has spoilt the deck."""
    assert deal.state is not None
    if not deal.locks or len(deal.locks) < len(SEATS):
        return dict(deal.state.known)
    known = {s: deal.state.known[s] for s in deal.state.shown}
    secrets = {s: derive(seed, deal.tag) for s, seed in deal.seeds.items() if seed is not None}
    for slot in range(CARDS):
        keys = {s: deal.keys.get((s, slot)) for s in SEATS}
        keys |= {s: one.k[slot] for s, one in secrets.items()}
        if slot in known or None in keys.values():
            continue
        try:
            card = deal.slot_opens_to(slot, {s: k for s, k in keys.items() if k is not None})
        except DeckFault:
            card = None
        if card is None:
            return None
        known[slot] = card
    return known if len(set(known.values())) == len(known) else None


def counted(deal: DealFold, replayed: DealState, *, double: bool, worst: bool) -> DealResult | None:
    """The score of a deal that seats of one team have not opened, when that team is behind; else None.

    Their hidden cards that lie in the other team's tricks count there, and nobody can say which these are: they are
    the dearest of those that are missing (``worst``, when there is evidence against the seat), or the cheapest (what is
    so in any case). ``replayed``: all plays made again, with the faces of `faces`.
    """
    team = team_of(unopened(deal)[0])
    if replayed.phase is not Phase.OVER or any(team_of(s) != team for s in unopened(deal)):
        return None
    points, tricks, hidden = [0, 0], [0, 0], [0, 0]
    seen: set[Card] = set()
    for trick in replayed.tricks:
        taker = team_of(trick.taker)
        tricks[taker] += 1
        slots = [slot for play in trick.plays for slot in play.slots]
        cards = [replayed.known[s] for s in slots if s is not None and s in replayed.known]
        seen.update(cards)
        points[taker] += points_of(cards)
        hidden[taker] += len(slots) - len(cards)
    missing = _dearest_first(_ALL - seen)
    if len(missing) != sum(hidden):
        return None
    theirs = missing[: hidden[1 - team]] if worst else missing[hidden[team] :]
    points[1 - team] += points_of(theirs)
    points[team] += points_of(set(missing) - set(theirs))
    if points[team] * 2 >= sum(points):
        return None
    factor = 2 if double else 1
    defeat = [factor * defeat_points(points[t], tricks[t]) for t in (0, 1)]
    return DealResult(
        (points[0], points[1]), (tricks[0], tricks[1]), (defeat[0], defeat[1]), replayed.tricks[-1].taker
    )


def _dearest_first(cards: Iterable[Card]) -> list[Card]:
    return sorted(cards, key=lambda c: (-points_of([c]), c))
