"""The thin shell around a full screen: prompt_toolkit's application, signals, timers, title, mouse.

A `Screen` draws itself on a canvas and takes named keys; it knows nothing of this module. Whatever ends the screen -
a key, a signal, an error of ours - the terminal is put back as it was.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Protocol

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.data_structures import Point, Size
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, UIContent, UIControl, Window
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import DynamicStyle

from goat_client.errors import CommandError
from goat_client.machine.settings import Settings
from goat_client.machine.text import safe
from goat_client.screen.bursts import Bursts
from goat_client.screen.stderr_guard import Stray, background_errors
from goat_client.screen.style import class_of, depth_for, style_for
from goat_client.views.canvas import Canvas, Span

NAMES: Final = {
    "c-m": "enter", "c-j": "enter", "c-i": "tab", "c-h": "backspace", " ": "space", "s-tab": "s-tab", "c-@": "",
}  # fmt: skip
SPECIAL: Final = (
    "c-m", "c-j", "c-i", "s-tab", "c-h", "delete", "escape", "left", "right", "up", "down", "home", "end", "pageup",
    "pagedown", "f1", "f2", "c-a", "c-b", "c-c", "c-d", "c-e", "c-f", "c-l", "c-u", "c-w", "c-z",
)  # fmt: skip
OTHER_BUTTONS: Final = (MouseButton.RIGHT, MouseButton.MIDDLE)  # theirs are the terminal's menu and its paste
ESCAPE_WAIT: Final = 0.05  # seconds after which a lone escape byte is the Esc key
_STOP: Final = int(getattr(signal, "SIGTSTP", 0))


class NoTerminal(CommandError):  # noqa: N818 - the name says what is missing
    """There is no terminal a screen can be drawn on; the text says what to do."""


class Screen(Protocol):
    """What this shell shows. ``now`` is the event loop's clock in seconds."""

    def draw(self, width: int, height: int, now: float) -> Canvas:
        """The screen at this size."""

    def key(self, name: str, now: float) -> None:
        """A key by its name, or a printable character."""

    def paste(self, text: str, now: float) -> None:
        """Text that was pasted: never a play."""

    def click(self, command: str, now: float) -> None:
        """A click on something that stands for this command."""

    def tick(self, now: float) -> float | None:
        """Let time pass; gives the time of the next change, or None."""

    def drawn(self, now: float) -> None:
        """The screen has reached the terminal."""

    def alarm(self) -> None:
        """Something went wrong beside the screen and stands in the log."""

    @property
    def finished(self) -> bool:
        """Whether the screen is over."""

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""

    @property
    def title(self) -> str:
        """What the window's title should say."""

    def take_bell(self) -> bool:
        """Whether to ring the bell now; asking takes it."""


class _Page(UIControl):
    """One control that fills the window with the screen's canvas."""

    def __init__(self, shell: "Shell") -> None:
        self.shell = shell
        self.canvas: Canvas | None = None

    def create_content(self, width: int, height: int) -> UIContent:
        """Draw at the size the window has."""
        lines: list[StyleAndTextTuples] = [[]]
        cursor: tuple[int, int] | None = None
        with self.shell.guard:
            self.canvas = self.shell.screen.draw(width, height, self.shell.now())
            lines = [_styled(spans) for spans in self.canvas.lines()] or [[]]
            cursor = self.canvas.cursor[0] if self.canvas.cursor else None
        return UIContent(
            get_line=lambda i: lines[i],
            line_count=len(lines),
            cursor_position=Point(*cursor) if cursor else Point(0, 0),
            show_cursor=cursor is not None,
        )

    def is_focusable(self) -> bool:
        """Keys go here."""
        return True

    def mouse_handler(self, mouse_event: MouseEvent) -> None:
        """A click with the left button is the command that stands at its place; the wheel moves as arrows do."""
        if self.canvas is None:
            return
        wheel = {MouseEventType.SCROLL_UP: "up", MouseEventType.SCROLL_DOWN: "down"}.get(mouse_event.event_type)
        if wheel is not None:
            command = wheel
        elif mouse_event.event_type is not MouseEventType.MOUSE_UP or mouse_event.button in OTHER_BUTTONS:
            return
        else:
            command = self.canvas.what(mouse_event.position.x, mouse_event.position.y)
        if command:
            with self.shell.guard:
                self.shell.screen.click(command, self.shell.now())
                self.shell.after_event()


