"""Every cheat of the catalogue is seen when it is said to be, and the one who did it is named by all."""

from collections.abc import Iterator

import pytest

import tests.cheats.rows  # noqa: F401 - the rows register themselves
from tests.cheats.catalogue import CATALOGUE, Cheat, main
from tests.cheats.shared import shared


@pytest.fixture(autouse=True)
def _shared() -> Iterator[None]:
    with shared():
        yield


@pytest.mark.parametrize("cheat", CATALOGUE, ids=str)
@pytest.mark.sample(16, "hundreds of cheats, each a deal")
def test_cheat(cheat: Cheat, seed: int) -> None:
    seen = cheat.play(seed)
    assert seen.who == cheat.who, seen
    assert seen.when in cheat.when, seen


def test_the_catalogue_is_of_the_size_it_should_be() -> None:
    assert len(CATALOGUE) >= 400
    assert len({c.name for c in CATALOGUE}) == len(CATALOGUE)


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["catalogue", "5", "alters"])
    assert main() == 0
    out = capsys.readouterr().out
    assert "host: alters a record" in out
    assert "0 not seen as they should be" in out
