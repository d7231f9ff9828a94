"""The players' languages: the door, which one is spoken, and that every sentence of a marked room goes through it."""

import struct
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from goat_client import cli
from goat_client.game.prompts import KEYS, LINES
from goat_tools import languages
from goat_web.inside.prompts import PAGE

from goat_net import language
from goat_net.language import ENGLISH, MARKS, PSEUDO, _, chosen, later, ngettext, offered, use
from goat_net.wire.notices import Saying
from goat_net.wire.sentences import by_reason, meaning


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    yield
    use(ENGLISH)


def marked(text: str) -> bool:
    """Whether a text is one whole sentence of the door."""
    return text.startswith(MARKS[0]) and text.endswith(MARKS[1]) and text.count(MARKS[0]) == 1


def compiled(said: dict[str, str]) -> bytes:
    """A language as gettext reads it."""
    pairs = sorted((key.encode(), value.encode()) for key, value in said.items())
    at = 28 + 16 * len(pairs)
    tables: list[list[tuple[int, int]]] = [[], []]
    data = b""
    for side in (0, 1):
        for pair in pairs:
            tables[side].append((len(pair[side]), at + len(data)))
            data += pair[side] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, at)
    return head + b"".join(struct.pack("<2I", *one) for table in tables for one in table) + data


