"""How guests get to a page: its address as text, and as a code that a phone's camera reads."""

from typing import Final

QUIET: Final = 2  # light modules around the code; four are asked for on paper, two do on a screen with its own margin


def code_lines(text: str) -> list[str]:
    """The QR code of a text in half blocks, two rows of modules a line. Light modules are drawn, dark ones are the
    terminal's ground: right on dark terminals, and read by phones on light ones too."""
    import segno  # the extra `web`; only who shows a code needs it

    rows = [[bool(module) for module in row] for row in segno.make(text, error="m", micro=False).matrix]
    width = len(rows[0]) + 2 * QUIET
    blank = [False] * width
    whole = [blank] * QUIET + [[False] * QUIET + row + [False] * QUIET for row in rows] + [blank] * QUIET
    if len(whole) % 2:
        whole.append(blank)
    signs = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    return [
        "".join(signs[upper, lower] for upper, lower in zip(whole[y], whole[y + 1], strict=True))
        for y in range(0, len(whole), 2)
    ]
