"""The table of the wire: what is said, to whom and when, and what comes of it.

Each row is tried over TLS on loopback by `tests/wire/test_table.py`. This prints the whole table:

    python3 dev.py python -m tests.wire.table
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from goat_net.seat.reach import make_reach
from goat_net.wire import hello as proofs
from goat_net.wire.codec import pack
from goat_net.wire.framing import frame
from goat_net.wire.identity import Identity, small_order_keys
from goat_net.wire.messages import (
    BAD_KEY,
    BAD_SIGNATURE,
    FLOOD,
    HOST_LEFT,
    LEFT,
    MALFORMED,
    MESSAGES,
    PROTOCOL,
    ROLE_BOT,
    ROLE_WATCHER,
    WRONG_CODE,
    WRONG_VERSION,
    Answer,
    Bye,
    Fresh,
    HandOver,
    Hello,
    House,
    Joined,
    Kick,
    Lobby,
    LobbySeat,
    NewEntry,
    PastEntry,
    Pause,
    Ping,
    Probe,
    Prove,
    Reach,
    Read,
    Ready,
    Refused,
    Said,
    Say,
    SetBot,
    Sit,
    Start,
    Status,
    Submit,
    Swap,
    Told,
    Welcome,
)
from goat_net.wire.notices import Saying, notice
from tests.wire.ends import NO_SIGNATURE, Dialled, Dialler
from tests.wire.kit import OWNER, SEATED, STRANGER, TABLE

HOST, CLIENT, LINE, PROBE = "host", "client", "direct line", "probe"
CODE = "banan delon fares tovis"

# What comes of it. A number: the other end closes with this reason (PROTOCOL.md, The end).
GOES_ON = "goes on"
IN = "lets in"
WELCOME = "says Welcome"
STATUS = "says Status"
SILENT_END = "closes without a word"
GOOD_STATUS = "has a status"

# Where a row begins: nothing has been said, both have said hello, or the joiner is in.
FRESH, GREETED, INSIDE = "before the hello", "after the hello", "once in"


@dataclass(frozen=True)
class Row:
    """One row. ``say``: sends what is said, given the end made by hand, which is at ``when``."""

    door: str
    area: str
    when: str
    what: str
    outcome: int | str
    say: Callable[[Any], Any]
    code: bool = False  # whether the table has a code

    def __str__(self) -> str:
        out = f"reason {self.outcome}" if isinstance(self.outcome, int) else self.outcome
        return f"{self.door} | {self.area} | {self.when} | {self.what} | {out}"


def raw(data: bytes) -> Callable[[Any], None]:
    """Say these bytes."""
    return lambda end: end.send(data)


def content(value: bytes) -> Callable[[Any], None]:
    """Say this content in a frame."""
    return lambda end: end.send(frame(value))


def say(*messages: Any) -> Callable[[Any], None]:
    """Say these messages."""
    return lambda end: end.send(*messages)


NO_SEAT = LobbySeat(False, "", b"", False, "", "", False, 0, 4, True, b"", b"")
SAMPLES: Final[dict[type[Any], Any]] = {
    Probe: Probe(bytes(16)),
    Status: Status(PROTOCOL, "goat 0.2", TABLE.public, "Kitchen", 0, True, False, 0, b"", House(), NO_SIGNATURE),
    Hello: Hello(PROTOCOL, "goat 0.1", 0, STRANGER.public, bytes(32), "Zoe", "", b""),
    Welcome: Welcome(PROTOCOL, "goat 0.2", TABLE.public, bytes(32), False, NO_SIGNATURE),
    Prove: Prove(NO_SIGNATURE, b"", b""),
    Joined: Joined(b"", b"", 0),
    Refused: Refused(MALFORMED, notice(Saying.UNREADABLE), PROTOCOL, "goat 0.2"),
    Ping: Ping(),
    Bye: Bye(LEFT),
    Submit: Submit(b"x"),
    NewEntry: NewEntry(5, b"x", NO_SIGNATURE),
    Read: Read(bytes(32), 0),
    Lobby: Lobby("Kitchen", (NO_SEAT,) * 4, (), 4, 0, "", House()),
    Sit: Sit(0),
    Ready: Ready(True),
    Start: Start(),
    SetBot: SetBot(0, "easy"),
    Kick: Kick(0, ""),
    Say: Say("hi"),
    Said: Said(4, "Zoe", STRANGER.public, "hi"),
    Told: Told(notice(Saying.CANNOT_BEGIN)),
    Pause: Pause(True),
    Reach: make_reach(STRANGER, TABLE.public, 1, ("127.0.0.1:4000",)),
    Swap: Swap(0),
    Answer: Answer(0, STRANGER.public, True),
    Fresh: Fresh(bytes(range(32))),
    PastEntry: PastEntry(bytes(32), 0, b"x", NO_SIGNATURE),
    HandOver: HandOver(0, STRANGER.public, ("127.0.0.1:4000",), NO_SIGNATURE),
}

# Frames ----------------------------------------------------------------------------------------------------------

BAD_FRAMES: Final = {
    "a first byte 00": b"\x00",
    "bin 8 instead of bin 16": b"\xc4\x01\x90",
    "bin 32 instead of bin 16": b"\xc6\x00\x00\x00\x01\x90",
    "a line of HTTP": b"GET / HTTP/1.1\r\n\r\n",
    "a TLS record inside TLS": b"\x16\x03\x01\x00\x05hello",
    "FF and nothing more": b"\xff",
    "a frame of no bytes": b"\xc5\x00\x00",
    "a length of 16385, without the bytes": b"\xc5\x40\x01",
    "a length of 65535, without the bytes": b"\xc5\xff\xff",
}
BAD_CONTENTS: Final = {
    "[[]], the five bytes of C1": b"\x91\x90",
    "an array of no items": b"\x90",
    "a kind that is an array of arrays": b"\x91\x91\x91\x90",
    "a kind that is true": b"\x91\xc3",
    "a kind that is text": b"\x91\xa1x",
    "a kind that is bytes": b"\x91\xc4\x01\x08",
    "a kind that is nobody's": b"\x91\x7f",
    "a kind of -1": b"\x91\xff",
    "a kind of 2^64 - 1": b"\x91\xcf" + b"\xff" * 8,
    "an integer alone": b"\x08",
    "text alone": b"\xa4Ping",
    "nil": b"\xc0",
    "a map": b"\x80",
    "a map with an item": b"\x81\x01\x02",
    "a float": b"\xcb" + bytes(8),
    "an extension": b"\xd4\x01\x00",
    "a byte that msgpack never uses": b"\xc1",
    "a kind in two bytes that fits into one": b"\x91\xcc\x08",
    "an array in three bytes that fits into one": b"\xdc\x00\x01\x08",
    "an array in five bytes": b"\xdd\x00\x00\x00\x01\x08",
    "a Ping with a byte behind it": b"\x91\x08\x00",
    "a Ping with a field too many": b"\x92\x08\x00",
    "an array of two with one item": b"\x92\x08",
    "an array of 65": b"\xdc\x00\x41" + b"\x08" * 65,
    "an array that says it has 65535": b"\xdc\xff\xff",
    "an array that says it has 2^32 - 1": b"\xdd\xff\xff\xff\xff",
    "arrays nested 9 deep": b"\x91" * 9 + b"\x90",
    "arrays nested 16384 deep": b"\x91" * 16383 + b"\x90",
    "text that is no UTF-8": b"\x92\x13\xa1\xff",
    "text that says it has 2^32 - 1 bytes": b"\x92\x13\xdb\xff\xff\xff\xff",
    "16384 bytes of zeros": bytes(16384),
}


def frames() -> Iterator[Row]:
    """What is no frame, or holds no message, at every door and point."""
    for door, whens in ((HOST, (FRESH, GREETED, INSIDE)), (LINE, (FRESH, INSIDE)), (CLIENT, (FRESH, INSIDE))):
        for when in whens:
            for what, data in BAD_FRAMES.items():
                yield Row(door, "framing", when, what, MALFORMED, raw(data))
    for what, data in BAD_FRAMES.items():
        yield Row(PROBE, "framing", FRESH, what, MALFORMED, raw(data))
    for door, when in ((HOST, FRESH), (HOST, INSIDE), (LINE, FRESH), (CLIENT, FRESH), (CLIENT, INSIDE), (PROBE, FRESH)):
        for what, data in BAD_CONTENTS.items():
            yield Row(door, "encoding", when, what, MALFORMED, content(data))


def slowly(end: Any) -> None:
    """A hello byte by byte."""
    for byte in frame(MESSAGES.encode(end.hello())):
        end.send(bytes([byte]))


def pieces() -> Iterator[Row]:
    """Frames in pieces, and many at once."""
    ping = frame(MESSAGES.encode(Ping()))
    yield Row(HOST, "framing", FRESH, "a hello in single bytes", WELCOME, slowly)
    yield Row(LINE, "framing", FRESH, "a hello in single bytes", WELCOME, slowly)
    for door in (HOST, LINE, CLIENT):
        yield Row(door, "framing", INSIDE, "500 Pings in one piece", GOES_ON, raw(ping * 500))
        yield Row(door, "framing", INSIDE, "a Ping, then what is no frame", MALFORMED, raw(ping + b"\x00"))
    yield Row(HOST, "framing", FRESH, "half a frame and the end of the stream", SILENT_END, ends_with(b"\xc5\x00"))
    yield Row(HOST, "framing", FRESH, "nothing and the end of the stream", SILENT_END, ends_with(b""))


def ends_with(data: bytes) -> Callable[[Any], None]:
    """Say these bytes and close one's half of the stream."""

    def act(end: Any) -> None:
        end.send(data)
        end.writer.close()

    return act


