"""Answers by lines about people: who sits where, who is partner, away, watching, what was said, what can be done before
a match.
"""

from collections.abc import Iterator
from typing import Final

from goat_client.game import advice
from goat_client.game.model import Model
from goat_client.game.narration import listed, team
from goat_client.game.people import asking, heard, not_ready, speaker, starts, watching
from goat_client.game.rulebook import agreed
from goat_net.seat.tableview import Stage

TALK_TOLD: Final = 10  # lines of talk that are said again, unless more are asked for


class PeopleTeller:
    """Tells of the people at the table that its model mirrors."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def welcome(self) -> Iterator[str]:
        """Everything about a table that one has just come to."""
        v = self.model.view
        yield f"Table {v.table_name}. help lists the words."
        yield from v.invite
        yield from agreed(v.house)
        yield from (self.seat_line(s) for s in range(4))
        yield from self.watchers()

    def seat_line(self, seat: int) -> str:
        """Who sits on a seat."""
        info, m = self.model.view.seats[seat], self.model
        if not info.taken:
            return f"Seat {seat + 1} is free."
        notes = [f"a bot, {info.level}" if info.level else "a bot"] if info.bot else []
        notes += [f"run by {info.operator}"] if info.bot and info.operator else []
        notes += [f"in a page of {info.page}"] if info.page else []
        notes += ["your partner"] if m.my_seat is not None and (seat - m.my_seat) % 4 == 2 else []
        notes += ["host"] if info.host else []
        if m.view.stage is Stage.LOBBY and not info.bot:
            notes += ["ready" if info.ready else "not ready yet"]
        notes += ["away"] if info.away else []
        notes += ["known player"] if info.remembered else []
        notes += ["known under ANOTHER key: ask who this is"] if info.changed_key else []
        who = f"you, {info.name}" if seat == m.my_seat else info.name
        return f"Seat {seat + 1}: {', '.join([who, *notes])}."

    def who(self) -> Iterator[str]:
        """Who sits where, and who watches."""
        yield from (self.seat_line(s) for s in range(4))
        yield from self.watchers()

    def watchers(self) -> Iterator[str]:
        """Who watches; nothing when nobody does."""
        v = self.model.view
        names = watching(v, own=False)
        if v.me is None and v.stage not in (Stage.JOINING, Stage.LOBBY):
            yield "You watch."
        if names:
            yield f"Watching: {listed(names)}."

    def partner(self) -> Iterator[str]:
        """Who plays with whom."""
        m = self.model
        if m.my_seat is None:
            yield f"{team(m, 0)} play against {team(m, 1)}."
        else:
            seat = (m.my_seat + 2) % 4
            name = m.view.seats[seat].name or "Nobody yet"
            yield f"{name}, opposite on seat {seat + 1}, is your partner. You play against {team(m, 1 - m.my_team)}."

    def table_words(self) -> Iterator[str]:
        """The six words that tell whether somebody sits in between."""
        words = self.model.view.words
        if words:
            yield f"Table words: {' '.join(words)}. The same words at everybody mean that nobody sits in between."
        else:
            yield "There are no table words yet: they come when the match begins."

    def lobby(self) -> Iterator[str]:
        """What can be done before a match."""
        m, v = self.model, self.model.view
        if v.me is None:
            if not m.free_seats:
                yield "All seats are taken; you watch."
            elif all(v.seats[s].taken for s in m.free_seats):
                yield "Bots make room for you: an empty line sits down, sit 2 takes that seat."
            else:
                yield "An empty line takes a free seat, sit 2 takes that one."
        elif asking(v):
            yield f"{asking(v)[0].name} asks you to swap seats: yes or no."
        elif v.seats[v.me].asks is not None:
            yield "swap alone takes your request back."
        elif not v.seats[v.me].ready:
            yield "An empty line says that you are ready. sit 2 changes the seat, swap 2 asks its player to swap."
        elif v.is_host:
            yield "An empty line starts; bots fill the free seats. bot 2 hard seats a bot, kick 2 sends somebody away."
        elif not starts(v):
            yield "The host starts when everyone is ready."
        elif not_ready(v):
            yield f"Waiting for {listed(not_ready(v))}."
        else:
            yield "All are ready: start begins; bots fill the free seats."

    def away(self) -> Iterator[str]:
        """Who is away or keeps the table waiting."""
        m, v, some = self.model, self.model.view, False
        names = [m.name(s) for s in range(4)]
        for info in v.seats:
            about = next((a for a in v.absences if a.seat == info.seat), None)
            text = ""
            if about is not None:
                text = advice.absent(about, names[info.seat], names, m.prompts, v.stage)
            elif info.away:
                text = f"{names[info.seat]} is away."
            if text:
                some = True
                yield text
        if not some:
            yield "Nobody is away."

    def talk(self, count: int = TALK_TOLD) -> Iterator[str]:
        """The last lines of talk."""
        lines = heard(self.model.view.talk, self.model.muted)[-count:]
        if not lines:
            yield "Nobody has said anything yet."
        yield from (f"{speaker(line)}: {line.text}" for line in lines)
