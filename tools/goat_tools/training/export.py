"""From the net as trained to the file that is shipped: whole numbers, a byte a weight.

ReLU lets a unit's incoming weights be scaled up and its outgoing ones down, so every unit uses the full range
of its bytes and no scales need be stored.
"""

import struct

import numpy as np

from goat_engine.bots import inputs
from goat_engine.bots.net import MAGIC, parse
from goat_tools.training.train import Net

#: Largest constant of a first-layer unit: with ``MOST_ON`` bytes of 127 it stays within a lane of 16 bits.
MOST_CONSTANT = 20_000


def pack(net: Net) -> bytes:
    """The bytes of the file; ``goat_engine.bots.net`` documents and reads them."""
    w1, b1, w2, b2, w3 = (np.asarray(part, np.float64) for part in net)
    first, second = b1.size, b2.size
    scale1 = np.minimum(127 / np.maximum(np.abs(w1).max(axis=0), 1e-6), MOST_CONSTANT / np.maximum(np.abs(b1), 1e-6))
    w2 = w2 / scale1
    scale2 = 127 / np.maximum(np.abs(w2).max(axis=1), 1e-12)
    out = w3[:second] / scale2
    scale3 = 2.0**28 / max(np.abs(out).max(), 1e-12)
    head = struct.pack("<8s3H", MAGIC, inputs.INPUTS, first, second)
    return b"".join(
        (
            head,
            np.rint(w1 * scale1).astype("<i1").tobytes(),
            np.rint(b1 * scale1).astype("<i2").tobytes(),
            np.rint(w2 * scale2[:, None]).T.astype("<i1").tobytes(),
            np.rint(b2 * scale2).astype("<i4").tobytes(),
            np.rint(out * scale3).astype("<i4").tobytes(),
            struct.pack("<2q", round(float(w3[second] * scale3)), round(float(scale3))),
        )
    )


def unpack(data: bytes) -> Net:
    """A net to play with, not to go on with, from the bytes of a shipped one: its units keep the scale they have there.

    Raises goat_engine.bots.net.NetError when the bytes are something else.
    """
    parsed = parse(data)
    first, second, count = parsed.first, parsed.second, inputs.INPUTS
    place = struct.calcsize("<8s3H")
    parts = []
    for kind, shape in (
        ("<i1", (count, first)),
        ("<i2", (first,)),
        ("<i1", (first, second)),
        ("<i4", (second,)),
        ("<i4", (second,)),
    ):
        part = np.frombuffer(data, kind, int(np.prod(shape)), place).reshape(shape)
        place += part.nbytes
        parts.append(part.astype(np.float32))
    w1, b1, w2, b2, w3 = parts
    last = np.append(w3, np.float32(parsed.constant)) / np.float32(parsed.unit)
    return w1, b1, np.ascontiguousarray(w2.T), b2, last.astype(np.float32)
