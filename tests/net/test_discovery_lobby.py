"""discovery.watch as a conversation: what is heard and answered goes in with a time, rows and probes come out."""

import asyncio
import random
from dataclasses import replace

import pytest

from goat_net.discovery import candidates as rows
from goat_net.discovery.advert import TableAdvert
from goat_net.discovery.candidates import Answer, Lobby, ProbeOrder, Row
from goat_net.discovery.instances import FoundTable, Lost
from goat_net.discovery.watch import find, matching, watch_lobby
from goat_net.wire.address import Address
from tests.patience import PATIENCE

HERE = Address("10.0.0.1", 4000)
THERE = Address("10.0.0.2", 4000)


def advert(number: int, name: str = "Table", **more: object) -> TableAdvert:
    return replace(TableAdvert(1, "0.1.0", f"{number:032x}", name), **more)  # type: ignore[arg-type]


def found(number: int, *addresses: Address, name: str = "Table") -> FoundTable:
    return FoundTable(advert(number, name), addresses or (HERE,), 0.0)


class Talk:
    """A lobby and a clock."""

    def __init__(self) -> None:
        self.now = 100.0
        self.lobby = Lobby(1, self.now)

    def hear(self, change: FoundTable | Lost) -> None:
        self.lobby.changed(change, self.now)

    def due(self) -> list[ProbeOrder]:
        return self.lobby.due(self.now)

    def answer(self, order: ProbeOrder, said: TableAdvert, address: Address = HERE) -> None:
        if order.id in (None, said.id):
            self.lobby.probed(order, Answer(said), address, self.now, round_trip=0.002)
        else:
            self.lobby.met(order, said.id, address, self.now)
            self.lobby.probed(order, None, None, self.now, refused=True)

    def fail(self, order: ProbeOrder, refused: bool = False) -> None:
        self.lobby.probed(order, None, None, self.now, refused=refused)

    def rows(self) -> tuple[Row, ...]:
        return self.lobby.rows(self.now)

    def pass_until(
        self, until: float, answers: dict[Address, TableAdvert] | None = None, refused: bool = False
    ) -> None:
        """Let time pass by the lobby's own deadlines, answering its probes or not."""
        for _ in range(10_000):
            for order in self.due():
                where = next((a for a in order.addresses if answers and a in answers), None)
                if where and answers:
                    self.answer(order, answers[where], where)
                else:
                    self.fail(order, refused)
            self.now = min(until, max(self.lobby.deadline(self.now), self.now + 0.001))
            if self.now >= until:
                return
        raise AssertionError("the lobby never sleeps")


def shown(talk: Talk) -> list[str]:
    return [row.advert.name for row in talk.rows()]


def test_a_table_is_shown_at_once_and_true_once_it_answered() -> None:
    talk = Talk()
    talk.hear(found(1, name="Heard"))
    (row,) = talk.rows()
    assert (row.advert.name, row.address, row.round_trip) == ("Heard", None, None)
    (order,) = talk.due()
    assert talk.due() == []
    talk.answer(order, advert(1, "Said", seats_taken=2))
    (row,) = talk.rows()
    assert (row.advert.name, row.advert.seats_taken, row.address, row.round_trip) == ("Said", 2, HERE, 0.002)


def test_it_is_asked_again_every_three_seconds() -> None:
    talk = Talk()
    talk.hear(found(1))
    (order,) = talk.due()
    talk.answer(order, advert(1))
    assert talk.lobby.deadline(talk.now) == talk.now + 3
    talk.now += 2.9
    assert talk.due() == []
    talk.now += 0.1
    assert len(talk.due()) == 1


