"""``goat learn``: one short deal that is played, not read: lead, beat, discard, trump, molodka, counting."""

import argparse
import asyncio
import random
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Final

from goat_client.game.control import Control, End, Outcome
from goat_client.game.local import LocalSession
from goat_client.game.model import Model
from goat_client.game.prompts import LINES
from goat_client.game.review import card_names
from goat_client.machine.settings import Settings
from goat_client.machine.terminal_mode import NO_TERMINAL, Mode, choose
from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Show, Slot, Yield
from goat_engine.cards import Card, parse, parse_all
from goat_engine.record import Deal
from goat_engine.rules import Rules
from goat_engine.state import Phase
from goat_engine.view import SeatView
from goat_net.seat.tableview import Session, Stage, TableView

NAMES: Final = ("You", "Anna", "Boris", "Igor")
HANDS: Final = ("AS 10S 6D 10D", "8C JC 9D 9H", "AD KD QD AC", "6C 9C 8D QC")
STOCK: Final = "6H 7D 7C JD  6S 8H 10H KC  AH 7H 7S JS  10C JH QS 9S  8S KH QH KS"
"""Dealt by seat 3, so that seat 0 leads; the order of the draws follows from who takes each trick (R13)."""
BOTS: Final[dict[int, tuple[str, ...]]] = {
    1: ("discard 8C JC", "beat 9D", "discard JS", "beat 9H", "lead 7D", "discard 7D 8H 9S 8S"),
    2: ("discard AD KD", "beat QD", "lead AC", "lead 7C", "discard 10H AH 10C KH"),
    3: ("discard 6C 9C", "discard 8D", "discard JD", "beat QC", "discard KC 7H JH QH"),
}
"""What each bot does, in order; yields to the molodka go by themselves."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do. ``kind`` and ``cards`` are what the lesson asks for; ``say`` explains, ``keys`` and ``lines``
    ask for it on the full screen and in plain mode. Cards are named as in 10S and shown as the mode shows them."""

    tricks: int
    kind: type
    cards: str
    say: str
    keys: str
    lines: str

    def ask(self, model: Model) -> str:
        """What is to be done, in the words of the mode."""
        return card_names(self.lines if model.prompts is LINES else self.keys, model.glyphs)


STEPS: Final = (
    Step(0, Lead, "AS 10S", (
        "Boris, opposite, is your partner. A deal is about the 120 points in the cards: ace 11, ten 10, king 4, "
        "queen 3, jack 2. The ten beats the king!\n"
        "You lead: 1 to 4 cards of one suit, face up."
    ), "Choose 10S and AS (keys 1 and 2), then press Enter.", "Lead 10S and AS: type their numbers, 1 2"),
    Step(1, Lead, "6D", (
        "Nobody beat your pair, so the trick is yours. The others had to give two cards each: discarded, face down. "
        "Nobody sees those before the end.\n"
        "All drew back to four. Who takes a trick leads the next."
    ), "Now lead 6D alone (2, Enter).", "Now lead 6D alone, by its number."),
    Step(2, Discard, "10D", (
        "Anna beat your 6D with 9D, Boris beat that with QD: a higher card of the suit beats. Who beats last takes.\n"
        "Now Boris leads AC and will win. Feed the trick: a discard gives your card to whoever takes the trick."
    ), "Choose 10D (3) and discard it with D.", "Discard 10D: type d and its number."),
    Step(3, Beat, "6H", (
        "Boris took it, your ten inside. Now Igor beat 7C with QC.\n"
        "Hearts are trump in this deal: any trump beats any card of another suit."
    ), "Cards marked × can't beat here. Choose 6H (4) and beat with Enter.",
        "Your other cards can't beat here. Beat with 6H, by its number."),
    Step(4, Claim, "", (
        "Anna had a higher trump: her trick. But look: you hold four spades. Four cards of one suit are a molodka!\n"
        "You may lead them out of turn, as long as you have not played in this trick. The cards on the table go back."
    ), "Press M.", "Type m"),
)  # fmt: skip
WATCHING: Final = "Watch what the others play."
COUNTING: Final = (
    "The deal is over and all cards are open: brackets were face down. Boris fed your molodka with 35 points.\n"
    "61 points win a deal. 31 to 59 cost 2 defeat points, 30 or less cost 4, no trick at all 6. "
    "12 defeat points make the goat.\n"
    "→ That is all you need. P: play against easy bots. Enter ends the lesson; ? shows every rule."
)
COUNTING_LINES: Final = (
    "All cards are open now: tricks names them. Boris fed your molodka with 35 points.\n"
    "61 points win a deal. 31 to 59 cost 2 defeat points, 30 or less cost 4, no trick at all 6. "
    "12 defeat points make the goat.\n"
    "That is all you need. An empty line ends the lesson; rules tells every rule."
)


