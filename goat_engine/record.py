"""A whole deal as text, its hash, and a one-line code of how the cards lay.

A record is open: it holds both hands and face-down discards, so it is made of finished deals only (RULES.md R11).
Text form, one thing a line, blanks between words, ``#`` begins a comment line::

    goat deal 1
    rules target=12 eggs_double=no yield_time=3000
    dealer 3
    leader 0
    indicator 7H
    hand 0 KS 6C 7D 8D        four cards in the order dealt, seats 0 to 3
    stock AS QH ...           twenty cards from the top
    0 lead KS                 then every action: seat, what, cards
    1 beat AS
    2 claim
    end
"""

import hashlib
import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Show, Slot, Yield
from goat_engine.cards import DECK, DECK_SIZE, Card, name, parse
from goat_engine.rules import HAND_SIZE, SEATS, Rules, Seat
from goat_engine.state import FIRST_STOCK_SLOT

Step: TypeAlias = tuple[Seat, Action]

HEADER: Final = "goat deal 1"
MAX_LINES: Final = 400
"""Bound of what `load` reads: a deal has at most nine tricks of four plays, a claim or yield of every seat and a
show of every seat in each (108 actions), and 10 lines of start; the rest is room for comments."""
MAX_NUMBER: Final = 1_000_000
"""Bound of the numbers in the rules line, well above any sensible target or time."""
CODE_PREFIX: Final = "G1:"
ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LOOKALIKES: Final = str.maketrans({"O": "0", "I": "1", "L": "1"})
STOCK_SIZE: Final = DECK_SIZE - FIRST_STOCK_SLOT
CODE_VALUES: Final = math.factorial(DECK_SIZE) * STOCK_SIZE * len(SEATS) * len(SEATS)
PAYLOAD_BYTES: Final = (CODE_VALUES.bit_length() + 7) // 8
CODE_CHARS: Final = math.ceil((PAYLOAD_BYTES + 4) * 8 / 5)


