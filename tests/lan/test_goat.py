"""The real commands over the bench: found, joined, left, and a whole deal on a bad network."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lan import (
    FIREWALL,
    ROOT,
    WITHIN,
    Lan,
    Port,
    Props,
    answers,
    goat,
    goodbye,
    host,
    needs,
    plain,
    ready,
    scene,
    seeker,
)

pexpect = pytest.importorskip("pexpect", reason="pexpect is not for Windows, and neither is the bench")


@scene
def test_goat_find_tells_of_the_table_and_every_way_out_says_goodbye(props: Props) -> None:
    lan = props.lan(plain("host", "guest"))
    guest = seeker(lan, "guest", real=True)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        # A port of its own each time: where the last one was, it is found before it is announced and has no goodbye.
        table = host(lan, "host", "--name", "Ann's v1.2 table", "--interface", "10.77.0.1")
        id_ = ready(table)["id"]
        guest.wait_for(lambda line, id_=id_: answers(line, id_))
        if number is signal.SIGTERM:
            found = goat(lan, "guest", "find", "--json", "--wait", "2")
            found.end()
            (row,) = found.lines
            assert (row["name"], row["address"]) == ("Ann's v1.2 table", f"10.77.0.1:{ready(table)['port']}")
            assert (row["seats"], row["state"], row["compatible"]) == (0, "lobby", True)
            assert 0 < row["round_trip_ms"] < 1000
        since = len(guest.lines)
        table.kill(number)
        goodbye(guest, id_, since)
        table.end()


@scene
@needs("iptables")
def test_a_real_host_is_reached_past_an_address_that_leads_nowhere(props: Props) -> None:
    both = [Port("eth0", "far", "10.78.0.1/24"), Port("eth1", "near", "10.77.0.1/24")]
    guests = [Port("eth0", "far", "10.78.0.2/24"), Port("eth1", "near", "10.77.0.2/24")]
    lan = props.lan({"host": both, "guest": guests})
    lan.run("host", "iptables", "-A", "INPUT", "-d", "10.78.0.1", "-j", "DROP")
    table = host(lan, "host")
    guest = seeker(lan, "guest", real=True)
    guest.wait_for(answers)
    guest.send({"join": ready(table)["id"], "real": True, "first": "10.78.0.1"})
    joined = guest.wait_for(lambda line: "joined" in line)
    assert joined["joined"].startswith("10.77.0.1:")
    assert joined["took"] >= 0.2  # the dead address was tried first


@scene
def test_the_commands_go_on_without_discovery(props: Props) -> None:
    lan = props.lan(plain("host", "guest"))
    hold = "import socket, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 5353)); "
    hold += "s6 = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s6.setsockopt(41, 26, 1); s6.bind(('', 5353)); "
    hold += "print('{}', flush=True); sys.stdin.read()"
    for node in ("host", "guest"):
        lan.start(node, sys.executable, "-c", hold).wait_for(lambda line: line == {})
    table = host(lan, "host")
    found = goat(lan, "guest", "find", "--wait", "1")
    assert found.saw("automatic discovery is off (port 5353 busy)", error=True)
    assert found.popen.wait() == 1
    guest = seeker(lan, "guest", real=True, discover=False, remembered=[["10.77.0.1", ready(table)["port"]]])
    guest.wait_for(answers)
    goat(lan, "guest", "bot", f"10.77.0.1:{ready(table)['port']}", "--level", "easy")
    guest.wait_for(lambda line: bool(line.get("rows")) and line["rows"][0]["seats"] == 1)
    table.kill(signal.SIGTERM)
    table.end()
    assert not any("zeroconf" in line or "Traceback" in line for line in table.errors)


@scene
def test_a_bot_joins_over_link_local_addresses_alone(props: Props) -> None:
    lan = props.lan({"host": [Port()], "guest": [Port("eth0", "elsewhere"), Port("eth1")]})
    host(lan, "host", "--name", "Kitchen")
    guest = seeker(lan, "guest", real=True)
    assert guest.wait_for(answers)["rows"][0]["address"].startswith("[fe80::")
    goat(lan, "guest", "bot", "Kitchen", "--level", "easy", "--wait", "20")
    guest.wait_for(lambda line: bool(line.get("rows")) and line["rows"][0]["seats"] == 1)


@scene
def test_the_lobby_opens_without_a_network(props: Props) -> None:
    lan = props.lan({"flight": [], "nothing": []})
    lan.ip("nothing", "addr", "flush", "dev", "lo")
    lan.ip("nothing", "link", "set", "lo", "down")
    for node, words in (("flight", "this computer is on no network"), ("nothing", "automatic discovery is off")):
        with on_screen(lan, node) as screen:
            screen.expect_exact(words[:20])  # the line may be folded
            screen.send("\r")  # the first evening asks for a name
            screen.send("q")
            screen.expect(pexpect.EOF)
        assert screen.exitstatus == 0


@scene
def test_a_person_who_quits_says_goodbye(props: Props) -> None:
    """The same for somebody who hosts with a seat of their own, on the screen, and presses keys."""
    lan = props.lan(plain("host", "guest"))
    guest = seeker(lan, "guest", real=True)
    with on_screen(lan, "host", "host", "--name", "Kitchen") as screen:
        id_ = guest.wait_for(answers)["rows"][0]["id"]
        since = len(guest.lines)
        screen.send("q")
        screen.expect_exact("Leave the table?")
        screen.send("\r")
        goodbye(guest, id_, since)
        screen.expect(pexpect.EOF)
    assert screen.exitstatus == 0


@scene
@needs(*FIREWALL)
def test_a_new_guest_is_seated_with_three_keys_and_no_typing(props: Props) -> None:
    lan = props.lan(plain("host", "guest"))
    table = host(lan, "host", "--name", "Kitchen")
    with on_screen(lan, "guest") as screen:
        screen.expect_exact(f"10.77.0.1:{ready(table)['port']}")
        screen.send("\r")  # the first evening asks for a name: the account's will do
        for _ in range(2):
            screen.send("1")
            # A row that has only just come is not taken for meant: a key too soon does nothing.
            if screen.expect_exact(["not ready yet", pexpect.TIMEOUT], timeout=20) == 0:
                break
        found = goat(lan, "host", "find", "--json")
        found.end()
        assert found.lines[0]["seats"] == 1
        screen.send("q")
        screen.expect_exact("Leave the table?")
        screen.send("\r")
    # Another evening, on a network that swallows multicast: the table is remembered.
    for command in FIREWALL:
        lan.run("guest", command, "-A", "INPUT", "-p", "udp", "--dport", "5353", "-j", "DROP")
    with on_screen(lan, "guest") as screen:
        screen.expect_exact(f"10.77.0.1:{ready(table)['port']}")


@contextlib.contextmanager
def on_screen(lan: Lan, node: str, *words: str) -> Iterator[Any]:
    """A goat command in a node, on a terminal of 100 by 30."""
    command = ["netns", "exec", lan.namespace(node), sys.executable, "-m", "goat_client", *words]
    terminal = {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
    env = {**os.environ, **terminal, "GOAT_HOME": lan.home(node), "PYTHONPATH": str(ROOT)}
    screen = pexpect.spawn("ip", command, dimensions=(30, 100), encoding="utf-8", timeout=WITHIN, env=env)
    try:
        yield screen
    finally:
        screen.close(force=True)


@scene
def test_a_whole_deal_between_four_machines_on_a_bad_network(props: Props) -> None:
    """20 ms each way between any two, 5 ms jitter, 2 % of frames lost: the deal ends, four verdicts are equal."""
    nodes = ["north", "east", "south", "west"]
    lan = props.lan(plain(*nodes))
    lan.faults(delay=0.010, jitter=0.0025, loss=0.01)  # of each cable; there are two between any two machines
    host(lan, "north", "--name", "Kitchen", "--pace", "0", "--journals", str(props.folder / "host"))
    bots = [
        goat(lan, node, "bot", "Kitchen", "--level", "easy", "--pace", "0", "--wait", "20", "--seat", str(seat + 1),
             "--save", str(props.folder / node))
        for seat, node in enumerate(nodes)
    ]  # fmt: skip
    deals = [first_deal(props.folder / node) for node in [*nodes, "host"]]
    assert all(bot.popen.poll() is None for bot in bots)
    assert deals[1:] == deals[:-1]
    assert deals[0]["verdicts"] == [0, 1, 2, 3]
    assert deals[0]["blame"] is None
    points = deals[0]["points"]
    assert isinstance(points, list)
    assert sum(points) == 120


def finished_deal(file: Path) -> dict[str, object] | None:
    """What ``goat verify`` says of the first deal in a saved match, if that deal is finished."""
    words = [sys.executable, "-m", "goat_client", "verify", "--json", str(file)]
    out = subprocess.run(words, capture_output=True, text=True, timeout=WITHIN).stdout
    for line in map(json.loads, out.splitlines()):
        if line["kind"] == "deal" and len(line.get("verdicts", ())) == 4:
            return {key: line[key] for key in ("dealer", "trump", "verdicts", "points", "tricks", "defeat", "blame")}
    return None


def first_deal(folder: Path) -> dict[str, object]:
    """The first deal of the saved match in a folder, checked, once it is finished."""
    end = time.monotonic() + WITHIN
    while time.monotonic() < end:
        for file in folder.glob("*.goat"):
            deal = finished_deal(file)
            if deal is not None:
                return deal
        time.sleep(0.2)
    raise AssertionError(f"no deal was finished in {folder}")
