"""Every key of the full screen, what it means, and the same keys under a Cyrillic layout.

Keys are named as prompt_toolkit names them, but nothing of it is imported here.
"""

from typing import Final

GAME: Final[dict[str, str]] = {
    "1": "card 1", "2": "card 2", "3": "card 3", "4": "card 4",
    "left": "left", "right": "right", "up": "toggle", "down": "toggle", "space": "toggle",
    "enter": "enter", "backspace": "undo", "escape": "escape",
    "b": "beat", "d": "discard", "m": "molodka", "y": "yield",
    "h": "hint", "l": "last", "g": "log", "t": "talk", "v": "talk page", "?": "rules", "f1": "rules",
    "k": "keys", "r": "words", "o": "settings", "p": "pause", "s": "start", "a": "add bot", "x": "remove",
    "w": "vote 0", "e": "vote 1", "c": "vote 2", "n": "decline", "f2": "mouse",
    "q": "leave", "c-c": "quit", "c-z": "suspend", "c-l": "redraw",
    "pageup": "page up", "pagedown": "page down", "home": "home", "end": "end", "tab": "next", "s-tab": "previous",
}  # fmt: skip
"""Key -> command at a table."""

LOBBY: Final[dict[str, str]] = {
    "up": "up", "down": "down", "tab": "down", "s-tab": "up", "left": "left", "right": "right", "space": "enter",
    "enter": "enter", "escape": "escape", "backspace": "escape", "home": "home", "end": "end",
    "1": "row 1", "2": "row 2", "3": "row 3", "4": "row 4", "5": "row 5", "6": "row 6", "7": "row 7", "8": "row 8",
    "9": "row 9", "p": "bots", "b": "bots", "h": "host", "a": "address", "w": "watch", "r": "replays", "c": "resume",
    "l": "learn", "?": "rules", "f1": "rules", "k": "keys", "o": "settings", "s": "settings",
    "q": "quit", "c-c": "quit",
    "c-z": "suspend", "c-l": "redraw", "pageup": "page up", "pagedown": "page down", "f2": "mouse",
}  # fmt: skip
"""Key -> command in the lobby."""

REPLAY: Final[dict[str, str]] = {
    "right": "forth", "space": "forth", "enter": "forth", "n": "forth", "left": "back", "backspace": "back",
    "b": "back", "up": "trick back", "down": "trick forth", "pageup": "deal back", "pagedown": "deal forth",
    "home": "home", "end": "end", "0": "all open", "1": "seat 1", "2": "seat 2", "3": "seat 3", "4": "seat 4",
    "h": "hint", "r": "review", "p": "play", "c": "code", "k": "keys", "?": "rules", "f1": "rules",
    "q": "quit", "escape": "escape",
    "c-c": "quit", "c-z": "suspend", "c-l": "redraw",
}  # fmt: skip
"""Key -> command in a replay."""

EDIT: Final[dict[str, str]] = {
    "backspace": "backspace", "delete": "delete", "left": "left", "right": "right", "home": "home", "end": "end",
    "c-a": "home", "c-e": "end", "c-u": "clear", "c-w": "word", "c-b": "left", "c-f": "right", "c-d": "delete",
}  # fmt: skip
"""Key -> command in a text field; every printable key is text there."""

LATIN: Final = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
CYRILLIC: Final = "ёйцукенгшщзхъфывапролджэячсмитьбю"
SAME_KEY: Final[dict[str, str]] = {
    **dict(zip(CYRILLIC, LATIN, strict=True)),
    **dict(zip(CYRILLIC.upper(), LATIN, strict=True)),
    "і": "s", "ї": "]", "є": "'", "ў": "o",
    ",": "?",  # Shift and the key of "/" on a Russian layout
}  # fmt: skip
"""A letter of a Cyrillic (ЙЦУКЕН) layout -> the Latin letter on the same key."""


def meaning(key: str, table: dict[str, str]) -> str:
    """The command of a key, whatever the layout and case; "" for a key that means nothing."""
    if key in table:
        return table[key]
    latin = SAME_KEY.get(key, key.lower() if len(key) == 1 else key)
    return table.get(latin, "")


HELP: Final = (
    ("1-4, Space", "choose or lay back a card; arrows move"),
    ("Enter", "lead or beat with the chosen cards, face up"),
    ("D", "discard the chosen cards, face down"),
    ("M", "molodka: lead four cards of one suit out of turn"),
    ("Y", "let another's molodka stand"),
    ("Backspace, Esc", "lay all chosen cards back; close a page"),
    ("H", "a hint, with its reason"),
    ("H after a deal", "what the bot would have played; after a match, the report of it"),
    ("L", "last trick (face-up cards)"),
    ("G", "log of plays"),
    ("T / V", "say something (1-6, Enter: a ready phrase) / all that was said; X there mutes"),
    ("R", "the six table words, to read aloud"),
    ("?", "rules, opened at what is on the table now"),
    ("P", "pause, or go on"),
    ("W, E, C", "who is away: wait on, let go (no score), charge (6)"),
    ("W, Y, N", "before the match: ask to swap seats, agree, refuse"),
    ("S", "who watches: take a seat that is free from the next deal on"),
    ("O", "settings"),
    ("F2", "mouse on or off (Shift selects text then)"),
    ("Q", "leave the table; its host hands it over there, with the match"),
    ("A, N", "take the table that its host hands over, or don't"),
    ("Ctrl-Z, Ctrl-L", "suspend (fg brings you back); draw the screen anew"),
)
"""Keys as the help page lists them."""

LOBBY_HELP: Final = (
    ("Up, Down", "choose a table, or one of the entries at the right"),
    ("Enter", "sit down at the marked table; do what is marked"),
    ("1-9", "sit down at that table"),
    ("W", "watch the marked table"),
    ("P", "play with bots at once"),
    ("H", "open a table for others"),
    ("A", "join by an address that you were told"),
    ("L", "the lesson: one short deal, ten minutes"),
    ("C", "continue a match that was broken off"),
    ("R", "step through a match that you have played"),
    ("?", "the rules"),
    ("O", "settings: your name, bots, colours and more"),
    ("Esc", "back"),
    ("Q", "quit"),
    ("F2", "mouse on or off (Shift selects text then)"),
)
"""The same for the lobby."""

REPLAY_HELP: Final = (
    ("Right, Left", "a play forth or back"),
    ("Down, Up", "a trick forth or back"),
    ("PgDn, PgUp", "a deal forth or back"),
    ("Home, End", "the beginning or the end of the deal"),
    ("1-4, 0", "what that seat could see; all cards open"),
    ("H", "what the bot would play next, and why"),
    ("R", "what it would have played in this deal"),
    ("P", "play the deal on from here, against bots"),
    ("C", "the deal's code, for goat play"),
    ("?", "the rules"),
    ("Q", "quit"),
)
"""The same for a replay."""