def lesson_deal() -> Deal:
    """The cards of the lesson by slot."""
    hands = [parse_all(h) for h in HANDS]
    dealt = tuple(hands[i % 4][i // 4] for i in range(16))
    return Deal(3, 0, parse("JH"), dealt + parse_all(STOCK), Rules(yield_time=0))


class _Script:
    """A bot that does what the lesson says."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = list(lines)

    def __call__(self, view: SeatView, rng: random.Random) -> Action:
        """The next line as an action in the slots of this deal."""
        if view.deal.phase is Phase.ASK:
            return Yield()
        kind, *names = self._lines.pop(0).split()
        by_card = {c: s for s, c in view.hand}
        slots = tuple(by_card[parse(n)] for n in names)
        if kind == "lead":
            return Lead(slots)
        return Beat(slots) if kind == "beat" else Discard(slots)


def _holds(session: LocalSession) -> bool:
    """The others wait while the molodka of the last trick is offered."""
    view = session.view.seat_view
    return view is not None and len(view.deal.tricks) == 4 and bool(view.deal.plays) and view.may_claim


def lesson_session() -> LocalSession:
    """The table of the lesson, already begun."""
    choosers = {seat: _Script(lines) for seat, lines in BOTS.items()}
    session = LocalSession(0, names=NAMES, choosers=choosers, deals=[lesson_deal()], table_name="Lesson", hold=_holds)
    session.ready()
    session.start()
    return session


class LessonControl(Control):
    """Commands of a lesson: what it did not ask for does not go out, with a word why."""

    def __init__(self, session: Session, model: Model, *, save: Callable[[Settings], None] | None = None) -> None:
        super().__init__(session, model, save=save)
        self._coach()

    @property
    def step(self) -> Step | None:
        """The thing to do now, if it is the person's turn to do one."""
        sv = self.model.seat_view
        if sv is None or self.model.view.stage is not Stage.PLAY:
            return None
        step = next((s for s in STEPS if s.tricks == len(sv.deal.tricks)), None)
        if step is None or any(p.seat == sv.seat for p in sv.deal.plays):
            return None
        ready = (sv.owes or sv.may_claim) if step.kind is not Claim else sv.may_claim and bool(sv.deal.plays)
        return step if ready else None

    def take(self, view: TableView, now: float) -> None:
        """A new view, and the words for it."""
        super().take(view, now)
        self._coach()

    def _coach(self) -> None:
        if self.model.view.stage in (Stage.BETWEEN, Stage.OVER):
            self.model.coach = COUNTING_LINES if self.model.prompts is LINES else COUNTING
        else:
            step = self.step
            self.model.coach = self._words(step) if step is not None else WATCHING

    def _words(self, step: Step) -> str:
        """What a step says and asks."""
        arrow = "" if self.model.prompts is LINES else "→ "
        return f"{card_names(step.say, self.model.glyphs)}\n{arrow}{step.ask(self.model)}"

    def allows(self, action: Action, now: float) -> bool:
        """Only what the step asks for."""
        step = self.step
        if isinstance(action, Show):
            return True  # the cards of a claim that was allowed
        if step is None:
            self.model.tell("Not yet: watch what the others do first.", now)
            return False
        if isinstance(action, step.kind) and (not step.cards or self._named(action) == set(parse_all(step.cards))):
            return True
        asks = step.ask(self.model)
        sv = self.model.seat_view
        legal = sv is not None and sv.refusal(action) is None
        self.model.tell(f"{'That would be legal. But for now: ' if legal else 'Not that. '}{asks}", now)
        return False

    def _named(self, action: Action) -> set[Card]:
        slots: tuple[Slot | None, ...] = getattr(action, "slots", ())
        cards = dict(self.model.hand)
        return {cards[s] for s in slots if s is not None and s in cards}

    def do(self, command: str, now: float) -> None:
        """The end of the deal is the end of the lesson; from there it goes on to a real table."""
        over = self.model.report_due and self.model.report_done(now) and not self.model.page
        if over and command in ("enter", "pause"):
            self.outcome = Outcome(End.BOTS if command == "pause" else End.LEFT)
        elif not (over and command == "hint"):
            super().do(command, now)

    def hint(self, now: float) -> None:
        """The lesson speaks with one voice: a hint is what it asks for."""
        step, m = self.step, self.model
        if step is None:
            m.tell_of_turn("Not yet: watch what the others do first.", now)
            return
        cards = set(parse_all(step.cards)) if step.cards else set()
        m.chosen[:] = [slot for slot, card in m.hand if card in cards]
        m.hint = f"Hint: {step.ask(m)}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--pace", type=float, default=0.9, metavar="S", help="seconds the others take (%(default)s)")


def run(args: argparse.Namespace) -> int:
    """Play the lesson; 0 when it was shown."""
    from goat_client.errors import CommandError
    from goat_client.machine.settings import SettingsError, load
    from goat_net.folders import config_dir

    mode = choose(plain=args.plain)
    if mode is Mode.NONE:
        raise CommandError(NO_TERMINAL, 2)
    try:
        settings, _ = load(config_dir() / "goat.toml")
    except SettingsError as error:
        raise CommandError(str(error), 2) from error
    changes = {"ascii": "yes"} if args.ascii else {}
    changes |= {"colour": "none"} if args.no_color else {}
    settings = replace(settings, **changes)  # type: ignore[arg-type]  # both are text
    outcome = asyncio.run(lesson(settings, mode, max(0.0, min(args.pace, 60.0))))
    if outcome.end is End.BOTS:
        from goat_client.commands.play import finish, play_with_bots
        from goat_client.commands.sitting import person

        with person(args) as who:
            return finish(asyncio.run(play_with_bots(who, ["easy"], "easy")))
    return 128 + outcome.signal if outcome.signal else 0


async def lesson(
    settings: Settings, mode: Mode, pace: float = 0.9, *, lines: AsyncIterator[str] | None = None
) -> Outcome:
    """Run the lesson in the mode that fits the terminal; gives how it was left. ``lines``: of standard input, if
    somebody reads it already: two readers would each get some of the lines."""
    session = lesson_session()
    async with asyncio.TaskGroup() as group:
        bots = group.create_task(session.run(pace))
        if mode is Mode.PLAIN:
            from goat_client.lines.stdin import stdin_lines

            typed = stdin_lines(sys.stdin) if lines is None else lines
            await plain_lesson(session, settings, typed, at_once=not sys.stdin.isatty())
            outcome = Outcome(End.LEFT)
        else:
            from goat_client.screen.app import run_table

            outcome = await run_table(session, settings, control=LessonControl)
        bots.cancel()
    return outcome


async def plain_lesson(
    session: LocalSession, settings: Settings, lines: AsyncIterator[str], *, at_once: bool,
    write: Callable[[str], None] = print,
) -> None:  # fmt: skip
    """The lesson by lines."""
    from goat_client.lines.plain import run_plain

    await run_plain(session, settings, lines=lines, write=write, at_once=at_once, control=LessonControl)
