"""What comes from others is text and nothing but text; widths are those of a terminal."""

import random
import re
import unicodedata
from dataclasses import replace

import pyte
import pytest
from goat_client.machine.glyphs import ASCII, UNICODE
from goat_client.machine.settings import Settings
from goat_client.machine.text import ascii_fold, cells, cut, pad, safe, wrap
from goat_client.screen.style import COLOUR, PLAIN, SIXTEEN, depth_for, rules_for, style_for
from goat_client.views import screen
from goat_client.views.canvas import Canvas
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.output import ColorDepth

from goat_net.seat.tableview import DealReport, Stage, Talk
from tests.client.kit import HARD_NAMES, SIZES, Desk, Glass

PAYLOADS = (
    "\x1b]0;pwn\x07", "\x1b[2J", "\x9b31m", "\x1b[31mred", "\x1bc", "\x1b[?1049l", "\x1b[?25l", "\x1b[1;1H", "\x1b[6n",
    "\x1bP1$r\x1b\\", "\x1b_app\x1b\\", "\x1b^pm\x1b\\", "\x1bX\x1b\\", "\x90dcs\x9c", "\x9d0;t\x9c", "\x9eapc",
    "\x9fapc",
    "\x0e", "\x0f", "\x07", "\x08\x08\x08", "\r", "\n\n\n", "\t\t", "\v", "\f", "\x00", "\x7f", "\x85", "\u2028x\u2029",
    "\u202eevil", "\u2066iso\u2069", "\u200b\u200c\u200d", "\ufeff", "\ufe0f\ufe0e", "\u0301\u0301\u0301",
    "a\u0335\u0336\u0337\u0338",
    "\U000e0041\U000e007f", "\ud800", "\ue000", "\U0001f3fd", "\U0001f1e9\U0001f1ea", "\u3164\u115f", "x" * 5000,
    "Tom & <b>Jerry</b> %s {0}",
)  # fmt: skip


def hostile(payload: str) -> Desk:
    """A table on which everything a peer can say is this."""
    desk = Desk(1)
    desk.begin()
    view = desk.session.view
    seats = tuple(replace(s, name=payload, level=payload, operator=payload) for s in view.seats)
    seats = (seats[0], replace(seats[1], away=True), replace(seats[2], changed_key=True), seats[3])
    talk = (*view.talk, Talk(payload, payload, 1), Talk(payload, payload, None))
    desk.session.view = replace(view, seats=seats, talk=talk, table_name=payload, watchers=(payload,), trouble=payload,
                                paused_by=payload, words=(payload,))  # fmt: skip
    desk.control.take(desk.session.view, desk.now)
    return desk


def drawings(desk: Desk) -> list[Canvas]:
    """Every page of this table at every size."""
    out = []
    view = desk.session.view
    blame = DealReport(1, None, None, False, frozenset())
    lobby = replace(view, stage=Stage.LOBBY, deal=None)
    for some in (view, lobby, replace(view, stage=Stage.CLOSED), replace(view, stage=Stage.BETWEEN, reports=(blame,))):
        desk.session.view = some
        desk.control.take(some, desk.now)
        for key in ("", "v", "g", "l", "?", "t"):
            if key:
                desk.press(key)
            out += [screen.draw(desk.model, *size, desk.now) for size in (*SIZES[:2], (20, 5))]
            desk.model.edit = None
            desk.press("escape")
    return out


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_nothing_of_a_peers_reaches_the_terminal_as_a_command(payload: str) -> None:
    desk = hostile(payload)
    for canvas in drawings(desk):
        for line in canvas.text().splitlines():
            assert all(ch.isprintable() or unicodedata.combining(ch) for ch in line), repr(line)
            assert cells(line) <= canvas.width
    assert desk.screen.title.isprintable()


def test_markup_in_a_name_is_shown_as_it_is() -> None:
    desk = Desk(1, names=("A", "Tom & <b>J</b>", "%s{0}", "C"))
    text = desk.text()
    assert "Tom & <b>J</b>" in text
    assert "%s{0}" in text


def at_cell(text: str) -> int:
    """The column where a terminal's cursor stands after this text."""
    terminal = pyte.Screen(300, 2)
    pyte.Stream(terminal).feed(text)
    return terminal.cursor.x


@given(st.text(max_size=60))
def test_we_count_cells_as_a_terminal_does(text: str) -> None:
    shown = safe(text)
    assert at_cell(shown) == cells(shown)
    assert safe(shown) == shown


