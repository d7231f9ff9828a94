"""Who answers for a bot: a person who sits at the table, or the table itself (RULES.md R23; PROTOCOL.md, Heads and
entries)."""

import random
from dataclasses import replace

import pytest

from goat_net.log.chain import ChainError, genesis, log_id_of, make_record, sign_entry
from goat_net.log.fold import Fold
from goat_net.log.records import HOST, Open, SeatEntry, Table
from goat_net.wire.hello import operator_signature
from goat_net.wire.identity import Identity
from goat_net.wire.messages import NewEntry
from tests.net.auditor import Auditor, BadEntryError
from tests.net.mini import Mini, playing

STRANGER = Identity.from_seed(bytes(range(32)))


def begun(mini: Mini, seats: dict[int, SeatEntry], protocol: int | None = None) -> NewEntry:
    """Entry 0 of Mini's table with other seats."""
    table = mini.fold.table
    assert table is not None
    changed = tuple(seats.get(n, seat) for n, seat in enumerate(table.seats))
    body: Table = replace(table, seats=changed, protocol=protocol or table.protocol)
    log_id = log_id_of(body.table_key, body.salt, body.fresh)
    raw = make_record(mini.table, log_id, 0, HOST, 0, 0, genesis(log_id), body)
    return sign_entry(mini.table, log_id, 0, genesis(log_id), raw)


def may_begin(entry: NewEntry) -> bool:
    """Whether both auditors let a log begin so."""
    second = Auditor()
    try:
        second.take(entry.number, entry.record, entry.signature)
    except BadEntryError:
        with pytest.raises(ChainError):
            Fold().take(entry)
        return False
    Fold().take(entry)
    return True


def bot(mini: Mini, seat: int, by: Identity | None) -> SeatEntry:
    """A seat as a bot's, with this operator's signature."""
    table = mini.fold.table
    assert table is not None
    key = table.seats[seat].key
    operator = by.public if by else b""
    word = operator_signature(by, key, mini.table.public) if by else b""
    return replace(table.seats[seat], bot=True, level="hard", operator=operator, operator_signature=word)


def test_a_bot_has_an_operator_who_sits_at_the_table_or_is_the_table() -> None:
    """N5, C2: every bot has an operator who is seated or is the table."""
    mini = Mini(61)
    assert may_begin(begun(mini, {}))
    assert may_begin(begun(mini, {2: bot(mini, 2, mini.seats[0])}))
    assert may_begin(begun(mini, {2: bot(mini, 2, mini.table)}))
    assert not may_begin(begun(mini, {2: bot(mini, 2, None)}))
    assert not may_begin(begun(mini, {2: bot(mini, 2, STRANGER)}))
    assert not may_begin(begun(mini, {2: bot(mini, 2, mini.seats[2])}))
    both = {1: bot(mini, 1, mini.table), 2: bot(mini, 2, mini.seats[1])}
    assert not may_begin(begun(mini, both)), "a bot answers for a bot"


def test_an_operators_word_is_for_this_bot_and_this_table() -> None:
    mini = Mini(61)
    good = bot(mini, 2, mini.seats[0])
    for word in (
        b"",
        bytes(64),
        operator_signature(mini.seats[0], mini.seats[1].public, mini.table.public),
        operator_signature(mini.seats[0], mini.seats[2].public, STRANGER.public),
        operator_signature(mini.seats[1], mini.seats[2].public, mini.table.public),
    ):
        assert not may_begin(begun(mini, {2: replace(good, operator_signature=word)}))


def test_a_person_has_no_operator() -> None:
    """D4: entry 0 with an operator without ``bot`` is refused."""
    mini = Mini(61)
    table = mini.fold.table
    assert table is not None
    good = bot(mini, 2, mini.seats[0])
    assert not may_begin(begun(mini, {2: replace(good, bot=False)}))
    assert not may_begin(begun(mini, {2: replace(table.seats[2], operator_signature=bytes(64))}))


@pytest.mark.parametrize(("operator", "team"), [("seat 0", 0), ("table", None)])
def test_who_answers_for_a_bot_pays_for_it(operator: str, team: int | None) -> None:
    """N5: a bot set beside a guest by the host cheats: the table answers, so nobody pays; else its operator's team."""
    mini = Mini(62, bots=(1,), answers=4 if operator == "table" else 0)
    mini.play(playing)
    mini.say(1, Open(random.Random(1).randbytes(32)))  # too early
    mini.play(lambda fold: bool(fold.finished))
    done = mini.fold.finished[0]
    assert done.outcome.blame is not None
    assert done.outcome.blame.seat == 1
    assert done.charged == team
    assert mini.fold.match is not None
    assert mini.fold.match.defeat == ((6, 0) if team == 0 else (0, 0))
    mini.agree()
