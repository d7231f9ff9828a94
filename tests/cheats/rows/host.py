"""Cheats of the host: records altered, dropped, reordered, replayed, invented, refused, withheld; forks; tables."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from goat_net.log.chain import (
    ChainError,
    Record,
    file_bytes,
    genesis,
    log_id_of,
    make_record,
    next_head,
    parse_record,
    sign_entry,
)
from goat_net.log.first_entry import match_id_of
from goat_net.log.fold import Fold, MatchStage
from goat_net.log.proof import (
    RefusalProof,
    check_file,
    find_fork,
    fork_proof,
    read_fork,
    read_proof,
    refusal_proof,
)
from goat_net.log.records import (
    HOST,
    Away,
    Back,
    Carried,
    ClaimPlay,
    CloseVote,
    Commit,
    End,
    EndPause,
    Leave,
    Nonce,
    Refuse,
    Shuffle,
    Table,
    YieldPlay,
)
from goat_net.log.refusals import OVERDUE, FalselyRefused, shown_refusal
from goat_net.log.succession import score_of, succession
from goat_net.wire.hello import operator_signature
from goat_net.wire.identity import Identity, Known, Meeting
from goat_net.wire.messages import NewEntry, Submit
from goat_net.wire.words import table_words
from tests.cheats.catalogue import HOST as HOST_NAMED
from tests.cheats.catalogue import NOBODY, ONCE, REFUSED, Seen, row
from tests.cheats.kit import CheatWorld, Guest, Scheme, Schemer

Forge = Callable[["Stand"], list[NewEntry]]


class Stand:
    """A world that has come to a place where the host cheats, with all that it has been sent and entered there."""

    def __init__(self, world: CheatWorld) -> None:
        self.world, self.table = world, world.table
        assert world.table.fold is not None
        self.fold = world.table.fold

    @property
    def key(self) -> Identity:
        """The host's key."""
        return self.table.identity

    def entry(self, raw: bytes, *, ahead: tuple[bytes, ...] = ()) -> NewEntry:
        """The host's next entry with this record; after ``ahead`` others."""
        head = self.fold.chain.head
        for one in ahead:
            head = next_head(head, one)
        return sign_entry(self.key, self.fold.id, len(self.fold.chain) + len(ahead), head, raw)

    def host(self, body: Any, **changes: Any) -> bytes:
        """A record of the host's own."""
        fold = self.fold
        fields = {"counter": fold.counters[HOST], "seen": len(fold.chain), "head": fold.chain.head} | changes
        number = fold.deal.number if fold.deal else 0
        return make_record(self.key, fold.id, number, HOST, fields["counter"], fields["seen"], fields["head"], body)

    def pending(self) -> tuple[Guest, bytes]:
        """A seat's good record that the host has not entered yet."""
        for guest in self.world.seated:
            for message in guest.up:
                if isinstance(message, Submit) and self.fold.judge(parse_record(message.record)).good:
                    return guest, message.record
        raise AssertionError("nobody has sent anything")

    def show(self, guest: Guest, *entries: NewEntry) -> None:
        """Everything that is under way, then these entries, to one guest."""
        while guest.down:
            guest.receive(guest.down.popleft())
        for entry in entries:
            guest.receive(entry)


def ready(world: CheatWorld, stage: MatchStage, deal_stage: int | None) -> bool:
    """Whether the log is at a stage and a good record is on its way to the host."""
    fold = world.table.fold
    if fold is None or fold.stage is not stage:
        return False
    if deal_stage is not None and (
        fold.deal is None or fold.deal.stage != deal_stage or (deal_stage == 5 and len(fold.deal.steps) < 6)
    ):
        return False
    ups = [m for g in world.seated for m in g.up if isinstance(m, Submit)]
    return any(fold.judge(parse_record(m.record)).good for m in ups)


