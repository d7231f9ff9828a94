"""Properties over whole random deals: all watchers agree, nobody sees what it must not, values stay frozen."""

import dataclasses
import random
from collections.abc import Iterator

import pytest

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Refusal, Show, Yield
from goat_engine.audit import Eye, follow, opening
from goat_engine.record import Deal, Record
from goat_engine.rules import SEATS
from goat_engine.state import FIRST_STOCK_SLOT, Applied, DealState, apply
from goat_engine.view import SeatView
from tests.engine.deals import WATCHERS, Table, finished, play_out, random_deal


def fold(record: Record, watcher: int | Eye, upto: int | None = None) -> list[DealState]:
    cards = dict(enumerate(record.deal.cards))
    states = [opening(record.deal, watcher)]
    for seat, action in record.steps[:upto]:
        done = follow(states[-1], watcher, seat, action, cards)
        assert isinstance(done, Applied)
        states.append(done.state)
    return states


def test_all_watchers_agree_after_every_action() -> None:
    claims = 0
    for seed in range(60):
        record = finished(seed, suited=0.5).record
        claims += sum(isinstance(a, Claim) for _, a in record.steps)
        keys = {w: [s.public_key() for s in fold(record, w)] for w in WATCHERS}
        assert all(k == keys[Eye.OPEN] for k in keys.values())
        assert len(set(keys[Eye.OPEN])) == len(record.steps) + 1, "every action changes what is public"
        for key in keys[Eye.OPEN]:
            hash(key)
    assert claims > 20


def every_attempt(table: Table, seat: int) -> Iterator[Action]:
    """Each legal action of a seat, and actions made of its cards that may be legal or not."""
    yield from table.view(seat).actions()
    hand = table.state.hands[seat]
    for n in range(1, len(hand) + 1):
        for kind in (Lead, Beat, Discard, Show):
            yield kind(hand[:n])
    yield Claim()
    yield Yield()


def test_the_public_never_refuses_what_is_legal() -> None:
    rng = random.Random(3)
    legal = 0
    for _ in range(25):
        table = Table(random_deal(rng, suited=0.5))
        other = random.Random(rng.random())
        while table.state.turn is not None:
            for seat in SEATS:
                for action in every_attempt(table, seat):
                    if isinstance(apply(table.state, seat, action), Refusal):
                        continue
                    legal += 1
                    for watcher, state in table.states.items():
                        done = follow(state, watcher, seat, action, table.cards)
                        assert isinstance(done, Applied), f"{watcher} refuses {seat} {action}: {done}"
            able = [s for s in SEATS if table.view(s).may_claim]
            if able and other.random() < 0.5:
                table.do(other.choice(able), Claim())
            else:
                turn = table.state.turn
                choices = [a for a in table.view(turn).actions() if not isinstance(a, Claim)]
                table.do(turn, other.choice(choices))
    assert legal > 3000


def test_a_seat_sees_nothing_of_what_it_must_not_know() -> None:
    """Two deals that differ only in cards that a seat has not seen by then give it equal views all the way: the
    other hands, others' discards, the order of the stock and the indicator's place."""
    rng = random.Random(4)
    changed = 0
    for seed in range(40):
        record = finished(seed, suited=0.5).record
        for seat in SEATS:
            upto = rng.randrange(len(record.steps) + 1)
            states = fold(record, seat, upto)
            known = set(states[-1].known)
            unseen = [s for s in range(36) if s not in known]
            moved = shuffled(record.deal, unseen, rng)
            changed += moved.cards != record.deal.cards
            others = fold(Record(moved, record.steps), seat, upto)
            for mine, twin in zip(states, others, strict=True):
                assert SeatView(seat, mine) == SeatView(seat, twin)
                assert SeatView(seat, mine).actions() == SeatView(seat, twin).actions()
                assert repr(SeatView(seat, mine)) == repr(SeatView(seat, twin))
    assert changed > 80


def test_the_public_sees_only_what_was_shown() -> None:
    rng = random.Random(5)
    for seed in range(40):
        record = finished(seed, suited=0.5).record
        states = fold(record, Eye.PUBLIC)
        shown = states[-1].shown
        moved = shuffled(record.deal, [s for s in range(36) if s not in shown], rng)
        assert repr(states) == repr(fold(Record(moved, record.steps), Eye.PUBLIC))


def shuffled(deal: Deal, unseen: list[int], rng: random.Random) -> Deal:
    """The deal with the faces of unseen slots exchanged among themselves, the indicator still in the stock."""
    for _ in range(200):
        faces = [deal.cards[s] for s in unseen]
        rng.shuffle(faces)
        cards = list(deal.cards)
        for slot, face in zip(unseen, faces, strict=True):
            cards[slot] = face
        if deal.indicator in cards[FIRST_STOCK_SLOT:]:
            return Deal(deal.dealer, deal.leader, deal.indicator, tuple(cards), deal.rules)
    return deal


def test_a_sight_that_is_not_allowed_would_be_found() -> None:
    """The check above can fail: with one foreign card known, the views differ."""
    record = finished(1).record
    state = opening(record.deal, 0)
    foreign = state.hands[1][0]
    leaky = SeatView(0, state.learn({foreign: record.deal.cards[foreign]}))
    assert leaky != SeatView(0, state.learn({foreign: (record.deal.cards[foreign] + 1) % 36}))
    assert leaky != SeatView(0, state)


def test_states_are_frozen() -> None:
    table = finished(2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.state.turn = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        table.state.known[0] = 0  # type: ignore[index]
    source = {0: 5}
    state = opening(table.deal, Eye.PUBLIC).learn(source)
    source[1] = 6
    assert dict(state.known) == {0: 5}


def test_the_same_actions_give_the_same_deal() -> None:
    first = finished(9, suited=1.0)
    again = Table(first.deal)
    play_out(again, random.Random(0), claims=0.0)
    twin = Table(first.deal)
    for seat, action in first.steps:
        twin.do(seat, action)
    assert twin.state == first.state
    assert again.state.public_key() != first.state.public_key()
