"""Names that could be taken for one another."""

import sys
import unicodedata

import pytest

from goat_net.wire.lookalike import SHAPE_CHARS, is_reserved, look_alike, mixes_scripts, shapes
from goat_net.wire.text import NAME_CELLS, clean_name

ALIKE = [
    ("Ann", "ann"), ("Ann", "ANN"), ("Ann", "Ann."), ("Ann", "A n n"), ("Ann", "Ann\u0338"),
    ("Ann", "\uff21\uff4e\uff4e"),
    ("Anna", "\u0410nn\u0430"), ("Jörg", "Jorg"), ("Ian", "lan"), ("Bob", "B0b"), ("Bill", "Bi11"), ("Marnie", "Mamie"),
    ("Ox", "\u041e\u0445"), ("Nikos", "\u039dikos"), ("\u039dίκος", "νικος"), ("Łukasz", "Lukasz"), ("😀", "😀"),
    ("Anna 2", "Anna2"), ("Anna 2", "Anna \u0662"), ("...", "…"),
]  # fmt: skip
APART = [
    ("Ann", "Anna"), ("Ann", "Ann 2"), ("Ann 2", "Ann 3"), ("Анна", "Anna"), ("Boris", "Doris"), ("😀", "🐐"),
    ("Ann", "Ann 🐐"), ("あお", "あか"), ("Misha", "Миша"), ("Vera", "Vero"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_these_look_alike(one: str, other: str) -> None:
    """M6: case, marks, blanks, points, other alphabets and digits do not make another name."""
    assert look_alike(one, other)
    assert look_alike(other, one)


@pytest.mark.parametrize(("one", "other"), APART)
def test_these_are_told_apart(one: str, other: str) -> None:
    assert not look_alike(one, other)


def test_nobody_may_sound_like_the_table() -> None:
    """M6: a guest called "The table" would speak as the table."""
    for name in ("The table", "the  TABLE", "Tаblе", "The host", "Host.", "The table 2"):
        assert is_reserved(clean_name(name)), name
    for name in ("Tabitha", "Hosta", "goat", "Tab", "Anna's table", "2", "..."):
        assert not is_reserved(clean_name(name)), name


def test_alphabets_in_one_name() -> None:
    """M6: a name of Latin and Cyrillic letters is made to deceive; Latin beside Japanese is not."""
    for name in ("Аnnа", "Αnna", "Bоb", "Օlga"):
        assert mixes_scripts(name), name
    for name in ("Anna", "Анна", "Νίκος", "Ken 健", "ケンtaro", "민수 Kim", "Ａｎｎａ", "😀 Ann", "µ", "DJ Миша"):
        assert not mixes_scripts(name), name


def test_every_character_has_a_bounded_shape() -> None:
    """No name, of whatever characters, makes a long shape or an error."""
    for code in range(0x20, sys.maxunicode + 1, 7):
        ch = chr(code)
        if unicodedata.category(ch) == "Cs":
            continue
        assert all(0 < len(s) <= SHAPE_CHARS for s in shapes(ch * NAME_CELLS))
