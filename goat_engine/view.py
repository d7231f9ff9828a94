"""What one seat knows and may do. A plain value: from it the game cannot be reached (RULES.md R9-R17)."""

from dataclasses import dataclass
from itertools import combinations

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Refusal, Show, Slot, Yield
from goat_engine.cards import Card, suit_of
from goat_engine.rules import HAND_SIZE, Seat
from goat_engine.state import DealState, Phase, check


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat's own fold of the deal and the match score; others' cards, the stock's order and face-down cards
    are absent from ``deal.known``. ``defeat``: defeat points by team before this deal."""

    seat: Seat
    deal: DealState
    defeat: tuple[int, int] = (0, 0)

    @property
    def hand(self) -> tuple[tuple[Slot, Card], ...]:
        """Own cards as (slot, card), sorted by suit with trump last, then by rank."""
        known, trump = self.deal.known, self.deal.trump
        cards = [(s, known[s]) for s in self.deal.hands[self.seat] if s in known]
        return tuple(sorted(cards, key=lambda sc: (suit_of(sc[1]) == trump, sc[1])))

    @property
    def owes(self) -> bool:
        """Whether the deal waits for this seat."""
        return self.deal.turn == self.seat

    @property
    def molodka(self) -> tuple[Slot, ...]:
        """The slots of the four cards of one suit in hand, or nothing."""
        hand = self.hand
        one = len(hand) == HAND_SIZE and len({suit_of(c) for _, c in hand}) == 1
        return tuple(s for s, _ in hand) if one else ()

    @property
    def may_claim(self) -> bool:
        """Whether a molodka may be claimed now, in turn or out of it (R15, R17)."""
        return bool(self.molodka) and check(self.deal, self.seat, Claim()) is None

    def refusal(self, action: Action) -> Refusal | None:
        """Why this action of this seat would be refused now, or None."""
        return check(self.deal, self.seat, action)

    def actions(self) -> tuple[Action, ...]:
        """Every legal action of this seat now (sets of cards, each once); empty when nothing is owed and
        nothing can be claimed."""
        out: list[Action] = [Claim()] if self.may_claim else []
        if not self.owes:
            return tuple(out)
        slots = [s for s, _ in self.hand]
        deal = self.deal
        if deal.phase is Phase.ASK:
            out.append(Yield())
        elif deal.phase is Phase.SHOW:
            out.extend([Show(self.molodka)] if self.molodka else [])  # none after a false claim
        elif deal.phase is Phase.LEAD:
            leads = (Lead(c) for n in range(1, len(slots) + 1) for c in combinations(slots, n))
            out.extend(a for a in leads if check(deal, self.seat, a) is None)
        elif deal.phase is Phase.ANSWER:
            sets = list(combinations(slots, len(deal.plays[0].slots)))
            out.extend(a for a in map(Beat, sets) if check(deal, self.seat, a) is None)
            out.extend(map(Discard, sets))
        return tuple(out)
