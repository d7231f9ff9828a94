"""A row of the catalogue, its logs judged by both auditors."""

from typing import Any
from unittest.mock import patch

from goat_net.log.proof import check_file
from tests.cheats.catalogue import Cheat, Seen
from tests.cheats.kit import CheatWorld
from tests.net.auditor import audit
from tests.net.mini import told_by_the_project, told_of


def played_twice(cheat: Cheat, seed: int) -> tuple[Seen, int]:
    """What was seen of a cheat, and how many logs of its world both auditors have judged alike: 0 for rows that need no
    world, since at their tables the second auditor folds along. AssertionError when they differ."""
    worlds: list[CheatWorld] = []
    begin = CheatWorld.__init__

    def noting(self: CheatWorld, *args: Any, **more: Any) -> None:
        begin(self, *args, **more)
        worlds.append(self)

    with patch.object(CheatWorld, "__init__", noting):
        seen = cheat.play(seed)
    logs = list(worlds[-1].journal.values()) if worlds else []
    for log in logs:
        told = told_by_the_project(check_file(log))
        auditor, fault = audit(log)
        assert told_of(auditor, fault) == told, f"{cheat.name}: the second auditor says something else"
    return seen, len(logs)
