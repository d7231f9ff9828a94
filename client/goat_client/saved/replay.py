"""Stepping through a match, forth and back, all cards open or as one seat saw it: a model without a widget."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from goat_client.game import advice, whereabouts
from goat_client.game.control import Again
from goat_client.game.keys import REPLAY, REPLAY_HELP, meaning
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.game.page_keys import scroll_page
from goat_client.game.review import Review, act_words, because, reviewed
from goat_client.game.review import told as told_review
from goat_client.machine.glyphs import SUIT_WORDS
from goat_client.machine.settings import Settings, glyphs_for
from goat_client.saved.matchfile import PlayedDeal, PlayedMatch
from goat_engine.actions import Action, Claim, Slot, Yield
from goat_engine.audit import Eye, Replay, Watcher
from goat_engine.cards import Card
from goat_engine.match import MatchState
from goat_engine.rules import SEATS, Seat
from goat_engine.state import Phase
from goat_net.seat.tableview import Returned, SeatInfo, Stage, TableView


@dataclass
class ReplayModel:
    """Where one is in a match. ``inner`` is what the table's views draw from."""

    match: PlayedMatch
    settings: Settings
    at: int = 0
    watcher: Watcher = Eye.OPEN
    finished: bool = False
    again: Again | None = None

    def __post_init__(self) -> None:
        self._reviews: dict[int, Review] = {}  # by place of the deal, of all seats
        self.inner = Model(settings=self.settings, glyphs=glyphs_for(self.settings), third_person=True)
        self.inner.place, self.inner.help = whereabouts.REPLAY, REPLAY_HELP
        self.to_deal(0)

    @property
    def deal(self) -> PlayedDeal:
        """The deal one is in."""
        return self.match.deals[self.at]

    def to_deal(self, at: int) -> None:
        """Go to the start of a deal of the match."""
        self.at = max(0, min(at, len(self.match.deals) - 1))
        self.replay = Replay(self.deal.record)
        self._changed()

    def seat_key(self, n: int) -> None:
        """0: all cards open; 1 to 4: as that seat saw it."""
        self.watcher = n - 1 if n else Eye.OPEN
        self._changed()

    def _changed(self) -> None:
        m, deal, replay = self.inner, self.deal, self.replay
        state = replay.state(self.watcher)
        me = self.watcher if not isinstance(self.watcher, Eye) else 0
        m.hint, m.notice = "", ""
        m.open_hands = self.watcher is Eye.OPEN
        moment = replay.moment(self.watcher)
        m.held = state.tricks[-1] if moment.closed and state.tricks else None
        returned = (Returned(len(state.tricks), moment.returned),) if moment.returned else ()
        seats = tuple(SeatInfo(s, self.match.seats[s], taken=True) for s in SEATS)
        score = MatchState(deal.record.deal.rules, 0, 0, deal.defeat)
        m.view = TableView(
            stage=Stage.PLAY, table_name=self.match.name, rules=deal.record.deal.rules, seats=seats, me=me, match=score,
            deal_number=deal.number, deal=state, returned=returned,
        )  # fmt: skip

    @property
    def result_text(self) -> str:
        """How the deal came out, once one is at its end."""
        result = self.deal.result
        if self.replay.position < len(self.replay):
            return ""
        if result is None:
            return self.deal.note or "The deal was not played out."
        texts = []
        for team in (0, 1):
            lost = f", {result.defeat[team]} defeat points" if result.defeat[team] else ""
            texts.append(f"{self.inner.team_names(team)} {result.points[team]}{lost}")
        return f"End of the deal: {'; '.join(texts)}.{' Eggs!' if result.eggs else ''}"

    def sentence(self) -> str:
        """What the step that led here was."""
        moment, m = self.replay.moment(self.watcher), self.inner
        if moment.seat is None or moment.action is None:
            deal = self.replay.record.deal
            return f"{m.name(deal.dealer)} dealt; {m.name(deal.leader)} is to lead."
        told = self._act(moment.seat, moment.action)
        if moment.closed:
            told += f" {m.name(moment.state.tricks[-1].taker)} takes the trick."
        return told

    def _act(self, seat: Seat, action: Action) -> str:
        m, state = self.inner, self.replay.state(self.watcher)
        name = m.name(seat)
        if isinstance(action, Claim):
            return f"{name} claims a molodka."
        if isinstance(action, Yield):
            return f"{name} lets the molodka stand."
        plays = state.plays or (state.tricks[-1].plays if state.tricks else ())
        play = next((p for p in reversed(plays) if p.seat == seat), None)
        if play is None:
            return name
        told = advice.told(play, state, m.glyphs, name)
        hidden = advice.faces(state, play.slots) if told.endswith(("card", "cards")) else ()
        return f"{told}: {m.glyphs.cards(hidden)}." if hidden else f"{told}."

    def hint(self) -> None:
        """What the strongest bot would have played next, from what the seat knew."""
        m, turn = self.inner, self.replay.state().turn
        if turn is None:
            m.hint = "Nobody is to play."
            return
        if self.watcher is not Eye.OPEN and self.watcher != turn:
            m.hint = f"{m.name(turn)} is to play. Their cards can't be seen from here."
            return
        from goat_engine.bots import hint  # the bots' weights are loaded by the first hint

        view = self.replay.view(turn, self.deal.defeat)
        given = hint(view)
        cards: Mapping[Slot, Card] = dict(view.hand)
        named = m.glyphs.cards(sorted(cards[s] for s in getattr(given.action, "slots", ()) if s in cards))
        would = act_words(given.action, cards, m.glyphs, past=False)
        m.hint = f"{m.name(turn)}: the bot would {would}. {because(given.reason, m.glyphs, named)}"

    def review(self) -> Review:
        """What the bot would have played in this deal, for the seat whose eyes are chosen, or for all four."""
        if self.at not in self._reviews:
            self._reviews[self.at] = reviewed(self.deal.record, SEATS)
        whole = self._reviews[self.at]
        return whole if isinstance(self.watcher, Eye) else replace(whole, seats=(self.watcher,))

    # -- commands

    def key(self, name: str) -> None:
        """A key, by its meaning in a replay."""
        self.command(meaning(name, REPLAY))

    def command(self, command: str) -> None:
        """A command by its name: of the page that is open, or of the replay."""
        m = self.inner
        if m.page is not Page.NONE:
            if command in ("escape", "quit", "keys", "rules", "review"):
                m.page = Page.NONE
            elif m.page is Page.REVIEW and command.startswith(("seat", "all")):
                self.do(command)
                self.do("review")
            else:
                scroll_page(m, {"trick back": "up", "trick forth": "down", "deal back": "page up",
                                "deal forth": "page down"}.get(command, command))  # fmt: skip
            return
        self.do(command)

    def do(self, command: str) -> None:
        """Carry out a command by its name."""
        replay = self.replay
        tricks = len(replay.state().tricks)
        match command.split():
            case ["forth"]:
                if not replay.forth() and self.at + 1 < len(self.match.deals):
                    self.to_deal(self.at + 1)
            case ["back"]:
                if not replay.back() and self.at > 0:
                    self.to_deal(self.at - 1)
                    self.replay.seek(len(self.replay))
            case ["trick", "forth"]:
                replay.seek_trick(tricks + 1)
            case ["trick", "back"]:
                at_start = replay.position
                replay.seek_trick(tricks)
                if replay.position == at_start:
                    replay.seek_trick(tricks - 1)
            case ["deal", "forth"]:
                self.to_deal(self.at + 1)
            case ["deal", "back"]:
                self.to_deal(self.at - 1)
            case ["home"]:
                replay.seek(0)
            case ["end"]:
                replay.seek(len(replay))
            case ["seat", n]:
                self.seat_key(int(n))
            case ["all", "open"]:
                self.seat_key(0)
            case ["hint"]:
                self.hint()
                return
            case ["play"] if replay.state().turn is not None:
                turn = replay.state().turn
                seat = turn if isinstance(self.watcher, Eye) or turn is None else self.watcher
                self.again, self.finished = Again(replay.record, replay.position, seat or 0), True
                return
            case ["code"]:
                self.inner.hint = f"Deal code: {self.deal.code}"
                return
            case ["review"]:
                self.inner.review = self.review()
                self.inner.page, self.inner.scroll = Page.REVIEW, 0
                return
            case ["keys"]:
                self.inner.page, self.inner.scroll = Page.HELP, 0
                return
            case ["rules"]:
                self.inner.page, self.inner.scroll = Page.RULES, -1
                return
            case ["quit"] | ["escape"]:
                self.finished = True
                return
            case _:
                return
        self._changed()

    # -- lines

    def start(self) -> Iterator[str]:
        """How this deal begins: trump, who leads, and the hands that can be seen."""
        m, state = self.inner, self.replay.state()
        yield f"Trump is {SUIT_WORDS[state.trump]}, shown by {m.glyphs.card(state.indicator)}. {self.sentence()}"
        yield from self.hands()

    def hands(self) -> Iterator[str]:
        """The hands that can be seen now."""
        seen = self.replay.state(self.watcher)
        for seat in SEATS:
            cards = advice.faces(seen, seen.hands[seat])
            if cards:
                yield f"  {self.inner.name(seat)}: {self.inner.glyphs.cards(cards)}"

    def told(self, *, review: bool = False) -> Iterator[str]:
        """The match from this deal on in lines of text; ``review``: after each deal what the bot would have played."""
        m = self.inner
        yield f"{self.match.name}: {', '.join(self.match.seats)}."
        yield from self.match.notes
        for at in range(self.at, len(self.match.deals)):
            deal = self.match.deals[at]
            self.to_deal(at)
            self.seat_key(self.watcher + 1 if not isinstance(self.watcher, Eye) else 0)
            yield ""
            yield f"Deal {deal.number}, {deal.code}"
            yield from self.start()
            while self.replay.forth():
                self._changed()
                yield f"  {self.sentence()}"
                if self.replay.state().phase is Phase.OVER:
                    break
            yield self.result_text
            if review:
                yield "What the bot would have played:"
                yield from told_review(self.review(), m.glyphs, self.match.seats)


def replay_of(model: Model) -> ReplayModel | None:
    """A replay of the match that this table has just played, at the step that was jumped to, with the eyes of the seat
    that made it. None when that deal was not played out."""
    report, jump = model.match_report, model.jump
    gone_through = report.deals if report is not None else ()
    deals = [(at, gone) for at, gone in enumerate(gone_through) if gone.record is not None]
    if jump is None or jump[0] not in [at for at, _ in deals]:
        return None
    names = tuple(info.name or f"seat {info.seat + 1}" for info in model.view.seats)
    played = tuple(
        PlayedDeal(gone.report.number, gone.record, result=gone.report.result)
        for _, gone in deals if gone.record is not None
    )  # fmt: skip
    replay = ReplayModel(PlayedMatch(model.view.table_name or "Match", names, played), model.settings)
    replay.to_deal([at for at, _ in deals].index(jump[0]))
    replay.replay.seek(jump[1])
    replay.seat_key(replay.replay.record.steps[jump[1]][0] + 1)
    return replay
