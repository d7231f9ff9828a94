"""The log: signed records, entries, the hash chain, and the file (PROTOCOL.md, The log).

State is nothing but the fold of this log, on the host, on each client and in a file; the bytes are the same
everywhere. Nothing here knows what a record means.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from goat_net.log.records import BODIES, HOST, body_of
from goat_net.wire.codec import Bytes, Int, Struct, WireError, pack, unpack
from goat_net.wire.framing import FrameError, FrameReader, frame
from goat_net.wire.identity import Signer, verify
from goat_net.wire.messages import MESSAGES, Hash, NewEntry

MAX_ENTRIES: Final = 100_000  # a match of 40 void deals has 5,000; beyond this a log is not of a game of cards
# Bytes of entries sent in one go to a peer that is behind: well below the 256 KiB after which it counts as a reader
# that does not read; whoever is further behind asks again (a deal has 31 kB).
BATCH: Final = 96 * 1024
RECORD_PURPOSE: Final = b"goat record v1"
ENTRY_PURPOSE: Final = b"goat entry v1"
HEAD_PURPOSE: Final = b"goat head v1\x00"
TABLE_PURPOSE: Final = b"goat table v1\x00"
GENESIS_PURPOSE: Final = b"goat log v1\x00"
FILE_HEADER: Final = frame(pack([0, "goat log", 1]))


class ChainError(Exception):
    """An entry does not follow on what came before; ``number`` is the entry's. The host's doing, or damage."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(f"entry {number}: {text}")
        self.number = number
        self.text = text


class LogFileError(Exception):
    """A file is no log of this program (unreadable), as the text says."""


@dataclass(frozen=True, slots=True)
class _Unsigned:
    """A record without its body and its signature, which follow as two more items."""

    match_id: Hash
    deal: Annotated[int, Int(0, 9999)]
    author: Annotated[int, Int(0, HOST)]
    counter: Annotated[int, Int(0, MAX_ENTRIES)]
    seen: Annotated[int, Int(0, MAX_ENTRIES)]
    seen_head: Hash


_UNSIGNED: Final = Struct(_Unsigned)
_SIGNATURE: Final = Bytes(64)


@dataclass(frozen=True, slots=True)
class Record:
    """One record, parsed; ``raw`` are its exact bytes, kept and passed on unchanged. ``seen``: how many entries the
    author had seen, ``seen_head``: the head after them. ``author``: seat 0..3 or the host, 4."""

    match_id: bytes
    deal: int
    author: int
    counter: int
    seen: int
    seen_head: bytes
    body: Any
    signature: bytes = field(repr=False)
    raw: bytes = field(repr=False)

    @property
    def digest(self) -> bytes:
        """SHA-256 of the exact bytes."""
        return hashlib.sha256(self.raw).digest()

    def signed_by(self, key: bytes) -> bool:
        """Whether this key signed it."""
        return verify(key, self.signature, RECORD_PURPOSE, _signed_part(self.raw))


def _signed_part(raw: bytes) -> bytes:
    """What a record's signature covers: the array of its first seven fields, encoded by itself."""
    value = unpack(raw)
    assert isinstance(value, list)
    return pack(value[:-1])


def make_record(
    identity: Signer, match_id: bytes, deal: int, author: int, counter: int, seen: int, seen_head: bytes, body: Any
) -> bytes:
    """A record's bytes, signed."""
    fields = [match_id, deal, author, counter, seen, seen_head, BODIES.to_array(body)]
    return pack([*fields, identity.sign(RECORD_PURPOSE, pack(fields))])


def parse_record(raw: bytes) -> Record:
    """The record of some bytes; its signature is not checked here. Raises WireError."""
    value = unpack(raw)
    if type(value) is not list or len(value) != 8:
        raise WireError("a record has 8 fields")
    head = _UNSIGNED.check(value[:6])
    assert isinstance(head, _Unsigned)
    body = body_of(value[6])
    signature = _SIGNATURE.check(value[7])
    assert isinstance(signature, bytes)
    return Record(head.match_id, head.deal, head.author, head.counter, head.seen, head.seen_head, body, signature, raw)


def log_id_of(table_key: bytes, salt: bytes, fresh: Sequence[bytes]) -> bytes:
    """The id under which a log begins, before there is a match id; also names the log. ``fresh``: what each seat's
    client gave for it, by seat (none in protocol 1)."""
    return hashlib.sha256(TABLE_PURPOSE + table_key + salt + b"".join(fresh)).digest()


