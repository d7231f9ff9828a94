"""The words of plain mode: what each means, under all its names, and how they are listed."""

from collections.abc import Iterator
from typing import Final

from goat_client.game.keys import SAME_KEY
from goat_net.seat.tableview import Stage

QUESTIONS: Final[dict[str, tuple[str, ...]]] = {
    "cards": ("c", "hand"),
    "turn": ("now",),
    "trick": ("table",),
    "trump": ("stock",),
    "dealer": ("deal", "dealt"),
    "lead": ("leader",),
    "last": ("l",),
    "log": ("g",),
    "why": (),
    "who": ("w", "seats", "watching"),
    "partner": ("team",),
    "away": ("votes",),
    "clock": ("time",),
    "score": ("s",),
    "points": ("deals",),
    "tricks": ("opened",),
    "review": (),
    "talk": ("v", "said"),
    "words": (),
    "rules": (),
    "?": (),
    "help": ("k", "keys"),
}
"""Words that ask, and are answered by sentences, with their other names."""

COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "beat": ("b", "play"),
    "discard": ("d",),
    "molodka": ("m", "claim"),
    "y": ("yes", "stand"),
    "n": ("no",),
    "hint": ("h",),
    "say": (),
    "t": ("tell",),
    "mute": (),
    "unmute": (),
    "pause": ("p", "go"),
    "wait": (),
    "excuse": ("let",),
    "charge": (),
    "set": ("settings", "o"),
    "sit": (),
    "swap": (),
    "ready": (),
    "start": (),
    "bot": (),
    "kick": (),
    "give": ("handover",),
    "take": (),
    "q": ("quit", "leave", "exit"),
}
"""Words that do something."""

_MEANING: Final = {
    name: word for words in (QUESTIONS, COMMANDS) for word, more in words.items() for name in (word, *more)
}

_PLAY: Final = (
    "1 3 leads or beats with these cards, face up; so do names: 10S, or ten of spades. d 1 3 discards, face down.",
    "m leads a molodka, y lets another's stand. h is a hint, why says why a card can't beat.",
    "cards, turn, trick, last, log, trump, dealer, lead, clock, score, points: each says what it is called.",
)
_AFTER: Final = (
    "An empty line goes on. tricks opens all cards of the deal, review says what the bot would have played.",
    "score, points, log, last: what has been.",
)
_LOBBY: Final = (
    "An empty line sits down, says that you are ready, and starts. sit 2 takes that seat.",
    "swap NAME asks to swap seats; yes or no answers. For the host: start, bot 2 hard, bot 2 none, kick 2.",
)
_PEOPLE: Final = (
    "who, partner, away, talk, words: the people. t TEXT says something, say 1 to say 6 a ready phrase; mute NAME.",
    "p pauses or goes on. wait, excuse or charge: about who is away. sit, for who watches: a free seat.",
    "? rules for now, rules all of them. set lists the settings. q leaves; a host: give NAME.",
)


def meaning(word: str) -> str:
    """The command or question that a word means, whatever its case and keyboard layout; "" for no word of ours."""
    latin = "".join(SAME_KEY.get(ch, ch) for ch in word.lower()) if not word.isdecimal() else word
    return _MEANING.get(latin, "")


def help_lines(stage: Stage) -> Iterator[str]:
    """The words that matter now, a few lines of them."""
    if stage in (Stage.JOINING, Stage.LOBBY):
        yield from _LOBBY
    elif stage in (Stage.BETWEEN, Stage.OVER):
        yield from _AFTER
    else:
        yield from _PLAY
    yield from _PEOPLE
