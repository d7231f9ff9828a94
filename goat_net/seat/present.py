"""From a player's machine to what a screen is given (`goat_net.seat.tableview`). Pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from goat_engine.rules import SEATS, Rules
from goat_net.log.absence_table import VOTE_TIME
from goat_net.log.deal import DealStage
from goat_net.log.fold import Finished, Fold, MatchStage
from goat_net.seat.chair import Chair
from goat_net.seat.player import Player
from goat_net.seat.tableview import Absence, Blame, DealReport, Decided, SeatInfo, Stage, TableView, TurnClock
from goat_net.wire.messages import Lobby
from goat_net.wire.words import table_words


def stage_of(player: Player | None, lobby: Lobby | None) -> Stage:
    """Where the table is, by the log first and the lobby second."""
    fold = player.fold if player else None
    if fold is None or fold.stage is MatchStage.NEW:
        return Stage.JOINING if lobby is None else Stage.LOBBY
    if fold.stage in (MatchStage.COMMITS, MatchStage.NONCES):
        return Stage.STARTING
    if fold.stage in (MatchStage.OVER, MatchStage.ENDED):
        return Stage.OVER
    deal = fold.deal
    assert deal is not None
    if deal.stage is DealStage.COMMIT:
        return Stage.BETWEEN if fold.finished else Stage.DEALING
    if deal.stage is DealStage.OPEN:
        return Stage.OPENING
    return Stage.PLAY if deal.state is not None else Stage.DEALING


def seat_infos(
    player: Player | None, lobby: Lobby | None, known: Mapping[bytes, str], past: float = 0.0
) -> tuple[SeatInfo, ...]:
    """Who sits where. ``known``: how a key was met: "same", "new" or "changed"; ``past``: seconds since the lobby."""
    table = player.fold.table if player else None
    names = {w.key: w.name for w in lobby.watchers} if lobby else {}
    infos = []
    for s in SEATS:
        told = lobby.seats[s] if lobby else None
        signed = table.seats[s] if table else None
        owner = (lobby.owner == s) if lobby else bool(table and table.owner == s)
        away = bool(told and told.taken and told.away)
        if signed is not None and table is not None:
            operator = next((o.name for o in table.seats if signed.operator and o.key == signed.operator), "")
            name, bot, level, key = signed.name, signed.bot, signed.level, signed.key
            taken = True
        elif told is not None and told.taken:
            name, bot, level, key, taken = told.name, told.bot, told.level, told.key, True
            operator = told.operator
        else:
            infos.append(SeatInfo(s))
            continue
        met = known.get(key, "new")
        infos.append(
            SeatInfo(
                s,
                name,
                taken,
                bot,
                level,
                operator,
                bool(told and told.ready),
                away,
                told.away + past if told and told.away else 0.0,
                owner,
                met == "same",
                met == "changed",
                key,
                None if told is None or told.asks == len(SEATS) else told.asks,
                bool(told and told.free),
                names.get(told.next_key, "") if told else "",
                told.page if told is not None and told.key == key else "",
            )
        )
    return tuple(infos)


ABSENT_AFTER: Final = 10.0  # s a connected seat may think before the others are shown how long they have waited


def absences(chair: Chair, now: float) -> tuple[Absence, ...]:
    """Who keeps the others waiting, as this client sees it."""
    player = chair.player
    if player is None or player.fold.table is None or player.fold.stage is not MatchStage.DEALS:
        return ()
    fold, out = player.fold, []
    grace = float(player.fold.table.settings.grace)
    for seat in SEATS:
        waited = chair.waiting.waited(seat, now)
        away = chair.lobby is not None and chair.lobby.seats[seat].away > 0 and seat in fold.waits_for()
        is_open = fold.vote_open(seat) and seat not in fold.lost
        if seat in fold.lost or not (is_open or seat in fold.left or away or waited >= ABSENT_AFTER):
            continue
        votes = fold.votes.get(seat, {})
        voters = fold.voters(seat)
        may = is_open and player.seat in voters and player.seat not in votes
        mine = votes.get(player.seat) if player.seat is not None else None
        left = 0.0 if is_open else max(0.0, grace - waited)
        unreached = chair.direct.unreached(seat, now)
        part, doubled = fold.absence, bool(fold.match and fold.match.doubled)
        out.append(
            Absence(
                seat, waited, left, seat in fold.left, is_open, may, mine, votes, voters, unreached,
                within=max(0.0, VOTE_TIME - chair.asked_for(seat, now)) if is_open else 0.0,
                choices=part.choices(seat) if may else (),
                proven=part.has_proof(seat),
                unheard=part.unheard_by(seat),
                cost=fold.statutes.penalty(doubled),
                held=chair.direct.holds(seat),
            )
        )  # fmt: skip
    return tuple(out)


def decided(fold: Fold) -> tuple[Decided, ...]:
    """What became of the seats that were missing in this log."""
    done = {d.deal.number: d for d in fold.finished}
    out = []
    for one in fold.decisions:
        deal = done.get(one.deal)
        counts = deal is not None and deal.outcome.result is not None and one.seat in deal.deal.gone
        payer = None if counts else one.payer
        cost = deal.cost if deal is not None and payer is not None else 0
        name = fold.seats[one.seat].name
        out.append(Decided(one.seat, name, one.deal, one.how.value, one.votes, payer, cost, counts))
    return tuple(out)


def _with_former(base: TableView, now: tuple[Decided, ...]) -> tuple[Decided, ...]:
    """What was decided in this log, or, until something is, in the one before: its count is to be read to the end."""
    return now or base.decided


def turn_clock(chair: Chair, now: float) -> TurnClock | None:
    """The turn clock as this client sees it."""
    fold = chair.player.fold if chair.player is not None else None
    turn = fold.deal.state.turn if fold is not None and fold.deal is not None and fold.deal.state is not None else None
    if fold is None or fold.table is None or turn is None:
        return None
    left = chair.waiting.left(fold, turn, now)
    if left is None:
        return None
    reserve = max(0.0, fold.table.settings.clock_more - chair.waiting.used.get(turn, 0.0))
    return TurnClock(turn, left, min(left, reserve), fold.paused is not None or not chair.link)


def report(done: Finished) -> DealReport:
    """A finished deal as the screen shows it."""
    blame = done.outcome.blame
    shown = None if blame is None else Blame(blame.seat, done.deal.number, blame.entry, blame.fault.value)
    return DealReport(
        done.deal.number, done.outcome.full, done.outcome.result, True, frozenset(done.verdicts), shown, done.charged,
        done.cost,
    )


def words_of(fold: Fold) -> tuple[str, ...]:
    """The six table words, once there is a match id."""
    return table_words(fold.id) if fold.match is not None else ()


def hints_at(fold: Fold | None, lobby: Lobby | None) -> bool:
    """Whether the table plays with hints: what was agreed on counts, before that what the host says."""
    if fold is not None and fold.table is not None:
        return fold.table.settings.hints
    return lobby is None or lobby.house.hints


def rules_of(lobby: Lobby | None, before: Rules) -> Rules:
    """The rules that the lobby tells, while none are agreed on."""
    if lobby is None:
        return before
    house = lobby.house
    return Rules(house.target, house.eggs_double, house.yield_time)


def clock_at(fold: Fold | None, lobby: Lobby | None, before: tuple[int, int]) -> tuple[int, int]:
    """Seconds a turn and the reserve of a deal have at this table: as agreed on, else as the lobby tells."""
    told = fold.table.settings if fold is not None and fold.table is not None else lobby.house if lobby else None
    return before if told is None else (told.clock_base, told.clock_more)


def grace_at(fold: Fold | None, lobby: Lobby | None, before: int) -> int:
    """Seconds until an absent seat is decided about: as agreed on, else as the lobby tells."""
    told = fold.table.settings if fold is not None and fold.table is not None else lobby.house if lobby else None
    return before if told is None else told.grace


def table_view(
    player: Player | None,
    lobby: Lobby | None,
    *,
    base: TableView,
    known: Mapping[bytes, str],
    me: int | None,
    past: float = 0.0,
) -> TableView:
    """A new view from the machines; what neither of them knows (talk, trouble, terms, who has the table next) stays as
    it is in ``base``. ``past``: seconds
    since the lobby was told."""
    fold = player.fold if player else None
    begun = player is not None and fold is not None and fold.stage is not MatchStage.NEW
    stage = base.stage if base.stage is Stage.CLOSED else stage_of(player if begun else None, lobby)
    deal = fold.deal if fold else None
    own = player.own if player else None
    if own is None and deal is not None:
        own = deal.state
    over = stage in (Stage.BETWEEN, Stage.OVER)
    people = [w for w in lobby.watchers if not w.bot] if lobby else []
    return replace(
        base,
        stage=stage,
        table_name=lobby.table_name if lobby else (fold.table.name if fold and fold.table else ""),
        rules=fold.rules if begun and fold else rules_of(lobby, base.rules),
        seats=seat_infos(player if begun else None, lobby, known, past),
        watchers=tuple(w.name for w in people),
        watcher_keys=tuple(w.key for w in people),
        watcher_pages=tuple(w.page for w in people),
        idle_bots=tuple(w.name for w in lobby.watchers if w.bot) if lobby else (),
        house=lobby.house if lobby else None,
        me=player.seat if begun and player else me,
        words=words_of(fold) if fold else (),
        fair=fold.fair if fold else True,
        match=fold.match if fold else None,
        deal_number=deal.number if deal else 0,
        deal=None if over else own,
        may_act=bool(player and player.may_act),
        pending=player.pending if player else None,
        returned=tuple(player.returned) if player else (),
        reports=tuple(report(f) for f in fold.finished) if fold else (),
        ready=frozenset(deal.commitments) if deal is not None and stage is Stage.BETWEEN else frozenset(),
        paused_by=fold.seats[fold.paused].name if fold and fold.paused is not None else "",
        decided=_with_former(base, decided(fold)) if fold else base.decided,
        takes=me if stage is Stage.OVER and player is not None and player.seat is None else base.takes,
        grace=grace_at(fold, lobby, base.grace),
        turn_clock=clock_at(fold, lobby, base.turn_clock),
        hints=hints_at(fold if begun else None, lobby),
    )
