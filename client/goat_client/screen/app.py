"""The full-screen table: a `Session` and the settings in, an `Outcome` out."""

from collections.abc import Callable
from dataclasses import replace

from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from goat_client.game.control import Control, End, Outcome
from goat_client.game.keys import GAME, meaning
from goat_client.game.line_edit import LineEdit
from goat_client.game.model import Model
from goat_client.game.moment import turn_of
from goat_client.machine.settings import Settings, glyphs_for
from goat_client.machine.text import safe
from goat_client.saved.replay import ReplayModel, replay_of
from goat_client.screen.terminal import Shell
from goat_client.views import replay as replay_view
from goat_client.views import screen
from goat_client.views.canvas import Canvas
from goat_net.seat.tableview import Session, TableView


class TableScreen:
    """The table as a `goat_client.screen.terminal.Screen`."""

    def __init__(self, control: Control) -> None:
        self.control, self.model = control, control.model
        self._field_closed = False  # since the last drawing
        self._replay: ReplayModel | None = None
        self._bell = False
        self._rung: object = None

    @property
    def settings(self) -> Settings:
        """As they are now."""
        return self.model.settings

    @property
    def finished(self) -> bool:
        """Whether the table has been left."""
        return self.control.outcome is not None

    @property
    def title(self) -> str:
        """A mark when it is one's turn, and the table's name."""
        mark = ("* " if self.model.glyphs.ascii else "● ") if self.model.on_turn else ""
        return safe(f"{mark}Goat – {self.model.view.table_name or 'table'}")

    def draw(self, width: int, height: int, now: float) -> Canvas:
        """See `goat_client.views.screen`; a mistake that was jumped to is looked at in a replay."""
        if self._replay is None and self.model.jump is not None:
            self._replay = replay_of(self.model)
        if self._replay is not None:
            return replay_view.draw(self._replay, width, height, now)
        return screen.draw(self.model, width, height, now)

    def drawn(self, now: float) -> None:
        """The turn counts as seen from here on; the bell rings once for each of one's own."""
        self._field_closed = False
        self.model.seen(now)
        if self.model.on_turn:
            turn = turn_of(self.model.view)
            if turn != self._rung:
                self._rung, self._bell = turn, self.settings.bell
                return

    def take_bell(self) -> bool:
        """See `goat_client.screen.terminal.Screen`."""
        due, self._bell = self._bell, False
        return due

    def tick(self, now: float) -> float | None:
        """See `goat_client.game.model.Model.tick`."""
        return self.model.tick(now)

    def alarm(self) -> None:
        """A mark in the title line: something stands in the log."""
        self.model.log_alarm = True

    def click(self, command: str, now: float) -> None:
        """As the key would."""
        if self._replay is not None:
            self._in_replay(lambda replay: replay.command(command))
        else:
            self.control.do(command, now)

    def _in_replay(self, act: Callable[[ReplayModel], None]) -> None:
        """Something is done in the replay of a mistake; it ends there, or on a table where the deal is played on."""
        replay = self._replay
        if replay is None:
            return
        act(replay)
        if replay.finished:
            self._replay = self.model.jump = None
            if replay.again is not None:
                self.control.outcome = Outcome(End.LEFT, again=replay.again)

    def paste(self, text: str, now: float) -> None:
        """Text for a field, or nothing: a paste is never a play."""
        if self.model.edit is not None:
            self.model.edit.insert(text)
        else:
            self.model.tell("Pasted text is not played. T opens a line to talk.", now)

    def key(self, name: str, now: float) -> None:
        """A key: for the text field if one is open, else a command.

        What comes after the end of a text, before anybody can have seen that the field is closed, is nothing.
        """
        edit = self.model.edit
        if self._replay is not None:
            if name == "c-c":
                self._replay = self.model.jump = None
                self.control.do("quit", now)
            else:
                self._in_replay(lambda replay: replay.key(name))
            return
        if edit is not None:
            self._edit(edit, name, now)
            return
        if self._field_closed:
            return
        command = meaning(name, GAME)
        if command == "mouse":
            self.model.settings = replace(self.settings, mouse=not self.settings.mouse)
            self.model.tell(f"Mouse {'on: Shift selects text' if self.settings.mouse else 'off'}.", now)
            return
        if command == "toggle" and name in ("up", "down") and self.model.page:
            command = name
        if command:
            self.control.do(command, now)
        else:
            self.model.go_on(now)

    def _edit(self, edit: LineEdit, name: str, now: float) -> None:
        ended = edit.press(name)
        self._field_closed = ended == "done"
        if ended == "done":
            self.control.typed(edit, now)
        elif ended == "cancel":
            self.model.edit = None


async def run_table(
    session: Session,
    settings: Settings,
    *,
    input: Input | None = None,  # noqa: A002 - prompt_toolkit's word for it
    output: Output | None = None,
    save: Callable[[Settings], None] | None = None,
    control: type[Control] = Control,
    muted: dict[bytes, str] | None = None,
    notice: str = "",
) -> Outcome:
    """Show a table until it is left. ``save`` keeps settings changed on the way; ``control``: what keys do
    (a lesson brings its own). ``muted``: who is not heard, by key; it is changed when that is.
    ``notice``: a sentence to begin with.

    Raises NoTerminal when there is none to draw on, and any error of ours after the terminal is put back.
    """
    model = Model(settings=settings, glyphs=glyphs_for(settings), muted={} if muted is None else muted)
    commands = control(session, model, save=save)
    table = TableScreen(commands)
    shell = Shell(table, input=input, output=output)

    def changed(view: TableView) -> None:
        with shell.guard:
            commands.take(view, shell.now())
            shell.refresh()

    commands.take(session.view, shell.now())
    if notice:
        model.tell(notice, shell.now())
    session.on_change(changed)
    await shell.run()
    if shell.stopped_by:
        return Outcome(End.QUIT, signal=shell.stopped_by)
    return commands.outcome or Outcome(End.QUIT)
