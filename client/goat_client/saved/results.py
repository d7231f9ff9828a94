"""Results of saved matches: what each deal was, who paid, and which logs belong to one match.

A log is usually counted from the verdicts that its seats signed (PROTOCOL.md, Open and verdict). Where something else
has ended a deal – a vote, a proven cheat, somebody who left – verdicts alone don't tell who pays, so such a log is
folded whole. A match that went on under other seats is several logs (R24): each names the one before it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from goat_engine.cards import DECK_POINTS
from goat_engine.rules import SEATS, Seat, Team, partner_of, team_of
from goat_net.files import FileError
from goat_net.log.absence_table import CHARGE
from goat_net.log.chain import ChainError, LogFileError, Record, genesis, log_id_of, next_head, parse_record
from goat_net.log.first_entry import match_id_of
from goat_net.log.fold import Finished, Fold
from goat_net.log.records import NOBODY, Away, Leave, Nonce, OldVote, Open, SeatEntry, Table, Unheard, Verdict, Vote
from goat_net.seat.store import read_intact
from goat_net.wire.codec import WireError
from goat_net.wire.messages import NewEntry

LINKS_MAX: Final = 10_000  # logs of one match that are followed back: a deal each would be a long evening


class Void(StrEnum):
    """Why a deal did not count."""

    EXCUSED = "excused"  # nobody pays: by a vote, or because only bots were left (R24)
    CHARGED = "charged"  # by a vote (R24)
    CHEAT = "cheat"  # proven (R23)


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal that is over. ``points`` and ``defeat`` by team, zero in a void one but for the penalty. ``payer``: seat
    that was charged or cheated, for a cheating bot the seat of its operator. ``gone``: seats that had been given to
    the table before it began, so that nobody of theirs has played it."""

    points: tuple[int, int] = (0, 0)
    defeat: tuple[int, int] = (0, 0)
    void: Void | None = None
    payer: Seat | None = None
    gone: frozenset[Seat] = frozenset()


@dataclass
class Tally:
    """Deals and matches of one kind. ``goats``: matches lost; ``with_eggs`` of them; ``unfinished``: broken off, or
    left before they were over; ``left`` of them: with one's own goodbye. ``deals``: those that were played out.
    ``defeat_for`` and ``defeat_against``: defeat points of the other team and of one's own, penalties included. Void
    deals: ``excused``; ``charges_given`` and ``cheats_given``: the other team paid; ``charges_taken`` and
    ``cheats_taken``: one's own did; ``charged`` and ``cheated``: for this very person's seat."""

    matches: int = 0
    won: int = 0
    goats: int = 0
    with_eggs: int = 0
    unfinished: int = 0
    left: int = 0
    deals: int = 0
    deals_won: int = 0
    eggs: int = 0
    points: int = 0
    defeat_for: int = 0
    defeat_against: int = 0
    excused: int = 0
    charges_given: int = 0
    charges_taken: int = 0
    charged: int = 0
    cheats_given: int = 0
    cheats_taken: int = 0
    cheated: int = 0

    def add(self, other: "Tally") -> None:
        """Count another in."""
        for key, value in asdict(other).items():
            setattr(self, key, getattr(self, key) + value)


@dataclass
class Stats:
    """All results of one person."""

    total: Tally = field(default_factory=Tally)
    partners: dict[str, Tally] = field(default_factory=dict)
    opponents: dict[str, Tally] = field(default_factory=dict)
    unreadable: int = 0


