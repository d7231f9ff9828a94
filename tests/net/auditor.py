"""A second auditor of saved matches, written from goat_net/PROTOCOL.md alone: nothing of the project is imported.

It takes plain bytes and gives plain values. Errors of a file are `Bad`; offences of seats are rows (deal, entry, seat,
name). Only the constants of the page stand here, under the names that the page has for them.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

HOST, NOBODY = 4, 5
POINTS = (0, 0, 0, 0, 2, 3, 4, 10, 11)


class BadFileError(Exception):
    """The file is none, or not of this protocol."""


class BadEntryError(Exception):
    """What stands at this entry may not: ``host`` if it signed it for this very place."""

    def __init__(self, number: int, host: bool) -> None:
        super().__init__(f"entry {number}")
        self.number, self.host = number, host


# Encoding ----------------------------------------------------------------------------------------------------


class MalformedError(Exception):
    """Bytes that are not the one encoding of a value."""


def decode(data: bytes) -> Any:
    """The value of some bytes."""
    if len(data) > 16384:
        raise MalformedError("too long")
    value, at = _value(data, 0, 0)
    if at != len(data) or encode(value) != data:
        raise MalformedError("not the one encoding")
    return value


def _take(data: bytes, at: int, size: int) -> tuple[bytes, int]:
    if at + size > len(data):
        raise MalformedError("cut off")
    return data[at : at + size], at + size


def _number(data: bytes, at: int, size: int) -> tuple[int, int]:
    raw, at = _take(data, at, size)
    return int.from_bytes(raw, "big"), at


def _value(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    head, at = _number(data, at, 1)
    if head <= 0x7F:
        return head, at
    if head >= 0xE0:
        return head - 256, at
    if head in (0xC2, 0xC3):
        return head == 0xC3, at
    if 0xCC <= head <= 0xCF:
        return _number(data, at, 1 << (head - 0xCC))
    if 0xA0 <= head <= 0xBF:
        return _text(data, at, head & 31)
    if head in (0xD9, 0xDA):
        size, at = _number(data, at, head - 0xD8)
        return _text(data, at, size)
    if head in (0xC4, 0xC5):
        size, at = _number(data, at, head - 0xC3)
        return _take(data, at, size)
    if 0x90 <= head <= 0x9F or head == 0xDC:
        size = head & 15
        if head == 0xDC:
            size, at = _number(data, at, 2)
        if size > 64 or depth == 8:
            raise MalformedError("too many or too deep")
        items = []
        for _ in range(size):
            item, at = _value(data, at, depth + 1)
            items.append(item)
        return items, at
    raise MalformedError("another type")


def _text(data: bytes, at: int, size: int) -> tuple[str, int]:
    raw, at = _take(data, at, size)
    try:
        return raw.decode("utf-8"), at
    except UnicodeDecodeError as error:
        raise MalformedError("not UTF-8") from error


def encode(value: Any) -> bytes:
    """The one encoding of a value."""
    if value is True or value is False:
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        if -32 <= value <= 127:
            return bytes([value & 255])
        for index, size in enumerate((1, 2, 4, 8)):
            if 0 <= value < 1 << 8 * size:
                return bytes([0xCC + index]) + value.to_bytes(size, "big")
        raise MalformedError("an integer out of range")
    if isinstance(value, str):
        raw = value.encode()
        if len(raw) < 32:
            return bytes([0xA0 + len(raw)]) + raw
        return (b"\xd9" + u8(len(raw)) if len(raw) < 256 else b"\xda" + u16(len(raw))) + raw
    if isinstance(value, bytes):
        return (b"\xc4" + u8(len(value)) if len(value) < 256 else b"\xc5" + u16(len(value))) + value
    head = bytes([0x90 + len(value)]) if len(value) < 16 else b"\xdc" + u16(len(value))
    return head + b"".join(encode(item) for item in value)


def u8(value: int) -> bytes:
    return value.to_bytes(1, "big")


def u16(value: int) -> bytes:
    return value.to_bytes(2, "big")


def u64(value: int) -> bytes:
    return value.to_bytes(8, "big")


def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def hp(purpose: str, *parts: bytes) -> bytes:
    return sha(purpose.encode() + b"\0", *parts)


# Fields: (low, high) is an integer, "b" a bool; ("bytes" or "text", low, high), ("list", low, high, of); [structure]

Spec = Any
BYTES_32 = ("bytes", 32, 32)
SEAT = (0, 3)
NAME, NAME_OR_EMPTY, PROGRAM, LEVEL = ("text", 1, 64), ("text", 0, 64), ("text", 1, 32), ("text", 0, 16)
DECK, RUN, NUMBER = ("bytes", 0, 2048), ("bytes", 0, 1152), (0, 1_000_000)
SEAT_ENTRY = [BYTES_32, NAME, "b", LEVEL, ("bytes", 0, 32), ("bytes", 0, 64)]
CARRIED_1 = [BYTES_32, BYTES_32, ("list", 2, 2, (0, 99)), (0, 999), SEAT, SEAT, "b", (0, 9999)]
CARRIED = [*CARRIED_1, ("list", 0, 64, [BYTES_32, (1, 2)])]
SETTINGS = [(0, 3600), (0, 3600), (0, 3600), "b", "b", ("bytes", 0, 32)]
CARDS = [("list", 1, 4, (0, 35)), RUN]
BODIES: dict[int, list[Spec]] = {
    1: [
        (0, 65535), PROGRAM, BYTES_32, BYTES_32, NAME, (0, 4), (1, 99), "b", (0, 60000), SETTINGS,
        ("list", 4, 4, SEAT_ENTRY), ("list", 0, 1, CARRIED), ("list", 0, 4, BYTES_32),
    ],
    2: [BYTES_32], 3: [BYTES_32], 4: [BYTES_32], 5: [DECK], 6: [BYTES_32, DECK, BYTES_32], 7: [DECK, DECK],
    8: [RUN, ("bytes", 0, 32)], 9: [("list", 1, 2, (0, 35)), RUN], 10: CARDS, 11: CARDS, 12: [RUN], 13: [(0, 8)],
    14: CARDS, 15: [], 16: [BYTES_32],
    17: [("list", 2, 2, (0, 120)), ("list", 2, 2, (0, 9)), ("list", 2, 2, (0, 12)), (0, 5), NUMBER],
    18: [], 20: ["b"], 21: [SEAT, (0, 86400)], 22: [SEAT, (0, 3)],
    30: [SEAT, NUMBER, BYTES_32, (1, 64)], 31: [SEAT, (0, 86400)], 33: [(0, 2)], 34: [SEAT], 35: [],
}  # fmt: skip
(
    TABLE, NONCE_COMMIT, NONCE, COMMIT, SHUFFLE, CUT, LOCK, KEYS, COMPLAIN, LEAD, BEAT, DISCARD, CLAIM, SHOW, YIELD,
    OPEN, VERDICT, LEAVE, _, PAUSE, UNHEARD, VOTE,
) = range(1, 23)  # fmt: skip
REFUSE, AWAY, _, END, CLOSE_VOTE, END_PAUSE = range(30, 36)
NEVER_OWED = (LEAVE, PAUSE, UNHEARD, VOTE)
DEAL_KINDS = range(COMMIT, OPEN + 1)


def fits(value: Any, spec: Spec) -> bool:
    """Whether a value is within its bounds (texts are taken as they are)."""
    if spec == "b":
        return isinstance(value, bool)
    if isinstance(spec, list):
        return isinstance(value, list) and len(value) == len(spec) and all(map(fits, value, spec))
    if isinstance(spec[0], int):
        return isinstance(value, int) and not isinstance(value, bool) and bool(spec[0] <= value <= spec[1])
    kind: type[Any] = {"bytes": bytes, "text": str, "list": list}[spec[0]]
    if not isinstance(value, kind) or not spec[1] <= len(value) <= spec[2]:
        return False
    return spec[0] != "list" or all(fits(item, spec[3]) for item in value)


# Keys and signatures -------------------------------------------------------------------------------------------

Q = 2**255 - 19


def _roots(square: int) -> list[int]:
    root = pow(square % Q, (Q + 3) // 8, Q)
    return [r for r in (root, root * pow(2, (Q - 1) // 4, Q) % Q) if (r * r - square) % Q == 0]


def _small_order() -> set[bytes]:
    d = -121665 * pow(121666, -1, Q) % Q
    ys = {0, 1, Q - 1, Q, Q + 1}
    for root in _roots(1 + d):  # d y^4 + 2 y^2 - 1 = 0: y^2 = (-1 +- sqrt(1 + d)) / d
        for sign in (1, -1):
            for y in _roots((sign * root - 1) * pow(d, -1, Q)):
                ys |= {y, Q - y}
    return {(y | sign << 255).to_bytes(32, "little") for y in ys for sign in (0, 1)}


SMALL_ORDER = _small_order()


BASE_ORDER = 2**252 + 27742317777372353535851937790883648493
EDWARDS_D = -121665 * pow(121666, -1, Q) % Q


def added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """The sum of two points of -x^2 + y^2 = 1 + d x^2 y^2, by the formula of the curve."""
    (a, b), (c, e) = one, other
    cross = EDWARDS_D * a * b * c * e
    return (a * e + b * c) * pow(1 + cross, -1, Q) % Q, (b * e + a * c) * pow(1 - cross, -1, Q) % Q


@lru_cache(maxsize=64)
def whole(key: bytes) -> bool:
    """Whether L times the point of a key is the neutral one."""
    y = int.from_bytes(key, "little") % 2**255
    roots = _roots((y * y - 1) * pow(EDWARDS_D * y * y + 1, -1, Q))
    if not roots:
        return False
    total, step, scalar = (0, 1), (roots[0], y), BASE_ORDER  # the other root is the opposite point: of the same order
    while scalar:
        total = added(total, step) if scalar & 1 else total
        step, scalar = added(step, step), scalar >> 1
    return total == (0, 1)


def small(key: bytes) -> bool:
    return len(key) != 32 or int.from_bytes(key, "little") % 2**255 >= Q or key in SMALL_ORDER


def good_key(key: bytes, protocol: int = 2) -> bool:
    return not small(key) and (protocol == 1 or whole(key))


def is_signature(key: bytes, signature: bytes, message: bytes) -> bool:
    if small(key) or len(signature) != 64:
        return False
    if int.from_bytes(signature[32:], "little") >= BASE_ORDER or int.from_bytes(signature[:32], "little") % 2**255 >= Q:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def signed(key: bytes, signature: bytes, purpose: str, data: bytes) -> bool:
    return is_signature(key, signature, purpose.encode() + b"\0" + data)


# The deck --------------------------------------------------------------------------------------------------------

N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
CURVE, EXCHANGE = ec.SECP256R1(), ec.ECDH()


class NoElementError(Exception):
    """A row of bytes that is no x-coordinate."""


def point(x: bytes) -> ec.EllipticCurvePublicKey:
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(CURVE, b"\x02" + x)
    except ValueError:
        raise NoElementError from None


def times(scalar: int, x: bytes) -> bytes:
    return ec.derive_private_key(scalar % N, CURVE).exchange(EXCHANGE, point(x))


def p24(purpose: str) -> bytes:
    return purpose.encode().ljust(24, b"\0")


def card_points(tag: bytes) -> list[bytes]:
    out = []
    for card in range(36):
        attempt = 0
        while True:
            x = sha(p24("goat card v1"), tag, u8(card), u8(attempt))
            try:
                point(x)
                break
            except NoElementError:
                attempt += 1
        out.append(x)
    return out


class Secrets:
    """What follows from a seed."""

    def __init__(self, seed: bytes, tag: bytes) -> None:
        self.seed, self.tag = seed, tag
        refused: set[int] = set()
        self.e = self.scalar("e", 0, refused)
        refused |= {self.e, N - self.e}
        self.q = self.scalar("q", 0, refused)
        refused |= {self.q, N - self.q}
        undo = pow(self.e, -1, N)
        self.f = self.scalar("f", 0, refused | {undo, N - undo})
        both = self.e * self.f % N
        refused |= {self.f, N - self.f, both, N - both}
        self.k = []
        for slot in range(36):
            k = self.scalar("k", slot, refused)
            refused |= {k, N - k}
            self.k.append(k)
        self.pi, self.rho = self.permutation("p", 36), self.permutation("r", 20)

    def block(self, label: str, index: int, attempt: int) -> bytes:
        message = p24("goat secret v1") + self.tag + label.encode() + u8(index) + u8(attempt)
        return hmac.digest(self.seed, message, "sha512")

    def scalar(self, label: str, index: int, refused: set[int]) -> int:
        for attempt in range(256):
            s = 2 + int.from_bytes(self.block(label, index, attempt), "big") % (N - 3)
            if s not in refused:
                return s
        raise AssertionError

    def permutation(self, label: str, size: int) -> list[int]:
        stream = (byte for attempt in range(256) for byte in self.block(label, 0, attempt))
        row = list(range(size))
        for i in range(size - 1, 0, -1):
            byte = next(b for b in stream if b < 256 - 256 % (i + 1))
            j = byte % (i + 1)
            row[i], row[j] = row[j], row[i]
        return row


def runs(run: bytes) -> list[bytes] | None:
    return [run[i : i + 32] for i in range(0, len(run), 32)] if len(run) % 32 == 0 else None


# Plays -----------------------------------------------------------------------------------------------------------


@dataclass
class Laid:
    """Cards on the table; a slot is None where it is not known."""

    seat: int
    kind: int
    slots: tuple[int | None, ...]


@dataclass
class Play:
    """The state of play. ``faces``: slot -> card as far as it is known."""

    dealer: int
    indicator: int
    entitled: int
    faces: dict[int, int]
    phase: str = "LEAD"
    turn: int = 0
    hands: list[list[int]] = field(default_factory=list)
    gone: list[int] = field(default_factory=lambda: [0] * 4)
    table: list[Laid] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    stock: int = 16
    tricks: list[tuple[int, list[Laid]]] = field(default_factory=list)

    def copy(self) -> "Play":
        return Play(
            self.dealer, self.indicator, self.entitled, dict(self.faces), self.phase, self.turn,
            [list(h) for h in self.hands], list(self.gone), list(self.table), list(self.asked), self.stock,
            list(self.tricks),
        )  # fmt: skip

    def size(self, seat: int) -> int:
        return len(self.hands[seat]) - self.gone[seat]

    def beats(self, c: int, d: int) -> bool:
        return c > d if c // 9 == d // 9 else c // 9 == self.indicator // 9

    def claim_fault(self, seat: int) -> str | None:
        if self.phase == "SHOW":
            return "NOT_NOW"
        if self.phase == "ASK":
            if seat != self.turn:
                return "NOT_YOUR_TURN"
        elif (self.table and len(self.table[0].slots) == 4) or any(p.seat == seat for p in self.table):
            return "TOO_LATE"
        elif seat == self.entitled:
            return "NOT_NOW"
        suits = {self.faces[s] // 9 for s in self.hands[seat] if s in self.faces}
        if self.size(seat) != 4 or (not self.gone[seat] and len(suits) > 1):
            return "NO_MOLODKA"
        return None

    def place_fault(self, seat: int, kind: int, count: int) -> str | None:
        """Rule 6 of Plays: turn, phase, number of cards."""
        if seat != self.turn:
            return "NOT_YOUR_TURN"
        if self.phase != {LEAD: "LEAD", SHOW: "SHOW"}.get(kind, "ANSWER"):
            return "NOT_NOW"
        if kind == LEAD:
            right = 1 <= count <= min(4, self.size(seat))
        elif kind == SHOW:
            right = count == 4
        else:
            right = count == len(self.table[0].slots)
        return None if right else "WRONG_COUNT"

    def face_fault(self, kind: int, slots: Sequence[int]) -> str | None:
        """Rule 10 of Plays."""
        cards = [self.faces[s] for s in slots]
        if kind == BEAT:
            top = [p for p in self.table if p.kind != DISCARD][-1]
            goal = [self.faces[s] for s in top.slots if s is not None]
            good = any(all(map(self.beats, row, goal)) for row in permutations(cards))
            return None if good else "DOES_NOT_BEAT"
        if len({c // 9 for c in cards}) > 1:
            return "EMPTY_CLAIM" if kind == SHOW else "NOT_ONE_SUIT"
        return None

    def lay(self, seat: int, kind: int, slots: tuple[int | None, ...]) -> None:
        for slot in slots:
            if slot is None:
                self.gone[seat] += 1
            else:
                self.hands[seat].remove(slot)
        self.table.append(Laid(seat, kind, slots))

    def answers(self) -> None:
        self.phase, self.turn = "ANSWER", (self.table[-1].seat + 1) % 4

    def ask(self) -> None:
        if self.asked:
            self.phase, self.turn = "ASK", self.asked[0]
        else:
            self.answers()

    def do(self, seat: int, kind: int, slots: tuple[int | None, ...]) -> tuple[bool, list[list[int]] | None]:
        """Make a play; whether the trick closed, and what was drawn."""
        if kind == CLAIM:
            if self.phase == "ASK":
                self.asked = []
            else:
                steps = (seat - self.entitled) % 4
                self.asked = [(self.entitled + i) % 4 for i in range(steps)]
            self.phase, self.turn = "SHOW", seat
        elif kind == YIELD:
            self.asked.pop(0)
            self.ask()
        elif kind == SHOW:
            for laid in self.table:
                back = [s for s in laid.slots if s is not None]
                self.hands[laid.seat] += back
                self.gone[laid.seat] -= len(laid.slots) - len(back)
            self.table = []
            self.lay(seat, LEAD, slots)
            self.ask()
        else:
            self.lay(seat, kind, slots)
            if len(self.table) == 4 and kind != LEAD:
                return True, self.close()
            self.answers()
        return False, None

    def close(self) -> list[list[int]] | None:
        taker = [p for p in self.table if p.kind != DISCARD][-1].seat
        self.tricks.append((taker, self.table))
        self.table = []
        drawn: list[list[int]] = [[], [], [], []]
        seat = taker
        while self.stock < 36 and self.size(seat) < 4:
            drawn[seat].append(self.stock)
            self.hands[seat].append(self.stock)
            self.stock += 1
            seat = (seat + 1) % 4
        self.entitled = self.turn = taker
        self.phase = "LEAD" if self.size(taker) else "OVER"
        return drawn if any(drawn) else None


def first_play(dealer: int, leader: int, indicator: int) -> Play:
    play = Play(dealer, indicator, leader, {}, turn=leader)
    play.hands = [[i for i in range(16) if (dealer + 1 + i) % 4 == s] for s in range(4)]
    return play


# A deal ------------------------------------------------------------------------------------------------------------

GOOD = ("good", "")
STOP = ("stop", "")


def form(name: str) -> tuple[str, str]:
    return "form", name


def offence(name: str) -> tuple[str, str]:
    return "offence", name


@dataclass
class Made:
    """A play in the log. ``void``: overtaken."""

    entry: int
    seat: int
    kind: int
    counter: int
    slots: tuple[int | None, ...]
    commitments: list[bytes]
    void: bool


class Deal:
    """One deal by the chapter The deal."""

    def __init__(self, match: bytes, number: int, dealer: int, leader: int) -> None:
        self.match, self.number, self.dealer, self.leader = match, number, dealer, leader
        self.stage = "COMMIT"
        self.commitments: dict[int, bytes] = {}
        self.tag, self.points = b"", []  # type: tuple[bytes, list[bytes]]
        self.steps: list[tuple[int, int, int, list[Any]]] = []  # entry, kind, seat, fields
        self.key_hashes: dict[int, list[bytes]] = {}
        self.keys: dict[tuple[int, int], int] = {}
        self.indicator_keys: dict[int, int] = {}
        self.drawn: list[list[int]] = []
        self.owing: set[int] = set()
        self.play: Play | None = None
        self.shown: dict[int, int] = {}
        self.made: list[Made] = []
        self.fresh = self.begun = 0
        self.kept: tuple[Play, int, int] | None = None
        self.overtaken: set[int] = set()
        self.offences: list[tuple[int, int, str]] = []
        self.stopped = self.spoilt = False
        self.seeds: dict[int, bytes | None] = {}
        self.excused: set[int] = set()

    @property
    def turns(self) -> list[int]:
        return [(self.dealer + i) % 4 for i in (1, 2, 3, 4)]

    def of_kind(self, kind: int) -> list[list[Any]]:
        return [fields for _, k, _, fields in self.steps if k == kind]

    def under_way(self) -> bool:
        """From the first shuffle on, or from where it was stopped."""
        return bool(self.of_kind(SHUFFLE)) or self.stopped

    def start_of(self, kind: int, index: int) -> Any:
        """What the step of this round starts from: a deck, or (copy, stock)."""
        if index:
            before = self.of_kind(kind)[index - 1]
            return (before[0], runs(before[1])) if kind == CUT else runs(before[0])
        if kind == SHUFFLE:
            return self.points
        last = runs(self.of_kind(SHUFFLE)[3][0])
        assert last is not None
        if kind == CUT:
            return last[35], last[16:]
        return last[:16] + (runs(self.of_kind(CUT)[3][1]) or [])

    def owes(self) -> set[int]:
        """Seats that owe a record."""
        if self.stage == "COMMIT":
            return set(range(4)) - self.commitments.keys()
        if self.stage == "OPEN":
            return set(range(4)) - self.seeds.keys() - self.excused
        if self.owing:
            return set(self.owing)
        if self.play is not None:
            return {self.play.turn}
        kind = {"SHUFFLE": SHUFFLE, "CUT": CUT, "LOCK": LOCK}[self.stage]
        return {self.turns[len(self.of_kind(kind))]}

    def stop(self) -> None:
        self.stopped, self.stage = True, "OPEN"

    # What a record is

    def judge(self, seat: int, seen: int, body: list[Any]) -> tuple[str, str]:
        kind, fields = body[0], body[1:]
        if kind == OPEN:
            return self.judge_open(seat, fields[0])
        stages = {COMMIT: "COMMIT", SHUFFLE: "SHUFFLE", CUT: "CUT", LOCK: "LOCK"}
        if kind == KEYS:
            if self.stage not in ("KEYS", "PLAY"):
                return form("NOT_NOW")
        elif self.stage != stages.get(kind, "PLAY"):
            return form("NOT_NOW")
        if kind == COMMIT:
            if seat in self.commitments:
                return form("ALREADY_DONE")
            return STOP if fields[0] in self.commitments.values() else GOOD
        if kind in (SHUFFLE, CUT, LOCK):
            if seat != self.turns[len(self.of_kind(kind))]:
                return form("NOT_YOUR_TURN")
            name = {SHUFFLE: "BAD_SHUFFLE", CUT: "BAD_CUT", LOCK: "BAD_LOCK"}[kind]
            return GOOD if self.deck_good(kind, fields) else offence(name)
        if kind == KEYS:
            return self.judge_keys(seat, fields)
        if kind == COMPLAIN:
            return self.judge_complaint(seat, fields)
        return self.judge_play(seat, seen, kind, fields)

    def judge_open(self, seat: int, seed: bytes) -> tuple[str, str]:
        if seat in self.seeds:
            return form("ALREADY_DONE")
        if self.stage != "OPEN":
            return offence("EARLY_OPEN")
        if seat not in self.commitments:
            return GOOD
        right = sha(p24("goat seed v1"), self.match, u64(self.number), u8(seat), seed)
        return GOOD if right == self.commitments[seat] else offence("WRONG_SEED")

    def deck_good(self, kind: int, fields: list[Any]) -> bool:
        index = len(self.of_kind(kind))
        start = self.start_of(kind, index)
        if kind == CUT:
            elements = runs(fields[1])
            if elements is None or len(elements) != 20:
                return False
            sent = [fields[0], *elements]
            before = {start[0], *start[1]}
            for shuffled in self.of_kind(SHUFFLE):
                before |= set(runs(shuffled[0]) or [])
            for earlier in self.of_kind(CUT):
                before |= {earlier[0], *(runs(earlier[1]) or [])}
        else:
            elements = runs(fields[0])
            if elements is None or len(elements) != 36:
                return False
            sent, before = elements, set(start)
        if kind == LOCK and len(fields[1]) != 36 * 32:
            return False
        if len(set(sent)) != len(sent) or set(sent) & set(self.points) or set(sent) & before:
            return False
        try:
            for x in sent:
                point(x)
        except NoElementError:
            return False
        return True

    def key(self, raw: bytes) -> int | None:
        value = int.from_bytes(raw, "big")
        return value if len(raw) == 32 and 2 <= value <= N - 2 else None

    def keys_good(self, seat: int, slots: Sequence[int], run: bytes) -> bool:
        keys = runs(run)
        if keys is None or len(keys) != len(slots):
            return False
        return all(
            self.key(k) is not None
            and sha(p24("goat key v1"), self.tag, u8(seat), u8(slot), k) == self.key_hashes[seat][slot]
            for slot, k in zip(slots, keys, strict=True)
        )

    def owed_slots(self, seat: int) -> list[int]:
        return sorted(slot for s in range(4) if s != seat for slot in self.drawn[s])

    def judge_keys(self, seat: int, fields: list[Any]) -> tuple[str, str]:
        if seat not in self.owing:
            return form("ALREADY_DONE")
        if not self.keys_good(seat, self.owed_slots(seat), fields[0]):
            return offence("FALSE_KEY")
        if self.stage != "KEYS":
            return form("WRONG_COUNT") if fields[1] else GOOD
        at = [s for _, k, s, _ in self.steps if k == CUT].index(seat)
        right = self.of_kind(CUT)[at][2]
        if self.key(fields[1]) is None:
            return offence("FALSE_INDICATOR_KEY")
        good = sha(p24("goat indicator key v1"), self.tag, u8(seat), fields[1]) == right
        return GOOD if good else offence("FALSE_INDICATOR_KEY")

    def opened(self, seat: int, slots: Sequence[int], run: bytes) -> dict[int, int | None]:
        out: dict[int, int | None] = {}
        deck = runs(self.of_kind(LOCK)[3][0])
        assert deck is not None
        for slot, raw in zip(slots, runs(run) or [], strict=True):
            product = int.from_bytes(raw, "big")
            for other in range(4):
                if other != seat:
                    product = product * self.keys[other, slot] % N
            x = times(pow(product, -1, N), deck[slot])
            out[slot] = self.points.index(x) if x in self.points else None
        return out

    def wrong_faces(self, opened: dict[int, int | None]) -> bool:
        """Rule 9 of Plays."""
        assert self.play is not None
        faces = list({**self.shown, **opened}.values())
        dealt = any(s < 16 and c == self.play.indicator for s, c in opened.items())
        return None in faces or len(set(faces)) != len(faces) or dealt

    def judge_complaint(self, seat: int, fields: list[Any]) -> tuple[str, str]:
        assert self.play is not None
        slots, run = fields
        if self.owing or len(set(slots)) != len(slots):
            return form("NOT_NOW")
        if any(s not in self.play.hands[seat] for s in slots):
            return offence("FOREIGN_SLOT")
        if not self.keys_good(seat, slots, run):
            return offence("FALSE_KEY")
        return STOP if self.wrong_faces(self.opened(seat, slots, run)) else offence("FALSE_COMPLAINT")

    def judge_play(self, seat: int, seen: int, kind: int, fields: list[Any]) -> tuple[str, str]:
        play = self.play
        assert play is not None
        if self.owing:
            return form("KEYS_MISSING")
        if kind == CLAIM:
            if seen < self.begun or fields[0] != len(play.tricks):
                return form("STALE")
            fault = play.claim_fault(seat)
            return form(fault) if fault else GOOD
        if kind in (LEAD, BEAT, DISCARD) and self.is_overtaken(seat, seen):
            assert self.kept is not None
            what, name = self.judge_cards(self.kept[0], seat, kind, fields)
            return {"good": "void", "stop": "voidstop"}.get(what, what), name
        if seen < self.fresh:
            return form("STALE")
        if kind == YIELD:
            if play.phase != "ASK":
                return form("NOT_NOW")
            return GOOD if seat == play.turn else form("NOT_YOUR_TURN")
        return self.judge_cards(play, seat, kind, fields)

    def is_overtaken(self, seat: int, seen: int) -> bool:
        if self.kept is None:
            return False
        before, entry, fresh = self.kept
        return fresh <= seen <= entry and seat == before.turn and seat not in self.overtaken

    def judge_cards(self, play: Play, seat: int, kind: int, fields: list[Any]) -> tuple[str, str]:
        if kind == DISCARD:
            parts = runs(fields[0])
            if not parts:
                return form("WRONG_COUNT")
            fault = play.place_fault(seat, kind, len(parts))
            return form(fault) if fault else GOOD
        slots, run = fields
        fault = play.place_fault(seat, kind, len(slots))
        if fault:
            return form(fault)
        if len(set(slots)) != len(slots):
            return form("REPEATED_SLOT")
        for slot in slots:
            if slot not in play.hands[seat]:
                mine = any(p.seat == seat and slot in p.slots for _, trick in play.tricks for p in trick)
                return offence("PLAYED_SLOT" if mine else "FOREIGN_SLOT")
        if not self.keys_good(seat, slots, run):
            return offence("FALSE_KEY")
        opened = self.opened(seat, slots, run)
        if self.wrong_faces(opened):
            return STOP
        trial = play.copy()
        trial.faces.update({s: c for s, c in opened.items() if c is not None})
        fault = trial.face_fault(kind, slots)
        if fault:
            return offence(fault) if fault == "EMPTY_CLAIM" else form(fault)
        return GOOD

    # What follows from it

    def apply(self, entry: int, seat: int, counter: int, body: list[Any], judged: tuple[str, str]) -> None:
        kind, fields = body[0], body[1:]
        what, name = judged
        if what == "offence":
            self.offences.append((entry, seat, name))
            if kind == OPEN and self.stage == "OPEN":
                self.seeds[seat] = None
            self.stop()
        elif kind == OPEN:
            self.seeds[seat] = fields[0] if seat in self.commitments else None
        elif kind == COMMIT:
            self.commitments[seat] = fields[0]
            if len(self.commitments) == 4:
                parts = b"".join(self.commitments[s] for s in range(4))
                self.tag = sha(p24("goat deal v1"), self.match, u64(self.number), parts)
                self.points = card_points(self.tag)
                self.stage = "SHUFFLE"
            if what == "stop":
                self.stop()
        elif kind in (SHUFFLE, CUT, LOCK):
            self.apply_deck(entry, seat, kind, fields)
        elif kind == KEYS:
            self.apply_keys(entry, seat, fields)
        elif what in ("stop", "voidstop"):
            self.spoilt = True
            self.stop()
        else:
            self.apply_play(entry, seat, counter, kind, fields, what == "void")

    def apply_deck(self, entry: int, seat: int, kind: int, fields: list[Any]) -> None:
        self.steps.append((entry, kind, seat, fields))
        if kind == LOCK:
            self.key_hashes[seat] = runs(fields[1]) or []
        if len(self.of_kind(kind)) == 4:
            self.stage = {SHUFFLE: "CUT", CUT: "LOCK", LOCK: "KEYS"}[kind]
        if self.stage == "KEYS":
            self.drawn = [[i for i in range(16) if (self.dealer + 1 + i) % 4 == s] for s in range(4)]
            self.owing = set(range(4))

    def apply_keys(self, entry: int, seat: int, fields: list[Any]) -> None:
        for slot, raw in zip(self.owed_slots(seat), runs(fields[0]) or [], strict=True):
            self.keys[seat, slot] = int.from_bytes(raw, "big")
        if self.stage == "KEYS":
            self.indicator_keys[seat] = int.from_bytes(fields[1], "big")
        self.owing.remove(seat)
        if self.owing:
            return
        self.fresh = self.begun = entry + 1
        if self.stage == "KEYS":
            self.stage = "PLAY"
            product = 1
            for key in self.indicator_keys.values():
                product = product * key % N
            x = times(pow(product, -1, N), self.of_kind(CUT)[3][0])
            if x in self.points:
                self.play = first_play(self.dealer, self.leader, self.points.index(x))
            else:
                self.spoilt = True
                self.stop()

    def apply_play(self, entry: int, seat: int, counter: int, kind: int, fields: list[Any], void: bool) -> None:
        play = self.play
        assert play is not None
        commitments: list[bytes] = []
        slots: tuple[int | None, ...] = ()
        if kind == DISCARD:
            commitments = runs(fields[0]) or []
            slots = (None,) * len(commitments)
        elif kind in (LEAD, BEAT, SHOW):
            slots = tuple(fields[0])
            faces = self.opened(seat, fields[0], fields[1])
            for slot, card in faces.items():
                assert card is not None
                self.shown[slot] = play.faces[slot] = card
        self.made.append(Made(entry, seat, kind, counter, slots, commitments, void))
        if void:
            self.overtaken.add(seat)
            return
        if kind == CLAIM and play.phase != "ASK":
            self.kept = (play.copy(), entry, self.fresh)
        closed, drawn = play.do(seat, kind, slots)
        self.fresh = entry + 1
        if closed:
            self.begun, self.kept = entry + 1, None
            self.overtaken.clear()
        if drawn is not None:
            self.drawn, self.owing = drawn, set(range(4))
        if play.phase == "OVER":
            self.stage = "OPEN"

    # The audit

    def audit(self, double: bool) -> "Result":
        offences = list(self.offences)
        full: Play | None = None
        if self.tag:
            secrets = {s: Secrets(seed, self.tag) for s, seed in self.seeds.items() if seed is not None}
            differences = list(self.deck_differences(secrets))
            offences += differences
            if not differences and self.play is not None:
                full = self.replay(secrets, offences)
            closed = self.unopened()
            if not offences and self.spoilt and len(self.of_kind(LOCK)) == 4 and len(closed) == 1:
                entry = next(e for e, k, s, _ in self.steps if k == LOCK and s == closed[0])
                offences.append((entry, closed[0], "SPOILT_DECK"))
        blame = min(offences, key=lambda o: o[0], default=None)
        if blame is not None or self.stopped or full is None or self.spoilt:
            return Result(self.number, None, blame)
        if self.unopened():
            return Result(self.number, None, None, half=full)
        return Result(self.number, self.score(full, double), None)

    def unopened(self) -> list[int]:
        return [s for s in range(4) if self.seeds.get(s) is None]

    def score_without(self, play: Play, double: bool, dearest: bool) -> Any:
        """Those who do not open: the count, if their team is behind by it."""
        team = self.unopened()[0] % 2
        seen: set[int] = set()
        points, tricks, unknown = [0, 0], [0, 0], [0, 0]
        for taker, laid in play.tricks:
            tricks[taker % 2] += 1
            for slot in (s for one in laid for s in one.slots):
                if slot is None or slot not in play.faces:
                    unknown[taker % 2] += 1
                else:
                    seen.add(play.faces[slot])
                    points[taker % 2] += POINTS[play.faces[slot] % 9]
        rest = sorted((POINTS[c % 9] for c in set(range(36)) - seen), reverse=True)
        if len(rest) != sum(unknown):
            return None
        h = unknown[1 - team]
        rest = rest if dearest else rest[::-1]
        points[1 - team] += sum(rest[:h])
        points[team] += sum(rest[h:])
        if points[team] >= points[1 - team]:
            return None
        defeat = [0, 0]
        defeat[team] = (6 if not tricks[team] else 4 if points[team] <= 30 else 2) * (2 if double else 1)
        return points, tricks, defeat, play.tricks[-1][0]

    def deck_differences(self, secrets: dict[int, Secrets]) -> Iterator[tuple[int, int, str]]:
        count = {SHUFFLE: 0, CUT: 0, LOCK: 0}
        for entry, kind, seat, fields in self.steps:
            index, count[kind] = count[kind], count[kind] + 1
            if seat not in secrets:
                continue
            one, start = secrets[seat], self.start_of(kind, index)
            try:
                if kind == SHUFFLE:
                    right = [b"".join(times(one.e, start[i]) for i in one.pi)]
                elif kind == CUT:
                    copy = times(one.q * pow(one.e, -1, N), start[0])
                    stock = b"".join(times(one.f, start[1][i]) for i in one.rho)
                    digest = sha(p24("goat indicator key v1"), self.tag, u8(seat), one.q.to_bytes(32, "big"))
                    right = [copy, stock, digest]
                else:
                    hand, rest = pow(one.e, -1, N), pow(one.e * one.f, -1, N)
                    deck = [times(one.k[s] * (hand if s < 16 else rest), x) for s, x in enumerate(start)]
                    prefix = p24("goat key v1") + self.tag + u8(seat)
                    hashes = [sha(prefix, u8(s), k.to_bytes(32, "big")) for s, k in enumerate(one.k)]
                    right = [b"".join(deck), b"".join(hashes)]
            except NoElementError:
                continue
            if right != fields:
                yield entry, seat, {SHUFFLE: "WRONG_SHUFFLE", CUT: "WRONG_CUT", LOCK: "WRONG_LOCK"}[kind]

    def cards(self, secrets: dict[int, Secrets]) -> dict[int, int]:
        if len(secrets) < 4:
            return self.partly(secrets)
        a, b, c, d = (secrets[s] for s in self.turns)
        shuffled = [a.pi[b.pi[c.pi[d.pi[t]]]] for t in range(36)]
        stock = [shuffled[16 + a.rho[b.rho[c.rho[d.rho[t]]]]] for t in range(20)]
        return dict(enumerate(shuffled[:16] + stock))

    def partly(self, secrets: dict[int, Secrets]) -> dict[int, int]:
        """Faces when a seed is missing."""
        faces = dict(self.shown)
        deck = runs(self.of_kind(LOCK)[3][0])
        assert deck is not None
        for slot in set(range(36)) - faces.keys():
            keys = [secrets[s].k[slot] if s in secrets else self.keys.get((s, slot)) for s in range(4)]
            product = 1
            for key in keys:
                product = product * (key or 0) % N
            if product:
                x = times(pow(product, -1, N), deck[slot])
                faces[slot] = self.points.index(x) if x in self.points else -1
        if -1 in faces.values() or len(set(faces.values())) < len(faces):
            self.spoilt = True
            return dict(self.shown)
        return faces

    def slots_of(self, made: Made, seed: bytes) -> list[int | None]:
        out: list[int | None] = []
        for position, commitment in enumerate(made.commitments):
            place = u64(made.counter) + u8(position)
            nonce = hmac.digest(seed, p24("goat nonce v1") + self.tag + place, "sha512")[:32]
            head = p24("goat discard v1") + self.tag + u8(made.seat) + place
            out.append(next((s for s in range(36) if sha(head, u8(s), nonce) == commitment), None))
        return out

    def replay(self, secrets: dict[int, Secrets], offences: list[tuple[int, int, str]]) -> Play | None:
        assert self.play is not None
        play = first_play(self.dealer, self.leader, self.play.indicator)
        play.faces = self.cards(secrets)
        for made in self.made:
            slots = made.slots
            seed = self.seeds.get(made.seat)
            if made.kind == DISCARD and seed is not None:
                found = self.slots_of(made, seed)
                name = ""
                if None in found:
                    name = "EMPTY_DISCARD"
                elif len(set(found)) != len(found) or any(s not in play.hands[made.seat] for s in found):
                    name = "FOREIGN_DISCARD"
                if name:
                    offences.append((made.entry, made.seat, name))
                    return None
                slots = tuple(found)
            if made.void:
                continue
            name = self.replay_fault(play, made, slots)
            if name:
                offences.append((made.entry, made.seat, name))
                return None
            play.do(made.seat, made.kind, slots)
        return play

    def replay_fault(self, play: Play, made: Made, slots: tuple[int | None, ...]) -> str:
        if made.kind == CLAIM:
            fault = play.claim_fault(made.seat)
            return "" if fault is None else "EMPTY_CLAIM" if fault == "NO_MOLODKA" else "WRONG_PLAY"
        if made.kind == YIELD:
            return "" if play.phase == "ASK" and play.turn == made.seat else "WRONG_PLAY"
        if play.place_fault(made.seat, made.kind, len(slots)):
            return "WRONG_PLAY"
        if any(s is not None and s not in play.hands[made.seat] for s in slots):
            return "PLAYED_DISCARD"
        if made.kind == DISCARD:
            return ""
        fault = play.face_fault(made.kind, [s for s in slots if s is not None])
        return "" if fault is None else "EMPTY_CLAIM" if fault == "EMPTY_CLAIM" else "WRONG_PLAY"

    def score(self, play: Play, double: bool) -> tuple[list[int], list[int], list[int], int]:
        points, tricks = [0, 0], [0, 0]
        for taker, laid in play.tricks:
            tricks[taker % 2] += 1
            points[taker % 2] += sum(POINTS[play.faces[s] % 9] for p in laid for s in p.slots if s is not None)
        defeat = [0, 0]
        for team in (0, 1):
            if points[team] < 60:
                defeat[team] = 6 if not tricks[team] else 4 if points[team] <= 30 else 2
        return points, tricks, [d * (2 if double else 1) for d in defeat], play.tricks[-1][0]


@dataclass
class Result:
    """What a deal came to. ``score``: points, tricks, defeat points, last taker. ``blame``: entry, seat, name."""

    number: int
    score: tuple[list[int], list[int], list[int], int] | None
    blame: tuple[int, int, str] | None
    half: Play | None = None
    charged: int | None = None
    verdicts: set[int] = field(default_factory=set)
    verdict: list[Any] = field(default_factory=list)

    def right_verdict(self) -> list[Any]:
        if self.score is not None:
            return [*self.score[:3], NOBODY, 0]
        blamed = (self.blame[1], self.blame[0]) if self.blame else (NOBODY, 0)
        return [[0, 0], [0, 0], [0, 0], *blamed]


# A match -----------------------------------------------------------------------------------------------------------


@dataclass
class Score:
    """A match between deals."""

    dealer: int
    leader: int
    defeat: list[int]
    eggs: int = 0
    doubled: bool = False


class Auditor:
    """The fold of one log."""

    def __init__(self) -> None:
        self.stage = "NEW"
        self.heads: list[bytes] = []
        self.bodies: list[list[Any]] = []
        self.table: list[Any] = []
        self.table_record = b""
        self.log_id = self.id = b""
        self.next = [0] * 5
        self.said: dict[tuple[int, int], list[Any]] = {}
        self.reused: set[tuple[int, int]] = set()
        self.seen = [0] * 4
        self.refusals = [0] * 4
        self.pauses = [0] * 4
        self.paused: int | None = None
        self.pause_entry = 0
        self.resume: set[int] = set()
        self.waits = [0] * 4
        self.caught: set[int] = set()
        self.caught_in: dict[int, set[int]] = {s: set() for s in range(4)}
        self.caught_before: dict[bytes, int] = {}  # by key, before this log
        self.unheard: dict[int, set[int]] = {}
        self.closed: set[int] = set()
        self.gone: set[int] = set()
        self.payer: int | None = None
        self.has_payer = self.let_go = self.proven = False
        self.nonce_commitments: dict[int, bytes] = {}
        self.nonces: dict[int, bytes] = {}
        self.score: Score | None = None
        self.before: Score | None = None
        self.deal: Deal | None = None
        self.last: Deal | None = None
        self.results: list[Result] = []
        self.outside: list[tuple[int, int, str]] = []
        self.away: dict[int, int] = {}
        self.left: set[int] = set()
        self.votes: dict[int, dict[int, int]] = {}
        self.lost: dict[int, bool] = {}

    # The table's record: fields of the body by the page
    @property
    def table_key(self) -> bytes:
        return bytes(self.table[3])

    @property
    def seats(self) -> list[list[Any]]:
        return list(self.table[10])

    @property
    def target(self) -> int:
        return int(self.table[6])

    def take(self, number: int, raw: bytes, signature: bytes) -> None:
        """One entry. BadEntryError."""
        if self.stage == "NEW":
            self.begin(number, raw, signature, self.parse(raw))
            return
        record, judged, head = self.check(number, raw, signature)
        author, body = record[2], record[6]
        owing = self.owes()
        self.heads.append(head)
        self.bodies.append(body)
        if judged == offence("REUSED_COUNTER"):
            self.reused.add((author, record[3]))
        else:
            self.said[author, record[3]] = [*record[:2], body]
            self.next[author] = record[3] + 1
            if author != HOST:
                self.seen[author] = max(record[4], self.seen[author] if self.table[0] != 1 else 0)
        owed = author != HOST and judged[0] != "offence" and body[0] not in NEVER_OWED and author in owing
        if owed:
            self.is_back(author)
        self.apply(number, record, judged)
        self.count_all()

    def check(self, number: int, raw: bytes, signature: bytes) -> tuple[list[Any], tuple[str, str], bytes]:
        """What an entry after the first is, and the head after it; nothing changes. BadEntryError."""
        record = self.parse(raw)
        head = hp("goat head v1", self.heads[-1], sha(raw))
        by_host = number == len(self.bodies) < 100_000 and signed(
            self.table_key, signature, "goat entry v1", self.id + number.to_bytes(4, "big") + head
        )
        if not by_host or record is None:
            raise BadEntryError(number, by_host)
        author = record[2]
        key = self.table_key if author == HOST else self.seats[author][0]
        if not signed(key, record[7], "goat record v1", encode(record[:7])):
            raise BadEntryError(number, True)
        judged = self.judge_host(record) if author == HOST else self.judge(record)
        if judged[0] == "form":
            raise BadEntryError(number, True)
        return record, judged, head

    @staticmethod
    def parse(raw: bytes) -> list[Any] | None:
        try:
            record = decode(raw)
        except MalformedError:
            return None
        bounds = [BYTES_32, (0, 9999), (0, 4), (0, 100_000), (0, 100_000), BYTES_32]
        if not isinstance(record, list) or len(record) != 8 or not fits(record[:6], bounds):
            return None
        body = record[6]
        if not isinstance(body, list) or not body or type(body[0]) is not int or body[0] not in BODIES:
            return None
        bodies = BODIES[body[0]]
        if body[0] == TABLE and len(body) > 1 and type(body[1]) is int and body[1] == 1:
            bodies = [*bodies[:-2], ("list", 0, 1, CARRIED_1)]  # protocol 1: no fresh bytes, and nobody caught before
        return record if fits(body[1:], bodies) and fits(record[7], ("bytes", 64, 64)) else None

    def begin(self, number: int, raw: bytes, signature: bytes, record: list[Any] | None) -> None:
        bad = BadEntryError(number, False)
        if record is None or number != 0 or record[2] != HOST or record[6][0] != TABLE:
            raise bad
        body = record[6][1:]
        fresh = body[12] if body[0] != 1 else []
        key, log_id = body[3], hp("goat table v1", body[3], body[2], *fresh)
        first = hp("goat log v1", log_id)
        head = hp("goat head v1", first, sha(raw))
        if [record[0], record[1], record[3], record[4], record[5]] != [log_id, 0, 0, 0, first]:
            raise bad
        if not signed(key, record[7], "goat record v1", encode(record[:7])):
            raise bad
        if not signed(key, signature, "goat entry v1", log_id + bytes(4) + head):
            raise bad
        keys = [s[0] for s in body[10]]
        if body[0] not in (1, 2) or len(set(keys)) != 4 or not all(good_key(k, body[0]) for k in (*keys, key)):
            raise bad
        if body[0] != 1 and len(set(map(bytes, fresh))) != 4:
            raise bad
        for seat in body[10]:
            if seat[4] and not signed(seat[4], seat[5], "goat operator v1", seat[0] + key):
                raise bad
            people = [key, *(s[0] for s in body[10] if not s[2])]
            if body[0] != 1 and (seat[4] not in people if seat[2] else seat[4] or seat[5]):
                raise bad
        for carried in body[11]:
            if carried[7] > 9000 or max(carried[2]) >= body[6]:
                raise bad
            caught = [one[0] for one in carried[8:] for one in one]
            if caught != sorted(set(caught)):
                raise bad
            self.caught_before = {one[0]: one[1] for one in carried[8]} if carried[8:] else {}
            if any(self.caught_before.get(k) == 2 for k in keys):
                raise bad
        self.table, self.table_record, self.log_id, self.id = body, raw, log_id, log_id
        self.heads, self.bodies = [first, head], [record[6]]
        self.next[HOST] = 1
        self.stage = "COMMITS"

    # What may stand

    def owes(self) -> set[int]:
        if self.stage == "COMMITS":
            return set(range(4)) - self.nonce_commitments.keys()
        if self.stage == "NONCES":
            return set(range(4)) - self.nonces.keys()
        verdicts = {s for s in range(4) if self.owes_verdict(s)}
        if self.stage == "DEALS" and self.deal is not None:
            if self.deal.stage == "COMMIT" and self.lost and self.table[0] > 1:
                return verdicts
            return (self.deal.owes() - self.lost.keys()) | verdicts
        return verdicts if self.stage == "OVER" else set()

    def owes_verdict(self, seat: int) -> bool:
        free = seat in self.lost or seat in self.caught
        return bool(self.results) and seat not in self.results[-1].verdicts and not free

    def judge_host(self, record: list[Any]) -> tuple[str, str]:
        match_id, deal, _, counter, seen, head, body, _ = record
        right = [self.id, self.deal.number if self.deal else 0, self.next[HOST], len(self.bodies), self.heads[-1]]
        if [match_id, deal, counter, seen, head] != right or self.stage == "ENDED":
            return form("COUNTER")
        if body[0] == REFUSE:
            seat, used, _, reason = body[1:]
            good = used == self.next[seat] and self.refusals[seat] < 200
            good = good and 1 <= reason <= 15 and reason not in (10, 11)
        elif body[0] == AWAY:
            still = self.paused is not None and self.stage == "DEALS"
            good = body[1] in self.owes() and body[1] not in self.away and body[2] >= self.table[9][0] and not still
        elif body[0] == CLOSE_VOTE:
            good = self.vote_open(body[1]) and self.paused is None
        elif body[0] == END_PAUSE:
            good = self.paused is not None
        else:
            good = body[0] == END and self.may_end(body[1])
        return GOOD if good else form("NOT_NOW")

    def may_end(self, reason: int) -> bool:
        if reason == 0:
            return self.stage == "OVER"
        if reason == 2 or self.table[0] == 1:
            return True
        return self.stage != "OVER" and not (self.deal is not None and self.deal.under_way())

    def judge(self, record: list[Any]) -> tuple[str, str]:
        match_id, deal, seat, counter, seen, head, body, _ = record
        live = self.stage != "ENDED"
        if match_id not in (self.id, self.log_id):
            return form("OTHER_MATCH")
        if seat in self.caught and body[0] != OPEN:
            return form("NOT_NOW")
        used = self.said.get((seat, counter))
        free = live and seat not in self.caught
        if used not in (None, [match_id, deal, body]) and (seat, counter) not in self.reused and free:
            return offence("REUSED_COUNTER")
        if match_id != self.id:
            return form("OTHER_MATCH")
        if counter != self.next[seat]:
            return form("COUNTER")
        if seen > len(self.bodies):
            return form("UNKNOWN_HEAD")
        if self.heads[seen] != head and live:
            return offence("FOREIGN_HEAD") if free else form("NOT_NOW")
        if seen < self.seen[seat]:
            return form("STALE")
        return self.judge_body(seat, deal, seen, body) if live else form("NOT_NOW")

    def judge_body(self, seat: int, deal: int, seen: int, body: list[Any]) -> tuple[str, str]:
        kind = body[0]
        if kind == VERDICT:
            return self.judge_verdict(seat, deal, body[1:])
        if deal != (self.deal.number if self.deal else 0):
            return form("OTHER_MATCH")
        if kind == NONCE_COMMIT:
            if self.stage != "COMMITS":
                return form("NOT_NOW")
            return form("ALREADY_DONE") if seat in self.nonce_commitments else GOOD
        if kind == NONCE:
            if self.stage != "NONCES":
                return form("NOT_NOW")
            if seat in self.nonces:
                return form("ALREADY_DONE")
            right = hp("goat match nonce v1", self.log_id, u8(seat), body[1]) == self.nonce_commitments[seat]
            return GOOD if right else offence("FALSE_NONCE")
        if kind == LEAVE:
            return form("ALREADY_DONE") if seat in self.left else form("NOT_NOW") if seat in self.lost else GOOD
        if kind in (PAUSE, VOTE, UNHEARD):
            person = self.stage == "DEALS" and self.is_person(seat) and self.state(seat) == "here"
            return self.judge_said(seat, body) if person else form("NOT_NOW")
        if kind not in DEAL_KINDS or self.stage != "DEALS" or self.deal is None:
            return form("NOT_NOW")
        if self.owes_verdict(seat):
            return form("NO_VERDICT")
        if kind != OPEN and self.state(seat) in ("left", "lost", "caught"):
            return form("NOT_NOW")
        if kind == COMMIT and self.lost and self.table[0] > 1:
            return form("NOT_NOW")
        if kind == YIELD and self.paused is not None and seen > self.pause_entry:
            return form("NOT_NOW")
        return self.deal.judge(seat, seen, body)

    def judge_said(self, seat: int, body: list[Any]) -> tuple[str, str]:
        kind, about = body[0], body[1]
        done = False
        if kind == PAUSE and body[1]:
            good = self.paused is None and self.pauses[seat] < 2
        elif kind == PAUSE:
            good, done = self.paused is not None, seat in self.resume
        elif kind == VOTE:
            waits = about not in self.left and self.waits[about] < 2
            good = self.vote_open(about) and seat in self.asked(about) and (body[2] != 0 or waits)
            done = seat in self.votes.get(about, {})
        else:
            good = self.vote_open(about) and about not in self.left and seat not in (about, self.table[5])
            good = good and body[2] >= self.table[9][0]
            done = seat in self.unheard.get(about, set())
        return form("NOT_NOW") if not good else form("ALREADY_DONE") if done else GOOD

    def judge_verdict(self, seat: int, deal: int, verdict: list[Any]) -> tuple[str, str]:
        if not self.results or deal != self.results[-1].number:
            return form("NOT_NOW")
        if seat in self.results[-1].verdicts:
            return form("ALREADY_DONE")
        if seat in self.lost:
            return form("NOT_NOW")
        return GOOD if verdict == self.results[-1].verdict else offence("FALSE_VERDICT")

    # Those who leave

    def is_person(self, seat: int) -> bool:
        return not self.seats[seat][2]

    def state(self, seat: int) -> str:
        states = (("lost", self.lost), ("caught", self.caught), ("left", self.left), ("away", self.away))
        return next((name for name, seats in states if seat in seats), "here")

    def place(self) -> str:
        """The row of the table of missing seats."""
        if self.stage != "DEALS" or self.deal is None:
            return ""
        if self.deal.stage == "OPEN":
            return "stopped" if self.deal.stopped else "open"
        return {"COMMIT": "commit", "KEYS": "play", "PLAY": "play"}.get(self.deal.stage, "deck")

    def missing(self, seat: int) -> bool:
        if self.place() in ("open", "stopped"):
            assert self.deal is not None
            if seat in self.deal.seeds:
                return False
        return seat in self.away or seat in self.left or seat in self.gone

    def asked(self, about: int) -> list[int]:
        payer = self.charged(about)
        if payer is None:
            return []
        return [s for s in range(4) if self.is_person(s) and self.state(s) == "here" and s % 2 == 1 - payer]

    def both(self) -> bool:
        return {0, 1} <= {self.charged(s) for s in range(4) if self.missing(s)}

    def vote_open(self, seat: int) -> bool:
        here = self.place() in ("play", "open") and seat not in self.lost and self.missing(seat)
        return here and not self.both() and bool(self.asked(seat))

    def proof(self, seat: int) -> bool:
        return seat in self.left or len(self.unheard.get(seat, ())) >= (2 if self.table[5] == 4 else 1)

    def decided(self, seat: int) -> str:
        """What the count about a seat gives, or nothing."""
        if not self.place() or seat in self.lost or (seat not in self.away and seat not in self.left):
            return ""
        if not self.vote_open(seat):
            return "at once"
        said = [self.votes.get(seat, {}).get(s) for s in self.asked(seat)]
        if 1 in said:
            return "let go"
        if 3 in said or seat in self.closed:
            return "unanswered"
        if None in said:
            return ""
        if 0 in said:
            return "waited"
        return "charged" if self.proof(seat) else ""

    def is_back(self, seat: int) -> None:
        self.away.pop(seat, None)
        if seat not in self.left:
            self.drop_vote(seat)

    def drop_vote(self, seat: int) -> None:
        self.votes.pop(seat, None)
        self.unheard.pop(seat, None)
        self.closed.discard(seat)

    def end_pause(self) -> None:
        self.paused = None
        self.resume.clear()

    def catch(self, seat: int, name: str, deal: int, now: bool) -> None:
        if now:
            self.caught.add(seat)
            if self.paused == seat:
                self.end_pause()
        if name not in ("REUSED_COUNTER", "FOREIGN_HEAD"):
            self.caught_in[seat].add(deal)

    def times_caught(self, seat: int) -> int:
        return len(self.caught_in[seat]) + self.caught_before.get(self.seats[seat][0], 0)

    def deal_over(self) -> None:
        self.caught.clear()
        self.gone.clear()
        for seat in range(4):
            self.drop_vote(seat)
        self.waits, self.pauses = [0] * 4, [0] * 4
        if self.stage == "OVER":
            self.end_pause()
        else:
            self.put_out()

    def put_out(self) -> None:
        for seat in range(4):
            if self.times_caught(seat) > 1 and seat not in self.lost:
                self.lost[seat] = False
                if self.paused == seat:
                    self.end_pause()

    # What follows

    def apply(self, number: int, record: list[Any], judged: tuple[str, str]) -> None:
        _, _, author, counter, _, _, body, _ = record
        kind = body[0]
        if judged[0] == "offence" and not (
            self.stage == "DEALS" and kind in DEAL_KINDS and judged[1] not in ("REUSED_COUNTER", "FOREIGN_HEAD")
        ):
            self.offence((number, author, judged[1]))
        elif kind == REFUSE:
            self.next[body[1]] += 1
            self.refusals[body[1]] += 1
        elif kind == AWAY:
            self.away[body[1]] = body[2]
        elif kind == CLOSE_VOTE:
            self.closed.add(body[1])
        elif kind == END_PAUSE:
            self.end_pause()
        elif kind == END:
            self.stage = "ENDED"
        elif kind == NONCE_COMMIT:
            self.nonce_commitments[author] = body[1]
            if len(self.nonce_commitments) == 4:
                self.stage = "NONCES"
        elif kind == NONCE:
            self.nonces[author] = body[1]
            if len(self.nonces) == 4:
                self.begin_match()
        elif kind == VERDICT:
            self.results[-1].verdicts.add(author)
        elif kind == PAUSE and body[1]:
            self.paused, self.pause_entry = author, number
            self.pauses[author] += 1
        elif kind == PAUSE:
            self.resume.add(author)
            teams = {s % 2 for s in range(4) if self.is_person(s) and self.state(s) == "here"}
            if author == self.paused or not teams - {s % 2 for s in self.resume}:
                self.end_pause()
        elif kind == LEAVE:
            self.left.add(author)
            if self.paused == author:
                self.end_pause()
        elif kind == VOTE:
            self.votes.setdefault(body[1], {})[author] = body[2]
        elif kind == UNHEARD:
            self.unheard.setdefault(body[1], set()).add(author)
        else:
            assert self.deal is not None
            if judged[0] == "offence":
                self.catch(author, judged[1], self.deal.number, True)
            self.deal.apply(number, author, counter, body, judged)
            self.finish_if_open()

    def begin_match(self) -> None:
        nonces = b"".join(self.nonces[s] for s in range(4))
        self.id = hp("goat match v1", sha(self.table_record), nonces)
        dealer = hp("goat dealer v1", self.id)[0] % 4
        number = 1
        self.score = Score(dealer, (dealer + 1) % 4, [0, 0])
        for _, _, defeat, eggs, turn, leader, doubled, deals, *_ in self.table[11]:
            self.score, number = Score(turn, leader, list(defeat), eggs, doubled), deals + 1
        self.stage = "DEALS"
        self.deal = Deal(self.id, number, self.score.dealer, self.score.leader)

    def offence(self, proven: tuple[int, int, str]) -> None:
        """One that is not of a play of the deal."""
        self.outside.append(proven)
        if proven[2] == "FALSE_VERDICT" or self.stage == "OVER":
            if proven[2] == "FALSE_VERDICT":
                self.results[-1].verdicts.add(proven[1])
            last = self.results[-1]
            self.catch(proven[1], proven[2], last.number, self.stage == "OVER")
            if last.blame is None:
                last.blame, last.score = proven, None
                over = self.stage == "OVER"
                self.settle_score()
                if over and self.stage == "OVER":
                    self.catch(proven[1], proven[2], last.number, True)
            if self.stage == "DEALS":
                self.put_out()
        elif self.stage == "DEALS":
            assert self.deal is not None
            self.catch(proven[1], proven[2], self.deal.number, True)
            self.deal.offences.append(proven)
            self.deal.stop()
            self.finish_if_open()
        else:
            self.stage = "ENDED"

    def finish_if_open(self) -> None:
        deal = self.deal
        if deal is None or deal.stage != "OPEN" or deal.owes() - self.lost.keys() or self.stage != "DEALS":
            return
        assert self.score is not None
        result = deal.audit(self.score.doubled)
        closed = deal.unopened()
        own = len({s % 2 for s in closed}) == 1 and all(self.charged(s) == s % 2 for s in closed)
        if result.half is not None and own and not self.let_go:
            result.score = deal.score_without(result.half, self.score.doubled, self.proven)
        if result.blame is not None:
            self.catch(result.blame[1], result.blame[2], deal.number, False)
        result.verdict = result.right_verdict()
        self.results.append(result)
        self.last, self.before = deal, self.score
        self.settle_score()

    def settle_score(self) -> None:
        """The score after the last deal, and the next deal."""
        result, before, last = self.results[-1], self.before, self.last
        assert before is not None
        assert last is not None
        assert self.deal is not None
        after = Score(before.dealer, before.leader, list(before.defeat), before.eggs, before.doubled)
        result.charged = None
        cost = 12 if before.doubled else 6
        if result.blame is not None:
            result.charged = self.charged(result.blame[1])
        elif result.score is None:
            result.charged = self.payer
        if result.charged is not None:
            after.defeat[result.charged] += cost
        if result.score is not None:
            points, _, defeat, taker = result.score
            eggs = points[0] == points[1]
            after = Score(
                (before.dealer + 1) % 4, taker, [a + b for a, b in zip(before.defeat, defeat, strict=True)],
                before.eggs + eggs, bool(self.table[7]) and eggs,
            )  # fmt: skip
        self.score = after
        if max(after.defeat) >= self.target:
            self.stage = "OVER"
            self.deal_over()
            return
        self.stage = "DEALS"
        if self.deal is last:
            self.deal_over()
            self.payer, self.has_payer, self.let_go, self.proven = None, False, False, False
            self.deal = Deal(self.id, last.number + 1, after.dealer, after.leader)
        else:
            self.deal.dealer, self.deal.leader = after.dealer, after.leader

    def charged(self, seat: int) -> int | None:
        operator = self.seats[seat][4]
        if self.table[0] != 1 and operator == self.table[3]:
            return None
        owners = [s for s in range(4) if operator and self.seats[s][0] == operator]
        return (owners[0] if owners else seat) % 2

    def count_all(self) -> None:
        while True:
            seat = next((s for s in range(4) if self.decided(s)), None)
            if seat is None:
                return
            how = self.decided(seat)
            if how == "waited":
                self.waits[seat] += 1
                self.away.pop(seat, None)
                self.drop_vote(seat)
            else:
                self.lose(seat, how)

    def lose(self, seat: int, how: str) -> None:
        deal, place = self.deal, self.place()
        assert deal is not None
        still_closed = place != "commit" and seat not in deal.seeds
        if still_closed:
            self.gone.add(seat)
            deal.excused.add(seat)
        if place == "open" and still_closed:
            self.proven |= self.proof(seat)
            self.let_go |= how == "let go"
        if how == "charged" and not self.has_payer:
            self.payer, self.has_payer = self.charged(seat), True
        self.lost[seat] = how == "charged"
        self.drop_vote(seat)
        if self.paused == seat:
            self.end_pause()
        if still_closed and place in ("deck", "play"):
            deal.stop()
        self.finish_if_open()


def entries(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Entries of a saved match. BadFileError, BadEntryError."""
    header = b"\xc5\x00\x0c" + encode([0, "goat log", 1])
    if not data.startswith(header) or len(data) == len(header):
        raise BadFileError
    at, number = len(header), 0
    while at < len(data):
        size = int.from_bytes(data[at + 1 : at + 3], "big")
        content = data[at + 3 : at + 3 + size]
        bad = BadEntryError(number, False)
        if data[at] != 0xC5 or not 1 <= size <= 16384 or len(content) < size or len(data) < at + 3:
            raise bad
        try:
            message = decode(content)
        except MalformedError:
            raise bad from None
        bounds = [(11, 11), NUMBER, ("bytes", 1, 8192), ("bytes", 64, 64)]
        if not fits(message, bounds):
            raise bad
        yield message[1], message[2], message[3]
        at += 3 + size
        number += 1


