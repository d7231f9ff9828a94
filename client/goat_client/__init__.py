"""The terminal client of Goat."""
