"""Scores that go on, logs that are begun again, and who may sit at a table: each shown to a client that has the match
before, and to both auditors."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from goat_net.log.chain import ChainError, entry_bytes, genesis, log_id_of, make_record, read_file, sign_entry
from goat_net.log.fold import Fold
from goat_net.log.proof import CarryProof, fork_proof, read_fork, read_proof
from goat_net.log.records import HOST, Carried, End, Table
from goat_net.log.succession import Altered, Flaw, score_of, succession
from goat_net.seat.chair import Chair
from goat_net.seat.endings import HostFault
from goat_net.seat.fresh import FreshBytes
from goat_net.seat.player import memory_masters
from goat_net.wire import edwards
from goat_net.wire.hello import operator_signature
from goat_net.wire.identity import Identity, small_order_keys
from goat_net.wire.messages import NewEntry, Submit
from tests.cheats.catalogue import HOST as HOST_NAMED
from tests.cheats.catalogue import NOBODY, ONCE, REFUSED, Seen, row
from tests.net import auditor
from tests.net.auditor import Auditor, BadEntryError
from tests.net.mini import Mini, finished, playing
from tests.net.test_carried import FRESH, Memory

ASKED = "asked"  # every person is shown what has changed, and accepts it or leaves
STRANGER = Identity.from_seed(bytes(range(32)))
FLAWS = {"score": Flaw.SCORE, "left out": Flaw.LEFT_OUT, "made up": Flaw.MADE_UP, "open": Flaw.NOT_ENDED,
         "dealt": Flaw.DEALT, "": None}  # fmt: skip
CHANGES = {
    "target": Altered.TARGET, "eggs": Altered.EGGS, "yield": Altered.YIELD_TIME, "grace": Altered.GRACE,
    "clock": Altered.CLOCK, "hints": Altered.HINTS, "seed": Altered.SEED, "team": Altered.TEAM,
    "dealt": Altered.DEALT, "deals": Altered.LEFT_OUT, "head": Altered.UNKNOWN,
}  # fmt: skip


@lru_cache(maxsize=4)
def whole(seed: int) -> Mini:
    """A match of two deals that was ended to go on under other seats."""
    mini = Mini(seed)
    mini.play(finished(2))
    mini.play(lambda fold: len(fold.finished) == 2 and not any(map(fold.owes_verdict, range(4))))
    mini.host(End(1))
    return mini


@lru_cache(maxsize=4)
def broken(seed: int) -> Mini:
    """A match whose second deal is on."""
    mini = Mini(seed + 1)
    mini.play(finished(1))
    mini.play(lambda fold: len(fold.finished) == 1 and playing(fold))
    return mini


def first(mini: Mini, key: Identity, carried: tuple[Carried, ...], salt: bytes = bytes(32), **changes: Any) -> NewEntry:
    """Entry 0 of a log that goes on."""
    body = table_of(mini, key, carried=carried, salt=salt, **changes)
    log_id = log_id_of(key.public, salt, body.fresh)
    raw = make_record(key, log_id, 0, HOST, 0, 0, genesis(log_id), body)
    return sign_entry(key, log_id, 0, genesis(log_id), raw)


def table_of(mini: Mini, key: Identity, **changes: Any) -> Table:
    assert mini.fold.table is not None
    return replace(mini.fold.table, **({"table_key": key.public, "fresh": FRESH} | changes))


def score(fold: Fold) -> Carried:
    carried = score_of(fold)
    assert carried is not None
    return carried


def until(mini: Mini, count: int) -> Fold:
    fold = Fold()
    for entry in mini.fold.chain.entries[:count]:
        fold.take(entry)
    return fold


def show(mini: Mini, entry: NewEntry, more: tuple[NewEntry, ...] = ()) -> Seen:
    """What a client that has the match says of the log after it, and whether both auditors agree."""
    masters = memory_masters(mini.seats[1].public)
    table = Fold()
    table.take(entry)
    assert table.table is not None
    seat = next(n for n, s in enumerate(table.table.seats) if s.key == mini.seats[1].public)
    chair = Chair(
        mini.seats[1], lambda log_id: Memory(masters(log_id)), fresh=FreshBytes(None, lambda n: table.table.fresh[seat])
    )
    chair.table_key = mini.table.public
    before = [*read_file(mini.data), *more]
    for one in before:
        chair.message(one, 0.0)
    chair.table_key = table.table.table_key
    chair.fresh.give(chair.table_key)
    chair.out.clear()
    second = auditor.succession([(e.number, e.record, e.signature) for e in before], table_body(entry))
    assert second is not None
    shown = succession(chair.player.fold, table.table)  # type: ignore[union-attr]
    assert shown is not None
    assert FLAWS[second[0]] is shown.flaw
    changes = {change.what for change in shown.changes}
    assert {CHANGES[name] for name in second[1]} == changes
    data = b""
    try:
        chair.message(entry, 0.0)
    except HostFault as fault:
        data = fault.proof
    if data:
        proof = read_proof(data)
        assert isinstance(proof, CarryProof)
        assert FLAWS[auditor.carried_falsely(data)] is proof.flaw is shown.flaw
        assert not any(isinstance(m, Submit) for m in chair.out)
        return Seen(ONCE, HOST_NAMED, f"carries on a score that {proof.flaw}")
    chair.work(0.0)
    assert chair.player is not None
    signed = any(isinstance(m, Submit) for m in chair.out)
    assert signed is not chair.player.asked
    return Seen(ASKED if chair.player.asked else "signed", NOBODY, "; ".join(sorted(changes)))


def table_body(entry: NewEntry) -> list[Any]:
    second = Auditor()
    second.take(entry.number, entry.record, entry.signature)
    return second.table


# Scores


def _false(name: str, change: Callable[[Carried], Carried]) -> None:
    @row(f"host: carries on {name}, at the same table", ONCE, HOST_NAMED)
    def _(seed: int) -> Seen:
        mini = whole(seed)
        return show(mini, first(mini, mini.table, (change(score(mini.fold)),)))

    if "head" in name:
        return

    @row(f"host: carries on {name}, at another table", ONCE, HOST_NAMED)
    def _(seed: int) -> Seen:
        mini = whole(seed)
        return show(mini, first(mini, STRANGER, (change(score(mini.fold)),)))


_false("one defeat point more", lambda c: replace(c, defeat=(c.defeat[0] + 1, c.defeat[1])))
_false("the teams' points exchanged and one more", lambda c: replace(c, defeat=(c.defeat[1] + 1, c.defeat[0])))
_false("one game of eggs more", lambda c: replace(c, eggs=c.eggs + 1))
_false("another dealer", lambda c: replace(c, dealer=(c.dealer + 1) % 4))
_false("another leader", lambda c: replace(c, leader=(c.leader + 2) % 4))
_false("a deal that counts double", lambda c: replace(c, doubled=not c.doubled))
_false("a deal less", lambda c: replace(c, deals=c.deals - 1))
_false("a deal more", lambda c: replace(c, deals=c.deals + 1))
_false("the right score under a head of its own", lambda c: replace(c, head=bytes(31) + b"\1"))
_false("11:0 under a head of its own", lambda c: replace(c, head=bytes(32), defeat=(11, 0)))


def _from_entry(name: str, where: Callable[[Mini], int]) -> None:
    @row(f"host: carries on from {name}, at the same table", ONCE, HOST_NAMED)
    def _(seed: int) -> Seen:
        mini = whole(seed)
        return show(mini, first(mini, mini.table, (score(until(mini, where(mini))),)))


_from_entry("the end of the first deal", lambda m: next(n for n in range(999) if len(until(m, n).finished) == 1))
_from_entry("before the log's end", lambda m: len(m.fold.chain) - 1)
_from_entry("before the last verdict", lambda m: len(m.fold.chain) - 2)


@row("host: carries on from before the last deal, at another table", ASKED, NOBODY)
def _(seed: int) -> Seen:
    mini = whole(seed)
    count = next(n for n in range(999) if len(until(mini, n).finished) == 1)
    return show(mini, first(mini, STRANGER, (score(until(mini, count)),)))


@row("host: carries on from a head that nobody else has, at another table", ASKED, NOBODY)
def _(seed: int) -> Seen:
    mini = whole(seed)
    return show(mini, first(mini, STRANGER, (replace(score(mini.fold), head=bytes(32)),)))


@row("host: gives a deal up by closing the table and opening it with the score", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    mini = broken(seed)
    fold = until(mini, len(mini.fold.chain))
    raw = make_record(
        mini.table, fold.id, 2, HOST, fold.counters[HOST], len(fold.chain), fold.chain.head, End(2)
    )
    end = sign_entry(mini.table, fold.id, len(fold.chain), fold.chain.head, raw)
    fold.take(end)
    return show(mini, first(mini, mini.table, (score(fold),)), (end,))


@row("host: gives a deal up and goes on beside its log", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    mini = broken(seed)
    return show(mini, first(mini, mini.table, (score(mini.fold),)))


@row("host: gives a deal up at another table", ASKED, NOBODY)
def _(seed: int) -> Seen:
    mini = broken(seed)
    return show(mini, first(mini, STRANGER, (score(mini.fold),)))


@row("host: goes on while its log is still open", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    mini = Mini(seed + 2)
    mini.play(finished(1))
    mini.play(lambda fold: len(fold.finished) == 1 and not any(map(fold.owes_verdict, range(4))))
    return show(mini, first(mini, mini.table, (score(mini.fold),)))


# What has changed


def _changed(name: str, changes: Callable[[Table], dict[str, Any]]) -> None:
    for where, key in (("the same", None), ("another", STRANGER)):

        @row(f"host: carries the right score on with {name}, at {where} table", ASKED, NOBODY)
        def _(seed: int, key: Identity | None = key) -> Seen:
            mini = whole(seed)
            assert mini.fold.table is not None
            return show(mini, first(mini, key or mini.table, (score(mini.fold),), **changes(mini.fold.table)))


_changed("another target", lambda t: {"target": 99})
_changed("eggs counted otherwise", lambda t: {"eggs_double": not t.eggs_double})
_changed("another time for a molodka", lambda t: {"yield_time": t.yield_time + 1000})
_changed("no grace", lambda t: {"settings": replace(t.settings, grace=0)})
_changed("a turn clock", lambda t: {"settings": replace(t.settings, clock_base=5, clock_more=1)})
_changed("other hints", lambda t: {"settings": replace(t.settings, hints=not t.settings.hints)})
_changed("a known seed", lambda t: {"settings": replace(t.settings, seed=b"seed")})
_changed("the seats turned", lambda t: {"seats": (*t.seats[1:], t.seats[0])})


# Logs begun again


def _again(name: str, play: Callable[[Mini, Chair, FreshBytes], NewEntry]) -> None:
    @row(f"host: begins a log {name}", REFUSED, NOBODY)
    def _(seed: int) -> Seen:
        mini = whole(seed)
        masters = memory_masters(mini.seats[1].public)
        values = iter(bytes([n]) * 32 for n in range(50, 90))
        fresh = FreshBytes(None, lambda n: next(values))
        chair = Chair(mini.seats[1], lambda log_id: Memory(masters(log_id)), fresh=fresh)
        chair.table_key = mini.table.public
        entry = play(mini, chair, fresh)
        chair.out.clear()
        chair.message(entry, 0.0)
        chair.work(0.0)
        assert not any(isinstance(m, Submit) for m in chair.out)
        assert chair.player is not None
        assert chair.player.barred
        table_body(entry)  # for who was not there it is a log as any other
        return Seen(REFUSED, NOBODY, "signs nothing in it")


def _with(mini: Mini, mine: bytes, salt: bytes = bytes(32)) -> NewEntry:
    return first(mini, mini.table, (), salt, fresh=(FRESH[0], mine, *FRESH[2:]))


def _used(mini: Mini, chair: Chair, fresh: FreshBytes) -> bytes:
    mine = fresh.give(mini.table.public)
    chair.message(_with(mini, mine), 0.0)
    chair.work(0.0)
    assert any(isinstance(m, Submit) for m in chair.out)
    return mine


_again("with bytes that the seat never gave", lambda m, c, f: _with(m, bytes(32)))
_again("with bytes that it gave to another table", lambda m, c, f: _with(m, f.give(STRANGER.public)))
_again("with bytes that an earlier log has used up", lambda m, c, f: _with(m, _used(m, c, f), b"\1" * 32))


def _forgets(mini: Mini, chair: Chair, fresh: FreshBytes) -> NewEntry:
    mine = _used(mini, chair, fresh)
    chair.player = chair.store = None
    chair.log_id = b""
    return _with(mini, mine)


_again("a second time, for a seat that has forgotten the first", _forgets)


# Who may sit, and in what log


def _refused(name: str, change: Callable[[Mini], dict[str, Any]]) -> None:
    @row(f"host: begins a log {name}", ONCE, HOST_NAMED)
    def _(seed: int) -> Seen:
        mini = whole(seed)
        entry = first(mini, mini.table, (), **change(mini))
        try:
            table_body(entry)
        except BadEntryError:
            pass
        else:
            raise AssertionError("the second auditor lets it begin")
        try:
            Fold(live=True).take(entry)
        except ChainError as error:
            return Seen(ONCE, HOST_NAMED, error.text)
        raise AssertionError("not seen")


def _seat(mini: Mini, number: int, **changes: Any) -> dict[str, Any]:
    assert mini.fold.table is not None
    seats = list(mini.fold.table.seats)
    seats[number] = replace(seats[number], **changes)
    return {"seats": tuple(seats)}


def _bot(mini: Mini, by: Identity, *, bot: bool = True, table: Identity | None = None) -> dict[str, Any]:
    word = operator_signature(by, mini.seats[2].public, (table or mini.table).public)
    return _seat(mini, 2, bot=bot, operator=by.public, operator_signature=word)


def _mixed(mini: Mini) -> dict[str, Any]:
    one = edwards.decode(mini.seats[2].public)
    other = next(p for k in sorted(small_order_keys()) if (p := edwards.decode(k)) is not None and p != (0, 1))
    assert one is not None
    (a, b), (c, e) = one, other
    cross = edwards.D * a * b * c * e
    x = (a * e + b * c) * pow(1 + cross, -1, edwards.P) % edwards.P
    y = (b * e + a * c) * pow(1 - cross, -1, edwards.P) % edwards.P
    return _seat(mini, 2, key=edwards.encode(x, y))


_refused("with three seats' fresh bytes", lambda m: {"fresh": FRESH[:3]})
_refused("without fresh bytes", lambda m: {"fresh": ()})
_refused("with one seat's fresh bytes twice", lambda m: {"fresh": (*FRESH[:3], FRESH[0])})
_refused("with a bot that nobody answers for", lambda m: _seat(m, 2, bot=True))
_refused("with a bot whose operator has no seat", lambda m: _bot(m, STRANGER))
_refused("with a bot that answers for itself", lambda m: _bot(m, m.seats[2]))
_refused("with an operator's word for another table", lambda m: _bot(m, m.seats[0], table=STRANGER))
_refused("with a person who has an operator", lambda m: _bot(m, m.seats[0], bot=False))
_refused("with a key of mixed order", _mixed)


@row("host: begins a log of an older protocol, which has fewer rules", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    from pathlib import Path

    data = (Path(__file__).parents[2] / "frozen" / "1" / "clean.goat").read_bytes()
    entry = next(read_file(data))
    Fold().take(entry)
    table_body(entry)  # a saved match of then is as good as it was
    try:
        Fold(live=True).take(entry)
    except ChainError as error:
        return Seen(ONCE, HOST_NAMED, error.text)
    raise AssertionError("not seen")


@row("host: two first entries for one log", ONCE, HOST_NAMED)
def _(seed: int) -> Seen:
    mini = whole(seed)
    one, other = first(mini, mini.table, ()), first(mini, mini.table, (), target=7)
    fold = Fold()
    fold.take(one)
    assert log_of(one) == log_of(other)
    read_fork(fork_proof(fold, other))
    chair = Chair(mini.seats[1], lambda log_id: Memory(bytes(32)), fresh=FreshBytes(None, lambda n: FRESH[1]))
    chair.table_key = mini.table.public
    chair.fresh.give(mini.table.public)
    chair.message(one, 0.0)
    try:
        chair.message(other, 0.0)
    except HostFault as fault:
        read_fork(fault.proof)
        return Seen(ONCE, HOST_NAMED, "signed two different entries under the number 0")
    raise AssertionError("not seen")


def log_of(entry: NewEntry) -> bytes:
    fold = Fold()
    fold.take(entry)
    return fold.chain.log_id


def _ends(stage: str, at: Callable[[Fold], bool], reason: int) -> None:
    @row(f"host: ends its log for {('a goat', 'other seats')[reason]} {stage}", ONCE, HOST_NAMED)
    def _(seed: int) -> Seen:
        mini = Mini(seed + 3)
        mini.play(at)
        assert at(mini.fold)
        fold = mini.fold
        raw = mini.made(HOST, End(reason))
        entry = sign_entry(mini.table, fold.id, len(fold.chain), fold.chain.head, raw)
        second, bad = auditor.audit(mini.data + entry_bytes(entry))
        assert bad is not None
        assert (bad.number, bad.host) == (entry.number, True)
        assert len(second.bodies) == entry.number
        try:
            fold.check(entry)
        except ChainError as error:
            return Seen(ONCE, HOST_NAMED, error.text)
        raise AssertionError("not seen")


def _deal_at(stage: int) -> Callable[[Fold], bool]:
    return lambda fold: fold.deal is not None and fold.deal.stage == stage and fold.deal_is_on


for _name, _stage in (("between two shuffles", 1), ("in the cuts", 2), ("in the locks", 3), ("before the keys", 4),
                      ("in mid-play", 5), ("before all have opened", 6)):  # fmt: skip
    _ends(_name, _deal_at(_stage), 1)
_ends("in mid-play", _deal_at(5), 0)
