"""What the page says that cheats *can* do (the cells "yes" of the chapter on claims in PROTOCOL.md): each is tried and
succeeds as it is said there, so that the table is honest in both directions."""

from pathlib import Path

import pytest
from goat_client.saved.verify import verify

from goat_engine.bots import choose
from goat_engine.cards import Card
from goat_engine.rules import SEATS
from goat_net.deck.seeds import derive
from goat_net.log.absence_table import CHARGE
from goat_net.log.chain import ChainError, make_record, parse_record, sign_entry
from goat_net.log.deal import DealFold, DealStage
from goat_net.log.fold import Fold
from goat_net.log.proof import check_file
from goat_net.log.records import HOST, Away, BeatPlay, CloseVote, DiscardPlay, LeadPlay, Vote
from goat_net.log.settle import find_slots
from goat_net.seat.player import Player
from tests.net.absences import GRACE, gone, heard_nothing, opponents, owing
from tests.net.mini import Mini, finished, playing
from tests.net.test_auditor import before_a_claim


def deal_of(mini: Mini) -> DealFold:
    assert mini.fold.deal is not None
    return mini.fold.deal


def secret(mini: Mini, seat: int) -> bytes:
    """What a seat could tell its friends beside the table: the seed of its deal."""
    return mini.players[seat]._seed(deal_of(mini))


def cards_known_to(mini: Mini, *friends: int) -> dict[int, Card]:
    """Slot -> card, for seats that tell each other all that they have: what is in the log and their own keys."""
    deal = deal_of(mini)
    k = {seat: derive(secret(mini, seat), deal.tag).k for seat in friends}
    found: dict[int, Card] = {}
    for slot in range(36):
        keys = {s: k[s][slot] for s in friends}
        if all(s in keys or (s, slot) in deal.keys for s in SEATS):
            card = deal.slot_opens_to(slot, keys)
            assert card is not None
            found[slot] = card
    return found


def test_a_seat_can_stop_answering_and_then_the_others_decide() -> None:
    """yes a: nothing moves without it, until the people of the other team let it go; then the match goes on."""
    mini = owing()
    (seat,) = mini.silent
    entries = len(mini.fold.chain)
    mini.play(lambda fold: False)
    assert len(mini.fold.chain) == entries
    mini.host(Away(seat, GRACE))
    mini.play(lambda fold: False)
    assert len(mini.fold.chain) == entries + 1
    mini.host(CloseVote(seat))
    mini.play(finished(1))
    assert mini.fold.lost.keys() == {seat}


def test_two_seats_can_tell_each_other_their_hands_and_no_more() -> None:
    """yes b: their own cards and discards, by another way than this one."""
    mini = Mini(41)
    mini.play(lambda fold: fold.deal is not None and fold.deal.stage is DealStage.PLAY and not fold.deal.owed)
    deal = deal_of(mini)
    assert deal.state is not None
    hands = deal.state.hands
    assert set(cards_known_to(mini, 0, 2)) == {*hands[0], *hands[2]}
    assert set(cards_known_to(mini, 1, 2)) == {*hands[1], *hands[2]}
    mini.play(lambda fold: any(s.commitments for s in deal.steps))
    step = next(s for s in deal.steps if s.commitments)
    seat = step.seat
    slots = find_slots(deal, step, secret(mini, seat))
    told = [cards_known_to(mini, seat)[slot] for slot in slots if slot is not None]
    assert len(told) == len(step.commitments)
    others = [find_slots(deal, step, secret(mini, other)) for other in SEATS if other != seat]
    assert all(slot is None for found in others for slot in found), "only its own seed shows where it lay"
    mini.play(finished(1))
    cards = mini.fold.finished[0].outcome.cards
    assert cards is not None
    assert told == [cards[slot] for slot in slots if slot is not None]


