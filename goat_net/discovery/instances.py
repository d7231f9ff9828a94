"""What mDNS tells, put together: service instances in, tables out. No I/O.

A name, an address or a port is never a table's key: two instances with one table id (two interfaces, an impostor) are
one table with all their addresses.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from goat_net.discovery.advert import TableAdvert
from goat_net.wire.address import ADDRESSES_MAX, Address

INSTANCES_MAX = 128
"""Service instances that are kept: more than any network has tables, little enough memory under a flood."""


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table as the network tells of it. addresses: most likely first, at most 16. last_seen: loop time, s."""

    advert: TableAdvert
    addresses: tuple[Address, ...]
    last_seen: float


@dataclass(frozen=True, slots=True)
class Lost:
    """The table said goodbye, or its records ran out. A hint too: anybody may have said it."""

    id: str


Change = FoundTable | Lost


@dataclass(slots=True)
class Instance:
    """What is known of one service instance: nothing until its records have come.

    stale: found before a change of interfaces, and not heard since. resolving: its records are being asked for.
    """

    table: FoundTable | None = None
    stale: bool = False
    resolving: bool = False


class Instances:
    """The instances that a browser has heard of, and the tables they make. on_change: told of every difference."""

    def __init__(self, on_change: Callable[[Change], None]) -> None:
        self._on_change = on_change
        self._instances: OrderedDict[str, Instance] = OrderedDict()
        self.tables: dict[str, FoundTable] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._instances

    def __len__(self) -> int:
        return len(self._instances)

    def heard(self, name: str) -> Instance:
        """The instance of that name, made if it is new."""
        instance = self._instances.get(name)
        if instance is None:
            self._make_room()
            instance = self._instances[name] = Instance()
        return instance

    def take(self, name: str, table: FoundTable) -> None:
        """The instance turned out to be this table."""
        instance = self._instances.get(name)
        if instance is None:
            return
        before = instance.table
        instance.table, instance.stale = table, False
        if before is not None and before.advert.id != table.advert.id:
            self._refresh(before.advert.id)
        self._refresh(table.advert.id)

    def gone(self, name: str) -> None:
        """The instance said goodbye, or its records ran out."""
        instance = self._instances.pop(name, None)
        if instance is not None and instance.table is not None:
            self._refresh(instance.table.advert.id)

    def resolved(self, name: str) -> None:
        """Its records have been asked for, with or without an answer."""
        if name in self._instances:
            self._instances[name].resolving = False

    def left_network(self) -> None:
        """The interfaces have changed: what isn't heard again is stale, and nothing is being asked any more."""
        for instance in self._instances.values():
            instance.stale, instance.resolving = True, False

    def drop_stale(self, horizon: float) -> None:
        """Forget stale instances last heard before `horizon` (loop time)."""
        for name, instance in list(self._instances.items()):
            if instance.stale and (instance.table is None or instance.table.last_seen < horizon):
                self.gone(name)

    def _make_room(self) -> None:
        """Forget the oldest instance that told us nothing, or else the oldest.

        Without a word to anybody: that an instance is forgotten here says nothing of the table.
        """
        if len(self._instances) < INSTANCES_MAX:
            return
        empty = next((name for name, instance in self._instances.items() if instance.table is None), None)
        table = self._instances.pop(empty or next(iter(self._instances))).table
        if table is not None and not self._with(table.advert.id):
            self.tables.pop(table.advert.id, None)

    def _with(self, id_: str) -> list[FoundTable]:
        return [i.table for i in self._instances.values() if i.table and i.table.advert.id == id_]

    def _refresh(self, id_: str) -> None:
        """Put together what all instances with this id say, and tell if it is new."""
        tables = self._with(id_)
        if not tables:
            if self.tables.pop(id_, None) is not None:
                self._on_change(Lost(id_))
            return
        latest = max(tables, key=lambda table: table.last_seen)
        addresses = tuple(dict.fromkeys(a for table in tables for a in table.addresses))[:ADDRESSES_MAX]
        found = FoundTable(latest.advert, addresses, latest.last_seen)
        before = self.tables.get(id_)
        self.tables[id_] = found
        if before is None or (before.advert, before.addresses) != (found.advert, found.addresses):
            self._on_change(found)
