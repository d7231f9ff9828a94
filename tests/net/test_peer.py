"""Conversations of the two ends, back to back, without sockets or clock (PROTOCOL.md, Hello, Heartbeat)."""

import random
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pytest

from goat_net.wire import hello as proofs
from goat_net.wire.codec import pack
from goat_net.wire.framing import FrameReader, frame
from goat_net.wire.hello import TableFacts, code_key
from goat_net.wire.identity import Identity, small_order_keys
from goat_net.wire.link import (
    DEAD_AFTER,
    FRAMES_BURST,
    FRAMES_PER_SECOND,
    HELLO_WITHIN,
    JOIN_WITHIN,
    LOST,
    PING_AFTER,
    SILENT_AFTER,
    TRANSITIONS,
    WELCOME_WITHIN,
    Back,
    Closed,
    Event,
    GotStatus,
    Greeted,
    Handlers,
    MisuseError,
    Opened,
    Peer,
    Probed,
    Proven,
    Received,
    Silent,
    State,
)
from goat_net.wire.messages import (
    BAD_KEY,
    BAD_SIGNATURE,
    FLOOD,
    HOST_LEFT,
    KICKED,
    LEFT,
    MALFORMED,
    MESSAGES,
    NAME_TAKEN,
    PROTOCOL,
    ROLE_BOT,
    ROLE_PLAYER,
    ROLE_WATCHER,
    TOO_MANY,
    TOO_SLOW,
    WRONG_CODE,
    WRONG_VERSION,
    Bye,
    Hello,
    House,
    Joined,
    Ping,
    Probe,
    Prove,
    Refused,
    Say,
    Sit,
    Status,
    Welcome,
)
from goat_net.wire.notices import NOTHING, Notice, Saying, notice
from goat_net.wire.peer import Host, Joiner, Prober

TABLE, ANNA, BORIS, MALLORY = (Identity.from_seed(bytes([n]) * 32) for n in (9, 1, 2, 66))
CERTIFICATE, OTHER_CERTIFICATE = b"\x11" * 32, b"\x22" * 32
CODE = "banan delon fares tovis"
CODE_KEY = code_key(CODE, TABLE.public)
IN_LOBBY = Joined(b"", b"", 0)
FACTS = TableFacts("Kitchen", 2, True, False, 1, b"\x06" * 32)


def messages_in(data: bytes) -> list[Any]:
    return [MESSAGES.decode(content) for content in FrameReader().feed(data)]


def bytes_of(*messages: Any) -> bytes:
    return b"".join(frame(MESSAGES.encode(message)) for message in messages)


