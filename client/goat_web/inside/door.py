"""Between the worker of a page and its seat: commands come in, pictures and sentences go out.

The worker registers a module ``goat_page`` with what `Page` lists, and calls `Door`. Everything else is the same as at
a terminal: a `TableSession`, a `Model`, a `Control`.
"""

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Final, Protocol, cast

from goat_client.game import narration
from goat_client.game.control import Control
from goat_client.game.model import Model
from goat_client.game.people import leaving
from goat_client.machine.glyphs import UNICODE
from goat_client.machine.settings import Settings

from goat_net.seat.session import TableSession
from goat_net.seat.staying import SeatSetup
from goat_net.seat.tableview import Stage, TableView
from goat_net.version import program_version
from goat_net.wire.identity import Identity
from goat_net.wire.messages import ROLE_PLAYER, ROLE_WATCHER
from goat_net.wire.text import clean_name
from goat_web.inside.line import Open, dialler
from goat_web.inside.picture import aloud, picture
from goat_web.inside.prompts import PAGE
from goat_web.inside.store import Disk, PageStore

GUEST: Final = "Guest"
RETRY_FOR: Final = 3600.0  # s: the longest grace time that a table can have; whoever waits longer reloads the page


class Page(Protocol):
    """What the worker gives: the start's options as JSON, what was kept, the disk, the line, the screen."""

    options: str
    kept: Any
    disk: Any

    def line(self, on_first: Any, on_bytes: Any, on_end: Any) -> Any:
        """Open a WebSocket to the gateway."""

    def show(self, changes: str) -> None:
        """The parts of the picture that have changed, as JSON."""

    def say(self, text: str) -> None:
        """A sentence for who listens."""

    def over(self, text: str) -> None:
        """The table has been left."""


class _Disk:
    """`goat_web.inside.store.Disk` over the worker's own."""

    def __init__(self, disk: Any, to_js: Callable[[bytes], Any]) -> None:
        self._disk, self._to_js = disk, to_js

    def put(self, key: str, value: bytes | None) -> None:
        """See `Disk`."""
        self._disk.put(key, None if value is None else self._to_js(value))

    def hold(self) -> None:
        """See `Disk`."""
        self._disk.hold()

    def problem(self) -> str:
        """See `Disk`."""
        return str(self._disk.problem())


class Door:
    """One seat in one page. ``options``: ``name``, ``code``, ``seat`` (0-3, absent for any), ``watch``, and
    ``by``, whose page it is."""

    def __init__(self, page: Page, disk: Disk, kept: Mapping[str, bytes], open_socket: Open) -> None:
        self._page = page
        options: dict[str, Any] = json.loads(page.options)
        identity = self._identity(disk, kept)
        watches = bool(options.get("watch"))
        seat = options.get("seat")
        setup = SeatSetup(
            clean_name(str(options.get("name") or "")) or GUEST,
            program_version(),
            ROLE_WATCHER if watches else ROLE_PLAYER,
            None if watches else seat if isinstance(seat, int) else 4,
            code=str(options["code"]) if options.get("code") else None,
            listen=None,
            page=clean_name(str(options.get("by") or ""), ""),
        )
        self.session = TableSession(
            identity,
            setup,
            (),
            retry_for=RETRY_FOR,
            dial=dialler(open_socket),
            store=lambda log_id: PageStore(disk, kept, log_id, identity.public, os.urandom),
            direct=False,
        )
        settings = Settings(four_colours=bool(options.get("four_colours")))
        self.model = Model(settings=settings, glyphs=UNICODE, prompts=PAGE)
        self.control = Control(self.session, self.model)
        self._shown: dict[str, Any] = {}
        self._told = TableView()
        self._due: asyncio.Handle | None = None
        self._tick: asyncio.TimerHandle | None = None
        self._stop = asyncio.Event()

    def _identity(self, disk: Disk, kept: Mapping[str, bytes]) -> Identity:
        seed = kept.get("identity", b"")
        if not seed:
            seed = os.urandom(32)
            disk.put("identity", seed)
            disk.hold()
        return Identity.from_seed(seed)

    async def run(self) -> None:
        """Be at the table until the person goes or it closes."""
        self.control.take(self.session.view, self._now())
        self.session.on_change(self._changed)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(self.session.run())
            waiting = group.create_task(self._stop.wait())
            await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                await self.session.leave()
                await running
            waiting.cancel()
        self._show()
        self._page.over(self.session.view.trouble)

    # What the worker calls

    def do(self, command: str) -> None:
        """A command by its name, as a key gives it at a terminal."""
        if command == "hint" and self.model.hint and self.model.on_turn:
            return  # a page shows all of it already
        self.control.do(command, self._now())
        self._after()

    def say(self, text: str) -> None:
        """Something typed into the talk."""
        self.control.say(text, self._now())
        self._after()

    def drawn(self) -> None:
        """The last picture is on the screen."""
        self.model.seen(self._now())
        self._arm()

    def colours(self, four: bool) -> None:
        """Four colours for the suits, or two."""
        self.model.settings = Settings(four_colours=four)
        self._after()

    def leaving(self) -> str:
        """What leaving now would mean, as a question, or empty."""
        return leaving(self.model.view)

    def leave(self) -> None:
        """Go, and say goodbye."""
        self._stop.set()

    # Pictures

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _changed(self, view: TableView) -> None:
        self.control.take(view, self._now())
        self._after()

    def _after(self) -> None:
        """Something may have changed: one picture, once everything else of this turn is done."""
        if self.control.outcome is not None:
            self._stop.set()
        if self._due is None:
            self._due = asyncio.get_running_loop().call_soon(self._show)

    def _show(self) -> None:
        self._due = None
        view = self.model.view
        if view is not self._told:
            old, self._told = self._told, view
            for line in heard(self.model, old, view):
                self._page.say(line)
        self._arm()
        now = picture(self.model, self._now())
        changes = {key: value for key, value in now.items() if self._shown.get(key, self) != value}
        if changes:
            self._shown = now
            self._page.show(json.dumps(changes))

    def _arm(self) -> None:
        """Draw again when something goes by itself: a trick that is held, a sentence, the opening of a deal."""
        if self._tick is not None:
            self._tick.cancel()
            self._tick = None
        wake = self.model.tick(self._now())
        if wake is not None:
            self._tick = asyncio.get_running_loop().call_at(wake + 0.001, self._after)


def heard(model: Model, old: TableView, view: TableView) -> Iterator[str]:
    """What has happened between two views, for the page's live region: the sentences of plain mode, in its order, with
    cards in words."""
    model = aloud(model)
    yield from narration.people(model, old, view)
    yield from narration.talk(model, old, view)
    before = old.deal if old.deal_number == view.deal_number else None
    if view.deal is not None and view.deal is not before:
        yield from narration.deal_news(model, before, view, len(old.returned) if before is not None else 0)
    if len(view.reports) > len(old.reports):
        yield from narration.verdict(model, view.reports[-1])
    if view.stage is Stage.OVER and old.stage is not Stage.OVER:
        yield from narration.finale(model, view)


def door() -> Any:
    """The door of this page, for the worker."""
    page = cast(Page, import_module("goat_page"))
    ffi = import_module("pyodide.ffi")
    kept = {str(pair[0]): bytes(pair[1].to_bytes()) for pair in page.kept}

    def open_socket(on_first: Any, on_bytes: Any, on_end: Any) -> Any:
        return page.line(*(ffi.create_proxy(f) for f in (on_first, on_bytes, on_end)))

    return ffi.create_proxy(Door(page, _Disk(page.disk, ffi.to_js), kept, open_socket))
