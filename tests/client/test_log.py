"""The log of plays is there while a deal is on and after it."""

from dataclasses import replace

from goat_client.views.pages import _log

from tests.client.kit import Desk


def test_the_log_of_a_deal_can_be_read_when_it_is_over(seed: int) -> None:
    desk = Desk(seed)
    desk.begin()
    desk.deal()
    view = replace(desk.session.view, deal=None)  # as at a table on the network, where the next deal is to come
    desk.model.update(view, 0.0)
    text = ["".join(part[0] for part in row) for row in _log(desk.model)]
    assert text[0] == "Trick 1"
    assert sum(line.startswith("Trick ") for line in text) == len(view.reports[-1].opened.tricks)
