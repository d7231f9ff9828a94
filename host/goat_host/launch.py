"""How a table's process is started: its arguments, the options that they make, and those that an older version kept."""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass

from goat_net.table_options import OptionsError, TableOptions, add_house_rules, house_of


def parser() -> argparse.ArgumentParser:
    """Arguments of the table's process."""
    out = argparse.ArgumentParser(prog="goat host --headless", description="A table without a seat of one's own.")
    out.add_argument("--name", default="Goat table", help="what the others see")
    out.add_argument("--port", type=int, default=0, help="TCP port; a free one when left out")
    out.add_argument("--interface", action="append", default=[], help="address to listen on and advertise at")
    out.add_argument("--no-discovery", action="store_true", help="do not advertise the table")
    out.add_argument("--bots", default="hard", metavar="LEVEL[,...]", help="levels of bots on free seats")
    out.add_argument("--no-watch", action="store_true", help="let nobody watch")
    add_house_rules(out)
    out.add_argument("--pace", type=float, default=1.0, help="how long bots think; 0 for not at all")
    out.add_argument("--yield-time", type=int, default=3000, help="milliseconds an asked seat takes (R17)")
    out.add_argument("--seed", default="", help="for tests and demos only")
    out.add_argument("--journals", default="", metavar="DIR", help="where the table's log is written")
    out.add_argument("--log-file", default="", metavar="FILE", help="where to write what goes on")
    out.add_argument("--owner", default="", metavar="HEX", help=argparse.SUPPRESS)
    out.add_argument("--operator", default="", metavar="FILE", help=argparse.SUPPRESS)
    out.add_argument("--code-stdin", action="store_true", help="read the table's code from the first line of input")
    out.add_argument("--options-stdin", action="store_true", help=argparse.SUPPRESS)  # `table_options.dumped`
    out.add_argument("--resume", default="", metavar="FILE", help="go on with the match in this file")
    out.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    out.add_argument("--fill", action="store_true", help="fill free seats with bots at once")
    return out


def options_of(words: argparse.Namespace) -> TableOptions:
    """What a table is opened with, as these arguments say. Raises OptionsError."""
    return TableOptions(
        name=words.name, port=words.port, interface=tuple(words.interface), discovery=not words.no_discovery,
        watch=not words.no_watch, bots=tuple(words.bots.split(",")), fill=words.fill, pace=words.pace,
        yield_time=words.yield_time, seed=words.seed, owner=words.owner, operator=words.operator, **house_of(words),
    )  # fmt: skip


def options_of_old(arguments: list[str]) -> TableOptions:
    """What a table was opened with that an older version has kept as arguments; those that are no more are passed
    over. Raises OptionsError."""
    try:
        words, _ = parser().parse_known_args(arguments)
    except SystemExit as error:
        raise OptionsError("its arguments make no sense any more") from error
    return options_of(words)


@dataclass(frozen=True, slots=True)
class Launch:
    """How this process was started. ``options``: of a new table. ``resume``: the file that it goes on with, or empty.
    ``child``: whether a program of ours reads its output and ends it by its input."""

    options: TableOptions
    code: str | None = None
    journals: str = ""
    log_file: str = ""
    resume: str = ""
    child: bool = False


def launch_of(words: argparse.Namespace, read_line: Callable[[], str]) -> Launch:
    """The launch that the arguments and the first lines of input say. Raises OptionsError."""
    options, code = options_of(words), None
    if words.options_stdin:
        given = json.loads(read_line())
        options, code = TableOptions.from_json(given["options"]), given["code"]
    elif words.code_stdin:
        code = read_line().strip()
    return Launch(options, code, words.journals, words.log_file, words.resume, words.child)
