"""The deck of four parties: whole rounds, the checks at once, the audit, and no verdict against an honest seat."""

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goat_net import deck
from goat_net.deck import (
    ORDER,
    CutStep,
    DeckFault,
    DeckReason,
    DeckTranscript,
    LockStep,
    Mismatch,
    Part,
    Round,
    SeatSecrets,
    curve,
    seeds,
)
from goat_net.primitives import native


class Party:
    """Four seats who shuffle, cut and lock one deck. `step` may be replaced for one turn to play a cheat."""

    def __init__(self, rng: random.Random, dealer: int | None = None) -> None:
        self.rng = rng
        self.match = rng.randbytes(32)
        self.deal = rng.randrange(1, 50)
        self.dealer = rng.randrange(4) if dealer is None else dealer
        self.seats = deck.turn_order(self.dealer)
        self.seeds = [rng.randbytes(32) for _ in range(4)]
        commitments = [deck.seed_commitment(self.match, self.deal, seat, self.seeds[seat]) for seat in range(4)]
        self.tag = deck.deal_tag(self.match, self.deal, commitments)
        self.secrets = [deck.derive(seed, self.tag) for seed in self.seeds]
        self.points = deck.card_points(self.tag)
        self.shuffles: list[deck.Deck] = []
        self.cuts: list[CutStep] = []
        self.locks: list[LockStep] = []

    def before(self, name: Round, turn: int) -> tuple[bytes, deck.Deck]:
        """(indicator copy or nothing, row) that a step starts from."""
        if name is Round.SHUFFLE:
            return b"", self.shuffles[turn - 1] if turn else self.points
        if name is Round.CUT:
            return (self.cuts[-1].indicator, self.cuts[-1].stock) if turn else deck.before_cut(self.shuffles[-1])
        return b"", self.locks[-1].deck if turn else deck.before_lock(self.shuffles[-1], self.cuts[-1].stock)

    def honest(self, name: Round, turn: int, s: SeatSecrets) -> deck.Deck | CutStep | LockStep:
        seat = self.seats[turn]
        indicator, row = self.before(name, turn)
        if name is Round.SHUFFLE:
            return deck.shuffle(s, row)
        if name is Round.CUT:
            digest = deck.indicator_key_hash(self.tag, seat, deck.format_key(s.q))
            return CutStep(*deck.cut(s, indicator, row), digest)
        return LockStep(deck.lock(s, row), self.key_hashes(seat, s))

    def key_hashes(self, seat: int, s: SeatSecrets) -> tuple[bytes, ...]:
        return tuple(deck.key_hash(self.tag, seat, slot, deck.format_key(key)) for slot, key in enumerate(s.k))

    def check(self, name: Round, turn: int, step: deck.Deck | CutStep | LockStep) -> None:
        indicator, row = self.before(name, turn)
        if isinstance(step, CutStep):
            seen = [x for one in self.shuffles for x in one]
            seen += [x for one in self.cuts for x in (one.indicator, *one.stock)]
            deck.check_cut(step.indicator, step.stock, indicator, row, seen, self.tag)
        elif isinstance(step, LockStep):
            deck.check_lock(step.deck, row, self.tag)
        else:
            deck.check_shuffle(step, row, self.tag)

    def enter(self, step: deck.Deck | CutStep | LockStep) -> None:
        if isinstance(step, CutStep):
            self.cuts.append(step)
        elif isinstance(step, LockStep):
            self.locks.append(step)
        else:
            self.shuffles.append(step)

    def run(
        self, cheats: dict[tuple[Round, int], "Forge"] | None = None, check: bool = True
    ) -> tuple[Round, int] | None:
        """All rounds; with `check`, stops at the first step that the checks refuse and says which."""
        for name in Round:
            for turn in range(4):
                forge = (cheats or {}).get((name, turn))
                secrets = self.secrets[self.seats[turn]]
                step = forge(self, turn, secrets) if forge else self.honest(name, turn, secrets)
                if check:
                    try:
                        self.check(name, turn, step)
                    except DeckFault:
                        self.enter(step)
                        return name, turn
                self.enter(step)
        return None

    def transcript(self) -> DeckTranscript:
        return DeckTranscript(self.dealer, tuple(self.shuffles), tuple(self.cuts), tuple(self.locks))

    def audit(self) -> deck.DeckAudit:
        return deck.audit_deck(self.tag, self.seeds, self.transcript())

    def opened(self) -> list[int | None]:
        row = self.locks[-1].deck
        return [
            deck.card_of(self.tag, deck.open_element(row[slot], [s.k[slot] for s in self.secrets]))
            for slot in range(36)
        ]

    def opened_indicator(self) -> int | None:
        return deck.card_of(self.tag, deck.open_element(self.cuts[-1].indicator, [s.q for s in self.secrets]))


