"""The joints of the log: what stands where, whatever a record says of itself (PROTOCOL.md, The log, The match)."""

import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from goat_client.saved.verify import verify

from goat_net import unicode14
from goat_net.log.chain import genesis, log_id_of, make_record, parse_record, sign_entry
from goat_net.log.fold import Fold
from goat_net.log.proof import check_file
from goat_net.log.records import HOST, BeatPlay, Complain, LeadPlay, Leave, Open, YieldPlay
from goat_net.wire.text import clean, is_clean
from tests.net.auditor import Auditor
from tests.net.mini import Mini, finished, playing
from tests.net.test_auditor import before_a_claim


def test_an_offence_counts_for_the_deal_in_which_it_stands(tmp_path: Path) -> None:
    """P6: a record under a used counter that says another deal in its body."""
    mini = Mini(71)
    mini.play(finished(2))
    mini.play(playing)
    fold = mini.fold
    assert fold.deal is not None
    assert fold.deal.number == 3
    raw = make_record(mini.seats[2], fold.id, 1, 2, 3, len(fold.chain), fold.chain.head, YieldPlay())
    assert mini.submit(raw) == "REUSED_COUNTER"
    ((deal, offence),) = check_file(mini.data).offences
    assert (deal, offence.seat, offence.fault.name) == (3, 2, "REUSED_COUNTER")
    path = tmp_path / "x.goat"
    path.write_bytes(mini.data)
    report = verify([path])
    assert report.code == 1
    assert any("cheated in deal 3" in line for line in report.lines)
    spans = {one["deal"]: one["entries"] for one in report.objects if one["kind"] == "deal"}
    assert spans[1][1] < spans[3][0] <= offence.entry <= spans[3][1]


def test_a_record_may_not_have_seen_less_than_any_before_it() -> None:
    """D1: after an entered foreign head with little seen, the next record has seen as much as those before it."""
    mini = Mini(72)
    mini.play(playing)
    fold = mini.fold
    number = fold.deal.number if fold.deal else 0
    seen = fold.seen[1]
    assert seen > 3
    false = make_record(mini.seats[1], fold.id, number, 1, fold.counters[1], 0, bytes(32), Leave())
    assert mini.submit(false) == "FOREIGN_HEAD"
    assert fold.seen[1] == seen
    assert fold.deal is not None
    body = Open(mini.players[1]._seed(fold.deal))
    for at, what in ((seen - 1, "STALE"), (seen, "good")):
        raw = make_record(mini.seats[1], fold.id, number, 1, fold.counters[1], at, fold.chain.heads[at], body)
        assert mini.both(raw) == what


def test_a_complaint_may_have_seen_less_than_the_last_play() -> None:
    """D8: rules 4 and 6 of Plays don't bind a complaint."""
    mini = Mini(73)
    mini.play(playing)
    fold, deal = mini.fold, mini.fold.deal
    assert deal is not None
    assert deal.state is not None
    mini.play(lambda fold: fold.deal is not None and fold.deal.may_play)
    seat = next(s for s in range(4) if s != deal.state.turn)
    secrets = mini.players[seat]
    mini.catch_up(seat)
    assert fold.seen[seat] < deal.fresh
    slot = deal.state.hands[seat][0]
    raw = make_record(
        mini.seats[seat], fold.id, deal.number, seat, fold.counters[seat], fold.seen[seat],
        fold.chain.heads[fold.seen[seat]], Complain((slot,), secrets._run((slot,))),
    )  # fmt: skip
    assert mini.both(raw) == "FALSE_COMPLAINT"


def test_who_opens_too_early_has_opened_nothing() -> None:
    """D9"""
    mini = Mini(74)
    mini.play(playing)
    mini.say(1, Open(bytes(32)))
    assert mini.fold.deal is not None
    assert 1 in mini.fold.waits_for()
    assert 1 not in mini.fold.deal.seeds


# Texts


def test_an_unclean_text_is_no_reason_to_blame_anybody() -> None:
    """D7: refused text never a reason to blame."""
    mini = Mini(75)
    table = mini.fold.table
    assert table is not None
    for name in ("\x1b[2J", "a\u202eb", "\U0001fae8", "x" * 64, " Anna ", "a\u0301\u0301\u0301"):
        seats = (replace(table.seats[0], name=name), *table.seats[1:])
        body = replace(table, seats=seats, name=name, program=name[:32])
        log_id = log_id_of(table.table_key, table.salt, table.fresh)
        raw = make_record(mini.table, log_id, 0, HOST, 0, 0, genesis(log_id), body)
        entry = sign_entry(mini.table, log_id, 0, genesis(log_id), raw)
        fold, second = Fold(live=True), Auditor()
        fold.take(entry)
        second.take(entry.number, entry.record, entry.signature)
        assert fold.table is not None
        for shown in (fold.table.name, fold.table.seats[0].name, fold.table.program):
            assert shown == "?" or is_clean(shown, 64), shown


def test_which_characters_there_are_does_not_depend_on_the_python() -> None:
    """D7: the version of Unicode is pinned."""
    later = "\U0001fae8\U0001f6dc\U00011f00"  # shaking face, wireless (15.0); a Kawi letter (15.0)
    assert clean(f"a{later}b", 20) == "ab"
    assert not any(map(unicode14.is_assigned, later))
    assert all(map(unicode14.is_assigned, "aЖ한\U0001fae0\u0301"))
    if unicodedata.unidata_version == unicode14.VERSION:
        edges, was = [], False
        for number in range(sys.maxunicode + 1):
            now = unicodedata.category(chr(number)) != "Cn"
            if now != was:
                edges.append(number)
                was = now
        assert tuple(edges) == unicode14.EDGES


@pytest.mark.parametrize("number", [0, 7, 20])
def test_an_entry_with_another_number_is_damage_however_well_it_is_signed(number: int) -> None:
    """D11"""
    from goat_net.log.chain import entry_bytes, file_bytes, read_file

    mini = Mini(76)
    mini.play(lambda fold: len(fold.chain) >= 30)
    entries = list(read_file(mini.data))
    checked = check_file(file_bytes(entries[:25]) + entry_bytes(entries[number]))
    assert checked.fault is not None
    assert not checked.by_host


def test_a_play_that_a_claim_overtook_shows_its_cards_to_all_and_once_a_trick() -> None:
    """P10: that its author had not seen the claim is what its "seen" says: the page says so, and bounds it."""
    found = next(one for at in range(200) if (one := before_a_claim(900 + at)) is not None)
    mini, held, claims = found
    deal = mini.fold.deal
    assert deal is not None
    mini.enter(mini.rng.choice(claims))
    assert mini.both(held) == "void"
    mini.enter(held)
    step = deal.steps[-1]
    assert step.void
    assert deal.state is not None
    assert all(deal.state.known[slot] == card for slot, card in step.cards.items())  # in everybody's fold
    author, player = step.seat, mini.players[step.seat]
    mini.catch_up(author)
    own = player.own
    assert own is not None
    for slot in own.hands[author]:
        run = player._run((slot,))
        for body in (LeadPlay((slot,), run), BeatPlay((slot,), run)):
            back = len(mini.fold.chain) - parse_record(held).seen
            assert mini.both(mini.made(author, body, back=back)) not in ("void", "stop", "good")
