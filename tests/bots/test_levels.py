"""A level is one row: what offers, explains or plays levels reads it."""

from goat_client.game.lobby_model import FORM_BOTS
from goat_client.machine.settings import BY_KEY

from goat_engine.bots import players
from goat_engine.levels import BOT_LEVELS, EXPERT, LEVELS


def test_everything_reads_the_rows() -> None:
    assert [row.name for row in BOT_LEVELS] == list(LEVELS) == ["easy", "medium", "hard", "expert"]
    assert EXPERT == "expert"
    assert BY_KEY["level"].values == LEVELS
    assert ("", *LEVELS) == FORM_BOTS
    assert set(players._LEVELS) == {*LEVELS, *players.BASELINES}
    for row in BOT_LEVELS:
        level = players._LEVELS[row.name]
        assert (level.noise, level.net, level.weights is None) == (row.noise, row.mind == "net", row.mind == "net")
