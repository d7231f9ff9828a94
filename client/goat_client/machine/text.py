"""How wide text is on a terminal, and how it is cut, padded and wrapped to cells.

Widths are the sum of each character's own width, as terminals and pyte advance; clusters that terminals disagree
about (joiners, variation selectors, skin tones, flags) are taken apart first by `safe`, so that every cell of a
line stands where we think it does.
"""

import unicodedata
from functools import lru_cache
from typing import Final

from wcwidth import wcwidth

_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
_FLAG_LETTERS: Final = range(0x1F1E6, 0x1F200)
ELLIPSIS: Final = "…"


@lru_cache(maxsize=4096)
def _kept(ch: str) -> str:
    """The character as it may stand on a screen: itself, a stand-in, or nothing."""
    point = ord(ch)
    if point in _FLAG_LETTERS:
        return chr(ord("A") + point - _FLAG_LETTERS.start)
    if point in _SKIN_TONES:
        return ""
    if ch.isspace():
        return " "
    width = wcwidth(ch)
    if width < 0 or unicodedata.category(ch) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        return ""
    if width == 0:
        return ch if unicodedata.combining(ch) else ""
    return ch


def safe(text: str) -> str:
    """Text of any origin as it may be drawn: one line, no control or format characters, predictable widths.

    A combining mark that has no letter to stand on is dropped, and at most two stand on one letter.
    """
    if text.isascii() and text.isprintable():
        return text
    return _safe(text)


@lru_cache(maxsize=2048)
def _safe(text: str) -> str:
    out: list[str] = []
    marks = 2
    for ch in map(_kept, unicodedata.normalize("NFC", text)):
        if ch and unicodedata.combining(ch):
            marks += 1
            if marks > 2:
                continue
        elif ch:
            marks = 0 if ch != " " else 2
        out.append(ch)
    return "".join(out)


_LATIN: Final = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "e", "ж": "zh", "з": "z", "и": "i", "й": "i",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "iu",
    "я": "ia", "і": "i", "ї": "i", "є": "e", "ґ": "g", "ў": "u",
}  # fmt: skip


@lru_cache(maxsize=2048)
def ascii_fold(text: str) -> str:
    """Text of others for a terminal that has only ASCII: letters without their marks, Cyrillic in Latin letters,
    a star for what has no likeness. (The terminal's own stand-in is a question mark, which says something else.)"""
    if text.isascii():
        return text
    out: list[str] = []
    for ch in safe(text):
        plain = unicodedata.normalize("NFKD", ch).encode("ascii", "ignore").decode("ascii")
        latin = _LATIN.get(ch.lower(), "")
        if ch.isascii():
            out.append(ch)
        elif ch.lower() in _LATIN:
            out.append(latin.capitalize() if ch.isupper() else latin)
        elif plain or unicodedata.combining(ch):
            out.append(plain)
        else:
            out.append("*" * char_cells(ch))
    return "".join(out)


@lru_cache(maxsize=4096)
def char_cells(ch: str) -> int:
    """Cells one character takes: 0, 1 or 2."""
    return max(0, wcwidth(ch))


def cells(text: str) -> int:
    """Cells a text takes, character by character."""
    return len(text) if text.isascii() else sum(char_cells(ch) for ch in text)


def cut(text: str, width: int, mark: str = ELLIPSIS) -> str:
    """The text if it fits into ``width`` cells, else its beginning with ``mark`` at the end."""
    if width <= 0:
        return ""
    if cells(text) <= width:
        return text
    room = width - cells(mark)
    if room < 0:
        return ""
    out: list[str] = []
    used = 0
    for ch in text:
        used += char_cells(ch)
        if used > room:
            break
        out.append(ch)
    return "".join(out) + mark


def pad(text: str, width: int) -> str:
    """The text cut or filled with blanks to exactly ``width`` cells."""
    short = cut(text, width)
    return short + " " * (width - cells(short))


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` cells, broken at blanks where there are any; no line for an empty text."""
    if width <= 0:
        return []
    lines: list[str] = []
    line = ""
    for word in text.split():
        while cells(word) > width:  # a word that no line can hold is broken anywhere
            room = width - cells(line) - (1 if line else 0)
            if room < 2:
                lines.append(line)
                line, room = "", width
            head = cut(word, room, "")
            if not head:
                return lines
            lines.append(f"{line} {head}" if line else head)
            word, line = word[len(head) :], ""
        if not word:
            continue
        if line and cells(line) + 1 + cells(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        lines.append(line)
    return lines