def kind_of(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def joiner(**more: Any) -> Joiner:
    return Joiner(ANNA, "Anna", more.pop("role", ROLE_PLAYER), program="goat 0.1", **more)


def host(**more: Any) -> Host:
    return Host(TABLE, "goat 0.2", **more)


@dataclass
class Talk:
    """Two ends and all that was said; ``host`` lets in whoever has proven who they are, unless ``refuse`` is set."""

    joiner: Peer = field(default_factory=joiner)
    host: Host = field(default_factory=host)
    refuse: tuple[int, str] | None = None
    host_certificate: bytes = CERTIFICATE
    joined: Joined = IN_LOBBY
    now: float = 100.0
    to_host: list[Any] = field(default_factory=list)
    to_joiner: list[Any] = field(default_factory=list)
    host_events: list[Event] = field(default_factory=list)
    joiner_events: list[Event] = field(default_factory=list)

    def run(self, piece: int = 1 << 20) -> "Talk":
        """Talk until nobody has more to say, ``piece`` bytes at a time."""
        if self.host.state is State.NEW:
            self.host.start(self.host_certificate, self.now)
            self.joiner.start(CERTIFICATE, self.now)
        for _ in range(20):
            up, down = self.joiner.take(), self.host.take()
            if not up and not down:
                return self
            self.to_host += messages_in(up)
            self.to_joiner += messages_in(down)
            for at in range(0, len(up), piece):
                self.answer(self.host.receive(up[at : at + piece], self.now))
            for at in range(0, len(down), piece):
                self.joiner_events += self.joiner.receive(down[at : at + piece], self.now)
        raise AssertionError("they talk for ever")

    def answer(self, events: list[Event]) -> None:
        self.host_events += events
        for event in events:
            if isinstance(event, Probed):
                self.host.answer(FACTS, self.now)
            elif isinstance(event, Proven) and self.refuse:
                self.host_events += self.host.close(*self.refuse, self.now)
            elif isinstance(event, Proven):
                self.host.accept(self.joined, self.now)


# The join ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", [1 << 20, 1, 7])
@pytest.mark.parametrize("code", [None, CODE])
@pytest.mark.parametrize("role", [ROLE_PLAYER, ROLE_WATCHER])
def test_join(piece: int, code: str | None, role: int) -> None:
    talk = Talk(joiner(code=code and code.upper(), role=role), host(code_key=CODE_KEY if code else None)).run(piece)
    hello, prove = talk.to_host
    welcome, joined = talk.to_joiner
    assert isinstance(hello, Hello)
    assert (hello.protocol, hello.program, hello.role, hello.key, hello.name) == (
        PROTOCOL, "goat 0.1", role, ANNA.public, "Anna",
    )  # fmt: skip
    assert isinstance(welcome, Welcome)
    assert isinstance(prove, Prove)
    assert talk.host_events == [Greeted(hello), Proven(hello, b"")]
    assert talk.joiner_events == [Opened(TABLE.public, joined)]
    assert talk.joiner.is_open
    assert talk.host.is_open
    assert bool(joined.code_proof) == bool(prove.code_proof) == bool(code)
    assert joined.code_proof != prove.code_proof or not code


def test_joined_tells_the_log_that_is_on() -> None:
    talk = Talk(joined=Joined(b"", b"\x07" * 32, 99)).run()
    assert talk.joiner_events == [Opened(TABLE.public, Joined(b"", b"\x07" * 32, 99))]


def test_messages_after_the_join_go_both_ways_in_order() -> None:
    talk = Talk().run()
    for number in range(4):
        talk.joiner.send(Sit(number), talk.now)
        talk.host.send(Say(str(number)), talk.now)
    talk.run()
    assert talk.host_events[2:] == [Received(Sit(number)) for number in range(4)]
    assert talk.joiner_events[1:] == [Received(Say(str(number))) for number in range(4)]


def test_what_comes_with_joined_in_one_piece_is_heard() -> None:
    talk = Talk()
    talk.host.start(CERTIFICATE, 0)
    talk.joiner.start(CERTIFICATE, 0)
    talk.host.receive(talk.joiner.take(), 0)
    talk.joiner.receive(talk.host.take(), 0)
    talk.host.receive(talk.joiner.take(), 0)
    talk.host.accept(IN_LOBBY, 0)
    talk.host.send(Say("hi"), 0)
    assert talk.joiner.receive(talk.host.take(), 0) == [Opened(TABLE.public, IN_LOBBY), Received(Say("hi"))]


def test_bot_with_its_operators_word() -> None:
    talk = Talk(joiner(role=ROLE_BOT, level="hard", operator=BORIS)).run()
    proven = talk.host_events[1]
    assert isinstance(proven, Proven)
    assert proven.hello.operator == BORIS.public
    assert proven.hello.level == "hard"
    assert proofs.is_operator(BORIS.public, proven.operator_signature, ANNA.public, TABLE.public)


def test_bot_without_an_operator_comes_in_and_is_told_apart() -> None:
    proven = Talk(joiner(role=ROLE_BOT)).run().host_events[1]
    assert isinstance(proven, Proven)
    assert (proven.hello.operator, proven.operator_signature) == (b"", b"")


@dataclass
class FalseOperator:
    """Says that Boris runs the bot, and signs with another key, for another bot or for another table."""

    signer: Identity = MALLORY
    bot: bytes = ANNA.public
    table: bytes = TABLE.public
    public: bytes = BORIS.public

    def sign(self, purpose: bytes, data: bytes) -> bytes:
        assert data == ANNA.public + TABLE.public
        return self.signer.sign(purpose, self.bot + self.table)


@pytest.mark.parametrize(
    "operator",
    [FalseOperator(), FalseOperator(BORIS, bot=MALLORY.public), FalseOperator(BORIS, table=MALLORY.public)],
    ids=["another signer", "another bot", "another table"],
)
def test_false_operator_is_refused(operator: FalseOperator) -> None:
    talk = Talk(joiner(role=ROLE_BOT, operator=operator)).run()
    assert_refused(talk, BAD_SIGNATURE)


# Refusals ------------------------------------------------------------------------------------------------------


def assert_refused(talk: Talk, reason: int) -> None:
    """The host closed with this reason, and the joiner was told."""
    mine, theirs = talk.host_events[-1], talk.joiner_events[-1]
    assert isinstance(mine, Closed)
    assert isinstance(theirs, Closed)
    assert (mine.reason, mine.by_peer) == (reason, False)
    assert (theirs.reason, theirs.by_peer) == (reason, True)
    assert mine.text == theirs.text
    assert (theirs.protocol, theirs.program) == (PROTOCOL, "goat 0.2")
    assert talk.host.closed
    assert talk.joiner.closed
    assert talk.host.end == mine
    assert not any(isinstance(event, Opened) for event in talk.joiner_events)


def assert_left(talk: Talk, reason: int) -> None:
    """The joiner closed with this reason, and the host was told."""
    mine, theirs = talk.joiner_events[-1], talk.host_events[-1]
    assert isinstance(mine, Closed)
    assert isinstance(theirs, Closed)
    assert (mine.reason, mine.by_peer, theirs.reason, theirs.by_peer) == (reason, False, reason, True)
    assert not any(isinstance(event, Opened) for event in talk.joiner_events)


COME_AS = notice(Saying.NAME_TAKEN, "Anna", "Anna 2")


def test_the_table_refuses() -> None:
    talk = Talk(refuse=(NAME_TAKEN, COME_AS)).run()
    assert_refused(talk, NAME_TAKEN)
    assert talk.to_joiner[-1] == Refused(NAME_TAKEN, COME_AS, PROTOCOL, "goat 0.2")
    end = talk.joiner_events[-1]
    assert isinstance(end, Closed)
    assert end.text == "somebody at the table is called Anna already; come as Anna 2"


def test_wrong_code() -> None:
    talk = Talk(joiner(code="banan delon fares tovin"), host(code_key=CODE_KEY)).run()
    assert_refused(talk, WRONG_CODE)
    assert not any(isinstance(event, Proven) for event in talk.host_events)
    assert not any(isinstance(message, Joined) for message in talk.to_joiner)  # nothing of the host's own proof


def test_no_code_where_one_is_asked() -> None:
    table = host(code_key=CODE_KEY)
    talk = Talk(joiner(), table).run()
    assert_refused(talk, WRONG_CODE)
    assert not table.has_guessed  # it costs no try
    assert not any(isinstance(event, Proven) for event in talk.host_events)


def test_a_seat_of_the_match_that_is_on_needs_no_code() -> None:
    """U25: the seat's key is enough; neither end proves a code then, and a wrong one is still wrong."""
    known = joiner()
    table = Host(TABLE, "goat 0.2", code_key=CODE_KEY, nonce=bytes(32), knows=lambda key: key == known.hello.key)
    talk = Talk(known, table).run()
    assert any(isinstance(event, Proven) for event in talk.host_events)
    assert [m.code_proof for m in talk.to_joiner if isinstance(m, Joined)] == [b""]
    assert not table.proves_code
    wrong = Host(TABLE, "goat 0.2", code_key=CODE_KEY, nonce=bytes(32), knows=lambda key: True)
    assert_refused(Talk(joiner(code="banan delon fares tovin"), wrong).run(), WRONG_CODE)
    assert wrong.has_guessed


def test_a_code_that_the_table_does_not_ask_for_ends_it() -> None:
    # A table that poses as the one with a code could otherwise do without it.
    assert_left(Talk(joiner(code=CODE), host()).run(), WRONG_CODE)


def test_a_code_without_letters() -> None:
    assert_left(Talk(joiner(code=" - "), host(code_key=CODE_KEY)).run(), WRONG_CODE)


def test_a_host_that_does_not_know_the_code_is_found_out() -> None:
    class Pretender(Host):
        """Takes any proof, as one would who only wants to be believed."""

        def _on_prove(self, prove: Prove, now: float) -> list[Event]:
            assert self.hello is not None
            return [Proven(self.hello, b"")]

        _handlers: ClassVar[Handlers] = {**Host._handlers, Prove: _on_prove}

    for known in (bytes(32), code_key("other", TABLE.public), code_key(CODE, MALLORY.public)):
        assert_left(Talk(joiner(code=CODE), Pretender(TABLE, "goat 0.2", code_key=known)).run(), WRONG_CODE)


def test_the_joiners_own_proof_sent_back_is_no_proof() -> None:
    talk = Talk(joiner(code=CODE), host(code_key=CODE_KEY))
    talk.host.start(CERTIFICATE, 0)
    talk.joiner.start(CERTIFICATE, 0)
    talk.host.receive(talk.joiner.take(), 0)
    talk.joiner.receive(talk.host.take(), 0)
    (prove,) = messages_in(talk.joiner.take())
    (end,) = talk.joiner.receive(bytes_of(Joined(prove.code_proof, b"", 0)), 0)
    assert isinstance(end, Closed)
    assert end.reason == WRONG_CODE


def test_too_many_wrong_codes_bar_a_hello_but_no_probe() -> None:
    assert_refused(Talk(host=host(barred=notice(Saying.CODES_WRONG, 5))).run(), TOO_MANY)
    talk = Talk(Prober("goat 0.1"), host(barred=notice(Saying.CODES_WRONG, 5))).run()
    assert kind_of(talk.joiner_events) == ["GotStatus", "Closed"]


def test_the_table_that_was_chosen_and_no_other() -> None:
    assert Talk(joiner(table_key=TABLE.public)).run().joiner.is_open
    assert_left(Talk(joiner(table_key=BORIS.public)).run(), BAD_KEY)


def hello_of(**changes: Any) -> Hello:
    plain = Hello(PROTOCOL, "goat 0.1", ROLE_PLAYER, ANNA.public, bytes(32), "Anna", "", b"")
    return replace(plain, **changes)


def host_hears(*messages: Any, peer: Host | None = None) -> tuple[list[Event], list[Any]]:
    end = peer or host()
    end.start(CERTIFICATE, 0)
    events = end.receive(b"".join(m if isinstance(m, bytes) else bytes_of(m) for m in messages), 0)
    return events, messages_in(end.take())


@pytest.mark.parametrize("key", sorted(small_order_keys()), ids=bytes.hex)
def test_small_order_keys_of_joiner_operator_and_table(key: bytes) -> None:
    for hello in (hello_of(key=key), hello_of(role=ROLE_BOT, operator=key)):
        (end,), (said,) = host_hears(hello)
        assert isinstance(end, Closed)
        assert end.reason == said.reason == BAD_KEY
    guest = joiner()
    guest.start(CERTIFICATE, 0)
    # The signature that fits the identity key whatever the message.
    forged = Welcome(PROTOCOL, "goat 0.2", key, bytes(32), False, bytes([1]) + bytes(63))
    (end,) = guest.receive(bytes_of(forged), 0)
    assert isinstance(end, Closed)
    assert end.reason == BAD_KEY


@pytest.mark.parametrize(
    ("hello", "reason"),
    [
        (hello_of(operator=BORIS.public), MALFORMED),
        (hello_of(role=ROLE_WATCHER, operator=BORIS.public), MALFORMED),
        (hello_of(role=ROLE_BOT, operator=b"short"), BAD_KEY),
    ],
)
def test_hellos_that_cannot_be(hello: Hello, reason: int) -> None:
    (end,), (said,) = host_hears(hello)
    assert isinstance(end, Closed)
    assert end.reason == said.reason == reason


# Versions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [PROTOCOL - 1, PROTOCOL + 1])
def test_another_protocol_of_the_joiner_is_said_with_both_versions_on_both_sides(other: int) -> None:
    (end,), (said,) = host_hears(hello_of(protocol=other, program="goat 9.9"))
    assert isinstance(end, Closed)
    assert (end.reason, end.protocol, end.program) == (WRONG_VERSION, other, "goat 9.9")
    assert (said.reason, said.protocol, said.program) == (WRONG_VERSION, PROTOCOL, "goat 0.2")
    assert said.notice == notice(Saying.VERSIONS)
    assert f"protocol {other} (goat 9.9)" in end.text
    assert f"protocol {PROTOCOL} (goat 0.2)" in end.text
    assert ("the guest updates" if other < PROTOCOL else "the host updates") in end.text


@pytest.mark.parametrize("other", [PROTOCOL - 1, PROTOCOL + 1])
def test_another_protocol_of_the_table_is_said_with_both_versions_on_both_sides(other: int) -> None:
    for answer in (
        Refused(WRONG_VERSION, NOTHING, other, "goat 9.9"),
        Welcome(other, "goat 9.9", TABLE.public, bytes(32), False, bytes(64)),
    ):
        guest = joiner()
        guest.start(CERTIFICATE, 0)
        guest.take()
        (end,) = guest.receive(bytes_of(answer), 0)
        assert isinstance(end, Closed)
        assert (end.reason, end.protocol, end.program) == (WRONG_VERSION, other, "goat 9.9")
        assert f"protocol {other} (goat 9.9)" in end.text
        assert f"protocol {PROTOCOL} (goat 0.1)" in end.text
        assert ("the host updates" if other < PROTOCOL else "the guest updates") in end.text
        said = messages_in(guest.take())
        assert [m.reason for m in said] == ([] if isinstance(answer, Refused) else [WRONG_VERSION])


@pytest.mark.parametrize("other", [PROTOCOL - 1, PROTOCOL + 1, 65535])
def test_messages_of_another_protocol_that_this_one_cannot_read_still_say_it(other: int) -> None:
    later_hello = frame(pack([3, other, "goat 9.9", "all", "other", ["fields"]]))
    (end,), (said,) = host_hears(later_hello)
    assert isinstance(end, Closed)
    assert (end.reason, end.protocol, said.reason, said.protocol) == (WRONG_VERSION, other, WRONG_VERSION, PROTOCOL)
    for later in ([4, other, "goat 9.9", 1], [7, 99, "reason of tomorrow", other, "goat 9.9", 0]):
        guest = joiner()
        guest.start(CERTIFICATE, 0)
        (end,) = guest.receive(frame(pack(later)), 0)
        assert isinstance(end, Closed)
        assert (end.reason, end.protocol, end.program) == (WRONG_VERSION, other, "goat 9.9")


@pytest.mark.parametrize(
    "content",
    [
        [3], [3, 2], [3, 70000, "x"], [3, -1, "x"], [3, True, "x"], [3, 2, "\x1b[2J"], [3, 2, b"x"], [8, 2, "x"],
        [3, PROTOCOL, "x"],
    ],
)
def test_what_names_no_other_version_is_malformed(content: list[Any]) -> None:
    (end,), (said,) = host_hears(frame(pack(content)))
    assert isinstance(end, Closed)
    assert end.reason == said.reason == MALFORMED


# Somebody between ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [None, CODE])
def test_another_certificate_at_the_other_end_is_noticed_by_the_joiner(code: str | None) -> None:
    # Mallory takes the joiner's TLS, opens her own to the table, and passes everything on.
    talk = Talk(joiner(code=code), host(code_key=CODE_KEY if code else None), host_certificate=OTHER_CERTIFICATE).run()
    assert_left(talk, BAD_SIGNATURE)
    assert not any(isinstance(message, Prove) for message in talk.to_host)


def test_and_by_the_host_if_the_joiner_would_not_look() -> None:
    class Careless(Joiner):
        """Signs whatever welcome comes."""

        def _on_welcome(self, welcome: Welcome, now: float) -> list[Event]:
            bound = proofs.binding(self.certificate_hash, self.hello, welcome)
            self._put(Prove(ANNA.sign(proofs.PROVE_PURPOSE, bound), b"", b""), now)
            return []

        _handlers: ClassVar[Handlers] = {**Joiner._handlers, Welcome: _on_welcome}

    careless = Careless(ANNA, "Anna", program="goat 0.1")
    assert_refused(Talk(careless, host_certificate=OTHER_CERTIFICATE).run(), BAD_SIGNATURE)


def tampering(message: Any, **changes: Any) -> bytes:
    return bytes_of(replace(message, **changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"program": "goat 0.9"}, {"role": ROLE_WATCHER}, {"key": MALLORY.public}, {"nonce": bytes(32)},
        {"name": "Anne"}, {"level": "easy"}, {"role": ROLE_BOT, "operator": BORIS.public},
    ],
    ids=lambda changes: "+".join(changes),
)  # fmt: skip
def test_no_word_of_the_hello_can_be_changed_on_the_way(changes: dict[str, Any]) -> None:
    talk = Talk()
    talk.host.start(CERTIFICATE, 0)
    talk.joiner.start(CERTIFICATE, 0)
    (hello,) = messages_in(talk.joiner.take())
    assert kind_of(talk.host.receive(tampering(hello, **changes), 0)) == ["Greeted"]
    (end,) = talk.joiner.receive(talk.host.take(), 0)
    assert isinstance(end, Closed)
    assert end.reason == BAD_SIGNATURE


