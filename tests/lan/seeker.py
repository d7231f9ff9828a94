"""A lobby for the bench: goat_net.lobby, printing every change as a JSON line.

On stdin: {"open": {"interfaces": …, "remembered": [[host, port], …]}}, {"close": true}, {"join": ID}, {"quit": true}.
Lines: {"opened": t}, {"rows": […], "hints": […]}, {"heard": id}, {"lost": id}, {"joined": address, "took": seconds}.
"""

import asyncio
import json
import sys
import time

from goat_net.address import Address, race_connect
from goat_net.advert import TableAdvert
from goat_net.discovery import Change, FoundTable
from goat_net.lobby import Answer, LobbyWatch, watch_lobby

PROTOCOL = 1


def say(**fields: object) -> None:
    print(json.dumps({"t": time.monotonic(), **fields}), flush=True)


async def probe(address: Address) -> Answer:
    reader, writer = await asyncio.open_connection(address.dial, address.port)
    try:
        begun = time.monotonic()
        line = await reader.readline()
        if not line:
            raise ConnectionResetError("closed without an answer")
        return Answer(TableAdvert(**json.loads(line)), time.monotonic() - begun)
    finally:
        writer.close()


def show(watch: LobbyWatch) -> None:
    rows = [
        {
            "id": row.id,
            "name": row.advert.name,
            "seats": row.advert.seats_taken,
            "address": str(row.address) if row.address else None,
            "addresses": [str(a) for a in row.addresses],
            "compatible": row.compatible,
            "rtt": row.round_trip,
        }
        for row in watch.rows()
    ]
    say(rows=rows, hints=watch.hints(), problem=watch.lobby.problem)


async def lobby(options: dict[str, object], closed: asyncio.Event, holder: list[LobbyWatch]) -> None:
    say(opened=True)
    remembered = [(None, [Address(host, port)]) for host, port in options.get("remembered", [])]  # type: ignore[attr-defined]
    async with watch_lobby(
        probe,
        PROTOCOL,
        interfaces=options.get("interfaces"),  # type: ignore[arg-type]
        discover=bool(options.get("discover", True)),
        remembered=remembered,
        on_change=lambda: show(holder[0]),
        on_heard=told,
    ) as watch:
        holder[:] = [watch]
        await closed.wait()
    say(closed=True)


def told(change: Change) -> None:
    if isinstance(change, FoundTable):
        say(heard=change.advert.id, name=change.advert.name, addresses=[str(a) for a in change.addresses])
    else:
        say(lost=change.id)


async def join(watch: LobbyWatch, id_: str) -> None:
    row = next(row for row in watch.rows() if row.id == id_)
    begun = time.monotonic()
    reader, writer, address = await race_connect(row.addresses)
    line = json.loads(await reader.readline())
    writer.close()
    say(joined=str(address), id=line["id"], took=time.monotonic() - begun)


async def main() -> None:
    loop = asyncio.get_running_loop()
    orders: asyncio.Queue[dict[str, object]] = asyncio.Queue()

    def read() -> None:
        line = sys.stdin.readline()
        orders.put_nowait(json.loads(line) if line else {"quit": True})
        if not line:
            loop.remove_reader(sys.stdin)

    loop.add_reader(sys.stdin, read)
    say(ready=True)
    closed = asyncio.Event()
    holder: list[LobbyWatch] = []
    async with asyncio.TaskGroup() as group:
        while True:
            order = await orders.get()
            if "open" in order:
                closed = asyncio.Event()
                group.create_task(lobby(order["open"], closed, holder))  # type: ignore[arg-type]
            if "join" in order:
                group.create_task(join(holder[0], str(order["join"])))
            if "close" in order or "quit" in order:
                closed.set()
            if "quit" in order:
                return


asyncio.run(main())
