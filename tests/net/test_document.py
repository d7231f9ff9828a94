"""PROTOCOL.md against the code: its tables, purposes, citations and its worked examples of the log.

The chapters on the connection and the deck have tests of their own, which take their expected values from the page
alone; `test_auditor.py` is an auditor written from it.
"""

import ast
import functools
import hashlib
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgpack
import pytest
from goat_tools import tables

from goat_net.deck.seeds import seed_commitment
from goat_net.discovery.advert import TableAdvert, to_txt
from goat_net.log.chain import (
    ENTRY_PURPOSE,
    RECORD_PURPOSE,
    Chain,
    entry_bytes,
    file_bytes,
    genesis,
    log_id_of,
    make_record,
    next_head,
    parse_record,
    sign_entry,
)
from goat_net.log.first_entry import first_dealer, match_id_of, nonce_commitment
from goat_net.log.fold import Fold
from goat_net.log.proof import PROOF_HEADER, refusal_proof
from goat_net.log.records import (
    BODIES,
    HOST,
    Away,
    Carried,
    CloseVote,
    Commit,
    End,
    EndPause,
    Leave,
    Nonce,
    NonceCommit,
    Open,
    PauseClock,
    Refuse,
    SeatEntry,
    Settings,
    Table,
    Unheard,
    Verdict,
    Vote,
)
from goat_net.log.succession import score_of
from goat_net.wire.codec import Struct, pack, unpack
from goat_net.wire.identity import Identity, table_id
from goat_net.wire.messages import MESSAGES, PROTOCOL, Fresh, NewEntry, PastEntry
from goat_net.wire.words import table_words
from tests.net import test_connection_document

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "goat_net" / "PROTOCOL.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```examples\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ROW = re.compile(r"^([a-z][a-z0-9 .]*) =((?: ?[0-9a-f]+\n|\n)(?:  [0-9a-f]+\n)*)", re.MULTILINE)


def read_examples(text: str) -> dict[str, str]:
    """Every example of the page: name -> hex."""
    found: dict[str, str] = {}
    for block in BLOCK.findall(text):
        rows = ROW.findall(block)
        assert sum(value.count("\n") for _, value in rows) == block.count("\n"), block
        for name, value in rows:
            assert name not in found, f"twice in the document: {name}"
            found[name] = "".join(value.split())
    return found


# The examples, made by the code ------------------------------------------------------------------------------


def key(number: int) -> Identity:
    """The key of the private seed that counts on from 32 * number."""
    return Identity.from_seed(bytes((32 * number + i) % 256 for i in range(32)))


