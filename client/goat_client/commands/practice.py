"""The same cards again: a deal code played with bots in this process (``goat play --deal G1:...``).

There is nobody to keep a secret from, so no deck is locked and nothing is saved; the table says so.
"""

import asyncio
import random
import sys
from collections.abc import Sequence
from dataclasses import replace

from goat_client.game.control import Again, Control, Outcome
from goat_client.game.local import LocalSession
from goat_client.machine.settings import Settings
from goat_client.machine.terminal_mode import Mode
from goat_engine.actions import Action
from goat_engine.bots import choose
from goat_engine.record import Deal, Step
from goat_engine.rules import SEATS, Seat
from goat_engine.view import SeatView

NAMES = ("You", "Left", "Partner", "Right")


def practice_session(
    deal: Deal, settings: Settings, *, seat: Seat = 0, level: str = "hard", seed: int = 0, hints: bool = True,
    begun: Sequence[Step] = (),
) -> LocalSession:  # fmt: skip
    """A table at which this deal is dealt first, then random ones, against bots of a level."""

    def bot(view: SeatView, rng: random.Random) -> Action:
        return choose(view, rng, level)

    names = [NAMES[(s - seat) % 4] for s in SEATS]
    names[seat] = settings.name or "You"
    session = LocalSession(
        seed, me=seat, names=names, choosers={s: bot for s in SEATS if s != seat}, deals=[deal], levels=level,
        table_name="Practice: the same cards", begun=begun,
    )  # fmt: skip
    session.view = replace(session.view, fair=False, hints=hints)
    session.ready()
    session.start()
    return session


async def play_on(again: Again, settings: Settings, mode: Mode) -> Outcome:
    """Play a deal on from a position of it, against bots."""
    record = again.record
    return await practise(record.deal, settings, mode, seat=again.seat, begun=record.steps[: again.steps])


async def practise(
    deal: Deal,
    settings: Settings,
    mode: Mode,
    *,
    seat: Seat = 0,
    level: str = "hard",
    pace: float = 0.9,
    hints: bool = True,
    begun: Sequence[Step] = (),
) -> Outcome:
    """Play a given deal in the mode that fits the terminal. ``begun``: what has been done in it already."""
    session = practice_session(deal, settings, seat=seat, level=level, hints=hints, begun=begun)
    async with asyncio.TaskGroup() as group:
        bots = group.create_task(session.run(pace))
        if mode is Mode.PLAIN:
            from goat_client.lines.plain import run_plain
            from goat_client.lines.stdin import stdin_lines

            at_once = not sys.stdin.isatty()
            outcome = await run_plain(session, settings, lines=stdin_lines(sys.stdin), write=print, at_once=at_once)
        else:
            from goat_client.screen.app import run_table

            outcome = await run_table(session, settings, control=Control)
        bots.cancel()
    return outcome
