"""Tables announced and found by mDNS (PROTOCOL.md, Discovery): a thin adapter over zeroconf.

What is found here is a hint; `goat_net.discovery.watch` asks each table over TCP before anyone believes it.

Traps of the library that shaped this module, each measured:

* a goodbye goes out only if the awaitable that ``async_unregister_service`` returns is awaited as well;
* a browser's own questions come at about 0, 1, 5 and 14 s: too rare where packets get lost, so we ask ourselves;
* a bare ``Zeroconf()`` sends on every interface, so ours always names its interfaces;
* a socket whose interface went away stays deaf when it comes back, so a change of interfaces means new sockets.
"""

import asyncio
import errno
import logging
import random
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goat_net.discovery.advert import SERVICE_TYPE, TableAdvert, from_txt, host_name, instance_name, to_txt
from goat_net.discovery.instances import INSTANCES_MAX, Change, FoundTable, Instances, Lost
from goat_net.discovery.interfaces import (
    MDNS_PORT,
    Choice,
    Interface,
    advertised,
    choose,
    local_interfaces,
    may_dial,
    multicast_problem,
    nearness,
    with_scopes,
)
from goat_net.wire.address import ADDRESSES_MAX, in_order
from goat_net.wire.wall import wall

if TYPE_CHECKING:
    from zeroconf import DNSOutgoing, ServiceStateChange, Zeroconf  # type: ignore[attr-defined]
    from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

__all__ = ["Advertiser", "Browser", "Change", "FoundTable", "InterfaceSource", "Lost", "advertising"]

log = logging.getLogger(__name__)

UPDATE_GAP = 1.0
"""Seconds between two announcements of a changed table, at least (PROTOCOL.md, Discovery)."""

WATCH_EVERY = 2.0
"""Seconds between two looks at this machine's interfaces."""

RETRY_EVERY = 5.0
"""Seconds before discovery that failed to start is tried again."""

ASK_AT = (0.0, 0.25, 0.6, 1.0, 2.0)
"""Seconds after a browser's start at which it asks: close together at first, because any packet may be lost."""

ASK_EVERY = 2.0
"""Seconds between questions after those, plus up to half a second by chance so that lobbies don't ask in step."""

ANNOUNCE_AT = (1.0, 5.0, 15.0, 30.0, 60.0)
"""Seconds after a registration at which it is announced again unasked, for those who lost the first packets."""

RESOLVING_MAX = 8
"""Instances whose records are asked for at one time: each costs a question a second."""

RESOLVE_WITHIN = 4.0
"""Seconds to ask for the missing records of an instance."""

_CLOCK_JUMP = 10.0
_PTR, _IN, _QU = 12, 1, 0x8000


InterfaceSource = Callable[[], Sequence[Interface]]
IsOwn = Callable[[str, int], bool]


@dataclass(slots=True)
class _Net:
    """One open zeroconf and what it was opened on."""

    azc: "AsyncZeroconf"
    choice: Choice
    seen: tuple[Interface, ...]


