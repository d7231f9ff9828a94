"""Text from a peer: what may pass, and how it is made harmless (PROTOCOL.md, Bounds).

Names and talk are NFC and hold no control, bidi, invisible, unassigned or private characters, and are never blank;
so nothing a peer writes can move a cursor, hide, or widen a line unseen on another's screen.
"""

import unicodedata
from typing import Final

from wcwidth import wcswidth

from goat_net.harmless import MARKS_MOST, may_act

NAME_CELLS: Final = 16  # four names fit beside the trick at 60 columns
TALK_CHARS: Final = 300  # a few lines of the talk panel
_PASSES: Final = 8  # two are enough for all that was ever found


def clean(text: str, limit: int) -> str:
    """The text without what may not pass, blanks folded, at most ``limit`` characters; may be empty. What it gives may
    pass (`is_clean`): what is taken out may leave something behind that must go as well."""
    for _ in range(_PASSES):
        once = _cleaned(text, limit)
        if once == text:
            return once
        text = once
    return ""


def _cleaned(text: str, limit: int) -> str:
    kept = "".join(
        " " if ch.isspace() else ch for ch in unicodedata.normalize("NFC", text) if not may_act(ch) or ch.isspace()
    )
    out: list[str] = []
    marks = 0
    for ch in " ".join(kept.split()):
        marks = marks + 1 if unicodedata.combining(ch) else 0
        if marks <= MARKS_MOST and (out or not marks):
            out.append(ch)
    return unicodedata.normalize("NFC", "".join(out))[:limit].strip()


def cells(text: str) -> int:
    """Terminal cells the text takes."""
    return max(0, wcswidth(text))


def fit(text: str, width: int) -> str:
    """The longest beginning of the text that takes at most ``width`` cells."""
    while text and cells(text) > width:
        text = text[:-1]
    return text.rstrip()


def clean_name(text: str, fallback: str = "Player") -> str:
    """A name of at most 16 cells that may pass, or the fallback when nothing is left of it."""
    return fit(clean(text, 64), NAME_CELLS) or fallback


def is_clean(text: str, limit: int) -> bool:
    """Whether the text may pass as it is."""
    return bool(text) and _cleaned(text, limit) == text


def is_name(text: str) -> bool:
    """Whether the text may pass as a name."""
    return is_clean(text, 64) and cells(text) <= NAME_CELLS
