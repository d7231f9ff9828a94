"""A table in sentences: what has happened, what is asked. Used by the plain mode."""

from collections.abc import Iterator
from dataclasses import replace

from goat_client.game import advice
from goat_client.game.model import Model
from goat_client.game.people import free_words, heard, new_talk, speaker, stands_in_words
from goat_client.game.review import told as told_review
from goat_client.views.seats import HINTS_OFF
from goat_client.views.seats import asked as asked_in_lobby
from goat_client.views.side import open_points
from goat_engine.cards import points_of
from goat_engine.state import DealState, Phase, Play, PlayKind
from goat_net.seat.tableview import DealReport, Stage, TableView


class Teller:
    """Tells of the table that its model mirrors; every line is a sentence or a few."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def news(self, old: TableView, view: TableView) -> Iterator[str]:
        """What has happened between two views of the table."""
        yield from self.table_news(old, view)
        for talk in heard(new_talk(old, view), self.model.muted):
            yield f"{speaker(talk)} says: {talk.text}"
        before = old.deal if old.deal_number == view.deal_number else None
        if view.deal is not None and view.deal is not before:
            yield from self.deal_news(before, view, len(old.returned) if before is not None else 0)
        if view.stage is Stage.OPENING and old.stage is not Stage.OPENING:
            yield "The deal is over; all cards are opened and checked."
        if len(view.reports) > len(old.reports):
            yield from self.report(view.reports[-1])
        if view.stage is Stage.OVER and old.stage is not Stage.OVER:
            yield from self.finale()

    def table_news(self, old: TableView, view: TableView) -> Iterator[str]:
        """Seats, readiness, who is away, watchers, troubles."""
        if view.stage is not old.stage:
            texts = {Stage.LOBBY: f"Table {view.table_name}.", Stage.STARTING: "The match begins.",
                     Stage.DEALING: f"Deal {view.deal_number}: all four lock the deck."}  # fmt: skip
            if view.stage in texts:
                yield texts[view.stage]
            if view.stage is Stage.LOBBY:
                yield from view.invite
                if not view.hints:
                    yield HINTS_OFF
        if view.stage is Stage.LOBBY:
            for info, was in zip(view.seats, old.seats, strict=True):
                if (info.name, info.taken, info.ready) != (was.name, was.taken, was.ready) or info.bot != was.bot:
                    yield self.seat_line(info.seat)
            yield from self.swap_news(old, view)
            if view.words and view.words != old.words:
                yield f"Table words: {' '.join(view.words)}. The same at everyone means nobody sits in between."
        for info, was in zip(view.seats, old.seats, strict=True):
            if info.away != was.away:
                yield f"{self.model.name(info.seat)} {'is away' if info.away else 'is back'}."
        if view.watchers != old.watchers:
            yield f"Watching: {', '.join(view.watchers) or 'nobody'}."
        if view.trouble and view.trouble != old.trouble:
            yield view.trouble
        if view.host_blame and view.host_blame != old.host_blame:
            yield view.host_blame
        yield from self.absence_news(old, view)
        before = set(free_words(old, "sit"))
        yield from (line for line in free_words(view, "sit") if line not in before)
        if view.link != old.link:
            yield "Connected again." if view.link else "The connection is being made again."
        if view.paused_by != old.paused_by:
            yield f"Paused by {view.paused_by}." if view.paused_by else "Going on."

    def absence_news(self, old: TableView, view: TableView) -> Iterator[str]:
        """Who keeps the table waiting: once when it begins to matter, and at every vote; not each second."""
        names = [self.model.name(s) for s in range(4)]
        before = {a.seat: a for a in old.absences}
        for absence in view.absences:
            was = before.get(absence.seat)
            began = absence.seconds >= advice.TOLD_AFTER and (was is None or was.seconds < advice.TOLD_AFTER)
            changed = was is None or (was.open, was.may_vote, was.left, was.votes) != (
                absence.open, absence.may_vote, absence.left, absence.votes)  # fmt: skip
            if absence.seat == view.me:
                text = advice.own_absence(absence)
                began = bool(text) and (was is None or not advice.own_absence(was))
            else:
                text = advice.absent(absence, names[absence.seat], names, self.model.prompts)
            if text and (began or changed):
                yield text
        stands_in = stands_in_words(view, "An empty line")
        if stands_in and stands_in != stands_in_words(old, "An empty line"):
            yield stands_in

    def swap_news(self, old: TableView, view: TableView) -> Iterator[str]:
        """Who asks whom to swap seats."""
        for info, was in zip(view.seats, old.seats, strict=True):
            if info.seat == view.me == old.me and was.asks is not None and info.asks is None:
                yield "Your request to swap seats has ended."
            if info.asks is None or (info.asks, info.key) == (was.asks, was.key):
                continue
            who = advice.verb(self.model.name(info.seat), "asks")
            if info.asks == view.me:
                yield f"{who} you to swap seats: yes or no."
            else:
                yield f"{who} {self.model.name(info.asks)} to swap seats."

    def seat_line(self, seat: int) -> str:
        """Who sits on a seat."""
        info = self.model.view.seats[seat]
        if not info.taken:
            return f"Seat {seat + 1}: free."
        notes = [f"bot, {info.level}" if info.level else "bot"] if info.bot else []
        notes += [f"run by {info.operator}"] if info.bot and info.operator else []
        notes += ["host"] if info.host else []
        notes += ["ready"] if info.ready else []
        notes += ["known player"] if info.remembered else []
        notes += ["known under ANOTHER key: ask who this is"] if info.changed_key else []
        who = f"{info.name} (you)" if seat == self.model.my_seat else info.name
        return f"Seat {seat + 1}: {who}{': ' + ', '.join(notes) if notes else ''}."

    def deal_news(self, before: DealState | None, view: TableView, returned: int) -> Iterator[str]:
        """What was played since an older state of the same deal."""
        deal, g, m = view.deal, self.model.glyphs, self.model
        assert deal is not None
        if before is None:
            yield (f"Deal {view.deal_number}. {m.name(deal.dealer)} dealt. Trump is {self.suit(deal.trump)}, "
                   f"shown by {g.card(deal.indicator)}. Stock {deal.stock}.")  # fmt: skip
            before = replace(deal, tricks=(), plays=(), hands=((),) * 4)
        if len(view.returned) > returned and deal.claimant is not None:
            who = m.name(deal.claimant)
            yield f"{advice.verb(who, 'claims')} a molodka: the cards go back to the hands."
            before = replace(before, plays=())
        elif deal.phase is Phase.SHOW and before.phase is not Phase.SHOW and deal.claimant is not None:
            yield f"{m.name(deal.claimant)}: molodka!"
        plays = list(deal.plays[len(before.plays) :]) if len(deal.tricks) == len(before.tricks) else []
        for trick in deal.tricks[len(before.tricks) :]:
            yield from (self.play_line(p, deal) for p in trick.plays[len(before.plays) :])
            yield f"{advice.verb(m.name(trick.taker), 'takes')} the trick. Stock {deal.stock}."
            before = replace(before, plays=())
            plays = list(deal.plays)
        yield from (self.play_line(p, deal) for p in plays)

    def play_line(self, play: Play, deal: DealState) -> str:
        """One play."""
        return advice.told(play, deal, self.model.glyphs, self.model.name(play.seat)) + "."

    def suit(self, suit: int) -> str:
        """A suit by its name."""
        return ("spades", "clubs", "diamonds", "hearts")[suit]

    def report(self, report: DealReport) -> Iterator[str]:
        """A finished deal with all its cards."""
        m, g, deal = self.model, self.model.glyphs, report.opened
        yield f"End of deal {report.number}."
        if deal is None:
            yield "The deal is void and is dealt again."
        else:
            for n, trick in enumerate(deal.tricks):
                told = []
                for play in trick.plays:
                    cards = g.cards(advice.faces(deal, play.slots))
                    told.append(f"{m.name(play.seat)} " + (f"({cards})" if play.kind is PlayKind.DISCARD else cards))
                worth = points_of(c for p in trick.plays for c in advice.faces(deal, p.slots))
                yield f"Trick {n + 1}: {'; '.join(told)}. {m.name(trick.taker)} took {worth}."
        if report.result is not None:
            for team in (m.my_team, 1 - m.my_team):
                points, got = report.result.points[team], report.result.defeat[team]
                yield f"{m.team_names(team)}: {points} points" + (f", {got} defeat points." if got else ".")
            if report.result.eggs:
                yield "Eggs! 60 to 60: nobody gets defeat points."
        yield from self.score_lines()
        if report.blame is not None:
            who = m.name(report.blame.seat) if report.blame.seat < 4 else "The host"
            yield f"Proven: {who} cheated (entry {report.blame.entry}): {report.blame.reason}"
        else:
            yield "Checked here card by card: all good." if report.audited else "Being checked."

    def score_lines(self) -> Iterator[str]:
        """Defeat points and what is known of the deal."""
        m, match, deal = self.model, self.model.view.match, self.model.deal
        if match is None:
            yield "No match yet."
            return
        both = [f"{m.team_names(t)} {match.defeat[t]}" for t in (m.my_team, 1 - m.my_team)]
        yield f"Defeat points: {'; '.join(both)}. {m.view.rules.target} make the goat."
        if deal is not None and deal.phase is not Phase.OVER:
            points, ours = open_points(deal), m.my_team
            yield (f"Tricks {deal.taken(ours)} to {deal.taken(1 - ours)}, points seen {points[ours]} to "
                   f"{points[1 - ours]}, stock {deal.stock}.")  # fmt: skip

    def finale(self) -> Iterator[str]:
        """Who is the goat."""
        m, match = self.model, self.model.view.match
        if match is not None and m.goat is not None:
            names = m.team_names(m.goat).replace(", ", " and ")
            yield f"The match is over: {names} are the goat{' with eggs' if match.with_eggs else ''}!"
            if m.my_seat is not None:
                yield "Next time, then." if m.goat == m.my_team else "You have won the match!"

    def asking(self) -> Iterator[str]:
        """What is asked of the person now, with the hand."""
        m, v, sv = self.model, self.model.view, self.model.seat_view
        if v.stage is Stage.CLOSED:
            yield "The table is closed. An empty line goes on."  # why has been said, when it was news
        elif v.stage is Stage.LOBBY:
            yield asked_in_lobby(m).replace("Enter", "An empty line").replace("1-4", "sit 1 to sit 4").replace(
                "S (or An empty line)", "An empty line").replace("A steps the marked seat through bots, X removes.",
                                                               "bot 2 hard seats a bot.")  # fmt: skip
        elif v.stage in (Stage.BETWEEN, Stage.OVER):
            yield f"An empty line {'goes on' if v.stage is Stage.BETWEEN else 'plays again'}, q leaves."
        elif sv is not None and v.stage is Stage.PLAY:
            yield "Your cards: " + ", ".join(f"{n + 1} {m.glyphs.card(c)}" for n, (_, c) in enumerate(m.hand)) + "."
            if m.may_claim:
                yield self.molodka()
            if m.on_turn:
                why = m.reasons()
                can = any(not r for r in why.values())
                yield f"Your turn: {advice.asked(sv, m.glyphs, can_beat=can)}."
                if can and any(why.values()):
                    good = ", ".join(str(n + 1) for n, (s, _) in enumerate(m.hand) if not why[s])
                    yield f"Cards that can take part in a beat: {good}."

    def molodka(self) -> str:
        """That four cards of one suit can be led, in turn or out of it (R15)."""
        return "You hold a molodka: m leads all four."

    def last(self) -> Iterator[str]:
        """The last trick; face-down cards are only counted (R11)."""
        deal = self.model.last_deal
        if deal is None or not deal.tricks:
            yield "No trick has been taken in this deal yet."
            return
        yield from (self.play_line(p, deal) for p in deal.tricks[-1].plays)
        yield f"{advice.verb(self.model.name(deal.tricks[-1].taker), 'took')} it."

    def review(self) -> Iterator[str]:
        """What the bot would have played in the deal that has just ended."""
        m = self.model
        if not m.settings.hints:
            yield "Hints are off in your settings: set hints yes."
            return
        review = m.go_through()
        if review is None:
            yield "A review is for the end of a deal."
            return
        yield from told_review(review, m.glyphs, [m.name(s) for s in range(4)])

    def log(self) -> Iterator[str]:
        """All plays of this deal."""
        deal = self.model.last_deal
        if deal is None:
            yield "No deal yet."
            return
        for n, trick in enumerate(deal.tricks):
            yield f"Trick {n + 1}:"
            yield from ("  " + self.play_line(p, deal) for p in trick.plays)
            yield f"  {self.model.name(trick.taker)} took it."
        yield from (self.play_line(p, deal) for p in deal.plays)