@dataclass(frozen=True, slots=True)
class Log:
    """One saved log. ``match_id`` is empty when the match had not begun. ``seat``: one's own, or None.
    ``left``: whether it has its signed goodbye."""

    table: Table
    match_id: bytes
    seat: Seat | None
    deals: tuple[Deal, ...]
    left: bool = False

    @property
    def before(self) -> bytes:
        """Id of the log whose score this one goes on with, or empty."""
        return self.table.carried[0].match_id if self.table.carried else b""

    def name(self, seat: Seat) -> str:
        """A seat's name; bots are counted by their level, not by the name they happened to have."""
        info = self.table.seats[seat]
        return f"bot ({info.level or 'bot'})" if info.bot else info.name

    @property
    def played(self) -> list[Deal]:
        """The deals that were one's own: not those in which the table's bot already sat on one's seat."""
        return [d for d in self.deals if self.seat not in d.gone]

    def counted(self, persons: frozenset[Seat]) -> Tally:
        """Its deals from one's own side, in the row of these persons (oneself, or others of one name)."""
        assert self.seat is not None
        mine, out = team_of(self.seat), Tally()
        for deal in self.played:
            if persons <= deal.gone:
                continue
            out.defeat_for += deal.defeat[1 - mine]
            out.defeat_against += deal.defeat[mine]
            taken, theirs = bool(deal.defeat[mine]), deal.payer in persons
            match deal.void:
                case None:
                    out.deals += 1
                    out.points += deal.points[mine]
                    out.deals_won += deal.points[mine] > deal.points[1 - mine]
                    out.eggs += deal.points[0] == deal.points[1]
                case Void.EXCUSED:
                    out.excused += 1
                case Void.CHARGED:
                    out.charges_taken += taken
                    out.charges_given += not taken
                    out.charged += theirs
                case Void.CHEAT:
                    out.cheats_taken += taken
                    out.cheats_given += not taken
                    out.cheated += theirs
        return out

    def ended(self) -> Tally:
        """How the match stood when one left this log, or it ended, from one's own side."""
        assert self.seat is not None
        mine, carried = team_of(self.seat), self.table.carried
        defeat = list(carried[0].defeat) if carried else [0, 0]
        eggs = bool(carried and carried[0].eggs)
        for deal in self.played:
            eggs = eggs or (deal.void is None and deal.points[0] == deal.points[1])
            for team in (0, 1):
                defeat[team] += deal.defeat[team]
        if defeat[mine] >= self.table.target:
            return Tally(matches=1, goats=1, with_eggs=int(eggs))
        if defeat[1 - mine] >= self.table.target:
            return Tally(matches=1, won=1)
        return replace(BROKEN_OFF, left=int(self.left))


BROKEN_OFF: Final = Tally(matches=1, unfinished=1)


# --- one log -------------------------------------------------------------------------------------------------


def read_log(path: Path, own: frozenset[bytes]) -> Log:
    """A saved log. Raises as `read_with_first`."""
    return read_with_first(path, own)[0]


def read_with_first(path: Path, own: frozenset[bytes]) -> tuple[Log, bytes]:
    """A saved log, and the bytes of its first record. Raises LogFileError, FileError, ChainError, WireError for what
    can't be read."""
    entries, _ = read_intact(path)
    if not entries:
        raise LogFileError("empty")
    records = [parse_record(e.record) for e in entries]
    table = records[0].body
    if not isinstance(table, Table):
        raise LogFileError("no table")
    nonces = {r.author: r.body.nonce for r in records if isinstance(r.body, Nonce)}
    raw = entries[0].record
    match_id = match_id_of(raw, [nonces[s] for s in SEATS]) if len(nonces) == len(SEATS) else b""
    seat = next((s for s in SEATS if table.seats[s].key in own), None)
    deals: Sequence[Deal] = ()
    if seat is not None:
        deals = of_verdicts(records, seat) if is_usual(entries, records, seat) else of_fold(entries)
    left = any(r.author == seat and isinstance(r.body, Leave) for r in records)
    return Log(table, match_id, seat, tuple(deals), left), raw


def is_usual(entries: Sequence[NewEntry], records: Sequence[Record], seat: Seat) -> bool:
    """Whether every deal of this log that is over was played out and is what this seat's verdict says: nobody left or
    was away, all verdicts agree, and nothing that was signed beside the plays is an offence."""
    table = records[0].body
    assert isinstance(table, Table)
    heads = [genesis(log_id_of(table.table_key, table.salt, table.fresh))]
    verdicts: dict[int, dict[int, Verdict]] = {}
    seen: set[tuple[int, int]] = set()
    for entry, record in zip(entries, records, strict=True):
        if isinstance(record.body, (Leave, Vote, OldVote, Unheard, Away)) or (record.author, record.counter) in seen:
            return False
        if record.seen >= len(heads) or record.seen_head != heads[record.seen]:
            return False
        seen.add((record.author, record.counter))
        heads.append(next_head(heads[-1], entry.record))
        if isinstance(record.body, Verdict):
            verdicts.setdefault(record.deal, {})[record.author] = record.body
    opened = Counter(r.deal for r in records if isinstance(r.body, Open))
    if any(count == len(SEATS) and deal not in verdicts for deal, count in opened.items()):
        return False  # it is over, and nobody has come to say what it was
    return all(
        seat in said and len(set(said.values())) == 1 and said[seat].blamed == NOBODY
        and sum(said[seat].points) == DECK_POINTS
        for said in verdicts.values()
    )  # fmt: skip


def of_verdicts(records: Iterable[Record], seat: Seat) -> list[Deal]:
    """The deals of a usual log."""
    own = {r.deal: r.body for r in records if r.author == seat and isinstance(r.body, Verdict)}
    return [Deal(_pair(own[n].points), _pair(own[n].defeat)) for n in sorted(own)]


