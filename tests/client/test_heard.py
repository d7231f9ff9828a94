"""Plain mode for who hears it: everything has a word, cards keep their numbers, nothing is said twice, all is true."""

import re
from collections.abc import Sequence
from dataclasses import fields, replace

import pytest
from goat_client.game.keys import GAME, meaning
from goat_client.game.model import Model
from goat_client.game.narration import parting
from goat_client.game.people import PHRASES
from goat_client.game.prompts import KEYS, LINES
from goat_client.lines import vocabulary
from goat_client.lines.cards import NoCardError, Places, typed
from goat_client.lines.plain import Plain
from goat_client.machine.settings import Settings

from goat_engine.actions import Discard, Lead
from goat_engine.cards import name, parse, parse_all
from goat_engine.match import DealResult
from goat_engine.rules import Rules
from goat_engine.state import Phase
from goat_net.seat.tableview import Absence, Blame, DealReport, SeatInfo, Stage, TableView, Talk, TurnClock
from tests.client.kit import Desk
from tests.client.test_molodka import CLUBS, SPADES, begun
from tests.client.test_people import ANNA, LOBBY, ME, Heard
from tests.client.test_plain_input import PEOPLE, at, waiting

SETTINGS = Settings(name="Vera", ascii="no")
HANDS = ("KS QS JD QD", "10S AS KD AD", "6C 7C 8C 9D", "JS JC QC KC")


def plain_at(desk: Desk, settings: Settings = SETTINGS) -> tuple[Plain, list[str]]:
    """Lines at the table of a desk, with all that was said from its first view on."""
    out: list[str] = []
    plain = Plain(desk.session, settings, out.append)
    desk.session.on_change(lambda view: plain.take(view, 100.0))
    plain.take(desk.session.view, 100.0)
    return plain, out


def go(desk: Desk) -> None:
    while desk.session.advance():
        pass


def reply(plain: Plain, out: list[str], text: str) -> list[str]:
    """What one line is answered."""
    out.clear()
    plain.line(text, 200.0)
    return list(out)


# Words of the mode ---------------------------------------------------------------------------------------------------

KEY_WORDS = re.compile(
    r"\bEnter\b|\bEsc\b|\bBackspace\b|\bF2\b|\bCtrl\b|\bpress\b|1-4|\barrows\b|\bmarked\b|×|→|\([A-Z]\)"
    r"|\b[A-Z] (?:waits|excuses|charges|takes|leads|lets|goes|discards|sits|starts|asks|swaps|leaves|gives|says)\b"
)
"""What only the full screen understands."""

TYPED = {  # field of LINES -> lines that it tells a person to type, in words of ours
    "go_on": ("",), "sit": ("sit",), "take_over": ("m", "y"), "choose_lead": ("1 2",), "choose_beat": ("d 1",),
    "discards": ("d 1",), "paused": ("p",), "breaks_by_lead": ("m",), "breaks_by_discard": ("m",), "confirm_lead": (),
    "confirm_molodka": (), "confirm_discard": (), "hints_off": ("set hints yes",), "hint_claim": ("m",),
    "hint_yield": ("y",), "vote": ("wait", "excuse", "charge"),
    "last_vote": ("excuse", "charge"), "charge": ("yes", "no"), "host_starts": ("",),
    "swap_whom": ("swap 2",), "forced_play": ("",), "forced_discard": ("",), "beat": (), "discard": ("d 1",),
    "accept": ("yes", "q"), "molodka": ("m",), "stand": ("y",), "hint_rule": ("h",),
    "take_over_table": ("take", "no"),
}  # fmt: skip


@pytest.mark.parametrize("field", [f.name for f in fields(LINES)])
def test_every_word_that_a_sentence_names_is_one_here(field: str) -> None:
    """V1: plain mode named keys of the full screen."""
    sentence = getattr(LINES, field)
    assert not KEY_WORDS.search(sentence)
    for line in TYPED[field]:
        word = line.split()[0] if line else "an empty line"
        assert re.search(rf"\b{re.escape(word)}\b", sentence, re.I), sentence
        if line and not word.isdecimal():
            assert vocabulary.meaning(word), word


