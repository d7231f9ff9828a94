"""Messages between the two ends of a connection (PROTOCOL.md, The connection). What must last travels as records and
entries of the log (`goat_net.log.records`); everything here is only about being connected and about the lobby."""

from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from goat_net.wire.codec import Bytes, Flag, Int, Many, Name, Registry, Struct, Text
from goat_net.wire.notices import NOTHING, Notice
from goat_net.wire.text import TALK_CHARS

PROTOCOL: Final = 2
MAX_REACH: Final = 4  # addresses of a seat: IPv4 and IPv6 of two networks

MESSAGES: Final = Registry("message")

Seat: TypeAlias = Annotated[int, Int(0, 3)]
AnySeat: TypeAlias = Annotated[int, Int(0, 4)]  # 4: none
Key: TypeAlias = Annotated[bytes, Bytes(32)]
Hash: TypeAlias = Annotated[bytes, Bytes(32)]
Signature: TypeAlias = Annotated[bytes, Bytes(64)]
Program: TypeAlias = Annotated[str, Text(32)]
Version: TypeAlias = Annotated[int, Int(0, 65535)]

ROLE_PLAYER: Final = 0
ROLE_WATCHER: Final = 1
ROLE_BOT: Final = 2

# Reasons of Refused and Bye, a closed list.
WRONG_VERSION: Final = 1
BAD_SIGNATURE: Final = 2
BAD_KEY: Final = 3
WRONG_CODE: Final = 4
TABLE_FULL: Final = 5
NAME_TAKEN: Final = 6
NO_WATCHERS: Final = 7
TOO_MANY: Final = 8
TOO_SLOW: Final = 9
MALFORMED: Final = 10
KICKED: Final = 11
HOST_LEFT: Final = 12
LEFT: Final = 13
ELSEWHERE: Final = 14
FLOOD: Final = 15


@dataclass(frozen=True, slots=True)
class House:
    """What a table has agreed on (RULES.md, House rules), for who has not sat down yet: what counts is signed in the
    log. ``yield_time``: ms (R17). ``clock_base``, ``clock_more``: s for a move and in reserve for a deal, 0 without a
    clock. ``grace``: s until an absent seat is decided about (R24). ``seeded``: the deals come from a seed that
    somebody knows, so the match is not fair."""

    target: Annotated[int, Int(1, 99)] = 12
    eggs_double: Annotated[bool, Flag()] = False
    yield_time: Annotated[int, Int(0, 60_000)] = 3000
    clock_base: Annotated[int, Int(0, 3600)] = 0
    clock_more: Annotated[int, Int(0, 3600)] = 0
    grace: Annotated[int, Int(0, 3600)] = 180
    watch: Annotated[bool, Flag()] = True
    hints: Annotated[bool, Flag()] = True
    seeded: Annotated[bool, Flag()] = False


@MESSAGES.kind(1)
@dataclass(frozen=True, slots=True)
class Probe:
    """Is a table here? Before any hello; answered by Status, then the host closes."""

    nonce: Annotated[bytes, Bytes(16)]


@MESSAGES.kind(2)
@dataclass(frozen=True, slots=True)
class Status:
    """The table as it is now. ``match``: id of the first log, as far as this table knows, of the match that is on or
    goes on here, else empty: who has played it knows it by that. ``signature`` by the table key over "goat status v1" |
    nonce | the other fields."""

    protocol: Version
    program: Program
    table_key: Key
    name: Annotated[str, Name()]
    taken: Annotated[int, Int(0, 4)]
    watch: Annotated[bool, Flag()]
    code: Annotated[bool, Flag()]
    state: Annotated[int, Int(0, 2)]  # 0 lobby, 1 playing, 2 over
    match: Annotated[bytes, Bytes(0, 32)]
    house: Annotated[House, Struct(House)]
    signature: Signature


@MESSAGES.kind(3)
@dataclass(frozen=True, slots=True)
class Hello:
    """First message of a joiner. ``operator``: the key of the player whose machine runs this bot, else empty.
    ``page``: name of the player whose gateway serves the page that this joiner sits in, else empty."""

    protocol: Version
    program: Program
    role: Annotated[int, Int(0, 2)]
    key: Key
    nonce: Annotated[bytes, Bytes(32)]
    name: Annotated[str, Name()]
    level: Annotated[str, Text(16, blank=True)]
    operator: Annotated[bytes, Bytes(0, 32)]
    page: Annotated[str, Name(blank=True)] = ""


