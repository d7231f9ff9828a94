"""Where log lines go, and how: as they may stand in a file that somebody reads in a terminal."""

import logging

from goat_net.exits import PersonError
from goat_net.harmless import harmless

_FORMAT = "%(asctime)s %(name)s %(levelname)s %(message)s"


class HarmlessFormatter(logging.Formatter):
    """Lines in which names and errors of others can't act on a terminal, nor begin a line of their own."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """The line without a traceback."""
        return harmless(super().formatMessage(record))

    def formatException(self, ei: object) -> str:  # noqa: N802 - the library's name
        """A traceback, indented."""
        return "  " + harmless(super().formatException(ei), lines=True).replace("\n", "\n  ")  # type: ignore[arg-type]


def log_to(file: str, level: int) -> None:
    """Write log lines of this level and above into a file, or to standard error when none is named. Raises
    PersonError."""
    handler: logging.Handler = logging.StreamHandler()
    try:
        if file:
            handler = logging.FileHandler(file, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise PersonError(f"The log file {file} cannot be written ({error.strerror}). Name another file.") from error
    handler.setFormatter(HarmlessFormatter(_FORMAT))
    logging.basicConfig(handlers=[handler], level=level)
