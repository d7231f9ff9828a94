"""This machine: its terminal, its settings, the table's process, and what may keep tables from being found."""
