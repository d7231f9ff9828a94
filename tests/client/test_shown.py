"""What a screen says is true, whole and to be read: points, hints, sizes, colours, the dialog of leaving, the mouse."""

import asyncio
from dataclasses import replace

import pytest
from goat_client.game.advice import laid
from goat_client.game.moment import Page
from goat_client.game.review import because, told
from goat_client.game.whereabouts import leaving
from goat_client.machine.settings import ASCII, OPTIONS, Settings, glyphs_for
from goat_client.machine.text import cells
from goat_client.saved.replay import ReplayModel
from goat_client.screen.style import SIXTEEN, depth_for
from goat_client.views import lobby
from goat_client.views import replay as replay_view
from goat_client.views.canvas import Canvas
from goat_client.views.field import CLOTH_HEIGHT, CLOTH_WIDTH
from goat_client.views.side import open_points
from prompt_toolkit.output import ColorDepth

from goat_engine.audit import Eye
from goat_engine.bots.fast import BEAT, FULL
from goat_engine.bots.reasons import reason
from goat_engine.bots.sight import moves
from goat_engine.bots.table import see
from goat_engine.cards import beats, parse, parse_all, points_of, suit_of
from goat_engine.rules import team_of
from goat_engine.state import Phase, Play, PlayKind
from goat_net.seat.tableview import Stage
from tests.client.kit import SIZES, Desk
from tests.client.test_application import FAST, table, until
from tests.client.test_lobby import Lobby
from tests.client.test_people import LOBBY, at, show
from tests.client.test_snapshots import SEED, desk, played_match
from tests.client.test_table import to_own_turn


def test_points_that_one_knows_count_ones_own_discards(seed: int) -> None:
    """U19: "points seen" left out what one has discarded oneself."""
    d = Desk(seed)
    to_own_turn(d, Phase.ANSWER)
    for _ in range(40):
        deal = d.session.view.deal
        assert deal is not None
        own = [(t.taker, p) for t in deal.tricks for p in t.plays if p.seat == 0 and p.kind is PlayKind.DISCARD]
        worth = [points_of([deal.known[s] for s in p.slots if s is not None]) for _, p in own]
        if any(worth):
            face_up = [0, 0]
            for trick in deal.tricks:
                for play in trick.plays:
                    if play.kind is not PlayKind.DISCARD:
                        face_up[team_of(trick.taker)] += points_of([deal.known[s] for s in play.slots if s is not None])
            for (taker, _), points in zip(own, worth, strict=True):
                face_up[team_of(taker)] += points
            assert open_points(deal) == tuple(face_up)
            assert "Points known" in d.text()
            return
        d.play()
        d.go()
        d.look()
        if d.model.view.stage in (Stage.BETWEEN, Stage.OVER):
            d.press("enter", "enter")
            d.go()
            d.look()
    raise AssertionError("nothing of worth was ever discarded")


@pytest.mark.parametrize(("width", "height"), [(59, 20), (60, 19), (30, 8), (12, 3)])
def test_a_small_window_says_its_size_and_the_way_out(width: int, height: int) -> None:
    """U24"""
    d = Desk(1)
    d.begin()
    text = " ".join(d.text(width, height).split())
    assert "60x20" in text
    if width >= 30:
        assert f"{width}x{height}" in text
        assert "--plain" in text


def test_a_hint_in_a_replay_is_of_the_seat_whose_turn_it_is_and_names_its_cards() -> None:
    """V7: "would beat with .", and it named another's hidden card."""
    model = ReplayModel(played_match(SEED), Settings(ascii="no"))
    asked = 0
    for _ in range(30):
        turn = model.replay.state().turn
        if turn is None:
            break
        for eyes in range(5):
            model.seat_key(eyes)
            model.do("hint")
            said = model.inner.hint
            if eyes and eyes - 1 != turn:
                assert "is to play" in said
                assert "the bot would" not in said
            else:
                assert said.startswith(f"{model.inner.name(turn)}: the bot would")
                assert " ." not in said
                asked += 1
        model.seat_key(0)
        model.do("forth")
    assert asked
    assert model.watcher is Eye.OPEN


def test_no_hint_says_the_opposite_of_its_reason(seed: int) -> None:
    """V16: "will take this trick in about 6 of 100: no need to spend anything"; then the same with 41."""
    d = Desk(seed)
    for _ in range(60):
        to_own_turn(d, Phase.ANSWER)
        view = d.model.seat_view
        assert view is not None
        sight = see(view)
        for move in moves(sight):
            said = reason(sight, move)
            if "no need to spend" in said or "give it" in said:
                assert "only in about" not in said
                assert not any(f"in about {n} of 100" in said for n in range(69))
            if "you can't help" in said:
                assert not any(other & ~FULL == BEAT for other in moves(sight))
        d.play()
        d.go()


