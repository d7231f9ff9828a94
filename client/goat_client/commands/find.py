"""``goat find``: tables on this network, as a table or as JSON."""

import argparse
import asyncio
import json

from goat_client.commands.finding import WAIT
from goat_client.commands.interfaces import add_interface
from goat_client.errors import CommandError
from goat_net.discovery.looking import look
from goat_net.discovery.watch import Row
from goat_net.exits import tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON object a table")
    parser.add_argument("--wait", type=float, default=WAIT, metavar="S", help="seconds to look (%(default)s)")
    add_interface(parser, "network to look on (all when left out)")


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
        tell("No table was found.")
        for hint in hints:
            tell(hint)
    return 0 if rows else 1