@pytest.mark.parametrize("field", [f.name for f in fields(KEYS)])
def test_every_key_that_a_sentence_names_is_one(field: str) -> None:
    """V1: the same for the full screen."""
    found = re.findall(r"\b[A-Z]\b|\bEnter\b", getattr(KEYS, field))
    assert all(meaning(key.lower(), GAME) for key in found)


def spoken_everywhere() -> list[str]:
    """Sentences of many moments of a table in lines, and the answers to all words in each."""
    out: list[str] = []
    gone = Absence(0, 200.0, open=True, may_vote=True, votes={1: 0}, voters=(2,), choices=(0, 1, 2), cost=6)
    views = [
        LOBBY, replace(LOBBY, me=None, own_key=b"x" * 32), replace(LOBBY, is_host=True), waiting(),
        waiting(absences=(gone,)), waiting(paused_by="Anna"),
        waiting(clock=TurnClock(0, 20.0, 5.0), turn_clock=(20, 40)),
        replace(waiting(), stands_in=2, me=None), waiting(link=False), waiting(hints=False),
        replace(waiting(), stage=Stage.BETWEEN, deal=None), replace(waiting(), stage=Stage.OVER, deal=None),
        replace(waiting(), stage=Stage.CLOSED),
        begun(0, (CLUBS, "KS QS JD QD", "10S AS KD AD", "JS JC QC KC")).session.view,
    ]  # fmt: skip
    for view in views:
        session = Heard(1)
        session.view = view
        plain = Plain(session, SETTINGS, out.append)
        plain.take(view, 100.0)
        for word in (*vocabulary.QUESTIONS, "say", "set", "1", "d 1", "d", "m", "h", "start", "swap", "swap 1", "sit"):
            plain.line(word, 200.0)
    return out


def test_no_line_names_a_key_of_the_full_screen() -> None:
    """V1: in every answer at many moments."""
    for line in spoken_everywhere():
        assert not KEY_WORDS.search(line), line


@pytest.mark.parametrize("word", [*vocabulary.QUESTIONS, *(n for more in vocabulary.QUESTIONS.values() for n in more)])
def test_every_question_is_answered_at_any_time(word: str) -> None:
    """U20, V13: hand and table were unknown, and help was never named."""
    for view in (LOBBY, waiting(), replace(waiting(), stage=Stage.BETWEEN, deal=None)):
        plain, _, out = at(view, 1)
        plain.line(word, 200.0)
        assert out or word in ("review",)
        assert not any("is no card" in line or "no word here" in line for line in out)


def test_help_is_named_at_the_start_and_short() -> None:
    """U20, V13."""
    _, out = plain_at(Desk(1))
    assert "help lists the words" in out[0]
    for stage in Stage:
        assert len(list(vocabulary.help_lines(stage))) <= 6
    known = [w for w in (*vocabulary.QUESTIONS, *vocabulary.COMMANDS) if len(w) > 1]
    everywhere = " ".join(line for stage in Stage for line in vocabulary.help_lines(stage))
    by_letter = {"beat", "discard", "molodka", "hint", "pause", "ready", "unmute", "help"}  # named by their short names
    assert [w for w in known if w not in everywhere and w not in by_letter] == []


# Cards ---------------------------------------------------------------------------------------------------------------


def hand(text: str) -> list[tuple[int, int]]:
    return [(slot + 10, card) for slot, card in enumerate(parse_all(text))]


def test_a_card_keeps_its_number_and_a_drawn_one_takes_a_free_one() -> None:
    places = Places()
    first = hand("6S 10S AH KD")
    assert places.update(first) == (10, 11, 12, 13)
    kept = [first[0], first[3]]
    assert places.update(kept) == ()
    assert [n for n, _, _ in places.ordered(kept)] == [1, 4]
    drawn = [*kept, (20, parse("7C")), (21, parse("8C"))]
    assert places.update(drawn) == (20, 21)
    assert [(n, name(c)) for n, _, c in places.ordered(drawn)] == [(1, "6S"), (2, "7C"), (3, "8C"), (4, "KD")]


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("1 3", "6S AH"), ("1,3", "6S AH"), ("1, 3", "6S AH"), ("10S", "10S"), ("10s AH", "10S AH"), ("10♠", "10S"),
        ("10 of spades", "10S"), ("ten of spades, ace of hearts", "10S AH"), ("ten spades and ace hearts", "10S AH"),
        ("6 of spades", "6S"), ("the king of diamonds", "KD"), ("k d", "KD"), ("Ace of Hearts", "AH"),
        ("10 spade", "10S"),
    ],
)  # fmt: skip
def test_cards_are_understood_as_they_are_said(text: str, cards: str) -> None:
    """V18: 1,2 and 10 of hearts."""
    places, held = Places(), hand("6S 10S AH KD")
    places.update(held)
    by_slot = dict(held)
    assert [by_slot[s] for s in typed(text.split(), places, held)] == list(parse_all(cards))


