"""What has happened at a table, in sentences: between two views, in the order in which a listener needs it.

Lines of text are made of all of it; a strip of events on a screen of `people` and `verdict`. Pure: no state but the
model's names, signs and words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from goat_client.game import advice
from goat_client.game.carried import terms_words
from goat_client.game.events import came_out, handed, has_left
from goat_client.game.model import Model
from goat_client.game.people import (
    asked_to_host,
    free_words,
    heard,
    host_name,
    new_talk,
    speaker,
    stands_in_words,
)
from goat_client.machine.glyphs import SUIT_WORDS
from goat_engine.state import DealState, Phase, Play, PlayKind
from goat_net.seat.tableview import DealReport, SeatInfo, Stage, TableView


def listed(names: Sequence[str]) -> str:
    """``Anna``, ``Anna and Boris``, ``Anna, Boris and Igor``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def team(model: Model, number: int) -> str:
    """Both names of a team, one's own first: ``You and Boris``."""
    seats = [(model.bottom + i) % 4 for i in range(4)]
    return listed([model.name(s) for s in seats if s % 2 == number])


# --- people --------------------------------------------------------------------------------------------------------


def people(model: Model, old: TableView, view: TableView) -> Iterator[str]:
    """Who came, sat down, left, is away or back, is voted about, has paused; what is wrong with the line."""
    yield from _seats(model, old, view)
    yield from _swaps(model, old, view)
    for text, before in ((view.trouble, old.trouble), (view.host_blame, old.host_blame)):
        if text and text != before:
            yield text
    yield from _absences(model, old, view)
    yield from came_out(old, view)
    if old.stage is not Stage.JOINING:
        yield from _handed(model, old, view)
    if view.terms != old.terms:
        yield from terms_words(view.terms, model.prompts)
    told = set(free_words(old, model.prompts.sit))
    yield from (line for line in free_words(view, model.prompts.sit) if line not in told)
    if view.link != old.link:
        yield "Connected again." if view.link else "The connection is being made again."
    if view.paused_by != old.paused_by:
        yield model.prompts.paused.format(name=view.paused_by) if view.paused_by else "The pause is over."
    if view.time_up > old.time_up:
        yield "Your time is up: this program plays for you."
    yield from _ready(model, old, view)


def _handed(model: Model, old: TableView, view: TableView) -> Iterator[str]:
    """The table is offered, taken, handed over, or stays."""
    if asked_to_host(view) and not asked_to_host(old):
        yield model.prompts.take_over_table.format(name=host_name(view))
    else:
        yield from handed(old, view)


def talk(model: Model, old: TableView, view: TableView) -> Iterator[str]:
    """What was said by those who are not muted."""
    for line in heard(new_talk(old, view), model.muted):
        own = bool(line.key) and line.key == view.own_key
        yield f"You said: {line.text}" if own else f"{speaker(line)} says: {line.text}"


def occupant(info: SeatInfo) -> tuple[bytes, str, bool]:
    """What tells who has a seat from who had it."""
    return (info.key, info.name, info.bot)


def _seats(model: Model, old: TableView, view: TableView) -> Iterator[str]:
    if Stage.JOINING in (old.stage, view.stage):
        return  # all of it is new, or not told yet: whoever comes is told of the whole table
    for info, was in zip(view.seats, old.seats, strict=True):
        same = occupant(info) == occupant(was)
        if info.seat == view.stands_in and not same:
            continue  # that somebody plays for this person is told in one sentence of its own
        if info.taken and not (same and was.taken):
            yield _sits(model, info, was)
        elif was.taken and not info.taken:
            yield f"{was.name} has left seat {was.seat + 1}."
        elif view.stage is Stage.LOBBY and info.ready != was.ready and not info.bot:
            ready = "are" if info.seat == view.me else "is"
            yield f"{model.name(info.seat)} {ready} {'ready' if info.ready else 'not ready any more'}."
        over = view.stage is Stage.OVER  # seats change hands then, and bots are sent away
        if same and info.taken and not (over and info.bot) and info.away != was.away and not has_left(old, view, info):
            yield f"{model.name(info.seat)} {'is away' if info.away else 'is back'}."


