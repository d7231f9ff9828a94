"""Cheats with the deck: shuffle, cut, lock, keys, commitments to seeds."""

from typing import Any

from goat_net.deck.curve import ORDER, DeckFault, inverse, lift, multiply_each
from goat_net.deck.rounds import cut, lock, shuffle
from goat_net.deck.seeds import (
    HANDS,
    SeatSecrets,
    card_points,
    derive,
    format_key,
    indicator_key_hash,
    key_hash,
    seed_commitment,
)
from goat_net.log.deal import DealFold, DealStage, split
from goat_net.log.records import Commit, Complain, Cut, Keys, Lock, Shuffle
from tests.cheats.catalogue import AUDIT, EITHER, ONCE, STOP, Changed, beside, on, seat_cheat
from tests.cheats.kit import Schemer


def els(run: bytes) -> list[bytes]:
    """The elements of a run."""
    parts = split(run)
    assert parts is not None
    return list(parts)


def run(elements: Any) -> bytes:
    """Elements as they travel."""
    return b"".join(elements)


def deal_of(c: Schemer) -> DealFold:
    """The deal that is on."""
    assert c.fold.deal is not None
    return c.fold.deal


def off_curve() -> bytes:
    """The smallest number that is no element."""
    for x in range(1, 100):
        try:
            lift(x.to_bytes(32, "big"))
        except DeckFault:
            return x.to_bytes(32, "big")
    raise AssertionError


def foreign_element(c: Schemer) -> bytes:
    """A point that nobody knows a relation of."""
    return card_points(bytes(31) + bytes([c.fold.counters[c.seat or 0]]))[7]


def times(scalar: int, element: bytes) -> bytes:
    """One element times a scalar."""
    return multiply_each(scalar, [element])[0]


def put(elements: list[bytes], index: int, x: bytes) -> bytes:
    """The run with one element replaced."""
    return run([*elements[:index], x, *elements[index + 1 :]])


def hashes_of(c: Schemer, keys: Any) -> bytes:
    """Hashes of these keys of the slots."""
    assert c.seat is not None
    return run(key_hash(deal_of(c).tag, c.seat, slot, format_key(k)) for slot, k in enumerate(keys))


def with_secrets(s: SeatSecrets, **changes: Any) -> SeatSecrets:
    """Secrets, some of them others."""
    names = ("e", "q", "f", "k", "pi", "rho")
    return SeatSecrets(**({n: getattr(s, n) for n in names} | changes))


# Seen at once

KINDS = {Shuffle: "shuffle", Cut: "cut", Lock: "lock"}


def deck_of(body: Any) -> bytes:
    """The run of elements in a body."""
    found: bytes = body.stock if isinstance(body, Cut) else body.deck
    return found


def with_deck(body: Any, deck: bytes) -> Any:
    """The same body with another run."""
    match body:
        case Cut():
            return Cut(body.indicator, deck, body.key_hash)
        case Lock():
            return Lock(deck, body.hashes)
    return Shuffle(deck)


for at, (kind, word) in enumerate(KINDS.items()):
    for turn, how, change in (
        (at, "the same element twice", lambda b: put(els(b), 3, els(b)[4])),
        ((at + 1) % 4, "an element that is no point of the curve", lambda b: put(els(b), 5, off_curve())),
        ((at + 2) % 4, "an element too few", lambda b: b[:-32]),
        ((at + 3) % 4, "an element too many", lambda b: b + b[:32][::-1]),
        (3, "a byte too few", lambda b: b[:-1]),
        (0, "nothing at all", lambda b: b""),
    ):
        on(kind, when=ONCE, name=f"{word}: {how} (turn {turn})", turn=turn)(
            lambda c, body, change=change: with_deck(body, change(deck_of(body)))  # type: ignore[misc]
        )


