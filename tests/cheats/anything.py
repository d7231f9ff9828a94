"""Random values of every kind of message and record, within their bounds: what a hostile peer can send at all."""

import random
from typing import Any

from goat_net.deck.seeds import seed_commitment
from goat_net.log.deal import DealStage
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.records import HOST, Commit, Open
from goat_net.wire.codec import Bytes, Flag, Int, Many, Name, Registry, SignedText, Spec, Struct, Text

NAMES = ("Ada", "Bo", "Козёл", "x")


def value(rng: random.Random, spec: Spec, known: list[bytes]) -> Any:
    """A value that fits a spec; bytes are often some that were seen before."""
    match spec:
        case Int(low=low, high=high):
            return rng.choice((low, high, rng.randint(low, high), rng.randint(low, min(high, low + 4))))
        case Flag():
            return rng.random() < 0.5
        case Bytes(low=low, high=high):
            top = max(low, high)
            fitting = [b for b in known if low <= len(b) <= top]
            if fitting and rng.random() < 0.6:
                return rng.choice(fitting)
            sizes = [n for n in (low, top, 32, 64, 640, 1152) if low <= n <= top]
            return rng.randbytes(rng.choice(sizes))
        case Text(limit=limit, blank=blank):
            return rng.choice(["a", "b" * limit, *([""] if blank else [])])
        case SignedText(limit=limit, blank=blank, name=name):
            return rng.choice([*(NAMES if name else ["a", "b" * limit]), *([""] if blank else [])])
        case Name(blank=blank):
            return rng.choice([*NAMES, *([""] if blank else [])])
        case Many(item=item, low=low, high=high):
            return tuple(value(rng, item, known) for _ in range(rng.randint(low, min(high, low + 3))))
        case Struct():
            return struct(rng, spec, known)
    raise AssertionError(spec)


def struct(rng: random.Random, spec: Struct, known: list[bytes]) -> Any:
    """A value of a dataclass."""
    return spec.cls(*(value(rng, one, known) for _, one in spec.specs))


def anything(rng: random.Random, registry: Registry, known: list[bytes]) -> Any:
    """A value of a random kind."""
    _, spec = rng.choice(list(registry))
    return struct(rng, spec, known)


class Likely:
    """Bodies that move a log on: right commitments, openings, verdicts of seats whose seeds are made here."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.seeds: dict[tuple[int, int], bytes] = {}

    def body(self, fold: Fold, seat: int) -> Any:
        """Something this seat might honestly send now, or None."""
        deal = fold.deal
        if seat == HOST or deal is None or fold.stage not in (MatchStage.DEALS, MatchStage.OVER):
            return None
        if fold.owes_verdict(seat):
            return fold.finished[-1].right
        seed = self.seeds.setdefault((deal.number, seat), self.rng.randbytes(32))
        if deal.stage is DealStage.COMMIT:
            return Commit(seed_commitment(fold.id, deal.number, seat, seed))
        return Open(seed) if deal.stage is DealStage.OPEN else None


def known_bytes(fold: Fold) -> list[bytes]:
    """Bytes that stand in a log: commitments, decks, keys' hashes, ids."""
    out = [fold.id, fold.chain.head, bytes(32)]
    deal = fold.deal
    if deal is not None:
        out += [*deal.commitments.values(), deal.tag]
        out += [b"".join(d) for d in deal.shuffles] + [b"".join(c.stock) for c in deal.cuts]
        out += [b"".join(step.deck) for step in deal.locks] + [b"".join(step.key_hashes) for step in deal.locks]
        out += [k.to_bytes(32, "big") for k in list(deal.keys.values())[:8]]
        out += [s for s in deal.seeds.values() if s]
    return [b for b in out if b]