RUSSIAN = compiled(
    {
        "": "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : "
        "n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\n",
        "the host has left": "хозяин стола ушёл",
        "{count} point\0{count} points": "{count} очко\0{count} очка\0{count} очков",
    }
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that speaks Russian and Norwegian too."""
    for code in ("ru", "nb", "pt_BR"):
        (tmp_path / f"{code}.mo").write_bytes(RUSSIAN)
    (tmp_path / "ko.po").write_text("", "utf-8")  # not whole: not compiled, not offered
    monkeypatch.setattr(language, "FOLDER", tmp_path)
    return tmp_path


def test_a_sentence_is_said_in_the_language_and_else_in_english(folder: Path) -> None:
    assert _("the host has left") == "the host has left"
    use("ru")
    assert language.spoken() == "ru"
    assert by_reason(12) == "хозяин стола ушёл"
    assert _("nobody has translated this") == "nobody has translated this"


@pytest.mark.parametrize(
    ("count", "told"), [(1, "1 очко"), (2, "2 очка"), (5, "5 очков"), (11, "11 очков"), (21, "21 очко")]
)
def test_plural_forms_are_those_of_the_language(folder: Path, count: int, told: str) -> None:
    use("ru")
    assert ngettext("{count} point", "{count} points", count).format(count=count) == told


@pytest.mark.parametrize(
    ("asked", "setting", "environ", "spoken"),
    [
        ("", "auto", {}, "en"),
        ("", "auto", {"LANG": "ru_RU.UTF-8"}, "ru"),
        ("", "nb", {"LANG": "ru_RU.UTF-8"}, "nb"),
        ("en", "nb", {"LANG": "ru_RU.UTF-8"}, "en"),
        ("", "auto", {"LANG": "pt_BR.UTF-8"}, "pt_BR"),
        ("", "auto", {"LANG": "no_NO"}, "nb"),
        ("", "auto", {"LANG": "de_DE", "LANGUAGE": "de:ru"}, "ru"),
        ("", "auto", {"LANG": "ru_RU.UTF-8", "LC_ALL": "C"}, "en"),
        ("", "auto", {"LANG": "C", "LANGUAGE": "ru"}, "en"),
        ("", "auto", {"LANG": "ko_KR.UTF-8"}, "en"),
        ("", "xx", {"LANG": "../../etc/passwd"}, "en"),
    ],
)
def test_the_command_line_counts_first_then_the_setting_then_the_locale(
    folder: Path, asked: str, setting: str, environ: dict[str, str], spoken: str
) -> None:
    assert chosen(asked, setting, environ) == spoken


def test_half_a_language_is_not_offered(folder: Path) -> None:
    assert offered() == ("en", "nb", "pt_BR", "ru")
    with pytest.raises(ValueError, match="'ko'"):
        use("ko")


def test_the_setting_is_read_when_there_is_something_to_choose(folder: Path, tmp_path: Path) -> None:
    from goat_client.commands.sitting import settings_path

    settings_path().parent.mkdir(parents=True, exist_ok=True)
    settings_path().write_text('lang = "ru"\n', "utf-8")
    assert cli._setting() == "ru"
    settings_path().write_text("lang = [", "utf-8")
    assert cli._setting() == ""


def test_a_language_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["stats", "--lang", "tlh"]) == 2
    assert "no language 'tlh'" in capsys.readouterr().err
    assert cli.main(["stats", "--lang=\x1b[2J"]) == 2
    assert "\x1b" not in capsys.readouterr().err


# What is marked


@pytest.mark.parametrize("prompts", [KEYS, LINES, PAGE], ids=["keys", "lines", "page"])
def test_every_prompt_goes_through_the_door(prompts: Any) -> None:
    use(PSEUDO)
    for field in fields(prompts):
        assert marked(getattr(prompts, field.name)), field.name


@pytest.mark.parametrize("saying", list(Saying))
def test_every_saying_of_the_wire_goes_through_the_door(saying: Saying) -> None:
    use(PSEUDO)
    assert marked(meaning(saying))


def test_what_is_only_written_down_is_said_when_it_is_read() -> None:
    assert later("x") == "x"
    use(PSEUDO)
    assert later("x") == "x"


# The tool


def test_the_template_has_every_sentence_of_the_program() -> None:
    assert languages.check() == []


@pytest.mark.parametrize(
    ("code", "sentences", "wrong"),
    [
        ('_("one " "two")', [("one two",)], 0),
        ('ngettext("{n} card", "{n} cards", n)', [("{n} card", "{n} cards")], 0),
        ("_(self_said)", [], 0),
        ('_(f"hello {name}")', [], 1),
        ('_("hello " + name)', [], 1),
        ('later("a" if b else "c")', [], 1),
        ('ngettext("one", many, n)', [], 1),
    ],
)
def test_a_sentence_that_is_put_together_is_a_mistake(
    tmp_path: Path, code: str, sentences: list[tuple[str, ...]], wrong: int
) -> None:
    path = tmp_path / "module.py"
    path.write_text(code, "utf-8")
    found = list(languages.found(path, tmp_path))
    assert [s for s, mistake in found if not mistake] == sentences
    assert len([mistake for _sentence, mistake in found if mistake]) == wrong


class Said(dict[str, Any]):
    """A translation as Babel would read it."""

    num_plurals = 3

    def add(self, key: str, *forms: str, fuzzy: bool = False) -> "Said":
        """One more sentence."""
        self[key] = SimpleNamespace(string=forms[0] if len(forms) == 1 else forms, fuzzy=fuzzy)
        return self


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (Said(), "not translated"),
        (Said().add("{name} leads", ""), "not translated"),
        (Said().add("{name} leads", "{name} заходит", fuzzy=True), "not translated"),
        (Said().add("{name} leads", "{nome} заходит"), "names in braces"),
        (Said().add("{name} leads", "заходит"), "names in braces"),
        (Said().add("{name} leads", "{name} заходит"), ""),
    ],
)
def test_what_keeps_a_language_from_being_offered(said: Said, fault: str) -> None:
    told = list(languages.faults({("{name} leads",): []}, said))
    assert [fault in one for one in told] == [True] * bool(fault)


def test_plural_forms_are_counted_and_one_thing_needs_no_number() -> None:
    sentences: dict[languages.Sentence, list[str]] = {("{n} card", "{n} cards"): []}
    assert list(languages.faults(sentences, Said().add("{n} card", "карта", "{n} карты", "{n} карт"))) == []
    (told,) = languages.faults(sentences, Said().add("{n} card", "{n} карта", "{n} карты"))
    assert "2 forms of 3" in told