def _sits(model: Model, info: SeatInfo, was: SeatInfo) -> str:
    who = info.name
    if info.seat == model.view.me:
        who = f"You, {info.name}," if model.settings.name not in ("", info.name) else "You"
    elif info.bot:
        who = f"{info.name}, a bot, {info.level}," if info.level else f"{info.name}, a bot,"
    sits = "sit" if info.seat == model.view.me else "sits"
    instead = was.taken and was.name != info.name and model.view.stage is not Stage.LOBBY
    return f"{who} {sits} on seat {info.seat + 1}" + (f" in place of {was.name}." if instead else ".")


def _ready(model: Model, old: TableView, view: TableView) -> Iterator[str]:
    """Between deals: who is still waited for, once one is ready oneself."""
    if view.stage in (Stage.BETWEEN, Stage.OVER) and view.me in view.ready and view.me not in old.ready:
        names = [s.name for s in view.seats if s.taken and not s.bot and s.seat not in view.ready]
        if names:
            yield f"Waiting for {listed(names)}."


def _swaps(model: Model, old: TableView, view: TableView) -> Iterator[str]:
    if view.stage is not Stage.LOBBY:
        return
    for info, was in zip(view.seats, old.seats, strict=True):
        if info.seat == view.me == old.me and was.asks is not None and info.asks is None:
            yield "Your request to swap seats has ended."
        if info.asks is None or (info.asks, info.key) == (was.asks, was.key):
            continue
        who = advice.verb(model.name(info.seat), "asks")
        if info.asks == view.me:
            yield f"{who} you to swap seats: yes or no."
        else:
            yield f"{who} {model.name(info.asks)} to swap seats."


def _absences(model: Model, old: TableView, view: TableView) -> Iterator[str]:
    """Who keeps the table waiting: once when it begins to matter, and at every vote; not each second."""
    names = [model.name(s) for s in range(4)]
    before = {a.seat: a for a in old.absences}
    for absence in view.absences:
        was = before.get(absence.seat)
        began = absence.seconds >= advice.TOLD_AFTER and (was is None or was.seconds < advice.TOLD_AFTER)
        changed = was is None or (was.open, was.may_vote, was.left, was.votes) != (
            absence.open, absence.may_vote, absence.left, absence.votes)  # fmt: skip
        if absence.seat == view.me:
            text = advice.own_absence(absence, view.stage)
            began = bool(text) and (was is None or not advice.own_absence(was))
        else:
            text = advice.absent(absence, names[absence.seat], names, model.prompts, view.stage)
        if text and (began or changed):
            yield text
    stands_in = stands_in_words(view, model.prompts.go_on)
    if stands_in and stands_in != stands_in_words(old, model.prompts.go_on):
        yield stands_in


# --- cards ---------------------------------------------------------------------------------------------------------


def deal_start(model: Model, view: TableView, deal: DealState) -> Iterator[str]:
    """A new deal: trump, dealer, who leads."""
    g, m = model.glyphs, model
    yield (f"Deal {view.deal_number}. Trump is {SUIT_WORDS[deal.trump]}, shown by {g.card(deal.indicator)}. "
           f"{m.name(deal.dealer)} dealt; {leads(m, deal.entitled)}. Stock {deal.stock}.")  # fmt: skip
    if view.match is not None and view.match.doubled:
        yield "After eggs this deal counts double."


def leads(model: Model, seat: int) -> str:
    """``you lead``, ``Anna leads``."""
    return "you lead" if seat == model.my_seat and not model.third_person else f"{model.name(seat)} leads"


