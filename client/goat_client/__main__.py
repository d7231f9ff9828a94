"""``python -m goat_client``: the program."""

import sys

from goat_client.cli import main

sys.exit(main())
