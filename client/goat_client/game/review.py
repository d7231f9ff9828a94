"""After a deal: what the bot would have played, beside what was played; for the screen and for lines of text.

One seat of a deal is gone through in 10 ms and all four in 20 (pure Python, the slowest of thirty deals 15 and 42; the
first loads the bots' weights, 20 more), so it is done when it is asked for and kept with the model.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from goat_client.machine.glyphs import Glyphs
from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Show, Slot, Yield
from goat_engine.cards import DECK, Card, parse
from goat_engine.record import Deal, Record, Step
from goat_engine.rules import Seat, seats_from
from goat_engine.state import DealState, Phase, Play, PlayKind
from goat_net.seat.tableview import DealReport, Returned, TableView

if TYPE_CHECKING:
    from goat_engine.bots.review import Reviewed  # loads the bots' weights: not before the first review

CARD_NAME: Final = re.compile(r"\b(?:10|[6-9JQKA])[SCDH]\b")
COSTS: Final = ((0.1, "Hardly a difference."), (0.3, "It cost a little."), (0.75, "It cost a good deal."))
"""Below this estimate these words: about a thirtieth, a tenth and a quarter of a won deal against a lost one."""
COST_MOST: Final = "It cost much."
NOT_OPEN: Final = "This deal can't be gone through: not all of it was played with cards that are open now."
NO_SEAT: Final = "Only who had a seat in the deal can go through it here; goat replay shows all four."
NO_CHOICE: Final = "There was nothing to choose in this deal."


@dataclass(frozen=True, slots=True)
class Review:
    """Rows of some seats of one deal, in order. ``cards``: the face of every slot. ``note``: why there are no rows.
    ``explained``: seats of bots, whose reason is told also where the strongest bot would have done the same."""

    seats: tuple[Seat, ...]
    rows: tuple["Reviewed", ...] = ()
    cards: tuple[Card, ...] = ()
    note: str = ""
    explained: frozenset[Seat] = frozenset()

    def of(self, seat: Seat) -> tuple["Reviewed", ...]:
        """The rows of one seat."""
        return tuple(r for r in self.rows if r.seat == seat)


def reviewed(record: Record | None, seats: Sequence[Seat]) -> Review:
    """Go through a deal for some seats; with a note instead of rows when it can't be done."""
    if record is None:
        return Review(tuple(seats), note=NOT_OPEN)
    from goat_engine.bots.review import review  # the bots' weights are loaded by the first review, not by the start

    closed = {s for s, a in record.steps if isinstance(a, Discard) and None in a.slots}  # of others, returned (R16)
    try:
        rows = tuple(review(record, [s for s in seats if s not in closed]))
    except ValueError:  # somebody cheated, or a deal that was broken off
        return Review(tuple(seats), note=NOT_OPEN)
    return Review(tuple(seats), rows, record.deal.cards, "" if rows else NO_CHOICE)


def review_of(report: DealReport, view: TableView, returned: Sequence[Returned]) -> Review:
    """The bot's play beside that of this client's seat in a finished deal; and why a partner who is a bot played as it
    did. ``returned``: what went back to hands in it."""
    if view.me is None:
        return Review((), note=NO_SEAT)
    partner = (view.me + 2) % 4
    asked = (partner,) if view.seats[partner].bot else ()
    whole = record_of(report.opened, returned) if report.opened is not None else None
    return replace(reviewed(whole, (view.me, *asked)), explained=frozenset(asked))


# --- a record from what the table has shown ------------------------------------------------------------------


def record_of(opened: DealState, returned: Sequence[Returned] = ()) -> Record | None:
    """The record of a finished deal from its opened state and the cards that went back to hands, as the seat knew
    them; None when not all of it is open. The order of claims and yields follows from R16 and R17."""
    plays = [p for t in opened.tricks for p in t.plays]
    whole = opened.phase is Phase.OVER and opened.known.keys() >= set(DECK)
    if not whole or any(None in p.slots for p in plays):
        return None
    cards = tuple(opened.known[s] for s in DECK)
    deal = Deal(opened.dealer, opened.tricks[0].entitled, opened.indicator, cards, opened.rules)
    steps: list[Step] = []
    for number, trick in enumerate(opened.tricks):
        laid = [r.plays for r in returned if r.trick == number]
        steps += _trick(trick.entitled, [*laid, trick.plays])
    return Record(deal, tuple(steps))


