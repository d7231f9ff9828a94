"""A table that somebody else hands to this person: it is opened here, from the match as this client has saved it, and
kept for as long as they stay (PROTOCOL.md, Handing the table over)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from goat_client.errors import CommandError
from goat_client.machine.child import Launch, TableProcess, guarded
from goat_client.machine.near import invitation, near
from goat_client.machine.settings import PACES, Settings
from goat_client.saved.table_of import table_of
from goat_net.table_options import TableOptions, clock_text
from goat_net.wire.address import Address
from goat_net.wire.messages import MAX_REACH

if TYPE_CHECKING:
    from goat_net.seat.session import TableSession
    from goat_net.seat.tableview import TableView

ANYWHERE: Final = {"0.0.0.0", "::"}  # noqa: S104 - what a table listens on, as it says itself


@dataclass(frozen=True, slots=True)
class Opening:
    """With what this person opens tables: settings, public key and its file, interfaces, whether it is announced."""

    settings: Settings
    key: bytes
    key_file: Path
    interfaces: tuple[str, ...] = ()
    announces: bool = True


class TakingOver:
    """Beside one session; `run` is a task of its caller's. ``code``: what the table asks guests for, or None: so does
    the one that is opened here."""

    def __init__(self, who: Opening, session: "TableSession", code: str | None) -> None:
        self._who, self._session, self._code = who, session, code
        self._awaited: frozenset[bytes] = frozenset()
        self._key = b""
        self._begun = False
        session.opens_tables = True

    async def run(self) -> None:
        """Open the table when this player takes it over, and keep it until cancelled."""
        session = self._session
        while True:
            await session.taking.wait()
            session.taking.clear()
            if self._key or not session.view.log_path:
                continue
            try:
                launch = self._launch(session.view)
                table = await TableProcess.start(launch)
            except CommandError as error:
                session.not_opened(f"The table cannot be opened here: {error}")
                continue
            async with guarded(table, launch):
                await self._keep(table)

    async def _keep(self, table: TableProcess) -> None:
        """Say where the table is, until it is not handed over after all."""
        session, view = self._session, self._session.view
        host = next((s.seat for s in view.seats if s.host), None)
        self._awaited = frozenset(s.key for s in view.seats if s.taken and not s.bot and s.seat != host)
        self._key, self._begun = table.table_key, False
        session.withdrawn.clear()
        session.opened(table.table_key, places(table, session.local), invitation(table, self._code))
        await session.withdrawn.wait()
        self._key = b""

    def begin(self, session: "TableSession", view: "TableView") -> None:
        """At the new table: begin as soon as all have come who were in the match, but the host who has left."""
        if not self._key or self._begun or session.chair.table_key != self._key or not view.is_host:
            return
        if view.stage == "lobby" and self._awaited <= {s.key for s in view.seats if s.taken}:
            self._begun = True
            session.start()

    def _launch(self, view: "TableView") -> Launch:
        """The table of the saved match again, with bots as strong as those that play here. Raises CommandError."""
        who, table = self._who, table_of(Path(view.log_path))
        settings, level = table.settings, who.settings.level
        bots = tuple(s.level or level for s in view.seats if s.bot or s.host)
        options = TableOptions(
            name=table.name, watch=settings.watch, hints=settings.hints, grace=settings.grace,
            clock=clock_text(settings.clock_base, settings.clock_more), interface=who.interfaces,
            discovery=who.announces, pace=PACES[who.settings.pace], bots=bots or (level,),
            owner=who.key.hex(), operator=str(who.key_file),
        )  # fmt: skip
        return Launch(options, self._code, resume=view.log_path)


def places(table: TableProcess, local: str) -> tuple[str, ...]:
    """Where the others reach a table of this machine: at the address at which they have met it before, then at others
    that it listens on."""
    listens = set(table.listens)
    met = [local] if local and "%" not in local and (listens & ANYWHERE or local in listens) else []
    hosts = dict.fromkeys([*met, *near(table)])
    return tuple(str(Address(host, table.address.port)) for host in hosts)[:MAX_REACH]
