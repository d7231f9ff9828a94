"""Both ends of a link as state machines that hypothesis drives: any order of bytes in any pieces, words, time, garbage,
cuts and goodbyes (PROTOCOL.md, Hello, Heartbeat, The end)."""

import itertools
from typing import Any

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from goat_net.wire.framing import HEADER, MAX_CONTENT
from goat_net.wire.hello import TableFacts, code_key
from goat_net.wire.link import LOST, Back, Closed, Event, Greeted, Opened, Peer, Probed, Proven, Received, Silent, State
from goat_net.wire.messages import FLOOD, LEFT, MALFORMED, TOO_SLOW, Joined, Read, Ready, Said, Say, Sit
from goat_net.wire.notices import NOTHING
from goat_net.wire.peer import Host, Joiner, Prober
from tests.wire.kit import OWNER, TABLE

UP = st.sampled_from([Say("hi"), Ready(True), Sit(2), Read(bytes(32), 7)])
DOWN = st.sampled_from([Said(4, "Zoe", bytes(32), "hi"), Read(bytes(32), 3)])
CODE = "banan delon fares tovis"
KEY = code_key(CODE, TABLE.public)
AFTER_A_FAULT = (MALFORMED, FLOOD, TOO_SLOW, LOST, LEFT)


class Side:
    """One end: its machine, what is on its way to it, and all that it was told."""

    def __init__(self, peer: Peer) -> None:
        self.peer, self.coming, self.heard = peer, bytearray(), list[Event]()
        self.said: list[Any] = []
        self.spoilt = False  # garbage is on its way to it, or has come

    def ends(self) -> list[Closed]:
        return [event for event in self.heard if isinstance(event, Closed)]

    def words(self) -> list[Any]:
        return [event.message for event in self.heard if isinstance(event, Received)]


class Link(RuleBasedStateMachine):
    """A table's end and a joiner's, or a prober's, and the bytes between them."""

    @initialize(code=st.booleans(), typed=st.sampled_from(["right", "wrong", "none"]), probes=st.booleans())
    def begin(self, code: bool, typed: str, probes: bool) -> None:
        self.now, self.accepted = 0.0, False
        key = KEY if code else None
        host = Host(TABLE, "goat 0.2", code_key=key)
        word = {"right": CODE, "wrong": "another one", "none": None}[typed]
        joiner: Peer = Prober("goat 0.1") if probes else Joiner(OWNER, "Anna", program="goat 0.1", code=word)
        self.fits = probes or (word == CODE if code else word is None)
        self.probes = probes
        self.host, self.guest = Side(host), Side(joiner)
        for side in (self.host, self.guest):
            side.peer.start(bytes(32), 0.0)
        self.carry()

    def carry(self) -> None:
        """Take what both want sent."""
        self.guest.coming += self.host.peer.take()
        self.host.coming += self.guest.peer.take()

    def told(self, side: Side, events: list[Event]) -> None:
        for event in events:
            assert not side.ends(), "something came after the end"
            side.heard.append(event)
            if isinstance(event, Probed) and not side.peer.closed:  # its goodbye may have come in the same breath
                assert isinstance(side.peer, Host)
                side.peer.answer(TableFacts("Kitchen", 1, True, False, 0), self.now)
                side.heard.append(side.peer.end or Closed(LOST, ""))
        self.carry()

    @rule(up=st.booleans(), size=st.integers(1, 200))
    def some_bytes_come(self, up: bool, size: int) -> None:
        side = self.host if up else self.guest
        data = bytes(side.coming[:size])
        del side.coming[:size]
        self.told(side, side.peer.receive(data, self.now))

    @rule(up=st.booleans())
    def all_bytes_come(self, up: bool) -> None:
        side = self.host if up else self.guest
        data = bytes(side.coming)
        side.coming.clear()
        self.told(side, side.peer.receive(data, self.now))

    @rule(seconds=st.sampled_from([0.0, 0.1, 1.0, 2.0, 4.0, 20.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        for side in (self.host, self.guest):
            self.told(side, side.peer.tick(self.now))

    @precondition(lambda self: self.host.peer.state is State.TABLE)
    @rule()
    def the_table_lets_in(self) -> None:
        assert any(isinstance(event, Proven) for event in self.host.heard)
        assert isinstance(self.host.peer, Host)
        self.host.peer.accept(Joined(b"", b"", 0), self.now)
        self.accepted = True
        self.carry()

    @precondition(lambda self: self.guest.peer.is_open)
    @rule(message=UP)
    def the_guest_says(self, message: Any) -> None:
        self.guest.peer.send(message, self.now)
        self.guest.said.append(message)
        self.carry()

    @precondition(lambda self: self.host.peer.is_open)
    @rule(message=DOWN)
    def the_table_says(self, message: Any) -> None:
        self.host.peer.send(message, self.now)
        self.host.said.append(message)
        self.carry()

    @rule(up=st.booleans(), data=st.binary(min_size=1, max_size=40))
    def garbage_comes_between(self, up: bool, data: bytes) -> None:
        side = self.host if up else self.guest
        side.spoilt = True
        side.coming += data

    @rule(up=st.booleans())
    def one_closes(self, up: bool) -> None:
        side = self.guest if up else self.host
        self.told(side, side.peer.close(LEFT, NOTHING, self.now))

    @rule(up=st.booleans())
    def the_line_is_cut(self, up: bool) -> None:
        side = self.guest if up else self.host
        self.told(side, side.peer.lost())
        assert side.peer.take() == b""

    @invariant()
    def each_end_comes_once_and_says_how(self) -> None:
        if not hasattr(self, "host"):
            return
        for side in (self.host, self.guest):
            ends = side.ends()
            assert len(ends) == side.peer.closed
            assert (side.peer.deadline is None) is side.peer.closed
            if ends:
                assert side.peer.end == ends[0] == side.heard[-1]
                assert len(ends[0].text) <= 300
            assert side.peer._reader.waiting < HEADER + MAX_CONTENT
            kinds = [type(event) for event in side.heard if isinstance(event, Silent | Back)]
            assert all(a is not b for a, b in itertools.pairwise(kinds))
            assert kinds[:1] != [Back]

    @invariant()
    def what_is_heard_was_said_in_this_order(self) -> None:
        if not hasattr(self, "host"):
            return
        for hears, speaks in ((self.host, self.guest), (self.guest, self.host)):
            if not hears.spoilt:
                assert hears.words() == speaks.said[: len(hears.words())]

    @invariant()
    def nobody_is_in_who_has_not_proven_and_nobody_opens_to_what_is_no_table(self) -> None:
        if not hasattr(self, "host"):
            return
        proven = any(isinstance(event, Proven) for event in self.host.heard)
        assert self.host.peer.is_open <= (proven and self.accepted)
        if any(isinstance(event, Greeted | Proven) for event in self.host.heard):
            assert not self.probes or self.host.spoilt
        if proven or any(isinstance(event, Opened) for event in self.guest.heard):
            assert self.fits
        if self.guest.peer.end and self.host.spoilt is self.guest.spoilt is False and not self.guest.peer.end.by_peer:
            assert self.guest.peer.end.reason in (*AFTER_A_FAULT, 4)


TestLink = Link.TestCase
TestLink.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