class _Adapter:
    """What advertiser and browser share: opening on named interfaces, watching them, and saying what is off. ``what``:
    what a fault of ours ends, for the log."""

    what = "discovery"

    def __init__(self, interfaces: Sequence[str] | None, source: InterfaceSource) -> None:
        self._wanted = interfaces
        self._source = source
        self._stop = asyncio.Event()
        self.problem: str | None = None
        """One sentence for the person when discovery is off or runs on less than it should, else None."""
        self.on_problem: Callable[[], None] | None = None

    async def run(self) -> None:
        """Be on the network until `close` or cancellation. A fault of ours costs discovery for a moment, and nobody's
        table or lobby."""
        while not self._stop.is_set():
            with wall(self.what) as fall:
                net = await self._open()
                if net is None:
                    await _either(self._stop.wait(), self._until_change(None))
                else:
                    await self._served(net)
            if fall.error is not None:
                with wall(f"what is said of {self.what}"):
                    self._say("automatic discovery has failed by a fault of this program; it is tried again")
                with suppress(TimeoutError):
                    async with asyncio.timeout(RETRY_EVERY):
                        await self._stop.wait()

    async def _served(self, net: _Net) -> None:
        """What is done on an open network, until it changes or `close`."""
        raise NotImplementedError

    def close(self) -> None:
        """Ask `run` to say goodbye and return. May be called more than once."""
        self._stop.set()

    def _say(self, problem: str | None) -> None:
        if problem != self.problem:
            self.problem = problem
            if problem:
                log.info("%s", problem)
            if self.on_problem is not None:
                self.on_problem()

    async def _open(self) -> _Net | None:
        """A started zeroconf on the chosen interfaces; None with `problem` set when that can't be had."""
        seen = tuple(self._source())
        choice = choose(seen, self._wanted, check=multicast_problem)
        if not choice.sources:
            self._say(_nothing_usable(choice))
            return None
        from zeroconf import IPVersion, NotRunningException
        from zeroconf.asyncio import AsyncZeroconf

        if not log.isEnabledFor(logging.DEBUG):
            # It reports what strangers send as warnings, and what we say in a sentence as an error, every time.
            logging.getLogger("zeroconf").setLevel(logging.CRITICAL)

        families = {isinstance(source, int) for source in choice.sources}
        version = IPVersion.All if len(families) == 2 else IPVersion.V6Only if True in families else IPVersion.V4Only
        try:
            azc = AsyncZeroconf(interfaces=list(choice.sources), ip_version=version)
        except (OSError, RuntimeError) as problem:
            self._say(_not_started(problem))
            return None
        try:
            await azc.zeroconf.async_wait_for_start()
        except (OSError, NotRunningException) as problem:
            await azc.async_close()
            self._say(_not_started(problem))
            return None
        self._say(_partly(choice, chosen=self._wanted is not None))
        return _Net(azc, choice, seen)

    async def _until_change(self, net: _Net | None) -> None:
        """Return when interfaces changed, the machine slept, or another try to open is due; poll every 2 s."""
        started = time.monotonic()
        offset = time.time() - started
        while True:
            await asyncio.sleep(WATCH_EVERY)
            monotonic = time.monotonic()
            if abs(time.time() - monotonic - offset) > _CLOCK_JUMP:
                log.info("the clock jumped: this machine slept; discovery starts afresh")
                return
            now = tuple(self._source())
            if net is None:
                if monotonic - started >= RETRY_EVERY or choose(now, self._wanted).sources:
                    return
            elif now != net.seen:
                log.info("network interfaces changed; discovery starts afresh")
                return
            elif net.choice.skipped and monotonic - started >= RETRY_EVERY:
                # A new IPv6 address is refused until the check for doubles is over (1 to 2 s).
                if choose(now, self._wanted, check=multicast_problem).sources != net.choice.sources:
                    return
                started = monotonic


class Advertiser(_Adapter):
    """Announces one table while `run` runs.

    port: TCP port of the table. interfaces: names or addresses, None for all but loopback; ``["127.0.0.1"]``
    keeps it on this machine. `advertising` is the short way to use it.
    """

    what = "the announcing of a table"

    def __init__(
        self,
        advert: TableAdvert,
        port: int,
        interfaces: Sequence[str] | None = None,
        *,
        source: InterfaceSource = local_interfaces,
    ) -> None:
        super().__init__(interfaces, source)
        self._advert = advert
        self._port = port
        self._digits = 4
        self._changed = asyncio.Event()
        self._known_unique = False
        self.announced = asyncio.Event()
        """Set once the table has been announced for the first time."""

    @property
    def instance(self) -> str:
        """Instance name in use, without the service type."""
        return instance_name(self._advert.id, self._digits)

    def update(self, advert: TableAdvert) -> None:
        """Announce this from now on: at most once a second, the latest wins. ValueError for another table's id."""
        if advert.id != self._advert.id:
            raise ValueError("a table keeps its id: make another Advertiser for another table")
        if advert != self._advert:
            self._advert = advert
            self._changed.set()

    async def _served(self, net: _Net) -> None:
        """Announce; the goodbye is sent however this ends."""
        try:
            await _either(self._stop.wait(), self._until_change(net), self._announce(net))
        finally:
            await _farewell(net.azc)

    async def _announce(self, net: _Net) -> None:
        """Register, then keep what is announced current. Returns only to be begun again under a longer name."""
        from zeroconf import BadTypeInNameException, NonUniqueNameException

        self._changed.clear()
        info = self._info(net)
        while True:
            try:
                # Probing takes 1.7 s; after a change of interfaces the name has been probed already.
                sent = await net.azc.async_register_service(info, cooperating_responders=self._known_unique)
                break
            except (NonUniqueNameException, BadTypeInNameException):
                self._longer_name()
                info = self._info(net)
        await sent
        self._known_unique = True
        self.announced.set()
        loop = asyncio.get_running_loop()
        started = loop.time()
        again = [started + after for after in ANNOUNCE_AT]
        while True:
            try:
                async with asyncio.timeout_at(again[0] if again else loop.time() + ANNOUNCE_AT[-1]):
                    await self._changed.wait()
            except TimeoutError:
                again = again[1:]
            begun = loop.time()
            self._changed.clear()
            if _name_taken(net.azc.zeroconf, info):
                self._longer_name()
                await (await net.azc.async_unregister_service(info))
                self._known_unique = False
                return
            info = self._info(net)
            await (await net.azc.async_update_service(info))
            await asyncio.sleep(max(0.0, begun + UPDATE_GAP - loop.time()))

    def _longer_name(self) -> None:
        """Another table's id begins like ours: take more of it, which the other will do too."""
        self._digits = min(self._digits + 4, len(self._advert.id))

    def _info(self, net: _Net) -> "AsyncServiceInfo":
        from zeroconf.asyncio import AsyncServiceInfo

        return AsyncServiceInfo(
            SERVICE_TYPE,
            f"{self.instance}.{SERVICE_TYPE}",
            port=self._port,
            properties=to_txt(self._advert),
            server=host_name(self._advert.id),
            parsed_addresses=list(advertised(net.choice.interfaces)),
        )


