"""The worked situations of RULES.md, by their numbers.

Teams {0,2} and {1,3}, trump hearts, entitled leader 0 unless said. Every action is folded by six watchers at once
and every refusal is checked to change nothing (see deals.Table).
"""

from itertools import product

import pytest

from goat_engine.actions import Beat, Claim, Discard, Lead, Refusal, Show, Yield
from goat_engine.cards import DECK, name
from goat_engine.match import MatchState, after_deal, score
from goat_engine.record import Deal
from goat_engine.rules import SEATS, Rules, defeat_points
from goat_engine.state import FIRST_STOCK_SLOT, Phase, start
from tests.engine.deals import Table, named_deal, play_single, suit_each

CL = "6C 7C 8C 9C"
SP = "6S 7S 8S 9S"
TRUMPS = "6H 7H 8H 9H"


def table(hands: dict[int, str], stock: str = "", *, trump: str = "H", leader: int = 0, dealer: int = 3) -> Table:
    return Table(named_deal(hands, stock, trump=trump, leader=leader, dealer=dealer))


def test_s01_beat_beat_discard() -> None:
    t = table({0: "KS 6C 7D 8D", 1: "10S 7C 9D JD", 2: "AS 8C QD KD", 3: "6D 9C 6H 7H"})
    t.lead(0, "KS")
    t.beat(1, "10S")
    t.beat(2, "AS")
    done = t.discard(3, "6D")
    assert done.closed is not None
    assert done.closed.taker == 2
    assert t.points() == 25
    assert t.state.turn == t.state.entitled == 2


def test_s02_discard_of_high_card_is_legal_and_unseen() -> None:
    t = table({0: "6S 6C 7D 8D", 1: "AD 7C 9D JD"})
    t.lead(0, "6S")
    t.refuses(1, Beat(t.slots("AD")), Refusal.DOES_NOT_BEAT)
    t.discard(1, "AD")
    for seat in (0, 2, 3):
        assert t.states[seat].plays[1].slots == (None,)
        assert t.place[DECK[2 * 9 + 8]] not in t.states[seat].known


def test_s03_trumps_over_an_ace_and_trump_over_trump() -> None:
    t = table({0: "AS 6C 7D 8D", 1: "6H 7C 9D JD", 2: "AC 7H 8C QD", 3: "KH 9C 6D KD"})
    t.lead(0, "AS")
    t.beat(1, "6H")
    t.refuses(2, Beat(t.slots("AC")), Refusal.DOES_NOT_BEAT)
    t.beat(2, "7H")
    t.beat(3, "KH")
    assert t.taker == 3

    t = table({0: "10H 6C 7D 8D", 1: "KH 7C 9D JD", 2: "AH 8C QD KD"})
    t.lead(0, "10H")
    t.refuses(1, Beat(t.slots("KH")), Refusal.DOES_NOT_BEAT)
    t.discard(1, "7C")
    t.beat(2, "AH")
    t.rest_discards()
    assert t.taker == 2


@pytest.mark.parametrize("cards", ["6H 7S", "7S 6H"])
def test_s04_order_of_cards_is_irrelevant(cards: str) -> None:
    t = table({0: "6S AS 6C 7D", 1: "6H 7S 7C 9D"})
    t.lead(0, "6S AS")
    t.beat(1, cards)
    t.rest_discards()
    assert t.taker == 1
    assert set(t.state.tricks[0].plays[1].slots) == set(t.slots("6H 7S"))


def test_s07_the_top_set_must_be_beaten() -> None:
    t = table({0: "7S 6C 7D 8D", 1: "6H 7C 9D JD", 2: "10S 7H 8C QD"})
    t.lead(0, "7S")
    t.beat(1, "6H")
    t.refuses(2, Beat(t.slots("10S")), Refusal.DOES_NOT_BEAT)
    t.beat(2, "7H")
    t.rest_discards()
    assert t.taker == 2