@on(Shuffle, when=ONCE, name="shuffle: scalar 1 on the card points, nothing but a permutation (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    return Shuffle(run(deal_of(c).deck_before()[::-1]))


@on(Shuffle, when=ONCE, name="shuffle: scalar 1 or -1 on the deck before (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    return Shuffle(run(multiply_each(ORDER - 1, deal_of(c).deck_before()[::-1])))


@on(Shuffle, when=ONCE, name="shuffle: scalar 0, all elements zero (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return Shuffle(bytes(32 * 36))


@on(Cut, when=ONCE, name="cut: scalar 1, the stock only turned round (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    return Cut(body.indicator, run(deal_of(c).cut_before()[1][::-1]), body.key_hash)


@on(Cut, when=ONCE, name="cut: the indicator left as it was (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    return Cut(deal_of(c).cut_before()[0], body.stock, body.key_hash)


@on(Cut, when=ONCE, name="cut: an element of a hand as the indicator (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    return Cut(deal_of(c).shuffles[-1][2], body.stock, body.key_hash)


@on(Cut, when=ONCE, name="cut: the indicator that another seat has just made (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    return Cut(deal_of(c).cuts[0].indicator, body.stock, body.key_hash)


@on(Cut, when=ONCE, name="cut: the indicator is no point of the curve (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return Cut(off_curve(), body.stock, body.key_hash)


@on(Cut, when=ONCE, name="cut: an element of a hand put into the stock (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return Cut(body.indicator, put(els(body.stock), 0, deal_of(c).shuffles[-1][0]), body.key_hash)


@on(Lock, when=ONCE, name="lock: a slot left as it was (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    return Lock(put(els(body.deck), 20, deal_of(c).deck_before()[20]), body.hashes)


@on(Lock, when=ONCE, name="lock: a slot that is a bare card point (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    return Lock(put(els(body.deck), 20, card_points(deal_of(c).tag)[35]), body.hashes)


@on(Lock, when=ONCE, name="lock: a hash too few (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return Lock(body.deck, body.hashes[:-32])


# Keys


def _false_key(c: Schemer, body: Keys) -> Any:
    keys = els(body.keys)
    keys[len(keys) // 2] = format_key(int.from_bytes(keys[len(keys) // 2], "big") ^ 1)
    return Keys(run(keys), body.indicator)


for turn in range(4):
    on(Keys, when=ONCE, name=f"keys of the hands: a false key for another's slot (turn {turn})", turn=turn)(_false_key)


@on(Keys, when=ONCE, name="keys of a draw: a false key for another's slot (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    return _false_key(c, body) if deal_of(c).stage is DealStage.PLAY else ...


@on(Keys, when=ONCE, name="keys of the hands: one too few (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return Keys(body.keys[:-32], body.indicator)


@on(Keys, when=ONCE, name="keys of the hands: a key that is 1 (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    return Keys(body.keys[:-32] + format_key(1), body.indicator)


@on(Keys, when=ONCE, name="keys of the hands: two keys the other way round (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    keys = els(body.keys)
    return Keys(run([keys[1], keys[0], *keys[2:]]), body.indicator)


@on(Keys, when=ONCE, name="keys: a false key for the indicator (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    return Keys(body.keys, format_key(c.secrets.q ^ 1))


@on(Keys, when=ONCE, name="keys: no key for the indicator (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    return Keys(body.keys, b"")


@on(Keys, when=ONCE, name="keys of the hands: those of another deal (seat 1)", seat=1, deal=2)
def _(c: Schemer, body: Any) -> Any:
    old = c.fold.finished[-1].deal
    keys = [format_key(old.keys[1, slot]) for slot in range(HANDS) if (old.dealer + 1 + slot) % 4 != 1]
    return Keys(run(keys), body.indicator)


# The deal stops


for turn in (0, 3):

    @on(Shuffle, when=EITHER, name=f"shuffle: two scalars (turn {turn})", turn=turn)
    def _(c: Schemer, body: Any) -> Any:
        deck = els(body.deck)
        return Shuffle(put(deck, 2, times(c.secrets.f, deck[2])))


@on(Shuffle, when=EITHER, name="shuffle: a random point for one card (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return Shuffle(put(els(body.deck), 9, foreign_element(c)))


@on(Shuffle, when=STOP, name="shuffle: a stacked deck (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    return Shuffle(run(multiply_each(c.secrets.e, card_points(deal_of(c).tag))))


@on(Shuffle, when=STOP, name="shuffle: another scalar than the lock takes off (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    return Shuffle(run(multiply_each(3, els(body.deck))))


for turn in (0, 3):

    @on(Shuffle, when=EITHER, name=f"shuffle: one slot marked as a multiple of another (turn {turn})", turn=turn)
    def _(c: Schemer, body: Any) -> Any:
        deck = els(body.deck)
        return Shuffle(put(deck, 1, times(c.secrets.k[0], deck[0])))


@on(Shuffle, when=STOP, name="shuffle: the deck of another deal (seat 0)", seat=0, deal=2)
def _(c: Schemer, body: Any) -> Any:
    before = c.fold.finished[-1].deal
    return Shuffle(run(before.shuffles[before.order.index(0)]))


@on(Cut, when=EITHER, name="cut: an element of the stock lost (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return Cut(body.indicator, put(els(body.stock), 4, foreign_element(c)), body.key_hash)


@on(Cut, when=EITHER, name="cut: one card of the stock marked as a multiple of another (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    stock = els(body.stock)
    return Cut(body.indicator, put(stock, 1, times(7, stock[0])), body.key_hash)


@on(Cut, when=EITHER, name="cut: a card of a hand, hidden by a scalar, put into the stock (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    hand = times(c.secrets.f, deal_of(c).shuffles[-1][1])
    return Cut(body.indicator, put(els(body.stock), 0, hand), body.key_hash)


@on(Cut, when=STOP, name="cut: a false scalar on the stock (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    return Cut(body.indicator, run(multiply_each(5, els(body.stock))), body.key_hash)


@on(Cut, when=STOP, name="cut: a false q on the indicator, its right hash (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return Cut(times(11, body.indicator), body.stock, body.key_hash)


@on(Cut, when=STOP, name="cut: a random point as the indicator (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    return Cut(foreign_element(c), body.stock, body.key_hash)


@on(Cut, when=EITHER, name="cut: a card of a hand shown as the indicator, well locked (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    s = c.secrets
    return Cut(times(s.q * inverse(s.e), deal_of(c).shuffles[-1][0]), body.stock, body.key_hash)


for turn in (1, 2, 3):

    @on(
        Cut,
        when=STOP,
        name=f"cut: a card of a hand as the indicator, too late to lock it well (turn {turn})",
        turn=turn,
    )
    def _(c: Schemer, body: Any) -> Any:
        s = c.secrets
        return Cut(times(s.q * inverse(s.e), deal_of(c).shuffles[-1][0]), body.stock, body.key_hash)


@on(Lock, when=EITHER, name="lock: a false key on one slot, the right hash (turn 2)", turn=2)
def _(c: Schemer, body: Any) -> Any:
    deck = els(body.deck)
    return Lock(put(deck, 0, times(13, deck[0])), body.hashes)


class _FalseHash(Changed):
    """A false hash of one key in the lock; later the key that fits it, or the true one."""

    def __init__(self, *, fitting: bool) -> None:
        super().__init__((Lock, Keys), self._change)
        self.fitting, self.once = fitting, False

    def _change(self, c: Schemer, body: Any) -> Any:
        deal = deal_of(c)
        assert c.seat is not None
        slot = next(s for s in range(HANDS) if (deal.dealer + 1 + s) % 4 != c.seat)
        false = c.secrets.k[slot] ^ 1
        if isinstance(body, Lock):
            return Lock(body.deck, put(els(body.hashes), slot, key_hash(deal.tag, c.seat, slot, format_key(false))))
        if deal.stage is not DealStage.KEYS:
            return ...
        if self.fitting:
            return Keys(put(els(body.keys), deal.slots_owed(c.seat).index(slot), format_key(false)), body.indicator)
        self.mark(c)
        return ...


seat_cheat(
    "lock: a false hash of a key, and the key that fits it (turn 1)", EITHER, lambda: _FalseHash(fitting=True), turn=1
)
seat_cheat("lock: a false hash of a key, and the true key (turn 3)", ONCE, lambda: _FalseHash(fitting=False), turn=3)

for turn in (1, 2, 3):

    @on(Lock, when=EITHER, name=f"lock: two slots swapped by a later seat (turn {turn})", turn=turn)
    def _(c: Schemer, body: Any) -> Any:
        before = list(deal_of(c).deck_before())
        before[0], before[5] = before[5], before[0]
        return Lock(run(lock(c.secrets, before)), body.hashes)


@on(Lock, when=AUDIT, name="lock: two slots swapped by the first seat, which opens well (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    before = list(deal_of(c).deck_before())
    before[0], before[5] = before[5], before[0]
    return Lock(run(lock(c.secrets, before)), body.hashes)


for turn, a, b in ((0, 0, 1), (0, 0, 17), (2, 0, 4), (3, 20, 21)):

    @on(Lock, when=EITHER, name=f"lock: slot {a} doubled as slot {b} (turn {turn})", turn=turn)
    def _(c: Schemer, body: Any, a: int = a, b: int = b) -> Any:
        before = list(deal_of(c).deck_before())
        s = c.secrets
        off = inverse(s.e) if a < HANDS else inverse(s.e * s.f)
        return Lock(put(els(body.deck), b, times(s.k[b] * off, before[a])), body.hashes)


@on(Lock, when=STOP, name="lock: the scalar of the shuffle not taken off (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    return Lock(run(multiply_each(c.secrets.e, els(body.deck))), body.hashes)


# Only the audit sees it


for turn in (0, 3):

    @on(Shuffle, when=AUDIT, name=f"shuffle: a permutation chosen afterwards (turn {turn})", turn=turn)
    def _(c: Schemer, body: Any) -> Any:
        deck = els(body.deck)
        return Shuffle(run([deck[35], *deck[1:35], deck[0]]))


for turn in (0, 3):

    @on(Cut, when=AUDIT, name=f"cut: a permutation chosen afterwards (turn {turn})", turn=turn)
    def _(c: Schemer, body: Any) -> Any:
        stock = els(body.stock)
        return Cut(body.indicator, run([stock[19], *stock[1:19], stock[0]]), body.key_hash)


@on(Cut, when=AUDIT, name="cut: another card of the stock as the indicator (turn 0)", turn=0)
def _(c: Schemer, body: Any) -> Any:
    s = c.secrets
    return Cut(times(s.q * inverse(s.e), deal_of(c).shuffles[-1][20]), body.stock, body.key_hash)


class _OtherSecrets(Changed):
    """Plays the deck with secrets that are not those of its seed, alike in every round."""

    def __init__(self, **changes: Any) -> None:
        super().__init__((Shuffle, Cut, Lock), self._change)
        self.changes, self.once = changes, False

    def _change(self, c: Schemer, body: Any) -> Any:
        deal = deal_of(c)
        assert c.seat is not None
        if "other" not in self.notes:
            s = c.secrets
            made = {name: value(s) if callable(value) else value for name, value in self.changes.items()}
            c._secrets = self.notes["other"] = with_secrets(s, **made)
        s = self.notes["other"]
        match body:
            case Shuffle():
                return Shuffle(run(shuffle(s, deal.deck_before())))
            case Cut():
                indicator, stock = cut(s, *deal.cut_before())
                return Cut(indicator, run(stock), indicator_key_hash(deal.tag, c.seat, format_key(s.q)))
        return Lock(run(lock(s, deal.deck_before())), hashes_of(c, s.k))


seat_cheat(
    "secrets: another scalar e than the seed's, alike in shuffle and lock (turn 2)",
    AUDIT,
    lambda: _OtherSecrets(e=0x1234567),
    turn=2,
)
seat_cheat("secrets: another scalar f than the seed's (turn 1)", AUDIT, lambda: _OtherSecrets(f=0x1234567), turn=1)
seat_cheat(
    "secrets: another q than the seed's, with its hash (turn 3)", AUDIT, lambda: _OtherSecrets(q=0x1234567), turn=3
)
seat_cheat("secrets: one key for all slots (turn 0)", AUDIT, lambda: _OtherSecrets(k=lambda s: (s.k[0],) * 36), turn=0)
seat_cheat("secrets: the weak scalar 2 in the shuffle (turn 0)", AUDIT, lambda: _OtherSecrets(e=2), turn=0)
seat_cheat("secrets: f that undoes e (turn 2)", AUDIT, lambda: _OtherSecrets(f=lambda s: inverse(s.e)), turn=2)


class _OtherSeed(_OtherSecrets):
    """All secrets from a seed that was chosen after the others had committed."""

    def _change(self, c: Schemer, body: Any) -> Any:
        if "other" not in self.notes:
            c._secrets = self.notes["other"] = derive(b"chosen afterwards".ljust(32), deal_of(c).tag)
        return super()._change(c, body)


seat_cheat("secrets: all of another seed than the one committed to (turn 1)", AUDIT, _OtherSeed, turn=1)

# Commitments to seeds


class _Copied(Changed):
    """Copies the commitment of a seat that was quicker; sees to it that one was."""

    def __init__(self, *, old: bool = False) -> None:
        super().__init__((Commit,), self._change)
        self.old = old

    def _change(self, c: Schemer, body: Any) -> Any:
        deal = deal_of(c)
        if self.old:
            return Commit(c.fold.finished[-1].deal.commitments[c.seat or 0])
        if not deal.commitments:
            return None
        return Commit(next(iter(deal.commitments.values())))

    def mark(self, c: Schemer) -> None:
        """What shows it is the opening, a later record."""
        super().mark(c)
        self.counter = None


for turn in (0, 2):
    seat_cheat(f"commitment: another's copied; seen when both are opened (turn {turn})", ONCE, _Copied, turn=turn)
seat_cheat(
    "commitment: one's own of another deal; seen when it is opened (seat 2)",
    ONCE,
    lambda: _Copied(old=True),
    seat=2,
    deal=2,
)


@on(Commit, when=ONCE, name="commitment: to nothing at all; seen when it is opened (turn 3)", turn=3)
def _(c: Schemer, body: Any) -> Any:
    c.world.scheme.notes["late"] = True  # type: ignore[union-attr]
    return Commit(bytes(range(32)))


@on(Commit, when=ONCE, name="commitment: for another seat's place; seen when it is opened (turn 1)", turn=1)
def _(c: Schemer, body: Any) -> Any:
    c.world.scheme.notes["late"] = True  # type: ignore[union-attr]
    deal = deal_of(c)
    return Commit(seed_commitment(deal.match_id, deal.number, ((c.seat or 0) + 1) % 4, c._seed(deal)))


# Complaints


def _own_slot(c: Schemer) -> int | None:
    deal = deal_of(c)
    playing = deal.may_play and c.own is not None and c.seat is not None
    return c.own.hands[c.seat][0] if playing and c.own and c.own.hands[c.seat or 0] else None


for turn in range(4):

    @beside(ONCE, f"complaint: about a good slot (turn {turn})", turn=turn)
    def _(c: Schemer) -> Any:
        if c.fold.deal is None or (slot := _own_slot(c)) is None:
            return None
        return Complain((slot,), c._run((slot,)))


@beside(ONCE, "complaint: about another's slot (turn 1)", turn=1)
def _(c: Schemer) -> Any:
    if c.fold.deal is None or _own_slot(c) is None or c.own is None:
        return None
    slot = c.own.hands[((c.seat or 0) + 1) % 4][0]
    return Complain((slot,), c._run((slot,)))


@beside(ONCE, "complaint: with a false key (turn 2)", turn=2)
def _(c: Schemer) -> Any:
    if c.fold.deal is None or (slot := _own_slot(c)) is None:
        return None
    return Complain((slot,), format_key(c.secrets.k[slot] ^ 1))


@beside(ONCE, "complaint: about two good slots (turn 0)", turn=0)
def _(c: Schemer) -> Any:
    if c.fold.deal is None or _own_slot(c) is None or c.own is None or c.seat is None:
        return None
    slots = c.own.hands[c.seat][:2]
    return Complain(slots, c._run(slots)) if len(slots) == 2 else None
