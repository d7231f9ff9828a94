"""Every row of the table of the wire (`tests/wire/table.py`), tried over TLS on loopback.

    python3 dev.py python -m tests.wire.table

prints it; `python3 dev.py test tests/wire/test_table.py` tries it, a door and an area at a time.
"""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack, suppress
from typing import Any

import pytest
from goat_host.limits import CodeTries
from goat_host.server import Server

from goat_net.seat.chair import Chair
from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.store import LogStore
from goat_net.wire import link, stream
from goat_net.wire.address import Address
from goat_net.wire.messages import HOST_LEFT, LEFT, MESSAGES, Bye, Joined, Probe, Said, Say, Status, Welcome
from goat_net.wire.stream import ask_status
from tests.wire.ends import Dialled, Dialler, last_word
from tests.wire.kit import OWNER, TABLE, WITHIN, direct_line, odd_host, serving, unlimited
from tests.wire.table import (
    CLIENT,
    CODE,
    FRESH,
    GOES_ON,
    GOOD_STATUS,
    GREETED,
    HOST,
    IN,
    INSIDE,
    LINE,
    PROBE,
    ROWS,
    SAMPLES,
    SILENT_END,
    STATUS,
    WELCOME,
    Row,
)
from tests.world.world import World

AREAS = sorted({(row.door, row.area) for row in ROWS})
ANSWERS: dict[type[Any], str] = {Welcome: WELCOME, Status: STATUS, Joined: IN}


def test_the_table_has_its_size_and_no_row_twice() -> None:
    assert len(ROWS) >= 250
    assert set(SAMPLES) == {struct.cls for _, struct in MESSAGES}
    assert [row for row, count in Counter(str(row) for row in ROWS).items() if count > 1] == []
    assert {row.door for row in ROWS} == {HOST, CLIENT, LINE, PROBE}
    assert {row.area for row in ROWS} >= {
        "framing", "encoding", "order", "handshake", "bounds", "signatures", "resume", "close",
    }  # fmt: skip


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take its time: no row is about seconds."""
    for name in ("HELLO_WITHIN", "WELCOME_WITHIN", "JOIN_WITHIN", "PROBE_WITHIN"):
        monkeypatch.setattr(link, name, WITHIN)
    for name in ("ANSWER_WITHIN", "HANDSHAKE", "CONNECT_WITHIN"):
        monkeypatch.setattr(stream, name, WITHIN)


async def dialling(row: Row, port: int) -> int | str:
    """What comes of a row whose door is dialled: a table's, or a direct line's."""
    end = await Dialler.dial(port)
    try:
        if row.when == GREETED:
            await end.greet()
        elif row.when == INSIDE:
            await end.enter()
        row.say(end)
        if row.outcome in (WELCOME, STATUS, IN):
            while (message := await end.next()) is not None:
                if type(message) in ANSWERS:
                    return ANSWERS[type(message)]
            return SILENT_END
        if row.outcome == GOES_ON:
            if row.door == HOST and not any(row.what.startswith(what) for what in ("talk of", "Say")):
                end.send(Say("still here"))
                while not isinstance(message := await end.next(), Said) or message.text != "still here":
                    if message is None or last_word([message]) is not None:
                        return "ended"
            end.send(Bye(LEFT))
        word = last_word(await end.rest())
        if word is not None:
            return word.reason
        return GOES_ON if row.outcome == GOES_ON else SILENT_END
    finally:
        end.close()


async def answering(row: Row) -> int | str:
    """What comes of a row whose door dials: a client's, or a prober's."""
    heard: list[Any] = []

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        end = Dialled(reader, writer)
        if row.door == PROBE:
            end.nonce = (await end.until(Probe)).nonce
        elif row.when == FRESH:
            await end.hear()
        elif row.when == GREETED:
            await end.greet()
        else:
            await end.let_in()
        row.say(end)
        if row.outcome == GOES_ON:
            end.send(Bye(HOST_LEFT))
        heard.extend(await end.rest())

    async with odd_host(speak) as address:
        if row.door == PROBE:
            return await probing(address, heard)
        setup = SeatSetup("Anna", "goat 0.1", table_key=TABLE.public, listen=None)
        end = await TableSession(OWNER, setup, [address]).run()
        word = await spoken(heard)
    if word is not None:
        return int(word.reason)
    if row.outcome == GOES_ON:
        return GOES_ON if (end.reason, end.by_peer) == (HOST_LEFT, True) else str(end)
    return SILENT_END if end.by_peer else str(end)


async def probing(address: Address, heard: list[Any]) -> int | str:
    try:
        await ask_status(address, "goat 0.1")
    except OSError:
        word = await spoken(heard)
        return SILENT_END if word is None else int(word.reason)
    return GOOD_STATUS


async def spoken(heard: list[Any]) -> Any:
    """The last word of whoever dialled, once all of it has come."""
    for _ in range(200):
        if last_word(heard) is not None:
            break
        await asyncio.sleep(0)
    return last_word(heard)


def seated() -> Chair:
    """The chair of a seat in the middle of a match, who takes anybody for one of its seats."""
    world = World(4)
    world.run(deals=1)
    chair = Chair(world.seated[0].identity, lambda log_id: LogStore(None, log_id, lambda n: bytes(n)))
    chair.player = world.seated[0].player
    chair.log_id = chair.player.fold.chain.log_id
    chair.direct.knows = lambda key: True  # type: ignore[method-assign]
    return chair


@pytest.mark.sample(8, "each opens up to a hundred connections")
@pytest.mark.parametrize(("door", "area"), AREAS)
async def test_every_row_comes_to_what_the_table_says(door: str, area: str) -> None:
    rows = [(number, row) for number, row in enumerate(ROWS, 1) if (row.door, row.area) == (door, area)]
    wrong = []
    async with AsyncExitStack() as stack:
        plain = code = 0
        servers: list[Server] = []
        if door == HOST:
            servers = [await stack.enter_async_context(serving(code=c)) for c in (None, CODE)]
            for server in servers:
                unlimited(server)
            plain, code = (server.port for server in servers)
        elif door == LINE:
            plain = (await stack.enter_async_context(direct_line(seated()))).port
        for number, row in rows:
            for server in servers:
                server._tries = CodeTries()  # each guess is a row of its own
            came: int | str = "nothing, for a minute"
            with suppress(TimeoutError):
                async with asyncio.timeout(WITHIN):
                    came = await (dialling(row, code if row.code else plain) if plain else answering(row))
            if came != row.outcome:
                wrong.append(f"{number} | {row} | but: {came}")
    assert not wrong, "\n".join(["", *wrong])
