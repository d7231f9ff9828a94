"""The certificate that both sides see alike, in memory only (PROTOCOL.md, Stream)."""

import hashlib
import ssl
import tempfile
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from goat_net.wire.tls import SERVER_NAME, certificate_hash, client_context, server_context


def handshake(server: ssl.SSLContext, client: ssl.SSLContext) -> tuple[ssl.SSLObject, ssl.SSLObject]:
    """Both ends of a session, without a socket."""
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    near = client.wrap_bio(down, up, server_hostname=SERVER_NAME)
    far = server.wrap_bio(up, down, server_side=True)
    for _ in range(10):
        done = 0
        for end in (near, far):
            try:
                end.do_handshake()
                done += 1
            except ssl.SSLWantReadError:
                pass
        if done == 2:
            return near, far
    raise AssertionError("no handshake")


def test_both_sides_see_the_same_certificate() -> None:
    near, far = handshake(server_context(), client_context())
    assert certificate_hash(near) == certificate_hash(far)
    shown = near.getpeercert(binary_form=True)
    assert shown is not None
    assert certificate_hash(near) == hashlib.sha256(shown).digest()
    assert near.version() == far.version() == "TLSv1.3"


def test_each_table_has_a_certificate_of_its_own_on_p256_that_no_clock_ends() -> None:
    one, other = server_context(), server_context()
    assert one.certificate_hash != other.certificate_hash
    shown = handshake(one, client_context())[0].getpeercert(binary_form=True)
    assert shown is not None
    certificate = x509.load_der_x509_certificate(shown)
    key = certificate.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert key.curve.name == "secp256r1"
    assert (certificate.not_valid_before_utc.year, certificate.not_valid_after_utc.year) == (2000, 9999)


def test_older_tls_is_refused_by_both() -> None:
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises(ssl.SSLError):
        handshake(server_context(), old)
    server = server_context()
    server.minimum_version = server.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises(ssl.SSLError):
        handshake(server, client_context())


def test_no_session_is_resumed_without_a_certificate() -> None:
    server, client = server_context(), client_context()
    near, far = handshake(server, client)
    far.write(b"x")
    assert near.session is None or not near.session.has_ticket


def test_no_file_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    server_context()
    assert list(tmp_path.iterdir()) == []

    def broken(*_: object, **__: object) -> None:
        (only,) = tmp_path.iterdir()
        assert b"ENCRYPTED PRIVATE KEY" in only.read_bytes()
        raise ssl.SSLError("no")

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", broken)
    with pytest.raises(ssl.SSLError):
        server_context()
    assert list(tmp_path.iterdir()) == []


def test_sessions_without_a_certificate_of_ours_are_refused() -> None:
    client = client_context()
    unused = client.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname=SERVER_NAME)
    with pytest.raises(ValueError, match=r"no certificate|handshake"):
        certificate_hash(unused)
    plain = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_side=True)
    with pytest.raises(ValueError, match="server_context"):
        certificate_hash(plain)