def audit(data: bytes) -> tuple[Auditor, BadEntryError | None]:
    """Fold a whole file; what was good before the first bad entry stays."""
    auditor = Auditor()
    try:
        for number, raw, signature in entries(data):
            auditor.take(number, raw, signature)
    except BadEntryError as error:
        return auditor, error
    return auditor, None


FORM_ERRORS = (
    "", "NOT_YOUR_TURN", "NOT_NOW", "WRONG_COUNT", "NOT_ONE_SUIT", "DOES_NOT_BEAT", "NO_MOLODKA", "TOO_LATE",
    "KEYS_MISSING", "STALE", "COUNTER", "UNKNOWN_HEAD", "OTHER_MATCH", "ALREADY_DONE", "REPEATED_SLOT", "NO_VERDICT",
)  # fmt: skip


def refused_falsely(data: bytes) -> tuple[int, int, tuple[str, str]] | None:
    """The proof of a false refusal: entry, author of the record, what it was in truth. None: it shows nothing."""
    header = b"\xc5\x00\x0e" + encode([0, "goat proof", 1])
    size = int.from_bytes(data[len(header) + 1 : len(header) + 3], "big")
    first, rest = data[len(header) + 3 : len(header) + 3 + size], data[len(header) + 3 + size :]
    if not data.startswith(header) or data[len(header) : len(header) + 1] != b"\xc5" or len(first) < size or not rest:
        return None
    auditor = Auditor()
    try:
        shown = decode(first)
        if not fits(shown, [(3, 3), ("bytes", 1, 8192)]):
            return None
        *before, (number, raw, signature) = entries(b"\xc5\x00\x0c" + encode([0, "goat log", 1]) + rest)
        for one in before:
            auditor.take(*one)
        if auditor.stage == "NEW":
            return None
        refusal, _, _ = auditor.check(number, raw, signature)
    except (MalformedError, BadFileError, BadEntryError):
        return None
    seat, _, digest, reason = refusal[6][1:] if refusal[6][0] == REFUSE else (0, 0, b"", 0)
    record = Auditor.parse(shown[1])
    if digest != sha(shown[1]) or record is None or record[2] == HOST:
        return None
    if not signed(auditor.seats[record[2]][0], record[7], "goat record v1", encode(record[:7])):
        return None
    judged = auditor.judge(record)
    right = record[2] == seat and judged == form(FORM_ERRORS[reason])
    return None if right else (number, record[2], judged)


