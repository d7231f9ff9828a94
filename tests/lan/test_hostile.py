"""Somebody hostile on the same network: names, impostors, false goodbyes, floods."""

import json
import unicodedata
from pathlib import Path

from lan import Lan, Process, Props, answers, plain, ready, scene, seeker, table

from goat_net.discovery.advert import TableAdvert, to_txt


def strings(data: bytes) -> list[str]:
    """The character-strings of TXT data, in hex."""
    found = []
    while data:
        found.append(data[1 : 1 + data[0]].hex())
        data = data[1 + data[0] :]
    return found


def lie(lan: Lan, node: str, what: str, **options: object) -> Process:
    return lan.python(node, "liar.py", what, json.dumps(options))


@scene
def test_names_from_the_network_are_harmless(props: Props) -> None:
    lan = props.lan(plain("host", "guest", "liar"))
    bad = "evil\r\n\x1b[2J\x9b31m\u202e\u200b" + "x" * 80
    refused = [b"evil\r\n\x1b[2J", b"\xff\xfe\x00", b""]  # control characters, or no name at all: passed over
    shown = [b"a.b.c", "\u202eevil".encode(), b"x" * 63]
    host = table(lan, "host", name="Honest")
    guest = seeker(lan, "guest")
    guest.wait_for(answers)  # it listens, for what is said only now
    for number, label in enumerate(refused + shown):
        txt = to_txt(TableAdvert(1, "1", f"{number:032x}", "x"))
        named = [*strings(txt)[:-1], ("n=" + bad).encode()[:200].hex()]
        name = f"liar{number}"
        lie(lan, "liar", "table", instance=label.hex(), txt=named, ip="10.77.0.3", port=9, host=name).end()
    for number in range(len(refused), len(refused + shown)):
        guest.wait_for(lambda line, id_=f"{number:032x}": line.get("heard") == id_)
    names = [line["name"] for line in guest.lines if "heard" in line]
    names += [row["name"] for line in guest.lines for row in line.get("rows", ())]
    assert "Honest" in names
    for name in names:
        assert len(name) <= 16
        assert not {unicodedata.category(char) for char in name} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert any(row["id"] == ready(host)["id"] for row in guest.wait_for(answers, len(guest.lines))["rows"])
    assert not guest.errors


@scene
def test_an_impostor_neither_takes_a_row_nor_removes_it(props: Props) -> None:
    lan = props.lan(plain("host", "guest", "liar"))
    host = table(lan, "host", name="Honest")
    id_ = ready(host)["id"]
    guest = seeker(lan, "guest")
    honest = guest.wait_for(answers)["rows"][0]["address"]
    # Another instance with the same id, another name and another address, where another table answers.
    other = table(lan, "liar", name="Other")
    since = len(guest.lines)
    false = strings(to_txt(TableAdvert(1, "1", id_, "Mine now", 4)))
    liar = lie(
        lan, "liar", "table", instance=b"Goat ffff".hex(), txt=false, ip="10.77.0.3", port=ready(other)["port"]
    )
    liar.end()
    lie(lan, "liar", "goodbye", instance=f"Goat {id_[:4]}").end()
    guest.wait_for(lambda line: line.get("lost") == id_ or line.get("name") == "Mine now", since)
    back = guest.wait_for(lambda line: answers(line, id_), len(guest.lines))
    row = next(row for row in back["rows"] if row["id"] == id_)
    assert (row["name"], row["address"]) == ("Honest", honest)
    # Having outlived one false goodbye, it isn't hidden by the next.
    since = len(guest.lines)
    for _ in range(2):
        lie(lan, "liar", "goodbye", instance=f"Goat {id_[:4]}").end()
    assert all(any(row["id"] == id_ for row in line["rows"]) for line in guest.lines[since:] if "rows" in line)
    guest.send({"join": id_})
    assert guest.wait_for(lambda line: "joined" in line)["id"] == id_


def memory(process: Process) -> float:
    """Resident memory in MiB."""
    status = Path(f"/proc/{process.popen.pid}/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@scene
def test_a_flood_of_tables_costs_little(props: Props) -> None:
    lan = props.lan(plain("host", "guest", "liar", "other"))
    host = table(lan, "host", name="Honest")
    guest = seeker(lan, "guest")
    guest.wait_for(answers)
    before = [memory(host), memory(guest)]
    since = len(guest.lines)
    flood = lie(lan, "liar", "flood", seconds=3, rate=1500)
    flood.end()
    after = [memory(host), memory(guest)]
    id_ = ready(host)["id"]
    shown = [line["rows"] for line in guest.lines[since:] if "rows" in line]
    assert max(len(rows) for rows in shown) <= 64
    assert all(any(row["id"] == id_ for row in rows) for rows in shown)
    # A table that comes while they shout is found all the same.
    lie(lan, "liar", "flood", seconds=5, rate=1500)
    second = table(lan, "other", name="Second")
    guest.wait_for(lambda line: answers(line, ready(second)["id"]), len(guest.lines))
    assert max(b - a for a, b in zip(before, after, strict=True)) < 60
