"""The text of a deal, its hash and its code."""

import hashlib
import random
import zlib

import pytest

from goat_engine.actions import Beat, Claim, Discard, Lead
from goat_engine.cards import DECK
from goat_engine.record import (
    ALPHABET,
    CODE_CHARS,
    CODE_VALUES,
    MAX_LINES,
    PAYLOAD_BYTES,
    Deal,
    Record,
    RecordError,
    decode_deal,
    dump,
    encode_deal,
    load,
    plays_hash,
)
from goat_engine.rules import SEATS, Rules
from tests.engine.deals import finished, named_deal, random_deal

TEXT = """\
goat deal 1
rules target=12 eggs_double=no yield_time=3000
dealer 3
leader 0
indicator AH
hand 0 6S 10S 7D 8D
hand 1 AS 7C 9D JD
hand 2 6C 8C QD KD
hand 3 6D 9C 6H 7H
stock 7S 8S 9S JS QS KS JC QC KC 10C AC 10D AD 8H 9H JH QH KH 10H AH
0 lead 10S 6S
1 claim
"""


def test_a_text_as_documented() -> None:
    deal = named_deal(
        {0: "6S 10S 7D 8D", 1: "AS 7C 9D JD", 2: "6C 8C QD KD", 3: "6D 9C 6H 7H"},
        "7S 8S 9S JS QS KS JC QC KC 10C AC 10D AD 8H 9H JH QH KH 10H AH",
    )
    record = Record(deal, ((0, Lead((4, 0))), (1, Claim())))
    assert dump(record) == TEXT + "end\n"
    assert load(dump(record)) == record


@pytest.mark.parametrize("seed", range(30))
def test_round_trip(seed: int) -> None:
    record = finished(seed, suited=0.6).record
    text = dump(record)
    assert load(text) == record
    assert dump(load(text)) == text
    assert text.isascii()
    assert max(map(len, text.splitlines())) < 80


def test_round_trip_of_house_rules() -> None:
    deal = named_deal({}, rules=Rules(target=6, eggs_double=True, yield_time=0), dealer=1, leader=2)
    assert load(dump(Record(deal))) == Record(deal)


def test_comments_blank_lines_and_case_are_accepted() -> None:
    text = "# a deal\n\n" + TEXT.replace("10S 6S", "10s  6s") + "\n# over\nend\n\n"
    assert load(text) == load(TEXT + "end\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "goat deal 1",
            "goat deal 2",
            "line 1: expected 'goat deal 1' (this program reads version 1), found 'goat deal",
        ),
        ("goat deal 1", "MZ\x00 stuff", "line 1: expected 'goat deal 1', found"),
        ("target=12", "target=x", "line 2: expected 'rules target=N"),
        ("target=12", "target=012", "line 2: expected numbers without leading zeros"),
        ("target=12", "target=99999999999999999999", "line 2: expected 'rules"),
        ("target=12", "target=²", "line 2: expected 'rules"),
        ("eggs_double=no", "eggs_double=maybe", "line 2: expected 'rules"),
        ("dealer 3", "dealer 4", "line 3: expected 'dealer' and a seat 0 to 3, found 'dealer 4'"),
        ("dealer 3\n", "", "line 3: expected 'dealer' and a seat 0 to 3, found 'leader 0'"),
        ("leader 0", "leader", "line 4: expected 'leader'"),
        ("indicator AH", "indicator 1H", "line 5: '1H' is no card"),
        ("indicator AH", "indicator 6H", "line 10: the indicator 6H must be a card of the stock"),
        ("hand 0 6S 10S 7D 8D", "hand 0 6S 10S 7D", "line 6: expected 'hand 0' and 4 cards"),
        ("hand 1", "hand 2", "line 7: expected 'hand 1' and 4 cards, found 'hand 2 AS 7C 9D JD'"),
        ("hand 0 6S", "hand 0 7S", "line 10: hands and stock hold 7S more than once"),
        ("stock 7S 8S", "stock 7S", "line 10: expected 'stock' and 20 cards"),
        ("0 lead", "5 lead", "line 11: expected an action as in"),
        ("0 lead", "0 throw", "line 11: expected an action as in"),
        ("0 lead 10S 6S", "0 lead", "line 11: expected 1 to 4 cards after 'lead'"),
        ("0 lead 10S 6S", "0", "line 11: expected an action"),
        ("0 lead 10S 6S", "0 lead 6S 7S 8S 9S JS", "line 11: expected 1 to 4 cards"),
        ("0 lead 10S 6S", "0 lead 10X", "line 11: '10X' is no card"),
        ("1 claim", "1 claim 6S", "line 12: expected no cards after 'claim'"),
        ("end\n", "", "line 13: expected an action or 'end', found the end of the text"),
        ("end\n", "end\n0 yield\n", "line 14: expected nothing after 'end', found '0 yield'"),
        ("goat deal 1", "x" * 5000, "..."),
        ("end\n", "1 claim\n" * MAX_LINES, f"line {MAX_LINES + 1}: a deal has at most"),
    ],
)
def test_errors_name_the_line(old: str, new: str, message: str) -> None:
    text = TEXT + "end\n"
    assert old in text
    with pytest.raises(RecordError) as caught:
        load(text.replace(old, new, 1))
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


