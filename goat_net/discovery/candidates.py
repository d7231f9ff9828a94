"""Which tables are really there: a state machine without I/O (PROTOCOL.md, Discovery).

What mDNS tells and what probes answer goes in with `now` (seconds, any clock); probes to make, rows to show and hints
come out. A row is true: it stands for a table that answered over TCP in the last ten seconds, or that was heard of
less than ten seconds ago and hasn't been reached yet. mDNS alone neither keeps a row (a killed host stays in every
cache for twenty minutes) nor removes one for good (anybody can say goodbye in another's name).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from goat_net.discovery.advert import STATES, TableAdvert, version_of
from goat_net.discovery.instances import Change, FoundTable, Lost
from goat_net.wire.address import ADDRESSES_MAX, Address
from goat_net.wire.fairness import Bucket, Buckets
from goat_net.wire.identity import table_id
from goat_net.wire.messages import Status

PROBE_EVERY = 3.0
"""Seconds between two probes of a table."""

PROBE_AGAIN = 1.0
"""Seconds after a probe that failed: one lost packet must not cost a row."""

DEAD_AFTER = 8.0
"""Seconds since the last good answer after which a row goes. With a poll in progress that is ≤ 10 s in all."""

REFUSED_AFTER = 2
"""Probes refused in a row (a machine that answers “nobody listens there”) after which a row goes at once."""

GOODBYE_HOLD = 1.0
"""Seconds that a goodbye hides a row whatever answers: a host that leaves still answers for a moment."""

GOODBYE_AGAIN = 30.0
"""Seconds in which a table that outlived a goodbye isn't hidden by another: it was somebody else's."""

REMEMBERED_EVERY = 5.0
"""Seconds between two probes of a table that is only remembered, or that no longer answers."""

NOTHING_AFTER = 5.0
"""Seconds with nothing to show after which the lobby says what may be wrong."""

SILENT_FOR = 60.0
"""Seconds for which a table that was heard of and never answered is spoken of."""

CANDIDATES_MAX = 64
"""Tables looked after at once: more than anybody reads through, and each costs a connection every three seconds."""

PROBES_MAX = 16
"""Probes under way at once to tables that never answered: each costs up to four connections for four seconds."""

PROBES_OF_HOST = 4
"""Of these, to one machine: what does not answer there must not keep others waiting."""

DIALS_BURST, DIALS_PER_SECOND = 16, 6.0
"""Connections to addresses that nobody has answered at: a network of sixteen tables is known at once, and whoever
announces what is not there gets a few connections a second out of every lobby, under as many ids as they like."""

HOST_BURST, HOST_PER_SECOND = 6, 1.0
"""The same to one machine, whoever announces it: an announcement must not make the lobbies of a network go through
somebody's ports."""

HOSTS_MAX = 256
"""Machines whose share of that is remembered: as many as a small network has."""

ADDRESSES_AT_ONCE = 4
"""Addresses of one such table that are tried in one probe; the next ones have their turn in the next probe."""

WAITING_MAX = 64
"""Tables that there is no room for, kept until there is: they are announced once and not again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a table itself said, over TCP, signed by the key that `advert.id` is the fingerprint of.

    round_trip: seconds from question to answer; None takes the whole probe, with connecting, for it. match: id of the
    first log of the match that is on or goes on there, or empty.
    """

    advert: TableAdvert
    round_trip: float | None = None
    match: bytes = b""


def answer_of(status: Status, round_trip: float | None = None) -> Answer:
    """What a status message says, for the lobby. Its signature has been checked already (PROTOCOL.md, Probe)."""
    advert = TableAdvert(
        protocol=status.protocol,
        program=version_of(status.program),
        id=table_id(status.table_key),
        name=status.name,
        seats_taken=status.taken,
        watch=status.watch,
        code=status.code,
        state=STATES[status.state],
    )
    return Answer(advert, round_trip, status.match)


