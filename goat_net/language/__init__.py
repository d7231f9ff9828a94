"""The one door to the players' languages: every sentence for people goes through it, and English is its key.

Standard library alone. One process speaks one language (`use`); until it is told which, and for what a language has no
words, it is English.
"""

from gettext import NullTranslations
from typing import Final

ENGLISH: Final = "en"

_spoken: NullTranslations = NullTranslations()


def _(sentence: str) -> str:
    """A whole sentence in the players' language; its ``{names}`` are filled in afterwards with `str.format`."""
    return _spoken.gettext(sentence)


def ngettext(one: str, many: str, count: int) -> str:
    """A sentence about so many, in the form that the language has for that number."""
    return _spoken.ngettext(one, many, count)
