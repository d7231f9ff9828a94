"""The edge: a seat's view in, an action out. Everything between is numbers."""

from collections.abc import Iterable

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Show, Slot, Yield
from goat_engine.bots import fast
from goat_engine.bots.sight import Sight, declines
from goat_engine.rules import HAND_SIZE, SEATS
from goat_engine.state import FIRST_STOCK_SLOT, DealState, Phase, PlayKind
from goat_engine.view import SeatView

_PHASES = {Phase.LEAD: fast.LEADING, Phase.ANSWER: fast.ANSWERING, Phase.ASK: fast.ASKING}


def _mask(deal: DealState, slots: Iterable[Slot | None]) -> int:
    """The known cards of some slots."""
    mask = 0
    for slot in slots:
        if slot is not None and slot in deal.known:
            mask |= 1 << deal.known[slot]
    return mask


def _arrivals(deal: DealState) -> list[int]:
    """For each trick, and the one on the table, the first slot that was still in the stock when it was led."""
    top, limits = FIRST_STOCK_SLOT, [FIRST_STOCK_SLOT]
    for trick in deal.tricks:
        top = min(top + 4 * len(trick.plays[0].slots), 36)
        limits.append(top)
    return limits


def _returned_and_discarded(view: SeatView) -> list[int]:
    """By trick (the one on the table last), cards discarded face down that all had seen before.

    A claim sends face-up cards back (R16), and in a trick of four cards their owner then lays down the whole
    hand: such a card went in the first trick of four cards after its owner got it.
    """
    deal = view.deal
    found = [0] * (len(deal.tricks) + 1)
    limits = _arrivals(deal)
    sizes = [len(trick.plays[0].slots) for trick in deal.tricks]
    answered = {play.seat for play in deal.plays if play.kind is PlayKind.DISCARD}
    for seat in range(4):
        if seat == view.seat:
            continue
        for slot in deal.hands[seat]:
            if slot not in deal.shown:
                continue
            gone = [i for i, size in enumerate(sizes) if size == HAND_SIZE and slot < limits[i]]
            if gone:
                found[gone[0]] |= 1 << deal.known[slot]
            elif seat in answered and deal.molodka:
                found[-1] |= 1 << deal.known[slot]
    return found


def _declines(view: SeatView) -> tuple[list[int], int]:
    """Who let what stand, as ``fast.State.declined`` keeps it, and the clock."""
    deal = view.deal
    stamps, clock = [fast.NEVER] * (4 * fast.DECLINES), 0
    for plays in (*(trick.plays for trick in deal.tricks), deal.plays):
        size = len(plays[0].slots) if plays else 0
        opened, top, taker = 0, 0, 0
        for play in plays:
            if play.kind is not PlayKind.DISCARD:
                top, taker = _mask(deal, play.slots), play.seat
                opened |= top
            elif size == 1 and (taker ^ play.seat) & 1:
                suit, base = (top.bit_length() - 1) // 9, fast.DECLINES * play.seat
                if suit != deal.trump:
                    stamps[base + suit] = stamps[base + deal.trump] = clock + 1
                    if fast.points(opened) >= fast.HIGH_STAKE:
                        stamps[base + 4] = clock + 1
        if len(plays) == len(SEATS):
            clock += size
    return stamps, clock


def see(view: SeatView) -> Sight:
    """What the seat of a view sees, when it owes a lead, an answer, or an answer to a claim.

    Raises ValueError when it owes nothing of that kind: a bot moves only when it is its turn.
    """
    deal, seat = view.deal, view.seat
    phase = _PHASES.get(deal.phase)
    if phase is None or deal.turn != seat:
        raise ValueError(f"seat {seat} has no move to choose now")
    known_late = _returned_and_discarded(view)
    hand = _mask(deal, deal.hands[seat])
    public = _mask(deal, deal.shown)
    mine, sums, unknown, tricks = 0, [0, 0], [0, 0], [0, 0]
    for trick, late in zip(deal.tricks, known_late, strict=False):
        cards = late
        for play in trick.plays:
            cards |= _mask(deal, play.slots)
            if play.seat == seat:
                mine |= _mask(deal, play.slots)
        side = (trick.taker ^ seat) & 1
        sums[side] += fast.points(cards)
        unknown[side] += 4 * len(trick.plays[0].slots) - cards.bit_count()
        tricks[side] += 1
    laid, count = known_late[-1], 0
    for play in deal.plays:
        laid |= _mask(deal, play.slots)
        count += len(play.slots)
    unseen = fast.FULL & ~(hand | public | mine | laid)
    top = deal.top
    size = len(deal.plays[0].slots) if deal.plays else 0
    stamps, clock = _declines(view) if size < HAND_SIZE else ([fast.NEVER] * (4 * fast.DECLINES), 0)
    if phase == fast.LEADING:
        after = 3
    elif phase == fast.ANSWERING:
        after = 3 - len(deal.plays)
    else:
        after = 0
    return Sight(
        phase=phase,
        trump=deal.trump,
        hand=hand,
        unseen=unseen,
        indicator=unseen & 1 << deal.indicator,
        size=size,
        top=_mask(deal, top.slots) if top else 0,
        top_by=(top.seat - seat) & 3 if top else 0,
        after=after,
        table_points=fast.points(laid),
        table_hidden=count - laid.bit_count(),
        stock=deal.stock,
        held=HAND_SIZE if phase == fast.ASKING else deal.hand_size(seat),
        us_points=sums[0],
        them_points=sums[1],
        us_hidden=unknown[0],
        them_hidden=unknown[1],
        us_tricks=tricks[0],
        them_tricks=tricks[1],
        may_claim=int(view.may_claim),
        left_declined=declines(stamps, (seat + 1) % 4, clock),
        partner_declined=declines(stamps, (seat + 2) % 4, clock),
        right_declined=declines(stamps, (seat + 3) % 4, clock),
    )


def action_of(view: SeatView, move: int) -> Action:
    """The action that plays a move: its cards named by their slots."""
    kind = move & ~fast.FULL
    if kind == fast.CLAIM:
        return Claim()
    if kind == fast.YIELD:
        return Yield()
    slots = tuple(slot for slot, card in view.hand if move >> card & 1)
    if kind == fast.LEAD:
        return Lead(slots)
    return Beat(slots) if kind == fast.BEAT else Discard(slots)


def move_of(view: SeatView, action: Action) -> int:
    """The move of an action whose cards the view knows."""
    deal = view.deal
    match action:
        case Claim() | Show():
            return _mask(deal, deal.hands[view.seat]) | fast.CLAIM
        case Yield():
            return fast.YIELD
        case Lead(slots=slots):
            return _mask(deal, slots) | fast.LEAD
        case Beat(slots=slots):
            return _mask(deal, slots) | fast.BEAT
        case Discard(slots=hidden):
            return _mask(deal, hidden) | fast.DISCARD
