"""The lobby: tables on this network, what one can do, forms and lists."""

from goat_client.game.lobby_model import FORM, HOUSE, MENU, OWN, LobbyModel, Place, TableRow
from goat_client.game.moment import Page
from goat_client.machine.text import cells, pad, wrap
from goat_client.views import footer, pages
from goat_client.views.canvas import Canvas, Part
from goat_client.views.screen import LEAST_HEIGHT, LEAST_WIDTH, too_small

STATES = {"lobby": "open", "playing": "playing", "paused": "paused", "over": "over"}


def draw(model: LobbyModel, width: int, height: int, now: float) -> Canvas:
    """The screen of the lobby at this size."""
    m = model.inner
    canvas = Canvas(width, height, m.glyphs)
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        too_small(canvas)
        return canvas
    name = m.settings.name or "no name yet (O)"
    canvas.line(0, 0, [(" Goat", "title"), (f" {m.glyphs.dot} four cards, two teams, one goat", "faint")])
    canvas.right(0, [(f"{name} ", "name")])
    body = canvas.sub(0, 1, width, height - 2)
    if m.page is not Page.NONE:
        pages.draw(body, m, now)
    elif model.place is Place.HOST:
        _form(body, model)
    elif model.place in (Place.REPLAYS, Place.RESUME):
        _saved(body, model)
    else:
        _main(body, model)
    if m.notice and (m.page or model.place is not Place.MAIN):  # where nothing else shows it
        row = canvas.sub(0, height - 2, width, 1)
        row.fill("")
        row.line(1, 0, [(m.notice, "notice")])
    _keys(canvas.sub(0, height - 1, width, 1), model)
    return canvas


def _main(body: Canvas, model: LobbyModel) -> None:
    menu_width = 26
    tables = body.sub(0, 0, body.width - menu_width, body.height).box("Tables on this network")
    menu = body.sub(body.width - menu_width, 0, menu_width, body.height).box("What now?")
    y = 1
    for n, row in enumerate(model.rows[: max(0, tables.height - 6)]):
        y = _table(tables, y, n, row, model)
    if not model.rows:
        tables.line(2, y, [(model.inner.glyphs.say("Looking for tables…"), "faint")])
        y += 2
    notes: list[tuple[str, str]] = []
    if model.inner.notice:
        notes.append((model.inner.notice, "notice"))
    if model.message:
        notes.append((model.message, "alarm"))
    notes.extend((h, "faint") for h in model.door.hints())
    y += 1
    for text, style in notes:
        for line in wrap(model.inner.glyphs.say(text), tables.width - 4):
            tables.put(2, y, line, style)
            y += 1
    wide = menu.height >= 2 * len(MENU)
    for n, (command, key, words) in enumerate(MENU):
        marked = model.at == command
        mark = model.inner.glyphs.pointer if marked else " "
        at = 1 + n * (2 if wide else 1)
        menu.line(1, at, [(f"{mark} ", "turn" if marked else "", command), (f"{key}  ", "key", command),
                          (words, "turn" if marked else "", command)])  # fmt: skip


def _table(area: Canvas, y: int, n: int, row: TableRow, model: LobbyModel) -> int:
    g = model.inner.glyphs
    marked = model.at == row.key
    what = f"row {n + 1}" if n < 9 else ""
    seats = g.full * row.seats_taken + g.empty * (4 - row.seats_taken)
    trip = f"{row.round_trip * 1000:.0f} ms" if row.round_trip is not None else g.dash
    state = STATES.get(row.state, row.state) if row.version_ok else "other version"
    if row.code_needed:
        state += ", code"
    number = f"{n + 1}" if n < 9 else " "
    style = "turn" if marked else "name" if row.joinable else "faint"
    head: list[Part] = [(f" {g.pointer if marked else ' '} {number}  {pad(area.fit(row.name), 18)}", style, what)]
    head += [(f"  {seats}", "good" if row.joinable else "faint", what), (f"  {state}", "faint", what)]
    room = area.width - 1 - sum(cells(p[0]) for p in head)
    tail = f"  {row.address}  {trip}"
    if row.own and row.version_ok:
        area.line(0, y, head)
        area.line(6, y + 1, [(OWN, "asked", what), (tail, "faint", what)], area.width - 7)
        return y + 2
    if cells(tail) <= room:
        head.append((tail, "faint", what))
        area.line(0, y, head)
        return y + 1
    area.line(0, y, head)
    area.line(6, y + 1, [(tail.strip(), "faint", what)])
    return y + 2


