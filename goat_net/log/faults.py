"""What can be wrong with a record, as two closed lists (PROTOCOL.md, Faults).

A *form error* costs nothing but the record: the host refuses it. An *offence* is proven by the log and names its
author; the deal stops. Texts are for the people at the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum

from goat_engine.actions import Refusal, Slot
from goat_engine.cards import Card


class FormError(IntEnum):
    """Reasons of refusal without blame; the numbers travel in `records.Refuse`."""

    NOT_YOUR_TURN = 1
    NOT_NOW = 2
    WRONG_COUNT = 3
    NOT_ONE_SUIT = 4
    DOES_NOT_BEAT = 5
    NO_MOLODKA = 6
    TOO_LATE = 7
    KEYS_MISSING = 8
    STALE = 9
    COUNTER = 10
    UNKNOWN_HEAD = 11
    OTHER_MATCH = 12
    ALREADY_DONE = 13
    REPEATED_SLOT = 14
    NO_VERDICT = 15


FORM_TEXTS: Mapping[FormError, str] = {
    FormError.NOT_YOUR_TURN: "another seat is to act",
    FormError.NOT_NOW: "this kind has no place at this stage",
    FormError.WRONG_COUNT: "the number of cards, or of commitments, does not fit",
    FormError.NOT_ONE_SUIT: "a lead of more than one suit (R8)",
    FormError.DOES_NOT_BEAT: "the cards do not beat the top set (R10)",
    FormError.NO_MOLODKA: "a claim of a hand that all can see is none (R15)",
    FormError.TOO_LATE: "a claim after one's own play, or over a molodka (R15, R18)",
    FormError.KEYS_MISSING: "keys of the draw are missing: nobody plays yet",
    FormError.STALE: "made before something that it had to know",
    FormError.COUNTER: "not this author's next counter; a host's record that does not fit",
    FormError.UNKNOWN_HEAD: "names more entries than there are",
    FormError.OTHER_MATCH: "of another match or deal",
    FormError.ALREADY_DONE: "said once already",
    FormError.REPEATED_SLOT: "a slot is named twice",
    FormError.NO_VERDICT: "the author's own verdict on the deal before is missing",
}
"""What each form error is, for people."""


class Fault(Enum):
    """Offences: the text completes "seat 2 ..."."""

    BAD_SHUFFLE = "sent a shuffled deck that no honest shuffle can be"
    BAD_CUT = "sent a cut that no honest cut can be"
    BAD_LOCK = "sent a locked deck that no honest lock can be"
    FALSE_KEY = "sent a key that is not the one it had committed to"
    FALSE_INDICATOR_KEY = "sent a false key for the indicator"
    FOREIGN_SLOT = "played a card that is not its own"
    PLAYED_SLOT = "played a card that it had played before"
    FALSE_COMPLAINT = "complained about a card that is good"
    EMPTY_CLAIM = "claimed a molodka that it does not hold"
    EARLY_OPEN = "opened its seed before the end of the deal"
    WRONG_SEED = "opened another seed than the one it had committed to"
    FALSE_VERDICT = "signed a verdict that is not what the deal shows"
    FALSE_NONCE = "opened another nonce than the one it had committed to"
    REUSED_COUNTER = "signed two records under one number"
    FOREIGN_HEAD = "named a head of the log that the host never signed for it"
    WRONG_SHUFFLE = "did not shuffle as its seed says"
    WRONG_CUT = "did not cut as its seed says"
    WRONG_LOCK = "did not lock the deck as its seed says"
    EMPTY_DISCARD = "discarded something that is no card"
    FOREIGN_DISCARD = "discarded a card that is not in its hand"
    PLAYED_DISCARD = "played a card that it had discarded before"
    WRONG_PLAY = "made a play that the rules do not allow"
    SPOILT_DECK = "did not open a deck that nobody but it can have spoilt"


@dataclass(frozen=True, slots=True)
class Offence:
    """A proven offence: the entry that proves it, its author, what it was."""

    entry: int
    seat: int
    fault: Fault


@dataclass(frozen=True, slots=True)
class Judged:
    """What a record is at this place of the log. All None: good. ``stops``: good, but what it opens is no card, so
    the deal stops and the audit finds out whose doing that is. ``void``: a play that a claim overtook (R17a)."""

    form: FormError | None = None
    fault: Fault | None = None
    stops: bool = False
    void: bool = False
    cards: Mapping[Slot, Card] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """Whether it may be entered without a blame."""
        return self.form is None and self.fault is None


GOOD = Judged()

UNANSWERED = frozenset({FormError.COUNTER, FormError.UNKNOWN_HEAD})
"""Form errors that the host lets pass without a word: there is no counter of this log that a refusal could use up."""


def form(reason: FormError) -> Judged:
    """Refused without blame."""
    return Judged(form=reason)


def offence(fault: Fault) -> Judged:
    """Entered as the proof of an offence."""
    return Judged(fault=fault)


REFUSALS: Mapping[Refusal, FormError] = {
    Refusal.DEAL_OVER: FormError.NOT_NOW,
    Refusal.NOT_YOUR_TURN: FormError.NOT_YOUR_TURN,
    Refusal.WRONG_ACTION: FormError.NOT_NOW,
    Refusal.WRONG_COUNT: FormError.WRONG_COUNT,
    Refusal.REPEATED_SLOT: FormError.REPEATED_SLOT,
    Refusal.NOT_ONE_SUIT: FormError.NOT_ONE_SUIT,
    Refusal.DOES_NOT_BEAT: FormError.DOES_NOT_BEAT,
    Refusal.NO_MOLODKA: FormError.NO_MOLODKA,
    Refusal.TOO_LATE: FormError.TOO_LATE,
    Refusal.NOT_IN_HAND: FormError.NOT_NOW,
    Refusal.UNKNOWN_CARD: FormError.NOT_NOW,
}
"""Engine refusals as form errors, where no offence is the better word."""
