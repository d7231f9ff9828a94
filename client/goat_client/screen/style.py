"""Colours. Mid tones that hold on light and dark grounds; cards bring their own paper. Imported only with a screen.

Style classes are those the views use: ``ink.N`` a suit on the terminal's own ground, ``card.N`` on paper,
``chosen``, ``dim``, ``back``, ``frame``, ``turn``, ``asked``, ``alarm`` and so on.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from goat_client.machine.settings import Settings, no_colour

PLAIN: Final = {
    "title": "bold", "name": "bold", "turn": "bold reverse", "asked": "bold", "key": "bold", "faint": "",
    "alarm": "bold underline", "notice": "underline", "offer": "bold reverse", "top": "bold", "good": "", "hint": "",
    "goat": "bold", "meter": "", "frame": "", "cloth": "", "cursor": "reverse bold", "chosen": "bold reverse",
    "chosen.edge": "bold", "dim": "", "dim.edge": "", "card": "bold", "card.edge": "", "back": "", "back.edge": "",
    "top.edge": "bold",
}  # fmt: skip
"""Without colour every state is told by bold, reverse, underline and by signs."""

COLOUR: Final = {
    **PLAIN,
    "title": "bold #3a87ad", "turn": "bold #ffffff bg:#2f7d4f", "asked": "bold #b8860b", "key": "bold #3a87ad",
    "faint": "#808080", "alarm": "bold #d03535", "notice": "#b8860b", "offer": "bold #ffffff bg:#8a4fbf",
    "top": "bold #2f9e5f", "good": "#2f9e5f", "hint": "#3a87ad", "goat": "bold #d03535", "meter": "#b8860b",
    "frame": "#808080", "cloth": "#2f7d4f", "cursor": "bold #ffffff bg:#3a87ad",
    "card": "bold #202020 bg:#f2efe4", "card.edge": "nobold #8a8678 bg:#f2efe4",
    "chosen": "bold #202020 bg:#ffe08a", "chosen.edge": "bold #8a6d1a bg:#ffe08a",
    "dim": "#6a675c bg:#c2bfb4", "dim.edge": "nobold #8f8b7e bg:#c2bfb4",
    "back": "#6f86a8", "back.edge": "nobold #6f86a8", "top.edge": "bold #2f9e5f bg:#f2efe4",
}  # fmt: skip

SIXTEEN: Final = {
    **PLAIN,
    "title": "bold ansicyan", "turn": "bold ansiwhite bg:ansigreen", "asked": "bold", "key": "bold ansicyan",
    "faint": "", "alarm": "bold ansired", "notice": "underline", "offer": "bold ansiwhite bg:ansimagenta",
    "top": "bold ansigreen", "good": "ansigreen", "hint": "ansicyan", "goat": "bold ansired", "meter": "bold",
    "cloth": "ansigreen", "cursor": "bold ansiwhite bg:ansiblue",
    "card": "ansiblack bg:ansigray", "card.edge": "ansiblack bg:ansigray",
    "chosen": "ansiblack bg:ansiyellow", "chosen.edge": "ansiblack bg:ansiyellow",
    "dim": "", "dim.edge": "", "back": "ansiblue", "back.edge": "ansiblue", "top.edge": "bold ansigreen bg:ansigray",
}  # fmt: skip

INKS: Final = {False: ("", "", "#d03535", "#d03535"), True: ("", "#2f9e5f", "#3a7fd0", "#d03535")}
PAPER_INKS: Final = {
    False: ("#202020", "#202020", "#b01818", "#b01818"),
    True: ("#202020", "#1a6b38", "#1a4fa0", "#b01818"),
}
INKS_16: Final = {False: ("", "", "ansired", "ansired"), True: ("", "ansigreen", "ansiblue", "ansired")}
PAPER_INKS_16: Final = {
    False: ("ansiblack", "ansiblack", "ansired", "ansired"),
    True: ("ansiblack", "ansigreen", "ansiblue", "ansired"),
}


MONOCHROME: Final = frozenset({"vt52", "vt100", "vt102", "vt220", "vt320", "vt420", "wy50", "hp", "adm3a"})
SIXTEEN_COLOURS: Final = frozenset({"linux", "ansi", "cons25", "pcansi", "cygwin", "eterm", "sun"})
"""Names of terminals by what they can, as the terminfo database has them."""


def depth_for(settings: Settings, environ: Mapping[str, str]) -> ColorDepth | None:
    """How many colours to use; None lets prompt_toolkit judge by the terminal."""
    if no_colour(settings, environ):
        return ColorDepth.DEPTH_1_BIT
    if settings.colour == "auto":
        if environ.get("COLORTERM", "") in ("truecolor", "24bit"):
            return ColorDepth.DEPTH_24_BIT
        return _by_terminal(environ.get("TERM", ""))
    small = {"16": ColorDepth.DEPTH_4_BIT, "256": ColorDepth.DEPTH_8_BIT}
    return small.get(settings.colour, ColorDepth.DEPTH_24_BIT)


def _by_terminal(term: str) -> ColorDepth | None:
    """What a terminal of this name can: no colours, eight or sixteen, or more; None for one that nobody knows."""
    base, _, kind = term.partition("-")
    if base in MONOCHROME or kind in ("m", "mono"):
        return ColorDepth.DEPTH_1_BIT
    if base in SIXTEEN_COLOURS and not term.endswith("256color"):
        return ColorDepth.DEPTH_4_BIT
    return None


def rules_for(depth: ColorDepth, *, four_colours: bool) -> dict[str, str]:
    """Class -> style string, suits included."""
    if depth is ColorDepth.DEPTH_1_BIT:
        return {**PLAIN, **{f"{base}.{s}": PLAIN.get(base, "") for base in ("ink", "card", "chosen", "dim")
                            for s in range(4)}}  # fmt: skip
    small = depth is ColorDepth.DEPTH_4_BIT
    base, inks, paper = (SIXTEEN, INKS_16, PAPER_INKS_16) if small else (COLOUR, INKS, PAPER_INKS)
    out = dict(base)
    for s in range(4):
        out[f"ink.{s}"] = f"bold {inks[four_colours][s]}"
        for kind in ("card", "chosen"):
            out[f"{kind}.{s}"] = f"{base[kind]} bold {paper[four_colours][s]}"
        out[f"dim.{s}"] = base["dim"]
    return out


@cache
def style_for(depth: ColorDepth, *, four_colours: bool) -> Style:
    """The style sheet of the screen. A dot in our class names is a dash here: dots mean something else there.
    The same object again for the same wishes: prompt_toolkit parses a new one, dozens of times a drawing."""
    rules = rules_for(depth, four_colours=four_colours)
    return Style.from_dict({k.replace(".", "-"): v for k, v in rules.items() if v})


def class_of(style: str) -> str:
    """A view's style as prompt_toolkit wants it."""
    return "class:" + style.replace(".", "-") if style else ""
