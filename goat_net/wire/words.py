"""Words made of a table: the six words of a match, and the four of a table's code (PROTOCOL.md, Words).

A word stands for 11 bits: first letter 3, vowel 2, middle letter 3, vowel 2, last letter 1. Every word has five
letters, is said as it is written in English and in Russian alike, and no two are the same. The letters are chosen so
that none of the words is one that people would not like to read aloud (no g, k, p, z or h; no u; m not in front).
"""

import hashlib
import unicodedata
from typing import Final

FIRST: Final = "bdflnrtv"
VOWELS: Final = "aeio"
MIDDLE: Final = "bdflmnrv"
LAST: Final = "ns"

WORD_BITS: Final = 11
WORD_LETTERS: Final = 5
TABLE_WORDS: Final = 6  # 66 bits: nobody finds two matches with the same words by trying
CODE_WORDS: Final = 4  # 44 bits, each guess costs an scrypt or a connection
CODE_CHARS: Final = 128  # of a typed code; four words with blanks are 23
# Letters and digits of a new table's code at least. A table lets one guess through in two seconds, whoever makes it
# (`goat_host.limits`): six characters drawn by lot last for years. Four words of ours need no such thing.
CODE_LEAST: Final = 6

_PURPOSE: Final = b"goat words v1"
# Typed with the Cyrillic layout of one's mind: the letters of our table by their sound.
_CYRILLIC: Final = str.maketrans("абвдеилмнорстф", "abvdeilmnorstf")


def word(number: int) -> str:
    """The word of a number 0..2047. Raises IndexError outside."""
    if not 0 <= number < 1 << WORD_BITS:
        raise IndexError(f"there are 2048 words, none with the number {number}")
    return (
        FIRST[number >> 8]
        + VOWELS[number >> 6 & 3]
        + MIDDLE[number >> 3 & 7]
        + VOWELS[number >> 1 & 3]
        + LAST[number & 1]
    )


def words(data: bytes, count: int) -> tuple[str, ...]:
    """The words of the first ``11 * count`` bits of ``data``, most significant bit first."""
    bits = WORD_BITS * count
    if len(data) * 8 < bits:
        raise ValueError(f"{count} words take {bits} bits, not {len(data) * 8}")
    number = int.from_bytes(data, "big") >> (len(data) * 8 - bits)
    return tuple(word(number >> (WORD_BITS * (count - 1 - i)) & 0x7FF) for i in range(count))


def table_words(match_id: bytes) -> tuple[str, ...]:
    """The six words that all at a table compare once: the first 66 bits of SHA-256("goat words v1" | match id)."""
    return words(hashlib.sha256(_PURPOSE + match_id).digest(), TABLE_WORDS)


def new_code(entropy: bytes) -> str:
    """A code of four words from at least 6 bytes of secret chance; the first 44 bits count."""
    return " ".join(words(entropy, CODE_WORDS))


def is_word(text: str) -> bool:
    """Whether this is one of the 2048 words."""
    return len(text) == WORD_LETTERS and all(
        letter in letters for letter, letters in zip(text, (FIRST, VOWELS, MIDDLE, VOWELS, LAST), strict=True)
    )


def code_problem(text: str) -> str:
    """Why this is no code for a new table, as a sentence for who typed it; empty when it is one."""
    if sum(ch != " " for ch in normal_code(text)) >= CODE_LEAST:
        return ""
    return f"A code word needs at least {CODE_LEAST} letters or digits"


def normal_code(text: str) -> str:
    """A code as it is proven, however it was typed: case, blanks, dashes and the script of the letters don't matter.

    Words of our table are found without blanks between them too; any other text keeps its own blanks. At most the
    first 128 characters count.
    """
    plain = unicodedata.normalize("NFKC", text[:CODE_CHARS]).casefold().translate(_CYRILLIC)
    parts = "".join(ch if ch.isalnum() else " " for ch in plain).split()
    joined = "".join(parts)
    cut = [joined[i : i + WORD_LETTERS] for i in range(0, len(joined), WORD_LETTERS)]
    return " ".join(cut if all(map(is_word, cut)) else parts)
