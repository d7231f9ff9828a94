"""A host who leaves hands the table over: what they are asked, what the other is asked, in keys and in words (U6)."""

import re
from dataclasses import replace
from typing import Any

import pytest
from goat_client.game.carried import terms_words
from goat_client.game.events import news
from goat_client.game.local import LocalSession
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.game.narration import people
from goat_client.game.people import free_words
from goat_client.game.prompts import KEYS
from goat_client.lines.plain import Plain
from goat_client.machine.settings import Settings

from goat_net.log.succession import Altered, Change
from goat_net.seat.tableview import Absence, DealReport, NextHost, SeatInfo, Stage, TableView
from goat_net.seat.terms import Terms
from tests.client.kit import SIZES, Desk


class Handing(LocalSession):
    """A table of this process at which somebody hosts; notes what the screen asks of it."""

    def __init__(self, seed: int, host: int = 0) -> None:
        super().__init__(seed)
        self.asked: list[Any] = []
        self.host = host

    def offer(self, seat: int) -> None:
        self.asked.append(("offer", seat))

    def take_over(self, on: bool) -> None:
        self.asked.append(("take over", on))

    def people(self, next_host: NextHost | None = None) -> TableView:
        """The view with people on all seats."""
        seats = tuple(replace(s, bot=False, level="", host=s.seat == self.host) for s in self.view.seats)
        return replace(self.view, seats=seats, is_host=self.host == self.view.me, next_host=next_host)


def desk_of(seed: int, host: int = 0, next_host: NextHost | None = None) -> tuple[Desk, Handing]:
    session = Handing(seed, host)
    desk = Desk(seed, session=session)
    desk.begin()
    desk.model.update(session.people(next_host), desk.now)
    return desk, session


def test_a_host_who_leaves_is_asked_to_whom_the_table_goes(seed: int) -> None:
    """U6: Q lists the players by their keys, and the number offers the table to that one. Nobody has left."""
    desk, session = desk_of(seed)
    desk.press("q")
    desk.look()
    text = " ".join(desk.text().replace("│", " ").split())
    assert "Or hand the table to: 2 Anna, 3 Boris, 4 Igor." in text
    assert "1-4 hand it over" in text
    desk.press("3")
    assert session.asked == [("offer", 2)]
    assert desk.model.page is Page.NONE
    assert desk.control.outcome is None


def test_the_page_fits_the_smallest_window(seed: int) -> None:
    """U6: what is asked can be read, and the way out, at 60×20."""
    desk, _ = desk_of(seed)
    desk.press("q")
    text = " ".join(desk.text(60, 20).replace("│", " ").split())
    assert "Or hand the table to: 2 Anna, 3 Boris, 4 Igor. The match goes on there, after this deal." in text
    assert "Enter leaves, Esc stays." in text


@pytest.mark.parametrize("key", ["1", "2", "3", "4"])
def test_a_guest_who_leaves_hands_nothing_over(seed: int, key: str) -> None:
    """U6: only the host has a table to hand over."""
    desk, session = desk_of(seed, host=1)
    desk.press("q")
    assert "hand the table" not in desk.text()
    desk.press(key)
    assert session.asked == []


def test_a_table_goes_to_nobody_who_is_away_or_a_bot(seed: int) -> None:
    """U6: who is asked is there to answer."""
    desk, session = desk_of(seed)
    view = session.people()
    seats = (view.seats[0], replace(view.seats[1], away=True), replace(view.seats[2], bot=True), view.seats[3])
    desk.model.update(replace(view, seats=seats), desk.now)
    desk.press("q")
    assert "Or hand the table to: 4 Igor." in " ".join(desk.text().replace("│", " ").split())
    desk.press("2")
    assert session.asked == []


@pytest.mark.parametrize(("key", "on"), [("a", True), ("n", False)])
def test_who_is_asked_answers_with_one_key(seed: int, key: str, on: bool) -> None:
    """U6: the offer stands on the table with its keys, and they do what they say."""
    desk, session = desk_of(seed, host=1, next_host=NextHost(0, "You", agreed=False))
    for size in SIZES:  # the sentence stands at the right of the cards, line by line
        text = desk.text(*size)
        assert "Anna offers you the table." in text
        assert re.search(r"^ K keys · A( take the table)? · N", text, re.MULTILINE)
    desk.press(key)
    assert session.asked == [("take over", on)]


def test_the_keys_of_an_offer_do_nothing_without_one(seed: int) -> None:
    """U6: A and N mean nothing in a match that is not handed over."""
    desk, session = desk_of(seed, host=1)
    desk.press("a", "n")
    assert session.asked == []


def plain_of(seed: int, host: int, next_host: NextHost | None = None) -> tuple[Plain, Handing, list[str]]:
    session, said = Handing(seed, host), []
    plain = Plain(session, Settings(), said.append)
    plain.take(session.view, 0.0)
    session.on_change(lambda view: plain.take(view, 0.0))
    session.ready()
    session.start()
    while session.view.stage is not Stage.PLAY:
        session.advance()
    plain.take(session.people(next_host), 1.0)
    return plain, session, said


def test_the_table_is_handed_over_in_words(seed: int) -> None:
    """U6: by lines: q says what there is instead of leaving, give NAME offers, give alone says to whom."""
    plain, session, said = plain_of(seed, 0)
    plain.line("q", 2.0)
    assert "give NAME hands it to another player instead" in said[-1]
    plain.line("no", 2.0)
    plain.line("give", 2.0)
    assert said[-1] == "give needs one of: 2 Anna, 3 Boris, 4 Igor"
    plain.line("give boris", 2.0)
    plain.line("give 4", 2.0)
    assert session.asked == [("offer", 2), ("offer", 3)]


