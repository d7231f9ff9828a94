"""Tables found, kept true and lost over a wire: discovery.mdns and discovery.watch between namespaces.

Figures are measured by benchmarks/bench_discovery.py, with the machine to itself; here a sample shows that each
path works: a table that said goodbye is told from one that is found dead by what the lobby heard.
"""

import json
import signal

from lan import FIREWALL, Port, Props, answers, goodbye, needs, plain, ready, scene, seeker, table


@scene
def test_a_table_is_found_and_its_goodbye_is_seen(props: Props) -> None:
    found_and_left(props, "hub")


@scene
def test_the_same_on_a_kernel_bridge(props: Props) -> None:
    found_and_left(props, "bridge")


def found_and_left(props: Props, wire: str) -> None:
    lan = props.lan(plain("host", "guest"), wire)
    host = table(lan, "host", name="Ann's v1.2 table")
    guest = seeker(lan, "guest")
    row = guest.wait_for(answers)["rows"][0]
    assert (row["name"], row["address"]) == ("Ann's v1.2 table", f"10.77.0.1:{ready(host)['port']}")
    host.send({"seats": 3})
    guest.wait_for(lambda line: bool(line.get("rows")) and line["rows"][0]["seats"] == 3)
    since = len(guest.lines)
    host.kill(signal.SIGTERM)
    goodbye(guest, ready(host)["id"], since)
    host.end()


@scene
def test_a_killed_host_and_one_without_power_are_found_dead(props: Props) -> None:
    lan = props.lan(plain("killed", "unplugged", "alive", "guest"))
    killed, unplugged, alive = (table(lan, node, name=node) for node in ("killed", "unplugged", "alive"))
    guest = seeker(lan, "guest")
    for id_ in [ready(host)["id"] for host in (killed, unplugged, alive)]:
        guest.wait_for(lambda line, id_=id_: answers(line, id_))
    lan.faults("unplugged", cut=True)
    killed.kill(signal.SIGKILL)
    guest.wait_for(lambda line: [row["name"] for row in line.get("rows", [])] == ["alive"], len(guest.lines))
    assert not any("lost" in line for line in guest.lines)  # mDNS alone would have kept both


@scene
def test_two_tables_of_one_name_are_two_rows(props: Props) -> None:
    lan = props.lan(plain("one", "two", "guest"))
    # Their ids begin alike, so that even the instance names are the same; both probe at the same moment.
    ids = ["7f3a" + "11" * 14, "7f3a" + "22" * 14]
    options = [json.dumps({"name": "Table", "id": id_}) for id_ in ids]
    hosts = [lan.python(node, "table.py", option) for node, option in zip(("one", "two"), options, strict=True)]
    guest = seeker(lan, "guest")
    for host, id_ in zip(hosts, ids, strict=True):
        guest.wait_for(lambda line, id_=id_: answers(line, id_))
        guest.send({"join": id_})
        joined = guest.wait_for(lambda line, id_=id_: "joined" in line and line["id"] == id_)
        assert joined["joined"].endswith(f":{ready(host)['port']}")


@scene
@needs("iptables")
def test_a_host_on_two_networks_is_reached_on_ours(props: Props) -> None:
    both = [Port("eth0", "far", "10.78.0.1/24"), Port("eth1", "near", "10.77.0.1/24")]
    lan = props.lan({"host": both, "guest": [Port("eth0", "near", "10.77.0.2/24")]})
    # A default route, as people have: an address of the far network could be dialled, and nothing would come back.
    lan.ip("guest", "route", "add", "default", "via", "10.77.0.1")
    lan.run("host", "sysctl", "-q", "-w", "net.ipv4.ip_forward=0")
    lan.run("host", "iptables", "-A", "INPUT", "-i", "eth1", "-d", "10.78.0.1", "-j", "DROP")
    host = table(lan, "host")
    guest = seeker(lan, "guest")
    row = guest.wait_for(answers)["rows"][0]
    assert row["address"].startswith("10.77.0.1:")
    # M7: what is on none of our own links is somebody's word about a place far away, and nobody knocks there.
    assert not any(a.startswith("10.78.0.1:") for a in row["addresses"])
    guest.send({"join": ready(host)["id"]})
    guest.wait_for(lambda line: "joined" in line)


@scene
def test_ipv6_link_local_alone(props: Props) -> None:
    two = [Port("eth0", "elsewhere"), Port("eth1")]
    lan = props.lan({"host": [Port()], "guest": two, "other": [Port("eth0", "elsewhere")]})
    host = table(lan, "host")
    guest = seeker(lan, "guest")
    row = guest.wait_for(answers)["rows"][0]
    assert row["address"].startswith("[fe80::")
    guest.send({"join": ready(host)["id"]})
    guest.wait_for(lambda line: "joined" in line)