def test_the_bell_rings_each_time_one_is_asked() -> None:
    """Case S 28: for a turn asked twice in one trick it rang perhaps once."""
    d = Desk(3)
    to_own_turn(d, Phase.ANSWER)
    d.wait(0.1)
    d.screen.take_bell()
    view = d.session.view
    deal = view.deal
    assert deal is not None
    # Cards come back (a molodka) and the same number of cards is asked once more.
    lead = replace(deal, plays=deal.plays[:1])
    show(d, replace(view, deal=replace(lead, turn=1)))
    d.wait(0.1)
    assert not d.screen.take_bell()
    show(d, replace(view, deal=replace(lead, turn=0)))
    d.wait(0.1)
    assert d.screen.take_bell()
    d.wait(0.1)
    assert not d.screen.take_bell()


ALONE = replace(LOBBY, seats=tuple(replace(s, bot=s.seat > 0) for s in LOBBY.seats))


def test_the_dialog_of_leaving_says_what_happens(seed: int) -> None:
    """U6: it spoke of "your seat" to a host whose table closes for all. U12: "the match ends here" was untrue."""
    begun = Desk(seed)
    begun.begin()
    match = begun.session.view.match
    on = replace(LOBBY, stage=Stage.PLAY, match=match)
    assert "closes for all" in leaving(replace(on, is_host=True))
    assert "H opens it again" in leaving(replace(on, is_host=True))
    assert "closes for all" in leaving(replace(LOBBY, is_host=True))
    assert "6 against your team" in leaving(on)
    assert leaving(LOBBY) == "Your seat becomes free."
    alone = leaving(replace(ALONE, stage=Stage.PLAY, match=match, is_host=True))
    assert "goes on with it" in alone
    assert "ends here" not in alone
    for view in (on, replace(on, is_host=True), replace(ALONE, stage=Stage.PLAY, match=match), LOBBY):
        d, _ = at(seed, view)
        d.press("q")
        for width, height in SIZES:
            text = d.text(width, height)
            words = " ".join(" ".join(line.strip("│ ") for line in text.splitlines()).split())
            assert leaving(view).split(". ")[-1].rstrip(".").split()[-1] in words, (width, height)
            assert "Enter leaves" in words


def test_keys_that_do_nothing_say_why(seed: int) -> None:
    """U15: A on one's own row did nothing; a name changed at the table waited for the next one in silence."""
    d, _ = at(seed, replace(LOBBY, is_host=True))
    d.press("a")
    assert "Seat 1 is yours" in d.model.notice
    d.press("x")
    assert "your own seat" in d.model.notice
    d.press("down", "right", "a")
    assert "A seats bots" in d.model.notice
    d.press("o", "enter", "c-u", *"Nina", "enter")
    assert "At this table you stay Vera; Nina counts from the next one on." in d.model.notice
    assert "At this table you stay Vera" in d.text()  # while the page of settings is open


def test_a_bad_setting_is_said_at_once() -> None:
    """V17: the sentence about a bad port came after the page was left."""
    d = Desk(1)
    d.begin()
    d.press("o", "up", "enter", *"99999", "enter")
    assert d.model.page is Page.SETTINGS
    assert "A port is a number" in d.text(60, 20)
    one = Lobby()
    one.press("o", "up", "enter", *"99999", "enter")
    assert "A port is a number" in one.text(60, 20)


def test_four_cards_in_brackets_are_whole_on_a_narrow_window() -> None:
    """V19: at 60 columns brackets were cut, and the last line ran over the eggs."""
    d = desk(glyphs_for(Settings(ascii="no")))
    for _ in range(30):
        d.press("enter", "enter")
        d.go()
        d.deal()
        d.look()
        report = d.model.report
        assert report is not None
        assert report.opened is not None
        text = d.text(60, 20)
        for trick in report.opened.tricks:
            for play in trick.plays:
                cards = [report.opened.known[s] for s in play.slots if s is not None]
                row = "".join(d.model.glyphs.card(c) for c in sorted(cards))
                assert f"({row})" in text if play.kind is PlayKind.DISCARD else row in text
        if d.model.view.stage is Stage.OVER:
            break
    d.press("enter", "enter")
    match = d.session.view.match
    assert match is not None
    d.session.view = replace(d.session.view, match=replace(match, eggs=2))
    d.control.take(d.session.view, d.now)
    last = d.text(60, 20).splitlines()[-4]
    assert "eggs" not in last
    assert "eggs" in d.text(60, 20)


