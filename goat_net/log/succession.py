"""A match that goes on in another log: is its score that of the log before, and what has changed? (PROTOCOL.md, Carried
scores.) Pure: two logs go in, what follows comes out; clients and `goat verify` say the same."""

from dataclasses import dataclass
from enum import StrEnum

from goat_engine.rules import SEATS, team_of
from goat_net.log.absence_table import OUT_AFTER
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.records import Carried, Caught, Table
from goat_net.log.statutes import STATUTES
from goat_net.wire.codec import MAX_ARRAY


class Flaw(StrEnum):
    """What makes a carried score the host's fault. The text completes "the host carries on a score that ..."."""

    SCORE = "is not what that match had come to there"
    LEFT_OUT = "leaves out what the same host has signed after it"
    MADE_UP = "stands on no entry of that match, which the same host has ended elsewhere"
    NOT_ENDED = "was taken while the log of the same host was still open"
    DEALT = "gives up a deal that the same host had under way"


class Altered(StrEnum):
    """What a log changes of what the match before had agreed on, or cannot show."""

    TARGET = "defeat points that make a goat"
    EGGS = "whether the deal after eggs counts double"
    YIELD_TIME = "time for the answer to a molodka, in ms"
    GRACE = "seconds until an absent seat is decided about"
    CLOCK = "the turn clock"
    HINTS = "whether this table plays with hints"
    SEED = "whether the cards come from a seed that is known"
    TEAM = "who plays with whom"
    DEALT = "a deal that was under way is given up"
    LEFT_OUT = "finished deals that are left out"
    UNKNOWN = "the score stands on entries that are not in this copy of the match"
    UNCHECKED = "nobody here has the match before"
    FORKED = "the match has gone on elsewhere too"


@dataclass(frozen=True, slots=True)
class Change:
    """One change: ``before`` and ``now`` as short values; ``name``: whom it is about, for a team."""

    what: Altered
    before: str = ""
    now: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Succession:
    """What a log that carries a score on says of the log before. ``flaw``: why that is the host's fault, or None.
    ``entry``: entries of the log before that it stands on, None when its head is not among them; ``rest``: entries of
    that log that it leaves out; ``changes``: what everybody has to know of."""

    flaw: Flaw | None
    entry: int | None
    rest: int
    changes: tuple[Change, ...] = ()


def score_of(fold: Fold) -> Carried | None:
    """What a match that goes on from here carries on; None when there is nothing. A deal that had begun counts as
    dealt, and is void."""
    match, deal = fold.match, fold.deal
    if match is None or deal is None or match.goat is not None:
        return None
    begun = deal.number if deal.tag else deal.number - 1
    caught = caught_so_far(fold)
    if len(caught) > MAX_ARRAY:
        return None  # each of them has cost a team more than any target leaves room for
    score = (match.defeat, match.eggs, match.dealer, match.leader, match.doubled, begun)
    return Carried(fold.id, fold.chain.head, *score, caught)


def caught_so_far(fold: Fold) -> tuple[Caught, ...]:
    """Who was caught in this match, in this log or before it, in the order of their keys; but no bot that the table
    answers for: it costs nobody anything, and would fill the list."""
    deals = {one.key: one.deals for old in (fold.table.carried if fold.table else ()) for one in old.caught}
    for seat, entry in enumerate(fold.seats):
        if fold.charged_team(seat) is not None and (times := fold.absence.times_caught(seat)):
            deals[entry.key] = min(times, OUT_AFTER)
    return tuple(Caught(key, times) for key, times in sorted(deals.items()))


def succession(before: Fold, table: Table) -> Succession | None:
    """Hold the first record of a log against the log before; None when it carries no score of that match."""
    carried = next((one for one in table.carried if one.match_id == before.id), None)
    if carried is None or before.table is None or before.match is None:
        return None
    heads = before.chain.heads
    same = table.table_key == before.table.table_key
    # By an older protocol a score could be carried on from anywhere, and a log of one cannot go on.
    bound = same and STATUTES[table.protocol].carries_whole and before.statutes.carries_whole
    changes = altered(before.table, table)
    ended = before.stage is MatchStage.ENDED
    if carried.head not in heads:
        if bound and ended:
            return Succession(Flaw.MADE_UP, None, 0, changes)
        return Succession(None, None, 0, (Change(Altered.UNKNOWN), *changes))
    at = heads.index(carried.head)
    there, rest = _at(before, at), len(heads) - 1 - at
    lost = len(before.finished) - len(there.finished)
    if lost:
        changes = (Change(Altered.LEFT_OUT, str(lost)), *changes)
    if there.deal_is_on:
        changes = (Change(Altered.DEALT), *changes)
    flaw: Flaw | None = None
    if score_of(there) != carried:
        flaw = Flaw.SCORE
    elif bound and rest:
        flaw = Flaw.LEFT_OUT
    elif bound and there.deal_is_on:
        flaw = Flaw.DEALT
    elif bound and not ended:
        flaw = Flaw.NOT_ENDED
    return Succession(flaw, at, rest, changes)


def _at(fold: Fold, count: int) -> Fold:
    """The fold of the first ``count`` entries of a log."""
    if count == len(fold.chain):
        return fold
    again = Fold()
    for entry in fold.chain.entries[:count]:
        again.take(entry)
    return again


def altered(before: Table, now: Table) -> tuple[Change, ...]:
    """What a table's record changes of what the one before had agreed on."""
    old, new = before.settings, now.settings
    alone = all(seat.bot for seat in before.seats) or all(seat.bot for seat in now.seats)  # then nobody needs the time
    pairs = (
        (Altered.TARGET, before.target, now.target),
        (Altered.EGGS, before.eggs_double, now.eggs_double),
        (Altered.YIELD_TIME, *((0, 0) if alone else (before.yield_time, now.yield_time))),
        (Altered.GRACE, old.grace, new.grace),
        (Altered.CLOCK, (old.clock_base, old.clock_more), (new.clock_base, new.clock_more)),
        (Altered.HINTS, old.hints, new.hints),
        (Altered.SEED, bool(old.seed), bool(new.seed)),
    )
    changes = [Change(what, _short(was), _short(value)) for what, was, value in pairs if was != value]
    teams = {seat.key: team_of(number) for number, seat in enumerate(before.seats) if not seat.bot}
    for number in SEATS:
        seat = now.seats[number]
        team = teams.get(seat.key)
        if team is not None and team != team_of(number):
            changes.append(Change(Altered.TEAM, str(team), str(team_of(number)), seat.name))
    return tuple(changes)


def _short(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "+".join(map(str, value)) if isinstance(value, tuple) else str(value)
