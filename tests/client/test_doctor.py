"""goat_client.machine.doctor: every judgement as a function of facts, and one real look without a network."""

import json
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from goat_client.machine import doctor
from goat_client.machine.doctor import Facts, Finding, Level, as_json, as_text, diagnose, examine

from goat_net.discovery import multicast as selftest
from goat_net.discovery.interfaces import Choice, Interface, choose
from goat_net.discovery.multicast import Heard, PortState, hear, holders, port_state

LO = Interface("lo", 1, (("127.0.0.1", 8),))
WIFI = Interface("wlan0", 3, (("192.168.1.20", 24),), (("fe80::20", 64),))
VPN = Interface("tun0", 5, (("10.8.0.2", 24),))

GOOD = Facts(
    interfaces=(LO, WIFI),
    choice=choose([LO, WIFI]),
    heard=(Heard("wlan0", "192.168.1.20", True, True, 2), Heard("wlan0", 3, True, True, 1)),
    port=PortState(False, True, ("avahi-daemon",)),
    system="Linux",
    release="6.1",
    firewalls=(),
    container=False,
    environ={"TERM": "xterm-256color"},
    encoding="utf-8",
    terminal=True,
    size=(100, 30),
    folder="/home/ann/.local/share/goat",
    folder_problem="",
    space=10**9,
    versions={"goat-cards": "0.1.0"},
)


def found(facts: Facts, level: Level = Level.BAD) -> list[Finding]:
    return [finding for finding in examine(facts) if finding.level is level]


def test_a_computer_where_all_is_well() -> None:
    assert {finding.level for finding in examine(GOOD)} == {Level.GOOD}
    assert as_text(examine(GOOD), "utf-8").endswith("all good\n")
    assert json.loads(as_json(examine(GOOD)))["good"] is True


@pytest.mark.parametrize(
    ("change", "check", "text", "todo"),
    [
        ({"interfaces": (), "choice": Choice((), ())}, "network", "no network interface", "join a Wi-Fi"),
        ({"interfaces": (LO,), "choice": choose([LO])}, "network", "no network but its own", "join a Wi-Fi"),
        ({"heard": (Heard("wlan0", 3, False, False, 0, "no way"),)}, "multicast", "IPv6: not sent (no way)", "address"),
        ({"heard": (Heard("wlan0", "10.0.0.1", True, False, 0),)}, "multicast", "sent, and not heard", "firewall"),
        ({"port": PortState(False, False, ("other",))}, "port 5353", "held by other alone", "end other"),
        ({"port": PortState(False, False)}, "port 5353", "isn't named here", "join by address"),
        ({"port": PortState(False, False, (), "no buffers")}, "port 5353", "can't be opened: no buffers", "address"),
        ({"size": (59, 40)}, "terminal", "59×40 is too small", "60×20"),
        ({"folder_problem": "/x can't be written: Permission denied"}, "data folder", "/x can't be", "GOAT_HOME"),
        ({"space": 2**20}, "data folder", "only 1 MiB free", "make room"),
    ],
)
def test_what_is_bad_says_what_to_do(change: dict[str, object], check: str, text: str, todo: str) -> None:
    bad = found(replace(GOOD, **change))  # type: ignore[arg-type]
    assert bad
    assert bad[0].check == check
    assert text in bad[0].text
    assert todo in bad[0].todo
    assert "to mend" in as_text(examine(replace(GOOD, **change)), "utf-8")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "text", "todo"),
    [
        ({"interfaces": (LO, VPN), "choice": choose([VPN])}, "only virtual interfaces", "VPN"),
        ({"interfaces": (replace(WIFI, v4=(("169.254.3.3", 16),)),)}, "made up", "cable"),
        ({"choice": Choice(("192.168.1.20",), (WIFI,), (("eth7", "bad adapter"),))}, "eth7 can't be used", "nothing"),
        ({"heard": (Heard("wlan0", 3, True, True, 0),)}, "nobody else was heard", "AP isolation"),
        ({"release": "5.15-microsoft-standard-WSL2"}, "WSL", "mirrored"),
        ({"container": True}, "container", "--network host"),
        ({"firewalls": ("ufw",)}, "ufw is on", "sudo ufw allow 5353/udp"),
        ({"firewalls": ("firewalld",)}, "firewalld is on", "firewall-cmd"),
        ({"system": "Darwin"}, "macOS asks", "Local Network"),
        ({"system": "Windows"}, "Windows asks", "private"),
        ({"terminal": False}, "no terminal", "--plain"),
        ({"environ": {"TERM": "dumb"}}, "TERM=dumb", "TERM"),
        ({"encoding": "ascii"}, "S H D C", "UTF-8"),
        ({"encoding": "no-such-encoding"}, "S H D C", "UTF-8"),
    ],
)
def test_what_is_worth_knowing_is_said_and_is_not_bad(change: dict[str, object], text: str, todo: str) -> None:
    facts = replace(GOOD, **change)  # type: ignore[arg-type]
    assert found(facts) == []
    assert any(text in note.text and todo in note.todo for note in found(facts, Level.NOTE))


