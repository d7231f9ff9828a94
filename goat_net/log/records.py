"""Bodies of records: everything that is written into the log, by a seat or by the host (PROTOCOL.md, The log).

Decks and lists of keys or hashes travel as one run of bytes, 32 each. A run of a wrong length is an offence, not a
malformed record, so the bounds here are wider than what is right.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

from goat_net.wire.codec import MAX_ARRAY, Bytes, Flag, Int, Many, Registry, SignedText, Struct, WireError
from goat_net.wire.messages import AnySeat, Hash, Key, Seat, Version

BODIES: Final = Registry("record")

NAME_CHARS: Final = 64  # characters of a name in a record: 16 cells with two marks on each have 48
Deck: TypeAlias = Annotated[bytes, Bytes(0, 2048)]  # 36 x 32 = 1152 when right
Slots: TypeAlias = Annotated[tuple[int, ...], Many(Int(0, 35), 1, 4)]
Run: TypeAlias = Annotated[bytes, Bytes(0, 1152)]

HOST: Final = 4
"""The author of the host's own records, after the seats 0..3."""
NOBODY: Final = 5
_TABLE_OF_1: Final = 13  # items of a table's record of protocol 1, its kind included
_CARRIED_OF_1: Final = 8  # items of a carried score in it


@dataclass(frozen=True, slots=True)
class SeatEntry:
    """Who sits on a seat. A bot names the operator's key, signed by that key (``operator_signature``)."""

    key: Key
    name: Annotated[str, SignedText(NAME_CHARS, name=True)]
    bot: Annotated[bool, Flag()]
    level: Annotated[str, SignedText(16, blank=True)]
    operator: Annotated[bytes, Bytes(0, 32)]
    operator_signature: Annotated[bytes, Bytes(0, 64)]


@dataclass(frozen=True, slots=True)
class Caught:
    """Who was caught cheating in a match that goes on (R23): the key of the seat, in how many deals (2: or more)."""

    key: Key
    deals: Annotated[int, Int(1, 2)]


@dataclass(frozen=True, slots=True)
class Carried:
    """A score carried on under other seats (R24): id and last head of the match before, its score, whose turn, who was
    caught."""

    match_id: Hash
    head: Hash
    defeat: Annotated[tuple[int, ...], Many(Int(0, 99), 2, 2)]
    eggs: Annotated[int, Int(0, 999)]
    dealer: Seat
    leader: Seat
    doubled: Annotated[bool, Flag()]
    deals: Annotated[int, Int(0, 9999)]
    caught: Annotated[tuple[Caught, ...], Many(Struct(Caught), 0, MAX_ARRAY)] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """What a table agrees on beside the rules. ``grace`` seconds (R24); ``clock_base`` and ``clock_more`` seconds of
    the turn clock, 0 when off; ``hints``: whether clients give hints during a deal; ``seed``: empty, or the seed of a
    test or demo, which makes the match not fair."""

    grace: Annotated[int, Int(0, 3600)]
    clock_base: Annotated[int, Int(0, 3600)]
    clock_more: Annotated[int, Int(0, 3600)]
    watch: Annotated[bool, Flag()]
    hints: Annotated[bool, Flag()]
    seed: Annotated[bytes, Bytes(0, 32)]


@BODIES.kind(1)
@dataclass(frozen=True, slots=True)
class Table:
    """Host, first record of a log: what everybody agrees on by signing their nonce's commitment after it.
    ``owner``: seat of the player whose machine hosts, or 4 when they do not play. ``fresh``: by seat, the bytes that
    its client gave for this log alone (Fresh logs)."""

    protocol: Version
    program: Annotated[str, SignedText(32)]
    salt: Annotated[bytes, Bytes(32)]
    table_key: Key
    name: Annotated[str, SignedText(NAME_CHARS, name=True)]
    owner: AnySeat
    target: Annotated[int, Int(1, 99)]
    eggs_double: Annotated[bool, Flag()]
    yield_time: Annotated[int, Int(0, 60_000)]
    settings: Annotated[Settings, Struct(Settings)]
    seats: Annotated[tuple[SeatEntry, ...], Many(Struct(SeatEntry), 4, 4)]
    carried: Annotated[tuple[Carried, ...], Many(Struct(Carried), 0, 1)]
    fresh: Annotated[tuple[bytes, ...], Many(Bytes(32), 0, 4)]


