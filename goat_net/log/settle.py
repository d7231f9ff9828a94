"""The end of a deal: all seeds are open, everything is run again, the result or the culprit follows (PROTOCOL.md,
Open and verdict). A pure function of the deal's fold, so everybody comes to the same."""

from dataclasses import dataclass

from goat_engine.actions import Action, Discard, Refusal, Slot
from goat_engine.cards import Card
from goat_engine.match import DealResult, score
from goat_engine.rules import SEATS
from goat_engine.state import Applied, DealState, apply, start
from goat_net.deck.deck_audit import Round, audit_deck
from goat_net.deck.seeds import CARDS, discard_commitment, discard_nonce
from goat_net.log.deal import DealFold, Step
from goat_net.log.faults import Fault, Offence
from goat_net.log.records import NOBODY, Verdict

_DECK_FAULTS = {Round.SHUFFLE: Fault.WRONG_SHUFFLE, Round.CUT: Fault.WRONG_CUT, Round.LOCK: Fault.WRONG_LOCK}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a deal came to. ``result`` when it counts; ``blame``: the offence with the lowest entry, which voids it
    (R23). Neither: it was broken off without anybody's fault. ``full``: the last state with all cards open, if the
    deck was good; ``cards``: slot -> card."""

    result: DealResult | None
    blame: Offence | None
    full: DealState | None = None
    cards: tuple[Card, ...] | None = None
    plays: tuple[tuple[int, Action], ...] = ()

    def verdict(self) -> Verdict:
        """The verdict that every honest seat signs."""
        if self.blame is not None or self.result is None:
            blamed, entry = (self.blame.seat, self.blame.entry) if self.blame else (NOBODY, 0)
            return Verdict((0, 0), (0, 0), (0, 0), blamed, entry)
        return Verdict(self.result.points, self.result.tricks, self.result.defeat, NOBODY, 0)


def settle(deal: DealFold, *, double: bool) -> Outcome:
    """Audit a deal whose seeds are open: the deck, then every play with all cards known."""
    offences = list(deal.offences)
    seeds = [deal.seeds.get(s) for s in SEATS]
    if not deal.tag:
        return Outcome(None, _first(offences))
    audit = audit_deck(deal.tag, seeds, deal.transcript())
    for wrong in audit.mismatches:
        fault = _DECK_FAULTS[wrong.round]
        offences.append(Offence(deal.deck_entries[wrong.round, wrong.turn], wrong.seat, fault))
    full: DealState | None = None
    plays: tuple[tuple[int, Action], ...] = ()
    if not audit.mismatches and deal.state is not None:
        # With a seed missing (R24) the faces are those that were shown; who has opened answers for its discards (R25)
        cards = deal.state.known if audit.cards is None else dict(enumerate(audit.cards))
        begun = start(deal.rules, deal.dealer, deal.leader, deal.state.indicator).learn(cards, public=True)
        replayed, plays, offence = _replay(deal, begun)
        full = None if audit.cards is None else replayed
        if offence is not None:
            offences.append(offence)
    blame = _first(offences)
    result = score(full, double=double) if full and blame is None and not deal.stopped else None
    return Outcome(result, blame, full, audit.cards, plays)


def _first(offences: list[Offence]) -> Offence | None:
    return min(offences, key=lambda o: o.entry, default=None)


def find_slots(deal: DealFold, step: Step, seed: bytes) -> tuple[Slot | None, ...]:
    """The slots a discard was committed to, by its author's seed; None where the commitment fits no slot."""
    out: list[Slot | None] = []
    for position, commitment in enumerate(step.commitments):
        nonce = discard_nonce(seed, deal.tag, step.counter, position)
        for slot in range(CARDS):
            if discard_commitment(deal.tag, step.seat, step.counter, position, slot, nonce) == commitment:
                out.append(slot)
                break
        else:
            out.append(None)
    return tuple(out)


def _replay(deal: DealFold, state: DealState) -> tuple[DealState, tuple[tuple[int, Action], ...], Offence | None]:
    """Every play again with the cards that are known; discards of a seat without a seed stay face down. It ends at the
    first offence: what follows stands on it."""
    plays: list[tuple[int, Action]] = []
    for step in deal.steps:
        action = step.action
        seed = deal.seeds.get(step.seat)
        if isinstance(action, Discard) and seed is not None:
            slots = find_slots(deal, step, seed)
            if None in slots:
                return state, tuple(plays), Offence(step.entry, step.seat, Fault.EMPTY_DISCARD)
            if len(set(slots)) != len(slots) or any(s not in state.hands[step.seat] for s in slots):
                return state, tuple(plays), Offence(step.entry, step.seat, Fault.FOREIGN_DISCARD)
            action = Discard(slots)
        if step.void:
            continue
        done = apply(state, step.seat, action)
        if not isinstance(done, Applied):
            return state, tuple(plays), Offence(step.entry, step.seat, _PLAY_FAULTS.get(done, Fault.WRONG_PLAY))
        plays.append((step.seat, action))
        state = done.state
    return state, tuple(plays), None


_PLAY_FAULTS = {Refusal.NOT_IN_HAND: Fault.PLAYED_DISCARD, Refusal.NO_MOLODKA: Fault.EMPTY_CLAIM}