class Example:
    """One match up to its first commitment, with every byte by its name. Seats 0, 1 and 3 are people, seat 2 is a bot
    that seat 0's machine runs."""

    def __init__(self) -> None:
        self.out: dict[str, str] = {}
        self.table, self.seats = key(0), [key(3), key(4), key(5), key(6)]
        self.salt = bytes(range(0xA0, 0xC0))
        for seat, one in enumerate(self.seats):
            self.put(f"seat.{seat} seed", bytes((32 * (3 + seat) + i) % 256 for i in range(32)))
            self.put(f"seat.{seat} key", one.public)
        self.fresh = [bytes((32 * s + i) % 256 for i in range(32)) for s in range(4)]
        for seat, value in enumerate(self.fresh):
            self.put(f"fresh.{seat}", value)
        self.log_id = log_id_of(self.table.public, self.salt, self.fresh)
        self.chain = Chain(self.log_id)
        self.fold = Fold(self.table.public)
        self.log()
        self.nonces()
        self.deal()
        self.caught()
        self.leaving()
        self.goes_on()
        self.announcement()

    def put(self, name: str, value: bytes) -> None:
        assert name not in self.out
        self.out[name] = value.hex()

    def body(self) -> Table:
        operator = self.seats[0].sign(b"goat operator v1", self.seats[2].public + self.table.public)
        seats = tuple(
            SeatEntry(
                one.public, ("Anna", "Boris", "Bot", "Dora")[s], s == 2, "hard" if s == 2 else "",
                self.seats[0].public if s == 2 else b"", operator if s == 2 else b"",
            )
            for s, one in enumerate(self.seats)
        )  # fmt: skip
        settings = Settings(180, 0, 0, True, True, b"")
        return Table(
            PROTOCOL, "goat 0.1", self.salt, self.table.public, "Kitchen", 0, 12, False, 3000, settings, seats, (),
            tuple(self.fresh),
        )  # fmt: skip

    def enter(self, author: int, body: object) -> NewEntry:
        """The next entry of the example's log."""
        chain = self.fold.chain if self.fold.table else self.chain
        identity = self.table if author == HOST else self.seats[author]
        deal = self.fold.deal.number if self.fold.deal else 0
        deal = self.fold.finished[-1].deal.number if isinstance(body, Verdict) else deal
        match_id = self.fold.id or self.log_id
        raw = make_record(identity, match_id, deal, author, self.fold.counters[author], len(chain), chain.head, body)
        entry = sign_entry(self.table, match_id, len(chain), chain.head, raw)
        self.fold.take(entry)
        return entry

    def log(self) -> None:
        self.put("salt", self.salt)
        self.put("log id input", b"goat table v1\0" + self.table.public + self.salt + b"".join(self.fresh))
        self.put("log id", self.log_id)
        self.put("head.0", self.chain.head)
        entry = self.enter(HOST, self.body())
        array = unpack(entry.record)
        assert isinstance(array, list)
        self.put("table body", BODIES.encode(parse_record(entry.record).body))
        self.put("table record signed", RECORD_PURPOSE + b"\0" + pack(array[:-1]))
        self.put("table record", entry.record)
        self.put("head.1 input", b"goat head v1\0" + self.chain.head + hashlib.sha256(entry.record).digest())
        head = next_head(self.chain.head, entry.record)
        self.put("head.1", head)
        self.put("entry.0 signed", ENTRY_PURPOSE + b"\0" + self.log_id + (0).to_bytes(4, "big") + head)
        self.put("entry.0 signature", entry.signature)
        self.put("file", file_bytes([entry]))

    def nonces(self) -> None:
        nonces = [bytes((64 + 32 * s + i) % 256 for i in range(32)) for s in range(4)]
        for s, nonce in enumerate(nonces):
            self.put(f"nonce.{s}", nonce)
        self.put("nonce commitment.0 input", b"goat match nonce v1\0" + self.log_id + b"\0" + nonces[0])
        for s, nonce in enumerate(nonces):
            commitment = nonce_commitment(self.log_id, s, nonce)
            self.put(f"nonce commitment.{s}", commitment)
            entry = self.enter(s, NonceCommit(commitment))
            if s == 0:
                self.put("nonce commitment record", entry.record)
        for s, nonce in enumerate(nonces):
            self.enter(s, Nonce(nonce))
        table = hashlib.sha256(self.fold.chain.entries[0].record).digest()
        self.match_id = match_id_of(self.fold.chain.entries[0].record, nonces)
        assert self.match_id == self.fold.id
        self.put("match id input", b"goat match v1\0" + table + b"".join(nonces))
        self.put("match id", self.match_id)
        self.put("dealer hash", hashlib.sha256(b"goat dealer v1\0" + self.match_id).digest())
        self.put("dealer", bytes([first_dealer(self.match_id)]))
        self.put("head.9", self.fold.chain.head)
        self.words = " ".join(table_words(self.match_id))

    def deal(self) -> None:
        self.put("seed of seat 1", bytes(range(0x10, 0x30)))
        entry = self.enter(1, Commit(seed_commitment(self.match_id, 1, 1, bytes(range(0x10, 0x30)))))
        self.put("commit record", entry.record)
        number = (9).to_bytes(4, "big")
        self.put("entry.9 signed", ENTRY_PURPOSE + b"\0" + self.match_id + number + self.fold.chain.head)
        self.put("entry.9 signature", entry.signature)
        refused = make_record(
            self.seats[3], self.match_id, 1, 3, 2, 10, self.fold.chain.head, BODIES.decode(b"\x91\x0f")
        )
        self.put("refused record", refused)
        entry = self.enter(HOST, Refuse(3, 2, hashlib.sha256(refused).digest(), 2))
        self.put("refusal record", entry.record)
        self.put("head.11", self.fold.chain.head)
        self.put("proof header", PROOF_HEADER)
        self.put("proof record", refusal_proof([], entry, refused)[len(PROOF_HEADER) : -len(entry_bytes(entry))])

    def caught(self) -> None:
        """Seat 0 opens early, all open what they have, and say what it came to."""
        self.put("early opening record", self.enter(0, Open(bytes(32))).record)
        for seat in range(4):
            self.enter(seat, Open(bytes(range(0x10, 0x30)) if seat == 1 else bytes(32)))
        for seat in range(4):
            entry = self.enter(seat, Verdict((0, 0), (0, 0), (0, 0), 0, 11))
            if seat == 0:
                self.put("verdict record", entry.record)

    def leaving(self) -> None:
        """A pause and its end, a goodbye, the end of the log; and bodies that have their place in other stages."""
        self.put("pause record", self.enter(1, PauseClock(True)).record)
        self.put("end of pause record", self.enter(HOST, EndPause()).record)
        self.put("leave record", self.enter(3, Leave()).record)
        self.put("end record", self.enter(HOST, End(1)).record)
        self.put("head.24", self.fold.chain.head)
        bodies = {"away": Away(3, 180), "unheard": Unheard(3, 180), "vote": Vote(3, 2), "close vote": CloseVote(3)}
        for name, body in bodies.items():
            self.put(f"{name} body", BODIES.encode(body))
        entry = self.fold.chain.entries[-1]
        self.put("fresh message", MESSAGES.encode(Fresh(self.fresh[0])))
        past = PastEntry(self.log_id, entry.number, entry.record, entry.signature)
        self.put("past entry message", MESSAGES.encode(past))

    def goes_on(self) -> None:
        """The next log of the same table: somebody else on seat 3, the score carried on."""
        score = score_of(self.fold)
        assert score is not None
        self.put("carried", pack(Struct(Carried).dump(score)))
        salt, fresh = bytes(range(0xC0, 0xE0)), tuple(bytes(32 * [0x80 + s]) for s in range(4))
        self.put("next salt", salt)
        for seat, value in enumerate(fresh):
            self.put(f"next fresh.{seat}", value)
        self.put("next seat.3 key", key(7).public)
        log_id = log_id_of(self.table.public, salt, fresh)
        self.put("next log id", log_id)
        body = self.body()
        seats = (*body.seats[:3], SeatEntry(key(7).public, "Egon", False, "", b"", b""))
        body = replace(body, salt=salt, fresh=fresh, seats=seats, carried=(score,))
        head = genesis(log_id)
        raw = make_record(self.table, log_id, 0, HOST, 0, 0, head, body)
        fold = Fold(self.table.public, live=True)
        fold.take(sign_entry(self.table, log_id, 0, head, raw))
        self.put("next table body", BODIES.encode(body))
        self.put("next head.1", fold.chain.head)

    def announcement(self) -> None:
        advert = TableAdvert(PROTOCOL, "0.1.0", table_id(self.table.public), "Kitchen", 3, True, True, "lobby")
        self.put("txt", to_txt(advert))


