"""Replays: of records, of saved matches, of deal codes; by keys and in lines."""

import random
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from goat_client.cli import main
from goat_client.game.local import random_deal
from goat_client.lines.plain_replay import WORDS, PlainReplay, run_plain_replay
from goat_client.machine.settings import Settings
from goat_client.saved import replay
from goat_client.saved.matchfile import MatchFileError, PlayedMatch, bots_play, of_log, open_match
from goat_client.saved.replay import ReplayModel
from goat_client.views import replay as view

from goat_engine.audit import audit_record
from goat_engine.record import Record, dump, encode_deal
from goat_engine.rules import Rules
from goat_engine.state import Phase
from goat_net.folders import HOME_VARIABLE
from tests.client.kit import SIZES
from tests.world.world import World


@pytest.fixture
def record(seed: int) -> Record:
    return bots_play(random_deal(random.Random(seed), 3, 0, Rules()), "easy", seed)


@pytest.fixture
def source(record: Record, tmp_path: Path) -> str:
    path = tmp_path / "deal.txt"
    path.write_text(dump(record), encoding="ascii")
    return str(path)


def test_bots_play_a_deal_by_the_rules(record: Record) -> None:
    found = audit_record(record)
    assert not found.offences
    assert found.result is not None


def test_every_step_forth_and_back_is_drawn(source: str) -> None:
    model = ReplayModel(open_match(source), Settings())
    screens = [view.draw(model, 80, 24, 0.0).text()]
    while model.replay.position < len(model.replay):
        model.key("right")
        screens.append(view.draw(model, 80, 24, 0.0).text())
    assert model.replay.state().phase is Phase.OVER
    assert "End of the deal" in screens[-1]
    assert len(set(screens)) == len(screens)
    for screen in reversed(screens[:-1]):
        model.key("left")
        assert view.draw(model, 80, 24, 0.0).text() == screen


def test_one_seat_sees_no_more_than_it_saw(source: str) -> None:
    model = ReplayModel(open_match(source), Settings())
    for n in (1, 2, 3, 4):
        model.key(str(n))
        model.key("home")
        while True:
            state = model.inner.deal
            assert state is not None
            allowed = set(state.hands[n - 1]) | state.shown
            mine = {s for t in state.tricks for p in t.plays if p.seat == n - 1 for s in p.slots}
            mine |= {s for p in state.plays if p.seat == n - 1 for s in p.slots}
            assert set(state.known) <= allowed | mine
            if model.replay.position == len(model.replay):
                break
            model.key("right")


@pytest.mark.parametrize("size", SIZES)
def test_keys_of_a_replay(source: str, size: tuple[int, int]) -> None:
    model = ReplayModel(open_match(source), Settings())
    keys = "down down h c up ? escape end home 0 2 down к escape 0 home р"
    for key in keys.split():
        model.key(key)
        text = view.draw(model, *size, 0.0).text()
        assert len(text.splitlines()) == size[1]
    assert "is to play" in model.inner.hint or "the bot would" in model.inner.hint
    model.key("0")
    model.key("h")
    assert "the bot would" in model.inner.hint
    model.key("c")
    assert model.inner.hint == f"Deal code: {model.deal.code}"
    model.key("й")
    assert model.finished


def test_a_deal_code_is_played_by_bots_and_is_the_same_deal(record: Record) -> None:
    match = open_match(encode_deal(record.deal).lower())
    assert match.deals[0].record.deal.cards == record.deal.cards
    assert match.deals[0].result is not None


