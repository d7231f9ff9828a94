"""The 2048 words, table words and codes (PROTOCOL.md, Words)."""

import hashlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goat_net.wire.words import FIRST, LAST, MIDDLE, VOWELS, is_word, new_code, normal_code, table_words, word, words

ALL = [word(number) for number in range(2048)]

# Beginnings, middles or ends that people would rather not read aloud, in English or (spelt in Latin letters) Russian.
RUDE = [
    "anal", "anus", "arse", "ass", "bitch", "bljad", "blyad", "boob", "cock", "coon", "cum", "cunt", "damn",
    "debil", "dick", "dildo", "dolboe", "douche", "durak", "dyke", "ebal", "ebat", "fag", "fuck", "gad", "gandon",
    "gavno", "gomik", "govno", "homo", "hui", "huj", "jebat", "jopa", "kak", "khui", "kike", "lobok", "loh",
    "loser", "manda", "minet", "moron", "mudak", "mudil", "nazi", "neger", "negr", "nig", "nude", "paki", "pedo",
    "penis", "perd", "pidar", "pidor", "piss", "pizd", "poop", "popa", "porn", "pussy", "rape", "retard", "satan",
    "semen", "sex", "shit", "shl", "sisi", "slut", "spic", "srat", "suka", "tit", "trah", "twat", "urod", "vagin",
    "wank", "whore", "zad", "zhopa", "zalup",
]  # fmt: skip


def test_all_2048_words_are_different_and_in_the_order_of_the_table() -> None:
    assert ["".join(letters) for letters in itertools.product(FIRST, VOWELS, MIDDLE, VOWELS, LAST)] == ALL
    assert len(set(ALL)) == 2048
    assert all(map(is_word, ALL))


def test_no_word_holds_one_that_is_rude() -> None:
    assert [(w, bad) for w in ALL for bad in RUDE if bad in w] == []


@pytest.mark.parametrize("number", [-1, 2048])
def test_no_other_number_has_a_word(number: int) -> None:
    with pytest.raises(IndexError):
        word(number)


def test_words_take_the_first_bits_first() -> None:
    assert words(bytes.fromhex("00200c0600"), 3) == (word(1), word(3), word(12))
    assert words(b"\xff\xff", 1) == (word(2047),) == ("vovos",)
    with pytest.raises(ValueError, match="take 22 bits"):
        words(b"\xff\xff", 2)


def test_table_words_are_the_first_66_bits_of_the_hash() -> None:
    match_id = bytes(range(32))
    bits = "".join(f"{byte:08b}" for byte in hashlib.sha256(b"goat words v1" + match_id).digest())
    assert table_words(match_id) == tuple(word(int(bits[i : i + 11], 2)) for i in range(0, 66, 11))
    assert table_words(match_id) != table_words(bytes(32))


def test_code_is_four_words_of_44_bits() -> None:
    assert new_code(bytes(6)) == "baban baban baban baban"
    assert new_code(b"\xff" * 6) == "vovos vovos vovos vovos"
    assert new_code(b"\xff" * 5 + b"\xf0") == new_code(b"\xff" * 6)  # the last four bits don't count
    with pytest.raises(ValueError, match="take 44 bits"):
        new_code(bytes(5))


@given(st.binary(min_size=6, max_size=6))
def test_a_code_is_found_however_it_is_typed(entropy: bytes) -> None:
    code = new_code(entropy)
    to_cyrillic = str.maketrans("abvdeilmnorstf", "абвдеилмнорстф")
    for typed in (
        code, code.upper(), f"  {code} \n", code.replace(" ", "-"), code.replace(" ", ""), code.replace(" ", " — "),
        code.title(), code.translate(to_cyrillic), code.replace(" ", "."), code.replace(" ", "\t\u00a0"),
    ):  # fmt: skip
        assert normal_code(typed) == code


def test_other_texts_keep_their_words() -> None:
    assert normal_code("Two  Words!") == "two words"
    assert normal_code("twowords") != normal_code("two words")
    assert normal_code(" -- ") == ""
    assert normal_code("x" * 10_000) == "x" * 128


@given(st.text(max_size=200))
def test_a_normal_code_is_normal(text: str) -> None:
    once = normal_code(text)
    assert normal_code(once) == once
