"""The heuristic: a move is worth a weighted sum of things a player would name.

``terms`` is the only place where play is judged. It is written with ints and floats alone, so that training
can compile it (``goat_tools.training``) and there is one heuristic, not two. Weights are data
(``goat_engine.bots.weights``); the tuner finds them.
"""

from collections.abc import Sequence
from math import comb
from operator import mul
from typing import Final

from goat_engine.bots.fast import BEAT, BEATERS, CLAIM, DISCARD, FULL, LEAD, SUIT_POINTS, SUITS, YIELD
from goat_engine.bots.sight import Sight

#: The three parameters that bend the terms rather than weigh them, then the terms' weights, in order.
PARAMETERS: Final = (
    "partner rescues",  # how surely the partner, able to, beats an opponent who beat us
    "partner takes",  # how surely the partner, able to, beats what the opponents lead
    "fed",  # share of an average card's points in each card still to be laid
)
_RANKS: Final = ("6", "7", "8", "9", "J", "Q", "K", "10", "A")
TERMS: Final = (
    "points at stake",
    "initiative",
    "initiative late",
    "first trick",
    "their first trick",
    "two cards",
    "three cards",
    "takes with two",
    "takes with three",
    "beats partner",
    "beats partner's sure trick",
    *(f"keeps {rank}" for rank in _RANKS),
    *(f"keeps trump {rank}" for rank in _RANKS),
    *(f"keeps {rank} late" for rank in _RANKS),
    *(f"keeps trump {rank} late" for rank in _RANKS),
    "keeps a pair",
    "keeps three of a suit",
    "keeps a pair late",
    "keeps a top card",
    "keeps a sure card late",
    "molodka",
    "decides the deal",
    "loses the deal",
)
COUNT: Final = len(PARAMETERS) + len(TERMS)
(
    STAKE,
    INITIATIVE,
    INITIATIVE_LATE,
    FIRST_TRICK,
    THEIR_FIRST_TRICK,
    TWO,
) = range(6)
TAKES_WITH_TWO: Final = 7
BEATS_PARTNER: Final = 9
BEATS_SURE: Final = 10
KEEPS: Final = 11
KEEPS_LATE: Final = 29
PAIR: Final = 47
THREE: Final = 48
PAIR_LATE: Final = 49
TOP_CARD: Final = 50
SURE_LATE: Final = 51
MOLODKA: Final = 52
DECIDES: Final = 53
LOSES: Final = 54

#: Most cards a seat can not know: all but its own four.
MOST_UNSEEN: Final = 36


def _tails() -> list[float]:
    """Chance that of ``hand`` cards out of ``unseen``, ``good`` of which are good, at least ``need`` are."""
    table: list[float] = []
    for unseen in range(MOST_UNSEEN + 1):
        for good in range(MOST_UNSEEN + 1):
            for hand in range(5):
                ways = comb(unseen, hand)
                exact = [comb(good, k) * comb(max(unseen - good, 0), hand - k) for k in range(hand + 1)]
                for need in range(5):
                    fits = good <= unseen and ways
                    table.append(sum(exact[need:]) / ways if fits else float(need == 0))
    return table


#: Flat: ``((unseen * 37 + good) * 5 + hand) * 5 + need``.
TAILS: Final = _tails()


def value(mask: int) -> int:
    """Points of a set of cards."""
    return (
        SUIT_POINTS[mask & 511]
        + SUIT_POINTS[mask >> 9 & 511]
        + SUIT_POINTS[mask >> 18 & 511]
        + SUIT_POINTS[mask >> 27 & 511]
    )


def chance_beaten(unseen: int, held: int, trump: int, top: int) -> float:
    """About how probably a hidden hand of ``held`` cards, drawn from ``unseen``, can beat the set ``top``."""
    total = unseen.bit_count()
    need = top.bit_count()
    if held > total:
        held = total
    chance = 1.0
    rest = top & ~SUITS[trump]
    for _ in range(2):
        while rest:
            low = rest & -rest
            rest ^= low
            good = (unseen & BEATERS[trump][(low - 1).bit_count()]).bit_count()
            tail = TAILS[((total * 37 + good) * 5 + held) * 5 + need]
            chance = min(chance, tail)
            need -= 1
        rest = top & SUITS[trump]
    return chance


def take_chance(sight: Sight, kind: int, mask: int, rescue: float, partner_takes: float) -> float:
    """Chance that the trick goes to us if this move is made."""
    after = 3 if kind in (CLAIM, LEAD) else sight.after
    if kind == YIELD:
        after = (4 - sight.top_by) & 3
    opponents = 2 if after == 3 else 1 if after else 0
    if kind in (DISCARD, YIELD):
        beaten = chance_beaten(sight.unseen, sight.held, sight.trump, sight.top)
        if sight.top_by == 2:
            return (1.0 - beaten) ** opponents
        return beaten * partner_takes if after >= 2 else 0.0
    beaten = chance_beaten(sight.unseen, sight.held, sight.trump, mask)
    take = 1.0
    for _ in range(opponents):
        take *= 1.0 - beaten
    if after >= 2:
        take += (1.0 - take) * beaten * rescue
    return take


