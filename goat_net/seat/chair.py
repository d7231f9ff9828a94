"""What a seat (or a watcher's chair) says and does on its connection to the table, without I/O (PROTOCOL.md, The log).

`goat_net.seat.session` carries it over a network; the tests carry it through broken ones. It opens the log, reads on
from what is known of it here, hands in what the table has lost, and sends what the player's machine owes, once it is
written down. What it says past the host is its `goat_net.seat.direct.Direct`, the score that a log carries on its
`goat_net.seat.carried.CarriedScore`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from secrets import token_bytes
from typing import Any, Final, Protocol

from goat_engine.actions import Action
from goat_engine.rules import SEATS
from goat_engine.view import SeatView
from goat_net.log.absence_table import NO_ANSWER
from goat_net.log.chain import ChainError, batch, parse_record
from goat_net.log.fold import MatchStage
from goat_net.log.proof import entry_proof, fork_proof, refusal_proof
from goat_net.log.records import Cut, Lock, Shuffle
from goat_net.log.refusals import FalselyRefused
from goat_net.seat.carried import CarriedScore
from goat_net.seat.clocks import Asked, Waiting
from goat_net.seat.direct import Direct
from goat_net.seat.endings import HostFault, LostSecretError
from goat_net.seat.fresh import FreshBytes
from goat_net.seat.player import Player
from goat_net.seat.terms import Nothing, Past
from goat_net.wire.codec import WireError
from goat_net.wire.identity import Signer
from goat_net.wire.messages import Fresh, Joined, Lobby, NewEntry, PastEntry, Reach, Read, Submit

# Records that seed and log make, not the player, and that a seat owes before anything else when it is back: lost with
# the power they come again with the same content. (When a `Commit` comes, its player decides; `Keys` may be more then.)
FOLLOWS: Final = (Shuffle, Cut, Lock)
NOT_FRESH: Final = (
    "This log was begun with bytes that this client did not give for it, or has forgotten: it signs nothing in it, "
    "and its seat goes to somebody else"
)
LOGS_UNPLAYED: Final = 20  # logs one after another of which none came to the end of a deal; each is files on this disk
MAX_WAITED: Final = 86_400  # s: the bound of the field
ABSENT_MINDED: Final = "medium"  # how a client plays for its player when their clock has run out


class Store(Protocol):
    """Where a chair keeps one log, its secret, and the record that is on its way (`goat_net.seat.store.LogStore`)."""

    @property
    def problem(self) -> str:
        """Why nothing more is written down, as a sentence, or empty."""

    @property
    def path(self) -> Path | None:
        """The file, where there is one."""

    @property
    def entries(self) -> Sequence[NewEntry]:
        """What was saved before."""

    @property
    def master(self) -> bytes:
        """The 32 secret bytes of this seat in this log."""

    @property
    def pending(self) -> bytes:
        """The record that was written down last, or empty."""

    def set_pending(self, record: bytes, *, sync: bool = True) -> None:
        """Write down a record before it is sent; unless ``sync``, `settle` follows as soon as it is."""

    def settle(self) -> None:
        """See that the record written down last outlives a power cut."""

    def append(self, entry: NewEntry) -> None:
        """Write down the next entry."""

    def cut(self, count: int) -> None:
        """What is saved after so many entries is damaged: the next one is written in its place."""

    def finish(self) -> None:
        """The log is closed."""


class Chair:
    """See the module. ``open_store``: opens the store of a log id. ``brain`` chooses for a bot; ``pace``: seconds it
    takes, drawn for each move. What is to be sent is in ``out``; whoever carries it takes it out."""

    def __init__(
        self,
        identity: Signer,
        open_store: Callable[[bytes], Store],
        *,
        table_key: bytes | None = None,
        eager: bool = False,
        brain: Callable[[SeatView], Action] | None = None,
        pace: Callable[[], float] | None = None,
        fresh: FreshBytes | None = None,
        past: Past | None = None,
    ) -> None:
        self.identity, self.eager = identity, eager
        self.table_key = table_key
        self.player: Player | None = None
        self.lobby: Lobby | None = None
        self.log_id = b""  # of the log that is open
        self.link = False  # whether the host is there
        self.out: list[Any] = []
        self.waiting = Waiting()
        self.direct = Direct(self)
        self.brain, self.pace = brain, pace
        self.fresh = fresh or FreshBytes(None, token_bytes)
        self._carried = CarriedScore(past or Nothing())
        self.store: Store | None = None
        self.unsettled = False  # what was put out last is not on the disk yet: `settle` when it is on its way
        self._open_store = open_store
        self._asked = Asked()
        self._expected = 0  # entries the table had when we came: before they are read nothing is signed
        self.time_up = 0  # plays of this client for its player, whose clock had run out
        self._unplayed = 0  # logs opened since one that came to the end of a deal
        self._thought_for = -1  # entry count at which the bot began to think
        self._act_at = 0.0

    # What comes

    def cut_off(self, heard: float) -> None:
        """The line to the host has broken. ``heard``: when the host was heard last. Clocks stand still from then on:
        nobody's time runs while nothing of theirs can come."""
        self.link = False
        if self.player is not None:
            self.waiting.update(self.player.fold, heard, stopped=True)

    def moves_to(self, table_key: bytes) -> None:
        """The match goes on at another table, with a key of its own. What was played here is kept to hold its score
        against; everything else was of the old table."""
        self._carried.next_log(None if self.player is None else self.player.fold)
        self.player = self.store = self.lobby = None
        self.log_id, self.table_key, self._expected = b"", table_key, 0
        self.out.clear()
        self.direct.dials.reaches.clear()

    def opened(self, table_key: bytes, joined: Joined, now: float) -> bool:
        """The table has let us in; False when it has no log to read. Raises HostFault, LostSecretError."""
        self.table_key = table_key
        self.link = True
        self.out.clear()
        self._expected = joined.entries if joined.log_id else 0
        self.out.append(Fresh(self.fresh.give(table_key)))
        if not joined.log_id:
            return False
        if self.log_id != joined.log_id:
            self._open_log(joined.log_id, now)
        assert self.player is not None
        self.out.append(Read(joined.log_id, len(self.player.fold.chain)))
        if self.player.unconfirmed is not None:
            self.out.append(Submit(self.player.unconfirmed))
        return True

    def message(self, message: Any, now: float) -> bool:
        """A message of the host; False when it is not for a chair. Raises HostFault, LostSecretError."""
        match message:
            case NewEntry():
                self.take_entry(message, now)
            case Read(log_id=log_id, start=start):
                self._read(log_id, start)
            case PastEntry():
                self._carried.take(message, now)
                self._offer_terms()
            case Lobby():
                self.lobby = message
            case Reach():
                self.direct.take_reach(message)
            case _:
                return False
        return True

    def _open_log(self, log_id: bytes, now: float) -> None:
        if self.player is not None and self.player.fold.finished:
            self._unplayed = 0
        self._unplayed += 1
        if self._unplayed > LOGS_UNPLAYED:
            raise HostFault(f"The host has begun {LOGS_UNPLAYED} matches, one after another, and played a deal of none")
        self._carried.next_log(None if self.player is None else self.player.fold)
        store = self._open_store(log_id)
        player = Player(self.identity, lambda _: store.master, table_key=self.table_key, eager=self.eager)
        self.store, self.player, self.log_id = store, player, log_id
        self._thought_for = -1
        try:
            for entry in store.entries:
                player.take(entry, now)
                if entry.number == 0:
                    self._use_fresh(player)
        except ChainError:
            store.cut(len(player.fold.chain))  # damaged from here on: the rest is read again from the table
        if store.pending:
            player.restore(store.pending)
        if store.entries and player.fold.stage is MatchStage.COMMITS:
            self._agree(player, now)

    def take_entry(self, entry: NewEntry, now: float) -> None:
        if entry.number == 0:
            try:
                log_id = parse_record(entry.record).match_id
            except WireError:
                raise HostFault("The host began a log that cannot be read") from None
            if self.log_id != log_id:
                self._open_log(log_id, now)
                self._expected = 0
        player, store = self.player, self.store
        if player is None or store is None:
            raise HostFault("The host sent an entry of a log that it had not begun")
        chain = player.fold.chain
        if entry.number < len(chain):
            if chain.entries[entry.number].record != entry.record:
                self.blame_fork(entry)
            return  # read already, from the disk or before the connection was made again
        try:
            self.direct.witness.refused(player.fold, entry)
            record = player.take(entry, now)
        except FalselyRefused as error:
            whose = "yours" if error.seat == player.seat else player.fold.seats[error.seat].name
            raise HostFault(
                f"The host refused a record of {whose} falsely, and the match cannot go on ({error})",
                refusal_proof(chain.entries, entry, error.raw),
                entry.number,
            ) from error
        except ChainError as error:
            raise HostFault(
                f"The host broke the log and the match cannot go on ({error})",
                entry_proof(player.fold, entry),
                entry.number,
            ) from error
        if player.is_lost:
            raise LostSecretError("The secret of this match is not here, so this seat cannot be played on from here")
        if entry.number == 0:
            self._agree(player, now)
        store.append(entry)
        if entry.number == 0 and not self._use_fresh(player):
            player.barred = NOT_FRESH
        self.waiting.acted(player.fold, record, now)
        if player.fold.stage is MatchStage.ENDED:
            store.finish()

    # The score that goes on

    def _agree(self, player: Player, now: float) -> None:
        """Hold a score that is carried on against the match before, if it is here."""
        self.out += self._carried.begin(player.fold, now)
        self._offer_terms()

    def _offer_terms(self) -> None:
        """What the player is to agree to; nothing is signed before."""
        if self.player is not None:
            self.player.terms, self.player.decide_at = self._carried.terms, self._carried.decide_at

    def _use_fresh(self, player: Player) -> bool:
        """Use up what this client gave for a log, and give the next one: whether it was given for this log alone. A
        log that comes from this seat's own disk has used it before."""
        table = player.fold.table
        if table is None or player.seat is None:
            return True
        good = self.fresh.use(table.table_key, table.fresh[player.seat])
        self.out.append(Fresh(self.fresh.give(table.table_key)))
        return good

    def blame_fork(self, entry: NewEntry) -> None:
        """Another entry under a number that is taken: a fork if the host has signed it, else a lie of the line."""
        assert self.player is not None
        raise HostFault(
            f"The host signed two different entries under the number {entry.number}. The match cannot go on; "
            f"its log is kept",
            fork_proof(self.player.fold, entry),
            entry.number,
        )

    def hand_in(self, record: bytes) -> None:
        """Send the host a record of another seat, which it lacks."""
        self.out.append(Submit(record))

    def _read(self, log_id: bytes, start: int) -> None:
        """The table says how many entries it has: what it lacks is handed in, what we lack is asked for."""
        player = self.player
        if player is None or self.log_id != log_id:
            self.out += self._carried.read(log_id, start)
            return
        chain = player.fold.chain
        if start < len(chain):
            self.out.extend(batch(chain, start))
        if start != len(chain):
            self.out.append(Read(log_id, len(chain)))

    # What is owed

    @property
    def caught_up(self) -> bool:
        """Whether all is read that the table had when we came: who has not read it could sign a number twice."""
        return self.player is not None and len(self.player.fold.chain) >= self._expected

    def work(self, now: float) -> None:
        """Let the bot choose; what is due is written down and put out."""
        player, store = self.player, self.store
        if player is None or store is None:
            return
        self.waiting.update(player.fold, now, stopped=not self.link)
        if not self.caught_up:
            return
        self._think(player, now)
        self._clock_out(player, now)
        self._watch_votes(player, now)
        for raw in player.due(now):
            # What follows from seed and log comes out as the same bytes if it is lost with the power: it need not wait
            # for the disk. A choice must.
            self.unsettled = isinstance(parse_record(raw).body, FOLLOWS)
            store.set_pending(raw, sync=not self.unsettled)
            self.out.append(Submit(raw))
        if not self.out:
            player.prepare()
        self.direct.watch_own(now)

    def settle(self) -> None:
        """What was put out is on its way: now the disk has time."""
        if self.unsettled and self.store is not None:
            self.unsettled = False
            self.store.settle()

    def _think(self, player: Player, now: float) -> None:
        count = len(player.fold.chain)
        if self.brain is None or not player.owes_action:
            return
        if self._thought_for != count:
            self._thought_for = count
            self._act_at = now + (self.pace() if self.pace else 0.0)
        view = player.view
        if now >= self._act_at and view is not None:
            player.act(self.brain(view))

    @property
    def deadline(self) -> float | None:
        """When `work` will have something to do though nothing comes in."""
        player = self.player
        if player is None or not self.caught_up:
            return None
        times = [t for t in (player.deadline, self._clock_end(player), self._asked.deadline) if t is not None]
        if self.brain is not None and player.owes_action:
            times.append(self._act_at)
        return min(times, default=None)

    # The people's votes (R24)

    def _watch_votes(self, player: Player, now: float) -> None:
        """Say what this machine has not heard, and that its player does not answer."""
        fold, seat = player.fold, player.seat
        self._asked.update(fold, seat, now)
        if seat is None or not self.link:
            return
        for target in SEATS:
            waited = int(self.waiting.waited(target, now))
            enough = fold.table is not None and waited >= fold.table.settings.grace
            may = enough and seat in fold.absence.witnesses(target, fold.scene)
            if may and seat not in fold.absence.unheard_by(target) and self.direct.unheard(target, now):
                player.bear_witness(target, min(waited, MAX_WAITED))
        for target in self._asked.unanswered(now):
            player.vote(target, NO_ANSWER)

    def asked_for(self, seat: int, now: float) -> float:
        """Seconds since the people were first asked about a seat, as this client has seen it."""
        return self._asked.asked_for(seat, now)

    # The turn clock

    def _clock_end(self, player: Player) -> float | None:
        """When our own turn clock runs out; None while it stands or there is none."""
        seat, fold = player.seat, player.fold
        if seat is None or not player.owes_action or self.brain is not None or not self.link:
            return None
        left = self.waiting.left(fold, seat, self.waiting.since.get(seat, 0.0))
        return None if left is None else self.waiting.since[seat] + left

    def _clock_out(self, player: Player, now: float) -> None:
        """The player is absent-minded: their client plays for them, as a bot would."""
        end = self._clock_end(player)
        view = player.view
        if end is not None and now >= end and view is not None:
            from goat_engine.bots import choose

            if player.act(choose(view, Random(0), ABSENT_MINDED)) is None:
                self.time_up += 1
