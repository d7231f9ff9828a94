"""``goat stats``: own results from saved matches, by partner and by opponent.

Counted from what the seats signed: the table and one's own verdicts (PROTOCOL.md, The log). Nothing is audited
again; ``goat verify`` does that.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from goat_client.text import cells, pad, safe
from goat_engine.rules import SEATS, VOID_PENALTY, partner_of, team_of
from goat_net.codec import WireError
from goat_net.folders import data_dir
from goat_net.identity import Identity, IdentityError
from goat_net.log import ChainError, LogFileError, parse_record
from goat_net.records import Table, Verdict
from goat_net.store import read_intact

MATCHES_MAX: Final = 10_000  # more files than one plays in a life; each is read whole
NOBODY: Final = 5  # PROTOCOL.md: a verdict that blames no seat


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--people", action="store_true", help="leave out matches in which a bot sat")


@dataclass
class Tally:
    """Deals and matches of one kind. ``goats``: matches lost; ``with_eggs`` of them; ``unfinished``: broken off."""

    matches: int = 0
    won: int = 0
    goats: int = 0
    with_eggs: int = 0
    unfinished: int = 0
    deals: int = 0
    deals_won: int = 0
    eggs: int = 0
    points: int = 0
    defeat_for: int = 0
    defeat_against: int = 0

    def add(self, other: "Tally") -> None:
        """Count another in."""
        for key, value in asdict(other).items():
            setattr(self, key, getattr(self, key) + value)


@dataclass
class Stats:
    """All results of one person."""

    total: Tally = field(default_factory=Tally)
    partners: dict[str, Tally] = field(default_factory=dict)
    opponents: dict[str, Tally] = field(default_factory=dict)
    unreadable: int = 0


@dataclass(frozen=True, slots=True)
class MatchResult:
    """One match as its owner's verdicts tell it. ``verdicts``: by deal, in order."""

    table: Table
    seat: int
    verdicts: tuple[Verdict, ...]

    def name(self, seat: int) -> str:
        """A seat's name; bots are counted by their level, not by the name they happened to have."""
        info = self.table.seats[seat]
        return f"bot ({info.level or 'bot'})" if info.bot else info.name

    def tally(self) -> Tally:
        """The match counted."""
        mine, out = team_of(self.seat), Tally(matches=1)
        defeat = list(self.table.carried[0].defeat) if self.table.carried else [0, 0]
        eggs = False
        for verdict in self.verdicts:
            if verdict.blamed != NOBODY:
                if verdict.blamed in SEATS:
                    defeat[team_of(verdict.blamed)] += VOID_PENALTY
                continue
            if sum(verdict.points) == 0:
                continue  # broken off without anybody's fault
            out.deals += 1
            out.points += verdict.points[mine]
            out.deals_won += verdict.points[mine] > verdict.points[1 - mine]
            out.eggs += verdict.points[0] == verdict.points[1]
            eggs = eggs or verdict.points[0] == verdict.points[1]
            out.defeat_for += verdict.defeat[1 - mine]
            out.defeat_against += verdict.defeat[mine]
            for team in (0, 1):
                defeat[team] += verdict.defeat[team]
        target = self.table.target
        if defeat[mine] >= target:
            out.goats, out.with_eggs = 1, int(eggs)
        elif defeat[1 - mine] >= target:
            out.won = 1
        else:
            out.unfinished = 1
        return out


def read_match(path: Path, own: frozenset[bytes]) -> MatchResult | None:
    """The result of a saved match, or None when none of one's own keys sat there. Raises LogFileError, OSError,
    ChainError, WireError for what can't be read."""
    entries, _ = read_intact(path)
    if not entries:
        raise LogFileError("empty")
    table = parse_record(entries[0].record).body
    if not isinstance(table, Table):
        raise LogFileError("no table")
    seat = next((s for s in SEATS if table.seats[s].key in own), None)
    if seat is None:
        return None
    verdicts: dict[int, Verdict] = {}
    for entry in entries[1:]:
        record = parse_record(entry.record)
        if record.author == seat and isinstance(record.body, Verdict):
            verdicts[record.deal] = record.body
    return MatchResult(table, seat, tuple(verdicts[n] for n in sorted(verdicts)))


def own_keys(data: Path) -> frozenset[bytes]:
    """Public keys of all profiles of this account."""
    keys = set()
    for file in sorted(data.glob("profile-*/identity.key")):
        try:
            keys.add(Identity.load_or_create(file).public)
        except IdentityError:
            continue
    return frozenset(keys)


def gather(files: Iterable[Path], own: frozenset[bytes], *, people: bool = False) -> Stats:
    """Count saved matches; the same match saved by two profiles counts once for each seat."""
    stats, seen = Stats(), set()
    for path in files:
        try:
            match = read_match(path, own)
        except (OSError, LogFileError, ChainError, WireError):
            stats.unreadable += 1
            continue
        if match is None or (people and any(s.bot for s in match.table.seats)):
            continue
        key = (match.table.salt, match.seat)
        if key in seen:
            continue
        seen.add(key)
        tally = match.tally()
        stats.total.add(tally)
        stats.partners.setdefault(match.name(partner_of(match.seat)), Tally()).add(tally)
        for other in {match.name((match.seat + 1) % 4), match.name((match.seat + 3) % 4)}:
            stats.opponents.setdefault(other, Tally()).add(tally)
    return stats


def run(args: argparse.Namespace) -> int:
    """0: counted; 1: nothing to count yet."""
    data = data_dir()
    files = sorted(data.glob("profile-*/matches/*.goat"), reverse=True)[:MATCHES_MAX]
    stats = gather(files, own_keys(data), people=args.people)
    if args.json:
        sys.stdout.write(json.dumps(asdict(stats), ensure_ascii=True) + "\n")
    else:
        for line in told(stats):
            sys.stdout.write(line + "\n")
    return 0 if stats.total.matches else 1


def told(stats: Stats) -> Iterator[str]:
    """The results in lines of text."""
    t = stats.total
    if not t.matches:
        yield "No saved match of yours yet. goat play begins one."
    else:
        goats = f"{t.goats} times the goat ({t.with_eggs} with eggs)"
        yield f"Matches  {t.matches}: {t.won} won, {goats}, {t.unfinished} broken off"
        if t.deals:
            share = round(100 * t.deals_won / t.deals)
            yield (f"Deals    {t.deals}: {t.deals_won} won ({share} %), {t.eggs} eggs, "
                   f"{t.points / t.deals:.1f} points each")  # fmt: skip
            yield f"Defeat   given {t.defeat_for}, taken {t.defeat_against}"
        for title, table in (("With", stats.partners), ("Against", stats.opponents)):
            yield ""
            yield f"{title:<18} matches  won  goat  deals  won"
            for name, one in sorted(table.items(), key=lambda item: (-item[1].matches, item[0])):
                yield (f"{pad(safe(name), max(18, cells(name)))} {one.matches:>7} {one.won:>4} {one.goats:>5} "
                       f"{one.deals:>6} {one.deals_won:>4}")  # fmt: skip
    if stats.unreadable:
        yield f"{stats.unreadable} files could not be read; goat verify FILE says more."
