"""A host without a network who enters whatever is good, four players, and the second auditor folding along.

For tests that want a say in each entry: people and bots at one table, votes, pauses, odd records.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

from goat_engine.bots import choose
from goat_net.log.chain import (
    FILE_HEADER,
    MAX_ENTRIES,
    entry_bytes,
    genesis,
    log_id_of,
    make_record,
    parse_record,
    sign_entry,
)
from goat_net.log.deal import DealStage
from goat_net.log.faults import UNANSWERED
from goat_net.log.fold import Fold, MatchStage, digest
from goat_net.log.proof import Checked, check_file
from goat_net.log.records import (
    HOST,
    BeatPlay,
    Carried,
    ClaimPlay,
    Commit,
    Complain,
    Cut,
    DiscardPlay,
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
    Unheard,
    Verdict,
    Vote,
    YieldPlay,
)
from goat_net.seat.player import Player, memory_masters
from goat_net.wire.hello import OPERATOR_PURPOSE
from goat_net.wire.identity import Identity
from goat_net.wire.messages import PROTOCOL
from tests.net.auditor import Auditor, BadEntryError


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


class Mini:
    """A host without a network, who enters whatever is good, and four players of the project. The second auditor folds
    along. ``bots``: seats of bots; ``answers``: seat of the person who runs them all, 4 for the table; ``host``: the
    seat of the host's player, or 4; ``seats``, ``table``: keys of some seats and of the table, else new ones."""

    def __init__(
        self, seed: int, *, bots: tuple[int, ...] = (), carried: tuple[Carried, ...] = (), answers: int = 0,
        host: int = 0, seats: Mapping[int, Identity] | None = None, table: Identity | None = None, target: int = 12,
    ) -> None:
        self.rng = random.Random(seed)
        drawn = Identity.from_seed(self.rng.randbytes(32))
        self.table = drawn if table is None else table
        self.seats = [Identity.from_seed(self.rng.randbytes(32)) for _ in range(4)]
        for seat, one in (seats or {}).items():
            self.seats[seat] = one
        owner = self.table if answers == HOST else self.seats[answers]
        entries = []
        for seat, one in enumerate(self.seats):
            bot = seat in bots
            signature = owner.sign(OPERATOR_PURPOSE, one.public + self.table.public) if bot else b""
            operator = owner.public if bot else b""
            entries.append(SeatEntry(one.public, f"P{seat}", bot, "hard" if bot else "", operator, signature))
        salt = self.rng.randbytes(32)
        body = Table(
            PROTOCOL, "test", salt, self.table.public, "Mini", host, target, True, 0,
            Settings(60, 0, 0, True, True, b""), tuple(entries), carried,
            tuple(self.rng.randbytes(32) for _ in range(4)),
        )  # fmt: skip
        self.fold = Fold()
        self.second = Auditor()
        self.data = FILE_HEADER
        self.seen: list[bytes] = []
        log_id = log_id_of(self.table.public, salt, body.fresh)
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
        assert self.second.judge(parsed) == one, (record.body, one)
        return one[1] or one[0]

    def submit(self, raw: bytes) -> str:
        """As a host does: enter it, or refuse it."""
        what = self.both(raw)
        record = parse_record(raw)
        if self.players[record.author].unconfirmed != raw:  # signed for it behind its back
            self.players[record.author]._signed = MAX_ENTRIES
        judged = self.fold.judge(record)
        if judged.form is None:
            self.enter(raw)
        elif self.fold.open and judged.form not in UNANSWERED and record.counter == self.fold.counters[record.author]:
            self.enter(self.made(HOST, Refuse(record.author, record.counter, record.digest, int(judged.form))))
        return what

    def say(self, seat: int, body: object) -> str:
        """A record that a seat's person has asked for; their player knows of it before it goes on."""
        what = self.submit(self.made(seat, body))
        self.catch_up(seat)
        return what

    def catch_up(self, seat: int) -> None:
        """A seat's player reads all there is."""
        for entry in self.fold.chain.entries[self.taken[seat] :]:
            self.players[seat].take(entry, 0)
        self.taken[seat] = len(self.fold.chain)

    def restart(self, seat: int) -> None:
        """A seat's client is stopped and started again: it has what it has read, and nothing else."""
        one = self.seats[seat]
        player = Player(one, memory_masters(one.public), table_key=self.table.public, eager=True)
        for entry in self.fold.chain.entries[: self.taken[seat]]:
            player.take(entry, 0)
        self.players[seat] = player

    def resume(self) -> None:
        """The host is stopped and goes on from its journal."""
        fold = Fold(self.table.public)
        for entry in self.fold.chain.entries:
            fold.take(entry)
        assert digest(fold) == digest(self.fold)
        self.fold = fold

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
            ClaimPlay(min(8, len(deal.state.tricks)) if deal and deal.state else 0), ClaimPlay(rng.randrange(9)),
            YieldPlay(),
            Open(rng.randbytes(32)), Verdict((60, 60), (3, 4), (0, 0), 5, 0), Leave(), PauseClock(rng.random() < 0.5),
            Vote(rng.randrange(4), rng.randrange(4)), Unheard(rng.randrange(4), rng.choice((0, 59, 60, 600))),
        )
    )  # fmt: skip
