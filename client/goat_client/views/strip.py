"""The strip of events: one row above the keys, on every page of a table; the newest stands first."""

from goat_client.game.events import newest
from goat_client.game.model import Model
from goat_client.machine.text import cells
from goat_client.views.canvas import Canvas, Part

SHOWN = 4  # events that may share the row, if there is room


def draw(line: Canvas, model: Model) -> None:
    """The newest events, as many as there is room for; how much talk has not been read."""
    unread = f"{model.unread} new (V) " if model.unread else ""
    room = line.width - 2 - cells(unread)
    x = 1
    if model.notice and (model.page or model.report_due):  # where nothing else shows it
        line.line(1, 0, [(model.notice, "notice")], room)
        return
    for n, event in enumerate(newest(model.events.heard(model.muted), SHOWN)):
        text = model.glyphs.say(event.text)
        if n and x + 3 + cells(line.fit(text)) > room:
            break
        parts: list[Part] = [(f" {model.glyphs.dot} ", "faint")] if n else []
        parts.append((text, (event.style or "name") if n == 0 else "faint", "talk page"))
        x = line.line(x, 0, parts, room - x + 1)
    if unread:
        line.right(0, [(unread, "notice", "talk page")])