def test_an_empty_text() -> None:
    with pytest.raises(RecordError, match="line 1: expected 'goat deal 1', found the end of the text"):
        load("")


def read(text: str) -> Record | None:
    """The record, or None after the one error that a bad text may give."""
    try:
        return load(text)
    except RecordError as e:
        message = str(e)
    assert message.startswith("line ")
    return None


def test_any_text_is_a_record_or_one_error() -> None:
    rng = random.Random(8)
    good = dump(finished(3, suited=1.0).record)
    bits = good.replace("\n", " \n ").split(" ")
    kept = 0
    for _ in range(3000):
        words = list(bits)
        for _ in range(rng.randint(1, 3)):
            i = rng.randrange(len(words))
            what = rng.randrange(4)
            if what == 0:
                del words[i]
            elif what == 1:
                words.insert(i, rng.choice(bits))
            elif what == 2:
                words[i] = rng.choice(["", "\n", "#", "0", "-1", "é", "\x00", "10", "H", "end", "9" * 40])
            else:
                words = words[:i]
                break
        text = " ".join(words)
        record = read(text)
        kept += record is not None
        assert record is None or load(dump(record)) == record
    assert 0 < kept < 1500


def test_a_discard_that_is_not_open_is_not_recorded() -> None:
    record = Record(named_deal({}), ((1, Discard((None,))),))
    with pytest.raises(ValueError, match="not open"):
        dump(record)


def test_a_deal_that_is_none() -> None:
    good = named_deal({})
    with pytest.raises(ValueError, match="each of the 36 cards once"):
        Deal(0, 0, good.indicator, (*good.cards[:35], good.cards[0]))
    with pytest.raises(ValueError, match="seats 0 to 3"):
        Deal(4, 0, good.indicator, good.cards)
    with pytest.raises(ValueError, match="card of the stock"):
        Deal(0, 0, good.cards[0], good.cards)


def test_hash_of_plays() -> None:
    deal = named_deal({0: "6S 10S 7D 8D", 1: "JS AS 9D JD"})
    lead, other = Lead((0, 4)), Lead((4, 0))
    one = Record(deal, ((0, lead), (1, Beat((1, 5)))))
    same = Record(deal, ((0, other), (1, Beat((5, 1)))))
    assert one != same
    assert plays_hash(one) == plays_hash(same)
    assert plays_hash(one) != plays_hash(Record(deal, ((0, lead), (1, Discard((1, 5))))))
    assert plays_hash(one) != plays_hash(Record(deal, ((0, lead),)))
    canonical = TEXT.replace("lead 10S 6S", "lead 6S 10S") + "end\n"
    assert plays_hash(load(TEXT + "end\n")) == hashlib.sha256(canonical.encode()).hexdigest()


