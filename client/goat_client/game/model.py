"""What one screen knows: a mirror of the table, the person's selection, and what is held on view.

No widget, no terminal, no clock: whoever calls gives ``now`` in seconds of any steady clock. The full screen and the
plain mode are both drawn from this.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from goat_client.game.advice import reasons
from goat_client.game.choice import fitted, laid_back
from goat_client.game.events import Events
from goat_client.game.keys import HELP
from goat_client.game.line_edit import LineEdit
from goat_client.game.match_report import MatchReport
from goat_client.game.moment import Page, Turn, turn_of, words_are_new, words_to_read
from goat_client.game.people import heard, new_talk
from goat_client.game.prompts import KEYS, Prompts
from goat_client.game.review import Review, review_of
from goat_client.machine.glyphs import UNICODE, Glyphs
from goat_client.machine.settings import Settings
from goat_engine.actions import Slot
from goat_engine.cards import Card
from goat_engine.rules import HAND_SIZE, Seat
from goat_engine.state import DealState, Phase, Trick
from goat_engine.view import SeatView
from goat_net.seat.tableview import DealReport, Returned, Stage, TableView, Talk

SETTLE: Final = 0.15
"""Seconds a turn must have been on the screen before a key can play in it: nobody answers sooner to what they see,
so a sooner key was meant for something else."""
HOLD_LEAST: Final = 0.35
"""Seconds for which no key sends a closed trick away, so that a held-down Enter doesn't."""
NOTICE_TIME: Final = 6.0


