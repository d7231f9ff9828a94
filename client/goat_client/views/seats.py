"""The table before the match: who sits where, who is ready, the table words, what the host can do."""

from typing import Final

from goat_client.game.model import Model
from goat_client.game.people import asking, not_ready, starts, watching
from goat_client.game.rulebook import agreed
from goat_client.machine.text import wrap
from goat_client.views.canvas import Canvas, Part

HINTS_OFF: Final = "Hints are off at this table."


def draw(canvas: Canvas, model: Model, now: float) -> None:
    """The whole panel with its frame."""
    v, g = model.view, model.glyphs
    inner = canvas.box(f"{v.table_name or 'Table'}: seats")
    inner.line(2, 0, [("Partners sit opposite: 1 with 3, 2 with 4.", "faint")])
    y = 2
    for info in v.seats:
        mark = g.pointer if info.seat == model.seat_cursor else " "
        what = f"card {info.seat + 1}"
        team = "faint"
        parts: list[Part] = [(f"{mark} {info.seat + 1}  ", "turn" if mark.strip() else team, what)]
        if info.taken:
            parts.append((model.name(info.seat) if info.seat != v.me else f"{info.name} (you)", "name", what))
            notes = []
            if info.bot:
                notes.append(f"bot, {info.level}" if info.level else "bot")
            if info.operator and info.bot:
                notes.append(f"run by {info.operator}")
            if info.page:
                notes.append(f"in a page of {info.page}")
            if info.host:
                notes.append("host")
            if notes:
                parts.append((f"  {', '.join(notes)}", "faint", what))
            parts.append((f"  {g.check} ready", "good") if info.ready or info.bot else ("  not ready yet", "faint"))
            if info.away:
                parts.append(("  away", "alarm"))
            if info.asks is not None:
                whom = "you" if info.asks == v.me else v.seats[info.asks].name
                parts.append((f"  asks {whom} to swap", "asked" if info.asks == v.me else "faint"))
            if info.remembered:
                parts.append((f"  {g.check} known player", "faint"))
            if info.changed_key:
                parts.append(("  known under ANOTHER key: ask who this is", "alarm"))
        else:
            parts.append(("free", "faint", what))
        inner.line(2, y, parts, inner.width - 3)
        y += 2 if inner.height >= 18 else 1
    y += 1 if inner.height < 18 else 0
    for text, style in _below(model):
        for line in wrap(g.say(text), inner.width - 4):
            if y < inner.height:
                inner.put(2, y, line, style)
            y += 1


def _below(model: Model) -> list[tuple[str, str]]:
    v = model.view
    out: list[tuple[str, str]] = []
    if v.trouble:
        out.append((v.trouble, "alarm"))
    if model.notice:
        out.append((model.notice, "notice"))
    out.append((asked(model), "asked"))
    out += [(line, "name") for line in agreed(v.house)]
    if not v.hints:
        out.append((HINTS_OFF, "name"))
    out += [(line, "name") for line in v.invite]
    if v.words:
        out.append(("Table words: " + " ".join(v.words) + ". Read them aloud: the same at everyone means "
                    "that nobody sits in between.", "faint"))  # fmt: skip
    if names := watching(v):
        out.append(("Watching: " + ", ".join(names), "faint"))
    return out


def asked(model: Model) -> str:
    """What the person can do in the lobby of a table, in words."""
    v = model.view
    if v.me is None:
        if not model.free_seats:
            return "All seats are taken; you watch."
        if all(v.seats[s].taken for s in model.free_seats):
            return "Bots make room for you: Enter sits down, 1-4 takes that one's seat."
        return "Enter takes a free seat, 1-4 takes that one."
    if asking(v):
        return f"{asking(v)[0].name} asks you to swap seats: Y swaps, N doesn't."
    marked = v.seats[model.seat_cursor]
    if v.seats[v.me].asks is not None:
        return f"You ask {v.seats[v.seats[v.me].asks or 0].name} to swap seats. W takes that back."
    if marked.taken and marked.seat != v.me:
        return f"W asks {marked.name} to swap seats with you. Enter when you are ready."
    if not v.seats[v.me].ready:
        return "Enter when you are ready; 1-4 changes the seat."
    if v.is_host:
        return "S (or Enter) starts; bots fill the free seats. A steps the marked seat through bots, X removes."
    if not starts(v):
        return "You are ready. The host starts when everyone is."
    if not_ready(v):
        return "You are ready. Waiting for " + ", ".join(not_ready(v)) + "."
    return "All are ready. S starts; bots fill the free seats."