@MESSAGES.kind(4)
@dataclass(frozen=True, slots=True)
class Welcome:
    """The host's hello. ``code``: whether a code word is to be proven. Signature by the table key over the binding."""

    protocol: Version
    program: Program
    table_key: Key
    nonce: Annotated[bytes, Bytes(32)]
    code: Annotated[bool, Flag()]
    signature: Signature


@MESSAGES.kind(5)
@dataclass(frozen=True, slots=True)
class Prove:
    """The joiner's signature over the binding, its proof of the code (or empty), and for a bot the operator's
    signature over "goat operator v1" | bot key | table key (or empty)."""

    signature: Signature
    code_proof: Annotated[bytes, Bytes(0, 32)]
    operator_signature: Annotated[bytes, Bytes(0, 64)]


@MESSAGES.kind(6)
@dataclass(frozen=True, slots=True)
class Joined:
    """The joiner is in. ``code_proof``: the host's own proof of the code, or empty. ``log_id``: id of the log of the
    match that is on, or empty bytes in the lobby; ``entries`` how many it has."""

    code_proof: Annotated[bytes, Bytes(0, 32)]
    log_id: Annotated[bytes, Bytes(0, 32)]
    entries: Annotated[int, Int(0, 1_000_000)]


@MESSAGES.kind(7)
@dataclass(frozen=True, slots=True)
class Refused:
    """The host does not let the joiner in, or closes the connection; both versions are said when they differ."""

    reason: Annotated[int, Int(1, 15)]
    notice: Annotated[Notice, Struct(Notice)]
    protocol: Version
    program: Program


@MESSAGES.kind(8)
@dataclass(frozen=True, slots=True)
class Ping:
    """I am here; sent both ways after 2 s of silence, not answered."""


@MESSAGES.kind(9)
@dataclass(frozen=True, slots=True)
class Bye:
    """I go. ``reason`` from the closed list."""

    reason: Annotated[int, Int(1, 15)]
    notice: Annotated[Notice, Struct(Notice)] = NOTHING


@MESSAGES.kind(10)
@dataclass(frozen=True, slots=True)
class Submit:
    """A signed record for the log (`log.chain.Record`); a seat's to the host, or passed on for another seat."""

    record: Annotated[bytes, Bytes(1, 8192)]


@MESSAGES.kind(11)
@dataclass(frozen=True, slots=True)
class NewEntry:
    """The next entry of the log; the same bytes stand in a saved match."""

    number: Annotated[int, Int(0, 1_000_000)]
    record: Annotated[bytes, Bytes(1, 8192)]
    signature: Signature


@MESSAGES.kind(12)
@dataclass(frozen=True, slots=True)
class Read:
    """Send me the entries of this log from this number on, and then all new ones."""

    log_id: Hash
    start: Annotated[int, Int(0, 1_000_000)]


@dataclass(frozen=True, slots=True)
class LobbySeat:
    """One seat as the host tells it. ``operator``: name of the player whose machine runs this bot. ``asks``: the seat
    that its player asks to swap with, or 4. ``free``: whether somebody who watches may have it from the next deal on,
    or at once when no match is on; ``next_key``: key of who has it then, or empty. ``kept_key``: key of the player who
    has it again when they want it, while another plays, or empty. ``page``: see `Hello`."""

    taken: Annotated[bool, Flag()]
    name: Annotated[str, Name(blank=True)]
    key: Annotated[bytes, Bytes(0, 32)]
    bot: Annotated[bool, Flag()]
    level: Annotated[str, Text(16, blank=True)]
    operator: Annotated[str, Name(blank=True)]
    ready: Annotated[bool, Flag()]
    away: Annotated[int, Int(0, 86_400)]  # seconds
    asks: AnySeat
    free: Annotated[bool, Flag()]
    next_key: Annotated[bytes, Bytes(0, 32)]
    kept_key: Annotated[bytes, Bytes(0, 32)]
    page: Annotated[str, Name(blank=True)] = ""


@dataclass(frozen=True, slots=True)
class Watching:
    """Somebody without a seat. Names may be alike, keys are not. ``bot``: a program that waits for a seat. ``page``:
    see `Hello`."""

    name: Annotated[str, Name()]
    key: Key
    bot: Annotated[bool, Flag()] = False
    page: Annotated[str, Name(blank=True)] = ""


@MESSAGES.kind(13)
@dataclass(frozen=True, slots=True)
class Lobby:
    """Who sits where and who watches. A convenience: what counts is signed in the log when a match begins.
    ``owner``: seat of the player whose machine hosts, or 4. ``paused_by``: a name, or empty. ``house``: what the next
    match is played by."""

    table_name: Annotated[str, Name()]
    seats: Annotated[tuple[LobbySeat, ...], Many(Struct(LobbySeat), 4, 4)]
    watchers: Annotated[tuple[Watching, ...], Many(Struct(Watching), 0, 32)]
    owner: AnySeat
    state: Annotated[int, Int(0, 2)]
    paused_by: Annotated[str, Name(blank=True)]
    house: Annotated[House, Struct(House)]


