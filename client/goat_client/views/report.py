"""The end of a deal: its cards opened trick by trick, points, defeat points, the audit. And the end of a match."""

from goat_client.model import Model
from goat_client.text import wrap
from goat_client.views.canvas import Canvas, Part
from goat_client.views.side import meter
from goat_engine.cards import Card, points_of
from goat_engine.match import DealResult
from goat_engine.rules import team_of
from goat_engine.state import DealState, Play, PlayKind, Trick
from goat_net.tableview import DealReport, Stage

GOAT = (
    r"   (_(          ",
    r"   /_/'_____/)  ",
    r"   '  |      |  ",
    r"      |'''''|   ",
)
EGGS = r"   () () ()"


def draw(canvas: Canvas, model: Model, now: float) -> None:
    """The whole page with its frame."""
    report = model.report
    if report is None:
        return
    inner = canvas.box(f"Deal {report.number} – all cards open" if not model.glyphs.ascii else f"Deal {report.number}")
    if report.opened is None:
        y = _void(inner, model, report)
    else:
        y = _tricks(inner, model, report.opened, model.revealed(now))
        if model.report_done(now) and report.result is not None:
            y = _score(inner, model, report.result, y)
    if model.report_done(now):
        y = _audit(inner, model, report, y)
        _end(inner, model, y)


def _void(inner: Canvas, model: Model, report: DealReport) -> int:
    inner.line(1, 1, [("This deal is void and is dealt again.", "alarm")])
    return 3


def _tricks(inner: Canvas, model: Model, deal: DealState, shown: int) -> int:
    """A row a trick; face-down cards in brackets. Gives the row after them."""
    w = inner.width
    seats = [(model.bottom + i) % 4 for i in range(4)]
    col = max(10, (w - 4 - 12) // 4)
    inner.line(1, 0, [("Face-down cards in brackets.", "faint")] if w >= 70 else [])
    for i, seat in enumerate(seats):
        inner.line(4 + i * col, 1, [(model.name(seat), "name")], col - 1)
    inner.right(1, [("taken by", "faint")], 1)
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
        inner.right(y, [(f"{model.name(trick.taker)} {worth:>2}", "good" if mine else "")], 1)
    y = 2 + len(deal.tricks)
    ours = model.my_team
    if shown:
        inner.right(y, [("points ", "faint"), (f"{sums[ours]} : {sums[1 - ours]}", "name")], 1)
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
    tight = inner.height - y < 9
    y += 0 if tight else 1
    if result.eggs:
        inner.line(1, y, [("Eggs! 60 : 60 – nobody gets defeat points.", "offer")])
        y += 1
    match = model.view.match
    for team in (ours, 1 - ours):
        got = result.defeat[team]
        tail = f"  +{got} defeat" if got else "  deal won" if result.points[team] > 60 else ""
        parts: list[Part] = [
            (f"{model.team_names(team):<20.40} ", "name"),
            (f"{result.points[team]:>3} points, {result.tricks[team]} tricks", ""),
            (tail, "alarm" if got else "good"),
        ]
        inner.line(1, y, parts, inner.width - 18)
        if match is not None:
            total = match.defeat[team]
            inner.right(y, [*meter(model, total, model.view.rules.target, 12), f" {total:>2}"], 1)
        y += 1
    return y


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
        names = ", ".join(model.name(s) for s in sorted(report.verdicts))
        inner.line(1, y, [(f"{g.check} Checked here card by card.", "good"), (f" Verdicts: {names}", "faint")])
    else:
        inner.line(1, y, [("Being checked…" if not g.ascii else "Being checked...", "faint")])
    return y + 1


def _end(inner: Canvas, model: Model, y: int) -> None:
    v = model.view
    match = v.match
    goat = match.goat if match is not None else None
    bottom = inner.height - 1
    if match is not None and goat is not None:
        _goat(inner, model, goat, match.with_eggs, y)
    if v.stage is Stage.CLOSED:
        inner.line(1, bottom, [(v.trouble or "The table is closed.", "alarm"), (" Enter goes on.", "asked")])
        return
    waiting = [model.name(s.seat) for s in v.seats if s.taken and not s.bot and s.seat not in v.ready]
    if v.me is not None and v.me not in v.ready:
        text = "Enter: play again. Q: leave." if v.stage is Stage.OVER else "Enter: next deal."
        inner.line(1, bottom, [(text, "asked")])
    elif waiting:
        inner.line(1, bottom, [(f"Waiting for {', '.join(waiting)}", "faint")])


def _goat(inner: Canvas, model: Model, goat: int, eggs: bool, y: int) -> None:
    ours = goat == model.my_team
    who = model.team_names(goat)
    what = "the goat with eggs" if eggs else "the goat"
    verb = "are" if "," in who else "is"
    text = f"{who} {verb} {what}!"
    cheer = "" if model.my_seat is None else " Next time, then." if ours else " You have won the match!"
    room = inner.height - 1 - y
    picture = [*GOAT, *([EGGS] if eggs else [])]
    if room >= len(picture) + 2:
        y += 1
        for i, row in enumerate(picture):
            inner.put(4, y + i, row, "goat")
        for i, line in enumerate(wrap(text + cheer, inner.width - 28)):
            inner.put(24, y + 1 + i, line, "goat" if ours else "offer")
    else:
        inner.line(1, y, [(text + cheer, "goat" if ours else "offer")])
