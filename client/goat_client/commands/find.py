"""``goat find``: tables on this network, as a table or as JSON. Also how the other commands find theirs."""

import argparse
import asyncio
import json
from collections.abc import Callable, Sequence

from goat_client.cli import CommandError
from goat_net.address import USUAL_PORT, Address, AddressError, parse_address
from goat_net.lobby import Answer, Row, answer_of, find, matching
from goat_net.messages import PROTOCOL
from goat_net.stream import ask_status
from goat_net.version import program_version

WAIT = 4.0
"""Seconds of looking when nothing else is said: a table that is there answers within one, on a bad network in four."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON object a table")
    parser.add_argument("--wait", type=float, default=WAIT, metavar="S", help="seconds to look (%(default)s)")
    parser.add_argument("--interface", action="append", default=[], help="where to look (everywhere when left out)")


async def ask(address: Address) -> Answer:
    """A table's own word, over TCP. Raises OSError when none answers there."""
    answer = await ask_status(address, program_version())
    return answer_of(answer.status, answer.round_trip)


async def look(
    wait: float, interfaces: Sequence[str], enough: Callable[[tuple[Row, ...]], bool] = lambda rows: False
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Tables and hints after ``wait`` seconds, or as soon as there is enough."""
    return await find(ask, PROTOCOL, wait, interfaces=list(interfaces) or None, enough=enough)


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


def row_data(row: Row) -> dict[str, object]:
    """One table as JSON."""
    a = row.advert
    return {
        "name": a.name,
        "id": a.id,
        "seats": a.seats_taken,
        "state": a.state,
        "address": str(row.address) if row.address else None,
        "protocol": a.protocol,
        "program": a.program,
        "compatible": row.compatible,
        "watch": a.watch,
        "code": a.code,
        "round_trip_ms": None if row.round_trip is None else round(row.round_trip * 1000, 2),
    }


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    if not 0 < args.wait <= 3600:
        raise CommandError("--wait takes seconds, from 0.1 to 3600", 2)
    rows, hints = asyncio.run(look(args.wait, args.interface))
    for row in rows:
        data = row_data(row)
        if args.json:
            print(json.dumps(data, ensure_ascii=False))  # noqa: T201 - data of the command
            continue
        trip = "" if row.round_trip is None else f"{row.round_trip * 1000:.1f} ms"
        marks = " code" * row.advert.code + ("" if row.compatible else f" (speaks protocol {row.advert.protocol})")
        print(f"{row.advert.name:16}  {row.advert.seats_taken}/4  {data['address'] or '-':21}  {trip}{marks}")  # noqa: T201
    if not rows:
        from goat_client.seat import tell

        tell("No table was found.")
        for hint in hints:
            tell(hint)
    return 0 if rows else 1