# --- deal code ---


def test_codes_round_trip() -> None:
    rng = random.Random(7)
    for _ in range(300):
        deal = random_deal(rng)
        code = encode_deal(deal)
        assert code.startswith("G1:")
        assert len(code.replace("-", "")) == 3 + CODE_CHARS == 40
        assert decode_deal(code) == deal
        for form in (code.lower(), code.replace("-", ""), f"  {code} ", code.replace("0", "o").replace("1", "l")):
            assert decode_deal(form) == deal


def test_first_and_last_code() -> None:
    first = Deal(0, 0, DECK[16], DECK)
    last = Deal(3, 3, 0, DECK[::-1])
    for deal in (first, last):
        assert decode_deal(encode_deal(deal)) == deal
    assert encode_deal(first) == "G1:00000-00000-00000-00000-00000-00000-1QWJ2-6T"
    assert encode_deal(last) == "G1:0ANKW-TZJTJ-949AN-S9RC5-0VKZZ-ZZZZZ-YASCH-PK"
    assert CODE_VALUES.bit_length() == 147


def test_a_number_beyond_the_last_deal_is_none() -> None:
    """Its check fits: whoever wrote it has another idea of deals than we."""
    payload = CODE_VALUES.to_bytes(PAYLOAD_BYTES, "big")
    number = int.from_bytes(payload + zlib.crc32(payload).to_bytes(4, "little"), "big")
    assert_broken("G1:" + "".join(ALPHABET[number >> 5 * i & 31] for i in reversed(range(CODE_CHARS))))


def test_rules_are_given_beside_the_code() -> None:
    rules = Rules(eggs_double=True)
    assert decode_deal(encode_deal(named_deal({})), rules).rules == rules


def test_no_single_mistake_passes() -> None:
    rng = random.Random(17)
    for _ in range(3):
        code = encode_deal(random_deal(rng)).replace("-", "")
        head, chars = code[:3], code[3:]
        for i in range(CODE_CHARS):
            for char in ALPHABET:
                if char != chars[i]:
                    assert_broken(head + chars[:i] + char + chars[i + 1 :])
            if i and chars[i] != chars[i - 1]:
                assert_broken(head + chars[: i - 1] + chars[i] + chars[i - 1] + chars[i + 1 :])
    for _ in range(3000):
        wrong = list(chars)
        for i in rng.sample(range(CODE_CHARS), rng.randint(2, 6)):
            wrong[i] = rng.choice([c for c in ALPHABET if c != wrong[i]])
        assert_broken(head + "".join(wrong))


def assert_broken(code: str) -> None:
    with pytest.raises(RecordError, match="has a mistake in it"):
        decode_deal(code)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("", "begins with G1:"),
        ("hello", "begins with G1:"),
        ("G2:ABC", "begins with G1:"),
        ("G1:", "too short: 0 characters instead of 37"),
        ("G1:" + "A" * 36, "too short: 36 characters instead of 37"),
        ("G1:" + "A" * 38, "too long: 38 characters instead of 37"),
        ("G1:ABCU", "character 4 of the deal code, 'U', does not occur"),
        ("G1:AB?", "character 3 of the deal code, '?', does not occur"),
        ("G1:ſ٣", "does not occur"),
        ("G1:" + "Z" * 37, "has a mistake"),
        ("G1:" + "0" * 37, "has a mistake"),
        ("G1:" + "A" * 100_000, "far too long"),
    ],
)
def test_codes_that_are_none(code: str, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        decode_deal(code)
    assert message in str(caught.value)


def test_seats_in_codes() -> None:
    cards = random_deal(random.Random(1)).cards
    codes = {encode_deal(Deal(d, le, i, cards)) for d in SEATS for le in SEATS for i in cards[16:]}
    assert len(codes) == 4 * 4 * 20
