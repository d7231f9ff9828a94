"""Where the others reach a table of this machine, and what its host tells them."""

from goat_client.machine.child import TableProcess
from goat_net.discovery.interfaces import advertised, local_interfaces
from goat_net.wire.address import Address


def near(table: TableProcess) -> list[str]:
    """Numeric addresses at which the others reach this machine, at most three."""
    if {"0.0.0.0", "::"} & set(table.listens):  # noqa: S104 - what it listens on, as it says itself
        reachable = [i for i in local_interfaces() if not i.loopback]
        return [a for a in advertised(reachable) if ":" not in a][:3]
    return list(table.listens)[:3]


def invitation(table: TableProcess, code: str | None) -> tuple[str, ...]:
    """What the host tells whoever does not see the table without help: where it is, and its code."""
    places = " or ".join(str(Address(a, table.address.port)) for a in near(table))
    lines = [f"Who does not see the table joins by address: {places}"] if places else []
    return (*lines, *([f"The table's code: {code}"] if code else []))
