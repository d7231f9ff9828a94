"""The table's process. ``python -m goat_host`` is ``goat host --headless``.

It ends by itself at end of input when it is somebody's child. Nothing heavy is imported before the bots' process has
been started: the two come up side by side.
"""

import sys

from goat_host.bot_process import BotsProcess
from goat_host.launch import launch_of, parser
from goat_net.exits import PersonError, ended
from goat_net.table_options import OptionsError


def main(argv: list[str] | None = None) -> int:
    """Run a table; returns the exit code."""
    return ended(lambda: _run(argv))


def _run(argv: list[str] | None) -> int:
    words = parser().parse_args(argv)
    try:
        launch = launch_of(words, sys.stdin.readline)
    except (OptionsError, ValueError, KeyError, TypeError) as error:
        raise PersonError(f"The table can't be opened so. {error}") from error
    options = launch.options
    bots = BotsProcess(options.pace, options.operator, options.seed)
    try:
        if (options.fill or options.owner) and not launch.resume:
            bots.warm()
        from goat_host.serve import run_table

        return run_table(launch, bots)
    finally:
        bots.close()
