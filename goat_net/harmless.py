"""Text of any origin, made harmless where it is shown: a file name, an error's text, what a peer has sent.

`goat_net.wire.text` takes out what may not pass. Here it stays, as an escape that a person can read.
"""

import unicodedata
from functools import lru_cache
from typing import Final

from goat_net.unicode14 import is_assigned

MARKS_MOST: Final = 2  # combining marks on one letter; more of them climb into the lines above
_BAD_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Drawn as nothing or as a blank though their category says letter or mark.
_INVISIBLE: Final = frozenset("\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


@lru_cache(maxsize=4096)  # every letter that comes or goes is asked about, several times; text has few different ones
def may_act(ch: str) -> bool:
    """Whether a sign could move a cursor, hide itself or others, or break a line. The plain blank may not."""
    return (
        not is_assigned(ch)
        or unicodedata.category(ch) in _BAD_CATEGORIES
        or ch in _INVISIBLE
        or "\ufe00" <= ch <= "\ufe0f"
        or "\U000e0100" <= ch <= "\U000e01ef"
        or (ch.isspace() and ch != " ")
    )


def harmless(text: str, *, lines: bool = False) -> str:
    """Text of any origin as a terminal or a log may show it: what could act, hide or turn the line is written as an
    escape that can be read (``\\x1b``, ``\\u202e``). ``lines``: line ends stay."""
    if text.isascii() and text.isprintable():
        return text
    out: list[str] = []
    marks = MARKS_MOST  # a mark needs a letter to stand on
    for ch in text:
        marks = marks + 1 if unicodedata.combining(ch) else 0
        if lines and ch == "\n":
            marks = MARKS_MOST
            out.append(ch)
        elif may_act(ch) or marks > MARKS_MOST:
            out.append(_escaped(ch))
        else:
            out.append(ch)
    return "".join(out)


def _escaped(ch: str) -> str:
    point = ord(ch)
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