# Order -----------------------------------------------------------------------------------------------------------

_ASKS: Final = (Sit, Ready, Start, SetBot, Kick, Say, Pause, Reach, Swap, Answer, Fresh, HandOver)
FROM_A_GUEST: Final = (*_ASKS, Ping, Read, NewEntry, PastEntry)
ON_A_LINE: Final = (Ping, Read, NewEntry, Submit)
FROM_A_HOST: Final = (Ping, Read, Lobby, Said, Told, Reach, PastEntry, HandOver)


def order() -> Iterator[Row]:
    """Every kind of message where it may come, and where it must not."""
    for kind, sample in SAMPLES.items():
        name = kind.__name__
        if kind not in (Hello, Probe, Bye):
            for door in (HOST, LINE):
                yield Row(door, "order", FRESH, f"{name} first", MALFORMED, say(sample))
        if kind not in (Prove, Bye):
            yield Row(HOST, "order", GREETED, f"{name} instead of Prove", MALFORMED, say(sample))
        if kind not in (*FROM_A_GUEST, Bye, Refused, Submit):
            yield Row(HOST, "order", INSIDE, f"{name} to a table", MALFORMED, say(sample))
        elif kind in FROM_A_GUEST:
            yield Row(HOST, "order", INSIDE, f"{name} to a table", GOES_ON, say(sample))
        if kind not in (*ON_A_LINE, Bye, Refused):
            yield Row(LINE, "order", INSIDE, f"{name} to a seat", MALFORMED, say(sample))
        elif kind in ON_A_LINE:
            yield Row(LINE, "order", INSIDE, f"{name} to a seat without a match", GOES_ON, say(sample))
        if kind not in (Welcome, Bye, Refused):
            yield Row(CLIENT, "order", FRESH, f"{name} instead of Welcome", MALFORMED, say(sample))
        if kind not in (Joined, Bye, Refused):
            yield Row(CLIENT, "order", GREETED, f"{name} instead of Joined", MALFORMED, say(sample))
        if kind not in (*FROM_A_HOST, Bye, Refused):
            yield Row(CLIENT, "order", INSIDE, f"{name} to a player", MALFORMED, say(sample))
        elif kind in FROM_A_HOST:
            yield Row(CLIENT, "order", INSIDE, f"{name} to a player", GOES_ON, say(sample))
        if kind not in (Status, Bye, Refused):
            yield Row(PROBE, "order", FRESH, f"{name} instead of Status", MALFORMED, say(sample))
    yield Row(HOST, "order", FRESH, "Hello twice at once", MALFORMED, lambda e: e.send(e.hello(), e.hello()))
    yield Row(HOST, "order", FRESH, "Probe and Hello at once", MALFORMED, lambda e: e.send(SAMPLES[Probe], e.hello()))
    yield Row(HOST, "order", GREETED, "Prove twice at once", MALFORMED, lambda e: e.send(e.prove(), e.prove()))


