"""A seat (or a watcher) in a process of its own: `goat_net.seat.session.TableSession` with its matches on disk.

``python -m tests.processes.seat --at HOST:PORT --table KEY --seat N --save DIR --seed S [--life N] [--watch]``

What it plays depends on the cards alone and not on what it has played before, so a seat that is started again plays
as one that never was killed. Its key comes from the seed (as from a key file); the secrets of its matches only come
back from ``--save``: every ``--life`` draws other ones. A line of JSON on standard output says each time it is back at
the table: where its log stands, its hand and the score; another line is its last word. It goes on from deal to deal
until a file ``hold`` lies in the folder above DIR. Of a seat that keeps the table waiting it says ``--vote``:
to excuse it, or to charge once it has dialled that seat itself and got no answer.
"""

import argparse
import asyncio
import json
import random
import sys
from pathlib import Path
from typing import Any, Final

from goat_engine.actions import Action
from goat_engine.bots import choose
from goat_engine.view import SeatView
from goat_net.log.absence_table import CHARGE, LET_GO
from goat_net.log.fold import Fold
from goat_net.seat import seeded
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.tableview import Stage, TableView
from goat_net.wire.address import Address, parse_address
from goat_net.wire.identity import Identity
from goat_net.wire.link import LOST, Closed
from goat_net.wire.messages import ROLE_PLAYER, ROLE_WATCHER

LEVEL: Final = "medium"
TRY_FOR: Final = 300.0  # s to come back to a table, or to get in at all
TRY_AGAIN: Final = 0.2  # s between tries of somebody who has never been in
WATCHER: Final = 4  # "seat" of a watcher in labels


def name_of(seat: int) -> str:
    """The name on a seat."""
    return "Watcher" if seat == WATCHER else f"Seat {seat}"


def key_of(seed: bytes, seat: int) -> Identity:
    """The key of a seat's player."""
    return seeded.identity(seed, f"seat/{seat}")


def life_label(seat: int, life: int) -> str:
    """What a life's secrets are drawn under."""
    return f"seat/{seat}/life/{life}"


def brain(view: SeatView) -> Action:
    """A choice that follows from what the seat sees and from nothing else."""
    seen = (view.seat, view.hand, len(view.deal.tricks), view.deal.plays, view.deal.phase.name)
    return choose(view, random.Random(repr(seen)), LEVEL)


