"""What the two ends of a new connection sign and prove to each other (PROTOCOL.md, Hello).

Pure functions of given bytes; `goat_net.wire.peer` says when they are used.
"""

import hashlib
import hmac
from dataclasses import dataclass, replace
from typing import Final

from goat_net import primitives
from goat_net.language import _
from goat_net.wire.codec import WireError, unpack
from goat_net.wire.identity import Signer, verify
from goat_net.wire.messages import MESSAGES, PROTOCOL, Hello, House, Refused, Status, Welcome
from goat_net.wire.text import is_clean
from goat_net.wire.words import normal_code

BINDING_PURPOSE: Final = b"goat binding v1"
STATUS_PURPOSE: Final = b"goat status v1"
WELCOME_PURPOSE: Final = b"goat welcome v1"
PROVE_PURPOSE: Final = b"goat prove v1"
OPERATOR_PURPOSE: Final = b"goat operator v1"
CODE_JOINER_PURPOSE: Final = b"goat code joiner v1"
CODE_HOST_PURPOSE: Final = b"goat code host v1"

# scrypt: 16 MiB and some 50 ms for each guess at a code, once for each table and not for each connection.
SCRYPT_N: Final = 2**14
SCRYPT_R: Final = 8
SCRYPT_P: Final = 1

_NO_SIGNATURE: Final = bytes(64)


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a table tells whoever asks: name, seats taken (0..4), whether watchers may come, whether a code is
    needed, state (0 lobby, 1 playing, 2 over), the match that is on or goes on there (32 bytes, or empty), and its
    house rules."""

    name: str
    taken: int
    watch: bool
    code: bool
    state: int
    match: bytes = b""
    house: House = House()  # noqa: RUF009 - frozen


def binding(certificate_hash: bytes, hello: Hello, welcome: Welcome) -> bytes:
    """The 32 bytes that stand for one connection: its certificate and every word of both hellos."""
    certificate = _exact(certificate_hash, "certificate hash")
    parts = certificate + _hash(hello) + _hash(replace(welcome, signature=_NO_SIGNATURE))
    return hashlib.sha256(BINDING_PURPOSE + b"\0" + parts).digest()


def _hash(message: object) -> bytes:
    return hashlib.sha256(MESSAGES.encode(message)).digest()


def _exact(value: bytes, what: str) -> bytes:
    if len(value) != 32:
        raise ValueError(f"a {what} has 32 bytes, not {len(value)}")
    return value


def signed_welcome(identity: Signer, certificate_hash: bytes, hello: Hello, welcome: Welcome) -> Welcome:
    """The welcome with the table's signature over the binding."""
    return replace(welcome, signature=identity.sign(WELCOME_PURPOSE, binding(certificate_hash, hello, welcome)))


def operator_signature(operator: Signer, bot_key: bytes, table_key: bytes) -> bytes:
    """The word of the player whose machine runs a bot that it does, at this table."""
    return operator.sign(OPERATOR_PURPOSE, _exact(bot_key, "key") + _exact(table_key, "key"))


def is_operator(operator: bytes, signature: bytes, bot_key: bytes, table_key: bytes) -> bool:
    """Whether `operator_signature` made this."""
    return verify(operator, signature, OPERATOR_PURPOSE, bot_key + table_key)


def code_key(code: str, table_key: bytes) -> bytes:
    """The stretched code of a table: 32 bytes. Takes some 50 ms; the code is normalised first. ValueError if empty."""
    text = normal_code(code)
    if not text:
        raise ValueError("a code has letters or digits")
    salt = _exact(table_key, "key")
    return primitives.scrypt(text.encode(), salt, SCRYPT_N, SCRYPT_R, SCRYPT_P, 32)


def code_proof(key: bytes, purpose: bytes, bound: bytes) -> bytes:
    """The proof that one has the stretched code, good for this binding and this end (its purpose) only."""
    return hmac.digest(_exact(key, "stretched code"), purpose + b"\0" + _exact(bound, "binding"), "sha256")


def is_proof(proof: bytes, key: bytes, purpose: bytes, bound: bytes) -> bool:
    """Whether `code_proof` made this; takes the same time whatever differs."""
    return hmac.compare_digest(proof, code_proof(key, purpose, bound))


def signed_status(identity: Signer, program: str, info: TableFacts, nonce: bytes) -> Status:
    """The answer to a probe with this nonce."""
    facts = (info.name, info.taken, info.watch, info.code, info.state, info.match, info.house)
    plain = Status(PROTOCOL, program, identity.public, *facts, _NO_SIGNATURE)
    return replace(plain, signature=identity.sign(STATUS_PURPOSE, nonce + MESSAGES.encode(plain)))


def is_status(status: Status, nonce: bytes) -> bool:
    """Whether the key named in the status signed it as an answer to this nonce."""
    plain = MESSAGES.encode(replace(status, signature=_NO_SIGNATURE))
    return verify(status.table_key, status.signature, STATUS_PURPOSE, nonce + plain)


def spoken_version(content: bytes) -> tuple[int, str] | None:
    """Protocol and program that a first message of any version names, or None when it names none.

    Whatever a later protocol changes, its Status, Hello and Welcome begin ``[kind, protocol, program, ...`` and its
    Refused ``[kind, reason, notice, protocol, program, ...``: so that both sides can say both versions.
    """
    try:
        value = unpack(content)
    except WireError:
        return None
    if type(value) is not list or not value or type(value[0]) is not int:
        return None  # whatever else a kind may be, an array for one, is not even looked up
    at = {MESSAGES.number(Refused): 3, **{MESSAGES.number(cls): 1 for cls in (Status, Hello, Welcome)}}.get(value[0])
    if at is None or len(value) < at + 2:
        return None
    protocol, program = value[at], value[at + 1]
    if type(protocol) is not int or not 0 <= protocol <= 65535 or type(program) is not str or not is_clean(program, 32):
        return None
    return protocol, program


def versions_text(ours: str, their_protocol: int, theirs: str, table: bool) -> str:
    """Both versions in a sentence for the joiner. ``ours``, ``theirs``: programs; ``table``: ours is the table."""
    here, there = (PROTOCOL, ours), (their_protocol, theirs)
    (old_table, its_program), (old_guest, their_program) = (here, there) if table else (there, here)
    told = (
        _(
            "The table speaks protocol {table} ({its_program}), the guest protocol {guest} ({their_program}): they can "
            "play together once the host updates goat"
        )
        if old_table < old_guest
        else _(
            "The table speaks protocol {table} ({its_program}), the guest protocol {guest} ({their_program}): they can "
            "play together once the guest updates goat"
        )
    )
    return told.format(table=old_table, its_program=its_program, guest=old_guest, their_program=their_program)
