"""What is said of one's own cards: the hand at first, then what is drawn or comes back, and the hand once a trick."""

from collections.abc import Iterator

from goat_client.game.model import Model
from goat_client.lines.telling import Teller
from goat_engine.actions import Slot
from goat_net.seat.tableview import Stage, TableView


class HandNews:
    """Remembers what was said of the hand of a deal: the cards held by now, and all that ever were."""

    def __init__(self, model: Model, tell: Teller) -> None:
        self.model, self.tell = model, tell
        self._deal = 0
        self._now: frozenset[Slot] = frozenset()
        self._ever: frozenset[Slot] = frozenset()
        self._said: object = None

    def news(self, view: TableView) -> Iterator[str]:
        """Own cards that are new, once all of them are known."""
        m, deal, places = self.model, view.deal, self.tell.places
        if deal is None or view.me is None:
            return
        if self._deal != view.deal_number:
            self._deal, self._now, self._ever = view.deal_number, frozenset(), frozenset()
        held = frozenset(m.slots)
        places.update(m.hand)
        if not held or len(held) != deal.hand_size(view.me) or view.stage is not Stage.PLAY:
            self._now &= held
            return
        new = [(n, s, c) for n, s, c in places.ordered(m.hand) if s not in self._now]
        drawn = [f"{n}: {m.glyphs.card(c)}" for n, s, c in new if s not in self._ever]
        back = [f"{n}: {m.glyphs.card(c)}" for n, s, c in new if s in self._ever]
        if not self._ever:
            yield self._whole()
        elif drawn:
            yield f"You draw {', '.join(drawn)}."
        if back:
            yield f"Back in your hand: {', '.join(back)}."
        self._now = held
        self._ever |= held

    def at_turn(self) -> Iterator[str]:
        """The whole hand, unless it has been said in this trick as it is."""
        if self._said != self._moment():
            yield self._whole()

    def _moment(self) -> object:
        deal = self.model.deal
        return self.model.view.deal_number, deal and len(deal.tricks), frozenset(self.model.slots)

    def _whole(self) -> str:
        self._said = self._moment()
        return self.tell.hand()