# Carried scores --------------------------------------------------------------------------------------------------


def carried_by(auditor: Auditor) -> list[Any] | None:
    """What a match that goes on from here would carry: match id, head, defeat points, eggs, dealer, leader, doubled,
    the number of the last deal that was begun."""
    score, deal = auditor.score, auditor.deal
    if score is None or deal is None or max(score.defeat) >= auditor.target:
        return None
    begun = deal.number if len(deal.commitments) == 4 else deal.number - 1
    where = [auditor.id, auditor.heads[-1]]
    caught = dict(auditor.caught_before)
    for seat in range(4):
        if auditor.table[0] > 1 and auditor.charged(seat) is not None and auditor.times_caught(seat):
            caught[auditor.seats[seat][0]] = min(2, auditor.times_caught(seat))
    rows = [[key, caught[key]] for key in sorted(caught)]
    if len(rows) > 64:
        return None
    return [*where, list(score.defeat), score.eggs, score.dealer, score.leader, score.doubled, begun, rows]


def succession(log: Sequence[tuple[int, bytes, bytes]], body: list[Any]) -> tuple[str, set[str]] | None:
    """Whether a table's body carries the score of this log rightly: the host's fault or "", and the changes. None: it
    carries none of it, or the log is not good."""
    whole = Auditor()
    try:
        for entry in log:
            whole.take(*entry)
    except BadEntryError:
        return None
    if whole.stage in ("NEW", "COMMITS", "NONCES") or whole.score is None or not body[11]:
        return None
    carried = body[11][0]
    if carried[0] != whole.id:
        return None
    changes = altered(whole.table, body)
    same, ended = body[3] == whole.table[3] and whole.table[0] > 1, whole.stage == "ENDED"
    if carried[1] not in whole.heads:
        return ("made up" if same and ended else ""), changes | (set() if same and ended else {"head"})
    count = whole.heads.index(carried[1])
    there = Auditor()
    for entry in log[:count]:
        there.take(*entry)
    under_way = there.deal is not None and there.deal.under_way() and carried_by(there) is not None
    if len(there.results) < len(whole.results):
        changes.add("deals")
    if under_way:
        changes.add("dealt")
    if carried_by(there) != (carried if body[0] > 1 else [*carried, []]):
        return "score", changes
    if same and count < len(log):
        return "left out", changes
    if same and under_way:
        return "dealt", changes
    return ("open" if same and not ended else ""), changes


