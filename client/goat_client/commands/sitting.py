"""From a command to a screen at a table: profile, key, settings, session, and the way back."""

import argparse
import asyncio
import getpass
import os
import random
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from goat_client.commands.taking_over import Opening, TakingOver
from goat_client.commands.whole import load_rest
from goat_client.errors import CommandError
from goat_client.machine.settings import Settings, SettingsError, load, save
from goat_client.machine.terminal_mode import NO_TERMINAL, Mode, choose
from goat_net.exits import tell
from goat_net.folders import HOME_VARIABLE, FolderError, config_dir, data_dir, data_path, is_unwritable, profile
from goat_net.harmless import harmless
from goat_net.version import program_version
from goat_net.wire.address import Address
from goat_net.wire.identity import Identity, IdentityError, Known
from goat_net.wire.messages import NAME_TAKEN, ROLE_PLAYER
from goat_net.wire.text import clean_name, is_name

if TYPE_CHECKING:
    from goat_client.game.control import Outcome
    from goat_net.seat.session import TableSession
    from goat_net.seat.tableview import TableView

RETRY_FOR: Final = 600.0  # s a client tries to come back to a table by itself
LEAVE_WITHIN: Final = 2.0  # s for a goodbye
# Numbers behind a name that is taken: "Ann 2", "Ann 3", then some by lot, so that nobody can sit on all of them.
NAME_NUMBERS: Final = 99
NAME_TRIES_BY_LOT: Final = 3


@dataclass(slots=True)
class Person:
    """Who sits at this keyboard: profile folder, key, settings, and the mode they play in. ``matches``: where this
    profile's matches are saved. ``muted``: whom they do not want to hear in this run, by key. ``parting``: the last
    lines at the shell. ``announces``: whether a table that they open is announced on these interfaces."""

    folder: Path
    identity: Identity
    known: Known
    settings: Settings
    mode: Mode
    matches: Path
    muted: dict[bytes, str] = field(default_factory=dict)
    interfaces: tuple[str, ...] = ()
    announces: bool = True
    parting: tuple[str, ...] = ()
    _lines: "AsyncIterator[str] | None" = None

    def lines(self) -> "AsyncIterator[str]":
        """Lines of standard input in plain mode: one reader for the whole run, whatever is shown meanwhile."""
        from goat_client.lines.stdin import stdin_lines

        if self._lines is None:
            self._lines = stdin_lines(sys.stdin)
        return self._lines

    @property
    def has_typed(self) -> bool:
        """Whether lines have been read in this run."""
        return self._lines is not None

    @property
    def name(self) -> str:
        """The name the others see."""
        return clean_name(self.settings.name or _account())

    @property
    def key_file(self) -> Path:
        """Where the key is."""
        return self.folder / "identity.key"

    def save(self, settings: Settings) -> None:
        """Keep changed settings."""
        self.settings = settings
        save(settings, settings_path())


def _account() -> str:
    try:
        return getpass.getuser().capitalize()
    except (OSError, KeyError, ImportError):
        return "Player"


def settings_path() -> Path:
    """The settings file."""
    return config_dir() / "goat.toml"


@contextmanager
def person(args: argparse.Namespace, *, screen: bool = True) -> Iterator[Person]:
    """The person of this run, with a profile of their own while the block lasts. Raises CommandError."""
    mode = choose(plain=args.plain)
    if screen and mode is Mode.NONE:
        raise CommandError(NO_TERMINAL, 2)
    try:
        settings, warnings = load(settings_path())
        for warning in warnings:
            tell(f"{settings_path().name}: {warning}")
        changes: dict[str, str] = {}
        if args.ascii:
            changes["ascii"] = "yes"
        if args.no_color:
            changes["colour"] = "none"
        settings = replace(settings, **changes)  # type: ignore[arg-type]  # both are text
        interfaces = tuple(getattr(args, "interface", ()))
        with _profile() as (folder, identity, matches):
            who = Person(folder, identity, Known(folder / "known"), settings, mode, matches, interfaces=interfaces)
            who.announces = not getattr(args, "no_discovery", False)
            yield who
            for line in who.parting:
                tell(line)
    except (SettingsError, FolderError, IdentityError) as error:
        raise CommandError(str(error), 2) from error


