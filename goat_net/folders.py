"""Where things are kept: the folders of data and settings, and a profile of one's own for each running client.

``GOAT_HOME`` puts both folders below itself. Two clients of one account must not share an identity or a seed file, so
each holds a locked profile folder: the first ``profile-1``, a second beside it ``profile-2``, and so on. A client that
is started again gets the lowest free one, which is its own when it was the last to go.
"""

import errno
import logging
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from goat_net.exits import PersonError
from goat_net.files import is_foreign, shown

log = logging.getLogger(__name__)

APP: Final = "goat"
HOME_VARIABLE: Final = "GOAT_HOME"
PROFILES: Final = 16  # clients of one account at once: four seats, a few who watch, and room for tests
_LOCK: Final = "lock"
_OTHERS_WRITE: Final = 0o022
_UNWRITABLE: Final = frozenset({errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM})


class FolderError(PersonError):
    """A folder cannot be made or used. The text says which and what to do."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One client's own folder. ``number`` counts from 1."""

    path: Path
    number: int


def is_unwritable(error: Exception) -> bool:
    """Whether a failure of a file's module comes from a disk that is full, read-only or somebody else's."""
    return isinstance(error.__cause__, OSError) and error.__cause__.errno in _UNWRITABLE


def data_path() -> Path:
    """The folder of identities and saved matches; it need not be there. Nothing is made. Raises FolderError."""
    home = _home()
    if home is not None:
        return home / "data"
    from platformdirs import user_data_path  # `goat --version` need not pay for it

    return _known(lambda: user_data_path(APP, appauthor=False))


def data_dir() -> Path:
    """`data_path`, made when it is missing. Raises FolderError."""
    return private_folder(data_path())


def config_dir() -> Path:
    """The folder of the settings file; it need not be there. Nothing is made. Raises FolderError."""
    home = _home()
    if home is not None:
        return home / "config"
    from platformdirs import user_config_path

    return _known(lambda: user_config_path(APP, appauthor=False))


def _home() -> Path | None:
    """What GOAT_HOME says, if it says anything. Raises FolderError."""
    home = os.environ.get(HOME_VARIABLE)
    if not home:
        return None
    try:
        return Path(home).expanduser()
    except RuntimeError as error:
        raise FolderError(
            f"{HOME_VARIABLE} is {shown(home)}, and there is no such home folder. Name a folder you can write to"
        ) from error


def _known(find: Callable[[], Path]) -> Path:
    """A folder of the system's choice. Without a home folder it would lie wherever one happens to be."""
    try:
        path = find()
    except RuntimeError:
        path = Path()
    if not path.is_absolute():
        raise FolderError(f"This account has no home folder. Set {HOME_VARIABLE} to a folder you can write to")
    return path


def temporary_path() -> Path:
    """A folder for what is gone again soon: the system's, or the data folder where that can't be used. Raises
    FolderError."""
    import tempfile

    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:
        return data_dir()


def private_folder(path: Path) -> Path:
    """This folder, made for its owner alone when it is missing; one that others may write to is closed to them.
    Raises FolderError, also for another user's folder: whoever can put files there decides which key one has."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise FolderError(
            f"{shown(path)} should be a folder, but a file is there. Move it away, or set {HOME_VARIABLE}"
        ) from None
    except OSError as error:
        raise FolderError(
            f"The folder {shown(path)} cannot be made ({error.strerror}). "
            f"Set {HOME_VARIABLE} to a folder you can write to"
        ) from error
    if sys.platform != "win32":  # there, folders of an account have a list of their own
        _close(path)
    return path


def _close(path: Path) -> None:
    try:
        found = path.stat()
    except OSError as error:
        raise FolderError(f"The folder {shown(path)} cannot be looked at ({error.strerror})") from error
    if is_foreign(found):
        raise FolderError(
            f"The folder {shown(path)} belongs to another user of this machine. "
            f"Set {HOME_VARIABLE} to a folder of your own"
        )
    if found.st_mode & _OTHERS_WRITE and not found.st_mode & stat.S_ISVTX:
        if found.st_uid != os.geteuid():
            raise FolderError(
                f"Others may write to the folder {shown(path)}. Set {HOME_VARIABLE} to a folder of your own"
            )
        try:
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS_WRITE)
        except OSError as error:
            raise FolderError(
                f"Others may write to the folder {shown(path)}, and that cannot be changed ({error.strerror}). "
                f"Set {HOME_VARIABLE} to a folder of your own"
            ) from error
        log.warning("others could write to %s; now they cannot", path)


@contextmanager
def profile(root: Path | None = None) -> Iterator[Profile]:
    """Hold the lowest free profile below ``root`` (the data folder) until the block ends.

    The system lets go of the lock when the process ends, however it ends. Raises FolderError when all 16 are in use or
    the folder cannot be used.
    """
    base = data_dir() if root is None else private_folder(root)
    for number in range(1, PROFILES + 1):
        path = private_folder(base / f"profile-{number}")
        held = hold(path / _LOCK)
        if held is not None:
            try:
                yield Profile(path, number)
            finally:
                held.close()
            return
    raise FolderError(
        f"{PROFILES} clients are running from {base} already. Close one, or set {HOME_VARIABLE} to another folder"
    )


def hold(path: Path) -> IO[bytes] | None:
    """The open file with its lock, or None when another process (or another holder in this one) has it. The system lets
    go when the file is closed or the process ends, however it ends. Raises FolderError."""
    try:
        held = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")
    except OSError as error:
        raise FolderError(
            f"{shown(path)} cannot be written ({error.strerror}). Check who owns that folder"
        ) from error
    try:
        _lock(held.fileno())
    except OSError as error:
        held.close()
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return None
        raise FolderError(
            f"{shown(path)} cannot be locked ({error.strerror}): "
            f"set {HOME_VARIABLE} to a folder on a disk of this machine"
        ) from error
    return held


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        # flock and not lockf: a second block in the same process must find it taken too.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