@asynccontextmanager
async def advertising(
    advert: TableAdvert,
    port: int,
    interfaces: Sequence[str] | None = None,
    *,
    source: InterfaceSource = local_interfaces,
) -> AsyncIterator[Advertiser]:
    """Announce a table inside the block; the goodbye is on the wire when the block is left, however it is left."""
    advertiser = Advertiser(advert, port, interfaces, source=source)
    async with asyncio.TaskGroup() as group:
        group.create_task(advertiser.run(), name="advertiser")
        try:
            yield advertiser
        finally:
            advertiser.close()


class Browser(_Adapter):
    """Finds tables while `run` runs.

    on_change: called in the loop with each `FoundTable` (new or changed) and each `Lost`. is_own: whether this machine
    itself runs the table of this id at this port; only then is it looked for at the machine's own addresses.
    """

    what = "the search for tables"

    def __init__(
        self,
        on_change: Callable[[Change], None],
        interfaces: Sequence[str] | None = None,
        *,
        source: InterfaceSource = local_interfaces,
        is_own: IsOwn = lambda id_, port: False,
    ) -> None:
        super().__init__(interfaces, source)
        self._is_own = is_own
        self._instances = Instances(on_change)
        self._resolve: asyncio.Queue[str] = asyncio.Queue(INSTANCES_MAX)

    @property
    def tables(self) -> dict[str, FoundTable]:
        """What the network tells now, by table id."""
        return self._instances.tables

    async def _served(self, net: _Net) -> None:
        """Browse."""
        try:
            await _either(self._stop.wait(), self._until_change(net), self._browse(net))
        finally:
            await net.azc.async_close()
            self._instances.left_network()

    async def _browse(self, net: _Net) -> None:
        """Ask, listen, and resolve what is heard of only in part."""
        from zeroconf import DNSQuestionType
        from zeroconf.asyncio import AsyncServiceBrowser

        def heard(zeroconf: "Zeroconf", service_type: str, name: str, state_change: "ServiceStateChange") -> None:
            with wall("what was heard by mDNS"):
                self._heard(net, name, gone=state_change.name == "Removed")

        while not self._resolve.empty():
            self._resolve.get_nowait()
        browser = AsyncServiceBrowser(
            net.azc.zeroconf, SERVICE_TYPE, handlers=[heard], question_type=DNSQuestionType.QM
        )
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._ask(net.azc.zeroconf))
                for _ in range(RESOLVING_MAX):
                    group.create_task(self._resolver(net))
        finally:
            await browser.async_cancel()

    async def _ask(self, zeroconf: "Zeroconf") -> None:
        """Send the question again and again (PROTOCOL.md, Discovery): the library's own ones back off."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        for after in ASK_AT:
            await asyncio.sleep(max(0.0, started + after - loop.time()))
            zeroconf.async_send(_question(zeroconf, unicast=False))
            if after == 0.0:
                # Answered at once and to us alone, also by a table that has just told everybody. But programs
                # that share the port share such answers by chance, hence the question to all before it: the
                # other way round, the answer that went astray would hold the one to all up for a second.
                zeroconf.async_send(_question(zeroconf, unicast=True))
        while True:
            await asyncio.sleep(ASK_EVERY + random.random() / 2)
            self._instances.drop_stale(loop.time() - 2 * RETRY_EVERY)
            zeroconf.async_send(_question(zeroconf, unicast=False))

    def _heard(self, net: _Net, name: str, gone: bool) -> None:
        """Take one event of the library's browser. Runs for hostile floods too: bounded, and it never raises."""
        if gone:
            self._instances.gone(name)
            return
        instance = self._instances.heard(name)
        info = _service_info(name)
        if info is None:
            return
        if info.load_from_cache(net.azc.zeroconf):
            self._take(net, info, name)
        elif not instance.resolving and not self._resolve.full():
            instance.resolving = True
            self._resolve.put_nowait(name)

    async def _resolver(self, net: _Net) -> None:
        """Ask for the records that did not come along with the pointer."""
        while True:
            name = await self._resolve.get()
            with wall("the records of a table that was heard of"):
                await self._resolve_one(net, name)

    async def _resolve_one(self, net: _Net, name: str) -> None:
        info = _service_info(name)
        if info is None or name not in self._instances:
            return
        try:
            complete = await info.async_request(net.azc.zeroconf, RESOLVE_WITHIN * 1000)
        finally:
            self._instances.resolved(name)
        if complete:
            self._take(net, info, name)

    def _take(self, net: _Net, info: "AsyncServiceInfo", name: str) -> None:
        """Complete records of an instance have come: is it a table of ours?"""
        advert = from_txt(info.text)
        port = info.port or 0
        if advert is None or not 1 <= port <= 65535:
            return
        near = net.choice.interfaces
        own = self._is_own(advert.id, port)
        told = info.parsed_addresses()[:ADDRESSES_MAX]
        hosts = [(host, port) for host in told if may_dial(host, near, own=own)]
        addresses = in_order(with_scopes(hosts, near), nearness(near))
        self._instances.take(name, FoundTable(advert, addresses, asyncio.get_running_loop().time()))


