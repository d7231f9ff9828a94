"""A table that is handed over: the match goes on at another player's, and nobody types an address (U6)."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from goat_net.log.chain import parse_record
from goat_net.log.fold import END_CLOSED, Fold, MatchStage
from goat_net.log.records import End
from goat_net.log.succession import Altered
from goat_net.seat.handing import hand_over
from goat_net.seat.session import TableSession
from goat_net.seat.tableview import Stage
from goat_net.wire.identity import Identity
from goat_net.wire.messages import HOST_LEFT, HandOver
from tests.host.room import Room, room


def copied(fold: Fold) -> Fold:
    """The same log, folded anew: what a table that goes on with a saved match reads."""
    again = Fold()
    for entry in fold.chain.entries:
        again.take(entry)
    return again


def next_room(group: asyncio.TaskGroup, seed: int, host: TableSession) -> Room:
    """The table that this player opens, from the match as their client has it."""
    assert host.player is not None
    out = Room(group, seed + 1)
    out.table.setup = replace(out.table.setup, owner=host.identity.public)
    out.table.carry_on(copied(host.player.fold))
    return out


async def taken(at: Room, owner: TableSession, next_host: TableSession, group: asyncio.TaskGroup, seed: int) -> Room:
    """The owner offers the table, and this player has taken it: theirs is open."""
    next_host.opens_tables = True
    seat = next_host.view.me
    assert seat is not None
    owner.offer(seat)
    await at.until(lambda: next_host.view.next_host is not None)
    next_host.take_over(True)
    await next_host.taking.wait()
    other = next_room(group, seed, next_host)
    next_host.opened(other.table.identity.public, (f"127.0.0.1:{other.server.port}",))
    return other


async def test_the_match_goes_on_at_the_next_hosts_table(seed: int) -> None:
    """U6: between two deals everybody is at the new table, by what its host has signed; the score is the old one, no
    deal is lost, nobody is asked about anything, and the old host's seat goes to a bot."""
    async with asyncio.TaskGroup() as group, room(seed) as old:
        owner, second, third = people = await old.begin(0, 1, 2)
        other = await taken(old, owner, third, group, seed)
        await old.until(lambda: all(s.view.next_host is not None and s.view.next_host.agreed for s in people[:2]))
        asked: list[Any] = []
        for one in (second, third):
            one.on_change(lambda view: asked.append(view.terms) if view.terms is not None else None)
        await old.until(lambda: owner.end is not None)
        fold = old.table.fold
        assert fold is not None
        assert fold.stage is MatchStage.ENDED
        last = parse_record(fold.chain.entries[-1].record).body
        assert last == End(END_CLOSED)
        await old.until(lambda: all(s.chair.table_key == other.table.identity.public for s in (second, third)))
        await old.until(lambda: {s.view.me for s in (second, third) if s.view.stage is Stage.LOBBY} == {1, 2})
        third.start()
        await old.until(lambda: other.table.fold is not None and other.table.fold.match is not None)
        table = other.table.fold.table
        assert table is not None
        assert table.owner == 2
        assert table.carried[0].defeat == fold.match.defeat
        assert table.carried[0].deals == len(fold.finished)  # the next one has the next number
        assert [entry.bot for entry in table.seats] == [True, False, False, True]
        assert not any(terms.changes for terms in asked)
        await old.until(lambda: len(other.table.fold.finished) > 0)
        assert other.table.status().match == fold.chain.log_id  # a lobby knows it as this match
        assert owner.end.reason == HOST_LEFT
        assert "has the table now" in owner.view.trouble
        await other.end()
        for one in (second, third):
            one.hang_up()


async def test_a_host_who_goes_at_once_leaves_the_next_one_behind(seed: int) -> None:
    """U6: the host's program ends in mid-deal after somebody has taken the table: the others go there all the same."""
    async with asyncio.TaskGroup() as group, room(seed) as old:
        owner, second, third = await old.begin(0, 1, 2)
        other = await taken(old, owner, third, group, seed)
        await old.until(lambda: second.view.next_host is not None and second.view.next_host.agreed)
        old.server.stop()
        await old.until(lambda: all(s.chair.table_key == other.table.identity.public for s in (second, third)))
        await old.until(lambda: {s.view.me for s in (second, third) if s.view.stage is Stage.LOBBY} == {1, 2})
        await other.end()
        for one in (second, third):
            one.hang_up()


