"""What makes and checks things for the project and is no part of playing: ours, tested, and not in the wheel.

Each module is a command: ``python3 dev.py python -m goat_tools.NAME``. The product never imports this package.
"""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
"""The checkout: tools read and write its files."""
