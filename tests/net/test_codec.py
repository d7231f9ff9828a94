"""Any bytes give a message or one WireError; one encoding per message (PROTOCOL.md, Messages)."""

import random
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goat_net.wire.codec import (
    MAX_ARRAY,
    MAX_DEPTH,
    MAX_MESSAGE,
    Bytes,
    EncodeError,
    Flag,
    Int,
    Many,
    Name,
    Registry,
    Struct,
    Text,
    WireError,
    pack,
    unpack,
)
from goat_net.wire.messages import MESSAGES, Ping, Say, Sit

# Values of each kind of field: the two ends of its bounds first, then ones that are just outside.


def inside(spec: Any) -> list[Any]:
    """Values at the edges of what a field may be."""
    match spec:
        case Int(low, high):
            return [low, high]
        case Flag():
            return [False, True]
        case Bytes(low, high):
            return [b"\xa5" * low, b"\x5a" * max(low, high)]
        case Text(limit, blank):
            return ["", "ж" * limit] if blank else ["a", "ж" * limit]
        case Name(blank):
            return ["", "你" * 8] if blank else ["a", "你" * 8]
        case Many(item, low, high):
            return [(inside(item)[0],) * low, (inside(item)[1],) * high]
        case Struct():
            return [spec.cls(*(inside(s)[edge] for _, s in spec.specs)) for edge in (0, 1)]
    raise AssertionError(f"a kind of field without edges: {spec}")


def outside(spec: Any) -> list[Any]:
    """Values just outside of what a field may be, as msgpack would give them."""
    wrong: list[Any] = [[], -1, 2**63, b"", "", "\x1b", True, None, 1.5, {}]
    match spec:
        case Int(low, high):
            wrong = [low - 1, high + 1, True, "0", b"0", [], 0.0]
        case Flag():
            wrong = [0, 1, "", []]
        case Bytes(low, high):
            wrong = [bytes(max(low, high) + 1), "a" * low, 0, []] + ([bytes(low - 1)] if low else [])
        case Text(limit, blank):
            wrong = ["a" * (limit + 1), "a\n", "\x1b[2J", "e\u0301", "\u202e", " ", "a\ufe0f", b"a", 0]
            wrong += [] if blank else [""]
        case Name(blank):
            wrong = ["你" * 9, "a" * 17, "a\tb", "\u200b", " a", b"a"] + ([] if blank else [""])
        case Many(item, low, high):
            one = item.dump(inside(item)[0])
            wrong = [[one] * (high + 1), "a", 0] + ([[one] * (low - 1)] if low else [])
        case Struct():
            good = spec.dump(inside(spec)[0])
            wrong = [good[:-1], [*good, 0], 0, ""]
    return wrong


def edges() -> Iterator[Any]:
    for _, struct in MESSAGES:
        yield from inside(struct)


@pytest.mark.parametrize("message", list(edges()), ids=lambda m: type(m).__name__)
def test_every_kind_goes_there_and_back_at_both_ends_of_its_bounds(message: Any) -> None:
    data = MESSAGES.encode(message)
    assert MESSAGES.decode(data) == message
    assert len(data) <= MAX_MESSAGE
    assert data[0] & 0xF0 == 0x90  # an array of 1..15: the kind and the fields
    assert MESSAGES.encode(MESSAGES.decode(data)) == data


def is_message(array: list[Any]) -> bool:
    try:
        MESSAGES.decode(msgpack.packb(array))
    except WireError:
        return False
    return True


@pytest.mark.parametrize(("number", "struct"), list(MESSAGES), ids=lambda v: str(getattr(v, "cls", v)))
def test_every_field_refuses_what_is_just_outside(number: int, struct: Struct) -> None:
    good = [number, *struct.dump(inside(struct)[0])]
    assert MESSAGES.decode(msgpack.packb(good)) == inside(struct)[0]
    for at, (name, spec) in enumerate(struct.specs, start=1):
        for wrong in outside(spec):
            assert not is_message([*good[:at], wrong, *good[at + 1 :]]), f"{struct.cls.__name__}.{name}: {wrong!r}"


def test_a_kind_has_its_fields_and_no_more() -> None:
    for number, struct in MESSAGES:
        good = [number, *struct.dump(inside(struct)[0])]
        for wrong in ([*good, 0], good[:-1]):
            with pytest.raises(WireError):
                MESSAGES.decode(pack(wrong))