async def test_who_goes_on_in_mid_deal_is_asked_and_can_accept(seed: int) -> None:
    """U6, P1: a deal under way is given up, so every person is shown the score and accepts it. The question never came
    to a screen: the match stood at "being set up by all four" for ever."""
    async with asyncio.TaskGroup() as group, room(seed) as old:
        owner, second, third = await old.begin(0, 1, 2, silent=(1, 2))
        await old.until(lambda: old.table.fold is not None and old.table.fold.deal_is_on)
        other = await taken(old, owner, third, group, seed)
        await old.until(lambda: second.view.next_host is not None and second.view.next_host.agreed)
        old.server.stop()
        await old.until(lambda: {s.view.me for s in (second, third) if s.view.stage is Stage.LOBBY} == {1, 2})
        third.start()
        for one in (second, third):
            await old.until(lambda one=one: one.view.terms is not None)  # type: ignore[misc]
            assert one.view.terms is not None
            assert [change.what for change in one.view.terms.changes] == [Altered.DEALT]
            one.accept()
        await old.until(lambda: other.table.fold is not None and other.table.fold.match is not None)
        await old.until(lambda: second.view.terms is None and third.view.terms is None)
        await other.end()
        for one in (second, third):
            one.hang_up()


async def test_who_is_asked_may_decline(seed: int) -> None:
    """U6: the host hears that the table is not taken; the match stays where it is."""
    async with room(seed) as old:
        owner, second = await old.begin(0, 2)
        owner.offer(2)
        await old.until(lambda: second.view.next_host is not None)
        assert owner.view.next_host is not None
        assert not owner.view.next_host.agreed
        second.take_over(False)
        await old.until(lambda: owner.view.next_host is None and second.view.next_host is None)
        assert old.table.offer.asked == b""


async def test_a_program_that_opens_no_tables_declines(seed: int) -> None:
    """U6: a page in a browser, a bot: nobody waits for a table that never opens."""
    async with room(seed) as old:
        owner, second = await old.begin(0, 2)
        owner.offer(2)
        await old.until(lambda: second.view.next_host is not None)
        second.take_over(True)
        await old.until(lambda: owner.view.next_host is None)


async def test_only_the_owner_offers_and_only_who_is_asked_takes(seed: int) -> None:
    """U6: a guest can't offer the table, nor take one that was not offered to them."""
    async with room(seed) as old:
        owner, second, third = await old.begin(0, 1, 2)
        key = old.table.identity.public
        second._send(HandOver(2, b"", (), b""))
        mine = hand_over(second.identity, 1, key, Identity.new().public, ("127.0.0.1:4000",))
        second._send(mine)
        owner.offer(2)
        await old.until(lambda: third.view.next_host is not None)
        second._send(mine)
        await old.until(lambda: second.view.talk == () and second.view.next_host is None)
        second.say("done")
        await old.until(lambda: owner.view.talk)
        assert old.table.offer.taken is None
        assert owner.view.next_host is not None
        assert not owner.view.next_host.agreed


@pytest.mark.parametrize("lie", ["another key", "another table", "a bot's seat", "no address", "the same table"])
async def test_a_host_cannot_make_up_where_the_match_goes_on(seed: int, lie: str) -> None:
    """U6: a client goes only where a player of the match has signed that it goes on, for this table."""
    async with room(seed) as old:
        _, second, third = await old.begin(0, 1, 2)
        key, elsewhere = old.table.identity.public, Identity.new().public
        said = {
            "another key": hand_over(Identity.new(), 2, key, elsewhere, ("127.0.0.1:4000",)),
            "another table": hand_over(third.identity, 2, elsewhere, Identity.new().public, ("127.0.0.1:4000",)),
            "a bot's seat": hand_over(third.identity, 3, key, elsewhere, ("127.0.0.1:4000",)),
            "no address": hand_over(third.identity, 2, key, elsewhere, ()),
            "the same table": hand_over(third.identity, 2, key, key, ("127.0.0.1:4000",)),
        }[lie]
        second._message(said)
        assert second.view.next_host is None
        assert second._handing.goes_on is None


async def test_the_match_is_over_before(seed: int) -> None:
    """U6: a table is not handed over after the match's end; the table that was opened for it is not needed."""
    async with asyncio.TaskGroup() as group, room(seed, target=1) as old:
        owner, third = await old.begin(0, 2)
        other = await taken(old, owner, third, group, seed)
        new = other.table.identity.public
        await old.until(lambda: third.withdrawn.is_set() or third.chair.table_key == new)
        match = old.table.fold.match if old.table.fold is not None else None
        assert match is not None
        assert third.withdrawn.is_set() is (match.goat is not None)  # 60:60 in the first deal: the match goes on
        await other.end()


async def test_everybody_is_told_once_more_after_a_line_broke(seed: int) -> None:
    """U6: the next host's own line breaks: nobody is sent to a table that may be gone, until they say it again."""
    async with asyncio.TaskGroup() as group, room(seed) as old:
        owner, second, third = await old.begin(0, 1, 2)
        other = await taken(old, owner, third, group, seed)
        await old.until(lambda: second.view.next_host is not None)
        heard: list[bool] = []
        second.on_change(lambda view: heard.append(view.next_host is not None))
        assert third._connection is not None
        third._connection.abort()
        await old.until(lambda: (False in heard and heard[-1]) or second.chair.table_key != old.table.identity.public)
        await other.end()
        third.hang_up()
        second.hang_up()
