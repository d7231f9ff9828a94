"""The real application: keys through a pipe, bytes into a terminal of glass."""

import asyncio
import os
import signal
import sys
import types
from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from goat_client.game.control import End, Outcome
from goat_client.game.lobby_model import Choice, LobbyModel, NoTables, Wish
from goat_client.game.local import LocalSession
from goat_client.game.model import Model
from goat_client.machine.settings import Settings
from goat_client.screen import terminal
from goat_client.screen.app import run_table
from goat_client.screen.lobby_screen import LobbyScreen, run_lobby
from goat_client.screen.terminal import run_screen
from goat_client.views import screen as screens
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input

from goat_engine.state import Phase
from goat_net.seat.tableview import Stage
from tests.client.kit import Glass, keys_for
from tests.patience import PATIENCE

KEYS = {"enter": "\r", "escape": "\x1b", "c-c": "\x03"}
FAST = Settings(name="Vera", hold=0.0, reveal=0.0, ascii="no")


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop turn until something has happened."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0)


def modes(raw: str) -> dict[str, tuple[int, int]]:
    """How often each mode that a shell would suffer from was turned on and off."""
    return {m: (raw.count(f"\x1b[?{m}h"), raw.count(f"\x1b[?{m}l")) for m in ("1049", "1000", "1006", "1015", "2004")}


def assert_left_as_it_was(glass: Glass) -> None:
    for mode, (on, off) in modes(glass.raw).items():
        assert (on > 0) <= (off > 0), f"mode {mode} was left on"
    assert glass.raw.rfind("\x1b[?1049l") > glass.raw.rfind("\x1b[?1049h")
    assert glass.raw.rfind("\x1b[?2004l") > glass.raw.rfind("\x1b[?2004h")
    assert glass.raw.rfind("\x1b[?25h") > glass.raw.rfind("\x1b[?25l")
    assert glass.raw.count("\x1b[22;2t") == glass.raw.count("\x1b[23;2t")


class Table:
    """An application under test, with its session, its keys and its glass."""

    def __init__(self, session: LocalSession, keys: PipeInput, glass: Glass, task: "asyncio.Task[Outcome]") -> None:
        self.session, self.keys, self.glass, self.task = session, keys, glass, task

    def press(self, *names: str) -> None:
        self.keys.send_text("".join(KEYS.get(n, n) for n in names))

    async def play(self, keys: Sequence[str]) -> None:
        """Press keys until the table has moved: a turn that is not yet drawn takes none."""
        before = self.session.view.deal
        for _ in range(100):
            self.press("\x7f", *keys)
            for _ in range(50):
                await asyncio.sleep(0)
                if self.session.view.deal is not before or self.session.view.pending is not None:
                    await until(lambda: self.session.view.deal is not before)
                    return
        raise AssertionError(f"{keys} did nothing")

    async def repainted(self) -> None:
        """Wait for the next drawing that begins with a cleared screen."""
        seen = len(self.glass.bytes)
        await until(lambda: any("\x1b[2J" in some for some in self.glass.bytes[seen:]))

    async def shows(self, text: str) -> None:
        """Wait for a drawing that holds this text."""
        await until(lambda: any(text in row for row in self.glass.rows()) or self.task.done())
        if self.task.done():
            self.task.result()
        assert any(text in row for row in self.glass.rows())


@asynccontextmanager
async def table(seed: int, settings: Settings = FAST, size: tuple[int, int] = (80, 24)) -> Any:
    session, glass = LocalSession(seed), Glass(*size)
    with create_pipe_input() as keys:
        output = glass.output()
        with create_app_session(input=keys, output=output):
            async with asyncio.TaskGroup() as group:
                bots = group.create_task(session.run(0.0))
                task = group.create_task(run_table(session, settings, input=keys, output=output))
                yield Table(session, keys, glass, task)
                await task
                bots.cancel()


