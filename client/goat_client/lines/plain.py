"""Plain mode: a whole game in lines of text, without one escape byte. For screen readers, TERM=dumb and scripts."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import IO, Final

from goat_client.game import rulebook
from goat_client.game.control import BOT_LEVELS, CHARGE, NO_SEAT, TALK_LIMIT, Control, End, Outcome
from goat_client.game.keys import SAME_KEY
from goat_client.game.model import SETTLE, Model
from goat_client.game.people import PHRASES, leaving, named, others
from goat_client.game.prompts import LINES
from goat_client.lines.narration import Teller
from goat_client.machine.settings import OPTIONS, Settings, SettingsError, glyphs_for, with_setting, yes_or_no
from goat_client.machine.text import ascii_fold, safe
from goat_engine.cards import parse
from goat_engine.state import Phase
from goat_net.seat.tableview import Session, Stage, TableView
from goat_net.wire.text import clean

LINE_LIMIT: Final = 1000  # characters of a line that is read; a talk line is shorter
Write = Callable[[str], None]

HELP: Final = (
    "Cards are named by their numbers (1 3) or by name (10S AH).",
    "  1 3          lead or beat with these cards, face up",
    "  d 1 3        discard these cards, face down",
    "  m            molodka: lead four cards of one suit out of turn, or take the lead over",
    "  y            let another's molodka stand",
    "  h            a hint, with its reason",
    "  review       after a deal: what the bot would have played",
    "  c            my cards and what is asked        w  who sits where",
    "  l            last trick (face-up cards)        g  log of plays in this deal",
    "  s            score                             t TEXT  say something",
    "  say 1        a ready phrase (say lists them)   mute NAME, unmute NAME   who is not heard",
    "  ?            rules for what is on the table    rules   all rules",
    "  p            pause, or go on                   set     settings (set hold 2)",
    "  wait, excuse, charge   say what is to be done about who is away",
    "  empty line   go on: sit down, ready, next deal",
    "  sit 2, start, bot 2 hard, kick 2               in the lobby (the last three for the host)",
    "  swap NAME, then yes or no there                in the lobby: ask somebody to swap seats (swap alone: no more)",
    "  sit          who watches: sit down on a seat that is free from the next deal on",
    "  q            leave the table",
)


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
        glyphs = replace(glyphs_for(settings), words=settings.suits == "words")
        at_once = replace(settings, hold=0.0, reveal=0.0)
        self.model = Model(settings=at_once, glyphs=glyphs, prompts=LINES, muted={} if muted is None else muted)
        self.tell = Teller(self.model)
        self.control = control(session, self.model, save=save)
        self.session, self.settings, self._write, self._save = session, settings, write, save
        self._seen = TableView()
        self._asked: object = None
        self._offered: object = None
        self._question: Callable[[], object] | None = None  # what "yes" does; any other line takes the question back

    # -- what is said

    def say(self, text: str) -> None:
        """One line; whatever its origin it holds no control character."""
        shown = safe(self.model.glyphs.say(text))
        self._write(ascii_fold(shown) if self.model.glyphs.ascii else shown)

    def take(self, view: TableView, now: float) -> None:
        """A new view: say what has happened since the last one."""
        old, self._seen = self._seen, view
        self.control.take(view, now)
        self.model.tick(now)
        self.model.seen(now)
        if self.control.outcome is not None:
            return  # whoever has left is told nothing more
        for line in self.tell.news(old, view):
            self.say(line)
        if view is not self._seen:
            return  # what was sent on this news has brought newer news, which asks
        self.model.finale = self.model.goat is not None  # lines tell all at once: nothing is to be gone through
        self.model.notice = ""
        self._ask()

    # -- what is asked

    @property
    def waiting(self) -> bool:
        """Whether a line of the person's is what the table waits for."""
        m, v = self.model, self.model.view
        if self.control.outcome is not None or v.stage is Stage.CLOSED or v.paused_by:
            return True
        if v.stage is Stage.LOBBY:
            return v.me is None or not v.seats[v.me].ready or v.is_host
        if v.stage in (Stage.BETWEEN, Stage.OVER):
            return v.me is not None and v.me not in v.ready
        sv = m.seat_view
        if m.coach and m.may_claim and m.deal is not None and m.deal.plays:
            return True  # in a lesson the others wait for the claim
        return m.on_turn and sv is not None and (sv.deal.phase is not Phase.ASK or m.may_claim)

    def _ask(self) -> None:
        """Say what is asked, once for each turn; a molodka that can be led out of turn, once for each trick."""
        m, v, deal = self.model, self.model.view, self.model.deal
        claim = (v.deal_number, deal and len(deal.tricks), m.seat_view and m.seat_view.molodka)
        if m.may_claim and not m.on_turn and claim != self._offered:
            self._offered = claim
            self.say(self.tell.molodka())
        turn = deal and (len(deal.tricks), len(deal.plays), len(v.returned), deal.phase, m.on_turn)
        what = (v.stage, v.me, v.deal_number, turn, v.me is not None and v.seats[v.me].ready)
        if what == self._asked or not self.waiting:
            return
        self._asked = what
        for line in self.tell.asking():
            self.say(line)
        for line in self.model.coach.splitlines():
            self.say(line)

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

    def _command(self, word: str, rest: list[str], now: float) -> None:
        word = "".join(SAME_KEY.get(ch, ch) for ch in word.lower()) if not word.isdecimal() else word
        word = {"т": "n"}.get(word, word)
        simple = {"m": self.control.molodka, "y": self.control.let_stand}
        if self._people(word, rest, now):
            return
        if word in simple:
            if not simple[word](now):
                self._too_soon(now, "That can't be done now.")
        elif word in ("d", "discard"):
            self._cards(rest, now, up=False)
        elif word in ("b", "beat", "lead"):
            self._cards(rest, now, up=True)
        elif word in ("t", "say"):
            self._talk(word, rest, now)
        elif word in ("q", "quit", "leave"):
            self._leave()
        elif word in ("wait", "excuse", "charge"):
            self._vote(("wait", "excuse", "charge").index(word), now)
        elif word in ("p", "pause"):
            self.control.do("pause", now)
        elif word in ("h", "hint"):
            if self.model.report_due:
                self._told("review")
            else:
                self.control.hint(now)
            if self.model.hint:
                self.say(self.model.hint)
                self.model.clear()
                self.model.hint = ""
        elif word == "set":
            self._set(rest)
        elif not self._told(word) and not self._lobby(word, rest, now):
            self._cards([word, *rest], now, up=True)

    def _talk(self, word: str, rest: list[str], now: float) -> None:
        if word == "say" and not rest:
            for n, phrase in enumerate(PHRASES):
                self.say(f"say {n + 1}: {phrase}")
        elif word == "say" and len(rest) == 1 and rest[0].isdecimal() and 1 <= int(rest[0]) <= len(PHRASES):
            self.control.say(rest[0], now)
        elif rest:
            text = clean(" ".join(rest), TALK_LIMIT)
            self.session.say(text)

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
            self.say(LINES.charge.format(name=self.model.name(gone.seat)))
        else:
            self.control.vote(choice, now)

    def _people(self, word: str, rest: list[str], now: float) -> bool:
        """Who is heard, and who sits where; False when the words are about something else."""
        v = self.model.view
        seat = int(rest[0]) - 1 if rest and rest[0] in ("1", "2", "3", "4") else None
        if word in ("mute", "unmute"):
            self._mute(word, " ".join(rest), now)
        elif word == "swap" and v.stage is Stage.LOBBY:
            self._swap(seat, " ".join(rest), now)
        elif word in ("y", "yes", "n", "no") and v.stage is Stage.LOBBY:
            self.control.answer(word in ("y", "yes"), now, seat)
        elif word == "sit" and v.stage is not Stage.LOBBY:
            self.control.take_seat(now, seat)
        else:
            return False
        return True

    def _mute(self, word: str, words: str, now: float) -> None:
        m = self.model
        found = others(m.view, m.muted)
        meant = named(found, words)
        if len(meant) == 1 and (meant[0].key in m.muted) is (word == "unmute"):
            self.control.mute(meant[0], now)
        elif len(meant) == 1:
            self.say(f"{meant[0].name} is {'muted already' if word == 'mute' else 'not muted'}.")
        else:
            if words:
                self.say(f"{len(meant)} people here are called {words}: say which by the number." if meant
                         else f"There is nobody called {words}.")  # fmt: skip
            for n, other in enumerate(found):
                self.say(f"{n + 1}: {other.label}{', muted' if other.key in m.muted else ''}")
            if not found:
                self.say("There is nobody else who could talk.")

    def _swap(self, seat: int | None, words: str, now: float) -> None:
        v = self.model.view
        meant = [s.seat for s in v.seats if s.taken and s.name.casefold() == words.casefold()]
        if seat is None and len(meant) != 1 and words:
            self.say(f"Nobody who sits here is called {words}. swap 2 names a seat.")
        elif seat is None and not words and v.me is not None and v.seats[v.me].asks is not None:
            self.session.swap(NO_SEAT)
        elif seat is None and not words:
            self.say("swap needs a name or a seat: swap 2")
        else:
            self.control.swap(seat if seat is not None else meant[0], now)

    def _told(self, word: str) -> bool:
        """Questions that are answered by lines; False when the word is none of them."""
        m = self.model
        lines: Iterator[str]
        match word:
            case "c" | "cards":
                lines = self.tell.asking()
            case "w" | "who":
                watching = [f"Watching: {', '.join(m.view.watchers)}."] if m.view.watchers else []
                lines = iter([*(self.tell.seat_line(s) for s in range(4)), *watching])
            case "s" | "score":
                lines = self.tell.score_lines()
            case "l" | "last":
                lines = self.tell.last()
            case "g" | "log":
                lines = self.tell.log()
            case "?" | "rules":
                here = rulebook.section_for(m)
                chosen = [s for s in rulebook.SECTIONS if word == "rules" or s.key == here]
                house = rulebook.house(m.view.rules, hints=m.view.hints) if word == "rules" else ()
                lines = iter([*(line for s in chosen for line in (s.title, *s.rules)), *house])
            case "review":
                lines = self.tell.review()
            case "k" | "help" | "keys":
                lines = iter(HELP)
            case _:
                return False
        for line in lines:
            self.say(line)
        return True

    def _lobby(self, word: str, rest: list[str], now: float) -> bool:
        m, v = self.model, self.model.view
        seat = int(rest[0]) - 1 if rest and rest[0] in ("1", "2", "3", "4") else None
        if v.stage is not Stage.LOBBY or word not in ("sit", "start", "bot", "kick", "ready"):
            return False
        if word == "sit" and seat is None and v.me is not None:
            self.say("sit needs a seat: sit 2")
        elif word == "sit":
            self.session.sit(NO_SEAT if seat is None else seat)
        elif word == "ready":
            self.session.ready()
        elif word == "start":
            self.control.start(now)
        elif not v.is_host:
            self.say("Only the host does that.")
        elif word == "bot" and seat is not None:
            level = rest[1] if len(rest) > 1 else m.settings.level
            if level in BOT_LEVELS or level == "none":
                self.session.set_bot(seat, "" if level == "none" else level)
            else:
                self.say(f"Levels are {', '.join(BOT_LEVELS)}; none takes a bot away.")
        elif word == "kick" and seat is not None:
            self.session.kick(seat, "asked to leave by the host")
        else:
            self.say(f"{word} needs a seat: {word} 2")
        return True

    def _cards(self, words: list[str], now: float, *, up: bool) -> None:
        m = self.model
        slots = []
        by_card = {c: s for s, c in m.hand}
        for word in words:
            if word.isdecimal() and 1 <= int(word) <= len(m.slots) and word != "10":
                slots.append(m.slots[int(word) - 1])
                continue
            try:
                slot = by_card.get(parse(word))
            except ValueError:
                self.say(f"{word!r} is no card and no command. help lists them." if up and len(words) == 1
                         else f"{word!r} is no card: a number of your hand, or a name as in 10S.")  # fmt: skip
                return
            if slot is None:
                self.say(f"You don't hold {word}.")
                return
            slots.append(slot)
        m.chosen[:] = slots
        if not (self.control.play_up if up else self.control.play_down)(slots, now):
            self._too_soon(now, "")

    def _too_soon(self, now: float, else_say: str) -> None:
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
        m.glyphs = replace(glyphs_for(changed), words=changed.suits == "words")
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

    def changed(view: TableView) -> None:
        plain.take(view, loop.time())

    changed(session.view)
    session.on_change(changed)
    while plain.control.outcome is None:
        try:
            line = await anext(lines)
        except StopAsyncIteration:
            return Outcome(End.QUIT, "The input has ended.")
        plain.line(line, loop.time() + (SETTLE if at_once else 0.0))
    return plain.control.outcome


async def stdin_lines(stream: IO[str]) -> AsyncIterator[str]:
    """Lines of a stream that can only be read by waiting: a thread reads, the loop goes on. The thread is a daemon:
    nothing but the end of the stream or of the program can end a read."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        try:
            for line in stream:
                loop.call_soon_threadsafe(queue.put_nowait, line.rstrip("\r\n"))
            loop.call_soon_threadsafe(queue.put_nowait, None)
        except (RuntimeError, ValueError):  # the loop or the stream was closed meanwhile: nobody reads any more
            return

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await queue.get()) is not None:
        yield line
