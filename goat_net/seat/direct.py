"""What seats say to each other without the host, and whom to dial for it (PROTOCOL.md, The second path).

Part of a chair, without I/O; `goat_net.seat.direct_lines` carries it.
"""

from typing import Any, Final

from goat_net.log.chain import batch, entry_signed, next_head, parse_record
from goat_net.log.fold import Fold
from goat_net.log.refusals import Witness
from goat_net.seat.clocks import Waiting
from goat_net.seat.player import Player
from goat_net.seat.reach import is_good_reach
from goat_net.wire.messages import Lobby, NewEntry, Reach, Read, Submit

OWN_AFTER: Final = 5.0  # s our own record may be on its way until we show it to the others
WAITED_AFTER: Final = 20.0  # s a seat may think until we ask it ourselves whether it has sent anything
DIAL_AGAIN: Final = 25.0  # s between two dials of the same seat: a line stays open for 20
DIALLED_LATELY: Final = 60.0  # s for which a dial says something about a seat
HAND_AGAIN: Final = 5.0  # s until a record of another seat is handed to the host again
HEARD_WITHIN: Final = 2.0  # s in which a seat that answers a dial has handed over what it has signed
REACHES: Final = 64  # keys whose addresses are kept: four seats, their bots and watchers of a long evening


class Direct:
    """See the module. What is to be sent to the host is in ``out``."""

    def __init__(self, table_key: bytes | None) -> None:
        self.table_key = table_key
        self.player: Player | None = None
        self.lobby: Lobby | None = None
        self.log_id = b""  # of the log that is open
        self.out: list[Any] = []
        self.waiting = Waiting()
        self.witness = Witness()
        self.link = False  # whether the host is there
        self.reaches: dict[bytes, Reach] = {}  # where each seat says it can be dialled, by key
        self._dials: dict[bytes, tuple[bool | None, float]] = {}  # whom we dialled when, and whether they answered
        self._handed: dict[int, tuple[bytes, float]] = {}  # by seat: its record that the host was given last, and when
        self._worked: tuple[bytes, set[bytes]] = (b"", set())  # the log, and to whom a line of ours has worked in it
        self._talking: dict[bytes, float] = {}  # since when the line to a seat is there; none that did not answer last
        self._mine_since: float | None = None  # when our record that is on its way went out
        self._tried: set[bytes] = set()  # whom we have dialled in this log only to see whether it works

    def _entry(self, entry: NewEntry, now: float) -> None:
        """Take an entry that the host has signed. Raises HostFault, LostSecretError."""
        raise NotImplementedError

    def _fork(self, entry: NewEntry) -> None:
        """Another entry under a number that is taken. Raises HostFault."""
        raise NotImplementedError

    # Whom to dial

    def _take_reach(self, reach: Reach) -> None:
        old = self.reaches.get(reach.key)
        newer = old is None or reach.serial > old.serial
        if not newer or self.table_key is None or not is_good_reach(reach, self.table_key):
            return
        self.reaches.pop(reach.key, None)
        self.reaches[reach.key] = reach
        while len(self.reaches) > REACHES:  # a table open for weeks: whoever has no seat and said so first is forgotten
            del self.reaches[next((k for k in self.reaches if not self._sits(k)), next(iter(self.reaches)))]

    def _sits(self, key: bytes) -> bool:
        """Whether this key has a seat: in the log, or at the table as the host tells it."""
        return self.knows(key) or (self.lobby is not None and any(seat.key == key for seat in self.lobby.seats))

    def _watch_own(self, player: Player, now: float) -> None:
        """Since when a record of our own is on its way."""
        if player.unconfirmed is None:
            self._mine_since = None
        elif self._mine_since is None:
            self._mine_since = now

    def lies(self, now: float) -> bool:
        """Whether a record of our own has been on its way for too long."""
        return self._mine_since is not None and now - self._mine_since >= OWN_AFTER

    def to_dial(self, now: float) -> list[Reach]:
        """Seats to dial now: those that keep the others waiting or are away, all of them when a record of our own does
        not appear, and one at a time those to which no line of ours has worked yet: only who could once be reached can
        be said to be silent. Each at most once in `DIAL_AGAIN` seconds."""
        player = self.player
        if player is None or player.seat is None or not player.fold.open or not player.fold.table:
            return []
        everybody = self.lies(now)
        untried = self._untried(player)
        out: list[Reach] = []
        for seat, entry in enumerate(player.fold.seats):
            told = self.lobby is not None and self.lobby.seats[seat].away > 0
            wanted = everybody or told or seat == untried or self.waiting.waited(seat, now) >= WAITED_AFTER
            reach = self.reaches.get(entry.key)
            _, at = self._dials.get(entry.key, (None, float("-inf")))
            if seat != player.seat and wanted and reach is not None and now - at >= DIAL_AGAIN:
                self._dials[entry.key] = (None, now)
                out.append(reach)
        return out

    def _untried(self, player: Player) -> int | None:
        """The first seat that this client could dial and has not dialled in this log. Only who may bear witness has a
        use for it."""
        people, owner = player.fold.people, player.fold.table.owner if player.fold.table else 4
        if player.seat not in people or player.seat == owner or player.fold.match is None:
            return None
        if self._worked[0] != player.fold.id:
            self._worked = (player.fold.id, set())
            self._tried.clear()
        for seat, entry in enumerate(player.fold.seats):
            if seat != player.seat and entry.key in self.reaches and entry.key not in self._tried:
                self._tried.add(entry.key)
                return seat
        return None

    def dialled(self, key: bytes, answered: bool, now: float, *, by_us: bool = True) -> None:
        """How a dial ended; or (not ``by_us``) the seat itself has dialled us, which says nothing of our way to it."""
        self._dials.pop(key, None)
        self._dials[key] = (answered, now)
        while len(self._dials) > REACHES:
            oldest = next(iter(self._dials))
            del self._dials[oldest]
            self._talking.pop(oldest, None)
        if answered:
            self._talking[key] = now if by_us else self._talking.get(key, now)
        else:
            self._talking.pop(key, None)
        if answered and by_us and self.player is not None and self._worked[0] == self.player.fold.id:
            self._worked[1].add(key)

    def unreached(self, seat: int, now: float) -> bool:
        """Whether the host has no line to that seat, and this client dialled it just now without an answer (R24)."""
        answered, at = self._dials.get(self._key_of(seat), (None, float("-inf")))
        away = self.lobby is None or self.lobby.seats[seat].away > 0
        return away and answered is False and now - at < DIALLED_LATELY

    def unheard(self, seat: int, now: float) -> bool:
        """Whether this client can say that it has heard nothing of a seat (R24): a line of its own had worked in this
        log, it was tried just now, and whether it was answered or not, no record of that seat is held here."""
        key = self._key_of(seat)
        answered, at = self._dials.get(key, (None, float("-inf")))
        tried = answered is not None and now - at < DIALLED_LATELY
        tried = tried and (not answered or now - self._talking[key] >= HEARD_WITHIN)
        return key in self._worked[1] and tried and not self.holds(seat)

    def holds(self, seat: int) -> bool:
        """Whether a record of that seat is held here that the log lacks."""
        return self.player is not None and self.witness.holds(self.player.fold, seat)

    def _key_of(self, seat: int) -> bytes:
        player = self.player
        return player.fold.seats[seat].key if player is not None and player.fold.seats else b""

    # What is said on a line

    def knows(self, key: bytes) -> bool:
        """Whether this key has a seat in the log."""
        return self.player is not None and any(s.key == key for s in self.player.fold.seats)

    def line_opened(self) -> list[Any]:
        """What is said first on a direct line: how much of the log is here, and our record that is on its way."""
        player = self.player
        if player is None:
            return []
        mine = [] if player.unconfirmed is None else [Submit(player.unconfirmed)]
        held = [Submit(raw) for raw in self.witness.held(player.fold)]
        return [Read(self.log_id, len(player.fold.chain)), *mine, *held]

    def line_message(self, message: Any, now: float) -> list[Any] | None:
        """A message on a direct line, and what to answer; None when the line is of no use. Raises HostFault when what
        came proves one."""
        player = self.player
        if player is None:
            return []
        chain = player.fold.chain
        match message:
            case Read(log_id=log_id) if log_id != self.log_id:
                return []  # one of us is still, or already, at another log of this table
            case Read(log_id=log_id, start=start):
                behind = [Read(log_id, len(chain))] if start > len(chain) else []
                return [*batch(chain, start), *behind]
            case NewEntry():
                return self._line_entry(player, message, now)
            case Submit(record=raw):
                if self.witness.note(player.fold, raw, now) and self._is_due(raw, now):
                    self.out.append(Submit(raw))  # to the host, who can't say that it never came
                return []
        return None

    def _is_due(self, raw: bytes, now: float) -> bool:
        """Whether a record of another seat is to be handed to the host now: once, and again only after a while. Who
        sends it again and again would else have us dropped by the host for that flood."""
        seat = parse_record(raw).author
        last, at = self._handed.get(seat, (b"", 0.0))
        if last == raw and now - at < HAND_AGAIN:
            return False
        self._handed[seat] = (raw, now)
        return True

    def _line_entry(self, player: Player, entry: NewEntry, now: float) -> list[Any] | None:
        """An entry from somebody else: signed by the host it counts as from the host, else it is nothing."""
        fold, number = player.fold, entry.number
        if number > len(fold.chain) or number == 0:
            return []
        head = next_head(fold.chain.heads[number], entry.record)
        key = fold.table.table_key if fold.table is not None else b""
        if number < len(fold.chain):
            if head != fold.chain.heads[number + 1] and entry_signed(entry, key, self._id_at(fold, number), head):
                self._fork(entry)
            return []
        if not entry_signed(entry, key, fold.id, head):
            return None
        self._entry(entry, now)
        return []

    def _id_at(self, fold: Fold, number: int) -> bytes:
        """The id that entries carried at this number: that of its record."""
        return parse_record(fold.chain.entries[number].record).match_id

    def host_blame(self, now: float) -> str:
        """What this client can say against the host: records that the host has and does not enter."""
        player = self.player
        if player is None or not self.link:
            return ""
        if player.foreign_refusals:
            return "The host has refused, as yours, a record that you never signed"
        lying = self.witness.overdue(player.fold, now)
        if not lying:
            return ""
        names = " and ".join(sorted({player.fold.seats[r.author].name for r in lying}))
        return f"The host does not enter what {names} has signed; the others have it"