@pytest.mark.parametrize("refused", [False, True])
def test_a_killed_table_is_gone_within_ten_seconds(refused: bool) -> None:
    talk = Talk()
    talk.hear(found(1))
    talk.pass_until(talk.now + 30, {HERE: advert(1)})
    assert shown(talk) == ["Table"]
    talk.pass_until(talk.now + 10, refused=refused)
    assert shown(talk) == []
    # The network still tells of it (its cache does), and it stays gone; it is back as soon as it answers.
    talk.pass_until(talk.now + 600)
    assert shown(talk) == []
    talk.pass_until(talk.now + 6, {HERE: advert(1)})
    assert shown(talk) == ["Table"]


def test_one_lost_probe_costs_no_row() -> None:
    talk = Talk()
    talk.hear(found(1))
    talk.pass_until(talk.now + 2, {HERE: advert(1)})
    talk.now += 1.5
    (order,) = talk.due()
    talk.fail(order, refused=True)
    assert shown(talk) == ["Table"]
    talk.pass_until(talk.now + 30, {HERE: advert(1)})
    assert shown(talk) == ["Table"]


def test_a_goodbye_takes_the_row_at_once() -> None:
    talk = Talk()
    talk.hear(found(1))
    talk.pass_until(talk.now + 4, {HERE: advert(1)})
    talk.hear(Lost(advert(1).id))
    assert shown(talk) == []
    # The host that leaves still answers a probe that was under way: that brings nothing back.
    talk.pass_until(talk.now + 0.9, {HERE: advert(1)})
    assert shown(talk) == []


def test_a_false_goodbye_hides_a_table_for_a_second_and_once() -> None:
    talk = Talk()
    talk.hear(found(1))
    talk.pass_until(talk.now + 4, {HERE: advert(1)})
    talk.hear(Lost(advert(1).id))
    talk.pass_until(talk.now + 1.1, {HERE: advert(1)})
    assert shown(talk) == ["Table"]
    for _ in range(20):
        talk.hear(found(1))
        talk.hear(Lost(advert(1).id))
        assert shown(talk) == ["Table"]
        talk.pass_until(talk.now + 1.1, {HERE: advert(1)})


def test_a_table_announced_again_after_its_goodbye_is_shown_again() -> None:
    talk = Talk()
    talk.hear(found(1))
    talk.pass_until(talk.now + 4, {HERE: advert(1)})
    talk.hear(Lost(advert(1).id))
    talk.hear(found(1))
    assert shown(talk) == ["Table"]


def test_what_mdns_says_of_a_table_that_answers_is_not_believed() -> None:
    talk = Talk()
    talk.hear(found(1))
    talk.pass_until(talk.now + 4, {HERE: advert(1)})
    talk.hear(FoundTable(advert(1, "Poison", seats_taken=4), (THERE,), 0.0))
    (row,) = talk.rows()
    assert (row.advert.name, row.advert.seats_taken, row.addresses[0]) == ("Table", 0, HERE)
    # It is asked sooner, though: the table may really have changed.
    talk.pass_until(talk.now + 1.1, {HERE: advert(1, "Renamed")})
    assert shown(talk) == ["Renamed"]


def test_another_table_at_the_address_is_another_row() -> None:
    talk = Talk()
    talk.hear(found(1, HERE, THERE))
    (order,) = talk.due()
    talk.answer(order, advert(2, "Other"), THERE)
    talk.pass_until(talk.now + 4, {HERE: advert(1), THERE: advert(2, "Other")})
    assert {row.id: row.address for row in talk.rows()} == {advert(1).id: HERE, advert(2).id: THERE}
    assert next(row for row in talk.rows() if row.id == advert(1).id).addresses == (HERE,)


def test_one_row_per_table_whatever_its_addresses() -> None:
    talk = Talk()
    talk.hear(found(1, HERE))
    talk.hear(found(1, HERE, THERE))
    talk.lobby.remember([(None, (THERE,)), (advert(1).id, (THERE,))], talk.now)
    talk.pass_until(talk.now + 10, {HERE: advert(1), THERE: advert(1)})
    assert len(talk.rows()) == 1
    assert set(talk.rows()[0].addresses) == {HERE, THERE}


