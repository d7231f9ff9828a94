"""How a command finds its table: by name on the network, or by the address that was typed."""

from collections.abc import Sequence

from goat_client.errors import CommandError
from goat_net.discovery.looking import look
from goat_net.discovery.watch import Row, matching
from goat_net.wire.address import USUAL_PORT, Address, AddressError, parse_address

WAIT = 4.0
"""Seconds of looking when nothing else is said: a table that is there answers within one, on a bad network in four."""

ALONE_AFTER = 1.5
"""Seconds after which a table of a name is taken for the only one: all that are there answer within one, and who is
asked for the first that answers may get another than they mean."""


async def find_one(text: str, wait: float, interfaces: Sequence[str]) -> Row:
    """The one table that a person means by a name, or the only one there is. Raises CommandError."""

    def chosen(rows: tuple[Row, ...]) -> tuple[Row, ...]:
        live = tuple(r for r in rows if r.address is not None)
        return matching(live, text) if text else live

    rows, hints = await look(wait, interfaces, lambda rows: bool(chosen(rows)), least=min(wait, ALONE_AFTER))
    meant = chosen(rows)
    if not meant:
        others = ", ".join(r.advert.name for r in rows)
        what = f"No table called {text!r} was found" if text else "No table was found"
        more = f"; there is {others}" if others else "".join(f"\n{h}" for h in hints)
        raise CommandError(f"{what}{more}", 1)
    if len(meant) > 1:
        names = ", ".join(f"{r.advert.name} ({r.id[:4]}, {r.address})" for r in meant)
        raise CommandError(f"More than one table is meant: {names}. Name one by its id or address", 2)
    return meant[0]


def typed_address(text: str) -> Address | None:
    """The address that a person typed, or None when it is a table's name. Raises CommandError."""
    if not (":" in text or text.replace(".", "").isdigit()):
        return None
    try:
        return parse_address(text, USUAL_PORT)
    except AddressError as error:
        raise CommandError(str(error), 2) from error