Forge = Callable[[Party, int, SeatSecrets], deck.Deck | CutStep | LockStep]


def replaced(row: Sequence[bytes], index: int, x: bytes) -> deck.Deck:
    return (*row[:index], x, *row[index + 1 :])


# A whole deck.


@pytest.mark.parametrize("dealer", range(4))
def test_a_deck_of_four_opens_to_all_cards_and_the_indicator_lies_in_the_stock(dealer: int) -> None:
    party = Party(random.Random(dealer), dealer)
    assert party.run() is None
    cards = party.opened()
    indicator = party.opened_indicator()
    assert sorted(card for card in cards if card is not None) == list(range(36))
    assert indicator in cards[16:]
    audit = party.audit()
    assert audit.mismatches == audit.unchecked == ()
    assert (list(audit.cards or ()), audit.indicator) == (cards, indicator)


def test_a_slot_needs_all_four_keys_and_each_its_own() -> None:
    party = Party(random.Random(5))
    party.run()
    x = party.locks[-1].deck[7]
    keys = [s.k[7] for s in party.secrets]
    assert deck.card_of(party.tag, deck.open_element(x, keys)) is not None
    assert deck.card_of(party.tag, deck.open_element(x, keys[:3])) is None
    assert deck.card_of(party.tag, deck.open_element(x, [*keys[:3], party.secrets[3].k[8]])) is None
    assert deck.open_element(deck.open_element(x, keys[:2]), keys[2:]) == deck.open_element(x, keys[::-1])


def test_where_the_indicator_lies_is_spread_over_the_stock() -> None:
    rng = random.Random(20)
    places: Counter[int] = Counter()
    firsts: Counter[int] = Counter()
    for _ in range(2000):
        tag = rng.randbytes(32)
        cards, indicator = deck.compose_cards([fake_secrets(tag, rng.randbytes(32)) for _ in range(4)])
        places[cards.index(indicator)] += 1
        firsts[cards[0]] += 1
    assert sorted(places) == list(range(16, 36))
    assert sorted(firsts) == list(range(36))
    # 19 and 35 degrees of freedom; the bounds are exceeded by chance once in 10**6
    assert sum((count - 100) ** 2 / 100 for count in places.values()) < 66
    assert sum((count - 2000 / 36) ** 2 / (2000 / 36) for count in firsts.values()) < 93


def fake_secrets(tag: bytes, seed: bytes) -> SeatSecrets:
    """Only the permutations, without 39 scalars that nobody needs."""
    pi = seeds.draw_permutation(seeds._stream(seed, tag, b"p", 0), 36)
    rho = seeds.draw_permutation(seeds._stream(seed, tag, b"r", 0), 20)
    return SeatSecrets(2, 3, 4, (), pi, rho)


# Secrets.


