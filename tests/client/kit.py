"""Helpers of the client's tests: a person made of keys, a clock that only the test moves, a terminal of glass."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pyte
from goat_client.game.control import Control
from goat_client.game.local import LocalSession
from goat_client.game.model import Model
from goat_client.machine.glyphs import ASCII, UNICODE, Glyphs
from goat_client.machine.settings import Settings
from goat_client.screen.app import TableScreen
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Show, Yield
from goat_net.seat.tableview import Stage, TableView

SIZES = ((80, 24), (60, 20), (120, 40))
LARGEST = (200, 60)
HARD_NAMES = ("你好世界", "Zoe\u0301 Ren\u0303e", "👩\u200d👩\u200d👧 Fam", "I\u2764\ufe0f U")


class Desk:
    """A table screen over a `LocalSession`, with a clock of its own."""

    def __init__(
        self,
        seed: int,
        *,
        settings: Settings | None = None,
        glyphs: Glyphs = UNICODE,
        session: LocalSession | None = None,
        **more: object,
    ) -> None:
        self.session = session or LocalSession(seed, **more)  # type: ignore[arg-type]
        self.now = 100.0
        self.model = Model(settings=settings or Settings(name="Vera"), glyphs=glyphs)
        self.control = Control(self.session, self.model)
        self.screen = TableScreen(self.control)
        self.rng = random.Random(seed)
        self.control.take(self.session.view, self.now)
        self.session.on_change(self._changed)

    def _changed(self, view: TableView) -> None:
        self.control.take(view, self.now)

    def wait(self, seconds: float) -> None:
        """Let time pass; what is due happens, and the screen is drawn."""
        self.now += seconds
        self.screen.tick(self.now)
        self.screen.draw(80, 24, self.now)
        self.screen.drawn(self.now)

    def look(self) -> None:
        """Let the present turn be seen long enough to be played in."""
        for _ in range(3):
            self.wait(max(self.model.settings.hold, 0.2) + 0.1)

    def press(self, *keys: str) -> None:
        """Keys, one after the other, with nothing between them."""
        for key in keys:
            self.screen.key(key, self.now)

    def go(self, steps: int = 1000, until: Callable[[], bool] | None = None) -> None:
        """Let bots act until the table waits for the person or ``until`` is true."""
        for _ in range(steps):
            if until is not None and until():
                return
            if not self.session.advance():
                return
        assert until is None, "it never came to that"

    def begin(self) -> None:
        """From the lobby to the first thing that is asked of the person."""
        self.press("enter")
        self.press("enter")
        self.go()
        self.look()

    def text(self, width: int = 80, height: int = 24) -> str:
        """What the screen says."""
        return self.screen.draw(width, height, self.now).text()

    def play(self, action: Action | None = None) -> None:
        """Play a legal action (a random one unless given) by its keys."""
        view = self.model.seat_view
        assert view is not None
        action = action or self.rng.choice(view.actions())
        self.press(*keys_for(action, self.model))

    def deal(self) -> None:
        """Play on until the deal is scored."""
        for _ in range(200):
            self.look()
            if self.model.view.stage in (Stage.BETWEEN, Stage.OVER):
                return
            if self.model.seat_view is not None and self.model.seat_view.actions():
                self.play()
            self.go()
        raise AssertionError("the deal has no end")


def keys_for(action: Action, model: Model) -> Sequence[str]:
    """The keys a person presses for an action."""
    match action:
        case Claim():
            return ["m"]
        case Yield():
            return ["y"]
        case Show():
            return []
        case Lead(slots=slots) | Beat(slots=slots):
            places = [str(model.slots.index(s) + 1) for s in slots]
            return [*places, "enter", "enter"]  # the second for the reminder of a molodka
        case Discard(slots=hidden):
            return [*(str(model.slots.index(s) + 1) for s in hidden if s is not None), "d", "d"]


class Glass:
    """A terminal emulator that bytes are written to."""

    def __init__(self, width: int, height: int) -> None:
        self.screen = pyte.Screen(width, height)
        self.stream = pyte.Stream(self.screen)
        self.bytes: list[str] = []
        self.size = (width, height)
        self.encoding = "utf-8"

    def write(self, data: str) -> int:
        self.bytes.append(data)
        self.stream.feed(data)
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def resize(self, width: int, height: int) -> None:
        """The window has another size now."""
        self.size = (width, height)
        self.screen.resize(height, width)

    def output(self, term: str = "xterm-256color") -> Vt100_Output:
        """prompt_toolkit's door to this terminal."""

        def size() -> Size:
            return Size(rows=self.size[1], columns=self.size[0])

        return Vt100_Output(self, size, term=term)  # type: ignore[arg-type]

    @property
    def raw(self) -> str:
        """Every byte that was written, as text."""
        return "".join(self.bytes)

    def rows(self) -> list[str]:
        """The rows as they are seen."""
        return [row.rstrip() for row in self.screen.display]

    def cells(self) -> list[list[tuple[str, str, str, bool, bool]]]:
        """Every cell with its looks."""
        out = []
        for y in range(self.screen.lines):
            line = self.screen.buffer[y]
            out.append([(c.data, c.fg, c.bg, c.bold, c.reverse) for c in (line[x] for x in range(self.screen.columns))])
        return out


def ascii_desk(seed: int) -> Desk:
    """A desk for a terminal that has only ASCII."""
    return Desk(seed, glyphs=ASCII)


def renamed(desk: Desk, names: Sequence[str]) -> None:
    """Give the four seats these names."""
    view = desk.session.view
    seats = tuple(replace(s, name=names[s.seat]) for s in view.seats)
    desk.session.view = replace(view, seats=seats)
    desk.control.take(desk.session.view, desk.now)
