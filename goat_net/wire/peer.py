"""The two ends of a connection, and whoever only asks for a table's status (PROTOCOL.md, Hello).

The machine itself, its states and its events are in `goat_net.wire.link`; here is what each end proves and checks.
"""

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Final

from goat_net.wire import hello as proofs
from goat_net.wire.hello import TableFacts
from goat_net.wire.identity import Signer, is_whole_key, verify
from goat_net.wire.link import (
    Event,
    GotStatus,
    Greeted,
    Handlers,
    MisuseError,
    Opened,
    Peer,
    PeerError,
    Probed,
    Proven,
    State,
)
from goat_net.wire.messages import (
    BAD_KEY,
    BAD_SIGNATURE,
    LEFT,
    MALFORMED,
    PROTOCOL,
    ROLE_BOT,
    ROLE_PLAYER,
    TOO_MANY,
    WRONG_CODE,
    Hello,
    Joined,
    Probe,
    Prove,
    Status,
    Welcome,
)
from goat_net.wire.notices import Notice, Saying, notice


class Host(Peer):
    """The table's end of one connection. ``code_key``: the stretched code (`hello.code_key`), or None for a
    table without one. ``barred``: why no hello is let in now (too many wrong codes), or None; probes are answered.
    ``nonce``: 32 fresh bytes, drawn when not given. ``knows``: whether a key needs no code, since it has a seat in the
    match that is on. ``has_guessed``: whether a wrong code was tried, ``proves_code``: a right one."""

    _is_table = True

    def __init__(
        self,
        identity: Signer,
        program: str,
        *,
        code_key: bytes | None = None,
        barred: Notice | None = None,
        nonce: bytes = b"",
        knows: Callable[[bytes], bool] = lambda key: False,
    ) -> None:
        super().__init__(program)
        self._identity, self._knows = identity, knows
        self.proves_code = False
        self.has_guessed = False
        self._code_key = code_key
        self._barred = barred
        self._nonce = nonce or secrets.token_bytes(32)
        self._probe_nonce = b""
        self._binding = b""
        self.hello: Hello | None = None

    def _begin(self, now: float) -> None:
        self.state = State.HELLO

    def _on_probe(self, probe: Probe, now: float) -> list[Event]:
        self._probe_nonce = probe.nonce
        return [Probed()]

    def answer(self, info: TableFacts, now: float) -> None:
        """The status that a probe asked for; the connection is over with it."""
        if self.state is not State.STATUS:
            raise MisuseError("nobody asked for a status")
        self._put(proofs.signed_status(self._identity, self.program, info, self._probe_nonce), now)
        self._ended_by(LEFT, "a probe was answered")

    def _on_hello(self, hello: Hello, now: float) -> list[Event]:
        self._their_protocol, self._their_program = hello.protocol, hello.program
        self._check_version()
        if not is_whole_key(hello.key) or (hello.operator and not is_whole_key(hello.operator)):
            raise PeerError(BAD_KEY, notice(Saying.KEY))
        if hello.operator and hello.role != ROLE_BOT:
            raise PeerError(MALFORMED, notice(Saying.OPERATOR))
        if self._barred is not None:
            raise PeerError(TOO_MANY, self._barred)
        self.hello = hello
        plain = Welcome(
            PROTOCOL, self.program, self._identity.public, self._nonce, self._code_key is not None, bytes(64)
        )
        self._put(proofs.signed_welcome(self._identity, self.certificate_hash, hello, plain), now)
        self._binding = proofs.binding(self.certificate_hash, hello, plain)
        return [Greeted(hello)]

    def _on_prove(self, prove: Prove, now: float) -> list[Event]:
        hello = self.hello
        assert hello is not None
        if not verify(hello.key, prove.signature, proofs.PROVE_PURPOSE, self._binding):
            raise PeerError(BAD_SIGNATURE, notice(Saying.SIGNATURE))
        if self._code_key is None:
            if prove.code_proof:
                raise PeerError(WRONG_CODE, notice(Saying.CODE_NOT_HERE))
        elif not prove.code_proof:
            if not self._knows(hello.key):
                raise PeerError(WRONG_CODE, notice(Saying.CODE_ASKED))
        elif not proofs.is_proof(prove.code_proof, self._code_key, proofs.CODE_JOINER_PURPOSE, self._binding):
            self.has_guessed = True
            raise PeerError(WRONG_CODE, notice(Saying.CODE_WRONG))
        self.proves_code = bool(prove.code_proof)
        operator = prove.operator_signature
        if operator and not proofs.is_operator(hello.operator, operator, hello.key, self._identity.public):
            raise PeerError(BAD_SIGNATURE, notice(Saying.OPERATOR_SIGNATURE))
        return [Proven(hello, operator)]

    def accept(self, joined: Joined, now: float) -> None:
        """Let the joiner in. The proof of the code in ``joined`` is filled in here."""
        if self.state is not State.TABLE:
            raise MisuseError("nobody waits to be let in")
        proof = b""
        if self._code_key is not None and self.proves_code:
            proof = proofs.code_proof(self._code_key, proofs.CODE_HOST_PURPOSE, self._binding)
        self._put(replace(joined, code_proof=proof), now)
        self.state = State.OPEN
        self._heard = max(self._heard, now)

    _handlers: ClassVar[Handlers] = {Probe: _on_probe, Hello: _on_hello, Prove: _on_prove}


