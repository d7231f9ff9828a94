"""What is fuzzed: each target takes bytes, and raises only when its promise is broken."""

import random
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from goat_client.machine import text as screen_text
from goat_client.machine.settings import OPTIONS, Settings, dump, from_mapping

from goat_engine.record import HEADER, RecordError, decode_deal, encode_deal, load
from goat_net.discovery.advert import TableAdvert, from_txt, to_txt
from goat_net.harmless import harmless, may_act
from goat_net.log.chain import LogFileError, file_bytes, intact_length, parse_record, read_file
from goat_net.log.proof import (
    Branch,
    Fork,
    ForkProof,
    ProofError,
    carry_proof,
    check_file,
    read_proof,
    refusal_proof,
)
from goat_net.seat.store import intact
from goat_net.wire.address import AddressError, parse_address
from goat_net.wire.codec import WireError, pack, unpack
from goat_net.wire.framing import FrameError, FrameReader, frame
from goat_net.wire.messages import MESSAGES
from goat_net.wire.text import NAME_CELLS, cells, clean, clean_name, is_clean

FROZEN: Final = Path(__file__).parents[1] / "frozen"
BYTE_BY_BYTE: Final = 24  # of a stream: several short frames, and the heads of others
EXAMPLE_DEALS: Final = Path(__file__).parents[1] / "positions"


@dataclass(frozen=True)
class Target:
    """``run`` raises AssertionError, or what it should not, on bytes that break the promise. ``seeds``: good input."""

    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


@cache
def saved() -> bytes:
    """A whole saved match, as short as there is one."""
    found = sorted(FROZEN.rglob("*.goat"), key=lambda path: path.stat().st_size)
    return found[0].read_bytes()


@cache
def entries() -> list[bytes]:
    """Messages of that match as they were on the wire, each once."""
    return [MESSAGES.encode(entry) for entry in read_file(saved())]


def records() -> list[bytes]:
    """Records of that match."""
    return [entry.record for entry in read_file(saved())]


# --- promises


def run_frames(data: bytes) -> None:
    """Cut anywhere, the same frames come out, or the same error."""

    def fed(pieces: list[bytes]) -> tuple[list[bytes], str]:
        reader, out = FrameReader(), []
        for piece in pieces:
            try:
                out += reader.feed(piece)
            except FrameError as error:
                return [*out, *error.frames], str(error)
            assert reader.waiting <= 16386
        return out, ""

    cut = len(data) // 3
    singly = [bytes([b]) for b in data[:BYTE_BY_BYTE]] + [data[BYTE_BY_BYTE:]]
    assert fed([data]) == fed([data[:cut], data[cut:]]) == fed(singly)


def run_codec(data: bytes) -> None:
    """A value has one encoding: what is read is written back to the same bytes."""
    try:
        value = unpack(data)
    except WireError:
        return
    assert pack(value) == data


def run_messages(data: bytes) -> None:
    """A message, written back to the same bytes."""
    try:
        message = MESSAGES.decode(data)
    except WireError:
        return
    assert MESSAGES.encode(message) == data


def run_records(data: bytes) -> None:
    """A record, whose bytes are kept as they were."""
    try:
        record = parse_record(data)
    except WireError:
        return
    assert record.raw == data
    assert not record.signed_by(bytes(32))


def run_log_files(data: bytes) -> None:
    """A report about the file; reading up to where it is whole agrees with reading it."""
    assert intact_length(data) >= 0
    kept, size = intact(data)
    assert size <= len(data)
    assert not kept or file_bytes(kept) == data[:size]
    try:
        checked = check_file(data)
    except LogFileError:
        return  # no log, an empty one, or one of another protocol
    assert len(checked.fold.chain) <= len(kept)


def run_proofs(data: bytes) -> None:
    """A proof that holds, or ProofError."""
    try:
        read_proof(data)
    except ProofError:
        return


def run_settings(data: bytes) -> None:
    """Any TOML gives settings within their bounds, and few warnings; they are read back as they were written."""
    try:
        mapping = tomllib.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return
    settings, warnings = from_mapping(mapping)
    assert len(warnings) <= 6
    assert all(len(harmless(line)) < 400 for line in warnings)
    assert isinstance(settings, Settings)
    for option in OPTIONS:
        value = getattr(settings, option.key)
        assert not option.high or option.low <= value <= option.high
    assert from_mapping(tomllib.loads(dump(settings))) == (settings, ())


def run_txt(data: bytes) -> None:
    """A table's advert, or None; what is read can be announced and is read again as the same."""
    advert = from_txt(data)
    if advert is None:
        return
    assert cells(advert.name) <= NAME_CELLS
    again = from_txt(to_txt(advert))
    assert again is not None
    assert again == advert or advert.name.startswith(again.name)
    assert len(to_txt(advert)) <= 200


def run_text(data: bytes) -> None:
    """Nothing in cleaned, shown or drawn text acts; cleaning twice is cleaning once."""
    text = data.decode("utf-8", "surrogateescape")
    for limit in (16, 300):
        once = clean(text, limit)
        assert len(once) <= limit
        assert clean(once, limit) == once
        assert not once or is_clean(once, limit)
        assert not any(map(may_act, once))
    assert cells(clean_name(text)) <= NAME_CELLS
    assert is_clean(clean_name(text), 64)
    assert not any(may_act(ch) for ch in harmless(text))
    assert not any(may_act(ch) and ch != "\n" for ch in harmless(text, lines=True))
    drawn = screen_text.safe(text)
    assert "\x1b" not in drawn
    assert "\n" not in drawn
    assert screen_text.ascii_fold(text).isascii()
    assert screen_text.cells(screen_text.cut(drawn, 20)) <= 20
    assert screen_text.cells(screen_text.pad(drawn, 20)) == 20


