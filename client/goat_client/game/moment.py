"""Where a person is at this moment: the page that lies over the table, and the turn that is on. Pure."""

from enum import StrEnum
from typing import TypeAlias

from goat_net.seat.tableview import TableView

Turn: TypeAlias = tuple[int, int, int, int, str, int | None]


class Page(StrEnum):
    """What lies over the table, if anything."""

    NONE = ""
    RULES = "rules"
    LOG = "log"
    LAST = "last"
    TALK = "talk"
    MUTE = "mute"
    HELP = "help"
    SETTINGS = "settings"
    LEAVE = "leave"
    REVIEW = "hint"  # at the end of a deal, by the key of the hints
    HINT = "whole hint"
    SEAT = "seat"
    REPORT = "report"
    WORDS = "words"


def turn_of(view: TableView) -> Turn:
    """A value that changes with every turn: whatever was chosen or typed under another one is void."""
    deal = view.deal
    if deal is None:
        return (view.deal_number, -1, -1, -1, view.stage.value, None)
    returned = len(view.returned)
    return (view.deal_number, len(deal.tricks), len(deal.plays), returned, deal.phase.value, deal.turn)