def _trick(entitled: Seat, laid: Sequence[Sequence[Play]]) -> Iterator[Step]:
    """The actions of one trick. ``laid``: what lay on the table, each time it went back and in the end."""
    asked: tuple[Seat, ...] = ()
    claimed = False
    for plays in laid:
        lead = plays[0]
        if lead.seat == entitled and not claimed:
            yield lead.seat, Lead(_named(lead))
        else:
            if claimed:  # who was asked before the one that took over has let the molodka stand
                yield from ((s, Yield()) for s in asked[: asked.index(lead.seat)])
                asked = ()
            else:
                order = seats_from(entitled)
                asked = tuple(order[: order.index(lead.seat)])
            claimed = True
            yield lead.seat, Claim()
            yield lead.seat, Show(_named(lead))
        if plays is laid[-1]:
            yield from ((s, Yield()) for s in asked)
        for play in plays[1:]:
            yield play.seat, Beat(_named(play)) if play.kind is PlayKind.BEAT else Discard(play.slots)


def _named(play: Play) -> tuple[Slot, ...]:
    return tuple(s for s in play.slots if s is not None)


# --- in words ------------------------------------------------------------------------------------------------


def card_names(text: str, glyphs: Glyphs) -> str:
    """A text with its cards, named as in 10S, as this screen writes them."""
    return CARD_NAME.sub(lambda name: glyphs.card(parse(name.group())), text)


def because(why: str, glyphs: Glyphs, cards: str = "") -> str:
    """A reason of the engine with its cards as this screen writes them; ``cards``: those just named, not again."""
    why = card_names(why, glyphs)
    head, colon, tail = why.partition(": ")
    return tail[:1].upper() + tail[1:] if colon and cards and cards in head else why


def cost_words(cost: float) -> str:
    """What a move gave away by the bot's estimate; see `goat_engine.bots.review.Reviewed`."""
    return next((words for below, words in COSTS if cost < below), COST_MOST)


def act_words(action: Action, cards: Sequence[Card] | Mapping[Slot, Card], glyphs: Glyphs, *, past: bool) -> str:
    """``led 10♠`` or ``lead 10♠``."""
    named = glyphs.cards(sorted(cards[s] for s in getattr(action, "slots", ()) if s is not None))
    match action:
        case Lead():
            return f"{'led' if past else 'lead'} {named}"
        case Beat():
            return f"beat with {named}"
        case Discard():
            return f"{'discarded' if past else 'discard'} {named}"
        case Claim():
            return "claimed a molodka" if past else "claim the molodka"
        case Show():
            return f"{'showed' if past else 'show'} {named}"
        case Yield():
            return "let it stand"


def remark(row: "Reviewed", cards: Sequence[Card], glyphs: Glyphs) -> str:
    """What a move that the bot would not have made cost, and the bot's reason for its own."""
    named = glyphs.cards(sorted(cards[s] for s in getattr(row.advised, "slots", ()) if s is not None))
    return f"{cost_words(row.cost)} {because(row.reason, glyphs, named)}"


def summary(rows: Sequence["Reviewed"]) -> str:
    """How often a seat played as the bot, and where it would have mattered most."""
    if not rows:
        return "nothing to choose"
    same = sum(r.agreed for r in rows)
    worst = max(rows, key=lambda r: r.cost)
    choices = "1 choice" if len(rows) == 1 else f"{len(rows)} choices"
    return f"{same} of {choices} as the bot" + (f"; trick {worst.trick} cost most" if same + 1 < len(rows) else "")


def told(review: Review, glyphs: Glyphs, names: Sequence[str]) -> Iterator[str]:
    """A review in sentences, a line a choice. ``names``: by seat."""
    if review.note:
        yield review.note
        return
    for seat in review.seats:
        rows = review.of(seat)
        yield f"{names[seat]}: {summary(rows)}."
        for row in rows:
            played = act_words(row.played, review.cards, glyphs, past=True)
            did = f"  Trick {row.trick}: {names[seat]} {played}"
            if row.agreed:
                why = f" {because(row.reason, glyphs)}" if seat in review.explained else ""
                yield f"{did}, as the bot would.{why}"
            else:
                would = act_words(row.advised, review.cards, glyphs, past=False)
                yield f"{did}; the bot would {would}. {remark(row, review.cards, glyphs)}"
