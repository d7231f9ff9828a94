"""Where a seat can be reached without the host, in its own words (PROTOCOL.md, The second path).

The host passes these on, but can't change them: a seat signs its addresses for one table. Whoever has them can dial a
seat that is silent at the host, and take on what it signed.
"""

from collections.abc import Sequence
from typing import Final

from goat_net.wire.identity import Signer, verify
from goat_net.wire.messages import MAX_REACH, Reach

REACH_PURPOSE: Final = b"goat reach v1"


def _data(table_key: bytes, serial: int, addresses: Sequence[str]) -> bytes:
    return table_key + serial.to_bytes(4, "big") + "\n".join(addresses).encode()


def make_reach(identity: Signer, table_key: bytes, serial: int, addresses: Sequence[str]) -> Reach:
    """This seat's addresses, at most four, signed. ``serial``: larger than that of any before at this table."""
    texts = tuple(addresses[:MAX_REACH])
    return Reach(identity.public, serial, texts, identity.sign(REACH_PURPOSE, _data(table_key, serial, texts)))


def is_good_reach(reach: Reach, table_key: bytes) -> bool:
    """Whether the seat whose key it names has signed it for this table."""
    return verify(reach.key, reach.signature, REACH_PURPOSE, _data(table_key, reach.serial, reach.addresses))