def test_remembered_tables_show_once_they_answer() -> None:
    talk = Talk()
    talk.lobby.remember([(advert(1).id, (HERE,)), (None, (THERE,))], talk.now)
    assert shown(talk) == []
    talk.pass_until(talk.now + 20)
    assert shown(talk) == []
    talk.pass_until(talk.now + 6, {THERE: advert(2, "Moved in")})
    assert shown(talk) == ["Moved in"]


def test_a_table_of_another_protocol_is_shown_as_such_and_last() -> None:
    talk = Talk()
    talk.hear(FoundTable(advert(1, "A newer", protocol=2), (HERE,), 0.0))
    talk.hear(FoundTable(advert(2, "B playing", state="playing"), (HERE,), 0.0))
    talk.hear(FoundTable(advert(3, "C full", seats_taken=4), (HERE,), 0.0))
    talk.hear(FoundTable(advert(4, "D open"), (HERE,), 0.0))
    assert [(row.advert.name, row.compatible) for row in talk.rows()] == [
        ("D open", True), ("B playing", True), ("C full", True), ("A newer", False)
    ]  # fmt: skip


def test_likely_causes_after_five_seconds_of_nothing() -> None:
    talk = Talk()
    talk.now += 4.9
    assert talk.lobby.hints(talk.now) == ()
    assert talk.lobby.deadline(talk.now) == pytest.approx(105.0)
    talk.now += 0.1
    hints = talk.lobby.hints(talk.now)
    assert sum(line.startswith("- ") for line in hints) == 3
    talk.hear(found(1))
    assert talk.lobby.hints(talk.now) == ()


def test_a_table_that_is_heard_and_does_not_answer_is_spoken_of_for_a_minute() -> None:
    talk = Talk()
    talk.hear(found(1, name="Walled"))
    talk.hear(FoundTable(advert(2, "Nowhere"), (), 0.0))
    talk.pass_until(talk.now + 10)
    assert shown(talk) == []
    walled, nowhere = talk.lobby.hints(talk.now)
    assert '"Walled" is announced at 10.0.0.1:4000' in walled
    assert "firewall" in walled
    assert '"Nowhere" is announced with no address' in nowhere
    talk.pass_until(talk.now + 60)
    assert talk.lobby.hints(talk.now) == rows.NOTHING_FOUND


def test_what_discovery_lacks_is_said_first() -> None:
    talk = Talk()
    talk.lobby.problem = "port busy"
    assert talk.lobby.hints(talk.now) == ("port busy",)


@pytest.mark.long("a flood of announcements")
def test_a_flood_is_bounded_and_does_not_push_out_a_table_that_answers() -> None:
    talk = Talk()
    talk.hear(found(1, name="Honest"))
    talk.pass_until(talk.now + 4, {HERE: advert(1, "Honest")})
    most = 0
    for number in range(2, 3000):
        talk.hear(found(number, Address("10.0.0.9", number), name="Junk"))
        most = max(most, len(talk.due()))
        if number % 100 == 0:
            talk.pass_until(talk.now + 0.1, {HERE: advert(1, "Honest")})
    assert most <= rows.PROBES_MAX
    assert len(talk.rows()) <= rows.CANDIDATES_MAX
    assert "Honest" in shown(talk)


def test_a_table_that_answers_is_not_kept_waiting_by_those_that_never_do() -> None:
    talk = Talk()
    talk.hear(found(1, name="Honest"))
    talk.pass_until(talk.now + 4, {HERE: advert(1, "Honest")})
    for number in range(2, 200):
        talk.hear(found(number, Address(f"10.0.1.{number}", number), name="Junk"))
    under_way = 0
    for _ in range(20):
        for order in talk.due():
            if HERE in order.addresses:
                talk.answer(order, advert(1, "Honest"))
            else:
                under_way += 1  # nobody ever answers these, nor refuses
        talk.now += 1
        assert "Honest" in shown(talk)
        assert talk.lobby.deadline(talk.now) > talk.now
    assert under_way == rows.PROBES_MAX


