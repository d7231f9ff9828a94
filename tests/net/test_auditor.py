"""The second auditor (`auditor.py`, from PROTOCOL.md alone) and the project's own come to the same on every log."""

import ast
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goat_engine.bots import choose
from goat_net.deal import DealStage
from goat_net.faults import UNANSWERED
from goat_net.fold import HOST_KINDS, OPERATOR_PURPOSE, Fold, MatchStage
from goat_net.identity import Identity
from goat_net.log import (
    FILE_HEADER,
    LogFileError,
    entry_bytes,
    file_bytes,
    genesis,
    make_record,
    parse_record,
    read_file,
    sign_entry,
    table_id,
)
from goat_net.messages import PROTOCOL
from goat_net.player import Player, memory_masters
from goat_net.proof import Checked, check_file
from goat_net.records import (
    HOST,
    Away,
    Back,
    BeatPlay,
    Carried,
    ClaimPlay,
    Commit,
    Complain,
    Cut,
    DiscardPlay,
    End,
    Keys,
    LeadPlay,
    Leave,
    Lock,
    Nonce,
    NonceCommit,
    Open,
    PauseClock,
    Refuse,
    SeatEntry,
    Settings,
    ShowPlay,
    Shuffle,
    Table,
    Verdict,
    Vote,
    YieldPlay,
)
from tests.net.auditor import Auditor, BadEntryError, BadFileError, audit
from tests.net.cheaters import CHEATS, cheated_log, journal
from tests.world.world import World


def told_by_the_project(checked: Checked) -> dict[str, Any]:
    fold = checked.fold
    deals = []
    for done in fold.finished:
        blame, result = done.outcome.blame, done.outcome.result
        deals.append(
            {
                "number": done.deal.number,
                "score": None
                if result is None
                else (list(result.points), list(result.tricks), list(result.defeat), result.taker),
                "blame": None if blame is None else (blame.entry, blame.seat, blame.fault.name),
                "charged": done.charged,
                "verdicts": sorted(done.verdicts),
            }
        )
    match = fold.match
    return {
        "stage": fold.stage.name,
        "entries": len(fold.chain),
        "head": fold.chain.head if fold.table else b"",
        "id": fold.id,
        "deals": deals,
        "now": None if fold.deal is None else (fold.deal.number, fold.deal.dealer, fold.deal.leader),
        "stopped": fold.deal is not None and fold.deal.stopped,
        "score": None if match is None else (list(match.defeat), match.eggs, match.dealer, match.leader, match.doubled),
        "outside": [(o.entry, o.seat, o.fault.name) for o in fold.offences],
        "in deal": [] if fold.deal is None else [(o.entry, o.seat, o.fault.name) for o in fold.deal.offences],
        "owes": sorted(fold.waits_for()),
        "counters": fold.counters,
        "lost": {seat: choice == 2 for seat, choice in fold.lost.items()},
        "fault": None if checked.fault is None else (checked.fault.number, checked.by_host),
    }


def told_by_the_second(data: bytes) -> dict[str, Any]:
    auditor, fault = audit(data)
    return told_of(auditor, fault)


def told_of(auditor: Auditor, fault: BadEntryError | None) -> dict[str, Any]:
    deal, score = auditor.deal, auditor.score
    return {
        "stage": auditor.stage,
        "entries": len(auditor.bodies),
        "head": auditor.heads[-1] if auditor.heads else b"",
        "id": auditor.id,
        "deals": [
            {
                "number": r.number,
                "score": r.score,
                "blame": r.blame,
                "charged": r.charged,
                "verdicts": sorted(r.verdicts),
            }
            for r in auditor.results
        ],
        "now": None if deal is None else (deal.number, deal.dealer, deal.leader),
        "stopped": deal is not None and deal.stopped,
        "score": None if score is None else (score.defeat, score.eggs, score.dealer, score.leader, score.doubled),
        "outside": auditor.outside,
        "in deal": [] if deal is None else deal.offences,
        "owes": sorted(auditor.owes()),
        "counters": auditor.next,
        "lost": auditor.lost,
        "fault": None if fault is None else (fault.number, fault.host),
    }


