"""Opening a file whose name somebody has typed or found: what it is comes first, and no more is read than it may have.

A name may stand for anything: a folder, a device without an end, a pipe that nobody writes to, a file of gigabytes,
a name with escape characters in it.
"""

import os
import stat
import sys
from pathlib import Path
from typing import Final

from goat_net.exits import PersonError
from goat_net.harmless import harmless

NAME_SHOWN: Final = 200  # signs of a file's name in a sentence: the end of a path says most
_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# A name is opened without waiting for a pipe's other end, and never becomes this process's terminal (not on Windows).
_CAREFUL: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


class FileError(PersonError):
    """A file can't be used. ``why`` is the reason without the name; the whole text is a sentence with it."""

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(f"{shown(path)} {why}.")
        self.why = why


class MissingFileError(FileError):
    """There is no such file."""


class TooLongError(FileError):
    """The file has more bytes than any of its kind."""


def shown(path: Path | str) -> str:
    """A file's name as it may stand in a sentence: nothing in it acts, breaks the line or runs on for ever."""
    text = harmless(str(path))
    return text if len(text) <= NAME_SHOWN else f"…{text[-NAME_SHOWN:]}"


def read_given(path: Path | str, most: int, *, own: bool = False, begin: int | None = None) -> bytes:
    """The bytes of a regular file of at most ``most`` bytes, or as many of its first ones as ``begin`` says. ``own``:
    refuse one that another account could have written. Raises FileError, and MissingFileError when it is not there."""
    try:
        _check(path, Path(path).stat(), most, own=own)  # before it is opened: opening a device may do something
        descriptor = os.open(path, os.O_RDONLY | _CAREFUL)
    except FileNotFoundError as error:
        raise MissingFileError(path, "is not there. Check the name") from error
    except ValueError as error:  # a name with a zero byte
        raise FileError(path, "is no name of a file") from error
    except OSError as error:
        raise FileError(path, f"can't be read ({error.strerror}). Check the name and who owns the file") from error
    with os.fdopen(descriptor, "rb") as file:
        try:
            _check(path, os.fstat(descriptor), most, own=own)  # and what was opened, which may be another one by now
            data = file.read(most + 1 if begin is None else begin)
        except OSError as error:
            raise FileError(path, f"can't be read ({error.strerror})") from error
    if len(data) > most:
        raise TooLongError(path, _too_long(most))
    return data


def _check(path: Path | str, found: os.stat_result, most: int, *, own: bool) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = next((words for is_it, words in _KINDS if is_it(found.st_mode)), "something else")
        raise FileError(path, f"is {kind}, not a file")
    if found.st_size > most:
        raise TooLongError(path, _too_long(most))
    if own and is_foreign(found):
        raise FileError(path, "belongs to another user of this machine, so it is not used. Move it away")
    if own and is_open(found):
        raise FileError(path, "may be written by every user of this machine, so it is not used. Take that right away")


def _too_long(most: int) -> str:
    return f"is longer than {most >> 20} MiB: no file of goat is" if most >= 1 << 20 else (
        f"is longer than {most} bytes: no such file is"
    )  # fmt: skip


def is_foreign(found: os.stat_result) -> bool:
    """Whether a file or folder belongs to an account that is neither ours nor the administrator's."""
    return sys.platform != "win32" and found.st_uid not in (os.geteuid(), 0)


def is_open(found: os.stat_result) -> bool:
    """Whether everybody on this machine may write to it. (In a sticky folder, nobody may touch another's files.)"""
    return sys.platform != "win32" and bool(found.st_mode & 0o002) and not found.st_mode & stat.S_ISVTX
