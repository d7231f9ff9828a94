"""``goat host``: a table for the people on this network, with a seat of one's own or headless."""

import argparse
import asyncio
import getpass
import json
import os
import signal
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from goat_client.commands.interfaces import add_interface
from goat_client.commands.play import finish, levels_of
from goat_client.commands.sitting import Person, person, preload, sit_down
from goat_client.commands.web import TableAt, add_page_arguments, own_hosts, page
from goat_client.errors import CommandError
from goat_client.machine.child import Launch, TableProcess, become, guarded
from goat_client.machine.near import invitation, near
from goat_client.machine.settings import PACES
from goat_engine.levels import LEVELS
from goat_net.exits import tell
from goat_net.table_options import OptionsError, TableOptions, add_house_rules, house_of
from goat_net.wire.address import USUAL_PORT, parse_address
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
    add_house_rules(parser)
    parser.add_argument("--port", type=int, default=None, help="TCP port; a free one when left out")
    add_interface(parser, "network to be found on (all when left out)")
    parser.add_argument("--no-discovery", action="store_true", help="do not advertise: people join by address")
    parser.add_argument("--web", action="store_true", help="and a page for guests with nothing but a browser")
    add_page_arguments(parser)
    parser.add_argument("--headless", action="store_true", help="without a seat of your own; prints one ready line")
    parser.add_argument("--pace", type=float, help="how long bots think: 1 is 0.6 to 1.2 s (as set; 1 at first)")
    parser.add_argument("--seed", default="", help="for tests and demos only: not fair")
    parser.add_argument(
        "--resume", nargs="?", const="-", default="", metavar="FILE",
        help="go on with the table that was broken off, or with the match in FILE",
    )  # fmt: skip
    parser.add_argument("--journals", default="", metavar="DIR", help="where the table's log is written")


def table_options(args: argparse.Namespace, name: str, watch: bool, port: int) -> TableOptions:
    """What a table is opened with that the command line says. Raises CommandError."""
    try:
        return TableOptions(
            name=clean_name(name, "Goat table"), port=port, interface=tuple(args.interface), watch=watch,
            discovery=not args.no_discovery, pace=1.0 if args.pace is None else args.pace, seed=args.seed,
            **house_of(args),
        )  # fmt: skip
    except OptionsError as error:
        raise CommandError(str(error), 2) from error


def ask_code() -> str:
    """The code of a new table: typed unseen, or four words of ours. Never an argument: those are seen by others."""
    typed = getpass.getpass("Code word (Enter for a new one): ").strip() if sys.stdin.isatty() else ""
    if typed and (problem := code_problem(typed)):
        raise CommandError(problem, 2)
    return normal_code(typed) if typed else new_code(os.urandom(8))


def headless_code() -> str:
    """The code of a table without a seat: as `ask_code`, or the first line of an input that is no terminal."""
    given = "" if sys.stdin.isatty() else sys.stdin.readline().strip()
    if not given:
        code = ask_code()
        tell(f"The table's code: {code}")
        return code
    if problem := code_problem(given):
        raise CommandError(problem, 2)
    return normal_code(given)


async def host(
    who: Person, launch: Launch, bots: list[str], pages: argparse.Namespace | None = None
) -> "Outcome":
    """Host a table and play at it. ``pages``: how a page for guests with a browser is served, if one is."""
    resuming, code, levels = bool(launch.resume), launch.code, tuple(bots or [who.settings.level])
    owner, operator = who.identity.public.hex(), str(who.key_file)
    launch = replace(launch, options=replace(launch.options, owner=owner, operator=operator, bots=levels))
    table = await TableProcess.start(launch, lambda: preload(who))

    def begin(session: "TableSession", view: "TableView") -> None:
        if view.stage == "lobby" and view.me is not None and not session.started and not resuming:
            session.started = True
            free = [s.seat for s in view.seats if not s.taken]
            for seat, level in zip(reversed(free), bots, strict=False):
                session.set_bot(seat, level)

    code, seat = (table.code, 4) if table.resumed else (code, 4 if resuming else 0)
    async with guarded(table, launch), AsyncExitStack() as beside:
        lines = invitation(table, code)
        if pages is not None:
            served = page(pages, TableAt((table.address,)), who.name, own_hosts(pages.interface))
            url, word = await beside.enter_async_context(served)
            lines = tuple(line for line in (f"Guests with a browser open {url}", word, *lines) if line)
        outcome = await sit_down(
            who,
            (table.address,),
            seat=seat,
            code=code,
            table_key=table.table_key,
            begin=begin,
            invite=lines,
            listen=next(iter(near(table)), ""),
        )
    if table.died:
        told = "The table's program ended and does not start again: goat host --resume goes on with the match"
        return replace(outcome, message=f"{outcome.message}\n{told}".strip())
    return outcome


def headless(args: argparse.Namespace) -> int:
    """Become the keeper of a table's process."""
    options = table_options(args, args.name or "Goat table", args.watch is not False, args.port or 0)
    if args.bots:
        options = replace(options, bots=tuple(levels_of(args.bots)), fill=True)
    launch = Launch(options, headless_code() if args.code else None, args.journals, args.resume)
    command = [sys.executable, "-m", "goat_host.keeper", *launch.words]
    if args.log_file:
        command.append(f"--log-file={args.log_file}")
    if args.web:
        return asyncio.run(headless_with_page(args, command, launch.given))
    return become(command, launch.given)


async def headless_with_page(args: argparse.Namespace, command: list[str], given: str | None) -> int:
    """A table without a seat, as a child, and a page for it here; the ready line names the page as ``web``."""
    table = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert table.stdin is not None
    assert table.stdout is not None
    if hasattr(signal, "SIGTERM") and os.name == "posix":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, table.terminate)
    try:
        if given is not None:
            table.stdin.write(given.encode() + b"\n")
        ready = await table.stdout.readline()
        if not ready:
            return await table.wait()
        facts = json.loads(ready)
        where = TableAt((parse_address(facts["address"], USUAL_PORT),))
        async with page(args, where, facts["name"], own_hosts(args.interface)) as (url, _):
            print(json.dumps({**facts, "web": url}, ensure_ascii=False), flush=True)  # noqa: T201 - the ready line
            while line := await table.stdout.readline():
                print(line.decode("utf-8", "replace"), end="", flush=True)  # noqa: T201 - the table's own words
            return await table.wait()
    finally:
        if table.returncode is None:
            table.terminate()
            await table.wait()


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    bots = levels_of(args.bots) if args.bots else []
    if args.headless:
        return headless(args)
    with person(args) as who:
        name = args.name or f"{who.name[:8]}'s table"
        watch = who.settings.watch if args.watch is None else args.watch
        port = who.settings.port if args.port is None else args.port
        args.pace = PACES[who.settings.pace] if args.pace is None else args.pace
        code = ask_code() if args.code else None
        if code is not None:
            tell(f"The table's code: {code}")
        launch = Launch(table_options(args, name, watch, port), code, args.journals, args.resume)
        outcome = asyncio.run(host(who, launch, bots, args if args.web else None))
    return finish(outcome)
