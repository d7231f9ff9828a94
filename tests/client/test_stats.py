"""Own results: counted from saved matches, by partner and opponent."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from goat_client.cli import main
from goat_client.saved.results import Deal, Log, Tally, Void, gather, is_usual, of_fold, of_verdicts, read_log
from goat_client.saved.stats import told

from goat_engine.match import DealResult, VoidDeal
from goat_engine.rules import SEATS, team_of
from goat_net.log.absence_table import CHARGE, LET_GO
from goat_net.log.chain import Record, parse_record, read_file
from goat_net.log.fold import Fold
from goat_net.log.records import Open, Verdict
from tests.cheats.kit import FAST, Cast, CheatWorld, Scheme, Schemer
from tests.cheats.test_absent import Leaves, playing, world_of
from tests.world.world import World


@pytest.fixture(scope="module")
def world() -> World:
    world = World(7)
    world.run()
    return world


@pytest.fixture
def saved(world: World, tmp_path: Path) -> Path:
    path = tmp_path / "2026-01-01-0000-x.goat"
    path.write_bytes(next(iter(world.journal.values())))
    return path


def keys(world: World) -> list[bytes]:
    assert world.table.fold is not None
    return [s.key for s in world.table.fold.seats]


def results(world: World) -> list[DealResult]:
    assert world.table.fold is not None
    assert world.table.fold.match is not None
    return [d for d in world.table.fold.match.deals if isinstance(d, DealResult)]


def whole(log: Log) -> Tally:
    """One log as if it were a match."""
    assert log.seat is not None
    out = log.ended()
    out.add(log.counted(frozenset({log.seat})))
    return out


@pytest.mark.parametrize("seat", range(4))
def test_a_match_counts_as_the_fold_of_its_log_says(world: World, saved: Path, seat: int) -> None:
    match = read_log(saved, frozenset({keys(world)[seat]}))
    assert match.seat == seat
    tally, mine, deals = whole(match), seat % 2, results(world)
    assert tally.deals == len(deals)
    assert tally.points == sum(d.points[mine] for d in deals)
    assert tally.deals_won == sum(d.points[mine] > 60 for d in deals)
    assert tally.eggs == sum(d.eggs for d in deals)
    assert tally.defeat_against == sum(d.defeat[mine] for d in deals)
    assert tally.defeat_for == sum(d.defeat[1 - mine] for d in deals)
    assert world.table.fold is not None
    assert world.table.fold.match is not None
    goat = world.table.fold.match.goat
    assert (tally.goats, tally.won, tally.unfinished) == (int(goat == mine), int(goat != mine), 0)


def test_partner_and_opponents_are_named(world: World, saved: Path) -> None:
    assert world.table.fold is not None
    seats = world.table.fold.seats
    stats = gather([saved, saved], frozenset({seats[1].key}))
    assert stats.total.matches == 1  # the same match saved twice is one match
    names = [f"bot ({s.level or 'bot'})" if s.bot else s.name for s in seats]
    assert set(stats.partners) == {names[3]}
    assert set(stats.opponents) == {names[0], names[2]}
    lines = list(told(stats))
    assert any(names[3] in line for line in lines)
    assert lines[0].startswith("Matches  1: ")


def test_other_peoples_matches_and_damage_are_left_out(world: World, saved: Path, tmp_path: Path) -> None:
    broken = tmp_path / "b.goat"
    broken.write_bytes(b"no match at all")
    stats = gather([saved, broken], frozenset({bytes(32)}))
    assert stats.total == Tally()
    assert stats.unreadable == 1
    assert list(told(stats))[-1].startswith("1 files could not be read")


def test_void_deals_and_cheats_count_as_the_rules_say(world: World, saved: Path) -> None:
    match = read_log(saved, frozenset({keys(world)[0]}))
    cheat, charge = Deal((0, 0), (0, 6), Void.CHEAT, 1), Deal((0, 0), (0, 6), Void.CHARGED, 3)
    deals = (cheat, Deal(void=Void.EXCUSED), Deal((60, 60)), charge)
    mine, theirs = (whole(Log(match.table, b"m", seat, deals)) for seat in (0, 1))
    assert (mine.deals, mine.eggs, mine.deals_won, mine.excused) == (1, 1, 0, 1)
    assert (mine.cheats_given, mine.charges_given, mine.defeat_for, mine.won) == (1, 1, 12, 1)
    assert (mine.charged, mine.cheated) == (0, 0)
    assert (theirs.cheats_taken, theirs.charges_taken, theirs.defeat_against, theirs.with_eggs) == (1, 1, 12, 1)
    assert (theirs.charged, theirs.cheated) == (0, 1)  # the seat that was charged was its partner's


# --- votes and cheats, from logs -----------------------------------------------------------------------------


class Says(Scheme):
    """Says something else than it must, once."""

    def __init__(self, kind: type, other: object) -> None:
        super().__init__()
        self.kind, self.other = kind, other

    def body(self, c: Schemer, body: object) -> object:
        return self.other if isinstance(body, self.kind) else body


FALSE = Verdict((120, 0), (9, 0), (0, 6), 5, 0)


def logs(world: CheatWorld) -> list[Fold]:
    """The table's logs in order, folded."""
    out = []
    for data in world.journal.values():
        fold = Fold()
        for entry in read_file(data):
            fold.take(entry)
        out.append(fold)
    return out


