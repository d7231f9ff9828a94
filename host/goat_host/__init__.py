"""The table: seats, order of entries, and the bots' processes."""
