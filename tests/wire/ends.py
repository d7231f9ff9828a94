"""Two ends made by hand, one that dials and one that is dialled, to say exactly these bytes at exactly that point."""

import asyncio
import ssl
from contextlib import suppress
from dataclasses import replace
from typing import Any

from goat_net.wire import hello as proofs
from goat_net.wire.address import Address
from goat_net.wire.codec import WireError
from goat_net.wire.framing import FrameReader, frame
from goat_net.wire.identity import Identity
from goat_net.wire.messages import MESSAGES, PROTOCOL, ROLE_PLAYER, Bye, Hello, Joined, Prove, Refused, Welcome
from goat_net.wire.stream import open_stream
from goat_net.wire.tls import certificate_hash
from tests.wire.kit import HERE, STRANGER, TABLE

NO_SIGNATURE = bytes(64)


class End:
    """One end of a stream, frame by frame. ``binding``: once both hellos are known."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.certificate: bytes = certificate_hash(writer.get_extra_info("ssl_object"))
        self.binding = b""
        self._cutter, self._ready = FrameReader(), list[bytes]()

    def send(self, *parts: Any) -> None:
        """Send bytes as they are, and messages as frames."""
        for part in parts:
            self.writer.write(part if isinstance(part, bytes) else frame(MESSAGES.encode(part)))

    async def next(self) -> Any:
        """The next message, bytes when it is none, or None when the other end has closed."""
        while not self._ready:
            data = b""
            with suppress(ConnectionError, ssl.SSLError):
                data = await self.reader.read(4096)
            if not data:
                return None
            self._ready += self._cutter.feed(data)
        content = self._ready.pop(0)
        try:
            return MESSAGES.decode(content)
        except WireError:
            return content

    async def until(self, kind: type[Any]) -> Any:
        """The next message of this kind; an end before it is an error of the test."""
        while not isinstance(message := await self.next(), kind):
            assert message is not None, f"no {kind.__name__} came"
        return message

    async def rest(self) -> list[Any]:
        """Everything until the other end closes."""
        heard = []
        while (message := await self.next()) is not None:
            heard.append(message)
        return heard

    def close(self) -> None:
        """Cut the stream."""
        self.writer.transport.abort()


def last_word(heard: list[Any]) -> Bye | Refused | None:
    """The word with which the other end has closed, if it had one."""
    return next((m for m in reversed(heard) if isinstance(m, Bye | Refused)), None)


class Dialler(End):
    """Whoever dials a table or a direct line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, identity: Identity) -> None:
        super().__init__(reader, writer)
        self.identity = identity
        self.said = Hello(PROTOCOL, "goat 0.1", ROLE_PLAYER, identity.public, bytes(range(32)), "Zoe", "", b"")
        self.welcome: Welcome | None = None

    @classmethod
    async def dial(cls, port: int, identity: Identity = STRANGER) -> "Dialler":
        """A new one, over TLS."""
        return cls(*await open_stream(Address(HERE, port)), identity)

    def hello(self, **changes: Any) -> Hello:
        """Its hello, as the binding will have it."""
        self.said = replace(self.said, **changes)
        return self.said

    async def greet(self, **changes: Any) -> None:
        """Say hello, and take the answer."""
        self.send(self.hello(**changes))
        self.welcome = await self.until(Welcome)
        self.binding = proofs.binding(self.certificate, self.said, self.welcome)

    def prove(self, *, purpose: bytes = proofs.PROVE_PURPOSE, code: str | None = None, **changes: Any) -> Prove:
        """Its proof."""
        proof = b""
        if code is not None:
            key = proofs.code_key(code, TABLE.public)
            proof = proofs.code_proof(key, proofs.CODE_JOINER_PURPOSE, self.binding)
        return replace(Prove(self.identity.sign(purpose, self.binding), proof, b""), **changes)

    async def enter(self) -> None:
        """Greet, prove, and be let in."""
        await self.greet()
        self.send(self.prove())
        await self.until(Joined)


class Dialled(End):
    """A table as it is made by hand. ``nonce``: of the probe that came."""

    nonce = b""
    said: Hello
    answer: Welcome

    async def hear(self) -> None:
        """Take the joiner's hello."""
        self.said = await self.until(Hello)

    def welcome(self, *, signer: Identity = TABLE, certificate: bytes = b"", **changes: Any) -> Welcome:
        """The answer to it, signed by ``signer`` for this certificate."""
        plain = Welcome(PROTOCOL, "goat 0.2", signer.public, bytes(range(32)), False, NO_SIGNATURE)
        plain = replace(plain, **{k: v for k, v in changes.items() if k != "signature"})
        certificate = certificate or self.certificate
        self.binding = proofs.binding(certificate, self.said, plain)
        self.answer = proofs.signed_welcome(signer, certificate, self.said, plain)
        return replace(self.answer, **{k: v for k, v in changes.items() if k == "signature"})

    async def greet(self) -> None:
        """Hear the hello, answer it, and take the proof."""
        await self.hear()
        self.send(self.welcome())
        await self.until(Prove)

    async def let_in(self) -> None:
        """Greet, and let the joiner in."""
        await self.greet()
        self.send(Joined(b"", b"", 0))
