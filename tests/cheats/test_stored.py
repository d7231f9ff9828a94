"""A real table on loopback in the middle of a deal: what its peers have on disk and what they print is searched for
everything that tells hands, discards, the order of the stock or the indicator's place, and then used to derive it."""

import asyncio
import base64
import json
import logging
import random
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from goat_engine import cards
from goat_engine.actions import Discard
from goat_engine.bots import choose
from goat_net.deck.seeds import CARDS, HANDS, SeatSecrets, derive, discard_nonce, format_key
from goat_net.log.chain import parse_record
from goat_net.log.deal import DealFold
from goat_net.log.fold import Fold
from goat_net.log.settle import find_slots
from goat_net.seat.player import Player, memory_masters
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.store import intact
from goat_net.wire.address import parse_address
from goat_net.wire.identity import Identity
from goat_net.wire.messages import ROLE_BOT, ROLE_WATCHER
from tests.cheats.kit import cards_of
from tests.patience import PATIENCE

pytestmark = pytest.mark.processes

PLANTED = "a line at DEBUG"
PLAYS = 10  # in the log when everything is stopped: two tricks and two plays, some of them face down
A_CARD = re.compile(r"(?<![0-9A-Za-z])(?:10|[6-9JQKA])(?:[SCDH](?![0-9A-Za-z])|[♠♣♦♥])")


# A table that has stopped in the middle


@dataclass
class Stopped:
    """Everything that was there when the play was stopped, while nobody had gone yet."""

    journals: Path
    folders: dict[str, Path]
    deal: DealFold
    whole: tuple[int, ...]  # slot -> card
    seeds: tuple[bytes, ...]
    masters: tuple[bytes, ...]
    printed: dict[str, str] = field(default_factory=dict)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)

    @property
    def secrets(self) -> list[SeatSecrets]:
        """Each seat's secrets of the deal."""
        return [derive(seed, self.deal.tag) for seed in self.seeds]


async def _played(sessions: list[TableSession], seed: int) -> DealFold:
    """Let everybody play until so many plays are in everybody's log; then nobody chooses any more."""
    rng, done = random.Random(seed), asyncio.Event()

    def act(session: TableSession) -> None:
        player = session.player
        if player is None or player.fold.deal is None:
            return
        deals = [s.player.fold.deal for s in sessions if s.player is not None]
        if len(deals) == len(sessions) and all(d is not None and len(d.steps) >= PLAYS for d in deals):
            done.set()
        elif len(player.fold.deal.steps) < PLAYS and player.owes_action and player.view is not None:
            session.act(choose(player.view, rng, "easy"))

    for session in sessions:
        session.on_change(lambda view, s=session: act(s))
        act(session)
    async with asyncio.timeout(PATIENCE):
        await done.wait()
    player = sessions[0].player
    assert player is not None
    fold = Fold()  # one of its own: the players' goes on when they leave
    for entry in player.fold.chain.entries:
        fold.take(entry)
    assert fold.deal is not None
    return fold.deal


async def _stopped(seed: int, folder: Path, logged: pytest.LogCaptureFixture) -> Stopped:
    """Four seats and a watcher at a table of a process of its own, all with folders, at DEBUG."""
    logged.set_level(logging.DEBUG)
    logging.getLogger("goat_net.stored").debug(PLANTED)
    journals, log_file = folder / "host", folder / "host.log"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "goat_host", "--child", "--interface", "127.0.0.1", "--no-discovery",
        "--journals", str(journals), "--log-file", str(log_file), "--yield-time", "0",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stderr is not None
    ready = await process.stdout.readline()
    where = (parse_address(json.loads(ready)["address"], 0),)
    folders = {name: folder / name for name in ("seat 0", "seat 1", "seat 2", "seat 3", "watcher")}
    seats = [
        TableSession(
            Identity.new(), SeatSetup(f"P{s}", "test", ROLE_BOT, s, eager=True, folder=folders[f"seat {s}"]), where
        )
        for s in range(4)
    ]
    watcher = TableSession(Identity.new(), SeatSetup("W", "test", ROLE_WATCHER, None, folder=folders["watcher"]), where)
    try:
        async with asyncio.TaskGroup() as group:
            for session in (*seats, watcher):
                group.create_task(session.run())
            deal = await _played([*seats, watcher], seed)
            players = [s.player for s in seats]
            assert all(p is not None for p in players)
            seeds = tuple(p._seed(deal) for p in players if p is not None)
            masters = tuple(p._master for p in players if p is not None)
            out = Stopped(journals, folders, deal, cards_of(deal, seeds), seeds, masters)
            for name, place in {"host": journals, **folders}.items():
                out.files[name] = {p.name: p.read_bytes() for p in place.rglob("*") if p.is_file()}
            reprs = [repr(x) for s in (*seats, watcher) for x in (s, s.chair, s.player, s.chair.store, s.lobby)]
            views = [repr(watcher.view), repr(watcher.player and watcher.player.fold.deal)]
            for session in (*seats, watcher):
                await session.leave()
    finally:
        process.stdin.close()
        async with asyncio.timeout(PATIENCE):
            rest, errors = await process.communicate()
    out.printed = {
        "host's output": (ready + rest + errors).decode(),
        "host's log": log_file.read_text() if log_file.exists() else "",
        "log lines of all": logged.text,
        "reprs": "\n".join(reprs),
        "what a watcher's machine prints": "\n".join(views),
    }
    return out


