"""The table that a saved match was played at."""

from pathlib import Path

from goat_client.errors import CommandError
from goat_net.files import FileError, shown
from goat_net.log.chain import ChainError, parse_record
from goat_net.log.records import Table
from goat_net.seat.store import read_intact
from goat_net.wire.codec import WireError


def table_of(path: Path) -> Table:
    """The table that a saved match was played at. Raises CommandError."""
    try:
        entries, _ = read_intact(path)
        body = parse_record(entries[0].record).body if entries else None
    except FileError as error:
        raise CommandError(str(error), 2) from error
    except (ChainError, WireError) as error:
        raise CommandError(f"{shown(path.name)} cannot be read ({error})", 2) from error
    if not isinstance(body, Table):
        raise CommandError(f"{shown(path.name)} is no saved match", 2)
    return body
