"""Saved matches of this account: where they are and one line about each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from goat_net.files import FileError, shown
from goat_net.log.chain import parse_record
from goat_net.log.fold import END_CLOSED, END_OVER, END_SEATS
from goat_net.log.records import End, Table
from goat_net.seat.store import SUFFIX, read_ends, read_first
from goat_net.wire.codec import WireError

NAMED: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})-([0-9]{2})([0-9]{2})-")
ENDED: Final = {END_OVER: "played to the end", END_SEATS: "went on under other seats", END_CLOSED: "table closed"}
"""How a log has ended, by its last record."""
LISTED: Final = 200  # newest ones; reading the first and last record of more would be felt


@dataclass(frozen=True, slots=True)
class SavedMatch:
    """One saved match. ``open``: it was broken off and can be played on if its table is there."""

    path: Path
    about: str
    open: bool


def match_files(data: Path) -> list[Path]:
    """Saved matches of all profiles, newest first."""
    files = [p for p in data.glob("profile-*/matches/*.goat") if p.is_file()]
    return sorted(files, key=lambda p: p.name, reverse=True)


def played_in(matches: Path, log_id: bytes, key: bytes) -> bool:
    """Whether the log of this id lies in a folder of matches and has a seat for this key: a table that goes on with it
    goes on with one's own match."""
    for path in matches.glob(f"*-{log_id.hex()[:16]}*{SUFFIX}"):
        try:
            first = read_first(path)
            table = parse_record(first.record).body if first is not None else None
        except (FileError, WireError):
            continue
        if isinstance(table, Table) and any(seat.key == key and not seat.bot for seat in table.seats):
            return True
    return False


def saved_matches(data: Path) -> Iterator[SavedMatch]:
    """The newest saved matches with a line about each; what cannot be read is passed over."""
    for path in match_files(data)[:LISTED]:
        try:
            ends = read_ends(path)
            if ends is None:
                continue
            table, last = (parse_record(entry.record).body for entry in ends)
        except (FileError, WireError):
            continue
        if isinstance(table, Table):
            yield SavedMatch(path, f"{when(path)} {about(table, last)}", not isinstance(last, End))


def when(path: Path) -> str:
    """Day and time of a match, from the name of its file; whatever else stands there is shown harmless."""
    found = NAMED.match(path.name)
    return f"{found[1]} {found[2]}:{found[3]}" if found else shown(path.name[:10])


def about(table: Table, last: object) -> str:
    """Where a match was played, with whom, bots with their level, and how its log has ended."""
    names = ", ".join(f"{s.name} ({s.level or 'bot'})" if s.bot else s.name for s in table.seats)
    how = ENDED.get(last.reason, "ended") if isinstance(last, End) else "broken off"
    return f"{table.name}: {names}; {how}"