def test_who_is_asked_answers_in_words(seed: int) -> None:
    """U6: the offer is said once, with its words."""
    plain, session, said = plain_of(seed, 1, NextHost(0, "You", agreed=False))
    assert said.count("Anna leaves and hands you the table. take takes it, no does not.") == 1
    plain.line("take", 2.0)
    plain.line("no", 2.0)
    assert session.asked == [("take over", True), ("take over", False)]


def test_take_without_an_offer_says_so(seed: int) -> None:
    """U6: no word does nothing without saying it."""
    plain, session, said = plain_of(seed, 1)
    plain.line("take", 2.0)
    assert said[-1] == "Nobody offers you the table."
    plain.line("give 2", 2.0)
    assert said[-1] == "The table goes only to another player who is here, while a match is on."
    assert session.asked == []


def test_what_comes_of_an_offer_is_told(seed: int) -> None:
    """U6: taken, not taken, gone over, or not after all: one sentence each, to whom it matters."""
    view = Handing(seed).people()
    asked, agreed = (replace(view, next_host=NextHost(1, "Anna", agreed=a)) for a in (False, True))
    mine = replace(view, next_host=NextHost(0, "You", agreed=False))

    def told(old: TableView, new: TableView) -> list[str]:
        return [event.text for event in news(old, new)]

    assert told(asked, view) == ["Anna does not take the table."]
    assert told(asked, agreed) == ["Anna has the table next: the match goes on there after this deal."]
    assert told(agreed, view) == ["The table stays where it is."]
    assert told(mine, view) == ["The table stays where it is."]
    empty = tuple(SeatInfo(s) for s in range(4))
    moved = replace(view, link=False, stage=Stage.JOINING, seats=empty)
    assert told(agreed, moved)[0] == "Anna has the table now."
    assert not any("has left" in line for line in told(agreed, moved))
    model = Model(view=moved)
    assert not any("has left" in line for line in people(model, agreed, moved))


@pytest.mark.parametrize("size", SIZES)
def test_a_table_that_is_closed_says_why_whole_and_lists_no_dead_key(seed: int, size: tuple[int, int]) -> None:
    """U6: the others saw half a command, above keys of a vote that did nothing any more."""
    desk, session = desk_of(seed, host=1)
    path = "/home/vera/.local/share/goat/profile-1/matches/2026-11-30-2350-240284d2fbf68fa3-c03fa2e1db7fcfc1.goat"
    why = f"the host has closed the table. Anybody goes on with its score: goat host --resume {path}"
    gone = Absence(1, 200.0, open=True, may_vote=True, voters=(0, 2), choices=(0, 1, 2), cost=6)
    closed = replace(session.people(), stage=Stage.CLOSED, trouble=why, absences=(gone,))
    desk.model.update(closed, desk.now)
    text = desk.text(*size)
    rows = text.splitlines()
    left = next(row.index("┌─ The table is closed") for row in rows if "┌─ The table is closed" in row)
    assert path in "".join(row[left + 1 : left + min(64, size[0]) - 1].strip() for row in rows)
    assert "The host has closed the table." in text
    assert "let go" not in text
    assert "charge" not in text
    assert re.search(r"^ K keys · Enter go on · Q", text, re.MULTILINE)
    desk.press("enter")
    assert desk.control.outcome is not None


def test_the_end_of_a_deal_shows_no_half_of_a_command(seed: int) -> None:
    """U6, its kind: the same on the page of a deal that is over."""
    desk = Desk(seed, settings=Settings(name="Vera", hold=0.0, reveal=0.0))
    desk.begin()
    desk.deal()
    why = "the host has closed the table. Anybody goes on with its score: goat host --resume /home/vera/a.goat"
    desk.model.update(replace(desk.session.view, stage=Stage.CLOSED, trouble=why), desk.now)
    desk.look()
    text = desk.text(60, 20)
    assert "--res" not in text
    assert "The table is closed. Enter goes on, and says why." in text


def test_who_comes_to_the_next_table_is_told_what_is_so(seed: int) -> None:
    """U6: it said "after 1 deals", and "for the next match" of the seat in the match that goes on."""
    (said, *_) = terms_words(Terms((2, 0), 0, False, 1, (Change(Altered.DEALT),)), KEYS)
    assert said == "A match goes on here at 2:0 after 1 deal."
    view = replace(Handing(seed).people(), me=None, takes=1)
    assert list(free_words(replace(view, stage=Stage.LOBBY), "S")) == ["You have seat 2."]
    assert list(free_words(replace(view, stage=Stage.OVER), "S")) == ["You have seat 2 for the next match."]


def test_the_first_empty_line_of_a_match_with_people_counts(seed: int) -> None:
    """U20, its kind: by lines the page of the table words lay unseen over the table and swallowed the first empty line.
    Somebody who answered once, as they were told, waited for ever."""
    plain, session, _ = plain_of(seed, 1)
    ready: list[bool] = []
    session.ready = lambda: ready.append(True)  # type: ignore[method-assign]
    words = ("banon", "delis", "forin", "lemon", "rabes", "vidon")
    plain.take(replace(session.people(), words=words), 2.0)
    over = (DealReport(1, None, None, True, frozenset()),)
    plain.take(replace(session.people(), words=words, stage=Stage.BETWEEN, deal=None, reports=over), 3.0)
    plain.line("", 4.0)
    assert ready == [True]