@pytest.mark.parametrize("text", ["5", "10", "7S", "seven of clubs", "XX", "of hearts", "1 99", "ten of"])
def test_what_names_no_card_of_the_hand_is_refused_in_words(text: str) -> None:
    """V18."""
    places, held = Places(), hand("6S 10S AH KD")
    places.update(held)
    with pytest.raises(NoCardError, match=r"You don't hold|is no card"):
        typed(text.split(), places, held)


def test_every_card_can_be_typed_as_it_is_spoken(seed: int) -> None:
    """V18: refused though the program says it so."""
    desk = begun(0, HANDS)
    plain, out = plain_at(desk)
    said = next(line for line in out if line.startswith("Your cards: "))
    for text in said.removeprefix("Your cards: ").removesuffix(".").split(", "):
        number, _, card = text.partition(": ")
        slots = typed(card.split(), plain.places, plain.model.hand)
        assert [plain.places.number(s) for s in slots] == [int(number)]


def test_drawn_cards_are_said_once_and_the_hand_once_a_trick(seed: int) -> None:
    desk = begun(0, HANDS)
    plain, out = plain_at(desk)
    assert sum(line.startswith("Your cards") for line in out) == 1
    reply(plain, out, "1")
    go(desk)
    drawn = [line for line in out if line.startswith("You draw ")]
    assert len(drawn) == 1
    assert drawn[0].startswith("You draw 1: ")
    assert sum(line.startswith("Your cards") for line in out) <= 1


def test_cards_that_a_molodka_sends_back_are_said_as_such() -> None:
    """V11: and stand in the log."""
    desk = begun(0, ("6D QC 7D 8D", "KS QS JD QD", "10S AS KD AD", SPADES))
    plain, out = plain_at(desk)
    out.clear()
    desk.session._hold = lambda session: bool(session.view.deal and session.view.deal.plays)  # the claim waits
    plain.line("six of diamonds", 200.0)
    desk.session.advance()
    desk.session._hold = None
    go(desk)
    assert any("claims a molodka" in line for line in out)
    assert "Back in your hand: 2: six of diamonds." in out
    log = reply(plain, out, "log")
    assert "  You lead six of diamonds, taken back for a molodka." in log


def test_a_molodka_in_hand_is_offered_once_and_not_after_each_play() -> None:
    """U20."""
    desk = begun(2, ("KS QS JD QD", "10S AS KD AD", CLUBS, "JS JC QC KC"))
    _, out = plain_at(desk)
    go(desk)
    assert sum("You hold a molodka" in line for line in out) == 1
    assert sum(line.startswith("Your cards") for line in out) == 1


# Turns ---------------------------------------------------------------------------------------------------------------


def test_a_turn_says_what_must_be_beaten_and_whose_it_is() -> None:
    desk = begun(2, HANDS)
    desk.session._choosers[0] = lambda view, rng: Lead((view.hand[-1][0],))  # type: ignore[attr-defined]
    _, out = plain_at(desk)
    go(desk)
    turn = next(line for line in out if line.startswith("Your turn"))
    either = r"Your turn: (beat .* of \w+.* with 1 card, or discard 1\.|discard 1 card\. Nothing of yours )"
    assert re.match(either, turn)