@pytest.mark.parametrize(
    "changes",
    [{"program": "goat 0.9"}, {"table_key": MALLORY.public}, {"nonce": bytes(32)}, {"signature": bytes(64)}],
    ids=lambda changes: "+".join(changes),
)
def test_no_word_of_the_welcome_can_be_changed_on_the_way(changes: dict[str, Any]) -> None:
    talk = Talk()
    talk.host.start(CERTIFICATE, 0)
    talk.joiner.start(CERTIFICATE, 0)
    talk.host.receive(talk.joiner.take(), 0)
    (welcome,) = messages_in(talk.host.take())
    (end,) = talk.joiner.receive(tampering(welcome, **changes), 0)
    assert isinstance(end, Closed)
    assert end.reason == BAD_SIGNATURE


def test_the_demand_for_a_code_cannot_be_taken_away() -> None:
    talk = Talk(joiner(code=CODE), host(code_key=CODE_KEY))
    talk.host.start(CERTIFICATE, 0)
    talk.joiner.start(CERTIFICATE, 0)
    talk.host.receive(talk.joiner.take(), 0)
    (welcome,) = messages_in(talk.host.take())
    (end,) = talk.joiner.receive(tampering(welcome, code=False), 0)
    assert isinstance(end, Closed)
    assert end.reason == BAD_SIGNATURE


