"""``goat bot``: a bot of one's own that sits down at a table, from this machine."""

import argparse
import asyncio
import sys

from goat_client.commands.finding import WAIT, find_one, typed_address
from goat_client.commands.interfaces import add_interface
from goat_client.commands.join import read_code
from goat_client.commands.play import levels_of
from goat_client.commands.sitting import person
from goat_client.errors import CommandError
from goat_client.machine.child import become


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("table", nargs="?", default="", metavar="NAME or HOST:PORT", help="which table")
    parser.add_argument("--level", default="hard", help="how it plays (%(default)s)")
    parser.add_argument("--seat", type=int, choices=(1, 2, 3, 4), default=None, help="the seat it takes (any)")
    parser.add_argument("--code", action="store_true", help="ask for the table's code word")
    parser.add_argument("--pace", type=float, default=1.0, help="how long it thinks: 1 is 0.6 to 1.2 s")
    parser.add_argument("--seed", default="", help="for tests and demos only")
    parser.add_argument("--save", default="", metavar="DIR", help="where its matches are saved")
    parser.add_argument("--wait", type=float, default=WAIT, metavar="S", help="seconds to look for it (%(default)s)")
    parser.add_argument("--table-key", default="", metavar="HEX", help="join only the table that has this key")
    add_interface(parser, "network to look on (all when left out)")


def run(args: argparse.Namespace) -> int:
    """Find the table, then become the bots' process."""
    level = levels_of(args.level)[0]
    address, has_code = typed_address(args.table), args.code
    if address is None:
        row = asyncio.run(find_one(args.table, args.wait, args.interface))
        if not row.compatible or row.address is None:
            raise CommandError(f"{row.advert.name} speaks another protocol, {row.advert.protocol}", 1)
        address, has_code = row.address, args.code or row.advert.code
    code = read_code() if has_code else None
    command = [sys.executable, "-m", "goat_host.bots", f"--at={address}"]
    command += [f"--interface={interface}" for interface in args.interface]
    if args.table_key:
        command += [f"--table={args.table_key}"]
    command += [f"--sit={4 if args.seat is None else args.seat - 1}:{level}", f"--pace={args.pace}"]
    if args.seed:
        command += [f"--seed={args.seed}"]
    else:
        with person(args, screen=False) as who:
            command += [f"--operator={who.key_file}"]
    if args.save:
        command += [f"--save={args.save}"]
    if code is not None:
        command.append("--code-stdin")
    return become(command, code)
