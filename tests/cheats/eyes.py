"""All that one peer can have before them, as text: the full screen with its pages, the title, the hint, plain mode."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from goat_client.game.control import Control
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.lines.plain import Plain
from goat_client.machine.glyphs import UNICODE
from goat_client.machine.settings import Settings
from goat_client.screen.app import TableScreen

from goat_engine.actions import Action, Refusal
from goat_net.seat.chair import Chair
from goat_net.seat.player import Player
from goat_net.seat.present import absences, table_view, turn_clock
from goat_net.seat.tableview import TableView, Talk
from goat_net.wire.identity import Identity
from goat_net.wire.messages import Lobby, NewEntry
from tests.cheats.kit import CheatWorld

Panes = dict[str, Any]

SIZES: Final = ((80, 24), (120, 40), (60, 20))
PAGES: Final = (Page.LOG, Page.LAST, Page.TALK, Page.RULES, Page.LEAVE)
AFTER: Final = 10.0  # s after which a closed trick no longer lies on the screen
QUESTIONS: Final = ("c", "w", "s", "l", "g", "?", "review", "h")
SETTINGS: Final = Settings(name="Vera")


class Still:
    """A session through which nothing is done: what the world's player does is not for the screen to choose."""

    def __init__(self) -> None:
        self.view = TableView()

    def on_change(self, callback: Callable[[TableView], None]) -> None:
        """Views are handed over by the test."""

    def act(self, action: Action) -> Refusal | None:
        """Not by the screen."""
        return None


@dataclass
class Eyes:
    """One peer's screens, in both modes. ``chair`` is what a client's session holds; ``look`` gives what has changed on
    them since the last time, by name."""

    chair: Chair
    me: int | None
    is_host: bool = False
    lines: list[str] = field(default_factory=list)
    seen: object = None

    def __post_init__(self) -> None:
        session: Any = Still()
        self.session = session
        self.screen = TableScreen(Control(session, Model(settings=SETTINGS, glyphs=UNICODE)))
        self.plain = Plain(session, SETTINGS, self.lines.append)

    def view(self, lobby: Lobby, talk: tuple[Talk, ...], now: float) -> TableView:
        """The view as `goat_net.seat.session` makes it."""
        chair, player = self.chair, self.chair.player
        chair.lobby = lobby
        if player is not None:
            chair.waiting.update(player.fold, now)
        base = replace(
            self.session.view,
            is_host=self.is_host,
            talk=talk,
            absences=absences(chair, now),
            clock=turn_clock(chair, now),
            host_blame=chair.direct.host_blame(now),
        )
        return table_view(player, lobby, base=base, known={}, me=self.me)

    def look(self, lobby: Lobby, talk: tuple[Talk, ...], now: float) -> Panes:
        """What the peer sees now; nothing when it is at the same place as the last time."""
        player = self.chair.player
        if player is None or player.fold.deal is None:
            return {}
        place = (player.fold.chain.head, player.may_act, player.pending, player.unconfirmed, repr(lobby), talk)
        if place == self.seen:
            return {}
        self.seen = place
        self.session.view = self.view(lobby, talk, now)
        return {**self._full(now), **self._plain(now)}

    def _full(self, now: float) -> Panes:
        screen, model = self.screen, self.screen.model
        screen.control.take(self.session.view, now)
        screen.tick(now)
        dealt = self.session.view.deal is not None  # before that the pages have nothing to say
        out: Panes = {f"table at {w}x{h}": screen.draw(w, h, now).lines() for w, h in SIZES[: 3 if dealt else 1]}
        screen.tick(now + AFTER)
        out["table, the last trick gone"] = screen.draw(*SIZES[0], now + AFTER).lines()
        screen.drawn(now + AFTER)
        out["title"], out["bell"] = screen.title, screen.take_bell()
        for page in PAGES if dealt else ():
            model.page, model.scroll = page, 0
            out[f"page: {page.value}"] = screen.draw(*SIZES[0], now).lines()
        model.page = Page.NONE
        screen.control.hint(now + 2 * AFTER)
        out["hint"] = (model.hint, model.notice, tuple(model.chosen), screen.draw(*SIZES[0], now).lines())
        model.clear()
        model.hint = model.notice = ""
        return out

    def _plain(self, now: float) -> Panes:
        self.lines.clear()
        self.plain.take(self.session.view, now)
        out: Panes = {"plain": tuple(self.lines)}
        for word in QUESTIONS:
            self.lines.clear()
            self.plain.line(word, now + AFTER)
            out[f"plain: {word}"] = tuple(self.lines)
        return out


def eyes_of_seat(world: CheatWorld, seat: int) -> Eyes:
    """The screens of somebody who plays."""
    guest = world.seated[seat]
    return Eyes(_chair(world, guest.player), seat, world.table.setup.owner == guest.identity.public)


def eyes_of_watcher(world: CheatWorld) -> Eyes:
    """The screens of somebody who only reads the log; the host's own process knows as much."""

    def none(log_id: bytes) -> bytes:
        raise AssertionError("a watcher has no secret")

    player = Player(Identity.from_seed(b"\x77" * 32), none, table_key=world.table.identity.public)
    return Eyes(_chair(world, player), None)


def _chair(world: CheatWorld, player: Player) -> Chair:
    def none(log_id: bytes) -> Any:
        raise AssertionError("no store is opened here")

    chair = Chair(player.identity, none, table_key=world.table.identity.public)
    chair.player, chair.link = player, True
    return chair


def read_on(watcher: Eyes, world: CheatWorld) -> None:
    """Hand a watcher the entries that the table has by now."""
    fold, player = world.table.fold, watcher.chair.player
    assert player is not None
    entries: list[NewEntry] = [] if fold is None else fold.chain.entries
    for entry in entries[len(player.fold.chain) :]:
        player.take(entry, world.now)
