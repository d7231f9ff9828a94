"""``python -m goat_host``: the table's process."""

import sys

from goat_host.run import main

sys.exit(main())
