"""Somebody hostile on the bench's network: sends mDNS answers made by hand.

liar.py WHAT [JSON]: one of
  table    {"instance": hex of the label, "txt": [strings], "host": …, "ip": …, "port": …, "ttl": 120}, sent 3 times
  goodbye  {"instance": text} sent once
  flood    {"seconds": 20, "rate": 2500}: unique complete tables, as fast as that
Prints {"sent": packets}.
"""

import json
import socket
import struct
import sys
import time

GROUP = ("224.0.0.251", 5353)
TYPE = [b"_goat-cards", b"_tcp", b"local"]
PTR, TXT, SRV, A = 12, 16, 33, 1
FLUSH = 0x8001
HERE = "10.77.0.3"


def name(labels: list[bytes]) -> bytes:
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def record(labels: list[bytes], kind: int, class_: int, ttl: int, data: bytes) -> bytes:
    return name(labels) + struct.pack("!HHIH", kind, class_, ttl, len(data)) + data


def packet(records: list[bytes]) -> bytes:
    return struct.pack("!6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def table(label: bytes, txt: list[bytes], host: bytes, ip: str, port: int, ttl: int) -> bytes:
    full, server = [label, *TYPE], [host, b"local"]
    return packet(
        [
            record(TYPE, PTR, 1, ttl, name(full)),
            record(full, SRV, FLUSH, ttl, struct.pack("!HHH", 0, 0, port) + name(server)),
            record(full, TXT, FLUSH, ttl, b"".join(bytes([len(t)]) + t for t in txt) or b"\0"),
            record(server, A, FLUSH, ttl, socket.inet_aton(ip)),
        ]
    )


def main(what: str, text: str = "{}") -> None:
    options = json.loads(text)
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    out.bind(("", 5353))
    out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    out.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(HERE))
    sent = 0
    if what == "table":
        data = table(
            bytes.fromhex(options["instance"]),
            [bytes.fromhex(t) for t in options["txt"]],
            options.get("host", "liar").encode(),
            options["ip"],
            options["port"],
            options.get("ttl", 120),
        )
        for _ in range(3):
            out.sendto(data, GROUP)
            sent += 1
            time.sleep(0.3)
    elif what == "goodbye":
        full = [options["instance"].encode(), *TYPE]
        out.sendto(packet([record(TYPE, PTR, 1, 0, name(full))]), GROUP)
        sent = 1
    elif what == "flood":
        begun = time.monotonic()
        while (now := time.monotonic() - begun) < options["seconds"]:
            while sent < now * options["rate"]:
                txt = [b"txtvers=1", b"pv=1", b"v=1", b"id=%032x" % sent, b"s=0/4", b"w=1", b"st=lobby", b"n=Flood"]
                label, host = b"Flood %d" % sent, b"flood-%d" % sent
                ip = f"10.{77 + sent % 3}.{sent // 250 % 250}.{sent % 250 + 1}"
                out.sendto(table(label, txt, host, ip, 4000, 4500), GROUP)
                sent += 1
            time.sleep(0.002)
    print(json.dumps({"sent": sent}), flush=True)


main(*sys.argv[1:])
