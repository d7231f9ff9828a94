"""A critic that sees all hands: what a move leads to when everyone plays on like expert.

It never plays. ``goat_tools.training.beliefs`` asks it about hands it has imagined. It learns from results as
the net does, with moves the net would nearly have made tried often, so that they are known as well as those it makes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np

from goat_engine.bots import inputs
from goat_tools.training import compiled
from goat_tools.training.compiled import (
    CLAIM,
    DISCARD,
    FULL,
    HANDS,
    LAID,
    LEAD,
    MOST_ON,
    OVER,
    PHASE,
    POSITION,
    TURN,
    WIDTH,
    WON,
    Doubles,
    Floats,
    Ints,
    Shorts,
    Sight,
    _of_move,
    _of_sight,
    _put,
    _renamed,
    _suit_order,
    _value,
    apply,
    chance_to_take,
    deal,
    jit,
    legal,
    scratch,
    see,
    set_beats,
    shuffle,
    utility,
    values_by_net,
)
from goat_tools.training.train import MOST_MOVES, ROOM, Net, empty, fresh, learn, save

#: Inputs beyond those of a sight: three hands, then for each other seat whether it could beat the top set but has
#: played, or could and may.
HANDS_SEEN = inputs.INPUTS
ABLE = HANDS_SEEN + 108
CRITIC_INPUTS = ABLE + 6


@dataclass(frozen=True, slots=True)
class Plan:
    """``wild``: share of moves that are any move; ``soft``: share drawn among the good ones, with ``spread`` as the
    temperature, so that moves the net would nearly have made are known as well as those it makes."""

    rounds: int = 1500
    deals: int = 2000
    hidden: int = 192
    second: int = 32
    batch: int = 256
    wild: float = 0.03
    soft: float = 0.4
    spread: float = 0.1
    rate: tuple[float, float] = (1e-3, 1e-5)
    taste: tuple[float, float, float] = (1.0, 0.25, 0.01)
    seed: int = 1


@jit
def open_sight(s: Ints, order: Ints, seen: Sight) -> Sight:
    """A sight with nothing hidden: the real points, and in the place of unseen cards those still to be drawn."""
    us = s[TURN] & 1
    stock = 0
    for place in range(s[POSITION], 20):
        stock |= 1 << order[16 + place]
    return Sight(
        seen.phase,
        seen.trump,
        seen.hand,
        stock,
        0,
        seen.size,
        seen.top,
        seen.top_by,
        seen.after,
        _value(s[LAID] | s[LAID + 1] | s[LAID + 2] | s[LAID + 3]),
        0,
        seen.stock,
        seen.held,
        _value(s[WON + us]),
        _value(s[WON + 1 - us]),
        0,
        0,
        seen.us_tricks,
        seen.them_tricks,
        seen.may_claim,
        0,
        0,
        0,
    )


@jit
def open_shared(s: Ints, order: Ints, seen: Sight, suits: tuple[int, int, int, int], on: Shorts) -> int:
    """The critic's inputs that all moves share; their number."""
    count = _of_sight(open_sight(s, order, seen), suits, on)
    for step in range(3):
        count = _put(_renamed(s[HANDS + ((s[TURN] + step + 1) & 3)], suits), HANDS_SEEN + 36 * step, on, count)
    return count


@jit
def open_move(s: Ints, seen: Sight, suits: tuple[int, int, int, int], move: int, on: Shorts, count: int) -> int:
    """Adds the critic's inputs of a move; the new number."""
    end = _of_move(seen, move, chance_to_take(seen, move), suits, on, count)
    kind = move & ~FULL
    top = move & FULL if kind < DISCARD or kind == CLAIM else seen.top
    after = 3 if kind in (LEAD, CLAIM) else seen.after
    for step in range(3):
        if set_beats(s[HANDS + ((s[TURN] + step + 1) & 3)], top, seen.trump):
            on[end] = ABLE + 2 * step + (1 if step < after else 0)
            end += 1
    return end


@jit
def play(
    deals: int,
    wild: float,
    soft: float,
    spread: float,
    taste: Doubles,
    net: Net,
    on: Shorts,
    number: Ints,
    goal: Floats,
) -> int:
    """Plays deals among four of the net and writes a sample for every move with a choice; their number."""
    order, moves, s = np.zeros(36, np.int64), np.zeros(64, np.int64), np.zeros(WIDTH, np.int64)
    room, values, line = scratch(net), np.zeros(64), np.zeros(MOST_ON, np.int16)
    teams = np.zeros(MOST_MOVES, np.int64)
    total = 0
    for _ in range(deals):
        shuffle(order)
        deal(order, order[16 + np.random.randint(0, 20)], 3, np.random.randint(0, 4), s)
        begin = total
        while s[PHASE] != OVER:
            count = legal(s, moves)
            if count == 1:
                apply(s, order, moves[0])
                continue
            seen = see(s)
            chosen = values_by_net(seen, moves, count, net, room, values)
            chance = np.random.random()
            if chance < wild:
                chosen = np.random.randint(0, count)
            elif chance < wild + soft:
                best = -1e30
                for i in range(count):
                    value = values[i] - spread * log(-log(np.random.random() + 1e-12) + 1e-12)
                    if value > best:
                        best, chosen = value, i
            suits = _suit_order(seen)
            end = open_move(s, seen, suits, moves[chosen], line, open_shared(s, order, seen, suits, line))
            on[total, :end] = line[:end]
            number[total] = end
            teams[total - begin] = s[TURN] & 1
            total += 1
            apply(s, order, moves[chosen])
        worth = utility(s, taste)
        for k in range(begin, total):
            goal[k] = worth if teams[k - begin] == 0 else -worth
    return total


def train(plan: Plan, path: Path, say: Callable[[str], None], player: Net) -> Net:
    """Trains a critic of this net's play, saving it to ``path`` as it goes; the average of its last fifth."""
    net = fresh(plan.hidden, plan.second, plan.seed, CRITIC_INPUTS)
    slopes, means, squares, mean = (empty(plan.hidden, plan.second, CRITIC_INPUTS) for _ in range(4))
    size = plan.deals * MOST_MOVES
    on, number, goal = np.zeros((size, ROOM), np.int16), np.zeros(size, np.int64), np.zeros(size, np.float32)
    taste, begin, averaged, lost = np.array(plan.taste), time.monotonic(), 0, 0.0
    for turn in range(plan.rounds):
        part = turn / plan.rounds
        compiled.seed(plan.seed * 10_000_019 + turn)
        total = play(plan.deals, plan.wild, plan.soft, plan.spread, taste, player, on, number, goal)
        rate = plan.rate[0] * (plan.rate[1] / plan.rate[0]) ** part
        lost += learn(total, plan.batch, rate, net, slopes, means, squares, on, number, goal)
        if part >= 0.8:
            averaged += 1
            for into, now in zip(mean, net, strict=True):
                into += (now - into) / averaged
        if turn % 100 == 99 or turn == plan.rounds - 1:
            say(f"{time.monotonic() - begin:6.0f} s  round {turn + 1}  loss {lost / (turn % 100 + 1):.4f}")
            lost = 0.0
            save(path, mean if averaged else net)
    return mean if averaged else net
