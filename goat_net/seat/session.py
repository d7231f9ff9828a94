"""A seat (or a watcher's chair) at a table over the network: what comes and goes, disk, and the player's machine.

The thin asyncio side of `goat_net.seat.player`: people's clients and bots use the same. It is the `Session` of
`goat_net.seat.tableview`, on the line of `goat_net.seat.staying`. Nothing is decided here that the log does not decide.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from goat_engine.actions import Action, Refusal
from goat_engine.rules import SEATS, Seat
from goat_net.log.chain import parse_record
from goat_net.log.fold import MatchStage
from goat_net.log.records import SeatEntry
from goat_net.seat.chair import Chair, Store
from goat_net.seat.direct_lines import Lines, dialled
from goat_net.seat.endings import HostFault, LostSecretError
from goat_net.seat.fresh import FreshBytes, fresh_path
from goat_net.seat.handing import NOBODY, Handing, hand_over
from goat_net.seat.past import SavedLogs
from goat_net.seat.player import Player
from goat_net.seat.present import absences, table_view, turn_clock
from goat_net.seat.staying import Dial, SeatSetup, Staying, dial_first
from goat_net.seat.store import LogStore, keep_proof
from goat_net.seat.tableview import Stage, TableView, Talk
from goat_net.wire.address import Address
from goat_net.wire.identity import Identity, Known, Meeting, table_id
from goat_net.wire.link import Closed, Event, Opened, Received, Silent
from goat_net.wire.messages import (
    HOST_LEFT,
    LEFT,
    MALFORMED,
    ROLE_WATCHER,
    Answer,
    HandOver,
    Kick,
    Lobby,
    NewEntry,
    Ready,
    Said,
    Say,
    SetBot,
    Sit,
    Start,
    Swap,
    Told,
)
from goat_net.wire.notices import Saying, notice
from goat_net.wire.sentences import word_of_table
from goat_net.wire.text import TALK_CHARS, clean
from goat_net.wire.wall import wall

TALK_KEPT: Final = 200  # lines of talk a screen can scroll back through
LEAVE_WITHIN: Final = 1.0  # s in which a signed goodbye comes into the log, after what was on its way before it
COMES_BACK: Final = 120.0  # s beyond its grace that a table of a running match is looked for
SLOW_AFTER: Final = 5.0  # s until a person who waits for a table to say how it is, is told so


class TableSession(Staying):
    """See the module; the line and its arguments are those of `Staying`. ``view`` is always the newest.
    ``store``: opens what a log is kept in, by its id; without one it is a file in the setup's folder. ``fresh``: the
    bytes for logs that are to begin; without it they are noted there too.
    ``direct``: whether there are lines past the host; where nothing can be dialled there are none."""

    def __init__(
        self,
        identity: Identity,
        setup: SeatSetup,
        addresses: Sequence[Address],
        *,
        entropy: Callable[[int], bytes] = os.urandom,
        known: Known | None = None,
        retry_for: float = 0.0,
        refresh: Callable[[str], Awaitable[Sequence[Address]]] | None = None,
        dial: Dial = dial_first,
        store: Callable[[bytes], Store] | None = None,
        fresh: FreshBytes | None = None,
        direct: bool = True,
    ) -> None:
        super().__init__(identity, setup, addresses, retry_for, refresh, dial)
        self.view = TableView(is_host=False, own_key=identity.public)
        self.chair = Chair(
            identity,
            store or self._open_store,
            table_key=setup.table_key,
            eager=setup.eager,
            brain=setup.brain,
            pace=setup.pace,
            fresh=fresh or FreshBytes(fresh_path(setup.folder, identity.public), entropy),
            past=SavedLogs(setup.folder),
        )
        self.lines = Lines(identity, setup.name, setup.program, self.chair.direct, self._work, self._fault)
        self._direct = direct
        self.end: Closed | None = None
        self.started = False  # for callers: whether they have begun what goes by itself
        self.before_show: Callable[[TableView], None] | None = None
        self._entropy, self._known = entropy, known
        self._met: dict[bytes, str] = {}
        self._to_remember: dict[int, SeatEntry] = {}  # people of this log who have signed nothing in it yet
        self._callback: Callable[[TableView], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._blamed = ""  # what the host or the disk did, once nothing more is done for it
        self._asked_seat = False  # on this connection
        self._told_reach = False  # on this connection
        self._last_seat: Seat | None = None
        self._lobby_at = 0.0
        self._goes_on = False  # the person has seen the end of the match and wants another
        self._done_with: Player | None = None  # its machine; the screen is at the table's seats again
        self._slow = ""  # what the person was told when nothing came
        self._handing = Handing()
        self.handed_to = ""  # who has the table that was ours
        self.opens_tables = False  # for callers: whether they open a table when this player takes one over
        self.taking = asyncio.Event()  # for callers: the player has said that they do
        self.withdrawn = asyncio.Event()  # for callers: the table that was opened for it is not needed after all
        self._came, self._entered = asyncio.Event(), asyncio.Event()

    @property
    def player(self) -> Player | None:
        """This seat's machine, once there is a log."""
        return self.chair.player

    @property
    def local(self) -> str:
        """Our own numeric address on the network of the table; empty before it was reached."""
        return self.lines.local

    @property
    def lobby(self) -> Lobby | None:
        """The lobby as the host told it last."""
        return self.chair.lobby

    async def run(self) -> Closed:
        """See `Staying.run`; other seats are heard meanwhile."""
        async with asyncio.TaskGroup() as group:
            beside = [group.create_task(self._tell_when_slow())]
            if self._direct:
                beside.append(group.create_task(self.lines.run()))
            try:
                return await super().run()
            finally:
                for task in beside:
                    task.cancel()
                if self._timer is not None:
                    self._timer.cancel()

    # The line

    @property
    def _table_key(self) -> bytes | None:
        return self.chair.table_key

    @property
    def _link(self) -> bool:
        return self.view.link

    @property
    def _patience(self) -> float:
        """As long as the table would wait for us, and for its host to start it again: the match is not lost before."""
        table = self.player.fold.table if self.player is not None and self.player.fold.open else None
        return self._retry_for if table is None else max(self._retry_for, table.settings.grace + COMES_BACK)

    def _cut_off(self) -> None:
        self.chair.cut_off(self._heard_at)
        self._show(link=False)
        self._arm()

    def _ended(self, end: Closed) -> Closed:
        self.end = end
        text = "" if self._blamed or (end.reason == LEFT and not end.by_peer) else end.text
        if end.reason == HOST_LEFT and self.handed_to:
            text = f"{self.handed_to} has the table now, and the match goes on there. The lobby shows it"
        elif end.reason == HOST_LEFT:
            text = end.text or "the host has closed the table"
            fold = self.player.fold if self.player is not None else None
            if fold is not None and fold.stage is MatchStage.DEALS and self.view.log_path:
                text = f"{text}. Anybody goes on with its score: goat host --resume {self.view.log_path}"
        self._show(stage=Stage.CLOSED, trouble=text or self.view.trouble)
        return end

    # Events

    def _on_event(self, event: Event) -> None:
        self._came.set()
        try:
            self._handle(event)
        except (HostFault, LostSecretError) as error:
            self._fault(error)

    def _handle(self, event: Event) -> None:
        match event:
            case Opened(table_key=table_key, joined=joined):
                if self.setup.fingerprint and table_id(table_key) != self.setup.fingerprint:
                    raise HostFault("another table answers here than the one you chose")
                self.was_in, self._dials = True, 0
                self._show(link=True, trouble="")
                watches = self.setup.role == ROLE_WATCHER or self.setup.seat is None
                self._asked_seat = watches and self._last_seat is None
                self._told_reach = False
                has_log = self.chair.opened(table_key, joined, self._now())
                if not has_log:
                    self._ask_seat()
                self._flush()
                self._tell_reach()
                if self._handing.goes_on is not None and self._handing.is_ours:
                    self._send(self._handing.goes_on)
            case Received(message=message):
                self._message(message)
            case Silent() if self._connection is not None:
                # A pulled cable: TCP would send again only after seconds. A new line is there at once when it is in.
                self._connection.abort()
            case _:
                return

    def _message(self, message: Any) -> None:
        if isinstance(message, HandOver):
            self._hand_over(message)
        elif isinstance(message, Said):
            self._talk(Talk(message.name, message.text, None if message.seat == 4 else message.seat, message.key))
        elif isinstance(message, Told):
            self._talk(Talk("", word_of_table(message.notice)))
        elif not self.chair.message(message, self._now()):
            raise HostFault("the host sent something that is not for a player")
        if isinstance(message, NewEntry) and message.number == 0:
            self._goes_on, self._done_with = False, None
            self._meet()
        elif isinstance(message, NewEntry):
            self._remember(message)
        if isinstance(message, Lobby):
            self._in_lobby(message)
        self._work()

    def _talk(self, line: Talk) -> None:
        self.view = replace(self.view, talk=(*self.view.talk, line)[-TALK_KEPT:])

    # A table that is handed over (`goat_net.seat.handing`)

    def _hand_over(self, said: HandOver) -> None:
        player, key = self.player, self._table_key
        if player is not None and player.fold.table is not None and key is not None:
            ours = self._handing.is_ours and self._handing.goes_on is not None
            self._handing.take(said, player.fold, player.seat, key)
            if ours and self._handing.goes_on is None:
                self.withdrawn.set()

    def _moves(self, end: Closed) -> bool:
        goes_on = self._handing.goes_on
        if end.reason != HOST_LEFT or goes_on is None:
            return False
        found = dialled(goes_on.addresses, self.local)
        if self.view.is_host or not found:
            self.handed_to = self.player.fold.seats[goes_on.seat].name if self.player is not None else "Another player"
            return False
        self._handing = Handing()
        self.addresses = self._given = found
        self.setup = replace(self.setup, table_key=goes_on.next_key, fingerprint="")
        self.chair.moves_to(goes_on.next_key)
        return True

    def offer(self, seat: int) -> None:
        """Host: offer the table to the player of a seat; 4: not any more."""
        if self.player is not None and self.view.is_host:
            self._handing.offered(seat, self.player.fold)
            self._send(HandOver(seat, b"", (), b""))
            self._show()

    def take_over(self, on: bool) -> None:
        """Take the table that is offered, or don't. Whoever runs this session opens the table, and says `opened` or
        `not_opened`."""
        if on and self.opens_tables:
            self.taking.set()
        elif self._handing.goes_on is None:
            self.not_opened()

    def opened(self, next_key: bytes, addresses: Sequence[str], invite: tuple[str, ...] = ()) -> None:
        """The table that goes on with the match is open there, under this key. ``invite``: as in the view, from now
        on."""
        self.view = replace(self.view, invite=invite)
        player, key = self.player, self._table_key
        if player is not None and player.seat is not None and key is not None:
            said = hand_over(self.identity, player.seat, key, next_key, addresses)
            self._handing.take(said, player.fold, player.seat, key)
            self._send(said)
            self._show()

    def not_opened(self, why: str = "") -> None:
        """This player does not take the table; ``why``: what to tell them."""
        if why:
            self._talk(Talk("", why))
        self._send(NOBODY)
        self._handing = Handing()
        self._show()

    def _in_lobby(self, lobby: Lobby) -> None:
        """Our seat by the lobby; without one, after a connection that broke, it is asked for again."""
        seat = next((s for s in SEATS if lobby.seats[s].key == self.identity.public), None)
        if seat is not None:
            self._last_seat = seat
            self._tell_reach()
        elif lobby.state != 1:
            self._ask_seat()
        elif not any(s.kept_key == self.identity.public for s in lobby.seats):
            self._last_seat = None  # it was another's, who is back
        if self._goes_on:
            self._go_on()
        self._lobby_at = self._now()

    def _go_on(self) -> None:
        """From the match that is over back to the seats; not when the next one begins this moment."""
        key, told = self.identity.public, () if self.lobby is None else self.lobby.seats
        begins = all(s.taken and (s.ready or s.key == key) for s in told) and any(s.key == key for s in told)
        self._goes_on, self._done_with = begins, None if begins else self.player

    def _ask_seat(self) -> None:
        wanted = self.setup.seat if self._last_seat is None else self._last_seat
        if not self._asked_seat and wanted is not None:
            self._asked_seat = True
            self._send(Sit(wanted))

    def _tell_reach(self) -> None:
        """Listen where other seats can dial this one, and say where that is."""
        if self._connection is not None:
            self.lines.local = self._connection.local
        watches = self.setup.role == ROLE_WATCHER and self._last_seat is None
        silent = not self._direct or self.setup.listen is None
        if silent or watches or self._connection is None or self._told_reach:
            return
        self._told_reach = True
        reach = self.lines.listen(self.setup.listen or self._connection.local)
        if reach is not None:
            self._send(reach)

    def _open_store(self, log_id: bytes) -> LogStore:
        return LogStore(self.setup.folder, log_id, self.identity.public, self._entropy)

    def _meet(self) -> None:
        """Compare the players' keys with those remembered under their names (trust on first use)."""
        assert self.player is not None
        words = {Meeting.NEW: "new", Meeting.SAME: "same", Meeting.CHANGED: "changed"}
        self._to_remember = {}
        for seat, entry in enumerate(self.player.fold.seats):
            if self._known is not None and not entry.bot and entry.key != self.identity.public:
                self._met[entry.key] = words[self._known.meet(entry.name, entry.key)]
                self._to_remember[seat] = entry

    def _remember(self, message: NewEntry) -> None:
        """A seat's key is remembered from its first signed record on: a host alone pushes nobody else's out by names
        that it puts into a table's record (H2)."""
        if self._known is None or not self._to_remember or self.player is None:
            return
        chain = self.player.fold.chain
        if message.number < len(chain) and chain.entries[message.number].record == message.record:
            entry = self._to_remember.pop(parse_record(message.record).author, None)
            if entry is not None:
                self._known.remember(entry.name, entry.key)

    def _fault(self, error: HostFault | LostSecretError) -> None:
        """The host is at fault, or the disk: nothing more is done at this table. What proves the host's fault is saved,
        and the person is told where; the host is not."""
        self._stopping = True
        self._blamed = f"{error}{self._keep_proof(error)}"
        self._show(trouble=self._blamed)
        if self._connection is not None:
            self._connection.close(MALFORMED, notice(Saying.HOST_AT_FAULT))

    def _keep_proof(self, error: HostFault | LostSecretError) -> str:
        store = self.chair.store
        path = store.path if store is not None else None
        if not isinstance(error, HostFault) or not error.proof or path is None:
            return ""
        return keep_proof(path, error.number, error.proof)

    # Doing what is owed

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _work(self) -> None:
        """Let the bot choose, send what is due, wake again when something is to go out by itself."""
        if not self._stopping:
            self.chair.work(self._now())
            self._flush()
        self._show()
        self._arm()

    def _on_time(self) -> None:
        """The clock's turn. It is no task of anybody's: a fault in it ends the line, as one in a message does."""
        with wall("the clock of a seat") as fall:
            self._work()
        if fall.error is not None:
            self._failed(fall.error)

    def _flush(self) -> None:
        out, self.chair.out = self.chair.out, []
        for message in out:
            self._send(message)
        if self.chair.unsettled:
            asyncio.get_running_loop().call_soon(self.chair.settle)  # after the connection's writer, which is awake now

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self.chair.deadline
        now = self._now()
        if self.view.absences or self.view.clock is not None or any(s.away for s in self.view.seats):
            deadline = min(deadline or now + 1.0, now + 1.0)  # seconds that are shown go on
        if deadline is not None and not self._stopping:
            self._timer = asyncio.get_running_loop().call_at(deadline + 0.001, self._on_time)

    def _send(self, message: Any) -> None:
        if self._connection is not None and self._connection.peer.is_open:
            self._connection.send(message)

    def _show(self, **changes: Any) -> None:
        """Make the new view and tell the screen."""
        base = replace(self.view, **changes)
        if self._slow and self.lobby is not None:  # it has spoken at last
            base = replace(base, trouble="" if base.trouble == self._slow else base.trouble)
        me = None
        if self.lobby is not None:
            me = next((s for s in range(4) if self.lobby.seats[s].key == self.identity.public), None)
        is_host = self.lobby is not None and me is not None and self.lobby.owner == me
        store = self.chair.store
        path = str(store.path) if store is not None and store.path else ""
        trouble = base.trouble or (self.player.barred if self.player else "") or (store.problem if store else "")
        now = self._now()
        told, key = (() if self.lobby is None else self.lobby.seats), self.identity.public
        base = replace(
            base,
            is_host=is_host,
            log_path=path,
            next_host=self._handing.next_host,
            trouble=trouble,
            absences=absences(self.chair, now),
            clock=turn_clock(self.chair, now),
            time_up=self.chair.time_up,
            host_blame=self.chair.direct.host_blame(now),
            stands_in=next((s for s in range(len(told)) if told[s].kept_key == key and me is None), None),
            terms=self.player.terms if self.player is not None and self.player.asked else None,
            takes=next((s for s in range(len(told)) if told[s].next_key == key), None),
        )
        past = max(0.0, now - self._lobby_at)
        player = None if self.player is self._done_with else self.player
        self.view = table_view(player, self.lobby, base=base, known=self._met, me=me, past=past)
        if self.view.stage is not Stage.JOINING:
            self._entered.set()
        if self.before_show is not None:
            self.before_show(self.view)
        if self._callback is not None:
            self._callback(self.view)

    async def entered(self) -> None:
        """Wait until the table's state is known, or that it cannot be joined, or for 5 s: then the person is told what
        it waits for, and can leave."""
        await self._entered.wait()

    async def _tell_when_slow(self) -> None:
        try:
            async with asyncio.timeout(SLOW_AFTER):
                await self._entered.wait()
        except TimeoutError:
            here = self._connection is not None and self._connection.peer.is_open
            does = "has let you in and says nothing more" if here else "does not answer yet"
            self._slow = f"The table at {self._where} {does}. You can go on waiting, or leave"
            self._show(trouble=self._slow)
            self._entered.set()

    # The screen's door (`goat_net.seat.tableview.Session`)

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

    def sit(self, seat: int) -> None:
        """Take this free seat, in a match from the next deal on (4: not any more)."""
        self._send(Sit(seat))

    def swap(self, seat: int) -> None:
        """Lobby: ask the player of this seat to swap seats; 4: not any more."""
        self._send(Swap(seat))

    def answer(self, seat: Seat, on: bool) -> None:
        """Lobby: swap seats with the player of this seat, who asks for it, or don't."""
        self._send(Answer(seat, self.view.seats[seat].key, on))

    def ready(self) -> None:
        """Ready to start, for the next deal, or for another match: then the seats are shown again, unless it begins at
        once."""
        if self.view.stage in (Stage.LOBBY, Stage.OVER):
            self._send(Ready(True))
            if self.view.match is not None and self.view.match.goat is not None:
                self._go_on()
                self._show()
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
        """Talk to the table: the text as it may pass (PROTOCOL.md, Bounds), or nothing when nothing of it may."""
        line = clean(text, TALK_CHARS)
        if line:
            self._send(Say(line))

    def pause(self, on: bool) -> None:
        """Stop or restart everybody's clocks."""
        if self.player is not None:
            self.player.pause(on)
            self._work()

    def vote(self, seat: Seat, choice: int) -> None:
        """Say what is to be done about an absent seat: 0 wait on, 1 let go, 2 charge (R24)."""
        if self.player is not None:
            self.player.vote(seat, choice)
            self._work()

    def accept(self) -> None:
        """Agree to the score that is carried on here and to what has changed."""
        if self.player is not None:
            self.player.accept()
            self._work()

    async def leave(self) -> None:
        """Say goodbye: in a match with a signed leave, so that the others can go on at once. While the table is gone
        none is signed: it would go out when its player is back, who then means to play."""
        player, connection = self.player, self._connection
        here = connection is not None and connection.peer.is_open
        if here and player is not None and player.seat is not None and player.fold.stage is MatchStage.DEALS:
            self.chair.brain = None  # nothing more is chosen here
            player.leave()
            self._work()
            try:
                async with asyncio.timeout(LEAVE_WITHIN):
                    while self._connection is connection and not player.has_left:
                        await self._something_came()
            except TimeoutError:
                pass
        self.hang_up()

    async def _something_came(self) -> None:
        """Wait for the next message of the host, or for the end of the line."""
        self._came.clear()
        await self._came.wait()
