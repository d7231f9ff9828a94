"""The chapter "The deck" as a second implementation: written from the document and the curve equations alone.

It takes the constants and purpose strings from the document, computes every worked example in it with slow affine
arithmetic on both coordinates, and is then the measure for goat_net.deck at random inputs.
"""

import hashlib
import hmac
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goat_net import deck
from goat_net.deck.curve import lift, multiply

PAGE = (Path(__file__).parents[2] / "goat_net" / "PROTOCOL.md").read_text(encoding="utf-8")
TEXT = PAGE.split("\n# The deck\n", 1)[1].split("\n# ", 1)[0]
BLOCK = re.compile(r"^```vectors\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINE = re.compile(r"^([a-z][a-z0-9. -]*) = ([0-9a-f]*)$")


def read_vectors(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            match = LINE.match(line)
            assert match, f"not a vector line: {line!r}"
            assert match[1] not in found, f"twice in the document: {match[1]}"
            found[match[1]] = match[2]
    return found


def read_purposes(text: str) -> dict[str, bytes]:
    return {
        name: string.encode().ljust(24, b"\0")
        for name, string in re.findall(r"^\| `([A-Z]+)` \| `([^`]*)` \|", text, re.M)
    }


VECTORS = read_vectors(TEXT)
PURPOSE = read_purposes(TEXT)
P = int(VECTORS["p"], 16)
B = int(VECTORS["b"], 16)
N = int(VECTORS["n"], 16)


# The curve y^2 = x^3 - 3x + b over the integers mod p, points as (x, y), None at infinity.

Point = tuple[int, int] | None


def y_of(x: int) -> int | None:
    if x >= P:
        return None
    square = (x * x * x - 3 * x + B) % P
    y = pow(square, (P + 1) // 4, P)
    return y if y * y % P == square else None


def add(one: Point, other: Point) -> Point:
    if one is None:
        return other
    if other is None:
        return one
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, P) if one == other else (y2 - y1) * pow(x2 - x1, -1, P)
    x3 = (slope * slope - x1 - x2) % P
    return x3, (slope * (x1 - x3) - y1) % P


def times(scalar: int, x: bytes) -> bytes:
    number = int.from_bytes(x, "big")
    y = y_of(number)
    assert y is not None
    point: Point = (number, y)
    total: Point = None
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    assert total is not None
    return total[0].to_bytes(32, "big")


# The hashes and secrets, from the document.


def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def u8(value: int) -> bytes:
    return value.to_bytes(1, "big")


def u64(value: int) -> bytes:
    return value.to_bytes(8, "big")


def u256(value: int) -> bytes:
    return value.to_bytes(32, "big")


def ref_points(tag: bytes) -> tuple[list[bytes], list[int]]:
    points, attempts = [], []
    for card in range(36):
        attempt = 0
        while y_of(int.from_bytes(x := sha(PURPOSE["CARD"], tag, u8(card), u8(attempt)), "big")) is None:
            attempt += 1
        points.append(x)
        attempts.append(attempt)
    return points, attempts


class RefSecrets:
    def __init__(self, seed: bytes, tag: bytes) -> None:
        self.seed, self.tag = seed, tag
        self.bad: set[int] = set()
        self.e = self.scalar(b"e", 0)
        self.q = self.scalar(b"q", 0)
        undo = pow(self.e, -1, N)
        kept, self.bad = self.bad, self.bad | {undo, N - undo}
        self.f = self.scalar(b"f", 0)
        both = self.e * self.f % N
        self.bad = kept | {self.f, N - self.f, both, N - both}
        self.k = [self.scalar(b"k", slot) for slot in range(36)]
        self.pi = self.permutation(b"p", 36)
        self.rho = self.permutation(b"r", 20)

    def message(self, label: bytes, index: int, attempt: int) -> bytes:
        return PURPOSE["SECRET"] + self.tag + label + u8(index) + u8(attempt)

    def block(self, label: bytes, index: int, attempt: int) -> bytes:
        return hmac.new(self.seed, self.message(label, index, attempt), hashlib.sha512).digest()

    def scalar(self, label: bytes, index: int) -> int:
        attempt = 0
        while (value := int.from_bytes(self.block(label, index, attempt), "big") % (N - 3) + 2) in self.bad:
            attempt += 1
        self.bad |= {value, N - value}
        return value

    def permutation(self, label: bytes, size: int) -> list[int]:
        stream = b"".join(self.block(label, 0, number) for number in range(4))
        row, place = list(range(size)), 0
        for i in range(size - 1, 0, -1):
            while stream[place] >= 256 // (i + 1) * (i + 1):
                place += 1
            j = stream[place] % (i + 1)
            place += 1
            row[i], row[j] = row[j], row[i]
        return row


def ref_shuffle(s: RefSecrets, before: list[bytes]) -> list[bytes]:
    return [times(s.e, before[s.pi[t]]) for t in range(36)]


def ref_cut(s: RefSecrets, indicator: bytes, stock: list[bytes]) -> tuple[bytes, list[bytes]]:
    off = times(pow(s.e, -1, N), indicator)
    return times(s.q, off), [times(s.f, stock[s.rho[t]]) for t in range(20)]


def ref_lock(s: RefSecrets, before: list[bytes]) -> list[bytes]:
    after = []
    for slot, x in enumerate(before):
        off = s.e if slot < 16 else s.e * s.f % N
        after.append(times(s.k[slot] * pow(off, -1, N) % N, x))
    return after


def ref_key_hash(tag: bytes, seat: int, slot: int, key: int) -> bytes:
    return sha(PURPOSE["KEY"], tag, u8(seat), u8(slot), u256(key))


def hex_of(elements: list[bytes]) -> str:
    return sha(*elements).hex()


MATCH = bytes(range(32))
DEAL = 3
DEALER = 1
SEEDS = [bytes(range(32 * (seat + 1), 32 * (seat + 2))) for seat in range(4)]
TURNS = [2, 3, 0, 1]


@pytest.fixture(scope="module")
def example() -> "Example":
    return Example()


class Example:
    """One whole deal of the deck by the reference, and every worked example of the document by its name."""

    def __init__(self) -> None:
        self.vectors: dict[str, str] = {"p": u256(P).hex(), "b": u256(B).hex(), "n": u256(N).hex()}
        self.commitments = [sha(PURPOSE["SEED"], MATCH, u64(DEAL), u8(seat), SEEDS[seat]) for seat in range(4)]
        self.tag = sha(PURPOSE["DEAL"], MATCH, u64(DEAL), *self.commitments)
        self.points, self.attempts = ref_points(self.tag)
        self.secrets = [RefSecrets(SEEDS[seat], self.tag) for seat in range(4)]
        self.hashes()
        self.edges()
        self.rounds()
        self.opening()

    def put(self, name: str, value: bytes) -> None:
        assert name not in self.vectors
        self.vectors[name] = value.hex()

    def hashes(self) -> None:
        self.put("match", MATCH)
        for seat in range(4):
            self.put(f"seed.{seat}", SEEDS[seat])
        self.put("commitment.0 input", PURPOSE["SEED"] + MATCH + u64(DEAL) + u8(0) + SEEDS[0])
        for seat in range(4):
            self.put(f"commitment.{seat}", self.commitments[seat])
        self.put("tag input", PURPOSE["DEAL"] + MATCH + u64(DEAL) + b"".join(self.commitments))
        self.put("tag", self.tag)
        self.put("card.0 input", PURPOSE["CARD"] + self.tag + u8(0) + u8(self.attempts[0]))
        for card, x in enumerate(self.points):
            self.put(f"card.{card}", x)
        self.put("card attempts", bytes(self.attempts))
        first = self.secrets[2]
        self.put("seat.2 e input", first.message(b"e", 0, 0))
        self.put("seat.2 e block", first.block(b"e", 0, 0))
        self.put("seat.2 k.35 input", first.message(b"k", 35, 0))
        self.put("seat.2 pi input", first.message(b"p", 0, 0))
        self.put("seat.2 pi block", first.block(b"p", 0, 0))
        for seat, secret in enumerate(self.secrets):
            for name in "eqf":
                self.put(f"seat.{seat} {name}", u256(getattr(secret, name)))
            self.put(f"seat.{seat} k.0", u256(secret.k[0]))
            self.put(f"seat.{seat} k.35", u256(secret.k[35]))
            self.put(f"seat.{seat} k digest", sha(*map(u256, secret.k)))
            self.put(f"seat.{seat} pi", bytes(secret.pi))
            self.put(f"seat.{seat} rho", bytes(secret.rho))
        message = PURPOSE["NONCE"] + self.tag + u64(41) + u8(1)
        nonce = hmac.new(SEEDS[2], message, hashlib.sha512).digest()[:32]
        discard = PURPOSE["DISCARD"] + self.tag + u8(2) + u64(41) + u8(1) + u8(17) + nonce
        self.put("nonce input", message)
        self.put("nonce", nonce)
        self.put("discard input", discard)
        self.put("discard", sha(discard))

    def edges(self) -> None:
        self.put("element zero", bytes(32))
        self.put("element zero times two", times(2, bytes(32)))
        refused = next(x for x in range(1, 100) if y_of(x) is None)
        self.put("no element", u256(refused))
        self.put("no element either", u256(P))
        self.put("smallest key", u256(2))
        self.put("largest key", u256(N - 2))

    def rounds(self) -> None:
        row = self.points
        self.shuffles, self.cuts, self.locks = [], [], []
        for seat in TURNS:
            row = ref_shuffle(self.secrets[seat], row)
            self.shuffles.append(row)
            self.put(f"shuffle.{seat} element 0", row[0])
            self.put(f"shuffle.{seat} element 35", row[35])
            self.put(f"shuffle.{seat} digest", sha(*row))
        indicator, stock = row[35], row[16:]
        for seat in TURNS:
            indicator, stock = ref_cut(self.secrets[seat], indicator, stock)
            digest = sha(PURPOSE["INDICATOR"], self.tag, u8(seat), u256(self.secrets[seat].q))
            self.cuts.append((indicator, stock, digest))
            self.put(f"cut.{seat} indicator", indicator)
            self.put(f"cut.{seat} stock 0", stock[0])
            self.put(f"cut.{seat} stock 19", stock[19])
            self.put(f"cut.{seat} stock digest", sha(*stock))
            self.put(f"cut.{seat} key hash", digest)
        row = row[:16] + stock
        for seat in TURNS:
            row = ref_lock(self.secrets[seat], row)
            hashes = [ref_key_hash(self.tag, seat, slot, key) for slot, key in enumerate(self.secrets[seat].k)]
            self.locks.append((row, hashes))
            self.put(f"lock.{seat} element 0", row[0])
            self.put(f"lock.{seat} element 35", row[35])
            self.put(f"lock.{seat} digest", sha(*row))
            self.put(f"lock.{seat} key hash 0", hashes[0])
            self.put(f"lock.{seat} key hashes digest", sha(*hashes))
        self.put("key hash input", PURPOSE["KEY"] + self.tag + u8(2) + u8(0) + u256(self.secrets[2].k[0]))

    def opening(self) -> None:
        row = self.locks[-1][0]
        self.cards = []
        for slot in range(36):
            product = 1
            for secret in self.secrets:
                product = product * secret.k[slot] % N
            x = times(pow(product, -1, N), row[slot])
            self.cards.append(self.points.index(x))
            if slot == 0:
                self.put("open slot 0 product", u256(product))
                self.put("open slot 0 inverse", u256(pow(product, -1, N)))
                self.put("open slot 0 element", x)
        product = 1
        for secret in self.secrets:
            product = product * secret.q % N
        x = times(pow(product, -1, N), self.cuts[-1][0])
        self.indicator = self.points.index(x)
        self.put("open indicator element", x)
        self.put("cards", bytes(self.cards))
        self.put("indicator card", bytes([self.indicator]))


def test_every_example_of_the_document_follows_from_its_words(example: Example) -> None:
    assert example.vectors == VECTORS


def test_no_long_hex_in_the_document_is_outside_the_tested_blocks() -> None:
    assert re.findall(r"\b[0-9a-f]{8,}\b", BLOCK.sub("", TEXT)) == []


def test_one_changed_digit_of_the_document_is_seen(example: Example) -> None:
    rng = random.Random(36)
    for name, value in VECTORS.items():
        place = rng.randrange(len(value))
        wrong = rng.choice([digit for digit in "0123456789abcdef" if digit != value[place]])
        line = f"{name} = {value}\n"
        assert TEXT.count(line) == 1
        changed = TEXT.replace(line, f"{name} = {value[:place]}{wrong}{value[place + 1 :]}\n")
        assert read_vectors(changed) != example.vectors


def test_the_document_names_every_purpose_once() -> None:
    assert set(PURPOSE) == {"SEED", "DEAL", "CARD", "SECRET", "KEY", "INDICATOR", "NONCE", "DISCARD"}
    assert len(set(PURPOSE.values())) == 8
    assert all(len(purpose) == 24 for purpose in PURPOSE.values())


def test_the_code_gives_the_examples_of_the_document(example: Example) -> None:
    commitments = [deck.seed_commitment(MATCH, DEAL, seat, SEEDS[seat]) for seat in range(4)]
    assert commitments == example.commitments
    tag = deck.deal_tag(MATCH, DEAL, commitments)
    assert tag == example.tag
    assert deck.card_points(tag) == tuple(example.points)
    secrets = [deck.derive(seed, tag) for seed in SEEDS]
    for mine, theirs in zip(secrets, example.secrets, strict=True):
        assert (mine.e, mine.q, mine.f) == (theirs.e, theirs.q, theirs.f)
        assert (mine.k, mine.pi, mine.rho) == (tuple(theirs.k), tuple(theirs.pi), tuple(theirs.rho))
    nonce = deck.discard_nonce(SEEDS[2], tag, 41, 1)
    assert nonce.hex() == VECTORS["nonce"]
    assert deck.discard_commitment(tag, 2, 41, 1, 17, nonce).hex() == VECTORS["discard"]

    assert list(deck.turn_order(DEALER)) == TURNS
    row = deck.card_points(tag)
    for seat, theirs in zip(TURNS, example.shuffles, strict=True):
        row = deck.shuffle(secrets[seat], row)
        assert row == tuple(theirs)
    indicator, stock = deck.before_cut(row)
    for seat, (their_indicator, their_stock, their_hash) in zip(TURNS, example.cuts, strict=True):
        indicator, stock = deck.cut(secrets[seat], indicator, stock)
        assert (indicator, stock) == (their_indicator, tuple(their_stock))
        assert deck.indicator_key_hash(tag, seat, deck.format_key(secrets[seat].q)) == their_hash
    row = deck.before_lock(row, stock)
    for seat, (their_row, their_hashes) in zip(TURNS, example.locks, strict=True):
        row = deck.lock(secrets[seat], row)
        assert row == tuple(their_row)
        assert [
            deck.key_hash(tag, seat, slot, deck.format_key(k)) for slot, k in enumerate(secrets[seat].k)
        ] == their_hashes
    opened = [deck.card_of(tag, deck.open_element(row[slot], [s.k[slot] for s in secrets])) for slot in range(36)]
    assert opened == example.cards
    assert deck.card_of(tag, deck.open_element(indicator, [s.q for s in secrets])) == example.indicator
    assert deck.compose_cards([secrets[seat] for seat in TURNS]) == (tuple(example.cards), example.indicator)


def test_the_edges_of_the_document() -> None:
    zero = bytes.fromhex(VECTORS["element zero"])
    assert deck.open_element(zero, [pow(2, -1, N)]).hex() == VECTORS["element zero times two"]
    for name in ("no element", "no element either"):
        with pytest.raises(deck.DeckFault):
            lift(bytes.fromhex(VECTORS[name]))
    assert deck.parse_key(bytes.fromhex(VECTORS["smallest key"])) == 2
    assert deck.parse_key(bytes.fromhex(VECTORS["largest key"])) == N - 2


# Each function at random inputs. A slow multiplication takes 6 ms, so the examples are few where many are needed.

SCALARS = st.integers(2, N - 2)
SEED = st.binary(min_size=32, max_size=32)
NUMBERS = st.integers(0, P - 1)


@settings(max_examples=40, deadline=None)
@given(NUMBERS | st.integers(P - 3, 2**256 - 1) | st.integers(0, 200))
def test_lift_takes_what_is_on_the_curve_and_nothing_else(number: int) -> None:
    x = u256(number)
    if y_of(number) is None:
        with pytest.raises(deck.DeckFault) as caught:
            lift(x)
        assert caught.value.reason is deck.DeckReason.NOT_ON_CURVE
    else:
        lift(x)
        assert multiply(1, x) == x


@settings(max_examples=40, deadline=None)
@given(NUMBERS, st.lists(SCALARS, min_size=1, max_size=4))
def test_open_element_is_the_multiple_by_the_inverse_of_the_product(number: int, keys: list[int]) -> None:
    while y_of(number) is None:
        number = (number + 1) % P
    product = 1
    for key in keys:
        product = product * key % N
    opened = deck.open_element(u256(number), keys)
    assert opened == times(pow(product, -1, N), u256(number))
    assert times(product, opened) == u256(number)


@settings(max_examples=3, deadline=None)
@given(SEED, SEED)
def test_the_three_rounds_at_random(seed: bytes, tag: bytes) -> None:
    points, _ = ref_points(tag)
    assert deck.card_points(tag) == tuple(points)
    mine, theirs = deck.derive(seed, tag), RefSecrets(seed, tag)
    assert deck.shuffle(mine, points) == tuple(ref_shuffle(theirs, points))
    indicator, stock = deck.cut(mine, points[35], points[16:])
    assert (indicator, list(stock)) == ref_cut(theirs, points[35], points[16:])
    assert deck.lock(mine, points) == tuple(ref_lock(theirs, points))


@settings(max_examples=40, deadline=None)
@given(SEED, SEED, st.integers(0, 3), st.integers(0, 2**64 - 1), st.integers(0, 3), st.integers(0, 35), SCALARS)
def test_hashes_and_secrets_at_random(
    seed: bytes, tag: bytes, seat: int, count: int, place: int, slot: int, key: int
) -> None:
    mine, theirs = deck.derive(seed, tag), RefSecrets(seed, tag)
    assert [mine.e, mine.q, mine.f, *mine.k] == [theirs.e, theirs.q, theirs.f, *theirs.k]
    assert [*mine.pi, *mine.rho] == [*theirs.pi, *theirs.rho]
    assert deck.seed_commitment(tag, count, seat, seed) == sha(PURPOSE["SEED"], tag, u64(count), u8(seat), seed)
    four = [sha(u8(one), seed) for one in range(4)]
    assert deck.deal_tag(tag, count, four) == sha(PURPOSE["DEAL"], tag, u64(count), *four)
    assert deck.key_hash(tag, seat, slot, u256(key)) == ref_key_hash(tag, seat, slot, key)
    assert deck.indicator_key_hash(tag, seat, u256(key)) == sha(PURPOSE["INDICATOR"], tag, u8(seat), u256(key))
    nonce = hmac.new(seed, PURPOSE["NONCE"] + tag + u64(count) + u8(place), hashlib.sha512).digest()[:32]
    assert deck.discard_nonce(seed, tag, count, place) == nonce
    assert deck.discard_commitment(tag, seat, count, place, slot, nonce) == sha(
        PURPOSE["DISCARD"], tag, u8(seat), u64(count), u8(place), u8(slot), nonce
    )
