"""Random cheats in random deals; the long form is `python -m tests.cheats.fuzz 20000`."""

import pytest

from goat_net.log.proof import check_file
from tests.cheats import fuzz_carried
from tests.cheats.fuzz import Figures, fuzz
from tests.cheats.leavers import leavers
from tests.net.auditor import audit
from tests.net.mini import told_by_the_project, told_of

DEALS = 60  # of each part; many parts, so that a failing one is short to repeat


@pytest.mark.parametrize("part", range(16))
@pytest.mark.long("a thousand deals")
def test_random_cheats_are_named_and_never_an_honest_seat(part: int, seed: int) -> None:
    figures = fuzz(DEALS, seed)
    assert isinstance(figures, Figures)
    assert figures.deals == DEALS
    assert figures.cheats > DEALS / 3, "too few cheats came to anything"


def test_a_few_random_cheats_are_named_and_never_an_honest_seat(seed: int) -> None:
    assert fuzz(8, seed).deals == 8


@pytest.mark.parametrize("part", range(4))
@pytest.mark.long("each log is judged twice")
def test_the_second_auditor_says_the_same_of_random_cheats(part: int, seed: int) -> None:
    logs: list[bytes] = []
    fuzz(10, seed, keep=logs.append)
    assert logs
    for data in logs:
        told = told_by_the_project(check_file(data))
        auditor, fault = audit(data)
        assert told_of(auditor, fault) == told
        assert told["fault"] is None


@pytest.mark.long("plays 40 deals with everybody's whims")
@pytest.mark.parametrize("part", range(4))
def test_leavers_pauses_and_votes_make_nobody_honest_pay_and_no_deal_hangs(part: int, seed: int) -> None:
    """Both auditors fold along: people fall silent, leave, come back, pause, vote, don't open, cheat."""
    figures = leavers(10, seed + part)
    assert figures.deals == 10


def test_a_few_deals_of_leavers(seed: int) -> None:
    assert leavers(4, seed).deals == 4


@pytest.mark.long("two matches and every way to carry them on")
def test_matches_that_are_carried_on_are_judged_alike_and_rightly(seed: int) -> None:
    """P1, N1, N2: a lie is never taken for the truth, and no honest host is at fault."""
    seen, deals = fuzz_carried.fuzz(2, seed % 2**31)
    assert deals >= 2
    assert sum(seen.values()) > 5
