"""The stories of PROTOCOL.md (Those who leave), played at real tables by both auditors."""

import pytest
from goat_tools.stories import GRACE, STORIES, Story, tell

from goat_net.log.chain import ChainError
from goat_net.log.records import HOST
from tests.net import absences
from tests.net.absences import owing
from tests.net.auditor import BadEntryError
from tests.net.mini import Mini, finished


def judged(mini: Mini, author: int, body: object) -> str:
    """Why an entry may not stand, by both auditors; what may stand is entered."""
    if author != HOST:
        what = mini.submit(mini.made(author, body))
        mini.catch_up(author)
        return "" if what == "good" else what
    raw = mini.made(HOST, body)
    parsed = mini.second.parse(raw)
    assert parsed is not None
    second = mini.second.judge_host(parsed)
    try:
        mini.enter(raw)
    except (ChainError, BadEntryError):
        assert second[0] == "form"
        return "no"
    assert second[0] == "good"
    return ""


@pytest.mark.parametrize("story", STORIES, ids=lambda story: str(STORIES.index(story)))
def test_a_story_comes_out_at_a_table_as_the_rules_alone_say(story: Story) -> None:
    assert absences.GRACE == GRACE
    mini = owing(1, bots=story.bots, answers=story.answers, host=story.owner)
    mini.silent = {0, 1, 2, 3}
    told = tell(story)
    assert tuple(judged(mini, author, body) for author, body in story.entries) == told.judged
    assert mini.agree()["lost"] == told.lost
    assert (tuple(sorted(mini.fold.away)), mini.fold.paused) == (told.away, told.paused)
    if told.lost:
        mini.silent = set()
        mini.play(finished(1))
        payer = next((1 for seat, charged in told.lost.items() if charged), None)
        if payer is not None:
            payer = mini.fold.charged_team(next(s for s, charged in told.lost.items() if charged))
        assert mini.fold.finished[0].charged == payer
