"""The rules by their numbers, where a worked situation does not say it already (see test_situations)."""

import random
from dataclasses import replace
from itertools import pairwise, product

import pytest

from goat_engine.actions import Beat, Claim, Discard, Lead, Refusal, Show, Yield
from goat_engine.cards import DECK, DECK_POINTS, beats, card, name, parse, parse_all, points_of
from goat_engine.match import DealResult, MatchState, VoidDeal, after_deal, after_void, begin, score
from goat_engine.rules import SEATS, Rules, defeat_points, distance, partner_of, seats_from, team_of
from goat_engine.state import Applied, Phase, PlayKind, apply, start
from goat_engine.view import SeatView
from tests.engine.deals import Table, finished, named_deal, play_out, random_deal

CL = "6C 7C 8C 9C"
SP = "6S 7S 8S 9S"
DI = "6D 7D 8D 9D"


def test_r01_the_deck_and_its_order() -> None:
    assert len(DECK) == 36
    spades = parse_all("6S 7S 8S 9S JS QS KS 10S AS")
    assert list(spades) == sorted(spades)
    for low, high in pairwise(spades):
        assert beats(high, low, trump=3)
        assert not beats(low, high, trump=3)


def test_r01_names_round_trip() -> None:
    for c in DECK:
        assert parse(name(c)) == c
        assert parse(name(c).lower()) == c
        assert card(c // 9, c % 9) == c
    assert parse("10♠") == parse("10S")
    for wrong in ("", "S", "5S", "1S", "10", "AX", "ASS", " AS"):
        with pytest.raises(ValueError, match="no card"):
            parse(wrong)


def test_r02_points() -> None:
    assert [points_of([card(0, rank)]) for rank in range(9)] == [0, 0, 0, 0, 2, 3, 4, 10, 11]
    for suit in range(4):
        assert points_of(card(suit, rank) for rank in range(9)) == 30
    assert points_of(DECK) == DECK_POINTS == 120


def test_r03_who_beats_whom() -> None:
    trump = 3
    assert beats(parse("6H"), parse("AS"), trump)
    assert not beats(parse("AS"), parse("6H"), trump)
    assert not beats(parse("AS"), parse("6C"), trump)
    assert not beats(parse("AS"), parse("AS"), trump)
    assert beats(parse("10H"), parse("KH"), trump)


def test_r04_the_deal_passes_clockwise_eggs_included() -> None:
    match = begin(Rules(), dealer=2)
    assert (match.dealer, match.leader) == (2, 3)
    for points in ((60, 60), (70, 50)):
        defeat = (0, 0) if points[0] == 60 else (0, 2)
        before = match.dealer
        match = after_deal(match, DealResult(points, (5, 4), defeat, taker=1))
        assert match.dealer == (before + 1) % 4


def test_r05_one_card_at_a_time_from_the_dealers_left() -> None:
    for dealer in SEATS:
        state = start(Rules(), dealer, leader=0, indicator=0)
        for slot in range(16):
            assert slot in state.hands[(dealer + 1 + slot) % 4]
        assert state.next_slot == 16
        assert state.stock == 20


def test_r06_the_indicator_is_drawn_like_any_other_card() -> None:
    rng = random.Random(6)
    deal = random_deal(rng)
    table = Table(deal)
    assert table.state.trump == deal.indicator // 9
    play_out(table, rng)
    place = table.place[deal.indicator]
    assert place >= 16
    assert any(place in p.slots for t in table.state.tricks for p in t.plays)


def test_r07_first_leader_and_next_leader() -> None:
    for dealer in SEATS:
        assert begin(Rules(), dealer).leader == (dealer + 1) % 4
    result = DealResult((70, 50), (5, 4), (0, 2), taker=1)
    assert after_deal(begin(Rules(), 0), result).leader == 1


def test_r08_one_to_four_cards_of_one_suit() -> None:
    table = Table(named_deal({0: "6S KS AS 7D"}))
    leads = {frozenset(a.slots) for a in table.view(0).actions() if isinstance(a, Lead)}
    spades = table.slots("6S KS AS")
    assert len(leads) == 7 + 1
    assert frozenset(spades) in leads
    table.refuses(0, Lead(()), Refusal.WRONG_COUNT)
    table.refuses(0, Lead((*spades, *table.slots("7D"))), Refusal.NOT_ONE_SUIT)
    table.refuses(0, Lead((*spades, *spades)), Refusal.WRONG_COUNT)
    table.refuses(0, Lead((spades[0], spades[0])), Refusal.REPEATED_SLOT)
    table.refuses(0, Lead((table.state.hands[1][0],)), Refusal.NOT_IN_HAND)
    table.refuses(0, Lead((16,)), Refusal.NOT_IN_HAND)
    table.refuses(0, Lead((99,)), Refusal.NOT_IN_HAND)
    table.refuses(1, Lead((table.state.hands[1][0],)), Refusal.NOT_YOUR_TURN)
    for action in (Beat(spades[:1]), Discard(spades[:1]), Show(table.state.hands[0]), Yield()):
        table.refuses(0, action, Refusal.WRONG_ACTION)


def test_r09_beat_and_discard_are_the_players_choice() -> None:
    table = Table(named_deal({0: "6S 6D 7D 8D", 1: "7S AS 9D JD"}))
    table.lead(0, "6S")
    actions = table.view(1).actions()
    spade = table.slots("7S")
    assert Beat(spade) in actions
    assert Discard(spade) in actions
    assert sum(isinstance(a, Discard) for a in actions) == 4
    assert sum(isinstance(a, Beat) for a in actions) == 2
    table.refuses(1, Lead(spade), Refusal.WRONG_ACTION)
    table.refuses(2, Discard((table.state.hands[2][0],)), Refusal.NOT_YOUR_TURN)
    table.refuses(1, Discard(table.slots("6D")), Refusal.NOT_IN_HAND, unseen=True)


def test_r10_a_pairing_must_cover_every_card() -> None:
    table = Table(named_deal({0: "6S 10S 6D 7D", 1: "AS 9S 6H 7C", 2: "AC 10C KC 7H"}))
    table.lead(0, "6S 10S")
    table.refuses(1, Beat(table.slots("9S 7C")), Refusal.DOES_NOT_BEAT)
    table.beat(1, "9S AS")
    table.refuses(2, Beat(table.slots("7H AC")), Refusal.DOES_NOT_BEAT)
    table.refuses(2, Beat((table.slots("7H")[0],) * 2), Refusal.REPEATED_SLOT)
    table.discard(2, "AC 10C")


def test_r11_discards_are_known_to_their_seat_alone() -> None:
    table = finished(11)
    for seat in SEATS:
        for trick in table.states[seat].tricks:
            for play in trick.plays:
                hidden = play.kind is PlayKind.DISCARD and play.seat != seat
                assert all((s is None) == hidden for s in play.slots)


def test_r12_the_last_beat_takes() -> None:
    for seed in range(20):
        for trick in finished(seed).state.tricks:
            beaten = [p.seat for p in trick.plays if p.kind is PlayKind.BEAT]
            assert trick.taker == (beaten[-1] if beaten else trick.plays[0].seat)


def test_r13_hands_are_equal_when_a_trick_begins() -> None:
    rng = random.Random(13)
    for _ in range(20):
        table = Table(random_deal(rng))
        while table.state.phase is not Phase.OVER:
            assert len({table.state.hand_size(s) for s in SEATS}) == 1
            assert table.state.stock % 4 == 0
            assert table.state.turn == table.state.entitled
            tricks = len(table.state.tricks)
            while len(table.state.tricks) == tricks:
                turn = table.state.turn
                assert turn is not None
                choices = [a for a in table.view(turn).actions() if not isinstance(a, Claim)]
                table.do(turn, rng.choice(choices))
            assert table.state.entitled == table.taker
        assert 3 <= len(table.state.tricks) <= 9


def test_r14_a_deal_ends_when_all_is_played() -> None:
    table = finished(14)
    assert table.state.stock == 0
    assert all(table.state.hand_size(s) == 0 for s in SEATS)
    assert table.state.turn is None
    assert sum(len(p.slots) for t in table.state.tricks for p in t.plays) == 36
    for action in (Lead((0,)), Claim(), Yield(), Discard((0,)), Show((0, 1, 2, 3))):
        table.refuses(0, action, Refusal.DEAL_OVER)
    for seat in SEATS:
        assert table.view(seat).actions() == ()


def test_r15_from_the_draw_until_ones_own_play() -> None:
    hands = {0: "6S QD KD 10D", 1: "7S JD AC KC", 2: "8S QS KH QC", 3: CL}
    table = Table(named_deal(hands))
    assert table.view(3).may_claim
    assert table.view(3).actions() == (Claim(),)
    for seat, action in (
        (0, Lead(table.slots("6S"))),
        (1, Discard(table.slots("JD"))),
        (2, Discard(table.slots("QC"))),
    ):
        table.do(seat, action)
        assert table.view(3).may_claim
    assert Claim() in table.view(3).actions()  # as last seat, instead of answering
    table.discard(3, "6C")
    assert not table.view(3).may_claim


def test_r15_three_cards_are_never_a_molodka() -> None:
    table = Table(named_deal({1: "6C 7C 8C 9D"}))
    table.no_claim(1, Refusal.NO_MOLODKA)
    table = Table(named_deal({1: CL}))
    assert table.view(1).may_claim


def test_r15_with_an_empty_stock() -> None:
    rng = random.Random(15)
    for _ in range(4000):
        table = Table(random_deal(rng, suited=1.0))
        play_until_stock_is_empty(table)
        able = [s for s in SEATS if table.view(s).may_claim]
        if able:
            table.do(able[0], Claim())
            table.do(able[0], Show(table.view(able[0]).molodka))
            return
    pytest.fail("no deal of this seed has a molodka after the last draw")


def play_until_stock_is_empty(table: Table) -> None:
    while table.state.stock:
        turn = table.state.turn
        assert turn is not None
        if table.state.phase is Phase.LEAD:
            table.do(turn, Lead(table.state.hands[turn][:1]))
        else:
            table.rest_one(turn)


def test_r16_everything_goes_back_without_a_draw() -> None:
    table = Table(named_deal({0: "6S QD KD 10D", 1: "7S JD AC KC", 2: "8S QS KH QC", 3: CL}))
    before = [table.hand(s) for s in SEATS]
    table.lead(0, "6S")
    table.beat(1, "7S")
    table.discard(2, "QC")
    table.do(3, Claim())
    table.refuses(3, Show(table.slots("6C 7C 8C")), Refusal.WRONG_COUNT)
    table.refuses(3, Show(table.slots("6C 7C 8C 8S")), Refusal.NOT_IN_HAND)
    table.refuses(3, Show((table.slots("6C")[0],) * 4), Refusal.REPEATED_SLOT)
    for seat in SEATS:
        table.no_claim(seat, Refusal.WRONG_ACTION)
    table.refuses(0, Yield(), Refusal.WRONG_ACTION)
    table.refuses(0, Discard(table.slots("QD")), Refusal.NOT_YOUR_TURN)
    table.do(3, Show(table.slots(CL)))
    assert [table.hand(s) for s in (0, 1, 2)] == before[:3]
    assert table.hand(3) == set()
    assert table.state.next_slot == 16
    assert [p.seat for p in table.state.plays] == [3]


@pytest.mark.parametrize("origin", SEATS)
def test_r17_only_strictly_closer_seats_are_asked_in_order(origin: int) -> None:
    assert seats_from(origin) == tuple(sorted(SEATS, key=lambda s: distance(s, origin)))
    for steps in (1, 2, 3):
        claimant = (origin + steps) % 4
        table = Table(named_deal({claimant: CL}, leader=origin))
        table.claim(claimant, CL)
        for i in range(steps):
            asked = (origin + i) % 4
            assert (table.state.phase, table.state.turn) == (Phase.ASK, asked)
            for other in SEATS:
                if other != asked:
                    table.refuses(other, Yield(), Refusal.NOT_YOUR_TURN)
                    table.no_claim(other, Refusal.NOT_YOUR_TURN)
            assert table.view(asked).actions() == (Yield(),)
            table.no_claim(asked, Refusal.NO_MOLODKA)
            table.refuses(asked, Discard(table.state.hands[asked]), Refusal.WRONG_ACTION)
            table.yields(asked)
        assert (table.state.phase, table.state.turn) == (Phase.ANSWER, (claimant + 1) % 4)


def test_r17_a_takeover_ends_the_asking() -> None:
    table = Table(named_deal({0: DI, 1: "6H 7H 8H 9H", 2: CL, 3: SP}))
    table.claim(3, SP)
    table.yields(0)
    table.claim(1, "6H 7H 8H 9H")  # 0 was asked once already; 2 is not closer
    assert table.state.phase is Phase.ANSWER
    assert table.state.turn == 2
    assert table.state.asked == ()
    for seat in (0, 2, 3):
        table.no_claim(seat, Refusal.TOO_LATE)
    assert table.hand(3) == set(SP.split())


def test_r17_judged_on_restored_hands() -> None:
    """A seat whose discard came back may claim when asked (R17), though its own play was done (R15)."""
    table = Table(named_deal({0: "6D QD KD AS", 1: CL, 2: "JS QS KC AC", 3: SP}))
    table.lead(0, "6D")
    table.discard(1, "6C")
    table.no_claim(1, Refusal.TOO_LATE)
    table.discard(2, "JS")
    table.claim(3, SP)
    table.yields(0)
    assert table.view(1).actions() == (Claim(), Yield())
    table.claim(1, CL)
    assert table.state.leader == 1


def test_r15_seen_cards_that_may_be_gone_forbid_no_claim() -> None:
    """Cards that a molodka sent back are known to all; once they may have been discarded, the public cannot say
    that their owner holds no four of one suit."""
    stock = "JS KS KD JC  7S KH QD QC  8S QH 10D KC  9S JH AD 10C"
    table = Table(named_deal({0: "6S 10S 7D 8D", 1: "AS 7H 9D JD", 2: CL, 3: "6D AC 8H 9H"}, stock))
    table.lead(0, "6S 10S")
    table.beat(1, "AS 7H")
    table.claim(2, CL)
    table.yields(0, 1)
    table.rest_discards()
    assert table.taker == 2
    assert set(table.slots("AS 7H")) <= set(table.states[0].hands[1]), "for all that seat 0 knows"
    table.claim(1, "JC QC KC 10C")


def test_r18_four_cards_of_the_entitled_leader() -> None:
    table = Table(named_deal({0: DI, 1: CL, 2: SP, 3: "6H 7H 8H 9H"}))
    table.lead(0, DI)
    assert table.state.molodka
    for seat in SEATS:
        table.no_claim(seat, Refusal.TOO_LATE)
    table.rest_one(1)
    table.rest_one(2)
    table.beat(3, "6H 7H 8H 9H")
    assert table.taker == 3
    assert table.state.tricks[0].molodka


def test_r19_points_of_a_deal_sum_to_120() -> None:
    for seed in range(40):
        table = finished(seed)
        result = score(table.state)
        assert sum(result.points) == 120
        loser = [t for t in (0, 1) if result.defeat[t]]
        assert loser == ([t for t in (0, 1) if result.points[t] < 60])


@pytest.mark.parametrize(
    ("points", "tricks", "defeat"),
    [(120, 9, 0), (61, 1, 0), (60, 3, 0), (59, 3, 2), (31, 1, 2), (30, 1, 4), (0, 1, 4), (0, 0, 6)],
)
def test_r20_defeat_points(points: int, tricks: int, defeat: int) -> None:
    assert defeat_points(points, tricks) == defeat


def test_r21_the_deal_after_eggs_counts_double_where_agreed() -> None:
    eggs = DealResult((60, 60), (5, 4), (0, 0), taker=0)
    assert not after_deal(begin(Rules(), 0), eggs).doubled
    match = after_deal(begin(Rules(eggs_double=True), 0), eggs)
    assert match.doubled
    assert after_void(match, None).doubled, "a void deal is dealt again, still double"
    table = finished(21)
    single, double = score(table.state), score(table.state, double=True)
    assert double.defeat == (2 * single.defeat[0], 2 * single.defeat[1])
    assert double.points == single.points
    assert not after_deal(match, double).doubled


@pytest.mark.parametrize(("before", "cost", "goat"), [(10, 2, 0), (9, 2, None), (8, 6, 0), (0, 6, None)])
def test_r22_twelve_defeat_points_make_a_goat(before: int, cost: int, goat: int | None) -> None:
    match = MatchState(Rules(), 0, 1, defeat=(before, 11))
    after = after_deal(match, DealResult((0, 120), (0, 9) if cost == 6 else (1, 8), (cost, 0), taker=1))
    assert after.goat == goat


def test_r22_with_eggs() -> None:
    match = after_deal(begin(Rules(), 0), DealResult((60, 60), (5, 4), (0, 0), taker=0))
    match = replace(match, defeat=(10, 0))
    match = after_deal(match, DealResult((50, 70), (4, 5), (2, 0), taker=1))
    assert match.goat == 0
    assert match.with_eggs


def test_r22_nothing_is_counted_after_the_end() -> None:
    """So both teams at 12 is impossible."""
    match = MatchState(Rules(), 0, 1, defeat=(12, 10))
    with pytest.raises(ValueError, match="over"):
        after_deal(match, DealResult((70, 50), (5, 4), (0, 2), taker=0))
    with pytest.raises(ValueError, match="over"):
        after_void(match, 1)


def test_r23_r25_a_void_deal() -> None:
    match = begin(Rules(), 3)
    for charged, defeat in ((None, (0, 0)), (0, (6, 0)), (1, (0, 6))):
        void = after_void(match, charged)
        assert void.defeat == defeat
        assert (void.dealer, void.leader) == (match.dealer, match.leader)
        assert void.deals == (VoidDeal(charged),)


def test_a_false_claim_has_nothing_to_show() -> None:
    """The public cannot refuse it; the claimant's own view offers no way on (the audit or its silence tells)."""
    table = Table(named_deal({1: "6C 7C 8C 9D"}))
    table.refuses(1, Claim(), Refusal.NO_MOLODKA)
    claimed = apply(table.states[0], 1, Claim())
    assert isinstance(claimed, Applied)
    stuck = claimed.state.learn({s: table.cards[s] for s in table.state.hands[1]})
    assert SeatView(1, stuck).actions() == ()
    done = apply(stuck, 1, Show(table.state.hands[1]))
    assert done is Refusal.NO_MOLODKA


def test_partners_sit_opposite() -> None:
    for a, b in product(SEATS, SEATS):
        assert (team_of(a) == team_of(b)) == (a == b or partner_of(a) == b)


def test_no_score_before_the_end() -> None:
    table = Table(random_deal(random.Random(1)))
    with pytest.raises(ValueError, match="not over"):
        score(table.state)


def test_no_score_before_every_card_of_the_tricks_is_open(seed: int) -> None:
    """R11: a card whose slot is known and whose face is not is as little counted as one that lies face down."""
    table = finished(seed)
    assert sum(score(table.state.learn(table.cards)).points) == DECK_POINTS
    (slot, *_) = table.state.tricks[0].plays[0].slots
    with pytest.raises(ValueError, match="not all cards are open"):
        score(replace(table.state, known={s: c for s, c in table.cards.items() if s != slot}))
    with pytest.raises(ValueError, match="not all cards are open"):
        score(table.states[0])