def test_the_port_of_macos_and_windows_is_theirs() -> None:
    shared = replace(GOOD, port=PortState(False, True))
    for system, owner in (("Darwin", "macOS"), ("Windows", "Windows"), ("Linux", "another program")):
        assert any(f"shared with {owner}" in finding.text for finding in examine(replace(shared, system=system)))
    assert any(finding.text == "free" for finding in examine(replace(GOOD, port=PortState(True, True))))


def test_lines_hold_nothing_that_the_terminal_lacks_or_obeys() -> None:
    nasty = replace(GOOD, interfaces=(replace(WIFI, name="wl\x1b[2J\r\n0"),), firewalls=("ufw",), size=(1, 1))
    for encoding in ("ascii", "cp437", "koi8-r", "utf-8"):
        text = as_text(examine(nasty), encoding)
        assert text.encode(encoding)
        assert "\x1b" not in text
        assert "\r" not in text
        assert "?" not in text
    assert "\x1b" not in as_json(examine(nasty))


# Looking -----------------------------------------------------------------------------------------------------


def test_a_real_look_at_loopback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "local_interfaces", lambda: (LO,))
    monkeypatch.setattr(selftest, "LISTEN", 0.1)
    monkeypatch.setattr(doctor, "hear", lambda pairs: hear(pairs, listen=0.1))
    assert diagnose(json=True) == 1
    told = json.loads(capsys.readouterr().out)
    lines = {(line["check"], line["level"]) for line in told["findings"]}
    assert ("network", "bad") in lines
    assert ("multicast", "good") in lines
    assert ("data folder", "good") in lines
    assert diagnose() == 1
    assert "this computer is on no network but its own" in capsys.readouterr().out


def test_the_own_question_is_heard_on_loopback_and_a_strange_source_fails() -> None:
    good, bad = sorted(hear([(LO, "127.0.0.1"), (VPN, "192.0.2.77")], listen=0.1), key=lambda heard: heard.error)
    assert (good.sent, good.own, good.others, good.error) == (True, True, 0, "")
    assert not bad.sent
    assert bad.error


class Held(socket.socket):
    """A socket for which the port is another program's."""

    def bind(self, address: object) -> None:
        raise OSError(98, "Address already in use")


class Odd(socket.socket):
    """A socket that fails in another way."""

    def bind(self, address: object) -> None:
        raise OSError(105, "No buffer space available")


def test_states_of_the_port(tmp_path: Path) -> None:
    held = port_state(make=Held, proc=tmp_path)
    assert (held.free, held.shared, held.error) == (False, False, "")
    assert port_state(make=Odd, proc=tmp_path).error == "No buffer space available"


def test_holders_of_the_port_are_named(tmp_path: Path) -> None:
    net = tmp_path / "net"
    net.mkdir()
    line = "  1: 00000000:{port} 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 {inode} 2 0 0"
    lines = ["head", line.format(port="14E9", inode=77), line.format(port="0044", inode=78)]
    net.joinpath("udp").write_text("\n".join(lines))
    for pid, inode in (("10", 77), ("11", 78)):
        (tmp_path / pid / "fd").mkdir(parents=True)
        (tmp_path / pid / "fd" / "3").symlink_to(f"socket:[{inode}]")
        (tmp_path / pid / "comm").write_text(f"program{pid}\n")
    (tmp_path / "12").mkdir()
    assert holders(tmp_path) == ("program10",)