def run_addresses(data: bytes) -> None:
    """An address that is written as it is read, or AddressError."""
    try:
        address = parse_address(data.decode("utf-8", "replace"), 4321)
    except AddressError:
        return
    assert 1 <= address.port <= 65535
    assert str(address).isprintable()


def run_deals(data: bytes) -> None:
    """A deal's code or record, or one of their errors."""
    text = data.decode("utf-8", "replace")
    try:
        deal = decode_deal(text)
        assert decode_deal(encode_deal(deal)) == deal
    except RecordError:
        pass
    try:
        load(text)
    except ValueError:
        return


# --- seeds


def seeds_proofs() -> list[bytes]:
    """Files of each kind of proof; each shows nothing, since that host did nothing wrong."""
    first, second, *_ = log = list(read_file(saved()))
    branch = Branch(bytes(32), second.record, second.signature)
    fork = ForkProof(Fork(first.record, (), 1), (branch, replace(branch, before=bytes([1]) * 32)))
    return [fork.to_bytes(), carry_proof(log[:4], first), refusal_proof(log[:3], log[3], log[4].record), saved()[:6000]]


def seeds_txt() -> list[bytes]:
    """Adverts of several kinds."""
    plain = TableAdvert(1, "0.1.0", f"{7:032x}", "Kitchen")
    return [to_txt(plain), to_txt(TableAdvert(65535, "", f"{8:032x}", "Кухня", 4, False, True, "over"))]


def seeds_text() -> list[bytes]:
    """Text of many scripts, and what acts."""
    texts = ["Anna", "Äußerst 文字 한글", "ا\u0300\u0301\u0302ب", "\x1b[31mred\x1b[0m", "\u202eabc\u202c", "a\u200db",
             "👩\u200d👩\u200d👧",
             "e" + "\u0301" * 30, "\x1b]0;t\x07", "\ud7b0\u1160", "\u0000\u009b2J", "A\u0338"]  # fmt: skip
    return [text.encode("utf-8", "surrogatepass") for text in texts]


def seeds_deals() -> list[bytes]:
    """Deals as text, and one code."""
    from goat_client.game.local import random_deal

    from goat_engine.rules import Rules

    code = encode_deal(random_deal(random.Random(1), 0, 1, Rules()))
    return [code.encode(), HEADER.encode(), *(p.read_bytes() for p in sorted(EXAMPLE_DEALS.glob("*.txt"))[:5])]


def seeds_settings() -> list[bytes]:
    """Settings as they are written, and TOML of other kinds."""
    other = b"hold = nan\nname = 'x'\nport = 1e400\n[a.b]\nc = [1, {d = 2}]\nlevel = 1979-05-27T07:32:00Z\n"
    return [dump(Settings()).encode(), dump(Settings(name="Anna", hold=3.0, port=4000)).encode(), other]


TARGETS: Final = {
    "frames": Target(run_frames, lambda: [frame(one) for one in entries()[:20]] + [saved()[:3000]]),
    "codec": Target(run_codec, lambda: entries()[:40] + records()[:40]),
    "messages": Target(run_messages, lambda: entries()[:60]),
    "records": Target(run_records, lambda: records()[:120]),
    "log-files": Target(run_log_files, lambda: [saved()[: intact_length(saved()[:9000])], saved()[:4000]]),
    "proofs": Target(run_proofs, seeds_proofs),
    "settings": Target(run_settings, seeds_settings),
    "txt": Target(run_txt, seeds_txt),
    "text": Target(run_text, seeds_text),
    "addresses": Target(run_addresses, lambda: [b"10.0.0.2:5000", b"[fe80::1%3]:5000", b"host.local", b"::1"]),
    "deals": Target(run_deals, seeds_deals),
}


# --- mutation

_ODD: Final = (b"\x00", b"\xff", b"\x80", b"\xc0", b"\xc4\xff", b"\xc5\xff\xff", b"\xdc\xff\xff",
               b"\xcf" + b"\xff" * 8, b"\xd3" + b"\x80" * 8, b"\x90", b"\x81\x01\x01", b"\xd9\xff",
               b"\xca\x7f\xc0\x00\x00", "\u202e".encode(), b"\x1b[2J", "\u0301".encode() * 4,
               b"=", b"9" * 60, b"[" * 40, b"\n", b".", b"-1")  # fmt: skip


def mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    """One seed with some changes, or now and then bytes of no origin."""
    if rng.random() < 0.05:
        return rng.randbytes(rng.randrange(40))
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(8):
            case 0 if data:
                data[at % len(data)] ^= 1 << rng.randrange(8)
            case 1 if data:
                data[at % len(data)] = rng.randrange(256)
            case 2:
                data[at:at] = rng.choice(_ODD)
            case 3:
                del data[at : at + rng.choice((1, 1, 2, 4, 16, 64))]
            case 4:
                length = rng.choice((1, 2, 8, 32))
                data[at:at] = data[at : at + length] * rng.choice((1, 1, 2, 20))
            case 5:
                other = rng.choice(seeds)
                start = rng.randrange(len(other) + 1)
                data[at : at + rng.choice((0, 4, 32))] = other[start : start + rng.choice((2, 8, 64))]
            case 6:
                del data[at:]
            case _:
                odd = rng.choice(_ODD)
                data[at : at + len(odd)] = odd
    return bytes(data[:20_000])
