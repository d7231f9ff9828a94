"""Short stories of absence, with what the rules make of them: the vectors of PROTOCOL.md, Those who leave.

Each begins in PLAY of deal 1 with seat 1 owing a play, at a table whose grace is 60 s. The tests play them at real
tables too, with both auditors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from goat_engine.rules import SEATS, Seat, team_of
from goat_net.log.absence import AbsenceFold
from goat_net.log.absence_table import Cast, Scene, Where
from goat_net.log.records import HOST, Away, CloseVote, EndPause, Leave, PauseClock, Unheard, Vote

GRACE: Final = 60


@dataclass(frozen=True)
class Story:
    """``bots``: seats of bots, run by the person on seat ``answers``, or the table (4); ``owner``: the host's seat, or
    4; ``entries``: author and body, in order, whether they may stand or not."""

    entries: tuple[tuple[int, Any], ...]
    bots: tuple[Seat, ...] = ()
    answers: int = 0
    owner: int = 0


_AWAY: Final = (HOST, Away(1, GRACE))
_HEARD_NOTHING: Final = (2, Unheard(1, GRACE))
_PAUSE: Final = PauseClock(True)
_GO_ON: Final = PauseClock(False)


def _say(voter: Seat, choice: int, about: Seat = 1) -> tuple[int, Vote]:
    return voter, Vote(about, choice)


STORIES: Final = (
    Story((_AWAY, _say(0, 2), _say(2, 2))),
    Story((_AWAY, _say(0, 2), _say(2, 2), (HOST, CloseVote(1)))),
    Story((_AWAY, _say(0, 2), _say(2, 2), _HEARD_NOTHING)),
    Story((_AWAY, _HEARD_NOTHING, _say(0, 2), _say(2, 1))),
    Story((_AWAY, _HEARD_NOTHING, _say(0, 2), _say(2, 3))),
    Story((_AWAY, _say(0, 0), _say(2, 2), _AWAY, _say(0, 0), _say(2, 0), _AWAY, _say(0, 0))),
    Story((_AWAY, (0, Unheard(1, GRACE)), (2, Unheard(1, GRACE - 1)), (1, Vote(1, 1)), _say(3, 1))),
    Story(((1, Leave()), _say(0, 0), (2, Unheard(1, GRACE)), _say(0, 2), _say(2, 2))),
    Story((_AWAY, (2, Leave()))),
    Story((_AWAY, _say(0, 2), _say(2, 2), _HEARD_NOTHING, (3, Unheard(1, GRACE))), owner=4),
    Story((_AWAY, _HEARD_NOTHING, _say(0, 2)), bots=(2,)),
    Story((_AWAY, _say(0, 2), (3, Unheard(1, GRACE))), bots=(2,)),
    Story((_AWAY, _say(1, 1), _say(3, 2), (3, Unheard(1, GRACE)), _say(2, 1)), bots=(1,)),
    Story((_AWAY,), bots=(1,), answers=HOST),
    Story(((3, _PAUSE), _AWAY, (0, _GO_ON), (2, _GO_ON), (3, _GO_ON), _AWAY)),
    Story(((3, _PAUSE), (0, _GO_ON), (1, _GO_ON), (HOST, EndPause()), _AWAY)),
)


@dataclass(frozen=True)
class Told:
    """What became of a story. ``judged``: of each entry, the form error, or empty where it may stand (for the host's,
    "no" where it may not); ``lost``: by seat, whether it was charged; ``away``, ``paused``: as it is then."""

    judged: tuple[str, ...]
    lost: dict[Seat, bool]
    away: tuple[Seat, ...]
    paused: Seat | None


def pays(story: Story) -> tuple[int | None, ...]:
    """By seat, the team that answers for it."""
    owner = None if story.answers == HOST else team_of(story.answers)
    return tuple(owner if seat in story.bots else team_of(seat) for seat in SEATS)


def tell(story: Story) -> Told:
    """Play a story with the rules alone."""
    people = tuple(s for s in SEATS if s not in story.bots)
    fold = AbsenceFold(Cast(people, pays(story), story.owner, GRACE))
    scene, judged = Scene(Where.PLAY, 1, frozenset({1}), frozenset(), 0), []
    for author, body in story.entries:
        was = fold.judge_host(body, scene) if author == HOST else fold.judge_seat(author, body, scene)
        judged.append("" if was.good else "no" if author == HOST or was.form is None else was.form.name)
        if not was.good:
            continue
        if author == HOST:
            fold.apply_host(body, scene)
        else:
            fold.apply_seat(author, body, scene)
        while fold.next_loss(scene) is not None:  # the first one stops the deal
            scene = Scene(Where.STOPPED, 1, frozenset(SEATS) - fold.lost.keys(), frozenset(), 0)
    lost = {seat: choice == 2 for seat, choice in fold.lost.items()}
    return Told(tuple(judged), lost, tuple(sorted(fold.away)), fold.paused)


def rows() -> Iterator[tuple[str, str, str]]:
    """The table of the page: who is there, entries, what follows."""
    for story in STORIES:
        told = tell(story)
        who = "".join(f"bot on {seat}, " for seat in story.bots)
        who += f"{'the table' if story.answers == HOST else f'seat {story.answers}'} answers; " if story.bots else ""
        said = [
            f"{'host' if author == HOST else author}: {_body(body)}" + (f" – {_no(why)}" if why else "")
            for (author, body), why in zip(story.entries, told.judged, strict=True)
        ]
        then = [f"{s} lost{', charged' * charged}" for s, charged in sorted(told.lost.items())]
        then += [f"{s} away" for s in told.away if s not in told.lost]
        then += [f"paused by {told.paused}"] if told.paused is not None else []
        yield f"{who}owner {story.owner}", "; ".join(said), "; ".join(then) or "all here"


def _no(why: str) -> str:
    return "may not stand" if why == "no" else f"`{why}`"


def _body(body: Any) -> str:
    fields = [getattr(body, name) for name in body.__dataclass_fields__]
    shown = ["on" if f is True else "off" if f is False else str(f) for f in fields]
    return " ".join((f"`{type(body).__name__}`", *shown))
