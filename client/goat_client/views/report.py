"""The end of a deal: its cards opened trick by trick, points, defeat points, the audit. And the end of a match."""

from typing import Final

from goat_client.game import narration
from goat_client.game.model import Model
from goat_client.machine.text import pad, wrap
from goat_client.views.canvas import Canvas, Part
from goat_client.views.side import meter
from goat_client.views.table import about_absent
from goat_engine.cards import Card, points_of
from goat_engine.match import DealResult
from goat_engine.rules import team_of
from goat_engine.state import DealState, Play, PlayKind, Trick
from goat_net.seat.tableview import DealReport, Stage

FINALE_ROWS: Final = 10  # of words below the goat's picture, with blank rows between them
GOAT: Final = (
    r"   __  __        ",
    r"  (  \/  )       ",
    r"   \ oo /        ",
    r"   / -- \______/ ",
    r"   \_vv_/      | ",
    r"     '' |  __  | ",
    r"        |_|  |_| ",
)
SHORT: Final = 40
"""Characters of a sentence that stand before what Enter does, in the narrowest window; half a command is none."""
ROOMY: Final = 9
"""Rows below the tricks from which the sum of points has a row of its own; with fewer it is at the top right."""
LEAST: Final = 5
"""Rows below the tricks that eggs, two teams, the audit and what comes next take; with fewer, eggs go to the top."""
TIGHT: Final = 72
"""Columns below which a star alone says who took a trick: four cards in brackets need the room."""
EGGS: Final = (r"        O O O    ",)


def draw(canvas: Canvas, model: Model, now: float) -> None:
    """The whole page with its frame."""
    report = model.report
    if report is None:
        return
    if model.finale:
        draw_finale(canvas, model, now)
        return
    inner = canvas.box(f"Deal {report.number} – all cards open" if not model.glyphs.ascii else f"Deal {report.number}")
    if report.opened is None:
        y = _void(inner, model, report)
    else:
        y = _tricks(inner, model, report.opened, now)
        if model.report_done(now) and report.result is not None:
            y = _score(inner, model, report.result, y)
    if model.report_done(now):
        y = _audit(inner, model, report, y)
        _end(inner, model, y)


def _void(inner: Canvas, model: Model, report: DealReport) -> int:
    if report.result is None:
        inner.line(1, 1, [("This deal is void and is dealt again.", "alarm")])
        return 3
    inner.line(1, 1, [("The team that has lost did not open. The deal counts as far as it is open.", "alarm")])
    return _score(inner, model, report.result, 3)


def _tricks(inner: Canvas, model: Model, deal: DealState, now: float) -> int:
    """A row a trick; face-down cards in brackets. Gives the row after them."""
    w, shown = inner.width, model.revealed(now)
    seats = [(model.bottom + i) % 4 for i in range(4)]
    tight = w < TIGHT
    col = (w - 4 - (4 if tight else 12)) // 4
    inner.line(1, 0, [("Brackets: was face down. Star: took the trick.", "faint")] if w >= 70 else [])
    for i, seat in enumerate(seats):
        inner.line(4 + i * col, 1, [(model.name(seat), "name")], col - 1)
    inner.right(1, [("" if tight else "taken by", "faint")], 1)
    sums = [0, 0]
    for n, trick in enumerate(deal.tricks[:shown]):
        y = 2 + n
        inner.put(1, y, str(n + 1), "faint")
        for play in trick.plays:
            x = 4 + seats.index(play.seat) * col
            inner.line(x, y, _opened(model, play, trick, deal, tight=col < 15), col)
        worth = sum(points_of(_faces(deal, p)) for p in trick.plays)
        sums[team_of(trick.taker)] += worth
        mine = team_of(trick.taker) == model.my_team
        taker = "" if tight else f"{model.name(trick.taker)} "
        inner.right(y, [(f"{taker}{worth:>2}", "good" if mine else "")], 1)
    y = 2 + len(deal.tricks)
    ours = model.my_team
    if shown:
        row = y if inner.height - y >= ROOMY else 0
        inner.right(row, [("points ", "faint"), (f"{sums[ours]} : {sums[1 - ours]}", "name")], 1)
    return y


def _faces(deal: DealState, play: Play) -> list[Card]:
    return sorted(deal.known[s] for s in play.slots if s is not None and s in deal.known)


def _opened(model: Model, play: Play, trick: Trick, deal: DealState, *, tight: bool) -> list[Part]:
    hidden = play.kind is PlayKind.DISCARD
    out: list[Part] = [("(" if hidden else ("*" if play.seat == trick.taker else " "), "faint" if hidden else "top")]
    for i, card in enumerate(_faces(deal, play)):
        if i and not tight:
            out.append(" ")
        out.append((model.glyphs.card(card), f"ink.{card // 9}"))
    if hidden:
        out.append((")", "faint"))
    return out