def _form(body: Canvas, model: LobbyModel) -> None:
    inner = pages.window(body, 64, 26 if body.height >= 26 else 16, "Host a table")
    f, g = model.form, model.inner.glyphs
    words = {
        "go": ("Open the table", ""),
        "name": ("Name", f.get("name", "")),
        "bots": ("Bots on the free seats", f.get("bots") or "wait for people"),
        "code": ("Code word", f.get("code") or "none: anyone on this network may sit down"),
        "watch": ("Watchers", f.get("watch", "")),
        "hints": ("Hints", f.get("hints", "")),
    }
    words |= {rule.key: (rule.label, rule.shown(model.house[rule.key])) for rule in HOUSE}
    apart = 2 if inner.height > 2 * len(FORM) + 1 else 1
    for n, key in enumerate(FORM):
        label, value = words[key]
        marked = key == model.entry
        what = f"entry {key}"
        inner.line(2, 1 + apart * n, [(f"{g.pointer if marked else ' '} {label}", "turn" if marked else "name", what),
                                  (f"  {value}", "", what)], inner.width - 3)  # fmt: skip
    hint = {"go": "Enter opens it. Friends see it in their lobby.", "name": "Enter edits.",
            "bots": "Left, right: a level.", "code": "Enter types one, right makes one.",
            "watch": "Left, right.",
            "hints": "Left, right: whether H tells what a bot would play.",
            **{rule.key: f"Left, right: {rule.help}." for rule in HOUSE}}[model.entry]  # fmt: skip
    for y, line in enumerate(wrap(hint, inner.width - 4)[:2]):
        inner.put(2, inner.height - 2 + y, line, "faint")


def _saved(body: Canvas, model: LobbyModel) -> None:
    title = "Continue a match" if model.place is Place.RESUME else "Saved matches"
    inner = body.box(title)
    some = model.matches()
    if not some:
        inner.line(2, 1, [("None yet: every match you play is saved.", "faint")])
    first = max(0, model.line - inner.height + 1)
    for y, saved in enumerate(some[first : first + inner.height]):
        marked = first + y == model.line
        mark = model.inner.glyphs.pointer if marked else " "
        style, what = "turn" if marked else "", f"line {first + y}"
        inner.line(1, y, [(f"{mark} {saved.about}", style, what)], inner.width - 2)


def _keys(line: Canvas, model: LobbyModel) -> None:
    m = model.inner
    if m.edit is not None:
        x = line.put(0, 0, f" {m.edit.label}: ", "asked")
        shown, at = m.edit.shown(line.width - x - 1)
        line.put(x, 0, shown)
        line.set_cursor(x + at, 0)
        return
    footer.draw(line, keys_now(model))


def keys_now(model: LobbyModel) -> list[footer.Item]:
    """What keys do here, beside K."""
    m = model.inner
    back: footer.Item = ("Esc", "back", "escape")
    if m.page is not Page.NONE:
        scroll: list[footer.Item] = [("arrows", "scroll", "")] if m.scrolls else []
        change: list[footer.Item] = [("up, down", "choose", ""), ("left, right", "change", "")]
        return [*(change if m.page is Page.SETTINGS else scroll), back]
    if model.place is Place.HOST:
        return [("Enter", "open, or change", "enter"), ("up, down", "choose", ""), ("left, right", "change", ""), back]
    if model.place is not Place.MAIN:
        if not model.matches():
            return [back]
        here: list[footer.Item] = [("Enter", "replay", "enter")]
        if model.place is Place.RESUME:
            here = [("Enter", "at its table", "enter"), ("H", "open it here", "host")]
        return [*here, ("up, down", "choose", ""), back]
    tables: list[footer.Item] = [("1-9, Enter", "sit down", "enter"), ("W", "watch", "watch")] if model.rows else []
    first = tables or [("Enter", "choose", "enter")]
    return [*first, ("P", "bots", "bots"), ("H", "host", "host"), ("A", "address", "address"), ("Q", "quit", "quit")]
