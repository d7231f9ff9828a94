"""What happens at a table beside the cards, as sentences: who came, sat, left, is away, was voted about, talks.

They come from comparing two views of the table, so every client of a table tells the same. Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from goat_client.game.people import heard, host_name, in_page, new_talk, speaker
from goat_engine.rules import Seat
from goat_net.log.absence_table import CHARGE
from goat_net.seat.tableview import Absence, SeatInfo, Stage, TableView

EVENTS_KEPT: Final = 200  # as many as lines of talk
VOTES: Final = ("wait for", "let go", "charge", "no answer about")
"""What can be said of an absent seat, by the number of the vote (R24)."""
Who: TypeAlias = bytes | str


@dataclass(frozen=True, slots=True)
class Event:
    """One sentence. ``style``: how it is drawn. ``key``: of who talks, for those who are muted; empty for the table.
    ``talk``: whether it is a line of talk. ``own``: this person did it. ``watches``: who has come to watch; it is not
    told any more once they sit, as bots do a moment later."""

    text: str
    style: str = ""
    key: bytes = b""
    talk: bool = False
    own: bool = False
    watches: Who = ""


@dataclass
class Events:
    """The events of a table, oldest first; `take` each new view."""

    lines: list[Event] = field(default_factory=list)

    def take(self, old: TableView, view: TableView) -> None:
        """Add what has happened between two views."""
        self.lines += news(old, view)
        sit = {_who(s) for s in view.seats if s.taken}
        self.lines = [e for e in self.lines if not e.watches or e.watches not in sit]
        del self.lines[:-EVENTS_KEPT]

    def heard(self, muted: Mapping[bytes, str]) -> list[Event]:
        """The events without the talk of those who are muted."""
        return [e for e in self.lines if not e.key or e.key not in muted]


def news(old: TableView, view: TableView) -> Iterator[Event]:
    """What has happened between two views, in the order in which one tells it."""
    if Stage.JOINING not in (old.stage, view.stage):  # on the way to another table nobody has left
        yield from _seats(old, view)
        yield from _watchers(old, view)
        yield from _pause(old, view)
    if old.stage is not Stage.JOINING:
        yield from (Event(text, "notice") for text in handed(old, view))
        yield from _line(old, view)
    yield from _absent(old, view)
    yield from _decided(old, view)
    for line in heard(new_talk(old, view), ()):
        own = bool(view.own_key) and line.key == view.own_key
        yield Event(f"{speaker(line)}: {line.text}", "name" if not own else "", line.key, talk=True, own=own)


def _who(info: SeatInfo) -> Who:
    return info.key or info.name


def _seated(view: TableView) -> dict[Who, SeatInfo]:
    """People on seats, by who they are. Bots are no people."""
    return {_who(s): s for s in view.seats if s.taken and not s.bot}


def _watching(view: TableView) -> dict[Who, str]:
    keys = [*view.watcher_keys, *[b""] * len(view.watchers)]
    pages = [*view.watcher_pages, *[""] * len(view.watchers)]
    return {key or name: in_page(name, page) for name, key, page in zip(view.watchers, keys, pages, strict=False)}


def _is_me(view: TableView, who: Who, seat: Seat | None = None) -> bool:
    return (bool(view.own_key) and who == view.own_key) or (seat is not None and seat == view.me)


def _seats(old: TableView, view: TableView) -> Iterator[Event]:
    before, after = _seated(old), _seated(view)
    told: set[Who] = set()
    for who, info in after.items():
        was = before.get(who)
        if was is None:
            if not _is_me(view, who, info.seat):
                yield Event(f"{in_page(info.name, info.page)} sits down on seat {info.seat + 1}.")
        elif was.seat != info.seat and who not in told:
            other = next((w for w, i in after.items() if w in before and i.seat == was.seat), None)
            if other is not None and before[other].seat == info.seat:
                told.add(other)
                yield Event(f"{info.name} and {after[other].name} have swapped seats.")
            elif not _is_me(view, who, info.seat):
                yield Event(f"{info.name} sits on seat {info.seat + 1} now.")
        elif was.away is not info.away and not _is_me(view, who, info.seat) and not has_left(old, view, info):
            yield Event(f"{info.name} is {'away' if info.away else 'back'}.", "alarm" if info.away else "good")
    yield from _gone(old, view)


def has_left(old: TableView, view: TableView, info: SeatInfo) -> bool:
    """Whether the player of a seat has left it for good: then nothing that is told of it means that they are back."""
    left = any(a.seat == info.seat and a.left for a in (*old.absences, *view.absences))
    return left or any(d.seat == info.seat and d.name == info.name and d.how != "waited" for d in view.decided)


def _gone(old: TableView, view: TableView) -> Iterator[Event]:
    before, after, watching = _seated(old), _seated(view), _watching(view)
    for who, info in before.items():
        if who in after or _is_me(view, who):
            continue
        now = view.seats[info.seat]
        gone = f"{info.name} watches now." if who in watching else f"{info.name} has left."
        yield Event(gone + (f" {now.name} (bot) has the seat." if now.bot else ""), "alarm")
    for info, was in zip(view.seats, old.seats, strict=True):
        if info.next_name and info.next_name != was.next_name:
            yield Event(f"{info.next_name} has seat {info.seat + 1} from the next deal on.")


def _watchers(old: TableView, view: TableView) -> Iterator[Event]:
    before, after = _watching(old), _watching(view)
    sat, sits = _seated(old), {_who(s) for s in view.seats if s.taken}
    for who, name in after.items():
        if who not in before and who not in sat and not _is_me(view, who):
            yield Event(f"{name} watches.", "faint", watches=who)
    for who, name in before.items():
        if who not in after and who not in sits and not _is_me(view, who):
            yield Event(f"{name}, who watched, has gone.", "faint")


def _pause(old: TableView, view: TableView) -> Iterator[Event]:
    if view.paused_by and not old.paused_by:
        yield Event(f"{view.paused_by} has paused the table.", "notice")
    elif old.paused_by and not view.paused_by:
        yield Event("The table goes on.", "notice")


def handed(old: TableView, view: TableView) -> Iterator[str]:
    """The table is offered, taken, handed over, or stays."""
    was, now = old.next_host, view.next_host
    if was == now:
        return
    if now is not None and now.agreed:
        who = "You have" if now.seat == view.me else f"{now.name} has"
        yield f"{who} the table next: the match goes on there after this deal."
    elif now is not None:
        mine = now.seat == view.me
        yield f"{host_name(view)} offers you the table." if mine else f"You offer the table to {now.name}."
    elif was is not None and was.agreed and not view.link:
        yield f"{'You have' if was.seat == old.me else f'{was.name} has'} the table now."
    elif was is not None and was.seat != view.me and not was.agreed:
        yield f"{was.name} does not take the table."
    else:
        yield "The table stays where it is."


def _line(old: TableView, view: TableView) -> Iterator[Event]:
    if old.link and not view.link and view.stage is not Stage.CLOSED:
        yield Event("The connection to the table is gone; it is being made again.", "alarm")
    elif view.link and not old.link:
        yield Event("The table is there again.", "good")


def _absent(old: TableView, view: TableView) -> Iterator[Event]:
    before = {a.seat: a for a in old.absences}
    for absence in view.absences:
        was = before.get(absence.seat, Absence(absence.seat))
        name = view.seats[absence.seat].name
        if absence.left and not was.left:
            yield Event(f"{name} has left the match.", "alarm")
        if absence.open and not was.open:
            yield Event(f"The other team decides about {name}'s seat.", "alarm")
        for seat, choice in sorted(absence.votes.items()):
            if was.votes.get(seat) != choice and choice < len(VOTES):
                said = f"{len(absence.votes)} of {len(absence.voters)} have spoken"
                yield Event(f"{_name(view, seat)}: {VOTES[choice]} {name} ({said}).", "alarm", own=seat == view.me)


HOW: Final = {
    "waited": "the table waits on",
    "let go": "let go",
    "unanswered": "let go, nobody has said anything else",
    "at once": "nobody is asked",
    "charged": "charged",
}
"""What became of a seat that was missing, by `Decided.how`."""


def came_out(old: TableView, view: TableView) -> Iterator[str]:
    """What became of a seat that was missing, with the count (R24)."""
    for one in view.decided:
        if one in old.decided:
            continue
        charges = sum(1 for choice in one.votes.values() if choice == CHARGE)
        count = f" ({charges}:{len(one.votes) - charges})" if one.how == "charged" else ""
        yield f"{one.name}: {HOW[one.how]}{count}."


def _decided(old: TableView, view: TableView) -> Iterator[Event]:
    yield from (Event(text, "alarm") for text in came_out(old, view))
    for report in view.reports[len(old.reports) :]:
        if report.blame is not None or report.opened is not None:
            continue
        if report.result is not None:
            yield Event(f"Deal {report.number} counts as far as it is open: who has lost it did not open.", "alarm")
        elif report.charged is None:
            yield Event(f"Deal {report.number} is void: nobody is charged.", "alarm")
        else:
            team = " and ".join(s.name for s in view.seats if s.seat % 2 == report.charged)
            yield Event(f"Deal {report.number} is void: {team} are charged {report.cost} points.", "alarm")


def _name(view: TableView, seat: Seat) -> str:
    return "You" if seat == view.me else view.seats[seat].name


def newest(events: Sequence[Event], count: int) -> list[Event]:
    """The last events, newest first."""
    return list(reversed(events[-count:])) if count > 0 else []