def dialled(talk: Talk, seconds: float, answers: dict[Address, TableAdvert]) -> list[tuple[float, Address]]:
    """Every connection that this lobby makes within some seconds, with its time. What has no answer refuses."""
    out = []
    until = talk.now + seconds
    while talk.now < until:
        for order in talk.due():
            at = next((a for a in order.addresses if a in answers), None)
            out += [(talk.now, a) for a in order.addresses]
            if at is None:
                talk.fail(order, refused=True)
            else:
                talk.answer(order, answers[at], at)
        talk.now = min(until, max(talk.lobby.deadline(talk.now), talk.now + 0.01))
    return out


def most_in_a_second(dials: list[tuple[float, Address]]) -> int:
    times = [at for at, _ in dials]
    return max(sum(t <= at < t + 1 for at in times) for t in times)


def test_new_ids_bring_no_more_connections(seed: int) -> None:
    """M7: forged announcements made every lobby open 349 connections a second, to 2,588 ports of a third party."""
    chance = random.Random(seed)
    talk = Talk()
    dials: list[tuple[float, Address]] = []
    for second in range(20):
        for number in range(200):  # ten in a packet, each with another id and another port of the same machine
            victim = Address("10.0.0.9", chance.randrange(1, 65536))
            more = [Address("10.0.0.9", chance.randrange(1, 65536)) for _ in range(15)]
            talk.hear(found(second * 1000 + number + 1, victim, *more, name="Junk"))
        dials += dialled(talk, 1, {})
    assert len(dials) <= rows.HOST_BURST + 20 * rows.HOST_PER_SECOND + 1
    assert most_in_a_second(dials) <= rows.HOST_BURST + rows.HOST_PER_SECOND + 1


def test_all_machines_of_a_network_get_a_few_connections_a_second(seed: int) -> None:
    """M7: the same against 250 machines at once."""
    chance = random.Random(seed)
    talk = Talk()
    dials: list[tuple[float, Address]] = []
    for second in range(20):
        for number in range(200):
            victim = Address(f"10.0.0.{chance.randrange(1, 255)}", chance.randrange(1, 65536))
            talk.hear(found(second * 1000 + number + 1, victim, name="Junk"))
        dials += dialled(talk, 1, {})
    assert len(dials) <= rows.DIALS_BURST + 20 * rows.DIALS_PER_SECOND + 1


def test_a_table_that_answers_makes_nobody_knock_elsewhere() -> None:
    """M7: a table that had answered once was dialled, with every probe, at whatever addresses it announced next."""
    talk = Talk()
    talk.hear(found(1))
    dialled(talk, 4, {HERE: advert(1)})
    dials: list[tuple[float, Address]] = []
    for port in range(1, 60):
        talk.hear(found(1, *(Address("10.0.0.9", port * 16 + n) for n in range(15))))
        dials += dialled(talk, 1, {HERE: advert(1)})
    assert {address for _, address in dials} == {HERE}


def test_sixty_four_that_answer_hide_no_real_table() -> None:
    """M8: 64 fakes that answer probes, then a real table opens: it was not shown."""
    talk = Talk()
    answers = {}
    for number in range(1, 65):
        where = Address("10.0.0.9", number)
        answers[where] = advert(number, "Fake")
        talk.hear(found(number, where, name="Fake"))
    dialled(talk, 60, answers)
    assert len(talk.rows()) > 32
    answers[HERE] = advert(100, "Real")
    talk.hear(found(100, HERE, name="Real"))
    dialled(talk, 3, answers)
    assert [row.address for row in talk.rows() if row.advert.name == "Real"] == [HERE]
    for number in range(200, 300):  # more of them don't push it out
        where = Address("10.0.0.9", number)
        answers[where] = advert(number, "Fake")
        talk.hear(found(number, where, name="Fake"))
        dialled(talk, 1, answers)
    assert [row.address for row in talk.rows() if row.advert.name == "Real"] == [HERE]


