"""Who is away, what the others decide, and how they come back, over TCP on loopback (RULES.md R24, PROTOCOL.md)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from goat_host.table import Table

from goat_net.log import fold
from goat_net.log.absence_table import CHARGE, LET_GO
from goat_net.log.chain import parse_record
from goat_net.seat import dials, direct
from goat_net.seat import direct_lines as lines
from goat_net.seat.session import TableSession
from goat_net.seat.tableview import Stage
from goat_net.wire.address import Address
from goat_net.wire.identity import table_id
from goat_net.wire.link import Closed
from goat_net.wire.messages import HOST_LEFT, KICKED, ROLE_WATCHER, Submit
from goat_net.wire.notices import Saying, notice
from tests.host.room import room


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds that a person takes are hundredths here."""
    monkeypatch.setattr(direct, "OWN_AFTER", 0.05)
    monkeypatch.setattr(direct, "WAITED_AFTER", 0.1)
    monkeypatch.setattr(dials, "DIAL_AGAIN", 0.5)
    monkeypatch.setattr(dials, "HEARD_WITHIN", 0.1)
    monkeypatch.setattr(lines, "LOOK", 0.02)
    monkeypatch.setattr("goat_net.log.refusals.OVERDUE", 0.5)


def the_fold(session: TableSession) -> fold.Fold:
    assert session.player is not None
    return session.player.fold


class Silencer(Table):
    """Takes nothing from the connection of seat 2's player, and says nothing of it."""

    def message(self, conn: int, message: Any, now: float) -> None:
        guest = self.people.of(conn)
        if isinstance(message, Submit) and guest is not None and guest.seat == 2:
            return
        super().message(conn, message, now)


@pytest.mark.usefixtures("quick")
async def test_a_host_who_silences_a_seat_does_not_stop_the_match(seed: int) -> None:
    async with room(seed, table=Silencer) as r:
        people = [r.sit(s) for s in (0, 1, 2)]
        await r.until(lambda: all(s.view.me is not None for s in people))
        people[0].start()
        await r.until(lambda: people[0].player is not None and len(the_fold(people[0]).finished) >= 1)
        done = the_fold(people[0]).finished[0]
        assert done.outcome.result is not None
        assert not the_fold(people[2]).offences


class Withholder(Table):
    """Enters nothing of seat 2, whoever brings it, once the match is on."""

    def message(self, conn: int, message: Any, now: float) -> None:
        playing = self.fold is not None and self.fold.match is not None
        if playing and isinstance(message, Submit) and parse_record(message.record).author == 2:
            return
        super().message(conn, message, now)


@pytest.mark.usefixtures("quick")
async def test_a_host_who_enters_nothing_of_a_seat_is_named_on_every_screen(seed: int) -> None:
    async with room(seed, table=Withholder) as r:
        people = await r.begin(0, 1, 2)
        await r.until(lambda: all("does not enter what P2" in s.view.host_blame for s in people[:2]))


@pytest.mark.usefixtures("quick")
async def test_who_is_gone_is_charged_by_votes_and_has_his_seat_again_after_the_next_deal(seed: int) -> None:
    async with room(seed) as r:
        people = await r.begin(0, 1, 2)
        await r.until(lambda: people[0].view.stage is Stage.PLAY)
        await r.proven(people[1], 2)
        people[2].hang_up()
        await r.tasks[people[2]]
        await r.late(2)
        await r.until(lambda: all(any(a.open and a.proven for a in s.view.absences) for s in people[:2]))
        for s in people[:2]:  # the other team decides: seats 1 and 3, of which 3 is a bot
            absence = next(a for a in s.view.absences if a.open)
            assert (absence.seat, absence.may_vote, absence.grace) == (2, s is people[1], 0.0)
            assert (absence.voters, absence.unheard, absence.cost) == ((1,), {1}, 6)
            assert absence.choices == ((0, 1, 2) if s is people[1] else ())
        people[1].vote(2, CHARGE)
        await r.until(lambda: the_fold(people[0]).table is not None and the_fold(people[0]).table.carried)  # type: ignore[union-attr]
        carried = the_fold(people[0]).table.carried[0]  # type: ignore[union-attr]
        assert carried.defeat == (6, 0)
        await r.until(lambda: the_fold(people[0]).match is not None)
        (decided,) = people[0].view.decided
        assert (decided.seat, decided.name, decided.how, decided.votes, decided.team, decided.cost) == (
            2, "P2", "charged", {1: CHARGE}, 0, 6,
        )  # fmt: skip
        assert the_fold(people[0]).seats[2].bot
        back = r.sit(2)
        await r.until(lambda: back.player is not None and back.player.seat == 2)
        assert the_fold(back).table.carried[0].defeat >= (6, 0)  # type: ignore[union-attr]
        await r.until(lambda: back.view.stage is Stage.PLAY)
        assert not the_fold(people[0]).seats[2].bot


