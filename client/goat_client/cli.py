"""The ``goat`` command: which words it knows and where each is carried out. Nothing heavy is imported here.

Data goes to standard output, talk to standard error. What exit codes mean stands in `goat_net.exits`.
"""

from goat_client import quiet_start  # before what takes its time: until the end of this module

# isort: split

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import pairwise
from typing import Final, NoReturn

from goat_net.exits import ended, tell
from goat_net.harmless import harmless
from goat_net.language import chosen, offered, use

COMMANDS: Final = {
    "play": ("goat_client.commands.play", "a table of your own with three bots"),
    "host": ("goat_client.commands.host", "a table for the people on this network"),
    "join": ("goat_client.commands.join", "sit down at a table, or watch it"),
    "find": ("goat_client.commands.find", "list the tables on this network"),
    "web": ("goat_client.commands.web", "a page for guests with nothing but a browser"),
    "bot": ("goat_client.commands.bot", "a bot of yours that sits down at a table"),
    "demo": ("goat_client.commands.demo", "four bots play deals; prints what happens"),
    "verify": ("goat_client.saved.verify", "check saved matches: every shuffle, card and play"),
    "replay": ("goat_client.commands.replay", "step through a saved match, all cards open"),
    "stats": ("goat_client.saved.stats", "your own results from saved matches"),
    "learn": ("goat_client.commands.learn", "a short lesson that you play"),
    "arena": ("goat_client.commands.arena", "bots against bots, with intervals"),
    "doctor": ("goat_client.machine.doctor", "what is right and wrong with this machine for a table"),
    "lobby": ("goat_client.commands.lobby", "tables on this network (the same as no command)"),
}


EXAMPLES: Final = {
    "play": "goat play --bots easy,hard --partner expert",
    "host": "goat host --name Kitchen --code --clock 30+60",
    "join": "goat join Kitchen --seat 2, or goat join 192.168.1.20",
    "find": "goat find --wait 2 --json",
    "bot": "goat bot Kitchen --level expert --seat 3",
    "demo": "goat demo --deals 3 --seed 7",
    "verify": "goat verify ~/.local/share/goat/profile-1/matches/*.goat",
    "replay": "goat replay MATCH.goat --deal 2 --seat 1",
    "stats": "goat stats --people",
    "arena": "goat arena expert hard --deals 100",
}


class Parser(argparse.ArgumentParser):
    """A command's arguments. What was typed is said back, and nothing in it may act on a terminal."""

    def error(self, message: str) -> NoReturn:
        """Wrong usage."""
        super().error(harmless(message))


def common(parser: argparse.ArgumentParser) -> None:
    """Options that every command knows."""
    group = parser.add_argument_group("for every command")
    group.add_argument("--plain", action="store_true", help="lines of text instead of the full screen")
    group.add_argument("--ascii", action="store_true", help="no symbols: S H D C for suits")
    group.add_argument("--no-color", action="store_true", help="no colours (NO_COLOR does the same)")
    group.add_argument("--lang", default="", metavar="LANG", help=f"language: {', '.join(offered())}")
    group.add_argument("--log-file", default="", metavar="FILE", help="write what goes on into this file")
    group.add_argument("-v", "--verbose", action="store_true", help="write more into it")


def help_text() -> str:
    """What ``goat --help`` prints."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {about}" for name, (_, about) in COMMANDS.items()]
    return "\n".join(
        [
            "usage: goat [COMMAND] [OPTIONS]",
            "",
            "Goat, the card game, for people on one local network. Without a command: the lobby.",
            "",
            *lines,
            "",
            "goat COMMAND --help says more; goat --version says which goat this is.",
        ]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out a command line; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    return ended(lambda: carry_out(words))


def carry_out(words: list[str]) -> int:
    """What `main` does, without the wall around it."""
    if words[:1] == ["--version"]:
        from goat_net.version import program_version

        print(f"goat {program_version()}")  # noqa: T201 - data of a command
        return 0
    if words[:1] == ["help"] and len(words) > 1:
        words = [words[1], "--help"]
    if words[:1] in (["--help"], ["-h"], ["help"]):
        print(help_text())  # noqa: T201 - data of a command
        return 0
    if not _speak(words):
        return 2
    name = "lobby"
    if words and not words[0].startswith("-"):
        name, words = words[0], words[1:]
    if name not in COMMANDS:
        tell(f"goat has no command {name!r}{_meant(name)}; goat --help lists what it has")
        return 2
    return _run(name, words)


def _speak(words: Sequence[str]) -> bool:
    """Choose the language before anything is said in it; False when the one that was asked for is not there."""
    asked = [w.partition("=")[2] for w in words if w.startswith("--lang=")]
    asked += [after for word, after in pairwise(words) if word == "--lang"]
    setting = _setting() if len(offered()) > 1 and not asked else ""
    try:
        use(chosen(asked[-1] if asked else "", setting, os.environ))
    except ValueError as error:
        tell(f"--lang: {error}")
        return False
    return True


def _setting() -> str:
    """The language of the settings."""
    return str(import_module("goat_client.commands.spoken").setting())


def _meant(name: str) -> str:
    """What a mistyped command may have been meant for."""
    near = get_close_matches(name.lower(), COMMANDS, 1, 0.6)
    return f" (did you mean {near[0]}?)" if near else ""


def _run(name: str, words: list[str]) -> int:
    module_name, about = COMMANDS[name]
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name != module_name:
            raise
        tell(f"goat {name} is not in this version")
        return 2
    example = EXAMPLES.get(name, "")
    parser = Parser(
        prog=f"goat {name}",
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=f"For example: {example}" if example else None,
    )
    module.add_arguments(parser)
    common(parser)
    args = parser.parse_args(words)
    _log_to(args)
    code = module.run(args)
    assert isinstance(code, int)
    return code


def _log_to(args: argparse.Namespace) -> None:
    """Log lines go to the file that was named, and nowhere else: the screen is the game's."""
    import logging

    from goat_net.logs import log_to

    if not args.log_file:
        logging.getLogger().addHandler(logging.NullHandler())
        return
    level = logging.DEBUG if args.verbose else logging.INFO
    log_to(args.log_file, level)


quiet_start.over()
