"""After a deal: the bot's choice beside one's own, on the screen, in lines, and in a replay."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from goat_client.cli import main
from goat_client.game.local import LocalSession, random_deal
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.game.review import NO_CHOICE, NO_SEAT, NOT_OPEN, cost_words, record_of, reviewed, told
from goat_client.lines.plain import Plain
from goat_client.machine.glyphs import UNICODE
from goat_client.machine.settings import Settings
from goat_client.saved.matchfile import bots_play, of_log, open_match
from goat_client.saved.replay import ReplayModel
from goat_client.views import replay as replay_view

from goat_engine.actions import Action, Claim, Discard, Lead, Show, Yield
from goat_engine.bots.review import review
from goat_engine.cards import DECK
from goat_engine.record import Deal, Record, Step, dump
from goat_engine.rules import SEATS, Rules, Seat
from goat_net.seat.present import table_view
from goat_net.seat.tableview import Stage, TableView
from tests.client.kit import Desk
from tests.world.world import World


def rigged(rng: random.Random, held: dict[Seat, int]) -> Deal:
    """A deal led by seat 0 in which these seats hold four cards of these suits."""
    four = {seat: [suit * 9 + rank for rank in range(2, 6)] for seat, suit in held.items()}
    rest = [c for c in DECK if not any(c in cards for cards in four.values())]
    rng.shuffle(rest)
    hands = {seat: four[seat] if seat in four else [rest.pop() for _ in range(4)] for seat in SEATS}
    order = [0] * 16
    for seat in SEATS:
        order[seat::4] = hands[seat]
    return Deal(3, 0, rest[-1], (*order, *rest))


def truth(desk: Desk) -> list[Step]:
    """What is really done at a desk's table, in order, from now on."""
    steps: list[Step] = []
    apply = desk.session._apply

    def kept(seat: Seat, action: Action) -> None:
        steps.append((seat, action))
        apply(seat, action)

    desk.session._apply = kept  # type: ignore[method-assign]
    return steps


def over(seed: int, *, deals: tuple[Deal, ...] = (), **settings: object) -> tuple[Desk, Record]:
    """A desk at the end of its first deal, and the true record of it."""
    desk = Desk(seed, settings=Settings(name="Vera", remind=False, reveal=0.0, **settings), deals=deals)  # type: ignore[arg-type]
    steps = truth(desk)
    desk.begin()
    first = desk.model.deal
    assert first is not None
    leader = first.tricks[0].entitled if first.tricks else first.entitled
    desk.deal()
    cards = tuple(desk.session._cards[s] for s in DECK)
    return desk, Record(Deal(first.dealer, leader, first.indicator, cards), tuple(steps))


def alike(steps: tuple[Step, ...], me: Seat) -> list[object]:
    """Steps without what ``me`` can't know of discards that went back to hands."""
    out: list[object] = []
    for seat, action in steps:
        hidden = isinstance(action, Discard) and seat != me
        out.append((seat, type(action), len(getattr(action, "slots", ())) if hidden else action))
    return out


def agrees(desk: Desk, true: Record) -> set[type]:
    """The page's rows are the engine's of the true record; gives the kinds of action that were judged."""
    report = desk.model.report
    assert report is not None
    assert report.opened is not None
    found = record_of(report.opened, desk.model.went_back[1])
    assert found is not None
    assert alike(found.steps, 0) == alike(true.steps, 0)
    mine = desk.model.go_through()
    assert mine is not None
    assert mine.of(0) == tuple(review(true, (0,)))
    assert mine.note == ("" if mine.rows else NO_CHOICE)
    return {type(row.played) for row in mine.rows}


def test_agrees_with_the_engine(seed: int) -> None:
    for n in range(6):
        agrees(*over(seed + n))


def test_agrees_with_the_engine_where_molodkas_are_claimed(seed: int) -> None:
    rng, judged, claims, takeovers, returned = random.Random(seed), set[type](), 0, 0, 0
    for n in range(40):
        held = [{1: 0}, {2: 0, 1: 1}, {3: 1, 0: 2}, {0: 3}, {3: 0, 2: 1, 0: 2}][n % 5]
        desk, true = over(seed + n, deals=(rigged(rng, held),))
        judged |= agrees(desk, true)
        kinds = [type(a) for _, a in true.steps]
        claims += Claim in kinds
        takeovers += any(b is Claim and a in (Show, Yield) for a, b in pairwise(kinds))
        returned += bool(desk.model.went_back[1])
    assert claims > 6
    assert takeovers
    assert returned
    assert Lead in judged


MOLODKA_SEED = 42
"""From here on a world is looked for in whose first deal cards go back to the hands; about one in forty is one."""


def agrees_with_the_saved_match(number: int) -> int:
    """Play the first deal of a world; how many cards went back to the hands in it."""
    world = World(number)
    models = {s.seat: Model() for s in world.seated}
    seen: dict[Seat, object] = {}
    went_back = 0
    while len(seen) < 4:
        assert world.step()
        for s in world.seated:
            model = models[s.seat]
            model.update(table_view(s.player, None, base=TableView(), known={}, me=s.seat), world.now)
            if s.seat not in seen and (mine := model.go_through()) is not None:
                seen[s.seat] = mine.of(s.seat)
                went_back += len(model.went_back[1])
    deal = of_log("x", next(iter(world.journal.values()))).deals[0]
    assert seen == {seat: tuple(review(deal.record, (seat,))) for seat in SEATS}
    return went_back