def test_who_is_asked_about_a_molodka_is_told_both_words() -> None:
    """V12: y was not named."""
    desk = begun(0, (CLUBS, "KS QS JD QD", "10S AS KD AD", SPADES))
    _, out = plain_at(desk)
    view = desk.session.view
    assert view.deal is not None
    asked = replace(view.deal, phase=Phase.ASK, turn=0, claimant=3, asked=(0,))
    plain, _, out = at(replace(view, deal=asked), 1)
    assert not KEY_WORDS.search(" ".join(out))
    plain.line("turn", 200.0)
    assert out[0] == "Your turn: m takes the lead over with your own molodka, y lets theirs stand."


def test_why_a_card_cannot_beat_has_a_word() -> None:
    desk = begun(1, HANDS)
    plain, out = plain_at(desk)
    desk.session._choosers[0] = lambda view, rng: Lead((view.hand[0][0],))  # type: ignore[attr-defined]
    go(desk)
    why = reply(plain, out, "why")
    assert why
    assert all(re.match(r"\d: |All your cards|There is nothing", line) for line in why)


# The clock -----------------------------------------------------------------------------------------------------------


def test_the_clock_is_said_as_it_runs_and_when_it_is_over() -> None:
    """V3: never said, no word for it; a clock that runs out was not told."""
    view = begun(0, HANDS).session.view
    plain, session, out = at(replace(view, turn_clock=(40, 20), clock=TurnClock(0, 60.0, 20.0)), 1)
    for left in (45.0, 31.0, 30.0, 29.0, 11.0, 10.0, 9.0, 6.0, 4.0):
        plain.take(replace(session.view, turn_clock=(40, 20), clock=TurnClock(0, left, 20.0)), 2.0)
    assert out == ["30 seconds left.", "10 seconds left.", "5 seconds left."]
    out.clear()
    plain.take(replace(session.view, time_up=1), 3.0)
    assert out[0] == "Your time is up: this program plays for you."
    plain.take(replace(session.view, turn_clock=(40, 20), clock=TurnClock(1, 33.4, 20.0)), 4.0)
    assert reply(plain, out, "clock") == [f"{view.seats[1].name}: 33 s left."]
    plain.take(replace(session.view, turn_clock=(40, 20), clock=None), 5.0)
    assert reply(plain, out, "clock") == ["A turn has 40 s, and a deal 20 s of reserve for each."]
    plain.take(replace(session.view, clock=None, turn_clock=(0, 0)), 6.0)
    assert reply(plain, out, "clock") == ["There is no turn clock at this table."]


# People --------------------------------------------------------------------------------------------------------------


def changed(view: TableView, seat: int, **more: object) -> TableView:
    return replace(view, seats=tuple(replace(s, **more) if s.seat == seat else s for s in view.seats))  # type: ignore[arg-type]


def test_seats_that_change_hands_in_a_match_are_told_by_who_has_them() -> None:
    """V4: who had left for good "is back", and a bot on its way was "watching"."""
    view = changed(waiting(), 0, away=True)
    left = replace(view, absences=(Absence(0, 5.0, left=True),))
    plain, session, out = at(view, 1)
    plain.take(left, 2.0)
    assert out == ["Anna has left."]
    out.clear()
    plain.take(changed(left, 0, away=False), 3.0)
    assert out == []
    bot = replace(changed(left, 0, away=False, name="Saanen", key=b"s" * 32, bot=True, level="hard"), absences=())
    arriving = replace(left, watchers=("Saanen",), watcher_keys=(b"s" * 32,))
    plain.take(arriving, 3.0)
    plain.take(bot, 3.1)
    plain.tick(9.0)
    assert out == ["Saanen, a bot, hard, sits on seat 1 in place of Anna."]
    out.clear()
    plain.take(changed(bot, 0, name="Anna", key=b"a" * 32, bot=False, level=""), 4.0)
    assert out == ["Anna sits on seat 1 in place of Saanen."]
    assert session.calls == []


def test_who_is_away_and_comes_back_is_told_so() -> None:
    """V4."""
    view = waiting()
    plain, _, out = at(view, 1)
    plain.take(changed(view, 0, away=True), 2.0)
    plain.take(view, 3.0)
    assert out == ["Anna is away.", "Anna is back."]
    plain.take(changed(view, 0, away=True), 4.0)
    assert reply(plain, out, "away") == ["Anna is away."]
    plain.take(view, 5.0)
    assert reply(plain, out, "away") == ["Nobody is away."]