def terms(sight: Sight, move: int, weights: Sequence[float], out: list[float]) -> None:
    """Fills ``out`` (of ``len(TERMS)``, all zero) with the terms of a move, in the order of ``TERMS``."""
    kind = move & ~FULL
    mask = move & FULL if kind != YIELD else sight.hand
    late = sight.stock == 0
    size = mask.bit_count()
    after = 3 if kind in (CLAIM, LEAD) else sight.after
    unseen = sight.unseen
    take = take_chance(sight, kind, mask, weights[0], weights[1])

    count = unseen.bit_count()
    average = value(unseen) / count if count else 0.0
    laid, hidden = sight.table_points, sight.table_hidden
    if kind == CLAIM:
        laid, hidden = 0, 0
    stake = laid + value(mask) + average * (hidden + weights[2] * after * size)
    out[STAKE] = (2.0 * take - 1.0) * stake / 30.0
    out[INITIATIVE_LATE if late else INITIATIVE] = take
    if sight.us_tricks == 0:
        out[FIRST_TRICK] = take
    if sight.them_tricks == 0:
        out[THEIR_FIRST_TRICK] = 1.0 - take
    if kind == LEAD and 2 <= size <= 3:
        out[TWO + size - 2] = 1.0
        out[TAKES_WITH_TWO + size - 2] = take
    if kind == BEAT and sight.top_by == 2:
        out[BEATS_PARTNER] = 1.0
        beaten = chance_beaten(unseen, sight.held, sight.trump, sight.top)
        out[BEATS_SURE] = 1.0 - beaten if sight.after else 1.0
    if kind == CLAIM or (kind == LEAD and size == 4):
        out[MOLODKA] = 1.0
    known = sight.us_points + average * sight.us_hidden
    if known < 61 <= known + stake:
        out[DECIDES] = take
    known = sight.them_points + average * sight.them_hidden
    if known < 60 <= known + stake:
        out[LOSES] = 1.0 - take

    kept = sight.hand & ~mask
    base = KEEPS_LATE if late else KEEPS
    rest = kept
    while rest:
        low = rest & -rest
        rest ^= low
        card = (low - 1).bit_count()
        suit = card // 9
        rank = card - 9 * suit
        higher = unseen & BEATERS[sight.trump][card]
        if suit == sight.trump:
            out[base + 9 + rank] += 1.0
        else:
            out[base + rank] += 1.0
        if late:
            if not higher:
                out[SURE_LATE] += 1.0
        elif not higher & SUITS[suit]:
            out[TOP_CARD] += 1.0
    if kept & (kept - 1):
        for suit in range(4):
            number = (kept & SUITS[suit]).bit_count()
            if number >= 2:
                out[PAIR_LATE if late else PAIR] += 1.0
                if number == 3 and not late:
                    out[THREE] = 1.0


def score(sight: Sight, move: int, weights: Sequence[float]) -> float:
    """How good a move looks; comparable only among the moves of one sight."""
    out = [0.0] * len(TERMS)
    terms(sight, move, weights, out)
    total: float = sum(map(mul, out, weights[len(PARAMETERS) :]))
    return total


#: Set by hand, as a player would put it; the point of departure of the tuner and the play of easy and medium.
BY_HAND: Final[tuple[float, ...]] = (
    *(0.5, 0.6, 0.5),
    *(3.0, 0.35, 0.5, 0.5, -0.5, 0.1, 0.2, 0.0, 0.0, -0.2, -0.4),
    *(-0.10, -0.08, -0.05, 0.0, 0.02, 0.05, 0.10, 0.15, 0.30),
    *(0.25, 0.28, 0.30, 0.33, 0.36, 0.40, 0.45, 0.55, 0.70),
    *(-0.10, -0.08, -0.05, 0.0, 0.02, 0.05, 0.10, 0.10, 0.25),
    *(0.20, 0.22, 0.25, 0.28, 0.30, 0.35, 0.40, 0.45, 0.60),
    *(0.05, 0.10, 0.05, 0.10, 0.25, 3.0, 0.5, -0.5),
)
assert len(BY_HAND) == COUNT


def best(sight: Sight, moves: Sequence[int], weights: Sequence[float]) -> int:
    """The move with the highest score; the first of equals."""
    if len(moves) == 1:
        return moves[0]
    return max(moves, key=lambda move: score(sight, move, weights))
