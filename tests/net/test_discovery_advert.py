"""goat_net.discovery.advert: TXT data in and out, and whatever else the network may send."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goat_net.discovery.advert import (
    STATES,
    TXT_MAX,
    TableAdvert,
    from_txt,
    host_name,
    instance_name,
    to_txt,
    version_of,
)
from goat_net.wire.identity import table_id
from goat_net.wire.text import cells

ID = "7f3a" + "0" * 28

adverts = st.builds(
    TableAdvert,
    protocol=st.integers(0, 65535),
    program=st.from_regex(r"[0-9A-Za-z.+-]{0,16}", fullmatch=True),
    id=st.binary(min_size=16, max_size=16).map(bytes.hex),
    name=st.text(),
    seats_taken=st.integers(0, 4),
    watch=st.booleans(),
    code=st.booleans(),
    state=st.sampled_from(STATES),
)


def txt(*fields: bytes) -> bytes:
    return b"".join(bytes([len(field)]) + field for field in fields)


@given(adverts)
def test_what_is_announced_is_read_back(advert: TableAdvert) -> None:
    data = to_txt(advert)
    assert data.startswith(b"\ttxtvers=1")
    assert len(data) <= TXT_MAX
    read = from_txt(data)
    assert read is not None
    assert read.name == from_txt(to_txt(read)).name  # type: ignore[union-attr]
    for field in ("protocol", "program", "id", "seats_taken", "watch", "code", "state"):
        assert getattr(read, field) == getattr(advert, field)


def test_a_name_that_may_pass_is_read_back_exactly() -> None:
    for name in ("Ann's v1.2 table", "Кухня", "你好", "Zoë", "e\u0301clair".encode().decode(), "♥♠"):
        read = from_txt(to_txt(TableAdvert(1, "0.1.0", ID, name)))
        assert read is not None
        assert read.name == unicodedata.normalize("NFC", name)


def test_a_name_too_long_for_the_record_is_cut_between_letters() -> None:
    # Sixteen letters with two marks each, five bytes a letter, are more than the record has room for.
    name = "x\U0001d165\U0001d165" * 16
    data = to_txt(TableAdvert(65535, "1" * 16, ID, name, 4, True, True, "playing"))
    assert len(data) <= TXT_MAX
    cut = data.rpartition(b"n=")[2].decode("utf-8")
    assert cut
    assert name.startswith(cut)
    assert len(cut) % 3 == 0


@given(st.binary(max_size=1400))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    check(from_txt(data))


@given(st.lists(st.binary(max_size=255), max_size=8))
def test_any_fields_are_read_or_refused(fields: list[bytes]) -> None:
    check(from_txt(txt(b"pv=1", b"id=" + ID.encode(), *fields)))


@given(st.text(max_size=80))
def test_any_name_is_made_harmless(name: str) -> None:
    advert = from_txt(txt(b"pv=1", b"id=" + ID.encode(), b"n=" + name.encode("utf-8", "surrogatepass")[:250]))
    assert advert is not None
    check(advert)


def check(advert: TableAdvert | None) -> None:
    if advert is not None:
        assert cells(advert.name) <= 16
        assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for c in advert.name)
        assert advert.program.isascii()


def test_what_is_no_table_of_ours_is_refused() -> None:
    good = [b"txtvers=1", b"pv=1", b"id=" + ID.encode()]
    assert from_txt(txt(*good)) is not None
    for bad in (b"", b"\0", txt(*good[:2]), txt(good[0], good[2]), txt(*good) * 30):
        assert from_txt(bad) is None
    for field in (b"pv=65536", b"pv=-1", b"pv=1x", b"pv=", b"pv=\xd9\xa1", b"pv"):
        assert from_txt(txt(field, good[2])) is None
    for field in (b"id=" + ID[:-1].encode(), b"id=" + ID.upper().encode(), b"id=" + b"g" * 32, b"id"):
        assert from_txt(txt(good[1], field)) is None


def test_fields_that_are_wrong_or_missing_are_taken_with_caution() -> None:
    read = from_txt(txt(b"pv=3", b"id=" + ID.encode(), b"s=9/4", b"w=yes", b"st=party", b"v=\x1b[2J", b"n=\x1b[2J"))
    assert read == TableAdvert(3, "", ID, "[2J", seats_taken=4, watch=False, code=False, state="playing")


def test_the_first_of_two_equal_keys_counts_whatever_their_case() -> None:
    read = from_txt(txt(b"PV=1", b"pv=2", b"id=" + ID.encode(), b"N=one", b"n=two"))
    assert read is not None
    assert (read.protocol, read.name) == (1, "one")


def test_our_own_mistakes_are_refused() -> None:
    for change in ({"protocol": 65536}, {"id": "x"}, {"seats_taken": 5}, {"state": "?"}, {"program": "a b"}):
        with pytest.raises(ValueError, match="not"):
            TableAdvert(**{"protocol": 1, "program": "1", "id": ID, "name": "", **change})  # type: ignore[arg-type]


def test_names_that_are_generated() -> None:
    assert instance_name(ID) == "Goat 7f3a"
    assert instance_name(ID, 8) == "Goat 7f3a0000"
    assert host_name(ID) == f"goat-{ID}.local."
    assert len(table_id(b"\1" * 32)) == 32
    assert table_id(b"\1" * 32) != table_id(b"\2" * 32)
    assert version_of("0.1.0 (dev)\x1b[m, " + "1" * 20) == "0.1.0devm1111111"
