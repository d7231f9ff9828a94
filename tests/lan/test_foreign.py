"""Avahi as the foreign witness: what it sees of our tables, and what we see of its."""

import json
import time

from lan import WITHIN, Props, answers, goat, host, plain, ready, scene, seeker, table
from witness import Avahi


@scene
def test_avahi_sees_our_table_and_its_goodbye(props: Props) -> None:
    lan = props.lan(plain("host", "witness"))
    witness = Avahi(lan, "witness", props.folder)
    host = table(lan, "host", name="Ann's v1.2 table")
    told = ready(host)
    rows = witness.browse()
    over_v4 = next(row for row in rows if row[2] == "IPv4" and ":" not in row[7])
    _, _, _, instance, type_, domain, host_name, address, port, txt = over_v4
    assert (instance, type_, domain) == (f"Goat\\032{told['id'][:4]}", "_goat-cards._tcp", "local")
    assert (host_name, address, port) == (f"goat-{told['id']}.local", "10.77.0.1", str(told["port"]))
    for part in ("txtvers=1", "pv=1", f"id={told['id']}", "n=Ann's v1.2 table", "s=0/4", "w=1", "st=lobby"):
        assert f'"{part}"' in txt
    host.send({"quit": True})
    host.end()
    end = time.monotonic() + WITHIN
    while rows and time.monotonic() < end:
        rows = witness.browse()
    assert rows == []


@scene
def test_we_see_a_table_that_avahi_announces(props: Props) -> None:
    lan = props.lan(plain("guest", "witness"))
    witness = Avahi(lan, "witness", props.folder)
    id_ = "ab" * 16
    # A dot in the instance name, as somebody else's program may have it: the row shows the name of the TXT record.
    fields = ["txtvers=1", "pv=1", "v=9.9", f"id={id_}", "s=2/4", "w=0", "st=lobby", "n=Zoë 1.2"]
    witness.publish("Ann's v1.2", 4100, *fields)
    guest = seeker(lan, "guest")
    heard = guest.wait_for(lambda line: line.get("heard") == id_ and line["addresses"][0] == "10.77.0.2:4100")
    assert heard["name"] == "Zoë 1.2"
    shown = guest.wait_for(lambda line: bool(line.get("rows")))["rows"][0]
    assert (shown["name"], shown["seats"], shown["rtt"]) == ("Zoë 1.2", 2, None)


@scene
def test_port_shared_with_avahi_on_both_machines(props: Props) -> None:
    """As on most Linux desktops: Avahi was there first, and answers to one of the two reach only one of them."""
    lan = props.lan(plain("host", "guest"))
    Avahi(lan, "host", props.folder)
    witness = Avahi(lan, "guest", props.folder)
    table_ = host(lan, "host", "--name", "Kitchen")
    for _ in range(5):
        guest = seeker(lan, "guest", real=True)
        guest.wait_for(answers)
        guest.close()
    assert any(f"id={ready(table_)['id']}" in row[9] for row in witness.browse())
    found = goat(lan, "guest", "doctor", "--json")
    found.popen.wait()
    findings = json.loads("".join(found.text))["findings"]
    port = next(finding for finding in findings if finding["check"] == "port 5353")
    assert (port["level"], port["text"]) == ("good", "shared with avahi-daemon, as it should be")
