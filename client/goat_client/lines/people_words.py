"""Plain mode's words for people: talk, who is heard, who sits where, bots and guests of a host."""

from collections.abc import Callable
from typing import Final

from goat_client.game.control import NO_SEAT, TALK_LIMIT, Control
from goat_client.game.model import Model
from goat_client.game.people import PHRASES, can_have_it, named, others
from goat_engine.levels import LEVELS
from goat_net.seat.tableview import Session, Stage
from goat_net.wire.text import clean

SEATS: Final = ("1", "2", "3", "4")


class PeopleWords:
    """Carries the words out at a table; ``say`` takes whole lines."""

    def __init__(self, session: Session, model: Model, control: Control, say: Callable[[str], None]) -> None:
        self.session, self.model, self.control, self.say = session, model, control, say

    def carry_out(self, word: str, rest: list[str], now: float) -> bool:
        """Do what a word asks; False when it is about something else."""
        v = self.model.view
        seat = int(rest[0]) - 1 if rest and rest[0] in SEATS else None
        if word in ("mute", "unmute"):
            self._mute(word, " ".join(rest), now)
        elif word == "swap" and v.stage is Stage.LOBBY:
            self._swap(seat, " ".join(rest), now)
        elif word in ("y", "n") and v.stage is Stage.LOBBY:
            self.control.answer(word == "y", now, seat)
        elif word in ("take", "n") and self.control.take_over(word == "take"):
            if word == "take":
                self.say("You take the table.")
        elif word == "take":
            self.say("Nobody offers you the table.")
        elif word == "give":
            self._give(seat, " ".join(rest), now)
        elif word == "sit" and v.stage is not Stage.LOBBY:
            self.control.take_seat(now, seat)
        elif word in ("t", "say"):
            self._talk(word, rest)
        else:
            return self._lobby(word, rest, now)
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

    def _give(self, seat: int | None, words: str, now: float) -> None:
        there = can_have_it(self.model.view)
        meant = [s.seat for s in there if s.name.casefold() == words.casefold()]
        if seat is None and len(meant) != 1 and there:
            self.say(f"give needs one of: {', '.join(f'{s.seat + 1} {s.name}' for s in there)}")
        else:
            self.control.give(meant[0] if seat is None and meant else -1 if seat is None else seat, now)

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

    def _lobby(self, word: str, rest: list[str], now: float) -> bool:
        m, v = self.model, self.model.view
        seat = int(rest[0]) - 1 if rest and rest[0] in SEATS else None
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
            if level in LEVELS or level == "none":
                self.session.set_bot(seat, "" if level == "none" else level)
            else:
                self.say(f"Levels are {', '.join(LEVELS)}; none takes a bot away.")
        elif word == "kick" and seat is not None:
            self.session.kick(seat, "asked to leave by the host")
        else:
            self.say(f"{word} needs a seat: {word} 2")
        return True

    def _talk(self, word: str, rest: list[str]) -> None:
        text = clean(" ".join(rest), TALK_LIMIT)
        if word == "say" and not rest:
            for n, phrase in enumerate(PHRASES):
                self.say(f"say {n + 1}: {phrase}")
        elif word == "say" and len(rest) == 1 and rest[0].isdecimal():
            number = int(rest[0][:9])
            if 1 <= number <= len(PHRASES):
                self.session.say(PHRASES[number - 1])
            else:
                self.say(f"The phrases are say 1 to say {len(PHRASES)}; t {rest[0]} says the number itself.")
        elif text:
            self.session.say(text)
        else:
            self.say("Nothing to be said: put words after it, as in t good evening")