@pytest.mark.parametrize("name", ["LC_ALL", "LC_CTYPE", "LANG"])
def test_the_posix_locale_gets_letters(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """U26: UTF-8 suits were drawn."""
    for other in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, "POSIX")
    assert glyphs_for(Settings()) is ASCII
    assert glyphs_for(Settings(ascii="no")).suits == "♠♣♦♥"
    assert glyphs_for(Settings(), "utf-8").suits == "♠♣♦♥"


def test_a_terminal_gets_the_colours_it_has() -> None:
    """V20: 256 colours on a vt100; bold yellow on white."""
    assert depth_for(Settings(), {"TERM": "vt100"}) is ColorDepth.DEPTH_1_BIT
    assert depth_for(Settings(), {"TERM": "linux"}) is ColorDepth.DEPTH_4_BIT
    assert depth_for(Settings(), {"TERM": "xterm-256color"}) is None
    assert depth_for(Settings(), {"TERM": "xterm-mono"}) is ColorDepth.DEPTH_1_BIT
    assert depth_for(Settings(), {"TERM": "vt100", "COLORTERM": "truecolor"}) is ColorDepth.DEPTH_24_BIT
    for name, looks in SIXTEEN.items():
        ink = {word for word in looks.split() if word.startswith("ansi")}
        assert not ink & {"ansiyellow", "ansibrightyellow", "ansiwhite"} or "bg:" in looks, name


def test_a_hint_that_is_cut_says_so_and_can_be_read_whole() -> None:
    """V8: at 80×24 with a clock it was cut without a mark."""
    d = Desk(3)
    to_own_turn(d, Phase.ANSWER)
    d.press("h")
    d.model.hint = "Hint: discard 9♠. " + "A reason that is longer than the room beside the cards. " * 5
    text = d.text()
    assert "… H" in text
    d.wait(0.0)
    d.press("h")
    assert d.model.page is Page.HINT
    assert "reason" in d.text()
    assert " ".join(d.text().replace("│", " ").split()).count("room beside") == 5


# The mouse


@pytest.mark.parametrize("place", ["settings", "form", "list"])
def test_a_click_marks_a_row_and_another_does_it(place: str) -> None:
    """V15"""
    one = Lobby()
    model = one.model
    if place == "settings":
        one.press("o")
        row = next(n for n, option in enumerate(OPTIONS) if option.key == "confirm")
        one.screen.click(f"option {row}", one.now)
        assert model.inner.option == row
        one.screen.click(f"option {row}", one.now)
        assert model.inner.settings.confirm
    elif place == "form":
        one.press("h")
        one.screen.click("entry watch", one.now)
        assert model.entry == "watch"
        before = model.form["watch"]
        one.screen.click("entry watch", one.now)
        assert model.form["watch"] != before
    else:
        one.press("r")
        one.screen.click("line 3", one.now)
        assert model.line == 0


def clickable(canvas: Canvas) -> set[str]:
    """Every command that stands somewhere on a canvas."""
    return {span[2] for line in canvas.lines() for span in line if span[2]}


def test_rows_and_footers_can_be_clicked() -> None:
    """V15: settings rows, form rows and the lobby's footer were dead."""
    one = Lobby()
    assert {"keys", "bots", "host", "address", "quit"} <= clickable(lobby.draw(one.model, 80, 24, 0.0))
    one.press("h")
    assert {"entry go", "entry code", "escape"} <= clickable(lobby.draw(one.model, 80, 24, 0.0))
    one.press("escape", "o")
    assert {"option 0", "option 5"} <= clickable(lobby.draw(one.model, 80, 24, 0.0))
    model = ReplayModel(played_match(SEED), Settings(ascii="no"))
    assert {"review", "hint", "quit"} <= clickable(replay_view.draw(model, 80, 24, 0.0))