def body_of(value: object) -> Any:
    """The body of an array, in the form that the newest protocol has. A table's record of protocol 1 ends before
    ``fresh``, and a score in it before ``caught``. Raises WireError."""
    if isinstance(value, list) and value[:2] == [1, 1]:
        if len(value) != _TABLE_OF_1:
            raise WireError(f"a table's record of protocol 1 has {_TABLE_OF_1} items")
        *fields, carried = value
        return BODIES.from_array([*fields, _carried_of_1(carried), []])
    return BODIES.from_array(value)


def _carried_of_1(value: object) -> object:
    if not isinstance(value, list):
        return value
    if any(not isinstance(one, list) or len(one) != _CARRIED_OF_1 for one in value):
        raise WireError(f"a carried score of protocol 1 has {_CARRIED_OF_1} items")
    return [[*one, []] for one in value]


@BODIES.kind(2)
@dataclass(frozen=True, slots=True)
class NonceCommit:
    """Seat: commitment to its nonce for the match id; names its seat inside, so it cannot be copied."""

    commitment: Hash


@BODIES.kind(3)
@dataclass(frozen=True, slots=True)
class Nonce:
    """Seat: the nonce, once all four commitments are there."""

    nonce: Annotated[bytes, Bytes(32)]


@BODIES.kind(4)
@dataclass(frozen=True, slots=True)
class Commit:
    """Seat: commitment to its seed of this deal. Only after its own verdict on the deal before."""

    commitment: Hash


@BODIES.kind(5)
@dataclass(frozen=True, slots=True)
class Shuffle:
    """Seat in turn: the deck, shuffled and under one more scalar."""

    deck: Deck


@BODIES.kind(6)
@dataclass(frozen=True, slots=True)
class Cut:
    """Seat in turn: the indicator copy, the stock cut again, the hash of the indicator's key."""

    indicator: Annotated[bytes, Bytes(32)]
    stock: Deck
    key_hash: Hash


@BODIES.kind(7)
@dataclass(frozen=True, slots=True)
class Lock:
    """Seat in turn: the deck under one key a slot, and the hash of every key."""

    deck: Deck
    hashes: Deck


@BODIES.kind(8)
@dataclass(frozen=True, slots=True)
class Keys:
    """Seat: its keys of the slots that went to other seats, in order of slots; after the lock also its indicator key
    (else empty)."""

    keys: Run
    indicator: Annotated[bytes, Bytes(0, 32)]


@BODIES.kind(9)
@dataclass(frozen=True, slots=True)
class Complain:
    """Seat: these one or two own slots do not open as they must; with their keys, so that everyone sees it."""

    slots: Annotated[tuple[int, ...], Many(Int(0, 35), 1, 2)]
    keys: Run


@BODIES.kind(10)
@dataclass(frozen=True, slots=True)
class LeadPlay:
    """Seat: a lead, face up: slots and own keys (R8)."""

    slots: Slots
    keys: Run


@BODIES.kind(11)
@dataclass(frozen=True, slots=True)
class BeatPlay:
    """Seat: a beat, face up: slots and own keys (R10)."""

    slots: Slots
    keys: Run


@BODIES.kind(12)
@dataclass(frozen=True, slots=True)
class DiscardPlay:
    """Seat: a discard, face down: a commitment to each slot (R11)."""

    commitments: Run


@BODIES.kind(13)
@dataclass(frozen=True, slots=True)
class ClaimPlay:
    """Seat: a molodka is claimed (R15). ``trick`` is the number of the trick meant, from 0."""

    trick: Annotated[int, Int(0, 8)]