def files(world: CheatWorld, folder: Path) -> list[Path]:
    paths = []
    for n, data in enumerate(world.journal.values()):
        paths.append(folder / f"{n}.goat")
        paths[-1].write_bytes(data)
    return paths


def played_on(world: CheatWorld, deals: int = 2) -> list[Fold]:
    """Play until as many more deals were played out after the one that is void, or the match is over before: a charge
    and all tricks of the next deal are 12 points."""

    def enough() -> bool:
        world.settled(1)  # keeps the folds of all logs
        matches = [f.match for f in world.folds if f.match]
        done = sum(isinstance(d, DealResult) for m in matches for d in m.deals)
        return done >= deals or any(m.goat is not None for m in matches)

    assert world.run_until(lambda: world.settled(1), wait=True)
    assert world.run_until(enough, wait=True)
    return logs(world)


@pytest.mark.parametrize(("target", "fixed"), [(12, None), (7, None), (12, 3107100029)], ids=["12", "7", "whole"])
@pytest.mark.sample(1, "a whole match")
def test_who_is_charged_for_leaving_pays_and_the_bot_on_his_seat_is_not_he(
    target: int, fixed: int | None, seed: int, tmp_path: Path
) -> None:
    """T2: a match may be over after the first deal that follows: with the fixed seed the charged team gets no trick
    in it, with 7 points to lose any deal that it loses is its last."""
    rules = replace(FAST, target=target)
    world = CheatWorld(fixed or seed, Leaves(playing), seat=1, cast=Cast(people=frozenset(SEATS), owner=0), rules=rules)
    world.votes = dict.fromkeys(SEATS, CHARGE)
    first, *rest = played_on(world)
    (second,) = rest
    assert first.match is not None
    assert first.match.deals == (VoidDeal(1),)
    paths = files(world, tmp_path)
    leaver = gather(paths, frozenset({first.seats[1].key}))
    assert leaver.total == Tally(matches=1, unfinished=1, left=1, defeat_against=6, charges_taken=1, charged=1)
    assert second.match is not None
    deals = [d for d in second.match.deals if isinstance(d, DealResult)]
    for seat in (0, 2, 3):
        mine, stats = team_of(seat), gather(reversed(paths), frozenset({first.seats[seat].key}))
        total = stats.total
        assert (total.matches, total.won + total.goats + total.unfinished) == (1, 1)  # two logs, one match
        assert (total.deals, total.points) == (len(deals), sum(d.points[mine] for d in deals))
        assert (total.defeat_against, total.defeat_for) == (second.match.defeat[mine], second.match.defeat[1 - mine])
        assert (total.charges_given, total.charges_taken, total.charged) == (int(mine == 0), int(mine == 1), 0)
        rows = stats.partners if seat == 3 else stats.opponents
        gone = rows[first.seats[1].name]
        assert (gone.matches, gone.unfinished, gone.deals, gone.charged) == (1, 1, 0, 1)
        bot = rows[f"bot ({second.seats[1].level or 'bot'})"]
        assert (bot.matches, bot.deals, bot.charged) == (1, len(deals), 0)
        assert bot.unfinished == total.unfinished
        assert "charged" in "\n".join(told(stats))
    alone = gather(paths[1:], frozenset({first.seats[0].key}))  # the log before is not there: the score it carried is
    assert alone.total.deals == len(deals)
    assert alone.total.charges_given == 0
    assert gather(paths, frozenset({first.seats[0].key}), people=True).total.matches == 0