def host_cheat(name: str, *, stage: MatchStage = MatchStage.DEALS, deal_stage: int | None = 5, last: int = 0) -> Any:
    """Decorator: entries that the host makes; all must name it at entry ``last`` of them, and stay where they were."""

    def add(forge: Forge) -> Forge:
        def play(seed: int) -> Seen:
            world = CheatWorld(seed)
            assert world.run_until(lambda: ready(world, stage, deal_stage))
            stand = Stand(world)
            entries = forge(stand)
            for guest in world.seated:
                stand.show(guest, *entries)
                assert guest.fault is not None, "not seen"
                good = stand.fold.chain.entries
                assert guest.player.fold.chain.entries[: len(good)] == good
                assert len(guest.player.fold.chain) == len(good) + last, "seen at another entry"
            texts = {g.fault.text for g in world.seated if g.fault}
            file = check_file(file_bytes([*stand.fold.chain.entries, *entries]))
            assert file.fault is not None
            if entries[last].number == len(file.fold.chain) and entries[last].signature != bytes(64):
                assert file.fault.text in texts
            return Seen(ONCE, HOST_NAMED, sorted(texts)[0])

        row(name, ONCE, HOST_NAMED)(play)
        return forge

    return add


@host_cheat("host: alters a record")
def _(at: Stand) -> list[NewEntry]:
    _guest, raw = at.pending()
    place = len(raw) - 80
    return [at.entry(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])]


@host_cheat("host: alters an entry's signature")
def _(at: Stand) -> list[NewEntry]:
    return [replace(at.entry(at.pending()[1]), signature=bytes(64))]


@host_cheat("host: drops an entry")
def _(at: Stand) -> list[NewEntry]:
    dropped = at.pending()[1]
    return [at.entry(at.host(Away(at.pending()[0].seat, 1)), ahead=(dropped,))]


@host_cheat("host: the same number, but what came before dropped from the chain")
def _(at: Stand) -> list[NewEntry]:
    dropped, raw = at.pending()[1], at.host(End(2))
    return [replace(at.entry(raw, ahead=(dropped,)), number=len(at.fold.chain))]


@host_cheat("host: sends two entries in the wrong order")
def _(at: Stand) -> list[NewEntry]:
    raw = at.pending()[1]
    first = at.entry(raw)
    return [at.entry(at.host(End(2)), ahead=(raw,)), first]


@host_cheat("host: enters a record twice", last=1)
def _(at: Stand) -> list[NewEntry]:
    raw = at.pending()[1]
    return [at.entry(raw), at.entry(raw, ahead=(raw,))]


@host_cheat("host: enters an old record again")
def _(at: Stand) -> list[NewEntry]:
    old = next(e.record for e in at.fold.chain.entries if parse_record(e.record).author != HOST)
    return [at.entry(old)]


@host_cheat("host: invents a seat's record, signed by itself")
def _(at: Stand) -> list[NewEntry]:
    guest, raw = at.pending()
    record = parse_record(raw)
    return [
        at.entry(
            make_record(
                at.key, at.fold.id, record.deal, guest.seat, record.counter, record.seen, record.seen_head, Leave()
            )
        )
    ]


@host_cheat("host: enters another seat's record as this seat's")
def _(at: Stand) -> list[NewEntry]:
    guest, raw = at.pending()
    record, other = parse_record(raw), at.world.seated[(guest.seat + 1) % 4]
    return [
        at.entry(
            make_record(
                other.identity,
                at.fold.id,
                record.deal,
                guest.seat,
                record.counter,
                record.seen,
                record.seen_head,
                record.body,
            )
        )
    ]


def _sign(at: Stand, guest: Guest, body: Any, **changes: Any) -> bytes:
    player = guest.player
    assert isinstance(player, Schemer)
    fold = at.fold
    counter = fold.counters[guest.seat]
    return player.sign(body, **({"counter": counter, "seen": len(fold.chain), "seen_head": fold.chain.head} | changes))


@host_cheat("host: enters a record that cannot stand (a yield with nothing to yield to)")
def _(at: Stand) -> list[NewEntry]:
    return [at.entry(_sign(at, at.world.seated[1], YieldPlay()))]


