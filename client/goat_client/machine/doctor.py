"""``goat doctor``: what on this computer may keep tables from being found, and what to do about it.

`look` asks the system, once; everything that judges is a function of what it found. Each finding is a line that
says “good”, or what to do.
"""

import argparse
import json as json_
import os
import platform
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from goat_client.machine.terminal_mode import DUMB
from goat_client.machine.text import safe
from goat_net.discovery.interfaces import Choice, Interface, choose, local_interfaces, multicast_problem
from goat_net.discovery.multicast import Heard, PortState, hear, port_state
from goat_net.folders import FolderError, data_dir

MIN_COLUMNS, MIN_ROWS = 60, 20
"""The smallest window that the table fits into."""

SPACE_WANTED = 50 * 2**20
"""Bytes free in the data folder: saved matches are small, and a full disk must not stop one half-way."""


class Level(StrEnum):
    """good: nothing to do. note: worth knowing. bad: something will not work until it is mended."""

    GOOD = "good"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line. check: what was looked at. text: what was found. todo: what to do, or ""."""

    check: str
    level: Level
    text: str
    todo: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that was asked of the system. system: ``Linux``, ``Darwin`` or ``Windows``, as Python has it.

    firewalls: those known to be on (``ufw``, ``firewalld``). release: the kernel's name of its version.
    """

    interfaces: tuple[Interface, ...]
    choice: Choice
    heard: tuple[Heard, ...]
    port: PortState
    system: str
    release: str
    firewalls: tuple[str, ...]
    container: bool
    environ: Mapping[str, str]
    encoding: str
    terminal: bool
    size: tuple[int, int]
    folder: str
    folder_problem: str
    space: int
    versions: Mapping[str, str] = field(default_factory=dict)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(args: argparse.Namespace) -> int:
    """``goat doctor``."""
    return diagnose(json=args.json)


def diagnose(json: bool = False) -> int:
    """Look, print to stdout, and return the exit code: 0 when nothing is bad, else 1."""
    findings = examine(look())
    sys.stdout.write(as_json(findings) if json else as_text(findings, sys.stdout.encoding or "ascii"))
    return int(any(finding.level is Level.BAD for finding in findings))


def examine(facts: Facts) -> list[Finding]:
    """Every finding, in the order in which one would mend things."""
    return [
        *interface_findings(facts.interfaces, facts.choice),
        *multicast_findings(facts.choice, facts.heard),
        port_finding(facts.port, facts.system),
        *firewall_findings(facts.system, facts.release, facts.firewalls, facts.container),
        *terminal_findings(facts.environ, facts.encoding, facts.terminal, facts.size, facts.system),
        folder_finding(facts.folder, facts.folder_problem, facts.space),
        Finding("versions", Level.GOOD, ", ".join(f"{name} {number}" for name, number in facts.versions.items())),
    ]


# Judging ---------------------------------------------------------------------------------------------------


def interface_findings(interfaces: Sequence[Interface], choice: Choice) -> list[Finding]:
    """Which networks this computer is on."""
    if not interfaces:
        return [Finding("network", Level.BAD, "no network interface has an address", JOIN_A_NETWORK)]
    outside = [interface for interface in interfaces if not interface.loopback]
    if not outside:
        return [Finding("network", Level.BAD, "this computer is on no network but its own", JOIN_A_NETWORK)]
    found = []
    for interface in outside:
        addresses = ", ".join(ip for ip, _ in (interface.v4 + interface.v6)[:4])
        kind = " (virtual: a container, a virtual machine or a VPN)" if interface.virtual else ""
        found.append(Finding("network", Level.GOOD, f"{interface.name}{kind}: {addresses}"))
    if all(interface.virtual for interface in outside):
        todo = "if the others are on a Wi-Fi, join the same one; a VPN may hide it: switch it off to play"
        found.append(Finding("network", Level.NOTE, "only virtual interfaces are up", todo))
    if any(ip.startswith("169.254.") for interface in outside for ip, _ in interface.v4):
        todo = "fine on a cable between two computers; on a Wi-Fi, join it again"
        found.append(Finding("network", Level.NOTE, "an address was made up because no router gave one", todo))
    found += [
        Finding("network", Level.NOTE, f"{name} can't be used for discovery: {reason}", "nothing, if you don't need it")
        for name, reason in choice.skipped
    ]
    return found


