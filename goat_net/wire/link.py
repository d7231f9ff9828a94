"""What both ends of a connection have in common, as a machine without I/O (PROTOCOL.md, Hello, Heartbeat).

Bytes that came go in through `Peer.receive`, and events come out; what is to be sent is fetched with `Peer.take`.
Time is an argument, in seconds of any monotonic clock; `Peer.deadline` says when `Peer.tick` is wanted next. The two
ends, and whoever only asks for a table's status, are one machine with other handlers (`peer`): which message
may come in which state is said once, in `TRANSITIONS`, and anything that is not in the table ends the connection.

Mistakes of the peer end the connection with a `Closed` event; mistakes of this program raise `MisuseError`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Final, TypeAlias

from goat_net.language import _
from goat_net.wire.codec import EncodeError, WireError
from goat_net.wire.framing import FrameError, FrameReader, frame
from goat_net.wire.hello import spoken_version, versions_text
from goat_net.wire.messages import (
    FLOOD,
    HOST_LEFT,
    LEFT,
    MALFORMED,
    MESSAGES,
    PROTOCOL,
    TOO_SLOW,
    WRONG_VERSION,
    Bye,
    Hello,
    Joined,
    Ping,
    Probe,
    Prove,
    Refused,
    Status,
    Welcome,
)
from goat_net.wire.notices import Notice, Saying, notice
from goat_net.wire.sentences import sentence

HELLO_WITHIN: Final = 5.0  # s from accepting a socket to a valid hello: three round trips at 30 % loss take about 4
# s from TLS to the table's Welcome: one round trip, lost twice. What is silent for longer is no table to sit down at,
# and most likely none at all.
WELCOME_WITHIN: Final = 4.0
JOIN_WITHIN: Final = 15.0  # s for the whole join, with scrypt on a slow machine and packets lost twice
PROBE_WITHIN: Final = 5.0  # s a status may take; a table that is slower is not one to sit down at
PING_AFTER: Final = 2.0  # s of one's own silence
SILENT_AFTER: Final = 5.0  # s of the peer's silence: two pings missed, and one more on its way
# s of the peer's silence until the connection is given up. After so long a cut TCP sends again only every 7 s or more,
# so that a new dial is quicker than waiting; and a peer that is only slow has missed seven pings.
DEAD_AFTER: Final = 15.0
# Frames from a joiner: a client that comes back hands in a match's whole log at once (some thousand entries), bots play
# some hundred a second; each costs the host below 0.1 ms.
FRAMES_BURST: Final = 8192
FRAMES_PER_SECOND: Final = 512
LATE: Final = 1.0  # s a tick may be late before the wait counts as our own sleep and not as the peer's silence

LOST: Final = 0  # reason of a `Closed` that nobody said: the connection broke


class MisuseError(Exception):
    """This program used a connection wrongly: a message in the wrong state, a value out of bounds."""


class PeerError(Exception):
    """What the peer did is against the protocol or refused; ``reason`` from the closed list of the messages.
    ``detail``: for whoever mends a program, in English; it stays here."""

    def __init__(self, reason: int, told: Notice, detail: str = "") -> None:
        super().__init__(detail or sentence(reason, told))
        self.reason, self.notice, self.detail = reason, told, detail


# Events ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Probed:
    """Host: somebody asks for the table's status; `Host.answer` is owed."""


@dataclass(frozen=True, slots=True)
class Greeted:
    """Host: a valid hello of this protocol has come; nothing in it is proven yet."""

    hello: Hello


@dataclass(frozen=True, slots=True)
class Proven:
    """Host: key and code are proven; `Host.accept` or `Peer.close` is owed. ``operator_signature``: of the player
    whose machine runs this bot, checked; empty when there is none."""

    hello: Hello
    operator_signature: bytes


@dataclass(frozen=True, slots=True)
class Opened:
    """Joiner: the table has let us in."""

    table_key: bytes
    joined: Joined


@dataclass(frozen=True, slots=True)
class GotStatus:
    """Prober: the table's status, its signature checked. It may be of another protocol."""

    status: Status


@dataclass(frozen=True, slots=True)
class Received:
    """A message of an open connection other than Ping, Bye and Refused."""

    message: Any


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing has come for 5 s."""


@dataclass(frozen=True, slots=True)
class Back:
    """Something has come again after `Silent`."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The end; nothing comes after it. ``reason`` from the closed list of the messages, or LOST. ``text`` is one
    sentence for a person, made here from what was said. ``by_peer``: the peer has said it. ``protocol``, ``program``:
    the peer's, as far as it has named them."""

    reason: int
    text: str
    by_peer: bool = False
    protocol: int | None = None
    program: str = ""


Event: TypeAlias = Probed | Greeted | Proven | Opened | GotStatus | Received | Silent | Back | Closed


