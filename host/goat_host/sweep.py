"""What tables have left behind that nobody needs any more, taken away when another table opens.

A table that is broken off keeps its key, how it was started, and what its bots need to come back. Nobody goes on with
it after a month; its journals, which are matches, stay.
"""

import logging
import shutil
from pathlib import Path
from typing import Final

from goat_net.folders import FolderError, hold
from goat_net.seat.store import SUFFIX

log = logging.getLogger(__name__)

ABANDONED: Final = 30 * 86400.0  # s since a table was last opened or its bots last wrote: holidays are shorter
CLOSED: Final = 86400.0  # s that a bot's log stays when it is closed: the table's journal holds the same
SWEPT_MOST: Final = 1000  # tables looked at in one go: the rest has its turn the next time


def sweep(folder: Path, now: float) -> int:
    """Take away what was left behind in a folder of journals; gives how many files and folders. ``now``: seconds since
    1970, as files have it. What can't be taken away stays."""
    gone = 0
    try:
        names = {p.name.removesuffix("-bots") for p in folder.glob("*-bots")} | {p.stem for p in folder.glob("*.table")}
    except OSError:
        return 0
    for name in sorted(names)[:SWEPT_MOST]:
        try:
            lock = hold(folder / f"{name}.lock")
        except FolderError:
            continue
        if lock is None:
            continue  # it is open
        with lock:
            gone += _sweep_one(folder, name, now)
    if gone:
        log.info("%d files and folders of tables that were given up have been taken away", gone)
    return gone


def _sweep_one(folder: Path, name: str, now: float) -> int:
    bots, gone = folder / f"{name}-bots", 0
    told = [folder / f"{name}.table", folder / f"{name}.key"]
    logs = [p for p in bots.glob(f"seat-*/*{SUFFIX}") if p.is_file()] if bots.is_dir() else []
    last = max((age for p in (*told, bots, *logs) if (age := _changed(p)) is not None), default=now)
    try:
        if now - last > ABANDONED:
            for path in (*told, folder / f"{name}.lock"):
                gone += path.exists()
                path.unlink(missing_ok=True)
            gone += bots.exists()
            shutil.rmtree(bots, ignore_errors=True)
            return gone
        for path in logs:
            changed = _changed(path)
            closed = not path.with_suffix(".secret").exists()
            if closed and changed is not None and now - changed > CLOSED:
                path.unlink()
                gone += 1
    except OSError as error:
        log.warning("what is left of the table %s cannot be taken away: %s", name, error.strerror)
    return gone


def _changed(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
