"""``goat play``: a table of one's own with three bots; the first cards are there within a second."""

import argparse
import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from goat_client.commands.sitting import Person, person, preload, sit_down
from goat_client.errors import CommandError
from goat_client.machine.child import Launch, TableProcess, guarded
from goat_client.machine.settings import PACES
from goat_engine.levels import LEVELS
from goat_net.exits import tell
from goat_net.table_options import OptionsError, TableOptions, add_house_rules, house_of

if TYPE_CHECKING:  # imported while the table comes up
    from goat_client.game.control import Outcome
    from goat_net.seat.session import TableSession
    from goat_net.seat.tableview import TableView



def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--bots", default="", metavar="LEVEL[,...]", help=f"opponents' level: {', '.join(LEVELS)}")
    parser.add_argument("--partner", default="expert", metavar="LEVEL", help="your partner's level (%(default)s)")
    add_house_rules(parser)
    parser.add_argument("--pace", type=float, help="how long bots think: 1 is 0.6 to 1.2 s (as set; 1 at first)")
    parser.add_argument("--deal", default="", metavar="CODE", help="play these cards again with bots (G1:...)")
    parser.add_argument("--seed", default="", help="for tests and demos only: the same cards again, not fair")


def levels_of(text: str) -> list[str]:
    """Levels as they are typed. Raises CommandError."""
    levels = [x.strip() for x in text.split(",") if x.strip()]
    for level in levels:
        if level not in LEVELS:
            raise CommandError(f"There is no level {level!r}; the levels are {', '.join(LEVELS)}", 2)
    if not 1 <= len(levels) <= 3:
        raise CommandError(f"Name one to three levels, as in --bots {LEVELS[1]},{LEVELS[2]}", 2)
    return levels


def start_when_seated(session: "TableSession", view: "TableView") -> None:
    """Begin as soon as one sits: nobody else is waited for."""
    if view.stage == "lobby" and view.me is not None and not session.started:
        session.started = True
        session.start()


async def play_with_bots(
    who: Person, levels: list[str], partner: str, options: TableOptions | None = None
) -> "Outcome":
    """Host a private table on this machine and play at it. ``options``: what of them is the player's choice: the rules
    of the house, the bots' pace, a seed."""
    options = replace(
        options or TableOptions(pace=PACES[who.settings.pace]),
        name=f"{who.name[:8]}'s room",
        interface=("127.0.0.1",),
        discovery=False,
        bots=(levels[0], partner, levels[-1]),
        owner=who.identity.public.hex(),
        operator=str(who.key_file),
    )
    launch = Launch(options, journals=str(who.folder / "journals"))
    table = await TableProcess.start(launch, meanwhile=lambda: preload(who))
    async with guarded(table, launch):
        return await sit_down(
            who, (table.address,), seat=0, table_key=table.table_key, begin=start_when_seated, alone=True
        )


def play_again(who: Person, code: str, level: str, pace: float, hints: bool) -> "Outcome":
    """The cards of a deal code once more, with bots, in this process. Raises CommandError."""
    from goat_client.commands.practice import practise
    from goat_engine.record import RecordError, decode_deal

    try:
        deal = decode_deal(code)
    except RecordError as error:
        raise CommandError(str(error), 2) from error
    return asyncio.run(practise(deal, who.settings, who.mode, level=level, pace=pace, hints=hints))


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    with person(args) as who:
        levels = levels_of(args.bots or who.settings.level)
        pace = PACES[who.settings.pace] if args.pace is None else args.pace
        if args.deal:
            return finish(play_again(who, args.deal, levels[0], pace, args.hints))
        partner = levels_of(args.partner)[0]
        try:
            options = TableOptions(pace=pace, seed=args.seed, **house_of(args))
        except OptionsError as error:
            raise CommandError(str(error), 2) from error
        outcome = asyncio.run(play_with_bots(who, levels, partner, options))
    return finish(outcome)


def finish(outcome: "Outcome") -> int:
    """The exit code of a table that was left, and its last word."""
    if outcome.message:
        tell(outcome.message)
    if outcome.signal:
        return 128 + outcome.signal
    return 1 if outcome.end == "closed" else 0
