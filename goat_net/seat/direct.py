"""What seats say to each other without the host, and whom to dial for it (PROTOCOL.md, The second path).

A chair has one `Direct`, without I/O; `goat_net.seat.direct_lines` carries what it says.
"""

from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

from goat_net.log.chain import batch, entry_signed, next_head, parse_record
from goat_net.log.fold import Fold
from goat_net.log.refusals import Witness
from goat_net.seat.clocks import Waiting
from goat_net.seat.dials import Dials
from goat_net.seat.player import Player
from goat_net.seat.reach import is_good_reach
from goat_net.wire.messages import Lobby, NewEntry, Reach, Read, Submit

OWN_AFTER: Final = 5.0  # s our own record may be on its way until we show it to the others
WAITED_AFTER: Final = 20.0  # s a seat may think until we ask it ourselves whether it has sent anything
HAND_AGAIN: Final = 5.0  # s until a record of another seat is handed to the host again
LineMessage: TypeAlias = NewEntry | Read | Submit
"""What is said on a direct line; anything else ends it."""


class ChairDoor(Protocol):
    """What the second path knows of the chair that has it, and what it hands over there."""

    @property
    def player(self) -> Player | None:
        """The seat's machine, once there is a log."""

    @property
    def log_id(self) -> bytes:
        """Of the log that is open, or empty."""

    @property
    def table_key(self) -> bytes | None:
        """The key of the table, once it is known."""

    @property
    def lobby(self) -> Lobby | None:
        """The lobby as the host told it last."""

    @property
    def link(self) -> bool:
        """Whether the host is there."""

    @property
    def waiting(self) -> Waiting:
        """How long each seat has kept the others waiting."""

    def take_entry(self, entry: NewEntry, now: float) -> None:
        """Take an entry that the host has signed. Raises HostFault, LostSecretError."""

    def blame_fork(self, entry: NewEntry) -> None:
        """The host has signed another entry under a number that is taken. Raises HostFault."""

    def hand_in(self, record: bytes) -> None:
        """Send the host a record of another seat."""


