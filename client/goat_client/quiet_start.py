"""Ctrl-C while the program is still coming up: it ends at once and without a word, as any program does.

`goat_net.exits.ended` is the wall for everything that a command does. Before it stands, what it and the command line
need is imported, and a traceback would come of a Ctrl-C there. Importing this module begins the time, `over` ends it.
"""

import signal

_usual = None
try:  # noqa: SIM105 - contextlib would be imported before it could help
    _usual = signal.signal(signal.SIGINT, signal.SIG_DFL)
except ValueError:  # not in the main thread: whoever imports this there has seen to it
    pass


def over() -> None:
    """The wall is about to stand: an interrupt is an exception again, as it was before."""
    if _usual is not None:
        signal.signal(signal.SIGINT, _usual)
