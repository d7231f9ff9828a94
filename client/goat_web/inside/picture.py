"""What a page shows, as plain data for JSON: a function of the model, like the views of the terminal.

Sentences come from where the terminal has them. A card is a dictionary with its ``suit`` 0-3, its ``rank`` 0-8, what is
written on it and its ``name`` in words; a card that lies face down is None. Places are counted from the person: 0 is
their own (bottom), 1 the left, 2 the partner's, 3 the right.
"""

from copy import copy
from dataclasses import replace
from typing import Any, Final

from goat_client.game import advice, narration
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.game.people import PHRASES, asking, free_words, not_ready, speaker, stands_in_words, starts, watching
from goat_client.game.rulebook import agreed
from goat_client.machine.glyphs import UNICODE, spoken
from goat_client.views.field import plays_on_view
from goat_client.views.pages import rows_of
from goat_client.views.side import keys_now, open_points

from goat_engine.cards import RANKS, Card, points_of
from goat_engine.rules import SEATS, team_of
from goat_engine.state import Phase, PlayKind
from goat_net.seat.tableview import DealReport, Stage

TALK_SHOWN: Final = 50  # lines of talk that a page gets; a session keeps 200
WIDE: Final = 10_000  # cells: a page wraps its lines itself
BUTTONS: Final = frozenset(
    {"enter", "beat", "discard", "molodka", "yield", "decline", "hint", "start", "add bot", "remove"}
)
"""Commands of the moment, which get a button; votes do too. All others are pages, and a page has them in its menu."""

ALOUD: Final = replace(UNICODE, words=True)


def aloud(model: Model) -> Model:
    """The same model for what a screen reader says: cards and suits in words."""
    read = copy(model)
    read.glyphs = ALOUD
    return read


def picture(model: Model, now: float) -> dict[str, Any]:
    """Everything on the screen."""
    v = model.view
    return {
        "stage": v.stage.value,
        "link": v.link,
        "table": v.table_name,
        "mine": model.on_turn,
        "trouble": v.trouble or v.host_blame,
        "notice": model.notice,
        "hint": model.hint,
        "asked": asked(model),
        "actions": actions(model),
        "seats": [seat(model, s) for s in SEATS],
        "me": v.me,
        "host": v.is_host,
        "fair": v.fair,
        "words": list(v.words),
        "watchers": watching(v),
        "house": list(agreed(v.house)),
        "lines": lines(model),
        "deal": deal(model),
        "hand": hand(model),
        "score": score(model),
        "clock": clock(model),
        "report": report(model, now),
        "page": page(model),
        "phrases": list(PHRASES),
        "last": last(model),
        "talk": [{"who": speaker(t), "text": t.text, "mine": t.key == v.own_key} for t in model.talk[-TALK_SHOWN:]],
        "unread": model.unread,
        "colours": model.settings.four_colours,
    }


