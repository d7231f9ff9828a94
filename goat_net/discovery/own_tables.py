"""Tables that this account runs on this machine, by what they keep on disk: a lobby may look for them at the machine's
own addresses, where it follows nobody else's word."""

import json
import re

from goat_net.files import FileError, read_given
from goat_net.folders import PROFILES, FolderError, data_path

_ID = re.compile(r"[0-9a-f]{32}")
_MOST = 64 * 1024  # bytes of the file that says how a table was started


def is_own_table(id_: str, port: int) -> bool:
    """Whether a table of this account has this id and this port."""
    if not _ID.fullmatch(id_):
        return False
    try:
        data = data_path()
    except FolderError:
        return False
    for folder in (data, *(data / f"profile-{number}" for number in range(1, PROFILES + 1))):
        try:
            started = json.loads(read_given(folder / "journals" / f"{id_}.table", _MOST, own=True))
        except (FileError, ValueError, RecursionError):
            continue
        if isinstance(started, dict) and started.get("port") == port:
            return True
    return False