class Joiner(Peer):
    """The end of a player, a watcher or a bot. ``code``: as it was typed, or None. ``table_key``: the table that was
    chosen, or None for whichever answers. ``operator``: who signs for a bot. ``page``: see `Hello`. ``nonce`` as for
    Host."""

    def __init__(
        self,
        identity: Signer,
        name: str,
        role: int = ROLE_PLAYER,
        *,
        program: str,
        code: str | None = None,
        level: str = "",
        operator: Signer | None = None,
        table_key: bytes | None = None,
        page: str = "",
        nonce: bytes = b"",
    ) -> None:
        super().__init__(program)
        if operator is not None and role != ROLE_BOT:
            raise MisuseError("only a bot has an operator")
        self._identity = identity
        self._operator = operator
        self._code = code
        self._code_key: bytes | None = None
        self._expected = table_key
        self._binding = b""
        self.table_key = b""
        operator_key = operator.public if operator is not None else b""
        self.hello: Final = Hello(
            PROTOCOL, program, role, identity.public, nonce or secrets.token_bytes(32), name, level, operator_key, page
        )

    def _begin(self, now: float) -> None:
        self._put(self.hello, now)
        self.state = State.WELCOME

    def _on_welcome(self, welcome: Welcome, now: float) -> list[Event]:
        self._their_protocol, self._their_program = welcome.protocol, welcome.program
        self._check_version()
        if not is_whole_key(welcome.table_key):
            raise PeerError(BAD_KEY, notice(Saying.TABLE_KEY))
        if self._expected is not None and welcome.table_key != self._expected:
            raise PeerError(BAD_KEY, notice(Saying.OTHER_TABLE))
        bound = proofs.binding(self.certificate_hash, self.hello, welcome)
        if not verify(welcome.table_key, welcome.signature, proofs.WELCOME_PURPOSE, bound):
            raise PeerError(BAD_SIGNATURE, notice(Saying.TABLE_SIGNATURE))
        if self._code is not None and not welcome.code:
            raise PeerError(WRONG_CODE, notice(Saying.CODE_NOT_ASKED))
        self.table_key = welcome.table_key
        self._binding = bound
        proof = self._code_proof()
        signature = self._identity.sign(proofs.PROVE_PURPOSE, bound)
        operator = b""
        if self._operator is not None:
            operator = proofs.operator_signature(self._operator, self._identity.public, welcome.table_key)
        self._put(Prove(signature, proof, operator), now)
        return []

    def _code_proof(self) -> bytes:
        if self._code is None:
            return b""
        try:
            self._code_key = proofs.code_key(self._code, self.table_key)
        except ValueError:
            raise PeerError(WRONG_CODE, notice(Saying.NO_CODE)) from None
        return proofs.code_proof(self._code_key, proofs.CODE_JOINER_PURPOSE, self._binding)

    def _on_joined(self, joined: Joined, now: float) -> list[Event]:
        if self._code_key is not None and not proofs.is_proof(
            joined.code_proof, self._code_key, proofs.CODE_HOST_PURPOSE, self._binding
        ):
            raise PeerError(WRONG_CODE, notice(Saying.CODE_NOT_KNOWN))
        if len(joined.log_id) not in (0, 32) or (self._code_key is None and joined.code_proof):
            raise PeerError(MALFORMED, notice(Saying.UNREADABLE), "malformed: Joined does not fit")
        return [Opened(self.table_key, joined)]

    _handlers: ClassVar[Handlers] = {Welcome: _on_welcome, Joined: _on_joined}


class Prober(Peer):
    """Whoever asks a table for its status and goes. ``nonce``: 16 fresh bytes, drawn when not given."""

    def __init__(self, program: str, *, nonce: bytes = b"") -> None:
        super().__init__(program)
        self._nonce = nonce or secrets.token_bytes(16)

    def _begin(self, now: float) -> None:
        self._put(Probe(self._nonce), now)
        self.state = State.ANSWER

    def _on_status(self, status: Status, now: float) -> list[Event]:
        self._their_protocol, self._their_program = status.protocol, status.program
        if not proofs.is_status(status, self._nonce):
            raise PeerError(BAD_SIGNATURE, notice(Saying.STATUS_SIGNATURE))
        return [GotStatus(status), self._ended_by(LEFT, "the status has come", by_peer=True)]

    _handlers: ClassVar[Handlers] = {Status: _on_status}
