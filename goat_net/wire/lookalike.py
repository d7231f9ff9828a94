"""Which names people could take for one another (PROTOCOL.md, The table).

Two names look alike when they differ at most in case, marks, blanks, punctuation, in letters of other alphabets with
the same shape, or in shapes that few readers tell apart (O and 0, l and 1 and I, rn and m). This is what one table
does about its own guests: nothing in the log depends on it, so it may follow the Python's own Unicode tables.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

SHAPE_CHARS: Final = 128  # of a shape: a name has at most 16 cells, and one character may stand for eighteen
RESERVED: Final = ("the table", "table", "the host", "host")  # who speaks as one of these speaks for the table

# Letters by their shape, of the alphabets that share shapes with Latin. Capitals stand beside small letters, since
# some of them look like another letter than their small form does (Greek N is a nu, whose small form is a v).
_SHAPES: Final = str.maketrans(
    {
        # Cyrillic
        "А": "a", "В": "b", "Е": "e", "З": "3", "К": "k", "М": "m", "Н": "h", "О": "o", "Р": "p", "С": "c", "Т": "t",
        "У": "y", "Х": "x", "Ѕ": "s", "І": "l", "Ј": "j", "Ь": "b", "Ԛ": "q", "Ԝ": "w",
        "а": "a", "в": "b", "г": "r", "е": "e", "з": "3", "к": "k", "м": "m", "н": "h", "о": "o", "п": "n", "р": "p",
        "с": "c", "т": "t", "у": "y", "х": "x", "ѕ": "s", "і": "l", "ј": "j", "һ": "h", "ь": "b", "ԁ": "d", "ԛ": "q",
        "ԝ": "w", "ѵ": "v", "ӏ": "l", "Ӏ": "l",
        # Greek
        "Α": "a", "Β": "b", "Ε": "e", "Ζ": "z", "Η": "h", "Ι": "l", "Κ": "k", "Μ": "m", "Ν": "n", "Ο": "o", "Ρ": "p",
        "Τ": "t", "Υ": "y", "Χ": "x",
        "α": "a", "β": "b", "γ": "y", "ε": "e", "η": "n", "ι": "l", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t",
        "υ": "u", "χ": "x", "ω": "w",
        # Armenian
        "Օ": "o", "Ս": "u", "Տ": "s", "Լ": "l", "օ": "o", "ո": "n", "ս": "u", "հ": "h", "ց": "g", "զ": "q", "ք": "p",
        # Latin letters that are another with a stroke, or without a dot
        "ı": "l", "ł": "l", "Ł": "l", "ø": "o", "Ø": "o", "đ": "d", "Đ": "d", "ħ": "h", "Ħ": "h", "ɑ": "a", "ɡ": "g",
        "ƒ": "f", "ŧ": "t", "Ŧ": "t", "ƅ": "b", "ɩ": "l", "ɪ": "l", "ʟ": "l",
        # Digits and strokes
        "0": "o", "1": "l", "I": "l", "i": "l", "|": "l", "ǀ": "l",
    }
)  # fmt: skip
_SHAPES_OF_TWO: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_DROPPED: Final = frozenset({"Mn", "Mc", "Me", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Zs", "Sk", "Sm", "Lm"})
# Scripts that are written with Latin in one name; any other two in one name are there to deceive.
_WITH_LATIN: Final = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})


def _shape(text: str) -> str:
    drawn = unicodedata.normalize("NFKD", text)
    kept = "".join(c for c in drawn if c == "|" or unicodedata.category(c) not in _DROPPED)
    digits = "".join(str(unicodedata.digit(c)) if unicodedata.category(c) == "Nd" else c for c in kept)
    out = digits.translate(_SHAPES).casefold().translate(_SHAPES)
    for two, one in _SHAPES_OF_TWO:
        out = out.replace(two, one)
    return out[:SHAPE_CHARS]


@lru_cache(maxsize=256)  # the names at one table
def shapes(name: str) -> frozenset[str]:
    """How a name looks as it is written, and in small letters. Of a name of nothing but marks: the name itself."""
    found = {_shape(name), _shape(name.casefold())} - {""}
    return frozenset(found or {unicodedata.normalize("NFKC", name).casefold()})


def look_alike(one: str, other: str) -> bool:
    """Whether people could take one name for the other."""
    return not shapes(one).isdisjoint(shapes(other))


def like_any(name: str, others: Iterable[str]) -> bool:
    """Whether people could take a name for one of the others."""
    return any(look_alike(name, other) for other in others)


def is_reserved(name: str) -> bool:
    """Whether a name sounds as if the table itself spoke, with or without a number behind it."""
    return like_any(name, RESERVED) or like_any(re.sub(r"[\W\d_]+$", "", name), RESERVED)


def mixes_scripts(name: str) -> bool:
    """Whether letters of one word come from alphabets that nobody writes together, as Latin and Cyrillic."""
    return any(_mixed(word) for word in re.split(r"[\W\d_]+", unicodedata.normalize("NFKC", name)))


def _mixed(word: str) -> bool:
    letters = [c for c in word if unicodedata.category(c) in ("Lu", "Ll", "Lt", "Lo")]
    scripts = {unicodedata.name(c, "?").split()[0].partition("-")[0] for c in letters}
    return len(scripts) > 1 and not scripts <= _WITH_LATIN