def rewritten(text: str, made: dict[str, str]) -> str:
    """The page with these values in its examples, as `python3 dev.py make` puts them there."""

    def row(match: re.Match[str]) -> str:
        value = made[match[1]]
        if len(match[1]) + 3 + len(value) <= 120:
            return f"{match[1]} = {value}\n"
        return f"{match[1]} =\n" + "".join(f"  {value[i : i + 112]}\n" for i in range(0, len(value), 112))

    text = BLOCK.sub(lambda block: f"```examples\n{ROW.sub(row, block[1])}```", text)
    words = " ".join(table_words(bytes.fromhex(made["match id"])))
    old = re.search(r"table words of this match are\s\*([a-z\s]+)\*", text)
    assert old is not None
    for was, now in zip(old[1].split(), words.split(), strict=True):  # the same lengths: the lines stay as they are
        text = text[: old.start(1)] + text[old.start(1) :].replace(was, now, 1)
    return text


@pytest.fixture(scope="module")
def example() -> Example:
    return Example()


def test_every_example_is_what_the_code_makes(example: Example) -> None:
    assert read_examples(TEXT) == example.out, "python3 dev.py make makes them again"
    assert f"table words of this match are *{example.words}*" in " ".join(TEXT.split())


def test_one_changed_digit_of_an_example_is_seen(example: Example, seed: int) -> None:
    rng = random.Random(seed)
    spans = [
        (block.start() + row.start(), block.start() + row.end())
        for block in BLOCK.finditer(TEXT)
        for row in re.finditer(r"(?<= )[0-9a-f]{2,}$", block[0], re.MULTILINE)
    ]
    assert len(spans) >= len(example.out)
    for start, end in spans:
        at = rng.randrange(start, end)
        wrong = rng.choice([d for d in "0123456789abcdef" if d != TEXT[at]])
        assert read_examples(TEXT[:at] + wrong + TEXT[at + 1 :]) != example.out