def test_three_seats_can_tell_what_the_fourth_hand_and_the_stock_have_between_them_and_not_which_has_which() -> None:
    """yes c."""
    mini = Mini(42)
    mini.play(lambda fold: fold.deal is not None and fold.deal.stage is DealStage.PLAY and not fold.deal.owed)
    deal = deal_of(mini)
    assert deal.state is not None
    hands = deal.state.hands
    known = cards_known_to(mini, 0, 1, 2)
    assert set(known) == {*hands[0], *hands[1], *hands[2]}  # no slot of the fourth hand, none of the stock
    rest = set(range(36)) - set(known.values())
    mini.play(finished(1))
    cards = mini.fold.finished[0].outcome.cards
    assert cards is not None
    fourth, stock = {cards[slot] for slot in hands[3]}, {cards[slot] for slot in range(16, 36)}
    assert rest == fourth | stock


def test_a_host_can_read_first_hold_back_and_stop_and_no_log_shows_it() -> None:
    """yes d."""
    mini = Mini(43)
    mini.play(playing)
    for seat in SEATS:
        mini.catch_up(seat)
    held = next(raw for seat in SEATS for raw in _due(mini.players[seat], mini))
    entries = len(mini.fold.chain)
    read = parse_record(held)  # the host knows what was played, and nobody else has it
    assert all(len(player.fold.chain) == entries for player in mini.players)
    assert mini.both(held) in ("good", "void")
    mini.silent = {read.author}
    mini.play(lambda fold: False)  # and the table stands
    assert check_file(mini.data).fault is None
    assert len(mini.fold.chain) == entries


def _due(player: Player, mini: Mini) -> list[bytes]:
    if player.owes_action and player.view is not None:
        player.act(choose(player.view, mini.rng, "medium"))
    return player.due(0)


def test_a_hosts_seat_can_play_when_the_host_has_read_a_claim() -> None:
    """yes e, D12: the host has the claim, and lets its own seat's play in before it. Both stand, and the log shows no
    more than that."""
    found = next(one for at in range(200) if (one := before_a_claim(600 + at)) is not None)
    mini, held, claims = found
    claimed = parse_record(claims[0])
    body = parse_record(held).body
    assert isinstance(body, (LeadPlay, BeatPlay, DiscardPlay))
    assert mini.both(claims[0]) == "good"
    mini.enter(held)
    assert not deal_of(mini).steps[-1].void
    after = mini.both(claims[0])
    assert after in ("good", "TOO_LATE", "STALE"), claimed
    assert check_file(mini.data).fault is None
    assert not mini.fold.offences


def test_a_host_and_two_seats_can_have_an_absence_charged_that_they_have_made() -> None:
    """yes f, D12: the host's machine cuts the cable of seat 1 at both ends; seats 0 and 2 are all that is asked, and
    one of them all that counts as evidence."""
    mini = owing(1, host=0)
    player = mini.players[1]
    mini.catch_up(1)
    assert _due(player, mini) or player.unconfirmed is not None, "it is there, and has signed what it owes"
    seat = gone(mini)
    assert seat == 1
    heard_nothing(mini, seat, 2)
    for voter in opponents(seat):
        mini.say(voter, Vote(seat, CHARGE))
    assert mini.agree()["lost"] == {seat: True}
    mini.play(finished(1))
    assert mini.fold.finished[0].charged == 1
    assert check_file(mini.data).fault is None


def test_who_makes_up_all_keys_can_make_up_a_match_and_not_one_of_keys_that_one_knows(tmp_path: Path) -> None:
    """yes h: this very match is one. A record of somebody whose key one knows is none without theirs."""
    mini = Mini(44)
    mini.play(finished(1))
    path = tmp_path / "made-up.goat"
    path.write_bytes(mini.data)
    assert verify([path]).code == 0
    fold, chain = Fold(), mini.fold.chain
    for entry in chain.entries[:5]:
        fold.take(entry)
    record = parse_record(chain.entries[5].record)
    assert record.author != HOST
    forged = make_record(
        mini.table, record.match_id, record.deal, record.author, record.counter, record.seen, record.seen_head,
        record.body,
    )  # fmt: skip
    with pytest.raises(ChainError, match="signature"):
        fold.take(sign_entry(mini.table, fold.id, 5, fold.chain.head, forged))
