"""A table for the bench: announced by goat_net.discovery.mdns, answering probes on TCP with a JSON line.

table.py OPTIONS-AS-JSON: name, id, port, interfaces, listen (hosts), goodbye (true), late (seconds until it listens).
Prints {"ready": …, "port": …} when it listens, {"announced": …} once; ends on SIGTERM, SIGHUP, SIGINT or EOF.
On stdin: {"seats": 2} changes what is announced, {"quit": true} ends it.
"""

import asyncio
import dataclasses
import json
import os
import signal
import sys
import time

from goat_net.discovery.advert import TableAdvert
from goat_net.discovery.mdns import advertising


def say(**fields: object) -> None:
    print(json.dumps({"t": time.monotonic(), **fields}), flush=True)


async def main(options: dict[str, object]) -> None:
    advert = TableAdvert(
        protocol=int(str(options.get("protocol", 1))),
        program="0.1.0",
        id=str(options.get("id") or os.urandom(16).hex()),
        name=str(options.get("name", "Table")),
    )
    current = [advert]
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        loop.add_signal_handler(number, over.set)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(json.dumps(dataclasses.asdict(current[0])).encode() + b"\n")
            await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    hosts = options.get("listen") or ["0.0.0.0", "::"]
    server = await asyncio.start_server(answer, hosts, int(str(options.get("port", 0))))  # type: ignore[arg-type]
    port = server.sockets[0].getsockname()[1]
    if len(server.sockets) > 1 and server.sockets[1].getsockname()[1] != port:
        server.close()
        server = await asyncio.start_server(answer, hosts, port)  # type: ignore[arg-type]
    say(ready=True, port=port, id=advert.id, pid=os.getpid())

    def order() -> None:
        line = sys.stdin.readline()
        told = json.loads(line) if line else {"quit": True}
        if told.get("quit"):
            over.set()
            loop.remove_reader(sys.stdin)
        if "seats" in told:
            current[0] = dataclasses.replace(advert, seats_taken=told["seats"])
            advertiser.update(current[0])

    async with advertising(advert, port, options.get("interfaces")) as advertiser:  # type: ignore[arg-type]
        advertiser.on_problem = lambda: say(problem=advertiser.problem)
        loop.add_reader(sys.stdin, order)
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(advertiser.announced.wait())
            waiting.add_done_callback(lambda task: task.cancelled() or say(announced=advertiser.instance))
            await over.wait()
            waiting.cancel()
        server.close()
    say(ended=True)


asyncio.run(main(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}))