def test_one_changed_letter_of_the_table_words_is_seen(example: Example) -> None:
    flat = " ".join(TEXT.split())
    changed = flat.replace(example.words, example.words[:-1] + ("n" if example.words[-1] == "s" else "s"))
    assert f"table words of this match are *{example.words}*" not in changed


def test_long_hex_stands_in_tested_blocks_only() -> None:
    bare = re.sub(r"^```(?:examples|vectors|refused|signatures)\n.*?^```$", "", TEXT, flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"\b[0-9a-f]{12,}\b", bare) == []


# Tables and purposes -----------------------------------------------------------------------------------------


def test_tables_are_those_of_the_code() -> None:
    assert sorted(tables.names(TEXT)) == sorted(tables.tables())
    assert tables.replaced(TEXT) == TEXT, "python3 dev.py make makes them again"


def test_a_changed_table_is_seen() -> None:
    for name in tables.names(TEXT):
        at = TEXT.index(f"<!-- table: {name} -->")
        cell = TEXT.index("| ", at) + 2
        assert tables.replaced(TEXT[:cell] + "x" + TEXT[cell:]) == TEXT


def purposes_in_code() -> set[str]:
    """Strings of the code that look like a purpose, without the zero byte at their end."""
    found = set()
    for path in [*ROOT.glob("goat_net/**/*.py"), *ROOT.glob("host/**/*.py"), *ROOT.glob("client/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
                value = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
                if re.fullmatch(r"goat [a-z ]+ v\d+\0?", value):
                    found.add(value.rstrip("\0"))
    return found


def test_every_purpose_of_the_code_is_in_the_document_and_the_other_way_round() -> None:
    section = TEXT.split("\n## Purposes\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(goat [a-z ]+ v\d+)` \| ([^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
    listed = [row[0] for row in rows]
    assert len(set(listed)) == len(listed)
    assert set(listed) == purposes_in_code()
    assert set(re.findall(r"goat [a-z ]+ v\d+", TEXT)) <= set(listed)


def test_no_purpose_begins_another_with_its_zero_byte() -> None:
    ended = [p.encode() + b"\0" for p in purposes_in_code()]
    assert not any(a != b and b.startswith(a) for a in ended for b in ended)


def test_the_version_of_the_document_is_that_of_the_code() -> None:
    assert f"The protocol described here is number **{PROTOCOL}**" in TEXT


def test_every_section_that_the_page_names_is_there() -> None:
    headings = set(re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE))
    for name in ("Faults", "Bodies", "Plays", "Open and verdict", "The match", "The deal", "The deck", "The log"):
        assert name in headings
    assert "Hello" in headings


# The other chapters' examples: their own tests must see a changed digit ----------------------------------------


def connection_checks() -> list[Callable[[], None]]:
    """Tests of the chapter on the connection that hold its examples against its words."""
    module = test_connection_document
    keys = [functools.partial(module.test_keys, who) for who in ("table", "joiner", "operator")]
    whole = (
        module.test_hello,
        module.test_welcome_and_binding,
        module.test_code_and_prove_and_joined,
        module.test_probe_and_status,
    )
    return [*keys, *whole]


def test_one_changed_digit_of_a_connection_example_is_seen(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    rng = random.Random(seed)
    values = dict(test_connection_document.V)
    assert len(values) >= 17
    for check in connection_checks():
        check()
    for name, value in values.items():
        at, bit = rng.randrange(len(value)), 1 << rng.randrange(8)
        changed = value[:at] + bytes([value[at] ^ bit]) + value[at + 1 :]
        monkeypatch.setattr(test_connection_document, "V", values | {name: changed})
        failed = 0
        for check in connection_checks():
            try:
                check()
            except (AssertionError, ValueError, msgpack.exceptions.UnpackException):
                failed += 1
        assert failed, f"{name}: a changed digit is not seen"


if __name__ == "__main__":
    PAGE = ROOT / "goat_net" / "PROTOCOL.md"
    PAGE.write_text(rewritten(TEXT, Example().out), encoding="utf-8")