def genesis(log_id: bytes) -> bytes:
    """The head of a log without entries."""
    return hashlib.sha256(GENESIS_PURPOSE + log_id).digest()


def next_head(head: bytes, raw: bytes) -> bytes:
    """The head after one more record."""
    return hashlib.sha256(HEAD_PURPOSE + head + hashlib.sha256(raw).digest()).digest()


def _entry_data(match_id: bytes, number: int, head: bytes) -> bytes:
    return match_id + number.to_bytes(4, "big") + head


def sign_entry(identity: Signer, match_id: bytes, number: int, head: bytes, raw: bytes) -> NewEntry:
    """The host's next entry; ``head`` is the one before it."""
    new = next_head(head, raw)
    return NewEntry(number, raw, identity.sign(ENTRY_PURPOSE, _entry_data(match_id, number, new)))


def entry_signed(entry: NewEntry, table_key: bytes, match_id: bytes, new_head: bytes) -> bool:
    """Whether the table key signed this entry to lead to this head."""
    return verify(table_key, entry.signature, ENTRY_PURPOSE, _entry_data(match_id, entry.number, new_head))


@dataclass(slots=True)
class Chain:
    """Heads of a log: ``heads[n]`` after n entries. ``entries`` are kept to be passed on and saved."""

    log_id: bytes
    entries: list[NewEntry] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.heads:
            self.heads.append(genesis(self.log_id))

    @property
    def head(self) -> bytes:
        """The head after all entries."""
        return self.heads[-1]

    def __len__(self) -> int:
        return len(self.entries)

    def expect(self, entry: NewEntry) -> bytes:
        """The head after this entry; ChainError when it is not the next one."""
        if entry.number != len(self.entries):
            raise ChainError(entry.number, f"entry {len(self.entries)} was to come")
        if entry.number >= MAX_ENTRIES:
            raise ChainError(entry.number, "the log is too long")
        return next_head(self.head, entry.record)

    def add(self, entry: NewEntry) -> None:
        """Append an entry that was checked."""
        self.heads.append(self.expect(entry))
        self.entries.append(entry)


def entry_bytes(entry: NewEntry) -> bytes:
    """An entry as it stands on the wire and in a file."""
    return frame(MESSAGES.encode(entry))


def batch(chain: Chain, start: int) -> tuple[NewEntry, ...]:
    """Entries of a log from this number on, as many as go out at once; at least one when there is any."""
    size = 0
    for count, entry in enumerate(chain.entries[start:]):
        size += len(entry_bytes(entry))
        if size > BATCH and count:
            return tuple(chain.entries[start : start + count])
    return tuple(chain.entries[start:])


def file_bytes(entries: Iterable[NewEntry]) -> bytes:
    """A whole log file."""
    return FILE_HEADER + b"".join(entry_bytes(e) for e in entries)


def read_file(data: bytes) -> Iterator[NewEntry]:
    """Entries of a log file, in order. Raises LogFileError when it is no log, ChainError (with the number of the
    entry) where it is damaged; a torn last entry is damage too: see `intact_length`."""
    if not data.startswith(FILE_HEADER):
        if not data:
            raise LogFileError("this file is empty")
        if data[: len(FILE_HEADER) - 1] == FILE_HEADER[:-1] and len(data) >= len(FILE_HEADER):
            version = data[len(FILE_HEADER) - 1]
            raise LogFileError(f"this saved match is of file version {version}, and this program reads version 1")
        raise LogFileError("this is not a saved match of goat, or its first bytes are damaged")
    reader = FrameReader()
    position, number = len(FILE_HEADER), 0
    while position < len(data):
        size = int.from_bytes(data[position + 1 : position + 3], "big") + 3
        try:
            contents = reader.feed(data[position : position + size])
            message = MESSAGES.decode(contents[0]) if contents else None
        except (FrameError, WireError) as error:
            raise ChainError(number, f"damaged: {error}") from error
        if message is None:
            raise ChainError(number, "torn off in the middle")
        if not isinstance(message, NewEntry):
            raise ChainError(number, "this is not an entry")
        yield message
        position += size
        number += 1


def intact_length(data: bytes) -> int:
    """Bytes of a file up to the end of its last whole frame: what a torn write left good."""
    position = len(FILE_HEADER)
    while True:
        size = int.from_bytes(data[position + 1 : position + 3], "big") + 3
        if position + size > len(data):
            return position
        position += size
