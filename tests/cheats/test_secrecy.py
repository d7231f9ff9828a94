"""Who must not know a card learns nothing of it: worlds that differ in such cards alone look the same, and nothing that
a peer stores, sends or prints lets one tell hands, discards, the order of the stock or the indicator's place."""

import logging
import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from goat_engine.actions import Discard
from goat_net.deck.seeds import CARDS, HANDS, STOCK, _stream, draw_permutation, format_key
from goat_net.log.chain import parse_record, read_file
from goat_net.log.deal import DealFold, DealStage
from goat_net.log.fold import Fold, digest
from goat_net.log.records import BeatPlay, DiscardPlay, LeadPlay, Open, ShowPlay
from goat_net.log.settle import find_slots
from goat_net.wire.messages import NewEntry
from tests.cheats.kit import CheatWorld, Schemer, cards_of
from tests.cheats.shared import shared
from tests.cheats.twins import Twin, all_but_seat_0, look, other_cards, steps, stock_only, two_cards


@pytest.fixture(autouse=True)
def _shared() -> Iterator[None]:
    with shared():
        yield


def at_play(world: CheatWorld, tricks: int = 0) -> DealFold:
    """The first deal, everybody at the same place: all keys there and so many tricks played."""

    def there() -> bool:
        fold = world.table.fold
        deal = None if fold is None else fold.deal
        caught_up = fold is not None and all(s.player.fold.chain.head == fold.chain.head for s in world.seated)
        return (
            deal is not None
            and deal.may_play
            and deal.state is not None
            and len(deal.state.tricks) >= tricks
            and caught_up
        )

    assert world.run_until(there)
    fold = world.table.fold
    assert fold is not None
    assert fold.deal is not None
    return fold.deal


# What each peer knows, at every step


def public_cards(deal: DealFold, entries: Iterable[NewEntry]) -> dict[int, int]:
    """Slots whose cards the log has opened, worked out from its records alone."""
    out: dict[int, int] = {}
    for entry in entries:
        record = parse_record(entry.record)
        body = record.body
        if record.deal != deal.number or not isinstance(body, LeadPlay | BeatPlay | ShowPlay):
            continue
        for place, slot in enumerate(body.slots):
            key = int.from_bytes(body.keys[32 * place : 32 * place + 32], "big")
            card = deal.slot_opens_to(slot, {record.author: key})
            assert card is not None
            out[slot] = card
    return out


@pytest.mark.parametrize("number", range(3))
def test_the_fold_that_all_share_knows_the_cards_that_lie_open_and_no_other(number: int, seed: int) -> None:
    world, steps = CheatWorld(seed + number), 0
    world.claims = {0, 1, 2, 3}
    while not world.settled(2):
        world.step()
        fold = world.table.fold
        deal = fold.deal if fold else None
        if fold is None or deal is None or deal.state is None:
            continue
        steps += 1
        if steps % 5:
            continue
        known = public_cards(deal, fold.chain.entries)
        assert dict(deal.state.known) == {s: c for s, c in known.items() if s in deal.state.known}
        assert set(deal.state.known) == set(deal.state.shown) == set(known)
        assert all(s is None for p in deal.state.plays for s in p.slots if p.kind.value == "discard")
        assert not deal.seeds or deal.stage in (DealStage.OPEN, DealStage.DONE)
        for own, slot in deal.keys:  # the table holds of each slot the keys of the three seats whose it is not
            owner = next((s for s in range(4) if slot in deal.state.hands[s]), None)
            assert owner != own or slot not in deal.state.hands[own]
    assert steps > 100


def test_a_seat_knows_its_own_cards_and_the_open_ones_and_no_other(seed: int) -> None:
    world, seen = CheatWorld(seed), 0
    while not world.settled(2):
        world.step()
        for guest in world.seated:
            own = guest.player.own
            deal = guest.player.fold.deal
            if own is None or deal is None or deal.state is None:
                continue
            seen += 1
            mine = own.hands[guest.seat]
            played = {s for t in own.tricks for p in t.plays if p.seat == guest.seat for s in p.slots}
            played |= {s for p in own.plays if p.seat == guest.seat for s in p.slots}
            assert set(own.known) <= set(own.shown) | set(mine) | played
            for other in range(4):
                if other != guest.seat:
                    assert all(s in own.shown for s in own.hands[other] if s in own.known)
            assert all(s < own.next_slot for s in own.known), "a card of the stock"
    assert seen > 200


