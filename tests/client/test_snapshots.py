"""Every screen at every size as it was last looked at and found good. To take them anew, and then to look at what has
changed: ``python3 dev.py make snapshots``."""

import difflib
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from goat_client.commands.learn import LessonControl, lesson_session
from goat_client.game.lobby_model import LobbyModel, NoTables, Saved, TableRow
from goat_client.game.local import random_deal
from goat_client.game.model import Model
from goat_client.machine.glyphs import ASCII, UNICODE, Glyphs
from goat_client.machine.settings import Settings
from goat_client.machine.text import cells
from goat_client.saved.matchfile import PlayedDeal, PlayedMatch, bots_play
from goat_client.saved.replay import ReplayModel
from goat_client.screen.lobby_screen import LobbyScreen
from goat_client.views import lobby, replay, screen
from goat_client.views.canvas import Canvas

from goat_engine.rules import Rules
from goat_engine.state import Phase
from goat_net.seat.tableview import Stage, Talk
from tests.client.kit import HARD_NAMES, LARGEST, SIZES, Desk, renamed

FOLDER = Path(__file__).with_name("snapshots")
SEED = 11


def desk(glyphs: Glyphs, names: tuple[str, ...] = ("Vera", "Anna", "Boris", "Igor")) -> Desk:
    settings = Settings(name="Vera", ascii="yes" if glyphs.ascii else "no")
    return Desk(SEED, settings=settings, glyphs=glyphs, names=names)


def to(d: Desk, phase: Phase) -> Desk:
    d.begin()
    for _ in range(100):
        view = d.model.seat_view
        if view is not None and view.owes and view.deal.phase is phase:
            return d
        if view is not None and view.actions():
            d.play()
        d.go()
        d.look()
    raise AssertionError("never")


def table(d: Desk) -> Callable[[int, int], Canvas]:
    return lambda w, h: screen.draw(d.model, w, h, d.now)


def replayed(model: ReplayModel) -> Callable[[int, int], Canvas]:
    return lambda w, h: replay.draw(model, w, h, 0.0)


class Tables(NoTables):
    """Three tables of all kinds."""

    def rows(self) -> list[TableRow]:
        return [
            TableRow("a", "Kitchen table", 2, "10.0.0.2:5000", 0.0012),
            TableRow("b", "你好", 4, "10.0.0.3:5000", 0.012, state="playing", code_needed=True),
            TableRow("c", "Old one", 1, "10.0.0.9:4000", None, version_ok=False, version="protocol 1"),
        ]

    def hints(self) -> list[str]:
        return []


def played_match(seed: int) -> PlayedMatch:
    """A match of one deal, played by easy bots."""
    record = bots_play(random_deal(random.Random(seed), 3, 0, Rules()), "easy", seed)
    return PlayedMatch("Kitchen table", ("Vera", "Anna", "Boris", "Igor"), (PlayedDeal(1, record),))


def lobby_at(glyphs: Glyphs, *keys: str, door: NoTables | None = None) -> Callable[[int, int], Canvas]:
    saved = [Saved(Path("a"), "2026-01-02 Kitchen table: Vera, Anna, Boris, Igor", open=True)]
    model = LobbyModel(Model(settings=Settings(name="Vera"), glyphs=glyphs), door or NoTables(), saved=saved)
    view = LobbyScreen(model)
    view.tick(0.0)
    for key in keys:
        view.key(key, 10.0)
    return lambda w, h: lobby.draw(model, w, h, 10.0)


def people(glyphs: Glyphs) -> Iterator[tuple[str, Callable[[int, int], Canvas]]]:
    """What players and watchers have to do with each other."""
    keys = [bytes([n + 1]) * 32 for n in range(6)]
    d = desk(glyphs)
    seats = [replace(s, key=keys[s.seat], bot=False, level="", operator="") for s in d.session.view.seats]
    seats[2] = replace(seats[2], asks=0, ready=False)
    seats[1] = replace(seats[1], asks=3, ready=False)
    talk = (Talk("Anna", "who deals?", 1, keys[1]), Talk("Dora", "hello", None, keys[4]))
    view = replace(
        d.session.view, seats=tuple(seats), own_key=keys[0], watchers=("Dora", "Dora"), watcher_keys=tuple(keys[4:]),
        talk=talk,
    )  # fmt: skip
    d.session.view = view
    d.control.take(view, d.now)
    yield "seats-asked", table(d)
    d.press("t")
    yield "talk-phrases", table(d)
    d.press("escape", "v", "x", "down", "down", "enter")
    yield "page-mute", table(d)
    d.press("escape", "v")
    yield "page-talk", table(d)
    d = Desk(SEED, settings=d.model.settings, glyphs=glyphs, names=("Vera", "Anna", "Boris", "Igor"), me=None)
    d.session.start()
    d.go(until=lambda: d.session.view.deal is not None and len(d.session.view.deal.plays) == 2)
    free = tuple(replace(s, free=s.seat == 1) for s in d.session.view.seats)
    d.session.view = replace(d.session.view, seats=free, watchers=("Dora",), watcher_keys=(keys[4],), own_key=keys[4])
    d.control.take(d.session.view, d.now)
    yield "watching", table(d)


