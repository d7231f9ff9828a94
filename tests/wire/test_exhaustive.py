"""Every message of two bytes, and every one of three, before the hello and after it: to host, client, direct line (a
host's end too), probe. A machine ends its connection in good order, or goes on; nothing is raised.

A machine reads a content by `MESSAGES.decode`, and where that refuses it before the hello by `spoken_version`. So each
of the 16.8 million contents of three bytes is given to these two; those of which either makes anything, and a sample
of all others, are given to every machine in every state. `python3 dev.py test -m slow tests/wire/test_exhaustive.py`
takes every one; else every eleventh of two bytes and every 97th of three is taken.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import pytest

from goat_net.discovery.looking import ask
from goat_net.wire.codec import WireError
from goat_net.wire.framing import FrameReader, frame
from goat_net.wire.hello import spoken_version
from goat_net.wire.link import Closed, Peer, Probed, Received, State
from goat_net.wire.messages import MALFORMED, MESSAGES, Joined, Pause, Ping, Ready, Sit, Start, Swap
from goat_net.wire.peer import Host, Joiner, Prober
from goat_net.wire.stream import probe
from tests.wire.kit import OWNER, TABLE, direct_line, is_let_in, odd_host, saying, serving, throw, unlimited

SHORT: tuple[Any, ...] = (Ping(), Start(), *(kind(seat) for seat in range(5) for kind in (Sit, Swap)))
SHORT += tuple(kind(on) for on in (True, False) for kind in (Ready, Pause))
GOOD_OF_THREE = {MESSAGES.encode(message) for message in SHORT}


def started(peer: Peer) -> Peer:
    peer.start(bytes(32), 0.0)
    return peer


def at_state(state: State) -> Peer:
    """A machine in this state, on its way there from the beginning."""
    host, joiner = Host(TABLE, "goat 0.2"), Joiner(OWNER, "Anna", program="goat 0.1")
    if state is State.ANSWER:
        return started(Prober("goat 0.1"))
    started(host)
    if state is State.HELLO:
        return host
    if state is State.STATUS:
        prober = started(Prober("goat 0.1"))
        assert any(isinstance(e, Probed) for e in host.receive(prober.take(), 0.0))
        return host
    started(joiner)
    if state is State.WELCOME:
        return joiner
    host.receive(joiner.take(), 0.0)
    if state is State.PROVE:
        return host
    joiner.receive(host.take(), 0.0)
    if state is State.JOINED:
        return joiner
    host.receive(joiner.take(), 0.0)
    if state is State.TABLE:
        return host
    host.accept(Joined(b"", b"", 0), 0.0)
    joiner.receive(host.take(), 0.0)
    return host if state is State.OPEN else joiner


STATES: dict[str, Callable[[], Peer]] = {
    **{f"host {s.value}": lambda s=s: at_state(s) for s in (State.HELLO, State.STATUS, State.PROVE, State.TABLE)},  # type: ignore[misc]
    **{f"client {s.value}": lambda s=s: at_state(s) for s in (State.WELCOME, State.JOINED)},  # type: ignore[misc]
    "host open": lambda: at_state(State.OPEN),
    "client open": lambda: at_state(State.CLOSED),
    "prober": lambda: at_state(State.ANSWER),
}


def again(peer: Peer) -> Peer:
    """The same machine once more: made in this state a hundred thousand times it would take minutes."""
    new = object.__new__(type(peer))
    new.__dict__.update(peer.__dict__)
    new._reader, new._out = FrameReader(), bytearray()
    return new


def give(peer: Peer, content: bytes) -> None:
    """Hand a machine a content: it ends in good order, or it is open and takes a good message."""
    events = peer.receive(frame(content), 1.0)
    if peer.closed:
        (end,) = (e for e in events if isinstance(e, Closed))
        assert end.reason == MALFORMED or content in GOOD_OF_THREE, content.hex()
        assert 0 < len(end.text) <= 300
    else:
        assert content in GOOD_OF_THREE, content.hex()
        assert all(isinstance(event, Received) for event in events)


def contents(size: int) -> Iterator[bytes]:
    """All contents of so many bytes."""
    return (bytes(b) for b in product(range(256), repeat=size))


SOME_OR_ALL = pytest.mark.parametrize("which", ["some", pytest.param("all", marks=pytest.mark.slow)])


@pytest.mark.sample(2, "each gives some thousand contents to a machine")
@SOME_OR_ALL
@pytest.mark.parametrize("state", STATES)
def test_every_message_of_one_or_two_bytes_to_every_machine(state: str, which: str, seed: int) -> None:
    """C1's kind: 65,792 contents; every eleventh of two bytes where not all are taken."""
    peer = STATES[state]()
    every = [*contents(1), *contents(2)]
    for content in every if which == "all" else (*contents(1), *every[256 + seed % 11 :: 11]):
        give(again(peer), content)


def interesting(some: Iterable[bytes]) -> Iterator[bytes]:
    """Of these contents those that are a message, or name a version; of all others nothing may come but WireError."""
    for content in some:
        try:
            MESSAGES.decode(content)
        except WireError:
            if spoken_version(content) is None:
                continue
        yield content


def each_97th(seed: int) -> Iterator[bytes]:
    return (n.to_bytes(3, "big") for n in range(seed % 97, 2**24, 97))


@SOME_OR_ALL
def test_every_message_of_three_bytes_to_every_machine(which: str, seed: int) -> None:
    """C1's kind: 16,777,216 contents."""
    found = set(interesting(contents(3) if which == "all" else each_97th(seed)))
    assert found <= GOOD_OF_THREE
    if which == "all":
        assert found == {c for c in GOOD_OF_THREE if len(c) == 3}
    rng = random.Random(seed)
    sample = {rng.randrange(2**24).to_bytes(3, "big") for _ in range(1_000)}
    arrays = {bytes((0x90 + n, *rng.randbytes(2))) for n in range(4) for _ in range(100)}
    for make in STATES.values():
        peer = make()
        for content in found | sample | arrays | GOOD_OF_THREE:
            give(again(peer), content)


# Over sockets -----------------------------------------------------------------------------------------------------


def sample(seed: int, count: int = 24) -> list[bytes]:
    """Contents of two and three bytes, half of them arrays."""
    rng = random.Random(seed)
    some = [rng.randbytes(2 + n % 2) for n in range(count // 2)]
    return [*some, *(bytes((0x91 + n % 2,)) + rng.randbytes(1 + n % 2) for n in range(count // 2)), b"\x91\x90"]


def refused(end: object) -> bool:
    return end is None or getattr(end, "reason", 0) == MALFORMED


async def test_messages_of_two_and_three_bytes_over_sockets_end_no_table(seed: int) -> None:
    async with serving() as server:
        unlimited(server)
        for content in sample(seed):
            assert refused((await throw(server.port, frame(content))).end), content.hex()
        assert await is_let_in(server.port)


async def test_messages_of_two_and_three_bytes_over_sockets_end_no_direct_line(seed: int) -> None:
    async with direct_line() as known:
        for content in sample(seed):
            assert refused((await throw(known.port, frame(content))).end), content.hex()
        known.chair.direct.knows = lambda key: True  # type: ignore[method-assign]
        assert await is_let_in(known.port)


async def test_messages_of_two_and_three_bytes_over_sockets_end_no_probe_and_no_lobby(seed: int) -> None:
    for content in sample(seed):
        async with odd_host(saying(frame(content))) as address:
            assert await probe(address, "goat 0.1") is None
            with pytest.raises(OSError, match=r"."):
                await ask(address)