# Two worlds


def trace(seed: int, *, learn: bool) -> list[tuple[Any, ...]]:
    """Every step of a first deal: the log's head, what seat 0, the host and a watcher have before them, and what seat 0
    has sent. Until the openings."""
    world, out = Twin(seed), []
    world.claims = {0, 1, 2, 3}
    for fold, deal in steps(world, learn=learn):
        me = world.seated[0].player
        mine = me.fold.chain.head, look(me.own), me.may_act, me.owes_action, me.unconfirmed
        actions = me.view.actions() if me.view is not None else ()
        author = parse_record(fold.chain.entries[-1].record).author
        out.append((fold.chain.head, author, look(deal.state), digest(fold), mine, actions, repr(world.table.lobby())))
    return out


@pytest.mark.parametrize("mix", [stock_only, all_but_seat_0, two_cards])
@pytest.mark.sample(1, "plays every deal twice")
def test_a_seat_the_host_and_a_watcher_see_the_same_until_a_card_they_may_see_differs(mix: Any, seed: int) -> None:
    alike = 0
    for attempt in range(5):
        first = trace(seed + attempt, learn=True)
        with other_cards(mix, seed + attempt):
            second = trace(seed + attempt, learn=False)
        for one, other in zip(first, second, strict=False):
            if one[0] != other[0]:  # the first public difference: somebody else has played another card
                assert one[1] != 0
                assert other[1] != 0
                break
            if one[2] != other[2]:  # somebody else has laid the same slot, and it is another card
                assert one[2][0][:10] == other[2][0][:10]
                assert {s for s, _ in one[2][1]} == {s for s, _ in other[2][1]}
                break
            if one[4] != other[4]:  # a card that seat 0 has drawn
                assert one[:4] == other[:4]
                assert {s for s, _ in set(one[4][1][1]) ^ set(other[4][1][1])} & set(range(HANDS, CARDS))
                break
            assert one == other
            alike += one[2] is not None
    assert alike > 10


# Nothing stored or printed


def secrets_of(world: CheatWorld) -> dict[str, list[bytes]]:
    """By seat's number: what must not be found anywhere while the deal is on."""
    out: dict[str, list[bytes]] = {}
    for guest in world.seated:
        player = guest.player
        assert isinstance(player, Schemer)
        s = player.secrets
        deal = player.fold.deal
        assert deal is not None
        seed = world.deal_seed(guest.seat, deal)
        scalars = [format_key(x) for x in (s.e, s.f, s.q, *s.k)]
        nonces = [bytes(s.pi), bytes(s.rho)]
        out[str(guest.seat)] = [seed, player._master, *scalars, *nonces]
    return out


def test_the_journal_before_the_openings_gives_away_neither_seeds_nor_slots_nor_places(seed: int) -> None:
    world = CheatWorld(seed)
    deal = at_play(world, tricks=3)
    fold = world.table.fold
    assert fold is not None
    data = world.journal[fold.chain.log_id]
    assert not any(isinstance(parse_record(e.record).body, Open) for e in read_file(data))
    for guest in world.seated:
        player = guest.player
        assert isinstance(player, Schemer)
        s = player.secrets
        assert world.deal_seed(guest.seat, deal) not in data
        assert player._master not in data
        for name in ("e", "f"):
            assert format_key(getattr(s, name)) not in data
        shown = deal.state.shown if deal.state else frozenset()
        hidden = [
            slot for slot in range(CARDS) if deal.state and slot in deal.state.hands[guest.seat] and slot not in shown
        ]
        undrawn = range(deal.state.next_slot, CARDS) if deal.state else range(0)
        for slot in (*hidden, *undrawn):
            assert format_key(s.k[slot]) not in data
        for permutation in (s.pi, s.rho):
            assert bytes(permutation) not in data


def test_discards_in_the_journal_fit_no_slot_for_whoever_has_not_the_seed(seed: int) -> None:
    world = CheatWorld(seed)
    deal = at_play(world, tricks=4)
    steps = [s for s in deal.steps if isinstance(s.action, Discard)]
    assert steps, "nobody has discarded"
    for step in steps:
        own = find_slots(deal, step, world.deal_seed(step.seat, deal))
        assert None not in own
        for other in range(4):
            if other != step.seat:
                assert set(find_slots(deal, step, world.deal_seed(other, deal))) == {None}
    rests = [e for s in steps for e in s.commitments]
    assert len(set(rests)) == len(rests)