# What must not be found


def forms(secret: bytes) -> tuple[bytes, ...]:
    """How some bytes may be written down."""
    number = int.from_bytes(secret, "big")
    listed = ", ".join(map(str, secret)).encode()
    texts = (secret.hex(), secret.hex().upper(), str(number), repr(secret)[2:-1], base64.b64encode(secret).decode())
    return (secret, secret[::-1], listed, *(text.encode() for text in texts))


def rows_of(row: tuple[int, ...]) -> tuple[bytes, ...]:
    """How a row of cards may be written down; shorter ones not as bare bytes, which come about by chance."""
    names = [cards.name(c) for c in row]
    texts = [sep.join(t).encode() for t in (names, [str(c) for c in row]) for sep in (" ", ", ", ",")]
    return (*texts, "".join(names).encode(), *([bytes(row)] if len(row) > 6 else []))


def secrets_of(s: Stopped, seat: int) -> dict[str, bytes]:
    """A seat's own secrets that nobody else may have now."""
    own, deal = s.secrets[seat], s.deal
    assert deal.state is not None
    out = {f"seed {seat}": s.seeds[seat], f"master {seat}": s.masters[seat]}
    out |= {f"{name} {seat}": format_key(getattr(own, name)) for name in ("e", "f")}
    out |= {f"pi {seat}": bytes(own.pi), f"rho {seat}": bytes(own.rho)}
    kept = [slot for slot in deal.state.hands[seat] if slot not in deal.state.shown]
    out |= {f"key {seat}/{slot}": format_key(own.k[slot]) for slot in (*kept, *range(deal.state.next_slot, CARDS))}
    for step in deal.steps:
        if step.seat == seat and isinstance(step.action, Discard):
            for i in range(len(step.commitments)):
                out[f"nonce {seat}/{step.counter}/{i}"] = discard_nonce(s.seeds[seat], deal.tag, step.counter, i)
    return out


def orders_of(s: Stopped) -> dict[str, tuple[int, ...]]:
    """Rows of cards that nobody knows as such: the stock from the top, what is left of it, the hands."""
    assert s.deal.state is not None
    rows = {"deck": s.whole, "stock": s.whole[HANDS:], "rest of the stock": s.whole[s.deal.state.next_slot :]}
    for seat in range(4):
        rows[f"hand {seat}"] = tuple(s.whole[slot] for slot in range(HANDS) if (s.deal.dealer + 1 + slot) % 4 == seat)
    return {name: row for name, row in rows.items() if len(row) >= 4}


def found(data: bytes, wanted: Mapping[str, bytes]) -> set[str]:
    """Names of the secrets that stand in some bytes in any form."""
    return {name for name, secret in wanted.items() if any(f in data for f in forms(secret))}