# The hello -------------------------------------------------------------------------------------------------------


def hello(**changes: Any) -> Callable[[Dialler], None]:
    """A hello with other fields than an honest one."""
    return lambda end: end.send(end.hello(**changes))


def fields(at: int, value: object) -> Callable[[Dialler], None]:
    """A hello with this value in its n-th field, which no program of ours could send."""

    def act(end: Dialler) -> None:
        array = MESSAGES.to_array(end.said)
        array[at] = value
        end.send(frame(pack(array)))

    return act


BAD_FIELDS: Final = {
    "a protocol that is text": (1, "2"),
    "a protocol of 65536": (1, 65536),
    "a program of no characters": (2, ""),
    "a program of 33 characters": (2, "g" * 33),
    "a program with an escape character": (2, "goat\x1b[2J"),
    "a role 3": (3, 3),
    "a role that is true": (3, True),
    "a key of 31 bytes": (4, bytes(31)),
    "a key of 33 bytes": (4, bytes(33)),
    "a key that is text": (4, "x" * 32),
    "a nonce of 31 bytes": (5, bytes(31)),
    "a name of no characters": (6, ""),
    "a name of 17 cells": (6, "a" * 17),
    "a name of 9 wide characters": (6, "글" * 9),
    "a name with a line feed": (6, "Zo\ne"),
    "a name that is turned around (U+202E)": (6, "Zo\u202ee"),
    "a name with a blank at its end": (6, "Zoe "),
    "a name that is not NFC": (6, "Zoe\u0308"),
    "a name with an invisible character": (6, "Zo\u200be"),
    "a name with three marks in a row": (6, "Zo\u0323\u0324\u0325e"),
    "a level of 17 characters": (7, "x" * 17),
    "an operator of 33 bytes": (8, bytes(33)),
}