@pytest.mark.usefixtures("quick")
async def test_who_answers_and_does_not_play_may_be_charged_too(seed: int) -> None:
    """P4: seat 2 is there, answers every line and does nothing: that is no way to lose nothing."""
    async with room(seed) as r:
        people = await r.begin(0, 1, 2, silent=(2,))
        await r.until(lambda: people[2].player is not None and people[2].player.owes_action)
        await r.proven(people[1], 2)
        await r.late(2)
        await r.until(lambda: any(a.open and a.seat == 2 and a.proven for a in people[1].view.absences))
        log = the_fold(people[0])
        people[1].vote(2, CHARGE)
        await r.until(lambda: 2 in log.lost)
        assert log.lost[2] == CHARGE
        await r.until(lambda: people[2].view.stands_in == 2)
        people[2].sit(2)
        await r.until(lambda: the_fold(people[2]).table is not None and not the_fold(people[2]).seats[2].bot)
        assert the_fold(people[2]).chain.log_id != log.chain.log_id


async def test_who_plays_alone_with_bots_takes_all_the_time_he_likes(seed: int) -> None:
    """Bots wait without end. Once they are gone, somebody who watches is not left before a table that stands still."""
    async with room(seed) as r:
        (alone,) = await r.begin(0, silent=(0,))
        log = the_fold(alone)
        await r.until(lambda: alone.player is not None and alone.player.owes_action)
        watcher = r.sit(4, "Dora", role=ROLE_WATCHER, who=4)
        await r.until(lambda: watcher.player is not None and the_fold(watcher).match is not None)
        await r.late(0)
        r.table.tick(asyncio.get_running_loop().time())
        assert r.table.fold is not None
        assert (r.table.fold.away, r.table.fold.lost) == ({}, {})
        assert r.table.deadline is None  # nor does the table wake for it again and again
        alone.hang_up()
        await r.until(lambda: 0 in the_fold(watcher).lost)
        assert the_fold(watcher).lost == {0: LET_GO}
        await r.until(lambda: the_fold(watcher).chain.log_id != log.chain.log_id and the_fold(watcher).seats[0].bot)


async def test_a_signed_leave_opens_the_vote_at_once(seed: int) -> None:
    async with room(seed) as r:
        people = await r.begin(0, 1, 2)
        await r.until(lambda: people[0].view.stage is Stage.PLAY)
        await people[2].leave()
        await r.until(lambda: all(any(a.open and a.left for a in s.view.absences) for s in people[:2]))
        log = the_fold(people[0])
        for s in people[:2]:
            s.vote(2, CHARGE)
        await r.until(lambda: log.lost.get(2) == CHARGE)


async def test_the_others_take_a_player_off_the_table_while_the_owner_is_away(seed: int) -> None:
    async with room(seed) as r:
        people = await r.begin(0, 1, 2, 3)
        people[3].kick(2, "no")  # the owner is there: nothing happens
        people[0].hang_up()
        await r.until(lambda: people[1].view.seats[0].away)
        assert people[1].view.seats[0].away_for > 0
        people[1].kick(2, "")
        people[1].kick(2, "")  # one voter stays one
        people[3].say("not yet")
        await r.until(lambda: people[1].view.talk)
        assert not r.table.kicks
        people[3].kick(2, "")
        await r.until(lambda: 2 in r.table.kicks)


