"""The chapter "The connection" as a second implementation: its examples made again from its words, then compared.

Nothing of goat_net makes an expected value here; at the end the program is held against the document.
"""

import hashlib
import hmac
import re
from pathlib import Path
from typing import Any

import msgpack
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from goat_host import limits, outgoing, server

from goat_net.seat import direct_lines
from goat_net.wire import framing, link, messages, stream, words
from goat_net.wire.codec import MAX_ARRAY, MAX_DEPTH
from goat_net.wire.hello import TableFacts, code_key
from goat_net.wire.identity import Identity, small_order_keys
from goat_net.wire.messages import MESSAGES, House, Joined
from goat_net.wire.peer import Host, Joiner, Prober
from goat_net.wire.words import CODE_LEAST

PAGE = (Path(__file__).parents[2] / "goat_net" / "PROTOCOL.md").read_text(encoding="utf-8")
TEXT = PAGE.split("\n# The connection\n", 1)[1].split("\n# ", 1)[0]


def read_vectors() -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for block in re.findall(r"^```vectors\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE):
        rows = re.findall(r"^([a-z][a-z ]*) =((?: ?[0-9a-f]+\n|\n)(?:  [0-9a-f]+\n)*)", block, re.MULTILINE)
        assert sum(value.count("\n") for _, value in rows) == block.count("\n")
        for name, value in rows:
            assert name not in found
            found[name] = bytes.fromhex("".join(value.split()))
    return found


V = read_vectors()
PURPOSES = {name: text.encode() for name, text in re.findall(r"^\| `([A-Z_]+)` \| `([^`]*)` \|", TEXT, re.MULTILINE)}
CODE = "banan delon fares tovis"
PROTOCOL = 2
FIRST, VOWELS, MIDDLE, LAST = "bdflnrtv", "aeio", "bdflmnrv", "ns"


def content(frame: bytes) -> bytes:
    assert frame[0] == 0xC5
    assert int.from_bytes(frame[1:3], "big") == len(frame) - 3
    return frame[3:]


def fields(frame: bytes) -> list[Any]:
    array = msgpack.unpackb(content(frame))
    assert isinstance(array, list)
    assert msgpack.packb(array) == content(frame)
    return array


def unsigned(frame: bytes) -> bytes:
    array = fields(frame)
    return bytes(msgpack.packb([*array[:-1], bytes(64)]))


def sign(seed: bytes, purpose: str, data: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seed).sign(PURPOSES[purpose] + b"\0" + data)


def word(number: int) -> str:
    bits = f"{number:011b}"
    at = [int(bits[a:b], 2) for a, b in ((0, 3), (3, 5), (5, 8), (8, 10), (10, 11))]
    return "".join(row[i] for row, i in zip((FIRST, VOWELS, MIDDLE, VOWELS, LAST), at, strict=True))


def words_of(data: bytes, count: int) -> str:
    bits = "".join(f"{byte:08b}" for byte in data)
    return " ".join(word(int(bits[i * 11 : i * 11 + 11], 2)) for i in range(count))


# The examples, from the document alone ---------------------------------------------------------------------------


def test_the_document_has_its_examples() -> None:
    assert len(V) == 17
    assert len(PURPOSES) == 8


@pytest.mark.parametrize("who", ["table", "joiner", "operator"])
def test_keys(who: str) -> None:
    private = Ed25519PrivateKey.from_private_bytes(V[f"{who} seed"])
    assert private.public_key().public_bytes_raw() == V[f"{who} key"]


def test_hello() -> None:
    nonce = bytes(range(0x80, 0xA0))
    expected = ["goat 0.1", 2, V["joiner key"], nonce, "Anna", "hard", V["operator key"], ""]
    assert fields(V["hello frame"]) == [3, PROTOCOL, *expected]


def test_welcome_and_binding() -> None:
    parts = hashlib.sha256(content(V["hello frame"])).digest() + hashlib.sha256(unsigned(V["welcome frame"])).digest()
    assert V["binding"] == hashlib.sha256(PURPOSES["BINDING"] + b"\0" + V["certificate hash"] + parts).digest()
    signature = sign(V["table seed"], "WELCOME", V["binding"])
    nonce = bytes(range(0xA0, 0xC0))
    assert fields(V["welcome frame"]) == [4, PROTOCOL, "goat 0.1", V["table key"], nonce, True, signature]


def proof(purpose: str) -> bytes:
    return hmac.digest(V["stretched code"], PURPOSES[purpose] + b"\0" + V["binding"], "sha256")


def test_code_and_prove_and_joined() -> None:
    stretched = hashlib.scrypt(CODE.encode(), salt=V["table key"], n=16384, r=8, p=1, maxmem=1 << 26, dklen=32)
    assert stretched == V["stretched code"]
    assert V["code proof of the joiner"] == proof("CODE_JOINER")
    assert V["operator signature"] == sign(V["operator seed"], "OPERATOR", V["joiner key"] + V["table key"])
    signature = sign(V["joiner seed"], "PROVE", V["binding"])
    assert fields(V["prove frame"]) == [5, signature, V["code proof of the joiner"], V["operator signature"]]
    assert fields(V["joined frame"]) == [6, proof("CODE_HOST"), b"", 0]


def test_probe_and_status() -> None:
    nonce, match = bytes(range(0xC0, 0xD0)), bytes(range(0xE0, 0x100))
    assert fields(V["probe frame"]) == [1, nonce]
    signature = sign(V["table seed"], "STATUS", nonce + unsigned(V["status frame"]))
    house = [20, True, 3000, 30, 60, 180, True, False, False]
    told = ["goat 0.1", V["table key"], "Кухня", 2, True, True, 0, match, house, signature]
    assert fields(V["status frame"]) == [2, PROTOCOL, *told]


def test_words() -> None:
    assert [word(number) for number in (0, 1, 2047)] == re.findall(r"(?:is|,) `([a-z]{5})`", TEXT)[:3]
    match_words = words_of(hashlib.sha256(PURPOSES["WORDS"] + bytes(range(32))).digest(), 6)
    assert f"| 00 01 02 … 1f | {match_words} |" in TEXT
    assert f"| 00 01 02 03 04 05 | {words_of(bytes(range(6)), 4)} |" in TEXT


def test_each_refused_key_has_a_signature_that_fits_many_messages() -> None:
    (block,) = re.findall(r"^```refused\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    keys = [bytes.fromhex(line) for line in block.split()]
    assert len(set(keys)) == 14
    for key in keys:
        loaded = Ed25519PublicKey.from_public_bytes(key)
        fits = 0
        for number in range(200):  # of order n: about one message in n
            try:
                loaded.verify(bytes([1]) + bytes(63), b"message %d" % number)
                fits += 1
            except InvalidSignature:
                pass
        assert fits >= 5
    assert set(keys) == small_order_keys()


# The program against the document --------------------------------------------------------------------------------


def test_the_machines_say_what_stands_in_the_document() -> None:
    table, anna, operator = (Identity.from_seed(V[f"{who} seed"]) for who in ("table", "joiner", "operator"))
    host = Host(table, "goat 0.1", code_key=code_key(CODE, table.public), nonce=bytes(range(0xA0, 0xC0)))
    joiner = Joiner(
        anna, "Anna", 2, program="goat 0.1", code="  БАНАН-delon faresTOVIS", level="hard", operator=operator,
        nonce=bytes(range(0x80, 0xA0)),
    )  # fmt: skip
    host.start(V["certificate hash"], 0)
    joiner.start(V["certificate hash"], 0)
    for step in ("hello", "welcome", "prove", "joined"):
        said, hears = (joiner, host) if step in ("hello", "prove") else (host, joiner)
        if step == "joined":
            host.accept(Joined(b"", b"", 0), 0)
        data = said.take()
        assert data == V[f"{step} frame"]
        hears.receive(data, 0)
    assert host.is_open
    assert joiner.is_open


def test_the_prober_and_its_answer_too() -> None:
    table = Identity.from_seed(V["table seed"])
    prober, host = Prober("goat 0.1", nonce=bytes(range(0xC0, 0xD0))), Host(table, "goat 0.1")
    prober.start(bytes(32), 0)
    host.start(bytes(32), 0)
    assert prober.take() == V["probe frame"]
    host.receive(V["probe frame"], 0)
    house = House(20, True, 3000, 30, 60, 180, True, False, False)
    host.answer(TableFacts("Кухня", 2, True, True, 0, bytes(range(0xE0, 0x100)), house), 0)
    assert host.take() == V["status frame"]


def test_the_bounds_in_the_document_are_those_of_the_program() -> None:
    rows = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \|$", TEXT.split("## Bounds")[1], re.MULTILINE))
    assert rows["from accepting a socket to a valid Hello, with TLS"] == f"{link.HELLO_WITHIN:.0f} s"
    assert rows["a Welcome, from the end of TLS; before that TLS, from the end of TCP's handshake"] == (
        f"{link.WELCOME_WITHIN:.1f} s; {stream.ANSWER_WITHIN:.1f} s"
    )
    assert rows["the whole join"] == f"{link.JOIN_WITHIN:.0f} s"
    assert rows["a status, from Probe"] == f"{link.PROBE_WITHIN:.0f} s"
    assert rows["sockets without a valid Hello"] == str(server.WAITING_MAX)
    assert rows["connections with Hello and without Prove"] == str(server.JOINING_MAX)
    assert rows["connections that are in"] == str(server.GUESTS_MAX)
    assert rows["bytes that wait for one reader"] == str(stream.QUEUE_MAX)
    assert rows[f"time in which {stream.CHUNK} bytes must go out to a reader"] == f"{stream.STALL:.0f} s"
    assert rows["frames from one joiner"] == f"{link.FRAMES_BURST} at once, {link.FRAMES_PER_SECOND} a second"
    assert rows["wrong codes"] == f"{limits.FREE_TRIES}, then pauses"
    for what, burst, rate in (
        ("wrong codes from all addresses", limits.GUESSES_BURST, limits.GUESSES_PER_SECOND),
        ("TLS handshakes from one address", limits.TLS_BURST, limits.TLS_PER_SECOND),
        ("TLS handshakes from all addresses where nobody is in", limits.TLS_BURST_ALL, limits.TLS_PER_SECOND_ALL),
        ("Reach from one guest", limits.REACH_BURST, limits.REACH_PER_SECOND),
        ("Read from one guest", limits.READ_BURST, limits.READ_PER_SECOND),
        ("Submit from one guest without a seat", limits.RELAY_BURST, limits.RELAY_PER_SECOND),
    ):
        assert rows[what] == f"{burst} at once, {rate:g} a second"
    (asks,) = [what for what in rows if what.startswith("what one guest asks")]
    assert rows[asks] == f"{limits.CONTROL_BURST} at once, {limits.CONTROL_PER_SECOND:g} a second"
    kinds = sorted(MESSAGES.number(cls) for cls in limits._CONTROL)
    assert kinds == [14, 15, 16, 17, 18, 21, 23, 24, 25, 27]
    assert "(kinds 14–18, 21, 23–25, 27)" in asks
    assert rows["messages over these until their sender is dropped"] == str(limits.PASSED_OVER_MAX)
    assert rows["Lobby to one guest"] == f"once in {outgoing.LOBBY_GAP} s, the newest"
    assert rows["bytes that wait for a guest when Lobby, Said and Reach still go out"] == str(outgoing.SPARE)
    lines = direct_lines
    assert rows["direct lines"] == f"{lines.LINES}, of them {lines.LINES_EACH} accepted from one seat"
    assert rows["callers of a direct line that have not proven a seat"] == str(lines.STRANGERS)
    text = " ".join(TEXT.split())
    assert f"A new table's code has at least {CODE_LEAST} letters or digits" in text
    assert f"of {limits.FIRST_PAUSE:.0f} s, doubled each time up to {limits.LONGEST_PAUSE:.0f} s" in text
    assert f"sent nothing for {link.PING_AFTER:.0f} s" in text
    assert f"has come for {link.SILENT_AFTER:.0f} s is away" in text
    assert f"no TLS record holds more than {stream.RECORD} bytes" in text
    assert f"After {link.DEAD_AFTER:.0f} s the connection is given up" in text
    assert f"at most {MAX_ARRAY} elements" in text
    assert f"nested at most {MAX_DEPTH} deep" in text
    assert f"1 ≤ length ≤ {framing.MAX_CONTENT}" in text
    assert f"Only the first {words.CODE_CHARS} characters" in text
    assert f"This is protocol {messages.PROTOCOL}." in text


def test_kinds_and_fields_in_the_document_are_those_of_the_program() -> None:
    rows = re.findall(r"^\| (\d+) \| ([A-Z]\w+) \| (.+) \|$", TEXT, re.MULTILINE)
    assert {int(number) for number, _, _ in rows} == {1, 2, 3, 4, 5, 6, 7, 9}
    by_kind = dict(iter(MESSAGES))
    for number, name, listed in rows:
        struct = by_kind[int(number)]
        assert struct.cls.__name__ == name
        named = [re.sub(r" \[.*", "", field).replace(" ", "_") for field in listed.split(" · ")]
        assert named == [field for field, _ in struct.specs]


def test_reasons_in_the_document_are_those_of_the_program() -> None:
    numbers = {int(number) for number in re.findall(r"^\| (\d+) \| [a-z]", TEXT, re.MULTILINE)}
    assert numbers == set(range(1, 16))
    assert f"| {messages.WRONG_VERSION} | another protocol" in TEXT
    assert f"| {messages.FLOOD} | too many messages |" in TEXT
    assert f"| {messages.TOO_SLOW} | the other end was too slow" in TEXT
