"""The second auditor (`auditor.py`, from PROTOCOL.md alone) and the project's own come to the same on every log."""

import ast
import random
from pathlib import Path
from typing import Any

import pytest

import tests.cheats.rows  # noqa: F401 - the rows register themselves
from goat_engine.bots import choose
from goat_net.log.chain import (
    FILE_HEADER,
    LogFileError,
    entry_bytes,
    file_bytes,
    parse_record,
    read_file,
    sign_entry,
)
from goat_net.log.fold import MatchStage
from goat_net.log.proof import check_file
from goat_net.log.records import (
    HOST,
    Away,
    Carried,
    ClaimPlay,
    CloseVote,
    End,
    EndPause,
    Leave,
    Nonce,
    Open,
    PauseClock,
    Refuse,
    Unheard,
    Vote,
)
from tests.cheats.catalogue import CATALOGUE
from tests.cheats.shared import shared
from tests.cheats.twice import played_twice
from tests.net.auditor import BadFileError, audit
from tests.net.cheaters import CHEATS, cheated_log, journal
from tests.net.mini import Mini, finished, odd_body, playing, told_by_the_project, told_of
from tests.world.world import World


def told_by_the_second(data: bytes) -> dict[str, Any]:
    auditor, fault = audit(data)
    return told_of(auditor, fault)


def compare(data: bytes) -> dict[str, Any]:
    """Both auditors on one log."""
    told = told_by_the_project(check_file(data))
    assert told_by_the_second(data) == told
    return told


