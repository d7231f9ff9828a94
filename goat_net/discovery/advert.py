"""What a table says about itself on the network: the TXT record of its mDNS service (PROTOCOL.md, Discovery).

Pure functions over bytes. What comes from the network is hostile: it is cleaned or refused, and no bytes raise.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, get_args

from goat_net.wire.identity import ID_HEX
from goat_net.wire.text import clean_name

SERVICE_TYPE = "_goat-cards._tcp.local."
"""The DNS-SD service type that every table registers."""

TXT_MAX = 200
"""Bytes of the whole TXT record, length bytes included: with PTR, SRV and addresses it stays in one datagram."""

TXT_READ_MAX = 1300
"""A TXT record longer than one Ethernet datagram is nobody's honest table: refused unread."""

VERSION_CHARS = 16
"""Longest program version that is shown."""

TableState = Literal["lobby", "playing", "over"]

STATES: tuple[TableState, ...] = get_args(TableState)
_ID = re.compile(rf"[0-9a-f]{{{ID_HEX}}}")
_NUMBER = re.compile(r"[0-9]{1,5}")
_SEATS = re.compile(r"([0-4])(?:/4)?")
_VERSION = re.compile(rf"[0-9A-Za-z.+-]{{1,{VERSION_CHARS}}}")


@dataclass(frozen=True, slots=True)
class TableAdvert:
    """One table as it is announced: a hint, never the truth (the truth is the answer to a probe over TCP).

    protocol: protocol number, 0..65535; a lobby shows a table of another number as one that can't be joined.
    program: version of the program, at most 16 characters of ``0-9A-Za-z.+-``, or "".
    id: fingerprint of the table's key, 32 lower-case hex characters (see `table_id`).
    name: name to show, at most 16 cells once read, no control, bidi or invisible characters; may be "".
    seats_taken: 0..4. watch: whether watchers are let in. code: whether a code is asked for.
    """

    protocol: int
    program: str
    id: str
    name: str
    seats_taken: int = 0
    watch: bool = True
    code: bool = False
    state: TableState = "lobby"

    def __post_init__(self) -> None:
        """Refuse what could not be read back: these are our own mistakes, hence ValueError."""
        if not 0 <= self.protocol <= 65535:
            raise ValueError(f"protocol {self.protocol} is not in 0..65535")
        if not _ID.fullmatch(self.id):
            raise ValueError(f"table id {self.id!r} is not {ID_HEX} lower-case hex characters")
        if not 0 <= self.seats_taken <= 4:
            raise ValueError(f"seats_taken {self.seats_taken} is not in 0..4")
        if self.state not in STATES:
            raise ValueError(f"state {self.state!r} is not one of {STATES}")
        if self.program and not _VERSION.fullmatch(self.program):
            raise ValueError(f"program version {self.program!r} is not 1..{VERSION_CHARS} plain characters")


def version_of(text: str) -> str:
    """A program version as it is announced: what is plain of it, at most 16 characters."""
    return "".join(c for c in text if c.isascii() and (c.isalnum() or c in ".+-"))[:VERSION_CHARS]


def instance_name(id_: str, digits: int = 4) -> str:
    """Instance name of a table without the service type: ``Goat 7f3a``.

    Generated and free of dots, because a dot in an instance name makes some browsers call the service type
    invalid; more digits are taken when another table's id begins alike.
    """
    return f"Goat {id_[:digits]}"


def host_name(id_: str) -> str:
    """mDNS host name of a table: its own, so that nobody's computer name is announced or fought over."""
    return f"goat-{id_}.local."


def to_txt(advert: TableAdvert) -> bytes:
    """TXT record data, at most 200 bytes; the name is cut on a character boundary to fit."""
    fields = [
        "txtvers=1",
        f"pv={advert.protocol}",
        f"v={advert.program}",
        f"id={advert.id}",
        f"s={advert.seats_taken}/4",
        f"w={int(advert.watch)}",
        f"st={advert.state}",
    ]
    if advert.code:
        fields.append("pw=1")
    data = b"".join(_string(field.encode()) for field in fields)
    room = TXT_MAX - len(data) - len(b"\x00n=")
    return data + _string(b"n=" + _cut(clean_name(advert.name, ""), room))


def from_txt(data: bytes) -> TableAdvert | None:
    """Read TXT record data from the network. None when it is no table of ours; never raises.

    As DNS-SD has it: keys are compared without case, the first of two equal keys counts, unknown keys are
    passed over. A protocol number, and the id, must be right; everything else falls back to a cautious value.
    """
    fields = _fields(data)
    protocol = _NUMBER.fullmatch(fields.get("pv", ""))
    id_ = fields.get("id", "")
    if not protocol or int(protocol[0]) > 65535 or not _ID.fullmatch(id_):
        return None
    seats = _SEATS.fullmatch(fields.get("s", ""))
    version = _VERSION.fullmatch(fields.get("v", ""))
    state: TableState = "playing"
    for known in STATES:
        if fields.get("st") == known:
            state = known
    return TableAdvert(
        protocol=int(protocol[0]),
        program=version[0] if version else "",
        id=id_,
        name=clean_name(fields.get("n", "")[:TXT_MAX], ""),
        seats_taken=int(seats[1]) if seats else 4,
        watch=fields.get("w") == "1",
        code=fields.get("pw") == "1",
        state=state,
    )


def _string(data: bytes) -> bytes:
    """One character-string of a TXT record."""
    return bytes([len(data)]) + data


def _cut(text: str, room: int) -> bytes:
    """UTF-8 of the longest beginning of `text` that fits into `room` bytes, no letter parted from its marks."""
    while len(text.encode()) > room:
        end = len(text) - 1
        while end > 0 and unicodedata.combining(text[end]):
            end -= 1
        text = text[:end]
    return text.encode()


def _fields(data: bytes) -> dict[str, str]:
    """Key-value pairs of a TXT record: keys in lower case, the first one counts, bad UTF-8 replaced."""
    fields: dict[str, str] = {}
    if len(data) > TXT_READ_MAX:
        return fields
    at = 0
    while at < len(data):
        end = at + 1 + data[at]
        key, equals, value = data[at + 1 : end].partition(b"=")
        at = end
        if equals and key.isascii():
            fields.setdefault(key.decode("ascii").lower(), value.decode("utf-8", "replace"))
    return fields
