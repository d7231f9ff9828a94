"""Positions that players complain about, each a deal file with the moves that are acceptable in it.

A file is a record (``goat_engine.record``) that breaks off at a decision. Comment lines before it say what the
complaint is, which levels must not give cause for it, who is to move, and which moves are fine::

    # Beats the partner's sure trick
    # levels: hard expert
    # to move: 3
    # fine: discard 10D | beat AS

To report a bad move of a bot, add such a file.
"""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from goat_engine import bots, cards, record
from goat_engine.actions import Action, Claim, Yield
from goat_engine.bots import fast, table
from goat_engine.bots.reasons import reason
from goat_engine.bots.rehearsal import Rehearsal

FOLDER = Path(__file__).parent.parent / "positions"
FILES = sorted(FOLDER.glob("*.txt"))
KINDS = {"lead": fast.LEAD, "beat": fast.BEAT, "discard": fast.DISCARD}


@dataclass(frozen=True)
class Position:
    complaint: str
    levels: tuple[str, ...]
    seat: int
    fine: frozenset[int]
    game: Rehearsal


def move(text: str, game: Rehearsal, seat: int) -> int:
    word, _, names = text.strip().partition(" ")
    if word == "claim":
        return table.move_of(game.view(seat), Claim())
    if word == "yield":
        return table.move_of(game.view(seat), Yield())
    return fast.mask_of(cards.parse_all(names)) | KINDS[word]


def load(path: Path) -> Position:
    text = path.read_text(encoding="ascii")
    notes = [line[1:].strip() for line in text.splitlines() if line.startswith("#")]
    fields = dict(note.split(": ", 1) for note in notes if note.split(":")[0] in ("levels", "to move", "fine"))
    rec = record.load(text)
    game = Rehearsal(rec.deal.cards, rec.deal.indicator, rec.deal.dealer, rec.deal.leader)
    for step in rec.steps:
        game.act(*step)
    seat = int(fields["to move"])
    fine = frozenset(move(text, game, seat) for text in fields["fine"].split("|"))
    return Position(notes[0], tuple(fields["levels"].split()), seat, fine, game)


def said(view_seat: int, game: Rehearsal, action: Action) -> str:
    made = table.move_of(game.view(view_seat), action)
    return f"{fast.KIND_NAMES[made >> 36]} {' '.join(cards.name(c) for c in fast.cards_of(made & fast.FULL))}"


def test_there_are_enough_positions() -> None:
    assert len(FILES) >= 40
    assert len({load(path).complaint for path in FILES}) >= 10
    assert all("expert" in load(path).levels for path in FILES)
    assert sum("hard" in load(path).levels for path in FILES) >= 40


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_position_is_a_real_choice(path: Path) -> None:
    """The file is sound: the seat owes a move, every fine move is legal, and some legal move is not fine."""
    position = load(path)
    view = position.game.view(position.seat)
    legal = {table.move_of(view, action) for action in view.actions()}
    assert view.owes
    assert position.fine < legal
    assert position.fine


@pytest.mark.parametrize(
    ("path", "level"),
    [pytest.param(path, level, id=f"{path.stem}-{level}") for path in FILES for level in load(path).levels],
)
def test_bot_plays_an_acceptable_move(path: Path, level: str) -> None:
    position = load(path)
    view = position.game.view(position.seat)
    action = bots.choose(view, random.Random(1), level)
    assert table.move_of(view, action) in position.fine, (
        f"{position.complaint}: {level} plays {said(position.seat, position.game, action)}"
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_hint_has_a_reason(path: Path) -> None:
    position = load(path)
    view = position.game.view(position.seat)
    given = bots.hint(view)
    assert given.action in view.actions()
    assert 10 < len(given.reason) < 250
    for action in view.actions():
        assert reason(table.see(view), table.move_of(view, action))