@pytest.mark.parametrize("code", [None, CODE])
def test_a_recorded_join_is_good_once_only(code: str | None) -> None:
    key = CODE_KEY if code else None
    first = Talk(joiner(code=code), host(code_key=key, nonce=b"\x01" * 32)).run()
    assert first.host.is_open
    again = bytes_of(*first.to_host)
    # The same host nonce would let it in, which shows that the nonce is what keeps it out.
    assert kind_of(host_hears(again, peer=host(code_key=key, nonce=b"\x01" * 32))[0]) == ["Greeted", "Proven"]
    events, _ = host_hears(again, peer=host(code_key=key))
    assert isinstance(events[-1], Closed)
    assert events[-1].reason == BAD_SIGNATURE


def test_a_recorded_welcome_is_good_once_only() -> None:
    first = Talk().run()
    guest = joiner()
    guest.start(CERTIFICATE, 0)
    (end,) = guest.receive(bytes_of(*first.to_joiner), 0)
    assert isinstance(end, Closed)
    assert end.reason == BAD_SIGNATURE


def test_nonces_are_fresh() -> None:
    assert len({joiner().hello.nonce for _ in range(20)}) == 20
    welcomes = [Talk().run().to_joiner[0].nonce for _ in range(5)]
    assert len(set(welcomes)) == 5


