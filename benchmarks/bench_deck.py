"""CPU time of the card mathematics of one deal, by phase: python benchmarks/bench_deck.py [--deals N].

Four players in one process, one core, process time. "Cold" phases forget every lifted point first, as a peer that
gets a deck for the first time; "warm" ones use the points that the checks on arrival have lifted, as in play.
"""

import argparse
import hashlib
import statistics
import time
from collections.abc import Callable
from typing import TypeVar

from cryptography.hazmat.primitives.asymmetric import ec

from goat_net import deck
from goat_net.deck.curve import Multipliers
from goat_net.primitives.native import lift

Result = TypeVar("Result")
TARGET_MATHEMATICS = 60.0
TARGET_AUDIT = 30.0


class Phases:
    """Milliseconds of process time by phase, one figure per deal."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}
        self.deal = 0

    def run(self, name: str, work: Callable[[], Result]) -> Result:
        row = self.times.setdefault(name, [])
        if len(row) == self.deal:
            row.append(0.0)
        start = time.process_time()
        result = work()
        row[self.deal] += (time.process_time() - start) * 1000
        return result

    def median(self, *names: str) -> float:
        return statistics.median(sum(one) for one in zip(*(self.times[name] for name in names), strict=True))


def play(number: int, phases: Phases) -> None:
    """One deal of four honest seats: locked, all slots opened by owners, 20 face-up cards by three others, audited."""
    match = hashlib.sha256(b"bench").digest()
    seeds = [hashlib.sha256(bytes([number % 256, number // 256, seat])).digest() for seat in range(4)]
    tag = deck.deal_tag(match, number, [deck.seed_commitment(match, number, s, seeds[s]) for s in range(4)])
    lift.cache_clear()
    row = phases.run("card points", lambda: deck.card_points(tag))
    secrets = phases.run("secrets", lambda: [deck.derive(seed, tag) for seed in seeds])
    seats = deck.turn_order(number % 4)
    seen: tuple[bytes, ...] = ()
    shuffles: list[deck.Deck] = []
    for seat in seats:
        before = row
        row = phases.run("shuffle", lambda s=secrets[seat], d=before: deck.shuffle(s, d))
        phases.run("checks", lambda n=row, d=before: deck.check_shuffle(n, d, tag))
        shuffles.append(row)
        seen = (*seen, *row)
    indicator, stock = deck.before_cut(row)
    cuts: list[deck.CutStep] = []
    for seat in seats:
        old = indicator, stock
        indicator, stock = phases.run("cut", lambda s=secrets[seat], o=old: deck.cut(s, *o))
        phases.run("checks", lambda i=indicator, n=stock, o=old, s=seen: deck.check_cut(i, n, *o, s, tag))
        key = deck.format_key(secrets[seat].q)
        cuts.append(deck.CutStep(indicator, stock, deck.indicator_key_hash(tag, seat, key)))
        seen = (*seen, indicator, *stock)
    row = deck.before_lock(row, stock)
    locks: list[deck.LockStep] = []
    for seat in seats:
        before = row
        row = phases.run("lock", lambda s=secrets[seat], d=before: deck.lock(s, d))
        phases.run("checks", lambda n=row, d=before: deck.check_lock(n, d, tag))
        hashes = phases.run(
            "key hashes",
            lambda seat=seat: tuple(
                deck.key_hash(tag, seat, slot, deck.format_key(k)) for slot, k in enumerate(secrets[seat].k)
            ),
        )
        locks.append(deck.LockStep(row, hashes))
    last = row

    def open_slots(slots: range) -> list[int | None]:
        return [deck.card_of(tag, deck.open_element(last[s], [one.k[s] for one in secrets])) for s in slots]

    cards = phases.run("open 36", lambda: open_slots(range(36)))
    assert sorted(card for card in cards if card is not None) == list(range(36))
    for _ in range(3):
        phases.run("open 3 x 20", lambda: open_slots(range(20)))
    transcript = deck.DeckTranscript(number % 4, tuple(shuffles), tuple(cuts), tuple(locks))
    audit = phases.run("audit, warm", lambda: deck.audit_deck(tag, seeds, transcript))
    assert list(audit.cards or ()) == cards
    lift.cache_clear()
    phases.run("audit, cold", lambda: deck.audit_deck(tag, seeds, transcript))
    lift.cache_clear()
    phases.run(
        "one peer's 408 points lifted", lambda: [lift(x) for x in [*seen, *(x for one in locks for x in one.deck)]]
    )


def per_call(work: Callable[[], object], calls: int = 2000) -> float:
    """Microseconds of process time per call, the best of five."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for _ in range(calls):
            work()
        best = min(best, time.process_time() - start)
    return best / calls * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=20, help="deals to take the medians over (1 to 1000)")
    deals = min(max(parser.parse_args().deals, 1), 1000)
    phases = Phases()
    for number in range(deals):
        phases.deal = number
        play(number, phases)
    print(f"CPU ms per deal, four players together, median of {deals} deals")
    for name in phases.times:
        print(f"  {name:30} {phases.median(name):7.2f}")
    names = ("card points", "secrets", "shuffle", "cut", "lock", "key hashes", "open 36", "open 3 x 20")
    total = phases.median(*names)
    print(f"  {'card mathematics, all four':30} {total:7.2f}   aim <= {TARGET_MATHEMATICS:.0f}")
    print(f"  {'with checks, once per deck':30} {phases.median(*names, 'checks'):7.2f}")
    print(f"  {'one audit, cold':30} {phases.median('audit, cold'):7.2f}   aim <= {TARGET_AUDIT:.0f}")

    tag = bytes(32)
    x = deck.card_points(tag)[0]
    private = ec.derive_private_key(987654321, ec.SECP256R1())
    point, ecdh = lift(x), ec.ECDH()
    times = Multipliers([987654321])
    bare = per_call(lambda: private.exchange(ecdh, point))
    prepared = per_call(lambda: times((x,)))
    print("us per call")
    print(f"  {'bare library exchange':30} {bare:7.2f}")
    print(f"  {'prepared lock, point lifted':30} {prepared:7.2f}   {prepared / bare:.2f} x bare")
    print(f"  {'preparing one scalar':30} {per_call(lambda: Multipliers([987654321])):7.2f}")
    print(f"  {'lifting one point':30} {per_call(lambda: lift.__wrapped__(x)):7.2f}")


if __name__ == "__main__":
    main()
