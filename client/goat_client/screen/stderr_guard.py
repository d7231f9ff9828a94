"""What would tear a screen: errors of other tasks and writing to stderr, kept off the terminal while it is on."""

import asyncio
import contextlib
import io
import logging
from collections.abc import Callable, Iterator
from typing import Final

log = logging.getLogger(__name__)

STDERR_KEPT: Final = 65536  # characters of stray output taken note of


@contextlib.contextmanager
def background_errors(loop: asyncio.AbstractEventLoop, alarm: Callable[[], None]) -> Iterator[None]:
    """What goes wrong in other tasks is for the log and a mark on the screen, not for the terminal."""
    before = loop.get_exception_handler()

    def handle(_: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        log.error("%s", context.get("message", "error"), exc_info=error if isinstance(error, Exception) else None)
        alarm()

    loop.set_exception_handler(handle)
    try:
        yield
    finally:
        loop.set_exception_handler(before)


class Stray(io.TextIOBase):
    """Stands in for stderr while the screen is on: what is written goes to the log, if there is one."""

    def __init__(self, alarm: Callable[[], None]) -> None:
        self._alarm, self._busy, self._count = alarm, False, 0

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        self._count += len(text)
        if text.strip() and not self._busy and self._count <= STDERR_KEPT:
            self._busy = True
            try:
                if logging.getLogger().hasHandlers():
                    log.warning("stray output: %s", text.rstrip())
            finally:
                self._busy = False
            self._alarm()
        return len(text)