@BODIES.kind(14)
@dataclass(frozen=True, slots=True)
class ShowPlay:
    """Seat: the four cards of its claim, face up (R16)."""

    slots: Slots
    keys: Run


@BODIES.kind(15)
@dataclass(frozen=True, slots=True)
class YieldPlay:
    """Seat: lets the claim stand (R17)."""


@BODIES.kind(16)
@dataclass(frozen=True, slots=True)
class Open:
    """Seat: its seed, after the last trick or when the deal has stopped."""

    seed: Annotated[bytes, Bytes(32)]


@BODIES.kind(17)
@dataclass(frozen=True, slots=True)
class Verdict:
    """Seat: what its own audit found: the result, or whom it blames (5: nobody) and for which entry."""

    points: Annotated[tuple[int, ...], Many(Int(0, 120), 2, 2)]
    tricks: Annotated[tuple[int, ...], Many(Int(0, 9), 2, 2)]
    defeat: Annotated[tuple[int, ...], Many(Int(0, 12), 2, 2)]
    blamed: Annotated[int, Int(0, 5)]
    entry: Annotated[int, Int(0, 1_000_000)]


@BODIES.kind(18)
@dataclass(frozen=True, slots=True)
class Leave:
    """Seat: its player leaves the match of their own will (R24)."""


@BODIES.kind(19)
@dataclass(frozen=True, slots=True)
class OldVote:
    """Seat, protocol 1 alone: what to do about a seat that owes an action: 0 wait on, 1 excuse, 2 charge.
    ``unreached``: this client dialled that seat itself and got no answer."""

    seat: Seat
    choice: Annotated[int, Int(0, 2)]
    unreached: Annotated[bool, Flag()]


@BODIES.kind(20)
@dataclass(frozen=True, slots=True)
class PauseClock:
    """Seat: clocks stop for all, or may go on."""

    on: Annotated[bool, Flag()]


@BODIES.kind(21)
@dataclass(frozen=True, slots=True)
class Unheard:
    """Seat: its machine has heard nothing of a seat (R24). It waited ``waited`` seconds by its own clock, tried a line
    to that seat that had worked before in this match, and holds no record of it that the log lacks."""

    seat: Seat
    waited: Annotated[int, Int(0, 86_400)]


@BODIES.kind(22)
@dataclass(frozen=True, slots=True)
class Vote:
    """Seat: what to do about a seat that is away or has left (R24): 0 wait on, 1 let go, 2 charge; 3: its player has
    not answered in time."""

    seat: Seat
    choice: Annotated[int, Int(0, 3)]


@BODIES.kind(30)
@dataclass(frozen=True, slots=True)
class Refuse:
    """Host: a record that was a form error: whose, its counter, its hash, and why (number of `FormError`)."""

    seat: Seat
    counter: Annotated[int, Int(0, 1_000_000)]
    record: Hash
    reason: Annotated[int, Int(1, 64)]


@BODIES.kind(31)
@dataclass(frozen=True, slots=True)
class Away:
    """Host: this seat has owed a record for ``seconds``, which is the grace time at least."""

    seat: Seat
    seconds: Annotated[int, Int(0, 86_400)]


@BODIES.kind(32)
@dataclass(frozen=True, slots=True)
class Back:
    """Host, protocol 1 alone: this seat is there again."""

    seat: Seat


@BODIES.kind(33)
@dataclass(frozen=True, slots=True)
class End:
    """Host: the log is closed: 0 a goat, 1 the table goes on under other seats, 2 the table closes."""

    reason: Annotated[int, Int(0, 2)]


@BODIES.kind(34)
@dataclass(frozen=True, slots=True)
class CloseVote:
    """Host: the time of the vote about this seat is over."""

    seat: Seat


@BODIES.kind(35)
@dataclass(frozen=True, slots=True)
class EndPause:
    """Host: the time of the pause is over."""
