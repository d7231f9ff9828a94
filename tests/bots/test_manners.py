"""Bots at a table with people."""

import random

from goat_engine.bots import manners


def test_names_are_free_and_differ() -> None:
    for seed in range(30):
        found = manners.names(3, ["clover", "HAZEL"], random.Random(seed))
        assert len({name for name, _ in found}) == 3
        assert not {"Clover", "Hazel"} & {name for name, _ in found}
        assert all(text.isascii() for pair in found for text in pair)


def test_pause_is_within_the_pace_and_ignores_the_cards() -> None:
    rng = random.Random(1)
    assert all(0.6 <= manners.pause(rng) <= 1.2 for _ in range(200))
    assert manners.pause(rng, (0.0, 0.0)) == 0.0


def test_a_persons_partner_plays_at_its_best() -> None:
    assert manners.level_at(2, "easy", {0}) == "expert"
    assert manners.level_at(1, "easy", {0}) == "easy"
    assert manners.level_at(2, "easy", {0}, best_partner=False) == "easy"
