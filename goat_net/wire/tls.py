"""TLS 1.3 with a certificate that nobody vouches for; the hello binds it (PROTOCOL.md, Stream, Hello).

The certificate hides the talk from whoever only listens. That no one sits between the two ends follows from the
signatures over its hash, not from an authority.
"""

import datetime
import hashlib
import os
import secrets
import ssl
import tempfile
from pathlib import Path
from typing import Final

from goat_net.folders import temporary_path

SERVER_NAME: Final = "goat"  # said by every client, so that nothing about the address is
# No clock decides about a certificate that is checked by its hash: it is good for all of time that X.509 can say.
_FROM: Final = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
_UNTIL: Final = datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)


class ServerContext(ssl.SSLContext):
    """A table's TLS context, which knows the SHA-256 of its own certificate: `ssl` does not tell a server its own."""

    certificate_hash: bytes = b""


def server_context() -> ServerContext:
    """A context with a fresh P-256 certificate, made for one table and never kept."""
    # Only who opens a table needs these: a guest starts sooner without them, and a page has none.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, SERVER_NAME)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_FROM)
        .not_valid_after(_UNTIL)
        .sign(key, hashes.SHA256())
    )
    context = ServerContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.num_tickets = 0  # a resumed session would show no certificate
    context.certificate_hash = hashlib.sha256(certificate.public_bytes(Encoding.DER)).digest()
    # `ssl` reads keys from files only: this one is encrypted, for its owner alone, and gone at once.
    password = secrets.token_hex(32).encode()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password))
    descriptor, path = tempfile.mkstemp(prefix="goat-", suffix=".pem", dir=temporary_path())
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(certificate.public_bytes(Encoding.PEM) + pem)
        context.load_cert_chain(path, password=password)
    finally:
        Path(path).unlink()
    return context


def client_context() -> ssl.SSLContext:
    """A context that takes any certificate: `goat_net.wire.peer` checks that the table's key has signed its hash."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def certificate_hash(tls: ssl.SSLObject | ssl.SSLSocket) -> bytes:
    """SHA-256 of the DER certificate that the server of this session showed; the same on both sides.

    Raises ValueError when there is none, or when the server's context is not one of ours.
    """
    if tls.server_side:
        if not isinstance(tls.context, ServerContext):
            raise ValueError("the context was not made by server_context")
        return tls.context.certificate_hash
    shown = tls.getpeercert(binary_form=True)
    if not shown:
        raise ValueError("the server showed no certificate")
    return hashlib.sha256(shown).digest()