def test_agrees_with_a_saved_match_of_a_real_table(seed: int) -> None:
    agrees_with_the_saved_match(seed)
    assert any(agrees_with_the_saved_match(number) for number in range(MOLODKA_SEED, MOLODKA_SEED + 300))


# --- on the screen -------------------------------------------------------------------------------------------


def test_a_key_opens_it_at_the_end_of_a_deal_and_it_scrolls() -> None:
    desk, _ = over(11)
    assert "H review" in desk.text(60, 20)
    desk.press("h")
    assert desk.model.page is Page.REVIEW
    first = desk.text(60, 20)
    assert "What the bot would have played" in first
    desk.press("end")
    last = desk.text(60, 20)
    assert last != first
    kept = desk.model.review
    assert kept is not None
    assert any(line.startswith(f"│ {kept.rows[-1].trick} ") for line in last.splitlines())
    desk.press("р")  # the same key under a Cyrillic layout
    assert desk.model.page is Page.NONE
    desk.press("h")
    assert desk.model.review is kept  # not reckoned again
    desk.press("escape", "enter", "enter")
    desk.go()
    desk.look()
    assert desk.model.go_through() is None
    desk.deal()
    assert desk.model.go_through() is not kept


def test_it_is_not_there_with_hints_off_or_before_the_end() -> None:
    desk, _ = over(11, hints=False)
    assert "review" not in desk.text()
    desk.press("h")
    assert desk.model.page is Page.NONE
    desk = Desk(11)
    desk.begin()
    desk.press("h")
    assert desk.model.page is Page.NONE


def test_who_has_no_seat_and_a_deal_that_is_not_open_are_told_so() -> None:
    desk, _ = over(11)
    report = desk.model.report
    assert report is not None
    assert report.opened is not None
    desk.model.view = replace(desk.model.view, me=None)
    watcher = desk.model.go_through()
    assert watcher is not None
    assert watcher.note == NO_SEAT
    part = replace(report.opened, known={s: c for s, c in report.opened.known.items() if s != 30})
    assert record_of(part) is None
    desk.model.view = replace(desk.model.view, me=0, reports=(replace(report, opened=None, result=None),))
    desk.model.review = None
    desk.press("h")
    assert NOT_OPEN[:40] in desk.text()
    wrong = Record(random_deal(random.Random(1), 3, 0, Rules()), ((1, Yield()),))
    assert reviewed(wrong, SEATS).note == NOT_OPEN


def test_costs_have_words_in_order() -> None:
    assert len({cost_words(c / 100) for c in range(300)}) == 4
    assert cost_words(0.0) == "Hardly a difference."
    assert cost_words(2.0) == "It cost much."


# --- in lines ------------------------------------------------------------------------------------------------


def test_plain_mode_tells_it() -> None:
    desk, true = over(11)
    out: list[str] = []
    plain = Plain(desk.session, Settings(name="Vera", ascii="no", suits="symbols"), out.append)
    session = LocalSession(11)
    early = Plain(session, Settings(name="Vera", ascii="no", suits="symbols"), out.append)
    early.take(session.view, 0.0)
    early.line("review", 1.0)
    assert out[-1] == "A review is for the end of a deal."
    assert desk.session.view.stage is Stage.BETWEEN
    plain.take(desk.session.view, 0.0)
    out.clear()
    plain.line("review", 1.0)
    names = [plain.model.name(s) for s in SEATS]
    partner = replace(reviewed(true, (0, 2)), explained=frozenset({2}))
    assert out == list(told(partner, UNICODE, names))
    assert len(out) == 2 + len(list(review(true, (0, 2))))
    said, out[:] = list(out), []
    plain.line("h", 2.0)
    assert out == said
    plain.line("set hints no", 3.0)
    plain.line("review", 4.0)
    assert out[-1].startswith("Hints are off")


# --- in a replay ---------------------------------------------------------------------------------------------


@pytest.fixture
def source(seed: int, tmp_path: Path) -> str:
    record = bots_play(random_deal(random.Random(seed), 3, 0, Rules()), "easy", seed)
    path = tmp_path / "deal.txt"
    path.write_text(dump(record), encoding="ascii")
    return str(path)


def rows(lines: str) -> Iterator[str]:
    """The lines of a review in a replay's output."""
    _, _, tail = lines.partition("What the bot would have played:\n")
    yield from (line for line in tail.splitlines() if line.startswith("  Trick "))


@pytest.mark.parametrize("seat", [0, 1, 2, 3, 4])
def test_a_replay_in_lines(source: str, seat: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", source, "--plain", "--review", "--seat", str(seat)]) == 0
    out = capsys.readouterr().out
    record = open_match(source).deals[0].record
    expected = list(review(record, SEATS if not seat else (seat - 1,)))
    said = list(rows(out))
    assert len(said) == len(expected)
    assert sum(line.endswith(", as the bot would.") for line in said) == sum(r.agreed for r in expected)
    assert main(["replay", source, "--plain"]) == 0
    assert "the bot would" not in capsys.readouterr().out


def test_a_replay_by_keys(source: str) -> None:
    model = ReplayModel(open_match(source), Settings())
    model.key("r")
    shown = model.inner.review
    assert shown is not None
    assert shown.rows == tuple(review(model.deal.record))
    names = model.match.seats
    tall = replay_view.draw(model, 80, 200, 0.0).text()
    assert all(f"{name}: " in tall for name in names)
    model.key("2")
    one = replay_view.draw(model, 80, 200, 0.0).text()
    assert f"{names[1]}: " in one
    assert f"{names[0]}: " not in one
    model.key("к")
    assert model.inner.page is Page.NONE
    assert model.replay.position == 0
