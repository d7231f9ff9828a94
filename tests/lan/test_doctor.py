"""goat doctor in namespaces: multicast that works, is swallowed, or has no network; a port held alone."""

import json
import sys
from typing import Any

from lan import Lan, Props, needs, plain, scene, table

DOCTOR = "import sys; from goat_client.cli import main; sys.exit(main(['doctor', '--json']))"
HOLD = '''
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 5353))
print("{\\"held\\": 1}", flush=True)
sys.stdin.read()
'''


def doctor(lan: Lan, node: str) -> dict[str, list[dict[str, Any]]]:
    """Findings by check."""
    out = lan.run(node, sys.executable, "-c", DOCTOR, check=False).stdout
    found: dict[str, list[dict[str, Any]]] = {}
    for finding in json.loads(out)["findings"]:
        found.setdefault(finding["check"], []).append(finding)
    return found


@scene
def test_doctor_on_a_network(props: Props) -> None:
    lan = props.lan(plain("host", "guest"))
    table(lan, "host")
    found = doctor(lan, "guest")
    assert found["network"][0]["text"].startswith("eth0: 10.77.0.2, fe80::")
    assert found["port 5353"][0]["text"] == "free"
    assert any("IPv4: sent and heard, and 1 other device heard too" in line["text"] for line in found["multicast"])
    assert any("IPv6: sent and heard" in line["text"] for line in found["multicast"])
    shared = doctor(lan, "host")["port 5353"][0]
    assert shared["text"].startswith("shared with python")


@scene
@needs("iptables")
def test_doctor_where_multicast_is_swallowed_and_the_port_is_held(props: Props) -> None:
    lan = props.lan(plain("guest"))
    lan.run("guest", "iptables", "-A", "INPUT", "-p", "udp", "--dport", "5353", "-j", "DROP")
    swallowed = next(line for line in doctor(lan, "guest")["multicast"] if "IPv4" in line["text"])
    assert (swallowed["level"], swallowed["text"]) == ("bad", "eth0, IPv4: sent, and not heard")
    lan.start("guest", sys.executable, "-c", HOLD).wait_for(lambda line: "held" in line)
    held = doctor(lan, "guest")["port 5353"][0]
    assert held["level"] == "bad"
    assert "held by python" in held["text"]


@scene
def test_doctor_without_a_network(props: Props) -> None:
    lan = props.lan({"guest": []})
    found = doctor(lan, "guest")
    assert found["network"][0]["level"] == "bad"
    assert "on no network but its own" in found["network"][0]["text"]
