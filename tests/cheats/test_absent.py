"""R24: who is silent or leaves, who decides about it, and what that costs."""

from typing import Any

import pytest

from goat_engine.rules import team_of
from goat_net.log.absence_table import CHARGE, LET_GO, WAIT
from goat_net.log.deal import DealStage
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.records import Away, Open
from goat_net.seat.player import Player
from tests.cheats.kit import Cast, CheatWorld, Scheme, Schemer, stage_of

PEOPLE = frozenset(range(4))


class Leaves(Scheme):
    """Leaves when ``when`` says so, and then says nothing more."""

    once = False

    def __init__(self, when: Any, *, silent: bool = True) -> None:
        super().__init__()
        self.when, self.silent, self.left = when, silent, False

    def body(self, c: Schemer, body: Any) -> Any:
        """Nothing any more."""
        return None if self.left and self.silent else body

    def raw(self, c: Schemer) -> list[bytes]:
        """The leave, once."""
        if self.left or c.unconfirmed is not None or not self.when(c):
            return []
        self.left = True
        self.mark(c)
        c.leave()
        return c.due(0.0)

    def over(self, c: Schemer) -> bool:
        """Never."""
        return False


def playing(c: Schemer) -> bool:
    deal = c.fold.deal
    return deal is not None and deal.number == 1 and len(deal.steps) > 4


def opened(c: Schemer) -> bool:
    deal = c.fold.deal
    return deal is not None and deal.number == 1 and deal.stage is DealStage.OPEN and c.seat in deal.seeds


def world_of(
    scheme: Scheme, seed: int, *, seat: int = 1, people: frozenset[int] = PEOPLE, owner: int = 0
) -> CheatWorld:
    return CheatWorld(seed, scheme, seat=seat, cast=Cast(people=people, owner=owner))


def judged(world: CheatWorld) -> Fold:
    assert world.run_until(lambda: world.settled(1), wait=True)
    return world.judged


@pytest.mark.parametrize(("choice", "charged"), [(CHARGE, 1), (LET_GO, None)])
def test_who_leaves_by_his_own_word_may_be_charged_without_another_proof(
    choice: int, charged: int | None, seed: int
) -> None:
    world = world_of(Leaves(playing), seed)
    world.votes, world.unreached = dict.fromkeys(range(4), choice), dict.fromkeys(range(4), False)
    fold = judged(world)
    assert fold.finished[0].charged == charged
    assert fold.finished[0].outcome.result is None
    assert fold.lost == {1: choice}


def test_leaving_after_ones_opening_neither_voids_the_deal_nor_costs_anything(seed: int) -> None:
    for attempt in range(10):
        world = world_of(Leaves(opened, silent=False), seed + attempt)
        fold = judged(world)
        assert fold.finished[0].outcome.result is not None
        if 1 in fold.lost:
            return
    pytest.fail("nobody left between their opening and the last one")


def test_a_host_who_leaves_is_decided_about_like_anybody(seed: int) -> None:
    world = world_of(Leaves(playing), seed, seat=0, owner=0)
    fold = judged(world)
    assert fold.finished[0].charged == team_of(0)


def test_the_hosts_own_client_is_no_witness_that_a_seat_cannot_be_reached(seed: int) -> None:
    world = world_of(Leaves(lambda c: False), seed)
    world.unreached = {0: True, 2: False, 3: False}
    world.run_until(lambda: bool(world.table.fold and world.table.fold.deal and len(world.table.fold.deal.steps) > 4))
    world.seated[1].silent = True
    assert world.scheme is not None
    world.scheme.seat = 1
    fold = judged(world)
    assert fold.lost[1] == LET_GO
    assert fold.finished[0].charged is None


def test_without_a_majority_it_is_excuse(seed: int) -> None:
    world = world_of(Leaves(playing), seed)
    world.votes = {0: CHARGE, 2: LET_GO, 3: WAIT}
    assert judged(world).finished[0].charged is None


def test_where_bots_alone_are_left_the_deal_is_excused_at_once(seed: int) -> None:
    world = world_of(Leaves(playing), seed, seat=1, people=frozenset({1}), owner=1)
    fold = judged(world)
    assert fold.lost == {1: LET_GO}
    assert world.now < 100, "nobody waited"


def test_the_people_wait_on_and_are_asked_again_and_who_comes_back_plays_on(seed: int) -> None:
    world = world_of(Leaves(lambda c: False), seed)
    world.votes = dict.fromkeys(range(4), WAIT)
    world.run_until(lambda: bool(world.table.fold and world.table.fold.deal and len(world.table.fold.deal.steps) > 4))
    fold = world.table.fold
    assert fold is not None
    world.seated[1].silent = True

    def asked() -> int:
        bodies = [e.record for e in fold.chain.entries]
        from goat_net.log.chain import parse_record

        return sum(1 for b in bodies if isinstance(parse_record(b).body, Away))

    before = asked()
    assert world.run_until(lambda: asked() >= before + 2, wait=True), "asked once only"
    assert not fold.lost
    world.seated[1].silent = False
    world.seated[1].act()
    assert world.run_until(lambda: world.settled(1), wait=True)
    assert fold.finished[0].outcome.result is not None
    assert not any(fold.votes.values())


def test_a_seat_that_is_lost_opens_what_it_had_committed_to_and_sends_nothing_else(seed: int) -> None:
    world = world_of(Leaves(playing), seed)
    world.unreached = dict.fromkeys(range(4), True)
    assert world.run_until(lambda: bool(world.table.fold and world.table.fold.lost), wait=True)
    fold = world.table.fold
    assert fold is not None
    player: Player = world.seated[1].player
    assert 1 not in fold.waits_for()
    assert isinstance(player, Schemer)
    if stage_of(fold) is DealStage.OPEN:
        from goat_net.log.chain import parse_record

        deal = fold.deal
        assert deal is not None
        mine = {"counter": fold.counters[1], "seen": len(fold.chain), "seen_head": fold.chain.head}
        assert fold.judge(parse_record(player.sign(Open(player._seed(deal)), **mine))).good
        assert fold.judge(parse_record(player.sign(Open(bytes(32)), **mine))).fault is not None


def test_a_seat_that_is_silent_before_the_match_gives_its_place_up(seed: int) -> None:
    world = world_of(Leaves(lambda c: False), seed)
    world.seated[2].silent = True
    assert world.run_until(lambda: bool(world.table.fold and world.table.fold.stage is MatchStage.ENDED), wait=True)
    assert world.table.seats[2] is None
    assert world.table.fold is not None
    assert not world.table.fold.offences


def test_a_verdict_that_never_comes_does_not_keep_a_match_from_ending(seed: int) -> None:
    world = CheatWorld(seed, cast=Cast(people=frozenset({0, 1, 2, 3}), owner=0))
    world.run_until(lambda: world.settled(1))
    first = world.table.fold
    assert first is not None

    def last_open() -> bool:
        return first.stage is MatchStage.OVER

    for guest in world.seated:
        guest.rng.seed(1)
    world.run_until(lambda: last_open() or not first.open, wait=True, steps=200_000)
    silent = next((s for s in range(4) if first.owes_verdict(s)), None)
    assert silent is not None
    world.seated[silent].silent = True
    assert world.run_until(lambda: first.stage is MatchStage.ENDED, wait=True)
    assert first.match is not None
    assert first.match.goat is not None
