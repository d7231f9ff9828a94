"""Forty hostile texts, in every place that a stranger fills, on every way out: nothing acts on a terminal."""

import argparse
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from goat_client.cli import main
from goat_client.commands import find
from goat_client.machine.text import ascii_fold, safe
from goat_client.saved.matches import saved_matches
from goat_host import run as table

from goat_net.discovery.advert import TableAdvert, from_txt
from goat_net.discovery.watch import Row
from goat_net.exits import tell
from goat_net.harmless import harmless, may_act
from goat_net.log.chain import file_bytes
from goat_net.log.records import BODIES
from goat_net.logs import HarmlessFormatter
from goat_net.wire.codec import Name, SignedText, Spec, Struct, Text, WireError
from goat_net.wire.messages import MESSAGES
from tests.world.world import World

PAYLOADS = (
    "\x1b[31mred", "\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b]52;c;ZXZpbA==\x07", "\x1b]8;;http://x\x1b\\link",
    "\x1bPq#0;2;0;0;0\x1b\\", "\x1b[6n", "\x1b[?1049h", "\x1bc", "\x1b(0lqk", "\x9b31m", "\x9d0;t\x9c", "\x90q\x9c",
    "a\nb: fake", "a\r\nHost: b", "a\rb", "a\x0bb\x0cc", "a\x85b", "a\u2028b", "a\u2029b", "\x00nul", "\x07bell",
    "\x08\x08\x08back", "\x7fdel", "\t\ttabs", "\u202eright", "\u2066iso\u2069", "\u200fmark", "\u061cletter",
    "zero\u200bwidth", "join\u200dner", "\ufeffbom", "\u00adsoft", "e" + "\u0301" * 40, "\u0301alone",
    "\U000e0041tag", "a\ufe0fb", "\u3164\u3164", "\ue000private", "\ud800lone",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
)  # fmt: skip


def acts(text: str) -> list[str]:
    """What in a text could act on a terminal; line ends are the program's own here."""
    return [ascii(ch) for ch in text if may_act(ch) and ch != "\n"]


def test_there_are_forty() -> None:
    assert len(set(PAYLOADS)) >= 40


def text_fields() -> Iterator[tuple[str, Spec]]:
    """Every field of a message or record that holds text, with its place."""

    def of(place: str, spec: Spec) -> Iterator[tuple[str, Spec]]:
        if isinstance(spec, Text | Name | SignedText):
            yield place, spec
        if isinstance(spec, Struct):
            yield from of_struct(place, spec)
        for inner in vars(spec).values():
            if isinstance(inner, Struct):
                yield from of_struct(place, inner)
            elif isinstance(inner, Spec):
                yield from of(place, inner)

    def of_struct(place: str, struct: Struct) -> Iterator[tuple[str, Spec]]:
        for name, spec in struct.specs:
            yield from of(f"{place}{struct.cls.__name__}.{name} ", spec)

    for registry in (MESSAGES, BODIES):
        for _, struct in registry:
            yield from of_struct("", struct)


FIELDS = dict(text_fields())


@pytest.mark.parametrize("place", FIELDS)
def test_a_field_that_a_peer_fills_holds_nothing_that_acts(place: str) -> None:
    """40 texts × every text of every message and record: refused, or cleaned."""
    for payload in PAYLOADS:
        for text in (payload, f"Anna{payload}", f"{payload}Anna"):
            try:
                value = FIELDS[place].check(text)
            except WireError:
                continue
            assert isinstance(value, str)
            assert acts(value) == [], (place, ascii(text))
            assert "\n" not in value, (place, ascii(text))


def test_the_fields_are_found() -> None:
    places = " ".join(FIELDS)
    for known in ("Hello.name", "Status.name", "Refused.notice Notice.texts", "Bye", "Table.name", "SeatEntry.name"):
        assert known in places, places


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_an_announcement_shows_nothing_that_acts(
    payload: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 texts as name, version and state of a TXT record, through `goat find`, as lines and as JSON."""
    raw = payload.encode("utf-8", "surrogatepass")
    fields = [b"txtvers=1", b"pv=1", b"id=" + b"0" * 32, b"v=" + raw, b"st=" + raw, b"s=" + raw, b"n=" + raw]
    advert = from_txt(b"".join(bytes([len(one)]) + one for one in fields))
    assert advert is not None
    row = Row(replace(advert, protocol=9), None, (), None, False)

    async def look(*args: object, **more: object) -> tuple[tuple[Row, ...], tuple[str, ...]]:
        return (row,), (f"announced by {payload}",)

    monkeypatch.setattr(find, "look", look)
    for as_json in (False, True):
        find.run(argparse.Namespace(json=as_json, wait=0.1, interface=[]))
        out, err = capsys.readouterr()
        assert acts(out) == acts(err) == []
        assert len(out.splitlines()) == 1
    assert isinstance(advert, TableAdvert)


@pytest.fixture(scope="module")
def match() -> bytes:
    world = World(5)
    world.run(deals=1)
    assert world.table.fold is not None
    return file_bytes(world.table.fold.chain.entries[:30])  # nothing of it need be judged: what is shown is its name


WAYS: tuple[tuple[str, ...], ...] = (
    ("verify", "{}"), ("verify", "--json", "{}"), ("verify", "{}", "--proof", "{}.proof"), ("replay", "--plain", "{}"),
    ("replay", "--codes", "{}"), ("verify", "{}.missing"), ("replay", "{}.missing"), ("stats",),
    ("host", "--headless", "--resume", "{}.missing"), ("verify", "--log-file", "{}/x", "{}"),
)  # fmt: skip


NAMES = tuple(p for p in PAYLOADS if "\x00" not in p and "/" not in p and "\ud800" not in p)  # others name no file


@pytest.mark.parametrize("payload", NAMES, ids=ascii)
def test_a_file_name_shows_nothing_that_acts(
    payload: str, match: bytes, goat_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """40 texts as the name of a saved match, through every command that takes one, good and damaged, and the list."""
    folder = goat_home / "data" / "profile-1" / "matches"
    folder.mkdir(parents=True)
    for name, data in ((f"{payload}.goat", match), (f"2026{payload}-x.goat", match[:-5])):
        (folder / name).write_bytes(data)
        for way in WAYS:
            words = [word.format(folder / name) for word in way]
            code = table.main(words[2:]) if words[:2] == ["host", "--headless"] else main(words)
            out, err = capsys.readouterr()
            assert code in (0, 1, 2), err
            assert acts(out) == acts(err) == [], way
    for saved in saved_matches(goat_home / "data"):
        assert acts(safe(saved.about)) == []


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_what_is_said_drawn_and_logged_does_not_act(payload: str, capsys: pytest.CaptureFixture[str]) -> None:
    """40 texts in an error's sentence, a cell of a screen, a line of ASCII, a log's line and a traceback in it."""
    tell(f"cannot be read: {payload}")
    assert acts(capsys.readouterr().err) == []
    assert acts(harmless(payload)) == []
    assert "\n" not in harmless(payload)
    drawn = safe(payload)
    assert not any(ch in drawn for ch in "\x1b\x9b\n\r\x07\u202e\u2066\u200f")
    assert ascii_fold(payload).isascii()
    try:
        raise ValueError(payload)
    except ValueError as error:
        info: Any = (type(error), error, error.__traceback__)
    record = logging.LogRecord("goat", logging.INFO, "f.py", 1, "from %s", (payload,), info)
    line = HarmlessFormatter("%(levelname)s %(message)s").format(record)
    assert acts(line) == []
    assert all(one.startswith("  ") for one in line.split("\n")[1:])
