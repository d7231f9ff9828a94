"""A replay: the table as it stood, with what led here and what can be done."""

from typing import Final

from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.machine.text import wrap
from goat_client.saved.replay import ReplayModel
from goat_client.views import field, footer, pages, side
from goat_client.views.canvas import Canvas
from goat_client.views.cards import chips
from goat_client.views.screen import LEAST_HEIGHT, LEAST_WIDTH, SIDE_FROM, too_small
from goat_engine.audit import Eye

KEYS: Final[tuple[footer.Item, ...]] = (
    ("arrows", "step", ""), ("0-4", "eyes", ""), ("H", "hint", "hint"), ("R", "review", "review"),
    ("P", "play on", "play"), ("Q", "quit", "quit"), ("PgUp/Dn", "deal", ""), ("C", "code", "code"),
    ("?", "rules", "rules"),
)  # fmt: skip
PAGE_KEYS: Final[tuple[footer.Item, ...]] = (("Esc", "close", "escape"), ("Q", "close", "escape"))


def page_keys(m: Model) -> list[footer.Item]:
    """What keys do on the page that was drawn."""
    eyes: list[footer.Item] = [("0-4", "eyes", "")] if m.page is Page.REVIEW else []
    scroll: list[footer.Item] = [("arrows", "scroll", "")] if m.scrolls else []
    return [PAGE_KEYS[0], *scroll, *eyes, PAGE_KEYS[1]]


def draw(model: ReplayModel, width: int, height: int, now: float) -> Canvas:
    """The screen of a replay at this size."""
    m = model.inner
    canvas = Canvas(width, height, m.glyphs)
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        too_small(canvas)
        return canvas
    side.title_line(canvas.sub(0, 0, width, 1), m)
    body = canvas.sub(0, 1, width, height - 2)
    foot = canvas.sub(0, height - 1, width, 1)
    if m.page is not Page.NONE:
        pages.draw(body, m, now)
        footer.draw(foot, page_keys(m))
        return canvas
    footer.draw(foot, KEYS)
    extra = min(40, max(25, width // 3)) if width >= SIDE_FROM else 0
    area = body.sub(0, 0, width - extra, body.height)
    inner = area.box()
    split = max(0, inner.height - 6)
    middle = inner.sub(0, 0, inner.width, split)
    large = split >= field.LARGE_HEIGHT and inner.width >= field.LARGE_WIDTH
    if not large:
        area.centre(0, [" ", *field.seat_title(m, (m.bottom + 2) % 4), " "])
    roomy = split >= 14 and inner.width >= 50
    (field.draw_large if large else field.draw_roomy if roomy else field.draw_compact)(middle, m)
    _below(inner.sub(0, split, inner.width, inner.height - split), model)
    if extra:
        side.draw(body.sub(width - extra, 0, extra, body.height), m, now)
    return canvas


def _below(area: Canvas, model: ReplayModel) -> None:
    m, replay = model.inner, model.replay
    state = replay.state(model.watcher)
    hand = [c for _, c in m.hand]
    missing: list[int | None] = [None] * (state.hand_size(m.bottom) - len(hand))
    area.line(2, 0, [*field.seat_title(m, m.bottom), "  ", *chips(area, [*hand, *missing])])
    trick = len(state.tricks) + (0 if m.held is not None else 1)
    eyes = "all cards open" if model.watcher is Eye.OPEN else f"as {m.name(m.bottom)} saw it"
    deals = len(model.match.deals)
    many = f"deal {model.at + 1}/{deals}, " if deals > 1 else ""
    where = f"{many}trick {trick}, step {replay.position}/{len(replay)}: {eyes}"
    area.line(2, 1, [(where, "faint")], area.width - 3)
    y = 2
    texts = [(model.sentence(), "name"), (model.result_text, "offer"), (m.hint, "hint")]
    for text, style in texts:
        for line in wrap(m.glyphs.say(text), area.width - 4):
            area.put(2, y, line, style)
            y += 1
