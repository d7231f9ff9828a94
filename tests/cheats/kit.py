"""A world in which one player, or the host, plays a cheat, and what everybody else then says of it."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from goat_host.ports import Drop, Journal, Send, StartBot
from goat_host.table import Table, TableSetup

from goat_engine.actions import Action, Claim
from goat_engine.bots import choose
from goat_engine.rules import SEATS, Rules, team_of
from goat_engine.view import SeatView
from goat_net.deck.rounds import turn_order
from goat_net.deck.seeds import CARDS, HANDS, STOCK, _stream, deal_tag, draw_permutation, seed_commitment
from goat_net.log.absence_table import CHARGE
from goat_net.log.chain import MAX_ENTRIES, ChainError, Record, make_record, read_file
from goat_net.log.deal import DealFold, DealStage
from goat_net.log.fold import Fold, MatchStage, digest
from goat_net.log.records import Settings
from goat_net.log.refusals import Witness
from goat_net.seat.player import Player, memory_masters
from goat_net.wire.hello import OPERATOR_PURPOSE
from goat_net.wire.identity import Identity
from goat_net.wire.messages import MESSAGES, PROTOCOL, ROLE_BOT, ROLE_PLAYER, Hello, NewEntry, Read, Ready, Sit, Submit
from tests.world.world import Seated, World

FAST: Final = Rules(yield_time=0)
ATTEMPTS: Final = 200_000  # shuffles looked at for one that suits; the rarest asked for comes once in some 10,000

Cards = tuple[int, ...]
Wanted = Callable[[Cards, DealFold], bool]


class Scheme:
    """A cheat while it is played. Asked for every record that the cheat's machine would send; ``done`` once it has
    changed one. ``counter`` is that of the record which is the offence, if there is one."""

    once = True

    def __init__(self) -> None:
        self.done = False
        self.counter: int | None = None
        self.seat: int | None = None
        self.deal = 0
        self.log_id = self.who = b""
        self.notes: dict[str, Any] = {}

    def body(self, c: "Schemer", body: Any) -> Any:
        """Another body for this one, or the same; None to keep silent."""
        return body

    def idle(self, c: "Schemer") -> Any:
        """A body to send though nothing is owed."""
        return None

    def raw(self, c: "Schemer") -> list[bytes]:
        """Records beside the machine's own."""
        return []

    def mark(self, c: "Schemer") -> None:
        """The record that is made now is the cheat."""
        assert c.seat is not None
        self.done, self.counter, self.seat = True, c.fold.counters[c.seat], c.seat
        self.who = c.identity.public
        self.deal, self.log_id = c.fold.deal.number if c.fold.deal else 0, c.fold.chain.log_id

    def over(self, c: "Schemer") -> bool:
        """Whether the deal of the cheat is over: then it plays on honestly."""
        return self.log_id != c.fold.chain.log_id or self.deal != (c.fold.deal.number if c.fold.deal else 0)


