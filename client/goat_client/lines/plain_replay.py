"""A replay in lines of text: a step a line, forth and back, with hints; the same model as the full screen's."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from goat_client.game import advice, rulebook
from goat_client.game.prompts import LINES
from goat_client.game.review import told as told_review
from goat_client.lines.plain import LINE_LIMIT, line_glyphs
from goat_client.machine.text import ascii_fold, safe
from goat_client.saved.replay import ReplayModel

WORDS: Final = {
    "": "forth", "n": "forth", "next": "forth", "forth": "forth", "b": "back", "back": "back", "t": "trick forth",
    "trick": "trick forth", "tb": "trick back", "deal": "deal", "d": "deal", "home": "home", "end": "end",
    "seat": "seat", "all": "all open", "h": "hint", "hint": "hint", "review": "review", "r": "review", "c": "cards",
    "cards": "cards", "hand": "cards", "table": "table", "s": "score", "score": "score", "code": "code",
    "deals": "deals", "where": "where", "w": "where", "rules": "rules", "?": "rules", "help": "help", "k": "help",
    "q": "quit", "quit": "quit",
}  # fmt: skip
"""What a word of a replay means."""
HELP: Final = (
    "An empty line is the next step, back the one before. trick goes to the next trick, tb one back; home and end.",
    "deal 3 goes to that deal, deals lists them. seat 2 shows what seat 2 saw, all opens all cards.",
    "hint: what the bot would play here. review: the whole deal beside the bot. code: to play these cards again.",
    "cards: the hands. table: what lies there. score. where. rules. q leaves.",
)
"""The words of a replay."""


class PlainReplay:
    """Turns lines into steps and steps into sentences; no I/O but ``write``."""

    def __init__(self, model: ReplayModel, write: Callable[[str], None]) -> None:
        self.model, self._write = model, write
        model.inner.glyphs = line_glyphs(model.settings)

    def say(self, text: str) -> None:
        """One line that holds no control character."""
        glyphs = self.model.inner.glyphs
        shown = safe(glyphs.say(text))
        self._write(ascii_fold(shown) if glyphs.ascii else shown)

    def say_all(self, lines: Iterable[str]) -> None:
        """Some lines."""
        for line in lines:
            self.say(line)

    def welcome(self, *, review: bool = False) -> None:
        """What is shown, and where it begins."""
        match = self.model.match
        self.say(f"{match.name}: {', '.join(match.seats)}. help lists the words.")
        self.say_all(match.notes)
        self._deal()
        if review:
            self.line("review")

    def _deal(self) -> None:
        self.say(f"Deal {self.model.deal.number} of {len(self.model.match.deals)}.")
        self.say_all(self.model.start())

    def line(self, text: str) -> None:
        """Carry out one line."""
        words = safe(text[:LINE_LIMIT]).lower().split()
        command, rest = WORDS.get(words[0] if words else "", ""), words[1:]
        m = self.model
        match command:
            case "":
                self.say("That is no word of a replay. help lists them.")
            case "forth" | "back" | "trick forth" | "trick back" | "home" | "end":
                self._step(command)
            case "deal":
                self._to_deal(rest)
            case "seat" if rest and rest[0] in ("1", "2", "3", "4"):
                m.do(f"seat {rest[0]}")
                self.say(f"As {m.match.seats[int(rest[0]) - 1]} on seat {rest[0]} saw it.")
            case "seat":
                self.say("seat needs a number, as in: seat 2")
            case "all open":
                m.do(command)
                self.say("All cards are open.")
            case "hint" | "code":
                m.do(command)
                self.say(m.inner.hint)
            case "quit":
                m.finished = True
            case _:
                self.say_all(self._answer(command))

    def _step(self, command: str) -> None:
        m = self.model
        deal, position = m.at, m.replay.position
        m.do(command)
        if (m.at, m.replay.position) == (deal, position):
            ahead = "forth" in command or command == "end"
            self.say("This is the end of the match." if ahead else "This is the start.")
        elif m.at != deal and command == "forth":
            self._deal()
        else:
            self.say(m.sentence())
        if m.result_text and (m.at, m.replay.position) != (deal, position):
            self.say(m.result_text)

    def _to_deal(self, rest: list[str]) -> None:
        numbers = [d.number for d in self.model.match.deals]
        if rest and rest[0].isdecimal() and int(rest[0][:9]) in numbers:
            self.model.to_deal(numbers.index(int(rest[0][:9])))
            self._deal()
        else:
            self.say(f"deal needs a number: {', '.join(map(str, numbers))}.")

    def _answer(self, command: str) -> Iterator[str]:
        m, inner = self.model, self.model.inner
        state = m.replay.state(m.watcher)
        match command:
            case "cards":
                yield from m.hands()
            case "table":
                plays = [advice.told(p, state, inner.glyphs, inner.name(p.seat)) for p in state.plays]
                yield from (f"{play}." for play in plays) if plays else ["Nothing lies on the table."]
            case "score":
                defeat = m.deal.defeat
                both = [f"{inner.team_names(team)} {defeat[team]}" for team in (0, 1)]
                yield f"Defeat points before this deal: {'; '.join(both)}."
                yield f"Tricks {state.taken(0)} to {state.taken(1)}, stock {state.stock}."
            case "review":
                yield from told_review(m.review(), inner.glyphs, m.match.seats)
            case "deals":
                yield from (f"Deal {d.number}, {d.code}" for d in m.match.deals)
            case "where":
                yield f"Deal {m.deal.number}, step {m.replay.position} of {len(m.replay)}. {m.sentence()}"
            case "rules":
                for section in rulebook.SECTIONS:
                    yield section.title
                    yield from rulebook.lines_of(section, inner.view, LINES)
            case _:
                yield from HELP


async def run_plain_replay(
    model: ReplayModel, *, lines: AsyncIterator[str], write: Callable[[str], None], review: bool = False
) -> None:
    """Step through a match by lines until it is left; the end of the lines ends it."""
    model.settings = replace(model.settings, hold=0.0)
    plain = PlainReplay(model, write)
    plain.welcome(review=review)
    while not model.finished:
        try:
            plain.line(await anext(lines))
        except StopAsyncIteration:
            return
