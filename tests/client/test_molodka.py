"""The molodka at the screen: offered, reminded of, claimed, contested (RULES.md R15-R18)."""

from collections.abc import Sequence

from goat_client.machine.settings import Settings
from goat_client.views.table import prompt_parts

from goat_engine.actions import Beat, Claim, Discard, Lead, Yield
from goat_engine.cards import DECK, parse, parse_all
from goat_engine.record import Deal
from goat_engine.state import Phase, Trick
from goat_net.seat.tableview import Stage
from tests.client.kit import Desk

CLUBS, SPADES = "6C 7C 8C 9C", "6S 7S 8S 9S"


def dealt(hands: Sequence[str], indicator: str = "AH") -> Deal:
    """A deal by seat 3 with these hands; seat 0 leads."""
    cards = [parse_all(h) for h in hands]
    front = tuple(cards[i % 4][i // 4] for i in range(16))
    return Deal(3, 0, parse(indicator), front + tuple(c for c in DECK if c not in front))


def begun(me: int, hands: Sequence[str], settings: Settings | None = None) -> Desk:
    desk = Desk(1, me=me, deals=[dealt(hands)], settings=settings)
    desk.press(str(me + 1))
    desk.press("enter")
    while desk.session.view.stage is not Stage.PLAY:
        assert desk.session.advance()
    desk.look()
    return desk


def prompt(desk: Desk) -> str:
    """What is asked and said beside the hand, before it is wrapped."""
    return " ".join(text for text, _ in prompt_parts(desk.model))


def first_trick(desk: Desk) -> Trick:
    """The first trick of the deal, closed."""
    deal = desk.session.view.deal
    assert deal is not None
    return deal.tricks[0]


def test_the_leader_is_offered_it_and_reminded_once_before_he_breaks_it_up() -> None:
    desk = begun(0, (CLUBS, "KS QS JD QD", "10S AS KD AD", "JS JC QC KC"))
    assert "M leads all four" in desk.text()
    desk.press("1", "enter")
    assert desk.session.view.pending is None
    assert "You hold a molodka!" in prompt(desk)
    desk.press("enter")
    assert isinstance(desk.session.view.pending, Lead)
    assert len(desk.session.view.pending.slots) == 1


def test_the_reminder_can_be_turned_off_and_m_leads_all_four() -> None:
    hands = (CLUBS, "KS QS JD QD", "10S AS KD AD", "JS JC QC KC")
    desk = begun(0, hands, Settings(name="Vera", remind=False))
    desk.press("1", "enter")
    assert isinstance(desk.session.view.pending, Lead)
    desk = begun(0, hands)
    desk.press("m")
    assert isinstance(desk.session.view.pending, Lead)
    assert len(desk.session.view.pending.slots) == 4


def test_a_claim_out_of_turn_is_followed_by_its_cards_and_becomes_the_lead() -> None:
    desk = begun(2, ("KS QS JD QD", "10S AS KD AD", CLUBS, "JS JC QC KC"))
    assert desk.model.view.seat_view is not None
    assert not desk.model.view.seat_view.owes
    assert "M: you hold a molodka!" in desk.text()
    desk.press("m")
    assert isinstance(desk.session.view.pending, Claim)
    desk.go()
    trick = first_trick(desk)
    assert trick.molodka
    assert trick.plays[0].seat == 2
    assert len(trick.plays[0].slots) == 4


def test_cards_that_lay_already_go_back_and_it_is_said() -> None:
    desk = begun(2, ("KS QS JD QD", "10S AS KD AD", CLUBS, "JS JC QC KC"))
    assert desk.session.advance()  # the leader leads
    assert desk.session.view.deal is not None
    assert desk.session.view.deal.plays
    desk.press("m")
    assert desk.session.advance()
    assert desk.session.advance()
    assert "went back to the hands" in desk.model.notice
    desk.press("g")
    assert "taken back (molodka)" in desk.text()


def contested() -> Desk:
    """Seat 3 has claimed; this person, seat 1, is closer and asked."""
    desk = begun(1, ("KS QS JD QD", CLUBS, "10S AS KD AD", SPADES))
    for _ in range(20):
        deal = desk.session.view.deal
        assert deal is not None
        if deal.phase is Phase.ASK and deal.turn == 1:
            break
        assert desk.session.advance()
    else:
        raise AssertionError("nobody was asked")
    desk.look()
    return desk


def test_an_asked_seat_takes_over_or_lets_it_stand() -> None:
    desk = contested()
    assert "take the lead over" in prompt(desk)
    desk.press("enter", "1", "enter", "d")
    assert desk.session.view.pending is None
    desk.press("y")
    assert desk.session.view.pending == Yield()
    desk.go()
    deal = desk.session.view.deal
    assert deal is not None
    assert deal.plays[0].seat == 3
    desk = contested()
    desk.press("m")
    desk.go()
    assert first_trick(desk).plays[0].seat == 1


def test_who_holds_none_is_told_so() -> None:
    desk = begun(0, ("KS QS JD QD", CLUBS, "10S AS KD AD", "JS JC QC KC"))
    desk.press("m")
    assert "no molodka" in desk.model.notice
    desk.press("y")
    assert desk.session.view.pending is None


def test_why_a_card_can_take_no_part_in_a_beat() -> None:
    desk = begun(1, ("9S 10S JD QD", "8S AS 7D 10H", "6C 7C KD AD", "JS JC QC KC"))
    view = desk.session.seat_view(0)
    slots = {c: s for s, c in view.hand}
    desk.session._apply(0, Lead((slots[parse("9S")],)))
    desk.look()
    cards = dict(desk.model.hand)
    why = {cards[s]: reason for s, reason in desk.model.reasons().items()}
    assert why[parse("AS")] == why[parse("10H")] == ""
    assert why[parse("8S")] == "8♠ is lower than 9♠"
    assert why[parse("7D")] == "7♦ is neither ♠ nor a trump ♥"
    desk.press(str([c for _, c in desk.model.hand].index(parse("8S")) + 1))
    assert "8♠ is lower than 9♠" in desk.text()
    desk.press("enter")
    assert "doesn't beat 9♠" in desk.model.notice
    assert desk.session.view.pending is None


def test_with_two_cards_one_that_beats_may_still_be_of_no_use() -> None:
    desk = begun(1, ("9S 10S JD QD", "JS 8S 7D 6C", "7C 8C KD AD", "KS JC QC KC"))
    view = desk.session.seat_view(0)
    slots = {c: s for s, c in view.hand}
    desk.session._apply(0, Lead((slots[parse("9S")], slots[parse("10S")])))
    desk.look()
    cards = dict(desk.model.hand)
    why = {cards[s]: reason for s, reason in desk.model.reasons().items()}
    assert why[parse("JS")] == "J♠ beats 9♠, but nothing of yours beats 10♠ with it"
    assert "nothing of yours beats" in prompt(desk)
    assert "Enter beat" not in desk.text()


def test_confirming_plays_takes_a_second_press_of_the_same_key() -> None:
    hands = ("9S 10S JD QD", "JS 8S 7D 6C", "7C 8C KD AD", "KS JC QC KC")
    desk = begun(0, hands, Settings(name="Vera", confirm=True))
    desk.press("1", "enter")
    assert desk.session.view.pending is None
    assert "press again" in desk.model.notice
    desk.press("2", "enter")  # other cards: asked again
    assert desk.session.view.pending is None
    desk.press("enter")
    assert isinstance(desk.session.view.pending, Lead)


def test_a_discard_and_a_beat_are_two_keys() -> None:
    hands = ("9S 6D JD QD", "10S 8S 7D 6C", "7C 8C KD AD", "KS JC QC KC")
    for key, kind in (("enter", Beat), ("d", Discard)):
        desk = begun(1, hands)
        view = desk.session.seat_view(0)
        slots = {c: s for s, c in view.hand}
        desk.session._apply(0, Lead((slots[parse("9S")],)))
        desk.look()
        place = [c for _, c in desk.model.hand].index(parse("10S")) + 1
        desk.press(str(place), key)
        assert isinstance(desk.session.view.pending, kind)