@settings(max_examples=30, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_derived_secrets_are_in_their_bounds(seed: bytes, tag: bytes) -> None:
    s = deck.derive(seed, tag)
    scalars = [s.e, s.q, s.f, *s.k]
    assert all(2 <= one <= ORDER - 2 for one in scalars)
    both_signs = {sign * one % ORDER for one in [*scalars, s.e * s.f] for sign in (1, -1)}
    assert len(both_signs) == 2 * 40
    assert sorted(s.pi) == list(range(36))
    assert sorted(s.rho) == list(range(20))
    assert s == deck.derive(seed, tag)
    assert s != deck.derive(seed, bytes(32)) or tag == bytes(32)


def test_secrets_do_not_show_in_text() -> None:
    assert repr(deck.derive(bytes(32), bytes(32))) == "SeatSecrets()"


def test_scalars_come_from_2_to_n_minus_2_and_refused_ones_are_passed_over() -> None:
    def block(number: int) -> bytes:
        return number.to_bytes(64, "big")

    assert seeds.draw_scalar([block(0)], set()) == 2
    assert seeds.draw_scalar([block(ORDER - 4)], set()) == ORDER - 2
    assert seeds.draw_scalar([block(ORDER - 3)], set()) == 2
    refused: set[int] = set()
    drawn = [seeds.draw_scalar([block(5), block(ORDER - 3 - 6), block(7), block(8)], refused) for _ in range(3)]
    assert drawn[0] == 7
    assert drawn[1] == 9  # block 2 gives n - 7, the opposite of the first
    assert drawn[2] == 10
    assert refused == {7, ORDER - 7, 9, ORDER - 9, 10, ORDER - 10}
    with pytest.raises(AssertionError):
        seeds.draw_scalar([block(5)], refused)


def test_scalars_that_would_undo_each_other_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    e = 12345
    undo = pow(e, -1, ORDER)
    script = {
        (b"e", 0): [e],
        (b"q", 0): [e, ORDER - e, 777],
        (b"f", 0): [e, ORDER - 777, undo, ORDER - undo, 99],
        (b"k", 0): [e * 99 % ORDER, -e * 99 % ORDER, 99, 777, 1000],
        (b"k", 1): [1000, ORDER - 1000, undo],
    }

    def stream(seed: bytes, tag: bytes, label: bytes, index: int) -> list[bytes]:
        if label in (b"p", b"r"):
            return [bytes(range(64)) * 40]
        numbers = script.get((label, index), [2000 + index])
        return [(number - 2).to_bytes(64, "big") for number in numbers]

    monkeypatch.setattr(seeds, "_stream", stream)
    s = deck.derive(bytes(32), bytes(32))
    assert (s.e, s.q, s.f, s.k[:3]) == (e, 777, 99, (1000, undo, 2002))


def test_every_permutation_comes_equally_often() -> None:
    counts: Counter[tuple[int, ...]] = Counter()
    for first in range(255):
        for second in range(256):
            counts[seeds.draw_permutation([bytes((first, second))], 3)] += 1
    assert len(counts) == 6
    assert set(counts.values()) == {255 * 256 // 6}
    assert seeds.draw_permutation([b"\xff\xff", b"\x01\x00"], 3) == seeds.draw_permutation([b"\x01\x00"], 3)
    with pytest.raises(AssertionError):
        seeds.draw_permutation([b"\xff\x01"], 3)


def test_every_field_of_a_hash_changes_it() -> None:
    a, b = bytes(32), bytes([1]) * 32
    assert all_differ(
        deck.seed_commitment(a, 0, 0, a),
        deck.seed_commitment(b, 0, 0, a),
        deck.seed_commitment(a, 1, 0, a),
        deck.seed_commitment(a, 0, 1, a),
        deck.seed_commitment(a, 0, 0, b),
    )
    assert all_differ(
        deck.deal_tag(a, 0, [a, a, a, a]),
        deck.deal_tag(b, 0, [a, a, a, a]),
        deck.deal_tag(a, 1, [a, a, a, a]),
        *(deck.deal_tag(a, 0, [b if seat == other else a for other in range(4)]) for seat in range(4)),
    )
    assert all_differ(
        deck.key_hash(a, 0, 0, a),
        deck.key_hash(b, 0, 0, a),
        deck.key_hash(a, 1, 0, a),
        deck.key_hash(a, 0, 1, a),
        deck.key_hash(a, 0, 0, b),
        deck.indicator_key_hash(a, 0, a),
        deck.indicator_key_hash(b, 0, a),
        deck.indicator_key_hash(a, 1, a),
        deck.indicator_key_hash(a, 0, b),
    )
    assert all_differ(
        deck.discard_nonce(a, a, 0, 0),
        deck.discard_nonce(b, a, 0, 0),
        deck.discard_nonce(a, b, 0, 0),
        deck.discard_nonce(a, a, 1, 0),
        deck.discard_nonce(a, a, 0, 1),
    )
    assert all_differ(
        deck.discard_commitment(a, 0, 0, 0, 0, a),
        deck.discard_commitment(b, 0, 0, 0, 0, a),
        deck.discard_commitment(a, 1, 0, 0, 0, a),
        deck.discard_commitment(a, 0, 1, 0, 0, a),
        deck.discard_commitment(a, 0, 0, 1, 0, a),
        deck.discard_commitment(a, 0, 0, 0, 1, a),
        deck.discard_commitment(a, 0, 0, 0, 0, b),
    )


def all_differ(*hashes: bytes) -> bool:
    return len(set(hashes)) == len(hashes) and all(len(one) == 32 for one in hashes)


def test_our_own_mistakes_are_value_errors() -> None:
    a = bytes(32)
    wrong: list[Callable[[], object]] = [
        lambda: deck.seed_commitment(a[1:], 0, 0, a),
        lambda: deck.seed_commitment(a, -1, 0, a),
        lambda: deck.seed_commitment(a, 2**64, 0, a),
        lambda: deck.seed_commitment(a, 0, 4, a),
        lambda: deck.seed_commitment(a, 0, 0, a + b"\0"),
        lambda: deck.deal_tag(a, 0, [a, a, a]),
        lambda: deck.deal_tag(a, 0, [a, a, a, a[1:]]),
        lambda: deck.card_points(a[1:]),
        lambda: deck.key_hash(a, 0, 36, a),
        lambda: deck.key_hash(a, 0, 0, a[1:]),
        lambda: deck.indicator_key_hash(a[1:], 0, a),
        lambda: deck.discard_nonce(a, a, 0, 4),
        lambda: deck.discard_nonce(a[1:], a, 0, 0),
        lambda: deck.discard_commitment(a, 0, 0, 0, 0, a[1:]),
        lambda: deck.derive(a[1:], a),
        lambda: deck.derive(a, a[1:]),
        lambda: deck.open_element(deck.card_points(a)[0], [ORDER]),
        lambda: deck.compose_cards([]),
        lambda: deck.audit_deck(a, [a, a, a], DeckTranscript(0)),
        lambda: DeckTranscript(4),
        lambda: DeckTranscript(0, ((),), (CutStep(a, (), a),)),
        lambda: DeckTranscript(0, ((),) * 5),
        lambda: DeckTranscript(0, ((),) * 4, (), (LockStep((), ()),)),
        lambda: curve.multiply_each(0, []),
    ]
    for call in wrong:
        with pytest.raises(ValueError, match=r"must be|must have|a deal has|the dealer is|[Ii]nvertible|a scalar is"):
            call()


# What travels.


def test_keys_travel_as_32_bytes_and_weak_ones_are_refused() -> None:
    for good in (2, 3, ORDER // 2, ORDER - 2):
        assert deck.parse_key(deck.format_key(good)) == good
    for bad in (0, 1, ORDER - 1, ORDER, ORDER + 1, 2**256 - 1):
        with pytest.raises(DeckFault) as caught:
            deck.parse_key(deck.format_key(bad))
        assert caught.value.reason is DeckReason.KEY_RANGE
    for size in (0, 31, 33, 64):
        with pytest.raises(DeckFault) as caught:
            deck.parse_key(b"\1" * size)
        assert caught.value.reason is DeckReason.LENGTH


def test_an_element_keeps_its_leading_zeros() -> None:
    x = deck.card_points(bytes(32))[0]
    short = next(y for scalar in range(2, 5000) if (y := curve.multiply(scalar, x))[0] == 0)
    assert len(short) == 32
    assert curve.multiply(1, short) == short


@settings(max_examples=30, deadline=None)
@given(st.integers(2, ORDER - 2), st.integers(2, ORDER - 2))
def test_locks_commute_come_off_and_have_two_signs(one: int, other: int) -> None:
    x = deck.card_points(bytes(32))[11]
    times = curve.multiply
    a, b = times(one, x), times(other, x)
    assert times(one, b) == times(other, a) == times(one * other, x)
    assert times(curve.inverse(one), a) == x
    assert times(ORDER - one, x) == a
    assert times(one, x, secret=False) == a


def test_caches_are_bounded() -> None:
    for tag in range(20):
        deck.card_points(tag.to_bytes(32, "big"))
    assert deck.card_points.cache_info().currsize <= 8
    for scalar in range(2, 1300):
        curve.lift(curve.multiply(scalar, deck.card_points(bytes(32))[0]))
    assert native.lift.cache_info().currsize <= native.LIFTED == 1024


# The checks at once.


@pytest.fixture(scope="module")
def played() -> Party:
    """A whole honest deal; not changed by the tests that use it."""
    party = Party(random.Random(99))
    assert party.run() is None
    return party


def smallest_that_is_no_element() -> bytes:
    """By Euler's criterion, not by the library."""
    p = 2**256 - 2**224 + 2**192 + 2**96 - 1
    b = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
    return next(x for x in range(100) if pow(x**3 - 3 * x + b, (p - 1) // 2, p) == p - 1).to_bytes(32, "big")


NO_ELEMENT = smallest_that_is_no_element()


@pytest.mark.parametrize("name", [Round.SHUFFLE, Round.LOCK])
def test_a_bad_deck_is_refused_at_once_with_its_reason(played: Party, name: Round) -> None:
    if name is Round.SHUFFLE:
        good, before, check = played.shuffles[1], played.shuffles[0], deck.check_shuffle
    else:
        good, before, check = played.locks[1].deck, played.locks[0].deck, deck.check_lock
    check(good, before, played.tag)
    bad = [
        (good[:35], DeckReason.LENGTH, None),
        ((*good, good[0]), DeckReason.LENGTH, None),
        (replaced(good, 4, good[4][1:]), DeckReason.LENGTH, 4),
        (replaced(good, 4, b""), DeckReason.LENGTH, 4),
        (replaced(replaced(good, 5, good[3]), 8, good[3][:31]), DeckReason.LENGTH, 8),
        (replaced(good, 9, good[3]), DeckReason.REPEATED, 9),
        (replaced(good, 35, played.points[17]), DeckReason.CARD_POINT, 35),
        (replaced(good, 0, before[0]), DeckReason.UNCHANGED, 0),
        (replaced(good, 0, before[20]), DeckReason.UNCHANGED, 0),
        (replaced(good, 21, NO_ELEMENT), DeckReason.NOT_ON_CURVE, 21),
        (replaced(good, 21, b"\xff" * 32), DeckReason.NOT_ON_CURVE, 21),
    ]
    for row, reason, index in bad:
        with pytest.raises(DeckFault) as caught:
            check(row, before, played.tag)
        assert (caught.value.reason, caught.value.index) == (reason, index)
        assert "signed" in str(caught.value)


def test_a_bad_cut_is_refused_at_once_with_its_reason(played: Party) -> None:
    good, before = played.cuts[1], played.cuts[0]
    seen = [x for row in played.shuffles for x in row] + [before.indicator, *before.stock]
    deck.check_cut(good.indicator, good.stock, before.indicator, before.stock, seen, played.tag)
    bad: list[tuple[bytes, deck.Deck, DeckReason, int | None]] = [
        (good.indicator, good.stock[:19], DeckReason.LENGTH, None),
        (good.indicator[1:], good.stock, DeckReason.LENGTH, 0),
        (good.stock[2], good.stock, DeckReason.REPEATED, 3),
        (good.indicator, replaced(good.stock, 7, good.stock[6]), DeckReason.REPEATED, 8),
        (played.points[0], good.stock, DeckReason.CARD_POINT, 0),
        (good.indicator, replaced(good.stock, 1, played.points[0]), DeckReason.CARD_POINT, 2),
        (before.indicator, good.stock, DeckReason.UNCHANGED, 0),
        (before.stock[19], good.stock, DeckReason.UNCHANGED, 0),
        (played.shuffles[0][2], good.stock, DeckReason.UNCHANGED, 0),
        (played.shuffles[-1][2], good.stock, DeckReason.UNCHANGED, 0),
        (good.indicator, replaced(good.stock, 3, before.stock[0]), DeckReason.UNCHANGED, 4),
        (good.indicator, replaced(good.stock, 3, before.indicator), DeckReason.UNCHANGED, 4),
        (good.indicator, replaced(good.stock, 3, played.shuffles[-1][2]), DeckReason.UNCHANGED, 4),
        (NO_ELEMENT, good.stock, DeckReason.NOT_ON_CURVE, 0),
        (good.indicator, replaced(good.stock, 19, NO_ELEMENT), DeckReason.NOT_ON_CURVE, 20),
    ]
    for indicator, stock, reason, index in bad:
        with pytest.raises(DeckFault) as caught:
            deck.check_cut(indicator, stock, before.indicator, before.stock, seen, played.tag)
        assert (caught.value.reason, caught.value.index) == (reason, index)
    for x in (before.indicator, before.stock[11]):  # the step before counts by itself
        with pytest.raises(DeckFault) as caught:
            deck.check_cut(good.indicator, replaced(good.stock, 0, x), before.indicator, before.stock, (), played.tag)
        assert caught.value.reason is DeckReason.UNCHANGED


def test_only_32_bytes_are_lifted() -> None:
    for row in (b"", bytes(31), bytes(33), b"\2" + bytes(32)):
        with pytest.raises(DeckFault) as caught:
            curve.lift(row)
        assert caught.value.reason is DeckReason.LENGTH


def test_the_rounds_refuse_rows_of_another_length_and_what_is_no_element(played: Party) -> None:
    s = played.secrets[0]
    row = played.shuffles[0]
    broken = replaced(row, 30, NO_ELEMENT)
    calls: list[Callable[[], object]] = [
        lambda: deck.shuffle(s, row[1:]),
        lambda: deck.shuffle(s, broken),
        lambda: deck.before_cut(row[1:]),
        lambda: deck.cut(s, row[35], row),
        lambda: deck.cut(s, NO_ELEMENT, row[16:]),
        lambda: deck.cut(s, row[35], broken[16:]),
        lambda: deck.before_lock(row, row),
        lambda: deck.lock(s, row[:20]),
        lambda: deck.lock(s, broken),
        lambda: deck.open_element(NO_ELEMENT, [2]),
        lambda: deck.open_element(b"", [2]),
    ]
    for call in calls:
        with pytest.raises(DeckFault):
            call()


# Cheats. Each is one dishonest step; it says what it is, and the rest of the party goes on honestly.


def weak_shuffle(scalar: int) -> Forge:
    def forge(party: Party, turn: int, s: SeatSecrets) -> deck.Deck:
        return deck.shuffle(dataclasses.replace(s, e=scalar), party.before(Round.SHUFFLE, turn)[1])

    return forge


def two_scalars(party: Party, turn: int, s: SeatSecrets) -> deck.Deck:
    row = deck.shuffle(s, party.before(Round.SHUFFLE, turn)[1])
    return replaced(row, 5, curve.multiply(9, row[5]))


def other_permutation(party: Party, turn: int, s: SeatSecrets) -> deck.Deck:
    pi = tuple(party.rng.sample(range(36), 36))
    return deck.shuffle(dataclasses.replace(s, pi=pi), party.before(Round.SHUFFLE, turn)[1])


def stacked(party: Party, turn: int, s: SeatSecrets) -> deck.Deck:
    return deck.shuffle(s, party.points)


def random_point(party: Party, turn: int, s: SeatSecrets) -> deck.Deck:
    row = deck.shuffle(s, party.before(Round.SHUFFLE, turn)[1])
    return replaced(row, 20, curve.multiply(party.rng.randrange(2, ORDER), row[0]))


def doubled_card(party: Party, turn: int, s: SeatSecrets) -> deck.Deck:
    row = deck.shuffle(s, party.before(Round.SHUFFLE, turn)[1])
    return replaced(row, 20, row[2])


def off_curve(party: Party, turn: int, s: SeatSecrets) -> deck.Deck:
    return replaced(deck.shuffle(s, party.before(Round.SHUFFLE, turn)[1]), 12, NO_ELEMENT)


def honest_cut(party: Party, turn: int, s: SeatSecrets) -> CutStep:
    step = party.honest(Round.CUT, turn, s)
    assert isinstance(step, CutStep)
    return step


def wrong_q(party: Party, turn: int, s: SeatSecrets) -> CutStep:
    step = honest_cut(party, turn, dataclasses.replace(s, q=4))
    return dataclasses.replace(step, key_hash=honest_cut(party, turn, s).key_hash)


def false_q_hash(party: Party, turn: int, s: SeatSecrets) -> CutStep:
    digest = deck.indicator_key_hash(party.tag, party.seats[turn], deck.format_key(4))
    return dataclasses.replace(honest_cut(party, turn, s), key_hash=digest)


def hand_as_indicator(party: Party, turn: int, s: SeatSecrets) -> CutStep:
    _, stock = party.before(Round.CUT, turn)
    indicator, stock = deck.cut(s, party.shuffles[-1][3], stock)
    return dataclasses.replace(honest_cut(party, turn, s), indicator=indicator, stock=stock)


def lost_in_cut(party: Party, turn: int, s: SeatSecrets) -> CutStep:
    step = honest_cut(party, turn, s)
    return dataclasses.replace(step, stock=replaced(step.stock, 4, curve.multiply(3, step.stock[5])))


def other_rho(party: Party, turn: int, s: SeatSecrets) -> CutStep:
    return honest_cut(party, turn, dataclasses.replace(s, rho=tuple(party.rng.sample(range(20), 20))))


def cut_without_lock(party: Party, turn: int, s: SeatSecrets) -> CutStep:
    return honest_cut(party, turn, dataclasses.replace(s, f=1))


def hand_in_stock(party: Party, turn: int, s: SeatSecrets) -> CutStep:
    step = honest_cut(party, turn, s)
    return dataclasses.replace(step, stock=replaced(step.stock, 4, party.shuffles[-1][0]))


def honest_lock(party: Party, turn: int, s: SeatSecrets) -> LockStep:
    step = party.honest(Round.LOCK, turn, s)
    assert isinstance(step, LockStep)
    return step


def marked(party: Party, turn: int, s: SeatSecrets) -> LockStep:
    step = honest_lock(party, turn, s)
    return dataclasses.replace(step, deck=replaced(step.deck, 30, curve.multiply(77, step.deck[2])))


def swapped(party: Party, turn: int, s: SeatSecrets) -> LockStep:
    row = list(party.before(Round.LOCK, turn)[1])
    row[3], row[9] = row[9], row[3]
    return dataclasses.replace(honest_lock(party, turn, s), deck=deck.lock(s, row))


def doubled(party: Party, turn: int, s: SeatSecrets) -> LockStep:
    row = party.before(Round.LOCK, turn)[1]
    return dataclasses.replace(honest_lock(party, turn, s), deck=deck.lock(s, replaced(row, 3, row[9])))


def equal_keys(party: Party, turn: int, s: SeatSecrets) -> LockStep:
    """One key for two slots, with the right hash, and given as it is: only the seed does not fit."""
    other = dataclasses.replace(s, k=(*s.k[:7], s.k[6], *s.k[8:]))
    party.secrets[party.seats[turn]] = other
    return honest_lock(party, turn, other)


def false_key_hash(party: Party, turn: int, s: SeatSecrets) -> LockStep:
    step = honest_lock(party, turn, s)
    return dataclasses.replace(step, key_hashes=replaced(step.key_hashes, 34, step.key_hashes[33]))


def too_few_hashes(party: Party, turn: int, s: SeatSecrets) -> LockStep:
    step = honest_lock(party, turn, s)
    return dataclasses.replace(step, key_hashes=step.key_hashes[:35])


def no_lock(party: Party, turn: int, s: SeatSecrets) -> LockStep:
    row = party.before(Round.LOCK, turn)[1]
    return dataclasses.replace(honest_lock(party, turn, s), deck=row)


AT_ONCE, AT_OPENING, LATER = "at once", "when slots open", "audit"

# The catalogue: cheat, round, when it is seen at the latest without an audit, part and index the audit names.
# Two scalars in a shuffle fall on an unknown slot; a swap in the first lock deals other cards and opens well.
CHEATS: list[tuple[str, Forge, Round, str, Part, int | None]] = [
    ("scalar one", weak_shuffle(1), Round.SHUFFLE, AT_ONCE, Part.ELEMENT, 0),
    ("scalar minus one", weak_shuffle(ORDER - 1), Round.SHUFFLE, AT_ONCE, Part.ELEMENT, 0),
    ("element twice", doubled_card, Round.SHUFFLE, AT_ONCE, Part.ELEMENT, 20),
    ("no element", off_curve, Round.SHUFFLE, AT_ONCE, Part.ELEMENT, 12),
    ("two scalars", two_scalars, Round.SHUFFLE, AT_OPENING, Part.ELEMENT, 5),
    ("random point", random_point, Round.SHUFFLE, AT_OPENING, Part.ELEMENT, 20),
    ("chosen permutation", other_permutation, Round.SHUFFLE, LATER, Part.ELEMENT, None),
    ("false scalar of the indicator", wrong_q, Round.CUT, AT_OPENING, Part.INDICATOR, 0),
    ("false hash of the indicator's key", false_q_hash, Round.CUT, LATER, Part.INDICATOR_KEY_HASH, 0),
    ("element lost in the cut", lost_in_cut, Round.CUT, AT_OPENING, Part.ELEMENT, 4),
    ("chosen rho", other_rho, Round.CUT, LATER, Part.ELEMENT, None),
    ("stock not locked", cut_without_lock, Round.CUT, AT_ONCE, Part.ELEMENT, 0),
    ("a hand's element in the stock", hand_in_stock, Round.CUT, AT_ONCE, Part.ELEMENT, 4),
    ("marking", marked, Round.LOCK, AT_OPENING, Part.ELEMENT, 30),
    ("equal keys", equal_keys, Round.LOCK, LATER, Part.ELEMENT, 7),
    ("false key hash", false_key_hash, Round.LOCK, LATER, Part.KEY_HASH, 34),
    ("a key hash too few", too_few_hashes, Round.LOCK, LATER, Part.KEY_HASH, 35),
    ("no lock", no_lock, Round.LOCK, AT_ONCE, Part.ELEMENT, 0),
]


@pytest.mark.parametrize("turn", [0, 2, 3])
@pytest.mark.parametrize(
    ("forge", "name", "when", "part", "index"), [pytest.param(*row[1:], id=row[0]) for row in CHEATS]
)
def test_each_cheat_is_seen_and_its_seat_named(
    forge: Forge, name: Round, when: str, part: Part, index: int | None, turn: int
) -> None:
    party = Party(random.Random(turn))
    stopped = party.run({(name, turn): forge})
    if when == AT_ONCE:
        assert stopped == (name, turn)
    else:
        assert stopped is None
        cards = party.opened()
        well = None not in cards and len(set(cards)) == 36 and party.opened_indicator() in cards[16:]
        assert well is (when == LATER)
    audit = party.audit()
    assert [(one.round, one.turn, one.seat, one.part) for one in audit.mismatches] == [
        (name, turn, party.seats[turn], part)
    ]
    assert index in (None, audit.mismatches[0].index)
    assert audit.cards is audit.indicator is None


def test_a_stacked_deck_is_seen_at_the_second_shuffle() -> None:
    for turn in range(1, 4):
        party = Party(random.Random(turn))
        assert party.run({(Round.SHUFFLE, turn): stacked}) is None
        assert None in party.opened()
        assert [(one.turn, one.seat) for one in party.audit().mismatches] == [(turn, party.seats[turn])]


@pytest.mark.parametrize(("turn", "well"), [(0, True), (1, False), (3, False)])
def test_slots_swapped_by_the_first_lock_open_well_and_by_a_later_one_do_not(turn: int, well: bool) -> None:
    party = Party(random.Random(turn))
    assert party.run({(Round.LOCK, turn): swapped}) is None
    assert (None not in party.opened()) is well
    assert party.audit().mismatches == (Mismatch(Round.LOCK, turn, party.seats[turn], Part.ELEMENT, 3),)


@pytest.mark.parametrize("turn", [0, 1, 3])
def test_a_slot_doubled_in_the_lock_shows_when_it_opens(turn: int) -> None:
    party = Party(random.Random(turn))
    assert party.run({(Round.LOCK, turn): doubled}) is None
    cards = party.opened()
    assert (cards[3] == cards[9]) if turn == 0 else (cards[3] is None)
    assert party.audit().mismatches == (Mismatch(Round.LOCK, turn, party.seats[turn], Part.ELEMENT, 3),)


def test_a_card_of_a_hand_as_indicator_is_seen_by_its_owner_or_opens_to_nothing() -> None:
    for turn in range(4):
        party = Party(random.Random(turn))
        assert party.run({(Round.CUT, turn): hand_as_indicator}) is None
        indicator = party.opened_indicator()
        assert indicator == (party.opened()[3] if turn == 0 else None)
        assert party.audit().mismatches == (Mismatch(Round.CUT, turn, party.seats[turn], Part.INDICATOR, 0),)


def test_another_seed_than_the_committed_one_fits_nothing(played: Party) -> None:
    seat = played.seats[1]
    other = [bytes(32) if one == seat else seed for one, seed in enumerate(played.seeds)]
    assert deck.seed_commitment(played.match, played.deal, seat, bytes(32)) != deck.seed_commitment(
        played.match, played.deal, seat, played.seeds[seat]
    )
    audit = deck.audit_deck(played.tag, other, played.transcript())
    assert [(one.round, one.seat) for one in audit.mismatches] == [(name, seat) for name in Round]
    assert audit.cards is None


def test_a_seat_without_a_seed_is_not_judged_and_the_others_are(played: Party) -> None:
    seat = played.seats[2]
    without = [None if one == seat else seed for one, seed in enumerate(played.seeds)]
    audit = deck.audit_deck(played.tag, without, played.transcript())
    assert audit == deck.DeckAudit((), tuple((name, 2) for name in Round), None, None)
    bad = dataclasses.replace(
        played.transcript(), locks=(*played.locks[:3], dataclasses.replace(played.locks[3], key_hashes=()))
    )
    found = deck.audit_deck(played.tag, without, bad).mismatches
    assert found == (Mismatch(Round.LOCK, 3, played.dealer, Part.KEY_HASH, 0),)


def test_a_deal_that_stopped_anywhere_is_audited_as_far_as_it_went(played: Party) -> None:
    whole = played.transcript()
    for steps in range(13):
        part = DeckTranscript(
            played.dealer, whole.shuffles[:steps], whole.cuts[: max(0, steps - 4)], whole.locks[: max(0, steps - 8)]
        )
        audit = deck.audit_deck(played.tag, played.seeds, part)
        assert audit.mismatches == audit.unchecked == ()
        assert list(audit.cards or ()) == played.opened()


def test_what_follows_a_row_that_is_no_deck_is_not_judged() -> None:
    for forge in (off_curve, lambda party, turn, s: party.honest(Round.SHUFFLE, turn, s)[:35]):
        party = Party(random.Random(1))
        party.run({(Round.SHUFFLE, 1): forge})  # stops there; a host that lets it pass has a next step all the same
        party.shuffles.append(party.shuffles[0])
        audit = party.audit()
        assert [(one.round, one.turn) for one in audit.mismatches] == [(Round.SHUFFLE, 1)]
        assert audit.unchecked == ((Round.SHUFFLE, 2),)


def test_random_cheats_by_random_seats_and_never_a_wrong_verdict() -> None:
    number = random.SystemRandom().randrange(10**6)
    print("seed of the cheats", number)
    rng = random.Random(number)
    by_round = {name: [row[1] for row in CHEATS if row[2] is name] for name in Round}
    by_round[Round.LOCK] += [swapped, doubled]
    by_round[Round.CUT] += [hand_as_indicator]
    for _ in range(40):
        party = Party(rng)
        cheats: dict[tuple[Round, int], Forge] = {}
        for _ in range(rng.choice((0, 1, 1, 2))):
            name = rng.choice(list(Round))
            cheats[name, rng.randrange(4)] = rng.choice(by_round[name])
        stopped = party.run(cheats)
        done = sorted(cheats) if stopped is None else [one for one in sorted(cheats) if one <= stopped]
        audit = party.audit()
        assert [(one.round, one.turn) for one in audit.mismatches] == done
        assert all(one.seat == party.seats[one.turn] for one in audit.mismatches)
        assert (audit.cards is None) is bool(done)
