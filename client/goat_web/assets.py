"""The page's files: a fixed table, made by ``dev.py web-assets``, in the wheel. No path comes from the wire."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SITE: Final = Path(__file__).with_name("site")
LIST: Final = "files.json"
HOW: Final = "The page's files are not here. In a checkout, once and with the network: python3 dev.py web-assets"


class NoAssetsError(Exception):
    """There are no files to serve. The text says what to do."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file: where it lies, its media type, and whether a gzip of it lies beside it."""

    path: Path
    type: str
    gzip: bool


@dataclass(frozen=True, slots=True)
class Site:
    """All files by the path under which they are served. ``version``: changes with any of them."""

    version: str
    files: dict[str, Asset]


def load(folder: Path = SITE) -> Site:
    """The site as its list has it. Raises NoAssetsError."""
    try:
        found = json.loads((folder / LIST).read_text("utf-8"))
        listed = found["files"].items()
        files = {name: Asset(folder / name, str(f["type"]), bool(f["gzip"])) for name, f in listed}
        site = Site(str(found["version"]), files)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoAssetsError(HOW) from error
    if "index.html" not in files or not all(asset.path.is_file() for asset in files.values()):
        raise NoAssetsError(HOW)
    return site
