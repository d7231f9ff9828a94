"""After a deal: the bot's choice beside the one played."""

import random
from itertools import pairwise

import pytest

from goat_engine import bots, record
from goat_engine.actions import Claim, Show, Yield
from goat_engine.bots.rehearsal import Rehearsal
from goat_engine.bots.review import review
from goat_engine.state import Phase


def played(level: str, seed: int) -> record.Record:
    """A whole deal of four bots of one level."""
    rng = random.Random(seed)
    deck = list(range(36))
    rng.shuffle(deck)
    indicator = rng.choice(deck[16:])
    game = Rehearsal(deck, indicator, 3, 0)
    while (seat := game.whole.turn) is not None:
        game.act(seat, bots.choose(game.view(seat), rng, level))
    return record.Record(record.Deal(3, 0, indicator, tuple(deck)), tuple(game.log))


def test_expert_agrees_with_itself() -> None:
    for seed in range(5):
        rows = list(review(played("expert", seed)))
        assert rows
        assert all(row.agreed and row.advised == row.played for row in rows)


def test_easy_is_corrected() -> None:
    rows = [row for seed in range(12) for row in review(played("easy", seed), seats=(1,))]
    wrong = [row for row in rows if not row.agreed]
    assert {row.seat for row in rows} == {1}
    assert len(wrong) > len(rows) / 10
    assert all(2 <= row.rank <= row.choices and row.advised != row.played for row in wrong)
    assert all(row.reason for row in rows)
    assert all(0 < row.cost < 4 for row in wrong)
    assert all(row.cost == 0 for row in rows if row.agreed)


def test_rows_are_in_order_and_point_into_the_record() -> None:
    whole = played("medium", 3)
    rows = list(review(whole))
    assert [row.step for row in rows] == sorted(row.step for row in rows)
    assert all(whole.steps[row.step] == (row.seat, row.played) for row in rows)
    assert rows[0].trick == 1
    assert all(a.trick <= b.trick for a, b in pairwise(rows))


def test_claims_and_yields_are_reviewed() -> None:
    """Some deal in which a seat was asked and let its molodka lie; the review says so."""
    rng = random.Random(1)
    for _ in range(400):
        deck = list(range(36))
        rng.shuffle(deck)
        clubs, spades = list(range(9, 13)), list(range(4))
        rest = [card for card in deck if card not in clubs + spades]
        order = [0] * 16
        for seat, hand in enumerate((rest[:4], clubs, spades, rest[4:8])):
            order[seat::4] = hand
        deck = [*order, *rest[8:]]
        game = Rehearsal(deck, deck[-1], 3, 0)
        game.act(0, bots.choose(game.view(0), rng, "hard"))
        if len(game.whole.plays[0].slots) == 4:
            continue
        view = game.view(1)
        game.act(1, next(a for a in reversed(view.actions()) if not isinstance(a, Claim)))
        game.act(2, Claim())
        game.act(2, Show(game.view(2).molodka))
        game.act(0, Yield())
        assert game.whole.phase is Phase.ASK
        game.act(1, Yield())
        rows = list(review(record.Record(record.Deal(3, 0, deck[-1], tuple(deck)), tuple(game.log)), (1,)))
        assert [row.advised for row in rows][:1] == [Claim()]
        assert len(rows) == 2
        return
    pytest.fail("no such deal was dealt")