def test_s08_one_suit_and_equal_counts() -> None:
    t = table({0: "7S 8S 7C 8D", 1: "9S 10S JS 9D"})
    t.refuses(0, Lead(t.slots("7S 7C")), Refusal.NOT_ONE_SUIT)
    t.lead(0, "7S 8S")
    t.refuses(1, Beat(t.slots("9S")), Refusal.WRONG_COUNT)
    t.refuses(1, Discard(t.slots("9S")), Refusal.WRONG_COUNT)
    t.refuses(1, Beat(t.slots("9S 10S JS")), Refusal.WRONG_COUNT)
    t.refuses(1, Discard(t.slots("9S 10S 9D")), Refusal.WRONG_COUNT)
    t.beat(1, "9S 10S")
    t.rest_discards()
    assert t.taker == 1


def test_s09_three_low_trumps_beat_three_high_cards() -> None:
    t = table({0: "AS 10S KS 6C", 1: "6H 7H 8H 9D"})
    t.lead(0, "AS 10S KS")
    t.beat(1, "6H 7H 8H")
    t.rest_discards()
    assert t.taker == 1


def test_s10_feeding_the_partner_unseen() -> None:
    t = table({0: "KS 6D 7D 8D", 1: "6C 8C 9D JD", 2: "10S 9C QD KD", 3: "7C JC 6H 7H"})
    t.lead(0, "KS")
    t.discard(1, "6C")
    t.discard(2, "10S")
    t.discard(3, "7C")
    assert t.taker == 0
    assert t.points() == 14
    ten = t.slots("10S")[0]
    for seat in (0, 1, 3):
        assert ten not in t.states[seat].known
    assert ten in t.states[2].known
    with pytest.raises(ValueError, match="not over"):
        score(t.states[0])
    while t.state.phase is not Phase.OVER:
        leader = t.state.entitled
        t.do(leader, Lead(t.state.hands[leader][:1]))
        t.rest_discards()
    for seat in (0, 1, 3):
        assert ten not in t.states[seat].known
        with pytest.raises(ValueError, match="not all cards are open"):
            score(t.states[seat])
    assert sum(score(t.state).points) == 120


def test_s12_a_six_takes_25() -> None:
    t = table({0: "6C 6S 7D 8D", 1: "AD 7S 9D 6H", 2: "10D 8S QC QD", 3: "KD 9S 7H 8H"})
    t.lead(0, "6C")
    t.discard(1, "AD")
    t.discard(2, "10D")
    t.discard(3, "KD")
    assert t.taker == 0
    assert t.points() == 25


def test_s14_one_card_at_a_time_from_the_taker() -> None:
    hands = {0: "6D 7D 6C 7C", 1: "8C 9C JC QC", 2: "8D 9D JD QD", 3: "KC 10C KD 10D"}
    t = table(hands, "AS KS QS JS 10S 9S 8S 7S")
    t.lead(0, "6D 7D")
    t.discard(1, "8C 9C")
    t.beat(2, "8D 9D")
    done = t.discard(3, "KC 10C")
    assert done.drawn is not None
    drawn = {s: [name(t.deal.cards[i]) for i in done.drawn.slots[s]] for s in SEATS}
    assert drawn == {2: ["AS", "10S"], 3: ["KS", "9S"], 0: ["QS", "8S"], 1: ["JS", "7S"]}
    assert done.state.turn == 2


def test_s15_end_of_the_stock() -> None:
    draws = "JD JC 10S JH  QD QC 10C QH  KD KC AC KH  10D 10H AD AH"
    t = table({0: "6D 7D 8D 9D", 1: CL, 2: SP, 3: TRUMPS}, draws + "  AS KS QS JS")
    t.lead(0, "6D 7D 8D 9D")
    t.rest_discards()
    assert t.state.stock == 4
    t.lead(0, "JD QD KD")
    t.discard(1, "JC QC KC")
    t.discard(2, "10S 10C AC")
    done = t.beat(3, "JH QH KH")
    assert done.closed is not None
    assert done.closed.taker == 3
    assert done.drawn is not None
    drawn = {s: [name(t.deal.cards[i]) for i in done.drawn.slots[s]] for s in SEATS}
    assert drawn == {3: ["AS"], 0: ["KS"], 1: ["QS"], 2: ["JS"]}
    assert [t.state.hand_size(s) for s in SEATS] == [2, 2, 2, 2]
    assert t.state.stock == 0