def scenes(glyphs: Glyphs) -> Iterator[tuple[str, Callable[[int, int], Canvas]]]:
    """Name and drawing of every screen."""
    yield "lobby-empty", lobby_at(glyphs)
    yield "lobby-tables", lobby_at(glyphs, "down", door=Tables())
    yield "lobby-host", lobby_at(glyphs, "h")
    yield "lobby-address", lobby_at(glyphs, "a", *"10.0.0.5")
    yield "lobby-replays", lobby_at(glyphs, "r")
    d = desk(glyphs)
    d.session.view = replace(d.session.view, words=("amber", "boat", "cedar", "delta", "ember", "flute"))
    d.control.take(d.session.view, d.now)
    yield "seats", table(d)
    yield from people(glyphs)
    yield "lead", table(to(desk(glyphs), Phase.LEAD))
    d = to(desk(glyphs), Phase.ANSWER)
    yield "answer", table(d)
    d.press("1")
    yield "answer-chosen", table(d)
    for key, name in (("?", "rules"), ("g", "log"), ("l", "last"), ("k", "keys"), ("o", "settings"), ("q", "leave")):
        d.press("escape", key)
        yield f"page-{name}", table(d)
    d = to(desk(glyphs), Phase.ANSWER)
    d.press("t", *"good", "space", *"one")
    yield "talking", table(d)
    d.press("enter")
    d.wait(0.0)
    d.play()
    d.go(until=lambda: d.model.held is not None)
    yield "trick-held", table(d)
    d = desk(glyphs)
    d.begin()
    d.deal()
    d.look()
    yield "deal-over", table(d)
    d.press("h")
    yield "review", table(d)
    d.press("h")
    for _ in range(60):
        if d.model.view.stage is Stage.OVER:
            break
        d.press("enter", "enter")
        d.go()
        d.deal()
    d.look()
    d.look()
    d.press("enter", "enter")
    yield "match-over", table(d)
    d.press("h")
    yield "match-report", table(d)
    hard = to(desk(glyphs, HARD_NAMES), Phase.ANSWER)
    renamed(hard, HARD_NAMES)
    yield "hard-names", table(hard)
    lesson = LessonControl(lesson_session(), Model(settings=Settings(name="Vera"), glyphs=glyphs))
    session = lesson.session
    session.on_change(lambda view: lesson.take(view, 0.0))
    while session.advance():  # type: ignore[attr-defined]
        pass
    model = ReplayModel(played_match(SEED), Settings(ascii="yes" if glyphs.ascii else "no"))
    for key, name in (("down", "replay"), ("r", "replay-review"), ("3", "replay-review-3")):
        model.key(key)
        yield name, replayed(model)
    yield "lesson", lambda w, h: screen.draw(lesson.model, w, h, 0.0)


def every() -> Iterator[tuple[str, str, int]]:
    """File name, text and width of every snapshot."""
    for glyphs, kind in ((UNICODE, ""), (ASCII, "-ascii")):
        for name, draw in scenes(glyphs):
            for width, height in (*SIZES, LARGEST) if not kind else SIZES[:1]:
                yield f"{name}-{width}x{height}{kind}.txt", draw(width, height).text() + "\n", width


def test_every_screen_is_as_it_was_found_good() -> None:
    wrong, names = [], set()
    for name, text, width in every():
        names.add(name)
        assert all(cells(line) <= width for line in text.splitlines()), name
        if name.endswith("-ascii.txt"):
            assert text.isascii(), name
        path = FOLDER / name
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        if before != text:
            diff = difflib.unified_diff(before.splitlines(), text.splitlines(), name, "now", lineterm="")
            wrong.append("\n".join(diff))
    assert not wrong, "\n\n".join([*wrong[:3], "if this is right: python3 dev.py make snapshots"])
    assert {p.name for p in FOLDER.glob("*.txt")} == names


@pytest.mark.parametrize("size", [*SIZES, (61, 21), (79, 23), (100, 30), (200, 60)])
def test_the_right_border_stands_in_one_column_whatever_the_names(size: tuple[int, int]) -> None:
    width, height = size
    d = to(desk(UNICODE, HARD_NAMES), Phase.ANSWER)
    text = screen.draw(d.model, width, height, d.now).text()
    for line in text.splitlines()[2 if width < 78 else 1 : -2]:
        assert cells(line) == width, line
        assert line[-1] in "│┐┘┤", line


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for file_name, content, _ in every():
        (FOLDER / file_name).write_text(content, encoding="utf-8")
    sys.stdout.write(f"{len(list(FOLDER.glob('*.txt')))} snapshots\n")
