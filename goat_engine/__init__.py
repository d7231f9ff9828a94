"""The rules of Goat, pure: no sockets, clock, randomness, logging or printing (RULES.md beside this file)."""