def altered(old: list[Any], new: list[Any]) -> set[str]:
    """What the later table's body changes of the earlier one's."""
    out = set()
    alone = all(s[2] for s in old[10]) or all(s[2] for s in new[10])
    for name, one, other in (
        ("target", old[6], new[6]),
        ("eggs", old[7], new[7]),
        ("yield", 0 if alone else old[8], 0 if alone else new[8]),
        ("grace", old[9][0], new[9][0]),
        ("clock", old[9][1:3], new[9][1:3]),
        ("hints", old[9][4], new[9][4]),
        ("seed", bool(old[9][5]), bool(new[9][5])),
    ):
        if one != other:
            out.add(name)
    teams = {s[0]: seat % 2 for seat, s in enumerate(old[10]) if not s[2]}
    if any(teams.get(s[0], seat % 2) != seat % 2 for seat, s in enumerate(new[10])):
        out.add("team")
    return out


def carried_falsely(data: bytes) -> str:
    """The proof of a false score: the host's fault. Empty: it shows nothing."""
    header = b"\xc5\x00\x0e" + encode([0, "goat proof", 1])
    size = int.from_bytes(data[len(header) + 1 : len(header) + 3], "big")
    first, rest = data[len(header) + 3 : len(header) + 3 + size], data[len(header) + 3 + size :]
    if not data.startswith(header) or data[len(header) : len(header) + 1] != b"\xc5" or len(first) < size or not rest:
        return ""
    after = Auditor()
    try:
        shown = decode(first)
        if not fits(shown, [(4, 4), ("bytes", 1, 8192), ("bytes", 64, 64)]):
            return ""
        after.take(0, shown[1], shown[2])
        log = list(entries(b"\xc5\x00\x0c" + encode([0, "goat log", 1]) + rest))
    except (MalformedError, BadFileError, BadEntryError):
        return ""
    found = succession(log, after.table)
    return found[0] if found else ""
