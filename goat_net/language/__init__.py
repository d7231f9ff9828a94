"""The one door to the players' languages: every sentence for people goes through it, and English is its key.

Standard library alone. One process speaks one language (`use`); until it is told which, and for what a language has no
words, it is English. The words of a language are `xx.po` here; `python3 dev.py languages` compiles it to `xx.mo`
when nothing in it is missing, and only then it is offered: half a language is none.
"""

import re
from collections.abc import Mapping
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Final

ENGLISH: Final = "en"
PSEUDO: Final = "xx"  # for tests: English with marks around each sentence
MARKS: Final = ("⟦", "⟧")
FOLDER: Final = Path(__file__).parent
_CODE: Final = re.compile(r"[a-z]{2,3}(_[A-Z]{2})?")


class _Marked(NullTranslations):
    """The pseudo-language: what no one marked for translation is seen at once."""

    def gettext(self, message: str) -> str:
        return f"{MARKS[0]}{message}{MARKS[1]}"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


_spoken: NullTranslations = NullTranslations()
_language: str = ENGLISH


def _(sentence: str) -> str:
    """A whole sentence in the players' language; its ``{names}`` are filled in afterwards with `str.format`."""
    return _spoken.gettext(sentence)


def ngettext(one: str, many: str, count: int) -> str:
    """A sentence about so many, in the form that the language has for that number."""
    return _spoken.ngettext(one, many, count)


def later(sentence: str) -> str:
    """A sentence that is only written down here, as a constant: where it is said it goes through `_`."""
    return sentence


def offered() -> tuple[str, ...]:
    """Languages that the program speaks whole, English first."""
    return (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.mo") if _CODE.fullmatch(path.stem)))


def spoken() -> str:
    """The language that this process speaks."""
    return _language


def use(language: str) -> None:
    """Speak this language from now on: one of `offered`, or `PSEUDO`. Raises ValueError for another."""
    global _spoken, _language
    if language == PSEUDO:
        _spoken = _Marked()
    elif language == ENGLISH:
        _spoken = NullTranslations()
    elif language in offered():
        with (FOLDER / f"{language}.mo").open("rb") as file:
            _spoken = GNUTranslations(file)
    else:
        raise ValueError(f"no language {language!r}: there are {', '.join(offered())}")
    _language = language


def chosen(asked: str, setting: str, environ: Mapping[str, str]) -> str:
    """The language to speak: the one that was asked for on the command line, else the setting, else that of the locale,
    else English. One that there is not is passed over, but for what was asked for: `use` says so."""
    if asked:
        return asked
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environ.get(name))), "")
    for wish in (setting, *_of_locale(environ.get("LANGUAGE", "") if locale not in ("", "C", "POSIX") else ""),
                 *_of_locale(locale)):  # fmt: skip
        if wish in offered():
            return wish
    return ENGLISH


def _of_locale(names: str) -> list[str]:
    """Languages of a locale such as ``pt_BR.UTF-8``, or of several with colons between: with its country, then without.
    Norwegian is written as bokmål."""
    out = []
    for name in names.split(":"):
        plain = name.partition(".")[0].partition("@")[0]
        short = plain.partition("_")[0]
        out += [plain, short, *(("nb",) if short == "no" else ())]
    return out
