"""Tables that this account runs on this machine, by what they keep on disk: a lobby may look for them at the machine's
own addresses, where it follows nobody else's word.

A table is known by how it was started, beside its journal. One whose journals are in a folder that somebody named has
``open/ID`` in the data folder instead, with its port, while it is announced.
"""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from goat_net.files import FileError, read_given
from goat_net.folders import PROFILES, FolderError, data_dir, data_path, private_folder
from goat_net.wire.identity import replace_file

log = logging.getLogger(__name__)

_ID = re.compile(r"[0-9a-f]{32}")
_MOST: Final = 64 * 1024  # bytes of the file that says how a table was started
_LEFT: Final = 30 * 86400.0  # s after which a note is taken for one that a killed table left: no evening is so long


def is_own_table(id_: str, port: int) -> bool:
    """Whether a table of this account has this id and this port."""
    if not _ID.fullmatch(id_):
        return False
    try:
        data = data_path()
    except FolderError:
        return False
    for path in (_note(data, id_), *(folder / f"{id_}.table" for folder in _journals(data))):
        try:
            started = json.loads(read_given(path, _MOST, own=True))
        except (FileError, ValueError, RecursionError):
            continue
        if isinstance(started, dict) and started.get("port") == port:
            return True
    return False


@contextmanager
def known_here(id_: str, port: int, journals: Path, now: float) -> Iterator[None]:
    """`is_own_table` knows this table inside the block, wherever its journals are. ``now``: seconds since 1970, as
    files have it. Where the data folder cannot be written, the table is found from other machines all the same, and
    from this one by its address."""
    note = None
    try:
        data = data_path()
        if journals.absolute() not in [folder.absolute() for folder in _journals(data)]:
            note = _note(data_dir(), id_)
            _drop_left(private_folder(note.parent), now)
            replace_file(note, json.dumps({"port": port}).encode())
    except (OSError, FolderError) as error:
        log.warning("this machine's own lobbies will not find this table by its name: %s", error)
    try:
        yield
    finally:
        if note is not None:
            _take_away(note)


def _journals(data: Path) -> tuple[Path, ...]:
    """The folders that journals go to when nobody names one."""
    folders = (data, *(data / f"profile-{number}" for number in range(1, PROFILES + 1)))
    return tuple(folder / "journals" for folder in folders)


def _note(data: Path, id_: str) -> Path:
    return data / "open" / id_


def _drop_left(folder: Path, now: float) -> None:
    """Take away what killed tables left."""
    for path in folder.iterdir():
        if _ID.fullmatch(path.name) and now - path.stat().st_mtime > _LEFT:
            _take_away(path)


def _take_away(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s cannot be taken away: %s", path, error)
