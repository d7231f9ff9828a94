"""Logs of the world with a cheat in them, for the tests of `goat verify` and of the second auditor.

A cheat changes one body that a player is about to sign. The player goes on as if the meant one had been sent.
"""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from goat_engine.actions import Claim, Discard
from goat_engine.state import Applied, Phase, apply
from goat_net.deck.rounds import cut, lock, shuffle
from goat_net.deck.seeds import derive, discard_commitment, discard_nonce, format_key, indicator_key_hash, key_hash
from goat_net.log.chain import make_record, parse_record
from goat_net.log.deal import DealFold, DealStage
from goat_net.log.records import (
    BeatPlay,
    ClaimPlay,
    Commit,
    Complain,
    Cut,
    DiscardPlay,
    Keys,
    LeadPlay,
    Lock,
    Open,
    ShowPlay,
    Shuffle,
    Verdict,
)
from goat_net.log.settle import find_slots
from goat_net.seat.player import Player
from tests.world.world import Seated, World

OTHER = bytes(range(32))


class Cheater(Player):
    """A player whose ``cheat`` may put another body in the place of the one that is due. ``meant``: slots that they
    mean to have discarded, by counter, where they committed to others."""

    cheat: "Cheat"
    meant: dict[int, tuple[int, ...]]
    done = 0

    def due(self, now: float) -> list[bytes]:
        out = super().due(now)
        if not out:
            return out
        record = parse_record(out[0])
        body = self.cheat(self, record.body)
        if body is None:
            return out
        self.done += 1
        raw = make_record(
            self.identity, record.match_id, record.deal, record.author, record.counter, record.seen, record.seen_head,
            body,
        )  # fmt: skip
        self.unconfirmed = raw
        return [raw]

    def _follow_step(self, deal: DealFold, index: int) -> None:
        step = deal.steps[index]
        if step.seat == self.seat and isinstance(step.action, Claim) and self.own is not None:
            public = replace(self.own, known={s: self.own.known[s] for s in self.own.shown})
            applied = apply(public, step.seat, step.action)
            assert isinstance(applied, Applied)
            self.own = applied.state.learn(self.own.known)
            return
        if step.seat != self.seat or step.counter not in self.meant or step.void or self.own is None:
            super()._follow_step(deal, index)
            return
        applied = apply(self.own, step.seat, Discard(self.meant[step.counter]))
        assert isinstance(applied, Applied)
        self.own = applied.state

    def _choice(self, now: float) -> Any:
        view = self.view
        if view is not None and view.deal.phase is Phase.SHOW and view.deal.turn == self.seat and not view.molodka:
            slots = view.deal.hands[view.seat]
            return ShowPlay(slots, self._run(slots))
        return super()._choice(now)


Cheat = Callable[[Cheater, Any], Any]


def world_with(
    seed: int, seat: int, cheat: Cheat, deals: int = 1, *, people: bool = False
) -> tuple[World, Cheater]:
    """A world in which one seat cheats; ``people``: of persons, not of bots."""
    world = World(seed, people=people)
    s: Seated = world.seated[seat]
    honest = s.new_player
    made: list[Cheater] = []

    def new_player() -> Player:
        player = honest()
        player.__class__ = Cheater
        assert isinstance(player, Cheater)
        player.cheat, player.meant = cheat, {}
        made.append(player)
        return player

    s.new_player = new_player  # type: ignore[method-assign]
    s.player = new_player()
    world.run(deals=deals)
    return world, made[-1]


def journal(world: World) -> bytes:
    """The log of the world's match as a file."""
    assert world.table.fold is not None
    return world.journal[world.table.fold.chain.log_id]


def first(kind: type, change: Callable[[Cheater, Any], Any]) -> Cheat:
    """Cheat once, at the first body of this kind."""

    def cheat(player: Cheater, body: Any) -> Any:
        return change(player, body) if type(body) is kind and not player.done else None

    return cheat


