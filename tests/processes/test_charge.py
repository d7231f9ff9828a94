"""A seat that stays away costs its team 6 when the others say so and could not reach it (RULES.md R24)."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goat_engine.rules import team_of
from goat_net.log.absence_table import CHARGE
from goat_net.log.chain import parse_record
from goat_net.log.deal import DealStage
from goat_net.log.fold import Fold
from goat_net.log.records import Unheard, Vote
from goat_net.seat import seeded
from tests.processes.cast import Cast
from tests.processes.rehearsal import host_arguments
from tests.processes.seat import WATCHER, key_of

pytestmark = [
    pytest.mark.processes,
    pytest.mark.long("starts a table of processes"),
    pytest.mark.skipif(sys.platform != "linux", reason="who is a child of whom is read in /proc"),
]

OWNER, AWAY = 0, 2
LINES_BY = 4  # deals: more than four people need to have tried their lines to each other
GRACE = 3  # s; a slow machine must not make an honest seat late


@pytest.fixture
def cast(seed: int, tmp_path: Path) -> Iterator[Cast]:
    """A table of four people, who charge whom they cannot reach; seat 0 is the host's own."""
    name = f"charge{seed}"
    owner = key_of(seeded.seed_bytes(name), OWNER).public.hex()
    # A charge of 6 and a deal of 6 would end a match to 12 before the player is back.
    arguments = (*host_arguments(name, grace=GRACE), "--owner", owner, "--target", "99")
    made = Cast(tmp_path / "table", name, arguments, 0)
    made.seat_arguments = ("--vote", "charge")
    try:
        yield made
    finally:
        made.abandon()


def in_play(fold: Fold, *, after: int) -> bool:
    """Whether cards are out in a deal after so many."""
    return fold.deal is not None and fold.deal.number > after and fold.deal.state is not None


def votes_of(fold: Fold) -> dict[int, Vote]:
    """Who has said what about a seat."""
    records = (parse_record(e.record) for e in fold.chain.entries)
    return {r.author: r.body for r in records if isinstance(r.body, Vote)}


def unheard_by(fold: Fold) -> set[int]:
    """Whose machines have heard nothing of the seat."""
    records = (parse_record(e.record) for e in fold.chain.entries)
    return {r.author for r in records if isinstance(r.body, Unheard) and r.body.seat == AWAY}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_a_seat_that_stays_away_is_charged_and_a_bot_plays_on(cast: Cast, how: signal.Signals) -> None:
    """Frozen, its machine still takes connections, but nobody answers on them; thawed, its player watches until they
    ask for their seat."""
    folds = cast.journal.folds
    cast.begin()
    # Not in the first deals: who is to bear witness must have had a line to that seat, and tries one seat at a time.
    cast.until(lambda: in_play(cast.journal.fold, after=LINES_BY), "cards are out")
    first = cast.journal.fold
    if how == signal.SIGKILL:
        cast.lives[AWAY].kill()
    else:
        cast.lives[AWAY].process.send_signal(how)
    cast.until(lambda: AWAY in first.lost, "the others have voted")

    votes = votes_of(first)
    assert first.lost == {AWAY: CHARGE}
    assert {(seat, v.seat, v.choice) for seat, v in votes.items()} == {(1, AWAY, CHARGE), (3, AWAY, CHARGE)}
    assert unheard_by(first) - {OWNER, AWAY}  # the host's own machine alone does not prove it

    cast.until(lambda: len(folds) > 1 and bool(folds[1].finished), "the match goes on with a bot")
    second = folds[1]
    void = first.finished[-1]
    assert (void.outcome.result, void.outcome.blame, void.charged) == (None, None, team_of(AWAY))
    assert second.seats[AWAY].bot
    assert second.table is not None
    (carried,) = second.table.carried
    assert team_of(AWAY) == 0
    assert carried.defeat == (void.before.defeat[0] + 6, void.before.defeat[1])
    assert (carried.match_id, carried.eggs) == (first.id, void.before.eggs)
    assert (carried.dealer, carried.leader) == (void.before.dealer, void.before.leader)  # R25
    played = second.finished[0]
    assert played.before.defeat == carried.defeat
    assert played.outcome.result is not None

    if how == signal.SIGKILL:
        cast.start_seat(AWAY)
    else:
        cast.lives[AWAY].process.send_signal(signal.SIGCONT)
    cast.until(lambda: len(folds) > 2 and not folds[-1].seats[AWAY].bot, "its player has the seat again")
    assert folds[-1].table is not None
    assert folds[-1].table.carried[0].defeat >= carried.defeat  # nothing is taken off what it was charged
    cast.until(lambda: bool(cast.journal.fold.finished), "a deal is played by all four")
    (cast.folder / "hold").touch()
    cast.until(lambda: is_quiet(cast), "everybody has the whole log")
    cast.finish()
    assert {tuple(fold.offences) for fold in folds} == {()}
    for fold in folds[1:]:
        for done in fold.finished:
            assert done.charged is None
    assert set(folds[-1].finished[-1].verdicts.values()) == {folds[-1].finished[-1].right}
    assert len(folds[-1].finished[-1].verdicts) == 4


def is_quiet(cast: Cast) -> bool:
    """Whether the last deal is over and everybody has the log."""
    fold, last = cast.journal.fold, len(cast.journal.files) - 1
    between = fold.deal is not None and fold.deal.stage is DealStage.COMMIT and bool(fold.finished)
    if not between or any(map(fold.owes_verdict, range(4))):
        return False
    return len({cast.log_of(who, last) for who in (*cast.seats, WATCHER)} | {cast.journal.files[last].data}) == 1
