"""Tables of earlier evenings: where they were, so that a lobby may ask there too (PROTOCOL.md, Discovery).

A hint like any other: what answers there proves by its signature which table it is. So the file holds nothing
secret, and a damaged one is an empty one.
"""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from goat_net.files import FileError, read_given
from goat_net.wire.address import Address
from goat_net.wire.identity import ID_HEX

TABLES_MAX: Final = 8  # each is asked every few seconds while a lobby is open
ADDRESSES_MAX: Final = 4  # of one table: cable, Wi-Fi, and both families
FILE_MAX: Final = 16_384  # bytes read: eight tables need two thousand

_ID = re.compile(rf"[0-9a-f]{{{ID_HEX}}}")

Tables = tuple[tuple[str | None, tuple[Address, ...]], ...]
"""(table id, addresses) each, latest first; as `goat_net.discovery.watch.watch_lobby` takes them."""


def read_tables(path: Path) -> Tables:
    """The remembered tables, at most 8; () when there is no file or it can't be understood."""
    try:
        data = json.loads(read_given(path, FILE_MAX))
    except (FileError, ValueError, RecursionError):
        return ()
    if not isinstance(data, list):
        return ()
    found: list[tuple[str | None, tuple[Address, ...]]] = []
    for entry in data[:TABLES_MAX]:
        if isinstance(entry, dict):
            id_, addresses = entry.get("id"), entry.get("addresses")
            known = _addresses(addresses) if isinstance(addresses, list) else ()
            if known and isinstance(id_, str) and _ID.fullmatch(id_):
                found.append((id_, known))
    return tuple(found)


def note_table(path: Path, id_: str, addresses: Sequence[Address]) -> None:
    """Remember where a table was. A folder that can't be written is no reason not to play: then nothing is."""
    others = [entry for entry in read_tables(path) if entry[0] != id_]
    tables = [(id_, tuple(addresses)[:ADDRESSES_MAX]), *others][:TABLES_MAX]
    # A scope is the number of an interface: the same number may be another one tomorrow, but costs one question.
    text = json.dumps([{"id": one, "addresses": [list(address) for address in where]} for one, where in tables])
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="ascii")
        temporary.replace(path)
    except OSError:
        return


def _addresses(entries: list[object]) -> tuple[Address, ...]:
    found = []
    for entry in entries[:ADDRESSES_MAX]:
        match entry:
            case [str(host), int(port), int(scope)] if 0 < len(host) < 254 and 0 < port < 65536 and 0 <= scope < 2**31:
                found.append(Address(host, port, scope))
    return tuple(found)
