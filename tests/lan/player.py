"""A player or watcher at a table of the bench: ``player.py ADDRESS NAME FOLDER [play|look]``. Prints what its screen
would show of the connection: one line of JSON whenever link, away, stage or the number of entries changes."""

import asyncio
import json
import random
import sys
import time
from pathlib import Path

from goat_engine.bots import choose
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.tableview import TableView
from goat_net.wire.address import parse_address
from goat_net.wire.identity import Identity
from goat_net.wire.messages import ROLE_PLAYER, ROLE_WATCHER


async def main(where: str, name: str, folder: str, how: str) -> None:
    rng = random.Random(name)
    plays = how == "play"
    setup = SeatSetup(
        name, "test", ROLE_PLAYER if plays else ROLE_WATCHER, 4 if plays else None, folder=Path(folder), eager=True,
        brain=lambda view: choose(view, rng, "easy"), pace=lambda: 0.3,
    )  # fmt: skip
    identity = Identity.load_or_create(Path(folder) / "key")
    session = TableSession(identity, setup, (parse_address(where, 0),), retry_for=300)
    last: list[object] = []

    def changed(view: TableView) -> None:
        entries = len(session.player.fold.chain) if session.player is not None else 0
        away = [s.seat for s in view.seats if s.away]
        now = [view.link, away, str(view.stage), entries, view.me, view.trouble]
        if now != last:
            last[:] = now
            keys = ("link", "away", "stage", "entries", "me", "trouble")
            print(json.dumps({"t": time.monotonic(), **dict(zip(keys, now, strict=True))}), flush=True)

    def lobby(view: TableView) -> None:
        if plays and view.stage == "lobby" and view.me is not None and not view.seats[view.me].ready:
            session.ready()

    session.before_show = lobby
    session.on_change(changed)
    await session.run()


asyncio.run(main(*sys.argv[1:]))