def card(value: Card) -> dict[str, Any]:
    """A card that is seen."""
    return {"suit": value // 9, "rank": value % 9, "label": RANKS[value % 9], "name": spoken(value)}


def asked(model: Model) -> str:
    """What is asked of the person now, or whom the table waits for."""
    v, sv = model.view, model.seat_view
    if v.stage is Stage.LOBBY:
        return asked_in_lobby(model)
    if v.paused_by:
        return model.prompts.paused.format(name=v.paused_by)
    if sv is None or v.stage is not Stage.PLAY:
        return ""
    if model.on_turn and sv.deal.phase is Phase.ASK and not sv.molodka:
        return ""  # the answer is a yield, and the client gives it by itself in the time of R17
    if model.on_turn:
        can = any(not why for why in model.reasons().values())
        return f"Your turn: {advice.asked(sv, model.glyphs, can_beat=can)}."
    turn = sv.deal.turn
    return f"{model.name(turn)} is to play." if turn is not None and turn != v.me else ""


def asked_in_lobby(model: Model) -> str:
    """What a guest can do before the match."""
    v = model.view
    if v.me is None:
        return "Tap a free seat to sit down." if model.free_seats else "All seats are taken; you watch."
    if asking(v):
        return f"{asking(v)[0].name} asks you to swap seats."
    other = v.seats[v.me].asks
    if other is not None:
        return f"You ask {v.seats[other].name} to swap seats."
    if not v.seats[v.me].ready:
        return "Say when you are ready. Partners sit opposite each other."
    if not starts(v):
        return "You are ready. The host starts when everyone is."
    if not_ready(v):
        return "You are ready. Waiting for " + ", ".join(not_ready(v)) + "."
    return "All are ready. Start; bots fill the free seats."


def actions(model: Model) -> list[dict[str, str]]:
    """What can be done now: the buttons below the hand, the likeliest first."""
    return [{"word": w, "command": c} for _, w, c in keys_now(model) if c in BUTTONS or c.startswith("vote")]


def lines(model: Model) -> list[str]:
    """Sentences about absent seats and seats that change hands."""
    v, names = model.view, [model.name(s) for s in SEATS]
    out = []
    for absence in v.absences:
        if absence.seat == v.me:
            out.append(advice.own_absence(absence, v.stage))
        else:
            out.append(advice.absent(absence, names[absence.seat], names, model.prompts, v.stage))
    out.append(stands_in_words(v, model.prompts.go_on))
    out.extend(free_words(v, model.prompts.sit))
    return [line for line in out if line]


def seat(model: Model, number: int) -> dict[str, Any]:
    """A seat and who is on it."""
    v, info = model.view, model.view.seats[number]
    state = v.deal
    return {
        "seat": number,
        "place": (number - model.bottom) % 4,
        "name": model.name(number) if info.taken or info.name else "",
        "called": info.name,
        "taken": info.taken,
        "bot": info.bot,
        "level": info.level,
        "operator": info.operator,
        "page": info.page,
        "ready": info.ready or number in v.ready,
        "away": info.away,
        "host": info.host,
        "changed": info.changed_key,
        "asks": info.asks,
        "turn": state is not None and state.turn == number and v.stage is Stage.PLAY,
        "dealer": state is not None and state.dealer == number,
        "cards": state.hand_size(number) if state is not None else 0,
        "marked": v.stage is Stage.LOBBY and model.seat_cursor == number,
    }


def deal(model: Model) -> dict[str, Any] | None:
    """The trick on the table, trump and stock."""
    state = model.deal
    if state is None:
        return None
    plays = []
    for play in plays_on_view(model):
        hidden = play.kind is PlayKind.DISCARD
        known = advice.faces(state, play.slots)
        faces = [None] * len(play.slots) if hidden else [card(c) for c in known]
        plays.append({
            "seat": play.seat, "place": (play.seat - model.bottom) % 4, "kind": play.kind.value, "cards": faces,
            "told": advice.told(play, state, ALOUD, model.name(play.seat)),
        })  # fmt: skip
    held = model.held
    return {
        "number": model.view.deal_number,
        "trump": state.trump,
        "indicator": card(state.indicator),
        "stock": state.stock,
        "plays": plays,
        "taker": (held.taker - model.bottom) % 4 if held is not None else None,
        "taken": f"{advice.verb(model.name(held.taker), 'takes')} the trick." if held is not None else "",
    }


def hand(model: Model) -> list[dict[str, Any]]:
    """Own cards, trump last; ``why``: why a card can take no part in a beat, or empty."""
    reasons = aloud(model).reasons()
    return [
        card(c) | {"chosen": s in model.chosen, "fresh": s in model.fresh, "why": reasons.get(s, "")}
        for s, c in model.hand
    ]


def score(model: Model) -> dict[str, Any] | None:
    """Defeat points, tricks and points seen; one's own team first."""
    match = model.view.match
    if match is None:
        return None
    order = (model.my_team, 1 - model.my_team)
    seen = open_points(model.deal) if model.deal is not None else None
    return {
        "teams": [model.team_names(t) for t in order],
        "defeat": [match.defeat[t] for t in order],
        "target": model.view.rules.target,
        "tricks": [model.deal.taken(t) for t in order] if model.deal is not None else None,
        "seen": [seen[t] for t in order] if seen is not None else None,
    }


def clock(model: Model) -> dict[str, Any] | None:
    """The turn clock, if this table has one."""
    found = model.view.clock
    return None if found is None else {"seat": found.seat, "text": advice.clock_text(found), "left": found.left}


def report(model: Model, now: float) -> dict[str, Any] | None:
    """The end of a deal with all cards open, as far as it has been revealed; and of a match."""
    found = model.report
    if found is None or model.held is not None:
        return None
    out: dict[str, Any] = {
        "number": found.number, "done": model.report_done(now), "tricks": [], "lines": [], "finale": "",
    }  # fmt: skip
    if found.opened is not None:
        for trick in found.opened.tricks[: model.revealed(now)]:
            plays = [
                {"name": model.name(p.seat), "hidden": p.kind is PlayKind.DISCARD, "took": p.seat == trick.taker,
                 "cards": [card(c) for c in advice.faces(found.opened, p.slots)]}
                for p in trick.plays
            ]  # fmt: skip
            worth = sum(points_of(advice.faces(found.opened, p.slots)) for p in trick.plays)
            out["tricks"].append({"plays": plays, "taker": model.name(trick.taker), "worth": worth,
                                  "ours": team_of(trick.taker) == model.my_team})  # fmt: skip
    if out["done"]:
        out["lines"] = _ending(model, found)
    if model.finale:
        out["finale"] = " ".join(narration.finale(model, model.view))
    return out


def _ending(model: Model, found: DealReport) -> list[str]:
    lines = list(narration.verdict(model, found))
    if found.blame is None:
        lines.append("Checked here card by card: all good." if found.audited else "Being checked.")
    return lines


def last(model: Model) -> list[str]:
    """The last trick; face-down cards are only counted (R11)."""
    state = model.last_deal
    if state is None or not state.tricks:
        return ["No trick has been taken in this deal yet."]
    trick = state.tricks[-1]
    told = [narration.play_line(model, play, state) for play in trick.plays]
    return [*told, f"{advice.verb(model.name(trick.taker), 'took')} it."]


def page(model: Model) -> dict[str, Any] | None:
    """A page over the table: its title and its lines, each a list of (text, style)."""
    if model.page in (Page.NONE, Page.LEAVE, Page.LAST, Page.TALK, Page.WORDS, Page.HINT):
        return {"name": model.page.value, "title": "", "rows": []} if model.page else None
    title, rows = rows_of(model, WIDE)
    plain = [[(p, "") if isinstance(p, str) else (p[0].strip(), p[1]) for p in row] for row in rows]
    return {"name": model.page.value, "title": title, "rows": plain}
