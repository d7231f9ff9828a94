"""Trains expert's net by deep Monte Carlo: it plays against itself and learns what each move led to.

All four seats play the net's best move, or now and then any move; what is learned is the utility of the
deal's end for the mover's team. In a part of the deals one team is level hard, so that the net meets play
unlike its own.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from goat_engine.bots import inputs, weights
from goat_tools.training import compiled
from goat_tools.training.compiled import (
    MOST_ON,
    OVER,
    TERM_COUNT,
    WIDTH,
    Doubles,
    Floats,
    Ints,
    Shorts,
    add_rows,
    apply,
    best_by_heuristic,
    deal,
    encode,
    fast_math,
    jit,
    layers,
    legal,
    scratch,
    see,
    shuffle,
    utility,
    values_by_net,
)

Net: TypeAlias = tuple[Floats, Floats, Floats, Floats, Floats]
#: Inputs from here on tell what others declined to beat.
DECLINED = inputs.DECLINED
#: Moves with a choice in one deal: nine tricks of four seats, and claims that send some back.
MOST_MOVES = 80
#: Inputs of a sample; 62 were seen at most, 72 leaves room.
ROOM = 72


@dataclass(frozen=True, slots=True)
class Plan:
    """``rounds`` of ``deals`` each; exploration and rate of learning fall from first to last.

    ``taste``: worth of a win, of a defeat point, of a point of margin. ``hard``: share of deals with one team
    of level hard. ``blind``: the net is not shown what others declined to beat earlier; for measuring what that is
    worth.
    """

    rounds: int = 6000
    deals: int = 2000
    hidden: int = 128
    second: int = 32
    batch: int = 256
    explore: tuple[float, float] = (0.12, 0.03)
    rate: tuple[float, float] = (1e-3, 2e-5)
    taste: tuple[float, float, float] = (1.0, 0.25, 0.01)
    hard: float = 0.3
    blind: bool = False
    seed: int = 1
    check_every: int = 100


@jit
def generate(
    deals: int,
    explore: float,
    hard: float,
    rival: Doubles,
    taste: Doubles,
    net: Net,
    blind: bool,
    on: Shorts,
    number: Ints,
    goal: Floats,
) -> int:
    """Plays deals and writes a sample for every move with a choice made by the net; their number."""
    order, moves, s, terms = (
        np.zeros(36, np.int64),
        np.zeros(64, np.int64),
        np.zeros(WIDTH, np.int64),
        np.zeros(TERM_COUNT),
    )
    room, values, line = scratch(net), np.zeros(64), np.zeros(MOST_ON, np.int16)
    teams = np.zeros(MOST_MOVES, np.int64)
    total = 0
    for _ in range(deals):
        shuffle(order)
        deal(order, order[16 + np.random.randint(0, 20)], 3, np.random.randint(0, 4), s)
        by_hard = np.random.randint(0, 2) if np.random.random() < hard else 2
        begin = total
        while s[compiled.PHASE] != OVER:
            count = legal(s, moves)
            if count == 1:
                apply(s, order, moves[0])
                continue
            seen = see(s)
            team = s[compiled.TURN] & 1
            if team == by_hard:
                apply(s, order, best_by_heuristic(seen, moves, count, rival, terms))
                continue
            if np.random.random() < explore:
                move = moves[np.random.randint(0, count)]
            else:
                move = moves[values_by_net(seen, moves, count, net, room, values)]
            size = 0
            for k in range(encode(seen, move, line)):
                if not (blind and line[k] >= DECLINED):
                    on[total, size] = line[k]
                    size += 1
            number[total] = size
            teams[total - begin] = team
            total += 1
            apply(s, order, move)
        worth = utility(s, taste)
        for k in range(begin, total):
            goal[k] = worth if teams[k - begin] == 0 else -worth
    return total


@fast_math  # type: ignore[untyped-decorator]
def backward(
    error: float, net: Net, hidden: Floats, second: Floats, down: Floats, slopes: Net, on: Shorts, size: int
) -> None:
    """Adds one sample's slopes to ``slopes``."""
    w2, w3 = net[2], net[4]
    s1, t1, s2, t2, s3 = slopes
    n2 = second.shape[0]
    s3[n2] += error
    down[:] = np.float32(0.0)
    for j in range(n2):
        s3[j] += error * second[j]
        if second[j] > 0:
            slope = np.float32(error * w3[j])
            t2[j] += slope
            row, into = w2[j], s2[j]
            for i in range(hidden.shape[0]):
                into[i] += slope * hidden[i]
                down[i] += slope * row[i]
    for i in range(hidden.shape[0]):
        if hidden[i] <= 0:
            down[i] = np.float32(0.0)
        t1[i] += down[i]
    for k in range(size):
        into = s1[on[k]]
        for i in range(hidden.shape[0]):
            into[i] += down[i]


@fast_math  # type: ignore[untyped-decorator]
def adam(weight: Floats, slope: Floats, mean: Floats, square: Floats, rate: float, scale: float) -> None:
    """One step of Adam over flat arrays; clears the slopes."""
    for i in range(weight.shape[0]):
        g = slope[i] * np.float32(scale)
        mean[i] += np.float32(0.1) * (g - mean[i])
        square[i] += np.float32(0.001) * (g * g - square[i])
        weight[i] -= np.float32(rate) * mean[i] / (np.sqrt(square[i]) + np.float32(1e-8))
        slope[i] = np.float32(0.0)


