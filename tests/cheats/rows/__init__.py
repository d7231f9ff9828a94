"""The rows of the catalogue, by where in a deal they are played."""

from tests.cheats.rows import carried, deck, host, leaving, molodka, openings, plays

__all__ = ["carried", "deck", "host", "leaving", "molodka", "openings", "plays"]