def test_who_comes_to_watch_is_told_when_they_stay() -> None:
    """V4."""
    view = waiting()
    plain, _, out = at(view, 1)
    dora = replace(view, watchers=("Dora",), watcher_keys=(b"d" * 32,))
    plain.take(dora, 2.0)
    assert (out, plain.deadline) == ([], 3.5)
    plain.tick(3.5)
    assert out == ["Dora has come and watches."]
    assert plain.deadline is None
    plain.take(view, 4.0)
    assert (out[1:], plain.deadline) == ([], 5.5)  # she may be on her way to a seat
    plain.tick(5.5)
    assert out[1:] == ["Dora, who watched, has gone."]
    plain.take(dora, 6.0)
    plain.tick(8.0)
    plain.take(view, 9.0)
    plain.take(changed(view, 1, name="Dora", key=b"d" * 32, bot=False, level=""), 9.2)
    plain.tick(20.0)
    assert out[2:] == ["Dora has come and watches.", "Dora sits on seat 2 in place of Boris."]


def test_a_void_deal_is_dealt_again_and_does_not_play_again() -> None:
    """V4: "an empty line plays again" after a void deal."""
    void = DealReport(1, None, None, True, frozenset(range(4)), charged=0, cost=6)
    view = replace(waiting(), stage=Stage.BETWEEN, deal=None, reports=(void,))
    plain, _, out = at(waiting(), 1)
    plain.take(view, 2.0)
    assert "Deal 1 is void and is dealt again. Vera and Anna get 6 defeat points." not in out  # one's own name is You
    assert any(line == "Deal 1 is void and is dealt again. You and Anna get 6 defeat points." for line in out)
    assert out[-1].startswith("An empty line deals it again.")


def test_a_proven_cheat_is_told_with_its_name() -> None:
    blame = Blame(0, 1, 44, "played a card twice")
    report = DealReport(1, None, None, True, frozenset(), blame, 0)
    plain, _, out = at(waiting(), 1)
    plain.take(replace(waiting(), stage=Stage.BETWEEN, deal=None, reports=(report,)), 2.0)
    assert "Proven: Anna cheated (entry 44): played a card twice" in out


def test_the_result_comes_first_and_tricks_on_request() -> None:
    desk = Desk(5, settings=Settings(name="Vera", remind=False, reveal=0.0))
    desk.begin()
    desk.deal()
    plain, _, out = at(replace(desk.session.view, reports=()), 1)
    plain.take(desk.session.view, 2.0)
    end = out.index(f"End of deal {desk.session.view.reports[-1].number}.")
    assert re.match(r".*: \d+ points", out[end + 1])
    assert not any(line.startswith("Trick ") for line in out)
    assert sum(line.startswith("Trick ") for line in reply(plain, out, "tricks")) >= 3
    assert len(reply(plain, out, "points")) == 1


def test_a_phrase_that_is_none_is_not_said_to_the_table() -> None:
    """V18: say 9."""
    plain, session, out = at(LOBBY, 1)
    assert reply(plain, out, "say 9") == [f"The phrases are say 1 to say {len(PHRASES)}; t 9 says the number itself."]
    assert session.calls == []
    plain.line("t 9", 3.0)
    assert session.calls == [("say", "9")]


@pytest.mark.parametrize("text", ["t   ", "t \u200b", "say \u00ad\u00ad", "t"])
def test_talk_that_nobody_could_see_is_answered(text: str) -> None:
    """U1, in lines."""
    plain, session, out = at(LOBBY, 1)
    assert reply(plain, out, text)
    assert session.calls == []


def test_talk_with_blanks_and_signs_between_is_folded() -> None:
    """U1, in lines."""
    plain, session, _ = at(LOBBY, 1)
    plain.line("t hello   \u200b world\u202e", 3.0)
    assert session.calls == [("say", "hello world")]


def test_past_talk_can_be_heard_again() -> None:
    plain, _, out = at(LOBBY, 1)
    assert reply(plain, out, "talk") == ["Nobody has said anything yet."]


