"""The option that names networks: interfaces or addresses of this machine, as `goat_net.discovery.interfaces` reads
them."""

import argparse


def add_interface(parser: argparse.ArgumentParser, about: str) -> None:
    """Add ``--interface``, which may be given several times."""
    parser.add_argument("--interface", action="append", default=[], type=_named, metavar="NAME or ADDRESS", help=about)


def _named(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("takes the name of an interface (eth0) or an address of this machine")
    return text.strip()
