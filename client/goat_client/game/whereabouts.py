"""Where a person is, in words: what the page of the keys says first. Pure."""

from typing import Final

from goat_client.game.model import Model
from goat_net.seat.tableview import Stage

LOBBY: Final = (
    "This is the lobby. Tables on your network stand at the left, what else you can do at the right. Nobody sees you "
    "before you sit down."
)
REPLAY: Final = "This is a replay: a match as it was. Nobody else sees it, and nothing here changes it."
STAGES: Final = {
    Stage.JOINING: "You are on your way to a table.",
    Stage.LOBBY: "You are at a table before the match. It begins when the players are ready; free seats get bots.",
    Stage.STARTING: "The match begins: all four machines agree on it.",
    Stage.DEALING: "The cards are dealt: all four machines shuffle and lock the deck.",
    Stage.PLAY: "A deal is on. What is asked of you stands beside your cards.",
    Stage.OPENING: "The deal is over; its cards are opened and checked.",
    Stage.BETWEEN: "The deal is over and all its cards are open. The next one begins when all players are ready.",
    Stage.OVER: "The match is over. The next one begins when all players are ready.",
    Stage.CLOSED: "The table is closed.",
}


def where(model: Model) -> str:
    """One or two sentences about where this person is."""
    if model.place:
        return model.place
    v = model.view
    name = f" The table is called {v.table_name}." if v.table_name else ""
    watching = v.me is None and v.stage not in (Stage.JOINING, Stage.CLOSED)
    return STAGES[v.stage] + (" You watch." if watching else "") + name