@contextmanager
def _profile() -> Iterator[tuple[Path, Identity, Path]]:
    """Profile folder, key, and where matches are to be saved. Where nothing can be written the first two live as long
    as this run; the third stays, so that the table says that the match is not saved."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(profile(data_dir())).path
            found = folder, Identity.load_or_create(folder / "identity.key"), folder / "matches"
        except (FolderError, IdentityError) as error:
            if not is_unwritable(error):
                raise
            matches = data_path() / "matches"
            folder = stack.enter_context(_kept_nowhere(error))
            found = folder, Identity.load_or_create(folder / "identity.key"), matches
            tell(f"{error}. Until then you play under a key of this run alone, and nothing is saved.")
        yield found


@contextmanager
def _kept_nowhere(error: Exception) -> Iterator[Path]:
    """A profile that is gone when its run ends; the table's process finds it too. Raises the error without room."""
    before = os.environ.get(HOME_VARIABLE)
    try:
        home = TemporaryDirectory(prefix="goat-")
    except OSError:
        raise error from error.__cause__
    with home as path:
        os.environ[HOME_VARIABLE] = path
        try:
            with profile(data_dir()) as own:
                yield own.path
        finally:
            del os.environ[HOME_VARIABLE]
            if before is not None:
                os.environ[HOME_VARIABLE] = before


def say(text: str) -> None:
    """A line of a game in plain mode."""
    print(harmless(text, lines=True), flush=True)  # noqa: T201 - that is what this is for


def tried_names(name: str) -> tuple[str, ...]:
    """What somebody of this name is called, in the order in which it is tried while the one before is taken."""
    numbers = (2, 3, *random.sample(range(4, NAME_NUMBERS + 1), NAME_TRIES_BY_LOT))
    return (name, *(_numbered(clean_name(name), number) for number in numbers))


def _numbered(name: str, number: int) -> str:
    """A name with a number behind it: as much of the name as there is room for."""
    cut = next(n for n in range(len(name), 0, -1) if is_name(f"{name[:n].rstrip()} {number}"))
    return f"{name[:cut].rstrip()} {number}"


async def sit_down(
    who: Person,
    addresses: Sequence[Address],
    *,
    seat: int | None = 4,
    role: int = ROLE_PLAYER,
    code: str | None = None,
    table_key: bytes | None = None,
    fingerprint: str = "",
    begin: "Callable[[TableSession, TableView], None] | None" = None,
    alone: bool = False,
    invite: tuple[str, ...] = (),
    listen: str = "",
) -> "Outcome":
    """Be at a table until it is left. ``begin``: called with every view before the match, for what goes by itself.
    ``alone``: nobody is waited for, so the lobby is not shown at all.
    ``invite``: see `goat_net.seat.tableview.TableView`; ``listen``: see `goat_net.seat.session.SeatSetup`."""
    from goat_client.game.control import End, Outcome
    from goat_net.discovery.looking import looking_again
    from goat_net.seat.session import TableSession
    from goat_net.seat.staying import SeatSetup

    name = who.name
    outcome = Outcome(End.CLOSED)
    for tried in tried_names(name):
        setup = SeatSetup(
            tried,
            program_version(),
            role,
            seat,
            code=code,
            table_key=table_key,
            fingerprint=fingerprint,
            folder=who.matches,
            listen=listen,
        )
        session = TableSession(
            who.identity,
            setup,
            addresses,
            known=who.known,
            retry_for=RETRY_FOR,
            refresh=None if alone else looking_again(who.interfaces),
        )
        session.view = replace(session.view, invite=invite)
        outcome = await _show(who, session, begin, alone)
        if session.end is None or session.end.reason != NAME_TAKEN or session.was_in:
            break
    if outcome.again is not None:
        from goat_client.commands.practice import play_on

        return await play_on(outcome.again, who.settings, who.mode)
    return outcome


