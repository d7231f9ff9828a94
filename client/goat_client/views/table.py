"""The table panel: four seats around the trick, the hand below, and what is asked of this person beside it."""


from goat_client.game import advice
from goat_client.game.carried import terms_words
from goat_client.game.choice import forced
from goat_client.game.model import Model
from goat_client.game.people import asked_to_host, free_words, host_name, stands_in_words
from goat_client.machine.text import cells, cut, wrap
from goat_client.views.canvas import Canvas
from goat_client.views.cards import HAND_CARD, LARGE_CARD, Size, hand_card
from goat_client.views.field import LARGE_HEIGHT, LARGE_WIDTH, backs, draw_compact, draw_large, draw_roomy, seat_title
from goat_engine.actions import Discard
from goat_engine.rules import HAND_SIZE
from goat_engine.state import Phase
from goat_net.seat.tableview import Stage

LATE = 15.0  # seconds left on one's own clock from which it is shown as an alarm
HAND_WIDTH = 96  # columns for hand and words on a large window
ROOMY_ROWS = 19
"""Inner rows from which the trick is drawn with framed cards; below that as chips in one line."""


def draw(canvas: Canvas, model: Model, now: float) -> None:
    """The whole panel with its frame; the partner's name stands in the upper edge."""
    inner = canvas.box()
    across = (model.bottom + 2) % 4
    large = inner.width >= LARGE_WIDTH and inner.height - LARGE_CARD.height - 1 >= LARGE_HEIGHT
    size = LARGE_CARD if large else HAND_CARD
    high = size.height + 1  # one row more, for lifted cards
    hand_y = inner.height - high
    roomy = hand_y >= ROOMY_ROWS - high and inner.width >= 50
    if not large or model.deal is None:  # there the name stands beside the cards
        canvas.centre(0, [" ", *seat_title(model, across), " "])
    field = inner.sub(0, 0, inner.width, max(0, hand_y))
    if model.deal is None:
        _waiting(field, model)
        return
    (draw_large if large else draw_roomy if roomy else draw_compact)(field, model)
    hand = inner.sub(0, max(0, hand_y), inner.width, high)
    if large:  # below the middle of the table, not in a corner
        wide = min(hand.width, HAND_WIDTH)
        hand = hand.sub((hand.width - wide) // 2, 0, wide, high)
    draw_hand(hand, model, size)


def _waiting(canvas: Canvas, model: Model) -> None:
    texts = {
        Stage.JOINING: "Joining the table…",
        Stage.STARTING: "The match is being set up by all four…",
        Stage.DEALING: "Shuffling: all four lock the deck…",
    }
    asked = " ".join(terms_words(model.view.terms, model.prompts))
    if asked:
        lines = wrap(model.glyphs.say(asked), canvas.width - 2)
        top = max(0, (canvas.height - len(lines)) // 2)
        for row, line in enumerate(lines):
            canvas.centre(top + row, [(line, "alarm")])
        return
    text = model.glyphs.say(texts.get(model.view.stage, "Waiting for the table…"))
    canvas.centre(canvas.height // 2, [(text, "faint")])


def draw_hand(canvas: Canvas, model: Model, size: Size) -> None:
    """Own cards with what is asked beside them. Chosen cards are lifted by a row."""
    deal = model.deal
    if deal is None:
        return
    x = 2
    if model.my_seat is None:
        watch_lines(canvas, model)
        return
    why = model.reasons()
    if all(why.values()):
        why = {}  # nothing can beat: then every card is as good as another to discard
    sent = sent_slots(model)
    places = [(s, c) for s, c in model.hand if s not in sent]
    for at, (slot, card) in enumerate(places):
        lifted = slot in model.chosen
        marked = at == model.cursor and model.on_turn
        hand_card(
            canvas, x, 0 if lifted else 1, card, str(at + 1), size, lifted=lifted,
            dimmed=bool(why.get(slot)), marked=marked, what=f"card {at + 1}",
        )  # fmt: skip
        if not lifted and (why.get(slot) or slot in model.fresh):
            canvas.put(x + 1, 0, f" {model.glyphs.cross} " if why.get(slot) else "new", "faint")
        x += size.width + 1
    missing = deal.hand_size(model.my_seat) - len(model.hand) if model.my_seat is not None else 0
    for _ in range(max(0, missing)):
        hand_card(canvas, x, 1, None, canvas.glyphs.frame[4], size, lifted=False, dimmed=True, marked=False, what="")
        x += size.width + 1
    x = 2 + HAND_SIZE * (size.width + 1)  # where it stands with a full hand: words should not jump as cards go
    side = canvas.sub(x + 1, 0, canvas.width - x - 2, canvas.height)
    lines = prompt(model, side.width)
    if len(lines) > side.height:
        lines = [line for line in lines if line[1] != "asked"] if model.hint else lines
    for row, (text, style) in enumerate(lines[: side.height]):
        more = row == side.height - 1 and len(lines) > side.height
        mark = f"{model.glyphs.ellipsis} H" if model.hint else model.glyphs.ellipsis
        side.put(0, row, f"{cut(text, side.width - cells(mark) - 1, '')} {mark}" if more else text, style)


def watch_lines(canvas: Canvas, model: Model) -> None:
    """For somebody who watches: who sits below, and in place of a hand what is to be said."""
    canvas.centre(0, [*seat_title(model, model.bottom), "  ", *backs(canvas, model, model.bottom)])
    lines = prompt(model, canvas.width - 4)
    if len(lines) < canvas.height - 1:
        lines.append((model.glyphs.say("You watch – the hands stay with their players."), "faint"))
    for row, (text, style) in enumerate(lines[: canvas.height - 1]):
        canvas.put(2, row + 1, text, style)


def sent_slots(model: Model) -> frozenset[int]:
    """Own slots that are on their way to the table."""
    slots = getattr(model.view.pending, "slots", ())
    return frozenset(s for s in slots if s is not None)


def prompt(model: Model, width: int) -> list[tuple[str, str]]:
    """What is asked, and what is to be said about it, as wrapped lines with styles; most urgent first."""
    out: list[tuple[str, str]] = []
    for text, style in prompt_parts(model):
        out.extend((line, style) for line in wrap(model.glyphs.say(text), width))
    return out


def prompt_parts(model: Model) -> list[tuple[str, str]]:
    """The sentences of the prompt, not yet wrapped: (text, style)."""
    v, sv = model.view, model.seat_view
    asked, alarms = _main(model), _alarms(model)
    parts: list[tuple[str, str]] = []
    if model.notice:
        parts.append((model.notice, "notice"))
    if model.hint:
        parts.append((model.hint, "hint"))
    # What one is asked for comes before what others keep waiting for; else the other way round.
    parts += [asked, *alarms] if model.on_turn else [*alarms, asked]
    if v.clock is not None and model.held is None and v.stage is Stage.PLAY:
        own = v.clock.seat == model.my_seat
        late = own and not v.clock.stands and v.clock.left <= LATE
        parts.append((advice.clock_text(v.clock).capitalize() + ".", "alarm" if late else "faint"))
    if sv is not None and model.may_claim and model.held is None:
        mine = "M leads all four: a molodka!" if model.leads_molodka else "M: you hold a molodka! Claim the lead."
        parts.insert(0, (mine, "offer"))
    return parts


def _alarms(model: Model) -> list[tuple[str, str]]:
    v = model.view
    if v.stage is Stage.CLOSED:
        return []  # why stands in a window over it, and nobody is waited for any more
    texts = [v.trouble, v.host_blame, *terms_words(v.terms, model.prompts), *about_absent(model)]
    if asked_to_host(v):
        texts.insert(0, model.prompts.take_over_table.format(name=host_name(v)))
    if not v.link:
        texts.insert(0, "The connection is being made again… Q leaves.")
    if v.paused_by:
        texts.append(model.prompts.paused.format(name=v.paused_by))
    return [(text, "alarm") for text in texts if text]


def about_absent(model: Model) -> list[str]:
    """Who keeps the table waiting, and a seat that a bot holds for this person."""
    v = model.view
    names = [model.name(s) for s in range(4)]
    out = [advice.own_absence(a, v.stage) for a in v.absences if a.seat == v.me]
    out += [advice.absent(a, names[a.seat], names, model.prompts, v.stage) for a in v.absences if a.seat != v.me]
    out.append(stands_in_words(v, model.prompts.go_on))
    out += free_words(v, model.prompts.sit)
    return [text for text in out if text]


def _main(model: Model) -> tuple[str, str]:
    v, deal, sv = model.view, model.deal, model.seat_view
    if deal is None:
        return ("", "")
    if model.held is not None:
        return (f"{advice.verb(model.name(model.held.taker), 'takes')} the trick.", "top")
    if v.pending is not None:
        return ("Sent, not yet at the table…", "faint")
    if v.stage is Stage.OPENING or deal.phase is Phase.OVER:
        return ("The deal is over: all cards are being opened and checked…", "faint")
    if v.stage is Stage.DEALING:
        return ("Shuffling: all four lock the deck…", "faint")
    if sv is not None and sv.owes:
        if deal.phase is Phase.ASK and not sv.may_claim:
            return (f"{model.name(deal.claimant or 0)} claims a molodka. You hold none and pass by yourself.", "faint")
        if deal.phase is Phase.LEAD and not v.may_act:
            return ("Your lead; the drawn cards are being opened to you…", "faint")
        can_beat = any(not r for r in model.reasons().values())
        only = forced(sv)
        how = model.prompts.forced_discard if isinstance(only, Discard) else model.prompts.forced_play
        tail = "" if only is None else f" {how}"
        return (f"Your turn: {advice.asked(sv, model.glyphs, can_beat=can_beat)}.{tail}", "asked")
    if deal.turn is None:
        return ("", "")
    what = {Phase.LEAD: "leads", Phase.ANSWER: "is to answer", Phase.ASK: "is asked for a molodka of their own",
            Phase.SHOW: "shows a molodka"}  # fmt: skip
    return (f"{model.name(deal.turn)} {what.get(deal.phase, '')}…", "faint")

