"""The end of a deal: all seeds are open, everything is run again, the result or the culprit follows (PROTOCOL.md,
Open and verdict). A pure function of the deal's fold, so everybody comes to the same."""

from dataclasses import dataclass, replace

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
from goat_net.log.unopened import counted, faces, unopened

_DECK_FAULTS = {Round.SHUFFLE: Fault.WRONG_SHUFFLE, Round.CUT: Fault.WRONG_CUT, Round.LOCK: Fault.WRONG_LOCK}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a deal came to. ``result`` when it counts; ``blame``: the offence with the lowest entry, which voids it
    (R23). Neither: it was broken off without anybody's fault. ``full``: the last state with all cards open, if the
    deck was good; ``cards``: slot -> card. ``partial``: the last state with the cards that are known, when the last
    trick was played and a seed is missing."""

    result: DealResult | None
    blame: Offence | None
    full: DealState | None = None
    cards: tuple[Card, ...] | None = None
    plays: tuple[tuple[int, Action], ...] = ()
    partial: DealState | None = None

    @property
    def needs_count(self) -> bool:
        """Whether all plays were made and somebody has not opened: who pays for that is not said here (R24)."""
        return self.partial is not None and self.blame is None

    def counted(self, deal: DealFold, *, double: bool, worst: bool) -> "Outcome":
        """This outcome with the score of a deal that the team which is behind in it has not opened."""
        assert self.partial is not None
        return replace(self, result=counted(deal, self.partial, double=double, worst=worst))

    def verdict(self) -> Verdict:
        """The verdict that every honest seat signs."""
        if self.blame is not None or self.result is None:
            blamed, entry = (self.blame.seat, self.blame.entry) if self.blame else (NOBODY, 0)
            return Verdict((0, 0), (0, 0), (0, 0), blamed, entry)
        return Verdict(self.result.points, self.result.tricks, self.result.defeat, NOBODY, 0)


def settle(deal: DealFold, *, double: bool, fuller: bool) -> Outcome:
    """Audit a deal whose seeds are open: the deck, then every play with all cards known. ``fuller``: where a seed is
    missing, all cards are used that follow from keys and the other seeds, not only those that were shown."""
    offences = list(deal.offences)
    seeds = [deal.seeds.get(s) for s in SEATS]
    if not deal.tag:
        return Outcome(None, _first(offences))
    audit = audit_deck(deal.tag, seeds, deal.transcript())
    for wrong in audit.mismatches:
        fault = _DECK_FAULTS[wrong.round]
        offences.append(Offence(deal.deck_entries[wrong.round, wrong.turn], wrong.seat, fault))
    full: DealState | None = None
    partial: DealState | None = None
    plays: tuple[tuple[int, Action], ...] = ()
    spoilt = deal.spoilt
    if not audit.mismatches and deal.state is not None:
        # With a seed missing (R24) the faces are those that were shown; who has opened answers for its discards (R25)
        cards = deal.state.known if audit.cards is None else dict(enumerate(audit.cards))
        if audit.cards is None and fuller:
            found = faces(deal)
            spoilt, cards = found is None or spoilt, cards if found is None else found
        begun = start(deal.rules, deal.dealer, deal.leader, deal.state.indicator).learn(cards, public=True)
        replayed, plays, offence = _replay(deal, begun)
        full = None if audit.cards is None else replayed
        partial = replayed if audit.cards is None and not deal.stopped and not spoilt else None
        if offence is not None:
            offences.append(offence)
    if fuller and spoilt and not offences:
        offences.extend(_by_elimination(deal))
    blame = _first(offences)
    result = score(full, double=double) if full and blame is None and not deal.stopped else None
    return Outcome(result, blame, full, audit.cards, plays, partial)


def _by_elimination(deal: DealFold) -> tuple[Offence, ...]:
    """A deck is spoilt, and all steps of three seats are good: then it is the fourth's doing, who has not opened."""
    silent = unopened(deal)
    if len(silent) != 1 or len(deal.locks) < len(SEATS):
        return ()
    entry = deal.deck_entries[Round.LOCK, deal.order.index(silent[0])]
    return (Offence(entry, silent[0], Fault.SPOILT_DECK),)


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
