"""A score that goes on from another match, in words for the person who accepts it or leaves (PROTOCOL.md, Carried
scores)."""

from collections.abc import Iterator
from typing import Final

from goat_client.game.prompts import Prompts
from goat_net.log.succession import Altered, Change
from goat_net.seat.terms import Terms

_WORDS: Final[dict[Altered, str]] = {
    Altered.TARGET: "A goat takes {now} defeat points now, not {before}.",
    Altered.EGGS: "The deal after eggs counts double: {now} now, {before} before.",
    Altered.YIELD_TIME: "The answer to a molodka takes {now} ms now, not {before}.",
    Altered.GRACE: "An absent seat is decided about after {now} s now, not {before}.",
    Altered.CLOCK: "The turn clock is {now} s now, not {before}.",
    Altered.HINTS: "Hints: {now} now, {before} before.",
    Altered.SEED: "Cards from a known seed, so no secret: {now} now, {before} before.",
    Altered.TEAM: "{name} plays for the other team now.",
    Altered.DEALT: "The deal that was under way is given up.",
    Altered.LEFT_OUT: "Finished deals that you have and this match leaves out: {before}.",
    Altered.UNKNOWN: "It stands on a part of the match that you do not have.",
    Altered.UNCHECKED: "You do not have the match before, so this cannot be checked here.",
    Altered.FORKED: "You have another match that has gone on from the same score.",
}


def change_words(change: Change) -> str:
    """One change as a sentence."""
    return _WORDS[change.what].format(before=change.before, now=change.now, name=change.name)


def terms_words(terms: Terms | None, prompts: Prompts) -> Iterator[str]:
    """What the person has to know of before the match goes on; nothing when there is nothing to ask."""
    if terms is None:
        return
    one, other = terms.defeat
    deals = "1 deal" if terms.deals == 1 else f"{terms.deals} deals"
    yield f"A match goes on here at {one}:{other} after {deals}."
    yield from (change_words(change) for change in terms.changes)
    for name in terms.caught:
        yield f"{name} was caught cheating in a deal of it; once more and they are out (R23)."
    yield prompts.accept
