"""How a program of ours ends: what each exit code means, and the one place where an error becomes one.

An exit code is an answer. So an error that nobody foresaw has a code of its own, and never leaves as a 1, which means
"no". Every program goes through `ended`: the command ``goat``, the table's process and the bots' process.
"""

import errno
import io
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Final, TextIO

from goat_net.harmless import harmless

GOOD: Final = 0
NEGATIVE: Final = 1  # a negative answer: a cheat was found, no table is there, the table closed
UNUSABLE: Final = 2  # wrong usage, or something that is missing or can't be read or written
FAULT: Final = 70  # a fault of this program; the number that sysexits.h gives to "internal software error"
INTERRUPTED: Final = 130  # 128 + SIGINT, as shells have it
PIPE_GONE: Final = 141  # 128 + SIGPIPE: what a program has that is ended because nobody reads its output

_STANDARD: Final = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))  # by file descriptor


class _Output(io.TextIOWrapper):
    """Standard output that remembers why it could not be written: without a buffer, a later flush does not tell."""

    lost: OSError | None = None

    def write(self, text: str) -> int:
        """As `io.TextIOWrapper`."""
        try:
            return super().write(text)
        except OSError as error:
            self.lost = error
            raise

    def flush(self) -> None:
        """As `io.TextIOWrapper`."""
        try:
            super().flush()
        except OSError as error:
            self.lost = error
            raise


class PersonError(Exception):
    """Something cannot be done. The text is a sentence for the person: what happened, what to do. ``code`` is the exit
    code of a program that ends by it."""

    def __init__(self, text: str, code: int = UNUSABLE) -> None:
        super().__init__(text)
        self.code = code


def ended(run: Callable[[], int]) -> int:
    """Run a program and return its exit code. Whatever it raises becomes a sentence on standard error and a code."""
    closed = _open_standard_streams()
    if "stdout" in closed:
        tell("Standard output is closed, so there is nowhere to write to.")
        return UNUSABLE
    try:
        code = run()
    except SystemExit as error:  # argparse has said its word
        code = error.code if isinstance(error.code, int) else GOOD if error.code is None else _said(error.code)
    except BaseException as error:  # the wall: nothing leaves a program as another code than its own
        if not isinstance(error, (Exception, KeyboardInterrupt, BaseExceptionGroup)) and not _is_cancelled(error):
            raise  # a test's own way out
        return _ended_by(error)
    lost = _output_error()  # also what argparse has passed over in silence
    return code if lost is None else _lost(lost)


def _is_cancelled(error: BaseException) -> bool:
    """Whether it is asyncio's CancelledError, by its name: asyncio need not be imported for a quick answer."""
    return type(error).__name__ == "CancelledError"


def tell(text: str) -> None:
    """A word to the person on standard error. Nothing in it acts on a terminal."""
    try:
        print(harmless(text, lines=True), file=sys.stderr, flush=True)  # noqa: T201 - that is what this is for
    except (OSError, ValueError):
        return  # nobody can be told


def _said(text: object) -> int:
    tell(str(text))
    return UNUSABLE


def _lost(error: OSError) -> int:
    """What was printed is not whole: that is said, unless nobody is there to read it."""
    _drop_output()
    if isinstance(error, BrokenPipeError):
        return PIPE_GONE
    tell(f"The output cannot be written ({error.strerror}). What was printed is not whole.")
    return UNUSABLE


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors of a group, however deep they lie; of any other error itself."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error


def _ended_by(error: BaseException) -> int:
    errors = list(_leaves(error))
    lost = _output_error()
    if lost is not None:
        _drop_output()
        if all(isinstance(one, OSError) for one in errors):  # the same trouble; else a fault of its own
            return _lost(lost)
    unforeseen = [one for one in errors if not isinstance(one, (PersonError, KeyboardInterrupt))]
    if unforeseen:
        return _fault(error, unforeseen[0])
    first = errors[0]
    if isinstance(first, PersonError):
        tell(str(first))
        return first.code
    return INTERRUPTED


def _fault(error: BaseException, first: BaseException) -> int:
    """A fault of our own: the whole traceback for who mends it, and a last line for the person."""
    where = ""
    frames = traceback.extract_tb(first.__traceback__)
    if frames:
        where = f" in {os.path.basename(frames[-1].filename)}, line {frames[-1].lineno}"  # noqa: PTH119 - a name only
    tell("".join(traceback.format_exception(error)))
    tell(f"This is a fault of goat, not an answer: {type(first).__name__}{where}. Please report the lines above.")
    return FAULT


def _output_error() -> OSError | None:
    """Why standard output can't be written, or None when it can."""
    if isinstance(sys.stdout, _Output) and sys.stdout.lost is not None:
        return sys.stdout.lost
    try:
        sys.stdout.flush()
    except OSError as error:
        return error
    except ValueError:  # it is closed: what there was is written
        return None
    return None


def _drop_output() -> None:
    """Let what is still to be written go: not even the interpreter's last flush shall complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        return
    finally:
        os.close(nowhere)


def _open_standard_streams() -> set[str]:
    """Put a null device where the shell has closed one of the three streams (``<&-``), so that no file of ours gets
    its number; returns those that were closed. A sign that the output's encoding lacks is written as an escape."""
    closed = set[str]()
    for number, (name, mode) in enumerate(_STANDARD):
        stream: TextIO | None = getattr(sys, name)
        if stream is None:
            closed.add(name)
            try:
                os.fstat(number)
            except OSError as error:
                if error.errno == errno.EBADF:
                    os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - lives as long as we do
        elif name == "stdout" and stream is sys.__stdout__ and type(stream) is io.TextIOWrapper:
            encoding, by_line, through = stream.encoding, stream.line_buffering, stream.write_through
            sys.stdout = sys.__stdout__ = _Output(  # type: ignore[misc]  # the one that was there is of no use any more
                stream.detach(), encoding, "backslashreplace", line_buffering=by_line, write_through=through
            )
    return closed