def _service_info(name: str) -> "AsyncServiceInfo | None":
    """The library's reader for an instance, or None when its name is one that the library refuses."""
    from zeroconf import BadTypeInNameException
    from zeroconf.asyncio import AsyncServiceInfo

    try:
        return AsyncServiceInfo(SERVICE_TYPE, name)
    except BadTypeInNameException:
        return None


def _question(zeroconf: "Zeroconf", *, unicast: bool) -> "DNSOutgoing":
    """“Which tables are there?”, with those we know, so that they need not answer."""
    # Documented names of the package that its __all__ leaves out.
    from zeroconf import DNSOutgoing, DNSQuestion, current_time_millis  # type: ignore[attr-defined]

    out = DNSOutgoing(0)
    question = DNSQuestion(SERVICE_TYPE, _PTR, _IN | (_QU if unicast else 0))
    out.add_question(question)
    now = current_time_millis()
    for known in list(zeroconf.cache.get_all_by_details(SERVICE_TYPE, _PTR, _IN))[:INSTANCES_MAX]:
        if not known.is_stale(now):
            out.add_answer_at_time(known, now)
    return out


def _name_taken(zeroconf: "Zeroconf", info: "AsyncServiceInfo") -> bool:
    """Whether somebody else answers to our instance name: two who probed at once don't notice each other."""
    from zeroconf import DNSService  # type: ignore[attr-defined]

    return any(
        isinstance(record, DNSService) and record.server_key != info.server_key
        for record in zeroconf.cache.async_entries_with_name(info.name)
    )


async def _either(*waits: Coroutine[Any, Any, object]) -> None:
    """Run all until the first returns, then cancel the rest and wait for them."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(wait) for wait in waits]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()


async def _farewell(azc: "AsyncZeroconf") -> None:
    """Send the goodbye three times (0.25 s in all) and close; done even while being cancelled."""
    try:
        await azc.async_unregister_all_services()
    finally:
        await azc.async_close()


def _nothing_usable(choice: Choice) -> str:
    if choice.skipped:
        why = "; ".join(f"{name}: {reason}" for name, reason in choice.skipped[:3])
        return f"automatic discovery is off ({why}) - tables can still be joined by address"
    return (
        "automatic discovery is off (no network interface has an address) - "
        "you can play with bots here, or join by address once there is a network"
    )


def _not_started(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.errno == errno.EADDRINUSE:
        return (
            f"automatic discovery is off (port {MDNS_PORT} busy) - another program holds it alone; "
            "tables can still be joined by address"
        )
    why = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
    return f"automatic discovery is off ({why or type(problem).__name__}) - tables can still be joined by address"


def _partly(choice: Choice, chosen: bool) -> str | None:
    if not chosen and all(interface.loopback for interface in choice.interfaces):
        return (
            "this computer is on no network: only tables on it are found - "
            "joining a Wi-Fi or plugging in a cable is noticed by itself"
        )
    if not choice.skipped:
        return None
    names = ", ".join(dict.fromkeys(name for name, _ in choice.skipped[:4]))
    return f"discovery runs without {names} ({choice.skipped[0][1]})"
