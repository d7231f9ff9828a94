"""Going on with a saved match: at its table when that is there."""

from pathlib import Path
from typing import Final

from goat_client.cli import CommandError
from goat_client.commands.find import look
from goat_client.control import Outcome
from goat_client.seat import Person, sit_down
from goat_net.advert import table_id
from goat_net.codec import WireError
from goat_net.log import ChainError, LogFileError, parse_record
from goat_net.records import Table
from goat_net.store import read_intact

LOOK_FOR: Final = 4.0
"""Seconds to look for the match's table: one that is there answers within a second, on a bad network in four."""


def table_of(path: Path) -> Table:
    """The table that a saved match was played at. Raises CommandError."""
    try:
        entries, _ = read_intact(path)
        body = parse_record(entries[0].record).body if entries else None
    except (OSError, LogFileError, ChainError, WireError) as error:
        raise CommandError(f"{path.name} cannot be read ({error})", 2) from error
    if not isinstance(body, Table):
        raise CommandError(f"{path.name} is no saved match", 2)
    return body


async def resume(who: Person, path: Path) -> Outcome:
    """Sit down at the table of a saved match again. Raises CommandError when it is not on this network."""
    table = table_of(path)
    fingerprint = table_id(table.table_key)
    rows, _ = await look(LOOK_FOR, (), lambda rows: any(r.id == fingerprint and r.address for r in rows))
    for row in rows:
        if row.id == fingerprint and row.address is not None:
            return await sit_down(who, row.addresses, fingerprint=fingerprint)
    raise CommandError(
        f"{table.name} is not on this network now. Whoever hosted it can go on with goat host --resume, "
        f"and so can you: goat host --resume {path}",
        1,
    )
