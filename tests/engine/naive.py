"""The rules of Goat a second time, written from RULES.md alone and as plainly as can be: cards are their names,
hands are lists, a beat is looked for in all pairings. Nothing of goat_engine is used. Slow, for comparison only.
"""

from itertools import combinations, permutations

ORDER = ["6", "7", "8", "9", "J", "Q", "K", "10", "A"]
POINTS = {"J": 2, "Q": 3, "K": 4, "10": 10, "A": 11}

Move = tuple[str, frozenset[str]]
NO_CARDS: frozenset[str] = frozenset()


def points(cards: list[str]) -> int:
    total = 0
    for c in cards:
        total += POINTS.get(c[:-1], 0)
    return total


def card_beats(card: str, other: str, trump: str) -> bool:
    if card[-1] == other[-1]:
        return ORDER.index(card[:-1]) > ORDER.index(other[:-1])
    return card[-1] == trump


def cards_beat(cards: list[str], top: list[str], trump: str) -> bool:
    if len(cards) != len(top):
        return False
    return any(all(card_beats(a, b, trump) for a, b in zip(p, top, strict=True)) for p in permutations(cards))


def steps_from(origin: int, seat: int) -> int:
    steps = 0
    while origin != seat:
        origin = (origin + 1) % 4
        steps += 1
    return steps


class NaiveDeal:
    """One deal. ``waiting``: lead, answer, show, ask or over; ``turn``: who must act."""

    def __init__(self, dealer: int, leader: int, trump: str, deck: list[str]) -> None:
        """``deck`` in the order dealt: one card at a time from the dealer's left, then the stock (R5)."""
        self.hands: list[list[str]] = [[], [], [], []]
        self.stock = list(deck)
        for _ in range(4):
            for step in (1, 2, 3, 4):
                self.hands[(dealer + step) % 4].append(self.stock.pop(0))
        self.trump = trump
        self.table: list[tuple[int, str, list[str]]] = []
        self.entitled = leader
        self.turn = leader
        self.waiting = "lead"
        self.to_ask: list[int] = []
        self.taken: list[list[str]] = [[], []]
        self.tricks = [0, 0]
        self.last_taker = -1

    def top(self) -> list[str]:
        """The last beat, or else the lead."""
        best = self.table[0]
        for play in self.table:
            if play[1] == "beat":
                best = play
        return best[2]

    def has_molodka(self, seat: int) -> bool:
        hand = self.hands[seat]
        return len(hand) == 4 and all(c[-1] == hand[0][-1] for c in hand)

    def may_claim(self, seat: int) -> bool:
        if not self.has_molodka(seat):
            return False
        if self.waiting == "ask":
            return seat == self.turn
        if self.waiting not in ("lead", "answer"):
            return False
        for who, _, _ in self.table:
            if who == seat:
                return False  # its own play in this trick is done (R15)
        if self.table and len(self.table[0][2]) == 4:
            return False  # a molodka leads: closer seats have been asked, farther ones never may (R17, R18)
        return seat != self.entitled  # it leads instead (R17)

    def may(self, seat: int, word: str, cards: list[str]) -> bool:
        if self.waiting == "over":
            return False
        if word == "claim":
            return self.may_claim(seat)
        if seat != self.turn:
            return False
        if word == "yield":
            return self.waiting == "ask"
        if len(set(cards)) != len(cards) or any(c not in self.hands[seat] for c in cards):
            return False
        one_suit = len({c[-1] for c in cards}) == 1
        if word == "lead":
            return self.waiting == "lead" and one_suit and 1 <= len(cards) <= 4
        if word == "show":
            return self.waiting == "show" and one_suit and len(cards) == 4
        if self.waiting != "answer" or len(cards) != len(self.table[0][2]):
            return False
        return word == "discard" or cards_beat(cards, self.top(), self.trump)

    def legal(self, seat: int) -> set[Move]:
        """Every legal action of a seat, by trying all."""
        moves: set[Move] = set()
        for word in ("claim", "yield"):
            if self.may(seat, word, []):
                moves.add((word, NO_CARDS))
        for count in (1, 2, 3, 4):
            for cards in combinations(self.hands[seat], count):
                for word in ("lead", "beat", "discard", "show"):
                    if self.may(seat, word, list(cards)):
                        moves.add((word, frozenset(cards)))
        return moves

    def do(self, seat: int, word: str, cards: list[str]) -> None:
        assert self.may(seat, word, cards)
        if word == "claim":
            if self.waiting == "ask":
                self.to_ask = []
            else:
                near = steps_from(self.entitled, seat)
                self.to_ask = [(self.entitled + i) % 4 for i in range(near)]
            self.waiting, self.turn = "show", seat
        elif word == "yield":
            self.to_ask.pop(0)
            self.go_on_asking()
        elif word == "show":
            for who, _, back in self.table:
                self.hands[who].extend(back)
            self.table = []
            self.lay(seat, "lead", cards)
            self.go_on_asking()
        else:
            self.lay(seat, word, cards)
            self.waiting, self.turn = "answer", (seat + 1) % 4
            if len(self.table) == 4:
                self.close()

    def lay(self, seat: int, word: str, cards: list[str]) -> None:
        for c in cards:
            self.hands[seat].remove(c)
        self.table.append((seat, word, list(cards)))

    def go_on_asking(self) -> None:
        if self.to_ask:
            self.waiting, self.turn = "ask", self.to_ask[0]
        else:
            self.waiting, self.turn = "answer", (self.table[0][0] + 1) % 4

    def close(self) -> None:
        taker = self.table[0][0]
        for who, word, _ in self.table:
            if word == "beat":
                taker = who
        for _, _, cards in self.table:
            self.taken[taker % 2].extend(cards)
        self.tricks[taker % 2] += 1
        self.last_taker = taker
        self.table = []
        seat = taker
        while self.stock and len(self.hands[seat]) < 4:
            self.hands[seat].append(self.stock.pop(0))
            seat = (seat + 1) % 4
        self.entitled = self.turn = taker
        self.waiting = "lead" if self.hands[taker] else "over"

    def defeat(self) -> list[int]:
        """Defeat points by team (R20, R21)."""
        out = [0, 0]
        for team in (0, 1):
            mine = points(self.taken[team])
            if mine < 60:
                out[team] = 6 if self.tricks[team] == 0 else 4 if mine <= 30 else 2
        return out
