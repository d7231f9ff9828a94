"""A seat that lives elsewhere: its line, its disk and its certificate come from somebody else (a page, for one)."""

import asyncio
import os
from collections.abc import Sequence
from typing import Any

from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.store import LogStore
from goat_net.wire.address import Address
from goat_net.wire.peer import Joiner
from goat_net.wire.stream import Connection, open_stream
from goat_net.wire.tls import certificate_hash
from tests.host.room import room
from tests.patience import PATIENCE


class Blind:
    """A writer that knows nothing of TLS: somebody else has made the session and says which certificate was shown."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def get_extra_info(self, name: str) -> None:
        """Nothing is known here."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


async def test_a_seat_plays_over_a_line_a_store_and_a_certificate_of_somebody_elses(seed: int) -> None:
    dialled: list[tuple[Address, ...]] = []
    opened: list[bytes] = []

    async def dial(addresses: Sequence[Address], joiner: Joiner, within: float) -> tuple[None, Connection]:
        dialled.append(tuple(addresses))
        reader, writer = await open_stream(table.address, within=within)
        shown = certificate_hash(writer.get_extra_info("ssl_object"))
        return None, Connection(reader, Blind(writer), joiner, certificate=shown)  # type: ignore[arg-type]

    async with room(seed) as hosted:
        table = hosted.sit(0)
        await hosted.until(lambda: table.view.me is not None)

        def store(log_id: bytes) -> LogStore:
            opened.append(log_id)
            return LogStore(None, log_id, hosted.identities[1].public, os.urandom)

        setup = SeatSetup("Elsewhere", "test", seat=1, eager=True, brain=hosted.brain())
        guest = TableSession(
            hosted.identities[1], setup, (), retry_for=PATIENCE, dial=dial, store=store, direct=False
        )
        hosted.sessions.append(guest)
        hosted.tasks[guest] = hosted.group.create_task(guest.run())
        await hosted.until(lambda: guest.view.me == 1)
        table.start()
        await hosted.until(lambda: guest.view.reports and table.view.reports)
        assert guest.view.reports[0].audited
        assert guest.view.reports[0].blame is None
        assert dialled == [()]
        assert len(opened) == 1
        assert guest.view.log_path == ""
        assert hosted.identities[0].public in guest.chair.direct.dials.reaches
        assert hosted.identities[1].public not in table.chair.direct.dials.reaches
