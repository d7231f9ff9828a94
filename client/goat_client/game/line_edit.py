"""A one-line text field: what is typed into talk, names, addresses and code words."""

from dataclasses import dataclass
from enum import StrEnum

from goat_client.game.keys import EDIT
from goat_client.machine.text import cells, safe


class Purpose(StrEnum):
    """What a text field is for."""

    TALK = "talk"
    NAME = "name"
    ADDRESS = "address"
    CODE = "code"
    TABLE = "table"
    PORT = "port"
    FILE = "file"


@dataclass
class LineEdit:
    """Text, a cursor in characters, and a bound on length; ``secret`` fields are drawn as dots."""

    purpose: Purpose
    label: str
    text: str = ""
    limit: int = 300
    secret: bool = False
    cursor: int = 0

    def __post_init__(self) -> None:
        self.cursor = len(self.text)

    def insert(self, typed: str) -> None:
        """Put typed or pasted text in at the cursor, made safe, up to the bound; lines become one line.

        An accent that comes as a key of its own joins the letter before the cursor.
        """
        before, after = self.text[: self.cursor], self.text[self.cursor :]
        head = safe(before + " ".join(typed.splitlines() or [""]))[: max(len(before), self.limit - len(after))]
        self.text, self.cursor = head + after, len(head)

    def key(self, name: str) -> bool:
        """An editing key by name; False when it is none."""
        match name:
            case "backspace":
                if self.cursor:
                    self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
                    self.cursor -= 1
            case "delete":
                self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]
            case "left":
                self.cursor = max(0, self.cursor - 1)
            case "right":
                self.cursor = min(len(self.text), self.cursor + 1)
            case "home":
                self.cursor = 0
            case "end":
                self.cursor = len(self.text)
            case "clear":
                self.text, self.cursor = self.text[self.cursor :], 0
            case "word":
                head = self.text[: self.cursor].rstrip()
                head = head[: head.rfind(" ") + 1]
                self.text, self.cursor = head + self.text[self.cursor :], len(head)
            case _:
                return False
        return True

    def press(self, name: str) -> str:
        """A key in the field, by the name screens give it; ``done`` for Enter, ``cancel`` for Esc and Ctrl-C, or ""."""
        if name == "enter":
            return "done"
        if name in ("escape", "c-c"):
            return "cancel"
        if name == "space":
            self.insert(" ")
        elif name in EDIT:
            self.key(EDIT[name])
        elif len(name) == 1:
            self.insert(name)
        return ""

    def shown(self, width: int) -> tuple[str, int]:
        """The part of the text that fits, with the cursor's column in it."""
        text = "*" * len(self.text) if self.secret else self.text
        start = 0
        while cells(text[start : self.cursor]) >= max(1, width):
            start += 1
        return text[start:], cells(text[start : self.cursor])