@MESSAGES.kind(14)
@dataclass(frozen=True, slots=True)
class Sit:
    """I want this seat (4: any free one). During a match: from the next deal on, by its own player or, when it is
    free then, by somebody who watches (4: not any more)."""

    seat: AnySeat


@MESSAGES.kind(15)
@dataclass(frozen=True, slots=True)
class Ready:
    """I am ready, or not any more."""

    on: Annotated[bool, Flag()]


@MESSAGES.kind(16)
@dataclass(frozen=True, slots=True)
class Start:
    """Owner, or without one any player when all who sit are ready: fill free seats with bots and begin the match."""


@MESSAGES.kind(17)
@dataclass(frozen=True, slots=True)
class SetBot:
    """Owner only, lobby: a bot of this level on a free seat; an empty level takes it away."""

    seat: Seat
    level: Annotated[str, Text(16, blank=True)]


@MESSAGES.kind(18)
@dataclass(frozen=True, slots=True)
class Kick:
    """Owner only: this seat's player leaves the table (during a deal: after it)."""

    seat: Seat
    text: Annotated[str, Text(TALK_CHARS, blank=True)]


@MESSAGES.kind(19)
@dataclass(frozen=True, slots=True)
class Say:
    """Talk to the table."""

    text: Annotated[str, Text(TALK_CHARS)]


@MESSAGES.kind(20)
@dataclass(frozen=True, slots=True)
class Said:
    """Talk passed on. ``seat`` 4: a watcher."""

    seat: AnySeat
    name: Annotated[str, Name()]
    key: Key
    text: Annotated[str, Text(TALK_CHARS)]


@MESSAGES.kind(21)
@dataclass(frozen=True, slots=True)
class Pause:
    """Clocks stop for all, or go on."""

    on: Annotated[bool, Flag()]


@MESSAGES.kind(22)
@dataclass(frozen=True, slots=True)
class Reach:
    """Where the holder of this key can be dialled without the host: numeric addresses with ports. Signed by that key
    over "goat reach v1" | table key | serial (4 bytes) | the addresses, joined by line feeds. The newest counts."""

    key: Key
    serial: Annotated[int, Int(0, 0xFFFFFFFF)]
    addresses: Annotated[tuple[str, ...], Many(Text(64), 0, MAX_REACH)]
    signature: Signature


@MESSAGES.kind(23)
@dataclass(frozen=True, slots=True)
class Swap:
    """I ask the player of this seat to swap seats with me (4: not any more). In the lobby only."""

    seat: AnySeat


@MESSAGES.kind(25)
@dataclass(frozen=True, slots=True)
class Fresh:
    """My client's bytes for the next log of this table, which it gives for no other: who gives none isn't ready."""

    value: Annotated[bytes, Bytes(32)]


@MESSAGES.kind(26)
@dataclass(frozen=True, slots=True)
class PastEntry:
    """An entry of the log before, for who lacks it: its score is carried on. Answers `Read` of that log."""

    log_id: Hash
    number: Annotated[int, Int(0, 1_000_000)]
    record: Annotated[bytes, Bytes(1, 8192)]
    signature: Signature


@MESSAGES.kind(27)
@dataclass(frozen=True, slots=True)
class HandOver:
    """Who has the table next (PROTOCOL.md, Handing the table over). From its owner, and passed on to that player: the
    table is offered to the player of this seat; 4: not any more. From that player: their own seat, and where they have
    opened a table that goes on with this match, signed by the seat's key over "goat hand over v1" | table key |
    ``next_key`` | the addresses, joined by line feeds; 4: they don't take it. Passed on to all."""

    seat: AnySeat
    next_key: Annotated[bytes, Bytes(0, 32)]
    addresses: Annotated[tuple[str, ...], Many(Text(64), 0, MAX_REACH)]
    signature: Annotated[bytes, Bytes(0, 64)]


@MESSAGES.kind(28)
@dataclass(frozen=True, slots=True)
class Told:
    """The table's own word to a guest who stays."""

    notice: Annotated[Notice, Struct(Notice)]


@MESSAGES.kind(24)
@dataclass(frozen=True, slots=True)
class Answer:
    """Whether I swap seats with the player who asks me, named by the seat and key that they asked with."""

    seat: Seat
    key: Key
    on: Annotated[bool, Flag()]