@pytest.mark.parametrize("name", HARD_NAMES)
def test_hard_names_take_the_cells_we_count(name: str) -> None:
    assert at_cell(safe(name)) == cells(safe(name))
    assert "\ufe0f" not in safe(name)
    assert "\u200d" not in safe(name)


@given(st.text(max_size=80), st.integers(0, 40))
def test_cut_pad_and_wrap_keep_their_width(text: str, width: int) -> None:
    shown = safe(text)
    assert cells(cut(shown, width)) <= width
    assert cells(pad(shown, width)) == width
    lines = wrap(shown, width)
    assert all(cells(line) <= width for line in lines)
    if width >= 2:
        assert "".join("".join(lines).split()) == "".join(shown.split())


@given(st.lists(st.tuples(st.integers(-5, 25), st.integers(-2, 6), st.text(max_size=12)), max_size=12))
def test_a_canvas_is_as_wide_as_it_says_whatever_is_put_on_it(puts: list[tuple[int, int, str]]) -> None:
    canvas = Canvas(20, 4, UNICODE)
    for x, y, text in puts:
        canvas.put(x, y, text)
    for spans in canvas.lines():
        assert cells("".join(s[1] for s in spans)) == 20


def test_without_colour_every_state_is_told_by_signs_and_plain_attributes() -> None:
    assert depth_for(Settings(), {"NO_COLOR": "1"}) is ColorDepth.DEPTH_1_BIT
    for four in (False, True):
        for style in rules_for(ColorDepth.DEPTH_1_BIT, four_colours=four).values():
            assert set(style.split()) <= {"bold", "reverse", "underline"}


@pytest.mark.parametrize("depth", list(ColorDepth))
@pytest.mark.parametrize("four", [False, True])
def test_every_style_a_view_uses_is_known(depth: ColorDepth, four: bool, seed: int) -> None:
    style_for(depth, four_colours=four)
    known = set(rules_for(depth, four_colours=four)) | {""}
    desk = Desk(seed)
    desk.begin()
    for _ in range(30):
        for canvas in (screen.draw(desk.model, 80, 24, desk.now), screen.draw(desk.model, 60, 20, desk.now)):
            used = {style for spans in canvas.lines() for style, _, _ in spans}
            assert used <= known, used - known
        if desk.model.seat_view is not None and desk.model.seat_view.actions():
            desk.play()
        desk.go()
        desk.look()
    assert set(COLOUR) == set(PLAIN) == set(SIXTEEN)


@given(st.text(max_size=60))
def test_in_ascii_only_ascii_is_left(text: str) -> None:
    shown = ascii_fold(safe(text))
    assert shown.isascii()
    assert not shown or shown.isprintable()


def test_names_stay_readable_in_ascii() -> None:
    assert ascii_fold("Боря Щука") == "Boria Shchuka"
    assert ascii_fold("Zoé Ñandú") == "Zoe Nandu"
    assert ascii_fold("你好") == "****"


def test_suits_are_sent_without_variation_selectors() -> None:
    assert not set(UNICODE.suits) & set("\ufe0e\ufe0f")
    assert ASCII.suits == "SCDH"
    for glyphs in (UNICODE, ASCII):
        assert at_cell(glyphs.suits) == 4


async def test_no_colour_reaches_a_terminal_that_wants_none(monkeypatch: pytest.MonkeyPatch) -> None:
    from goat_client.game.local import LocalSession
    from goat_client.screen.app import run_table
    from prompt_toolkit.input import create_pipe_input

    monkeypatch.setenv("NO_COLOR", "1")
    glass = Glass(80, 24)
    with create_pipe_input() as keys:
        keys.send_text("1k\x03\x03")
        await run_table(LocalSession(1), Settings(ascii="no"), input=keys, output=glass.output())
    codes = {code for found in re.findall(r"\x1b\[([\d;]*)m", glass.raw) for code in found.split(";")}
    assert codes <= {"", "0", "1", "4", "7"}
    assert glass.raw.count("●") + glass.raw.count("│") > 0


def test_random_windows_never_break_a_line(seed: int) -> None:
    rng = random.Random(seed)
    desk = Desk(seed, names=HARD_NAMES)
    desk.begin()
    for _ in range(60):
        width, height = rng.randint(0, 200), rng.randint(0, 60)
        canvas = screen.draw(desk.model, width, height, desk.now)
        for spans in canvas.lines():
            assert cells("".join(s[1] for s in spans)) == width
