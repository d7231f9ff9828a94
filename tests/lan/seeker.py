"""A lobby for the bench: goat_net.discovery.watch, printing every change as a JSON line.

On stdin: {"open": {"interfaces": …, "remembered": [[host, port], …], "real": …}}, {"close": true}, {"join": ID},
{"ask": [host, port], "seconds": …}, {"quit": true}. real: ask as goat does (over TLS, signed); else as table.py
answers, a line of JSON.
Lines: {"opened": t}, {"rows": […], "hints": […]}, {"heard": id}, {"lost": id}, {"joined": address, "took": seconds}.
"""

import asyncio
import json
import sys
import time

from goat_net.discovery.advert import TableAdvert
from goat_net.discovery.mdns import Change, FoundTable
from goat_net.discovery.watch import Answer, LobbyWatch, answer_of, watch_lobby
from goat_net.wire.address import Address, race, race_connect
from goat_net.wire.messages import PROTOCOL
from goat_net.wire.stream import ask_status


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


async def ask(address: Address) -> Answer:
    found = await ask_status(address, "bench")
    return answer_of(found.status, found.round_trip)


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
        ask if options.get("real") else probe,
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


async def connect(watch: LobbyWatch, id_: str, first: str) -> None:
    row = next(row for row in watch.rows() if row.id == id_)
    addresses = sorted(row.addresses, key=lambda address: address.host != first) if first else row.addresses
    begun = time.monotonic()
    address, answer = await race(addresses, ask)
    say(joined=str(address), id=answer.advert.id, took=time.monotonic() - begun)


async def ask_for(address: Address, seconds: float) -> None:
    trips = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = await ask(address)
        assert answer.round_trip is not None
        trips.append(answer.round_trip)
        await asyncio.sleep(0.02)
    say(trips=trips)


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
                if order.get("real"):
                    group.create_task(connect(holder[0], str(order["join"]), str(order.get("first", ""))))
                else:
                    group.create_task(join(holder[0], str(order["join"])))
            if "ask" in order:
                group.create_task(ask_for(Address(*order["ask"]), float(str(order["seconds"]))))  # type: ignore[misc]
            if "close" in order or "quit" in order:
                closed.set()
            if "quit" in order:
                return


asyncio.run(main())
