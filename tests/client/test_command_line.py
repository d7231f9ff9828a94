"""What the command line says to who mistypes, and how it counts."""

import pytest
from goat_client.cli import COMMANDS, EXAMPLES, main
from goat_client.machine.doctor import Finding, Level, as_text


@pytest.mark.parametrize(
    ("typed", "meant"), [("plya", "play"), ("jion", "join"), ("Host", "host"), ("replays", "replay")]
)
def test_a_mistyped_command_is_guessed(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    """U22: nothing asked "did you mean play?"."""
    assert main([typed]) == 2
    assert f"did you mean {meant}?" in capsys.readouterr().err


def test_nonsense_is_not_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["xyzzy"]) == 2
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["join", "bot"])
@pytest.mark.parametrize("seat", ["0", "5"])
def test_seats_are_counted_from_one(command: str, seat: str, capsys: pytest.CaptureFixture[str]) -> None:
    """U22: `join --seat` counted 0 to 3, `replay --seat` 1 to 4."""
    assert main([command, "Kitchen", "--seat", seat]) == 2
    assert "choose from 1, 2, 3, 4" in capsys.readouterr().err.replace("'", "")


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_of_a_command_has_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """U22: no examples in help; `goat help COMMAND` says the same as `goat COMMAND --help`."""
    assert name in COMMANDS
    assert main([name, "--help"]) == 0
    said = capsys.readouterr().out
    assert f"For example: goat {name}" in said
    assert main(["help", name]) == 0
    assert capsys.readouterr().out == said


def test_the_worst_comes_last() -> None:
    """U23: the doctor said "all good" right after "others can't reach it"."""
    good, note, bad = (Finding(level.value, level, f"a {level.value} thing") for level in Level)
    lines = as_text([bad, good, note], "utf-8").splitlines()
    assert [line.split()[1] for line in lines[:3]] == ["good", "note", "bad"]
    assert lines[-1] == "1 thing to mend"
    assert as_text([note, good], "utf-8").splitlines()[-1] == "nothing to mend; 1 thing to know, just above"
    assert as_text([good], "utf-8").splitlines()[-1] == "all good"
