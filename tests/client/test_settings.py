"""The settings file: read, bounded, written whole, and told about."""

import asyncio
import tomllib
import types
from pathlib import Path
from typing import Any

import pytest
from goat_client.commands.play import play_with_bots
from goat_client.errors import CommandError
from goat_client.machine.child import Launch
from goat_client.machine.glyphs import ASCII
from goat_client.machine.settings import (
    BY_KEY,
    FILE_LIMIT,
    OPTIONS,
    PACES,
    Settings,
    SettingsError,
    dump,
    from_mapping,
    glyphs_for,
    load,
    no_colour,
    save,
    step,
    with_setting,
    yes_or_no,
)
from hypothesis import given
from hypothesis import strategies as st

from goat_net.table_options import TableOptions


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "goat.toml"
    assert load(path) == (Settings(), ())
    settings = Settings(name='A "b" \\ c', hold=3.0, confirm=True, colour="256", port=4000, four_colours=True)
    save(settings, path)
    assert load(path) == (settings, ())
    assert [p.name for p in path.parent.iterdir()] == ["goat.toml"]


def test_every_option_is_a_setting_and_the_other_way_round() -> None:
    assert set(BY_KEY) == set(Settings.__dataclass_fields__)  # the language is offered when there is another
    for option in OPTIONS:
        default = getattr(Settings(), option.key)
        assert not option.values or default in option.values
        stepped = step(Settings(), option.key)
        assert (stepped == Settings()) == (not option.values)
        assert from_mapping({option.key: getattr(stepped, option.key)}) == (stepped, ())


@pytest.mark.parametrize(
    ("given_", "said"),
    [({"hold": "long"}, "hold"), ({"hold": -1}, "hold"), ({"hold": True}, "hold"), ({"bell": 1}, "bell"),
     ({"port": 70000}, "port"), ({"port": 1.5}, "port"), ({"colour": "pink"}, "colour"), ({"colur": "16"}, "unknown"),
     ({"name": "x" * 300}, "name"), ({"level": ["easy"]}, "level")],
)  # fmt: skip
def test_what_does_not_fit_is_warned_about_and_the_default_used(given_: dict[str, object], said: str) -> None:
    settings, warnings = from_mapping(given_)
    assert settings == Settings()
    assert said in warnings[0]


VALUES = st.one_of(st.integers(), st.text(max_size=30), st.booleans(), st.floats())


@given(st.dictionaries(st.text(max_size=12), VALUES))
def test_any_mapping_gives_settings_or_warnings(data: dict[str, Any]) -> None:
    settings, warnings = from_mapping(data)
    assert len(warnings) <= len(data)
    assert tomllib.loads(dump(settings)).items() <= {k: getattr(settings, k) for k in settings.__slots__}.items()


def test_a_broken_or_giant_file_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "goat.toml"
    for data in (b"name = ", b"\xff\xfe", b"#" * (FILE_LIMIT + 1)):
        path.write_bytes(data)
        with pytest.raises(SettingsError, match=r"goat\.toml"):
            load(path)
    with pytest.raises(SettingsError, match="can't be saved"):
        save(Settings(), tmp_path / "goat.toml" / "under-a-file")


def test_typed_settings() -> None:
    assert with_setting(Settings(), "hold", "2")[0].hold == 2.0
    assert with_setting(Settings(), "bell", "no")[0].bell is False
    assert with_setting(Settings(), "bell", "no")[1] == "bell = no"
    assert with_setting(Settings(), "ascii", "yes")[0].ascii == "yes"  # a word there, not a switch
    assert with_setting(Settings(), "colour", "256")[0].colour == "256"
    for option in OPTIONS:
        for value in option.values:
            assert getattr(with_setting(Settings(), option.key, yes_or_no(value))[0], option.key) == value
    assert with_setting(Settings(), "name", " \x1bAnn ")[0].name == "Ann"
    assert with_setting(Settings(), "colour", "pink")[0] == Settings()


def test_signs_and_colours_follow_setting_and_environment() -> None:
    assert glyphs_for(Settings(), "ascii") is ASCII
    assert glyphs_for(Settings(), "utf-8").suits == "♠♣♦♥"
    assert glyphs_for(Settings(ascii="yes"), "utf-8") is ASCII
    assert glyphs_for(Settings(suits="russian"), "utf-8").suits == "ПТБЧ"
    assert glyphs_for(Settings(), "koi8-r") is ASCII
    assert no_colour(Settings(), {"NO_COLOR": "1"})
    assert not no_colour(Settings(), {"NO_COLOR": ""})
    assert no_colour(Settings(colour="none"), {})


def test_what_a_setting_is_about_fits_into_the_narrowest_window() -> None:
    for option in OPTIONS:
        assert len(option.about) <= 26, option.key
        assert len(option.label) <= 17, option.key


def test_how_long_bots_think_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flow: from instant to slow; an option of the command goes before it."""
    kept: list[Launch] = []

    async def start(launch: Launch, **_: object) -> None:
        kept.append(launch)
        raise CommandError("enough")

    monkeypatch.setattr("goat_client.commands.play.TableProcess.start", start)
    who = types.SimpleNamespace(name="Vera", identity=types.SimpleNamespace(public=b""), key_file="k", folder=Path("f"))
    for name, pace in PACES.items():
        who.settings = Settings(pace=name)
        for asked in (None, TableOptions(pace=3.0)):
            with pytest.raises(CommandError, match="enough"):
                asyncio.run(play_with_bots(who, ["easy"], "easy", asked))  # type: ignore[arg-type]
            assert kept[-1].options.pace == (pace if asked is None else 3.0)
    assert list(PACES.values()) == sorted(PACES.values())