def test_rules_have_the_tables_own_numbers() -> None:
    """V9: said 12 and 180 at a table with 20 and 60."""
    view = replace(waiting(), rules=Rules(target=20, eggs_double=True), grace=60, turn_clock=(15, 30))
    plain, _, out = at(view, 1)
    rules = " ".join(reply(plain, out, "rules"))
    assert "20 of them is the goat" in rules
    assert "owes a play for 60 seconds" in rules
    assert "counts double" in rules
    assert "A turn has 15 s, and everybody 30 s of reserve a deal." in rules
    assert not re.search(r"\b12\b|\b180\b", rules)
    desk = Desk(1)
    desk.session.view = replace(view, me=2)
    desk.control.take(desk.session.view, desk.now)
    desk.press("?")
    page = " ".join(desk.text(120, 90).replace("│", " ").split())
    assert "20 of them is the goat" in page
    assert "180" not in page


def test_a_deal_that_counts_double_is_said_before_it_is_played() -> None:
    """V10, in lines."""
    view = begun(0, HANDS).session.view
    assert view.match is not None
    eggs = DealResult((60, 60), (5, 4), (0, 0), 0)
    double = replace(view.match, rules=Rules(eggs_double=True), deals=(eggs,), doubled=True)
    session = Heard(1)
    session.view = replace(view, match=double)
    out: list[str] = []
    Plain(session, SETTINGS, out.append).take(session.view, 1.0)
    assert "After eggs this deal counts double." in out


def test_whoever_listens_hears_who_is_partner_dealer_leader_and_trump() -> None:
    plain, _, out = at(waiting(), 1)
    partner = "Anna, opposite on seat 1, is your partner. You play against Igor and Boris."
    assert reply(plain, out, "partner") == [partner]
    assert reply(plain, out, "dealer") == ["Igor dealt. Anna deals next."]
    assert reply(plain, out, "lead") == ["Anna leads this trick."]
    assert reply(plain, out, "trump") == ["Trump is hearts, shown by A♥. Stock 20."]
    assert reply(plain, out, "turn")[0] == "Anna leads."
    assert reply(plain, out, "trick") == ["Nothing lies on the table.", "Anna leads this trick."]


def names_of(seats: Sequence[SeatInfo]) -> set[str]:
    return {s.name for s in seats}


def test_the_words_of_the_table_are_said_when_there_are_people_and_can_be_asked_for() -> None:
    """U3, in lines: they were never on a screen."""
    words = ("one", "two", "three", "four", "five", "six")
    plain, _, out = at(LOBBY, 1)
    assert reply(plain, out, "words") == ["There are no table words yet: they come when the match begins."]
    out.clear()
    plain.take(replace(waiting(), stage=Stage.STARTING, deal=None, words=words), 2.0)
    said = "Table words: one two three four five six. The same words at everybody mean that nobody sits in between."
    assert said in out
    assert names_of(PEOPLE) == {"Vera", "Anna", "Boris", "Igor"}
    assert reply(plain, out, "words") == [said]


def test_an_empty_line_plays_what_is_forced_and_says_so_before() -> None:
    """U8, in lines."""
    view = begun(0, HANDS).session.view
    assert view.deal is not None
    one = replace(view.deal, hands=(view.deal.hands[0][:1], *view.deal.hands[1:]), next_slot=36)
    plain, _, out = at(replace(view, deal=one), 1)
    plain.line("turn", 200.0)
    assert out == ["Your turn: lead your last card. An empty line plays it."]


# At the shell ------------------------------------------------------------------------------------------------------


def test_the_last_lines_at_the_shell_say_how_it_came_out_and_what_to_type_next() -> None:
    """U9: no summary at the shell, no file name."""
    view = replace(begun(0, HANDS).session.view, log_path="/home/vera/x.goat")
    assert view.match is not None
    eggs = DealResult((60, 60), (5, 4), (0, 0), 0)
    report = DealReport(1, None, None, True, frozenset(range(4)))
    stands = replace(view, reports=(report,), match=replace(view.match, defeat=(8, 2), deals=(eggs,)))
    lines = parting(Model(view=stands))
    others = f"{view.seats[1].name} and {view.seats[3].name}"
    assert lines[0] == f"The match stands at You and {view.seats[2].name} 8; {others} 2 defeat points after 1 deal."
    assert lines[1] == "Saved: /home/vera/x.goat"
    assert lines[2] == "goat replay steps through it, goat stats counts all your matches."
    assert lines[3].startswith("To go on with it: goat")
    over = replace(stands, stage=Stage.OVER, match=replace(stands.match, defeat=(8, 12)))  # type: ignore[arg-type]
    assert parting(Model(view=over))[0].startswith(f"{others} are the goat. Defeat points after 1 deal: ")
    assert parting(Model(view=LOBBY)) == ()