async def _show(
    who: Person, session: "TableSession", begin: "Callable[[TableSession, TableView], None] | None", alone: bool
) -> "Outcome":
    from goat_client.game.control import End, Outcome
    from goat_net.seat.tableview import Stage

    begun = asyncio.Event()
    opening = Opening(who.settings, who.identity.public, who.key_file, who.interfaces, who.announces)
    taking_over = TakingOver(opening, session, session.setup.code)

    def before_show(view: "TableView") -> None:
        if begin is not None:
            begin(session, view)
        taking_over.begin(session, view)
        if view.stage is Stage.OVER:
            who.parting = last_lines(view)  # also when the seats are shown again before it is left
        if not alone or view.stage not in (Stage.JOINING, Stage.LOBBY):
            begun.set()

    session.before_show = before_show
    async with asyncio.TaskGroup() as group:
        running = group.create_task(session.run())
        await session.entered()
        await begun.wait()
        if session.view.stage is Stage.CLOSED and not session.was_in:
            await running
            return Outcome(End.CLOSED, sentence(session.view.trouble))
        rest = group.create_task(load_rest(who.mode))
        table = group.create_task(taking_over.run())
        try:
            outcome = await show_table(who, session)
        finally:
            rest.cancel()
            await session.leave()
            try:
                async with asyncio.timeout(LEAVE_WITHIN):
                    await asyncio.shield(running)
            except TimeoutError:
                running.cancel()
            table.cancel()  # after our goodbye: it stops the table that was opened here
    if session.view.reports or not who.parting:  # a match that has just begun is no news beside one that was played
        who.parting = last_lines(session.view)
    if session.handed_to and outcome.end is End.CLOSED:
        return replace(outcome, end=End.LEFT, message=session.view.trouble)  # it was theirs to hand over
    if outcome.end is End.CLOSED and not outcome.message:
        return replace(outcome, message=sentence(session.view.trouble))
    return outcome


def sentence(text: str) -> str:
    """What ended a connection, which may follow a colon elsewhere, as a sentence of its own."""
    return text[:1].upper() + text[1:]


def last_lines(view: "TableView") -> tuple[str, ...]:
    """What is said at the shell of the table that was left last."""
    from goat_client.game.model import Model
    from goat_client.game.narration import parting

    return parting(Model(view=view))


def preload(who: Person) -> None:
    """Import the screen while something else is waited for: it takes a tenth of a second."""
    import_module("goat_net.seat.session")
    import_module("goat_client.lines.plain" if who.mode is Mode.PLAIN else "goat_client.screen.app")


def missed(wish: int | None, view: "TableView") -> str:
    """That the seat somebody asked for is not free, and what then; "" when they sit or asked for none."""
    if wish is None or wish not in range(4) or view.me is not None or view.stage == "closed":
        return ""
    holder = view.seats[wish].name
    if not holder:  # it is free, and on its way to them
        return ""
    return f"Seat {wish + 1} is {holder}'s: you watch. Choose another seat, or wait for one that is free."


async def show_table(who: Person, session: "TableSession") -> "Outcome":
    """The screen that fits the terminal."""
    notice = missed(session.setup.seat, session.view)
    if who.mode is Mode.PLAIN:
        from goat_client.lines.plain import run_plain

        if notice:
            say(notice)
        at_once = not sys.stdin.isatty()
        lines, keep = who.lines(), who.save
        return await run_plain(
            session, who.settings, lines=lines, write=say, at_once=at_once, save=keep, muted=who.muted
        )
    from goat_client.screen.app import run_table

    return await run_table(session, who.settings, save=who.save, muted=who.muted, notice=notice)