# Probe -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", [1 << 20, 1])
def test_probe(piece: int) -> None:
    talk = Talk(Prober("goat 0.1")).run(piece)
    assert kind_of(talk.host_events) == ["Probed"]
    (got, end) = talk.joiner_events
    assert isinstance(got, GotStatus)
    assert isinstance(end, Closed)
    status = got.status
    assert (status.protocol, status.program, status.table_key) == (PROTOCOL, "goat 0.2", TABLE.public)
    told = (status.name, status.taken, status.watch, status.code, status.state, status.match, status.house)
    assert TableFacts(*told) == FACTS
    assert talk.host.closed
    assert talk.joiner.closed


def status_for(nonce: bytes, **changes: Any) -> Status:
    return replace(proofs.signed_status(TABLE, "goat 0.2", FACTS, nonce), **changes)


@pytest.mark.parametrize(
    "status",
    [
        status_for(b"\x05" * 16), status_for(bytes(16), table_key=MALLORY.public), status_for(bytes(16), taken=0),
        status_for(bytes(16), name="Kitchen 2"), status_for(bytes(16), code=True), status_for(bytes(16), watch=False),
        status_for(bytes(16), state=0), status_for(bytes(16), match=b""),
        status_for(bytes(16), protocol=PROTOCOL + 1), status_for(bytes(16), program="goat 9"),
        status_for(bytes(16), table_key=bytes([1]) + bytes(31), signature=bytes([1]) + bytes(63)),
    ],
)  # fmt: skip
def test_a_status_that_the_table_did_not_sign_for_this_probe(status: Status) -> None:
    prober = Prober("goat 0.1", nonce=bytes(16))
    prober.start(CERTIFICATE, 0)
    (end,) = prober.receive(bytes_of(status), 0)
    assert isinstance(end, Closed)
    assert end.reason == BAD_SIGNATURE


