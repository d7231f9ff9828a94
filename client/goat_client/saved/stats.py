"""``goat stats``: own results from saved matches, by partner and by opponent. `results` counts them."""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

from goat_client.machine.text import cells, pad, safe
from goat_client.saved.results import Stats, Tally, gather
from goat_client.saved.results_cache import ResultsCache
from goat_net.exits import tell
from goat_net.folders import data_dir
from goat_net.wire.identity import Identity, IdentityError

MATCHES_MAX: Final = 10_000  # more files than one plays in a life; each is read whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--people", action="store_true", help="leave out matches in which a bot sat")


def own_keys(data: Path) -> frozenset[bytes]:
    """Public keys of all profiles of this account."""
    keys = set()
    for file in sorted(data.glob("profile-*/identity.key")):
        try:
            keys.add(Identity.load_or_create(file).public)
        except IdentityError:
            continue
    return frozenset(keys)


def run(args: argparse.Namespace) -> int:
    """0: counted; 1: nothing to count yet."""
    data = data_dir()
    files = sorted(data.glob("profile-*/matches/*.goat"), reverse=True)[:MATCHES_MAX]
    own = own_keys(data)
    cache = ResultsCache(data, own)
    stats = gather(files, own, people=args.people, read=cache.read_all(files, tell))
    cache.save()
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
        yours = f" ({t.left} left by you)" if t.left else ""
        yield f"Matches  {t.matches}: {t.won} won, {goats}, {t.unfinished} broken off{yours}"
        if t.deals:
            share = round(100 * t.deals_won / t.deals)
            yield (f"Deals    {t.deals}: {t.deals_won} won ({share} %), {t.eggs} eggs, "
                   f"{t.points / t.deals:.1f} points each")  # fmt: skip
        if t.defeat_for or t.defeat_against:
            yield f"Defeat   given {t.defeat_for}, taken {t.defeat_against}"
        yield from _void(t)
        for title, table in (("With", stats.partners), ("Against", stats.opponents)):
            yield ""
            yield f"{title:<18} matches  won  goat  deals  won  charged  cheats"
            for name, one in sorted(table.items(), key=lambda item: (-item[1].matches, item[0])):
                yield (f"{pad(safe(name), max(18, cells(name)))} {one.matches:>7} {one.won:>4} {one.goats:>5} "
                       f"{one.deals:>6} {one.deals_won:>4} {one.charged:>8} {one.cheated:>7}")  # fmt: skip
    if stats.unreadable:
        yield f"{stats.unreadable} files could not be read; goat verify FILE says more."


def _void(t: Tally) -> Iterator[str]:
    """Deals that did not count, if there are any (R23, R24)."""
    charges, cheats = t.charges_given + t.charges_taken, t.cheats_given + t.cheats_taken
    if not t.excused + charges + cheats:
        return
    parts = [f"{t.excused} excused"] if t.excused else []
    if charges:
        parts.append(f"{charges} charged (given {t.charges_given}, taken {t.charges_taken}, yourself {t.charged})")
    if cheats:
        parts.append(f"{cheats} for a proven cheat (theirs {t.cheats_given}, your team's {t.cheats_taken})")
    yield f"Void     {t.excused + charges + cheats}: {', '.join(parts)}"
