"""The people at a table beside their cards: ready phrases, whom one does not want to hear, seats that change hands."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from goat_engine.rules import Seat
from goat_net.language import _
from goat_net.seat.tableview import SeatInfo, Stage, TableView, Talk

PHRASES: Final = (
    "Well played!", "Thanks!", "One moment, please.", "Sorry!", "Good luck!", "Hurry up, please.",
)  # fmt: skip
"""Said by their numbers. None of them says anything about cards."""


@dataclass(frozen=True, slots=True)
class Other:
    """Somebody who can talk, or could before they went. ``seat`` is None for who watches or is gone."""

    key: bytes
    name: str
    seat: Seat | None = None
    here: bool = True

    @property
    def label(self) -> str:
        """Their name, with what tells them from another of that name."""
        if not self.here:
            return f"{self.name} (gone)"
        return f"{self.name} (watching)" if self.seat is None else f"{self.name} (seat {self.seat + 1})"


def in_page(name: str, page: str) -> str:
    """A name in full: whoever serves a page could serve another one, so it is said whose it is."""
    return _("{name} (in a page of {page})").format(name=name, page=page) if page else name


def watching(view: TableView, *, own: bool = True) -> list[str]:
    """Names in full of the people who watch; ``own``: with one's own."""
    pages = (*view.watcher_pages, *[""] * len(view.watchers))
    keys = (*view.watcher_keys, *[b""] * len(view.watchers))
    rows = zip(view.watchers, keys, pages, strict=False)
    return [in_page(name, page) for name, key, page in rows if own or not key or key != view.own_key]


def phrase_of(text: str) -> str:
    """The ready phrase that a line of talk stands for: its number and nothing else. Else ""."""
    whole = len(text) == 1 and text.isascii() and text.isdecimal()
    return PHRASES[int(text) - 1] if whole and 1 <= int(text) <= len(PHRASES) else ""


def speaker(talk: Talk) -> str:
    """Whose line this is."""
    if not talk.name:
        return "The table"
    return talk.name if talk.seat is not None else f"{talk.name} (watching)"


def heard(talk: Iterable[Talk], muted: Container[bytes]) -> tuple[Talk, ...]:
    """The lines of those who are not muted."""
    return tuple(t for t in talk if not t.key or t.key not in muted)


def new_talk(old: TableView, view: TableView) -> tuple[Talk, ...]:
    """The lines said since an older view; the oldest lines of both may have been let go."""
    if view.talk is old.talk:
        return ()
    for kept in range(min(len(old.talk), len(view.talk)), 0, -1):
        if old.talk[-kept:] == view.talk[:kept]:
            return view.talk[kept:]
    return view.talk


def others(view: TableView, muted: dict[bytes, str]) -> tuple[Other, ...]:
    """Everybody else who can talk: players by seat, watchers, those who are muted and have gone. Bots don't talk."""
    out = [Other(s.key, s.name, s.seat) for s in view.seats if s.taken and not s.bot and s.key]
    out += [Other(key, name) for name, key in zip(view.watchers, view.watcher_keys, strict=False)]
    here = {other.key for other in out}
    out += [Other(key, name, here=False) for key, name in muted.items() if key not in here]
    return tuple(other for other in out if other.key != view.own_key)


def named(found: tuple[Other, ...], words: str) -> tuple[Other, ...]:
    """Whom these words mean: a place in the list (``3``), or a name, which several may have."""
    if words.isdecimal() and 1 <= int(words) <= len(found):
        return (found[int(words) - 1],)
    return tuple(o for o in found if o.name.casefold() == words.casefold())


# Seats that change hands


def asking(view: TableView) -> tuple[SeatInfo, ...]:
    """Players who ask this one to swap seats."""
    return tuple(s for s in view.seats if s.asks is not None and s.asks == view.me)


def stands_in_words(view: TableView, key: str) -> str:
    """That another plays on the seat of this person, and how they have it again; or ""."""
    if view.stands_in is None:
        return ""
    if view.takes == view.stands_in:
        return f"You have seat {view.stands_in + 1} again from the next deal on."
    info = view.seats[view.stands_in]
    who = info.name if info.name and not info.bot else "A bot"
    return f"{who} plays for you on seat {view.stands_in + 1}. {key} sits down again, at the next deal."


def starts(view: TableView) -> bool:
    """Whether this person may start the match with bots on the free seats: the host, or at a table without one any
    player."""
    return view.is_host or (view.me is not None and not any(info.host for info in view.seats))


def not_ready(view: TableView) -> list[str]:
    """Names of the people who sit here and are not ready."""
    return [info.name for info in view.seats if info.taken and not info.bot and not info.ready]


def free_words(view: TableView, key: str) -> Iterator[str]:
    """Seats that somebody else has, or may have, from the next deal on, or now when no match is on; ``key``: what a
    watcher presses for one."""
    for info in view.seats:
        if info.next_name and info.seat != view.takes:
            yield f"{info.next_name} has seat {info.seat + 1} from the next deal on."
    if view.me is not None or view.stands_in is not None:
        return
    if view.stage in (Stage.LOBBY, Stage.OVER):
        if view.takes is not None:
            later = " for the next match" if view.stage is Stage.OVER else ""  # else it is theirs in a moment
            yield f"You have seat {view.takes + 1}{later}."
        elif any(info.free for info in view.seats):
            yield f"Bots make room for who wants to play: {key} sits down."
        return
    if view.takes is not None:
        yield f"You have seat {view.takes + 1} from the next deal on, if it is free then. {key} takes that back."
        return
    for info in view.seats:
        if info.free and info.bot:
            yield f"Seat {info.seat + 1} is free from the next deal on: {key} sits down there."
        elif info.free:
            yield f"{info.name}'s seat may be free from the next deal on: {key} sits down there then."


def can_have_it(view: TableView) -> list[SeatInfo]:
    """Players to whom this host may hand the table, with the match that is on: people who are here."""
    on = view.match is not None and view.stage not in (Stage.LOBBY, Stage.STARTING, Stage.OVER, Stage.CLOSED)
    if not (view.is_host and on):
        return []
    return [s for s in view.seats if s.taken and not s.bot and not s.away and s.seat != view.me]


def asked_to_host(view: TableView) -> bool:
    """Whether this player is asked to take the table over."""
    return view.next_host is not None and view.next_host.seat == view.me and not view.next_host.agreed


def host_name(view: TableView) -> str:
    """Who hosts the table, by name."""
    return next((s.name for s in view.seats if s.host), "") or "The host"


def leaving(view: TableView) -> str:
    """What leaving the table now means to the other people in the match, as a question; or "" when it means nothing to
    anybody: without a seat, before and after a match, among bots alone (R24)."""
    if view.me is None or view.stage in (Stage.JOINING, Stage.LOBBY, Stage.OVER, Stage.CLOSED):
        return ""
    if not any(s.taken and not s.bot and s.seat != view.me for s in view.seats):
        return ""
    if view.is_host:
        return (
            "Leave in the middle of the match? Your table closes for all, and a deal that is on is dealt anew. "
            "give NAME hands it to another player instead."
        )
    return (
        "Leave in the middle of the match? The others then decide about this deal, which may cost your team 6 points."
    )