@pytest.fixture
async def stopped(seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Stopped:
    return await _stopped(seed, tmp_path, caplog)


async def test_what_is_stored_and_printed_holds_nobodys_secret_but_his_own_two_files(stopped: Stopped) -> None:
    s = stopped
    secrets = {seat: secrets_of(s, seat) for seat in range(4)}
    everybodys = {name: secret for own in secrets.values() for name, secret in own.items()}
    assert any(name.startswith("nonce") for name in everybodys)
    shown = sorted(s.deal.state.shown if s.deal.state else ())
    planted = {"planted": next(format_key(s.secrets[step.seat].k[shown[0]]) for step in s.deal.steps
                               if shown[0] in step.cards)}  # fmt: skip
    for name, files in s.files.items():
        logs = [data for file, data in files.items() if file.endswith(".goat")]
        assert len(logs) == 1, (name, sorted(files))
        assert found(logs[0], planted) == {"planted"}  # what was shown is found by the same search
        own = int(name[-1]) if name.startswith("seat") else -1
        for file, data in files.items():
            private = Path(file).suffix in (".secret", ".pending")
            if private and own < 0 and name == "host":
                raise AssertionError(f"the host keeps {file}")
            allowed = {f"master {own}"} if Path(file).suffix == ".secret" else set()
            assert found(data, everybodys) <= allowed, (name, file)
            for what, row in orders_of(s).items():
                assert not any(form in data for form in rows_of(row)), (name, file, what)
        if own >= 0:
            assert found(b"".join(files.values()), everybodys) == {f"master {own}"}  # it is kept, and found
    for name, text in s.printed.items():
        assert found(text.encode(), everybodys) == set(), name
        for what, row in orders_of(s).items():
            assert not any(form in text.encode() for form in rows_of(row)), (name, what)
    assert PLANTED in s.printed["log lines of all"]
    for name in ("host's output", "host's log", "log lines of all"):
        assert not A_CARD.search(s.printed[name]), (name, A_CARD.search(s.printed[name]))
    assert A_CARD.search("next card 10♠")
    assert A_CARD.search("(AH)")


def openable(deal: DealFold, seat: int, secrets: SeatSecrets | None) -> dict[int, int]:
    """The cards that can be opened with the keys of a log and one seat's own."""
    out: dict[int, int] = {}
    for slot in range(CARDS):
        extra = {} if secrets is None else {seat: secrets.k[slot]}
        try:
            card = deal.slot_opens_to(slot, extra)
        except KeyError:
            continue
        if card is not None:
            out[slot] = card
    return out


async def test_from_what_a_peer_stores_it_derives_its_own_hand_and_what_lies_open_and_no_more(
    stopped: Stopped,
) -> None:
    """Each folder by itself is given to a machine that takes from it whatever it can."""
    s = stopped
    state = s.deal.state
    assert state is not None
    place = s.whole.index(state.indicator)
    places = set()
    for name, files in s.files.items():
        seat = int(name[-1]) if name.startswith("seat") else -1
        entries, _ = intact(next(data for file, data in files.items() if file.endswith(".goat")))
        masters = [data for file, data in files.items() if file.endswith(".secret")]
        fold = Fold()
        for entry in entries:
            fold.take(entry)
        deal = fold.deal
        assert deal is not None
        assert deal.state is not None
        assert deal.tag == s.deal.tag
        secrets = None
        if seat >= 0:
            assert masters == [s.masters[seat]]
            player = Player(Identity.from_seed(bytes(32)), memory_masters(b""), table_key=None)
            player.identity = cast(Identity, SimpleNamespace(public=fold.seats[seat].key))  # its key is in the log
            player._master = masters[0]
            seed = player._seed(deal)
            assert seed == s.seeds[seat]
            secrets = derive(seed, deal.tag)
        else:
            seed = bytes(32)
        known = openable(deal, seat, secrets) | dict(deal.state.known)
        assert known == {slot: s.whole[slot] for slot in known}
        held = {slot for slot in deal.state.hands[seat] if slot < deal.state.next_slot} if seat >= 0 else set()
        hidden = {slot for step in deal.steps if step.seat == seat and isinstance(step.action, Discard)
                  for slot in find_slots(deal, step, seed)}  # fmt: skip
        assert None not in hidden
        mine = set(deal.state.shown) | held | hidden
        assert set(known) <= mine
        assert deal.owed or set(known) == mine  # but for cards just drawn, of which keys are still to come
        assert not any(slot >= deal.state.next_slot for slot in known), "a card of the stock"
        for step in deal.steps:
            if isinstance(step.action, Discard) and step.seat != seat:
                assert set(find_slots(deal, step, seed)) == {None}
        places.add(place in known)
    assert {parse_record(e.record).author for e in entries} >= {0, 1, 2, 3}
    if place >= state.next_slot:
        assert places == {False}, "the indicator's place"
