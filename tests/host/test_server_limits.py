"""What strangers are allowed, as plain arithmetic; and the listening sockets of a table."""

import errno
import socket
from dataclasses import dataclass

import pytest
from goat_host import listen as module
from goat_host.limits import LOG_LINES, ORIGINS_MAX, CodeTries, LogLimit
from goat_host.listen import ListenError, listen

from goat_net.wire.fairness import one_to_drop, origin


def test_origin() -> None:
    assert origin("10.0.0.7") == "10.0.0.7"
    assert origin("::ffff:10.0.0.7") == "10.0.0.7"
    assert origin("fe80::0:1%eth0") == origin("fe80::1%eth1") == "fe80::1"
    assert origin("fe80::1") != origin("fe80::2")
    assert origin("") == ""


def test_ten_lines_a_minute_and_how_many_were_left_out() -> None:
    limit = LogLimit()
    assert [limit.allows(1.0 + n) for n in range(LOG_LINES)] == [0] * LOG_LINES
    assert [limit.allows(20.0) for _ in range(500)] == [None] * 500
    assert limit.allows(60.9) is None
    assert limit.allows(61.0) == 501
    assert limit.allows(61.0) == 0


def test_three_wrong_codes_are_free_then_each_costs_twice_the_pause() -> None:
    tries = CodeTries()
    now, pauses = 0.0, []
    for _ in range(12):
        assert tries.pause("a", now) == 0
        tries.wrong("a", now)
        pauses.append(tries.pause("a", now))
        now += pauses[-1]
    assert pauses == [0, 0, 5, 10, 20, 40, 80, 160, 300, 300, 300, 300]
    assert tries.pause("b", now) == 0
    tries.right("a")
    tries.wrong("a", now)
    assert tries.pause("a", now) == 0


def test_origins_of_wrong_codes_are_bounded() -> None:
    tries = CodeTries()
    for number in range(ORIGINS_MAX * 3):
        tries.wrong(str(number), 0)
    assert len(tries._by_origin) == ORIGINS_MAX
    for _ in range(3):
        tries.wrong("x", 0)
    assert tries.pause("x", 1) > 0


@dataclass
class At:
    number: int
    where: str
    begun: bool = False


def test_the_oldest_of_the_callers_own_address_makes_room_else_the_oldest() -> None:
    for begun in (False, True):
        room = [At(1, "a", begun), At(2, "b", begun), At(3, "b", begun)]
        assert one_to_drop(room, "b").number == 2
        assert one_to_drop(room, "a").number == 1
        assert one_to_drop(room, "c").number == 1


def test_who_has_said_nothing_makes_room_before_who_has() -> None:
    room = [At(1, "a", True), At(2, "a", False), At(3, "b", True), At(4, "b", False)]
    assert one_to_drop(room, "a").number == 2
    assert one_to_drop(room, "b").number == 4
    assert one_to_drop(room, "c").number == 2
    assert one_to_drop(room[:1] + room[2:3], "b").number == 3


def ports(sockets: list[socket.socket]) -> set[int]:
    return {sock.getsockname()[1] for sock in sockets}


def close(sockets: list[socket.socket]) -> None:
    for sock in sockets:
        sock.close()


def test_a_free_port_the_same_on_every_address() -> None:
    sockets = listen(["127.0.0.1", "127.0.0.2"])
    try:
        assert len(sockets) == 2
        (port,) = ports(sockets)
        assert port
        assert all(not sock.getblocking() for sock in sockets)
    finally:
        close(sockets)


def test_addresses_that_are_not_here_are_left_out_while_one_is() -> None:
    sockets = listen(["203.0.113.1", "127.0.0.1", "no address"])
    try:
        assert [sock.getsockname()[0] for sock in sockets] == ["127.0.0.1"]
    finally:
        close(sockets)
    with pytest.raises(ListenError, match=r"no address 203\.0\.113\.1"):
        listen(["203.0.113.1"])


def test_a_port_that_is_taken_is_said_with_what_to_do() -> None:
    sockets = listen(["127.0.0.1"])
    try:
        (port,) = ports(sockets)
        with pytest.raises(ListenError, match=f"Port {port} is taken by another program: leave --port out"):
            listen(["127.0.0.1"], port)
    finally:
        close(sockets)
    close(listen(["127.0.0.1"], port))  # and at once it may come back


def test_a_free_port_that_is_taken_on_the_other_address_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    real, failures = module._bind, [2]

    def unlucky(host: str, port: int) -> socket.socket | None:
        if host == "127.0.0.2" and failures[0]:
            failures[0] -= 1
            raise OSError(errno.EADDRINUSE, "in use")
        return real(host, port)

    monkeypatch.setattr(module, "_bind", unlucky)
    sockets = listen(["127.0.0.1", "127.0.0.2"])
    assert len(ports(sockets)) == 1
    close(sockets)
    failures[0] = 1000
    with pytest.raises(ListenError, match="No port was free"):
        listen(["127.0.0.1", "127.0.0.2"])


def test_a_port_that_one_may_not_use(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(host: str, port: int) -> socket.socket | None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(module, "_bind", forbidden)
    with pytest.raises(ListenError, match="Port 80 may not be used by you"):
        listen(["127.0.0.1"], 80)