@scene
def test_network_joined_after_the_lobby_was_opened(props: Props) -> None:
    lan = props.lan({"host": [Port(address="10.77.0.1/24")], "late": [Port(address="10.77.0.3/24")], "guest": [Port()]})
    lan.ip("guest", "link", "set", "eth0", "down")
    table(lan, "host")
    guest = seeker(lan, "guest")
    off = guest.wait_for(lambda line: bool(line.get("problem")))
    assert off["problem"].startswith("this computer is on no network")
    lan.ip("guest", "addr", "add", "10.77.0.2/24", "dev", "eth0")
    lan.ip("guest", "link", "set", "eth0", "up")
    found = guest.wait_for(answers)
    assert found["problem"] is None
    # And again: the address changes while the lobby stays open, as on another Wi-Fi. It is not deaf then.
    lan.ip("guest", "addr", "flush", "dev", "eth0")
    lan.ip("guest", "addr", "add", "10.77.0.9/24", "dev", "eth0")
    late = table(lan, "late")
    guest.wait_for(lambda line: answers(line, ready(late)["id"]))


@scene
def test_no_interface_at_all(props: Props) -> None:
    lan = props.lan({"guest": []})
    lan.ip("guest", "addr", "flush", "dev", "lo")
    lan.ip("guest", "link", "set", "lo", "down")
    guest = seeker(lan, "guest")
    host = lan.python("guest", "table.py", "{}")
    for process in (guest, host):
        said = process.wait_for(lambda line: bool(line.get("problem")))["problem"]
        assert said.startswith("automatic discovery is off (no network interface has an address)")
        assert not process.errors
    host.kill(signal.SIGTERM)
    host.end()


HOLD = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", 5353))
s6 = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s6.setsockopt(41, 26, 1); s6.bind(("", 5353))
print('{"held": true}', flush=True); sys.stdin.read()
"""


@scene
def test_port_5353_taken_by_another_program(props: Props) -> None:
    lan = props.lan(plain("host", "guest"))
    holders = [lan.start(node, "python3", "-c", HOLD) for node in ("host", "guest")]
    for holder in holders:
        holder.wait_for(lambda line: "held" in line)
    host = lan.python("host", "table.py", "{}")
    said = host.wait_for(lambda line: "problem" in line)["problem"]
    assert said.startswith("automatic discovery is off (port 5353 busy)")
    guest = seeker(lan, "guest", remembered=[["10.77.0.1", ready(host)["port"]]])
    assert guest.wait_for(answers)["problem"].startswith("automatic discovery is off (port 5353 busy)")
    # The port is given back: discovery comes on by itself.
    for holder in holders:
        holder.kill()
    host.wait_for(lambda line: "announced" in line)
    guest.wait_for(lambda line: "heard" in line)
    host.send({"quit": True})
    host.end()


@scene
@needs(*FIREWALL)
def test_multicast_blocked_is_explained_and_addresses_work(props: Props) -> None:
    lan = props.lan(plain("host", "guest"))
    for chain in ("INPUT", "OUTPUT"):
        lan.run("guest", "iptables", "-A", chain, "-p", "udp", "--dport", "5353", "-j", "DROP")
        lan.run("guest", "ip6tables", "-A", chain, "-p", "udp", "--dport", "5353", "-j", "DROP")
    host = table(lan, "host")
    guest = seeker(lan, "guest")
    opened = guest.wait_for(lambda line: "opened" in line)["t"]
    hinted = guest.wait_for(lambda line: len(line.get("hints", ())) == 5)
    assert hinted["t"] - opened >= 4.5
    since = len(guest.lines)
    guest.send({"close": True})
    guest.wait_for(lambda line: "closed" in line, since)
    guest.send({"open": {"remembered": [["10.77.0.1", ready(host)["port"]]]}})
    assert guest.wait_for(answers, since)["hints"] == []


@scene
@needs(*FIREWALL)
def test_a_table_behind_a_firewall_is_spoken_of(props: Props) -> None:
    lan = props.lan(plain("host", "guest"))
    lan.run("host", "iptables", "-A", "INPUT", "-p", "tcp", "-j", "DROP")
    lan.run("host", "ip6tables", "-A", "INPUT", "-p", "tcp", "-j", "DROP")
    table(lan, "host", name="Walled")
    guest = seeker(lan, "guest")
    line = guest.wait_for(lambda line: any("firewall" in hint for hint in line.get("hints", ())))
    assert '"Walled" is announced at 10.77.0.1:' in line["hints"][0]


@scene
def test_found_though_packets_are_lost(props: Props) -> None:
    lan = props.lan(plain("host", "guest"))
    table(lan, "host")
    lan.faults("guest", loss=0.3, dup=0.1)
    guest = seeker(lan, "guest")
    guest.wait_for(lambda line: bool(line.get("rows")))