def _patterns(hand: int = 4, stock: int = 5, done: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """All lead sizes of a deal; hand and stock in cards per seat."""
    if hand == 0:
        return [done]
    out = []
    for n in range(1, hand + 1):
        draw = min(n, stock)
        out.extend(_patterns(hand - n + draw, stock - draw, (*done, n)))
    return out


def test_s15_all_patterns_of_lead_sizes() -> None:
    patterns = _patterns()
    assert len(patterns) == 208
    assert (4, 4, 1) in patterns
    assert min(map(len, patterns)) == 3
    assert max(map(len, patterns)) == 9
    order = {s: " ".join(r + suit for r in ("6", "7", "8", "9", "J", "Q", "K", "10", "A")) for s, suit in
             enumerate("SCDH")}  # fmt: skip
    for pattern in patterns:
        t = Table(suit_each(order))
        for n in pattern:
            sizes = {t.state.hand_size(s) for s in SEATS}
            assert len(sizes) == 1
            assert t.state.stock % 4 == 0
            t.do(0, Lead(t.state.hands[0][:n]))
            t.rest_discards()
        assert t.state.phase is Phase.OVER
        assert score(t.state).tricks == (len(pattern), 0)


def test_s16_right_after_the_deal() -> None:
    for dealer, leader in product(SEATS, SEATS):
        t = table({}, dealer=dealer, leader=leader)
        assert sum(t.state.hand_size(s) for s in SEATS) == 16
        assert t.state.stock == 20
        assert t.deal.indicator in t.deal.cards[FIRST_STOCK_SLOT:]
        for seat in SEATS:
            assert len(t.states[seat].known) == 4  # the indicator's face is public, its place is not
            assert t.states[seat].indicator == t.deal.indicator
        assert not t.state.shown


def test_s17_a_claim_in_mid_trick() -> None:
    t = table({0: "JS 6D 7D 8D", 1: "QS 9D JD AD", 2: CL, 3: "10D 10S KH 8H"})
    t.lead(0, "JS")
    t.beat(1, "QS")
    t.do(2, Claim())
    done = t.do(2, Show(t.slots(CL)))
    assert [(p.seat, p.slots) for p in done.returned] == [(0, t.slots("JS")), (1, t.slots("QS"))]
    assert t.hand(0) == {"JS", "6D", "7D", "8D"}
    assert t.hand(1) == {"QS", "9D", "JD", "AD"}
    t.refuses(1, Yield(), Refusal.NOT_YOUR_TURN)
    t.yields(0, 1)
    assert t.state.turn == 3
    assert t.state.phase is Phase.ANSWER
    t.refuses(3, Discard(t.slots("8H")), Refusal.WRONG_COUNT)
    t.refuses(3, Beat(t.slots("8H")), Refusal.WRONG_COUNT)
    t.rest_discards()
    assert t.taker == 2
    assert t.state.tricks[0].molodka
    assert [p.seat for p in t.state.tricks[0].plays] == [2, 3, 0, 1]


def test_s18_a_claim_before_the_lead() -> None:
    t = table({3: CL})
    t.claim(3, CL)
    assert t.state.asked == (0, 1, 2)
    t.yields(0, 1, 2)
    assert t.state.leader == 3
    assert t.state.turn == 0
    t.rest_discards()
    assert t.taker == 3


def test_s19_no_claim_after_ones_own_play() -> None:
    t = table({0: "JS 6D 7D 8D", 1: CL})
    t.lead(0, "JS")
    t.discard(1, "6C")
    t.no_claim(1, Refusal.TOO_LATE)


def test_s20_four_cards_led_cannot_be_claimed_over() -> None:
    t = table({0: SP, 2: TRUMPS})
    t.lead(0, SP)
    t.no_claim(2, Refusal.TOO_LATE)
    t.rest_one(1)
    t.no_claim(2, Refusal.TOO_LATE)
    t.beat(2, TRUMPS)
    t.rest_discards()
    assert t.taker == 2


S21 = {0: "6D QC 7D 8D", 1: CL, 2: "KS QS KC AC", 3: SP}


def test_s21a_the_closer_seat_takes_over() -> None:
    t = table(S21)
    t.lead(0, "6D")
    t.claim(3, SP)
    assert t.state.turn == 0
    t.no_claim(1, Refusal.NOT_YOUR_TURN)
    t.yields(0)
    t.do(1, Claim())
    done = t.do(1, Show(t.slots(CL)))
    assert [p.seat for p in done.returned] == [3]
    assert t.hand(3) == set(SP.split())
    assert t.state.leader == 1
    assert t.state.turn == 2
    assert t.state.phase is Phase.ANSWER
    t.no_claim(3, Refusal.TOO_LATE)
    t.rest_discards()
    assert t.taker == 1


def test_s21b_a_farther_seat_can_never_take_over() -> None:
    t = table(S21)
    t.lead(0, "6D")
    t.claim(1, CL)
    t.no_claim(3, Refusal.NOT_YOUR_TURN)
    t.yields(0)
    t.no_claim(3, Refusal.TOO_LATE)
    t.rest_one(2)
    t.no_claim(3, Refusal.TOO_LATE)
    t.refuses(3, Beat(t.slots(SP)), Refusal.DOES_NOT_BEAT)
    t.discard(3, SP)
    t.rest_discards()
    assert t.taker == 1


def test_s23_the_entitled_leader_takes_back_his_lead_and_claims() -> None:
    four = "6D 7D 8D 9D"
    t = table({0: four, 1: CL})
    t.no_claim(0, Refusal.WRONG_ACTION)
    t.lead(0, "6D")
    t.no_claim(0, Refusal.TOO_LATE)
    t.claim(1, CL)
    t.claim(0, four)
    assert t.state.leader == 0
    assert set(t.state.plays[0].slots) == set(t.slots(four))
    assert t.state.turn == 1
    t.no_claim(1, Refusal.TOO_LATE)
    t.rest_discards()
    assert t.taker == 0


def test_s26_the_taken_over_may_beat_in_turn() -> None:
    hands = {0: "6D 7D JC QC", 1: CL, 2: TRUMPS}
    t = table(hands)
    t.lead(0, "6D")
    t.claim(2, TRUMPS)
    t.yields(0)
    t.claim(1, CL)
    assert t.state.leader == 1
    t.beat(2, TRUMPS)
    t.rest_discards()
    assert t.taker == 2

    t = table(hands)
    t.lead(0, "6D")
    t.claim(1, CL)
    t.yields(0)
    t.no_claim(2, Refusal.TOO_LATE)


def test_s28_a_returned_discard_stays_unseen() -> None:
    t = table({0: "6D 7D 8D AC", 1: "JS QC KC AD", 2: SP})
    t.lead(0, "6D")
    t.discard(1, "JS")
    t.claim(2, SP)
    jack, six = t.slots("JS")[0], t.slots("6D")[0]
    assert t.hand(1) == {"JS", "QC", "KC", "AD"}
    assert t.hand(0) == {"6D", "7D", "8D", "AC"}
    for seat in (0, 2, 3):
        assert jack not in t.states[seat].known
        assert six in t.states[seat].known
        assert t.states[seat].hand_size(1) == 4
    assert six in t.state.shown
    assert jack not in t.state.shown
    t.yields(0, 1)
    t.discard(3, " ".join(sorted(t.hand(3))))
    t.rest_discards()
    assert t.state.tricks[0].plays[0].seat == 2


def test_s30_a_closed_trick_cannot_be_claimed_in() -> None:
    t = table({0: "6D 7D 8D 9D", 1: "6C 7C 8C JD", 2: "6S QD KD 10D", 3: SP.replace("6S", "AD")}, "AC 9C KS JS")
    t.lead(0, "6D")
    t.no_claim(1, Refusal.NO_MOLODKA)
    t.discard(1, "JD")
    t.discard(2, "6S")
    t.no_claim(3, Refusal.NO_MOLODKA)
    t.discard(3, "AD")
    closed = t.state.tricks
    assert len(closed) == 1
    assert t.state.phase is Phase.LEAD
    assert t.state.plays == ()
    t.claim(1, CL)  # 9C was drawn after the trick; the claim belongs to the next one, before its lead
    assert t.state.tricks == closed
    assert t.state.entitled == 0
    t.yields(0)
    t.rest_discards()
    assert t.state.tricks[:1] == closed
    assert t.taker == 1
    assert t.state.tricks[-1].molodka


# The cards of each seat in the order played; seat 3 holds all trumps and beats when it wants to.
LOW = {0: "6S 7S 8S 9S JS QS KS 10S AS", 1: "6C 7C 8C 9C JC QC KC 10C AC", 2: "6D 7D 8D 9D JD QD KD 10D AD"}


def scored(order: dict[int, str], tricks_of_0: int, leader: int = 0) -> Table:
    t = Table(suit_each(order, leader=leader))
    play_single(t, order, tricks_of_0)
    return t


def test_s31_eggs() -> None:
    order = {
        0: "JS QS KS 10S AS 6S 7S 8S 9S",
        1: "JC QC 10C AC 6C KC 7C 8C 9C",
        2: "6D 7D 8D 9D JD QD KD 10D AD",
        3: "6H 7H 8H 9H JH QH KH 10H AH",
    }
    t = scored(order, 5)
    result = score(t.state)
    assert result.points == (60, 60)
    assert result.tricks == (5, 4)
    assert result.defeat == (0, 0)
    assert result.eggs
    match = after_deal(MatchState(Rules(), dealer=3, leader=0), result)
    assert (match.eggs, match.defeat, match.dealer, match.leader) == (1, (0, 0), 0, 3)
    assert match.with_eggs


@pytest.mark.parametrize(
    ("last", "points", "tricks", "defeat"),
    [
        ("JH", (61, 59), (5, 4), (0, 2)),
        ("AS 10C 10D 6H", (89, 31), (8, 1), (0, 2)),
        ("10S 10C 10D 6H", (90, 30), (8, 1), (0, 4)),
        ("6S 6C 6D 6H", (120, 0), (8, 1), (0, 4)),
        ("", (120, 0), (9, 0), (0, 6)),
    ],
)
def test_s32_defeat_points(
    last: str, points: tuple[int, int], tricks: tuple[int, int], defeat: tuple[int, int]
) -> None:
    suits = {s: [r + suit for r in ("6", "7", "8", "9", "J", "Q", "K", "10", "A")] for s, suit in enumerate("SCDH")}
    if last == "JH":
        order = {
            0: "JS QS KS 10S AS 6S 7S 8S 9S",
            1: "JC QC 10C AC 6C KC 7C 8C 9C",
            2: "6D 7D 8D 9D JD QD KD 10D AD",
            3: "6H 7H 8H 9H QH JH KH 10H AH",
        }
        t = scored(order, 5)
    else:
        end = last.split() or [c[-1] for c in suits.values()]
        order = {s: " ".join([c for c in suits[s] if c != end[s]] + [end[s]]) for s in SEATS}
        t = scored(order, tricks[0])
    result = score(t.state)
    assert result.points == points
    assert result.tricks == tricks
    assert result.defeat == defeat
    assert result.defeat == (defeat_points(points[0], tricks[0]), defeat_points(points[1], tricks[1]))


def test_s33_a_worthless_trick_turns_6_into_4() -> None:
    order = {s: f"7{c} 8{c} 9{c} J{c} Q{c} K{c} 10{c} A{c} 6{c}" for s, c in enumerate("SCDH")}
    with_trick, without = scored(order, 8), scored(order, 9)
    assert with_trick.points() == 0
    assert with_trick.taker == 3
    assert score(with_trick.state).defeat == (0, 4)
    assert score(without.state).defeat == (0, 6)


def test_s34_the_goat() -> None:
    order = {**LOW, 3: "6H 7H 8H 9H JH QH KH 10H AH"}
    t = scored(order, 9, leader=3)
    result = score(t.state)
    assert result.tricks == (0, 9)
    before = MatchState(Rules(), dealer=2, leader=3, defeat=(8, 10))
    assert before.goat is None
    after = after_deal(before, result)
    assert after.defeat == (14, 10)
    assert after.goat == 0
    assert not after.with_eggs


def test_s36_dealer_and_leader_of_the_next_deal() -> None:
    order = {**LOW, 3: "6H 7H 8H 9H JH QH KH 10H AH"}
    t = scored(order, 8)
    assert t.taker == 3
    after = after_deal(MatchState(Rules(), dealer=2, leader=0), score(t.state))
    assert after.dealer == 3
    assert after.leader == 3
    fresh = start(Rules(), after.dealer, after.leader, indicator=35)
    assert fresh.hands[0][0] == 0
    assert fresh.turn == 3


def test_the_deal_helper_makes_whole_decks() -> None:
    deal: Deal = named_deal({0: CL}, "AS KS")
    assert sorted(deal.cards) == list(DECK)
    assert [name(c) for c in deal.cards[16:18]] == ["AS", "KS"]
