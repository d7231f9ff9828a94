"""``python3 dev.py python -m goat_tools.selftest``: many deals among bots, every one checked.

All levels sit at the table in turn. Each deal must end, use each of the 36 cards once, give 120 points, and
every move offered and made must be legal. A part of the deals is played through the real rules as well, seat
by seat, each knowing only what it would know at a table.
"""

import argparse
import sys
import time
from collections import Counter
from random import Random
from typing import Final

from goat_engine.actions import Claim, Yield
from goat_engine.bots import choose
from goat_engine.bots.fast import ANSWERING, BEAT, CLAIM, DISCARD, FULL, KIND_NAMES, LEADING, OVER, State, beats, points
from goat_engine.bots.players import BASELINES, decide
from goat_engine.bots.rehearsal import Rehearsal
from goat_engine.bots.sight import moves, of_state
from goat_engine.levels import LEVELS
from goat_engine.match import score
from goat_engine.state import Phase

#: No deal is longer: nine tricks of four answers, and in each trick a claim that sends three back, then yields.
MOST_MOVES: Final = 108


class FaultError(Exception):
    """A deal went wrong; the text says which and how."""


def check_offer(state: State, choices: tuple[int, ...], where: str) -> None:
    """Judges the moves offered by the rules' own words, not by the engine's tables (R8-R10, R15)."""
    hand = state.hands[state.turn]
    if len(set(choices)) != len(choices) or not choices:
        raise FaultError(f"{where}: moves are missing or offered twice")
    for move in choices:
        kind, mask = move & ~FULL, move & FULL
        if mask & ~hand:
            raise FaultError(f"{where}: a card is offered that is not in the hand")
        one_suit = any(mask & 0x1FF << 9 * suit == mask for suit in range(4))
        size = mask.bit_count()
        if state.phase == LEADING:
            fine = kind == 0 and one_suit and size > 0
        elif kind == CLAIM:
            fine = one_suit and size == 4 and state.size < 5
        elif state.phase == ANSWERING:
            fine = size == state.size and kind in (BEAT, DISCARD)
            fine = fine and (kind == DISCARD or beats(mask, state.top, state.trump))
        else:
            fine = mask == 0
        if not fine:
            raise FaultError(f"{where}: an illegal move is offered")


def play_fast(number: int, seed: int, seen: Counter[str]) -> None:
    """One deal in the fast engine."""
    rng = Random(f"selftest {seed} {number}")
    state = State.random(rng, dealer=rng.randrange(4), leader=rng.randrange(4))
    names = (*LEVELS, *BASELINES)
    players = [rng.choice(names) for _ in range(4)]
    for count in range(MOST_MOVES + 1):
        if state.phase == OVER:
            break
        where = f"deal {number} of seed {seed}, move {count}"
        choices = state.legal()
        check_offer(state, choices, where)
        sight = of_state(state)
        if moves(sight) != choices:
            raise FaultError(f"{where}: the seat sees other moves than there are")
        move = decide(players[state.turn], sight, rng)
        if move not in choices:
            raise FaultError(f"{where}: {players[state.turn]} makes a move that was not offered")
        seen[KIND_NAMES[move >> 36]] += 1
        state.apply(move)
    else:
        raise FaultError(f"deal {number} of seed {seed}: does not end")
    won = state.won
    if won[0] | won[1] != FULL or won[0] & won[1] or sum(map(points, won)) != 120 or any(state.hands):
        raise FaultError(f"deal {number} of seed {seed}: cards or points are lost")
    seen["deals"] += 1
    seen["eggs"] += points(won[0]) == 60
    seen["no trick"] += 0 in state.tricks


def play_real(number: int, seed: int, seen: Counter[str]) -> None:
    """One deal through the rules, with each seat's own knowledge."""
    rng = Random(f"selftest real {seed} {number}")
    deck = list(range(36))
    rng.shuffle(deck)
    game = Rehearsal(deck, rng.choice(deck[16:]), rng.randrange(4), rng.randrange(4))
    players = [rng.choice(LEVELS) for _ in range(4)]
    for _ in range(3 * MOST_MOVES):
        seat = game.whole.turn
        if seat is None:
            break
        view = game.view(seat)
        action = choose(view, rng, players[seat])
        if action not in view.actions():
            raise FaultError(f"real deal {number} of seed {seed}: {players[seat]} plays what the rules do not offer")
        if isinstance(action, Claim | Yield):
            seen[f"real {type(action).__name__.lower()}"] += 1
        game.act(seat, action)
    if game.whole.phase is not Phase.OVER or sum(score(game.whole).points) != 120:
        raise FaultError(f"real deal {number} of seed {seed}: does not end in 120 points")
    seen["real deals"] += 1


def run(deals: int, real: int, seed: int) -> Counter[str]:
    """Plays ``deals`` fast ones and ``real`` through the rules; what was seen. Raises FaultError at the first fault."""
    seen: Counter[str] = Counter()
    begin = shown = time.monotonic()
    for number in range(deals):
        play_fast(number, seed, seen)
        now = time.monotonic()
        if sys.stderr.isatty() and now - shown > 1:
            shown = now
            left = (now - begin) / (number + 1) * (deals - number - 1)
            sys.stderr.write(f"\r{number + 1} of {deals} deals, {left:.0f} s left ")
    for number in range(real):
        play_real(number, seed, seen)
    missing = [name for name in KIND_NAMES if not seen[name]]
    if missing and deals >= 20_000:
        raise FaultError(f"never seen in {deals} deals: {', '.join(missing)}")
    return seen


def main(arguments: list[str] | None = None) -> int:
    """The command: 0 all good, 1 a fault (named on stderr)."""
    parser = argparse.ArgumentParser(prog="python3 dev.py python -m goat_tools.selftest", description=__doc__)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--real", type=int, default=1000, help="deals played through the rules (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    begin = time.monotonic()
    try:
        seen = run(args.deals, args.real, args.seed)
    except FaultError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    for name, count in seen.items():
        sys.stdout.write(f"{name:14} {count}\n")
    sys.stdout.write(f"All ended with 36 cards and 120 points, no illegal move; {time.monotonic() - begin:.0f} s.\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