@host_cheat("host: enters a record that it has refused", last=1)
def _(at: Stand) -> list[NewEntry]:
    raw = _sign(at, at.world.seated[2], ClaimPlay(7))
    seat = at.world.seated[2]
    seat.player.unconfirmed = None
    record = parse_record(raw)
    refuse = at.host(Refuse(2, record.counter, record.digest, int(at.fold.judge(record).form or 1)))
    return [at.entry(refuse), at.entry(raw, ahead=(refuse,))]


@host_cheat("host: enters a record of another match")
def _(at: Stand) -> list[NewEntry]:
    return [at.entry(_sign(at, at.world.seated[0], Leave(), match_id=bytes(32)))]


@host_cheat("host: enters a record of another deal")
def _(at: Stand) -> list[NewEntry]:
    return [at.entry(_sign(at, at.world.seated[0], Leave(), deal=8))]


@host_cheat("host: enters a commitment of another deal")
def _(at: Stand) -> list[NewEntry]:
    return [at.entry(_sign(at, at.world.seated[0], Commit(bytes(32)), deal=2))]


@host_cheat("host: enters what is no record")
def _(at: Stand) -> list[NewEntry]:
    return [at.entry(b"\x90")]


@host_cheat("host: lets a seat shuffle that is not to", deal_stage=1)
def _(at: Stand) -> list[NewEntry]:
    deal = at.fold.deal
    assert deal is not None
    seat = next(s for s in range(4) if s != deal.deck_turn)
    return [at.entry(_sign(at, at.world.seated[seat], Shuffle(bytes(1152))))]


@host_cheat("host: a second nonce of a seat", stage=MatchStage.NONCES, deal_stage=None, last=1)
def _(at: Stand) -> list[NewEntry]:
    guest, raw = at.pending()
    counter = at.fold.counters[guest.seat] + 1
    return [at.entry(raw), at.entry(_sign(at, guest, Nonce(bytes(32)), counter=counter), ahead=(raw,))]


# Its own records


def own(name: str, make: Callable[[Stand], Any], **changes: Any) -> None:
    """A record of the host's own that cannot stand."""
    host_cheat(f"host: {name}")(lambda at: [at.entry(at.host(make(at), **changes))])


def _owing(at: Stand) -> int:
    return min(at.fold.waits_for())


own(
    "says that a seat is away which owes nothing",
    lambda at: Away(next(s for s in range(4) if s not in at.fold.waits_for()), 999),
)
own("says that a seat is away before its time", lambda at: Away(_owing(at), 179))
own("says that a seat is back, which protocol 1 had", lambda at: Back(0))
own("closes a vote that nobody has been asked for", lambda at: CloseVote(_owing(at)))
own("ends a pause that nobody has begun", lambda at: EndPause())
own("ends a match as won that is not over", lambda at: End(0))
own("refuses for a reason that does not exist", lambda at: Refuse(0, at.fold.counters[0], bytes(32), 60))
own("refuses a counter that was used", lambda at: Refuse(1, at.fold.counters[1] - 1, bytes(32), 1))
own("refuses a counter that is still to come", lambda at: Refuse(1, at.fold.counters[1] + 3, bytes(32), 1))
own("a record of its own under a used counter", lambda at: End(2), counter=0)
own("a record of its own that skips a counter", lambda at: End(2), counter=99)
own("a record of its own on an older head", lambda at: End(2), seen=1)


@host_cheat("host: goes on after it has closed the log", last=1)
def _(at: Stand) -> list[NewEntry]:
    end = at.host(End(2))
    return [at.entry(end), at.entry(_sign(at, at.world.seated[0], Leave()), ahead=(end,))]


# False refusals, records withheld


