"""H2: a host that begins match after match: 350 of them pushed all remembered keys out, and left 1,054 files."""

from pathlib import Path

import pytest

from goat_net.log.chain import parse_record
from goat_net.seat.chair import LOGS_UNPLAYED, Chair, HostFault
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.store import LogStore
from goat_net.wire.identity import Identity, Known
from goat_net.wire.messages import ROLE_WATCHER, Joined
from tests.world.world import World


def test_a_host_begins_few_matches_at_a_client_without_playing_one(tmp_path: Path) -> None:
    """H2: logs are few."""
    me, table = Identity.from_seed(b"\x21" * 32), Identity.from_seed(b"\x22" * 32)
    chair = Chair(me, lambda log_id: LogStore(tmp_path, log_id, me.public, lambda n: bytes(n)))
    for number in range(LOGS_UNPLAYED):
        chair.opened(table.public, Joined(b"", number.to_bytes(32, "big"), 5), float(number))
    before = len(list(tmp_path.iterdir()))
    with pytest.raises(HostFault, match="one after another"):
        chair.opened(table.public, Joined(b"", b"\xff" * 32, 5), 99.0)
    assert len(list(tmp_path.iterdir())) == before


async def test_a_name_is_remembered_when_its_player_has_signed_something(tmp_path: Path, seed: int) -> None:
    """H2: keys are remembered after the seat's first signed record; until then the screen says what they are."""
    world = World(seed, people=True)
    while world.table.fold is None or len(world.table.fold.chain) < 12:
        world.step()
    known = Known(tmp_path / "known")
    stranger = Identity.from_seed(b"\x23" * 32)
    setup = SeatSetup("Eve", "test", ROLE_WATCHER, None, listen=None)
    session = TableSession(stranger, setup, (), known=known, direct=False)
    session.chair.table_key = world.table.identity.public
    signed: set[int] = set()
    try:
        for entry in world.table.fold.chain.entries:
            session._message(entry)
            author = parse_record(entry.record).author
            signed |= {author} - {4}
            assert session.player is not None
            seats = session.player.fold.seats
            assert set(session._met.values()) == {"new"}
            assert {seat for seat, held in enumerate(seats) if known.key_of(held.name) == held.key} == signed
    finally:
        if session._timer is not None:
            session._timer.cancel()
    assert signed