def handshake() -> Iterator[Row]:
    """Hello and Prove to a table and to a direct line."""
    for door in (HOST, LINE):
        for protocol in (0, PROTOCOL - 1, PROTOCOL + 1, 65535):
            yield Row(door, "handshake", FRESH, f"protocol {protocol}", WRONG_VERSION, hello(protocol=protocol))
        yield Row(
            door, "handshake", FRESH, "a Hello of another protocol with more fields", WRONG_VERSION,
            content(pack([3, 9, "goat 9", [], b"x", "more"])),
        )  # fmt: skip
        yield Row(
            door, "handshake", FRESH, "an operator of somebody who is no bot", MALFORMED, hello(operator=OWNER.public)
        )
        yield Row(
            door,
            "handshake",
            FRESH,
            "an operator whose key has 5 bytes",
            BAD_KEY,
            hello(role=ROLE_BOT, operator=b"12345"),
        )
        yield Row(door, "handshake", GREETED, "another's signature in Prove", BAD_SIGNATURE, prove_as(SEATED[3]))
        yield Row(
            door, "signatures", GREETED, "a signature for another purpose", BAD_SIGNATURE,
            lambda e: e.send(e.prove(purpose=proofs.WELCOME_PURPOSE)),
        )  # fmt: skip
        yield Row(
            door,
            "signatures",
            GREETED,
            "a signature of zeros",
            BAD_SIGNATURE,
            lambda e: e.send(e.prove(signature=bytes(64))),
        )
        yield Row(
            door, "handshake", GREETED, "a proof of a code where there is none", WRONG_CODE,
            lambda e: e.send(e.prove(code_proof=bytes(32))),
        )  # fmt: skip
        yield Row(
            door, "signatures", GREETED, "an operator's signature without an operator", BAD_SIGNATURE,
            lambda e: e.send(e.prove(operator_signature=bytes(64))),
        )  # fmt: skip
    for number, key in enumerate(sorted(small_order_keys())):
        yield Row(HOST, "handshake", FRESH, f"key {number + 1} of small order", BAD_KEY, hello(key=key))
    yield Row(
        HOST,
        "handshake",
        FRESH,
        "a key that is no number below p",
        BAD_KEY,
        hello(key=b"\xf0" + b"\xff" * 30 + b"\x7f"),
    )
    for what, (at, value) in BAD_FIELDS.items():
        yield Row(HOST, "bounds", FRESH, what, MALFORMED, fields(at, value))
    yield Row(HOST, "handshake", FRESH, "an honest hello", WELCOME, hello())
    yield Row(HOST, "handshake", FRESH, "a watcher's hello", WELCOME, hello(role=ROLE_WATCHER))
    yield Row(HOST, "handshake", FRESH, "a probe", STATUS, say(SAMPLES[Probe]))
    yield Row(HOST, "handshake", GREETED, "an honest proof", IN, lambda e: e.send(e.prove()))
    yield Row(LINE, "handshake", GREETED, "an honest proof of a seat", IN, lambda e: e.send(e.prove()))
    for what, code, outcome in (
        ("the right code", CODE, IN),
        ("the right code typed otherwise", "BANAN-delon  fares/tovis", IN),
        ("another code", "banan delon fares tovin", WRONG_CODE),
        ("a code of one letter", "a", WRONG_CODE),
    ):
        yield Row(HOST, "handshake", GREETED, what, outcome, lambda e, code=code: e.send(e.prove(code=code)), code=True)
    yield Row(
        HOST, "handshake", GREETED, "no proof where a code is asked", WRONG_CODE, lambda e: e.send(e.prove()), code=True
    )
    yield Row(
        HOST,
        "handshake",
        GREETED,
        "a proof of zeros",
        WRONG_CODE,
        lambda e: e.send(e.prove(code_proof=bytes(32))),
        code=True,
    )
    yield Row(HOST, "handshake", FRESH, "a probe of a table with a code", STATUS, say(SAMPLES[Probe]), code=True)