def _refusal(name: str, make: Callable[[Stand, Guest, Record], Refuse], *, text: str) -> None:
    """A refusal that is not right: its author sees it at once, and convinces everybody by showing the record."""

    def play(seed: int) -> Seen:
        world = CheatWorld(seed)
        assert world.run_until(lambda: ready(world, MatchStage.DEALS, 5))
        at = Stand(world)
        guest, raw = at.pending()
        number = len(at.fold.chain)
        entry = at.entry(at.host(make(at, guest, parse_record(raw))))
        for one in world.seated:
            at.show(one, entry)
        assert guest.fault is not None
        assert text in guest.fault.text
        for one in world.seated:
            if one is not guest:
                assert one.fault is None, "only the author has the bytes"
                assert text in (shown_refusal(one.player.fold, number, raw) or "")
        again = Fold()
        for one_entry in [*at.fold.chain.entries, entry]:
            again.take(one_entry)
        return Seen(ONCE, HOST_NAMED, guest.fault.text)

    row(name, ONCE, HOST_NAMED)(play)


_refusal(
    "host: refuses a good record; its author shows it",
    lambda at, g, r: Refuse(g.seat, r.counter, r.digest, 1),
    text="that was good",
)


@row("host: refuses what was never sent, while a record is on its way; its author says the same again", REFUSED, NOBODY)
def _(seed: int) -> Seen:
    """N4: nobody could see it but the author, who stopped without a proof."""
    world = CheatWorld(seed)
    assert world.run_until(lambda: ready(world, MatchStage.DEALS, 5))
    at = Stand(world)
    guest, raw = at.pending()
    entry = at.entry(at.host(Refuse(guest.seat, parse_record(raw).counter, bytes(32), 1)))
    for one in world.seated:
        at.show(one, entry)
        assert one.fault is None
    assert guest.player.foreign_refusals == 1
    (again,) = guest.player.due(world.now) or [guest.player.unconfirmed]
    assert again is not None
    assert parse_record(again).body == parse_record(raw).body or parse_record(again).counter > parse_record(raw).counter
    assert guest.player.fold.judge(parse_record(again)).good
    return Seen(REFUSED, NOBODY, "")


