"""Who would have played what: hands imagined behind a seat's view, weighed by all that the others did.

A measurement, not a level: it costs far more than a bot may think, compiled, and hundreds of times that in plain
Python. At each close decision many worlds are dealt that agree with the seat's view (as ``goat_engine.bots.worlds``
deals them), and the deal is gone through from its start in each: what another seat laid face down is drawn as expert
would have chosen in that world, and the world's weight is the chance that expert would have made every move that was
seen. The critic then says what each move leads to in each world, and its mean is set against the net's own judgement.

The loops are long because a compiled call with many arrays costs more than the lines it would save.
"""

from dataclasses import dataclass
from math import exp, log
from typing import TypeAlias

import numpy as np

from goat_tools.training import compiled
from goat_tools.training.compiled import (
    ASKING,
    CLAIM,
    DISCARD,
    FULL,
    HANDS,
    MOST_ON,
    OVER,
    PHASE,
    POSITION,
    SHOWN,
    TRICKS,
    TURN,
    WIDTH,
    WON,
    YIELD,
    Doubles,
    Ints,
    Room,
    Sight,
    _suit_order,
    _value,
    add_rows,
    apply,
    deal,
    jit,
    layers,
    legal,
    scratch,
    see,
    shuffle,
    values_by_net,
)
from goat_tools.training.critic import open_move, open_shared
from goat_tools.training.train import MOST_MOVES, ROOM, Net

#: How surely the better of two moves is made: a difference of this much in utility is a factor of e.
TEMPERATURE = 0.1
#: Share of moves that are any move: nothing legal is impossible.
SLIP = 0.03
#: A claim let pass is as rare as this.
LETS_PASS = 0.1
#: Moves within this of the net's best are looked at.
CLOSE = 0.2
IMPOSSIBLE = -1e9
#: A seat, its move, and whether a claim sent the cards back, by move.
Log: TypeAlias = Ints


@dataclass(frozen=True, slots=True)
class Plan:
    """``worlds`` a decision. The net's judgement counts as much as ``prior`` worlds. ``blind``: all worlds weigh the
    same, for comparison; they count as more then, so ``prior`` must be higher."""

    pairs: int = 20_000
    worlds: int = 200
    prior: float = 50.0
    blind: bool = False
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Found:
    """``won``: share of deals; ``defeat``: points a deal; each with half its 95 % interval. ``effective``: worlds'
    weights come to so many equal ones. ``nats``: surprise, a card the seat has not seen, at where it is, when all
    places are held equally likely, and when the worlds are believed."""

    won: tuple[float, float]
    defeat: tuple[float, float]
    effective: float
    changed: float
    nats: tuple[float, float]


