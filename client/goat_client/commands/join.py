"""``goat join``: sit down at a table, or watch it; without a name the lobby."""

import argparse
import asyncio
import getpass
import sys

from goat_client.commands.finding import WAIT, find_one, typed_address
from goat_client.commands.interfaces import add_interface
from goat_client.commands.play import finish
from goat_client.commands.sitting import Person, person, sit_down
from goat_client.errors import CommandError
from goat_client.game.control import Outcome
from goat_client.saved.matches import played_in
from goat_net.wire.messages import ROLE_PLAYER, ROLE_WATCHER


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("table", nargs="?", default="", metavar="NAME or HOST:PORT", help="which table")
    parser.add_argument("--seat", type=int, choices=(1, 2, 3, 4), default=None, help="the seat you want (any)")
    parser.add_argument("--watch", action="store_true", help="watch, without a seat")
    parser.add_argument("--code", action="store_true", help="ask for the table's code word")
    parser.add_argument("--wait", type=float, default=WAIT, metavar="S", help="seconds to look for it (%(default)s)")
    add_interface(parser, "network to look on (all when left out)")


def read_code() -> str:
    """The code word, typed unseen."""
    code = getpass.getpass("Code word: ") if sys.stdin.isatty() else sys.stdin.readline()
    if not code.strip():
        raise CommandError("No code word was given", 2)
    return code.strip()


async def join(who: Person, args: argparse.Namespace) -> Outcome:
    """Find the table and be at it."""
    seat = None if args.watch else 4 if args.seat is None else args.seat - 1
    role = ROLE_WATCHER if args.watch else ROLE_PLAYER
    address = typed_address(args.table)
    if address is not None:
        return await sit_down(who, (address,), seat=seat, role=role, code=read_code() if args.code else None)
    row = await find_one(args.table, args.wait, args.interface)
    if not row.compatible:
        raise CommandError(
            f"{row.advert.name} speaks protocol {row.advert.protocol} (goat {row.advert.program}); "
            f"update the older of the two programs",
            1,
        )
    known = bool(row.match) and played_in(who.matches, row.match, who.identity.public)  # a seat's key is enough
    code = read_code() if args.code or (row.advert.code and not known) else None
    return await sit_down(who, row.addresses, seat=seat, role=role, code=code, fingerprint=row.id)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    if not args.table and not args.plain:
        from goat_client.commands.lobby import run as visit

        return visit(args)
    with person(args) as who:
        outcome = asyncio.run(join(who, args))
    return finish(outcome)