async def test_the_wheel_scrolls_and_the_right_button_does_not_choose() -> None:
    """V15"""
    async with table(1, replace(FAST, mouse=True)) as t:
        await t.shows("seats")
        t.press("enter")
        await until(lambda: t.session.view.seats[0].ready)
        t.press("enter")
        await t.shows("Your turn")
        row = next(n for n, text in enumerate(t.glass.rows()) if "1─╯" in text)
        t.keys.send_text(f"\x1b[<2;4;{row}M\x1b[<2;4;{row}m")
        t.press("?")
        await t.shows("Rules")
        top = t.glass.rows()[2]
        t.keys.send_text("\x1b[<65;4;5M" * 3)
        await until(lambda: t.glass.rows()[2] != top)
        t.press("escape")
        await t.shows("Your turn")
        assert "╰─1─╯" not in t.glass.rows()[row - 1]
        t.press("c-c", "c-c")
        await asyncio.sleep(0)


# Large windows


@pytest.mark.parametrize(("width", "height"), [(120, 40), (200, 60), (300, 90)])
def test_a_large_window_has_the_table_in_its_middle_with_trump_and_stock_on_it(width: int, height: int) -> None:
    """U17: players at the edges, tiny cards, a desert between."""
    d = Desk(3)
    to_own_turn(d, Phase.LEAD)
    rows = d.text(width, height).splitlines()
    stock = next(n for n, row in enumerate(rows) if "trump  " in row and "stock" in row)
    left, right = (next(n for n, row in enumerate(rows) if f"{name} (bot)" in row) for name in ("Anna", "Igor"))
    assert left == right
    assert abs(stock - left) <= 5
    row = rows[left]
    assert row.index("Igor") - row.index("Anna") <= CLOTH_WIDTH + 30
    hand = next(n for n, text in enumerate(rows) if "──1──" in text)
    boris = next(n for n, text in enumerate(rows) if "Boris (partner" in text)
    assert hand - boris <= CLOTH_HEIGHT + 14
    assert cells(max(rows, key=cells)) <= width


def test_below_that_the_screen_is_as_it_was() -> None:
    """U17: 80×24 and 60×20 have no room for it."""
    d = Desk(3)
    to_own_turn(d, Phase.LEAD)
    for width, height in SIZES[:2]:
        assert "╰─1─╯" in d.text(width, height)


def test_each_card_lies_under_the_one_that_it_beats() -> None:
    """U18: in an answer to a lead of two the pairs did not line up."""
    trump = suit_of(parse("6S"))
    d = Desk(3)
    to_own_turn(d, Phase.LEAD)
    deal = d.session.view.deal
    assert deal is not None
    faces_ = dict(enumerate(parse_all("9D KD 6S QD 8S 7S")))
    deal = replace(deal, trump=trump, known=faces_)
    lead, beat = Play(0, PlayKind.LEAD, (0, 1)), Play(1, PlayKind.BEAT, (2, 3))
    more = Play(2, PlayKind.BEAT, (4, 5))
    gave = Play(3, PlayKind.DISCARD, (None, None))
    shown = laid((lead, beat, more, gave), deal)
    for over, under in ((shown[0], shown[1]), (shown[1], shown[2])):
        assert all(beats(card, below, trump) for card, below in zip(under, over, strict=True))
    assert shown[1] == tuple(parse_all("QD 6S"))  # the queen under the nine, the trump under the king
    assert shown[3] == ()


def test_the_marked_setting_is_always_to_be_seen() -> None:
    """V19, its kind: at 60×20 the last settings were below the window, and the mark with them."""
    d = Desk(1)
    d.begin()
    d.press("o")
    for option in OPTIONS:
        text = d.text(60, 20)
        row = next(line for line in text.splitlines() if f"▸ {option.label}" in line)
        assert option.about in row
        d.press("down")


def test_a_partner_who_is_a_bot_can_be_asked_why(seed: int) -> None:
    """Case S 27: bots beat their partner's trick from the last seat, and nobody was told why."""
    d = Desk(seed)
    d.begin()
    d.deal()
    d.look()
    d.press("h")
    review = d.model.review
    assert review is not None
    assert review.seats == (0, 2)
    partner = review.of(2)
    rows, said = d.text(120, 200), list(told(review, d.model.glyphs, [d.model.name(s) for s in range(4)]))
    assert "Boris: " in rows
    for row in (row for row in partner if row.agreed):
        assert because(row.reason, d.model.glyphs).split()[0] in rows
    assert sum(line.startswith("  Trick") and "Boris" in line and len(line) > 60 for line in said) == len(partner)
    people = replace(d.session.view, seats=tuple(replace(s, bot=False) for s in d.session.view.seats))
    d.model.review = None
    d.control.take(people, d.now)
    alone = d.model.go_through()
    assert alone is not None
    assert alone.seats == (0,)