def test_a_status_of_another_protocol_is_shown_or_at_least_named() -> None:
    plain = Status(7, "goat 9", TABLE.public, "Kitchen", 0, True, False, 0, b"", House(), bytes(64))
    signed = replace(plain, signature=TABLE.sign(proofs.STATUS_PURPOSE, bytes(16) + MESSAGES.encode(plain)))
    prober = Prober("goat 0.1", nonce=bytes(16))
    prober.start(CERTIFICATE, 0)
    assert prober.receive(bytes_of(signed), 0)[0] == GotStatus(signed)
    prober = Prober("goat 0.1", nonce=bytes(16))
    prober.start(CERTIFICATE, 0)
    (end,) = prober.receive(frame(pack([2, 7, "goat 9", "other", "fields"])), 0)
    assert isinstance(end, Closed)
    assert (end.reason, end.protocol, end.program) == (WRONG_VERSION, 7, "goat 9")


# The table of transitions ----------------------------------------------------------------------------------------


SAMPLES: dict[type[Any], Any] = {
    Probe: Probe(bytes(16)), Hello: hello_of(), Prove: Prove(bytes(64), b"", b""), Joined: IN_LOBBY,
    Status: status_for(bytes(16)), Welcome: Welcome(PROTOCOL, "x", TABLE.public, bytes(32), False, bytes(64)),
    Refused: Refused(KICKED, NOTHING, PROTOCOL, "x"), Bye: Bye(LEFT), Ping: Ping(), Say: Say("hi"), Sit: Sit(0),
}  # fmt: skip


def in_state(state: State) -> Peer:
    """An end that waits in this state."""
    talk = Talk()
    talk.host.start(CERTIFICATE, 0)
    if state in (State.WELCOME, State.JOINED, State.OPEN, State.TABLE, State.PROVE):
        talk.joiner.start(CERTIFICATE, 0)
    if state in (State.JOINED, State.OPEN, State.TABLE, State.PROVE):
        talk.host.receive(talk.joiner.take(), 0)
        talk.joiner.receive(talk.host.take(), 0)
    if state in (State.OPEN, State.TABLE):
        talk.host.receive(talk.joiner.take(), 0)
    if state is State.OPEN:
        talk.host.accept(IN_LOBBY, 0)
    if state is State.STATUS:
        talk.host.receive(bytes_of(Probe(bytes(16))), 0)
    prober = Prober("goat 0.1")
    if state is State.ANSWER:
        prober.start(CERTIFICATE, 0)
    for peer in (talk.host, talk.joiner, prober):
        if peer.state is state:
            peer.take()
            return peer
    raise AssertionError(f"no way to {state}")


@pytest.mark.parametrize("state", [s for s in State if s not in (State.NEW, State.CLOSED)], ids=lambda s: s.value)
def test_what_is_not_in_the_table_ends_the_connection(state: State) -> None:
    for kind, sample in SAMPLES.items():
        peer = in_state(state)
        events = peer.receive(bytes_of(sample), 1)
        if kind not in TRANSITIONS[state]:
            assert [e.reason for e in events if isinstance(e, Closed)] == [MALFORMED], kind
            assert peer.closed
        elif kind in (Bye, Refused):
            assert [e.by_peer for e in events if isinstance(e, Closed)] == [True]
        else:
            assert MALFORMED not in [e.reason for e in events if isinstance(e, Closed)], kind


