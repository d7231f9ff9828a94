"""The door between the table (no I/O) and the server that runs it."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from goat_net.wire.messages import Hello, House
from goat_net.wire.notices import Notice


@dataclass(frozen=True, slots=True)
class Send:
    """Send this message on this connection."""

    conn: int
    message: Any


@dataclass(frozen=True, slots=True)
class Drop:
    """Close this connection, saying why (a reason of `goat_net.wire.messages`, and a notice)."""

    conn: int
    reason: int
    notice: Notice


@dataclass(frozen=True, slots=True)
class StartBot:
    """Start a bot of this level, to sit down on this seat."""

    seat: int
    level: str


@dataclass(frozen=True, slots=True)
class StopBot:
    """Stop the bot of this seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class Journal:
    """Append to the journal of the log with this id, before anything after it is sent; ``sync``: to the disk."""

    log_id: bytes
    data: bytes
    sync: bool


@dataclass(frozen=True, slots=True)
class Advertise:
    """What the network is told has changed (`TablePort.status`)."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The table is closed: say goodbye to everybody and end."""

    notice: Notice


Out: TypeAlias = Send | Drop | StartBot | StopBot | Journal | Advertise | Closed


@dataclass(frozen=True, slots=True)
class StatusInfo:
    """What anybody may know of the table. ``state``: 0 lobby, 1 playing, 2 over. ``log_id`` and ``entries`` of the
    match that is on, else empty and 0. ``match``: id of its first log, also while it waits to go on, else empty.
    ``house``: what is played by."""

    name: str
    taken: int
    watch: bool
    code: bool
    state: int
    log_id: bytes
    entries: int
    match: bytes = b""
    house: House = House()  # noqa: RUF009 - frozen


class TablePort(Protocol):
    """The table as the server sees it. After every call the server drains ``outbox`` in order."""

    outbox: list[Out]

    @property
    def deadline(self) -> float | None:
        """When `tick` wants to be called."""

    def status(self) -> StatusInfo:
        """The table as it is now."""

    def admits(self, hello: Hello) -> tuple[int, Notice] | None:
        """Why this joiner cannot come in (reason, notice), or None."""

    def joined(self, conn: int, hello: Hello, operator_signature: bytes, now: float) -> None:
        """A joiner is in; its hello and its proofs were good. ``operator_signature`` is empty without an operator."""

    def has_seat(self, conn: int) -> bool:
        """Whether somebody who is in holds a seat, or has one kept for them."""

    def message(self, conn: int, message: Any, now: float) -> None:
        """A message of somebody who is in."""

    def gone(self, conn: int, now: float) -> None:
        """A connection has ended."""

    def tick(self, now: float) -> None:
        """Time has passed."""

    def recover(self) -> None:
        """Something of this table has gone wrong half-way, by a fault of this program: make its state again."""

    def slept(self, seconds: float) -> None:
        """This process has stood still for so long: nobody else has been silent meanwhile."""


class Effects(Protocol):
    """What a table wants done outside of its connections."""

    def start_bot(self, seat: int, level: str) -> None:
        """Start a bot of this level that sits down on this seat."""

    def stop_bot(self, seat: int) -> None:
        """Stop the bot of this seat."""

    def journal(self, log_id: bytes, data: bytes, sync: bool) -> None:
        """Append to the journal of this log; on the disk when it returns if ``sync``. Raises OSError."""

    def advertise(self, status: StatusInfo) -> None:
        """Tell the network."""


@runtime_checkable
class KnowsKeys(Protocol):
    """A table with seats that their players come back to without a code."""

    def knows(self, key: bytes) -> bool:
        """Whether this key needs no code."""


@runtime_checkable
class HearsSilence(Protocol):
    """A table that wants to know when a connected guest has not been heard for 5 s, and when they are again."""

    def silent(self, conn: int, on: bool, now: float) -> None:
        """Nothing was heard of this connection for 5 s, or something again."""
