"""Where a person is, in words: what the page of the keys says first. Pure."""

from typing import Final

from goat_client.game.model import Model
from goat_client.game.people import can_have_it
from goat_net.seat.tableview import Stage, TableView

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


def leaving(view: TableView) -> str:
    """What happens when this person leaves now, and what can be done later."""
    people = [s for s in view.seats if s.taken and not s.bot and s.seat != view.me]
    on = view.match is not None and view.stage not in (Stage.LOBBY, Stage.OVER, Stage.CLOSED)
    if on and not people:
        return "The match stops here and is saved. C in the lobby goes on with it, at the beginning of this deal."
    if view.is_host and on and view.next_host is not None and view.next_host.agreed:
        return (
            f"{view.next_host.name} has the table after this deal: wait for its end, and none is lost. If you leave "
            "now the match goes on there with a new deal."
        )
    if view.is_host and on:
        return (
            "You host this table: it closes for all. The match is saved by each of you, and each can go on with it: "
            "C in the lobby, then H opens it again. A deal that is on is dealt anew."
        )
    if view.is_host and people:
        return "You host this table: it closes for all who are here."
    if on:
        return (
            "The deal stops, and the others say whether it counts 6 against your team (R24). "
            "Your seat goes to a bot; you may have it back at the next deal."
        )
    return "Your seat becomes free."


def handing(view: TableView) -> str:
    """To whom a host who leaves may hand the table instead, by their keys; or ""."""
    there = [] if view.next_host is not None and view.next_host.agreed else can_have_it(view)
    names = ", ".join(f"{s.seat + 1} {s.name}" for s in there)
    return f"Or hand the table to: {names}. The match goes on there, after this deal." if names else ""
