"""How a command finds its table: by name on the network, or by the address that was typed."""

from collections.abc import Callable, Sequence

from goat_client.errors import CommandError
from goat_client.machine.own_tables import is_own_table
from goat_net.discovery.watch import Answer, Row, answer_of, find, matching
from goat_net.version import program_version
from goat_net.wire.address import USUAL_PORT, Address, AddressError, parse_address
from goat_net.wire.messages import PROTOCOL
from goat_net.wire.stream import ask_status

WAIT = 4.0
"""Seconds of looking when nothing else is said: a table that is there answers within one, on a bad network in four."""


async def ask(address: Address) -> Answer:
    """A table's own word, over TCP. Raises OSError when none answers there."""
    answer = await ask_status(address, program_version())
    return answer_of(answer.status, answer.round_trip)


async def look(
    wait: float, interfaces: Sequence[str], enough: Callable[[tuple[Row, ...]], bool] = lambda rows: False
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Tables and hints after ``wait`` seconds, or as soon as there is enough."""
    return await find(ask, PROTOCOL, wait, interfaces=list(interfaces) or None, enough=enough, is_own=is_own_table)


async def find_one(text: str, wait: float, interfaces: Sequence[str]) -> Row:
    """The one table that a person means by a name, or the only one there is. Raises CommandError."""

    def chosen(rows: tuple[Row, ...]) -> tuple[Row, ...]:
        live = tuple(r for r in rows if r.address is not None)
        return matching(live, text) if text else live

    rows, hints = await look(wait, interfaces, lambda rows: bool(chosen(rows)))
    meant = chosen(rows)
    if not meant:
        others = ", ".join(r.advert.name for r in rows)
        what = f"No table called {text!r} was found" if text else "No table was found"
        more = f"; there is {others}" if others else "".join(f"\n{h}" for h in hints)
        raise CommandError(f"{what}{more}", 1)
    if len(meant) > 1:
        names = ", ".join(f"{r.advert.name} ({r.id[:4]}, {r.address})" for r in meant)
        raise CommandError(f"More than one table is meant: {names}. Name one by its address", 2)
    return meant[0]


def typed_address(text: str) -> Address | None:
    """The address that a person typed, or None when it is a table's name. Raises CommandError."""
    if not (":" in text or text.replace(".", "").isdigit()):
        return None
    try:
        return parse_address(text, USUAL_PORT)
    except AddressError as error:
        raise CommandError(str(error), 2) from error
