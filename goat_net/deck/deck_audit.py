"""The audit of one deal's deck: every step run again from the opened seeds, the first difference of each step named.

Source: PROTOCOL.md, "The deck", The audit. Pure functions of what was sent and of the four seeds.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from goat_net.deck.curve import DeckFault
from goat_net.deck.rounds import INDICATOR_PLACE, Deck, before_cut, before_lock, cut, lock, shuffle, turn_order
from goat_net.deck.seeds import (
    CARDS,
    HANDS,
    SEATS,
    SeatSecrets,
    card_points,
    derive,
    format_key,
    indicator_key_hash,
    key_hash,
)


class Round(enum.IntEnum):
    """The rounds in which the deck goes from seat to seat, in their order."""

    SHUFFLE = 0
    CUT = 1
    LOCK = 2


class Part(enum.Enum):
    """What of a step is not what the seat's seed gives."""

    ELEMENT = "element"
    """An element of the deck or stock; a wrong number of them."""
    INDICATOR = "indicator"
    """The indicator copy of a cut."""
    KEY_HASH = "key hash"
    """The hash of a slot's key; a wrong number of them."""
    INDICATOR_KEY_HASH = "indicator key hash"
    """The hash of the indicator's key."""


@dataclass(frozen=True, slots=True)
class CutStep:
    """A cut as it was sent: indicator copy, stock of 20, hash of the indicator's key."""

    indicator: bytes
    stock: Deck
    key_hash: bytes


