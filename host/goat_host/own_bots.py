"""Bots of this machine: which are asked for, on which seats they sit, and when one is called again (PROTOCOL.md).

Pure: starting a process is the affair of whoever takes what is put out.
"""

from collections.abc import Callable
from typing import Final

from goat_engine.rules import SEATS, Seat
from goat_host.ports import Out, StartBot, StopBot
from goat_net.restarts import Restarts

BOT_LIVES: Final = 20  # times in ten minutes that a seat's bot is called back
BOT_WITHIN: Final = 15.0  # s a bot may take to sit down before it is asked for again


class OwnBots:
    """``wanted``: levels by seat of bots that were asked for and have not sat down yet; ``seated``: seats that they
    hold; ``put``: takes what is to be done."""

    def __init__(self, put: Callable[[Out], None]) -> None:
        self._put = put
        self.wanted: dict[Seat, str] = {}
        self.seated: set[Seat] = set()
        self._asked_at = 0.0  # when bots were asked for last
        self._keys: dict[Seat, bytes] = {}
        self._lives = tuple(Restarts(BOT_LIVES) for _ in SEATS)

    def want(self, seat: Seat, level: str, now: float) -> None:
        """Ask for a bot on this seat."""
        self.wanted[seat] = level
        self._asked_at = now
        self._put(StartBot(seat, level))

    def unwant(self, seat: Seat) -> None:
        """No bot is wanted on this seat any more: one that is on its way stops."""
        if self.wanted.pop(seat, None) is not None:
            self._put(StopBot(seat))

    def expect(self, seat: Seat, key: bytes) -> None:
        """The bot that this machine has started for a seat has this key: no other sits there while it is wanted."""
        self._keys[seat] = key

    def allows(self, seat: Seat, key: bytes, *, bot: bool) -> bool:
        """Whether an empty seat is for the guest with this key: a bot that this machine has started has the seat that
        it was started for, as long as it is wanted there, and nobody else has that."""
        if bot and key in self._keys.values():
            return seat in self.wanted and self._keys.get(seat) == key
        return seat not in self.wanted

    def sat_down(self, seat: Seat) -> None:
        """Somebody has sat down here: if a bot was wanted, it is that one."""
        if self.wanted.pop(seat, None) is not None:
            self.seated.add(seat)

    def gone(self, seat: Seat, level: str, now: float, *, empty: bool) -> None:
        """Whoever sat here is gone. A bot of this machine comes back, in the lobby too, where the seat is ``empty``;
        one that dies again and again does not."""
        if seat not in self.seated or not self._lives[seat].allows(now):
            return
        if empty:
            self.want(seat, level, now)
        else:
            self._put(StartBot(seat, level))

    def call_back(self, seat: Seat, level: str) -> None:
        """After a resume: have the bot of this seat sit down again."""
        self.seated.add(seat)
        self._put(StartBot(seat, level))

    @property
    def deadline(self) -> float | None:
        """When `tick` has something to do."""
        return self._asked_at + BOT_WITHIN if self.wanted else None

    def tick(self, now: float) -> None:
        """Ask again for bots that have not sat down in time."""
        due = self.deadline
        if due is not None and now >= due:
            self._asked_at = now
            for seat, level in self.wanted.items():
                self._put(StartBot(seat, level))
