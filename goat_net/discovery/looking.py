"""Looking for tables as every program of ours does it: people's clients, the command line, bots on other machines."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from goat_net.discovery.own_tables import is_own_table
from goat_net.discovery.watch import Answer, Row, answer_of, find
from goat_net.version import program_version
from goat_net.wire.address import Address
from goat_net.wire.messages import PROTOCOL
from goat_net.wire.stream import ask_status

FIND_FOR: Final = 2.0  # s a table that is missed is looked for at a time

Refresh = Callable[[str], Awaitable[Sequence[Address]]]
"""Finds the addresses of the table with a fingerprint, as `goat_net.seat.session.TableSession` takes it."""


async def ask(address: Address) -> Answer:
    """A table's own word, over TCP. Raises OSError when none answers there."""
    answer = await ask_status(address, program_version())
    return answer_of(answer.status, answer.round_trip)


async def look(
    wait: float,
    interfaces: Sequence[str],
    enough: Callable[[tuple[Row, ...]], bool] = lambda rows: False,
    least: float = 0.0,
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Tables and hints after ``wait`` seconds, or as soon as there is enough, but not before ``least`` seconds."""
    return await find(
        ask, PROTOCOL, wait, interfaces=list(interfaces) or None, enough=enough, least=least, is_own=is_own_table
    )


def looking_again(interfaces: Sequence[str] = ()) -> Refresh:
    """For a seat that misses its table: where the table is now, on these interfaces, or nothing."""

    async def again(fingerprint: str) -> Sequence[Address]:
        def found(rows: tuple[Row, ...]) -> bool:
            return any(r.id == fingerprint and r.address is not None for r in rows)

        rows, _ = await look(FIND_FOR, interfaces, found)
        return next((r.addresses for r in rows if r.id == fingerprint), ())

    return again