class Sitting:
    """One life of the seat."""

    def __init__(self, options: argparse.Namespace) -> None:
        seed = seeded.seed_bytes(options.seed)
        self.seat: int = WATCHER if options.watch else options.seat
        self.folder = Path(options.save)
        self.identity = key_of(seed, self.seat)
        self.entropy = seeded.entropy(seed, life_label(self.seat, options.life))
        self.table_key = bytes.fromhex(options.table)
        self.where: Address = parse_address(options.at, 0)
        self.session = self.new_session()
        self.told = False
        self.taken = self.lost = 0
        self.trouble, self.talk = "", 0
        self.charges = options.vote == "charge"
        self.done: set[tuple[Any, ...]] = set()
        self.stale: Any = None  # what the line that broke had told last

    def new_session(self) -> TableSession:
        """The session, not yet run."""
        watch = self.seat == WATCHER
        setup = SeatSetup(
            name_of(self.seat),
            "test",
            ROLE_WATCHER if watch else ROLE_PLAYER,
            None if watch else self.seat,
            table_key=self.table_key,
            folder=self.folder,
            brain=None if watch else brain,
        )
        session = TableSession(self.identity, setup, (self.where,), entropy=self.entropy, retry_for=TRY_FOR)
        session.on_change(self.changed)
        return session

    def once(self, *what: Any) -> bool:
        """Whether this is to be done now and was not done before."""
        if what in self.done:
            return False
        self.done.add(what)
        return True

    def changed(self, view: TableView) -> None:
        """Do what a person would press a key for."""
        session, player = self.session, self.session.player
        self.tell_words(view)
        if not view.link:
            self.lost += self.told
            self.told, self.stale = False, session.lobby
            return
        taken = sum(seat.taken for seat in view.seats)
        if taken != self.taken:
            self.taken = taken
            tell({"taken": taken})
        if player is None or not session.chair.caught_up:
            if view.stage is Stage.LOBBY:
                self.tell_once({"back": True, "seat": self.seat, "match": "", "entries": 0})
                self.be_ready(view)
            return
        self.tell_once(self.where_it_stands())
        if self.seat == WATCHER:
            return
        self.be_ready(view)
        held = (self.folder.parent / "hold").exists()
        if view.stage is Stage.BETWEEN and not held and self.once("next", player.fold.id, view.deal_number):
            session.ready()
        if view.stands_in is not None and self.once("again", player.fold.chain.log_id):
            session.sit(view.stands_in)
        self.vote(player.fold)

    def vote(self, fold: Fold) -> None:
        """Say what is to be done about whoever keeps the table waiting (R24)."""
        now = asyncio.get_running_loop().time()
        for target in range(4):
            wanted = fold.vote_open(target) and target not in fold.lost and self.seat in fold.voters(target)
            if self.charges and not self.session.chair.direct.unreached(target, now):
                continue  # it has not been dialled yet, or it answers
            if wanted and self.once("vote", fold.id, fold.deal.number if fold.deal else 0, target):
                self.session.vote(target, CHARGE if self.charges else LET_GO)

    def tell_words(self, view: TableView) -> None:
        """Pass on what a person would read: a new trouble, a new line of talk."""
        if view.trouble != self.trouble:
            self.trouble = view.trouble
            tell({"told": view.trouble} if view.trouble else {"told": "all is well"})
        for said in view.talk[self.talk :]:
            tell({"told": said.text})
        self.talk = len(view.talk)

    def be_ready(self, view: TableView) -> None:
        """In the lobby: ready to begin."""
        sits = view.stage is Stage.LOBBY and view.me is not None and not view.seats[view.me].ready
        sits = sits and self.session.lobby is not self.stale  # on a new line one sits when that says so
        if sits and self.once("ready", self.lost, self.session.lobby):
            self.session.ready()

    def where_it_stands(self) -> dict[str, Any]:
        """Log, hand and score, as this life sees them."""
        assert self.session.player is not None
        player, fold = self.session.player, self.session.player.fold
        hand = player.view.hand if player.view is not None else ()
        return {
            "back": True,
            "seat": self.seat,
            "match": fold.chain.log_id.hex(),
            "entries": len(fold.chain),
            "hand": [[slot, card] for slot, card in hand],
            "score": list(fold.match.defeat) if fold.match else [],
        }

    def tell_once(self, line: dict[str, Any]) -> None:
        """Say that one is back at the table, once for each time."""
        if not self.told:
            self.told = True
            tell(line)

    async def run(self) -> Closed:
        """Sit until the table is gone. Somebody who never was in tries again, as a person would."""
        loop = asyncio.get_running_loop()
        until = loop.time() + TRY_FOR
        end = await self.session.run()
        while end.reason == LOST and not self.session.was_in and loop.time() < until:
            await asyncio.sleep(TRY_AGAIN)
            self.session = self.new_session()
            end = await self.session.run()
        return end


def tell(line: dict[str, Any]) -> None:
    """A line for whoever started this."""
    print(json.dumps(line), flush=True)


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    out = argparse.ArgumentParser(description="A seat in a process of its own.")
    out.add_argument("--at", required=True)
    out.add_argument("--table", required=True)
    out.add_argument("--seat", type=int, default=0)
    out.add_argument("--watch", action="store_true")
    out.add_argument("--save", required=True)
    out.add_argument("--seed", required=True)
    out.add_argument("--life", type=int, default=0)
    out.add_argument("--vote", choices=("excuse", "charge"), default="excuse")
    return out


def main() -> int:
    """Sit; the exit code says nothing, the last line of output does."""
    sitting = Sitting(parser().parse_args())
    end = asyncio.run(sitting.run())
    tell({"end": end.reason, "text": end.text, "trouble": sitting.session.view.trouble})
    return 0


if __name__ == "__main__":
    sys.exit(main())
