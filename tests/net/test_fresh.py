"""Secrets and fresh bytes: no two seats and no two logs share anything (PROTOCOL.md, The player)."""

from goat_net.seat.player import Player
from goat_net.wire.identity import Identity
from tests.net.mini import Mini, playing


def test_seats_that_share_a_secret_file_share_no_secret() -> None:
    """E26: two bots of one machine with one folder took one secret file, and all their cards followed from it."""
    mini = Mini(41)
    mini.play(playing)
    master = bytes(range(32))
    seats = [Player(one, lambda _: master, table_key=mini.table.public) for one in mini.seats]
    for player in seats:
        for entry in mini.fold.chain.entries:
            player.take(entry, 0)
    deal = mini.fold.deal
    assert deal is not None
    assert len({p._seed(deal) for p in seats}) == 4
    assert len({p._nonce for p in seats}) == 4
    assert len({p._seed(deal) for p in (seats[0], Player(Identity.new(), lambda _: master, table_key=None))}) == 2
