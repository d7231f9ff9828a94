"""What commands do at a table: from the name of a command to a call of the session or a change of the model.

Shared by the full screen and the plain mode; no I/O, ``now`` is an argument. What is done with cards stands in
`goat_client.game.moves`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from goat_client.game.choice import only_way
from goat_client.game.events import VOTES
from goat_client.game.line_edit import LineEdit, Purpose
from goat_client.game.model import Model
from goat_client.game.moment import Page
from goat_client.game.moves import Moves
from goat_client.game.page_keys import change_setting, scroll_page, setting_typed
from goat_client.game.people import Other, asked_to_host, asking, can_have_it, not_ready, others, phrase_of, starts
from goat_client.machine.settings import Settings
from goat_engine.actions import Show
from goat_engine.levels import LEVELS
from goat_engine.record import Record
from goat_engine.rules import Seat
from goat_engine.state import Phase
from goat_net.seat.tableview import Session, Stage, TableView
from goat_net.wire.text import clean

CHARGE: Final = 2
PLAYS: Final = frozenset({"enter", "beat", "discard", "molodka", "yield", "escape", "undo"})
TALK_LIMIT: Final = 300  # PROTOCOL.md, Bounds: a line of talk
NO_SEAT: Final = 4  # in a message of the lobby: none


class End(StrEnum):
    """How a table was left."""

    LEFT = "left"  # by the person: back to the lobby
    QUIT = "quit"  # by the person: out of the program
    CLOSED = "closed"  # the table is gone
    BOTS = "bots"  # by the person: to a table with easy bots, after a lesson


@dataclass(frozen=True, slots=True)
class Again:
    """A position of a deal to be played on from: its first ``steps`` stand, and ``seat`` is the person's."""

    record: Record
    steps: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a table was left, and a sentence about it for whoever shows the next screen. ``again``: a position that is to
    be played on from, with bots."""

    end: End
    message: str = ""
    signal: int = 0  # the signal that ended the program, if one did
    again: Again | None = None


class Control(Moves):
    """Commands of one table. ``outcome`` is set once the table is left. ``save`` keeps changed settings."""

    def __init__(
        self, session: Session, model: Model, *, save: Callable[[Settings], None] | None = None
    ) -> None:
        super().__init__(session, model)
        self.outcome: Outcome | None = None
        self._save = save

    def take(self, view: TableView, now: float) -> None:
        """A new view from the table; a claim that is granted is followed by its cards by itself (R16)."""
        self.model.update(view, now)
        sv = view.seat_view
        if sv is not None and sv.owes and sv.deal.phase is Phase.SHOW and view.pending is None and sv.molodka:
            self.session.act(Show(sv.molodka))
        self._forced(now)

    def _forced(self, now: float) -> None:
        """Make a play that is the only one, if the person wants that: what is left of a deal when nothing can change it
        any more asks for no key. In a lesson every play is the learner's."""
        m, sv = self.model, self.model.seat_view
        if not m.settings.forced or m.coach or sv is None or m.view.stage is not Stage.PLAY:
            return
        if m.view.pending is not None or m.view.paused_by or not (m.view.may_act or sv.deal.phase is not Phase.LEAD):
            return
        only = only_way(sv)
        if only is not None and self.session.act(only) is None:
            m.tell("There was only one play: it is made.", now)

    def do(self, command: str, now: float) -> None:
        """Carry out a command by its name; unknown ones do nothing."""
        m = self.model
        if m.page is not Page.NONE and self._on_page(command, now):
            return
        if command == "quit":
            self._leave(now, out=True)
            return
        if command == "leave":
            self._leave(now)
            return
        on_view = m.go_on(now)
        if on_view and command in PLAYS:
            return  # meant for the trick that was on view; any other key does its work as well
        if command in ("add bot", "decline") and self.take_over(command == "add bot"):
            return
        if m.view.stage is Stage.LOBBY and self._in_lobby(command, now):
            return
        if m.view.stage is Stage.CLOSED and command in ("enter", "escape"):
            self.outcome = Outcome(End.CLOSED, m.view.trouble)
            return
        if m.view.stands_in is not None and command == "enter":
            self.session.sit(m.view.stands_in)
            return
        if m.report_due and command in ("enter", "toggle", "escape", "redraw"):
            self._at_report(now)
            return
        self._at_table(command, now)

    # -- the table

    def _at_table(self, command: str, now: float) -> None:
        m = self.model
        match command.split():
            case ["card", n]:
                self._choose(int(n) - 1, now)
            case ["left"]:
                m.cursor = (m.cursor - 1) % max(1, len(m.hand))
            case ["right"]:
                m.cursor = (m.cursor + 1) % max(1, len(m.hand))
            case ["toggle"]:
                self._choose(m.cursor, now)
            case ["undo"] | ["escape"]:
                m.clear()
                m.notice = m.hint = ""
            case ["enter"] | ["beat"]:
                self.play_up(m.chosen, now)
            case ["discard"]:
                self.play_down(m.chosen, now)
            case ["molodka"]:
                self.molodka(now)
            case ["yield"]:
                if not self.accept():
                    self.let_stand(now)
            case ["hint"] if m.hint and m.on_turn and m.seen_hint == m.hint:
                m.page, m.scroll = Page.HINT, 0  # all of it, where the window cuts it
            case ["hint"]:
                self.hint(now)
            case ["last"]:
                m.page = Page.LAST
            case ["log"]:
                m.page, m.scroll = Page.LOG, 10**6
            case ["talk"]:
                m.edit = LineEdit(Purpose.TALK, "Say", limit=TALK_LIMIT)
            case ["talk", "page"]:
                m.page, m.scroll, m.unread = Page.TALK, 10**6, 0
            case ["rules"]:
                m.page, m.scroll = Page.RULES, -1
            case ["keys"]:
                m.page, m.scroll = Page.HELP, 0
            case ["words"]:
                m.page = Page.WORDS
            case ["settings"]:
                m.page, m.option = Page.SETTINGS, 0
            case ["vote", choice]:
                self._vote_key(int(choice), now)
            case ["start"] if m.view.me is None:
                self.take_seat(now)
            case ["pause"]:
                self.session.pause(not m.view.paused_by)
            case _:
                pass

    def _vote_key(self, choice: int, now: float) -> None:
        """A key of a vote. The one that costs a team points asks first, and the question must have been seen."""
        m = self.model
        gone = next((a for a in m.view.absences if a.may_vote), None)
        armed = ("charge", (m.view.deal_number, gone.seat if gone is not None else None))
        if choice != CHARGE or gone is None or (m.armed_vote == armed and m.armed_seen):
            m.armed_vote = None
            self.vote(choice, now)
        elif m.armed_vote != armed:
            m.armed_vote, m.armed_seen = armed, False
            m.tell(m.prompts.charge.format(name=m.name(gone.seat), cost=gone.cost), now)

    def vote(self, choice: int, now: float) -> bool:
        """Say what is to be done about the seat that keeps the table waiting: 0 wait on, 1 let go, 2 charge (R24)."""
        m = self.model
        gone = next((a for a in m.view.absences if a.may_vote), None)
        if gone is None:
            m.tell("There is nobody to decide about now.", now)
            return False
        if choice not in gone.choices:
            m.tell(f"The table has waited for {m.name(gone.seat)} long enough: let go, or charge.", now)
            return False
        self.session.vote(gone.seat, choice)
        m.tell(f"You say: {VOTES[choice]} {m.name(gone.seat)}.", now)
        return True

    def accept(self) -> bool:
        """Agree to the score that goes on here; False when nobody asks."""
        if self.model.view.terms is None:
            return False
        self.session.accept()
        return True

    def take_over(self, on: bool) -> bool:
        """Take the table that the host hands over, or don't; False when nobody asks."""
        if not asked_to_host(self.model.view):
            return False
        self.session.take_over(on)
        return True

    def give(self, seat: Seat, now: float) -> None:
        """Host: offer the table to another player, with the match that is on."""
        m = self.model
        if m.view.next_host is not None and m.view.next_host.agreed:
            m.tell(f"{m.view.next_host.name} has the table already, after this deal.", now)
        elif seat in [s.seat for s in can_have_it(m.view)]:
            self.session.offer(seat)
        else:
            m.tell("The table goes only to another player who is here, while a match is on.", now)

    def take_seat(self, now: float, seat: Seat | None = None) -> None:
        """Somebody who watches asks for a seat from the next deal on: this one, or the first that is free then. When
        the match is over they sit down at once."""
        m, v = self.model, self.model.view
        free = [s.seat for s in v.seats if s.free and seat in (None, s.seat)]
        if v.me is not None:
            m.tell("You have a seat.", now)
        elif v.stands_in is not None:
            self.session.sit(v.stands_in)
        elif v.takes is not None and v.stage is Stage.OVER:
            m.tell(f"You have seat {v.takes + 1} for the next match.", now)
        elif v.takes is not None and seat in (None, v.takes):
            self.session.sit(NO_SEAT)
        elif free:
            self.session.sit(free[0])
        else:
            m.tell("That seat is not free at the next deal." if seat is not None else "No seat is free.", now)

    def mute(self, other: Other, now: float) -> None:
        """Hear somebody no more, or again. Only this client knows."""
        m = self.model
        if other.key in m.muted:
            del m.muted[other.key]
            m.tell(f"You hear {other.name} again.", now)
        else:
            m.muted[other.key] = other.name
            m.tell(f"{other.name} is muted.", now)

    def say(self, text: str, now: float) -> None:
        """Say a line to the table: a ready phrase by its number alone, or the text as it may pass (PROTOCOL.md,
        Bounds)."""
        line = phrase_of(text) or clean(text, TALK_LIMIT)
        if line:
            self.session.say(line)
        elif text:
            self.model.tell("There is nothing in that to be said: only blanks or signs that nobody can see.", now)

    # -- pages over the table

    def _on_page(self, command: str, now: float) -> bool:
        m = self.model
        if m.page is Page.LEAVE:
            if command in ("enter", "yield", "leave") and m.seen_page is not Page.LEAVE:
                return True  # the question has not been on the screen yet: the key was meant for something else
            if command.startswith("card ") and can_have_it(m.view):
                self.give(int(command[5:]) - 1, now)
            if command in ("enter", "yield", "leave", "quit"):
                self.outcome = Outcome(End.QUIT if command == "quit" else End.LEFT)
            m.page = Page.NONE
            return True
        if m.page is Page.HINT and command in (*PLAYS, "card 1", "card 2", "card 3", "card 4") and command != "escape":
            m.page = Page.NONE  # what the hint says can be done at once
            return False
        if m.page is Page.SETTINGS and change_setting(m, command, self._save):
            return True
        if m.page is Page.REPORT and self._on_report(command):
            return True
        if m.page is Page.TALK and command == "talk":
            m.page = Page.NONE
            self._at_table(command, now)
            return True
        if m.page is Page.TALK and command == "remove":
            m.page, m.person = Page.MUTE, 0
            return True
        if m.page is Page.MUTE and self._on_mute(command, now):
            return True
        if command in ("escape", "enter", "leave", "undo") or command == m.page.value:
            m.page = Page.NONE
        elif command == "quit":
            return False
        elif scroll_page(m, command):
            pass
        elif command in ("last", "log", "rules", "keys", "words", "settings", "talk", "talk page"):
            m.page = Page.NONE
            self._at_table(command, now)
        return True

    def _on_report(self, command: str) -> bool:
        """The report of a match: choose a mistake, and jump to where it was made."""
        m = self.model
        found = m.match_report.mistakes if m.match_report is not None else ()
        by = {"left": -1, "previous": -1, "right": 1, "next": 1, "toggle": 1}.get(command)
        if command.startswith("mistake "):
            again, m.mistake = m.mistake == int(command[8:]), int(command[8:])
            command = "enter" if again else "shown"
        if by is not None:
            m.mistake = (m.mistake + by) % max(1, len(found))
        elif command == "enter" and m.mistake < len(found):
            m.jump = (found[m.mistake].at, found[m.mistake].row.step)
        return by is not None or command in ("enter", "shown")

    def _on_mute(self, command: str, now: float) -> bool:
        m = self.model
        found = others(m.view, m.muted)
        if command.startswith("person "):
            again, m.person = m.person == int(command[7:]), int(command[7:])
            command = "enter" if again else "shown"
        by = {"up": -1, "previous": -1, "left": -1, "down": 1, "next": 1, "right": 1, "shown": 0}.get(command)
        if by is not None:
            m.person = (m.person + by) % max(1, len(found))
        elif command in ("enter", "toggle", "remove") and m.person < len(found):
            self.mute(found[m.person], now)
        return by is not None or command in ("enter", "toggle", "remove")

    # -- lobby, end of deal, leaving

    def _in_lobby(self, command: str, now: float) -> bool:
        m, v = self.model, self.model.view
        match command.split():
            case ["card", n]:
                m.seat_cursor = int(n) - 1
                if v.me is None or not v.seats[m.seat_cursor].taken or v.me == m.seat_cursor:
                    self._sit_or_ready()
            case ["left"] | ["previous"]:
                m.seat_cursor = (m.seat_cursor - 1) % 4
            case ["right"] | ["next"] | ["toggle"]:
                m.seat_cursor = (m.seat_cursor + 1) % 4
            case ["enter"]:
                if v.me is not None and v.seats[v.me].ready and v.is_host:
                    self.session.start()
                else:
                    self._sit_or_ready()
            case ["start"] if v.me is None and m.free_seats:
                self._sit_or_ready()
            case ["start"]:
                self.start(now)
            case ["add", "bot"] if v.is_host:
                self._next_bot(now)
            case ["remove"] if v.is_host:
                self._remove(now)
            case ["add", "bot"] | ["remove"]:
                m.tell("Only the host seats bots.", now)
            case ["vote", "0"]:
                self.swap(m.seat_cursor, now)
            case ["yield"] | ["decline"] if asking(v):
                self.answer(command == "yield", now)
            case ["beat"] | ["discard"] | ["molodka"] | ["yield"] | ["hint"] | ["last"] | ["undo"] | ["escape"]:
                pass
            case _:
                return False
        return True

    def _sit_or_ready(self) -> None:
        m, v = self.model, self.model.view
        wanted = v.seats[m.seat_cursor]
        if not wanted.taken and v.me != m.seat_cursor:
            self.session.sit(m.seat_cursor)
        elif v.me is None and m.free_seats:
            self.session.sit(m.seat_cursor if wanted.free else m.free_seats[0])
        elif v.me is not None:
            self.session.ready()

    def start(self, now: float) -> None:
        """Before the match: begin, with bots on the free seats."""
        v = self.model.view
        if v.is_host or (starts(v) and not not_ready(v)):
            self.session.start()
        elif starts(v):
            self.model.tell(f"Not ready yet: {', '.join(not_ready(v))}.", now)
        else:
            self.model.tell(self.model.prompts.host_starts, now)

    def swap(self, seat: Seat, now: float) -> None:
        """Before the match: ask the player of a seat to swap, or don't ask any more."""
        m, v = self.model, self.model.view
        if v.me is None:
            m.tell("Sit down first.", now)
        elif v.seats[v.me].asks is not None and seat in (v.me, v.seats[v.me].asks):
            self.session.swap(NO_SEAT)
        elif seat == v.me:
            m.tell(m.prompts.swap_whom, now)
        else:
            self.session.swap(seat)

    def answer(self, on: bool, now: float, seat: Seat | None = None) -> None:
        """Before the match: swap seats with who asks, or don't. ``seat``: of the one who is meant, if several ask."""
        found = [s for s in asking(self.model.view) if seat in (None, s.seat)]
        marked = [s for s in found if s.seat == self.model.seat_cursor] or found
        if marked:
            self.session.answer(marked[0].seat, on)
        else:
            self.model.tell("Nobody asks you to swap seats.", now)

    def _next_bot(self, now: float) -> None:
        """Step the marked seat through the levels of bots and back to free."""
        seat = self.model.view.seats[self.model.seat_cursor]
        if seat.taken and not seat.bot:
            whose = "yours" if seat.seat == self.model.view.me else f"{seat.name}'s"
            self.model.tell(f"Seat {seat.seat + 1} is {whose}: A seats bots on free seats. Mark one first (1-4).", now)
            return
        levels = (*LEVELS, "")
        at = levels.index(seat.level) if seat.bot and seat.level in levels else len(levels) - 1
        self.session.set_bot(seat.seat, levels[(at + 1) % len(levels)])

    def _remove(self, now: float) -> None:
        seat = self.model.view.seats[self.model.seat_cursor]
        if seat.bot:
            self.session.set_bot(seat.seat, "")
        elif seat.seat == self.model.view.me:
            self.model.tell("That is your own seat. Q leaves the table.", now)
        elif seat.taken:
            self.session.kick(seat.seat, "asked to leave by the host")
            self.model.tell(f"{seat.name} was asked to leave.", now)

    def _at_report(self, now: float) -> None:
        m = self.model
        if not m.report_done(now):
            m.report_all = True
        elif m.goat is not None and not m.finale:
            m.finale = True
        elif m.view.stage is Stage.CLOSED:
            self.outcome = Outcome(End.CLOSED, m.view.trouble)
        elif m.view.me is None or m.view.me not in m.view.ready:
            self.session.ready()

    def _leave(self, now: float, *, out: bool = False) -> None:
        m = self.model
        if m.view.stage in (Stage.CLOSED, Stage.OVER) or m.view.me is None:
            self.outcome = Outcome(End.QUIT if out else End.LEFT, m.view.trouble)
        else:
            m.page = Page.LEAVE

    def typed(self, edit: LineEdit, now: float) -> None:
        """A text field was ended with Enter."""
        self.model.edit = None
        before = self.model.settings.name
        if edit.purpose is Purpose.TALK:
            self.say(edit.text, now)
            return
        said = setting_typed(self.model, edit, self._save)
        mine = self.model.view.seats[self.model.view.me].name if self.model.view.me is not None else ""
        if not said and self.model.settings.name != before and mine != self.model.settings.name:
            name = self.model.settings.name
            said = f"At this table you stay {mine or 'who you are'}; {name} counts from the next one on."
        if said:
            self.model.tell(said, now)