def test_a_saved_match_with_all_its_deals(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    world = World(5)
    world.run(deals=2)
    path = tmp_path / "2026-01-01-0000-x.goat"
    path.write_bytes(journal(world))
    match = of_log("x", path.read_bytes())
    assert [d.number for d in match.deals[:2]] == [1, 2]
    assert main(["replay", str(path), "--plain"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert out.count("End of the deal") == len(match.deals)
    assert main(["replay", str(path), "--codes"]) == 0
    assert capsys.readouterr().out.count("G1:") == len(match.deals)
    assert main(["replay", str(path), "--deal", "99"]) == 2
    assert "There is no deal 99" in capsys.readouterr().err


def journal(world: World) -> bytes:
    """The bytes of the table's journal."""
    return next(iter(world.journal.values()))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no saved match"),
        (b"nonsense", "no saved match"),
        (b"goat deal 1\nrules", "can't be stepped through"),
        ("goat deal 1\nö".encode(), "other signs than ASCII"),
    ],
)
def test_what_is_no_match_is_refused_in_a_sentence(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    assert main(["replay", str(path), "--plain"]) == 2
    assert said in capsys.readouterr().err


def test_a_wrong_code_or_file_is_refused() -> None:
    with pytest.raises(MatchFileError, match="no deal code"):
        open_match("G1:AAAA")
    with pytest.raises(MatchFileError, match="is not there"):
        open_match("/nowhere/at/all")
    assert replay.REPLAY


# In lines ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def evening(seed: int, tmp_path: Path) -> PlayedMatch:
    """A match of three deals, as it is read from a file."""
    deals = [bots_play(random_deal(random.Random(seed + n), 3, 0, Rules()), "easy", seed) for n in range(3)]
    found = []
    for n, record in enumerate(deals):
        path = tmp_path / f"{n}.txt"
        path.write_text(dump(record), encoding="ascii")
        found.append(replace(open_match(str(path)).deals[0], number=n + 1))
    return replace(open_match(str(tmp_path / "0.txt")), deals=tuple(found))


def test_lines_begin_at_the_deal_that_was_asked_for(evening: PlayedMatch) -> None:
    """V14: began at deal 1."""
    model = ReplayModel(evening, Settings())
    model.to_deal(1)
    told = list(model.told())
    assert [line.split(",")[0] for line in told if line.startswith("Deal ")] == ["Deal 2", "Deal 3"]


def test_a_match_is_stepped_through_by_lines(evening: PlayedMatch) -> None:
    """Every step forth and back, deals, seats, hints: by words."""
    out: list[str] = []
    plain = PlainReplay(ReplayModel(evening, Settings(ascii="no")), out.append)
    plain.welcome()
    assert "help lists the words" in out[0]
    assert "Deal 1 of 3." in out
    ends = 0
    for _ in range(600):
        plain.line("")
        ends += out[-1].startswith("End of the deal")
        if out[-1] == "This is the end of the match.":
            break
    assert ends == 3
    plain.line("deal 2")
    assert "Deal 2 of 3." in out[-6:]
    out.clear()
    plain.line("trick")
    plain.line("back")
    plain.line("where")
    assert out[-1].startswith("Deal 2, step ")


@pytest.mark.parametrize("word", sorted(WORDS))
def test_every_word_of_a_replay_in_lines_is_answered(evening: PlayedMatch, word: str) -> None:
    """V1, V13: in a replay."""
    out: list[str] = []
    plain = PlainReplay(ReplayModel(evening, Settings(ascii="no")), out.append)
    plain.line(word)
    assert out or plain.model.finished
    assert not any("no word of a replay" in line for line in out)


def test_a_hint_names_the_cards_of_the_seat_on_turn_and_only_where_one_may_look(evening: PlayedMatch) -> None:
    """V7: "would beat with ." and another's hidden card."""
    for n in range(5):
        model = ReplayModel(evening, Settings(ascii="no"))
        model.seat_key(n)
        while model.replay.forth():
            model._changed()
            turn = model.replay.state().turn
            if turn is None:
                continue
            model.hint()
            said = model.inner.hint
            if n in (0, turn + 1):
                would = r".*: the bot would (lead|beat with|discard|show) \S|.*(claim the molodka|let it stand)"
                assert re.match(would, said)
            else:
                assert said == f"{evening.seats[turn]} is to play. Their cards can't be seen from here."


async def test_the_end_of_the_lines_ends_a_replay(evening: PlayedMatch) -> None:
    async def lines() -> AsyncGenerator[str, None]:
        yield ""

    out: list[str] = []
    async with aclosing(lines()) as source:
        await run_plain_replay(ReplayModel(evening, Settings()), lines=source, write=out.append)
    assert out


def test_without_a_file_the_newest_saved_match_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """U9: goat replay wanted a file."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    assert main(["replay", "--plain"]) == 2
    assert "No finished deal is saved yet" in capsys.readouterr().err
    folder = tmp_path / "data" / "profile-1" / "matches"
    folder.mkdir(parents=True)
    for day, seed in ((1, 3), (2, 5)):
        world = World(seed)
        world.run(deals=1)
        (folder / f"2026-01-0{day}-0000-x.goat").write_bytes(journal(world))
    (folder / "2026-01-03-0000-x.goat").write_bytes(b"")  # left before its first deal was over
    assert main(["replay", "--plain"]) == 0
    assert capsys.readouterr().out.startswith("2026-01-02-0000:")
