"""Frames: whole, byte by byte, with bytes left over; and what is none (PROTOCOL.md, Frames)."""

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goat_net.wire.codec import WireError
from goat_net.wire.framing import HEADER, MAX_CONTENT, FrameError, FrameReader, frame


def read_all(pieces: list[bytes]) -> tuple[list[bytes], str]:
    """Contents in order and the error, however the pieces are fed."""
    reader = FrameReader()
    got: list[bytes] = []
    for piece in pieces:
        try:
            got += reader.feed(piece)
        except FrameError as error:
            return [*got, *error.frames], str(error)
    return got, ""


def cut(data: bytes, rng: random.Random) -> list[bytes]:
    pieces = []
    while data:
        size = rng.randrange(1, len(data) + 1)
        pieces.append(data[:size])
        data = data[size:]
    return pieces


def three_ways(data: bytes, seed: int) -> list[tuple[list[bytes], str]]:
    single = [data[i : i + 1] for i in range(len(data))]
    return [read_all([data]), read_all(single), read_all(cut(data, random.Random(seed)))]


CONTENTS = [b"\x91\x08", b"x", bytes(255), bytes(256), b"\xc5\x00\x01" * 7, bytes(MAX_CONTENT)]


def test_frames_are_the_same_whole_byte_by_byte_and_in_pieces(seed: int) -> None:
    data = b"".join(map(frame, CONTENTS))
    assert three_ways(data, seed) == [(CONTENTS, "")] * 3


def test_what_is_left_over_waits_for_the_rest() -> None:
    reader = FrameReader()
    data = frame(b"one") + frame(b"two")
    assert reader.feed(data[:-1]) == [b"one"]
    assert reader.waiting == HEADER + 2
    assert reader.feed(data[-1:] + frame(b"three")[:1]) == [b"two"]
    assert reader.waiting == 1
    assert reader.feed(frame(b"three")[1:]) == [b"three"]
    assert reader.waiting == 0


BAD = {
    "another type": b"\xc4\x01x",
    "a bare integer": b"\x05",
    "bin 32": b"\xc6\xff\xff\xff\xff",
    "array 32": b"\xdd\xff\xff\xff\xff",
    "string 32": b"\xdb\xff\xff\xff\xff",
    "map 32": b"\xdf\xff\xff\xff\xff",
    "http": b"GET / HTTP/1.1\r\n",
    "a TLS hello": b"\x16\x03\x01\x02\x00",
    "empty": b"\xc5\x00\x00",
    "one too long": b"\xc5\x40\x01",
    "longest length": b"\xc5\xff\xff",
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_bad_header_is_refused_after_the_frames_before_it(bad: bytes, seed: int) -> None:
    for got, error in three_ways(frame(b"good") + bad + frame(b"never"), seed):
        assert got == [b"good"]
        assert error


def test_bad_header_is_refused_before_its_body_has_come() -> None:
    with pytest.raises(FrameError):
        FrameReader().feed(b"\xc4")
    reader = FrameReader()
    assert reader.feed(b"\xc5\xff") == []
    with pytest.raises(FrameError):
        reader.feed(b"\xff")


def test_after_an_error_the_reader_stays_closed_and_keeps_nothing() -> None:
    reader = FrameReader()
    with pytest.raises(FrameError) as first:
        reader.feed(frame(b"a") + b"\x00" + frame(b"b"))
    assert first.value.frames == (b"a",)
    for _ in range(3):
        with pytest.raises(FrameError) as again:
            reader.feed(frame(b"c") * 100)
        assert again.value.frames == ()
        assert reader.waiting == 0
    assert isinstance(again.value, WireError)


def test_lengths_of_our_own_frames() -> None:
    assert frame(b"\x91\x08") == bytes.fromhex("c500029108")
    for wrong in (b"", bytes(MAX_CONTENT + 1)):
        with pytest.raises(ValueError, match="a frame holds"):
            frame(wrong)


def test_a_length_that_never_comes_costs_no_memory() -> None:
    readers = [FrameReader() for _ in range(100)]
    tracemalloc.start()
    try:
        for reader in readers:
            reader.feed(b"\xc5\x40\x00x")
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
    assert all(reader.waiting == 4 for reader in readers)


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_any_bytes_give_frames_or_one_error(pieces: list[bytes]) -> None:
    one_piece, byte_by_byte = read_all([b"".join(pieces)]), read_all([bytes([b]) for b in b"".join(pieces)])
    assert read_all(pieces) == one_piece == byte_by_byte