def multicast_findings(choice: Choice, heard: Sequence[Heard]) -> list[Finding]:
    """Whether questions to all go out and come in, interface by interface."""
    if not choice.sources:
        return [Finding("multicast", Level.BAD, "could not be tried: no interface to try it on", JOIN_A_NETWORK)]
    found = []
    for result in heard:
        where = f"{result.interface}, IPv{4 if isinstance(result.source, str) else 6}"
        if result.error:
            todo = f"tables are not found on {result.interface}; join by address works"
            found.append(Finding("multicast", Level.BAD, f"{where}: not sent ({result.error})", todo))
        elif not result.own and not result.others:
            todo = "a firewall here swallows UDP port 5353: let it through"
            found.append(Finding("multicast", Level.BAD, f"{where}: sent, and not heard", todo))
        elif not result.others:
            found.append(Finding("multicast", Level.GOOD, f"{where}: sent and heard; no other device spoke meanwhile"))
        else:
            devices = "1 other device" if result.others == 1 else f"{result.others} other devices"
            found.append(Finding("multicast", Level.GOOD, f"{where}: sent and heard, and {devices} heard too"))
    if heard and not any(result.others for result in heard):
        todo = (
            "normal on a quiet network; if others are there and no table shows, the router may keep devices apart "
            "(“AP isolation”, guest Wi-Fi)"
        )
        found.append(Finding("multicast", Level.NOTE, "nobody else was heard", todo))
    return found


def port_finding(port: PortState, system: str) -> Finding:
    """Whether the port of mDNS can be had."""
    named = ", ".join(port.holders)
    if port.error:
        return Finding("port 5353", Level.BAD, f"can't be opened: {port.error}", "join tables by address")
    if port.free:
        return Finding("port 5353", Level.GOOD, "free")
    usual = {"Darwin": "macOS itself", "Windows": "Windows itself"}.get(system, "another program")
    if port.shared:
        return Finding("port 5353", Level.GOOD, f"shared with {named or usual}, as it should be")
    who = named or "a program that isn't named here (try with sudo)"
    todo = (
        f"end {named or 'that program'} while you play, or let it share the port "
        "(avahi: disallow-other-stacks=no); until then join by address"
    )
    return Finding("port 5353", Level.BAD, f"held by {who} alone", todo)


def firewall_findings(system: str, release: str, firewalls: Sequence[str], container: bool) -> list[Finding]:
    """What is known, or usual, of firewalls on this system."""
    found = []
    if "microsoft" in release.casefold():
        text = "this is Linux inside Windows (WSL): others can't reach it in its usual network mode"
        todo = "set networkingMode=mirrored in .wslconfig, or run goat in Windows itself"
        found.append(Finding("firewall", Level.NOTE, text, todo))
    if container:
        todo = "start the container with the host's network (--network host)"
        found.append(Finding("firewall", Level.NOTE, "this is a container: others can't reach it as it is", todo))
    commands = {
        "ufw": "sudo ufw allow 5353/udp; sudo ufw allow PORT/tcp (the port that goat host shows)",
        "firewalld": "sudo firewall-cmd --add-service=mdns; sudo firewall-cmd --add-port=PORT/tcp (as goat host shows)",
    }
    for name in firewalls:
        found.append(Finding("firewall", Level.NOTE, f"{name} is on", f"to be found and to host: {commands[name]}"))
    usual = {
        "Darwin": (
            "macOS asks once whether the terminal may find devices on the network, and whether Python may be reached",
            "allow both: System Settings, Privacy & Security, Local Network; and Network, Firewall, Options",
        ),
        "Windows": (
            "Windows asks once whether Python may be reached, and keeps public networks shut",
            "allow it on private networks, and make this one private: Settings, Network & internet, Properties",
        ),
    }
    if system in usual:
        found.append(Finding("firewall", Level.NOTE, *usual[system]))
    return found or [Finding("firewall", Level.GOOD, "none that is known here is on")]


def terminal_findings(
    environ: Mapping[str, str], encoding: str, terminal: bool, size: tuple[int, int], system: str
) -> list[Finding]:
    """Whether the table can be drawn, and with which characters and colours."""
    found = []
    columns, rows = size
    term = environ.get("TERM", "")
    if not terminal:
        todo = "start goat in a terminal, or play by lines of text: --plain"
        found.append(Finding("terminal", Level.NOTE, "output goes to no terminal", todo))
    elif system != "Windows" and term in DUMB:
        text = f"TERM={term}: goat plays by lines of text"
        found.append(Finding("terminal", Level.NOTE, text, "set TERM if the terminal can draw"))
    elif columns < MIN_COLUMNS or rows < MIN_ROWS:
        todo = f"make the window at least {MIN_COLUMNS}×{MIN_ROWS}"
        found.append(Finding("terminal", Level.BAD, f"{columns}×{rows} is too small for the table", todo))
    else:
        colours = "no colours (NO_COLOR)" if environ.get("NO_COLOR") else "colours"
        found.append(Finding("terminal", Level.GOOD, f"{term or system}, {columns}×{rows}, {colours}"))
    if _can_show("♠♥♦♣", encoding):
        found.append(Finding("locale", Level.GOOD, f"{encoding}: suits are drawn"))
    else:
        todo = "for drawn suits use a UTF-8 locale (for example LC_ALL=C.UTF-8)"
        found.append(Finding("locale", Level.NOTE, f"{encoding}: suits are shown as S H D C", todo))
    return found