def of_fold(entries: Iterable[NewEntry]) -> list[Deal]:
    """The deals of any log, judged as everybody at its table judged it; damage and a host's cheat end it."""
    fold, gone_before = Fold(), [frozenset[Seat]()]
    for entry in entries:
        try:
            fold.take(entry)
        except (ChainError, WireError):
            break
        if len(fold.finished) >= len(gone_before):
            gone_before.append(frozenset(fold.lost))
    return [_of_finished(fold, done, gone_before[n]) for n, done in enumerate(fold.finished)]


def _of_finished(fold: Fold, done: Finished, gone: frozenset[Seat]) -> Deal:
    blame, result = done.outcome.blame, done.outcome.result
    if blame is None and result is not None:
        return Deal(result.points, result.defeat, gone=gone)
    if done.charged is None:
        return Deal(void=Void.EXCUSED, gone=gone)
    if blame is not None:
        void, payer = Void.CHEAT, _answers_for(fold.seats, blame.seat)
    else:
        void = Void.CHARGED
        payer = next(s for s, choice in fold.lost.items() if choice == CHARGE and s in done.deal.gone)
    return Deal((0, 0), _penalty(done.charged, done.cost), void, payer, gone)


def _answers_for(seats: Sequence[SeatEntry], seat: Seat) -> Seat:
    """The seat of the person who answers for this one: a bot's operator, if they sit here (R23)."""
    operator = seats[seat].operator
    return next((s for s in SEATS if operator and seats[s].key == operator), seat)


def _penalty(team: Team, cost: int) -> tuple[int, int]:
    return (cost, 0) if team == 0 else (0, cost)


def _pair(values: Sequence[int]) -> tuple[int, int]:
    return values[0], values[1]


# --- many logs -----------------------------------------------------------------------------------------------


def gather(
    files: Iterable[Path], own: frozenset[bytes], *, people: bool = False, read: Callable[[Path], Log] | None = None
) -> Stats:
    """Count saved matches; the same match saved by two profiles counts once for each seat. ``people``: leave out
    matches in which a bot sat. ``read``: the log of a file, if not by `read_log`."""
    read = read or (lambda path: read_log(path, own))
    stats, logs = Stats(), dict[tuple[bytes, Seat | None], Log]()
    for path in files:
        try:
            log = read(path)
        except (FileError, LogFileError, ChainError, WireError):
            stats.unreadable += 1
            continue
        key = (log.match_id or log.table.salt, log.seat)
        if key not in logs or len(log.deals) > len(logs[key].deals):  # the one that tells more
            logs[key] = log
    before = {log.match_id: log.before for log in logs.values() if log.match_id and log.before}
    matches: dict[tuple[bytes, bytes], list[Log]] = {}
    for (name, seat), log in logs.items():
        if seat is not None:
            matches.setdefault((_first(name, before), log.table.seats[seat].key), []).append(log)
    for match in matches.values():
        if not people or not any(s.bot for log in match for s in log.table.seats):
            _count(stats, sorted(match, key=lambda log: log.table.carried[0].deals if log.table.carried else 0))
    return stats


def _first(name: bytes, before: Mapping[bytes, bytes]) -> bytes:
    """Id of the first log of a match."""
    for _ in range(LINKS_MAX):
        if name not in before:
            break
        name = before[name]
    return name


def _count(stats: Stats, match: Sequence[Log]) -> None:
    """Count one match of one's own: its result for who sat at its last log; who was gone by then has broken it off."""
    last = match[-1]
    stats.total.add(last.ended())
    ends: dict[tuple[str, str], Tally] = {}
    for log in match:
        assert log.seat is not None
        stats.total.add(log.counted(frozenset({log.seat})))
        for (side, name), seats in _others(log).items():
            getattr(stats, side).setdefault(name, Tally()).add(log.counted(seats))
            ends[side, name] = last.ended() if log is last else BROKEN_OFF
    for (side, name), end in ends.items():
        getattr(stats, side)[name].add(end)


def _others(log: Log) -> dict[tuple[str, str], frozenset[Seat]]:
    """Who sat with and against oneself, by name: two bots of one level are one row."""
    assert log.seat is not None
    out: dict[tuple[str, str], frozenset[Seat]] = {}
    for seat in SEATS:
        if seat != log.seat:
            row = ("partners" if seat == partner_of(log.seat) else "opponents", log.name(seat))
            out[row] = out.get(row, frozenset()) | {seat}
    return out