def deal_news(model: Model, before: DealState | None, view: TableView, returned: int) -> Iterator[str]:
    """What was played since an older state of the same deal; ``returned``: how often cards had gone back by then."""
    deal, m = view.deal, model
    assert deal is not None
    if before is None:
        yield from deal_start(m, view, deal)
        before = replace(deal, tricks=(), plays=(), hands=((),) * 4)
    if len(view.returned) > returned and deal.claimant is not None:
        if before.phase not in (Phase.SHOW, Phase.ASK):  # else the claim has been told
            yield f"{advice.verb(m.name(deal.claimant), 'claims')} a molodka."
        yield "The cards on the table go back to the hands."
        before = replace(before, plays=())
    elif deal.phase is Phase.SHOW and before.phase is not Phase.SHOW and deal.claimant is not None:
        yield f"{advice.verb(m.name(deal.claimant), 'claims')} a molodka."
    plays = list(deal.plays[len(before.plays) :]) if len(deal.tricks) == len(before.tricks) else []
    for trick in deal.tricks[len(before.tricks) :]:
        yield from (play_line(m, p, deal) for p in trick.plays[len(before.plays) :])
        last = deal.phase is Phase.OVER and trick is deal.tricks[-1]
        yield f"{advice.verb(m.name(trick.taker), 'takes')} the {'last trick' if last else 'trick'}."
        if deal.stock == 0 < before.stock:
            yield "The stock is empty now."
        before = replace(before, plays=(), next_slot=deal.next_slot)
        plays = list(deal.plays)
    yield from (play_line(m, p, deal) for p in plays)


def play_line(model: Model, play: Play, deal: DealState) -> str:
    """One play. One's own discards are named: nobody else sees these lines."""
    faces = advice.faces(deal, play.slots)
    own = play.seat == model.my_seat and not model.third_person
    if play.kind is PlayKind.DISCARD and own and len(faces) == len(play.slots):
        return f"You discard {model.glyphs.cards(faces)}, face down."
    return advice.told(play, deal, model.glyphs, model.name(play.seat)) + "."


# --- ends ----------------------------------------------------------------------------------------------------------


def verdict(model: Model, report: DealReport) -> Iterator[str]:
    """How a deal has ended: points, defeat points, a void, a proven cheat, a charge."""
    m = model
    if report.blame is not None:
        who = m.name(report.blame.seat) if report.blame.seat < 4 else "the host"
        yield f"Proven: {who} cheated (entry {report.blame.entry}): {report.blame.reason}"
    if report.opened is None and report.result is not None:
        yield "The team that has lost did not open: the deal counts as far as it is open."
    if report.result is None:
        cost = "" if report.charged is None else f" {team(m, report.charged)} get {report.cost} defeat points."
        yield f"Deal {report.number} is void and is dealt again.{cost}"
        return
    ours = m.my_team
    for number in (ours, 1 - ours):
        points, got = report.result.points[number], report.result.defeat[number]
        yield f"{team(m, number)}: {points} points" + (f", {got} defeat points." if got else ".")
    if report.result.eggs:
        yield "Eggs! 60 to 60: nobody gets defeat points."


def finale(model: Model, view: TableView) -> Iterator[str]:
    """Who is the goat."""
    m, match = model, view.match
    if match is None or m.goat is None:
        return
    yield f"The match is over: {team(m, m.goat)} are the goat{' with eggs' if match.with_eggs else ''}!"
    if m.my_seat is not None:
        yield "Next time, then." if m.goat == m.my_team else "You have won the match!"


# --- afterwards ----------------------------------------------------------------------------------------------------


def parting(model: Model) -> tuple[str, ...]:
    """The last lines at the shell: how a match came out or stands, where it is saved, what to type next; nothing when
    no deal was dealt."""
    m, v = model, model.view
    match = v.match
    if match is None or (not v.reports and v.deal is None):
        return ()
    score = "; ".join(f"{team(m, t)} {match.defeat[t]}" for t in (m.my_team, 1 - m.my_team))
    deals = "1 deal" if len(v.reports) == 1 else f"{len(v.reports)} deals"
    if m.goat is None and not v.reports:
        lines = ["The match was left in its first deal."]
    elif m.goat is None:
        lines = [f"The match stands at {score} defeat points after {deals}."]
    else:
        how = " with eggs" if match.with_eggs else ""
        lines = [f"{team(m, m.goat)} are the goat{how}. Defeat points after {deals}: {score}."]
    if v.log_path:
        lines.append(f"Saved: {v.log_path}")
        lines.append("goat replay steps through it, goat stats counts all your matches.")
    if m.goat is None and v.log_path and v.me is not None:
        lines.append("To go on with it: goat, then C (with --plain: resume).")
    return tuple(lines)
