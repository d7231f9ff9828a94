"""Whole deals and matches in the world: everybody comes to the same state and the same result."""

import pytest

from goat_engine.cards import DECK_POINTS
from goat_net.log.chain import read_file
from goat_net.log.fold import Fold, MatchStage
from tests.world.world import World


@pytest.mark.parametrize("seed", range(4))
def test_two_deals_end_with_four_equal_verdicts(seed: int) -> None:
    world = World(seed)
    world.run(deals=2)
    fold = world.table.fold
    assert fold is not None
    for done in fold.finished[:2]:
        assert done.outcome.result is not None
        assert sum(done.outcome.result.points) == DECK_POINTS
        assert set(done.verdicts.values()) == {done.outcome.verdict()}
        assert len(done.verdicts) == 4


def test_a_match_ends_with_a_goat_and_its_journal_folds_to_the_same() -> None:
    world = World(7)
    world.run()
    fold = world.table.fold
    assert fold is not None
    assert fold.stage is MatchStage.ENDED
    assert fold.match is not None
    assert fold.match.goat is not None
    again = Fold()
    for entry in read_file(world.journal[fold.chain.log_id]):
        again.take(entry)
    assert again.chain.head == fold.chain.head
    assert again.match == fold.match


def test_own_states_agree_with_the_public_one_and_know_only_what_they_may() -> None:
    world = World(11)
    seen = 0
    for _ in range(4000):
        if not world.step():
            break
        fold = world.table.fold
        if fold is None or fold.deal is None or fold.deal.state is None:
            continue
        for s in world.seated:
            if s.player.own is None or len(s.player.fold.chain) != len(fold.chain):
                continue
            own = s.player.own
            assert own.public_key() == fold.deal.state.public_key()
            foreign = [x for q in range(4) if q != s.seat for x in own.hands[q] if x not in own.shown]
            assert not any(x in own.known for x in foreign)
            seen += 1
    assert seen > 500
