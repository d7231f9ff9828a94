"""goat_net.discovery.mdns on loopback: the library's own pace would be seconds, so its delays are shortened here."""

import asyncio
import errno
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import zeroconf
import zeroconf._core
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from goat_net.discovery import mdns as discovery
from goat_net.discovery.advert import SERVICE_TYPE, TableAdvert
from goat_net.discovery.instances import INSTANCES_MAX
from goat_net.discovery.interfaces import Interface
from goat_net.discovery.mdns import Advertiser, Browser, Change, FoundTable, Lost, advertising
from goat_net.wire.address import Address
from tests.patience import PATIENCE

LOOPBACK = ["127.0.0.1"]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probing and announcing take 2 s each time: between our own sockets 10 ms steps show the same."""
    monkeypatch.setattr(zeroconf._core, "_CHECK_TIME", 10)
    monkeypatch.setattr(zeroconf._core, "_REGISTER_TIME", 10)
    monkeypatch.setattr(zeroconf._core, "_UNREGISTER_TIME", 10)
    monkeypatch.setattr(zeroconf._core, "_PROBE_RANDOM_DELAY_INTERVAL", (1, 2))
    for name in ("WATCH_EVERY", "RETRY_EVERY", "UPDATE_GAP", "ASK_EVERY"):
        monkeypatch.setattr(discovery, name, 0.05)
    monkeypatch.setattr(discovery, "ANNOUNCE_AT", (0.1, 0.5, 1.0))


def advert(name: str = "Table") -> TableAdvert:
    # Other programs on this machine hear loopback too, and test runs side by side: every id is new.
    return TableAdvert(1, "0.1.0", os.urandom(16).hex(), name)


class Heard:
    """A running browser and what it told about tables of this test."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.news = asyncio.Event()

    def take(self, change: Change) -> None:
        self.changes.append(change)
        self.news.set()

    async def wait_for(self, wanted: Callable[[Change], bool]) -> Change:
        async with asyncio.timeout(PATIENCE):
            while True:
                for change in self.changes:
                    if wanted(change):
                        return change
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def browsing(source: Callable[[], tuple[Interface, ...]] | None = None) -> AsyncIterator[tuple[Browser, Heard]]:
    heard = Heard()
    browser = Browser(heard.take, LOOPBACK, **({"source": source} if source else {}))
    async with asyncio.TaskGroup() as group:
        group.create_task(browser.run())
        try:
            yield browser, heard
        finally:
            browser.close()


def told(id_: str, **fields: object) -> Callable[[Change], bool]:
    """The change that says of this table what `fields` say."""
    return lambda change: (
        isinstance(change, FoundTable)
        and change.advert.id == id_
        and all(getattr(change.advert, key) == value for key, value in fields.items())
    )


async def test_announced_found_updated_and_taken_leave_of() -> None:
    table = advert("Ann's v1.2 table")
    async with browsing() as (browser, heard):
        async with advertising(table, 4000, LOOPBACK) as advertiser:
            found = await heard.wait_for(told(table.id))
            assert isinstance(found, FoundTable)
            assert found.advert == table
            assert found.addresses == (Address("127.0.0.1", 4000),)
            advertiser.update(replace(table, seats_taken=1))
            advertiser.update(replace(table, seats_taken=3))
            await heard.wait_for(told(table.id, seats_taken=3))
            assert browser.tables[table.id].advert.seats_taken == 3
            assert advertiser.problem is None
        await heard.wait_for(lambda change: change == Lost(table.id))
        assert table.id not in browser.tables


async def test_the_latest_of_many_updates_wins_and_they_are_not_all_sent() -> None:
    table = advert()
    async with browsing() as (_, heard), advertising(table, 4000, LOOPBACK) as advertiser:
        await heard.wait_for(told(table.id))
        for number in range(200):
            advertiser.update(replace(table, name=f"Table {number}"))
        await heard.wait_for(told(table.id, name="Table 199"))
        assert sum(told(table.id)(change) for change in heard.changes) <= 3
        with pytest.raises(ValueError, match="keeps its id"):
            advertiser.update(replace(table, id="0" * 32))