@dataclass(frozen=True, slots=True)
class LockStep:
    """A lock as it was sent: deck of 36, hash of each slot's key."""

    deck: Deck
    key_hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class DeckTranscript:
    """The rounds of one deal as they were sent, in turn order from the dealer's left; shorter if the deal stopped.

    A round has steps only when the round before has four (ValueError).
    """

    dealer: int
    shuffles: tuple[Deck, ...] = ()
    cuts: tuple[CutStep, ...] = ()
    locks: tuple[LockStep, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.dealer < SEATS:
            raise ValueError(f"the dealer is a seat from 0 to {SEATS - 1}, not {self.dealer}")
        sizes = len(self.shuffles), len(self.cuts), len(self.locks)
        if max(sizes) > SEATS or (sizes[1] and sizes[0] < SEATS) or (sizes[2] and sizes[1] < SEATS):
            raise ValueError(f"a deal has four shuffles, then four cuts, then four locks, not {sizes}")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first thing in one step that does not follow from the message before it and the seat's seed."""

    round: Round
    turn: int
    seat: int
    part: Part
    index: int


@dataclass(frozen=True, slots=True)
class DeckAudit:
    """What an audit found.

    `mismatches`: at most one per step, in the order of the steps; the first names the culprit.
    `unchecked`: (round, turn) of steps that could not be run again: no seed, or what came before it is no deck.
    `cards`: slot -> card (36) and `indicator`: the card shown, as the four seeds give them; None if a seed is missing
    or anything does not match, because then the slots hold something else.
    """

    mismatches: tuple[Mismatch, ...]
    unchecked: tuple[tuple[Round, int], ...]
    cards: tuple[int, ...] | None
    indicator: int | None


def compose_cards(secrets: Sequence[SeatSecrets]) -> tuple[tuple[int, ...], int]:
    """(slot -> card, indicator card) that the permutations of four seats give. `secrets` in turn order."""
    if len(secrets) != SEATS:
        raise ValueError(f"a deal has the secrets of {SEATS} seats, not of {len(secrets)}")
    deck = tuple(range(CARDS))
    for one in secrets:
        deck = tuple(deck[source] for source in one.pi)
    stock = deck[HANDS:]
    for one in secrets:
        stock = tuple(stock[source] for source in one.rho)
    return (*deck[:HANDS], *stock), deck[INDICATOR_PLACE]


def _differs(sent: Sequence[bytes], right: Sequence[bytes]) -> int | None:
    """The first index at which two sequences differ, their common length included; None if they are equal."""
    for index, (one, other) in enumerate(zip(sent, right, strict=False)):
        if one != other:
            return index
    return None if len(sent) == len(right) else min(len(sent), len(right))


class _Auditor:
    """Runs the steps of one transcript again, each from the message that was really sent before it."""

    def __init__(self, tag: bytes, seeds: Sequence[bytes | None], transcript: DeckTranscript) -> None:
        self.tag = tag
        self.sent = transcript
        self.seats = turn_order(transcript.dealer)
        self.secrets = [None if (seed := seeds[seat]) is None else derive(seed, tag) for seat in self.seats]

    def shuffle(self, turn: int, secrets: SeatSecrets) -> tuple[Part, int] | None:
        before = self.sent.shuffles[turn - 1] if turn else card_points(self.tag)
        wrong = _differs(self.sent.shuffles[turn], shuffle(secrets, before, secret=False))
        return None if wrong is None else (Part.ELEMENT, wrong)

    def cut(self, turn: int, secrets: SeatSecrets) -> tuple[Part, int] | None:
        if turn:
            before = self.sent.cuts[turn - 1].indicator, self.sent.cuts[turn - 1].stock
        else:
            before = before_cut(self.sent.shuffles[-1])
        step = self.sent.cuts[turn]
        indicator, stock = cut(secrets, *before, secret=False)
        if step.indicator != indicator:
            return Part.INDICATOR, 0
        if (wrong := _differs(step.stock, stock)) is not None:
            return Part.ELEMENT, wrong
        if step.key_hash != indicator_key_hash(self.tag, self.seats[turn], format_key(secrets.q)):
            return Part.INDICATOR_KEY_HASH, 0
        return None

    def lock(self, turn: int, secrets: SeatSecrets) -> tuple[Part, int] | None:
        if turn:
            before = self.sent.locks[turn - 1].deck
        else:
            before = before_lock(self.sent.shuffles[-1], self.sent.cuts[-1].stock)
        step = self.sent.locks[turn]
        if (wrong := _differs(step.deck, lock(secrets, before, secret=False))) is not None:
            return Part.ELEMENT, wrong
        seat = self.seats[turn]
        hashes = [key_hash(self.tag, seat, slot, format_key(key)) for slot, key in enumerate(secrets.k)]
        wrong = _differs(step.key_hashes, hashes)
        return None if wrong is None else (Part.KEY_HASH, wrong)

    def run(self) -> DeckAudit:
        mismatches: list[Mismatch] = []
        unchecked: list[tuple[Round, int]] = []
        rounds = (
            (Round.SHUFFLE, len(self.sent.shuffles), self.shuffle),
            (Round.CUT, len(self.sent.cuts), self.cut),
            (Round.LOCK, len(self.sent.locks), self.lock),
        )
        for name, steps, again in rounds:
            for turn in range(steps):
                secrets = self.secrets[turn]
                if secrets is None:
                    unchecked.append((name, turn))
                    continue
                try:
                    found = again(turn, secrets)
                except DeckFault:  # what came before is no deck: its own sender's step has the mismatch
                    unchecked.append((name, turn))
                    continue
                if found is not None:
                    mismatches.append(Mismatch(name, turn, self.seats[turn], *found))
        known = [one for one in self.secrets if one is not None]
        cards, indicator = compose_cards(known) if len(known) == SEATS and not mismatches else (None, None)
        return DeckAudit(tuple(mismatches), tuple(unchecked), cards, indicator)


def audit_deck(tag: bytes, seeds: Sequence[bytes | None], transcript: DeckTranscript) -> DeckAudit:
    """Runs every step of every seat again from its seed and the message before it; compares with what was sent.

    `seeds` in seat order, 32 bytes each, already compared with their commitments; None for a seat that has not opened.
    A step is judged by the message it really started from, so no seat answers for what an earlier one did.
    """
    if len(seeds) != SEATS:
        raise ValueError(f"a deal has {SEATS} seeds, not {len(seeds)}")
    return _Auditor(tag, seeds, transcript).run()