def prove_and_go(end: Dialler) -> None:
    """A good proof and a goodbye in one breath."""
    end.send(end.prove(), Bye(LEFT))


def prove_as(identity: Identity) -> Callable[[Dialler], None]:
    """A proof by another key than the hello's."""
    return lambda end: end.send(end.prove(signature=identity.sign(proofs.PROVE_PURPOSE, end.binding)))


def welcome(**changes: Any) -> Callable[[Dialled], None]:
    """A Welcome with other fields than an honest one."""
    return lambda end: end.send(end.welcome(**changes))


def asks_and_ends(end: Dialled) -> None:
    """A Welcome that asks for a code, and the end: whoever has none proves a key, which may be enough (Code)."""
    end.send(end.welcome(code=True), Bye(WRONG_CODE, notice(Saying.CODE_ASKED)))


def client_handshake() -> Iterator[Row]:
    """What a host may answer, to a client that has chosen its table; and what a prober is answered."""
    for protocol in (0, PROTOCOL + 1):
        yield Row(
            CLIENT, "handshake", FRESH, f"a Welcome of protocol {protocol}", WRONG_VERSION, welcome(protocol=protocol)
        )
    yield Row(
        CLIENT, "handshake", FRESH, "a Welcome of another protocol with more fields", WRONG_VERSION,
        content(pack([4, 9, "goat 9", [], b"x"])),
    )  # fmt: skip
    yield Row(CLIENT, "handshake", FRESH, "another table's key", BAD_KEY, welcome(signer=STRANGER))
    for number, key in enumerate(sorted(small_order_keys())[:3]):
        yield Row(CLIENT, "handshake", FRESH, f"key {number + 1} of small order", BAD_KEY, welcome(table_key=key))
    yield Row(CLIENT, "signatures", FRESH, "a signature of zeros", BAD_SIGNATURE, welcome(signature=bytes(64)))
    yield Row(
        CLIENT, "signatures", FRESH, "a signature for another certificate (somebody between)", BAD_SIGNATURE,
        welcome(certificate=bytes(32)),
    )  # fmt: skip
    yield Row(CLIENT, "handshake", FRESH, "a code is asked of who has none, then Bye", SILENT_END, asks_and_ends)
    yield Row(CLIENT, "handshake", GREETED, "an honest Joined", GOES_ON, say(SAMPLES[Joined]))
    yield Row(CLIENT, "bounds", GREETED, "a log id of 5 bytes", MALFORMED, say(Joined(b"", b"12345", 0)))
    yield Row(
        CLIENT, "handshake", GREETED, "a proof of a code that nobody gave", MALFORMED, say(Joined(bytes(32), b"", 0))
    )
    yield Row(
        CLIENT, "bounds", GREETED, "a million and one entries", MALFORMED, content(pack([6, b"", b"", 1_000_001]))
    )
    yield Row(PROBE, "signatures", FRESH, "a status that is not signed", BAD_SIGNATURE, say(SAMPLES[Status]))
    yield Row(PROBE, "signatures", FRESH, "a status signed for another nonce", BAD_SIGNATURE, status(nonce=bytes(16)))
    yield Row(PROBE, "handshake", FRESH, "an honest status", GOOD_STATUS, status())
    yield Row(PROBE, "handshake", FRESH, "a status of another protocol", GOOD_STATUS, status(protocol=9))
    yield Row(
        PROBE, "handshake", FRESH, "a Status of another protocol with more fields", WRONG_VERSION,
        content(pack([2, 9, "goat 9", [], b"x"])),
    )  # fmt: skip
    yield Row(
        PROBE, "bounds", FRESH, "five seats taken", MALFORMED, content(pack([2, PROTOCOL, "g", bytes(32), "K", 5]))
    )