async def test_goodbye_when_the_host_is_cancelled() -> None:
    table = advert()

    async def host() -> None:
        async with advertising(table, 4000, LOOPBACK):
            await asyncio.sleep(3600)

    async with browsing() as (_, heard), asyncio.TaskGroup() as group:
        task = group.create_task(host())
        await heard.wait_for(told(table.id))
        task.cancel()
        await heard.wait_for(lambda change: change == Lost(table.id))


async def test_ids_that_begin_alike_get_longer_names() -> None:
    one = advert("Table")
    two = replace(one, id=one.id[:4] + os.urandom(14).hex())
    ports = {one.id: 4001, two.id: 4002}
    async with browsing() as (browser, heard), asyncio.TaskGroup() as group:
        hosts = [Advertiser(table, ports[table.id], LOOPBACK) for table in (one, two)]
        for host in hosts:
            group.create_task(host.run())

        def settled(change: Change) -> bool:
            right = {id_: (Address("127.0.0.1", port),) for id_, port in ports.items()}
            return {id_: t.addresses for id_, t in browser.tables.items() if id_ in ports} == right

        await heard.wait_for(lambda c: settled(c) and hosts[0].instance != hosts[1].instance)
        for host in hosts:
            host.close()


async def test_two_instances_with_one_id_are_one_table() -> None:
    table = advert()
    async with browsing() as (_, heard), advertising(table, 4001, LOOPBACK):
        await heard.wait_for(told(table.id))
        impostor = Advertiser(replace(table, name="Mine"), 4002, LOOPBACK)
        impostor._digits = 8
        async with asyncio.TaskGroup() as group:
            group.create_task(impostor.run())
            both = {Address("127.0.0.1", 4001), Address("127.0.0.1", 4002)}
            await heard.wait_for(lambda c: told(table.id)(c) and set(c.addresses) == both)
            heard.changes.clear()
            impostor.close()
        await heard.wait_for(lambda c: told(table.id)(c) and c.addresses == (Address("127.0.0.1", 4001),))
        assert Lost(table.id) not in heard.changes


async def test_other_peoples_services_of_our_type_are_passed_over() -> None:
    table = advert()
    azc = AsyncZeroconf(interfaces=LOOPBACK)
    try:
        for number, txt in enumerate([b"", b"\0", b"\x05pv=99", os.urandom(64)]):
            name = f"other {os.urandom(4).hex()} {number}.{SERVICE_TYPE}"
            info = AsyncServiceInfo(SERVICE_TYPE, name, 9, properties=txt, parsed_addresses=["127.0.0.1"])
            await (await azc.async_register_service(info))
        async with browsing() as (browser, heard), advertising(table, 4000, LOOPBACK):
            await heard.wait_for(told(table.id))
            assert all(found.addresses for found in browser.tables.values())
            assert not any(9 in [a.port for a in found.addresses] for found in browser.tables.values())
    finally:
        await azc.async_close()


async def test_instance_names_that_the_library_refuses_are_passed_over() -> None:
    browser = Browser(lambda change: None, LOOPBACK)
    for name in ("evil\r\n\x1b[2J", "x" * 64, ""):
        assert discovery._service_info(f"{name}.{SERVICE_TYPE}") is None
    assert browser.tables == {}


def taken(*arguments: object, **more: object) -> None:
    raise OSError(errno.EADDRINUSE, "Address already in use")


async def test_a_busy_port_is_said_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    table = advert()
    right = zeroconf.asyncio.AsyncZeroconf
    monkeypatch.setattr(zeroconf.asyncio, "AsyncZeroconf", taken)
    async with browsing() as (browser, heard), advertising(table, 4000, LOOPBACK) as advertiser:
        said: list[str | None] = []
        over = asyncio.Event()

        def note() -> None:
            said.append(advertiser.problem)
            over.set()

        advertiser.on_problem = note
        async with asyncio.timeout(PATIENCE):
            await over.wait()
        assert said == [browser.problem]
        assert str(said[0]).startswith("automatic discovery is off (port 5353 busy)")
        monkeypatch.setattr(zeroconf.asyncio, "AsyncZeroconf", right)
        await heard.wait_for(told(table.id))
        assert advertiser.problem is browser.problem is None