def _name_of(press: KeyPress) -> str:
    """A key by the name that screens know."""
    key = press.key.value if isinstance(press.key, Keys) else press.key
    return NAMES.get(key, key)


def _styled(spans: list[Span]) -> StyleAndTextTuples:
    return [(class_of(style), text) for style, text, _ in spans]


class _Guard:
    """Around everything of ours that prompt_toolkit calls: an error ends the screen and comes out of `Shell.run`,
    where the terminal is already put back; prompt_toolkit itself would print it over the table and wait."""

    def __init__(self, shell: "Shell") -> None:
        self.shell = shell

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> bool:
        if not isinstance(error, Exception):
            return False
        self.shell.fail(error)
        return True


class Shell:
    """Runs one screen."""

    def __init__(self, screen: Screen, *, input: Input | None = None, output: Output | None = None) -> None:  # noqa: A002
        self.screen = screen
        self.guard = _Guard(self)
        self.stopped_by = 0
        self._error: Exception | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._title = ""
        self._bursts = Bursts()
        self._pushed = False
        self._size: Size | None = None
        self._output = output if output is not None else make_output()
        depth = depth_for(screen.settings, os.environ)
        self._depth = depth if depth is not None else self._output.get_default_color_depth()
        self._page = _Page(self)
        self.app: Application[None] = Application(
            layout=Layout(Window(self._page, always_hide_cursor=False)),
            key_bindings=self._bindings(),
            style=DynamicStyle(lambda: style_for(self._depth, four_colours=screen.settings.four_colours)),
            include_default_pygments_style=False,
            color_depth=lambda: self._depth,
            full_screen=True,
            mouse_support=Condition(lambda: screen.settings.mouse),
            input=input,
            output=self._output,
            before_render=lambda _: self._before_render(),
            after_render=lambda _: self._after_render(),
        )
        self.app.ttimeoutlen = ESCAPE_WAIT
        self.app.timeoutlen = ESCAPE_WAIT

    def now(self) -> float:
        """Seconds on the event loop's clock."""
        return asyncio.get_running_loop().time()

    def refresh(self) -> None:
        """The screen's model has changed from outside: draw when there is time for it."""
        self.after_event()

    def fail(self, error: Exception) -> None:
        """An error of ours: the first one ends the screen."""
        if self._error is None:
            self._error = error
        self.end()

    def end(self) -> None:
        """Close the screen, once."""
        if self.app.is_running and self.app.future is not None and not self.app.future.done():
            self.app.exit()

    def after_event(self) -> None:
        """After a key, a click, a timer or news: wake when something is due, and draw."""
        if self.screen.finished:
            self.end()
            return
        now = self.now()
        wake = self.screen.tick(now)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if wake is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.01, wake - now), self._on_timer)
        self.app.invalidate()

    def _on_timer(self) -> None:
        with self.guard:
            self.after_event()

    def repaint(self) -> None:
        """Draw everything anew from the corner. The renderer's own clear would do it on the shell's screen."""
        self.app.renderer.erase(leave_alternate_screen=False)
        self._output.cursor_goto(0, 0)
        self._output.erase_screen()
        self._output.cursor_goto(0, 0)

    def suspend(self) -> None:
        """Give the terminal back and stop, with the whole foreground job; the shell's fg brings all of it back."""
        if not _STOP:
            return  # Windows has no such thing
        loop = asyncio.get_running_loop()

        def stop() -> None:
            handled = loop.remove_signal_handler(_STOP)
            os.kill(0, _STOP)  # comes back when the job is continued
            if handled:
                loop.add_signal_handler(_STOP, self.suspend)

        run_in_terminal(stop)

    def _before_render(self) -> None:
        # The renderer moves relative to where it believes the cursor to be; a terminal that changed its size while
        # bytes were on their way may have put it anywhere.
        size = self._output.get_size()
        if self._size is not None and size != self._size:
            self.repaint()
        self._size = size

    def _after_render(self) -> None:
        with self.guard:
            self.screen.drawn(self.now())
            if self.screen.take_bell():
                self._output.bell()
            if self.screen.settings.title and self.screen.title != self._title:
                self._title = self.screen.title
                self._output.set_title(safe(self._title))
            self._output.flush()
            if self.screen.finished:
                self.end()

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()

        def pressed(event: KeyPressEvent) -> None:
            press = event.key_sequence[0]
            name = _name_of(press)
            with self.guard:
                ahead = [_name_of(other) for other in event.app.key_processor.input_queue]
                pasted = self._bursts.take(name, ahead, self.now())
                if pasted is not None:
                    if pasted:
                        self.screen.paste(pasted, self.now())
                elif name == "c-z":
                    self.suspend()
                elif name == "c-l":
                    self.repaint()
                elif isinstance(press.key, Keys) or name.isprintable():
                    self.screen.key(name, self.now())
                self.after_event()

        for key in SPECIAL:
            bindings.add(key, eager=key == "escape")(pressed)
        bindings.add(Keys.Any)(pressed)

        @bindings.add(Keys.BracketedPaste)
        def _(event: KeyPressEvent) -> None:
            with self.guard:
                self.screen.paste(event.data, self.now())
                self.after_event()

        return bindings

    async def run(self) -> None:
        """Show the screen until it is finished. Raises what went wrong in it, after the terminal is put back."""
        loop = asyncio.get_running_loop()
        alarm = self.screen.alarm
        with _signals(self), background_errors(loop, alarm), contextlib.redirect_stderr(Stray(alarm)):
            self._push_title()
            try:
                with self.guard:
                    self.after_event()
                if not self.screen.finished:
                    await self.app.run_async(set_exception_handler=False, handle_sigint=False)
            except EOFError:
                self.stopped_by = self.stopped_by or getattr(signal, "SIGHUP", 1)  # the terminal went away
            except OSError as error:
                if not self.stopped_by:
                    raise NoTerminal(f"The terminal can't be written to any more ({error.strerror}).") from error
            finally:
                if self._timer is not None:
                    self._timer.cancel()
                self._pop_title()
        if self._error is not None:
            raise self._error

    def _push_title(self) -> None:
        if self.screen.settings.title and isinstance(self._output, Vt100_Output):
            self._output.write_raw("\x1b[22;2t")
            self._output.flush()
            self._pushed = True

    def _pop_title(self) -> None:
        if self._pushed and isinstance(self._output, Vt100_Output):
            with contextlib.suppress(OSError):
                self._output.clear_title()
                self._output.write_raw("\x1b[23;2t")
                self._output.flush()


