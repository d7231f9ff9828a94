"""``goat replay``: step through a match, forth and back, all cards open or as one seat saw it."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from goat_client.errors import CommandError
from goat_client.lines.stdin import stdin_lines
from goat_client.machine.settings import SettingsError, load
from goat_client.machine.terminal_mode import Mode, choose
from goat_client.machine.text import safe
from goat_client.saved.matches import match_files
from goat_client.saved.matchfile import MatchFileError, open_match
from goat_client.saved.replay import ReplayModel
from goat_net.folders import config_dir, data_path

LOOKED_AT: Final = 20  # newest files that are tried for one with a finished deal: some tenths of a second


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "source", nargs="?", default="", metavar="FILE",
        help="a saved match, a deal as text, or a deal code (G1:...); the newest saved match when left out",
    )  # fmt: skip
    parser.add_argument("--deal", type=int, default=0, metavar="N", help="begin at this deal")
    parser.add_argument("--seat", type=int, default=0, choices=range(5), help="as this seat (1-4) saw it; 0: all open")
    parser.add_argument("--review", action="store_true", help="and what the bot would have played, deal by deal")
    parser.add_argument("--step", action="store_true", help="in lines: a step for each line that is read")
    parser.add_argument("--codes", action="store_true", help="print the deal codes and nothing else")


def run(args: argparse.Namespace) -> int:
    """0 when it was shown; CommandError when there is nothing to show."""
    try:
        match = open_match(args.source or newest())
        settings, _ = load(_settings_path())
    except (MatchFileError, SettingsError) as error:
        raise CommandError(str(error), 2) from error
    changes = {"ascii": "yes"} if args.ascii else {}
    changes |= {"colour": "none"} if args.no_color else {}
    settings = replace(settings, **changes)  # type: ignore[arg-type]  # both are text
    if args.deal and args.deal not in [d.number for d in match.deals]:
        known = ", ".join(str(d.number) for d in match.deals)
        raise CommandError(f"There is no deal {args.deal} to step through; there are {known}.", 2)
    if args.codes:
        for deal in match.deals:
            sys.stdout.write(f"{deal.number} {deal.code}\n")
        return 0
    model = ReplayModel(match, settings)
    model.seat_key(args.seat)
    if args.deal:
        model.to_deal([d.number for d in match.deals].index(args.deal))
    mode = choose(plain=args.plain)
    if args.step or (mode is Mode.PLAIN and sys.stdin.isatty() and sys.stdout.isatty()):
        asyncio.run(step_by_lines(model, stdin_lines(sys.stdin), review=args.review))
        return 0
    if mode is not Mode.FULL:
        for line in model.told(review=args.review):
            sys.stdout.write(safe(model.inner.glyphs.say(line)) + "\n")
        return 0
    if args.review:
        model.do("review")
    return asyncio.run(show(model))


async def step_by_lines(model: ReplayModel, lines: AsyncIterator[str], *, review: bool = False) -> None:
    """Step through a match by lines."""
    from goat_client.lines.plain_replay import run_plain_replay

    def write(text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    await run_plain_replay(model, lines=lines, write=write, review=review)


def newest() -> str:
    """The file of the newest saved match with a finished deal. Raises CommandError when there is none."""
    for path in match_files(data_path())[:LOOKED_AT]:
        try:
            open_match(str(path))
        except MatchFileError:
            continue  # left in its first deal, or damaged: goat verify says which
        return str(path)
    raise CommandError("No finished deal is saved yet: every match that you play is saved. goat play begins one.", 2)


def _settings_path() -> Path:
    return config_dir() / "goat.toml"


async def show(model: ReplayModel) -> int:
    """A replay on the full screen, and the deal played on from it if that is asked for; gives the exit code."""
    from goat_client.screen.replay_screen import ReplayScreen
    from goat_client.screen.terminal import run_screen

    number = await run_screen(ReplayScreen(model))
    if model.again is not None and not number:
        from goat_client.commands.practice import play_on

        number = (await play_on(model.again, model.settings, Mode.FULL)).signal
    return 128 + number if number else 0