# States and transitions ----------------------------------------------------------------------------------------
#
#   joiner    HELLO>    WELCOME ----Welcome----> JOINED --Joined--> OPEN
#   host      >HELLO ---Hello--> PROVE ---Prove--> TABLE --(table says yes)--> OPEN
#             >HELLO ---Probe--> STATUS --(status sent)--> CLOSED
#   prober    PROBE>    ANSWER ---Status--> CLOSED
#
# The joiner proves first: the host's own proof of the code comes only with Joined, so that nobody who lacks the code
# gets anything of it to work on.


class State(Enum):
    """What the machine waits for."""

    NEW = "new"  # `Peer.start`
    HELLO = "hello"
    STATUS = "status"  # our own `Host.answer`
    PROVE = "prove"
    TABLE = "table"  # our own `Host.accept`
    WELCOME = "welcome"
    JOINED = "joined"
    ANSWER = "answer"
    OPEN = "open"
    CLOSED = "closed"


_HANDSHAKE: Final = frozenset({Probe, Status, Hello, Welcome, Prove, Joined})
_ENDS: Final[dict[type[Any], State]] = {Bye: State.CLOSED, Refused: State.CLOSED}
_OPEN_KINDS: Final = frozenset(struct.cls for _, struct in MESSAGES) - _HANDSHAKE - _ENDS.keys()

TRANSITIONS: Final[dict[State, dict[type[Any], State]]] = {
    State.NEW: {},
    State.HELLO: {Probe: State.STATUS, Hello: State.PROVE, Bye: State.CLOSED},
    State.STATUS: {Bye: State.CLOSED},
    State.PROVE: {Prove: State.TABLE, Bye: State.CLOSED},
    State.TABLE: {Bye: State.CLOSED},
    State.WELCOME: {Welcome: State.JOINED, **_ENDS},
    State.JOINED: {Joined: State.OPEN, **_ENDS},
    State.ANSWER: {Status: State.CLOSED, **_ENDS},
    State.OPEN: {**dict.fromkeys(_OPEN_KINDS, State.OPEN), **_ENDS},
    State.CLOSED: {},
}

Handlers: TypeAlias = dict[type[Any], Callable[[Any, Any, float], list[Event]]]


