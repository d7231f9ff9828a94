"""From log to log: when the next one begins."""

import pytest

from goat_engine.rules import SEATS
from goat_net.log.chain import parse_record
from goat_net.log.fold import MatchStage
from goat_net.log.records import End, Verdict
from goat_net.wire.messages import Ready
from tests.world.world import World


@pytest.mark.parametrize("part", range(2))
@pytest.mark.sample(1, "each a whole match")
def test_no_log_begins_before_the_one_before_it_has_ended(part: int, seed: int) -> None:
    """W1: somebody was ready at "match over" before another seat's verdict was in: the next log began, the old one
    stayed without its last verdicts and its end, in the journal too."""
    world = World(seed + part)
    while world.table.fold is None or world.table.fold.stage is not MatchStage.OVER:
        assert world.step()
    table, old = world.table, world.table.fold
    assert old is not None
    assert any(old.owes_verdict(seat) for seat in SEATS)
    for held in table.seats:
        assert held is not None
        held.bot, held.ready, held.fresh = False, True, world.rng.randbytes(32)
    for one in world.seated:
        table.message(one.conn, Ready(True), world.now)
        world.drain()
        assert table.fold is old
    while old.stage is not MatchStage.ENDED:
        assert world.step()
    bodies = [parse_record(entry.record).body for entry in old.chain.entries]
    assert bodies[-1] == End(0)
    last = [b for b in bodies if isinstance(b, Verdict)][-4:]
    assert len(last) == 4
    assert len(set(last)) == 1
    assert table.fold is not old  # all were ready: the next one begins with the old one's end


def test_a_verdict_that_does_not_come_ends_the_log_without_it(seed: int) -> None:
    """W1: who has gone with the match keeps the next one waiting for some seconds, not for the grace time."""
    world = World(seed)
    while world.table.fold is None or world.table.fold.stage is not MatchStage.OVER:
        assert world.step()
    table, old = world.table, world.table.fold
    assert old is not None
    owing = next(seat for seat in SEATS if old.owes_verdict(seat))
    world.seated[owing].up.clear()
    world.seated[owing].player.due = lambda now: []  # type: ignore[method-assign,assignment]
    while any(s.up or s.down for s in world.seated):
        world.step()
    assert old.stage is MatchStage.OVER
    assert table.deadline is not None
    world.now = table.deadline
    table.tick(world.now)
    assert old.stage is MatchStage.ENDED
    assert world.now - table.debts.owed_since.get(owing, world.now) < 60