async def test_a_match_through_the_application(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goat_client.game.model.SETTLE", 0.0)
    monkeypatch.setattr("goat_client.game.model.HOLD_LEAST", 0.0)
    async with table(seed) as t:
        await t.shows("seats")
        t.press("enter")
        await until(lambda: t.session.view.seats[0].ready)
        t.press("enter")
        shadow = Model()
        for _ in range(400):
            await until(lambda: waits(t.session))
            shadow.update(t.session.view, 0.0)
            if t.session.view.stage is Stage.OVER:
                break
            if t.session.view.stage is Stage.BETWEEN:
                await t.shows("next deal")
                t.press("enter")
                await until(lambda: t.session.view.stage is not Stage.BETWEEN)
                continue
            view = t.session.view.seat_view
            assert view is not None
            await t.shows("Your turn" if view.deal.phase is not Phase.SHOW else "molodka")
            await t.play(keys_for(view.actions()[-1], shadow))
        assert t.session.view.stage is Stage.OVER
        t.press("enter")
        await t.shows("The match is over")
        t.press("q")
        outcome = await t.task
        assert outcome.end is End.LEFT
    assert_left_as_it_was(t.glass)


def waits(session: LocalSession) -> bool:
    """Whether the table waits for the person."""
    v = session.view
    if v.stage in (Stage.BETWEEN, Stage.OVER):
        return v.me not in v.ready
    return v.stage is Stage.PLAY and v.pending is None and v.seat_view is not None and v.seat_view.owes and (
        v.seat_view.deal.phase is not Phase.ASK or v.seat_view.may_claim
    )  # fmt: skip


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_closes_the_screen_as_a_key_would(number: int) -> None:
    handler = signal.getsignal(number)
    async with table(1) as t:
        await t.shows("seats")
        os.kill(os.getpid(), number)
        outcome = await t.task
        assert outcome == Outcome(End.QUIT, signal=number)
    assert_left_as_it_was(t.glass)
    assert signal.getsignal(number) == handler


async def test_an_error_of_ours_comes_out_after_the_terminal_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    glass = Glass(80, 24)

    def broken(*_: object) -> None:
        raise RuntimeError("broken view")

    with create_pipe_input() as keys, create_app_session(input=keys, output=glass.output()):
        model = LobbyModel(Model(settings=FAST), NoTables())
        screen = LobbyScreen(model)
        monkeypatch.setattr(screen, "draw", broken)
        with pytest.raises(RuntimeError, match="broken view"):
            await run_screen(screen, input=keys, output=glass.output())
    assert_left_as_it_was(glass)
    assert "Press ENTER" not in glass.raw
    assert "Traceback" not in glass.raw


async def test_an_error_in_a_key_comes_out_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken key")

    monkeypatch.setattr("goat_client.screen.app.TableScreen.key", broken)
    glass = Glass(80, 24)
    with create_pipe_input() as keys, create_app_session(input=keys, output=glass.output()):
        keys.send_text("x")
        with pytest.raises(RuntimeError, match="broken key"):
            await run_table(LocalSession(1), FAST, input=keys, output=glass.output())
    assert_left_as_it_was(glass)


async def test_errors_beside_the_screen_leave_a_mark_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    async with table(1, size=(100, 24)) as t:
        await t.shows("seats")
        asyncio.get_running_loop().call_soon(lambda: 1 / 0)
        await until(lambda: any("ZeroDivisionError" in str(r.exc_info) for r in caplog.records))
        t.press("k")
        await t.shows("see log")
        t.press("escape")
        await until(lambda: not any("Backspace" in row for row in t.glass.rows()))
        t.press("c-c", "c-c")
    assert "Traceback" not in t.glass.raw


async def test_with_the_mouse_off_no_mouse_mode_is_ever_set() -> None:
    async with table(1) as t:
        await t.shows("seats")
        t.press("c-c", "c-c")
    assert "\x1b[?1000h" not in t.glass.raw


async def test_the_lobby_answers_with_one_key() -> None:
    glass = Glass(80, 24)
    with create_pipe_input() as keys:
        output = glass.output()
        keys.send_text("\r")
        with create_app_session(input=keys, output=output):
            choice, _ = await run_lobby(NoTables(), FAST, input=keys, output=output)
    assert choice == Choice(Wish.BOTS)
    assert_left_as_it_was(glass)


async def test_resizing_ends_in_the_same_screen_as_a_fresh_drawing(seed: int) -> None:
    import random

    rng = random.Random(seed)
    async with table(seed) as t:
        await t.shows("seats")
        t.press("enter", "enter")
        await until(lambda: waits(t.session))
        await t.shows("Your turn")
        for _ in range(200):
            t.glass.resize(rng.randint(1, 150), rng.randint(1, 45))
            os.kill(os.getpid(), signal.SIGWINCH)
            for _ in range(rng.randint(1, 4)):
                await asyncio.sleep(0)
        for size in ((80, 24), (60, 20), (120, 40)):
            t.glass.resize(*size)
            os.kill(os.getpid(), signal.SIGWINCH)
            await t.repainted()
            await t.shows("Your turn")
            resized = t.glass.cells()
            t.glass.screen.reset()
            t.keys.send_text("\x0c")  # Ctrl-L draws everything anew
            await t.repainted()
            await t.shows("Your turn")
            assert t.glass.cells() == resized
        t.press("c-c", "c-c")


def test_every_size_can_be_drawn(seed: int) -> None:
    from tests.client.kit import Desk

    desk = Desk(seed)
    desk.begin()
    for width in (*range(30), 59, 60, 61, 77, 78, 79, 80, 200):
        for height in (*range(12), 19, 20, 21, 24, 60):
            canvas = screens.draw(desk.model, width, height, desk.now)
            assert len(canvas.lines()) == height
            assert canvas.width == width
    assert terminal.SPECIAL


def test_a_windows_shell_that_is_no_console_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoConsoleScreenBufferError(Exception):
        pass

    def none(**_: object) -> None:
        raise NoConsoleScreenBufferError

    fake = types.ModuleType("prompt_toolkit.output.win32")
    fake.NoConsoleScreenBufferError = NoConsoleScreenBufferError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "prompt_toolkit.output.win32", fake)
    monkeypatch.setattr(terminal.sys, "platform", "win32")
    monkeypatch.setattr(terminal, "create_output", none)
    with pytest.raises(terminal.NoTerminal, match="winpty") as caught:
        terminal.make_output()
    assert caught.value.code == 2


