"""A seat (or a watcher's chair) at a table over the network: connection, reconnecting, disk, and the player's machine.

The thin asyncio side of `goat_net.player`: people's clients and bots use the same. It is the `Session` of
`goat_net.tableview`. Nothing is decided here that the log does not decide.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from goat_engine.actions import Action, Refusal
from goat_engine.rules import Seat
from goat_engine.view import SeatView
from goat_net.address import Address
from goat_net.advert import table_id
from goat_net.chair import Chair, HostFault, LostSecretError
from goat_net.fold import MatchStage
from goat_net.identity import Identity, Known, Meeting
from goat_net.link import LOST, Closed, Event, Opened, Received
from goat_net.messages import (
    HOST_LEFT,
    LEFT,
    MALFORMED,
    ROLE_PLAYER,
    ROLE_WATCHER,
    TOO_SLOW,
    Kick,
    Lobby,
    NewEntry,
    Ready,
    Said,
    Say,
    SetBot,
    Sit,
    Start,
)
from goat_net.peer import Joiner
from goat_net.player import Player
from goat_net.present import table_view
from goat_net.store import LogStore
from goat_net.stream import Connection, connect_first
from goat_net.tableview import Stage, TableView, Talk

RETRY_FIRST: Final = 0.25  # s until the first try to come back; a cable that was put in again answers at once
RETRY_MOST: Final = 1.0  # s between later tries: the seat is back within 2 s of the network
TALK_KEPT: Final = 200  # lines of talk a screen can scroll back through
_AGAIN: Final = frozenset({LOST, TOO_SLOW})


@dataclass(frozen=True, slots=True)
class SeatSetup:
    """Who joins and how. ``seat`` 0..3, 4 for any, None to sit nowhere yet. ``folder``: where matches are saved, None
    for nowhere. ``table_key``, or its ``fingerprint``: the table that was chosen; any when neither is given.
    ``brain`` chooses for a bot; ``pace``: seconds it takes, drawn for each move."""

    name: str
    program: str
    role: int = ROLE_PLAYER
    seat: int | None = 4
    code: str | None = None
    level: str = ""
    operator: Identity | None = None
    table_key: bytes | None = None
    fingerprint: str = ""
    folder: Path | None = None
    eager: bool = False
    brain: Callable[[SeatView], Action] | None = None
    pace: Callable[[], float] | None = None


class TableSession:
    """See the module. ``view`` is always the newest; `run` is to be a task of the caller's group."""

    def __init__(
        self,
        identity: Identity,
        setup: SeatSetup,
        addresses: Sequence[Address],
        *,
        entropy: Callable[[int], bytes] = os.urandom,
        known: Known | None = None,
        retry_for: float = 0.0,
    ) -> None:
        self.identity, self.setup, self.addresses = identity, setup, tuple(addresses)
        self.view = TableView(is_host=False)
        self.chair = Chair(
            identity,
            self._open_store,
            table_key=setup.table_key,
            eager=setup.eager,
            brain=setup.brain,
            pace=setup.pace,
        )
        self.address: Address | None = None
        self.end: Closed | None = None
        self.was_in = False
        self.started = False  # for callers: whether they have begun what goes by itself
        self.before_show: Callable[[TableView], None] | None = None
        self._entropy, self._known, self._retry_for = entropy, known, retry_for
        self._met: dict[bytes, str] = {}
        self._connection: Connection | None = None
        self._callback: Callable[[TableView], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._stopping = False
        self._wake = asyncio.Event()
        self._entered = asyncio.Event()

    @property
    def player(self) -> Player | None:
        """This seat's machine, once there is a log."""
        return self.chair.player

    @property
    def lobby(self) -> Lobby | None:
        """The lobby as the host told it last."""
        return self.chair.lobby

    # Running

    async def run(self) -> Closed:
        """Be at the table until it ends; says how. A connection that breaks is made again by itself."""
        loop = asyncio.get_running_loop()
        lost_at: float | None = None
        wait = RETRY_FIRST
        try:
            while True:
                end = await self._once() if not self._stopping else Closed(LEFT, "")
                if end.reason not in _AGAIN or self._stopping or not self.was_in:
                    return self._ended(end)
                if self.view.link:
                    lost_at, wait = loop.time(), RETRY_FIRST
                if lost_at is None or loop.time() - lost_at > self._retry_for:
                    return self._ended(end)
                self._show(link=False)
                await self._pause(wait)
                wait = min(RETRY_MOST, wait * 2)
        finally:
            if self._timer is not None:
                self._timer.cancel()

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _once(self) -> Closed:
        setup = self.setup
        joiner = Joiner(
            self.identity,
            setup.name,
            setup.role,
            program=setup.program,
            code=setup.code,
            level=setup.level,
            operator=setup.operator,
            table_key=self.chair.table_key,
        )
        try:
            self.address, connection = await connect_first(self.addresses, joiner)
        except (OSError, ValueError) as error:
            where = ", ".join(str(a) for a in self.addresses[:3])
            return Closed(LOST, f"no table answers at {where} ({error or type(error).__name__})")
        self._connection = connection
        try:
            return await connection.run(self._on_event)
        finally:
            self._connection = None

    def _ended(self, end: Closed) -> Closed:
        self.end = end
        text = "" if end.reason == LEFT and not end.by_peer else end.text
        if end.reason == HOST_LEFT:
            text = end.text or "the host has closed the table"
        self._show(stage=Stage.CLOSED, trouble=text or self.view.trouble)
        return end

    # Events

    def _on_event(self, event: Event) -> None:
        try:
            self._handle(event)
        except (HostFault, LostSecretError) as error:
            self._fault(str(error))

    def _handle(self, event: Event) -> None:
        match event:
            case Opened(table_key=table_key, joined=joined):
                if self.setup.fingerprint and table_id(table_key) != self.setup.fingerprint:
                    raise HostFault("another table answers here than the one you chose")
                self.was_in = True
                self._show(link=True, trouble="")
                has_log = self.chair.opened(table_key, joined, self._now())
                if not has_log and self.setup.seat is not None and self.setup.role != ROLE_WATCHER:
                    self._send(Sit(self.setup.seat))
                self._flush()
            case Received(message=message):
                self._message(message)
            case _:
                return

    def _message(self, message: Any) -> None:
        if isinstance(message, Said):
            said = Talk(message.name, message.text, None if message.seat == 4 else message.seat)
            self.view = replace(self.view, talk=(*self.view.talk, said)[-TALK_KEPT:])
        elif not self.chair.message(message, self._now()):
            raise HostFault("the host sent something that is not for a player")
        if isinstance(message, NewEntry) and message.number == 0:
            self._meet()
        self._work()

    def _open_store(self, log_id: bytes) -> LogStore:
        return LogStore(self.setup.folder, log_id, self._entropy)

    def _meet(self) -> None:
        """Compare the players' keys with those remembered under their names (trust on first use)."""
        assert self.player is not None
        words = {Meeting.NEW: "new", Meeting.SAME: "same", Meeting.CHANGED: "changed"}
        for entry in self.player.fold.seats:
            if self._known is not None and not entry.bot and entry.key != self.identity.public:
                self._met[entry.key] = words[self._known.remember(entry.name, entry.key)]

    def _fault(self, text: str) -> None:
        """The host is at fault, or the disk: nothing more is done at this table."""
        self._stopping = True
        self._show(trouble=text)
        if self._connection is not None:
            self._connection.close(MALFORMED, text[:200])

    # Doing what is owed

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _work(self) -> None:
        """Let the bot choose, send what is due, wake again when something is to go out by itself."""
        if not self._stopping:
            self.chair.work(self._now())
            self._flush()
            self._arm()
        self._show()

    def _flush(self) -> None:
        out, self.chair.out = self.chair.out, []
        for message in out:
            self._send(message)

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self.chair.deadline
        if deadline is not None:
            self._timer = asyncio.get_running_loop().call_at(deadline + 0.001, self._work)

    def _send(self, message: Any) -> None:
        if self._connection is not None and self._connection.peer.is_open:
            self._connection.send(message)

    def _show(self, **changes: Any) -> None:
        """Make the new view and tell the screen."""
        base = replace(self.view, **changes)
        me = None
        if self.lobby is not None:
            me = next((s for s in range(4) if self.lobby.seats[s].key == self.identity.public), None)
        is_host = self.lobby is not None and me is not None and self.lobby.owner == me
        store = self.chair.store
        path = str(store.path) if isinstance(store, LogStore) and store.path else ""
        trouble = base.trouble or (store.problem if store else "")
        base = replace(base, is_host=is_host, log_path=path, trouble=trouble)
        self.view = table_view(self.player, self.lobby, base=base, known=self._met, me=me)
        if self.view.stage is not Stage.JOINING:
            self._entered.set()
        if self.before_show is not None:
            self.before_show(self.view)
        if self._callback is not None:
            self._callback(self.view)

    async def entered(self) -> None:
        """Wait until the table's state is known, or that it cannot be joined."""
        await self._entered.wait()

    # The screen's door (`goat_net.tableview.Session`)

    def on_change(self, callback: Callable[[TableView], None]) -> None:
        """Call ``callback`` with every new view; only one is kept."""
        self._callback = callback

    def act(self, action: Action) -> Refusal | None:
        """Send an action of one's own seat, or say why it cannot be."""
        if self.player is None:
            return Refusal.WRONG_ACTION
        refusal = self.player.act(action)
        if refusal is None:
            self._work()
        return refusal

    def sit(self, seat: Seat) -> None:
        """Lobby: take this free seat."""
        self._send(Sit(seat))

    def ready(self) -> None:
        """Ready to start, for the next deal, or for another match."""
        if self.view.stage in (Stage.LOBBY, Stage.OVER):
            self._send(Ready(True))
        elif self.player is not None:
            self.player.go_on()
            self._work()

    def start(self) -> None:
        """Host: fill free seats with bots and begin."""
        self._send(Start())

    def set_bot(self, seat: Seat, level: str) -> None:
        """Host: a bot on a free seat, or none."""
        self._send(SetBot(seat, level))

    def kick(self, seat: Seat, reason: str) -> None:
        """Host: take a seat's player off the table."""
        self._send(Kick(seat, reason))

    def say(self, text: str) -> None:
        """Talk to the table."""
        self._send(Say(text))

    def pause(self, on: bool) -> None:
        """Stop or restart everybody's clocks."""
        if self.player is not None:
            self.player.pause(on)
            self._work()

    def vote(self, seat: Seat, choice: int, *, unreached: bool = False) -> None:
        """Say what is to be done about an absent seat (R24)."""
        if self.player is not None:
            self.player.vote(seat, choice, unreached=unreached)
            self._work()

    def hang_up(self) -> None:
        """Go without leaving the match: the seat stays one's own."""
        self._stopping = True
        if self._connection is not None:
            self._connection.close(LEFT, "")
        self._wake.set()

    async def leave(self) -> None:
        """Say goodbye: in a match with a signed leave, so that the others can go on at once."""
        player = self.player
        if player is not None and player.seat is not None and player.fold.stage is MatchStage.DEALS:
            player.leave()
            self.chair.work(self._now())
            self._flush()
        self.hang_up()