def flip(data: bytes, at: int = 0) -> bytes:
    """The bytes with one bit changed."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def twice(data: bytes) -> bytes:
    """The first element in the second place too."""
    return data[:32] + data[:32] + data[64:]


def other_shuffle(player: Cheater, body: Shuffle) -> Shuffle:
    deal = player.fold.deal
    assert deal is not None
    return Shuffle(b"".join(shuffle(derive(OTHER, deal.tag), deal.deck_before())))


def other_cut(player: Cheater, body: Cut) -> Cut:
    deal, seat = player.fold.deal, player.seat
    assert deal is not None
    assert seat is not None
    mine = player._secrets
    assert mine is not None
    odd = replace(mine, rho=tuple(reversed(mine.rho)))
    indicator, stock = cut(odd, *deal.cut_before())
    return Cut(indicator, b"".join(stock), indicator_key_hash(deal.tag, seat, format_key(odd.q)))


def other_lock(player: Cheater, body: Lock) -> Lock:
    """Slots 2 and 3 under the keys of each other; the hashes are those of the keys that were used."""
    deal, seat = player.fold.deal, player.seat
    assert deal is not None
    assert seat is not None
    mine = player._secrets
    assert mine is not None
    odd = replace(mine, k=(*mine.k[:34], mine.k[35], mine.k[34]))
    hashes = [key_hash(deal.tag, seat, slot, format_key(k)) for slot, k in enumerate(mine.k)]
    return Lock(b"".join(lock(odd, deal.deck_before())), b"".join(hashes))


def false_discard(pick: Callable[[Cheater, tuple[int, ...]], int | None]) -> Cheat:
    """The first discard is committed to another slot than is meant; None: to nothing at all."""

    def change(player: Cheater, body: DiscardPlay) -> DiscardPlay | None:
        deal, seat = player.fold.deal, player.seat
        assert deal is not None
        assert seat is not None
        counter, seed = player.fold.counters[seat], player._seed(deal)
        step = deal.steps[-1]
        commitments = tuple(body.commitments[i : i + 32] for i in range(0, len(body.commitments), 32))
        slots = find_slots(deal, replace(step, seat=seat, counter=counter, commitments=commitments), seed)
        meant = tuple(s for s in slots if s is not None)
        slot = pick(player, meant)
        if slot == -1:
            return None
        player.meant[counter] = meant
        if slot is None:
            return DiscardPlay(flip(body.commitments))
        nonce = discard_nonce(seed, deal.tag, counter, 0)
        return DiscardPlay(discard_commitment(deal.tag, seat, counter, 0, slot, nonce) + body.commitments[32:])

    return first(DiscardPlay, change)


def kept_card(player: Cheater, meant: tuple[int, ...]) -> int:
    """Another card of the own hand, which will be played later; -1 when there is none yet."""
    assert player.own is not None
    assert player.seat is not None
    return next((s for s in player.own.hands[player.seat] if s not in meant), -1)


def foreign_card(player: Cheater, meant: tuple[int, ...]) -> int:
    """A card of the seat to the left."""
    assert player.fold.deal is not None
    assert player.fold.deal.state is not None
    assert player.seat is not None
    return player.fold.deal.state.hands[(player.seat + 1) % 4][0]


def early(player: Cheater, body: Any) -> Any:
    deal = player.fold.deal
    if player.done or deal is None or deal.stage is not DealStage.PLAY or not isinstance(body, LeadPlay | BeatPlay):
        return None
    return Open(player._seed(deal))


def complaint(player: Cheater, body: Any) -> Any:
    if player.done or not isinstance(body, LeadPlay | BeatPlay):
        return None
    return Complain(body.slots[:1], body.keys[:32])


def foreign_play(player: Cheater, body: Any) -> Any:
    if player.done or not isinstance(body, LeadPlay | BeatPlay):
        return None
    return replace(body, slots=(foreign_card(player, ()), *body.slots[1:]))


def copied(player: Cheater, body: Commit) -> Commit | None:
    deal = player.fold.deal
    assert deal is not None
    others = [c for s, c in deal.commitments.items() if s != player.seat]
    return Commit(others[0]) if others else None


def empty_claim(player: Cheater, body: Any) -> Any:
    """Claim instead of the first answer, and show the four cards that are there."""
    deal = player.fold.deal
    if deal is None or player.own is None or player.seat is None or player.done:
        return None
    if isinstance(body, BeatPlay | DiscardPlay) and player.own.entitled != player.seat:
        if player.own.molodka or player.own.hand_size(player.seat) != 4:
            return None
        return ClaimPlay(len(player.own.tricks))
    return None


CHEATS: dict[str, tuple[Cheat, str]] = {
    "other shuffle": (first(Shuffle, other_shuffle), "WRONG_SHUFFLE"),
    "other cut": (first(Cut, other_cut), "WRONG_CUT"),
    "other lock": (first(Lock, other_lock), "WRONG_LOCK"),
    "element twice": (first(Shuffle, lambda p, b: Shuffle(twice(b.deck))), "BAD_SHUFFLE"),
    "short cut": (first(Cut, lambda p, b: replace(b, stock=b.stock[:-32])), "BAD_CUT"),
    "ragged lock": (first(Lock, lambda p, b: replace(b, hashes=b.hashes[:-1])), "BAD_LOCK"),
    "false key": (first(Keys, lambda p, b: replace(b, keys=flip(b.keys, 40))), "FALSE_KEY"),
    "false indicator key": (first(Keys, lambda p, b: replace(b, indicator=flip(b.indicator))), "FALSE_INDICATOR_KEY"),
    "copied commitment": (first(Commit, copied), "WRONG_SEED"),
    "foreign card played": (foreign_play, "FOREIGN_SLOT"),
    "false complaint": (complaint, "FALSE_COMPLAINT"),
    "opened early": (early, "EARLY_OPEN"),
    "other seed": (first(Open, lambda p, b: Open(flip(b.seed))), "WRONG_SEED"),
    "false verdict": (first(Verdict, lambda p, b: replace(b, points=(60, 60))), "FALSE_VERDICT"),
    "discarded nothing": (false_discard(lambda p, meant: None), "EMPTY_DISCARD"),
    "discarded another's": (false_discard(foreign_card), "FOREIGN_DISCARD"),
    "discarded and kept": (false_discard(kept_card), "PLAYED_DISCARD|FOREIGN_DISCARD|EMPTY_CLAIM"),
    "empty claim": (empty_claim, "EMPTY_CLAIM"),
}
"""Name -> the cheat and the fault that it comes to (either of two, where the later plays decide)."""


def faults(world: World) -> list[str]:
    """Names of the faults that the table's own fold has found."""
    fold = world.table.fold
    assert fold is not None
    return [done.outcome.blame.fault.name for done in fold.finished if done.outcome.blame is not None]


def cheated_log(name: str, seat: int, tries: int = 40, *, people: bool = False) -> tuple[bytes, World]:
    """The log of a deal in which a seat really cheats so; the first seed at which there is the chance. ``people``: the
    seats are persons, who pay for it; else bots of the table, for which nobody pays (R23)."""
    cheat, _ = CHEATS[name]
    for number in range(tries):
        seed = random.Random(f"{name}/{seat}/{number}").randrange(2**32)
        world, player = world_with(seed, seat, cheat, 2 if name == "copied commitment" else 1, people=people)
        if player.done and faults(world):
            return journal(world), world
    raise AssertionError(f"no chance for {name!r} in {tries} worlds")