def test_the_second_auditor_takes_nothing_from_the_project() -> None:
    tree = ast.parse((Path(__file__).with_name("auditor.py")).read_text("utf-8"))
    names = [n.name for node in ast.walk(tree) if isinstance(node, ast.Import) for n in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    allowed = {"hashlib", "hmac", "collections", "dataclasses", "functools", "itertools", "typing", "cryptography"}
    assert {name.split(".")[0] for name in names} == allowed


@pytest.mark.long("a match judged twice")
def test_a_whole_match() -> None:
    world = World(5)
    world.run()
    told = compare(journal(world))
    assert told["stage"] == "ENDED"
    assert told["fault"] is None
    assert len(told["deals"]) >= 3


@pytest.mark.long("a log judged twice at every entry")
def test_every_beginning_of_a_log() -> None:
    world = World(21)
    world.run(deals=1)
    entries = list(read_file(journal(world)))
    for count in range(1, len(entries) + 1, 3):
        assert compare(file_bytes(entries[:count]))["fault"] is None


@pytest.mark.parametrize(("turn", "people"), [(0, True), (2, True), (0, False)])
@pytest.mark.parametrize("name", CHEATS)
@pytest.mark.sample(4, "every cheat is a deal judged twice")
def test_cheats(name: str, turn: int, people: bool) -> None:
    """R23: a person's team pays; for a bot of the table nobody does."""
    seat = (list(CHEATS).index(name) + turn) % 4
    data, _ = cheated_log(name, seat, people=people)
    told = compare(data)
    blamed = [deal for deal in told["deals"] if deal["blame"] is not None]
    assert [(d["blame"][1], d["blame"][2] in CHEATS[name][1]) for d in blamed] == [(seat, True)]
    assert [d["charged"] for d in blamed] == [seat % 2 if people else None]


# Logs with what only people and hosts do ------------------------------------------------------------------------


def test_a_bots_offence_is_charged_to_its_operators_team() -> None:
    """R23: seat 1 is a bot of seat 0's machine."""
    mini = Mini(4, bots=(1,))
    mini.play(playing)
    assert mini.fold.deal is not None
    mini.say(1, Open(bytes(32)))
    mini.silent = {1}
    mini.play(lambda fold: fold.deal is not None and fold.deal.waits_for() == {1})
    mini.host(Away(1, 60))
    told = mini.agree()
    (deal,) = told["deals"]
    assert deal["blame"][1:] == (1, "EARLY_OPEN")
    assert deal["charged"] == 0


def test_a_score_that_is_carried_on() -> None:
    carried = Carried(bytes(32), bytes(range(32)), (4, 8), 1, 2, 1, True, 6)
    mini = Mini(5, carried=(carried,))
    mini.play(finished(1))
    told = mini.agree()
    (deal,) = told["deals"]
    assert deal["number"] == 7
    assert sum(told["score"][0]) in (12, 16, 20, 24)


HARMLESS = (Leave, PauseClock, Vote, Unheard)


@pytest.mark.parametrize("number", range(12))
@pytest.mark.sample(2, "deals judged twice at every step")
def test_both_judge_odd_records_alike_and_come_to_the_same(number: int) -> None:
    """At every step of a deal some odd record is judged by both; now and then one is entered, be it an offence."""
    mini = Mini(100 + number, bots=(1, 3) if number % 2 else ())
    rng, said = random.Random(number), set()
    bold = rng.randint(60, 400)
    for step in range(250):
        if mini.fold.stage is MatchStage.ENDED or len(mini.fold.finished) >= 2 or not mini.step():
            break
        for _ in range(12):
            old = parse_record(rng.choice(mini.seen)).body
            author = rng.randrange(4)
            body = old if rng.random() < 0.4 else odd_body(rng, mini)  # the host's words too, signed by a seat
            deal = rng.choice((None, None, None, None, 0, 1, 2))
            moved, back = rng.choice((0, 0, 0, 0, 0, 0, 0, 0, -1, -3, 1)), rng.choice((0, 0, 1, 5))
            raw = mini.made(author, body, deal=deal, counter=moved, back=back)
            what = mini.both(raw)
            said.add(what)
            free = mini.players[author].unconfirmed is None and mini.taken[author] == len(mini.fold.chain)
            if free and (step >= bold or (isinstance(body, HARMLESS) and what == "good" and rng.random() < 0.02)):
                mini.submit(raw)
                mini.catch_up(author)
                bold += 1000 * (step >= bold)
        fold = mini.fold
        late = sorted(fold.waits_for() - fold.away.keys())
        if rng.random() < 0.05 and late and fold.paused is None:
            mini.host(Away(rng.choice(late), rng.choice((60, 600))))
        asked = [s for s in range(4) if fold.vote_open(s)]
        if rng.random() < 0.05 and asked and fold.paused is None:
            mini.host(CloseVote(rng.choice(asked)))
        if rng.random() < 0.1 and fold.paused is not None:
            mini.host(EndPause())
    mini.agree()
    assert len(said) >= 8, said


def test_the_same_said_again_on_another_head_is_no_offence() -> None:
    """A seat that loses its record in a power cut says the same again, and others may still have the first one."""
    mini = Mini(77)
    mini.play(playing)
    for raw in list(mini.seen):
        record = parse_record(raw)
        if record.author == HOST or record.match_id != mini.fold.id:
            continue
        counter = record.counter - mini.fold.counters[record.author]
        for back in (0, 1, 5):
            again = mini.made(record.author, record.body, deal=record.deal, counter=counter, back=back)
            assert mini.both(again) == "COUNTER", (record, back)
        other = mini.made(record.author, Open(bytes(32)), deal=record.deal, counter=counter)
        assert mini.both(other) == "REUSED_COUNTER"
        later = mini.made(record.author, record.body, deal=record.deal + 1, counter=counter)
        assert mini.both(later) == "REUSED_COUNTER"


@pytest.mark.long("plays until a claim comes")
def test_molodkas_of_bots() -> None:
    """Claims are rare, so deals are played until one has come and was shown."""
    for seed in range(300, 400):
        mini = Mini(seed)
        mini.play(lambda fold: bool(fold.finished) or (fold.deal is not None and fold.deal.before_claim is not None))
        if not mini.fold.finished:
            mini.play(finished(1))
            kinds = [type(step.action).__name__ for step in mini.fold.finished[0].deal.steps]
            assert "Claim" in kinds
            assert "Show" in kinds
            return
    raise AssertionError("no molodka in a hundred deals")


def before_a_claim(seed: int) -> tuple[Mini, bytes, list[bytes]] | None:
    """A table at some play of its first deal, the play of the seat whose turn it is, claims that others could make."""
    mini = Mini(seed)
    mini.play(lambda fold: playing(fold) and mini.rng.random() < 0.15)
    deal = mini.fold.deal
    assert deal is not None
    for _ in range(60):
        if deal.state is not None and deal.state.turn is not None and deal.may_play:
            break
        mini.step()
    if deal.state is None or deal.state.turn is None:
        return None
    for seat in range(4):
        mini.catch_up(seat)
    turn, tricks = deal.state.turn, len(deal.state.tricks)
    player = mini.players[turn]
    held = player.due(0)
    if not held and player.owes_action and player.view is not None:
        player.act(choose(player.view, mini.rng, "medium"))
        held = player.due(0)
    claims = [raw for s in range(4) if s != turn and mini.both(raw := mini.made(s, ClaimPlay(tricks))) == "good"]
    return (mini, held[0], claims) if held and claims else None


@pytest.mark.parametrize("number", range(8))
@pytest.mark.sample(2, "deals judged twice")
def test_plays_that_a_claim_overtakes(number: int) -> None:
    """The claims are of hands that are none, as anybody could sign them: what can be seen of a hand allows it."""
    found = next(one for at in range(40) if (one := before_a_claim(200 + 40 * number + at)) is not None)
    mini, held, claims = found
    deal = mini.fold.deal
    assert deal is not None
    assert deal.state is not None
    mini.enter(mini.rng.choice(claims))
    assert mini.both(held) == "void"
    rng = random.Random(number)
    for _ in range(150):
        mini.both(mini.made(rng.randrange(4), odd_body(rng, mini), back=rng.choice((0, 0, 1, 2))))
    mini.enter(held)
    assert deal.steps[-1].void
    for _ in range(150):
        mini.both(mini.made(rng.randrange(4), odd_body(rng, mini), back=rng.choice((0, 0, 1, 2))))
    mini.agree()
    claimant = deal.state.turn
    assert claimant is not None
    mini.submit(mini.made(claimant, Open(bytes(32))))
    for seat in range(4):
        secret = mini.players[seat]._seed(deal)
        if seat not in deal.seeds:
            mini.submit(mini.made(seat, Open(secret)))
    told = mini.agree()
    assert [d["blame"][1] for d in told["deals"]] == [claimant]


def test_a_host_who_enters_what_may_not_stand(seed: int) -> None:
    mini = Mini(6)
    mini.play(playing)
    for raw in (
        mini.made(HOST, End(0)),
        mini.made(HOST, EndPause()),
        mini.made(HOST, Refuse(0, 77, bytes(32), 1)),
        mini.made(0, Nonce(bytes(32))),
        mini.seen[4],
    ):
        entry = sign_entry(mini.table, mini.fold.id, len(mini.fold.chain), mini.fold.chain.head, raw)
        told = compare(mini.data + entry_bytes(entry))
        assert told["fault"] == (len(mini.fold.chain), True)
    mini.host(End(2))
    entry = sign_entry(mini.table, mini.fold.id, len(mini.fold.chain), mini.fold.chain.head, mini.made(HOST, End(2)))
    assert compare(mini.data + entry_bytes(entry))["fault"] == (len(mini.fold.chain), True)


@pytest.mark.long("hundreds of logs judged twice")
def test_damaged_bytes_are_found_at_the_same_entry(seed: int) -> None:
    world = World(3)
    world.run(deals=1)
    data = journal(world)
    rng = random.Random(seed)
    for at in rng.sample(range(len(data)), 150):
        changed = data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :]
        try:
            told = told_by_the_project(check_file(changed))
        except LogFileError:
            if at >= len(FILE_HEADER):  # the protocol's number in the table's record
                assert told_by_the_second(changed)["fault"] == (0, False)
                continue
            with pytest.raises(BadFileError):
                audit(changed)
            continue
        assert told_by_the_second(changed) == told, at


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_logs_of_the_whole_catalogue_of_cheats() -> None:
    """Every cheat that is played anywhere in the tests, each once, with all logs of its world."""
    with shared():
        logs = sum(played_twice(cheat, 1)[1] for cheat in CATALOGUE)
    assert logs >= 150
