"""Bots against bots in duplicate pairs: the same deal twice, the teams swapped, so that luck cancels out.

The clock that times moves is an argument; everything else follows from the seed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from typing import Final, TypeAlias

from goat_engine.bots.fast import OVER, State, defeat_points
from goat_engine.bots.players import decide
from goat_engine.bots.sight import of_state

#: The names of a team's two players.
Team: TypeAlias = tuple[str, str]
#: Deciles of a normal distribution that hold 95 % of it.
NORMAL_95: Final = 1.96


@dataclass(slots=True)
class Pace:
    """Time spent on moves that had a choice, in seconds."""

    moves: int = 0
    total: float = 0.0
    longest: float = 0.0

    def add(self, seconds: float) -> None:
        """One more move."""
        self.moves += 1
        self.total += seconds
        self.longest = max(self.longest, seconds)

    def join(self, other: "Pace") -> None:
        """What another process measured."""
        self.moves += other.moves
        self.total += other.total
        self.longest = max(self.longest, other.longest)

    @property
    def mean(self) -> float:
        """Seconds a move."""
        return self.total / self.moves if self.moves else 0.0


@dataclass(slots=True)
class Outcome:
    """Per pair, for team A: share of the two deals won (60:60 is half), mean margin in points, mean defeat
    points given less those taken. ``paces``: of A's and B's first players."""

    wins: list[float] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    defeats: list[float] = field(default_factory=list)
    paces: tuple[Pace, Pace] = field(default_factory=lambda: (Pace(), Pace()))

    def join(self, other: "Outcome") -> None:
        """What another process played."""
        self.wins += other.wins
        self.margins += other.margins
        self.defeats += other.defeats
        for mine, theirs in zip(self.paces, other.paces, strict=True):
            mine.join(theirs)


def interval(numbers: Sequence[float]) -> tuple[float, float]:
    """The mean and half the width of its 95 % interval; the half is 0 below two numbers."""
    count = len(numbers)
    if not count:
        return 0.0, 0.0
    mean = sum(numbers) / count
    if count < 2:
        return mean, 0.0
    variance = sum((number - mean) ** 2 for number in numbers) / (count - 1)
    return mean, NORMAL_95 * sqrt(variance / count)


def play(
    state: State, players: Sequence[str], rng: Random, paces: Sequence[Pace | None], clock: Callable[[], float]
) -> None:
    """Plays a deal to its end; ``players`` and ``paces`` by seat."""
    while state.phase != OVER:
        seat = state.turn
        choices = state.legal()
        if len(choices) == 1:
            state.apply(choices[0])
            continue
        seen = of_state(state)
        begin = clock()
        move = decide(players[seat], seen, rng)
        pace = paces[seat]
        if pace is not None:
            pace.add(clock() - begin)
        state.apply(move)


def pairs(first: int, count: int, seed: int, a: Team, b: Team, clock: Callable[[], float]) -> Outcome:
    """Pairs ``first`` to ``first + count - 1`` of a seed; the same whoever plays them and in what parts."""
    outcome = Outcome()
    for number in range(first, first + count):
        deck = Random(f"deal {seed} {number}")
        leader = deck.randrange(4)
        dealt = State.random(deck, dealer=(leader - 1) % 4, leader=leader)
        wins = margin = defeat = 0.0
        for swap in (0, 1):
            state = dealt.copy()
            sides = (a, b) if swap == 0 else (b, a)
            players = [sides[0][0], sides[1][0], sides[0][1], sides[1][1]]
            paces: list[Pace | None] = [outcome.paces[swap], outcome.paces[1 - swap], None, None]
            play(state, players, Random(f"bots {seed} {number} {swap}"), paces, clock)
            mine, theirs = state.result()[swap], state.result()[1 - swap]
            wins += 0.5 if mine > theirs else 0.25 if mine == theirs else 0.0
            margin += (mine - theirs) / 2
            lost = defeat_points(mine, state.tricks[swap])
            defeat += (defeat_points(theirs, state.tricks[1 - swap]) - lost) / 2
        outcome.wins.append(wins)
        outcome.margins.append(margin)
        outcome.defeats.append(defeat)
    return outcome
