"""How often something that ends by itself is started again. Pure."""

from collections import deque
from typing import Final

WITHIN: Final = 600.0  # s after which a start is forgotten: what has run so long since is no crash loop


class Restarts:
    """At most ``most`` starts in any ``within`` seconds: what ends at once is not started for ever, and what ends once
    a day for years is."""

    def __init__(self, most: int, within: float = WITHIN) -> None:
        self._within = within
        self._starts: deque[float] = deque(maxlen=most)

    def allows(self, now: float) -> bool:
        """Whether one more start is good at this time (seconds of a clock that never goes back); it is counted then."""
        full = len(self._starts) == self._starts.maxlen
        if full and now - self._starts[0] < self._within:
            return False
        self._starts.append(now)
        return True
