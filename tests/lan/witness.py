"""Avahi in a node of the bench: somebody else's mDNS, as a witness."""

from pathlib import Path

from lan import Lan, Process

TOOLS = ("avahi-daemon", "avahi-browse", "avahi-publish", "dbus-daemon", "unshare")


class Avahi:
    """An avahi-daemon in a node, with a message bus of its own."""

    def __init__(self, lan: Lan, node: str, folder: Path) -> None:
        self.lan, self.node = lan, node
        folder = folder / f"avahi-{node}"
        folder.mkdir()
        # An abstract name, which the node's network has to itself: dbus-daemon takes no path of 100 bytes or more.
        bus = "unix:abstract=goat-bus"
        (folder / "bus.conf").write_text(
            f"<busconfig><type>session</type><listen>{bus}</listen><auth>EXTERNAL</auth>"
            '<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>'
            '<allow own="*"/><allow user="*"/></policy></busconfig>'
        )
        (folder / "avahi.conf").write_text(
            f"[server]\nhost-name=witness-{node}\nuse-ipv4=yes\nuse-ipv6=yes\nratelimit-interval-usec=1000000\n"
            "ratelimit-burst=1000\n[publish]\npublish-hinfo=no\npublish-workstation=no\n"
        )
        self.env = {"DBUS_SYSTEM_BUS_ADDRESS": bus}
        dbus = lan.start(node, "dbus-daemon", "--nofork", f"--config-file={folder / 'bus.conf'}", "--print-address")
        assert dbus.saw("unix:")
        # The daemon wants /run/avahi-daemon to itself: a mount namespace gives it one.
        daemon = lan.start(
            node, "unshare", "-m", "sh", "-c",
            "mount -t tmpfs tmpfs /run && mkdir /run/avahi-daemon && "
            f"exec avahi-daemon --no-drop-root --no-chroot --no-rlimits -f {folder / 'avahi.conf'}",
            **self.env,
        )  # fmt: skip
        assert daemon.saw("Server startup complete", error=True)

    def browse(self) -> list[list[str]]:
        """What ``avahi-browse -rpt`` resolves, as fields."""
        words = ["env", *(f"{k}={v}" for k, v in self.env.items()), "avahi-browse", "-rpt", "_goat-cards._tcp"]
        out = self.lan.run(self.node, *words).stdout
        return [line.split(";") for line in out.splitlines() if line.startswith("=")]

    def publish(self, name: str, port: int, *txt: str) -> Process:
        """Start ``avahi-publish`` of a table."""
        words = ["avahi-publish", "-s", name, "_goat-cards._tcp", str(port), *txt]
        process = self.lan.start(self.node, *words, **self.env)
        assert process.saw("Established", error=True)
        return process
