"""The whole screen put together from its panels, for any size of window."""

from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.machine.text import wrap
from goat_client.views import pages, report, seats, side, strip, table
from goat_client.views.canvas import Canvas
from goat_net.seat.tableview import Stage

LEAST_WIDTH, LEAST_HEIGHT = 60, 20
WINDOWS = (Page.LAST, Page.LEAVE, Page.WORDS)
"""Pages that leave the table around them to be seen."""
SIDE_FROM = 78
"""Columns from which the side panel stands beside the table; below, its figures take one line under the title."""


def draw(model: Model, width: int, height: int, now: float) -> Canvas:
    """The screen of a table at this size."""
    canvas = Canvas(width, height, model.glyphs)
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        too_small(canvas)
        return canvas
    side.title_line(canvas.sub(0, 0, width, 1), model)
    _body(canvas.sub(0, 1, width, height - 3), model, now)
    strip.draw(canvas.sub(0, height - 2, width, 1), model)
    side.key_line(canvas.sub(0, height - 1, width, 1), model)  # last: it says what the page as drawn can do
    return canvas


def _body(body: Canvas, model: Model, now: float) -> None:
    width = body.width
    if model.coach and (model.report_due or width < SIDE_FROM):
        body = _coached(body, model)
    if model.page is not Page.NONE and model.page not in WINDOWS:
        pages.draw(body, model, now)
        side.phrases(body, model)
        return
    if model.report_due:
        report.draw(body, model, now)
    else:
        main, extra = _split(body, model)
        (seats if model.view.stage is Stage.LOBBY else table).draw(main, model, now)
        if extra is not None and model.coach:
            coach(extra, model)
        elif extra is not None:
            side.draw(extra, model, now)
    if model.page is not Page.NONE:
        pages.draw(body, model, now)
    elif model.view.stage is Stage.CLOSED and not model.report_due:
        pages.closed(body, model)
    side.phrases(body, model)


def coach(area: Canvas, model: Model) -> None:
    """What a lesson says now."""
    inner = area.box("Lesson")
    y = 0
    for paragraph in model.coach.split("\n"):
        for line in wrap(model.glyphs.say(paragraph), inner.width - 2):
            inner.put(1, y, line, "asked" if paragraph.startswith("→") else "")
            y += 1
        y += inner.height > 8


def _coached(body: Canvas, model: Model) -> Canvas:
    """The lesson's words above the table, for narrow windows and the end of the deal."""
    said = sum(len(wrap(model.glyphs.say(text), body.width - 4)) for text in model.coach.split("\n"))
    rows = min(said + 2, body.height // 2 + 1)
    coach(body.sub(0, 0, body.width, rows), model)
    return body.sub(0, rows, body.width, body.height - rows)


def _split(body: Canvas, model: Model) -> tuple[Canvas, Canvas | None]:
    if body.width < SIDE_FROM:
        compact_score(body.sub(0, 0, body.width, 1), model)
        return body.sub(0, 1, body.width, body.height - 1), None
    extra = min(40, max(25, body.width // 3))
    return body.sub(0, 0, body.width - extra, body.height), body.sub(body.width - extra, 0, extra, body.height)


def compact_score(line: Canvas, model: Model) -> None:
    """Score and tricks in one line, for narrow windows."""
    v, ours, deal = model.view, model.my_team, model.deal
    defeat = v.match.defeat if v.match is not None else (0, 0)
    text = f" Defeat {defeat[ours]}:{defeat[1 - ours]}"
    if deal is not None:
        points = side.open_points(deal)
        text += f"  tricks {deal.taken(ours)}:{deal.taken(1 - ours)}  points known {points[ours]}:{points[1 - ours]}"
    line.line(0, 0, [(text, "")])


def too_small(canvas: Canvas) -> None:
    """What size the window has, what it needs, and what to do where it can't have that; whatever room there is."""
    least, now = f"{LEAST_WIDTH}x{LEAST_HEIGHT}", f"{canvas.width}x{canvas.height}"
    texts = (f"Make the window at least {least}", f"needs {least}", least)
    rows = [
        next((t for t in texts if len(t) <= canvas.width), least),
        *wrap(f"It is {now} now. goat --plain plays by lines of text, in any window.", canvas.width),
    ]
    for y, text in enumerate(rows[: canvas.height]):
        canvas.put(0, y, text, "asked" if y == 0 else "")