def folder_finding(folder: str, problem: str, space: int) -> Finding:
    """Whether keys and matches can be kept."""
    if problem:
        return Finding("data folder", Level.BAD, problem, "mend that, or choose another folder with GOAT_HOME")
    if space < SPACE_WANTED:
        todo = "make room: matches that can't be saved can't be gone on with"
        return Finding("data folder", Level.BAD, f"{folder}: only {space // 2**20} MiB free", todo)
    return Finding("data folder", Level.GOOD, f"{folder}: can be written")


JOIN_A_NETWORK = "join a Wi-Fi or plug in a cable; playing with bots works without"


def _can_show(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


# Printing --------------------------------------------------------------------------------------------------


def as_text(findings: Sequence[Finding], encoding: str) -> str:
    """Lines for a person, the worst last, where one looks first; nothing in them that the encoding lacks, or that a
    terminal would obey."""
    marks = {Level.GOOD: "✓", Level.NOTE: "·", Level.BAD: "✗"}
    arrow, plain = "→", {}
    if not _can_show("✓·✗→“”×", encoding):
        marks, arrow = {Level.GOOD: "ok", Level.NOTE: "--", Level.BAD: "!!"}, "->"
        plain = str.maketrans({"“": '"', "”": '"', "×": "x"})
    width = max(len(finding.check) for finding in findings)
    lines = []
    for finding in sorted(findings, key=lambda finding: _ORDER.index(finding.level)):
        lines.append(f"{marks[finding.level]} {finding.check:{width}}  {safe(finding.text)}")
        if finding.todo:
            lines.append(f"{' ' * (len(marks[finding.level]) + width + 3)}{arrow} {safe(finding.todo)}")
    lines.append(_in_all(findings))
    return "\n".join(lines).translate(plain).encode(encoding, "replace").decode(encoding) + "\n"


_ORDER = (Level.GOOD, Level.NOTE, Level.BAD)


def _in_all(findings: Sequence[Finding]) -> str:
    """The last line. "All good" says that there is nothing to read above it."""
    bad = sum(finding.level is Level.BAD for finding in findings)
    notes = sum(finding.level is Level.NOTE for finding in findings)
    if bad:
        return "1 thing to mend" if bad == 1 else f"{bad} things to mend"
    if notes:
        return f"nothing to mend; {notes} {'thing' if notes == 1 else 'things'} to know, just above"
    return "all good"


def as_json(findings: Sequence[Finding]) -> str:
    """One JSON object: ``{"good": bool, "findings": [{check, level, text, todo}]}``."""
    good = not any(finding.level is Level.BAD for finding in findings)
    return json_.dumps({"good": good, "findings": [asdict(finding) for finding in findings]}, indent=1) + "\n"


# Looking ---------------------------------------------------------------------------------------------------


def look() -> Facts:
    """Ask the system everything; takes about two seconds, most of it listening."""
    interfaces = local_interfaces()
    choice = choose(interfaces, check=multicast_problem)
    pairs = [(_of(choice.interfaces, source), source) for source in choice.sources]
    folder, problem, space = _folder()
    size = shutil.get_terminal_size()
    return Facts(
        interfaces=interfaces,
        choice=choice,
        heard=tuple(hear(pairs)),
        port=port_state(),
        system=platform.system(),
        release=platform.release(),
        firewalls=_firewalls(),
        container=Path("/.dockerenv").exists() or Path("/run/.containerenv").exists(),
        environ=dict(os.environ),
        encoding=sys.stdout.encoding or "ascii",
        terminal=sys.stdout.isatty(),
        size=(size.columns, size.lines),
        folder=folder,
        folder_problem=problem,
        space=space,
        versions=_versions(),
    )


def _of(interfaces: Sequence[Interface], source: str | int) -> Interface:
    """The interface a source belongs to."""
    return next(i for i in interfaces if source == i.index or any(source == ip for ip, _ in i.v4))


def _firewalls() -> tuple[str, ...]:
    """Firewalls that say, to anybody, that they are on."""
    found = []
    try:
        if "ENABLED=yes" in Path("/etc/ufw/ufw.conf").read_text("utf-8", "replace"):
            found.append("ufw")
    except OSError:
        pass
    if Path("/run/firewalld").exists():
        found.append("firewalld")
    return tuple(found)


def _folder() -> tuple[str, str, int]:
    """The data folder, what is wrong with it or "", and the bytes free there."""
    try:
        folder = data_dir()
        probe = folder / f".doctor-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
        return str(folder), "", shutil.disk_usage(folder).free
    except FolderError as problem:
        return "", str(problem), 0
    except OSError as problem:
        return "", f"{problem.filename or 'the data folder'} can't be written: {problem.strerror}", 0


def _versions() -> dict[str, str]:
    found = {}
    for name in ("goat-cards", "zeroconf", "cryptography", "prompt_toolkit"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return {**found, "Python": platform.python_version(), "system": f"{platform.system()} {platform.release()}"}
