"""The report of a match: its deals, its best trick, how each seat played, and the mistakes one can jump to."""

from collections.abc import Iterator, Sequence

from goat_client.game import review as reviews
from goat_client.game.match_report import Gone, MatchReport
from goat_client.game.model import Model
from goat_client.machine.text import wrap
from goat_client.views.canvas import Part
from goat_engine.rules import SEATS

Row = Sequence[Part]


def rows_of(model: Model, width: int) -> list[Row]:
    """The page, row by row."""
    report = model.match_report
    if report is None:
        return [[("The match is not over yet.", "faint")]]
    rows: list[Row] = [[("What cost most, in defeat points by the bot's estimate", "title")]]
    rows += list(_mistakes(model, report, width))  # first: one chooses among them
    rows += [[], [("As the bot would have played", "title")]]
    rows += [_seat(model, report, seat) for seat in SEATS]
    if report.best is not None:
        deal = report.deals[report.best.at].report
        took = f"{model.name(report.best.taker)} took {report.best.points} points"
        rows += [[], [("Best trick  ", "title"), (f"{took} with trick {report.best.trick} of deal {deal.number}.", "")]]
    rows += [[], [("Deals", "title")]]
    rows += [_deal(model, deal) for deal in report.deals]
    return rows


def _deal(model: Model, deal: Gone) -> Row:
    result, ours = deal.report.result, model.my_team
    if result is None:
        return [(f"{deal.report.number:>3}  void", "faint")]
    points = f"{result.points[ours]:>3} : {result.points[1 - ours]:<3}"
    lost = next((team for team in (0, 1) if result.defeat[team]), None)
    if result.eggs:
        return [(f"{deal.report.number:>3}  {points}", ""), ("  eggs", "offer")]
    if lost is None:
        return [(f"{deal.report.number:>3}  {points}", "")]
    style = "alarm" if lost == ours else "good"
    return [(f"{deal.report.number:>3}  {points}", ""), (f"  +{result.defeat[lost]} {model.team_names(lost)}", style)]


def _seat(model: Model, report: MatchReport, seat: int) -> Row:
    led = report.molodkas[seat]
    molodka = "" if not led else "  1 molodka" if led == 1 else f"  {led} molodkas"
    many = f"{report.agreed[seat]:>3} of {report.choices[seat]} choices"
    return [(f"  {model.name(seat):<18}", "name"), (many, ""), (molodka, "offer")]


def _mistakes(model: Model, report: MatchReport, width: int) -> Iterator[Row]:
    if not report.mistakes:
        yield [("Nothing that could be told apart from the bot's play.", "good")]
    for n, mistake in enumerate(report.mistakes):
        deal, row = report.deals[mistake.at], mistake.row
        review = deal.review
        if review is None:
            continue
        marked, what = n == model.mistake, f"mistake {n}"
        mark = model.glyphs.pointer if marked else " "
        played = reviews.act_words(row.played, review.cards, model.glyphs, past=True)
        would = reviews.act_words(row.advised, review.cards, model.glyphs, past=False)
        where = f"{model.name(mistake.seat)}, deal {deal.report.number}, trick {row.trick}"
        yield [(f"{mark} {row.cost:.1f}  {where}: {played}", "turn" if marked else "", what)]
        why = reviews.because(row.reason, model.glyphs)
        for line in wrap(model.glyphs.say(f"The bot would {would}. {why}"), width - 7):
            yield [(f"       {line}", "hint", what)]