async def test_the_host_closes_and_everybody_is_told_how_to_go_on(seed: int, tmp_path: Path) -> None:
    async with room(seed) as r:
        r.folder = tmp_path
        people = [r.sit(0)]
        await r.until(lambda: people[0].view.me is not None)
        people[0].start()
        await r.until(lambda: people[0].view.stage is Stage.PLAY)
        r.server.stop(notice(Saying.HOST_CLOSED))
        end: Closed = await r.tasks[people[0]]
        assert end.reason == HOST_LEFT
        assert f"goat host --resume {people[0].view.log_path}" in people[0].view.trouble
        assert Path(people[0].view.log_path).exists()


async def test_a_stranger_with_the_name_of_one_who_is_away_gets_nothing(seed: int) -> None:
    async with room(seed) as r:
        people = await r.begin(0, 1)
        people[1].hang_up()
        await r.until(lambda: people[0].view.seats[1].away)
        stranger = r.sit(1, "P1", who=5)
        end: Closed = await r.tasks[stranger]
        assert "somebody at the table is called P1 already; come as P1 2" in end.text
        double = r.sit(1, "P1", role=ROLE_WATCHER, who=7)
        assert "come as P1 2" in (await r.tasks[double]).text
        watcher = r.sit(1, "P1 2", role=ROLE_WATCHER, who=6)
        await r.until(lambda: watcher.player is not None and watcher.player.fold.match is not None)
        assert watcher.player is not None
        assert watcher.player.seat is None


async def test_coming_back_three_times_changes_nothing(seed: int, tmp_path: Path) -> None:
    async with room(seed) as r:
        r.folder = tmp_path
        people = await r.begin(0, 1)
        for _ in range(3):
            people[1].hang_up()
            await r.tasks[people[1]]
            people[1] = r.sit(1)
            await r.until(lambda: people[1].player is not None and people[1].player.seat == 1)
        names = [h.name for h in r.table.seats if h is not None]
        assert len(names) == len(set(names)) == 4
        await r.until(lambda: len(the_fold(people[0]).finished) >= 1)
        assert the_fold(people[0]).finished[0].outcome.result is not None


async def test_who_has_lost_the_secret_of_a_match_signs_nothing_more(seed: int) -> None:
    """A player without a disk is started again: what it would sign now would be false, and cost its team 6."""
    async with room(seed) as r:
        people = await r.begin(0, 1)
        people[1].hang_up()
        again = r.sit(1)
        await r.tasks[again]
        assert "secret of this match is not here" in again.view.trouble
        assert not the_fold(people[0]).offences


async def test_a_player_taken_off_by_the_host_goes_after_the_deal(seed: int) -> None:
    async with room(seed) as r:
        people = await r.begin(0, 1)
        people[0].kick(1, "it is late")
        end: Closed = await r.tasks[people[1]]
        assert (end.reason, end.text) == (KICKED, "the host has taken you off the table: it is late")
        await r.until(lambda: the_fold(people[0]).table is not None and the_fold(people[0]).table.carried)  # type: ignore[union-attr]
        assert the_fold(people[0]).seats[1].bot


async def test_a_table_that_comes_back_at_another_port_is_found_by_its_key(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goat_net.seat.staying.LOOK_AFTER", 0.0)
    async with room(seed) as r:
        asked: list[str] = []

        async def refresh(fingerprint: str) -> list[Address]:
            asked.append(fingerprint)
            return [Address("127.0.0.1", r.server.port)]

        people = await r.begin(0, 1)
        for session in r.sessions:
            session._refresh = refresh
        first = r.server
        r.server = r.new_server(0)
        first.cut()
        await r.serving
        r.serving = r.group.create_task(r.server.run())
        await r.until(lambda: len(the_fold(people[0]).finished) >= 1)
        assert the_fold(people[0]).finished[0].outcome.result is not None
        assert set(asked) == {table_id(r.table.identity.public)}
