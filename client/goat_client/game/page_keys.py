"""What keys do on a page that scrolls and on the settings page; the same at a table and in the lobby."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from goat_client.game.line_edit import LineEdit, Purpose
from goat_client.game.model import Model
from goat_client.machine.settings import OPTIONS, Settings, glyphs_for, step
from goat_net.wire.text import clean_name

NO_NAME: Final = "There is no name in that: only blanks or signs that nobody can see."


def scroll_page(m: Model, command: str) -> bool:
    """Move a page that is too long for the window; False when the command is none of that."""
    by = {"up": -1, "left": -1, "previous": -1, "down": 1, "right": 1, "next": 1, "toggle": 1, "page up": -10,
          "page down": 10, "home": -(10**6), "end": 10**6}.get(command)  # fmt: skip
    if by is None:
        return False
    m.scroll = max(0, m.scroll + by)  # the page itself keeps it within its end
    return True


def change_setting(m: Model, command: str, save: Callable[[Settings], None] | None) -> bool:
    """A command on the settings page; False when it is none of that."""
    if command.startswith("option "):  # a click: on the marked row it changes what stands there
        again, m.option = m.option == int(command[7:]), int(command[7:])
        command = ("right" if OPTIONS[m.option].values else "enter") if again else ""
        if not again:
            return True
    option = OPTIONS[m.option]
    if command in ("up", "previous"):
        m.option = (m.option - 1) % len(OPTIONS)
    elif command in ("down", "next"):
        m.option = (m.option + 1) % len(OPTIONS)
    elif command in ("right", "toggle", "enter", "left") and option.values:
        _set(m, step(m.settings, option.key, -1 if command == "left" else 1), save)
    elif command == "enter":
        purpose = Purpose.NAME if option.key == "name" else Purpose.PORT
        m.edit = LineEdit(purpose, option.label, str(getattr(m.settings, option.key) or ""), limit=64)
    else:
        return command in ("left", "right", "toggle")
    return True


def setting_typed(m: Model, edit: LineEdit, save: Callable[[Settings], None] | None) -> str:
    """A text field of the settings page was ended; gives a sentence if it can't be so."""
    text = edit.text.strip()
    if edit.purpose is Purpose.NAME and text:
        name = clean_name(text, "")
        if not name:
            return NO_NAME
        _set(m, replace(m.settings, name=name), save)
    elif edit.purpose is Purpose.PORT:
        if text and not (text.isdecimal() and int(text) <= 65535):
            return "A port is a number from 0 to 65535."
        _set(m, replace(m.settings, port=int(text or "0")), save)
    return ""


def _set(m: Model, settings: Settings, save: Callable[[Settings], None] | None) -> None:
    m.settings = settings
    m.glyphs = glyphs_for(settings)
    if save is not None:
        save(settings)
