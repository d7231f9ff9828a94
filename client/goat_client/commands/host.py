"""``goat host``: a table for the people on this network, with a seat of one's own or headless."""

import argparse
import asyncio
import getpass
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from goat_client.commands.interfaces import add_interface
from goat_client.commands.play import LEVELS, finish, levels_of
from goat_client.commands.sitting import Person, person, preload, sit_down
from goat_client.errors import CommandError
from goat_client.machine.child import TableProcess, become, guarded
from goat_net.discovery.interfaces import advertised, local_interfaces
from goat_net.exits import tell
from goat_net.wire.address import Address
from goat_net.wire.text import clean_name
from goat_net.wire.words import code_problem, new_code, normal_code

if TYPE_CHECKING:  # imported while the table comes up
    from goat_client.game.control import Outcome
    from goat_net.seat.session import TableSession
    from goat_net.seat.tableview import TableView


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--name", default="", help="the table's name")
    parser.add_argument("--bots", default="", metavar="LEVEL[,...]", help=f"bots that sit at once: {', '.join(LEVELS)}")
    parser.add_argument("--code", action="store_true", help="ask for a code word (Enter makes one of four words)")
    parser.add_argument("--watch", action=argparse.BooleanOptionalAction, default=None, help="let people watch")
    parser.add_argument(
        "--hints", action=argparse.BooleanOptionalAction, default=True, help="let players ask for hints during a deal"
    )
    parser.add_argument("--port", type=int, default=None, help="TCP port; a free one when left out")
    add_interface(parser, "network to be found on (all when left out)")
    parser.add_argument("--no-discovery", action="store_true", help="do not advertise: people join by address")
    parser.add_argument("--headless", action="store_true", help="without a seat of your own; prints one ready line")
    parser.add_argument("--grace", type=int, default=180, help="seconds until others decide about an absent seat")
    parser.add_argument(
        "--clock", default="", metavar="S+S",
        help="turn clock: seconds for each move, and a reserve for each deal; off when left out",
    )  # fmt: skip
    parser.add_argument("--pace", type=float, default=1.0, help="how long bots think: 1 is 0.6 to 1.2 s")
    parser.add_argument("--seed", default="", help="for tests and demos only: not fair")
    parser.add_argument(
        "--resume", nargs="?", const="-", default="", metavar="FILE",
        help="go on with the table that was broken off, or with the match in FILE",
    )  # fmt: skip
    parser.add_argument("--journals", default="", metavar="DIR", help="where the table's log is written")


def clock_of(text: str) -> str:
    """A turn clock as it is typed, such as 30+60. Raises CommandError."""
    base, _, more = text.partition("+")
    if not (base.isdigit() and (more or "0").isdigit() and 5 <= int(base) <= 3600 and int(more or 0) <= 3600):
        raise CommandError(f"{text} is no turn clock: write seconds for a move and a reserve, as in 30+60", 2)
    return f"{base}+{more or 0}"


def table_arguments(args: argparse.Namespace, name: str, watch: bool, port: int) -> list[str]:
    """The table process's arguments for these of the command."""
    if not 0 <= port <= 65535:
        raise CommandError("A port is a number from 1 to 65535; leave --port out to get a free one", 2)
    out = [f"--name={clean_name(name, 'Goat table')}", f"--port={port}", f"--grace={args.grace}"]
    out += [f"--pace={args.pace}"]
    if getattr(args, "clock", ""):
        out += [f"--clock={clock_of(args.clock)}"]
    out += [f"--interface={interface}" for interface in args.interface]
    if args.no_discovery:
        out.append("--no-discovery")
    if not watch:
        out.append("--no-watch")
    if not args.hints:
        out.append("--no-hints")
    if args.seed:
        out += [f"--seed={args.seed}"]
    if args.journals:
        out += [f"--journals={args.journals}"]
    if getattr(args, "resume", ""):
        out += [f"--resume={args.resume}"]
    return out


def ask_code() -> str:
    """The code of a new table: typed unseen, or four words of ours. Never an argument: those are seen by others."""
    typed = getpass.getpass("Code word (Enter for a new one): ").strip() if sys.stdin.isatty() else ""
    if typed and (problem := code_problem(typed)):
        raise CommandError(problem, 2)
    return normal_code(typed) if typed else new_code(os.urandom(8))


async def host(who: Person, arguments: list[str], bots: list[str], code: str | None) -> "Outcome":
    """Host a table and play at it."""
    resuming = any(argument.startswith("--resume=") for argument in arguments)
    arguments += [f"--owner={who.identity.public.hex()}", f"--operator={who.key_file}"]
    arguments += [f"--bots={','.join(bots or [who.settings.level])}"]
    table = await TableProcess.start(arguments, code, lambda: preload(who))

    def begin(session: "TableSession", view: "TableView") -> None:
        if view.stage == "lobby" and view.me is not None and not session.started and not resuming:
            session.started = True
            free = [s.seat for s in view.seats if not s.taken]
            for seat, level in zip(reversed(free), bots, strict=False):
                session.set_bot(seat, level)

    code, seat = (table.code, 4) if table.resumed else (code, 4 if resuming else 0)
    async with guarded(table, arguments):
        outcome = await sit_down(
            who,
            (table.address,),
            seat=seat,
            code=code,
            table_key=table.table_key,
            begin=begin,
            invite=invitation(table, code),
            listen=next(iter(near(table)), ""),
        )
    if table.died:
        told = "The table's program ended and does not start again: goat host --resume goes on with the match"
        return replace(outcome, message=f"{outcome.message}\n{told}".strip())
    return outcome


def near(table: TableProcess) -> list[str]:
    """Numeric addresses at which the others reach this machine, at most three."""
    if {"0.0.0.0", "::"} & set(table.listens):  # noqa: S104 - what it listens on, as it says itself
        reachable = [i for i in local_interfaces() if not i.loopback]
        return [a for a in advertised(reachable) if ":" not in a][:3]
    return list(table.listens)[:3]


def invitation(table: TableProcess, code: str | None) -> tuple[str, ...]:
    """What the host tells whoever does not see the table by himself: where it is, and its code."""
    places = " or ".join(str(Address(a, table.address.port)) for a in near(table))
    lines = [f"Who does not see the table joins by address: {places}"] if places else []
    return (*lines, *([f"The table's code: {code}"] if code else []))


def headless(args: argparse.Namespace) -> int:
    """Become the table's process."""
    arguments = table_arguments(args, args.name or "Goat table", args.watch is not False, args.port or 0)
    if args.bots:
        arguments += [f"--bots={','.join(levels_of(args.bots))}", "--fill"]
    if args.log_file:
        arguments += [f"--log-file={args.log_file}"]
    command = [sys.executable, "-m", "goat_host.keeper", *arguments]
    if args.code:
        command.append("--code-stdin")
    return become(command)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    bots = levels_of(args.bots) if args.bots else []
    if args.headless:
        return headless(args)
    with person(args) as who:
        name = args.name or f"{who.name[:8]}'s table"
        watch = who.settings.watch if args.watch is None else args.watch
        port = who.settings.port if args.port is None else args.port
        code = ask_code() if args.code else None
        if code is not None:
            tell(f"The table's code: {code}")
        outcome = asyncio.run(host(who, table_arguments(args, name, watch, port), bots, code))
    return finish(outcome)