@dataclass(frozen=True, slots=True)
class Row:
    """One table to show. address: where it answered last, None before it did. round_trip: seconds, or None.

    compatible: whether its protocol is ours; one that isn't is shown, with both numbers, and can't be joined.
    addresses: everything to try when joining, best first. match: see `Answer`.
    """

    advert: TableAdvert
    address: Address | None
    addresses: tuple[Address, ...]
    round_trip: float | None
    compatible: bool
    match: bytes = b""

    @property
    def id(self) -> str:
        """The table's id, which names the row."""
        return self.advert.id


@dataclass(frozen=True, slots=True)
class ProbeOrder:
    """A probe to make: race these addresses. number: to be handed back to `probed`.

    id: the table that is meant; an address where another one answers is as good as one where nobody does, else
    somebody who announces their own address under its id could answer in its place. None for any table.
    """

    number: int
    addresses: tuple[Address, ...]
    id: str | None


@dataclass(slots=True)
class _Candidate:
    """A table that may be there: heard of, or remembered by address (then its id may not be known)."""

    id: str | None
    addresses: tuple[Address, ...]
    since: float
    next_probe: float
    advert: TableAdvert | None = None
    listed: bool = False
    last_good: float | None = None
    round_trip: float | None = None
    address: Address | None = None
    refused: int = 0
    tried: bool = False
    under_way: int | None = None
    probe_begun: float = 0.0
    hidden_until: float = 0.0
    survived: float = -GOODBYE_AGAIN
    dropped: bool = False
    match: bytes = b""
    failed: int = 0  # probes in a row that brought no answer
    turn: int = 0  # where in its addresses the next ones to try begin
    remembered: bool = False  # from this account's own file: the network had no say in its addresses

    @property
    def host(self) -> str:
        """The machine whose share it takes: where it answered, else where it says that it is. All that have no IPv4
        address share one: anybody can have as many IPv6 addresses as they like."""
        known = (self.address,) if self.address is not None else self.addresses
        return next((a.host for a in known if ":" not in a.host), "IPv6")


