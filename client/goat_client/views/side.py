"""The side panel: defeat points of both teams, tricks, the trick so far, talk. And the two lines around the table."""

from goat_client.game import advice
from goat_client.game.line_edit import Purpose
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.game.people import PHRASES, asked_to_host, asking, not_ready, phrase_of, speaker, starts, watching
from goat_client.game.whereabouts import handing
from goat_client.machine.text import cells, wrap
from goat_client.views import footer
from goat_client.views.canvas import Canvas, Part
from goat_client.views.field import plays_on_view
from goat_engine.cards import points_of
from goat_engine.rules import team_of
from goat_engine.state import DealState, Phase
from goat_engine.view import SeatView
from goat_net.seat.tableview import Stage


def open_points(deal: DealState) -> tuple[int, int]:
    """Points of the cards in each team's tricks as far as this seat knows them: face-up cards, and its own discards.
    What others have discarded is not counted before the end (R11)."""
    points = [0, 0]
    for trick in deal.tricks:
        for play in trick.plays:
            points[team_of(trick.taker)] += points_of(advice.faces(deal, play.slots))
    return points[0], points[1]


def meter(model: Model, value: int, target: int, width: int) -> list[Part]:
    """Defeat points as dots on the way to the goat."""
    g = model.glyphs
    width = min(width, target)
    full = min(width, -(-value * width // target)) if target else 0
    style = "goat" if value * 2 >= target else "meter"
    return [(g.full * full, style), (g.empty * (width - full), "faint")]


def draw(canvas: Canvas, model: Model, now: float) -> None:
    """The whole panel with its frame."""
    if model.view.stage is Stage.LOBBY:
        inner = canvas.box("Talk")
        talk_lines(inner.sub(1, 0, inner.width - 2, inner.height), model)
        return
    inner = canvas.box("Defeat points")
    y = score_lines(inner, model)
    inner.rule(y, "This trick")
    y += 1
    plays = plays_on_view(model)
    deal = model.deal
    for i in range(4):
        if deal is not None and i < len(plays):
            text = advice.told_short(plays[i], deal, model.glyphs, model.name(plays[i].seat))
            if cells(text) > inner.width - 2:
                text = advice.told_short(plays[i], deal, model.glyphs, model.name(plays[i].seat), tight=True)
            inner.line(1, y, [(text, "")], inner.width - 2)
        y += 1
    if model.third_person:
        return  # a replay: nobody talks
    unread = f" {model.unread} new (V)" if model.unread else ""
    inner.rule(y, "Talk" + unread)
    talk_lines(inner.sub(1, y + 1, inner.width - 2, inner.height - y - 1), model)


def score_lines(inner: Canvas, model: Model) -> int:
    """Score and tricks; gives the row after them."""
    v, ours = model.view, model.my_team
    match = v.match
    defeat = match.defeat if match is not None else (0, 0)
    y = 0
    for team in (ours, 1 - ours):
        inner.line(1, y, [(model.team_names(team), "name")], inner.width - 5)
        inner.right(y, [(str(defeat[team]), "goat" if defeat[team] * 2 >= v.rules.target else "name")], 1)
        inner.line(1, y + 1, meter(model, defeat[team], v.rules.target, inner.width - 2))
        y += 2
    deal = model.deal
    if deal is not None:
        pts = open_points(deal)
        inner.line(1, y, [("Tricks", "faint")])
        inner.right(y, [f"{deal.taken(ours)} : {deal.taken(1 - ours)}"], 1)
        inner.line(1, y + 1, [("Points known", "faint")])
        inner.right(y + 1, [f"{pts[ours]} : {pts[1 - ours]}"], 1)
    return y + 2


def talk_lines(area: Canvas, model: Model) -> None:
    """The last lines of talk that fit, oldest first; who watches is told below."""
    rows: list[tuple[str, str]] = []
    for t in model.talk[-area.height :] if area.height else ():
        rows.extend((line, "") for line in wrap(f"{speaker(t)}: {t.text}", area.width))
    if names := watching(model.view):
        rows.extend((line, "faint") for line in wrap("Watching: " + ", ".join(names), area.width))
    for y, (text, style) in enumerate(rows[-area.height :] if area.height else ()):
        area.put(0, y, text, style)


def title_line(canvas: Canvas, model: Model) -> None:
    """The first row: table, deal, trump, stock; at the right the audit."""
    v, g, deal = model.view, model.glyphs, model.deal
    dot = f" {g.dot} "
    parts: list[Part] = [(" Goat", "title"), (dot + (v.table_name or "table"), "")]
    if deal is not None:
        parts.append((f"{dot}deal {v.deal_number}", ""))
        parts += [(f"{dot}trump ", ""), (g.suit(deal.trump), f"ink.{deal.trump}")]
        parts += [(" (shown ", "faint"), (g.card(deal.indicator), f"ink.{deal.trump}"), (")", "faint")]
        parts.append((f"{dot}stock {deal.stock}", ""))
    if not v.fair:
        parts.append((f"{dot}seeded: not fair", "alarm"))
    end = canvas.line(0, 0, parts, canvas.width)
    right: list[Part] = []
    audited = [r.audited for r in v.reports]
    if any(r.blame for r in v.reports):
        right.append((f"{g.cross} cheat found ", "alarm"))
    elif audited and all(audited):
        right.append((f"{g.check} {len(audited)} audited ", "good"))
    if model.log_alarm:
        right.append((f"{g.warning} see log ", "alarm"))
    if right and end + sum(len(p[0]) for p in right) < canvas.width:
        canvas.right(0, right)


def key_line(canvas: Canvas, model: Model) -> None:
    """The last row: the keys that make sense now; or the text field."""
    if model.edit is not None:
        label = f" {model.edit.label}: "
        x = canvas.put(0, 0, label, "asked")
        shown, at = model.edit.shown(canvas.width - x - 1)
        canvas.put(x, 0, shown)
        canvas.set_cursor(x + at, 0)
        return
    footer.draw(canvas, keys_now(model))


def phrases(body: Canvas, model: Model) -> None:
    """The ready phrases over the last rows, while a line of talk is open and empty; or the one that its number is."""
    edit = model.edit
    if edit is None or edit.purpose is not Purpose.TALK:
        return
    meant = phrase_of(edit.text)
    if meant:
        area = body.sub(0, body.height - 1, body.width, 1)
        area.fill("")
        area.line(1, 0, [("Enter", "key"), f" says: {meant} ", ("Type on for a text of your own.", "faint")])
    if edit.text:
        return
    words = [f"{n + 1} {phrase}" for n, phrase in enumerate(PHRASES)]
    rows: list[list[str]] = [[]]
    for word in words:
        if rows[-1] and cells("  ".join([*rows[-1], word])) > body.width - 2:
            rows.append([])
        rows[-1].append(word)
    area = body.sub(0, body.height - len(rows), body.width, len(rows))
    area.fill("")
    for y, row in enumerate(rows):
        parts: list[Part] = []
        for word in row:
            number, _, text = word.partition(" ")
            parts += [("  " if parts else "", ""), (number, "key"), (f" {text}", "")]
        area.line(1, y, parts, area.width - 1)


def keys_now(model: Model) -> list[footer.Item]:
    """The keys below the table beside K, those that matter most first."""
    offered = asked_to_host(model.view) and not model.page.value and model.view.terms is None
    take: list[footer.Item] = [("A", "take the table", "add bot"), ("N", "don't", "decline")] if offered else []
    return [*take, *_table_keys(model)]


def _table_keys(model: Model) -> list[footer.Item]:
    v, sv = model.view, model.seat_view
    if model.page.value:
        return _page_keys(model)
    if v.stage is Stage.CLOSED:  # nothing else does anything any more
        return [("Enter", "go on", "enter"), ("Q", "leave", "leave"), ("G", "log", "log"), ("V", "talk", "talk page")]
    rest: list[footer.Item] = [("T", "talk", "talk"), ("Q", "leave", "leave"), ("?", "rules", "rules")]
    if v.terms is not None:
        return [("Y", "accept", "yield"), *rest]
    gone = next((a for a in v.absences if a.may_vote), None)
    if gone is not None:
        ways = enumerate((("W", "wait on"), ("E", "let go"), ("C", "charge")))
        votes = [(key, word, f"vote {n}") for n, (key, word) in ways if n in gone.choices]
        return [*votes, *rest, ("G", "log", "log")]
    offered = any(s.free for s in v.seats) if v.takes is None else v.stage is not Stage.OVER
    if v.me is None and v.stands_in is None and offered:
        rest = [("S", "sit down" if v.takes is None else "watch on", "start"), *rest]
    if v.stage is Stage.LOBBY:
        return [*_lobby_keys(model), *rest]
    if model.report_due and model.coach:
        return [("P", "play easy bots", "pause"), ("Enter", "end", "enter"), ("?", "rules", "rules")]
    if model.report_due:
        again = "next deal"
        if v.me is None and v.stage is Stage.BETWEEN and model.report_all:
            return [*rest, ("G", "log", "log")]  # nobody waits for who watches
        if v.stage is Stage.OVER:
            again = "play again" if model.finale else "go on"
        word = "match report" if model.finale else "review"
        review = [("H", word, "hint")] if model.settings.hints and v.me is not None else []
        return [("Enter", again, "enter"), *review, *rest, ("G", "log", "log")]
    if model.held is not None:
        return [("any key", "go on", "enter"), *rest]
    words = [("R", "words", "words")] if v.words else []
    if sv is None or not sv.owes or v.stage is not Stage.PLAY:
        claim = [("M", "molodka", "molodka")] if model.may_claim else []
        return [*claim, *rest, ("L", "last trick", "last"), ("G", "log", "log"), *words]
    hint = [("H", "hint", "hint")] if model.settings.hints and v.hints else []
    return [*_play_keys(model, sv), *hint, *rest, ("L", "last trick", "last"), ("G", "log", "log"), *words]


def _play_keys(model: Model, sv: SeatView) -> list[footer.Item]:
    can_beat = any(not why for why in model.reasons().values())
    beat = [("Enter", "beat", "enter")] if can_beat else []
    play: dict[Phase, list[footer.Item]] = {
        Phase.LEAD: [("1-4", "choose", ""), ("Enter", "lead", "enter")],
        Phase.ANSWER: [("1-4", "choose", ""), *beat, ("D", "discard", "discard")],
        Phase.ASK: [("M", "take over", "molodka"), ("Y", "let it stand", "yield")] if model.may_claim else [],
    }
    claim = [("M", "molodka", "molodka")] if model.may_claim and sv.deal.phase is not Phase.ASK else []
    return [*play.get(sv.deal.phase, []), *claim]


def _lobby_keys(model: Model) -> list[footer.Item]:
    v = model.view
    host = [("A", "bot", "add bot"), ("X", "remove", "remove"), ("S", "start", "start")] if v.is_host else []
    host = host or ([("S", "start", "start")] if starts(v) and not not_ready(v) else [])
    other = v.me is not None and v.seats[model.seat_cursor].taken and model.seat_cursor != v.me
    swap = [("W", "swap", "vote 0")] if other else []
    if asking(v):
        swap = [("Y", "swap", "yield"), ("N", "don't", "decline")]
    return [*swap, ("1-4", "seat", ""), ("Enter", "ready", "enter"), *host]


def _page_keys(model: Model) -> list[footer.Item]:
    scroll: list[footer.Item] = [("arrows", "scroll", "")] if model.scrolls else []
    match model.page:
        case Page.LEAVE:
            give = [("1-4", "hand it over", "")] if handing(model.view) else []
            return [("Enter", "leave", "enter"), ("Q", "leave", "leave"), ("Esc", "stay", "escape"), *give]
        case Page.TALK:
            return [("Esc", "close", "escape"), *scroll, ("T", "talk", "talk"), ("X", "mute", "remove")]
        case Page.REPORT:
            jump: list[footer.Item] = []
            if model.match_report is not None and model.match_report.mistakes:
                jump = [("Enter", "look at it", "enter"), ("left, right", "choose", "right")]
            return [*jump, ("Esc", "close", "escape"), *scroll]
        case Page.MUTE:
            return [("Esc", "close", "escape"), ("up, down", "choose", ""), ("Enter", "mute or hear", "enter")]
        case Page.SETTINGS:
            return [("Esc", "close", "escape"), ("up, down", "choose", ""), ("left, right", "change", "")]
        case Page.WORDS:
            return [("Enter", "close", "enter"), ("Esc", "close", "escape")]
        case _:
            return [("Esc", "close", "escape"), *scroll, ("Q", "close", "escape")]
