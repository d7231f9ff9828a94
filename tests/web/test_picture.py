"""What a page shows: made from the model alone, plain enough for JSON, and nothing of what its seat may not know."""

import json
from collections.abc import Iterator
from typing import Any

from goat_web.inside.picture import card, picture
from goat_web.inside.prompts import PAGE

from goat_engine.cards import DECK
from goat_net.seat.tableview import Stage
from tests.client.kit import Desk


def cards_in(value: Any) -> Iterator[tuple[int, int]]:
    """Every card that a picture names."""
    if isinstance(value, dict):
        if "rank" in value:
            yield value["suit"], value["rank"]
        for inner in value.values():
            yield from cards_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from cards_in(inner)


def desk(seed: int) -> Desk:
    made = Desk(seed)
    made.model.prompts = PAGE
    return made


def pictures(made: Desk, deals: int) -> Iterator[dict[str, Any]]:
    """A picture of every moment of some deals, played by random legal actions."""
    made.begin()
    for _ in range(deals * 60):
        yield picture(made.model, made.now)
        if made.session.view.stage is Stage.PLAY and made.model.on_turn:
            made.play()
        elif made.session.view.stage in (Stage.BETWEEN, Stage.OVER):
            made.look()
            yield picture(made.model, made.now)
            made.press("enter")
        made.go()
        made.look()
        if len(made.session.view.reports) >= deals:
            return


def test_a_card_is_said_in_words_and_signs() -> None:
    assert card(0) == {"suit": 0, "rank": 0, "label": "6", "name": "six of spades"}
    assert len({c["name"] for c in map(card, DECK)}) == 36


def test_pictures_are_json_and_show_what_the_seat_knows_and_no_more(seed: int) -> None:
    made, stages = desk(seed), set()
    for shown in pictures(made, 3):
        assert json.loads(json.dumps(shown)) == shown
        stages.add(shown["stage"])
        deal = made.model.deal
        if deal is None or shown["report"] is not None:
            continue
        known = {divmod(c, 9) for c in deal.known.values()} | {divmod(deal.indicator, 9)}
        assert set(cards_in(shown)) <= known
    assert {"play", "between"} <= stages


def test_what_can_be_done_is_a_button_and_does_it(seed: int) -> None:
    made = desk(seed)
    made.begin()
    shown = picture(made.model, made.now)
    assert shown["mine"]
    assert shown["asked"].startswith("Your turn: ")
    commands = [action["command"] for action in shown["actions"]]
    assert {"enter", "discard"} & set(commands)
    assert not {"rules", "leave", "talk", "keys", "log"} & set(commands)
    assert not any(c["chosen"] for c in shown["hand"])
    made.control.do("card 1", made.now)
    again = picture(made.model, made.now)
    assert [c["chosen"] for c in again["hand"]] == [True, False, False, False]
    changed = {key for key in shown if shown[key] != again[key]}
    assert "hand" in changed
    assert changed <= {"hand", "notice"}, "the worker sends what has changed, no more"


def test_pages_of_text_come_whole(seed: int) -> None:
    made = desk(seed)
    made.begin()
    for command in ("rules", "log"):
        made.control.do(command, made.now)
        page = picture(made.model, made.now)["page"]
        assert page["name"] == command
        assert page["title"]
        made.control.do("escape", made.now)
    assert picture(made.model, made.now)["page"] is None