def test_an_excused_deal_costs_nobody_anything(seed: int, tmp_path: Path) -> None:
    world = world_of(Leaves(playing), seed)
    world.votes = dict.fromkeys(SEATS, LET_GO)
    first = played_on(world, 1)[0]
    leaver = gather(files(world, tmp_path), frozenset({first.seats[1].key}))
    assert leaver.total == Tally(matches=1, unfinished=1, left=1, excused=1)
    assert any(line.endswith("1 broken off (1 left by you)") for line in told(leaver))  # S26
    stayed = gather(files(world, tmp_path), frozenset({first.seats[0].key}))
    assert stayed.total.left == 0
    assert any(line == "Void     1: 1 excused" for line in told(leaver))


@pytest.mark.parametrize("scheme", [Says(Open, Open(bytes(32))), Says(Verdict, FALSE)], ids=["seed", "verdict"])
@pytest.mark.parametrize("operator", [None, 0])
@pytest.mark.sample(1, "a match with a cheat")
def test_a_proven_cheat_is_counted_for_who_answers_for_it(
    scheme: Says, operator: int | None, seed: int, tmp_path: Path
) -> None:
    scheme = Says(scheme.kind, scheme.other)
    cast = Cast(people=frozenset(SEATS)) if operator is None else Cast(
        people=frozenset({0, 2, 3}), operators={1: operator})  # fmt: skip
    world = CheatWorld(seed, scheme, seat=1, cast=cast)
    folds = played_on(world, 1)
    fold, paths, payer = folds[0], files(world, tmp_path), 1 if operator is None else operator
    assert fold.match is not None
    assert fold.match.deals[0] == VoidDeal(team_of(payer))
    for seat in cast.people:
        mine, stats = team_of(seat), gather(paths, frozenset({fold.seats[seat].key}))
        last = folds[-1].match
        assert last is not None
        assert (stats.total.cheats_taken, stats.total.cheats_given) == ((1, 0) if mine == team_of(payer) else (0, 1))
        assert stats.total.cheated == (seat == payer)
        assert (stats.total.defeat_against, stats.total.defeat_for) == (last.defeat[mine], last.defeat[1 - mine])
        assert sum(row.cheated for row in (*stats.partners.values(), *stats.opponents.values())) == (seat != payer)
        assert any("for a proven cheat" in line for line in told(stats))


def parsed(data: bytes) -> tuple[list[object], list[Record]]:
    entries = list(read_file(data))
    return list(entries), [parse_record(e.record) for e in entries]


@pytest.mark.long("three matches with a cheat")
def test_the_quick_way_and_the_fold_agree_and_the_quick_way_is_not_taken_where_they_may_not(
    world: World, seed: int
) -> None:
    entries, records = parsed(next(iter(world.journal.values())))
    assert is_usual(entries, records, 2)  # type: ignore[arg-type]
    assert of_verdicts(records, 2) == of_fold(entries)  # type: ignore[arg-type]
    assert not is_usual(entries, [*records[:-2], records[-3], records[-1]], 2)  # type: ignore[arg-type]
    for scheme in (Says(Verdict, FALSE), Says(Open, Open(bytes(32))), Leaves(playing)):
        cheat = CheatWorld(seed, scheme, seat=1, cast=Cast(people=frozenset(SEATS), owner=0))
        played_on(cheat, 1)
        entries, records = parsed(next(iter(cheat.journal.values())))
        assert not any(is_usual(entries, records, seat) for seat in SEATS)  # type: ignore[arg-type]


def test_a_log_that_is_damaged_or_forged_counts_up_to_there(seed: int, tmp_path: Path) -> None:
    world = world_of(Leaves(playing), seed)
    world.votes = dict.fromkeys(SEATS, CHARGE)
    first = played_on(world, 1)[0]
    path, other = files(world, tmp_path)[:2]
    data = path.read_bytes()
    path.write_bytes(data + other.read_bytes()[20:60])
    assert gather([path], frozenset({first.seats[1].key})).total.charged == 1
    path.write_bytes(data[: len(data) // 4])
    assert gather([path], frozenset({first.seats[1].key})).total == Tally(matches=1, unfinished=1)


def test_the_command(goat_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats"]) == 1
    assert "No saved match" in capsys.readouterr().out
    assert main(["stats", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["total"]["matches"] == 0
    assert goat_home