@dataclass(slots=True)
class Lobby:
    """The state of one open lobby. protocol: our own number. opened: `now` at its start (seconds, any clock)."""

    protocol: int
    opened: float
    problem: str | None = None
    """What discovery says of itself (see `Browser.problem`)."""
    _candidates: list[_Candidate] = field(default_factory=list)
    _waiting: dict[str, FoundTable] = field(default_factory=dict)
    _numbers: int = 0
    _dials: Bucket = field(default_factory=lambda: Bucket(DIALS_BURST, DIALS_PER_SECOND))
    _by_host: Buckets = field(default_factory=lambda: Buckets(HOST_BURST, HOST_PER_SECOND, HOSTS_MAX))
    _asked: dict[str, float] = field(default_factory=dict)
    """When a machine was last asked; of machines that have a candidate."""
    _let_in_at: float = float("-inf")

    # -- what comes in ---------------------------------------------------------------------------------------

    def changed(self, change: Change, now: float) -> None:
        """Take one change from a browser."""
        if isinstance(change, Lost):
            self._lost(change.id, now)
        else:
            self._found(change, now)

    def remember(self, tables: Iterable[tuple[str | None, Sequence[Address]]], now: float) -> None:
        """Probe tables of earlier evenings too: (id if known, addresses) each. They show only once they answer."""
        for id_, addresses in tables:
            self._add(_Candidate(id_, tuple(addresses)[:ADDRESSES_MAX], now, now, remembered=True), now)

    def _add(self, candidate: _Candidate, now: float) -> bool:
        """Look after one more, unless it is known, has no address, or there is no room."""
        if self._by_id(candidate.id) is not None or not candidate.addresses or not self._room(candidate, now):
            return False
        self._candidates.append(candidate)
        return True

    def _found(self, found: FoundTable, now: float) -> None:
        candidate = self._by_id(found.advert.id)
        if candidate is None:
            candidate = _Candidate(found.advert.id, found.addresses, now, now)
            if not self._room(candidate, now):
                self._wait(found)
                return
            self._candidates.append(candidate)
        elif not candidate.listed:
            candidate.since = now
            candidate.dropped = candidate.tried = False
            candidate.hidden_until = 0.0
            candidate.next_probe = now
        candidate.listed = True
        # The address that answered is proven and stays; what mDNS says comes after it.
        proven = (candidate.address,) if candidate.address else ()
        candidate.addresses = tuple(dict.fromkeys(proven + found.addresses))[:ADDRESSES_MAX]
        if candidate.advert is None or candidate.last_good is None:
            candidate.advert = found.advert
        elif found.advert != candidate.advert:
            # A table that answers is asked what is true; the network's word only says when.
            candidate.next_probe = min(candidate.next_probe, max(now, candidate.probe_begun + PROBE_AGAIN))

    def _wait(self, found: FoundTable) -> None:
        self._waiting.pop(found.advert.id, None)
        if len(self._waiting) >= WAITING_MAX:
            del self._waiting[next(iter(self._waiting))]
        self._waiting[found.advert.id] = found

    def _lost(self, id_: str, now: float) -> None:
        self._waiting.pop(id_, None)
        candidate = self._by_id(id_)
        if candidate is None:
            return
        candidate.listed = False
        candidate.next_probe = min(candidate.next_probe, now + GOODBYE_HOLD)
        if now - candidate.survived >= GOODBYE_AGAIN:
            candidate.hidden_until = now + GOODBYE_HOLD
            candidate.dropped = True

    def probed(
        self,
        order: ProbeOrder,
        answer: Answer | None,
        address: Address | None,
        now: float,
        *,
        round_trip: float = 0.0,
        refused: bool = False,
    ) -> None:
        """Take the outcome of a probe: the answer and where it came from, or None when the table didn't answer.

        round_trip: seconds. refused: at every address nobody listens, or another table does.
        """
        candidate = self._of(order)
        if candidate is None:
            return
        candidate.under_way = None
        candidate.tried = True
        if answer is None or address is None:
            self._failed(candidate, refused, now)
        else:
            self._took(candidate, answer, address, round_trip, now)

    def met(self, order: ProbeOrder, id_: str, address: Address, now: float) -> None:
        """A probe that is still under way met another table at one of its addresses.

        That one gets a row of its own once it has answered for itself, and the one that was meant loses the address.
        """
        candidate = self._of(order)
        if candidate is not None:
            candidate.addresses = tuple(a for a in candidate.addresses if a != address)
            candidate.address = None if candidate.address == address else candidate.address
        self._add(_Candidate(id_, (address,), now, now), now)

    def _took(self, candidate: _Candidate, answer: Answer, address: Address, round_trip: float, now: float) -> None:
        """An answer came, from the table that was meant, or from any if none was."""
        twin = self._by_id(answer.advert.id)
        if twin is not None and twin is not candidate:
            self._candidates.remove(candidate)
            twin.addresses = tuple(dict.fromkeys((address, *twin.addresses)))[:ADDRESSES_MAX]
            twin.next_probe = now
            return
        if candidate.id in (None, answer.advert.id):
            self._answered(candidate, answer, address, round_trip, now)
        else:
            self._failed(candidate, True, now)

    def _answered(
        self, candidate: _Candidate, answer: Answer, address: Address, round_trip: float, now: float
    ) -> None:
        candidate.next_probe = now + PROBE_EVERY
        if candidate.probe_begun < candidate.hidden_until:
            candidate.next_probe = max(now, candidate.hidden_until)
            return
        if candidate.hidden_until:
            candidate.survived, candidate.hidden_until = now, 0.0
        candidate.id, candidate.advert, candidate.address = answer.advert.id, answer.advert, address
        candidate.match = answer.match
        candidate.last_good, candidate.round_trip = now, round_trip
        candidate.refused, candidate.dropped, candidate.failed = 0, False, 0

    def _failed(self, candidate: _Candidate, refused: bool, now: float) -> None:
        candidate.failed += 1
        candidate.refused = candidate.refused + 1 if refused else 0
        if candidate.refused >= REFUSED_AFTER and candidate.last_good is not None:
            candidate.dropped = True
        candidate.next_probe = now + (PROBE_AGAIN if self._alive(candidate, now) else REMEMBERED_EVERY)

    # -- what comes out --------------------------------------------------------------------------------------

    def due(self, now: float) -> list[ProbeOrder]:
        """Probes to begin now, each to be answered by `probed`. Tables that have answered come first and are never kept
        waiting by others. Of those that never did few are under way, and each machine has its turn."""
        self._let_in(now)
        hosts = {c.host for c in self._candidates}
        self._asked = {host: at for host, at in self._asked.items() if host in hosts}
        strangers = Counter(c.host for c in self._candidates if c.under_way is not None and c.last_good is None)
        waiting = [c for c in self._candidates if c.under_way is None and c.next_probe <= now]
        orders: list[ProbeOrder] = []
        while waiting:
            candidate = min(waiting, key=self._turn)
            waiting.remove(candidate)
            host = candidate.host
            if candidate.last_good is None and (
                strangers[host] >= PROBES_OF_HOST or strangers.total() >= PROBES_MAX
            ):
                continue
            if not candidate.addresses:
                candidate.next_probe = now + REMEMBERED_EVERY
                candidate.tried = True
                continue
            addresses = self._to_dial(candidate, now)
            if not addresses:
                continue
            self._numbers += 1
            candidate.under_way, candidate.probe_begun = self._numbers, now
            strangers[host] += candidate.last_good is None
            self._asked[host] = now + len(orders) * 1e-6  # of two machines asked at once the first is first again
            orders.append(ProbeOrder(self._numbers, addresses, candidate.id))
        return orders

    def _turn(self, candidate: _Candidate) -> tuple[bool, bool, float, float]:
        """Who answered comes first, then what was never tried, then the machine that was asked least lately."""
        asked = self._asked.get(candidate.host, float("-inf"))
        return (candidate.last_good is None, candidate.tried, asked, candidate.next_probe)

    def _to_dial(self, candidate: _Candidate, now: float) -> tuple[Address, ...]:
        """Addresses for a probe. The one that answered is proven; the others are only somebody's word, and few of them
        are dialled in a second."""
        proven = (candidate.address,) if candidate.address is not None else ()
        if proven and not candidate.failed:
            return proven
        others = [a for a in candidate.addresses if a not in proven]
        if candidate.remembered:
            return proven + tuple(others)
        start = candidate.turn % len(others) if others else 0
        taken = []
        for address in (others[start:] + others[:start])[:ADDRESSES_AT_ONCE]:
            if self._dials.wait(now) or not self._by_host.take(address.host, now):
                break
            self._dials.take(now)
            taken.append(address)
        candidate.turn = start + len(taken)
        return proven + tuple(taken)

    def _let_in(self, now: float) -> None:
        """Look after tables that there was no room for, if there is now."""
        if now < self._let_in_at:
            return
        self._let_in_at = now + PROBE_AGAIN
        for found in list(self._waiting.values()):
            if not self._room(_Candidate(found.advert.id, found.addresses, now, now), now):
                continue
            del self._waiting[found.advert.id]
            self._found(found, now)

    def deadline(self, now: float) -> float:
        """When to call `due` and look at `rows` again if nothing comes in before."""
        times = [self.opened + NOTHING_AFTER] if now < self.opened + NOTHING_AFTER else []
        for candidate in self._candidates:
            if candidate.under_way is None:
                # One that is due and waits for its turn is looked at again when a probe is over, or in a second.
                times.append(candidate.next_probe if candidate.next_probe > now else now + PROBE_AGAIN)
            end = self._ends(candidate)
            if end is not None and end > now:
                times.append(end)
        return min(times, default=now + REMEMBERED_EVERY)

    def rows(self, now: float) -> tuple[Row, ...]:
        """The tables to show, one row per id: those one can join first, then by name and id."""
        rows = []
        for candidate in self._candidates:
            if candidate.advert is None or not self._alive(candidate, now):
                continue
            rows.append(
                Row(
                    advert=candidate.advert,
                    address=candidate.address,
                    addresses=candidate.addresses,
                    round_trip=candidate.round_trip,
                    compatible=candidate.advert.protocol == self.protocol,
                    match=candidate.match,
                )
            )
        return tuple(sorted(rows, key=_rank))

    def hints(self, now: float) -> tuple[str, ...]:
        """Lines for the person: what discovery lacks, tables that were heard and don't answer, why none shows."""
        lines = [self.problem] if self.problem else []
        silent = [
            c
            for c in self._candidates
            if c.listed and c.last_good is None and c.tried and c.advert and now < c.since + SILENT_FOR
        ]
        for candidate in silent[:3]:
            name = candidate.advert.name if candidate.advert else ""
            where = str(candidate.addresses[0]) if candidate.addresses else ""
            if where:
                lines.append(
                    f'"{name}" is announced at {where} and does not answer: let Goat through the firewall '
                    "of that computer"
                )
            else:
                lines.append(f'"{name}" is announced with no address that can be used from here')
        if now >= self.opened + NOTHING_AFTER and not silent and not self.rows(now):
            lines += NOTHING_FOUND
        return tuple(lines)

    # -- inside ----------------------------------------------------------------------------------------------

    def _of(self, order: ProbeOrder) -> _Candidate | None:
        return next((c for c in self._candidates if c.under_way == order.number), None)

    def _by_id(self, id_: str | None) -> _Candidate | None:
        return next((c for c in self._candidates if c.id is not None and c.id == id_), None)

    def _ends(self, candidate: _Candidate) -> float | None:
        """When the row goes if nothing more is heard; None when there is none."""
        if candidate.dropped:
            return None
        if candidate.last_good is not None:
            return candidate.last_good + DEAD_AFTER
        return candidate.since + DEAD_AFTER if candidate.listed else None

    def _alive(self, candidate: _Candidate, now: float) -> bool:
        end = self._ends(candidate)
        return end is not None and now < end

    def _room(self, new: _Candidate, now: float) -> bool:
        """Whether one more may come in. Who never answered makes way, then who does not any more; when all answer, the
        machine with most tables gives one up for a machine that has fewer."""
        if len(self._candidates) < CANDIDATES_MAX:
            return True
        shares = Counter(c.host for c in self._candidates)
        gone = [c for c in self._candidates if c.tried and not c.remembered and c.last_good is None]
        gone = gone or [c for c in self._candidates if c.tried and not self._alive(c, now)]
        gone = gone or [c for c in self._candidates if not c.remembered and shares[c.host] > shares[new.host] + 1]
        if not gone:
            return False
        self._candidates.remove(max(gone, key=lambda c: (shares[c.host], c.last_good is None, c.since)))
        return True


NOTHING_FOUND = (
    "no table found yet; likely causes:",
    "- the host is on another network: a guest Wi-Fi, mobile data, or a VPN on one of the two computers",
    "- a firewall: let Goat (UDP port 5353 and the table's TCP port) through on both computers",
    "- the router keeps its devices apart (\"AP isolation\", usual on guest Wi-Fi): turn that off or use a cable",
    "you can always join by the address that the host's screen shows; goat doctor checks this computer",
)


def _rank(row: Row) -> tuple[bool, bool, str, str]:
    open_ = row.compatible and row.advert.state == "lobby" and row.advert.seats_taken < 4
    return (not open_, not row.compatible, row.advert.name.casefold(), row.id)
