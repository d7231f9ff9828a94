"""Duplicate pairs and the command that plays them."""

import argparse
import io
import json
from collections.abc import Callable

import pytest
from goat_client.commands import arena

from goat_engine.bots import duel


def clock() -> Callable[[], float]:
    """A clock that ticks a millisecond a look."""
    ticks = iter(range(10_000_000))
    return lambda: next(ticks) / 1000


def arguments(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    arena.add_arguments(parser)
    return parser.parse_args(words)


def test_pairs_do_not_depend_on_how_they_are_parted() -> None:
    team_a, team_b = ("easy", "easy"), ("medium", "medium")
    whole = duel.pairs(0, 12, 4, team_a, team_b, clock())
    parts = duel.pairs(0, 5, 4, team_a, team_b, clock())
    parts.join(duel.pairs(5, 7, 4, team_a, team_b, clock()))
    assert parts.wins == whole.wins
    assert parts.margins == whole.margins
    assert parts.defeats == whole.defeats
    assert parts.paces[0].moves == whole.paces[0].moves > 0
    assert whole.paces[0].mean == pytest.approx(0.001)


def test_bots_without_noise_against_themselves_are_even_in_every_pair() -> None:
    control = duel.pairs(0, 40, 1, ("hard", "hard"), ("hard", "hard"), clock())
    assert set(control.wins) == {0.5}
    assert set(control.margins) == {0.0}
    assert set(control.defeats) == {0.0}


def test_swapping_sides_mirrors_the_outcome() -> None:
    one = duel.pairs(0, 20, 1, ("hard", "hard"), ("byhand", "byhand"), clock())
    other = duel.pairs(0, 20, 1, ("byhand", "byhand"), ("hard", "hard"), clock())
    assert one.wins == [1 - share for share in other.wins]
    assert one.margins == [-margin for margin in other.margins]


def test_stronger_beats_weaker() -> None:
    assert duel.interval(duel.pairs(0, 150, 1, ("easy", "easy"), ("random", "random"), clock()).wins)[0] > 0.7


def test_interval() -> None:
    assert duel.interval([]) == (0.0, 0.0)
    assert duel.interval([0.5]) == (0.5, 0.0)
    mean, half = duel.interval([0.0, 1.0] * 50)
    assert mean == 0.5
    assert half == pytest.approx(1.96 * (0.25 * 100 / 99 / 100) ** 0.5)


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena.run(arguments("easy", "random", "--deals", "30", "--json", "--partner", "hard")) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert err == ""  # no progress where there is no terminal
    assert (told["a"], told["b"], told["partner"], told["deals"], told["whole"]) == ("easy", "random", "hard", 30, True)
    assert 0 < told["win_rate"]["mean"] < 1
    assert told["win_rate"]["half"] > 0
    assert told["ms_a_move"]["a"]["mean"] > 0


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena.run(arguments("medium", "easy", "--deals", "10")) == 0
    out = capsys.readouterr().out
    assert "medium against easy" in out
    assert "10, each played twice" in out


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena.run(arguments("hard", "hard", "--deals", "0")) == 2
    assert arena.run(arguments("hard", "hard", "--jobs", "1000")) == 2
    assert "--deals is 1 to" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        arguments("hard", "nobody")


def test_broken_off_tells_what_was_played(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    played = arena._part

    def interrupted(task: arena.Task, first: int) -> tuple[int, duel.Outcome]:
        if first >= 2 * arena.PART:
            raise KeyboardInterrupt
        return played(task, first)

    monkeypatch.setattr(arena, "_part", interrupted)
    assert arena.run(arguments("easy", "random", "--deals", "500", "--json")) == 130
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert (told["deals"], told["asked"], told["whole"]) == (50, 500, False)
    assert "after 50 of 500" in err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal() -> None:
    out = Terminal()
    progress = arena.Progress(out, 100)
    progress.show(25)
    assert "25 of 100 deals" in out.getvalue()
    assert "left" in out.getvalue()
    progress.clear()
    assert out.getvalue().endswith("\r")


@pytest.mark.processes
def test_processes_play_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("easy", "random", "--deals", "60", "--json")
    assert arena.run(arguments(*words, "--jobs", "2")) == 0
    together = json.loads(capsys.readouterr().out)
    assert arena.run(arguments(*words)) == 0
    alone = json.loads(capsys.readouterr().out)
    for key in ("win_rate", "margin", "defeat_points", "deals"):
        assert together[key] == alone[key]
