"""What there is to step through: a saved match, a deal as text, or a deal code."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from goat_engine.audit import Eye, Watcher, follow, opening
from goat_engine.bots import choose
from goat_engine.match import DealResult, score
from goat_engine.record import CODE_PREFIX, HEADER, Deal, Record, RecordError, Step, decode_deal, encode_deal, load
from goat_engine.rules import SEATS
from goat_engine.state import Applied, DealState, Phase, apply
from goat_engine.view import SeatView
from goat_net.exits import PersonError
from goat_net.files import FileError, read_given, shown

FILE_LIMIT: Final = 64 * 1024 * 1024  # a match of forty deals takes 2 MB
DEFAULT_NAMES: Final = ("Seat 1", "Seat 2", "Seat 3", "Seat 4")
BOT_STEPS: Final = 200  # nine tricks of four plays and every claim and yield are fewer


class MatchFileError(PersonError):
    """There is nothing to step through; the text says why."""


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """One deal with all its cards. ``number`` counts void deals too. ``defeat``: defeat points before it.
    ``result`` is None for a void deal; ``note`` says then why."""

    number: int
    record: Record
    defeat: tuple[int, int] = (0, 0)
    result: DealResult | None = None
    note: str = ""

    @property
    def code(self) -> str:
        """The deal code: the same cards again for others."""
        return encode_deal(self.record.deal)


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """Deals to step through, in order. ``notes``: what is to be said of the file."""

    name: str
    seats: tuple[str, ...]
    deals: tuple[PlayedDeal, ...]
    notes: tuple[str, ...] = ()


def open_match(source: str) -> PlayedMatch:
    """The match, record or deal code that ``source`` names. Raises MatchFileError."""
    if source.strip().upper().startswith(CODE_PREFIX):
        return of_code(source)
    path = Path(source)
    try:
        data = read_given(path, FILE_LIMIT)
    except FileError as error:
        raise MatchFileError(str(error)) from error
    if data.startswith(HEADER.encode("ascii")):
        return _of_text(path, data)
    return of_log(shown(path.stem[:15]), data)  # the date and time; the rest is an id


def of_code(code: str) -> PlayedMatch:
    """A deal code, played out by four bots of the strongest level."""
    try:
        deal = decode_deal(code)
    except RecordError as error:
        raise MatchFileError(f"That is no deal code: {error}.") from error
    record = bots_play(deal)
    played = PlayedDeal(1, record, (0, 0), result_of(record))
    return PlayedMatch("Deal code", ("Bot 1", "Bot 2", "Bot 3", "Bot 4"), (played,))


def _of_text(path: Path, data: bytes) -> PlayedMatch:
    try:
        record = load(data.decode("ascii"))
        return PlayedMatch(shown(path.stem), DEFAULT_NAMES, (PlayedDeal(1, record, (0, 0), result_of(record)),))
    except UnicodeDecodeError as error:
        raise MatchFileError(f"{shown(path)} is no deal: it holds other signs than ASCII.") from error
    except ValueError as error:
        raise MatchFileError(f"{shown(path)} can't be stepped through: {error}.") from error


def of_log(name: str, data: bytes) -> PlayedMatch:
    """A saved match: every deal whose cards were opened, up to where the file is good."""
    from goat_net.log.chain import LogFileError
    from goat_net.log.proof import check_file

    try:
        checked = check_file(data)
    except LogFileError as error:
        raise MatchFileError(f"{name} is no saved match: {error}.") from error
    fault = checked.fault
    notes = [f"The file is good up to entry {fault.number} only; goat verify says more."] if fault else []
    deals: list[PlayedDeal] = []
    for done in checked.fold.finished:
        outcome, fold = done.outcome, done.deal
        if outcome.cards is None or fold.state is None:
            notes.append(f"Deal {fold.number} was broken off before its cards were open.")
            continue
        deal = Deal(fold.dealer, fold.leader, fold.state.indicator, outcome.cards, fold.rules)
        note = f"Deal {fold.number} is void." if outcome.result is None else ""
        record = Record(deal, tuple(outcome.plays))
        deals.append(PlayedDeal(fold.number, record, done.before.defeat, outcome.result, note))
    if not deals:
        raise MatchFileError(f"{name} holds no finished deal to step through.")
    seats = tuple(s.name for s in checked.fold.seats) or DEFAULT_NAMES
    return PlayedMatch(name, seats, tuple(deals), tuple(notes))


def result_of(record: Record) -> DealResult | None:
    """The score of a record, or None when it was not played out. Raises ValueError at a play the rules refuse."""
    state = opening(record.deal, Eye.OPEN)
    for seat, action in record.steps:
        done = apply(state, seat, action)
        if not isinstance(done, Applied):
            raise ValueError(f"{done} (seat {seat})")
        state = done.state
    return score(state) if state.phase is Phase.OVER else None


def bots_play(deal: Deal, level: str = "expert", seed: int = 0) -> Record:
    """A deal played out by four bots that each see only their own cards."""
    rng, cards = Random(seed), dict(enumerate(deal.cards))
    folds: dict[Watcher, DealState] = {who: opening(deal, who) for who in (*SEATS, Eye.OPEN)}
    steps: list[Step] = []
    for _ in range(BOT_STEPS):
        seat = folds[Eye.OPEN].turn
        if seat is None:
            break
        action = choose(SeatView(seat, folds[seat]), rng, level)
        steps.append((seat, action))
        for who, state in folds.items():
            done = follow(state, who, seat, action, cards)
            assert isinstance(done, Applied), f"a bot tried {action}: {done}"
            folds[who] = done.state
    return Record(deal, tuple(steps))
