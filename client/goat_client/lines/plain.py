"""Plain mode: a whole game in lines of text, without one escape byte. For screen readers, TERM=dumb and scripts."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Final

from goat_client.game import narration
from goat_client.game.control import CHARGE, Control, End, Outcome
from goat_client.game.model import SETTLE, Model
from goat_client.game.moment import Page
from goat_client.game.people import asking, leaving
from goat_client.game.prompts import LINES
from goat_client.lines import vocabulary
from goat_client.lines.cards import NoCardError, Places, typed
from goat_client.lines.hand_news import HandNews
from goat_client.lines.people_words import PeopleWords
from goat_client.lines.telling import Teller, warned
from goat_client.lines.telling_people import TALK_TOLD
from goat_client.lines.watchers import Watchers
from goat_client.machine.glyphs import Glyphs
from goat_client.machine.settings import OPTIONS, Settings, SettingsError, glyphs_for, with_setting, yes_or_no
from goat_client.machine.text import ascii_fold, safe
from goat_client.views.seats import HINTS_OFF
from goat_engine.state import Phase
from goat_net.seat.tableview import Session, Stage, TableView

LINE_LIMIT: Final = 1000  # characters of a line that is read; a talk line is shorter
ARRIVES: Final = 0.7  # s in which a guest's seat comes after the lobby
Write = Callable[[str], None]


def line_glyphs(settings: Settings) -> Glyphs:
    """The signs of lines: cards in words, unless the person wants others."""
    return replace(glyphs_for(settings), words=settings.suits in ("auto", "words"))


class Plain:
    """Turns views into sentences and lines into commands. No I/O: `write` takes whole lines without their end."""

    def __init__(
        self,
        session: Session,
        settings: Settings,
        write: Write,
        *,
        save: Callable[[Settings], None] | None = None,
        control: type[Control] = Control,
        muted: dict[bytes, str] | None = None,
    ) -> None:
        at_once = replace(settings, hold=0.0, reveal=0.0)
        muted = {} if muted is None else muted
        self.model = Model(settings=at_once, glyphs=line_glyphs(settings), prompts=LINES, muted=muted)
        self.places = Places()
        self.tell = Teller(self.model, self.places)
        self.control = control(session, self.model, save=save)
        self.session, self.settings, self._write, self._save = session, settings, write, save
        self._seen = TableView()
        self._asked: object = None
        self._offered: object = None
        self._hand = HandNews(self.model, self.tell)
        self._question: Callable[[], object] | None = None  # what "yes" does; any other line takes the question back
        self._watch = Watchers()
        self._arriving: float | None = None  # until then a seat may be on its way: one is not asked to choose
        self._people = PeopleWords(session, self.model, self.control, self.say)

    # -- what is said

    def say(self, text: str) -> None:
        """One line; whatever its origin it holds no control character."""
        shown = safe(self.model.glyphs.say(text))
        self._write(ascii_fold(shown) if self.model.glyphs.ascii else shown)

    def say_all(self, lines: Iterable[str]) -> None:
        """Some lines."""
        for line in lines:
            self.say(line)

    def take(self, view: TableView, now: float) -> None:
        """A new view: say what has happened since the last one, and what is asked."""
        old, self._seen = self._seen, view
        self.control.take(view, now)
        self.model.page = Page.NONE  # there are no pages in lines: one that opens by itself would swallow a line unseen
        self.model.tick(now)
        self.model.seen(now)
        if self.control.outcome is not None:
            return  # whoever has left is told nothing more
        if old.stage is Stage.JOINING and view.stage is Stage.LOBBY and view.me is None:
            self._arriving = now + ARRIVES
        self._news(old, view, now)
        if view is not self._seen:
            return  # what was sent on this news has brought newer news, which asks
        self.model.finale = self.model.goat is not None  # lines tell all at once: nothing is to be gone through
        self.model.notice = ""
        self._ask()

    def tick(self, now: float) -> None:
        """Say what only time makes true."""
        if self.control.outcome is not None:
            return
        self.say_all(self._watch.news(self._seen, now))
        if self._arriving is not None and now >= self._arriving:
            self._arriving = None
            self._ask()

    @property
    def deadline(self) -> float | None:
        """When `tick` may have something to say though no view comes."""
        return min((t for t in (self._watch.deadline, self._arriving) if t is not None), default=None)

    def _news(self, old: TableView, view: TableView, now: float) -> None:
        m = self.model
        if view.stage is not old.stage:
            self._stage(old, view)
        self.say_all(narration.people(m, old, view))
        self.say_all(self._watch.news(view, now))
        self.say_all(narration.talk(m, old, view))
        before = old.deal if old.deal_number == view.deal_number else None
        if view.deal is not None and view.deal is not before:
            self.say_all(narration.deal_news(m, before, view, len(old.returned) if before is not None else 0))
        self.say_all(self._hand.news(view))
        if warning := warned(view.clock, old.clock, view.me):
            self.say(warning)
        if view.stage is Stage.OPENING and old.stage is not Stage.OPENING:
            self.say("The deal is over; all cards are opened and checked.")
        if len(view.reports) > len(old.reports):
            self.say_all(self.tell.report(view.reports[-1]))
        if view.stage is Stage.OVER and old.stage is not Stage.OVER:
            self.say_all(narration.finale(m, view))

    def _stage(self, old: TableView, view: TableView) -> None:
        if old.stage is Stage.JOINING and view.stage is not Stage.CLOSED:
            self.say_all(self.tell.people.welcome() if view.stage is Stage.LOBBY else self._late_welcome())
        elif view.stage is Stage.LOBBY:
            self.say(f"Table {view.table_name}: before the next match.")
            self.say_all(self.tell.people.who())
        if view.stage is Stage.LOBBY and not view.hints:
            self.say(HINTS_OFF)
        if view.stage is Stage.STARTING:
            self.say("The match begins.")
        people = [s for s in view.seats if s.taken and not s.bot and s.seat != view.me]
        if view.words and view.words != old.words and people:
            self.say_all(self.tell.people.table_words())
        if view.stage is Stage.DEALING and old.stage is not Stage.DEALING:
            self.say("All four lock the deck.")

    def _late_welcome(self) -> Iterable[str]:
        """To somebody who comes in the middle of a match, or comes back."""
        yield f"Table {self.model.view.table_name}. help lists the words."
        yield from self.tell.people.who()
        yield from self.tell.score_lines()

    # -- what is asked

    @property
    def waiting(self) -> bool:
        """Whether a line of the person's is what the table waits for."""
        m, v = self.model, self.model.view
        if self.control.outcome is not None or v.stage is Stage.CLOSED:
            return True
        if v.stage is Stage.LOBBY:
            if v.me is None and self._arriving is not None:
                return False
            return not asking(v)  # who asks to swap seats has been told with the question
        if v.stage is Stage.OVER and m.goat is None:
            return False  # it goes on under other seats
        if v.stage in (Stage.BETWEEN, Stage.OVER):
            return v.me not in v.ready if v.me is not None else v.stage is Stage.OVER
        sv = m.seat_view
        if m.coach and m.may_claim and m.deal is not None and m.deal.plays:
            return True  # in a lesson the others wait for the claim
        if not m.on_turn or sv is None or sv.deal.phase is Phase.SHOW:
            return False  # the cards of a claim go out by themselves
        return sv.deal.phase is not Phase.ASK or m.may_claim

    def _ask(self) -> None:
        """Say what is asked, once for each turn; a molodka that can be led out of turn, once for each trick."""
        m, v, deal = self.model, self.model.view, self.model.deal
        claim = (v.deal_number, deal and len(deal.tricks), m.seat_view and m.seat_view.molodka)
        if m.may_claim and not m.on_turn and claim != self._offered:
            self._offered = claim
            self.say(self.tell.molodka())
        what: object = (v.stage, v.me, v.deal_number, deal and (len(deal.tricks), len(deal.plays), len(v.returned),
                                                                deal.phase, m.on_turn))  # fmt: skip
        if v.stage is Stage.LOBBY:
            what = tuple(self.tell.people.lobby())
        if what == self._asked or not self.waiting:
            return
        self._asked = what
        self.say_all(self.tell.asking())
        if m.on_turn and deal is not None:
            self.say_all(self._hand.at_turn())
            self.say_all(self.tell.able())
        self.say_all(m.coach.splitlines())

    # -- what is typed

    def line(self, text: str, now: float) -> None:
        """Carry out one line."""
        words = safe(text[:LINE_LIMIT]).split()
        question, self._question = self._question, None
        if question is not None and words in (["y"], ["yes"]):
            question()
        elif question is not None and words in ([], ["n"], ["no"]):
            self.say("No, then.")
        elif not words:
            self.control.do("enter", now)
        else:
            self._command(words[0], words[1:], now)
        self.model.tick(now)
        if self.model.notice:
            self.say(self.model.notice)
            self.model.notice = ""

    def _command(self, first: str, rest: list[str], now: float) -> None:
        word = vocabulary.meaning(first)
        if word == "lead" and rest:
            word = "beat"
        if self._people.carry_out(word, rest, now):
            return
        match word:
            case "":
                self._cards([first, *rest], now, up=True)
            case "beat" | "discard":
                self._cards(rest, now, up=word == "beat")
            case "y" if self.control.accept():
                self.say("You accept it.")
            case "molodka" | "y":
                if not (self.control.molodka if word == "molodka" else self.control.let_stand)(now):
                    self._too_soon(now, "That can't be done now.")
            case "q":
                self._leave()
            case "wait" | "excuse" | "charge":
                self._vote(("wait", "excuse", "charge").index(word), now)
            case "pause":
                self.session.pause(not self.model.view.paused_by)
            case "hint":
                self._hint(now)
            case "set":
                self._set(rest)
            case _:
                self._answer(word, rest)

    def _answer(self, word: str, rest: list[str]) -> None:
        """Questions that are answered by lines."""
        tell = self.tell
        answers: dict[str, Callable[[], Iterable[str]]] = {
            "cards": tell.cards, "turn": tell.turn, "trick": tell.trick, "trump": tell.trump, "dealer": tell.dealer,
            "lead": tell.lead, "last": tell.last, "log": tell.log, "why": tell.why, "who": tell.people.who,
            "partner": tell.people.partner, "away": tell.people.away, "clock": tell.clock, "score": tell.score_lines,
            "points": tell.earlier, "tricks": tell.tricks, "review": tell.review, "words": tell.people.table_words,
            "rules": partial(tell.rules, whole=True), "?": partial(tell.rules, whole=False),
            "help": partial(vocabulary.help_lines, self.model.view.stage),
        }  # fmt: skip
        if word == "talk":
            count = int(rest[0][:4]) if rest and rest[0].isdecimal() else 0
            self.say_all(tell.people.talk(count or TALK_TOLD))
        elif word in answers:
            self.say_all(answers[word]())
        else:
            self.say("That can't be done now. help lists what can.")

    def _hint(self, now: float) -> None:
        m = self.model
        if m.report_due:
            self.say_all(self.tell.review())
            return
        self.control.hint(now)
        if m.hint:
            self.say(m.hint)
            m.clear()
            m.hint = ""

    def _leave(self) -> None:
        """Leave the table; in a match with other people that may cost points, so it asks first."""
        question = leaving(self.model.view)
        if question:
            self._question = self._left
            self.say(f"{question} yes leaves, no stays.")
        else:
            self._left()

    def _left(self) -> None:
        self.control.outcome = Outcome(End.LEFT)

    def _vote(self, choice: int, now: float) -> None:
        """Say what is to be done about who is away; what costs a team points asks first."""
        gone = next((a for a in self.model.view.absences if a.may_vote), None)
        if choice == CHARGE and gone is not None:
            self._question = partial(self.control.vote, choice, now)
            self.say(LINES.charge.format(name=self.model.name(gone.seat), cost=gone.cost))
        else:
            self.control.vote(choice, now)

    def _cards(self, words: list[str], now: float, *, up: bool) -> None:
        m = self.model
        try:
            slots = typed(words, self.places, m.hand)
        except NoCardError as error:
            known = any(vocabulary.meaning(w) for w in words) or m.seat_view is None
            self.say("That is no word here. help lists them." if up and known else str(error))
            return
        if m.view.stage is not Stage.PLAY:
            self.say("No cards are played now.")
            return
        m.chosen[:] = slots
        if not (self.control.play_up if up else self.control.play_down)(slots, now):
            self._too_soon(now)

    def _too_soon(self, now: float, else_say: str = "") -> None:
        """A line that did nothing and was given no reason came before its turn could be read."""
        if not self.model.notice:
            soon = self.model.on_turn and not self.model.settled(now)
            text = "Your turn had only just begun: once more, please." if soon else else_say
            if text:
                self.say(text)

    def _set(self, rest: list[str]) -> None:
        m = self.model
        if len(rest) < 2:
            for option in OPTIONS:
                values = f" ({', '.join(map(yes_or_no, option.values))})" if option.values else ""
                self.say(f"{option.key} = {yes_or_no(getattr(self.settings, option.key))}{values}")
            return
        changed, said = with_setting(self.settings, rest[0], " ".join(rest[1:]))
        self.say(said)
        if changed == self.settings:
            return
        self.settings = changed
        m.settings = replace(changed, hold=0.0, reveal=0.0)
        m.glyphs = line_glyphs(changed)
        try:
            if self._save is not None:
                self._save(changed)
        except SettingsError as error:
            self.say(str(error))