@jit
def redeal(unseen: int, order: Ints, indicator: int, new: Ints) -> None:
    """Deals the cards a seat has not seen anew, to the slots they were in. The indicator was in the stock (R6)."""
    free, cards = np.zeros(36, np.int64), np.zeros(36, np.int64)
    count, late, rest = 0, 0, 0
    for slot in range(36):
        new[slot] = order[slot]
        if unseen >> order[slot] & 1:
            free[count] = slot
            count += 1
            late += 1 if slot >= 16 else 0
        if unseen >> slot & 1 and slot != indicator:
            cards[rest] = slot
            rest += 1
    place = count - 1 - np.random.randint(0, late) if rest < count else -1
    for i in range(rest - 1, 0, -1):
        j = np.random.randint(0, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    for i in range(count):
        if i == place:
            new[free[i]] = indicator
        else:
            rest -= 1
            new[free[i]] = cards[rest]


@jit
def soften(values: Doubles, count: int) -> None:
    """From what a net expects of moves to how probably each is made."""
    total, top = 0.0, values[:count].max()
    for i in range(count):
        values[i] = exp((values[i] - top) / TEMPERATURE)
        total += values[i]
    for i in range(count):
        values[i] = (1 - SLIP) * values[i] / total + SLIP / count


@jit
def replay(
    me: int, seen: Sight, shown: int, order: Ints, log_: Log, length: int, net: Net, room: Room, s: Ints
) -> float:
    """Goes through the log in the deal ``s``, imagined by ``me``; the logarithm of its weight.

    Of a discard of another seat only the number of cards is read from the log.
    """
    moves, values = np.zeros(64, np.int64), np.zeros(64)
    weight = 0.0
    for k in range(length):
        seat, move, returned = log_[k, 0], log_[k, 1], log_[k, 2]
        kind, size = move & ~FULL, (move & FULL).bit_count()
        while s[PHASE] == ASKING and kind < CLAIM:
            weight += log(LETS_PASS)
            apply(s, order, YIELD)
        if kind == YIELD and s[PHASE] != ASKING:
            continue
        if s[TURN] != seat:
            return IMPOSSIBLE
        if seat == me:
            apply(s, order, move)
            continue
        count = legal(s, moves)
        if count == 1:
            apply(s, order, moves[0])
            continue
        if returned:
            values[:] = 0.0
        else:
            values_by_net(see(s), moves, count, net, room, values)
        soften(values, count)
        likely, pick = 0.0, -1
        for i in range(count):
            fits = moves[i] == move
            if kind == DISCARD:
                # What was seen later was not laid down here; a whole hand goes whatever is in it.
                kept = size < 4 and returned == 0 and moves[i] & FULL & shown
                fits = moves[i] & ~FULL == DISCARD and not kept
            if fits:
                likely += values[i]
                if np.random.random() * likely < values[i]:
                    pick = i
        if pick < 0:
            return IMPOSSIBLE
        if returned == 0:
            weight += log(likely)
        apply(s, order, moves[pick])
    while s[PHASE] == ASKING and s[TURN] != me:
        weight += log(LETS_PASS)
        apply(s, order, YIELD)
    same = s[TURN] == me and s[PHASE] == seen.phase and s[HANDS + me] == seen.hand
    return weight if same else IMPOSSIBLE


@jit
def surprise(s: Ints, me: int, unseen: int, hands: Ints, weights: Doubles, effective: float, out: Doubles) -> None:
    """Adds the number of unseen cards and both surprises; see ``Found``."""
    total = unseen.bit_count()
    for card in range(36):
        if not unseen >> card & 1:
            continue
        even_rest, rest, even_real, real = 1.0, 1.0, -1.0, -1.0
        for step in range(3):
            hand = s[HANDS + ((me + step + 1) & 3)]
            even = (hand & unseen).bit_count() / total
            chance = 0.0
            for k in range(weights.shape[0]):
                chance += weights[k] * (hands[k, step] >> card & 1)
            chance = (chance * effective + 6 * even) / (effective + 6)
            even_rest -= even
            rest -= chance
            if hand >> card & 1:
                even_real, real = even, chance
        out[0] += 1
        out[1] -= log(even_real if even_real > 0 else even_rest)
        out[2] -= log(real if real > 0 else rest)


@jit
def choose(
    s: Ints, order: Ints, log_: Log, length: int, leader: int, plan: tuple[int, float, bool], net: Net, critic: Net,
    room: Room, critics_room: Room, told: Doubles,
) -> int:  # fmt: skip
    """A move by weighed worlds, of a seat with a choice. Reads of ``s`` and ``order`` what the seat knows; ``told``
    alone, a measurement, compares with the truth."""
    worlds, prior, blind = plan
    me, seen = s[TURN], see(s)
    moves, values = np.zeros(64, np.int64), np.zeros(64)
    count = legal(s, moves)
    best = values_by_net(seen, moves, count, net, room, values)
    close = values[:count] >= values[best] - CLOSE
    others = 0
    for k in range(length):
        others += 1 if log_[k, 0] != me else 0
    if close.sum() < 2 or others == 0:
        return moves[best]
    indicator = s[compiled.INDICATOR]
    suits = _suit_order(seen)
    new, imagined, line = np.zeros(36, np.int64), np.zeros(WIDTH, np.int64), np.zeros(ROOM + MOST_ON, np.int16)
    weights, hands, marks = np.full(worlds, IMPOSSIBLE), np.zeros((worlds, 3), np.int64), np.zeros((worlds, count))
    for k in range(worlds):
        redeal(seen.unseen, order, indicator, new)
        deal(new, indicator, 3, leader, imagined)
        weights[k] = replay(me, seen, s[SHOWN], new, log_, length, net, room, imagined)
        if weights[k] == IMPOSSIBLE:
            continue
        for step in range(3):
            hands[k, step] = imagined[HANDS + ((me + step + 1) & 3)]
        shared = open_shared(imagined, new, seen, suits, line)
        for i in range(count):
            if close[i]:
                end = open_move(imagined, seen, suits, moves[i], line, shared)
                critics_room[1][:] = critic[1]
                add_rows(critics_room[1], critic[0], line, 0, end)
                marks[k, i] = layers(critics_room[1], critic[2], critic[3], critic[4], critics_room[2], critics_room[3])
    top = weights.max()
    if top == IMPOSSIBLE:
        return moves[best]
    for k in range(worlds):
        weights[k] = 0.0 if weights[k] == IMPOSSIBLE else 1.0 if blind else exp(weights[k] - top)
    weights /= weights.sum()
    effective = 1.0 / (weights * weights).sum()
    chosen, highest = best, -1e30
    for i in range(count):
        if close[i]:
            value = (prior * values[i] + effective * (weights * marks[:, i]).sum()) / (prior + effective)
            if value > highest:
                highest, chosen = value, i
    surprise(s, me, seen.unseen, hands, weights, effective, told)
    told[3] += 1
    told[4] += effective
    told[5] += 1 if chosen != best else 0
    return moves[chosen]


@jit
def match(pairs: int, plan: tuple[int, float, bool], net: Net, critic: Net, told: Doubles) -> Doubles:
    """Duplicate pairs of weighed worlds against the net alone: for each pair wins (of 2) and defeat points won."""
    out = np.zeros((pairs, 2))
    order, moves, s, values = np.zeros(36, np.int64), np.zeros(64, np.int64), np.zeros(WIDTH, np.int64), np.zeros(64)
    room, critics_room, log_ = scratch(net), scratch(critic), np.zeros((2 * MOST_MOVES, 3), np.int64)
    for pair in range(pairs):
        shuffle(order)
        indicator = order[16 + np.random.randint(0, 20)]
        leader = np.random.randint(0, 4)
        for swap in range(2):
            deal(order, indicator, 3, leader, s)
            length, trick = 0, 0
            while s[PHASE] != OVER:
                count = legal(s, moves)
                move = moves[0]
                if count > 1 and (s[TURN] ^ swap) & 1:
                    move = moves[values_by_net(see(s), moves, count, net, room, values)]
                elif count > 1:
                    move = choose(s, order, log_, length, leader, plan, net, critic, room, critics_room, told)
                if move & ~FULL == CLAIM:
                    log_[trick:length, 2] = 1
                log_[length, 0], log_[length, 1], log_[length, 2] = s[TURN], move, 0
                length += 1
                tricks, position = s[TRICKS] + s[TRICKS + 1], s[POSITION]
                apply(s, order, move)
                if tricks != s[TRICKS] + s[TRICKS + 1] or position != s[POSITION]:
                    trick = length
            points = _value(s[WON + swap])
            out[pair, 0] += 1.0 if points > 60 else 0.5 if points == 60 else 0.0
            mine = 0.0 if points >= 60 else 6.0 if s[TRICKS + swap] == 0 else 4.0 if points <= 30 else 2.0
            theirs = 0.0 if points <= 60 else 6.0 if s[TRICKS + 1 - swap] == 0 else 4.0 if points >= 90 else 2.0
            out[pair, 1] += theirs - mine
    return out


def measure(plan: Plan, net: Net, critic: Net) -> Found:
    """Plays the pairs of a plan."""
    compiled.seed(plan.seed)
    told = np.zeros(6)
    results = match(plan.pairs, (plan.worlds, plan.prior, plan.blind), net, critic, told) / 2
    halves = 1.96 * results.std(axis=0) / plan.pairs**0.5
    means = results.mean(axis=0)
    cards, decisions = max(told[0], 1.0), max(told[3], 1.0)
    return Found(
        won=(float(means[0]), float(halves[0])),
        defeat=(float(means[1]), float(halves[1])),
        effective=float(told[4] / decisions),
        changed=float(told[5] / decisions),
        nats=(float(told[1] / cards), float(told[2] / cards)),
    )
