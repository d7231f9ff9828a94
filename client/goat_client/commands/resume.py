"""Going on with a saved match: at its table when that is there."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from goat_client.commands.sitting import Person, sit_down
from goat_client.errors import CommandError
from goat_client.game.control import Outcome
from goat_client.saved.table_of import table_of
from goat_net.discovery.looking import look
from goat_net.discovery.watch import Row
from goat_net.files import shown
from goat_net.log.chain import log_id_of
from goat_net.wire.identity import table_id as fingerprint_of

LOOK_FOR: Final = 4.0
"""Seconds to look for the match's table: one that is there answers within a second, on a bad network in four."""


async def resume(who: Person, path: Path, interfaces: Sequence[str] = ()) -> Outcome:
    """Sit down where a saved match goes on: at its table, or at another that has been opened with its log. Raises
    CommandError when there is none on this network."""
    table = table_of(path)
    fingerprint, match = fingerprint_of(table.table_key), log_id_of(table.table_key, table.salt, table.fresh)

    def is_it(row: Row) -> bool:
        return row.address is not None and (row.match == match or row.id == fingerprint)

    rows, _ = await look(LOOK_FOR, interfaces, lambda rows: any(map(is_it, rows)))
    for row in sorted(rows, key=lambda row: row.match != match):
        if is_it(row):
            return await sit_down(who, row.addresses, fingerprint=row.id)
    raise CommandError(
        f"{table.name} is not on this network now. Whoever hosted it can go on with goat host --resume. So can you: "
        f"C, then H opens the match here (goat host --resume {shown(path)}).",
        1,
    )