async def run_plain(
    session: Session,
    settings: Settings,
    *,
    lines: AsyncIterator[str],
    write: Write,
    at_once: bool = False,
    save: Callable[[Settings], None] | None = None,
    control: type[Control] = Control,
    muted: dict[bytes, str] | None = None,
) -> Outcome:
    """Play a table by lines until it is left; the end of the lines ends it. Each line counts when it comes. One that
    comes in the moment in which its turn is said is no play, unless ``at_once``: who reads by a program answers that
    fast. ``muted``: who is not heard, by key; it is changed when that is."""
    loop = asyncio.get_running_loop()
    plain = Plain(session, settings, write, save=save, control=control, muted=muted)
    timer: asyncio.TimerHandle | None = None

    def changed(view: TableView) -> None:
        plain.take(view, loop.time())
        wake()

    def passed() -> None:
        plain.tick(loop.time())
        wake()

    def wake() -> None:
        nonlocal timer
        if timer is not None:
            timer.cancel()
        timer = None if plain.deadline is None else loop.call_at(plain.deadline, passed)

    changed(session.view)
    session.on_change(changed)
    try:
        while plain.control.outcome is None:
            try:
                line = await anext(lines)
            except StopAsyncIteration:
                return Outcome(End.QUIT, "The input has ended.")
            plain.line(line, loop.time() + (SETTLE if at_once else 0.0))
    finally:
        if timer is not None:
            timer.cancel()
    return plain.control.outcome
