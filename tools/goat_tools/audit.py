"""``python3 dev.py audit``: whether something is known against the packages that are installed beside goat.

pip-audit asks the package index for advisories. Where that cannot be asked, or does not know a package, pip-audit says
that it found nothing: so what was really looked at is counted here.

Exit codes: 0 all was looked at and nothing is known; 1 something is known; 2 not all could be looked at.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Final

WITHIN: Final = 10  # s for an answer
COMMAND: Final = ("pip_audit", "--format", "json", "--skip-editable", "--progress-spinner", "off")


@dataclass(frozen=True, slots=True)
class Audit:
    """How many packages were looked at, which could not be (name: reason), and what is known (name: ids)."""

    looked_at: int
    skipped: dict[str, str]
    known: dict[str, tuple[str, ...]]

    @property
    def code(self) -> int:
        """See the module."""
        if self.known:
            return 1
        return 2 if self.skipped or not self.looked_at else 0


def read(report: dict[str, Any]) -> Audit:
    """What pip-audit's JSON says. The editable goat itself is in no index, and left out."""
    packages = [one for one in report["dependencies"] if one["name"] != "goat-cards"]
    skipped = {one["name"]: one["skip_reason"] for one in packages if "skip_reason" in one}
    known = {
        f"{one['name']} {one['version']}": tuple(found["id"] for found in one["vulns"])
        for one in packages if one.get("vulns")
    }  # fmt: skip
    return Audit(len(packages) - len(skipped), skipped, known)


def sentences(audit: Audit) -> list[str]:
    """For a person."""
    lines = [f"{name}: {', '.join(ids)}" for name, ids in audit.known.items()]
    lines.append(f"{audit.looked_at} packages were looked at; something is known against {len(audit.known)} of them.")
    if audit.skipped:
        name, why = next(iter(audit.skipped.items()))
        lines.append(f"{len(audit.skipped)} could not be looked at. The first: {name} ({why})")
    if not audit.looked_at:
        lines.append("So this says nothing. Try again where the package index answers with advisories.")
    return lines


def main() -> int:
    """See the module."""
    command = [sys.executable, "-m", *COMMAND, "--timeout", str(WITHIN)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        audit = read(json.loads(ended.stdout))
    except ValueError:
        last = (ended.stderr.strip().splitlines() or ["it said nothing"])[-1]
        print(f"Nothing was looked at, pip-audit has failed: {last}")
        return 2
    print(*sentences(audit), sep="\n")
    return audit.code


if __name__ == "__main__":
    sys.exit(main())
