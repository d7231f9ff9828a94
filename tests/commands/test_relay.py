"""The relay knows nothing: the memory of the table's process is searched in the middle of a real deal."""

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goat_engine.actions import Discard
from goat_engine.bots import choose
from goat_engine.state import Phase
from goat_net.deck.seeds import derive, discard_nonce, format_key
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.wire.address import parse_address
from goat_net.wire.identity import Identity
from goat_net.wire.messages import ROLE_BOT
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.processes,
    pytest.mark.long("reads the memory of a process for a whole deal"),
    pytest.mark.skipif(sys.platform != "linux", reason="a process's memory is read through /proc"),
]


def digits(number: int) -> bytes:
    """A large integer as CPython keeps it: 30 bits in four bytes each, low ones first."""
    out = b""
    while number:
        out += (number & (1 << 30) - 1).to_bytes(4, "little")
        number >>= 30
    return out


def forms(secret: bytes) -> tuple[bytes, ...]:
    """How a secret may lie in memory: as bytes, as an integer, as the hex of a log line."""
    return secret, digits(int.from_bytes(secret, "big")), secret.hex().encode()


def memory(pid: int) -> Iterator[bytes]:
    """All that a process can write to, region by region."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as mem:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if not found:
                continue
            start, end = (int(x, 16) for x in found.groups())
            mem.seek(start)
            try:
                yield mem.read(end - start)
            except OSError:
                continue


def search(pid: int, wanted: dict[str, bytes]) -> set[str]:
    """Names of the secrets that lie in the memory of a process in any form."""
    found = set()
    for region in memory(pid):
        found |= {name for name, secret in wanted.items() if any(f in region for f in forms(secret))}
    return found


async def play_until_discards(sessions: list[TableSession], plays: int, rng_seed: int) -> None:
    """Let everybody play until so many plays are in the log, then stop. Everybody has them before this returns: what
    a player has shown by a play that is on its way is not a secret any more, though its own log does not say so."""
    import random

    rng = random.Random(rng_seed)
    waiting = set(sessions)
    done = asyncio.Event()

    def act(session: TableSession) -> None:
        player = session.player
        if player is None or player.fold.deal is None:
            return
        if len(player.fold.deal.steps) >= plays:
            waiting.discard(session)
            if not waiting:
                done.set()
        elif player.owes_action and player.view is not None:
            session.act(choose(player.view, rng, "easy"))

    for session in sessions:
        session.on_change(lambda view, s=session: act(s))
        act(session)
    async with asyncio.timeout(PATIENCE):
        await done.wait()


async def test_no_secret_of_a_guest_is_in_the_tables_memory(seed: int, tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "goat_host", "--child", "--interface", "127.0.0.1", "--no-discovery",
        "--journals", str(tmp_path), "--yield-time", "0",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    ready = json.loads(await process.stdout.readline())
    address = parse_address(ready["address"], 0)
    sessions = [
        TableSession(Identity.new(), SeatSetup(f"P{s}", "test", ROLE_BOT, s, eager=True), (address,)) for s in range(4)
    ]
    try:
        async with asyncio.TaskGroup() as group:
            for session in sessions:
                group.create_task(session.run())
            await play_until_discards(sessions, 9, seed)
            secrets, planted = what_must_be_hidden(sessions)
            assert planted
            assert len(secrets) > 24  # seeds, masters, hands; the stock and the discards come on top of that
            assert search(process.pid, {"planted": planted}) == {"planted"}
            assert search(process.pid, secrets) == set()
            for session in sessions:
                await session.leave()
    finally:
        process.stdin.close()
        async with asyncio.timeout(PATIENCE):
            await process.wait()
        process._transport.close()  # type: ignore[attr-defined]  # its pipes are closed by nobody else


def what_must_be_hidden(sessions: list[TableSession]) -> tuple[dict[str, bytes], bytes]:
    """Seeds, keys of slots that nobody was given, nonces of discards; and a key that was shown, as a control."""
    secrets: dict[str, bytes] = {}
    planted = b""
    for session in sessions:
        player = session.player
        assert player is not None
        assert player.seat is not None
        deal = player.fold.deal
        assert deal is not None
        assert deal.state is not None
        seat, seed = player.seat, player._seed(deal)
        own = derive(seed, deal.tag)
        # A molodka that was claimed is shown by itself: it may be on its way, in the table's memory and no log yet.
        shows = player.own is not None and player.own.phase is Phase.SHOW and player.own.turn == seat
        on_its_way = player.view.molodka if shows and player.view is not None else ()
        secrets[f"seed {seat}"] = seed
        secrets[f"master {seat}"] = player._master
        for slot in deal.state.hands[seat]:
            if slot not in deal.state.shown and slot not in on_its_way:
                secrets[f"own key {seat}/{slot}"] = format_key(own.k[slot])
        for slot in range(deal.state.next_slot, 36):
            secrets[f"stock key {seat}/{slot}"] = format_key(own.k[slot])
        for step in deal.steps:
            if step.seat == seat and isinstance(step.action, Discard):
                for i in range(len(step.commitments)):
                    secrets[f"nonce {seat}/{step.counter}/{i}"] = discard_nonce(seed, deal.tag, step.counter, i)
        shown = [s for step in deal.steps if step.seat == seat for s in step.cards]
        if shown:
            planted = format_key(own.k[shown[0]])
    assert any(name.startswith("nonce") for name in secrets)
    return secrets, planted