class Schemer(Player):
    """A player whose deck may be arranged by the test and who cheats when the world says that it is time to."""

    world: "CheatWorld"

    def _seed(self, deal: DealFold) -> bytes:
        assert self.seat is not None
        return self.world.deal_seed(self.seat, deal)

    def _owed(self, now: float) -> Any:
        body = super()._owed(now)
        scheme = self.world.scheme_of(self)
        if scheme is None or (scheme.done and (scheme.once or scheme.over(self))):
            return body
        other = scheme.idle(self) if body is None else scheme.body(self, body)
        if other is not body and other is not None and not scheme.done:
            scheme.mark(self)
        return other

    def take(self, entry: NewEntry, now: float) -> Record:
        """Fold an entry; a commitment that is not its own is no sign that this one has lost its secret."""
        record = super().take(entry, now)
        self.is_lost = False
        return record

    def due(self, now: float) -> list[bytes]:
        """What is due, and what the cheat adds."""
        out = super().due(now)
        scheme = self.world.scheme_of(self)
        return out if scheme is None or self.seat is None or not self.fold.open else [*out, *scheme.raw(self)]

    def _follow_step(self, deal: DealFold, index: int) -> None:
        try:
            super()._follow_step(deal, index)
        except AssertionError:  # its own cheat, which only an honest machine need not follow
            assert self.world.scheme_of(self) is not None
            assert deal.state is not None
            assert self.own is not None
            self.own = deal.state.learn(self.own.known)

    def sign(self, body: Any, **changes: Any) -> bytes:
        """A record of this seat, as it would be now but for the changes. Its machine does not know of it."""
        fold, chain = self.fold, self.fold.chain
        assert self.seat is not None
        self._signed = MAX_ENTRIES
        fields: dict[str, Any] = {
            "match_id": fold.id,
            "deal": fold.deal.number if fold.deal else 0,
            "counter": fold.counters[self.seat],
            "seen": len(chain),
            "seen_head": chain.head,
        } | changes
        return make_record(
            self.identity,
            fields["match_id"],
            fields["deal"],
            self.seat,
            fields["counter"],
            fields["seen"],
            fields["seen_head"],
            body,
        )

    @property
    def secrets(self) -> Any:
        """This seat's secrets of the deal."""
        return self._secrets


class Guest(Seated):
    """A seat of the cheats' world: notes the host's fault instead of falling over it, votes, claims at once."""

    world: "CheatWorld"

    def __init__(self, world: "CheatWorld", seat: int, identity: Identity, *, role: int) -> None:
        self.role = role
        self.operator: Identity | None = None
        self.fault: ChainError | None = None
        self.witness = Witness()
        self.dropped: Drop | None = None
        self.silent = False
        self.late = False  # came when the match was on
        self.raws: list[bytes] = []
        self.kept: list[NewEntry] = []
        self.past: list[Player] = []
        super().__init__(world, seat, identity)

    def new_player(self) -> Player:
        """A machine with nothing read yet."""
        secret = f"{self.world.seed}/secret/{self.seat}".encode()
        key = self.world.table.identity.public
        player = Schemer(self.identity, memory_masters(secret), table_key=key, eager=True)
        player.world = self.world
        return player

    def hello(self) -> Hello:
        """What this player says at the door."""
        operator = self.operator.public if self.operator else b""
        key = self.identity.public
        return Hello(PROTOCOL, "test", self.role, key, bytes(32), self.world.name(self), "", operator)

    def receive(self, message: Any) -> None:
        """A message from the table has come."""
        if self.fault is not None:
            return
        if isinstance(message, NewEntry):
            self.kept.append(message)
            if message.number == 0:
                self.past.append(self.player)
                self.player = self.new_player()
                self.kept = [message]
            try:
                self.player.take(message, self.world.now)
            except ChainError as error:
                self.fault = error
                return
            if message.number == 0:
                self.give()
        self.act()

    def player_of(self, fold: Fold) -> Player | None:
        """This guest's machine for that log, if it has read as much of it as the table had."""
        return next((p for p in (self.player, *self.past) if p.fold.chain.head == fold.chain.head), None)

    def act(self) -> None:
        """Do what is owed, by choice or by itself."""
        player, world = self.player, self.world
        if self.fault is not None or self.silent:
            return
        for target in SEATS if self.role == ROLE_PLAYER else ():
            fold = player.fold
            if player._extra or player.unconfirmed is not None or self.seat in (None, target):
                continue
            may = self.seat in fold.absence.witnesses(target, fold.scene)
            if may and self.seat not in fold.absence.unheard_by(target) and world.unreached.get(self.seat, True):
                player.bear_witness(target, fold.table.settings.grace if fold.table else 0)
            asked = fold.vote_open(target) and self.seat in fold.voters(target)
            choice = world.votes.get(self.seat, CHARGE)
            if asked and self.seat not in fold.votes.get(target, {}) and choice is not None:
                player.vote(target, choice)
        if player.fold.paused not in (None, self.seat) and player.unconfirmed is None and not player._extra:
            player.pause(False)  # nobody who waits for a card sits there and looks on
        view = player.view
        if view is not None and player.may_act and self.seat in world.claims and view.may_claim:
            player.act(Claim())
        if player.owes_action:
            view = player.view
            assert view is not None
            if player.act(world.choice(view, self.rng)) is not None:
                assert world.scheme_of(player) is not None  # its own cheat has muddled its hand: anything that fits
                assert any(player.act(action) is None for action in view.actions())
        for raw in player.due(world.now):
            self.raws.append(raw)
            if world.witnesses:
                self.witness.note(player.fold, raw, world.now)
            self.up.append(Submit(raw))


