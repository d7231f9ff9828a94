"""The middle of the table panel: four seats around the trick, as large as there is room for."""

from collections.abc import Sequence
from typing import Final

from goat_client.game import advice
from goat_client.game.model import Model
from goat_client.views.canvas import Canvas, Part
from goat_client.views.cards import BIG, SMALL, Size, chips, table_card
from goat_engine.cards import Card
from goat_engine.rules import Seat
from goat_engine.state import DealState, Phase, Play, PlayKind
from goat_net.seat.tableview import Stage

LARGE_WIDTH, LARGE_HEIGHT = 76, 26
"""Columns and rows of the field from which the table stands in its middle, with trump and stock on it."""
CLOTH_WIDTH, CLOTH_HEIGHT = 76, 26
"""The table itself is no larger than this: on a giant window the players stay around it."""
LEAST_CLOTH: Final = 3 * BIG.height + 6  # rows: three plays of big cards with their words
SIDE_NAMES: Final = 18  # columns for a player beside the table


def seat_title(model: Model, seat: Seat) -> list[Part]:
    """A seat's name with what is to be known about it: partner, bot, away, whose turn."""
    info, deal = model.view.seats[seat], model.deal
    turn = deal is not None and deal.turn == seat and model.held is None and model.view.stage is Stage.PLAY
    name: list[Part] = [(f"{model.glyphs.pointer} ", "turn")] if turn else []
    name.append((model.name(seat), "turn" if turn else "name"))
    notes = []
    if seat == (model.bottom + 2) % 4 and model.my_seat is not None and not model.third_person:
        notes.append("partner")
    if info.bot:
        notes.append("bot")
    if info.away:
        notes.append(f"away {int(info.away_for)} s" if info.away_for else "away")
    if notes:
        name.append((f" ({', '.join(notes)})", "alarm" if info.away else "faint"))
    if info.changed_key:
        name.append((" key changed!", "alarm"))
    return name


def plays_on_view(model: Model) -> tuple[Play, ...]:
    """The cards on the table: those of a trick just closed while it is held, else the present ones."""
    if model.held is not None:
        return model.held.plays
    return model.deal.plays if model.deal is not None else ()


def top_seat(model: Model) -> Seat | None:
    """Who takes the trick as it stands."""
    up = [p for p in plays_on_view(model) if p.kind is not PlayKind.DISCARD]
    return up[-1].seat if up else None


def _cards_of(play: Play, deal: DealState, model: Model) -> list[Card | None]:
    if play.kind is PlayKind.DISCARD and not model.open_hands:
        return [None] * len(play.slots)
    return list(advice.laid(plays_on_view(model), deal).get(play.seat, ()))


def _label(model: Model, play: Play) -> list[Part]:
    word = {PlayKind.LEAD: "leads", PlayKind.BEAT: "beats", PlayKind.DISCARD: "discards"}[play.kind]
    if play.kind is PlayKind.LEAD and len(play.slots) == 4:
        word = "molodka"
    if play.seat == top_seat(model):
        word += " – takes" if model.held is not None else " *"
        return [(model.glyphs.say(word), "top")]
    return [(word, "faint")]


