"""goat_net.discovery.remembered: tables of earlier evenings, in a file that may be damaged."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goat_net.discovery.remembered import ADDRESSES_MAX, TABLES_MAX, note_table, read_tables
from goat_net.wire.address import Address

HERE, THERE = Address("10.0.0.1", 4000), Address("fe80::1", 4001, 3)


def id_of(number: int) -> str:
    return f"{number:032x}"


def test_tables_are_remembered_latest_first(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    assert read_tables(path) == ()
    note_table(path, id_of(1), [HERE])
    note_table(path, id_of(2), [THERE, HERE])
    note_table(path, id_of(1), [THERE])
    assert read_tables(path) == ((id_of(1), (THERE,)), (id_of(2), (THERE, HERE)))
    assert [file.name for file in tmp_path.iterdir()] == ["tables.json"]


def test_no_more_are_remembered_than_a_lobby_may_ask(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    for number in range(50):
        note_table(path, id_of(number), [Address("10.0.0.1", port) for port in range(1, 50)])
    tables = read_tables(path)
    assert [id_ for id_, _ in tables] == [id_of(number) for number in range(49, 49 - TABLES_MAX, -1)]
    assert all(len(addresses) == ADDRESSES_MAX for _, addresses in tables)


def test_a_folder_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    note_table(tmp_path / "nowhere" / "tables.json", id_of(1), [HERE])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "entry",
    [
        {"id": "x", "addresses": [["10.0.0.1", 1, 0]]},
        {"id": id_of(1), "addresses": []},
        {"id": id_of(1), "addresses": [["10.0.0.1", 0, 0]]},
        {"id": id_of(1), "addresses": [["10.0.0.1", 65536, 0]]},
        {"id": id_of(1), "addresses": [["", 1, 0], ["x" * 300, 1, 0], ["h", 1, -1], ["h", "1", 0], "h", None, ["h"]]},
        {"addresses": [["10.0.0.1", 1, 0]]},
        {"id": id_of(1)},
        [],
        None,
    ],
)
def test_wrong_entries_are_passed_over(tmp_path: Path, entry: object) -> None:
    path = tmp_path / "tables.json"
    good = {"id": id_of(2), "addresses": [["10.0.0.1", 4000, 0]]}
    path.write_text(json.dumps([entry, good]))
    assert read_tables(path) == ((id_of(2), (HERE,)),)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | st.just(b"[" * 16_000) | st.just(b"{}") | st.just(b"1"))
def test_a_damaged_file_is_an_empty_one(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "tables.json"
    path.write_bytes(data)
    assert read_tables(path) == ()