def _score(inner: Canvas, model: Model, result: DealResult, y: int) -> int:
    ours = model.my_team
    tight = inner.height - y < ROOMY
    y += 0 if tight else 1
    if result.eggs and inner.height - y >= LEAST:
        inner.line(1, y, [("Eggs! 60 : 60 – nobody gets defeat points.", "offer")])
        y += 1
    elif result.eggs:
        inner.put(1, 0, pad("Eggs! Nobody gets defeat points.", inner.width - 17), "offer")  # left of the points
    match = model.view.match
    for team in (ours, 1 - ours):
        got = result.defeat[team]
        tail = f"  +{got} defeat" if got else "  deal won" if result.points[team] > 60 else ""
        wide = inner.width >= 76
        parts: list[Part] = [
            (f"{pad(model.team_names(team), 24 if wide else 18)} ", "name"),
            (f"{result.points[team]:>3} points, {tricks(result.tricks[team])}", ""),
            (tail, "alarm" if got else "good"),
        ]
        inner.line(1, y, parts, inner.width - (18 if wide else 5))
        if match is not None:
            total = match.defeat[team]
            dots = meter(model, total, model.view.rules.target, 12) if wide else []
            inner.right(y, [*dots, f" {total:>2}"], 1)
        y += 1
    return y


def tricks(n: int) -> str:
    """``1 trick``, ``2 tricks``."""
    return "1 trick" if n == 1 else f"{n} tricks"


def _audit(inner: Canvas, model: Model, report: DealReport, y: int) -> int:
    g = model.glyphs
    if report.blame is not None:
        b = report.blame
        who = model.name(b.seat) if b.seat < 4 else "the host"
        for line in wrap(f"{g.cross} Proven: {who} cheated (entry {b.entry}): {b.reason}", inner.width - 2):
            inner.put(1, y, line, "alarm")
            y += 1
        return y
    if report.audited:
        names = "all four" if len(report.verdicts) == 4 else ", ".join(model.name(s) for s in sorted(report.verdicts))
        signed = f" Verdicts: {names}." if names else ""
        inner.line(1, y, [(f"{g.check} Checked here card by card.", "good"), (signed, "faint")])
    else:
        inner.line(1, y, [("Being checked…" if not g.ascii else "Being checked...", "faint")])
    return y + 1


def _end(inner: Canvas, model: Model, y: int) -> None:
    v = model.view
    bottom = inner.height - 1
    if model.goat is not None and y < bottom:
        team = model.team_names(model.goat)
        inner.line(1, min(y + 1, bottom - 1), [(f"{team}: {v.rules.target} defeat points reached.", "goat")])
    for n, text in enumerate(about_absent(model)[: max(1, min(2, bottom - y))]):
        _over(inner, bottom - 1 - n, [(text, "alarm")])
    _over(inner, bottom, what_next(model))


def _over(inner: Canvas, y: int, parts: list[Part]) -> None:
    """A row that goes before whatever stood there: nothing of that is left between the words."""
    if parts:
        inner.sub(0, y, inner.width, 1).fill("")
        inner.line(1, y, parts, inner.width - 2)


def what_next(model: Model) -> list[Part]:
    """What goes on from a finished deal or match, and by which key."""
    v = model.view
    if model.coach:
        return []  # the lesson says it
    if v.stage is Stage.CLOSED:
        why = v.trouble if len(v.trouble) <= SHORT else ""
        on = " Enter goes on." if why or not v.trouble else " Enter goes on, and says why."
        return [(why[:1].upper() + why[1:] or "The table is closed.", "alarm"), (on, "asked")]
    if model.goat is not None and not model.finale:
        return [("Enter: who is the goat?", "asked")]
    waiting = [model.name(s.seat) for s in v.seats if s.taken and not s.bot and s.seat not in v.ready]
    if v.me is not None and v.me not in v.ready:
        return [("Enter: play again. Q: leave." if v.stage is Stage.OVER else "Enter: next deal.", "asked")]
    parts: list[Part] = [(f"Waiting for {', '.join(waiting)}", "faint")] if waiting else []
    if v.me is None and v.stage is Stage.OVER:
        return [("Enter: who sits where. Q: leave.", "asked")]
    return parts


def draw_finale(canvas: Canvas, model: Model, now: float) -> None:
    """The end of a match: the goat, with its eggs if it has earned them."""
    goat, match = model.goat, model.view.match
    inner = canvas.box("The match is over")
    if goat is None or match is None:
        return
    picture = [*GOAT, *(EGGS if match.with_eggs else ())]
    if inner.height < len(picture) + FINALE_ROWS:
        picture = picture[:4]  # the head of it
    y = max(0, (inner.height - len(picture) - FINALE_ROWS) // 2)
    for row in picture:
        inner.centre(y, [(row, "goat")])
        y += 1
    y += 1
    what = "the goat with eggs" if match.with_eggs else "the goat"
    inner.centre(y, [(f"{joined(model, goat)} {what}!", "goat")])
    if model.my_seat is not None:
        cheer = "Next time, then." if goat == model.my_team else "You have won the match!"
        inner.centre(y + 1, [(cheer, "faint" if goat == model.my_team else "offer")])
    y += 3
    for team in (model.my_team, 1 - model.my_team):
        total = match.defeat[team]
        dots = meter(model, min(total, model.view.rules.target), model.view.rules.target, 12)
        inner.centre(y, [(f"{pad(model.team_names(team), 30)} ", "name"), *dots, f" {total:>2}"])
        y += 1
    eggs = f", {match.eggs} of them eggs" if match.eggs else ""
    inner.centre(y + 1, [(f"{len(match.deals)} {'deal' if len(match.deals) == 1 else 'deals'}{eggs}", "faint")])
    inner.line(1, inner.height - 1, what_next(model))


def joined(model: Model, team: int) -> str:
    """``You and Boris are``, ``Anna and Igor are``."""
    return f"{narration.team(model, team)} are"