def make_output() -> Output:
    """The output of this terminal. Raises NoTerminal in a Windows shell that is none."""
    if sys.platform == "win32":
        from prompt_toolkit.output.win32 import NoConsoleScreenBufferError  # only there on Windows

        try:
            return create_output(stdout=sys.stdout)
        except NoConsoleScreenBufferError as error:
            raise NoTerminal(
                "This window is no Windows console. Start goat in Windows Terminal, or as 'winpty goat', "
                "or add --plain."
            ) from error
    return create_output(stdout=sys.stdout)


@contextlib.contextmanager
def _signals(shell: Shell) -> Iterator[None]:
    """SIGTERM and SIGHUP close the screen as a key would, SIGTSTP suspends it; elsewhere than in the main thread they
    are left alone."""
    loop = asyncio.get_running_loop()
    wanted = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGTSTP") if hasattr(signal, name)]
    before: dict[int, object] = {}

    def stop(number: int) -> None:
        if number == _STOP:  # sent by another process: the key Ctrl-Z does not come as a signal
            shell.suspend()
        else:
            shell.stopped_by = number
            shell.end()

    for number in wanted:
        try:
            before[number] = signal.getsignal(number)
            loop.add_signal_handler(number, stop, number)
        except (NotImplementedError, ValueError, RuntimeError):
            before.pop(number, None)
    try:
        yield
    finally:
        for number, old in before.items():
            loop.remove_signal_handler(number)
            if old is not None:
                signal.signal(number, old)  # type: ignore[arg-type]


async def run_screen(screen: Screen, *, input: Input | None = None, output: Output | None = None) -> int:  # noqa: A002
    """Run one screen to its end; gives the number of the signal that ended it, or 0."""
    shell = Shell(screen, input=input, output=output)
    await shell.run()
    return shell.stopped_by

