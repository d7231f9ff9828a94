"""Pages that lie over the table: rules, log of plays, last trick, talk, keys, settings, leaving."""

from collections.abc import Iterator, Sequence

from goat_client.game import advice, rulebook
from goat_client.game import review as reviews
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.game.people import others
from goat_client.game.whereabouts import handing, leaving, where
from goat_client.machine.settings import OPTIONS
from goat_client.machine.text import cells, pad, wrap
from goat_client.views import match
from goat_client.views.canvas import Canvas, Part
from goat_client.views.cards import chips
from goat_engine.state import PlayKind, Trick

Row = Sequence[Part]
KEYS_WIDTH = 16  # cells for the names of keys on their page


def draw(canvas: Canvas, model: Model, now: float) -> None:
    """The page that is open, over the whole canvas or as a window in its middle."""
    model.scrolls = False
    if model.page is Page.LEAVE:
        _leave(canvas, model)
    elif model.page is Page.LAST:
        _last(canvas, model)
    elif model.page is Page.WORDS:
        _words(canvas, model)
    else:
        title, rows = rows_of(model, canvas.width - 4)
        scrolled(canvas, model, title, rows)


def window(canvas: Canvas, width: int, height: int, title: str) -> Canvas:
    """A cleared, framed window in the middle; gives its inside."""
    w, h = min(width, canvas.width), min(height, canvas.height)
    area = canvas.sub((canvas.width - w) // 2, (canvas.height - h) // 2, w, h)
    area.fill("")
    return area.box(title, "title")


def scrolled(canvas: Canvas, model: Model, title: str, rows: Sequence[Row]) -> None:
    """Rows in a framed page that scrolls; the model's scroll is kept within what there is."""
    canvas.fill("")
    inner = canvas.box(title)
    most = max(0, len(rows) - inner.height)
    heads = [row[0] if row and not isinstance(row[0], str) else ("", "") for row in rows]
    marked = next((n for n, head in enumerate(heads) if head[1] == "turn"), None)
    if marked is not None and model.page in (Page.SETTINGS, Page.MUTE):  # the marked row is always to be seen
        model.scroll = max(marked - inner.height + 1, min(model.scroll, marked))
    model.scroll, model.scrolls = max(0, min(model.scroll, most)), most > 0
    for y, row in enumerate(rows[model.scroll : model.scroll + inner.height]):
        inner.line(1, y, row, inner.width - 2)
    if most:
        shown = f" {model.scroll + 1}-{min(len(rows), model.scroll + inner.height)} of {len(rows)} "
        canvas.put(canvas.width - cells(shown) - 2, canvas.height - 1, shown, "faint")


def rows_of(model: Model, width: int) -> tuple[str, list[Row]]:
    """Title and rows of a scrolled page."""
    match model.page:
        case Page.RULES:
            rows, here = _rules(model, width)
            if model.scroll < 0:
                model.scroll = here
            return "Rules", rows
        case Page.LOG:
            return "Plays of this deal", _log(model)
        case Page.TALK:
            model.unread = 0
            talk: list[Row] = []
            if model.muted:
                names = ", ".join(model.muted.values())
                text = f"{names} {'is' if len(model.muted) == 1 else 'are'} muted. X changes that."
                talk.extend([(line, "notice")] for line in wrap(text, width))
            for event in model.events.heard(model.muted):
                style = "" if event.talk else "faint"
                talk.extend([(line, style)] for line in wrap(model.glyphs.say(event.text), width))
            return "Talk", talk or [[("Nobody has said anything yet. T says something.", "faint")]]
        case Page.MUTE:
            return "Whom you hear", _mute(model)
        case Page.REVIEW:
            return "What the bot would have played", _review(model, width)
        case Page.REPORT:
            return "The match, deal by deal", match.rows_of(model, width)
        case Page.HINT:
            return "Hint", [[(line, "hint")] for line in wrap(model.glyphs.say(model.hint), width)]
        case Page.SETTINGS:
            return "Settings", _settings(model)
        case _:
            return "Where you are, and the keys", list(_keys(model, width))


def _rules(model: Model, width: int) -> tuple[list[Row], int]:
    rows: list[Row] = []
    here = 0
    section_now = rulebook.section_for(model)
    for section in rulebook.SECTIONS:
        if section.key == section_now:
            here = len(rows)
        rows.append([(section.title, "title")])
        for rule in rulebook.lines_of(section, model.view, model.prompts):
            for line in wrap(model.glyphs.say(rule), width - 2):
                rows.append([("  " + line, "")])
        rows.append([])
    rows.append([("House choices of this table", "title")])
    for line in rulebook.house(model.view, model.prompts):
        rows.extend([("  " + part, "")] for part in wrap(model.glyphs.say(line), width - 2))
    return rows, here


def _log(model: Model) -> list[Row]:
    deal, rows = model.last_deal, []
    if deal is None:
        return [[("No deal yet.", "faint")]]
    for n, trick in enumerate(deal.tricks):
        rows.extend(_log_returned(model, n))
        rows.append([(f"Trick {n + 1}", "title")])
        rows.extend([("  " + advice.told(p, deal, model.glyphs, model.name(p.seat)), "")] for p in trick.plays)
        rows.append([(f"  {model.name(trick.taker)} took it.", "top")])
    rows.extend(_log_returned(model, len(deal.tricks)))
    if deal.plays:
        rows.append([(f"Trick {len(deal.tricks) + 1}", "title")])
        rows.extend([("  " + advice.told(p, deal, model.glyphs, model.name(p.seat)), "")] for p in deal.plays)
    return rows or [[("Nothing has been played yet.", "faint")]]


def _log_returned(model: Model, trick: int) -> list[Row]:
    deal = model.last_deal
    assert deal is not None
    rows: list[Row] = []
    for back in model.view.returned:
        if back.trick == trick:
            for play in back.plays:
                told = advice.told(play, deal, model.glyphs, model.name(play.seat))
                rows.append([(f"  {told} – taken back (molodka)" if not model.glyphs.ascii
                              else f"  {told} - taken back (molodka)", "faint")])  # fmt: skip
    return rows


def _review(model: Model, width: int) -> list[Row]:
    review, g = model.review, model.glyphs
    if review is None or review.note:
        return [[(line, "faint")] for line in wrap(review.note if review is not None else reviews.NOT_OPEN, width)]
    half = min(32, (width - 3) // 2)
    rows: list[Row] = []
    for seat in review.seats:
        own = review.of(seat)
        rows += [[]] if rows else []
        rows.append([(f"{model.name(seat)}: {reviews.summary(own)}", "title")])
        for row in own:
            played = reviews.act_words(row.played, review.cards, g, past=True)
            number = (f"{row.trick:<3}", "faint")
            if row.agreed:
                rows.append([number, (pad(played, half), "name"), (f"{g.check} the bot too", "good")])
                if seat in review.explained:
                    why = reviews.because(row.reason, g)
                    rows.extend([(f"   {line}", "faint")] for line in wrap(g.say(why), width - 3))
                continue
            would = reviews.act_words(row.advised, review.cards, g, past=False)
            rows.append([number, (pad(played, half), "name"), (f"bot: {would}", "asked")])
            rows.extend([(f"   {line}", "hint")] for line in wrap(reviews.remark(row, review.cards, g), width - 3))
    return rows


def _keys(model: Model, width: int) -> Iterator[Row]:
    yield from ([(line, "name")] for line in wrap(where(model), width))
    yield []
    for key, word in model.help:
        for n, line in enumerate(wrap(word, width - KEYS_WIDTH)):
            yield [(f"{'' if n else key:<{KEYS_WIDTH}}", "key"), (line, "")]


def _mute(model: Model) -> list[Row]:
    rows: list[Row] = []
    for n, other in enumerate(others(model.view, model.muted)):
        mark = model.glyphs.pointer if n == model.person else " "
        state = ("muted", "alarm") if other.key in model.muted else ("heard", "faint")
        what = f"person {n}"
        rows.append([(f"{mark} {other.label:<32}", "turn" if n == model.person else "", what), (*state, what)])
    rows = rows or [[("There is nobody else who could talk.", "faint")]]
    hints = ("Enter mutes somebody, or hears them again.", "Nobody is told. It holds while goat runs.")
    rows += [[], *([(hint, "faint")] for hint in hints)]
    return rows


def _settings(model: Model) -> list[Row]:
    rows: list[Row] = []
    for n, option in enumerate(OPTIONS):
        value = getattr(model.settings, option.key)
        shown = {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value) or "–"
        mark = model.glyphs.pointer if n == model.option else " "
        style = "turn" if n == model.option else ""
        value_part = (f"{model.glyphs.say(shown):<10}", "name")
        what = f"option {n}"
        rows.append([(f"{mark} {option.label:<18}", style, what), (*value_part, what), (option.about, "faint", what)])
    rows.append([])
    rows.append([("Up and down choose, left and right change. Kept in the settings file.", "faint")])
    return rows


def last_trick(model: Model) -> Trick | None:
    """The trick closed last in this deal, or in the one that has just ended."""
    deal = model.last_deal
    return deal.tricks[-1] if deal is not None and deal.tricks else None


def _last(canvas: Canvas, model: Model) -> None:
    trick, deal = last_trick(model), model.last_deal
    inner = window(canvas, 46, 9, "Last trick")
    if trick is None or deal is None:
        inner.line(1, 1, [("No trick has been taken in this deal yet.", "faint")])
        return
    for y, play in enumerate(trick.plays):
        hidden = play.kind is PlayKind.DISCARD
        cards = [None] * len(play.slots) if hidden else list(advice.faces(deal, play.slots))
        word = {PlayKind.LEAD: "led", PlayKind.BEAT: "beat with", PlayKind.DISCARD: "discarded"}[play.kind]
        inner.line(1, y + 1, [(f"{model.name(play.seat)} {word} ", "name"), *chips(inner, cards)])
    inner.line(1, 6, [(f"{model.name(trick.taker)} took it.", "top")])


def _words(canvas: Canvas, model: Model) -> None:
    """The table words, large enough to be read to the others."""
    words = model.view.words
    inner = window(canvas, 58, 10, "Read these words aloud, once")
    if not words:
        for y, line in enumerate(wrap("A match with others has six words. They come when it begins.", inner.width - 3)):
            inner.put(2, 1 + y, line, "faint")
        return
    for n, word in enumerate(words):
        inner.line(4 + 17 * (n % 3), 1 + 2 * (n // 3), [(word.upper(), "title")])
    why = (
        "The same words on all screens: nobody sits between you. Others: somebody may, and reads along. "
        "R shows them again."
    )
    for y, line in enumerate(wrap(why, inner.width - 3)):
        inner.put(2, 5 + y, line, "faint")


def closed(canvas: Canvas, model: Model) -> None:
    """That the table is gone and why, whole: what can be done about it may be a command with the name of a file."""
    text = model.view.trouble or "Its host has closed it."
    lines = wrap(model.glyphs.say(text[:1].upper() + text[1:]), min(64, canvas.width) - 4)
    inner = window(canvas, 64, min(canvas.height, len(lines) + 5), "The table is closed")
    for y, line in enumerate(lines[: inner.height - 2]):
        inner.put(1, 1 + y, line)
    inner.line(1, inner.height - 1, [("Enter", "key", "enter"), (" goes on.", "")])


def _leave(canvas: Canvas, model: Model) -> None:
    texts = [text for text in (leaving(model.view), handing(model.view)) if text]
    inner = window(canvas, 58, 10 if len(texts) == 1 else 14, "Leave the table?")
    lines = [line for text in texts for line in (*wrap(model.glyphs.say(text), inner.width - 2), "")]
    for y, line in enumerate(lines[: inner.height - 2]):
        inner.put(1, 1 + y, line)
    keys: Row = [("Enter", "key", "enter"), (" leaves, ", ""), ("Esc", "key", "escape"), (" stays.", "")]
    inner.line(1, inner.height - 1, keys)