@jit
def learn(
    total: int,
    batch: int,
    rate: float,
    net: Net,
    slopes: Net,
    means: Net,
    squares: Net,
    on: Shorts,
    number: Ints,
    goal: Floats,
) -> float:
    """One pass over the samples in random order; the mean squared error."""
    w1, b1, w2, b2, w3 = net
    n1, n2 = b1.shape[0], b2.shape[0]
    first, hidden, down = np.zeros(n1, np.float32), np.zeros(n1, np.float32), np.zeros(n1, np.float32)
    second = np.zeros(n2, np.float32)
    loss = 0.0
    turn = np.random.permutation(total)
    for begin in range(0, total - batch + 1, batch):
        for k in range(begin, begin + batch):
            sample = turn[k]
            first[:] = b1
            add_rows(first, w1, on[sample], 0, number[sample])
            error = layers(first, w2, b2, w3, hidden, second) - goal[sample]
            loss += error * error
            backward(error, net, hidden, second, down, slopes, on[sample], number[sample])
        scale = 1.0 / batch
        adam(w1.ravel(), slopes[0].ravel(), means[0].ravel(), squares[0].ravel(), rate, scale)
        adam(b1, slopes[1], means[1], squares[1], rate, scale)
        adam(w2.ravel(), slopes[2].ravel(), means[2].ravel(), squares[2].ravel(), rate, scale)
        adam(b2, slopes[3], means[3], squares[3], rate, scale)
        adam(w3, slopes[4], means[4], squares[4], rate, scale)
    return loss / total


def empty(hidden: int, second: int, count: int = inputs.INPUTS) -> Net:
    """A net of zeros."""
    shapes: tuple[Any, ...] = ((count, hidden), hidden, (second, hidden), second, second + 1)
    a, b, c, d, e = (np.zeros(shape, np.float32) for shape in shapes)
    return a, b, c, d, e


def fresh(hidden: int, second: int, seed: int, count: int = inputs.INPUTS) -> Net:
    """A net at the start of training."""
    rng = np.random.default_rng(seed)
    net = empty(hidden, second, count)
    net[0][:] = rng.normal(0, 0.15, net[0].shape)
    net[2][:] = rng.normal(0, (2 / hidden) ** 0.5, net[2].shape)
    net[4][:second] = rng.normal(0, (1 / second) ** 0.5, second)
    return net


def widened(net: Net, hidden: int, seed: int) -> Net:
    """The same net with more units in its first layer; the new ones have no say yet."""
    more = hidden - net[1].shape[0]
    if more <= 0:
        return net
    rng = np.random.default_rng(seed)
    fresh_rows = rng.normal(0, 0.15, (inputs.INPUTS, more)).astype(np.float32)
    return (
        np.ascontiguousarray(np.concatenate((net[0], fresh_rows), axis=1)),
        np.concatenate((net[1], np.zeros(more, np.float32))),
        np.ascontiguousarray(np.concatenate((net[2], np.zeros((net[2].shape[0], more), np.float32)), axis=1)),
        net[3],
        net[4],
    )


def against_hard(net: Net, pairs: int, seed: int) -> tuple[float, float, float]:
    """The net's share of deals won against level hard, half its 95 % interval, defeat points a deal."""
    compiled.seed(seed)
    hard = np.array(weights.TUNED)
    results = compiled.match(pairs, (1, 0), hard, hard, net, net)
    wins = results[:, 0] / 2
    return float(wins.mean()), float(1.96 * wins.std() / pairs**0.5), float(results[:, 2].mean() / 2)


def save(path: Path, net: Net) -> None:
    """The net as trained, in floats."""
    np.savez(path, w1=net[0], b1=net[1], w2=net[2], b2=net[3], w3=net[4])


def load(path: Path) -> Net:
    """A net written by ``save``."""
    with np.load(path) as data:
        return data["w1"], data["b1"], data["w2"], data["b2"], data["w3"]


def train(plan: Plan, path: Path, say: Callable[[str], None], start_from: Net | None = None) -> Net:
    """Trains a net, saving it to ``path`` as it goes; the average of its last tenth is what comes out."""
    net = widened(start_from, plan.hidden, plan.seed) if start_from else fresh(plan.hidden, plan.second, plan.seed)
    if plan.blind:
        net[0][DECLINED:] = 0.0
    hidden, second = net[1].shape[0], net[3].shape[0]
    slopes, means, squares = (empty(hidden, second) for _ in range(3))
    mean = empty(hidden, second)
    averaged = 0
    room = plan.deals * MOST_MOVES
    on, number, goal = np.zeros((room, ROOM), np.int16), np.zeros(room, np.int64), np.zeros(room, np.float32)
    rival, taste = np.array(weights.TUNED), np.array(plan.taste)
    begin, samples = time.monotonic(), 0
    for turn in range(plan.rounds):
        part = turn / plan.rounds
        explore = plan.explore[0] + (plan.explore[1] - plan.explore[0]) * part
        rate = plan.rate[0] * (plan.rate[1] / plan.rate[0]) ** part
        compiled.seed(plan.seed * 10_000_019 + turn)
        total = generate(plan.deals, explore, plan.hard, rival, taste, net, plan.blind, on, number, goal)
        loss = learn(total, plan.batch, rate, net, slopes, means, squares, on, number, goal)
        samples += total
        if part >= 0.9:
            averaged += 1
            for into, now in zip(mean, net, strict=True):
                into += (now - into) / averaged
        if turn % plan.check_every == plan.check_every - 1 or turn == plan.rounds - 1:
            won, half, defeat = against_hard(mean if averaged else net, 2000, 12345)
            say(
                f"{time.monotonic() - begin:6.0f} s  round {turn + 1}  {samples / 1e6:.1f} M samples  loss {loss:.3f}  "
                f"rate {rate:.1e}  against hard {100 * won:.2f} ± {100 * half:.2f} %  defeat points {defeat:+.3f}"
            )
            save(path, mean if averaged else net)
    return mean if averaged else net
