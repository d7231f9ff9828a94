"""The state of a match: deals until a team has its defeat points (RULES.md R4, R7, R19-R25)."""

from dataclasses import dataclass, replace

from goat_engine.cards import DECK_POINTS, points_of
from goat_engine.rules import VOID_PENALTY, Rules, Seat, Team, defeat_points, team_of
from goat_engine.state import DealState, Phase

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class DealResult:
    """How a deal was scored: points (sum 120), tricks and defeat points by team; ``taker`` of the last trick."""

    points: Pair
    tricks: Pair
    defeat: Pair
    taker: Seat

    @property
    def eggs(self) -> bool:
        """60:60 (R21)."""
        return self.points[0] == self.points[1]


@dataclass(frozen=True, slots=True)
class VoidDeal:
    """A deal that does not count (R23-R25); ``charged`` is the team that pays ``cost``, or None (nobody does)."""

    charged: Team | None
    cost: int = VOID_PENALTY


@dataclass(frozen=True, slots=True)
class MatchState:
    """Score so far. ``dealer`` and ``leader`` are those of the next deal. ``doubled``: eggs before (R21)."""

    rules: Rules
    dealer: Seat
    leader: Seat
    defeat: Pair = (0, 0)
    eggs: int = 0
    deals: tuple[DealResult | VoidDeal, ...] = ()
    doubled: bool = False

    @property
    def goat(self) -> Team | None:
        """The team that has lost the match, or None while it goes on (R22)."""
        for team in (0, 1):
            if self.defeat[team] >= self.rules.target:
                return team
        return None

    @property
    def with_eggs(self) -> bool:
        """Whether the goat is one with eggs (R22)."""
        return self.eggs > 0


def begin(rules: Rules, dealer: Seat) -> MatchState:
    """A match before its first deal: the dealer was drawn by lot, the seat on their left leads (R4, R7)."""
    return MatchState(rules, dealer, (dealer + 1) % 4)


def score(deal: DealState, *, double: bool = False) -> DealResult:
    """Count a deal that is over and whose cards are all known (R14, R19-R21).

    Raises ValueError when a trick's cards are not all known: nobody may count before they are opened (R11).
    """
    if deal.phase is not Phase.OVER:
        raise ValueError("the deal is not over")
    points, tricks = [0, 0], [0, 0]
    for trick in deal.tricks:
        team = team_of(trick.taker)
        tricks[team] += 1
        for play in trick.plays:
            if any(s is None or s not in deal.known for s in play.slots):
                raise ValueError("not all cards are open")
            points[team] += points_of(deal.known[s] for s in play.slots if s is not None)
    assert sum(points) == DECK_POINTS
    factor = 2 if double else 1
    defeat = tuple(factor * defeat_points(points[t], tricks[t]) for t in (0, 1))
    return DealResult((points[0], points[1]), (tricks[0], tricks[1]), (defeat[0], defeat[1]), deal.tricks[-1].taker)


def after_deal(match: MatchState, result: DealResult) -> MatchState:
    """The match after a scored deal: the deal passes clockwise, the last taker leads (R4, R7).

    Raises ValueError when the match was over already (R22).
    """
    _check_goes_on(match)
    a, b = match.defeat
    return replace(
        match,
        dealer=(match.dealer + 1) % 4,
        leader=result.taker,
        defeat=(a + result.defeat[0], b + result.defeat[1]),
        eggs=match.eggs + result.eggs,
        deals=(*match.deals, result),
        doubled=match.rules.eggs_double and result.eggs,
    )


def after_void(match: MatchState, charged: Team | None, cost: int = VOID_PENALTY) -> MatchState:
    """The match after a void deal: same dealer, same leader (R25); a charged team pays ``cost`` (R23, R24).

    Raises ValueError when the match was over already (R22).
    """
    _check_goes_on(match)
    a, b = match.defeat
    defeat = (a + cost * (charged == 0), b + cost * (charged == 1))
    return replace(match, defeat=defeat, deals=(*match.deals, VoidDeal(charged, cost)))


def void_cost(doubled: bool) -> int:
    """What a void deal costs the team that is charged for it: as much as the deal can cost at worst (R20, R23)."""
    return VOID_PENALTY * (2 if doubled else 1)


def _check_goes_on(match: MatchState) -> None:
    """Only one team can have 12 defeat points, as a deal costs one team and none comes after the last (R22)."""
    if match.goat is not None:
        raise ValueError("the match is over")