async def test_a_table_that_closes_says_why_and_lets_go() -> None:
    async with table(1) as t:
        await t.shows("seats")
        t.press("enter")
        await until(lambda: t.session.view.seats[0].ready)
        t.press("enter")
        await t.shows("Your turn")
        t.session.view = replace(t.session.view, trouble="The host has left.")
        await t.session.leave()
        await t.shows("The host has left.")
        t.press("enter")
        assert await t.task == Outcome(End.CLOSED, "The host has left.")


async def test_the_mouse_chooses_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table(1, replace(FAST, mouse=True)) as t:
        await t.shows("seats")
        t.press("enter")
        await until(lambda: t.session.view.seats[0].ready)
        t.press("enter")
        await t.shows("Your turn")
        row = next(n for n, text in enumerate(t.glass.rows()) if "1─╯" in text)
        t.keys.send_text(f"\x1b[<0;4;{row}M\x1b[<0;4;{row}m")
        await until(lambda: "╰─1─╯" in t.glass.rows()[row - 1])
        t.keys.send_text("\x1bOQ")  # F2: the mouse is given back to the terminal
        await t.shows("Mouse off")
        await until(lambda: t.glass.raw.rfind("\x1b[?1000l") > t.glass.raw.rfind("\x1b[?1000h"))
        t.press("c-c", "c-c")
