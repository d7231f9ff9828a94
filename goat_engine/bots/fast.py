"""The rules again, as integers: the engine that bots think with.

Same game as ``goat_engine.state`` (R8-R18), with every card open and nothing checked, so that a bot can
play thousands of deals while a person blinks. ``tests/bots/test_fast.py`` holds the two equal.

A card is ``suit * 9 + rank``; a set of cards is a 36-bit int with bit ``card`` set; a move is
``mask | kind << 36``. Seats are 0..3, partners opposite. Who may know what is not this module's business:
a bot never gets a ``State`` of the real deal, only a ``goat_engine.bots.sight.Sight``.

Why this is one class with long methods: a method call costs as much as the work it would hold.
"""

from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Final

FULL: Final = (1 << 36) - 1

LEAD: Final = 0 << 36
BEAT: Final = 1 << 36
DISCARD: Final = 2 << 36
CLAIM: Final = 3 << 36
YIELD: Final = 4 << 36
KIND_NAMES: Final = ("lead", "beat", "discard", "claim", "yield")

#: Phases: the entitled leader leads; a seat answers; a seat closer than a claimant is asked (R17); over.
LEADING: Final = 0
ANSWERING: Final = 1
ASKING: Final = 2
OVER: Final = 3

#: What a seat can decline to beat: a single card of each suit; in the place of the trump suit any plain card at
#: all, and last a plain card with this many open points on the table.
DECLINES: Final = 5
HIGH_STAKE: Final = 10
NEVER: Final = -99

SUIT: Final = 0x1FF
SUITS: Final = tuple(SUIT << 9 * suit for suit in range(4))
#: Points by rank, 6 to ace (R2).
RANK_POINTS: Final = (0, 0, 0, 0, 2, 3, 4, 10, 11)
#: Points of the nine-bit part of a hand in one suit.
SUIT_POINTS: Final = tuple(sum(RANK_POINTS[rank] for rank in range(9) if part >> rank & 1) for part in range(512))


def points(mask: int) -> int:
    """The points of a set of cards (R2), 0..120."""
    table = SUIT_POINTS
    return table[mask & 511] + table[mask >> 9 & 511] + table[mask >> 18 & 511] + table[mask >> 27]


def cards_of(mask: int) -> list[int]:
    """The cards of a set, ascending."""
    cards = []
    while mask:
        low = mask & -mask
        cards.append(low.bit_length() - 1)
        mask ^= low
    return cards