def test_fakes_on_many_addresses_delay_a_real_table_by_seconds(seed: int) -> None:
    """M8: whoever has as many addresses as a network gives has as many shares; a real table has its own."""
    chance = random.Random(seed)
    talk = Talk()
    answers = {}
    for number in range(1, 64):
        where = Address(f"10.0.{number}.1", 1)
        answers[where] = advert(number, "Fake")
        talk.hear(found(number, where, name="Fake"))
    dialled(talk, 60, answers)
    answers[HERE] = advert(1000, "Real")
    talk.hear(found(1000, HERE, name="Real"))
    for number in range(2000, 2400):  # and a flood of those that do not answer
        talk.hear(found(number, Address(f"10.0.0.{chance.randrange(20, 250)}", number), name="Junk"))
    dialled(talk, 10, answers)
    assert [row.address for row in talk.rows() if row.advert.name == "Real"] == [HERE]


def test_what_there_was_no_room_for_is_let_in_when_there_is() -> None:
    """M8: a table is announced once; the lobby remembers it until others have gone."""
    talk = Talk()
    answers = {Address(f"10.0.{n}.1", 1): advert(n, "Fake") for n in range(1, 65)}
    for number in range(1, 65):
        talk.hear(found(number, Address(f"10.0.{number}.1", 1), name="Fake"))
    dialled(talk, 60, answers)
    assert len(talk.rows()) == 64
    answers[HERE] = advert(100, "Real")
    talk.hear(found(100, HERE, name="Real"))
    dialled(talk, 10, answers)
    assert "Real" not in shown(talk)  # 64 machines, each with a table that answers
    answers.pop(Address("10.0.7.1", 1))
    dialled(talk, 30, answers)
    assert "Real" in shown(talk)


def test_any_course_of_events_keeps_the_promises(seed: int) -> None:
    """Random tables that come, go, die and lie: a row shows only who answered within 10 s or was just heard of."""
    chance = random.Random(seed)
    talk = Talk()
    alive: dict[Address, TableAdvert] = {}
    touched: dict[str, float] = {}
    for _ in range(3000):
        number = chance.randrange(1, 9)
        where = Address(f"10.0.0.{number}", 4000)
        event = chance.randrange(6)
        if event == 0:
            alive[where] = advert(number)
        elif event == 1:
            alive.pop(where, None)
        elif event == 2:
            talk.hear(found(number, where))
            touched[advert(number).id] = talk.now
        elif event == 3:
            talk.hear(Lost(advert(number).id))
        elif event == 4:
            talk.lobby.remember([(chance.choice([None, advert(number).id]), (where,))], talk.now)
        for order in talk.due():
            at = next((a for a in order.addresses if a in alive), None)
            if at:
                talk.answer(order, alive[at], at)
                touched[alive[at].id] = talk.now
            else:
                talk.fail(order, chance.random() < 0.5)
        talk.now += chance.random()
        rows = talk.rows()
        assert len({row.id for row in rows}) == len(rows)
        assert all(talk.now - touched[row.id] <= 10 for row in rows)
        assert talk.lobby.deadline(talk.now) <= talk.now + 10
    talk.pass_until(talk.now + 12, {Address("10.0.0.1", 4000): advert(1)})
    assert {row.id for row in talk.rows()} <= {advert(1).id}


def test_tables_are_meant_by_name_or_id() -> None:
    def row(number: int, name: str) -> Row:
        return Row(advert(number, name), None, (), None, True)

    rows = [row(1, "Kitchen"), row(2, "kitchen table"), row(0xABCD << 112, "Other")]
    assert [r.advert.name for r in matching(rows, " kitchen ")] == ["Kitchen"]
    assert [r.advert.name for r in matching(rows, "KIT")] == ["Kitchen", "kitchen table"]
    assert [r.advert.name for r in matching(rows, "abcd")] == ["Other"]
    assert matching(rows, "abc") == matching(rows, "") == ()


