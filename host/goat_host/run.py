"""The table's process. ``python -m goat_host`` is ``goat host --headless``.

It ends by itself at end of input when it is somebody's child. Nothing heavy is imported before the bots' process has
been started: the two come up side by side.
"""

import argparse
import sys
from typing import Final

from goat_host.bot_process import BotsProcess
from goat_net.exits import ended

GRACE: Final = 180  # s (R24)


def parser() -> argparse.ArgumentParser:
    """Arguments of the table's process."""
    out = argparse.ArgumentParser(prog="goat host --headless", description="A table without a seat of one's own.")
    out.add_argument("--name", default="Goat table", help="what the others see")
    out.add_argument("--port", type=int, default=0, help="TCP port; a free one when left out")
    out.add_argument("--interface", action="append", default=[], help="address to listen on and advertise at")
    out.add_argument("--no-discovery", action="store_true", help="do not advertise the table")
    out.add_argument("--bots", default="hard", metavar="LEVEL[,...]", help="levels of bots on free seats")
    out.add_argument("--no-watch", action="store_true", help="let nobody watch")
    out.add_argument("--no-hints", action="store_true", help="a table without hints")
    out.add_argument("--grace", type=int, default=GRACE, help="seconds until the others decide about an absent seat")
    out.add_argument("--clock", default="0+0", metavar="S+S", help="turn clock: seconds for a move, reserve for a deal")
    out.add_argument("--pace", type=float, default=1.0, help="how long bots think; 0 for not at all")
    out.add_argument("--target", type=int, default=12, help="defeat points that make a goat")
    out.add_argument("--yield-time", type=int, default=3000, help="milliseconds an asked seat takes (R17)")
    out.add_argument("--seed", default="", help="for tests and demos only")
    out.add_argument("--journals", default="", metavar="DIR", help="where the table's log is written")
    out.add_argument("--log-file", default="", metavar="FILE", help="where to write what goes on")
    out.add_argument("--owner", default="", metavar="HEX", help=argparse.SUPPRESS)
    out.add_argument("--operator", default="", metavar="FILE", help=argparse.SUPPRESS)
    out.add_argument("--code-stdin", action="store_true", help="read the table's code from the first line of input")
    out.add_argument("--resume", default="", metavar="FILE", help="go on with the match in this file")
    out.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    out.add_argument("--fill", action="store_true", help="fill free seats with bots at once")
    return out


def main(argv: list[str] | None = None) -> int:
    """Run a table; returns the exit code."""
    return ended(lambda: _run(argv))


def _run(argv: list[str] | None) -> int:
    options = parser().parse_args(argv)
    bots = BotsProcess(options.pace, options.operator, options.seed)
    try:
        code = sys.stdin.readline().strip() if options.code_stdin else None
        if (options.fill or options.owner) and not options.resume:
            bots.warm()
        from goat_host.serve import run_table

        return run_table(options, code, bots)
    finally:
        bots.close()