@pytest.mark.parametrize(
    ("interfaces", "words"),
    [
        ((), "no network interface has an address"),
        ((Interface("gone0", 9, (("192.0.2.9", 24),)),), "gone0: "),
    ],
)
async def test_nothing_to_run_on_is_said_in_a_sentence(interfaces: tuple[Interface, ...], words: str) -> None:
    said = asyncio.Event()
    browser = Browser(lambda change: None, source=lambda: interfaces)
    browser.on_problem = said.set
    async with asyncio.TaskGroup() as group:
        group.create_task(browser.run())
        async with asyncio.timeout(PATIENCE):
            await said.wait()
        browser.close()
    assert browser.problem is not None
    assert words in browser.problem
    assert "\n" not in browser.problem


async def test_loopback_alone_is_said_unless_it_was_asked_for() -> None:
    lo = (Interface("lo", 1, (("127.0.0.1", 8),)),)
    said = asyncio.Event()
    browser = Browser(lambda change: None, source=lambda: lo)
    browser.on_problem = said.set
    async with asyncio.TaskGroup() as group:
        group.create_task(browser.run())
        async with asyncio.timeout(PATIENCE):
            await said.wait()
        browser.close()
    assert str(browser.problem).startswith("this computer is on no network")


async def test_a_change_of_interfaces_starts_afresh_and_forgets_what_is_not_heard_again() -> None:
    table, gone = advert("stays"), advert("goes")
    now = [(Interface("lo", 1, (("127.0.0.1", 8),)),)]
    async with browsing(lambda: now[0]) as (browser, heard), advertising(table, 4000, LOOPBACK):
        await heard.wait_for(told(table.id))
        # A table of the network that was left: nobody says goodbye for it.
        browser._instances.heard("gone")
        browser._instances.take("gone", FoundTable(gone, (Address("192.168.9.9", 1),), float("-inf")))
        heard.changes.clear()
        now[0] = (Interface("lo", 1, (("127.0.0.1", 8),)), Interface("wlan0", 2, (("192.0.2.1", 24),)))
        await heard.wait_for(lambda change: change == Lost(gone.id))
        assert table.id in browser.tables


async def test_a_machine_that_slept_starts_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        """The time module, of a machine whose lid was shut for an hour."""

        monotonic = staticmethod(time.monotonic)
        slept = 0.0

        @classmethod
        def time(cls) -> float:
            return time.time() + cls.slept

    monkeypatch.setattr(discovery, "time", Clock)
    opened: list[int] = []
    right = zeroconf.asyncio.AsyncZeroconf

    def count(*arguments: object, **more: object) -> AsyncZeroconf:
        opened.append(1)
        return right(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(zeroconf.asyncio, "AsyncZeroconf", count)
    table = advert()
    async with browsing() as (_, heard):
        async with advertising(table, 4000, LOOPBACK):
            await heard.wait_for(told(table.id))
        before = len(opened)
        Clock.slept = 3600.0
        async with asyncio.timeout(PATIENCE):
            while len(opened) == before:
                await asyncio.sleep(0.01)
        async with advertising(later := advert(), 4000, LOOPBACK):
            await heard.wait_for(told(later.id))


def test_the_number_of_instances_is_bounded() -> None:
    async def flood() -> None:
        browser = Browser(lambda change: None, LOOPBACK)
        net = discovery._Net(azc, discovery.Choice((), ()), ())
        for number in range(50_000):
            browser._heard(net, f"x{number}.{SERVICE_TYPE}", gone=False)
        assert len(browser._instances) <= INSTANCES_MAX
        assert browser._resolve.qsize() <= INSTANCES_MAX

    async def main() -> None:
        nonlocal azc
        azc = AsyncZeroconf(interfaces=LOOPBACK)
        try:
            await flood()
        finally:
            await azc.async_close()

    azc: AsyncZeroconf
    asyncio.run(main())


def test_the_floor_of_the_library_has_the_fixes_for_floods() -> None:
    version = tuple(int(part) for part in zeroconf.__version__.split(".")[:2])
    assert version >= (0, 150)