def by_trump(cards: Sequence[Card], deal: DealState) -> list[Card]:
    """Cards as a hand is sorted: by suit, trump last."""
    return sorted(cards, key=lambda c: (c // 9 == deal.trump, c))


def backs(canvas: Canvas, model: Model, seat: Seat) -> list[Part]:
    """The hand of a seat as it is seen from here: backs, or cards where all are open."""
    deal = model.deal
    assert deal is not None
    n = deal.hand_size(seat)
    if model.open_hands and n:
        cards = advice.faces(deal, deal.hands[seat])
        if len(cards) == n:
            return chips(canvas, by_trump(cards, deal))
    return [((" ".join([canvas.glyphs.back * 2] * n)), "back")] if n else [("no cards", "faint")]


def draw_roomy(canvas: Canvas, model: Model) -> None:
    """Framed cards: partner above, left and right at the sides, own cards below."""
    deal, me, w = model.deal, model.bottom, canvas.width
    assert deal is not None
    left, across, right = (me + 1) % 4, (me + 2) % 4, (me + 3) % 4
    plays = {p.seat: p for p in plays_on_view(model)}
    spare = max(0, canvas.height - 14)
    y_side = 5 + (spare + 1) // 2
    y_own = canvas.height - 3
    canvas.centre(0, backs(canvas, model, across))
    if across in plays:
        _framed(canvas, model, plays[across], (w - _framed_width(plays[across])) // 2, 1 + spare // 4)
        canvas.centre(4 + spare // 4, _label(model, plays[across]))
    canvas.line(2, y_side, seat_title(model, left), w // 2 - 3)
    canvas.line(2, y_side + 1, backs(canvas, model, left))
    canvas.right(y_side, seat_title(model, right), 2)
    canvas.right(y_side + 1, backs(canvas, model, right), 2)
    if left in plays:
        _framed(canvas, model, plays[left], 2, y_side + 2)
        canvas.line(2, y_side + 5, _label(model, plays[left]))
    if right in plays:
        _framed(canvas, model, plays[right], w - 2 - _framed_width(plays[right]), y_side + 2)
        canvas.right(y_side + 5, _label(model, plays[right]), 2)
    if me in plays:
        _framed(canvas, model, plays[me], (w - _framed_width(plays[me])) // 2, y_own)
        label = _label(model, plays[me])
        canvas.line((w + _framed_width(plays[me])) // 2 + 1, y_own + 1, label)
    _centre_note(canvas, model, y_side + 3)


def _framed_width(play: Play, size: Size = SMALL) -> int:
    return size.width * len(play.slots)


def _framed(canvas: Canvas, model: Model, play: Play, x: int, y: int, size: Size = SMALL) -> None:
    assert model.deal is not None
    down = play.kind is PlayKind.DISCARD
    for card in _cards_of(play, model.deal, model):
        x = table_card(canvas, x, y, card, size, top=play.seat == top_seat(model), down=down)


def draw_large(canvas: Canvas, model: Model) -> None:
    """The table in the middle with trump and stock on it, the players around it."""
    deal, me = model.deal, model.bottom
    assert deal is not None
    left, across, right = (me + 1) % 4, (me + 2) % 4, (me + 3) % 4
    w = min(CLOTH_WIDTH, canvas.width - 2 * SIDE_NAMES)
    h = min(CLOTH_HEIGHT, canvas.height - 3, max(LEAST_CLOTH, w // 2))
    many = max((len(p.slots) for p in plays_on_view(model)), default=1)
    size = BIG if 2 * many * BIG.width + 6 <= w and h >= LEAST_CLOTH else SMALL
    x, y = (canvas.width - w) // 2, canvas.height - h - min(2, (canvas.height - h - 2) // 2)
    canvas.centre(y - 2, seat_title(model, across))
    canvas.centre(y - 1, backs(canvas, model, across))
    cloth = canvas.sub(x, y, w, h)
    inner = cloth.box("", "cloth", "cloth")
    names = canvas.sub(0, y + h // 2 - 2, max(0, x - 1), 4)
    names.right(0, seat_title(model, left))
    names.right(1, backs(canvas, model, left))
    names = canvas.sub(x + w + 1, y + h // 2 - 2, canvas.width - x - w - 1, 4)
    names.line(0, 0, seat_title(model, right))
    names.line(0, 1, backs(canvas, model, right))
    plays = {p.seat: p for p in plays_on_view(model)}
    middle = (inner.height - size.height) // 2
    for seat in (left, across, right, me):
        if seat not in plays:
            continue
        wide = _framed_width(plays[seat], size)
        px = {left: 1, right: inner.width - wide - 1}.get(seat, (inner.width - wide) // 2)
        py = {across: 0, me: inner.height - size.height}.get(seat, middle)
        _framed(inner, model, plays[seat], px, py, size)
        label = _label(model, plays[seat])
        if seat in (me, across):
            inner.line(px + wide + 1, py + size.height // 2, label)
        elif seat == left:
            inner.line(px, py + size.height, label)
        else:
            inner.right(py + size.height, label, 1)
    _stock(inner, model, deal, middle, size, crowded=left in plays or right in plays)
    _centre_note(inner, model, middle + size.height + 1)


def _stock(inner: Canvas, model: Model, deal: DealState, middle: int, size: Size, *, crowded: bool) -> None:
    """The stock and the card that showed trump, in the middle of the table; in one row where plays take the room."""
    g, trump = inner.glyphs, f"ink.{deal.trump}"
    if crowded or model.held is not None:
        row: list[Part] = [("trump ", "faint"), (g.card(deal.indicator), trump), (f"  stock {deal.stock}", "faint")]
        inner.centre(middle - 1, row)
        return
    x = inner.width // 2 - size.width - 1
    table_card(inner, x, middle, deal.indicator, size, top=False)
    inner.line(x, middle + size.height, [("trump", "faint")])
    x += size.width + 2
    if deal.stock:
        table_card(inner, x, middle, None, size, top=False)
    inner.line(x, middle + size.height, [(f"stock {deal.stock}", "faint")])


def draw_compact(canvas: Canvas, model: Model) -> None:
    """The same in few rows: each play is one line of chips under the name."""
    deal, me, w = model.deal, model.bottom, canvas.width
    assert deal is not None
    left, across, right = (me + 1) % 4, (me + 2) % 4, (me + 3) % 4
    plays = {p.seat: p for p in plays_on_view(model)}

    def cards(seat: Seat) -> list[Part]:
        return [*chips(canvas, _cards_of(plays[seat], deal, model)), " ", *_label(model, plays[seat])]

    y = 0
    canvas.centre(y, backs(canvas, model, across))
    if across in plays:
        canvas.centre(y + 1, cards(across))
    y = max(2, (canvas.height - 2) // 2 - 1)
    canvas.line(1, y, seat_title(model, left), w // 2 - 2)
    canvas.right(y, seat_title(model, right), 1)
    canvas.line(1, y + 1, backs(canvas, model, left))
    canvas.right(y + 1, backs(canvas, model, right), 1)
    if left in plays:
        canvas.line(1, y + 2, cards(left))
    if right in plays:
        canvas.right(y + 2, cards(right), 1)
    if me in plays:
        canvas.centre(canvas.height - 1, cards(me))
    else:
        _centre_note(canvas, model, canvas.height - 1)


def _centre_note(canvas: Canvas, model: Model, y: int) -> None:
    deal = model.deal
    if model.held is not None or deal is None or deal.plays or deal.phase is Phase.OVER:
        return
    if deal.turn is not None and deal.phase is Phase.LEAD and deal.turn != model.bottom:
        canvas.centre(y, [(f"{model.name(deal.turn)} to lead", "faint")])
