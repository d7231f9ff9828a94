"""A process of its own with a table in it: what the tests of real terminals start. Not a test."""

import asyncio
import sys

from goat_client.game.local import LocalSession
from goat_client.machine.settings import Settings
from goat_client.screen.app import run_table


async def main(what: str) -> int:
    session = LocalSession(1)
    settings = Settings(name="Vera", mouse=what == "mouse", hold=0.3)
    if what == "broken":
        LocalSession.pause = broken  # type: ignore[method-assign]
    if what == "play":
        session.ready()
        session.start()
    async with asyncio.TaskGroup() as group:
        bots = group.create_task(session.run(0.02))
        outcome = await run_table(session, settings)
        bots.cancel()
    print(f"left: {outcome.end} {outcome.signal}", flush=True)
    return 128 + outcome.signal if outcome.signal else 0


def broken(self: LocalSession, on: bool) -> None:
    raise RuntimeError("a fault of ours")


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "")))