def test_the_table_names_every_state_and_kind() -> None:
    assert set(TRANSITIONS) == set(State)
    kinds = {struct.cls for _, struct in MESSAGES}
    assert {kind for row in TRANSITIONS.values() for kind in row} == kinds


GARBAGE = {"no frame": b"GET / HTTP/1.1\r\n", "no message": frame(b"\xc1"), "too long": b"\xc5\xff\xff"}


@pytest.mark.parametrize("state", [s for s in State if s not in (State.NEW, State.CLOSED)], ids=lambda s: s.value)
@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_garbage_ends_the_connection_with_a_reason_and_what_follows_is_ignored(state: State, garbage: bytes) -> None:
    peer = in_state(state)
    (end,) = peer.receive(garbage, 1)
    assert isinstance(end, Closed)
    assert end.reason == MALFORMED
    (said,) = messages_in(peer.take())
    assert said.reason == MALFORMED
    assert isinstance(said, Bye if isinstance(peer, Joiner | Prober) else Refused)
    assert peer.receive(bytes_of(Ping()), 2) == []
    assert peer.tick(1e9) == []
    assert peer.lost() == []
    assert peer.close(LEFT, NOTHING, 2) == []
    assert peer.take() == b""
    assert peer.deadline is None


def test_good_messages_before_garbage_count() -> None:
    peer = in_state(State.OPEN)
    events = peer.receive(bytes_of(Say("one"), Say("two")) + b"\x00" + bytes_of(Say("three")), 1)
    assert events[:2] == [Received(Say("one")), Received(Say("two"))]
    assert kind_of(events[2:]) == ["Closed"]