def test_a_name_is_first_what_was_typed() -> None:
    """A25: `join Table` with "Table" and "TABLE" on the network: 3 of 12 got the wrong one, 5 of 12 were refused."""

    def row(number: int, name: str) -> Row:
        return Row(advert(number, name), None, (), None, True)

    rows = [row(1, "TABLE"), row(2, "Table"), row(3, "table")]
    for name in ("TABLE", "Table", "table"):
        assert [r.advert.name for r in matching(rows, f" {name} ")] == [name]
    assert len(matching(rows, "tAbLe")) == 3
    assert len(matching([row(1, "Table"), row(2, "Table")], "Table")) == 2


# The runner -----------------------------------------------------------------------------------------------


async def test_a_lobby_without_discovery_probes_what_it_remembers() -> None:
    said = asyncio.Event()

    async def probe(address: Address) -> Answer:
        if address != HERE:
            raise ConnectionRefusedError(address)
        return Answer(advert(1), round_trip=0.5)

    async with asyncio.timeout(PATIENCE), watch_lobby(
        probe, 1, discover=False, remembered=[(None, (THERE,)), (None, (HERE,))], on_change=said.set
    ) as watch:
        await said.wait()
        assert [(row.address, row.round_trip) for row in watch.rows()] == [(HERE, 0.5)]
        assert watch.hints() == ()


async def test_finding_ends_when_it_is_enough_or_time_is_up() -> None:
    async def probe(address: Address) -> Answer:
        return Answer(advert(1, "Kitchen"))

    rows, _ = await find(
        probe, 1, 30, remembered=[(None, (HERE,))], source=lambda: (), enough=lambda rows: bool(matching(rows, "kit"))
    )
    assert [row.advert.name for row in rows] == ["Kitchen"]
    rows, hints = await find(probe, 1, 0.01, source=lambda: ())
    assert rows == ()
    assert len(hints) == 1
    assert hints[0].startswith("automatic discovery is off (no network interface has an address)")


def test_what_the_lobby_says_can_be_printed_anywhere() -> None:
    talk = Talk()
    talk.hear(found(1, name="Walled"))
    talk.hear(FoundTable(advert(2, "Nowhere"), (), 0.0))
    talk.pass_until(talk.now + 10)
    assert all(line.isascii() for line in (*rows.NOTHING_FOUND, *talk.lobby.hints(talk.now)))


async def test_an_impostor_who_answers_first_does_not_answer_for_the_table() -> None:
    late = asyncio.Event()

    async def probe(address: Address) -> Answer:
        if address == THERE:
            return Answer(advert(2, "Impostor"))
        await late.wait()
        return Answer(advert(1, "Honest"))

    seen = asyncio.Event()
    async with watch_lobby(probe, 1, discover=False, on_change=seen.set) as watch:
        watch.changed(found(1, THERE, HERE))
        async with asyncio.timeout(PATIENCE):
            while {row.advert.name for row in watch.rows() if row.address} != {"Impostor"}:
                seen.clear()
                await seen.wait()
            late.set()
            while {row.advert.name: row.address for row in watch.rows()} != {"Honest": HERE, "Impostor": THERE}:
                seen.clear()
                await seen.wait()


async def test_the_only_one_of_a_name_is_known_after_listening() -> None:
    """A25: with two tables of one name, 10 of 12 who joined by name got silently one of the two."""
    one_is_here = asyncio.Event()

    async def probe(address: Address) -> Answer:
        if address == THERE:
            await one_is_here.wait()
        return Answer(advert(1 if address == HERE else 2))

    def enough(rows: tuple[Row, ...]) -> bool:
        if rows:
            one_is_here.set()
        return bool(rows)

    rows, _ = await find(
        probe, 1, 30, remembered=[(None, (HERE,)), (None, (THERE,))], source=lambda: (), enough=enough, least=1
    )
    assert {row.address for row in rows} == {HERE, THERE}
