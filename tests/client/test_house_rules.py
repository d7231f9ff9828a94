"""What is told before one sits down: the house rules, and in whose page somebody plays."""

from dataclasses import replace

import pytest
from goat_client.game.events import news
from goat_client.game.model import Model
from goat_client.game.people import in_page, watching
from goat_client.game.prompts import LINES
from goat_client.game.rulebook import agreed, house
from goat_client.lines.telling_people import PeopleTeller
from goat_client.machine.glyphs import UNICODE
from goat_client.machine.settings import Settings
from goat_client.views import seats
from goat_client.views.canvas import Canvas

from goat_net.seat.present import table_view
from goat_net.seat.tableview import SeatInfo, Stage, TableView
from goat_net.wire.messages import House, Lobby, LobbySeat, Watching

ODD = House(20, True, 3000, 30, 60, 60, False, False, True)
FREE = LobbySeat(False, "", b"", False, "", "", False, 0, 4, True, b"", b"")
VERA = LobbySeat(True, "Vera", b"v" * 32, False, "", "", True, 0, 4, False, b"", b"", "Boris")


def view_of(lobby: Lobby) -> TableView:
    """What a client is shown of this lobby."""
    return table_view(None, lobby, base=TableView(), known={}, me=None)


def lobby_of(house_rules: House, *watchers: Watching) -> Lobby:
    """A lobby with Vera on the first seat."""
    return Lobby("Kitchen", (VERA, FREE, FREE, FREE), watchers, 4, 0, "", house_rules)


def test_the_rules_page_has_the_numbers_of_this_very_table_before_the_match() -> None:
    """V9: target 20 and grace 60 were told as 12 and 180."""
    view = view_of(lobby_of(ODD))
    told = " ".join(house(view, LINES))
    assert "A team with 20 defeat points" in told
    assert "for 60 s is away" in told
    assert "A turn has 30 s, and everybody 60 s" in told
    assert "counts double" in told
    assert "no hints" in told


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
def test_the_screen_and_the_lines_tell_the_house_rules_before_one_sits_down(size: tuple[int, int]) -> None:
    """V10: target, double eggs, clock and grace stand in the lobby."""
    model = Model(settings=Settings(), glyphs=UNICODE, prompts=LINES)
    model.view = view_of(lobby_of(ODD))
    canvas = Canvas(*size, UNICODE)
    seats.draw(canvas, model, 0.0)
    drawn = " ".join(canvas.text().replace("│", " ").split())
    heard = " ".join(PeopleTeller(model).welcome())
    for word in ("Defeat points to lose: 20", "Double after eggs: yes", "for who is away: 60 s", "30 s for a move"):
        assert word in heard
        assert word in drawn
    assert "Nobody may watch." in heard
    assert "not fair" in heard
    assert agreed(House()) == ("The usual house rules.",)
    assert agreed(replace(House(), hints=False)) == ("The usual house rules.",)  # hints are told by a line of their own


def test_a_name_in_full_says_in_whose_page_it_is() -> None:
    """Whoever serves a page could serve another one: seats, watchers and who sits down are told with it."""
    view = view_of(lobby_of(House(), Watching("Dora", b"d" * 32, False, "Boris")))
    model = Model(settings=Settings(), glyphs=UNICODE, prompts=LINES)
    model.view = view
    assert "in a page of Boris" in PeopleTeller(model).seat_line(0)
    assert watching(view) == ["Dora (in a page of Boris)"]
    canvas = Canvas(80, 24, UNICODE)
    seats.draw(canvas, model, 0.0)
    assert "Vera  in a page of Boris" in canvas.text()
    before = replace(view, seats=tuple(SeatInfo(s) for s in range(4)), stage=Stage.LOBBY)
    assert [e.text for e in news(before, view)] == ["Vera (in a page of Boris) sits down on seat 1."]
    assert in_page("Vera", "") == "Vera"


def test_a_bot_that_never_sits_is_no_watcher_who_came_and_went() -> None:
    """V4's kind: "Angora, who watched, has gone" was said of bots."""
    empty = view_of(lobby_of(House()))
    waits = view_of(lobby_of(House(), Watching("Angora", b"a" * 32, True)))
    assert waits.watchers == ()
    assert waits.idle_bots == ("Angora",)
    assert [e.text for e in (*news(empty, waits), *news(waits, empty))] == []