# Found in an evening by hand ----------------------------------------------------------------------------------------


def test_a_guest_whose_seat_is_on_its_way_is_not_asked_to_choose_one() -> None:
    free = replace(LOBBY, me=None, seats=tuple(SeatInfo(s.seat) if s.seat == 2 else s for s in LOBBY.seats))
    session, out = Heard(1), []
    plain = Plain(session, SETTINGS, out.append)
    session.view = free
    plain.take(free, 1.0)
    assert not any("free seat" in line for line in out)
    assert plain.deadline is not None
    plain.tick(plain.deadline)
    assert out[-1] == "An empty line takes a free seat, sit 2 takes that one."
    again, said = Plain(session, SETTINGS, out.append), len(out)
    again.take(free, 1.0)
    seated = tuple(replace(s, name="Vera 2", taken=True) if s.seat == 2 else s for s in free.seats)
    again.take(replace(free, me=2, seats=seated), 1.1)
    again.tick(9.0)
    assert "You, Vera 2, sit on seat 3." in out[said:]  # the name was taken
    assert not any("free seat" in line for line in out[said:])


def test_a_match_that_goes_on_under_other_seats_is_not_played_again() -> None:
    """V4: "an empty line plays again" when a seat had been let go."""
    plain, _, out = at(waiting(), 1)
    plain.take(replace(waiting(), stage=Stage.OVER, deal=None), 2.0)
    assert not any("plays again" in line for line in out)


def test_nothing_is_said_twice_before_a_match() -> None:
    plain, _, out = at(LOBBY, 1)
    asks = tuple(replace(s, asks=2) if s.seat == 0 else s for s in LOBBY.seats)
    plain.take(replace(LOBBY, seats=asks), 2.0)
    assert out == ["You ask Boris to swap seats.", "swap alone takes your request back."]


def test_own_talk_is_confirmed_as_ones_own() -> None:
    plain, _, out = at(LOBBY, 1)
    plain.take(replace(LOBBY, talk=(Talk("Vera", "hello", 0, ME), Talk("Anna", "hi", 1, ANNA))), 2.0)
    assert out == ["You said: hello", "Anna says: hi"]


def test_a_match_left_in_its_first_deal_is_said_to_be_so() -> None:
    view = begun(0, HANDS).session.view
    assert parting(Model(view=view))[0] == "The match was left in its first deal."


def test_a_claim_that_is_granted_asks_for_nothing_more() -> None:
    """"Your turn: beat ..." was said while the four cards were on their way."""
    view = begun(2, ("KS QS JD QD", "10S AS KD AD", CLUBS, "JS JC QC KC")).session.view
    assert view.deal is not None
    shows = replace(view.deal, phase=Phase.SHOW, turn=2, claimant=2)
    plain, _, out = at(view, 1)
    plain.session.act = lambda action: None  # type: ignore[method-assign,assignment]
    plain.take(replace(view, deal=shows), 2.0)
    assert out == ["You claim a molodka."]
    assert reply(plain, out, "turn") == ["Your molodka is on its way to the table."]


def test_a_partner_who_is_winning_is_named_with_both_commas() -> None:
    desk = begun(2, HANDS)
    desk.session._choosers[0] = lambda view, rng: Lead((view.hand[0][0],))  # type: ignore[attr-defined]
    desk.session._choosers[1] = lambda view, rng: Discard((view.hand[0][0],))  # type: ignore[attr-defined]
    _, out = plain_at(desk)
    go(desk)
    turn = next(line for line in out if line.startswith("Your turn"))
    assert re.search(r" of \w+, your partner(, with 1 card, or|\.)", turn), turn