def status(*, nonce: bytes | None = None, protocol: int = PROTOCOL) -> Callable[[Any], None]:
    """A status signed by the table."""

    def act(end: Any) -> None:
        plain = Status(protocol, "goat 0.2", TABLE.public, "Kitchen", 0, True, False, 0, b"", House(), NO_SIGNATURE)
        signed = (end.nonce if nonce is None else nonce) + MESSAGES.encode(plain)
        end.send(Status(*[getattr(plain, n) for n in Status.__slots__[:-1]], TABLE.sign(proofs.STATUS_PURPOSE, signed)))

    return act


# Bounds of what is said once in ----------------------------------------------------------------------------------

OUT_OF_BOUNDS: Final = {
    "Sit 5": [14, 5],
    "Sit -1": [14, -1],
    "Sit true": [14, True],
    "Ready 1": [15, 1],
    "SetBot on seat 4": [17, 4, "easy"],
    "SetBot of a level with an escape character": [17, 0, "ea\x1bsy"],
    "Kick of seat 4": [18, 4, ""],
    "talk of no characters": [19, ""],
    "talk of 301 characters": [19, "x" * 301],
    "talk with a bell": [19, "ding\x07"],
    "talk with an escape sequence": [19, "\x1b]0;x\x07"],
    "talk with a line feed": [19, "a\nb"],
    "talk with two blanks": [19, "a  b"],
    "talk that is bytes": [19, b"hi"],
    "a record of no bytes": [10, b""],
    "a record of 8193 bytes": [10, bytes(8193)],
    "an entry numbered 1000001": [11, 1_000_001, b"x", bytes(64)],
    "an entry with a signature of 63 bytes": [11, 0, b"x", bytes(63)],
    "Read of a log id of 31 bytes": [12, bytes(31), 0],
    "Read from -1": [12, bytes(32), -1],
    "five addresses": [22, bytes(32), 1, ["1.2.3.4:5"] * 5, bytes(64)],
    "an address of 65 characters": [22, bytes(32), 1, ["1" * 65], bytes(64)],
    "a serial of 2^32": [22, bytes(32), 2**32, [], bytes(64)],
    "an answer to seat 4": [24, 4, bytes(32), True],
    "fresh bytes, 31 of them": [25, bytes(31)],
}


def bounds() -> Iterator[Row]:
    """Values out of their bounds, and too much of what is good."""
    for what, array in OUT_OF_BOUNDS.items():
        yield Row(HOST, "bounds", INSIDE, what, MALFORMED, content(pack(array)))
    yield Row(HOST, "bounds", INSIDE, "talk of 300 characters", GOES_ON, say(Say("x" * 300)))
    yield Row(
        HOST, "bounds", INSIDE, "an empty place in no match: Read of an unknown log", GOES_ON, say(Read(bytes(32), 9))
    )
    yield Row(HOST, "bounds", INSIDE, "90 parts of the log asked at once", FLOOD, say(*[SAMPLES[Read]] * 90))
    yield Row(HOST, "bounds", INSIDE, "200 times ready at once", FLOOD, say(*[Ready(n % 2 == 0) for n in range(200)]))
    yield Row(HOST, "bounds", INSIDE, "30 times ready at once", GOES_ON, say(*[Ready(n % 2 == 0) for n in range(30)]))
    yield Row(HOST, "bounds", INSIDE, "10,000 Pings at once", FLOOD, raw(frame(MESSAGES.encode(Ping())) * 10_000))
    yield Row(HOST, "bounds", INSIDE, "100 lines of talk at once", FLOOD, say(*[Say(f"line {n}") for n in range(100)]))
    yield Row(
        CLIENT,
        "bounds",
        INSIDE,
        "a lobby with three seats",
        MALFORMED,
        content(pack([13, "K", [], [], 4, 0, "", True])),
    )
    yield Row(
        CLIENT, "bounds", INSIDE, "talk with an escape sequence", MALFORMED, content(pack([20, 4, "", b"", "\x1b[2J"]))
    )
    yield Row(CLIENT, "bounds", INSIDE, "an owner 5", MALFORMED, content(pack([13, "K", [[]] * 4, [], 5, 0, "", True])))
    yield Row(LINE, "bounds", INSIDE, "10,000 Pings at once", FLOOD, raw(frame(MESSAGES.encode(Ping())) * 10_000))


