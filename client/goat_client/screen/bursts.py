"""Tells typing from a paste on a terminal that does not mark one (no bracketed paste): it comes as keys, all at once.

No I/O; ``now`` is an argument, in seconds of any steady clock.
"""

from collections.abc import Sequence
from typing import Final

PASTE_KEYS: Final = 6
"""Text keys (letters, digits, Enter) in one read that may still be typing: four cards, Enter, and one more, typed
ahead of a slow line. More of them are a paste."""
PASTE_GOES_ON: Final = 0.05
"""Seconds after a paste within which text keys still belong to it: a long one comes in several reads. Nobody reads
what was pasted and presses a key sooner."""


class Bursts:
    """What is done with keys as they come: `take` each of them."""

    def __init__(self) -> None:
        self._text: str | None = None  # of a paste that is on
        self._pasted = float("-inf")

    def take(self, name: str, ahead: Sequence[str], now: float) -> str | None:
        """A key by its name, and the names of those that were read with it and are still to come.

        None: it was typed, and does what it does. Else it is part of a paste: the text of all of it with its last
        key, and "" before that.
        """
        letter = _text_of(name)
        if letter is None:
            self._text = None
            return None
        if self._text is None:
            many = 1 + sum(_text_of(other) is not None for other in ahead)
            if many <= PASTE_KEYS and now - self._pasted >= PASTE_GOES_ON:
                return None
            self._text = ""
        self._text += letter
        if any(_text_of(other) is not None for other in ahead):
            return ""
        whole, self._text, self._pasted = self._text, None, now
        return whole


def _text_of(name: str) -> str | None:
    """The text that a key stands for in a paste; None for the keys that no paste holds."""
    if name in ("enter", "space", "tab"):
        return {"enter": "\n"}.get(name, " ")
    return name if len(name) == 1 and name.isprintable() else None