@row("host: refuses for a reason that is not so; its author shows the record", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    world = CheatWorld(seed)
    assert world.run_until(lambda: ready(world, MatchStage.DEALS, 5))
    at = Stand(world)
    guest = at.pending()[0]
    at.show(guest)
    raw = _sign(at, guest, ClaimPlay(8))
    guest.player.unconfirmed = raw
    record = parse_record(raw)
    entry = at.entry(at.host(Refuse(guest.seat, record.counter, record.digest, 6)))
    for one in world.seated:
        at.show(one, entry)
    assert guest.fault is not None
    witness = world.seated[(guest.seat + 1) % 4].player.fold
    assert shown_refusal(witness, entry.number, raw) == guest.fault.text
    return Seen(ONCE, HOST_NAMED, guest.fault.text)


@row("host: refuses a good record as one of another seat; its author shows it", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    world = CheatWorld(seed)
    assert world.run_until(lambda: ready(world, MatchStage.DEALS, 5))
    at = Stand(world)
    guest, raw = at.pending()
    other = (guest.seat + 1) % 4
    entry = at.entry(at.host(Refuse(other, at.fold.counters[other], parse_record(raw).digest, 1)))
    for one in world.seated:
        at.show(one, entry)
    assert guest.fault is not None
    assert world.seated[other].fault is None, "it has never signed that, and goes on"
    assert world.seated[other].player.foreign_refusals == 1
    assert shown_refusal(world.seated[(guest.seat + 2) % 4].player.fold, entry.number, raw) == guest.fault.text
    return Seen(ONCE, HOST_NAMED, guest.fault.text)


@row("host: refuses a good record that was passed on; whoever has it shows it", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    world = CheatWorld(seed)
    assert world.run_until(lambda: ready(world, MatchStage.DEALS, 5))
    at = Stand(world)
    guest, raw = at.pending()
    record = parse_record(raw)
    entry = at.entry(at.host(Refuse(guest.seat, record.counter, record.digest, 2)))
    texts = set()
    for one in world.seated:
        at.show(one)
        if one is not guest:
            assert one.witness.note(one.player.fold, raw, world.now)
            try:
                one.witness.refused(one.player.fold, entry)
            except FalselyRefused as fault:
                texts.add(fault.text)
                proof = read_proof(refusal_proof(one.player.fold.chain.entries, entry, fault.raw))
                assert isinstance(proof, RefusalProof)
                assert (proof.shown.number, proof.shown.record.author) == (entry.number, guest.seat)
    (text,) = texts
    return Seen(ONCE, HOST_NAMED, text)


@row("host: refuses what was never sent, while nothing is on its way; the seat goes on", REFUSED, NOBODY)
def _(seed: int) -> Seen:
    world = CheatWorld(seed)
    assert world.run_until(lambda: ready(world, MatchStage.DEALS, 5))
    at = Stand(world)
    sent = at.pending()[0]
    guest = next(
        g for g in world.seated if g is not sent and g.player.unconfirmed is None and at.fold.counters[g.seat] > 3
    )
    entry = at.entry(at.host(Refuse(guest.seat, at.fold.counters[guest.seat], bytes(32), 2)))
    for one in world.seated:
        at.show(one, entry)
        assert one.fault is None
        assert one.player.foreign_refusals == (one is guest)
    return Seen(REFUSED, NOBODY, "")


@row("host: withholds a record; others know it and it is not entered in 10 s", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    world = CheatWorld(seed)
    assert world.run_until(lambda: ready(world, MatchStage.DEALS, 5))
    at = Stand(world)
    _guest, raw = at.pending()
    for one in world.seated:
        at.show(one)
        assert one.witness.note(one.player.fold, raw, world.now)  # its author has passed it on
    for one in world.seated:
        assert raw not in [r.raw for r in one.witness.overdue(one.player.fold, world.now + OVERDUE / 2)]
        assert raw in [r.raw for r in one.witness.overdue(one.player.fold, world.now + OVERDUE)]
    # An honest host enters it, and then nobody says anything.
    world.hold = lambda w: set()
    assert world.run_until(lambda: world.settled(1))
    for one in world.seated:
        assert raw not in [r.raw for r in one.witness.overdue(one.player.fold, world.now + 60)]
    return Seen(ONCE, HOST_NAMED, "a record known to all is not in the log")


# Forks


def _branches(
    seed: int, ready_at: int | None, stage: MatchStage = MatchStage.DEALS
) -> tuple[Stand, NewEntry, NewEntry]:
    world = CheatWorld(seed)
    assert world.run_until(lambda: ready(world, stage, ready_at))
    at = Stand(world)
    return at, at.entry(at.pending()[1]), at.entry(at.host(Away(_owing(at), 180)))


def _forks(name: str, ready_at: int | None, stage: MatchStage) -> None:
    def play(seed: int) -> Seen:
        at, one, other = _branches(seed, ready_at, stage)
        for guest in at.world.seated:
            at.show(guest, one if guest.seat < 2 else other)
            assert guest.fault is None, "each half is good"
        copies = [check_file(file_bytes(at.world.seated[s].kept)) for s in (0, 3)]
        proof = find_fork(*copies)
        assert proof is not None
        again = read_fork(proof.to_bytes())
        assert again.fork.number == one.number
        assert fork_proof(copies[0].fold, other) == proof.to_bytes(), "who gets the second one alone has the proof"
        assert find_fork(copies[0], copies[0]) is None
        return Seen(ONCE, HOST_NAMED, "two signatures for one number")

    row(name, ONCE, HOST_NAMED)(play)


_forks("host: forks, two entries for one number; both copies together prove it", 0, MatchStage.DEALS)
_forks("host: forks in the middle of the play", 5, MatchStage.DEALS)
_forks("host: forks before there is a match id (commitments)", None, MatchStage.COMMITS)
_forks("host: forks before there is a match id (nonces)", None, MatchStage.NONCES)


@row("host: forks; a head of the other branch is named, and its author shows the host's signature", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    at, one, other = _branches(seed, 0)
    cheated, rest = at.world.seated[0], at.world.seated[1:]
    at.show(cheated, one)
    for guest in rest:
        at.show(guest, other)
    player = cheated.player
    assert isinstance(player, Schemer)
    raw = player.sign(Leave(), counter=rest[0].player.fold.counters[0])
    entry = sign_entry(at.key, at.fold.id, other.number + 1, rest[0].player.fold.chain.head, raw)
    for guest in rest:
        guest.receive(entry)
        assert guest.fault is None
        (offence,) = guest.player.fold.offences
        assert (offence.seat, offence.entry) == (0, entry.number)  # so it stands until the proof is shown
    proof = find_fork(check_file(file_bytes(cheated.kept)), check_file(file_bytes(rest[1].kept)))
    assert proof is not None
    read_fork(proof.to_bytes())
    named = parse_record(raw)
    assert proof.branches[0].head == named.seen_head, "the head it had named is one that the host has signed"
    return Seen(ONCE, HOST_NAMED, "two signatures for one number")


@row("host: resumes without its last entry and signs another in its place", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    at, lost, other = _branches(seed, 5)
    for guest in at.world.seated:
        at.show(guest, lost)
        guest.receive(other)
        assert guest.fault is not None
        assert guest.fault.number == other.number
    known = check_file(file_bytes(at.world.seated[0].player.fold.chain.entries))
    resumed = check_file(file_bytes([*at.fold.chain.entries, other]))
    proof = find_fork(known, resumed)
    assert proof is not None
    proof.check()
    return Seen(ONCE, HOST_NAMED, "two signatures for one number")


# The copier with the host's help


@row("host and seat: a commitment copied and entered before the one it was copied from", ONCE, "the cheat")
def _(seed: int) -> Seen:
    world = CheatWorld(seed, Scheme())
    assert world.run_until(lambda: ready(world, MatchStage.DEALS, 0))
    at = Stand(world)
    for guest in world.seated:
        at.show(guest)
    victim, raw = at.pending()
    body = parse_record(raw).body
    assert isinstance(body, Commit)
    copier = world.seated[(victim.seat + 1) % 4]
    copier.up.clear()
    player = copier.player
    assert isinstance(player, Schemer)
    assert world.scheme is not None
    world.scheme.mark(player)
    copy = player.sign(body)
    player.unconfirmed = copy
    world.table.message(copier.conn, Submit(copy), world.now)
    world.table.message(victim.conn, Submit(raw), world.now)
    victim.up.clear()
    world.drain()
    assert world.run_until(lambda: world.settled(1))
    for guest in world.seated:
        blame = guest.player.fold.finished[0].outcome.blame
        assert blame is not None
        assert blame.seat == copier.seat, "the seat it was copied from was named"
    return Seen(ONCE, "the cheat", blame.fault.value)


# False tables


def _table(name: str, change: Callable[[Table, CheatWorld], Table]) -> None:
    """A first entry that no honest host makes: nobody commits to anything after it."""

    def play(seed: int) -> Seen:
        world = CheatWorld(seed)
        assert world.run_until(lambda: world.table.fold is not None)
        assert world.table.fold is not None
        body = world.table.fold.table
        assert body is not None
        false, key = change(body, world), world.table.identity
        log_id = log_id_of(false.table_key, false.salt, false.fresh)
        raw = make_record(key, log_id, 0, HOST, 0, 0, genesis(log_id), false)
        entry = sign_entry(key, log_id, 0, genesis(log_id), raw)
        texts = set()
        for guest in world.seated:
            fresh = guest.new_player()
            try:
                fresh.take(entry, 0.0)
            except ChainError as error:
                texts.add(error.text)
            assert not fresh.due(0.0)
        assert len(texts) == 1, "not seen by all"
        return Seen(ONCE, HOST_NAMED, texts.pop())

    row(name, ONCE, HOST_NAMED)(play)


def _with_seat(table: Table, seat: int, **changes: Any) -> Table:
    seats = list(table.seats)
    seats[seat] = replace(seats[seat], **changes)
    return replace(table, seats=tuple(seats))


_OLD = Carried(bytes(32), bytes(32), (12, 4), 0, 1, 2, False, 5)

_table("host: a table with a small-order key", lambda t, w: _with_seat(t, 1, key=bytes([1]) + bytes(31)))
_table("host: a table with one key on two seats", lambda t, w: _with_seat(t, 1, key=t.seats[0].key))
_table(
    "host: a table with an operator who has not signed",
    lambda t, w: _with_seat(t, 2, bot=True, operator=t.seats[0].key, operator_signature=bytes(64)),
)
_table("host: a table of another key", lambda t, w: replace(t, table_key=Identity.from_seed(bytes(32)).public))
_table("host: a table of another protocol", lambda t, w: replace(t, protocol=99))
_table("host: a table that carries on a match which is over", lambda t, w: replace(t, carried=(_OLD,)))
_table(
    "host: a table that carries on more deals than there are",
    lambda t, w: replace(t, carried=(replace(_OLD, defeat=(0, 0), deals=9999),)),
)


@row("host: exchanges a key when people join; words and remembered keys show it", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    """Between two players who each see a table of the host's own making: the one's words are not the other's."""
    world = CheatWorld(seed)
    assert world.run_until(lambda: ready(world, MatchStage.DEALS, 0))
    at = Stand(world)
    body, key = at.fold.table, at.key
    assert body is not None
    stranger = Identity.from_seed(world.bytes("between"))
    false = _with_seat(body, 1, key=stranger.public)
    log_id = log_id_of(false.table_key, false.salt, false.fresh)
    raw = make_record(key, log_id, 0, HOST, 0, 0, genesis(log_id), false)
    nonces = [at.fold.nonces[s] for s in range(4)]
    assert match_id_of(at.fold.chain.entries[0].record, nonces) == at.fold.id
    assert table_words(match_id_of(raw, nonces)) != table_words(at.fold.id)
    with TemporaryDirectory() as folder:
        known = Known(Path(folder) / "known")
        assert known.remember(body.seats[1].name, body.seats[1].key) is Meeting.NEW
        assert known.remember(false.seats[1].name, false.seats[1].key) is Meeting.CHANGED
    return Seen(ONCE, HOST_NAMED, "other table words, a changed key")


@row("host: carries on another score than the match came to", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    world = CheatWorld(seed)
    assert world.run_until(lambda: ready(world, MatchStage.DEALS, 0) and bool(Stand(world).fold.finished))
    at = Stand(world)
    for guest in world.seated:
        at.show(guest)
    fold, match, deal, body = at.fold, at.fold.match, at.fold.deal, at.fold.table
    assert match is not None
    assert deal is not None
    assert body is not None
    right = score_of(fold)
    assert right is not None
    texts = set()
    for carried, good in (
        (right, True),
        (replace(right, defeat=(right.defeat[0] + 1, right.defeat[1])), False),
        (replace(right, leader=(right.leader + 1) % 4), False),
        (replace(right, doubled=not right.doubled), False),
        (replace(right, deals=right.deals + 1), False),
    ):
        stranger = Identity.from_seed(world.bytes("another host"))
        new, salt = Fold(), bytes([len(texts)]) * 32
        log_id = log_id_of(stranger.public, salt, body.fresh)
        host = stranger.public
        signed = [operator_signature(stranger, s.key, host) for s in body.seats]
        seats = tuple(
            replace(s, operator=host, operator_signature=word) if s.bot else s
            for s, word in zip(body.seats, signed, strict=True)
        )
        table = replace(body, salt=salt, carried=(carried,), table_key=host, seats=seats)
        raw = make_record(stranger, log_id, 0, HOST, 0, 0, genesis(log_id), table)
        new.take(sign_entry(stranger, log_id, 0, genesis(log_id), raw))
        for guest in world.seated:
            shown = succession(guest.player.fold, table)
            assert shown is not None
            assert (shown.flaw is None) is good, carried
            texts |= set() if shown.flaw is None else {f"carries on a score that {shown.flaw}"}
    return Seen(ONCE, HOST_NAMED, texts.pop())