def compare(data: bytes) -> dict[str, Any]:
    """Both auditors on one log."""
    told = told_by_the_project(check_file(data))
    assert told_by_the_second(data) == told
    return told


def test_the_second_auditor_takes_nothing_from_the_project() -> None:
    tree = ast.parse((Path(__file__).with_name("auditor.py")).read_text("utf-8"))
    names = [n.name for node in ast.walk(tree) if isinstance(node, ast.Import) for n in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    allowed = {"hashlib", "hmac", "collections", "dataclasses", "itertools", "typing", "cryptography"}
    assert {name.split(".")[0] for name in names} == allowed


def test_a_whole_match() -> None:
    world = World(5)
    world.run()
    told = compare(journal(world))
    assert told["stage"] == "ENDED"
    assert told["fault"] is None
    assert len(told["deals"]) >= 3


def test_every_beginning_of_a_log() -> None:
    world = World(21)
    world.run(deals=1)
    entries = list(read_file(journal(world)))
    for count in range(1, len(entries) + 1, 3):
        assert compare(file_bytes(entries[:count]))["fault"] is None


@pytest.mark.parametrize("turn", [0, 2])
@pytest.mark.parametrize("name", CHEATS)
def test_cheats(name: str, turn: int) -> None:
    seat = (list(CHEATS).index(name) + turn) % 4
    data, _ = cheated_log(name, seat)
    told = compare(data)
    blames = [deal["blame"] for deal in told["deals"] if deal["blame"] is not None]
    assert [(b[1], b[2] in CHEATS[name][1]) for b in blames] == [(seat, True)]


# Logs with what only people and hosts do ------------------------------------------------------------------------


class Mini:
    """A host without a network, who enters whatever is good, and four players of the project. The second auditor folds
    along. ``bots``: seats of bots, all run by seat 0's machine."""

    def __init__(self, seed: int, *, bots: tuple[int, ...] = (), carried: tuple[Carried, ...] = ()) -> None:
        self.rng = random.Random(seed)
        self.table = Identity.from_seed(self.rng.randbytes(32))
        self.seats = [Identity.from_seed(self.rng.randbytes(32)) for _ in range(4)]
        owner = self.seats[0]
        entries = []
        for seat, one in enumerate(self.seats):
            bot = seat in bots
            signature = owner.sign(OPERATOR_PURPOSE, one.public + self.table.public) if bot else b""
            operator = owner.public if bot else b""
            entries.append(SeatEntry(one.public, f"P{seat}", bot, "hard" if bot else "", operator, signature))
        salt = self.rng.randbytes(32)
        body = Table(
            PROTOCOL, "test", salt, self.table.public, "Mini", 0, 12, True, 0, Settings(60, 0, 0, True, b""),
            tuple(entries), carried,
        )  # fmt: skip
        self.fold = Fold()
        self.second = Auditor()
        self.data = FILE_HEADER
        self.seen: list[bytes] = []
        log_id = table_id(self.table.public, salt)
        self.add(make_record(self.table, log_id, 0, HOST, 0, 0, genesis(log_id), body), log_id, genesis(log_id))
        self.players = [
            Player(one, memory_masters(one.public), table_key=self.table.public, eager=True) for one in self.seats
        ]
        self.taken = [0] * 4
        self.silent: set[int] = set()

    def add(self, raw: bytes, match_id: bytes, head: bytes) -> None:
        entry = sign_entry(self.table, match_id, len(self.fold.chain), head, raw)
        self.fold.take(entry)
        self.second.take(entry.number, entry.record, entry.signature)
        self.data += entry_bytes(entry)
        self.seen.append(raw)

    def enter(self, raw: bytes) -> None:
        self.add(raw, self.fold.id, self.fold.chain.head)

    def made(self, author: int, body: object, *, deal: int | None = None, counter: int = 0, back: int = 0) -> bytes:
        """A record as the author would sign it now; ``counter`` and ``back`` move its counter and what it has seen."""
        fold, identity = self.fold, self.table if author == HOST else self.seats[author]
        number = (fold.deal.number if fold.deal else 0) if deal is None else deal
        at = max(0, len(fold.chain) - back)
        used = max(0, fold.counters[author] + counter)
        return make_record(identity, fold.id, number, author, used, at, fold.chain.heads[at], body)

    def both(self, raw: bytes) -> str:
        """What a seat's record would be now, by both auditors."""
        record = parse_record(raw)
        judged = self.fold.judge(record)
        one = ("form", judged.form.name) if judged.form else ("offence", judged.fault.name) if judged.fault else None
        if one is None:
            one = ("void" * judged.void + "stop" * judged.stops or "good", "")
        parsed = self.second.parse(raw)
        assert parsed is not None
        assert self.second.judge(parsed, record.digest) == one, (record.body, one)
        return one[1] or one[0]

    def submit(self, raw: bytes) -> str:
        """As a host does: enter it, or refuse it."""
        what = self.both(raw)
        record = parse_record(raw)
        judged = self.fold.judge(record)
        if judged.form is None:
            self.enter(raw)
        elif judged.form not in UNANSWERED and record.counter == self.fold.counters[record.author]:
            self.enter(self.made(HOST, Refuse(record.author, record.counter, record.digest, int(judged.form))))
        return what

    def say(self, seat: int, body: object) -> str:
        """A record that a seat's person has asked for; his player knows of it before he goes on."""
        what = self.submit(self.made(seat, body))
        self.catch_up(seat)
        return what

    def catch_up(self, seat: int) -> None:
        """A seat's player reads all there is."""
        for entry in self.fold.chain.entries[self.taken[seat] :]:
            self.players[seat].take(entry, 0)
        self.taken[seat] = len(self.fold.chain)

    def host(self, body: object) -> None:
        self.enter(self.made(HOST, body))

    def step(self) -> bool:
        """One record of some player; False when nobody has any."""
        seats = [s for s in range(4) if s not in self.silent]
        self.rng.shuffle(seats)
        for seat in seats:
            player = self.players[seat]
            upto = self.rng.randint(self.taken[seat], len(self.fold.chain))
            for entry in self.fold.chain.entries[self.taken[seat] : upto]:
                player.take(entry, 0)
            self.taken[seat] = upto
            if player.owes_action and player.view is not None:
                player.act(choose(player.view, self.rng, "medium"))
            out = player.due(0)
            for raw in out:
                self.submit(raw)
            if out:
                return True
        return any(self.taken[s] < len(self.fold.chain) for s in seats)

    def play(self, until: Callable[[Fold], bool]) -> None:
        for _ in range(20_000):
            if until(self.fold) or self.fold.stage is MatchStage.ENDED:
                break
            if not self.step():
                break
        self.agree()

    def agree(self) -> dict[str, Any]:
        told = told_by_the_project(check_file(self.data))
        assert told_of(self.second, None) == told
        return told


def finished(count: int) -> Callable[[Fold], bool]:
    return lambda fold: len(fold.finished) >= count


def playing(fold: Fold) -> bool:
    return fold.deal is not None and fold.deal.stage is DealStage.PLAY and len(fold.deal.steps) > 5


@pytest.mark.parametrize(
    ("choices", "unreached", "lost"),
    [
        ((2, 2, 2), True, {3: True}),
        ((2, 2, 2), False, {3: False}),
        ((2, 2, 0), True, {3: True}),
        ((1, 1, 2), True, {3: False}),
        ((0, 0, 2), True, {}),
        ((0, 1, 2), True, {3: False}),
    ],
)
def test_votes_about_an_absent_seat(choices: tuple[int, ...], unreached: bool, lost: dict[int, bool]) -> None:
    mini = Mini(1)
    mini.play(playing)
    mini.silent = {3}
    mini.play(lambda fold: 3 in fold.waits_for())
    assert 3 in mini.fold.waits_for()
    assert mini.both(mini.made(0, Vote(3, 1, False))) == "NOT_NOW"
    mini.host(Away(3, 59))
    assert mini.both(mini.made(0, Vote(3, 1, False))) == "NOT_NOW"
    mini.host(Away(3, 60))
    assert mini.both(mini.made(3, Vote(3, 1, False))) == "NOT_NOW"
    for seat, choice in enumerate(choices):
        if 3 in mini.fold.lost or 3 not in mini.fold.away:
            break
        assert mini.say(seat, Vote(3, choice, unreached and seat == 1)) == "good"
        if 3 not in mini.fold.lost and 3 in mini.fold.away:
            assert mini.both(mini.made(seat, Vote(3, choice, True))) == "ALREADY_DONE"
    told = mini.agree()
    assert told["lost"] == lost
    if lost:
        mini.play(finished(1))
        last = mini.fold.finished[-1]
        assert last.outcome.result is None
        assert last.charged == (1 if lost[3] else None)


def test_the_seat_that_leaves_and_the_host_who_says_so() -> None:
    mini = Mini(2, bots=(1,))
    mini.play(playing)
    mini.say(2, Leave())
    assert mini.both(mini.made(2, Leave())) == "ALREADY_DONE"
    assert mini.both(mini.made(1, Vote(2, 2, True))) == "NOT_NOW"
    for seat in (0, 3):
        mini.say(seat, Vote(2, 2, False))
    assert mini.agree()["lost"] == {2: True}


def test_leaving_after_one_has_opened_changes_nothing() -> None:
    mini = Mini(3)
    mini.play(lambda fold: fold.deal is not None and 2 in fold.deal.seeds and fold.deal.stage is DealStage.OPEN)
    mini.say(2, Leave())
    for seat in (0, 1, 3):
        if 2 not in mini.fold.lost:
            mini.say(seat, Vote(2, 2, False))
    mini.play(finished(1))
    assert mini.fold.finished[0].outcome.result is not None
    assert mini.agree()["lost"] == {2: True}


def test_a_bots_offence_is_charged_to_its_operators_team() -> None:
    """R23: seat 1 is a bot of seat 0's machine."""
    mini = Mini(4, bots=(1,))
    mini.play(playing)
    assert mini.fold.deal is not None
    mini.say(1, Open(bytes(32)))
    mini.silent = {1}
    mini.play(lambda fold: fold.deal is not None and fold.deal.waits_for() == {1})
    mini.host(Away(1, 60))
    for seat in (0, 2, 3):
        if 1 not in mini.fold.lost:
            mini.say(seat, Vote(1, 1, False))
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


def odd_body(rng: random.Random, mini: Mini) -> object:
    """Some body that a seat could sign, mostly at a wrong time."""
    deal = mini.fold.deal
    slots = tuple(rng.sample(range(36), rng.randint(1, 4)))
    keys = rng.randbytes(32 * rng.choice((len(slots), len(slots), 1)))
    return rng.choice(
        (
            NonceCommit(rng.randbytes(32)), Nonce(rng.randbytes(32)), Commit(rng.randbytes(32)),
            Shuffle(rng.randbytes(rng.choice((0, 31, 1152)))), Cut(rng.randbytes(32), rng.randbytes(640), bytes(32)),
            Lock(rng.randbytes(1152), bytes(1152)), Keys(keys, rng.choice((b"", bytes(32)))),
            Complain(slots[:2], keys[:64]), LeadPlay(slots, keys), BeatPlay(slots, keys), ShowPlay(slots, keys),
            LeadPlay((slots[0], slots[0]), keys), DiscardPlay(rng.randbytes(rng.choice((0, 16, 32, 64)))),
            ClaimPlay(len(deal.state.tricks) if deal and deal.state else 0), ClaimPlay(rng.randrange(9)), YieldPlay(),
            Open(rng.randbytes(32)), Verdict((60, 60), (3, 4), (0, 0), 5, 0), Leave(), PauseClock(rng.random() < 0.5),
            Vote(rng.randrange(4), rng.randrange(3), rng.random() < 0.5),
        )
    )  # fmt: skip


HARMLESS = (Leave, PauseClock, Vote)


@pytest.mark.parametrize("number", range(12))
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
            body = old if rng.random() < 0.4 and type(old) not in HOST_KINDS else odd_body(rng, mini)
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
        if rng.random() < 0.05 and mini.fold.waits_for():
            mini.host(Away(rng.choice(sorted(mini.fold.waits_for())), rng.choice((10, 60))))
        if rng.random() < 0.05 and mini.fold.away:
            mini.host(Back(rng.choice(sorted(mini.fold.away))))
    mini.agree()
    assert len(said) >= 8, said


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
        mini.made(HOST, Back(1)),
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
