"""Where a person is at this moment: the page that lies over the table, and the turn that is on. Pure."""

from enum import StrEnum
from typing import TypeAlias

from goat_net.seat.tableview import Stage, TableView

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


def words_are_new(view: TableView, seen: tuple[str, ...]) -> bool:
    """Whether a match has begun whose table words have not been offered yet. A score that goes on is asked about
    first."""
    early = view.stage in (Stage.JOINING, Stage.LOBBY) or view.terms is not None
    return bool(view.words) and view.words != seen and view.me is not None and not early


def words_to_read(view: TableView) -> bool:
    """Whether there is somebody to read the words to, and the match has only begun."""
    others = any(s.taken and not s.bot and s.seat != view.me for s in view.seats)
    return others and not view.reports and (view.deal is None or not view.deal.tricks)
