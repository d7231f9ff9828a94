"""How long a test waits for what must come."""

from typing import Final

PATIENCE: Final = 400.0
"""Seconds: a net for what hangs, below that of pytest-timeout, which ends a whole process. No verdict depends on it: it
is many times what the busiest machine needs, and nothing waits so long when all is well."""