@dataclass
class Cast:
    """Who is at the table. ``people``: seats of people, the others are bots. ``operators``: bot's seat -> operator's
    seat. ``owner``: the seat of the host's own player."""

    people: frozenset[int] = frozenset()
    operators: Mapping[int, int] = field(default_factory=dict)
    owner: int | None = None


class CheatWorld(World):
    """See the module. ``turn``: place of the cheat in the first deal's order; ``seat`` fixes the seat instead."""

    def __init__(
        self,
        seed: int,
        scheme: Scheme | None = None,
        *,
        turn: int = 0,
        seat: int | None = None,
        cast: Cast | None = None,
        wanted: Wanted | None = None,
        deal: int = 1,
        table: type[Table] = Table,
        rules: Rules = FAST,
        grace: int = 180,
    ) -> None:
        self.seed, self.rng, self.now, self.steps = seed, random.Random(seed), 0.0, 0
        self.scheme, self.turn, self.fixed, self.cast, self.wanted = scheme, turn, seat, cast or Cast(), wanted
        self.deal = deal
        self.seeds: dict[tuple[bytes, int], tuple[bytes, ...]] = {}
        self.claims: set[int] = set()
        self.witnesses = True
        self.votes: dict[int, int | None] = {}  # what each says of an absent seat; None: nothing
        self.unreached: dict[int, bool] = {}
        self.hold: Callable[[CheatWorld], set[int]] = lambda world: set()
        self.journal: dict[bytes, bytes] = {}
        self.bots: list[int] = []
        self.folds: list[Fold] = []
        self.started = 0
        ids = [Identity.from_seed(self.bytes(f"id{s}")) for s in SEATS]
        owner = b"" if self.cast.owner is None else ids[self.cast.owner].public
        agreed = Settings(grace, 0, 0, True, True, b"")
        setup = TableSetup("World", "test", rules, agreed, owner=owner, bot_levels=("easy",))
        self.table = table(Identity.from_seed(self.bytes("table")), setup, lambda n: self.rng.randbytes(n))
        self.seated: list[Guest] = []
        for s in SEATS:
            guest = Guest(self, s, ids[s], role=ROLE_PLAYER if s in self.cast.people else ROLE_BOT)
            guest.operator = ids[self.cast.operators[s]] if s in self.cast.operators else None
            self.seated.append(guest)
        for guest in self.seated:
            if owner and guest.role == ROLE_BOT and guest.operator is None:  # the table's own bot
                self.table.bots.wanted[guest.seat] = "easy"
                self.table.expect_bot(guest.seat, guest.identity.public)
        for guest in self.seated:
            self.connect(guest)

    def name(self, guest: Guest) -> str:
        """A name that nobody else has."""
        return f"P{guest.seat}-{guest.identity.public.hex()[:4]}"

    def connect(self, s: Seated) -> None:
        """Let a guest in and have them sit down."""
        assert isinstance(s, Guest)
        self.started += 1
        s.conn = self.started
        s.up.clear()
        s.down.clear()
        proof = b""
        if s.operator is not None:
            proof = s.operator.sign(OPERATOR_PURPOSE, s.identity.public + self.table.identity.public)
        self.table.joined(s.conn, s.hello(), proof, self.now)
        s.give()
        s.up.append(Sit(s.seat))
        if s.role == ROLE_PLAYER:
            s.up.append(Ready(True))
        log = None if self.table.fold is None else self.table.fold.chain.log_id
        if log is not None:
            same = log == s.player.fold.chain.log_id
            s.up.append(Read(log, len(s.player.fold.chain) if same else 0))
            if same and s.player.unconfirmed is not None:
                s.up.append(Submit(s.player.unconfirmed))
        self.drain()

    def drain(self) -> None:
        """Carry out what the table wants."""
        while self.table.outbox:
            out = self.table.outbox.pop(0)
            by_conn = {s.conn: s for s in self.seated}
            match out:
                case Send(conn=conn, message=message):
                    assert MESSAGES.decode(MESSAGES.encode(message)) == message
                    if conn in by_conn:
                        by_conn[conn].down.append(message)
                case Journal(log_id=log_id, data=data):
                    self.journal[log_id] = self.journal.get(log_id, b"") + data
                case Drop(conn=conn):
                    if conn in by_conn:
                        by_conn[conn].dropped = out
                        by_conn[conn].conn = -1
                    self.table.gone(conn, self.now)
                case StartBot(seat=seat):
                    self.bots.append(seat)
        while self.bots:
            seat = self.bots.pop()
            label = f"bot{seat}/{self.started}"
            self.seated[seat] = Guest(self, seat, Identity.from_seed(self.bytes(label)), role=ROLE_BOT)
            self.seated[seat].late = True
            self.table.expect_bot(seat, self.seated[seat].identity.public)
            self.connect(self.seated[seat])

    # The deck

    def deal_seed(self, seat: int, deal: DealFold) -> bytes:
        """The seed of a seat in a deal: the first set of four whose cards are as the test wants them."""
        key = (deal.match_id, deal.number)
        if key not in self.seeds:
            wanted = self.wanted if deal.number == self.deal else None
            self.seeds[key] = next(s for s in self._tries(deal) if wanted is None or wanted(cards_of(deal, s), deal))
        return self.seeds[key][seat]

    def _tries(self, deal: DealFold) -> Any:
        rng = random.Random(f"{self.seed}/deal/{deal.number}")
        for _ in range(ATTEMPTS):
            yield tuple(rng.randbytes(32) for _ in SEATS)
        raise AssertionError("no deck that suits was found")

    # The cheat

    def scheme_of(self, player: Player) -> Scheme | None:
        """The cheat, when this player is the one who plays it."""
        scheme = self.scheme
        if scheme is None or (scheme.done and scheme.who != player.identity.public):
            return None  # a bot may have taken the cheat's seat
        return scheme if player.seat is not None and player.seat == self.cheat_seat(player.fold) else None

    def cheat_seat(self, fold: Fold) -> int | None:
        """Whose cheat it is, once that is known."""
        if self.scheme is not None and self.scheme.seat is not None:
            return self.scheme.seat
        if self.fixed is not None:
            return self.fixed if fold.deal is None or fold.deal.number >= self.deal else None
        deals = [d.deal for d in fold.finished] + ([fold.deal] if fold.deal else [])
        return next((turn_order(d.dealer)[self.turn] for d in deals if d.number == self.deal), None)

    def choice(self, view: SeatView, rng: random.Random) -> Action:
        """What whoever plays here does."""
        return choose(view, rng, "medium")

    # Running

    def step(self) -> bool:
        """Deliver one message, chosen by the scheduler; False when nothing is under way."""
        held = self.hold(self)
        up = [(s, True) for s in self.seated if s.up and s.conn >= 0 and s.seat not in held]
        wires = up + [(s, False) for s in self.seated if s.down]
        if not wires:
            return False
        s, is_up = self.pick(wires)
        self.steps += 1
        self.now += 0.001
        if is_up:
            self.table.message(s.conn, MESSAGES.decode(MESSAGES.encode(s.up.popleft())), self.now)
            self.drain()
        else:
            s.receive(s.down.popleft())
        self.check()
        return True

    def pick(self, wires: list[tuple[Any, bool]]) -> tuple[Any, bool]:
        """On which wire the next message is delivered: (seat, whether it goes to the table)."""
        return self.rng.choice(wires)

    def check(self) -> None:
        """Whoever has folded as much as the table has the same state."""
        fold = self.table.fold
        want = None
        for s in self.seated:
            theirs = s.player.fold
            if fold is not None and s.fault is None and theirs.chain.head == fold.chain.head and theirs.open:
                want = want or digest(fold)
                assert digest(theirs) == want

    def run_until(self, over: Callable[[], bool], *, steps: int = 60_000, wait: bool = False) -> bool:
        """Deliver until ``over``; with ``wait``, time passes where nothing moves. False when nothing moves any more."""
        for _ in range(steps):
            if over():
                return True
            if not self.step():
                due = self.table.deadline
                if not wait or due is None:
                    return over()
                self.now = max(self.now, due)
                self.table.tick(self.now)
                self.drain()
                for s in self.seated:
                    s.act()
        raise AssertionError(f"seed {self.seed}: no end after {steps} steps: {self.where()}")

    def settled(self, number: int) -> bool:
        """Whether a deal is over, everybody has said what it came to and knows it; or the log has ended before."""
        fold = self.table.fold
        if fold is None:
            return False
        if not self.folds or self.folds[-1] is not fold:
            self.folds.append(fold)
        for one in self.folds:
            last = one.finished[-1] if one.finished else None
            done = last is not None and last.deal.number >= number and not any(map(one.owes_verdict, SEATS))
            if done or not one.open:
                return all(s.player_of(one) is not None for s in self.honest if s.fault is None and not s.late)
        return False

    @property
    def judged(self) -> Fold:
        """The table's fold of the log in which the cheat was played."""
        assert self.scheme is not None
        return next((f for f in self.folds if f.chain.log_id == self.scheme.log_id), self.folds[0])

    @property
    def honest(self) -> list[Guest]:
        """Everybody but the cheat."""
        seat = None if self.scheme is None else self.scheme.seat
        return [s for s in self.seated if s.seat != seat]

    def journal_fold(self) -> Fold:
        """The journal read as a file by somebody who was not there."""
        fold = Fold()
        for entry in read_file(self.journal[self.judged.chain.log_id]):
            fold.take(entry)
        return fold