class Direct:
    """See the module."""

    def __init__(self, chair: ChairDoor) -> None:
        self._chair = chair
        self.dials = Dials()
        self.witness = Witness()
        self._handed: dict[int, tuple[bytes, float]] = {}  # by seat: its record that the host was given last, and when
        self._mine_since: float | None = None  # when our record that is on its way went out

    @property
    def table_key(self) -> bytes | None:
        """The key of the table, once it is known."""
        return self._chair.table_key

    @property
    def length(self) -> int:
        """How many entries of the log are here."""
        player = self._chair.player
        return len(player.fold.chain) if player is not None else 0

    # Whom to dial

    def take_reach(self, reach: Reach) -> None:
        """A seat says where it can be dialled; what it has not signed for this table is nothing."""
        if self.table_key is not None and is_good_reach(reach, self.table_key):
            self.dials.take(reach, self._sits)

    def _sits(self, key: bytes) -> bool:
        """Whether this key has a seat: in the log, or at the table as the host tells it."""
        lobby = self._chair.lobby
        return self.knows(key) or (lobby is not None and any(seat.key == key for seat in lobby.seats))

    def watch_own(self, now: float) -> None:
        """See whether a record of our own is on its way, and since when."""
        player = self._chair.player
        if player is None or player.unconfirmed is None:
            self._mine_since = None
        elif self._mine_since is None:
            self._mine_since = now

    def own_is_late(self, now: float) -> bool:
        """Whether a record of our own has been on its way for too long."""
        return self._mine_since is not None and now - self._mine_since >= OWN_AFTER

    def to_dial(self, now: float) -> list[Reach]:
        """Seats to dial now: those that keep the others waiting or are away, all of them when a record of our own does
        not appear, and one at a time those to which no line of ours has worked yet: only who could once be reached can
        be said to be silent."""
        player = self._chair.player
        if player is None or player.seat is None or not player.fold.open or not player.fold.table:
            return []
        everybody, untried = self.own_is_late(now), self._untried(player)
        wanted = []
        for seat, entry in enumerate(player.fold.seats):
            missing = self._is_away(seat) or self._chair.waiting.waited(seat, now) >= WAITED_AFTER
            if seat != player.seat and (everybody or missing or entry.key == untried):
                wanted.append(entry.key)
        return self.dials.due(wanted, now)

    def _is_away(self, seat: int) -> bool:
        """Whether the host says that it has no line to that seat."""
        lobby = self._chair.lobby
        return lobby is not None and lobby.seats[seat].away > 0

    def _untried(self, player: Player) -> bytes | None:
        """The first seat that this client could dial and has not dialled in this log. Only who may bear witness has a
        use for it."""
        fold = player.fold
        owner = fold.table.owner if fold.table else 4
        if player.seat not in fold.people or player.seat == owner or fold.match is None:
            return None
        return self.dials.untried(fold.id, [s.key for seat, s in enumerate(fold.seats) if seat != player.seat])

    def dialled(self, key: bytes, answered: bool, now: float, *, by_us: bool = True) -> None:
        """How a dial ended; or (not ``by_us``) the seat itself has dialled us."""
        player = self._chair.player
        self.dials.ended(key, answered, now, match_id=b"" if player is None else player.fold.id, by_us=by_us)

    def unreached(self, seat: int, now: float) -> bool:
        """Whether the host has no line to that seat, and this client dialled it just now without an answer (R24)."""
        away = self._chair.lobby is None or self._is_away(seat)
        return away and self.dials.in_vain(self._key_of(seat), now)

    def unheard(self, seat: int, now: float) -> bool:
        """Whether this client can say that it has heard nothing of a seat (R24): a line of its own had worked in this
        log, it was tried just now, and whether it was answered or not, no record of that seat is held here."""
        return self.dials.silent(self._key_of(seat), now) and not self.holds(seat)

    def holds(self, seat: int) -> bool:
        """Whether a record of that seat is held here that the log lacks."""
        player = self._chair.player
        return player is not None and self.witness.holds(player.fold, seat)

    def _key_of(self, seat: int) -> bytes:
        player = self._chair.player
        return player.fold.seats[seat].key if player is not None and player.fold.seats else b""

    # What is said on a line

    def knows(self, key: bytes) -> bool:
        """Whether this key has a seat in the log."""
        player = self._chair.player
        return player is not None and any(s.key == key for s in player.fold.seats)

    def line_opened(self) -> list[LineMessage]:
        """What is said first on a direct line: how much of the log is here, and our record that is on its way."""
        player = self._chair.player
        if player is None:
            return []
        mine = [] if player.unconfirmed is None else [Submit(player.unconfirmed)]
        held = [Submit(raw) for raw in self.witness.held(player.fold)]
        return [Read(self._chair.log_id, len(player.fold.chain)), *mine, *held]

    def line_message(self, message: object, now: float) -> Sequence[LineMessage] | None:
        """A message on a direct line, and what to answer; None when the line is of no use. Raises HostFault when what
        came proves one."""
        player = self._chair.player
        if player is None:
            return []
        chain = player.fold.chain
        match message:
            case Read(log_id=log_id) if log_id != self._chair.log_id:
                return []  # one of us is still, or already, at another log of this table
            case Read(log_id=log_id, start=start):
                behind = [Read(log_id, len(chain))] if start > len(chain) else []
                return [*batch(chain, start), *behind]
            case NewEntry():
                return self._line_entry(player, message, now)
            case Submit(record=raw):
                if self.witness.note(player.fold, raw, now) and self._is_due(raw, now):
                    self._chair.hand_in(raw)  # the host can't say then that it never came
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

    def _line_entry(self, player: Player, entry: NewEntry, now: float) -> Sequence[LineMessage] | None:
        """An entry from somebody else: signed by the host it counts as from the host, else it is nothing."""
        fold, number = player.fold, entry.number
        if number > len(fold.chain) or number == 0:
            return []
        head = next_head(fold.chain.heads[number], entry.record)
        key = fold.table.table_key if fold.table is not None else b""
        if number < len(fold.chain):
            if head != fold.chain.heads[number + 1] and entry_signed(entry, key, self._id_at(fold, number), head):
                self._chair.blame_fork(entry)
            return []
        if not entry_signed(entry, key, fold.id, head):
            return None
        self._chair.take_entry(entry, now)
        return []

    def _id_at(self, fold: Fold, number: int) -> bytes:
        """The id that entries carried at this number: that of its record."""
        return parse_record(fold.chain.entries[number].record).match_id

    def host_blame(self, now: float) -> str:
        """What this client can say against the host: records that the host has and does not enter."""
        player = self._chair.player
        if player is None or not self._chair.link:
            return ""
        if player.foreign_refusals:
            return "The host has refused, as yours, a record that you never signed"
        overdue = self.witness.overdue(player.fold, now)
        if not overdue:
            return ""
        names = " and ".join(sorted({player.fold.seats[r.author].name for r in overdue}))
        return f"The host does not enter what {names} has signed; the others have it"
