"""``python3 dev.py make``: every made file again, from what it is made of. Look at the difference before you commit it.

Made files are in the tree so that a reader needs no tool; a test holds each equal to its source and names this command.
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from goat_tools import ROOT

MAKERS: Final[Mapping[str, tuple[str, ...]]] = {
    "tables of PROTOCOL.md": ("goat_tools.tables", "--write"),
    "worked examples of PROTOCOL.md": ("tests.net.test_document", "--write"),
    "diagram of ARCHITECTURE.md": ("goat_tools.graph", "--write"),
    "man page and completions": ("goat_tools.manual", "share"),
    "snapshots of the screens": ("tests.client.test_snapshots",),
    "pictures of the papers": ("tests.client.pictures",),
}
"""What is made -> the module that makes it, and its arguments. The first ones are what later ones may show."""


def main(words: Sequence[str]) -> int:
    """Make everything, or what the words name a part of. Returns 1 when a maker failed, 2 when nothing is named so."""
    chosen = {name: command for name, command in MAKERS.items() if not words or any(word in name for word in words)}
    if not chosen:
        print("nothing that is made is called so; there are:\n  " + "\n  ".join(MAKERS), file=sys.stderr)
        return 2
    failed = []
    for name, command in chosen.items():
        print(f"{name} ...", flush=True)
        if subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False).returncode != 0:
            failed.append(name)
    if failed:
        print("failed: " + ", ".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