# Signatures, resume, the end -------------------------------------------------------------------------------------


def reach(identity: Identity, *, key: Identity = STRANGER, table: bytes = b"") -> Callable[[Any], None]:
    """Addresses under one key, signed by another, or for another table."""
    made = make_reach(identity, table or TABLE.public, 1, ("127.0.0.1:4000",))
    return say(Reach(key.public, made.serial, made.addresses, made.signature))


def later() -> Iterator[Row]:
    """Signatures once in, coming again, and ends."""
    yield Row(HOST, "signatures", INSIDE, "addresses of one's own", GOES_ON, reach(STRANGER))
    yield Row(HOST, "signatures", INSIDE, "addresses signed by another", BAD_SIGNATURE, reach(SEATED[1]))
    yield Row(HOST, "signatures", INSIDE, "addresses of another", BAD_SIGNATURE, reach(SEATED[1], key=SEATED[1]))
    yield Row(
        HOST, "signatures", INSIDE, "addresses for another table", BAD_SIGNATURE, reach(STRANGER, table=bytes(32))
    )
    yield Row(CLIENT, "signatures", INSIDE, "addresses that nobody signed", GOES_ON, reach(SEATED[1]))
    yield Row(HOST, "resume", INSIDE, "a record while no match is on", GOES_ON, say(SAMPLES[Submit]))
    yield Row(HOST, "resume", INSIDE, "an entry while no match is on", GOES_ON, say(SAMPLES[NewEntry]))
    yield Row(LINE, "resume", INSIDE, "Read of an unknown log", GOES_ON, say(SAMPLES[Read]))
    yield Row(CLIENT, "resume", INSIDE, "Read of an unknown log", GOES_ON, say(SAMPLES[Read]))
    yield Row(CLIENT, "resume", INSIDE, "an entry of a log that has not begun", MALFORMED, say(SAMPLES[NewEntry]))
    yield Row(
        CLIENT, "resume", INSIDE, "a first entry that is no record", MALFORMED, say(NewEntry(0, b"x", NO_SIGNATURE))
    )
    for when in (FRESH, GREETED, INSIDE):
        yield Row(HOST, "close", when, "Bye", SILENT_END, say(Bye(LEFT)))
    for door in (LINE, CLIENT):
        yield Row(door, "close", INSIDE, "Bye", SILENT_END, say(Bye(LEFT)))
    for door in (HOST, LINE):
        yield Row(door, "close", GREETED, "Prove and Bye at once", SILENT_END, prove_and_go)
    yield Row(HOST, "close", FRESH, "Probe and Bye at once", SILENT_END, say(SAMPLES[Probe], Bye(LEFT)))
    yield Row(HOST, "close", INSIDE, "Refused", SILENT_END, say(SAMPLES[Refused]))
    yield Row(HOST, "close", INSIDE, "Bye, and garbage after it", SILENT_END, say(Bye(LEFT), b"\x00" * 50))
    yield Row(HOST, "close", INSIDE, "Bye with reason 0", MALFORMED, content(pack([9, 0, ""])))
    yield Row(HOST, "close", INSIDE, "Bye with reason 16", MALFORMED, content(pack([9, 16, ""])))
    yield Row(HOST, "close", INSIDE, "the end of the stream", SILENT_END, ends_with(b""))
    yield Row(
        HOST,
        "close",
        INSIDE,
        "talk and the end of the stream",
        SILENT_END,
        ends_with(frame(MESSAGES.encode(Say("hi")))),
    )
    for when in (FRESH, GREETED, INSIDE):
        yield Row(CLIENT, "close", when, "Bye: the host has left", SILENT_END, say(Bye(HOST_LEFT)))
        yield Row(CLIENT, "close", when, "Refused", SILENT_END, say(SAMPLES[Refused]))
    yield Row(PROBE, "close", FRESH, "Refused", SILENT_END, say(SAMPLES[Refused]))


ROWS: Final = (
    *frames(), *pieces(), *order(), *handshake(), *client_handshake(), *bounds(), *later(),
)  # fmt: skip
"""All rows; a row's number is its place here, from 1 on."""


def main() -> None:
    """Print the table."""
    for number, row in enumerate(ROWS, 1):
        print(f"{number:4} | {row}")


if __name__ == "__main__":
    main()
