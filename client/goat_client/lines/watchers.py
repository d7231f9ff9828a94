"""Who watches a table, as it is told by lines."""

from collections.abc import Iterable
from typing import Final

from goat_net.seat.tableview import Stage, TableView

PASSING: Final = 1.5  # s after which somebody who watches is spoken of: a bot on its way to its seat watches too


class Watchers:
    """Who watches: spoken of when they stay, for a bot or a player on the way to a seat watches for a moment,
    and a watcher who sits down is in neither place for another."""

    def __init__(self) -> None:
        self._since: dict[bytes, float] = {}
        self._gone: dict[bytes, float] = {}
        self._told: dict[bytes, str] | None = None

    def news(self, view: TableView, now: float) -> Iterable[str]:
        """Who has come and stayed, and who has gone."""
        here = {k: name for name, k in zip(view.watchers, view.watcher_keys, strict=False) if k != view.own_key}
        if self._told is None:
            if view.stage is not Stage.JOINING:
                self._told = dict(here)  # those who are told by the welcome
            return
        seated = {s.key for s in view.seats if s.taken}
        self._gone = {k: self._gone.get(k, now) for k in self._told if k not in here}
        self._since = {k: self._since.get(k, now) for k in here}
        for key, name in here.items():
            if key not in self._told and now - self._since[key] >= PASSING:
                self._told[key] = name
                yield f"{name} has come and watches."
        for key, since in self._gone.items():
            if key in seated:
                del self._told[key]  # told as who sits down
            elif now - since >= PASSING:
                yield f"{self._told.pop(key)}, who watched, has gone."

    @property
    def deadline(self) -> float | None:
        """When somebody will have stayed, or been gone, long enough to be spoken of."""
        told = {} if self._told is None else self._told
        waiting = [since for key, since in self._since.items() if key not in told]
        waiting += [since for key, since in self._gone.items() if key in told]
        return min(waiting) + PASSING if waiting else None
