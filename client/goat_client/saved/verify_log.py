"""What `goat verify` says of one saved match: the table, each deal, the score, the end, who cheated."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from goat_engine import cards
from goat_engine.match import MatchState
from goat_engine.rules import SEATS, team_of
from goat_net.log.absence_table import CHARGE
from goat_net.log.deal import DealFold, DealStage
from goat_net.log.faults import Fault, Offence
from goat_net.log.fold import Finished, MatchStage
from goat_net.log.proof import Checked, culprit
from goat_net.log.records import End, SeatEntry, Table
from goat_net.wire.words import table_words

GOOD: Final = 0
CHEAT: Final = 1
UNREADABLE: Final = 2


@dataclass(slots=True)
class Report:
    """What is said: lines for a person, objects for a program, and the exit code so far."""

    lines: list[str] = field(default_factory=list)
    objects: list[dict[str, Any]] = field(default_factory=list)
    code: int = GOOD

    def say(self, text: str, code: int = GOOD) -> None:
        """One more line, and what it means for the exit code: unreadable outweighs a cheat."""
        self.lines.append(text)
        self.code = max(self.code, code)


@dataclass(frozen=True, slots=True)
class Log:
    """One saved match among the files."""

    name: str
    checked: Checked

    @property
    def names(self) -> tuple[str, ...]:
        """Names by seat."""
        return tuple(s.name for s in self.checked.fold.seats)


def say_log(log: Log, report: Report) -> None:
    checked, fold = log.checked, log.checked.fold
    about: dict[str, Any] = {"kind": "file", "file": log.name, "readable": True, "entries": len(fold.chain)}
    report.say(log.name)
    if fold.table is not None:
        about |= _say_table(log, fold.table, report)
    good = len(fold.chain)
    report.say(f"  {good} entries: numbers, chain, the host's signatures and the authors' signatures are good")
    for done in fold.finished:
        _say_deal(log, done, report)
    if fold.deal is not None and (not fold.finished or fold.deal is not fold.finished[-1].deal):
        _say_open_deal(log, fold.deal, report)
    if fold.match is not None:
        _say_score(log, fold.match, report)
        about |= {"defeat": list(fold.match.defeat), "eggs": fold.match.eggs, "goat": fold.match.goat}
    _say_end(log, report)
    _say_offences(log, report)
    about |= {
        "closed": checked.closed,
        "damaged": checked.fault is not None,
        "fault": None if checked.fault is None else {"entry": checked.fault.number, "text": checked.fault.text},
        "host_cheated": checked.by_host,
        "offences": [_offence_object(log, deal, one) for deal, one in checked.offences],
    }
    report.objects.append(about)


def _say_table(log: Log, table: Table, report: Report) -> dict[str, Any]:
    fold = log.checked.fold
    words = table_words(fold.id) if fold.match is not None else ()
    report.say(f"  table {table.name}, its key {table.table_key.hex()[:16]}, played with {table.program}")
    if words:
        report.say(f"  table words: {' '.join(words)}")
    for seat, entry in enumerate(fold.seats):
        report.say(f"  seat {seat}: {_seat_text(entry, fold.seats)}")
    if not fold.fair:
        report.say("  this match was dealt from a seed that was known to all: its cards were no secret")
    return {
        "match": fold.id.hex(),
        "table": table.name,
        "table_key": table.table_key.hex(),
        "protocol": table.protocol,
        "words": list(words),
        "fair": fold.fair,
        "seats": [{"name": s.name, "key": s.key.hex(), "bot": s.bot, "level": s.level} for s in fold.seats],
    }


def _seat_text(entry: SeatEntry, seats: Sequence[SeatEntry]) -> str:
    text = f"{entry.name}, key {entry.key.hex()[:16]}"
    if not entry.bot:
        return text
    owner = next((s.name for s in seats if entry.operator and s.key == entry.operator), "somebody who does not play")
    owner = owner if entry.operator else "somebody who is not named"
    return f"{text}, a bot{f' ({entry.level})' if entry.level else ''} run by {owner}"


def _span(entries: Sequence[int]) -> str:
    return f"entries {min(entries)}-{max(entries)}" if entries else "no entries"


def _counts(deal: DealFold) -> tuple[int, int, int]:
    """Messages of the deck, plays, cards that were discarded face down."""
    deck = len(deal.shuffles) + len(deal.cuts) + len(deal.locks)
    return deck, len(deal.steps), sum(len(step.commitments) for step in deal.steps)


def _team(log: Log, team: int) -> str:
    return " and ".join(log.names[s] for s in SEATS if s % 2 == team)


def _say_deal(log: Log, done: Finished, report: Report) -> None:
    deal, outcome = done.deal, done.outcome
    entries = log.checked.entries_of(deal.number)
    full = all(deal.seeds.get(s) is not None for s in SEATS)
    deck, plays, hidden = _counts(deal)
    head = f"  deal {deal.number}: {_span(entries)}, dealt by {log.names[deal.dealer]}"
    trump = None
    if deal.state is not None:
        trump = cards.SUITS[deal.state.trump]
        head += f", trump {cards.SUIT_SYMBOLS[deal.state.trump]} (indicator {cards.name(deal.state.indicator)})"
    report.say(head)
    what = "run again from the opened seeds" if full else "checked as far as seeds were opened"
    report.say(f"    {deck} messages of the deck, {plays} plays, {hidden} cards face down: {what}")
    said = sorted(done.verdicts)
    report.say(f"    verdicts signed by {', '.join(log.names[s] for s in said) or 'nobody'}")
    result = outcome.result
    if result is not None:
        report.say(
            f"    {_team(log, 0)} {result.points[0]} points in {_tricks(result.tricks[0])}, "
            f"{_team(log, 1)} {result.points[1]} in {_tricks(result.tricks[1])}"
        )
        report.say(f"    {_defeat_text(log, result.defeat)}")
    elif outcome.blame is None:
        report.say(f"    void, nobody cheated{_charge_text(log, done)}")
    else:
        report.say(f"    void{_charge_text(log, done)}")
    report.objects.append(
        {
            "kind": "deal",
            "file": log.name,
            "deal": deal.number,
            "entries": [min(entries), max(entries)] if entries else [],
            "dealer": deal.dealer,
            "leader": deal.leader,
            "trump": trump,
            "indicator": cards.name(deal.state.indicator) if deal.state else None,
            "checked": {"deck_messages": deck, "plays": plays, "discards": hidden, "in_full": full},
            "verdicts": said,
            "points": list(result.points) if result else None,
            "tricks": list(result.tricks) if result else None,
            "defeat": list(result.defeat) if result else None,
            "eggs": bool(result and result.eggs),
            "blame": _offence_object(log, deal.number, outcome.blame) if outcome.blame else None,
            "charged": done.charged,
        }
    )


def _tricks(count: int) -> str:
    return f"{count} trick{'' if count == 1 else 's'}"


def _defeat_text(log: Log, defeat: Sequence[int]) -> str:
    if not any(defeat):
        return "eggs: no defeat points"
    team = 0 if defeat[0] else 1
    return f"{defeat[team]} defeat points for {_team(log, team)}"


def _charge_text(log: Log, done: Finished) -> str:
    if done.charged is not None:
        rule = "R24" if done.outcome.blame is None else "R23"
        return f": {done.cost} defeat points for {_team(log, done.charged)} ({rule})"
    return ", nobody is charged"


def _say_open_deal(log: Log, deal: DealFold, report: Report) -> None:
    entries = log.checked.entries_of(deal.number)
    if not entries:
        return
    deck, plays, hidden = _counts(deal)
    if deal.stage is DealStage.OPEN:
        stand = "over, but not all seeds are opened"
    else:
        stand = f"not finished, it stands at {deal.stage.name.lower()}"
    report.say(f"  deal {deal.number}: {_span(entries)}, dealt by {log.names[deal.dealer]}, {stand}")
    report.say(f"    {deck} messages of the deck, {plays} plays, {hidden} cards face down: only what shows at once")
    report.objects.append(
        {
            "kind": "deal",
            "file": log.name,
            "deal": deal.number,
            "entries": [min(entries), max(entries)],
            "dealer": deal.dealer,
            "leader": deal.leader,
            "finished": False,
            "checked": {"deck_messages": deck, "plays": plays, "discards": hidden, "in_full": False},
        }
    )


def _say_score(log: Log, match: MatchState, report: Report) -> None:
    eggs = f", {match.eggs} × eggs" if match.eggs else ""
    report.say(f"  defeat points: {_team(log, 0)} {match.defeat[0]}, {_team(log, 1)} {match.defeat[1]}{eggs}")
    if match.goat is not None:
        report.say(f"  the goat{' with eggs' if match.with_eggs else ''}: {_team(log, match.goat)}")
    for seat, choice in sorted(log.checked.fold.lost.items()):
        how = "the vote charged it" if choice == CHARGE else "nobody was charged"
        report.say(f"  {culprit(seat, log.names)} was gone; {how} (R24)")


def _say_end(log: Log, report: Report) -> None:
    checked = log.checked
    if checked.closed:
        last = checked.records[-1].body
        why = {0: "a goat", 1: "it goes on under other seats", 2: "the table closed"}
        reason = why[last.reason] if isinstance(last, End) else "no match came about"
        report.say(f"  closed by entry {len(checked.records) - 1}: {reason}")
    elif checked.fault is None:
        over = checked.fold.stage is MatchStage.OVER
        what = "the closing entry is missing" if over else "the match is not finished, or its last entries are missing"
        report.say(f"  not closed: {what}")


def _offence_object(log: Log, deal: int, one: Offence) -> dict[str, Any]:
    return {
        "deal": deal,
        "seat": one.seat,
        "name": log.names[one.seat],
        "entry": one.entry,
        "fault": one.fault.name,
        "text": one.fault.value,
        "charged": log.checked.fold.charged_team(one.seat),
    }


def _say_offences(log: Log, report: Report) -> None:
    checked = log.checked
    for deal, one in checked.offences:
        where = f"in deal {deal}" if deal else "before the first deal"
        report.say(f"  {culprit(one.seat, log.names)} cheated {where}: {one.fault.value}, entry {one.entry}", CHEAT)
        if one.fault is Fault.FOREIGN_HEAD:
            report.say("    a fork, and the host's cheat, if the host has signed that head: give that seat's log too")
        team = checked.fold.charged_team(one.seat)
        if team is None:
            report.say("    the table itself answers for that bot: nobody pays (R23)")
        elif team != team_of(one.seat):
            report.say(f"    the bot was run by a player of {_team(log, team)}, who answer for it (R23)")
    fault = checked.fault
    if fault is None:
        return
    if checked.by_host:
        report.say(f"  the host cheated: it signed what cannot stand as entry {fault.number}: {fault.text}", CHEAT)
    else:
        report.say(f"  entry {fault.number} is damaged or was changed: {fault.text}", CHEAT)
        report.say(f"    the {len(checked.records)} entries before it are good; nothing after it was checked")