def test_one_seed_short_of_four_the_stock_and_the_indicators_place_stay_open(seed: int) -> None:
    """With three seeds each of the 36 places of every card is still as possible as any other: what the fourth seat
    adds is a permutation of its own. Counted for the indicator over many fourth seeds of one deal."""
    world = CheatWorld(seed)
    deal = at_play(world)
    seeds = list(world.seeds[deal.match_id, deal.number])
    rng, places = random.Random(seed), [0] * STOCK
    order = deal.order
    for _ in range(2000):
        # The others' permutations as they are, the fourth's as any seed might give: the commitment does not tell.
        decks = tuple(range(CARDS))
        fourth = rng.randbytes(32)
        for s in order:
            pi = draw_permutation(_stream(fourth if s == order[1] else seeds[s], deal.tag, b"p", 0), CARDS)
            decks = tuple(decks[x] for x in pi)
        shown, stock = decks[CARDS - 1], decks[HANDS:]
        for s in order:
            rho = draw_permutation(_stream(fourth if s == order[1] else seeds[s], deal.tag, b"r", 0), STOCK)
            stock = tuple(stock[x] for x in rho)
        places[stock.index(shown)] += 1
    assert min(places) > 50
    assert max(places) < 160


@pytest.mark.parametrize("stage", [DealStage.CUT, DealStage.PLAY])
def test_nothing_printed_holds_a_secret(stage: DealStage, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    world = CheatWorld(seed)
    assert world.run_until(
        lambda: bool(world.table.fold and world.table.fold.deal and world.table.fold.deal.stage is stage)
    )
    for _ in range(60):
        world.step()
    texts = [caplog.text]
    for guest in world.seated:
        player = guest.player
        assert isinstance(player, Schemer)
        texts += [
            repr(player),
            str(player),
            repr(player.secrets),
            repr(player.identity),
            repr(player.fold),
            repr(player.fold.deal),
        ]
    texts += [repr(world.table), repr(world.table.identity), repr(world.table.fold)]
    text = "\n".join(texts)
    for secrets in secrets_of(world).values():
        for secret in secrets:
            forms = (
                secret.hex(),
                repr(secret)[2:-1],
                str(int.from_bytes(secret, "big")),
                repr(tuple(secret)),
                repr(list(secret)),
            )
            for form in forms:
                assert form not in text


def test_an_unconfirmed_record_holds_what_it_sends_and_no_other_secret(seed: int) -> None:
    world, looked = CheatWorld(seed), 0
    while not world.settled(1):
        world.step()
        for guest in world.seated:
            player = guest.player
            deal = player.fold.deal
            raw = player.unconfirmed
            if raw is None or deal is None or deal.stage is DealStage.OPEN or player._secrets is None:
                continue
            body = parse_record(raw).body
            if isinstance(body, Open):
                continue
            looked += 1
            s = player._secrets
            assert player._master not in raw
            assert world.deal_seed(guest.seat, deal) not in raw
            assert format_key(s.e) not in raw
            assert format_key(s.f) not in raw
            if isinstance(body, DiscardPlay):
                assert not any(format_key(k) in raw for k in s.k)
            elif isinstance(body, LeadPlay | BeatPlay | ShowPlay):
                assert [slot for slot, k in enumerate(s.k) if format_key(k) in raw] == sorted(body.slots)
    assert looked > 50


def test_a_watcher_learns_the_result_and_the_cards_only_when_all_is_open(seed: int) -> None:
    world = CheatWorld(seed)
    at_play(world, tricks=2)
    fold = world.table.fold
    assert fold is not None
    watcher = Fold()
    for entry in fold.chain.entries:
        watcher.take(entry)
    assert watcher.deal is not None
    assert watcher.deal.state is not None
    assert set(watcher.deal.state.known) == set(watcher.deal.state.shown)
    assert not watcher.finished
    assert world.run_until(lambda: world.settled(1))
    for entry in fold.chain.entries[len(watcher.chain) :]:
        watcher.take(entry)
    outcome = watcher.finished[0].outcome
    assert outcome.cards == cards_of(watcher.finished[0].deal, world.seeds[watcher.id, 1])
