"""What goes out to a table's guests: entries always, and at once; all else so that it drowns nobody. No I/O.

How the table is (`Lobby`) is a state, not a story: whoever has missed one has missed nothing once the next is there. So
it goes to a guest at most once in `LOBBY_GAP`, only the newest one, and only when what was sent before has been read.
And talk is left out for somebody who is far behind. So nobody is dropped as a slow reader for what others did.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from goat_net.wire.messages import Lobby, Reach, Said

LOBBY_GAP: Final = 0.1  # s: nobody sees that a key of somebody else shows a tenth of a second later
# bytes that may wait for a guest when how the table is, or talk, is to go out: a quarter of what ends a connection, so
# that the entries of a deal always have room
SPARE: Final = 64 * 1024


class Line(Protocol):
    """A guest's connection as it is seen from here."""

    @property
    def queued(self) -> int:
        """Bytes that wait to be written."""

    def send(self, message: Any) -> bool:
        """Queue a message."""


@dataclass(slots=True)
class _State:
    told_at: float = float("-inf")
    newest: Lobby | None = None  # not told yet


@dataclass(slots=True)
class Outgoing:
    """The messages of one table. Guests are named by their numbers."""

    _states: dict[int, _State] = field(default_factory=dict)

    def send(self, number: int, line: Line, message: Any, now: float) -> None:
        """Send a message to a guest, or keep it until they have room for it."""
        if isinstance(message, Lobby):
            state = self._states.setdefault(number, _State())
            state.newest = message
            self._tell(state, line, now)
        elif not isinstance(message, Said | Reach) or line.queued <= SPARE:
            line.send(message)

    def _tell(self, state: _State, line: Line, now: float) -> None:
        if state.newest is not None and now >= state.told_at + LOBBY_GAP and line.queued <= SPARE:
            message, state.newest, state.told_at = state.newest, None, now
            line.send(message)

    @property
    def deadline(self) -> float | None:
        """When `flush` has something to do, or looks whether somebody has read by now."""
        return min((s.told_at + LOBBY_GAP for s in self._states.values() if s.newest is not None), default=None)

    def flush(self, line_of: Callable[[int], Line | None], now: float) -> None:
        """Tell how the table is to whoever is due; guests without a line are forgotten."""
        for number, state in list(self._states.items()):
            line = line_of(number)
            if line is None:
                del self._states[number]
                continue
            self._tell(state, line, now)
            if state.newest is not None and now >= state.told_at + LOBBY_GAP:
                state.told_at = now - LOBBY_GAP / 2  # not read yet: look again soon

    def __len__(self) -> int:
        return len(self._states)