@dataclass
class Model:
    """See the module. ``chosen``: own slots, in the order they were chosen. ``cursor``: a place in the sorted hand.
    ``held``: a closed trick still on view. ``fresh``: cards drawn after the last trick. ``scroll``: of a page.
    ``third_person``: call oneself by name (replays).
    ``went_back``: number of the deal on the table, and what went back to hands in it. ``review``: of the last deal.
    ``coach``: what a lesson says now. ``open_hands``: show every hand whose cards are known here (replays).
    ``armed_vote``: a vote that was asked about and waits for a second key; ``armed_seen``: the question has been drawn.
    ``seen_page``, ``seen_hint``: the page and the hint that were on the screen at the last drawing.
    ``events``: what has happened beside the cards. ``words_seen``: the table words that were offered to be read aloud.
    ``match_report``: of the match that is over, once it was asked for; ``mistake``: a place in its list; ``jump``: the
    deal (by its place in the match) and the step that are looked at in a replay over the table.
    ``place``: where this is, in words, when it is no table; ``help``: its keys (`goat_client.game.keys`).
    ``scrolls``: the page that was drawn last is longer than its window.
    ``muted``: whom the person does not want to hear, by key, with the name they had. ``person``: a place in the list of
    those who can be muted."""

    settings: Settings = field(default_factory=Settings)
    glyphs: Glyphs = UNICODE
    prompts: Prompts = KEYS
    view: TableView = field(default_factory=TableView)
    chosen: list[Slot] = field(default_factory=list)
    cursor: int = 0
    held: Trick | None = None
    held_since: float = 0.0
    fresh: frozenset[Slot] = frozenset()
    page: Page = Page.NONE
    scroll: int = 0
    edit: LineEdit | None = None
    notice: str = ""
    notice_until: float = 0.0
    notice_holds: Callable[[], bool] | None = None
    turn_seen: float | None = None
    reminded: Turn | None = None
    armed: tuple[str, Turn] | None = None
    armed_vote: object = None
    armed_seen: bool = False
    seen_page: Page = Page.NONE
    seen_hint: str = ""
    report_since: float | None = None
    report_all: bool = False
    finale: bool = False
    option: int = 0
    seat_cursor: int = 0
    unread: int = 0
    log_alarm: bool = False
    hint: str = ""
    coach: str = ""
    went_back: tuple[int, tuple[Returned, ...]] = (0, ())
    review: Review | None = None
    third_person: bool = False
    open_hands: bool = False
    muted: dict[bytes, str] = field(default_factory=dict)
    events: Events = field(default_factory=Events)
    words_seen: tuple[str, ...] = ()
    place: str = ""
    help: tuple[tuple[str, str], ...] = HELP
    scrolls: bool = False
    match_report: MatchReport | None = None
    mistake: int = 0
    jump: tuple[int, int] | None = None
    person: int = 0

    # -- what comes from the table

    def update(self, view: TableView, now: float) -> None:
        """Take a new view of the table."""
        old, self.view = self.view, view
        self.events.take(old, view)
        self._read_aloud()
        if view.me is not None and view.me != old.me:
            self.seat_cursor = view.me
        if turn_of(old) != turn_of(view) or old.stage is not view.stage:
            self._new_turn(old, view, now)
        self._still_true()
        if view.deal is not None:
            self.went_back = (view.deal_number, view.returned)
        if self.page is not Page.TALK:
            new = heard(new_talk(old, view), self.muted)
            self.unread += sum(1 for line in new if line.seat != view.me or line.seat is None)
        if len(view.reports) > len(old.reports):
            self.report_since, self.report_all, self.finale, self.review = None, False, False, None
        self._keep_chosen(now)
        self.cursor = min(self.cursor, max(0, len(self.hand) - 1))

    def _new_turn(self, old: TableView, view: TableView, now: float) -> None:
        self.armed, self.turn_seen, self.hint = None, None, ""
        if old.deal_number != view.deal_number:
            self.chosen.clear()
        before, after = old.deal, view.deal
        if after is None:
            self.held, self.fresh = None, frozenset()
            return
        same = before is not None and old.deal_number == view.deal_number
        closed = len(after.tricks) > (len(before.tricks) if before is not None and same else 0)
        if closed and before is not None and same:
            self.held, self.held_since = after.tricks[-1], now
            if view.me is not None:
                self.fresh = frozenset(after.hands[view.me]) - frozenset(before.hands[view.me])
        elif not same:
            self.held, self.fresh, self.cursor = None, frozenset(), 0
        elif after.plays and self.my_seat is not None and any(p.seat == self.my_seat for p in after.plays):
            self.fresh = frozenset()
        if same and len(view.returned) > len(old.returned):
            self.held = None
            who = self.name(view.deal.claimant) if view.deal and view.deal.claimant is not None else "Someone"
            self.tell(f"{who}: molodka! The cards on the table went back to the hands.", now)

    def _read_aloud(self) -> None:
        """Open the page of the table words once for each match with other people, as it begins."""
        if not words_are_new(self.view, self.words_seen):
            return
        self.words_seen = self.view.words
        if words_to_read(self.view) and self.edit is None:
            self.page = self.page or Page.WORDS

    def _keep_chosen(self, now: float) -> None:
        """What was chosen stays so while it can be what is asked; what is laid back is said."""
        cards = dict(self.hand)
        needed = self.needed if self.held is None else 0
        self.chosen, back = fitted(self.chosen, cards, leads=self.to_lead, needed=needed)
        if back:
            self.tell(laid_back(back, cards, self.glyphs, needed=needed), now)

    def _still_true(self) -> None:
        """A sentence that is not true any more goes."""
        if self.notice and self.notice_holds is not None and not self.notice_holds():
            self.notice = ""

    # -- time

    def tick(self, now: float) -> float | None:
        """Let go what is over by ``now``; gives the time of the next change, or None."""
        wake: list[float] = []
        if self.held is not None:
            until = self.held_since + self.settings.hold
            if now >= until:
                self.held = None
            else:
                wake.append(until)
        self._still_true()
        if self.notice:
            if now >= self.notice_until:
                self.notice = ""
            else:
                wake.append(self.notice_until)
        if self.report_due and self.report_since is None:
            self.report_since = now
        if self.report_due and not self.report_done(now):
            wake.append(now + max(0.05, self.settings.reveal / 2))
        return min(wake, default=None)

    def seen(self, now: float) -> None:
        """The screen as it is now has been drawn: its turn, its page, its question."""
        self.seen_page, self.armed_seen, self.seen_hint = self.page, True, self.hint
        if self.turn_seen is None and self.held is None:
            self.turn_seen = now

    def settled(self, now: float) -> bool:
        """Whether the present turn has been on the screen long enough for a key to mean it."""
        return self.held is None and self.turn_seen is not None and now - self.turn_seen >= SETTLE

    def go_on(self, now: float) -> bool:
        """Any key: a trick on view goes away, and the key has done its work. False when there was none."""
        if self.held is None:
            return False
        if now - self.held_since >= HOLD_LEAST:
            self.held = None
        return True

    def tell(self, text: str, now: float, holds: Callable[[], bool] | None = None) -> None:
        """Show one sentence for a while, and no longer than it ``holds``."""
        self.notice, self.notice_until, self.notice_holds = text, now + NOTICE_TIME, holds

    def tell_of_turn(self, text: str, now: float) -> None:
        """Show a sentence about this very moment: it goes when another turn comes, or a pause begins or ends."""

        def moment() -> object:
            return turn_of(self.view), self.on_turn, self.view.paused_by, self.view.pending is None

        then = moment()
        self.tell(text, now, lambda: moment() == then)

    # -- who and what

    @property
    def my_seat(self) -> Seat | None:
        """Own seat; None for a watcher."""
        return self.view.me

    @property
    def bottom(self) -> Seat:
        """The seat drawn at the bottom: one's own, or seat 0 for a watcher."""
        return self.view.me if self.view.me is not None else 0

    @property
    def deal(self) -> DealState | None:
        """The deal on the table."""
        return self.view.deal

    @property
    def last_deal(self) -> DealState | None:
        """The deal that is on, or after its end the one that was opened last: what the log of plays is about."""
        return self.deal or (self.view.reports[-1].opened if self.view.reports else None)

    @property
    def seat_view(self) -> SeatView | None:
        """What a bot would see from here."""
        return self.view.seat_view

    @property
    def hand(self) -> tuple[tuple[Slot, Card], ...]:
        """Own cards as (slot, card), trump last."""
        return self.seat_view.hand if self.seat_view is not None else ()

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Own slots in the order of the hand."""
        return tuple(s for s, _ in self.hand)

    def name(self, seat: Seat) -> str:
        """What a seat is called here: ``You`` for one's own."""
        if seat == self.view.me and not self.third_person:
            return "You"
        info = self.view.seats[seat]
        return info.name or f"seat {seat + 1}"

    def team_names(self, team: int) -> str:
        """Both names of a team, one's own first."""
        seats = [s for s in (self.bottom, self.bottom + 1, self.bottom + 2, self.bottom + 3) if s % 2 == team]
        return ", ".join(self.name(s % 4) for s in seats)

    @property
    def my_team(self) -> int:
        """Own team, or that of the bottom seat."""
        return self.bottom % 2

    # -- turns

    @property
    def on_turn(self) -> bool:
        """Whether the table waits for this person and an action could go out."""
        v, sv = self.view, self.seat_view
        if sv is None or v.stage is not Stage.PLAY or v.pending is not None or v.paused_by or self.held is not None:
            return False
        return sv.owes and (v.may_act or sv.deal.phase is not Phase.LEAD)

    @property
    def may_claim(self) -> bool:
        """Whether M claims a molodka now. The entitled leader leads all four instead (R17, R18)."""
        sv = self.seat_view
        if sv is None or self.view.stage is not Stage.PLAY or self.view.pending is not None:
            return False
        return sv.may_claim or self.leads_molodka

    @property
    def leads_molodka(self) -> bool:
        """Whether this seat is to lead and holds four of one suit (R18)."""
        sv = self.seat_view
        return sv is not None and sv.owes and sv.deal.phase is Phase.LEAD and bool(sv.molodka)

    @property
    def to_lead(self) -> bool:
        """Whether a lead is asked of this person, or will be once the trick on view is gone."""
        sv = self.seat_view
        return sv is not None and sv.owes and sv.deal.phase is Phase.LEAD

    @property
    def needed(self) -> int:
        """How many cards an answer takes; 0 when a lead is asked."""
        deal = self.deal
        return len(deal.plays[0].slots) if deal is not None and deal.plays else 0

    def reasons(self) -> dict[Slot, str]:
        """Why a card can't take part in a beat; see `goat_client.game.advice.reasons`."""
        return reasons(self.seat_view, self.glyphs) if self.seat_view is not None and self.held is None else {}

    # -- selection

    def toggle(self, place: int) -> str:
        """Choose or lay back the card at a place of the hand; gives a word about it, or "". Cards may be chosen before
        one's turn, as many as one likes; see `goat_client.game.choice`."""
        if not 0 <= place < len(self.hand):
            return ""
        slot, _ = self.hand[place]
        self.cursor, self.armed = place, None
        if slot in self.chosen:
            self.chosen.remove(slot)
            return ""
        cards, needed = dict(self.hand), self.needed if self.held is None else 0
        self.chosen, back = fitted([*self.chosen, slot], cards, leads=self.to_lead, needed=needed)
        if back and needed != 1:  # of a single card it is plain to see
            return laid_back(back, cards, self.glyphs, needed=needed)
        why = self.reasons()
        return why.get(slot, "") if not all(why.values()) else ""

    def clear(self) -> bool:
        """Lay all chosen cards back; False when there were none."""
        some, self.armed = bool(self.chosen), None
        self.chosen.clear()
        return some

    def breaks_molodka(self, slots: Sequence[Slot]) -> bool:
        """Whether playing these cards would break up a molodka that could be led now."""
        return self.may_claim and len(slots) < HAND_SIZE

    # -- the deal's end

    @property
    def report(self) -> DealReport | None:
        """The last finished deal while it is what the table is about."""
        if self.view.reports and self.view.stage in (Stage.BETWEEN, Stage.OVER, Stage.CLOSED):
            return self.view.reports[-1]
        return None

    @property
    def report_due(self) -> bool:
        """Whether the end of the deal is on the screen: not before its last trick has been seen."""
        return self.report is not None and self.held is None

    def revealed(self, now: float) -> int:
        """How many tricks of the finished deal are open by now."""
        report = self.report
        if report is None or report.opened is None:
            return 0
        total = len(report.opened.tricks)
        if self.report_all or self.settings.reveal <= 0:
            return total
        if self.report_since is None:
            return 0
        return min(total, int((now - self.report_since) / self.settings.reveal))

    def report_done(self, now: float) -> bool:
        """Whether all of the finished deal is shown."""
        report = self.report
        return report is None or report.opened is None or self.revealed(now) >= len(report.opened.tricks)

    def go_through(self) -> Review | None:
        """See `goat_client.game.review.review_of`; reckoned once, when it is first asked for. None while no deal is
        finished."""
        report = self.report
        if report is not None and self.review is None:
            number, returned = self.went_back
            self.review = review_of(report, self.view, returned if number == report.number else ())
        return self.review if report is not None else None

    @property
    def goat(self) -> int | None:
        """The team that has lost the match."""
        return self.view.match.goat if self.view.match is not None else None

    # -- lobby

    @property
    def talk(self) -> tuple[Talk, ...]:
        """What was said, without those who are muted."""
        return heard(self.view.talk, self.muted)

    @property
    def free_seats(self) -> tuple[Seat, ...]:
        """Before a match: seats nobody has taken, then those whose bot makes room for a person."""
        empty = tuple(s.seat for s in self.view.seats if not s.taken)
        return (*empty, *(s.seat for s in self.view.seats if s.taken and s.free))