class RecordError(ValueError):
    """A text that is no record or no deal code; the message says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Deal:
    """How a deal starts. ``cards``: the face of every slot 0..35; ``indicator``: a card of slots 16..35 (R6).

    Raises ValueError when the cards are not the whole deck or the indicator is not in the stock.
    """

    dealer: Seat
    leader: Seat
    indicator: Card
    cards: tuple[Card, ...]
    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        if sorted(self.cards) != list(DECK):
            raise ValueError("a deal holds each of the 36 cards once")
        if self.dealer not in SEATS or self.leader not in SEATS:
            raise ValueError("dealer and leader are seats 0 to 3")
        if self.indicator not in self.cards[FIRST_STOCK_SLOT:]:
            raise ValueError("the indicator is a card of the stock (R6)")

    def hand_slots(self, seat: Seat) -> tuple[Slot, ...]:
        """The four slots dealt to a seat, in the order dealt (R5)."""
        first = (seat - self.dealer - 1) % 4
        return tuple(range(first, FIRST_STOCK_SLOT, 4))


@dataclass(frozen=True, slots=True)
class Record:
    """A deal and every action of it in order, discards with their true slots."""

    deal: Deal
    steps: tuple[Step, ...] = ()


# --- text ---------------------------------------------------------------------------------------------------

WORDS: Final[dict[type, str]] = {
    Lead: "lead", Beat: "beat", Discard: "discard", Claim: "claim", Show: "show", Yield: "yield",
}  # fmt: skip


def dump(record: Record) -> str:
    """The text of a record; `load` gives the equal record back.

    Raises ValueError when a discard's slot is not known: only finished, opened deals are recorded.
    """
    return "".join(line + "\n" for line in _lines(record, canonical=False))


def plays_hash(record: Record) -> str:
    """SHA-256, in hex, of the canonical text: `dump` with the cards of each play in card order, since the order
    in which cards are named is no part of a play (R10)."""
    text = "".join(line + "\n" for line in _lines(record, canonical=True))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _lines(record: Record, *, canonical: bool) -> Iterator[str]:
    deal, rules = record.deal, record.deal.rules
    yield HEADER
    doubled = "yes" if rules.eggs_double else "no"
    yield f"rules target={rules.target} eggs_double={doubled} yield_time={rules.yield_time}"
    yield f"dealer {deal.dealer}"
    yield f"leader {deal.leader}"
    yield f"indicator {name(deal.indicator)}"
    for seat in SEATS:
        yield f"hand {seat} " + _names([deal.cards[s] for s in deal.hand_slots(seat)])
    yield "stock " + _names(deal.cards[FIRST_STOCK_SLOT:])
    for seat, action in record.steps:
        line = f"{seat} {WORDS[type(action)]}"
        if not isinstance(action, Claim | Yield):
            slots = [s for s in action.slots if s is not None]
            if len(slots) != len(action.slots):
                raise ValueError("a discard is not open: only finished deals are recorded (R11)")
            cards = [deal.cards[s] for s in slots]
            line += " " + _names(sorted(cards) if canonical else cards)
        yield line
    yield "end"


def _names(cards: list[Card] | tuple[Card, ...]) -> str:
    return " ".join(name(c) for c in cards)


class _Reader:
    """The lines that count, one by one, each error with its line number."""

    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        if len(lines) > MAX_LINES:
            raise RecordError(f"line {MAX_LINES + 1}: a deal has at most {MAX_LINES} lines")
        self.lines = [(i, line.split()) for i, line in enumerate(lines, 1) if line.split()[:1] and line[0] != "#"]
        self.at = 0
        self.number = 0
        self.last = len(lines)

    def next(self, expected: str) -> list[str]:
        if self.at == len(self.lines):
            self.number = self.last + 1
            raise self.error(expected, "the end of the text")
        self.number, words = self.lines[self.at]
        self.at += 1
        return words

    def error(self, expected: str, found: str | list[str]) -> RecordError:
        """``found`` as text, or the words of the line, cut short: a foreign file may have endless lines."""
        if isinstance(found, list):
            text = " ".join(found)
            found = repr(text if len(text) <= 60 else text[:57] + "...")
        return RecordError(f"line {self.number}: expected {expected}, found {found}")

    def field(self, key: str, expected: str, count: int) -> list[str]:
        words = self.next(expected)
        if len(words) != count + 1 or words[0] != key:
            raise self.error(expected, words)
        return words[1:]

    def cards(self, words: list[str]) -> list[Card]:
        try:
            return [parse(w) for w in words]
        except ValueError as e:
            raise RecordError(f"line {self.number}: {e}") from None

    def seat(self, word: str, expected: str, words: list[str]) -> Seat:
        if word not in ("0", "1", "2", "3"):
            raise self.error(expected, words)
        return int(word)


def load(text: str) -> Record:
    """The record that a text holds. Only its form is judged; whether the actions are legal, `audit` tells.

    Raises RecordError with the line number and what was expected there.
    """
    reader = _Reader(text)
    words = reader.next(f"'{HEADER}'")
    if words[:2] == ["goat", "deal"] and words != HEADER.split():
        raise reader.error(f"'{HEADER}' (this program reads version 1)", words)
    if words != HEADER.split():
        raise reader.error(f"'{HEADER}'", words)
    deal = _load_deal(reader)
    places = {c: s for s, c in enumerate(deal.cards)}
    steps: list[Step] = []
    while (words := reader.next("an action or 'end'")) != ["end"]:
        steps.append(_load_step(reader, words, places))
    if reader.at != len(reader.lines):
        raise reader.error("nothing after 'end'", reader.next(""))
    return Record(deal, tuple(steps))


def _load_deal(reader: _Reader) -> Deal:
    rules = _load_rules(reader)
    seats = []
    for key in ("dealer", "leader"):
        expected = f"'{key}' and a seat 0 to 3"
        words = reader.field(key, expected, 1)
        seats.append(reader.seat(words[0], expected, [key, *words]))
    dealer, leader = seats
    indicator = reader.cards(reader.field("indicator", "'indicator' and a card", 1))[0]
    slots: list[Card] = [0] * DECK_SIZE
    for seat in SEATS:
        expected = f"'hand {seat}' and {HAND_SIZE} cards"
        words = reader.field("hand", expected, 1 + HAND_SIZE)
        if words[0] != str(seat):
            raise reader.error(expected, ["hand", *words])
        slots[(seat - dealer - 1) % 4 : FIRST_STOCK_SLOT : 4] = reader.cards(words[1:])
    words = reader.field("stock", f"'stock' and {STOCK_SIZE} cards", STOCK_SIZE)
    slots[FIRST_STOCK_SLOT:] = reader.cards(words)
    twice = sorted({c for c in slots if slots.count(c) > 1})
    if twice:
        raise RecordError(f"line {reader.number}: hands and stock hold {_names(twice)} more than once")
    if indicator not in slots[FIRST_STOCK_SLOT:]:
        raise RecordError(f"line {reader.number}: the indicator {name(indicator)} must be a card of the stock")
    return Deal(dealer, leader, indicator, tuple(slots), rules)


def _load_rules(reader: _Reader) -> Rules:
    expected = "'rules target=N eggs_double=yes|no yield_time=MILLISECONDS'"
    words = reader.field("rules", expected, 3)
    keys, values = zip(*(w.partition("=")[::2] for w in words), strict=True)
    numbers = (values[0], values[2])
    wrong = keys != ("target", "eggs_double", "yield_time") or values[1] not in ("yes", "no")
    if wrong or not all(n.isascii() and n.isdecimal() and len(n) <= 7 and int(n) <= MAX_NUMBER for n in numbers):
        raise reader.error(expected, ["rules", *words])
    if any(str(int(n)) != n for n in numbers):
        raise reader.error("numbers without leading zeros", ["rules", *words])
    return Rules(int(numbers[0]), values[1] == "yes", int(numbers[1]))


def _load_step(reader: _Reader, words: list[str], places: dict[Card, Slot]) -> Step:
    expected = "an action as in '0 lead 6S 7S', '1 claim' or 'end'"
    seat = reader.seat(words[0], expected, words)
    kinds = {text: kind for kind, text in WORDS.items()}
    kind = kinds.get(words[1] if len(words) > 1 else "")
    if kind is None:
        raise reader.error(expected, words)
    if kind in (Claim, Yield):
        if len(words) != 2:
            raise reader.error(f"no cards after '{words[1]}'", words)
        return seat, Claim() if kind is Claim else Yield()
    if not 1 <= len(words) - 2 <= HAND_SIZE:
        raise reader.error(f"1 to {HAND_SIZE} cards after '{words[1]}'", words)
    slots = tuple(places[c] for c in reader.cards(words[2:]))
    action: Action
    if kind is Lead:
        action = Lead(slots)
    elif kind is Beat:
        action = Beat(slots)
    else:
        action = Discard(slots) if kind is Discard else Show(slots)
    return seat, action


# --- deal code ----------------------------------------------------------------------------------------------


def encode_deal(deal: Deal) -> str:
    """One line that stands for dealer, leader, indicator and the order of all cards (not the rules, nor actions).

    ``G1:`` and 37 letters and digits in groups of five, without I, L, O and U. It ends in a CRC-32, so that no
    single wrong character and no two neighbours exchanged can pass.
    """
    left = list(DECK)
    value = 0
    for c in deal.cards:
        value = value * len(left) + left.index(c)
        left.remove(c)
    value = value * STOCK_SIZE + deal.cards.index(deal.indicator) - FIRST_STOCK_SLOT
    value = (value * 4 + deal.dealer) * 4 + deal.leader
    payload = value.to_bytes(PAYLOAD_BYTES, "big")
    number = int.from_bytes(payload + zlib.crc32(payload).to_bytes(4, "little"), "big")
    chars = "".join(ALPHABET[number >> 5 * i & 31] for i in reversed(range(CODE_CHARS)))
    return CODE_PREFIX + "-".join(chars[i : i + 5] for i in range(0, CODE_CHARS, 5))


def decode_deal(code: str, rules: Rules | None = None) -> Deal:
    """The deal of a code, in any case, with or without hyphens and blanks; O is read as 0, I and L as 1.

    Raises RecordError that says what is wrong with the code.
    """
    if len(code) > 4 * CODE_CHARS:
        raise RecordError("the deal code is far too long")
    text = "".join(code.split()).upper().translate(LOOKALIKES)
    if not text.startswith(CODE_PREFIX):
        raise RecordError(f"a deal code begins with {CODE_PREFIX}")
    chars = text[len(CODE_PREFIX) :].replace("-", "")
    for i, char in enumerate(chars, 1):
        if char not in ALPHABET:
            raise RecordError(f"character {i} of the deal code, {char!r}, does not occur in deal codes")
    if len(chars) != CODE_CHARS:
        many = "too short" if len(chars) < CODE_CHARS else "too long"
        raise RecordError(f"the deal code is {many}: {len(chars)} characters instead of {CODE_CHARS}")
    number = 0
    for char in chars:
        number = number << 5 | ALPHABET.index(char)
    broken = RecordError("the deal code has a mistake in it: compare it with the original character by character")
    if number >> 8 * (PAYLOAD_BYTES + 4):
        raise broken
    data = number.to_bytes(PAYLOAD_BYTES + 4, "big")
    payload, check = data[:PAYLOAD_BYTES], data[PAYLOAD_BYTES:]
    value = int.from_bytes(payload, "big")
    if zlib.crc32(payload).to_bytes(4, "little") != check or value >= CODE_VALUES:
        raise broken
    value, leader = divmod(value, 4)
    value, dealer = divmod(value, 4)
    value, place = divmod(value, STOCK_SIZE)
    digits = []
    for base in range(1, DECK_SIZE + 1):
        value, digit = divmod(value, base)
        digits.append(digit)
    left = list(DECK)
    cards = tuple(left.pop(d) for d in reversed(digits))
    return Deal(dealer, leader, cards[FIRST_STOCK_SLOT + place], cards, rules or Rules())
