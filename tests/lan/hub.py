"""The wire of the test bench: Ethernet hubs in user space, one per segment, between network namespaces.

Each port is a TAP device that is moved into a namespace. Frames that come in at one port go out at every other
port of its segment, with the faults of both ports on the way: delay, jitter (seconds), loss, dup (chances) and
cut. All chance comes from one seeded generator. Needs root and /dev/net/tun; no netem, which many kernels lack.

Run in a namespace of its own, with ports on the command line and commands as JSON lines on stdin:

    hub.py SEED NAMESPACE,IFNAME,SEGMENT[,ADDRESS/PREFIX] …
    {"ports": ["a", …] or null for all, "loss": 0.3}    → {"ok": true}
    {"counts": true}                                    → {"forwarded": …, "dropped": …}

A port is named NAMESPACE/IFNAME. It ends when stdin does, so it never outlives the test that started it.
"""

import fcntl
import heapq
import json
import os
import random
import selectors
import struct
import subprocess
import sys
import time
from dataclasses import dataclass, field

SET_INTERFACE = 0x400454CA  # TUNSETIFF
TAP_WITHOUT_INFO = 0x1002  # IFF_TAP | IFF_NO_PI
FRAME = 65536


@dataclass
class Port:
    """One TAP device and the faults of the cable to it."""

    name: str
    segment: str
    fd: int
    delay: float = 0.0
    jitter: float = 0.0
    loss: float = 0.0
    dup: float = 0.0
    cut: bool = False


@dataclass
class Hub:
    """All segments: frames on their way, in the order in which they are due."""

    chance: random.Random
    ports: list[Port] = field(default_factory=list)
    flying: list[tuple[float, int, Port, bytes]] = field(default_factory=list)
    serial: int = 0
    forwarded: int = 0
    dropped: int = 0

    def take(self, source: Port, frame: bytes, now: float) -> None:
        """A frame came in at a port: put it on its way to every other port of the segment."""
        for target in self.ports:
            if target is source or target.segment != source.segment:
                continue
            for _ in range(2 if self.happens(source.dup) or self.happens(target.dup) else 1):
                if source.cut or target.cut or self.happens(source.loss) or self.happens(target.loss):
                    self.dropped += 1
                    continue
                spread = source.jitter + target.jitter
                wait = source.delay + target.delay + self.chance.uniform(-spread, spread)
                self.serial += 1
                heapq.heappush(self.flying, (now + max(0.0, wait), self.serial, target, frame))

    def happens(self, probability: float) -> bool:
        return probability > 0 and self.chance.random() < probability

    def deliver(self, now: float) -> None:
        """Write the frames that are due."""
        while self.flying and self.flying[0][0] <= now:
            _, _, target, frame = heapq.heappop(self.flying)
            try:
                os.write(target.fd, frame)
                self.forwarded += 1
            except OSError:  # the interface is down, or its queue is full: a frame is lost, as on a real wire
                self.dropped += 1

    def command(self, line: str) -> dict[str, object]:
        """Carry out one command."""
        order = json.loads(line)
        if order.pop("counts", False):
            return {"forwarded": self.forwarded, "dropped": self.dropped}
        names = order.pop("ports")
        for port in self.ports:
            if names is None or port.name in names or port.name.partition("/")[0] in names:
                for key, value in order.items():
                    if key not in ("delay", "jitter", "loss", "dup", "cut"):
                        raise ValueError(f"no such fault: {key}")
                    setattr(port, key, value)
        return {"ok": True}


def open_port(index: int, words: str) -> Port:
    """Make a TAP device and move it into its namespace, up and with its address if it has one."""
    namespace, ifname, segment, *address = words.split(",")
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    here = f"port{index}"
    fcntl.ioctl(fd, SET_INTERFACE, struct.pack("16sH22x", here.encode(), TAP_WITHOUT_INFO))
    ip("link", "set", here, "netns", namespace, "name", ifname)
    for one in address:
        ip("-n", namespace, "addr", "add", one, "dev", ifname)
    ip("-n", namespace, "link", "set", ifname, "up")
    return Port(f"{namespace}/{ifname}", segment, fd)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def main(seed: str, *ports: str) -> None:
    hub = Hub(random.Random(int(seed)))
    selector = selectors.DefaultSelector()
    for index, words in enumerate(ports):
        port = open_port(index, words)
        hub.ports.append(port)
        selector.register(port.fd, selectors.EVENT_READ, port)
    selector.register(sys.stdin, selectors.EVENT_READ, None)
    print(json.dumps({"ready": True}), flush=True)
    while True:
        wait = max(0.0, hub.flying[0][0] - time.monotonic()) if hub.flying else None
        for key, _ in selector.select(wait):
            if key.data is None:
                line = sys.stdin.readline()
                if not line:
                    return
                print(json.dumps(hub.command(line)), flush=True)
                continue
            for _ in range(256):  # then the others get their turn
                try:
                    frame = os.read(key.data.fd, FRAME)
                except BlockingIOError:
                    break
                hub.take(key.data, frame, time.monotonic())
        hub.deliver(time.monotonic())


if __name__ == "__main__":
    main(*sys.argv[1:])