class Peer:
    """What both ends have in common: frames, the table above, heartbeat and end."""

    # Handlers of the messages that more than the state's change follows from; each returns events or raises PeerError.
    _handlers: ClassVar[Handlers] = {}
    _is_table: ClassVar[bool] = False

    def __init__(self, program: str) -> None:
        self.program: Final = program
        self.state = State.NEW
        self.certificate_hash = b""
        self._reader = FrameReader()
        self._out = bytearray()
        self._started = self._sent = self._heard = 0.0
        self._silent = False
        self._frames_left = float(FRAMES_BURST)
        self._counted = 0.0
        self._their_protocol: int | None = None
        self._their_program = ""
        self.end: Closed | None = None

    @property
    def closed(self) -> bool:
        """Whether the end has come (`end` says how); what is left in `take` is still to be sent."""
        return self.state is State.CLOSED

    @property
    def heard(self) -> float:
        """When something came last."""
        return self._heard

    @property
    def is_open(self) -> bool:
        """Whether the join is done and messages may be sent."""
        return self.state is State.OPEN

    def start(self, certificate_hash: bytes, now: float) -> None:
        """The stream is there, over TLS with this certificate (SHA-256, 32 bytes). ``now`` starts the join's clock."""
        if self.state is not State.NEW:
            raise MisuseError("a connection starts once")
        if len(certificate_hash) != 32:
            raise MisuseError("the hash of a certificate has 32 bytes")
        self.certificate_hash = certificate_hash
        self._started = self._sent = self._heard = self._counted = now
        self._begin(now)

    def _begin(self, now: float) -> None:
        raise NotImplementedError

    def take(self) -> bytes:
        """What is to be sent now; it is given out once."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def receive(self, data: bytes, now: float) -> list[Event]:
        """What the bytes that came mean. After the end everything that comes is ignored."""
        if self.closed:
            return []
        fault: FrameError | None = None
        try:
            contents = tuple(self._reader.feed(data))
        except FrameError as error:
            contents, fault = error.frames, error
        events: list[Event] = []
        if data:  # a frame on its way is a sign of life, however slowly it comes
            self._heard = max(self._heard, now)
            if self._silent:
                self._silent = False
                events.append(Back())
        if self._is_table and self._is_flood(len(contents), now):
            return events + self._end(FLOOD, notice(Saying.FLOOD), now)
        for content in contents:
            if self.state is State.CLOSED:
                return events
            try:
                events += self._one(content, now)
            except PeerError as error:
                events += self._end(error.reason, error.notice, now, error.detail)
        if fault is not None and self.state is not State.CLOSED:
            events += self._end(MALFORMED, notice(Saying.UNREADABLE), now, f"malformed: {fault}")
        return events

    def _is_flood(self, frames: int, now: float) -> bool:
        """Count the frames that came; whether they are more than a table has to read."""
        refilled = self._frames_left + max(0.0, now - self._counted) * FRAMES_PER_SECOND
        self._counted = max(self._counted, now)
        self._frames_left = min(float(FRAMES_BURST), refilled) - frames
        return self._frames_left < 0

    def _one(self, content: bytes, now: float) -> list[Event]:
        try:
            message = MESSAGES.decode(content)
        except WireError as error:
            self._note_version(content)
            self._check_version()
            raise PeerError(MALFORMED, notice(Saying.UNREADABLE), f"malformed: {error}") from error
        following = TRANSITIONS[self.state].get(type(message))
        if following is None:
            raise PeerError(MALFORMED, notice(Saying.NOT_NOW), f"{type(message).__name__} must not come now")
        if type(message) in _ENDS:
            return self._ended(message)
        handler = self._handlers.get(type(message))
        if handler is not None and self.state is not State.OPEN:
            events = handler(self, message, now)
            self.state = following
            return events
        return [] if isinstance(message, Ping) else [Received(message)]

    def _note_version(self, content: bytes) -> None:
        spoken = None if self.is_open else spoken_version(content)
        if spoken is not None:
            self._their_protocol, self._their_program = spoken

    def _check_version(self) -> None:
        if self._their_protocol is not None and self._their_protocol != PROTOCOL:
            raise PeerError(WRONG_VERSION, notice(Saying.VERSIONS), self._versions())

    def _versions(self) -> str:
        assert self._their_protocol is not None
        return versions_text(self.program, self._their_protocol, self._their_program, self._is_table)

    def _ended(self, message: Bye | Refused) -> list[Event]:
        """The peer says that it is over."""
        text = sentence(message.reason, message.notice)
        if isinstance(message, Refused):
            self._their_protocol, self._their_program = message.protocol, message.program
            if message.reason == WRONG_VERSION:
                text = self._versions()
        return [self._ended_by(message.reason, text, by_peer=True)]

    def _ended_by(self, reason: int, text: str, by_peer: bool = False) -> Closed:
        self.state = State.CLOSED
        self.end = Closed(reason, text, by_peer, self._their_protocol, self._their_program)
        return self.end

    def send(self, message: Any, now: float) -> None:
        """Send a message of an open connection. Raises MisuseError in any other state, for a message of the hello or
        the end (`close`), and for values out of their bounds."""
        if self.state is not State.OPEN or type(message) not in _OPEN_KINDS:
            raise MisuseError(f"{type(message).__name__} cannot be sent while the connection is {self.state.value}")
        self._put(message, now)

    def _put(self, message: Any, now: float) -> None:
        try:
            self._out += frame(MESSAGES.encode(message))
        except (EncodeError, ValueError) as error:
            raise MisuseError(f"{type(message).__name__} is out of bounds: {error}") from error
        self._sent = max(self._sent, now)

    def close(self, reason: int, told: Notice, now: float) -> list[Event]:
        """End the connection with a reason of the closed list and a notice for the peer; [] when it is over."""
        return [] if self.closed else self._end(reason, told, now)

    def _end(self, reason: int, told: Notice, now: float, detail: str = "") -> list[Event]:
        if self.state is not State.NEW:
            leaving = reason in (LEFT, HOST_LEFT) or not self._is_table
            self._put(Bye(reason, told) if leaving else Refused(reason, told, PROTOCOL, self.program), now)
        return [self._ended_by(reason, detail or sentence(reason, told))]

    def lost(self, text: str = "") -> list[Event]:
        """The stream has ended without a word; [] when the connection is over already."""
        if self.closed:
            return []
        self._out.clear()
        return [self._ended_by(LOST, text or _("the connection was lost"))]

    @property
    def deadline(self) -> float | None:
        """When `tick` is wanted; None before the start and after the end."""
        if self.state in (State.NEW, State.CLOSED):
            return None
        if self.state is State.OPEN:
            return min(self._sent + PING_AFTER, self._heard + (DEAD_AFTER if self._silent else SILENT_AFTER))
        if self.state is State.ANSWER:
            return self._started + PROBE_WITHIN
        if self.state is State.WELCOME:
            return self._started + WELCOME_WITHIN
        return self._started + (HELLO_WITHIN if self.state is State.HELLO else JOIN_WITHIN)

    def tick(self, now: float) -> list[Event]:
        """Time has come to ``now``: pings, silence, limits. Early or late calls do no harm."""
        deadline = self.deadline
        if deadline is None or now < deadline:
            return []
        if self.state is not State.OPEN:
            return self._end(TOO_SLOW, notice(Saying.SLOW), now)
        if now - deadline > LATE:
            self._heard = min(now, self._heard + now - deadline)
        events: list[Event] = []
        if now >= self._heard + DEAD_AFTER:
            return self.lost(_("nothing was heard for {seconds} s").format(seconds=f"{DEAD_AFTER:.0f}"))
        if now >= self._heard + SILENT_AFTER and not self._silent:
            self._silent = True
            events.append(Silent())
        if now >= self._sent + PING_AFTER:
            self._put(Ping(), now)
        return events