def test_any_bytes_in_any_state_raise_nothing(seed: int) -> None:
    rng = random.Random(seed)
    for state in (s for s in State if s not in (State.NEW, State.CLOSED)):
        for _ in range(30):
            peer = in_state(state)
            data = bytearray(bytes_of(*rng.choices(list(SAMPLES.values()), k=3)))
            for _ in range(rng.randrange(4)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            peer.receive(bytes(data), 1)
            peer.take()


# Our own mistakes ------------------------------------------------------------------------------------------------


def test_our_own_mistakes_are_misuse_and_say_nothing_to_the_peer() -> None:
    guest = joiner()
    with pytest.raises(MisuseError, match="32 bytes"):
        guest.start(b"", 0)
    with pytest.raises(MisuseError, match="cannot be sent"):
        guest.send(Say("hi"), 0)
    guest.start(CERTIFICATE, 0)
    with pytest.raises(MisuseError, match="once"):
        guest.start(CERTIFICATE, 0)
    peer = in_state(State.OPEN)
    for wrong in (Sit(9), Say(""), Joined(b"", b"", 0), Bye(LEFT), Refused(KICKED, NOTHING, 1, "x"), Probe(bytes(16))):
        with pytest.raises(MisuseError):
            peer.send(wrong, 0)
    assert peer.take() == b""
    with pytest.raises(MisuseError, match="let in"):
        host().accept(IN_LOBBY, 0)
    with pytest.raises(MisuseError, match="status"):
        host().answer(FACTS, 0)
    with pytest.raises(MisuseError, match="operator"):
        joiner(operator=BORIS)
    peer.close(LEFT, NOTHING, 0)
    with pytest.raises(MisuseError, match="closed"):
        peer.send(Ping(), 0)


# Goodbye ---------------------------------------------------------------------------------------------------------


def test_goodbye_both_ways() -> None:
    talk = Talk().run()
    assert kind_of(talk.joiner.close(LEFT, NOTHING, talk.now)) == ["Closed"]
    talk.run()
    assert talk.to_host[-1] == Bye(LEFT)
    assert talk.host_events[-1] == Closed(LEFT, "the other side has left", True, PROTOCOL, "goat 0.1")
    talk = Talk().run()
    talk.host.close(HOST_LEFT, notice(Saying.HOST_LEFT), talk.now)
    talk.run()
    assert talk.to_joiner[-1] == Bye(HOST_LEFT, notice(Saying.HOST_LEFT))
    talk = Talk().run()
    talk.host.close(KICKED, notice(Saying.TAKEN_OFF_SAYING, "\x1b[2J enough \n" + "x" * 400), talk.now)
    talk.run()
    assert talk.to_joiner[-1] == Refused(
        KICKED, Notice(int(Saying.TAKEN_OFF_SAYING), (("[2J enough " + "x" * 400)[:300],)), PROTOCOL, "goat 0.2"
    )


def test_last_words_and_messages_in_one_piece_are_all_heard() -> None:
    peer = in_state(State.OPEN)
    events = peer.receive(bytes_of(Say("one"), Bye(LEFT)), 1)
    assert events == [Received(Say("one")), Closed(LEFT, "the other side has left", True, PROTOCOL, "goat 0.1")]


def test_a_stream_that_ends_without_a_word() -> None:
    peer = in_state(State.OPEN)
    (end,) = peer.lost()
    assert end == Closed(LOST, "the connection was lost", False, PROTOCOL, "goat 0.1")
    assert peer.end == end


def test_closing_before_the_start_says_nothing() -> None:
    guest = joiner()
    assert kind_of(guest.close(LEFT, NOTHING, 0)) == ["Closed"]
    assert guest.take() == b""


# Time ------------------------------------------------------------------------------------------------------------


def ended_at(peer: Peer) -> float:
    """When the peer gives up if nothing comes, woken only when it asks for it."""
    for _ in range(100):
        when = peer.deadline
        if when is None:
            raise AssertionError("it had ended")
        for event in peer.tick(when):
            if isinstance(event, Closed):
                assert event.reason in (TOO_SLOW, LOST)
                return when
    raise AssertionError("it never ends")


@pytest.mark.parametrize(
    ("state", "seconds"),
    [
        (State.HELLO, HELLO_WITHIN), (State.STATUS, JOIN_WITHIN), (State.PROVE, JOIN_WITHIN),
        (State.TABLE, JOIN_WITHIN), (State.WELCOME, WELCOME_WITHIN), (State.JOINED, JOIN_WITHIN), (State.ANSWER, 5.0),
        (State.OPEN, DEAD_AFTER),
    ],
)  # fmt: skip
def test_every_state_ends_by_itself(state: State, seconds: float) -> None:
    assert ended_at(in_state(state)) == seconds


def test_half_a_hello_does_not_prolong_the_wait() -> None:
    peer = in_state(State.HELLO)
    data = bytes_of(hello_of())
    for second in range(4):
        assert peer.receive(data[second : second + 1], second) == []
    assert ended_at(peer) == HELLO_WITHIN


def test_pings_go_both_ways_after_two_seconds_of_ones_own_silence_and_are_not_answered() -> None:
    talk = Talk(now=0.0).run()
    for peer in (talk.joiner, talk.host):
        assert peer.deadline == PING_AFTER
        assert peer.tick(1.9) == []
        assert peer.take() == b""
        assert peer.tick(2.0) == []
        assert peer.take() == bytes_of(Ping())
        assert peer.receive(bytes_of(Ping()), 2.0) == []
        assert peer.take() == b""
        peer.send(Say("hi"), 3.0)
        assert peer.deadline == 5.0
        peer.tick(4.9)
        assert peer.take() == bytes_of(Say("hi"))


def test_silent_after_five_seconds_back_with_the_next_word_dead_after_fifteen() -> None:
    peer = in_state(State.OPEN)
    events: list[tuple[float, str]] = []

    def until(end: float) -> None:
        for _ in range(100):
            when = peer.deadline
            if when is None or when > end:
                return
            events.extend((when, name) for name in kind_of(peer.tick(when)))

    until(7.0)
    assert events == [(SILENT_AFTER, "Silent")]
    assert peer.receive(bytes_of(Say("here"))[:3], 7.0) == [Back()]  # not a whole frame yet, and a sign of life (W7)
    assert peer.receive(bytes_of(Say("here"))[3:], 7.5) == [Received(Say("here"))]
    until(7.5 + DEAD_AFTER)
    assert events[1:] == [(7.5 + SILENT_AFTER, "Silent"), (7.5 + DEAD_AFTER, "Closed")]


def test_our_own_sleep_is_not_the_peers_silence() -> None:
    peer = in_state(State.OPEN)
    peer.receive(bytes_of(Ping()), 1.0)
    assert peer.tick(600.0) == []  # the lid was closed; what the peer sent is still in the socket
    assert peer.receive(bytes_of(Ping()), 600.0) == []
    assert peer.is_open
    assert kind_of(peer.tick(606.0)) != ["Closed"]


def test_early_ticks_do_nothing() -> None:
    for state in (State.HELLO, State.OPEN, State.JOINED):
        peer = in_state(state)
        assert peer.tick(-5.0) == []
        assert peer.tick(0.0) == []
        assert peer.take() == b""


def test_a_flood_of_frames_ends_at_the_table_and_play_does_not() -> None:
    peer = in_state(State.OPEN)
    ping = bytes_of(Ping())
    for second in range(1, 60):
        assert peer.receive(ping * FRAMES_PER_SECOND, second) == []
    assert peer.receive(ping * FRAMES_BURST, 100.0) == []
    (end,) = peer.receive(ping * 100, 100.0)
    assert isinstance(end, Closed)
    assert end.reason == FLOOD
    guest = Talk().run().joiner
    assert guest.receive(ping * FRAMES_BURST * 2, 101.0) == []  # a guest reads whatever long log its table has


def test_silent_is_said_once() -> None:
    peer = in_state(State.OPEN)
    said = [event for when in (2.0, 4.0, 5.0, 5.5, 6.0, 7.0, 9.0) for event in peer.tick(when)]
    assert said == [Silent()]
