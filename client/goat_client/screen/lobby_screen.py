"""The full-screen lobby: tables and settings in, a `Choice` out."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from goat_client.game.keys import LOBBY, meaning
from goat_client.game.lobby_model import Choice, LobbyModel, Saved, TablesDoor, Wish
from goat_client.game.model import Model
from goat_client.machine.settings import Settings, glyphs_for
from goat_client.screen.terminal import Shell
from goat_client.views import lobby
from goat_client.views.canvas import Canvas


class LobbyScreen:
    """The lobby as a `goat_client.screen.terminal.Screen`."""

    def __init__(self, model: LobbyModel) -> None:
        self.model = model
        self._field_closed = False  # since the last drawing

    @property
    def settings(self) -> Settings:
        """As they are now."""
        return self.model.inner.settings

    @property
    def finished(self) -> bool:
        """Whether the person has chosen."""
        return self.model.choice is not None

    @property
    def title(self) -> str:
        """The program's name."""
        return "Goat"

    def draw(self, width: int, height: int, now: float) -> Canvas:
        """See `goat_client.views.lobby`."""
        return lobby.draw(self.model, width, height, now)

    def drawn(self, now: float) -> None:
        """What is open now has been seen."""
        self._field_closed = False

    def take_bell(self) -> bool:
        """The lobby is quiet."""
        return False

    def tick(self, now: float) -> float | None:
        """Take the list as it is now; notices go by themselves."""
        self.model.refresh(now)
        return self.model.inner.tick(now)

    def alarm(self) -> None:
        """A sentence instead of a mark."""
        self.model.message = "Something went wrong; the log says what (goat --log-file FILE)."

    def click(self, command: str, now: float) -> None:
        """As the key would."""
        self.model.do(command, now)

    def paste(self, text: str, now: float) -> None:
        """Text for a field, or nothing."""
        if self.model.inner.edit is not None:
            self.model.inner.edit.insert(text)
        else:
            self.model.inner.tell("Pasted text is no command. A opens a line for an address.", now)

    def key(self, name: str, now: float) -> None:
        """A key: for the text field if one is open, else a command."""
        m = self.model.inner
        edit = m.edit
        if edit is None and self._field_closed:
            return  # meant for the field that was closed a moment ago
        if edit is None:
            command = meaning(name, LOBBY)
            if command == "mouse":
                m.settings = replace(m.settings, mouse=not m.settings.mouse)
            elif command:
                self.model.do(command, now)
            return
        ended = edit.press(name)
        self._field_closed = ended == "done"
        if ended == "done":
            self.model.typed(edit, now)
        elif ended == "cancel":
            m.edit, self.model.wanted = None, None


async def run_lobby(
    tables: TablesDoor,
    settings: Settings,
    *,
    saved: Sequence[Saved] = (),
    message: str = "",
    make_code: Callable[[], str] | None = None,
    save: Callable[[Settings], None] | None = None,
    first: str = "",
    input: Input | None = None,  # noqa: A002 - prompt_toolkit's word for it
    output: Output | None = None,
) -> tuple[Choice, Settings]:
    """Show the lobby until something is chosen; gives that and the settings as they are then.

    ``saved``: matches for replays and for going on, newest first. ``message``: a sentence about what was before.
    ``first``: on somebody's first evening, the name of their account: they are asked what they want to be called.
    ``make_code`` makes a code word for the host form; ``save`` keeps changed settings.
    """
    inner = Model(settings=settings, glyphs=glyphs_for(settings))
    model = LobbyModel(inner, tables, saved=saved, message=message, make_code=make_code, save=save)
    if first:
        model.welcome(first)
    shell = Shell(LobbyScreen(model), input=input, output=output)

    def changed() -> None:
        with shell.guard:
            shell.refresh()

    tables.on_change(changed)
    await shell.run()
    if shell.stopped_by:
        return Choice(Wish.QUIT, signal=shell.stopped_by), inner.settings
    return model.choice or Choice(Wish.QUIT), inner.settings
