"""Answers by lines: what is asked of the person, what lies on the table, who is who, what was, what the rules say.

Every line is a sentence or a few, what matters most first. Cards have the numbers of `goat_client.lines.cards.Places`.
"""

from collections.abc import Iterator

from goat_client.game import advice, narration, rulebook
from goat_client.game.choice import forced
from goat_client.game.model import Model
from goat_client.game.narration import leads, listed, play_line, team
from goat_client.game.review import told as told_review
from goat_client.lines.cards import Places
from goat_client.lines.telling_people import PeopleTeller
from goat_client.machine.glyphs import SUIT_WORDS
from goat_client.views.side import open_points
from goat_engine.actions import Discard
from goat_engine.cards import points_of
from goat_engine.state import DealState, Phase, PlayKind
from goat_engine.view import SeatView
from goat_net.seat.tableview import DealReport, Returned, Stage, TurnClock


class Teller:
    """Tells of the table that its model mirrors; ``places``: the numbers of the cards in the hand."""

    def __init__(self, model: Model, places: Places) -> None:
        self.model, self.places = model, places
        self.people = PeopleTeller(model)

    # -- a turn

    def asking(self) -> Iterator[str]:
        """What is asked of the person now."""
        m, v = self.model, self.model.view
        if v.stage is Stage.CLOSED:
            yield "The table is closed. An empty line goes on."  # why has been said, when it was news
        elif v.stage is Stage.LOBBY:
            yield from self.people.lobby()
        elif v.stage is Stage.OVER and m.goat is None:
            yield "The match goes on in a moment, under other seats."
        elif v.stage is Stage.OVER and v.me is None:
            yield "An empty line shows who sits where, q leaves."
        elif v.stage is Stage.OVER:
            yield "An empty line plays again, q leaves."
        elif v.stage is Stage.BETWEEN:
            void = bool(v.reports) and v.reports[-1].opened is None
            yield f"An empty line {'deals it again' if void else 'goes on'}. review and tricks look back, q leaves."
        elif m.on_turn and m.seat_view is not None:
            yield self.your_turn(m.seat_view)

    def your_turn(self, sv: SeatView) -> str:
        """What the person is to do, and what must be beaten."""
        m, deal, words = self.model, sv.deal, ""
        if deal.phase is Phase.SHOW:
            return "Your molodka is on its way to the table."
        if deal.phase is Phase.ASK:
            return "Your turn: m takes the lead over with your own molodka, y lets theirs stand."
        only = forced(sv)
        if only is not None:
            words = f" {m.prompts.forced_discard if isinstance(only, Discard) else m.prompts.forced_play}"
        clock = f" {advice.clock_text(m.view.clock).capitalize()}." if m.view.clock is not None else ""
        if deal.phase is Phase.LEAD:
            most = deal.hand_size(sv.seat)
            claim = ", or m for your molodka" if m.leads_molodka else ""
            what = "lead your last card" if most == 1 else f"lead 1 to {most} cards of one suit{claim}"
            return f"Your turn: {what}.{words}{clock}"
        count, top = advice.count_words(m.needed), self.top(deal)
        why = m.reasons()
        if all(why.values()):
            return f"Your turn: discard {count}. Nothing of yours beats {top}.{words}{clock}"
        comma = "," if "," in top.rpartition(" of ")[2] else ""  # after a name with "your partner"
        return f"Your turn: beat {top}{comma} with {count}, or discard {m.needed}.{words}{clock}"

    def able(self) -> Iterator[str]:
        """Which cards can take part in a beat, where not all can."""
        why = self.model.reasons()
        can = [str(self.places.number(s)) for s, _ in self.model.hand if not why.get(s)]
        if why and can and any(why.values()):
            yield f"{'Card' if len(can) == 1 else 'Cards'} {listed(sorted(can))} can take part in a beat."

    def top(self, deal: DealState) -> str:
        """The cards that are to be beaten, and whose they are."""
        m, play = self.model, deal.top
        assert play is not None
        whose = m.name(play.seat)
        if play.seat == m.my_seat:
            whose = "you"
        elif m.my_seat is not None and (play.seat - m.my_seat) % 4 == 2:
            whose = f"{whose}, your partner,"
        return f"{m.glyphs.cards(advice.faces(deal, play.slots))} of {whose}".removesuffix(",")

    def hand(self) -> str:
        """One's own cards by their numbers."""
        m = self.model
        cards = [f"{n}: {m.glyphs.card(c)}" for n, _, c in self.places.ordered(m.hand)]
        return f"Your cards: {', '.join(cards)}." if cards else "You hold no cards."

    def molodka(self) -> str:
        """That four cards of one suit can be led, in turn or out of it (R15)."""
        return "You hold a molodka: m leads all four."

    def cards(self) -> Iterator[str]:
        """The hand, and what is asked."""
        m = self.model
        if m.seat_view is not None and m.view.stage is Stage.PLAY:
            yield self.hand()
            if m.may_claim and not m.on_turn:
                yield self.molodka()
        yield from self.asking()
        if m.on_turn:
            yield from self.able()

    def why(self) -> Iterator[str]:
        """Why cards can't take part in a beat."""
        m, some = self.model, False
        why = m.reasons()
        for number, slot, _ in self.places.ordered(m.hand):
            if why.get(slot):
                some = True
                yield f"{number}: {why[slot]}."
        if not some:
            yield "All your cards can take part in a beat." if why else "There is nothing for you to beat now."

    # -- what is on the table

    def turn(self) -> Iterator[str]:
        """Whose turn it is, what they must do, and how long they have."""
        m, v, deal = self.model, self.model.view, self.model.deal
        if v.paused_by:
            yield m.prompts.paused.format(name=v.paused_by)
        if deal is None or deal.turn is None or v.stage is not Stage.PLAY:
            yield from self.asking()
            return
        if m.on_turn:
            yield from self.asking()
        elif deal.phase is Phase.LEAD:
            yield f"{leads(m, deal.turn).capitalize() if deal.turn == m.my_seat else leads(m, deal.turn)}."
        elif deal.phase in (Phase.ASK, Phase.SHOW):
            claimant = m.name(deal.claimant if deal.claimant is not None else deal.turn)
            yield f"{advice.verb(claimant, 'claims')} a molodka; it is asked whether somebody takes it over."
        else:
            yield f"{advice.verb(m.name(deal.turn), 'answers')}: to beat is {self.top(deal)}."
        if not m.on_turn and v.clock is not None:
            yield from self.clock()

    def clock(self) -> Iterator[str]:
        """The turn clock."""
        m, v = self.model, self.model.view
        base, more = v.turn_clock
        if v.clock is not None:
            yield f"{m.name(v.clock.seat)}: {advice.clock_text(v.clock)}."
        elif base:
            yield f"A turn has {base} s, and a deal {more} s of reserve for each."
        else:
            yield "There is no turn clock at this table."

    def trump(self) -> Iterator[str]:
        """Trump and stock."""
        deal = self.model.last_deal
        if deal is None:
            yield "No deal yet."
        else:
            card = self.model.glyphs.card(deal.indicator)
            yield f"Trump is {SUIT_WORDS[deal.trump]}, shown by {card}. Stock {deal.stock}."

    def dealer(self) -> Iterator[str]:
        """Who dealt, and who deals next."""
        m, deal = self.model, self.model.last_deal
        if deal is None:
            yield "No deal yet."
            return
        after = m.name((deal.dealer + 1) % 4)
        yield f"{m.name(deal.dealer)} dealt. {advice.verb(after, 'deals')} next."

    def lead(self) -> Iterator[str]:
        """Who leads, or has led, this trick."""
        m, deal = self.model, self.model.deal
        if deal is None:
            yield "No deal is on."
        elif deal.leader is not None:
            yield f"{m.name(deal.leader)} led this trick."
        else:
            text = leads(m, deal.entitled)
            yield f"{text[:1].upper()}{text[1:]} this trick."

    def trick(self) -> Iterator[str]:
        """What lies on the table."""
        deal = self.model.deal
        if deal is None:
            yield "No deal is on."
        elif not deal.plays:
            yield "Nothing lies on the table."
            yield from self.lead()
        else:
            yield from (play_line(self.model, p, deal) for p in deal.plays)
            yield f"To beat is {self.top(deal)}."

    def last(self) -> Iterator[str]:
        """The last trick; face-down cards are only counted (R11)."""
        deal = self.model.last_deal
        if deal is None or not deal.tricks:
            yield "No trick has been taken in this deal yet."
            return
        yield from (play_line(self.model, p, deal) for p in deal.tricks[-1].plays)
        yield f"{self.model.name(deal.tricks[-1].taker)} took it."

    def log(self) -> Iterator[str]:
        """All plays of this deal, with those that a molodka sent back."""
        deal = self.model.last_deal
        if deal is None:
            yield "No deal yet."
            return
        for n, trick in enumerate(deal.tricks):
            yield f"Trick {n + 1}:"
            yield from self._went_back(n, deal)
            yield from ("  " + play_line(self.model, p, deal) for p in trick.plays)
            yield f"  {self.model.name(trick.taker)} took it."
        if deal.phase is not Phase.OVER:
            yield f"Trick {len(deal.tricks) + 1}:"
            yield from self._went_back(len(deal.tricks), deal)
            yield from ("  " + play_line(self.model, p, deal) for p in deal.plays)

    def _went_back(self, trick: int, deal: DealState) -> Iterator[str]:
        number, returned = self.model.went_back
        backs: tuple[Returned, ...] = returned if number == self._deal_number() else ()
        for back in backs:
            if back.trick == trick:
                for play in back.plays:
                    told = advice.told(play, deal, self.model.glyphs, self.model.name(play.seat))
                    yield f"  {told}, taken back for a molodka."

    def _deal_number(self) -> int:
        v = self.model.view
        return v.deal_number if v.deal is not None or not v.reports else v.reports[-1].number

    # -- score

    def score_lines(self) -> Iterator[str]:
        """Defeat points and what is known of the deal."""
        m, match, deal = self.model, self.model.view.match, self.model.deal
        if match is None:
            yield "No match yet."
            return
        both = [f"{team(m, t)} {match.defeat[t]}" for t in (m.my_team, 1 - m.my_team)]
        yield f"Defeat points: {'; '.join(both)}. {m.view.rules.target} make the goat."
        if deal is not None and deal.phase is not Phase.OVER:
            points, ours = open_points(deal), m.my_team
            yield (f"Tricks {deal.taken(ours)} to {deal.taken(1 - ours)}, points seen {points[ours]} to "
                   f"{points[1 - ours]}, stock {deal.stock}.")  # fmt: skip

    def earlier(self) -> Iterator[str]:
        """The points of the deals of this match that are over."""
        reports = self.model.view.reports
        if not reports:
            yield "No deal of this match is over yet."
        for report in reports:
            yield f"Deal {report.number}. {' '.join(narration.verdict(self.model, report))}"

    def report(self, report: DealReport) -> Iterator[str]:
        """A deal that has ended: its result, the score, whether it was checked."""
        yield f"End of deal {report.number}."
        yield from narration.verdict(self.model, report)
        yield from self.score_lines()
        if report.blame is None:
            yield "Checked here card by card: all good." if report.audited else "Being checked."

    def tricks(self) -> Iterator[str]:
        """The last deal with all cards open."""
        m = self.model
        deal = m.view.reports[-1].opened if m.view.reports else None
        if deal is None:
            yield "No deal has been opened yet."
            return
        yield f"Deal {m.view.reports[-1].number}, all cards open; face down were those in brackets."
        for n, trick in enumerate(deal.tricks):
            told = []
            for play in trick.plays:
                cards = m.glyphs.cards(advice.faces(deal, play.slots))
                told.append(f"{m.name(play.seat)} " + (f"({cards})" if play.kind is PlayKind.DISCARD else cards))
            worth = points_of(c for p in trick.plays for c in advice.faces(deal, p.slots))
            yield f"Trick {n + 1}: {'; '.join(told)}. {m.name(trick.taker)} took {worth}."

    def review(self) -> Iterator[str]:
        """What the bot would have played in the deal that has just ended."""
        m = self.model
        if not m.settings.hints:
            yield m.prompts.hints_off
            return
        review = m.go_through()
        if review is None:
            yield "A review is for the end of a deal."
            return
        yield from told_review(review, m.glyphs, [m.name(s) for s in range(4)])

    # -- rules

    def rules(self, *, whole: bool) -> Iterator[str]:
        """The rules: all, or those for what is on the table."""
        m, here = self.model, rulebook.section_for(self.model)
        for section in rulebook.SECTIONS:
            if whole or section.key == here:
                yield section.title
                yield from rulebook.lines_of(section, m.view, m.prompts)
        if whole:
            yield from rulebook.house(m.view, m.prompts)


def warned(clock: TurnClock | None, before: TurnClock | None, seat: int | None) -> str:
    """What is said of one's own turn clock as it runs: at half a minute, at ten and at five seconds; or ""."""
    if clock is None or before is None or clock.seat != seat or before.seat != seat or clock.stands:
        return ""
    passed = [mark for mark in (30, 10, 5) if clock.left <= mark < before.left]
    return f"{passed[-1]} seconds left." if passed else ""
