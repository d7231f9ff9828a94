"""What the server allows strangers and guests: lines in its log, tries at the code, TLS, messages. No I/O."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from goat_net.wire.fairness import Bucket, Buckets
from goat_net.wire.messages import (
    Answer,
    Fresh,
    HandOver,
    Kick,
    Pause,
    Reach,
    Read,
    Ready,
    SetBot,
    Sit,
    Start,
    Submit,
    Swap,
)

LOG_LINES: Final = 10  # a minute about strangers; a flood must not fill a disk or hide what matters
LOG_WINDOW: Final = 60.0
FREE_TRIES: Final = 3  # wrong codes in a row before an address has to wait
FIRST_PAUSE: Final = 5.0  # s, doubled with each further wrong code
LONGEST_PAUSE: Final = 300.0
# Wrong codes of all origins together, since one guesser may have many addresses: so many at once, then one in two
# seconds. Six letters drawn by lot then last for ten years of guessing, four words for ever.
GUESSES_BURST: Final = 20
GUESSES_PER_SECOND: Final = 0.5
# TLS handshakes of one origin: each costs a table some 2 ms. A room of people behind one address comes at once.
TLS_BURST: Final = 32
TLS_PER_SECOND: Final = 8.0
# ... and of all origins where nobody is in: a third of a processor at most, for whoever has many addresses.
TLS_BURST_ALL: Final = 256
TLS_PER_SECOND_ALL: Final = 128.0
# What a guest asks of the table and everybody is told of: a person's keys, never a program's.
CONTROL_BURST: Final = 20
CONTROL_PER_SECOND: Final = 2.0
# Where a seat can be dialled: once on each connection, and when its network changes. Everybody checks each.
REACH_BURST: Final = 4
REACH_PER_SECOND: Final = 0.2
# Parts of the log, 96 KiB each: a whole match is a few dozen.
READ_BURST: Final = 64
READ_PER_SECOND: Final = 8.0
# Records passed on by somebody without a seat: a favour to seats that are cut off. Each costs a look at its signature.
RELAY_BURST: Final = 16
RELAY_PER_SECOND: Final = 1.0
PASSED_OVER_MAX: Final = 100  # messages over these until whoever sends them is dropped: no person is that quick
ORIGINS_MAX: Final = 256  # addresses remembered: a local network has no more, and forgetting one costs 3 tries


@dataclass(slots=True)
class LogLimit:
    """Lets ten lines a minute through and counts the rest."""

    _since: float = float("-inf")
    _lines: int = 0
    _held_back: int = 0

    def allows(self, now: float) -> int | None:
        """None when this line is one too many; else how many lines were held back before it."""
        if now - self._since >= LOG_WINDOW:
            self._since, self._lines = now, 0
        if self._lines >= LOG_LINES:
            self._held_back += 1
            return None
        self._lines += 1
        held, self._held_back = self._held_back, 0
        return held


@dataclass(slots=True)
class _Tries:
    wrong: int = 0
    until: float = float("-inf")


@dataclass(slots=True)
class CodeTries:
    """Wrong codes: by origin three are free, then each costs a pause twice as long as the one before; of all origins
    together, which may be one guesser with many addresses, a few are let through a second. An origin from which a right
    code came knows no pause of others."""

    _by_origin: dict[str, _Tries] = field(default_factory=dict)
    _right: dict[str, None] = field(default_factory=dict)
    _all: Bucket = field(default_factory=lambda: Bucket(GUESSES_BURST, GUESSES_PER_SECOND))

    def pause(self, where: str, now: float) -> float:
        """Seconds until this origin may try again; 0 when it may."""
        tries = self._by_origin.get(where)
        own = max(0.0, tries.until - now) if tries else 0.0
        return own if where in self._right else max(own, self._all.wait(now))

    def wrong(self, where: str, now: float) -> None:
        """A wrong code came from there."""
        self._all.take(now)
        tries = self._by_origin.pop(where, None) or _Tries()
        tries.wrong += 1
        if tries.wrong >= FREE_TRIES:
            tries.until = now + min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(tries.wrong - FREE_TRIES, 16))
        self._by_origin[where] = tries
        while len(self._by_origin) > ORIGINS_MAX:
            del self._by_origin[next(iter(self._by_origin))]

    def right(self, where: str) -> None:
        """A right code came from there: its slate is clean."""
        self._by_origin.pop(where, None)
        self._right.pop(where, None)
        self._right[where] = None
        while len(self._right) > ORIGINS_MAX:
            del self._right[next(iter(self._right))]


@dataclass(slots=True)
class Handshakes:
    """Who may begin TLS: each origin so often, and all of those where nobody is in together so often."""

    _each: Buckets = field(default_factory=lambda: Buckets(TLS_BURST, TLS_PER_SECOND, ORIGINS_MAX))
    _all: Bucket = field(default_factory=lambda: Bucket(TLS_BURST_ALL, TLS_PER_SECOND_ALL))

    def take(self, where: str, is_guest: bool, now: float) -> bool:
        """Whether one from there may begin now. ``is_guest``: somebody from there is in."""
        return self._each.take(where, now) and (is_guest or self._all.take(now))


class Verdict(Enum):
    """What is done with a message of a guest."""

    TAKE = "the table gets it"
    IGNORE = "nothing"
    DROP = "its sender goes"


_CONTROL: Final = (Sit, Ready, Swap, Answer, SetBot, Kick, Start, Pause, Fresh, HandOver)


@dataclass(slots=True)
class Allowance:
    """What one guest may ask of the table. Records, entries and talk are limited where they are understood
    (`goat_host.table`, `goat_host.room`), all frames by `goat_net.wire.link`."""

    _control: Bucket = field(default_factory=lambda: Bucket(CONTROL_BURST, CONTROL_PER_SECOND))
    _reach: Bucket = field(default_factory=lambda: Bucket(REACH_BURST, REACH_PER_SECOND))
    _read: Bucket = field(default_factory=lambda: Bucket(READ_BURST, READ_PER_SECOND))
    _relay: Bucket = field(default_factory=lambda: Bucket(RELAY_BURST, RELAY_PER_SECOND))
    _over: Bucket = field(default_factory=lambda: Bucket(PASSED_OVER_MAX, CONTROL_PER_SECOND))

    def judge(self, message: Any, has_seat: bool, now: float) -> Verdict:
        """What is to be done with this message of theirs."""
        if isinstance(message, Read):
            # A part of the log that never comes would leave its reader waiting: who comes again is sent the rest.
            return Verdict.TAKE if self._read.take(now) else Verdict.DROP
        bucket: Bucket | None = None
        if isinstance(message, Reach):
            bucket = self._reach
        elif isinstance(message, _CONTROL):
            bucket = self._control
        elif isinstance(message, Submit) and not has_seat:
            bucket = self._relay
        if bucket is None or bucket.take(now):
            return Verdict.TAKE
        return Verdict.IGNORE if self._over.take(now) else Verdict.DROP