def mask_of(cards: Sequence[int]) -> int:
    """The set of these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def _beaters(card: int, trump: int) -> int:
    suit = SUITS[card // 9]
    higher = suit & ~((2 << card) - 1)
    return higher if card // 9 == trump else higher | SUITS[trump]


#: ``BEATERS[trump][card]``: the cards that beat this one (R3).
BEATERS: Final = tuple(tuple(_beaters(card, trump) for card in range(36)) for trump in range(4))

#: Every set of four cards of one suit (R15).
MOLODKAS: Final = frozenset(
    sum(1 << 9 * suit + rank for rank in ranks) for suit in range(4) for ranks in combinations(range(9), 4)
)

# Filled when first needed, for hands that come again soon. There are 66,711 hands of one to four cards, which came to
# 75 MB in a process that has played for days; so each of these forgets what it knows when it has so many.
KEPT: Final = 4096
_leads: dict[int, tuple[int, ...]] = {}
_discards: tuple[dict[int, tuple[int, ...]], ...] = ({}, {}, {}, {}, {})
_single_beats: dict[int, tuple[int, ...]] = {}
_walls: tuple[dict[int, tuple[int, ...]], ...] = ({}, {}, {}, {})


def keep(known: dict[int, tuple[int, ...]], key: int, value: tuple[int, ...]) -> tuple[int, ...]:
    """Note a value, which is also what it gives."""
    if len(known) >= KEPT:
        known.clear()
    known[key] = value
    return value


def leads(hand: int) -> tuple[int, ...]:
    """All leads from a hand: one to four cards of one suit (R8)."""
    known = _leads.get(hand)
    if known is None:
        found: list[int] = []
        for suit in SUITS:
            part = cards_of(hand & suit)
            for size in range(1, min(4, len(part)) + 1):
                found += [mask_of(chosen) | LEAD for chosen in combinations(part, size)]
        known = keep(_leads, hand, tuple(found))
    return known


def discards(hand: int, size: int) -> tuple[int, ...]:
    """All discards of ``size`` cards from a hand (R9)."""
    known = _discards[size].get(hand)
    if known is None:
        found = tuple(mask_of(chosen) | DISCARD for chosen in combinations(cards_of(hand), size))
        known = keep(_discards[size], hand, found)
    return known


def walls(top: int, trump: int) -> tuple[int, ...]:
    """For each card of a top set, weakest first, the cards that beat it.

    A top set is of one suit and trumps, so these sets lie one inside the other, and by Hall's theorem a set
    beats it (R10) if and only if it has at least ``n - k`` cards of the k-th.
    """
    known = _walls[trump].get(top)
    if known is None:
        plain, high = top & ~SUITS[trump], top & SUITS[trump]
        found = tuple(BEATERS[trump][card] for card in cards_of(plain) + cards_of(high))
        known = keep(_walls[trump], top, found)
    return known


def beats(mask: int, top: int, trump: int) -> bool:
    """Whether ``mask`` beats the top set (R10); both of the same size."""
    need = top.bit_count()
    for wall in walls(top, trump):
        if (mask & wall).bit_count() < need:
            return False
        need -= 1
    return True


class State:
    """One deal with all cards open; changed in place.

    ``order``: the 36 cards by slot, hands first (slot ``i < 16`` goes to seat ``dealer + 1 + i``), then the
    stock from the top (R5). ``leader`` is entitled to lead the first trick (R7).
    """

    __slots__ = (
        "asked",
        "claimed",
        "clock",
        "dealer",
        "declined",
        "discarded",
        "hands",
        "hidden",
        "indicator",
        "leader",
        "opener",
        "phase",
        "position",
        "shown",
        "size",
        "stock",
        "table",
        "taker",
        "top",
        "tricks",
        "trump",
        "turn",
        "walls",
        "won",
    )

    def __init__(self, order: Sequence[int], indicator: int, dealer: int, leader: int) -> None:
        bits = [1 << card for card in order]
        self.dealer = dealer
        self.indicator = indicator
        self.trump = indicator // 9
        #: Cards in each seat's hand.
        self.hands = [0, 0, 0, 0]
        for place in range(4):
            self.hands[(dealer + 1 + place) & 3] = bits[place] | bits[place + 4] | bits[place + 8] | bits[place + 12]
        #: The stock as bits, and how many of it have been drawn.
        self.stock = bits[16:]
        self.position = 0
        #: The seat entitled to lead this trick, and the seat that did (another after a claim).
        self.leader = leader
        self.opener = leader
        self.turn = leader
        self.phase = LEADING
        #: Cards each seat has to play in this trick; the top set, who laid it, and what beats it.
        self.size = 0
        self.top = 0
        self.taker = leader
        self.walls: tuple[int, ...] = ()
        #: What lies before each seat, and the part of all of it that is face down.
        self.table = [0, 0, 0, 0]
        self.hidden = 0
        #: Whether a molodka was claimed in this trick, and the seats still to be asked that hold one.
        self.claimed = False
        self.asked: list[int] = []
        #: Cards won and tricks taken by each team.
        self.won = [0, 0]
        self.tricks = [0, 0]
        #: Cards each seat has discarded, and all that were ever seen face up.
        self.discarded = [0, 0, 0, 0]
        self.shown = 0
        #: Cards each seat has played in closed tricks, and by seat and kind (`DECLINES`) what this will be at
        #: the end of the last trick in which the seat let such a card of its opponents stand.
        self.clock = 0
        self.declined = [NEVER] * (4 * DECLINES)

    @classmethod
    def random(cls, rng: Random, dealer: int = 3, leader: int = 0) -> "State":
        """A deal from a well-shuffled deck."""
        draw = rng.random
        order = [card for _, card in sorted([(draw(), card) for card in range(36)])]
        return cls(order, order[16 + int(draw() * 20)], dealer, leader)

    def copy(self) -> "State":
        """A state of its own; the stock, which never changes, is shared."""
        new = State.__new__(State)
        new.dealer = self.dealer
        new.indicator = self.indicator
        new.trump = self.trump
        new.hands = self.hands[:]
        new.stock = self.stock
        new.position = self.position
        new.leader = self.leader
        new.opener = self.opener
        new.turn = self.turn
        new.phase = self.phase
        new.size = self.size
        new.top = self.top
        new.taker = self.taker
        new.walls = self.walls
        new.table = self.table[:]
        new.hidden = self.hidden
        new.claimed = self.claimed
        new.asked = self.asked[:]
        new.won = self.won[:]
        new.tricks = self.tricks[:]
        new.discarded = self.discarded[:]
        new.shown = self.shown
        new.clock = self.clock
        new.declined = self.declined[:]
        return new

    def legal(self) -> tuple[int, ...]:
        """The moves of the seat whose turn it is; empty when the deal is over.

        A claim stands among them when the seat holds a molodka and may claim it now (R15): this is the last
        moment to do so. A seat that is asked but holds none is passed over: it could only yield.
        """
        hand = self.hands[self.turn]
        phase = self.phase
        if phase == ANSWERING:
            size = self.size
            moves = _discards[size].get(hand) or discards(hand, size)
            if size == 1:
                able = hand & self.walls[0]
                if able:
                    singles = _single_beats.get(able)
                    if singles is None:
                        singles = keep(_single_beats, able, tuple(1 << card | BEAT for card in cards_of(able)))
                    moves = singles + moves
            else:
                need = size
                for wall in self.walls:
                    if (hand & wall).bit_count() < need:
                        break
                    need -= 1
                else:
                    moves = self._beats(moves) + moves
            if size < 4 and hand in MOLODKAS and not self.claimed:
                return (*moves, hand | CLAIM)
            return moves
        if phase == LEADING:
            return _leads.get(hand) or leads(hand)
        if phase == ASKING:
            return (hand | CLAIM, YIELD)
        return ()

    def _beats(self, moves: tuple[int, ...]) -> tuple[int, ...]:
        found = []
        for move in moves:
            need = self.size
            for wall in self.walls:
                if (move & wall).bit_count() < need:
                    break
                need -= 1
            else:
                found.append(move ^ DISCARD ^ BEAT)
        return tuple(found)

    def claimants(self) -> list[int]:
        """The seats that may claim a molodka now, in turn or out of turn (R15); asked seats aside."""
        if self.claimed or self.phase == OVER or self.size == 4:
            return []
        return [
            seat
            for seat in range(4)
            if self.hands[seat] in MOLODKAS
            and not self.table[seat]
            and not (self.phase == LEADING and seat == self.leader)
        ]

    def apply(self, move: int) -> None:
        """Plays a move of ``legal()`` for the seat whose turn it is."""
        kind = move & ~FULL
        seat = self.turn
        if kind == DISCARD:
            mask = move & FULL
            self.hands[seat] ^= mask
            self.table[seat] = mask
            self.hidden |= mask
            self.discarded[seat] |= mask
            if self.size == 1 and (self.taker ^ seat) & 1:
                self._decline(seat)
        elif kind in (BEAT, LEAD):
            mask = move & FULL
            self.hands[seat] ^= mask
            self.table[seat] = self.top = mask
            self.shown |= mask
            self.taker = seat
            self.walls = _walls[self.trump].get(mask) or walls(mask, self.trump)
            if kind == LEAD:
                self.opener = seat
                self.size = mask.bit_count()
                self.phase = ANSWERING
        elif kind == CLAIM:
            self.claim(seat)
            return
        else:
            self._ask_next()
            return
        seat = (seat + 1) & 3
        self.turn = seat
        if seat == self.opener:
            self._close()

    def _decline(self, seat: int) -> None:
        """Remembers that a seat let its opponents' card stand: it could hardly beat it."""
        suit = (self.top.bit_length() - 1) // 9
        trump = self.trump
        if suit == trump:
            return
        now = self.clock + 1
        base = DECLINES * seat
        self.declined[base + suit] = self.declined[base + trump] = now
        table = self.table
        if points((table[0] | table[1] | table[2] | table[3]) & ~self.hidden) >= HIGH_STAKE:
            self.declined[base + 4] = now

    def claim(self, seat: int) -> None:
        """Plays the claim of a seat that holds a molodka, in turn or out of turn (R15-R17)."""
        hands, table = self.hands, self.table
        for other in range(4):
            mask = table[other]
            if mask:
                hands[other] |= mask
                table[other] = 0
                if mask & self.hidden:
                    self.discarded[other] &= ~mask
        self.hidden = 0
        # All four hands will be played out: what was declined before tells nothing any more.
        self.declined = [NEVER] * (4 * DECLINES)
        if not self.claimed:
            self.claimed = True
            distance = (seat - self.leader) & 3
            closer = [(self.leader + step) & 3 for step in range(distance)]
            self.asked = [other for other in closer if hands[other] in MOLODKAS]
        else:
            self.asked = []
        mask = hands[seat]
        hands[seat] = 0
        table[seat] = self.top = mask
        self.shown |= mask
        self.opener = self.taker = seat
        self.size = 4
        self.walls = walls(mask, self.trump)
        self._ask_next()

    def _ask_next(self) -> None:
        if self.asked:
            self.phase = ASKING
            self.turn = self.asked.pop(0)
        else:
            self.phase = ANSWERING
            self.turn = (self.opener + 1) & 3

    def _close(self) -> None:
        """The taker's team gets the trick (R12); all draw, the taker first, who leads (R13)."""
        table = self.table
        taker = self.taker
        team = taker & 1
        self.won[team] |= table[0] | table[1] | table[2] | table[3]
        self.tricks[team] += 1
        self.clock += self.size
        position = self.position
        if position < 20:
            hands, stock = self.hands, self.stock
            second, third, fourth = (taker + 1) & 3, (taker + 2) & 3, (taker + 3) & 3
            end = min(20, position + 4 * self.size)
            while position < end:
                hands[taker] |= stock[position]
                hands[second] |= stock[position + 1]
                hands[third] |= stock[position + 2]
                hands[fourth] |= stock[position + 3]
                position += 4
            self.position = position
            self.phase = LEADING
        else:
            self.phase = LEADING if self.hands[taker] else OVER
        self.table = [0, 0, 0, 0]
        self.size = self.hidden = self.top = 0
        self.claimed = False
        self.turn = self.leader = self.opener = taker

    def result(self) -> tuple[int, int]:
        """Points of teams 0 and 1 so far, hidden cards included (R19)."""
        return points(self.won[0]), points(self.won[1])


def defeat_points(mine: int, my_tricks: int) -> int:
    """The defeat points of a team with these points and tricks at the end of a deal (R20, R21)."""
    if mine >= 60:
        return 0
    if my_tricks == 0:
        return 6
    return 4 if mine <= 30 else 2


def random_deals(count: int, rng: Random) -> int:
    """Plays deals with random moves; the number of moves made. What the benchmark measures."""
    moves = 0
    draw = rng.random
    for _ in range(count):
        state = State.random(rng)
        legal, apply = state.legal, state.apply
        while state.phase != OVER:
            choices = legal()
            apply(choices[int(draw() * len(choices))])
            moves += 1
    return moves
