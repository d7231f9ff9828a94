"""What is done with cards at a table: from the cards that are chosen to an action that goes out, and a hint.

Part of `goat_client.game.control`; no I/O, ``now`` is an argument.
"""

from collections.abc import Sequence
from typing import Final

from goat_client.game import advice
from goat_client.game.choice import forced
from goat_client.game.match_report import match_report
from goat_client.game.model import Model
from goat_client.game.moment import Page, turn_of
from goat_client.game.review import because
from goat_engine.actions import Action, Beat, Claim, Discard, Lead, Refusal, Show, Slot, Yield
from goat_engine.rules import HAND_SIZE
from goat_engine.state import DealState, Phase
from goat_net.seat.tableview import Session, Stage

NO_HINTS: Final = "This table plays without hints."


class Moves:
    """See the module. What goes out is an action of the session; why one doesn't is told in the model."""

    def __init__(self, session: Session, model: Model) -> None:
        self.session, self.model = session, model

    def _choose(self, place: int, now: float) -> None:
        m = self.model
        if place >= len(m.hand):
            return
        why = m.toggle(place)
        if why:
            m.tell_of_turn(why, now)
        else:
            m.notice = ""

    def play_up(self, slots: Sequence[Slot], now: float) -> bool:
        """Lead or beat with these cards, as the table asks. False when they did not go out."""
        m, sv = self.model, self.model.seat_view
        if not self._ready_to_play(now) or sv is None:
            return False
        if sv.deal.phase is Phase.ASK:
            m.tell_of_turn(m.prompts.take_over, now)
            return False
        only = forced(sv) if not slots else None
        if isinstance(only, (Lead, Beat, Discard)):
            return self._send(only, m.slots, "discard" if isinstance(only, Discard) else "enter", now)
        if not slots:
            beat = m.prompts.choose_beat.format(count=advice.count_words(m.needed))
            m.tell_of_turn(beat if m.needed else m.prompts.choose_lead, now)
            return False
        action = Lead(tuple(slots)) if sv.deal.phase is Phase.LEAD else Beat(tuple(slots))
        return self._send(action, slots, "enter", now)

    def play_down(self, slots: Sequence[Slot], now: float) -> bool:
        """Discard these cards face down. False when they did not go out."""
        m, sv = self.model, self.model.seat_view
        if not self._ready_to_play(now) or sv is None:
            return False
        if sv.deal.phase is not Phase.ANSWER:
            m.tell_of_turn("Only an answer can be a discard; it is not asked now.", now)
            return False
        if not slots and forced(sv, Discard) is not None:
            slots = m.slots
        if len(slots) != m.needed:
            m.tell_of_turn(f"Choose exactly {advice.count_words(m.needed)} to discard (R9).", now)
            return False
        return self._send(Discard(tuple(slots)), slots, "discard", now)

    def molodka(self, now: float) -> bool:
        """Claim a molodka, take a claim over, or lead all four as the entitled seat."""
        m, sv = self.model, self.model.seat_view
        if sv is None or m.view.stage is not Stage.PLAY:
            return False
        if m.view.pending is not None:
            return False
        if m.leads_molodka:
            if not self._ready_to_play(now):
                return False
            return self._send(Lead(sv.molodka), sv.molodka, "molodka", now)
        if not sv.molodka:
            m.tell("You hold no molodka: that is four cards of one suit (R15).", now)
            return False
        return self._send(Claim(), sv.molodka, "molodka", now)

    def let_stand(self, now: float) -> bool:
        """Answer a question of R17 with a yield."""
        sv = self.model.seat_view
        if sv is None or not sv.owes or sv.deal.phase is not Phase.ASK:
            return False
        return self._ready_to_play(now) and self._send(Yield(), (), "yield", now)

    def _ready_to_play(self, now: float) -> bool:
        m, sv = self.model, self.model.seat_view
        if sv is None or m.view.stage is not Stage.PLAY:
            return False
        if m.view.paused_by:
            m.tell_of_turn(m.prompts.paused.format(name=m.view.paused_by), now)
            return False
        if m.view.pending is not None or (m.on_turn and not m.settled(now)):
            return False  # a double press, or a key meant for what was on the screen before
        if not sv.owes:
            turn = sv.deal.turn
            whose = f"Not your turn: {m.name(turn)} is to play." if turn is not None else "The deal is over."
            m.tell_of_turn(whose, now)
            return False
        if not m.on_turn:
            m.tell_of_turn("Wait: the drawn cards are still being opened to you.", now)
            return False
        return True

    def _send(self, action: Action, slots: Sequence[Slot], command: str, now: float) -> bool:
        m, sv = self.model, self.model.seat_view
        turn = turn_of(m.view)
        if not self.allows(action, now):
            return False
        reason = sv.refusal(action) if sv is not None else Refusal.WRONG_ACTION
        if reason is not None:
            mine = dict(m.hand)
            mine_named = sorted(mine[s] for s in slots if s in mine)
            m.tell_of_turn(advice.refused(reason, sv, m.glyphs, m.prompts, mine_named), now)
            return False
        laid = isinstance(action, (Lead, Beat, Discard))
        if laid and m.settings.remind and m.breaks_molodka(slots) and m.reminded != turn:
            m.reminded = turn
            m.tell_of_turn(m.prompts.breaks_by_discard if command == "discard" else m.prompts.breaks_by_lead, now)
            return False
        if laid and m.settings.confirm and len(slots) < HAND_SIZE and m.armed != (command, turn):
            m.armed = (command, turn)
            cards = advice.faces(sv.deal, slots) if sv is not None else ()
            asks = {"enter": m.prompts.confirm_lead, "discard": m.prompts.confirm_discard}
            m.tell_of_turn(asks.get(command, m.prompts.confirm_molodka).format(cards=m.glyphs.cards(cards)), now)
            return False
        reason = self.session.act(action)
        if reason is not None:
            m.tell_of_turn(advice.refused(reason, sv, m.glyphs, m.prompts), now)
            return False
        m.chosen.clear()
        m.notice = m.hint = ""
        m.armed = None
        return True

    def allows(self, action: Action, now: float) -> bool:
        """Whether an action may go out as far as this screen is concerned; a lesson says no to what it didn't ask."""
        return True

    def hint(self, now: float) -> None:
        """Ask the bots' engine what it would do; after a deal, what it would have done."""
        m, sv = self.model, self.model.seat_view
        if not m.settings.hints:
            m.tell(m.prompts.hints_off, now)
        elif m.report_due and m.finale:
            m.match_report = m.match_report or match_report(m.view.reports)
            m.page, m.scroll, m.mistake = Page.REPORT, 0, 0
        elif m.report_due:
            m.go_through()
            m.page, m.scroll = Page.REVIEW, 0
        elif not m.view.hints:
            m.tell(NO_HINTS, now)
        elif sv is None or not m.on_turn:
            m.tell_of_turn("A hint is for your own turn.", now)
        else:
            from goat_engine.bots import hint  # the bots' weights are loaded by the first hint, not by the start

            given = hint(sv)
            action = given.action
            m.hint = hint_text(m, action, given.reason)
            if isinstance(action, (Lead, Beat, Discard)):
                m.chosen[:] = [s for s in action.slots if s is not None]


def hint_text(m: Model, action: Action, why: str, deal: DealState | None = None) -> str:
    """A hint in words. ``deal``: what the seat it is for knows, when that is not the deal on the screen (replays)."""
    deal = deal or m.deal
    cards = m.glyphs.cards(advice.faces(deal, action.slots)) if deal and hasattr(action, "slots") else ""
    why = because(why, m.glyphs, cards)
    match action:
        case Lead():
            return f"Hint: lead {cards}. {why}"
        case Beat():
            return f"Hint: beat with {cards}. {why}"
        case Discard():
            return f"Hint: discard {cards}. {why}"
        case Claim():
            return m.prompts.hint_claim.format(why=why)
        case Show():
            return f"Hint: show the molodka. {why}"
        case Yield():
            return m.prompts.hint_yield.format(why=why)
