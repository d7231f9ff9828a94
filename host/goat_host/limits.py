"""What the server allows strangers: lines in its log, tries at the code. No I/O."""

from dataclasses import dataclass, field
from typing import Final

LOG_LINES: Final = 10  # a minute about strangers; a flood must not fill a disk or hide what matters
LOG_WINDOW: Final = 60.0
FREE_TRIES: Final = 3  # wrong codes in a row before an address has to wait
FIRST_PAUSE: Final = 5.0  # s, doubled with each further wrong code
LONGEST_PAUSE: Final = 300.0
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
    """Wrong codes by origin: three are free, then each costs a pause twice as long as the one before."""

    _by_origin: dict[str, _Tries] = field(default_factory=dict)

    def pause(self, where: str, now: float) -> float:
        """Seconds until this origin may try again; 0 when it may."""
        tries = self._by_origin.get(where)
        return max(0.0, tries.until - now) if tries else 0.0

    def wrong(self, where: str, now: float) -> None:
        """A wrong code came from there."""
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
