"""A match gone through: the deals, the best trick, what each seat gave away at most, how often it played as the bot.

Pure, and reckoned when it is asked for: a deal of four seats takes 20 to 40 ms (see `goat_client.game.review`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from goat_client.game.review import Review, record_of, reviewed
from goat_engine.cards import points_of
from goat_engine.record import Record
from goat_engine.rules import HAND_SIZE, SEATS, Seat
from goat_net.seat.tableview import DealReport

if TYPE_CHECKING:
    from goat_engine.bots.review import Reviewed

WORTH_TELLING: Final = 0.1
"""Estimated defeat points below which nothing is called a mistake (see `goat_engine.bots.review.Reviewed`)."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A deal of the match. ``record`` and ``review`` are None for one that was not played out."""

    report: DealReport
    record: Record | None = None
    review: Review | None = None


@dataclass(frozen=True, slots=True)
class Mistake:
    """What a seat gave away at most: in the deal at this place of the match, with the bot's estimate."""

    seat: Seat
    at: int
    row: "Reviewed"


@dataclass(frozen=True, slots=True)
class BestTrick:
    """The trick with the most points: in the deal at this place, by its number from 1."""

    at: int
    trick: int
    taker: Seat
    points: int


@dataclass(frozen=True, slots=True)
class MatchReport:
    """See the module. By seat: ``agreed`` of ``choices`` as the bot, ``molodkas`` led."""

    deals: tuple[Gone, ...]
    mistakes: tuple[Mistake, ...]
    best: BestTrick | None
    agreed: tuple[int, ...]
    choices: tuple[int, ...]
    molodkas: tuple[int, ...]


def match_report(reports: Sequence[DealReport]) -> MatchReport:
    """Go through the finished deals of a match."""
    deals = tuple(_gone(report) for report in reports)
    agreed, choices, molodkas = [0] * 4, [0] * 4, [0] * 4
    worst: dict[Seat, Mistake] = {}
    best: BestTrick | None = None
    for at, deal in enumerate(deals):
        for row in deal.review.rows if deal.review is not None else ():
            agreed[row.seat] += row.agreed
            choices[row.seat] += 1
            if row.cost >= max(WORTH_TELLING, worst[row.seat].row.cost if row.seat in worst else 0.0):
                worst[row.seat] = Mistake(row.seat, at, row)
        opened = deal.report.opened
        for number, trick in enumerate(opened.tricks if opened is not None else (), 1):
            molodkas[trick.plays[0].seat] += len(trick.plays[0].slots) == HAND_SIZE
            slots = [s for play in trick.plays for s in play.slots if s is not None]
            points = points_of([opened.known[s] for s in slots if s in opened.known]) if opened is not None else 0
            if best is None or points > best.points:
                best = BestTrick(at, number, trick.taker, points)
    mistakes = tuple(sorted(worst.values(), key=lambda m: -m.row.cost))
    return MatchReport(deals, mistakes, best, tuple(agreed), tuple(choices), tuple(molodkas))


def _gone(report: DealReport) -> Gone:
    record = record_of(report.opened) if report.opened is not None else None
    return Gone(report, record, reviewed(record, SEATS) if record is not None else None)