def cards_of(deal: DealFold, seeds: tuple[bytes, ...]) -> Cards:
    """Slot -> card that these seeds give, without any arithmetic of points."""
    commitments = [seed_commitment(deal.match_id, deal.number, s, seeds[s]) for s in SEATS]
    tag = deal_tag(deal.match_id, deal.number, commitments)
    order = turn_order(deal.dealer)
    deck: Cards = tuple(range(CARDS))
    for s in order:
        pi = draw_permutation(_stream(seeds[s], tag, b"p", 0), CARDS)
        deck = tuple(deck[x] for x in pi)
    stock = deck[HANDS:]
    for s in order:
        rho = draw_permutation(_stream(seeds[s], tag, b"r", 0), STOCK)
        stock = tuple(stock[x] for x in rho)
    return (*deck[:HANDS], *stock)


def hands_of(cards: Cards, deal: DealFold) -> list[list[int]]:
    """The cards of the four hands as dealt, by seat."""
    hands: list[list[int]] = [[], [], [], []]
    for slot in range(HANDS):
        hands[(deal.dealer + 1 + slot) % 4].append(cards[slot])
    return hands


def has_molodka(hand: list[int]) -> bool:
    """Whether four cards are of one suit."""
    return len({c // 9 for c in hand}) == 1


def stage_of(fold: Fold) -> DealStage | None:
    """Where the deal is."""
    return fold.deal.stage if fold.deal is not None and fold.stage is MatchStage.DEALS else None


__all__ = [
    "Cast",
    "CheatWorld",
    "Guest",
    "Scheme",
    "Schemer",
    "cards_of",
    "hands_of",
    "has_molodka",
    "stage_of",
    "team_of",
]
