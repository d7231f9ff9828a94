"""A cable is pulled and put in again: noticed, healed, same seat, same match."""

import time

from lan import Props, host, plain, ready, scene


def pulled(props: Props, cut_for: float) -> None:
    """T4: what follows the cut and the return is waited for; how long it took is printed and decides nothing."""
    lan = props.lan(plain("host", "guest", "other"))
    table = host(lan, "host", "--interface", "10.77.0.1", "--no-discovery", "--pace", "0.4", "--bots", "easy,easy,easy")
    where = f"10.77.0.1:{ready(table)['port']}"
    other = lan.python("other", "player.py", where, "Other", str(props.folder / "other"), "look")
    guest = lan.python("guest", "player.py", where, "Guest", str(props.folder / "guest"), "play")
    seat = guest.wait_for(lambda line: line.get("stage") == "play")["me"]
    other.wait_for(lambda line: line.get("stage") == "play")
    since, seen = len(guest.lines), len(other.lines)
    lan.faults("guest", cut=1.0)
    cut = time.monotonic()
    lost = guest.wait_for(lambda line: line.get("link") is False, since)
    away = other.wait_for(lambda line: line.get("away") == [seat], seen)
    time.sleep(max(0.0, cut + cut_for - time.monotonic()))
    since, seen = len(guest.lines), len(other.lines)
    lan.faults("guest", cut=0.0)
    healed = time.monotonic()
    back = guest.wait_for(lambda line: line.get("link") is True, since)
    here = other.wait_for(lambda line: line.get("away") == [], seen)
    print(f"cut for {cut_for} s: noticed after {lost['t'] - cut:.1f} and {away['t'] - cut:.1f} s, healed after "
          f"{back['t'] - healed:.1f} and {here['t'] - healed:.1f} s")  # fmt: skip
    assert back["me"] == seat
    guest.wait_for(lambda line: line.get("entries", 0) > back["entries"] + 5, since)


@scene
def test_a_short_cut(props: Props) -> None:
    pulled(props, 8.0)


@scene
def test_a_long_cut(props: Props) -> None:
    pulled(props, 20.0)