NOT_MESSAGES = {
    "nothing": b"",
    "no kind": b"\x90",
    "no array": b"\x08",
    "nil": b"\xc0",
    "unknown kind": b"\x91\x7f",
    "kind zero": b"\x91\x00",
    "negative kind": b"\x91\xff",
    "kind as truth": b"\x91\xc3",
    "kind as text": b"\x91\xa18",
    "kind 2**63": b"\x91\xcf" + b"\x80" + bytes(7),
    "two messages": b"\x91\x08\x91\x08",
    "trailing byte": b"\x91\x08\x00",
    "cut": b"\x92\x0e",
    "array 32 that never comes": b"\xdd\xff\xff\xff\xff",
    "text 32 that never comes": b"\xdb\xff\xff\xff\xff",
    "bytes 32 that never come": b"\xc6\xff\xff\xff\xff",
    "map 32": b"\xdf\xff\xff\xff\xff",
    "map": b"\x81\xa4seat\x01",
    "map with a number as key": b"\x91\x81\x01\x01",
    "same key twice": b"\x82\xa4seat\x01\xa4seat\x02",
    "extension": b"\xc7\x01\x05x",
    "timestamp": b"\xd6\xff\x00\x00\x00\x00",
    "float": b"\x92\x0e\xcb" + bytes(8),
    "reserved byte": b"\xc1",
    "text that is no utf-8": b"\x92\x13\xa1\xff",
    "surrogate": b"\x92\x13\xa3\xed\xa0\x80",
    "deep": b"\x91" * 100_000,
    "deep and whole": b"\x91" * 16_000 + b"\xc3",
    "deeper than allowed": b"\x91" * (MAX_DEPTH + 1) + b"\x01",
    "too many items": b"\xdc" + (MAX_ARRAY + 1).to_bytes(2, "big") + b"\x01" * (MAX_ARRAY + 1),
    "too long": b"\xc5\x40\x00" + bytes(MAX_MESSAGE),
}


@pytest.mark.parametrize("data", NOT_MESSAGES.values(), ids=NOT_MESSAGES)
def test_what_is_no_message(data: bytes) -> None:
    with pytest.raises(WireError):
        MESSAGES.decode(data)


OTHER_ENCODINGS = {
    "kind in two bytes": b"\x92\xcc\x0e\x01",
    "field in two bytes": b"\x92\x0e\xcc\x01",
    "field in nine bytes": b"\x92\x0e\xcf" + bytes(7) + b"\x01",
    "field as a signed byte": b"\x92\x0e\xd0\x01",
    "array 16": b"\xdc\x00\x02\x0e\x01",
    "array 32": b"\xdd\x00\x00\x00\x02\x0e\x01",
    "text 8": b"\x92\x13\xd9\x02hi",
}


@pytest.mark.parametrize("data", OTHER_ENCODINGS.values(), ids=OTHER_ENCODINGS)
def test_another_encoding_of_a_message_is_none(data: bytes) -> None:
    with pytest.raises(WireError, match="one encoding"):
        MESSAGES.decode(data)
    assert MESSAGES.decode(b"\x92\x0e\x01") == Sit(1)
    assert MESSAGES.decode(b"\x92\x13\xa2hi") == Say("hi")


def test_announced_sizes_cost_no_memory() -> None:
    nested = (b"\xdd" + MAX_ARRAY.to_bytes(4, "big")) * 3000  # arrays of arrays, of which only headers come
    tracemalloc.start()
    try:
        for data in (b"\xdd\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", nested):
            with pytest.raises(WireError):
                unpack(data)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


@given(st.binary(max_size=300))
def test_any_bytes_give_a_message_or_a_wire_error(data: bytes) -> None:
    try:
        message = MESSAGES.decode(data)
    except WireError:
        return
    assert MESSAGES.encode(message) == data


PLAIN = st.recursive(
    st.one_of(st.integers(-(2**63), 2**64 - 1), st.booleans(), st.text(max_size=10), st.binary(max_size=40), st.none()),
    lambda items: st.lists(items, max_size=6),
    max_leaves=30,
)


@given(st.lists(PLAIN, max_size=9), st.integers(0, 30))
def test_any_array_gives_a_message_or_a_wire_error(array: list[Any], kind: int) -> None:
    data = msgpack.packb([kind, *array])
    try:
        message = MESSAGES.decode(data)
    except WireError:
        return
    assert MESSAGES.encode(message) == data


def test_a_changed_byte_gives_another_message_or_a_wire_error(seed: int) -> None:
    rng = random.Random(seed)
    for message in edges():
        data = bytearray(MESSAGES.encode(message))
        for _ in range(30):
            at = rng.randrange(len(data))
            changed = bytes(data[:at]) + bytes([data[at] ^ rng.randrange(1, 256)]) + bytes(data[at + 1 :])
            try:
                assert MESSAGES.encode(MESSAGES.decode(changed)) == changed
            except WireError:
                continue


def test_our_own_value_out_of_bounds_is_our_mistake_and_not_the_peers() -> None:
    for wrong in (Sit(5), Sit(True), Say(""), Say("\x1b[2J"), Say("a" * 301)):
        with pytest.raises(EncodeError, match=type(wrong).__name__):
            MESSAGES.encode(wrong)
    assert not issubclass(EncodeError, WireError)


def test_a_registry_knows_its_kinds() -> None:
    numbers = [number for number, _ in MESSAGES]
    assert numbers == sorted(set(numbers))
    assert MESSAGES.number(Ping) == 8
    other = Registry("thing")

    @other.kind(3)
    @dataclass(frozen=True)
    class Pair:
        left: Annotated[int, Int(0, 9)]
        right: Annotated[tuple[int, ...], Many(Int(0, 1), 0, 2)]

    assert other.decode(b"\x93\x03\x09\x92\x00\x01") == Pair(9, (0, 1))
    assert [field.name for field in fields(Pair)] == ["left", "right"]
    with pytest.raises(WireError, match="unknown kind of thing: 8"):
        other.decode(b"\x91\x08")
